"""Temporary."""

from typing import Any


def not_fitted_error() -> Any:
    from sklearn.exceptions import NotFittedError

    return NotFittedError


def convergence_warning() -> Any:
    from sklearn.exceptions import ConvergenceWarning

    return ConvergenceWarning
