"""`AssociationLayer`: Rosenblatt's random, fixed association units in front of a learner."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray, IntArray, SparseRows, for_caller, is_sparse
from rosenblatt.datasets.portable_random import generator
from rosenblatt.errors import ParameterError
from rosenblatt.estimators.inputs import read_rows
from rosenblatt.estimators.params import check_seed, option, seed_from
from rosenblatt.estimators.transformer import Transformer

if TYPE_CHECKING:
    from rosenblatt.arrays import Table

# Bytes of memory that a block of rows may take while it is transformed, in addition to input and
# output.
BLOCK_BYTES = 1 << 23
# Most rows on which the activity is measured.
SAMPLE = 1000


def _check_levels(name: str, levels: object) -> None:
    """Raise ParameterError unless ``levels`` is a positive integer or a list of finite numbers."""
    if isinstance(levels, numbers.Integral) and not isinstance(levels, bool) and int(levels) > 0:
        return
    try:
        given = np.asarray(levels, np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.ndim != 1 or not len(given) or not np.isfinite(given).all():
        raise ParameterError(
            f"{name}={levels!r} is not allowed: give a whole number of at least 1, or a list of "
            "finite numbers such as [0.5]."
        )


def _check_image_shape(name: str, shape: Any) -> None:
    """Raise ParameterError unless ``shape`` is a pair of height and width."""
    is_pair = isinstance(shape, tuple | list) and len(shape) == 2
    if not is_pair or not all(isinstance(n, numbers.Integral) and int(n) >= 1 for n in shape):
        raise ParameterError(
            f"{name}={shape!r} is not allowed: give height and width, as (28, 28), or None."
        )


def _check_sparse_output(name: str, value: object) -> None:
    if not isinstance(value, bool | np.bool_) and value != "auto":
        raise ParameterError(f"{name}={value!r} is not known: give True, False or 'auto'.")


class AssociationLayer(Transformer):
    """Transform rows by random binary threshold units, each of which sees a few features.

    The features are a retina of sensory units. The unit of feature j at level ℓ is on if
    ``x_j > ℓ``. An association unit is wired to a few of them, drawn at random and never changed,
    and returns 1 if ::

        (excitatory connections that are on) - (inhibitory ones that are on) >= threshold

    and 0 otherwise. Connections are drawn one by one, so that two may come from the same sensory
    unit: they add up, or cancel. Labels are not used; all learning is left to the learner behind
    the layer, which sees combinations of features that it could not weigh before.

    Cost: a row takes ``n_units · (excitatory + inhibitory)`` additions of small integers. Rows are
    transformed in blocks of some megabytes.

    Parameters
    ----------
    n_units : int, default=1000
        Number of association units, which are the new features. With the same seed the units of
        a smaller layer are the first ones of a larger.
    excitatory : int, default=3
        Number of connections of a unit that excite it.
    inhibitory : int, default=3
        Number of connections of a unit that inhibit it.
    threshold : int, default=1
        Smallest surplus of excitation at which a unit fires, from 1 to ``excitatory``. With a
        higher one units fire more rarely, each for something more special.
    levels : int or sequence of float, default=8
        Number of sensory units for each feature, at levels evenly spaced between its smallest and
        its largest value in training: 1 sees dark and bright, more see greys. Features of two
        values are the same at any number. Or the levels themselves, such as ``[0.5]``, for every
        feature.
    image_shape : tuple of int or None, default=None
        Height and width, if the rows are images: each unit is then wired around a random point of
        its own. None draws from all features alike.
    spread : float, default=3.0
        For images: with each row or column away from that point a connection is less likely, by a
        factor of ``spread / (1 + spread)``.
    sparse_output : bool or "auto", default="auto"
        Whether ``transform`` returns sparse rows. "auto" returns an array for an array and sparse
        rows for sparse rows. True saves memory if few units fire: a stored 1 takes 12 bytes (8 in
        float32), an array 8 (4) for every unit.
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the wiring; the same seed gives the same wiring on every machine.

    Attributes
    ----------
    wiring_ : SparseRows of shape (n_units, n_features_in_ * n_levels)
        Excitatory minus inhibitory connections of each unit; the sensory unit of feature j at its
        k-th level is column ``j * n_levels + k``.
    levels_ : ndarray of shape (n_features_in_, n_levels)
        The levels above which the sensory units are on.
    activity_ : float
        Share of units that fire on a row, on average over at most 1,000 training rows. If it is
        near 0 or 1, the layer carries little information.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the rows had names.

    See Also
    --------
    sklearn.kernel_approximation.RBFSampler : Random waves, for smooth numbers.
    sklearn.preprocessing.PolynomialFeatures : All products, none at random.

    References
    ----------
    F. Rosenblatt (1958), "The perceptron", Psychological Review 65.

    Examples
    --------
    Exclusive or cannot be separated; behind twenty association units it can.

    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.features import AssociationLayer
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    >>> layer = AssociationLayer(20)
    >>> fired = layer.fit_transform(X)
    >>> fired.shape, fired.sum(axis=1).tolist()
    ((4, 20), [0.0, 9.0, 7.0, 0.0])
    >>> Perceptron().fit(fired, y).predict(layer.transform(X)).tolist()
    ['no', 'yes', 'yes', 'no']
    """

    n_units: int = option(
        default=1000,
        at_least=1,
        kw_only=False,
        help="""
        Number of association units, which are the new features. With the same seed the units of
        a smaller layer are the first ones of a larger.""",
    )
    excitatory: int = option(
        default=3, at_least=1, help="Number of connections of a unit that excite it."
    )
    inhibitory: int = option(
        default=3, at_least=0, help="Number of connections of a unit that inhibit it."
    )
    threshold: int = option(
        default=1,
        at_least=1,
        help="""
        Smallest surplus of excitation at which a unit fires, from 1 to ``excitatory``. With a
        higher one units fire more rarely, each for something more special.""",
    )
    levels: int | Sequence[float] = option(
        default=8,
        type="int or sequence of float",
        check=_check_levels,
        help="""
        Number of sensory units for each feature, at levels evenly spaced between its smallest and
        its largest value in training: 1 sees dark and bright, more see greys. Features of two
        values are the same at any number. Or the levels themselves, such as ``[0.5]``, for every
        feature.""",
    )
    image_shape: tuple[int, int] | None = option(
        default=None,
        type="tuple of int or None",
        check=_check_image_shape,
        help="""
        Height and width, if the rows are images: each unit is then wired around a random point of
        its own. None draws from all features alike.""",
    )
    spread: float = option(
        default=3.0,
        above=0.0,
        help="""
        For images: with each row or column away from that point a connection is less likely, by a
        factor of ``spread / (1 + spread)``.""",
    )
    sparse_output: bool | str = option(
        default="auto",
        type='bool or "auto"',
        check=_check_sparse_output,
        help="""
        Whether ``transform`` returns sparse rows. "auto" returns an array for an array and sparse
        rows for sparse rows. True saves memory if few units fire: a stored 1 takes 12 bytes (8 in
        float32), an array 8 (4) for every unit.""",
    )
    random_state: Any = option(
        default=0,
        type="int, RandomState instance, Generator or None",
        check=check_seed,
        help="Seed of the wiring; the same seed gives the same wiring on every machine.",
    )

    dense_setting = "sparse_output=False"

    def check_parameters(self) -> None:
        """Raise ParameterError if a parameter or a combination of parameters is not allowed."""
        super().check_parameters()
        if self.threshold > self.excitatory:
            raise ParameterError(
                f"threshold={self.threshold!r} is above excitatory={self.excitatory!r}, so that no "
                "unit could ever fire. Lower the one or raise the other."
            )

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the wiring at random, and determine the levels from the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : None
            Not used.

        Returns
        -------
        self
        """
        self.check_parameters()
        seed = seed_from(self.random_state)
        table = read_rows(self, X, reset=True)[0]
        n_rows, n_features = table.shape
        if self.image_shape is not None:
            self._refuse_other_images(n_features)

        if isinstance(self.levels, numbers.Integral):
            self.levels_ = _even_levels(table, int(self.levels))
        else:
            self.levels_ = np.tile(np.asarray(self.levels, np.float64), (n_features, 1))
        self.wiring_ = self._draw_wiring(n_features, self.levels_.shape[1], seed)

        # Rows evenly spaced over the table.
        rows = np.unique(np.linspace(0, n_rows - 1, min(n_rows, SAMPLE)).astype(np.int64))
        n_fired = sum(int(fires.sum()) for _, fires in self._blocks(table[rows]))
        self.activity_ = n_fired / (len(rows) * self.n_units)
        return self

    def _refuse_other_images(self, n_features: int) -> None:
        """Raise ParameterError unless ``n_features`` is the number of points of an image."""
        assert self.image_shape is not None
        height, width = self.image_shape
        if n_features != height * width:
            raise ParameterError(
                f"image_shape={self.image_shape!r} has {height * width} points, but X has "
                f"{n_features} features. Give the height and width of the images, or None."
            )

    def transform(self, X: Any) -> Any:
        """Return which units fire on each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray or sparse rows of shape (n_samples, n_units)
            Ones and zeros, float32 for rows of float32 and float64 for others. Sparse rows are of
            the same kind as X; for an array they are a csr_array, which needs SciPy.
        """
        self._refuse_unfitted()
        return self._in_container(self._fired(read_rows(self, X, reset=False)[0]), X)

    def _fired(self, table: Table) -> Any:
        """Return 1 for each unit that fires on a row, else 0, as an array or sparse rows."""
        n_rows = table.shape[0]
        n_units = self.wiring_.shape[0]
        is_sparse_output = self.sparse_output
        if is_sparse_output == "auto":
            is_sparse_output = is_sparse(table)
        if not is_sparse_output:
            out = np.empty((n_rows, n_units), table.dtype)
            for start, fires in self._blocks(table):
                out[start : start + fires.shape[1]] = fires.T
            return out

        index = np.int32 if n_units <= np.iinfo(np.int32).max else np.int64
        units = []
        ends = [np.zeros(1, np.int64)]
        for _, fires in self._blocks(table):
            by_row = np.ascontiguousarray(fires.T)
            units.append((np.flatnonzero(by_row) % n_units).astype(index))
            ends.append(np.cumsum(np.count_nonzero(by_row, axis=1)) + ends[-1][-1])
        columns = np.concatenate(units)
        ones = np.ones(len(columns), table.dtype)
        kind = SparseRows.of(table).origin if is_sparse(table) else "csr_array"
        return for_caller(SparseRows(ones, columns, np.concatenate(ends), n_units, origin=kind))

    def _blocks(self, table: Table) -> Iterator[tuple[int, npt.NDArray[np.bool_]]]:
        """Yield the first row of each block, and the units × rows matrix of which units fire."""
        wiring = self.wiring_
        n_levels = self.levels_.shape[1]
        threshold = int(self.threshold)

        # Only sensory units that some association unit is wired to are computed, and only their
        # features are read.
        sensors, sensor_of_wire = np.unique(wiring.indices, return_inverse=True)
        levels = self.levels_.ravel()[sensors][:, None]
        features, feature_of_sensor = np.unique(sensors // n_levels, return_inverse=True)
        wires = SparseRows(wiring.data, sensor_of_wire, wiring.indptr, len(sensors))

        if is_sparse(table):
            table = SparseRows.of(table)
        row_bytes = 9 * len(sensors) + 16 * len(features) + 10 * wiring.shape[0]
        step = max(1, BLOCK_BYTES // row_bytes)
        for start in range(0, table.shape[0], step):
            block = table[start : start + step]
            values = block.toarray(features) if is_sparse(block) else block[:, features]
            values = np.ascontiguousarray(values.T)
            retina = (values[feature_of_sensor] > levels).view(np.int8)
            yield start, wires @ retina >= threshold

    def _draw_wiring(self, n_features: int, n_levels: int, seed: int) -> SparseRows:
        """Draw the connections of each unit, which do not depend on the number of units."""
        n_units = int(self.n_units)
        n_excitatory = int(self.excitatory)
        n_connections = n_excitatory + int(self.inhibitory)
        shape = n_units, n_connections

        level = (generator(seed, 0).random(shape) * n_levels).astype(np.int64)
        if self.image_shape is None:
            feature = (generator(seed, 1).random(shape) * n_features).astype(np.int64)
        else:
            height, width = map(int, self.image_shape)
            spread = float(self.spread)
            # The first draw of each unit is its point.
            draws = generator(seed, 2).random((n_units, 1 + n_connections))
            row = _draw_near_a_point(draws, height, spread)
            draws = generator(seed, 3).random((n_units, 1 + n_connections))
            feature = row * width + _draw_near_a_point(draws, width, spread)

        # The smallest type that holds the sum of all connections of a unit.
        kind: type[np.signedinteger[Any]] = np.int32
        for smaller in (np.int16, np.int8):
            if n_connections <= np.iinfo(smaller).max:
                kind = smaller
        signs = np.ones(shape, kind)
        signs[:, n_excitatory:] = -1

        starts = np.arange(n_units + 1) * n_connections
        sensors = (feature * n_levels + level).ravel()
        wiring = SparseRows.from_entries(signs.ravel(), sensors, starts, n_features * n_levels)
        # Connections to the same sensory unit may cancel.
        return wiring.keep(wiring.data != 0)

    @property
    def _n_features_out(self) -> int:
        return self.wiring_.shape[0]

    def __sklearn_is_fitted__(self) -> bool:
        return "wiring_" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _draw_near_a_point(draws: FloatArray, size: int, spread: float) -> IntArray:
    """Return random indices below ``size``, near the index that the first draw of each row picks.

    The probability of an index falls by spread / (1 + spread) with each step away from that one.
    """
    point = (draws[:, :1] * size).astype(np.int64)
    # Multiplied step by step, because powers are not rounded alike on every machine.
    fading = np.cumprod(np.append(1.0, np.full(size - 1, spread / (1.0 + spread))))
    chances = fading[np.abs(np.arange(size)[:, None] - np.arange(size))]
    reached = np.cumsum(chances, axis=1)
    reached /= reached[:, -1:]

    # One sorted line for all points: the chances of point p lie between p and p + 1.
    line = (reached + np.arange(size)[:, None]).ravel()
    place = np.searchsorted(line, draws[:, 1:] + point, side="right") - point * size
    return np.asarray(np.clip(place, 0, size - 1), np.int64)


def _even_levels(table: Table, n_levels: int) -> FloatArray:
    """Return levels evenly spaced between the smallest and the largest value of each feature."""
    if is_sparse(table):
        low, high = SparseRows.of(table).column_range()
    else:
        low = table.min(axis=0).astype(np.float64)
        high = table.max(axis=0).astype(np.float64)
    steps = (np.arange(n_levels) + 0.5) / n_levels
    return np.asarray(low[:, None] + (high - low)[:, None] * steps, np.float64)
