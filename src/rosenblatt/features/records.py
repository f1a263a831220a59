"""Examples as mappings of names to values, as programs and services have them, as a table."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError
from rosenblatt.io.column_roles import Columns
from rosenblatt.io.table import Table

Record = Mapping[Any, Any]


def all_numbers(records: Sequence[Record]) -> bool:
    """Whether every value is a number, so that names are features as they are."""
    mappings = (record for record in records if isinstance(record, Mapping))
    return all(_is_number(value) for record in mappings for value in record.values())


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
                f"record {place} of X is a {type(record).__name__}, but record 0 is a mapping. "
                "Give all rows as mappings, or none."
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
    table = Table(columns, values, texts, None, np.arange(len(records)))
    table.unit = "record"
    return table


def _guessed_types(records: Sequence[Record]) -> dict[str, str]:
    types: dict[str, str] = {}
    for place, record in enumerate(records):
        for name, value in record.items():
            if not isinstance(name, str):
                raise InputError(
                    f"record {place} of X: {name!r} is no name of a column: give a text."
                )
            if isinstance(value, str):
                types[name] = "text"
            elif value is None or _is_number(value):
                types.setdefault(name, "number")
            else:
                raise _no_value(place, name, value)
    return types


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real | np.bool_)


def _number(record: Record, name: str, place: int) -> float:
    value = record.get(name)
    if value is None:
        return np.nan
    if not _is_number(value):
        raise InputError(
            f"record {place} of X: {name!r} is {value!r}, but this model knows it as a number. "
            "Give a number, or None where it is not known."
        )
    return float(value)


def _texts(records: Sequence[Record], name: str) -> npt.NDArray[Any]:
    """Texts of a column; numbers as they are written, nothing as an empty text."""
    found = np.empty(len(records), object)
    for place, record in enumerate(records):
        value = record.get(name)
        if not (value is None or isinstance(value, str) or _is_number(value)):
            raise _no_value(place, name, value)
        found[place] = "" if value is None else str(value)
    return found


def _no_value(place: int, name: str, value: Any) -> InputError:
    return InputError(
        f"record {place} of X: {name!r} is {value!r:.60}. Give a number, a text, True, False or "
        "None."
    )
