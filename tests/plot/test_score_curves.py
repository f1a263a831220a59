"""The curves drawn are those of the report; of many classes those that are distinguished worst."""

import numpy as np
import pytest

from rosenblatt import Perceptron, datasets, evaluate, plot
from rosenblatt.errors import InputError

DIGITS = datasets.digits()


@pytest.mark.parametrize("k", [2, 4, 10])
def test_a_learner_and_its_report_show_the_same(k):
    X, y = DIGITS.X[DIGITS.y < k], DIGITS.y[DIGITS.y < k]
    model = Perceptron().partial_fit(X, y)
    found = evaluate.report(y, model.predict(X), scores=model.decision_function(X))
    live, told = plot.score_curves(model, X, y), plot.score_curves(found)
    assert live.caption == told.caption
    assert [curve.label for curve in told.curves] == sorted(curve.label for curve in told.curves)
    areas = sorted(curve.pr_area for curve in found.curves)
    assert sorted(curve.pr_area for curve in told.curves) == areas[:5]
    assert np.array_equal(live.curves[0].recall, told.curves[0].recall)


def test_the_caption_names_the_class_and_both_areas():
    found = evaluate.report([*"aabb"], [*"aabb"], scores=[1.0, 3.0, 2.0, 4.0])
    assert plot.score_curves(found).caption == (
        "What every threshold comes to for class b, 2 of 4 rows. Areas under the ROC and the "
        "precision-recall curve: 0.750 and 0.833."
    )


def test_predictions_alone_have_no_curve():
    for y in ([0, 1], [1, 1]):
        with pytest.raises(InputError, match="a curve needs scores, and rows of two classes"):
            plot.score_curves(evaluate.report(y, [0, 1], [0, 1], scores=None))
