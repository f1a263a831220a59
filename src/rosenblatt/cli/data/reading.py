"""Options of commands that read rows, and readers of files in any format.

Errors of readers get the cures that only the shell knows (`_advice`).
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from rosenblatt.cli.frame.options import (
    Whole,
    all_of,
    cures_but_skipping,
    in_section,
    text_options,
    watch_bad_rows,
)
from rosenblatt.cli.frame.terminal import reading_progress_shown, reading_shown
from rosenblatt.errors import DataError, Message, ParameterError, Place, RosenblattError
from rosenblatt.tables.readers.formats import (
    PACKED_ROWS,
    ROWS,
    Format,
    by_lines,
    default_of,
    detect,
    format_of,
    listed,
    names_of,
)

if TYPE_CHECKING:
    from rosenblatt.tables.features.schemas import AnySchema, FeatureOptions
    from rosenblatt.tables.readers.packed_rows import PackedRows
    from rosenblatt.tables.readers.reader import BlockType, Reader, ReadingError
    from rosenblatt.tables.readers.sources import Source

# A class label, as stored in files and models.
Label = str | int | float | bool

# Bytes read from the start of a file to find its first line.
FIRST_LINE_BYTES = 1 << 12
# Suffixes of the names of `name_by_signature` for compressed files, which readers decompress.
COMPRESSED = ("gzip file", "bzip2 file", "xz file", "zstandard file")
DATA = click.Path(exists=True, dir_okay=False, allow_dash=True)


option = in_section("Reading the data")
OPTIONS = (
    option(
        "--target",
        metavar="COL",
        help="Column of the labels: its name, or its number from 1.  [default: one called label, "
        "target, class or y, otherwise the last]",
    ),
    option(
        "--no-header/--header",
        default=None,
        help="Whether the first line is a row or names the columns.  [default: auto-detected]",
    ),
    option(
        "--format",
        "kind",
        type=click.Choice(names_of(ROWS)),
        metavar="FORMAT",
        help=f"{listed(ROWS)}.  [default: by the suffix of the name, otherwise by the rows]",
    ),
    option(
        "--delimiter",
        metavar="CHAR",
        help="The delimiter between fields.  [default: auto-detected]",
    ),
    option(
        "--decimal",
        type=click.Choice([".", ","]),
        metavar="CHAR",
        help="The decimal mark of numbers: . or a comma.  [default: auto-detected]",
    ),
    option(
        "--thousands",
        metavar="CHAR",
        help="The thousands separator, such as ' in 1'000.  [default: auto-detected]",
    ),
    option(
        "--missing",
        multiple=True,
        metavar="TEXT",
        help="Text that means a missing value, in addition to NA, ?, - and similar. Can be "
        "repeated.",
    ),
    *text_options("row"),
    option(
        "--max-features",
        type=Whole(1),
        help="Maximum number of columns or features.  [default: 1,000,000]",
    ),
)


# The same options in every command that reads data.
reading_options = all_of(OPTIONS)
# Not for commands that make or use a model, which would have to store it.
zero_based_option = option(
    "--zero-based", is_flag=True, help="Feature numbers of svmlight rows begin at 0, not at 1."
)


@dataclass(frozen=True)
class ReadRequest:
    """The files to read and how to read them, from which the cures of errors are derived."""

    paths: Sequence[str]
    format: Format
    schema: AnySchema | None
    header: bool | None
    format_said: bool
    target: str | None
    target_said: bool

    @property
    def is_assumed_delimited(self) -> bool:
        """Return whether the files are read as a delimited table although --format is not given."""
        return self.format.is_delimited and not self.format_said

    @property
    def has_numbered_columns(self) -> bool:
        """Return whether the model's columns are named 1 to n, as in a file without a header."""
        if self.schema is None or not self.schema.columns:
            return False
        names = {column.name for column in self.schema.columns}
        if self.target is not None:
            names.add(self.target)
        return names == {str(number) for number in range(1, len(names) + 1)}


