"""Every compiled copy of the loops over dense rows learns the same bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from models.test_kernels import reference_dot
from rosenblatt.engine.rows import ordering, rules
from rosenblatt.engine.rows import rows as tables
from rosenblatt.engine.rows.engine import Engine, Log, Tally
from rosenblatt.models.rows import as_rows
from rosenblatt.models.weights import Weights

RULES = ["perceptron", "mira", "PA", "PA-I", "PA-II", "soft", "AROW", "SCW-I"]


@pytest.fixture(autouse=True)
def the_best_clone_again() -> Iterator[None]:
    yield
    tables.use_clone(tables.clones()[-1])


def test_there_is_a_portable_clone_and_no_other_name_is_known() -> None:
    assert tables.clones()[0] == "portable"
    with pytest.raises(ValueError, match="avx1024"):
        tables.use_clone("avx1024")


def learned(
    X: Any, y: Any, k: int, rule: str, how: dict[str, Any], step: int, logged: int = 3
) -> list[bytes]:
    """All that two epochs leave behind, learned ``step`` rows a call."""
    rows = as_rows(X)
    assert rows.inspect(1e15) is None
    asked = rules.Rule(rule, threshold=how["threshold"])
    weights = Weights(
        1 if k == 2 else k,
        X.shape[1],
        dtype=X.dtype,
        averaged=how["averaged"],
        rates=asked.rates,
        fit_intercept=how["bias"],
    )
    n, order = len(y), None
    if how["shuffled"]:
        order = np.empty(n, np.int64)
        ordering.shuffled(order, 7)
    row_weights = np.random.default_rng(1).integers(0, 3, n) * 0.75 if how["weighted"] else None
    counts, dual = np.zeros(n, np.int32), np.zeros(n)
    tally = Tally(counts, None if k > 2 or asked.rates else dual)
    log = Log(max(logged, 2 * k), with_rates=asked.rates is not None)
    engine = Engine(weights, asked)
    entries: list[tuple[float, ...]] = []
    for _ in range(2):
        place = 0
        while place < n:
            end = min(n, place + step)
            place = engine.learn(
                rows,
                y,
                place,
                end,
                tally,
                order=order,
                row_weights=row_weights,
                log=log,
                upcoming=order,
            )
            parts = [log.row, log.wrong, log.step, log.t]
            entries += zip(*(part[: log.size].tolist() for part in parts), strict=True)
            log.size = 0
    planes = [array for plane in weights.planes.values() for array in plane]
    kept = [part.tobytes() for part in [*planes, counts, dual]]
    return [*kept, repr((entries, tally.mistakes, tally.loss)).encode()]


ways = st.fixed_dictionaries(
    {
        "shuffled": st.booleans(),
        "weighted": st.booleans(),
        "averaged": st.booleans(),
        "bias": st.booleans(),
        "threshold": st.sampled_from([0.0, 0.5]),
    }
)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(
    n=st.integers(1, 60),
    d=st.one_of(st.integers(1, 40), st.integers(41, 300)),
    k=st.sampled_from([2, 2, 3, 5, 9]),
    rule=st.sampled_from(RULES),
    how=ways,
    seed=st.integers(0, 10**6),
    whole=st.booleans(),
)
def test_every_clone_and_row_by_row_learn_the_same_bytes(
    dtype: type, n: int, d: int, k: int, rule: str, how: dict[str, Any], seed: int, whole: bool
) -> None:
    """One row a call is scored alone: there is no row to take together with it."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, d)).astype(dtype)
    X[random.random(X.shape) < 0.2] = 0
    y = random.integers(0, k, n).astype(np.int32)
    found = []
    for clone in tables.clones():
        tables.use_clone(clone)
        found += [learned(X, y, k, rule, how, n if whole else 13), learned(X, y, k, rule, how, 1)]
    assert all(one == found[0] for one in found)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kilobytes", [12, 20, 30])
