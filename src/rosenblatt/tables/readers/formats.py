"""The registry of formats: how each format is recognized, and which reader reads it.

Every other list of formats is derived from `ROWS` and `SENTENCES`: auto-detection by suffix and by
content, ``--format`` and its help, error messages, packing and shards. A new format is one more
entry here and the reader that it names.

The shell imports this module to show its help, so it imports nothing heavy, and no reader.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from rosenblatt.tables.readers.reader import Reader
    from rosenblatt.tables.readers.sources import Given

Kind = Literal["table", "text", "svmlight", "vw", "sentences", "packed rows"]
# Returns whether the first lines of a file (at least one, none blank) are in a format.
Sniffer = Callable[[Sequence[str]], bool]

SNIFFED_BYTES = 1 << 14  # bytes read from the start of a file to detect its format


class Format(NamedTuple):
    """Description of one file format.

    Attributes
    ----------
    name : str
        Its name for ``--format`` and ``format=``.
    kind : {"table", "text", "svmlight", "vw", "sentences", "packed rows"}
        What its reader returns, by the kind of schema that encodes it.
    title : str
        Its name in messages: "these look like JSON lines".
    reader : str
        The reader as "module:function", which is imported when a file is opened. That of a table
        takes a `TableRequest`; any other one is a public function of `rosenblatt.io`.
    suffixes : tuple of str
        Suffixes of file names that mean this format, without the dot.
    sniff : callable or None
        Returns whether the first lines are of this format, if the name of a file does not tell.
    signature : bytes or None
        The first bytes of a file that is not text.
    is_text : bool
        Whether a file is lines of text.
    cut : {"lines", "rows"} or None
        Where a file can be cut into shards: at any line end, or between rows, because a line end
        may be quoted (which needs `DelimitedFormat`). With None every shard reads the whole file.
    finds_encoding : bool
        Whether the reader detects the encoding of text that is not UTF-8.
    options : tuple of str
        Arguments of the reader that other formats do not have.
    """

    name: str
    kind: Kind
    title: str
    reader: str
    suffixes: tuple[str, ...] = ()
    sniff: Sniffer | None = None
    signature: bytes | None = None
    is_text: bool = True
    cut: Literal["lines", "rows"] | None = None
    finds_encoding: bool = False
    options: tuple[str, ...] = ()

    @property
    def is_delimited(self) -> bool:
        """Return whether rows are fields with a delimiter between them."""
        return "delimiter" in self.options

    def load_reader(self) -> Callable[..., Reader[Any]]:
        """Import the module of the reader, and return the reader function."""
        from importlib import import_module

        module, _, function = self.reader.partition(":")
        reader: Callable[..., Reader[Any]] = getattr(import_module(module), function)
        return reader

    def open(self, given: Given, **options: Any) -> Reader[Any]:
        """Open files, and return a reader of blocks; `options` are those of the public reader."""
        if self.kind == "table":
            from rosenblatt.tables.readers.table import iter_table

            return iter_table(given, format=self.name, **options)
        reader: Reader[Any] = self.load_reader()(given, **options)
        return reader


# ---------------------------------------------------------------------- sniffers


def _every_line(pattern: str) -> Sniffer:
    """Return a sniffer that tests whether all lines match a regular expression."""
    # `re` compiles it on first use: most files are recognized by their suffix.
    return lambda lines: all(re.fullmatch(pattern, line) for line in lines)


def _is_labelled_text(lines: Sequence[str]) -> bool:
    """Return whether each line is a label, a tab and a text, and labels are repeated."""
    # The first text has several words; of the others some may be a single word.
    if not re.fullmatch(r"[^\t,;]{1,40}\t[^\t]* [^\t]*", lines[0]):
        return False
    if not all(re.fullmatch(r"[^\t,;]{1,40}\t[^\t]+", line) for line in lines):
        return False
    labels = {line.partition("\t")[0] for line in lines}
    return len(labels) <= max(2, len(lines) // 2)


# ---------------------------------------------------------------------- the registry


# The options of delimited text that are auto-detected if they are not given.
_DELIMITED = ("delimiter", "decimal", "thousands", "quote")

# Formats of rows with labels, in the order in which they are listed and sniffed. The first one of
# a kind is the default of that kind.
ROWS: tuple[Format, ...] = (
    Format(
        "svmlight",
        "svmlight",
        title="svmlight rows, label index:value",
        reader="rosenblatt.tables.readers.svmlight:iter_svmlight",
        suffixes=("svm", "libsvm", "svmlight"),
        sniff=_every_line(r"\S+(\s+\d+:[-+.\deE]+)+\s*(#.*)?"),
        cut="lines",
        options=("zero_based", "max_features"),
    ),
    Format(
        "vw",
        "vw",
        title="Vowpal Wabbit rows",
        reader="rosenblatt.tables.readers.vw:iter_vw",
        suffixes=("vw",),
        sniff=_every_line(r"[-+]?[\d.]+\s[^|]*\|.*"),
        cut="lines",
        options=("labelled", "bits", "max_features"),
    ),
    Format(
        "csv",
        "table",
        title="CSV",
        reader="rosenblatt.tables.readers.delimited:open_csv",
        suffixes=("csv",),
        cut="rows",
        finds_encoding=True,
        options=_DELIMITED,
    ),
    Format(
        "tsv",
        "table",
        title="TSV",
        reader="rosenblatt.tables.readers.delimited:open_tsv",
        suffixes=("tsv", "tab"),
        cut="rows",
        finds_encoding=True,
        options=_DELIMITED,
    ),
    Format(
        "jsonl",
        "table",
        title="JSON lines",
        reader="rosenblatt.tables.readers.jsonl:open_json_lines",
        suffixes=("jsonl", "ndjson"),
        sniff=_every_line(r'\{\s*".*'),
        cut="lines",
    ),
    Format(
        "json",
        "table",
        title="JSON",
        reader="rosenblatt.tables.readers.jsonl:open_json",
        suffixes=("json",),
    ),
    Format(
        "text",
        "text",
        title="a label, a tab and a text",
        reader="rosenblatt.tables.readers.labelled_text:iter_text",
        suffixes=("txt",),
        sniff=_is_labelled_text,
        cut="lines",
        finds_encoding=True,
        options=("labelled",),
    ),
    Format(
        "xlsx",
        "table",
        title="Excel",
        reader="rosenblatt.tables.readers.excel:open_excel",
        suffixes=("xlsx",),
        is_text=False,
    ),
    Format(
        "parquet",
        "table",
        title="Parquet",
        reader="rosenblatt.tables.readers.arrow:open_parquet",
        suffixes=("parquet", "pq"),
        signature=b"PAR1",
        is_text=False,
    ),
    Format(
        "arrow",
        "table",
        title="Arrow",
        reader="rosenblatt.tables.readers.arrow:open_arrow",
        suffixes=("arrow", "feather"),
        signature=b"ARROW1",
        is_text=False,
    ),
)

# Formats of sentences with tags. Their reader recognizes files by its first lines itself, and does
# not take a .txt for one of them.
SENTENCES: tuple[Format, ...] = (
    Format(
        "conll",
        "sentences",
        title="columns",
        reader="rosenblatt.tables.readers.sentence_reader:iter_sentences",
        suffixes=("conll", "iob"),
    ),
    Format(
        "conllu",
        "sentences",
        title="CoNLL-U",
        reader="rosenblatt.tables.readers.sentence_reader:iter_sentences",
        suffixes=("conllu",),
    ),
    Format(
        "text",
        "sentences",
        title="text, a sentence a line",
        reader="rosenblatt.tables.readers.sentence_reader:iter_sentences",
    ),
)

# Not a choice of ``--format``, since such a file is recognized by its first bytes.
PACKED_ROWS = Format(
    "packed rows",
    "packed rows",
    title="packed rows",
    reader="rosenblatt.io:read_packed",
    suffixes=("rows",),
    is_text=False,
)

TABLES = tuple(format for format in ROWS if format.kind == "table")


def names_of(formats: Sequence[Format]) -> list[str]:
    """Return the names of formats, in order."""
    return [format.name for format in formats]


def listed(formats: Sequence[Format]) -> str:
    """Return the names of formats as an enumeration, such as "csv, tsv or json"."""
    *others, last = names_of(formats)
    return f"{', '.join(others)} or {last}"


def named(name: str, among: Sequence[Format] = ROWS) -> Format:
    """Return the format with a given name, which must exist."""
    return next(format for format in among if format.name == name)


def default_of(kind: str) -> Format:
    """Return the default format of a kind of rows."""
    return next(format for format in ROWS if format.kind == kind)


# ---------------------------------------------------------------------- auto-detection


def format_of(
    given: object, name: str | None, among: Sequence[Format] = ROWS, *, otherwise: Format
) -> Format:
    """Return the format called `name` or, if that is None, the format given by the path suffixes.

    All paths must have the same format; one without a known suffix has `otherwise`.
    """
    if name is not None:
        from rosenblatt.checks import choice

        return named(choice("format", name, *names_of(among)), among)
    several = given if isinstance(given, list | tuple) else [given]
    found = {by_suffix(one, among) or otherwise for one in several}
    if len(found) > 1:
        from rosenblatt.errors import ParameterError

        raise ParameterError(
            f"the files have different formats ({', '.join(sorted(names_of(list(found))))})",
            cures="read one at a time",
        )
    return found.pop() if found else otherwise


def by_suffix(given: object, among: Sequence[Format] = ROWS) -> Format | None:
    """Return the format for the suffix of a path or an open file; None if the suffix is unknown."""
    from rosenblatt.tables.readers.sources import ENDINGS

    # An open file has a name, unless it is in memory; by its descriptor that is a number.
    name = getattr(given, "name", "") if hasattr(given, "read") else given
    if not isinstance(name, str | os.PathLike):
        return None
    path = os.fsdecode(name).lower()
    for compressed in ENDINGS:
        path = path.removesuffix(compressed)
    suffix = path.rpartition(".")[2]
    for format in among:
        if suffix in format.suffixes:
            return format
    return None


def by_content(path: object) -> Format | None:
    """Detect the format of a file from its first lines; None for a pipe or if no format matches."""
    from rosenblatt.tables.readers.sources import first_lines

    lines = [line for line in first_lines(path, SNIFFED_BYTES).split("\n") if line.strip()]
    return by_lines(lines) if lines else None


def by_lines(lines: Sequence[str], among: Sequence[Format] = ROWS) -> Format | None:
    """Return the first format whose sniffer accepts `lines`; None if there is none."""
    for format in among:
        if format.sniff is not None and format.sniff(lines):
            return format
    return None


def detect(
    paths: Sequence[str],
    name: str | None = None,
    *,
    kind: str | None = None,
    is_table: bool = False,
) -> Format:
    """Return the format of files: `name` if given, else detected by suffix or by the first lines.

    Parameters
    ----------
    paths : sequence of str
        Files of one format; the first one is looked at.
    name : str, default=None
        A format that is given, so that nothing is detected.
    kind : str, default=None
        The kind of the schema that the rows are read for, if there is one.
    is_table : bool, default=False
        The caller has options that only tables have.
    """
    found = format_of(list(paths), name, otherwise=default_of("table" if kind is None else kind))
    if name is not None:
        return found
    if kind is not None:
        # Labels, tabs and texts are often called .tsv.
        if found.name == "tsv" and kind == "text":
            found = default_of("text")
    elif found.is_delimited and not is_table:
        found = _sniffed(paths[0], found)
    if found.kind == "text":
        # A .txt may hold any rows, also those of a table.
        holds_table = _holds_table(paths[0]) if kind is None else kind == "table"
        if holds_table:
            return default_of("table")
    return found


def _sniffed(path: str, found: Format) -> Format:
    """Return the format of the first lines if the suffix is missing or ambiguous; else `found`."""
    has_suffix = by_suffix(path) is not None
    if has_suffix and found.name != "tsv":
        return found
    seen = by_content(path)
    if seen is None:
        return found
    # A .tsv is a table or labelled text.
    if has_suffix and seen.kind != "text":
        return found
    return seen


def _holds_table(path: str) -> bool:
    """Return whether a file that could be labelled text has more than two columns."""
    from rosenblatt.tables.readers.dialect import sniff
    from rosenblatt.tables.readers.sources import first_lines

    widths = [len(row) for row in sniff(first_lines(path), {}).rows]
    return bool(widths) and min(widths) > 2 and len(set(widths)) <= 2
