"""All updates of a run as a CSV table."""

from __future__ import annotations

import csv
import io
from typing import Any

from rosenblatt.studio.mapped_rows import numbers_of
from rosenblatt.studio.page_runs import PageRun

__all__ = ["as_csv"]


def as_csv(run: PageRun) -> str:
    """One line an update: which point, what it scored, and the weights after it."""
    examples, told = run.examples, run.to_json()
    classes = examples.classes
    several = len(classes) > 2
    head = ["update", "epoch", "example", "point", *examples.columns, "class", "answered"]
    head += ["lowered"] * several
    head += [f"score of {name}" for name in classes] if several else ["score"]
    head.append("step")
    weights: list[Any] = []
    if run.has_weights:
        of = [f" of {name}" for name in classes] if several else [""]
        names = [*examples.names, "bias"]
        head += [f"weight of {name}{which}" for which in of for name in names]
        weights = [numbers_of(after.ravel()) for after in run.weights[1:]]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")  # as RFC 4180 has it
    writer.writerow(head)
    for k in range(run.n_updates):
        row, wrong, score = told["row"][k], told["wrong"][k], told["score"][k]
        writer.writerow(
            [
                k + 1,
                told["epoch"][k],
                told["t"][k],
                row + 1,
                *numbers_of(examples.points[row]),
                classes[told["right"][k]],
                _answered(score if several else [0, score], classes, run.learner["ties"]),
                *(["" if wrong < 0 else classes[wrong]] * several),
                *(score if several else [score]),
                told["step"][k],
                *(weights[k] if weights else []),
            ]
        )
    return out.getvalue()


def _answered(scores: list[float], classes: list[str], ties: str) -> str:
    """The class with the largest score; of a tie the last, or none where ties are mistakes."""
    best = [name for name, score in zip(classes, scores, strict=True) if score == max(scores)]
    return best[-1] if len(best) == 1 or ties == "positive" else ""
