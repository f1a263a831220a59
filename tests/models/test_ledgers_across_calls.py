"""One meaning of a ledger across calls, for every learner: all updates since recording began.

Whatever is called in whatever order, replaying the ledger on all that the calls were given, one
after the other, gives the weights of training and those that predict, to the last bit.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import LEARNERS, csr, seeds

from rosenblatt import KernelPerceptron, SequenceTagger, StructuredPerceptron, load, save
from rosenblatt.errors import NoLedgerError
from rosenblatt.evaluate import progressive

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.errors.ConvergenceWarning")

FEW = {"max_iter": 2, "warm_start": True}


@dataclass
class Rows:
    """Rows of three numbers, of two classes or three, of either type, dense or sparse."""

    make: Callable[..., Any]
    is_kernel: bool = False

    def part(self, seed: int) -> tuple[Any, Any]:
        random = np.random.default_rng(seed)
        n_classes, dtype = 2 + seed % 2, (np.float64, np.float32)[seed // 2 % 2]
        X = random.normal(size=(8, 3)).astype(dtype)
        y = random.permutation(np.arange(8) % n_classes)
        return (csr(X) if seed // 4 % 3 == 0 else X), y

    def joined(self, parts: list[Any]) -> Any:
        return np.vstack([part.toarray() if hasattr(part, "toarray") else part for part in parts])

    def last(self, learner: Any) -> Any:
        model = learner._model
        return model.coef if self.is_kernel else (model.weights.matrix, model.weights.bias)

    def is_mean(self, learner: Any) -> bool:
        return bool(self.is_kernel or learner._predicts_by_mean)

    def predicting(self, learner: Any) -> Any:
        model = learner._model
        return model.coefficients("average") if self.is_kernel else learner._served(model)

    def plain(self, weights: Any) -> Any:
        parts = [weights] if self.is_kernel else weights
        return [np.asarray(part, np.float64).tolist() for part in parts]


@dataclass
class Sentences:
    """Letters with tags of which others come to be known."""

    settings: dict[str, Any]

    def make(self, **options: Any) -> Any:
        return SequenceTagger(**self.settings, **options)

    def part(self, seed: int) -> tuple[Any, Any]:
        random = np.random.default_rng(seed)
        tags = list("PQR"[: 2 + seed % 2])
        lengths = random.integers(1, 5, 6).tolist()
        xs = [random.choice(list("abcde"), n).tolist() for n in lengths]
        return xs, [random.choice(tags, n).tolist() for n in lengths]

    def joined(self, parts: list[Any]) -> Any:
        return [example for part in parts for example in part]

    def last(self, learner: Any) -> Any:
        return learner._model.weights

    def is_mean(self, learner: Any) -> bool:
        return bool(learner.averaged)

    def predicting(self, learner: Any) -> Any:
        return learner._model.served(averaged=learner.averaged)

    def plain(self, weights: Any) -> Any:
        known = {f: weights.rows[row].tolist() for f, row in enumerate(weights.row_of) if row >= 0}
        return known, weights.steps.tolist(), weights.pairs.tolist()


@dataclass
class Structures(Sentences):
    """Which of some words is meant."""

    def make(self, **options: Any) -> Any:
        return StructuredPerceptron(
            features=lambda x, y: Counter(y),
            argmax=lambda x, score: max(x, key=score),
            **self.settings,
            **options,
        )

    def part(self, seed: int) -> tuple[Any, Any]:
        random = np.random.default_rng(seed)
        xs = [["".join(random.choice(list("abc"), 3)) for _ in range(3)] for _ in range(6)]
        return xs, [x[random.integers(3)] for x in xs]

    def last(self, learner: Any) -> Any:
        return learner.raw_weights_

    def plain(self, weights: Any) -> Any:
        return dict(weights)


FAMILIES: dict[str, Any] = {
    **{name: Rows(make) for name, make in LEARNERS.items()},
    "two vectors": Rows(partial(LEARNERS["perceptron"], binary_as_multiclass=True)),
    "voted, last": Rows(lambda **options: LEARNERS["voted"](combine="last", **options)),
    "kernel": Rows(lambda record, **options: KernelPerceptron(gamma=1.0, **options), True),
    "kernel, argmax": Rows(
        lambda record, **options: KernelPerceptron(multiclass="argmax", **options), True
    ),
    "tags": Sentences({"averaged": False}),
    "tags, averaged": Sentences({"order": 2}),
    "tags, mira": Sentences({"rule": "mira", "C": 0.3, "averaged": False}),
    "structures": Structures({"averaged": False}),
    "structures, averaged": Structures({"update": "mira", "C": 0.4}),
}
RECORDED_AT_WILL = [name for name in FAMILIES if not name.startswith(("kernel", "voted"))]
CALLS = (
    "fit",
    "fit anew",
    "fit with early stopping",
    "partial_fit",
    "one by one",
    "predict_then_learn",
    "progressive",
    "save and load",
)


@dataclass
class Story:
    """A learner, and all that it was given since recording began."""

    family: Any
    learner: Any
    given: list[Any] = field(default_factory=list)

    @property
    def streams(self) -> bool:
        """Whether the learner predicts and learns whole blocks of a stream in one call."""
        return hasattr(self.learner, "predict_then_learn") and not self.learner.keeps_rows

    def call(self, name: str, seed: int) -> None:
        if name == "save and load":
            if "_model" in self.learner.__dict__ and not isinstance(self.family, Structures):
                with tempfile.TemporaryDirectory() as folder:
                    save(self.learner, Path(folder) / "model.rbt")
                    self.learner = load(Path(folder) / "model.rbt")
            return
        X, y = self.family.part(seed)
        if name == "fit anew":
            self.given = []
            self.learner.set_params(warm_start=False).fit(X, y).set_params(warm_start=True)
        elif name == "fit":
            self.learner.fit(X, y)
        elif name == "fit with early stopping":
            self.learner.fit(X, y, validation_set=self.family.part(2 * seed))
        elif name == "predict_then_learn" and self.streams:
            self.learner.predict_then_learn(X, y)
        elif name == "progressive" and self.streams:
            progressive(self.learner, [(X, y)])
        elif name != "one by one":
            self.learner.partial_fit(X, y)
        else:
            for k in range(X.shape[0] if hasattr(X, "shape") else len(X)):
                self.learner.partial_fit(X[k : k + 1], y[k : k + 1])
        self.given.append(X)

    def check(self) -> None:
        family, learner, ledger = self.family, self.learner, self.learner.ledger_
        X = family.joined(self.given)
        assert family.plain(ledger.replay(X)) == family.plain(family.last(learner))
        assert ledger.n_examples == learner.t_
        best, is_whole = ledger.best, ledger.survival.sum() == learner.t_
        if is_whole or not family.is_mean(learner):  # a mean is of all that was seen
            found = best.average(X) if family.is_mean(learner) else best.replay(X)
            assert family.plain(found) == family.plain(family.predicting(learner))


@pytest.fixture(params=FAMILIES, scope="module")
def family(request: pytest.FixtureRequest) -> Any:
    return FAMILIES[request.param]


def begun(family: Any, **options: Any) -> Story:
    return Story(family, family.make(record=True, **FEW, **options))


calls = st.lists(st.tuples(st.sampled_from(CALLS), seeds), min_size=1, max_size=5)


class TestEveryLedger:
    """What holds of the ledger of every learner, whatever calls were made."""

    @given(calls)
    def test_replay_gives_the_weights_of_training_and_those_that_predict(
        self, family: Any, calls: list[tuple[str, int]]
    ) -> None:
        story = begun(family)
        for name, seed in calls:
            story.call(name, seed)
            if story.given:
                story.check()

    @settings(max_examples=15)
    @given(seeds, seeds, st.sampled_from(CALLS[1:]))
    def test_a_ledger_that_was_taken_stays_as_it_was(
        self, family: Any, first: int, second: int, then: str
    ) -> None:
        story = begun(family)
        story.call("fit", first)
        ledger, X = story.learner.ledger_, family.joined(story.given)
        before = list(ledger), ledger.survival.tolist(), family.plain(ledger.replay(X))
        story.call(then, second)
        assert before == (list(ledger), ledger.survival.tolist(), family.plain(ledger.replay(X)))

    @settings(max_examples=15)
    @given(seeds, seeds)
    def test_all_updates_are_there_after_early_stopping_and_those_that_predict_come_first(
        self, family: Any, first: int, second: int
    ) -> None:
        story = begun(family, n_iter_no_change=1)
        story.learner.set_params(max_iter=5)
        story.call("fit with early stopping", first)
        learner, ledger = story.learner, story.learner.ledger_
        best, seen = ledger.best, learner.t_ // learner.n_iter_ * learner.best_iter_
        assert best.n_examples == seen
        assert list(best) == [update for update in ledger if update.t <= seen]
        assert best.best is best
        story.call("partial_fit", second)  # goes on from the last weights
        assert story.learner.ledger_.best.n_examples == story.learner.t_
        story.check()

    @settings(max_examples=15)
    @given(seeds, seeds)
    def test_rows_are_numbered_through_all_calls(
        self, family: Any, first: int, second: int
    ) -> None:
        story = begun(family)
        story.call("fit", first)
        n, t = len(family.joined(story.given)), story.learner.t_
        story.call("partial_fit", second)
        for update in story.learner.ledger_:
            assert (update.row >= n) == (update.t > t)
            assert update.t <= t or update.row - n == update.t - t - 1


@pytest.mark.parametrize("name", RECORDED_AT_WILL)
@settings(max_examples=15)
@given(seeds, seeds, seeds, st.booleans())
def test_a_ledger_begins_where_record_was_set(
    name: str, first: int, second: int, third: int, saved: bool
) -> None:
    family = FAMILIES[name]
    story = Story(family, family.make(**FEW))
    story.call("partial_fit", first)
    with pytest.raises(NoLedgerError, match="no ledger of the updates was kept"):
        _ = story.learner.ledger_
    seen, story.given = story.learner.t_, []
    story.learner.set_params(record=True)
    story.call("fit", second)
    story.call("partial_fit", third)
    if saved:
        story.call("save and load", 0)
    ledger = story.learner.ledger_
    assert ledger.survival.sum() == ledger.n_examples - seen
    assert all(update.t > seen for update in ledger)
    story.check()
    story.learner.set_params(record=False)
    story.call("partial_fit", first)
    assert not hasattr(story.learner, "ledger_")


@pytest.mark.parametrize("name", LEARNERS)
@settings(max_examples=15)
@given(seeds, seeds)
def test_weights_that_are_set_begin_a_ledger(name: str, first: int, second: int) -> None:
    family = FAMILIES[name]
    story = begun(family)
    (X, y), (X2, y2) = family.part(2 * first), family.part(2 * second)
    story.learner.fit(X, y)
    story.learner.fit(X2, y2, intercept_init=[3.0])
    story.given = [X2]
    assert story.learner.ledger_.start.bias.tolist() == [3.0]
    assert story.learner.ledger_.start.t == len(family.joined([X])) * 2
    story.check()
    story.learner.fit(X2, y2, coef_init=[[1.0, 2.0, 3.0]])
    assert story.learner.ledger_.start.matrix.tolist() == [[1.0, 2.0, 3.0]]
    story.check()


@settings(max_examples=15)
@given(seeds, seeds, st.booleans())
def test_the_weights_in_a_pocket_follow_from_the_first_updates(
    first: int, second: int, saved: bool
) -> None:
    story = begun(Rows(partial(LEARNERS["perceptron"], pocket=True)))
    for seed in (first, second):
        story.call("fit", seed)
        if saved:
            story.call("save and load", 0)
        story.check()
    story.call("partial_fit", first)
    story.check()


def test_sentences_that_are_left_out_have_their_numbers_all_the_same() -> None:
    xs = [["a", "b"], ["b", "a"], ["c"], ["a", "c"], ["b"], ["c", "a"]]
    ys = [["P", "P"], ["P", "Q"], ["Q"], ["P", "P"], ["P"], ["Q", "P"]]
    learner = SequenceTagger(constraints={"P": ["Q"]}, record=True, max_iter=3)
    with pytest.warns(UserWarning, match="Left out of the training: 2 of 6"):
        learner.fit(xs, ys)
    more = [["a", "b"], ["b"], ["c"]]
    with pytest.warns(UserWarning, match="Left out of the training: 1 of 3"):
        learner.partial_fit(more, [["P", "P"], ["Q"], ["P"]])
    rows = {update.row for update in learner.ledger_}
    assert rows & {7, 8}
    assert not rows & {0, 3, 6}
    plain = Sentences({}).plain
    assert plain(learner.ledger_.replay(xs + more)) == plain(learner._model.weights)
