"""Support rows are kept whatever they came in, and handed out in the kind that came."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import KernelPerceptron, load, save
from rosenblatt.arrays import SparseRows, for_caller
from rosenblatt.models.kernel_functions import NARROW, Kernel, narrow_as_dense, support_for
from rosenblatt.persistence.kernel_layout import kernel_model


def sparse_rows(X: np.ndarray) -> SparseRows:
    return SparseRows.from_dense(X)


KINDS = {
    np.ndarray: np.asarray,
    sp.csr_array: sp.csr_array,
    sp.csr_matrix: sp.csr_matrix,
    SparseRows: sparse_rows,
}
WIDTHS = [5, NARROW, NARROW + 1]


def table(seed: int, n: int, d: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    X = np.zeros((n, d))
    X[:, :: max(d // 5, 1)] = random.integers(-3, 4, (n, len(range(0, d, max(d // 5, 1)))))
    return X


def dense(rows) -> np.ndarray:
    return rows if isinstance(rows, np.ndarray) else rows.toarray()


kinds, widths = st.sampled_from(list(KINDS)), st.sampled_from(WIDTHS)


@given(kinds, widths, st.lists(st.tuples(kinds, st.integers(0, 4)), max_size=4), st.data())
def test_rows_come_back_as_they_went_in_and_of_the_kind_of_the_first(kind, d, more, data) -> None:
    first = table(0, 2, d)
    support = support_for(KINDS[kind](first))
    expected = [*first]
    support.append(KINDS[kind](first))
    for seed, (other, n) in enumerate(more, start=1):
        some = table(seed, n, d)
        support.append(KINDS[other](some))
        expected += [*some]
    slot = data.draw(st.integers(0, len(expected) - 1))
    support.put(slot, KINDS[kind](table(99, 1, d)))
    expected[slot] = table(99, 1, d)[0]
    before = support.copy()
    kept = data.draw(st.integers(0, len(expected)))
    support.truncate(kept)
    for found, rows in ((before, expected), (support, expected[:kept])):
        handed = for_caller(found.vectors())
        assert found.n == handed.shape[0] == len(rows)
        assert type(handed) is kind
        np.testing.assert_array_equal(dense(handed), np.array(rows).reshape(-1, d))
        np.testing.assert_array_equal(dense(found.rows), dense(handed))
        assert dense(found.take(np.arange(found.n)[::-1])).tolist() == dense(handed)[::-1].tolist()
        if found.n:  # what is handed out is the caller's
            (handed if kind is np.ndarray else handed.data)[...] = 7
            np.testing.assert_array_equal(dense(found.rows), np.array(rows))


@pytest.mark.parametrize("d", WIDTHS)
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix, sp.csc_array, sparse_rows])
def test_a_narrow_table_gives_dense_rows_and_a_wide_one_sparse_rows(kind, d) -> None:
    X = table(3, 8, d)
    rows = narrow_as_dense(kind(X))
    assert (rows.shape, rows.dtype) == (X.shape, X.dtype)
    taken = rows[np.array([5, 2])]
    assert isinstance(taken, np.ndarray if d <= NARROW else SparseRows)
    np.testing.assert_array_equal(dense(taken), X[[5, 2]])
    kept = Kernel("rbf").support_rows(rows, np.array([5, 2]))
    np.testing.assert_array_equal(dense(kept), X[[5, 2]])


@pytest.mark.parametrize("d", WIDTHS)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("forget", [None, "oldest", "projection"])
def test_support_vectors_are_of_the_kind_of_the_rows_also_in_a_loaded_model(
    kind, d, forget, tmp_path
) -> None:
    X = table(5, 40, d)
    y = np.arange(40) % 2
    budget = {} if forget is None else {"budget": 10, "forget": forget, "combine": "last"}
    learner = KernelPerceptron(kernel="rbf", gamma=1.0, **budget).partial_fit(kind(X), y)
    save(learner, tmp_path / "model.rbt")
    for model in (learner, load(tmp_path / "model.rbt")):
        assert type(model.support_vectors_) is type(kind(X))
        np.testing.assert_array_equal(dense(model.support_vectors_), X[model.support_])
    save(load(tmp_path / "model.rbt"), tmp_path / "again.rbt")
    assert (tmp_path / "again.rbt").read_bytes() == (tmp_path / "model.rbt").read_bytes()


@pytest.mark.parametrize("d", WIDTHS)
@pytest.mark.parametrize("kind", list(KINDS))
def test_a_machine_is_saved_with_rows_of_any_kind(kind, d) -> None:
    learner = KernelPerceptron().partial_fit(table(0, 30, d), np.arange(30) % 2)
    machine = learner._model
    rows = KINDS[kind](machine.support.rows)
    machine.support = support_for(rows)
    machine.support.append(rows)
    state = learner.to_state()
    again = kernel_model(state).support
    assert type(again) is type(machine.support)
    handed = for_caller(again.vectors())
    assert type(handed) is kind
    np.testing.assert_array_equal(dense(handed), dense(rows))
    assert state.card.model.rows == {np.ndarray: "dense", SparseRows: "csr"}.get(
        kind, kind.__name__
    )


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix])
def test_a_kernel_of_the_user_is_called_with_the_kind_of_rows_the_user_has(kind) -> None:
    seen = set()

    def plain(A, B):
        seen.update((type(A), type(B)))
        return (A @ B.T).toarray()

    X = table(2, 30, NARROW + 1)
    y = np.arange(30) % 2
    KernelPerceptron(kernel=plain).partial_fit(kind(X), y).predict(kind(X))
    assert seen == {kind}
