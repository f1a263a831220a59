"""Blocks that a second thread reads while those before them are learned."""

from __future__ import annotations

import signal
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, Protocol, Self

# One that waits to be learned, and one that is being read.
AHEAD = 2
# Seconds. A file gives its next block much sooner; a pipe may be silent for ever.
PATIENCE = 0.25


class ReadsBlocks(Protocol):
    """A reader, such as `iter_svmlight` gives."""

    @property
    def skipped(self) -> int: ...

    def __next__(self) -> Any: ...

    def __exit__(self, *_: object) -> None: ...


class ReadAhead:
    """A reader whose blocks, and what ends them, come in order from a thread of its own.

    A block is handed over as soon as it is there. No more than `AHEAD` are read before the first of
    them is taken, so memory is bounded. ``skipped`` counts up to the block that was taken last.
    """

    def __init__(self, reader: ReadsBlocks) -> None:
        self._reader = reader
        self.skipped = 0
        self._unwanted = self._alone = False
        # Not a Queue with a limit: Ctrl-C in the midst of its Python code may leave it locked.
        self._ready: SimpleQueue[tuple[Any, BaseException | None, int]] = SimpleQueue()
        self._room: SimpleQueue[None] = SimpleQueue()
        # At the end of the process nothing waits for a thread that waits for a pipe.
        self._thread = Thread(target=self._read, name="reading ahead", daemon=True)
        self._end: BaseException | None = None

    def _start(self) -> None:
        try:
            self._thread.start()
        except RuntimeError:  # no threads can be had here, or no more of them
            self._alone = True
        for _ in range(AHEAD):
            self._room.put(None)

    def _read(self) -> None:
        with suppress(AttributeError):  # where there are no such masks
            heard = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM
            signal.pthread_sigmask(signal.SIG_BLOCK, heard)
        while True:
            self._room.get()
            if self._unwanted:
                return
            try:
                self._ready.put((next(self._reader), None, self._reader.skipped))
            except BaseException as end:
                self._ready.put((None, end, self._reader.skipped))
                return

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        if self._end is not None:
            raise StopIteration
        if self._thread.ident is None and not self._alone:
            self._start()
        if self._alone:
            block = next(self._reader)
            self.skipped = self._reader.skipped
            return block
        block, self._end, self.skipped = self._ready.get()
        if self._end is not None:
            raise self._end
        self._room.put(None)
        return block

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the reader, unless the thread is still in it, which then ends with the process."""
        self._unwanted = True
        self._room.put(None)
        if self._thread.ident is not None:
            self._thread.join(PATIENCE)
        if not self._thread.is_alive():
            self._reader.__exit__()