@pytest.mark.parametrize("shuffled", [False, True])
def test_long_rows_learn_the_same_bytes_alone_and_together(
    dtype: type, kilobytes: int, shuffled: bool
) -> None:
    """How rows are read depends on their length; more than half a megabyte is read ahead."""
    random = np.random.default_rng(kilobytes)
    X = random.standard_normal((51, kilobytes * 1024 // dtype().itemsize + 3)).astype(dtype)
    y = (X[:, :40].sum(axis=1) > 0).astype(np.int32)
    how = {"weighted": False, "averaged": False, "bias": True, "threshold": 0.0}
    how["shuffled"] = shuffled
    found = []
    for clone in tables.clones():
        tables.use_clone(clone)
        found += [learned(X, y, 2, "perceptron", how, step, 200) for step in (len(y), 1)]
    assert all(one == found[0] for one in found)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(
    n=st.integers(12, 150),
    d=st.one_of(st.integers(1, 40), st.integers(41, 300)),
    k=st.sampled_from([4, 5, 6, 7, 10, 31]),
    rule=st.sampled_from(RULES),
    how=ways,
    apart=st.sampled_from([0.5, 2.0, 8.0]),
    whole_numbers=st.booleans(),
    seed=st.integers(0, 10**6),
)
def test_rows_scored_in_blocks_and_one_by_one_learn_the_same_bytes(
    dtype: type,
    n: int,
    d: int,
    k: int,
    rule: str,
    how: dict[str, Any],
    apart: float,
    whole_numbers: bool,
    seed: int,
) -> None:
    """The fewer the mistakes, the more of the blocks; small whole numbers give equal scores."""
    random = np.random.default_rng(seed)
    y = random.integers(0, k, n).astype(np.int32)
    X = random.standard_normal((n, d)) + (random.standard_normal((k, d)) * apart)[y]
    X = (np.rint(X) if whole_numbers else X).astype(dtype)
    tables.use_clone("portable")
    alone = learned(X, y, k, rule, how, 1)
    for clone in tables.clones():
        tables.use_clone(clone)
        assert learned(X, y, k, rule, how, n, logged=2 * n) == alone


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(
    n=st.integers(1, 40),
    d=st.integers(0, 40),
    k=st.integers(2, 11),
    seed=st.integers(0, 10**6),
)
def test_scores_of_many_rows_are_those_of_each_alone(
    dtype: type, n: int, d: int, k: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    X, table = random.standard_normal((n, d)).astype(dtype), random.standard_normal((k, d))
    table, bias = table.astype(dtype), random.standard_normal(k).astype(dtype)
    expected = [
        [float(reference_dot(x, w, b)) for w, b in zip(table, bias, strict=True)] for x in X
    ]
    for clone in tables.clones():
        tables.use_clone(clone)
        assert tables.score(as_rows(X), table, bias).tolist() == expected


@pytest.mark.parametrize("clone", tables.clones())
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(n=st.integers(1, 40), d=st.integers(0, 40), seed=st.integers(0, 10**6))
@example(n=9, d=0, seed=0)
def test_a_perceptron_makes_the_mistakes_of_the_oracle(
    clone: str, dtype: type, n: int, d: int, seed: int
) -> None:
    """The oracle scores each row alone, in the documented order of additions."""
    tables.use_clone(clone)
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, d)).astype(dtype)
    y = random.integers(0, 2, n).astype(np.int32)
    w, b, mistakes = np.zeros(d, dtype), dtype(0), np.zeros(n, np.int32)
    for i in range(n):
        sign = dtype(2 * y[i] - 1)
        if sign * dtype(reference_dot(X[i], w, b)) <= 0:
            w, b, mistakes[i] = w + sign * X[i], b + sign, 1
    rows, weights, counts = as_rows(X), Weights(1, d, dtype=dtype), np.zeros(n, np.int32)
    assert rows.inspect(1e15) is None
    rule, tally = rules.Rule("perceptron"), Tally(counts)
    Engine(weights, rule).learn(rows, y, 0, n, tally)
    assert weights.table[0].tobytes() == w.tobytes()
    assert weights.bias[0] == b
    np.testing.assert_array_equal(counts, mistakes)
