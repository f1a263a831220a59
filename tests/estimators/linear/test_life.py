"""The whole life of a learner beside a plain one: whatever is done, in whatever order.

Rows, mappings, records, batches, new classes and features, refused examples, changed parameters,
copies, files: after each of them the weights, counters and ledger are those of `reference.stream`.
"""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from reference.records import PlainRecords
from reference.scaled import Scaled
from reference.steps import ORACLES
from reference.stream import DECAYS, PlainStream
from strategies import assert_same_bytes, weights_of

import rosenblatt
from rosenblatt.errors import InputError
from rosenblatt.estimators.catalogue import find

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

LABELS = ["a", "b", "c", "d"]
N_FEATURES = 3
# Multiples of 1/8 that are not symmetric, so that scores meet by chance only where all are 0.
values = st.integers(-40, 40).map(lambda value: value / 8 + (0.01 if value else 0.0))
rows = st.lists(values, min_size=N_FEATURES, max_size=N_FEATURES)
labels = st.sampled_from(LABELS)
batches = st.lists(st.tuples(rows, labels), min_size=1, max_size=6)
weights = st.sampled_from([0.0, 0.5, 1.0, 3.0])
bad_values = st.sampled_from([np.nan, np.inf, -np.inf, 1e160])


class Life(RuleBasedStateMachine):
    """A learner of one rule; `name` is that of its oracle."""

    name: str

    @initialize(
        ties=st.sampled_from(["mistake", "positive"]),
        fit_intercept=st.booleans(),
        record=st.booleans(),
        readout=st.sampled_from([None, "last", *DECAYS, "auto", "mix"]),
        by_name=st.booleans(),
    )
    def begin(
        self, ties: str, fit_intercept: bool, record: bool, readout: str | None, by_name: bool
    ) -> None:
        oracle = ORACLES[self.name]
        entry = find(oracle.learner)
        options = {**oracle.settings, "ties": ties, "fit_intercept": fit_intercept}
        if entry.name == "soft":
            del options["ties"]
            ties = "mistake"
        if entry.name != "voted":
            options["record"] = record
            # Read-outs follow single steps, and are refused where all weights change at once.
            options["readout"] = None if isinstance(oracle.step, Scaled) else readout
        self.learner = entry.load()(**options)
        self.plain = PlainStream(oracle, ties=ties, fit_intercept=fit_intercept)
        self.by_name = by_name
        self.columns: dict[str, int] = {}
        # All rows so far, as a ledger is replayed with them.
        self.seen: list[dict[int, float]] = []

    @property
    def readout(self) -> str:
        """What predicts, in the words of the oracle."""
        chosen = getattr(self.learner, "readout", None)
        if chosen is not None:
            return str(chosen)
        return "mean" if self.learner.averages else "last"

    # ------------------------------------------------------------------ learning

    def _learned(self, row: dict[int, float], label: str, weight: float = 1.0) -> None:
        """Let the oracle learn from a row, which is given by its columns."""
        self.plain.grow(max([self.plain.n_features, *(column + 1 for column in row)]))
        x = np.zeros(self.plain.n_features)
        for column, value in row.items():
            x[column] = value
        self.plain.learn(x, label, weight)
        self.seen.append(row)

    def _given(self, x: list[float], names: list[str]) -> Any:
        """Return an example as this learner takes them: by name or as an array."""
        return dict(zip(names, x, strict=True)) if self.by_name else np.array(x)

    @rule(x=rows, label=labels, names=st.permutations("uvwxyz"))
    def learn_one(self, x: list[float], label: str, names: list[str]) -> None:
        given = self._given(x, names[:N_FEATURES])
        self.learner.learn_one(given, label)
        if not self.by_name:
            self._learned(dict(enumerate(x)), label)
            return
        for feature in given:
            self.columns.setdefault(feature, len(self.columns))
        self._learned({self.columns[f]: value for f, value in given.items()}, label)

    @precondition(lambda self: not self.by_name)
    @rule(batch=batches, own=st.none() | st.lists(weights, min_size=6, max_size=6))
    def partial_fit(self, batch: list[tuple[list[float], str]], own: list[float] | None) -> None:
        X = np.array([x for x, _ in batch])
        y = [label for _, label in batch]
        sample_weight = None if own is None else own[: len(batch)]
        if sample_weight is not None and not any(sample_weight):
            return
        self.learner.partial_fit(X, y, sample_weight=sample_weight)
        for place, (x, label) in enumerate(batch):
            weight = 1.0 if sample_weight is None else sample_weight[place]
            self._learned(dict(enumerate(x)), label, weight)

    @precondition(lambda self: not self.by_name)
    @rule(batch=batches, sparse=st.booleans(), warm_start=st.booleans())
    def fit(self, batch: list[tuple[list[float], str]], sparse: bool, warm_start: bool) -> None:
        """One epoch in the order given, from nothing or from what was learned before."""
        y = [label for _, label in batch]
        if len(set(y)) < 2 or getattr(self.learner, "readout", None) is not None:
            return
        X = np.array([x for x, _ in batch])
        if not (warm_start and self.seen):
            old = self.plain
            self.plain = PlainStream(old.oracle, ties=old.ties, fit_intercept=old.fit_intercept)
            self.plain.admit_all(sorted(set(y)))
            self.seen = []
        else:
            self.plain.admit_all(sorted(set(y)))
        self.learner.set_params(max_iter=1, shuffle=False, warm_start=warm_start)
        self.learner.fit(sp.csr_array(X) if sparse else X, y)
        for x, label in batch:
            self._learned(dict(enumerate(x)), label)

    # ------------------------------------------------------------------ refusals

    def _state(self) -> Any:
        """All that is known of the learner."""
        if not self.learner.__sklearn_is_fitted__():
            return None
        model = self.learner._model
        return model.digest(), list(model.classes), model.t, model.n_mistakes

    @rule(x=rows, label=labels, bad=bad_values, place=st.integers(0, N_FEATURES - 1))
    def refused_example(self, x: list[float], label: str, bad: float, place: int) -> None:
        x = [*x[:place], bad, *x[place + 1 :]]
        given = self._given(x, ["u", "v", "new"])
        before = self._state()
        with pytest.raises(InputError):
            self.learner.learn_one(given, label)
        assert self._state() == before

    @precondition(lambda self: not self.by_name)
    @rule(batch=batches, bad=bad_values)
    def refused_batch(self, batch: list[tuple[list[float], str]], bad: float) -> None:
        X = np.array([x for x, _ in batch])
        X[-1, -1] = bad
        before = self._state()
        with pytest.raises(InputError):
            self.learner.partial_fit(X, [label for _, label in batch])
        assert self._state() == before

    @precondition(lambda self: self.seen)
    @rule(x=rows)
    def unhashable_label(self, x: list[float]) -> None:
        given = self._given(x, ["u", "v", "w"])
        before = self._state()
        with pytest.raises(InputError):
            self.learner.learn_one(given, ["a"])
        assert self._state() == before

    # ------------------------------------------------------------------ copies and files

    @precondition(lambda self: self.seen)
    @rule(how=st.sampled_from(["copy", "deepcopy", "pickle"]), x=rows, label=labels)
    def go_on_with_a_copy(self, how: str, x: list[float], label: str) -> None:
        before = self._state()
        if how == "pickle":
            twin = pickle.loads(pickle.dumps(self.learner))
        else:
            twin = getattr(copy, how)(self.learner)
        old, self.learner = self.learner, twin
        assert self._state() == before
        if how == "deepcopy":
            old.learn_one(self._given(x, ["u", "v", "w"]), label)
            assert self._state() == before

    @precondition(lambda self: len(self.plain.classes) >= 2)
    @rule()
    def go_on_from_a_file(self) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder, "model.rbt")
            rosenblatt.save(self.learner, path)
            self.learner = rosenblatt.load(path)

    @rule(ties=st.sampled_from(["mistake", "positive"]))
    def change_a_parameter(self, ties: str) -> None:
        if self.learner.get_params().get("ties") is not None:
            self.learner.set_params(ties=ties)
            self.plain.ties = ties

    # ------------------------------------------------------------------ what must hold

    @precondition(lambda self: len(self.plain.classes) >= 2)
    @rule()
    def replay_gives_the_weights_of_training(self) -> None:
        if getattr(self.learner, "record", True):
            X = np.zeros((len(self.seen), self.plain.n_features))
            for place, row in enumerate(self.seen):
                X[place, list(row)] = list(row.values())
            assert_same_bytes(self.learner.ledger_.replay(X), weights_of(self.learner))

    @invariant()
    def counters_agree(self) -> None:
        if self.seen:
            assert self.learner.t_ == self.plain.t
            assert self.learner.n_mistakes_ == self.plain.n_mistakes
            assert self.learner.classes_.tolist() == sorted(self.plain.classes)

    @invariant()
    def weights_agree(self) -> None:
        if len(self.plain.classes) < 2:
            return
        if self.name == "voted":
            return  # it predicts by a vote, not by weights
        if self.readout in ("auto", "mix") and self.plain.is_close:
            return
        coef, intercept = self.plain.served(self.readout)
        np.testing.assert_allclose(self.learner.coef_, coef, rtol=1e-8, atol=1e-10)
        if self.plain.fit_intercept:
            np.testing.assert_allclose(self.learner.intercept_, intercept, rtol=1e-8, atol=1e-10)

    @invariant()
    def the_ledger_has_every_update(self) -> None:
        if len(self.plain.classes) < 2 or not getattr(self.learner, "record", True):
            return
        found = [(u.y_true, u.y_pred, u.t) for u in self.learner.ledger_]
        assert found == [(u.y_true, u.y_pred, u.t) for u in self.plain.updates]


