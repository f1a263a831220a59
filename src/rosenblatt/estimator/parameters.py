"""Checks of constructor arguments: the name, the value found, what is allowed, the cure."""

from __future__ import annotations

import math
import numbers
from typing import Any

from rosenblatt.errors import ParameterError

__all__ = ["choice", "flag", "fraction", "number", "training", "whole"]


def choice(name: str, value: Any, *allowed: str) -> None:
    if not isinstance(value, str) or value not in allowed:
        words = " or ".join(repr(word) for word in allowed)
        raise ParameterError(f"{name}={value!r} is not known: give {words}.")


def number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
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
    )
    if not fits:
        limits = f" {' and '.join(bounds)}" if bounds else ""
        raise ParameterError(
            f"{name}={value!r} is not allowed: give a finite number{limits}. {cure}".rstrip()
        )


def whole(name: str, value: Any, *, at_least: int) -> None:
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < at_least:
        raise ParameterError(
            f"{name}={value!r} is not allowed: give a whole number of at least {at_least}."
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
