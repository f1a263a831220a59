"""What the commands for tags read: the options for it, the format of a file, and its sentences."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.reading import named
from rosenblatt.cli.frame.options import Decorated, Whole, in_section, text_options
from rosenblatt.cli.tag.tag_layout import FORMATS, Layout, is_mark, layout_for
from rosenblatt.cli.tag.tag_peek import Peeked, fields_of, first_rows
from rosenblatt.errors import DataError

if TYPE_CHECKING:
    from rosenblatt.io.conll_text import ConllTexts
    from rosenblatt.io.tagged_text import SentenceReader

__all__ = [
    "NO_SENTENCES",
    "Looked",
    "SentenceReading",
    "sentence_options",
]

MARK = "/"
NO_SENTENCES = "give a file with sentences in it"
MOST = 2**63 - 1
ID = re.compile(r"\d+([-.]\d+)?\t")


def _mark(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    if value is not None and not is_mark(value):
        raise click.BadParameter("give one or more characters, none of them a blank.")
    return value


option = in_section("Reading the data")
OPTIONS = (
    option(
        "--column",
        "--target",
        metavar="COL",
        help="Column of the tags: its name in CoNLL-U, its number from 1, or last.  [default: "
        "upos; in other columns the last; with a model as it was trained]",
    ),
    option(
        "--inputs",
        metavar="COLS",
        help="Columns to tag by, apart by commas, the word first.  [default: form; in other "
        "columns all before the tag; with a model as it was trained]",
    ),
    option(
        "--format",
        "kind",
        type=click.Choice(FORMATS),
        metavar="FORMAT",
        help="conll (columns), conllu or text (a sentence a line).  [default: by the ending of the "
        "name, else by the first lines]",
    ),
    option(
        "--mark",
        callback=_mark,
        metavar="TEXT",
        help="What stands between word and tag in text.  [default: /; with a model as it was "
        "trained]",
    ),
    *text_options("sentence"),
    option(
        "--max-tokens",
        type=Whole(1, MOST),
        help="The longest sentence, in words.  [default: 100,000]",
    ),
)


def sentence_options(command: Decorated) -> Decorated:
    """The options that mean the same in every command that reads sentences."""
    for add in reversed(OPTIONS):
        command = add(command)
    return command


@dataclass(frozen=True)
class Looked:
    """What the beginning of the data told; ``given`` is what is left to read: all of it."""

    format: str
    count: int
    given: list[Any]
    name: str


@dataclass(frozen=True)
class SentenceReading:
    """The values of these options."""

    column: str | None = None
    inputs: str | None = None
    kind: str | None = None
    mark: str | None = None
    encoding: str = "utf-8"
    on_bad: str = "fail"
    max_line_bytes: int | None = None
    max_tokens: int | None = None

    def marked(self, known: Layout | None) -> SentenceReading:
        """With the mark that a tagger was trained with, unless another was said."""
        return self if known is None else replace(self, mark=self.mark or known.mark)

    @property
    def between(self) -> str:
        """What stands between word and tag."""
        return self.mark or MARK

    def look(
        self,
        paths: Sequence[str],
        known: Layout | None,
        *,
        labelled: bool,
        tags: Collection[str] = (),
    ) -> Looked:
        """Find out what the data are, by their names or their first lines.

        `known` and `tags` are the layout and the tags of a tagger.
        """
        from rosenblatt.io.reader_options import ReaderSettings

        if self.kind == "text":  # then nothing is to be found out, and a pipe need not wait
            return Looked("text", 2, list(paths), named(paths[:1]))
        kind = self.kind or _by_names(paths)
        given: list[Any] = [Peeked() if paths[0] == "-" else paths[0], *paths[1:]]
        first, row = first_rows(
            given[0], self.encoding, self.max_line_bytes or ReaderSettings.max_line_bytes
        )
        if not first:
            raise DataError("0 sentences", name=named(paths[:1]), cures=NO_SENTENCES)
        if not kind:
            kind = self._guessed(first, row, known, labelled, tags)
        row = first if kind == "conll" else row
        count = {"conllu": 10, "text": 2}.get(kind, len(_cut(row)))
        if kind == "conll" and count == 1 and labelled:
            raise DataError(
                "one column alone: words or tags are missing",
                name=named(paths[:1]),
                cures=f"write word and tag, or word{self.between}TAG as text (--format text)",
            )
        return Looked(kind, count, given, named(paths[:1]))

    def laid_out(
        self, paths: Sequence[str], known: Layout, *, labelled: bool, tags: Collection[str] = ()
    ) -> tuple[Looked, Layout]:
        """The data, and where what a tagger needs stands in them."""
        looked = self.look(paths, known, labelled=labelled, tags=tags)
        return looked, layout_for(
            known,
            looked.format,
            looked.count,
            self.column,
            self.inputs,
            name=looked.name,
            labelled=labelled,
        )

    def _guessed(
        self, first: str, row: str, known: Layout | None, labelled: bool, tags: Collection[str]
    ) -> str:
        """By the first line; the same however the bytes arrive."""
        if ID.match(row) and (first.startswith("#") or row.count("\t") == 9):
            return "conllu"
        words = fields_of(row)
        if "\t" in first:
            return "conll"
        if labelled:
            return "text" if 2 * sum(map(self._is_tagged, words)) > len(words) else "conll"
        if known is None or (known.format != "conll" and len(known.inputs) == 1):
            return "text"
        if len(known.inputs) > 1 or _is_column(fields_of(first), known, tags):
            return "conll"
        return "text"

    def _is_tagged(self, word: str) -> bool:
        return all(word.rpartition(self.between)[::2])

    def reader(self, looked: Looked, layout: Layout, *, labelled: bool) -> Any:
        """Blocks of sentences and tags."""
        if layout.format == "text":
            return self._text(looked, labelled)
        from rosenblatt.io import iter_conll

        return iter_conll(looked.given, **self._columns(layout, labelled))

    def texts(self, looked: Looked, layout: Layout) -> ConllTexts:
        """Blocks of sentences in columns, with the lines that they are from; tags are not read."""
        from rosenblatt.io.conll_text import iter_conll_texts

        return iter_conll_texts(looked.given, **self._columns(layout, False))

    def _text(self, looked: Looked, labelled: bool) -> SentenceReader:
        from rosenblatt.io.tagged_text import iter_tagged_text

        return iter_tagged_text(
            looked.given, labelled=labelled, mark=self.between, **self._settings()
        )

    def _columns(self, layout: Layout, labelled: bool) -> dict[str, Any]:
        one = len(layout.inputs) == 1
        return {
            "format": layout.format,
            "target": layout.target,
            "inputs": layout.inputs[0] if one else list(layout.inputs),
            "labelled": labelled,
            **self._settings(),
        }

    def _settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = {"on_bad": self.on_bad, "encoding": self.encoding}
        for name in ("max_line_bytes", "max_tokens"):
            if getattr(self, name) is not None:
                settings[name] = getattr(self, name)
        return settings


def _by_names(paths: Sequence[str]) -> str:
    """The format that the endings tell; an empty text if they tell none."""
    from rosenblatt.io.formats import format_of

    found = {format_of(path, None, ("conll", "conllu"), otherwise="") for path in paths}
    if len(found) > 1:
        raise click.UsageError(
            "the names of the files do not tell one format for all; give those of one format at a "
            "time, or say --format."
        )
    return found.pop()


def _is_column(fields: list[str], known: Layout, tags: Collection[str]) -> bool:
    """Whether these are a word alone or a word with its tag, rather than words."""
    if len(fields) == 1 or known.target is None:
        return len(fields) == 1
    return len(fields) == known.count and fields[known.target] in tags


def _cut(row: str) -> list[str]:
    return row.split("\t") if "\t" in row else re.split(" +", row.strip(" "))
