"""The parameters that every learner which goes on in epochs has, checked."""

from __future__ import annotations

from typing import Any

from rosenblatt import checks as check

__all__ = ["training"]


def training(estimator: Any) -> None:
    """What every learner that goes on in epochs has."""
    for name in ("shuffle", "early_stopping", "warm_start"):
        check.flag(name, getattr(estimator, name))
    check.whole("max_iter", estimator.max_iter, at_least=1)
    if estimator.tol is not None:
        check.number("tol", estimator.tol, at_least=0.0, cure="None never gives up.")
    check.choice("ties", estimator.ties, "mistake", "positive")
    check.fraction("validation_fraction", estimator.validation_fraction)
    check.whole("n_iter_no_change", estimator.n_iter_no_change, at_least=1)
    if not isinstance(estimator.verbose, bool):
        check.whole("verbose", estimator.verbose, at_least=0)
