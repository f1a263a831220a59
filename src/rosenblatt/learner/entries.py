"""Single entries of a table that came as objects or as text."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError, InputTypeError

__all__ = ["floats", "is_missing", "unmasked"]


def unmasked(values: Any, dtype: npt.DTypeLike, missing: Any) -> Any:
    """A masked array of NumPy as an array that shows which values are missing."""
    # Not asked by its class, because NumPy loads masked arrays only if someone uses them.
    if not isinstance(values, np.ndarray) or not hasattr(values, "mask"):
        return values
    shown = np.asarray(values)
    if np.any(values.mask):
        shown = shown.astype(dtype)
        shown[values.mask] = missing
    return shown


def is_missing(value: Any) -> bool:
    """None, and whatever is not equal to itself: NaN, NaT, NA."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # whether NA differs from NA is not known
        return True
    except ValueError:  # an array
        return False


def floats(
    values: npt.NDArray[Any], names: list[Any] | None = None, column: int | None = None
) -> npt.NDArray[np.float64]:
    """Objects or texts as float64, missing ones as NaN; what is not a number is named.

    ``values`` is a table of two dimensions, or one column of it.
    """
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    values = values.astype(object)
    found = np.empty(values.shape)
    for place in np.ndindex(*values.shape):
        try:
            found[place] = float(values[place])
        except OverflowError:
            found[place] = math.inf if values[place] > 0 else -math.inf
        except (TypeError, ValueError) as error:
            if not is_missing(values[place]):
                row, j = place if column is None else (place[0], column)
                raise _not_a_number(values[place], row, j, names, error) from None
            found[place] = math.nan
    return found


def _not_a_number(
    value: Any, row: int, column: int, names: list[Any] | None, error: Exception
) -> InputError:
    name = f" ({names[column]!r})" if names else ""
    place = f"X holds {value!r} at row {row}, column {column}{name}, which is not a number"
    if not isinstance(value, str | bytes):
        return InputTypeError(f"{place} ({error}).")
    return InputError(
        f"{place} (could not convert string to float). Turn text columns into numbers first, for "
        "example with sklearn.preprocessing.OneHotEncoder."
    )
