"""Whatever the bytes are, the loader says `ModelFileError` or hands over a model that works.

What is harmless is taken: a loader that refuses too much fails here as well.
``ROSENBLATT_FUZZ=50000`` tries so many of each kind.
"""

import io
import json
import os
import struct
from itertools import groupby

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import LEARNERS

from model.families import SAMPLES, family_of
from model.forging import closed, opened, signed, with_header
from model.samples import STATES
from model.trying import Trials, try_to_use
from rosenblatt import save
from rosenblatt.errors import ModelFileError
from rosenblatt.model.file import read_from

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

fuzzed = settings(
    max_examples=int(os.environ.get("ROSENBLATT_FUZZ", "400")),
    suppress_health_check=[HealthCheck.too_slow],
)
SEEDS = {}


@pytest.fixture(scope="module", autouse=True)
def seeds(tmp_path_factory):
    path = tmp_path_factory.mktemp("seeds") / "model.rbt"
    for name, state, n_classes in [
        ("perceptron", "one class", 2),
        ("perceptron", "recorded", 2),
        ("averaged", "frame, then mappings", 3),
        ("voted", "sparse", 3),
        ("voted", "early stopping", 2),
        ("pa1", "early stopping", 3),
        ("soft", "dense", 3),
        ("mira", "recorded mappings", 2),
    ]:
        save(STATES[state](LEARNERS[name], n_classes), path)
        SEEDS[f"linear: {name}, {state}"] = path.read_bytes()
    for name, build in SAMPLES.items():
        if family_of(name) != "linear":
            save(build(), path)
            SEEDS[name] = path.read_bytes()
    yield
    SEEDS.clear()


def drawn(data):
    """The key of a seed and its bytes; each family as often as any other."""
    families = groupby(sorted(SEEDS, key=family_of), key=family_of)
    key = data.draw(
        st.sampled_from([sorted(keys) for _, keys in families]).flatmap(st.sampled_from)
    )
    return key, SEEDS[key]


plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    plain | st.text(max_size=6) | st.sampled_from([2**63, 2**64, -1, 0, 1, 1e308, "", "inf"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["tuple", "numpy", "dict", "list", "set", "bytes", "float", "Generator", "t", "x"]
            ),
            inner,
            max_size=2,
        )
    ),
    max_leaves=6,
)


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for index in range(len(value)):
            yield from places(value[index], (*path, index))


def value_at(card, path):
    for key in path:
        card = card[key]
    return card


def test_any_field_of_a_card_may_hold_anything(tmp_path):
    trials = Trials(tmp_path / "model.rbt")

    @fuzzed
    @given(data=st.data())
    def check(data):
        key, seed = drawn(data)
        card, arrays = opened(seed)
        change = data.draw(st.sampled_from([change_a_field, nudge_a_field]))
        for _ in range(data.draw(st.integers(1, 2))):
            change(data, card)
        trials.use(family_of(key), closed(card, arrays))

    check()
    trials.assert_taken(share=0.05)


def change_a_field(data, card):
    path = data.draw(st.sampled_from([p for p in places(card) if p]))
    holder = value_at(card, path[:-1])
    action = data.draw(st.sampled_from(["replace", "replace", "drop", "copy"]))
    if action == "replace":
        holder[path[-1]] = data.draw(json_values)
    elif action == "drop":
        del holder[path[-1]]
    elif isinstance(holder, list):
        holder.append(holder[path[-1]])
    else:
        holder[data.draw(st.text(max_size=3))] = holder[path[-1]]


def nudge_a_field(data, card):
    """Another value of the same kind, which is often as good as the one before."""
    leaves = [(p, v) for p in places(card) if isinstance(v := value_at(card, p), int | float)]
    path, value = data.draw(st.sampled_from(leaves))
    holder = value_at(card, path[:-1])
    holder[path[-1]] = not value if isinstance(value, bool) else value + type(value)(1)


numbers = st.sampled_from([0, 1, -1, 2, 127, -128, 10**6, 2**31 - 1, 2**62, np.nan, np.inf, 1e149])


@pytest.mark.filterwarnings("ignore:(invalid value|overflow|divide by zero):RuntimeWarning")
def test_any_array_may_hold_anything(tmp_path):
    trials = Trials(tmp_path / "model.rbt")

    @fuzzed
    @given(data=st.data())
    def check(data):
        key, seed = drawn(data)
        card, arrays = opened(seed)
        change = data.draw(st.sampled_from([change_an_array, nudge_an_array]))
        for _ in range(data.draw(st.integers(1, 3))):
            change(data, arrays)
        trials.use(family_of(key), closed(card, arrays))

    check()
    trials.assert_taken(share=0.05)


