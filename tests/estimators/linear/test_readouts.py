"""Which weights of a stream predict: the last, their mean, or their means of late."""

from __future__ import annotations

import io
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.readouts import PlainMix, PlainReadouts
from scipy.sparse import csr_array
from strategies import LEARNERS as EVERY

import rosenblatt
from rosenblatt import MIRA, PassiveAggressive, Perceptron, SoftPerceptron, datasets
from rosenblatt.arrays import SparseRows
from rosenblatt.errors import InputError, ModelFileError, ParameterError
from rosenblatt.estimators.linear.streaming import Stream
from rosenblatt.evaluate import progressive
from rosenblatt.models import readouts as module

NAMES = ("last", "average", "slow", "fast")
# Every learner that does not predict by rows it has kept.
# Read-outs are refused where rows are kept, and where all weights change at once.
STREAMING = {
    name: make for name, make in EVERY.items() if not make().keeps_rows and not make().rule().scales
}
LEARNERS = (Perceptron, MIRA, PassiveAggressive, SoftPerceptron)


def stream(n: int, k: int = 2, seed: int = 0, d: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    W = rng.normal(size=(k, d))
    W2 = rng.normal(size=(k, d))
    y = np.where(np.arange(n) < n // 2, (X @ W.T).argmax(axis=1), (X @ W2.T).argmax(axis=1))
    return X, y


def means_of(model: Any) -> dict[str, Any]:
    """The weights and bias of each read-out."""
    found = {}
    for name in NAMES:
        model._model.readouts.name = name
        found[name] = np.append(model.coef_[0], model.intercept_[0])
    model._model.readouts.name = model.readout
    return found


@pytest.mark.parametrize("learner", LEARNERS)
@given(seed=st.integers(0, 1000), n=st.integers(2, 150))
@settings(max_examples=15)
def test_means_and_choice_are_those_of_the_plain_formula(learner: Any, seed: int, n: int) -> None:
    X, y = stream(n, seed=seed)
    X += np.random.default_rng(seed).normal(scale=0.1, size=X.shape)  # so that no score is just 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SMALLEST_SCALE", 0.3)  # so that scales begin anew on the way
        model, oracle = learner(readout="auto"), PlainReadouts()
        model.partial_fit(X[:1], y[:1], classes=[0, 1])
        raw = learner(average=False).partial_fit(X[:1], y[:1], classes=[0, 1])
        after = np.append(raw.coef_[0], raw.intercept_[0])
        oracle.learned(np.zeros(5), after, np.append(X[0], 1.0), 2 * int(y[0]) - 1)
        for x, label in zip(X[1:], y[1:].tolist(), strict=True):
            before = after
            model.learn_one(x, label)
            raw.learn_one(x, label)
            after = np.append(raw.coef_[0], raw.intercept_[0])
            oracle.learned(before, after, np.append(x, 1.0), 2 * label - 1)
        found = means_of(model)
    np.testing.assert_array_equal(found["last"], after)
    for name, mean in oracle.means.items():
        np.testing.assert_allclose(found[name], mean, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(model._model.readouts.errors, list(oracle.errors.values()))
    assert model.readout_ == oracle.chosen()


@pytest.mark.parametrize("learner", LEARNERS)
@given(seed=st.integers(0, 1000), n=st.integers(2, 150))
@settings(max_examples=15)
def test_a_mix_is_that_of_the_plain_formula(learner: Any, seed: int, n: int) -> None:
    X, y = stream(n, seed=seed)
    rng = np.random.default_rng(seed)
    X += rng.normal(scale=0.1, size=X.shape)  # so that no score is just 0
    row_weights = rng.choice([0.0, 0.5, 1.0, 3.0], n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SMALLEST_SCALE", 0.3)  # so that scales begin anew on the way
        model, raw, oracle = learner(readout="mix"), learner(average=False), PlainMix(np.zeros(5))
        for x, label, weight in zip(X, y.tolist(), row_weights, strict=True):
            if oracle.t:
                served = np.append(model.coef_[0], model.intercept_[0])
                np.testing.assert_allclose(served, oracle.served(), rtol=1e-9, atol=1e-10)
                score = model.decision_function([x])[0]
                assert score == pytest.approx(served @ np.append(x, 1.0), abs=1e-9)
            for one in (model, raw):
                one.partial_fit([x], [label], classes=[0, 1], sample_weight=[weight])
            after = np.append(raw.coef_[0], raw.intercept_[0])
            oracle.learned(after, np.append(x, 1.0), 2 * label - 1, weight)
    np.testing.assert_allclose(model._model.readouts.errors, list(oracle.errors.values()))
    assert model.readout_ == min(oracle.errors, key=lambda name: oracle.errors[name])


def in_one_batch(learner: Any, X: Any, y: Any, weights: Any) -> None:
    learner.partial_fit(X, y, sample_weight=weights)


def in_batches(learner: Any, X: Any, y: Any, weights: Any) -> None:
    for start in range(0, len(y), 7):
        some = slice(start, start + 7)
        learner.partial_fit(
            X[some], y[some], sample_weight=None if weights is None else weights[some]
        )


def row_by_row(learner: Any, X: Any, y: Any, weights: Any) -> None:
    for place in range(len(y)):
        some = slice(place, place + 1)
        if weights is None:
            learner.learn_one(X[place], y.tolist()[place])
        else:
            learner.partial_fit(X[some], y[some], sample_weight=weights[some])


def by_name(learner: Any, X: Any, y: Any, weights: Any) -> None:
    """As mappings, which have no weights."""
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        learner.learn_one({"abcd"[place]: value for place, value in enumerate(x)}, label)


def as_a_stream(learner: Any, X: Any, y: Any, weights: Any) -> None:
    learner.predict_then_learn(X, y, weights)


def progressively(learner: Any, X: Any, y: Any, weights: Any) -> None:
    progressive(learner, [(X, y) if weights is None else (X, y, weights)])


WAYS = (in_one_batch, in_batches, row_by_row, by_name, as_a_stream, progressively)


@pytest.mark.parametrize("readout", ["mix", "auto"])
@pytest.mark.parametrize("name", STREAMING)
def test_mistakes_of_the_latest_weights_are_counted_whichever_weights_predict(
    name: str, readout: str
) -> None:
    X, y = stream(50, 3)
    weights = np.random.default_rng(0).choice([0.5, 1.0, 2.0], len(y))
    for way, row_weights, record in product(WAYS, (None, weights), (False, True)):
        if way is by_name and row_weights is not None:
            continue
        counted = {}
        for which in (None, readout):
            learner = STREAMING[name](readout=which, record=record)
            way(learner, X, y, row_weights)
            counted[which] = learner.n_mistakes_
        assert counted[readout] == counted[None] > 0, (way, row_weights, record)


def test_the_gentle_learner_moves_a_margin_of_classes_by_no_more_than_it_may() -> None:
    X, y = stream(300, 4)
    model = PassiveAggressive(readout="mix").partial_fit(X[:1], y[:1], classes=range(4))
    for x, label in zip(X[1:], y[1:].tolist(), strict=True):
        weights = [np.column_stack(model._model.weights.plane("gentle"))]
        model.learn_one(x, label)
        weights.append(np.column_stack(model._model.weights.plane("gentle")))
        scores = [w @ np.append(x, 1.0) for w in weights]
        rival = np.argmax(np.where(np.arange(4) == label, -np.inf, scores[0]))
        before, after = (one[label] - one[rival] for one in scores)
        assert after - before == pytest.approx(min(0.4, max(0.0, 1.0 - before)))


def test_a_mix_begins_where_the_weights_are_and_ends_without_a_trace() -> None:
    X, y = stream(100)
    model = Perceptron(random_state=0, max_iter=3, tol=None).set_params(readout="mix")
    with pytest.warns(UserWarning, match="max_iter"):
        model.fit(X, y)
    before = model.coef_
    model.learn_one(X[0], y[0])
    gentle = model._model.weights.plane("gentle")
    assert np.abs(gentle.table - before).max() <= 0.4
    model.set_params(readout="auto").learn_one(X[1], y[1])
    assert "gentle" not in model._model.weights.planes
    assert model._model.readouts.t == 1


@pytest.mark.parametrize("readout", ["auto", "mix"])
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("learner", LEARNERS)
def test_one_by_one_in_batches_or_predicted_first_the_model_is_the_same(
    learner: Any, k: int, readout: str, tmp_path: Path
) -> None:
    """Also across a file; classes join on the way."""
    learner = partial(learner, readout=readout)
    X, y = stream(300, k)
    whole = learner().partial_fit(X, y)
    single = learner()
    for x, label in zip(X, y.tolist(), strict=True):
        single.learn_one(x, label)
    tested = learner()
    for start in range(0, 300, 70):
        tested.predict_then_learn(X[start : start + 70], y[start : start + 70])
        rosenblatt.save(tested, tmp_path / "m.rbt")
        tested = rosenblatt.load(tmp_path / "m.rbt")
    for other in (single, tested):
        assert other.readout_ == whole.readout_
        assert other.coef_.tobytes() == whole.coef_.tobytes()
        assert other._model.readouts.errors.tobytes() == whole._model.readouts.errors.tobytes()
        assert other.predict(X).tolist() == whole.predict(X).tolist()
    sparse = learner().partial_fit(csr_array(X), y)  # sums in another order
    np.testing.assert_allclose(sparse.coef_, whole.coef_, rtol=1e-6, atol=1e-9)
    by_row = learner()
    for i in range(300):
        by_row.partial_fit(csr_array(X[i : i + 1]), y[i : i + 1])
    assert by_row.coef_.tobytes() == sparse.coef_.tobytes()


@pytest.mark.parametrize("readout", [*NAMES, "auto", "mix"])
@pytest.mark.parametrize("latest", [False, True])
@pytest.mark.parametrize("learner", LEARNERS)
@given(seed=st.integers(0, 1000), k=st.sampled_from([2, 3, 5]), sparse=st.sampled_from("dil"))
@settings(max_examples=6)
def test_a_block_in_one_call_gives_what_its_rows_give_one_by_one(
    learner: Any, latest: bool, readout: str, seed: int, k: int, sparse: str
) -> None:
    """Mistakes, predictions and every number of the model; with two types of columns as well."""
    X, y = stream(160, k, seed)
    table: Any = X
    if sparse != "d":
        table = SparseRows.from_dense(X)
        table.indices, table.indptr = table.indices.astype(sparse), table.indptr.astype(sparse)

    def run(size: int, smallest: float) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "SMALLEST_SCALE", smallest)
            model = learner(readout=readout).partial_fit(X[:2], y[:2], classes=range(k))._model
            blocks = Stream(model, learner().rule())
            found = [
                blocks.predict_then_learn(
                    table[i : i + size], y[i : i + size], predictions=True, latest=latest
                )
                for i in range(0, 160, size)
            ]
        arrays = {**model.readouts.to_arrays(model.weights), "coef": model.weights.matrix}
        arrays |= {"wrong": np.concatenate([one.wrong for one in found])}
        predicted = [label for one in found for label in one.predictions]
        told = predicted, model.n_mistakes, model.readouts.t
        return told, {name: array.tobytes() for name, array in arrays.items()}

    assert run(80, 1e-6) == run(1, 1e-6)
    # Scales begin anew all the time.
    assert run(80, 0.5) == run(1, 0.5)


def test_mappings_that_bring_features_give_the_mix_of_the_table() -> None:
    X, y = stream(200, 3)
    named = Perceptron(readout="mix")
    for row, label in zip(X, y.tolist(), strict=True):
        named.learn_one({f"x{j}": v for j, v in enumerate(row.tolist()) if v}, label)
    table = Perceptron(readout="mix").partial_fit(X, y)
    order = [list(named.feature_names_in_).index(f"x{j}") for j in range(4)]
    np.testing.assert_allclose(named.coef_[:, order], table.coef_, rtol=1e-9)
    x = {f"x{j}": v for j, v in enumerate(X[7].tolist())}
    assert named.predict_one(x) == table.predict_one(X[7])


def test_mappings_that_bring_features_give_the_model_of_the_table() -> None:
    X, y = stream(200)
    named = Perceptron(readout="auto")
    for row, label in zip(X, y.tolist(), strict=True):
        named.learn_one({f"x{j}": v for j, v in enumerate(row.tolist()) if v}, label)
    table = Perceptron(readout="auto").partial_fit(X, y)
    order = [list(named.feature_names_in_).index(f"x{j}") for j in range(4)]
    for name in NAMES:
        named._model.readouts.name = table._model.readouts.name = name
        np.testing.assert_array_equal(named.coef_[:, order], table.coef_)
    x = {f"x{j}": v for j, v in enumerate(X[7].tolist())}
    assert named.predict_one(x) == table.predict_one(X[7])


@pytest.mark.parametrize("readout", ["fast", "mix"])
def test_features_put_in_between_leave_the_means_as_they_are(readout: str) -> None:
    X, y = stream(120)
    model = Perceptron(readout=readout).partial_fit(X, y)
    before = model.coef_
    model.insert_features([0, 2])
    assert np.array_equal(np.delete(model.coef_, [0, 3], axis=1), before)
    model.partial_fit(np.insert(X, [0, 2], 0.0, axis=1), y)


@pytest.mark.parametrize("readout", ["auto", "mix"])
def test_progressive_mistakes_are_those_of_predict_one_before_learn_one(readout: str) -> None:
    X, y = stream(400, 3)
    slow, wrong = PassiveAggressive(readout=readout), 0
    for x, label in zip(X, y.tolist(), strict=True):
        wrong += slow.predict_one(x) != label
        slow.learn_one(x, label)
    fast = PassiveAggressive(readout=readout)
    tested = fast.predict_then_learn(X, y)
    assert (
        tested.wrong.sum()
        == wrong
        == progressive(PassiveAggressive(readout=readout), [(X, y)]).mistakes
    )


def test_under_drift_auto_is_near_the_best_and_the_full_average_is_dead() -> None:
    rates = {}
    for readout in (*NAMES, "auto"):
        data = datasets.drifting(6000, 10, kind="sudden", period=1000, flip=0.1).blocks(2000)
        rates[readout] = progressive(PassiveAggressive(C=0.1, readout=readout), data).rate
    assert rates["average"] > 0.4
    assert rates["auto"] < min(rates[name] for name in NAMES) + 0.01
    assert rates["auto"] < rates["last"]


@pytest.mark.parametrize(("kind", "period"), [("gradual", 3000), ("rotating", 20_000)])
def test_a_mix_makes_fewer_mistakes_than_the_choice_of_one(kind: str, period: int) -> None:
    rates = {}
    for readout in ("auto", "mix"):
        data = datasets.drifting(6000, 8, kind=kind, period=period, flip=0.1, seed=3).blocks(2000)
        rates[readout] = progressive(PassiveAggressive(readout=readout), data).rate
    assert rates["mix"] < rates["auto"] - 0.01


def test_without_a_readout_nothing_is_kept_and_fit_ignores_it() -> None:
    X, y = stream(100)
    assert Perceptron().partial_fit(X, y)._model.readouts is None
    with pytest.raises(AttributeError, match="set readout"):
        Perceptron().partial_fit(X, y).readout_  # noqa: B018
    plain = PassiveAggressive(random_state=0, max_iter=3, tol=None)
    asked = PassiveAggressive(random_state=0, max_iter=3, tol=None, readout="auto")
    with pytest.warns(UserWarning, match="max_iter"):
        assert asked.fit(X, y).coef_.tobytes() == plain.fit(X, y).coef_.tobytes()
    # What is learned from there on is followed.
    asked.learn_one(X[0], y[0])
    assert asked.readout_ in NAMES


@pytest.mark.parametrize("readout", ["auto", "mix"])
def test_a_refused_example_changes_nothing(readout: str) -> None:
    X, y = stream(50)
    model = Perceptron(readout=readout).partial_fit(X, y)
    before = model._model.digest()
    with pytest.raises(InputError):
        model.partial_fit([[np.nan] * 4], [0])
    with pytest.raises(InputError):
        model.learn_one([1.0, 2.0], 0)
    assert model._model.digest() == before
    # The first rows of a batch are taken back with the one that is refused.
    large = np.vstack([X[:5], np.full((9, 4), 1e140)])
    with pytest.raises(InputError, match="would leave the range"):
        model.set_params(eta0=1e149).partial_fit(large, [0, 1] * 7)
    assert model._model.digest() == before


def test_a_voted_perceptron_has_no_weights_to_choose_from() -> None:
    X, y = stream(20)
    with pytest.raises(ParameterError, match="readout='fast'"):
        rosenblatt.VotedPerceptron(readout="fast").partial_fit(X, y)
    with pytest.raises(ParameterError, match="readout='best'"):
        Perceptron(readout="best").partial_fit(X, y)


@pytest.mark.parametrize("readout", ["fast", "mix"])
def test_a_slim_file_holds_the_weights_that_predict_alone(readout: str, tmp_path: Path) -> None:
    X, y = stream(300)
    model = Perceptron(readout=readout).partial_fit(X, y)
    rosenblatt.save(model, tmp_path / "slim.rbt", slim=True)
    slim = rosenblatt.load(tmp_path / "slim.rbt")
    assert slim.coef_.tobytes() == model.coef_.tobytes()
    assert slim._model.readouts is None


def test_what_readouts_cannot_be_is_refused() -> None:
    X, y = stream(60)
    model = Perceptron(readout="auto").partial_fit(X, y)
    for name, value in (
        ("readout.scale", np.array([0.5, 0.0, 0.5])),
        ("readout.error", np.array([0.0, 0.0, 0.0, np.nan])),
        ("readout.coef", np.zeros((2, 4))),
        ("readout.coef", np.full((3, 4), np.inf)),
    ):
        state = model.to_state()
        state.arrays[name] = value
        with pytest.raises(ModelFileError):
            rosenblatt.load(io.BytesIO(written(state)))


def written(state: Any) -> bytes:
    from rosenblatt.persistence.file import write  # type: ignore[attr-defined]

    out = io.BytesIO()
    write(state, out)
    return out.getvalue()


def test_the_shell_streams_with_a_readout(tmp_path: Path) -> None:
    from cli.shell import run

    X, y = stream(200)
    lines = [
        "a,b,c,d,y",
        *(",".join(map(str, [*row, label])) for row, label in zip(X, y, strict=True)),
    ]
    (tmp_path / "s.csv").write_text("\n".join(lines))
    options = ["stream", tmp_path / "s.csv", "--learner", "pa", "--readout", "auto"]
    done = run(*options, "--out", tmp_path / "m.rbt")
    assert done.code == 0
    model = rosenblatt.load(tmp_path / "m.rbt")
    assert f"read-out that predicts now: {model.readout_}" in done.out
    assert "same label as before" in done.out
    mixed = run(*options[:-1], "mix").out
    assert "read-out that counts most in the mix now: " in mixed
