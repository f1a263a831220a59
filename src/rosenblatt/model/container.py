"""Arrays and a card as the bytes of one safetensors file, with a digest over all of them."""

from __future__ import annotations

import hashlib
from typing import Any, BinaryIO

import numpy as np

from rosenblatt.arrays import Arrays
from rosenblatt.checks import shown
from rosenblatt.errors import ModelFileError
from rosenblatt.model import foreign
from rosenblatt.model.card import plain, strict_json

__all__ = ["ZEROS", "pack", "unpack"]

KEY = "rosenblatt"
LENGTH = 8
MOST_HEADER = 100_000_000  # the limit of safetensors
DTYPES: dict[str, np.dtype[Any]] = {
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
    "I8": np.dtype("<i1"),
    "I32": np.dtype("<i4"),
    "I64": np.dtype("<i8"),
}
ZEROS = "0" * 64
# The card is JSON in a string of JSON, hence the backslashes. It comes first in the header and
# the digest comes before every text that a user can choose.
BEFORE_DIGEST = rb"\"sha256\":\""


def pack(card: str, arrays: Arrays) -> list[bytes | memoryview]:
    """The file in three parts, to be written one after the other; the second is its digest.

    ``card`` has 64 zeros where the digest goes.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import save

    try:
        packed = save(
            {name: np.ascontiguousarray(values) for name, values in arrays.items()}, {KEY: card}
        )
    except SafetensorError as error:
        raise ModelFileError(
            f"the card of this model takes {len(card):,} bytes, and a file keeps less than "
            f"{MOST_HEADER:,} ({error}). Most of it are names of features: use fewer or shorter "
            "ones, or hash them."
        ) from None
    data = memoryview(packed)
    start = packed.index(BEFORE_DIGEST + ZEROS.encode()) + len(BEFORE_DIGEST)
    digest = hashlib.sha256(data).hexdigest()
    return [data[:start], digest.encode(), data[start + len(ZEROS) :]]


def unpack(file: BinaryIO, size: int) -> tuple[dict[str, Any], Arrays]:
    """The card and the arrays in a file of ``size`` bytes, if it is whole and as it was written.

    Nothing is read, let alone allocated, on the word of the file: the size decides.
    """
    if size == 0:
        raise ModelFileError("the file is empty.")
    start = file.read(min(size, LENGTH + foreign.LOOKED_AT))
    length = int.from_bytes(start[:LENGTH], "little")
    _check_start(start, length, size)
    data = start + file.read(max(0, LENGTH + length - len(start)))
    entries, card = _header(data[LENGTH : LENGTH + length])
    end = LENGTH + length + _end_of_arrays(entries)
    if size < end:
        raise ModelFileError(f"truncated: {size:,} of {end:,} bytes. Copy or save it again.")
    if size > end:
        raise ModelFileError(
            f"{size - end:,} bytes too many: the model ends after {end:,} of {size:,} bytes."
        )
    try:
        data += file.read(end - len(data))
    except MemoryError:
        raise ModelFileError(f"{size:,} bytes do not fit into memory.") from None
    if len(data) != size:
        raise ModelFileError(f"truncated: {len(data):,} of {end:,} bytes. Was it changed just now?")
    fields = plain(card)
    _check_digest(data, length, fields["sha256"])
    return fields, _arrays(data)


def _check_start(start: bytes, length: int, size: int) -> None:
    ours = start[LENGTH : LENGTH + 1] == b"{"
    if not (ours and 0 < length <= MOST_HEADER):
        name = foreign.name_of(start)
        if name is not None:
            raise ModelFileError(f"this is {name}")
    if size <= LENGTH:
        raise ModelFileError(f"truncated: {size} bytes, which is not even the length of a header.")
    if not ours:
        raise ModelFileError("this is not a rosenblatt model: it does not start as one.")
    if not 0 < length <= MOST_HEADER:
        raise ModelFileError(
            f"the header says it is {length:,} bytes long; 1 to {MOST_HEADER:,} are allowed."
        )
    if LENGTH + length > size:
        raise ModelFileError(
            f"truncated: {size:,} of {LENGTH + length:,} bytes or more. Copy or save it again."
        )


def _header(header: bytes) -> tuple[dict[str, Any], str]:
    """What it says of each array, and the card."""
    try:
        text = header.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelFileError(f"the header is not UTF-8 at byte {error.start}.") from None
    entries = strict_json(text, "header")
    metadata = entries.pop("__metadata__", None) if isinstance(entries, dict) else None
    if not isinstance(metadata, dict) or not isinstance(metadata.get(KEY), str):
        raise ModelFileError("a safetensors file, but not a rosenblatt model: it has no card.")
    if len(metadata) > 1:
        other = next(name for name in metadata if name != KEY)
        raise ModelFileError(f"the header has {shown(other)} beside the card.")
    return entries, metadata[KEY]


def _end_of_arrays(entries: dict[str, Any]) -> int:
    """Where the last array ends; what else safetensors asks for it checks itself."""
    end = 0
    for name, entry in entries.items():
        offsets: Any = entry.get("data_offsets") if isinstance(entry, dict) else None
        whole = isinstance(offsets, list) and len(offsets) == 2
        if not whole or not all(type(at) is int and 0 <= at < 1 << 62 for at in offsets):
            raise ModelFileError(f"the header does not say where the array {shown(name)} is.")
        end = max(end, *offsets)
    return end


def _check_digest(data: bytes, length: int, expected: str) -> None:
    start = data.find(BEFORE_DIGEST, 0, LENGTH + length) + len(BEFORE_DIGEST)
    if data[start : start + len(ZEROS)] != expected.encode():
        raise ModelFileError("the SHA-256 does not stand where it should: the card was rewritten.")
    view = memoryview(data)
    found = hashlib.sha256(view[:start])
    found.update(ZEROS.encode())
    found.update(view[start + len(ZEROS) :])
    if found.hexdigest() != expected:
        raise ModelFileError(
            "damaged: the SHA-256 of its bytes is not the one it was written with. Copy it again "
            "or go back to an older file."
        )


def _arrays(data: bytes) -> Arrays:
    from safetensors import SafetensorError, deserialize

    try:
        parts = deserialize(data)  # type: ignore[no-untyped-call]
    except SafetensorError as error:
        raise ModelFileError(f"the header is not sound: {error}") from None
    arrays = {}
    for name, part in parts:
        dtype = DTYPES.get(part["dtype"])
        if dtype is None:
            raise ModelFileError(f"the array {shown(name)} is of the unknown type {part['dtype']}.")
        try:
            values = np.frombuffer(part["data"], dtype).reshape(part["shape"])
        except (ValueError, OverflowError) as error:
            raise ModelFileError(f"the array {shown(name)}: {error}.") from None
        arrays[name] = values.astype(dtype.newbyteorder("="), copy=False)
    return arrays
