"""--slim, of every verb that writes a model: it predicts the same, and refuses to go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.shell import PETS, run, trained, written
from cli.tagging import HARBOUR

SLIM = "saved slim: it predicts, but what it needs to learn on was left out"


@pytest.mark.parametrize("way", ["train", "convert", "stream"])
def test_a_slim_model_predicts_the_same_and_is_not_resumed(way: str, tmp_path: Path) -> None:
    data, slim = written(tmp_path, "pets.csv", PETS), tmp_path / "slim.rbt"
    whole = trained(tmp_path, "--learner", "averaged")
    if way == "convert":
        done = run("convert", whole, "--slim", "-o", slim)
    elif way == "train":
        done = run("train", data, "--learner", "averaged", "--slim", "--out", slim, "--quiet")
    else:
        assert run("stream", data, "--out", whole, "--quiet").code == 0
        done = run("stream", data, "--slim", "--out", slim, "--quiet")
    assert done.code == 0, done.err
    assert slim.stat().st_size < whole.stat().st_size
    assert run("predict", slim, data).out == run("predict", whole, data).out
    assert "slim        it predicts, but cannot learn on" in run("show", slim).out
    for verb in ("train", "stream"):
        done = run(verb, data, "--resume", slim)
        assert done.code == 2
        assert SLIM in done.err


def test_a_slim_tagger_tags_the_same_and_is_not_resumed(tmp_path: Path) -> None:
    data = HARBOUR
    whole, slim = tmp_path / "whole.rbt", tmp_path / "slim.rbt"
    assert run("tag", "train", data, "--out", whole, "--quiet").code == 0
    assert run("tag", "train", data, "--slim", "--out", slim, "--quiet").code == 0
    assert slim.stat().st_size < whole.stat().st_size
    assert run("tag", "predict", slim, data).out == run("tag", "predict", whole, data).out
    assert SLIM in run("tag", "train", data, "--resume", slim).err


def test_slim_of_a_model_needs_a_file_and_has_no_other_form(tmp_path: Path) -> None:
    model = trained(tmp_path)
    for options in ([], ["--out", "-"]):
        done = run("convert", model, "--slim", *options)
        assert done.code == 2
        assert "a model file is not for a pipe; give --out FILE." in done.err
    for options in (["--to", "onnx"], ["--encoded"]):
        done = run("convert", model, "--slim", *options, "--out", tmp_path / "x")
        assert done.code == 2
        assert f"--slim writes a model file, and {' '.join(options)} ONNX" in done.err
    done = run("convert", written(tmp_path, "pets.csv", PETS), "--slim")
    assert "--slim has no meaning for data." in done.err
