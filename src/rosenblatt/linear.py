"""Classes for writing a new linear learner; the existing learners are in `rosenblatt`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt import lazy

if TYPE_CHECKING:
    from rosenblatt.engine.rows.rules import Rule as Rule
    from rosenblatt.estimators.linear.linear_learner import LinearLearner as LinearLearner
    from rosenblatt.estimators.params import option as option

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    {
        "rosenblatt.estimators.linear.linear_learner": "LinearLearner",
        "rosenblatt.engine.rows.rules": "Rule",
        "rosenblatt.estimators.params": "option",
    },
)
