"""Separable sets have the margin asked for, no separator has more, and the bound is kept."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Perceptron, datasets, theory
from rosenblatt.errors import ParameterError

seeds = st.integers(0, 2**40)


@st.composite
def orders(draw):
    """What to ask `separable` for: always something that fits."""
    radius = draw(st.floats(0.01, 100))
    intercept = radius * draw(st.sampled_from([0.0, 0.3, -0.6]))
    margin = draw(st.floats(0.01, 0.95)) * (radius - abs(intercept))
    return {
        "n_rows": draw(st.integers(2, 60)),
        "n_features": draw(st.integers(1, 12)),
        "radius": radius,
        "intercept": intercept,
        "margin": margin,
        "seed": draw(seeds),
    }


@given(orders())
def test_the_known_separator_has_exactly_the_margin_asked_for(order) -> None:
    made = datasets.separable(**order)
    close = {"rel": 1e-9, "abs": 1e-13 * order["radius"]}
    assert theory.margin(made.X, made.y, made.w, made.b) == pytest.approx(order["margin"], **close)
    assert made.margins.min() == pytest.approx(order["margin"], **close)
    assert np.linalg.norm(made.w) == pytest.approx(1.0)
    assert made.b == order["intercept"]


@given(orders())
def test_rows_fill_the_ball_and_classes_are_balanced(order) -> None:
    made = datasets.separable(**order)
    assert made.X.shape == (order["n_rows"], order["n_features"])
    lengths = np.linalg.norm(made.X, axis=1)
    assert lengths.max() <= order["radius"] * (1 + 1e-12)
    if order["n_rows"] > 2:
        assert lengths.max() == pytest.approx(order["radius"])
    counts = np.bincount(made.y, minlength=2)
    assert abs(counts[0] - counts[1]) <= 1


@given(orders())
def test_no_separator_has_a_larger_margin(order) -> None:
    made = datasets.separable(**order)
    best = theory.max_margin(made.X, made.y)
    assert best.margin == pytest.approx(made.margin, rel=1e-6)
    assert best.hyperplane.w @ made.w == pytest.approx(1.0, abs=1e-3)


@given(orders())
def test_the_known_bound_is_that_of_the_theory(order) -> None:
    made = datasets.separable(**order)
    found = theory.mistake_bound(made.X, made.y)
    assert found.bound <= made.bound() * (1 + 1e-6)
    if order["intercept"] == 0 and order["n_rows"] > 2:
        assert found.bound == pytest.approx(made.bound(), rel=1e-5)
        without = theory.mistake_bound(made.X, made.y, fit_intercept=False)
        assert without.bound == pytest.approx(made.bound(fit_intercept=False), rel=1e-5)


@given(st.integers(3, 7), st.integers(2, 9), st.floats(0.01, 0.1), seeds)
def test_with_more_classes_the_margin_is_the_lead_on_the_best_rival(k, d, margin, seed) -> None:
    made = datasets.separable(60, d, n_classes=k, margin=margin, seed=seed)
    assert made.w.shape == (k, d)
    assert np.linalg.norm(made.w) == pytest.approx(1.0)
    scores = made.X @ made.w.T
    right = scores[np.arange(60), made.y].copy()
    scores[np.arange(60), made.y] = -np.inf
    lead = right - scores.max(axis=1)
    assert lead.min() == pytest.approx(margin, rel=1e-9)
    np.testing.assert_allclose(made.margins, lead, atol=1e-14)
    counts = np.bincount(made.y, minlength=k)
    assert counts.max() - counts.min() <= 1


@pytest.mark.parametrize(("k", "d"), [(3, 2), (4, 3), (3, 6), (5, 2)])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_with_more_classes_no_separator_has_a_larger_margin(k, d, fit_intercept) -> None:
    made = datasets.separable(80, d, n_classes=k, margin=0.1, seed=k)
    found = theory.mistake_bound(made.X, made.y, fit_intercept=fit_intercept)
    assert found.bound == pytest.approx(made.bound(fit_intercept), rel=1e-5)


@given(orders(), st.booleans())
def test_a_perceptron_makes_no_more_mistakes_than_the_bound(order, fit_intercept) -> None:
    made = datasets.separable(**order)
    learner = Perceptron(fit_intercept=fit_intercept or made.b != 0)
    for _ in range(5):
        learner.partial_fit(made.X, made.y)
    assert learner.n_mistakes_ <= made.bound(learner.fit_intercept) * (1 + 1e-9)


def test_rows_lie_on_both_sides_of_the_middle_of_their_class() -> None:
    """Not all in a heap: in the plane of the boundary the rows spread over the whole ball."""
    made = datasets.separable(2000, 2, margin=0.05)
    along = made.X @ np.array([-made.w[1], made.w[0]])
    assert along.min() < -0.9
    assert along.max() > 0.9
    assert 0.4 < along.std() < 0.6
    assert made.margins.max() > 0.95


def test_the_same_seed_gives_the_same_bytes_as_ever() -> None:
    made = datasets.separable(100, 7, n_classes=4, margin=0.05, seed=3)
    again = datasets.separable(100, 7, n_classes=4, margin=0.05, seed=3)
    assert made.X.tobytes() == again.X.tobytes()
    assert datasets.separable(100, 7, seed=4).X.tobytes() != datasets.separable(100, 7).X.tobytes()
    digest = hashlib.sha256(made.X.tobytes() + made.y.astype("<i8").tobytes()).hexdigest()
    assert digest[:16] == "638a605fdb8a3acd"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            {"margin": 1.0},
            "margin=1.0 is not allowed: give a finite number above 0 and below 1. Or",
        ),
        ({"margin": 0.0}, "margin=0.0"),
        ({"margin": float("nan")}, "margin=nan"),
        ({"margin": 0.5, "intercept": 0.6}, "below 0.4. Or a larger radius or a smaller intercept"),
        ({"margin": 0.7, "n_classes": 4, "n_features": 3}, "below 0.666667"),
        (
            {"intercept": -1.0},
            "intercept=-1.0 is not allowed: give a finite number above -1 and",
        ),
        ({"intercept": 0.1, "n_classes": 3}, "intercept=0.1 is not allowed for n_classes=3"),
        ({"n_classes": 3, "n_features": 1}, "Give at least 2 features"),
        ({"n_classes": 1}, "n_classes=1 is not allowed: give a whole number of at least 2"),
        ({"n_classes": 5, "n_rows": 4}, "n_rows=4 is not allowed: give a whole number of at least"),
        ({"n_features": 2.0}, "n_features=2.0"),
        ({"radius": "1"}, "radius='1'"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": True}, "seed=True"),
    ],
)
def test_what_cannot_be_made_is_refused_with_the_cure(arguments, says) -> None:
    with pytest.raises(ParameterError) as caught:
        datasets.separable(**arguments)
    assert says in str(caught.value)


def test_there_is_no_bound_without_a_bias_for_a_hyperplane_off_the_origin() -> None:
    with pytest.raises(ParameterError, match=r"intercept=0\.2"):
        datasets.separable(intercept=0.2).bound(fit_intercept=False)
