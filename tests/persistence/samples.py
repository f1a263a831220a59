"""Learners in all the states in which they can be saved, and how two of them are compared."""

import numpy as np
import pandas as pd
from strategies import LEARNERS, csr, floats

from rosenblatt import Ledger
from rosenblatt.kernel import KernelLedger

FEW = {"max_iter": 4, "tol": None}
FITTED = (
    "coef_",
    "intercept_",
    "classes_",
    "n_features_in_",
    "feature_names_in_",
    "n_iter_",
    "t_",
    "n_mistakes_",
    "mistakes_per_epoch_",
    "mistakes_per_row_",
    "stop_reason_",
    "margin_ceiling_",
    "support_",
    "dual_coef_",
    "ledger_",
    "validation_scores_",
    "best_iter_",
    "calibration_",
    "raw_coef_",
    "raw_intercept_",
    "support_vectors_",
    "survival_",
)
# What each row did: in a file only beside a ledger, but support rows are what a kernel is made of.
PER_ROW = ("mistakes_per_row_", "support_", "dual_coef_")
MAPPING_NAMES = ["a", "b", ("c", 1), 4, 5.5, True, None, b"bytes"]


def as_mapping(x):
    """A row as a mapping, with names of all types; what is 0 is left out."""
    return {MAPPING_NAMES[j]: float(x[j]) for j in range(len(x)) if x[j]}


def stream_of_mappings(learner, rows, labels):
    for x, label in zip(rows, labels, strict=True):
        learner.learn_one(as_mapping(x), label)
    return learner


def fitted(make, n_classes, dtype=np.float64, **options):
    X, y = floats(7, n_classes=n_classes, dtype=dtype)
    return make(**FEW, **options).fit(X, y)


STATES = {
    "dense": lambda make, k: fitted(make, k),
    "float32": lambda make, k: fitted(make, k, np.float32),
    "sparse": lambda make, k: make(**FEW).fit(
        csr(floats(7, n_classes=k)[0]), floats(7, n_classes=k)[1]
    ),
    "recorded": lambda make, k: fitted(make, k, record=True),
    "no bias": lambda make, k: fitted(make, k, fit_intercept=False, record=True),
    "early stopping": lambda make, k: fitted(
        make, k, early_stopping=True, validation_fraction=0.3, n_iter_no_change=2
    ),
    "validation set": lambda make, k: make(**FEW, record=True).fit(
        *floats(7, n_classes=k), validation_set=floats(8, n_classes=k)
    ),
    "sample weights": lambda make, k: make(**FEW).fit(
        *floats(7, n_classes=k), sample_weight=np.arange(30) % 3 / 2
    ),
    "coef_init": lambda make, k: make(**FEW, record=True).fit(
        *floats(7, n_classes=k), coef_init=np.full((1 if k == 2 else k, 4), -0.5)
    ),
    "warm start": lambda make, k: (
        make(**FEW, warm_start=True, record=True)
        .fit(*floats(7, n_classes=k))
        .fit(*floats(8, n_classes=k))
    ),
    "separated": lambda make, k: make(max_iter=50).fit(np.eye(k) * 3, np.arange(k)),
    "frame": lambda make, k: make(**FEW).fit(
        pd.DataFrame(floats(7, n_classes=k)[0], columns=list("wxyz")), floats(7, n_classes=k)[1]
    ),
    "batches": lambda make, k: make().partial_fit(*floats(7, n_classes=k)),
    "batches of float32": lambda make, k: make().partial_fit(
        *floats(7, n_classes=k, dtype=np.float32)
    ),
    "recorded batches": lambda make, k: (
        make(record=True).partial_fit(*floats(7, n_classes=k)).partial_fit(*floats(8, n_classes=k))
    ),
    "sparse batches": lambda make, k: make().partial_fit(
        csr(floats(7, n_classes=k)[0]), floats(7, n_classes=k)[1]
    ),
    "mappings": lambda make, k: stream_of_mappings(make(), *floats(7, d=8, n_classes=k)),
    "recorded mappings": lambda make, k: stream_of_mappings(
        make(record=True), *floats(7, d=8, n_classes=k)
    ),
    "frame, then mappings": lambda make, k: (
        make(**FEW, record=True)
        .fit(
            pd.DataFrame(floats(7, n_classes=k)[0], columns=list("wxyz")), floats(7, n_classes=k)[1]
        )
        .learn_one({"z": 1.0, "new": 2.0}, 1)
    ),
    "fit, then batches": lambda make, k: fitted(make, k, np.float32, record=True).partial_fit(
        *floats(8, n_classes=k + 1)
    ),
    "calibrated": lambda make, k: fitted(make, k, calibrate=True),
    "a vector each": lambda make, k: fitted(make, k, record=True, binary_as_multiclass=True),
    "batches, a vector each": lambda make, k: make(binary_as_multiclass=True).partial_fit(
        *floats(7, n_classes=k)
    ),
    "one class": lambda make, k: make().partial_fit([[1.0, 2.0]], ["only"]),
}


def every_state():
    for name, make in LEARNERS.items():
        for state, build in STATES.items():
            for n_classes in (2, 3):
                yield name, state, build, make, n_classes


def told(learner):
    """All that a learner tells, by name; what it refuses to tell as the refusal."""
    facts = {"params": learner.get_params()}
    for name in FITTED:
        own = name != "mistakes_per_row_" and hasattr(learner, "kernel")
        if name in PER_ROW and not own and not hasattr(learner, "ledger_"):
            continue
        try:
            value = getattr(learner, name)
        except AttributeError as error:
            facts[name] = str(error)
            continue
        if isinstance(value, Ledger):
            facts["replayed from"] = value.start.matrix, value.start.bias, value.start.t
            facts["survival"], value = value.survival, tuple(value.entries)
        elif isinstance(value, KernelLedger):
            value = value.classes, value.n_examples, tuple(value.entries), value.replay()
        facts[name] = value
    return facts


def same(one, other):
    """Equal in type, and in every bit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        if one.dtype == object:
            return one.shape == other.shape and same(one.tolist(), other.tolist())
        return (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
    if hasattr(one, "tocsr"):
        parts = ("data", "indices", "indptr")
        return one.shape == other.shape and all(
            same(getattr(one, part), getattr(other, part)) for part in parts
        )
    if isinstance(one, np.random.RandomState):
        return same(list(one.get_state()), list(other.get_state()))
    if isinstance(one, np.random.Generator):
        return one.bit_generator.state == other.bit_generator.state
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, set | frozenset):
        return one == other
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return repr(one) == repr(other)


def assert_same(one, other):
    one, other = told(one), told(other)
    assert one.keys() == other.keys()
    for name in one:
        assert same(one[name], other[name]), (name, one[name], other[name])
