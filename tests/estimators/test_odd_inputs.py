"""Inputs that are seldom given: each is learned from as it should be, or refused by name."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from rosenblatt import AveragedPerceptron, KernelPerceptron, Perceptron, SoftPerceptron
from rosenblatt.arrays import SparseRows
from rosenblatt.errors import InputError

X = np.array([[1.0, 2], [3, -1], [-1, -2], [-2, 1]])
Y = np.array([1, 1, 0, 0])
DAYS = np.array(["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04"], "datetime64[D]")
SETS = [frozenset([1]), frozenset([2]), frozenset([1, 2]), frozenset()]


def objects(values):
    made = np.empty(np.shape(values), object)
    made[...] = values
    return made


def damaged():
    """Sparse rows as those that remain of a matrix whose first row was cut off in place."""
    rows = sp.csr_matrix(np.arange(1.0, 7).reshape(3, 2))
    rows.indptr, rows._shape = rows.indptr[1:].copy(), (2, 2)
    return rows


times = [[np.datetime64("2020-01-01T00:00:00.000000005"), 1.0]] * 4
ROWS = {
    "masked": (np.ma.masked_array(X, X > 2.5), "NaN at row 1, column 0"),
    "dates": (np.column_stack([DAYS, DAYS]), r"datetime64\[D\], which is not a number"),
    "spans of time": (np.column_stack([DAYS - DAYS[0]] * 2), "timedelta64"),
    "dates as objects": (np.array(times, object), "column 0, which is not a number"),
    "spans as objects": (np.array([[np.timedelta64(5, "ns"), 1]] * 4, object), "not a number"),
    "Python dates": (np.array([[datetime.date(2020, 1, 1), 1]] * 4, object), "not a number"),
    "pandas dates": (pd.DataFrame({"a": DAYS, "b": 1.0}), r"column 0 \('a'\)"),
    "pandas NA": (pd.DataFrame({"a": pd.array([1, None, 2, 3], "Int64")}), "NaN at row 1"),
    "structured": (np.array([(1.0, 2.0)] * 4, [("a", float), ("b", float)]), "Expected 2D"),
    "None": (np.array([[1, None]] * 4, object), "NaN at row 0, column 1"),
    "complex": (X + 0j, "Complex data not supported"),
    "complex objects": ((X + 1j).astype(object), "not a number"),
    "too long doubles": (X.astype(np.longdouble) * np.longdouble("1e4000"), "infinity at row 0"),
    "no rows": (np.zeros((0, 2)), r"0 sample\(s\)"),
    "no columns": (np.zeros((4, 0)), r"0 feature\(s\)"),
    "a number": (np.array(3.0), "scalar array"),
    "nothing": (None, "X is None"),
    "a generator": ((row for row in X), "scalar array"),
    "an indptr that does not start at 0": (damaged(), "indptr must start at 0"),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("make", [Perceptron, KernelPerceptron])
def test_rows_that_are_no_table_of_numbers_are_refused_by_name(make, name):
    rows, message = ROWS[name]
    y = Y[:2] if sp.issparse(rows) else Y
    for learn in (make().fit, make().partial_fit):
        with pytest.raises(InputError, match=message):
            learn(rows, y)


UNSORTED = (np.array([2.0, 1, -1, 3]), np.array([1, 0, 1, 0]), np.array([0, 2, 4]))
TWICE = (np.array([2.0, 1, -1, 3]), np.array([1, 1, 0, 0]), np.array([0, 2, 4]))
SAME = {
    "whole numbers": lambda X: X.astype(np.int8),
    "half precision": lambda X: X.astype(np.float16),
    "long doubles": lambda X: X.astype(np.longdouble),
    "the other byte order": lambda X: X.astype(">f8"),
    "Fortran order": np.asfortranarray,
    "backwards": lambda X: X[::-1].copy()[::-1],
    "columns backwards": lambda X: X[:, ::-1].copy()[:, ::-1],
    "every second": lambda X: np.repeat(X, 2, 0)[::2],
    "unaligned": lambda X: np.frombuffer(b"x" + X.tobytes(), np.uint8)[1:].view(float).reshape(
        X.shape
    ),
    "masked nowhere": np.ma.masked_array,
    "objects": lambda X: X.astype(object),
    "texts": lambda X: X.astype(str),
    "part of sparse rows": lambda X: SparseRows.from_dense(np.vstack([X, X]))[4:],
    "COO": sp.coo_matrix,
    "CSC": sp.csc_array,
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
@pytest.mark.parametrize("make", [Perceptron, AveragedPerceptron, SoftPerceptron])
def test_the_same_numbers_in_another_form_give_the_same_model(make, name):
    rows, plain = SAME[name](X), make(max_iter=5, tol=None).fit(X, Y)
    other = make(max_iter=5, tol=None).fit(rows, Y)
    np.testing.assert_allclose(other.coef_, plain.coef_, rtol=1e-14)
    np.testing.assert_array_equal(other.predict(rows), plain.predict(X))


@pytest.mark.parametrize("parts", [UNSORTED, TWICE])
def test_sparse_rows_out_of_order_or_with_values_twice_are_what_they_stand_for(parts):
    rows = sp.csr_matrix(parts, shape=(2, 2))
    kept = [part.copy() for part in (rows.data, rows.indices)]
    model = Perceptron(max_iter=3).fit(rows, [0, 1])
    np.testing.assert_array_equal(
        model.coef_, Perceptron(max_iter=3).fit(rows.toarray(), [0, 1]).coef_
    )
    np.testing.assert_array_equal(model.predict(rows), model.predict(rows.toarray()))
    for before, after in zip(kept, (rows.data, rows.indices), strict=True):
        np.testing.assert_array_equal(before, after)


def test_memory_that_may_only_be_read_is_read(tmp_path):
    X.tofile(tmp_path / "rows")
    rows = np.memmap(tmp_path / "rows", float, "r", shape=X.shape)
    for make in (Perceptron, AveragedPerceptron, SoftPerceptron, KernelPerceptron):
        learner = make().fit(rows, Y)
        assert learner.predict(rows).tolist() == make().fit(X, Y).predict(X).tolist()
        learner.partial_fit(rows, Y).learn_one(rows[0], 1)


LABELS = {
    "sets": (objects(SETS), "have no order"),
    "dates": (DAYS, "Unknown label type: datetime64"),
    "pandas dates": (pd.Series(DAYS), "Unknown label type: datetime64"),
    "complex": (Y + 1j, "Unknown label type: complex128"),
    "structured": (np.array([(1,), (1,), (2,), (2,)], [("a", int)]), "Unknown label type"),
    "masked": (np.ma.masked_array(Y, [0, 1, 0, 0]), "no label at row 1"),
    "fractions": ([0.5, 1.5, 0.5, 1.5], "continuous"),
    "mixed": ([1, "a", 1, "a"], "mixed types"),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels_that_cannot_be_classes_are_refused_by_name(name):
    labels, message = LABELS[name]
    for learn in (Perceptron().fit, Perceptron().partial_fit, KernelPerceptron().fit):
        with pytest.raises(InputError, match=message):
            learn(X, labels)


SINGLE = {
    "a list": ([1], "labels must be hashable"),
    "an array": (np.array([1]), "labels must be hashable"),
    "None": (None, "None"),
    "NaN": (float("nan"), "nan|NaN"),
    "a fraction": (1.5, "1.5"),
    "a short fraction": (np.float32(1.5), "1.5"),
    "infinity": (float("inf"), "inf"),
}


@pytest.mark.parametrize("name", SINGLE)
@pytest.mark.parametrize("x", [{"a": 1.0}, [1.0, 2.0]], ids=["mapping", "array"])
def test_a_single_label_that_cannot_be_a_class_is_refused_by_name(x, name):
    label, message = SINGLE[name]
    for learner in (Perceptron(), Perceptron().learn_one(x, 1), Perceptron(record=True)):
        t = getattr(learner, "t_", 0)
        with pytest.raises(InputError, match=message):
            learner.learn_one(x, label)
        assert getattr(learner, "t_", 0) == t
    learner = Perceptron().learn_one(x, frozenset([1]))
    with pytest.raises(InputError, match="cannot be compared"):
        learner.learn_one(x, frozenset([2]))


def test_masked_weights_are_refused():
    with pytest.raises(InputError, match="sample_weight holds nan at row 1"):
        Perceptron().fit(X, Y, sample_weight=np.ma.masked_array([1.0, 2, 3, 4], [0, 1, 0, 0]))
