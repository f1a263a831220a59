"""Errors in the words of the shell: where a reader names an argument, the user has an option."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Collection
from typing import Any

import click

from rosenblatt.errors import DataError

__all__ = ["in_shell_words", "options_of"]

# Arguments of the readers and of taggers; None where the shell has no option for it.
OPTIONS: dict[str, str | None] = {
    "bits": "--bits",
    "classes": None,
    "columns": None,
    "constraints": "--constraints",
    "delimiter": "--delimiter",
    "encoding": "--encoding",
    "format": "--format",
    "header": "--no-header",
    "inputs": "--inputs",
    "labelled": None,
    "labels": None,
    "mark": "--mark",
    "max_features": "--max-features",
    "max_line_bytes": "--max-line-bytes",
    "max_tokens": "--max-tokens",
    "missing": "--missing",
    "n_features": None,
    "on_bad": "--on-bad",
    "target": "--target",
    "types": "--column",
    "zero_based": "--zero-based",
}
FLAGS = ("--no-header", "--zero-based")
# Where an argument stands without a value.
PHRASES = {
    "which types names": "which --column names",
    "columns names the target": "the columns of the model hold the target",
    "missing names a column twice": "--missing says a text twice",
    "delimiter has no meaning": "--delimiter has no meaning",
}
TEXT = r'"(?:[^"\\]|\\.)*"'
VALUE = rf"{TEXT}|'[^']*'|\[(?:{TEXT}|'[^']*'|[^\]])*\]|\{{(?:{TEXT}|'[^']*'|[^}}])*\}}|-?[\w.,]*\w"
HINT = r" \((?:(?P<verb>\w+) )?(?P<hint>--[a-z-]+)[^()]*\)"
# What stands in quotes comes from the file and is left alone.
ARGUMENT = re.compile(
    rf"{TEXT}|\b(?P<name>{'|'.join(OPTIONS)})(?:=(?P<value>{VALUE})(?:{HINT})?"
    rf"|{HINT.replace('verb', 'verb2').replace('hint', 'hint2')})"
)


def options_of(command: click.Command | None) -> set[str]:
    params = () if command is None else command.params
    return {option for param in params for option in param.opts}


def in_shell_words(error: Exception, options: Collection[str]) -> str:
    """The text of an error or a warning for a command that has these options.

    A cure for which the command has no option is left out.
    """
    if not isinstance(error, DataError):
        return _said(str(error), options)
    text = str(error)
    if error.help is not None:
        text = text.removesuffix("\nhelp: " + error.help.replace("\n", "\n      "))
        if cure := _cures(error.help, options):
            text += "\nhelp: " + cure.replace("\n", "\n      ")
    return text.replace(error.message, _said(error.message, options), 1)


def _cures(help: str, options: Collection[str]) -> str:
    """Those that the command can follow; each is a line, or stands behind ", or "."""
    lines = []
    for line in help.split("\n"):
        possible = [cure for cure in line.split(", or ") if _can_follow(cure, options)]
        if possible:
            lines.append(", or ".join(_said(cure, options) for cure in possible))
    return "\n".join(lines).removeprefix("or ")


def _can_follow(cure: str, options: Collection[str]) -> bool:
    return all(
        OPTIONS[found["name"]] in options or found["verb"] is not None
        for found in ARGUMENT.finditer(cure)
        if found["name"] is not None
    )


def _said(text: str, options: Collection[str]) -> str:
    for argument, option in PHRASES.items():
        text = text.replace(argument, option)
    return ARGUMENT.sub(lambda found: _option(found, options), text)


def _option(found: re.Match[str], options: Collection[str]) -> str:
    argument, written = found["name"], found["value"]
    if argument is None:
        return found[0]
    if argument == "n_features" and written is not None:
        return f"{written} features"
    option = OPTIONS[argument]
    if option is None:
        return found[0]
    if option not in options and found["verb"] is not None:
        return f"rosenblatt {found['verb']} {option}"
    if option in FLAGS or written is None:
        return option
    return f"{option} {_value(argument, written)}"


def _value(argument: str, written: str) -> str:
    try:
        value: Any = ast.literal_eval(written)
    except (SyntaxError, ValueError):
        value = written
    if argument == "types" and isinstance(value, dict):
        [(name, kind)] = value.items()
        # What is read as text and not declared as such would be guessed to be this.
        value = f"{name}={'category' if kind == 'text' else kind}"
    elif isinstance(value, list) and len(value) == 1:
        [value] = value
    elif not isinstance(value, str):
        value = written.replace(",", "")
    return "$'\\t'" if value == "\t" else shlex.quote(value)
