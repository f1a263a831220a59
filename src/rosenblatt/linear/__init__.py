"""What it takes to write a linear learner; those that are there come from `rosenblatt`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt import lazy

if TYPE_CHECKING:
    from rosenblatt._kernels.rows.rules import Rule as Rule
    from rosenblatt.learner.options import option as option
    from rosenblatt.linear.linear_learner import LinearLearner as LinearLearner

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    {
        ".linear_learner": "LinearLearner",
        "rosenblatt._kernels.rows.rules": "Rule",
        "rosenblatt.learner.options": "option",
    },
)
