"""Many inputs, each fed once: ``python -m fuzz.campaign --inputs 1000000 --seed 1 --workers 2``.

Every reader, every kind of model file and every learner gets its share. An input is made from the
seed and its number alone, so ``--first NUMBER --inputs 1`` feeds one of them again. One that ends a
worker, makes it hang or raises what is not an error of ours is kept in ``--out``, with the report.

``--sanitized`` runs loops that were built with ``ROSENBLATT_SANITIZE=1`` under the address and
undefined-behaviour sanitizers of gcc.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib.util
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing.sharedctypes import RawArray
from pathlib import Path
from random import Random
from typing import Any

SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=0,allocator_may_return_null=1,max_allocation_size_mb=512,"
    "exitcode=77",
    "UBSAN_OPTIONS": "print_stacktrace=1,exitcode=77",
    # Python and Arrow cut small objects out of large blocks, where a step too far is not seen.
    "PYTHONMALLOC": "malloc",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
SECONDS_OF_AN_INPUT = 120.0
SECONDS_BETWEEN_NEWS = 60.0
MAX_FINDINGS = 20
MIN_READ = 0.02  # of the inputs of each target: a run in which all is refused shows nothing


@dataclass(frozen=True)
class Target:
    """How an input is made, what it is fed to, and how many of about 1,300 inputs it gets."""

    make: Callable[[Random], Any]
    feed: Callable[[Random, Any, Path], bool]
    share: int


@cache
def targets() -> dict[str, Target]:
    """Those of the readers by format, of files by family, and of learners by name."""
    from persistence.kernel_samples import BUDGETS
    from strategies import LEARNERS

    from fuzz import arrow_files, learning, model_files, packed_files
    from fuzz.damage import any_bytes
    from fuzz.reads import READS
    from fuzz.seeds import SEEDS, WORDS
    from fuzz.targets import numbers

    made: dict[str, Target] = {}
    for name in READS.keys() & SEEDS.keys():
        share = 20 if name in ("encoded", "packed", "text") else 55
        make = partial(any_bytes, seeds=SEEDS[name], words=WORDS[name])
        made[name] = Target(make, READS[name].feed, share)
    for name, write in (("parquet", arrow_files.parquet), ("arrow", arrow_files.arrow)):
        made[name] = Target(partial(arrow_files.any_file, write), READS[name].feed, 40)
    made["packed rows"] = Target(packed_files.forged, packed_files.read_and_use, 60)
    digits = partial(any_bytes, seeds=SEEDS["numbers"], words=WORDS["numbers"])
    made["numbers"] = Target(digits, lambda random, data, folder: numbers(data) > 0, 40)
    for family in model_files.seeds():
        forge = partial(model_files.forged, family=family)
        made[f"{family} file"] = Target(forge, model_files.load_and_use, 100)

    def fed(teach: Callable[..., bool], *name: str, share: int) -> Target:
        return Target(lambda random: None, lambda random, *_: teach(random, *name), share)

    for name in LEARNERS:
        made[f"linear {name}"] = fed(learning.linear, name, share=150 // len(LEARNERS))
    for name in BUDGETS:
        made[f"kernel {name}"] = fed(learning.kernel, name, share=80 // len(BUDGETS))
    made["tagger"] = fed(learning.tagger, share=150)
    made["structured"] = fed(learning.structured, share=20)
    made["texts"] = fed(learning.texts, share=30)
    return dict(sorted(made.items()))


def drawn(seed: int, number: int) -> tuple[Random, str]:
    """The chance that makes an input, and its target."""
    random = Random(f"{seed} {number}")
    names = list(targets())
    return random, random.choices(names, [target.share for target in targets().values()])[0]


def feed(seed: int, number: int, folder: Path) -> tuple[str, bool]:
    """The target of an input, and whether that read it; else it was refused."""
    random, name = drawn(seed, number)
    target = targets()[name]
    return name, target.feed(random, target.make(random), folder)


def ignore_known_warnings() -> None:
    """What is not expected to be warned of is an error."""
    from rosenblatt.errors import ConvergenceWarning, DataConversionWarning, Notice

    warnings.simplefilter("error")
    # Numbers that nobody chose may overflow on the way, which is refused afterwards.
    for kind in (Notice, ConvergenceWarning, DataConversionWarning, RuntimeWarning):
        warnings.simplefilter("ignore", kind)
    for words in ("X does not have valid feature names", "argmax found"):
        warnings.filterwarnings("ignore", words, UserWarning)


class Worker:
    """A process that feeds every so manyth input; what it counts is in memory that outlives it."""

    def __init__(self, options: argparse.Namespace, place: int, folder: Path) -> None:
        self.options, self.folder = options, folder
        self.at = RawArray("q", [options.first + place])
        self.tried, self.read = RawArray("q", len(targets())), RawArray("q", len(targets()))
        self.findings = RawArray("q", 1)
        self.report = folder / f"worker{place}.txt"
        self.files = folder / f"files{place}"
        self.files.mkdir()
        self.start()

    @property
    def stop(self) -> int:
        return int(self.options.first + self.options.inputs)

    def start(self) -> None:
        self.moved, self.seen = time.monotonic(), self.at[0]
        self.process = multiprocessing.get_context("fork").Process(target=self.run)
        self.process.start()

    def run(self) -> None:
        with self.report.open("w") as report:
            os.dup2(report.fileno(), 2)
        faulthandler.enable()
        os.fsync = lambda file: None  # type: ignore[assignment]
        numbers = {name: place for place, name in enumerate(targets())}
        while self.at[0] < self.stop and self.findings[0] < MAX_FINDINGS:
            try:
                name, was_read = feed(self.options.seed, self.at[0], self.files)
            except Exception:
                self.keep(traceback.format_exc())
            else:
                self.tried[numbers[name]] += 1
                self.read[numbers[name]] += was_read
            self.at[0] += self.options.workers

    def is_running(self) -> bool:
        """Whether there is more to do; a worker that died or hangs goes on behind that input."""
        if self.process.exitcode == 0:
            return False
        if self.process.exitcode is not None:
            self.keep(f"exit code {self.process.exitcode}\n{self.report.read_text()}")
        elif self.at[0] != self.seen:
            self.moved, self.seen = time.monotonic(), self.at[0]
            return True
        elif time.monotonic() - self.moved < SECONDS_OF_AN_INPUT:
            return True
        else:
            self.process.kill()
            self.process.join()
            self.keep(f"no end after {SECONDS_OF_AN_INPUT:.0f} seconds")
        self.at[0] += self.options.workers
        if self.at[0] < self.stop and self.findings[0] < MAX_FINDINGS:
            self.start()
            return True
        return False

    def keep(self, report: str) -> None:
        """The input at hand, made anew, and what became of it."""
        self.findings[0] += 1
        number = self.at[0]
        random, name = drawn(self.options.seed, number)
        found = targets()[name].make(random)
        path = self.options.out / f"{name.replace(' ', '_')}-{self.options.seed}-{number}"
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(found, bytes):
            path.with_suffix(".bin").write_bytes(found)
        again = f"python -m fuzz.campaign --seed {self.options.seed} --first {number} --inputs 1"
        path.with_suffix(".txt").write_text(f"{again}\n{report}", errors="backslashreplace")
        print(f"{name}: input {number} is kept as {path}\n{report[-3000:]}", flush=True)


def run(options: argparse.Namespace) -> bool:
    """Feed all inputs; whether nothing was found."""
    ignore_known_warnings()
    targets()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        team = [Worker(options, place, Path(folder)) for place in range(options.workers)]
        shown = began
        while running := [worker for worker in team if worker.is_running()]:
            running[0].process.join(0.1)
            if time.monotonic() - shown > SECONDS_BETWEEN_NEWS:
                shown = time.monotonic()
                print(f"{sum(sum(w.tried) for w in team):,} inputs so far", flush=True)
    seconds = time.monotonic() - began
    idle = []
    for place, name in enumerate(targets()):
        tried, read = sum(w.tried[place] for w in team), sum(w.read[place] for w in team)
        print(f"{name:22}{tried:9,} inputs, {read / max(tried, 1):6.1%} read")
        if tried >= 500 and read < MIN_READ * tried:
            idle.append(name)
    total, findings = sum(sum(w.tried) for w in team), sum(w.findings[0] for w in team)
    print(f"{total:,} inputs, {total / seconds:,.0f} a second, {findings} findings")
    if idle:
        print(f"next to nothing was read of {', '.join(idle)}: the inputs show nothing")
    return not findings and not idle


def run_under_sanitizers() -> None:
    """Start this program again with what the sanitizers need, unless that was done."""
    loop = importlib.util.find_spec("rosenblatt.engine.text.numbers")  # cannot be imported yet
    library = Path(str(getattr(loop, "origin", "rosenblatt")))
    if not library.exists() or b"__asan_init" not in library.read_bytes():
        sys.exit(f"{library} has no sanitizers: build it with ROSENBLATT_SANITIZE=1")
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        return
    command = [os.environ.get("CC", "gcc"), "-print-file-name=libasan.so"]
    first = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    libraries = f"{first}:{first.replace('libasan', 'libubsan')}"
    arguments = [sys.executable, "-m", "fuzz.campaign", *sys.argv[1:]]
    os.execve(sys.executable, arguments, os.environ | SANITIZERS | {"LD_PRELOAD": libraries})


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n")[0])
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first input")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path, default=Path("found"), help="where findings are kept")
    parser.add_argument("--sanitized", action="store_true")
    options = parser.parse_args()
    if options.sanitized:
        run_under_sanitizers()
    sys.exit(not run(options))


if __name__ == "__main__":
    main()
