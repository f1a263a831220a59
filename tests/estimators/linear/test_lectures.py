"""What the lectures say about the linear family, line by line (LECTURES ids in the docstrings).

L2, several classes, has a file of its own.
"""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import lectures
from strategies import LEARNERS, csr, floats, integers, seeds, small, tables, weights_of

from rosenblatt import MIRA, AveragedPerceptron, PassiveAggressive, Perceptron, VotedPerceptron
from rosenblatt.errors import NoLedgerError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

ORIGIN = {"fit_intercept": False, "shuffle": False, "record": True}
SEPARATED_X = np.array([[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-3.0, 1.0]])
SEPARATED_Y = np.array([1, 1, -1, -1])


def steps_of(learner, X):
    """The weight matrices before the first and after every update."""
    return np.array([matrix for matrix, _ in learner.ledger_.trace(X)])


# ---------------------------------------------------------------------- L1: the binary perceptron


def test_training_stops_at_the_first_epoch_without_a_mistake():
    """L1.5: cycle over the rows until an epoch makes no mistake."""
    learner = Perceptron(shuffle=False).fit(SEPARATED_X, SEPARATED_Y)
    assert learner.stop_reason_ == "separated"
    assert learner.converged_
    assert learner.mistakes_per_epoch_[-1] == 0
    assert all(learner.mistakes_per_epoch_[:-1])
    assert learner.n_iter_ == len(learner.mistakes_per_epoch_)
    assert learner.n_mistakes_ == sum(learner.mistakes_per_epoch_)
    assert learner.n_mistakes_ == learner.mistakes_per_row_.sum()
    assert learner.t_ == learner.n_iter_ * len(SEPARATED_X)


@pytest.mark.parametrize(("ties", "first"), [("positive", 1), ("mistake", 0)])
def test_a_tie_counts_as_positive_or_as_a_mistake(ties, first):
    """L1.6, L3.3, L4.1, L5.2: at w = 0 every row is a tie."""
    X, y = np.array([[1.0], [-1.0]]), np.array([1, -1])
    learner = Perceptron(ties=ties, **ORIGIN).fit(X, y)
    assert learner.ledger_[0].row == first
    assert learner.ledger_[0].t == first + 1
    assert learner.predict([[0.0]])[0] == (1 if ties == "positive" else -1)


def test_L1_7_step_by_step():
    """L1.7: six points, no intercept, ties positive: mistakes on 1, 3 and 5."""
    X, y = lectures.L1_7_X, lectures.L1_7_Y
    learner = Perceptron(ties="positive", **ORIGIN).fit(X, y)
    assert [u.row + 1 for u in learner.ledger_] == lectures.L1_7_MISTAKES
    assert [u.t for u in learner.ledger_] == lectures.L1_7_MISTAKES
    assert [(u.y_true, u.y_pred, u.step) for u in learner.ledger_] == [
        (-1, 1, 1.0),
        (1, -1, 1.0),
        (-1, 1, 1.0),
    ]
    matrices = steps_of(learner, X)
    np.testing.assert_array_equal(matrices[0], [[0, 0]])
    np.testing.assert_array_equal(matrices[1:, 0], lectures.L1_7_WEIGHTS)
    np.testing.assert_array_equal(learner.coef_[0], lectures.L1_7_WEIGHTS[-1])
    assert learner.mistakes_per_epoch_ == [3, 0]
    online = Perceptron(ties="positive", fit_intercept=False)
    answers = []
    online.partial_fit(np.zeros((1, 2)), [1], classes=[-1, 1])  # a tie, and so right: no change
    for x, label in zip(X, y, strict=True):
        answers.append(online.predict_one(x))
        online.learn_one(x, label)
    np.testing.assert_array_equal(answers, lectures.L1_7_PREDICTIONS)


def test_the_bias_starts_at_zero_and_moves_by_one_with_each_mistake():
    """L1.8: up on a missed positive, down on a missed negative."""
    X, y = integers(3, n=20)
    learner = Perceptron(shuffle=False, record=True, max_iter=3, tol=None).fit(X, y)
    biases = [bias[0] for _, bias in learner.ledger_.trace(X)]
    assert biases[0] == 0
    assert len(learner.ledger_) > 5
    for (before, after), update in zip(pairwise(biases), learner.ledger_, strict=True):
        assert after - before == (1 if update.y_true == 1 else -1)


