"""Validation of the rows that callers pass to a learner, and conversion for the compiled core.

Whether scikit-learn is installed does not matter here. Where its checks of estimators ask for
certain words, the messages have them.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError
from rosenblatt.estimators.conversion import (
    as_frame,
    as_table,
    column_names,
    feature_names,
    unmasked,
)
from rosenblatt.estimators.mapping_rows import (
    columns_by_name,
    is_records,
    read_schema,
    records_table,
)
from rosenblatt.models.rows import Rows, as_rows, inspect, refuse_tiny
from rosenblatt.tables.readers.fault_messages import notice

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyArray, Table
    from rosenblatt.estimators.base import Estimator
    from rosenblatt.models.result import Validation
    from rosenblatt.tables.features.schemas import AnySchema

# The names of the features, or None if they have no names.
Names = npt.NDArray[Any] | None
MAX_NAMES = 5


@dataclass(eq=False, repr=False)
class Batch:
    """Batch of labelled rows for online learning: each row is learned from once.

    ``names[numbers[i]]`` is the label of row i; ``declared`` are classes that are known
    beforehand, ``weights`` the weights of the rows.
    """

    table: Any
    rows: Rows
    names: list[Hashable]
    numbers: npt.NDArray[np.int32]
    declared: list[Hashable]
    weights: npt.NDArray[np.float64] | None = None


@dataclass(eq=False, repr=False)
class TrainingData:
    """Training data: rows with class indices, and the subset to learn from (None: all rows).

    ``validation`` computes the score on the ``held_out`` rows and labels, ``weights`` are the
    weights of the rows. The ``checksum`` shows whether the table was changed after training.
    """

    table: Table
    rows: Rows
    labels: npt.NDArray[np.int32]
    subset: npt.NDArray[np.int64] | None = None
    validation: Validation | None = None
    held_out: tuple[Any, npt.NDArray[Any]] | None = None
    weights: npt.NDArray[np.float64] | None = None
    checksum: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class FitArguments:
    """Further arguments of ``fit``, as the caller gave them.

    ``is_shard``: other rows, in other shards, may have weights above 0 if these have none.
    """

    coef_init: Any = None
    intercept_init: Any = None
    sample_weight: Any = None
    is_shard: bool = False


def read_table(
    learner: Estimator, X: Any, *, reset: bool, ignore_unseen: bool = False, once: bool = False
) -> Table:
    """Return ``X`` as a C-contiguous array or sparse rows, float32 or float64.

    ``reset``: these rows set the number and the names of the features; otherwise they must agree
    with those that did. ``ignore_unseen``: features of mappings that were never learned from count
    as 0. ``once``: the rows are learned from once, as those of a stream. The values are not looked
    at; `rosenblatt.models.rows.inspect` does that.
    """
    return _table_and_names(learner, X, reset, ignore_unseen, once)[0]


def read_rows(
    learner: Estimator, X: Any, *, reset: bool, all_rows: bool = False
) -> tuple[Table, Rows]:
    """Validate shape, type and finiteness of ``X``; return it as a table and as `Rows`.

    ``all_rows``: no other rows will be learned from, so an error is raised if all are too small.
    """
    table, names = _table_and_names(learner, X, reset, ignore_unseen=False, once=not all_rows)
    rows = as_rows(table)
    inspect(rows, names=lambda: names if reset else getattr(learner, "feature_names_in_", None))
    has_bias = getattr(learner, "fit_intercept", False)
    if all_rows and not has_bias:  # with a bias each row has a 1 at its end, which is not small
        refuse_tiny(table, rows, float(np.finfo(rows.dtype).tiny) ** 0.5)
    return table, rows


def _table_and_names(
    learner: Estimator, X: Any, reset: bool, ignore_unseen: bool, once: bool
) -> tuple[Table, Names]:
    """Return ``X`` as a table, and the names of its columns or None.

    With ``reset`` the learner takes over the number and names of the features; otherwise they must
    match.
    """
    names: Names
    grows = False
    if is_records(X):
        # New features may come in streams of mappings.
        grows = not reset and once and getattr(learner, "takes_new_features", False)
        unseen = "added" if reset or grows else "refused"
        if ignore_unseen:
            unseen = "ignored"
        table, names = _of_records(learner, X, reset, unseen, once)
    else:
        columns = None
        if type(X) is not np.ndarray:
            X = as_frame(X)
            columns = column_names(X)
        names = feature_names(columns)
        if not reset:
            _check_names(learner, names)
        table = as_table(X, columns)

    if 0 in table.shape:
        what = "feature(s)" if table.shape[0] else "sample(s)"
        raise InputError(f"X has 0 {what} (shape={table.shape}) while a minimum of 1 is required.")
    if reset or (grows and names is not None):
        _set_features(learner, table.shape[1], names)
        return table, names
    check_count(learner, table.shape[1])
    scaling = getattr(learner, "_scaling", None)
    if scaling is not None:
        table = scaling(table)
    return table, names


def _of_records(
    learner: Any, records: Sequence[Mapping[Any, Any]], reset: bool, unseen: str, once: bool
) -> tuple[Table, Names]:
    """Convert records to a table: by feature name if all values are numbers, otherwise by a schema.

    With ``reset`` the schema is guessed from these records; otherwise it is that of the learner.
    """
    from rosenblatt.tables.features.records import all_numbers
    from rosenblatt.tables.features.schema import Schema

    schema: AnySchema | None
    if reset:
        scale = "running" if once else "robust"
        schema = None if all_numbers(records) else Schema.guess_records(records, scale=scale)
        if getattr(learner, "keeps_schema", False):
            # What the rows of a validation set are encoded by, before there is a model to ask.
            learner._guessed_schema = schema
        elif schema is not None:
            raise InputError(
                f"X holds texts, but {type(learner).__name__} takes numbers only. Make numbers "
                "of them first (rosenblatt.features.Schema)."
            )
    elif "_guessed_schema" in learner.__dict__:
        schema = learner._guessed_schema
    else:
        schema = _schema_of(learner)

    if isinstance(schema, Schema) and once and schema.is_running:
        # Its running means change; it is kept once the rows are learned.
        schema = schema.twin()
        learner._guessed_schema = schema
        return schema.encode_records(records, learning=True), None
    if isinstance(schema, Schema):
        return schema.encode_records(records), None
    known = None if reset else columns_by_name(learner)
    return records_table(records, known, unseen=unseen)


def _schema_of(learner: Any) -> AnySchema | None:
    """Return the schema of a fitted learner, or None; callers must not change it."""
    if getattr(learner, "keeps_schema", False):
        return read_schema(learner)  # ``schema_`` is a copy
    return getattr(learner, "schema_", None)


def _set_features(learner: Any, n_features: int, names: Names) -> None:
    """Set the number and the names of the features of a learner."""
    learner.n_features_in_ = n_features
    if names is not None:
        learner.feature_names_in_ = names
    elif hasattr(learner, "feature_names_in_"):
        del learner.feature_names_in_


def check_count(learner: Estimator, n_features: int) -> None:
    """Raise InputError if the number of features differs from training."""
    expected = getattr(learner, "n_features_in_", n_features)
    if n_features != expected:
        raise InputError(
            f"X has {n_features} features, but {type(learner).__name__} is expecting {expected} "
            "features as input."
        )


def _check_names(learner: Estimator, names: Names) -> None:
    """Raise InputError if the feature names or their order differ from training.

    Warn if only the rows, or only those of training, have names.
    """
    fitted: Names = getattr(learner, "feature_names_in_", None)
    if names is None and fitted is None:
        return
    kind = type(learner).__name__
    if fitted is None:
        notice(UserWarning, f"X has feature names, but {kind} was fitted without feature names")
    elif names is None:
        what = f"X does not have valid feature names, but {kind} was fitted with feature names"
        notice(UserWarning, what)
    elif list(names) != list(fitted):
        raise InputError(_difference(list(names), list(fitted)))


@contextmanager
def rows_without_names() -> Iterator[None]:
    """Suppress the warning about rows without feature names, if the order of columns is known."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        yield


