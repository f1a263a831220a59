"""The kernel perceptron beside the plain algorithm, which goes row by row."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import KernelPerceptron
from rosenblatt.engine.rows import ordering
from rosenblatt.models import kernel_training as training
from tests.reference import kernel as plain

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

KERNELS = {
    "linear": lambda X, Z: X @ Z.T,
    "poly": lambda X, Z: (X @ Z.T + 1.0) ** 2,
    "precomputed": lambda X, Z: (X @ Z.T + 1.0) ** 2,
}


@st.composite
def problems(draw: Any) -> Any:
    """Small whole numbers, for which every sum is exact in any order."""
    n, d, k = draw(st.integers(2, 24)), draw(st.integers(1, 3)), draw(st.integers(2, 4))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    X = random.integers(-2, 3, (n, d)).astype(draw(st.sampled_from([np.float32, np.float64])))
    y = random.integers(0, k, n)
    y[:2] = 0, 1
    return X, np.unique(y, return_inverse=True)[1]


def shape_of(y: Any, multiclass: str) -> tuple[str, int]:
    k = len(set(y.tolist()))
    return ("binary", 1) if k == 2 else (multiclass, k)


def orders(n: int, epochs: int, shuffle: bool) -> list[Any]:
    found, state, order = [], 0, np.empty(n, np.int64)
    for _ in range(epochs):
        if shuffle:
            state = ordering.shuffled(order, state)
        found.append(order.copy() if shuffle else np.arange(n))
    return found


@given(
    problems(),
    st.sampled_from(sorted(KERNELS)),
    st.sampled_from(["ovr", "argmax"]),
    st.sampled_from(["mistake", "positive"]),
    st.booleans(),
    st.integers(1, 4),
    st.integers(1, 7),
    st.sampled_from([1e-9, 256.0]),
    st.booleans(),
    st.none() | st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=23, max_size=23),
)
def test_mistakes_and_answers_are_those_of_the_plain_algorithm(
    problem: Any,
    kernel: str,
    multiclass: str,
    ties: str,
    shuffle: bool,
    epochs: int,
    block: int,
    cache_mb: float,
    as_sparse: bool,
    factors: list[float] | None,
) -> None:
    X, y = problem
    weights = None if factors is None else np.array([2.0, *factors])[: len(X)]
    model = KernelPerceptron(
        kernel=kernel,
        degree=2,
        gamma=1.0,
        multiclass=multiclass,
        ties=ties,
        shuffle=shuffle,
        max_iter=epochs,
        tol=None,
        cache_mb=cache_mb,
    )
    K = KERNELS[kernel](X, X)
    given_rows = K if kernel == "precomputed" else X
    given_rows = sp.csr_array(given_rows) if as_sparse else given_rows
    with patch.object(training, "BLOCK", block):
        model.fit(given_rows, y, sample_weight=weights)
    shape, k = shape_of(y, multiclass)
    visits = orders(len(X), model.n_iter_, shuffle)
    states, mistakes = plain.learn(K, y, visits, shape, ties, k, weights)
    assert model.n_mistakes_ == len(mistakes)
    assert list(dict.fromkeys(row for row, _ in mistakes)) == model.support_.tolist()
    assert sum(model.mistakes_per_epoch_) == len(mistakes)
    assert (model.stop_reason_ == "separated") == (model.mistakes_per_epoch_[-1] == 0)
    if shape == "argmax" or k == 1:
        assert [u.row for u in model.ledger_] == [row for row, _ in mistakes]
        assert [u.step for u in model.ledger_] == [max(np.abs(step)) for _, step in mistakes]
    asked = K if kernel == "precomputed" else X
    for combine in ("last", "average", "vote"):
        model.set_params(combine=combine)
        found = np.atleast_2d(model.decision_function(asked).T)
        np.testing.assert_allclose(
            found,
            plain.answer(states, K, combine, shape, ties),
            atol=1e-9 if X.dtype == np.float64 else 1e-4,
            rtol=1e-9 if X.dtype == np.float64 else 1e-5,
        )
