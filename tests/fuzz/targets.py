"""One function a parser: any bytes give rows or an error of ours, whole or in blocks alike.

Each target reads the same bytes at once and in tiny pieces, with every bad row refused and with bad
rows passed over. What may come out is a result or an error that the documentation names; whatever
else is a bug: another exception, a crash, a value that is not finite, rows that depend on how the
bytes arrived. A target returns how much was read, so that one which refuses everything is noticed.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import struct
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import rosenblatt
from rosenblatt.engine.text import numbers as kernel
from rosenblatt.errors import DataError, ModelFileError, Notice, RosenblattError
from rosenblatt.io import iter_conll, iter_svmlight, iter_table, iter_text, iter_vw
from rosenblatt.tables.readers import halves, lines

Row = tuple[Any, ...]
Target = Callable[[bytes], int]

NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
MAX_LINES_OF_AN_ERROR = 6


# ---------------------------------------------------------------------- reading in two ways


@contextmanager
def pieces_of(size: int) -> Iterator[None]:
    """Read files in pieces of so many bytes, however few of them two threads are to share."""
    usual, lines.PIECE = lines.PIECE, size
    least, halves.LEAST = halves.LEAST, 0
    try:
        yield
    finally:
        lines.PIECE, halves.LEAST = usual, least


@contextmanager
def only_our_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", Notice)
        yield


class Outcome:
    """The rows of a reader, or the words of its error; and how many rows it passed over."""

    def __init__(
        self, reader: Callable[[], Any], rows_of: Callable[[Any], list[Row]], whole: bool
    ) -> None:
        self.rows: list[Row] = []
        self.skipped, self.error = 0, ""
        found: Any = None
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("error")
            warnings.simplefilter("always", Notice)
            try:
                found = reader()
                for block in [found.whole()] if whole else found:
                    self.rows += checked(rows_of(block), block)
                assert found.rows == len(self.rows)
            except RosenblattError as error:
                self.error = spelled_out(error)
            finally:
                if found is not None:
                    self.skipped = found.skipped
                    found.close()
        # Rows that a strict reader left out since they only remark on the table above them.
        self.remarks = sum("skipped, below the last row" in str(one.message) for one in said)


def spelled_out(error: Exception) -> str:
    """The words of an error, which are few and place it in the text."""
    words = str(error)
    assert 1 <= len(words.split("\n")) <= MAX_LINES_OF_AN_ERROR, words
    if isinstance(error, DataError):
        assert error.line is None or error.line >= 1, words
        assert error.column is None or error.column >= 1, words
    return words


def checked(rows: list[Row], block: Any) -> list[Row]:
    assert len(rows) == len(block) == len(block.lines)
    assert (np.diff(block.lines) > 0).all()
    assert len(block) == 0 or block.lines[0] >= 1
    return rows


def agree(
    read: Callable[..., Any], data: bytes, rows_of: Callable[[Any], list[Row]], **options: Any
) -> int:
    """Read in both ways, strictly and passing over bad rows, and compare.

    Returns how many rows were read strictly, 0 after an error.
    """
    with only_our_warnings():
        for on_bad in ("fail", "skip"):

            def reader(on_bad: str = on_bad) -> Any:
                return read(io.BytesIO(data), on_bad=on_bad, **options)

            whole = Outcome(reader, rows_of, whole=True)
            for size in {1, 2 + len(data) % 61}:
                with pieces_of(size):
                    blocks = Outcome(reader, rows_of, whole=False)
                assert blocks.error == whole.error, (options, blocks.error, whole.error)
                assert blocks.skipped == whole.skipped, (options, blocks.skipped, whole.skipped)
                if not whole.error:  # before an error, how much is handed out depends on the pieces
                    assert same(blocks.rows, whole.rows), (options, blocks.rows, whole.rows)
            n_lines = data.count(b"\n") + data.count(b"\r") + 1
            assert len(whole.rows) + whole.skipped <= n_lines, options
            if on_bad == "fail":
                strict = whole
            elif not strict.error:
                assert whole.skipped == strict.remarks
                assert same(whole.rows, strict.rows)
    return 0 if strict.error else len(strict.rows)


def same(rows: list[Row], others: list[Row]) -> bool:
    """Equal to the bit, where NaN is NaN."""
    return repr(rows) == repr(others)


def survives(read: Callable[..., Any], data: bytes, **options: Any) -> int:
    """Read where the outcome may depend on the pieces: kinds that are guessed from the first."""
    with only_our_warnings():
        for size in (1, 1 << 16):
            for on_bad in ("fail", "skip"):
                with pieces_of(size):

                    def reader(on_bad: str = on_bad) -> Any:
                        return read(io.BytesIO(data), on_bad=on_bad, **options)

                    found = Outcome(reader, lambda block: [()] * len(block), whole=size > 1)
    return len(found.rows)


def plain(values: Any, n: int) -> list[Any]:
    """Labels or a column as Python's own; whole numbers of one block may be floats in another."""
    if values is None:
        return [None] * n
    return (values if values.dtype.kind in "OU" else values.astype(float)).tolist()


