"""The soft rule: steps that shorten, a stop by its own loss, probabilities."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import binary, multiclass, steps
from strategies import csr, floats, seeds

from rosenblatt import SoftPerceptron, datasets, load, save
from rosenblatt.engine.rows.rules import Rule

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

IN_ORDER = {"shuffle": False, "tol": None, "average": False}


def scheduled(X, y, eta, epochs, n_classes=2):
    """One epoch of the oracle after the other, each with shorter steps; the loss of each."""
    start, losses = (None, 0.0 if n_classes == 2 else None), []
    for epoch in range(epochs):
        common = {"epochs": 1, "fit_intercept": True, "stop": False}
        length = eta / math.sqrt(1 + epoch)
        if n_classes == 2:
            step = lambda m, q, wrong, length=length: steps.soft(m, q, wrong, eta=length)  # noqa: E731
            run = binary.train(
                X, 2 * y - 1, step, ties="mistake", w0=start[0], b0=start[1], **common
            )
            before = [run.start, *run.snapshots[:-1]]
            margins = [(2 * y[i] - 1) * (w @ X[i] + b) for i, (w, b) in enumerate(before)]
            losses.append(float(np.mean(np.log1p(np.exp(-np.array(margins))))))
            start = run.w, run.b
        else:
            given = {"n_classes": n_classes, "W0": start[0], "b0": start[1]}
            run = multiclass.train_soft(X, y, eta=length, **given, **common)
            before = [run.start, *run.snapshots[:-1]]
            right = [multiclass.softmax(W @ X[i] + b)[y[i]] for i, (W, b) in enumerate(before)]
            losses.append(float(-np.log(right).mean()))
            start = run.W, run.b
    return start, losses


@pytest.mark.parametrize("n_classes", [2, 3])
@given(seeds, st.integers(1, 6), st.booleans())
def test_steps_shorten_with_the_root_of_the_epoch(n_classes, seed, epochs, sparse):
    X, y = floats(seed, n=12, n_classes=n_classes)
    (W, b), losses = scheduled(X, y, 0.3, epochs, n_classes)
    soft = SoftPerceptron(eta0=0.3, max_move=None, max_iter=epochs, **IN_ORDER).fit(
        csr(X) if sparse else X, y
    )
    np.testing.assert_allclose(soft.coef_, np.atleast_2d(W), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(soft.intercept_, np.atleast_1d(b), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(soft._fit_outcome().result.losses, losses, rtol=1e-9)


def test_a_fit_that_goes_on_and_a_file_keep_the_schedule(tmp_path):
    X, y = floats(3)
    whole = SoftPerceptron(max_iter=6, **IN_ORDER).fit(X, y)
    half = SoftPerceptron(max_iter=3, warm_start=True, **IN_ORDER).fit(X, y)
    save(half, tmp_path / "half.rbt")
    for one in (half, load(tmp_path / "half.rbt")):
        np.testing.assert_array_equal(one.fit(X, y).coef_, whole.coef_)
    half, other = half.partial_fit(X[:5], y[:5]), load(tmp_path / "half.rbt").fit(X, y)
    np.testing.assert_array_equal(other.partial_fit(X[:5], y[:5]).coef_, half.coef_)
    eta = half._rule_for(half._model).eta
    assert eta == half.eta0 / math.sqrt(7)


def test_separable_rows_are_learned_until_the_loss_stands_still():
    X, y = datasets.separable(80, 3, margin=0.1, seed=1)
    soft = SoftPerceptron(tol=1e-3).fit(X, y)
    assert soft.stop_reason_ == "no_gain"
    assert soft.mistakes_per_epoch_[-10:] == [0] * 10
    assert soft.converged_


def test_overlapping_classes_end_by_the_loss_too():
    X, y = floats(0, n=200)
    soft = SoftPerceptron().fit(X, y)
    assert soft.stop_reason_ == "no_gain"
    assert soft.n_iter_ < 200
    losses = soft._fit_outcome().result.losses
    best = min(losses)
    assert min(losses[:-5]) <= best + soft.tol


@given(st.floats(1e-300, 1e300))
def test_the_logarithm_of_the_loss_is_that_of_the_library(x):
    """Shown by the loss of one row whose weights are 0 but for the bias."""
    assert Rule("soft", eta=1.0).eta == 1.0
    margin = math.log(x) / 10
    soft = SoftPerceptron(max_iter=1, **IN_ORDER)
    soft.fit([[0.0], [0.0]], [0, 1], intercept_init=[margin], sample_weight=[0.0, 1.0])
    assert soft._fit_outcome().result.losses[0] == pytest.approx(
        np.log1p(np.exp(-margin)), rel=1e-12, abs=1e-15
    )


def test_the_probabilities_are_close_to_the_frequencies():
    random = np.random.default_rng(0)
    X = random.normal(size=(4000, 3))
    chance = 1 / (1 + np.exp(-(X @ [1.0, -2.0, 0.5] + 0.5)))
    y = random.random(4000) < chance
    found = SoftPerceptron().fit(X, y).predict_proba(X)[:, 1]
    assert np.abs(found - chance).mean() < 0.02
