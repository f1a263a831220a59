"""Steps of a run in the plane: each example with the boundary before and after it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import FloatArray, IndexArray
from rosenblatt.errors import InputError
from rosenblatt.geometry import regions as divide
from rosenblatt.inspection.runs import LinearRun, ledger_of, prediction
from rosenblatt.models.ledger import Ledger
from rosenblatt.models.recording import Update
from rosenblatt.plot import arguments
from rosenblatt.plot.curves import short_number
from rosenblatt.plot.plane import (
    Box,
    Plane,
    arrow_of,
    box_around,
    checked_box,
    is_outside,
    plane_of,
    scale_of,
    segment,
)
from rosenblatt.plot.style import Mark, marks

if TYPE_CHECKING:
    from rosenblatt.arrays import Table

OTHER_WEIGHTS_NOTE = (
    "These are the weights while it learned; it predicts by their average, their votes or the best "
    "of them."
)
# Range of lengths of weights, relative to the longest row, that are drawn at the scale of the rows.
SHORTEST_WEIGHTS = 0.4
LONGEST_WEIGHTS = 2.0
# Longest name of a class in a title, in characters; longer ones are replaced by letters.
LONGEST_LABEL = 8


@dataclass(frozen=True)
class Step:
    """One step of a run: an example, and the weights before and after it."""

    update: int  # number of the update, from 1; 0 if the example led to none
    t: int  # number of the example, from 1
    row: int
    at: FloatArray  # the example as a point of the plane
    right: Hashable  # its class
    y_pred: Hashable  # the prediction; None for a tie that counts as a mistake
    rule: str  # the update as a formula with numbers
    W: FloatArray  # (k, 2): the weights after it, one row for two classes
    b: FloatArray
    W_before: FloatArray
    b_before: FloatArray
    segment: FloatArray | None  # (2, 2): the boundary of two classes inside the box
    segment_before: FloatArray | None
    # (2, 2): the visible weight vectors, drawn from their line (two classes) or the origin
    arrows: Mapping[int, FloatArray]
    arrows_before: Mapping[int, FloatArray]
    areas: Mapping[int, FloatArray]  # (m, 2): region of each class after the example


@dataclass(frozen=True)
class RunInPlane:
    """A run in the plane: the rows, and the steps of the learner."""

    points: FloatArray
    places: IndexArray  # class index of each row
    marks: tuple[Mark, ...]  # of each class, in the order of the ledger
    plane: Plane
    box: Box
    scale: float  # length of arrows divided by that of the weights
    each: str  # a step is an "update" or an "example"
    steps: tuple[Step, ...]
    n_steps: int  # of the whole run
    predicts_with_other_weights: bool  # not with those at the end of the run

    @property
    def left_out(self) -> int:
        """Number of steps that are not shown."""
        return self.n_steps - len(self.steps)

    @property
    def is_binary(self) -> bool:
        """Whether there are two classes, which share one weight vector."""
        return len(self.steps[0].W) == 1

    def legend(self, *more: str) -> list[str]:
        """Return sentences that explain the symbols of every step, with ``more`` among them."""
        sentences = ["Ring: the example."]
        if self.is_binary:
            sentences.append("Dashed: the line before it; solid: after it.")
        else:
            sentences.append("Areas: the prediction after it.")
        sentences += more
        if self.scale != 1:
            sentences.append(f"Weights are drawn at {self.scale:g} times their length.")
        if self.predicts_with_other_weights:
            sentences.append(OTHER_WEIGHTS_NOTE)
        return sentences

    def title(self, step: Step) -> str:
        """Return a one-line title of a step: example, outcome and update rule."""
        names = {mark.label: mark.name for mark in self.marks} | {None: "tie"}
        if max(map(len, names.values())) > LONGEST_LABEL:
            names |= {mark.label: mark.letter for mark in self.marks}

        which = f"example {step.t}"
        if self.each == "update":
            which = f"update {step.update}, row {step.row}"
        if step.y_pred != step.right:
            outcome = "mistake"
        elif step.update:
            outcome = "right by too little"
        else:
            outcome = "right"
        classes = f"y = {names[step.right]}, ŷ = {names[step.y_pred]}"
        return f"{which}: {classes}, {outcome}: {step.rule}"


def two_lines(title: str) -> str:
    """Insert a line break into the title of a step, before its update rule."""
    return "\n".join(title.rsplit(": ", 1))


def read_run(
    model: Any,
    X: Any,
    y: Any,
    *,
    each: str,
    choose: Callable[[int], Sequence[int]],
    box: Box | None = None,
) -> RunInPlane:
    """Replay a recorded run in the plane of its one or two features.

    ``choose`` is a function from the number of steps to the indices of those to show, in order.
    """
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
    points = plane.project(table)
    known = _marks_in_order(ledger.classes)
    places = arguments.labels(y, len(points), ledger.classes)

    # The states before and after each chosen step.
    run = LinearRun(ledger, table)
    visits = run.visits(each)
    chosen = [visits[place] for place in choose(len(visits))]
    if not chosen:
        raise InputError("this run made no update, so there is nothing to show.")
    wanted = {visit.n_before for visit in chosen}
    wanted |= {visit.n_before + 1 for visit in chosen if visit.is_update}
    states = {k: (plane.project(W), b) for k, (W, b) in run.states(wanted).items()}
    W_all = np.vstack([W for W, _ in states.values()])
    through_origin = not any(b.any() for _, b in states.values())

    scale = None
    if box is not None:
        box = checked_box(box)
    else:
        shown = np.vstack([points, np.zeros((1, 2))]) if through_origin else points
        longest = np.abs(W_all).max()
        farthest = np.abs(points).max()
        if through_origin and SHORTEST_WEIGHTS * farthest <= longest <= LONGEST_WEIGHTS * farthest:
            # Weights about as long as the rows are drawn at the same scale, so that each step can
            # be seen to be the example. The factor leaves room for their names.
            shown = np.vstack([shown, 1.15 * W_all])
            scale = 1.0
        box = box_around(shown, is_line=plane.is_line)
    if scale is None:
        scale = scale_of(np.linalg.norm(W_all, axis=1), box)

    steps = []
    ties = getattr(model, "ties", "mistake")  # a ledger has none
    for t, row, k, is_update in chosen:
        W, b = states[k + is_update]
        W_before, b_before = states[k]
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
        predicts_with_other_weights=_predicts_with_other_weights(model, ledger, X),
    )


def _predicts_with_other_weights(model: Any, ledger: Ledger, X: Table) -> bool:
    """Return whether a model predicts with weights other than the final ones of its run."""
    if model is ledger:
        return False
    if not arguments.predicts_linearly(model):
        return True
    W, b = ledger.replay(X)
    if len(W) > 1:
        # The ledger lists classes by first occurrence, the model sorts them.
        order = sorted(range(len(ledger.classes)), key=ledger.classes.__getitem__)
        W = W[order]
        b = b[order]
    return not (np.array_equal(W, model.coef_) and np.array_equal(b, model.intercept_))


def _marks_in_order(classes: Sequence[Any]) -> tuple[Mark, ...]:
    """Return the marks of the classes in ledger order, the same as in all other pictures."""
    mark_of = {mark.label: mark for mark in marks(sorted(classes))}
    return tuple(mark_of[label] for label in classes)


def _rule(
    update: Update | None, right: int, known: Sequence[Mark], W: FloatArray, b: FloatArray | None
) -> str:
    """Format an update as a formula, such as ``w ← w + x = (2, −1)``."""
    x = "x" if update is None or update.step == 1 else f"{short_number(update.step)}x"
    if len(W) > 1:
        if update is None:
            return "no weights change"
        raised = weight_name(known[right])
        rules = [f"{raised} ← {raised} + {x}"]
        for mark in known:
            if update.y_pred is not None and mark.label == update.y_pred:
                lowered = weight_name(mark)
                rules.append(f"{lowered} ← {lowered} − {x}")
        return ", ".join(rules)

    w = ", ".join(short_number(part) for part in W[0].tolist())
    now = f"({w})" if W.shape[1] > 1 else w
    if b is not None:
        now += f", b = {short_number(float(b[0]))}"
    if update is None:
        return f"w = {now}"
    sign = "+" if right == 1 else "−"
    return f"w ← w {sign} {x} = {now}"


def weight_name(mark: Mark) -> str:
    """Return the name of the weights of a class: "w₃" for class 3, "w a" for class a."""
    subscripts = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    name = mark.letter.translate(subscripts)
    return f"w{name}" if name != mark.letter else f"w {name}"


def _line(W: FloatArray, b: FloatArray, box: Box) -> FloatArray | None:
    """Return the boundary of two classes inside the box; None for more classes."""
    if len(W) > 1:
        return None
    return segment(W[0], float(b[0]), box)


def _arrows(W: FloatArray, b: FloatArray, box: Box, scale: float) -> dict[int, FloatArray]:
    """Return the arrows of the weights by class index, without those that cannot be drawn."""
    if len(W) == 1:
        arrow = arrow_of(W[0], float(b[0]), box, scale)
        return {} if arrow is None or is_outside(arrow[1], box) else {0: arrow}
    return {k: np.array([np.zeros(2), scale * w]) for k, w in enumerate(W) if w.any()}


def _areas(W: FloatArray, b: FloatArray, box: Box, n_classes: int) -> Mapping[Any, FloatArray]:
    """Return the region of each class; empty if all classes have the same score everywhere."""
    if len(W) > 1:
        is_tie = bool((W[0] == W).all() and (b == b[0]).all())
    else:
        is_tie = not (W.any() or b.any())
    if is_tie:
        return {}
    return divide(W, b, box, range(n_classes)).polygons
