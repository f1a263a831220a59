"""The mean of weights over all examples, from the last weights and a running sum.

    after example t:  w_t = w_(t-1) + step
    mean:             (w_1 + … + w_n) / n = w_n - running_sum / n,   running_sum = Σ (t - 1) · step

A step at example t was missing from the t - 1 weights before it, so that only the weights that move
have to be touched. The compiled loops have the same formula in ``engine/mean.h``.
"""

from __future__ import annotations

from typing import TypeVar, overload

from rosenblatt.arrays import AnyFloatArray, FloatArray, IntArray

Numbers = TypeVar("Numbers", float, FloatArray)


def mean_of(last: Numbers, running_sum: Numbers, n: int) -> Numbers:
    """Return the mean of the weights over n examples; if n is 0, return the last weights."""
    return last - running_sum / max(n, 1)


@overload
def added_to_sum(step: float, t: int) -> float: ...
@overload
def added_to_sum(step: FloatArray, t: int | IntArray) -> FloatArray: ...
def added_to_sum(step: float | AnyFloatArray, t: int | IntArray) -> float | AnyFloatArray:
    """Return the increment of the running sum for a step at example t, (t - 1) · step."""
    return (t - 1) * step
