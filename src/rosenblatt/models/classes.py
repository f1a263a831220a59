"""The classes of a model, in the order of their arrival: how they join, and which is predicted."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Scorer
from rosenblatt.engine.rows import ordering
from rosenblatt.errors import InputError, Message, Setting
from rosenblatt.models.parallel import each_part, slices
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from rosenblatt.models.model import Model

Numbers = npt.NDArray[np.int32]
# Scores are taken of so many rows at a time that memory does not grow with rows times classes.
SCORES_AT_ONCE = 1 << 20
COUNTED_AT_ONCE = 1 << 20


def natural_order(classes: Iterable[Any]) -> list[Any]:
    """The classes from the least to the largest; TypeError if no two need be either, as of sets."""
    found = sorted(classes)
    if not all(a < b for a, b in pairwise(found)):
        raise TypeError
    return found


def number_of(label: Any, slots: dict[Any, int]) -> int | None:
    """The number of a class, None of one that is not known."""
    try:
        return slots.get(label)
    except TypeError:
        raise InputError(f"the label {label!r} cannot be one: labels must be hashable.") from None


def place_of(label: Any, classes: list[Any], order: list[int]) -> int:
    """Where a class not seen before stands in the natural order of the others."""
    if label is None or label != label:
        what = "None" if label is None else "NaN"
        raise InputError(f"the label is {what}. Drop the example or give it a label.")
    if isinstance(label, float | np.floating) and not label.is_integer():
        raise InputError(f"the label is {label!r}: a classifier needs classes, not measurements.")
    try:
        place = bisect(order, label, key=classes.__getitem__)
        natural_order([*(classes[i] for i in order[max(place - 1, 0) : place + 1]), label])
    except (TypeError, ValueError):  # a number of NumPy beside a tuple is compared item by item
        raise InputError(
            f"the label {label!r} ({type(label).__name__}) cannot be compared with the labels "
            f"seen so far, such as {classes[0]!r} ({type(classes[0]).__name__}). "
            "Use labels of one type that has an order, such as numbers or text."
        ) from None
    return place


def in_order(classes: Sequence[Any]) -> list[int]:
    """The places of the classes, which stand as they arrived, in their natural order."""
    return sorted(range(len(classes)), key=classes.__getitem__)


class LabelCodes:
    """The labels of many rows: the number of the class of each, and the classes in order.

    As an array, and by its slices, it is the labels themselves; a learner takes the numbers as they
    are, so that nothing is made of each row. Every class occurs.
    """

    def __init__(self, codes: Numbers, classes: Any) -> None:
        self.codes, self.classes = codes, classes
        self.shape = (len(codes),)

    @property
    def dtype(self) -> np.dtype[Any]:
        found: np.dtype[Any] = self.classes.dtype
        return found

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> Any:
        return self.classes[self.codes[rows]]

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Any:
        return np.asarray(self[:], dtype)

    def tolist(self) -> list[Any]:
        found: list[Any] = self[:].tolist()
        return found

    def counts(self) -> dict[Any, int]:
        """How often each class occurs; ValueError if a number is that of no class."""
        found = np.zeros(len(self.classes), np.int64)
        for start in range(0, len(self.codes), COUNTED_AT_ONCE):
            some = self.codes[start : start + COUNTED_AT_ONCE]
            if some.max() >= len(found):  # before as many are counted
                raise ValueError(f"the label {some.max()} is the number of no class")
            found += np.bincount(some, None, len(found))
        return dict(zip(self.classes.tolist(), found.tolist(), strict=True))


# ---------------------------------------------------------------------- scores to predictions


def decision_scores(scores: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Scores as ``decision_function`` has them: of two classes the lead of the second."""
    return scores[:, 1] - scores[:, 0] if scores.shape[1:] == (2,) else scores


def tie_is_positive(ties: str) -> bool:
    """Whether a class wins a tie: the positive one of two, the last of several.

    Else a tie is a mistake, and a prediction that has to name a class takes the first of them. The
    compiled loops have the same rule in ``ties.h``.
    """
    return ties == "positive"


