"""Weight vectors that can change shape: new classes, new features, another layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import AnyFloatArray, FloatArray
from rosenblatt.engine.rows.engine import score, serve
from rosenblatt.engine.rows.weights import WeightArrays
from rosenblatt.models.rows import Rows, as_rows, inspect

# The planes that a model file has arrays for, and the names of these arrays.
WEIGHTS = "weights"
RUNNING_SUM = "running_sum"
RATE = "rate"
ARRAYS_OF_PLANES = {
    WEIGHTS: ("coef", "intercept"),
    RUNNING_SUM: ("coef_sum", "intercept_sum"),
    RATE: ("coef_rate", "intercept_rate"),
}
ARRAYS = tuple(name for pair in ARRAYS_OF_PLANES.values() for name in pair)

# Initial rates. That of gradients is 1/sqrt(1e-12), as if 1e-12 were added to the sum of squares:
# so little that the first step of a weight is eta long.
START_RATES = {"variance": 1.0, "gradient": 1e6}


class Plane(NamedTuple):
    """One number for each weight and one for each bias, in the layout of the weights."""

    table: AnyFloatArray
    bias: AnyFloatArray


class Scaling(NamedTuple):
    """State of weights that a rule scales, in addition to the stored weights.

    The weights are ``scale`` times the stored weights. ``folds`` counts how often these were
    multiplied by 2^-10, so that the scale could grow again. ``clock + scale * (t - since)`` is the
    sum of the scales after each example since the last fold. ``updates`` counts the steps so far,
    ``examples`` those that the rule was asked about (no rows of weight 0), and ``length2`` is the
    squared length of the weights, if the rule asks for it. When the average began, that sum was
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

    All that there is for each weight lies in ``planes`` of one layout, and whatever changes the
    shape of the weights changes all planes alike:

    - "weights": the weights themselves.
    - "running_sum", with ``averaged=True``: ``Σ t·step·x`` over the updates of a vector (t:
      examples seen before the update). The mean over all examples is then ``w - running_sum / t``;
      if it began later, after ``average_from`` examples, both count from there.
    - "rate", with ``rates``: a number that the steps of the weight are multiplied by. It falls with
      every update, to ``rate / (1 + change·x²·rate)`` if it is a "variance", and to ``rate / sqrt(1
      + change·x²·rate²)`` if it is the rate of a "gradient".
    - Read-outs add planes of their own (`models/readouts.py`).

    With ``is_scaled`` the table holds v, and the weights are ``scale · v``: a rule that multiplies
    all weights changes one number. With C the sum of the scales after each example, the running sum
    is ``u = Σ C·step·x`` and the sum of the weights over all examples ``C·v - u``. `matrix`, `bias`
    and whatever else is read here are the weights, not v.

    Dense rows want the features of a class side by side, sparse rows of several classes the
    classes of a feature: ``arrange`` brings the planes into the one or the other order. Room for
    more classes or features is made for several at once, so that the total cost stays linear.
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
        planes = {WEIGHTS: Plane(np.zeros(shape, dtype), np.zeros(n_vectors, dtype))}
        if averaged:
            planes[RUNNING_SUM] = Plane(np.zeros(shape), np.zeros(n_vectors))
        if rates is not None:
            start = START_RATES[rates]
            planes[RATE] = Plane(np.full(shape, start, dtype), np.full(n_vectors, start, dtype))
        self.bind(
            planes,
            rates=rates,
            by_feature=by_feature,
            n_features=n_features,
            fit_intercept=fit_intercept,
            is_scaled=is_scaled,
        )

    # ------------------------------------------------------------------ views

    @property
    def averaged(self) -> bool:
        return RUNNING_SUM in self.planes

    @property
    def matrix(self) -> AnyFloatArray:
        """Return the weights as (n_vectors, n_features); a view, unless they are scaled."""
        return self._scaled(self.stored_matrix)

    @property
    def bias(self) -> AnyFloatArray:
        """Return the biases; the array itself, unless they are scaled."""
        return self._scaled(self.stored_bias)

    @property
    def stored_matrix(self) -> AnyFloatArray:
        """Return the stored weights as (n_vectors, n_features); a view."""
        return self._as_matrix(self.table)

    def plane(self, name: str) -> Plane:
        """Return a plane as views, with its table of shape (n_vectors, n_features)."""
        table, bias = self.planes[name]
        return Plane(self._as_matrix(table), bias)

    def all_planes(self) -> dict[str, Plane]:
        """Return every plane as views, with tables of shape (n_vectors, n_features)."""
        return {name: self.plane(name) for name in self.planes}

    def _as_matrix(self, table: AnyFloatArray) -> AnyFloatArray:
        vectors = slice(self.n_vectors)
        return table[: self.n_features, vectors].T if self.by_feature else table[vectors]

    def _scaled(self, stored: AnyFloatArray) -> AnyFloatArray:
        """Return stored weights times the scale, rounded once to the stored type."""
        if not self.is_scaled:
            return stored
        return (stored * np.float64(self.scale)).astype(stored.dtype)

    def set(self, matrix: AnyFloatArray, bias: AnyFloatArray) -> None:
        """Set the weights and biases, with a scale of 1."""
        self.stored_matrix[...] = matrix
        self.stored_bias[...] = bias
        self.measure_reach()
        if self.is_scaled:
            numbers = Scaling(*self.scaling)
            self.scaling = numbers._replace(scale=1.0, clock=float(self.t), since=self.t)
            self.measure_length()

    # ------------------------------------------------------------------ the mean

    def average(self) -> tuple[AnyFloatArray, AnyFloatArray]:
        """Return the mean of weights and biases since averaging began, in float64."""
        return serve(self)

    def score(self, rows: Rows) -> FloatArray:
        """Return the scores of rows by the mean if averaged, otherwise by the last weights.

        The table must be arranged for such rows.
        """
        return score(self, rows)

    def total(self) -> tuple[int, FloatArray, FloatArray]:
        """Return the number of examples seen, and the sums of the averaged weights and biases."""
        # n times the mean of `mean.h`: n · w - running_sum, or C · v - u for scaled weights.
        counted = self.clock if self.is_scaled else self.t - self.average_from
        matrix, bias = self._multiplied(counted)
        sums = self.plane(RUNNING_SUM)
        return self.t, matrix - sums.table, bias - sums.bias

    def begin_average(
        self, t: int, total: FloatArray, bias_total: FloatArray, scaling: Scaling
    ) -> None:
        """Restart the average at example ``t``, given the `total` and `scaling` of that time."""
        # The clock of scaled weights goes on, so that all of the total joins the sums.
        matrix, bias = self._multiplied(0 if self.is_scaled else t - self.average_from)
        if self.is_scaled:
            self.scaling = Scaling(*self.scaling)._replace(
                clock_from=scaling.clock_at(t), folds_from=scaling.folds
            )
        sums = self.plane(RUNNING_SUM)
        sums.table[...] += total - matrix
        sums.bias[...] += bias_total - bias
        self.average_from = t

    def _multiplied(self, factor: float) -> tuple[FloatArray, FloatArray]:
        """Return the stored weights and biases times a factor, in float64."""
        return self.stored_matrix * np.float64(factor), self.stored_bias * np.float64(factor)

    # ------------------------------------------------------------------ changes of shape

    def arrange(self, *, by_feature: bool) -> None:
        """Lay out the planes by feature or by vector, to suit the next rows.

        A single vector needs no change, since both layouts are the same.
        """
        if by_feature != self.by_feature and self.n_vectors > 1:
            self._lay_out(self.all_planes(), by_feature=by_feature)

    def promote(self) -> None:
        """Convert all planes to float64."""
        if self.is_float32:
            self._rebind(
                {
                    name: Plane(table.astype(np.float64), bias.astype(np.float64))
                    for name, (table, bias) in self.planes.items()
                }
            )

    def agree(self, X: Any, rows: Rows) -> Rows:
        """Return rows in the type of the weights; both become float64 if their types differ."""
        if rows.dtype == self.table.dtype:
            return rows
        self.promote()
        if not rows.is_float32:
            return rows
        wider = as_rows(X, np.float64)
        inspect(wider)
        return wider

    def grow(self, n_features: int) -> None:
        """Set the number of features; new ones have the initial weights."""
        if not self.by_feature:
            self._lay_out(self.all_planes(), by_feature=True)
        had = len(self.table)
        more = max(2 * had, n_features, 16) - had if n_features > had else 0
        self._rebind(self._padded(more, 0), n_features=n_features)

    def insert_features(self, places: Sequence[int]) -> None:
        """Insert new features, with initial weights, before the given column indices."""
        planes = {
            name: Plane(np.insert(table, places, self._start_of(name), axis=1), bias)
            for name, (table, bias) in self.all_planes().items()
        }
        n_features = self.n_features + len(places)
        self._lay_out(planes, by_feature=self.by_feature, n_features=n_features)

    def split(self) -> None:
        """Split one vector for two classes into -w/2 and w/2, which predict the same."""
        halves = np.array([-0.5, 0.5], self.table.dtype)
        zero = self.table.dtype.type(0)

        def split(name: str, values: AnyFloatArray) -> AnyFloatArray:
            if name == RATE:  # both continue from where the one was
                return np.repeat(values, 2, axis=0)
            # Adding 0 turns a negative zero into a plain one.
            factors = halves if values.ndim == 1 else halves[:, None]
            return np.asarray(factors * values + zero)

        planes = {
            name: Plane(split(name, table), split(name, bias))
            for name, (table, bias) in self.all_planes().items()
        }
        self._lay_out(planes, by_feature=self.by_feature)
        if self.is_scaled:  # two halves have half of the squared length
            numbers = Scaling(*self.scaling)
            self.scaling = numbers._replace(length2=0.5 * numbers.length2)

    def add_vector(self) -> None:
        """Add a weight vector with initial values for one more class."""
        n = self.n_vectors
        more = 1 + n // 4 if n == self.table.shape[self.by_feature] else 0
        planes = self._padded(0, more) if self.by_feature else self._padded(more, 0)
        for name, (table, bias) in planes.items():
            new = bias.dtype.type(self._start_of(name))
            planes[name] = Plane(table, np.append(bias, new))
        self._rebind(planes)

    def drop_vector(self) -> None:
        """Remove the last vector, and reset its storage to the initial values."""
        for name, plane in self.all_planes().items():
            plane.table[-1] = self._start_of(name)
        self._rebind(
            {name: Plane(table, bias[:-1].copy()) for name, (table, bias) in self.planes.items()}
        )

    def add_planes(self, names: Sequence[str]) -> None:
        """Add planes of zeros, in float64."""
        shape = self.table.shape
        new = {name: Plane(np.zeros(shape), np.zeros(self.n_vectors)) for name in names}
        self._rebind({**self.planes, **new})

    def drop_planes(self, names: Sequence[str]) -> None:
        """Remove the named planes; absent ones are ignored."""
        self._rebind({name: plane for name, plane in self.planes.items() if name not in names})

    def _start_of(self, name: str) -> float:
        """Return the initial value of a plane."""
        return START_RATES[self.rates or ""] if name == RATE else 0.0

    def _padded(self, rows: int, columns: int) -> dict[str, Plane]:
        """Return the planes with rows and columns of initial values appended."""
        planes = {name: Plane(*plane) for name, plane in self.planes.items()}
        if not rows and not columns:
            return planes
        for name, (old, bias) in planes.items():
            n, width = old.shape
            table = np.full((n + rows, width + columns), self._start_of(name), old.dtype)
            table[:n, :width] = old
            planes[name] = Plane(table, bias)
        return planes

    def _lay_out(
        self, planes: Mapping[str, Plane], *, by_feature: bool, n_features: int | None = None
    ) -> None:
        """Rebind planes, whose tables have a row per vector, in either layout."""
        self._rebind(
            {
                name: Plane(np.ascontiguousarray(matrix.T if by_feature else matrix), bias)
                for name, (matrix, bias) in planes.items()
            },
            by_feature=by_feature,
            n_features=n_features,
        )

    def _rebind(
        self,
        planes: Mapping[str, tuple[AnyFloatArray, AnyFloatArray]],
        *,
        by_feature: bool | None = None,
        n_features: int | None = None,
    ) -> None:
        self.bind(
            dict(planes),
            rates=self.rates,
            by_feature=self.by_feature if by_feature is None else by_feature,
            n_features=self.n_features if n_features is None else n_features,
            fit_intercept=self.fit_intercept,
            is_scaled=self.is_scaled,
        )

    # ------------------------------------------------------------------ threads, lengths

    def refuse_if_busy(self, t: int | None = None) -> None:
        """Raise RuntimeError if another thread is learning, or has learned since example ``t``.

        Called before and after a copy is taken, so that no copy is half of one state and half of
        another.
        """
        if t is not None and t != self.t:
            raise RuntimeError(
                "this model was learning in another thread while it was read; use one model for "
                "each thread, or a lock around it"
            )
        self.refuse_busy()

    def squared_distance(
        self, origin_table: AnyFloatArray | None = None, origin_bias: AnyFloatArray | None = None
    ) -> float:
        """Return the squared length of (weights - origin), summed in a fixed order."""
        weights = Weights.from_arrays(self.to_arrays()) if self.is_scaled else self
        return WeightArrays.squared_distance(weights, origin_table, origin_bias)

    # ------------------------------------------------------------------ copies and arrays

    def copy(self) -> Weights:
        """Return a copy of the weights with all planes."""
        return _with_planes(self.snapshot(), self._extra_planes())

    def __reduce__(self) -> tuple[Callable[..., Weights], tuple[Any, ...]]:
        return _with_planes, (self.snapshot(), self._extra_planes())

    def _extra_planes(self) -> dict[str, Plane]:
        """Return views of the planes that a `snapshot` does not have."""
        planes = self.all_planes()
        return {name: planes[name] for name in planes if name not in ARRAYS_OF_PLANES}

    def to_arrays(self) -> dict[str, Any]:
        """Return the weights, their sums and rates as arrays and plain numbers, with a scale of 1.

        Without scales this is a `snapshot`. For scaled weights it has the weights themselves, and
        sums as plain weights would have them, so that such models can be added up.
        """
        arrays = self.snapshot()
        if not self.is_scaled:
            return arrays
        n = self.t - self.average_from
        arrays["coef"] = self.matrix
        arrays["intercept"] = self.bias
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
        """Return the state of the weights that a model file stores, as arrays and plain numbers.

        Of scaled weights the arrays are what is stored, so that learning resumes to the last bit.
        The planes of read-outs are not among them.
        """
        arrays: dict[str, Any] = {
            "rates": self.rates,
            "fit_intercept": self.fit_intercept,
            "by_feature": self.by_feature,
            "t": self.t,
            "average_from": self.average_from,
            "reach": self.reach,
        }
        for name, (of_table, of_bias) in ARRAYS_OF_PLANES.items():
            plane = self.plane(name) if name in self.planes else None
            arrays[of_table] = None if plane is None else plane.table.copy()
            arrays[of_bias] = None if plane is None else plane.bias.copy()
        if self.is_scaled:
            arrays["scaling"] = Scaling(*self.scaling)
        return arrays

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any]) -> Weights:
        """Rebuild weights from a `snapshot`."""
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
        for name, (of_table, of_bias) in ARRAYS_OF_PLANES.items():
            if name in weights.planes and arrays[of_table] is not None:
                plane = weights.plane(name)
                plane.table[...] = arrays[of_table]
                plane.bias[...] = arrays[of_bias]

        weights.t = arrays["t"]
        weights.average_from = arrays.get("average_from", 0)
        if weights.is_scaled:
            weights.scaling = arrays["scaling"]
        if "reach" in arrays:
            weights.reach = arrays["reach"]
        else:
            weights.measure_reach()
        return weights

    def digest(self) -> str:
        """Return the SHA-256 of the state that determines further learning."""
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


def _with_planes(arrays: dict[str, Any], planes: Mapping[str, Plane]) -> Weights:
    """Rebuild weights from a snapshot and copies of further planes."""
    weights = Weights.from_arrays(arrays)
    if planes:
        weights.add_planes(list(planes))
        for name, (table, bias) in planes.items():
            plane = weights.plane(name)
            plane.table[...] = table
            plane.bias[...] = bias
    return weights
