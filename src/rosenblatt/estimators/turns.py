"""Learners that several threads share: one thread learns at a time, any number read.

`rosenblatt.engine.turns` keeps the turns. A method that learns takes its turn in a ``with
unchanged_on_error(self)`` block; a method or property that reads is decorated by `of_whole_state`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from rosenblatt.engine.turns import LearningTurn, read_whole

if TYPE_CHECKING:
    from rosenblatt.estimators.base import Estimator

Given = ParamSpec("Given")
Found = TypeVar("Found")


def unchanged_on_error(estimator: Estimator) -> LearningTurn:
    """Take the turn to learn, in a ``with`` statement; raise RuntimeError if another thread has it.

    An error restores the attributes that were set in the block. A block that changes the model in
    place has to announce it by `change_in_place` of the turn.
    """
    return LearningTurn(estimator, estimator._turns)


def of_whole_state(method: Callable[Given, Found]) -> Callable[Given, Found]:
    """Decorate a method that reads, so that it never sees a learner in the middle of learning.

    While another thread learns, the method is given the state before, or waits for the state after.
    """

    @wraps(method)
    def read(self: Any, *args: Any, **named: Any) -> Any:
        return read_whole(self, self._turns, method, args, named)

    return read  # type: ignore[return-value]
