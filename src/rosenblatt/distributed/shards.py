"""Shards: fixed pieces of the data, independent of the engine that processes them."""

from __future__ import annotations

import glob
import io
import os
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rosenblatt.errors import (
    DataError,
    InputError,
    Message,
    MissingExtra,
    ParameterError,
    Place,
    Setting,
)
from rosenblatt.estimators.packing import PackedSchema
from rosenblatt.tables.readers.column_roles import GuessedTarget
from rosenblatt.tables.readers.dialect import Layout
from rosenblatt.tables.readers.fault_messages import quoted
from rosenblatt.tables.readers.formats import PACKED_ROWS, Format, default_of, format_of
from rosenblatt.tables.readers.formats import named as format_named
from rosenblatt.tables.readers.lines import PIECE, FirstBytes, Lines, from_cp1252
from rosenblatt.tables.readers.sources import LONGEST_MARK, MARKS, our_kind, sources_of
from rosenblatt.tables.readers.table import ColumnTally

if TYPE_CHECKING:
    from rosenblatt.tables.features.schemas import AnySchema, FeatureOptions
    from rosenblatt.tables.readers.block import Block
    from rosenblatt.tables.readers.table import Table

    AnyBlock = TypeVar("AnyBlock", bound=Block)

# Counts of values and stray texts, by column.
Tallies = dict[str, ColumnTally]
# The bits of hashed features, if none are given.
HASH_BITS = 18
# Arguments of readers that differ from their own defaults, by the kind of their format.
READER_DEFAULTS: dict[str, dict[str, Any]] = {
    "vw": {"bits": HASH_BITS},
    "table": {"target": GuessedTarget()},
}


@dataclass(frozen=True)
class Shard:
    """Examples in memory. Shards with the same ``key`` are equal; ``name`` is for messages."""

    key: str
    name: str
    data: tuple[Any, ...]

    def load(self) -> tuple[Any, ...]:
        """Return rows, labels and row weights (or None); or sentences and tags."""
        return self.data


