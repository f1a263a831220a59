"""A recorded run, replayed, against the learner itself as it learned example by example."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from strategies import LEARNERS, csr

from rosenblatt import AveragedPerceptron, KernelPerceptron, Perceptron, VotedPerceptron
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.inspection.runs import KernelRun, LinearRun, finite_rows, ledger_of, run_of

EPOCHS = 3


def rows(n_classes, n=40, seed=5):
    draw = np.random.RandomState(seed)
    X = draw.randint(-8, 9, (n, 3)) / 4.0
    y = draw.randint(n_classes, size=n)
    y[:n_classes] = np.arange(n_classes)
    return X, y


def fitted(kind, X, y, **settings):
    given = {"max_iter": EPOCHS, "shuffle": False, "tol": None, **settings}
    if "record" in kind().get_params():
        given["record"] = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kind(**given).fit(X, y)


def one_by_one(kind, X, y, **settings):
    """The learner before the first and after every example, as it learned them in order."""
    learner = kind(**settings)
    classes = np.unique(y)
    for _ in range(EPOCHS):
        for i in range(len(y)):
            yield i, learner.partial_fit(X[i : i + 1], y[i : i + 1], classes=classes)


def weights_of(learner):
    matrix = getattr(learner, "raw_coef_", learner.coef_)
    bias = getattr(learner, "raw_intercept_", learner.intercept_)
    return np.column_stack([matrix, bias])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", LEARNERS)
def test_the_weights_after_every_update_are_those_of_learning_in_order(name, n_classes):
    X, y = rows(n_classes)
    run = run_of(fitted(LEARNERS[name], X, y), X)
    assert isinstance(run, LinearRun)
    assert run.n_vectors == (1 if n_classes == 2 else 3)
    assert len(run.weights) == len(run) + 1
    assert not run.weights[0].any()
    done = 0
    for t, (_, learner) in enumerate(one_by_one(LEARNERS[name], X, y), start=1):
        made = int((run.entries.t == t).sum())
        done += made
        # Pegasos shrinks its weights at other rows as well; a run shows them after each update, and
        # in the end as they are then.
        is_last = t == EPOCHS * len(y)
        shrinks = name == "pegasos" and not is_last and (not made or done == len(run))
        assert shrinks or np.array_equal(run.weights[done], weights_of(learner)), t
    assert done == len(run)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", LEARNERS)
def test_scores_and_margins_are_those_before_the_update(name, n_classes):
    X, y = rows(n_classes)
    run = run_of(fitted(LEARNERS[name], X, y), X)
    margins = run.margins
    for k, (row, t) in enumerate(zip(run.entries.row, run.entries.t, strict=True)):
        before = run.weights[int((run.entries.t < t).sum())]
        scores = before @ np.append(X[row], 1.0)
        assert np.allclose(run.scores[k], scores[0] if n_classes == 2 else scores)
        wrong = run.entries.y_pred[k]
        if n_classes == 2:
            ahead = scores[0] if y[row] == 1 else -scores[0]
        else:
            ahead = scores[y[row]] - (scores[wrong] if wrong >= 0 else 0.0)
        assert np.isclose(margins[k], ahead)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("sparse", [False, True])
def test_moves_add_up_to_the_weights_of_the_end(n_classes, sparse):
    X, y = rows(n_classes)
    table = finite_rows(csr(X)) if sparse else X
    run = LinearRun(fitted(Perceptron, table, y).ledger_, table)
    moves = list(run.moves(np.ones_like(run.start)))
    end = run.weights[-1]
    assert np.isclose(sum(move.growth for move in moves), np.sum(end**2))
    assert np.isclose(sum(move.forward for move in moves), end.sum())
    assert np.allclose([move.margin for move in moves], run.margins)


def test_states_are_found_for_some_updates_alone():
    X, y = rows(2)
    run = run_of(fitted(Perceptron, X, y), X)
    found = run.states([4, 0, 4])
    assert sorted(found) == [0, 4]
    assert np.array_equal(np.column_stack(found[4]), run.weights[4])
    assert run.states([]) == {}


@pytest.mark.parametrize("n_classes", [2, 3])
def test_averages_are_the_means_over_all_examples_so_far(n_classes):
    X, y = rows(n_classes)
    model = fitted(AveragedPerceptron, X, y)
    run = run_of(model, X)
    lives = np.repeat(run.weights, run.survival, axis=0)
    assert len(lives) == EPOCHS * len(y) == run.n_examples
    for at in (1, len(run) // 2, len(run)):
        seen = int(run.survival[: at + 1].sum())
        assert np.allclose(run.averages[at], lives[:seen].mean(axis=0))
    assert np.array_equal(run.averages[-1], np.column_stack([model.coef_, model.intercept_]))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_votes_at_the_end_are_those_of_the_model(n_classes):
    X, y = rows(n_classes)
    model = fitted(VotedPerceptron, X, y)
    run = run_of(model, X)
    assert np.array_equal(run.votes(len(run), X) / run.n_examples, model.decision_function(X))


@pytest.mark.parametrize(
    ("n_classes", "multiclass"), [(2, "argmax"), (3, "argmax"), (3, "ovr"), (2, "ovr")]
)
def test_a_kernel_run_scores_as_its_learner_did(n_classes, multiclass):
    X, y = rows(n_classes)
    settings = {"degree": 2, "gamma": 0.5, "combine": "last", "multiclass": multiclass}
    model = fitted(KernelPerceptron, X, y, **settings)
    run = run_of(model, X)
    assert isinstance(run, KernelRun)
    before, done = None, 0
    for t, (i, learner) in enumerate(one_by_one(KernelPerceptron, X, y, **settings), start=1):
        here = run.entries.t == t
        if before is not None:
            for k in np.flatnonzero(here):
                assert run.entries.row[k] == i
                assert np.allclose(run.scores[k], before[i])
        done += int(here.sum())
        before = learner.decision_function(X)
        assert np.allclose(run.values(done, X), before)
    support, coefficients = run.coefficients(len(run))
    order = np.argsort(model.support_)
    assert support.tolist() == model.support_[order].tolist()
    assert np.allclose(coefficients.T, model.dual_coef_[:, order])


def test_a_run_may_be_followed_to_some_update_only():
    X, y = rows(3)
    for kind, settings in ((Perceptron, {}), (KernelPerceptron, {"kernel": "linear"})):
        model = fitted(kind, X, y, **settings)
        whole, part = run_of(model, X), run_of(model, X, 7)
        assert len(part) == 7 < len(whole)
        assert part.n_examples == whole.entries.t[7] - 1
        assert part.survival.tolist() == whole.survival[:8].tolist()
        assert np.array_equal(part.scores, whole.scores[:7])
        assert len(run_of(model, X, len(whole))) == len(whole)
        for upto in (-1, len(whole) + 1):
            with pytest.raises(ParameterError, match=f"upto={upto}: this ledger has"):
                run_of(model, X, upto)


def test_every_example_is_visited_in_order_where_the_ledger_tells_it():
    X, y = rows(2)
    run = run_of(fitted(Perceptron, X, y), X)
    updates, examples = run.visits("update"), run.visits("example")
    assert [visit.t for visit in examples] == list(range(1, EPOCHS * len(y) + 1))
    assert [visit.row for visit in examples] == list(range(len(y))) * EPOCHS
    assert [visit for visit in examples if visit.is_update] == updates
    assert [visit.n_before for visit in updates] == list(range(len(run)))
    with pytest.raises(InputError, match="3 rows for a ledger that names row"):
        LinearRun(run.ledger, X[:3]).visits("update")
    shuffled = run_of(fitted(Perceptron, X, y, shuffle=True, random_state=0), X)
    with pytest.raises(InputError, match="not of all examples"):
        shuffled.visits("example")


def test_a_model_without_a_ledger_says_how_to_get_one():
    X, y = rows(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Perceptron(max_iter=1).fit(X, y)
    with pytest.raises(ParameterError, match="record=True"):
        ledger_of(model)


def test_a_run_of_a_kernel_keeps_the_kernel_it_was_made_with():
    X, y = rows(2)
    learner = KernelPerceptron(gamma=0.5, max_iter=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner.fit(X, y)
    before = run_of(learner, X).scores
    learner.set_params(gamma=3.0)
    np.testing.assert_array_equal(run_of(learner, X).scores, before)
