"""Dask Arrays, DataFrames and Bags: every partition is a shard, and stays on its worker.

Dask is an optional dependency, so its collections are recognised by their attributes.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.distributed.shards import Shard
from rosenblatt.errors import InputError, ParameterError, RosenblattError
from rosenblatt.estimators.conversion import as_frame, as_table, column_names
from rosenblatt.plurals import first_few


def is_collection(X: object) -> bool:
    """Return whether X is a Dask collection."""
    return hasattr(X, "__dask_graph__")


class Partition(NamedTuple):
    """A shard that a cluster computes, and recomputes if its worker dies."""

    key: str
    name: str
    delayed: Any

    def load(self) -> Any:
        """Compute the data in this process, if there is no cluster."""
        return self.delayed.compute(scheduler="synchronous").data


def partitions(
    X: Any, y: Any, sample_weight: Any, n: int | None, schema: Any, of_sentences: bool
) -> list[Partition]:
    """Return the partitions of rows, labels and weights, or of a Bag of pairs of row and label."""
    from dask import delayed

    parts = np.ravel(_by_rows(X).to_delayed()).tolist()
    if y is None and (hasattr(X, "columns") or hasattr(X, "rechunk")):
        raise ParameterError(
            f"y is None, but X is a {_kind(X)}, which has no labels: give them as a Dask Array or "
            "Series of the same partitions."
        )
    labels = _partitions_beside(X, len(parts), "y", y)
    weights = _partitions_beside(X, len(parts), "sample_weight", sample_weight)
    if n not in (None, len(parts)):
        raise ParameterError(
            f"X has {len(parts)} partitions, but shards={n}. Repartition it before, or leave "
            "shards at None."
        )
    if schema is not None and schema.kind == "text":
        # Raises an error if the schema has not learned how rare each word is.
        schema.features.encode([])

    run = os.urandom(8).hex()
    described = None if schema is None else schema.to_json()
    columns = list(X.columns) if hasattr(X, "columns") else None
    found = []
    for k, (part, own_labels, own_weights) in enumerate(zip(parts, labels, weights, strict=True)):
        key = f"{run}/{k}"
        name = f"partition {k}"
        shard = delayed(_shard)(
            key, name, part, own_labels, own_weights, columns, described, of_sentences
        )
        found.append(Partition(key, name, shard))
    return found


def _partitions_beside(X: Any, n: int, name: str, given: Any) -> list[Any]:
    """Return the partitions of labels or weights, which must match those of X.

    Return a list of n times None if they are not given.
    """
    if given is None:
        return [None] * n
    if not is_collection(given):
        raise ParameterError(
            f"X is a {_kind(X)} of Dask, but {name} is a {type(given).__name__}, of which nobody "
            f"knows which part belongs to which partition: give {name} as a Dask Array or Series "
            "of the same partitions."
        )
    parts: list[Any] = np.ravel(given.to_delayed()).tolist()
    if len(parts) != n:
        raise ParameterError(
            f"X has {n} partitions, but {name} has {len(parts)}. Repartition one of them before."
        )
    return parts


def _kind(X: object) -> str:
    return type(X).__name__


def _by_rows(X: Any) -> Any:
    """Return an Array rechunked to whole rows; return other collections unchanged."""
    if hasattr(X, "rechunk") and X.ndim == 2:
        return X.rechunk({1: -1})
    return X


def _shard(
    key: str,
    name: str,
    part: Any,
    labels: Any,
    weights: Any,
    columns: Sequence[Hashable] | None,
    schema: dict[str, Any] | None,
    of_sentences: bool,
) -> Shard:
    """Return the examples of a partition, on a worker; an error names the partition."""
    if labels is None:
        pairs = list(part)
        part = [own for own, _ in pairs]
        labels = [label for _, label in pairs]
    if of_sentences:
        return Shard(key, name, (part, labels))
    rows = part
    try:
        if columns is not None:
            part = _aligned(part, columns)
        if len(labels):
            rows = table_of(part, schema)
    except RosenblattError as error:
        raise error.preceded(f"{name}: ") from None
    factors = None if weights is None else np.asarray(weights)
    return Shard(key, name, (rows, np.asarray(labels), factors))


def _aligned(part: Any, columns: Sequence[Hashable]) -> Any:
    """Return a partition of a frame with its columns in the order of the whole frame."""
    own = list(part.columns)
    if own == columns:
        return part
    missing = [str(name) for name in columns if name not in own]
    unknown = [str(name) for name in own if name not in columns]
    if missing or unknown or len(own) != len(columns):
        differences = []
        if missing:
            differences.append(f"lacks {first_few(missing, 6)}")
        if unknown:
            differences.append(f"has {first_few(unknown, 6)} besides")
        raise InputError(
            f"its columns are not those of X: it {' and '.join(differences) or 'has some twice'}. "
            "Give all partitions of a DataFrame the same columns, in any order."
        )
    return part[columns]


def table_of(part: Any, schema: dict[str, Any] | None) -> Any:
    """Convert the rows of a partition to numbers, by a schema (as JSON) if one is given."""
    from rosenblatt.tables.features.schemas import schema_from_json

    if schema is None:
        frame = as_frame(part)
        return as_table(frame, column_names(frame))
    found: Any = schema_from_json(schema)
    if found.kind == "text":
        return found.features.encode(list(part))
    return found.encode_records(part.to_dict("records") if hasattr(part, "to_dict") else part)


def predict(learner: Any, X: Any) -> Any:
    """Return predictions as a collection with the same partitions."""
    columns = list(X.columns) if hasattr(X, "columns") else None

    def predict_partition(part: Any) -> Any:
        if columns is not None:
            part = _aligned(part, columns)
        schema = learner._model.schema
        found = learner.predict(part if schema is None else table_of(part, schema))
        # The predictions of a frame are a series with the same index.
        if hasattr(part, "iloc"):
            series = type(part.iloc[:, 0])
            return series(found, index=part.index)
        return found

    if hasattr(X, "rechunk"):
        dtype = learner.classes_.dtype
        return _by_rows(X).map_blocks(predict_partition, drop_axis=1, dtype=dtype)
    if hasattr(X, "columns"):
        dtype = learner.classes_.dtype
        return X.map_partitions(predict_partition, meta=(None, dtype))
    # A bag needs no type, and a tagger of sentences has no classes.
    return X.map_partitions(predict_partition)
