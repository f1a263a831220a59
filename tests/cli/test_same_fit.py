"""There is one way to train: the shell goes through the very frames that Python goes through."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

import rosenblatt
from cli.shell import run, written
from rosenblatt.estimators.catalogue import CATALOGUE
from rosenblatt.io import read_table
from rosenblatt.models import epochs

ROWS = ["a,b,y", *(f"{i % 7},{i % 5},{'uv'[i % 7 > 3]}" for i in range(60))]
FAMILIES = ("linear", "kernel", "auto")
TRAINED_ON_ROWS = [entry.name for entry in CATALOGUE if entry.family in FAMILIES]
# Fewer is better; whoever needs one more says why. The last ones judge columns block by
# block, cut work for threads, know styles of numbers and rows that are set aside, encode sparse
# rows, and keep the command for `show --command`.
# A choice on held-out rows has some more: portfolio, splits, threads, calibration.
MAX_FILES = 68
SOURCE = Path(rosenblatt.__file__).parent


def traced(action: Callable[[], object]) -> tuple[list[CodeType], set[str]]:
    """The stack when the loop over epochs begins, outermost first, and the files crossed."""
    stack: list[CodeType] = []
    files: set[str] = set()

    def look(frame: FrameType, event: str, _: Any) -> None:
        if event != "call":
            return
        code = frame.f_code
        if Path(code.co_filename).is_relative_to(SOURCE):
            files.add(Path(code.co_filename).relative_to(SOURCE).as_posix())
        if code is epochs.run.__code__ and not stack:
            above: FrameType | None = frame
            while above is not None:
                stack.insert(0, above.f_code)
                above = above.f_back

    sys.setprofile(look)
    try:
        action()
    finally:
        sys.setprofile(None)
    return stack, files


@pytest.mark.filterwarnings("ignore::rosenblatt.errors.ConvergenceWarning")
@pytest.mark.parametrize("name", TRAINED_ON_ROWS)
def test_train_goes_through_the_frames_of_fit(tmp_path: Path, name: str) -> None:
    file = written(tmp_path, "rows.csv", ROWS)
    learner = next(entry for entry in CATALOGUE if entry.name == name).load()(max_iter=3)
    table = read_table(file, target="y")
    in_python, _ = traced(lambda: learner.fit(table.X, table.y))
    options = ("--learner", name, "--epochs", "3", "--quiet", "--out", tmp_path / "m.rbt")
    in_shell, _ = traced(lambda: run("train", file, *options))
    fit = type(learner).fit.__code__
    assert fit in in_python
    assert in_shell[in_shell.index(fit) :] == in_python[in_python.index(fit) :]


@pytest.mark.parametrize(("learner", "more"), [("averaged", 0), ("auto", 9)])
def test_the_way_of_a_table_to_a_model_does_not_grow(
    tmp_path: Path, learner: str, more: int
) -> None:
    """How many of our files have to be opened by who follows a training from end to end."""
    file = written(tmp_path, "rows.csv", ROWS)
    arguments = ("train", file, "--learner", learner, "--out", tmp_path / "m.rbt")
    run(*arguments)
    _, files = traced(lambda: run(*arguments))
    assert len(files) <= MAX_FILES + more, sorted(files)
