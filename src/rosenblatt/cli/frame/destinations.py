"""Where a command is to write: looked at before the work, and changed only when all is whole."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

import click

from rosenblatt.cli.frame.command_record import command_made_by, package_digest
from rosenblatt.cli.frame.interrupts import current_interrupts

if TYPE_CHECKING:
    from rosenblatt.persistence.card import State
    from rosenblatt.persistence.disk import NewFile


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
    _refuse_mixed_up(resumed, data)
    if out is None:
        name = stem if data[0] == "-" else os.path.basename(data[0]).split(".")[0] or stem
        out = resumed or f"{name}.rbt"
    claim_destination(out, resumed, [*data, *read_too])
    return out


def _refuse_mixed_up(resumed: str | None, data: Sequence[str]) -> None:
    """A model where data should be, or data where a model should be, before anything is said."""
    from rosenblatt.persistence.file import read
    from rosenblatt.tables.readers.sources import our_kind

    for path in data:
        if our_kind(path) == "model":
            raise click.UsageError(
                f"{path} is a model, not data: --resume {path} goes on with it, and "
                f"rosenblatt show {path} tells what it is."
            )
    if resumed is not None and our_kind(resumed) != "model":
        read(resumed)  # says what it is instead


def claim_destination(path: str, resumed: str | None, inputs: Iterable[str]) -> None:
    """Look at the place of a model before the work, and let nobody else's be lost for it.

    A model that is resumed into its own place is locked before it is read.
    """
    from rosenblatt.persistence.disk import Claim

    check_destination("--out", path, inputs)
    try:
        claim = Claim(path, lock=resumed is not None and same_file(path, resumed))
    except BlockingIOError:
        raise OSError(
            f"{path}: another process is learning on with this model. Wait until it has ended, or "
            "give --out another name."
        ) from None
    click.get_current_context().call_on_close(claim.release)


def write_model(
    learner: Any, path: str, *, data: list[str] | None = None, slim: bool = False
) -> State:
    """Write a learner; if that fails, under another name, beside it or where temporary files are.

    The error says which. That goes for a full disk, and for a model that is not sound, by an error
    of ours: the hours of learning are not lost, although `load` refuses the file.
    """
    from rosenblatt.errors import ModelFileError
    from rosenblatt.persistence.file import write_learner, write_unchecked

    try:
        # Who interrupts a training may want to go on with it.
        heard = current_interrupts().heard
        made_by: dict[str, Any] = {}
        if data is not None and not heard:
            command = command_made_by(click.get_current_context())
            made_by = {"command": command, "package": package_digest()}
        state = write_learner(learner, path, data=data, slim=slim and not heard, **made_by)
        click.get_current_context().obj.written = path
        return state
    except OSError as error:
        other = _written_elsewhere(path, lambda place: write_learner(learner, place))
        if other is None:
            raise
        kept = f"{path}: {error.strerror}. What was learned is kept in {other}."
        raise OSError(kept) from error
    except ModelFileError as error:
        other = _written_elsewhere(path, lambda place: write_unchecked(learner, place))
        if other is None:
            raise
        kept = f"{path}: {error} What was learned is kept in {other}, which load refuses as well."
        raise ModelFileError(kept) from error


def _written_elsewhere(path: str, write: Callable[[str], object]) -> str | None:
    """Write a file beside the path or among the temporary files; return where, None if nowhere."""
    import secrets
    import tempfile

    from rosenblatt.errors import ModelFileError

    stem, ending = os.path.splitext(os.path.basename(path))
    for folder in (os.path.dirname(path), tempfile.gettempdir()):
        other = os.path.join(folder, f"{stem}-{secrets.token_hex(3)}{ending}")
        try:
            write(other)
        except (OSError, ModelFileError):
            continue
        return other
    return None


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
        self._files: list[NewFile] = []

    def __enter__(self) -> Self:
        return self

    def open(self, path: str) -> NewFile:
        from rosenblatt.persistence.disk import NewFile

        self._files.append(NewFile(path))
        return self._files[-1].open()

    def keep(self) -> None:
        for file in self._files:
            file.finish()
        for file in self._files:
            file.rename()

    def __exit__(self, *_: object) -> None:
        for file in self._files:
            file.discard()
