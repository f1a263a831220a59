"""Weights that a fit begins with instead of zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.models.linear import LinearModel
from rosenblatt.models.rows import largest_allowed


def set_start(model: LinearModel, coef_init: Any, intercept_init: Any) -> None:
    """Let training begin with these weights and biases, in the order of ``classes_``."""
    if coef_init is None and intercept_init is None:
        return
    weights = model.weights
    coef = weights.matrix if coef_init is None else np.asarray(coef_init, np.float64)
    bias = weights.bias if intercept_init is None else np.asarray(intercept_init, np.float64)
    shapes = (weights.n_vectors, weights.n_features), (weights.n_vectors,)
    for name, values, shape in (
        ("coef_init", coef, shapes[0]),
        ("intercept_init", bias, shapes[1]),
    ):
        if values.size != np.prod(shape) or (values.ndim > 1 and values.shape != shape):
            raise ParameterError(
                f"{name} has shape {values.shape}, but these data need {shape}: one row for "
                "two classes, one for each class when there are more (or with "
                "binary_as_multiclass=True)."
            )
        limit = largest_allowed(weights.table.dtype)
        if not (np.abs(values) <= limit).all():
            raise ParameterError(
                f"{name} holds values that are not finite or beyond {limit:g}, where the sums "
                "of training would overflow."
            )
    if intercept_init is not None and not weights.fit_intercept and np.any(bias):
        raise ParameterError("intercept_init needs fit_intercept=True.")
    coef, bias = coef.reshape(shapes[0]), bias.reshape(shapes[1])
    if weights.n_vectors > 1:  # given in the order of classes_, kept in that of arrival
        place = np.argsort(model.sorted_slots)
        coef = coef[place] if coef_init is not None else coef
        bias = bias[place] if intercept_init is not None else bias
    weights.set(coef, bias)
    model.recorder = None  # no update leads from the weights before to these
