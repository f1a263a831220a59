"""The rules that `AutoLinear` tries, and what they come to on held-out rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import is_sparse
from rosenblatt.estimators.inputs import FitArguments, TrainingData
from rosenblatt.estimators.linear.arow import AROW
from rosenblatt.estimators.linear.linear_learner import LinearLearner
from rosenblatt.estimators.linear.passive_aggressive import PassiveAggressive
from rosenblatt.estimators.linear.perceptron import Perceptron
from rosenblatt.estimators.linear.scw import SCW
from rosenblatt.estimators.linear.soft import SoftPerceptron
from rosenblatt.estimators.selection import Judged, Mask, Split, are_many, paired_difference
from rosenblatt.models import epochs
from rosenblatt.models.parallel import each_part
from rosenblatt.models.result import EpochCallback


class Arm(NamedTuple):
    """A rule, its parameters, which count relative to the data, and the most epochs to try."""

    name: str
    learner: type[LinearLearner]
    parameters: dict[str, Any]
    most: int = 150

    @property
    def moves_every_class(self) -> bool:
        """Whether each row moves the weights of all classes, not those of two."""
        return issubclass(self.learner, SoftPerceptron)


# The first one is the default.
PORTFOLIO: tuple[Arm, ...] = (
    Arm("PA-I, C=1", PassiveAggressive, {"C": 1.0}),
    Arm("PA-I, C=0.1", PassiveAggressive, {"C": 0.1}),
    Arm("soft", SoftPerceptron, {"eta0": 4.0}),
    Arm("SCW", SCW, {"eta": 0.75}),
    Arm("AROW", AROW, {"r": 0.1}),
    Arm("AdaGrad, hinge", Perceptron, {"eta0": 0.3, "steps": "adagrad", "margin": 1.0}),
    # The slowest of all, and its steps have become short by then.
    Arm("AdaGrad, log", SoftPerceptron, {"eta0": 0.1, "steps": "adagrad"}, 50),
)
SHARED: dict[str, Any] = {"average": "tail", "tol": None, "relative_to_data": True}
DEFAULT_EPOCHS = 12
# Epochs after which a path is looked at; texts gain nothing by more than a few.
LOOKS: tuple[int, ...] = (3, 12, 50, 150)
LOOKS_AT_MANY_ROWS, LOOKS_AT_TEXTS = (3, 12, 30), (3, 12)
# From so many classes on, rules that move all of them at every row are not tried: an epoch takes 20
# to 45 times as long as that of another rule.
MANY_CLASSES = 1000
# The default is left for what is better by so many paired standard errors.
CAUTION, CAUTION_OF_TEXT = 2.0, 1.0
# Texts of many classes take long. A rule that is worse than the default at the first look, by so
# many paired standard errors, is tried no further.
HOPELESS_OF_TEXT = 3.0


class Plan(NamedTuple):
    """After which epochs rules are judged, when they are given up, when the default is left, and
    whether to have a bias."""

    looks: list[int]
    hopeless: float
    caution: float
    has_bias: bool

    @classmethod
    def of(cls, table: Any, n_classes: int, most: int) -> Plan:
        """The plan for these rows, of at most so many epochs."""
        looks, hopeless, caution, has_bias = LOOKS, math.inf, CAUTION, True
        if are_texts(table):
            # Beside a row of length 1 a bias moves as far as all words together. Two classes need
            # one all the same; of 20 it made 0.5 points more errors on texts of a later time.
            looks, hopeless = LOOKS_AT_TEXTS, HOPELESS_OF_TEXT
            caution, has_bias = CAUTION_OF_TEXT, n_classes < 3
        elif are_many(table.shape[0], n_classes):
            looks = LOOKS_AT_MANY_ROWS
        return cls(sorted({min(epoch, most) for epoch in looks}), hopeless, caution, has_bias)


def arms_to_try(arms: Sequence[Arm], n_classes: int) -> list[Arm]:
    """Return the rules that so many classes leave time for; the first is the default."""
    return [arm for arm in arms if n_classes < MANY_CLASSES or not arm.moves_every_class]


def are_texts(table: Any) -> bool:
    """Whether these are sparse rows of unit length."""
    squares = table.squared_norms() if is_sparse(table) else np.zeros(1)
    return is_sparse(table) and bool((np.abs(squares[squares > 0] - 1) < 1e-6).all())


def judged_rules(
    learners: dict[str, LinearLearner],
    classes: list[Any],
    data: TrainingData,
    splits: Sequence[Split],
    plan: Plan,
    *,
    sample_weight: Any,
    n_jobs: int | None,
    show: EpochCallback | None,
) -> Iterator[dict[tuple[str, int], Judged]]:
    """Yield what the held-out rows say of each rule in turn, by name and epochs.

    Rows are shared by all learners, and one path of epochs serves all looks at it. The first
    learner is the default, whose first look shows which of the others are hopeless. A rule that
    somebody interrupted, and those after it, are left out.
    """
    paths = [(learner, split) for learner in learners.values() for split in splits]
    # Each in a context of its own, so that a request to stop is heard in every thread.
    contexts = [copy_context() for _ in paths]

    by_default: list[Mask] = []  # which rows of each split the default has wrong at first

    def walk(number: int) -> list[Judged]:
        learner, split = paths[number]

        def hopeless(wrong: Mask) -> bool:
            if number < len(splits) or math.isinf(plan.hopeless):
                return False
            more, error = paired_difference(wrong, by_default[number % len(splits)])
            return more > plan.hopeless * error

        some = TrainingData(data.table, data.rows, data.labels, split.learned)
        path = partial(_path, learner, classes, some, split, plan.looks, sample_weight, hopeless)
        return contexts[number].run(path)

    found: list[list[Judged]] = []  # of each split so far, after each look
    names = list(learners)
    default, others = range(len(splits)), range(len(splits), len(paths))
    walks = chain(each_part(walk, default, n_jobs), each_part(walk, others, n_jobs))
    for number, looks in enumerate(walks):
        if not looks:
            break  # somebody asked to stop
        if number < len(splits):
            by_default.append(looks[0].wrong)
        found.append(looks)
        if show is not None:
            wrong = looks[-1].wrong
            n_wrong = int(np.count_nonzero(wrong))
            show(number + 1, n_wrong, 1 - n_wrong / len(wrong))
        if len(found) == len(splits):
            yield _by_look(names[number // len(splits)], plan.looks, found)
            # Scores may be large: none of this rule are kept here while the next one is tried.
            for looks_of_split in found:
                looks_of_split.clear()
            found = []


def _by_look(
    name: str, epochs_of_looks: list[int], found: list[list[Judged]]
) -> dict[tuple[str, int], Judged]:
    """Join what each split says of a rule, by name and epochs.

    A look to which not every split came, since the rule was hopeless there, is left out.
    """
    looks = zip(*found, strict=False)
    return {
        (name, epoch): Judged.joined(list(parts))
        for epoch, parts in zip(epochs_of_looks, looks, strict=False)
    }


class _Hopeless(Exception):
    """Ends a path of epochs between two of them."""


def _path(
    learner: LinearLearner,
    classes: list[Any],
    data: TrainingData,
    split: Split,
    looks: list[int],
    sample_weight: Any,
    hopeless: Callable[[Mask], bool],
) -> list[Judged]:
    """What the held-out rows say after so many epochs each, or until it is hopeless; nothing if
    somebody asked to stop."""
    looks = [epoch for epoch in looks if epoch <= learner.max_iter]
    model = learner._new_model(classes, data.table)
    trainer = learner._trainer(model, data, FitArguments(sample_weight=sample_weight))
    found: list[Judged] = []
    score = partial(learner._scores, model)
    trainer.margin_ceiling = lambda: math.inf  # type: ignore[method-assign]  # nobody asks here

    def look(epoch: int, *_: Any) -> None:
        if epoch in looks:
            found.append(split.judge(score, len(classes)))
            if epoch < looks[-1] and hopeless(found[-1].wrong):
                raise _Hopeless

    how: dict[str, Any] = {"shuffle": True, "random": model.random, "after_epoch": look}
    try:
        done = epochs.run(trainer, max_iter=looks[-1], **how)
    except _Hopeless:
        return found
    if done.stop_reason == "interrupted":
        return []
    missing = len(looks) - len(found)
    if missing:  # what has ended stays as it is
        found += [split.judge(score, len(classes))] * missing
    return found