def sparse_rows(block: Any) -> list[Row]:
    """Label, weight, columns and values of each row, after a look at the arrays."""
    rows = block.rows
    starts, columns, values = rows.indptr, rows.indices, rows.data
    assert len(starts) == len(block) + 1
    assert starts[0] == 0
    assert starts[-1] == len(columns) == len(values)
    assert (np.diff(starts) >= 0).all()
    assert np.isfinite(values).all()
    assert rows.shape[1] >= 1
    assert len(columns) == 0 or 0 <= columns.min() <= columns.max() < rows.shape[1]
    weights = np.ones(len(block)) if block.weights is None else block.weights
    assert np.isfinite(weights).all()
    found = []
    for label, weight, first, stop in zip(
        plain(block.labels, len(block)), weights, starts[:-1], starts[1:], strict=True
    ):
        assert (np.diff(columns[first:stop]) > 0).all()
        row = label, float(weight), columns[first:stop].tolist(), values[first:stop].tolist()
        found.append(row)
    return found


def table_rows(table: Any) -> list[Row]:
    assert table.numbers.shape == (len(table), len(table.number_names))
    assert not np.isinf(table.numbers).any()
    assert all(len(column) == len(table) for column in table.texts.values())
    assert list(table.columns) == table.names
    assert table.names
    columns = [plain(column, len(table)) for column in table.columns.values()]
    return list(zip(plain(table.labels, len(table)), *columns, strict=True))


def listed_rows(block: Any) -> list[Row]:
    return list(zip(block.rows, plain_lists(block.labels, len(block)), strict=True))


def plain_lists(values: Any, n: int) -> list[Any]:
    return [None] * n if values is None else list(values)


# ---------------------------------------------------------------------- the targets


def svmlight(data: bytes) -> int:
    return (
        agree(iter_svmlight, data, sparse_rows, labels="text")
        + agree(
            iter_svmlight, data, sparse_rows, labels="number", zero_based=True, dtype=np.float32
        )
        + agree(iter_svmlight, data, sparse_rows, labels="text", n_features=7, max_features=3)
        + agree(iter_svmlight, data, sparse_rows, classes=[1, -1])
        + survives(iter_svmlight, data)
    )


def vw(data: bytes) -> int:
    return (
        agree(iter_vw, data, sparse_rows, labels="text", bits=6)
        + agree(iter_vw, data, sparse_rows, labels="text", bits=None)
        + agree(iter_vw, data, sparse_rows, labelled=False, dtype=np.float32, max_features=3)
        + agree(iter_vw, data, sparse_rows, labels="number", names=["f^a", "^b"])
        + survives(iter_vw, data)
    )


def csv(data: bytes) -> int:
    first: dict[str, Any] = {"types": "text", "labels": "text", "target": 0}
    named: dict[str, Any] = {"columns": ["b"], "target": "a", "types": "text", "labels": "text"}
    mixed: dict[str, Any] = {"types": {"a": "number", "b": "text"}, "columns": ["b"]}
    return (
        sum(
            agree(iter_table, data, table_rows, **first, **more)
            for more in ({}, {"header": False}, {"trim": True})
        )
        + agree(iter_table, data, table_rows, types="number", header=False, dtype=np.float32)
        + agree(iter_table, data, table_rows, types="number", missing=["", "?"], max_features=3)
        + agree(iter_table, data, table_rows, **named)
        + agree(iter_table, data, table_rows, **mixed)
        + survives(iter_table, data)
        + survives(iter_table, data, header=False, target=-1, missing=["?"], trim=True)
    )


