"""Bytes from paths, standard input or open files, unpacked on the way."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from rosenblatt.errors import DataError, InputError, MissingExtra, ParameterError

Given = Any  # a path, "-", a file opened in binary mode, or several of these

# How a compressed file begins.
MARKS = {
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ\x00": "xz",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
}
ENDINGS = {".gz": "gzip", ".xz": "xz", ".bz2": "bzip2", ".zst": "zstd"}
PIECE = 1 << 20
KEPT_IN_MEMORY = 1 << 26
LONGEST_MARK = max(map(len, MARKS))
# How files of ours begin, after the length of their header.
OUR_STARTS = {
    b'{"__metadata__":{"rosenblatt_rows":': "rows",
    b'{"__metadata__":{"rosenblatt":': "model",
}


class Source(NamedTuple):
    """One place to read from: the name that errors give, and how to open it."""

    name: str
    open: Callable[[], Any]
    closes: bool

    def is_file(self, found: os.stat_result) -> bool:
        """Whether it is the file that `found` tells of."""
        try:
            own = os.stat(self.name) if self.closes else os.fstat(self.open().fileno())
        except (AttributeError, OSError):
            return False
        return os.path.samestat(own, found)

    def size(self) -> int:
        """The bytes of a file, as it lies on the disk; 0 if that is not known."""
        try:
            return os.stat(self.name).st_size if self.closes else 0
        except OSError:
            return 0

    def is_read_once(self) -> bool:
        """Whether what was read is gone: of a pipe or an open file, unlike one on a disk."""
        return not (self.closes and os.path.isfile(self.name))


def sources_of(given: Given) -> list[Source]:
    """What to read, in order; each is opened only when its turn comes."""
    if isinstance(given, str | os.PathLike) or hasattr(given, "read"):
        given = [given]
    elif isinstance(given, bytes) or not isinstance(given, Iterable):
        raise _unreadable(given)
    sources = [
        one if isinstance(one, Source) else _source(one) for some in given for one in _globbed(some)
    ]
    if not sources:
        raise ParameterError("nothing to read: the list of paths is empty.")
    return sources


def _globbed(given: Any) -> list[Any]:
    """The files that a pattern like data/*.csv names, in order; else what was given."""
    if not isinstance(given, str) or not any(c in given for c in "*?[") or os.path.exists(given):
        return [given]
    import glob

    return sorted(glob.glob(given)) or [given]


def _source(given: Any) -> Source:
    if hasattr(given, "read"):
        name = getattr(given, "name", None)
        return Source(name if isinstance(name, str) else "<stream>", lambda: given, False)
    if given == "-":
        return Source("<stdin>", _standard_input, False)
    if not isinstance(given, str | os.PathLike):
        raise _unreadable(given)
    path = os.fspath(given)
    return Source(os.fsdecode(path), lambda: open(path, "rb", buffering=0), True)


def _standard_input() -> Any:
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed", "<stdin>")
    return sys.stdin.buffer


def _unreadable(given: Any) -> ParameterError:
    shown = repr(given)
    return ParameterError(
        f"cannot read from {shown if len(shown) < 60 else shown[:57] + '...'}: give a path, '-' "
        "for standard input, a file opened in binary mode, or a list of these. Text at hand goes "
        "in io.BytesIO."
    )


@contextmanager
def opened(source: Source) -> Iterator[Stream]:
    raw = source.open()
    try:
        yield Stream(raw, source.name, by_name=source.closes)
    finally:
        if source.closes:
            raw.close()


@contextmanager
def kept_for_rereading(source: Source) -> Iterator[Source]:
    """A source that can be read again once it was read to its end.

    An open file goes back to where it was; what comes out of a pipe is kept in a temporary file.
    """
    if not source.is_read_once():
        yield source
        return
    with ExitStack() as stack:
        first: list[tuple[Any, int]] = []
        copies: list[Any] = []

        def open_again() -> Any:
            if copies:
                copies[0].seek(0)
                return copies[0]
            if first:
                raw, start = first[0]
                raw.seek(start)
                return raw
            raw = source.open()
            if source.closes:
                stack.callback(raw.close)
            if getattr(raw, "seekable", lambda: False)():
                first.append((raw, raw.tell()))
                return raw
            import tempfile

            copies.append(stack.enter_context(tempfile.SpooledTemporaryFile(KEPT_IN_MEMORY)))
            return _Recorded(raw, copies[0])

        yield Source(source.name, open_again, False)


class _Recorded:
    """A stream whose bytes are kept while they are read."""

    def __init__(self, raw: Any, copy: Any) -> None:
        self._read, self._copy = getattr(raw, "read1", raw.read), copy

    def read(self, size: int = -1) -> Any:
        data = self._read(size)
        if isinstance(data, bytes):
            self._copy.write(data)
        return data


class Stream:
    """The bytes of one source, whatever it was compressed with."""

    def __init__(self, raw: Any, name: str, *, by_name: bool = True) -> None:
        self.name, self.raw = name, raw
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
        self._stream = rest if self.packing is None else _unpacker(self.packing, rest)

    @property
    def seekable(self) -> bool:
        """Whether `raw` itself can be read from anywhere: not compressed, no pipe."""
        return self.packing is None and bool(getattr(self.raw, "seekable", lambda: False)())

    @contextmanager
    def copied(self) -> Iterator[Any]:
        """All bytes in a temporary file, which is at its start."""
        import tempfile

        with tempfile.TemporaryFile() as copy, memoryview(bytearray(PIECE)) as view:
            while n := self.readinto(view):
                copy.write(view[:n])
            copy.seek(0)
            yield copy

    def readinto(self, view: memoryview) -> int:
        """Fill `view` as far as there are bytes at once; 0 at the end."""
        try:
            return int(self._stream.readinto(view) or 0)
        except OSError as error:
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


def _first_bytes(raw: Any, name: str) -> bytes:
    """Enough to tell what it is; from a pipe no more than that, so that a short line is read."""
    read = getattr(raw, "read1", raw.read)
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
    """A stream whose first bytes were taken already."""

    closed = False

    def __init__(self, head: bytes, raw: Any) -> None:
        self._head, self._raw = head, raw
        # From a pipe, what is there is better than a full buffer later.
        self._read = getattr(raw, "read1", raw.read)
        self._fill = None if hasattr(raw, "read1") else getattr(raw, "readinto", None)

    def readinto(self, view: memoryview) -> int:
        if self._head or self._fill is None:
            data = self.read(len(view))
            view[: len(data)] = data
            return len(data)
        return self._fill(view) or 0

    def read(self, size: int = -1) -> bytes:
        if not self._head:
            return self._read(size) or b""
        size = len(self._head) if size < 0 else size
        data, self._head = self._head[:size], self._head[size:]
        return data

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False


def _unpacker(packing: str, rest: _Rest) -> Any:
    packed: Any = rest
    if packing == "gzip":
        import gzip

        return gzip.GzipFile(fileobj=packed)
    if packing == "xz":
        import lzma

        return lzma.LZMAFile(packed)
    if packing == "bzip2":
        import bz2

        return bz2.BZ2File(packed)
    return _zstd().ZstdFile(packed)


def _zstd() -> Any:
    from importlib import import_module

    for module in ("compression.zstd", "backports.zstd"):  # the first from Python 3.14 on
        try:
            return import_module(module)
        except ImportError:
            continue
    raise MissingExtra("reading zstd needs the package backports.zstd", extra="zstd")


# ---------------------------------------------------------------------- the first bytes


def first_lines(path: Any, n_bytes: int = 1 << 14) -> str:
    """Whole lines of the beginning of a file, to look at; nothing of a pipe, which is read once."""
    if not isinstance(path, str | os.PathLike) or not os.path.isfile(path):
        return ""
    start, length = bytearray(n_bytes), 0
    try:
        with opened(_source(path)) as stream, memoryview(start) as view:
            while more := stream.readinto(view[length:]):
                length += more
    except (InputError, OSError, ImportError):
        return ""
    text = start[:length].decode("utf-8", "replace").removeprefix("\ufeff")
    return text if length < n_bytes else text[: text.rfind("\n") + 1] or text


def our_kind(path: Any) -> str | None:
    """ "rows" for a packed file and "model" for one of a model, by how it begins; else None."""
    if not isinstance(path, str | os.PathLike) or not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        start = file.read(64)[8:]
    return next((kind for mark, kind in OUR_STARTS.items() if start.startswith(mark)), None)