def change_an_array(data, arrays):
    name = data.draw(st.sampled_from(sorted(arrays)))
    values = arrays[name]
    if values.size and data.draw(st.booleans()):
        with np.errstate(all="ignore"):
            number = np.array(data.draw(numbers)).astype(values.dtype)
        values.flat[data.draw(st.integers(0, values.size - 1))] = number
    else:
        shape = data.draw(st.lists(st.integers(0, 4), max_size=3))
        dtype = data.draw(st.sampled_from(["f4", "f8", "i1", "i4", "i8"]))
        arrays[name] = np.zeros(shape, dtype)


def nudge_an_array(data, arrays):
    """One value halved, or that of another place."""
    filled = [name for name in sorted(arrays) if arrays[name].size]
    if not filled:
        return
    values = arrays[data.draw(st.sampled_from(filled))]
    place, other = (data.draw(st.integers(0, values.size - 1)) for _ in range(2))
    values.flat[place] = values.flat[place] / 2 if place == other else values.flat[other]


def test_any_bytes_may_be_changed(tmp_path):
    trials = Trials(tmp_path / "model.rbt")

    @fuzzed
    @given(data=st.data())
    def check(data):
        key, seed = drawn(data)
        changed = bytearray(seed)
        change = data.draw(st.sampled_from([change_bytes, nudge_a_byte]))
        for _ in range(data.draw(st.integers(1, 4))):
            change(data, changed)
        sign = signed if change is nudge_a_byte or data.draw(st.booleans()) else bytes
        trials.use(family_of(key), sign(bytes(changed)))

    check()
    trials.assert_taken(share=0.05)


def change_bytes(data, changed):
    place = data.draw(st.integers(0, len(changed)))
    piece = data.draw(st.binary(max_size=4) | st.sampled_from([b"[", b"{", b'"', b"\\", b"9"]))
    removed = data.draw(st.integers(0, 4))
    changed[place : place + removed] = piece


def nudge_a_byte(data, changed):
    """One bit of the arrays, which are most of a file."""
    (length,) = struct.unpack("<Q", changed[:8])
    if len(changed) == 8 + length:
        return
    place = data.draw(st.integers(8 + length, len(changed) - 1))
    changed[place] ^= 1 << data.draw(st.integers(0, 7))


def reordered(fields):
    return {name: fields[name] for name in reversed(fields)}


def with_parameter(name, value):
    return lambda card, arrays: closed(
        card | {"parameters": card["parameters"] | {name: value}}, arrays
    )


HARMLESS = {
    "put together anew": closed,
    "fields in another order": lambda card, arrays: closed(reordered(card), arrays),
    "written by another version": lambda card, arrays: closed(card | {"version": "0.1.1"}, arrays),
    "another state of the shuffling": lambda card, arrays: closed(card | {"random": 1}, arrays),
    "more epochs": with_parameter("max_iter", 77),
    "another seed": with_parameter("random_state", 5),
    "shuffled or not": with_parameter("shuffle", False),
}


@pytest.mark.parametrize("edit", HARMLESS)
def test_what_is_harmless_is_taken(edit, tmp_path):
    path = tmp_path / "model.rbt"
    for key, seed in SEEDS.items():
        assert try_to_use(HARMLESS[edit](*opened(seed)), path), key


def test_what_was_saved_is_taken(tmp_path):
    for key, seed in SEEDS.items():
        assert try_to_use(seed, tmp_path / "model.rbt"), key


@fuzzed
@given(
    st.binary(max_size=64), st.sampled_from([b"", b"\x80\x04", b"PK\x03\x04", b"\x10" + bytes(7)])
)
def test_any_bytes_may_be_a_file(data, start):
    with pytest.raises(ModelFileError):
        read_from(io.BytesIO(start + data), len(start + data))


@fuzzed
@given(json_values)
def test_any_json_may_be_the_header(value):
    for header in (value, {"__metadata__": value}, {"__metadata__": {"rosenblatt": value}}):
        file = with_header(json.dumps(header), b"")
        with pytest.raises(ModelFileError):
            read_from(io.BytesIO(file), len(file))
