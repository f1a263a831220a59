"""The oracles themselves: they must reproduce the lectures' worked examples."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import averaged, binary, largest_margin, lectures, multiclass, steps, voted
from reference.awkward_problems import problem

small = st.integers(-4, 4)


@st.composite
def tables(draw, labels):
    """A small table of integers, so that every sum is exact, with labels."""
    n, d = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    rows = draw(st.lists(st.lists(small, min_size=d, max_size=d), min_size=n, max_size=n))
    y = draw(st.lists(st.sampled_from(labels), min_size=n, max_size=n))
    return np.array(rows, dtype=float), np.array(y)


def test_L1_7_step_by_step():
    run = binary.train(
        lectures.L1_7_X,
        lectures.L1_7_Y,
        steps.perceptron,
        epochs=1,
        fit_intercept=False,
        ties="positive",
    )
    assert [u.t for u in run.updates] == lectures.L1_7_MISTAKES
    assert [u.row + 1 for u in run.updates] == lectures.L1_7_MISTAKES
    assert (run.mistakes, run.seen, run.b) == ([3], 6, 0)
    after = np.array([run.snapshots[u.t - 1][0] for u in run.updates])
    np.testing.assert_array_equal(after, lectures.L1_7_WEIGHTS)
    before = [run.start, *run.snapshots[:-1]]
    scores = [w @ x for (w, _), x in zip(before, lectures.L1_7_X, strict=True)]
    np.testing.assert_array_equal(np.where(np.array(scores) >= 0, 1, -1), lectures.L1_7_PREDICTIONS)


def test_L1_7_last_weights_are_clean():
    run = binary.train(
        lectures.L1_7_X,
        lectures.L1_7_Y,
        steps.perceptron,
        epochs=9,
        fit_intercept=False,
        ties="positive",
    )
    assert run.mistakes == [3, 0]
    assert run.converged


@pytest.mark.parametrize("X", [lectures.L2_5_X, lectures.L2_5_X_FIGURE])
def test_L2_5_step_by_step(X):
    run = multiclass.train(
        X,
        lectures.L2_5_Y,
        partial(steps.perceptron, eta=lectures.L2_5_ETA),
        n_classes=2,
        epochs=1,
        fit_intercept=False,
        ties="mistake",
        raise_only_on_tie=True,
    )
    assert [u.rival for u in run.updates] == lectures.L2_5_RIVALS
    np.testing.assert_allclose([W for W, _ in run.snapshots], lectures.L2_5_WEIGHTS, rtol=1e-12)
    assert run.mistakes == [2]


def count_updates(w0, X, y):
    run = binary.train(
        X, y, steps.perceptron, epochs=500, fit_intercept=False, ties="mistake", w0=w0
    )
    assert run.converged
    return len(run.updates)


def test_L5_5_worked_example():
    w, X, y = lectures.L5_5_W0, lectures.L5_5_X, lectures.L5_5_Y
    assert y[0] * (w @ X[0]) == lectures.L5_5_MARGIN
    assert X[0] @ X[0] == lectures.L5_5_SQNORM
    assert lectures.updates_for_one_example(w, X[0], y[0]) == lectures.L5_5_UPDATES
    assert count_updates(w, X, y) == lectures.L5_5_UPDATES


@given(st.tuples(small, small), st.tuples(small, small).filter(any), st.sampled_from([-1, 1]))
def test_L5_5_formula(w, x, y):
    w, x = np.array(w, dtype=float), np.array(x, dtype=float)
    expected = lectures.updates_for_one_example(w, x, y)
    assert count_updates(w, x[None], np.array([y])) == expected


@given(tables([-1, 1]))
def test_L5_3_agrees_with_the_binary_loop(table):
    X, y = table
    run = binary.train(X, y, steps.perceptron, epochs=20, fit_intercept=False, ties="mistake")
    np.testing.assert_array_equal(run.w, lectures.perceptron_train(X, y))


@given(tables([-1, 1]), st.sampled_from(["mistake", "positive"]))
def test_L1_3_an_intercept_is_a_constant_feature(table, ties):
    X, y = table
    X1 = np.column_stack([X, np.ones(len(X))])
    a = binary.train(X, y, steps.perceptron, epochs=5, fit_intercept=True, ties=ties)
    b = binary.train(X1, y, steps.perceptron, epochs=5, fit_intercept=False, ties=ties)
    assert a.updates == b.updates
    assert a.mistakes == b.mistakes
    np.testing.assert_array_equal([*a.w, a.b], b.w)


@given(tables([-1, 1]), st.booleans())
def test_average_is_weighted_by_survival_binary(table, fit_intercept):
    X, y = table
    w0 = np.ones(X.shape[1])
    run = binary.train(
        X, y, steps.pa, epochs=3, fit_intercept=fit_intercept, ties="mistake", w0=w0, b0=2.0
    )
    voters = voted.voters_binary(run)
    assert sum(c for _, _, c in voters) == run.seen
    w, b = averaged.average_binary(run.snapshots)
    np.testing.assert_allclose(sum(c * w for w, _, c in voters) / run.seen, w, atol=1e-12)
    assert sum(c * b for _, b, c in voters) / run.seen == pytest.approx(b, abs=1e-12)


@given(tables([0, 1, 2]), st.booleans())
def test_average_is_weighted_by_survival_multiclass(table, is_soft):
    X, y = table
    common = {"n_classes": 3, "epochs": 3, "fit_intercept": True}
    if is_soft:
        run = multiclass.train_soft(X, y, eta=0.5, **common)
    else:
        run = multiclass.train(
            X, y, steps.perceptron, ties="mistake", raise_only_on_tie=True, **common
        )
    voters = voted.voters_multiclass(run)
    assert sum(c for _, _, c in voters) == run.seen
    W, b = averaged.average_multiclass(run.snapshots)
    np.testing.assert_allclose(sum(c * W for W, _, c in voters) / run.seen, W, atol=1e-12)
    np.testing.assert_allclose(sum(c * b for _, b, c in voters) / run.seen, b, atol=1e-12)


@given(tables([-1, 1]))
def test_L4_3_lecture_average_is_the_mean_up_to_a_factor(table):
    X, y = table
    run = binary.train(
        X, y, steps.perceptron, epochs=3, fit_intercept=True, ties="mistake", stop=False
    )
    w, b = averaged.average_binary(run.snapshots)
    lecture_w, lecture_b = lectures.averaged_train(X, y, max_iter=3)
    factor = run.seen / (run.seen + 1)
    np.testing.assert_allclose(lecture_w, factor * w, atol=1e-12)
    assert lecture_b == pytest.approx(factor * b, abs=1e-12)


def test_L4_2_votes_by_hand():
    # x=1 (+) is a tie and makes w=1, which lives for 2 examples; x=3 (-) makes w=-2, 1 example.
    X, y = np.array([[1.0], [2.0], [3.0]]), np.array([1, 1, -1])
    run = binary.train(X, y, steps.perceptron, epochs=1, fit_intercept=False, ties="mistake")
    voters = [(w[0], c) for w, _, c in voted.voters_binary(run)]
    assert voters == [(0, 0), (1, 2), (-2, 1)]
    assert voted.votes_binary(run, np.array([[5.0], [0.0]])).tolist() == [2 - 1, 0]
    assert voted.predict_binary(run, np.array([[5.0], [-5.0], [0.0]])).tolist() == [1, -1, 0]


def test_the_starting_vector_votes_as_long_as_it_survives():
    X, y = np.array([[1.0], [1.0], [-1.0]]), np.array([1, 1, 1])
    run = binary.train(
        X, y, steps.perceptron, epochs=1, fit_intercept=False, ties="mistake", w0=np.array([2.0])
    )
    assert voted.survivals(run) == [2, 1]
    assert voted.votes_binary(run, np.array([[1.0]])).tolist() == [3]


def test_multiclass_votes_go_to_the_lowest_class_among_equals():
    X, y = np.array([[1.0], [-1.0]]), np.array([1, 2])
    run = multiclass.train(
        X,
        y,
        steps.perceptron,
        n_classes=3,
        epochs=1,
        fit_intercept=False,
        ties="positive",
        raise_only_on_tie=False,
    )
    # The first row is lost to class 2; afterwards class 2 wins the second row outright.
    assert [(u.y, u.rival) for u in run.updates] == [(1, 2)]
    assert voted.votes_multiclass(run, np.array([[0.0], [1.0]])).tolist() == [[2, 0, 0], [0, 2, 0]]
    assert voted.predict_multiclass(run, np.array([[0.0], [1.0]])).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("scores", "y", "ties", "expected"),
    [
        ([0, 0, 0], 1, "mistake", (0, 0, True)),
        ([0, 0, 0], 1, "positive", (2, 0, True)),
        ([0, 0, 0], 2, "positive", (0, 0, False)),
        ([0, 0, -1], 1, "positive", (0, 0, False)),
        ([2, 1, 2], 1, "mistake", (0, -1, True)),
        ([2, 1, 2], 1, "positive", (0, -1, True)),
        ([1, 3, 1], 1, "mistake", (0, 2, False)),
    ],
)
def test_judge(scores, y, ties, expected):
    assert multiclass.judge(np.array(scores, dtype=float), y, ties) == expected


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (partial(steps.perceptron, eta=0.5), 0),
        (partial(steps.perceptron, eta=0.5, margin_threshold=0.25), 0.5),
        (steps.mira, 0),
        (partial(steps.mira, aggressive=0.25), 0),
        (partial(steps.mira, aggressive=0.5), 0.75 / 2),
        (steps.pa, 0.75 / 2),
        (partial(steps.pa1, C=0.125), 0.125),
        (partial(steps.pa2, C=0.25), 0.75 / 4),
        (partial(steps.soft, eta=2), 2 / (1 + np.exp(0.25))),
    ],
)
def test_steps_by_hand(rule, expected):
    assert rule(0.25, 2.0, False) == pytest.approx(expected, abs=0)


def test_steps_at_the_edges():
    assert steps.mira(0.0, 0.0, True) == steps.pa(0.0, 0.0, True) == steps.pa1(0.0, 0.0, True) == 0
    assert steps.pa2(0.0, 0.0, True, C=1.0) == 2
    assert steps.soft(1e6, 1.0, False) == 0
    assert steps.soft(-1e6, 1.0, True) == 1


@given(tables([-1, 1]), st.sampled_from([steps.mira, steps.pa]), st.booleans())
def test_L3_4_the_margin_is_one_after_a_binary_update(table, rule, fit_intercept):
    X, y = table
    run = binary.train(X, y, rule, epochs=2, fit_intercept=fit_intercept, ties="mistake")
    for u in run.updates:
        w, b = run.snapshots[u.t - 1]
        assert u.y * (w @ X[u.row] + b) == pytest.approx(1)


@given(tables([0, 1, 2]), st.sampled_from([steps.mira, steps.pa]))
def test_L3_4_the_margin_is_one_after_a_multiclass_update(table, rule):
    X, y = table
    run = multiclass.train(
        X,
        y,
        rule,
        n_classes=3,
        epochs=2,
        fit_intercept=True,
        ties="mistake",
        raise_only_on_tie=False,
    )
    for u in run.updates:
        W, b = run.snapshots[u.t - 1]
        scores = W @ X[u.row] + b
        assert scores[u.y] - scores[u.rival] == pytest.approx(1)


@given(tables([0, 1, 2]))
def test_L3_5_soft_is_a_gradient_step_on_the_log_loss(table):
    X, y = table
    run = multiclass.train_soft(X, y, eta=0.5, n_classes=3, epochs=1, fit_intercept=True)
    before = [run.start, *run.snapshots[:-1]]
    for (W, b), (W1, b1), x, yi in zip(before, run.snapshots, X, y, strict=True):
        slope = multiclass.softmax(W @ x + b) - np.eye(3)[yi]
        np.testing.assert_allclose(W1, W - 0.5 * np.outer(slope, x), atol=1e-12)
        np.testing.assert_allclose(b1, b - 0.5 * slope, atol=1e-12)
    assert [u.rival for u in run.updates] == [c for yi in y for c in range(3) if c != yi]


def test_a_row_of_weight_zero_is_seen_but_passed_over():
    X, y = np.array([[1.0], [1.0]]), np.array([-1, 1])
    run = binary.train(
        X,
        y,
        steps.perceptron,
        epochs=2,
        order=[np.array([0, 1]), np.array([1, 0])],
        fit_intercept=True,
        ties="mistake",
        weights=np.array([0.0, 3.0]),
    )
    assert run.updates == [(1, 1, 3.0, 2)]
    assert (run.mistakes, run.converged, run.seen) == ([1, 0], True, 4)
    assert [(w[0], b) for w, b in run.snapshots] == [(0, 0), (3, 3), (3, 3), (3, 3)]


@pytest.mark.parametrize("seed", range(60))
def test_a_linear_program_and_the_nearest_point_agree_on_what_is_separable(seed):
    X, y, fit_intercept, _ = problem(seed)
    points = largest_margin.points(X.tolist(), y.tolist(), fit_intercept)
    assert largest_margin.separable(points) == (largest_margin.squared_margin(points) > 0)


def test_the_largest_margin_of_two_rows_is_half_their_distance():
    X, y = [[0.0, 3.0], [4.0, 0.0]], [1, 0]
    assert largest_margin.squared_margin(largest_margin.differences(X, y)) == 25
    assert largest_margin.squared_margin(largest_margin.points(X, y, False)) == Fraction(144, 25)
