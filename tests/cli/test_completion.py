"""Tab in a shell: commands, options and choices, without loading what is not needed."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli.shell import launcher, run
from rosenblatt.cli.main import VERBS
from rosenblatt.estimators.catalogue import CATALOGUE


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return launcher(tmp_path)


def in_bash(environment: dict[str, str], *words: str) -> list[str]:
    """What bash offers for the last of these words."""
    typed = " ".join(shlex.quote(word) for word in ("rosenblatt", *words))
    script = f"""
        set -e
        eval "$(rosenblatt completion bash)"
        complete -p rosenblatt >/dev/null
        COMP_WORDS=({typed}) COMP_CWORD={len(words)}
        compopt() {{ COMPREPLY=("<files>"); }}
        _rosenblatt_completion rosenblatt
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ([""], list(VERBS)),
        (["c"], [verb for verb in VERBS if verb.startswith("c")]),
        (["--tr"], ["--traceback"]),
        (["train", "--ep"], ["--epochs"]),
        (["train", "--format", "c"], ["csv"]),
        (["train", "data.csv", "--target", "y", "--on"], ["--one-pass", "--on-bad"]),
        (
            ["train", "--learner", ""],
            [e.name for e in CATALOGUE if e.family in ("linear", "kernel", "auto")],
        ),
        (["train", "--learner", "pa", "--va"], ["--value", "--variant"]),
        (["train", "--learner", "pa", "--variant", "PA-"], ["PA-I", "PA-II"]),
        (["stream", "--learner", "P"], ["perceptron", "pa", "pegasos"]),
        (["demo", "--data", ""], ["breast_cancer", "digits", "iris", "wine"]),
        (["convert", "--to", ""], ["onnx", "rbt", "svmlight"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["plot", "m"], ["mistakes"]),
        (["plot", "weights", "m.rbt", "--to"], ["--top"]),
        (["plot", "weights", "m.rbt", "--theme", ""], ["light", "dark"]),
        (["tag", ""], ["train", "predict", "evaluate"]),
        (["tag", "train", "--co"], ["--column", "--constraints"]),
        (["tag", "train", "--search", "b"], ["beam"]),
        (["tag", "predict", "m.rbt", "--to", "c"], ["conll", "conllu"]),
        (["tag", "evaluate", ""], ["<files>"]),
        (["predict", ""], ["<files>"]),
    ],
)
def test_bash_offers_what_can_stand_there(
    environment: dict[str, str], words: list[str], offered: list[str]
) -> None:
    assert in_bash(environment, *words) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_has_a_script_that_calls_us_back(shell: str) -> None:
    done = run("completion", shell)
    assert (done.code, done.err) == (0, "")
    assert f"_ROSENBLATT_COMPLETE={shell}_complete" in done.out
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=done.out, text=True, check=True, capture_output=True)


def test_another_shell_is_refused() -> None:
    done = run("completion", "bahs")
    assert done.code == 2
    assert "Did you mean 'bash'?" in done.err


@pytest.mark.parametrize("asked", ["completion", "help"])
def test_to_list_the_commands_loads_none_of_them(asked: str) -> None:
    code = (
        "import sys\n"
        "try:\n"
        "    from rosenblatt.cli import main; main()\n"
        "except SystemExit as ended:\n"
        "    assert not ended.code, ended.code\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    tab = {"_ROSENBLATT_COMPLETE": "bash_complete", "COMP_WORDS": "rosenblatt ", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, *(["--help"] if asked == "help" else [])],
        env=os.environ | (tab if asked == "completion" else {}),
        capture_output=True,
        text=True,
        check=True,
    )
    if asked == "completion":
        assert done.stdout.splitlines() == [f"plain,{verb}" for verb in VERBS]
    assert all(verb in done.stdout for verb in VERBS)
    loaded = set(done.stderr.split())
    assert "rosenblatt.cli.main" in loaded
    assert not loaded & {"numpy", "msgspec", *(f"rosenblatt.cli.verbs.{verb}" for verb in VERBS)}
