"""What people do to readers without meaning harm."""

from __future__ import annotations

import copy
import gzip
import io
import pickle
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from rosenblatt import Perceptron
from rosenblatt.errors import DataError, InputError, ParameterError
from rosenblatt.io import (
    iter_conll,
    iter_svmlight,
    iter_table,
    iter_text,
    iter_vw,
    read_svmlight,
    read_table,
    read_text,
)
from rosenblatt.tables.readers import lines

READERS = [
    lambda: iter_svmlight(io.BytesIO(b"1 1:1\n")),
    lambda: iter_table(io.BytesIO(b"a\n1\n")),
    lambda: iter_table(io.BytesIO(b'{"a":1}\n'), format="jsonl"),
    lambda: iter_text(io.BytesIO(b"a\tb\n")),
    lambda: iter_vw(io.BytesIO(b"1 |a b\n")),
    lambda: iter_conll(io.BytesIO(b"a B\n")),
]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("copied", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_reader_cannot_be_copied_and_says_so(reader: Any, copied: Any) -> None:
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        copied(reader())
    with pytest.raises(TypeError):
        copied(reader()._form.parser)


def parquet(columns: dict[str, Any]) -> io.BytesIO:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    file.seek(0)
    return file


def test_marks_of_missing_values_win_over_numbers_in_every_format() -> None:
    csv = b'a,y\n1,p\n-999,q\n" -999 ",r\n-999.0,s\n'
    found = read_table(io.BytesIO(csv), target="y", missing=["-999"]).numbers.ravel()
    np.testing.assert_array_equal(found, [1, np.nan, np.nan, -999])
    jsonl = b'{"a":1}\n{"a":-999}\n'
    found = read_table(io.BytesIO(jsonl), format="jsonl", missing=["-999"]).numbers.ravel()
    np.testing.assert_array_equal(found, [1, np.nan])
    for values in ([1, -999], [1.0, -999.0]):
        file = parquet({"a": values})
        found = read_table(file, format="parquet", missing=["-999"]).numbers.ravel()
        np.testing.assert_array_equal(found, [1, np.nan])
    file = parquet({"a": [1.0, float("inf")]})
    found = read_table(file, format="parquet", missing=["inf"]).numbers.ravel()
    np.testing.assert_array_equal(found, [1, np.nan])


def test_a_label_as_long_as_a_text_is_refused_before_it_takes_the_memory() -> None:
    text = b"x" * 100_000 + b"\tt\n" + b"a\tt\n" * 200_000
    with pytest.raises(DataError, match="is 100,000 bytes long"):
        read_text(io.BytesIO(text))
    some = b"x" * 500 + b"\tt\n" + b"a\tt\n" * 100
    assert read_text(io.BytesIO(some))[1].dtype == object


@pytest.mark.parametrize("piece", [1, 7, 1 << 20])
def test_the_first_label_of_a_stream_decides_however_the_bytes_arrive(piece: int) -> None:
    with patch.object(lines, "PIECE", piece):
        for row in (b"1 1:2\n", b"1 1:22222222\n"):
            with pytest.raises(DataError, match='label "a" is not a number'):
                list(iter_svmlight(io.BytesIO(row + b"a 1:3\n")))
        blocks = list(iter_svmlight(io.BytesIO(b"a 1:3\n1 1:2\n")))
    assert [label for block in blocks for label in block.y] == ["a", "1"]
    assert read_svmlight(io.BytesIO(b"1 1:2\na 1:3\n"))[1].tolist() == ["1", "a"]


def test_a_late_label_of_text_makes_all_labels_text_in_parquet_too() -> None:
    file = parquet({"a": list(range(70_000)), "y": ["1"] * 69_999 + ["b"]})
    assert set(read_table(file, target="y", format="parquet").y) == {"1", "b"}
    with pytest.raises(DataError, match="the label is missing"):
        read_table(parquet({"a": [1, 2], "y": ["", "b"]}), target="y", format="parquet")


def test_a_table_of_many_columns_takes_linear_time() -> None:
    def seconds(n: int) -> float:
        header = ",".join(f"c{i}" for i in range(n))
        text = f"{header},y\n" + (",".join(["1"] * n) + ",a\n") * 2
        start = time.process_time()
        assert read_table(io.BytesIO(text.encode()), target="y").numbers.shape == (2, n)
        return time.process_time() - start

    # Squared time would take 1,600 times as long; what lies between is for busy machines.
    few = min(seconds(1_000) for _ in range(3))
    assert min(seconds(40_000) for _ in range(3)) < 300 * few


def test_several_values_where_the_label_should_be_are_refused() -> None:
    for row in (b"a,y\n", b"1,2 1:3\n", b"1;2;3\n"):
        with pytest.raises(DataError, match="holds more than one value"):
            read_svmlight(io.BytesIO(row))


def test_paths_may_come_from_a_generator_and_must_agree_on_the_format(tmp_path: Path) -> None:
    for name in ("1.jsonl", "2.jsonl"):
        (tmp_path / name).write_bytes(b'{"a":1}\n')
    (tmp_path / "3.csv").write_bytes(b"a\n1\n")
    assert len(read_table(tmp_path.glob("*.jsonl"))) == 2
    with pytest.raises(ParameterError, match=r"different formats \(csv, jsonl\)"):
        read_table(sorted(tmp_path.iterdir()))
    labels = read_table(io.BytesIO(b"a,y\n1,p\n"), target="y", classes=(c for c in "pq"))
    assert labels.y.tolist() == ["p"]


def test_a_file_that_unpacks_itself_is_read_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(b"a\n1\n2\n"))
    with gzip.open(path, "rb") as file:
        assert read_table(file).X.ravel().tolist() == [1, 2]


