"""The simplest map that separates is found, and maps new rows as it mapped the old."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from strategies import csr, seeds, sparse_rows

from rosenblatt import Perceptron
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.theory import separability
from rosenblatt.theory.feature_maps import simplest_separating_map

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
XOR_LABELS = np.array(["no", "yes", "yes", "no"])


def rings(n, radii, seed=0, d=2):
    """Rows on circles of the given radii, one class each."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n * len(radii), d))
    y = np.arange(len(X)) % len(radii)
    return X / np.linalg.norm(X, axis=1, keepdims=True) * np.array(radii)[y][:, None], y


def test_exclusive_or_needs_the_product_and_no_more():
    """L3.9: not separable in two dimensions, separable in three."""
    found = simplest_separating_map(XOR, XOR_LABELS)
    assert (found.name, found.n_features, found.separable) == ("products", 3, True)
    assert [(t.name, t.verdict) for t in found.tried] == [
        ("identity", "not separable"),
        ("products", "separable"),
    ]
    assert found.verdict.verify()
    np.testing.assert_array_equal(
        found.transform(XOR), np.column_stack([XOR, XOR[:, 0] * XOR[:, 1]])
    )


def test_bound_is_that_of_the_mapped_rows_and_holds_for_a_learner():
    """L3.10: R and γ over Φ(x)."""
    found = simplest_separating_map(XOR, XOR_LABELS)
    # The best is x1 + x2 - 2 x1 x2 - 1/2: length 5/2, and 1/2 on every row.
    assert found.bound.margin == pytest.approx(0.2)
    assert found.bound.radius == pytest.approx(2.0)
    learner = Perceptron(random_state=0).fit(found.transform(XOR), XOR_LABELS)
    assert learner.converged_
    assert learner.n_mistakes_ <= found.bound.bound


def test_separable_rows_need_no_map():
    X = np.array([[-2.0, 1.0], [-1.0, 0.0], [1.0, 0.0], [3.0, 1.0]])
    found = simplest_separating_map(X, [0, 0, 1, 1])
    assert (found.name, found.n_features, len(found.tried)) == ("identity", 2, 1)
    np.testing.assert_array_equal(found.transform(X), X)


@pytest.mark.parametrize("radii", [[1.0, 2.0], [1.0, 2.0, 4.0]])
def test_circles_need_squares(radii):
    X, y = rings(40, radii)
    found = simplest_separating_map(X, y)
    assert (found.name, found.n_features, found.separable) == ("degree 2", 5, True)
    assert found.verdict.verify()


def test_a_ring_between_two_of_the_other_class_needs_more_than_squares():
    X, y = rings(60, [1.0, 2.0, 3.0])
    found = simplest_separating_map(X, y == 1)
    assert found.separable
    assert found.name.startswith("RBF")
    assert [t.verdict for t in found.tried[:4]] == ["not separable"] * 4


def test_points_on_a_line_that_alternate_need_cubes():
    found = simplest_separating_map([[-3.0], [-1.0], [1.0], [3.0]], [0, 1, 0, 1])
    assert (found.name, found.n_features) == ("degree 3", 3)
    assert [t.name for t in found.tried] == ["identity", "degree 2", "degree 3"]
    assert found.transform([[2.0]]).tolist() == [[2.0, 4.0, 8.0]]


def test_degree_three_holds_every_product_once():
    X, _ = rings(30, [1.0, 1.5], seed=3, d=3)
    X = X[np.abs(X).min(axis=1) > 0.1]
    found = simplest_separating_map(X, X.prod(axis=1) > 0)
    assert (found.name, found.n_features) == ("degree 3", 19)
    mapped = found.transform([[2.0, 3.0, 5.0]])[0]
    expected = sorted(
        2.0**a * 3.0**b * 5.0**c
        for a in range(4)
        for b in range(4)
        for c in range(4)
        if 1 <= a + b + c <= 3
    )
    assert sorted(mapped.tolist()) == expected


def test_twins_of_opposite_classes_are_separated_by_nothing():
    X = np.array([[0.0, 1.0], [0.0, 1.0], [2.0, 3.0], [4.0, -1.0]])
    found = simplest_separating_map(X, [0, 1, 0, 1])
    assert not found.separable
    assert found.bound is None
    assert found.verdict.verify()
    assert len(found.tried) == 7
    assert {t.verdict for t in found.tried} == {"not separable"}
    fewest = min(t.mistakes for t in found.tried)
    assert fewest >= 1
    assert found.name == next(t.name for t in found.tried if t.mistakes == fewest)


