"""In one batch, in cuts or row by row, by any door: a stream gives the same bytes.

The grid is every rule, with 2, 3 or 7 classes, dense or sparse rows of float32 or float64, of
5, 20 or 65 features, averaged or not, weighted or not, with ties as mistakes or not. The quick
suite draws a few cases of it for each rule, `pytest -m slow` takes all.

A stream that is recorded is learned in float64, whatever its rows; float32 weights are those of
learners that do not record.

Only public names are used here. The model file holds all that a learner goes on from (weights,
running sums, rates, scales, read-outs, counters, ledger), so that two learners whose files have the
same bytes are in the same state.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise, product
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from reference.scaled import Scaled
from reference.steps import ORACLES
from reference.stream import DECAYS
from scipy.sparse import csr_array
from strategies import LEARNERS

import rosenblatt
from rosenblatt.errors import InputError, OverflowRefused

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.errors.ConvergenceWarning")

N_ROWS = 24
READOUTS = ("last", *DECAYS, "auto", "mix")
# Read-outs choose among weights, which a vote does not predict by, and follow single steps.
STREAMED = [
    rule
    for rule, oracle in ORACLES.items()
    if oracle.learner != "voted" and not isinstance(oracle.step, Scaled)
]
every_rule = pytest.mark.parametrize("rule", ORACLES)
every_streamed_rule = pytest.mark.parametrize("rule", STREAMED)


def amount(quick: int, slow: int | None) -> pytest.MarkDecorator:
    """How many cases of each rule the quick suite draws, and how many the slow one; None: all."""
    return pytest.mark.parametrize(
        "n_cases",
        [pytest.param(quick, id="few"), pytest.param(slow, id="many", marks=pytest.mark.slow)],
    )


# ---------------------------------------------------------------------- the grid


@dataclass(frozen=True)
class Case:
    """A point of the grid."""

    rule: str
    n_classes: int
    is_sparse: bool
    dtype: str
    n_features: int
    average: bool | None
    is_weighted: bool
    ties: str

    def new(self, **options: Any) -> Any:
        """Return a learner, which records float64 rows unless the options say otherwise."""
        options = {"record": self.dtype == "float64", "ties": self.ties, **options}
        if self.average is not None:
            options["average"] = self.average
        return LEARNERS[self.rule](**options)


def averages_of(rule: str) -> tuple[bool | None, ...]:
    """Return what `average` may be; None: the learner is never asked."""
    learner = ORACLES[rule].learner
    return {"voted": (None,), "averaged": (True,)}.get(learner, (False, True))


def grid(rule: str) -> list[Case]:
    axes = (
        (2, 3, 7),
        (False, True),
        ("float32", "float64"),
        (5, 20, 65),
        averages_of(rule),
        (False, True),
        ("mistake", "positive"),
    )
    return [Case(rule, *place) for place in product(*axes)]


def drawn(rule: str, n_cases: int | None) -> list[Case]:
    """Return so many cases of the rule, always the same ones."""
    cases = grid(rule)
    if n_cases is None:
        return cases
    return Random(rule).sample(cases, n_cases)


@dataclass(frozen=True)
class Stream:
    """Labelled rows; a learner knows the `classes` beforehand, unless they are None."""

    X: Any
    y: Any
    weights: Any
    classes: list[int] | None

    def __len__(self) -> int:
        return len(self.y)

    def __getitem__(self, part: slice) -> Stream:
        weights = None if self.weights is None else self.weights[part]
        return replace(self, X=self.X[part], y=self.y[part], weights=weights)

    def examples(self) -> Iterator[tuple[Any, int]]:
        """Yield each row with its label, for learners that take one example at a time."""
        return zip(self.X, self.y.tolist(), strict=True)

    def teach(self, learner: Any) -> None:
        """Let a learner learn all rows in one batch."""
        learner.partial_fit(self.X, self.y, classes=self.classes, sample_weight=self.weights)


def stream(case: Case, n_rows: int = N_ROWS) -> Stream:
    """Return noise with every class; scores tie often in its first half, which holds integers."""
    random = np.random.default_rng([n_rows, case.n_classes, case.n_features])
    shape = n_rows, case.n_features

    X = random.normal(size=shape) * (random.random(shape) < 0.6)
    half = n_rows // 2
    X[:half] = X[:half].round()
    # A row without a feature, and a row that comes twice.
    X[half + 3] = 0.0
    X[half + 5] = X[half + 4]
    X = X.astype(case.dtype)

    y = random.permutation(np.arange(n_rows) % case.n_classes)
    weights = random.choice([0.0, 0.5, 1.0, 3.0], n_rows) if case.is_weighted else None
    table = csr_array(X) if case.is_sparse else X
    return Stream(table, y, weights, list(range(case.n_classes)))


def joining(case: Case) -> Stream:
    """Return the stream without declared classes, each of which first comes at a row of its own."""
    known = stream(case)
    random = np.random.default_rng(case.n_classes)

    # The classes do not come in their natural order.
    names = random.permutation(case.n_classes)
    n_so_far = 1 + np.minimum(np.arange(N_ROWS) // 3, case.n_classes - 1)
    y = names[random.integers(0, n_so_far)]
    first_rows = 3 * np.arange(case.n_classes)
    y[first_rows] = names
    return replace(known, y=y, classes=None)


# ---------------------------------------------------------------------- ways to learn


def random_cuts(case: Case, n_rows: int = N_ROWS) -> list[int]:
    random = Random(repr(case))
    return sorted(random.sample(range(1, n_rows), 4))


def learn_in_cuts(learner: Any, rows: Stream, cuts: Iterable[int]) -> Any:
    for start, stop in pairwise([0, *cuts, len(rows)]):
        rows[start:stop].teach(learner)
    return learner


def learn_by_row(learner: Any, rows: Stream) -> Any:
    return learn_in_cuts(learner, rows, range(1, len(rows)))


def learn_by_example(learner: Any, rows: Stream) -> Any:
    for x, label in rows.examples():
        learner.learn_one(x, label, classes=rows.classes)
    return learner


def learn_across_files(learner: Any, rows: Stream, cuts: Iterable[int], folder: Path) -> Any:
    """Learn in cuts; at each of them the learner is saved, and a loaded one goes on."""
    path = folder / "between.rbt"
    for start, stop in pairwise([0, *cuts, len(rows)]):
        rows[start:stop].teach(learner)
        rosenblatt.save(learner, path)
        learner = rosenblatt.load(path)
    return learner


def ways(case: Case, rows: Stream, folder: Path, **options: Any) -> Iterator[tuple[str, Any]]:
    """Yield a learner for each way other than one batch, and the name of the way."""
    cuts = random_cuts(case, len(rows))
    yield "in cuts", learn_in_cuts(case.new(**options), rows, cuts)
    yield "by row", learn_by_row(case.new(**options), rows)
    if case.n_features == 5:
        yield "across files", learn_across_files(case.new(**options), rows, cuts, folder)
    if not case.is_sparse and not case.is_weighted:
        yield "by example", learn_by_example(case.new(**options), rows)


# ---------------------------------------------------------------------- what must be equal


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose files need not outlive a power cut, which saves most of the time."""
    monkeypatch.setattr(os, "fsync", lambda file: None)
    return tmp_path


