"""Usual records of a table take one compiled call; all others the longer way, with one result."""

import copy
import pickle
import warnings
from decimal import Decimal
from io import BytesIO
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import LEARNERS

from estimators.linear.one_call import (
    OPTIONS,
    OddFloat,
    OddInt,
    OddText,
    compare_both_ways,
    learns_in_one_call,
    outcome,
    predicted_in_one_call,
    state,
)
from rosenblatt import Perceptron, load, save
from rosenblatt.features import GrowingSchema, Schema
from rosenblatt.io import iter_table, read_table
from rosenblatt.models.linear import LinearModel

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore::rosenblatt.errors.MajorityWarning"
)

NUMBERS = st.one_of(st.floats(-5, 5), st.integers(-3, 3), st.booleans())
LEVELS = st.sampled_from(["red", "blue", "", "True", "1", "1.5"])
ODD = st.sampled_from(
    [
        *(None, float("nan"), float("inf"), -0.0, 1e-320, 1e80, 1e150, 1e155, -1e308, 10**400),
        *(np.float64(1.5), np.float32(0.1), np.int8(2), np.bool_(True), np.float64("nan")),
        *(OddFloat(2.0), OddInt(2), OddText("red"), np.str_("blue"), Decimal("0.5"), 1j, [1.0]),
        *("new", "red ", 7, 1, 1.5, True, False, b"red"),
    ]
)
KINDS = st.dictionaries(
    st.sampled_from("abcdef"), st.sampled_from([NUMBERS, LEVELS]), min_size=1, max_size=5
)


@st.composite
def records(draw, kinds, *, odd):
    """A record of columns of these kinds, of which some may be missing or, if `odd`, anything."""
    found = {}
    for name, usual in kinds.items():
        how = draw(st.sampled_from(["usual"] * 6 + ["gap", "none"] + ["odd"] * (2 * odd)))
        if how != "none":
            values = {"usual": usual, "gap": st.none(), "odd": ODD}[how]
            found[name] = draw(values)
    if odd and draw(st.booleans()):
        found[draw(st.sampled_from(["extra", 1, None]))] = draw(ODD)
    return found


def fitted(kind, rows, labels, **options):
    """A learner whose schema is guessed from all rows, from the first ones, or set by hand."""
    learner = LEARNERS[options.pop("name")](**options)
    if kind != "set":
        return getattr(learner, kind)(rows, labels)
    schema = Schema.guess_records(rows)
    learner.fit(schema.encode_records(rows), labels)
    learner.schema_ = schema
    return learner


@given(
    name=st.sampled_from(sorted(LEARNERS)),
    kind=st.sampled_from(["fit", "partial_fit", "set"]),
    options=OPTIONS,
    kinds=KINDS,
    data=st.data(),
)
def test_records_are_learned_and_predicted_as_by_the_longer_way(name, kind, options, kinds, data):
    assume(name != "voted" or "readout" not in options)  # refused, since it keeps rows
    drawn = st.lists(records(kinds, odd=False), min_size=2, max_size=5)
    rows, n_classes = data.draw(drawn), data.draw(st.integers(2, 3))
    labels = [place % n_classes for place in range(len(rows))]
    short, long = (
        outcome(lambda: [fitted(kind, rows, labels, name=name, **options)]) for _ in range(2)
    )
    assume(isinstance(short, list))
    (short,), (long,) = short, long
    for number in range(data.draw(st.integers(0, 8))):
        x = data.draw(records(kinds, odd=True))
        y = data.draw(st.sampled_from([0, 1, 1, 2, True, np.int64(1), 1.0, None, [1]]))
        compare_both_ways(short, long, x, y)
        assert repr(short.schema_ and short.schema_.to_json()) == state(short)[-1]
        if number == 3:
            short, long = copy.deepcopy(short), pickle.loads(pickle.dumps(long))


