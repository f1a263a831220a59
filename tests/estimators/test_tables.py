"""Rows of every kind become one array or sparse rows, as scikit-learn's validator would have it."""

import array
import decimal
import fractions
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.utils.validation import check_array

from rosenblatt.errors import InputError, InputTypeError, MissingExtra
from rosenblatt.estimators.inputs import read_rows, read_table
from rosenblatt.models.rows import as_rows, inspect
from rosenblatt.tables.readers.block import Block, SparseRows

pl = pytest.importorskip("polars")


class Learner:
    """Anything that numbers and names of features can be set on."""


def read(X, reset=True, learner=None):
    return read_table(Learner() if learner is None else learner, X, reset=reset)


def oracle(X):
    return check_array(
        X,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        order="C",
        ensure_all_finite=False,
    )


INTS = [[1, 0, 3], [4, 5, 0]]
ARRAY = np.array(INTS, np.float64)


class WithArray:
    def __array__(self, dtype=None, copy=None):
        return ARRAY


class WithInterface:
    __array_interface__ = ARRAY.__array_interface__


DENSE = {
    **{f"of {kind}": ARRAY.astype(kind) for kind in ("f8", "f4", "f2", "g", "i1", "u8", "bool")},
    "of another byte order": ARRAY.astype(">f8"),
    "in Fortran's order": np.asfortranarray(ARRAY),
    "with gaps": np.repeat(ARRAY, 2, axis=1)[:, ::2],
    "backwards": ARRAY[::-1],
    "read-only": np.frombuffer(ARRAY.tobytes()).reshape(2, 3),
    "of objects": ARRAY.astype(object),
    "of objects with a gap": np.array([[1.0, None], [2, np.nan]], object),
    "of fractions": np.array([[fractions.Fraction(1, 2)], [decimal.Decimal("0.25")]], object),
    "of texts that are numbers": np.array([["1.5", "-2"], ["0", "1e3"]]),
    "of bytes that are numbers": np.array([[b"1.5", b"-2"]]),
    "a list of lists": INTS,
    "a list of lists with a gap": [[1.0, None], [2.0, 3.0]],
    "a tuple of tuples": tuple(map(tuple, INTS)),
    "a list of arrays": list(ARRAY),
    "a list of buffers": [array.array("d", row) for row in ARRAY],
    "a list of booleans": [[True, False], [False, True]],
    "a memoryview": memoryview(ARRAY),
    "a memory map": np.memmap,
    "something with __array__": WithArray(),
    "something with __array_interface__": WithInterface(),
}


@pytest.mark.parametrize("kind", DENSE)
def test_arrays_and_lists_are_read_as_scikit_learn_reads_them(kind, tmp_path):
    given = DENSE[kind]
    if given is np.memmap:
        ARRAY.tofile(tmp_path / "rows")
        given = np.memmap(tmp_path / "rows", np.float64, "r", shape=(2, 3))
    table, expected = read(given), oracle(given)
    assert type(table) is np.ndarray
    assert table.dtype == expected.dtype
    assert table.flags.c_contiguous
    np.testing.assert_array_equal(table, expected)


@pytest.mark.parametrize("kind", ["f8", "f4"])
def test_rows_that_need_nothing_are_not_copied(kind):
    given = ARRAY.astype(kind)
    assert np.shares_memory(read(given).data, given.data)
    frame = pd.DataFrame(given, columns=list("abc"), copy=False)
    assert np.shares_memory(read(frame), frame.to_numpy())


def test_float32_of_another_byte_order_stays_float32():
    table = read(ARRAY.astype(">f4"))
    assert table.dtype == np.float32
    np.testing.assert_array_equal(table, ARRAY)


