"""Curves are those of scikit-learn; a threshold that is shown gives what is shown beside it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as theirs

from rosenblatt.evaluate import ScoreCurve, report


@st.composite
def ranked_rows(draw):
    """Rows of a class or not, at least one of each, and scores of which some are equal."""
    n = draw(st.integers(2, 60))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    positive = random.permutation(np.r_[True, False, random.random(n - 2) < 0.4])
    coarse = draw(st.sampled_from([1, 4, 1000]))
    return positive, np.round(random.normal(size=n) + positive, 3) * coarse // 1


@settings(max_examples=100, deadline=None)
@given(ranked_rows())
def test_curves_are_those_of_scikit_learn(rows):
    positive, scores = rows
    curve = ScoreCurve.of("yes", positive, scores)
    rates, recall, thresholds = theirs.roc_curve(positive, scores, drop_intermediate=False)
    np.testing.assert_allclose(curve.false_positive_rate, rates[1:])
    np.testing.assert_allclose(curve.recall, recall[1:])
    np.testing.assert_array_equal(curve.scores, thresholds[1:])
    precision, recall, _ = theirs.precision_recall_curve(positive, scores)
    np.testing.assert_allclose(curve.precision[::-1], precision[:-1])
    np.testing.assert_allclose(curve.recall[::-1], recall[:-1])


@settings(max_examples=100, deadline=None)
@given(ranked_rows())
def test_what_is_shown_of_a_threshold_is_what_it_gives(rows):
    positive, scores = rows
    curve = ScoreCurve.of("yes", positive, scores)
    for threshold in [*curve.thresholds(), scores.min() - 1, scores.max(), float(scores[0])]:
        shown, predicted = curve.at(threshold), scores > threshold
        precision, recall, f1, _ = theirs.precision_recall_fscore_support(
            positive, predicted, average="binary", zero_division=0
        )
        assert shown["rows"] == predicted.sum()
        np.testing.assert_allclose(
            [shown["precision"], shown["recall"], shown["f1"]], [precision, recall, f1]
        )
    best = max(curve.at(threshold)["f1"] for threshold in curve.thresholds())
    np.testing.assert_allclose(best, curve.f1.max())


@settings(max_examples=100, deadline=None)
@given(ranked_rows())
def test_a_thinned_curve_keeps_the_corners_and_the_ends(rows):
    positive, scores = rows
    curve = ScoreCurve.of("yes", positive, scores)
    thinned = curve.thinned()
    for few in (curve, thinned):
        corners = np.r_[0, few.recall], np.r_[0, few.false_positive_rate]
        np.testing.assert_allclose(np.trapezoid(*corners), curve.roc_area)
    rises, runs = np.diff(thinned.recall) > 0, np.diff(thinned.false_positive_rate) > 0
    assert not (rises[1:] & rises[:-1] & ~runs[1:] & ~runs[:-1]).any()
    assert len(curve.thinned(3).scores) <= 3
    assert curve.thinned(3).taken[-1] == len(scores)
    assert (thinned.roc_area, thinned.pr_area) == (curve.roc_area, curve.pr_area)


def test_equal_neighbours_still_have_a_threshold_between_them():
    low = 0.1
    high = np.nextafter(low, 1)
    curve = ScoreCurve.of(1, np.array([True, False]), np.array([high, low]))
    assert [curve.at(t)["rows"] for t in curve.thresholds()] == [1]


def test_thresholds_of_a_calibrated_model_are_probabilities():
    shares = np.array([[0.9, 0.1], [0.3, 0.7], [0.2, 0.8]])
    found = report([*"aab"], [*"abb"], scores=[-9.0, 1.0, 2.0], probabilities=shares)
    assert found.curves[0].scores.tolist() == [0.8, 0.7, 0.1]
    assert "threshold" in found.curve_lines()[0]
    assert found.curve_lines()[1].split()[0] == "0.75"
