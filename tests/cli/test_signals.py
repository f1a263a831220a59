"""A signal in the midst of work ends it, and what was learned until then is kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from waiting import PATIENCE, ending, in_background

import rosenblatt
from cli.processes import argv, environment
from cli.shell import SIGNALS, run
from cli.writing import TRAIN
from rosenblatt.cli.data.reading import Reading
from rosenblatt.engine.rows.engine import Engine
from rosenblatt.estimators.linear import streaming
from rosenblatt.models import linear_training as training
from rosenblatt.persistence import disk


@contextmanager
def arriving(at: int, number: int = signal.SIGTERM) -> Iterator[None]:
    """A signal that arrives in this block of ten rows."""
    blocks = iter(range(1, 10_000))

    class Interrupted(Engine):
        def learn(self, *arguments: Any, **named: Any) -> Any:
            if next(blocks) == at:
                signal.raise_signal(number)
            return super().learn(*arguments, **named)

    rows = patch.multiple(training, Engine=Interrupted, ROWS_AT_A_TIME=10)
    with rows, patch.object(streaming, "Engine", Interrupted):
        yield


@pytest.mark.parametrize("number", SIGNALS)
def test_a_training_that_is_ended_by_a_signal_keeps_what_it_learned(
    here: Path, number: int
) -> None:
    with arriving(34, number):
        done = run(*f"{TRAIN} --out made.rbt".split())
    assert (done.code, done.out) == (128 + number, "")
    goes_on = "continue with --resume made.rbt --epochs N"
    assert done.err.endswith(
        f"\ninterrupted in epoch 2. What was learned is kept in made.rbt; {goes_on}\n"
    )
    model = rosenblatt.load("made.rbt")
    assert (model.stop_reason_, model.n_iter_, model.t_) == ("interrupted", 2, 340)
    assert run("train", "rows.csv", "--resume", "made.rbt", "--epochs", "2").code == 0
    assert rosenblatt.load("made.rbt").t_ == 940


def test_a_pass_that_is_ended_by_a_signal_keeps_the_rows_it_learned(here: Path) -> None:
    for number, line in enumerate(["--one-pass --out m.rbt", "--resume m.rbt"], 1):
        with arriving(4):
            done = run("train", "rows.csv", *line.split())
        t = rosenblatt.load("m.rbt").t_
        assert (done.code, 30 * number < t < 50 * number) == (143, True)
        kept = "What was learned is kept in m.rbt; continue with --resume m.rbt"
        assert done.err.endswith(f"\ninterrupted after {t} rows. {kept}\n")


def test_with_held_out_rows_the_best_epoch_so_far_is_kept(here: Path) -> None:
    with arriving(70):
        done = run(*f"{TRAIN} --dev 0.2 --out made.rbt".split())
    model = rosenblatt.load("made.rbt")
    assert (done.code, model.stop_reason_, model.n_iter_) == (143, "interrupted", 3)
    assert f"the weights of epoch {model.best_iter_}, the best so far, predict." in done.err
    assert model.validation_scores_[model.best_iter_ - 1] == max(model.validation_scores_)


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_a_signal_while_the_model_is_written_does_not_disturb_it(here: Path, call: str) -> None:
    original = getattr(os, call)

    def signalled(*arguments: Any) -> Any:
        signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGTERM)
        return original(*arguments)

    changed = SimpleNamespace(**{**vars(os), call: signalled})
    with patch.object(disk, "os", changed):
        done = run(*f"{TRAIN} --out made.rbt".split())
    assert done.code == 129  # that of the first
    assert done.err.endswith("\ninterrupted when training had ended; wrote made.rbt\n")
    assert rosenblatt.load("made.rbt").stop_reason_ == "max_iter"


def test_a_signal_before_anything_is_learned_leaves_all_as_it_was(here: Path) -> None:
    old = (here / "made.rbt").read_bytes()
    for line in (f"{TRAIN} --out made.rbt", "stream rows.csv --target y --out made.rbt"):
        with patch.object(Reading, "kind_of", side_effect=KeyboardInterrupt):
            done = run(*line.split())
        assert done.code == 130
        assert done.err.endswith("interrupted before anything was learned; nothing is written\n")
        assert (here / "made.rbt").read_bytes() == old


def test_no_alarm_is_left_that_could_kill_the_process_on_its_way_out(here: Path) -> None:
    def signalled(*_: Any) -> Any:
        signal.raise_signal(signal.SIGTERM)

    with patch.object(Reading, "format_of", side_effect=signalled):
        done = run("predict", "made.rbt", "rows.csv")
    assert (done.code, done.err.strip()) == (143, "interrupted")
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT])
def test_signals_that_are_ignored_stay_ignored(here: Path, number: int) -> None:
    """As SIGHUP is under nohup, and Ctrl-C in the background of a script."""
    before = signal.signal(number, signal.SIG_IGN)
    try:
        with arriving(3, number):
            assert run(*f"{TRAIN} --out made.rbt".split()).code == 0
    finally:
        signal.signal(number, before)


def test_a_stream_in_the_background_goes_on_after_ctrl_c_and_hears_sigterm(tmp_path: Path) -> None:
    command = argv("stream", "-", "--format", "svmlight", "--every", "1", "--out", "m.rbt")
    process = subprocess.Popen(
        in_background(command),
        cwd=tmp_path,
        env=environment(PYTHONUNBUFFERED="1"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with ending(process):
        for row, seen in (("1 1:1", "1"), ("-1 2:1", "2")):
            process.stdin.write(f"{row}\n")
            process.stdin.flush()
            while process.stdout.readline().split()[0] != seen:
                pass
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 128 + signal.SIGTERM
    assert rosenblatt.load(tmp_path / "m.rbt").t_ == 2


@pytest.mark.slow
def test_tests_of_signals_pass_in_the_background() -> None:
    """A child inherits what is ignored, so that its tests would wait for ever for it to end."""
    tests = Path(__file__).parents[1]
    chosen = [
        "cli/test_signals.py::test_a_training_that_is_ended_by_a_signal_keeps_what_it_learned",
        "cli/test_stream.py::test_ctrl_c_writes_the_model_so_far_and_ends_with_130",
    ]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"]
    done = subprocess.run(
        in_background([*command, *chosen]),
        cwd=tests,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout
