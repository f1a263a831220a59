"""No run may break the convergence theorem, and every reason to stop must be true."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from strategies import LINEAR, floats, seeds, separable

from rosenblatt import KernelPerceptron, Perceptron
from rosenblatt.errors import InputError

# An average and a vote predict by more than the weights that separated the rows.
BY_LAST_WEIGHTS = [one for one in LINEAR if not one().averages]
ROUNDING = 1e-9


def radius_and_margin(X, y, u):
    """R and gamma of the theorem; with a bias those of (x, 1)."""
    if len(u) > X.shape[1]:
        X = np.column_stack([X, np.ones(len(X))])
    return np.linalg.norm(X, axis=1).max(), (y * (X @ u)).min()


@given(
    seed=seeds,
    bias=st.booleans(),
    shuffle=st.booleans(),
    eta0=st.sampled_from([0.01, 1.0, 7.0]),
    order=st.randoms(use_true_random=False),
)
def test_mistakes_never_exceed_the_bound(seed, bias, shuffle, eta0, order):
    """L3.12, L4.5, L3.14: at most R^2/gamma^2, whatever the order and the learning rate."""
    X, y, u = separable(seed, gamma=0.1, bias=bias)
    rows = list(range(len(X)))
    order.shuffle(rows)
    X, y = X[rows], y[rows]
    R, gamma = radius_and_margin(X, y, u)
    learner = Perceptron(eta0=eta0, fit_intercept=bias, shuffle=shuffle, random_state=seed)
    learner.fit(X, y)
    assert learner.stop_reason_ == "separated"
    assert 0 < learner.n_mistakes_ <= (R / gamma) ** 2


@given(seed=seeds, bias=st.booleans(), n_features=st.integers(2, 12))
def test_both_halves_of_the_proof_hold_after_every_update(seed, bias, n_features):
    """L3.13, L4.6, L5.8: |w|^2 <= k R^2 and u.w >= k gamma after k mistakes."""
    X, y, u = separable(seed, d=n_features, gamma=0.05, bias=bias)
    R, gamma = radius_and_margin(X, y, u)
    learner = Perceptron(fit_intercept=bias, record=True, random_state=seed).fit(X, y)
    for k, (matrix, biases) in enumerate(learner.ledger_.trace(X)):
        w = np.append(matrix[0], biases[0]) if bias else matrix[0]
        assert w @ w <= k * R**2 + ROUNDING
        assert u @ w >= k * gamma - ROUNDING
    assert k == learner.n_mistakes_


@pytest.mark.parametrize("learner", LINEAR)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(seed=seeds, bias=st.booleans(), max_iter=st.integers(1, 20))
def test_the_margin_ceiling_is_never_below_the_true_margin(learner, seed, bias, max_iter):
    X, y, u = separable(seed, gamma=0.1, bias=bias)
    _, gamma = radius_and_margin(X, y, u)
    options = {"fit_intercept": bias, "random_state": seed, "max_iter": max_iter}
    assert learner(tol=None, **options).fit(X, y).margin_ceiling_ >= gamma - ROUNDING
    assert learner(tol=0.9 * gamma / 3, **options).fit(X, y).stop_reason_ != "tolerance"


@pytest.mark.parametrize("learner", LINEAR)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(seed=seeds, max_iter=st.integers(1, 20))
def test_the_margin_ceiling_holds_for_several_classes(learner, seed, max_iter):
    """The margin of U is the least (u_y - u_r).x over rows and rivals, for |U| = 1."""
    random = np.random.default_rng(seed)
    U = random.normal(size=(3, 4))
    U /= np.linalg.norm(U)
    X = random.uniform(-1, 1, (400, 4))
    ranked = np.sort(X @ U.T, axis=1)
    X = X[ranked[:, -1] - ranked[:, -2] > 0.05][:60]
    scores = X @ U.T
    y = scores.argmax(axis=1)
    if len(np.unique(y)) < 3:
        return
    ranked = np.sort(scores, axis=1)
    gamma = (ranked[:, -1] - ranked[:, -2]).min()
    fitted = learner(fit_intercept=False, tol=None, max_iter=max_iter).fit(X, y)
    assert fitted.margin_ceiling_ >= gamma - ROUNDING


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("bias", [False, True])
def test_the_defaults_separate_what_can_be_separated(seed, bias):
    """Rows at a distance above 0.02 from the plane: no silent training errors."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(2200, 20))
    u = random.normal(size=20)
    u /= np.linalg.norm(u)
    scores = X @ u + 0.5 * bias
    X, y = X[np.abs(scores) > 0.02][:2000], np.sign(scores[np.abs(scores) > 0.02][:2000])
    learner = Perceptron().fit(X, y)
    assert learner.stop_reason_ == "separated"
    assert learner.score(X, y) == 1.0


