"""Metrics are those of scikit-learn, of every kind of labels, scores and probabilities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as theirs
from sklearn.calibration import calibration_curve

from rosenblatt import AveragedPerceptron, SoftPerceptron, datasets
from rosenblatt.errors import InputError
from rosenblatt.evaluate import report
from rosenblatt.inspection.metrics import MAX_RANKED, leads, outputs

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

NAMES = np.array(["ant", "bee", "cat", "dog"])


@st.composite
def predictions(draw, k, n_most=40):
    """Labels of every class, predictions, and scores of which some are equal."""
    n = draw(st.integers(k, n_most))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = random.permutation(np.concatenate([np.arange(k), random.integers(0, k, n - k)]))
    scores = random.integers(-6, 7, n if k == 2 else (n, k)) / 2
    return NAMES[y], NAMES[random.integers(0, k, n)], scores


def exactly(value):
    return pytest.approx(value, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4).flatmap(predictions))
def test_means_over_the_classes(given_rows):
    y, predicted, _ = given_rows
    found = report(y, predicted, classes=NAMES)
    precision, recall, f1, _ = theirs.precision_recall_fscore_support(
        y, predicted, average="macro", zero_division=0
    )
    assert found.macro == {
        "precision": exactly(precision),
        "recall": exactly(recall),
        "f1": exactly(f1),
    }
    assert found.balanced_accuracy == exactly(theirs.balanced_accuracy_score(y, predicted))


@settings(max_examples=60, deadline=None)
@given(predictions(2))
def test_areas_of_two_classes(given_rows):
    y, predicted, scores = given_rows
    found = report(y, predicted, scores=scores)
    assert found.roc_area == exactly(theirs.roc_auc_score(y, scores))
    assert found.pr_area == exactly(theirs.average_precision_score(y == "bee", scores))
    assert report(y, predicted, scores=np.column_stack([-scores, scores])).roc_area == exactly(
        found.roc_area
    )


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 4).flatmap(predictions))
def test_areas_of_several_classes_are_means_of_each_against_the_rest(given_rows):
    y, predicted, scores = given_rows
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    each = y[:, None] == NAMES[: scores.shape[1]]
    for given_scores, ranked in (
        ({"probabilities": shares, "scores": scores}, shares),
        ({"scores": scores}, leads(scores)),
    ):
        found = report(y, predicted, classes=NAMES[: scores.shape[1]], **given_scores)
        assert found.roc_area == exactly(theirs.roc_auc_score(each, ranked, average="macro"))
        area = theirs.average_precision_score(each, ranked, average="macro")
        assert found.pr_area == exactly(area)
    usual = theirs.roc_auc_score(y, shares, multi_class="ovr", labels=NAMES[: scores.shape[1]])
    assert report(y, predicted, probabilities=shares).roc_area == exactly(usual)


def test_a_lead_is_the_distance_to_the_best_other():
    assert leads(np.array([[3.0, 1.0, 2.0], [4.0, 4.0, 0.0]])).tolist() == [
        [1.0, -2.0, -1.0],
        [0.0, 0.0, -4.0],
    ]


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4).flatmap(predictions))
def test_log_loss_and_reliability(given_rows):
    y, predicted, scores = given_rows
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    k = scores.shape[1]
    shares = np.exp(20 * scores) / np.exp(20 * scores).sum(axis=1, keepdims=True)
    found = report(y, predicted, classes=NAMES[:k], probabilities=shares)
    assert found.log_loss == exactly(theirs.log_loss(y, shares, labels=NAMES[:k]))
    best = NAMES[shares.argmax(axis=1)]
    event = (y == "bee", shares[:, 1]) if k == 2 else (y == best, shares.max(axis=1))
    observed, mean = calibration_curve(*event, n_bins=10)
    assert found.reliability.observed == exactly(observed)
    assert found.reliability.predicted == exactly(mean)
    assert found.reliability.counts.sum() == len(y)
    assert 0 <= found.reliability.error <= 1


def test_one_class_has_no_area_and_classes_that_do_not_occur_do_not_count():
    found = report(["a", "a"], ["a", "b"], classes=["a", "b"], scores=[1.0, 2.0])
    assert (found.roc_area, found.pr_area, found.log_loss) == (None, None, None)
    assert found.balanced_accuracy == 0.5
    three = report([0, 1, 0], [0, 1, 0], classes=[0, 1, 2], scores=np.eye(3)[[0, 1, 0]])
    assert (three.roc_area, three.macro["f1"]) == (1.0, 1.0)


def test_the_report_says_what_it_knows_and_nothing_else():
    y, scores = ["a", "b", "b", "a"], [-1.0, 2.0, 1.0, 0.5]
    shares = np.array([[0.9, 0.1], [0.1, 0.9], [0.3, 0.7], [0.4, 0.6]])
    plain, ranked = report(y, y), report(y, y, scores=scores)
    full = report(y, y, scores=scores, probabilities=shares)
    assert "ROC area" not in str(plain)
    assert "ROC area  1.0000, precision-recall area 1.0000" in ranked.lines()
    assert "log loss" not in str(ranked)
    assert "log loss  0.3709, calibration error 0.2750" in full.lines()
    assert max(map(len, full.lines())) <= 80
    facts = full.to_json()
    assert facts["reliability"]["counts"] == [1, 1, 1, 1]
    assert facts["calibration_error"] == exactly(full.reliability.error)
    assert plain.to_json()["reliability"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scores": [1.0]}, r"scores has shape \(1,\); give finite numbers of shape \(2, 2\) or"),
        ({"scores": [1.0, np.nan]}, r"scores has shape \(2,\); give finite"),
        ({"probabilities": [0.5, 0.5]}, r"probabilities has shape \(2,\); .* shape \(2, 2\)\."),
    ],
)
def test_numbers_of_another_shape_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        report([0, 1], [0, 1], **arguments)


def test_outputs_are_what_the_learner_says_at_one_cost():
    X, y = datasets.digits()
    for learner in (AveragedPerceptron(max_iter=3), SoftPerceptron(max_iter=3)):
        for k in (2, 10):
            rows = X[y < k]
            fitted = learner.fit(rows, y[y < k])
            labels, scores, shares = outputs(fitted, rows)
            np.testing.assert_array_equal(labels, fitted.predict(rows))
            np.testing.assert_array_equal(scores, fitted.decision_function(rows))
            if hasattr(fitted, "predict_proba"):
                np.testing.assert_array_equal(shares, fitted.predict_proba(rows))
            else:
                assert shares is None


def test_a_threshold_is_of_the_probability_or_else_of_the_score():
    X, y = datasets.digits()
    X, y = X[y < 2], y[y < 2]
    plain, soft = AveragedPerceptron().fit(X, y), SoftPerceptron(max_iter=2).fit(X, y)
    labels, scores, _ = outputs(plain, X, 3.0)
    np.testing.assert_array_equal(labels, (scores > 3.0).astype(int))
    labels, _, shares = outputs(soft, X, 0.9)
    np.testing.assert_array_equal(labels, (shares[:, 1] > 0.9).astype(int))


def test_of_very_many_classes_there_are_predictions_alone():
    k = MAX_RANKED + 1
    many = AveragedPerceptron().fit(np.eye(k), np.arange(k))
    labels, scores, shares = outputs(many, np.eye(k))
    assert (scores, shares) == (None, None)
    np.testing.assert_array_equal(labels, many.predict(np.eye(k)))
