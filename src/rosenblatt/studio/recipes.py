"""The learners of a state: which class, with which settings, fitted how."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.errors import InputError, ParameterError
from rosenblatt.estimators.catalogue import Entry
from rosenblatt.estimators.params import word_of
from rosenblatt.studio.controls import controls_of, kinds
from rosenblatt.studio.mapped_rows import MappedRows
from rosenblatt.studio.states import PageState

# So many updates are followed one by one, and so many weights and scores are sent for them.
MAX_UPDATES = 10_000
MAX_NUMBERS = 250_000
# Settings that all learners have; a title tells of the others that are not as usual.
SHARED = ("ties", "fit_intercept")
# Values of a kernel that a run may take, about a second's worth.
MAX_COMPARED = 60_000_000


@dataclass(frozen=True)
class Recipe:
    """Everything it takes to learn a run again, here or in a script.

    ``starts`` are the weights and biases to begin with. ``cut`` is set where the run is ended
    before its epochs are over, because no more of it could be shown.
    """

    title: str
    entry: Entry
    settings: dict[str, Any]
    starts: tuple[list[list[float]], list[float]] | None
    placeholder: bool
    cut: bool

    def fitted(self, examples: MappedRows) -> Any:
        """The estimator after its run; one class alone gets a row of weight 0 for the other."""
        X, y = examples.X, examples.y
        given: dict[str, Any] = {}
        if self.starts is not None:
            given["coef_init"], given["intercept_init"] = (np.array(part) for part in self.starts)
        if self.placeholder:
            X, y = np.vstack([X, np.zeros(X.shape[1])]), np.append(y, 0)
            given["sample_weight"] = np.append(np.ones(len(examples)), 0.0)
        learner = self.entry.load()(**self.settings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the reason of the stop is shown by the run
            return learner.fit(X, y, **given)


def recipe(state: PageState, learner: Mapping[str, Any], examples: MappedRows, name: str) -> Recipe:
    """The recipe of one learner; ``name`` is how errors call it."""
    kind = learner["kind"]
    entry = kinds()[kind]
    epochs, cut = _epochs(state, entry, examples)
    settings: dict[str, Any] = {}
    for field, option in controls_of(kind).items():
        value = option.parse(learner[field]) if option.choices else learner[field]
        if not option.is_default(value):
            settings[field] = value
    own = [f"{name} {word_of(value)}" for name, value in settings.items() if name not in SHARED]
    if entry.family == "kernel":
        if examples.one_class:
            raise InputError(
                f"{name}: there is only one class, {examples.classes[1]}, and a kernel learner "
                "needs two. Add a point of another class, or choose a linear learner."
            )
        # Answers with its last state, and several classes against each other, as the others do.
        settings |= {"combine": "last", "multiclass": "argmax"}
    else:
        settings["record"] = True
    shuffle = state.order == "shuffled" and not examples.one_class
    settings |= {"max_iter": epochs, "shuffle": shuffle}
    if shuffle:
        settings["random_state"] = state.seed
    return Recipe(
        title=entry.title + (f" ({', '.join(own)})" if own else ""),
        entry=entry,
        settings=settings,
        starts=_starts(learner, examples, f"{name}: initial"),
        placeholder=examples.one_class,
        cut=cut,
    )


def most_updates(examples: MappedRows, *, averaged: bool = False) -> int:
    """How many updates can be followed with all their weights."""
    weights = (examples.X.shape[1] + 1) * (2 if averaged else 1)
    each = examples.n_vectors * (weights + 1)  # and a score
    return min(MAX_UPDATES, MAX_NUMBERS // int(each))


def _epochs(state: PageState, entry: Entry, examples: MappedRows) -> tuple[int, bool]:
    """How many epochs to go through; fewer than asked for where more could not be shown in time."""
    n, k = len(examples), examples.n_vectors
    enough = state.epochs
    if entry.family == "kernel":  # which compares every point with all that were mistaken
        enough = max(1, MAX_COMPARED // (n * n * k))
    elif entry.load()().rule().asks_every_row:
        # It may move at every point, against every other class.
        enough = math.ceil((most_updates(examples) + 1) / (n * max(1, k - 1))) + 1
    return min(state.epochs, enough), state.epochs > enough


def _starts(
    learner: Mapping[str, Any], examples: MappedRows, name: str
) -> tuple[list[list[float]], list[float]] | None:
    initial = learner["initial"]
    if initial is None:
        return None
    vectors, width = examples.n_vectors, examples.X.shape[1] + 1
    if len(initial) != vectors * width:
        of = "" if vectors == 1 else f" for each of {vectors} classes"
        raise ParameterError(
            f"{name} has {len(initial)} numbers: give {vectors * width}, the weights of "
            f"{', '.join(examples.names)} and the bias{of}."
        )
    table = np.array(initial, np.float64).reshape(vectors, width)
    if not learner["fit_intercept"] and table[:, -1].any():
        raise ParameterError(f"{name} has a bias, but the learner has none: give 0 for it.")
    return table[:, :-1].tolist(), table[:, -1].tolist()
