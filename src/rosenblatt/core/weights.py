"""Weight vectors that can change shape: new classes, new features, another layout."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows.rows import score
from rosenblatt._kernels.rows.weights import WeightArrays
from rosenblatt.arrays import AnyFloatArray, FloatArray
from rosenblatt.core.rows import Rows, as_rows, inspect


class Weights(WeightArrays):
    """One weight vector for two classes, one per class for more, with biases.

    ``averaged=True`` keeps beside each vector the running sum ``Σ t·step·x`` over its updates
    (t: examples seen before the update). The mean over all examples is then ``w - sum / t``.

    Dense rows want the features of a class side by side, sparse rows of several classes the
    classes of a feature: ``arrange`` brings the table into the one or the other order.
    """

    def __init__(
        self,
        n_vectors: int,
        n_features: int,
        *,
        dtype: npt.DTypeLike = np.float64,
        fit_intercept: bool = True,
        averaged: bool = False,
        by_feature: bool = False,
    ) -> None:
        shape = (n_features, n_vectors) if by_feature else (n_vectors, n_features)
        self.bind(
            np.zeros(shape, dtype),
            np.zeros(n_vectors, dtype),
            np.zeros(shape) if averaged else None,
            np.zeros(n_vectors) if averaged else None,
            by_feature=by_feature,
            n_features=n_features,
            fit_intercept=fit_intercept,
        )

    @property
    def averaged(self) -> bool:
        return self.table_sum is not None

    @property
    def matrix(self) -> AnyFloatArray:
        """The weights as (n_vectors, n_features); a view."""
        return self._as_matrix(self.table)

    @property
    def matrix_sum(self) -> AnyFloatArray:
        """The running sums as (n_vectors, n_features); a view."""
        return self._as_matrix(self.table_sum)

    def _as_matrix(self, table: AnyFloatArray) -> AnyFloatArray:
        return table[: self.n_features].T if self.by_feature else table

    def average(self) -> tuple[AnyFloatArray, AnyFloatArray]:
        """Mean of the weights and biases over all examples seen, in float64."""
        t = max(self.t, 1)
        return (
            self.matrix - self.matrix_sum / t,
            self.bias - self.bias_sum / t,
        )

    def score(self, rows: Rows) -> FloatArray:
        """Scores of rows, which the table is arranged for, by the mean if averaged, else as is."""
        latest = score(rows, self.table, self.bias)
        if not self.averaged:
            return latest
        return latest - score(rows, self.table_sum, self.bias_sum) / max(self.t, 1)

    def set(self, matrix: AnyFloatArray, bias: AnyFloatArray) -> None:
        """Start from these weights."""
        self.matrix[...] = matrix
        self.bias[...] = bias
        self.measure_reach()

    def arrange(self, *, by_feature: bool) -> None:
        """Put the table into the order the rows to come are read in; one vector fits both."""
        if by_feature != self.by_feature and self.n_vectors > 1:
            self._rebind(self.matrix, self.bias, by_feature=by_feature)

    def promote(self) -> None:
        """Go on in float64."""
        if self.is_float32:
            self._rebind(self.matrix.astype(np.float64), self.bias.astype(np.float64))

    def agree(self, X: Any, rows: Rows) -> Rows:
        """Rows and weights of one type: float32 as long as all rows were, else float64."""
        if rows.dtype == self.table.dtype:
            return rows
        self.promote()
        if not rows.is_float32:
            return rows
        wider = as_rows(X, np.float64)
        inspect(wider)
        return wider

    def grow(self, n_features: int) -> None:
        """Make room for features not seen before; their weights are 0."""
        if not self.by_feature:
            self._rebind(self.matrix, self.bias, by_feature=True)
        table, table_sum = self.table, self.table_sum
        if n_features > len(table):
            room = (max(2 * len(table), n_features, 16), self.n_vectors)
            table = np.zeros(room, self.table.dtype)
            table[: self.n_features] = self.table[: self.n_features]
            if table_sum is not None:
                table_sum = np.zeros(room)
                table_sum[: self.n_features] = self.table_sum[: self.n_features]
        self.bind(
            table,
            self.bias,
            table_sum,
            self.bias_sum,
            by_feature=True,
            n_features=n_features,
            fit_intercept=self.fit_intercept,
        )

    def split(self) -> None:
        """From one vector for two classes to one each, -w/2 and w/2: the same predictions."""
        halves, zero = np.array([-0.5, 0.5], self.table.dtype), self.table.dtype.type(0)
        # Adding 0 turns a negative zero into a plain one.
        self._reshape(
            lambda matrix: halves[:, None] * matrix + zero, lambda bias: halves * bias + zero
        )

    def add_vector(self) -> None:
        """A vector of zeros for one more class."""
        self._reshape(
            lambda matrix: np.vstack([matrix, np.zeros((1, matrix.shape[1]), matrix.dtype)]),
            lambda bias: np.append(bias, np.zeros(1, bias.dtype)),
        )

    def _reshape(self, change_matrix: Any, change_bias: Any) -> None:
        sums = (None, None)
        if self.averaged:
            sums = (change_matrix(self.matrix_sum), change_bias(self.bias_sum))
        self._rebind(change_matrix(self.matrix), change_bias(self.bias), sums=sums)

    def _rebind(
        self,
        matrix: AnyFloatArray,
        bias: AnyFloatArray,
        *,
        sums: tuple[AnyFloatArray | None, AnyFloatArray | None] | None = None,
        by_feature: bool | None = None,
    ) -> None:
        if by_feature is None:
            by_feature = self.by_feature
        matrix_sum, bias_sum = sums or (self.matrix_sum if self.averaged else None, self.bias_sum)

        def laid_out(values: AnyFloatArray) -> AnyFloatArray:
            return np.ascontiguousarray(values.T if by_feature else values)

        self.bind(
            laid_out(matrix),
            np.ascontiguousarray(bias),
            None if matrix_sum is None else laid_out(matrix_sum),
            bias_sum,
            by_feature=by_feature,
            n_features=matrix.shape[1],
            fit_intercept=self.fit_intercept,
        )

    def refuse_if_busy(self, t: int | None = None) -> None:
        """Refuse while another thread learns, or if it has learned since there were ``t`` examples.

        Asked before and after a copy is taken, so that no copy is half of one state and half of
        another.
        """
        if t is not None and t != self.t:
            raise RuntimeError(
                "this model was learning in another thread while it was read; use one model for "
                "each thread, or a lock around it"
            )
        # Binding claims the arrays, as the loops do; it refuses when one of them is at work.
        self.bind(
            self.table,
            self.bias,
            self.table_sum,
            self.bias_sum,
            by_feature=self.by_feature,
            n_features=self.n_features,
            fit_intercept=self.fit_intercept,
        )

    def copy(self) -> Weights:
        return Weights.from_arrays(self.to_arrays())

    def to_arrays(self) -> dict[str, Any]:
        """Everything there is to know, as arrays and plain numbers."""
        return {
            "coef": self.matrix.copy(),
            "intercept": self.bias.copy(),
            "coef_sum": self.matrix_sum.copy() if self.averaged else None,
            "intercept_sum": self.bias_sum.copy() if self.averaged else None,
            "fit_intercept": self.fit_intercept,
            "by_feature": self.by_feature,
            "t": self.t,
            "reach": self.reach,
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any]) -> Weights:
        coef = arrays["coef"]
        weights = cls(
            *coef.shape,
            dtype=coef.dtype,
            fit_intercept=arrays["fit_intercept"],
            averaged=arrays["coef_sum"] is not None,
            by_feature=arrays["by_feature"],
        )
        weights.matrix[...] = coef
        weights.bias[...] = arrays["intercept"]
        if weights.averaged:
            weights.matrix_sum[...] = arrays["coef_sum"]
            weights.bias_sum[...] = arrays["intercept_sum"]
        weights.t = arrays["t"]
        if "reach" in arrays:
            weights.reach = arrays["reach"]
        else:
            weights.measure_reach()
        return weights

    def __reduce__(self) -> tuple[Any, ...]:
        return Weights.from_arrays, (self.to_arrays(),)

    def digest(self) -> str:
        """SHA-256 over every number that decides how learning goes on."""
        state = hashlib.sha256()
        arrays = self.to_arrays()
        for name in ("coef", "intercept", "coef_sum", "intercept_sum"):
            values = arrays[name]
            if values is not None:
                state.update(f"{name} {values.dtype} {values.shape}".encode())
                state.update(values.tobytes())
        state.update(f"{self.fit_intercept} {self.t}".encode())
        return state.hexdigest()
