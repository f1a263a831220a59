"""The most mistakes there can be, with a separator and without (L3.12, L4.5, L5.7)."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from strategies import sparse_rows

from rosenblatt import AveragedPerceptron, Perceptron, datasets
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.geometry import augment, to_unit_sphere
from rosenblatt.theory import margin, max_margin, mistake_bound, separability
from theory.test_margin import seeds, with_known_margin

SIX = np.array([[-1.0, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]), [-1, 1, 1, -1, -1, 1]


@given(seeds, st.sampled_from([0.1, 1.0, 7.0]), st.booleans())
def test_no_run_makes_more_mistakes_than_the_bound(seed, eta0, fit_intercept):
    """L3.12, L4.5, L3.14: any order, dimension, scale and constant learning rate."""
    X, y, *_ = with_known_margin(seed, b=None if fit_intercept else 0.0)
    found = mistake_bound(X, y, fit_intercept)
    for learner in (Perceptron, AveragedPerceptron):
        run = learner(random_state=seed, eta0=eta0, fit_intercept=fit_intercept, tol=None).fit(X, y)
        assert run.n_mistakes_ <= found.bound
    np.testing.assert_allclose(
        mistake_bound(3.0 * X, y, fit_intercept=False).bound,
        mistake_bound(X, y, fit_intercept=False).bound,
        rtol=1e-5,
    )


def test_with_a_bias_the_theorem_lives_in_the_augmented_space():
    X, y, *_ = with_known_margin(1)
    inside = mistake_bound(X, y)
    appended = mistake_bound(augment(X), y, fit_intercept=False)
    assert inside.radius == pytest.approx(appended.radius)
    assert inside.margin == pytest.approx(appended.margin, rel=1e-6)


def test_on_the_unit_sphere_it_is_the_same_number():
    """L5.7"""
    X, y, *_ = with_known_margin(2, b=0.0)
    found = mistake_bound(X, y, fit_intercept=False)
    rows, radius = to_unit_sphere(X)
    unit = mistake_bound(rows, y, fit_intercept=False)
    assert radius == pytest.approx(found.radius)
    assert unit.radius == pytest.approx(1.0)
    assert unit.bound == pytest.approx(found.bound, rel=1e-5)
    assert found.bound == pytest.approx(1 / found.unit_margin**2)
    small = mistake_bound(X / 1000, y, fit_intercept=False)
    assert small.radius < 1
    assert small.unit_margin == pytest.approx(found.unit_margin)


def test_under_a_feature_map_radius_and_margin_are_those_of_the_mapped_rows():
    """L3.10"""
    xor, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
    assert mistake_bound(xor, y).theorem == "Freund and Schapire"

    def lift(X):
        return np.column_stack([X, X[:, 0] * X[:, 1]])

    lifted = mistake_bound(xor, y, feature_map=lift)
    assert lifted.radius == pytest.approx(2.0)
    assert Perceptron(tol=None).fit(lift(xor), y).n_mistakes_ <= lifted.bound


@pytest.mark.parametrize("seed", range(8))
def test_several_classes_keep_the_bound_of_kesler(seed):
    random = np.random.default_rng(seed)
    centers = 4 * np.eye(3, 4) + 0.5 * random.standard_normal((3, 4))
    y = np.arange(45) % 3
    X = centers[y] + 0.3 * random.standard_normal((45, 4))
    found = mistake_bound(X, y)
    assert found.margin > 0
    for order in range(5):
        run = Perceptron(ties="positive", random_state=order, tol=None).fit(X, y)
        assert run.n_mistakes_ <= found.bound


def test_a_bound_that_is_a_whole_number_is_one():
    """The six points of the lecture: 3 of at most 5 mistakes."""
    assert mistake_bound(*SIX, fit_intercept=False).bound == 5


# ---------------------------------------------------------------------- not linearly separable


def overlapping(seed, n_classes=2):
    """Rows of any scale with labels that have something to do with them, or nothing."""
    random = np.random.default_rng(seed)
    n, d = int(random.integers(n_classes, 30)), int(random.integers(1, 5))
    X = (random.standard_normal((n, d)) + random.standard_normal(d)) * 10.0 ** random.integers(
        -3, 4
    )
    right = np.argsort(np.argsort(X[:, 0])) * n_classes // n
    y = np.where(random.random(n) < random.random(), random.integers(0, n_classes, n), right)
    y[:n_classes] = np.arange(n_classes)
    return random, X, y


def fitted(learner, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return learner.fit(X, y)


def by_definition(X, y, fit_intercept, w, b, margin, epochs):
    """``((R + D)/γ)²`` in more digits."""
    Z = np.column_stack([X, np.ones(len(X))] if fit_intercept else [X]).astype(np.longdouble)
    u = np.append(w, b)[: Z.shape[1]].astype(np.longdouble)
    u /= np.sqrt((u**2).sum())
    hinge = np.maximum(0, margin - np.where(y == 1, 1, -1) * (Z @ u))
    D = np.sqrt(epochs * (hinge**2).sum())
    return ((np.sqrt((Z**2).sum(axis=1).max()) + D) / margin) ** 2


def test_a_thousand_runs_keep_the_bound_for_any_u_and_margin():
    for seed in range(1000):
        random, X, y = overlapping(seed)
        fit_intercept = bool(random.integers(2))
        w, b = random.standard_normal(X.shape[1]), fit_intercept * random.standard_normal()
        longest = float(np.linalg.norm(X, axis=1).max())
        margin = longest * 10.0 ** random.uniform(-2, 1)
        learner = [Perceptron, AveragedPerceptron][seed % 2](
            eta0=float(random.choice([0.1, 1.0, 7.0])),
            ties=str(random.choice(["mistake", "positive"])),
            shuffle=bool(random.integers(2)),
            max_iter=int(random.integers(1, 12)),
            fit_intercept=fit_intercept,
            random_state=seed,
            tol=None,
        )
        run = fitted(learner, X, y)
        known = {"epochs": run.n_iter_, "fit_intercept": fit_intercept}
        found = mistake_bound(X, y, separator=(w, b), margin=margin, **known)
        assert run.n_mistakes_ <= found.bound
        best = mistake_bound(X, y, **known)
        assert run.n_mistakes_ <= best.bound
        exact = by_definition(X, y, fit_intercept, w, b, margin, run.n_iter_)
        assert min(exact, run.n_iter_ * len(X)) <= found.bound + 1e-6
        if found.bound != round(found.bound):
            assert exact <= found.bound <= exact * (1 + 1e-9)
        if best.deviation:
            assert best.bound <= found.bound * 1.05


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sparse_rows])
@pytest.mark.parametrize("seed", range(20))
def test_several_classes_keep_the_bound_without_a_separator(seed, kind):
    random, X, y = overlapping(seed, n_classes=3)
    run = Perceptron(ties="positive", max_iter=int(random.integers(1, 30)), tol=None)
    fitted(run, kind(X), y)
    found = mistake_bound(kind(X), y, epochs=run.n_iter_)
    assert run.n_mistakes_ <= found.bound
    assert np.linalg.norm(found.u) == pytest.approx(1.0)


def test_no_weights_of_a_run_give_a_smaller_bound_than_the_one_found():
    iris = datasets.iris()
    X, y = iris.X[50:], iris.y[50:]
    found = mistake_bound(X, y, epochs=100)
    assert found.theorem == "Freund and Schapire"
    for learner in (Perceptron(), AveragedPerceptron(), AveragedPerceptron(max_iter=3)):
        run = fitted(learner, X, y)
        other = mistake_bound(X, y, epochs=100, separator=(run.coef_[0], run.intercept_[0]))
        assert found.bound <= other.bound * (1 + 1e-6)
        worse = {"separator": (run.coef_[0], run.intercept_[0]), "margin": 1.1 * other.margin}
        assert other.bound <= mistake_bound(X, y, epochs=100, **worse).bound


def test_it_grows_with_the_epochs_but_never_above_the_visits():
    iris = datasets.iris()
    X, y = iris.X[50:], iris.y[50:]
    found = mistake_bound(X, y, epochs=1000)
    assert (found.epochs, found.visits) == (1000, 100_000)
    bounds = [found.after(epochs) for epochs in (1, 10, 100, 1000)]
    assert bounds == sorted(bounds)
    assert bounds[0] <= 100
    assert bounds[-1] == found.bound < 25_000
    same = {"separator": (found.u[:-1], found.u[-1]), "margin": found.margin}
    assert mistake_bound(X, y, epochs=10, **same).bound == pytest.approx(bounds[1])
    # Exclusive or is mistaken at every visit, and no u and no margin promise less.
    xor = mistake_bound([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], epochs=7)
    assert xor.bound == 28


def test_a_given_separator_that_separates_gives_the_theorem_of_novikoff():
    found = mistake_bound(*SIX, fit_intercept=False, epochs=50, separator=([3.0, 1.0], 0.0))
    assert (found.theorem, found.epochs, found.bound) == ("Novikoff", None, 50)
    assert found.after(1) == found.after(9) == 50
    wider = mistake_bound(*SIX, fit_intercept=False, separator=([3.0, 1.0], 0.0), margin=1.0)
    assert (wider.theorem, wider.epochs) == ("Freund and Schapire", 1)
    assert wider.bound == 6  # the visits


@pytest.mark.parametrize("scale", [1e-140, 1e-12, 1e12, 1e140])
def test_it_does_not_depend_on_the_scale(scale):
    _, X, y = overlapping(4)
    expected = mistake_bound(X, y, fit_intercept=False, epochs=30)
    found = mistake_bound(scale * X, y, fit_intercept=False, epochs=30)
    assert found.bound == pytest.approx(expected.bound, rel=1e-6)


def test_rows_whose_squares_underflow_have_a_length_all_the_same():
    assert mistake_bound([[1e-200], [-1e-200]], [1, 0], fit_intercept=False).bound == 1


@pytest.mark.parametrize("function", [margin, max_margin, mistake_bound, separability])
def test_rows_too_small_for_any_separator_of_floats_are_refused_by_name(function):
    options = {"w": [1.0]} if function is margin else {}
    with pytest.raises(InputError, match=r"larger than \S+e-320, which is at row 2"):
        function([[1e-320], [0.0], [-3e-320]], [1, 1, 0], **options)


@pytest.mark.parametrize("scale", [1e-170, 2.0**-500, 1e140])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_margin_and_bound_hold_over_the_range_of_floats(scale, fit_intercept):
    X, y, *_ = with_known_margin(6, b=0.0)
    expected, found = (max_margin(factor * X, y, fit_intercept) for factor in (1.0, scale))
    assert found.closed
    assert found.lower == pytest.approx(scale * expected.lower)
    assert margin(scale * X, y, found.hyperplane.w, found.hyperplane.b) == pytest.approx(
        found.lower
    )
    if not fit_intercept:
        bound = mistake_bound(scale * X, y, fit_intercept=False).bound
        assert bound == pytest.approx(mistake_bound(X, y, fit_intercept=False).bound)


def test_rows_of_zeros_are_mistaken_at_every_visit():
    assert mistake_bound(np.zeros((3, 2)), [0, 1, 1], fit_intercept=False, epochs=5).bound == 15


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"epochs": 0}, ParameterError, "epochs=0"),
        ({"margin": 0.0}, ParameterError, "margin=0"),
        ({"separator": ([1.0], 0.0)}, InputError, "w of shape"),
        ({"separator": ([0.0, 0.0], 0.0)}, InputError, "not all of them 0"),
    ],
)
def test_what_is_no_bound_is_refused(options, error, said):
    with pytest.raises(error, match=said):
        mistake_bound(*SIX, **options)
