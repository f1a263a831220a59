"""Pack arrays and a card as one safetensors file, with a digest over all of its bytes.

An array that is mostly 0, such as the weights of hashed words, is stored sparse, as three arrays:
the indices of its other values, these values, and its shape. Headers are limited, so the part of a
long card after the digest, such as that of many columns, is stored as an array of bytes.
"""

from __future__ import annotations

import hashlib
import math
from typing import Any, BinaryIO

import numpy as np

from rosenblatt.arrays import AnyArray, Arrays
from rosenblatt.errors import ModelFileError, shown
from rosenblatt.persistence.card import plain, strict_json
from rosenblatt.persistence.layout import in_order, whole

# The metadata keys of the header: that of the card of a model, and that of files of packed rows.
KEY = "rosenblatt"
PACKED_ROWS = "rosenblatt_rows"
# Bytes of the field for the length of the header, and the longest header that safetensors allows.
LENGTH = 8
MAX_HEADER = 100_000_000
# Name of the array for a long card, and the longest card in the header, in characters.
CARD = "card"
LONGEST_CARD = 1 << 20
DTYPES = {"F32": "<f4", "F64": "<f8", "I8": "<i1", "I32": "<i4", "I64": "<i8"}
# Suffixes of the names of the three parts of a sparse array.
INDEX = "/index"
VALUES = "/values"
SHAPE = "/shape"
# An array is stored sparse if that saves this many bytes or more.
MIN_SAVED = 4096
# Most numbers in one array: more than fit into memory, and too few to overflow.
MAX_NUMBERS = 1 << 34
# Limit of the offsets of arrays, so that they cannot overflow.
MAX_BYTES = 1 << 62
# Placeholder for the digest while it is computed.
ZEROS = "0" * 64
# The card is JSON in a string of JSON, hence the backslashes. It comes first in the header and
# the digest comes before every text that a user can choose.
BEFORE_DIGEST = rb"\"sha256\":\""


# ---------------------------------------------------------------------- writing


def pack(card: str, arrays: Arrays) -> list[bytes | memoryview]:
    """Return the file in three parts, to be written one after the other; the second is its digest.

    ``card`` has 64 zeros in the place of the digest.
    """
    from safetensors.numpy import save

    stored: Arrays = {}
    for name, values in arrays.items():
        stored |= _stored(name, values)
    if len(card) > LONGEST_CARD:
        end = card.index(ZEROS) + len(ZEROS) + 1
        rest = f"{{{card[end + 1 :]}"
        stored[CARD] = np.frombuffer(rest.encode(), np.int8)
        card = card[:end] + "}"

    packed = save(stored, {KEY: card})
    start = packed.index(BEFORE_DIGEST + ZEROS.encode()) + len(BEFORE_DIGEST)
    digest = hashlib.sha256(packed).hexdigest()
    # Without a copy, since models can be large.
    data = memoryview(packed)
    return [data[:start], digest.encode(), data[start + len(ZEROS) :]]


def _stored(name: str, values: AnyArray) -> Arrays:
    """Return the array under its name or, if that saves space, its three sparse parts."""
    values = np.ascontiguousarray(values)
    if values.nbytes <= MIN_SAVED:
        return {name: values}
    flat = values.ravel()
    # Compared by their bits, so that a negative zero is kept.
    bits = flat.view(f"u{flat.itemsize}")
    index_type = np.int32 if flat.size <= np.iinfo(np.int32).max else np.int64
    bytes_of_value = flat.itemsize + np.dtype(index_type).itemsize
    if np.count_nonzero(bits) * bytes_of_value + MIN_SAVED > values.nbytes:
        return {name: values}
    index = np.flatnonzero(bits)
    return {
        name + INDEX: index.astype(index_type),
        name + VALUES: flat[index],
        name + SHAPE: np.array(values.shape, np.int64),
    }


# ---------------------------------------------------------------------- reading


def unpack(file: BinaryIO, size: int) -> tuple[dict[str, Any], Arrays]:
    """Return the card and the arrays of a file; raise ModelFileError if it is damaged.

    The file has ``size`` bytes, which limit what is read, whatever lengths the file states.
    """
    if size == 0:
        raise ModelFileError("the file is empty.")
    start = file.read(min(size, LENGTH + LOOKED_AT))
    length = int.from_bytes(start[:LENGTH], "little")
    _check_start(start, length, size)

    end_of_header = LENGTH + length
    data = start + file.read(max(0, end_of_header - len(start)))
    entries, card = _header(data[LENGTH:end_of_header])
    end = end_of_header + _end_of_arrays(entries)
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
    """Return the fields of a long card that are stored in an array."""
    rest = strict_json(values.tobytes().decode("utf-8", "replace"), "card")
    if not isinstance(rest, dict) or rest.keys() & {"format", "version", "sha256"}:
        raise ModelFileError("the card is stored in parts that do not fit.")
    return rest


def _check_start(start: bytes, length: int, size: int) -> None:
    """Raise ModelFileError unless a file begins with a header of ``length`` bytes."""
    is_header = start[LENGTH : LENGTH + 1] == b"{"
    if not (is_header and 0 < length <= MAX_HEADER):
        name = _foreign_name(start)
        if name is not None:
            raise ModelFileError(f"this is {name}")
    if size <= LENGTH:
        raise ModelFileError(f"truncated: {size} bytes, which is not even the length of a header.")
    if not is_header:
        raise ModelFileError("this is not a rosenblatt model: it does not start as one.")
    if not 0 < length <= MAX_HEADER:
        raise ModelFileError(
            f"the header says it is {length:,} bytes long; 1 to {MAX_HEADER:,} are allowed."
        )
    if LENGTH + length > size:
        raise ModelFileError(
            f"truncated: {size:,} of {LENGTH + length:,} bytes or more. Copy or save it again."
        )


