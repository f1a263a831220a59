"""Bytes from paths, files, pipes and standard input, packed or not, in any encoding."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import pathlib
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from waiting import PATIENCE

from rosenblatt.errors import DataError, MissingExtra, ParameterError
from rosenblatt.features import Schema
from rosenblatt.io import (
    Assumption,
    iter_svmlight,
    iter_table,
    read_svmlight,
    read_table,
    read_text,
)
from rosenblatt.tables.readers import lines, sources
from rosenblatt.tables.readers.lines import Lines
from rosenblatt.tables.readers.sources import sources_of

ROWS = b"1 1:0.5\n-1 2:1\n1 3:2\n"
EXPECTED = [[0.5, 0, 0], [0, 1, 0], [0, 0, 2]]


def zstd() -> Any:
    return pytest.importorskip(
        "backports.zstd" if sys.version_info < (3, 14) else "compression.zstd"
    )


PACKERS: dict[str, Any] = {
    "gz": lambda data: gzip.compress(data, mtime=0),
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zst": lambda data: zstd().compress(data),
}
packed = pytest.mark.parametrize("ending", sorted(PACKERS))


def assert_read(given: Any, times: int = 1) -> None:
    X, y = read_svmlight(given)
    np.testing.assert_array_equal(X.toarray(), EXPECTED * times)
    np.testing.assert_array_equal(y, [1, -1, 1] * times)


def run(code: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=environment,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        **options,
    )


class Dripping(io.RawIOBase):
    """A pipe that gives a byte at a time."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def readable(self) -> bool:
        return True

    def readinto(self, view: Any) -> int:
        n = min(1, len(view), len(self.data) - self.at)
        view[:n] = self.data[self.at : self.at + n]
        self.at += n
        return n


class OnlyRead:
    """The least that a file can be."""

    def __init__(self, data: bytes) -> None:
        self.file = io.BytesIO(data)

    def read(self, size: int = -1) -> bytes:
        return self.file.read(size)


# ---------------------------------------------------------------------- where bytes come from


def test_a_path_can_be_text_or_a_path_object(tmp_path: Path) -> None:
    path = tmp_path / "rows.svm"
    path.write_bytes(ROWS)
    assert_read(str(path))
    assert_read(path)
    assert_read(pathlib.PurePath(path))


