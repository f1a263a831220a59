"""Handling of signals and of closed standard streams."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, TextIO, TypeVar

import click

Item = TypeVar("Item")
NOTHING_LEARNED = " before anything was learned; nothing is written"


class Interrupts:
    """Handler of SIGINT, SIGTERM and SIGHUP, which end a command unless they are `held`.

    ``heard`` is the number of the first signal received, or 0; ``outcome`` describes the state of
    the work in the message after "interrupted"; ``waiting`` is true while waiting for rows.
    """

    def __init__(self) -> None:
        self.heard = 0
        self.outcome = ""
        self.waiting = self.deaf = self.raised = False

    def listen(self) -> None:
        """Install the handler, except for signals that are ignored, as SIGHUP is under nohup."""
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                with suppress(ValueError):  # not in the main thread, where no signal arrives
                    signal.signal(number, self._hear)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self.heard = self.heard or number
        if self.deaf and not self.waiting:
            return
        # An exception may get lost, as in a destructor, so a timer repeats it; in an import it may
        # leave a lock held, so the timer delays it.
        importing = _is_importing(frame)
        if importing or not self.deaf:
            with suppress(AttributeError):  # the platform has no such timer
                signal.signal(signal.SIGALRM, self._hear)
                signal.setitimer(signal.ITIMER_REAL, 0.01 if importing else 1.0)
        if not importing:
            self.waiting = False
            self.raised = True
            raise KeyboardInterrupt

    @contextmanager
    def held(self) -> Iterator[None]:
        """Only record signals within this block; training then stops early and keeps its result."""
        from rosenblatt.models.result import stopping_when

        self.deaf = True
        try:
            with stopping_when(lambda: bool(self.heard)):
                yield
        finally:
            self.deaf = False

    def stop_listening(self) -> None:
        """Ignore signals from now on, and cancel the timer that a signal may have started.

        Python restores the default handlers at exit: an alarm after that would kill the process
        and change its exit code.
        """
        self.deaf = True
        with suppress(AttributeError):  # the platform has no such timer
            signal.setitimer(signal.ITIMER_REAL, 0)

    def end(self, outcome: str) -> None:
        """Set the outcome of the work; raise KeyboardInterrupt if a signal was received."""
        self.outcome = outcome
        if self.heard:
            raise KeyboardInterrupt

    def between(self, items: Iterator[Item]) -> Iterator[Item]:
        """Yield items until a signal is received, which also ends a wait for the next item."""
        while True:
            try:
                try:
                    self.waiting = True
                    item = None if self.heard else next(items, None)
                finally:
                    self.waiting = False
            except KeyboardInterrupt:
                self.raised = False
                return
            if item is None:
                return
            yield item


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None and not frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    return frame is not None


def current_interrupts() -> Interrupts:
    """Return the `Interrupts` of the running command."""
    call = click.get_current_context().obj
    return Interrupts() if call is None else call.interrupts


# ---------------------------------------------------------------------- closed streams


class ClosedOutput(io.TextIOBase):
    """Replacement for a closed standard stream: every write raises, so that no output is lost."""

    def write(self, text: str) -> int:
        raise OSError("standard output is closed")


class TolerantOutput:
    """Standard error that ignores write errors, so that a failed message cannot lose a model."""

    def __init__(self, stream: TextIO | ClosedOutput) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def prepare_streams() -> None:
    """Reserve the descriptors of closed standard streams, and replace the stream objects.

    Writing to a closed standard output raises; write errors on standard error are ignored.
    """
    with suppress(OSError):
        while (place := os.open(os.devnull, os.O_RDWR)) <= 2:
            pass
        os.close(place)
    if sys.stdout is None:
        sys.stdout = ClosedOutput()
    error: Any = TolerantOutput(sys.stderr or ClosedOutput())
    sys.stderr = error
