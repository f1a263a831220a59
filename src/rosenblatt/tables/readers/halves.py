"""Text of which another thread parses the second half; rows and errors are those of one thread."""

from __future__ import annotations

from typing import Any, Self

# Bytes; less is parsed sooner than another thread wakes.
LEAST = 1 << 18


class Halves:
    """A parser with a twin, which has a thread of its own and reads the second half of every piece.

    Its rows are joined to those of the first half. If there is a fault in either half, the parser
    alone reads what comes after the first half, or after the fault in it.
    """

    def __init__(self, parser: Any, twin: Any) -> None:
        from concurrent.futures import ThreadPoolExecutor  # not of those who read with one thread

        self._parser, self._twin, self._pool = parser, twin, ThreadPoolExecutor(1, "parsing")
        twin.max_row = parser.max_row

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    def parse(self, buffer: bytearray, at: int, end: int, last: bool) -> int:
        """As `parse` of a parser."""
        parser, twin = self._parser, self._twin
        middle = buffer.rfind(b"\n", at, (at + end) // 2) + 1
        if end - at < LEAST or middle == 0:
            return int(parser.parse(buffer, at, end, last))
        try:
            later = self._pool.submit(twin.parse, buffer, middle, end, last)
        except RuntimeError:  # no threads can be had here, or no more of them
            return int(parser.parse(buffer, at, end, last))
        try:
            found = int(parser.parse(buffer, at, middle, False))
        finally:
            later.exception()  # waits
        later.result()
        return end if parser.join(twin) else found
