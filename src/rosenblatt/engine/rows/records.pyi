from typing import Any

LARGEST_SQUARE: float
MOST_COLUMNS: int

class RecordPlan:
    has_moved: bool
    def __init__(self, columns: list[tuple[str, tuple[Any, ...]]]) -> None: ...
    def running(self) -> list[tuple[float, float, list[float]] | None]: ...
