from typing import Any

from rosenblatt._kernels.rows.rules import Rule
from rosenblatt._kernels.rows.turns import Turns

class PlainStream:
    model: Any
    settings: Any
    row: Any
    rule: Rule
    names: tuple[str, ...]
    def __init__(self, model: Any, rule: Rule, settings: Any, names: tuple[str, ...]) -> None: ...
    def learn_plain(
        self, learner: dict[str, Any], x: Any, y: Any, turns: Turns | None = None
    ) -> bool: ...

def predict_plain(learner: dict[str, Any], x: Any, turns: Turns | None = None) -> Any: ...
