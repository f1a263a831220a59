"""Distributed training of a learner: the public class, its checks, and the choice of shards."""

from __future__ import annotations

import os
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt import checks
from rosenblatt.distributed.dask_collections import is_collection, partitions, predict
from rosenblatt.distributed.distribution_report import DistributionReport
from rosenblatt.distributed.engines import engine_factory
from rosenblatt.distributed.mixing import MixingRun
from rosenblatt.distributed.shards import file_shards, judged_columns, slices, with_schema
from rosenblatt.errors import ParameterError
from rosenblatt.estimators.conversion import feature_names
from rosenblatt.estimators.inputs import read_rows
from rosenblatt.estimators.linear.linear_learner import LinearLearner
from rosenblatt.estimators.structured.tagger import SequenceTagger
from rosenblatt.estimators.targets import read_labels, read_weights
from rosenblatt.models.sentences import read_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rosenblatt.tables.features.schemas import AnySchema, FeatureOptions

# The number of shards for arrays and sentences in memory.
DEFAULT_SHARDS = 8
# Parameters that need one learner which sees all examples.
UNSUPPORTED_PARAMETERS = (
    "record",
    "pocket",
    "early_stopping",
    "calibrate",
    "tag_dictionary",
    "warm_start",
)


@dataclass
class Distributed:
    """A learner that is trained on shards of the data, by threads, processes or a Dask cluster.

    In each epoch every shard continues from the mixed model for one epoch, in an order that depends
    only on (seed, epoch, shard). The resulting models are averaged into the next mixed model
    (iterative parameter mixing, McDonald, Hall and Mann 2010). The result depends on the seed and
    the shards. It does not depend on the engine, the number of workers or workers that die: it is
    the same to the last byte. Mixing needs several times as many epochs as one learner that sees
    all examples, so use it for data that one machine cannot hold or read in time.

    Parameters
    ----------
    learner : linear learner or SequenceTagger
        The learner with its parameters; it is not changed.
    shards : int, default=None
        The number of shards. None means one for each file or Dask partition, and 8 for arrays and
        sentences.
    mix : {"uniform", "mistakes"}, default="uniform"
        Whether all shards have the same weight, or each is weighted by its mistakes in the epoch.
    client : Client or str, default=None
        A Dask client, or the address of a scheduler.
    engine : {"threads", "processes", "dask"}, default=None
        Threads copy nothing. Processes also read and encode text in parallel. Dask can use several
        machines, and starts a local cluster if there is no client. The default is Dask with a
        client, otherwise threads.
    n_workers : int, default=None
        The number of threads or local processes; None means one for each processor.
    checkpoint : path, default=None
        A model file that is written after every epoch. If it exists, the run resumes from it.

    Attributes
    ----------
    report_ : DistributionReport
        The report on the last training run: mistakes of each shard, and costs.

    Examples
    --------
    >>> import rosenblatt
    >>> X, y = rosenblatt.datasets.digits()
    >>> parts = rosenblatt.distribute(rosenblatt.AveragedPerceptron(), shards=4)
    >>> parts = parts.fit(X[:1500], y[:1500], validation_set=(X[1500:], y[1500:]))
    >>> parts.report_.mistakes[0], f"{parts.to_local().score(X[1500:], y[1500:]):.2f}"
    ([116, 123, 134, 118], '0.92')
    """

    learner: Any
    _: KW_ONLY
    shards: int | None = None
    mix: str = "uniform"
    client: Any = None
    engine: str | None = None
    n_workers: int | None = None
    checkpoint: Any = None

    def __post_init__(self) -> None:
        learner = self.learner
        self._of_sentences = isinstance(learner, SequenceTagger)
        is_linear = isinstance(learner, LinearLearner) and not learner.keeps_rows
        if not (is_linear or self._of_sentences):
            raise ParameterError(
                f"{type(learner).__name__} has no weight vectors that could be mixed: distribute a "
                "linear learner that keeps no rows, or a SequenceTagger."
            )
        learner.check_parameters()
        if is_linear and learner.rule().scales:
            raise ParameterError(
                f"{type(learner).__name__} takes shorter steps the more it has learned, and each "
                "shard would count for itself. Train on all rows, or merge models of whole runs "
                "(distributed.merge)."
            )
        for name in UNSUPPORTED_PARAMETERS:
            if getattr(learner, name, None):
                raise ParameterError(
                    f"{name}={getattr(learner, name)!r} is for a learner that sees all examples. "
                    "Leave it out; to stop in time give a validation_set."
                )
        checks.whole("shards", self.shards, at_least=1, none="one for each file or partition")
        checks.choice("mix", self.mix, "uniform", "mistakes")
        self._new_engine = engine_factory(self.engine, self.client, self.n_workers)

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        validation_set: Any = None,
        schema: AnySchema | None = None,
    ) -> Self:
        """Train on rows and labels, or sentences and tags, cut into shards in their order.

        Parameters
        ----------
        X : array-like, sparse matrix or list of sentences; Dask Array, DataFrame or Bag
            Dask partitions stay on their workers. A Bag holds pairs of example and label. The
            columns of a DataFrame are matched by name in every partition.
        y : array-like or list of tags; Dask Array or Series, default=None
            The labels. For a Dask collection, they must have the same partitions.
        sample_weight : array-like of shape (n_samples,); Dask Array or Series, default=None
            A factor for the step of each row; not for taggers.
        validation_set : tuple (X_dev, y_dev), default=None
            Examples for early stopping: training stops when the score on them no longer improves,
            and the model of the best epoch is kept.
        schema : Schema or TextSchema, default=None
            The encoding of the rows of a DataFrame, or of the texts of a Bag, as features.
        """
        learner = type(self.learner)(**self.learner.get_params())
        if self._of_sentences and sample_weight is not None:
            raise ParameterError(
                "sample_weight is for rows: a SequenceTagger learns from every sentence alike. "
                "Leave it out."
            )
        if is_collection(X):
            is_frame = hasattr(X, "columns") and schema is None
            names = feature_names(list(X.columns)) if is_frame else None
            parts = partitions(X, y, sample_weight, self.shards, schema, self._of_sentences)
            self._train(learner, parts, validation_set)
            if schema is not None:
                learner.schema_ = schema
            elif names is not None:
                learner.feature_names_in_ = names
            return self
        if self._of_sentences:
            data: Any = read_pairs(X, y)
        else:
            table, rows = read_rows(learner, X, reset=True, all_rows=True)
            labels = read_labels(y, rows.n_rows)
            weights = read_weights(sample_weight, None, [], np.zeros(len(labels), np.int32))
            data = (table, labels, weights)
        n = min(self.shards or DEFAULT_SHARDS, len(data[1]))
        return self._train(learner, slices(data, n), validation_set)

    def fit_files(
        self,
        paths: Any,
        *,
        format: str | None = None,
        schema: AnySchema | None = None,
        features: FeatureOptions | None = None,
        validation_set: Any = None,
        **options: Any,
    ) -> Self:
        """Train on files, given by paths, patterns or addresses that fsspec supports.

        Parameters
        ----------
        paths : path, pattern such as "part-*.svm.gz", or list of these
            The files.
        format : str, default=None
            The format of the files; by default it is detected from the file name.
        schema : Schema, default=None
            The encoding of rows as features; by default it is guessed from the first shard.
        features : FeatureOptions, default=None
            Settings for a guessed schema.
        validation_set : path or tuple (X_dev, y_dev), default=None
            The same as in `fit`; a path is read like the other files.
        **options
            Further arguments of the reader, such as ``target`` for a table.
        """
        from rosenblatt.tables.features.schemas import SparseSchema

        learner = type(self.learner)(**self.learner.get_params())
        known = {"of_sentences": self._of_sentences, "options": options}
        shards = file_shards(paths, self.shards, format, schema, **known)
        shards, schema = with_schema(shards, schema, features)
        if isinstance(validation_set, str | os.PathLike):
            dev = replace(shards[0], paths=(os.fspath(validation_set),), span=None, part=(0, 1))
            X_dev, y_dev, *more = dev.load()
            # Rows of a table come with weights and with counts of its columns.
            if len(more) > 1:
                judged_columns([(dev.name, more[1])], shards[0].name)
            validation_set = (X_dev, y_dev)
        self._train(learner, shards, validation_set)
        learner.schema_ = schema or SparseSchema("svmlight", learner.n_features_in_)
        return self

    def _train(
        self, learner: LinearLearner | SequenceTagger, shards: Sequence[Any], validation_set: Any
    ) -> Self:
        """Train a learner on these shards; it becomes the result of `to_local`."""
        workers = self._new_engine()
        try:
            run = MixingRun(learner, workers, shards, self.mix, validation_set, self.checkpoint)
            result = run.train()
        finally:
            workers.close(shards)
        self._local = learner
        self.report_: DistributionReport = run.report
        learner._warn_of_mistakes(result, stacklevel=4)
        learner._warn_of_majority(stacklevel=4)
        return self

    def to_local(self) -> Any:
        """Return the trained learner, an ordinary one that can predict, explain and learn."""
        if "_local" not in self.__dict__:
            self.learner._refuse_unfitted()
        return self._local

    def predict(self, X: Any) -> Any:
        """Return ``to_local().predict(X)``; for a Dask collection, one with the same partitions."""
        local = self.to_local()
        return predict(local, X) if is_collection(X) else local.predict(X)


distribute = Distributed
