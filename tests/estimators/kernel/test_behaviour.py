"""What a kernel perceptron tells, refuses and keeps."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_moons
from sklearn.exceptions import ConvergenceWarning
from strategies import floats, integers

from rosenblatt import KernelPerceptron, Perceptron
from rosenblatt.arrays import SparseRows
from rosenblatt.errors import InputError, ParameterError

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

XOR = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]], float), np.array([1, -1, -1, 1])


def test_exclusive_or_is_separated_by_products() -> None:
    """L3.9: not separable in the plane, but with x₁x₂."""
    model = KernelPerceptron(degree=2, gamma=1.0, combine="last").fit(*XOR)
    assert model.stop_reason_ == "separated"
    assert model.converged_
    assert model.score(*XOR) == 1.0
    with pytest.warns(ConvergenceWarning, match="another kernel"):
        straight = KernelPerceptron(kernel="linear", max_iter=20, tol=None).fit(*XOR)
    assert straight.score(*XOR) < 1.0


def test_a_run_that_repeats_itself_ends_as_a_cycle() -> None:
    model = KernelPerceptron(kernel="linear", shuffle=False, tol=None).fit(*XOR)
    assert model.stop_reason_ == "cycle"


def test_a_run_that_proves_there_is_no_margin_gives_up() -> None:
    X, y = np.ones((2, 1)), [0, 1]
    model = KernelPerceptron(kernel="rbf").fit(X, y)
    assert model.stop_reason_ in ("cycle", "tolerance")
    assert model.margin_ceiling_ < 0.01


def test_the_ceiling_is_above_the_true_margin() -> None:
    X, y = make_moons(200, noise=0.05, random_state=0)
    model = KernelPerceptron(kernel="rbf", gamma=3.0, combine="last").fit(X, y)
    assert model.stop_reason_ == "separated"
    K = np.exp(-3.0 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    alpha = np.zeros(len(X))
    alpha[model.support_] = model.dual_coef_[0]
    signs = 2 * y - 1
    margin = (signs * (K @ alpha)).min() / np.sqrt(alpha @ K @ alpha)
    assert 0 < margin <= model.margin_ceiling_


def test_rows_of_zeros_are_given_up_at_once() -> None:
    model = KernelPerceptron(kernel="linear").fit(np.zeros((4, 2)), [0, 1, 0, 1])
    assert (model.stop_reason_, model.n_iter_) == ("tolerance", 1)


def test_one_point_of_the_digits_is_explained_by_past_mistakes() -> None:
    X, y = load_digits(return_X_y=True)
    model = KernelPerceptron(degree=2, gamma=1.0).partial_fit(X[:1000] / 16, y[:1000])
    for combine in ("average", "last", "vote"):
        for multiclass in ("ovr", "argmax"):
            model = KernelPerceptron(degree=2, gamma=1.0, combine=combine, multiclass=multiclass)
            model.partial_fit(X[:1000] / 16, y[:1000])
            x = X[1500] / 16
            told = model.explain(x)
            scores = model.decision_function(x[None])[0]
            assert told.prediction == model.predict(x[None])[0]
            assert told.score == pytest.approx(scores[told.prediction], rel=1e-9)
            amounts = [abs(one.contribution) for one in told.mistakes]
            assert amounts == sorted(amounts, reverse=True)
            assert {one.row for one in told.mistakes} <= set(model.support_.tolist())
            other = model.explain(x, label=3)
            assert other.score == pytest.approx(scores[3], rel=1e-9)
            assert "rows of training gave" in str(told)
    for label in ("x", [7]):
        with pytest.raises(InputError, match="is not among the classes"):
            model.explain(X[0] / 16, label=label)


@quiet
@pytest.mark.parametrize("combine", ["average", "last", "vote"])
@pytest.mark.parametrize("ties", ["mistake", "positive"])
def test_two_classes_are_explained_by_one_function(combine: str, ties: str) -> None:
    X, y = floats(0, n=50)
    model = KernelPerceptron(kernel="rbf", combine=combine, ties=ties, max_iter=3).fit(X, y)
    for x in X[:10]:
        score = model.decision_function(x[None])[0]
        assert model.explain(x, label=1).score == pytest.approx(score, abs=1e-12)
        assert model.explain(x, label=0).score == pytest.approx(-score, abs=1e-12)


@quiet
def test_the_ledger_gives_the_coefficients_after_every_update() -> None:
    X, y = integers(1, n_classes=3)
    model = KernelPerceptron(gamma=1.0, max_iter=3, combine="last").fit(X, y)
    ledger = model.ledger_
    np.testing.assert_array_equal(ledger.replay(), model.dual_coef_)
    assert not ledger.replay(upto=0).any()
    assert len(ledger) == len(list(ledger)) >= model.n_mistakes_
    assert ledger[0].row == ledger.entries.row[0]
    assert all(sum(lives) == model.t_ for lives in map(np.ndarray.tolist, model.survival_))
    with pytest.raises(ParameterError, match="this ledger has"):
        ledger.replay(upto=len(ledger) + 1)


@quiet
@pytest.mark.parametrize(
    ("settings", "combine"),
    [
        ({}, "vote"),
        ({}, "average"),
        ({}, "last"),
        ({"budget": 25}, "average"),
        ({"budget": 25, "forget": "random"}, "last"),
    ],
)
def test_the_state_that_did_best_on_the_rows_held_out_answers(
    settings: dict[str, Any], combine: str
) -> None:
    X, y = make_moons(400, noise=0.3, random_state=0)
    dev = X[300:], y[300:]
    model = KernelPerceptron(
        kernel="rbf", gamma=2.0, combine=combine, n_iter_no_change=3, **settings
    )
    model.fit(X[:300], y[:300], validation_set=dev)
    assert model.stop_reason_ == "early_stopping"
    assert model.score(*dev) == max(model.validation_scores_)
    assert model.best_iter_ == 1 + int(np.argmax(model.validation_scores_))
    again = KernelPerceptron(
        kernel="rbf", gamma=2.0, combine=combine, max_iter=model.best_iter_, **settings
    ).fit(X[:300], y[:300])
    np.testing.assert_allclose(model.decision_function(X), again.decision_function(X), atol=1e-9)


@quiet
def test_early_stopping_holds_rows_out() -> None:
    X, y = make_moons(400, noise=0.3, random_state=0)
    model = KernelPerceptron(kernel="rbf", early_stopping=True).fit(X, y)
    assert model.stop_reason_ == "early_stopping"
    assert model.t_ < model.n_iter_ * len(X)


@quiet
def test_warm_start_goes_on() -> None:
    X, y = floats(3, n=80, n_classes=3)
    model = KernelPerceptron(kernel="rbf", max_iter=2, warm_start=True).fit(X, y)
    seen = model.t_
    model.fit(X, y)
    assert model.t_ == seen + model.n_iter_ * len(X)


def test_classes_may_come_at_any_time() -> None:
    X, y = load_digits(return_X_y=True)
    order = np.argsort(y[:300], kind="stable")
    for multiclass in ("ovr", "argmax"):
        model = KernelPerceptron(degree=2, gamma=1.0, multiclass=multiclass)
        model.partial_fit(X[:300][order] / 16, y[:300][order].astype(str))
        assert model.classes_.tolist() == list("0123456789")
        model.partial_fit(X[300:1200] / 16, y[300:1200].astype(str))
        assert model.score(X[1200:] / 16, y[1200:].astype(str)) > 0.85


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kernel": "polly"}, "kernel='polly' is not known: give 'linear'"),
        ({"kernel": 3}, "kernel=3 is not known"),
        ({"degree": 0}, "degree=0 is not allowed: give a whole number of at least 1"),
        ({"degree": 1.5}, "degree=1.5"),
        ({"gamma": 0.0}, "gamma=0.0 is not allowed"),
        ({"coef0": np.nan}, "coef0=nan"),
        ({"combine": "mean"}, "combine='mean' is not known"),
        ({"multiclass": "ovo"}, "multiclass='ovo'"),
        ({"budget": 0}, "budget=0 is not allowed: give a whole number of at least 1"),
        ({"forget": "newest"}, "forget='newest'"),
        ({"projection_tol": 0.0}, "projection_tol=0.0"),
        ({"cache_mb": 0}, "cache_mb=0"),
        ({"max_iter": 0}, "max_iter=0"),
    ],
)
def test_a_wrong_parameter_is_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        KernelPerceptron(**settings).fit(*XOR)


def _not_symmetric(A: Any, B: Any) -> Any:
    return A[:, :1] + 0.0 * B[:, :1].T + 5.0


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (lambda A, B: np.ones(len(A)), r"returned shape \(\d,\); it must return"),
        (lambda A, B: np.ones((len(B) + 1, len(A))), "it must return one number for each pair"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), "it returned nan for one pair"),
        (lambda A, B: np.full((len(A), len(B)), "a"), "it must return real numbers"),
        (_not_symmetric, "not symmetric"),
    ],
)
def test_a_wrong_kernel_is_refused(kernel: Any, message: str) -> None:
    model = KernelPerceptron(kernel=kernel)
    with pytest.raises(InputError, match=message):
        model.fit(*XOR)
    assert not hasattr(model, "classes_")


def test_a_precomputed_kernel_must_be_square_and_symmetric() -> None:
    model = KernelPerceptron(kernel="precomputed")
    with pytest.raises(InputError, match="must be square"):
        model.fit(np.ones((3, 2)), [0, 1, 0])
    with pytest.raises(InputError, match="not symmetric"):
        model.fit([[1.0, 2.0], [3.0, 1.0]], [0, 1])
    assert not hasattr(model, "partial_fit")


def test_a_kernel_that_overflows_is_refused() -> None:
    X = np.array([[1e10], [-1e10], [3e10]], np.float32)
    with pytest.raises(InputError, match="too large"):
        KernelPerceptron(degree=9, gamma=1.0).fit(X, [0, 1, 1])


@pytest.mark.parametrize(
    "settings", [{}, {"budget": 3}, {"budget": 3, "forget": "oldest", "combine": "last"}]
)
def test_a_refused_batch_changes_nothing(settings: dict[str, Any]) -> None:
    calls = []

    def kernel(A: Any, B: Any) -> Any:
        calls.append(len(B))
        found = A @ B.T + 1.0
        return np.full_like(found, np.nan) if len(calls) > 8 else found

    X, y = integers(2, n=30, n_classes=3)
    model = KernelPerceptron(kernel=kernel, **settings)
    calls[:] = []
    model.partial_fit(X[:4], y[:4])
    before = model.dual_coef_, model.support_, model.t_, model.n_mistakes_, model.classes_
    calls[:] = [0] * 9
    with pytest.raises(InputError):
        model.partial_fit(X[4:], y[4:])
    after = model.dual_coef_, model.support_, model.t_, model.n_mistakes_, model.classes_
    for old, new in zip(before, after, strict=True):
        np.testing.assert_array_equal(old, new)


def test_a_table_is_no_single_example() -> None:
    model = KernelPerceptron()
    assert model.predict_one([1.0]) is None
    with pytest.raises(InputError, match="a mapping or a 1-D array"):
        model.learn_one([[1.0, 2.0]], 1)


def test_a_mapping_is_an_example_and_may_bring_new_features() -> None:
    records = [{"a": 1.0, "b": 1.0}, {"a": -1.0, "b": 1.0}, {"a": 2.0}, {"b": -2.0}]
    model = KernelPerceptron(degree=1).partial_fit(records[:2], ["p", "q"])
    rows = KernelPerceptron(degree=1).partial_fit([[1.0, 1.0], [-1.0, 1.0]], ["p", "q"])
    model.learn_one(records[2], "q")
    rows.learn_one([2.0, 0.0], "q")
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.predict(records).tolist() == [model.predict_one(x) for x in records]
    table = [[1.0, 1.0], [-1.0, 1.0], [2.0, 0.0], [0.0, -2.0]]
    assert model.predict(records).tolist() == rows.predict(table).tolist()
    model.learn_one({"c": 1.0}, "p")
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert model.decision_function([{"c": 1.0}]) < model.decision_function([{"c": 0.0}])  # p


def test_training_is_told_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        KernelPerceptron(kernel="rbf", verbose=2, max_iter=2).fit(*floats(4, n=60))
    assert "KernelPerceptron: epoch 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    "change", [{"kernel": "rbf"}, {"degree": 4}, {"budget": 2}, {"multiclass": "argmax"}]
)
def test_learning_does_not_go_on_with_another_kernel_or_kind(change: dict[str, Any]) -> None:
    X, y = integers(3, n_classes=3)
    model = KernelPerceptron().partial_fit(X, y)
    scores = model.decision_function(X)
    model.set_params(**change)
    (name,) = change
    with pytest.raises(ParameterError, match=f"{name}=.* Set it back"):
        model.partial_fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), scores)


@pytest.mark.parametrize("make", [KernelPerceptron, Perceptron])
def test_sparse_rows_of_ours_that_do_not_begin_at_0_are_refused(make: Any) -> None:
    """Found by the fuzzer: a row would begin behind the first value."""
    columns, starts = np.array([0, 1, 2] * 3, np.int32), np.array([1, 3, 6, 9], np.int32)
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        make().fit(SparseRows(np.arange(1.0, 10.0), columns, starts, 3), [0, 1, 0])