FACTS = (
    "classes_",
    "coef_",
    "intercept_",
    "raw_coef_",
    "raw_intercept_",
    "variance_",
    "readout_",
    "t_",
    "n_mistakes_",
)


def facts(learner: Any) -> dict[str, Any]:
    """Return what a learner shows of itself, without its ledger."""
    return {name: getattr(learner, name) for name in FACTS if hasattr(learner, name)}


def file_bytes(learner: Any, folder: Path) -> bytes:
    path = folder / "model.rbt"
    rosenblatt.save(learner, path)
    return path.read_bytes()


def facts_and_ledger(learner: Any) -> dict[str, Any]:
    if not learner.record:
        return facts(learner)
    columns = learner.ledger_.entries._asdict()
    ledger = {f"ledger_.{name}": column for name, column in columns.items()}
    return {**facts(learner), **ledger}


def everything(learner: Any, folder: Path) -> dict[str, Any]:
    return {**facts_and_ledger(learner), "file": file_bytes(learner, folder)}


def assert_equal(found: dict[str, Any], expected: dict[str, Any], *of: object) -> None:
    assert found.keys() == expected.keys(), of
    for name, value in expected.items():
        one, other = np.asarray(found[name]), np.asarray(value)
        assert (one.dtype, one.shape) == (other.dtype, other.shape), (name, *of)
        assert one.tobytes() == other.tobytes(), (name, *of)


