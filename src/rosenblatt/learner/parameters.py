"""Checks of constructor arguments: the name, the value found, what is allowed, the cure."""

from __future__ import annotations

import math
import numbers
from typing import Any

from rosenblatt.errors import ParameterError

__all__ = ["choice", "flag", "fraction", "number", "training", "whole"]


def choice(name: str, value: Any, *allowed: Any, cure: str = "") -> None:
    if not any(type(value) is type(word) and value == word for word in allowed):
        words = " or ".join(repr(word) for word in allowed)
        raise ParameterError(f"{name}={value!r} is not known: give {words}. {cure}".rstrip())


def number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    below: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    cure: str = "",
) -> None:
    bounds = [
        text
        for text, bound in (
            (f"above {above}", above),
            (f"at least {at_least}", at_least),
            (f"at most {at_most}", at_most),
            (f"below {below}", below),
        )
        if bound is not None
    ]
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    size = float(value) if is_number else math.nan
    fits = (
        math.isfinite(size)
        and (above is None or size > above)
        and (at_least is None or size >= at_least)
        and (at_most is None or size <= at_most)
        and (below is None or size < below)
    )
    if not fits:
        limits = f" {' and '.join(bounds)}" if bounds else ""
        raise ParameterError(
            f"{name}={value!r} is not allowed: give a finite number{limits}. {cure}".rstrip()
        )


def whole(
    name: str, value: Any, *, at_least: int, at_most: int | None = None, cure: str = ""
) -> None:
    fits = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not fits or value < at_least or (at_most is not None and value > at_most):
        most = "" if at_most is None else f" and at most {at_most:,}"
        raise ParameterError(
            f"{name}={value!r} is not allowed: give a whole number of at least {at_least}{most}. "
            f"{cure}".rstrip()
        )


def fraction(name: str, value: Any) -> None:
    number(name, value, above=0.0)
    if value >= 1.0:
        raise ParameterError(
            f"{name}={value!r} is not allowed: give a fraction above 0 and below 1, such as 0.1."
        )


def flag(name: str, value: Any) -> None:
    if value not in (True, False):
        raise ParameterError(f"{name}={value!r} is not allowed: give True or False.")


def training(estimator: Any) -> None:
    """What every learner that goes on in epochs has."""
    for name in ("shuffle", "early_stopping", "warm_start"):
        flag(name, getattr(estimator, name))
    whole("max_iter", estimator.max_iter, at_least=1)
    if estimator.tol is not None:
        number("tol", estimator.tol, at_least=0.0, cure="None never gives up.")
    choice("ties", estimator.ties, "mistake", "positive")
    fraction("validation_fraction", estimator.validation_fraction)
    whole("n_iter_no_change", estimator.n_iter_no_change, at_least=1)
    if not isinstance(estimator.verbose, bool):
        whole("verbose", estimator.verbose, at_least=0)