def test_closed_standard_input_is_one_sentence() -> None:
    code = "from rosenblatt.cli import main; main()"
    done = subprocess.run(
        ["sh", "-c", 'exec "$0" -c "$1" certify - <&-', sys.executable, code],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 5
    assert done.stderr.count("\n") == 1
    assert "standard input is closed" in done.stderr


def test_boolean_classes_match_true_and_false() -> None:
    text = b"a,y\n1,True\n2,false\n"
    assert read_table(io.BytesIO(text), target="y", classes=[True, False]).y.tolist() == [
        True,
        False,
    ]
    with pytest.raises(DataError, match='"yes" is not one of the known classes True, False'):
        read_table(io.BytesIO(b"a,y\n1,yes\n"), target="y", classes=[True, False])


def test_one_class_is_refused_also_when_training_goes_on() -> None:
    begun = Perceptron(warm_start=True).learn_one([1.0, 2.0], 1)
    with pytest.raises(InputError, match="y holds only one class, 1"):
        begun.fit([[1.0, 2.0]], [1])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"columns": []}, "columns is empty"),
        ({"columns": ["a", "y"]}, 'the target "y" is also one of the features'),
        ({"max_line_bytes": -5}, "max_line_bytes=-5 is not allowed: give a whole number"),
        ({"max_line_bytes": None}, "max_line_bytes=None is not allowed: give a whole number"),
        ({"max_features": None}, "max_features=None is not allowed: give a whole number"),
        ({"dtype": "floaty"}, "dtype='floaty' is not allowed: give float32 or float64"),
        ({"ignore": "a"}, "ignore='a' is not allowed: give a list"),
    ],
)
def test_wrong_arguments_are_named(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        read_table(io.BytesIO(b"a,b,y\n1,2,p\n"), target="y", **settings)


def test_a_wrong_delimiter_is_guessed_at(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="semicolons separate the columns, say delimiter=';'"):
        read_table(io.BytesIO(b"a;b;y\n1;2;p\n"), target=-1, delimiter=",", header=True)
