"""Output of the commands: lines fitted to the terminal for people, JSON for programs."""

from __future__ import annotations

import json
import os
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import IO, TYPE_CHECKING, Any

import click

from rosenblatt.text_tables import TableHead

if TYPE_CHECKING:
    from rosenblatt.tables.readers.reader import Reader

WIDTH = 80  # columns of lists, and of a terminal with an unknown width
# Version of the JSON of all commands; raised when a key is removed or changes its meaning.
SCHEMA = 2
_shows_reading: ContextVar[bool] = ContextVar("_shows_reading", default=False)


# Styles of words before a colon, in colours that are legible on light and dark backgrounds.
LOOKS: dict[str, dict[str, Any]] = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "magenta", "bold": True},
    "notice": {"fg": "cyan"},
    "help": {"fg": "green"},
}


def say(lines: Iterable[str], *, err: bool = False) -> None:
    """Print lines without control characters, wrapped and in colour on a terminal."""
    stream = sys.stderr if err else sys.stdout
    width = _columns(stream)
    colourful = has_colour(stream)
    for line in lines:
        text = printable(line)
        text = text if width is None else fitted(text, width)
        if colourful:
            text = click.style(text, bold=True) if isinstance(line, TableHead) else coloured(text)
        click.echo(text, err=err)


def has_colour(stream: IO[str]) -> bool:
    """Return whether to print in colour: on a terminal, unless NO_COLOR is set (no-color.org)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not plain


def coloured(text: str) -> str:
    """Return a line with its first word, such as "error", in colour."""
    word, colon, rest = text.partition(":")
    return f"{click.style(word + colon, **LOOKS[word])}{rest}" if word in LOOKS else text


def say_notices(lines: Iterable[str]) -> None:
    say((f"notice: {line}" for line in lines), err=True)


def _columns(stream: IO[str]) -> int | None:
    """Return the width of a terminal; None if the stream is not one."""
    if not stream.isatty():
        return None
    try:
        return os.get_terminal_size(stream.fileno()).columns or WIDTH
    except OSError:
        return WIDTH


def fitted(line: str, width: int = WIDTH) -> str:
    """Wrap a line; continuation lines are indented, or aligned with its last column."""
    if len(line) <= width:
        return line
    # A column further right leaves too little room for the rest.
    columns = [gap.end() for gap in re.finditer(r"(?<=\S) {2,}", line[: width // 2])]
    indent = len(line) - len(line.lstrip())
    filled = textwrap.fill(
        line.replace(" %", "\xa0%"),  # a number and its unit stay together
        width,
        subsequent_indent=" " * (columns[-1] if columns else indent + 2),
        expand_tabs=False,
        replace_whitespace=False,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return filled.replace("\xa0%", " %")


def printable(text: str) -> str:
    """Replace unprintable characters, which could break the line or control the terminal."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


# Control characters, which steer a terminal; line and paragraph separators, at which programs also
# break lines; and marks of text direction, which can disguise a text.
_CONTROLS = "\x00-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
CONTROL = re.compile(f"[{_CONTROLS}]")
# Without tabs and line ends, which are intended in whole lines.
_STEERING = re.compile(rf"(?!\t|\n|\r\n)[{_CONTROLS}]")


def escape_controls(text: str, controls: re.Pattern[str] = CONTROL) -> str:
    """Return the text with control characters escaped as in Python: ``\\x1b``, ``\\n``."""
    return controls.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def print_data(text: str) -> None:
    """Print lines of data, with control characters escaped on a terminal only."""
    if sys.stdout.isatty():
        text = escape_controls(text, _STEERING)
    # Otherwise click would strip colour codes in a pipe.
    click.echo(text, nl=False, color=True)


def cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def listed(beginning: str, words: Sequence[str]) -> str:
    """Return a line with as many words as fit, at least one, and the number of the others."""
    for shown in range(len(words), 0, -1):
        more = len(words) - shown
        line = beginning + ", ".join(words[:shown]) + (f" and {more:,} more" if more else "")
        if len(line) <= WIDTH:
            return line
    return line if words else beginning


def progress_shown(quiet: bool) -> AbstractContextManager[None]:
    """Return a context that shows the progress of fits on a terminal, unless ``quiet``."""
    if quiet or not sys.stderr.isatty():
        return nullcontext()
    from rosenblatt.estimators.progress import shown_in_passing

    return shown_in_passing()


@contextmanager
def reading_progress_shown(quiet: bool) -> Iterator[None]:
    """Enable `reading_shown` within this block, if on a terminal and not ``quiet``."""
    token = _shows_reading.set(not quiet and sys.stderr.isatty())
    try:
        yield
    finally:
        _shows_reading.reset(token)


@contextmanager
def reading_shown(reader: Reader[Any], name: str) -> Iterator[None]:
    """Show the progress of a reader within this block, if `reading_progress_shown` enables it."""
    if not _shows_reading.get():
        yield
        return
    from rosenblatt.estimators.progress import reading_progress

    with reading_progress(printable(name)) as reader.progress:
        yield


# ---------------------------------------------------------------------- for programs


def as_json(facts: Mapping[str, object]) -> str:
    """Serialize a JSON object on one line, with the schema version and no control characters."""
    text = json.dumps(
        {**facts, "schema": SCHEMA} if "schema" in facts else {"schema": SCHEMA, **facts},
        ensure_ascii=False,
        allow_nan=False,
    )
    return escape_in_json(text)


def escape_in_json(text: str) -> str:
    """Escape the control characters that JSON allows unescaped in strings."""
    return CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def say_json(facts: Mapping[str, object], *, err: bool = False) -> None:
    click.echo(as_json(facts), err=err)


def baseline(counts: Mapping[Any, int]) -> dict[str, Any]:
    """Return the most frequent class (the first of several) and the accuracy of predicting it."""
    label = max(sorted(counts), key=counts.__getitem__)
    return {"label": label, "accuracy": counts[label] / sum(counts.values())}
