"""Whole lines of a source in a buffer that is used again and again."""

from __future__ import annotations

import codecs
from collections.abc import Generator
from typing import Any

import numpy as np

from rosenblatt.checks import one_of, refusal
from rosenblatt.errors import DataError, Message, Setting, Words
from rosenblatt.tables.readers.fault_messages import NAME_ENCODING, Assumption, notice
from rosenblatt.tables.readers.formats import ROWS
from rosenblatt.tables.readers.sources import MARKS as PACKED_MARKS
from rosenblatt.tables.readers.sources import Source, Stream, opened

PIECE = 1 << 20
SAMPLE_LINES = 100
PIECE_TO_JUDGE = 1 << 16
SAMPLE_BYTES = 1 << 20
VALUES_BYTES = 1 << 18
WIDE = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Files that are not text, by how they begin: what they are, and the cure.
FOREIGN: dict[bytes, tuple[str, Words]] = {
    **{
        format.signature: (
            f"{'an' if format.title[0] in 'AEIO' else 'a'} {format.title} file",
            Message("say so with ", Setting("format", format.name)),
        )
        for format in ROWS
        if format.signature is not None
    },
    b"PK\x03\x04": ("a zip archive", "unpack it first"),
    b"\x89HDF": ("an HDF5 file, not text", "write it as text first"),
    b"%PDF": ("a PDF file, not text", "write it as text first"),
}
MARKS = (codecs.BOM_UTF8, *WIDE, *FOREIGN)
LONGEST_MARK = max(map(len, MARKS))
LONGEST_CHARACTER = 4


class Lines:
    """The text of one source, piece by piece; a piece ends where a line ends.

    For each piece the reader works on ``buffer[at:end]`` and moves ``at`` to where it came. What it
    leaves is offered again with more lines after it, until it is ``too_long``. Pieces may be some
    ``times`` as long as is usual. Without an ``encoding`` one is found out, of which nothing is
    said if it is the one that was ``expected``.
    """

    def __init__(
        self,
        source: Source,
        max_line_bytes: int,
        encoding: str | None = None,
        times: int = 1,
        expected: str = "utf-8",
    ) -> None:
        self.name, self._source, self._expected = source.name, source, expected
        self._limit, self._encoding, self._piece = max_line_bytes, encoding, times * PIECE
        self.buffer = bytearray(2 * self._piece)
        self.at = self.end = self._filled = 0
        self.last = self._dropping = False
        self.found: FoundEncoding | None = None

    @property
    def encoding(self) -> str:
        """That of the text so far."""
        return self._encoding or (self.found.encoding if self.found else "utf-8")

    @property
    def is_bytewise(self) -> bool:
        """Whether lines of the text are lines of the bytes of the source, and ASCII the same."""
        if self.found is not None and self.found.returns_end_lines:
            return False
        name = codecs.lookup(self.encoding).name
        return name in ("utf-8", "ascii") or name.startswith(("iso8859", "cp125"))

    def pieces(self) -> Generator[None, None, None]:
        with opened(self._source) as stream:
            text: Any = stream
            if self._encoding is None:
                text = self.found = FoundEncoding(stream, self._expected)
            elif codecs.lookup(self._encoding).name != "utf-8":
                text = _Transcoded(stream, self._encoding)
            while not self.last and self._may_begin_with_a_mark():
                self._read(text)
            self._begin()
            while True:
                if self._dropping:
                    self._drop()
                self.end = max(self.at, self.end)
                if self.end > self.at or self.last or self.too_long:
                    yield
                if self.last:
                    return
                self._read(text)

    @property
    def too_long(self) -> bool:
        """Whether what the reader left is more than a single row may have."""
        return self._filled - self.at > self._limit

    def sample_end(self, marks: bytes = b"") -> int | None:
        """Where the lines to judge the columns by end; None if more of them must come first.

        These are the same however the bytes arrive. Lines at the top that begin with one of the
        `marks`, as comments do, come on top of them.
        """
        at, most = self.at, min(SAMPLE_BYTES, self._limit)
        n_lines = 0
        while n_lines < SAMPLE_LINES:
            line_feed = self.buffer.find(b"\n", at, self.end)
            if line_feed < 0:
                enough = self.last or self._filled - self.at > most
                return self.end if enough else None
            if n_lines or self.buffer[at] not in marks:
                n_lines += 1
            at = line_feed + 1
            if at - self.at > most:
                break
        return at

    def values_end(self) -> int | None:
        """As `sample_end`, of the lines to judge the values by: more of a file on a disk.

        Nobody waits for as many lines of a pipe, out of which rows may come one at a time.
        """
        most = min(VALUES_BYTES, self._limit)
        if self._source.is_read_once():
            return self.sample_end()
        if not self.last and self._filled - self.at <= most:
            return None
        stop = self.buffer.rfind(b"\n", self.at, min(self.at + most, self.end)) + 1
        return max(stop, self.sample_end() or 0) or None

    def drop_line(self) -> None:
        """Pass over the line at ``at``, even if its end is not yet in sight."""
        self._dropping = True
        self._drop()

    def _drop(self) -> None:
        line_feed = self.buffer.find(b"\n", self.at, self._filled)
        self._dropping = line_feed < 0
        self.at = self._filled if line_feed < 0 else line_feed + 1

    def _read(self, text: Any) -> None:
        """Move what is left to the front and read on behind it."""
        left = self._filled - self.at
        if self.at:
            self.buffer[:left] = self.buffer[self.at : self._filled]
            self.at, self.end, self._filled = 0, self.end - self.at, left
        if left + self._piece + 1 > len(self.buffer):
            self.buffer.extend(bytes(len(self.buffer)))
        with memoryview(self.buffer) as view:
            n = text.readinto(view[left : left + self._piece])
        self._filled += n
        if n == 0:
            self.last = True
            if left and self.buffer[left - 1] != 10:
                self.buffer[left] = 10
                self._filled += 1
        # Only what is new is searched, so that a long line in small pieces costs no more.
        self.end = max(self.end, self.buffer.rfind(b"\n", left, self._filled) + 1)

    def _may_begin_with_a_mark(self) -> bool:
        """Whether more bytes are needed to tell; a line that is whole must not wait for others."""
        head = bytes(self.buffer[: min(self._filled, LONGEST_MARK)])
        return any(mark.startswith(head) and mark != head for mark in MARKS)

    def _begin(self) -> None:
        """Look at the first bytes of the source."""
        head = bytes(self.buffer[: min(self._filled, LONGEST_MARK)])
        if head.startswith(codecs.BOM_UTF8):
            self.at = len(codecs.BOM_UTF8)
        for mark, encoding in WIDE.items():
            if head.startswith(mark):
                raise DataError(
                    f"the text is {encoding.upper()}, not UTF-8",
                    name=self.name,
                    cures=Message("say so with ", Setting("encoding", encoding)),
                )
        for mark, (what, cure) in FOREIGN.items():
            if head.startswith(mark):
                raise DataError(f"this is {what}", name=self.name, cures=cure)


