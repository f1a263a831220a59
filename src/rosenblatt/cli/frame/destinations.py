"""Output files: checked before the work, and replaced only when the new files are complete."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import click

from rosenblatt.cli.frame.interrupts import current_interrupts

if TYPE_CHECKING:
    from rosenblatt.estimators.learner import Learner
    from rosenblatt.persistence.card import State
    from rosenblatt.persistence.disk import NewFile


# Key of the command-line arguments in `ctx.meta`.
ARGUMENTS = "rosenblatt.arguments"
# Options that do not affect the trained model.
OF_NO_EFFECT = ("out", "cv", "as_json", "quiet", "traceback")


def check_name(option: str, path: str) -> None:
    """Raise if a path cannot name a file: it is ``-`` or a folder, or its folder is missing."""
    folder = os.path.dirname(path) or "."
    if path == "-" or os.path.isdir(path):
        raise click.UsageError(f"{option} {path}: give the name of a file.")
    if not os.path.isdir(folder):
        raise click.UsageError(f"{option} {path}: there is no folder {folder}.")


def check_destination(
    option: str, path: str, inputs: Iterable[str] = (), holds: str = "data"
) -> None:
    """Raise if a path cannot be written to, or if it is one of the input files.

    Files are written under a temporary name and renamed, so the folder must be writable; a pipe or
    device would be replaced instead of written to.
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
    """Choose the output path of a model, check it, and claim it against other processes.

    It is ``--out`` if given, else the resumed model, else the name of the data with ``.rbt``.
    """
    _refuse_mixed_up(resumed, data)
    if out is None:
        name = stem if data[0] == "-" else os.path.basename(data[0]).split(".")[0] or stem
        out = resumed or f"{name}.rbt"
    claim_destination(out, resumed, [*data, *read_too])
    return out


def _refuse_mixed_up(resumed: str | None, data: Sequence[str]) -> None:
    """Raise if a model was given as data, or data as the model to resume."""
    from rosenblatt.persistence.file import read
    from rosenblatt.tables.readers.sources import our_kind

    for path in data:
        if our_kind(path) == "model":
            raise click.UsageError(
                f"{path} is a model, not data: --resume {path} continues its training, and "
                f"rosenblatt show {path} describes it."
            )
    if resumed is not None and our_kind(resumed) != "model":
        # This raises an error that says what it is instead.
        read(resumed)


def refuse_other_model(
    path: str, learner: str, target: str | int | None, data: Sequence[str]
) -> None:
    """Raise if the default path holds a model that another command trained.

    If the learner, the target and the data are the same, the command is being repeated and may
    replace the model.
    """
    from rosenblatt.errors import ModelFileError
    from rosenblatt.persistence.file import digest_of, read

    if not os.path.exists(path):
        return
    why = "trained on other data"
    try:
        card = read(path).card
        record = card.record
        trained_by = card.learner if record.search is None else "AutoLinear"
        if trained_by != learner:
            why = f"trained by {trained_by}"
        elif (card.schema or {}).get("target") != target:
            why = "trained for another target"
        elif record.data is None or "-" in data:
            why = "trained on data that cannot be compared"
        elif record.data.t < record.t:
            why = "which has learned on since"
        elif record.data.sha256 == digest_of(list(data))[0]:
            return
    except ModelFileError:
        why = "but none of this version"
    raise click.UsageError(
        f"{path} is a model already, {why}; --out {path} replaces it, another name keeps both."
    )


def claim_destination(path: str, resumed: str | None, inputs: Iterable[str]) -> None:
    """Check the destination of a model before the work, and claim it against other processes.

    A model that is resumed into its own file is locked before it is read.
    """
    from rosenblatt.persistence.disk import Claim

    check_destination("--out", path, inputs)
    try:
        claim = Claim(path, lock=resumed is not None and same_file(path, resumed))
    except BlockingIOError:
        raise OSError(
            f"{path}: another process is training this model. Wait until it has ended, or "
            "give --out another name."
        ) from None
    click.get_current_context().call_on_close(claim.release)


