"""What is handed to a picture, read: rows, labels, weights, runs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import FloatArray, IndexArray, SparseRows, is_sparse
from rosenblatt.errors import InputError
from rosenblatt.learner.inputs import rows_without_names
from rosenblatt.plot.style import named

# Weights that are the sum of their rows differ from it by rounding, and by no more than this.
ROUNDING = 1e-6


class LinearWeights(NamedTuple):
    """Weights that predict: one row of W for two classes, else one for each class."""

    W: FloatArray
    b: FloatArray
    classes: tuple[Any, ...]
    names: tuple[str, ...] | None


def rows(X: Any, n_features: int | None = None) -> Any:
    """X as a table of finite numbers: dense for one or two columns, else sparse if it is so."""
    sparse = is_sparse(X) and X.ndim == 2 and X.shape[1] > 2
    try:
        dense = X.toarray() if hasattr(X, "toarray") and not sparse else X
        table: Any = SparseRows.of(X) if sparse else np.asarray(dense, np.float64)
        table = table.astype(np.float64, copy=False)
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
    bad = ~np.isfinite(table @ np.ones(table.shape[1]) if sparse else table.sum(axis=1))
    if bad.any():
        raise InputError(f"row {int(bad.argmax())} of X holds a value that is not finite.")
    return table


def labels(y: Any, n_rows: int, classes: tuple[Any, ...] | None = None) -> IndexArray:
    """For each label its place among the classes."""
    try:
        listed = y.tolist() if hasattr(y, "tolist") else list(y)
        len(listed), set(listed)
    except TypeError:
        raise InputError(
            f"y is a {type(y).__name__} that holds no labels; give a list of one label a row."
        ) from None
    if len(listed) != n_rows:
        raise InputError(f"X has {n_rows} rows but y has {len(listed)} labels; give one a row.")
    known = {label: place for place, label in enumerate(classes or ())}
    unknown = [label for label in listed if label not in known]
    if unknown:
        raise InputError(
            f"y holds {unknown[0]!r}, which is no class of the model; it knows {classes}."
        )
    return np.array([known[label] for label in listed], np.intp)


def predicts_linearly(model: Any) -> bool:
    """Whether the predictions are those of ``coef_``, and not of votes or a kernel."""
    return hasattr(model, "coef_") and getattr(model, "combine", None) != "vote"


def linear(model: Any, y: Any = None) -> LinearWeights:
    """The weights of a fitted linear learner, a `Hyperplane`, or a result of `theory` with one.

    A hyperplane does not know its classes: they are -1 and 1, or the two labels of y in order.
    """
    if isinstance(model, type):
        raise InputError(f"{model.__name__} is a class; give a fitted one, not the class itself.")
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


def _two_labels(y: Any) -> tuple[Any, ...]:
    found = set() if y is None else set(y.tolist() if hasattr(y, "tolist") else y)
    if found <= {-1, 1}:
        return -1, 1
    if len(found) != 2:
        raise InputError(
            f"y holds {len(found)} classes, {sorted(map(str, found))}; a hyperplane has two sides."
        )
    return tuple(sorted(found))


def feature_names(model: Any) -> tuple[str, ...] | None:
    """The names of the columns, short enough for an axis; None if they have none."""
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else tuple(named(str(name)) for name in names)


def are_rows_of_training(model: Any, table: Any) -> bool:
    """Whether a fit can be shown to have been on these rows.

    A kernel machine keeps its support rows. The weights of a linear learner that started at 0 and
    kept its last ones are the sum of its own. Rows of which neither can be shown may be others.
    """
    counts = getattr(model, "mistakes_per_row_", None)
    support = getattr(model, "support_", None)
    if counts is None or support is None or len(counts) != table.shape[0]:
        return False
    if len(support) and int(np.max(support)) >= table.shape[0]:
        return False
    mine = table[support]
    if hasattr(model, "support_vectors_"):
        both = (model.support_vectors_, mine)
        return np.array_equal(*(rows.toarray() if is_sparse(rows) else rows for rows in both))
    weights = getattr(model, "raw_coef_", getattr(model, "coef_", None))
    if weights is None:
        return False
    away = np.abs(model.dual_coef_ @ mine - weights)
    return bool((away <= ROUNDING * (np.abs(model.dual_coef_) @ abs(mine))).all())


def misclassified(
    model: Any, X: Any, places: Any, classes: tuple[Any, ...], otherwise: Any = None
) -> IndexArray:
    """Rows of which another class is predicted, or lies at ``otherwise`` if model is no learner.

    The model itself is asked, since it knows what a row on the boundary counts as.
    """
    if hasattr(model, "predict"):
        with rows_without_names():
            found = model.predict(X)
        otherwise = labels(found, len(found), classes)
    return np.flatnonzero(otherwise != places)