def check_encoding(encoding: str | None) -> str | None:
    try:
        "a".encode("utf-8" if encoding is None else encoding)
    except (LookupError, TypeError, UnicodeError):
        usual = Message(one_of(["utf-8", "latin-1", "cp1252", "utf-16"]), ", or another one")
        raise refusal("encoding", encoding, usual, verdict="is not known") from None
    return encoding


class FoundEncoding:
    """Text as UTF-8, whatever it was: a mark or zeros tell of UTF-16, other bytes of cp1252.

    Text is UTF-8 until a byte says that it is not. If all before it is ASCII, which is the same in
    both, the rest is cp1252, as old programs write; else the byte is left to be refused.
    Carriage returns alone, as of older ones, end lines.
    """

    def __init__(self, stream: Stream, expected: str = "utf-8") -> None:
        self._stream, self.encoding, self._expected = stream, "utf-8", expected
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._begun = self._settled = self._returns = False
        self._inner: _Transcoded | None = None
        self._left, self._ready = b"", memoryview(b"")

    @property
    def returns_end_lines(self) -> bool:
        """Whether carriage returns alone end lines."""
        return self._returns

    def readinto(self, view: memoryview) -> int:
        if self._inner is not None:
            return self._inner.readinto(view)
        while not self._ready:
            n = self._stream.readinto(view)
            if self._begun and not (self._left or self._returns) and _is_ascii(view[:n]):
                return n
            data = bytes(view[:n])
            if not self._begun:
                data = self._begin(data)
                if self._inner is not None:
                    return self._inner.readinto(view)
            if data.isascii() and len(data) == n and not (self._left or self._returns):
                return n
            self._ready = memoryview(self._utf8(data))
            if not data and not self._ready:
                return 0
        n = min(len(view), len(self._ready))
        view[:n], self._ready = self._ready[:n], self._ready[n:]
        return n

    def _begin(self, head: bytes) -> bytes:
        """Look at the first bytes, until a line ends and they can no longer be part of a mark."""
        self._begun, more = True, bytearray(PIECE_TO_JUDGE)
        while any(mark.startswith(head) and mark != head for mark in MARKS) or (
            b"\n" not in head and len(head) < PIECE_TO_JUDGE
        ):
            n = self._stream.readinto(memoryview(more))
            head += more[:n]
            if not n:
                break
        cut = any(mark.startswith(head) for mark in (*MARKS, *PACKED_MARKS))
        # However the bytes arrive, the first line tells what is no text at all.
        binary = any(byte < 9 for byte in head.partition(b"\n")[0])
        self._settled = head.startswith(tuple(FOREIGN)) or cut or binary
        wide = next((name for mark, name in WIDE.items() if head.startswith(mark)), None)
        if wide is None and len(head) > 3 and (binary or not self._settled):
            zeros = [head[at:64:2].count(0) for at in (0, 1)]
            if min(zeros) == 0 and max(zeros) > 0.8 * len(head[:64]) / 2:
                wide = "utf-16-be" if zeros[0] else "utf-16-le"
        if wide is not None:
            self.encoding = wide
            self._inner = _Transcoded(self._stream, wide, head)
        self._returns = b"\r" in head and b"\n" not in head and not self._settled
        return head

    def _utf8(self, data: bytes) -> bytes:
        if self._returns:
            data = data.replace(b"\r", b"\n")
        if self.encoding == "cp1252":
            return from_cp1252(data)
        if self._settled:
            return data
        last, whole, self._left = not data, self._left + data, b""
        try:
            self._decoder.decode(data, final=last)
        except UnicodeDecodeError as error:
            if not whole[: error.start].isascii():
                self._settled = True  # UTF-8 with a bad byte
                return whole
            self.encoding = "cp1252"
            if self._expected != self.encoding:
                what = "not UTF-8, read as cp1252; if letters look wrong, name "
                notice(Assumption, Message(f"{self._stream.name}: {what}", Setting("encoding")))
            return from_cp1252(whole)
        cut = len(self._decoder.getstate()[0])
        if len(whole) > cut and not whole[: len(whole) - cut].isascii():
            self._settled = True  # a byte that is not UTF-8 is a fault from now on
        self._left = whole[len(whole) - cut :] if cut and not self._settled else b""
        return whole[: len(whole) - len(self._left)]


