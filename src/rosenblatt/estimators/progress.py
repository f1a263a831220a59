"""Progress on standard error: one updated line on a terminal, occasional lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from rosenblatt.models.result import EpochCallback
from rosenblatt.plurals import count

SECONDS_BETWEEN_LINES = 10.0
SECONDS_BETWEEN_UPDATES = 0.1
# Reading that takes less time is not shown.
SECONDS_BEFORE_READING = 0.5
_in_passing: ContextVar[bool] = ContextVar("_in_passing", default=False)


@contextmanager
def shown_in_passing() -> Iterator[None]:
    """Show the progress of every fit in the block on a temporary line, whatever ``verbose`` is."""
    token = _in_passing.set(True)
    try:
        yield
    finally:
        _in_passing.reset(token)


@contextmanager
def progress(
    verbose: int, most: int, name: str, unit: str = "epoch"
) -> Iterator[EpochCallback | None]:
    """Yield a callback for the end of every epoch (or other unit); None if nothing is shown."""
    passing = _in_passing.get()
    if passing or (verbose and sys.stderr.isatty()):
        with _overwritten_line(most, name, unit, stays=not passing) as after_epoch:
            yield after_epoch
    elif not verbose:
        yield None
    else:
        yield _lines(name, unit, 0.0 if verbose > 1 else SECONDS_BETWEEN_LINES)


@contextmanager
def reading_progress(name: str) -> Iterator[Callable[[int], None]]:
    """Yield a callback that shows the number of rows read so far on a temporary line."""
    line = _OverwrittenLine(SECONDS_BEFORE_READING)
    try:
        yield lambda rows: line.show(f"reading {name}: {count(rows, 'row')}")
    finally:
        line.end(stays=False)


class _OverwrittenLine:
    """A terminal line that updates overwrite, at most ten times a second.

    It is erased by blanks, which works on every terminal, and not by an escape code.
    """

    def __init__(self, seconds_before: float = 0.0) -> None:
        self._latest, self._shown = "", 0
        self._last = time.monotonic() + seconds_before - SECONDS_BETWEEN_UPDATES

    def show(self, text: str) -> None:
        self._latest, now = text, time.monotonic()
        if now - self._last >= SECONDS_BETWEEN_UPDATES:
            self._write()
            self._last = now

    def _write(self) -> None:
        print(f"\r{self._latest:{self._shown}}", end="", file=sys.stderr, flush=True)
        self._shown = len(self._latest)

    def end(self, *, stays: bool) -> None:
        """End the line: keep the latest text if it ``stays``, otherwise erase it."""
        if self._latest and stays:
            self._write()
            print(file=sys.stderr)
        elif self._shown:
            print(f"\r{'':{self._shown}}\r", end="", file=sys.stderr, flush=True)


@contextmanager
def _overwritten_line(most: int, name: str, unit: str, *, stays: bool) -> Iterator[EpochCallback]:
    """Yield a callback that shows epochs on one line, which in the end stays or is erased."""
    line = _OverwrittenLine()

    def after_epoch(epoch: int, mistakes: int, score: float | None = None) -> None:
        where = f"{name}: {unit} {epoch:,} of at most {most:,}," if stays else f"{unit} {epoch:,}:"
        line.show(f"{where} {_seen(mistakes, score)}")

    try:
        yield after_epoch
    finally:
        line.end(stays=stays)


def _lines(name: str, unit: str, seconds: float) -> EpochCallback:
    """Return a callback that prints the first epochs, then at most one line in ``seconds``.

    Epochs without a mistake are always printed.
    """
    last = time.monotonic()

    def after_epoch(epoch: int, mistakes: int, score: float | None = None) -> None:
        nonlocal last
        now = time.monotonic()
        if epoch <= 3 or not mistakes or now - last >= seconds:
            print(f"{name}: {unit} {epoch}, {_seen(mistakes, score)}", file=sys.stderr)
            last = now

    return after_epoch


def _seen(mistakes: int, score: float | None) -> str:
    held_out = "" if score is None else f", {score:.2%} right on those held out"
    return f"{count(mistakes, 'mistake')}{held_out}"