def test_several_files_are_read_one_after_the_other(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_bytes(ROWS.removesuffix(b"\n"))
    assert_read([tmp_path / "a", str(tmp_path / "b")], 2)
    assert_read((path for path in sorted(tmp_path.iterdir())), 2)
    assert_read((tmp_path / "a", io.BytesIO(b"\xef\xbb\xbf" + ROWS)), 2)


def test_a_fault_in_a_later_file_names_that_file_and_its_own_line(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(ROWS)
    (tmp_path / "b").write_bytes(b"\n1 1:x\n")
    with pytest.raises(DataError) as caught:
        read_svmlight([tmp_path / "a", tmp_path / "b"])
    assert (caught.value.name, caught.value.line, caught.value.column) == (
        str(tmp_path / "b"),
        2,
        5,
    )


@pytest.mark.parametrize("make", [io.BytesIO, Dripping, OnlyRead], ids=["BytesIO", "drip", "read"])
def test_anything_with_bytes_to_read_can_be_read(make: Any) -> None:
    assert_read(make(ROWS))


def test_an_open_file_is_read_from_where_it_stands_and_stays_open(tmp_path: Path) -> None:
    path = tmp_path / "rows.svm"
    path.write_bytes(b"1 1:x\n" + ROWS)
    for buffering in (0, -1):
        with open(path, "rb", buffering=buffering) as file:
            file.readline()
            assert_read(file)
            assert not file.closed
            with pytest.raises(DataError, match="0 rows"):
                read_svmlight(file)
    with open(path, "rb") as file, pytest.raises(DataError) as caught:
        read_svmlight(file)
    assert caught.value.name == str(path)


@pytest.mark.parametrize("pack", [bytes, PACKERS["gz"]], ids=["plain", "gzip"])
def test_standard_input_is_read_from_a_dash(pack: Any) -> None:
    code = "from rosenblatt.io import *; X, y = read_svmlight('-'); print(X.toarray().tolist(), y)"
    found = run(code, input=pack(ROWS))
    assert found.stdout.decode() == f"{[list(map(float, row)) for row in EXPECTED]} [ 1 -1  1]\n"
    assert found.stderr == b""


def test_a_fault_in_standard_input_names_it() -> None:
    found = run("from rosenblatt.io import read_svmlight as r; r('-')", input=b"1 1:x\n")
    assert b'DataError: <stdin>:1:5: "x" is not a number' in found.stderr


def test_a_live_pipe_delivers_rows_before_it_is_closed() -> None:
    reading, writing = os.pipe()
    first_seen = threading.Event()
    with open(reading, "rb", buffering=0) as source, open(writing, "wb", buffering=0) as sink:
        seen: list[Any] = []

        def consume() -> None:
            for block in iter_svmlight(source):
                seen.append(block.labels.tolist())
                first_seen.set()

        sink.write(b"1 1:1\n2 1:1\n3 1:")
        consumer = threading.Thread(target=consume)
        consumer.start()
        assert first_seen.wait(PATIENCE), "nothing came while the pipe was open"
        assert seen == [[1], [2]] or seen[0][:1] == [1]
        sink.write(b"1\n4 1:1")
        sink.close()
        consumer.join(PATIENCE)
    assert [label for block in seen for label in block] == [1, 2, 3, 4]


def test_a_buffered_pipe_delivers_rows_before_it_is_closed() -> None:
    """As sys.stdin.buffer is one."""
    code = """
import subprocess, sys
inner = '''
from rosenblatt.io import iter_table
for block in iter_table("-", types="number", header=True, delimiter=","):
    print(len(block), flush=True)
'''
command, pipe = [sys.executable, "-c", inner], subprocess.PIPE
child = subprocess.Popen(command, stdin=pipe, stdout=pipe)
child.stdin.write(b"a,b\\n1,2\\n"); child.stdin.flush()
print(child.stdout.readline())  # waits for ever if the child waits for more
child.stdin.write(b"3,4\\n5,6"); child.stdin.close()
print(sum(map(int, child.stdout)), child.wait())
child.stdout.close()
"""
    found = run(code)
    assert found.stdout == b"b'1\\n'\n2 0\n", found


# ---------------------------------------------------------------------- packed


@packed
@pytest.mark.parametrize("named", [True, False], ids=["named", "unnamed"])
def test_packed_files_are_unpacked_whatever_their_name(
    ending: str, named: bool, tmp_path: Path
) -> None:
    path = tmp_path / (f"rows.svm.{ending}" if named else "rows")
    path.write_bytes(PACKERS[ending](ROWS))
    assert_read(path)
    assert_read(io.BytesIO(path.read_bytes()))
    assert_read(Dripping(path.read_bytes()))


@packed
def test_members_one_after_the_other_are_one_file(ending: str) -> None:
    data = PACKERS[ending](ROWS[:10]) + PACKERS[ending](ROWS[10:])
    assert_read(io.BytesIO(data))
    assert_read(Dripping(data))


@packed
def test_packed_data_that_are_cut_off_are_refused_at_every_byte(ending: str) -> None:
    whole = PACKERS[ending](ROWS)
    mark = next(mark for mark in sources.MARKS if whole.startswith(mark))
    for cut in range(len(mark), len(whole)):  # less than the mark may be text
        try:
            X, _ = read_svmlight(io.BytesIO(whole[:cut]))
        except DataError as error:
            assert "<stream>" in str(error)  # noqa: PT017
        else:
            pytest.fail(f"{cut} of {len(whole)} bytes were read as {X.shape}")


@packed
def test_a_cut_between_members_is_a_shorter_file(ending: str) -> None:
    """Nothing in the format tells that more should follow."""
    data = PACKERS[ending](ROWS)
    assert_read(io.BytesIO(data))


def test_a_cut_within_the_second_member_is_refused() -> None:
    first, second = PACKERS["gz"](ROWS), PACKERS["gz"](ROWS)
    for cut in range(1, len(second)):
        with pytest.raises(DataError, match="the gzip data are damaged or cut off"):
            read_svmlight(io.BytesIO(first + second[:cut]))


@packed
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_damaged_packed_data_are_refused_or_give_the_same_rows(ending: str, data: Any) -> None:
    whole = bytearray(PACKERS[ending](ROWS * 20))
    at = data.draw(st.integers(6, len(whole) - 1))
    whole[at] ^= 1 << data.draw(st.integers(0, 7))
    if ending == "zst":  # without a checksum by default, any text may come out
        with contextlib.suppress(DataError):
            read_svmlight(io.BytesIO(bytes(whole)))
        return
    try:
        assert_read(io.BytesIO(bytes(whole)), 20)
    except DataError as error:
        assert "<stream>" in str(error)  # noqa: PT017


def test_what_follows_packed_data_is_refused_or_passed_over() -> None:
    with pytest.raises(DataError, match="the gzip data are damaged or cut off"):
        read_svmlight(io.BytesIO(PACKERS["gz"](ROWS) + b"1 1:1\n"))


def test_zstd_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    data = PACKERS["zst"](ROWS)
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    with pytest.raises(MissingExtra, match=r"pip install 'rosenblatt\[zstd\]'"):
        read_svmlight(io.BytesIO(data))


def test_a_small_packed_file_that_unpacks_to_very_much_is_read_in_bounded_memory() -> None:
    code = """
import gzip, io, resource
from rosenblatt.io import iter_svmlight
bomb = io.BytesIO(gzip.compress(b"1 1:1\\n" * (1 << 22), 1))
used, rows = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, 0
for block in iter_svmlight(bomb):
    rows += len(block)
print(rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - used < 60_000)
"""
    assert run(code).stdout.split() == [str(1 << 22).encode(), b"True"]


# ---------------------------------------------------------------------- what cannot be read


def test_a_file_opened_as_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rows").write_bytes(ROWS)
    with (
        open(tmp_path / "rows") as file,
        pytest.raises(ParameterError, match="open it in binary mode"),
    ):
        read_svmlight(file)
    with pytest.raises(ParameterError, match="open it in binary mode"):
        read_svmlight(io.StringIO("1 1:1\n"))


@pytest.mark.parametrize("given", [ROWS, 5, None, [5], [b"1 1:1"], [None]])
def test_what_is_no_place_to_read_from_is_refused(given: Any) -> None:
    with pytest.raises(ParameterError, match="cannot read from"):
        read_svmlight(given)


def test_no_files_at_all_are_refused() -> None:
    with pytest.raises(ParameterError, match="the list of paths is empty"):
        read_svmlight([])


def test_a_file_that_is_not_there_is_the_systems_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        read_svmlight(tmp_path / "none.svm")
    assert caught.value.filename == str(tmp_path / "none.svm")
    with pytest.raises(IsADirectoryError) as directory:
        read_svmlight(tmp_path)
    assert directory.value.filename == str(tmp_path)


def test_a_file_without_permission_is_the_systems_error(tmp_path: Path) -> None:
    path = tmp_path / "rows.svm"
    path.write_bytes(ROWS)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(PermissionError) as caught:
        read_svmlight(path)
    assert caught.value.filename == str(path)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PAR1\x15\x04\x15", "a Parquet file\nhelp: say so with format='parquet'"),
        (b"ARROW1\0\0", "an Arrow file\nhelp: say so with format='arrow'"),
        (b"PK\x03\x04\x14\0\0", "a zip archive\nhelp: unpack it first"),
        (b"\x89HDF\r\n\x1a\n", "an HDF5 file, not text\nhelp: write it as text first"),
        (b"%PDF-1.7\n", "a PDF file, not text\nhelp: write it as text first"),
    ],
)
def test_files_that_are_no_text_are_named(data: bytes, words: str) -> None:
    for read in (read_svmlight, read_table, read_text):
        with pytest.raises(DataError) as caught:
            read(io.BytesIO(data))  # type: ignore[operator]
        assert str(caught.value) == f"<stream>: this is {words}"


