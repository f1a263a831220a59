"""One ledger API for all families: replay, average, votes, survival, whatever is learned."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from estimators.structured import taggers

from rosenblatt import (
    MIRA,
    AveragedPerceptron,
    KernelPerceptron,
    Perceptron,
    SequenceTagger,
    SoftPerceptron,
    StructuredPerceptron,
    VotedPerceptron,
)
from rosenblatt.errors import ConvergenceWarning, InputError, ParameterError
from rosenblatt.models.ledger import BaseLedger
from rosenblatt.models.recording import Update

Weights = Any


@dataclass
class Family:
    """How the tests reach what a learner of one family has learned."""

    make: Callable[..., Any]
    data: Callable[[], tuple[Any, Any]]
    weights: Callable[[Any], Weights]  # of the learner, as replay gives them
    average: Callable[[Any], Weights]  # of the learner, as an averaged one serves them
    plain: Callable[[Weights], Any] = lambda weights: weights

    def fit(self, **options: Any) -> Any:
        return self.make(max_iter=3, **options).fit(*self.data())


def rows(n_classes: int) -> Callable[[], tuple[Any, Any]]:
    def made() -> tuple[Any, Any]:
        generator = np.random.default_rng(n_classes)
        return generator.standard_normal((30, 4)), generator.integers(0, n_classes, 30)

    return made


def arrays(weights: Any) -> list[bytes]:
    return [np.asarray(part).tobytes() for part in weights]


def averaged(n_classes: int) -> Weights:
    learner = AveragedPerceptron(max_iter=3, tol=None).fit(*rows(n_classes)())
    return learner.coef_, learner.intercept_


def linear(learner: type, n_classes: int, **parameters: Any) -> Family:
    return Family(
        make=lambda **more: learner(record=True, tol=None, **parameters, **more),
        data=rows(n_classes),
        weights=lambda fitted: (fitted._model.weights.matrix, fitted._model.weights.bias),
        average=lambda fitted: averaged(n_classes),
        plain=arrays,
    )


def kernel(n_classes: int, multiclass: str = "ovr") -> Family:
    return Family(
        make=lambda **more: KernelPerceptron(multiclass=multiclass, tol=None, gamma=1.0, **more),
        data=rows(n_classes),
        weights=lambda fitted: fitted.set_params(combine="last").dual_coef_,
        average=lambda fitted: fitted.set_params(combine="average").dual_coef_,
        plain=lambda coefficients: coefficients.tobytes(),
    )


def tag_arrays(weights: Any) -> tuple[Any, ...]:
    """Every number of a tagger's weights; an average has no running sums."""
    n = weights.n_rows
    sums = (weights.row_running_sum[:n], weights.step_running_sum, weights.pair_running_sum)
    parts = (weights.rows[:n], weights.steps, weights.pairs, *sums)
    return weights.t, weights.row_of.tobytes(), [part.tobytes() for part in parts]


def tags(of_words: bool, **parameters: Any) -> Family:
    def weights(fitted: Any) -> Any:
        found = fitted._model.weights.copy()
        found.t = fitted.ledger_[-1].t  # replay ends with the last update
        return found

    return Family(
        make=lambda **more: SequenceTagger(record=True, **parameters, **more),
        data=lambda: taggers.sentences(3, n=15) if of_words else taggers.mappings(3, n=15),
        weights=weights,
        average=lambda fitted: fitted._model.weights.averaged(),
        plain=tag_arrays,
    )


def letters() -> tuple[Any, Any]:
    """Which of some words is meant; no letters tell it."""
    generator = np.random.default_rng(5)
    xs = [["".join(generator.choice(list("abc"), 4)) for _ in range(4)] for _ in range(20)]
    return xs, [x[generator.integers(4)] for x in xs]


def structures(**parameters: Any) -> Family:
    return Family(
        make=lambda **more: StructuredPerceptron(
            features=lambda x, y: Counter(y),
            argmax=lambda x, score: max(x, key=score),
            record=True,
            **parameters,
            **more,
        ),
        data=letters,
        weights=lambda fitted: fitted.raw_weights_,
        average=lambda fitted: fitted.weights_,
        plain=lambda weights: dict(weights),
    )


FAMILIES = {
    "perceptron": linear(Perceptron, 2),
    "perceptron, classes": linear(Perceptron, 3),
    "kernel": kernel(2),
    "kernel, each class": kernel(3),
    "kernel, against each other": kernel(3, "argmax"),
    "tags": tags(of_words=True),
    "tags, order 2": tags(of_words=True, order=2),
    "tags, mappings, mira": tags(of_words=False, rule="mira", C=0.3),
    "tags, beam": tags(of_words=True, search="beam", beam=2),
    "structures": structures(),
    "structures, mira": structures(update="mira", C=0.4),
}
pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.errors.ConvergenceWarning")


