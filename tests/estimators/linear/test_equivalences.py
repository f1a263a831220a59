"""Different ways to the same model: dense and sparse, batch and stream, once and resumed."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import LEARNERS, assert_same_bytes, csr, floats, integers, seeds, weights_of

from rosenblatt import AveragedPerceptron, Perceptron

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

every_learner = pytest.mark.parametrize("name", LEARNERS)
n_classes_in = st.sampled_from([2, 3, 5])
FEW = {"max_iter": 3, "tol": None}
NAMES = "abcdefgh"


def as_mapping(x):
    """A row as a mapping; what is 0 is left out, and the names come in no particular order."""
    return {NAMES[j]: float(x[j]) for j in reversed(range(len(x))) if x[j]}


# ---------------------------------------------------------------------- tables of every kind


@every_learner
@given(seeds, n_classes_in)
def test_dense_and_sparse_integers_give_the_same_model(name, seed, n_classes):
    X, y = integers(seed, n_classes=n_classes)
    dense, sparse = (LEARNERS[name](**FEW).fit(table, y) for table in (X, csr(X)))
    if name in ("perceptron", "margin", "averaged", "voted"):  # all sums are exact
        assert_same_bytes(weights_of(dense), weights_of(sparse))
        np.testing.assert_array_equal(dense.coef_, sparse.coef_)
        assert dense.mistakes_per_epoch_ == sparse.mistakes_per_epoch_
    else:
        X, y = floats(seed, n_classes=n_classes)
        dense, sparse = (LEARNERS[name](**FEW).fit(table, y) for table in (X, csr(X)))
        np.testing.assert_allclose(dense.coef_, sparse.coef_, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(
            dense.decision_function(X), sparse.decision_function(csr(X)), rtol=1e-9, atol=1e-9
        )


@every_learner
@given(seeds, n_classes_in, st.sampled_from([np.float32, np.float64]))
def test_wide_column_numbers_give_the_same_bytes_as_narrow_ones(name, seed, n_classes, dtype):
    X, y = floats(seed, n_classes=n_classes, dtype=dtype)
    narrow, wide = csr(X), csr(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    mixed = csr(X)
    mixed.indptr = mixed.indptr.astype(np.int64)
    one, two, three = (LEARNERS[name](**FEW).fit(table, y) for table in (narrow, wide, mixed))
    assert_same_bytes(weights_of(one), weights_of(two))
    assert_same_bytes(weights_of(one), weights_of(three))


@pytest.mark.parametrize(
    "table",
    [
        np.asfortranarray,
        lambda X: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2],
        lambda X: X[::-1].copy()[::-1],
        lambda X: X.astype(np.int64),
        lambda X: X.astype(np.int8),
        lambda X: X.astype(np.float16),
        lambda X: X.astype(">f8"),
        lambda X: X.tolist(),
    ],
    ids=["fortran", "strided", "reversed", "int64", "int8", "float16", "big-endian", "list"],
)
@every_learner
def test_the_layout_and_type_of_the_rows_do_not_matter(name, table):
    X, y = integers(7, n_classes=3)
    expected = LEARNERS[name](**FEW).fit(X, y)
    found = LEARNERS[name](**FEW).fit(table(X), y)
    assert_same_bytes(weights_of(found), weights_of(expected))
    np.testing.assert_array_equal(found.predict(table(X)), expected.predict(X))


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.float64])
def test_a_sparse_matrix_with_unsorted_and_repeated_columns_is_read_right_and_left_alone(dtype):
    table = sp.csr_array(
        (np.array([1, 2, 3, -1], dtype), np.array([2, 0, 2, 1]), np.array([0, 3, 4])), shape=(2, 3)
    )
    before = [table.data.copy(), table.indices.copy(), table.indptr.copy()]
    learner = Perceptron(shuffle=False, max_iter=1).fit(table, [1, 0])
    assert (
        learner.coef_.tolist()
        == Perceptron(shuffle=False, max_iter=1).fit([[2, 0, 4], [0, -1, 0]], [1, 0]).coef_.tolist()
    )
    assert_same_bytes(before, [table.data, table.indices, table.indptr])


def test_weights_take_the_type_of_the_rows():
    X, y = floats(1)
    assert Perceptron(**FEW).fit(X.astype(np.float32), y).coef_.dtype == np.float32
    for other in (np.float64, np.float16, np.int64):
        assert Perceptron(**FEW).fit(X.astype(other), y).coef_.dtype == np.float64


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("table", [np.asarray, csr])
@pytest.mark.parametrize("types", ["df", "fd", "fdf", "dfd"])
def test_rows_of_another_type_go_on_in_double_precision(types, table, n_classes):
    """float32 rows hold these integers exactly, so that the types may be mixed at will."""
    X, y = integers(3, n_classes=n_classes)
    mixed, plain = Perceptron(), Perceptron()
    warm = Perceptron(warm_start=True, max_iter=1, tol=None)
    steady = Perceptron(warm_start=True, max_iter=1, tol=None)
    for kind in types:
        mixed.partial_fit(table(X.astype(kind)), y)
        plain.partial_fit(table(X), y)
        warm.fit(table(X.astype(kind)), y)
        steady.fit(table(X), y)
    assert_same_bytes(weights_of(mixed), weights_of(plain))
    assert_same_bytes(weights_of(warm), weights_of(steady))


# ---------------------------------------------------------------------- batch and stream


@every_learner
@given(seeds, n_classes_in, st.booleans(), st.booleans())
def test_a_batch_rows_one_by_one_and_mappings_give_the_same_model(
    name, seed, n_classes, classes_known, sparse
):
    """Integers keep the sums exact; a class may come at any row, the last ones for sure late."""
    X, y = integers(seed, n=24, n_classes=n_classes)
    y[:8] = y[:8] % 2
    X[0] = 1
    if name not in ("perceptron", "margin", "averaged", "voted"):
        sparse = True  # other sums round; then only rows read in the same order agree to the bit
    classes = np.unique(y) if classes_known else None
    make = LEARNERS[name]
    batch = make().partial_fit(csr(X) if sparse else X, y, classes=classes)
    rows, one, mappings = make(), make(), make()
    for i in range(len(X)):
        rows.partial_fit(csr(X[i : i + 1]) if sparse else X[i : i + 1], y[i : i + 1], classes)
        # Classes are needed in the first call only, and do no harm in others.
        declared = classes if i % 3 == 0 else None
        one.learn_one(X[i], y[i], classes=declared)
        # The first row has no 0, so that every feature is named from the start.
        mappings.learn_one(
            dict(zip(NAMES, X[i], strict=False)) if i == 0 else as_mapping(X[i]), y[i], declared
        )
    assert batch._model.digest() == rows._model.digest()
    assert batch.n_mistakes_ == rows.n_mistakes_ > 0
    if not sparse:
        assert batch._model.digest() == one._model.digest()
    if name not in ("perceptron", "margin", "averaged", "voted"):
        for found, expected in zip(weights_of(mappings), weights_of(batch), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    else:
        assert_same_bytes(weights_of(mappings), weights_of(batch))
    assert mappings.n_mistakes_ == batch.n_mistakes_
    assert mappings.t_ == batch.t_


@every_learner
@pytest.mark.parametrize("n_classes", [2, 3])
def test_dense_rows_one_by_one_with_declared_classes_equal_the_batch_to_the_last_bit(
    name, n_classes
):
    X, y = floats(8, n=24, n_classes=n_classes)
    classes = np.unique(y)
    batch, one = LEARNERS[name]().partial_fit(X, y, classes), LEARNERS[name]()
    for x, label in zip(X, y, strict=True):
        one.learn_one(x, label, classes=classes)
    assert batch._model.digest() == one._model.digest()


@every_learner
@given(seed=seeds, n_classes=n_classes_in, cut=st.integers(1, 23))
def test_two_batches_equal_one_to_the_last_bit_also_on_floats(name, seed, n_classes, cut):
    X, y = floats(seed, n=24, n_classes=n_classes)
    whole = LEARNERS[name]().partial_fit(X, y)
    parts = LEARNERS[name]().partial_fit(X[:cut], y[:cut]).partial_fit(X[cut:], y[cut:])
    assert whole._model.digest() == parts._model.digest()
    np.testing.assert_array_equal(whole.predict(X), parts.predict(X))


@every_learner
@given(seed=seeds, n_classes=n_classes_in)
def test_weighted_rows_one_by_one_equal_the_weighted_batch(name, seed, n_classes):
    X, y = floats(seed, n=16, n_classes=n_classes)
    weights = np.random.default_rng(seed).choice([0.0, 0.5, 2.0], 16)
    weights[0] = 1.0
    batch = LEARNERS[name]().partial_fit(X, y, sample_weight=weights)
    rows = LEARNERS[name]()
    for i in range(16):
        rows.partial_fit(X[i : i + 1], y[i : i + 1], sample_weight=weights[i : i + 1])
    assert batch._model.digest() == rows._model.digest()


@every_learner
@pytest.mark.parametrize("class_weight", [{0: 3.0, 1: 0.5}, {1: 2.0}])
def test_class_weights_mean_the_same_in_a_batch_and_one_by_one(name, class_weight):
    X, y = integers(2, n=20)
    X[0] = 1
    batch = LEARNERS[name](class_weight=class_weight).partial_fit(X, y)
    factors = np.array([class_weight.get(label, 1.0) for label in y])
    weighted = LEARNERS[name]().partial_fit(X, y, sample_weight=factors)
    assert_same_bytes(weights_of(batch), weights_of(weighted))
    rows, mappings = (LEARNERS[name](class_weight=class_weight) for _ in range(2))
    for x, label in zip(X, y, strict=True):
        rows.learn_one(x, label)
        mappings.learn_one({NAMES[j]: x[j] for j in range(4)}, label)
    assert_same_bytes(weights_of(rows), weights_of(batch))
    for found, expected in zip(weights_of(mappings), weights_of(batch), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


# ---------------------------------------------------------------------- resumed and repeated


def full_state(learner, X):
    return [*weights_of(learner), learner.coef_, learner.intercept_, learner.decision_function(X)]


@every_learner
@pytest.mark.parametrize("shuffle", [False, True])
@settings(max_examples=15)
@given(seed=seeds, n_classes=n_classes_in, a=st.integers(1, 3), b=st.integers(1, 3))
def test_a_warm_start_goes_on_as_if_training_had_not_ended(name, shuffle, seed, n_classes, a, b):
    X, y = floats(seed, n_classes=n_classes)
    options = {"shuffle": shuffle, "tol": None, "random_state": seed}
    if name in ("soft", "adagrad_soft"):  # each call counts the epochs of its tail
        options["average"] = True
    once = LEARNERS[name](max_iter=a + b, **options).fit(X, y)
    twice = LEARNERS[name](max_iter=a, warm_start=True, **options).fit(X, y)
    if twice.stop_reason_ == "separated":
        return
    twice.set_params(max_iter=b).fit(X, y)
    assert_same_bytes(full_state(once, X), full_state(twice, X))
    assert once._model.digest() == twice._model.digest()
    assert once.t_ == twice.t_
    assert once.mistakes_per_epoch_[a:] == twice.mistakes_per_epoch_


@every_learner
@settings(max_examples=10)
@given(seed=seeds, n_classes=n_classes_in, sparse=st.booleans(), record=st.booleans())
def test_a_pickled_learner_goes_on_as_if_nothing_had_happened(
    name, seed, n_classes, sparse, record
):
    X, y = floats(seed, n_classes=n_classes)
    table = csr(X) if sparse else X
    learner = LEARNERS[name](max_iter=2, tol=None, warm_start=True, record=record).fit(table, y)
    copy = pickle.loads(pickle.dumps(learner))
    assert copy._model.digest() == learner._model.digest()
    for one in (learner, copy):
        one.fit(table, y)
        one.partial_fit(table[:5], y[:5])
    assert copy._model.digest() == learner._model.digest()
    assert_same_bytes(full_state(copy, X), full_state(learner, X))


@every_learner
def test_a_pickled_stream_of_mappings_goes_on_as_if_nothing_had_happened(name):
    X, y = floats(4, n=30, n_classes=3)
    learner = LEARNERS[name]()
    for x, label in zip(X[:15], y[:15], strict=True):
        learner.learn_one(as_mapping(x), label)
    copy = pickle.loads(pickle.dumps(learner))
    for one in (learner, copy):
        for x, label in zip(X[15:], y[15:], strict=True):
            one.learn_one(as_mapping(x), label)
    assert copy._model.digest() == learner._model.digest()
    assert copy.predict_one(as_mapping(X[0])) == learner.predict_one(as_mapping(X[0]))


@every_learner
@given(seed=seeds, n_classes=n_classes_in)
@settings(max_examples=10)
def test_the_same_seed_gives_the_same_bytes_in_any_thread(name, seed, n_classes):
    X, y = floats(seed, n=60, n_classes=n_classes)

    def state(_):
        return full_state(LEARNERS[name](random_state=seed, **FEW).fit(X, y), X)

    first = state(None)
    with ThreadPoolExecutor(4) as pool:
        for other in pool.map(state, range(4)):
            assert_same_bytes(first, other)


def test_another_seed_gives_another_order():
    X, y = floats(1, n=60)
    one, two = (AveragedPerceptron(random_state=seed, **FEW).fit(X, y).coef_ for seed in (0, 1))
    assert not np.array_equal(one, two)
