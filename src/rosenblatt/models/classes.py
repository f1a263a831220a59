"""The classes of a model: how new ones are added, and which one wins for given scores."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import AnyArray, Scorer
from rosenblatt.engine.rows import ordering
from rosenblatt.errors import InputError, Message, Setting
from rosenblatt.models.parallel import each_part, slices
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from rosenblatt.models.model import Model

Numbers = npt.NDArray[np.int32]
# Scores computed at once, and labels counted at once, so that memory does not grow with the rows.
SCORES_AT_ONCE = 1 << 20
COUNTED_AT_ONCE = 1 << 20


def natural_order(classes: Iterable[Any]) -> list[Any]:
    """Return the classes sorted; raise TypeError if two of them cannot be ordered."""
    found = sorted(classes)
    if not all(a < b for a, b in pairwise(found)):
        raise TypeError
    return found


def number_of(label: Any, slots: dict[Any, int]) -> int | None:
    """Return the index of a label's class, or None if it is unknown; a label must be hashable."""
    try:
        return slots.get(label)
    except TypeError:
        raise InputError(f"the label {label!r} cannot be one: labels must be hashable.") from None


def place_of(label: Any, classes: list[Any], order: list[int]) -> int:
    """Return the position of a new class in the sorted order of the others; raise if invalid."""
    is_nan = label != label
    if label is None or is_nan:
        what = "None" if label is None else "NaN"
        raise InputError(f"the label is {what}. Drop the example or give it a label.")
    if isinstance(label, float | np.floating) and not label.is_integer():
        raise InputError(f"the label is {label!r}: a classifier needs classes, not measurements.")
    try:
        place = bisect(order, label, key=classes.__getitem__)
        # Between its neighbours it must really be in order.
        neighbours = [classes[i] for i in order[max(place - 1, 0) : place + 1]]
        natural_order([*neighbours, label])
    except (TypeError, ValueError):  # a NumPy number and a tuple are compared item by item
        raise InputError(
            f"the label {label!r} ({type(label).__name__}) cannot be compared with the labels "
            f"seen so far, such as {classes[0]!r} ({type(classes[0]).__name__}). "
            "Use labels of one type that has an order, such as numbers or text."
        ) from None
    return place


def in_order(classes: Sequence[Any]) -> list[int]:
    """Return the indices that sort the classes, which are listed in order of arrival."""
    return sorted(range(len(classes)), key=classes.__getitem__)


class LabelCodes:
    """Labels encoded as class indices: the index of each row, and the classes in order.

    Slicing it, or converting it to an array, returns the labels themselves. A learner reads the
    indices directly, so that no object is made for each row. Every class occurs.
    """

    def __init__(self, codes: Numbers, classes: Any) -> None:
        self.codes = codes
        self.classes: AnyArray = classes
        self.shape = (len(codes),)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the dtype of the labels."""
        return self.classes.dtype

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> Any:
        return self.classes[self.codes[rows]]

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Any:
        return np.asarray(self[:], dtype)

    def tolist(self) -> list[Any]:
        """Return the labels as Python values."""
        found: list[Any] = self[:].tolist()
        return found

    def counts(self) -> dict[Any, int]:
        """Count the rows of each class; raise ValueError if a class index is out of range."""
        found = np.zeros(len(self.classes), np.int64)
        for start in range(0, len(self.codes), COUNTED_AT_ONCE):
            some = self.codes[start : start + COUNTED_AT_ONCE]
            # Checked first, since bincount makes a counter for every number up to the largest.
            if some.max() >= len(found):
                raise ValueError(f"the label {some.max()} is the number of no class")
            found += np.bincount(some, None, len(found))
        return dict(zip(self.classes.tolist(), found.tolist(), strict=True))


# ---------------------------------------------------------------------- scores to predictions


def decision_scores(scores: AnyArray) -> AnyArray:
    """Return scores as ``decision_function`` does: for two classes, the second minus the first."""
    return scores[:, 1] - scores[:, 0] if scores.shape[1:] == (2,) else scores


def tie_is_positive(ties: str) -> bool:
    """Return whether a tie is won: by the positive one of two classes, by the last of several.

    Otherwise a tie is a mistake, and a prediction that has to name a class takes the first of them.
    The compiled loops have the same rule in ``engine/ties.h``.
    """
    return ties == "positive"


def best_classes(scores: AnyArray, ties: str) -> npt.NDArray[np.intp]:
    """Return the index of the best class of each row; ``ties`` is the learner's option."""
    last_wins = tie_is_positive(ties)
    if scores.ndim == 1:
        is_positive = scores >= 0 if last_wins else scores > 0
        return is_positive.astype(np.intp)
    if last_wins:
        # Reversed, since argmax takes the first.
        return np.asarray(scores.shape[1] - 1 - scores[:, ::-1].argmax(axis=1))
    return np.asarray(scores.argmax(axis=1))