def _header(header: bytes) -> tuple[dict[str, Any], str]:
    """Return the header entry of each array, and the text of the card."""
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
    """Return the end offset of the last array; safetensors checks the rest of the entries."""
    end = 0
    for name, entry in entries.items():
        offsets: Any = entry.get("data_offsets") if isinstance(entry, dict) else None
        is_pair = isinstance(offsets, list) and len(offsets) == 2
        if not is_pair or not _is_offset(offsets[0]) or not _is_offset(offsets[1]):
            raise ModelFileError(f"the header does not say where the array {shown(name)} is.")
        end = max(end, offsets[0], offsets[1])
    return end


def _is_offset(value: object) -> bool:
    return type(value) is int and 0 <= value < MAX_BYTES


def _check_digest(data: bytes, length: int, expected: str) -> None:
    """Raise ModelFileError unless the digest of the bytes, with zeros in its place, is correct."""
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
    """Return the arrays of a file with a verified digest, rebuilding sparse ones."""
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

    sparse = [name.removesuffix(INDEX) for name in arrays if name.endswith(INDEX)]
    for name in sparse:
        if name in arrays:
            raise ModelFileError(f"the array {shown(name)} is stored twice.")
        index = arrays.pop(name + INDEX)
        if name + VALUES not in arrays or name + SHAPE not in arrays:
            raise ModelFileError(f"the array {shown(name)} is stored in parts that do not fit.")
        values = arrays.pop(name + VALUES)
        shape = arrays.pop(name + SHAPE)
        arrays[name] = _dense(name, index, values, shape)
    return arrays


def _dense(name: str, index: AnyArray, values: AnyArray, shape: AnyArray) -> AnyArray:
    """Rebuild a sparse array from its parts; raise ModelFileError if they contradict each other."""
    if not index.ndim == values.ndim == shape.ndim == 1:
        raise ModelFileError(f"the array {shown(name)} is stored in parts that do not fit.")
    if index.dtype.kind != "i" or shape.dtype != np.int64:
        raise ModelFileError(f"the array {shown(name)} is stored in parts of the wrong type.")
    sizes = shape.tolist()
    for one_size in sizes:
        whole(f"the shape of {name}", one_size, 0, MAX_NUMBERS)
    size = math.prod(sizes)
    whole(f"the size of {name}", size, 1, MAX_NUMBERS)
    if len(index) != len(values):
        raise ModelFileError(f"{name}: {len(index)} places, but {len(values)} values.")
    if len(index):
        in_order(name + INDEX, index, strictly=True)
        whole(f"{name}{INDEX}[0]", int(index[0]), 0, size - 1)
        whole(f"{name}{INDEX}[{len(index) - 1}]", int(index[-1]), 0, size - 1)
    try:
        dense = np.zeros(size, values.dtype)
    except MemoryError:
        raise ModelFileError(f"the {size:,} numbers of {name} do not fit into memory.") from None
    dense[index] = values
    return dense.reshape(sizes)


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
# Limit of the length of a signature, in bytes.
LONGEST_SIGNATURE = 16
ZLIB = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
PICKLE = (
    "a pickle; rosenblatt does not load pickles, because loading one can run any code that is in "
    "it. Load it where you trust it, and write the learner with rosenblatt.save."
)
# Every pickle of a learner contains some of these instructions.
PICKLE_INSTRUCTIONS = {
    "MARK",
    "GLOBAL",
    "EMPTY_DICT",
    "EMPTY_LIST",
    "EMPTY_TUPLE",
    "PUT",
    "BINPUT",
}
# The beginning of a long pickle is recognized by more valid instructions than this.
MANY_INSTRUCTIONS = 50
# Bytes at the beginning of a file by which its kind is recognized.
LOOKED_AT = 1 << 16


def name_by_signature(start: bytes) -> str | None:
    """Return the kind of a file by its first bytes; None if they are not known."""
    for signature, name in SIGNATURES:
        if start.startswith(signature):
            return name
    return None


def _foreign_name(data: bytes) -> str | None:
    """Return the kind of a foreign file, as the end of "this is …"; None if it is unknown."""
    # Protocols 2 to 6 of pickle begin with their number.
    if len(data) > 2 and data[0] == 0x80 and 2 <= data[1] <= 6 and data[2]:
        return PICKLE
    name = name_by_signature(data)
    if name is not None:
        return f"{name}, not a rosenblatt model."
    if data[:2] in ZLIB:
        return (
            "compressed with zlib, as joblib does with its pickles; it is not a rosenblatt model."
        )
    # ONNX is a protocol buffer: the version of its format, then the name of the writing program.
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
    """Return whether bytes are a pickle of protocol 0 or 1.

    These have no signature, so their instructions are parsed, and not executed.
    """
    from pickletools import genops

    names: set[str] = set()
    n_instructions = 0
    last = 0
    try:
        for instruction, _, place in genops(data):
            names.add(instruction.name)
            n_instructions += 1
            last = place or 0
    except Exception:
        # No pickle, or a long one of which only the beginning is here.
        is_pickle = n_instructions > MANY_INSTRUCTIONS
    else:
        is_pickle = last + 1 == len(data)
    return is_pickle and not PICKLE_INSTRUCTIONS.isdisjoint(names)


def _is_text(data: bytes) -> bool:
    """Return whether bytes are printable UTF-8."""
    try:
        # The last character may be cut in two.
        text = data.decode("utf-8") if len(data) < 4 else data[:-3].decode("utf-8", "strict")
    except UnicodeDecodeError as error:
        if error.end < len(data) - 3:
            return False
        text = data[: error.start].decode("utf-8")
    return bool(text) and all(c.isprintable() or c in "\t\r\n\f" for c in text)
