"""Data and learners that the tests of the linear family draw from."""

from functools import partial

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st
from reference.steps import ORACLES

from rosenblatt.arrays import SparseRows
from rosenblatt.estimators.catalogue import entries, find

# Every learner in every variant; called with further arguments each makes an estimator. Learners
# of other packages that are installed are among them.
LEARNERS = {
    name: partial(find(oracle.learner).load(), **oracle.settings)
    if oracle.settings
    else find(oracle.learner).load()
    for name, oracle in ORACLES.items()
}
LINEAR = [entry.load() for entry in entries("linear")]
LEARNERS |= {
    entry.name: entry.load()
    for entry in entries("linear")
    if entry.name not in {oracle.learner for oracle in ORACLES.values()}
}

seeds = st.integers(0, 2**32 - 1)
small = st.integers(-4, 4)


@st.composite
def tables(draw, n_classes, max_rows=8, max_features=4):
    """A small table of integers, so that sums are exact, in which every class occurs."""
    n, d = draw(st.integers(n_classes, max_rows)), draw(st.integers(1, max_features))
    rows = draw(st.lists(st.lists(small, min_size=d, max_size=d), min_size=n, max_size=n))
    others = st.lists(st.integers(0, n_classes - 1), min_size=n - n_classes, max_size=n - n_classes)
    y = draw(st.permutations([*range(n_classes), *draw(others)]))
    return np.array(rows, dtype=float), np.array(y)


def integers(seed, n=30, d=4, n_classes=2):
    """Rows of small integers, about half of them 0, and random labels of every class."""
    random = np.random.default_rng(seed)
    X = random.integers(-3, 4, (n, d)) * random.integers(0, 2, (n, d))
    return X.astype(float), labels(random, n, n_classes)


def floats(seed, n=30, d=4, n_classes=2, dtype=np.float64):
    """Rows of normal numbers, some of them 0, and random labels of every class."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) * (random.random((n, d)) < 0.8)
    return X.astype(dtype), labels(random, n, n_classes)


def labels(random, n, n_classes):
    return random.permutation(np.arange(n) % n_classes)


def separable(seed, n=60, d=4, gamma=0.1, bias=False):
    """Rows, labels in {-1, +1} and a unit vector u with y (u.x) >= gamma on every row.

    With a bias the theorem lives in the space of (x, 1): u has d + 1 entries.
    """
    random = np.random.default_rng(seed)
    u = random.normal(size=d + bias)
    if bias:  # small enough for both sides of the plane to reach into the box of rows
        u[-1] = random.uniform(-0.3, 0.3) * np.linalg.norm(u[:-1])
    u /= np.linalg.norm(u)
    X = random.uniform(-1, 1, (50 * n, d))
    scores = (np.column_stack([X, np.ones(len(X))]) if bias else X) @ u
    keep = np.flatnonzero(np.abs(scores) >= gamma)[:n]
    keep[:2] = [np.flatnonzero(scores >= gamma)[0], np.flatnonzero(scores <= -gamma)[0]]
    return X[keep], np.where(scores[keep] > 0, 1, -1), u


def sparse_rows(X):
    """The rows as a sparse table of ours."""
    return SparseRows.from_dense(np.asarray(X))


def moved_by_a_byte(values):
    """The same numbers at an address that a processor need not be able to read them from."""
    raw = np.zeros(values.nbytes + 1, np.uint8)[1:]
    raw[:] = np.frombuffer(values.tobytes(), np.uint8)
    return raw.view(values.dtype).reshape(values.shape)


def csr(X):
    return sp.csr_array(X)


def weights_of(learner):
    """The weights and biases that learning goes on from, as copies."""
    weights = learner._model.weights
    return weights.matrix.copy(), weights.bias.copy()


def assert_same_bytes(a, b):
    for one, other in zip(a, b, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
