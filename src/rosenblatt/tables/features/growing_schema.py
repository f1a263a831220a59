"""A schema that grows with a stream, in which new columns, levels and classes may appear."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from rosenblatt.errors import DataError, Message, ParameterError, Setting, Words
from rosenblatt.tables.features.schemas import AnySchema, FeatureOptions, guess_schema
from rosenblatt.tables.features.text import OF_STREAMS
from rosenblatt.tables.readers.block import Block
from rosenblatt.tables.readers.table import Table

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyFloatArray, SparseRows

# Rows from which the kinds of columns are guessed, whatever the size of the blocks.
FIRST_ROWS = 1000
# Bits of the hashes of names in Vowpal Wabbit rows, so that features need no list of names.
BITS = 18
# Limits, so that a column of names, or a wild index, cannot fill the memory.
MAX_LEVELS = 100_000
MAX_WEIGHTS = 1 << 27
FEWER_BITS = Message("give fewer ", Setting("bits"))
CURES: dict[str, list[Words]] = {
    "table": ["is the right column the target?"],
    "svmlight": ["hash the indices first"],
    "text": ["is the first field the label?", FEWER_BITS],
    "vw": [FEWER_BITS],
}


class GrowingLearner(Protocol):
    """Protocol of learners to which features can be added, with weight 0."""

    def grow(self, n_features: int) -> object:
        """Add features at the end, up to ``n_features`` in total."""
        ...

    def insert_features(self, places: Sequence[int]) -> object:
        """Insert features before those with the given indices."""
        ...


class GrowingSchema:
    """Encoder of streams, whose schema grows with new features; it extends the learner to match.

    The weights that were learned before do not change: a new feature begins with weight 0. Texts
    have no idf, because later texts are not known, and are not scaled to unit length, because
    unseen n-grams would make all others small. A schema to begin with keeps its own idf.

    Parameters
    ----------
    kind : {"table", "text", "svmlight", "vw"}
        The kind of rows in the blocks.
    options : FeatureOptions, default=FeatureOptions()
        Options that are not guessed.
    schema : Schema, TextSchema, SparseSchema or None, default=None
        The schema to begin with; by default it is guessed by the first rows.

    Attributes
    ----------
    schema : Schema, TextSchema, SparseSchema or None
        The schema so far; None before the first block, unless one was given.
    dropped_levels : dict of str to int
        For each column the number of rows with a level for which there was no room.

    Examples
    --------
    >>> import io
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.features import GrowingSchema
    >>> from rosenblatt.io import iter_table
    >>> growing, learner = GrowingSchema("table"), Perceptron()
    >>> for rows in (b"a,y\\nred,1\\nblue,0\\n", b"a,y\\ngreen,1\\n"):
    ...     for block in growing.blocks(iter_table(io.BytesIO(rows), target="y")):
    ...         X = growing.encode(block, learner)
    ...         learner = learner.partial_fit(X, block.labels)
    >>> growing.schema.names(range(learner.n_features_in_))
    ['a=red', 'a=blue', 'a=green']
    """

    def __init__(
        self, kind: str, options: FeatureOptions | None = None, schema: AnySchema | None = None
    ) -> None:
        self.kind = kind
        self.schema: AnySchema | None = schema
        self.options = _options_of_stream(kind, FeatureOptions() if options is None else options)
        self.dropped_levels: dict[str, int] = {}

    def blocks(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """Yield the blocks of a reader; the first ones of a table are joined for guessing."""
        first: list[Table] = []
        for block in blocks:
            if self.schema is not None or not isinstance(block, Table):
                yield block
                continue
            first.append(block)
            # Whoever gets this block encodes it, and then there is a schema.
            if sum(map(len, first)) >= FIRST_ROWS:
                yield Table.concat(first)
        if first and self.schema is None:
            yield Table.concat(first)

    def encode(self, block: Block, learner: GrowingLearner) -> AnyFloatArray | SparseRows:
        """Return the features of a block, after adding the new ones to schema and learner."""
        if self.schema is None:
            self.schema = guess_schema(self.kind, block[:FIRST_ROWS], self.options)
        growth = self.schema.grow(block, MAX_LEVELS)
        for name, rows in growth.dropped.items():
            self.dropped_levels[name] = self.dropped_levels.get(name, 0) + rows

        _refuse_too_large(self.kind, block, learner, self.schema.n_features)
        # A learner that has seen nothing has no features to insert new ones before.
        if growth.places and hasattr(learner, "n_features_in_"):
            learner.insert_features(growth.places)
        learner.grow(self.schema.n_features)
        return self.schema.learn(block)


def _options_of_stream(kind: str, options: FeatureOptions) -> FeatureOptions:
    """Return the options adapted to a stream, whose later rows are not known."""
    if kind == "vw":
        options = options.hashed(BITS)
    elif options.text.get("idf"):
        raise ParameterError(
            Message(Setting("idf", True), " needs all texts beforehand, unlike a stream"),
            cures="train on texts that are there, and let the stream go on from that model",
        )
    else:
        options = replace(options, text={**OF_STREAMS, **options.text})
    # Quartiles need all rows; a stream has only earlier ones.
    if options.scale == "robust":
        options = replace(options, scale="running")
    return options


def _refuse_too_large(kind: str, block: Block, learner: GrowingLearner, n_features: int) -> None:
    """Raise DataError if the weights of all classes would not fit into memory."""
    known = learner.classes_.tolist() if hasattr(learner, "classes_") else []
    n_classes = len({*known, *block.labels.tolist()})
    # Two classes share one weight vector.
    n_vectors = n_classes if n_classes > 2 else 1
    if n_features * n_vectors > MAX_WEIGHTS:
        raise DataError(
            f"{n_classes:,} classes for {n_features:,} columns would not fit into the memory",
            name=f"lines {int(block.lines[0])} to {int(block.lines[-1])}",
            cures=CURES[kind],
        )
