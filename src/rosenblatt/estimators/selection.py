"""Model selection on held-out rows: splits, evaluation, and comparison with a default."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray, Labels, is_sparse
from rosenblatt.engine.rows import ordering
from rosenblatt.errors import InputError
from rosenblatt.models.classes import best_classes, hold_out, stratified_folds
from rosenblatt.models.parallel import slices

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyArray, AnyFloatArray, Table

# From this many rows, or rows times classes, a share of the rows is held out once; below, each row
# is held out in one of several folds.
MANY_ROWS = 3000
MANY_SCORES = 30_000
MAX_FOLDS = 5
HELD_OUT = 0.2
# The share that is held out if no class has more than two rows: one row of each.
HELD_OUT_OF_PAIRS = 0.5
# Classes with fewer rows than folds are left out of the folds, if they have at most this share of
# all rows; otherwise there are fewer folds.
LEFT_OUT = 0.1
# Values of held-out rows that are copied at once, and scores that are computed at once.
VALUES_COPIED = 1 << 20
SCORES_AT_ONCE = 1 << 21
# Maximum number of scores, rows times classes, that a slope is fitted to. One number that is fitted
# to n rows costs about 1 / (2n) of log loss more than the best one, which is little from a thousand
# on.
MAX_CALIBRATED = 1 << 23
# Combined with the seed (XOR), so that these random numbers differ from those that shuffle epochs
# and hold out rows.
STREAM_OF_SAMPLES = 0x2545F4914F6C
# Lower bound of a sum of weights, so that it is not 0.
SMALLEST = 1e-300

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]


class Candidate(NamedTuple):
    """A learner that was tried, with its result on the held-out rows.

    ``error_rate`` is the share of them that was misclassified, weighted if rows have weights;
    ``difference`` is how much that exceeds the default, and ``standard_error`` the paired standard
    error of this difference.
    """

    name: str
    epochs: int
    error_rate: float
    difference: float
    standard_error: float
    is_default: bool
    chosen: bool = False


# ---------------------------------------------------------------------- held-out rows


class Judged(NamedTuple):
    """Evaluation on held-out rows: which are misclassified, and scores to calibrate by."""

    wrong: Mask
    scores: AnyFloatArray

    @classmethod
    def joined(cls, parts: list[Judged]) -> Judged:
        """Concatenate the evaluations of several splits."""
        if len(parts) == 1:
            return parts[0]
        wrong = np.concatenate([part.wrong for part in parts])
        scores = np.concatenate([part.scores for part in parts])
        return cls(wrong, scores)


class Split(NamedTuple):
    """Indices of the rows to learn from and of those to hold out.

    ``learned`` is None if all rows are learned from and others are held out; ``held`` is None if
    all rows of ``table`` are held out. ``labels`` are those of the held-out rows. A learner is
    calibrated by a ``sample`` of them, given by their indices among the held-out rows; None means
    all.
    """

    learned: Numbers | None
    held: Numbers | None
    table: Table
    labels: AnyArray
    sample: Numbers | None = None

    def judge(self, score: Callable[[Table], AnyFloatArray], n_classes: int) -> Judged:
        """Evaluate a learner on the held-out rows, which it scores block by block.

        There is never a table of all rows by all classes, unless it is small.
        """
        n_rows = len(self.labels)
        wrong = np.empty(n_rows, bool)
        sample = np.arange(n_rows) if self.sample is None else self.sample
        sampled_scores: Any = None
        for block, rows in self._blocks(n_classes):
            scores = score(rows)
            wrong[block] = best_classes(scores, "mistake") != self.labels[block]
            # Scores have one or two dimensions, which the first block shows.
            if sampled_scores is None:
                sampled_scores = np.empty((len(sample), *scores.shape[1:]), scores.dtype)
            first, last = np.searchsorted(sample, [block.start, block.stop])
            sampled_scores[first:last] = scores[sample[first:last] - block.start]
        return Judged(wrong, sampled_scores)

    def _blocks(self, n_classes: int) -> Iterator[tuple[slice, Table]]:
        """Yield the held-out rows block by block: the slice of each block, and its rows."""
        most_rows = max(1, SCORES_AT_ONCE // n_classes)
        if self.held is not None:
            n_values = self.table.data.size if is_sparse(self.table) else self.table.size
            most_rows = min(most_rows, VALUES_COPIED * len(self.table) // max(1, n_values))

        blocks = slices(len(self.labels), None, most_rows)
        for block in blocks:
            if self.held is not None:
                yield block, self.table[self.held[block]]
            elif len(blocks) == 1:
                yield block, self.table
            else:
                yield block, self.table[block]

    @property
    def calibrating(self) -> tuple[Numbers | slice, AnyArray]:
        """Indices of the rows to calibrate by, in the order of their scores, and their labels."""
        sample = slice(None) if self.sample is None else self.sample
        rows = sample if self.held is None else self.held[sample]
        return rows, self.labels[sample]


def are_many(n_rows: int, n_classes: int) -> bool:
    """Return whether there are enough rows to hold out a share of them once, without folds."""
    return n_rows >= MANY_ROWS or n_rows * n_classes >= MANY_SCORES


def splits(table: Table, labels: Labels, share: float | None, seed: int) -> list[Split]:
    """Return stratified splits of a table; an empty list unless two classes have two rows each.

    A ``share`` of the rows is held out once; None decides between a share and folds by their
    number. A class that is too small is not held out: all its rows are learned from in every split.
    """
    members = np.bincount(labels)
    n_classes = len(members)
    if np.count_nonzero(members >= 2) < 2:
        return []

    parts: list[tuple[Numbers, Numbers]]
    if share is None and not are_many(len(labels), n_classes):
        parts = _folds(labels, members, seed)
    else:
        if share is None:
            share = HELD_OUT if members.max() > 2 else HELD_OUT_OF_PAIRS
        parts = [hold_out(labels, share, seed)]
    return [
        Split(learned, held, table, labels[held], sample_of(len(held), n_classes, seed))
        for learned, held in parts
    ]


def _folds(labels: Labels, members: Numbers, seed: int) -> list[tuple[Numbers, Numbers]]:
    """Return the indices of the rows to learn from and to hold out for each fold."""
    n_folds = number_of_folds(members)
    # Rows of classes that are too small are in no fold.
    fold = np.full(len(labels), -1)
    counted = np.flatnonzero((members >= n_folds)[labels])
    fold[counted] = stratified_folds(labels[counted], n_folds, seed)
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]


def sample_of(n_rows: int, n_classes: int, seed: int) -> Numbers | None:
    """Return a random sample of row indices to calibrate by, ascending; None to use all rows."""
    most_rows = max(1, MAX_CALIBRATED // n_classes)
    if n_rows <= most_rows:
        return None
    order = np.empty(n_rows, np.int64)
    ordering.shuffled(order, seed ^ STREAM_OF_SAMPLES)
    return np.sort(order[:most_rows])


def number_of_folds(members: Numbers) -> int:
    """Return the number of folds, from 2 to 5, for the given numbers of rows of the classes.

    At least two classes must have two rows. There are five folds, or as many as the second largest
    class has rows. A few rows of a rare class do not change that, but if many classes are small, so
    that most rows would never be held out, there are fewer.
    """
    second_largest = int(np.sort(members)[-2])
    for n_folds in range(min(MAX_FOLDS, second_largest), 2, -1):
        n_left_out = members[members < n_folds].sum()
        if n_left_out <= LEFT_OUT * members.sum():
            return n_folds
    return 2


def never_held_out(parts: list[Split], labels: Labels) -> Numbers:
    """Return the indices of the classes of which no split holds out a row."""
    held = np.unique(np.concatenate([part.labels for part in parts]))
    return np.setdiff1d(labels, held)


# ---------------------------------------------------------------------- comparing learners


def cross_validation(
    make: Callable[[], Any],
    encode: Callable[[Numbers, Numbers], tuple[Any, Any]],
    y: AnyArray,
    n_folds: int,
    seed: int = 0,
    sample_weight: AnyArray | None = None,
) -> list[float]:
    """Return for each fold the accuracy of a learner that was trained on the other folds.

    ``make`` returns a new learner, ``encode`` the features of rows to learn from and of rows to
    predict, by their indices. Every class is spread over all folds, so each class needs as many
    rows as there are folds.
    """
    classes, codes = np.unique(y, return_inverse=True)
    counts = np.bincount(codes)
    if counts.min() < n_folds:
        rarest = classes[counts.argmin()].item()
        raise InputError(
            f"{n_folds} folds need {n_folds} rows of every class, but {rarest!r} has "
            f"{counts.min():,}. Take fewer folds."
        )

    fold = stratified_folds(codes.astype(np.int32), n_folds, seed)
    accuracies = []
    for k in range(n_folds):
        learned = np.flatnonzero(fold != k)
        held = np.flatnonzero(fold == k)
        X, X_held = encode(learned, held)
        weights = {}
        if sample_weight is not None:
            weights["sample_weight"] = sample_weight[learned]
        learner = make().fit(X, y[learned], **weights)
        accuracies.append(float(np.mean(learner.predict(X_held) == y[held])))
    return accuracies


def paired_difference(
    wrong: Mask, than: Mask, share: FloatArray | float = 1.0
) -> tuple[float, float]:
    """Return the difference in error rate to another learner, and its paired standard error."""
    difference = share * (wrong.astype(np.float64) - than)
    n = len(difference)
    standard_error = float(np.std(difference, ddof=1) / np.sqrt(n)) if n > 1 else 0.0
    return float(difference.mean()), standard_error


def leaderboard(
    misclassified: Mapping[tuple[str, int], Mask],
    weights: FloatArray | None,
    default: tuple[str, int],
    caution: float,
) -> list[Candidate]:
    """Return all candidates by error rate, lowest first, with the chosen one marked.

    The candidate with the fewest errors is chosen from those that are better than the default by
    ``caution`` paired standard errors; if there are none, the default is.
    """
    n_rows = len(misclassified[default])
    share = np.ones(n_rows)
    if weights is not None:
        share = weights * (n_rows / max(weights.sum(), SMALLEST))

    candidates = []
    for key, wrong in misclassified.items():
        name, epochs = key
        error_rate = float(np.mean(share * wrong))
        difference, standard_error = paired_difference(wrong, misclassified[default], share)
        is_default = key == default
        candidates.append(
            Candidate(name, epochs, error_rate, difference, standard_error, is_default)
        )
    # The sort is stable: of equal candidates the one listed first comes first.
    candidates.sort(key=lambda candidate: candidate.error_rate)

    better = [c for c in candidates if c.difference < -caution * c.standard_error]
    if not better:
        better = [c for c in candidates if c.is_default]
    best = better[0]
    return [candidate._replace(chosen=candidate is best) for candidate in candidates]
