"""Parquet and Arrow files: columns that are typed already, with the same rules as a text table."""

from __future__ import annotations

import datetime
import decimal
import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from waiting import PATIENCE

from rosenblatt.errors import DataError, MissingExtra
from rosenblatt.io import ExtraColumns, SkippedRows, Table, iter_table, read_table

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

HELP = "help: skip such rows with on_bad='skip'"
KINDS = ["parquet", "file", "stream"]
kinds = pytest.mark.parametrize("kind", KINDS)


def written(columns: Any, kind: str = "parquet", rows: int | None = None) -> bytes:
    """A table as a Parquet file, an Arrow file or an Arrow stream."""
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    file = io.BytesIO()
    if kind == "parquet":
        pq.write_table(table, file, row_group_size=rows)
    else:
        make = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
        with make(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=rows)
    return file.getvalue()


def read(
    data: bytes, target: str | int | None = None, kind: str = "parquet", **options: Any
) -> Table:
    format = "parquet" if kind == "parquet" else "arrow"
    return read_table(io.BytesIO(data), target, format=format, **options)


def fault(
    data: bytes, target: str | int | None = None, kind: str = "parquet", **options: Any
) -> str:
    with pytest.raises(DataError) as caught:
        read(data, target, kind, **options)
    return str(caught.value)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.floats(-1e150, 1e150),
            st.integers(-(2**53), 2**53),
            st.booleans(),
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5),
            st.sampled_from(["yes", "no", "né"]),
        ),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from(KINDS),
    st.integers(1, 9),
)
def test_what_is_written_is_read_back(rows: list[Any], kind: str, size: int) -> None:
    columns = dict(zip("abcdy", map(list, zip(*rows, strict=True)), strict=True))
    data = written(columns, kind, size)
    table = read(data, "y", kind)
    assert table.names == ["a", "b", "c", "d"]
    assert table.numbers.tobytes() == np.array([row[:3] for row in rows], float).tobytes()
    assert table.texts["d"].tolist() == columns["d"]
    assert table.y.tolist() == columns["y"]
    assert table.lines.tolist() == list(range(1, len(rows) + 1))
    blocks = list(
        iter_table(io.BytesIO(data), "y", format="parquet" if kind == "parquet" else "arrow")
    )
    np.testing.assert_array_equal(
        np.concatenate([block.numbers for block in blocks]), table.numbers
    )
    assert [line for block in blocks for line in block.lines] == table.lines.tolist()


@kinds
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_type_of_number_is_a_number(kind: str, dtype: Any) -> None:
    types = [
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float32",
        "float64",
    ]
    columns = {name: pa.array([1, 2, 3], getattr(pa, name)()) for name in types}
    columns["half"] = pa.array(np.array([1, 2, 3], np.float16))
    columns["flag"] = pa.array([True, False, True])
    columns["price"] = pa.array([decimal.Decimal(f"{i}.25") for i in (1, 2, 3)])
    columns["coded"] = pa.array([1.5, 2.5, 1.5]).dictionary_encode()
    table = read(written(columns, kind), kind=kind, dtype=dtype)
    assert table.number_names == list(columns)
    assert table.X.dtype == dtype
    expected = [[1, 2, 3]] * 11 + [[1, 0, 1], [1.25, 2.25, 3.25], [1.5, 2.5, 1.5]]
    np.testing.assert_array_equal(table.X, np.transpose(expected))


@kinds
def test_texts_codes_and_dates_are_text(kind: str) -> None:
    columns = {
        "plain": pa.array(["a", "é", ""]),
        "large": pa.array(["a", "b", "c"], pa.large_string()),
        "coded": pa.array(["x", "y", "x"]).dictionary_encode(),
        "day": pa.array([datetime.date(2024, 2, 29)] * 3),
        "moment": pa.array([datetime.datetime(2024, 2, 29, 12, 30)] * 3, pa.timestamp("us")),
    }
    table = read(written(columns, kind), kind=kind)
    assert list(table.texts) == list(columns)
    assert [column.tolist() for column in table.texts.values()] == [
        ["a", "é", ""],
        ["a", "b", "c"],
        ["x", "y", "x"],
        ["2024-02-29"] * 3,
        ["2024-02-29 12:30:00"] * 3,
    ]


