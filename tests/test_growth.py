"""Cost grows in proportion: operations and memory are counted at two sizes, never time."""

import copy
import tracemalloc

import numpy as np
import pytest
from sklearn.base import clone

from rosenblatt import AveragedPerceptron, KernelPerceptron, Perceptron, VotedPerceptron
from rosenblatt.arrays import SparseRows
from rosenblatt.errors import InputError
from rosenblatt.evaluate import check_data, report
from rosenblatt.features import Schema
from rosenblatt.models import classes as core_classes
from rosenblatt.models.weights import Weights
from rosenblatt.tables.features.records import table_of_records
from rosenblatt.tables.readers.column_roles import ColumnRoles


class Name(str):
    """The name of a column, which counts how often it is compared with another."""

    compared = 0
    __slots__ = ()

    def __eq__(self, other):
        Name.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def table_of(n_columns):
    """Half of the columns are numbers, half are texts."""
    names = [Name(f"c{place}") for place in range(n_columns)]
    kinds = [1.0, "red"], [2.0, "blue"], [3.0, "red"]
    return table_of_records([{n: kind[i % 2] for i, n in enumerate(names)} for kind in kinds])


def guess_and_encode(table):
    schema = Schema.guess(table)
    schema.encode(table)
    schema.unknown(table)
    schema.grow(table)
    schema.names(range(schema.n_features))


def check(table):
    table.labels = np.array(["a", "b", "a"])
    check_data("table", table, Schema.guess(table))


def read_again(table):
    names = list(table.names)
    columns = ColumnRoles(None, names, dict.fromkeys(names, "number"), ())
    columns.settle(names, "a file")
    columns.plan(names)


@pytest.mark.parametrize("act", [guess_and_encode, check, read_again])
def test_names_of_columns_are_compared_in_proportion_to_the_columns(act):
    def comparisons(n):
        table = table_of(n)
        Name.compared = 0
        act(table)
        return Name.compared

    few, many = comparisons(100), comparisons(400)
    assert many <= 5 * max(few, 100)


def peak_of(act, *arguments):
    act(*arguments)  # what is loaded on the way does not count
    tracemalloc.start()
    act(*arguments)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def test_a_report_takes_memory_for_the_pairs_of_classes_that_occur():
    def compare(n):
        found = report(np.arange(n), np.arange(n)[::-1])
        return found.lines(), found.worst_pairs(), found.to_json()

    assert peak_of(compare, 40_000) <= 5 * peak_of(compare, 10_000)
    assert report(np.arange(30_000), np.arange(30_000)).to_json()["confusion"] is None


def test_the_matrix_of_confusions_is_made_of_the_pairs():
    rng = np.random.default_rng(3)
    true, predicted = rng.integers(0, 7, (2, 500))
    found = report(true, predicted)
    expected = np.zeros((7, 7), np.int64)
    np.add.at(expected, (true, predicted), 1)
    np.testing.assert_array_equal(found.confusion, expected)


CLASSIFIERS = (
    Perceptron(pocket=True),
    Perceptron(binary_as_multiclass=True, ties="positive"),
    AveragedPerceptron(early_stopping=True),
    VotedPerceptron(),
    KernelPerceptron(kernel="rbf"),
    KernelPerceptron(combine="vote", multiclass="ovr", early_stopping=True),
)