@pytest.fixture(params=FAMILIES, scope="module")
def family(request: pytest.FixtureRequest) -> Family:
    return FAMILIES[request.param]


@pytest.fixture(scope="module")
def fitted(family: Family) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return family.fit()


class TestEveryLedger:
    """What holds of the ledger of every family."""

    def test_it_is_a_sequence_of_records(self, family: Family, fitted: Any) -> None:
        ledger, (_, y) = fitted.ledger_, family.data()
        assert isinstance(ledger, BaseLedger)
        updates = list(ledger)
        assert len(updates) == len(ledger) > 5
        assert all(type(update) is Update for update in updates)
        assert (ledger[0], ledger[-1]) == (updates[0], updates[-1])
        for update in updates:
            right = y[update.row]
            cut = right[: len(update.y_true)] if isinstance(right, list) else right
            assert update.y_true == cut or update.y_true != update.y_pred
            assert update.step > 0
        assert [update.t for update in updates] == sorted(update.t for update in updates)
        assert repr(ledger).endswith(f": {len(ledger)} updates in {fitted.t_} examples>")
        with pytest.raises(IndexError, match=f"has {len(ledger)} updates, but no number"):
            _ = ledger[len(ledger)]

    def test_replay_gives_the_weights_of_training(self, family: Family, fitted: Any) -> None:
        X, _ = family.data()
        replayed = family.plain(fitted.ledger_.replay(X))
        assert replayed == family.plain(family.weights(fitted))
        assert replayed != family.plain(fitted.ledger_.replay(X, upto=0))

    def test_replay_to_any_update_is_that_of_a_shorter_ledger(
        self, family: Family, fitted: Any
    ) -> None:
        X, _ = family.data()
        ledger = fitted.ledger_
        traced = [family.plain(weights) for weights in ledger.trace(X)]
        assert len(traced) == len(ledger) + 1
        for k in range(len(ledger) + 1):
            assert family.plain(ledger.replay(X, upto=k)) == traced[k]
            shorter = ledger.upto(k)
            assert list(shorter) == list(ledger)[:k]
            assert family.plain(shorter.replay(X)) == traced[k]
            assert shorter.survival.sum() == shorter.n_examples

    def test_the_average_is_that_of_an_averaged_learner(self, family: Family, fitted: Any) -> None:
        X, _ = family.data()
        average = family.plain(fitted.ledger_.average(X))
        assert average == family.plain(family.average(fitted))
        assert average != family.plain(fitted.ledger_.replay(X))

    def test_survival_adds_up_to_the_examples_seen(self, fitted: Any) -> None:
        ledger = fitted.ledger_
        assert ledger.survival.sum() == ledger.n_examples == fitted.t_
        assert len(ledger.survival) == len(ledger) + 1
        assert (ledger.survival >= 0).all()

    def test_all_vectors_vote_as_long_as_they_survived(self, family: Family, fitted: Any) -> None:
        X, _ = family.data()
        ledger, queries = fitted.ledger_, X[:7]
        votes = ledger.votes(X, queries)
        alone = ledger.upto(0, n_examples=1).votes(X, queries)
        assert len(votes) == len(alone) == 7
        if isinstance(votes, np.ndarray):
            assert np.abs(votes).max() <= ledger.n_examples
            assert np.array_equal(votes, np.round(votes))
            return
        for found in votes:
            counts = [count for _, count in found]
            assert sum(counts) == ledger.n_examples
            assert counts == sorted(counts, reverse=True)
            assert len(found) == len({str(answer) for answer, _ in found})
        assert all(counted[0][1] == 1 for counted in alone)

    def test_a_number_of_updates_that_it_has_not_is_refused(
        self, family: Family, fitted: Any
    ) -> None:
        X, _ = family.data()
        ledger = fitted.ledger_
        for upto in (-1, len(ledger) + 1):
            with pytest.raises(ParameterError, match=f"upto={upto}: this ledger has"):
                ledger.replay(X, upto=upto)
            with pytest.raises(ParameterError, match=f"upto={upto}: this ledger has"):
                ledger.upto(upto)

    def test_it_does_not_change_when_learning_goes_on(self, family: Family) -> None:
        learner = family.make(max_iter=1, warm_start=True)
        X, y = family.data()
        ledger = learner.fit(X, y).ledger_
        before, replayed = list(ledger), family.plain(ledger.replay(X))
        learner.fit(X, y)
        assert list(ledger) == before
        assert family.plain(ledger.replay(X)) == replayed


def learned(weights: Any, n_tags: int) -> list[Any]:
    """What a tagger has learned for its first tags, however many joined later."""
    n, before = weights.n_rows, [*range(n_tags), -1]
    parts = (
        weights.rows[:n],
        weights.row_running_sum[:n],
        weights.steps[before],
        weights.step_running_sum[before],
    )
    return [weights.t, *(part[:, :n_tags].tolist() for part in parts)]


