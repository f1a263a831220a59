"""Real data from the shell, from the file to answers, and the same models made in Python."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier

import rosenblatt
from cli.real_data import as_matrix, assert_same_learner, data_file, done, fitted, lines_of
from cli.shell import PROGRAM, run, written
from rosenblatt import AveragedPerceptron, PassiveAggressive
from rosenblatt.features import Schema, TextFeatures, schema_from_json
from rosenblatt.io import read_svmlight, read_table, read_text
from rosenblatt.model import read

pytestmark = pytest.mark.slow


@dataclass
class Trained:
    """A model, what `train` said of it, and the options that read its rows."""

    model: Path
    told: dict[str, Any]
    test: Path
    options: tuple[str, ...] = ()

    def evaluated(self) -> Any:
        return done("evaluate", self.model, self.test, *self.options, "--json").json

    def answers(self) -> list[str]:
        return done("predict", self.model, self.test, *self.options).out.splitlines()


def trained(
    folder: Path, data: Path, test: Path, *options: str, train: tuple[str | Path, ...] = ()
) -> Trained:
    model = folder / "model.rbt"
    told = done(
        "train", "--learner", "averaged", data, *options, *train, "--out", model, "--json"
    ).json
    return Trained(model, told, test, options)


# ---------------------------------------------------------------------- adult: a raw CSV with gaps

RAW = ("--format", "csv", "--no-header", "--missing", "?")


@pytest.fixture(scope="module")
def adult(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """The test rows begin with a line that is none, and their labels end in a dot."""
    folder = tmp_path_factory.mktemp("adult")
    data, raw = data_file("adult/adult.data.gz"), data_file("adult/adult.test.gz")
    test = written(folder, "test.csv", [line.rstrip(".") for line in lines_of(raw)[1:]])
    return trained(folder, data, test, *RAW, train=("--dev", "0.1"))


def test_adult_is_checked_before_it_is_learned() -> None:
    file = data_file("adult/adult.data.gz")
    rows = list(csv.reader(lines_of(file), skipinitialspace=True))
    found = done("check", file, *RAW, "--json").json
    assert found["rows"] == len(rows)
    assert found["classes"] == Counter(row[-1] for row in rows)
    gaps = [Counter(row[i] for row in rows)["?"] for i in range(14)]
    assert found["missing"] == {str(i + 1): n for i, n in enumerate(gaps) if n}
    kinds = ["number" if only_numbers(rows, i) else "category" for i in range(14)]
    assert [column["kind"] for column in found["columns"]] == kinds
    twins: dict[tuple[str, ...], Counter[str]] = {}
    for *values, label in rows:
        twins.setdefault(tuple(values), Counter())[label] += 1
    fights = [labels for labels in twins.values() if len(labels) > 1]
    assert found["conflicts"]["rows"] == sum(labels.total() for labels in fights)
    never_right = sum(labels.total() - max(labels.values()) for labels in fights)
    assert found["conflicts"]["never_right"] == never_right


def only_numbers(rows: list[list[str]], place: int) -> bool:
    return all(row[place].lstrip("-").isdecimal() for row in rows)


def test_adult_is_answered_far_better_than_by_the_majority(adult: Trained) -> None:
    found = adult.evaluated()
    truth = [line.rpartition(", ")[2] for line in adult.test.read_text().splitlines()]
    answers = adult.answers()
    assert found["rows"] == len(truth) == len(answers) == 16_281
    assert found["mistakes"] == sum(a != b for a, b in zip(answers, truth, strict=True))
    most, times = Counter(truth).most_common(1)[0]
    assert found["baseline"] == {"label": most, "accuracy": times / len(truth)}
    assert found["accuracy"] > found["baseline"]["accuracy"] + 0.08
    assert abs(found["accuracy"] - adult.told["accuracy"]["dev"]) < 0.01


def test_labels_that_end_in_a_dot_are_refused_with_their_line(
    adult: Trained, tmp_path: Path
) -> None:
    rows = lines_of(data_file("adult/adult.test.gz"))[1:]
    dotted = written(tmp_path, "dotted.csv", rows)
    refused = run("evaluate", adult.model, dotted, *RAW)
    assert (refused.code, refused.out) == (3, "")
    column = rows[0].rindex(" ") + 2
    assert f'{dotted}:1:{column}: column "15": the label "<=50K."' in refused.err


def test_an_unknown_level_of_adult_is_a_feature_that_is_explained(adult: Trained) -> None:
    names = schema_from_json(read(adult.model).card.schema).names(range(adult.told["features"]))
    assert {f"{column} is missing" for column in (2, 7, 14)} < set(names)
    rows = adult.test.read_text().splitlines()
    row = next(n for n, line in enumerate(rows, 1) if line.count("?") == 2)
    found = done("explain", adult.model, adult.test, *RAW, "--row", str(row), "--json").json
    parts = {feature["name"]: feature for feature in found["features"]}
    assert parts["2 is missing"]["value"] == parts["7 is missing"]["value"] == 1
    assert "14 is missing" not in parts
    total = found["bias"] + sum(part["contribution"] for part in parts.values())
    assert total == pytest.approx(found["margin"], rel=1e-12)
    assert found["prediction"] == adult.answers()[row - 1]
    told = done("explain", adult.model, adult.test, *RAW, "--row", str(row)).out
    assert told.startswith(f"row {row} (line {row}): {found['prediction']}\n")
    assert " 2 is missing " in told


def test_unknown_hours_of_adult_are_a_feature_of_their_own(tmp_path: Path) -> None:
    """Who tells no occupation tells no hours either, in this copy."""
    rows = [line.split(", ") for line in lines_of(data_file("adult/adult.data.gz"))]
    lost = [row[6] == "?" for row in rows]
    for row in (row for row, gap in zip(rows, lost, strict=True) if gap):
        row[12] = "?"
    data = written(tmp_path, "adult.csv", [", ".join(row) for row in rows])
    assert done("check", data, *RAW, "--json").json["missing"]["13"] == sum(lost)
    model = tmp_path / "model.rbt"
    done("train", "--learner", "averaged", data, *RAW, "--epochs", "2", "--out", model)
    schema = schema_from_json(read(model).card.schema)
    table = read_table(data, -1, header=False, trim=True, missing=["?"])
    X = as_matrix(schema.encode(table))
    place = schema.names(range(X.shape[1])).index("13 is missing")
    assert X[:, [place]].toarray().ravel().astype(bool).tolist() == lost
    assert not X[:, [place - 1]].toarray().ravel()[lost].any()
    assert rosenblatt.load(model).coef_[0, place] != 0


def test_python_makes_the_same_model_of_adult(adult: Trained) -> None:
    file = data_file("adult/adult.data.gz")
    table = read_table(file, -1, format="csv", header=False, trim=True, missing=["?"])
    X = Schema.guess(table, missing=["?"]).encode(table)
    learner = AveragedPerceptron(early_stopping=True, validation_fraction=0.1)
    assert_same_learner(adult.model, fitted(learner, X, table.y))


def test_python_answers_the_test_rows_of_adult_as_predict_does(adult: Trained) -> None:
    schema = schema_from_json(read(adult.model).card.schema)
    reading = {key: value for key, value in schema.reader_options().items() if key != "columns"}
    table = read_table(adult.test, -1, header=False, trim=True, **reading)
    learner = rosenblatt.load(adult.model)
    assert learner.predict(as_matrix(schema.encode(table))).tolist() == adult.answers()


# ---------------------------------------------------------------------- a9a: svmlight rows


@pytest.fixture(scope="module")
def a9a(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    data, test = data_file("a9a/a9a.gz"), data_file("a9a/a9a.t.gz")
    options = ("--format", "svmlight")
    return trained(tmp_path_factory.mktemp("a9a"), data, test, *options, train=("--dev", "0.1"))


def test_a9a_is_answered_far_better_than_by_the_majority(a9a: Trained) -> None:
    found = a9a.evaluated()
    assert (a9a.told["rows"], a9a.told["features"], found["rows"]) == (32_561, 123, 16_281)
    assert found["accuracy"] > found["baseline"]["accuracy"] + 0.08
    assert a9a.told["stop_reason"] == "early_stopping"


def test_python_makes_the_same_model_of_a9a(a9a: Trained) -> None:
    X, y = read_svmlight(data_file("a9a/a9a.gz"))
    learner = fitted(AveragedPerceptron(early_stopping=True, validation_fraction=0.1), X, y)
    assert_same_learner(a9a.model, learner)
    X, y = read_svmlight(a9a.test, n_features=X.shape[1])
    assert learner.score(X, y) == a9a.evaluated()["accuracy"]


# ---------------------------------------------------------------------- spam: a stream of texts


def test_spam_is_streamed_with_few_mistakes_and_python_makes_the_same_model(
    tmp_path: Path,
) -> None:
    file, model = data_file("sms_spam/SMSSpamCollection.gz"), tmp_path / "spam.rbt"
    answers = tmp_path / "answers.txt"
    options = ("--format", "text", "--out", model, "--predictions", answers)
    found = done("stream", file, *options, "--json").json
    texts, y = read_text(file)
    assert y is not None
    given = answers.read_text().split("\n")[:-1]
    assert found["mistakes"] == sum(a != b for a, b in zip(given, y.tolist(), strict=True))
    assert found["examples"] == len(texts) == 5574
    assert found["rate"] < 0.025 < 1 - found["baseline"]["accuracy"]
    X = TextFeatures(idf=False, unit=False).fit_transform(texts)  # as a stream has them
    assert_same_learner(model, AveragedPerceptron().partial_fit(as_matrix(X), y))


# ---------------------------------------------------------------------- newsgroups: many classes


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    data, test = (
        data_file(f"newsgroups20/20news-bydate-{part}.jsonl.gz") for part in ("train", "test")
    )
    options = ("--target", "label")
    return trained(tmp_path_factory.mktemp("news"), data, test, *options)


@pytest.fixture(scope="module")
def hashed_posts(news: Trained) -> tuple[Any, Any, Any, Any]:
    """Posts as scikit-learn hashes them: those of training and of the test, with their labels."""
    train = read_table(data_file("newsgroups20/20news-bydate-train.jsonl.gz"), "label")
    test = read_table(news.test, "label")
    features = HashingVectorizer()
    X, X_test = (features.transform(table.texts["text"]) for table in (train, test))
    return X, train.y, X_test, test.y


def test_posts_are_told_apart_far_better_than_by_the_majority(news: Trained) -> None:
    found = news.evaluated()
    assert (found["rows"], len(found["classes"])) == (7532, 20)
    assert found["accuracy"] > found["baseline"]["accuracy"] + 0.7


def test_posts_are_told_apart_at_least_as_well_as_by_scikit_learn(
    news: Trained, hashed_posts: tuple[Any, Any, Any, Any]
) -> None:
    """Its averaged perceptron; both as they come, down to when they stop and what a word counts."""
    X, y, X_test, y_test = hashed_posts
    peer = SGDClassifier(loss="perceptron", average=True, random_state=0)
    assert news.evaluated()["accuracy"] >= peer.fit(X, y).score(X_test, y_test)


def test_python_makes_the_same_model_of_the_posts(news: Trained) -> None:
    table = read_table(data_file("newsgroups20/20news-bydate-train.jsonl.gz"), "label")
    X = Schema.guess(table).encode(table)
    assert_same_learner(news.model, fitted(AveragedPerceptron(), X, table.y))


# ---------------------------------------------------------------------- prices that drift


def no_change(labels: list[int]) -> int:
    """Mistakes of always giving the label before; there is none before the first."""
    return 1 + sum(a != b for a, b in pairwise(labels))


def passive_aggressive_mistakes(X: Any, y: Any) -> int:
    """PA-I with C = 1, in plain words."""
    rows = np.column_stack([X, np.ones(len(X))])
    w = np.zeros(rows.shape[1])
    mistakes = 0
    for x, sign in zip(rows, np.where(y == 1, 1.0, -1.0), strict=True):
        score = sign * (w @ x)
        mistakes += score <= 0
        w += min(1.0, max(0.0, 1 - score) / (x @ x)) * sign * x
    return mistakes


@pytest.mark.parametrize("name", ["averaged", "pa"])
def test_prices_are_streamed_and_python_makes_the_same_model(tmp_path: Path, name: str) -> None:
    """The average only beats the majority; the latest weights follow the drift."""
    file, model = data_file("elec2/elec.csv.gz"), tmp_path / "elec.rbt"
    options = ["--learner", "pa", "--average", "no"] if name == "pa" else ["--learner", name]
    found = done("stream", file, *options, "--out", model, "--json").json
    begin = io.BytesIO("\n".join(lines_of(file)[:1001]).encode())
    schema = Schema.guess(read_table(begin, -1, trim=True), scale="running")
    table = read_table(file, -1, trim=True)
    X = schema.learn(table)
    learner = AveragedPerceptron() if name == "averaged" else PassiveAggressive(average=False)
    assert_same_learner(model, learner.partial_fit(X, table.y))

    unchanged = no_change(table.y.tolist())
    always_down = int((table.y == 1).sum())
    assert found["examples"] == len(table) == 45_312
    assert found["baseline"]["accuracy"] == pytest.approx(1 - always_down / len(table))
    assert found["baseline"]["label"] == 0
    assert found["persistence"] == unchanged / len(table)
    if name == "averaged":
        assert found["online_mistakes"] < unchanged < found["mistakes"] < 0.65 * always_down
    else:
        assert found["mistakes"] == passive_aggressive_mistakes(X, table.y)
        assert found["mistakes"] < 0.6 * unchanged < 0.25 * always_down


# ---------------------------------------------------------------------- mushrooms: other processes


def shell(*arguments: str | Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
    found = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=False)
    assert found.returncode == 0, found.stderr
    return found


def facts(*arguments: str | Path, text: str | None = None) -> Any:
    return json.loads(shell(*arguments, "--json", text=text).stdout)


def test_mushrooms_are_proven_separable_and_then_separated(tmp_path: Path) -> None:
    file, model = data_file("mushrooms/mushrooms.csv.gz"), tmp_path / "mushrooms.rbt"
    piped = shell("convert", file, "--target", "class", "--to", "svmlight").stdout
    verdict = facts("certify", "-", "--format", "svmlight", text=piped)
    assert (verdict["rows"], verdict["verdict"]) == (8124, "separable")
    assert verdict["verified"]
    assert verdict["perceptron"]["mistakes"] <= verdict["bound"]

    told = facts("train", "--learner", "averaged", file, "--target", "class", "--out", model)
    assert told["stop_reason"] == "separated"
    assert told["mistakes_per_epoch"][-1] == 0 < told["mistakes_per_epoch"][0]
    assert facts("evaluate", model, file)["mistakes"] == 0
    unlabelled = "\n".join(line.partition(",")[2] for line in lines_of(file)) + "\n"
    answers = shell("predict", model, "-", text=unlabelled).stdout.split()
    assert answers == [line[0] for line in lines_of(file)[1:]]

    table = read_table(file, "class", trim=True)
    learner = fitted(AveragedPerceptron(), Schema.guess(table).encode(table), table.y)
    assert_same_learner(model, learner)


# ---------------------------------------------------------------------- numbers alone


def test_banknotes_are_learned_from_four_fifths_and_told_in_the_last(tmp_path: Path) -> None:
    """The rows are sorted by class, so every fifth is a fair share of both."""
    rows = lines_of(data_file("banknote/banknote_authentication.csv.gz"))
    train = written(tmp_path, "train.csv", [row for i, row in enumerate(rows) if i % 5])
    test = written(tmp_path, "test.csv", rows[::5])
    notes = trained(tmp_path, train, test, "--no-header", train=("--dev", "0.2", "--seed", "7"))
    found = notes.evaluated()
    assert found["rows"] == 275
    assert found["accuracy"] > 0.97 > found["baseline"]["accuracy"] + 0.3

    table = read_table(train, -1, header=False, trim=True)
    learner = AveragedPerceptron(early_stopping=True, validation_fraction=0.2, random_state=7)
    assert_same_learner(notes.model, fitted(learner, Schema.guess(table).encode(table), table.y))


def test_letters_are_learned_while_other_rows_are_watched(tmp_path: Path) -> None:
    rows = lines_of(data_file("letter/letter.dat.gz"))
    train, dev, test = (
        written(tmp_path, f"{name}.csv", part)
        for name, part in (
            ("train", rows[:14_000]),
            ("dev", rows[14_000:16_000]),
            ("test", rows[16_000:]),
        )
    )
    letters = trained(tmp_path, train, test, "--no-header", train=("--dev", dev))
    found = letters.evaluated()
    assert len(found["classes"]) == 26
    assert found["rows"] == 4000
    assert found["accuracy"] > 0.76 > found["baseline"]["accuracy"] + 0.7

    table, watched = (read_table(file, -1, header=False, trim=True) for file in (train, dev))
    schema = Schema.guess(table)
    learner = fitted(
        AveragedPerceptron(),
        schema.encode(table),
        table.y,
        validation_set=(schema.encode(watched), watched.y),
    )
    assert learner.n_iter_ == letters.told["epochs"]
    assert_same_learner(letters.model, learner)
