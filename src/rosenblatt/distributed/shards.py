"""Shards: fixed pieces of the data, which know nothing of who works on them."""

from __future__ import annotations

import glob
import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rosenblatt.errors import DataError, InputError, MissingExtra, ParameterError, Place
from rosenblatt.io.column_roles import GuessedTarget
from rosenblatt.io.sources import LONGEST_MARK, MARKS, format_of, our_kind
from rosenblatt.io.table_readers import TABLES
from rosenblatt.learner.packing import PackedSchema

# Formats of which a file can be cut between two lines; in the first two a line end may be quoted.
QUOTED, BY_LINES = ("csv", "tsv"), ("csv", "tsv", "jsonl", "svmlight", "text", "vw")
FORMATS = (*BY_LINES, "parquet", "arrow")
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

    ``schema`` is what makes features of its rows, as JSON; ``options`` are those of the reader.
    """

    paths: tuple[str, ...]
    kind: str
    span: tuple[int, int] | None = None
    head: bytes = b""
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
        from rosenblatt import io as readers
        from rosenblatt.features import schema_from_json

        if self.kind == "rows":
            first = self.part[0] == 0  # of those that share a file one compares its digests
            return self._part_of(readers.read_packed(self.paths[0], verify=first))
        files = [_opened(path, self.span, self.head) for path in self.paths if size_of(path)]
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
        return self._part_of(block)

    def reader_options(self) -> dict[str, Any]:
        named = self.kind and self.reader in ("sentences", "table")
        return {**self.options, **({"format": self.kind} if named else {})}

    def _part_of(self, block: Any) -> Any:
        k, n = self.part
        return block if n == 1 else block[len(block) * k // n : len(block) * (k + 1) // n]

    def load(self) -> tuple[Any, ...]:
        from rosenblatt.features import schema_from_json

        block = self.block()
        if block is None:
            return None, ()
        if self.of_sentences:
            return block.sentences, block.tags
        rows = block.rows if self.schema is None else schema_from_json(self.schema).encode(block)
        return rows, block.labels, getattr(block, "weights", None)

    def _placed(self, error: DataError) -> DataError:
        """With the line of the whole file, where only some of its bytes were read."""
        if self.span is not None and error.line is not None:
            with _opened(self.paths[0], (0, self.span[0])) as before:
                error.line += before.read().count(b"\n") - self.head.count(b"\n")
            error.where = Place(error.name, error.line, error.column)
        return error


def file_shards(paths: Any, n: int | None, format: str | None, **fields: Any) -> list[FileShard]:
    """Shards of files: some of them each, or pieces of them in proportion to their sizes.

    ``n`` of None is one for each file. Text is cut between two lines; what is packed, and
    sentences, are cut by their examples, so that each piece is read by reading all of its file.
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
        pieces: Any = ({"part": (k, count)} for k in range(count))
        with _opened(path) as file:
            packed = file.read(LONGEST_MARK).startswith(tuple(MARKS))
        if count > 1 and kind in BY_LINES and not (of_sentences or packed):
            has_head = kind in QUOTED and fields["options"].get("header", True)
            pieces = _cut(path, size, count, kind in QUOTED, has_head)
        shards += [FileShard((path,), kind, **piece, **fields) for piece in pieces]
    return shards


def _cut(path: str, size: int, n: int, quoted: bool, has_head: bool) -> Iterator[dict[str, Any]]:
    """About equal pieces that begin where a line does, and outside of quotes."""
    with _opened(path) as file:
        head = file.readline() if has_head else b""
        start = at = len(head)
        inside = False
        for k in range(1, n + 1):
            goal = max(size * k // n, at)
            while quoted and at < goal:
                some = file.read(min(goal - at, 1 << 20))
                at, inside = at + len(some), inside ^ bool(some.count(b'"') & 1)
            at = file.seek(goal)
            while at < size:
                line = file.readline()
                at, inside = at + len(line), inside ^ bool(quoted and line.count(b'"') & 1)
                if not inside:
                    break
            yield {"span": (start, at), "head": head}
            start = at


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
        block = next((block for shard in shards if (block := shard.block()) is not None), None)
        if block is None:
            raise InputError("there are no examples in any of the files.")
        schema = guess_schema(shards[0].reader, block, (features or FeatureOptions()).hashed(BITS))
        if schema.kind == "text":
            schema.learn(block)
    described = schema.to_json()
    return [replace(shard, schema=described) for shard in shards], schema


# ---------------------------------------------------------------------- files, here or elsewhere


def _opened(path: str, span: tuple[int, int] | None = None, head: bytes = b"") -> Any:
    file = _fsspec(path).open(path) if "://" in path else open(path, "rb", 1 << 20)  # noqa: SIM115
    if span is None:
        return file
    with file:
        piece: Any = io.BytesIO(head + file.read(span[1] - file.seek(span[0])))
    piece.name = path
    return piece


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
