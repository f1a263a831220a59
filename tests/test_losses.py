"""The losses: their values, their slopes, and what they have to do with the perceptron.

Lectures: L1.11 (the perceptron is gradient descent on a hinge-type loss), L2.6 (one-hot vectors,
the multiclass perceptron loss and its gradient), L3.5 (hard and soft: perceptron and logistic),
L1.13 (Hamming distance).
"""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import Perceptron, losses
from rosenblatt.errors import InputError, ParameterError

# Differences over this step are exact enough for the tolerance below, and every kink is kept
# further away than the step.
STEP = 1e-5
CLOSE = {"rtol": 1e-5, "atol": 1e-7}

margins = st.floats(-50, 50)
any_score = st.floats(-20, 20)
whole = st.integers(-9, 9).map(float)
BINARY = {
    "perceptron": (losses.perceptron, losses.perceptron_slope, 0.0),
    "hinge": (losses.hinge, losses.hinge_slope, 1.0),
    "logistic": (losses.logistic, losses.logistic_slope, None),
}
MULTICLASS = {
    "perceptron": (losses.multiclass_perceptron, losses.multiclass_perceptron_slope),
    "cross_entropy": (losses.cross_entropy, losses.cross_entropy_slope),
}


@st.composite
def scored(draw, elements=any_score):
    """Scores of shape (n, k) and the index of the right class of each row."""
    n, k = draw(st.integers(1, 6)), draw(st.integers(2, 5))
    scores = draw(hnp.arrays(float, (n, k), elements=elements))
    return scores, draw(hnp.arrays(np.int64, n, elements=st.integers(0, k - 1)))


@st.composite
def binary_problem(draw):
    """Rows, labels in {-1, +1}, weights and a bias, all whole numbers so that sums are exact."""
    n, d = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    X = draw(hnp.arrays(float, (n, d), elements=whole))
    y = draw(hnp.arrays(float, n, elements=st.sampled_from([-1.0, 1.0])))
    return X, y, draw(hnp.arrays(float, d, elements=whole)), draw(whole)


@st.composite
def multiclass_problem(draw):
    n, d, k = draw(st.integers(1, 6)), draw(st.integers(1, 4)), draw(st.integers(2, 4))
    X = draw(hnp.arrays(float, (n, d), elements=whole))
    y = draw(hnp.arrays(np.int64, n, elements=st.integers(0, k - 1)))
    W = draw(hnp.arrays(float, (k, d), elements=whole))
    return X, y, W, draw(hnp.arrays(float, k, elements=whole))


def difference(function, point):
    """The gradient of a function with one number as its value, by central differences."""
    result = np.zeros_like(point)
    for place in np.ndindex(point.shape):
        move = np.zeros_like(point)
        move[place] = STEP
        result[place] = (function(point + move) - function(point - move)) / (2 * STEP)
    return result


def best_score_stands_alone(scores):
    """Whether every row is away from the kinks of the multiclass perceptron loss."""
    top = np.sort(scores, axis=1)
    return bool((top[:, -1] - top[:, -2] > 4 * STEP).all())


# One-hot vectors (L2.6)


@given(
    st.lists(
        st.one_of(st.text(), st.integers(), st.none(), st.tuples(st.booleans(), st.text())),
        unique=True,
        min_size=1,
    ).flatmap(lambda classes: st.tuples(st.lists(st.sampled_from(classes)), st.just(classes)))
)
def test_labels_of_any_kind_survive_the_round_trip_through_one_hot_rows(case):
    """L2.6, and labels are any hashable thing."""
    labels, classes = case
    indicator = losses.one_hot(labels, classes)
    assert indicator.shape == (len(labels), len(classes))
    assert (indicator.sum(axis=1) == 1).all()
    assert losses.from_one_hot(indicator, classes).tolist() == labels


def test_one_hot_columns_follow_the_order_of_the_classes():
    indicator = losses.one_hot(["owl", "cat"], ["owl", "dog", "cat"])
    assert indicator.tolist() == [[1, 0, 0], [0, 0, 1]]


def test_labels_read_back_have_the_type_of_the_classes():
    classes = np.array([3, 7], dtype=np.int16)
    assert losses.from_one_hot([[0, 1]], classes).dtype == np.int16
    assert losses.from_one_hot([[0, 1]], ["a", "b"]).dtype.kind == "U"
    assert losses.from_one_hot([[0, 1]], [1, "b"]).dtype == object


