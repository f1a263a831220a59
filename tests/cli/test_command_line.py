"""What the commands print and how they end, as a user would see it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE, ending

from rosenblatt import __version__


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the demo may leave its picture."""
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    code = "from rosenblatt.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )


def test_demo_tells_mistakes_of_each_epoch_the_reason_and_held_out_accuracy() -> None:
    done = run("demo")
    assert done.returncode == 0
    assert done.stderr == ""
    counts = [
        int(count.replace(",", ""))
        for count in re.findall(r"epoch +\d+  ([\d,]+) mistakes", done.stdout)
    ]
    assert counts[0] > counts[-1] == 0
    assert "an epoch without a mistake: the last weights separate the training rows" in done.stdout
    assert "verdict on those rows: separable (exact, certificate checked)" in done.stdout
    shares = [float(share) for share in re.findall(r"weights: ([\d.]+)%", done.stdout)]
    assert len(shares) == 2
    assert min(shares) > 90


@pytest.mark.parametrize("data", ["breast_cancer", "iris", "wine"])
def test_demo_knows_other_data_and_always_says_why_it_stopped(data: str) -> None:
    done = run("demo", "--data", data, "--epochs", "20", "--seed", "3")
    assert done.returncode == 0
    assert re.search(r"stopped after [\d,]+ epochs and [\d,]+ mistakes: \w+", done.stdout)


@pytest.mark.slow
def test_the_same_seed_prints_the_same_and_another_one_does_not() -> None:
    assert run("demo", "--seed", "1").stdout == run("demo", "--seed", "1").stdout
    assert run("demo", "--seed", "1").stdout != run("demo", "--seed", "2").stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--version"], 0, f"rosenblatt {__version__}"),
        (["--help"], 0, "Train on a bundled data set"),
        (["demo", "--help"], 0, "Examples:"),
        (["dmeo"], 2, "Did you mean 'demo'?"),
        (["fly"], 2, "there is no command 'fly'. Known: demo, check, train,"),
        (["demo", "--data", "mnist"], 2, "'mnist' is not one of"),
        (["demo", "--epochs", "0"], 2, "'0': give a whole number from 1 on."),
        (["demo", "--seed", "x"], 2, "'x': give a whole number from 0 to 18446744073709551615."),
    ],
)
def test_commands_end_with_the_documented_code_and_one_clear_text(
    arguments: list[str], code: int, said: str
) -> None:
    done = run(*arguments)
    assert done.returncode == code
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert bool(done.stdout) == (code == 0)


def test_a_closed_pipe_ends_quietly() -> None:
    code = "from rosenblatt.cli import main; main()"
    writer = subprocess.Popen(
        [sys.executable, "-u", "-c", code, "demo"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout is not None
    assert writer.stderr is not None
    with ending(writer):
        writer.stdout.close()
        said = writer.stderr.read()
        assert writer.wait(PATIENCE) == 141
    assert said == ""
