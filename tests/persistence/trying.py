"""Files of any origin put to use: refused, or loaded, asked, taught and saved again."""

import contextlib
import io
from collections import Counter

import numpy as np
from hypothesis import event
from strategies import floats

from persistence.families import FAMILIES
from persistence.samples import told
from persistence.tagger_samples import questions
from rosenblatt import load, save
from rosenblatt.errors import InputError, ModelFileError, ParameterError
from rosenblatt.persistence.file import read_from


class Trials:
    """Files that were tried, by family, and how many of them the loader took.

    A loader that refuses everything never crashes, so what it takes has a floor.
    """

    def __init__(self, path):
        self.path = path
        self.tried, self.taken = Counter(), Counter()

    def use(self, family, data):
        taken = try_to_use(data, self.path)
        event(f"{family} {'taken' if taken else 'refused'}")
        self.tried[family] += 1
        self.taken[family] += taken

    def assert_taken(self, *, share):
        counts = f"{dict(self.taken)} of {dict(self.tried)}"
        assert all(self.taken[family] for family in FAMILIES), counts
        assert self.taken.total() >= share * self.tried.total(), counts


def try_to_use(data, path):
    """Load it, and when that works, ask it and teach it: nothing may crash or be NaN.

    Returns whether that worked.
    """
    path.write_bytes(data)
    try:
        state = read_from(io.BytesIO(data), len(data))
        learner = load(path)
    except ModelFileError:
        return False
    assert state.card.learner == type(learner).__name__
    save(learner, path)
    assert_comes_back(path)
    use = {"linear": use_linear, "kernel": use_machine, "tags": use_tagger}
    use[state.family](state, learner)
    try:
        save(learner, path)
    except ModelFileError:
        # What a machine has learned from numbers that nobody chose may be too large to keep.
        assert state.family == "kernel"
    assert_comes_back(path)
    return True


def assert_comes_back(path):
    """A file of ours gives a learner that is saved to the same bytes."""
    kept = path.read_bytes()
    save(load(path), path)
    assert path.read_bytes() == kept


def assert_no_nan(facts):
    for name, value in facts.items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            assert not np.isnan(value).any(), name


def use_linear(state, learner):
    X = floats(3, n=6, d=max(learner.n_features_in_, 1))[0]
    assert len(learner.classes_) == len(state.card.classes)
    if learner._model.columns is None and "_feature_names" not in learner.__dict__:
        assert not np.isnan(learner.decision_function(X)).any()
        labels = (learner.classes_[[0, -1]].tolist() * 3)[: len(X)]
        # Some labels can only come with a mapping, and weights of classes not with a stream.
        with contextlib.suppress(InputError, ParameterError):
            learner.partial_fit(X, labels)
        assert not np.isnan(learner.decision_function(X)).any()
    assert_no_nan(told(learner))


def use_machine(state, learner):
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
    assert_no_nan(told(learner))


def use_tagger(state, tagger):
    assert tagger.tags_ == state.card.classes
    with contextlib.suppress(InputError):  # constraints, or tuples of another length
        xs = questions(tagger)
        for _ in range(2):
            found = tagger.predict(xs)
            assert {tag for tags in found for tag in tags} <= set(tagger.tags_)
            assert not np.isnan(tagger.explain(xs[0]).score)
            with contextlib.suppress(ParameterError):
                tagger.partial_fit(xs, found)
    assert len(list(getattr(tagger, "ledger_", []))) <= tagger.t_
