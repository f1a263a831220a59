"""Rows given as a list of mappings {feature: number}, or as records that a schema reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rosenblatt.arrays import AnyArray, SparseRows
from rosenblatt.engine.rows.mappings import MappingRow, NotANumber
from rosenblatt.engine.rows.weights import FLOAT64_LIMIT
from rosenblatt.errors import InputError, shown


def is_records(X: Any) -> bool:
    """Whether rows come as a list or tuple of mappings."""
    return isinstance(X, list | tuple) and len(X) > 0 and isinstance(X[0], Mapping)


def records_table(
    records: Sequence[Mapping[Any, Any]],
    columns: dict[Any, int] | None = None,
    *,
    unseen: str = "added",
) -> tuple[SparseRows, AnyArray | None]:
    """Sparse rows, and the name of each of their columns; None if they are those of ``columns``.

    Features have a column each in the order in which they first appear; those that a record leaves
    out are 0. With ``columns`` the place of each feature is given: others are "added", "refused" or
    "ignored".
    """
    known = {} if columns is None else columns
    row = MappingRow(dict(known) if unseen == "added" else known)
    values, places, starts = [], [], [0]
    for number, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise InputError(
                f"record {number} of X is a {type(record).__name__}, but record 0 is a mapping. "
                "Give all rows as mappings, or none."
            )
        try:
            row.read(record, FLOAT64_LIMIT, unseen != "ignored")
        except NotANumber as error:
            feature, value = error.args
            raise not_a_number(feature, value, number) from None
        if row.pending and unseen == "refused":
            raise InputError(
                f"record {number} of X has the feature {row.pending[0]!r}, which was not there in "
                "training. learn_one takes new features."
            )
        row.commit()
        stored = row.stored()
        values.append(stored[0])
        places.append(stored[1])
        starts.append(starts[-1] + len(stored[0]))
    joined = np.concatenate(values), np.concatenate(places), np.array(starts, np.int64)
    rows = SparseRows(*joined, len(row.columns))
    if columns is not None and len(row.columns) == len(columns):
        return rows, None
    names = np.empty(len(row.columns), dtype=object)
    names[:] = list(row.columns)
    return rows, names


def columns_by_name(
    learner: Any, given: str = "X is a list of mappings", instead: str = "an array"
) -> dict[Any, int]:
    """The column of each feature that a fitted learner knows by name."""
    names = getattr(learner, "feature_names_in_", None)
    if names is None:
        raise InputError(
            f"{given}, but this model was trained on columns without names. Give {instead}, or "
            "train on a data frame or on mappings."
        )
    return {name: column for column, name in enumerate(names)}


def not_a_number(feature: Any, value: Any, record: int | None = None) -> InputError:
    place = "" if record is None else f"record {record} of X: "
    if isinstance(value, str):
        return InputError(
            f"{place}feature {feature!r} is {value!r}, which is not a number. Give text features "
            f"as {{{f'{feature}={value}'!r}: 1}}."
        )
    return InputError(
        f"{place}feature {feature!r} is {shown(value)}; only finite numbers up to "
        f"{FLOAT64_LIMIT:g} can be learned from. Leave the feature out of the mapping if its value "
        "is unknown."
    )
