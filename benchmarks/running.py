"""What every table shares: the choice of benchmarks, lines as they come, a file of figures."""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path

from report import HEADER, Row, Skipped

__all__ = ["Benchmarks", "run"]

Benchmarks = Mapping[str, Callable[[], list[Row]]]


def run(
    benchmarks: Benchmarks, about: str | None, packages: list[str], quick: Benchmarks | None = None
) -> None:
    """Run the benchmarks whose name holds the word, print each as soon as it is known.

    `about` is the text of the script, its first line what it is for. `packages` are named with
    their versions. `quick`, if given, is what runs with ``--quick``.
    """
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument(
        "--only", metavar="WORD", default="", help="benchmarks with this in the name"
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures here, too")
    if quick is not None:
        parser.add_argument("--quick", action="store_true", help="the same on less data")
    given = parser.parse_args()
    if quick is not None and given.quick:
        benchmarks = quick
    chosen = {name: act for name, act in benchmarks.items() if given.only in name}
    if not chosen:
        parser.error(f"no benchmark has {given.only!r} in its name; known: {', '.join(benchmarks)}")

    start, machine = time.perf_counter(), _machine(packages)
    print(", ".join(f"{key} {value}" for key, value in machine.items()))
    print("limit: ours/limit at most; peer: peer/ours at least; ours: ours at most\n")
    print(HEADER)
    rows: list[Row] = []
    skipped: dict[str, str] = {}
    for name, act in chosen.items():
        try:
            found = act()
        except Skipped as reason:
            skipped[name] = str(reason)
            print(f"{name}: skipped, {reason}", flush=True)
            continue
        rows += found
        for row in found:
            print(row.line().rstrip(), flush=True)
    missed = sum(bool(row.missed) for row in rows)
    judged = sum(bool(row.bars) for row in rows)
    took = time.perf_counter() - start
    print(f"\n{judged - missed} of {judged} met, {missed} missed; {took:.0f} s; load now {_load()}")
    if given.json is not None:
        figures = {
            "machine": machine,
            "seconds": took,
            "rows": [row.as_dict() for row in rows],
            "skipped": skipped,
        }
        given.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def _machine(packages: list[str]) -> dict[str, str]:
    """What a reader needs to know of the run to compare it with another."""
    found = {"python": platform.python_version(), "processors": str(os.cpu_count())}
    for package in packages:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return {**found, "load": _load()}


def _load() -> str:
    """How many processes wanted to run in the last minute, ours included."""
    return f"{os.getloadavg()[0]:.2f}" if hasattr(os, "getloadavg") else "unknown"
