"""Labels, names of features and parameters as JSON that keeps their type.

Text, whole numbers, finite floats, booleans and null are what they are in JSON. What JSON has no
word for is an object with one key: ``{"tuple": [...]}``, ``{"bytes": "00ff"}``,
``{"float": "inf"}``, ``{"numpy": ["i4", 7]}``, and ``{"dict": [[key, value], ...]}`` in parameters.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rosenblatt.checks import shown
from rosenblatt.errors import ModelFileError

__all__ = ["LARGEST_INTEGER", "decode", "encode"]

# Far beyond any label, and short of the digits that Python refuses to read.
LARGEST_INTEGER = 1 << 4096
INFINITE = {"inf": math.inf, "-inf": -math.inf}
NUMPY: dict[str, Any] = {
    "b1": np.bool_,
    "i1": np.int8,
    "i2": np.int16,
    "i4": np.int32,
    "i8": np.int64,
    "u1": np.uint8,
    "u2": np.uint16,
    "u4": np.uint32,
    "u8": np.uint64,
    "f2": np.float16,
    "f4": np.float32,
    "f8": np.float64,
    "U": np.str_,
    "S": np.bytes_,
}


def encode(value: Any, what: str) -> Any:
    """A label or name as JSON; ``what`` says in an error whose value it was."""
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int and abs(value) < LARGEST_INTEGER:
        return value
    if kind is float and not math.isnan(value):
        return value if math.isfinite(value) else {"float": repr(value)}
    if kind is tuple:
        return {"tuple": [encode(item, what) for item in value]}
    if kind is bytes:
        return {"bytes": value.hex()}
    if isinstance(value, np.generic):
        name = value.dtype.kind if value.dtype.kind in "US" else value.dtype.str[1:]
        if name in NUMPY:
            return {"numpy": [name, encode(value.item(), what)]}
    raise ModelFileError(
        f"{what} {shown(value)} ({kind.__name__}) cannot be kept in a model file. Text, whole "
        "numbers, floats other than NaN, booleans, bytes, None and tuples of these can; use "
        "str(...) of it."
    )


def decode(value: Any, place: str) -> Any:
    """The label or name that `encode` was given; ``place`` says in an error where it stood."""
    if not isinstance(value, dict | list):
        if type(value) is int and abs(value) >= LARGEST_INTEGER:
            raise ModelFileError(f"{place}: a whole number that is larger than allowed.")
        return value
    found = _decoded_object(value, place) if isinstance(value, dict) and len(value) == 1 else None
    if found is None:
        raise ModelFileError(f"{place}: {shown(value)} is no value that rosenblatt writes.")
    return found


def _decoded_object(value: dict[str, Any], place: str) -> Any:
    """What an object with one key stands for; None if it stands for nothing."""
    [(key, content)] = value.items()
    if key == "tuple" and isinstance(content, list):
        return tuple(decode(item, place) for item in content)
    if key == "float" and isinstance(content, str):
        return INFINITE.get(content)
    if key == "bytes" and isinstance(content, str):
        try:
            found = bytes.fromhex(content)
        except ValueError:
            return None
        return found if found.hex() == content else None
    if key == "numpy" and isinstance(content, list) and len(content) == 2:
        return _decoded_scalar(content[0], content[1], place)
    return None


def _decoded_scalar(name: Any, content: Any, place: str) -> Any:
    if not isinstance(name, str) or name not in NUMPY:
        return None
    plain = decode(content, place)
    try:
        with np.errstate(all="ignore"):
            scalar = NUMPY[name](plain)
            back = scalar.item()
    except (TypeError, ValueError, OverflowError):
        return None
    return scalar if type(back) is type(plain) and back == plain else None
