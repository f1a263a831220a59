"""Shards: fixed pieces of the data, which know nothing of who works on them."""

from __future__ import annotations

import glob
import io
import os
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

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
from rosenblatt.io.column_roles import GuessedTarget
from rosenblatt.io.dialect import Layout
from rosenblatt.io.fault_messages import quoted
from rosenblatt.io.lines import PIECE, FirstBytes, Lines, from_cp1252
from rosenblatt.io.sources import LONGEST_MARK, MARKS, format_of, our_kind, sources_of
from rosenblatt.io.table import ColumnTally
from rosenblatt.io.table_readers import TABLES
from rosenblatt.learner.packing import PackedSchema

# By column.
Tallies = dict[str, ColumnTally]
# Formats of which a file can be cut between two lines; in the first two a line end may be quoted.
QUOTED, BY_LINES = ("csv", "tsv"), ("csv", "tsv", "jsonl", "svmlight", "text", "vw")
FORMATS = (*BY_LINES, "parquet", "arrow")
# Those whose encoding is found out, if nobody names it.
FIND_ENCODING = ("csv", "tsv", "text")
BITS = 18
# Arguments of readers that are not left to them.
DEFAULTS: dict[str, dict[str, Any]] = {"vw": {"bits": BITS}, "table": {"target": GuessedTarget()}}


@dataclass(frozen=True)
class Shard:
    """Examples at hand. Two shards of one ``key`` hold the same; ``name`` is for messages."""

    key: str
    name: str
    data: tuple[Any, ...]

    def load(self) -> tuple[Any, ...]:
        """Rows, labels and factors for the steps or None; or sentences and tags."""
        return self.data


