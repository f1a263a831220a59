"""Explanation of a whole linear model: its features, ranked by influence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyFloatArray
    from rosenblatt.estimators.linear.linear_learner import LinearLearner
    from rosenblatt.inspection.explanation import ModelExplanation


def explained_by_weights(learner: LinearLearner, coef: AnyFloatArray) -> ModelExplanation:
    """Rank the features of a linear model by weight times standard deviation of the feature."""
    from rosenblatt.estimators.explain_rows import average_row_of, feature_names_of
    from rosenblatt.inspection.explanation import Contribution, ModelExplanation

    weights = np.asarray(coef, np.float64)
    deviations = np.ones(weights.shape[1])
    average = average_row_of(learner, weights.shape[1])
    if average is not None:
        deviations = average.deviations
        weights = average.centred(weights)

    # Only differences between classes count: of two classes that of the second to the first, of
    # more the largest difference to the mean of all classes.
    classes = learner.classes_.tolist()
    is_binary = len(classes) == 2
    if is_binary and len(weights) == 2:
        weights = weights[1:] - weights[:1]
    elif not is_binary:
        weights = weights - weights.mean(axis=0)
    vector = np.abs(weights).argmax(axis=0)
    weights = weights[vector, np.arange(weights.shape[1])]

    sizes = weights * deviations
    order = np.argsort(-np.abs(sizes), kind="stable")
    order = order[sizes[order] != 0]
    names = feature_names_of(learner, order.tolist())
    if not is_binary:
        labels = learner._fitted().classes
        named = zip(names, vector[order].tolist(), strict=True)
        names = [f"{name} ({labels[k]})" for name, k in named]

    contributions = []
    for name, j in zip(names, order.tolist(), strict=True):
        deviation, weight, size = float(deviations[j]), float(weights[j]), float(sizes[j])
        contributions.append(Contribution(name, deviation, weight, size))
    return ModelExplanation(
        prediction=None,
        score=0.0,
        label=classes[-1],
        against=classes[0] if is_binary else None,
        contributions=contributions,
    )