def slices(data: Sequence[Any], n: int) -> list[Shard]:
    """Split examples into n shards: every n-th sentence, or consecutive rows, without a copy."""
    size = len(data[1])
    run = os.urandom(8).hex()
    shards = []
    for k in range(n):
        if isinstance(data[0], list):
            chosen = slice(k, None, n)
        else:
            chosen = slice(size * k // n, size * (k + 1) // n)
        own = tuple(None if part is None else part[chosen] for part in data)
        shards.append(Shard(f"{run}/{k}", f"shard {k}", own))
    return shards


@dataclass(frozen=True)
class FileShard:
    """Several files, a span of bytes of one file, or part ``(k, n)`` of the examples of one file.

    ``format`` is the name of the format, empty if the reader of sentences detects it. ``head`` is
    put before the bytes of a span. ``layout`` is the dialect and header of a table, ``schema`` the
    encoding of rows as features (as JSON), and ``options`` those of the reader.
    """

    paths: tuple[str, ...]
    format: str
    span: tuple[int, int] | None = None
    head: bytes = b""
    layout: Layout | None = None
    part: tuple[int, int] = (0, 1)
    of_sentences: bool = False
    schema: Any = None
    options: dict[str, Any] = field(default_factory=dict)
    key: str = field(default_factory=lambda: os.urandom(8).hex())

    @property
    def name(self) -> str:
        return ", ".join(self.paths[:2])

    @property
    def kind(self) -> str:
        """The kind of the files: "sentences", or that of their `Format`."""
        if self.of_sentences:
            return "sentences"
        if self.format == PACKED_ROWS.name:
            return PACKED_ROWS.kind
        return format_named(self.format).kind

    def block(self) -> Any:
        """Read the shard; return None if there is nothing to read."""
        block = self._all_of_file()
        return None if block is None else self._part_of(block)

    def _all_of_file(self) -> Any:
        """Read the whole file, including the rows of other shards of it, or the span of bytes."""
        from rosenblatt.estimators.packing import read_packed
        from rosenblatt.tables.features.schemas import schema_from_json
        from rosenblatt.tables.readers.sentence_reader import iter_sentences

        if self.kind == PACKED_ROWS.kind:
            # One of the shards that share a file verifies its digests.
            return read_packed(self.paths[0], verify=self.part[0] == 0)
        files = [self._open(path) for path in self.paths if size_of(path)]
        if not files or (self.span is not None and self.span[0] == self.span[1]):
            return None
        options = self.reader_options()
        try:
            if self.schema is not None:
                options.pop("target", None)
                block = schema_from_json(self.schema).read(files, labelled=True, **options)
            elif self.of_sentences:
                block = iter_sentences(files, **options).whole()
            else:
                options.pop("format", None)
                options = READER_DEFAULTS.get(self.kind, {}) | options
                block = format_named(self.format).open(files, **options).whole()
        except DataError as error:
            raise self._with_file_line(error) from None
        finally:
            for file in files:
                file.close()
        return block

    def reader_options(self) -> dict[str, Any]:
        """Return the arguments of the reader."""
        options = dict(self.options)
        # The other kinds have one format each.
        if self.format and self.kind in ("sentences", "table"):
            options["format"] = self.format
        if self.span is not None and self.layout is not None:
            options["dialect"] = self.layout
            options.setdefault("target", self.layout.target)
            if self._is_recoded:
                options["encoding"] = "utf-8"
        return options

    @property
    def _is_recoded(self) -> bool:
        """Whether a span is converted to UTF-8, because the whole file decides its encoding."""
        return self.layout is not None and self.options.get("encoding") is None

    def _open(self, path: str) -> Any:
        """Open the file, or a buffer with the span of bytes."""
        if self.span is None:
            return _opened(path)
        start, stop = self.span
        with _opened(path) as file:
            file.seek(start)
            data = file.read(stop - start)
        is_cp1252 = self.layout is not None and self.layout.dialect.encoding == "cp1252"
        if is_cp1252 and self._is_recoded:
            data = from_cp1252(data)
        piece: Any = io.BytesIO(self.head + data)
        piece.name = path
        return piece

    def _part_of(self, block: AnyBlock) -> AnyBlock:
        """Return the examples of this shard among all examples of its file."""
        k, n = self.part
        if n == 1:
            return block
        return block[len(block) * k // n : len(block) * (k + 1) // n]

    def load(self) -> tuple[Any, ...]:
        """Return the same as `Shard.load`, and for rows also the tallies of their columns."""
        from rosenblatt.tables.features.schemas import schema_from_json

        whole_file = self._all_of_file()
        if whole_file is None:
            return None, ()
        block = self._part_of(whole_file)
        if self.of_sentences:
            return block.sentences, block.tags
        tallies = self._tallies(whole_file)
        rows = block.rows if self.schema is None else schema_from_json(self.schema).encode(block)
        return rows, block.labels, getattr(block, "weights", None), tallies

    def _tallies(self, block: Table) -> Tallies:
        """Count the values and the stray texts of numeric columns that may hold missing values."""
        # One of the shards that read the same file counts.
        if self.kind != "table" or self.schema is None or self.part[0] != 0:
            return {}
        from rosenblatt.tables.features.schemas import schema_from_json

        types = schema_from_json(self.schema).reader_options()["types"]
        found: Tallies = {}
        for name, kind in types.items():
            if kind != "number or gap":
                continue
            strays = Counter(block.strays.get(name, {}))
            n_numbers = int(np.count_nonzero(~np.isnan(block.number_column(name))))
            found[name] = ColumnTally(n_numbers + strays.total(), strays)
        return found

    def _with_file_line(self, error: DataError) -> DataError:
        """Change the line in an error from a line of the span to a line of the file."""
        if self.span is not None and error.line is not None:
            with _opened(self.paths[0]) as file:
                before = file.read(self.span[0])
            error.line += before.count(b"\n") - self.head.count(b"\n")
            error.where = Place(error.name, error.line, error.column)
        return error


def file_shards(
    paths: Any, n: int | None, format: str | None, schema: AnySchema | None = None, **fields: Any
) -> list[FileShard]:
    """Split files into n shards: several files each, or pieces in proportion to their sizes.

    If ``n`` is None, every file is a shard. Text files are split between two rows. Compressed
    files, UTF-16 and sentences are split by examples, so each shard reads the whole file. A
    ``schema`` decides how tables are read, if there is one.
    """
    files = expanded(paths)
    is_packed = our_kind(files[0]) == "rows"
    of_rows: Format | None = None  # of sentences the format stays open
    if is_packed:
        of_rows = PACKED_ROWS
    elif not fields["of_sentences"]:
        of_rows = format_of(files, format, otherwise=default_of("table"))
    name = (format or "") if of_rows is None else of_rows.name

    if n is None or n <= len(files):
        # Packed files have their own label numbers, so each must be its own shard.
        n_groups = len(files) if n is None or is_packed else n
        groups = np.array_split(np.array(files), n_groups)
        return [FileShard(tuple(own.tolist()), name, **fields) for own in groups]

    # Give one more piece at a time to the file with the largest pieces.
    sizes = [size_of(path) for path in files]
    counts = [1] * len(files)
    for _ in range(n - len(files)):
        largest = max(range(len(files)), key=lambda i: sizes[i] / counts[i])
        counts[largest] += 1

    shards = []
    for path, size, count in zip(files, sizes, counts, strict=True):
        pieces: list[dict[str, Any]] | None = None
        options = fields["options"]
        encoding = options.get("encoding")
        if (
            count > 1
            and of_rows is not None
            and of_rows.cut is not None
            and _is_bytewise(path, of_rows, encoding)
        ):
            if of_rows.cut == "rows":
                pieces = _cut_table(path, of_rows, size, count, options, schema)
            else:
                pieces = _cut_lines(path, size, count)
        if pieces is None:
            pieces = [{"part": (k, count)} for k in range(count)]
        shards += [FileShard((path,), name, **piece, **fields) for piece in pieces]
    return shards


def _is_bytewise(path: str, format: Format, encoding: str | None) -> bool:
    """Return whether line ends can be found in the bytes of a file, without decoding it."""
    with _opened(path) as file:
        is_compressed = file.read(LONGEST_MARK).startswith(tuple(MARKS))
    if is_compressed:
        return False
    if encoding is None and not format.finds_encoding:
        return True
    with _opened(path) as file:
        (source,) = sources_of(file)
        lines = Lines(source, PIECE, encoding)
        with closing(lines.pieces()) as pieces:
            next(pieces, None)
        return lines.is_bytewise


def _cut_lines(path: str, size: int, n: int) -> list[dict[str, tuple[int, int]]]:
    """Split a file into pieces of about equal size that begin at a line."""
    pieces = []
    start = 0
    with _opened(path) as file:
        for k in range(1, n + 1):
            stop = file.seek(max(size * k // n, start))
            stop += len(file.readline())
            pieces.append({"span": (start, stop)})
            start = stop
    return pieces


def _cut_table(
    path: str, format: Format, size: int, n: int, options: dict[str, Any], schema: AnySchema | None
) -> list[dict[str, Any]] | None:
    """Split a table into pieces of about equal size that begin at a row.

    The rows are the same as for a reader of the whole file. Return None if there are no rows.
    """
    from rosenblatt.tables.readers.delimited import DelimitedFormat
    from rosenblatt.tables.readers.reader import TextReader

    known = dict(READER_DEFAULTS["table"])
    if schema is not None:
        known = {**schema.reader_options(), "target": schema.target}
    given = {**known, **options, "on_bad": "fail"}
    with _opened(path) as file:
        reader = format.open(file, **given)
        assert isinstance(reader, TextReader)
        form = reader.begin()
        assert isinstance(form, DelimitedFormat)
    layout = form.layout
    if layout is None:
        return None

    with _opened(path) as opened:
        has_mark = opened.read(len(BOM_UTF8)) == BOM_UTF8
        begin = opened.seek(len(BOM_UTF8) if has_mark else 0)
        file = FirstBytes(opened)
        for _ in range(layout.n_lines):
            begin += len(file.readline())
        goals = [size * k // n for k in range(1, n)]
        starts = [begin, *form.row_starts(file, begin, size, goals), size]
        # Read on until the encoding is detected: the first bytes that are not ASCII may be in the
        # last piece, or nowhere.
        while file.encoding is None and file.read(PIECE):
            pass

    dialect = layout.dialect
    if options.get("encoding") is None:
        dialect = replace(dialect, encoding=file.encoding or "utf-8")
    last = max(k for k in range(n) if k == 0 or starts[k] < size)
    return [
        {
            "span": (starts[k], starts[k + 1]),
            # A line end before the first row, so that a row that begins like a file of another
            # format is not taken for one.
            "head": b"\n",
            "layout": replace(layout, dialect=dialect, has_more=k < last),
        }
        for k in range(n)
    ]


def with_schema(
    shards: list[FileShard], schema: Any, features: FeatureOptions | None = None
) -> tuple[list[FileShard], Any]:
    """Return the shards with a schema, and the schema, guessed from the first shard if not given.

    svmlight needs no schema, because its columns are features; for sentences it is their layout.
    """
    from rosenblatt.estimators.packing import read_packed
    from rosenblatt.tables.features.schemas import FeatureOptions, guess_schema
    from rosenblatt.tables.readers.sentence_reader import iter_sentences

    path = shards[0].paths[0]
    kind = shards[0].kind
    if shards[0].of_sentences:
        with _opened(path) as file:
            return shards, iter_sentences(file, **shards[0].reader_options()).layout
    if kind == PACKED_ROWS.kind:
        own = {file: read_packed(file, verify=False) for s in shards for file in s.paths}
        for file, packed in own.items():
            schema = PackedSchema.of(packed, schema, file)
        return shards, own[path].schema
    if kind == "svmlight":
        return shards, None
    if schema is None:
        judged = shards
        if features is not None and kind == "table":
            judged = [_with_types(shard, features) for shard in shards]
        block = _first_block(judged)
        settings = features or FeatureOptions()
        schema = guess_schema(kind, block, settings.hashed(HASH_BITS))
        if schema.kind == "text":
            schema.learn(block)
        elif schema.kind == "table":
            # The other shards were not read yet: a text in a numeric column there is a missing
            # value, not an error.
            schema.admit_strays(but=settings.declared)
    described = schema.to_json()
    return [replace(shard, schema=described) for shard in shards], schema


def _first_block(shards: list[FileShard]) -> Any:
    """Return the examples of the first shard that has any."""
    for shard in shards:
        block = shard.block()
        if block is not None:
            return block
    raise InputError("there are no examples in any of the files.")


def _with_types(shard: FileShard, features: FeatureOptions) -> FileShard:
    """Return the shard with the declared column types among the options of its reader."""
    types = {
        **features.reader_options(shard.kind).get("types", {}),
        **shard.options.get("types", {}),
    }
    if not types:
        return shard
    return replace(shard, options={**shard.options, "types": types})


def judged_columns(shards: Sequence[tuple[str, Tallies]], first: str) -> Tallies:
    """Return the total tallies of all shards for numeric columns with stray texts.

    ``shards`` are pairs of a name and its tallies; ``first`` is the shard from which the column
    types were guessed. Raise an error if a reader of all rows would have read a column as text,
    because most of its values would be lost.
    """
    total: Tallies = {}
    for _, tallies in shards:
        for name, tally in tallies.items():
            known = total.setdefault(name, ColumnTally())
            known.n_values += tally.n_values
            known.strays.update(tally.strays)
    found = {name: tally for name, tally in total.items() if tally.strays}

    for column, tally in found.items():
        if tally.kind == "number":
            continue
        own = [(name, tallies[column]) for name, tallies in shards if column in tallies]
        file, worst = max(own, key=lambda pair: pair[1].strays.total())
        raise DataError(
            f"column {quoted(column)}: {worst.strays.total():,} of {worst.n_values:,} values are "
            f"not numbers: {worst.examples}; but what a column is was judged by the first shard "
            f"(of {first}), where it holds numbers",
            name=file,
            cures=[
                "pack all files into one (rosenblatt pack), which looks at all rows, and train on "
                "shards of that",
                Message("give a ", Setting("schema"), " that was guessed by all rows"),
                "fix the file",
            ],
        )
    return found


# ---------------------------------------------------------------------- files, here or elsewhere


def _opened(path: str) -> Any:
    """Open a local file or an address for reading bytes."""
    return _fsspec(path).open(path) if "://" in path else open(path, "rb", PIECE)


def _fsspec(path: str) -> Any:
    """Return the file system of an address such as s3://bucket/part-0.svm.gz."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MissingExtra(f"reading {path} needs the package fsspec", extra="dask") from None
    return url_to_fs(path)[0]


def size_of(path: str) -> int:
    """Return the size of a file in bytes."""
    return int(_fsspec(path).size(path)) if "://" in path else os.path.getsize(path)


def expanded(paths: Any) -> list[str]:
    """Return the files that paths and patterns match; those of a pattern in sorted order."""
    found: list[str] = []
    for given in [paths] if isinstance(paths, str | os.PathLike) else paths:
        path = os.fspath(given)
        is_pattern = any(mark in path for mark in "*?[") and not os.path.exists(path)
        if not is_pattern:
            matches = [path]
        elif "://" in path:
            files = _fsspec(path)
            matches = [files.unstrip_protocol(name) for name in sorted(files.glob(path))]
        else:
            matches = sorted(glob.glob(path))
        if not matches:
            raise ParameterError(f"{path} matches no file.")
        found += matches
    if not found:
        raise ParameterError("nothing to read: the list of paths is empty.")
    return found
