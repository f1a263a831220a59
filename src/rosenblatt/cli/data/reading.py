"""What commands read: the options for it, and blocks of rows from any format."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.frame.options import Whole, all_of, in_section, text_options
from rosenblatt.cli.frame.terminal import reading_progress_shown
from rosenblatt.io.formats import (
    PACKED_ROWS,
    ROWS,
    Format,
    by_content,
    by_suffix,
    default_of,
    format_of,
    listed,
    names_of,
)

if TYPE_CHECKING:
    from rosenblatt.cli.data.hints import AdvisedReader, ReadRequest
    from rosenblatt.features import AnySchema, FeatureOptions
    from rosenblatt.io import PackedRows
    from rosenblatt.io.reader import Reader
    from rosenblatt.io.sources import Source

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
        from rosenblatt.io.sources import our_kind

        if not any(path.endswith(".rows") or our_kind(path) for path in paths):
            return None
        if len(paths) > 1:
            raise click.UsageError(
                "a file of packed rows is read alone: pack all data into one, or train on --shards."
            )
        from rosenblatt.io import read_packed

        if paths[0] not in self._packed:
            self._packed[paths[0]] = read_packed(paths[0])
        return self._packed[paths[0]]

    def schema_of(self, paths: Sequence[str], schema: AnySchema | None) -> AnySchema | None:
        """The schema by which files are encoded; that of a packed file if no other is known."""
        packed = self.packed(paths)
        if packed is None:
            return schema
        from rosenblatt.learner.packing import PackedSchema

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
        from rosenblatt.io.fault_messages import Assumption, notice

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
        from rosenblatt.cli.data.hints import AdvisedReader, ReadRequest

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
            from rosenblatt.io.packed_rows import PackedReader

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
        from rosenblatt.io.column_roles import GuessedTarget

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
    from rosenblatt.io.dialect import sniff
    from rosenblatt.io.sources import first_lines

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
    from rosenblatt.io import Assumption

    for warning in caught:
        said = warning.message
        text = said if isinstance(said, str) else in_shell_words(said, params)
        word = "notice" if isinstance(said, Assumption) else "warning"
        say([f"{word}: {text}"], err=True)
