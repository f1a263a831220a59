"""What show tells of a model."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import rosenblatt
from cli.shell import PETS, run, trained

TABLE = "x,c,y\n1,red,a\n2,red,a\n8,blue,b\n9,blue,b\n"


def test_the_card_for_people(tmp_path: Path) -> None:
    model = trained(tmp_path, "--epochs", "7", "--record", data=TABLE)
    done = run("show", model)
    assert (done.code, done.err) == (0, "")
    digest = hashlib.sha256(TABLE.encode()).hexdigest()
    assert done.out.splitlines() == [
        f"model       {model} (rosenblatt {rosenblatt.__version__})",
        "learner     AveragedPerceptron",
        "parameters  max_iter=7, record=True",
        "classes     a, b",
        "features    3",
        "rows        4",
        "epochs      2",
        "mistakes    2; by epoch 2 0",
        "ended       an epoch without a mistake: the last weights separate the rows learned from",
        "errors      0 on the training rows",
        f"data        SHA-256 {digest}",
        "ledger      every update was kept",
        "holds       numbers and labels of the examples in the ledger",
        "",
        "x  number    median 5, scale 4.818, clipped at ±3",
        "c  category  2 levels: red, blue",
        "",
        "largest weights for b (negative: for a)",
        *done.out.splitlines()[18:],
    ]
    weights = dict(line.split()[::-1] for line in done.out.splitlines()[18:])
    loaded = rosenblatt.load(model)
    assert set(weights) == {"(bias)", "x", "c=red", "c=blue"}
    assert float(weights["x"]) == pytest.approx(loaded.coef_[0, 0], rel=1e-4)
    assert float(weights["(bias)"]) == pytest.approx(loaded.intercept_[0], rel=1e-4)


def test_a_ledger_goes_on_when_a_model_is_resumed_and_says_since_when_it_was_kept(
    tmp_path: Path,
) -> None:
    model, more = trained(tmp_path, "--epochs", "7", "--record", data=TABLE), tmp_path / "more.csv"
    more.write_text(TABLE)
    assert run("train", more, "--resume", model).code == 0
    assert "ledger      every update was kept\n" in run("show", model).out
    learner = rosenblatt.load(trained(tmp_path, "--epochs", "7", data=TABLE))
    seen = learner.t_
    rosenblatt.save(learner.set_params(record=True), model)
    assert run("train", more, "--resume", model).code == 0
    assert f"ledger      every update was kept since example {seen + 1}\n" in run("show", model).out


def test_weights_are_all_those_that_are_not_0_with_all_digits(tmp_path: Path) -> None:
    three = PETS.replace("Mia,3.5", "Bo,0.2").replace("kitchen,cat", "kitchen,bird")
    model = trained(tmp_path, data=three)
    lines = [line.split("\t") for line in run("show", model, "--weights").out.splitlines()]
    loaded = rosenblatt.load(model)
    for place, label in enumerate(loaded.classes_):
        found = {name: float(weight) for voice, name, weight in lines if voice == label}
        assert found.pop("(bias)", 0.0) == loaded.intercept_[place]
        assert sorted(found.values()) == sorted(loaded.coef_[place][loaded.coef_[place] != 0])
        assert "weight" in found
    assert any(name == "note: digs" for _, name, _ in lines)


def test_json_has_the_record_and_as_many_weights_as_asked_for(tmp_path: Path) -> None:
    model = trained(tmp_path, "--dev", "0.4", "--learner", "mira")
    found = run("show", model, "--json", "--top", "3").json
    loaded = rosenblatt.load(model)
    assert found["learner"] == "MIRA"
    assert found["parameters"] == {"early_stopping": True, "validation_fraction": 0.4}
    assert found["classes"] == ["cat", "dog"]
    assert found["mistakes_per_epoch"] == loaded.mistakes_per_epoch_
    assert found["best_epoch"] == loaded.best_iter_
    assert found["dev_accuracy"] == max(loaded.validation_scores_)
    pairs = [pair for pair in found["top_weights"]["dog"] if pair["feature"] != "(bias)"]
    assert len(pairs) == 3
    assert abs(pairs[0]["weight"]) == abs(loaded.coef_).max()


def test_a_stream_is_told_as_one(tmp_path: Path) -> None:
    model = trained(tmp_path, "--one-pass", data=TABLE)
    lines = run("show", model, "--top", "0").out.splitlines()
    assert "learned     4 examples one by one" in lines
    assert not any(line.startswith(("epochs", "largest")) for line in lines)


def test_models_saved_by_python_are_shown_too(tmp_path: Path) -> None:
    model = tmp_path / "m.rbt"
    spam = rosenblatt.Perceptron().learn_one({"win": 1, "\x1b[31mmoney": 1}, "spam")
    rosenblatt.save(spam.learn_one({"noon": 1}, "ham"), model)
    done = run("show", model)
    assert "data        SHA-256 not kept" in done.out
    assert "noon" in done.out
    assert "\x1b" not in done.out


def test_a_file_that_is_no_model_ends_with_4(tmp_path: Path) -> None:
    model = trained(tmp_path)
    model.write_bytes(model.read_bytes()[:-1])
    done = run("show", model)
    assert (done.code, done.out) == (4, "")
    assert "truncated" in done.err
    assert run("show", tmp_path / "nothing.rbt").code == 2
