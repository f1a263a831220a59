"""Nobody's model is lost to another: locks, files that changed, default names; checkpoints."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from unittest.mock import patch

import pytest
from waiting import PATIENCE, wait_until

import rosenblatt
from cli.processes import argv, environment
from cli.shell import Done, run
from cli.writing import ROWS, TRAIN
from rosenblatt.tables.readers import lines

# ---------------------------------------------------------------------- others write


def streaming(here: Path, *options: str) -> subprocess.Popen[bytes]:
    """A stream that has learned its first row, and waits for more."""
    process = subprocess.Popen(
        argv("stream", "-", "--format", "svmlight", "--every", "1", *options),
        cwd=here,
        env=environment(PYTHONUNBUFFERED="1"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"1 1:1\n")
    process.stdin.flush()
    process.stdout.readline()
    assert process.stdout.readline().split()[0] == b"1"
    return process


def finished(process: subprocess.Popen[bytes], rows: bytes = b"") -> Done:
    out, err = process.communicate(rows, PATIENCE)
    return Done(process.returncode, out.decode(), err.decode())


@pytest.fixture
def model(here: Path) -> Path:
    """One that has seen two rows."""
    (here / "two.svm").write_text("1 1:1\n-1 2:1\n")
    assert run("stream", "two.svm", "--out", "m.rbt", "--quiet").code == 0
    return here / "m.rbt"


def test_of_two_that_resume_one_model_the_second_is_refused(here: Path, model: Path) -> None:
    with streaming(here, "--resume", "m.rbt", "--checkpoint", "1") as first:
        for line in ("stream two.svm", "train two.svm"):
            done = run(*line.split(), "--resume", "m.rbt")
            assert done.code == 5
            assert "m.rbt: another process is training this model." in done.err
        assert run("stream", "two.svm", "--resume", "m.rbt", "--out", "n.rbt").code == 0
        assert run("predict", "m.rbt", "two.svm").code == 0
        assert finished(first, b"-1 2:1\n").code == 0
    assert rosenblatt.load(model).t_ == 4
    assert rosenblatt.load("n.rbt").t_ == 5  # with what the first checkpoint held
    assert run("stream", "two.svm", "--resume", "m.rbt").code == 0
    assert rosenblatt.load(model).t_ == 6


def test_a_lock_ends_with_its_process(here: Path, model: Path) -> None:
    with streaming(here, "--resume", "m.rbt", "--checkpoint", "1") as first:
        first.kill()
        first.communicate()
    assert run("stream", "two.svm", "--resume", "m.rbt").code == 0
    assert rosenblatt.load(model).t_ == 5


@pytest.mark.parametrize("there", [False, True])
def test_a_model_that_somebody_wrote_meanwhile_is_not_overwritten(
    here: Path, model: Path, there: bool
) -> None:
    name = "m.rbt" if there else "new.rbt"
    with streaming(here, "--out", name) as process:
        rosenblatt.save(rosenblatt.Perceptron().partial_fit([[1.0]], [1]), here / name)
        theirs = (here / name).read_bytes()
        done = finished(process, b"-1 2:1\n1 1:1\n")
    assert done.code == 5
    assert (here / name).read_bytes() == theirs
    (other,) = here.glob(f"{name[:-4]}-*.rbt")
    said = f"error: {name}: another process has written it meanwhile. What was learned is kept in"
    assert f"{said} {other.name}." in done.err
    assert rosenblatt.load(other).t_ == 3


# ---------------------------------------------------------------------- a name that nobody gave


def test_a_training_that_is_repeated_replaces_its_model(here: Path) -> None:
    for line in (TRAIN, f"{TRAIN} --seed 7", f"{TRAIN} --dev 0.2"):
        assert run(*line.split()).code == 0
    for _ in range(2):
        assert run("tag", "train", "harbour.conllu", "--epochs", "1").code == 0


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (f"{TRAIN} --learner pa", "a model already, trained by AveragedPerceptron;"),
        (f"{TRAIN} --target a", "a model already, trained for another target;"),
        (TRAIN.replace("rows", "other/rows"), "a model already, trained on other data;"),
        ("tag train rows.conllu", "a model already, trained by AveragedPerceptron;"),
    ],
)
def test_a_model_that_was_trained_otherwise_is_replaced_only_by_name(
    here: Path, line: str, why: str
) -> None:
    (here / "other").mkdir()
    (here / "other" / "rows.csv").write_text("\n".join(ROWS[:200]) + "\n")
    shutil.copy("harbour.conllu", "rows.conllu")
    assert run(*TRAIN.split()).code == 0
    old = (here / "rows.rbt").read_bytes()
    done = run(*line.split())
    assert done.code == 2
    assert f"rows.rbt is {why} --out rows.rbt replaces it, another name keeps both." in done.err
    assert (here / "rows.rbt").read_bytes() == old
    assert run(*line.split(), "--out", "rows.rbt").code == 0
    assert (here / "rows.rbt").read_bytes() != old


def test_what_a_model_learned_since_is_not_replaced_by_repeating_its_training(here: Path) -> None:
    assert run(*TRAIN.split()).code == 0
    assert run("stream", "rows.csv", "--resume", "rows.rbt").code == 0
    done = run(*TRAIN.split())
    assert done.code == 2
    assert "a model already, which has learned on since;" in done.err
    (here / "rows.rbt").write_text("something else")
    done = run(*TRAIN.split())
    assert done.code == 2
    assert "rows.rbt is a model already, but none of this version;" in done.err
    text = "\n".join(ROWS)
    assert run("train", "--learner", "averaged", "-", "--target", "y", text=text).code == 0
    done = run("train", "--learner", "averaged", "-", "--target", "y", text=text)
    assert "model.rbt is a model already, trained on data that cannot be compared;" in done.err


# ---------------------------------------------------------------------- on the way


@pytest.mark.parametrize("every", ["1", "100", "3600s"])
def test_checkpoints_do_not_change_what_is_learned(here: Path, every: str) -> None:
    line = "stream rows.csv --target y --quiet"
    assert run(*line.split(), "--out", "plain.rbt").code == 0
    with patch.object(lines, "PIECE", 1 << 8):
        assert run(*line.split(), "--out", "kept.rbt", "--checkpoint", every).code == 0
    assert (here / "plain.rbt").read_bytes() == (here / "kept.rbt").read_bytes()


def wait_for_rows(model: Path, rows: int) -> None:
    """Until the file holds so many; it is whole at every look."""
    wait_until(
        lambda: model.exists() and rosenblatt.load(model).t_ == rows, "no checkpoint was written"
    )


@pytest.mark.parametrize("every", ["1", "1s"])
def test_a_checkpoint_is_there_while_the_stream_waits(here: Path, every: str) -> None:
    """After a row, or by the clock, though no other row comes."""
    with streaming(here, "--out", "m.rbt", "--checkpoint", every) as process:
        wait_for_rows(here / "m.rbt", 1)
        process.kill()
        process.communicate()
    assert rosenblatt.load(here / "m.rbt").t_ == 1


@pytest.mark.parametrize("every", ["0", "1m", "-3", "1.5s", "s"])
def test_what_is_no_number_of_rows_or_seconds_is_refused(here: Path, every: str) -> None:
    done = run("stream", "rows.csv", "--out", "m.rbt", "--checkpoint", every)
    assert done.code == 2
    assert "give a number of rows, such as 10000, or seconds, such as 30s." in done.err


def test_a_checkpoint_needs_a_place(here: Path) -> None:
    done = run("stream", "rows.csv", "--checkpoint", "10")
    assert done.code == 2
    assert "--checkpoint needs --out, or --resume" in done.err
