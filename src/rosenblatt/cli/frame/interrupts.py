"""Signals and closed streams that end a command, and what is kept then."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, TypeVar

import click

Item = TypeVar("Item")
NOTHING_LEARNED = " before anything was learned; nothing is written"


class Interrupts:
    """Ctrl-C, SIGTERM and SIGHUP: they end a command, unless they are `held`.

    ``heard`` is the number of the first that came, or 0; ``outcome`` what has become of the work,
    which is said after "interrupted"; ``waiting`` is true while rows are waited for.
    """

    def __init__(self) -> None:
        self.heard = 0
        self.outcome = ""
        self.waiting = self.deaf = self.raised = False

    def listen(self) -> None:
        """Hear them from now on, but for those that are ignored, as SIGHUP is under nohup."""
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                with suppress(ValueError):  # not in the main thread, where no signal arrives
                    signal.signal(number, self._hear)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self.heard = self.heard or number
        if self.deaf and not self.waiting:
            return
        # An exception may get lost, as in a destructor; in an import it may leave a lock behind.
        importing = _is_importing(frame)
        if importing or not self.deaf:
            with suppress(AttributeError):  # where there is no such clock
                signal.signal(signal.SIGALRM, self._hear)
                signal.setitimer(signal.ITIMER_REAL, 0.01 if importing else 1.0)
        if not importing:
            self.waiting = False
            self.raised = True
            raise KeyboardInterrupt

    @contextmanager
    def held(self) -> Iterator[None]:
        """Only note signals within this block: learning stops early and keeps its result."""
        from rosenblatt.models.result import stopping_when

        self.deaf = True
        try:
            with stopping_when(lambda: bool(self.heard)):
                yield
        finally:
            self.deaf = False

    def stop_listening(self) -> None:
        """Let nothing interrupt the way out, and stop the clock that a signal may have started.

        Python takes its handlers back when it ends: an alarm after that would kill the process,
        which would then end with another code.
        """
        self.deaf = True
        with suppress(AttributeError):  # where there is no such clock
            signal.setitimer(signal.ITIMER_REAL, 0)

    def end(self, outcome: str) -> None:
        """Set the outcome of the work; if a signal came, end the command here."""
        self.outcome = outcome
        if self.heard:
            raise KeyboardInterrupt

    def between(self, items: Iterator[Item]) -> Iterator[Item]:
        """Yield items until a signal, which also ends the waiting for the next one."""
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
    """Return the interrupts of the command that runs."""
    call = click.get_current_context().obj
    return Interrupts() if call is None else call.interrupts


# ---------------------------------------------------------------------- closed streams


class ClosedOutput(io.TextIOBase):
    """Standard output that was closed: what should be printed there must not be lost in silence."""

    def write(self, text: str) -> int:
        raise OSError("standard output is closed")


class TolerantOutput:
    """Standard error: that a notice cannot be said is no reason to lose a model."""

    def __init__(self, stream: Any) -> None:
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
    """Let no file take the place of a closed stream, and no notice be the end of a command."""
    with suppress(OSError):
        while (place := os.open(os.devnull, os.O_RDWR)) <= 2:
            pass
        os.close(place)
    if sys.stdout is None:
        sys.stdout = ClosedOutput()
    error: Any = TolerantOutput(sys.stderr or ClosedOutput())
    sys.stderr = error
