"""Model files made up by somebody who knows the format and signs them anew.

Taken apart and put together without our code, so that something else judges what is accepted.
"""

import hashlib
import io
import json
import struct

import numpy as np

from rosenblatt import save
from rosenblatt.persistence.file import read_from

MARK = rb"\"sha256\":\""
NAMES = {"float32": "F32", "float64": "F64", "int8": "I8", "int32": "I32", "int64": "I64"}


def opened(data):
    """The card and the arrays of a file."""
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    card = json.loads(header.pop("__metadata__")["rosenblatt"])
    dtypes = {short: name for name, short in NAMES.items()}
    arrays = {}
    for name, entry in header.items():
        first, last = (8 + length + at for at in entry["data_offsets"])
        values = np.frombuffer(data[first:last], dtypes[entry["dtype"]])
        arrays[name] = values.reshape(entry["shape"]).copy()
    return card, arrays


def closed(card, arrays):
    """A signed file of a card, as an object or as text, and arrays."""
    text = card if isinstance(card, str) else json.dumps(card, separators=(",", ":"))
    header, payload = {"__metadata__": {"rosenblatt": text}}, b""
    for name, values in arrays.items():
        values = np.ascontiguousarray(values)
        places = [len(payload), len(payload) + values.nbytes]
        short = NAMES.get(values.dtype.name, str(values.dtype).upper())
        header[name] = {"dtype": short, "shape": list(values.shape), "data_offsets": places}
        payload += values.tobytes()
    return with_header(json.dumps(header, separators=(",", ":")), payload)


def with_header(text, payload, *, length=None):
    """A signed file with this text as its header."""
    header = text if isinstance(text, bytes) else text.encode()
    return signed(struct.pack("<Q", len(header) if length is None else length) + header + payload)


def signed(data):
    """The same bytes with the digest they ask for, if they have a place for one."""
    start = data.find(MARK) + len(MARK)
    if start < len(MARK):
        return data
    blank = data[:start] + b"0" * 64 + data[start + 64 :]
    return blank[:start] + hashlib.sha256(blank).hexdigest().encode() + blank[start + 64 :]


def forged(data, change_card=None, change_arrays=None):
    """The file after some changes, signed; each change edits what it is given in place."""
    card, arrays = opened(data)
    if change_card is not None:
        change_card(card)
    if change_arrays is not None:
        change_arrays(arrays)
    return closed(card, arrays)


def bytes_of(learner, folder, **options):
    save(learner, folder / "model.rbt", **options)
    return (folder / "model.rbt").read_bytes()


def parsed(data):
    """The state in these bytes."""
    return read_from(io.BytesIO(data), len(data))


def header_of(data):
    (length,) = struct.unpack("<Q", data[:8])
    return data[8 : 8 + length].decode(), data[8 + length :]


def put(*path, value):
    """A change of a card: another value at a place."""

    def change(card):
        for key in path[:-1]:
            card = card[key]
        card[path[-1]] = value

    return change


def drop(*path):
    """A change of a card: nothing at a place."""

    def change(card):
        for key in path[:-1]:
            card = card[key]
        del card[path[-1]]

    return change


def outline(arrays):
    return {name: (values.dtype, values.shape) for name, values in arrays.items()}
