"""Validation of the labels, weights and validation sets that callers pass to a learner."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import AnyArray, FloatArray, Int32Array, IntArray, Labels
from rosenblatt.checks import refusal
from rosenblatt.errors import InputError, Message, ParameterError, Setting, Value
from rosenblatt.estimators.conversion import is_missing, unmasked
from rosenblatt.estimators.inputs import read_table
from rosenblatt.estimators.params import seed_from
from rosenblatt.estimators.sklearn_classes import data_conversion_warning
from rosenblatt.models.classes import LabelCodes, hold_out, natural_order
from rosenblatt.models.rows import as_rows, inspect
from rosenblatt.tables.readers.fault_messages import notice

if TYPE_CHECKING:
    from rosenblatt.arrays import Table
    from rosenblatt.estimators.row_classifier import RowClassifier

# Labels encoded at once.
BLOCK = 1 << 16
# Integer labels are counted instead of sorted if their range is below MAX_COUNTED and the largest
# is below LARGEST_COUNTED, so that nothing overflows.
MAX_COUNTED = 1 << 16
LARGEST_COUNTED = 1 << 62


def read_labels(y: Any, n_rows: int) -> AnyArray | LabelCodes:
    """Validate ``y``; return it as a 1-D array of one label per row, or unchanged `LabelCodes`."""
    if y is None:
        raise InputError(
            "this learner requires y to be passed, but the target y is None. Pass one label for "
            "each row."
        )
    if isinstance(y, LabelCodes):
        labels = y.classes
        n_labels = len(y)
    else:
        labels = _one_dimensional(y)
        n_labels = len(labels)

    # NumPy makes texts of mixed lists, so the types are those of the list.
    types = set(map(type, y)) if isinstance(y, list | tuple) else set()
    if labels.dtype == object:
        _refuse_missing(labels)
        types = set(map(type, labels))
    _refuse_mixed(types)

    if n_labels != n_rows:
        raise InputError(
            f"X has {n_rows} rows but y has {n_labels} labels (inconsistent numbers of "
            "samples). Pass one label for each row."
        )
    if labels.dtype.kind == "f":
        _refuse_measures(labels)
    elif labels.dtype.kind not in "biuOUST":
        raise InputError(
            f"Unknown label type: {labels.dtype}. Labels may be whole numbers, text or booleans."
        )
    return y if isinstance(y, LabelCodes) else labels


def _refuse_missing(labels: AnyArray) -> None:
    for row, label in enumerate(labels):
        if is_missing(label):
            raise InputError(
                f"y has no label at row {row} ({label!r}; Input y contains NaN). Drop the row or "
                "give it a label."
            )


def _refuse_mixed(types: set[type]) -> None:
    """Raise InputError for labels of several types, unless all are numbers."""
    all_numbers = all(issubclass(kind, numbers.Number | np.bool_) for kind in types)
    if len(types) > 1 and not all_numbers:
        names = " and ".join(sorted(kind.__name__ for kind in types))
        raise InputError(
            f"y holds labels of mixed types ({names}). Use labels of one type, for example "
            "[str(label) for label in y]."
        )


def _refuse_measures(labels: AnyArray) -> None:
    """Raise InputError for float labels that are not integers: they are measures, not classes."""
    wrong = np.flatnonzero(~np.isfinite(labels) | (labels != np.floor(labels)))
    if not len(wrong):
        return
    row = wrong[0]
    value = labels[row]
    if not np.isfinite(value):
        raise InputError(
            f"y holds {value} at row {row} (Input y contains NaN or infinity). "
            "Drop the row or give it a label."
        )
    raise InputError(
        f"Unknown label type: continuous. y holds {value} at row {row}; a classifier "
        "needs classes. Cut the numbers into classes first, or use a regressor."
    )


def _one_dimensional(y: Any) -> AnyArray:
    """Return the labels as a 1-D array; warn if they are a column vector."""
    labels: AnyArray
    # NumPy would make a second dimension of tuples.
    if isinstance(y, list) and any(isinstance(label, tuple) for label in y):
        labels = np.empty(len(y), dtype=object)
        labels[:] = y
        return labels
    try:
        labels = np.asarray(unmasked(y, object, None))
    except ValueError as error:
        raise InputError(f"y should be a 1d array of labels ({error}).") from None
    if labels.ndim == 2 and labels.shape[1] == 1:
        what = "A column-vector y was passed when a 1d array was expected: y has shape "
        cure = f"{labels.shape}. Give y.ravel(), of shape {labels.shape[:1]}."
        notice(data_conversion_warning(), what + cure)
    elif labels.ndim != 1:
        raise InputError(
            f"y should be a 1d array, got an array of shape {labels.shape} instead. Give one label "
            "for each row."
        )
    return labels.ravel()


def encode_labels(labels: AnyArray | LabelCodes) -> tuple[AnyArray, Labels]:
    """Return the sorted classes, and the class index of each label."""
    if isinstance(labels, LabelCodes):
        return labels.classes, labels.codes
    if labels.dtype.kind in "iu" and len(labels):
        low = int(labels.min())
        high = int(labels.max())
        if high - low < MAX_COUNTED and high < LARGEST_COUNTED:
            return _encode_by_counts(labels, low, high)
    try:
        if labels.dtype.kind == "O":
            return _encode_objects(labels)
        classes, codes = np.unique(labels, return_inverse=True)
    except (TypeError, ValueError):
        raise InputError(
            "y holds labels that have no order, such as sets or mixed types. Use labels of one "
            "type that has, for example [str(label) for label in y]."
        ) from None
    return classes, codes.astype(np.int32)


def _encode_by_counts(labels: AnyArray, low: int, high: int) -> tuple[AnyArray, Labels]:
    """Encode integers from ``low`` to ``high`` by a lookup table, which is faster than sorting."""
    blocks = [slice(start, start + BLOCK) for start in range(0, len(labels), BLOCK)]
    counts = np.zeros(high - low + 1, np.intp)
    for block in blocks:
        counts += np.bincount(labels[block].astype(np.intp) - low, minlength=len(counts))

    code_of_label = np.cumsum(counts > 0, dtype=np.int32) - np.int32(1)
    codes = np.empty(len(labels), np.int32)
    for block in blocks:
        codes[block] = code_of_label[labels[block].astype(np.intp) - low]
    classes = (np.flatnonzero(counts) + low).astype(labels.dtype)
    return classes, codes


def _encode_objects(labels: AnyArray) -> tuple[AnyArray, Labels]:
    """Encode labels of any type; raise TypeError or ValueError if they cannot be sorted."""
    listed = labels.tolist()
    names = natural_order(set(listed))
    code_of_name = {name: code for code, name in enumerate(names)}
    classes = np.empty(len(names), object)
    classes[:] = names
    return classes, np.array([code_of_name[label] for label in listed], np.int32)


# ---------------------------------------------------------------------- weights


def read_weights(
    sample_weight: Any,
    class_weight: Any,
    classes: Sequence[Hashable],
    labels: Labels,
    *,
    may_be_zero: bool = False,
    all_known: bool = True,
) -> FloatArray | None:
    """Return the weight of each row, by sample and class weights; None if there are neither."""
    weights: FloatArray | None = None
    if sample_weight is not None:
        weights = _row_factors(sample_weight, len(labels))
    if class_weight is not None:
        factors = class_factors(class_weight, classes, labels, all_known=all_known)[labels]
        weights = factors if weights is None else factors * weights
    if weights is not None and not may_be_zero and not weights.any():
        raise InputError(
            "sample_weight and class_weight leave a weight of zero for every row, so nothing can "
            "be learned."
        )
    return weights


def streamed_weights(
    sample_weight: Any, class_weight: Any, names: Sequence[Hashable], numbers: Labels
) -> FloatArray | None:
    """Return the weight of each row of a stream, by sample and class weights; None without both.

    ``names`` are the classes of these rows, ``numbers`` the class index of each row.
    """
    if isinstance(class_weight, str) and class_weight == "balanced":
        balanced = Setting("class_weight", "balanced")
        raise ParameterError(
            Message(balanced, " needs all labels at once, so it cannot learn on from more"),
            cures=["fit anew on all examples", "give each class a weight, which can learn on"],
        )
    # Later rows may have weights above 0, and classes that are named here.
    return read_weights(
        sample_weight, class_weight, names, numbers, may_be_zero=True, all_known=False
    )


def _row_factors(sample_weight: Any, n_rows: int) -> FloatArray:
    """Validate sample weights; return one for each row. A single number applies to all rows."""
    try:
        weights = np.array(unmasked(sample_weight, np.float64, np.nan), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("sample_weight must hold one number for each row.") from None
    if weights.ndim == 0:
        weights = np.full(n_rows, weights)
    if weights.shape != (n_rows,):
        raise InputError(
            f"sample_weight has shape {weights.shape}, but there are {n_rows} rows. Pass one "
            "number for each row (sample_weight.shape == (n_samples,))."
        )
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        row = wrong[0]
        raise InputError(
            f"sample_weight holds {weights[row]:g} at row {row}: weights scale the step, so "
            "they cannot be NaN, infinite or negative. Use 0 to leave a row out."
        )
    return weights


def class_factors(
    class_weight: Any, classes: Sequence[Hashable], labels: Labels, *, all_known: bool
) -> FloatArray:
    """Return the weight of each class; 1 for a class without a given weight.

    ``all_known=False`` allows names of classes that a stream has not had yet.
    """
    if isinstance(class_weight, str) and class_weight == "balanced":
        # The weights of all classes add up to the same.
        counts = np.bincount(labels, minlength=len(classes))
        present = np.count_nonzero(counts)
        return np.asarray(len(labels) / (present * np.maximum(counts, 1)), np.float64)
    if not isinstance(class_weight, Mapping):
        raise ParameterError(
            f"class_weight={class_weight!r} is not known: give 'balanced', None or a dict of "
            "class to weight."
        )
    unknown = [label for label in class_weight if label not in classes]
    if all_known and unknown:
        raise ParameterError(
            f"class_weight names {unknown[0]!r}, which is not among the classes "
            f"{', '.join(map(repr, classes[:10]))}."
        )
    factors = np.array([class_weight.get(label, 1.0) for label in classes], np.float64)
    if not (np.isfinite(factors) & (factors >= 0)).all():
        raise ParameterError(
            f"class_weight={class_weight!r}: weights must be finite and cannot be negative."
        )
    return factors


def check_class_weight(name: str, value: object) -> None:
    """Raise a ParameterError unless a value is "balanced" or a mapping of class to weight."""
    if isinstance(value, Mapping):
        factors = value.values()
        is_sound = all(isinstance(f, numbers.Real) and 0 <= float(f) < math.inf for f in factors)
    else:
        is_sound = isinstance(value, str) and value == "balanced"
    if not is_sound:
        raise ParameterError(
            f"{name}={value!r} is not known: give 'balanced', None or a dict of class to weight, "
            "none of them negative."
        )


def class_weight_from_text(text: str) -> str | dict[str, float] | None:
    """Parse class weights of the command line: balanced, none, or spam=2,ham=1."""
    if text == "none":
        return None
    if text == "balanced":
        return text
    weights = {}
    for part in text.split(","):
        label, equals, factor = part.rpartition("=")
        try:
            weights[label] = float(factor)
        except ValueError:
            is_sound = False
        else:
            is_sound = bool(equals)
        if not is_sound:
            allowed = Message(Value("balanced"), ", or a factor for each class, as spam=2,ham=1")
            raise refusal("class_weight", text, allowed, verdict="is not known")
    return weights


# ---------------------------------------------------------------------- validation sets


def read_pair(validation_set: Any, names: str) -> tuple[Any, Any]:
    """Unpack a validation set into examples and targets; ``names`` describes both in an error."""
    try:
        examples, targets = validation_set
    except (TypeError, ValueError):
        raise ParameterError(f"validation_set must be a pair {names}.") from None
    return examples, targets


def validation_rows(
    learner: RowClassifier,
    table: Table,
    labels: Int32Array,
    slots: Mapping[Any, int],
    validation_set: tuple[Any, Any] | None,
) -> tuple[IntArray | None, Any, AnyArray | None]:
    """Return the indices of training rows (None: all), and the rows and labels for validation.

    The last two are None without validation.
    """
    if validation_set is not None:
        rows, row_labels = _read_validation_set(learner, slots, validation_set)
        return None, rows, row_labels
    if learner.early_stopping:
        seed = seed_from(learner.random_state)
        learned, held = hold_out(labels, learner.validation_fraction, seed)
        return learned, table[held], labels[held]
    return None, None, None


def _read_validation_set(
    learner: RowClassifier, slots: Mapping[Any, int], validation_set: tuple[Any, Any]
) -> tuple[Table, AnyArray]:
    """Return the rows of a validation set, and their labels as class indices."""
    X, y = read_pair(validation_set, "(X_dev, y_dev) of rows and labels")
    try:
        table = read_table(learner, X, reset=False, ignore_unseen=True)
        classes, codes = encode_labels(read_labels(y, table.shape[0]))
    except InputError as error:
        raise error.preceded("validation_set: ") from None
    inspect(as_rows(table), argument="validation_set")

    unknown = set(classes.tolist()) - set(slots)
    if unknown:
        raise InputError(
            f"validation_set holds the label {unknown.pop()!r}, which does not occur in y."
        )
    return table, np.array([slots[label] for label in classes.tolist()])[codes]
