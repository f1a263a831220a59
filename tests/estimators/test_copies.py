"""How much of a table is copied: nothing of C order and CSR, the table once of any other order."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import AutoLinear, AveragedPerceptron, Perceptron, SoftPerceptron
from rosenblatt.models.rows import BLOCK

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X = np.random.default_rng(0).normal(size=(120_000, 50))
Y = (X[:, 0] > 0).astype(int)


def most_memory(act):
    tracemalloc.start()
    act()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


@pytest.mark.parametrize("make", [Perceptron, AveragedPerceptron, SoftPerceptron])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("way", ["fit", "partial_fit", "predict"])
def test_tables_in_c_order_and_csr_are_read_where_they_are(make, dtype, way):
    for rows in (X.astype(dtype), sp.csr_array(X.astype(dtype))):
        learner = make(max_iter=2).fit(rows, Y)
        given = (rows,) if way == "predict" else (rows, Y)
        size = rows.nbytes if isinstance(rows, np.ndarray) else rows.data.nbytes
        # Where an average is float64, float32 rows are widened so many numbers at a time.
        most = size / 4 + 8 * BLOCK
        assert most_memory(lambda: getattr(learner, way)(*given)) < most < size  # noqa: B023


@pytest.mark.parametrize("rows", [np.asfortranarray(X), X[:, ::-1], X.astype(np.float16)])
def test_any_other_table_is_copied_once(rows):
    learner = Perceptron(max_iter=2)
    assert X.nbytes <= most_memory(lambda: learner.fit(rows, Y)) < 1.3 * X.nbytes


def test_rows_that_are_held_out_for_a_choice_are_not_copied_all_at_once():
    learner = AutoLinear(max_iter=1, standardize=False)
    assert most_memory(lambda: learner.fit(X, Y)) < X.nbytes / 3
