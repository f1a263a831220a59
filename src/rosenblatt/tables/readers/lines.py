"""Reading of whole lines into one reused buffer, and detection of the encoding."""

from __future__ import annotations

import codecs
from collections.abc import Generator
from typing import Protocol

import numpy as np

from rosenblatt.checks import one_of, refusal
from rosenblatt.errors import DataError, Message, Setting, Words
from rosenblatt.tables.readers.fault_messages import NAME_ENCODING, Assumption, notice
from rosenblatt.tables.readers.formats import ROWS
from rosenblatt.tables.readers.sources import MARKS as COMPRESSED_MARKS
from rosenblatt.tables.readers.sources import RawFile, Source, Stream, opened

# Sizes in bytes, unless they say otherwise.
PIECE = 1 << 20  # read at a time
SAMPLE_LINES = 100  # lines of the sample from which columns are guessed
SAMPLE_BYTES = 1 << 20  # the longest sample, if lines are long
VALUES_BYTES = 1 << 18  # the sample of values from a file on a disk
PIECE_TO_JUDGE = 1 << 16  # read to detect an encoding, unless a line ends before
LONGEST_CHARACTER = 4  # a character in UTF-8

LINE_FEED = 10
CARRIAGE_RETURN = 13
FIRST_WHITESPACE = 9  # control characters below a tab occur in binary files only

# Byte order marks of encodings other than UTF-8. UTF-32 comes first, since its mark begins with
# that of UTF-16.
WIDE = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def _binary_formats() -> dict[bytes, tuple[str, Words]]:
    """Return the entries of `FOREIGN` for the binary formats of the registry."""
    found: dict[bytes, tuple[str, Words]] = {}
    for format in ROWS:
        if format.signature is None:
            continue
        article = "an" if format.title[0] in "AEIO" else "a"
        cure = Message("say so with ", Setting("format", format.name))
        found[format.signature] = f"{article} {format.title} file", cure
    return found


# Files that are not text, by their first bytes: what they are, and the cure.
FOREIGN: dict[bytes, tuple[str, Words]] = {
    **_binary_formats(),
    b"PK\x03\x04": ("a zip archive", "unpack it first"),
    b"\x89HDF": ("an HDF5 file, not text", "write it as text first"),
    b"%PDF": ("a PDF file, not text", "write it as text first"),
}
MARKS = (codecs.BOM_UTF8, *WIDE, *FOREIGN)
LONGEST_MARK = max(map(len, MARKS))


class ReadsInto(Protocol):
    """Stream of bytes that are read into a buffer."""

    def readinto(self, view: memoryview) -> int: ...


