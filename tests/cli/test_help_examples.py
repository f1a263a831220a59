"""The examples of every help text, typed as they stand there."""

from __future__ import annotations

import gzip
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from cli.shell import COMMANDS, MAIL, command_of, launcher, run, written
from rosenblatt import datasets

ROOT = Path(__file__).parents[2]


def examples(verb: str) -> list[str]:
    """The lines below "Examples:", up to the next empty one."""
    _, _, below = (command_of(verb).epilog or "").partition("Examples:\n")
    return [line.strip() for line in below.partition("\n\n")[0].splitlines()]


HELPS = ["", "tag", *COMMANDS]
ALL = [(verb, line) for verb in HELPS for line in examples(verb)]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the examples speak of."""
    folder = tmp_path_factory.mktemp("desk")
    iris = datasets.iris()
    lines = [
        ",".join([*map(str, row), iris.classes[label]])
        for row, label in zip(iris.X.tolist(), iris.y.tolist(), strict=True)
    ]
    for name in ("index.html", "learners/mira.html"):
        written(folder / "site", name, ["<!doctype html>"])
    for name in ("iris.csv", "test.csv", "new.csv"):
        written(folder, name, ["a,b,c,d,species", *lines])
    mail = MAIL * 4
    for name in ("mail.tsv", "test.tsv"):
        written(folder, name, mail)
    rows = "+1 1:1 3:2\n-1 2:1\n+1 3:1\n-1 1:-1\n"
    for name, text in (("mail.tsv.gz", "\n".join(mail) + "\n"), ("clicks.svm.gz", rows)):
        (folder / name).write_bytes(gzip.compress(text.encode()))
    shutil.copy(folder / "clicks.svm.gz", folder / "a9a.svmlight.gz")
    for data, model, *options in (
        ("iris.csv", "iris.rbt"),
        ("iris.csv", "old.rbt", "--epochs", "3"),
        ("iris.csv", "new.rbt", "--epochs", "4"),
        ("mail.tsv", "spam.rbt", "--format", "text", "--record"),
        ("clicks.svm.gz", "clicks.rbt"),
    ):
        done = run("train", folder / data, "--out", folder / model, "--quiet", *options)
        assert done.code == 0, done.err
    for model, copy in (("old.rbt", "a.rbt"), ("new.rbt", "b.rbt")):
        shutil.copy(folder / model, folder / copy)
    for name in ("train", "dev", "test", "new"):
        shutil.copy(ROOT / "examples" / "harbour.conllu", folder / f"{name}.conllu")
    shutil.copy(ROOT / "examples" / "harbour_chunks.conll", folder / "chunks.conll")
    for data, model in (("train.conllu", "tagger.rbt"), ("chunks.conll", "chunker.rbt")):
        assert run("tag", "train", folder / data, "--out", folder / model, "--quiet").code == 0
    (folder / ".config/fish/completions").mkdir(parents=True)
    return folder


@pytest.mark.parametrize("verb", HELPS)
def test_every_help_has_two_examples_of_its_own(verb: str) -> None:
    found = examples(verb)
    assert len(found) >= 2
    assert all(f"rosenblatt {verb}".strip() in line for line in found)


@pytest.mark.parametrize("verb", COMMANDS)
def test_every_option_has_a_help_that_is_a_sentence(verb: str) -> None:
    for param in command_of(verb).params:
        if isinstance(param, click.Option):
            said = (param.help or "").partition("  [default: ")[0]
            assert said.endswith("."), param.name
            assert len(said.split()) >= 3, (param.name, said)
            assert not said.startswith("Of "), (param.name, said)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(("verb", "line"), ALL, ids=[line for _, line in ALL])
def test_every_example_runs(verb: str, line: str, desk: Path, tmp_path: Path) -> None:
    here = tmp_path / "here"
    shutil.copytree(desk, here)
    if "onnx" in line:
        pytest.importorskip("onnx")
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        cwd=here,
        env=launcher(here) | {"HOME": str(here)},
        capture_output=True,
        text=True,
        check=False,
    )
    # A verdict or a difference is an answer too.
    allowed = {0, 1} if verb in ("certify", "diff") else {0}
    assert done.returncode in allowed, done.stderr
    assert "rror" not in done.stderr
