"""Whatever the bytes are, the loader says `ModelFileError` or hands over a model that works.

``ROSENBLATT_FUZZ=50000`` tries so many of each kind.
"""

import contextlib
import io
import json
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import LEARNERS, floats

from model.forging import closed, opened, signed, with_header
from model.kernel_samples import STATES as MACHINES
from model.samples import STATES
from model.tagger_samples import STATES as TAGGERS
from model.tagger_samples import questions
from rosenblatt import load, save
from rosenblatt.errors import InputError, ModelFileError, ParameterError
from rosenblatt.model.file import read_from

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

fuzzed = settings(
    max_examples=int(os.environ.get("ROSENBLATT_FUZZ", "400")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
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
        SEEDS[name, state] = path.read_bytes()
    for state in MACHINES:
        save(MACHINES[state](3), path)
        SEEDS["kernel", state] = path.read_bytes()
    for state in TAGGERS:
        save(TAGGERS[state](), path)
        SEEDS["tagger", state] = path.read_bytes()
    yield
    SEEDS.clear()


def which(draw):
    return draw(st.sampled_from(sorted(SEEDS)))


def try_to_use(data, path):
    """Load it, and when that works, ask it and teach it: nothing may crash or be NaN."""
    try:
        state = read_from(io.BytesIO(data), len(data))
    except ModelFileError:
        return
    path.write_bytes(data)
    try:
        learner = load(path)
    except ModelFileError:
        return
    assert state.card.learner == type(learner).__name__
    if state.card.kernel is not None:
        try_to_use_machine(state, learner, path)
        return
    if state.card.tagger is not None:
        try_to_use_tagger(state, learner, path)
        return
    X = floats(3, n=6, d=max(learner.n_features_in_, 1))[0]
    assert len(learner.classes_) == len(state.card.classes)
    if learner._model.columns is None and "_feature_names" not in learner.__dict__:
        assert not np.isnan(learner.decision_function(X)).any()
        labels = (learner.classes_[[0, -1]].tolist() * 3)[: len(X)]
        # Some labels can only come with a mapping, and weights of classes not with a stream.
        with contextlib.suppress(InputError, ParameterError):
            learner.partial_fit(X, labels)
        assert not np.isnan(learner.decision_function(X)).any()
    for name in ("coef_", "intercept_", "support_", "dual_coef_", "feature_names_in_"):
        getattr(learner, name, None)
    save(learner, path)
    load(path)


def try_to_use_machine(state, learner, path):
    assert learner.classes_.tolist() == sorted(state.card.classes)
    if learner.n_features_in_ <= 2000 and not hasattr(learner, "feature_names_in_"):
        X = floats(3, n=6, d=learner.n_features_in_)[0]
        labels = (learner.classes_[[0, -1]].tolist() * 3)[: len(X)]
        for _ in range(2):
            # Numbers that nobody has learned may be too large for the kernel, which is said.
            with contextlib.suppress(InputError):
                assert not np.isnan(learner.decision_function(X)).any()
                learner.explain(X[0])
            if not hasattr(learner, "partial_fit"):
                break
            with contextlib.suppress(InputError, ParameterError):
                learner.partial_fit(X, labels)
    for name in ("support_", "support_vectors_", "dual_coef_", "survival_", "ledger_"):
        getattr(learner, name, None)
    with contextlib.suppress(ModelFileError):  # what was learned from them may be too large as well
        save(learner, path)
    load(path)


def try_to_use_tagger(state, tagger, path):
    assert tagger.tags_ == state.card.classes
    with contextlib.suppress(InputError):  # constraints, or tuples of another length
        xs = questions(tagger)
        for _ in range(2):
            found = tagger.predict(xs)
            assert {tag for tags in found for tag in tags} <= set(tagger.tags_)
            assert not np.isnan(tagger.explain(xs[0]).score)
            with contextlib.suppress(ParameterError):
                tagger.partial_fit(xs, found)
    getattr(tagger, "ledger_", None)
    save(tagger, path)
    load(path)


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


@fuzzed
@given(data=st.data())
def test_any_field_of_a_card_may_hold_anything(data, tmp_path):
    card, arrays = opened(SEEDS[which(data.draw)])
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from([p for p in places(card) if p]))
        holder = card
        for key in path[:-1]:
            holder = holder[key]
        action = data.draw(st.sampled_from(["replace", "replace", "drop", "copy"]))
        if action == "replace":
            holder[path[-1]] = data.draw(json_values)
        elif action == "drop":
            del holder[path[-1]]
        elif isinstance(holder, list):
            holder.append(holder[path[-1]])
        else:
            holder[data.draw(st.text(max_size=3))] = holder[path[-1]]
    try_to_use(closed(card, arrays), tmp_path / "model.rbt")


numbers = st.sampled_from([0, 1, -1, 2, 127, -128, 10**6, 2**31 - 1, 2**62, np.nan, np.inf, 1e149])


@fuzzed
@given(data=st.data())
@pytest.mark.filterwarnings("ignore:(invalid value|overflow|divide by zero):RuntimeWarning")
def test_any_array_may_hold_anything(data, tmp_path):
    card, arrays = opened(SEEDS[which(data.draw)])
    for _ in range(data.draw(st.integers(1, 3))):
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
    try_to_use(closed(card, arrays), tmp_path / "model.rbt")


@fuzzed
@given(data=st.data())
def test_any_bytes_may_be_changed(data, tmp_path):
    original = bytearray(SEEDS[which(data.draw)])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(original)))
        piece = data.draw(st.binary(max_size=4) | st.sampled_from([b"[", b"{", b'"', b"\\", b"9"]))
        removed = data.draw(st.integers(0, 4))
        original[place : place + removed] = piece
    changed = bytes(original)
    try_to_use(signed(changed) if data.draw(st.booleans()) else changed, tmp_path / "model.rbt")


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
