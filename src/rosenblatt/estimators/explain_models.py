"""What a whole linear model goes by, whatever the example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.estimators.base import of_whole_state

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyFloatArray
    from rosenblatt.estimators.linear.linear_learner import LinearLearner
    from rosenblatt.inspection.explanation import ModelExplanation


def explained_by_weights(learner: LinearLearner, coef: AnyFloatArray) -> ModelExplanation:
    """What a linear model goes by: each weight times the usual deviation of its feature."""
    import numpy as np

    from rosenblatt.estimators.explain_rows import average_row_of, feature_names_of
    from rosenblatt.inspection.explanation import Contribution, ModelExplanation

    average = average_row_of(learner, coef.shape[1])
    deviations = np.ones(coef.shape[1]) if average is None else average.deviations
    weights = np.asarray(coef, np.float64)
    weights = weights if average is None else average.centred(weights)
    classes = learner.classes_.tolist()
    two = len(classes) == 2
    if two and len(weights) == 2:
        weights = weights[1:] - weights[:1]
    elif not two:
        weights = weights - weights.mean(axis=0)
    of = np.abs(weights).argmax(axis=0)
    weights = weights[of, np.arange(weights.shape[1])]
    sizes = weights * deviations
    order = np.argsort(-np.abs(sizes), kind="stable")
    order = order[sizes[order] != 0]
    names = feature_names_of(learner, order.tolist())
    if not two:
        slots = learner._fitted().classes
        names = [f"{name} ({slots[k]})" for name, k in zip(names, of[order].tolist(), strict=True)]
    numbers = (one[order].tolist() for one in (deviations, weights, sizes))
    return ModelExplanation(
        prediction=None,
        score=0.0,
        label=classes[-1],
        against=classes[0] if two else None,
        contributions=[Contribution(*parts) for parts in zip(names, *numbers, strict=True)],
    )
