"""A choice made on held-out rows: who is compared with whom, and when a default is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Labels, is_sparse
from rosenblatt.engine.rows import ordering
from rosenblatt.errors import InputError
from rosenblatt.models.classes import best_classes, hold_out, stratified_folds
from rosenblatt.models.parallel import slices

# Of fewer rows all are held out once, a fold at a time; of more, or of so many rows times classes,
# a share of them.
MANY_ROWS, MANY_SCORES = 3000, 30_000
MOST_FOLDS = 5
HELD_OUT = 0.2
# Classes with fewer rows than folds are left out of the folds, if they have this share of all rows
# at most; if they have more, there are fewer folds.
LEFT_OUT = 0.1
# Rows that are held out are copied so many values at a time, and scored so many scores at a time.
VALUES_COPIED, SCORES_AT_ONCE = 1 << 20, 1 << 21
# A slope is fitted to so many scores at most, rows times classes. One number that is fitted to n
# rows costs about 1 / (2n) of log loss more than the best one, which is little from a thousand on.
MOST_CALIBRATED = 1 << 23
# Another stream of random numbers than those that shuffle epochs and hold out rows.
STREAM_OF_SAMPLES = 0x2545F4914F6C

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]


class Candidate(NamedTuple):
    """What was tried, and how it did on the held-out rows.

    ``error_rate`` is the share of them that was misclassified, by their weights if they have some;
    ``difference`` what it has more than the default, and ``standard_error`` that of this
    difference, row by row.
    """

    name: str
    epochs: int
    error_rate: float
    difference: float
    standard_error: float
    is_default: bool
    chosen: bool = False


class Judged(NamedTuple):
    """Which of the rows held out are misclassified, and the scores of those that calibrate."""

    wrong: Mask
    scores: npt.NDArray[Any]

    @classmethod
    def joined(cls, parts: list[Judged]) -> Judged:
        """Return what was judged split by split as one."""
        if len(parts) == 1:
            return parts[0]
        wrong, scores = (np.concatenate(found) for found in zip(*parts, strict=True))
        return cls(wrong, scores)


class Split(NamedTuple):
    """Rows to learn from and to hold out, by their numbers; None: all rows, and others held out.

    Those held out are rows of ``table``, or all of it. A learner is calibrated by a ``sample`` of
    them, by their places among those held out; None: by all.
    """

    learned: Numbers | None
    held: Numbers | None
    table: Any
    labels: npt.NDArray[Any]
    sample: Numbers | None = None

    def judge(self, score: Callable[[Any], npt.NDArray[Any]], n_classes: int) -> Judged:
        """Return what a learner makes of the rows held out, which it scores some at a time.

        There is never a table of all rows by all classes, unless it is small.
        """
        wrong = np.empty(len(self.labels), bool)
        kept = np.arange(len(self.labels)) if self.sample is None else self.sample
        scores: Any = None
        for some, rows in self._blocks(n_classes):
            found = score(rows)
            wrong[some] = best_classes(found, "mistake") != self.labels[some]
            if scores is None:
                scores = np.empty((len(kept), *found.shape[1:]), found.dtype)
            first, last = np.searchsorted(kept, [some.start, some.stop])
            scores[first:last] = found[kept[first:last] - some.start]
        return Judged(wrong, scores)

    def _blocks(self, n_classes: int) -> Iterator[tuple[slice, Any]]:
        """Yield the rows held out in blocks: which of them, and these rows of the table."""
        most = max(1, SCORES_AT_ONCE // n_classes)
        if self.held is not None:
            stored = self.table.data.size if is_sparse(self.table) else self.table.size
            most = min(most, VALUES_COPIED * len(self.table) // max(1, stored))
        blocks = slices(len(self.labels), None, most)
        for some in blocks:
            if self.held is not None:
                yield some, self.table[self.held[some]]
            else:
                yield some, self.table if len(blocks) == 1 else self.table[some]

    @property
    def calibrating(self) -> tuple[Numbers | slice, npt.NDArray[Any]]:
        """The numbers of the rows in the order of their scores, and their labels."""
        which = slice(None) if self.sample is None else self.sample
        return which if self.held is None else self.held[which], self.labels[which]


def are_many(n_rows: int, n_classes: int) -> bool:
    """Whether rows are so many, or cost so much by their classes, that a share held out will do."""
    return n_rows >= MANY_ROWS or n_rows * n_classes >= MANY_SCORES


def splits(table: Any, labels: Labels, share: float | None, seed: int) -> list[Split]:
    """Return splits of a table, of every class alike; none where no two classes have two rows.

    A ``share`` of the rows is held out once; None: what suits their number. A class that is too
    small is left out of the held-out rows: all of its rows are learned from in every split.
    """
    members = np.bincount(labels)
    if np.count_nonzero(members >= 2) < 2:
        return []
    if share is None and not are_many(len(labels), len(members)):
        n = number_of_folds(members)
        folds = np.full(len(labels), -1)
        counted = np.flatnonzero((members >= n)[labels])
        folds[counted] = stratified_folds(labels[counted], n, seed)
        parts = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(n)]
    else:
        if share is None:
            share = HELD_OUT if members.max() > 2 else 0.5  # where all classes have two rows, one
        parts = [hold_out(labels, share, seed)]
    return [
        Split(learned, held, table, labels[held], sample_of(len(held), len(members), seed))
        for learned, held in parts
    ]


def sample_of(n_rows: int, n_classes: int, seed: int) -> Numbers | None:
    """Return which of so many rows a learner is calibrated by, ascending; None: by all of them."""
    most = max(1, MOST_CALIBRATED // n_classes)
    if n_rows <= most:
        return None
    order = np.empty(n_rows, np.int64)
    ordering.shuffled(order, seed ^ STREAM_OF_SAMPLES)
    return np.sort(order[:most])


def number_of_folds(members: Numbers) -> int:
    """Return how many folds suit classes of so many rows; two of them have two rows at least.

    Five, or as many as two classes have rows for. A few rows of a rare class do not change that,
    but where many classes are small, so that most rows would never be held out, there are fewer.
    """
    second_largest = int(np.sort(members)[-2])
    for n in range(min(MOST_FOLDS, second_largest), 2, -1):
        if members[members < n].sum() <= LEFT_OUT * members.sum():
            return n
    return 2


def never_held_out(parts: list[Split], labels: Labels) -> Numbers:
    """Return the classes, by their numbers, of which no split holds out a row."""
    held = np.unique(np.concatenate([part.labels for part in parts]))
    return np.setdiff1d(labels, held)


def cross_validation(
    make: Callable[[], Any],
    encode: Callable[[Numbers, Numbers], tuple[Any, Any]],
    y: npt.NDArray[Any],
    n_folds: int,
    seed: int = 0,
    sample_weight: npt.NDArray[Any] | None = None,
) -> list[float]:
    """Of each fold the share that a learner of all other folds predicts right.

    ``make`` gives a new learner for each, ``encode`` the features of rows to learn from and of rows
    to predict, by their numbers; every class is spread over all folds, so that it needs as many
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
    folds, found = stratified_folds(codes.astype(np.int32), n_folds, seed), []
    for k in range(n_folds):
        learned, held = np.flatnonzero(folds != k), np.flatnonzero(folds == k)
        weighted = {} if sample_weight is None else {"sample_weight": sample_weight[learned]}
        X, X_held = encode(learned, held)
        learner = make().fit(X, y[learned], **weighted)
        found.append(float(np.mean(learner.predict(X_held) == y[held])))
    return found


