"""Rules that scale all weights: the scale is kept beside the table, and nobody notices."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from reference import averaged, scaled, scaled_runs
from strategies import assert_same_bytes, csr, floats, seeds, separable, weights_of

import rosenblatt
from rosenblatt import ALMA, Pegasos, Perceptron, distributed, theory
from rosenblatt.engine.rows.engine import Engine, Tally
from rosenblatt.engine.rows.rules import Rule
from rosenblatt.errors import InputError, ModelFileError, OverflowRefused, ParameterError
from rosenblatt.model import read
from rosenblatt.models.ledger import Ledger
from rosenblatt.models.rows import as_rows, inspect
from rosenblatt.models.weights import Scaling, Weights
from rosenblatt.persistence.linear_layout import LinearLayout

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

# With these the scale falls below 2^-10 within a few hundred rows.
CASES: dict[str, Any] = {
    "ALMA": (
        lambda **options: ALMA(alpha=0.05, B=40.0, C=6.0, **options),
        scaled.alma(0.05, 40.0, 6.0),
    ),
    "Pegasos": (lambda **options: Pegasos(lambda_=0.02, **options), scaled.pegasos(0.02)),
}
every_rule = pytest.mark.parametrize("rule", CASES)
N = 1200
TINY = 1e-9


def noisy(seed: int, n_classes: int, dtype: Any = np.float64) -> Any:
    """Rows without zeros, since on a row of zeros rounding would choose among equal biases."""
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(N) % n_classes)
    return (random.normal(size=(N, 3)) + 0.1).astype(dtype), y


def learned(rule: str, X: Any, y: Any, cuts: list[int], **options: Any) -> Any:
    """Learn the rows once, cut into calls at these places."""
    learner = CASES[rule][0](**options)
    for start, stop in zip([0, *cuts], [*cuts, len(y)], strict=True):
        if stop > start:
            learner.partial_fit(X[start:stop], y[start:stop], classes=range(int(y.max()) + 1))
    return learner


def folds_of(learner: Any) -> int:
    return int(Scaling(*learner._model.weights.scaling).folds)


# ---------------------------------------------------------------------- against the oracle


@every_rule
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("average", [False, True])
def test_long_streams_equal_the_oracle_though_the_scale_is_folded(
    rule: str, n_classes: int, sparse: bool, average: bool
) -> None:
    X, y = noisy(3, n_classes)
    learner = learned(rule, csr(X) if sparse else X, y, [700], average=average)
    assert folds_of(learner) > 0
    common: dict[str, Any] = {"epochs": 1, "fit_intercept": True, "ties": "mistake"}
    plain = CASES[rule][1]
    if n_classes == 2:
        run: Any = scaled_runs.train_binary(X, 2 * y - 1, plain, **common)
        mean = averaged.average_binary(run.snapshots)
        last = run.w, run.b
    else:
        run = scaled_runs.train_classes(X, y, plain, n_classes=n_classes, **common)
        mean = averaged.average_multiclass(run.snapshots)
        last = run.W, run.b
    coef, intercept = mean if average else last
    np.testing.assert_allclose(np.squeeze(learner.coef_), coef, rtol=TINY, atol=TINY)
    np.testing.assert_allclose(np.squeeze(learner.intercept_), intercept, rtol=TINY, atol=TINY)
    assert learner.n_mistakes_ == run.mistakes[0]


@every_rule
@given(seeds, st.integers(2, 4), st.booleans(), st.booleans())
def test_float32_rows_come_close_to_the_oracle(
    rule: str, seed: int, n_classes: int, sparse: bool, average: bool
) -> None:
    X, y = floats(seed, n=40, d=3, n_classes=n_classes, dtype=np.float32)
    X = X.round(1)
    learner = learned(rule, csr(X) if sparse else X, y, [], average=average)
    assert learner._model.weights.is_float32
    wide = X.astype(np.float64)
    common: dict[str, Any] = {"epochs": 1, "fit_intercept": True, "ties": "mistake"}
    if n_classes == 2:
        run: Any = scaled_runs.train_binary(wide, 2 * y - 1, CASES[rule][1], **common)
        mean = averaged.average_binary(run.snapshots)[0]
        last = run.w
    else:
        run = scaled_runs.train_classes(wide, y, CASES[rule][1], n_classes=n_classes, **common)
        mean = averaged.average_multiclass(run.snapshots)[0]
        last = run.W
        assume(all(not near_a_tie(*of) for of in zip(run.snapshots, wide[1:], y[1:], strict=False)))
    assume(run.plain.nearest_edge > 1e-4)
    size = max(1.0, float(np.abs(last).max()))
    found = np.squeeze(learner.coef_)
    np.testing.assert_allclose(found, mean if average else last, rtol=1e-3, atol=1e-3 * size)


def near_a_tie(weights: Any, x: Any, label: int) -> bool:
    """Whether rounding could choose another rival."""
    wrong = np.sort(np.delete(weights[0] @ x + weights[1], label))
    return bool(wrong[-1] - wrong[-2] < 1e-4 * max(1.0, abs(wrong[-1])))


# ---------------------------------------------------------------------- nobody notices


@every_rule
@settings(max_examples=30)
@given(
    seeds,
    st.sampled_from([2, 3, 5]),
    st.sampled_from(["dense", "sparse"]),
    st.sampled_from([np.float32, np.float64]),
    st.booleans(),
    st.lists(st.integers(0, N), max_size=4).map(sorted),
)
def test_it_does_not_matter_how_a_stream_is_cut(
    rule: str, seed: int, n_classes: int, kind: str, dtype: Any, average: bool, cuts: list[int]
) -> None:
    X, y = noisy(seed, n_classes, dtype)
    X = csr(X) if kind == "sparse" else X
    whole = learned(rule, X, y, [], average=average)
    parts = learned(rule, X, y, cuts, average=average)
    assert whole._model.weights.digest() == parts._model.weights.digest()
    assert_same_bytes((whole.coef_,), (parts.coef_,))


@every_rule
@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_examples_rows_and_mappings_come_to_the_same_model(
    rule: str, average: bool, n_classes: int
) -> None:
    X, y = noisy(1, n_classes)
    batch = learned(rule, csr(X), y, [], average=average)
    ones, mappings = (CASES[rule][0](average=average) for _ in range(2))
    for x, label in zip(X, y.tolist(), strict=True):
        ones.learn_one(x, label, classes=range(n_classes))
        mappings.learn_one(dict(zip("abc", x.tolist(), strict=True)), label, range(n_classes))
    np.testing.assert_allclose(ones.coef_, batch.coef_, rtol=TINY, atol=TINY)
    assert_same_bytes((mappings.coef_, mappings.intercept_), (batch.coef_, batch.intercept_))
    for x in X[:20]:
        assert mappings.predict_one(dict(zip("abc", x, strict=True))) == batch.predict([x])[0]
        assert ones.predict_one(x) == ones.predict([x])[0]


@every_rule
@settings(max_examples=20)
@given(seeds, st.sampled_from([2, 3]), st.booleans(), st.sampled_from([np.float32, np.float64]))
def test_replay_gives_the_weights_of_training(
    rule: str, seed: int, n_classes: int, sparse: bool, dtype: Any
) -> None:
    X, y = noisy(seed, n_classes, dtype)
    rows = csr(X) if sparse else X
    learner = CASES[rule][0](record=True, max_iter=2, tol=None).fit(rows, y)
    ledger = learner.ledger_
    assert_same_bytes(ledger.replay(rows), weights_of(learner))
    assert int(ledger.entries.folds[-1]) > 0
    half = len(ledger) // 2
    assert_same_bytes(ledger.upto(half).replay(rows), ledger.replay(rows, upto=half))
    *_, traced = ledger.upto(half).trace(rows)
    assert_same_bytes(traced, ledger.replay(rows, upto=half))


@every_rule
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("average", [True, "tail"])
def test_the_ledger_gives_the_mean_and_what_each_row_did_to_it(
    rule: str, n_classes: int, average: Any
) -> None:
    X, y = noisy(5, n_classes)
    learner = CASES[rule][0](record=True, max_iter=5, tol=None, average=average).fit(X, y)
    ledger = learner.ledger_
    mean, bias = ledger.average(X)
    np.testing.assert_allclose(mean, learner.coef_, rtol=TINY, atol=TINY)
    np.testing.assert_allclose(bias, learner.intercept_, rtol=TINY, atol=TINY)
    for of_mean, served in ((True, mean), (False, learner._model.weights.matrix)):
        shares = ledger.shares(mean=of_mean)
        found = np.zeros_like(mean)
        for (row, right, wrong, *_), share in zip(
            zip(*ledger.entries[:5], strict=True), shares, strict=True
        ):
            if n_classes == 2:
                found[0] += (2 * right - 1) * share * X[row]
            else:
                found[right] += share * X[row]
                found[wrong] -= share * X[row]
        np.testing.assert_allclose(found, served, rtol=1e-8, atol=1e-8)


@every_rule
def test_what_is_learned_after_fit_joins_the_mean_of_the_tail(rule: str) -> None:
    X, y = noisy(5, 2)
    options: dict[str, Any] = {"shuffle": False, "tol": None, "max_iter": 5, "average": "tail"}
    learner = CASES[rule][0](record=True, **options).fit(X, y)
    learner.partial_fit(X[:500], y[:500])
    common: dict[str, Any] = {"fit_intercept": True, "ties": "mistake"}
    run = scaled_runs.train_binary(X, 2 * y - 1, CASES[rule][1], epochs=6, **common)
    coef, _ = averaged.average_binary(run.snapshots[2 * N : 5 * N + 500])
    np.testing.assert_allclose(learner.coef_[0], coef, rtol=TINY, atol=TINY)
    rows = np.vstack([X, X[:500]])
    np.testing.assert_allclose(learner.ledger_.average(rows)[0][0], coef, rtol=TINY, atol=TINY)


@every_rule
def test_rows_of_weight_zero_are_left_out_to_the_last_bit(rule: str) -> None:
    X, y = noisy(6, 3)
    weights = np.arange(N) % 2.0
    known: dict[str, Any] = {"classes": [0, 1, 2]}
    weighted = CASES[rule][0]().partial_fit(X, y, sample_weight=weights, **known)
    picked = CASES[rule][0]().partial_fit(X[1::2], y[1::2], **known)
    assert_same_bytes(weights_of(weighted), weights_of(picked))


@every_rule
def test_a_mean_that_is_recorded_from_midway_is_that_of_the_rows_since(rule: str) -> None:
    X, y = noisy(7, 2)
    learner = learned(rule, X[:900], y[:900], [])
    learner.set_params(record=True).partial_fit(X[900:], y[900:])
    assert folds_of(learner) > 0
    run = scaled_runs.train_binary(
        X, 2 * y - 1, CASES[rule][1], epochs=1, fit_intercept=True, ties="mistake"
    )
    coef, _ = averaged.average_binary(run.snapshots[900:])
    np.testing.assert_allclose(learner.ledger_.average(X[900:])[0][0], coef, rtol=TINY, atol=TINY)


@every_rule
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("record", [False, True])
def test_the_dual_form_is_the_weights(rule: str, n_classes: int, record: bool) -> None:
    X, y = noisy(2, n_classes)
    learner = CASES[rule][0](record=record, max_iter=3, tol=None, fit_intercept=False).fit(X, y)
    assert folds_of(learner) > 0
    np.testing.assert_allclose(
        learner.dual_coef_ @ X[learner.support_], learner.coef_, rtol=1e-8, atol=1e-8
    )


@every_rule
@pytest.mark.parametrize("average", [False, True, "tail"])
def test_copies_and_files_go_on_to_the_last_bit(rule: str, average: Any, tmp_path: Any) -> None:
    X, y = noisy(4, 3)
    learner = CASES[rule][0](average=average, record=True, max_iter=4).fit(X[:1000], y[:1000])
    rosenblatt.save(learner, tmp_path / "model.rbt")
    twins = [
        copy.deepcopy(learner),
        pickle.loads(pickle.dumps(learner)),
        rosenblatt.load(tmp_path / "model.rbt"),
    ]
    learner.partial_fit(X[1000:], y[1000:])
    for twin in twins:
        twin.partial_fit(X[1000:], y[1000:])
        assert twin._model.weights.digest() == learner._model.weights.digest()
        assert_same_bytes(twin.ledger_.replay(X), learner.ledger_.replay(X))
        for one, other in zip(twin.ledger_.average(X), learner.ledger_.average(X), strict=True):
            np.testing.assert_array_equal(one, other)


@every_rule
def test_a_slim_file_predicts_alike(rule: str, tmp_path: Any) -> None:
    X, y = noisy(4, 3)
    learner = learned(rule, X, y, [], average=True)
    rosenblatt.save(learner, tmp_path / "model.rbt", slim=True)
    slim = rosenblatt.load(tmp_path / "model.rbt")
    np.testing.assert_array_equal(slim.decision_function(X), learner.decision_function(X))


@every_rule
def test_the_best_epoch_is_replayed(rule: str) -> None:
    X, y = noisy(6, 2)
    learner = CASES[rule][0](record=True, early_stopping=True, max_iter=30, random_state=1)
    learner.fit(X, y)
    found = learner.ledger_.best.replay(X)
    assert_same_bytes(found, (learner.coef_, learner.intercept_))


@every_rule
def test_predict_then_learn_predicts_by_the_weights_so_far(rule: str) -> None:
    X, y = noisy(8, 3)
    for average in (False, True):
        learner = learned(rule, X[:1100], y[:1100], [], average=average)
        assert folds_of(learner) or rule == "Pegasos"
        twin = copy.deepcopy(learner)
        told = learner.predict_then_learn(X[1100:1200], y[1100:1200])
        for x, label, predicted in zip(X[1100:], y[1100:].tolist(), told.predictions, strict=False):
            assert twin.predict([x])[0] == predicted
            twin.partial_fit([x], [label])
        assert twin._model.weights.digest() == learner._model.weights.digest()


@every_rule
def test_classes_that_join_halve_the_vector_and_the_squared_length(rule: str) -> None:
    X, y = noisy(9, 2)
    learner = learned(rule, X, y, [], average=True)
    scores = learner.decision_function(X[:5])
    learner.partial_fit(X[:1] * 0, [0], sample_weight=[0.0])
    learner.partial_fit(X[:1], [2], classes=[0, 1, 2], sample_weight=[0.0])
    weights = learner._model.weights
    lead = learner.decision_function(X[:5])
    np.testing.assert_allclose(np.sign(lead[:, 1] - lead[:, 0]), np.sign(scores))
    if rule == "ALMA":
        assert Scaling(*weights.scaling).length2 == pytest.approx(weights.squared_distance())


# ---------------------------------------------------------------------- refusals


def test_a_scale_of_zero_is_refused_and_nothing_has_changed() -> None:
    """ALMA would divide by a length that is not finite."""
    rows = as_rows(np.array([[1.0, 2.0], [3.0, 4.0]]))
    inspect(rows)
    for n_vectors in (1, 3):
        weights = Weights(n_vectors, 2, is_scaled=True)
        weights.scaling = Scaling(length2=np.inf)
        before = weights.digest()
        tally = Tally()
        labels = np.array([0, 1], np.int32)
        assert Engine(weights, Rule("ALMA")).learn(rows, labels, 0, 2, tally) == 0
        assert tally.refused == 0
        assert weights.digest() == before


def test_an_update_out_of_range_is_refused_and_nothing_has_changed() -> None:
    learner = learned("Pegasos", *noisy(0, 2), [])
    before = learner._model.digest()
    batch = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    with pytest.raises(OverflowRefused):
        learner.partial_fit(batch, [0, 1, 0], sample_weight=[1.0, 1e300, 1e300])
    assert learner._model.digest() == before


@every_rule
@pytest.mark.parametrize("readout", ["mix", "auto", "last", "slow"])
def test_readouts_are_refused_before_anything_is_learned(rule: str, readout: str) -> None:
    learner = CASES[rule][0](readout=readout)
    with pytest.raises(ParameterError, match="changes all weights at once"):
        learner.partial_fit([[1.0]], [1], classes=[0, 1])


def test_a_rule_that_scales_needs_weights_that_are_scaled() -> None:
    rows = as_rows(np.ones((1, 2)))
    inspect(rows)
    labels = np.zeros(1, np.int32)
    for rule, is_scaled in ((Rule("Pegasos"), False), (Rule("PA"), True)):
        weights = Weights(1, 2, is_scaled=is_scaled)
        with pytest.raises(TypeError, match="scales"):
            Engine(weights, rule).learn(rows, labels, 0, 1, Tally())


@every_rule
def test_distribute_refuses_what_counts_its_steps(rule: str) -> None:
    with pytest.raises(ParameterError, match="merge models of whole runs"):
        rosenblatt.distribute(CASES[rule][0](), shards=2)


# ---------------------------------------------------------------------- what they are for


@every_rule
@pytest.mark.parametrize("average", [False, True])
def test_merged_models_have_the_mean_of_the_weights(rule: str, average: bool) -> None:
    X, y = noisy(3, 3)
    parts = [learned(rule, X[:900], y[:900], [], average=average)]
    parts.append(learned(rule, X[900:], y[900:], [], average=average))
    merged = distributed.merge(parts)
    expected = (parts[0].coef_ + parts[1].coef_) / 2
    np.testing.assert_allclose(merged.coef_, expected, rtol=TINY, atol=TINY)
    if average:
        last = (parts[0].raw_coef_ + parts[1].raw_coef_) / 2
        np.testing.assert_allclose(merged.raw_coef_, last, rtol=TINY, atol=TINY)
    assert merged.t_ == N
    merged.partial_fit(X, y)


@pytest.mark.parametrize("alpha", [0.9, 0.5, 0.2])
@pytest.mark.parametrize("bias", [False, True])
def test_alma_finds_the_margin_that_its_theorem_promises(alpha: float, bias: bool) -> None:
    X, y, _ = separable(11, n=40, d=3, gamma=0.1, bias=bias)
    rows = np.column_stack([X, np.ones(len(X))]) if bias else X
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    largest = theory.max_margin(unit, y, fit_intercept=False).margin
    learner = ALMA(alpha=alpha, B=np.sqrt(8) / alpha, fit_intercept=bias, record=True)
    learner.set_params(tol=None, max_iter=5000, n_iter_no_change=5000).fit(X, y)
    assert len(learner.ledger_) <= theory.alma_bound(largest, alpha)
    assert learner.stop_reason_ == "separated"
    w = np.append(learner.coef_, learner.intercept_) if bias else learner.coef_[0]
    assert np.linalg.norm(w) <= 1 + 1e-9
    assert (y * (unit @ w)).min() >= (1 - alpha) * largest


def test_pegasos_comes_near_the_least_loss() -> None:
    X, y = floats(3, n=200, d=4)
    y = (X[:, 0] > 0.2).astype(int)
    lam = 0.1

    def loss(w: Any) -> float:
        margins = (2 * y - 1) * (np.column_stack([X, np.ones(len(X))]) @ w)
        return float(lam / 2 * w @ w + np.maximum(0, 1 - margins).mean())

    svm = Pegasos(lambda_=lam, average="tail", tol=None, max_iter=200, n_iter_no_change=200)
    svm.fit(X, y)
    found = loss(np.append(svm.coef_, svm.intercept_))
    other = Perceptron(average=True).fit(X, y)
    assert found < loss(np.append(other.coef_, other.intercept_))
    draw = np.random.default_rng(0)
    best = np.append(svm.coef_, svm.intercept_)
    nearby = [loss(best + draw.normal(size=5) * size) for size in (0.01, 0.1, 1.0) for _ in "abc"]
    assert found <= min(nearby) + 1e-3


def test_starting_weights_count_as_little_as_one_example() -> None:
    """At t = 1 they are kept, at t = 2 halved: in the end they are divided by t."""
    X, y = np.array([[1.0], [-1.0], [2.0], [-2.0]]), np.array([1, 0, 1, 0])
    options: dict[str, Any] = {"fit_intercept": False, "shuffle": False, "max_iter": 1, "tol": None}
    svm = Pegasos(lambda_=1.0, **options).fit(X, y, coef_init=[[8.0]])
    assert svm.coef_.tolist() == [[2.0]]


@pytest.mark.parametrize("weight", [0.5, 3.0])
def test_the_weight_of_a_row_multiplies_its_loss(weight: float) -> None:
    X, y = np.array([[1.0, 0.0], [0.0, -1.0]]), [1, 0]
    svm = Pegasos(lambda_=0.5, fit_intercept=False)
    svm.partial_fit(X, y, classes=[0, 1], sample_weight=[weight, 1.0])
    assert svm.coef_.tolist() == [[weight, 1.0]]


def test_weights_read_from_python_are_scaled() -> None:
    learner = learned("Pegasos", *noisy(2, 3), [], average=True)
    weights = learner._model.weights
    plain = Weights.from_arrays(weights.to_arrays())
    assert weights.scale < 1.0 == plain.scale
    np.testing.assert_array_equal(plain.stored_matrix, weights.matrix)
    np.testing.assert_array_equal(plain.stored_bias, weights.bias)
    both = np.append(weights.matrix, weights.bias)
    assert weights.squared_distance() == pytest.approx(float(both @ both))
    for one, other in zip(plain.average(), weights.average(), strict=True):
        np.testing.assert_allclose(one, other, rtol=TINY, atol=TINY)
    for one, other in zip(plain.total(), weights.total(), strict=True):
        np.testing.assert_allclose(one, other, rtol=TINY, atol=1e-6)


# ---------------------------------------------------------------------- forged files


@pytest.mark.parametrize(
    "forged",
    [
        {"scale": 0.0},
        {"scale": 1.5},
        {"scale": float("nan")},
        {"folds": -1},
        {"clock": -1.0},
        {"clock": 1e9},
        {"since": N + 1},
        {"updates": N + 1},
        {"examples": N + 1},
        {"length2": float("inf")},
        {"folds_from": 5},
    ],
    ids=str,
)
def test_numbers_that_no_scaled_weights_have_are_refused(
    forged: dict[str, Any], tmp_path: Any
) -> None:
    rosenblatt.save(learned("Pegasos", *noisy(1, 2), []), tmp_path / "model.rbt")
    card = read(tmp_path / "model.rbt").card
    LinearLayout().check_card(card)
    scaling = card.model.scaling._replace(**forged)
    forged_card = replace(card, model=replace(card.model, scaling=scaling))
    with pytest.raises(ModelFileError):
        LinearLayout().check_card(forged_card)


def test_a_ledger_whose_folds_are_taken_back_is_refused() -> None:
    X, y = noisy(1, 2)
    ledger = learned("ALMA", X, y, [], record=True).ledger_
    arrays = ledger.to_arrays()
    assert_same_bytes(Ledger.from_arrays(arrays).replay(X), ledger.replay(X))
    for name, values in (
        ("folds", arrays["folds"][::-1]),
        ("scale", -arrays["scale"]),
        ("clock", arrays["clock"] * np.nan),
        ("clock", arrays["clock"][1:]),
    ):
        with pytest.raises(InputError, match="no ledger"):
            Ledger.from_arrays({**arrays, name: values})
