"""Convert records, data frames and arrays to tables."""

from __future__ import annotations

import numbers
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray
from rosenblatt.engine.rows.weights import FLOAT64_LIMIT
from rosenblatt.errors import InputError, shown
from rosenblatt.plurals import count
from rosenblatt.tables.readers.column_roles import ColumnRoles
from rosenblatt.tables.readers.table import Table

Record = Mapping[Any, Any]
# Number of missing columns named in an error.
SHOWN = 6


# ---------------------------------------------------------------------- records


def all_numbers(records: Sequence[Record]) -> bool:
    """Return whether every value is a number, so that each name can be a feature."""
    for record in records:
        if isinstance(record, Mapping) and not all(map(_is_number, record.values())):
            return False
    return True


def table_of_records(
    records: Sequence[Record],
    types: Mapping[str, str] | None = None,
    *,
    as_text: Collection[str] = (),
) -> Table:
    """Convert records to a table; a value that is None or absent is a missing value.

    Parameters
    ----------
    records : sequence of mapping
        Names of columns to numbers, booleans, texts or None.
    types : dict of str to {"number", "text"}, default=None
        The type of each column. By default columns stand in the order in which they appear; they
        are numbers if every value is one, otherwise text; the columns ``as_text`` are always text.
    """
    for place, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise InputError(
                f"record {place} of X is a {type(record).__name__}, but record 0 is a mapping. "
                "Give all rows as mappings, or none."
            )
    if types is None:
        guessed = _guess_types(records)
        types = {name: "text" if name in as_text else kind for name, kind in guessed.items()}

    columns = _columns_of(types, "records")
    names = columns.of_kind("number")
    rows = []
    for place, record in enumerate(records):
        rows.append([_number(record, name, place) for name in names])
    # With no records or no numbers NumPy cannot see the shape.
    values = np.array(rows, np.float64).reshape(len(records), len(names))
    texts = {name: _texts(records, name) for name, kind in types.items() if kind == "text"}
    return _table(columns, values, texts, "record")


def _guess_types(records: Sequence[Record]) -> dict[str, str]:
    """Return "number" or "text" for each column: one text makes a column text."""
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


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real | np.bool_)


def _number(record: Record, name: str, place: int) -> float:
    """Return the number in a column of a record; NaN if the value is missing."""
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
    except OverflowError:
        # A whole number or a fraction with too many digits for a float.
        found = np.inf
    if abs(found) > FLOAT64_LIMIT:
        raise InputError(_too_large(f"record {place} of X", name, value))
    return found


def _texts(records: Sequence[Record], name: str) -> npt.NDArray[Any]:
    """Return a column as texts: numbers by `str`, missing values as empty texts."""
    found = np.empty(len(records), object)
    for place, record in enumerate(records):
        value = record.get(name)
        if not (value is None or isinstance(value, str) or _is_number(value)):
            raise _no_value(place, name, value)
        try:
            found[place] = "" if value is None else str(value)
        except ValueError:
            # A whole number with more digits than Python prints.
            raise _no_value(place, name, value) from None
    return found


def _no_value(place: int, name: str, value: object) -> InputError:
    return InputError(
        f"record {place} of X: {name!r} is {shown(value)}. Give a number, a text, True, False or "
        "None."
    )


# ---------------------------------------------------------------------- data frames


