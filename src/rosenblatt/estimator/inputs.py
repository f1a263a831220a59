"""What callers hand to an estimator, checked and in the form the core reads."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import column_or_1d, validate_data

from rosenblatt.arrays import SparseRows, is_sparse
from rosenblatt.core.tables import Rows, as_rows, inspect
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.io.sparse import Block

__all__ = [
    "encoded",
    "read_labels",
    "read_rows",
    "read_table",
    "read_weights",
]

Labels = npt.NDArray[np.int32]


def read_table(estimator: Any, X: Any, *, reset: bool) -> Any:
    """``X`` as a C-contiguous array or a CSR matrix, float32 or float64."""
    if isinstance(X, SparseRows):
        X = X.tocsr()
    elif isinstance(X, Block):
        raise InputError(
            f"X is a {type(X).__name__}, which holds labels too: give the X of `X, y = block`, or "
            "the rows that a schema encodes (rosenblatt.features.Schema)."
        )
    try:
        table = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            ensure_all_finite=False,
        )
    except ValueError as error:
        raise _better_conversion_error(X, error) from None
    return table


def _better_conversion_error(X: Any, error: ValueError) -> InputError:
    """The same words as ours, or others that name the column when it was text in a table."""
    if "could not convert" not in str(error) or is_sparse(X):
        return InputError(str(error))
    values = np.asarray(X, dtype=object)
    for row, column in np.ndindex(*values.shape) if values.ndim == 2 else ():
        value = values[row, column]
        try:
            float(value)
        except (TypeError, ValueError):
            names = list(getattr(X, "columns", []))
            name = f" ({names[column]!r})" if names else ""
            return InputError(
                f"X holds {value!r} at row {row}, column {column}{name}, which is not a number "
                f"(could not convert string to float). Turn text columns into numbers first, for "
                "example with sklearn.preprocessing.OneHotEncoder."
            )
    return InputError(str(error))


def read_rows(estimator: Any, X: Any, *, reset: bool) -> tuple[Any, Rows]:
    """``X`` checked for shape, type and finite values, and as rows for the loops."""
    table = read_table(estimator, X, reset=reset)
    rows = as_rows(table)
    # A mapping model that is fitted anew still answers with the names of its old features.
    names = "_feature_names" if reset else "feature_names_in_"
    inspect(rows, names=getattr(estimator, names, None))
    return table, rows


def read_labels(y: Any, n_rows: int) -> npt.NDArray[Any]:
    """``y`` as a 1-D array of labels of one type, one for each row."""
    if y is None:
        raise InputError(
            "this learner requires y to be passed, but the target y is None. Pass one label for "
            "each row."
        )
    kinds = set(map(type, y)) if isinstance(y, list | tuple) else set()
    labels: npt.NDArray[Any] = column_or_1d(_as_label_array(y), warn=True)
    if labels.dtype == object:
        missing = [row for row, label in enumerate(labels) if _is_missing(label)]
        if missing:
            raise InputError(
                f"y has no label at row {missing[0]} ({labels[missing[0]]!r}; Input y contains "
                "NaN). Drop the row or give it a label."
            )
        kinds = set(map(type, labels))
    if len(kinds) > 1 and not all(issubclass(kind, numbers.Number | np.bool_) for kind in kinds):
        names = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise InputError(
            f"y holds labels of mixed types ({names}). Use labels of one type, for example "
            "[str(label) for label in y]."
        )
    if len(labels) != n_rows:
        raise InputError(
            f"X has {n_rows} rows but y has {len(labels)} labels (inconsistent numbers of "
            "samples). Pass one label for each row."
        )
    if labels.dtype.kind == "f":
        bad = np.flatnonzero(~np.isfinite(labels) | (labels != np.floor(labels)))
        if len(bad):
            value = labels[bad[0]]
            if not np.isfinite(value):
                raise InputError(
                    f"y holds {value} at row {bad[0]} (Input y contains NaN or infinity). "
                    "Drop the row or give it a label."
                )
            raise InputError(
                f"Unknown label type: continuous. y holds {value} at row {bad[0]}; a classifier "
                "needs classes. Cut the numbers into classes first, or use a regressor."
            )
    elif labels.dtype.kind not in "biuOUST":
        raise InputError(
            f"Unknown label type: {labels.dtype}. Labels may be whole numbers, text or booleans."
        )
    return labels


def _is_missing(label: Any) -> bool:
    """None, and whatever is not equal to itself: NaN, NaT, NA."""
    try:
        return label is None or bool(label != label)
    except (TypeError, ValueError):
        return True


def _as_label_array(y: Any) -> npt.NDArray[Any]:
    if isinstance(y, list) and any(isinstance(label, tuple) for label in y):
        labels = np.empty(len(y), dtype=object)
        labels[:] = y
        return labels
    return np.asarray(y)


def encoded(labels: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Labels]:
    """The classes in order, and each label as the number of its class."""
    if labels.dtype.kind in "iu" and len(labels):
        low, high = int(labels.min()), int(labels.max())
        if high - low < 1 << 16 and high < 1 << 62:  # a table look-up instead of a sort
            offset = labels.astype(np.intp) - low
            present = np.bincount(offset, minlength=high - low + 1) > 0
            number = np.cumsum(present, dtype=np.int32) - np.int32(1)
            classes = (np.flatnonzero(present) + low).astype(labels.dtype)
            return classes, number[offset]
    try:
        classes, numbers_ = np.unique(labels, return_inverse=True)
    except TypeError:
        raise InputError(
            "y holds labels of mixed types that cannot be ordered. Use labels of one type, for "
            "example [str(label) for label in y]."
        ) from None
    return classes, numbers_.astype(np.int32)


def read_weights(
    sample_weight: Any,
    class_weight: Any,
    classes: list[Any],
    labels: Labels,
    *,
    may_be_zero: bool = False,
) -> npt.NDArray[np.float64] | None:
    """One factor for the step of each row, or None when all are 1."""
    weights: npt.NDArray[np.float64] | None = None
    if sample_weight is not None:
        weights = _row_factors(sample_weight, len(labels))
    if class_weight is not None:
        factors = class_factors(class_weight, classes, labels, all_known=not may_be_zero)[labels]
        weights = factors if weights is None else factors * weights
    if weights is not None and not (may_be_zero or weights.any()):
        raise InputError(
            "sample_weight and class_weight leave a weight of zero for every row, so nothing can "
            "be learned."
        )
    return weights


def _row_factors(sample_weight: Any, n_rows: int) -> npt.NDArray[np.float64]:
    try:
        weights = np.array(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("sample_weight must hold one number for each row.") from None
    if weights.ndim == 0:
        weights = np.full(n_rows, weights)
    if weights.shape != (n_rows,):
        raise InputError(
            f"sample_weight has shape {weights.shape}, but there are {n_rows} rows. Pass one "
            "number for each row (sample_weight.shape == (n_samples,))."
        )
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise InputError(
            f"sample_weight holds {weights[bad[0]]:g} at row {bad[0]}: weights scale the step, so "
            "they cannot be NaN, infinite or negative. Use 0 to leave a row out."
        )
    return weights


def class_factors(
    class_weight: Any, classes: list[Any], labels: Labels, *, all_known: bool
) -> npt.NDArray[np.float64]:
    """The factor for the steps of each class; a stream may not know all of them yet."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        counts = np.bincount(labels, minlength=len(classes))
        present = np.count_nonzero(counts)
        return np.asarray(len(labels) / (present * np.maximum(counts, 1)), np.float64)
    if not isinstance(class_weight, Mapping):
        raise ParameterError(
            f"class_weight={class_weight!r} is not known: give 'balanced', None or a dict of "
            "class to weight."
        )
    strangers = [label for label in class_weight if label not in classes]
    if all_known and strangers:
        raise ParameterError(
            f"class_weight names {strangers[0]!r}, which is not among the classes "
            f"{', '.join(map(repr, classes[:10]))}."
        )
    factors = np.array([class_weight.get(label, 1.0) for label in classes], np.float64)
    if not (np.isfinite(factors) & (factors >= 0)).all():
        raise ParameterError(
            f"class_weight={class_weight!r}: weights must be finite and cannot be negative."
        )
    return factors
