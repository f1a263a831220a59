"""Files of packed rows, changed by somebody who knows the format and computes the digests anew.

Taken apart and put together without our code, so that something else judges what is accepted.
"""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import numpy as np
from persistence import mutations

from rosenblatt import AveragedPerceptron, io
from rosenblatt.arrays import SparseRows
from rosenblatt.errors import RosenblattError

HEADER, BLOCK = 4096, 1 << 24
TYPES = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "U32": "<u4", "U8": "|u1"}
KINDS = {np.dtype(dtype): kind for kind, dtype in TYPES.items()}


def opened(data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """The card and the arrays of a file."""
    entries = json.loads(data[8:HEADER])
    del entries["__metadata__"]
    arrays = {}
    for name, entry in entries.items():
        start, end = (HEADER + at for at in entry["data_offsets"])
        values = np.frombuffer(data[start:end], TYPES[entry["dtype"]])
        arrays[name] = values.reshape(entry["shape"]).copy()
    del arrays["digests"]
    return json.loads(arrays.pop("card").tobytes()), arrays


def cuts(values: Any) -> range:
    """Where the blocks of an array begin."""
    return range(0, values.nbytes, BLOCK)


def closed(card: Any, arrays: dict[str, Any]) -> bytes:
    """A file with digests of a card and arrays."""
    (main, first), *others = arrays.items()
    text = json.dumps(card).encode()
    text += b" " * (-(first.nbytes + len(text)) % 8)
    parts = {main: first, "card": np.frombuffer(text, np.uint8), **dict(others)}
    blocks = [
        p.tobytes()[at : at + BLOCK] for p in parts.values() for at in range(0, p.nbytes, BLOCK)
    ]
    parts["digests"] = np.array([crc32(block) for block in blocks], np.uint32)
    header: dict[str, Any] = {"__metadata__": {"rosenblatt_rows": "1"}}
    end = 0
    for name, values in parts.items():
        places = [end, end := end + values.nbytes]
        kind = KINDS.get(values.dtype, "BOOL")
        header[name] = {"dtype": kind, "shape": values.shape, "data_offsets": places}
    start = (HEADER - 8).to_bytes(8, "little")
    start += json.dumps(header, separators=(",", ":")).encode().ljust(HEADER - 8)
    return start + b"".join(values.tobytes() for values in parts.values())


@cache
def seeds() -> list[bytes]:
    """Dense and sparse rows with labels of several kinds."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 4))
    sparse = SparseRows.from_dense(X * (X > 0))
    given = [
        (X, rng.integers(2, size=12)),
        (X.astype(np.float32), rng.integers(3, size=12).astype(str), rng.random(12)),
        (sparse, [True, False] * 6),
        (sparse.astype(np.float32), ["a", "b", "c"] * 4, np.ones(12) + 1),
    ]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "seed.rows"
        files = []
        for arrays in given:
            io.pack(arrays, path)
            files.append(path.read_bytes())
        return files


def forged(random: Random) -> bytes:
    """A file with some of its parts changed; now and then as it was."""
    data, times, kind = random.choice(seeds()), random.randrange(4), random.randrange(8)
    if kind == 0:
        changed = bytearray(data)
        change = random.choice([mutations.change_bytes, *[mutations.nudge_a_byte] * 3])
        for _ in range(times):
            change(random, changed)
        return bytes(changed)
    card, arrays = opened(data)
    card = deepcopy(card)
    change = random.choice([mutations.change_a_field, *[mutations.nudge_a_field] * 3])
    if kind > 3:
        change = random.choice([mutations.change_an_array, *[mutations.nudge_an_array] * 3])
    for _ in range(times):
        change(random, arrays if kind > 3 else card)
    return closed(card, arrays) if arrays else data


def read_and_use(random: Random, data: bytes, folder: Path) -> bool:
    """Whether it was taken; what is in the rows the learner may still refuse."""
    path = folder / "data.rows"
    path.write_bytes(data)
    try:
        packed = io.read_packed(path, verify=random.random() < 0.5)
        model = AveragedPerceptron(max_iter=2)
        if packed.X.shape[1] <= 10_000:
            model.fit(packed.X, packed.y, sample_weight=packed.weights)
            for block in packed.blocks():
                model.partial_fit(block.X, block.labels)
            model.score(packed.X, packed.y)
    except RosenblattError:
        return False
    return True
