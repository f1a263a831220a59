"""Whatever the bytes are, the loader says `ModelFileError` or hands over a model that works.

What is harmless is taken: a loader that refuses too much fails here as well.
``ROSENBLATT_FUZZ=50000`` tries so many of each kind.
"""

import io
import json
import os
from itertools import groupby

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import LEARNERS

from persistence.families import SAMPLES, family_of
from persistence.forging import closed, opened, signed, with_header
from persistence.mutations import (
    any_json,
    change_a_field,
    change_an_array,
    change_bytes,
    nudge_a_byte,
    nudge_a_field,
    nudge_an_array,
)
from persistence.samples import STATES
from persistence.trying import Trials, try_to_use
from rosenblatt import save
from rosenblatt.errors import ModelFileError
from rosenblatt.persistence.file import read_from

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


chance = st.randoms(use_true_random=False)


def test_any_field_of_a_card_may_hold_anything(tmp_path):
    trials = Trials(tmp_path / "model.rbt")

    @fuzzed
    @given(data=st.data())
    def check(data):
        key, seed = drawn(data)
        card, arrays = opened(seed)
        random = data.draw(chance)
        change = random.choice([change_a_field, nudge_a_field])
        for _ in range(random.randrange(1, 3)):
            change(random, card)
        trials.use(family_of(key), closed(card, arrays))

    check()
    trials.assert_taken(share=0.05)


@pytest.mark.filterwarnings("ignore:(invalid value|overflow|divide by zero):RuntimeWarning")
def test_any_array_may_hold_anything(tmp_path):
    trials = Trials(tmp_path / "model.rbt")

    @fuzzed
    @given(data=st.data())
    def check(data):
        key, seed = drawn(data)
        card, arrays = opened(seed)
        random = data.draw(chance)
        change = random.choice([change_an_array, nudge_an_array])
        for _ in range(random.randrange(1, 4)):
            change(random, arrays)
        trials.use(family_of(key), closed(card, arrays))

    check()
    trials.assert_taken(share=0.05)


def test_any_bytes_may_be_changed(tmp_path):
    trials = Trials(tmp_path / "model.rbt")

    @fuzzed
    @given(data=st.data())
    def check(data):
        key, seed = drawn(data)
        changed = bytearray(seed)
        random = data.draw(chance)
        change = random.choice([change_bytes, nudge_a_byte])
        for _ in range(random.randrange(1, 5)):
            change(random, changed)
        sign = signed if change is nudge_a_byte or random.random() < 0.5 else bytes
        trials.use(family_of(key), sign(bytes(changed)))

    check()
    trials.assert_taken(share=0.05)


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
@given(chance)
def test_any_json_may_be_the_header(random):
    value = any_json(random)
    for header in (value, {"__metadata__": value}, {"__metadata__": {"rosenblatt": value}}):
        file = with_header(json.dumps(header), b"")
        with pytest.raises(ModelFileError):
            read_from(io.BytesIO(file), len(file))