@pytest.mark.parametrize("classes", [["a", "a\0"], [2**63, -1], [(1, 2), (3,)], [1, "1"]])
def test_classes_that_a_plain_array_would_change_come_back_unchanged(classes):
    assert losses.from_one_hot(np.eye(2), classes).tolist() == classes


def test_the_difference_of_one_hot_vectors_is_zero_exactly_on_rows_that_are_right():
    """L2.6: counting errors with one-hot vectors."""
    classes = ["a", "b", "c"]
    predicted, truth = ["a", "b", "c", "a"], ["a", "c", "c", "b"]
    apart = losses.one_hot(predicted, classes) - losses.one_hot(truth, classes)
    assert apart.any(axis=1).tolist() == [False, True, False, True]


@pytest.mark.parametrize("kind", [list, np.array])
def test_an_unknown_label_is_named_with_its_position_and_the_classes(kind):
    with pytest.raises(InputError, match=r"labels\[2\] is 'owl'.*\['cat', 'dog'\]"):
        losses.one_hot(kind(["cat", "dog", "owl", "elk"]), kind(["cat", "dog"]))


def test_an_unknown_label_among_many_classes_gives_a_short_message():
    with pytest.raises(InputError, match="1000 in all") as caught:
        losses.one_hot([-1], range(1000))
    assert len(str(caught.value)) < 200


def test_a_class_given_twice_is_refused():
    with pytest.raises(InputError, match="'cat' more than once"):
        losses.one_hot(["cat"], ["cat", "dog", "cat"])


def test_a_row_of_labels_in_place_of_a_label_is_refused():
    for labels in [["cat", ["cat"]], ["cat", ([],)]]:
        with pytest.raises(InputError, match=r"labels\[1\] is .*, not a single label"):
            losses.one_hot(labels, ["cat"])


@pytest.mark.parametrize("row", [[0, 0, 0], [1, 1, 0], [0, 2, 0], [0.2, 0.8, 0], [1, -1, 1]])
def test_a_row_that_is_not_one_hot_is_named(row):
    with pytest.raises(InputError, match=r"indicator\[1\] is .* not one-hot"):
        losses.from_one_hot([[1, 0, 0], row], ["a", "b", "c"])


@pytest.mark.parametrize("indicator", [[[0, 1]], [1, 0, 0]])
def test_one_hot_rows_that_do_not_fit_the_classes_are_refused(indicator):
    with pytest.raises(InputError, match="3 classes"):
        losses.from_one_hot(indicator, ["a", "b", "c"])


# Two classes (L1.11, L3.5)


def test_the_zero_one_loss_of_predictions_counts_those_that_are_not_the_label():
    """L2.6: of one pair and of vectors of them, whatever the labels are."""
    assert list(losses.zero_one([1, 2], [1, 0])) == [0, 1]
    assert losses.zero_one(["a", "b", "b"], np.array(["a", "b", "c"])).tolist() == [0, 0, 1]
    assert losses.zero_one([1, "1"], ["1", "1"]).tolist() == [1, 0]
    assert losses.zero_one("spam", "ham") == 1
    assert losses.zero_one("spam", "spam") == losses.zero_one(3, 3.0) == 0
    assert losses.zero_one([], []).shape == (0,)
    learner = Perceptron(shuffle=False, max_iter=1, tol=None)
    with pytest.warns(ConvergenceWarning):
        learner.fit([[1.0], [2.0], [3.0]], ["x", "y", "x"])
    wrong = losses.zero_one(learner.predict([[1.0], [2.0], [3.0]]), ["x", "y", "x"])
    accuracy = learner.score([[1.0], [2.0], [3.0]], ["x", "y", "x"])
    assert wrong.mean() == pytest.approx(1 - accuracy) == pytest.approx(1 / 3)


@pytest.mark.parametrize("label", [1, [1], [1, 2, 3], [[1, 2]]])
def test_the_zero_one_loss_wants_one_prediction_for_each_label(label):
    with pytest.raises(InputError, match=r"prediction has shape \(2,\).*one prediction for each"):
        losses.zero_one([1, 2], label)


