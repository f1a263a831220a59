"""Progress of a fit on standard error: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from rosenblatt.core.result import EpochCallback

__all__ = ["listening", "progress"]

SECONDS_BETWEEN_LINES = 10.0
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
        with _bar(most, name, unit) as told:
            yield told
    else:
        yield _lines(name, unit, 0.0 if verbose > 1 else SECONDS_BETWEEN_LINES)


@contextmanager
def _bar(most: int, name: str, unit: str) -> Iterator[EpochCallback]:
    import click

    with click.progressbar(
        length=most,
        label=name,
        file=sys.stderr,
        item_show_func=lambda seen: seen,
        show_pos=True,
        show_percent=False,
    ) as bar:

        def told(epoch: int, mistakes: int, score: float | None = None) -> None:
            bar.update(epoch - bar.pos, f"{unit} {epoch}: {_seen(mistakes, score)}")

        yield told


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
    return f"{mistakes:,} mistakes{held_out}"
