"""The rules that `AutoLinear` tries, and what they come to on held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import copy_context
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import is_sparse
from rosenblatt.core import epochs
from rosenblatt.core.classes import best_classes
from rosenblatt.core.parallel import each_part
from rosenblatt.core.result import EpochCallback, stop_asked
from rosenblatt.learner.inputs import TrainingData
from rosenblatt.learner.selection import MANY_ROWS, Split
from rosenblatt.linear.linear_learner import LinearLearner
from rosenblatt.linear.passive_aggressive import PassiveAggressive

Scores = npt.NDArray[Any]


class Arm(NamedTuple):
    """A rule with its parameters, as it is tried."""

    name: str
    learner: type[LinearLearner]
    parameters: dict[str, Any]


# The first one is the default.
PORTFOLIO = (
    Arm("PA-I, C=1", PassiveAggressive, {"C": 1.0}),
    Arm("PA-I, C=0.1", PassiveAggressive, {"C": 0.1}),
)
SHARED: dict[str, Any] = {"average": "tail", "tol": None}
DEFAULT_EPOCHS = 12
# Epochs after which a path is looked at.
CHECKPOINTS, CHECKPOINTS_OF_MANY_ROWS = (3, 12, 50, 150), (3, 12, 30)
# The default is left for what is better by so many paired standard errors.
CAUTION, CAUTION_OF_TEXT = 2.0, 1.0


def checkpoints(n_rows: int, most: int) -> list[int]:
    """The epochs after which a rule is judged."""
    usual = CHECKPOINTS if n_rows < MANY_ROWS else CHECKPOINTS_OF_MANY_ROWS
    return sorted({min(epoch, most) for epoch in usual})


def caution(table: Any) -> float:
    """How sure to be before the default is left; less so of sparse rows of unit length: texts."""
    if not is_sparse(table):
        return CAUTION
    squares = table.squared_norms()
    return CAUTION_OF_TEXT if (np.abs(squares[squares > 0] - 1) < 1e-6).all() else CAUTION


def held_out_scores(
    learners: Sequence[LinearLearner],
    classes: list[Any],
    data: TrainingData,
    splits: Sequence[Split],
    looks: list[int],
    *,
    sample_weight: Any,
    n_jobs: int | None,
    show: EpochCallback | None,
) -> list[list[Scores] | None]:
    """For each learner and look the scores of all held-out rows; None if somebody asked to stop.

    Rows are shared by all of them; a path of epochs is one for all looks at it.
    """
    paths = [(learner, split) for learner in learners for split in splits]
    # Each in a context of its own, so that a request to stop is heard in every thread.
    contexts = [copy_context() for _ in paths]

    def walk(number: int) -> list[Scores] | None:
        learner, split = paths[number]
        some = TrainingData(data.table, data.rows, data.labels, split.learned)
        return contexts[number].run(_path, learner, classes, some, split, looks, sample_weight)

    found = []
    for number, scores in enumerate(each_part(walk, range(len(paths)), n_jobs)):
        found.append(scores)
        if show is not None and scores is not None:
            labels = paths[number][1].labels
            wrong = int(np.count_nonzero(best_classes(scores[-1], "mistake") != labels))
            show(number + 1, wrong, 1 - wrong / len(labels))
    by_learner = [found[i : i + len(splits)] for i in range(0, len(found), len(splits))]
    return [
        None if None in parts else [np.concatenate(scores) for scores in zip(*parts, strict=True)]
        for parts in by_learner
    ]


def _path(
    learner: LinearLearner,
    classes: list[Any],
    data: TrainingData,
    split: Split,
    looks: list[int],
    sample_weight: Any,
) -> list[Scores] | None:
    """Scores of the held-out rows after so many epochs each; what ends before stays as it is."""
    if stop_asked():
        return None
    model = learner._new_model(classes, data.table)
    start = {"coef_init": None, "intercept_init": None, "sample_weight": sample_weight}
    trainer, found = learner._trainer(model, data, **start), list[Scores]()

    def look(epoch: int, *_: Any) -> None:
        if epoch in looks:
            found.append(learner._scores(model, split.table))

    most = looks[-1]
    done = epochs.run(trainer, max_iter=most, shuffle=True, random=model.random, after_epoch=look)
    if done.stop_reason == "interrupted":
        return None
    while len(found) < len(looks):
        found.append(learner._scores(model, split.table))
    return found
