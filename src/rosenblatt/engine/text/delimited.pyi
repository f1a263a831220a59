from typing import Any

from rosenblatt.engine.text.tabular import TabularParser

def record(
    text: Any, at: int, end: int, delimiter: int, quote: int = 34, trim: bool = True
) -> tuple[list[int], int] | None: ...

class DelimitedParser(TabularParser):
    lost_digits: dict[int, bytes]
    def __init__(
        self, delimiter: int, trim: bool, float32: bool, limit: float, missing: list[bytes]
    ) -> None: ...
    def set_dialect(
        self,
        delimiter: int,
        quote: int = 34,
        decimal: int = 46,
        thousands: bytes = b"",
        signs: bool = False,
        comment: int = 0,
    ) -> None: ...
    def skip_rows(self, text: Any, at: int, end: int, goal: int) -> int: ...
    def number(self, text: bytes) -> float | None: ...
    n_fields: int
    n_comments: int
    comment_line: int
    n_footers: int
    footer_line: int
