"""The compiled pieces one by one."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.engine.rows import ordering, rules
from rosenblatt.engine.rows.engine import Engine, Tally
from rosenblatt.engine.rows.rows import score
from rosenblatt.models.rows import as_rows
from rosenblatt.models.weights import Weights

# splitmix64 and Fisher-Yates, worked out with plain Python integers
SHUFFLED_BY_42 = [4, 6, 1, 8, 2, 5, 9, 3, 0, 7]


@given(st.floats(-800, 800))
def test_our_exponential_is_the_exponential(x: float) -> None:
    assert rules.exp(x) == pytest.approx(np.exp(min(x, 709.0)) if x <= 709 else math.inf, rel=1e-14)


@given(st.integers(0, 200), st.integers(0, 2**64 - 1))
def test_a_shuffled_order_holds_every_row_once(n: int, state: int) -> None:
    order = np.empty(n, np.int64)
    after = ordering.shuffled(order, state)
    assert sorted(order.tolist()) == list(range(n))
    again = np.empty(n, np.int64)
    assert ordering.shuffled(again, state) == after
    np.testing.assert_array_equal(order, again)


def test_shuffled_orders_are_the_same_on_every_machine() -> None:
    order = np.empty(10, np.int64)
    ordering.shuffled(order, 42)
    assert order.tolist() == SHUFFLED_BY_42


def test_every_place_is_as_likely_as_any_other() -> None:
    counts = np.zeros((6, 6))
    order, state = np.empty(6, np.int64), 1
    for _ in range(6000):
        state = ordering.shuffled(order, state)
        counts[np.arange(6), order] += 1
    assert abs(counts / 1000 - 1).max() < 0.15


def reference_dot(x: np.ndarray, w: np.ndarray, bias: float) -> float:
    """Eight lanes, the bias after the last feature, then a fixed tree."""
    lanes = np.zeros(8, x.dtype)
    for j, product in enumerate([*(x * w), x.dtype.type(bias)]):
        lanes[j % 8] += product
    four = lanes[:4] + lanes[4:]
    return float((four[0] + four[2]) + (four[1] + four[3]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(st.integers(0, 70), st.integers(0, 10**6))
def test_dense_sums_are_taken_in_the_documented_order(dtype: type, d: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    x, w = (random.standard_normal(d).astype(dtype) for _ in range(2))
    bias = dtype(random.standard_normal())
    found = score(as_rows(x[None, :]), w[None, :], np.array([bias]))
    assert found[0] == reference_dot(x, w, bias)
    several = score(
        as_rows(x[None, :]), np.tile(w, (7, 1)), np.full(7, bias)
    )  # four at a time and one by one
    assert (several == found[0]).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@given(st.integers(0, 30), st.integers(0, 10**6))
def test_sparse_scores_equal_the_product(dtype: type, index: type, d: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    X = sp.random_array((5, d), density=0.4, format="csr", dtype=dtype, rng=random)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    W = random.standard_normal((3, d)).astype(dtype)
    b = random.standard_normal(3).astype(dtype)
    found = score(as_rows(X), np.ascontiguousarray(W.T), b)
    np.testing.assert_allclose(found, X @ W.T + b, rtol=1e-4, atol=1e-5)
    one = score(as_rows(X), W[:1], b[:1])
    np.testing.assert_allclose(one, (X @ W[0]) + b[0], rtol=1e-4, atol=1e-5)


def test_rows_and_weights_of_different_types_are_refused() -> None:
    rows = as_rows(np.ones((2, 3), np.float32))
    with pytest.raises(TypeError, match="differ in type"):
        score(rows, np.ones((1, 3)), np.ones(1))
    engine = Engine(Weights(1, 3), rules.Rule("perceptron"))
    with pytest.raises(TypeError, match="differ in type"):
        engine.learn(rows, np.zeros(2, np.int32), 0, 2, Tally())


def test_the_loop_lets_other_threads_run() -> None:
    random = np.random.default_rng(0)
    X = random.standard_normal((200_000, 50))
    rows = as_rows(X)
    assert rows.inspect(1e150) is None
    labels = random.integers(0, 2, len(X)).astype(np.int32)
    ticks, done = 0, threading.Event()

    def train() -> None:
        engine = Engine(Weights(1, 50), rules.Rule("perceptron"))
        tally = Tally()
        for _ in range(5):
            engine.learn(rows, labels, 0, len(X), tally)
        done.set()

    thread = threading.Thread(target=train)
    thread.start()
    while not done.is_set():
        ticks += 1
    thread.join()
    # Holding the lock would leave this thread a handful of turns between the five calls.
    assert ticks > 1000


def test_weights_survive_changes_of_shape() -> None:
    random = np.random.default_rng(0)
    weights = Weights(1, 3, averaged=True)
    weights.set(random.standard_normal((1, 3)), random.standard_normal(1))
    before, bias = weights.matrix.copy(), weights.bias.copy()
    weights.grow(5)
    np.testing.assert_array_equal(weights.matrix, [[*before[0], 0, 0]])
    weights.split()
    weights.add_vector()
    assert weights.matrix.shape == weights.plane("running_sum").table.shape == (3, 5)
    np.testing.assert_array_equal(weights.matrix[1, :3] - weights.matrix[0, :3], before[0])
    np.testing.assert_array_equal(weights.bias[1] - weights.bias[0], bias[0])
    digest = weights.digest()
    weights.arrange(by_feature=False)
    weights.arrange(by_feature=True)
    assert weights.copy().digest() == weights.digest() == digest


@pytest.mark.parametrize("seen", [1, 4])
def test_the_mean_is_the_weights_less_their_sums_by_the_examples_seen(seen: int) -> None:
    weights = Weights(1, 2, averaged=True)
    weights.set(np.array([[3.0, 4.0]]), np.array([5.0]))
    running_sum = weights.plane("running_sum")
    running_sum.table[...] = 1.0
    running_sum.bias[...] = 2.0
    weights.t = seen
    coef, bias = weights.average()
    np.testing.assert_array_equal([*coef[0], *bias], [3 - 1 / seen, 4 - 1 / seen, 5 - 2 / seen])
    rows = as_rows(np.array([[1.0, 10.0]]))
    np.testing.assert_allclose(weights.score(rows).ravel(), coef @ [1.0, 10.0] + bias)


def test_a_digest_tells_weights_of_other_shapes_apart_also_if_all_are_0() -> None:
    # One vector of five and two of two features, biases included, are six numbers each.
    assert Weights(1, 5).digest() != Weights(2, 2).digest()