@pytest.mark.parametrize("learner", LINEAR)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(seed=seeds, shuffle=st.booleans(), ties=st.sampled_from(["mistake", "positive"]))
def test_rows_that_contradict_each_other_are_never_called_separated(
    learner, n_classes, seed, shuffle, ties
):
    X, y = floats(seed, n=12, n_classes=n_classes)
    X[1], y[1] = X[0], (y[0] + 1) % n_classes
    y[2:5] = [0, 1, n_classes - 1]
    fitted = learner(max_iter=40, shuffle=shuffle, ties=ties, random_state=seed).fit(X, y)
    assert fitted.stop_reason_ in {"cycle", "tolerance", "no_gain", "max_iter"}
    assert not fitted.converged_
    assert fitted.score(X, y) < 1.0


@pytest.mark.parametrize("learner", BY_LAST_WEIGHTS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(
    seed=seeds,
    shuffle=st.booleans(),
    ties=st.sampled_from(["mistake", "positive"]),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_separated_means_every_row_is_answered_right(
    learner, n_classes, seed, shuffle, ties, dtype
):
    X, y = floats(seed, n=10, d=6, n_classes=n_classes, dtype=dtype)
    fitted = learner(max_iter=100, shuffle=shuffle, ties=ties, random_state=seed).fit(X, y)
    assert fitted.converged_ == (fitted.score(X, y) == 1.0)
    assert fitted.converged_ or fitted.stop_reason_ != "separated"


@pytest.mark.parametrize("learner", LINEAR)
def test_ten_random_rows_in_ten_dimensions_are_separated(learner):
    """As many rows as dimensions can always be told apart, so the check above is not idle."""
    X, y = floats(0, n=10, d=10)
    assert learner().fit(X, y).converged_


def test_ending_at_max_iter_with_mistakes_left_says_how_many_and_what_to_try():
    from sklearn.exceptions import ConvergenceWarning

    X, y = floats(0, n=200, d=2)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=3 with \d+ mistakes.*Try") as caught:
        learner = Perceptron(max_iter=3).fit(X, y)
    assert f" {learner.mistakes_per_epoch_[-1]} mistakes" in str(caught[0].message)
    assert learner.stop_reason_ == "max_iter"


def test_hopeless_rows_are_given_up_on_when_the_run_has_proven_it():
    """The proof: no hyperplane separates the rows by more than tol times their radius."""
    X, y = floats(0, n=400, d=2)
    learner = Perceptron(tol=1e-2).fit(X, y)
    assert learner.stop_reason_ == "tolerance"
    assert learner.n_iter_ < 1000
    R = np.sqrt((X**2).sum(axis=1).max() + 1)
    assert learner.margin_ceiling_ < 1e-2 * R


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("scale", [1e-200, 1e-170, 1e-155, 1.0, 1e140])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_small_steps_do_not_make_the_ceiling_fall_below_the_margin(scale, n_classes):
    # Squares of such weights underflow, and a ceiling of 0 would end training with a false reason.
    X = np.repeat(np.eye(3), 4, axis=0)[:, :n_classes][: 4 * n_classes]
    y = np.arange(4 * n_classes) // 4
    options = {"eta0": scale, "fit_intercept": False, "max_iter": 3}
    fitted = Perceptron(**options).fit(X, y)
    assert fitted.stop_reason_ == "separated"
    assert fitted.margin_ceiling_ >= {2: 0.5**0.5, 3: 3**-0.5}[n_classes] - ROUNDING
    unit = Perceptron(**options | {"eta0": 1.0}).fit(X, y)
    assert fitted.margin_ceiling_ == pytest.approx(unit.margin_ceiling_)


@pytest.mark.parametrize("scale", [1e-320, 1e-170])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_rows_whose_products_underflow_are_refused_by_name_or_get_a_true_ceiling(scale, kind):
    X, y = np.array([[0.0, 1.0], [3.0, -1.0], [-1.0, 0.5]]), [0, 1, 0]
    for learner in (Perceptron(fit_intercept=False), KernelPerceptron(kernel="linear")):
        with pytest.raises(InputError, match=r"nothing larger than \S+, which is at row 1"):
            learner.fit(kind(scale * X), y)
    # With a bias each row ends in a 1, and no boundary of floats is near enough to the origin.
    assert Perceptron().fit(kind(scale * X), y).margin_ceiling_ >= 1.8 * scale
    one = np.float32(1e-25) * X.astype(np.float32)
    with pytest.raises(InputError, match=r"at row 1: products of such rows underflow float32"):
        Perceptron(fit_intercept=False).fit(kind(one), y)