def paired_difference(
    wrong: Mask, than: Mask, share: npt.NDArray[np.float64] | float = 1.0
) -> tuple[float, float]:
    """By how much more rows are misclassified than by another learner, and the standard error."""
    more = share * (wrong.astype(np.float64) - than)
    error = float(np.std(more, ddof=1) / np.sqrt(len(more))) if len(more) > 1 else 0.0
    return float(more.mean()), error


def leaderboard(
    misclassified: Mapping[tuple[str, int], Mask],
    weights: npt.NDArray[np.float64] | None,
    default: tuple[str, int],
    caution: float,
) -> list[Candidate]:
    """Everything that was tried, by name and epochs, best first.

    What is chosen has the fewest errors among those that are better than the default by
    ``caution`` paired standard errors; if there are none, it is the default.
    """
    n = len(misclassified[default])
    share = np.ones(n) if weights is None else weights * (n / max(weights.sum(), 1e-300))
    found = []
    for key, wrong in misclassified.items():
        rate = float(np.mean(share * wrong))
        more = paired_difference(wrong, misclassified[default], share)
        found.append(Candidate(*key, rate, *more, key == default))
    found.sort(key=lambda tried: tried.error_rate)  # of equals those listed first
    sure = [tried for tried in found if tried.difference < -caution * tried.standard_error]
    best = sure[0] if sure else next(tried for tried in found if tried.is_default)
    return [tried._replace(chosen=tried is best) for tried in found]
