"""The learners a file may name: nothing outside of this list is ever looked up or imported."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["LEARNERS", "Learner"]

TRAINING = (
    "early_stopping",
    "max_iter",
    "n_iter_no_change",
    "random_state",
    "shuffle",
    "ties",
    "tol",
    "validation_fraction",
    "verbose",
    "warm_start",
)
LINEAR = ("class_weight", "fit_intercept", "record", *TRAINING)
KERNEL = (
    "budget",
    "cache_mb",
    "coef0",
    "combine",
    "degree",
    "forget",
    "gamma",
    "kernel",
    "multiclass",
    "projection_tol",
    *TRAINING,
)
TAGGER = (
    "C",
    "averaged",
    "beam",
    "columns",
    "constraints",
    "max_iter",
    "n_iter_no_change",
    "order",
    "random_state",
    "record",
    "rule",
    "search",
    "shuffle",
    "tag_dictionary",
    "templates",
    "update",
    "verbose",
    "warm_start",
)


class Learner(NamedTuple):
    """What a file of this learner must hold.

    ``averages``: running sums beside the weights. ``votes``: the rows it made mistakes on.
    ``kernel``: these rows and no weights. ``tags``: what a tagger learns from sentences.
    """

    parameters: frozenset[str]
    averages: bool = False
    votes: bool = False
    kernel: bool = False
    tags: bool = False


def _learner(*own: str, averages: bool = False, votes: bool = False) -> Learner:
    return Learner(frozenset((*own, *LINEAR)), averages, votes)


LEARNERS = {
    "AveragedPerceptron": _learner("eta0", averages=True),
    "KernelPerceptron": Learner(frozenset(KERNEL), kernel=True),
    "MIRA": _learner("aggressive"),
    "PassiveAggressive": _learner("variant", "C"),
    "Perceptron": _learner("eta0", "margin"),
    "SequenceTagger": Learner(frozenset(TAGGER), tags=True),
    "SoftPerceptron": _learner("eta0"),
    "VotedPerceptron": _learner("combine", "eta0", averages=True, votes=True),
}