def slices(data: Sequence[Any], n: int) -> list[Shard]:
    """Every n-th sentence, or consecutive rows, which need no copy."""
    size, run, found = len(data[1]), os.urandom(8).hex(), []
    for k in range(n):
        some = slice(k, None, n)
        if not isinstance(data[0], list):
            some = slice(size * k // n, size * (k + 1) // n)
        own = tuple(None if part is None else part[some] for part in data)
        found.append(Shard(f"{run}/{k}", f"shard {k}", own))
    return found


@dataclass(frozen=True)
class FileShard:
    """Some files, some bytes of one after its ``head``, or part ``(k, n)`` of its examples.

    ``layout`` is what a table says of its rows before the first of them, ``schema`` what makes
    features of rows, as JSON; ``options`` are those of the reader.
    """

    paths: tuple[str, ...]
    kind: str
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
    def reader(self) -> str:
        return "sentences" if self.of_sentences else "table" if self.kind in TABLES else self.kind

    def block(self) -> Any:
        """What the reader of the format gives; None if there is nothing to read."""
        block = self._all_of_file()
        return None if block is None else self._part_of(block)

    def _all_of_file(self) -> Any:
        """As `block`, with the rows of other shards that only reading all of a file can give."""
        from rosenblatt import io as readers
        from rosenblatt.features import schema_from_json

        if self.kind == "rows":
            first = self.part[0] == 0  # of those that share a file one compares its digests
            return readers.read_packed(self.paths[0], verify=first)
        files = [self._opened(path) for path in self.paths if size_of(path)]
        if not files or (self.span is not None and self.span[0] == self.span[1]):
            return None
        options = self.reader_options()
        try:
            if self.schema is not None:
                options.pop("target", None)
                block = schema_from_json(self.schema).read(files, labelled=True, **options)
            else:
                read = getattr(readers, f"iter_{self.reader}")
                block = read(files, **DEFAULTS.get(self.reader, {}) | options).whole()
        except DataError as error:
            raise self._placed(error) from None
        finally:
            for file in files:
                file.close()
        return block

    def reader_options(self) -> dict[str, Any]:
        options = dict(self.options)
        if self.kind and self.reader in ("sentences", "table"):
            options["format"] = self.kind
        if self.span is not None and self.layout is not None:
            options["dialect"] = self.layout
            options.setdefault("target", self.layout.target)
            if self._is_recoded:
                options["encoding"] = "utf-8"
        return options

    @property
    def _is_recoded(self) -> bool:
        """Whether a piece is made UTF-8, since bytes above it tell what its own mean."""
        return self.layout is not None and self.options.get("encoding") is None

    def _opened(self, path: str) -> Any:
        """The file, or the bytes of it that are wanted."""
        if self.span is None:
            return _opened(path)
        with _opened(path) as file:
            data = file.read(self.span[1] - file.seek(self.span[0]))
        if self.layout is not None and self._is_recoded:
            data = from_cp1252(data) if self.layout.dialect.encoding == "cp1252" else data
        piece: Any = io.BytesIO(self.head + data)
        piece.name = path
        return piece

    def _part_of(self, block: Any) -> Any:
        k, n = self.part
        return block if n == 1 else block[len(block) * k // n : len(block) * (k + 1) // n]

    def load(self) -> tuple[Any, ...]:
        """As that of `Shard`; rows of a table have what they say about its columns at the end."""
        from rosenblatt.features import schema_from_json

        of_file = self._all_of_file()
        if of_file is None:
            return None, ()
        block = self._part_of(of_file)
        if self.of_sentences:
            return block.sentences, block.tags
        tallies = self._tallies(of_file)
        rows = block.rows if self.schema is None else schema_from_json(self.schema).encode(block)
        return rows, block.labels, getattr(block, "weights", None), tallies

    def _tallies(self, block: Any) -> Tallies:
        """By column of numbers in which texts are gaps, how many values and texts there are."""
        # Of shards that read all of a file one counts.
        if self.reader != "table" or self.schema is None or self.part[0] != 0:
            return {}
        from rosenblatt.features import schema_from_json

        types = schema_from_json(self.schema).reader_options()["types"]
        found: Tallies = {}
        for name in (name for name, kind in types.items() if kind == "number or gap"):
            strays = Counter(block.strays.get(name, {}))
            n_numbers = int(np.count_nonzero(~np.isnan(block.number_column(name))))
            found[name] = ColumnTally(n_numbers + strays.total(), strays)
        return found

    def _placed(self, error: DataError) -> DataError:
        """With the line of the whole file, where only some of its bytes were read."""
        if self.span is not None and error.line is not None:
            with _opened(self.paths[0]) as file:
                before = file.read(self.span[0])
            error.line += before.count(b"\n") - self.head.count(b"\n")
            error.where = Place(error.name, error.line, error.column)
        return error


def file_shards(
    paths: Any, n: int | None, format: str | None, schema: Any = None, **fields: Any
) -> list[FileShard]:
    """Shards of files: some of them each, or pieces of them in proportion to their sizes.

    ``n`` of None is one for each file. Text is cut between two rows; what is compressed, text in
    UTF-16 and sentences are cut by their examples, so that each piece is read by reading all of its
    file. A ``schema`` says how tables are read, if it is known.
    """
    found, of_sentences = expanded(paths), fields["of_sentences"]
    packed = our_kind(found[0]) == "rows"
    kind = "rows" if packed else format or ""
    if not (packed or of_sentences):
        kind = format_of(found, format, FORMATS, "csv")
    if n is None or n <= len(found):
        n = len(found) if packed else n  # each has labels of its own
        groups = np.array_split(np.array(found), len(found) if n is None else n)
        return [FileShard(tuple(own.tolist()), kind, **fields) for own in groups]
    sizes, counts = [size_of(path) for path in found], [1] * len(found)
    for _ in range(n - len(found)):
        counts[max(range(len(found)), key=lambda i: sizes[i] / counts[i])] += 1
    shards = []
    for path, size, count in zip(found, sizes, counts, strict=True):
        pieces: list[dict[str, Any]] | None = None
        if count > 1 and kind in BY_LINES and not of_sentences:
            options = fields["options"]
            if not _is_bytewise(path, kind, options.get("encoding")):
                pieces = None
            elif kind in QUOTED:
                pieces = _cut_table(path, kind, size, count, options, schema)
            else:
                pieces = _cut_lines(path, size, count)
        if pieces is None:
            pieces = [{"part": (k, count)} for k in range(count)]
        shards += [FileShard((path,), kind, **piece, **fields) for piece in pieces]
    return shards


def _is_bytewise(path: str, kind: str, encoding: str | None) -> bool:
    """Whether lines can be cut in the bytes of a file as it lies there."""
    with _opened(path) as file:
        if file.read(LONGEST_MARK).startswith(tuple(MARKS)):
            return False  # it is compressed
    if encoding is None and kind not in FIND_ENCODING:
        return True
    with _opened(path) as file:
        (source,) = sources_of(file)
        lines = Lines(source, PIECE, encoding)
        with closing(lines.pieces()) as pieces:
            next(pieces, None)
        return lines.is_bytewise


def _cut_lines(path: str, size: int, n: int) -> list[dict[str, Any]]:
    """About equal pieces that begin where a line does."""
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
    path: str, kind: str, size: int, n: int, options: dict[str, Any], schema: Any
) -> list[dict[str, Any]] | None:
    """About equal pieces that begin where a row does, as one reader would read the whole file.

    None of a file without rows.
    """
    from rosenblatt.io import iter_table

    known = dict(DEFAULTS["table"])
    if schema is not None:
        known = {**schema.reader_options(), "target": schema.target}
    given = {**known, **options, "format": kind, "on_bad": "fail"}
    with _opened(path) as file:
        form: Any = iter_table(file, **given).begin()
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
        # The first bytes that are not ASCII may be in the last piece, or in none.
        while file.encoding is None and file.read(PIECE):
            pass

    dialect = layout.dialect
    if options.get("encoding") is None:
        dialect = replace(dialect, encoding=file.encoding or "utf-8")
    last = max(k for k in range(n) if k == 0 or starts[k] < size)
    return [
        {
            "span": (starts[k], starts[k + 1]),
            # A line end before the first row, which could begin as files of other formats do.
            "head": b"\n",
            "layout": replace(layout, dialect=dialect, has_more=k < last),
        }
        for k in range(n)
    ]


def with_schema(
    shards: list[FileShard], schema: Any, features: Any = None
) -> tuple[list[FileShard], Any]:
    """The shards, read by a schema; without one it is guessed by the rows of the first.

    The columns of svmlight are features as they are, and the layout of sentences is their schema.
    """
    from rosenblatt import io as readers
    from rosenblatt.features import FeatureOptions, guess_schema

    path, kind = shards[0].paths[0], shards[0].kind
    if shards[0].of_sentences:
        with _opened(path) as file:
            return shards, readers.iter_sentences(file, **shards[0].reader_options()).layout
    if kind == "rows":
        own = {file: readers.read_packed(file, verify=False) for s in shards for file in s.paths}
        for file, packed in own.items():
            schema = PackedSchema.of(packed, schema, file)
        return shards, own[path].schema
    if kind == "svmlight":
        return shards, None
    if schema is None:
        judged = shards
        if features is not None and shards[0].reader == "table":
            judged = [_with_types(shard, features) for shard in shards]
        block = next((block for shard in judged if (block := shard.block()) is not None), None)
        if block is None:
            raise InputError("there are no examples in any of the files.")
        schema = guess_schema(shards[0].reader, block, (features or FeatureOptions()).hashed(BITS))
        if schema.kind == "text":
            schema.learn(block)
        elif schema.kind == "table":
            # The other shards were not looked at: what is no number there is a gap, not a fault.
            schema.admit_strays(but=(features or FeatureOptions()).declared)
    described = schema.to_json()
    return [replace(shard, schema=described) for shard in shards], schema


def _with_types(shard: FileShard, features: Any) -> FileShard:
    """The shard, whose reader knows the kinds of columns that were declared."""
    types = {
        **features.reader_options(shard.kind).get("types", {}),
        **shard.options.get("types", {}),
    }
    return replace(shard, options={**shard.options, "types": types}) if types else shard


def judged_columns(shards: Sequence[tuple[str, Tallies]], first: str) -> Tallies:
    """What all shards say about columns of numbers with texts among them, read as gaps.

    ``shards`` are their names and what each of them says; ``first`` is the name of the one by which
    kinds of columns were guessed. A column that one reader of all rows would have read as text is
    refused, since most of what it says would be lost.
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
    return _fsspec(path).open(path) if "://" in path else open(path, "rb", PIECE)


def _fsspec(path: str) -> Any:
    """The file system of an address, as s3://bucket/part-0.svm.gz."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MissingExtra(f"reading {path} needs the package fsspec", extra="dask") from None
    return url_to_fs(path)[0]


def size_of(path: str) -> int:
    return int(_fsspec(path).size(path)) if "://" in path else os.path.getsize(path)


def expanded(paths: Any) -> list[str]:
    """The files that paths and patterns name, those of a pattern in order."""
    found: list[str] = []
    for given in [paths] if isinstance(paths, str | os.PathLike) else paths:
        path, several = os.fspath(given), [os.fspath(given)]
        if any(mark in path for mark in "*?[") and not os.path.exists(path):
            several = sorted(glob.glob(path))
            if "://" in path:
                files = _fsspec(path)
                several = [files.unstrip_protocol(name) for name in sorted(files.glob(path))]
        if not several:
            raise ParameterError(f"{path} matches no file.")
        found += several
    if not found:
        raise ParameterError("nothing to read: the list of paths is empty.")
    return found
