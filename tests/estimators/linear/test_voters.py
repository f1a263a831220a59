"""The rows that a voted perceptron keeps, whatever they came in."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import VotedPerceptron, load, save
from rosenblatt.arrays import SparseRows
from rosenblatt.engine.rows import voting
from rosenblatt.engine.rows.mappings import MappingRow
from rosenblatt.estimators.linear.streaming import as_table
from rosenblatt.estimators.linear.voted import Voters
from rosenblatt.models.recording import Entries

X = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, 3.0, 0.0], [4.0, 5.0, 6.0]])


def entries(*rows: int) -> Entries:
    n = len(rows)
    classes = np.zeros(n, np.int32)
    return Entries(np.array(rows), classes, 1 - classes, np.ones(n), np.arange(1, n + 1))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csr_matrix, SparseRows.from_dense])
def test_each_mistaken_row_is_kept_once_and_given_back_as_it_came(kind) -> None:
    voters = Voters()
    take = voters.taking(kind(X), 10)
    take(entries(3, 0, 3))
    take(entries(0, 2))
    voters.taking(kind(X[:2] + 1.0), 14)(entries(1))
    kept = voters.joined(5)
    rows = kept.vectors
    expected = np.pad(np.vstack([X[[0, 3, 2]], X[1] + 1.0]), ((0, 0), (0, 2)))
    plain = rows if isinstance(rows, np.ndarray) else rows.toarray()
    np.testing.assert_array_equal(plain, expected)
    assert kept.numbers.tolist() == [10, 13, 12, 15]
    assert kept.places(np.array([13, 10, 13, 10, 12, 15])).tolist() == [1, 0, 1, 0, 2, 3]
    assert kept.places(np.array([13])).tolist() == [1]
    again = Voters(rows, kept.numbers)
    found = again.joined(5).vectors
    assert type(found) is type(rows)
    if isinstance(rows, SparseRows):
        given = "csr" if kind == SparseRows.from_dense else kind.__name__
        assert rows.origin == found.origin == given


def test_dense_and_sparse_rows_are_joined_as_sparse_ones() -> None:
    voters = Voters()
    voters.taking(sp.csr_matrix(X), 0)(entries(0))
    voters.taking(X, 4)(entries(3))
    rows = voters.joined(3).vectors
    assert isinstance(rows, SparseRows)
    assert rows.origin == "csr_matrix"
    np.testing.assert_array_equal(rows.toarray(), X[[0, 3]])


def test_asking_for_the_rows_loses_none_that_a_learner_keeps_meanwhile() -> None:
    voters = Voters()
    take = voters.taking(X, 0)
    take(entries(0))
    take(entries(3))
    first = voters.joined(3)
    take(entries(2))  # lets go of the parts that were joined
    second = voters.joined(3)
    voters.finish(3)
    assert first.numbers.tolist() == [0, 3]
    assert second.numbers.tolist() == voters.joined(3).numbers.tolist() == [0, 3, 2]
    np.testing.assert_array_equal(voters.joined(4).vectors, np.pad(X[[0, 3, 2]], ((0, 0), (0, 1))))


@pytest.mark.parametrize("place", [-1, 2])
def test_votes_of_rows_that_are_not_there_are_refused(place) -> None:
    products, places, steps = np.ones((1, 2)), np.array([0, place]), np.ones(2)
    right, wrong, survival = np.zeros(2, np.int32), np.ones(2, np.int32), np.ones(3)
    with pytest.raises(IndexError, match=f"support row {place} of 2"):
        voting.vote_binary(products, places, steps, survival, np.zeros(1), 0.0, False)
    with pytest.raises(IndexError, match=f"support row {place} of 2"):
        voting.vote_classes(products, places, right, wrong, steps, survival, np.zeros((1, 2)), 0.0)
    with pytest.raises(IndexError, match=f"support row {place} of 2"):
        voting.votes_of_one(np.ones((2, 1)), places, steps, survival, False)
    with pytest.raises(IndexError, match="class 2"):
        voting.vote_classes(
            products,
            places[:1],
            right[:1] + 2,
            wrong[:1],
            steps[:1],
            survival[:2],
            np.zeros((1, 2)),
            0.0,
        )


def test_a_mapping_becomes_a_row_with_its_columns_in_order() -> None:
    row = MappingRow({"b": 0, "a": 1, "c": 2})
    row.read({"c": 3.0, "a": 1.0}, 1e9, False)
    table = as_table(row)
    assert isinstance(table, SparseRows)
    assert table.toarray().tolist() == [[0.0, 1.0, 3.0]]
    assert table.indices.tolist() == [1, 2]


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("early_stopping", [False, True])
def test_support_vectors_are_of_the_kind_of_the_rows_also_in_a_loaded_model(
    kind, early_stopping, tmp_path
) -> None:
    random = np.random.default_rng(0)
    table, y = random.integers(-2, 3, (80, 6)).astype(float), np.arange(80) % 3
    learner = VotedPerceptron(early_stopping=early_stopping, tol=None, max_iter=3)
    with pytest.warns(Warning, match="max_iter"):
        learner.fit(kind(table), y)
    learner.partial_fit(kind(table[:20] + 5.0), y[:20])
    save(learner, tmp_path / "model.rbt")
    for model in (learner, load(tmp_path / "model.rbt")):
        assert type(model.support_vectors_) is type(kind(table))
        np.testing.assert_array_equal(model.predict(kind(table)), learner.predict(table))


def test_a_model_of_mappings_gives_sparse_rows_without_scipy(tmp_path) -> None:
    learner = VotedPerceptron()
    examples = [({"a": 1.0}, 0), ({"b": 2.0, "a": 1.0}, 1), ({"c": -1.0}, 0), ({"b": 1.0}, 0)]
    for x, y in examples:
        learner.learn_one(x, y)
    save(learner, tmp_path / "model.rbt")
    for model in (learner, load(tmp_path / "model.rbt")):
        assert isinstance(model.support_vectors_, SparseRows)
        assert model.support_vectors_.shape[1] == 3
        assert [model.predict_one(x) for x, _ in examples] == [
            learner.predict_one(x) for x, _ in examples
        ]


def test_saving_a_learner_that_has_kept_no_row_does_not_decide_the_type_of_later_ones(tmp_path):
    rows = np.array([[1, 0], [2, 1], [-1, 3], [1, -1]], np.float32)
    saved = VotedPerceptron()
    for learner in (plain := VotedPerceptron(), saved):
        learner.partial_fit(rows[:1], [0], classes=[0, 1], sample_weight=[0.0])
        if learner is saved:
            save(learner, tmp_path / "empty.rbt")
        learner.partial_fit(rows[1:], [0, 1, 0])

    assert saved.support_vectors_.dtype == plain.support_vectors_.dtype == np.float32