def test_a_larger_bias_moves_the_boundary_to_the_negative_side():
    """L1.8: the points a raised bias wins over were negative before."""
    learner = Perceptron(shuffle=False).fit(SEPARATED_X, SEPARATED_Y)
    grid = np.stack(np.meshgrid(np.linspace(-3, 3, 13), np.linspace(-3, 3, 13)), -1).reshape(-1, 2)
    before = learner.predict(grid)
    raised = Perceptron(max_iter=1, warm_start=True).fit(
        SEPARATED_X, SEPARATED_Y, coef_init=learner.coef_, intercept_init=learner.intercept_ + 1
    )
    after = raised.predict(grid)
    assert ((before == -1) & (after == 1)).any()
    assert not ((before == 1) & (after == -1)).any()


@pytest.mark.parametrize("rule", LEARNERS)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_weights_are_a_linear_combination_of_the_rows(rule, n_classes, weighted):
    """L1.9: the dual form gives back the weights and, with a constant feature, the biases."""
    X, y = integers(5, n=40, d=6, n_classes=n_classes)
    factors = np.linspace(0.5, 2, 40) if weighted else None
    learner = LEARNERS[rule](max_iter=5, tol=None).fit(X, y, sample_weight=factors)
    matrix, bias = weights_of(learner)
    if learner.rule().rates:
        with pytest.raises(NoLedgerError, match=r"no dual form: each weight moves by a rate of"):
            _ = learner.dual_coef_
        return
    dual, support = learner.dual_coef_, learner.support_
    assert dual.shape == (len(matrix), len(support))
    np.testing.assert_allclose(dual @ X[support], matrix, atol=1e-9)
    np.testing.assert_allclose(dual.sum(axis=1), bias, atol=1e-9)


@pytest.mark.parametrize("table", [np.asarray, csr])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rule", LEARNERS)
@given(seeds, st.integers(1, 40), st.sampled_from([2, 3]))
def test_a_bias_is_a_constant_feature_to_the_last_bit(rule, dtype, table, seed, d, n_classes):
    """L1.3, L3.2, L5.1: training with a bias is training in the augmented space."""
    X, y = floats(seed, n=25, d=d, n_classes=n_classes, dtype=dtype)
    augmented = np.column_stack([X, np.ones(len(X), dtype)])
    options = {"max_iter": 3, "tol": None, "random_state": seed}
    with_bias = LEARNERS[rule](**options).fit(table(X), y)
    without = LEARNERS[rule](fit_intercept=False, **options).fit(table(augmented), y)
    assert with_bias.mistakes_per_epoch_ == without.mistakes_per_epoch_
    matrix, bias = weights_of(with_bias)
    np.testing.assert_array_equal(np.column_stack([matrix, bias]), weights_of(without)[0])


# ---------------------------------------------------------------------- L3, L4, L5


@given(tables(2))
def test_the_result_is_that_of_the_notebook_function(table):
    """L5.3: perceptron_train(X, y, MaxIter=20) on the same order."""
    X, y = table
    learner = Perceptron(fit_intercept=False, shuffle=False, max_iter=20, tol=None).fit(X, y)
    expected = lectures.perceptron_train(X, 2 * y - 1, max_iter=20)
    if learner.stop_reason_ == "cycle":  # it stops as soon as going on would repeat itself
        expected = lectures.perceptron_train(X, 2 * y - 1, max_iter=learner.n_iter_)
    np.testing.assert_array_equal(learner.coef_[0], expected)


@given(
    st.lists(st.tuples(small, small), min_size=1, max_size=5).filter(
        lambda pairs: any(x for _, x in pairs)
    ),
    st.sampled_from([-1, 1]),
)
def test_one_example_needs_as_many_updates_as_the_formula_says(pairs, label):
    """L5.5: floor(-y w.x / |x|^2) + 1 updates from the initial weights w."""
    w, x = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    expected = lectures.updates_for_one_example(w, x, label)
    learner = Perceptron(fit_intercept=False, tol=None).fit([x], [label], coef_init=[w])
    assert learner.n_mistakes_ == expected
    assert learner.classes_.tolist() == [-1, 1]
    np.testing.assert_array_equal(learner.coef_[0], w + expected * label * x)


