"""A refused example changes nothing: not the weights, the classes, the features, the answers."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from strategies import LEARNERS, LINEAR, floats

from rosenblatt import ALMA, AveragedPerceptron, PassiveAggressive, Perceptron, VotedPerceptron
from rosenblatt.errors import InputError, OverflowRefused

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X, Y = floats(1, n=12, d=3)
every_learner = pytest.mark.parametrize("learner", LINEAR)


def spoiled(value):
    values = X.copy()
    values[7, 1] = value
    return values


REFUSED = {
    "NaN": lambda est, method: getattr(est, method)(spoiled(np.nan), Y),
    "too large": lambda est, method: getattr(est, method)(spoiled(1e200), Y),
    "too many columns": lambda est, method: getattr(est, method)(np.full((12, 5), np.nan), Y),
    "float32": lambda est, method: getattr(est, method)(spoiled(np.inf).astype("f4"), Y),
    "sparse": lambda est, method: getattr(est, method)(sp.csr_array(spoiled(np.nan)), Y),
    "too few labels": lambda est, method: getattr(est, method)(X, Y[:3]),
    "mixed labels": lambda est, method: getattr(est, method)(X, [0, "a"] * 6),
    "other labels": lambda est, method: getattr(est, method)(X, ["a", "b"] * 6),
    "weights": lambda est, method: getattr(est, method)(X, Y + 1, sample_weight=Y - 1.0),
    "new class and weights": lambda est, method: getattr(est, method)(
        X, [0, 1, 2] * 4, sample_weight=-np.ones(12)
    ),
}


@every_learner
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize("before", ["fit", "partial_fit"])
@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_batch_leaves_the_model_as_it_was(learner, method, before, case):
    est = learner(max_iter=3, warm_start=case == "other labels", tol=None, record=True)
    getattr(est, before)(X, Y)
    state, answers, known = est._model.digest(), est.decision_function(X), set(vars(est))
    with pytest.raises(ValueError):  # noqa: PT011
        REFUSED[case](est, method)
    assert est._model.digest() == state
    np.testing.assert_array_equal(est.decision_function(X), answers)
    assert set(vars(est)) == known
    assert est.n_features_in_ == 3
    assert est.ledger_.replay(X)[0].shape == (1, 3)


@every_learner
@pytest.mark.parametrize("case", REFUSED)
def test_a_learner_refused_at_first_is_still_new(learner, case):
    est = learner()
    if case == "other labels":
        return
    with pytest.raises(ValueError):  # noqa: PT011
        REFUSED[case](est, "partial_fit")
    assert not hasattr(est, "coef_")
    assert est.predict_one({"a": 1.0}) is None
    est.partial_fit(X, Y)
    assert est._model.digest() == learner().partial_fit(X, Y)._model.digest()


@every_learner
def test_declared_classes_are_forgotten_with_the_refused_batch(learner):
    est = learner().partial_fit(X, Y)
    state = est._model.digest()
    with pytest.raises(InputError):
        est.partial_fit(X, Y, classes=[0, 1, 2, 3], sample_weight=-np.ones(12))
    assert est._model.digest() == state
    with pytest.raises(InputError):
        est.partial_fit(X[:1], ["a"], classes=[0, 1, 2, 3])
    assert est._model.digest() == state


# ---------------------------------------------------------------------- overflow


def pa():
    return PassiveAggressive(variant="PA", fit_intercept=False)


@pytest.mark.parametrize("label", [0, 2], ids=["known class", "new class"])
@pytest.mark.parametrize("record", [False, True])
@pytest.mark.parametrize("small", [1e-200, 1e-160, 1e-155])
def test_an_update_that_would_overflow_is_refused(small, record, label):
    est = pa().set_params(record=record).partial_fit([[1.0], [2.0]], [0, 1])
    state = est._model.digest()
    if small**2 == 0:
        est.partial_fit([[small]], [label])  # a row of length 0 moves nothing
        np.testing.assert_array_equal(est.decision_function([[0.0]]).ravel()[0], 0.0)
        return
    with pytest.raises(OverflowRefused, match=r"float64.*Scale"):
        est.partial_fit([[small]], [label])
    assert est._model.digest() == state
    with pytest.raises(OverflowRefused):
        est.partial_fit([[3.0], [4.0], [-small], [1.0]], [label, 1, label, 0])
    assert est._model.digest() == state


@pytest.mark.parametrize("record", [False, True])
@pytest.mark.parametrize("label", [0, 2], ids=["known class", "new class"])
@pytest.mark.parametrize("features", [{"a": 1e-160}, {"new": 1e-160}, {"new": -1e-160, "b": 0.0}])
def test_a_refused_mapping_leaves_no_feature_and_no_class_behind(features, label, record):
    def start():
        est = pa().set_params(record=record)
        return est.learn_one({"a": 1.0, "b": 2.0}, 0).learn_one({"b": -3.0}, 1)

    est = start()
    state = est._model.digest()
    with pytest.raises(OverflowRefused):
        est.learn_one({"a": 1e-160, **features} if "a" in features else features, label)
    assert est._model.digest() == state
    assert list(est.feature_names_in_) == ["a", "b"]
    assert est.n_features_in_ == 2
    fresh = start()
    for one in (est, fresh):
        one.learn_one({"c": 1.0, "a": -1.0}, 1).learn_one({"d": 1.0, "b": 2.0}, 2)
        assert one.predict_one({"d": 1.0, "b": 2.0}) == 2
    assert est._model.digest() == fresh._model.digest()
    assert list(est.feature_names_in_) == list(fresh.feature_names_in_) == ["a", "b", "c", "d"]
    np.testing.assert_array_equal(est.coef_, fresh.coef_)


@pytest.mark.parametrize("record", [False, True])
@pytest.mark.parametrize("readout", [None, "auto", "mix"])
def test_what_a_refused_batch_of_a_few_sparse_rows_touched_is_put_back(record, readout):
    """Dense rows came before, so that the table lies by class when the sparse ones come."""
    dense = np.random.default_rng(0).standard_normal((30, 40))
    est = pa().set_params(record=record, readout=readout).partial_fit(dense, np.arange(30) % 3)
    state, mistakes = est._model.digest(), est.n_mistakes_
    updates = list(est.ledger_) if record else []
    batch = np.zeros((3, 40))
    batch[0, [1, 3]], batch[1, [0, 4]], batch[2, 0] = [2, 1], [3, -1], 1e-160
    with pytest.raises(OverflowRefused):
        est.partial_fit(sp.csr_array(batch), [0, 1, 2])
    assert (est._model.digest(), est.n_mistakes_) == (state, mistakes)
    assert (list(est.ledger_) if record else []) == updates


# Every learner that keeps no rows to predict by, and each way in which its weights predict.
STREAMS = [
    (name, readout)
    for name, make in LEARNERS.items()
    for readout in ([None] if make().rule().scales else [None, "auto", "mix"])
    if not make().keeps_rows
]


@pytest.mark.parametrize("record", [False, True])
@pytest.mark.parametrize(("name", "readout"), STREAMS)
def test_a_small_batch_of_sparse_rows_copies_no_more_than_it_touches(name, readout, record):
    n_features, stored = 200_000, 5
    random = np.random.default_rng(0)

    def rows(n):
        columns = np.sort(random.choice(n_features, (n, stored)), axis=1).ravel()
        starts = np.arange(0, stored * n + 1, stored)
        return sp.csr_array((np.ones(stored * n), columns, starts), (n, n_features))

    est = LEARNERS[name](record=record, readout=readout)
    for _ in range(2):
        est.partial_fit(rows(6), np.arange(6) % 3)
    batch = rows(6)
    tracemalloc.start()
    est.partial_fit(batch, np.arange(6) % 3)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < est.coef_.nbytes / 2


def test_float32_rows_that_would_overflow_are_refused():
    rows = np.full((2, 2), 9e14, np.float32)
    est = Perceptron(eta0=10.0).partial_fit(rows[:, :] / 1e6, [0, 1])
    state = est._model.digest()
    with pytest.raises(OverflowRefused, match=r"float32.*float64"):
        est.partial_fit(rows, [0, 0])
    assert est._model.digest() == state
    est.partial_fit(rows.astype(np.float64), [0, 0])
    tiny = pa().partial_fit(np.ones((2, 1), np.float32), [0, 1])
    state = tiny._model.digest()
    with pytest.raises(OverflowRefused):
        tiny.partial_fit(np.array([[1e-18]], np.float32), [0])
    assert tiny._model.digest() == state


@pytest.mark.parametrize("warm_start", [False, True])
@pytest.mark.parametrize("learner", [Perceptron, AveragedPerceptron, VotedPerceptron])
def test_a_fit_that_overflows_leaves_the_earlier_one_in_place(learner, warm_start):
    rows = np.vstack([X, [[9e149] * 3] * 2])
    est = learner(warm_start=warm_start, max_iter=5, eta0=10.0).fit(X, Y)
    state, answers = est._model.digest(), est.decision_function(X)
    with pytest.raises(OverflowRefused):
        est.fit(rows, [*Y, 0, 1])
    assert est._model.digest() == state
    np.testing.assert_array_equal(est.decision_function(X), answers)
    assert est.stop_reason_ in {"separated", "max_iter"}


@pytest.mark.parametrize("sparse", [False, True])
def test_a_batch_refused_half_way_is_taken_back_also_from_a_large_model(sparse):
    rows = np.zeros((10, 10_000))
    rows[np.arange(10), np.arange(10)] = 1
    est = Perceptron(eta0=10.0).partial_fit(rows, np.arange(10))
    state = est._model.digest()
    batch = np.zeros((2, 10_000))
    batch[0, 0], batch[1, 0] = 1, 9e149
    with pytest.raises(OverflowRefused):
        est.partial_fit(sp.csr_array(batch) if sparse else batch, [3, 5])
    assert est._model.digest() == state


@pytest.mark.parametrize("name", LEARNERS)
@given(weights=st.sampled_from([1e300, 1e308]))
def test_row_weights_that_overflow_are_refused(name, weights):
    est = LEARNERS[name]().partial_fit(X, Y)
    if est.rule().aims_at_one or isinstance(est, ALMA):
        # Never past a margin of 1, or out of the ball of radius 1.
        est.partial_fit(X, 1 - Y, sample_weight=np.full(12, weights))
        assert np.isfinite(est.coef_).all()
        return
    state = est._model.digest()
    with pytest.raises(OverflowRefused):
        est.partial_fit(X, 1 - Y, sample_weight=np.full(12, weights))
    assert est._model.digest() == state


@pytest.mark.parametrize("bad", [{"a": "red"}, {"a": np.nan}, {"a": 1e200}, {"a": None}])
def test_a_refused_mapping_leaves_a_finished_fit_as_it_was(bad):
    frame = pd.DataFrame(X.astype("f4"), columns=["a", "b", "c"])
    est = Perceptron(max_iter=6, tol=None, record=True)
    est.fit(frame, Y, validation_set=(frame, 1 - Y))
    state, known = est._model.digest(), set(vars(est))
    with pytest.raises(InputError):
        est.learn_one(bad, 0)
    assert est._model.digest() == state
    assert set(vars(est)) == known
    assert est.stop_reason_
