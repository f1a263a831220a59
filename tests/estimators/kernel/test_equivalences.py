"""The kernel perceptron beside its relatives: the same mistakes, the same answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.preprocessing import PolynomialFeatures
from strategies import floats, integers

from rosenblatt import KernelPerceptron, Perceptron, VotedPerceptron
from rosenblatt.models.kernel_functions import KERNELS, Kernel

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

seeds = st.integers(0, 2**32)


@given(
    seeds,
    st.sampled_from([2, 4]),
    st.sampled_from(["mistake", "positive"]),
    st.booleans(),
    st.booleans(),
)
def test_with_the_linear_kernel_it_is_the_perceptron(
    seed: int, k: int, ties: str, shuffle: bool, weighted: bool
) -> None:
    X, y = integers(seed, n_classes=k)
    shared: dict[str, Any] = {"max_iter": 6, "ties": ties, "shuffle": shuffle, "tol": None}
    weights = (np.arange(len(y)) + 1) % 4 / 2 if weighted else None
    plain = Perceptron(fit_intercept=False, record=True, **shared).fit(X, y, sample_weight=weights)
    ours = KernelPerceptron(kernel="linear", multiclass="argmax", combine="last", **shared)
    ours.fit(X, y, sample_weight=weights)
    assert ours.mistakes_per_epoch_ == plain.mistakes_per_epoch_
    assert ours.stop_reason_ == plain.stop_reason_
    assert [tuple(update) for update in ours.ledger_] == [tuple(u) for u in plain.ledger_]
    np.testing.assert_allclose(ours.decision_function(X), plain.decision_function(X), atol=1e-9)
    np.testing.assert_allclose(ours.dual_coef_ @ ours.support_vectors_, plain.coef_, atol=1e-9)
    if weighted:  # of the linear learner rows of weight 0 count among the longest
        assert ours.margin_ceiling_ <= plain.margin_ceiling_ * (1 + 1e-6) + 1e-6
    elif np.isfinite(plain.margin_ceiling_):
        assert ours.margin_ceiling_ == pytest.approx(plain.margin_ceiling_, rel=1e-6, abs=1e-6)


@given(seeds, st.sampled_from([2, 3]), st.sampled_from(["vote", "average", "last"]))
def test_a_constant_in_the_kernel_is_the_bias(seed: int, k: int, combine: str) -> None:
    X, y = integers(seed, n_classes=k)
    voted = VotedPerceptron(combine=combine, max_iter=5, tol=None).fit(X, y)
    ours = KernelPerceptron(
        degree=1, gamma=1.0, multiclass="argmax", combine=combine, max_iter=5, tol=None
    ).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), voted.decision_function(X), atol=1e-9)


@given(seeds)
def test_the_explicit_map_makes_the_same_mistakes_as_the_kernel(seed: int) -> None:
    """(x·z + 1)² = 1 + Σ (x_i²)(z_i²) + 2 Σ x_i z_i + 2 Σ (x_i x_j)(z_i z_j)."""
    X, y = integers(seed, d=3)
    products = PolynomialFeatures(2, include_bias=False).fit(X)
    is_square = products.powers_.max(axis=1) == 2
    # A factor of 2 as two equal columns, so that all sums are whole numbers.
    columns = np.repeat(products.transform(X), np.where(is_square, 1, 2), axis=1)
    explicit = Perceptron(shuffle=False, max_iter=4, tol=None).fit(columns, y)
    ours = KernelPerceptron(degree=2, gamma=1.0, shuffle=False, max_iter=4, tol=None).fit(X, y)
    np.testing.assert_array_equal(ours.mistakes_per_row_, explicit.mistakes_per_row_)


@pytest.mark.parametrize("name", sorted(KERNELS))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kernels_are_those_of_scikit_learn(name: str, dtype: type) -> None:
    X, Z = floats(0, n=20, d=5)[0].astype(dtype), floats(1, n=7, d=5)[0].astype(dtype)
    kernel = Kernel(name, degree=4, gamma=0.3, coef0=0.7)
    given_names = {"degree": 4, "gamma": 0.3, "coef0": 0.7}
    wanted = pairwise_kernels(
        X.astype(float), Z.astype(float), metric=name, filter_params=True, **given_names
    )
    close = {"rtol": 2e-5, "atol": 1e-6} if dtype is np.float32 else {"rtol": 1e-10, "atol": 1e-14}
    forms = (np.asarray, sp.csr_array)
    for A in (form(X) for form in forms):
        for B in (form(Z) for form in forms):
            np.testing.assert_allclose(kernel.between(A, B), wanted, **close)


def test_distances_of_far_off_float32_rows_are_not_lost_in_rounding() -> None:
    X = (floats(2, n=30, d=3)[0] + 3000.0).astype(np.float32)
    found = Kernel("rbf", gamma=0.5).between(X, X)
    wanted = pairwise_kernels(X.astype(float), metric="rbf", gamma=0.5)
    np.testing.assert_allclose(found, wanted, atol=1e-5)


@given(seeds, st.sampled_from([2, 3]), st.sampled_from(["ovr", "argmax"]))
def test_a_batch_is_its_rows_one_by_one(seed: int, k: int, multiclass: str) -> None:
    X, y = integers(seed, n_classes=k)
    batch, one = (KernelPerceptron(gamma=1.0, multiclass=multiclass) for _ in range(2))
    batch.partial_fit(X, y)
    for x, label in zip(X, y, strict=True):
        one.learn_one(x, int(label))
    np.testing.assert_array_equal(batch.support_, one.support_)
    np.testing.assert_array_equal(batch.dual_coef_, one.dual_coef_)
    assert batch.n_mistakes_ == one.n_mistakes_
    assert batch.t_ == one.t_ == len(X)
    for combine in ("vote", "average", "last"):
        for each in (batch, one):
            each.set_params(combine=combine)
        np.testing.assert_allclose(batch.decision_function(X), one.decision_function(X))
        assert one.predict_one(X[0]) == batch.predict(X[:1])[0]


@given(seeds, st.sampled_from(["poly", "rbf", "laplacian", "cosine"]), st.integers(2, 4))
def test_dense_sparse_wide_precomputed_and_callable_are_one(seed: int, name: str, k: int) -> None:
    X, y = floats(seed, n_classes=k)
    shared: dict[str, Any] = {"gamma": 0.5, "degree": 2, "max_iter": 4, "tol": None}
    plain = KernelPerceptron(kernel=name, **shared).fit(X, y)
    kernel = Kernel(name, gamma=0.5, degree=2)
    wide = sp.hstack([sp.csr_array(X), sp.csr_array((len(X), 3000))], format="csr")
    own = KernelPerceptron(kernel=kernel.between, **shared).fit(X, y)
    K = kernel.between(X, X)
    computed = KernelPerceptron(kernel="precomputed", **shared).fit(K, y)
    scores = plain.decision_function(X)
    for model, asked in (
        (KernelPerceptron(kernel=name, **shared).fit(sp.csr_array(X), y), sp.csr_array(X)),
        (KernelPerceptron(kernel=name, **shared).fit(wide, y), wide),
        (own, X),
        (computed, K),
    ):
        np.testing.assert_array_equal(model.support_, plain.support_)
        np.testing.assert_allclose(model.decision_function(asked), scores, atol=1e-9)


def test_scores_between_epochs_are_kept_or_worked_out_alike() -> None:
    X, y = floats(5, n=300, d=4, n_classes=3)
    kept, anew = (
        KernelPerceptron(kernel="rbf", max_iter=8, cache_mb=mb).fit(X, y) for mb in (256, 1e-6)
    )
    assert kept.mistakes_per_epoch_ == anew.mistakes_per_epoch_
    np.testing.assert_array_equal(kept.dual_coef_, anew.dual_coef_)


def test_float32_and_float64_rows_make_the_same_mistakes() -> None:
    X, y = floats(6, n=400, d=5, n_classes=3)
    X = X.astype(np.float32)
    single, double = (
        KernelPerceptron(degree=2, max_iter=3).fit(X.astype(kind), y)
        for kind in (np.float32, np.float64)
    )
    assert single.support_vectors_.dtype == np.float32
    assert double.support_vectors_.dtype == np.float64
    np.testing.assert_array_equal(single.dual_coef_, double.dual_coef_)


def test_float32_rows_may_be_followed_by_float64_ones() -> None:
    X, y = integers(7, n=60)
    mixed = KernelPerceptron(gamma=1.0).partial_fit(X[:30].astype(np.float32), y[:30])
    mixed.partial_fit(X[30:], y[30:])
    same = KernelPerceptron(gamma=1.0).partial_fit(X, y)
    np.testing.assert_array_equal(mixed.dual_coef_, same.dual_coef_)
    np.testing.assert_array_equal(mixed.predict(X), same.predict(X))


@pytest.mark.parametrize("multiclass", ["argmax", "ovr"])
@pytest.mark.parametrize("k", [2, 3])
def test_declared_classes_count_from_the_first_example_also_one_by_one(
    k: int, multiclass: str
) -> None:
    X, y = integers(3, n=20, n_classes=k)
    batch = KernelPerceptron(multiclass=multiclass).partial_fit(X, y, classes=np.arange(k))
    one = KernelPerceptron(multiclass=multiclass)
    for x, label in zip(X, y, strict=True):
        one.learn_one(x, label, classes=np.arange(k))
    assert one.n_mistakes_ == batch.n_mistakes_
    assert one.dual_coef_.tolist() == batch.dual_coef_.tolist()
    assert next(iter(one.ledger_)).t == 1