def test_L5_5_worked_example():
    """L5.5: w = (3, 4), x = (-3, 1), y = +1: one update."""
    learner = Perceptron(**ORIGIN).fit([[-3, 1]], [1], coef_init=[[3, 4]])
    assert len(learner.ledger_) == lectures.L5_5_UPDATES
    assert learner.coef_.tolist() == [[0.0, 5.0]]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "learner", [MIRA(), MIRA(aggressive=1.0), PassiveAggressive(variant="PA")], ids=str
)
@given(seed=seeds, fit_intercept=st.booleans())
def test_the_row_is_right_by_one_after_a_step_that_aims_there(
    learner, n_classes, seed, fit_intercept
):
    """L3.4: the smallest change after which the example is right with margin 1."""
    X, y = floats(seed, n=12, n_classes=n_classes)
    learner.set_params(record=True, max_iter=2, tol=None, fit_intercept=fit_intercept)
    ledger = learner.fit(X, y).ledger_
    states = list(ledger.trace(X))[1:]
    assert len(ledger) > 0
    for (matrix, bias), update in zip(states, ledger, strict=True):
        scores = matrix @ X[update.row] + bias
        if n_classes == 2:
            margin = scores[0] if update.y_true == 1 else -scores[0]
        else:
            margin = scores[update.y_true] - scores[update.y_pred]
        assert margin == pytest.approx(1, abs=1e-9)


def test_xor_ends_in_a_cycle_and_the_cycle_is_real():
    """L3.8, L3.9: the weights at the end of an epoch were seen before, so they come again."""
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]]), np.array([0, 1, 1, 0])
    learner = Perceptron(shuffle=False, tol=None).fit(X, y)
    assert learner.stop_reason_ == "cycle"
    assert not learner.converged_
    length = learner._fit_outcome().result.cycle_length
    seen = []
    online = Perceptron()
    for _ in range(learner.n_iter_ + length):
        online.partial_fit(X, y, classes=[0, 1])
        seen.append((*online.coef_[0], *online.intercept_))
    at_end = seen[learner.n_iter_ - 1]
    assert at_end == (*learner.coef_[0], *learner.intercept_)
    assert seen[learner.n_iter_ - 1 - length] == at_end == seen[learner.n_iter_ - 1 + length]
    assert at_end not in seen[learner.n_iter_ - length : learner.n_iter_ - 1]
    lifted = Perceptron(shuffle=False).fit(np.column_stack([X, X[:, 0] * X[:, 1]]), y)
    assert lifted.stop_reason_ == "separated"


@given(seeds, st.sampled_from([2, 30]), st.booleans())
def test_a_cycle_ends_training_at_the_first_repeat_of_the_weights(seed, d, from_start):
    """L3.8 as printed, beside a plain run that keeps every weight vector; d=30: fingerprints."""
    random = np.random.default_rng(seed)
    X = random.integers(-2, 3, size=(12, d)).astype(float)
    X[6:] = X[:6]  # the same rows with both labels: nothing separates them
    y = np.repeat([-1, 1], 6)
    w, b = random.integers(-2, 3, d).astype(float) * from_start, 0.0
    learner = Perceptron(shuffle=False, tol=None, max_iter=100_000).fit(X, y, coef_init=[w])
    seen = {}
    while (*w, b) not in seen:
        seen[(*w, b)] = len(seen)
        for x, label in zip(X, y, strict=True):
            if label * (w @ x + b) <= 0:
                w, b = w + label * x, b + label
    assert (learner.stop_reason_, learner.n_iter_) == ("cycle", len(seen))
    assert learner._fit_outcome().result.cycle_length == len(seen) - seen[(*w, b)]
    assert learner.coef_[0].tolist() == w.tolist()


def test_shuffled_training_never_claims_a_cycle():
    """L3.8: a cycle is proven only where the order repeats."""
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]]), np.array([0, 1, 1, 0])
    assert Perceptron(max_iter=200, tol=None).fit(X, y).stop_reason_ == "max_iter"


def test_L4_2_votes_by_hand():
    """L4.2: w = 1 lives for two examples, w = -2 for one."""
    X, y = np.array([[1.0], [2.0], [3.0]]), np.array([1, 1, -1])
    learner = VotedPerceptron(max_iter=1, tol=None, **ORIGIN).fit(X, y)
    assert learner.ledger_.survival.tolist() == [0, 2, 1]
    assert learner.ledger_.votes(X, np.array([[5.0], [0.0]])).tolist() == [2 - 1, 0]
    assert learner.predict([[5.0], [-5.0]]).tolist() == [1, -1]


@given(tables(2))
def test_L4_3_the_average_weighs_each_vector_by_its_survival(table):
    """L4.3, with the factor c that the printed algorithm leaves out."""
    X, y = table
    learner = AveragedPerceptron(max_iter=1, shuffle=False, tol=None).fit(X, y)
    w, b = lectures.averaged_train(X, 2 * y - 1, max_iter=1)
    factor = (len(X) + 1) / len(X)  # the lecture counts the starting vector as well
    np.testing.assert_allclose(learner.coef_[0], factor * w, atol=1e-12)
    np.testing.assert_allclose(learner.intercept_[0], factor * b, atol=1e-12)