@pytest.mark.filterwarnings("ignore:.*stopped at max_iter")
@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("kind", ["dense", "float32", "sparse"])
@pytest.mark.parametrize("learner", CLASSIFIERS, ids=str)
def test_rows_are_scored_some_at_a_time_with_the_same_outcome(
    learner, kind, n_classes, monkeypatch
):
    rng = np.random.default_rng(5)
    X, y = rng.integers(-2, 3, (700, 4)).astype(float), rng.integers(0, n_classes, 700)
    table = {"dense": X, "float32": X.astype(np.float32), "sparse": SparseRows.from_dense(X)}[kind]

    def outcome():
        fitted = clone(learner).set_params(max_iter=3, tol=None).fit(table, y)
        fitted.set_params(warm_start=True).fit(table, y % n_classes)
        known = fitted.predict(table), fitted.n_training_errors_, fitted.stop_reason_
        return [*known, fitted._model.t, getattr(fitted, "validation_scores_", None)]

    whole, sizes, score = outcome(), [], type(learner)._scorer

    def counted(self, model, table):
        def one(some):
            found = scorer(some)
            sizes.append(found.size)
            return found

        scorer = score(self, model, table)
        return one

    monkeypatch.setattr(type(learner), "_scorer", counted)
    monkeypatch.setattr(core_classes, "SCORES_AT_ONCE", 256 * n_classes)
    in_blocks = outcome()
    assert max(sizes) <= 256 * n_classes
    assert len(sizes) >= 2 * 3
    for one, other in zip(whole, in_blocks, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.filterwarnings("ignore:.*stopped at max_iter")
@pytest.mark.parametrize("sparse", [False, True])
def test_predicting_takes_memory_for_the_predictions_alone(sparse):
    n, k = 8_000, 1_000
    X = np.random.default_rng(0).integers(0, 2, (n, 200)).astype(float)
    table = SparseRows.from_dense(X) if sparse else X
    learner = Perceptron(max_iter=1, tol=None).fit(table[:k], np.arange(k))
    assert min(X.nbytes, 8 * n * k) > 12_000_000
    assert peak_of(learner.predict, table) < 12_000_000  # 2**20 scores, and labels


def test_a_memory_map_is_predicted_where_it_lies(tmp_path):
    rows = np.lib.format.open_memmap(tmp_path / "x.npy", "w+", np.float32, (100_000, 50))
    rows[:, 0] = np.arange(100_000) % 2
    rows.flush()
    rows = np.load(tmp_path / "x.npy", mmap_mode="r")
    learner = Perceptron(shuffle=False).fit(rows[:100], np.arange(100) % 2)
    assert peak_of(learner.predict, rows) < rows.nbytes / 4
    assert learner.score(rows, np.arange(100_000) % 2) == 1.0


def test_a_kernel_that_overflows_names_the_row_also_in_a_later_block(monkeypatch):
    monkeypatch.setattr(core_classes, "SCORES_AT_ONCE", 512)
    learner = KernelPerceptron(kernel="poly", degree=3).fit([[1.0], [-1.0]], [1, 0])
    X = np.ones((600, 1))
    X[555] = 1e140
    with pytest.raises(InputError, match="row 555"):
        learner.predict(X)


class Label(str):
    """A label that counts how often it is compared with another, or hashed."""

    uses = 0
    __slots__ = ()

    def __lt__(self, other):
        Label.uses += 1
        return str.__lt__(self, other)

    def __hash__(self):
        Label.uses += 1
        return str.__hash__(self)


def one_by_one(learner, rows, labels):
    for row, label in zip(rows, labels, strict=True):
        learner.learn_one(row, label)


def as_mappings(learner, rows, labels):
    one_by_one(learner, [{"a": row[0], f"b{row[1]}": 1.0} for row in rows], labels)


def as_batch(learner, rows, labels):
    learner.partial_fit(rows, np.array([*labels, None], object)[:-1])


def as_stream(learner, rows, labels):
    learner.grow(2)
    learner.predict_then_learn(SparseRows.from_dense(rows), np.array(labels, object))


@pytest.mark.parametrize("learn", [one_by_one, as_mappings, as_batch, as_stream])
def test_classes_that_join_cost_in_proportion_to_their_number(learn, monkeypatch):
    copied = []
    make = Weights.__init__

    def counted(self, *arguments, **settings):
        make(self, *arguments, **settings)
        copied.append(self.table.size)

    monkeypatch.setattr(Weights, "__init__", counted)

    def cost(n):
        Label.uses, copied[:] = 0, []
        rows = np.ones((n, 2))
        rows[:, 1] = np.arange(n) % 3
        learner = AveragedPerceptron()
        learn(learner, rows, [Label(f"{i:04}") for i in range(n)])
        assert learner.classes_.tolist() == [f"{i:04}" for i in range(n)]
        return Label.uses, sum(copied)

    (few, small), (many, large) = cost(50), cost(400)
    assert many <= 8 * 2 * few
    assert large <= 8 * 2 * max(small, 50)


@pytest.mark.parametrize("by_feature", [False, True])
def test_room_for_vectors_is_made_for_several_at_once(by_feature):
    weights = Weights(2, 3, averaged=True, by_feature=by_feature)
    tables = {id(weights.table): weights.table}
    for n in range(3, 500):
        weights.add_vector()
        tables[id(weights.table)] = weights.table
        running_sum = weights.plane("running_sum")
        assert weights.matrix.shape == running_sum.table.shape == (n, 3)
        assert len(weights.bias) == len(running_sum.bias) == n
    assert len(tables) < 40
    assert weights.table.size < 1.5 * weights.matrix.size


@pytest.mark.parametrize("way", ["array", "mapping"])
@pytest.mark.parametrize("learner", [AveragedPerceptron(), Perceptron(record=True)], ids=str)
def test_a_refused_example_of_a_new_class_leaves_no_class_behind(learner, way):
    learner, rng = clone(learner), np.random.default_rng(2)

    def example(values):
        return dict(zip("abc", values, strict=True)) if way == "mapping" else np.array(values)

    for i in range(30):
        learner.learn_one(example(rng.normal(size=3).tolist()), i % 9)
    for times in range(3):
        before = learner._model.digest(), learner.classes_.tolist(), learner.coef_.tolist()
        with pytest.raises(InputError):
            learner.learn_one(example([1e149, 1e150, 9e149]), 100 + times)
        after = learner._model.digest(), learner.classes_.tolist(), learner.coef_.tolist()
        assert after == before
    twin = copy.deepcopy(learner)
    learner.learn_one(example([0.0, 0.0, 0.0]), 50)
    np.testing.assert_array_equal(learner.coef_[-1], 0.0)
    twin.learn_one(example([0.0, 0.0, 0.0]), 50)
    assert learner._model.digest() == twin._model.digest()
