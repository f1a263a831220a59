"""The curve is that of the report, and its caption says which way it leans."""

import numpy as np
import pytest

from rosenblatt import AveragedPerceptron, Perceptron, SoftPerceptron, datasets, evaluate, plot
from rosenblatt.errors import InputError

DIGITS = datasets.digits()


@pytest.mark.parametrize("k", [2, 10])
def test_a_learner_and_its_report_show_the_same(k):
    X, y = DIGITS.X[DIGITS.y < k], DIGITS.y[DIGITS.y < k]
    model = SoftPerceptron().partial_fit(X, y)
    shares = model.predict_proba(X)
    found = evaluate.report(y, model.predict(X), probabilities=shares)
    live, told = plot.reliability(model, X, y), plot.reliability(found)
    assert live.caption == told.caption
    assert np.array_equal(live.curve.observed, found.reliability.observed)
    assert live.event == ("1" if k == 2 else "the most probable class")


@pytest.mark.parametrize(
    ("second", "lean"),
    [(0.9, "0.400 too high on average"), (0.25, "0.250 too low on average"), (0.5, "right on av")],
)
def test_the_caption_says_whether_probabilities_are_too_high(second, lean):
    shares = np.column_stack([np.full(10, 1 - second), np.full(10, second)])
    found = evaluate.report(["a", "b"] * 5, ["a"] * 10, probabilities=shares)
    shown = plot.reliability(found)
    assert shown.caption.startswith("Probability of b on 10 rows: calibration error ")
    assert lean in shown.caption


def test_without_probabilities_there_is_no_curve():
    model = Perceptron().partial_fit(DIGITS.X, DIGITS.y)
    with pytest.raises(
        InputError, match=r"a Perceptron has no probabilities: give an evaluate.Rep"
    ):
        plot.reliability(model, DIGITS.X, DIGITS.y)
    with pytest.raises(InputError, match="this report is about no probabilities"):
        plot.reliability(evaluate.report([0, 1], [0, 1]))
    calibrated = AveragedPerceptron(calibrate=True, max_iter=3, tol=None)
    with pytest.raises(InputError, match="give X and y"):
        plot.reliability(calibrated.partial_fit(DIGITS.X, DIGITS.y))