RANDOM = np.random.default_rng(0)
ROWS = [
    {
        "size": float(RANDOM.normal(3, 2)),
        "rooms": int(RANDOM.integers(1, 9)),
        "colour": str(RANDOM.choice(["red", "blue", "green"])),
        "sold": bool(RANDOM.integers(2)),
        "kind": str(RANDOM.choice(["a", "b"])) if i % 9 else None,
        "age": float(RANDOM.normal()) if i % 7 else None,
    }
    for i in range(60)
]
LABELS = [int(row["size"] + (row["colour"] == "red") > 3) for row in ROWS]
USUAL = ROWS[0]
OF_NUMBERS = ("size", "rooms", "age")
PLAIN = [
    USUAL,
    {},
    {**USUAL, "colour": "new", "more": object()},
    {**USUAL, "size": None, "kind": None, "colour": None},
    {**USUAL, "size": float("nan"), "age": np.float32(2.0), "rooms": np.int64(3)},
    {**USUAL, "sold": 2, "colour": True, "kind": 10**30},
    dict(reversed(USUAL.items())),
]
ODD_RECORDS = [
    {**USUAL, "size": "3"},
    {**USUAL, "sold": "True"},
    {**USUAL, "size": float("inf")},
    {**USUAL, "rooms": 10**400},
    {**USUAL, "size": OddFloat(2.0)},
    {**USUAL, "colour": OddText("red")},
    {**USUAL, "colour": np.float64(1.5)},
    {**USUAL, "colour": ["red"]},
    MappingProxyType(USUAL),
]


def begun(kind="fit", columns=None, n_classes=2, **options):
    """A learner that has met its schema and one example of a stream."""
    rows = [{name: row[name] for name in columns or row} for row in ROWS]
    labels = [label if n_classes == 2 else i % n_classes for i, label in enumerate(LABELS)]
    learner = fitted(kind, rows, labels, name="perceptron", **options)
    return learner.learn_one(MappingProxyType(rows[0]), labels[0])