@dataclass(frozen=True)
class Reading:
    """Values of the options for reading rows."""

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
    # Sources to open instead of the paths, for tables that are read twice.
    copies: tuple[Source, ...] = ()
    # Verified packed rows by path.
    _packed: dict[str, PackedRows] = field(default_factory=dict)

    # ------------------------------------------------------------------ formats

    def packed(self, paths: Sequence[str]) -> PackedRows | None:
        """Open and verify a file of packed rows, once; return None for any other file."""
        from rosenblatt.tables.readers.sources import our_kind

        if not any(path.endswith(".rows") or our_kind(path) for path in paths):
            return None
        if len(paths) > 1:
            raise click.UsageError(
                "packed rows are read one file at a time: pack all data into one file, or train "
                "on --shards."
            )
        from rosenblatt.estimators.packing import read_packed

        path = paths[0]
        if path not in self._packed:
            self._packed[path] = read_packed(path)
        return self._packed[path]

    def schema_of(self, paths: Sequence[str], schema: AnySchema | None) -> AnySchema | None:
        """Return the schema that encodes the files: ``schema``, or that of a packed file."""
        packed = self.packed(paths)
        if packed is None:
            return schema
        from rosenblatt.estimators.packing import PackedSchema

        return PackedSchema.of(packed, schema, paths[0])

    def format_of(self, paths: Sequence[str], schema: AnySchema | None = None) -> Format:
        """Return the format of the files; raise if it does not fit the schema of a model.

        Tables may be in any tabular format, other rows only in the format of the training data.
        """
        if self.packed(paths) is not None:
            self._refuse_options_of_tables(PACKED_ROWS, "they have their labels")
            return PACKED_ROWS

        of_tables = (self.target, self.no_header, self.delimiter)
        found = detect(
            paths,
            self.kind,
            kind=None if schema is None else schema.kind,
            is_table=any(value is not None for value in of_tables),
        )
        if found.kind != "table":
            self._refuse_options_of_tables(found, "labels come first there")
        if schema is not None and found.kind != schema.kind:
            trained_on = {"table": "a table", "text": "labelled text"}.get(
                schema.kind, f"{schema.kind} rows"
            )
            raise click.UsageError(
                f"the model was trained on {trained_on}, but the data are {found.name}; if the "
                "file name is misleading, give --format."
            )
        return found

    def _refuse_options_of_tables(self, found: Format, why: str) -> None:
        for option, value in (("--target", self.target), ("--no-header", self.no_header)):
            if value is not None:
                raise click.UsageError(f"{option} has no meaning for {found.name}: {why}.")

    def kind_of(self, paths: Sequence[str], schema: AnySchema | None = None) -> str:
        """Return the kind of schema that encodes the files, such as "table" for any table."""
        found = self.format_of(paths, schema)
        packed = self.packed(paths)
        return found.kind if packed is None else str(packed.schema.kind)

    # ------------------------------------------------------------------ readers

    def reader(
        self,
        paths: Sequence[str],
        *,
        schema: AnySchema | None = None,
        features: FeatureOptions | None = None,
        grows: bool = False,
        labelled: bool = True,
        types: str | dict[str, str] | None = None,
        classes: Sequence[Label] | None = None,
        labels: str = "auto",
    ) -> Reader[Any]:
        """Open a reader of the files; with a schema, they are read as its training data were.

        Parameters
        ----------
        paths : sequence of str
            Files of one format; "-" is standard input.
        schema : AnySchema, default=None
            How the rows will be encoded.
        features : FeatureOptions, default=None
            What the user said about columns and texts, if there is no schema yet.
        grows : bool, default=False
            The schema will grow, so columns that it does not have are read as well.
        labelled : bool, default=True
            Read labels. Rows to be predicted have none, or labels that are skipped.
        types : str or dict of str to str, default=None
            The types of all columns, or of some.
        classes : sequence, default=None
            The only labels that are allowed.
        labels : {"auto", "text", "number", "codes"}, default="auto"
            How labels are read.
        """
        found = self.format_of(paths, schema)
        if schema is None and self.kind is None and found.sniff is not None:
            _notice_sniffed(paths, found)

        packed = self.packed(paths)
        if packed is not None:
            reader: Reader[Any] = _packed_reader(packed, named(paths), classes)
            watch_bad_rows(reader)
            return reader

        target = self.target
        if target is None and schema is not None:
            target = schema.target
        request = ReadRequest(
            paths,
            found,
            schema,
            header=None if self.no_header is None else not self.no_header,
            format_said=self.kind is not None,
            target=target,
            target_said=self.target is not None,
        )
        _refuse_other_format(request)

        settings = {"labels": labels, "classes": classes, **self._settings()}
        if schema is None:
            if features is not None:
                settings |= features.reader_options(found.kind)
        elif found.kind != "svmlight":
            # Of svmlight rows, columns beyond those of the model are left out later, and counted.
            settings |= schema.reader_options()
            if grows:
                settings.pop("names", None)

        if found.kind == "table":
            reader = self._open_table(request, labelled, types, settings)
        else:
            reader = self._open_rows(request, labelled, settings)
        reader.advise = partial(_advice, request=request, reader=reader)
        watch_bad_rows(reader)
        return reader

    def _open_rows(
        self, request: ReadRequest, labelled: bool, settings: dict[str, Any]
    ) -> Reader[Any]:
        """Open a reader of rows in a format other than a table."""
        paths = [_unbuffered_standard_input() if path == "-" else path for path in request.paths]
        taken = request.format.options

        # Features have exact names, unless the settings give the bits of a hash.
        own = {"zero_based": self.zero_based, "labelled": labelled, "bits": None}
        options = {name: value for name, value in own.items() if name in taken}
        options |= settings
        if "max_features" not in taken:
            options.pop("max_features", None)
        return request.format.open(paths, **options)

    def _open_table(
        self,
        request: ReadRequest,
        labelled: bool,
        types: str | dict[str, str] | None,
        settings: dict[str, Any],
    ) -> Reader[Any]:
        from rosenblatt.tables.readers.column_roles import GuessedTarget

        if isinstance(types, dict):
            settings["types"] = {**settings.get("types", {}), **types}
        else:
            settings.setdefault("types", types)

        marks = list(settings.get("missing", []))
        marks += [mark for mark in self.missing if mark not in marks]
        settings["missing"] = marks

        # Columns that the model does not use are left out without a notice.
        unused = []
        if request.schema is not None:
            unused = [c.name for c in request.schema.columns if c.kind == "ignored"]
        target: str | GuessedTarget | None = None
        if labelled:
            target = GuessedTarget() if request.target is None else request.target
        elif request.target is not None:
            unused.append(request.target)

        return request.format.open(
            list(self.copies or request.paths),
            target=target,
            header=request.header,
            delimiter=self.delimiter,
            decimal=self.decimal,
            thousands=self.thousands,
            ignore=unused,
            trim=True,
            **settings,
        )

    def for_shards(self) -> dict[str, Any]:
        """Return the options as arguments of the readers that workers open on shards."""
        given = {
            "format": self.kind,
            "target": self.target,
            "header": None if self.no_header is None else not self.no_header,
            "delimiter": self.delimiter,
            "decimal": self.decimal,
            "thousands": self.thousands,
            "missing": list(self.missing) or None,
        }
        options = {name: value for name, value in given.items() if value is not None}
        return self._settings() | options

    def _settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = {"on_bad": self.on_bad, "encoding": self.encoding}
        if self.max_line_bytes is not None:
            settings["max_line_bytes"] = self.max_line_bytes
        if self.max_features is not None:
            settings["max_features"] = self.max_features
        return settings


