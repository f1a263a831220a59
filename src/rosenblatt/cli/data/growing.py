"""Rows of a stream as features, where columns may still appear: in constant memory, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.data.models import Model
from rosenblatt.cli.data.read_ahead import ReadAhead
from rosenblatt.cli.data.reading import Reading, named
from rosenblatt.cli.data.training_data import Wanted

if TYPE_CHECKING:
    import numpy.typing as npt

    from rosenblatt.cli.data.hints import AdvisedReader

__all__ = ["Growing", "growing"]

# Means, spreads and kinds of columns are judged by so many rows, however they arrive.
FIRST_ROWS = 1000
BITS = 18
# So that a column of names, or a wild index, cannot fill the memory.
MOST_LEVELS = 100_000
MOST_WEIGHTS = 1 << 27

Rows = tuple[Any, Any, Any]


def growing(
    reading: Reading,
    paths: Sequence[str],
    wanted: Wanted,
    known: Model | None,
    new_classes: str,
) -> Growing:
    """The rows of files in the format they have."""
    kind = reading.format_of(paths, None if known is None else known.schema)
    if known is not None:
        wanted.refuse("a model that is there already")
    reading = replace(reading, kind=kind) if kind in ("svmlight", "vw", "text") else reading
    how: dict[str, Any] = {}
    if known is not None:
        how["labels"] = known.label_kind
        if new_classes == "refuse":
            how["classes"] = known.classes
    form = {"svmlight": _Svmlight, "vw": _Hashed, "text": _Texts}.get(kind, _Tables)
    return form(reading, paths, wanted, known, how)


class Growing:
    """Blocks of rows as features, and the model that learns from them.

    ``schema`` is known from the first block on.
    """

    def __init__(
        self,
        reading: Reading,
        paths: Sequence[str],
        wanted: Wanted,
        known: Model | None,
        how: dict[str, Any],
    ) -> None:
        self._reading, self._paths, self._wanted = reading, paths, wanted
        self._how = how
        self.schema: Any = None if known is None else known.schema
        self.learner: Any = None if known is None else known.learner
        self._reader: AdvisedReader | ReadAhead | None = None

    def begin(self, learner: Any) -> None:
        """Let this one learn: it is made as wide as the first block, and grows from then on."""
        self.learner = learner.grow(self.schema.n_features)

    @property
    def _classes(self) -> list[Any]:
        if self.learner is None:
            return []
        classes: list[Any] = self.learner.classes_.tolist()
        return classes

    @property
    def skipped(self) -> int:
        return 0 if self._reader is None else self._reader.skipped

    def told(self) -> list[str]:
        """What is to be said at the end."""
        if not self.skipped:
            return []
        return [f"warning: {self.skipped:,} bad rows were passed over"]

    def blocks(self, until: Callable[[Iterator[Any]], Iterator[Any]] = iter) -> Iterator[Rows]:
        """The rows as features; ``until`` may end the reading, but never comes between the rest.

        So schema and model always fit each other.
        """
        with self._open() as reader:
            self._reader = reader
            for X, labels, weights in self._encoded(until(reader)):
                self._refuse_many_classes(labels)
                yield X, labels, weights

    def _refuse_many_classes(self, labels: npt.NDArray[Any]) -> None:
        from rosenblatt.errors import DataError

        n = len({*self._classes, *labels.tolist()})
        if n * self.schema.n_features > MOST_WEIGHTS:
            raise DataError(
                f"{n:,} classes for {self.schema.n_features:,} columns would not fit into the "
                "memory",
                name=named(self._paths[:1]),
                help="is the right column the target? Else fewer --bits",
            )

    def _open(self) -> AdvisedReader | ReadAhead:
        return self._reading.reader(self._paths, schema=self.schema, **self._how)

    def _encoded(self, reader: Iterator[Any]) -> Iterator[Rows]:
        raise NotImplementedError

    def _refuse_too_much(self, n_features: int, name: str, help: str) -> None:
        from rosenblatt.errors import DataError

        n_vectors = len(self._classes) if len(self._classes) > 2 else 1
        if n_features * n_vectors > MOST_WEIGHTS:
            raise DataError(
                f"{n_features:,} columns for {n_vectors:,} weight vectors would not fit into the "
                "memory",
                name=name,
                help=help,
            )


class _Svmlight(Growing):
    """As many columns as the largest index so far."""

    def _open(self) -> AdvisedReader | ReadAhead:
        reader = self._reading.reader(self._paths, **self._how)
        # A file of rejects must not be ahead of what is learned, and must be closed at Ctrl-C.
        if self._reading.on_bad.startswith("rejects="):
            return reader
        # Both reading and learning such rows leave Python, so that two threads are a gain.
        return ReadAhead(reader)

    def _encoded(self, reader: Iterator[Any]) -> Iterator[Rows]:
        from rosenblatt.features import SparseSchema

        self._wanted.refuse("svmlight")
        for block in reader:
            widest = block.rows.shape[1]
            if self.schema is None or widest > self.schema.n_features:
                line = int(block.lines[-1])
                self._refuse_too_much(widest, f"before line {line}", "hash the indices first")
                self.schema = SparseSchema("svmlight", widest)
            yield self.schema.encode(block), block.labels, None


class _Hashed(Growing):
    """Vowpal Wabbit rows, hashed as vw does; with the importance of each row."""

    def _open(self) -> AdvisedReader | ReadAhead:
        from rosenblatt.features import SparseSchema

        self._wanted.refuse("vw", "--bits")
        if self.schema is None:
            bits = self._wanted.bits or BITS
            self.schema = SparseSchema("vw", 1 << bits, None, bits)
        return super()._open()

    def _encoded(self, reader: Iterator[Any]) -> Iterator[Rows]:
        for block in reader:
            weights = None if (block.weights == 1.0).all() else block.weights
            yield self.schema.encode(block), block.labels, weights


class _Texts(Growing):
    """Labelled texts, as hashed n-grams."""

    def _encoded(self, reader: Iterator[Any]) -> Iterator[Rows]:
        from rosenblatt.features import TextFeatures, TextSchema

        self._wanted.refuse("labelled text", "--bits", "--words", "--chars")
        if self.schema is None:
            self.schema = TextSchema(TextFeatures(**self._wanted.text))
        for block in reader:
            yield self.schema.learn(block), block.labels, None


class _Tables(Growing):
    """Tables; a level of a category that was not met before gets a feature with weight 0."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._lost: dict[str, int] = {}

    def _open(self) -> AdvisedReader | ReadAhead:
        if self.schema is not None:
            return super()._open()
        declared = self._wanted.declared
        types = {n: "number" if kind == "number" else "text" for n, kind in declared.items()}
        return self._reading.reader(self._paths, types=types or None, **self._how)

    def _encoded(self, reader: Iterator[Any]) -> Iterator[Rows]:
        from rosenblatt.features import Schema

        tables = reader
        if self.schema is None:
            begun = _first(reader)
            if begun is None:
                return
            self.schema = Schema.guess(
                begun[:FIRST_ROWS],
                declared=self._wanted.declared,
                missing=self._reading.missing,
                scale=not self._wanted.no_scale,
                text=self._wanted.text,
            )
            tables = chain([begun], reader)
        for table in tables:
            self._admit_levels(table)
            yield self.schema.learn(table), table.labels, None

    def _admit_levels(self, table: Any) -> None:
        """Make room where the features of a column end; the weights there are 0."""
        from rosenblatt.features.column_kinds import Category

        unknown = self.schema.unknown(table)
        places: list[int] = []
        end = 0
        for column in self.schema.columns:
            end += column.n_features
            if column.name in unknown and isinstance(column, Category):
                room = MOST_LEVELS - len(column.levels)
                levels = list(unknown[column.name].items())
                for _, count in levels[room:]:
                    self._lost[column.name] = self._lost.get(column.name, 0) + count
                column.levels += [level for level, _ in levels[:room]]
                column.__post_init__()
                places += [end] * len(levels[:room])
        if places and self.learner is not None:
            name = f"line {int(table.lines[0])}"
            self._refuse_too_much(self.schema.n_features, name, "is the right column the target?")
            self.learner.insert_features(places)

    def told(self) -> list[str]:
        return super().told() + [
            f"notice: {name}: more than {MOST_LEVELS:,} levels; later ones counted for nothing in "
            f"{count:,} rows (--column {name}=text hashes it)"
            for name, count in self._lost.items()
        ]


def _first(reader: Iterator[Any]) -> Any:
    """The first blocks as one table of enough rows to judge by; None if there are no rows."""
    from rosenblatt.io import Table

    tables: list[Any] = []
    for table in reader:
        tables.append(table)
        if sum(map(len, tables)) >= FIRST_ROWS:
            break
    return Table.concat(tables) if tables else None