def last_weights(learner: Any) -> tuple[Any, Any]:
    """Return the weights that learning goes on from, whether or not their mean predicts."""
    if hasattr(learner, "raw_coef_"):
        return learner.raw_coef_, learner.raw_intercept_
    return learner.coef_, learner.intercept_


def assert_replayed(
    ledger: Any, X: Any, learner: Any, *of: object, upto: int | None = None
) -> None:
    """Compare the weights of a replay, which stand in the order of the ledger's classes."""
    for found, expected in zip(ledger.replay(X, upto=upto), last_weights(learner), strict=True):
        if len(found) > 1:
            found = found[np.argsort(ledger.classes)]
        assert_equal({"replay": found}, {"replay": expected}, *of)


# ---------------------------------------------------------------------- the grid itself


@every_rule
@amount(quick=4, slow=None)
def test_one_batch_cuts_and_single_rows_give_the_same_bytes(
    rule: str, n_cases: int | None, folder: Path
) -> None:
    for case in drawn(rule, n_cases):
        rows = stream(case)
        batch = learn_in_cuts(case.new(), rows, [])
        expected = everything(batch, folder)
        assert batch.t_ == N_ROWS
        assert batch.n_mistakes_ > 0

        for way, learner in ways(case, rows, folder):
            assert_equal(everything(learner, folder), expected, way, case)

        recorded = learn_in_cuts(case.new(record=True), rows, [])
        assert len(recorded.ledger_) > 0
        assert_replayed(recorded.ledger_, rows.X, recorded, case)


@every_rule
@amount(quick=2, slow=12)
def test_a_part_of_the_ledger_gives_the_weights_after_its_last_update(
    rule: str, n_cases: int
) -> None:
    for case in drawn(rule, n_cases):
        rows = stream(case)
        ledger = learn_in_cuts(case.new(record=True), rows, []).ledger_
        rows_with_updates = sorted({update.t for update in ledger})

        for t in Random(rule).sample(rows_with_updates, 3):
            part = learn_in_cuts(case.new(record=True), rows[:t], [])
            n_updates = len(part.ledger_)
            assert_replayed(ledger, rows.X, part, t, case, upto=n_updates)


@every_rule
@amount(quick=2, slow=12)
def test_one_epoch_of_fit_in_order_is_one_batch(rule: str, n_cases: int) -> None:
    """Also in float32: a fit may record without going on in float64."""
    for case in drawn(rule, n_cases):
        if rule == "voted" and case.dtype == "float32":
            continue  # it always records, and so learns a stream in float64
        rows = stream(case)
        batch = learn_in_cuts(case.new(), rows, [])
        fitted = case.new(record=True, max_iter=1, shuffle=False, tol=None)
        fitted.fit(rows.X, rows.y, sample_weight=rows.weights)

        assert_equal(facts(fitted), facts(batch), case)
        if batch.record:
            assert_equal(facts_and_ledger(fitted), facts_and_ledger(batch), case)
        assert_replayed(fitted.ledger_, rows.X, fitted, case)


@every_rule
@pytest.mark.slow
def test_long_streams_give_the_same_bytes_however_they_are_cut(rule: str, folder: Path) -> None:
    """More than 1,024 updates, folds of the scales, and blocks that are read ahead."""
    for n_classes, is_sparse in ((2, False), (3, True)):
        case = Case(
            rule, n_classes, is_sparse, "float64", 5, averages_of(rule)[-1], False, "mistake"
        )
        rows = stream(case, n_rows=3000)
        batch = learn_in_cuts(case.new(), rows, [])
        expected = everything(batch, folder)

        for way, learner in ways(case, rows, folder):
            assert_equal(everything(learner, folder), expected, way, case)

        assert_replayed(batch.ledger_, rows.X, batch, case)


# ---------------------------------------------------------------------- classes that join


