"""Cost grows in proportion: operations and memory are counted at two sizes, never time."""

import tracemalloc

import numpy as np
import pytest

from rosenblatt import Perceptron
from rosenblatt.evaluate import check_data, report
from rosenblatt.features import Schema
from rosenblatt.features.records import table_of_records
from rosenblatt.io.column_roles import Columns
from rosenblatt.learner import inputs


class Name(str):
    """The name of a column, which counts how often it is compared with another."""

    compared = 0
    __slots__ = ()

    def __eq__(self, other):
        Name.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def table_of(n_columns):
    """Half of the columns are numbers, half are texts."""
    names = [Name(f"c{place}") for place in range(n_columns)]
    kinds = [1.0, "red"], [2.0, "blue"], [3.0, "red"]
    return table_of_records([{n: kind[i % 2] for i, n in enumerate(names)} for kind in kinds])


def guess_and_encode(table):
    schema = Schema.guess(table)
    schema.encode(table)
    schema.unknown(table)
    schema.grow(table)
    schema.names(range(schema.n_features))


def check(table):
    table.labels = np.array(["a", "b", "a"])
    check_data("table", table, Schema.guess(table))


def read_again(table):
    names = list(table.names)
    columns = Columns(None, names, dict.fromkeys(names, "number"), ())
    columns.settle(names, "a file")
    columns.plan(names)


@pytest.mark.parametrize("act", [guess_and_encode, check, read_again])
def test_names_of_columns_are_compared_in_proportion_to_the_columns(act):
    def comparisons(n):
        table = table_of(n)
        Name.compared = 0
        act(table)
        return Name.compared

    few, many = comparisons(100), comparisons(400)
    assert many <= 5 * max(few, 100)


def peak_of(act, *arguments):
    act(*arguments)  # what is loaded on the way does not count
    tracemalloc.start()
    act(*arguments)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def test_a_report_takes_memory_for_the_pairs_of_classes_that_occur():
    def compare(n):
        found = report(np.arange(n), np.arange(n)[::-1])
        return found.lines(), found.worst_pairs(), found.to_json()

    assert peak_of(compare, 40_000) <= 5 * peak_of(compare, 10_000)
    assert report(np.arange(30_000), np.arange(30_000)).to_json()["confusion"] is None


def test_the_matrix_of_confusions_is_made_of_the_pairs():
    rng = np.random.default_rng(3)
    true, predicted = rng.integers(0, 7, (2, 500))
    found = report(true, predicted)
    expected = np.zeros((7, 7), np.int64)
    np.add.at(expected, (true, predicted), 1)
    np.testing.assert_array_equal(found.confusion, expected)


def test_predictions_of_many_classes_are_scored_some_rows_at_a_time(monkeypatch):
    X, y = np.eye(300), np.arange(300)
    learner = Perceptron(max_iter=2, tol=None).partial_fit(X, y)
    whole, sizes, scores = learner.predict(X).tolist(), [], learner._scores

    def counted(model, table):
        found = scores(model, table)
        sizes.append(found.size)
        return found

    monkeypatch.setattr(learner, "_scores", counted)
    monkeypatch.setattr(inputs, "SCORES_AT_ONCE", 3_000)
    assert inputs.predicted_in_blocks(learner, X) == whole
    assert max(sizes) <= 3_000
    assert sum(sizes) == 300 * 300
