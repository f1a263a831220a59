"""What commands read: the options for it, and blocks of rows from any format.

What a reader finds wrong comes with the cure that only the shell knows (`AdvisedReader`).
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

import click

from rosenblatt.cli.frame.options import Whole, all_of, in_section, text_options, watch_bad_rows
from rosenblatt.cli.frame.terminal import reading_progress_shown, reading_shown
from rosenblatt.errors import (
    DataError,
    InputError,
    Message,
    ParameterError,
    Place,
    RosenblattError,
    Setting,
    Words,
)
from rosenblatt.tables.readers.formats import (
    PACKED_ROWS,
    ROWS,
    Format,
    by_content,
    by_lines,
    by_suffix,
    default_of,
    format_of,
    listed,
    names_of,
)

if TYPE_CHECKING:
    from rosenblatt.tables.features.schemas import AnySchema, FeatureOptions
    from rosenblatt.tables.readers.packed_rows import PackedRows
    from rosenblatt.tables.readers.reader import Reader
    from rosenblatt.tables.readers.row_texts import RowTexts
    from rosenblatt.tables.readers.sources import Source

Found = TypeVar("Found")

# So many bytes of a file are looked at for its first line.
LOOKED_AT = 1 << 12
# What is unpacked before it is read.
UNPACKED = ("gzip file", "bzip2 file", "xz file", "zstandard file")
DATA = click.Path(exists=True, dir_okay=False, allow_dash=True)


option = in_section("Reading the data")
OPTIONS = (
    option(
        "--target",
        metavar="COL",
        help="Column of the labels: its name, or its number from 1.  [default: one called label, "
        "target, class or y, else the last]",
    ),
    option(
        "--no-header/--header",
        default=None,
        help="The first line is a row, or names the columns.  [default: found out]",
    ),
    option(
        "--format",
        "kind",
        type=click.Choice(names_of(ROWS)),
        metavar="FORMAT",
        help=f"{listed(ROWS)}.  [default: by the ending of the name, else by the rows]",
    ),
    option(
        "--delimiter",
        metavar="CHAR",
        help="The mark between fields.  [default: found out]",
    ),
    option(
        "--decimal",
        type=click.Choice([".", ","]),
        metavar="CHAR",
        help="The decimal mark of numbers, . or a comma.  [default: found out]",
    ),
    option(
        "--thousands",
        metavar="CHAR",
        help="The mark between thousands, as ' in 1'000.  [default: found out]",
    ),
    option(
        "--missing",
        multiple=True,
        metavar="TEXT",
        help="Stands for an unknown value, beside NA, ?, - and the like. Can be given several "
        "times.",
    ),
    *text_options("row"),
    option(
        "--max-features",
        type=Whole(1),
        help="The most columns or features.  [default: 1,000,000]",
    ),
)


# They mean the same in every command that reads data.
reading_options = all_of(OPTIONS)
# Not for commands that make or use a model, which would have to remember it.
zero_based_option = option(
    "--zero-based", is_flag=True, help="Indices of svmlight rows begin at 0, not at 1."
)


@dataclass(frozen=True)
class Reading:
    """The values of these options."""

    target: str | None = None
    no_header: bool | None = None
    kind: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    zero_based: bool = False
    missing: tuple[str, ...] = ()
    encoding: str | None = None
    on_bad: str = "fail"
    max_line_bytes: int | None = None
    max_features: int | None = None
    copies: tuple[Source, ...] = ()  # instead of the paths of tables that are read twice
    _packed: dict[str, PackedRows] = field(default_factory=dict)  # by path, once they are verified

    def packed(self, paths: Sequence[str]) -> PackedRows | None:
        """The rows of a packed file, None of any other; it is opened and verified once."""
        from rosenblatt.tables.readers.sources import our_kind

        if not any(path.endswith(".rows") or our_kind(path) for path in paths):
            return None
        if len(paths) > 1:
            raise click.UsageError(
                "a file of packed rows is read alone: pack all data into one, or train on --shards."
            )
        from rosenblatt.estimators.packing import read_packed

        if paths[0] not in self._packed:
            self._packed[paths[0]] = read_packed(paths[0])
        return self._packed[paths[0]]

    def schema_of(self, paths: Sequence[str], schema: AnySchema | None) -> AnySchema | None:
        """The schema by which files are encoded; that of a packed file if no other is known."""
        packed = self.packed(paths)
        if packed is None:
            return schema
        from rosenblatt.estimators.packing import PackedSchema

        return PackedSchema.of(packed, schema, paths[0])

    def format_of(self, paths: Sequence[str], schema: AnySchema | None = None) -> Format:
        """Return the format of the files, which must fit the schema of a model.

        Tables may come in any format of tables, other rows in the one that they were trained in.
        """
        found = self._detect_format(paths, schema)
        is_packed = found is PACKED_ROWS
        if found.kind != "table" and (self.target is not None or self.no_header is not None):
            option = "--no-header" if self.target is None else "--target"
            why = "they have their labels" if is_packed else "labels come first there"
            raise click.UsageError(f"{option} has no meaning for {found.name}: {why}.")
        if schema is not None and not is_packed and found.kind != schema.kind:
            raise click.UsageError(
                f"the model was trained on {_called(schema.kind)}, but the data are {found.name}; "
                "--format says otherwise if the ending misleads."
            )
        return found

    def _detect_format(self, paths: Sequence[str], schema: AnySchema | None) -> Format:
        """Detect the format: packed rows by their signature, others by --format, name and rows."""
        if self.packed(paths) is not None:
            return PACKED_ROWS
        otherwise = default_of("table" if schema is None else schema.kind)
        found = format_of(list(paths), self.kind, otherwise=otherwise)
        if self.kind is not None:
            return found
        found = self._sniff(paths, found, schema)
        if found.kind == "text":
            # A .txt may hold any rows, also those of a table.
            is_table = _holds_table(paths[0]) if schema is None else schema.kind == "table"
            if is_table:
                return default_of("table")
        return found

    def _sniff(self, paths: Sequence[str], found: Format, schema: AnySchema | None) -> Format:
        """Return the format that the rows are of, if names and options leave it open."""
        if schema is not None:
            # Labels, tabs and texts are often called .tsv.
            return default_of("text") if (found.name, schema.kind) == ("tsv", "text") else found
        of_tables = (self.target, self.no_header, self.delimiter)
        if not found.is_delimited or any(option is not None for option in of_tables):
            return found
        has_suffix = by_suffix(paths[0]) is not None
        if has_suffix and found.name != "tsv":
            return found
        seen = by_content(paths[0])
        if seen is None or (has_suffix and seen.kind != "text"):
            return found
        return seen

    def _notice_sniffed(self, paths: Sequence[str], found: Format) -> None:
        """Issue a notice if the rows decided the format, and not the names of the files."""
        from rosenblatt.tables.readers.fault_messages import Assumption, notice

        if format_of(list(paths), None, otherwise=default_of("table")) is not found:
            what = f"read as {found.title} (--format {found.name})"
            notice(Assumption, f"{named(paths)}: {what}")

    def kind_of(self, paths: Sequence[str], schema: AnySchema | None = None) -> str:
        """Return what the files hold, by the kind of its schema: all tables are one kind."""
        found = self.format_of(paths, schema)
        packed = self.packed(paths)
        return found.kind if packed is None else str(packed.schema.kind)

    def reader(
        self,
        paths: Sequence[str],
        *,
        schema: AnySchema | None = None,
        features: FeatureOptions | None = None,
        grows: bool = False,
        labelled: bool = True,
        types: Any = None,
        classes: Any = None,
        labels: str = "auto",
    ) -> AdvisedReader:
        """Blocks of the files; with a schema, as the file behind it was read.

        Not `labelled`: the rows are to be predicted, and a label that stands there is skipped. A
        schema that `grows` is to meet columns that it does not have.
        """
        found = self.format_of(paths, schema)
        if schema is None and self.kind is None and found.sniff is not None:
            self._notice_sniffed(paths, found)
        known = None if schema is None else schema.target
        request = ReadRequest(
            paths,
            found,
            schema,
            header=None if self.no_header is None else not self.no_header,
            format_said=self.kind is not None,
            target=known if self.target is None else self.target,
            target_said=self.target is not None,
        )

        packed = self.packed(paths)
        if packed is not None:
            from rosenblatt.errors import DataError
            from rosenblatt.tables.readers.packed_rows import PackedReader

            for label in [] if classes is None else packed.classes.tolist():
                if label not in classes:
                    raise DataError(
                        f"the label {label!r} is not one of the known classes",
                        name=named(paths),
                        cures="train with examples of this class first",
                    )
            return AdvisedReader(lambda: PackedReader(packed), request)
        given = {"labels": labels, "classes": classes, **self._settings()}
        if schema is None:
            given |= {} if features is None else features.reader_options(self.kind_of(paths))
        elif found.kind != "svmlight":  # columns that are not there are left out, and counted
            given |= schema.reader_options()
            if grows:
                given.pop("names", None)
        if found.kind != "table":
            return AdvisedReader(lambda: self._rows(request, labelled, given), request)
        if isinstance(types, dict):
            types = {**given.pop("types", {}), **types}
        given.setdefault("types", types)
        known_marks = given.get("missing", [])
        given["missing"] = [*known_marks, *(m for m in self.missing if m not in known_marks)]
        return AdvisedReader(lambda: self._table(request, labelled, given), request)

    def _rows(self, request: ReadRequest, labelled: bool, given: dict[str, Any]) -> Reader[Any]:
        """Open rows that are no table; `given` are options of their reader."""
        paths = [_standard_input() if path == "-" else path for path in request.paths]
        # Exact names, unless the options or the schema say into how many bits they are hashed.
        own = {"zero_based": self.zero_based, "labelled": labelled, "bits": None}
        taken = request.format.options
        options = {name: value for name, value in own.items() if name in taken} | given
        if "max_features" not in taken:
            options.pop("max_features", None)
        return request.format.open(paths, **options)

    def _table(self, request: ReadRequest, labelled: bool, given: dict[str, Any]) -> Reader[Any]:
        """Open a table; `given` are options of its reader."""
        from rosenblatt.tables.readers.column_roles import GuessedTarget

        target = GuessedTarget() if request.target is None else request.target
        unused = [] if labelled or request.target is None else [request.target]
        return request.format.open(
            list(self.copies or request.paths),
            target=target if labelled else None,
            header=request.header,
            delimiter=self.delimiter,
            decimal=self.decimal,
            thousands=self.thousands,
            ignore=_unused_columns(request.schema) + unused,
            trim=True,
            **given,
        )

    def for_shards(self) -> dict[str, Any]:
        """Arguments of any reader, for shards of files that are not read here."""
        options = self._settings()
        for name, value in (("format", self.kind), ("target", self.target)):
            options |= {} if value is None else {name: value}
        options |= {} if self.no_header is None else {"header": not self.no_header}
        for name in ("delimiter", "decimal", "thousands"):
            value = getattr(self, name)
            options |= {} if value is None else {name: value}
        return options | ({"missing": list(self.missing)} if self.missing else {})

    def _settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = {"on_bad": self.on_bad, "encoding": self.encoding}
        if self.max_line_bytes is not None:
            settings["max_line_bytes"] = self.max_line_bytes
        if self.max_features is not None:
            settings["max_features"] = self.max_features
        return settings


def _holds_table(path: str) -> bool:
    """Whether a file that could be a label, a tab and a text a line has more columns than that."""
    from rosenblatt.tables.readers.dialect import sniff
    from rosenblatt.tables.readers.sources import first_lines

    found = sniff(first_lines(path), {}).rows
    widths = [len(row) for row in found]
    return bool(widths) and min(widths) > 2 and len(set(widths)) <= 2


def named(paths: Sequence[str]) -> str:
    """The first files, for a message."""
    return ", ".join("<stdin>" if path == "-" else path for path in paths[:3])


def _standard_input() -> Any:
    """Standard input without the buffer of Python, if it has one.

    A thread that waits for rows in that buffer would hold its lock, and Python could not end.
    """
    return getattr(getattr(sys.stdin, "buffer", None), "raw", "-")


def _unused_columns(schema: AnySchema | None) -> list[str]:
    """Return columns that the model knows of and does not use: they are not worth a notice."""
    if schema is None:
        return []
    return [column.name for column in schema.columns if column.kind == "ignored"]


def _called(kind: str) -> str:
    return {"table": "a table", "text": "labelled text"}.get(kind, f"{kind} rows")


@contextmanager
def notices(quiet: bool = False) -> Iterator[None]:
    """Warnings, as of the readers, as plain lines at the end; or not at all, as progress."""
    with warnings.catch_warnings(record=True) as caught, reading_progress_shown(quiet):
        warnings.simplefilter("always")
        yield
    if quiet or not caught:
        return
    from rosenblatt.cli.frame.shell_messages import in_shell_words
    from rosenblatt.cli.frame.terminal import say

    context = click.get_current_context(silent=True)
    params = () if context is None else context.command.get_params(context)
    from rosenblatt.tables.readers.fault_messages import Assumption

    for warning in caught:
        said = warning.message
        text = said if isinstance(said, str) else in_shell_words(said, params)
        word = "notice" if isinstance(said, Assumption) else "warning"
        say([f"{word}: {text}"], err=True)


# ---------------------------------------------------------------------- readers with advice


class FirstLine(NamedTuple):
    """The first line of a file that holds something."""

    number: int
    text: str


@dataclass(frozen=True)
class ReadRequest:
    """What was to be read, and how."""

    paths: Sequence[str]
    format: Format
    schema: AnySchema | None
    header: bool | None
    format_said: bool
    target: str | None
    target_said: bool

    @property
    def was_assumed_delimited(self) -> bool:
        """Whether a delimited table was assumed, and --format does not say so."""
        return self.format.is_delimited and not self.format_said

    @property
    def without_names(self) -> bool:
        """Whether the columns of the model are numbered, as those of a file without a header."""
        columns = [] if self.schema is None else [column.name for column in self.schema.columns]
        named = {*columns, *([] if self.target is None else [self.target])}
        return bool(columns) and named == {str(i + 1) for i in range(len(named))}


class AdvisedReader:
    """A reader whose errors name the usual slip of the hand."""

    def __init__(self, open_reader: Callable[[], Reader[Any]], request: ReadRequest) -> None:
        _refuse_other_format(request)
        self._reader, self._request = open_reader(), request
        watch_bad_rows(self)

    @property
    def rows(self) -> int:
        return self._reader.rows

    @property
    def skipped(self) -> int:
        return self._reader.skipped

    @property
    def first_faults(self) -> list[DataError]:
        """The first few reasons to skip rows, without the advice to skip them."""
        return [_retold(one, one.what, _but_skipping(one)) for one in self._reader.first_faults]

    @property
    def revised(self) -> dict[str, str]:
        return self._reader.revised

    @property
    def row_texts(self) -> RowTexts | None:
        return self._reader.row_texts

    @row_texts.setter
    def row_texts(self, texts: RowTexts) -> None:
        self._reader.row_texts = texts

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        return self._advised(lambda reader: next(reader))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.close()

    def whole(self) -> Any:
        with self.shown():
            return self._advised(lambda reader: reader.whole())

    def shown(self) -> AbstractContextManager[None]:
        """Show on a terminal how far it has come."""
        return reading_shown(self._reader, named(self._request.paths))

    def _advised(self, read: Callable[[Reader[Any]], Found]) -> Found:
        try:
            return read(self._reader)
        except (InputError, ParameterError) as error:
            raise _better(error, self._request, self._reader) from error


# ---------------------------------------------------------------------- better words


def _refuse_foreign(request: ReadRequest) -> None:
    """A picture or a document, of which a reader of text would say nonsense."""
    from rosenblatt.persistence.container import LONGEST_SIGNATURE, name_by_signature

    path = request.paths[0]
    if not request.format.is_text or not os.path.isfile(path):
        return
    with open(path, "rb") as file:
        name = name_by_signature(file.read(LONGEST_SIGNATURE))
    if name is not None and not name.endswith(UNPACKED):
        raise DataError(
            f"this is {name}, not rows with labels",
            name=named([path]),
            cures="give rows in a format that --format names, such as csv, xlsx or svmlight",
        )


def _refuse_other_format(request: ReadRequest) -> None:
    """Refuse rows of another format, which have delimiters as well but are no table."""
    _refuse_foreign(request)
    if not request.was_assumed_delimited or request.schema is not None:
        return
    line = _first_line(request.paths[0])
    if line is None:
        return
    formats = ROWS
    if request.target_said or request.header is not None:
        # Then two columns with a tab between them are a table.
        formats = tuple(format for format in ROWS if format.kind != "text")
    found = by_lines([line.text], formats)
    if found is not None:
        raise DataError(
            "no table with columns",
            name=named([request.paths[0]]),
            line=line.number,
            cures=_looks_like(found),
        )


def _looks_like(found: Format) -> str:
    """Return the cure for rows that were read as a table, but are of this format."""
    return f"these look like {found.title}: --format {found.name}"


def _better(
    error: InputError | ParameterError, request: ReadRequest, reader: Reader[Any]
) -> RosenblattError:
    if reader.skipped and not reader.rows and reader.first_faults:
        return _first_of_all(reader.first_faults[0], reader.skipped)
    line = _first_line(request.paths[0])
    if request.was_assumed_delimited and not reader.rows:
        found = by_lines([_seen(error) if line is None else line.text])
        if found is not None:
            return _with_cures(error, [_looks_like(found)], request)
    if isinstance(error, ParameterError) and isinstance(error.where, Place):
        return _no_target(error, error.where.name, request, line)
    from rosenblatt.tables.readers.column_roles import MissingColumns

    if request.header is not False and request.without_names and isinstance(error, MissingColumns):
        trained = "the model was trained with --no-header; say so here if the first line is a row"
        return _with_cures(error, [trained], request)
    return error


def _first_of_all(first: DataError, skipped: int) -> DataError:
    rows = "the only row is" if skipped == 1 else f"all {skipped:,} rows are"
    what = Message(first.what, f"; {rows} skipped, so nothing is left")
    return _retold(first, what, _but_skipping(first))


def _but_skipping(error: DataError) -> list[Words]:
    return [cure for cure in error.cures if Setting("on_bad", "skip") not in cure.settings]


def _retold(error: DataError, what: Words, cures: Iterable[Words]) -> DataError:
    """The same place with other words."""
    place: Any = error.where
    return DataError(what, **place._asdict(), excerpt=error.excerpt, cures=cures)


def _with_cures(
    error: InputError | ParameterError, cures: list[str], request: ReadRequest
) -> DataError:
    """The same fault with other cures."""
    if isinstance(error, DataError):
        return _retold(error, error.what, cures)
    return DataError(error.what, name=named([request.paths[0]]), allowed=error.allowed, cures=cures)


def _no_target(
    error: ParameterError, name: str, request: ReadRequest, line: FirstLine | None
) -> RosenblattError:
    """What the user said is a slip of the hand; what the model knows, or a row, is bad data."""
    numbered = request.target is not None and request.target.isdecimal()
    if request.header is False and numbered and line is not None:
        from rosenblatt.tables.readers.fault_messages import located

        return located(
            f"this row is too short: the target is column {request.target}",
            name=named([request.paths[0]]),
            line=line.number,
            text=line.text.encode(),
            at=0,
            end=len(line.text.encode()),
            cures="take out lines that are no rows",
        )
    if request.target_said or request.schema is None:
        return error
    return DataError(
        Message(error.what, ", which the model was trained for"),
        name=name,
        allowed=error.allowed,
        cures="if the labels have another name, say --target",
    )


# ---------------------------------------------------------------------- the first line


def _first_line(path: str) -> FirstLine | None:
    """The first line of a file that holds something, as far as it matters; None for a pipe."""
    from rosenblatt.tables.readers.sources import first_lines

    lines = first_lines(path, LOOKED_AT).splitlines()
    return next((FirstLine(i, line) for i, line in enumerate(lines, 1) if line.strip()), None)


def _seen(error: RosenblattError) -> str:
    """What an error shows of the line that it is about."""
    text = error.text if isinstance(error, DataError) else None
    return str(error.found) if text is None else text