@every_rule
@amount(quick=3, slow=16)
def test_classes_join_inside_a_batch_at_their_own_row(
    rule: str, n_cases: int, folder: Path
) -> None:
    for case in drawn(rule, n_cases):
        rows = joining(case)
        batch = learn_in_cuts(case.new(), rows, [])
        expected = everything(batch, folder)
        assert batch.classes_.tolist() == list(range(case.n_classes))

        for way, learner in ways(case, rows, folder):
            assert_equal(everything(learner, folder), expected, way, case)

        recorded = learn_in_cuts(case.new(record=True), rows, [])
        assert_replayed(recorded.ledger_, rows.X, recorded, case)


# ---------------------------------------------------------------------- recording


@every_rule
@amount(quick=2, slow=12)
def test_recording_does_not_change_what_is_learned_from_float64_rows(
    rule: str, n_cases: int
) -> None:
    """The second batch would show any difference in rates, which have no name of their own."""
    middle = N_ROWS // 2
    for drawn_case in drawn(rule, n_cases):
        case = replace(drawn_case, dtype="float64")
        for rows in (stream(case), joining(case)):
            recorded = learn_in_cuts(case.new(record=True), rows, [middle])
            plain = learn_in_cuts(case.new(record=False), rows, [middle])
            by_row = learn_by_row(case.new(record=False), rows)

            assert_equal(facts(plain), facts(recorded), case)
            assert_equal(facts(by_row), facts(recorded), "by row", case)


@every_rule
@amount(quick=1, slow=12)
def test_a_recorded_stream_of_float32_rows_is_learned_as_one_of_float64(
    rule: str, n_cases: int
) -> None:
    for drawn_case in drawn(rule, n_cases):
        case = replace(drawn_case, dtype="float32")
        rows = joining(case)
        narrow = learn_in_cuts(case.new(record=True), rows, random_cuts(case))
        wide = learn_in_cuts(case.new(record=True), widened(rows), [])

        assert_equal(facts_and_ledger(narrow), facts_and_ledger(wide), case)


# ---------------------------------------------------------------------- float32, then float64


def widened(rows: Stream) -> Stream:
    return replace(rows, X=rows.X.astype(np.float64))


def learn_and_widen(learner: Any, rows: Stream, middle: int, cuts: Iterable[int]) -> Any:
    """Learn float32 rows up to the middle, and the rest as float64."""
    cuts = sorted({*cuts, middle})
    for start, stop in pairwise([0, *cuts, len(rows)]):
        part = rows[start:stop]
        part = widened(part) if start >= middle else part
        part.teach(learner)
    return learner


@every_rule
@amount(quick=2, slow=12)
def test_a_stream_that_turns_to_float64_gives_the_same_bytes_however_it_is_cut(
    rule: str, n_cases: int, folder: Path
) -> None:
    middle = N_ROWS // 2
    for drawn_case in drawn(rule, n_cases):
        case = replace(drawn_case, dtype="float32")
        for rows in (stream(case), joining(case)):
            whole = learn_and_widen(case.new(), rows, middle, [])
            expected = everything(whole, folder)
            assert whole.coef_.dtype == np.float64

            for cuts in (random_cuts(case), range(1, N_ROWS)):
                parts = learn_and_widen(case.new(), rows, middle, cuts)
                assert_equal(everything(parts, folder), expected, cuts, case)


# ---------------------------------------------------------------------- refusals


def spoiled_by_nan(rows: Stream, rule: str) -> Stream:
    X = rows.X.copy()
    X[-1, 0] = np.nan
    return replace(rows, X=X)


def spoiled_by_overflow(rows: Stream, rule: str) -> Stream:
    """Let the last two rows count so often that no weight can hold what they add.

    They are the same row with two labels, so that at least one of them is a mistake. A rule that
    aims at a margin of 1 goes no further than that, which is out of range if the row is short.
    """
    aims_at_one = ORACLES[rule].aims_at_one or rule == "arow"
    y = rows.y.copy()
    y[-2:] = np.unique(y)[:2]
    short = 1e-153 if rows.X.dtype == np.float64 else 1e-18
    X = rows.X.copy()
    X[-2:] = 0.0
    X[-2:, 0] = short if aims_at_one else 1.0
    weights = np.ones(len(rows))
    weights[-2:] = 1e308
    return replace(rows, X=X, y=y, weights=weights)


