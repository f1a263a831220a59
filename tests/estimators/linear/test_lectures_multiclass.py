"""What the lectures say about several classes, line by line (LECTURES ids in the docstrings)."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import lectures
from strategies import integers, tables

from rosenblatt import Perceptron

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize(
    "names",
    [
        ["cat", "dog", "emu"],
        [-7, 0, 12],
        [0.0, 1.0, 2.0],
        [b"x", b"y", b"z"],
        [("a", 1), ("a", 2), ("b", 0)],
        [-128, 5, 127],
    ],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_labels_of_any_kind_become_classes(names, n_classes):
    """L2.2: labels are mapped to numbers inside; answers are labels again."""
    X, y = integers(1, n=30, n_classes=n_classes)
    named = np.empty(len(y), dtype=object)
    named[:] = [names[i] for i in y]
    learner = Perceptron(max_iter=3).fit(X, named)
    plain = Perceptron(max_iter=3).fit(X, y)
    assert list(learner.classes_) == names[:n_classes]
    np.testing.assert_array_equal(learner.coef_, plain.coef_)
    assert list(learner.predict(X)) == [names[i] for i in plain.predict(X)]
    assert learner.coef_.size + learner.intercept_.size == (1 if n_classes == 2 else 3) * 5


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", "bool", "U3", "S3"])
def test_labels_of_any_array_type_become_classes(dtype):
    """L2.2: the smallest and the largest value of a type are labels like any other."""
    X, y = integers(1, n=30)
    low, high = 0, 1
    if np.dtype(dtype).kind in "iu":
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    named = np.where(y == 1, np.array([high]).astype(dtype), np.array([low]).astype(dtype))
    learner = Perceptron(max_iter=3).fit(X, named)
    assert learner.classes_.tolist() == np.unique(named).tolist()
    assert learner.classes_.dtype.kind in (named.dtype.kind, "i")
    assert set(learner.predict(X).tolist()) <= set(named.tolist())
    np.testing.assert_array_equal(learner.coef_, Perceptron(max_iter=3).fit(X, y).coef_)


@given(tables(4), st.sampled_from([1.0, 0.5]))
def test_a_mistake_moves_the_right_and_the_answered_class_and_no_other(table, eta0):
    """L2.3: w_y += eta x, w_answer -= eta x, b likewise; L2.4: at a tie only w_y is raised."""
    X, y = table
    options = {"shuffle": False, "record": True, "max_iter": 3, "tol": None}
    learner = Perceptron(eta0=eta0, **options).fit(X, y)
    states = list(learner.ledger_.trace(X))
    for (before, after), update in zip(pairwise(states), learner.ledger_, strict=True):
        x = np.append(X[update.row], 1.0)
        old, new = np.column_stack(before), np.column_stack(after)
        scores = old @ x
        expected = np.zeros_like(old)
        expected[update.y_true] += eta0 * x
        best_wrong = np.delete(scores, update.y_true).max()
        if scores[update.y_true] == best_wrong:
            assert update.y_pred is None
        else:
            assert scores[update.y_pred] == best_wrong > scores[update.y_true]
            expected[update.y_pred] -= eta0 * x
        np.testing.assert_array_equal(new - old, expected)


@pytest.mark.parametrize("X", [lectures.L2_5_X, lectures.L2_5_X_FIGURE])
def test_L2_5_step_by_step(X):
    """L2.5 as printed: eta = 0.01, no bias; the first row is a tie (L2.4)."""
    learner = Perceptron(eta0=0.01, fit_intercept=False, binary_as_multiclass=True)
    for i, (x, label) in enumerate(zip(X, lectures.L2_5_Y + 1, strict=True)):
        learner.learn_one(x, label, classes=[1, 2])
        np.testing.assert_allclose(learner.coef_, lectures.L2_5_WEIGHTS[i], rtol=1e-12)
    assert learner.n_mistakes_ == 2


def test_L2_5_with_a_third_class_that_never_occurs_first():
    """L2.5: the estimator goes the same way once there are three classes."""
    X, y = np.vstack([lectures.L2_5_X, [[-3, -3]]]), [1, 2, 1, 3]
    learner = Perceptron(
        eta0=lectures.L2_5_ETA,
        max_iter=1,
        tol=None,
        fit_intercept=False,
        shuffle=False,
        record=True,
    ).fit(X, y)
    assert [(u.row, u.y_true, u.y_pred) for u in learner.ledger_][:2] == [(0, 1, None), (1, 2, 1)]
    matrix, _ = learner.ledger_.replay(X, upto=2)
    np.testing.assert_allclose(matrix[:2], lectures.L2_5_WEIGHTS[1], rtol=1e-12, atol=0)


@given(tables(2), st.booleans())
def test_two_class_argmax_is_the_binary_perceptron(table, fit_intercept):
    """L2.7: only w = w_1 - w_0 is needed.

    With ties="positive" both call the same rows mistakes, and a mistake moves w_1 - w_0 by twice
    the step. With ties="mistake" they part: at a tie the argmax rule raises the right class alone
    (L2.4), so that w_1 - w_0 moves by one step instead of two.
    """
    X, y = table
    one, two = (
        Perceptron(
            binary_as_multiclass=each,
            ties="positive",
            fit_intercept=fit_intercept,
            max_iter=5,
            tol=None,
        ).fit(X, y)
        for each in (False, True)
    )
    assert one.mistakes_per_epoch_ == two.mistakes_per_epoch_
    assert one.stop_reason_ == two.stop_reason_
    np.testing.assert_array_equal(one.mistakes_per_row_, two.mistakes_per_row_)
    np.testing.assert_array_equal(two.coef_[1] - two.coef_[0], 2 * one.coef_[0])
    np.testing.assert_array_equal(two.intercept_[1] - two.intercept_[0], 2 * one.intercept_[0])
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


def test_two_class_argmax_and_the_binary_perceptron_part_at_a_tie_that_is_a_mistake():
    """L2.7, L2.4: the first row is a tie and raises w_1 by x, not w_1 - w_0 by 2 x."""
    two = Perceptron(fit_intercept=False, binary_as_multiclass=True)
    assert two.learn_one([3.0], 1, classes=[0, 1]).coef_.tolist() == [[0.0], [3.0]]
