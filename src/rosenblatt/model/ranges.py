"""Numbers and arrays of a model file that have to lie within limits or stand in order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rosenblatt import checks
from rosenblatt.checks import shown
from rosenblatt.errors import ModelFileError, ParameterError

__all__ = ["MOST_EXAMPLES", "in_order", "number", "whole"]

# What the counters of the loops can hold, with room to go on.
MOST_EXAMPLES = 1 << 62


def whole(name: str, value: Any, low: int, high: int) -> None:
    with _as_of_a_file(name, value):
        checks.whole(name, value, at_least=low, at_most=high)


def number(name: str, value: Any, **limits: Any) -> None:
    with _as_of_a_file(name, value):
        checks.number(name, value, **limits)


@contextmanager
def _as_of_a_file(name: str, value: Any) -> Iterator[None]:
    try:
        yield
    except ParameterError as error:
        raise ModelFileError(f"{name} is {shown(value)}, but must be {error.allowed}.") from None


def in_order(name: str, values: Any, *, strictly: bool = False) -> None:
    wrong = np.flatnonzero(values[1:] < values[:-1] + int(strictly))
    if len(wrong):
        at = int(wrong[0]) + 1
        raise ModelFileError(f"{name}[{at}] is {values[at]}, which is less than allowed there.")