@given(seeds)
def test_new_rows_are_mapped_one_by_one_as_all_at_once(seed):
    X, y = rings(15, [1.0, 2.0, 3.0], seed=seed % 1000)
    found = simplest_separating_map(X, y == 1)
    new = np.random.default_rng(seed % 1000).normal(size=(5, 2))
    one_by_one = np.vstack([found.transform(row[None]) for row in new])
    np.testing.assert_allclose(found.transform(new), one_by_one, rtol=1e-12, atol=1e-12)
    assert found.transform(new).shape == (5, found.n_features)
    again = separability(found.transform(X), y == 1)
    assert again.separable == found.separable


def test_the_same_seed_gives_the_same_waves_and_another_one_does_not():
    X, y = rings(60, [1.0, 2.0, 3.0])
    maps = [simplest_separating_map(X, y == 1, seed=seed) for seed in (0, 0, 1)]
    first, same, other = (one.transform(X[:3]) for one in maps)
    np.testing.assert_array_equal(first, same)
    assert first.shape != other.shape or not np.array_equal(first, other)


def test_products_of_waves_come_close_to_the_gaussian_kernel():
    X, y = rings(60, [1.0, 2.0, 3.0])
    found = simplest_separating_map(X, y == 1)
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    width = np.median(distances[np.triu_indices(len(X), 1)])
    kernel = np.exp(-((distances / width) ** 2) / 2)
    mapped = found.transform(X)
    error = np.abs(mapped @ mapped.T - kernel)
    assert error.mean() < 1 / np.sqrt(found.n_features)


def test_sparse_and_dense_rows_agree():
    X, y = rings(20, [1.0, 2.0])
    dense = simplest_separating_map(X, y)
    for kind in (csr, sparse_rows):
        sparse = simplest_separating_map(kind(X), y)
        assert dense.tried == sparse.tried
        np.testing.assert_array_equal(dense.transform(X), sparse.transform(kind(X)))


@pytest.mark.parametrize("kind", [csr, sp.csr_matrix, sparse_rows])
def test_under_the_identity_sparse_rows_stay_of_the_kind_they_are(kind):
    X = np.array([[0.0, 1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 3.0, 1.0]])
    found = simplest_separating_map(kind(X), [0, 1, 0])
    assert found.name == "identity"
    assert type(found.transform(kind(X))) is type(kind(X))
    np.testing.assert_array_equal(found.transform(kind(X)).toarray(), X)


def test_a_map_with_too_many_columns_is_skipped_and_says_so():
    random = np.random.default_rng(0)
    X = random.normal(size=(6, 210))
    X[1] = X[0]
    found = simplest_separating_map(X, [0, 1, 0, 1, 0, 1])
    skipped = [t for t in found.tried if t.verdict == "skipped"]
    assert [t.name for t in skipped] == ["products", "degree 2", "degree 3"]
    assert "22,155 columns are more than 20,000" in skipped[0].note


def test_a_map_with_as_many_columns_as_are_allowed_is_tried(monkeypatch):
    monkeypatch.setattr("rosenblatt.theory.feature_maps.MAX_COLUMNS", 3)
    assert simplest_separating_map(XOR, XOR_LABELS).name == "products"


def test_numbers_that_leave_the_range_are_skipped_and_said_so():
    found = simplest_separating_map([[-1e140], [0.0], [1e140]], [0, 1, 0])
    assert {t.name: t.verdict for t in found.tried}["degree 2"] == "skipped"
    assert "Scale the columns" in found.tried[1].note


def test_without_a_bias_the_map_must_do_it_all():
    found = simplest_separating_map([[1.0], [2.0], [3.0]], [0, 1, 1], fit_intercept=False)
    assert found.name == "degree 2"
    assert found.verdict.hyperplane.b == 0.0


def test_a_found_map_can_be_kept():
    found = simplest_separating_map(XOR, XOR_LABELS)
    kept = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(kept.transform(XOR), found.transform(XOR))


@pytest.mark.parametrize(
    ("X", "y", "said"),
    [
        (XOR, [1, 1, 1, 1], "only one class"),
        (XOR, [0, 1], "one label for each"),
        ([[np.nan, 0.0], [1.0, 2.0]], [0, 1], "NaN at row 0"),
        (np.empty((0, 2)), [], "no rows"),
        ([0.0, 1.0], [0, 1], "dimensions"),
        ([["a"], ["b"]], [0, 1], "table of numbers"),
    ],
)
def test_bad_input_is_refused_with_a_clear_error(X, y, said):
    with pytest.raises(InputError, match=said):
        simplest_separating_map(X, y)


def test_bad_rows_and_seeds_are_refused():
    found = simplest_separating_map(XOR, XOR_LABELS)
    for rows, said in [
        ([[1.0]], "the map was made for 2"),
        ([1.0, 2.0], "dimensions"),
        ([["a", "b"]], "table of numbers"),
        ([[np.inf, 1.0]], "infinity"),
    ]:
        with pytest.raises(InputError, match=said):
            found.transform(rows)
    with pytest.raises(ParameterError, match="seed=-1"):
        simplest_separating_map(XOR, XOR_LABELS, seed=-1)
