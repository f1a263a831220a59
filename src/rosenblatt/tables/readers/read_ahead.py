"""Read-ahead: a second thread reads blocks while the caller processes earlier ones."""

from __future__ import annotations

import signal
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, Protocol, Self

# Blocks: one that waits for the caller, and one that is being read.
AHEAD = 2
# Seconds to wait for the thread at the end. A file gives its next block much sooner; a pipe may be
# silent forever.
PATIENCE = 0.25


class ReadsBlocks(Protocol):
    """Reader of blocks, such as `iter_svmlight` returns."""

    @property
    def skipped(self) -> int: ...

    def __next__(self) -> Any: ...

    def __exit__(self, *_: object) -> None: ...


class _Ready(NamedTuple):
    """A block or the exception that ended reading, with the number of rows skipped so far."""

    block: Any
    end: BaseException | None
    skipped: int


class ReadAhead:
    """Reader whose blocks are read ahead by another thread, in order.

    A block is handed over as soon as it was read; an exception is raised after the blocks before
    it. No more than `AHEAD` blocks are read before the first of them is taken, so memory is
    bounded. ``skipped`` counts up to the last block taken.
    """

    def __init__(self, reader: ReadsBlocks) -> None:
        self._reader = reader
        self.skipped = 0
        self._is_closed = False
        self._has_no_thread = False
        # Not a Queue with a limit: Ctrl-C in the midst of its Python code may leave it locked.
        self._ready: SimpleQueue[_Ready] = SimpleQueue()
        self._room: SimpleQueue[None] = SimpleQueue()
        # A daemon, so that the end of the process does not wait for a pipe.
        self._thread = Thread(target=self._read, name="reading ahead", daemon=True)
        self._end: BaseException | None = None

    def _start(self) -> None:
        try:
            self._thread.start()
        except RuntimeError:  # the system starts no (more) threads
            self._has_no_thread = True
        for _ in range(AHEAD):
            self._room.put(None)

    def _read(self) -> None:
        """Read blocks until the reader ends or is closed; this is the target of the thread."""
        with suppress(AttributeError):  # Windows has no such masks
            # The main thread handles signals, not this one.
            signals = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM
            signal.pthread_sigmask(signal.SIG_BLOCK, signals)
        while True:
            self._room.get()
            if self._is_closed:
                return
            try:
                block = next(self._reader)
                self._ready.put(_Ready(block, None, self._reader.skipped))
            except BaseException as end:
                self._ready.put(_Ready(None, end, self._reader.skipped))
                return

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        if self._end is not None:
            raise StopIteration
        if self._thread.ident is None and not self._has_no_thread:
            self._start()
        if self._has_no_thread:
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
        """Stop the thread and close the reader.

        If the thread is still waiting for a block, both stay open until the process ends.
        """
        self._is_closed = True
        self._room.put(None)
        if self._thread.ident is not None:
            self._thread.join(PATIENCE)
        if not self._thread.is_alive():
            self._reader.__exit__()