FAULTS = {"NaN": (spoiled_by_nan, InputError), "overflow": (spoiled_by_overflow, OverflowRefused)}
# ALMA never leaves the ball of radius 1, and a step of SCW is shorter the less a row varies.
NEVER_OVERFLOW = ("alma", "scw")
REFUSALS = [
    (rule, fault)
    for rule, fault in product(ORACLES, FAULTS)
    if fault == "NaN" or ORACLES[rule].learner not in NEVER_OVERFLOW
]
every_refusal = pytest.mark.parametrize(("rule", "fault"), REFUSALS)


@every_refusal
@amount(quick=1, slow=6)
def test_a_batch_refused_at_its_end_has_taught_nothing(
    rule: str, fault: str, n_cases: int, folder: Path
) -> None:
    spoil, error = FAULTS[fault]
    for drawn_case in drawn(rule, n_cases):
        case = replace(drawn_case, is_sparse=False)
        for rows in (stream(case), joining(case)):
            first, second, third = rows[:8], spoil(rows[8:17], rule), rows[17:]
            learner = case.new(fit_intercept=False)
            first.teach(learner)
            before = everything(learner, folder)
            twin = copy.deepcopy(learner)

            for refused in (second, replace(second, X=csr_array(second.X))):
                with pytest.raises(error):
                    refused.teach(learner)
                assert_equal(everything(learner, folder), before, case)

            third.teach(learner)
            third.teach(twin)
            assert_equal(everything(learner, folder), everything(twin, folder), case)


@every_refusal
@amount(quick=1, slow=6)
def test_a_learner_whose_first_batch_was_refused_is_as_good_as_new(
    rule: str, fault: str, n_cases: int, folder: Path
) -> None:
    spoil, error = FAULTS[fault]
    for drawn_case in drawn(rule, n_cases):
        case = replace(drawn_case, is_sparse=False)
        rows = joining(case)
        learner = case.new(fit_intercept=False)
        with pytest.raises(error):
            spoil(rows, rule).teach(learner)
        assert not hasattr(learner, "coef_")

        rows.teach(learner)
        new = learn_in_cuts(case.new(fit_intercept=False), rows, [])
        assert_equal(everything(learner, folder), everything(new, folder), case)


# ---------------------------------------------------------------------- mappings, dense, sparse


def mapping(x: Any) -> dict[str, float]:
    """Return a dense row by the names of its columns, in their order, without zeros."""
    return {f"f{column}": float(x[column]) for column in np.flatnonzero(x)}


@every_rule
@amount(quick=2, slow=12)
def test_mappings_give_the_weights_of_sparse_rows(rule: str, n_cases: int) -> None:
    for drawn_case in drawn(rule, n_cases):
        case = replace(drawn_case, is_sparse=False, is_weighted=False, dtype="float64")
        for rows in (stream(case), joining(case)):
            # The first row names every feature, so that columns stand where they do in a table.
            rows.X[0] = 1.0
            table = replace(rows, X=csr_array(rows.X))
            batch = learn_in_cuts(case.new(), table, random_cuts(case))
            named = case.new()
            unrecorded = case.new(record=False)
            unusual = case.new(record=False)
            for x, label in rows.examples():
                example = mapping(x)
                named.learn_one(example, label, classes=rows.classes)
                unrecorded.learn_one(example, label, classes=rows.classes)
                # What is no dict takes the fallback.
                unusual.learn_one(MappingProxyType(example), label, classes=rows.classes)

            assert_equal(facts_and_ledger(named), facts_and_ledger(batch), case)
            assert_equal(facts(unrecorded), facts(batch), case)
            assert_equal(facts(unusual), facts(batch), case)
            for x in rows.X[:5]:
                assert named.predict_one(mapping(x)) == batch.predict(csr_array(x[None]))[0]


@pytest.mark.parametrize("rule", [rule for rule, oracle in ORACLES.items() if oracle.exact])
@amount(quick=2, slow=12)
def test_sparse_rows_give_the_weights_of_dense_ones_where_sums_are_exact(
    rule: str, n_cases: int
) -> None:
    for drawn_case in drawn(rule, n_cases):
        case = replace(drawn_case, is_sparse=False)
        rows = stream(case)
        rows = replace(rows, X=rows.X.round())
        dense = learn_in_cuts(case.new(), rows, [])
        sparse = learn_in_cuts(case.new(), replace(rows, X=csr_array(rows.X)), [])

        assert_equal(facts_and_ledger(sparse), facts_and_ledger(dense), case)


