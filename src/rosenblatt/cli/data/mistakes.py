"""What each past mistake of a model has to say about a row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rosenblatt.cli.data.models import Model

__all__ = ["weighed"]


def weighed(
    found: Model, blocks: Iterator[tuple[Any, Any]], X: Any, explained: dict[str, Any]
) -> dict[str, Any]:
    """The share of each row of training in the margin of the row `X`: step · (x_j · x + 1).

    Without a bias the 1 falls away. The mean of all weights counts an update by the share of the
    examples that came after it.
    """
    import numpy as np

    from rosenblatt.core.scoring import scores
    from rosenblatt.errors import InputError

    card, ledger = found.state.card, found.learner.ledger_
    entries = ledger.entries
    x = X.toarray() if hasattr(X, "tocsr") else X[:1]
    products, lines, labels = [], list[int](), list[str]()
    for schema, block in blocks:
        products.append(scores(schema.encode(block), x, np.zeros(1)))
        lines += block.lines.tolist()
        labels += [str(label) for label in block.labels.tolist()]
    if entries.row.max(initial=-1) >= len(lines):
        raise InputError(
            f"--train has {len(lines):,} rows, but the ledger names row "
            f"{int(entries.row.max()) + 1:,}; give the data the model was trained on, in order."
        )
    classes = [str(label) for label in card.classes]
    names = np.array(labels)[entries.row]
    if (names != np.array(classes)[entries.right]).any():
        raise InputError(
            "--train: the labels are not those of the ledger; give the data the model was trained "
            "on, in order."
        )
    shares = entries.step * (np.concatenate(products)[entries.row] + float(card.fit_intercept))
    mean = card.parameters.get("combine", "average") == "average"
    if mean and "coef_sum" in found.state.arrays:
        total = ledger.n_examples
        shares = shares * ((total - entries.t + 1) / max(total, 1))
    shares = shares * _direction(entries, classes, explained)
    rows, place, times = np.unique(entries.row, return_inverse=True, return_counts=True)
    sums = np.bincount(place, weights=shares, minlength=len(rows))
    order = np.argsort(-np.abs(sums), kind="stable")
    total_sum = float(shares.sum())
    return {
        "updates": len(ledger),
        "sum": total_sum,
        # Else the model had weights before recording, or answers with those of its best epoch.
        "best_epoch": card.best,
        "adds_up": bool(np.isclose(total_sum, explained["margin"], rtol=1e-6, atol=1e-9)),
        "rows": [
            {
                "row": int(rows[i]) + 1,
                "line": lines[rows[i]],
                "label": labels[rows[i]],
                "updates": int(times[i]),
                "contribution": float(sums[i]),
            }
            for i in order.tolist()
        ],
    }


def _direction(entries: Any, classes: list[str], explained: dict[str, Any]) -> Any:
    """How often an update raised the answer over its rival: 1, 0, -1, or 2 for both at once."""
    answer = classes.index(explained["answer"])
    if len(classes) == 2:
        return (2 * entries.right - 1) * (1 if answer == 1 else -1)
    rival = classes.index(explained["against"])

    def moved(one: int) -> Any:
        return (entries.right == one).astype(float) - (entries.wrong == one)

    return moved(answer) - moved(rival)
