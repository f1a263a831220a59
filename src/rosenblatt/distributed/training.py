"""Learners that are trained over shards, by whoever works on them."""

from __future__ import annotations

import os
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

import numpy as np

from rosenblatt import checks
from rosenblatt.distributed.dask_collections import is_collection, partitions, predict
from rosenblatt.distributed.distribution_report import DistributionReport
from rosenblatt.distributed.engines import engine_factory
from rosenblatt.distributed.mixing import MixingRun
from rosenblatt.distributed.shards import file_shards, judged_columns, slices, with_schema
from rosenblatt.errors import ParameterError
from rosenblatt.learner.conversion import feature_names
from rosenblatt.learner.inputs import read_rows
from rosenblatt.learner.targets import read_labels, read_weights
from rosenblatt.structured.sentences import read_pairs
from rosenblatt.structured.tagger import SequenceTagger

SHARDS_AT_HAND = 8
REFUSED = ("record", "pocket", "early_stopping", "calibrate", "tag_dictionary", "warm_start")


@dataclass
class Distributed:
    """The same learner over shards of the data, by threads, processes or a Dask cluster.

    In each epoch every shard learns on from the mixed model, one epoch long and in an order that
    only (seed, epoch, shard) decides; the models that come out are mixed into the next one
    (iterative parameter mixing, McDonald, Hall and Mann 2010). The outcome is the same to the last
    byte whoever works on it, however many they are and whatever dies on the way; it depends on the
    seed and on the shards. Mixing needs several times as many epochs as one learner that sees all
    examples, so it is for data that one machine cannot hold or read in time.

    Parameters
    ----------
    learner : linear learner or SequenceTagger
        With its parameters; it is not changed.
    shards : int, default=None
        How many pieces the data are cut into. None: one for each file or Dask partition, 8 for
        arrays and sentences.
    mix : {"uniform", "mistakes"}, default="uniform"
        Whether all shards count the same, or each by its mistakes in the epoch.
    client : Client or str, default=None
        A Dask client, or the address of a scheduler.
    engine : {"threads", "processes", "dask"}, default=None
        Who works. Threads copy nothing; processes also read and featurise text side by side; Dask
        goes beyond one machine, and starts a local cluster if there is no client. By default
        threads, and Dask with a client.
    n_workers : int, default=None
        How many threads or local processes; None: one for each processor.
    checkpoint : path, default=None
        A model file that is written after every epoch; where it is there, the run goes on from it.

    Attributes
    ----------
    report_ : DistributionReport
        What the last training did, shard by shard, and what distribution cost.

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
        learner, self._of_sentences = self.learner, isinstance(self.learner, SequenceTagger)
        linear = hasattr(learner, "grow") and not getattr(learner, "keeps_rows", False)
        if not (linear or self._of_sentences):
            raise ParameterError(
                f"{type(learner).__name__} has no weight vectors that could be mixed: distribute a "
                "linear learner that keeps no rows, or a SequenceTagger."
            )
        learner.check_parameters()
        if linear and learner.rule().scales:
            raise ParameterError(
                f"{type(learner).__name__} takes shorter steps the more it has learned, and each "
                "shard would count for itself. Train on all rows, or merge models of whole runs "
                "(distributed.merge)."
            )
        for name in REFUSED:
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
        schema: Any = None,
    ) -> Self:
        """Train on rows and labels, or sentences and tags, cut into shards in their order.

        Parameters
        ----------
        X : array-like, sparse matrix or list of sentences; Dask Array, DataFrame or Bag
            The partitions of Dask stay where they are; a Bag holds pairs of example and label.
            Columns of a DataFrame are found by name in every partition.
        y : array-like or list of tags; Dask Array or Series, default=None
            Beside a Dask collection it has the same partitions.
        sample_weight : array-like of shape (n_samples,); Dask Array or Series, default=None
            A factor for the step of each row; a tagger takes none.
        validation_set : tuple (X_dev, y_dev), default=None
            Examples to watch: training ends when they are no longer predicted better, and the
            model of the best epoch is kept.
        schema : Schema or TextSchema, default=None
            How the rows of a DataFrame, or the texts of a Bag, become features.
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
            data = table, labels, weights
        n = min(self.shards or SHARDS_AT_HAND, len(data[1]))
        return self._train(learner, slices(data, n), validation_set)

    def fit_files(
        self,
        paths: Any,
        *,
        format: str | None = None,
        schema: Any = None,
        features: Any = None,
        validation_set: Any = None,
        **options: Any,
    ) -> Self:
        """Train on files: paths, patterns, addresses that fsspec knows, in any format.

        Parameters
        ----------
        paths : path, pattern as "part-*.svm.gz", or list of these
        format : str, default=None
            By default the ending of the name tells.
        schema : Schema, default=None
            How rows become features; by default it is guessed by those of the first shard.
        features : FeatureOptions, default=None
            What of the schema is not to be guessed.
        validation_set : path or tuple (X_dev, y_dev), default=None
            As in `fit`; a path is read as the others are.
        **options
            Further arguments of the reader, such as ``target`` for a table.
        """
        from rosenblatt.features import SparseSchema

        learner = type(self.learner)(**self.learner.get_params())
        known = {"of_sentences": self._of_sentences, "options": options}
        shards = file_shards(paths, self.shards, format, schema, **known)
        shards, schema = with_schema(shards, schema, features)
        if isinstance(validation_set, str | os.PathLike):
            dev = replace(shards[0], paths=(os.fspath(validation_set),), span=None, part=(0, 1))
            X_dev, y_dev, *more = dev.load()
            if len(more) > 1:
                judged_columns([(dev.name, more[1])], shards[0].name)
            validation_set = X_dev, y_dev
        self._train(learner, shards, validation_set)
        learner.schema_ = schema or SparseSchema("svmlight", learner.n_features_in_)
        return self

    def _train(self, learner: Any, shards: Any, validation_set: Any) -> Self:
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
        """The learner that came out, an ordinary one: it predicts, explains, learns on."""
        if "_local" not in self.__dict__:
            self.learner._refuse_unfitted()
        return self._local

    def predict(self, X: Any) -> Any:
        """As ``to_local().predict(X)``; of a Dask collection, one with the same partitions."""
        local = self.to_local()
        return predict(local, X) if is_collection(X) else local.predict(X)


distribute = Distributed
