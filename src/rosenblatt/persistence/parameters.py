"""Labels, names of features and parameters as JSON that keeps their type.

Text, whole numbers, finite floats, booleans and null are what they are in JSON. What JSON has no
word for is an object with one key: ``{"tuple": [...]}``, ``{"bytes": "00ff"}``,
``{"float": "inf"}``, ``{"numpy": ["i4", 7]}``, and in parameters ``{"dict": [[key, value], ...]}``,
lists, sets and generators.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from rosenblatt.errors import ModelFileError, shown
from rosenblatt.persistence.layout import whole

# Far beyond any label, and short of the digits that Python refuses to read.
LARGEST_INTEGER = 1 << 4096
INFINITE = {"inf": math.inf, "-inf": -math.inf}
WIDTHS = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
NUMPY: dict[str, Any] = {name: np.dtype(name).type for name in WIDTHS}
NUMPY |= {"U": np.str_, "S": np.bytes_}


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


MT19937_WORDS = 624
COLLECTIONS: dict[str, Any] = {"list": list, "set": set, "frozenset": frozenset}
# Most parameters are of these types, which JSON has as they are. Whole numbers need a limit, and
# floats can be written only if they are finite.
AS_THEY_ARE = (type(None), bool, str)


def encode_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a learner as JSON, sorted by name."""
    return {
        name: value if type(value) in AS_THEY_ARE else _encoded(name, value)
        for name, value in sorted(parameters.items())
    }


def decode_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that `encode_parameters` was given."""
    return {
        name: value if type(value) in AS_THEY_ARE else _decoded(value, f"parameter {name}")
        for name, value in parameters.items()
    }


def _encoded(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        pairs = [[encode(k, f"{name}: the key"), _collected(v, name)] for k, v in value.items()]
        return {"dict": pairs}
    if isinstance(value, np.random.RandomState):
        state: dict[str, Any] = value.get_state(legacy=False)
        if state["bit_generator"] == "MT19937":
            key = state["state"]["key"].astype("<u4").tobytes().hex()
            place = {"pos": int(state["state"]["pos"]), "has_gauss": int(state["has_gauss"])}
            return {"RandomState": {"key": key, **place, "gauss": float(state["gauss"])}}
    elif isinstance(value, np.random.Generator):
        state = dict(value.bit_generator.state)
        if state["bit_generator"] == "PCG64":
            kept = state["state"] | {name: state[name] for name in ("has_uint32", "uinteger")}
            return {"Generator": {name: int(number) for name, number in kept.items()}}
    else:
        return _collected(value, f"the parameter {name} is")
    raise ModelFileError(
        f"{name} draws from {state['bit_generator']}, whose state a model file does not keep. Use "
        f"numpy.random.default_rng(seed), or set_params({name}=seed) with a whole number."
    )


def _collected(value: Any, what: str) -> Any:
    """A list or a set of values, or a value; a set in an order that its values decide."""
    kind = type(value).__name__
    if type(value) is not COLLECTIONS.get(kind):
        return encode(value, what)
    items = [encode(item, what) for item in value]
    return {kind: items if kind == "list" else sorted(items, key=json.dumps)}


def _decoded(value: Any, place: str) -> Any:
    if not isinstance(value, dict):
        return decode(value, place)
    if len(value) == 1:
        [(key, content)] = value.items()
        if key == "dict" and isinstance(content, list):
            return _dict(content, place)
        if key == "RandomState" and isinstance(content, dict):
            return _random_state(content, place)
        if key == "Generator" and isinstance(content, dict):
            return _generator(content, place)
    return _collection(value, place)


def _collection(value: Any, place: str) -> Any:
    if isinstance(value, dict) and len(value) == 1:
        [(key, content)] = value.items()
        if key in COLLECTIONS and isinstance(content, list):
            found = COLLECTIONS[key](decode(item, place) for item in content)
            if len(found) != len(content):
                raise ModelFileError(f"{place}: a value occurs twice in a set.")
            return found
    return decode(value, place)


def _dict(pairs: list[Any], place: str) -> dict[Any, Any]:
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise ModelFileError(f"{place}: {shown(pairs)} is not a list of pairs.")
    found = {decode(key, place): _collection(value, place) for key, value in pairs}
    if len(found) != len(pairs):
        raise ModelFileError(f"{place}: a key occurs twice.")
    return found


def _random_state(content: dict[str, Any], place: str) -> np.random.RandomState:
    _whole(content, place, pos=MT19937_WORDS + 1, has_gauss=2)
    key, gauss = content.get("key"), content.get("gauss")
    sound = (
        isinstance(key, str)
        and len(key) == 8 * MT19937_WORDS
        and set(key) <= set("0123456789abcdef")
        and isinstance(gauss, float)
        and content.keys() == {"key", "pos", "has_gauss", "gauss"}
    )
    if not sound:
        raise ModelFileError(f"{place}: not the state of a RandomState.")
    generator = np.random.RandomState(0)
    words = np.frombuffer(bytes.fromhex(str(key)), "<u4").astype(np.uint32)
    generator.set_state(("MT19937", words, content["pos"], content["has_gauss"], float(str(gauss))))
    return generator


def _generator(content: dict[str, Any], place: str) -> np.random.Generator:
    bits = {"state": 1 << 128, "inc": 1 << 128, "has_uint32": 2, "uinteger": 1 << 32}
    _whole(content, place, **bits)
    if content.keys() != bits.keys():
        raise ModelFileError(f"{place}: not the state of a Generator.")
    generator = np.random.PCG64(0)
    generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": content["state"], "inc": content["inc"]},
        "has_uint32": content["has_uint32"],
        "uinteger": content["uinteger"],
    }
    return np.random.Generator(generator)


def _whole(content: dict[str, Any], place: str, **below: int) -> None:
    """NumPy does not check these itself: a position beyond the words would read foreign memory."""
    for name, limit in below.items():
        whole(f"{place}: {name}", content.get(name), 0, limit - 1)
