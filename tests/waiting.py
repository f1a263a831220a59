"""How tests wait for what must come: until it is there, however loaded the machine is."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

# Seconds after which it is a hang. No wait is meant to take this long, and none is shorter: what
# takes a moment on an idle machine takes a minute on one that is shared.
PATIENCE = 600.0


def wait_until(condition: Callable[[], bool], missing: str = "it does not come to that") -> None:
    """Return as soon as the condition holds; if it never does, fail with what is missing."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, missing
        time.sleep(0.001)


def in_background(command: Sequence[str]) -> list[str]:
    """The command as a script starts it behind ``nohup … &``: these three signals are ignored."""
    return ["sh", "-c", "trap '' INT QUIT HUP; exec \"$@\"", "sh", *command]


@contextmanager
def ending(process: subprocess.Popen[Any]) -> Iterator[subprocess.Popen[Any]]:
    """Leave no process and no open pipe behind, also if the test fails in between.

    What is left behind is closed by the garbage collector in the midst of another test, which then
    fails by the warning.
    """
    with process:
        try:
            yield process
        finally:
            process.kill()
