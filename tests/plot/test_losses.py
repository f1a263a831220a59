"""The curves of the losses are their formulas (L1.11, L3.5)."""

import numpy as np
import pytest

from rosenblatt import plot
from rosenblatt.errors import ParameterError

FORMULAS = {
    "zero_one": lambda m: (m <= 0).astype(float),
    "perceptron": lambda m: np.maximum(0, -m),
    "hinge": lambda m: np.maximum(0, 1 - m),
    "logistic": lambda m: np.log(1 + np.exp(-m)),
}


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize(("low", "high"), [(-3.0, 3.0), (-0.3, 0.7), (2.0, 5.0), (-50.0, 50.0)])
def test_each_curve_is_its_formula(name, low, high):
    shown = plot.losses([name], low=low, high=high)
    assert shown.margin[0] == low
    assert shown.margin[-1] == high
    assert shown.values[name] == pytest.approx(FORMULAS[name](shown.margin), abs=1e-12)


def test_the_kinks_are_among_the_points():
    margin = plot.losses(low=-1.1, high=1.7).margin
    assert 0.0 in margin
    assert 1.0 in margin
    assert (np.diff(margin) > 0).all()


def test_hard_and_soft_agree_far_from_zero():
    shown = plot.losses(["perceptron", "logistic"], low=-30, high=30)
    gap = shown.values["logistic"] - shown.values["perceptron"]
    assert (gap > 0).all()
    assert gap.max() == pytest.approx(np.log(2))
    assert gap[[0, -1]].max() < 1e-12


@pytest.mark.parametrize(
    ("arguments", "options"),
    [([["squared"]], {}), ([[]], {}), ([], {"low": 1, "high": 1}), ([], {"high": float("nan")})],
)
def test_what_cannot_be_drawn_is_refused(arguments, options):
    with pytest.raises(ParameterError):
        plot.losses(*arguments, **options)
