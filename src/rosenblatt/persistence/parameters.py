"""Encode labels, names of features and parameters as JSON that keeps their type.

Text, whole numbers, finite floats, booleans and null are the same in JSON. Other values become an
object with one key: ``{"tuple": [...]}``, ``{"bytes": "00ff"}``, ``{"float": "inf"}``,
``{"numpy": ["i4", 7]}``, and in parameters ``{"dict": [[key, value], ...]}``, lists, sets and
generators.
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from rosenblatt.errors import ModelFileError, shown
from rosenblatt.persistence.layout import whole

# Limit of whole numbers: larger than any label, and short enough for Python to parse.
LARGEST_INTEGER = 1 << 4096
INFINITE = {"inf": math.inf, "-inf": -math.inf}
WIDTHS = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
NUMPY: dict[str, Any] = {name: np.dtype(name).type for name in WIDTHS}
NUMPY |= {"U": np.str_, "S": np.bytes_}
# All values of these types are the same in JSON; whole numbers and floats have limits.
PLAIN_TYPES = (type(None), bool, str)


# ---------------------------------------------------------------------- labels and names


def encode(value: Any, what: str) -> Any:
    """Return a label or name as JSON data; errors begin with ``what``."""
    kind = type(value)
    if _is_plain(value):
        return value
    if kind is float and not math.isnan(value):
        return {"float": repr(value)}
    if kind is tuple:
        return {"tuple": [encode(item, what) for item in value]}
    if kind is bytes:
        return {"bytes": value.hex()}
    if isinstance(value, np.generic):
        # Texts and bytes of any length have one name.
        name = value.dtype.kind if value.dtype.kind in "US" else value.dtype.str[1:]
        if name in NUMPY:
            return {"numpy": [name, encode(value.item(), what)]}
    raise ModelFileError(
        f"{what} {shown(value)} ({kind.__name__}) cannot be kept in a model file. Text, whole "
        "numbers, floats other than NaN, booleans, bytes, None and tuples of these can; use "
        "str(...) of it."
    )


def _is_plain(value: Any) -> bool:
    """Return whether a value is its own JSON encoding, as most labels and parameters are."""
    kind = type(value)
    if kind is int:
        return bool(abs(value) < LARGEST_INTEGER)
    if kind is float:
        return math.isfinite(value)
    return kind in PLAIN_TYPES


def decode(value: Any, place: str) -> Any:
    """Decode a label or name that `encode` returned; errors begin with ``place``."""
    if not isinstance(value, dict | list):
        if type(value) is int and abs(value) >= LARGEST_INTEGER:
            raise ModelFileError(f"{place}: a whole number that is larger than allowed.")
        return value
    found = None
    if isinstance(value, dict) and len(value) == 1:
        found = _decode_object(value, place)
    if found is None:
        raise ModelFileError(f"{place}: {shown(value)} is no value that rosenblatt writes.")
    return found


def _decode_object(value: dict[str, Any], place: str) -> Any:
    """Decode a JSON object with one key; return None if it is invalid."""
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
        # Blanks and capital letters are not what `encode` writes.
        return found if found.hex() == content else None
    if key == "numpy" and isinstance(content, list) and len(content) == 2:
        return _decode_scalar(content[0], content[1], place)
    return None


def _decode_scalar(name: object, content: object, place: str) -> Any:
    """Decode a NumPy scalar; return None if its type cannot hold the value exactly."""
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


# ---------------------------------------------------------------------- parameters

MT19937_WORDS = 624
COLLECTIONS: dict[str, Any] = {"list": list, "set": set, "frozenset": frozenset}


def encode_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a learner as JSON data, sorted by name."""
    return {
        name: value if type(value) in PLAIN_TYPES else _encode_parameter(name, value)
        for name, value in sorted(parameters.items())
    }


def decode_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """Decode the parameters that `encode_parameters` returned."""
    return {
        name: value if type(value) in PLAIN_TYPES else _decode_parameter(value, f"parameter {name}")
        for name, value in parameters.items()
    }


def _encode_parameter(name: str, value: Any) -> Any:
    if _is_plain(value):
        return value
    if isinstance(value, dict):
        pairs = []
        for key, item in value.items():
            pairs.append([encode(key, f"{name}: the key"), _encode_collection(item, name)])
        return {"dict": pairs}
    if isinstance(value, np.random.RandomState):
        return _encode_random_state(name, value)
    if isinstance(value, np.random.Generator):
        return _encode_generator(name, value)
    return _encode_collection(value, f"the parameter {name} is")