@pytest.mark.parametrize("name", [name for name in FAMILIES if name.startswith("tags")])
def test_replay_of_a_stream_follows_a_tagger_update_by_update(name: str) -> None:
    family = FAMILIES[name]
    X, y = family.data()
    y = [tags if k < 8 else ["A", *tags[1:]] for k, tags in enumerate(y)]
    learner, states = family.make(), []
    for k in range(len(X)):
        learner.partial_fit(X[k : k + 1], y[k : k + 1])
        if len(learner.ledger_) > len(states):
            states.append(family.weights(learner))
    assert len(states) > 5
    assert len(states[0].steps) < len(states[-1].steps)  # tags joined on the way
    for k, state in enumerate(states, 1):
        replayed = learner.ledger_.replay(X, upto=k)
        assert learned(replayed, state.n_tags) == learned(state, state.n_tags)


def test_replay_of_a_stream_follows_a_structured_perceptron_update_by_update() -> None:
    family = FAMILIES["structures"]
    X, y = family.data()
    learner, states = family.make(), []
    for k in range(len(X)):
        learner.partial_fit(X[k : k + 1], y[k : k + 1])
        if len(learner.ledger_) > len(states):
            states.append(learner.raw_weights_)
    assert len(states) > 5
    assert list(learner.ledger_.trace(X)) == [{}, *states]


def test_a_linear_ledger_that_starts_late_counts_from_there() -> None:
    X, y = rows(2)()
    learner = Perceptron(max_iter=2, tol=None).fit(X, y).set_params(record=True, warm_start=True)
    seen = learner.t_
    ledger = learner.fit(X, y).ledger_
    assert ledger.survival.sum() == ledger.n_examples - seen
    assert arrays(ledger.replay(X)) == arrays((learner.coef_, learner.intercept_))


def test_the_weights_that_a_late_ledger_starts_with_vote_with_their_bias() -> None:
    X, y = rows(2)()
    learner = Perceptron(record=True, max_iter=2, tol=None)
    ledger = learner.fit(X, y, coef_init=[[0.0] * X.shape[1]], intercept_init=[1e6]).ledger_
    np.testing.assert_array_equal(ledger.votes(X, X), ledger.survival.sum())


@pytest.mark.filterwarnings("ignore::rosenblatt.errors.ConvergenceWarning")
def test_the_average_of_a_run_that_starts_late_is_that_of_the_run() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    learner = AveragedPerceptron(warm_start=True, max_iter=3).fit(X, y).set_params(record=True)
    ledger = learner.fit(X, y).ledger_
    states = np.array([coef.ravel() for coef, _ in ledger.trace(X)])
    mean = np.average(states, axis=0, weights=ledger.survival)
    np.testing.assert_allclose(ledger.average(X)[0].ravel(), mean, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("learner", [MIRA, SoftPerceptron, VotedPerceptron])
def test_every_rule_replays_to_the_last_bit(learner: type) -> None:
    family = linear(learner, 3)
    fitted = family.fit()
    assert arrays(fitted.ledger_.replay(rows(3)()[0])) == arrays(family.weights(fitted))


def test_votes_of_a_kernel_ledger_are_those_of_the_voting_learner() -> None:
    for n_classes, multiclass in ((2, "ovr"), (3, "ovr"), (3, "argmax")):
        learner = kernel(n_classes, multiclass).fit().set_params(combine="vote")
        X, _ = rows(n_classes)()
        shares = learner.decision_function(X)
        np.testing.assert_array_equal(learner.ledger_.votes(X, X) / learner.t_, shares)


def test_votes_of_a_tagger_count_the_tags_of_every_state() -> None:
    family = FAMILIES["tags"]
    X, y = family.data()
    learner = family.make()
    expected: list[Counter[tuple[str, ...]]] = [Counter() for _ in X]
    for k in range(len(X)):
        learner.partial_fit(X[k : k + 1], y[k : k + 1])
        last = SequenceTagger.predict(learner.set_params(averaged=False), X)
        for counter, answer in zip(expected, last, strict=True):
            counter[tuple(answer)] += 1
    for found, counter in zip(learner.ledger_.votes(X, X), expected, strict=True):
        assert {tuple(answer): n for answer, n in found} == counter


def test_a_tagger_asks_for_the_sentences_of_training() -> None:
    X, y = taggers.sentences(3, n=15)
    ledger = SequenceTagger(record=True).fit(X, y).ledger_
    with pytest.raises(InputError, match=r"1 sentence for a ledger that names sentence \d+"):
        ledger.replay(X[:1])
    longest = max(X, key=len)
    if any(len(x) < len(longest) for x in X):
        with pytest.raises(InputError, match=r"sentence \d+ has 1 tokens, but the ledger names"):
            ledger.replay([x[:1] for x in X])
