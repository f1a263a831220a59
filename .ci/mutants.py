"""How many small faults in the code the tests notice.

    python .ci/mutants.py --count 500 --seed 1 --workers 2 --out mutants.json

A mutant is the source with one fault: a comparison turned round, a number one larger, a statement
left out. A sample of all mutants of the rooms named is made, and each is met by the tests that
run its line, fastest first. A mutant is killed when one of them fails, ends the process or takes
far too long. `.ci/equivalent_mutants.txt` lists those that no test can tell from the original,
each with the reason.
"""

from __future__ import annotations

import argparse
import ast
import json
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SOURCE = Path("src/rosenblatt")
ROOMS = ("models", "estimators", "theory", "persistence")
# What tells most of these rooms; the tests of pictures, pages and peers would only repeat it.
TESTS = (
    "tests/models", "tests/estimators", "tests/theory", "tests/persistence", "tests/inspection",
    "tests/tables/features", "tests/frozen", "tests/cli", "tests/test_arrays.py",
    "tests/test_architecture.py",
)  # fmt: skip
CONTROLLED = 8  # one mutant in so many is also met without its fault
SECONDS_OF_TESTS = 15.0  # at most, for one mutant, as measured without a fault
MORE_TESTS = 4  # times as long for one that these did not notice
KILLED = ("killed", "killed by the clock")
EQUIVALENT = ROOT / ".ci" / "equivalent_mutants.txt"

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One fault: what stands in a file from ``start`` to ``end`` is replaced."""

    file: str
    line: int
    statement: int  # the line on which its statement begins
    start: int
    end: int
    old: str
    new: str
    at_import: bool  # outside of functions, so that it runs before any test begins

    def apply(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]

    def __str__(self) -> str:
        old, new = (" ".join(part.split()) for part in (self.old, self.new))
        return f"{self.file}:{self.line}: {old} -> {new}"


class Faults(ast.NodeVisitor):
    """All mutants of one file."""

    def __init__(self, file: str, text: str) -> None:
        self.file, self.text, self.found, self.depth = file, text, list[Mutant](), 0
        self.statement = 1
        lines = text.splitlines(keepends=True)
        self.starts = [0]
        for line in lines:
            self.starts.append(self.starts[-1] + len(line))
        self.bytes_before = [line.encode() for line in lines]

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.stmt):
            self.statement = node.lineno
        super().visit(node)

    def place(self, line: int, column: int) -> int:
        """From a line and a column in bytes to a place in the text."""
        return self.starts[line - 1] + len(self.bytes_before[line - 1][:column].decode())

    def add(self, node: Any, new: str) -> None:
        start = self.place(node.lineno, node.col_offset)
        end = self.place(node.end_lineno, node.end_col_offset)
        old = self.text[start:end]
        if old != new:
            found = Mutant(
                self.file, node.lineno, self.statement, start, end, old, new, self.depth == 0
            )
            self.found.append(found)

    def swap(self, node: Any, **changed: Any) -> None:
        twin = type(node)(**{**{f: getattr(node, f) for f in node._fields}, **changed})
        self.add(node, f"({ast.unparse(ast.fix_missing_locations(twin))})")

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
            self.swap(node, ops=[COMPARISONS[type(node.ops[0])]()])
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in ARITHMETIC:
            self.swap(node, op=ARITHMETIC[type(node.op)]())
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self.swap(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not | ast.USub):
            self.add(node, f"({ast.unparse(node.operand)})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.add(node, str(not node.value))
        elif isinstance(node.value, int | float):
            self.add(node, f"({node.value!r} + 1)")
        elif isinstance(node.value, str) and node.value:
            self.add(node, repr(f"{node.value}~"))

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.swap(node, body=node.orelse, orelse=node.body)
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) == "TYPE_CHECKING":
            return
        if not isinstance(node.test, ast.Compare | ast.UnaryOp):
            self.add(node.test, f"(not ({ast.unparse(node.test)}))")
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and not _is_none(node.value):
            self.add(node, "return None")
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        names = [ast.unparse(target) for target in node.targets]
        if names != ["__all__"]:
            if any("." in name or "[" in name for name in names):
                self.add(node, "pass")
            self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.add(node, "pass")
        self.visit(node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):  # a docstring
            return
        self.add(node, "pass")
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        self.depth += 1
        for statement in node.body:
            self.visit(statement)
        self.depth -= 1

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for statement in node.body:
            self.visit(statement)

    def visit_Call(self, node: ast.Call) -> None:
        # The words of a message and of a declared option are prose: read, not tested by mutation.
        if isinstance(node.func, ast.Name) and (node.func.id in PROSE or "Error" in node.func.id):
            return
        self.generic_visit(node)

    def leave_alone(self, node: ast.AST) -> None:
        pass

    visit_JoinedStr = visit_Raise = visit_Assert = visit_Import = visit_ImportFrom = leave_alone
    visit_Lambda = ast.NodeVisitor.generic_visit


PROSE = {"option", "cast", "TypeVar", "NewType", "overload", "OverflowRefused", "MissingExtra"}


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def mutants_of(rooms: tuple[str, ...]) -> Iterator[Mutant]:
    for room in rooms:
        for path in sorted((ROOT / SOURCE / room).rglob("*.py")):
            text = path.read_text()
            faults = Faults(str(path.relative_to(ROOT)), text)
            faults.visit(ast.parse(text))
            yield from faults.found


class Observer:
    """A plugin of pytest: which lines of the rooms each test runs, and how long it takes."""

    def __init__(self, coverage: Any) -> None:
        self.coverage, self.seconds = coverage, dict[str, float]()
        self.failed: set[str] = set()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if report.failed:
            self.failed.add(report.nodeid)


def observe(tests: list[str], out: str) -> None:
    """Run tests once without a fault, and write down what each of them runs."""
    import coverage
    import pytest

    os.chdir(ROOT)
    rooms = [str(ROOT / SOURCE / room) for room in ROOMS]
    measured = coverage.Coverage(source=rooms, data_file=None, config_file=False, branch=False)
    observer = Observer(measured)
    measured.start()
    code = pytest.main(["-q", "-p", "no:cacheprovider", *tests], plugins=[observer])
    measured.stop()
    # A test that fails without a fault, as for want of time, would kill whatever it meets.
    if observer.failed:
        print(f"left out, they fail without a fault: {' '.join(sorted(observer.failed))}")
    if code not in (*range(2), pytest.ExitCode.NO_TESTS_COLLECTED):
        sys.exit(f"the tests cannot be run: {' '.join(tests)}")
    lines: dict[str, dict[int, list[str]]] = {}
    data = measured.get_data()
    for file in data.measured_files():
        by_line = data.contexts_by_lineno(file)
        name = str(Path(file).relative_to(ROOT))
        lines[name] = {
            line: [test for test in names if test not in observer.failed]
            for line, names in by_line.items()
        }
    Path(out).write_text(json.dumps({"lines": lines, "seconds": observer.seconds}))


def observations(
    workers: int, folder: Path
) -> tuple[dict[str, dict[str, list[str]]], dict[str, float]]:
    """What each test runs, from as many processes as there are workers."""
    tests = [test for test in TESTS if (ROOT / test).exists()]
    files = [
        str(path.relative_to(ROOT))
        for test in tests
        for path in (
            [ROOT / test] if (ROOT / test).is_file() else sorted((ROOT / test).rglob("test_*.py"))
        )
    ]
    queue = list(enumerate(files))
    running: dict[subprocess.Popen[bytes], str] = {}
    while queue or running:
        while queue and len(running) < workers:
            number, file = queue.pop(0)
            out = str(folder / f"{number}.json")
            command = [sys.executable, __file__, "--observe", out, file]
            running[subprocess.Popen(command, stdout=subprocess.DEVNULL)] = file
        for process in [process for process in running if process.poll() is not None]:
            if process.returncode:
                sys.exit(f"{running[process]} could not be observed")
            del running[process]
        time.sleep(0.05)
    lines: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    seconds: dict[str, float] = {}
    for path in folder.glob("*.json"):
        part = json.loads(path.read_text())
        seconds |= part["seconds"]
        for name, by_line in part["lines"].items():
            for line, names in by_line.items():
                lines[name][line] += names
    return lines, seconds


def tests_for(
    mutant: Mutant, lines: dict[str, dict[str, list[str]]], seconds: dict[str, float]
) -> list[list[str]]:
    """The tests that run the line, fastest first: those that meet it first, and those after them.

    What runs while modules are loaded belongs to no test: any test that uses the file may tell.
    """
    by_line = lines.get(mutant.file, {})
    last = mutant.line + mutant.old.count("\n")
    names = {n for i, tests in by_line.items() if mutant.statement <= int(i) <= last for n in tests}
    if mutant.at_import or "" in names:
        names.update(*by_line.values())
    rounds: list[list[str]] = [[], []]
    total = 0.0
    for name in sorted(names - {""}, key=lambda name: (seconds.get(name, 0.0), name)):
        total += seconds.get(name, 0.0)
        if total > SECONDS_OF_TESTS * (1 + MORE_TESTS) and rounds[0]:
            break
        rounds[int(total > SECONDS_OF_TESTS and bool(rounds[0]))].append(name)
    return rounds


def meet(tree: Path, mutant: Mutant, tests: list[str], seconds: float) -> str:
    """Run the tests on a copy of the tree with the fault in it; what became of it."""
    if not tests:
        return "no test runs it"
    path = tree / mutant.file
    text = path.read_text()
    path.write_text(mutant.apply(text))
    quiet = ["-q", "-x", "-p", "no:cacheprovider", "-n", "0", f"--rootdir={tree}"]
    named = tree / "tests_of_a_mutant.txt"  # a command line has no room for thousands of names
    named.write_text("\n".join(tests))
    child = subprocess.Popen(
        [sys.executable, "-m", "pytest", *quiet, f"@{named}"],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return "survived" if child.wait(30.0 + 6.0 * seconds) == 0 else "killed"
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return "killed by the clock"
    finally:
        path.write_text(text)


def work(number: int, jobs: Any, results: Any, folder: str) -> None:
    """One worker: a tree of its own, mutants from the queue."""
    tree = Path(folder) / f"tree{number}"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", "build", ".*_cache"))
    for count, (mutant, tests, seconds) in enumerate(iter(jobs.get, None)):
        fate = meet(tree, mutant, tests, seconds)
        # Tests that fail in this tree without any fault would kill everything: look now and then.
        control = replace(mutant, new=mutant.old)
        if count % CONTROLLED == 0 and tests and meet(tree, control, tests, seconds) != "survived":
            fate = "the tests fail without it"
        results.put((mutant, fate, len(tests)))


def equivalents() -> dict[str, str]:
    """``file: old -> new`` of the mutants known to change nothing, and why."""
    known = {}
    for line in EQUIVALENT.read_text().splitlines() if EQUIVALENT.exists() else ():
        if line and not line.startswith("#"):
            change, _, reason = line.partition("  # ")
            known[change.strip()] = reason
    return known


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--rooms", default=",".join(ROOMS))
    parser.add_argument("--out", default="mutants.json")
    parser.add_argument("--observations", help="a file to keep what each test runs, and to read it")
    parser.add_argument("--skip", type=int, default=0, help="so many of the sample, met before")
    parser.add_argument("--observe", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.observe:
        observe(options.observe[1:], options.observe[0])
        return
    # A shell starts what runs in the background deaf to it, and tests send it to what they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    everything = list(mutants_of(tuple(options.rooms.split(","))))
    known = equivalents()
    sample = random.Random(options.seed).sample(everything, min(options.count, len(everything)))
    sample = sample[options.skip :]
    print(f"{len(everything)} mutants, {len(sample)} of them sampled", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(options.observations) if options.observations else None
        if kept is not None and kept.exists():
            lines, seconds = json.loads(kept.read_text())
        else:
            (Path(folder) / "seen").mkdir()
            lines, seconds = observations(options.workers, Path(folder) / "seen")
            if kept is not None:
                kept.write_text(json.dumps([lines, seconds]))
        jobs: Any = multiprocessing.Queue()
        results: Any = multiprocessing.Queue()
        more = {}
        for mutant in sample:
            tests, more[mutant] = tests_for(mutant, lines, seconds)
            jobs.put((mutant, tests, sum(seconds.get(test, 0.0) for test in tests)))
        team = [
            multiprocessing.Process(target=work, args=(number, jobs, results, folder))
            for number in range(options.workers)
        ]
        for member in team:
            member.start()
        report, waiting = [], len(sample)
        while waiting:
            mutant, fate, n_tests = results.get()
            waiting -= 1
            # Those that the first tests did not notice wait until all have met theirs.
            if fate == "survived" and (tests := more.pop(mutant, [])):
                print(f"not yet noticed: {mutant}", flush=True)
                jobs.put((mutant, tests, MORE_TESTS * SECONDS_OF_TESTS))
                waiting += 1
                continue
            change = f"{mutant.file}: {str(mutant).split(': ', 1)[1]}"
            if fate not in KILLED and change in known:
                fate = "equivalent"
            report.append({**asdict(mutant), "fate": fate, "tests": n_tests, "change": change})
            if fate not in KILLED:
                print(f"{fate}: {mutant}", flush=True)
            if len(report) % 25 == 0:
                print(f"{len(report)} met", flush=True)
        for _ in team:
            jobs.put(None)
        for member in team:
            member.join()
    Path(options.out).write_text(json.dumps(report, indent=1))
    bad = sum(entry["fate"] not in (*KILLED, "equivalent") for entry in report)
    equal = sum(entry["fate"] == "equivalent" for entry in report)
    share = 100.0 * (len(report) - bad) / len(report)
    print(f"{len(report)} mutants: {bad} survived, {equal} are equivalent, {share:.1f} % noticed")
    sys.exit(share < 90.0)


if __name__ == "__main__":
    main()
