"""Dask Arrays, DataFrames and Bags: every partition is a shard, and is predicted where it lies."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.distributed.shards import Shard
from rosenblatt.errors import ParameterError
from rosenblatt.learner.conversion import as_frame, as_table, column_names


def is_collection(X: Any) -> bool:
    return hasattr(X, "__dask_graph__")


class Partition(NamedTuple):
    """A shard that a cluster computes, and again if the worker that had it dies."""

    key: str
    name: str
    delayed: Any

    def load(self) -> Any:
        """The data, where there is no cluster that holds them."""
        return self.delayed.compute(scheduler="synchronous").data


def partitions(X: Any, y: Any, n: int | None, schema: Any, of_sentences: bool) -> list[Partition]:
    """The partitions of rows and labels, or of a Bag of pairs."""
    from dask import delayed

    parts = np.ravel(_by_rows(X).to_delayed()).tolist()
    labels = [None] * len(parts) if y is None else np.ravel(y.to_delayed()).tolist()
    if len(parts) != len(labels) or n not in (None, len(parts)):
        wanted = f"{len(labels)} of the labels" if len(parts) != len(labels) else f"shards={n}"
        raise ParameterError(
            f"X has {len(parts)} partitions, but {wanted}. Repartition it before, or leave shards "
            "at None."
        )
    if schema is not None and schema.kind == "text":
        schema.features.encode([])  # refused where nothing says how rare a word is
    run, described = os.urandom(8).hex(), None if schema is None else schema.to_json()
    found = []
    for k, pair in enumerate(zip(parts, labels, strict=True)):
        named = f"{run}/{k}", f"partition {k}"
        found.append(Partition(*named, delayed(_shard)(*named, *pair, described, of_sentences)))
    return found


def _by_rows(X: Any) -> Any:
    """An Array whose chunks hold whole rows; anything else as it is."""
    return X.rechunk({1: -1}) if getattr(X, "ndim", 1) == 2 and hasattr(X, "rechunk") else X


def _shard(key: str, name: str, part: Any, labels: Any, schema: Any, of_sentences: bool) -> Shard:
    if labels is None:
        pairs = list(part)
        part, labels = [own for own, _ in pairs], [label for _, label in pairs]
    rows = part if of_sentences or not len(labels) else table_of(part, schema)
    return Shard(key, name, (rows, labels if of_sentences else np.asarray(labels)))


def table_of(part: Any, schema: Any) -> Any:
    """Rows of numbers of a partition, by a schema (as JSON) if there is one."""
    from rosenblatt.features import schema_from_json

    if schema is None:
        frame = as_frame(part)
        return as_table(frame, column_names(frame))
    found: Any = schema_from_json(schema)
    if found.kind == "text":
        return found.features.encode(list(part))
    return found.encode_records(part.to_dict("records") if hasattr(part, "to_dict") else part)


def predict(learner: Any, X: Any) -> Any:
    """Predictions as a collection of the same partitions."""

    def labels(part: Any) -> Any:
        schema = learner._model.notes.get("schema")
        found = learner.predict(part if schema is None else table_of(part, schema))
        return type(part.iloc[:, 0])(found, index=part.index) if hasattr(part, "iloc") else found

    if hasattr(X, "rechunk"):
        return _by_rows(X).map_blocks(labels, drop_axis=1, dtype=learner.classes_.dtype)
    kind = {"meta": (None, learner.classes_.dtype)} if hasattr(X, "columns") else {}
    return X.map_partitions(labels, **kind)
