"""How a learner shows itself in a notebook: what it is, how it learned, what it weighs."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.estimators.outcome import of_whole_state
from rosenblatt.html_tables import FIELD as CELL
from rosenblatt.html_tables import escape, html_card
from rosenblatt.plurals import count

TOP_WEIGHTS = 8
TOP_CLASSES = 12
WIDEST_BAR = 16


class Diagram:
    """scikit-learn's diagram for those who use it, else the parameters; a summary may follow."""

    def _repr_html_(self) -> str:
        return self._diagram_html() + self._summary_html()

    def _diagram_html(self) -> str:
        if "sklearn" in sys.modules:
            from sklearn.utils import estimator_html_repr

            return str(estimator_html_repr(self))
        return f"<pre>{escape(repr(self))}</pre>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _summary_html(self) -> str:
        return ""


class SummaryTable(NamedTuple):
    """A row of cells for each class, or one for two classes; cells are HTML."""

    caption: str
    headings: list[str]
    cells: list[list[str]]


class ModelDisplay(Diagram):
    """A summary of what was learned, below the diagram."""

    @of_whole_state
    def _summary_html(self) -> str:
        if not self.__sklearn_is_fitted__():  # type: ignore[attr-defined]
            return ""
        return html_card(self._story_html(), self._weights_html())

    def _story_html(self) -> str:
        model: Any = self
        sentences = [f"{count(model.n_mistakes_, 'mistake')} in {count(model.t_, 'example')}"]
        reason = getattr(self, "stop_reason_", None)
        if reason is not None:
            from rosenblatt.models.result import stop_text

            sentences.append(f"{count(model.n_iter_, 'epoch')}; stopped: {stop_text(reason)}")
            if model._known_errors is not None:
                sentences.append(count(model._known_errors, "training error"))
        bars = sparkline(getattr(self, "mistakes_per_epoch_", []))
        return f"<p>{'. '.join(sentences)}.</p>{bars}"

    def _weights_html(self) -> str:
        """What was learned of each class, as a table."""
        model: Any = self
        table, classes = self._summary_table(), model.classes_
        shown = [" against ".join(map(str, classes[::-1]))] if len(table.cells) == 1 else classes
        headings = "".join(f"<th scope=col style='{CELL}'>{name}</th>" for name in table.headings)
        rows = [
            f"<tr><th scope=row style='{CELL}'>{escape(str(label))}</th>"
            + "".join(f"<td style='{CELL}'>{cell}</td>" for cell in cells)
            + "</tr>"
            for label, cells in zip(shown, table.cells[:TOP_CLASSES], strict=False)
        ]
        left_out = len(table.cells) - len(rows)
        note = f"<p>{left_out} more classes not shown.</p>" if left_out > 0 else ""
        return (
            f"<table><caption style='text-align:left'>{table.caption}</caption><thead><tr>"
            f"<th scope=col style='{CELL}'>class</th>{headings}</tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table>{note}"
        )

    def _summary_table(self) -> SummaryTable:
        """The largest weights of each class; a learner without weights has another table."""
        model: Any = self
        names = getattr(self, "feature_names_in_", None)
        rows = zip(model.coef_[:TOP_CLASSES], model.intercept_, strict=False)
        cells = [[top_weights(weights, names), f"{bias:+.3g}"] for weights, bias in rows]
        cells += [[]] * (len(model.coef_) - len(cells))
        return SummaryTable("Largest weights", ["features", "bias"], cells)


def top_weights(weights: Any, names: Any) -> str:
    order = np.argsort(-np.abs(weights), kind="stable")[:TOP_WEIGHTS]
    parts = [
        f"{escape(f'x[{j}]' if names is None else str(names[j]))}&nbsp;{weights[j]:+.3g}"
        for j in order
        if weights[j]
    ]
    more = int(np.count_nonzero(weights)) - len(parts)
    return ", ".join(parts) + (f" and {more:,} more" if more > 0 else "") or "none yet"


def sparkline(counts: list[int], width: int = 240, height: int = 36) -> str:
    """Mistakes by epoch as a small drawing; long runs are shown by the worst of each stretch."""
    if not counts:
        return ""
    stretch = -(-len(counts) // 60)
    heights = [max(counts[i : i + stretch]) for i in range(0, len(counts), stretch)]
    most, step = max(max(heights), 1), min(width / len(heights), WIDEST_BAR)
    bars = "".join(
        f'<rect x="{i * step:.1f}" y="{height * (1 - h / most):.1f}" '
        f'width="{max(step - 1, 0.5):.1f}" height="{height * h / most:.1f}"/>'
        for i, h in enumerate(heights)
    )
    text = f"Mistakes by epoch, from {counts[0]:,} in the first to {counts[-1]:,} in the last"
    return (
        f'<svg role="img" aria-label="{text}" width="{width}" height="{height}" '
        f'fill="#0072B2"><title>{text}</title>{bars}</svg><p>{text}.</p>'
    )
