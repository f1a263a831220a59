"""A run, step by step: which row was looked at, and the boundary before and after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.arrays import FloatArray, IndexArray
from rosenblatt.core.ledger import Ledger
from rosenblatt.core.recording import Update
from rosenblatt.errors import InputError
from rosenblatt.geometry import regions as divide
from rosenblatt.plot import arguments
from rosenblatt.plot.curves import short_number
from rosenblatt.plot.plane import (
    Box,
    Plane,
    around,
    arrow_of,
    checked_box,
    is_outside,
    plane_of,
    scale_of,
    segment,
)
from rosenblatt.plot.style import Mark, marks
from rosenblatt.runs import LinearRun, ledger_of, prediction

PREDICTS_OTHERWISE = (
    "These are the weights while it learned; it predicts by their average, their votes or the best "
    "of them."
)
# Weights shorter or longer than this, compared with the rows, are drawn to a scale of their own.
SHORTEST_WEIGHTS, LONGEST_WEIGHTS = 0.4, 2.0
# Longer names of classes are replaced by their letters in titles.
LONGEST_LABEL = 8


@dataclass(frozen=True)
class Step:
    """One example and what it did."""

    update: int  # its number, from 1; 0 if the example was classified right
    t: int  # the number of the example, from 1
    row: int
    at: FloatArray  # where it lies
    right: Any  # its class
    y_pred: Any  # what was predicted for it; None at a tie that counts as a mistake
    rule: str  # what the example did to the weights, with its numbers
    W: FloatArray  # (k, 2): the weights after it, one row for two classes
    b: FloatArray
    W_before: FloatArray
    b_before: FloatArray
    segment: FloatArray | None  # (2, 2): the boundary of two classes, where the box shows it
    segment_before: FloatArray | None
    # (2, 2): each vector of weights, from its line (two classes) or the origin, where it is seen.
    arrows: Mapping[int, FloatArray]
    arrows_before: Mapping[int, FloatArray]
    areas: Mapping[int, FloatArray]  # (m, 2): where the class at this place is predicted after it


@dataclass(frozen=True)
class RunInPlane:
    """Rows in their plane, and the steps of a learner over them."""

    points: FloatArray
    places: IndexArray  # the place of the class of each row
    marks: tuple[Mark, ...]  # how each class is shown, in the order of the ledger
    plane: Plane
    box: Box
    scale: float  # the length of arrows over that of the weights
    each: str  # what a step is: "update" or "example"
    steps: tuple[Step, ...]
    n_steps: int  # how many there are in all
    predicts_otherwise: bool  # by other weights than those the run ended with

    @property
    def left_out(self) -> int:
        return self.n_steps - len(self.steps)

    @property
    def is_binary(self) -> bool:
        return len(self.steps[0].W) == 1

    def legend(self, *more: str) -> list[str]:
        """What the lines, areas and arrows of every step are, in sentences."""
        sentences = ["Ring: the example.", *more]
        lines = "Dashed: the line before it; solid: after it."
        sentences.insert(1, lines if self.is_binary else "Areas: the prediction after it.")
        if self.scale != 1:
            sentences.append(f"Weights are drawn at {self.scale:g} times their length.")
        return [*sentences, PREDICTS_OTHERWISE] if self.predicts_otherwise else sentences

    def title(self, step: Step) -> str:
        """What happened, in one line; `two_lines` breaks it before the rule."""
        names = {mark.label: mark.name for mark in self.marks} | {None: "tie"}
        if max(map(len, names.values())) > LONGEST_LABEL:
            names |= {mark.label: mark.letter for mark in self.marks}
        which = f"update {step.update}, row {step.row}"
        outcome = "mistake" if step.y_pred != step.right else "right"
        if outcome == "right" and step.update:
            outcome = "right by too little"
        return (
            f"{which if self.each == 'update' else f'example {step.t}'}: y = {names[step.right]}, "
            f"ŷ = {names[step.y_pred]}, {outcome}: {step.rule}"
        )


def two_lines(title: str) -> str:
    """The title of a step with the rule below what happened."""
    return "\n".join(title.rsplit(": ", 1))


def read_run(
    model: Any, X: Any, y: Any, *, each: str, choose: Any, box: Box | None = None
) -> RunInPlane:
    """The steps that ``choose`` takes, a function of their number that gives places in order."""
    ledger = ledger_of(model)
    if not isinstance(ledger, Ledger):
        raise InputError(
            f"the updates of a {type(model).__name__} are no lines in the plane of the features; "
            "plot.kernel_boundary draws where its predictions change."
        )
    table = arguments.rows(X)
    d = table.shape[1]
    if d > 2:
        raise InputError(
            f"X has {d} columns; the lines before and after an update are seen together in the "
            "plane of two features only. plot.boundary shows the end of a run with any number."
        )
    names = arguments.feature_names(model)
    plane = plane_of(np.ones(d), None, names)
    points = plane.seen(table)
    known = _marks_in_order(ledger.classes)
    places = arguments.labels(y, len(points), ledger.classes)
    run = LinearRun(ledger, table)
    visits = run.visits(each)
    chosen = [visits[place] for place in choose(len(visits))]
    if not chosen:
        raise InputError("this run made no update, so there is nothing to show.")
    states = run.states(k + after for _, _, k, moved in chosen for after in {0, moved})
    seen = {k: (plane.seen(W), b) for k, (W, b) in states.items()}
    W_all = np.vstack([W for W, _ in seen.values()])
    through_origin = not any(b.any() for _, b in seen.values())
    scale = None
    if box is not None:
        box = checked_box(box)
    else:
        shown = np.vstack([points, np.zeros((1, 2))]) if through_origin else points
        longest, farthest = np.abs(W_all).max(), np.abs(points).max()
        if through_origin and SHORTEST_WEIGHTS * farthest <= longest <= LONGEST_WEIGHTS * farthest:
            # Of about the size of the rows: the step is then seen to be the example.
            # With some room for their names.
            shown, scale = np.vstack([shown, 1.15 * W_all]), 1.0
        box = around(shown, is_line=plane.is_line)
    if scale is None:
        scale = scale_of(np.linalg.norm(W_all, axis=1), box)
    steps, ties = [], getattr(model, "ties", "mistake")
    for t, row, k, is_update in chosen:
        (W, b), (W_before, b_before) = seen[k + is_update], seen[k]
        update = ledger[k] if is_update else None
        right = int(places[row])
        steps.append(
            Step(
                update=k + 1 if is_update else 0,
                t=t,
                row=row,
                at=points[row],
                right=ledger.classes[right],
                y_pred=prediction(ledger.classes, W_before @ points[row] + b_before, ties),
                rule=_rule(update, right, known, W[:, :d], None if through_origin else b),
                W=W,
                b=b,
                W_before=W_before,
                b_before=b_before,
                segment=_line(W, b, box),
                segment_before=_line(W_before, b_before, box),
                arrows=_arrows(W, b, box, scale),
                arrows_before=_arrows(W_before, b_before, box, scale),
                areas=_areas(W, b, box, len(known)),
            )
        )
    return RunInPlane(
        points=points,
        places=places,
        marks=known,
        plane=plane,
        box=box,
        scale=scale,
        each=each,
        steps=tuple(steps),
        n_steps=len(visits),
        predicts_otherwise=_predicts_otherwise(model, ledger, X),
    )


def _predicts_otherwise(model: Any, ledger: Any, X: Any) -> bool:
    if model is ledger:
        return False
    if not arguments.predicts_linearly(model):
        return True
    W, b = ledger.replay(X)
    if len(W) > 1:
        order = sorted(range(len(ledger.classes)), key=ledger.classes.__getitem__)
        W, b = W[order], b[order]
    return not (np.array_equal(W, model.coef_) and np.array_equal(b, model.intercept_))


def _marks_in_order(classes: Sequence[Any]) -> tuple[Mark, ...]:
    """Marks in the order of the ledger, each as it is in all other pictures."""
    of = {mark.label: mark for mark in marks(sorted(classes))}
    return tuple(of[label] for label in classes)


def _rule(
    update: Update | None, right: int, known: Sequence[Mark], W: FloatArray, b: FloatArray | None
) -> str:
    """``w ← w + x = (2, −1)``; of several classes the vectors that moved, without numbers."""
    x = "x" if update is None or update.step == 1 else f"{short_number(update.step)}x"
    if len(W) > 1:
        if update is None:
            return "no weights change"
        moved = [(known[right], "+")]
        moved += [(mark, "−") for mark in known if mark.label == update.y_pred is not None]
        names = [(weight_name(mark), sign) for mark, sign in moved]
        return ", ".join(f"{name} ← {name} {sign} {x}" for name, sign in names)
    w = ", ".join(short_number(part) for part in W[0].tolist())
    now = f"({w})" if W.shape[1] > 1 else w
    if b is not None:
        now += f", b = {short_number(float(b[0]))}"
    return f"w = {now}" if update is None else f"w ← w {'−+'[right]} {x} = {now}"


def weight_name(mark: Mark) -> str:
    """What the weights of a class are called."""
    subscripts = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    name = mark.letter.translate(subscripts)
    return f"w{name}" if name != mark.letter else f"w {name}"


def _line(W: FloatArray, b: FloatArray, box: Box) -> FloatArray | None:
    return segment(W[0], float(b[0]), box) if len(W) == 1 else None


def _arrows(W: FloatArray, b: FloatArray, box: Box, scale: float) -> dict[int, FloatArray]:
    """Arrows by place; one whose tip would lie outside the picture is left out."""
    if len(W) == 1:
        arrow = arrow_of(W[0], float(b[0]), box, scale)
        return {} if arrow is None or is_outside(arrow[1], box) else {0: arrow}
    return {k: np.array([np.zeros(2), scale * w]) for k, w in enumerate(W) if w.any()}


def _areas(W: FloatArray, b: FloatArray, box: Box, n_classes: int) -> Mapping[int, FloatArray]:
    if (W[0] == W).all() and (b == b[0]).all() and (len(W) > 1 or not (W.any() or b.any())):
        return {}
    return divide(W, b, box, range(n_classes)).polygons