@pytest.mark.parametrize("kind", ["fit", "partial_fit"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("options", [{}, {"average": True}, {"readout": "auto"}])
def test_usual_records_take_one_call(kind, n_classes, options):
    learner = begun(kind, n_classes=n_classes, **options)
    for x in PLAIN:
        assert learns_in_one_call(learner, x, 1)
        assert predicted_in_one_call(learner, x) == learner.predict_one(MappingProxyType(x))


@pytest.mark.parametrize("columns", [OF_NUMBERS, OF_NUMBERS[:2]])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_records_of_numbers_alone_take_one_call_with_gaps_and_without(columns, n_classes):
    learner = begun("set", columns, n_classes)
    assert learns_in_one_call(learner, USUAL, 1)
    assert predicted_in_one_call(learner, USUAL) == learner.predict_one(MappingProxyType(USUAL))


@pytest.mark.parametrize("kind", ["fit", "partial_fit"])
@pytest.mark.parametrize("x", ODD_RECORDS)
def test_what_is_unusual_is_left_alone(kind, x):
    learner = begun(kind)
    assert not learns_in_one_call(learner, x, 1)
    assert predicted_in_one_call(learner, x) is None


@pytest.mark.parametrize("x", [{"when": "2024-05-01", "n": 1.0}, {"text": "a b", "n": 1.0}])
def test_dates_and_texts_take_the_longer_way(x):
    rows = [{**x, "n": float(i)} for i in range(40)]
    for i, row in enumerate(rows):
        row |= {"when": f"2024-05-{1 + i % 28:02}"} if "when" in x else {}
        row |= {"text": f"some words {i} that are all different {i * 7}"} if "text" in x else {}
    learner = Perceptron().fit(rows, [i % 2 for i in range(40)]).learn_one(x, 1)
    assert {column.kind for column in learner.schema_.columns} & {"date", "text"}
    assert not learns_in_one_call(learner, x, 1)
    assert predicted_in_one_call(learner, x) is None
    assert learner.predict_one(x) in (0, 1)


def test_the_best_weights_predict_records_in_one_call():
    learner = Perceptron(early_stopping=True).fit(ROWS, LABELS)
    assert learner._model.best is not None
    for row in ROWS:
        expected = learner.predict_one(MappingProxyType(row))
        assert predicted_in_one_call(learner, row) == expected


def test_a_loaded_model_predicts_records_in_one_call(tmp_path):
    learner = begun("partial_fit")
    save(learner, tmp_path / "model.rbt")
    assert predicted_in_one_call(load(tmp_path / "model.rbt"), USUAL) == learner.predict_one(USUAL)


def test_numbers_of_a_stream_are_scaled_by_the_records_before():
    learner = Perceptron().partial_fit(ROWS[:9], LABELS[:9])
    learner.learn_one(ROWS[9], LABELS[9])
    for row, label in zip(ROWS[10:], LABELS[10:], strict=True):
        assert learns_in_one_call(learner, row, label)
    (size,) = (column for column in learner.schema_.columns if column.name == "size")
    values = [row["size"] for row in ROWS]
    assert size.center == pytest.approx(np.mean(values), rel=1e-12)
    assert size.scale == pytest.approx(np.std(values), rel=1e-12)
    assert size.sums[0] == len(ROWS)


HOLDERS = {
    "schema": lambda learner: learner.schema_,
    "columns": lambda learner: learner.schema_.columns,
    "column": lambda learner: learner.schema_.columns[0],
    "description": lambda learner: learner._model.schema,
    "described columns": lambda learner: learner._model.schema["columns"],
    "described column": lambda learner: learner._model.schema["columns"][0],
    "sums": lambda learner: learner.schema_.columns[0].sums,
    "copy of the model": lambda learner: learner._model.copy(),
    "state of a file": lambda learner: learner.to_state(),
}


def seen(held):
    """What a holder can see of the numbers of a schema."""
    if hasattr(held, "card"):
        return repr(held.card.schema)
    if isinstance(held, Schema):
        return repr(held.to_json())
    return repr(held.schema if isinstance(held, LinearModel) else held)


@pytest.mark.parametrize("holder", HOLDERS)
def test_who_asked_for_the_schema_of_a_stream_keeps_it_as_it_was(holder):
    learner = begun("partial_fit")
    held = HOLDERS[holder](learner)
    before, n = seen(held), learner.schema_.columns[0].sums[0]
    for row, label in zip(ROWS[:5], LABELS[:5], strict=True):
        learner.learn_one(row, label)
    assert seen(held) == before
    assert learner.schema_.columns[0].sums[0] == n + 5
    assert learns_in_one_call(learner, USUAL, 1)
    assert seen(held) == before


def test_a_schema_that_grew_is_read_once_it_is_set():
    text = "size,colour,y\n" + "".join(
        f"{row['size']},{row['colour']},{label}\n" for row, label in zip(ROWS, LABELS, strict=True)
    )
    learner = begun(columns=("size", "colour"))
    learner.predict_one(USUAL)
    growing = GrowingSchema("table", schema=learner.schema_)
    changed = text.replace("red", "black")
    for block in iter_table(BytesIO(changed.encode()), target="y"):
        learner.predict_then_learn(growing.encode(block, learner), block.labels)
    growing.schema.columns[0].center += 1.0
    learner.schema_ = growing.schema
    for row in (*ROWS, {"colour": "black"}, {"colour": "red", "size": 2.0}):
        found = predicted_in_one_call(learner, row)
        assert found == learner.predict_one(MappingProxyType(row))
        assert found is not None


def test_a_schema_that_is_set_replaces_the_one_before():
    learner = begun("set", OF_NUMBERS[:2])
    schema = Schema.of_numbers(["age", "size"])
    learner.schema_ = schema
    x = {"size": 9.0, "rooms": 1, "age": -2.0}
    assert learner.predict_one(x) == learner.predict_one(MappingProxyType(x))
    expected = learner.predict(schema.encode_records([x]))[0]
    assert predicted_in_one_call(learner, x) == expected


@pytest.mark.parametrize("size", [1e140, 1e148, -1e150])
def test_the_largest_numbers_are_learned_alike_and_without_a_warning(size):
    learner = begun("partial_fit")
    twin = copy.deepcopy(learner)
    x = {**USUAL, "size": size}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner.learn_one(x, 1)
        twin.learn_one(MappingProxyType(x), 1)
    assert learner._model.digest() == twin._model.digest()
    assert learner.schema_.to_json() == twin.schema_.to_json()


class Meddler:
    """A key that is taken for "size", and does something when it is compared."""

    def __init__(self, meddle):
        self.meddle = meddle

    def __hash__(self):
        return hash("size")

    def __eq__(self, other):
        meddle, self.meddle = self.meddle, lambda: None
        meddle()
        return self is other


@pytest.mark.parametrize("kind", ["fit", "partial_fit"])
@pytest.mark.parametrize("what", ["clear", "learn", "grow"])
def test_keys_that_meddle_when_compared_do_no_harm(kind, what):
    learner = begun(kind)

    def meddle():
        if what == "clear":
            x.clear()
        elif what == "learn":
            learner.learn_one(ROWS[1], 2)
        else:
            learner.schema_.grow(read_table(BytesIO(b"colour,kind,sold\nnew,new,1\n"), target=None))

    x = {Meddler(meddle): 1.0, **{k: v for k, v in USUAL.items() if k != "size"}}
    outcome(learner.predict_one, x)
    x = {Meddler(meddle): 1.0, **{k: v for k, v in USUAL.items() if k != "size"}}
    outcome(learner.learn_one, x, 1)
    assert np.isfinite(learner.coef_).all()
