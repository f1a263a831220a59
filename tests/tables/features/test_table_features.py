"""Tables in pipelines: what the shell makes of a file, a transformer makes of a frame."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from cli.shell import PETS, run, written
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import rosenblatt
from rosenblatt import AveragedPerceptron
from rosenblatt.errors import InputError
from rosenblatt.features import Schema, TableFeatures
from rosenblatt.io import read_table

pandas = pytest.importorskip("pandas")
SOLD = (
    PETS.replace("kind\n", "kind,sold\n", 1)
    .replace("dog\n", "dog,2024-03-05\n")
    .replace("cat\n", "cat,2023-11-30\n")
)


def frame(text: str = PETS, target: str = "kind"):
    found = pandas.read_csv(io.StringIO(text))
    return found.drop(columns=target), found[target]


@parametrize_with_checks([TableFeatures(), TableFeatures(scale=None, output="array")])
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("text", [PETS, SOLD, PETS.replace("4.2", "").replace("grey", "")])
def test_a_frame_is_encoded_as_the_file_it_was_read_from(text: str) -> None:
    X, _ = frame(text)
    table = read_table(io.BytesIO(text.encode()), target="kind")
    schema = Schema.guess(table)
    expected = schema.learn(table)
    features = TableFeatures()
    found = features.fit_transform(X)
    assert type(found) is sp.csr_array
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(found, part), getattr(expected, part))
    assert features.schema_.describe() == schema.describe()
    assert features.get_feature_names_out().tolist() == schema.names(range(schema.n_features))
    again = features.transform(X)
    np.testing.assert_array_equal(again.toarray(), found.toarray())
    assert features.feature_names_in_.tolist() == list(X.columns)


def test_a_pipeline_learns_what_the_shell_learns(tmp_path: Path) -> None:
    file, model = written(tmp_path, "pets.csv", PETS), tmp_path / "m.rbt"
    assert run("train", file, "--learner", "averaged", "--out", model).code == 0
    pipeline = make_pipeline(TableFeatures(), AveragedPerceptron(random_state=0)).fit(*frame())
    assert pipeline[-1].coef_.tobytes() == rosenblatt.load(model).coef_.tobytes()


def test_frames_of_polars_records_and_tables_are_encoded_alike() -> None:
    X, _ = frame()
    expected = TableFeatures().fit_transform(X).toarray()
    records = X.to_dict("records")
    table = read_table(io.BytesIO(PETS.encode()), target="kind")
    for other in (records, table):
        np.testing.assert_array_equal(TableFeatures().fit_transform(other).toarray(), expected)
    polars = pytest.importorskip("polars")
    found = TableFeatures().fit_transform(polars.DataFrame(X.to_dict("list")))
    np.testing.assert_array_equal(found.toarray(), expected)


@pytest.mark.filterwarnings("ignore::rosenblatt.errors.ConvergenceWarning")
@pytest.mark.parametrize("last", [AveragedPerceptron(), LogisticRegression()])
def test_tables_are_learned_in_pipelines_searches_and_splits(last) -> None:
    X, y = frame(PETS + "".join(PETS.splitlines(keepends=True)[1:]) * 3)
    A, B, a, b = train_test_split(X, y, random_state=0, stratify=y)
    pipeline = make_pipeline(TableFeatures(), last)
    assert clone(pipeline).fit(A, a).score(B, b) > 0.8
    assert cross_val_score(pipeline, X, y, cv=2).mean() > 0.8
    grid = {"tablefeatures__scale": ["robust", "standard", None], "tablefeatures__text": [None]}
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.8


def test_numbers_become_a_frame_with_names() -> None:
    X = pandas.DataFrame({"a": [1.0, 2.0, 4.0], "b": [3, 1, 5]}, index=[7, 8, 9])
    found = TableFeatures(scale="standard").set_output(transform="pandas").fit_transform(X)
    assert found.columns.tolist() == ["a", "b"]
    assert found.index.tolist() == [7, 8, 9]
    np.testing.assert_allclose(found.mean(), 0, atol=1e-12)


def test_columns_can_be_declared_and_a_missing_one_is_named() -> None:
    X, _ = frame()
    features = TableFeatures(columns={"weight": "category", "note": "ignored"}).fit(X)
    assert "weight=30.5" in features.get_feature_names_out()
    assert not any(name.startswith("note") for name in features.get_feature_names_out())
    with pytest.raises(InputError, match=r"1 column is missing: 'colour'"):
        features.transform(X.drop(columns="colour"))


def test_a_level_that_was_never_met_has_no_feature_and_order_does_not_matter() -> None:
    X, _ = frame()
    features = TableFeatures().fit(X)
    other = X.assign(colour="pink")[X.columns[::-1]]
    rows = features.transform(other).toarray()
    names = features.get_feature_names_out()
    assert not rows[:, [name.startswith("colour=") for name in names]].any()
