"""Columns are centred and scaled; a model of such rows is linear in the columns as they were."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.arrays import SparseRows
from rosenblatt.models import column_scaling
from rosenblatt.models.column_scaling import ColumnScaling


@given(st.integers(0, 2**32 - 1), st.integers(2, 30), st.integers(1, 5))
def test_columns_have_mean_0_and_standard_deviation_1(seed, n, d):
    X = np.random.default_rng(seed).normal(3.0, 7.0, (n, d))
    Z = ColumnScaling.of(X)(X)
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(Z.std(axis=0), 1, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-200, 1e-8, 1.0, 1e140])
def test_values_of_any_size_are_scaled(scale):
    X = np.random.default_rng(0).normal(size=(50, 2)) * scale
    np.testing.assert_allclose(ColumnScaling.of(X)(X).std(axis=0), 1)


@pytest.mark.parametrize("value", [0.0, 0.1, 1e140])
def test_a_constant_column_becomes_0_and_nothing_else(value):
    X = np.full((7, 1), value)
    found = ColumnScaling.of(X)
    assert found.deviation.tolist() == [1.0]
    np.testing.assert_allclose(found(X), 0, atol=1e-12 * max(value, 1))


def test_without_centring_zeros_stay():
    X = np.array([[0.0, 2.0], [4.0, 0.0]])
    found = ColumnScaling.of(X, center=False)
    assert found.mean.tolist() == [0.0, 0.0]
    assert (found(X) == 0).tolist() == (X == 0).tolist()


def test_scores_are_the_same_by_scaled_rows_and_by_folded_weights():
    rng = np.random.default_rng(1)
    X, coef, bias = rng.normal(5, 3, (20, 4)), rng.normal(size=(3, 4)), rng.normal(size=3)
    found = ColumnScaling.of(X)
    own_coef, own_bias = found.fold(coef, bias)
    np.testing.assert_allclose(found(X) @ coef.T + bias, X @ own_coef.T + own_bias)


def test_rows_keep_their_type_and_sparse_ones_become_dense():
    X = np.array([[1.0, 0.0], [3.0, 4.0]], np.float32)
    found = ColumnScaling.of(X)
    assert found(X).dtype == np.float32
    np.testing.assert_array_equal(found(SparseRows.from_dense(X)), found(X))


def test_rows_are_taken_some_at_a_time(monkeypatch):
    X = np.random.default_rng(2).normal(2.0, 5.0, (100, 3))
    whole = ColumnScaling.of(X)
    monkeypatch.setattr(column_scaling, "BLOCK", 21)
    blocks = ColumnScaling.of(X)
    np.testing.assert_allclose(blocks.mean, whole.mean)
    np.testing.assert_allclose(blocks.deviation, whole.deviation)
    np.testing.assert_array_equal(whole(X), (X - whole.mean) / whole.deviation)
