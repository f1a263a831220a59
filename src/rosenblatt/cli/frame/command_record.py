"""The command that made a model, kept in its file so that the run can be repeated."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

ARGUMENTS = "rosenblatt.arguments"  # where a call keeps what was typed
# They say where and how to tell of a training, and not what is learned.
OF_NO_EFFECT = ("out", "cv", "as_json", "quiet", "traceback")


def command_made_by(ctx: click.Context) -> list[str]:
    """The words of a command, those that change nothing left out, files without their folders.

    Options come in the order of help, so that the same training gives the same bytes however it was
    typed.
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
    """The name of a command after those of its groups, without that of the program."""
    return [] if ctx.parent is None else [*_verb(ctx.parent), ctx.info_name or ""]


def _words(ctx: click.Context, param: click.Option, given: Any) -> Iterator[str]:
    name = max(param.opts, key=len)
    if param.name == "learner":
        chosen, usual = ctx.params["learner"], ctx.meta["rosenblatt.default_learner"]
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
    """A file without its folder; any other value as it is."""
    mark, equals, path = value.rpartition("=")
    if os.path.isfile(path) or (mark == "rejects" and equals):
        return f"{mark}{equals}{os.path.basename(path)}"
    return value


def package_digest() -> str:
    """SHA-256 of the Python sources of this package, by name and content."""
    import rosenblatt

    home = Path(rosenblatt.__file__).parent
    found = hashlib.sha256()
    for path in sorted(home.rglob("*.py")):
        found.update(f"{path.relative_to(home).as_posix()}\0".encode())
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()
