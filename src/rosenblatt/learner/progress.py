"""Progress of a fit on standard error: one line on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from rosenblatt.core.result import EpochCallback
from rosenblatt.plurals import count

SECONDS_BETWEEN_LINES = 10.0
SECONDS_BETWEEN_UPDATES = 0.1
_in_passing: ContextVar[bool] = ContextVar("_in_passing", default=False)


@contextmanager
def shown_in_passing() -> Iterator[None]:
    """Show every fit within on a line that is wiped in the end, whatever ``verbose`` says."""
    token = _in_passing.set(True)
    try:
        yield
    finally:
        _in_passing.reset(token)


@contextmanager
def progress(
    verbose: int, most: int, name: str, unit: str = "epoch"
) -> Iterator[EpochCallback | None]:
    """Gives a function to call after every epoch, or whatever the unit is; None when quiet."""
    passing = _in_passing.get()
    if passing or (verbose and sys.stderr.isatty()):
        with _overwritten_line(most, name, unit, stays=not passing) as after_epoch:
            yield after_epoch
    elif not verbose:
        yield None
    else:
        yield _lines(name, unit, 0.0 if verbose > 1 else SECONDS_BETWEEN_LINES)


@contextmanager
def _overwritten_line(most: int, name: str, unit: str, *, stays: bool) -> Iterator[EpochCallback]:
    """A line that the next one takes the place of; the last one stays, or is wiped.

    Written over with blanks, as every terminal can, rather than erased by an escape code.
    """
    shown, last, latest = 0, -SECONDS_BETWEEN_UPDATES, ""

    def show() -> None:
        nonlocal shown
        print(f"\r{latest:{shown}}", end="", file=sys.stderr, flush=True)
        shown = len(latest)

    def after_epoch(epoch: int, mistakes: int, score: float | None = None) -> None:
        nonlocal last, latest
        where = f"{name}: {unit} {epoch:,} of at most {most:,}," if stays else f"{unit} {epoch:,}:"
        latest = f"{where} {_seen(mistakes, score)}"
        now = time.monotonic()
        if now - last >= SECONDS_BETWEEN_UPDATES:
            show()
            last = now

    try:
        yield after_epoch
    finally:
        if latest and stays:
            show()
            print(file=sys.stderr)
        elif shown:
            print(f"\r{'':{shown}}\r", end="", file=sys.stderr, flush=True)


def _lines(name: str, unit: str, seconds: float) -> EpochCallback:
    """The first epochs, then at most one line in so many seconds, and every clean epoch."""
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
