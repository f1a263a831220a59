"""What a command says when it fails, and where the traceback is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.shell import PETS, run, trained, written


def _recursion() -> None:
    _recursion()


def _memory() -> None:
    raise MemoryError("Unable to allocate 8.00 EiB for an array")


def _fault() -> None:
    {}["no such key"]


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: Any) -> list[str | Path]:
    """A command line that meets a fault of ours half-way."""

    def opened(_path: str, **_how: Any) -> None:
        request.param()

    model = trained(tmp_path)
    monkeypatch.setattr("rosenblatt.cli.verbs.show.open_model", opened)
    return ["show", model]


FAULTS = pytest.mark.parametrize(
    ("failing", "said"),
    [
        (_fault, ["a fault of rosenblatt", "KeyError: 'no such key'", "test_failures.py, line"]),
        (_recursion, ["a fault of rosenblatt", "RecursionError: maximum recursion depth"]),
        (
            _memory,
            ["out of memory (Unable to allocate 8.00 EiB for an array)", "rosenblatt stream"],
        ),
    ],
    indirect=["failing"],
)


@FAULTS
def test_a_fault_of_ours_is_one_sentence_and_ends_with_1(
    failing: list[str | Path], said: list[str]
) -> None:
    done = run(*failing)
    assert (done.code, done.out) == (1, "")
    assert len(done.err.splitlines()) == 1
    for words in (*said, "--traceback"):
        assert words in done.err


@FAULTS
@pytest.mark.parametrize("before", [True, False])
def test_traceback_before_or_behind_the_command_shows_where(
    failing: list[str | Path], said: list[str], before: bool
) -> None:
    arguments = ["--traceback", *failing] if before else [*failing, "--traceback"]
    done = run(*arguments)
    assert done.code == 1
    assert done.err.startswith("Traceback (most recent call last):\n")
    assert "in opened" in done.err
    assert said[0] in done.err.splitlines()[-1]


@pytest.mark.parametrize(("value", "shown"), [("1", True), ("0", False), ("", False)])
@pytest.mark.parametrize("failing", [_fault], indirect=True)
def test_the_environment_can_ask_for_it(
    failing: list[str | Path], value: str, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROSENBLATT_TRACEBACK", value)
    assert ("Traceback" in run(*failing).err) == shown


def test_one_call_with_it_does_not_change_the_next(tmp_path: Path) -> None:
    data = written(
        tmp_path, "bad.csv", PETS + "Pip,heavy,grey,squeaks at night in its wheel,mouse\n"
    )
    train = ("train", data, "--out", tmp_path / "m.rbt", "--column", "weight=number")
    with_it = run(*train, "--traceback")
    without = run(*train)
    assert with_it.code == without.code == 3
    assert "Traceback" in with_it.err
    assert "Traceback" not in without.err
    assert with_it.err.endswith(without.err)


def test_it_is_told_in_the_help_of_the_program_and_not_in_all(tmp_path: Path) -> None:
    assert "--traceback" in run("--help").out
    assert "ROSENBLATT_TRACEBACK" in run("--help").out
    assert "--traceback" not in run("train", "--help").out


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["evalaute", "x"], "Did you mean 'evaluate'?"),
        (["demo", "--epoch", "3"], "Did you mean '--epochs'?"),
        (["demo", "--tracebak"], "Did you mean '--traceback'?"),
        (["demo", "--data", "digit"], "Did you mean 'digits'?"),
        (["train", "-", "--format", "svmlite"], "Did you mean 'svmlight'?"),
        (["stream", "-", "--count", "lates"], "Did you mean 'latest'?"),
    ],
)
def test_a_slip_of_the_finger_is_told_what_was_meant(arguments: list[str], meant: str) -> None:
    done = run(*arguments)
    assert done.code == 2
    assert meant in done.err


def test_help_is_that_of_the_command(tmp_path: Path) -> None:
    assert run("help").out == run("--help").out
    assert run("help", "train").out == run("train", "--help").out
    assert run("help", "tag", "predict").out == run("tag", "predict", "--help").out
    assert "Did you mean 'train'?" in run("help", "tarin").err
    assert run("help", "tarin").code == 2


def test_what_is_like_nothing_is_not_guessed_at() -> None:
    assert "Did you mean" not in run("predict", "--certainty").err
    done = run("demo", "--data", "mnist")
    assert done.code == 2
    assert "Did you mean" not in done.err