def tsv(data: bytes) -> int:
    return (
        agree(iter_table, data, table_rows, format="tsv", types="text", labels="text")
        + agree(iter_table, data, table_rows, format="tsv", types="number", missing=["NA"])
        + survives(iter_table, data, format="tsv", target=-1)
    )


def jsonl(data: bytes) -> int:
    named: dict[str, Any] = {"format": "jsonl", "columns": ["a", "b"], "target": "y"}
    named["labels"] = "text"
    mixed: dict[str, Any] = {"types": {"a": "number", "b": "text"}, "missing": ["null", "?"]}
    return (
        agree(iter_table, data, table_rows, **named, types="text")
        + agree(iter_table, data, table_rows, **named, types="number")
        + agree(iter_table, data, table_rows, **named, **mixed)
        + survives(iter_table, data, format="jsonl")
        + survives(iter_table, data, format="jsonl", target=-1, missing=["null"])
    )


def text(data: bytes) -> int:
    return (
        agree(iter_text, data, listed_rows, labels="text")
        + agree(iter_text, data, listed_rows, labelled=False)
        + survives(iter_text, data)
    )


def encoded(data: bytes) -> int:
    read = 0
    for encoding in ("latin-1", "utf-16", "utf-16-le", "utf-32", "utf-8-sig", "shift-jis"):
        try:
            data.decode(encoding)
        except UnicodeError:  # this or a bad row before it, whichever is met first
            read += survives(iter_text, data, labelled=False, encoding=encoding)
        else:
            read += agree(iter_text, data, listed_rows, labelled=False, encoding=encoding)
    return read


def conll(data: bytes) -> int:
    return (
        agree(iter_conll, data, listed_rows, format="conll")
        + agree(iter_conll, data, listed_rows, format="conll", labelled=False, max_tokens=3)
        + survives(iter_conll, data)
    )


def conllu(data: bytes) -> int:
    other: dict[str, Any] = {"target": "deprel", "inputs": ["form", -1]}
    return (
        agree(iter_conll, data, listed_rows, format="conllu")
        + agree(iter_conll, data, listed_rows, format="conllu", **other)
        + survives(iter_conll, data)
    )


def numbers(data: bytes) -> int:
    """The kernel reads what the grammar says, to the bit as Python does."""
    read = 0
    for token in {data, *re.split(rb"[ \n,]", data)}:
        found = kernel.parse(token)
        if not NUMBER.fullmatch(token):
            assert found is None, token
        else:
            assert found is not None, token
            assert struct.pack("<d", found) == struct.pack("<d", float(token)), token
            read += 1
    return read


UNPACK: dict[bytes, Callable[[bytes], bytes]] = {
    b"\x1f\x8b": gzip.decompress,
    b"\xfd7zXZ\x00": lzma.decompress,
    b"BZh": bz2.decompress,
}


def packed(data: bytes) -> int:
    """What Python unpacks is read; what it refuses to unpack is refused."""
    with only_our_warnings():
        found = Outcome(lambda: iter_text(io.BytesIO(data), labelled=False), listed_rows, True)
        with pieces_of(60_000 + len(data) % 61):  # a little can unpack to very much
            Outcome(lambda: iter_text(io.BytesIO(data), labelled=False), listed_rows, False)
    for mark, unpack in UNPACK.items():
        if data.startswith(mark):
            try:
                inner = unpack(data)
            except Exception:
                assert found.error, "damaged data were read without a word"
                continue
            with only_our_warnings():
                again = Outcome(
                    lambda inner=inner: iter_text(io.BytesIO(inner), labelled=False),
                    listed_rows,
                    True,
                )
            if not any(inner.startswith(mark) for mark in UNPACK):  # unpacked once, not twice
                assert again.rows == found.rows
                assert again.error == found.error
    return len(found.rows)


def model(data: bytes) -> int:
    """A model file gives a learner that can be saved again, or an error of ours."""
    handle, path = tempfile.mkstemp(suffix=".rbt")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                learner = rosenblatt.load(path)
            except ModelFileError as error:
                spelled_out(error)
                return 0
            rosenblatt.save(learner, path)
            rosenblatt.load(path)
            return 1
    finally:
        os.unlink(path)


TARGETS: dict[str, Target] = {
    function.__name__: function
    for function in (
        svmlight,
        vw,
        csv,
        tsv,
        jsonl,
        text,
        encoded,
        conll,
        conllu,
        numbers,
        packed,
        model,
    )
}
