"""A model is its mistakes: weights, averages and votes follow from the ledger."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import averaged, binary, multiclass, steps, voted
from strategies import LEARNERS, assert_same_bytes, csr, floats, integers, seeds, tables, weights_of

from rosenblatt import AveragedPerceptron, Ledger, Perceptron, VotedPerceptron
from rosenblatt.errors import InputError, ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

every_learner = pytest.mark.parametrize("name", LEARNERS)
n_classes_in = st.sampled_from([2, 3, 5])
dtypes = st.sampled_from([np.float32, np.float64])
FEW = {"max_iter": 3, "tol": None}


@every_learner
@given(seeds, n_classes_in, st.booleans(), dtypes, st.booleans())
def test_replay_equals_training_to_the_last_bit(name, seed, n_classes, sparse, dtype, shuffle):
    X, y = floats(seed, d=9, n_classes=n_classes, dtype=dtype)
    table = csr(X) if sparse else X
    learner = LEARNERS[name](record=True, shuffle=shuffle, random_state=seed, **FEW).fit(table, y)
    ledger = learner.ledger_
    assert_same_bytes(ledger.replay(table), weights_of(learner))
    assert len(ledger) > 0
    assert ledger.n_examples == learner.t_ == ledger.survival.sum()
    last = list(ledger.trace(table))[-1]
    assert_same_bytes(last, weights_of(learner))
    half = len(ledger) // 2
    assert_same_bytes(ledger.replay(table, upto=half), ledger.upto(half).replay(table))


@every_learner
@given(seeds, n_classes_in, dtypes)
def test_replay_also_starts_from_given_weights_and_counts_row_weights(name, seed, n_classes, dtype):
    X, y = floats(seed, n_classes=n_classes, dtype=dtype)
    random = np.random.default_rng(seed)
    start = random.normal(size=(1 if n_classes == 2 else n_classes, 4))
    factors = random.choice([0.5, 1.0, 3.0], len(X))
    learner = LEARNERS[name](record=True, **FEW)
    learner.fit(X, y, coef_init=start, sample_weight=factors)
    assert_same_bytes(learner.ledger_.replay(X), weights_of(learner))
    np.testing.assert_array_equal(learner.ledger_.replay(X, upto=0)[0], start.astype(dtype))


@every_learner
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_ledger_of_a_resumed_fit_goes_on_with_rows_below_those_before(name, n_classes):
    X, y = floats(8, n_classes=n_classes)
    learner = LEARNERS[name](record=True, warm_start=True, max_iter=2, tol=None).fit(X, y)
    between, n_before = weights_of(learner), len(learner.ledger_)
    learner.fit(X, y)
    ledger, given = learner.ledger_, np.vstack([X, X])
    assert_same_bytes(ledger.replay(given), weights_of(learner))
    assert_same_bytes(ledger.replay(given, upto=n_before), between)
    assert ledger.entries.row[n_before:].min() >= len(X)
    assert ledger.survival.sum() == learner.t_
    with pytest.raises(InputError, match="those of the calls after it, in order"):
        ledger.replay(X)


@given(seeds, n_classes_in, st.booleans())
def test_the_average_of_the_ledger_is_that_of_the_averaged_perceptron(seed, n_classes, sparse):
    X, y = floats(seed, n_classes=n_classes)
    table = csr(X) if sparse else X
    learner = AveragedPerceptron(record=True, **FEW).fit(table, y)
    assert_same_bytes(learner.ledger_.average(table), (learner.coef_, learner.intercept_))
    plain = Perceptron(record=True, **FEW).fit(table, y)
    assert_same_bytes(plain.ledger_.average(table), (learner.coef_, learner.intercept_))
    assert_same_bytes((learner.raw_coef_, learner.raw_intercept_), (plain.coef_, plain.intercept_))


@given(seeds, n_classes_in, st.booleans())
def test_averaged_weights_equal_the_mean_of_snapshots(seed, n_classes, given_start):
    """L4.3: one snapshot after every example, whether or not it caused an update."""
    X, y = integers(seed, n=20, n_classes=n_classes)
    n_vectors = 1 if n_classes == 2 else n_classes
    start = np.ones((n_vectors, 4)) * 2 if given_start else None
    learner = AveragedPerceptron(shuffle=False, **FEW).fit(X, y, coef_init=start)
    common = {"epochs": learner.n_iter_, "fit_intercept": True, "ties": "mistake", "stop": False}
    if n_classes == 2:
        w0 = None if start is None else start[0]
        run = binary.train(X, 2 * y - 1, steps.perceptron, w0=w0, **common)
        mean = averaged.average_binary(run.snapshots)
    else:
        run = multiclass.train(
            X,
            y,
            steps.perceptron,
            n_classes=n_classes,
            raise_only_on_tie=True,
            W0=start,
            **common,
        )
        mean = averaged.average_multiclass(run.snapshots)
    np.testing.assert_allclose(np.squeeze(learner.coef_), mean[0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(np.squeeze(learner.intercept_), mean[1], rtol=1e-12, atol=1e-12)


@given(tables(2), seeds)
def test_binary_votes_equal_the_brute_force_votes(table, seed):
    """L4.2: the sum of c_k sign(w_k.x + b_k), with every vector kept by the oracle."""
    X, y = table
    learner = VotedPerceptron(shuffle=False, **FEW).fit(X, y)
    run = binary.train(
        X,
        2 * y - 1,
        steps.perceptron,
        epochs=learner.n_iter_,
        fit_intercept=True,
        ties="mistake",
        stop=False,
    )
    queries = np.random.default_rng(seed).integers(-5, 6, (9, X.shape[1])).astype(float)
    expected = voted.votes_binary(run, queries)
    np.testing.assert_array_equal(learner.ledger_.votes(X, queries), expected)
    np.testing.assert_allclose(learner.decision_function(queries), expected / run.seen, rtol=1e-12)
    np.testing.assert_array_equal(learner.predict(queries), (expected > 0).astype(int))
    np.testing.assert_array_equal(learner.ledger_.survival, voted.survivals(run))


@given(tables(3), seeds)
def test_multiclass_votes_equal_the_brute_force_votes(table, seed):
    """L4.2: each vector gives its survival time to the class it answers."""
    X, y = table
    learner = VotedPerceptron(shuffle=False, **FEW).fit(X, y)
    run = multiclass.train(
        X,
        y,
        steps.perceptron,
        n_classes=3,
        epochs=learner.n_iter_,
        fit_intercept=True,
        ties="mistake",
        raise_only_on_tie=True,
        stop=False,
    )
    queries = np.random.default_rng(seed).integers(-5, 6, (9, X.shape[1])).astype(float)
    expected = voted.votes_multiclass(run, queries)
    np.testing.assert_array_equal(learner.ledger_.votes(X, queries), expected)
    np.testing.assert_array_equal(learner.predict(queries), voted.predict_multiclass(run, queries))
    np.testing.assert_array_equal(
        VotedPerceptron(shuffle=False, **FEW).fit(csr(X), y).decision_function(csr(queries)),
        learner.decision_function(queries),
    )


@given(seeds, n_classes_in)
def test_one_voted_training_answers_in_three_ways(seed, n_classes):
    X, y = floats(seed, n_classes=n_classes)
    learner = VotedPerceptron(**FEW).fit(X, y)
    state = learner._model.digest()
    learner.combine = "average"
    mean = AveragedPerceptron(**FEW).fit(X, y)
    assert_same_bytes((learner.coef_, learner.intercept_), (mean.coef_, mean.intercept_))
    np.testing.assert_array_equal(learner.decision_function(X), mean.decision_function(X))
    learner.combine = "last"
    last = Perceptron(**FEW).fit(X, y)
    np.testing.assert_array_equal(learner.decision_function(X), last.decision_function(X))
    assert learner._model.digest() == state


def test_votes_do_not_depend_on_the_size_of_a_block(monkeypatch):
    X, y = integers(5, n=50, n_classes=3)
    learner = VotedPerceptron(**FEW).fit(X, y)
    whole = learner.decision_function(X)
    monkeypatch.setattr("rosenblatt.models.ledger.VOTE_BLOCK", 1)
    np.testing.assert_array_equal(learner.decision_function(X), whole)


def test_the_voted_perceptron_keeps_each_mistaken_row_once():
    X, y = integers(5, n=50)
    learner = VotedPerceptron(max_iter=10, tol=None).fit(X, y)
    assert len(learner.ledger_) > len(learner.support_vectors_)
    np.testing.assert_array_equal(
        np.unique(learner.support_vectors_, axis=0), np.unique(X[learner.support_], axis=0)
    )
    assert len(learner.support_vectors_) == len(learner.support_)


def test_a_ledger_survives_the_round_trips_to_arrays_and_bytes():
    X, y = floats(2, n_classes=3)
    ledger = Perceptron(record=True, **FEW).fit(X, y).ledger_
    for copy in (Ledger.from_arrays(ledger.to_arrays()), pickle.loads(pickle.dumps(ledger))):
        assert list(copy) == list(ledger)
        assert_same_bytes(copy.replay(X), ledger.replay(X))


def test_a_ledger_refuses_rows_it_was_not_recorded_on():
    X, y = floats(2)
    ledger = Perceptron(record=True, **FEW).fit(X, y).ledger_
    with pytest.raises(InputError, match=r"X has shape \(30, 3\).* 4 features"):
        ledger.replay(X[:, :3])
    with pytest.raises(InputError, match="1 row for a ledger that names row"):
        ledger.replay(X[:1])
    with pytest.raises(ParameterError, match="upto=-1"):
        ledger.replay(X, upto=-1)


@pytest.mark.parametrize("kind", ["csc_array", "coo_array", "csr_matrix"])
def test_a_ledger_reads_any_kind_of_sparse_matrix_right_or_not_at_all(kind):
    import scipy.sparse as sp

    X, y = floats(2, n=6, d=6)
    learner = Perceptron(record=True, **FEW).fit(X, y)
    table = getattr(sp, kind)(X)
    try:
        found = learner.ledger_.replay(table)
    except InputError as error:
        assert "CSR" in str(error)  # noqa: PT017
    else:
        np.testing.assert_allclose(found[0], learner.coef_, rtol=1e-12)


def test_no_ledger_is_kept_unless_asked_for():
    X, y = floats(2)
    with pytest.raises(AttributeError, match="record=True"):
        _ = Perceptron(**FEW).fit(X, y).ledger_