def write_model(
    learner: Learner, path: str, *, data: list[str] | None = None, slim: bool = False
) -> State:
    """Write a learner to a model file; if that fails, write a copy elsewhere and raise.

    The copy goes to the same or the temporary folder, and the error names it, so that hours of
    training are not lost on a full disk. A model that fails the checks, by a bug of ours, is
    written as well, although `load` rejects the file.
    """
    from rosenblatt.errors import ModelFileError
    from rosenblatt.persistence.file import write_learner, write_unchecked

    try:
        # A training that was interrupted may be resumed, so the model is not made slim; and the
        # same command would not make the same model again.
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
    """Write a file to the same or the temporary folder; return its path, or None if both fail."""
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
    """Return whether two paths refer to the same file, which need not exist yet."""
    if os.path.exists(one) and os.path.exists(other):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


def keep_rejects_apart(on_bad: str, files: Iterable[str]) -> None:
    """Raise if the rejects file of ``--on-bad`` is one of the other files of the command."""
    path = on_bad.removeprefix("rejects=")
    for file in files if path != on_bad else ():
        if same_file(path, file):
            raise click.UsageError(
                f"--on-bad {on_bad}: this command needs {file} for something else; give another "
                "name."
            )


class NewFiles:
    """Output files under temporary names: `keep` renames them all; without it they are deleted."""

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


# ---------------------------------------------------------------------- the command that made it


def command_made_by(ctx: click.Context) -> list[str]:
    """Return the normalized arguments of a command, which the model stores to be reproducible.

    Options without an effect on the model are left out, and files have no folders. Options are in
    the order of the help, so that the same training gives the same bytes however it was typed.
    """
    command = ctx.command
    typed, _, _ = command.make_parser(ctx).parse_args(list(ctx.meta[ARGUMENTS]))
    files: list[str] = []
    words: list[str] = []
    for param in command.get_params(ctx):
        given = typed.get(param.name)
        if isinstance(param, click.Argument):
            files += [_base(one) for one in ([given] if isinstance(given, str) else given or ())]
        elif isinstance(param, click.Option) and param.name not in OF_NO_EFFECT:
            words += _words(ctx, param, given)
    return [*_verb(ctx), *files, *words]


def _verb(ctx: click.Context) -> list[str]:
    """Return the names of a command's groups and of the command, without the program name."""
    return [] if ctx.parent is None else [*_verb(ctx.parent), ctx.info_name or ""]


def _words(ctx: click.Context, param: click.Option, given: object) -> Iterator[str]:
    """Yield the name and the value of an option, unless it has its default value."""
    name = max(param.opts, key=len)
    if param.name == "learner":
        chosen = ctx.params["learner"]
        usual = ctx.meta["rosenblatt.default_learner"]
        if chosen.name != usual:
            yield from (name, chosen.name)
    elif param.is_flag:
        if isinstance(given, bool) and given != param.default:
            yield name if given else max(param.secondary_opts, key=len)
    else:
        for value in given if isinstance(given, list | tuple) else [given]:
            if isinstance(value, str) and value != str(param.default):
                yield from (name, _base(value))


def _base(value: str) -> str:
    """Return the path of a file without its folder, and any other value unchanged."""
    mark, equals, path = value.rpartition("=")
    if os.path.isfile(path) or (mark == "rejects" and equals):
        return f"{mark}{equals}{os.path.basename(path)}"
    return value


def package_digest() -> str:
    """Return the SHA-256 of the Python sources of this package, over their names and contents."""
    import rosenblatt

    home = Path(rosenblatt.__file__).parent
    found = hashlib.sha256()
    for path in sorted(home.rglob("*.py")):
        found.update(f"{path.relative_to(home).as_posix()}\0".encode())
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()
