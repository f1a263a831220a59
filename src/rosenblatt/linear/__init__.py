"""The linear learners, one a file, and what it takes to write another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt import lazy
from rosenblatt.learner.catalogue import CATALOGUE

if TYPE_CHECKING:
    from rosenblatt._kernels.rows.rules import Rule as Rule
    from rosenblatt.learner.catalogue import *
    from rosenblatt.learner.options import option as option
    from rosenblatt.linear.linear_learner import LinearLearner as LinearLearner

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    {
        "LinearLearner": "rosenblatt.linear.linear_learner",
        "Rule": "rosenblatt._kernels.rows.rules",
        "option": "rosenblatt.learner.options",
        **{entry.class_name: entry.module for entry in CATALOGUE if entry.family == "linear"},
    },
)
