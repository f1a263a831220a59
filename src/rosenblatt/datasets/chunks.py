"""Endless data in bounded memory: drawn in chunks, handed out in blocks of any size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

Columns = tuple[npt.NDArray[Any], ...]

# Rows are drawn this many at a time, whatever is asked for, so that a row depends on the seed and
# its number alone.
CHUNK = 1024


def cut(draw: Callable[[int], Columns], n_rows: int | None, size: int) -> Iterator[Columns]:
    """Blocks of `size` rows, the last perhaps shorter, out of the chunks that `draw` gives."""
    number, held = -1, draw(0)
    start = 0
    while n_rows is None or start < n_rows:
        stop = start + size if n_rows is None else min(start + size, n_rows)
        parts = []
        while start < stop:
            if start // CHUNK != number:
                number = start // CHUNK
                held = draw(number)
            first = start - number * CHUNK
            last = min(stop - number * CHUNK, CHUNK)
            parts.append(tuple(column[first:last] for column in held))
            start += last - first
        if len(parts) == 1:
            yield parts[0]
        else:
            yield tuple(np.concatenate(pieces) for pieces in zip(*parts, strict=True))
