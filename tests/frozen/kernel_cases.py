"""The kernel perceptron through `fit`, `partial_fit` and `learn_one`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from scipy.sparse import csr_array

from frozen.data import hard, joining, rows
from frozen.outcomes import kernel_outcome
from rosenblatt import KernelPerceptron

GAMMA = {"gamma": 0.2}  # 1 / n_features
FEW = {"max_iter": 4, "tol": None, **GAMMA}
EARLY = {"early_stopping": True, "validation_fraction": 0.25, "n_iter_no_change": 2, "max_iter": 20}
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "degree 2, last": {"degree": 2, "gamma": 1.0, "combine": "last"},
    "rbf, vote": {"kernel": "rbf", "combine": "vote"},
    "linear, argmax": {"kernel": "linear", "multiclass": "argmax"},
    "laplacian": {"kernel": "laplacian", "gamma": 0.25},
    "cosine": {"kernel": "cosine"},
    "ties positive": {"ties": "positive", "multiclass": "argmax", "degree": 2},
    "gamma measured": {"gamma": None},
    "rbf, gamma measured": {"gamma": None, "kernel": "rbf"},
    "laplacian, gamma measured": {"gamma": None, "kernel": "laplacian", "multiclass": "argmax"},
    "budget, projection": {"budget": 8, "kernel": "rbf"},
    "budget, oldest": {"budget": 8, "forget": "oldest", "combine": "last"},
    "budget, random": {"budget": 8, "forget": "random", "combine": "last"},
    "budget, smallest": {"budget": 8, "forget": "smallest", "combine": "last"},
}


def fit(k: int, **options: Any) -> Any:
    return KernelPerceptron(**{**FEW, **options}).fit(*hard(k))


def sparse(k: int) -> Any:
    X, y = hard(k)
    return KernelPerceptron(**FEW).fit(csr_array(X), y)


def batches(k: int, **options: Any) -> Any:
    learner = KernelPerceptron(**{**GAMMA, **options})
    for part in joining(k):
        learner.partial_fit(*part)
    return learner


def one_by_one(k: int, **options: Any) -> Any:
    learner = KernelPerceptron(**{**GAMMA, **options})
    for x, label in zip(*hard(k), strict=True):
        learner.learn_one(x, int(label))
    return learner


def ways() -> Iterator[tuple[str, Callable[[int], Any]]]:
    for name, options in SETTINGS.items():
        yield f"fit/kernel/{{}}/{name}", partial(fit, **options)
        yield f"partial_fit/kernel/{{}}/{name}", partial(batches, **options)
    yield "learn_one/kernel/{}/default", one_by_one
    yield "learn_one/kernel/{}/argmax", partial(one_by_one, multiclass="argmax", combine="vote")
    yield "fit/kernel/{}/in order", partial(fit, shuffle=False)
    yield "fit/kernel/{}/separated", partial(fit, kernel="rbf", gamma=0.5, max_iter=50)
    yield "fit/kernel/{}/early stopping", partial(fit, **EARLY)
    yield (
        "fit/kernel/{}/sparse",
        lambda k: KernelPerceptron(**FEW).fit(csr_array(hard(k)[0]), hard(k)[1]),
    )
    yield (
        "fit/kernel/{}/validation set",
        lambda k: KernelPerceptron(max_iter=20, n_iter_no_change=2, **GAMMA).fit(
            *hard(k), validation_set=rows(4, n=24, k=k, wrong=0.1)
        ),
    )
    yield (
        "fit/kernel/{}/warm start",
        lambda k: fit(k, warm_start=True).fit(*hard(k)),
    )
    yield "partial_fit/kernel/{}/after fit", lambda k: fit(k).partial_fit(*rows(3, n=20, k=k))


def cases() -> Iterator[tuple[str, Callable[[Any], dict[str, Any]]]]:
    for name, build in ways():
        for k in (2, 3):
            case = name.format("binary" if k == 2 else "multiclass")
            yield case, partial(_outcome, build, k)


def _outcome(build: Callable[[int], Any], k: int, _folder: Any) -> dict[str, Any]:
    learner = build(k)
    return kernel_outcome(learner, learner.predict(rows(9, n=24, k=k)[0]).tolist())
