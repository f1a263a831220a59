"""Tasks that a worker runs on a shard: summarize it, learn one epoch from it, count its errors.

Each task is a pure function of a learner, a shard and a seed, and changes none of them. It can be
repeated on any worker with the same result.
"""

from __future__ import annotations

import math
from collections import Counter
from copy import copy
from itertools import chain
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt.arrays import SparseRows
from rosenblatt.distributed.merging import Part, changed_part, row_tables, tag_weights
from rosenblatt.distributed.shards import FileShard, Shard, Tallies
from rosenblatt.errors import InputError, RosenblattError
from rosenblatt.estimators.inputs import FitArguments, TrainingData
from rosenblatt.estimators.structured.tagger import SequenceTagger
from rosenblatt.estimators.targets import encode_labels, read_labels, read_weights
from rosenblatt.models import epochs
from rosenblatt.models.data_units import DataUnits
from rosenblatt.models.rows import as_rows, inspect
from rosenblatt.models.sentences import Encoder, read_pairs
from rosenblatt.models.tags import TagTrainer

if TYPE_CHECKING:
    from rosenblatt.arrays import Table
    from rosenblatt.distributed.merging import Tables
    from rosenblatt.estimators.linear.linear_learner import LinearLearner

    AnyLearner = LinearLearner | SequenceTagger

AnyShard = Shard | FileShard


class Summary(NamedTuple):
    """Facts about a shard that are needed before learning; ``longest`` is a squared length."""

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
    """The outcome of one epoch on a shard.

    The sums of the steps and the length of the weights are needed for a bound on the margin.
    """

    mistakes: int
    updates: int
    step_sum: float
    raised_sum: float
    length: float
    reading: float
    learning: float


class RowExamples:
    """The rows and labels of a shard, validated for a trainer."""

    def __init__(
        self, table: Any, y: Any, weights: Any = None, tallies: Tallies | None = None
    ) -> None:
        self.table = table
        self.weights = None
        self.n_examples = len(y)
        self.tallies = tallies
        if self.n_examples:
            self.classes, self.numbers = encode_labels(read_labels(y, table.shape[0]))
            # All rows of one shard may have weight 0, but not the rows of all shards.
            self.weights = read_weights(weights, None, [], self.numbers, may_be_zero=True)
            self._set_table(table)

    def _set_table(self, table: Table) -> None:
        self.table = table
        self.rows = as_rows(table)
        inspect(self.rows)

    def summary(self) -> Summary:
        """Return the facts about these rows that are needed before learning."""
        counts = np.bincount(self.numbers).tolist()
        return Summary(
            n_examples=self.n_examples,
            labels=dict(zip(self.classes.tolist(), counts, strict=True)),
            n_features=self.table.shape[1],
            dtype=self.rows.dtype.name,
            longest=float(self.rows.largest_squared_norm),
            units=DataUnits.of(self.rows, False),
            weighted=self.weights is not None,
            weighs_nothing=self.weights is not None and not self.weights.any(),
            is_dense=not isinstance(self.table, SparseRows),
            tallies=self.tallies,
        )

    def _data(self, learner: LinearLearner) -> TrainingData:
        """Return the rows with the features and class indices of the learner."""
        # Other shards may have more features.
        if self.table.shape[1] < learner.n_features_in_:
            self._set_table(self.table.widen(learner.n_features_in_))
        slots = learner._model.slots
        numbers = np.array([slots[label] for label in self.classes.tolist()], np.int32)
        return TrainingData(self.table, self.rows, numbers[self.numbers])

    def trainer(self, learner: LinearLearner) -> epochs.Trainer:
        """Return a trainer that changes the model of this learner."""
        given = FitArguments(sample_weight=self.weights, is_shard=True)
        trainer: epochs.Trainer = learner._trainer(learner._model, self._data(learner), given)
        return trainer

    def errors(self, learner: LinearLearner) -> int:
        """Return how many rows the learner misclassifies."""
        data = self._data(learner)
        return int(learner._misclassified(learner._model, data.table, data.labels))