def test_a_margin_of_zero_is_a_mistake_for_the_zero_one_loss():
    assert losses.zero_one_of_margin([-1.0, -0.0, 0.0, 1e-300, 1.0]).tolist() == [1, 1, 1, 0, 0]


@given(margins)
def test_the_zero_one_loss_is_flat_away_from_zero_so_it_has_no_slope_to_descend(margin):
    """L2.6: the zero-one loss is not differentiable."""
    assume(abs(margin) > STEP)
    assert losses.zero_one_of_margin(margin - STEP / 2) == losses.zero_one_of_margin(
        margin + STEP / 2
    )
    assert not hasattr(losses, "zero_one_of_margin_slope")


@given(margins)
def test_the_perceptron_loss_is_the_hinge_loss_with_its_kink_at_zero(margin):
    """L1.11: a hinge-type loss."""
    assert losses.perceptron(margin) == max(0.0, -margin) == losses.hinge(margin, at=0.0)
    assert losses.perceptron_slope(margin) == losses.hinge_slope(margin, at=0.0)


@given(margins)
def test_hinge_and_scaled_logistic_lie_above_zero_one(margin):
    """L3.5: both stand in for the loss that cannot be descended."""
    assert losses.hinge(margin) >= losses.zero_one_of_margin(margin)
    # One rounding of the division is allowed for.
    assert losses.logistic(margin) / math.log(2) >= losses.zero_one_of_margin(margin) - 1e-15


def test_the_perceptron_loss_does_not_lie_above_zero_one():
    """A shallow mistake costs less than one, so the perceptron loss bounds nothing."""
    assert losses.perceptron(-0.25) == 0.25 < losses.zero_one_of_margin(-0.25)


@pytest.mark.parametrize("name", BINARY)
@given(margin=margins)
def test_slopes_agree_with_finite_differences_away_from_the_kink(name, margin):
    """L1.11, L3.5."""
    loss, slope, kink = BINARY[name]
    assume(kink is None or abs(margin - kink) > 2 * STEP)
    numeric = (loss(margin + STEP) - loss(margin - STEP)) / (2 * STEP)
    np.testing.assert_allclose(slope(margin), numeric, **CLOSE)


@given(margin=margins, at=st.floats(-5, 5))
def test_the_hinge_may_have_its_kink_anywhere(margin, at):
    assert losses.hinge(margin, at=at) == max(0.0, at - margin)
    assert losses.hinge_slope(margin, at=at) == (-1.0 if margin <= at else 0.0)


def test_slopes_at_the_kink_count_a_tie_as_a_mistake():
    """L1.11: with 0 at the kink, training from zero weights would never begin."""
    assert losses.perceptron_slope([0.0, -0.0]).tolist() == [-1, -1]
    assert losses.hinge_slope(1.0) == -1


def test_logistic_is_stable_at_margins_of_a_thousand():
    """L3.5."""
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        assert losses.logistic([-1000.0, 0.0, 1000.0]).tolist() == [1000.0, math.log(2), 0.0]
        assert losses.logistic_slope([-1000.0, 0.0, 1000.0]).tolist() == [-1.0, -0.5, 0.0]


def test_logistic_keeps_its_digits_where_it_is_tiny():
    np.testing.assert_allclose(losses.logistic(50.0), math.exp(-50), rtol=1e-13)
    np.testing.assert_allclose(losses.logistic_slope(50.0), -math.exp(-50), rtol=1e-13)


@given(margins)
def test_logistic_becomes_the_perceptron_loss_when_margins_are_scaled_up(margin):
    """L3.5: soft becomes hard."""
    assume(abs(margin) > 0.1)
    assert losses.logistic(1000 * margin) / 1000 == pytest.approx(
        losses.perceptron(margin), abs=1e-3
    )
    assert losses.logistic_slope(1000 * margin) == pytest.approx(losses.perceptron_slope(margin))


@pytest.mark.parametrize(
    "name", ["zero_one_of_margin", *BINARY, *(f"{name}_slope" for name in BINARY)]
)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
def test_the_answer_has_the_shape_of_the_margin(name, shape):
    answer = getattr(losses, name)(np.ones(shape))
    assert np.shape(answer) == shape
    assert answer.dtype == np.float64


