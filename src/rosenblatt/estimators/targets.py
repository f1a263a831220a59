"""The labels, weights and validation sets that callers hand to a learner, checked."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from typing import Any

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

# Labels are turned into numbers so many at a time.
BLOCK = 1 << 16


def read_labels(y: Any, n_rows: int) -> AnyArray | LabelCodes:
    """``y`` as a 1-D array of labels of one type, one for each row, or as numbers of these."""
    if y is None:
        raise InputError(
            "this learner requires y to be passed, but the target y is None. Pass one label for "
            "each row."
        )
    kinds = set(map(type, y)) if isinstance(y, list | tuple) else set()
    labels = y.classes if isinstance(y, LabelCodes) else _one_dimensional(y)
    if labels.dtype == object:
        missing = [row for row, label in enumerate(labels) if is_missing(label)]
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
    if (n_labels := len(y if isinstance(y, LabelCodes) else labels)) != n_rows:
        raise InputError(
            f"X has {n_rows} rows but y has {n_labels} labels (inconsistent numbers of "
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
    return y if isinstance(y, LabelCodes) else labels


def _one_dimensional(y: Any) -> AnyArray:
    """The labels as an array of one dimension; a single column is one, with a warning."""
    labels: AnyArray
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
    """The classes in order, and each label as the number of its class."""
    if isinstance(labels, LabelCodes):
        return labels.classes, labels.codes
    if labels.dtype.kind in "iu" and len(labels):
        low, high = int(labels.min()), int(labels.max())
        if high - low < 1 << 16 and high < 1 << 62:  # a table look-up instead of a sort
            counts, codes = np.zeros(high - low + 1, np.intp), np.empty(len(labels), np.int32)
            blocks = [slice(i, i + BLOCK) for i in range(0, len(labels), BLOCK)]
            for some in blocks:
                counts += np.bincount(labels[some].astype(np.intp) - low, minlength=len(counts))
            number = np.cumsum(counts > 0, dtype=np.int32) - np.int32(1)
            for some in blocks:
                codes[some] = number[labels[some].astype(np.intp) - low]
            return (np.flatnonzero(counts) + low).astype(labels.dtype), codes
    try:
        if labels.dtype.kind == "O":
            names = natural_order(set(labels.tolist()))
            slots = {name: k for k, name in enumerate(names)}
            classes = np.empty(len(names), object)
            classes[:] = names
            return classes, np.array([slots[label] for label in labels.tolist()], np.int32)
        classes, numbers_ = np.unique(labels, return_inverse=True)
    except (TypeError, ValueError):
        raise InputError(
            "y holds labels that have no order, such as sets or mixed types. Use labels of one "
            "type that has, for example [str(label) for label in y]."
        ) from None
    return classes, numbers_.astype(np.int32)


def read_weights(
    sample_weight: Any,
    class_weight: Any,
    classes: list[Any],
    labels: Labels,
    *,
    may_be_zero: bool = False,
    all_known: bool = True,
) -> FloatArray | None:
    """One factor for the step of each row, or None when all are 1."""
    weights: FloatArray | None = None
    if sample_weight is not None:
        weights = _row_factors(sample_weight, len(labels))
    if class_weight is not None:
        factors = class_factors(class_weight, classes, labels, all_known=all_known)[labels]
        weights = factors if weights is None else factors * weights
    if weights is not None and not (may_be_zero or weights.any()):
        raise InputError(
            "sample_weight and class_weight leave a weight of zero for every row, so nothing can "
            "be learned."
        )
    return weights


def streamed_weights(
    sample_weight: Any, class_weight: Any, names: list[Any], numbers: Labels
) -> FloatArray | None:
    """As `read_weights`, of rows after which others come; ``names`` are their classes."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        balanced = Setting("class_weight", "balanced")
        raise ParameterError(
            Message(balanced, " needs all labels at once, so it cannot learn on from more"),
            cures=["fit anew on all examples", "give each class a weight, which can learn on"],
        )
    given = sample_weight, class_weight, names, numbers
    return read_weights(*given, may_be_zero=True, all_known=False)


def _row_factors(sample_weight: Any, n_rows: int) -> FloatArray:
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
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise InputError(
            f"sample_weight holds {weights[bad[0]]:g} at row {bad[0]}: weights scale the step, so "
            "they cannot be NaN, infinite or negative. Use 0 to leave a row out."
        )
    return weights


def class_factors(
    class_weight: Any, classes: list[Any], labels: Labels, *, all_known: bool
) -> FloatArray:
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


def check_class_weight(name: str, value: Any) -> None:
    """A factor for each class by its label, or "balanced"."""
    if isinstance(value, Mapping):
        factors = value.values()
        sound = all(isinstance(f, numbers.Real) and 0 <= float(f) < math.inf for f in factors)
    else:
        sound = isinstance(value, str) and value == "balanced"
    if not sound:
        raise ParameterError(
            f"{name}={value!r} is not known: give 'balanced', None or a dict of class to weight, "
            "none of them negative."
        )


def class_weight_from_text(text: str) -> Any:
    """As the shell has them: balanced, none, or spam=2,ham=1; labels stay text."""
    if text in ("balanced", "none"):
        return None if text == "none" else text
    weights = {}
    for part in text.split(","):
        label, equals, factor = part.rpartition("=")
        try:
            weights[label] = float(factor)
        except ValueError:
            equals = ""
        if not equals:
            allowed = Message(Value("balanced"), ", or a factor for each class, as spam=2,ham=1")
            raise refusal("class_weight", text, allowed, verdict="is not known")
    return weights


# ---------------------------------------------------------------------- rows to be scored on


def read_pair(validation_set: Any, names: str) -> tuple[Any, Any]:
    """Examples and what is right for them; ``names`` says what the two are called."""
    try:
        examples, targets = validation_set
    except (TypeError, ValueError):
        raise ParameterError(f"validation_set must be a pair {names}.") from None
    return examples, targets


def validation_rows(
    learner: Any,
    table: Any,
    labels: Int32Array,
    slots: Mapping[Any, int],
    validation_set: tuple[Any, Any] | None,
) -> tuple[IntArray | None, Any, AnyArray | None]:
    """Numbers of the rows to learn from (None: all), then rows and labels to score, if any."""
    if validation_set is not None:
        X_dev, y_dev = read_pair(validation_set, "(X_dev, y_dev) of rows and labels")
        try:
            dev = read_table(learner, X_dev, reset=False, ignore_unseen=True)
            classes, numbers_ = encode_labels(read_labels(y_dev, dev.shape[0]))
        except InputError as error:
            raise error.preceded("validation_set: ") from None
        inspect(as_rows(dev), argument="validation_set")
        unknown = set(classes.tolist()) - set(slots)
        if unknown:
            raise InputError(
                f"validation_set holds the label {unknown.pop()!r}, which does not occur in y."
            )
        return None, dev, np.array([slots[label] for label in classes.tolist()])[numbers_]
    if learner.early_stopping:
        seed = seed_from(learner.random_state)
        subset, held_out = hold_out(labels, learner.validation_fraction, seed)
        return subset, table[held_out], labels[held_out]
    return None, None, None
