"""The reference: a page for each command and each module, from declarations and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import click
import docstrings

import rosenblatt
from rosenblatt.cli.main import PROGRAM, VERBS, group
from rosenblatt.estimators.catalogue import CATALOGUE

INDEX = """# Reference

Made from the declarations and docstrings of the code, so it says what the code does.

- Commands of the shell: {shell}
- Modules of Python: {python}
- [Learners, one page each](../learners/index.md)
"""


def pages() -> Iterator[tuple[str, str]]:
    """Every page of the reference: its path and its Markdown."""
    shell, python = dict(_shell()), dict(_python())
    for folder, made in (("shell", shell), ("python", python)):
        yield from ((f"reference/{folder}/{name}.md", text) for name, text in made.items())
    links = {
        folder: ", ".join(f"[{name}]({folder}/{name}.md)" for name in made)
        for folder, made in (("shell", shell), ("python", python))
    }
    yield "reference/index.md", INDEX.format(**links)


# ---------------------------------------------------------------------- the shell


def _shell() -> Iterator[tuple[str, str]]:
    context = click.Context(group, info_name=PROGRAM)
    for verb, about in VERBS.items():
        command = group.get_command(context, verb)
        assert command is not None
        yield verb, f"# {PROGRAM} {verb}\n\n{about}\n\n{_command(command, verb, context, 2)}"


def _command(command: click.Command, name: str, parent: click.Context, level: int) -> str:
    context = click.Context(command, parent=parent, info_name=name)
    usage = command.get_usage(context).removeprefix("Usage: ")
    parts = [f"```text\n{usage}\n```", _text(command.help)]
    tables: dict[str, list[str]] = {}
    for param in command.get_params(context):
        record = param.get_help_record(context)
        if record is not None and isinstance(param, click.Option):
            row = " | ".join(_cell(text, code=i == 0) for i, text in enumerate(record))
            tables.setdefault(getattr(param, "section", "Options"), []).append(f"| {row} |")
    for title, rows in tables.items():
        parts += [f"{'#' * level} {title}", "| option | meaning |\n|---|---|\n" + "\n".join(rows)]
    if isinstance(command, click.Group):
        for sub in command.list_commands(context):
            found = command.get_command(context, sub)
            assert found is not None
            inner = _command(found, sub, context, level + 1)
            parts.append(f"{'#' * level} {context.command_path} {sub}\n\n{inner}")
    return "\n\n".join([*parts, _text(command.epilog)])


def _cell(text: str, *, code: bool) -> str:
    text = " ".join(text.split()).replace("|", "\\|")
    return f"`{text}`" if code else re.sub(r"([*_<])", r"\\\1", text)


def _text(text: str | None) -> str:
    """Help as click writes it: after \\b lines stay as they are."""
    paragraphs = inspect.cleandoc(text or "").split("\n\n")
    return "\n\n".join(
        f"```text\n{inspect.cleandoc(p[1:])}\n```" if p.startswith("\b") else _plain(p)
        for p in paragraphs
    )


def _plain(text: str) -> str:
    return re.sub(r"([*_<])", r"\\\1", text)


# ---------------------------------------------------------------------- Python


def _python() -> Iterator[tuple[str, str]]:
    names: list[str] = [*rosenblatt.__all__]
    modules = [n for n in names if isinstance(getattr(rosenblatt, n), ModuleType)]
    learners = {entry.class_name: entry.name for entry in CATALOGUE}
    own = [name for name in names if name not in modules and name not in learners]
    links = "\n".join(f"- [`{n}`](../../learners/{short}.md)" for n, short in learners.items())
    others = "".join(_member(name, getattr(rosenblatt, name)) for name in own)
    about = docstrings.prose(rosenblatt.__doc__ or "")
    yield "rosenblatt", f"# rosenblatt\n\n{about}\n\n## Learners\n\n{links}\n\n{others}"
    for name in modules:
        module = getattr(rosenblatt, name)
        members = "".join(_member(member, getattr(module, member)) for member in _public(module))
        about = docstrings.prose(module.__doc__ or "")
        yield name, f"# rosenblatt.{name}\n\n{about}\n\n{members}"


def _public(module: ModuleType) -> list[str]:
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return [name for name in listed if not isinstance(getattr(module, name), ModuleType)]
    return [n for n, t in vars(module).items() if _is_own(n, t, module.__name__)]


def _is_own(name: str, thing: Any, module: str) -> bool:
    made = inspect.isclass(thing) or inspect.isfunction(thing)
    return made and not name.startswith("_") and thing.__module__ == module


def _member(name: str, thing: Any) -> str:
    if not callable(thing):  # a name for a type
        return f"## {name}\n\n```python\n{name} = {thing}\n```\n\n"
    text = docstrings.of(thing.__doc__)
    parts = [f"## {name}", f"```python\n{docstrings.signature(name, thing)}\n```", text]
    if inspect.isclass(thing):
        parts += methods(thing, 3)
    return "\n\n".join(parts) + "\n\n"


def methods(cls: type, level: int) -> list[str]:
    """What a class can do, method by method; its properties stand among its attributes."""
    parts = []
    for name in sorted(name for name in dir(cls) if not name.startswith("_")):
        # Looked at before it is asked for: what belongs to another package may warn.
        found = _function(inspect.getattr_static(cls, name))
        if found is not None and found.__doc__ and found.__module__.startswith("rosenblatt"):
            called = f"```python\n{docstrings.signature(name, found)}\n```"
            said = docstrings.of(inspect.getdoc(found))
            parts.append(f"{'#' * level} .{name}\n\n{called}\n\n{said}")
    return parts


def _function(thing: Any) -> Any:
    inner = getattr(thing, "__func__", thing)
    return inner if inspect.isfunction(inner) else None
