"""A schema in a model file: from the shell to Python and back."""

from __future__ import annotations

import io
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
from cli.shell import run

import rosenblatt
from rosenblatt import AveragedPerceptron, Perceptron, VotedPerceptron
from rosenblatt.errors import ModelFileError, ParameterError
from rosenblatt.features import AssociationLayer, Schema, SparseSchema, TextFeatures, TextSchema
from rosenblatt.io import read_table

EXAMPLES = Path(__file__).parents[2] / "examples"
NEW = EXAMPLES / "parcels_new.csv"

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def parcels(tmp_path_factory):
    """A model that was trained in the shell."""
    path = tmp_path_factory.mktemp("model") / "parcels.rbt"
    options = ("--target", "late", "--dev", "0.2", "--out", path, "--quiet")
    assert run("train", EXAMPLES / "parcels.csv", *options).code == 0
    return path


def test_a_model_of_the_shell_answers_a_file_in_python(parcels):
    model = rosenblatt.load(parcels)
    found = model.predict(model.schema_.encode(model.schema_.read(NEW)))
    assert found.tolist() == run("predict", parcels, NEW).out.split()


def test_labels_are_read_where_they_are_asked_for(parcels):
    schema = rosenblatt.load(parcels).schema_
    assert schema.read(NEW).labels is None
    labelled = schema.read(NEW, labelled=True)
    assert labelled.labels.tolist() == [
        line.partition(",")[0] for line in NEW.read_text().splitlines()[1:]
    ]
    with pytest.raises(ParameterError, match="no target"):
        Schema.guess(read_table(NEW, ignore=["late"])).read(NEW, labelled=True)


def test_columns_that_are_not_used_are_passed_over_without_a_word():
    text = "day,size,y\n2026-01-02,1,a\n2026-01-03,4,b\n"
    table = read_table(io.BytesIO(text.encode()), "y")
    schema = Schema.guess(table, declared={"day": "ignored"})
    assert schema.columns[0].kind == "ignored"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert schema.read(io.BytesIO(text.encode())).names == ["size"]


def test_arguments_of_the_reader_are_passed_on():
    text = b"1;x;a\n4;z;b\n"
    how = {"header": False, "delimiter": ";"}
    schema = Schema.guess(read_table(io.BytesIO(text), "3", **how))
    assert schema.read(io.BytesIO(text), labelled=True, **how).labels.tolist() == ["a", "b"]


@pytest.mark.parametrize("learner", [AveragedPerceptron, VotedPerceptron])
def test_a_model_of_python_answers_a_file_in_the_shell(learner, tmp_path):
    table = read_table(EXAMPLES / "parcels.csv", "late")
    schema = Schema.guess(table)
    model = learner(max_iter=5).fit(schema.encode(table), table.y)
    assert model.schema_ is None
    model.schema_ = schema
    path = tmp_path / "parcels.rbt"
    rosenblatt.save(model, path)
    answers = model.predict(schema.encode(schema.read(NEW)))
    assert run("predict", path, NEW).out.split() == answers.tolist()


def test_a_schema_is_kept_when_a_model_is_loaded_learns_and_is_saved(parcels, tmp_path):
    model = rosenblatt.load(parcels)
    again = tmp_path / "again.rbt"
    assert isinstance(model.schema_, Schema)
    rosenblatt.save(model, again)
    assert again.read_bytes() == parcels.read_bytes()
    model.schema_ = model.schema_
    rosenblatt.save(pickle.loads(pickle.dumps(model)), again)
    assert again.read_bytes() == parcels.read_bytes()
    table = model.schema_.read(NEW, labelled=True)
    model.partial_fit(model.schema_.encode(table), table.y)
    rosenblatt.save(model, again)
    assert rosenblatt.load(again).schema_.describe() == rosenblatt.load(parcels).schema_.describe()


def test_a_schema_belongs_to_the_model_it_was_given_to():
    X, y = np.eye(3), ["a", "b", "a"]
    with pytest.raises(AttributeError, match="not fitted"):
        _ = Perceptron().schema_
    one = Perceptron().partial_fit(X, y)
    one.schema_ = SparseSchema("svmlight", 3)
    assert one.schema_.n_features == 3
    assert one.fit(X, y).schema_ is None
    one.schema_ = SparseSchema("svmlight", 3)
    one.schema_ = None
    assert one.schema_ is None
    with pytest.raises(ParameterError, match="a schema of 4 features for a model of 3"):
        one.schema_ = SparseSchema("svmlight", 4)
    one._model.schema = SparseSchema("svmlight", 4).to_json()
    with pytest.raises(ModelFileError, match="a schema of 4 features for a model of 3"):
        _ = one.schema_


@pytest.mark.parametrize(
    ("schema", "labelled", "bare"),
    [
        (TextSchema(TextFeatures(bits=8)), b"a\tgood day\nb\tbad day\n", b"good day\nbad day\n"),
        (SparseSchema("vw", 256, None, 8), b"a | good day\nb | bad day\n", b"| good\n| bad\n"),
        (SparseSchema("svmlight", 3), b"1 1:1\n2 3:1\n", b"0 1:1\n0 3:1\n"),
    ],
    ids=lambda given: getattr(given, "kind", ""),
)
def test_texts_and_sparse_rows_are_read_as_the_schema_says(schema, labelled, bare):
    block = schema.read(io.BytesIO(labelled), labelled=True)
    model = Perceptron().fit(schema.learn(block), block.labels)
    asked = schema.read(io.BytesIO(bare))
    assert model.predict(schema.encode(asked)).tolist() == block.labels.tolist()


def test_what_a_schema_encodes_is_taken_by_every_learner_without_a_copy():
    table = read_table(EXAMPLES / "parcels.csv", "late")
    rows = Schema.guess(table).encode(table)
    model, same = Perceptron(max_iter=3), Perceptron(max_iter=3)
    model.fit(rows, table.y, validation_set=(rows, table.y))
    same.fit(rows.tocsr(), table.y, validation_set=(rows.tocsr(), table.y))
    assert (model.coef_ == same.coef_).all()
    assert (model.partial_fit(rows, table.y).coef_ == same.partial_fit(rows, table.y).coef_).all()
    assert (model.predict(rows) == same.predict(rows.tocsr())).all()
    assert model.score(rows, table.y) == same.score(rows.tocsr(), table.y)
    voted = VotedPerceptron(max_iter=1).fit(rows, table.y)
    assert (voted.predict(rows) == voted.predict(rows.tocsr())).all()
    layer = AssociationLayer(n_units=20, random_state=0).fit(rows)
    fired, of_scipy = layer.transform(rows), layer.transform(rows.tocsr())
    assert type(fired) is type(rows)
    assert (fired.toarray() == of_scipy.toarray()).all()
    assert np.shares_memory(rows.tocsr().data, rows.data)


def test_a_table_in_the_place_of_rows_is_refused_with_what_to_give():
    table = read_table(EXAMPLES / "parcels.csv", "late")
    with pytest.raises(ValueError, match="X is a Table, which holds labels too"):
        Perceptron().fit(table, table.y)
