"""Packed rows: encoded rows and their labels in one memory-mapped file.

The file is in safetensors format: a header of fixed length, then the arrays of `ARRAYS` in that
order, each at an aligned offset. Every array is cut into blocks, and a CRC-32 of each block is
stored at the end. A header must equal, byte for byte, the one that these arrays would get.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack
from copy import copy
from typing import TYPE_CHECKING, Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import LARGEST_INT32, Arrays, SparseRows
from rosenblatt.engine.text.checksums import crc32
from rosenblatt.errors import DataError, ModelFileError
from rosenblatt.models.classes import LabelCodes, natural_order
from rosenblatt.persistence.card import strict_json
from rosenblatt.persistence.container import LENGTH, PACKED_ROWS
from rosenblatt.persistence.disk import NewFile
from rosenblatt.persistence.parameters import decode, encode
from rosenblatt.persistence.soundness import LABEL_DTYPE
from rosenblatt.tables.readers.block import Block
from rosenblatt.tables.readers.reader import Reader
from rosenblatt.tables.readers.sources import our_kind

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyArray, Table

# Sizes in bytes.
HEADER = 1 << 12
BLOCK = 1 << 24
COPIED_AT_ONCE = 1 << 18  # what stays in a core's cache is copied in a third of the time
ALIGNMENT = 8
MAX_CLASS_BYTES = 1 << 28

VALUES_AT_ONCE = 1 << 20  # values, or row starts, read at once
LARGEST_SHAPE = 1 << 62
FORMAT = "1"
# The type and the shape of each array, by name.
Layout = dict[str, tuple[str, tuple[int, ...]]]
FLOATS = ("F64", "F32")
INTEGERS = ("I32", "I64")
# Dense rows have X, sparse ones data, indptr and indices; weights only if rows have some.
ARRAYS = {
    "X": FLOATS,
    "data": FLOATS,
    "card": ("U8",),
    "weights": ("F64",),
    "indptr": INTEGERS,
    "indices": INTEGERS,
    "labels": ("I32",),
    "digests": ("U32",),
}
CARD = {"classes", "label_dtype", "n_features", "schema", "sources"}
AGAIN = "pack the data again, or copy the file again"
# Exceptions that the checks raise for a corrupt file.
UNSOUND = (ModelFileError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError)


class PackedRows(Block):
    """Memory-mapped rows, labels and weights of a packed file, read from the disk on access.

    ``X, y = packed`` unpacks what a learner takes; ``packed[:1000]`` are the first rows.

    Attributes
    ----------
    X : ndarray or SparseRows
        The features, read only.
    y : LabelCodes
        The labels, as numbers of `classes`; ``packed.y[:]`` and NumPy make labels of them.
    classes : ndarray
        The classes in order.
    weights : ndarray or None
        The importance of each row, for ``sample_weight``; None if all count the same.
    schema : Schema, TextSchema or SparseSchema
        How the rows became features.
    sources : list of str
        The files that were packed.
    """

    schema: Any = None
    _first = 0

    def __init__(
        self, rows: Table, labels: LabelCodes, weights: AnyArray | None, card: dict[str, Any]
    ) -> None:
        self.rows = rows
        self.labels = labels
        self.weights = weights
        self.classes = labels.classes
        self.sources = card["sources"]
        self.card = card

    @property
    def X(self) -> Any:
        return self.rows

    @property
    def lines(self) -> npt.NDArray[np.int64]:  # type: ignore[override]
        """Return the row numbers in the file, from 1."""
        return np.arange(self._first + 1, self._first + len(self) + 1)

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def __getitem__(self, rows: slice) -> Self:
        part = copy(self)
        part.rows = self.rows[rows]
        part.labels = self.labels[rows]
        part.weights = None if self.weights is None else self.weights[rows]
        part._first = self._first + rows.indices(len(self))[0]
        return part

    def blocks(self) -> Iterator[PackedRows]:
        """Return an iterator over blocks of rows, each of about `VALUES_AT_ONCE` values."""
        step = max(1, VALUES_AT_ONCE * len(self) // max(1, self.n_values))
        return (self[start : start + step] for start in range(0, len(self), step))

    @property
    def n_values(self) -> int:
        """Return the number of stored values."""
        if isinstance(self.rows, SparseRows):
            return int(self.rows.nnz)
        return int(self.rows.size)

    def __repr__(self) -> str:
        return f"PackedRows({len(self):,} rows, {self.rows.shape[1]:,} features)"


class PackedReader(Reader[PackedRows]):
    """Reader of the blocks of a packed file."""

    def __init__(self, packed: PackedRows) -> None:
        super().__init__([], "fail")
        self._packed = packed

    def _read_whole(self) -> PackedRows:
        return self._packed

    def _read_blocks(self) -> Generator[PackedRows, None, None]:
        for block in self._packed.blocks():
            self.rows += len(block)
            yield block


# ---------------------------------------------------------------------- writing


class Part:
    """Array that is appended to a file, with the CRC-32 of each of its blocks."""

    def __init__(self, kind: str, file: Any) -> None:
        self.kind = kind
        self.file = file
        self.size = 0  # bytes
        self.digests: list[int] = []
        self._dtype = _dtype(kind)

    def add(self, values: AnyArray) -> None:
        data = np.ascontiguousarray(values, self._dtype).reshape(-1).view(np.uint8).data
        self.file.write(data)
        while len(data):
            # The digest of a partial block is continued with the bytes that follow.
            n_filled = self.size % BLOCK
            piece = data[: BLOCK - n_filled]
            data = data[BLOCK - n_filled :]
            before = self.digests.pop() if n_filled else 0
            self.digests.append(crc32(piece, before))
            self.size += len(piece)

    @property
    def n_items(self) -> int:
        return self.size // self._dtype.itemsize

    def values(self) -> Iterator[AnyArray]:
        """Yield all values written so far, read back from a spool file."""
        self.file.seek(0)
        while chunk := self.file.read(COPIED_AT_ONCE):
            yield np.frombuffer(chunk, self._dtype)


class RowsWriter:
    """Writer of a packed file in bounded memory; without `finish` the file is discarded.

    The largest array is written to its final place. The others are spooled to files without a name
    and appended at the end. The file is not synced to the disk: after a power failure the digests
    reveal the damage.
    """

    def __init__(self, path: str) -> None:
        self._file = NewFile(path)
        self._stack = ExitStack()
        self._stack.callback(self._file.discard)
        self._folder = os.path.dirname(os.path.realpath(path))
        self._parts: dict[str, Part] = {}
        self._has_weights = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, rows: Any, codes: npt.NDArray[np.int32], weights: AnyArray | None = None) -> None:
        """Append rows of the same kind as the first ones, with the codes of their labels."""
        with self._file.named():
            main = "data" if isinstance(rows, SparseRows) else "X"
            if not self._parts:
                self._file.open().write(bytes(HEADER))
                self._parts[main] = Part("F32" if rows.dtype == np.float32 else "F64", self._file)
            n_stored = self._parts[main].n_items
            self._parts[main].add(rows if main == "X" else rows.data)
            if main == "data":
                self._spooled("indices", "I32").add(rows.indices)
                spool = self._spooled("indptr", "I64")
                starts = rows.indptr.astype(np.int64) + n_stored
                # The first start of a block is the last one of the block before.
                spool.add(starts[1:] if spool.size else starts)
            self._spooled("labels", "I32").add(codes)
            if weights is not None:
                if (weights != 1.0).any():
                    self._has_weights = True
                self._spooled("weights", "F64").add(weights)

    def _spooled(self, name: str, kind: str) -> Part:
        if name not in self._parts:
            spool = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115
            self._stack.callback(spool.close)
            self._parts[name] = Part(kind, spool)
        return self._parts[name]

    def finish(self, classes: AnyArray, numbers: AnyArray, card: dict[str, Any]) -> None:
        """Write the other arrays and rename the file; ``numbers`` maps codes to class indices."""
        main, *_ = spools = self._parts
        self._parts = {main: spools.pop(main)}
        if not self._has_weights:
            spools.pop("weights", None)
        labels = [encode(label, "the label") for label in classes.tolist()]
        card = card | {"classes": labels, "label_dtype": classes.dtype.str}
        text = json.dumps(card, separators=(",", ":")).encode()
        # Blanks at the end align what follows.
        text += b" " * (-(self._parts[main].size + len(text)) % ALIGNMENT)
        with self._file.named():
            self._append("card", "U8", [np.frombuffer(text, np.uint8)])
            for name in ("weights", "indptr", "indices", "labels"):
                if name in spools:
                    self._append_spool(name, spools[name], self._parts[main].n_items, numbers)
            digests = [digest for part in self._parts.values() for digest in part.digests]
            self._append("digests", "U32", [np.array(digests)])

            layout: Layout = {}
            for name, part in self._parts.items():
                layout[name] = part.kind, (part.n_items,)
            if main == "X":
                (n_rows,) = layout["labels"][1]
                layout["X"] = layout["X"][0], (n_rows, card["n_features"])
            self._file.write_at(0, _header(layout))
            self._file.finish(sync=False)
            self._file.rename()

    def _append_spool(self, name: str, spool: Part, n_stored: int, numbers: AnyArray) -> None:
        """Append a spooled array, converted to its final type."""
        if name == "labels":
            self._append(name, spool.kind, (numbers[codes] for codes in spool.values()))
            return
        kind = spool.kind
        if name in ("indptr", "indices"):
            kind = "I64" if n_stored > LARGEST_INT32 else "I32"
        if kind != spool.kind:
            self._append(name, kind, spool.values())
            return
        # The digests are known already.
        self._parts[name] = spool
        for some in spool.values():
            self._file.write(some.data)

    def _append(self, name: str, kind: str, values: Iterable[AnyArray]) -> None:
        self._parts[name] = Part(kind, self._file)
        for some in values:
            self._parts[name].add(some)


def _dtype(kind: str) -> np.dtype[Any]:
    return np.dtype(f"<{kind[0].lower()}{int(kind[1:]) // 8}")


def _header(layout: Layout) -> bytes:
    """Return the file header for arrays of the given types and shapes."""
    entries: dict[str, Any] = {"__metadata__": {PACKED_ROWS: FORMAT}}
    at = 0
    for name, (kind, shape) in layout.items():
        end = at + math.prod(shape) * _dtype(kind).itemsize
        entries[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, end]}
        at = end
    text = json.dumps(entries, separators=(",", ":")).encode()
    return (HEADER - LENGTH).to_bytes(LENGTH, "little") + text.ljust(HEADER - LENGTH)


# ---------------------------------------------------------------------- reading


def map_rows(path: Any, *, verify: bool = True) -> PackedRows:
    """Memory-map a packed file and validate it; with `verify`, also check every digest."""
    name = os.fsdecode(path)
    found = our_kind(path)
    if found != "rows":
        os.stat(path)
        what = "a model, not data" if found == "model" else "not a file of packed rows"
        cure = "give the data it is to see" if found else "pack the data with rosenblatt pack"
        raise DataError(f"this is {what}", name=name, cures=cure)
    try:
        with open(path, "rb") as file:
            arrays = _mapped(file, verify)
        card = strict_json(arrays["card"].tobytes().decode(), "card")
        return PackedRows(*_checked(arrays, card), card)
    except UNSOUND as error:
        text = "".join(c if c.isprintable() else "?" for c in str(error)[:200]).rstrip(".")
        raise DataError(
            f"not a whole file of packed rows: {text}", name=name, cures=AGAIN
        ) from None


def _mapped(file: BinaryIO, verify: bool) -> Arrays:
    """Memory-map the arrays of a file; raise if the header or, with `verify`, a digest is wrong."""
    size = os.fstat(file.fileno()).st_size
    head = file.read(HEADER)
    entries = strict_json(head[LENGTH:].decode(), "header")
    layout = _checked_layout(entries)
    _require(_header(layout) == head, "the header was changed")
    end = HEADER + entries["digests"]["data_offsets"][1]
    _require(size == end, f"{size:,} bytes of {end:,}")

    whole = memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ))
    arrays: Arrays = {}
    blocks: list[tuple[str, memoryview]] = []
    for name, (kind, shape) in layout.items():
        begin, stop = entries[name]["data_offsets"]
        data = whole[HEADER + begin : HEADER + stop]
        arrays[name] = np.frombuffer(data, _dtype(kind)).reshape(shape)
        if name == "digests":
            continue
        for at in range(0, len(data), BLOCK):
            blocks.append((f"block {at // BLOCK + 1} of {name}", data[at : at + BLOCK]))

    digests = arrays.pop("digests").tolist()
    _require(len(digests) == len(blocks), f"{len(digests):,} digests of {len(blocks):,} blocks")
    if verify:
        for (block, data), digest in zip(blocks, digests, strict=True):
            _require(crc32(data) == digest, f"{block} is damaged")
    return arrays


def _checked_layout(entries: dict[str, Any]) -> Layout:
    """Remove the metadata from the entries of a header; return the layout, or raise if invalid."""
    written = entries.pop("__metadata__")[PACKED_ROWS]
    _require(written == FORMAT, f"of format {written}, where this version reads format {FORMAT}")
    layout: Layout = {}
    for name, entry in entries.items():
        kind = entry["dtype"]
        shape = entry["shape"]
        _require(kind in ARRAYS.get(name, ()), f"an array {name} of {kind}")
        n_dimensions = 2 if name == "X" else 1
        is_sound = (
            type(shape) is list
            and len(shape) == n_dimensions
            and all(type(n) is int and 0 <= n < LARGEST_SHAPE for n in shape)
        )
        _require(is_sound, f"the shape of {name}")
        layout[name] = kind, tuple(shape)

    unused = {"data", "indptr", "indices"} if "X" in layout else {"X"}
    if "weights" not in layout:
        unused.add("weights")
    _require(list(layout) == [name for name in ARRAYS if name not in unused], "other arrays")
    return layout


def _checked(arrays: Arrays, card: Any) -> tuple[Table, LabelCodes, AnyArray | None]:
    """Return rows, labels and weights; raise ValueError if they are inconsistent.

    Column indices and values are checked later, by the training loops.
    """
    _require(type(card) is dict and card.keys() == CARD, "a card with other facts")
    width = card["n_features"]
    n = len(arrays["labels"])
    is_sound = type(width) is int and 1 <= width < LARGEST_SHAPE and n > 0
    _require(is_sound, "no rows or no features")

    rows: Table = arrays["X"] if "X" in arrays else _checked_sparse_rows(arrays, n, width)
    _require(rows.shape == (n, width), f"rows of shape {rows.shape} for {n:,} labels")
    weights = arrays.get("weights")
    _require(weights is None or len(weights) == n, "weights of other rows")
    # A copy, which nobody can change after the check: loops index weights by these codes.
    labels = LabelCodes(arrays["labels"].copy(), _checked_classes(card))
    _require(all(labels.counts().values()), "a class without rows")
    sources = card["sources"]
    _require(type(sources) is list and all(type(s) is str for s in sources), "the sources")
    return rows, labels, weights


def _checked_sparse_rows(arrays: Arrays, n: int, width: int) -> SparseRows:
    starts = arrays["indptr"]
    n_stored = len(arrays["data"])
    cuts = (starts[at : at + VALUES_AT_ONCE + 1] for at in range(0, n, VALUES_AT_ONCE))
    ascending = all((some[1:] >= some[:-1]).all() for some in cuts)
    _require(len(starts) == n + 1 and starts[0] == 0 and ascending, "rows that overlap")
    _require(starts[-1] == n_stored == len(arrays["indices"]), "rows that end elsewhere")
    _require(starts.dtype == arrays["indices"].dtype, "places of different types")
    return SparseRows(arrays["data"], arrays["indices"], starts, width)


def _checked_classes(card: dict[str, Any]) -> AnyArray:
    listed = [decode(label, "classes") for label in card["classes"]]
    _require(LABEL_DTYPE.fullmatch(card["label_dtype"]) is not None, "classes of no known type")
    dtype = np.dtype(card["label_dtype"])
    _require(dtype.itemsize * len(listed) <= MAX_CLASS_BYTES, f"classes of {dtype}")
    classes = np.empty(len(listed), dtype)
    classes[:] = listed
    _require(classes.tolist() == listed, f"classes that are not of {dtype}")
    _require(natural_order(listed) == listed, "classes in another order")
    return classes


def _require(is_sound: bool, problem: str) -> None:
    """Raise ValueError, which `map_rows` reports, unless `is_sound`."""
    if not is_sound:
        raise ValueError(problem)