def best_classes(scores: npt.NDArray[Any], ties: str) -> npt.NDArray[np.intp]:
    """Numbers of the classes with the best score; ties as the learner has them."""
    last_wins = tie_is_positive(ties)
    if scores.ndim == 1:
        return ((scores >= 0) if last_wins else (scores > 0)).astype(np.intp)
    if last_wins:
        return np.asarray(scores.shape[1] - 1 - scores[:, ::-1].argmax(axis=1))
    return np.asarray(scores.argmax(axis=1))


def are_mistakes(margins: Any, is_positive: Any, ties: str) -> Any:
    """Which margins are those of mistakes.

    ``is_positive`` says of each whether the right class wins a tie, if a tie can be won.
    """
    is_lost = np.logical_not(is_positive) | (not tie_is_positive(ties))
    return np.less(margins, 0.0) | (np.equal(margins, 0.0) & is_lost)


def signed_votes(scores: npt.NDArray[Any], ties: str) -> npt.NDArray[np.float64]:
    """1 for the positive class and -1 for the other; at a tie 1 or, if nobody wins it, 0."""
    votes = np.asarray(np.sign(scores), np.float64)
    votes[scores == 0] = float(tie_is_positive(ties))
    return votes


def row_blocks(n_rows: int, n_scores: int, n_jobs: int | None = None) -> list[slice]:
    """Rows, each with so many scores, cut into blocks whose scores take little memory."""
    return slices(n_rows, n_jobs, SCORES_AT_ONCE // n_scores)


def predicted_blocks(
    k: int,
    order: Sequence[int],
    score: Scorer,
    n_rows: int,
    ties: str,
    n_jobs: int | None = None,
) -> Iterator[tuple[slice, npt.NDArray[np.intp]]]:
    """Which rows, and for each which of the k classes its scores predict, by so many threads.

    Ties are decided by the natural order of the classes, as everywhere. Those that joined since
    there were k are left out.
    """
    places = None
    if k > 2:  # two always stand in order
        places = np.array(order)
        places = places[places < k]
        places = None if (places[1:] > places[:-1]).all() else places

    def predict(some: slice) -> npt.NDArray[np.intp]:
        scores = score(some)
        if scores.ndim > 1 and (places is not None or scores.shape[1] > k):
            scores = scores[:, :k] if places is None else scores[:, places]
        best = best_classes(scores, ties) if k > 1 else np.zeros(len(scores), np.intp)
        return best if places is None else places[best]

    blocks = row_blocks(n_rows, k, n_jobs)
    yield from zip(blocks, each_part(predict, blocks, n_jobs), strict=True)


def predicted_labels(
    classes: Sequence[Any], order: Sequence[int], scores: npt.NDArray[Any], ties: str
) -> list[Any]:
    """The label of each row by its scores, which stand as the classes do; None before any class."""
    if not classes:
        return [None] * len(scores)
    if len(classes) == 2 and scores.ndim == 1:  # most are, and this is called for each
        return [classes[i] for i in best_classes(scores, ties).tolist()]
    blocks = predicted_blocks(len(classes), order, scores.__getitem__, len(scores), ties)
    return [classes[i] for _, numbers in blocks for i in numbers.tolist()]


def has_tie(scores: Any) -> bool:
    """Whether classes share the highest score of a row: one number of two, else one a class."""
    if np.ndim(scores) == 0:
        return bool(scores == 0)
    return int(np.count_nonzero(scores == np.max(scores))) > 1


# ---------------------------------------------------------------------- classes that join


def class_segments(
    model: Model[Any], names: list[Any], numbers: npt.NDArray[Any], declared: Sequence[Any] = ()
) -> Iterator[tuple[int, int, Numbers | None]]:
    """Rows in order, cut where a class joins: ``start, stop`` and the class of every row.

    ``names[numbers[i]]`` is the label of row i. The ``declared`` classes join before the first row,
    any other at the row where it first appears, as if the rows came one by one. Until there are
    two, rows are only counted, and their classes are None.
    """
    model.admit_all(declared)
    joining = [k for k, name in enumerate(names) if name not in model.slots]
    places: list[tuple[int, int]] = []
    if joining:
        first = np.empty(len(names), np.int64)
        first[numbers[::-1]] = np.arange(len(numbers))[::-1]
        places = sorted((int(first[k]), k) for k in joining)

    def slots_of_names() -> Numbers:
        return np.array([model.slots.get(name, 0) for name in names], np.int32)

    labels, slots, start = np.zeros(len(numbers), np.int32), slots_of_names(), 0
    for stop, k in [*places, (len(numbers), -1)]:
        if start < stop:
            if len(model.classes) < 2:
                model.t += stop - start
                yield start, stop, None
            else:
                labels[start:stop] = slots[numbers[start:stop]]
                yield start, stop, labels
        if k >= 0:
            slots[k] = model.admit(names[k])
            if len(model.classes) == 2:  # which now stand in order
                slots = slots_of_names()
        start = stop


def declared_classes(classes: Any) -> list[Any]:
    """Classes that a caller of ``partial_fit`` knows of from the start."""
    if classes is None:
        return []
    listed = np.asarray(classes, None if isinstance(classes, np.ndarray) else object)
    if listed.ndim != 1:
        raise InputError(f"classes={classes!r} is not a list of classes.")
    found = {c.item() if isinstance(c, np.generic) else c for c in listed.tolist()}
    try:
        return natural_order(found)
    except TypeError:
        raise InputError(f"classes={classes!r} have no order: give labels of one type.") from None


def refuse_one_class(classes: list[Any]) -> None:
    if len(classes) < 2:
        raise InputError(
            f"y holds only one class, {classes[0]!r}: there is nothing to tell apart. Give rows of "
            "at least two classes, or use partial_fit, which waits for the second."
        )


def with_opposite(classes: npt.NDArray[Any], labels: Numbers) -> tuple[npt.NDArray[Any], Numbers]:
    """Classes and labels; a single example of class 1 or -1 has the other class beside its own.

    The lectures call the two classes so. Of several rows of one class the second is most likely
    missing by a slip, and of other labels its name is not known.
    """
    if len(labels) == 1 and classes.dtype.kind in "if" and abs(classes[0]) == 1:
        return np.array([-1, 1], classes.dtype), (classes > 0).astype(np.int32)
    return classes, labels


def label_array(classes: list[Any], dtype: np.dtype[Any] | None = None) -> npt.NDArray[Any]:
    """Labels as a 1-D array, of the type they had if they came all at once."""
    if dtype is not None and dtype.kind in "iub":
        return np.array(classes, dtype)
    if all(type(label) is int for label in classes):
        for whole in (np.int64, np.uint64):
            try:
                return np.array(classes, whole)
            except OverflowError:
                continue
    elif not any(isinstance(label, tuple) for label in classes):
        return np.array(classes)
    array = np.empty(len(classes), dtype=object)
    array[:] = classes
    return array


def one_label(label: Any) -> npt.NDArray[Any]:
    """A label as an array of one."""
    if type(label) is int and abs(label) < 1 << 62:  # most are, and this is called for each
        return np.array([label], np.int64)
    number_of(label, {})
    return label_array([label])


Rows = npt.NDArray[np.int64]
# Another stream of random numbers than the one that shuffles the epochs.
OTHER_STREAM = 0x5DEECE66D


def _shuffled_members(labels: Numbers, seed: int) -> Iterator[Rows]:
    """The rows of each class in a random order."""
    state = seed ^ OTHER_STREAM
    for label in range(int(labels.max()) + 1):
        members = np.flatnonzero(labels == label)
        order = np.empty(len(members), np.int64)
        state = ordering.shuffled(order, state)
        yield members[order]


def stratified_folds(labels: Numbers, n_folds: int, seed: int) -> Rows:
    """The fold of each row: of every class, and of all rows, each has as many up to one."""
    folds = np.empty(len(labels), np.int64)
    order = np.concatenate(list(_shuffled_members(labels, seed)))
    folds[order] = np.arange(len(order)) % n_folds
    return folds


def hold_out(labels: npt.NDArray[np.int32], share: float, seed: int) -> tuple[Rows, Rows]:
    """Row numbers to train on and to watch, the same share of every class, both ascending."""
    watched = np.zeros(len(labels), bool)
    for members in _shuffled_members(labels, seed):
        watched[members[: min(round(share * len(members)), len(members) - 1)]] = True
    if not watched.any():
        raise InputError(
            Message(
                Setting("validation_fraction", share),
                f" of {count(len(labels), 'row')} leaves none to watch",
            ),
            cures=["give more rows", Message("rows to watch as ", Setting("validation_set"))],
        )
    return np.flatnonzero(~watched), np.flatnonzero(watched)
