"""The learners by the names they have in the shell, without scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.options import Decorated

if TYPE_CHECKING:
    from rosenblatt._kernels.rules import Rule

__all__ = ["KERNEL", "LEARNERS", "Learner", "learner_of", "learner_option"]

# As the constructors of the estimators have them; a test compares.
SHARED: dict[str, Any] = {
    "fit_intercept": True,
    "max_iter": 1000,
    "tol": 1e-4,
    "shuffle": True,
    "random_state": 0,
    "ties": "mistake",
    "class_weight": None,
    "early_stopping": False,
    "validation_fraction": 0.1,
    "n_iter_no_change": 5,
    "warm_start": False,
    "record": False,
    "verbose": 0,
}


@dataclass(frozen=True)
class Learner:
    """What the shell knows of an estimator.

    ``averaged``: the mean of the weights answers. ``votes``: it keeps the rows of its mistakes,
    which only the estimator does, so that scikit-learn and SciPy are loaded for it.
    """

    name: str
    estimator: str
    words: str
    own: dict[str, Any] = field(default_factory=dict)
    averaged: bool = False
    votes: bool = False

    def parameters(self, **given: Any) -> dict[str, Any]:
        """All parameters: those given, the others as the estimator has them by default."""
        return {**SHARED, **self.own, **given}

    def differing(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """The parameters that are not as by default."""
        usual = self.parameters()
        return {
            name: value
            for name, value in sorted(parameters.items())
            if not (type(value) is type(usual[name]) and value == usual[name])
        }

    def rule(self, parameters: dict[str, Any]) -> Rule:
        """How far a row moves the model."""
        from rosenblatt._kernels.rules import Rule

        builders: dict[str, Callable[..., Rule]] = {
            "mira": rules.mira,
            "pa": rules.passive_aggressive,
            "soft": rules.soft,
        }
        taken = {name: parameters[name] for name in self.own if name != "combine"}
        return builders.get(self.name, rules.perceptron)(ties=parameters["ties"], **taken)


LEARNERS = {
    learner.name: learner
    for learner in (
        Learner("perceptron", "Perceptron", "perceptron", {"eta0": 1.0, "margin": 0.0}),
        Learner(
            "averaged", "AveragedPerceptron", "averaged perceptron", {"eta0": 1.0}, averaged=True
        ),
        Learner(
            "voted",
            "VotedPerceptron",
            "voted perceptron",
            {"eta0": 1.0, "combine": "vote"},
            averaged=True,
            votes=True,
        ),
        Learner("mira", "MIRA", "MIRA", {"aggressive": None}),
        Learner("pa", "PassiveAggressive", "passive-aggressive", {"variant": "PA-I", "C": 1.0}),
        Learner("soft", "SoftPerceptron", "soft perceptron", {"eta0": 0.1}),
    )
}


# Trained in Python alone; the shell answers with it.
KERNEL = Learner(
    "kernel",
    "KernelPerceptron",
    "kernel perceptron",
    {
        "kernel": "poly",
        "degree": 3,
        "gamma": None,
        "coef0": 1.0,
        "combine": "average",
        "multiclass": "ovr",
        "budget": None,
        "forget": "projection",
        "projection_tol": 0.1,
        "cache_mb": 256,
    },
)


def learner_of(estimator: str) -> Learner:
    """The learner that a model file names."""
    known = (*LEARNERS.values(), KERNEL)
    return next(learner for learner in known if learner.estimator == estimator)


def _named(_ctx: click.Context, _param: click.Parameter, value: str) -> Learner:
    """A name of the shell or of a class, as a callback; upper and lower case are the same."""
    names = {learner.estimator.lower(): learner for learner in LEARNERS.values()} | LEARNERS
    wanted = value.lower()
    if wanted not in names:
        from difflib import get_close_matches

        close = get_close_matches(wanted, names, n=1)
        hint = f"Did you mean '{names[close[0]].name}'? " if close else ""
        raise click.BadParameter(f"there is no '{value}'. {hint}Known: {', '.join(LEARNERS)}.")
    return names[wanted]


def learner_option(names: Iterable[str]) -> Callable[[Decorated], Decorated]:
    """The option --learner; Tab offers these names."""
    known = list(names)

    def begun(_ctx: click.Context, _param: click.Parameter, typed: str) -> list[str]:
        return [name for name in known if name.startswith(typed.lower())]

    return click.option(
        "--learner",
        callback=_named,
        shell_complete=begun,
        default="averaged",
        show_default=True,
        metavar="NAME",
        help=f"How to learn: {', '.join(known[:-1])} or {known[-1]}.",
    )
