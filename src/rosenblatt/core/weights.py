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

BOUND = ("table", "bias", "table_sum", "bias_sum", "by_feature", "n_features", "fit_intercept")


class Weights(WeightArrays):
    """One weight vector for two classes, one per class for more, with biases.

    ``averaged=True`` keeps beside each vector the running sum ``Σ t·step·x`` over its updates
    (t: examples seen before the update). The mean over all examples is then ``w - sum / t``; if it
    began later, after ``average_from`` examples, both count from there.

    Dense rows want the features of a class side by side, sparse rows of several classes the
    classes of a feature: ``arrange`` brings the table into the one or the other order. Room for
    more classes or features is made for several at once, so that all of them cost in proportion.
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
    def matrix_sum(self) -> Any:
        """The running sums as (n_vectors, n_features), a view; None if there are none."""
        return None if self.table_sum is None else self._as_matrix(self.table_sum)

    def _as_matrix(self, table: AnyFloatArray) -> AnyFloatArray:
        vectors = slice(self.n_vectors)
        return table[: self.n_features, vectors].T if self.by_feature else table[vectors]

    def average(self) -> tuple[AnyFloatArray, AnyFloatArray]:
        """Mean of the weights and biases over the examples since it began, in float64."""
        t = max(self.t - self.average_from, 1)
        return (
            self.matrix - self.matrix_sum / t,
            self.bias - self.bias_sum / t,
        )

    def total(self) -> tuple[int, FloatArray, FloatArray]:
        """The examples seen, and the sum of the weights and biases of the average after each."""
        matrix, bias = self._weighted(self.t - self.average_from)
        return self.t, matrix - self.matrix_sum, bias - self.bias_sum

    def begin_average(self, t: int, total: FloatArray, bias_total: FloatArray) -> None:
        """Let the average begin where ``t`` examples were seen and `total` was this."""
        matrix, bias = self._weighted(t - self.average_from)
        self.matrix_sum[...] += total - matrix
        self.bias_sum[...] += bias_total - bias
        self.average_from = t

    def _weighted(self, n: int) -> tuple[FloatArray, FloatArray]:
        """The weights and biases n times, in float64."""
        return self.matrix * np.float64(n), self.bias * np.float64(n)

    def score(self, rows: Rows) -> FloatArray:
        """Scores of rows, which the table is arranged for, by the mean if averaged, else as is."""
        latest = score(rows, self.table, self.bias)
        if not self.averaged:
            return latest
        counted = max(self.t - self.average_from, 1)
        return latest - score(rows, self.table_sum, self.bias_sum) / counted

    def set(self, matrix: AnyFloatArray, bias: AnyFloatArray) -> None:
        """Start from these weights."""
        self.matrix[...] = matrix
        self.bias[...] = bias
        self.measure_reach()

    def arrange(self, *, by_feature: bool) -> None:
        """Put the table into the order the rows to come are read in; one vector fits both."""
        if by_feature != self.by_feature and self.n_vectors > 1:
            self._lay_out(self.matrix, self.matrix_sum, by_feature=by_feature)

    def promote(self) -> None:
        """Go on in float64."""
        if self.is_float32:
            self._rebind(table=self.table.astype(np.float64), bias=self.bias.astype(np.float64))

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
            self._lay_out(self.matrix, self.matrix_sum, by_feature=True)
        had = len(self.table)
        more = max(2 * had, n_features, 16) - had if n_features > had else 0
        self._rebind(**self._padded(more, 0), n_features=n_features)

    def split(self) -> None:
        """From one vector for two classes to one each, -w/2 and w/2: the same predictions."""
        halves = np.array([[-0.5], [0.5]], self.table.dtype)

        def split(values: AnyFloatArray | None) -> AnyFloatArray | None:
            # Adding 0 turns a negative zero into a plain one.
            return None if values is None else halves * values + self.table.dtype.type(0)

        biases = (split(values) for values in (self.bias, self.bias_sum))
        bias, bias_sum = (None if values is None else values[:, 0] for values in biases)
        tables = split(self.matrix), split(self.matrix_sum)
        self._lay_out(*tables, by_feature=self.by_feature, bias=bias, bias_sum=bias_sum)

    def add_vector(self) -> None:
        """A vector of zeros for one more class."""
        n, zero = self.n_vectors, self.table.dtype.type(0)
        more = 1 + n // 4 if n == self.table.shape[self.by_feature] else 0
        room = self._padded(0, more) if self.by_feature else self._padded(more, 0)
        bias_sum = np.append(self.bias_sum, 0.0) if self.averaged else None
        self._rebind(**room, bias=np.append(self.bias, zero), bias_sum=bias_sum)

    def drop_vector(self) -> None:
        """Take the last vector away again, and leave zeros."""
        for matrix in (self.matrix, self.matrix_sum)[: 1 + self.averaged]:
            matrix[-1] = 0.0
        bias_sum = self.bias_sum[:-1].copy() if self.averaged else None
        self._rebind(bias=self.bias[:-1].copy(), bias_sum=bias_sum)

    def _padded(self, rows: int, columns: int) -> dict[str, Any]:
        """The tables with so many rows and columns of zeros after their own."""
        tables = {"table": self.table, "table_sum": self.table_sum}
        for name, old in tables.items() if rows or columns else ():
            if old is not None:
                n, width = old.shape
                tables[name] = np.zeros((n + rows, width + columns), old.dtype)
                tables[name][:n, :width] = old
        return tables

    def _lay_out(self, matrix: Any, matrix_sum: Any, *, by_feature: bool, **changes: Any) -> None:
        """Bind matrices of a row for each vector as tables of the one or the other order."""

        def table(values: Any) -> Any:
            return np.ascontiguousarray(values.T if by_feature else values)

        sums = None if matrix_sum is None else table(matrix_sum)
        self._rebind(table=table(matrix), table_sum=sums, by_feature=by_feature, **changes)

    def _rebind(self, **changes: Any) -> None:
        self.bind(**({name: getattr(self, name) for name in BOUND} | changes))

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
        self._rebind()

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
            "average_from": self.average_from,
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
        weights.t, weights.average_from = arrays["t"], arrays.get("average_from", 0)
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
        if self.average_from:
            state.update(f" {self.average_from}".encode())
        return state.hexdigest()