def read_whole(reader: Reader[BlockType], paths: Sequence[str]) -> BlockType:
    """Read all rows as one block, and show the progress on a terminal."""
    with reading_shown(reader, named(paths)):
        return reader.whole()


def named(paths: Sequence[str]) -> str:
    """Return the names of the first three files, for a message."""
    return ", ".join("<stdin>" if path == "-" else path for path in paths[:3])


def _packed_reader(
    packed: PackedRows, name: str, classes: Sequence[Label] | None
) -> Reader[PackedRows]:
    """Open packed rows; raise if their labels are not among the known classes."""
    from rosenblatt.tables.readers.packed_rows import PackedReader

    if classes is not None:
        for label in packed.classes.tolist():
            if label not in classes:
                raise DataError(
                    f"the label {label!r} is not one of the known classes",
                    name=name,
                    cures="train with examples of this class first",
                )
    return PackedReader(packed)


def _notice_sniffed(paths: Sequence[str], found: Format) -> None:
    """Issue a notice if the format was detected by the rows, not by the file names."""
    from rosenblatt.tables.readers.fault_messages import Assumption, notice

    if format_of(list(paths), None, otherwise=default_of("table")) is not found:
        notice(Assumption, f"{named(paths)}: read as {found.title} (--format {found.name})")


def _unbuffered_standard_input() -> str | io.RawIOBase:
    """Return the unbuffered standard input, or "-" if there is none.

    A thread that waits for rows in Python's buffer would hold its lock, and Python could not exit.
    """
    if not isinstance(sys.stdin, io.TextIOWrapper):
        return "-"
    buffer = sys.stdin.buffer
    if not isinstance(buffer, io.BufferedReader):
        return "-"
    raw: io.RawIOBase = buffer.raw
    return raw


@contextmanager
def notices(quiet: bool = False) -> Iterator[None]:
    """Collect the warnings of this block and print them at its end; show progress of readers.

    With ``quiet`` neither is shown.
    """
    with warnings.catch_warnings(record=True) as caught, reading_progress_shown(quiet):
        warnings.simplefilter("always")
        yield
    if quiet or not caught:
        return
    from rosenblatt.cli.frame.shell_messages import in_shell_words
    from rosenblatt.cli.frame.terminal import say
    from rosenblatt.tables.readers.fault_messages import Assumption

    context = click.get_current_context(silent=True)
    params = () if context is None else context.command.get_params(context)
    for warning in caught:
        message = warning.message
        text = message if isinstance(message, str) else in_shell_words(message, params)
        word = "notice" if isinstance(message, Assumption) else "warning"
        say([f"{word}: {text}"], err=True)


# ---------------------------------------------------------------------- before the rows are read