def test_hidden_values_of_a_masked_array_are_missing():
    hidden = np.ma.masked_equal(ARRAY.astype(np.int64), 5)
    np.testing.assert_array_equal(read(hidden), np.where(ARRAY == 5, np.nan, ARRAY))
    np.testing.assert_array_equal(read(np.ma.array(ARRAY)), ARRAY)
    with pytest.raises(InputError, match="X holds NaN at row 1, column 1;"):
        read_rows(Learner(), hidden, reset=True)


FORMATS = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "?"])
def test_sparse_matrices_of_all_formats_become_canonical_csr(form, kind, dtype):
    given = getattr(sp, f"{form}_{kind}")(ARRAY.astype(dtype))
    table = read(given)
    assert table.format == "csr"
    assert table.has_canonical_format
    assert table.dtype == (np.float32 if dtype == "f4" else np.float64)
    np.testing.assert_array_equal(table.toarray(), ARRAY.astype(dtype))
    assert as_rows(table).n_rows == 2


def test_a_canonical_sparse_matrix_is_not_copied_and_another_one_not_changed():
    given = sp.csr_array(ARRAY)
    assert np.shares_memory(read(given).data, given.data)
    twice = sp.csr_array((np.ones(3), [1, 1, 0], [0, 3]), shape=(1, 2))
    np.testing.assert_array_equal(read(twice).toarray(), [[1.0, 2.0]])
    assert twice.indices.tolist() == [1, 1, 0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_sparse_rows_of_ours_stay_what_they_are(dtype):
    rows = SparseRows(np.array([2, 3], dtype), np.array([1, 0]), np.array([0, 1, 2]), 3)
    table = read(rows)
    assert type(table) is SparseRows
    assert table is rows or dtype is np.int64
    assert table.dtype == (np.float32 if dtype is np.float32 else np.float64)
    looked_at = as_rows(table)
    inspect(looked_at)
    assert (looked_at.n_rows, looked_at.n_features, looked_at.is_sparse) == (2, 3, True)
    with pytest.raises(InputError, match=r"NaN at row 0, column 1"):
        read_rows(
            Learner(),
            SparseRows(np.array([np.nan]), np.array([1]), np.array([0, 1]), 3),
            reset=True,
        )


def nested(value):
    table = np.empty((1, 1), object)
    table[0, 0] = value
    return table


REFUSED = {
    "nothing": (None, "X is None: Expected 2D array, got scalar array instead"),
    "a number": (3.0, "X is 3.0: Expected 2D array, got scalar array.*Reshape your data"),
    "text": ("abc", "X is 'abc': Expected 2D array"),
    "a mapping": ({"a": [1.0]}, "X is {'a'.*Expected 2D array"),
    "a generator": ((row for row in INTS), "generator.*Expected 2D array"),
    "one dimension": (ARRAY[0], r"shape \(3,\): Expected 2D array, got 1D array.*Reshape your dat"),
    "texts": (["a film", "a book"], r"Expected 2D array, got 1D.*TextFeatures\(\)"),
    "an empty list": ([], "Expected 2D array, got 1D array"),
    "three dimensions": (ARRAY[None], r"Found array with dim 3, while dim <= 2 is required"),
    "no rows": (ARRAY[:0], r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required"),
    "no columns": (ARRAY[:, :0], r"0 feature\(s\) \(shape=\(2, 0\)\) while a minimum of 1 is req"),
    "neither": (np.empty((0, 0)), r"0 sample"),
    "complex": (ARRAY * 1j, "Complex data not supported"),
    "complex lists": ([[1j]], "Complex data not supported"),
    "complex sparse": (sp.csr_array(ARRAY * 1j), "Complex data not supported"),
    "sparse of one dimension": (sp.coo_array(ARRAY[0]), r"sparse X has shape \(3,\).*Reshape your"),
    "sparse without rows": (sp.csr_array((0, 3)), "0 sample"),
    "sparse without columns": (sp.csr_array((2, 0)), "0 feature"),
    "dates": (np.array([["2020-01-01"]], "M8[D]"), r"datetime64\[D\], which is not a number"),
    "fields": (np.zeros((2, 2), "f8,i4"), "not a number"),
    "ragged": ([[1, 2], [3]], "row 0 has 2 entries, row 1 has 1"),
    "a number for a row": ([[1, 2], 3], "row 0 has 2 entries, row 1 has 1"),
    "text inside": ([[1, "red"]], "'red' at row 0, column 1, which is not a number.*OneHotEncoder"),
    "text arrays": (np.array([["1", "red"]]), r"X holds 'red' at row 0, column 1, which is not"),
    "new text arrays": (np.array([["red"]], np.dtypes.StringDType()), "'red' at row 0, column 0"),
    "text objects": (np.array([[1, 2], [3, "red"]], object), "'red' at row 1, column 1.*OneHotEnc"),
    "mapping inside": (
        np.array([[{}]], object),
        "at row 0, column 0.*argument must be.*string.*nu",
    ),
    "list inside": (nested([1]), r"X holds \[1\] at row 0, column 0, which is not a number"),
    "array inside": (nested(np.ones(2)), r"holds array\(\[1., 1.\]\) at row 0.*not a number"),
    "complex objects": (np.array([[1j]], object), "1j at row 0, column 0, which is not a number"),
    "matrix": (ARRAY.view(np.matrix), r"np\.matrix, which is not supported: give np\.asarray"),
    "a block": (Block(ARRAY, None, np.zeros(2, np.int64)), "Block, which holds labels too"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_table_is_refused_and_nothing_is_set(kind):
    given, message = REFUSED[kind]
    learner = Learner()
    with pytest.raises(InputError, match=message):
        read(given, learner=learner)
    assert not vars(learner)


@pytest.mark.parametrize("kind", ["mapping inside", "matrix", "complex objects"])
def test_things_of_the_wrong_type_are_type_errors_too(kind):
    with pytest.raises(InputTypeError) as caught:
        read(REFUSED[kind][0])
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize(
    ("value", "word"), [(10**400, "infinity"), (-(10**400), "infinity"), (pd.NA, "NaN")]
)
def test_objects_beyond_the_floats_are_found_with_row_and_column(value, word):
    with pytest.raises(InputError, match=f"X holds {word} at row 1, column 0"):
        read_rows(Learner(), np.array([[1.0, 2.0], [value, 3.0]], object), reset=True)


def test_long_doubles_beyond_float64_are_infinite_without_a_warning():
    with pytest.raises(InputError, match="X holds infinity at row 0, column 0"):
        read_rows(Learner(), np.array([["1e4000"]]).astype(np.longdouble), reset=True)


def test_values_are_not_looked_at_by_reading_alone():
    assert np.isnan(read(np.array([[np.nan]]))).all()


# ---------------------------------------------------------------------- the features


def test_the_number_of_features_is_set_and_checked():
    learner = Learner()
    read(ARRAY, learner=learner)
    assert learner.n_features_in_ == 3
    read(sp.csr_array(ARRAY), reset=False, learner=learner)
    with pytest.raises(
        InputError, match=r"^X has 2 features, but Learner is expecting 3 features as input\.$"
    ):
        read(ARRAY[:, :2], reset=False, learner=learner)
    read(ARRAY[:, :2], learner=learner)
    assert learner.n_features_in_ == 2


FRAMES = {
    "pandas": lambda names: pd.DataFrame(ARRAY[:, : len(names)], columns=names),
    "polars": lambda names: pl.DataFrame(ARRAY[:, : len(names)], schema=names),
    "arrow": lambda names: pa.table(dict(zip(names, ARRAY.T, strict=False))),
    "arrow batch": lambda names: pa.record_batch(dict(zip(names, ARRAY.T, strict=False))),
}
every_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


@every_frame
def test_names_of_features_are_set_and_checked(frame):
    learner = Learner()
    np.testing.assert_array_equal(read(frame(["a", "b", "c"]), learner=learner), ARRAY)
    assert learner.feature_names_in_.dtype == object
    assert learner.feature_names_in_.tolist() == ["a", "b", "c"]
    read(frame(["a", "b", "c"]), reset=False, learner=learner)
    start = "^The feature names should match those that were passed during fit.\n"
    for names, message in (
        (["c", "b", "a"], "Feature names must be in the same order as they were in fit.\n$"),
        (["a", "x", "c"], "Feature names unseen at fit time:\n- x\nFeature names seen at fit tim"),
        (["a", "b"], "Feature names seen at fit time, yet now missing:\n- c\n$"),
    ):
        with pytest.raises(InputError, match=start + message):
            read(frame(names), reset=False, learner=learner)
    read(ARRAY, learner=learner)
    assert not hasattr(learner, "feature_names_in_")


def test_sparse_columns_of_pandas_become_the_rows_that_scipy_has():
    random = np.random.default_rng(0)
    values = random.normal(size=(70, 50)) * (random.random((70, 50)) < 0.6)
    frame = pd.DataFrame(values).astype(pd.SparseDtype(np.float64, 0.0))
    rows, expected = read(frame), sp.csr_array(values)
    assert type(rows) is SparseRows
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(rows, name), getattr(expected, name))
    of_gaps = pd.DataFrame(values).astype(pd.SparseDtype(np.float64, np.nan))
    np.testing.assert_array_equal(read(of_gaps), values)


def test_columns_called_like_the_attributes_of_other_frames_do_not_confuse():
    learner = Learner()
    read(pd.DataFrame({"column_names": [1], "get_columns": [2.0]}), learner=learner)
    assert learner.feature_names_in_.tolist() == ["column_names", "get_columns"]


def test_many_names_that_differ_are_not_all_listed():
    learner = Learner()
    read(pd.DataFrame(np.ones((1, 9)), columns=[f"a{i}" for i in range(9)]), learner=learner)
    other = pd.DataFrame(np.ones((1, 9)), columns=[f"b{i}" for i in range(9)])
    with pytest.raises(InputError) as caught:
        read(other, reset=False, learner=learner)
    assert str(caught.value).count("- ...\n") == 2
    assert "b4" in str(caught.value)
    assert "b5" not in str(caught.value)


def test_names_on_one_side_only_are_worth_a_warning_at_the_line_of_the_caller():
    named, plain = Learner(), Learner()
    frame = FRAMES["pandas"](["a", "b", "c"])
    read_table(named, frame, reset=True)
    read_table(plain, ARRAY, reset=True)
    message = "X does not have valid feature names, but Learner was fitted with feature names"
    with pytest.warns(UserWarning, match=message) as told:
        read_table(named, ARRAY, reset=False)
    assert told[0].filename == __file__
    with pytest.warns(UserWarning, match="X has feature names, but Learner was fitted without fea"):
        read_table(plain, frame, reset=False)


def test_names_that_are_not_text_are_no_names_and_mixed_ones_are_refused():
    learner = Learner()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(pd.DataFrame(ARRAY), learner=learner)
        read(pd.DataFrame(ARRAY), reset=False, learner=learner)
    assert not hasattr(learner, "feature_names_in_")
    with pytest.raises(TypeError, match="only supported if all input features have string names"):
        read(pd.DataFrame(ARRAY, columns=["a", 1, "c"]))


def test_a_stream_of_arrow_columns_is_read_through_pyarrow(monkeypatch):
    class Stream:
        def __init__(self, table):
            self.table = table

        def __arrow_c_stream__(self, schema=None):
            return self.table.__arrow_c_stream__(schema)

    learner = Learner()
    read(Stream(FRAMES["arrow"](["a", "b", "c"])), learner=learner)
    assert learner.feature_names_in_.tolist() == ["a", "b", "c"]
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"a Stream needs pyarrow.*rosenblatt\[table\]"):
        read(Stream(pl.DataFrame({"a": [1]})))