@pytest.mark.parametrize("mark", list(lines.FOREIGN) + list(sources.MARKS))
@pytest.mark.parametrize("piece", [1, 1 << 20])
def test_a_file_that_is_nothing_but_a_mark_is_refused(mark: bytes, piece: int) -> None:
    for n in range(1, len(mark) + 1):
        with patch.object(lines, "PIECE", piece), pytest.raises(DataError):
            read_table(io.BytesIO(mark[:n]))


# ---------------------------------------------------------------------- encodings


@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252"]
)
@pytest.mark.parametrize("piece", [1, 3, 64, 1 << 20])
def test_text_of_another_encoding_is_read(encoding: str, piece: int) -> None:
    text = "a,b\n1,né\r\n2,«ß»\n"
    with patch.object(lines, "PIECE", piece):
        table = read_table(
            io.BytesIO(text.encode(encoding)), encoding=encoding, types={"a": "number", "b": "text"}
        )
    assert table.texts["b"].tolist() == ["né", "«ß»"]
    assert table.numbers.ravel().tolist() == [1, 2]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\n"), min_size=1),
        min_size=1,
    ),
    st.sampled_from(["utf-16", "utf-32", "utf-8-sig", "utf-8", "UTF8"]),
    st.sampled_from([1, 2, 5, 64]),
)
def test_any_text_survives_its_encoding(texts: list[str], encoding: str, piece: int) -> None:
    data = "\n".join(["x", *texts]).encode(encoding)
    with patch.object(lines, "PIECE", piece):
        found, _ = read_text(io.BytesIO(data), labelled=False, encoding=encoding)
    assert found == ["x", *texts]


