"""Answers for rows of files: by name, in blocks, and without learning."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import rosenblatt
from cli.shell import MAIL, PETS, run, trained, written
from rosenblatt.features import Schema
from rosenblatt.io import read_table
from rosenblatt.io.lines import Lines
from rosenblatt.learner.catalogue import CATALOGUE

NEW = """note,colour,weight,name,extra
purrs,mauve,4,Zoe,1
barks,teal,40,Bo,2
barks,mauve,40,Bo,3
"""


def test_labels_come_one_a_line_and_the_rest_goes_to_stderr(tmp_path: Path) -> None:
    model = trained(tmp_path)
    before = model.read_bytes()
    done = run("predict", model, written(tmp_path, "new.csv", NEW))
    assert (done.code, done.out) == (0, "cat\ndog\ndog\n")
    assert done.err.splitlines() == [
        f'warning: {tmp_path / "new.csv"}: 1 column is not used: "extra"',
        "notice: name: 3 rows with levels never seen: Bo (2), Zoe (1)",
        "notice: colour: 3 rows with levels never seen: mauve (2), teal (1)",
    ]
    assert model.read_bytes() == before
    quiet = run("predict", model, tmp_path / "new.csv", "--quiet")
    assert (quiet.out, quiet.err) == (done.out, "")


def test_probabilities_are_those_of_the_loaded_learner(tmp_path: Path) -> None:
    model = trained(tmp_path, "--calibrate", "--learner", "perceptron")
    table = read_table(tmp_path / "pets.csv", target="kind")
    X = Schema.guess(table).encode(table).tocsr()
    expected = rosenblatt.load(model).predict_proba(X).tolist()
    [head, *rows] = csv.reader(
        io.StringIO(run("predict", model, tmp_path / "pets.csv", "--proba").out)
    )
    assert head == ["label", "cat", "dog"]
    assert [[float(share) for share in row[1:]] for row in rows] == expected
    lines = run("predict", model, tmp_path / "pets.csv", "--proba", "--json").out.splitlines()
    facts = [json.loads(line) for line in lines]
    assert [list(row["probabilities"].values()) for row in facts] == expected
    assert all(set(row["scores"]) == {"cat", "dog"} for row in facts)


def test_a_model_without_probabilities_says_how_to_train_one(tmp_path: Path) -> None:
    model = trained(tmp_path)
    done = run("predict", model, tmp_path / "pets.csv", "--proba")
    assert (done.code, done.out) == (2, "")
    assert f"{model} has scores and no probabilities; rosenblatt train --calibrate" in done.err
    both = run("predict", model, tmp_path / "pets.csv", "--proba", "--scores")
    assert "--proba prints probabilities; leave --scores out." in both.err


@pytest.mark.parametrize("learner", [e.name for e in CATALOGUE if e.family == "linear"])
def test_answers_and_scores_are_those_of_the_loaded_estimator(tmp_path: Path, learner: str) -> None:
    three = PETS.replace("Mia,3.5", "Bo,0.2").replace("kitchen,cat", "kitchen,bird")
    model = trained(tmp_path, "--learner", learner, data=three)
    table = read_table(tmp_path / "pets.csv", target="kind")
    X = Schema.guess(table).encode(table).tocsr()
    loaded = rosenblatt.load(model)
    done = run("predict", model, tmp_path / "pets.csv", "--scores")
    rows = list(csv.reader(io.StringIO(done.out)))
    assert rows[0] == ["label", "bird", "cat", "dog"]
    assert [row[0] for row in rows[1:]] == loaded.predict(X).tolist()
    scores = np.array([[float(number) for number in row[1:]] for row in rows[1:]])
    assert (scores == loaded.decision_function(X)).all()


def test_two_classes_have_scores_of_opposite_sign(tmp_path: Path) -> None:
    model = trained(tmp_path)
    table = read_table(tmp_path / "pets.csv", target="kind")
    X = Schema.guess(table).encode(table).tocsr()
    lines = run("predict", model, tmp_path / "pets.csv", "--json").out.splitlines()
    found = [json.loads(line) for line in lines]
    expected = rosenblatt.load(model).decision_function(X).tolist()
    assert [answer["scores"]["dog"] for answer in found] == expected
    assert [answer["scores"]["cat"] for answer in found] == [-score for score in expected]
    assert [answer["line"] for answer in found] == [2, 3, 4, 5, 6, 7]
    assert {answer["schema"] for answer in found} == {2}


def test_the_order_of_columns_does_not_matter_and_a_target_is_passed_over(tmp_path: Path) -> None:
    model = trained(tmp_path)
    turned = [",".join(line.split(",")[::-1]) for line in PETS.splitlines()]
    done = run("predict", model, written(tmp_path, "turned.csv", turned))
    assert done.err == ""
    assert done.out == run("predict", model, tmp_path / "pets.csv").out


def test_missing_columns_are_listed(tmp_path: Path) -> None:
    model = trained(tmp_path)
    file = written(tmp_path, "few.csv", "note,color\nbarks,red\n")
    done = run("predict", model, file)
    assert (done.code, done.out) == (3, "")
    assert '3 columns are missing: "name", "weight", "colour"' in done.err


def test_files_are_read_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = trained(tmp_path)
    rows = PETS.splitlines()
    answers = run("predict", model, tmp_path / "pets.csv").out
    many = written(tmp_path, "many.csv", [rows[0], *rows[1:] * 20_000])
    pieces = 0
    plain = Lines.pieces

    def counted(self: Lines) -> object:
        nonlocal pieces
        for piece in plain(self):
            pieces += 1
            yield piece

    monkeypatch.setattr(Lines, "pieces", counted)
    done = run("predict", model, many)
    assert pieces > 3
    assert len(set(answers.split())) == 2
    assert done.out == answers * 20_000


def test_labels_before_texts_are_passed_over_with_a_notice(tmp_path: Path) -> None:
    model = trained(tmp_path, "--format", "text", data="\n".join(MAIL) + "\n", name="mail")
    bare = "\n".join(line.partition("\t")[2] for line in MAIL) + "\n"
    without = run("predict", model, "-", "--scores", text=bare)
    assert without.err == ""
    done = run("predict", model, tmp_path / "mail", "--scores")
    assert done.out == without.out
    assert done.err == "notice: labels before the tab are skipped\n"


def test_columns_beyond_those_of_training_have_no_weight(tmp_path: Path) -> None:
    model = trained(tmp_path, data="1 1:1\n2 2:1\n", name="a.svmlight")
    done = run("predict", model, "-", text="1 1:1 7:3\n2 2:1 9:1\n1 1:2 7:1\n")
    assert done.out == "1\n2\n1\n"
    assert done.err == "notice: 3 values of columns never seen: 7 (2), 9 (1)\n"


def test_rows_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    model = trained(tmp_path)
    file = written(tmp_path, "bad.csv", NEW.replace("teal,40", "teal,heavy"))
    done = run("predict", model, file)
    assert (done.code, done.out) == (3, "")
    assert '"heavy" is not a number' in done.err
    done = run("predict", model, file, "--on-bad", "skip")
    assert (done.code, done.out) == (0, "cat\ndog\n")
    assert "warning: 1 bad row has no prediction" in done.err


def test_a_model_of_a_data_frame_answers_a_file_with_its_columns(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2.0, 5.0, 6.0], "b": [0.5, 1.0, -1.0, -2.0]})
    model = tmp_path / "m.rbt"
    rosenblatt.save(rosenblatt.Perceptron().fit(frame, ["no", "no", "yes", "yes"]), model)
    assert run("predict", model, "-", text="b,a\n-1,5\n1,2\n").out == "yes\nno\n"


def test_a_model_without_a_schema_is_a_bad_model_for_files(tmp_path: Path) -> None:
    model = tmp_path / "m.rbt"
    rosenblatt.save(rosenblatt.Perceptron().fit([[1.0], [-1.0]], ["no", "yes"]), model)
    done = run("predict", model, "-", text="a\n1\n")
    assert (done.code, done.out) == (4, "")
    assert "saved without a schema" in done.err


def test_data_for_a_model_and_other_formats_are_refused(tmp_path: Path) -> None:
    model = trained(tmp_path)
    done = run("predict", tmp_path / "pets.csv", tmp_path / "pets.csv")
    assert (done.code, done.out) == (4, "")
    assert "not a rosenblatt model" in done.err
    done = run("predict", model, tmp_path / "pets.csv", "--format", "svmlight")
    assert done.code == 2
    assert "the model was trained on a table" in done.err
    done = run("predict", model, tmp_path / "pets.csv", "--scores", "--json")
    assert done.code == 2


@pytest.mark.parametrize("verb", ["predict", "evaluate"])
def test_rejects_never_go_into_the_model_or_the_data(verb: str, tmp_path: Path) -> None:
    model, data = trained(tmp_path), written(tmp_path, "more.csv", PETS)
    before = model.read_bytes(), data.read_bytes()
    for path in (model, data):
        done = run(verb, model, data, "--on-bad", f"rejects={path}")
        assert done.code == 2
        assert "give another name" in " ".join(done.err.split())
    new = tmp_path / "new.rbt"
    assert run("train", data, "--out", new, "--on-bad", f"rejects={new}").code == 2
    assert (model.read_bytes(), data.read_bytes()) == before
    assert not new.exists()