def _decode_parameter(value: Any, place: str) -> Any:
    if _is_plain(value):
        return value
    if isinstance(value, dict) and len(value) == 1:
        [(key, content)] = value.items()
        if key == "dict" and isinstance(content, list):
            return _decode_dict(content, place)
        if key == "RandomState" and isinstance(content, dict):
            return _decode_random_state(content, place)
        if key == "Generator" and isinstance(content, dict):
            return _decode_generator(content, place)
    return _decode_collection(value, place)


def _encode_collection(value: Any, what: str) -> Any:
    """Return a list, a set or another value as JSON data; sets are sorted by the JSON of items."""
    kind = type(value).__name__
    if type(value) is not COLLECTIONS.get(kind):
        return encode(value, what)
    items = [encode(item, what) for item in value]
    if kind != "list":
        items.sort(key=json.dumps)
    return {kind: items}


def _decode_collection(value: Any, place: str) -> Any:
    if isinstance(value, dict) and len(value) == 1:
        [(key, content)] = value.items()
        if key in COLLECTIONS and isinstance(content, list):
            found = COLLECTIONS[key](decode(item, place) for item in content)
            if len(found) != len(content):
                raise ModelFileError(f"{place}: a value occurs twice in a set.")
            return found
    return decode(value, place)


def _decode_dict(pairs: list[Any], place: str) -> dict[Hashable, Any]:
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise ModelFileError(f"{place}: {shown(pairs)} is not a list of pairs.")
    found = {decode(key, place): _decode_collection(value, place) for key, value in pairs}
    if len(found) != len(pairs):
        raise ModelFileError(f"{place}: a key occurs twice.")
    return found


# ---------------------------------------------------------------------- random generators


def _encode_random_state(
    name: str, value: np.random.RandomState
) -> dict[str, dict[str, str | float]]:
    state: dict[str, Any] = value.get_state(legacy=False)
    if state["bit_generator"] != "MT19937":
        raise _unknown_generator(name, state)
    words = state["state"]["key"].astype("<u4")
    return {
        "RandomState": {
            "key": words.tobytes().hex(),
            "pos": int(state["state"]["pos"]),
            "has_gauss": int(state["has_gauss"]),
            "gauss": float(state["gauss"]),
        }
    }


def _encode_generator(name: str, value: np.random.Generator) -> dict[str, dict[str, int]]:
    state = dict(value.bit_generator.state)
    if state["bit_generator"] != "PCG64":
        raise _unknown_generator(name, state)
    numbers = dict(state["state"])
    for part in ("has_uint32", "uinteger"):
        numbers[part] = state[part]
    return {"Generator": {part: int(number) for part, number in numbers.items()}}


def _unknown_generator(name: str, state: Mapping[str, object]) -> ModelFileError:
    return ModelFileError(
        f"{name} draws from {state['bit_generator']}, whose state a model file does not keep. Use "
        f"numpy.random.default_rng(seed), or set_params({name}=seed) with a whole number."
    )


def _decode_random_state(content: dict[str, Any], place: str) -> np.random.RandomState:
    _check_numbers(content, place, pos=MT19937_WORDS + 1, has_gauss=2)
    key = content.get("key")
    gauss = content.get("gauss")
    is_hexadecimal = (
        isinstance(key, str)
        and len(key) == 8 * MT19937_WORDS
        and set(key) <= set("0123456789abcdef")
    )
    names = {"key", "pos", "has_gauss", "gauss"}
    if not is_hexadecimal or not isinstance(gauss, float) or content.keys() != names:
        raise ModelFileError(f"{place}: not the state of a RandomState.")

    generator = np.random.RandomState(0)
    words = np.frombuffer(bytes.fromhex(str(key)), "<u4").astype(np.uint32)
    generator.set_state(("MT19937", words, content["pos"], content["has_gauss"], gauss))
    return generator


def _decode_generator(content: dict[str, Any], place: str) -> np.random.Generator:
    limits = {"state": 1 << 128, "inc": 1 << 128, "has_uint32": 2, "uinteger": 1 << 32}
    _check_numbers(content, place, **limits)
    if content.keys() != limits.keys():
        raise ModelFileError(f"{place}: not the state of a Generator.")
    generator = np.random.PCG64(0)
    generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": content["state"], "inc": content["inc"]},
        "has_uint32": content["has_uint32"],
        "uinteger": content["uinteger"],
    }
    return np.random.Generator(generator)


def _check_numbers(content: Mapping[str, object], place: str, **below: int) -> None:
    """Raise ModelFileError unless each named number is an integer from 0 to below its limit.

    NumPy does not check them itself: a position beyond the words would read foreign memory.
    """
    for name, limit in below.items():
        whole(f"{place}: {name}", content.get(name), 0, limit - 1)
