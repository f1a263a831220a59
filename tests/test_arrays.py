"""Sparse rows of ours do what SciPy's do."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from strategies import moved_by_a_byte

from rosenblatt.arrays import SparseRows, for_caller, is_sparse, readable
from rosenblatt.errors import InputError
from rosenblatt.estimators.conversion import as_table
from rosenblatt.models.rows import distances, products

TYPES = [np.float64, np.float32, np.int8, np.int64, np.bool_]
FLOATS = [np.float64, np.float32]
# In the widest there are far more columns than values, so that they are looked up by a hash.
WIDTHS = [1, 2, 7, 40, 5_000]
KINDS = ["csr_array", "csr_matrix"]


def matrix(seed, n=None, d=None, dtype=np.float64, index=np.int32, kind="csr_array"):
    """Random rows in canonical order, some empty, some with a 0 that is stored."""
    random = np.random.default_rng(seed)
    n = int(random.integers(0, 9)) if n is None else n
    d = int(random.choice(WIDTHS)) if d is None else d
    counts = random.integers(0, min(d, 12) + 1, n) * random.integers(0, 2, n)
    # Most of the columns are among the first ones, so that rows have some in common.
    near = [
        np.unique(np.minimum(random.geometric(0.1, c) * random.choice([1, 97]), d) - 1)
        for c in counts
    ]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in near])]).astype(index)
    columns = np.concatenate([np.zeros(0, int), *near]).astype(index)
    values = (random.normal(size=len(columns)) * 3).round(int(random.integers(0, 4))).astype(dtype)
    made = getattr(sp, kind)((values, columns, starts), shape=(n, d))
    made.indices, made.indptr = columns, starts  # SciPy would choose the type itself
    return made


def assert_same(rows: SparseRows, expected) -> None:
    """The same values in the same places, stored zeros included."""
    expected = expected.tocsr()
    assert rows.shape == expected.shape
    assert rows.dtype == expected.dtype
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(rows, part), getattr(expected, part))
    assert rows.indices.dtype == rows.indptr.dtype


seeds = st.integers(0, 2**32 - 1)
types, indexes, kinds = (
    st.sampled_from(TYPES),
    st.sampled_from([np.int32, np.int64]),
    st.sampled_from(KINDS),
)
any_matrix = st.builds(matrix, seeds, dtype=types, index=indexes, kind=kinds)


@given(any_matrix)
def test_rows_of_a_canonical_matrix_share_its_memory_and_become_one_of_its_kind_again(
    given_,
) -> None:
    rows = SparseRows.of(given_)
    assert_same(rows, given_)
    for part in ("data", "indices", "indptr"):
        if len(getattr(given_, part)):
            assert np.shares_memory(getattr(rows, part), getattr(given_, part))
    back = rows.to_origin()
    assert type(back) is type(given_) is type(for_caller(rows))
    assert_same(rows, back)
    assert type(rows.tocsr()) is sp.csr_array
    assert back.has_canonical_format
    if rows.nnz:
        assert np.shares_memory(back.data, given_.data)
        assert not np.shares_memory(rows.tocsr(copy=True).data, given_.data)
    assert SparseRows.of(rows) is rows


@given(
    seeds,
    st.sampled_from(["csr", "csc", "coo", "lil", "dia"]),
    st.sampled_from(["array", "matrix"]),
)
def test_any_kind_of_matrix_is_read_and_left_as_it_is(seed, form, kind) -> None:
    canonical = matrix(seed)
    if form == "csr":  # with columns twice and in disorder
        twice = sp.csr_array(sp.hstack([canonical, canonical], format="csr"))
        twice.indices %= max(canonical.shape[1], 1)
        messy = getattr(sp, f"csr_{kind}")(
            (twice.data, twice.indices, twice.indptr), canonical.shape
        )
    else:
        messy = getattr(sp, f"{form}_{kind}")(canonical)
    before = messy.copy()
    rows = SparseRows.of(messy)
    np.testing.assert_allclose(rows.toarray(), before.toarray())
    assert rows.origin == f"csr_{kind}"
    assert all(
        (np.diff(rows.indices[a:b]) > 0).all()
        for a, b in zip(rows.indptr, rows.indptr[1:], strict=False)
    )
    if form == "csr":
        np.testing.assert_array_equal(messy.indices, before.indices)
        np.testing.assert_array_equal(messy.data, before.data)


def test_values_beyond_the_last_row_are_not_part_of_the_rows() -> None:
    roomy = sp.csr_array(
        (np.arange(1.0, 4.0), np.array([0, 1, 2]), np.array([0, 1, 3])), shape=(2, 3)
    )
    roomy.data, roomy.indices = (
        np.append(roomy.data, 9.0),
        np.append(roomy.indices, 0).astype(np.int32),
    )
    rows = SparseRows.of(roomy)
    assert rows.nnz == 3
    assert rows.row_numbers().tolist() == [0, 1, 1]
    assert rows.squared_norms().tolist() == [1.0, 13.0]


@given(any_matrix, st.data())
def test_rows_are_taken_as_scipy_takes_them(given_, data) -> None:
    rows, n = SparseRows.of(given_), given_.shape[0]
    bounds = st.none() | st.integers(-12, 12)
    part = slice(data.draw(bounds), data.draw(bounds), data.draw(st.sampled_from([None, 1, 2, -1])))
    numbers = data.draw(st.lists(st.integers(-n, n - 1), max_size=12)) if n else []
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), bool)
    places = np.array(numbers, np.intp)
    for chosen, same in (
        (part, part),
        (numbers, places),
        (places.astype(np.int32), places),
        (mask, mask),
        (mask.tolist(), mask),
    ):
        found = rows[chosen]
        np.testing.assert_array_equal(found.toarray(), given_.toarray()[same])
        assert found.origin == rows.origin
        assert found.indices.dtype == found.indptr.dtype
    assert_same(rows.take(numbers), sp.csr_array(given_)[places])


def test_a_slice_is_no_copy_and_taken_rows_are() -> None:
    rows = SparseRows.of(matrix(3, n=8, d=40))
    assert np.shares_memory(rows[2:7].data, rows.data)
    assert not np.shares_memory(rows[[2, 3]].data, rows.data)
    assert not np.shares_memory(rows.copy().data, rows.data)


@pytest.mark.parametrize("wrong", [3, np.int64(3), [[0, 1]], [0.5], "a", (0, slice(None)), None])
def test_what_names_no_rows_is_refused(wrong) -> None:
    with pytest.raises(IndexError, match="slice, a list of their numbers or a mask"):
        SparseRows.of(matrix(0, n=4, d=3))[wrong]


@pytest.mark.parametrize("wrong", [[4], [-5], [True, False]])
def test_rows_that_are_not_there_are_refused(wrong) -> None:
    with pytest.raises(IndexError):
        SparseRows.of(matrix(0, n=4, d=3))[wrong]


@given(st.lists(any_matrix, min_size=1, max_size=4), st.integers(0, 9))
def test_tables_are_joined_as_scipy_stacks_them(given_, more) -> None:
    width = max(part.shape[1] for part in given_)
    stacked = sp.csr_array(
        np.vstack([np.pad(p.toarray(), ((0, 0), (0, width + more - p.shape[1]))) for p in given_])
    )
    joined = SparseRows.concat([SparseRows.of(part) for part in given_], width + more)
    np.testing.assert_array_equal(joined.toarray(), stacked.toarray())
    assert joined.dtype == stacked.dtype
    assert joined.origin == SparseRows.of(given_[0]).origin
    assert joined.nnz == sum(part.nnz for part in given_)
    assert SparseRows.concat([SparseRows.of(part) for part in given_]).shape[1] == width


@given(any_matrix, st.integers(1, 50))
def test_columns_are_dropped_and_added_at_the_end(given_, width) -> None:
    rows, d = SparseRows.of(given_), given_.shape[1]
    assert_same(rows.narrow(width), sp.csr_array(given_)[:, : min(width, d)])
    assert rows.narrow(d) is rows
    wider = rows.widen(d + width)
    assert wider.shape == (given_.shape[0], d + width)
    np.testing.assert_array_equal(wider.toarray()[:, :d], given_.toarray())
    assert not wider.toarray()[:, d:].any()
    with pytest.raises(InputError, match="narrow"):
        rows.widen(d - 1)


@given(any_matrix, st.data())
def test_rows_are_written_out_with_all_columns_or_with_some(given_, data) -> None:
    rows, d = SparseRows.of(given_), given_.shape[1]
    dense = rows.toarray()
    np.testing.assert_array_equal(dense, given_.toarray())
    assert dense.dtype == given_.dtype
    columns = np.array(data.draw(st.lists(st.integers(0, d - 1), max_size=9)), np.int64)
    np.testing.assert_array_equal(rows.toarray(columns), dense[:, columns])
    with pytest.raises(IndexError, match="between 0 and"):
        rows.toarray(np.array([d]))


def test_some_of_very_many_columns_take_no_table_of_all() -> None:
    wide = SparseRows(
        np.array([1.0, 2.0, 3.0]), np.array([5, 9, 2**40]), np.array([0, 2, 3]), 2**41
    )
    assert wide.indices.dtype == np.int64
    found = wide.toarray(np.array([2**40, 9, 7, 9]))
    assert found.tolist() == [[0.0, 2.0, 0.0, 2.0], [3.0, 0.0, 0.0, 0.0]]
    assert wide.products(wide).tolist() == [[5.0, 0.0], [0.0, 9.0]]


@given(seeds, st.sampled_from(FLOATS), st.sampled_from(FLOATS), indexes, st.sampled_from([1, 2, 9]))
def test_products_with_dense_tables_are_scipys_to_the_last_bit(
    seed, dtype, other, index, k
) -> None:
    given_ = matrix(seed, dtype=dtype, index=index)
    rows, random = SparseRows.of(given_), np.random.default_rng(seed)
    n, d = given_.shape
    for dense in (random.normal(size=(d, k)), random.normal(size=d), random.normal(size=(k, d)).T):
        dense = dense.astype(other)
        found, expected = rows @ dense, given_ @ dense
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
    for dense in (random.normal(size=(k, n)), random.normal(size=n)):
        found, expected = dense.astype(other) @ rows, dense.astype(other) @ given_
        assert found.shape == expected.shape
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(rows @ ([2.0] * d), rows @ np.full(d, 2.0))


@given(seeds)
def test_small_integers_are_multiplied_as_such(seed) -> None:
    given_ = matrix(seed, dtype=np.int8)
    given_.data %= 3
    dense = np.random.default_rng(seed).integers(0, 2, (given_.shape[1], 5)).astype(np.int8)
    found = SparseRows.of(given_) @ dense
    assert found.dtype == np.int8
    np.testing.assert_array_equal(found, given_ @ dense)


@given(seeds, seeds, st.sampled_from(FLOATS), st.sampled_from(FLOATS), indexes, indexes)
def test_products_of_all_pairs_are_scipys_to_the_last_bit(
    a, b, dtype, other, index, other_index
) -> None:
    A = matrix(a, dtype=dtype, index=index)
    B = matrix(b, d=A.shape[1], dtype=other, index=other_index)
    expected = (A @ B.T).toarray()
    for first in (A, SparseRows.of(A)):
        for second in (B, SparseRows.of(B)):
            found = products(first, second)
            assert isinstance(found, np.ndarray)
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(products(A, B.toarray()), expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(products(A.toarray(), B), expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(products(A.toarray(), B.toarray()), expected, rtol=1e-4, atol=1e-4)


@given(seeds, seeds, st.sampled_from(FLOATS))
def test_distances_of_all_pairs_are_sums_of_sizes(a, b, dtype) -> None:
    A = matrix(a, dtype=dtype)
    B = matrix(b, d=A.shape[1], dtype=dtype)
    B = sp.vstack([B, A], format="csr") if A.shape[0] else B
    dense = (A.toarray().astype(np.float64), B.toarray().astype(np.float64))
    expected = np.abs(dense[0][:, None] - dense[1]).sum(axis=2)
    for first in (A, SparseRows.of(A), A.toarray()):
        for second in (B, SparseRows.of(B), B.toarray()):
            found = distances(first, second)
            assert found.dtype == np.float64
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
            # The last rows of B are those of A.
            assert not np.diagonal(found[:, B.shape[0] - A.shape[0] :]).any()


@given(any_matrix)
def test_sizes_ranges_and_types_are_those_of_the_dense_table(given_) -> None:
    rows, dense = SparseRows.of(given_), given_.toarray().astype(np.float64)
    n = given_.shape[0]
    assert (len(rows), rows.nnz, rows.ndim) == (n, given_.nnz, 2)
    assert is_sparse(rows)
    np.testing.assert_allclose(rows.squared_norms(), (dense**2).sum(axis=1))
    low, high = rows.column_range()
    np.testing.assert_array_equal(
        low, dense.min(axis=0, initial=0.0) if not n else dense.min(axis=0)
    )
    np.testing.assert_array_equal(
        high, dense.max(axis=0, initial=0.0) if not n else dense.max(axis=0)
    )
    assert_same(abs(rows), abs(given_))
    single = rows.astype(np.float32)
    assert single.dtype == np.float32
    assert single.astype(np.float32) is single
    assert single.astype(np.float32, copy=True) is not single
    np.testing.assert_array_equal(single.toarray(), given_.toarray().astype(np.float32))


@given(seeds)
def test_squared_lengths_are_scipys_to_the_last_bit(seed) -> None:
    given_ = matrix(seed, d=5_000, n=20)
    given_.eliminate_zeros()  # as SciPy does in a product, which changes what is added to what
    expected = given_.multiply(given_).sum(axis=1)
    np.testing.assert_array_equal(SparseRows.of(given_).squared_norms(), expected)


@given(seeds, st.sampled_from(TYPES))
def test_entries_in_disorder_are_sorted_and_added_up(seed, dtype) -> None:
    random = np.random.default_rng(seed)
    n, d = random.integers(1, 6, 2)
    starts = np.concatenate([[0], np.cumsum(random.integers(0, 8, n))])
    columns = random.integers(0, d, starts[-1])
    values = random.integers(-3, 4, starts[-1]).astype(dtype)
    expected = sp.csr_array((values.copy(), columns.copy(), starts.copy()), shape=(n, d))
    expected.sum_duplicates()
    rows = SparseRows.from_entries(values, columns, starts, int(d))
    assert_same(rows, expected)
    expected.eliminate_zeros()
    assert_same(rows.keep(rows.data != 0), expected)


@given(any_matrix)
def test_the_zeros_of_a_dense_table_are_not_stored(given_) -> None:
    rows = SparseRows.from_dense(given_.toarray())
    given_.eliminate_zeros()
    assert_same(rows, given_)
    assert rows.origin == "csr"
    assert rows.to_origin() is rows
    assert rows.indices.dtype == np.int32
    with pytest.raises(InputError, match="2 dimensions"):
        SparseRows.from_dense(np.zeros(3))


@given(any_matrix)
def test_rows_survive_a_pickle(given_) -> None:
    rows = SparseRows.of(given_)
    again = pickle.loads(pickle.dumps(rows))
    assert_same(again, given_)
    assert again.origin == rows.origin


def test_rows_are_not_taken_for_an_array() -> None:
    rows = SparseRows.from_dense(np.eye(3))
    for use in (np.asarray, np.array, lambda x: np.ones((2, 3)) + x):
        with pytest.raises((InputError, TypeError)):
            use(rows)
    with pytest.raises(InputError, match=r"X\.toarray\(\)"):
        np.asarray(rows)


@pytest.mark.parametrize(
    "other", [np.zeros(4), np.zeros((2, 3)), np.zeros((3, 1, 1)), np.float64(2)]
)
def test_tables_of_other_widths_are_not_multiplied(other) -> None:
    rows = SparseRows.from_dense(np.ones((2, 3)))
    with pytest.raises(InputError, match="do not go together"):
        rows @ other
    with pytest.raises(InputError, match="do not go together"):
        np.zeros((2, 5)) @ rows
    with pytest.raises(InputError, match="do not go together"):
        rows.products(SparseRows.from_dense(np.ones((2, 4))))


DAMAGE = {
    "a column too far right": ([1.0, 2.0], [0, 3], [0, 1, 2]),
    "a column below 0": ([1.0, 2.0], [-1, 1], [0, 1, 2]),
    "a column far below 0": ([1.0, 2.0], [-(2**31), 1], [0, 1, 2]),
    "rows that end before they begin": ([1.0, 2.0], [0, 1], [0, 2, 1]),
    "more rows than values": ([1.0], [0], [0, 1, 9]),
    "a start below 0": ([1.0, 2.0], [0, 1], [-1, 1, 2]),
}


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("damage", DAMAGE)
def test_rows_that_point_outside_of_themselves_are_refused_and_not_read(damage, index) -> None:
    values, columns, starts = DAMAGE[damage]
    bad = SparseRows(np.array(values), np.array(columns, index), np.array(starts, index), 3)
    good = SparseRows.from_dense(np.ones((2, 3)))
    uses = [
        lambda: bad @ np.ones(3),
        lambda: bad @ np.ones((3, 2)),
        lambda: np.ones((2, 2)) @ bad,
        lambda: bad.products(good),
        lambda: good.products(bad),
        bad.toarray,
    ]
    for use in uses:
        with pytest.raises(InputError, match="damaged"):
            use()
    if "column" not in damage:
        with pytest.raises(InputError, match="damaged"):
            bad[[0, 1]]


def test_what_a_loop_reads_lies_at_an_aligned_address():
    X = np.array([[0.0, 3.0, 0.0], [4.0, 0.0, 5.0]])
    rows = SparseRows.from_dense(X)
    parts = (moved_by_a_byte(part) for part in (rows.data, rows.indices, rows.indptr))
    moved = SparseRows(*parts, 3)
    assert all(part.flags.aligned for part in (moved.data, moved.indices, moved.indptr))
    assert (moved @ moved_by_a_byte(X.T)).tolist() == (X @ X.T).tolist()
    for table in (X, moved_by_a_byte(X), moved_by_a_byte(X.T).T):
        assert readable(table).flags.carray
    assert readable(X) is X
    assert as_table(X) is X
    assert as_table(moved_by_a_byte(X)).flags.aligned