def test_a_day_beyond_all_calendars_is_refused_with_the_name_of_the_file() -> None:
    days = pa.array([0, 2**31 - 1], pa.int32()).view(pa.date32())
    with pytest.raises(DataError, match=r"not a whole Arrow file: .*2147483647|out of range"):
        read(written({"day": days}, "arrow"), kind="arrow")


def test_nanoseconds_are_text_also_without_pandas() -> None:
    moments = pa.array([1], pa.timestamp("ns"))
    found = read(written({"moment": moments}, "arrow"), kind="arrow").texts["moment"].tolist()
    assert found[0].startswith("1970-01-01 00:00:00.000000001")


@kinds
def test_labels_may_be_numbers_words_or_codes(kind: str) -> None:
    columns = {
        "a": [1.0, 2.0],
        "y": pa.array(["u", "v"]).dictionary_encode(),
        "z": [True, False],
        "w": [-1, 1],
    }
    data = written(columns, kind)
    for target, expected in [
        ("y", ["u", "v"]),
        ("z", ["true", "false"]),
        ("w", [-1, 1]),
        (3, [-1, 1]),
    ]:
        with pytest.warns(ExtraColumns):
            assert read(data, target, kind, columns=["a"]).y.tolist() == expected


# ---------------------------------------------------------------------- gaps and faults


@kinds
def test_gaps_are_nan_or_empty_where_they_are_announced(kind: str) -> None:
    columns = {
        "a": [1.0, None, 3.0],
        "b": pa.array([None, 2, 3], pa.int32()),
        "c": ["x", None, "z"],
    }
    table = read(written(columns, kind), kind=kind, missing=["null"])
    np.testing.assert_array_equal(table.numbers, [[1, np.nan], [np.nan, 2], [3, 3]])
    assert table.texts["c"].tolist() == ["x", "", "z"]
    coded = {
        "a": pa.array(["x", None]).dictionary_encode(),
        "b": pa.array([1, None]).dictionary_encode(),
    }
    table = read(written(coded, kind), kind=kind, missing=["null"])
    assert table.texts["a"].tolist() == ["x", ""]
    np.testing.assert_array_equal(table.numbers, [[1], [np.nan]])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": [1.0, float("-inf")]}, '<stream>:2: column "a": "-inf" is not a finite number'),
        (
            {"a": [1.0, 1e200]},
            '<stream>:2: column "a": "1e+200" is beyond 1e+150, where its square overflows',
        ),
        ({"b": [1, 1], "y": ["u", None]}, '<stream>:2: column "y": the label is missing'),
        (
            {"b": [1, 1], "y": [1.0, float("nan")]},
            '<stream>:2: column "y": the label "nan" is not a class',
        ),
    ],
)
@kinds
def test_a_fault_is_named_with_its_row(columns: dict[str, Any], message: str, kind: str) -> None:
    target = "y" if "y" in columns else None
    assert fault(written(columns, kind, 1), target, kind) == f"{message}\n{HELP}"


@pytest.mark.parametrize("gap", [None, float("nan")])
def test_null_and_nan_are_gaps(gap: float | None) -> None:
    table = read(written({"a": [1.0, gap], "b": ["x", None]}))
    assert np.isnan(table.numbers[1, 0])
    assert table.texts["b"].tolist() == ["x", ""]


def test_bad_rows_are_passed_over_or_put_aside(tmp_path: Path) -> None:
    columns = {"a": [1.0, 1e200, 3.0, float("inf")], "y": ["u", "v", None, "w"]}
    with pytest.warns(
        SkippedRows, match='3 rows skipped, 1 read; the first: <stream>:2: column "a"'
    ):
        table = read(written(columns), "y", on_bad=f"rejects={tmp_path / 'bad'}")
    assert (table.X.ravel().tolist(), table.y.tolist(), table.lines.tolist()) == ([1], ["u"], [1])
    rejects = [json.loads(line) for line in (tmp_path / "bad").read_text().splitlines()]
    assert [row["line"] for row in rejects] == [2, 3, 4]
    assert json.loads(rejects[1]["text"]) == {"a": 3.0, "y": None}


def test_values_beyond_float32_are_passed_over_without_another_word() -> None:
    with pytest.warns(SkippedRows) as caught:
        table = read(written({"a": [1.0, 1e300, 2.0]}), dtype=np.float32, on_bad="skip")
    assert [warning.category for warning in caught] == [SkippedRows]
    assert table.X.ravel().tolist() == [1, 2]


