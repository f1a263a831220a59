"""Writing a file so that there is always a whole one: the old or the new, never half of either."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from rosenblatt.errors import ModelFileError


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


def replace(path: str, parts: Iterable[bytes | memoryview]) -> None:
    """Write to a temporary name beside ``path``, sync, rename."""
    file = NewFile(path)
    try:
        for part in parts:
            file.write(part)
        file.finish()
        file.rename()
    finally:
        file.discard()


class NewFile:
    """Written under another name beside the one it is to have; a link is followed.

    It has the permissions of the file it replaces, else those of any new file. Errors have the
    name that the caller knows.
    """

    def __init__(self, path: str) -> None:
        self._path, self._target = path, os.path.realpath(path)
        self._folder = os.path.dirname(self._target)
        self._temporary = os.path.join(self._folder, f".rosenblatt-{secrets.token_hex(8)}.tmp")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        flags |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        with self._named():
            self._mode = _mode_of(self._target, path)
            self._file = os.open(self._temporary, flags, 0o666 if self._mode is None else 0o600)

    def write(self, data: bytes | memoryview) -> None:
        rest = memoryview(data)
        with self._named():
            while len(rest):
                rest = rest[os.write(self._file, rest) :]

    def finish(self) -> None:
        """All of it is on the disk after this."""
        with self._named():
            if self._mode is not None:
                os.chmod(self._temporary, self._mode)
            os.fsync(self._file)
            self._close()

    def rename(self) -> None:
        with self._named():
            os.replace(self._temporary, self._target)
            _sync_folder(self._folder)

    def discard(self) -> None:
        """Leave nothing behind, unless it has its name already."""
        with suppress(OSError):
            self._close()
        with suppress(OSError):
            os.unlink(self._temporary)

    def _close(self) -> None:
        if self._file >= 0:
            file, self._file = self._file, -1
            os.close(file)

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
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
