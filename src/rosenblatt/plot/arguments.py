"""Checks and conversions of the arguments of pictures: rows, labels, weights."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt.arrays import FloatArray, IndexArray, SparseRows, is_sparse
from rosenblatt.errors import InputError
from rosenblatt.estimators.inputs import rows_without_names
from rosenblatt.plot.style import named

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyArray, AnyFloatArray, Table

# Relative tolerance between weights and the weighted sum of rows that they should equal.
ROUNDING = 1e-6


class LinearWeights(NamedTuple):
    """Weights of a linear model: one row of W for two classes, otherwise one per class."""

    W: FloatArray
    b: FloatArray
    classes: tuple[Hashable, ...]
    names: tuple[str, ...] | None


def rows(X: Any, n_features: int | None = None) -> Any:
    """Validate X and return it as a table of floats.

    The table is sparse if X is sparse and has more than two columns.
    """
    stays_sparse = is_sparse(X) and X.ndim == 2 and X.shape[1] > 2
    table: Any
    try:
        if stays_sparse:
            table = SparseRows.of(X).astype(np.float64, copy=False)
        elif hasattr(X, "toarray"):
            table = np.asarray(X.toarray(), np.float64)
        else:
            table = np.asarray(X, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"X must be a table of numbers ({error}).") from None
    if table.ndim != 2:
        raise InputError(f"X has {table.ndim} dimensions; a table of rows has 2.")
    if not table.shape[0]:
        raise InputError("X has no rows; give at least one, or leave X out.")
    if n_features is not None and table.shape[1] != n_features:
        raise InputError(
            f"X has {table.shape[1]} columns, but the model was learned from {n_features}."
        )

    # A row with an infinite or missing value has no finite sum.
    sums = table @ np.ones(table.shape[1]) if stays_sparse else table.sum(axis=1)
    is_bad = ~np.isfinite(sums)
    if is_bad.any():
        raise InputError(f"row {int(is_bad.argmax())} of X holds a value that is not finite.")
    return table


def labels(y: Any, n_rows: int, classes: tuple[Hashable, ...] | None = None) -> IndexArray:
    """Return the index of each label among the classes."""
    try:
        listed = y.tolist() if hasattr(y, "tolist") else list(y)
        # Raise here if y is a single value, or if its items cannot be labels.
        len(listed)
        set(listed)
    except TypeError:
        raise InputError(
            f"y is a {type(y).__name__} that holds no labels; give a list of one label a row."
        ) from None
    if len(listed) != n_rows:
        raise InputError(f"X has {n_rows} rows but y has {len(listed)} labels; give one a row.")
    index_of = {label: index for index, label in enumerate(classes or ())}
    unknown = [label for label in listed if label not in index_of]
    if unknown:
        raise InputError(
            f"y holds {unknown[0]!r}, which is no class of the model; it knows {classes}."
        )
    return np.array([index_of[label] for label in listed], np.intp)


def predicts_linearly(model: object) -> bool:
    """Return whether a model predicts with ``coef_``, and not with votes or a kernel."""
    return hasattr(model, "coef_") and getattr(model, "combine", None) != "vote"


def linear(model: Any, y: Any = None) -> LinearWeights:
    """Return the weights of a fitted linear learner, a `Hyperplane`, or a result of `theory`.

    The classes of a `Hyperplane` are the two labels of y in order, or -1 and 1 if y is None.
    """
    if isinstance(model, type):
        raise InputError(f"{model.__name__} is a class; give a fitted one, not the class itself.")

    # A hyperplane, or a result of `theory` that holds one.
    plane = getattr(model, "hyperplane", model)
    if plane is None and model is not None:
        raise InputError("there is no hyperplane to draw: the rows cannot be separated.")
    if hasattr(plane, "w") and hasattr(plane, "b"):
        classes = tuple(getattr(model, "classes", None) or _two_labels(y))
        return LinearWeights(np.array(plane.w)[None, :], np.array([plane.b]), classes, None)

    if not predicts_linearly(model):
        if hasattr(model, "decision_function") and hasattr(model, "classes_"):
            raise InputError(
                f"this {type(model).__name__} does not predict by one line; "
                "plot.kernel_boundary draws where its predictions change."
            )
        raise InputError(
            f"a {type(model).__name__} has no weights to draw; give a fitted linear learner, a "
            "Hyperplane, or a result of theory that has one."
        )
    return LinearWeights(
        np.asarray(model.coef_, np.float64),
        np.asarray(model.intercept_, np.float64).ravel(),
        tuple(np.asarray(model.classes_).tolist()),
        feature_names(model),
    )


def _two_labels(y: Any) -> tuple[Hashable, ...]:
    """Return the two labels of y in order; -1 and 1 if y is None."""
    found: set[Any] = set()
    if y is not None:
        found = set(y.tolist() if hasattr(y, "tolist") else y)
    if found <= {-1, 1}:
        return -1, 1
    if len(found) != 2:
        raise InputError(
            f"y holds {len(found)} classes, {sorted(map(str, found))}; a hyperplane has two sides."
        )
    return tuple(sorted(found))


def feature_names(model: object) -> tuple[str, ...] | None:
    """Return the feature names of a model, shortened to fit an axis; None if it has none."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return None
    return tuple(named(str(name)) for name in names)


def are_rows_of_training(model: Any, table: Any) -> bool:
    """Return whether the rows of a table are provably the training rows of a model.

    A kernel machine stores its support rows, which are compared. The weights of a linear learner
    that started at 0 and serves its last weights are the weighted sum of its support rows. In all
    other cases the answer is False.
    """
    counts = getattr(model, "mistakes_per_row_", None)
    support = getattr(model, "support_", None)
    if counts is None or support is None or len(counts) != table.shape[0]:
        return False
    if len(support) and int(np.max(support)) >= table.shape[0]:
        return False

    support_rows = table[support]
    if hasattr(model, "support_vectors_"):
        return np.array_equal(_dense(model.support_vectors_), _dense(support_rows))

    weights = getattr(model, "raw_coef_", getattr(model, "coef_", None))
    if weights is None:
        return False
    difference = np.abs(model.dual_coef_ @ support_rows - weights)
    tolerance = ROUNDING * (np.abs(model.dual_coef_) @ abs(support_rows))
    return bool((difference <= tolerance).all())


def _dense(table: Table) -> AnyFloatArray:
    return table.toarray() if is_sparse(table) else table


def misclassified(
    model: Any,
    X: Any,
    places: IndexArray,
    classes: tuple[Hashable, ...],
    otherwise: AnyArray | None = None,
) -> IndexArray:
    """Return the indices of the misclassified rows.

    ``places`` holds the class index of each row. A learner predicts by itself, because it decides
    how ties on the boundary are counted. For a model without ``predict``, ``otherwise`` holds the
    predicted classes.
    """
    if hasattr(model, "predict"):
        with rows_without_names():
            found = model.predict(X)
        otherwise = labels(found, len(found), classes)
    return np.flatnonzero(otherwise != places)
