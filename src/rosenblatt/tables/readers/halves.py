"""Parsing of a piece of text with two threads; rows and errors are the same as with one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from concurrent.futures import Future

    from rosenblatt.engine.text.parsing import SparseParser

LEAST = 1 << 18  # bytes of a piece; a smaller one is parsed before another thread wakes up


class Halves:
    """Pair of parsers: the second one parses the second half of every piece in its own thread.

    The rows of the second parser are joined to those of the first. If there is a fault in either
    half, the first parser alone continues after the first half, or after the fault in it.
    """

    def __init__(self, parser: SparseParser, second: SparseParser) -> None:
        # Imported here, since those who read with one thread do not need it.
        from concurrent.futures import ThreadPoolExecutor

        self._parser = parser
        self._second = second
        self._pool = ThreadPoolExecutor(1, "parsing")
        second.max_row = parser.max_row

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    def parse(self, buffer: bytearray, at: int, end: int, last: bool) -> int:
        """Parse ``buffer[at:end]``; return the position after the last row, as a parser does."""
        parser = self._parser
        middle = buffer.rfind(b"\n", at, (at + end) // 2) + 1
        if end - at < LEAST or middle == 0:
            return parser.parse(buffer, at, end, last)
        try:
            later: Future[int] = self._pool.submit(self._second.parse, buffer, middle, end, last)
        except RuntimeError:  # the system starts no (more) threads
            return parser.parse(buffer, at, end, last)

        try:
            found = parser.parse(buffer, at, middle, False)
        finally:
            later.exception()  # waits for the other thread, which uses the buffer
        later.result()
        return end if parser.join(self._second) else found
