"""Reads frames and labels of every kind and prints what came of them, as JSON.

Run by itself, in another process: with the argument ``alone`` scikit-learn and SciPy cannot be
imported. It is no test, but what `test_frames` runs both ways.
"""

import json
import sys
import warnings

if __name__ == "__main__" and sys.argv[1:] == ["alone"]:

    class Blocked:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in ("sklearn", "scipy"):
                raise ImportError(f"{name} is blocked")

    sys.meta_path.insert(0, Blocked())

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from rosenblatt.errors import RosenblattError
from rosenblatt.estimators.inputs import read_rows
from rosenblatt.estimators.targets import encode_labels, read_labels

DAY = datetime.date(2020, 1, 2)


def frames():
    """Frames by name, and the arrays that they should become; a text is part of an error."""
    two = np.array([[1.0, 2.5], [0.0, -1.0]])
    single = two.astype(np.float32)
    yield "pandas", pd.DataFrame(two, columns=["a", "b"]), two
    yield "pandas of float32", pd.DataFrame(single, columns=["a", "b"]), single
    yield "pandas by columns", pd.DataFrame({"a": [1, 0], "b": [2.5, -1.0]}), two
    for kinds in (("?", "f8"), ("?", "f4"), ("i1", "f4"), ("i8", "f4"), ("u1", "i1"), ("f2", "f2")):
        mixed = {"a": two[:, 0].astype(kinds[0]), "b": two[:, 1].astype(kinds[1])}
        target = np.result_type(*kinds)
        target = np.float32 if target == np.float32 else np.float64
        expected = np.column_stack(list(mixed.values())).astype(target)
        yield f"pandas {kinds}", pd.DataFrame(mixed), expected
        if "f2" not in kinds:
            yield f"polars {kinds}", pl.DataFrame(mixed), expected
        yield f"arrow {kinds}", pa.table(mixed), expected
    yield "pandas nullable", pd.DataFrame({"a": [1, 0], "b": [2.5, -1]}).convert_dtypes(), two
    for kind, dtype in (("Float32", "f4"), ("float[pyarrow]", "f4"), ("double[pyarrow]", "f8")):
        yield (
            f"pandas {kind}",
            pd.DataFrame(two, columns=["a", "b"]).astype(kind),
            two.astype(dtype),
        )
    yield "pandas int64[pyarrow]", pd.DataFrame({"a": [1, 2]}, dtype="int64[pyarrow]"), [[1], [2]]
    yield "pandas with NA", pd.DataFrame({"a": pd.array([1, None], "Int64")}), "NaN at row 1.*('a')"
    yield "pandas flags with NA", pd.DataFrame({"a": pd.array([True, None], "boolean")}), "NaN"
    yield "pandas categories", pd.DataFrame({"a": pd.Categorical([2, 1, 2])}), [[2], [1], [2]]
    yield "pandas named categories", pd.DataFrame({"a": pd.Categorical(["x"])}), "'x' at row 0"
    yield (
        "pandas objects",
        pd.DataFrame({"a": [1, decimal.Decimal("0.5")]}, dtype=object),
        [[1], [0.5]],
    )
    yield "pandas text", pd.DataFrame({"a": [1.0], "b": ["red"]}), "'red' at row 0, column 1 ('b')"
    yield "pandas dates", pd.DataFrame({"a": [1.0], "b": [pd.Timestamp(DAY)]}), "column 1 ('b')"
    yield "pandas attributes", pd.DataFrame({"column_names": [1], "get_columns": [2.0]}), [[1, 2]]
    yield "pandas twice", pd.DataFrame([[1, 2.5]], columns=["a", "a"]), [[1, 2.5]]
    yield "pandas without rows", pd.DataFrame({"a": []}), "0 sample(s) (shape=(0, 1))"
    yield "pandas without columns", pd.DataFrame(index=[0, 1]), "0 feature(s) (shape=(2, 0))"
    yield "pandas series", pd.Series([1.0, 2.0]), "Expected 2D array, got 1D array"
    sparse = pd.DataFrame(
        {
            "a": pd.arrays.SparseArray([0, 0, 3.0], fill_value=0),
            "b": pd.arrays.SparseArray([4.0, 0, 5], fill_value=0),
        }
    )
    yield "pandas sparse", sparse, [[0, 4], [0, 0], [3, 5.0]]
    yield "pandas half sparse", sparse.assign(b=[4.0, 0, 5]), [[0, 4], [0, 0], [3, 5.0]]
    yield "polars", pl.DataFrame(two, schema=["a", "b"]), two
    yield "polars of float32", pl.DataFrame(single, schema=["a", "b"]), single
    yield "polars with null", pl.DataFrame({"a": [1, None]}), "NaN at row 1, column 0 ('a')"
    yield "polars flags with null", pl.DataFrame({"a": [True, None]}), "NaN at row 1"
    yield "polars decimals", pl.DataFrame({"a": [1.5]}).cast(pl.Decimal(6, 2)), [[1.5]]
    yield "polars text", pl.DataFrame({"a": [1.0], "b": ["red"]}), "'red' at row 0, column 1 ('b')"
    yield "polars categories", pl.DataFrame({"a": ["x"]}).cast(pl.Categorical), "'x' at row 0"
    yield "polars dates", pl.DataFrame({"a": [DAY]}), "column 0 ('a') of X holds Date"
    yield "polars lists", pl.DataFrame({"a": [[1, 2]]}), "at row 0, column 0 ('a')"
    yield (
        "polars arrays",
        pl.DataFrame({"a": [[1, 2]]}, {"a": pl.Array(pl.Int8, 2)}),
        "column 0 ('a')",
    )
    yield "polars without rows", pl.DataFrame({"a": []}, {"a": pl.Int8}), "0 sample(s)"
    yield "polars without columns", pl.DataFrame(), "0 sample(s)"
    yield "polars series", pl.Series([1.0, 2.0]), "Expected 2D array, got 1D array"
    yield "arrow", pa.table({"a": two[:, 0], "b": two[:, 1]}), two
    yield "arrow batch", pa.record_batch({"a": [True, False], "b": two[:, 1]}), two
    yield "arrow in chunks", pa.concat_tables([pa.table({"a": [k]}) for k in (1, 2)]), [[1], [2]]
    yield "arrow with null", pa.table({"a": [1, None]}), "NaN at row 1, column 0 ('a')"
    yield (
        "arrow categories",
        pa.table({"a": pa.array([7, 8, 7]).dictionary_encode()}),
        [[7], [8], [7]],
    )
    yield "arrow text", pa.table({"b": ["red"]}), "'red' at row 0, column 0 ('b')"
    yield "arrow dates", pa.table({"a": [DAY]}), "column 0 ('a') of X holds"
    yield "arrow array", pa.array([1.0, 2.0]), "Expected 2D array, got 1D array"