class Lines:
    """Text of one source, read piece by piece; each piece ends at a line end.

    For each piece the reader parses ``buffer[at:end]`` and moves ``at`` to where it stopped. The
    rest is offered again with more lines after it, until it is ``too_long``.

    Parameters
    ----------
    source : Source
    max_line_bytes : int
        The longest row.
    encoding : str or None
        None detects it.
    times : int
        How many usual pieces one piece is long.
    expected : str
        The encoding about which no warning is given if it is the one detected.
    """

    def __init__(
        self,
        source: Source,
        max_line_bytes: int,
        encoding: str | None = None,
        times: int = 1,
        expected: str = "utf-8",
    ) -> None:
        self.name = source.name
        self._source = source
        self._expected = expected
        self._limit = max_line_bytes
        self._encoding = encoding
        self._piece = times * PIECE
        self.buffer = bytearray(2 * self._piece)
        # buffer[at:end] holds whole lines that were not parsed yet; up to `_filled` there is the
        # beginning of one more.
        self.at = 0
        self.end = 0
        self._filled = 0
        self.last = False
        self._dropping = False
        self.found: FoundEncoding | None = None

    @property
    def encoding(self) -> str:
        """Return the encoding that was given, or that was detected so far."""
        if self._encoding is not None:
            return self._encoding
        return "utf-8" if self.found is None else self.found.encoding

    @property
    def is_bytewise(self) -> bool:
        """Return whether line ends and ASCII characters are the same in the raw bytes.

        If so, a file can be cut at the positions of its line feeds.
        """
        if self.found is not None and self.found.returns_end_lines:
            return False
        name = codecs.lookup(self.encoding).name
        return name in ("utf-8", "ascii") or name.startswith(("iso8859", "cp125"))

    def pieces(self) -> Generator[None, None, None]:
        """Fill the buffer piece by piece, and yield after each so that the caller can parse it."""
        with opened(self._source) as stream:
            text = self._as_utf8(stream)
            while not self.last and self._may_begin_with_a_mark():
                self._read(text)
            self._skip_or_refuse_mark()

            while True:
                if self._dropping:
                    self._drop()
                self.end = max(self.at, self.end)
                if self.end > self.at or self.last or self.too_long:
                    yield
                if self.last:
                    return
                self._read(text)

    def _as_utf8(self, stream: Stream) -> ReadsInto:
        """Return the stream, transcoded to UTF-8 if it is not."""
        if self._encoding is None:
            self.found = FoundEncoding(stream, self._expected)
            return self.found
        if codecs.lookup(self._encoding).name == "utf-8":
            return stream
        return _Transcoded(stream, self._encoding)

    @property
    def too_long(self) -> bool:
        """Return whether the unparsed text is longer than `max_line_bytes`."""
        return self._filled - self.at > self._limit

    def sample_end(self, marks: bytes = b"") -> int | None:
        """Return the end of the sample for guessing the columns; None if it was not read yet.

        The sample is the same however the bytes arrive. Lines at the top that begin with one of
        the `marks`, as comments do, are not counted.
        """
        at = self.at
        most = min(SAMPLE_BYTES, self._limit)
        n_lines = 0
        while n_lines < SAMPLE_LINES:
            line_feed = self.buffer.find(b"\n", at, self.end)
            if line_feed < 0:
                is_enough = self.last or self._filled - self.at > most
                return self.end if is_enough else None
            if n_lines or self.buffer[at] not in marks:
                n_lines += 1
            at = line_feed + 1
            if at - self.at > most:
                break
        return at

    def values_end(self) -> int | None:
        """Return the end of the sample for guessing column kinds; None if it was not read yet.

        For a file on a disk this sample is larger than that of `sample_end`. Rows of a pipe may
        arrive one at a time, so a pipe has the same sample for both.
        """
        if self._source.is_read_once():
            return self.sample_end()
        most = min(VALUES_BYTES, self._limit)
        if not self.last and self._filled - self.at <= most:
            return None
        stop = self.buffer.rfind(b"\n", self.at, min(self.at + most, self.end)) + 1
        return max(stop, self.sample_end() or 0) or None

    def drop_line(self) -> None:
        """Skip the line at ``at``, even if its end was not read yet."""
        self._dropping = True
        self._drop()

    def _drop(self) -> None:
        line_feed = self.buffer.find(b"\n", self.at, self._filled)
        self._dropping = line_feed < 0
        self.at = self._filled if line_feed < 0 else line_feed + 1

    def _read(self, text: ReadsInto) -> None:
        """Move the unparsed bytes to the front of the buffer, and read more after them."""
        left = self._filled - self.at
        if self.at:
            self.buffer[:left] = self.buffer[self.at : self._filled]
            self.end -= self.at
            self.at = 0
            self._filled = left
        # One byte more than a piece, for a line feed that the last line may lack.
        if left + self._piece + 1 > len(self.buffer):
            self.buffer.extend(bytes(len(self.buffer)))
        with memoryview(self.buffer) as view:
            n = text.readinto(view[left : left + self._piece])
        self._filled += n

        if n == 0:
            self.last = True
            if left and self.buffer[left - 1] != LINE_FEED:
                self.buffer[left] = LINE_FEED
                self._filled += 1
        # Only what is new is searched, so that a long line in small pieces costs no more.
        self.end = max(self.end, self.buffer.rfind(b"\n", left, self._filled) + 1)

    def _head(self) -> bytes:
        return bytes(self.buffer[: min(self._filled, LONGEST_MARK)])

    def _may_begin_with_a_mark(self) -> bool:
        """Return whether the bytes read so far may be the beginning of an incomplete mark."""
        head = self._head()
        return any(mark.startswith(head) and mark != head for mark in MARKS)

    def _skip_or_refuse_mark(self) -> None:
        """Skip a byte order mark of UTF-8; raise DataError for other encodings and binary files."""
        head = self._head()
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
    """Return the encoding, or raise ParameterError if Python does not know it."""
    try:
        "a".encode("utf-8" if encoding is None else encoding)
    except (LookupError, TypeError, UnicodeError):
        usual = Message(one_of(["utf-8", "latin-1", "cp1252", "utf-16"]), ", or another one")
        raise refusal("encoding", encoding, usual, verdict="is not known") from None
    return encoding