class SentenceExamples:
    """The sentences of a shard, encoded as features of their tokens, with tags.

    Features are numbered in the order of this shard, and its learner has only their weights.
    """

    def __init__(self, learner: SequenceTagger, sentences: Any, tags: Any) -> None:
        self.n_examples = len(tags)
        if self.n_examples:
            listed, self.tags = read_pairs(sentences, tags)
            self.encoder = Encoder.for_tokens(listed, learner.templates, learner.columns)
            self.encoded = self.encoder.encode(listed, learning=True)

    def summary(self) -> Summary:
        """Return the facts about these sentences that are needed before learning."""
        labels = dict(Counter(chain.from_iterable(self.tags)))
        return Summary(self.n_examples, labels, encoder=self.encoder)

    def trainer(self, learner: SequenceTagger) -> TagTrainer:
        """Return a trainer that changes the model of this learner."""
        learner._model.encoder = self.encoder
        trainer: TagTrainer = learner._trainer(learner._model, self.encoded, self.tags)
        return trainer

    def errors(self, learner: SequenceTagger) -> int:
        """Return how many sentences the learner tags wrong."""
        return self.trainer(learner).errors(averaged=False)


# Cache of the shards that this process has read, by key; a run removes its own when it ends.
_loaded: dict[str, RowExamples | SentenceExamples] = {}


def loaded(shard: AnyShard, learner: AnyLearner) -> RowExamples | SentenceExamples:
    """Return the examples of a shard, from the cache if possible; errors name the shard."""
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
            has_name = error.where is not None or str(error).startswith(f"{shard.name}: ")
            if has_name:
                raise
            raise error.preceded(f"{shard.name}: ") from None
    return found


def forget(keys: set[str]) -> None:
    """Remove the examples of a run that has ended from the cache."""
    for key in keys:
        _loaded.pop(key, None)


def summarize(learner: AnyLearner, shard: AnyShard) -> Summary:
    """Return the facts about a shard that are needed before learning."""
    start = perf_counter()
    examples = loaded(shard, learner)
    summary = examples.summary() if examples.n_examples else Summary(0, {})
    return summary._replace(seconds=perf_counter() - start)


def learn(learner: AnyLearner, shard: AnyShard, start: Any, seed: int) -> tuple[Part, Counts]:
    """Learn one epoch from a shard; return the new weights and the counts of the epoch.

    ``start`` holds the initial weights of a tagger, as in `own_learner`.
    """
    started = perf_counter()
    examples = loaded(shard, learner)
    loaded_at = perf_counter()

    own = own_learner(learner, start)
    trainer = examples.trainer(own)
    result = epochs.run(trainer, max_iter=1, shuffle=bool(own.shuffle), random=seed)
    mistakes = result.mistakes_per_epoch[0]
    model = own._model
    if isinstance(examples, RowExamples):
        length = math.sqrt(model.weights.squared_distance())
        tables = row_tables(model.weights)
        part = Part(model.t, mistakes, tables, by_feature=model.weights.by_feature)
    else:
        length = 0.0
        part = changed_part(model, start)

    step_sum, raised_sum = trainer.step_sums()
    counts = Counts(
        mistakes=mistakes,
        updates=result.n_updates,
        step_sum=step_sum,
        raised_sum=raised_sum,
        length=length,
        reading=loaded_at - started,
        learning=perf_counter() - loaded_at,
    )
    return part, counts


def own_learner(learner: AnyLearner, start: Tables | None) -> Any:
    """Return a copy that can learn; ``start`` holds the weights of a tagger, otherwise None."""
    own = copy(learner)
    own._model = learner._model.copy()
    if start is not None:
        copies = {name: table.copy() for name, table in start.items()}
        own._model.weights = tag_weights(own._model, copies)
    return own


def is_right(learner: AnyLearner, shard: AnyShard, start: Tables | None) -> bool:
    """Return whether all rows of a shard with a weight above 0 are classified correctly."""
    trainer = loaded(shard, learner).trainer(own_learner(learner, start))
    return trainer.is_right(changed=True)


def count_errors(learner: AnyLearner, shard: AnyShard, start: Tables | None) -> int:
    """Return how many examples of a shard the learner misclassifies."""
    return loaded(shard, learner).errors(own_learner(learner, start))
