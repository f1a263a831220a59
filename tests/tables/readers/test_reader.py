"""The walk through files: what it counts, what it closes, and how little it keeps."""

from __future__ import annotations

import gc
import io
import json
import os
import pickle
import tracemalloc
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from open_files import linux, open_files

from rosenblatt.errors import DataError, InputError, ParameterError
from rosenblatt.io import (
    ExtraColumns,
    HeaderOfNumbers,
    SkippedRows,
    iter_svmlight,
    iter_table,
    read_svmlight,
    read_table,
)
from rosenblatt.tables.readers import lines

TEXT = b"1 1:1\n1 1:x\n2 2:1\n3 3:nan\n4 1:1\n"


def test_a_reader_counts_what_it_read_and_what_it_passed_over() -> None:
    with patch.object(lines, "PIECE", 8):
        reader = iter_svmlight(io.BytesIO(TEXT), on_bad="skip")
        assert (reader.rows, reader.skipped, reader.first_faults) == (0, 0, [])
        counts = [(len(block), reader.rows) for block in reader]
    assert counts[-1][1] == reader.rows == sum(n for n, _ in counts) == 3
    assert reader.skipped == 2
    assert [(fault.line, fault.column) for fault in reader.first_faults] == [(2, 5), (4, 5)]
    assert [fault.message for fault in reader.first_faults] == [
        '"x" is not a number',
        '"nan" is not a finite number',
    ]


def test_only_the_first_faults_are_kept() -> None:
    reader = iter_svmlight(io.BytesIO(b"1 x\n" * 1000 + b"1 1:1\n"), on_bad="skip")
    assert len(list(reader)) >= 1
    assert reader.skipped == 1000
    assert [fault.line for fault in reader.first_faults] == [1, 2, 3, 4, 5]


def test_nothing_but_bad_rows_is_an_error_that_counts_them() -> None:
    with pytest.raises(DataError) as caught:
        read_svmlight(io.BytesIO(b"1 x\n" * 1234), on_bad="skip")
    assert str(caught.value).splitlines()[0] == "<stream>: 0 rows; 1,234 bad rows skipped"


def test_a_stream_hands_out_what_came_before_the_fault() -> None:
    with patch.object(lines, "PIECE", 6):
        reader = iter_svmlight(io.BytesIO(b"1 1:1\n2 1:1\n3 1:x\n"))
        assert [next(reader).labels.tolist() for _ in range(2)] == [[1], [2]]
        with pytest.raises(DataError, match=":3:5:"):
            next(reader)
    assert list(reader) == []


def test_a_block_knows_its_rows_labels_and_lines() -> None:
    block = next(iter_svmlight(io.BytesIO(b"\n1 1:1 2:2\n\n-1 2:3\n")))
    X, y = block
    assert len(block) == 2
    assert X.toarray().tolist() == block.X.toarray().tolist() == [[1, 2], [0, 3]]
    assert y.tolist() == block.y.tolist() == block.labels.tolist() == [1, -1]
    assert block.lines.tolist() == [2, 4]
    assert block.rows.shape == (2, 2)
    assert block.rows.tocsr().data.base is not None


# ---------------------------------------------------------------------- files are closed


@linux
@pytest.mark.parametrize("how", ["with", "close", "end", "error", "dropped"])
def test_files_are_closed(how: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.svm"
    path.write_bytes(b"1 1:1\n" * 1000 + (b"oops:\n" if how == "error" else b""))
    with patch.object(lines, "PIECE", 64):
        reader: Any = iter_svmlight(path, on_bad="fail")
        next(reader)
        assert open_files(tmp_path) == 1
        if how == "with":
            with reader:
                next(reader)
        elif how == "close":
            reader.close()
        elif how == "end":
            list(reader)
        elif how == "error":
            with pytest.raises(DataError):
                list(reader)
    del reader
    gc.collect()
    assert open_files(tmp_path) == 0


@linux
def test_no_file_is_open_before_its_turn_or_after_it(tmp_path: Path) -> None:
    paths = []
    for name in "abc":
        paths.append(tmp_path / name)
        paths[-1].write_bytes(b"1 1:1\n")
    with iter_svmlight(paths) as reader:
        assert open_files(tmp_path) == 0
        for _ in reader:
            assert open_files(tmp_path) <= 1
    assert open_files(tmp_path) == 0


def test_a_closed_reader_gives_nothing_more() -> None:
    reader = iter_svmlight(io.BytesIO(TEXT), on_bad="skip")
    reader.close()
    reader.close()
    assert list(reader) == []


# ---------------------------------------------------------------------- rejects


def test_rejects_never_overwrite_the_input(tmp_path: Path) -> None:
    path, link = tmp_path / "rows.svm", tmp_path / "link"
    path.write_bytes(TEXT)
    link.symlink_to(path)
    for name in (path, link, tmp_path / "." / "rows.svm"):
        with pytest.raises(ParameterError, match="is the file to be read"):
            read_svmlight(path, on_bad=f"rejects={name}")
    with open(path, "rb") as file, pytest.raises(ParameterError, match="is the file to be read"):
        read_svmlight(file, on_bad=f"rejects={path}")
    with pytest.raises(ParameterError, match="is the file to be read"):
        read_svmlight([io.BytesIO(TEXT), path], on_bad=f"rejects={path}")
    assert path.read_bytes() == TEXT


def test_rejects_never_overwrite_the_input_given_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "rows.svm"
    path.write_bytes(TEXT)
    with open(os.open(path, os.O_RDONLY), "rb") as file, pytest.raises(ParameterError):
        read_svmlight(file, on_bad=f"rejects={path}")
    assert path.read_bytes() == TEXT


def test_rejects_are_there_even_if_there_are_none(tmp_path: Path) -> None:
    path = tmp_path / "rejects"
    path.write_text("of last time")
    read_svmlight(io.BytesIO(b"1 1:1\n"), on_bad=f"rejects={path}")
    assert path.read_bytes() == b""


def test_rejects_of_a_stream_can_be_read_when_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "rejects"
    with (
        patch.object(lines, "PIECE", 8),
        iter_svmlight(io.BytesIO(TEXT), on_bad=f"rejects={path}") as reader,
    ):
        next(reader)
        next(reader)
    found = [json.loads(line) for line in path.read_text().splitlines()]
    assert found == [
        {
            "file": "<stream>",
            "line": 2,
            "column": 5,
            "reason": '"x" is not a number',
            "text": "1 1:x",
        }
    ]


def test_rejects_that_cannot_be_written_are_the_systems_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="none"):
        read_svmlight(io.BytesIO(TEXT), on_bad=f"rejects={tmp_path / 'none' / 'rejects'}")


