"""Whole lines of a source in a buffer that is used again and again."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Any

from rosenblatt.checks import one_of, refusal
from rosenblatt.errors import DataError, Message, Setting, Words
from rosenblatt.io.fault_messages import NAME_ENCODING
from rosenblatt.io.sources import Source, Stream, opened

PIECE = 1 << 20
SAMPLE_LINES = 100
SAMPLE_BYTES = 1 << 20
WIDE = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
FOREIGN: dict[bytes, tuple[str, Words]] = {
    b"PAR1": ("a Parquet file", Message("say so with ", Setting("format", "parquet"))),
    b"ARROW1": ("an Arrow file", Message("say so with ", Setting("format", "arrow"))),
    b"PK\x03\x04": ("a zip archive", "unpack it first"),
    b"\x89HDF": ("an HDF5 file, not text", "write it as text first"),
    b"%PDF": ("a PDF file, not text", "write it as text first"),
}
MARKS = (codecs.BOM_UTF8, *WIDE, *FOREIGN)
LONGEST_MARK = max(map(len, MARKS))


class Lines:
    """The text of one source, piece by piece; a piece ends where a line ends.

    For each piece the reader works on ``buffer[at:end]`` and moves ``at`` to where it came. What it
    leaves is offered again with more lines after it, until it is ``too_long``. Pieces may be some
    ``times`` as long as is usual.
    """

    def __init__(
        self, source: Source, max_line_bytes: int, encoding: str = "utf-8", times: int = 1
    ) -> None:
        self.name, self._source = source.name, source
        self._limit, self._encoding, self._piece = max_line_bytes, encoding, times * PIECE
        self.buffer = bytearray(2 * self._piece)
        self.at = self.end = self._filled = 0
        self.last = self._dropping = False

    def pieces(self) -> Iterator[None]:
        with opened(self._source) as stream:
            is_utf8 = codecs.lookup(self._encoding).name == "utf-8"
            text = stream if is_utf8 else _Transcoded(stream, self._encoding)
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

    def sample_end(self) -> int | None:
        """Where the lines to judge the columns by end; None if more of them must come first.

        These are the same however the bytes arrive.
        """
        at, most = self.at, min(SAMPLE_BYTES, self._limit)
        for _ in range(SAMPLE_LINES):
            line_feed = self.buffer.find(b"\n", at, self.end)
            if line_feed < 0:
                enough = self.last or self._filled - self.at > most
                return self.end if enough else None
            at = line_feed + 1
            if at - self.at > most:
                break
        return at

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


def check_encoding(encoding: str) -> str:
    try:
        "a".encode(encoding)
    except (LookupError, TypeError, UnicodeError):
        usual = Message(one_of(["utf-8", "latin-1", "cp1252", "utf-16"]), ", or another one")
        raise refusal("encoding", encoding, usual, verdict="is not known") from None
    return encoding


class _Transcoded:
    """Text of another encoding as UTF-8."""

    def __init__(self, stream: Stream, encoding: str) -> None:
        self._stream, self._encoding = stream, encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._raw = bytearray(PIECE)
        self._ready = memoryview(b"")
        self._passed = 0

    def readinto(self, view: memoryview) -> int:
        while not self._ready:
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
