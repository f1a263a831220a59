from typing import Any

from rosenblatt._kernels.rows.learning import Log
from rosenblatt._kernels.rows.records import RecordPlan
from rosenblatt._kernels.rows.rules import Rule
from rosenblatt._kernels.rows.turns import Turns

class Engine:
    model: Any
    plan: RecordPlan | None
    def __init__(
        self,
        model: Any,
        rule: Rule | None,
        *,
        log: Log | None = None,
        columns: dict[Any, int] | None = None,
        plan: RecordPlan | None = None,
        takes_arrays: bool = False,
        last_wins: bool = False,
    ) -> None: ...
    def close(self) -> None: ...
    def learn_one(self, x: Any, y: Any, turns: Turns | None = None) -> bool: ...
    def learn_table(self, X: Any, y: Any, turns: Turns | None = None) -> bool: ...
    def predict_one(self, x: Any, turns: Turns | None = None) -> Any: ...
