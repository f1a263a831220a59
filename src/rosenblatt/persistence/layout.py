"""Layouts of model files: the declarations of arrays, and the checks of arrays against them.

An `Array` declares the type, the shape, the range of values and the part of the file that an array
belongs to. One function, `check_arrays`, validates the arrays of every family by these; what takes
more than one array is checked by the layout of the family. docs/model_file.md shows the
declarations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec
import numpy as np

from rosenblatt import checks
from rosenblatt.arrays import AnyArray, Arrays, SparseRows
from rosenblatt.errors import ModelFileError, ParameterError, shown
from rosenblatt.models.rows import largest_allowed

if TYPE_CHECKING:
    from rosenblatt.arrays import Table
    from rosenblatt.persistence.card import Card, Facts, State, TrainingData

MOST = float(np.finfo(np.float64).max)
# Kinds of rows; sparse ones are "csr", or came from SciPy's csr_array or csr_matrix.
RowKind = Literal["none", "dense", "csr", "csr_array", "csr_matrix"]


# ---------------------------------------------------------------------- declaring an array


class Quantity(msgspec.Struct, frozen=True):
    """A named number that shapes and bounds refer to, such as the number of classes.

    It is known from the card, or from the first array that has it as a size.
    """

    name: str

    def __add__(self, offset: int) -> Shifted:
        return Shifted(self, offset)

    def __sub__(self, offset: int) -> Shifted:
        return Shifted(self, -offset)

    def __str__(self) -> str:
        return self.name

    def value(self, known: Quantities) -> float | None:
        """Return the number, or None if it is not known yet."""
        return known.get(self)


class Shifted(msgspec.Struct, frozen=True):
    """A quantity plus or minus a whole number."""

    quantity: Quantity
    offset: int

    def __str__(self) -> str:
        sign = "-" if self.offset < 0 else "+"
        return f"{self.quantity} {sign} {abs(self.offset)}"

    def value(self, known: Quantities) -> float | None:
        """Return the number, or None if it is not known yet."""
        number = known.get(self.quantity)
        if number is None:
            return None
        return number + self.offset


Size = Quantity | Shifted
Limit = int | float | Quantity | Shifted
# The values of the quantities of one model.
Quantities = dict[Quantity, float]


def _value(limit: Limit | None, known: Quantities) -> float | None:
    if isinstance(limit, Quantity | Shifted):
        return limit.value(known)
    return limit


class Between(msgspec.Struct, frozen=True):
    """Bounds with a least and a largest value; None means no limit."""

    low: Limit | None = None
    high: Limit | None = None

    def __str__(self) -> str:
        if self.low is None:
            return "any"
        if self.high is None:
            return f"{self.low} or more"
        return f"{self.low} to {self.high}"

    def limits(self, dtype: np.dtype[Any], known: Quantities) -> tuple[float | None, float | None]:
        """Return the least and the largest value that are allowed."""
        return _value(self.low, known), _value(self.high, known)


class Within(msgspec.Struct, frozen=True):
    """Bounds on the magnitude of values."""

    largest: Quantity

    def __str__(self) -> str:
        return f"± {self.largest}"

    def limits(self, dtype: np.dtype[Any], known: Quantities) -> tuple[float, float]:
        """Return the least and the largest value that are allowed."""
        largest = known[self.largest]
        return -largest, largest


class ByType(msgspec.Struct, frozen=True):
    """Bounds on the magnitude of values, for each type of numbers."""

    name: str
    largest: dict[np.dtype[Any], float]

    def __str__(self) -> str:
        return self.name

    def limits(self, dtype: np.dtype[Any], known: Quantities) -> tuple[float, float]:
        """Return the least and the largest value that are allowed."""
        largest = self.largest[dtype]
        return -largest, largest


Bounds = Between | Within | ByType


class Type(msgspec.Struct, frozen=True):
    """The types of numbers that an array may have."""

    name: str
    dtypes: tuple[np.dtype[Any], ...]

    def __str__(self) -> str:
        return self.name


def _type(*names: str, name: str | None = None) -> Type:
    return Type(name or names[0], tuple(np.dtype(each) for each in names))


class Part(msgspec.Struct, frozen=True):
    """A part of a file that may be present or absent, as the card of the model determines."""

    name: str

    def __str__(self) -> str:
        return self.name


class Array(msgspec.Struct, frozen=True):
    """The declaration of one array of a family.

    The array is in a file if and only if all of its ``parts`` are; without parts it always is.
    """

    name: str
    type: Type
    shape: tuple[Size, ...]
    bounds: Bounds
    parts: tuple[Part, ...]
    help: str

    def columns(self) -> tuple[str, ...]:
        """Return the row of this array in the table of docs/model_file.md."""
        shape = ", ".join(str(size) for size in self.shape)
        parts = ", ".join(str(part) for part in self.parts)
        return self.name, str(self.type), shape, str(self.bounds), parts or "always", self.help


# ---------------------------------------------------------------------- what families share

FLOAT32 = _type("float32")
FLOAT64 = _type("float64")
INT8 = _type("int8")
INT32 = _type("int32")
INT64 = _type("int64")
FLOAT = _type("float32", "float64", name="float")
INDEX = _type("int32", "int64", name="index")

ANY = Between()
NOT_NEGATIVE = Between(0)
FINITE = ByType("finite", dict.fromkeys(FLOAT.dtypes, MOST))
# Values that training allows, whose squares do not overflow.
TRAINING = ByType("training", {dtype: largest_allowed(dtype) for dtype in FLOAT.dtypes})

CLASSES = Quantity("classes")
FEATURES = Quantity("features")
# Number of weight vectors: one for each class, or one in all for two classes.
VECTORS = Quantity("vectors")
# Number of examples learned from, and the row number of the next one in a ledger.
EXAMPLES = Quantity("examples")
NEXT_ROW = Quantity("next row")
# Number of rows of the last fit.
ROWS = Quantity("rows")
# Least number of examples seen at an update of the ledger.
START_OF_LEDGER = Quantity("start of ledger")
# The largest running sum (`largest_sum`).
LARGEST_SUM = Quantity("largest sum")

ALWAYS: tuple[Part, ...] = ()
LEDGER = Part("ledger")
UPDATES = Part("updates")
# The weights that a ledger starts from, unless they are 0.
START = Part("ledger.start")
# The weights of the best epoch, after early stopping.
BEST = Part("best")
# A fit whose recorded updates name its rows.
RECORDED_FIT = Part("recorded fit")

MISTAKES_PER_ROW = Array(
    "mistakes_per_row", INT32, (ROWS,), NOT_NEGATIVE, (RECORDED_FIT,), "mistakes on each row"
)


def update_arrays(
    part: Part, *, row: str, n_rows: Quantity, steps: Bounds, first_t: Quantity
) -> tuple[Array, ...]:
    """Declare the arrays of recorded updates, whose names begin with that of their part.

    ``row`` is the name of the column with the row of each update; there are ``n_rows`` of them.
    """
    name = part.name
    shape = (Quantity(f"updates of {name}"),)
    rows = Between(0, n_rows - 1)
    right = Between(0, CLASSES - 1)
    wrong = Between(-1, CLASSES - 1)
    t = Between(first_t, EXAMPLES)
    return (
        Array(f"{name}.{row}", INT64, shape, rows, (part,), "the row of each update"),
        Array(f"{name}.right", INT32, shape, right, (part,), "the right class"),
        Array(f"{name}.wrong", INT32, shape, wrong, (part,), "the class lowered, or -1"),
        Array(f"{name}.step", FLOAT64, shape, steps, (part,), "how far it went"),
        Array(f"{name}.t", INT64, shape, t, (part,), "examples seen, with this"),
    )


class Layout:
    """The layout of the model files of one family of learners.

    ``facts`` is the type of its part of the card, ``arrays`` the declarations of its arrays.
    ``nature`` continues an error about a model of the wrong family, after "a KernelPerceptron".
    ``names_attribute`` is the attribute in which a learner keeps the names of its columns.
    """

    family: ClassVar[str]
    facts: ClassVar[type[Facts]]
    arrays: ClassVar[tuple[Array, ...]]
    nature: ClassVar[str]
    names_attribute: ClassVar[str] = "feature_names_in_"
    # Whether examples are sentences and classes their tags.
    of_sentences: ClassVar[bool] = False

    def parts(self, card: Card) -> set[Part]:
        """Return the parts that the file must have, according to its card."""
        raise NotImplementedError

    def training_data(self, card: Card) -> TrainingData:
        """Return which training data the file holds: none, the ledger only, or the rows."""
        return "none" if card.model.ledger is None else "ledger"

    def quantities(self, card: Card, arrays: Arrays) -> Quantities:
        """Return the quantities of this family, without those that all families share."""
        raise NotImplementedError

    def n_features(self, card: Card, arrays: Arrays) -> int:
        """Return the number of features of the model."""
        raise NotImplementedError

    def check_card(self, card: Card) -> None:
        """Raise ModelFileError if the card contradicts itself, before the arrays are checked."""

    def check_together(self, card: Card, arrays: Arrays) -> None:
        """Raise ModelFileError if arrays that are valid alone contradict each other."""

    def put(self, learner: Any, model: Any, *, slim: bool) -> tuple[Facts, Arrays]:
        """Serialize a model as its part of the card and its arrays.

        ``slim`` leaves out what is not needed to predict and to explain by feature.
        """
        raise NotImplementedError

    def take(self, learner: Any, state: State) -> None:
        """Restore the model of a new learner from a validated state."""
        raise NotImplementedError


class KeptRows:
    """Rows that a model file stores under a name: dense in one array, sparse in three."""

    def __init__(self, name: str, help: str) -> None:
        self.name = name
        self.n_rows = Quantity(name)
        self._dense = Part(f"{name}, dense")
        self._sparse = Part(f"{name}, sparse")
        self._sparse_names = [f"{name}.{part}" for part in ("data", "indices", "indptr")]

        data, indices, indptr = self._sparse_names
        dense = (self._dense,)
        sparse = (self._sparse,)
        values = (Quantity(f"values of {name}"),)
        column = Between(0, FEATURES - 1)
        starts = (self.n_rows + 1,)
        self.arrays = (
            Array(name, FLOAT, (self.n_rows, FEATURES), TRAINING, dense, help),
            Array(data, FLOAT, values, TRAINING, sparse, "values of sparse rows"),
            Array(indices, INDEX, values, column, sparse, "feature of each value"),
            Array(indptr, INDEX, starts, NOT_NEGATIVE, sparse, "where each row begins"),
        )

    def parts(self, kind: str) -> set[Part]:
        """Return the parts of the file that hold rows of this kind; empty if none are stored."""
        if kind in ("none", "numbers"):
            return set()
        if kind == "dense":
            return {self._dense}
        return {self._sparse}

    def put(self, arrays: Arrays, rows: Table | None) -> RowKind:
        """Add rows to the arrays of a file, and return their kind."""
        if rows is None:
            return "none"
        if isinstance(rows, np.ndarray):
            arrays[self.name] = rows
            return "dense"
        # Indices as small as can be, whatever the caller's were.
        large = max(rows.nnz, rows.shape[1]) > np.iinfo(np.int32).max
        index = np.int64 if large else np.int32
        parts = rows.data, rows.indices.astype(index), rows.indptr.astype(index)
        arrays |= zip(self._sparse_names, parts, strict=True)
        return rows.origin

    def take(self, arrays: Arrays, kind: Any, n_features: int) -> Any:
        """Return the rows that `put` stored."""
        if kind in ("none", "dense"):
            return arrays.get(self.name)
        data, indices, indptr = (arrays[name] for name in self._sparse_names)
        return SparseRows.from_entries(data, indices, indptr, n_features, origin=kind)

    def check(self, arrays: Arrays, kind: str) -> int:
        """Return the number of rows; raise ModelFileError if sparse rows are not a CSR matrix."""
        if kind in ("none", "dense"):
            return 0 if kind == "none" else len(arrays[self.name])
        _, indices, indptr = (arrays[name] for name in self._sparse_names)
        in_order(f"{self.name}.indptr", indptr)
        if indptr.dtype != indices.dtype:
            raise ModelFileError(f"{self.name}: indices and indptr are of different types.")
        if not len(indptr) or indptr[0] != 0 or indptr[-1] != len(indices):
            raise ModelFileError(f"{self.name}.indptr does not cover the values that are stored.")
        return len(indptr) - 1

    def check_columns(self, arrays: Arrays) -> None:
        """Raise ModelFileError if the columns of a sparse row are out of order or repeated."""
        _, indices, indptr = (arrays[name] for name in self._sparse_names)
        follows = np.ones(len(indices) + 1, bool)
        follows[indptr] = False
        wrong = np.flatnonzero(follows[1:-1] & (indices[1:] <= indices[:-1]))
        if len(wrong):
            place = f"{self.name}.indices[{wrong[0] + 1}]"
            raise ModelFileError(f"{place} is {indices[wrong[0] + 1]}: columns are out of order.")


# ---------------------------------------------------------------------- checks of single values


# Limit of counters in a file; those of the compiled loops hold more, so that learning can continue.
MAX_EXAMPLES = 1 << 62


def whole(name: str, value: object, low: int, high: int) -> None:
    """Raise ModelFileError unless a value is a whole number from ``low`` to ``high``."""
    # The common case; whatever else it is, the check has the words for it.
    if type(value) is int and low <= value <= high:
        return
    _check(checks.whole, name, value, at_least=low, at_most=high)


def number(
    name: str, value: object, *, at_least: float | None = None, at_most: float | None = None
) -> None:
    """Raise ModelFileError unless a value is a finite number within limits."""
    _check(checks.number, name, value, at_least=at_least, at_most=at_most)


def _check(check: Callable[..., object], name: str, value: object, **limits: float | None) -> None:
    try:
        check(name, value, **limits)
    except ParameterError as error:
        raise ModelFileError(f"{name} is {shown(value)}, but must be {error.allowed}.") from None


def largest_sum(largest_weight: float, n_examples: int) -> float:
    """Return the largest running sum for which the mean w - sum / t can be a valid weight."""
    return min(2.0 * largest_weight * max(n_examples, 1), MOST)


def refuse_slim(card: Card) -> None:
    """Raise ModelFileError for a slim model, which cannot have a ledger."""
    if card.slim:
        raise ModelFileError("a slim model has no ledger.")


def has_best_epoch(card: Card) -> bool:
    """Return whether the last fit chose an epoch by its score on held-out rows."""
    fit = card.record.fit
    return fit is not None and fit.best_iter is not None


def in_order(name: str, values: AnyArray, *, strictly: bool = False) -> None:
    """Raise ModelFileError if values decrease or, with ``strictly``, if they do not increase."""
    before = values[:-1]
    after = values[1:]
    wrong = np.flatnonzero(after <= before if strictly else after < before)
    if len(wrong):
        at = int(wrong[0]) + 1
        raise ModelFileError(f"{name}[{at}] is {values[at]}, which is less than allowed there.")


# ---------------------------------------------------------------------- every array on its own


def check_arrays(layout: Layout, card: Card, arrays: Arrays) -> None:
    """Raise ModelFileError if an array is missing, undeclared or not as declared."""
    parts = layout.parts(card)
    known = _shared_quantities(card)
    if ROWS in known and not card.slim and (LEDGER in parts or UPDATES in parts):
        parts.add(RECORDED_FIT)

    declared = [array for array in layout.arrays if parts.issuperset(array.parts)]
    names = {array.name for array in declared}
    if names != arrays.keys():
        _refuse_names(names, arrays)

    known |= layout.quantities(card, arrays)
    # In the order of the declarations: a size that is not known is that of the first array with it.
    for array in declared:
        _check_array(array, arrays[array.name], known)


def _shared_quantities(card: Card) -> Quantities:
    """Return the quantities that all families share, from the card."""
    n_classes = len(card.classes)
    known: Quantities = {
        CLASSES: n_classes,
        # Two classes share one vector, or one function.
        VECTORS: n_classes if n_classes > 2 else 1,
        EXAMPLES: card.record.t,
        NEXT_ROW: card.record.next_row,
    }
    fit = card.record.fit
    if fit is not None and fit.rows is not None:
        known[ROWS] = fit.rows
    return known


def _refuse_names(names: set[str], arrays: Arrays) -> None:
    for name in sorted(names - arrays.keys()):
        raise ModelFileError(f"the array {name!r} is missing.")
    for name in sorted(arrays.keys() - names):
        raise ModelFileError(f"the array {shown(name)} does not belong to this model.")


def _check_array(array: Array, values: AnyArray, known: Quantities) -> None:
    """Raise ModelFileError if an array is not as declared; add sizes that are new to ``known``."""
    if values.dtype not in array.type.dtypes:
        wanted = " or ".join(dtype.name for dtype in array.type.dtypes)
        raise ModelFileError(
            f"the array {array.name!r} is of {values.dtype.name}, but must be of {wanted}."
        )

    fits = values.ndim == len(array.shape)
    if fits:
        for size, found in zip(array.shape, values.shape, strict=True):
            expected = size.value(known)
            if expected is None and isinstance(size, Quantity):
                known[size] = found
            elif expected != found:
                fits = False
    if not fits:
        raise _wrong_shape(array, values, known)

    if not values.size:
        return
    low, high = array.bounds.limits(values.dtype, known)
    # Two numbers decide for most arrays; NaN is neither below nor above.
    least = np.minimum.reduce(values, axis=None)
    most = np.maximum.reduce(values, axis=None)
    if (low is None or least >= low) and (high is None or most <= high):
        return
    raise _out_of_range(array.name, values, low, high)


def _wrong_shape(array: Array, values: AnyArray, known: Quantities) -> ModelFileError:
    expected: list[float | str] = []
    for size in array.shape:
        number = size.value(known)
        expected.append(str(size) if number is None else number)
    wanted = ", ".join(map(str, expected)) + ("," if len(expected) == 1 else "")
    return ModelFileError(
        f"the array {array.name!r} has shape {values.shape}, but classes, features and rows of "
        f"this model ask for ({wanted})."
    )


def _out_of_range(
    name: str, values: AnyArray, low: float | None, high: float | None
) -> ModelFileError:
    """Return an error that names the first value out of range."""
    sound = np.ones(values.shape, bool)
    if low is not None:
        sound &= values >= low
    if high is not None:
        sound &= values <= high
    place = np.unravel_index(np.argmin(sound), values.shape)
    where = ", ".join(str(int(i)) for i in place)

    bounds = [
        str(bound) if isinstance(bound, int) else f"{bound:g}"
        for bound in (low, high)
        if bound is not None
    ]
    allowed = " to ".join(bounds) if high is not None else f"{bounds[0]} or more"
    return ModelFileError(f"{name}[{where}] is {values[place]}; {allowed} is allowed.")