@pytest.mark.parametrize("name", BINARY)
@given(problem=binary_problem())
def test_the_binary_gradient_agrees_with_finite_differences(name, problem):
    """L1.11, L3.5."""
    X, y, w, b = problem
    loss, _, kink = BINARY[name]
    assume(kink is None or (y * (X @ w + b) != kink).all())

    def total(parameters):
        return loss(y * (X @ parameters[:-1] + parameters[-1])).sum()

    grad_w, grad_b = losses.gradient(name, X, y, w, b)
    numeric = difference(total, np.append(w, b))
    np.testing.assert_allclose(np.append(grad_w, grad_b), numeric, rtol=1e-5, atol=1e-5)


@given(binary_problem())
def test_one_step_down_the_perceptron_loss_is_one_perceptron_update(problem):
    """L1.11: an epoch of stochastic gradient descent, from zero, against the rule by hand."""
    X, y, _, _ = problem
    w, b = np.zeros(X.shape[1]), 0.0
    by_hand_w, by_hand_b = [0.0] * X.shape[1], 0.0
    for x, label in zip(X, y, strict=True):
        grad_w, grad_b = losses.gradient("perceptron", [x], [label], w, b)
        w, b = w - grad_w, b - grad_b

        score = sum(p * q for p, q in zip(by_hand_w, x, strict=True)) + by_hand_b
        if label * score <= 0:
            by_hand_w = [p + label * q for p, q in zip(by_hand_w, x, strict=True)]
            by_hand_b += label

        assert w.tolist() == by_hand_w
        assert b == by_hand_b


def test_the_gradient_of_a_batch_is_the_sum_over_its_rows():
    X, y, w = np.array([[1.0, 2.0], [3.0, -1.0], [0.0, 4.0]]), [1, -1, -1], [0.5, -0.25]
    for name in BINARY:
        rows = [losses.gradient(name, [x], [label], w, 0.5) for x, label in zip(X, y, strict=True)]
        grad_w, grad_b = losses.gradient(name, X, y, w, 0.5)
        np.testing.assert_allclose(grad_w, sum(row[0] for row in rows))
        assert grad_b == pytest.approx(sum(row[1] for row in rows))


@pytest.mark.parametrize("label", [0, 2, math.nan])
def test_a_label_that_is_not_a_sign_is_named(label):
    with pytest.raises(InputError, match=rf"y\[1\] is {label}; a label here is -1 or \+1"):
        losses.gradient("perceptron", [[1.0], [1.0]], [1, label], [0.0])


@pytest.mark.parametrize("function", [losses.gradient, losses.multiclass_gradient])
def test_an_unknown_loss_is_refused_with_the_words_that_are_known(function):
    with pytest.raises(ParameterError, match=r"loss='squared' is not known: give 'perceptron'"):
        function("squared", [[1.0]], [1], [[0.0]])


@pytest.mark.parametrize(
    ("X", "y", "w", "message"),
    [
        ([1.0, 2.0], [1, 1], [0.0], "X has shape"),
        ([[1.0, 2.0]], [1, 1], [0.0, 0.0], "one label for each row of X"),
        ([[1.0, 2.0]], [1], [0.0], "one weight for each column of X"),
        ([["a", "b"]], [1], [0.0, 0.0], "X holds <U1; it must hold real numbers"),
        ([[1.0, 2.0]], ["yes"], [0.0, 0.0], "y holds <U3; it must hold real numbers"),
    ],
)
def test_binary_arguments_that_do_not_fit_are_named(X, y, w, message):
    with pytest.raises(InputError, match=message):
        losses.gradient("perceptron", X, y, w)


# Many classes (L2.6, L3.5)


@given(scored(whole))
def test_the_three_forms_of_the_multiclass_perceptron_loss_are_equal(case):
    """L2.6: (f - y)^T s = sum_k (f_k - y_k) s_k = s_predicted - s_right."""
    scores, y = case
    classes = range(scores.shape[1])
    predicted = scores.argmax(axis=1)
    f, truth = losses.one_hot(predicted, classes), losses.one_hot(y, classes)
    as_product = [(p - t) @ s for p, t, s in zip(f, truth, scores, strict=True)]
    as_sum = [
        sum((f[i, k] - truth[i, k]) * scores[i, k] for k in classes) for i in range(len(scores))
    ]
    as_gap = [s[p] - s[t] for s, p, t in zip(scores, predicted, y, strict=True)]
    assert losses.multiclass_perceptron(scores, y).tolist() == as_product == as_sum == as_gap


