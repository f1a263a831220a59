"""Progress of a fit on standard error: one line on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from rosenblatt.core.result import EpochCallback
from rosenblatt.plurals import count

__all__ = ["listening", "progress"]

SECONDS_BETWEEN_LINES = 10.0
SECONDS_BETWEEN_UPDATES = 0.1
_listener: ContextVar[EpochCallback | None] = ContextVar("_listener", default=None)


@contextmanager
def listening(told: EpochCallback | None) -> Iterator[None]:
    """Tell this function the progress of every fit within, whatever their ``verbose`` says."""
    token = _listener.set(told)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def progress(
    verbose: int, most: int, name: str, unit: str = "epoch"
) -> Iterator[EpochCallback | None]:
    """Gives a function to call after every epoch, or whatever the unit is; None when quiet."""
    if _listener.get() is not None:
        yield _listener.get()
    elif not verbose:
        yield None
    elif sys.stderr.isatty():
        with _overwritten_line(most, name, unit) as told:
            yield told
    else:
        yield _lines(name, unit, 0.0 if verbose > 1 else SECONDS_BETWEEN_LINES)


@contextmanager
def _overwritten_line(most: int, name: str, unit: str) -> Iterator[EpochCallback]:
    """A line that the next one takes the place of; the last one stays."""
    shown, last, latest = 0, -SECONDS_BETWEEN_UPDATES, ""

    def show() -> None:
        nonlocal shown
        print(f"\r{latest:{shown}}", end="", file=sys.stderr, flush=True)
        shown = len(latest)

    def told(epoch: int, mistakes: int, score: float | None = None) -> None:
        nonlocal last, latest
        latest = f"{name}: {unit} {epoch:,} of at most {most:,}, {_seen(mistakes, score)}"
        now = time.monotonic()
        if now - last >= SECONDS_BETWEEN_UPDATES:
            show()
            last = now

    try:
        yield told
    finally:
        if latest:
            show()
            print(file=sys.stderr)


def _lines(name: str, unit: str, seconds: float) -> EpochCallback:
    """The first epochs, then at most one line in so many seconds, and every clean epoch."""
    last = time.monotonic()

    def told(epoch: int, mistakes: int, score: float | None = None) -> None:
        nonlocal last
        now = time.monotonic()
        if epoch <= 3 or not mistakes or now - last >= seconds:
            print(f"{name}: {unit} {epoch}, {_seen(mistakes, score)}", file=sys.stderr)
            last = now

    return told


def _seen(mistakes: int, score: float | None) -> str:
    held_out = "" if score is None else f", {score:.2%} right on those held out"
    return f"{count(mistakes, 'mistake')}{held_out}"
