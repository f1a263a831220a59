"""A folder with something in it for every command that writes."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest

from cli.shell import inside, run
from cli.writing import EXAMPLES, ROWS, TRAIN


@pytest.fixture(scope="module")
def files_before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data, and a file of every name that is to be written."""
    here = tmp_path_factory.mktemp("before")
    (here / "rows.csv").write_text("\n".join(ROWS) + "\n")
    shutil.copy(EXAMPLES / "harbour.conllu", here)
    with inside(here):
        run(*f"{TRAIN} --learner pa --out made.rbt".split())
        run("tag", "train", "harbour.conllu", "--epochs", "1", "--out", "tagger.rbt")
    for ending in ("txt", "conllu", "onnx", "svm", "tsv", "svg", "html", "rows"):
        (here / f"made.{ending}").write_text("as it was\n")
    return here


@pytest.fixture
def here(files_before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a test, in which it is: the files, and a place for temporary ones beside it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    shutil.copytree(files_before, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"
