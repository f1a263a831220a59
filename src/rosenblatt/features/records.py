"""Examples as mappings of names to values, as programs and services have them, as a table."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError
from rosenblatt.io.columns import Columns
from rosenblatt.io.table import Table

__all__ = ["all_numbers", "table_of_records"]

Record = Mapping[Any, Any]


def all_numbers(records: Sequence[Record]) -> bool:
    """Whether every value is a number, so that names are features as they are."""
    return all(_is_number(value) for record in records for value in record.values())


def table_of_records(records: Sequence[Record], types: Mapping[str, str] | None = None) -> Table:
    """Records as a table of columns; a value that is missing or None is a gap.

    Parameters
    ----------
    records : sequence of mapping
        Names of columns to numbers, booleans, texts or None.
    types : dict of str to {"number", "text"}, default=None
        What the columns are; by default those that occur, in the order in which they appear:
        numbers where every value is one, else text.
    """
    for place, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise InputError(
                f"record {place} is a {type(record).__name__}; all examples must be mappings of "
                "names to values if one is."
            )
    if types is None:
        types = _guessed_types(records)
    columns = Columns(None, list(types), dict(types), ())
    columns.settle(list(types), "records")
    names = columns.of_kind("number")
    values = np.array(
        [[_number(record, name, place) for name in names] for place, record in enumerate(records)],
        np.float64,
    ).reshape(len(records), len(names))
    texts = {name: _texts(records, name) for name, kind in types.items() if kind == "text"}
    return Table(columns, values, texts, None, np.arange(1, len(records) + 1))


def _guessed_types(records: Sequence[Record]) -> dict[str, str]:
    types: dict[str, str] = {}
    for record in records:
        for name, value in record.items():
            if not isinstance(name, str):
                raise InputError(f"{name!r} is no name of a column: names are texts.")
            if value is None:
                types.setdefault(name, "number")
            elif not _is_number(value):
                types[name] = "text"
            else:
                types.setdefault(name, "number")
    return types


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real | np.bool_)


def _number(record: Record, name: str, place: int) -> float:
    value = record.get(name)
    if value is None:
        return np.nan
    if not _is_number(value):
        raise InputError(
            f"record {place}: {name!r} is {value!r}, but it is a number column of this model. "
            "Give a number, or None where it is not known."
        )
    return float(value)


def _texts(records: Sequence[Record], name: str) -> npt.NDArray[Any]:
    """Texts of a column; numbers as they are written, nothing as an empty text."""
    found = np.empty(len(records), object)
    for place, record in enumerate(records):
        value = record.get(name)
        found[place] = "" if value is None else str(value)
    return found
