"""What a file is that is not a model of ours, so that the refusal can name it."""

from __future__ import annotations

import pickletools

__all__ = ["name_of"]

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
)
ZLIB = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
PICKLE = (
    "a pickle; rosenblatt does not load pickles, because loading one can run any code that is in "
    "it. Load it where you trust it, and write the learner with rosenblatt.save."
)
# Instructions without which no pickle of a learner can do.
TELLING = {"MARK", "GLOBAL", "EMPTY_DICT", "EMPTY_LIST", "EMPTY_TUPLE", "PUT", "BINPUT"}
# So much of a file tells what it is.
LOOKED_AT = 1 << 16


def name_of(data: bytes) -> str | None:
    """What the file that starts with these bytes is, as the end of "this is …"; None if unknown."""
    if len(data) > 2 and data[0] == 0x80 and 2 <= data[1] <= 6 and data[2]:
        return PICKLE
    for signature, name in SIGNATURES:
        if data.startswith(signature):
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
    names, last = [], 0
    try:
        for instruction, _, place in pickletools.genops(data):
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
