"""What a worker does with a shard: read it once, learn from it, count its errors.

Each task is a pure function of a learner, a shard and a seed, none of which it changes: whoever
runs it again, wherever, gets the same.
"""

from __future__ import annotations

import math
from collections import Counter
from copy import copy
from itertools import chain
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.core import epochs
from rosenblatt.core.rows import as_rows, inspect
from rosenblatt.distributed.merging import Part, changed_part, row_tables, tag_weights
from rosenblatt.distributed.shards import FileShard, Shard, Tallies
from rosenblatt.errors import InputError, RosenblattError
from rosenblatt.learner.inputs import TrainingData
from rosenblatt.learner.targets import encode_labels, read_labels, read_weights
from rosenblatt.linear.data_units import DataUnits
from rosenblatt.structured.sentences import Encoder, read_pairs
from rosenblatt.structured.tagger import SequenceTagger
from rosenblatt.structured.tagging import TagTrainer

AnyShard = Shard | FileShard


class Summary(NamedTuple):
    """What is to be known of a shard before learning; ``longest`` is a squared length."""

    n_examples: int
    labels: dict[Any, int]
    n_features: int = 0
    dtype: str = "float64"
    longest: float = 0.0
    units: DataUnits | None = None
    encoder: Any = None
    weighted: bool = False
    weighs_nothing: bool = False
    is_dense: bool = False
    tallies: Tallies | None = None
    seconds: float = 0.0


class Counts(NamedTuple):
    """What an epoch on a shard came to; a bound on the margin needs steps and the last length."""

    mistakes: int
    updates: int
    step_sum: float
    raised_sum: float
    length: float
    reading: float
    learning: float


class RowExamples:
    """Rows with labels, ready for a trainer."""

    def __init__(
        self, table: Any, y: Any, weights: Any = None, tallies: Tallies | None = None
    ) -> None:
        self.table, self.weights, self.n_examples = table, None, len(y)
        self.tallies = tallies
        if self.n_examples:
            self.classes, self.numbers = encode_labels(read_labels(y, table.shape[0]))
            # Of a shard all rows may weigh nothing, but not of all shards.
            self.weights = read_weights(weights, None, [], self.numbers, may_be_zero=True)
            self._set(table)

    def _set(self, table: Any) -> None:
        self.table, self.rows = table, as_rows(table)
        inspect(self.rows)

    def summary(self) -> Summary:
        counts = np.bincount(self.numbers).tolist()
        labels = dict(zip(self.classes.tolist(), counts, strict=True))
        longest, kind = float(self.rows.largest_squared_norm), self.rows.dtype.name
        units = DataUnits.of(self.rows, False)
        own = self.n_examples, labels, self.table.shape[1], kind, longest, units
        return Summary(
            *own,
            weighted=self.weights is not None,
            weighs_nothing=self.weights is not None and not self.weights.any(),
            is_dense=not hasattr(self.table, "widen"),
            tallies=self.tallies,
        )

    def _data(self, learner: Any) -> TrainingData:
        if self.table.shape[1] < learner.n_features_in_:  # of which other shards have more
            self._set(self.table.widen(learner.n_features_in_))
        slots = learner._model.slots
        numbers = np.array([slots[label] for label in self.classes.tolist()], np.int32)
        return TrainingData(self.table, self.rows, numbers[self.numbers])

    def trainer(self, learner: Any) -> epochs.Trainer:
        start: dict[str, Any] = {
            "coef_init": None,
            "intercept_init": None,
            "sample_weight": self.weights,
            "is_shard": True,
        }
        trainer: epochs.Trainer = learner._trainer(learner._model, self._data(learner), **start)
        return trainer

    def errors(self, learner: Any) -> int:
        data = self._data(learner)
        return int(learner._misclassified(learner._model, data.table, data.labels))


class SentenceExamples:
    """Sentences as the features of their tokens, numbered as this shard meets them, with tags.

    Their learner has weights of these features alone.
    """

    def __init__(self, learner: SequenceTagger, sentences: Any, tags: Any) -> None:
        self.n_examples = len(tags)
        if self.n_examples:
            listed, self.tags = read_pairs(sentences, tags)
            self.encoder = Encoder.for_tokens(listed, learner.templates, learner.columns)
            self.encoded = self.encoder.encode(listed, learning=True)

    def summary(self) -> Summary:
        labels = dict(Counter(chain.from_iterable(self.tags)))
        return Summary(self.n_examples, labels, encoder=self.encoder)

    def trainer(self, learner: Any) -> TagTrainer:
        learner._model.encoder = self.encoder
        trainer: TagTrainer = learner._trainer(learner._model, self.encoded, self.tags)
        return trainer

    def errors(self, learner: Any) -> int:
        return self.trainer(learner).errors(averaged=False)


# Of every shard that this process has read, until its run ends.
_loaded: dict[str, RowExamples | SentenceExamples] = {}


def loaded(shard: AnyShard, learner: Any) -> RowExamples | SentenceExamples:
    """The examples of a shard, read now or before; errors name the shard."""
    found = _loaded.get(shard.key)
    if found is None:
        try:
            if isinstance(learner, SequenceTagger):
                found = SentenceExamples(learner, *shard.load())
            else:
                found = RowExamples(*shard.load())
            _loaded[shard.key] = found
        except OSError as error:
            raise InputError(f"{shard.name} cannot be read: {error}") from None
        except RosenblattError as error:
            named = error.where is not None or str(error).startswith(f"{shard.name}: ")
            raise (error if named else error.preceded(f"{shard.name}: ")) from None
    return found


def forget(keys: set[str]) -> None:
    """Free the examples of a run that has ended."""
    for key in keys:
        _loaded.pop(key, None)


def summarize(learner: Any, shard: AnyShard) -> Summary:
    start, examples = perf_counter(), loaded(shard, learner)
    summary = examples.summary() if examples.n_examples else Summary(0, {})
    return summary._replace(seconds=perf_counter() - start)


def learn(learner: Any, shard: AnyShard, start: Any, seed: int) -> tuple[Part, Counts]:
    """One epoch over a shard, from this state on; what was learned, and what it took."""
    began, examples = perf_counter(), loaded(shard, learner)
    read, own = perf_counter(), own_learner(learner, start)
    trainer = examples.trainer(own)
    result = epochs.run(trainer, max_iter=1, shuffle=bool(own.shuffle), random=seed)
    mistakes, model, length = result.mistakes_per_epoch[0], own._model, 0.0
    if isinstance(examples, RowExamples):
        length, tables = math.sqrt(model.weights.squared_distance()), row_tables(model.weights)
        part = Part(model.t, mistakes, tables, by_feature=model.weights.by_feature)
    else:
        part = changed_part(model, start)
    spent = read - began, perf_counter() - read
    return part, Counts(mistakes, result.n_updates, *trainer.step_sums(), length, *spent)


def own_learner(learner: Any, start: Any) -> Any:
    """A twin that learns for itself; ``start`` are the tables of a tagger whose model has none."""
    own = copy(learner)
    own._model = learner._model.copy()
    if start is not None:
        copies = {name: table.copy() for name, table in start.items()}
        own._model.weights = tag_weights(own._model, copies)
    return own


def is_right(learner: Any, shard: AnyShard, start: Any) -> bool:
    """Whether all rows of a shard that are learned from are right."""
    trainer = loaded(shard, learner).trainer(own_learner(learner, start))
    return trainer.is_right(changed=True)


def count_errors(learner: Any, shard: AnyShard, start: Any) -> int:
    """How many examples are misclassified by what predicts."""
    return loaded(shard, learner).errors(own_learner(learner, start))