# ---------------------------------------------------------------------- read-outs


def learn_predicted(learner: Any, rows: Stream, cuts: Iterable[int]) -> list[Any]:
    """Predict each row, then learn it, in blocks; return the predictions."""
    predictions: list[Any] = []
    for start, stop in pairwise([0, *cuts, len(rows)]):
        part = rows[start:stop]
        tested = learner.predict_then_learn(part.X, part.y, part.weights)
        predictions.extend(tested.predictions)
    return predictions


def predict_and_learn_by_example(learner: Any, rows: Stream) -> list[Any]:
    predictions = []
    for x, label in rows.examples():
        predictions.append(learner.predict_one(x))
        learner.learn_one(x, label)
    return predictions


def drawn_with_readouts(rule: str, n_cases: int) -> Iterator[tuple[Case, str]]:
    """Yield cases with the read-outs in turn; each rule begins with another one."""
    first = STREAMED.index(rule)
    for place, case in enumerate(drawn(rule, n_cases)):
        yield case, READOUTS[(first + place) % len(READOUTS)]


@every_streamed_rule
@amount(quick=3, slow=16)
def test_read_outs_give_the_same_bytes_however_a_stream_is_cut(
    rule: str, n_cases: int, folder: Path
) -> None:
    for case, readout in drawn_with_readouts(rule, n_cases):
        rows = joining(case)
        batch = learn_in_cuts(case.new(readout=readout), rows, [])
        expected = everything(batch, folder)

        for way, learner in ways(case, rows, folder, readout=readout):
            assert_equal(everything(learner, folder), expected, way, readout, case)

        # Whatever predicts, the same is learned.
        recorded = learn_in_cuts(case.new(readout=readout, record=True), rows, [])
        plain = learn_in_cuts(case.new(record=True), rows, [])
        assert_replayed(recorded.ledger_, rows.X, plain, readout, case)
        assert recorded.n_mistakes_ == plain.n_mistakes_


def untied(rows: Stream) -> Stream:
    """Return other rows of the same labels, of which no two scores are equal.

    In blocks a mean is scored by two products, and by one otherwise, so that rounding decides ties.
    """
    random = np.random.default_rng(len(rows))
    return replace(rows, X=rows.X + random.normal(scale=0.1, size=rows.X.shape))


@every_streamed_rule
@amount(quick=3, slow=16)
def test_what_is_predicted_before_it_is_learned_is_predicted_alike_in_blocks(
    rule: str, n_cases: int, folder: Path
) -> None:
    for drawn_case, readout in drawn_with_readouts(rule, n_cases):
        # This way learns in float64, whatever the rows.
        case = replace(drawn_case, is_sparse=False, is_weighted=False, dtype="float64")
        rows = untied(joining(case))
        whole = case.new(readout=readout)
        expected = learn_predicted(whole, rows, [])

        blocks = case.new(readout=readout)
        assert learn_predicted(blocks, rows, random_cuts(case)) == expected
        assert_equal(everything(blocks, folder), everything(whole, folder), readout, case)

        single = case.new(readout=readout)
        assert predict_and_learn_by_example(single, rows) == expected
        assert_equal(facts_and_ledger(single), facts_and_ledger(whole), readout, case)

        batch = learn_in_cuts(case.new(readout=readout), rows, [])
        assert_equal(facts_and_ledger(batch), facts_and_ledger(whole), readout, case)


@every_streamed_rule
@pytest.mark.parametrize("readout", READOUTS)
@pytest.mark.slow
def test_long_streams_with_a_read_out_give_the_same_bytes(
    rule: str, readout: str, folder: Path
) -> None:
    """So long that the decayed means begin their scales again."""
    n_classes = 2 + READOUTS.index(readout) % 2
    case = Case(rule, n_classes, False, "float64", 5, averages_of(rule)[-1], False, "mistake")
    rows = stream(case, n_rows=1600)
    batch = learn_in_cuts(case.new(readout=readout), rows, [])
    cut = learn_in_cuts(case.new(readout=readout), rows, random_cuts(case, len(rows)))
    single = learn_by_example(case.new(readout=readout), rows)

    expected = everything(batch, folder)
    assert_equal(everything(cut, folder), expected, case)
    assert_equal(everything(single, folder), expected, case)
