"""Where a command is to write: looked at before the work, and changed only when all is whole."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Self

import click


def check_name(option: str, path: str) -> None:
    """Refuse a name that a file cannot have."""
    folder = os.path.dirname(path) or "."
    if path == "-" or os.path.isdir(path):
        raise click.UsageError(f"{option} {path}: give the name of a file.")
    if not os.path.isdir(folder):
        raise click.UsageError(f"{option} {path}: there is no folder {folder}.")


def check_destination(
    option: str, path: str, inputs: Iterable[str] = (), holds: str = "data"
) -> None:
    """Refuse a place that a file cannot be written to, or that holds what is to be read.

    A file gets its name by renaming, so the folder must be open to writing; and a pipe or device
    would not be written to but lost.
    """
    check_name(option, path)
    target = os.path.realpath(path)
    if os.path.exists(target):
        if not os.path.isfile(target):
            raise click.UsageError(f"{option} {path}: a pipe or device; give the name of a file.")
        for file in inputs:
            if file != "-" and os.path.samefile(file, target):
                raise click.UsageError(f"{option} {path} holds the {holds}; give another name.")
    effective = os.access in os.supports_effective_ids
    for place in (os.path.dirname(target), target):
        if os.path.exists(place) and not os.access(place, os.W_OK, effective_ids=effective):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)


def default_destination(
    out: str | None,
    resumed: str | None,
    data: Sequence[str],
    stem: str,
    read_too: Iterable[str] = (),
) -> str:
    """Where a model goes: to --out, else to the one resumed, else to the name of the data."""
    if out is None:
        name = stem if data[0] == "-" else os.path.basename(data[0]).split(".")[0] or stem
        out = resumed or f"{name}.rbt"
    check_destination("--out", out, [*data, *read_too])
    return out


def same_file(one: str, other: str) -> bool:
    if os.path.exists(one) and os.path.exists(other):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


def keep_rejects_apart(on_bad: str, files: Iterable[str]) -> None:
    """Refuse to put rejects into a file that the command reads or writes as something else."""
    path = on_bad.removeprefix("rejects=")
    for file in files if path != on_bad else ():
        if same_file(path, file):
            raise click.UsageError(
                f"--on-bad {on_bad}: this command needs {file} for something else; give another "
                "name."
            )


class NewFiles:
    """Files that get their names together, by `keep`; without it nothing is left of them."""

    def __init__(self) -> None:
        self._files: list[_NewFile] = []

    def __enter__(self) -> Self:
        return self

    def open(self, path: str) -> _NewFile:
        self._files.append(_NewFile(path))
        return self._files[-1]

    def keep(self) -> None:
        for file in self._files:
            file.finish()
        for file in self._files:
            file.rename()

    def __exit__(self, *_: object) -> None:
        for file in self._files:
            file.discard()


class _NewFile:
    """Written under another name beside the one it is to have; a link is followed."""

    def __init__(self, path: str) -> None:
        self._path, self._target = path, os.path.realpath(path)
        self._temporary = f"{self._target}.{secrets.token_hex(8)}.tmp"
        with self._named():
            self._file = open(self._temporary, "xb")  # noqa: SIM115  (open until it is finished)

    def write(self, data: bytes) -> None:
        with self._named():
            self._file.write(data)

    def finish(self) -> None:
        with self._named():
            if os.path.exists(self._target):
                os.chmod(self._temporary, os.stat(self._target).st_mode & 0o7777)
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()

    def rename(self) -> None:
        with self._named():
            os.replace(self._temporary, self._target)

    def discard(self) -> None:
        with suppress(OSError):  # what could not be written cannot be flushed either
            self._file.close()
        with suppress(FileNotFoundError):
            os.unlink(self._temporary)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Errors with the name that the user knows."""
        try:
            yield
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._path) from error
