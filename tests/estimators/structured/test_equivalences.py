"""The structured perceptron beside its oracle, the multiclass one, itself and the theorem."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from reference import structured as reference
from sklearn.exceptions import ConvergenceWarning
from strategies import floats, seeds

from rosenblatt import AveragedPerceptron, Perceptron, SequenceTagger, StructuredPerceptron
from rosenblatt.engine.rows import ordering

from . import problems
from .taggers import bytes_of, sentences

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def orders(n: int, epochs: int, seed: int) -> list[list[int]]:
    found, order, state = [], np.empty(n, np.int64), seed
    for _ in range(epochs):
        state = ordering.shuffled(order, state)
        found.append(order.tolist())
    return found


def vector_of(weights: dict[Any, float], length: int = 21) -> np.ndarray:
    names = [f"feature {j}" for j in range(length)]
    assert set(weights) <= set(names) | set(range(length))
    return np.array([weights.get(n, weights.get(j, 0.0)) for j, n in enumerate(names)])


@given(seeds, st.booleans(), st.booleans(), st.integers(1, 6))
def test_with_classes_as_answers_it_is_the_multiclass_perceptron(
    seed: int, averaged: bool, shuffle: bool, max_iter: int
) -> None:
    """On real numbers: which of two equal wrong classes is lowered is a matter of taste."""
    X, y = floats(seed, n=20, n_classes=3)
    assume(X.any(axis=1).all())
    settings = {"max_iter": max_iter, "shuffle": shuffle, "random_state": seed}
    kind = AveragedPerceptron if averaged else Perceptron
    plain = kind(fit_intercept=False, ties="positive", tol=None, **settings).fit(X, y)
    model = StructuredPerceptron(problems.Classes(3), averaged=averaged, **settings).fit(X, y)
    assert model.mistakes_per_epoch_ == plain.mistakes_per_epoch_
    assert model.stop_reason_ == plain.stop_reason_
    assert model.mistakes_per_row_.tolist() == plain.mistakes_per_row_.tolist()
    coef = [[model.weights_[c, j] for j in range(X.shape[1])] for c in range(3)]
    np.testing.assert_allclose(coef, plain.coef_, atol=1e-12)
    raw = [[model.raw_weights_[c, j] for j in range(X.shape[1])] for c in range(3)]
    np.testing.assert_allclose(raw, plain._model.weights.matrix, atol=1e-12)
    assert model.t_ == plain.t_


@given(seeds, st.integers(1, 4))
@pytest.mark.parametrize(
    "features",
    [problems.tag_mapping, problems.tag_vector, problems.tag_sparse, problems.tag_sparse_1d],
)
def test_weights_and_average_equal_those_of_the_oracle(
    features: Any, seed: int, epochs: int
) -> None:
    xs, ys = problems.sentences(seed)
    model = StructuredPerceptron(problems.tagging(features), max_iter=epochs, random_state=seed)
    model.fit(xs, ys)
    snapshots, mistakes = reference.train(
        xs, ys, problems.tag_vector, problems.best_tags, orders(len(xs), epochs, seed)
    )
    assert model.mistakes_per_epoch_ == mistakes
    np.testing.assert_array_equal(vector_of(model.raw_weights_), snapshots[-1])
    np.testing.assert_allclose(vector_of(model.weights_), np.mean(snapshots, axis=0), atol=1e-12)


@given(seeds, st.sampled_from([0.05, 1.0, 100.0]))
@pytest.mark.parametrize("with_cost", [False, True])
@pytest.mark.parametrize("augmented", [False, True])
def test_every_step_of_mira_is_the_one_of_its_formula(
    augmented: bool, with_cost: bool, seed: int, C: float
) -> None:
    """Followed example by example, looking at all answers; of near ties any may be found."""
    xs, ys = problems.sentences(seed)
    cost = problems.hamming if with_cost else lambda gold, y: float(gold != y)
    search = problems.tagging().argmax if augmented else problems.plain_argmax
    model = StructuredPerceptron(
        features=problems.tag_mapping,
        argmax=search,
        cost=problems.hamming if with_cost else None,
        update="mira",
        C=C,
        max_iter=3,
        random_state=seed,
        record=True,
    ).fit(xs, ys)
    updates = {update.t: update for update in model.ledger_}
    w, t = np.zeros(21), 0
    for i in (i for order in orders(len(xs), model.n_iter_, seed) for i in order):
        x, gold, t = xs[i], ys[i], t + 1
        sought = {
            y: float(w @ problems.tag_vector(x, y)) + augmented * cost(gold, y)
            for y in problems.all_tags(x)
        }
        best = max(sought.values())
        if t not in updates:
            twins = [
                y for y in sought if problems.tag_mapping(x, y) == problems.tag_mapping(x, gold)
            ]
            assert max(sought[y] for y in twins) >= best - 1e-9
            continue
        update = updates[t]
        assert (update.row, update.y_true) == (i, gold)
        assert sought[update.y_pred] >= best - 1e-9
        delta = problems.tag_vector(x, gold) - problems.tag_vector(x, update.y_pred)
        loss = cost(gold, update.y_pred) - float(w @ delta)
        assert update.step == pytest.approx(min(C, loss / float(delta @ delta)), abs=1e-9)
        w = w + update.step * delta
    assert t == model.t_
    np.testing.assert_allclose(vector_of(model.raw_weights_), w, atol=1e-9)


@given(seeds)
def test_an_unbounded_step_of_mira_puts_the_right_answer_ahead_by_the_cost(seed: int) -> None:
    xs, ys = problems.sentences(seed, n=1)
    model = StructuredPerceptron(
        problems.tagging(cost=problems.hamming), update="mira", C=1e9, averaged=False, record=True
    ).partial_fit(xs, ys)
    for update in model.ledger_:
        lead = model.decision(xs[0], ys[0]) - model.decision(xs[0], update.y_pred)
        assert lead == pytest.approx(problems.hamming(ys[0], update.y_pred))


@given(seeds, st.sampled_from([0.05, 0.2]))
def test_mistakes_never_exceed_the_bound_whatever_the_number_of_answers(
    seed: int, gamma: float
) -> None:
    """L1.16: k <= (R/γ)², R the longest difference of two answers to one x."""
    xs, ys, u = problems.separable_sentences(seed, 12, gamma)
    assume(xs)
    model = StructuredPerceptron(
        problems.tagging(), max_iter=2000, random_state=seed, averaged=False
    ).fit(xs, ys)
    margins, lengths = [], []
    for x, gold in zip(xs, ys, strict=True):
        right = problems.tag_vector(x, gold)
        deltas = [right - problems.tag_vector(x, y) for y in problems.all_tags(x) if y != gold]
        margins += [float(u @ delta) for delta in deltas]
        lengths += [float(np.linalg.norm(delta)) for delta in deltas]
    assert model.stop_reason_ == "separated"
    assert model.converged_
    assert model.score(xs, ys) == 1.0
    assert model.n_mistakes_ <= (max(lengths) / min(margins)) ** 2
    assert model.margin_ceiling_ >= min(margins)


@given(seeds, st.integers(1, 4), st.sampled_from(["perceptron", "mira"]))
@example(4626, 3, "perceptron")  # after three epochs the mean is right, the last weights are not
def test_a_run_in_two_parts_equals_one_run(seed: int, first: int, update: str) -> None:
    xs, ys = problems.sentences(seed)

    def made(max_iter: int) -> StructuredPerceptron:
        return StructuredPerceptron(
            problems.tagging(cost=problems.hamming),
            update=update,
            max_iter=max_iter,
            random_state=seed,
            warm_start=True,
            record=True,
        )

    whole = made(5).fit(xs, ys)
    parts = made(first).fit(xs, ys)
    if parts.stop_reason_ == "max_iter":
        parts.set_params(max_iter=5 - first).fit(xs, ys)
    assert parts.weights_ == whole.weights_
    assert parts.raw_weights_ == whole.raw_weights_
    rows = [update._replace(row=update.row % len(xs)) for update in parts.ledger_]
    assert rows == list(whole.ledger_)  # each fit numbers its examples after those before
    assert (parts.t_, parts.n_mistakes_) == (whole.t_, whole.n_mistakes_)


@given(seeds)
def test_one_by_one_or_at_once_or_unshuffled_fit_is_the_same(seed: int) -> None:
    xs, ys = problems.sentences(seed)
    fitted = StructuredPerceptron(problems.tagging(), shuffle=False, max_iter=1).fit(xs, ys)
    at_once = StructuredPerceptron(problems.tagging()).partial_fit(xs, ys)
    one_by_one = StructuredPerceptron(problems.tagging())
    for x, y in zip(xs, ys, strict=True):
        one_by_one.partial_fit([x], [y])
    for other in (at_once, one_by_one):
        assert other.weights_ == fitted.weights_
        assert other.raw_weights_ == fitted.raw_weights_
        assert (other.t_, other.n_mistakes_) == (fitted.t_, fitted.n_mistakes_)


@given(seeds, st.sampled_from(["perceptron", "mira"]))
def test_replaying_the_ledger_gives_the_weights_to_the_last_bit(seed: int, update: str) -> None:
    xs, ys = problems.sentences(seed)
    model = StructuredPerceptron(problems.tagging(), update=update, C=0.3, record=True).fit(xs, ys)
    assert model.ledger_.replay(xs) == model.raw_weights_
    assert model.ledger_.average(xs) == model.weights_
    assert model.ledger_.replay(xs, upto=0) == {}


@given(seeds)
def test_the_order_in_which_features_are_listed_changes_nothing(seed: int) -> None:
    """A set of words has another order in every process."""
    xs, ys = problems.sentences(seed)
    scale = {
        f"feature {j}": value for j, value in enumerate(np.random.default_rng(seed).random(21))
    }

    def features(x: Any, y: Any) -> dict[str, float]:
        return {name: value * scale[name] for name, value in problems.tag_mapping(x, y).items()}

    def turned(x: Any, y: Any) -> dict[str, float]:
        return dict(reversed(features(x, y).items()))

    one, other = (
        StructuredPerceptron(problems.tagging(f), max_iter=3, update="mira").fit(xs, ys)
        for f in (features, turned)
    )
    assert one.weights_ == other.weights_
    assert one.mistakes_per_epoch_ == other.mistakes_per_epoch_


PROGRAM = """
import warnings
from rosenblatt import StructuredPerceptron
warnings.simplefilter("ignore")

