"""rosenblatt convert MODEL: the file and the refusals, as a user sees them."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt
from cli.shell import MAIL, PETS, PROGRAM, run, trained, written
from rosenblatt.model import learner_of, read

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")


def session(file: Path) -> Any:
    onnx.checker.check_model(str(file), full_check=True)
    return runtime.InferenceSession(file)


def converted(model: Path, *options: str) -> Any:
    file = model.with_suffix(".onnx")
    done = run("convert", model, "-o", file, *options)
    assert (done.code, done.out, done.err) == (0, "", "")
    return session(file)


def test_a_model_of_a_table_takes_its_columns_and_answers_as_predict(tmp_path: Path) -> None:
    model = trained(tmp_path, "--column", "note=ignored", "--column", "name=ignored")
    running = converted(model)
    assert [(given.name, given.type, given.shape) for given in running.get_inputs()] == [
        ("weight", "tensor(double)", ["N", 1]),
        ("colour", "tensor(string)", ["N", 1]),
    ]
    rows = [(30.5, "brown"), (3.9, "white"), (5.0, "never met"), (9.0, "black")]
    text = "colour,weight\n" + "".join(f"{colour},{weight}\n" for weight, colour in rows)
    said = run("predict", model, written(tmp_path, "new.csv", text), "--json", "--quiet")
    expected = [json.loads(line) for line in said.out.splitlines()]
    label, scores = running.run(
        None,
        {
            "weight": np.array([[weight] for weight, _ in rows]),
            "colour": np.array([[colour] for _, colour in rows], object),
        },
    )
    assert label.tolist() == [row["label"] for row in expected]
    np.testing.assert_allclose(scores, [list(row["scores"].values()) for row in expected])
    facts = running.get_modelmeta().custom_metadata_map
    assert facts["sha256"] == read(model).card.sha256
    assert (facts["target"], json.loads(facts["classes"])) == ("kind", ["cat", "dog"])


def test_text_is_refused_unless_encoded_and_nothing_is_left_behind(tmp_path: Path) -> None:
    model = trained(tmp_path)
    before = sorted(tmp_path.iterdir())
    done = run("convert", model, "--out", tmp_path / "pets.onnx")
    assert done.code == 4
    assert len(done.err.splitlines()) == 1
    assert "the column 'note' is a text" in done.err
    assert "--encoded" in done.err
    assert sorted(tmp_path.iterdir()) == before
    running = converted(model, "--encoded")
    state = read(model)
    (given,) = running.get_inputs()
    assert (given.name, given.shape) == ("X", ["N", state.n_features])
    X = np.random.default_rng(0).integers(-2, 3, (5, state.n_features)).astype(float)
    assert running.run(["label"], {"X": X})[0].tolist() == learner_of(state).predict(X).tolist()


def test_labelled_texts_are_refused_unless_encoded(tmp_path: Path) -> None:
    mail = "\n".join(MAIL) + "\n"
    model = trained(tmp_path, "--format", "text", "--bits", "8", data=mail, name="mail.tsv")
    done = run("convert", model, "-o", tmp_path / "mail.onnx")
    assert (done.code, done.out) == (4, "")
    assert "--encoded" in done.err
    assert converted(model, "--encoded").get_inputs()[0].shape == ["N", 256]


def test_encoded_features_are_named(tmp_path: Path) -> None:
    model = trained(tmp_path, "--column", "note=ignored", "--column", "name=ignored")
    facts = converted(model, "--encoded").get_modelmeta().custom_metadata_map
    assert json.loads(facts["feature_names"])[:2] == ["weight", "colour=brown"]


def test_sparse_rows_and_models_from_python_take_features(tmp_path: Path) -> None:
    rows = "a 1:1 3:2\nb 2:1\na 3:1\n"
    model = trained(tmp_path, data=rows, name="rows.svm")
    running = converted(model)
    X = np.array([[1.0, 0, 2], [0, 1, 0]])
    assert running.run(["label"], {"X": X})[0].tolist() == ["a", "b"]
    learner = rosenblatt.Perceptron().fit(X, [0, 1])
    rosenblatt.save(learner, tmp_path / "python.rbt")
    assert converted(tmp_path / "python.rbt").run(["label"], {"X": X})[0].tolist() == [0, 1]


def test_into_a_pipe_the_same_bytes_but_not_to_a_terminal(tmp_path: Path) -> None:
    model = trained(tmp_path, data="1 1:1\n-1 1:-1\n", name="rows.svm")
    converted(model)
    piped = subprocess.run(
        [sys.executable, "-c", PROGRAM, "convert", model], capture_output=True, check=True
    )
    assert piped.stdout == model.with_suffix(".onnx").read_bytes()
    ours, theirs = pty.openpty()
    shown = subprocess.run(
        [sys.executable, "-c", PROGRAM, "convert", model],
        stdout=theirs,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(theirs)
    os.close(ours)
    assert shown.returncode == 2
    assert "give --out FILE" in shown.stderr


def test_which_it_is_shows_in_the_file_and_not_in_its_name(tmp_path: Path) -> None:
    model = trained(tmp_path, data="1 1:1\n-1 1:-1\n", name="rows.svm")
    odd = model.rename(tmp_path / "odd.csv")
    assert converted(odd).get_inputs()[0].name == "X"
    data = written(tmp_path, "data.rbt", "a,y\n1,u\n2,v\n")
    assert run("convert", data).out == "u 1:1.0\nv 1:2.0\n"


@pytest.mark.parametrize("options", [["-o", "new.rbt"], ["--to", "rbt", "-o", "new"]])
def test_a_model_file_is_written_again_as_one_of_this_format(
    tmp_path: Path, options: list[str]
) -> None:
    model = trained(tmp_path)
    new = tmp_path / options[-1]

    done = run("convert", model, *options[:-1], new)

    assert (done.code, done.out, done.err) == (0, "", "")
    assert new.read_bytes() == model.read_bytes()
    assert "a model file is not for a pipe" in run("convert", model, "--to", "rbt").err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["DATA", "--to", "rbt"], "is no model, and only models become model files"),
        (["MODEL", "--to", "svmlight"], "is a model, which becomes --to onnx"),
        (["MODEL", "--names", "n.tsv"], "--names is for data"),
        (["MODEL", "--on-bad", "skip"], "--on-bad is for data"),
        (["MODEL", "--out", "MODEL"], "holds the model"),
        (["MODEL", "MODEL"], "one model at a time"),
        (["MODEL", "DATA"], "one model at a time"),
        (["DATA", "--to", "onnx"], "is no model"),
        (["DATA", "--encoded"], "--encoded has no meaning for data"),
        (["-", "--to", "onnx"], "is no model"),
        (["MODEL", "--to", "onx"], "Did you mean 'onnx'?"),
    ],
)
def test_what_does_not_go_together_is_refused_and_the_model_stays(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    model = trained(tmp_path, "--column", "note=ignored")
    before = model.read_bytes()
    places = {"MODEL": model, "DATA": written(tmp_path, "data.csv", PETS)}
    done = run("convert", *(places.get(argument, argument) for argument in arguments))
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert model.read_bytes() == before


def test_without_onnx_installed_a_sentence_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = trained(tmp_path, data="1 1:1\n-1 1:-1\n", name="rows.svm")
    monkeypatch.setitem(sys.modules, "onnx", None)
    done = run("convert", model, "-o", tmp_path / "model.onnx")
    assert (done.code, done.out) == (5, "")
    assert done.err == (
        "error: writing ONNX needs onnx. Install it with pip install 'rosenblatt[onnx]'.\n"
    )
    assert not (tmp_path / "model.onnx").exists()


def test_a_damaged_model_is_not_converted(tmp_path: Path) -> None:
    model = trained(tmp_path, data="1 1:1\n-1 1:-1\n", name="rows.svm")
    model.write_bytes(model.read_bytes()[:-1])
    done = run("convert", model, "-o", tmp_path / "model.onnx")
    assert done.code == 4
    assert "truncated" in done.err
    assert not (tmp_path / "model.onnx").exists()
