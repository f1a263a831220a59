"""How a family lays its file out: a table of its arrays, and what holds between them.

The table says of each array its types, its shape, the range of its values and when it is there.
One reader checks all of that, for all families; what takes more than one array stands beside the
family.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from rosenblatt import checks
from rosenblatt.arrays import AnyArray, Arrays, SparseRows
from rosenblatt.core.rows import largest_allowed
from rosenblatt.errors import ModelFileError, ParameterError, shown

if TYPE_CHECKING:
    from rosenblatt.model.card import Card, Facts, State, TrainingData

DTYPES = {"float": ("float32", "float64"), "index": ("int32", "int64")}
MOST = float(np.finfo(np.float64).max)
# Sparse rows are "csr", or were those of SciPy's csr_array or csr_matrix.
RowKind = Literal["none", "dense", "csr", "csr_array", "csr_matrix"]

Sizes = dict[str, float]


class Array(NamedTuple):
    """One array of a family: a row of its table.

    ``dtype`` is a type of NumPy, "float" for either width or "index" for int32 or int64. ``shape``
    has numbers or names of sizes; a name that stands for no number yet stands for the size of the
    first array that has it. ``values`` are "0 to classes - 1", "0 or more", "± largest sum",
    "finite", "any", or "training" for what training allows for the type. ``part`` is what the array
    belongs to: it is there if and only if that is.
    """

    name: str
    dtype: str
    shape: str
    values: str
    part: str
    holds: str

    @property
    def dtypes(self) -> tuple[str, ...]:
        return DTYPES.get(self.dtype, (self.dtype,))

    def bounds(self, dtype: np.dtype[Any], sizes: Sizes) -> tuple[float | None, float | None]:
        """The least and the largest value allowed; None where there is no limit."""
        if self.values == "any":
            return None, None
        if self.values in ("training", "finite"):
            most = largest_allowed(dtype) if self.values == "training" else MOST
            return -most, most
        if self.values.startswith("± "):
            return -sizes[self.values[2:]], sizes[self.values[2:]]
        low, _, high = self.values.removesuffix(" or more").partition(" to ")
        return _number(low, sizes), _number(high, sizes)


def _number(text: str, sizes: Sizes) -> float | None:
    """What a number or a name stands for, also with 1 more or less; None of a name not known."""
    if text in sizes:
        return sizes[text]
    for sign, change in ((" + 1", 1), (" - 1", -1)):
        if text.endswith(sign) and text.removesuffix(sign) in sizes:
            return sizes[text.removesuffix(sign)] + change
    try:
        return float(text) if "." in text or "e" in text else int(text)
    except ValueError:
        return None


def table(text: str) -> tuple[Array, ...]:
    """A row for each line: name, type, shape, values, part and what it holds."""
    lines = filter(None, text.splitlines())
    return tuple(Array(*map(str.strip, line.split("|"))) for line in lines)


# ---------------------------------------------------------------------- what families share

MISTAKES = "mistakes_per_row | int32 | rows | 0 or more | recorded fit | mistakes on each row"
# Updates in order: {0} is their name, {1} that of the first column, {2} the number of rows.
UPDATES = """
{0}.{1}   | int64   | updates of {0} | 0 to {2} - 1            | {0} | the row of each update
{0}.right | int32   | updates of {0} | 0 to classes - 1        | {0} | the right class
{0}.wrong | int32   | updates of {0} | -1 to classes - 1       | {0} | the class lowered, or -1
{0}.step  | float64 | updates of {0} | {3}                     | {0} | how far it went
{0}.t     | int64   | updates of {0} | start of {0} to examples | {0} | examples seen, with this
"""


class Layout:
    """The part of a file that is of one family.

    ``facts`` is its part of the card, ``table`` its arrays. ``nature`` says, after "a
    KernelPerceptron", what it is to those who want another family. ``names_attribute`` is where a
    learner keeps the names of its columns.
    """

    family: ClassVar[str]
    facts: ClassVar[type[Facts]]
    table: ClassVar[tuple[Array, ...]]
    nature: ClassVar[str]
    names_attribute: ClassVar[str] = "feature_names_in_"
    # Whether examples are sentences and classes their tags.
    of_sentences: ClassVar[bool] = False

    def parts(self, card: Card) -> set[str]:
        """The parts of the table that the file must have, as its card says."""
        raise NotImplementedError

    def training_data(self, card: Card) -> TrainingData:
        """What the file holds of the rows that were learned from."""
        return "none" if card.model.ledger is None else "ledger"

    def sizes(self, card: Card, arrays: Arrays) -> dict[str, float]:
        """What names of sizes and bounds stand for, beside those that all families share."""
        raise NotImplementedError

    def n_features(self, card: Card, arrays: Arrays) -> int:
        raise NotImplementedError

    def check_card(self, card: Card) -> None:
        """Refuse a card whose parts do not fit together, before any array is looked at."""

    def check_together(self, card: Card, arrays: Arrays) -> None:
        """Refuse arrays that do not fit together, each of which is sound alone."""

    def put(self, learner: Any, model: Any, *, slim: bool) -> tuple[Facts, Arrays]:
        """What was learned, for a file: a part of its card, and arrays.

        ``slim`` leaves out what is not needed to predict and to explain by feature.
        """
        raise NotImplementedError

    def take(self, learner: Any, state: State) -> None:
        """Give a new learner what was read, which is sound."""
        raise NotImplementedError


class KeptRows:
    """Rows that a model keeps under a name: dense in one array, sparse ones in three."""

    lines = """
{0}         | float | {0}, features | training          | {0}, dense  | {1}
{0}.data    | float | values of {0} | training          | {0}, sparse | values of sparse rows
{0}.indices | index | values of {0} | 0 to features - 1 | {0}, sparse | feature of each value
{0}.indptr  | index | {0} + 1       | 0 or more         | {0}, sparse | where each row begins
"""

    def __init__(self, name: str, holds: str) -> None:
        self.name, self.table = name, self.lines.format(name, holds)
        self._sparse = [f"{name}.{part}" for part in ("data", "indices", "indptr")]

    def parts(self, kind: str) -> set[str]:
        """The part of the table that is there."""
        if kind in ("none", "numbers"):
            return set()
        return {f"{self.name}, {'dense' if kind == 'dense' else 'sparse'}"}

    def put(self, arrays: Arrays, rows: Any) -> Any:
        """Keep rows; how they are kept."""
        if rows is None:
            return "none"
        if isinstance(rows, np.ndarray):
            arrays[self.name] = rows
            return "dense"
        # Indices as small as can be, whatever the caller's were.
        large = max(rows.nnz, rows.shape[1]) > np.iinfo(np.int32).max
        index = np.int64 if large else np.int32
        parts = rows.data, rows.indices.astype(index), rows.indptr.astype(index)
        arrays |= zip(self._sparse, parts, strict=True)
        return rows.origin

    def take(self, arrays: Arrays, kind: Any, n_features: int) -> Any:
        """The rows that `put` was given."""
        if kind in ("none", "dense"):
            return arrays.get(self.name)
        data, indices, indptr = (arrays[name] for name in self._sparse)
        return SparseRows.from_entries(data, indices, indptr, n_features, origin=kind)

    def check(self, arrays: Arrays, kind: str) -> int:
        """Refuse sparse rows that are no matrix; how many rows there are."""
        if kind in ("none", "dense"):
            return 0 if kind == "none" else len(arrays[self.name])
        _, indices, indptr = (arrays[name] for name in self._sparse)
        in_order(f"{self.name}.indptr", indptr)
        if indptr.dtype != indices.dtype:
            raise ModelFileError(f"{self.name}: indices and indptr are of different types.")
        if not len(indptr) or indptr[0] != 0 or indptr[-1] != len(indices):
            raise ModelFileError(f"{self.name}.indptr does not cover the values that are stored.")
        return len(indptr) - 1

    def check_columns(self, arrays: Arrays) -> None:
        """Refuse sparse rows whose columns do not stand in order, or one of them twice."""
        _, indices, indptr = (arrays[name] for name in self._sparse)
        follows = np.ones(len(indices) + 1, bool)
        follows[indptr] = False
        wrong = np.flatnonzero(follows[1:-1] & (indices[1:] <= indices[:-1]))
        if len(wrong):
            place = f"{self.name}.indices[{wrong[0] + 1}]"
            raise ModelFileError(f"{place} is {indices[wrong[0] + 1]}: columns are out of order.")


# ---------------------------------------------------------------------- limits and order


# What the counters of the loops can hold, with room to go on.
MOST_EXAMPLES = 1 << 62


def whole(name: str, value: Any, low: int, high: int) -> None:
    _check(checks.whole, name, value, at_least=low, at_most=high)


def number(name: str, value: Any, **limits: Any) -> None:
    _check(checks.number, name, value, **limits)


def _check(check: Callable[..., Any], name: str, value: Any, **limits: Any) -> None:
    try:
        check(name, value, **limits)
    except ParameterError as error:
        raise ModelFileError(f"{name} is {shown(value)}, but must be {error.allowed}.") from None


def refuse_slim(card: Card) -> None:
    """Refuse a slim model with a ledger."""
    if card.slim:
        raise ModelFileError("a slim model has no ledger.")


def in_order(name: str, values: Any, *, strictly: bool = False) -> None:
    before, after = values[:-1], values[1:]
    wrong = np.flatnonzero(after <= before if strictly else after < before)
    if len(wrong):
        at = int(wrong[0]) + 1
        raise ModelFileError(f"{name}[{at}] is {values[at]}, which is less than allowed there.")


# ---------------------------------------------------------------------- every array alone


def check_arrays(layout: Layout, card: Card, arrays: Arrays) -> None:
    """Refuse arrays that are missing, too many, of another shape or type, or out of range."""
    fit, k = card.record.fit, len(card.classes)
    there = {"always", *layout.parts(card)}
    if fit is not None and there & {"ledger", "updates"} and not card.slim:
        there.add("recorded fit")
    needed = {row.name: row for row in layout.table if row.part in there}
    for name in sorted(needed.keys() - arrays.keys()):
        raise ModelFileError(f"the array {name!r} is missing.")
    for name in sorted(arrays.keys() - needed.keys()):
        raise ModelFileError(f"the array {shown(name)} does not belong to this model.")
    # Two classes share one vector, or one function.
    sizes: Sizes = {"classes": k, "vectors": k if k > 2 else 1, "examples": card.record.t}
    sizes["next row"] = card.record.next_row
    if fit is not None and fit.rows is not None:
        sizes["rows"] = fit.rows
    sizes |= layout.sizes(card, arrays)
    for name, row in needed.items():
        _check_type_and_shape(row, arrays[name], sizes)
        _check_range(name, arrays[name], *row.bounds(arrays[name].dtype, sizes))


def _check_type_and_shape(row: Array, values: AnyArray, sizes: Sizes) -> None:
    if values.dtype.name not in row.dtypes:
        raise ModelFileError(
            f"the array {row.name!r} is of {values.dtype.name}, but must be of "
            f"{' or '.join(row.dtypes)}."
        )
    shape: list[float | str] = []
    for place, size in enumerate(row.shape.split(", ")):
        known = _number(size, sizes)
        if known is None and len(row.shape.split(", ")) == values.ndim:
            known = sizes[size] = values.shape[place]
        shape.append(size if known is None else known)
    if shape != list(values.shape):
        wanted = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
        raise ModelFileError(
            f"the array {row.name!r} has shape {values.shape}, but classes, features and rows of "
            f"this model ask for ({wanted})."
        )


def _check_range(name: str, values: AnyArray, low: float | None, high: float | None) -> None:
    if not values.size:
        return
    # Two numbers decide for most arrays; NaN is neither below nor above.
    least, most = values.min(), values.max()
    if (low is None or least >= low) and (high is None or most <= high):
        return
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
    raise ModelFileError(f"{name}[{where}] is {values[place]}; {allowed} is allowed.")