def test_the_label_of_a_row_that_is_passed_over_does_not_make_labels_text() -> None:
    columns = {"y": ["1", "2", "foo"], "a": [1.0, 2.0, float("inf")]}
    with pytest.warns(SkippedRows):
        table = read(written(columns), "y", on_bad="skip")
    assert table.y.tolist() == [1, 2]


@pytest.mark.parametrize(
    "array",
    [
        pa.array([[1, 2]]),
        pa.array([{"x": 1}]),
        pa.array([b"\xff"]),
        pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
    ],
    ids=["list", "object", "bytes", "map"],
)
def test_columns_that_are_neither_numbers_nor_text_are_refused(array: Any) -> None:
    data = written({"a": [1], "b": array})
    message = fault(data)
    assert message.startswith('<stream>: column "b" holds ')
    assert message.endswith(", which is neither numbers nor text\nhelp: leave it out with columns")
    with pytest.warns(ExtraColumns):
        assert read(data, columns=["a"]).X.tolist() == [[1]]
    for types in ("number", "text"):
        with pytest.raises(DataError):
            read(data, types={"b": types})


def test_a_date_read_as_a_number_is_refused() -> None:
    with pytest.raises(DataError):
        read(written({"a": [datetime.date(2024, 1, 1)]}), types={"a": "number"})


def test_text_can_be_read_as_numbers_and_numbers_as_text() -> None:
    data = written({"a": ["1.5", " 2 ", "3"], "b": [1, 2, 3]})
    table = read(data, types={"a": "number", "b": "text"})
    assert table.columns["a"].tolist() == [1.5, 2, 3]
    assert table.columns["b"].tolist() == ["1", "2", "3"]
    message = fault(written({"a": ["1", "x"]}), types="number")
    assert message.startswith('<stream>:2: column "a": "x" is not a number')


def test_a_column_named_twice_is_refused() -> None:
    table = pa.table([pa.array([1])] * 4, names=["a", "b", "b", "a"])
    for kind in ("file", "parquet"):
        message = fault(written(table, kind), kind=kind)
        assert 'the column "a" stands twice, as number 1 and as number 4' in message or (
            'the column "b" stands twice, as number 2 and as number 3' in message
        )


def test_more_columns_than_allowed_are_refused() -> None:
    three = {"a": [1], "b": [1], "c": [1]}
    assert "max_features=2" in fault(written(three), max_features=2)
    # Where the features are named, the file may hold the target beside them.
    assert "max_features=1" in fault(written(three), max_features=1, columns=["a", "b"])
    with pytest.warns(ExtraColumns):
        table = read(written(three), max_features=2, columns=["a", "b"])
    assert table.names == ["a", "b"]


def test_a_file_without_columns_is_refused() -> None:
    with pytest.raises(DataError, match="a table without columns"):
        read(written({}, "arrow"), kind="arrow")


def test_a_file_without_rows_is_refused() -> None:
    assert fault(written({"a": pa.array([], pa.float64())})).startswith("<stream>: 0 rows")


# ---------------------------------------------------------------------- where bytes come from


@kinds
def test_a_file_that_is_cut_off_is_refused(kind: str) -> None:
    data = written({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "z"]}, kind, 1)
    for cut in {0, 1, 4, 6, 8, 100, len(data) // 2, len(data) - 20, len(data) - 9, len(data) - 5}:
        with pytest.raises(DataError, match="<stream>"):
            read(data[:cut], kind=kind)


def test_a_stream_that_asks_for_all_memory_is_refused_with_its_name(tmp_path: Path) -> None:
    data = written({"a": list(range(1000))}, "stream")
    header = data.index(b"\xff\xff\xff\xff", 8)
    size = int.from_bytes(data[header + 4 : header + 8], "little")
    body = (len(data) - 8 - (header + 8 + size)).to_bytes(8, "little")
    path = tmp_path / "damaged.arrow"
    path.write_bytes(data[:header] + data[header:].replace(body, (1 << 62).to_bytes(8, "little")))
    with pytest.raises(DataError, match="arrow: not a whole Arrow file: out of memory"):
        read_table(path)


@kinds
def test_a_damaged_file_is_refused_with_its_name_or_read(kind: str, tmp_path: Path) -> None:
    """In a process of its own, should it crash."""
    whole = written({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "z"]}, kind, 2)
    (tmp_path / "whole").write_bytes(whole)
    format = "parquet" if kind == "parquet" else "arrow"
    code = f"""
import io, sys
from rosenblatt.errors import DataError
from rosenblatt.io import read_table
whole = open({str(tmp_path / "whole")!r}, "rb").read()
for at in range(len(whole)):
    for bit in (0, 7):
        data = bytearray(whole)
        data[at] ^= 1 << bit
        try:
            read_table(io.BytesIO(bytes(data)), format={format!r})
        except DataError as error:
            assert "<stream>" in str(error) and len(str(error).splitlines()) <= 6, error
        except Exception as error:
            sys.exit(f"byte {{at}}, bit {{bit}}: {{error!r}}")
"""
    found = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert (found.returncode, found.stderr) == (0, "")


