"""Writing a file so that there is always a whole one: the old or the new, never half of either."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from types import ModuleType
from typing import ClassVar, Self

from rosenblatt.errors import ModelFileError

fcntl: ModuleType | None = None
with suppress(ImportError):  # not on Windows, where files are not locked
    import fcntl


def open_regular(path: str) -> int:
    """A file descriptor for reading; anything but a file is refused before it is opened.

    To open a pipe would wait for somebody to write to it.
    """
    kind = os.stat(path).st_mode
    if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
        raise ModelFileError("not a regular file; a model cannot be read from a pipe or device.")
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    return os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))


class FileChanged(OSError):
    """Somebody else has written the file that was to be replaced."""


class Claim:
    """A file that is to be replaced, perhaps several times, until `release`.

    It is not replaced if somebody else has written it since. With ``lock`` nobody else can lock it
    meanwhile; the system ends that with the process, whatever ends the process.
    """

    current: ClassVar[dict[str, Claim]] = {}  # by the path they are for

    def __init__(self, path: str, *, lock: bool = False) -> None:
        self._target = os.path.realpath(path)
        self._lock = _locked(self._target) if lock else -1
        self._version = _version(self._target)
        self.current[self._target] = self

    def replace(self, temporary: str) -> None:
        if _version(self._target) != self._version:
            raise FileChanged(errno.EEXIST, "another process has written it meanwhile")
        # Locked before it has its name, so that nobody can be faster.
        other = -1 if self._lock < 0 else _locked(temporary)
        try:
            os.replace(temporary, self._target)
            self._lock, other = other, self._lock
        finally:
            _close(other)
        self._version = _version(self._target)

    def release(self) -> None:
        _close(self._lock)
        del self.current[self._target]


def _locked(path: str) -> int:
    """A descriptor that locks a file as long as it is open; -1 where there are no locks."""
    while fcntl is not None:
        file = open_regular(path)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(file), os.stat(path)):
                file, locked = -1, file
                return locked
        except BlockingIOError:
            raise
        except OSError:  # of a file system that knows no locks
            break
        finally:  # also of a file that was replaced before it could be locked
            _close(file)
    return -1


def _close(file: int) -> None:
    if file >= 0:
        os.close(file)


def _version(path: str) -> tuple[int, ...] | None:
    """What tells a file from the one that replaces it; None if there is none."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def replace(path: str, parts: Iterable[bytes | memoryview]) -> None:
    """Write to a temporary name beside ``path``, sync, rename."""
    file = NewFile(path)
    try:
        file.open()
        for part in parts:
            file.write(part)
        file.finish()
        file.rename()
    finally:
        file.discard()


class NewFile:
    """Written under another name beside the one it is to have; a link is followed.

    It has the permissions of the file it replaces, else those of any new file. Errors have the
    name that the caller knows. It is there from `open` to `discard`, so that a caller that tries
    the one and ends with the other leaves nothing behind, whenever a signal ends it.
    """

    def __init__(self, path: str) -> None:
        self._named = _Named(path)
        self._target = os.path.realpath(path)
        self._folder = os.path.dirname(self._target)
        self._temporary = os.path.join(self._folder, f".rosenblatt-{os.urandom(8).hex()}.tmp")
        self._file = -1
        self._synced = True
        with self.named():
            self._mode = _mode_of(self._target, path)

    def open(self) -> Self:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        flags |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        with self.named():
            self._file = os.open(self._temporary, flags, 0o666 if self._mode is None else 0o600)
        return self

    def write(self, data: bytes | memoryview) -> None:
        rest = memoryview(data)
        with self.named():
            while len(rest):
                rest = rest[os.write(self._file, rest) :]

    def write_at(self, place: int, data: bytes) -> None:
        """Write over what stands at a place; what is written later follows."""
        with self.named():
            os.lseek(self._file, place, os.SEEK_SET)
            self.write(data)

    def fileno(self) -> int:
        return self._file

    def finish(self, *, sync: bool = True) -> None:
        """All of it is written after this; with ``sync`` it is on the disk, as its name will be."""
        self._synced = sync
        with self.named():
            if self._mode is not None:
                os.chmod(self._temporary, self._mode)
            if sync:
                os.fsync(self._file)
            self._close()

    def rename(self) -> None:
        with self.named():
            claim = Claim.current.get(self._target)
            if claim is None:
                os.replace(self._temporary, self._target)
            else:
                claim.replace(self._temporary)
            if self._synced:  # else this would wait for the bytes after all
                _sync_folder(self._folder)

    def discard(self) -> None:
        """Leave nothing behind, unless it has its name already."""
        with suppress(OSError):
            self._close()
        with suppress(OSError):
            os.unlink(self._temporary)

    def _close(self) -> None:
        file, self._file = self._file, -1
        _close(file)

    def named(self) -> _Named:
        """Return a context in which errors get the name of the file."""
        return self._named


class _Named:
    """Gives errors of the system the name that the caller knows."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, FileChanged):
            error.filename = self._path
        elif isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, self._path) from error


def _mode_of(target: str, path: str) -> int | None:
    """The permissions of the file to be replaced, None if there is none."""
    try:
        kind = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(kind):
        raise ModelFileError(
            f"{path}: not a regular file; a new file would be renamed into its place."
        )
    effective = os.access in os.supports_effective_ids
    if not os.access(target, os.W_OK, effective_ids=effective):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    return stat.S_IMODE(kind)


def _sync_folder(folder: str) -> None:
    """Make the new name last through a loss of power, where the system has a way to."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    try:
        entry = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:  # a folder that may be written to but not listed
        return
    try:
        os.fsync(entry)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(entry)
