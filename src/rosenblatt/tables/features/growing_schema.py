"""How the rows of a stream become features, where columns, levels and classes still appear."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from rosenblatt.errors import DataError, Message, ParameterError, Setting, Words
from rosenblatt.tables.features.schemas import AnySchema, FeatureOptions, guess_schema
from rosenblatt.tables.features.text import OF_STREAMS
from rosenblatt.tables.readers.table import Table

# What columns are is judged by so many rows, however they arrive.
FIRST_ROWS = 1000
# Of Vowpal Wabbit rows, so that their features need no list of names.
BITS = 18
# So that a column of names, or a wild index, cannot fill the memory.
MOST_LEVELS = 100_000
MOST_WEIGHTS = 1 << 27
FEWER_BITS = Message("give fewer ", Setting("bits"))
CURES: dict[str, list[Words]] = {
    "table": ["is the right column the target?"],
    "svmlight": ["hash the indices first"],
    "text": ["is the first field the label?", FEWER_BITS],
    "vw": [FEWER_BITS],
}


class GrowingSchema:
    """A schema that grows while a stream is read, and the learner with it.

    What was learned before never changes for it: a new feature begins with weight 0. Texts have no
    idf, as later ones are not known, and their own lengths, as n-grams never met would else make
    all others small; a schema to begin with keeps the idf that it has.

    Parameters
    ----------
    kind : {"table", "text", "svmlight", "vw"}
        What the blocks hold.
    options : FeatureOptions, default=FeatureOptions()
        What is not to be guessed.
    schema : Schema, TextSchema, SparseSchema or None, default=None
        The schema to begin with; by default the first rows decide.

    Attributes
    ----------
    schema : Schema, TextSchema, SparseSchema or None
        The schema so far, of which nothing is known before the first block unless it was given.
    dropped_levels : dict of str to int
        By column how many rows had a level for which there was no room.

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
        self.options = FeatureOptions() if options is None else options
        if kind == "vw":
            self.options = self.options.hashed(BITS)
        elif self.options.text.get("idf"):
            raise ParameterError(
                Message(Setting("idf", True), " needs all texts beforehand, unlike a stream"),
                cures="train on texts that are there, and let the stream go on from that model",
            )
        else:
            settings = {**OF_STREAMS, **self.options.text}
            self.options = replace(self.options, text=settings)
        if self.options.scale == "robust":  # which needs all rows, and a stream has earlier ones
            self.options = replace(self.options, scale="running")
        self.dropped_levels: dict[str, int] = {}

    def blocks(self, blocks: Iterable[Any]) -> Iterator[Any]:
        """The blocks of a reader, the first ones of a table as one of enough rows to judge by."""
        first: list[Table] = []
        for block in blocks:
            if self.schema is not None or self.kind != "table":
                yield block
                continue
            first.append(block)
            if sum(map(len, first)) >= FIRST_ROWS:
                yield Table.concat(first)
        if first and self.schema is None:
            yield Table.concat(first)

    def encode(self, block: Any, learner: Any) -> Any:
        """The features of a block; the learner gets room for those that are new."""
        if self.schema is None:
            self.schema = guess_schema(self.kind, block[:FIRST_ROWS], self.options)
        growth = self.schema.grow(block, MOST_LEVELS)
        for name, rows in growth.dropped.items():
            self.dropped_levels[name] = self.dropped_levels.get(name, 0) + rows
        self._refuse_too_large(block, learner, self.schema.n_features)
        # Else there is nothing yet before which a feature could be put.
        if growth.places and hasattr(learner, "n_features_in_"):
            learner.insert_features(growth.places)
        learner.grow(self.schema.n_features)
        return self.schema.learn(block)

    def _refuse_too_large(self, block: Any, learner: Any, n_features: int) -> None:
        """Raise if the weights of all classes would not fit into the memory."""
        known = learner.classes_.tolist() if hasattr(learner, "classes_") else []
        n = len({*known, *block.labels.tolist()})
        if n_features * (n if n > 2 else 1) > MOST_WEIGHTS:
            raise DataError(
                f"{n:,} classes for {n_features:,} columns would not fit into the memory",
                name=f"lines {int(block.lines[0])} to {int(block.lines[-1])}",
                cures=CURES[self.kind],
            )