@pytest.mark.parametrize(("encoding", "name"), [("utf-16", "UTF-16"), ("utf-32", "UTF-32")])
def test_wide_text_is_read_where_rows_may_be_of_any_encoding_and_named_elsewhere(
    encoding: str, name: str
) -> None:
    table = read_table(io.BytesIO("a,b\n1,é\n2,ß\n".encode(encoding)))
    assert table.texts["b"].tolist() == ["é", "ß"]
    assert table.dialect.encoding == encoding
    with pytest.raises(DataError) as caught:
        read_svmlight(io.BytesIO("1 1:2\n".encode(encoding)))
    assert str(caught.value) == (
        f"<stream>: the text is {name}, not UTF-8\nhelp: say so with encoding='{encoding}'"
    )


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_wide_text_without_a_mark_is_known_by_its_zeros(encoding: str) -> None:
    table = read_table(io.BytesIO("a,b\n1,é\n2,ß\n".encode(encoding)))
    assert table.texts["b"].tolist() == ["é", "ß"]
    assert table.dialect.encoding == encoding


@pytest.mark.parametrize("piece", [1, 3, 1 << 20])
@pytest.mark.parametrize("n", [2, 50_000])
def test_text_that_is_not_utf8_is_cp1252_with_a_word_of_it(piece: int, n: int) -> None:
    if n > 100 and piece < 100:
        return
    rows = b"a,b\n" + b"1,plain\n" * n + "2,“Zürich” €\n".encode("cp1252")
    with patch.object(lines, "PIECE", piece), pytest.warns(Assumption, match="read as cp1252"):
        table = read_table(io.BytesIO(rows))
    assert table.texts["b"].tolist() == ["plain"] * n + ["“Zürich” €"]
    assert table.dialect.encoding == "cp1252"
    with patch.object(lines, "PIECE", piece):  # whoever knows it already hears nothing of it
        again = Schema.guess(table).read(io.BytesIO(rows))
    assert again.texts["b"].tolist() == table.texts["b"].tolist()


@pytest.mark.parametrize("n", range(1, 9))
def test_a_return_at_the_end_of_the_first_bytes_does_not_end_a_line_alone(n: int) -> None:
    table = read_table(io.BytesIO(f"{'a' * n},b\r\n1,x\r\n2,y\r\n".encode()), "b")
    assert table.lines.tolist() == [2, 3]


def test_a_bad_byte_among_utf8_is_still_a_fault() -> None:
    with pytest.raises(DataError, match="the byte 0xff is not UTF-8 text"):
        read_table(io.BytesIO("a,b\n1,né\n2,né\n3,né\n".encode() + b"4,\xff\n"))


