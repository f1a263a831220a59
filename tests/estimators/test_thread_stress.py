"""Four threads on one learner: two learn, one predicts, one saves and copies.

Each call that learns is given the same batch, so that the states between two calls are known: they
are those of a learner that a single thread gives the batch again and again. Whatever is read beside
the learning threads must be of one of these states, to the last bit.
"""

from __future__ import annotations

import copy
import json
import pickle
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import rosenblatt
from rosenblatt import (
    ALMA,
    AROW,
    MIRA,
    SCW,
    AutoLinear,
    AveragedPerceptron,
    KernelPerceptron,
    PassiveAggressive,
    Pegasos,
    Perceptron,
    SequenceTagger,
    SoftPerceptron,
    StructuredPerceptron,
    VotedPerceptron,
)
from rosenblatt.arrays import SparseRows
from rosenblatt.estimators.catalogue import CATALOGUE

BUSY = "learning in another thread"
MAX_SECONDS_TO_END = 120

random = np.random.default_rng(0)
# Labels by chance: there is always something left to learn, and the weights never stand still.
X = random.normal(size=(24, 12))
Y = random.integers(0, 3, 24)
MAPPINGS = [{f"f{j}": x for j, x in enumerate(row) if abs(x) > 0.5} for row in X.tolist()]
RECORDS = [{"size": row[0], "colour": "rgb"[int(row[1] * 9) % 3]} for row in X.tolist()]
SENTENCES = [[f"w{i}" for i in random.integers(0, 9, 5)] for _ in range(8)]
TAGS = [["ABC"[i] for i in random.integers(0, 3, 5)] for _ in range(8)]


def features(x: Any, y: int) -> dict[str, float]:
    return {f"{name}{y}": value for name, value in x.items()}


def argmax(x: Any, score: Callable[[Any], float]) -> int:
    return max(range(3), key=score)


@dataclass
class Case:
    """A learner, a call that learns a batch of ``n`` examples, and what is read of a state."""

    make: Callable[[], Any]
    learn: Callable[[Any], Any]
    read: Callable[[Any], Any]
    n: int
    others: Callable[[Any], Any]
    is_saved: bool = True


def rows(make: Callable[[], Any], table: Any = X, labels: Any = Y) -> Case:
    def read(learner: Any) -> bytes:
        return np.ascontiguousarray(learner.decision_function(table)).tobytes()

    def others(learner: Any) -> None:
        assert set(learner.predict(table).tolist()) <= {0, 1, 2}
        assert learner.t_ % len(labels) == 0
        for name in ("coef_", "intercept_", "support_vectors_", "survival_", "variance_"):
            getattr(learner, name, None)
        assert abs(learner.explain(table[0] if table is RECORDS else X[0]).score) >= 0.0
        if getattr(learner, "record", False):
            ledger = learner.ledger_
            assert len(ledger.entries.t) == 0 or ledger.entries.t[-1] <= ledger.n_examples

    return Case(make, lambda model: model.partial_fit(table, labels), read, len(labels), others)


def one_by_one(make: Callable[[], Any], examples: list[Any] | np.ndarray) -> Case:
    """One example again and again, whose label is never the one that was predicted."""

    def read(learner: Any) -> Any:
        return learner.predict_one(examples[0]), learner.predict_one(examples[1])

    def learn(learner: Any) -> None:
        learner.learn_one(examples[0], 1)

    def others(learner: Any) -> None:
        learner.predict_one(examples[2])
        assert learner.classes_.tolist() == [0, 1]

    def begun() -> Any:
        return make().learn_one(examples[0], 0).learn_one(examples[1], 1)

    return Case(begun, learn, read, 1, others)


def sentences(make: Callable[[], Any]) -> Case:
    def read(learner: Any) -> str:
        return json.dumps(learner.predict(SENTENCES))

    def others(learner: Any) -> None:
        learner.explain(SENTENCES[0])
        assert learner.tags_ == ["A", "B", "C"]
        assert learner.t_ % len(SENTENCES) == 0
        assert learner.schema_ is not None

    def learn(learner: Any) -> None:
        learner.partial_fit(SENTENCES, TAGS)

    return Case(make, learn, read, len(SENTENCES), others)


def structures(make: Callable[[], Any]) -> Case:
    def read(learner: Any) -> str:
        return json.dumps(sorted(learner.weights_.items()))

    def others(learner: Any) -> None:
        assert set(learner.predict(MAPPINGS)) <= {0, 1, 2}
        learner.explain(MAPPINGS[0])
        learner.raw_weights_.items()
        assert len(learner.ledger_) <= learner.n_mistakes_

    def learn(learner: Any) -> None:
        learner.partial_fit(MAPPINGS, Y.tolist())

    return Case(make, learn, read, len(MAPPINGS), others, is_saved=False)


