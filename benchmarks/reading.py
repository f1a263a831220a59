"""One reading in a process of its own, which loads nothing but what it needs.

Run as a script with the name of a reading and its arguments, it prints what it found as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import memory
from report import Skipped

__all__ = ["alone"]


def alone(name: str, *arguments: str) -> dict[str, Any]:
    """What the reading found, the milliseconds of the whole process, and what vw said."""
    command = [sys.executable, __file__, name, *arguments]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ)
    took = 1000 * (time.perf_counter() - start)
    if done.returncode:
        reason = done.stderr.strip().rpartition("\n")[2]
        if "ModuleNotFoundError" in reason:
            raise Skipped(reason.partition(": ")[2])
        raise RuntimeError(done.stderr)
    return {"process_ms": took, "said": done.stderr, **json.loads(done.stdout)}


def _wabbit(*arguments: str) -> dict[str, Any]:
    """Vowpal Wabbit with these arguments; the time leaves the start of Python out."""
    import vowpalwabbit

    start = time.perf_counter()
    vowpalwabbit.Workspace(arg_list=list(arguments)).finish()
    return {"ms": 1000 * (time.perf_counter() - start)}


def _on_one_processor(reading: Callable[..., dict[str, Any]], *arguments: str) -> dict[str, Any]:
    """The same without a second processor for another thread."""
    if not hasattr(os, "sched_setaffinity"):
        raise ModuleNotFoundError("this system cannot bind a process to a processor")
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    return reading(*arguments)


def _svmlight(path: str) -> dict[str, Any]:
    """A whole file as a matrix; the time leaves the start of Python out."""
    import scipy.sparse  # noqa: F401

    from rosenblatt.io import read_svmlight

    start = time.perf_counter()
    X, _ = read_svmlight(path)
    return {"rows": X.shape[0], "ms": 1000 * (time.perf_counter() - start)}


def _svmlight_again(path: str) -> dict[str, Any]:
    """The second reading, and the time of the first, for which the system had to find memory.

    On a virtual machine that may be memory which its host took back: its price is not ours.
    """
    first = _svmlight(path)
    return {**_svmlight(path), "first_ms": first["ms"]}


def _blocks(path: str) -> dict[str, Any]:
    """A file block by block; the peak is in megabytes."""
    from rosenblatt.io import iter_svmlight

    start, rows = time.perf_counter(), 0
    for X, _ in iter_svmlight(path):
        rows += X.shape[0]
    took = 1000 * (time.perf_counter() - start)
    return {"rows": rows, "ms": took, "peak_mb": memory._peak() / 1e6}


def _nothing() -> dict[str, Any]:
    """What a process needs that only loads the libraries, in megabytes."""
    found = {}
    for library in ("numpy", "scipy.sparse"):
        import_module(library)
        found[library] = memory._peak() / 1e6
    return found


READINGS = {
    "blocks": _blocks,
    "nothing": _nothing,
    "svmlight": _svmlight,
    "svmlight on one processor": partial(_on_one_processor, _svmlight_again),
    "wabbit": _wabbit,
    "wabbit on one processor": partial(_on_one_processor, _wabbit),
}

if __name__ == "__main__":
    print(json.dumps(READINGS[sys.argv[1]](*sys.argv[2:])))
