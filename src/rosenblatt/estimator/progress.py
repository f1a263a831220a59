"""Progress of a fit on standard error: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress"]

SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def progress(verbose: int, max_iter: int, name: str) -> Iterator[Callable[[int, int], None] | None]:
    """Gives a function to call with (epoch, mistakes) after every epoch, or None when quiet."""
    if not verbose:
        yield None
    elif sys.stderr.isatty():
        with _bar(max_iter, name) as told:
            yield told
    else:
        yield _lines(name, 0.0 if verbose > 1 else SECONDS_BETWEEN_LINES)


@contextmanager
def _bar(max_iter: int, name: str) -> Iterator[Callable[[int, int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("epoch {task.completed:.0f}/{task.total:.0f}"),
        TextColumn("{task.fields[mistakes]} mistakes"),
        TimeRemainingColumn(),
        TextColumn("left at most"),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(name, total=max_iter, mistakes="?")

        def told(epoch: int, mistakes: int) -> None:
            bar.update(task, completed=epoch, mistakes=f"{mistakes:,}")

        yield told


def _lines(name: str, seconds: float) -> Callable[[int, int], None]:
    """The first epochs, then at most one line in so many seconds, and every clean epoch."""
    last = time.monotonic()

    def told(epoch: int, mistakes: int) -> None:
        nonlocal last
        now = time.monotonic()
        if epoch <= 3 or not mistakes or now - last >= seconds:
            print(f"{name}: epoch {epoch}, {mistakes:,} mistakes", file=sys.stderr)
            last = now

    return told