@pytest.mark.parametrize("data", [b"a,b\n1,2\n", b"", b"PAR1", b"ARROW1\0\0", b"PAR1" * 10])
def test_what_is_no_such_file_is_refused(data: bytes) -> None:
    for kind in KINDS:
        with pytest.raises(DataError, match="<stream>"):
            read(data, kind=kind)


@pytest.mark.parametrize(
    ("name", "kind"), [("t.parquet", "parquet"), ("t.arrow", "file"), ("t.feather", "stream")]
)
def test_the_ending_of_the_name_tells_the_format(name: str, kind: str, tmp_path: Path) -> None:
    data = written({"a": [1.0, 2.0]}, kind)
    (tmp_path / name).write_bytes(data)
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data))
    for path in (tmp_path / name, tmp_path / f"{name}.gz", str(tmp_path / name)):
        assert read_table(path).X.ravel().tolist() == [1, 2]
    with open(tmp_path / name, "rb") as file:
        assert read_table(file).X.ravel().tolist() == [1, 2]
        assert not file.closed


@kinds
def test_a_pipe_is_read_too(kind: str) -> None:
    data = written({"a": [1.0, 2.0]}, kind)
    format = "parquet" if kind == "parquet" else "arrow"
    code = f"from rosenblatt.io import *; print(read_table('-', format={format!r}).X.tolist())"
    found = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        input=data,
        capture_output=True,
        check=True,
        timeout=PATIENCE,
    )
    assert found.stdout == b"[[1.0], [2.0]]\n"


def test_columns_of_several_files_are_matched_by_name(tmp_path: Path) -> None:
    (tmp_path / "1.parquet").write_bytes(written({"a": [1, 2], "b": ["x", "y"], "y": [0, 1]}))
    (tmp_path / "2.parquet").write_bytes(written({"y": [1], "b": ["z"], "a": [3]}))
    table = read_table([tmp_path / "1.parquet", tmp_path / "2.parquet"], "y")
    assert table.columns["a"].tolist() == [1, 2, 3]
    assert table.columns["b"].tolist() == ["x", "y", "z"]
    assert table.y.tolist() == [0, 1, 1]
    (tmp_path / "3.parquet").write_bytes(written({"a": [1], "y": [1]}))
    with pytest.raises(DataError, match=r'3\.parquet: 1 column is missing: "b"'):
        read_table([tmp_path / "1.parquet", tmp_path / "3.parquet"], "y")


def test_a_column_that_changes_its_type_between_files_is_refused_or_read_alike(
    tmp_path: Path,
) -> None:
    (tmp_path / "1.parquet").write_bytes(written({"a": [1, 2]}))
    (tmp_path / "2.parquet").write_bytes(written({"a": ["3", "4"]}))
    (tmp_path / "3.parquet").write_bytes(written({"a": [[1]]}))
    assert read_table([tmp_path / "1.parquet", tmp_path / "2.parquet"]).X.ravel().tolist() == [
        1,
        2,
        3,
        4,
    ]
    for names in ("13", "23"):
        with pytest.raises(DataError):
            read_table([tmp_path / f"{name}.parquet" for name in names])


def test_without_pyarrow_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    data = written({"a": [1.0]})
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra) as caught:
        read(data)
    assert str(caught.value) == (
        "reading Parquet and Arrow files needs pyarrow. Install it with "
        "pip install 'rosenblatt[table]'."
    )


def test_a_column_of_nothing_is_numbers_that_are_missing() -> None:
    data = written({"a": pa.array([None, None]), "b": [1, 2]})
    assert np.isnan(read(data).X[:, 0]).all()
