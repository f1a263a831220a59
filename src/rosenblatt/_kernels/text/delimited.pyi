from typing import Any

from rosenblatt._kernels.text.tabular import TabularParser

def record(text: Any, at: int, end: int, delimiter: int) -> tuple[list[int], int] | None: ...

class DelimitedParser(TabularParser):
    def __init__(
        self, delimiter: int, trim: bool, float32: bool, limit: float, missing: list[bytes]
    ) -> None: ...
    n_fields: int