# ---------------------------------------------------------------------- memory


@pytest.mark.parametrize("kind", ["svmlight", "csv", "jsonl"])
def test_memory_does_not_grow_with_the_file(kind: str) -> None:
    rows = {
        "svmlight": (b"", b"label%d 1:0.5 2:%d # some words\n"),
        "csv": (b"a,b,y\n", b'"text %d, quoted",%d,yes\n'),
        "jsonl": (b"", b'{"a": "text %d", "b": %d, "y": "no"}\n'),
    }
    head, row = rows[kind]

    class Many(io.RawIOBase):
        def __init__(self, n: int) -> None:
            self.left, self.n, self.at = head, n, 0

        def readable(self) -> bool:
            return True

        def readinto(self, view: Any) -> int:
            while len(self.left) < len(view) and self.at < self.n:
                self.left += b"".join(row % (i, i) for i in range(self.at, self.at + 50))
                self.at += 50
            n = min(len(view), len(self.left))
            view[:n], self.left = self.left[:n], self.left[n:]
            return n

    def peak(n: int) -> int:
        with patch.object(lines, "PIECE", 4096):
            reader: Any = (
                iter_svmlight(Many(n), labels="text")
                if kind == "svmlight"
                else iter_table(Many(n), "y", format=kind, types={"a": "text", "b": "number"})
            )
            tracemalloc.start()
            for _ in reader:
                pass
            found = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert reader.rows == n
        return found

    peak(1000)
    assert peak(10_000) < peak(1000) + 60_000


# ---------------------------------------------------------------------- warnings and errors


def warned_at(caught: Any) -> tuple[str, str]:
    (warning,) = caught
    line = Path(warning.filename).read_text().splitlines()[warning.lineno - 1]
    return Path(warning.filename).name, line.strip()


def test_warnings_point_at_the_line_of_the_caller() -> None:
    with pytest.warns(SkippedRows) as caught:
        read_svmlight(io.BytesIO(TEXT), on_bad="skip")  # here
    assert warned_at(caught) == (
        Path(__file__).name,
        'read_svmlight(io.BytesIO(TEXT), on_bad="skip")  # here',
    )
    with pytest.warns(HeaderOfNumbers) as caught:
        read_table(io.BytesIO(b"1,2\n3,4\n"), header=True)  # here
    assert warned_at(caught)[1] == r'read_table(io.BytesIO(b"1,2\n3,4\n"), header=True)  # here'
    with pytest.warns(ExtraColumns) as caught:
        next(iter_table(io.BytesIO(b"a,b\n3,4\n"), columns=["a"]))  # here
    assert (
        warned_at(caught)[1]
        == r'next(iter_table(io.BytesIO(b"a,b\n3,4\n"), columns=["a"]))  # here'
    )


def test_an_error_carries_its_parts_and_survives_pickling() -> None:
    with pytest.raises(DataError) as caught:
        read_svmlight(io.BytesIO(b"1 1:1\n1 1:x\n"))
    error = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(error, InputError)
    assert isinstance(error, ValueError)
    assert (error.name, error.line, error.column) == ("<stream>", 2, 5)
    assert error.message == '"x" is not a number'
    assert error.text == "1 1:x"
    assert str(error.cures[0]).startswith("write index:value")
    assert str(error) == str(caught.value)


@pytest.mark.parametrize(
    ("text", "shown", "carets"),
    [
        ("日本 x 1:1\n", "  日本 x 1:1", "       ^"),
        ("e\u0301é x 1:1\n", "  e\u0301é x 1:1", "     ^"),
        ("a\tx\n", "  a x", "    ^"),
    ],
)
def test_the_caret_stands_under_the_place_in_a_terminal(text: str, shown: str, carets: str) -> None:
    with pytest.raises(DataError) as caught:
        read_svmlight(io.BytesIO(text.encode()))
    assert str(caught.value).splitlines()[1:3] == [shown, carets]
