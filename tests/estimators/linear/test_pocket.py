"""The pocket holds the weights with the fewest training errors on the way (Gallant 1990)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import binary, steps
from strategies import csr, seeds

from rosenblatt import Perceptron, load, plot, save, theory
from rosenblatt.errors import ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def overlapping(seed, n=20, d=2, n_classes=2):
    random = np.random.default_rng(seed)
    X = random.integers(-3, 4, (n, d)).astype(float)
    y = np.arange(n) % n_classes
    X[:, 0] += y
    return X, y


def errors(X, y, w, b):
    """As `predict` makes them: a score of 0 is that of the first class."""
    return int(((X @ w + b > 0) != y).sum())


@given(seeds, st.integers(2, 20), st.integers(1, 8))
def test_of_few_rows_no_weights_on_the_way_have_fewer_errors(seed, n, epochs):
    X, y = overlapping(seed, n)
    p = Perceptron(pocket=True, shuffle=False, max_iter=epochs, tol=None).fit(X, y)
    run = binary.train(
        X, 2 * y - 1, steps.perceptron, epochs=p.n_iter_, fit_intercept=True, ties="mistake"
    )
    states = [run.start, *run.snapshots]
    counts = [errors(X, y, w, b) for w, b in states]
    separated = p.stop_reason_ == "separated"
    best = len(counts) - 1 if separated else int(np.argmin(counts))
    w, b = states[best]
    np.testing.assert_array_equal(p.coef_[0], w)
    assert p.intercept_[0] == b
    assert p.n_training_errors_ == counts[best] == errors(X, y, p.coef_[0], p.intercept_[0])
    assert p.best_iter_ == (p.n_iter_ if separated else max(best - 1, 0) // n + 1)
    assert len(p.validation_scores_) == p.n_iter_
    assert p.converged_ == (counts[best] == 0)
    assert separated == (counts[-1] == 0 and p.mistakes_per_epoch_[-1] == 0)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_run_itself_is_that_without_a_pocket(n_classes):
    X, y = overlapping(1, 200, n_classes=n_classes)
    last, pocket = (
        Perceptron(record=True, pocket=keep, max_iter=30, tol=None).fit(X, y)
        for keep in (False, True)
    )
    assert last.mistakes_per_epoch_ == pocket.mistakes_per_epoch_
    assert last.ledger_ == pocket.ledger_ or list(last.ledger_) == list(pocket.ledger_)
    assert pocket.score(X, y) > last.score(X, y)
    assert pocket.n_training_errors_ == round(200 * (1 - pocket.score(X, y)))
    on = [model.partial_fit(X, y).coef_ for model in (last, pocket)]
    np.testing.assert_array_equal(*on)


def test_dense_and_sparse_rows_have_the_same_pocket():
    X, y = overlapping(2, 100, d=6)
    dense = Perceptron(pocket=True, max_iter=20).fit(X, y)
    sparse = Perceptron(pocket=True, max_iter=20).fit(csr(X), y)
    np.testing.assert_array_equal(dense.coef_, sparse.coef_)


def test_first_weights_that_are_the_best_are_kept():
    X, y = overlapping(4, 40)
    better = Perceptron(pocket=True, max_iter=200, tol=None).fit(X, y)
    start = {"coef_init": better.coef_, "intercept_init": better.intercept_}
    p = Perceptron(pocket=True, max_iter=1, tol=None).fit(X, y, **start)
    assert p.n_training_errors_ <= better.n_training_errors_


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rows_of_weight_0_do_not_choose_the_weights(n_classes):
    X, y = overlapping(7, 60, n_classes=n_classes)
    weights = (np.arange(60) < 30).astype(float)
    p = Perceptron(pocket=True, shuffle=False, max_iter=30, tol=None)
    alone = p.fit(X[:30], y[:30]).coef_
    np.testing.assert_array_equal(p.fit(X, y, sample_weight=weights).coef_, alone)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_errors_count_by_the_weights_of_their_rows(n_classes):
    X, y = overlapping(9, 60, n_classes=n_classes)
    heavy = {label: 9.0 if label == 0 else 1.0 for label in range(n_classes)}
    options = {"pocket": True, "max_iter": 30, "tol": None}
    by_class = Perceptron(class_weight=heavy, **options).fit(X, y)
    weights = np.where(y == 0, 9.0, 1.0)
    by_row = Perceptron(**options).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(by_class.coef_, by_row.coef_)
    right = by_class.predict(X) == y
    assert max(by_class.validation_scores_) == np.average(right, weights=weights)
    plain = Perceptron(**options).fit(X, y).predict(X) == y
    assert weights[right].sum() >= weights[plain].sum()
    assert by_class.n_training_errors_ == (~right).sum()


@pytest.mark.parametrize(
    "options", [{"binary_as_multiclass": True}, {"warm_start": True}, {"margin": 1.0}]
)
def test_it_goes_with_the_other_options(options):
    X, y = overlapping(8, 60)
    p = (
        Perceptron(pocket=True, max_iter=30, tol=None, **options)
        .fit(X.astype(np.float32), y)
        .fit(X, y)
    )
    assert p.n_training_errors_ == (p.predict(X) != y).sum()
    last = Perceptron(max_iter=30, tol=None, **options).fit(X.astype(np.float32), y).fit(X, y)
    assert (p.predict(X) != y).sum() <= (last.predict(X) != y).sum()


def test_separable_rows_end_with_the_weights_that_separate_them():
    X, y = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], [-1, 1, 1, -1, -1, 1]
    options = {"ties": "positive", "fit_intercept": False, "shuffle": False}
    p = Perceptron(pocket=True, **options).fit(X, y)
    assert (p.coef_.tolist(), p.n_training_errors_) == ([[3.0, 1.0]], 0)
    assert p.converged_
    assert p.best_iter_ == p.n_iter_


def test_no_pocket_has_fewer_errors_than_are_possible():
    X, y = overlapping(3, 30)
    fewest = theory.fewest_errors(X, y)
    pocket = Perceptron(pocket=True, max_iter=300, tol=None).fit(X, y)
    last = Perceptron(max_iter=300, tol=None).fit(X, y)
    assert fewest.lower <= pocket.n_training_errors_ <= (last.predict(X) != y).sum()


def test_it_is_saved_shown_and_explained(tmp_path):
    X, y = overlapping(5, 30)
    p = Perceptron(pocket=True, record=True, max_iter=40, tol=None).fit(X, y)
    save(p, tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.coef_, p.coef_)
    assert again.n_training_errors_ == p.n_training_errors_
    assert f"epoch {p.best_iter_} kept" in plot.mistakes(again).caption
    for model in (p, again):
        why = model.explain(X[0], X=X)
        assert sum(part.contribution for part in why.mistakes) == pytest.approx(why.score)


def test_what_a_pocket_cannot_do_is_said():
    X, y = overlapping(6)
    with pytest.raises(ParameterError, match=r"pocket=True keeps.*Choose one"):
        Perceptron(pocket=True, early_stopping=True).fit(X, y)
    with pytest.raises(ParameterError, match=r" with the fewest errors on them\. Choose one\.$"):
        Perceptron(pocket=True).fit(X, y, validation_set=(X, y))


@pytest.mark.parametrize("ties", ["mistake", "positive"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_errors_are_those_of_predict_also_where_scores_are_equal(ties, n_classes):
    random = np.random.default_rng(n_classes)
    for _ in range(40):
        X = random.integers(-1, 2, (6, 1)).astype(float)
        y = np.append(random.integers(0, n_classes, 6 - n_classes), range(n_classes))
        options = {"ties": ties, "shuffle": False, "max_iter": 20, "tol": None}
        pocket, last = (Perceptron(pocket=keep, **options).fit(X, y) for keep in (True, False))
        errors = int((pocket.predict(X) != y).sum())
        assert pocket.n_training_errors_ == errors
        assert errors <= (last.predict(X) != y).sum()


def test_first_weights_that_stay_the_best_are_saved_and_replayed(tmp_path):
    X, y = [[-3.0], [-2.0], [-1.0], [1.0], [2.0], [3.0]], [0, 0, 0, 1, 0, 1]
    options = {"pocket": True, "shuffle": False, "max_iter": 5, "tol": None}
    p = Perceptron(**options).fit(X, y, coef_init=[[1.0]], intercept_init=[0.0])
    save(p, tmp_path / "model.rbt")
    assert load(tmp_path / "model.rbt").coef_.tolist() == p.coef_.tolist() == [[1.0]]
    A, a, B, b = [[0.0], [0.0], [1.0]], [1, 0, 0], [[0.0], [1.0], [-1.0], [0.0]], [0, 0, 1, 1]
    p = Perceptron(warm_start=True, record=True, **options).partial_fit(A, a).fit(B, b)
    w, bias = p.ledger_.best.replay(np.vstack([A, B]))
    assert (w.tolist(), bias.tolist()) == (p.coef_.tolist(), p.intercept_.tolist())