# ---------------------------------------------------------------------- detecting an encoding


class FoundEncoding:
    """Stream that detects the encoding of a text and converts it to UTF-8.

    A byte order mark, or zeros in every second byte, mean UTF-16. Otherwise the text is UTF-8
    until a byte is not: if all bytes before it are ASCII, which is the same in both, the rest is
    read as cp1252, which old programs write; if not, the parser will reject the byte.
    Carriage returns alone, which even older programs write, end lines.
    """

    def __init__(self, stream: Stream, expected: str = "utf-8") -> None:
        self._stream = stream
        self.encoding = "utf-8"
        self._expected = expected
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._begun = False
        # Whether the encoding is certain, so that nothing is checked any more.
        self._settled = False
        self._returns = False
        # Reads UTF-16.
        self._transcoded: _Transcoded | None = None
        # Bytes of a character that was cut in two, and text that is not handed out yet.
        self._left = b""
        self._ready = memoryview(b"")

    @property
    def returns_end_lines(self) -> bool:
        """Return whether carriage returns alone end lines."""
        return self._returns

    def readinto(self, view: memoryview) -> int:
        """Fill `view` with UTF-8; return the number of bytes, 0 at the end."""
        if self._transcoded is not None:
            return self._transcoded.readinto(view)
        while not self._ready:
            n = self._stream.readinto(view)
            # Fast path: plain ASCII is handed out as it was read, without a copy.
            is_plain = self._begun and not self._left and not self._returns
            if is_plain and _is_ascii(view[:n]):
                return n

            data = bytes(view[:n])
            if not self._begun:
                data = self._begin(data)
                if self._transcoded is not None:
                    return self._transcoded.readinto(view)
            is_plain = not self._left and not self._returns
            if is_plain and len(data) == n and data.isascii():
                return n

            self._ready = memoryview(self._utf8(data))
            if not data and not self._ready:
                return 0
        n = min(len(view), len(self._ready))
        view[:n] = self._ready[:n]
        self._ready = self._ready[n:]
        return n

    def _begin(self, head: bytes) -> bytes:
        """Detect UTF-16, binary files and line ends from the first bytes; return all bytes read.

        More is read if `head` lacks the end of the first line or of a mark.
        """
        self._begun = True
        head = self._first_line(head)

        is_cut_mark = any(mark.startswith(head) for mark in (*MARKS, *COMPRESSED_MARKS))
        # Only the first line, so that the result is the same however the bytes arrive.
        first_line = head.partition(b"\n")[0]
        is_binary = any(byte < FIRST_WHITESPACE for byte in first_line)
        self._settled = head.startswith(tuple(FOREIGN)) or is_cut_mark or is_binary

        wide = next((name for mark, name in WIDE.items() if head.startswith(mark)), None)
        if wide is None and (is_binary or not self._settled):
            wide = _utf16_without_a_mark(head)
        if wide is not None:
            self.encoding = wide
            self._transcoded = _Transcoded(self._stream, wide, head)
        self._returns = b"\r" in head and b"\n" not in head and not self._settled
        return head

    def _first_line(self, head: bytes) -> bytes:
        """Return `head` with more bytes, until the first line and any mark are complete."""
        more = bytearray(PIECE_TO_JUDGE)
        while True:
            may_be_mark = any(mark.startswith(head) and mark != head for mark in MARKS)
            lacks_line_end = b"\n" not in head and len(head) < PIECE_TO_JUDGE
            if not may_be_mark and not lacks_line_end:
                return head
            n = self._stream.readinto(memoryview(more))
            if n == 0:
                return head
            head += more[:n]

    def _utf8(self, data: bytes) -> bytes:
        """Convert the next bytes to UTF-8; hold back a character that is cut off at their end."""
        if self._returns:
            data = data.replace(b"\r", b"\n")
        if self.encoding == "cp1252":
            return from_cp1252(data)
        if self._settled:
            return data

        is_last = not data
        whole = self._left + data
        self._left = b""
        try:
            self._decoder.decode(data, final=is_last)
        except UnicodeDecodeError as error:
            if not whole[: error.start].isascii():
                # UTF-8 with a bad byte, which the parser reports with its position.
                self._settled = True
                return whole
            self.encoding = "cp1252"
            if self._expected != self.encoding:
                what = "not UTF-8, read as cp1252; if letters look wrong, name "
                notice(Assumption, Message(f"{self._stream.name}: {what}", Setting("encoding")))
            return from_cp1252(whole)

        n_cut = len(self._decoder.getstate()[0])
        n_decoded = len(whole) - n_cut
        if n_decoded > 0 and not whole[:n_decoded].isascii():
            # There was a character of UTF-8: any bad byte is a fault from now on.
            self._settled = True
            return whole
        self._left = whole[n_decoded:]
        return whole[:n_decoded]