def are_mistakes(margins: Any, is_positive: Any, ties: str) -> Any:
    """Return which margins count as mistakes.

    ``is_positive`` says for each margin whether the right class would win a tie.
    """
    is_lost = np.logical_not(is_positive) | (not tie_is_positive(ties))
    return np.less(margins, 0.0) | (np.equal(margins, 0.0) & is_lost)


def signed_votes(scores: AnyArray, ties: str) -> npt.NDArray[np.float64]:
    """Return the vote of each score, its sign; 0 votes 1 if ``ties`` is "positive", else 0."""
    votes = np.asarray(np.sign(scores), np.float64)
    votes[scores == 0] = float(tie_is_positive(ties))
    return votes


def row_blocks(n_rows: int, n_scores: int, n_jobs: int | None = None) -> list[slice]:
    """Split rows with ``n_scores`` scores each into blocks whose scores take little memory."""
    return slices(n_rows, n_jobs, SCORES_AT_ONCE // n_scores)


def predicted_blocks(
    k: int,
    order: Sequence[int],
    score: Scorer,
    n_rows: int,
    ties: str,
    n_jobs: int | None = None,
) -> Iterator[tuple[slice, npt.NDArray[np.intp]]]:
    """Yield blocks of rows, and the index of the class that each row predicts, among the first k.

    Ties are decided by the natural order of the classes. Classes that joined after the first k are
    ignored.
    """
    # The classes in sorted order; None if they arrived in it, as two classes always did.
    places = None
    if k > 2:
        in_natural_order = np.array(order)
        in_natural_order = in_natural_order[in_natural_order < k]
        if not (in_natural_order[1:] > in_natural_order[:-1]).all():
            places = in_natural_order

    def predict(some: slice) -> npt.NDArray[np.intp]:
        scores = score(some)
        if k < 2:
            return np.zeros(len(scores), np.intp)
        if places is not None:
            return places[best_classes(scores[:, places], ties)]
        if scores.ndim > 1 and scores.shape[1] > k:
            scores = scores[:, :k]
        return best_classes(scores, ties)

    blocks = row_blocks(n_rows, k, n_jobs)
    yield from zip(blocks, each_part(predict, blocks, n_jobs), strict=True)


def predicted_labels(
    classes: Sequence[Any], order: Sequence[int], scores: AnyArray, ties: str
) -> list[Any]:
    """Return the predicted label of each row from its scores; all are None without classes."""
    if not classes:
        return [None] * len(scores)
    if len(classes) == 2 and scores.ndim == 1:  # the fast path of single examples
        return [classes[i] for i in best_classes(scores, ties).tolist()]
    blocks = predicted_blocks(len(classes), order, scores.__getitem__, len(scores), ties)
    return [classes[i] for _, numbers in blocks for i in numbers.tolist()]


def has_tie(scores: Any) -> bool:
    """Return whether several classes share the highest score of a row.

    With two classes the score is one number, and 0 is a tie.
    """
    if np.ndim(scores) == 0:
        return bool(scores == 0)
    return int(np.count_nonzero(scores == np.max(scores))) > 1


# ---------------------------------------------------------------------- classes that join


def class_segments(
    model: Model[Any], names: list[Any], numbers: AnyArray, declared: Sequence[Any] = ()
) -> Iterator[tuple[int, int, Numbers | None]]:
    """Admit each new class at its first row; yield the segments of rows in between.

    A segment is ``start``, ``stop`` and the class indices of the rows. ``names[numbers[i]]`` is the
    label of row i. The ``declared`` classes join before the first row, any other at the row where
    it first appears, as if the rows came one by one. Until there are two classes, rows are only
    counted, and their class indices are None.
    """
    model.admit_all(declared)
    joining = [k for k, name in enumerate(names) if name not in model.slots]
    # The row at which each name joins.
    joins: list[tuple[int, int]] = []
    if joining:
        # Assigned backwards, so that the first row of each name remains.
        first = np.empty(len(names), np.int64)
        first[numbers[::-1]] = np.arange(len(numbers))[::-1]
        joins = sorted((int(first[k]), k) for k in joining)

    def slots_of_names() -> Numbers:
        return np.array([model.slots.get(name, 0) for name in names], np.int32)

    labels = np.zeros(len(numbers), np.int32)
    slots = slots_of_names()
    start = 0
    for stop, k in [*joins, (len(numbers), -1)]:
        if start < stop:
            if len(model.classes) < 2:
                model.t += stop - start
                yield start, stop, None
            else:
                labels[start:stop] = slots[numbers[start:stop]]
                yield start, stop, labels
        if k >= 0:
            slots[k] = model.admit(names[k])
            if len(model.classes) == 2:
                # The first two are brought into their natural order.
                slots = slots_of_names()
        start = stop


def declared_classes(classes: Any) -> list[Any]:
    """Return the ``classes`` argument of ``partial_fit`` as a sorted list; empty if it is None."""
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
    """Raise InputError if there are fewer than two classes."""
    if len(classes) < 2:
        raise InputError(
            f"y holds only one class, {classes[0]!r}: there is nothing to tell apart. Give rows of "
            "at least two classes, or use partial_fit, which waits for the second."
        )


def with_opposite(classes: AnyArray, labels: Numbers) -> tuple[AnyArray, Numbers]:
    """Return classes and labels; a single row labelled 1 or -1 gets the opposite class as well.

    The lectures call the two classes 1 and -1. If several rows have one class, the second is most
    likely missing by mistake, and for other labels its name is not known.
    """
    if len(labels) == 1 and classes.dtype.kind in "if" and abs(classes[0]) == 1:
        return np.array([-1, 1], classes.dtype), (classes > 0).astype(np.int32)
    return classes, labels


def label_array(classes: list[Any], dtype: np.dtype[Any] | None = None) -> AnyArray:
    """Return labels as a 1-D array, with ``dtype`` if it is an integer or boolean type."""
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


def one_label(label: Any) -> AnyArray:
    """Return a label as an array of length 1."""
    if type(label) is int and abs(label) < 1 << 62:  # the fast path of single examples
        return np.array([label], np.int64)
    number_of(label, {})
    return label_array([label])


Rows = npt.NDArray[np.int64]
# XORed with the seed, so that splits use other random numbers than the shuffling of epochs.
OTHER_STREAM = 0x5DEECE66D


def _shuffled_members(labels: Numbers, seed: int) -> Iterator[Rows]:
    """Yield the row indices of each class in random order."""
    state = seed ^ OTHER_STREAM
    for label in range(int(labels.max()) + 1):
        members = np.flatnonzero(labels == label)
        order = np.empty(len(members), np.int64)
        state = ordering.shuffled(order, state)
        yield members[order]


def stratified_folds(labels: Numbers, n_folds: int, seed: int) -> Rows:
    """Return the stratified fold of each row; the sizes of the folds differ by at most one."""
    folds = np.empty(len(labels), np.int64)
    order = np.concatenate(list(_shuffled_members(labels, seed)))
    folds[order] = np.arange(len(order)) % n_folds
    return folds


def hold_out(labels: npt.NDArray[np.int32], share: float, seed: int) -> tuple[Rows, Rows]:
    """Return the sorted indices of the training and the held-out rows, stratified by class."""
    is_watched = np.zeros(len(labels), bool)
    for members in _shuffled_members(labels, seed):
        # At least one row of each class is left to train on.
        n_watched = min(round(share * len(members)), len(members) - 1)
        is_watched[members[:n_watched]] = True
    if not is_watched.any():
        raise InputError(
            Message(
                Setting("validation_fraction", share),
                f" of {count(len(labels), 'row')} leaves none to watch",
            ),
            cures=["give more rows", Message("rows to watch as ", Setting("validation_set"))],
        )
    return np.flatnonzero(~is_watched), np.flatnonzero(is_watched)