def _is_ascii(view: memoryview) -> bool:
    """Without a copy, and several times as fast as bytes would tell."""
    return bool(np.frombuffer(view, np.int8).min(initial=0) >= 0)


# Five bytes are nothing in cp1252; these are read as latin-1 has them.
_CP1252 = "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(256))


def from_cp1252(data: bytes) -> bytes:
    """Bytes of cp1252 as UTF-8."""
    return codecs.charmap_decode(data, "strict", _CP1252)[0].encode()


class FirstBytes:
    """A file that takes note of the first bytes that are not ASCII while it is read."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._found = b""

    def read(self, size: int) -> bytes:
        return self._noted(self._file.read(size))

    def readline(self) -> bytes:
        return self._noted(self._file.readline())

    def _noted(self, data: bytes) -> bytes:
        if self._found:
            self._found = (self._found + data[:LONGEST_CHARACTER])[:LONGEST_CHARACTER]
        elif not data.isascii():
            first = next(place for place, byte in enumerate(data) if byte > 127)
            self._found = data[first : first + LONGEST_CHARACTER]
        return data

    @property
    def encoding(self) -> str | None:
        """What `FoundEncoding` would take the text for; None while all of it is ASCII."""
        if not self._found:
            return None
        for size in range(1, len(self._found) + 1):
            try:
                self._found[:size].decode()
            except UnicodeDecodeError:
                continue
            return "utf-8"
        return "cp1252"


class _Transcoded:
    """Text of another encoding as UTF-8."""

    def __init__(self, stream: Stream, encoding: str, head: bytes = b"") -> None:
        self._stream, self._encoding = stream, encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._raw = bytearray(PIECE)
        self._ready = memoryview(b"")
        self._passed, self._head = 0, head

    def readinto(self, view: memoryview) -> int:
        while not self._ready:
            if self._head:
                n, self._raw[: len(self._head)] = len(self._head), self._head
                self._head = b""
            else:
                with memoryview(self._raw) as raw:
                    n = self._stream.readinto(raw)
            waiting = len(self._decoder.getstate()[0])
            try:
                text = self._decoder.decode(bytes(self._raw[:n]), final=n == 0)
            except UnicodeError as error:
                raise self._not_text(error, self._passed - waiting) from None
            self._passed += n
            self._ready = memoryview(text.encode("utf-8", "surrogatepass"))
            if n == 0 and not self._ready:
                return 0
        n = min(len(view), len(self._ready))
        view[:n], self._ready = self._ready[:n], self._ready[n:]
        return n

    def _not_text(self, error: UnicodeError, passed: int) -> DataError:
        what = f"the data are not {self._encoding} text: {error}"
        if isinstance(error, UnicodeDecodeError):
            place, byte = passed + error.start, error.object[error.start]
            what = f"byte {place:,} ({byte:#04x}) is not {self._encoding} text"
        return DataError(what, name=self._stream.name, cures=NAME_ENCODING)
