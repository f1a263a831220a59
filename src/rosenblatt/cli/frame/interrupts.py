"""Ctrl-C that ends a stream between two blocks, so that the model is never half-way."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any, TypeVar

__all__ = ["Interrupts"]

Item = TypeVar("Item")


class Interrupts:
    """While rows are waited for, Ctrl-C ends the waiting; while they are learned, it is kept.

    Only the reading itself is waiting: what is done with the rows is never cut short.
    """

    def __init__(self) -> None:
        self.heard = False
        self._waiting = False
        self._before: Any = None

    def __enter__(self) -> Interrupts:
        try:
            self._before = signal.signal(signal.SIGINT, self._hear)
        except ValueError:  # not in the main thread, where no signal arrives
            self._before = None
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _hear(self, *_: object) -> None:
        self.heard = True
        if self._waiting:
            raise KeyboardInterrupt

    def between(self, items: Iterator[Item]) -> Iterator[Item]:
        """The items, until Ctrl-C."""
        while not self.heard:
            try:
                self._waiting = True
                item = next(items, None)
                self._waiting = False
            except KeyboardInterrupt:
                self._waiting = False
                return
            if item is None:
                return
            yield item
