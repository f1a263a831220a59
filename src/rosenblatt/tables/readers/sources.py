"""Bytes from paths, standard input or open files, decompressed while they are read."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from rosenblatt.errors import DataError, InputError, MissingExtra, ParameterError

# What users hand in: a path, "-", a file opened in binary mode, or several of these.
Given = Any
# An open binary file, or any object with `read`. Of the methods of a file it may lack `read1`,
# `readinto` and `seekable`; `reader_of`, `_can_seek` and `_Rest` look for them.
RawFile = Any

# The compression of a file by its first bytes, and by the suffix of its name.
MARKS = {
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ\x00": "xz",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
}
ENDINGS = {".gz": "gzip", ".xz": "xz", ".bz2": "bzip2", ".zst": "zstd"}
LONGEST_MARK = max(map(len, MARKS))

PIECE = 1 << 20  # bytes copied at a time
KEPT_IN_MEMORY = 1 << 26  # bytes of a pipe that are stored in memory; more go to a disk
LONGEST_SHOWN = 60  # characters of the repr of an invalid argument, at most

# The first bytes of our own files, after the eight that hold the length of their header.
OUR_STARTS = {
    b'{"__metadata__":{"rosenblatt_rows":': "rows",
    b'{"__metadata__":{"rosenblatt":': "model",
}
LENGTH_OF_HEADER = 8  # bytes


class Source(NamedTuple):
    """Input of a reader: a path, standard input or an open file.

    Attributes
    ----------
    name : str
        The name that errors show.
    open : callable
        Opens it and returns the raw file.
    closes : bool
        Whether the reader closes what it opened; False for files that the caller opened.
    """

    name: str
    open: Callable[[], RawFile]
    closes: bool

    def is_file(self, found: os.stat_result) -> bool:
        """Return whether the source is the file whose `os.stat` result is `found`."""
        try:
            own = os.stat(self.name) if self.closes else os.fstat(self.open().fileno())
        except (AttributeError, OSError):
            return False
        return os.path.samestat(own, found)

    def size(self) -> int:
        """Return the size on the disk in bytes; 0 if it is not known."""
        if not self.closes:
            return 0
        try:
            return os.stat(self.name).st_size
        except OSError:
            return 0

    def is_read_once(self) -> bool:
        """Return whether the bytes can be read only once, as those of a pipe or an open file."""
        is_on_disk = self.closes and os.path.isfile(self.name)
        return not is_on_disk


def sources_of(given: Given) -> list[Source]:
    """Return the sources to read, in order; each is opened only when its turn comes."""
    if isinstance(given, str | os.PathLike) or hasattr(given, "read"):
        given = [given]
    elif isinstance(given, bytes) or not isinstance(given, Iterable):
        raise _unreadable(given)

    sources: list[Source] = []
    for some in given:
        for one in _globbed(some):
            sources.append(one if isinstance(one, Source) else _source(one))
    if not sources:
        raise ParameterError("nothing to read: the list of paths is empty.")
    return sources


def _globbed(given: Any) -> list[Any]:
    """Expand a pattern such as data/*.csv to a sorted list of files; otherwise return [given]."""
    is_pattern = isinstance(given, str) and any(c in given for c in "*?[")
    if not is_pattern or os.path.exists(given):
        return [given]
    import glob

    return sorted(glob.glob(given)) or [given]


def _source(given: Any) -> Source:
    if hasattr(given, "read"):
        name = getattr(given, "name", None)
        # The name of a file that was opened by its descriptor is a number.
        shown = name if isinstance(name, str) else "<stream>"
        return Source(shown, lambda: given, False)
    if given == "-":
        return Source("<stdin>", _standard_input, False)
    if not isinstance(given, str | os.PathLike):
        raise _unreadable(given)
    path = os.fspath(given)
    return Source(os.fsdecode(path), lambda: open(path, "rb", buffering=0), True)


def _standard_input() -> RawFile:
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed", "<stdin>")
    return sys.stdin.buffer


def _unreadable(given: object) -> ParameterError:
    shown = repr(given)
    if len(shown) >= LONGEST_SHOWN:
        shown = shown[: LONGEST_SHOWN - 3] + "..."
    return ParameterError(
        f"cannot read from {shown}: give a path, '-' for standard input, a file opened in binary "
        "mode, or a list of these. To read text from memory, wrap its bytes in io.BytesIO."
    )


def converted(given: Given, convert: Callable[[Source], bytes]) -> list[Source]:
    """Return sources that convert each file to text for another reader when they are opened."""

    def converted_source(source: Source) -> Source:
        return Source(source.name, lambda: io.BytesIO(convert(source)), False)

    return [converted_source(source) for source in sources_of(given)]


# ---------------------------------------------------------------------- open files


@contextmanager
def opened(source: Source) -> Iterator[Stream]:
    """Open a source as a stream of decompressed bytes, and close it at the end."""
    raw = source.open()
    try:
        yield Stream(raw, source.name, by_name=source.closes)
    finally:
        if source.closes:
            raw.close()


def all_bytes(source: Source) -> bytes:
    """Return all bytes of a source, decompressed."""
    with opened(source) as stream, stream.copied() as copy:
        data: bytes = copy.read()
    return data


def reader_of(raw: RawFile) -> Callable[[int], Any]:
    """Return the method that reads available bytes, without waiting for a full buffer of a pipe."""
    reader: Callable[[int], Any] = getattr(raw, "read1", raw.read)
    return reader


def _can_seek(raw: RawFile) -> bool:
    """Return whether the file can be read from any position."""
    return hasattr(raw, "seekable") and bool(raw.seekable())


@contextmanager
def kept_for_rereading(source: Source) -> Iterator[Source]:
    """Yield a source that can be read again from its start after it was read to its end.

    An open file is rewound to where it was; the bytes of a pipe are kept in a temporary file.
    """
    if not source.is_read_once():
        yield source
        return
    with ExitStack() as stack:
        yield Source(source.name, _Rereading(source, stack).open, False)


class _Rereading:
    """Opener of a source for several passes: it rewinds a file, and records a pipe."""

    def __init__(self, source: Source, stack: ExitStack) -> None:
        self._source = source
        self._stack = stack
        self._seekable: RawFile | None = None
        self._start = 0
        self._copy: RawFile | None = None

    def open(self) -> RawFile:
        """Return the raw file at its start; after the first pass of a pipe, its recording."""
        if self._copy is not None:
            self._copy.seek(0)
            return self._copy
        if self._seekable is not None:
            self._seekable.seek(self._start)
            return self._seekable

        raw = self._source.open()
        if self._source.closes:
            self._stack.callback(raw.close)
        if _can_seek(raw):
            self._seekable = raw
            self._start = raw.tell()
            return raw

        import tempfile

        spool = tempfile.SpooledTemporaryFile(KEPT_IN_MEMORY)  # noqa: SIM115
        self._copy = self._stack.enter_context(spool)
        return _Recorded(raw, self._copy)


class _Recorded:
    """File whose bytes are copied to another file while they are read."""

    def __init__(self, raw: RawFile, copy: RawFile) -> None:
        self._read = reader_of(raw)
        self._copy = copy

    def read(self, size: int = -1) -> Any:
        data = self._read(size)
        # A file opened as text gives str, which is refused later, with an explanation.
        if isinstance(data, bytes):
            self._copy.write(data)
        return data


class Stream:
    """Stream of the decompressed bytes of a source.

    Attributes
    ----------
    name : str
        The name that errors show.
    raw : file
        The open file itself.
    packing : str or None
        How it is compressed, by its first bytes.
    """

    def __init__(self, raw: RawFile, name: str, *, by_name: bool = True) -> None:
        self.name = name
        self.raw = raw
        head = _first_bytes(raw, name)
        self.packing = next((kind for mark, kind in MARKS.items() if head.startswith(mark)), None)

        ending = ENDINGS.get(os.path.splitext(name)[1].lower())
        if by_name and ending is not None and ending != self.packing:
            raise DataError(
                f"the name says {ending}, but the data do not begin as {ending} does",
                name=name,
                cures=["fetch the file again", "give it its true name"],
            )
        rest = _Rest(head, raw)
        self._stream = rest if self.packing is None else _decompressor(self.packing, rest)

    @property
    def seekable(self) -> bool:
        """Return whether `raw` can be read from any position: neither compressed nor a pipe."""
        return self.packing is None and _can_seek(self.raw)

    @contextmanager
    def copied(self) -> Iterator[RawFile]:
        """Copy all bytes to a temporary file and yield it, at its start."""
        import tempfile

        with tempfile.TemporaryFile() as copy, memoryview(bytearray(PIECE)) as view:
            while n := self.readinto(view):
                copy.write(view[:n])
            copy.seek(0)
            yield copy

    def readinto(self, view: memoryview) -> int:
        """Read available bytes into `view`; return their number, 0 at the end."""
        try:
            return int(self._stream.readinto(view) or 0)
        except OSError as error:
            # A system error has an errno; gzip and bzip2 raise OSError without one.
            if error.errno is not None or self.packing is None:
                raise
            damage: Exception = error
        except Exception as error:
            # Each library has an error of its own for damaged data.
            if self.packing is None:
                raise
            damage = error
        raise DataError(
            f"the {self.packing} data are damaged or cut off: {damage}",
            name=self.name,
            cures="unpack or fetch the file again",
        ) from None


def _first_bytes(raw: RawFile, name: str) -> bytes:
    """Read the first bytes of a file, as many as are needed to detect its compression.

    No more are read from a pipe, so that a short line need not wait for the next one.
    """
    read = reader_of(raw)
    head = b""
    while any(mark.startswith(head) and mark != head for mark in MARKS):
        more = read(LONGEST_MARK - len(head))
        if isinstance(more, str):
            raise ParameterError(
                f"{name} was opened as text; open it in binary mode: open(path, 'rb')."
            )
        if not more:
            break
        head += more
    return head


class _Rest:
    """File that returns the bytes in `head` again, and then the rest of `raw`."""

    closed = False  # the decompressors ask

    def __init__(self, head: bytes, raw: RawFile) -> None:
        self._head = head
        self._read = reader_of(raw)
        # `readinto` of a buffered file waits until the buffer is full, which a pipe may never do.
        is_unbuffered = not hasattr(raw, "read1") and hasattr(raw, "readinto")
        self._fill: Callable[[memoryview], int | None] | None = None
        if is_unbuffered:
            self._fill = raw.readinto

    def readinto(self, view: memoryview) -> int:
        if self._head or self._fill is None:
            data = self.read(len(view))
            view[: len(data)] = data
            return len(data)
        return self._fill(view) or 0

    def read(self, size: int = -1) -> bytes:
        if not self._head:
            return self._read(size) or b""
        if size < 0:
            size = len(self._head)
        data = self._head[:size]
        self._head = self._head[size:]
        return data

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False


def _decompressor(packing: str, rest: _Rest) -> Any:
    """Return a file of the decompressed bytes; import the library only now."""
    compressed: Any = rest
    if packing == "gzip":
        import gzip

        return gzip.GzipFile(fileobj=compressed)
    if packing == "xz":
        import lzma

        return lzma.LZMAFile(compressed)
    if packing == "bzip2":
        import bz2

        return bz2.BZ2File(compressed)
    return _zstd().ZstdFile(compressed)


def _zstd() -> Any:
    from importlib import import_module

    for module in ("compression.zstd", "backports.zstd"):  # the first from Python 3.14 on
        try:
            return import_module(module)
        except ImportError:
            continue
    raise MissingExtra("reading zstd needs the package backports.zstd", extra="zstd")


# ---------------------------------------------------------------------- the first bytes


def first_lines(path: object, n_bytes: int = 1 << 14) -> str:
    """Return whole lines from the beginning of a file, to detect its format.

    Return an empty text for a pipe, whose bytes can be read only once, and for what cannot be read.
    """
    if not isinstance(path, str | os.PathLike) or not os.path.isfile(path):
        return ""
    start = bytearray(n_bytes)
    length = 0
    try:
        with opened(_source(path)) as stream, memoryview(start) as view:
            while more := stream.readinto(view[length:]):
                length += more
    except (InputError, OSError, ImportError):
        return ""

    text = start[:length].decode("utf-8", "replace").removeprefix("\ufeff")
    if length < n_bytes:
        return text
    # The last line was cut off, unless it is the only one.
    return text[: text.rfind("\n") + 1] or text


def our_kind(path: object) -> str | None:
    """Return "rows" for packed rows and "model" for a model file, by their first bytes, or None."""
    if not isinstance(path, str | os.PathLike) or not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        start = file.read(64)[LENGTH_OF_HEADER:]
    return next((kind for mark, kind in OUR_STARTS.items() if start.startswith(mark)), None)