def _difference(names: list[Hashable], fitted: list[Hashable]) -> str:
    """Return the error message for feature names that differ from those of training."""
    lines = ["The feature names should match those that were passed during fit."]
    for title, some, others in (
        ("Feature names unseen at fit time:", names, fitted),
        ("Feature names seen at fit time, yet now missing:", fitted, names),
    ):
        lacking = sorted(set(some) - set(others), key=str)
        if lacking:
            more = ["- ..."] * (len(lacking) > MAX_NAMES)
            lines += [title, *(f"- {name}" for name in lacking[:MAX_NAMES]), *more]
    if len(lines) == 1:
        lines.append("Feature names must be in the same order as they were in fit.")
    return "\n".join(lines) + "\n"


def one_row(x: Any) -> list[Mapping[Any, Any]] | AnyArray:
    """Return one example, a mapping of features or a 1-D array, as a table of one row."""
    x = named_values(x)
    return [x] if isinstance(x, Mapping) else array_row(x)


def array_row(x: Any) -> AnyArray:
    """Return a 1-D array as a 2-D array of one row; raise InputError for any other shape."""
    row = np.asarray(unmasked(x, np.float64, np.nan))
    if row.ndim != 1:
        raise InputError(
            "one example is a mapping or a 1-D array of numbers. For tables and sparse rows use "
            "partial_fit or predict."
        )
    return row.reshape(1, -1)


def named_values(x: Any) -> Any:
    """Convert a labelled series, such as one of pandas, to a mapping; keep anything else as is."""
    names = getattr(x, "index", None)
    if hasattr(x, "to_dict") and names is not None and all(isinstance(n, str) for n in names):
        return x.to_dict()
    return x
