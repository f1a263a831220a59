"""Work in several threads, with the results in order."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from rosenblatt import checks
from rosenblatt.errors import ParameterError

Part = TypeVar("Part")
Result = TypeVar("Result")
# Minimum number of rows, texts or sentences per thread.
FEWEST = 1 << 10


def n_processors() -> int:
    """Return the number of processors that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads for ``n_jobs``: None is 1, -1 all processors, -2 all but one."""
    if n_jobs is None:
        return 1
    checks.whole("n_jobs", n_jobs, at_least=-(2**31), none="1")
    if n_jobs == 0:
        raise ParameterError("n_jobs=0 is not allowed: give 1 thread or more, or -1 for all.")
    return int(n_jobs) if n_jobs > 0 else max(1, n_processors() + 1 + int(n_jobs))


def slices(n: int, n_jobs: int | None, most: int | None = None) -> list[slice]:
    """Split n indices into slices for threads, of at most ``most`` indices each.

    Steps are powers of two, so that a slice is cut into the same tiles as all rows at once.
    """
    threads = n_threads(n_jobs)
    step = max(n, 1)
    if most is not None and n > most:
        step = _power_of_two(most)
    if threads > 1:
        step = min(step, max(FEWEST, _power_of_two(n // threads)))
    return [slice(start, min(start + step, n)) for start in range(0, max(n, 1), step)]


def _power_of_two(most: int) -> int:
    """Return the largest power of two that is at most ``most``, or 1 if there is none."""
    return 1 << (max(1, most).bit_length() - 1)


def each_part(
    work: Callable[[Part], Result], parts: Sequence[Part], n_jobs: int | None
) -> Iterator[Result]:
    """Yield ``work(part)`` for each part, in order, computed in ``n_jobs`` threads.

    Threads help only if ``work`` releases the GIL. An error raised is that of the first part with
    one. After it, and at Ctrl-C, no further part is begun.
    """
    n = min(n_threads(n_jobs), len(parts))
    if n < 2:
        yield from map(work, parts)
        return
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(n, "rosenblatt")
    try:
        yield from pool.map(work, parts)
    finally:
        pool.shutdown(cancel_futures=True)
