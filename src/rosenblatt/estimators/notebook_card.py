"""HTML of learners in notebooks: diagram, training summary, largest weights."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import AnyFloatArray
from rosenblatt.html_tables import FIELD_STYLE as CELL
from rosenblatt.html_tables import escape, html_card
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyArray
    from rosenblatt.estimators.base import Estimator
    from rosenblatt.estimators.learner import Learner
    from rosenblatt.models.feature_weights import FeatureWeights

TOP_WEIGHTS = 8
TOP_CLASSES = 12
MAX_BARS = 60
WIDEST_BAR = 16


def diagram_html(estimator: Estimator) -> str:
    """Return the diagram of scikit-learn as HTML, or the repr if scikit-learn is not loaded."""
    if "sklearn" in sys.modules:
        from sklearn.utils import estimator_html_repr

        return str(estimator_html_repr(estimator))
    return f"<pre>{escape(repr(estimator))}</pre>"


def summary_html(learner: Learner, learned: str) -> str:
    """Return an HTML card: a summary of the training, followed by the HTML ``learned``."""
    outcome = learner._last_fit
    sentences = [f"{count(learner.n_mistakes_, 'mistake')} in {count(learner.t_, 'example')}"]
    mistakes: list[int] = []
    if outcome is not None:
        from rosenblatt.models.result import stop_text

        result = outcome.result
        mistakes = result.mistakes_per_epoch
        reason = stop_text(result.stop_reason)
        sentences.append(f"{count(result.n_iter, 'epoch')}; stopped: {reason}")
        errors = learner._known_errors
        if errors is not None:
            sentences.append(count(errors, "training error"))
    return html_card(f"<p>{'. '.join(sentences)}.</p>{sparkline(mistakes)}", learned)


def class_table_html(
    caption: str, headings: list[str], classes: Sequence[object], cells: list[list[str]]
) -> str:
    """Return an HTML table with a row for each class; the cells are given as HTML.

    If there is a single row for two classes, it is that of the second against the first.
    """
    names: Sequence[object] = classes
    if len(cells) == 1:
        names = [" against ".join(str(label) for label in classes[::-1])]

    rows = []
    for label, own in zip(names, cells[:TOP_CLASSES], strict=False):
        heading = f"<th scope=row style='{CELL}'>{escape(str(label))}</th>"
        row = "".join(f"<td style='{CELL}'>{cell}</td>" for cell in own)
        rows.append(f"<tr>{heading}{row}</tr>")

    note = ""
    left_out = len(cells) - len(rows)
    if left_out > 0:
        note = f"<p>{left_out} more classes not shown.</p>"

    top = "".join(f"<th scope=col style='{CELL}'>{name}</th>" for name in ["class", *headings])
    return (
        f"<table><caption style='text-align:left'>{caption}</caption><thead><tr>{top}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>{note}"
    )


def weight_table_html(
    classes: Sequence[object], coef: AnyFloatArray, intercept: AnyFloatArray, names: AnyArray | None
) -> str:
    """Return an HTML table of the largest weights of each class; ``names`` may be None."""
    cells = []
    for weights, bias in zip(coef[:TOP_CLASSES], intercept, strict=False):
        cells.append([top_weights(weights, names), f"{bias:+.3g}"])
    # The others are only counted.
    cells += [[]] * (len(coef) - len(cells))
    return class_table_html("Largest weights", ["features", "bias"], classes, cells)


def top_weights(weights: AnyFloatArray, names: AnyArray | None) -> str:
    """Return the names and values of the largest weights, as HTML; ``names`` may be None."""
    order = np.argsort(-np.abs(weights), kind="stable")[:TOP_WEIGHTS]
    parts = []
    for j in order:
        if weights[j]:
            name = f"x[{j}]" if names is None else str(names[j])
            parts.append(f"{escape(name)}&nbsp;{weights[j]:+.3g}")
    return _listed(parts, int(np.count_nonzero(weights)))


def _listed(parts: list[str], n_all: int) -> str:
    """Join the parts with commas, and add how many of ``n_all`` are left out."""
    if not parts:
        return "none yet"
    more = n_all - len(parts)
    return ", ".join(parts) + (f" and {more:,} more" if more > 0 else "")


def largest_weights_html(weights: FeatureWeights) -> str:
    """Return an HTML paragraph with the largest weights of a mapping of features to weights."""
    top = sorted(weights, key=lambda name: -abs(weights[name]))[:TOP_WEIGHTS]
    parts = [f"{escape(str(name))}&nbsp;{weights[name]:+.3g}" for name in top]
    return f"<p>Largest weights: {_listed(parts, len(weights))}.</p>"


def sparkline(counts: list[int], width: int = 240, height: int = 36) -> str:
    """Return an SVG bar chart of mistakes by epoch; in a long run a bar is the worst of several."""
    if not counts:
        return ""
    stretch = -(-len(counts) // MAX_BARS)
    heights = [max(counts[i : i + stretch]) for i in range(0, len(counts), stretch)]
    most = max(*heights, 1)
    step = min(width / len(heights), WIDEST_BAR)

    bars = ""
    for i, h in enumerate(heights):
        top = height * (1 - h / most)
        bars += (
            f'<rect x="{i * step:.1f}" y="{top:.1f}" '
            f'width="{max(step - 1, 0.5):.1f}" height="{height * h / most:.1f}"/>'
        )
    text = f"Mistakes by epoch, from {counts[0]:,} in the first to {counts[-1]:,} in the last"
    return (
        f'<svg role="img" aria-label="{text}" width="{width}" height="{height}" '
        f'fill="#0072B2"><title>{text}</title>{bars}</svg><p>{text}.</p>'
    )