def _utf16_without_a_mark(head: bytes) -> str | None:
    """Return the name of UTF-16 with its byte order if nearly every second byte is 0, else None."""
    if len(head) <= 3:
        return None
    zeros_first = head[0:64:2].count(0)
    zeros_second = head[1:64:2].count(0)
    n_pairs = len(head[:64]) / 2
    if min(zeros_first, zeros_second) != 0 or max(zeros_first, zeros_second) <= 0.8 * n_pairs:
        return None
    return "utf-16-be" if zeros_first else "utf-16-le"


def _is_ascii(view: memoryview) -> bool:
    """Return whether all bytes are ASCII, without the copy that ``bytes(view).isascii()`` makes."""
    return bool(np.frombuffer(view, np.int8).min(initial=0) >= 0)


# Five bytes have no character in cp1252; they are decoded as latin-1.
_CP1252 = "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(256))


def from_cp1252(data: bytes) -> bytes:
    """Convert bytes of cp1252 to UTF-8."""
    return codecs.charmap_decode(data, "strict", _CP1252)[0].encode()


class FirstBytes:
    """File that records the first bytes that are not ASCII while it is read."""

    def __init__(self, file: RawFile) -> None:
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
        """Return the encoding that `FoundEncoding` would detect; None while all bytes are ASCII."""
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
    """Stream that converts text from a known encoding to UTF-8."""

    def __init__(self, stream: Stream, encoding: str, head: bytes = b"") -> None:
        self._stream = stream
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._raw = bytearray(PIECE)
        self._ready = memoryview(b"")
        self._n_passed = 0  # bytes decoded so far, for the position of a fault
        self._head = head  # bytes that were read already

    def readinto(self, view: memoryview) -> int:
        """Fill `view` with UTF-8; return the number of bytes, 0 at the end."""
        while not self._ready:
            data = self._next_bytes()
            n_waiting = len(self._decoder.getstate()[0])
            try:
                text = self._decoder.decode(data, final=not data)
            except UnicodeError as error:
                raise self._not_text(error, self._n_passed - n_waiting) from None
            self._n_passed += len(data)
            self._ready = memoryview(text.encode("utf-8", "surrogatepass"))
            if not data and not self._ready:
                return 0
        n = min(len(view), len(self._ready))
        view[:n] = self._ready[:n]
        self._ready = self._ready[n:]
        return n

    def _next_bytes(self) -> bytes:
        if self._head:
            head = self._head
            self._head = b""
            return head
        with memoryview(self._raw) as raw:
            n = self._stream.readinto(raw)
        return bytes(self._raw[:n])

    def _not_text(self, error: UnicodeError, n_before: int) -> DataError:
        what = f"the data are not {self._encoding} text: {error}"
        if isinstance(error, UnicodeDecodeError):
            place = n_before + error.start
            byte = error.object[error.start]
            what = f"byte {place:,} ({byte:#04x}) is not {self._encoding} text"
        return DataError(what, name=self._stream.name, cures=NAME_ENCODING)