@pytest.mark.parametrize("name", ["b", "a name that is longer"])
def test_carriage_returns_alone_end_lines(name: str) -> None:
    table = read_table(io.BytesIO(f"a,{name}\r1,x\r2,y\r".encode()), name)
    assert table.numbers.ravel().tolist() == [1, 2]
    assert table.y.tolist() == ["x", "y"]


def test_the_place_of_a_fault_is_counted_in_characters() -> None:
    with pytest.raises(DataError) as caught:
        read_table(
            io.BytesIO("a,b\né,1\nü,x\n".encode("latin-1")),
            encoding="latin-1",
            types={"b": "number"},
        )
    assert (caught.value.line, caught.value.column) == (3, 3)


@pytest.mark.parametrize("piece", [1, 2, 3, 1 << 20])
def test_a_bad_byte_of_another_encoding_is_located(piece: int) -> None:
    data = "a\nbc\n".encode("utf-16-le") + b"\x00\xdcx\x00"
    with patch.object(lines, "PIECE", piece), pytest.raises(DataError) as caught:
        read_text(io.BytesIO(data), labelled=False, encoding="utf-16-le")
    assert "byte 10 (0x00) is not utf-16-le text" in str(caught.value)


@pytest.mark.parametrize("data", [b"ab\n", b"\xff", b"\0"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_text_that_is_not_of_the_encoding_named_is_a_fault_of_the_data(
    data: bytes, encoding: str
) -> None:
    with pytest.raises(DataError):
        read_text(io.BytesIO(data), labelled=False, encoding=encoding)


@pytest.mark.parametrize("encoding", ["utf-99", "", 5, "hex", "rot13", "undefined"])
def test_an_encoding_that_does_not_exist_is_refused(encoding: Any) -> None:
    with pytest.raises(ParameterError, match="encoding="):
        read_text(io.BytesIO(b"ab\n"), labelled=False, encoding=encoding)


def test_columns_are_guessed_from_more_than_the_first_few_bytes() -> None:
    """The first bytes, which tell how a file is packed, are not a piece of their own."""
    rows = b"".join(b"%d\n" % row for row in range(50))
    with pytest.warns(Assumption, match="1 of 51 values is not a number, read as a gap"):
        blocks = list(iter_table(io.BytesIO(b"a\nx\n" + rows)))
    assert [block.number_names for block in blocks] == [["a"]]


def test_a_long_line_in_small_pieces_is_given_up_in_linear_time() -> None:
    """Sixteen million bytes, a thousand at a time: moving them each time would take a minute."""

    class Endless:
        reads = 0

        def read(self, size: int = -1) -> bytes:
            self.reads += 1
            return b"1" * min(size, 1000)

    moved = 0
    source = Endless()
    original = lines.Lines._read

    def counted(self: Any, text: Any) -> None:
        nonlocal moved
        moved += (self._filled - self.at) if self.at else 0
        original(self, text)

    with patch.object(lines.Lines, "_read", counted), pytest.raises(DataError):
        read_svmlight(source)
    assert source.reads > 16_000
    assert moved < 1_000_000


class Pipe(io.RawIOBase):
    """A pipe with one short line in it, and nobody who writes more."""

    def __init__(self, line: bytes) -> None:
        self._line = line

    def readable(self) -> bool:
        return True

    def read1(self, n: int = -1) -> bytes:
        if not self._line:
            raise BlockingIOError("the reader waits although a line is there")
        given, self._line = self._line[:n], self._line[n:]
        return given

    def read(self, n: int = -1) -> bytes:
        return self.read1(n)


@pytest.mark.parametrize("line", [b"a\tb\n", b"1 \n", b"P\t1\n"])
def test_a_short_line_of_a_pipe_is_given_before_more_is_asked_for(line: bytes) -> None:
    (source,) = sources_of(Pipe(line))
    lines = Lines(source, 1 << 20)
    next(lines.pieces())
    assert bytes(lines.buffer[lines.at : lines.end]) == line
