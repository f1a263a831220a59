"""Rows with wrong labels stand at the top of the list."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import LEARNERS, csr, floats, seeds

from rosenblatt import AveragedPerceptron, Perceptron, datasets
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.theory.examination import Suspect, suspects

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
FLIPPED = 0.03


def with_wrong_labels(y, random, n_classes):
    """3 % of the labels moved to another class, and which rows they are."""
    rows = random.choice(len(y), max(1, round(FLIPPED * len(y))), replace=False)
    y = y.copy()
    y[rows] = (y[rows] + random.integers(1, n_classes, len(rows))) % n_classes
    return y, set(rows.tolist())


def precision(learner, X, y, flipped, *, with_rows=True):
    """The share of wrong labels among as many suspects as there are wrong labels."""
    ledger = learner.set_params(record=True, tol=None).fit(X, y).ledger_
    found = suspects(ledger, X if with_rows else None, top=len(flipped), n_rows=len(X))
    assert len(found) <= len(flipped)
    return sum(suspect.row in flipped for suspect in found) / len(flipped)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n", "d"), [(200, 2), (1000, 10), (3000, 20)])
@pytest.mark.parametrize("with_rows", [True, False])
def test_flipped_labels_are_found_in_well_separated_data(n, d, seed, with_rows):
    """L5.6: 3 % flipped; chance finds 3 % of them."""
    random = np.random.default_rng(seed)
    u = random.normal(size=d)
    X = random.normal(size=(4 * n, d))
    X = X[np.abs(X @ u) > 0.5 * np.linalg.norm(u)][:n]
    y, flipped = with_wrong_labels((X @ u > 0).astype(int), random, 2)
    found = precision(Perceptron(max_iter=30), X, y, flipped, with_rows=with_rows)
    assert found > 25 * FLIPPED


@pytest.mark.parametrize("digit", range(10))
def test_flipped_labels_are_found_in_each_digit_against_the_rest(digit):
    digits = datasets.digits()
    random = np.random.default_rng(digit)
    y, flipped = with_wrong_labels((digits.y == digit).astype(int), random, 2)
    assert precision(Perceptron(max_iter=30), digits.X, y, flipped) > 20 * FLIPPED


@pytest.mark.parametrize("learner", [Perceptron, AveragedPerceptron])
def test_flipped_labels_are_found_among_all_ten_digits(learner):
    digits = datasets.digits()
    y, flipped = with_wrong_labels(digits.y, np.random.default_rng(0), 10)
    assert precision(learner(max_iter=20), digits.X, y, flipped) > 20 * FLIPPED


@pytest.mark.parametrize("name", LEARNERS)
@given(seed=seeds, n_classes=st.sampled_from([2, 3]), sparse=st.booleans(), bias=st.booleans())
def test_the_costs_are_what_is_missing_from_the_squared_norm(name, seed, n_classes, sparse, bias):
    """‖w‖² = ‖w₀‖² + Σ step²‖φ‖² - Σ cost: the term that the proof of L3.13 drops."""
    X, y = floats(seed, n_classes=n_classes)
    table = csr(X) if sparse else X
    learner = LEARNERS[name](record=True, max_iter=4, tol=None, fit_intercept=bias)
    start = np.random.default_rng(seed).normal(size=(1 if n_classes == 2 else n_classes, 4))
    ledger = learner.fit(table, y, coef_init=start).ledger_
    entries = ledger.entries
    moved = 1 if n_classes == 2 else np.where(entries.y_pred < 0, 1, 2)
    added = np.sum(entries.step**2 * moved * ((X[entries.row] ** 2).sum(axis=1) + bias))
    W, B = ledger.replay(table)
    cost = sum(suspect.cost for suspect in suspects(ledger, table))
    # Then no step is a multiple of a row, or the weights are made shorter as well.
    if learner.rule().rates or learner.rule().scales:
        assert np.isfinite(cost)
    else:
        assert np.sum(W**2) + np.sum(B**2) == pytest.approx(np.sum(start**2) + added - cost)


@given(seed=seeds, n_classes=st.sampled_from([2, 3]), shuffle=st.booleans())
def test_every_mistake_is_counted_once_with_its_row_and_epoch(seed, n_classes, shuffle):
    X, y = floats(seed, n_classes=n_classes)
    learner = Perceptron(record=True, max_iter=6, tol=None, shuffle=shuffle).fit(X, y)
    found = suspects(learner.ledger_, X)
    assert {s.row: s.updates for s in found} == {
        row: count for row, count in enumerate(learner.mistakes_per_row_.tolist()) if count
    }
    for suspect in found:
        assert suspect.label == y[suspect.row]
        assert suspect.predicted != suspect.label
        assert suspect.epochs_mistaken == suspect.updates <= learner.n_iter_
        if -1 not in learner.ledger_.entries.y_pred:  # a tie may raise a score that is positive
            assert suspect.cost >= -1e-9
    assert sum(suspect.share for suspect in found) == pytest.approx(1.0)
    order = [(-suspect.updates, -suspect.cost) for suspect in found]
    assert order == sorted(order)


def test_a_row_mistaken_in_every_epoch_comes_first():
    X = np.array([[-3.0], [-2.0], [-1.0], [1.0], [2.0], [3.0]])
    y = np.array(["no", "no", "no", "yes", "no", "yes"])
    learner = Perceptron(max_iter=20, tol=None, record=True).fit(X, y)
    first = suspects(learner.ledger_, X, top=1)[0]
    assert isinstance(first, Suspect)
    assert (first.row, first.label, first.predicted) == (4, "no", "yes")
    assert first.epochs_mistaken > 0.9 * learner.n_iter_


def test_the_wrong_answer_named_is_the_most_common_one():
    """A row labelled "a" amid the rows of "c" is taken for "c", not for the distant "b"."""
    random = np.random.default_rng(0)
    centres = np.array([[6.0, 0.0], [-3.0, 5.0], [-3.0, -5.0]])
    X = np.repeat(centres, 30, axis=0) + random.normal(size=(90, 2))
    y = np.repeat(["a", "b", "c"], 30)
    y[75] = "a"
    ledger = Perceptron(record=True, max_iter=30, tol=None).fit(X, y).ledger_
    assert suspects(ledger, X)[0][:3] == (75, "a", "c")


def test_a_row_that_only_met_ties_has_no_wrong_answer():
    X, y = np.eye(3), [0, 1, 2]
    learner = Perceptron(record=True, fit_intercept=False, shuffle=False).fit(X, y)
    assert suspects(learner.ledger_)[0].predicted is None


def test_without_rows_there_are_no_costs_and_epochs_are_worked_out_from_the_run():
    X, y = floats(1, n=40, n_classes=2)
    X = np.vstack([X, 50 * np.ones((3, 4))])  # the last rows are mistaken once at most
    learner = Perceptron(record=True, max_iter=7, tol=None, shuffle=False)
    ledger = learner.fit(X, np.append(y, [1, 1, 1])).ledger_
    plain, full = suspects(ledger), suspects(ledger, X)
    assert all(suspect.cost is None for suspect in plain)
    assert {s[:6] for s in plain} == {s[:6] for s in full}


def test_epochs_of_a_resumed_run_are_counted_from_where_it_was_resumed():
    X, y = floats(2)
    learner = Perceptron(warm_start=True, max_iter=3, tol=None).fit(X, y)
    learner.set_params(record=True).fit(X, y)
    for suspect in suspects(learner.ledger_, X):
        assert suspect.epochs_mistaken == suspect.updates <= 3


def test_a_soft_step_on_several_classes_is_one_update():
    X, y = floats(3, n_classes=3)
    learner = LEARNERS["soft"](record=True, max_iter=4, tol=None).fit(X, y)
    assert {suspect.updates for suspect in suspects(learner.ledger_, X)} == {4}


def test_a_run_without_mistakes_has_no_suspects():
    X = np.array([[-1.0], [1.0]])
    learner = Perceptron(record=True).fit(X, [0, 1], coef_init=[[1.0]])
    assert suspects(learner.ledger_, X) == []


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "all"])
@pytest.mark.parametrize("name", ["top", "n_rows"])
def test_counts_must_be_whole_and_positive(name, value):
    X, y = floats(0)
    ledger = Perceptron(record=True, max_iter=2, tol=None).fit(X, y).ledger_
    with pytest.raises(ParameterError, match=f"{name}="):
        suspects(ledger, X, **{name: value})


def test_rows_of_another_run_are_refused():
    X, y = floats(0)
    ledger = Perceptron(record=True, max_iter=2, tol=None).fit(X, y).ledger_
    with pytest.raises(InputError, match="was recorded on rows of 4 features"):
        suspects(ledger, X[:, :2])
