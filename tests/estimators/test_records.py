"""Rows may come as mappings of names to numbers."""

import collections
import tempfile
import types
from fractions import Fraction
from operator import attrgetter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction import DictVectorizer

from rosenblatt import KernelPerceptron, Perceptron, save
from rosenblatt.errors import InputError
from rosenblatt.estimators.catalogue import entries
from rosenblatt.estimators.inputs import read_rows, read_table
from rosenblatt.estimators.mapping_rows import is_records, records_table
from rosenblatt.features import AssociationLayer, Schema, TableFeatures
from rosenblatt.models.rows import as_rows

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RECORDS = [{"b": 2, "a": 1.5}, {}, {"c": True, "a": -1}]
DENSE = [[2, 1.5, 0], [0, 0, 0], [0, -1, 1]]


def dense(rows):
    """What the three arrays say, by hand."""
    table = np.zeros(rows.shape)
    for i in range(rows.shape[0]):
        for k in range(rows.indptr[i], rows.indptr[i + 1]):
            table[i, rows.indices[k]] += rows.data[k]
    return table


class Learner:
    pass


@pytest.mark.parametrize("kind", [list, tuple])
def test_lists_of_mappings_are_records(kind):
    assert is_records(kind(RECORDS))
    assert is_records(kind([types.MappingProxyType({"a": 1})]))


@pytest.mark.parametrize(
    "other", [[], (), [[1.0]], np.array(RECORDS), {"a": 1.0}, iter(RECORDS), "a", None, np.ones(2)]
)
def test_other_things_are_not(other):
    assert not is_records(other)


def test_features_have_columns_in_the_order_of_their_appearance():
    rows, names = records_table(RECORDS)
    assert names.tolist() == ["b", "a", "c"]
    assert rows.dtype == np.float64
    np.testing.assert_array_equal(dense(rows), DENSE)
    assert as_rows(rows).n_features == 3


numbers = st.floats(-1e6, 1e6) | st.integers(-9, 9) | st.booleans() | st.just(Fraction(1, 4))


@given(st.lists(st.dictionaries(st.sampled_from("abcdefgh"), numbers), min_size=1, max_size=6))
def test_records_hold_what_scikit_learns_vectorizer_finds(records):
    rows, names = records_table(records)
    expected = DictVectorizer(sort=False, sparse=False)
    table = expected.fit_transform([{k: float(v) for k, v in record.items()} for record in records])
    assert names.tolist() == expected.feature_names_
    np.testing.assert_array_equal(dense(rows), table)
    for start, end in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        assert (np.diff(rows.indices[start:end]) > 0).all()


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([{"a": "red"}, {3: 1}], "record 1 of X: 3 is no name of a column: give a text"),
        ([{"a": np.nan}], "record 0 of X: feature 'a' is nan; only finite numbers up to 1e"),
        ([{"a": 1}, {"a": 1e200}], "record 1 of X: feature 'a' is 1e"),
        ([{"a": 1}, {"a": 10**400}], "record 1 of X: feature 'a' is 1000"),
        ([{"a": 1}, {"a": [1]}], r"record 1 of X: 'a' is \[1\]. Give a number, a text"),
        ([{"a": 1}, [1.0]], "record 1 of X is a list, but record 0 is a mapping"),
        ([{}, {}], r"0 feature\(s\) \(shape=\(2, 0\)\)"),
    ],
)
def test_what_is_no_number_is_named_by_record_and_feature(records, message):
    learner = Learner()
    with pytest.raises(InputError, match=message):
        read_rows(learner, records, reset=True)
    assert not vars(learner)


def test_later_records_are_read_by_the_names_of_training():
    learner = Learner()
    read_table(learner, RECORDS, reset=True)
    assert learner.feature_names_in_.tolist() == ["b", "a", "c"]
    assert learner.n_features_in_ == 3
    later = [{"c": 4.0, "z": 1.0}, {"b": 2.0}]
    with pytest.raises(InputError, match="record 0 of X has the feature 'z', which was not there"):
        read_table(learner, later, reset=False)
    rows = read_table(learner, later, reset=False, ignore_unseen=True)
    np.testing.assert_array_equal(dense(rows), [[0, 0, 4], [2, 0, 0]])
    assert learner.feature_names_in_.tolist() == ["b", "a", "c"]


def test_records_need_names_to_be_read_by():
    learner = Learner()
    read_table(learner, np.ones((2, 3)), reset=True)
    with pytest.raises(InputError, match=r"list of mappings.*trained on columns without names"):
        read_table(learner, RECORDS, reset=False)


def test_a_learner_fits_and_predicts_records():
    records = [{"a": 1.0, "b": 2.0}, {"a": -1.0}, {"b": 1.0}, {"a": -2.0, "c": 1.0}] * 3
    labels = ["yes", "no", "yes", "no"] * 3
    fitted = Perceptron().fit(records, labels)
    assert fitted.predict(records).tolist() == labels
    assert fitted.predict([{"a": -1.0, "unknown": 3.0}]).tolist() == ["no"]
    assert [fitted.predict_one(record) for record in records] == labels
    ordered = collections.OrderedDict(b=2.0, a=1.0)
    assert fitted.predict((ordered,)).tolist() == ["yes"]


def test_records_with_texts_are_watched_and_refitted_by_the_schema_of_their_own_fit():
    records = [{"size": i % 7, "colour": "red" if i % 3 else "blue"} for i in range(40)]
    labels = ["p" if i % 3 else "q" for i in range(40)]
    other = [{"size": i % 7, "shape": "round" if i % 2 else "flat"} for i in range(40)]
    for learner in (Perceptron(), KernelPerceptron()):
        learner.fit(records, labels, validation_set=(records[:9], labels[:9]))
        assert learner.predict(records).tolist() == labels
        dev = (other[:9], labels[:9])
        learner.fit(other, labels, validation_set=dev)
        assert [column.name for column in learner.schema_.columns] == ["size", "shape"]
        assert len(learner.validation_scores_) == learner.n_iter_


