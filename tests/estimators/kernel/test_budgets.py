"""Budgets of support rows: never exceeded, and forgotten as the papers have it."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import KernelPerceptron
from rosenblatt.errors import ParameterError
from rosenblatt.models import kernel_training as training
from rosenblatt.models.kernel_budgets import POLICIES
from tests.reference import budget as plain

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

every_policy = pytest.mark.parametrize("forget", sorted(POLICIES))


def rows(seed: int, n: int = 40, d: int = 3, k: int = 2) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    return random.normal(size=(n, d)), np.append(np.arange(k), random.integers(0, k, n - k))


def model(forget: str, budget: int, **settings: Any) -> KernelPerceptron:
    settings = {"combine": "last", "shuffle": False, "tol": None} | settings
    return KernelPerceptron(kernel="rbf", gamma=0.5, budget=budget, forget=forget, **settings)


def coefficients(found: KernelPerceptron) -> dict[int, float]:
    pairs = zip(found.support_.tolist(), found.dual_coef_[0].tolist(), strict=True)
    return dict(pairs)


def expected(forget: str, X: Any, y: Any, epochs: int, budget: int, weights: Any = None) -> Any:
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    signs, orders = 2 * y - 1, [range(len(X))] * epochs
    if forget == "oldest":
        return plain.forgetron(K, signs, orders, budget)
    if forget == "projection":
        return plain.projectron(K, signs, orders, budget, 0.1, weights)
    return plain.forgetting(K, signs, orders, budget, plain.smallest(K), weights)


@pytest.mark.parametrize("forget", ["oldest", "smallest", "projection"])
@given(seed=st.integers(0, 2**32), budget=st.integers(1, 9), block=st.integers(1, 9))
def test_what_is_kept_is_what_the_plain_algorithm_keeps(
    forget: str, seed: int, budget: int, block: int
) -> None:
    X, y = rows(seed)
    with patch.object(training, "BLOCK", block):
        found = model(forget, budget, combine="last", max_iter=2).fit(X, y)
    wanted = expected(forget, X, y, found.n_iter_, budget)[-1]
    assert_equal(found, wanted, 1e-3 if forget == "oldest" else 1e-9)


def assert_equal(found: KernelPerceptron, wanted: dict[int, float], rounding: float) -> None:
    got = coefficients(found)
    assert sorted(got) == sorted(wanted)
    for row, a in wanted.items():
        assert got[row] == pytest.approx(a, abs=rounding)


@given(seed=st.integers(0, 2**32), budget=st.integers(1, 9), block=st.integers(1, 9))
def test_the_average_is_the_mean_of_the_functions_of_the_plain_algorithm(
    seed: int, budget: int, block: int
) -> None:
    X, y = rows(seed)
    with patch.object(training, "BLOCK", block):
        found = model("projection", budget, combine="average", max_iter=2).fit(X, y)
    states = expected("projection", X, y, found.n_iter_, budget)
    assert len(states) == found.t_
    mean = plain.mean(states)
    assert_equal(found, mean, 1e-9)
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    scores = [plain.score(mean, K, row) for row in range(len(X))]
    np.testing.assert_allclose(found.decision_function(X), scores, atol=1e-9)


@pytest.mark.parametrize("forget", ["oldest", "smallest"])
@given(seed=st.integers(0, 2**32), budget=st.integers(1, 9), block=st.integers(1, 9))
def test_rows_that_are_kept_have_the_mean_of_what_they_counted_for_since_they_joined(
    forget: str, seed: int, budget: int, block: int
) -> None:
    """As the model file has it; nobody may ask for it, since what was forgotten is not in it."""
    X, y = rows(seed)
    with patch.object(training, "BLOCK", block):
        found = model(forget, budget, max_iter=2).fit(X, y)
    wanted = plain.mean(expected(forget, X, y, found.n_iter_, budget))
    kept = dict(
        zip(found.support_.tolist(), found._model.coefficients("average")[0].tolist(), strict=True)
    )
    assert kept == pytest.approx(wanted, abs=1e-3 if forget == "oldest" else 1e-9)


@pytest.mark.parametrize("forget", ["smallest", "projection"])
@given(seed=st.integers(0, 2**32), budget=st.integers(1, 9), block=st.integers(1, 9))
def test_weights_are_factors_for_the_steps_within_a_budget_too(
    forget: str, seed: int, budget: int, block: int
) -> None:
    X, y = rows(seed)
    weights = np.random.default_rng(seed).choice([0.0, 0.25, 1.0, 3.0], len(y))
    weights[:2] = 1.0
    with patch.object(training, "BLOCK", block):
        found = model(forget, budget, max_iter=2).fit(X, y, sample_weight=weights)
    wanted = expected(forget, X, y, found.n_iter_, budget, weights)[-1]
    assert_equal(found, wanted, 1e-9)


def test_the_forgetron_can_leave_rows_out_but_not_weigh_them() -> None:
    X, y = rows(3)
    counted = np.arange(len(y)) % 4 > 0
    some = model("oldest", 5).partial_fit(X, y, [0, 1], sample_weight=counted)
    alone = model("oldest", 5).partial_fit(X[counted], y[counted], [0, 1])
    np.testing.assert_allclose(some.dual_coef_, alone.dual_coef_, atol=1e-9)
    with pytest.raises(ParameterError, match="forget='oldest' counts every mistake as one"):
        model("oldest", 5).fit(X, y, sample_weight=0.5 + counted)
    with pytest.raises(ParameterError, match="weights of rows and classes can only be 0 or 1"):
        model("oldest", 5, class_weight={0: 2.0}).fit(X, y)


@given(seed=st.integers(0, 2**32), budget=st.integers(1, 9))
def test_a_kernel_that_is_below_zero_on_a_row_itself_is_forgotten_by_its_size_too(
    seed: int, budget: int
) -> None:
    X, y = rows(seed)
    learner = KernelPerceptron(
        kernel="poly", degree=3, gamma=0.5, coef0=-2.0, budget=budget, forget="smallest"
    )
    learner.set_params(combine="last", shuffle=False, tol=None, max_iter=2).fit(X, y)
    K = (0.5 * X @ X.T - 2.0) ** 3
    orders = [range(len(X))] * learner.n_iter_
    wanted = plain.forgetting(K, 2 * y - 1, orders, budget, plain.smallest(K))[-1]
    assert coefficients(learner) == wanted


@every_policy
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("multiclass", ["ovr", "argmax"])
def test_there_are_never_more_support_rows_than_the_budget(
    forget: str, k: int, multiclass: str
) -> None:
    X, y = rows(0, n=120, k=k)
    learner = model(forget, 7, multiclass=multiclass)
    for x, label in zip(X, y, strict=True):
        learner.learn_one(x, label)
        assert len(learner.support_) <= 7
        assert learner.dual_coef_.shape[1] == len(learner.support_)
    assert len(learner.support_) == 7


@every_policy
@pytest.mark.parametrize("multiclass", ["ovr", "argmax"])
def test_one_by_one_and_in_one_batch_are_the_same(forget: str, multiclass: str) -> None:
    X, y = rows(1, n=90, k=3)
    one, batch = (model(forget, 8, multiclass=multiclass) for _ in range(2))
    batch.partial_fit(X, y, classes=[0, 1, 2])
    one.partial_fit(X[:1], y[:1], classes=[0, 1, 2])
    for x, label in zip(X[1:], y[1:], strict=True):
        one.learn_one(x, label)
    np.testing.assert_array_equal(one.support_, batch.support_)
    np.testing.assert_allclose(one.dual_coef_, batch.dual_coef_, atol=1e-9)


@pytest.mark.parametrize("forget", ["oldest", "random", "smallest"])
def test_a_budget_that_is_not_used_up_changes_nothing(forget: str) -> None:
    X, y = rows(2, k=3)
    free = KernelPerceptron(kernel="rbf", gamma=0.5, shuffle=False, max_iter=5, combine="last")
    free.fit(X, y)
    kept = model(forget, len(X), max_iter=5).fit(X, y)
    np.testing.assert_array_equal(free.support_, kept.support_)
    np.testing.assert_allclose(free.dual_coef_, kept.dual_coef_, atol=1e-12)
    assert free.mistakes_per_epoch_ == kept.mistakes_per_epoch_


@every_policy
def test_dense_sparse_and_precomputed_rows_are_learned_alike(forget: str) -> None:
    X, y = rows(3, n=60, k=3)
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    dense = model(forget, 9, max_iter=2).fit(X, y)
    wide = np.hstack([X, np.zeros((len(X), 2000))])
    for learner, table in (
        (model(forget, 9, max_iter=2), sp.csr_array(X)),
        (model(forget, 9, max_iter=2), sp.csr_array(wide)),
        (model(forget, 9, max_iter=2).set_params(kernel="precomputed"), K),
    ):
        learner.fit(table, y)
        np.testing.assert_array_equal(learner.support_, dense.support_)
        np.testing.assert_allclose(learner.dual_coef_, dense.dual_coef_, atol=1e-9)


def test_random_forgetting_follows_the_seed() -> None:
    X, y = rows(4, n=200, k=2)
    a, b, c = (
        model("random", 5, random_state=seed).partial_fit(X, y).support_.tolist()
        for seed in (1, 1, 2)
    )
    assert a == b != c


@every_policy
def test_a_new_class_may_join_within_the_budget(forget: str) -> None:
    X, y = rows(5, n=80, k=4)
    order = np.argsort(y, kind="stable")
    learner = model(forget, 6).partial_fit(X[order], y[order])
    assert learner.classes_.tolist() == [0, 1, 2, 3]
    assert len(learner.support_) <= 6


def test_a_kernel_that_is_no_inner_product_is_projected_as_far_as_it_goes() -> None:
    X, y = rows(8, n=60, d=4)
    learner = KernelPerceptron(kernel="sigmoid", coef0=-1.0, max_iter=5, budget=20)
    assert len(learner.fit(0.1 * X, y).support_) <= 20
    K = -(X @ X.T)
    opposed = KernelPerceptron(kernel="precomputed", budget=5, max_iter=5).fit(K, y)
    assert np.isfinite(opposed.decision_function(K)).all()


def test_votes_and_averages_need_rows_that_are_gone() -> None:
    X, y = rows(6)
    with pytest.raises(ParameterError, match="does not keep them all"):
        model("projection", 5, combine="vote").fit(X, y)
    with pytest.raises(ParameterError, match="forget='oldest' drops some"):
        model("oldest", 5, combine="average").fit(X, y)
    learner = model("oldest", 5).fit(X, y)
    with pytest.raises(ParameterError, match="does not keep them all"):
        learner.set_params(combine="vote").predict(X)
    with pytest.raises(AttributeError, match="Keep one with budget=None"):
        _ = learner.ledger_


def test_the_average_counts_the_time_of_each_coefficient() -> None:
    X, y = rows(7, n=50)
    learner = model("projection", 6)
    seen: dict[int, float] = {}
    for x, label in zip(X, y, strict=True):
        learner.learn_one(x, label)
        now = coefficients(learner) if len(learner.classes_) == 2 else {}
        seen = {row: seen.get(row, 0.0) + a for row, a in now.items()}
    found = coefficients(learner.set_params(combine="average"))
    assert sorted(found) == sorted(seen)
    for row, total in seen.items():
        assert found[row] == pytest.approx(total / len(X), abs=1e-9)


@every_policy
def test_a_budget_that_nobody_reaches_costs_no_memory(forget: str) -> None:
    X, y = rows(0)
    found = model(forget, 10**15, max_iter=3).fit(X, y)
    same = model(forget, len(X), max_iter=3).fit(X, y)
    np.testing.assert_array_equal(found.dual_coef_, same.dual_coef_)


def test_the_rule_a_machine_was_begun_with_says_how_it_can_answer() -> None:
    found = model("oldest", 5, max_iter=2).fit(*rows(0))
    found.set_params(forget="projection", combine="average")
    with pytest.raises(ParameterError, match="forget='oldest' drops some"):
        found.predict(rows(1)[0])


@every_policy
def test_a_fit_ends_when_epochs_bring_no_gain(forget: str) -> None:
    found = model(forget, 5, shuffle=True, tol=0.0, n_iter_no_change=4).fit(*rows(0))
    per_epoch = found.mistakes_per_epoch_
    gained = [min(per_epoch[n - 4 : n]) < min(per_epoch[: n - 4]) for n in range(5, found.n_iter_)]
    assert found.stop_reason_ == "no_gain"
    assert all(gained)
    assert min(per_epoch[-4:]) >= min(per_epoch[:-4])


def test_a_fit_without_a_tolerance_goes_on() -> None:
    with pytest.warns(ConvergenceWarning, match="max_iter=60"):
        assert model("projection", 5, max_iter=60).fit(*rows(0)).n_iter_ == 60
