"""The rules that `AutoLinear` tries, and their errors on held-out rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextvars import copy_context
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

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

if TYPE_CHECKING:
    from rosenblatt.arrays import Table


class Arm(NamedTuple):
    """Rule to try: a learner, its data-relative parameters, and its maximum number of epochs."""

    name: str
    learner: type[LinearLearner]
    parameters: dict[str, Any]
    most: int = 150

    @property
    def moves_every_class(self) -> bool:
        """Return whether each row moves the weights of all classes, not only of two."""
        return issubclass(self.learner, SoftPerceptron)


# The rules that are tried; the first is the default.
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
# Numbers of epochs after which a rule is judged; texts gain nothing by more than a few.
LOOKS: tuple[int, ...] = (3, 12, 50, 150)
LOOKS_AT_MANY_ROWS = (3, 12, 30)
LOOKS_AT_TEXTS = (3, 12)
# From this number of classes on, rules that move all of them at every row are not tried: an epoch
# takes 20 to 45 times as long as that of another rule.
MANY_CLASSES = 1000
# Paired standard errors by which a candidate must be better than the default to be chosen.
CAUTION = 2.0
CAUTION_OF_TEXT = 1.0
# Paired standard errors: a rule that is worse than the default by this at the first look is tried
# no further. For texts only, since those of many classes take long.
HOPELESS_OF_TEXT = 3.0


class Plan(NamedTuple):
    """Search plan for given data."""

    looks: list[int]  # numbers of epochs after which a rule is judged
    hopeless: float  # standard errors behind the default after which a rule is given up
    caution: float  # standard errors ahead of the default that a candidate needs
    has_bias: bool

    @classmethod
    def of(cls, table: Table, n_classes: int, most: int) -> Plan:
        """Return the search plan for a table, with at most ``most`` epochs."""
        looks = LOOKS
        hopeless = math.inf
        caution = CAUTION
        has_bias = True

        if are_texts(table):
            looks = LOOKS_AT_TEXTS
            hopeless = HOPELESS_OF_TEXT
            caution = CAUTION_OF_TEXT
            # A row has length 1, so that a bias would move as far as all words together. Two
            # classes need one all the same; with 20 classes it made 0.5 points more errors on texts
            # of a later time.
            has_bias = n_classes < 3
        elif are_many(table.shape[0], n_classes):
            looks = LOOKS_AT_MANY_ROWS

        limited = sorted({min(epoch, most) for epoch in looks})
        return cls(limited, hopeless, caution, has_bias)


def arms_to_try(arms: Sequence[Arm], n_classes: int) -> list[Arm]:
    """Return the rules that are fast enough for this number of classes; the default is first."""
    if n_classes < MANY_CLASSES:
        return list(arms)
    return [arm for arm in arms if not arm.moves_every_class]


def are_texts(table: Table) -> bool:
    """Return whether a table looks like texts: sparse rows of length 1, or 0 without words."""
    if not is_sparse(table):
        return False
    squares = table.squared_norms()
    of_texts_with_words = squares[squares > 0]
    return bool((np.abs(of_texts_with_words - 1) < 1e-6).all())


def judged_rules(
    learners: dict[str, LinearLearner],
    classes: list[Hashable],
    data: TrainingData,
    splits: Sequence[Split],
    plan: Plan,
    *,
    sample_weight: Any,
    n_jobs: int | None,
    show: EpochCallback | None,
) -> Iterator[dict[tuple[str, int], Judged]]:
    """Yield the evaluations of each rule in turn, by its name and the number of epochs.

    All learners share the rows, and each is trained once on each split and judged on the way. The
    first learner is the default, whose first look shows which of the others are hopeless. If
    training is interrupted, the rule that was being trained and those after it are left out.
    """
    trials = [(learner, split) for learner in learners.values() for split in splits]
    # A context for each trial, so that a request to stop reaches every thread.
    contexts = [copy_context() for _ in trials]

    by_default: list[Mask] = []  # the errors of the default at its first look, split by split

    def train(number: int) -> list[Judged]:
        learner, split = trials[number]

        def hopeless(wrong: Mask) -> bool:
            is_default = number < len(splits)
            if is_default or math.isinf(plan.hopeless):
                return False
            more, error = paired_difference(wrong, by_default[number % len(splits)])
            return more > plan.hopeless * error

        learned = TrainingData(data.table, data.rows, data.labels, split.learned)
        judge = partial(
            _judged_on_the_way,
            learner,
            classes,
            learned,
            split,
            plan.looks,
            sample_weight,
            hopeless,
        )
        return contexts[number].run(judge)

    names = list(learners)
    # The default on all splits before the others: it decides which of these are hopeless.
    of_default = range(len(splits))
    of_others = range(len(splits), len(trials))
    judgements = chain(
        each_part(train, of_default, n_jobs),
        each_part(train, of_others, n_jobs),
    )

    found: list[list[Judged]] = []  # of the current rule: for each split so far, its looks
    for number, looks in enumerate(judgements):
        if not looks:
            break  # interrupted
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
    """Join the evaluations of a rule on all splits, by its name and the number of epochs.

    A look that a split lacks, because the rule was hopeless there, is left out.
    """
    joined: dict[tuple[str, int], Judged] = {}
    # The shortest list of looks ends both loops.
    looks = zip(*found, strict=False)
    for epoch, parts in zip(epochs_of_looks, looks, strict=False):
        joined[name, epoch] = Judged.joined(list(parts))
    return joined


class _Hopeless(Exception):
    """Raised between two epochs to end the training of a rule that is hopeless."""


def _judged_on_the_way(
    learner: LinearLearner,
    classes: list[Hashable],
    data: TrainingData,
    split: Split,
    looks: list[int],
    sample_weight: Any,
    hopeless: Callable[[Mask], bool],
) -> list[Judged]:
    """Train a learner; return its evaluations on the held-out rows after each number of epochs.

    The list ends early if the rule is hopeless, and is empty if training was interrupted.
    """
    looks = [epoch for epoch in looks if epoch <= learner.max_iter]
    model = learner._new_model(classes, data.table)
    trainer = learner._trainer(model, data, FitArguments(sample_weight=sample_weight))
    # Nobody asks for the ceiling here, and it takes time.
    trainer.margin_ceiling = lambda: math.inf  # type: ignore[method-assign]
    score = partial(learner._scores, model)
    found: list[Judged] = []

    def look(epoch: int, *_: object) -> None:
        if epoch not in looks:
            return
        judged = split.judge(score, len(classes))
        found.append(judged)
        if epoch < looks[-1] and hopeless(judged.wrong):
            raise _Hopeless

    try:
        result = epochs.run(
            trainer,
            max_iter=looks[-1],
            shuffle=True,
            random=model.random,
            after_epoch=look,
        )
    except _Hopeless:
        return found
    if result.stop_reason == "interrupted":
        return []

    # Training may end before the last looks: from then on the learner stays the same.
    missing = len(looks) - len(found)
    if missing:
        found += [split.judge(score, len(classes))] * missing
    return found