def _refuse_other_format(request: ReadRequest) -> None:
    """Raise if the file is binary, or if an assumed table looks like rows of another format."""
    _refuse_signature(request)
    if not request.is_assumed_delimited or request.schema is not None:
        return
    line = _first_line(request.paths[0])
    if line is None:
        return

    formats = ROWS
    if request.target_said or request.header is not None:
        # With these options, two columns separated by a tab are a table.
        formats = tuple(format for format in ROWS if format.kind != "text")
    found = by_lines([line.text], formats)
    if found is not None:
        raise DataError(
            "no table with columns",
            name=named([request.paths[0]]),
            line=line.number,
            cures=_looks_like(found),
        )


def _refuse_signature(request: ReadRequest) -> None:
    """Raise if a file to be read as text is binary, such as a picture or a document."""
    from rosenblatt.persistence.container import LONGEST_SIGNATURE, name_by_signature

    path = request.paths[0]
    if not request.format.is_text or not os.path.isfile(path):
        return
    with open(path, "rb") as file:
        name = name_by_signature(file.read(LONGEST_SIGNATURE))
    if name is not None and not name.endswith(COMPRESSED):
        raise DataError(
            f"this is {name}, not rows with labels",
            name=named([path]),
            cures="give rows in a format that --format names, such as csv, xlsx or svmlight",
        )


def _looks_like(found: Format) -> str:
    """Return the cure for rows that were read as a table but look like another format."""
    return f"these look like {found.title}: --format {found.name}"


# ---------------------------------------------------------------------- what to do about an error


def _advice(error: ReadingError, request: ReadRequest, reader: Reader[Any]) -> RosenblattError:
    """Return the error with a cure for the likely mistake, or unchanged if none is recognized."""
    if reader.skipped and not reader.rows and reader.first_faults:
        return _nothing_left(reader.first_faults[0], reader.skipped)

    line = _first_line(request.paths[0])
    if request.is_assumed_delimited and not reader.rows:
        found = by_lines([_line_shown(error) if line is None else line.text])
        if found is not None:
            return _with_cure(error, _looks_like(found), request)

    if isinstance(error, ParameterError) and isinstance(error.where, Place):
        return _no_target(error, error.where.name, request, line)

    from rosenblatt.tables.readers.column_roles import MissingColumns

    may_have_header = request.header is not False
    if isinstance(error, MissingColumns) and may_have_header and request.has_numbered_columns:
        cure = (
            "the model was trained with --no-header; give it here as well if the first line is a "
            "row"
        )
        return _with_cure(error, cure, request)
    return error


def _nothing_left(first: DataError, skipped: int) -> DataError:
    """Return the error for files in which all rows were skipped."""
    rows = "the only row is" if skipped == 1 else f"all {skipped:,} rows are"
    what = Message(first.what, f"; {rows} skipped, so nothing is left")
    return first.reworded(what=what, cures=cures_but_skipping(first))


def _with_cure(error: ReadingError, cure: str, request: ReadRequest) -> DataError:
    """Return the error as a `DataError` with another cure."""
    if isinstance(error, DataError):
        return error.reworded(cures=cure)
    return DataError(error.what, name=named([request.paths[0]]), allowed=error.allowed, cures=cure)


def _no_target(
    error: ParameterError, name: str, request: ReadRequest, line: FirstLine | None
) -> RosenblattError:
    """Return the error for a missing target column.

    A wrong --target is a usage error; a target that the model knows, or a row that is too short
    for it, is an error of the data.
    """
    is_numbered = request.target is not None and request.target.isdecimal()
    if request.header is False and is_numbered and line is not None:
        from rosenblatt.tables.readers.fault_messages import located_error

        text = line.text.encode()
        return located_error(
            f"this row is too short: the target is column {request.target}",
            name=named([request.paths[0]]),
            line=line.number,
            text=text,
            at=0,
            end=len(text),
            cures="take out lines that are no rows",
        )
    if request.target_said or request.schema is None:
        return error
    return DataError(
        Message(error.what, ", which the model was trained for"),
        name=name,
        allowed=error.allowed,
        cures="if the labels have another name, give --target",
    )


class FirstLine(NamedTuple):
    """The first non-blank line of a file and its line number."""

    number: int
    text: str


def _first_line(path: str) -> FirstLine | None:
    """Return the first non-blank line of a file, perhaps cut off; None if there is none.

    A pipe is not read, since its bytes can be read only once: the result is None.
    """
    from rosenblatt.tables.readers.sources import first_lines

    for number, line in enumerate(first_lines(path, FIRST_LINE_BYTES).splitlines(), 1):
        if line.strip():
            return FirstLine(number, line)
    return None


def _line_shown(error: RosenblattError) -> str:
    """Return the text of the faulty line, as far as the error shows it."""
    text = error.text if isinstance(error, DataError) else None
    return str(error.found) if text is None else text