SPARSE = SparseRows.from_dense(np.where(np.abs(X) > 0.5, X, 0.0))
CASES = {
    "perceptron": rows(Perceptron),
    "perceptron, two classes": rows(Perceptron, labels=Y % 2),
    "perceptron, recorded": rows(lambda: Perceptron(record=True), SPARSE),
    "perceptron, adagrad": rows(lambda: Perceptron(steps="adagrad"), X.astype(np.float32)),
    "averaged": rows(AveragedPerceptron),
    "averaged, sparse": rows(AveragedPerceptron, SPARSE),
    "voted": rows(VotedPerceptron),
    "voted, sparse": rows(lambda: VotedPerceptron(combine="average"), SPARSE, Y % 2),
    "mira": rows(MIRA),
    "pa": rows(PassiveAggressive, SPARSE),
    "pa, auto": rows(lambda: PassiveAggressive(readout="auto"), SPARSE),
    "pa, mix": rows(lambda: PassiveAggressive(readout="mix")),
    "soft": rows(SoftPerceptron),
    "arow": rows(AROW),
    "scw": rows(SCW, SPARSE),
    "alma": rows(lambda: ALMA(average=True)),
    "pegasos": rows(Pegasos, SPARSE),
    "auto": rows(lambda: AutoLinear(search=False, standardize=False)),
    "kernel": rows(KernelPerceptron),
    "kernel, vote": rows(lambda: KernelPerceptron(combine="vote", multiclass="argmax"), SPARSE),
    "kernel, budget": rows(lambda: KernelPerceptron(budget=10)),
    "tagger": sentences(SequenceTagger),
    "tagger, recorded": sentences(lambda: SequenceTagger(record=True, search="beam")),
    "structured": structures(
        lambda: StructuredPerceptron(features=features, argmax=argmax, record=True)
    ),
    "perceptron, arrays one by one": one_by_one(AveragedPerceptron, X),
    "perceptron, mappings one by one": one_by_one(AveragedPerceptron, MAPPINGS),
    "perceptron, recorded mappings": one_by_one(lambda: Perceptron(record=True), MAPPINGS),
    "perceptron, records": rows(AveragedPerceptron, RECORDS, Y % 2),
    "perceptron, read-outs of mappings": one_by_one(lambda: Perceptron(readout="mix"), MAPPINGS),
}


def test_every_learner_of_the_catalogue_is_among_the_cases() -> None:
    assert {entry.name for entry in CATALOGUE} <= {name.partition(",")[0] for name in CASES}


class Threads:
    """Calls made again and again, each in a thread of its own, until one fails or time is up."""

    def __init__(self) -> None:
        self.stop, self.errors = threading.Event(), list[BaseException]()
        self.n_calls: Counter[str] = Counter()
        self._threads: list[threading.Thread] = []

    def start(self, name: str, call: Callable[[], Any]) -> None:
        def repeat() -> None:
            try:
                while not self.stop.is_set():
                    call()
                    self.n_calls[name] += 1
            except BaseException as error:
                self.errors.append(error)
                self.stop.set()

        self._threads.append(threading.Thread(target=repeat, name=name))
        self._threads[-1].start()

    def join(self, seconds: float) -> None:
        self.stop.wait(seconds)
        self.stop.set()
        for thread in self._threads:
            thread.join(MAX_SECONDS_TO_END)
            assert not thread.is_alive(), f"{thread.name} waits for ever"
        if self.errors:
            raise self.errors[0]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(
    "seconds",
    [pytest.param(1.0, marks=pytest.mark.slow), pytest.param(20.0, marks=pytest.mark.long)],
)
def test_beside_learning_threads_every_state_is_a_whole_one(name, seconds, tmp_path) -> None:
    case = CASES[name]
    learner = case.make()
    case.learn(learner)
    before = getattr(learner, "t_", None) or 0
    accepted, refused = [0, 0], [0, 0]
    found: dict[Any, str] = {}
    learned = threading.Event()

    def learn(number: int) -> None:
        try:
            case.learn(learner)
        except RuntimeError as error:
            if BUSY not in str(error):
                raise
            refused[number] += 1
            # Not at once again: whoever asks all the time leaves the others no processor.
            learned.clear()
            learned.wait(0.05)
        else:
            accepted[number] += 1
            learned.set()

    def read() -> None:
        found[case.read(learner)] = "a prediction"
        case.others(learner)

    def keep() -> None:
        if case.is_saved:
            rosenblatt.save(learner, tmp_path / "model.rbt")
            loaded = rosenblatt.load(tmp_path / "model.rbt")
            found[case.read(loaded)] = "a loaded model"
            assert loaded.t_ % case.n == 0
        found[case.read(copy.deepcopy(learner))] = "a copy"
        found[case.read(pickle.loads(pickle.dumps(learner)))] = "a pickled model"

    threads = Threads()
    for number in range(2):
        threads.start(f"learner {number}", lambda number=number: learn(number))
    threads.start("reader", read)
    threads.start("keeper", keep)
    threads.join(seconds)

    # All had their turn, and nobody's turn stays.
    assert any(accepted), f"accepted: {accepted}, refused: {refused}"
    assert threads.n_calls["reader"] > 0
    assert threads.n_calls["keeper"] > 0
    case.learn(learner)

    # The same calls, one after the other: the same counts and states.
    alone = case.make()
    case.learn(alone)
    states = {case.read(alone)}
    for _ in range(sum(accepted)):
        case.learn(alone)
        states.add(case.read(alone))
    torn = [what for state, what in found.items() if state not in states]
    assert not torn, f"{len(torn)} of {len(found)} states are between two calls, first {torn[0]}"
    case.learn(alone)
    assert learner.t_ == alone.t_ == before + (sum(accepted) + 1) * case.n
    assert learner.n_mistakes_ == alone.n_mistakes_
    assert case.read(learner) == case.read(alone)
