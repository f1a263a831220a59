from typing import Any

LARGEST_SQUARE: float

class RecordPlan:
    def __init__(self, columns: list[Any], described: list[dict[str, Any]]) -> None: ...

def plan_of(schema: Any, described: Any) -> RecordPlan | None: ...