def table_of_frame(
    frame: Any, types: Mapping[str, str] | None = None, *, as_text: Collection[str] = ()
) -> Table:
    """Convert a data frame of pandas or polars to a table, as if it had been read from a file.

    Numbers are numbers and everything else is text, including dates and booleans; None, NaN, NaT
    and NA are missing values. ``types`` are the types of the columns, as in `table_of_records`; if
    they are guessed, the columns ``as_text`` are text.
    """
    columns_of_frame = {name: frame[name] for name in frame.columns}
    missing = [name for name in types or () if name not in columns_of_frame]
    if missing:
        more = " …" if len(missing) > SHOWN else ""
        raise InputError(
            f"{count(len(missing), 'column is', 'columns are')} missing: "
            f"{', '.join(map(repr, missing[:SHOWN]))}{more}."
        )

    kinds: dict[str, str] = {}
    number_columns: list[FloatArray] = []
    texts: dict[str, npt.NDArray[Any]] = {}
    for name in columns_of_frame if types is None else types:
        column = columns_of_frame[name]
        is_gap = _gaps(column)
        values = np.asarray(column)
        if types is not None:
            kind = types[name]
        elif name not in as_text and _are_numbers(values[~is_gap]):
            kind = "number"
        else:
            kind = "text"
        kinds[str(name)] = kind
        if kind == "number":
            number_columns.append(_numbers_of_column(values, is_gap, name))
        else:
            texts[str(name)] = _texts_of_column(values, is_gap)

    matrix = np.empty((len(frame), 0))
    if number_columns:
        matrix = np.column_stack(number_columns)
    return _table(_columns_of(kinds, "the frame"), matrix, texts, "row")


def _gaps(column: Any) -> npt.NDArray[np.bool_]:
    """Return which values of a pandas (`isna`) or polars (`is_null`) column are missing."""
    found = column.isna() if hasattr(column, "isna") else column.is_null()
    return np.asarray(found, bool)


def _are_numbers(values: npt.NDArray[Any]) -> bool:
    if values.dtype.kind != "O":
        return values.dtype.kind in "iuf"
    if not len(values):
        return False
    return all(_is_number(value) and not isinstance(value, bool) for value in values)


def _numbers_of_column(
    values: npt.NDArray[Any], is_gap: npt.NDArray[np.bool_], name: object
) -> FloatArray:
    """Return a column as numbers, NaN for missing values; raise InputError if one is invalid."""
    found = np.full(len(values), np.nan)
    known = values[~is_gap]
    try:
        found[~is_gap] = known.astype(np.float64)
    except OverflowError:
        # A whole number has too many digits for a float.
        is_large = np.array([abs(value) > FLOAT64_LIMIT for value in known], bool)
        others = np.where(is_large, 0, known).astype(np.float64)
        found[~is_gap] = np.where(is_large, np.inf, others)
    except (TypeError, ValueError):
        raise InputError(
            f"the column {name!r} is not one of numbers any more, as it was in fit."
        ) from None

    too_large = np.flatnonzero(np.abs(found) > FLOAT64_LIMIT)
    if len(too_large):
        row = int(too_large[0])
        raise InputError(_too_large(f"row {row} of X", name, values[row]))
    return found


def _texts_of_column(values: npt.NDArray[Any], is_gap: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """Return a column as texts, with empty texts for missing values."""
    if values.dtype.kind == "M":
        values = np.datetime_as_string(values, unit="s")
    texts = [str(value) for value in values.tolist()]
    found = np.empty(len(values), object)
    found[:] = texts
    found[is_gap] = ""
    return found


# ---------------------------------------------------------------------- arrays, and all of them


def table_of_array(values: FloatArray) -> Table:
    """Convert an array to a table of numbers, whose columns are called x0, x1 and so on."""
    names = [f"x{place}" for place in range(values.shape[1])]
    columns = _columns_of(dict.fromkeys(names, "number"), "the array")
    return _table(columns, values.copy(), {}, "line")


def _columns_of(types: Mapping[str, str], source: str) -> ColumnRoles:
    """Return the roles of columns that are all features, in the given order."""
    names = list(types)
    columns = ColumnRoles(None, names, dict(types), ())
    columns.settle(names, source)
    return columns


def _table(
    columns: ColumnRoles, values: FloatArray, texts: dict[str, npt.NDArray[Any]], unit: str
) -> Table:
    """Return a table without labels; ``unit`` is what messages call a row."""
    table = Table(columns, values, texts, None, np.arange(len(values)))
    table.unit = unit
    return table


def _too_large(where: str, name: object, value: object) -> str:
    """Return the error message for a number that is infinite or too large to learn from."""
    return (
        f"{where}: {name!r} is {shown(value)}; only finite numbers up to {FLOAT64_LIMIT:g} can be "
        "learned from. Give None where the number is not known, or scale the column."
    )