def features(x, y):
    names = {f"{word}/{tag}" for word, tag in zip(x, y)} | {f"{a}>{b}" for a, b in zip(y, y[1:])}
    return {name: len(name) / 7 for name in names}

def argmax(x, score, gold=None):
    answers = [()]
    for _ in x:
        answers = [(*y, tag) for y in answers for tag in "ABC"]
    return max(answers, key=lambda y: score(y) + score.cost(y))

xs = [("a", "b"), ("b", "c", "a"), ("c", "a"), ("b", "a", "a"), ("c",), ("a", "b")]
ys = ["AB", "BCA", "CC", "ABA", "C", "BA"]
ys = [tuple(y) for y in ys]
for update in ("perceptron", "mira"):
    model = StructuredPerceptron(features=features, argmax=argmax, update=update).fit(xs, ys)
    print(sorted((name, weight.hex()) for name, weight in model.weights_.items()))
"""


def test_two_processes_learn_the_same_bytes_from_features_that_are_sets() -> None:
    shown = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert shown[0].count("0x") > 10
    assert shown[0] == shown[1]


def test_the_warning_of_an_unfinished_run_says_what_is_left() -> None:
    xs, ys = [(0,), (0,)], [(1,), (2,)]
    model = StructuredPerceptron(problems.tagging(), max_iter=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ConvergenceWarning, match=r"max_iter=3 with \d mistakes?"):
            model.fit(xs, ys)
    assert model.stop_reason_ == "max_iter"
    assert not model.converged_


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    declared=st.permutations(["P", "Q", "R", "Z"]),
    options=st.sampled_from(
        [{}, {"rule": "mira"}, {"search": "beam", "beam": 2}, {"order": 2}, {"averaged": False}]
    ),
)
def test_sentences_one_by_one_with_declared_tags_equal_the_batch(seed, declared, options):
    xs, ys = sentences(seed, n=6)
    batch = SequenceTagger(**options).partial_fit(xs, ys, classes=declared)
    one = SequenceTagger(**options)
    for x, y in zip(xs, ys, strict=True):
        one.learn_one(x, y, classes=declared)
    assert (one.tags_, one.n_mistakes_, one.t_) == (batch.tags_, batch.n_mistakes_, batch.t_)
    assert one.predict(xs) == batch.predict(xs)
    assert [str(one.explain(x)) for x in xs] == [str(batch.explain(x)) for x in xs]


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_tags=st.integers(1, 5),
    cuts=st.sets(st.integers(1, 9), max_size=4),
    options=st.sampled_from(
        [
            {},
            {"rule": "mira"},
            {"search": "beam", "beam": 2},
            {"order": 2, "record": True},
            {"averaged": False},
            {"constraints": {"P": ["P", "Q", "R", "Z"]}},
        ]
    ),
)
def test_tags_join_at_their_sentence_however_a_stream_is_cut(seed, n_tags, cuts, options):
    names = "PQRZ" if "constraints" in options else "PQRZY"
    xs, ys = sentences(seed, n=10, tags=names[:n_tags])
    xs, ys = xs[::-1], ys[::-1]  # the first of them has all tags
    if "constraints" in options:
        xs, ys = [["a"] * 4, *xs], [[*"PQRZ"], *ys]
    one = SequenceTagger(**options)
    for x, y in zip(xs, ys, strict=True):
        one.learn_one(x, y)
    for places in ([], sorted(cuts)):
        batches = SequenceTagger(**options)
        for start, stop in pairwise([0, *places, len(xs)]):
            batches.partial_fit(xs[start:stop], ys[start:stop])
        assert bytes_of(batches) == bytes_of(one)
        if "record" in options:
            assert list(batches.ledger_) == list(one.ledger_)
            assert (
                batches.ledger_.replay(xs).rows.tobytes() == one.ledger_.replay(xs).rows.tobytes()
            )
