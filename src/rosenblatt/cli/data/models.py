"""A model file as commands use it: its schema, names for its weights, answers for rows of files."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.reading import Reading, notices_told

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from rosenblatt.cli.data.hints import AdvisedReader
    from rosenblatt.features import AnySchema
    from rosenblatt.model import State

__all__ = ["MODEL", "Model", "Strangers", "notices", "opened"]

MODEL = click.Path(exists=True, dir_okay=False)
SHOWN = 5
# Beyond so many different levels only their number is kept.
MOST_LEVELS = 10_000


@dataclass
class Model:
    """What was read from a file."""

    path: str
    state: State
    _schema: AnySchema | None

    @property
    def schema(self) -> AnySchema:
        """How rows become features; an error says so if the file does not know."""
        from rosenblatt.errors import ModelFileError

        if self._schema is None:
            raise ModelFileError(
                f"{self.path}: saved without a schema, so it does not say how the rows of a file "
                "become its features. Train with rosenblatt train, or predict in Python."
            )
        return self._schema

    @property
    def has_schema(self) -> bool:
        return self._schema is not None

    @property
    def classes(self) -> list[Any]:
        """In order."""
        return sorted(self.state.card.classes)

    @property
    def label_kind(self) -> str:
        """How labels of a file are to be read, so that they can be compared with the classes."""
        return "text" if any(isinstance(c, str) for c in self.state.card.classes) else "number"

    @cached_property
    def learner(self) -> Any:
        """The learner itself, as `rosenblatt.load` makes it."""
        from rosenblatt.model.file import learner_of

        return learner_of(self.state, self.path)

    def answers(self, X: Any) -> tuple[list[Any], npt.NDArray[np.float64]]:
        """The class of each row, and a score for each class in order (-s and s for two)."""
        import numpy as np

        from rosenblatt.core.classes import answers

        learner, classes = self.learner, self.classes
        with warnings.catch_warnings():
            # The schema has found the columns by their names already.
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            scores = learner.decision_function(X)
        if len(classes) < 2:
            return classes * len(scores), np.zeros((len(scores), len(classes)))
        found = [classes[i] for i in answers(scores, learner.ties).tolist()]
        return found, np.column_stack([-scores, scores]) if scores.ndim == 1 else scores

    @property
    def has_weights(self) -> bool:
        """A kernel machine has support rows instead, and those of a tagger have no names."""
        return self.state.card.kernel is None and not self.tags_sentences

    @property
    def tags_sentences(self) -> bool:
        return self.state.card.tagger is not None

    def refuse_without_weights(self) -> None:
        from rosenblatt.errors import ModelFileError

        if not self.has_weights:
            raise ModelFileError(
                f"{self.path}: a {self.state.card.learner} has no weights; it answers by its "
                "support rows. For this load it in Python (rosenblatt.load)."
            )

    def weights(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """What predicts: a row for two classes, else one for each class in order."""
        self.refuse_without_weights()
        return self.learner.coef_, self.learner.intercept_

    def names(self, features: Sequence[int]) -> list[str]:
        """What features are called, by the best that the file knows."""
        card = self.state.card
        known = card.feature_names if card.columns is None else card.columns
        if card.schema is not None:
            return self.schema.names(features)
        return [f"feature {i}" if known is None else str(known[i]) for i in features]

    def reader(self, reading: Reading, paths: Sequence[str], *, labelled: bool) -> AdvisedReader:
        """Blocks of files, read as the training data were; labels must be known classes."""
        schema = self.schema
        classes = self.classes if labelled else None
        kind = reading.format_of(paths, schema)
        if kind == "svmlight":
            # Rows may have columns that training did not meet; they are passed over later.
            return replace(reading, kind=kind).reader(
                paths, labels=self.label_kind if labelled else "auto", classes=classes
            )
        return reading.reader(paths, schema=schema, labelled=labelled, classes=classes)


@dataclass
class Strangers:
    """What of the rows training did not meet, counted over blocks."""

    levels: dict[str, Counter[str]] = field(default_factory=dict)
    rows: Counter[str] = field(default_factory=Counter)
    columns: Counter[str] = field(default_factory=Counter)

    def encoded(self, schema: AnySchema, block: Any) -> Any:
        """The features of a block; what has no weight is counted."""
        for name, levels in schema.unknown(block).items():
            known = self.levels.setdefault(name, Counter())
            self.rows[name] += sum(levels.values())
            if len(known) < MOST_LEVELS:
                known.update(levels)
        if schema.kind == "svmlight" and block.rows.shape[1] > schema.n_features:
            beyond = block.rows.indices[block.rows.indices >= schema.n_features]
            self.columns.update(str(column + 1) for column in beyond.tolist())
            block.rows = block.rows.narrow(schema.n_features)
        return schema.encode(block)

    def told(self) -> list[str]:
        lines = []
        for name, levels in self.levels.items():
            lines.append(f"{name}: {_rows(self.rows[name])} with levels never seen: {_top(levels)}")
        if self.columns:
            total = sum(self.columns.values())
            lines.append(
                f"{total:,} value{'s' * (total != 1)} of columns never seen: {_top(self.columns)}"
            )
        return lines


def _rows(count: int) -> str:
    return f"{count:,} row{'s' * (count != 1)}"


def _top(counts: Counter[str]) -> str:
    shown = [f"{text or '(empty)'} ({n:,})" for text, n in counts.most_common(SHOWN)]
    more = len(counts) - SHOWN
    return ", ".join(shown) + (f" and {more:,} more" if more > 0 else "")


def opened(path: str, *, taggers: bool = False) -> Model:
    """Read a model file and its schema, if it has one or one follows from what it knows.

    A tagger is refused unless it is asked for, as it answers sentences and not rows.
    """
    from rosenblatt.errors import ModelFileError
    from rosenblatt.features import schema_from_json
    from rosenblatt.model import read

    state = read(path)
    card = state.card
    schema: AnySchema | None = None
    if card.tagger is not None:
        if not taggers:
            raise ModelFileError(
                f"{path}: a {card.learner} tags sentences and cannot answer rows. Use rosenblatt "
                "tag predict or rosenblatt tag evaluate."
            )
    elif card.schema is not None:
        try:
            schema = schema_from_json(card.schema)
        except ModelFileError as error:
            raise ModelFileError(f"{path}: {error}") from None
        if schema.n_features != state.n_features:
            raise ModelFileError(
                f"{path}: a schema of {schema.n_features:,} features for weights of "
                f"{state.n_features:,}."
            )
    elif card.feature_names is not None and card.columns is None:
        schema = _plain_numbers(card.feature_names)
    return Model(path, state, schema)


def _plain_numbers(names: list[str]) -> AnySchema:
    """A model that was trained on a data frame: its columns as they are."""
    from rosenblatt.features import Schema
    from rosenblatt.features.column_kinds import Number

    return Schema([Number(name) for name in names], None, [])


@contextmanager
def _silence() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def notices(quiet: bool) -> AbstractContextManager[None]:
    """Warnings as lines on standard error, or not at all."""
    return _silence() if quiet else notices_told()
