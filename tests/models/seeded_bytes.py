"""What these loops learn and read, seeded; run as a script it prints that as JSON.

    PYTHONPATH=tests python -m models.seeded_bytes

Whoever built the loops and on whatever machine: it must be the same.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from frozen.table import CASES, frozen, outcome_of

from models.test_clones import RULES, learned
from rosenblatt.engine.rows import rows as tables
from rosenblatt.io import iter_svmlight, iter_vw, read_table

SHAPES = [(300, 3, 2), (200, 20, 2), (200, 37, 4), (90, 150, 7), (40, 2000, 2), (40, 700, 10)]
WAYS: list[dict[str, Any]] = [
    {"shuffled": False, "weighted": False, "averaged": True, "bias": True, "threshold": 0.0},
    {"shuffled": True, "weighted": True, "averaged": False, "bias": True, "threshold": 0.5},
    {"shuffled": True, "weighted": False, "averaged": True, "bias": False, "threshold": 0.5},
]


def of_clone(name: str) -> str:
    """A digest of all that dense rows of several shapes leave behind, under every rule."""
    tables.use_clone(name)
    digest = hashlib.sha256()
    for seed, ((n, d, k), dtype, rule, how) in enumerate(
        product(SHAPES, (np.float32, np.float64), RULES, WAYS)
    ):
        random = np.random.default_rng(seed)
        y = random.integers(0, k, n).astype(np.int32)
        X = (random.standard_normal((n, d)) + random.standard_normal((k, d))[y]).astype(dtype)
        for part in learned(X, y, k, rule, how, n, logged=2 * n):
            digest.update(part)
    return digest.hexdigest()


def of_texts() -> str:
    """A digest of the numbers that text of several formats is read as."""
    digest = hashlib.sha256()
    for array in _read(np.random.default_rng(0)):
        digest.update(array.tobytes())
    return digest.hexdigest()


def _read(random: np.random.Generator) -> Iterator[np.ndarray]:
    kinds = ["%.6g", "%.3f", "%.8f", "%r", "%.25g", "%.0f", "%e"]
    values = (random.standard_normal((500, 40)) * 10.0 ** random.integers(-9, 9, 40)).tolist()
    rows = [[kinds[(i + j) % 7] % v for j, v in enumerate(row)] for i, row in enumerate(values)]
    pairs = [" ".join(f"{3 * j + 1}:{text}" for j, text in enumerate(row)) for row in rows]
    for dtype in (np.float64, np.float32):
        svm = iter_svmlight(io.BytesIO("".join(f"1 {p}\n" for p in pairs).encode()), dtype=dtype)
        vw = iter_vw(io.BytesIO("".join(f"1 | {p}\n" for p in pairs).encode()), dtype=dtype)
        csv = "".join(",".join(["1", *row]) + "\n" for row in [[f"x{j}" for j in range(40)], *rows])
        for found in (svm.whole().rows, vw.whole().rows):
            yield from (found.data, found.indices)
        yield read_table(io.BytesIO(csv.encode()), target="1", dtype=dtype).numbers


def changed() -> list[str]:
    """The cases of `frozen` that come to something else."""
    before, names = frozen(), []
    for name in CASES:
        with TemporaryDirectory() as folder:
            if outcome_of(name, Path(folder)) != before[name]:
                names.append(name)
    return names


def main() -> None:
    found = {name: of_clone(name) for name in tables.clones()}
    print(
        json.dumps(
            {
                "where": tables.__file__,
                "clones": found,
                "texts": of_texts(),
                "changed": changed(),
            }
        )
    )


if __name__ == "__main__":
    main()