@given(scored())
def test_the_multiclass_perceptron_loss_is_zero_exactly_when_right_and_never_negative(case):
    """L2.6."""
    scores, y = case
    loss = losses.multiclass_perceptron(scores, y)
    assert (loss >= 0).all()
    right = [s[t] == max(s) for s, t in zip(scores, y, strict=True)]
    assert (loss == 0).tolist() == right


@given(scored(), st.floats(-100, 100))
def test_adding_a_constant_to_all_scores_changes_no_multiclass_loss(case, constant):
    scores, y = case
    for loss, _ in MULTICLASS.values():
        np.testing.assert_allclose(loss(scores + constant, y), loss(scores, y), atol=1e-9)


@pytest.mark.parametrize("name", MULTICLASS)
@given(case=scored())
def test_multiclass_slopes_agree_with_finite_differences_away_from_ties(name, case):
    """L2.6, L3.5."""
    scores, y = case
    assume(best_score_stands_alone(scores))
    loss, slope = MULTICLASS[name]
    numeric = difference(lambda s: loss(s, y).sum(), scores)
    np.testing.assert_allclose(slope(scores, y), numeric, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", MULTICLASS)
@given(problem=multiclass_problem())
def test_the_multiclass_gradient_agrees_with_finite_differences(name, problem):
    """L2.6, L3.5."""
    X, y, W, b = problem
    assume(best_score_stands_alone(X @ W.T + b))
    loss, _ = MULTICLASS[name]

    def total(parameters):
        return loss(X @ parameters[:, :-1].T + parameters[:, -1], y).sum()

    grad_W, grad_b = losses.multiclass_gradient(name, X, y, W, b)
    numeric = difference(total, np.column_stack([W, b]))
    np.testing.assert_allclose(np.column_stack([grad_W, grad_b]), numeric, rtol=1e-5, atol=1e-5)


def test_the_gradient_is_x_for_the_predicted_minus_x_for_the_right_and_zero_for_other_classes():
    """L2.6."""
    x, W = [2.0, -3.0], [[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]  # scores 2, 0, -3
    grad_W, grad_b = losses.multiclass_gradient("perceptron", [x], [2], W)
    assert grad_W.tolist() == [[2, -3], [0, 0], [-2, 3]]
    assert grad_b.tolist() == [1, 0, -1]
    grad_W, grad_b = losses.multiclass_gradient("perceptron", [x], [0], W)
    assert not grad_W.any()
    assert not grad_b.any()


def test_at_a_tie_only_the_right_class_is_raised():
    """L2.4."""
    slope = losses.multiclass_perceptron_slope([[5.0, 5.0, 1.0], [5.0, 5.0, 1.0]], [1, 2])
    assert slope.tolist() == [[0, -1, 0], [1, 0, -1]]


def test_three_steps_of_gradient_descent_replay_the_worked_example_of_the_lecture():
    """L2.5, L2.6: learning rate 0.01, no bias; the lecture counts classes from 1."""
    W = np.zeros((2, 2))
    after = [
        [[0.0, 0.02], [0.0, 0.0]],
        [[0.02, 0.01], [-0.02, 0.01]],
        [[0.02, 0.01], [-0.02, 0.01]],
    ]
    examples = [([0.0, 2.0], 0), ([-2.0, 1.0], 1), ([3.0, 0.0], 0)]
    for (x, y), expected in zip(examples, after, strict=True):
        W = W - 0.01 * losses.multiclass_gradient("perceptron", [x], [y], W)[0]
        np.testing.assert_allclose(W, expected, atol=1e-15)


@given(multiclass_problem())
def test_one_step_down_the_multiclass_perceptron_loss_is_one_multiclass_update(problem):
    """L2.4, L2.6: an epoch of stochastic gradient descent, from zero, against the rule by hand."""
    X, y, W, b = problem
    W, b = np.zeros_like(W), np.zeros_like(b)
    by_hand, biases = W.tolist(), b.tolist()
    for x, right in zip(X, y, strict=True):
        grad_W, grad_b = losses.multiclass_gradient("perceptron", [x], [right], W, b)
        W, b = W - grad_W, b - grad_b

        scores = [
            sum(p * q for p, q in zip(row, x, strict=True)) + bias
            for row, bias in zip(by_hand, biases, strict=True)
        ]
        predicted = scores.index(max(scores))
        tie = scores[right] == max(scores) and scores.count(max(scores)) > 1
        changes = []
        if tie:
            changes = [(right, 1)]
        elif predicted != right:
            changes = [(right, 1), (predicted, -1)]
        for k, sign in changes:
            by_hand[k] = [p + sign * q for p, q in zip(by_hand[k], x, strict=True)]
            biases[k] += sign

        assert W.tolist() == by_hand
        assert b.tolist() == biases


@given(margins)
def test_with_two_classes_only_the_difference_of_the_scores_matters(margin):
    """L2.7, L3.5: the multiclass losses are the binary ones at the margin s_right - s_other."""
    scores = [margin, 0.0]
    assert losses.multiclass_perceptron(scores, 0) == losses.perceptron(margin)
    np.testing.assert_allclose(losses.cross_entropy(scores, 0), losses.logistic(margin), rtol=1e-14)
    for multiclass, binary in [
        (losses.multiclass_perceptron_slope, losses.perceptron_slope),
        (losses.cross_entropy_slope, losses.logistic_slope),
    ]:
        np.testing.assert_allclose(multiclass(scores, 0)[0], binary(margin), rtol=1e-12)


@given(scored())
def test_cross_entropy_becomes_the_perceptron_loss_when_scores_are_scaled_up(case):
    """L3.5: soft becomes hard."""
    scores, y = case
    assume((np.diff(np.sort(scores, axis=1), axis=1)[:, -1] > 0.1).all())
    hard, soft = losses.multiclass_perceptron, losses.cross_entropy
    np.testing.assert_allclose(soft(1000 * scores, y) / 1000, hard(scores, y), atol=1e-2)
    np.testing.assert_allclose(
        losses.cross_entropy_slope(1000 * scores, y),
        losses.multiclass_perceptron_slope(scores, y),
        atol=1e-9,
    )


def test_cross_entropy_is_stable_at_scores_of_a_thousand():
    """L3.5."""
    scores, y = [[1000.0, -1000.0, 0.0]] * 3, [0, 1, 2]
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        assert losses.cross_entropy(scores, y).tolist() == [0, 2000, 1000]
        slope = losses.cross_entropy_slope(scores, y)
    assert slope.tolist() == [[0, 0, 0], [1, -1, 0], [1, 0, -1]]


def test_cross_entropy_keeps_its_digits_where_it_is_tiny():
    scores, tiny = [0.0, 50.0, 0.0], 2 * math.exp(-50)
    np.testing.assert_allclose(losses.cross_entropy(scores, 1), tiny, rtol=1e-13)
    np.testing.assert_allclose(losses.cross_entropy_slope(scores, 1)[1], -tiny, rtol=1e-13)


@given(scored())
def test_every_cross_entropy_slope_sums_to_zero(case):
    """What the other classes gain in probability the right one lacks."""
    np.testing.assert_allclose(losses.cross_entropy_slope(*case).sum(axis=1), 0.0, atol=1e-12)


@pytest.mark.parametrize("name", MULTICLASS)
def test_a_single_example_is_treated_as_one_row(name):
    scores, y = np.array([[1.0, 3.0, 2.0], [4.0, 1.0, 4.5]]), [0, 2]
    for function in MULTICLASS[name]:
        single = [function(row, right) for row, right in zip(scores, y, strict=True)]
        np.testing.assert_array_equal(function(scores, y), single)


@pytest.mark.parametrize("name", MULTICLASS)
def test_no_rows_give_no_losses_and_a_zero_gradient(name):
    loss, slope = MULTICLASS[name]
    assert loss(np.zeros((0, 3)), []).shape == (0,)
    assert slope(np.zeros((0, 3)), []).shape == (0, 3)
    grad_W, grad_b = losses.multiclass_gradient(name, np.zeros((0, 2)), [], np.ones((3, 2)))
    assert grad_W.tolist() == [[0, 0]] * 3
    assert grad_b.tolist() == [0] * 3


@pytest.mark.parametrize(
    ("scores", "y", "message"),
    [
        ([[1.0, 2.0]] * 2, [0, 2], r"y\[1\] is 2; with 2 classes .* from 0 to 1"),
        ([[1.0, 2.0]] * 2, [-1, 0], r"y\[0\] is -1"),
        ([1.0, 2.0], 2, "y is 2; with 2 classes"),
        ([[1.0, 2.0]], ["cat"], r"not integers.*one_hot"),
        ([[1.0, 2.0]], [0.0], "not integers"),
        ([[1.0, 2.0]], [0, 1], "one class index for each row"),
        (3.0, 0, "scores has shape"),
        ([["a", "b"]], [0], "scores holds <U1; it must hold real numbers"),
    ],
)
def test_scores_and_classes_that_do_not_fit_are_named(scores, y, message):
    for loss, slope in MULTICLASS.values():
        with pytest.raises(InputError, match=message):
            loss(scores, y)
        with pytest.raises(InputError, match=message):
            slope(scores, y)


@pytest.mark.parametrize(
    ("W", "b", "message"),
    [
        ([[1.0]], 0.0, "W has shape .* one column for each column of X"),
        ([1.0, 2.0], 0.0, "W has shape .* two dimensions"),
        ([[1.0, 2.0]], [0.0, 0.0], "one bias for each row of W"),
    ],
)
def test_multiclass_weights_that_do_not_fit_are_named(W, b, message):
    with pytest.raises(InputError, match=message):
        losses.multiclass_gradient("perceptron", [[1.0, 2.0]], [0], W, b)


def test_every_public_name_is_a_function_with_a_runnable_example():
    for name in losses.__all__:
        assert ">>>" in getattr(losses, name).__doc__


# Hamming distance (L1.13)


@given(
    st.lists(
        st.tuples(
            st.one_of(st.integers(-2, 2), st.sampled_from("ab"), st.none(), st.booleans()),
            st.one_of(st.integers(-2, 2), st.sampled_from("ab"), st.none(), st.booleans()),
        )
    )
)
def test_the_hamming_distance_counts_the_positions_that_differ(pairs):
    """L1.13: the lecture prints x_d = x'_d; a distance counts where they differ."""
    a, b = [p for p, _ in pairs], [q for _, q in pairs]
    assert losses.hamming(a, b) == sum(p != q for p, q in pairs)
    assert losses.hamming(a, a) == 0
    assert losses.hamming(a, b) == losses.hamming(b, a)


def test_a_label_is_not_its_text():
    assert losses.hamming([1, "1"], ["1", "1"]) == 1
    assert losses.hamming(np.array([1, 2]), np.array(["1", "2"])) == 2


def test_rows_are_compared_along_the_last_axis_and_one_row_with_many():
    """L1.13: a row of categories against a table of them."""
    table = np.array([["red", "round"], ["red", "long"], ["blue", "long"]])
    assert losses.hamming(table, table[::-1]).tolist() == [2, 0, 2]
    assert losses.hamming(table, ["red", "round"]).tolist() == [0, 1, 2]
    assert losses.hamming(table[:, None], table).shape == (3, 3)
    assert losses.hamming(np.zeros((4, 0)), []).tolist() == [0, 0, 0, 0]


def test_the_hamming_distance_of_one_hot_rows_is_twice_that_of_their_labels():
    """L1.13, L2.6: a differing label is a one lost and a one gained."""
    a, b, classes = list("abca"), list("abbc"), list("abc")
    rows = losses.hamming(losses.one_hot(a, classes), losses.one_hot(b, classes))
    assert rows.sum() == 2 * losses.hamming(a, b) == 4


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([1, 2], [1, 2, 3], "a has 2 positions and b has 3"),
        ([1], [1, 2], "a has 1 positions and b has 2"),
        ("abc", "abcd", "a has 3 positions"),
        ([[1, 2], [1]], [1, 2], "the rows of a are not equally long"),
        ([1, 2], 3, "b is 3, a single value"),
        (np.zeros((2, 3)), np.zeros((4, 3)), "do not go together"),
    ],
)
def test_sequences_that_cannot_be_compared_are_named(a, b, message):
    with pytest.raises(InputError, match=message):
        losses.hamming(a, b)