def labels():
    """Labels by name, and the classes that they should have; a text is part of an error."""
    words, ints = ["b", "a", "b"], [3, 1, 3]
    for name, one in (
        ("list", list),
        ("tuple", tuple),
        ("array", np.array),
        ("objects", lambda given: np.array(given, object)),
        ("pandas", pd.Series),
        ("pandas index", pd.Index),
        ("pandas array", pd.array),
        ("pandas categories", pd.Categorical),
        ("polars", pl.Series),
        ("arrow", pa.array),
        ("arrow chunks", lambda given: pa.chunked_array([given[:2], given[2:]])),
        ("arrow categories", lambda given: pa.array(given).dictionary_encode()),
    ):
        yield f"{name} of words", one(words), ["a", "b"]
        yield f"{name} of ints", one(ints), [1, 3]
        if name != "arrow categories":
            yield f"{name} of flags", one([True, False, True]), [False, True]
        if name not in ("pandas categories", "arrow categories"):
            yield f"{name} with a gap", one(["b", None, "b"]), "no label at row 1"
    yield "pandas nullable", pd.Series(ints, dtype="Int64"), [1, 3]
    yield "pandas nullable with a gap", pd.Series([1, None], dtype="Int64"), "at row 1"
    yield "pandas nullable flags", pd.Series([True, False], dtype="boolean"), [False, True]
    yield "polars categories", pl.Series(words, dtype=pl.Categorical), ["a", "b"]
    yield "polars with a gap in ints", pl.Series([1, None]), "nan at row 1"
    yield "masked", np.ma.array(ints, mask=[0, 0, 1]), "no label at row 2 (None"
    yield "nothing hidden", np.ma.array(ints), [1, 3]
    yield "tuples", [("a", 1), ("b", 2), ("a", 1)], [["a", 1], ["b", 2]]
    yield "column", np.array(ints)[:, None], [1, 3]
    yield "pandas column", pd.DataFrame({"y": words}), ["a", "b"]
    yield "table", np.zeros((3, 2)), "y should be a 1d array, got an array of shape (3, 2)"
    yield "ragged", [[1], [1, 2]], "y should be a 1d array"
    yield "generator", (label for label in words), "got an array of shape ()"


def outcomes():
    for name, frame, expected in frames():
        yield f"frame: {name}", expected, lambda frame=frame: _rows(frame)
    for name, given, expected in labels():
        yield f"labels: {name}", expected, lambda given=given: _classes(given)


class Learner:
    pass


def _rows(frame):
    learner = Learner()
    table = read_rows(learner, frame, reset=True)[0]
    parts = [table] if isinstance(table, np.ndarray) else [table.data, table.indices, table.indptr]
    return [
        type(table).__name__,
        str(table.dtype),
        *(part.tolist() for part in parts),
        list(getattr(learner, "feature_names_in_", ())),
    ]


def _classes(given):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        classes, numbers = encode_labels(read_labels(given, 3 if len_of(given) == 3 else 2))
    names = [type(warning.message).__name__ for warning in caught]
    return [classes.tolist(), numbers.tolist(), names]


def len_of(given):
    return len(given) if hasattr(given, "__len__") else 3


def result(work):
    try:
        return work()
    except RosenblattError as error:
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    found = {name: result(work) for name, _, work in outcomes()}
    found["loaded"] = sorted({"sklearn", "scipy"} & set(sys.modules))
    print(json.dumps(found))
