"""Weight vectors that can change shape: new classes, new features, another layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows.rows import score
from rosenblatt._kernels.rows.weights import WeightArrays
from rosenblatt.arrays import AnyFloatArray, FloatArray
from rosenblatt.core.rows import Rows, as_rows, inspect

# What there is for each weight, and for each bias: itself, its running sum, the rate of its steps.
TABLES = ("table", "table_sum", "table_rate")
BIASES = ("stored_bias", "bias_sum", "bias_rate")
BOUND = (*TABLES, *BIASES, "rates", "by_feature", "n_features", "fit_intercept", "is_scaled")
ARRAYS = ("coef", "intercept", "coef_sum", "intercept_sum", "coef_rate", "intercept_rate")
# The rates of weights that have not moved. That of gradients is the root of 1e-12 inverted, which
# is added to their squares: so little that the first step of a weight is eta long.
START_RATES = {"variance": 1.0, "gradient": 1e6}


class Scaling(NamedTuple):
    """What there is to know of weights that a rule scales, beside what is stored of them.

    The weights are ``scale`` times what is stored. ``folds`` counts how often what is stored was
    multiplied by 2^-10, so that the scale could grow again. ``clock + scale * (t - since)`` is the
    sum of the scales after each example since the last fold. ``updates`` counts the steps so far,
    ``examples`` those that the rule was asked about (no rows of weight 0), and ``length2`` is the
    squared length of the weights, where the rule asks for it. When the average began, that sum was
    ``clock_from`` and there had been ``folds_from`` folds.
    """

    scale: float = 1.0
    folds: int = 0
    clock: float = 0.0
    since: int = 0
    updates: int = 0
    examples: int = 0
    length2: float = 0.0
    clock_from: float = 0.0
    folds_from: int = 0

    def clock_at(self, t: int) -> float:
        """Return the sum of the scales after each of the first t examples, since the last fold."""
        return self.clock + self.scale * (t - self.since)


class Weights(WeightArrays):
    """One weight vector for two classes, one per class for more, with biases.

    ``averaged=True`` keeps beside each vector the running sum ``Σ t·step·x`` over its updates
    (t: examples seen before the update). The mean over all examples is then ``w - sum / t``; if it
    began later, after ``average_from`` examples, both count from there.
    With ``rates`` each weight has a number that its steps are multiplied by and that falls with
    every update, to ``rate / (1 + change·x²·rate)`` if it is a "variance", and to ``rate / sqrt(1 +
    change·x²·rate²)`` if it is that of a "gradient".
    With ``is_scaled`` the table holds v, and the weights are ``scale · v``: a rule that multiplies
    all weights changes one number. With C the sum of the scales after each example, the running sum
    is ``u = Σ C·step·x`` and the sum of the weights over all examples ``C·v - u``. `matrix`, `bias`
    and whatever else is read here are the weights, not v.

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
        rates: str | None = None,
        is_scaled: bool = False,
    ) -> None:
        shape = (n_features, n_vectors) if by_feature else (n_vectors, n_features)
        rate = START_RATES.get(rates or "")
        self.bind(
            np.zeros(shape, dtype),
            np.zeros(n_vectors, dtype),
            np.zeros(shape) if averaged else None,
            np.zeros(n_vectors) if averaged else None,
            rates=rates,
            table_rate=None if rate is None else np.full(shape, rate, dtype),
            bias_rate=None if rate is None else np.full(n_vectors, rate, dtype),
            by_feature=by_feature,
            n_features=n_features,
            fit_intercept=fit_intercept,
            is_scaled=is_scaled,
        )

    @property
    def averaged(self) -> bool:
        return self.table_sum is not None

    @property
    def matrix(self) -> AnyFloatArray:
        """The weights as (n_vectors, n_features); a view, unless they are scaled."""
        return self._scaled(self.stored_matrix)

    @property
    def bias(self) -> AnyFloatArray:
        """The biases; the array itself, unless they are scaled."""
        return self._scaled(self.stored_bias)

    @property
    def stored_matrix(self) -> AnyFloatArray:
        """What is stored of the weights as (n_vectors, n_features); a view."""
        return self._as_matrix(self.table)

    def _scaled(self, stored: AnyFloatArray) -> AnyFloatArray:
        """The weights of which this is stored; rounded once, to the type they are stored in."""
        if not self.is_scaled:
            return stored
        return (stored * np.float64(self.scale)).astype(stored.dtype)

    @property
    def matrix_sum(self) -> Any:
        """The running sums as (n_vectors, n_features), a view; None if there are none."""
        return None if self.table_sum is None else self._as_matrix(self.table_sum)

    @property
    def matrix_rate(self) -> Any:
        """The rates as (n_vectors, n_features), a view; None if there are none."""
        return None if self.table_rate is None else self._as_matrix(self.table_rate)

    def _as_matrix(self, table: AnyFloatArray) -> AnyFloatArray:
        vectors = slice(self.n_vectors)
        return table[: self.n_features, vectors].T if self.by_feature else table[vectors]

    def average(self) -> tuple[AnyFloatArray, AnyFloatArray]:
        """Mean of the weights and biases over the examples since it began, in float64."""
        t = max(self.t - self.average_from, 1)
        if self.is_scaled:
            matrix, bias = self._weighted(self.clock / t)
            return matrix - self.matrix_sum / t, bias - self.bias_sum / t
        return (
            self.matrix - self.matrix_sum / t,
            self.bias - self.bias_sum / t,
        )

    def total(self) -> tuple[int, FloatArray, FloatArray]:
        """The examples seen, and the sum of the weights and biases of the average after each."""
        counted = self.clock if self.is_scaled else self.t - self.average_from
        matrix, bias = self._weighted(counted)
        return self.t, matrix - self.matrix_sum, bias - self.bias_sum

    def begin_average(
        self, t: int, total: FloatArray, bias_total: FloatArray, scaling: Scaling
    ) -> None:
        """Let the average begin where ``t`` examples were seen, with this `total` and `scaling`."""
        # The clock of scaled weights goes on, so that all of the total joins the sums.
        matrix, bias = self._weighted(0 if self.is_scaled else t - self.average_from)
        if self.is_scaled:
            self.scaling = Scaling(*self.scaling)._replace(
                clock_from=scaling.clock_at(t), folds_from=scaling.folds
            )
        self.matrix_sum[...] += total - matrix
        self.bias_sum[...] += bias_total - bias
        self.average_from = t

    def _weighted(self, n: float) -> tuple[FloatArray, FloatArray]:
        """What is stored of the weights and biases n times, in float64."""
        return self.stored_matrix * np.float64(n), self.stored_bias * np.float64(n)

    def score(self, rows: Rows) -> FloatArray:
        """Scores of rows, which the table is arranged for, by the mean if averaged, else as is."""
        latest = score(rows, self.table, self.stored_bias)
        if not self.averaged:
            return latest * self.scale if self.is_scaled else latest
        counted = max(self.t - self.average_from, 1)
        if self.is_scaled:
            latest = latest * (self.clock / counted)
        return latest - score(rows, self.table_sum, self.bias_sum) / counted

    def set(self, matrix: AnyFloatArray, bias: AnyFloatArray) -> None:
        """Start from these weights."""
        self.stored_matrix[...] = matrix
        self.stored_bias[...] = bias
        self.measure_reach()
        if self.is_scaled:
            numbers = Scaling(*self.scaling)
            self.scaling = numbers._replace(scale=1.0, clock=float(self.t), since=self.t)
            self.measure_length()

    def arrange(self, *, by_feature: bool) -> None:
        """Put the table into the order the rows to come are read in; one vector fits both."""
        if by_feature != self.by_feature and self.n_vectors > 1:
            self._lay_out(self.present(TABLES), by_feature=by_feature)

    def promote(self) -> None:
        """Go on in float64."""
        if self.is_float32:
            found = {name: getattr(self, name) for name in (*TABLES, *BIASES)}
            wider = {name: a.astype(np.float64) for name, a in found.items() if a is not None}
            self._rebind(**wider)

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
            self._lay_out(self.present(TABLES), by_feature=True)
        had = len(self.table)
        more = max(2 * had, n_features, 16) - had if n_features > had else 0
        self._rebind(**self._padded(more, 0), n_features=n_features)

    def split(self) -> None:
        """From one vector for two classes to one each, -w/2 and w/2: the same predictions."""
        halves = np.array([-0.5, 0.5], self.table.dtype)

        def split(name: str, values: AnyFloatArray) -> AnyFloatArray:
            if name.endswith("rate"):  # both go on from where the one was
                return np.repeat(values, 2, axis=0)
            # Adding 0 turns a negative zero into a plain one.
            factors = halves if values.ndim == 1 else halves[:, None]
            return np.asarray(factors * values + self.table.dtype.type(0))

        biases = {name: split(name, values) for name, values in self.present(BIASES).items()}
        tables = {name: split(name, values) for name, values in self.present(TABLES).items()}
        self._lay_out(tables, by_feature=self.by_feature, **biases)
        if self.is_scaled:  # two halves have half of the squared length
            numbers = Scaling(*self.scaling)
            self.scaling = numbers._replace(length2=0.5 * numbers.length2)

    def add_vector(self) -> None:
        """A vector of zeros for one more class."""
        n = self.n_vectors
        more = 1 + n // 4 if n == self.table.shape[self.by_feature] else 0
        room = self._padded(0, more) if self.by_feature else self._padded(more, 0)
        for name, values in self.present(BIASES).items():
            room[name] = np.append(values, values.dtype.type(self._start_of(name)))
        self._rebind(**room)

    def drop_vector(self) -> None:
        """Take the last vector away again, and leave zeros."""
        for name, matrix in self.present(TABLES).items():
            matrix[-1] = self._start_of(name)
        self._rebind(**{name: bias[:-1].copy() for name, bias in self.present(BIASES).items()})

    def present(self, names: Sequence[str]) -> dict[str, AnyFloatArray]:
        """Those of the tables, as matrices, or of the biases that there are; as stored, views."""
        found = {name: getattr(self, name) for name in names}
        there = {name: values for name, values in found.items() if values is not None}
        if names is not TABLES:
            return there
        return {name: self._as_matrix(values) for name, values in there.items()}

    def _start_of(self, name: str) -> float:
        """What one of the arrays holds for a weight that has not moved."""
        return START_RATES[self.rates or ""] if name.endswith("rate") else 0.0

    def _padded(self, rows: int, columns: int) -> dict[str, Any]:
        """The tables with so many rows and columns after their own, as weights start."""
        tables = {name: getattr(self, name) for name in TABLES}
        for name, old in tables.items() if rows or columns else ():
            if old is not None:
                n, width = old.shape
                shape = n + rows, width + columns
                tables[name] = np.full(shape, self._start_of(name), old.dtype)
                tables[name][:n, :width] = old
        return tables

    def _lay_out(
        self, matrices: dict[str, AnyFloatArray], *, by_feature: bool, **changes: Any
    ) -> None:
        """Bind matrices of a row for each vector as tables of the one or the other order."""
        for name, matrix in matrices.items():
            changes[name] = np.ascontiguousarray(matrix.T if by_feature else matrix)
        self._rebind(by_feature=by_feature, **changes)

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

    def squared_distance(
        self, origin_table: AnyFloatArray | None = None, origin_bias: AnyFloatArray | None = None
    ) -> float:
        """The squared length of (weights - origin), summed in a fixed order."""
        weights = Weights.from_arrays(self.to_arrays()) if self.is_scaled else self
        return WeightArrays.squared_distance(weights, origin_table, origin_bias)

    def copy(self) -> Weights:
        return Weights.from_arrays(self.snapshot())

    def to_arrays(self) -> dict[str, Any]:
        """The weights, their sums and rates as arrays and plain numbers, with a scale of 1.

        Without scales that is a `snapshot`. Of scaled weights it has the weights themselves, and
        sums as plain weights would have them, so that such models can be added up.
        """
        arrays = self.snapshot()
        if not self.is_scaled:
            return arrays
        n = self.t - self.average_from
        arrays["coef"], arrays["intercept"] = self.matrix, self.bias
        if self.averaged:
            _, matrix, bias = self.total()
            arrays["coef_sum"] = arrays["coef"] * np.float64(n) - matrix
            arrays["intercept_sum"] = arrays["intercept"] * np.float64(n) - bias
        numbers = Scaling(*self.scaling)
        arrays["scaling"] = numbers._replace(
            scale=1.0, folds=0, clock=float(n), since=self.t, clock_from=0.0, folds_from=0
        )
        del arrays["reach"]  # which is that of what is stored
        return arrays

    def snapshot(self) -> dict[str, Any]:
        """Everything there is to know, as arrays and plain numbers.

        Of scaled weights the arrays are what is stored, so that learning goes on to the last bit.
        """
        arrays = {
            "coef": self.stored_matrix.copy(),
            "intercept": self.stored_bias.copy(),
            "coef_sum": self.matrix_sum.copy() if self.averaged else None,
            "intercept_sum": self.bias_sum.copy() if self.averaged else None,
            "coef_rate": self.matrix_rate.copy() if self.rates else None,
            "intercept_rate": self.bias_rate.copy() if self.rates else None,
            "rates": self.rates,
            "fit_intercept": self.fit_intercept,
            "by_feature": self.by_feature,
            "t": self.t,
            "average_from": self.average_from,
            "reach": self.reach,
        }
        if self.is_scaled:
            arrays["scaling"] = Scaling(*self.scaling)
        return arrays

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any]) -> Weights:
        coef = arrays["coef"]
        weights = cls(
            *coef.shape,
            dtype=coef.dtype,
            fit_intercept=arrays["fit_intercept"],
            averaged=arrays["coef_sum"] is not None,
            by_feature=arrays["by_feature"],
            rates=arrays.get("rates"),
            is_scaled=arrays.get("scaling") is not None,
        )
        weights.stored_matrix[...] = coef
        weights.stored_bias[...] = arrays["intercept"]
        if weights.averaged:
            weights.matrix_sum[...] = arrays["coef_sum"]
            weights.bias_sum[...] = arrays["intercept_sum"]
        if weights.rates and arrays["coef_rate"] is not None:
            weights.matrix_rate[...] = arrays["coef_rate"]
            weights.bias_rate[...] = arrays["intercept_rate"]
        weights.t, weights.average_from = arrays["t"], arrays.get("average_from", 0)
        if weights.is_scaled:
            weights.scaling = arrays["scaling"]
        if "reach" in arrays:
            weights.reach = arrays["reach"]
        else:
            weights.measure_reach()
        return weights

    def __reduce__(self) -> tuple[Any, ...]:
        return Weights.from_arrays, (self.snapshot(),)

    def digest(self) -> str:
        """SHA-256 over every number that decides how learning goes on."""
        from hashlib import sha256  # which loads OpenSSL

        state = sha256()
        arrays = self.snapshot()
        for name in ARRAYS:
            values = arrays[name]
            if values is not None:
                state.update(f"{name} {values.dtype} {values.shape}".encode())
                state.update(values.tobytes())
        state.update(f"{self.fit_intercept} {self.t}".encode())
        if self.average_from:
            state.update(f" {self.average_from}".encode())
        if self.is_scaled:
            state.update(repr(self.scaling).encode())
        return state.hexdigest()


def widened(weights: Weights, places: Sequence[int]) -> Weights:
    """The same with features of which nothing is learned yet before these places."""
    arrays = weights.snapshot()
    for name in ("coef", "coef_sum", "coef_rate"):
        if arrays[name] is not None:
            new = START_RATES[weights.rates or ""] if name == "coef_rate" else 0.0
            arrays[name] = np.insert(arrays[name], places, new, axis=1)
    return Weights.from_arrays(arrays)
