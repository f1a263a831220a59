"""The mean of the weights predicts: of all epochs, or of the tail of them; for every rule alike."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import averaged, binary
from strategies import LEARNERS, assert_same_bytes, csr, floats, seeds

from rosenblatt import AveragedPerceptron, Perceptron, VotedPerceptron, load, save
from rosenblatt.distributed import merge
from rosenblatt.errors import ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

AVERAGING = [name for name, make in LEARNERS.items() if "average" in make().get_params()]
every_rule = pytest.mark.parametrize("rule", AVERAGING)
two_kinds = pytest.mark.parametrize("average", [True, "tail"])
LONG = {"tol": None, "shuffle": False}


def served(learner):
    return learner.coef_, learner.intercept_


@pytest.mark.parametrize("n_classes", [2, 3])
@given(seeds, st.booleans())
def test_the_averaged_perceptron_is_a_perceptron_that_averages(n_classes, seed, sparse):
    X, y = floats(seed, n_classes=n_classes)
    X = csr(X) if sparse else X
    named, plain = AveragedPerceptron(max_iter=4), Perceptron(average=True, max_iter=4)
    assert_same_bytes(served(named.fit(X, y)), served(plain.fit(X, y)))
    assert_same_bytes(served(named.partial_fit(X, y)), served(plain.partial_fit(X, y)))


@given(seeds, st.integers(1, 17))
def test_the_tail_begins_after_the_last_power_of_two_up_to_half_of_the_epochs(seed, epochs):
    X, y = floats(seed, n=12)
    learner = Perceptron(average="tail", max_iter=epochs, **LONG).fit(X, y)
    run = binary.train(
        X,
        2 * y - 1,
        lambda margin, sqnorm, mistaken: float(mistaken),
        epochs=learner.n_iter_,
        fit_intercept=True,
        ties="mistake",
        stop=False,
    )
    mean, bias = averaged.average_binary(averaged.tail(run.snapshots, len(X)))
    np.testing.assert_allclose(learner.coef_[0], mean, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(learner.intercept_[0], bias, rtol=1e-9, atol=1e-9)


# The weights of Pegasos shrink between updates as well; `test_scaled` has its tail.
@pytest.mark.parametrize("rule", [rule for rule in AVERAGING if rule != "pegasos"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_what_is_learned_after_fit_joins_the_mean_of_the_tail(rule, n_classes):
    X, y = floats(3, n_classes=n_classes)
    learner = LEARNERS[rule](average="tail", max_iter=5, record=True, **LONG).fit(X, y)
    learner.partial_fit(X[:9], y[:9])
    for x, label in zip(X[:4], y[:4], strict=True):
        learner.learn_one(x, label)
    weights = [np.vstack([*W.T, b]) for W, b in learner.ledger_.trace(np.vstack([X, X[:9], X[:4]]))]
    began = learner.ledger_.average_from
    lived = np.repeat(np.array(weights), learner.ledger_.survival, axis=0)[began:]
    assert 0 < began < learner.t_ == began + len(lived)
    found = np.vstack([*learner._model.served()[0].T, learner._model.served()[1]])
    np.testing.assert_allclose(found, lived.mean(axis=0), rtol=1e-9, atol=1e-9)


@every_rule
def test_without_fit_the_tail_is_all_there_was(rule):
    X, y = floats(5)
    whole, tail = (LEARNERS[rule](average=kind).partial_fit(X, y) for kind in (True, "tail"))
    assert_same_bytes(served(whole), served(tail))


@two_kinds
@every_rule
def test_a_file_and_a_pickle_keep_the_mean_and_where_it_began(rule, average, tmp_path):
    X, y = floats(7)
    learner = LEARNERS[rule](average=average, max_iter=6, **LONG).fit(X, y)
    save(learner, tmp_path / "model.rbt")
    others = load(tmp_path / "model.rbt"), pickle.loads(pickle.dumps(learner))
    for other in others:
        assert_same_bytes(served(other), served(learner))
        assert other._model.digest() == learner._model.digest()
    learner.partial_fit(X[:7], y[:7])
    for other in others:
        assert_same_bytes(served(other.partial_fit(X[:7], y[:7])), served(learner))


@two_kinds
def test_a_slim_file_has_the_mean_alone(average, tmp_path):
    X, y = floats(8)
    learner = Perceptron(average=average, max_iter=6, **LONG).fit(X, y)
    save(learner, tmp_path / "slim.rbt", slim=True)
    assert_same_bytes(served(load(tmp_path / "slim.rbt")), served(learner))


def test_the_best_epoch_has_a_tail_of_its_own(tmp_path):
    """Its ledger gives the same mean, and so does that of a file."""
    X, y = floats(2, n=60)
    learner = Perceptron(
        average="tail", early_stopping=True, n_iter_no_change=6, max_iter=40, tol=None, record=True
    ).fit(X, y)
    assert learner.best_iter_ < learner.n_iter_ // 2
    save(learner, tmp_path / "model.rbt")
    for one in (learner, load(tmp_path / "model.rbt")):
        assert one._model.average_from < one._model.weights.average_from
        for found, again in zip(served(one), one.ledger_.best.average(X), strict=True):
            np.testing.assert_allclose(again, found, rtol=1e-9, atol=1e-9)


@two_kinds
def test_an_explanation_by_past_mistakes_adds_up_to_the_mean(average):
    X, y = floats(4)
    learner = Perceptron(average=average, max_iter=6, record=True, **LONG).fit(X, y)
    explanation = learner.explain(X[0], X=X)
    parts = sum(past.contribution for past in explanation.mistakes)
    assert parts == pytest.approx(explanation.score, rel=1e-9)


@two_kinds
def test_the_mean_of_merged_models_is_the_mean_of_their_means(average):
    X, y = floats(6, n=40)
    halves = [Perceptron(average=average, max_iter=6, **LONG).fit(X[k::2], y[k::2]) for k in (0, 1)]
    both = merge(halves)
    mean = (halves[0].coef_ + halves[1].coef_) / 2
    np.testing.assert_allclose(both.coef_, mean, rtol=1e-9, atol=1e-9)
    assert both.t_ - both._model.average_from == sum(
        half.t_ - half._model.average_from for half in halves
    )


def test_going_on_with_another_average_is_refused():
    X, y = floats(1)
    learner = Perceptron().fit(X, y).set_params(average=True)
    with pytest.raises(ParameterError, match="average=True, but the model"):
        learner.partial_fit(X, y)


@pytest.mark.parametrize("wrong", [1, 0, None, "head", "True"])
def test_other_values_are_refused(wrong):
    with pytest.raises(ParameterError, match="False, True or 'tail'"):
        Perceptron(average=wrong).fit([[1.0], [2.0]], [0, 1])


def test_the_voted_perceptron_has_combine_instead():
    assert "average" not in VotedPerceptron().get_params()
    with pytest.raises(TypeError, match="average"):
        VotedPerceptron(average=True)


@every_rule
def test_training_errors_are_those_of_the_mean(rule):
    X, y = floats(9, n=50)
    learner = LEARNERS[rule](average="tail", max_iter=9, **LONG).fit(X, y)
    assert learner.n_training_errors_ == int((learner.predict(X) != y).sum())
    assert learner.converged_ == (learner.n_training_errors_ == 0)
    assert not np.array_equal(learner.raw_coef_, learner.coef_)


@two_kinds
def test_a_pocket_and_an_average_are_two_answers_to_one_question(average):
    with pytest.raises(ParameterError, match="pocket=True keeps the last weights at their best"):
        Perceptron(pocket=True, average=average).fit([[1.0], [2.0]], [0, 1])