def test_units_take_numbers_by_name_and_refuse_texts():
    layer = AssociationLayer(5)
    with pytest.raises(InputError, match="X holds texts, but AssociationLayer takes numbers only"):
        layer.fit([{"a": 1.0, "b": "x"}, {"a": 2.0, "b": "y"}])
    assert layer.fit_transform([{"a": 1.0}, {"a": 3.0}]).shape == (2, 5)


# ---------------------------------------------------------------------- numbers that are too large

TOO_LARGE = {
    "inf": float("inf"),
    "-inf": float("-inf"),
    "NumPy's inf": np.float32("inf"),
    "1e155": 1e155,
    "-1e308": -1e308,
    "10**400": 10**400,
    "10**5000, which Python does not print": 10**5000,
    "a fraction": Fraction(-(10**400)),
}
LEARNERS_OF_RECORDS = [
    entry for family in ("linear", "auto", "kernel") for entry in entries(family)
]
WITH_TEXTS = [{"k": "pq"[i % 2], "x": float(i % 5), "z": 1.0 - i % 3} for i in range(12)]
NUMBERS_ONLY = [{"x": float(i % 5), "z": 1.0 - i % 3} for i in range(12)]
LABELS = ["b" if i % 2 else "a" for i in range(12)]


def plain(records):
    """The records without names, as rows of numbers; a number of any size as an object."""
    return np.array([[record["x"], record["z"]] for record in records], object)


def refused(call):
    with pytest.raises(InputError, match=r"finite numbers|beyond 1e\+150") as error:
        call()
    return str(error.value)


@pytest.mark.parametrize("value", TOO_LARGE.values(), ids=list(TOO_LARGE))
@pytest.mark.parametrize("given", [WITH_TEXTS, NUMBERS_ONLY, plain(NUMBERS_ONLY)], ids=type)
@pytest.mark.parametrize("entry", LEARNERS_OF_RECORDS, ids=attrgetter("name"))
def test_a_number_that_is_too_large_is_refused_and_changes_nothing(entry, given, value):
    is_array = isinstance(given, np.ndarray)
    bad = plain([{"x": value, "z": 0.0}])[0] if is_array else {**given[0], "x": value}
    together = np.vstack([given, [bad]]) if is_array else [*given, bad]
    one = np.array([bad]) if is_array else [bad]

    new = entry.load()()
    said = refused(lambda: new.fit(together, [*LABELS, "a"]))
    if not is_array:
        assert "record 12 of X" in said
        assert "'x' is " in said
    assert vars(new) == new.get_params()

    learner = new.fit(given, LABELS)
    for ask in (learner.predict, learner.decision_function):
        refused(lambda ask=ask: ask(one))
    refused(lambda: learner.predict_one(bad))
    refused(lambda: learner.explain(bad))
    if not hasattr(learner, "partial_fit"):
        return
    begun = entry.load()().partial_fit(given, LABELS) if entry.family != "auto" else learner
    before = everything_learned(begun)
    refused(lambda: begun.learn_one(bad, "a"))
    refused(lambda: begun.partial_fit(one, ["a"]))
    refused(lambda: begun.partial_fit(together, [*LABELS, "a"]))
    if hasattr(begun, "predict_then_learn") and not begun.keeps_rows:
        refused(lambda: begun.predict_then_learn(one, ["a"]))
    assert everything_learned(begun) == before


def everything_learned(learner):
    """The bytes of its file, which hold the schema with the running means of its columns."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.rbt"
        save(getattr(learner, "best_learner_", learner), path)
        return path.read_bytes()


def test_a_record_that_is_refused_for_its_label_leaves_the_running_means_as_they_were():
    learner = Perceptron().partial_fit(WITH_TEXTS, LABELS)
    before = everything_learned(learner)
    for label in ([], float("nan")):
        with pytest.raises((InputError, TypeError)):
            learner.learn_one({**WITH_TEXTS[0], "x": 100.0}, label)
        assert everything_learned(learner) == before


@pytest.mark.parametrize("value", TOO_LARGE.values(), ids=list(TOO_LARGE))
def test_a_schema_refuses_numbers_that_are_too_large(value):
    bad = {**WITH_TEXTS[0], "x": value}
    assert "record 12 of X: 'x' is " in refused(lambda: Schema.guess_records([*WITH_TEXTS, bad]))
    schema = Schema.guess_records(WITH_TEXTS, scale="running")
    before = schema.to_json()
    for learning in (False, True):
        refused(lambda learning=learning: schema.encode_records([bad], learning=learning))
    assert schema.to_json() == before


@pytest.mark.parametrize("value", [float("inf"), -1e155, 10**400], ids=str)
def test_a_data_frame_with_a_number_that_is_too_large_is_refused_by_its_row(value):
    good, bad = pd.DataFrame(WITH_TEXTS), pd.DataFrame([*WITH_TEXTS, {**WITH_TEXTS[0], "x": value}])
    features = TableFeatures()
    assert "row 12 of X: 'x' is " in refused(lambda: features.fit(bad))
    assert "row 12 of X: 'x' is " in refused(lambda: features.fit(good).transform(bad))


def test_a_number_with_more_digits_than_python_prints_is_no_level_of_a_category():
    learner = Perceptron().fit(WITH_TEXTS, LABELS)
    with pytest.raises(InputError, match="'k' is a value of type int with too many digits"):
        learner.predict([{"k": 10**5000, "x": 1.0, "z": 1.0}])
