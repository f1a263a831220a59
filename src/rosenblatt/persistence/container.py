"""Arrays and a card as the bytes of one safetensors file, with a digest over all of them.

An array that is mostly 0, as the weights of hashed words are, takes three instead: where it is not,
what stands there, and its shape. Of a long card, such as that of many columns, all that follows the
digest is an array of bytes: headers are limited.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from rosenblatt.arrays import AnyArray, Arrays
from rosenblatt.errors import ModelFileError, shown
from rosenblatt.persistence.card import plain, strict_json
from rosenblatt.persistence.layout import in_order, whole

KEY, PACKED_ROWS = "rosenblatt", "rosenblatt_rows"
LENGTH = 8
MOST_HEADER = 100_000_000  # the limit of safetensors
CARD, LONGEST_CARD = "card", 1 << 20
DTYPES = {"F32": "<f4", "F64": "<f8", "I8": "<i1", "I32": "<i4", "I64": "<i8"}
# What the three are called after the name of the array, and how many bytes they have to save.
INDEX, VALUES, SHAPE = PARTS = ("/index", "/values", "/shape")
LEAST_SAVED = 4096
MOST_NUMBERS = 1 << 34  # in one array; more than machines have room for, less than overflows
ZEROS = "0" * 64
# The card is JSON in a string of JSON, hence the backslashes. It comes first in the header and
# the digest comes before every text that a user can choose.
BEFORE_DIGEST = rb"\"sha256\":\""


def pack(card: str, arrays: Arrays) -> list[bytes | memoryview]:
    """The file in three parts, to be written one after the other; the second is its digest.

    ``card`` has 64 zeros where the digest goes.
    """
    from safetensors.numpy import save

    stored = {part: a for name, values in arrays.items() for part, a in _stored(name, values)}
    if len(card) > LONGEST_CARD:
        end = card.index(ZEROS) + len(ZEROS) + 1
        stored[CARD] = np.frombuffer(f"{{{card[end + 1 :]}".encode(), np.int8)
        card = card[:end] + "}"
    packed = save(stored, {KEY: card})
    data = memoryview(packed)
    start = packed.index(BEFORE_DIGEST + ZEROS.encode()) + len(BEFORE_DIGEST)
    digest = hashlib.sha256(data).hexdigest()
    return [data[:start], digest.encode(), data[start + len(ZEROS) :]]


def _stored(name: str, values: AnyArray) -> Iterator[tuple[str, AnyArray]]:
    """The array as it is or, where that saves room, in three parts."""
    values = np.ascontiguousarray(values)
    if values.nbytes > LEAST_SAVED:
        flat = values.ravel()
        bits = flat.view(f"u{flat.itemsize}")  # so that a negative zero is kept
        small = flat.size <= np.iinfo(np.int32).max
        each = flat.itemsize + (4 if small else 8)
        if np.count_nonzero(bits) * each + LEAST_SAVED <= values.nbytes:
            index = np.flatnonzero(bits)
            yield name + INDEX, index.astype(np.int32) if small else index
            yield name + VALUES, flat[index]
            yield name + SHAPE, np.array(values.shape, np.int64)
            return
    yield name, values


def unpack(file: BinaryIO, size: int) -> tuple[dict[str, Any], Arrays]:
    """The card and the arrays in a file of ``size`` bytes, if it is whole and as it was written.

    Nothing is read, let alone allocated, on the word of the file: the size decides.
    """
    if size == 0:
        raise ModelFileError("the file is empty.")
    start = file.read(min(size, LENGTH + LOOKED_AT))
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
    arrays = _arrays(data)
    if CARD in arrays:
        fields |= _rest_of_card(arrays.pop(CARD))
    return fields, arrays


def _rest_of_card(values: AnyArray) -> dict[str, Any]:
    rest = strict_json(values.tobytes().decode("utf-8", "replace"), "card")
    if not isinstance(rest, dict) or rest.keys() & {"format", "version", "sha256"}:
        raise ModelFileError("the card is stored in parts that do not fit.")
    return rest


def _check_start(start: bytes, length: int, size: int) -> None:
    ours = start[LENGTH : LENGTH + 1] == b"{"
    if not (ours and 0 < length <= MOST_HEADER):
        name = _foreign_name(start)
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
    if isinstance(metadata, dict) and PACKED_ROWS in metadata:
        raise ModelFileError("packed rows, not a model. To train on them: rosenblatt train FILE.")
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
        if part["dtype"] not in DTYPES:
            raise ModelFileError(f"the array {shown(name)} is of the unknown type {part['dtype']}.")
        dtype = np.dtype(DTYPES[part["dtype"]])
        try:
            values = np.frombuffer(part["data"], dtype).reshape(part["shape"])
        except (ValueError, OverflowError) as error:
            raise ModelFileError(f"the array {shown(name)}: {error}.") from None
        arrays[name] = values.astype(dtype.newbyteorder("="), copy=False)
    for name in [name.removesuffix(INDEX) for name in arrays if name.endswith(INDEX)]:
        if name in arrays:
            raise ModelFileError(f"the array {shown(name)} is stored twice.")
        arrays[name] = _joined(name, *(arrays.pop(name + part, None) for part in PARTS))
    return arrays


def _joined(name: str, index: Any, values: Any, shape: Any) -> AnyArray:
    """The array of the three parts, if they are those of one."""
    if values is None or shape is None or len({a.ndim for a in (index, values, shape)} | {1}) > 1:
        raise ModelFileError(f"the array {shown(name)} is stored in parts that do not fit.")
    if index.dtype.kind != "i" or shape.dtype != np.int64:
        raise ModelFileError(f"the array {shown(name)} is stored in parts of the wrong type.")
    for size in shape.tolist():
        whole(f"the shape of {name}", size, 0, MOST_NUMBERS)
    size = math.prod(shape.tolist())
    whole(f"the size of {name}", size, 1, MOST_NUMBERS)
    if len(index) != len(values):
        raise ModelFileError(f"{name}: {len(index)} places, but {len(values)} values.")
    if len(index):
        in_order(name + INDEX, index, strictly=True)
        whole(f"{name}{INDEX}[0]", int(index[0]), 0, size - 1)
        whole(f"{name}{INDEX}[{len(index) - 1}]", int(index[-1]), 0, size - 1)
    try:
        joined = np.zeros(size, values.dtype)
    except MemoryError:
        raise ModelFileError(f"the {size:,} numbers of {name} do not fit into memory.") from None
    joined[index] = values
    return joined.reshape(shape)


# ---------------------------------------------------------------------- files that are not ours


SIGNATURES = (
    (b"PK\x03\x04", "a zip archive, such as numpy.savez, PyTorch and skops write"),
    (b"\x1f\x8b", "a gzip file"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ\x00", "an xz file"),
    (b"\x28\xb5\x2f\xfd", "a zstandard file"),
    (b"\x04\x22\x4d\x18", "an lz4 file"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file, such as Keras writes"),
    (b"\x93NUMPY", "a NumPy array file"),
    (b"PAR1", "a Parquet file"),
    (b"\x89PNG\r\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF-", "a PDF document"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x7fELF", "a program"),
)
LONGEST_SIGNATURE = 16
ZLIB = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
PICKLE = (
    "a pickle; rosenblatt does not load pickles, because loading one can run any code that is in "
    "it. Load it where you trust it, and write the learner with rosenblatt.save."
)
# Instructions without which no pickle of a learner can do.
TELLING = {"MARK", "GLOBAL", "EMPTY_DICT", "EMPTY_LIST", "EMPTY_TUPLE", "PUT", "BINPUT"}
# So much of a file tells what it is.
LOOKED_AT = 1 << 16


def name_by_signature(start: bytes) -> str | None:
    """What a file of another kind is, by its first bytes; None if they are not known."""
    return next((name for mark, name in SIGNATURES if start.startswith(mark)), None)


def _foreign_name(data: bytes) -> str | None:
    """What the file that starts with these bytes is, as the end of "this is …"; None if unknown."""
    if len(data) > 2 and data[0] == 0x80 and 2 <= data[1] <= 6 and data[2]:
        return PICKLE
    if name := name_by_signature(data):
        return f"{name}, not a rosenblatt model."
    if data[:2] in ZLIB:
        return (
            "compressed with zlib, as joblib does with its pickles; it is not a rosenblatt model."
        )
    # ONNX is a protocol buffer: the version of its format, then the name of what wrote it.
    if len(data) > 3 and data[0] == 0x08 and 0 < data[1] < 32 and data[2] in (0x12, 0x3A, 0x42):
        return "an ONNX model, not a rosenblatt model."
    if _is_old_pickle(data[:LOOKED_AT]):
        return PICKLE
    if data.lstrip()[:1] in (b"{", b"[") and _is_text(data[:LOOKED_AT]):
        return "JSON text, not a rosenblatt model."
    if _is_text(data[:LOOKED_AT]):
        return "text, not a rosenblatt model. To train on it: rosenblatt train FILE."
    return None


def _is_old_pickle(data: bytes) -> bool:
    """Protocols 0 and 1 have no signature, so their instructions are read (and not followed)."""
    from pickletools import genops

    names, last = [], 0
    try:
        for instruction, _, place in genops(data):
            names.append(instruction.name)
            last = place or 0
    except Exception:
        # Also the end of a long pickle, of which only the beginning is here.
        return len(names) > 50 and not TELLING.isdisjoint(names)
    return last + 1 == len(data) and not TELLING.isdisjoint(names)


def _is_text(data: bytes) -> bool:
    try:
        # The last character may be cut in two.
        text = data.decode("utf-8") if len(data) < 4 else data[:-3].decode("utf-8", "strict")
    except UnicodeDecodeError as error:
        if error.end < len(data) - 3:
            return False
        text = data[: error.start].decode("utf-8")
    return bool(text) and all(c.isprintable() or c in "\t\r\n\f" for c in text)