FIRST_RECORDS = [
    {"size": 1.25, "colour": "red"},
    {"size": -2.5, "colour": "blue"},
    {"size": 0.75, "colour": "red"},
    {"size": 4.0, "colour": "green"},
    {"size": 1.0, "colour": "blue"},
    {"size": -0.5, "colour": "red"},
]
records = st.fixed_dictionaries(
    {},
    optional={
        "size": st.none() | values,
        "colour": st.sampled_from(["red", "blue", "green", "black", "", None]),
        "unknown": values,
    },
)


class LifeOfRecords(Life):
    """The same where examples are records of a number and a category."""

    @initialize(
        ties=st.sampled_from(["mistake", "positive"]),
        fit_intercept=st.booleans(),
        record=st.booleans(),
        readout=st.sampled_from([None, "last", *DECAYS, "auto", "mix"]),
    )
    def begin(self, ties: str, fit_intercept: bool, record: bool, readout: str | None) -> None:
        Life.begin(self, ties, fit_intercept, record, readout, by_name=True)
        self.records = PlainRecords("size", "colour", ["red", "blue", "green"], mode="red")
        self.partial_fit_records([(one, "ab"[i % 2]) for i, one in enumerate(FIRST_RECORDS)])

    def _given(self, x: list[float], names: list[str]) -> Any:
        size = sum(x)
        return {"size": np.inf if np.isnan(size) else size, "colour": "red"}  # a NaN is a gap

    def _state(self) -> Any:
        return Life._state(self), self.learner.schema_.to_json()

    def _without_ties(self, record: dict[str, Any]) -> dict[str, Any]:
        """Steps of Pegasos along a category alone cancel, and then rounding decides a tie."""
        has_size = record.get("size") is not None
        return record if has_size or self.name != "pegasos" else {**record, "size": 0.37}

    @rule(example=st.tuples(records, labels))
    def learn_one(self, example: tuple[dict[str, Any], str]) -> None:
        record, label = self._without_ties(example[0]), example[1]
        self.learner.learn_one(record, label)
        self._learned(self.records.learn(record), label)

    @rule(batch=st.lists(st.tuples(records, labels), min_size=1, max_size=4))
    def partial_fit_records(self, batch: list[tuple[dict[str, Any], str]]) -> None:
        batch = [(self._without_ties(one), label) for one, label in batch]
        self.learner.partial_fit([one for one, _ in batch], [label for _, label in batch])
        self.plain.grow(4)
        for one, label in batch:
            self._learned(self.records.learn(one), label)

    @rule(record=records)
    def predict_one(self, record: dict[str, Any]) -> None:
        """Predicting learns nothing, and an odd mapping is predicted as a dict is."""
        before = self._state()
        found = self.learner.predict_one(record)
        assert found == self.learner.predict_one(MappingProxyType(record))
        assert self._state() == before

    @rule()
    def replay_gives_the_weights_of_training(self) -> None:
        """Not to the last bit by the rows of the oracle, whose means round otherwise."""

    @rule()
    def the_schema_has_the_means_of_all_records(self) -> None:
        size = self.learner.schema_.columns[0]
        assert size.sums[0] == len(self.records.values)
        assert size.center == pytest.approx(np.mean(self.records.values))


def live(machine: type[Life], name: str) -> None:
    run_state_machine_as_test(
        type(f"{machine.__name__}Of{name}", (machine,), {"name": name}),
        settings=settings(max_examples=15, stateful_step_count=12, deadline=None),
    )


@pytest.mark.parametrize("name", ORACLES)
def test_whatever_happens_to_a_learner_happens_to_the_plain_one(name: str) -> None:
    live(Life, name)


@pytest.mark.parametrize("name", ORACLES)
def test_whatever_happens_to_a_learner_of_records_happens_to_the_plain_one(name: str) -> None:
    live(LifeOfRecords, name)
