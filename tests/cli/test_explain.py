"""Why a model answers as it does: parts that add up to the margin, by feature and by mistake."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt
from cli.shell import PROGRAM, run
from rosenblatt import MIRA, AveragedPerceptron, PassiveAggressive, Perceptron
from rosenblatt.features import Schema, TextFeatures, TextSchema
from rosenblatt.io import read_table, read_text
from rosenblatt.model import write

# Most of these learners are stopped early, with mistakes left.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

TWO = "size,colour,y\n1,red,no\n3,blue,yes\n2,red,no\n5,blue,no\n4,green,yes\n6,red,yes\n"
THREE = "a,b,y\n0,0,u\n1,0,u\n9,0,v\n8,1,v\n0,9,w\n1,8,w\n5,5,u\n4,4,v\n"


def explain(*arguments: str | Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, "explain", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        input=text,
        check=False,
    )


def explained(*arguments: str | Path, text: str | None = None) -> dict[str, Any]:
    done = explain(*arguments, "--json", text=text)
    assert (done.returncode, done.stderr) == (0, "")
    told: dict[str, Any] = json.loads(done.stdout)
    assert told["schema"] == 2
    return told


def saved(folder: Path, text: str, learner: Any) -> tuple[Path, Path]:
    """A model with its schema, and the data it comes from."""
    data = folder / "data.csv"
    data.write_text(text)
    table = read_table(data, "y")
    schema = Schema.guess(table)
    X: Any = schema.encode(table)
    learner.fit(X.tocsr() if hasattr(X, "tocsr") else X, table.y)
    state = learner.to_state()
    state.card.schema = schema.to_json(state.arrays["coef"])
    write(state, str(folder / "model.rbt"))
    return folder / "model.rbt", data


def fitted(kind: Any = AveragedPerceptron, **more: Any) -> Any:
    return kind(max_iter=7, tol=None, random_state=1, **more)


def test_features_and_bias_add_up_to_the_score_of_two_classes(tmp_path: Path) -> None:
    model, data = saved(tmp_path, TWO, fitted())
    for row in range(1, 7):
        told = explained(model, data, "--row", str(row))
        parts = [one["contribution"] for one in told["features"]]
        assert sum(parts) + told["bias"] == pytest.approx(told["scores"][told["prediction"]])
        assert told["margin"] == pytest.approx(max(told["scores"].values()))
        assert parts == sorted(parts, key=abs, reverse=True)
        for one in told["features"]:
            assert one["contribution"] == one["weight"] * one["value"]
        assert {told["prediction"], told["against"]} == {"no", "yes"}
        assert told["line"] == row + 1


def test_with_several_classes_it_is_the_lead_over_the_second(tmp_path: Path) -> None:
    model, data = saved(tmp_path, THREE, fitted())
    for row in range(1, 9):
        told = explained(model, data, "--row", str(row))
        best, second, _ = sorted(told["scores"], key=lambda c: -told["scores"][c])
        assert (told["prediction"], told["against"]) == (best, second)
        lead = told["scores"][best] - told["scores"][second]
        assert told["margin"] == pytest.approx(lead)
        parts = sum(one["contribution"] for one in told["features"])
        assert parts + told["bias"] == pytest.approx(lead)


def test_the_report_names_features_with_the_values_of_the_file(tmp_path: Path) -> None:
    model, data = saved(tmp_path, TWO, fitted())
    done = explain(model, data, "--row", "2", "--labelled")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "row 2 (line 3, labelled yes): no"
    assert lines[1].startswith("scores: no ")
    assert lines[2].startswith("no rather than yes, by ")
    assert any("size = 3" in line for line in lines)
    assert any("colour=blue" in line for line in lines)
    assert any(line.endswith("the average row") for line in lines)
    short = explain(model, data, "--row", "6", "--top", "1").stdout
    assert "1 other feature\n" in short


def test_levels_never_seen_are_named_and_missing_columns_too(tmp_path: Path) -> None:
    model, _ = saved(tmp_path, TWO, fitted())
    text = "colour,size\nmauve,3\n"
    assert explained(model, "-", "--row", "1", text=text)["unknown"] == {"colour": ["mauve"]}
    said = explain(model, "-", "--row", "1", text=text).stdout
    assert "colour: mauve was never seen in training and has no weight" in said
    done = explain(model, "-", "--row", "1", text="size\n3\n")
    assert done.returncode == 3
    assert "1 column is missing" in done.stderr


@pytest.mark.parametrize(
    "learner",
    [
        fitted(record=True),
        fitted(Perceptron, record=True, eta0=0.5),
        fitted(Perceptron, record=True, fit_intercept=False),
        fitted(PassiveAggressive, record=True),
        fitted(MIRA, record=True),
    ],
    ids=lambda learner: type(learner).__name__,
)
@pytest.mark.parametrize("text", [TWO, THREE], ids=["two classes", "three classes"])
def test_past_mistakes_add_up_to_the_margin_too(tmp_path: Path, text: str, learner: Any) -> None:
    model, data = saved(tmp_path, text, learner)
    for row in ("1", "4"):
        told = explained(model, data, "--row", row, "--train", data)
        mistakes = told["mistakes"]
        assert mistakes["adds_up"]
        assert mistakes["sum"] == pytest.approx(told["margin"])
        assert sum(one["contribution"] for one in mistakes["rows"]) == pytest.approx(told["margin"])
        updates = sum(one["updates"] for one in mistakes["rows"])
        assert updates == mistakes["updates"] > 0
        # Of three classes some updates raise and lower neither of the two.
        assert updates <= told["updates"]
        assert text == THREE or updates == told["updates"]
        labels = text.splitlines()
        for one in mistakes["rows"]:
            assert labels[one["line"] - 1].endswith("," + one["label"])


def test_one_update_is_its_step_times_the_product_of_the_rows(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text("a,b,y\n1,2,no\n3,-1,yes\n2,2,no\n")
    X, y = read_table(data, "y")
    learner = Perceptron(eta0=2.0, record=True, shuffle=False).fit(X, y)
    rosenblatt.save(learner, tmp_path / "m.rbt")
    arguments = (tmp_path / "m.rbt", data, "--row", "2", "--target", "y", "--train", data)
    told = explained(*arguments)
    assert told["prediction"] == "yes"
    expected: dict[int, float] = {}
    for update in learner.ledger_:
        assert update.step == 2.0
        part = update.step * (float(X[update.row] @ X[1]) + 1.0)
        sign = 1.0 if update.y_true == "yes" else -1.0
        expected[update.row + 1] = expected.get(update.row + 1, 0.0) + sign * part
    found = {one["row"]: one["contribution"] for one in told["mistakes"]["rows"]}
    assert found == pytest.approx(expected)


def test_without_the_data_of_training_the_ledger_is_counted_only(tmp_path: Path) -> None:
    model, data = saved(tmp_path, TWO, fitted(record=True))
    told = explained(model, data, "--row", "1")
    assert told["mistakes"] is None
    said = explain(model, data, "--row", "1").stdout
    assert f"the ledger holds {told['updates']} updates by number of row only; --train" in said


def test_other_data_than_those_of_training_are_refused(tmp_path: Path) -> None:
    model, data = saved(tmp_path, TWO, fitted(record=True))
    other = tmp_path / "other.csv"
    other.write_text("\n".join(TWO.splitlines()[:3]))
    done = explain(model, data, "--row", "1", "--train", other)
    assert done.returncode == 3
    assert "2 rows for a ledger that names row" in done.stderr
    head, *rows = TWO.splitlines()
    other.write_text("\n".join([head, *reversed(rows)]))
    done = explain(model, data, "--row", "1", "--train", other)
    assert done.returncode == 3
    assert "the labels are not those of the ledger" in done.stderr


def test_the_best_epoch_is_the_sum_of_the_updates_up_to_it(tmp_path: Path) -> None:
    text = "a,b,y\n" + "".join(f"{i % 7},{i * i % 5},{'uv'[i % 3 > 0]}\n" for i in range(60))
    learner = fitted(record=True, early_stopping=True, validation_fraction=0.3)
    model, data = saved(tmp_path, text, learner)
    told = explained(model, data, "--row", "1", "--train", data)
    assert told["best_epoch"]
    assert told["mistakes"]["adds_up"]
    assert told["mistakes"]["sum"] == pytest.approx(told["margin"])
    assert told["mistakes"]["updates"] < told["updates"]
    said = explain(model, data, "--row", "1", "--train", data).stdout
    assert "the model predicts with its best epoch; later updates are left out" in said


def test_train_needs_a_ledger(tmp_path: Path) -> None:
    model, data = saved(tmp_path, TWO, fitted())
    done = explain(model, data, "--row", "1", "--train", data)
    assert done.returncode == 2
    assert "no ledger of the updates was kept" in done.stderr
    assert "Keep one with rosenblatt train --record" in done.stderr


def test_texts_are_explained_word_by_word(tmp_path: Path) -> None:
    data = tmp_path / "mail.txt"
    data.write_text("ham\tsee you at six\nspam\twin money now\nham\tmoney for you\nspam\twin\n")
    texts, y = read_text(data)
    schema = TextSchema(TextFeatures())
    learner = fitted(record=True).fit(schema.features.fit_transform(texts).tocsr(), y)
    state = learner.to_state()
    state.card.schema = schema.to_json(state.arrays["coef"])
    write(state, str(tmp_path / "m.rbt"))
    arguments = [tmp_path / "m.rbt", data, "--format", "text", "--labelled", "--row", "2"]
    told = explained(*arguments, "--train", data)
    assert (told["prediction"], told["label"]) == ("spam", "spam")
    assert told["features"][0]["name"] == "win"
    assert told["mistakes"]["adds_up"]
    bare = explained(tmp_path / "m.rbt", "-", "--format", "text", "--row", "1", text="win\n")
    assert bare["prediction"] == "spam"


def test_a_model_from_python_explains_svmlight_rows_and_columns_in_order(tmp_path: Path) -> None:
    X = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [2.0, 0.0, 1.0], [0.0, 1.0, 0.5]])
    learner = fitted().fit(X, [0, 1, 0, 1])
    rosenblatt.save(learner, tmp_path / "m.rbt")
    expected = float(learner.decision_function(X[3:])[0])
    rows = "0 1:1 3:2\n1 2:1 3:0.5 9:7\n"
    told = explained(tmp_path / "m.rbt", "-", "--format", "svmlight", "--row", "2", text=rows)
    assert told["scores"]["1"] == pytest.approx(expected)
    assert {one["name"] for one in told["features"]} <= {"2", "3"}
    table = explained(tmp_path / "m.rbt", "-", "--row", "1", text="p,q,r\n0,1,0.5\n")
    assert table["scores"] == told["scores"]
    assert {one["name"] for one in table["features"]} <= {"q", "r"}
    done = explain(tmp_path / "m.rbt", "-", "--row", "1", text="p,q,r,y\n0,1,0.5,1\n")
    assert done.returncode == 3
    assert "3 features without names, but the data have 4 columns; --target" in done.stderr
    cured = explained(
        tmp_path / "m.rbt", "-", "--row", "1", "--target", "y", text="p,q,r,y\n0,1,0.5,1\n"
    )
    assert cured["scores"] == told["scores"]


def test_a_model_from_a_data_frame_finds_its_columns_by_name(tmp_path: Path) -> None:
    import pandas

    frame = pandas.DataFrame({"p": [1.0, 0.0, 2.0, 0.5], "q": [0.0, 3.0, 1.0, 2.0]})
    rosenblatt.save(fitted().fit(frame, ["a", "b", "a", "b"]), tmp_path / "m.rbt")
    told = explained(tmp_path / "m.rbt", "-", "--row", "1", text="q,p\n3,1\n")
    assert {one["name"]: one["value"] for one in told["features"]} == {"p": 1.0, "q": 3.0}


def test_votes_are_not_passed_off_as_weights(tmp_path: Path) -> None:
    model, data = saved(tmp_path, TWO, fitted(rosenblatt.VotedPerceptron))
    done = explain(model, data, "--row", "1")
    assert done.returncode == 0
    assert "votes are no sum over features" in done.stdout
    assert "row 5, yes: 1 update" in done.stdout
    told = explained(model, data, "--row", "1", "--train", data)
    assert (told["votes"], told["features"]) == (True, [])
    assert told["mistakes"]["adds_up"]
    assert told["mistakes"]["sum"] == pytest.approx(told["margin"])
    labels = TWO.splitlines()
    for one in told["mistakes"]["rows"]:
        assert labels[one["line"] - 1].endswith("," + one["label"])


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--row", "7"], 3, "there is no row 7"),
        (["--row", "0"], 2, "'0': give a whole number from 1 on."),
        ([], 2, "give DATA and --row N for one row, or --global"),
    ],
)
def test_rows_that_are_not_there_are_refused(
    tmp_path: Path, arguments: list[str], code: int, said: str
) -> None:
    model, data = saved(tmp_path, TWO, fitted())
    done = explain(model, data, *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_is_no_model_ends_with_4_and_help_has_examples(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text(TWO)
    done = explain(data, data, "--row", "1")
    assert done.returncode == 4
    assert explain("--help").stdout.partition("Examples:")[2].count("rosenblatt explain ") == 3


def test_a_row_of_a_later_block_is_found(tmp_path: Path) -> None:
    model, _ = saved(tmp_path, TWO, fitted())
    rows = [f"{i % 7},red" for i in range(120_000)]
    text = "size,colour\n" + "\n".join(rows) + "\n9.5,blue\n1,red\n"
    told = explained(model, "-", "--row", "120001", text=text)
    assert told["line"] == 120_002
    assert [one["raw"] for one in told["features"] if one["name"] == "size"] == [9.5]


def test_a_number_that_was_clipped_is_named(tmp_path: Path) -> None:
    rows = [f"{i % 7},{i % 5},{'uv'[i % 7 > 3]}" for i in range(40)]
    data = tmp_path / "rows.csv"
    data.write_text("\n".join(["a,b,y", *rows]))
    model = tmp_path / "m.rbt"
    assert run("train", data, "--learner", "averaged", "--out", model).code == 0
    far = tmp_path / "far.csv"
    far.write_text("a,b\n1e6,2\n3,2\n")
    found = run("explain", model, far, "--row", "1")
    assert "clipped, since so far from the median: a" in found.out
    assert "clipped" not in run("explain", model, far, "--row", "2").out
    assert run("explain", model, far, "--row", "1", "--json").json["clipped"] == ["a"]
