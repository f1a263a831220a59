"""Examples as mappings of names to values, as programs and services have them, as a table."""

from __future__ import annotations

import numbers
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.engine.rows.weights import FLOAT64_LIMIT
from rosenblatt.errors import InputError, shown
from rosenblatt.plurals import count
from rosenblatt.tables.readers.column_roles import Columns
from rosenblatt.tables.readers.table import Table

Record = Mapping[Any, Any]


def all_numbers(records: Sequence[Record]) -> bool:
    """Whether every value is a number, so that names are features as they are."""
    mappings = (record for record in records if isinstance(record, Mapping))
    return all(_is_number(value) for record in mappings for value in record.values())


def table_of_records(
    records: Sequence[Record],
    types: Mapping[str, str] | None = None,
    *,
    as_text: Collection[str] = (),
) -> Table:
    """Records as a table of columns; a value that is missing or None is a gap.

    Parameters
    ----------
    records : sequence of mapping
        Names of columns to numbers, booleans, texts or None.
    types : dict of str to {"number", "text"}, default=None
        What the columns are; by default those that occur, in the order in which they appear:
        numbers where every value is one, else text; the columns ``as_text`` are text anyway.
    """
    for place, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise InputError(
                f"record {place} of X is a {type(record).__name__}, but record 0 is a mapping. "
                "Give all rows as mappings, or none."
            )
    if types is None:
        guessed = _guessed_types(records)
        types = {name: "text" if name in as_text else kind for name, kind in guessed.items()}
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


def table_of_frame(
    frame: Any, types: Mapping[str, str] | None = None, *, as_text: Collection[str] = ()
) -> Table:
    """A data frame of pandas or polars as a table, as if it had been read from a file.

    Numbers are numbers, everything else is text, dates and booleans too; None, NaN, NaT and NA are
    gaps. ``types`` are what the columns are, as in `table_of_records`; where they are guessed, the
    columns ``as_text`` are text.
    """
    known = {name: frame[name] for name in frame.columns}
    lacking = [name for name in types or () if name not in known]
    if lacking:
        raise InputError(
            f"{count(len(lacking), 'column is', 'columns are')} missing: "
            f"{', '.join(map(repr, lacking[:6]))}{' …' if len(lacking) > 6 else ''}."
        )
    kinds, numbers_, texts = dict[str, str](), list[npt.NDArray[Any]](), {}
    for name in known if types is None else types:
        column = known[name]
        gaps = np.asarray(column.isna() if hasattr(column, "isna") else column.is_null(), bool)
        values = np.asarray(column)
        wanted = ("text" if name in as_text else None) if types is None else types[name]
        kinds[str(name)] = wanted or ("number" if _are_numbers(values[~gaps]) else "text")
        if kinds[str(name)] == "number":
            found = np.full(len(values), np.nan)
            found[~gaps] = _as_numbers(values[~gaps], name)
            too_large = np.flatnonzero(np.abs(found) > FLOAT64_LIMIT)
            if len(too_large):
                row = int(too_large[0])
                raise InputError(_too_large(f"row {row} of X", name, values[row]))
            numbers_.append(found)
        else:
            texts[str(name)] = _as_texts(values, gaps)
    columns = Columns(None, list(kinds), kinds, ())
    columns.settle(list(kinds), "the frame")
    matrix = np.column_stack(numbers_) if numbers_ else np.empty((len(frame), 0))
    table = Table(columns, matrix, texts, None, np.arange(len(frame)))
    table.unit = "row"
    return table


def _are_numbers(values: npt.NDArray[Any]) -> bool:
    if values.dtype.kind != "O":
        return values.dtype.kind in "iuf"
    return len(values) > 0 and all(_is_number(v) and not isinstance(v, bool) for v in values)


def _as_numbers(values: npt.NDArray[Any], name: Any) -> npt.NDArray[np.float64]:
    try:
        return values.astype(np.float64)
    except OverflowError:  # a whole number with too many digits for a float
        whole = np.array([abs(value) > FLOAT64_LIMIT for value in values], bool)
        return np.where(whole, np.inf, np.where(whole, 0, values).astype(np.float64))
    except (TypeError, ValueError):
        raise InputError(
            f"the column {name!r} is not one of numbers any more, as it was in fit."
        ) from None


def _as_texts(values: npt.NDArray[Any], gaps: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    if values.dtype.kind == "M":
        values = np.datetime_as_string(values, unit="s")
    found = np.empty(len(values), object)
    found[:] = ["" if gap else str(v) for v, gap in zip(values.tolist(), gaps, strict=True)]
    return found


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
            f"record {place} of X: {name!r} is {shown(value)}, but this model knows it as a "
            "number. Give a number, or None where it is not known."
        )
    try:
        found = float(value)
    except OverflowError:  # a whole number or a fraction with too many digits for a float
        found = np.inf
    if abs(found) > FLOAT64_LIMIT:
        raise InputError(_too_large(f"record {place} of X", name, value))
    return found


def _too_large(where: str, name: Any, value: Any) -> str:
    """Words for a number that would spoil the mean and the scale of its column for good."""
    return (
        f"{where}: {name!r} is {shown(value)}; only finite numbers up to {FLOAT64_LIMIT:g} can be "
        "learned from. Give None where the number is not known, or scale the column."
    )


def _texts(records: Sequence[Record], name: str) -> npt.NDArray[Any]:
    """Texts of a column; numbers as they are written, nothing as an empty text."""
    found = np.empty(len(records), object)
    for place, record in enumerate(records):
        value = record.get(name)
        if not (value is None or isinstance(value, str) or _is_number(value)):
            raise _no_value(place, name, value)
        try:
            found[place] = "" if value is None else str(value)
        except ValueError:  # a whole number with more digits than Python prints
            raise _no_value(place, name, value) from None
    return found


def _no_value(place: int, name: str, value: Any) -> InputError:
    return InputError(
        f"record {place} of X: {name!r} is {shown(value)}. Give a number, a text, True, False or "
        "None."
    )
