"""Answers beside labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rosenblatt
from cli.shell import DATA, MAIL, PETS, run, trained, written
from rosenblatt.evaluate import report

CHANGED = PETS.replace("barks at the postman every single day,dog", "purrs,dog").replace(
    "Rex,30.5,brown", "Rex,1.0,white"
)


def test_the_report_says_what_is_taken_for_what(tmp_path: Path) -> None:
    model = trained(tmp_path)
    before = model.read_bytes()
    done = run("evaluate", model, written(tmp_path, "test.csv", CHANGED))
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[:3] == [
        "6 rows, 2 wrong",
        "accuracy  0.6667",
        "baseline  0.5000  (always cat)",
    ]
    assert [line.split() for line in lines[-2:]] == [["cat", "2", "1"], ["dog", "1", "2"]]
    assert max(map(len, lines)) <= 80
    assert model.read_bytes() == before


def test_json_has_what_the_report_of_python_has(tmp_path: Path) -> None:
    model = trained(tmp_path)
    file = written(tmp_path, "test.csv", CHANGED)
    found = run("evaluate", model, file, "--json").json
    truth = [line.rpartition(",")[2] for line in CHANGED.splitlines()[1:]]
    answers = run("predict", model, file).out.split()
    printed = run("predict", model, file, "--scores").out.splitlines()[1:]
    scores = [float(line.rpartition(",")[2]) for line in printed]
    expected = report(truth, answers, scores=scores).to_json() | {"schema": found["schema"]}
    most = {"label": expected.pop("most_frequent"), "accuracy": expected["baseline"]}
    expected["baseline"] = most
    assert {name: found[name] for name in expected} == expected
    assert found["files"] == [str(file)]


CALIBRATED = ("--learner", "pa", "--calibrate", "--class-weight", "balanced", "--epochs", "9")


def test_a_calibrated_model_is_judged_by_its_probabilities(tmp_path: Path) -> None:
    model = trained(tmp_path, *CALIBRATED)
    assert rosenblatt.load(model).class_weight == "balanced"
    file = written(tmp_path, "test.csv", CHANGED)
    done, found = run("evaluate", model, file), run("evaluate", model, file, "--json").json
    error, loss = found["calibration_error"], found["log_loss"]
    assert f"log loss  {loss:.4f}, calibration error {error:.4f}" in done.out.splitlines()
    rows = [line.split(",") for line in run("predict", model, file, "--proba").out.splitlines()]
    truth = [line.rpartition(",")[2] for line in CHANGED.splitlines()[1:]]
    shares = np.array([row[1:] for row in rows[1:]], float)
    labels = [row[0] for row in rows[1:]]
    assert report(truth, labels, probabilities=shares).log_loss == pytest.approx(loss, abs=1e-12)


def test_a_threshold_moves_predictions_to_the_second_class(tmp_path: Path) -> None:
    model = trained(tmp_path, *CALIBRATED)
    file = written(tmp_path, "test.csv", CHANGED)
    dogs = []
    for threshold in ("0", "0.4", "0.9", "1"):
        found = run("evaluate", model, file, "--threshold", threshold, "--json").json
        labels = run("predict", model, file, "--threshold", threshold).out.split()
        assert [sum(column) for column in zip(*found["confusion"], strict=True)] == [
            labels.count("cat"),
            labels.count("dog"),
        ]
        assert found["threshold"] == float(threshold)
        dogs.append(labels.count("dog"))
    assert dogs == sorted(dogs, reverse=True)
    assert (dogs[0], dogs[-1]) == (6, 0)


@pytest.mark.parametrize("options", [(), CALIBRATED])
def test_a_curve_is_drawn_and_its_thresholds_give_what_is_shown(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    pytest.importorskip("matplotlib")
    model = trained(tmp_path, *options)
    file, picture = written(tmp_path, "test.csv", CHANGED), tmp_path / "curve.svg"
    done = run("evaluate", model, file, "--curve", picture)
    assert "false positive rate" in picture.read_text()
    head = done.out.splitlines().index("threshold  precision  recall      f1  rows above, dog")
    *rows, wrote = done.out.splitlines()[head + 1 :]
    assert wrote == f"wrote {picture}"
    assert rows
    for row in rows:
        threshold, precision, recall, f1, above = row.split()[:5]
        found = run("evaluate", model, file, "--threshold", threshold, "--json").json
        dog = found["per_class"][1]
        assert [f"{dog[name]:.4f}" for name in ("precision", "recall", "f1")] == [
            precision,
            recall,
            f1,
        ]
        assert sum(row[1] for row in found["confusion"]) == int(above)
    assert sum("largest f1" in row for row in rows) >= 1


def test_json_has_the_points_of_the_curves_and_both_areas(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    three = PETS.replace("Mia,3.5", "Bo,0.2").replace("kitchen,cat", "kitchen,bird")
    model, picture = trained(tmp_path, data=three), tmp_path / "curve.png"
    file = tmp_path / "pets.csv"
    found = run("evaluate", model, file, "--curve", picture, "--json").json
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert found["picture"] == str(picture)
    assert list(found["curves"]) == ["bird", "cat", "dog"]
    for curve in found["curves"].values():
        assert curve["recall"][-1] == curve["false_positive_rate"][-1] == 1.0
    areas = [curve["roc_area"] for curve in found["curves"].values()]
    assert found["roc_area"] == pytest.approx(np.mean(areas))
    assert "curves" not in run("evaluate", model, file, "--json").json
    assert (
        "class  ROC area  precision-recall area"
        in run("evaluate", model, file, "--curve", picture).out.splitlines()
    )


def test_a_curve_that_cannot_be_drawn_is_refused_before_the_work(tmp_path: Path) -> None:
    model = trained(tmp_path)
    file = tmp_path / "pets.csv"
    for path, said in ((file, "holds the data or the model"), ("c.txt", "a picture ends in .svg")):
        done = run("evaluate", model, file, "--curve", path)
        assert (done.code, done.out) == (2, "")
        assert said in done.err


def test_rows_of_one_class_have_no_curve(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    model, picture = trained(tmp_path), tmp_path / "curve.svg"
    head, *rows = PETS.splitlines(keepends=True)
    cats = written(tmp_path, "cats.csv", head + "".join(row for row in rows if "cat" in row))
    done = run("evaluate", model, cats, "--curve", picture)
    assert (done.code, picture.exists()) == (3, False)
    assert "a curve needs scores, and rows of two classes or more" in done.err


@pytest.mark.parametrize("verb", ["predict", "evaluate"])
@pytest.mark.parametrize(
    ("train", "threshold", "message"),
    [
        (CALIBRATED, "1.5", "--threshold 1.5: give a probability, from 0 to 1."),
        (CALIBRATED, "nan", "--threshold nan: give a probability, from 0 to 1."),
        ((), "nan", "--threshold nan: give a score."),
        ((), "inf", "--threshold inf: give a score."),
    ],
)
def test_a_threshold_that_has_no_meaning_is_refused(
    tmp_path: Path, verb: str, train: tuple[str, ...], threshold: str, message: str
) -> None:
    done = run(verb, trained(tmp_path, *train), tmp_path / "pets.csv", "--threshold", threshold)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_threshold_is_for_two_classes(tmp_path: Path) -> None:
    three = PETS.replace("Mia,3.5", "Bo,0.2").replace("kitchen,cat", "kitchen,bird")
    model = trained(tmp_path, data=three)
    done = run("evaluate", model, tmp_path / "pets.csv", "--threshold", "0")
    assert f"--threshold is for two classes, but {model} has 3." in done.err


def test_labels_that_are_numbers_are_compared_as_numbers(tmp_path: Path) -> None:
    model = trained(tmp_path, data="1 1:1\n-1 1:-1\n", name="a.svmlight")
    found = run("evaluate", model, "-", "--json", text="+1 1:2\n-1.0 1:-3\n1 1:-1 4:1\n").json
    assert found["classes"] == [-1, 1]
    assert found["confusion"] == [[1, 0], [1, 1]]


def test_a_label_that_the_model_does_not_know_is_refused_with_those_it_knows(
    tmp_path: Path,
) -> None:
    model = trained(tmp_path)
    file = written(tmp_path, "horses.csv", PETS.replace("long,cat", "long,horse"))
    done = run("evaluate", model, file)
    assert (done.code, done.out) == (3, "")
    assert f"{file}:3:" in done.err
    assert 'the label "horse" is not one of the known classes cat, dog' in done.err
    done = run("evaluate", model, file, "--on-bad", "skip")
    assert done.out.startswith("5 rows, 0 wrong\n")
    assert "warning: 1 bad row is not counted" in done.err


def test_unknown_levels_are_told_once_for_all_files(tmp_path: Path) -> None:
    model = trained(tmp_path)
    file = written(tmp_path, "pink.csv", PETS.replace("grey", "pink"))
    done = run("evaluate", model, file, file)
    assert done.out.startswith("12 rows, ")
    assert done.err == "notice: colour: 2 rows with levels never seen: pink (2)\n"
    assert run("evaluate", model, file, "--quiet").err == ""


def test_texts_are_evaluated_with_the_features_of_the_model(tmp_path: Path) -> None:
    options = ["--format", "text", "--exact", "--chars", "2-3", "--words", "none"]
    model = trained(tmp_path, *options, data="\n".join(MAIL) + "\n", name="mail")
    assert run("evaluate", model, tmp_path / "mail", "--json").json["accuracy"] == 5 / 6


def test_the_test_half_of_a_real_file_is_answered_as_python_answers_it(tmp_path: Path) -> None:
    train, test = DATA / "a9a" / "a9a.gz", DATA / "a9a" / "a9a.t.gz"
    if not (train.exists() and test.exists()):
        pytest.skip("the data are not at hand")
    model = tmp_path / "m.rbt"
    assert (
        run("train", "--learner", "averaged", train, "--format", "svmlight", "--out", model).code
        == 0
    )
    found = run("evaluate", model, test, "--format", "svmlight", "--json").json
    loaded = rosenblatt.load(model)
    X, y = rosenblatt.io.read_svmlight(test, n_features=loaded.n_features_in_)
    assert found["accuracy"] == loaded.score(X, y)
    assert found["accuracy"] > 0.845
