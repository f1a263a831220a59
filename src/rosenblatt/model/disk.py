"""Writing a file so that there is always a whole one: the old or the new, never half of either."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress

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
    """Write to a temporary name beside ``path``, sync, rename; a link is followed.

    The new file has the permissions of the one it replaces, else those of any new file.
    """
    target = os.path.realpath(path)
    mode = _mode_of(target, path)
    folder = os.path.dirname(target)
    temporary = os.path.join(folder, f".rosenblatt-{secrets.token_hex(8)}.tmp")
    try:
        try:
            _write(temporary, parts, mode)
            os.replace(temporary, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
        _sync_folder(folder)
    except OSError as error:
        # The caller knows this name, not that of the temporary file.
        raise OSError(error.errno, error.strerror, path) from error


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


def _write(temporary: str, parts: Iterable[bytes | memoryview], mode: int | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    flags |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    file = os.open(temporary, flags, 0o666 if mode is None else 0o600)
    try:
        for part in parts:
            rest = memoryview(part)
            while len(rest):
                rest = rest[os.write(file, rest) :]
        if mode is not None:
            os.chmod(temporary, mode)
        os.fsync(file)
    finally:
        os.close(file)


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
