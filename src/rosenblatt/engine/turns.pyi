from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

BUSY: str

class Turns:
    n_changes: int
    is_taken: bool

class LearningTurn:
    def __init__(self, learner: Any, turns: Turns) -> None: ...
    def __enter__(self) -> Self: ...
    def change_in_place(self) -> None: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

def read_whole(
    learner: Any,
    turns: Turns,
    method: Callable[..., Any],
    args: tuple[Any, ...],
    named: dict[str, Any],
) -> Any: ...
