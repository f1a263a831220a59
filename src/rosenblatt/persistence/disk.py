"""Write files atomically: there is always a whole file, the old one or the new one."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from types import ModuleType
from typing import ClassVar, Self

from rosenblatt.errors import ModelFileError

# Windows has no fcntl, so files are not locked there.
fcntl: ModuleType | None = None
with suppress(ImportError):
    import fcntl

# Placeholder for the descriptor of a file that is not open.
CLOSED = -1
# Flags of some systems: line ends are not converted, and child processes do not inherit files.
BINARY: int = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def open_regular(path: str) -> int:
    """Open a file for reading; raise an error, without opening it, if it is not a regular file.

    Opening a pipe would wait for somebody to write to it.
    """
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(mode):
        raise ModelFileError("not a regular file; a model cannot be read from a pipe or device.")
    return os.open(path, os.O_RDONLY | BINARY)


def _close(file: int) -> None:
    if file != CLOSED:
        os.close(file)


# ---------------------------------------------------------------------- claiming a file


class FileChanged(OSError):
    """Another process has changed the file that was to be replaced."""


class Claim:
    """Claim on a file that is to be replaced, perhaps several times, until `release`.

    The file is not replaced if another process has changed it since. With ``lock`` no other process
    can lock it meanwhile; the system removes the lock when the process ends, however it ends.
    """

    # All claims of this process, by path.
    current: ClassVar[dict[str, Claim]] = {}

    def __init__(self, path: str, *, lock: bool = False) -> None:
        self._target = os.path.realpath(path)
        self._lock = _lock(self._target) if lock else CLOSED
        self._version = _version(self._target)
        self.current[self._target] = self

    def replace(self, temporary: str) -> None:
        """Replace the claimed file by a temporary one, which then holds the lock."""
        if _version(self._target) != self._version:
            raise FileChanged(errno.EEXIST, "another process has written it meanwhile")
        if self._lock == CLOSED:
            os.replace(temporary, self._target)
        else:
            # Locked before it has its name, so that nobody can be faster.
            new_lock = _lock(temporary)
            try:
                os.replace(temporary, self._target)
            except BaseException:
                _close(new_lock)
                raise
            old_lock = self._lock
            self._lock = new_lock
            _close(old_lock)
        self._version = _version(self._target)

    def release(self) -> None:
        """Release the claim and its lock."""
        _close(self._lock)
        del self.current[self._target]


def _lock(path: str) -> int:
    """Lock a file and return the descriptor of the lock; `CLOSED` if locks are not supported."""
    while fcntl is not None:
        file = open_regular(path)
        is_locked = False
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The file may have been replaced before it was locked; then the new one is tried.
            is_locked = os.path.samestat(os.fstat(file), os.stat(path))
        except BlockingIOError:
            raise
        except OSError:
            # A file system without locks.
            break
        finally:
            if not is_locked:
                _close(file)
        if is_locked:
            return file
    return CLOSED


def _version(path: str) -> tuple[int, ...] | None:
    """Return device, inode, size and time of change of a file; None if it does not exist."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


# ---------------------------------------------------------------------- writing a file


def replace(path: str, parts: Iterable[bytes | memoryview]) -> None:
    """Write to a temporary file in the folder of ``path``, fsync it, and rename it."""
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
    """A new file, written under a temporary name in the target folder; links are followed.

    It has the permissions of the file it replaces, otherwise those of any new file. Errors name
    the path of the caller. The temporary file exists from `open` to `discard`, so a caller that
    calls `discard` in a ``finally`` leaves nothing behind, whatever signal ends it.
    """

    def __init__(self, path: str) -> None:
        self._named = _Named(path)
        self._target = os.path.realpath(path)
        self._folder = os.path.dirname(self._target)
        self._temporary = os.path.join(self._folder, f".rosenblatt-{os.urandom(8).hex()}.tmp")
        self._file = CLOSED
        self._is_synced = True
        with self.named():
            # The permissions of the file to be replaced.
            self._mode = _mode_of(self._target, path)

    def open(self) -> Self:
        """Create the temporary file."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY
        # Nobody else may read a file whose permissions are set in the end.
        mode = 0o666 if self._mode is None else 0o600
        with self.named():
            self._file = os.open(self._temporary, flags, mode)
        return self

    def write(self, data: bytes | memoryview) -> None:
        """Append data."""
        rest = memoryview(data)
        with self.named():
            while len(rest):
                rest = rest[os.write(self._file, rest) :]

    def write_at(self, place: int, data: bytes) -> None:
        """Overwrite bytes from offset ``place`` on; later writes continue after them."""
        with self.named():
            os.lseek(self._file, place, os.SEEK_SET)
            self.write(data)

    def fileno(self) -> int:
        return self._file

    def finish(self, *, sync: bool = True) -> None:
        """Close the file; with ``sync`` its bytes, and later its name, are flushed to the disk."""
        self._is_synced = sync
        with self.named():
            if self._mode is not None:
                os.chmod(self._temporary, self._mode)
            if sync:
                os.fsync(self._file)
            self._close()

    def rename(self) -> None:
        """Rename the temporary file to its final name, replacing the old file."""
        with self.named():
            claim = Claim.current.get(self._target)
            if claim is None:
                os.replace(self._temporary, self._target)
            else:
                claim.replace(self._temporary)
            # Without sync this would still wait for the bytes.
            if self._is_synced:
                _sync_folder(self._folder)

    def discard(self) -> None:
        """Remove the temporary file, if it has not been renamed."""
        with suppress(OSError):
            self._close()
        with suppress(OSError):
            os.unlink(self._temporary)

    def _close(self) -> None:
        file = self._file
        self._file = CLOSED
        _close(file)

    def named(self) -> _Named:
        """Return a context manager in which OSErrors name the path of the caller."""
        return self._named


class _Named:
    """Context manager in which OSErrors name the path of the caller."""

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
    """Return the permissions of the file to be replaced; None if it does not exist."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(mode):
        raise ModelFileError(
            f"{path}: not a regular file; a new file would be renamed into its place."
        )
    effective = os.access in os.supports_effective_ids
    if not os.access(target, os.W_OK, effective_ids=effective):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    return stat.S_IMODE(mode)


def _sync_folder(folder: str) -> None:
    """Flush the directory after the rename, so that the new name survives a loss of power."""
    # Windows cannot open a directory.
    if not hasattr(os, "O_DIRECTORY"):
        return
    try:
        entry = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:
        # A folder that may be written to but not listed.
        return
    try:
        os.fsync(entry)
    except OSError as error:
        # Some file systems cannot flush directories.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(entry)
