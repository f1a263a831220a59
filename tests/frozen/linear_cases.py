"""The linear learners through `fit`, `partial_fit` and `learn_one`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from frozen.data import hard, joining, named, rows
from frozen.outcomes import outcome
from rosenblatt import (
    MIRA,
    AveragedPerceptron,
    PassiveAggressive,
    Perceptron,
    SoftPerceptron,
    VotedPerceptron,
)

PLAIN_STEPS = {"eta0": 0.1, "schedule": "constant", "max_move": None, "average": False, "tol": 1e-4}
LEARNERS: dict[str, Callable[..., Any]] = {
    "perceptron": Perceptron,
    "perceptron, margin": partial(Perceptron, margin=1.0, eta0=0.5),
    "averaged": AveragedPerceptron,
    "voted": VotedPerceptron,
    "voted, average": partial(VotedPerceptron, combine="average"),
    "voted, last": partial(VotedPerceptron, combine="last", eta0=0.5),
    "mira": MIRA,
    "mira, aggressive": partial(MIRA, aggressive=0.5),
    "pa": partial(PassiveAggressive, variant="PA", average=False),
    "pa1": partial(PassiveAggressive, average=False),
    "pa1, cautious": partial(PassiveAggressive, C=0.01, average=False),
    "pa2": partial(PassiveAggressive, variant="PA-II", C=0.5, average=False),
    "soft": partial(SoftPerceptron, **PLAIN_STEPS),
    "soft, long steps": partial(SoftPerceptron, **(PLAIN_STEPS | {"eta0": 1.0})),
    "perceptron, tail": partial(Perceptron, average="tail"),
    "mira, average": partial(MIRA, average=True),
    "pa1, average": PassiveAggressive,
    "pa2, tail": partial(PassiveAggressive, variant="PA-II", average="tail"),
    "soft, average": partial(SoftPerceptron, **(PLAIN_STEPS | {"average": True})),
    "soft, as it comes": SoftPerceptron,
}
FEW = {"max_iter": 4, "tol": None}
EARLY = {"early_stopping": True, "validation_fraction": 0.25, "n_iter_no_change": 2, "max_iter": 30}
Make = Callable[..., Any]
Way = Callable[[Make, int], Any]


def easy(k: int) -> tuple[Any, Any]:
    """Rows that can be separated."""
    return rows(1, k=k)


def texts(k: int) -> tuple[Any, Any]:
    X, y = easy(k)
    return X, np.array(["pear", "apple", "fig"])[y]


def weighted(k: int) -> dict[str, Any]:
    return {"sample_weight": np.arange(len(hard(k)[1])) % 4 / 2}


def start(k: int) -> tuple[Any, Any]:
    """Weights and biases to begin with."""
    n = 1 if k == 2 else k
    return np.arange(n * 5).reshape(n, 5) / 4 - 1, np.arange(n) / 2


def twice(make: Make, k: int) -> Any:
    return make(warm_start=True, **FEW).fit(*hard(k)).fit(*hard(k))


def wider(make: Make, k: int) -> Any:
    """A second call of `fit` goes on, and brings a class."""
    return make(warm_start=True, **FEW).fit(*hard(k)).fit(*rows(3, k=k + 1, wrong=0.1))


def f32(table: tuple[Any, Any]) -> tuple[Any, Any]:
    return table[0].astype(np.float32), table[1]


def sparse(table: tuple[Any, Any]) -> tuple[Any, Any]:
    return csr_array(table[0]), table[1]


def frame(table: tuple[Any, Any]) -> tuple[Any, Any]:
    return pd.DataFrame(table[0], columns=[f"f{j}" for j in range(5)]), table[1]


FIT: dict[str, Way] = {
    "shuffled": lambda make, k: make(max_iter=60).fit(*easy(k)),
    "in order": lambda make, k: make(max_iter=60, shuffle=False).fit(*easy(k)),
    "float32": lambda make, k: make(**FEW).fit(*f32(hard(k))),
    "sparse": lambda make, k: make(**FEW).fit(*sparse(hard(k))),
    "sparse float32": lambda make, k: make(**FEW).fit(*sparse(f32(hard(k)))),
    "frame": lambda make, k: make(**FEW).fit(*frame(hard(k))),
    "another seed": lambda make, k: make(random_state=7, **FEW).fit(*hard(k)),
    "given up": lambda make, k: make(max_iter=200, tol=0.1).fit(*hard(k)),
    "text labels": lambda make, k: make(max_iter=30).fit(*texts(k)),
    "no bias, ties positive": lambda make, k: make(
        fit_intercept=False, ties="positive", shuffle=False, **FEW
    ).fit(*hard(k)),
    "balanced": lambda make, k: make(class_weight="balanced", **FEW).fit(*hard(k)),
    "class weights": lambda make, k: make(class_weight={0: 2.0, 1: 0.5}, **FEW).fit(*hard(k)),
    "row weights": lambda make, k: make(**FEW).fit(*hard(k), **weighted(k)),
    "early stopping": lambda make, k: make(**EARLY).fit(*hard(k)),
    "early stopping, sparse": lambda make, k: make(**EARLY).fit(*sparse(hard(k))),
    "validation set": lambda make, k: make(n_iter_no_change=2, max_iter=30).fit(
        *hard(k), validation_set=rows(4, n=24, k=k, wrong=0.1)
    ),
    "recorded": lambda make, k: make(record=True, **FEW).fit(*hard(k)),
    "recorded, sparse": lambda make, k: make(record=True, **FEW).fit(*sparse(hard(k))),
    "warm start": twice,
    "warm start, new class": wider,
    "given weights": lambda make, k: make(**FEW).fit(
        *hard(k), coef_init=start(k)[0], intercept_init=start(k)[1]
    ),
}


def batches(
    make: Make, k: int, form: Callable[[tuple[Any, Any]], Any] = lambda table: table, **options: Any
) -> Any:
    learner = make(**options)
    for part in joining(k):
        learner.partial_fit(*form(part))
    return learner


PARTIAL_FIT: dict[str, Way] = {
    "batches": batches,
    "float32": partial(batches, form=f32),
    "sparse": partial(batches, form=sparse),
    "recorded": partial(batches, record=True),
    "class weights": partial(batches, class_weight={0: 0.5, 1: 2.0}),
    "ties positive": partial(batches, ties="positive", fit_intercept=False),
    "classes declared": lambda make, k: make().partial_fit(*hard(k), classes=range(k + 1)),
    "row weights": lambda make, k: make().partial_fit(*hard(k), **weighted(k)),
    "after fit": lambda make, k: (
        make(**FEW).fit(*hard(k)).partial_fit(*rows(3, n=20, k=k + 1, wrong=0.1))
    ),
}


def one_by_one(make: Make, k: int, **options: Any) -> Any:
    learner = make(**options)
    for x, label in zip(*hard(k), strict=True):
        learner.learn_one(x, int(label))
    return learner


def mappings(make: Make, k: int, **options: Any) -> Any:
    learner = make(**options)
    for x, label in zip(*hard(k), strict=True):
        learner.learn_one(named(x), "xyz"[label])
    return learner


LEARN_ONE: dict[str, Way] = {
    "arrays": one_by_one,
    "arrays, recorded": partial(one_by_one, record=True),
    "mappings": mappings,
    "mappings, recorded": partial(mappings, record=True),
    "mappings, class weights": partial(mappings, class_weight={"x": 2.0, "y": 0.5}),
}

# What learners with settings of their own go through; the others go through all.
COMMON = ("shuffled", "sparse", "early stopping", "recorded", "batches", "arrays", "mappings")


def answers(learner: Any, k: int) -> list[Any]:
    """To rows that no case has trained on, all at once and one by one."""
    X, _ = rows(9, n=24, k=k)
    if hasattr(learner, "feature_names_in_"):
        return [learner.predict_one(named(x)) for x in X]
    return [*learner.predict(X).tolist(), *(learner.predict_one(x) for x in X[:4])]


def cases() -> Iterator[tuple[str, Callable[[Any], dict[str, Any]]]]:
    for verb, ways in ("fit", FIT), ("partial_fit", PARTIAL_FIT), ("learn_one", LEARN_ONE):
        for learner, make in LEARNERS.items():
            for k in (2, 3):
                for way, build in ways.items():
                    if "," in learner and way not in COMMON:
                        continue
                    kind = "binary" if k == 2 else "multiclass"
                    yield f"{verb}/{learner}/{kind}/{way}", partial(_outcome, build, make, k)


def _outcome(build: Way, make: Make, k: int, _folder: Any) -> dict[str, Any]:
    learner = build(make, k)
    return outcome(learner, answers(learner, k))
