from rosenblatt.engine.array_types import IntArray
from rosenblatt.engine.text.parsing import Parser

class ConllParser(Parser):
    def __init__(self, max_tokens: int) -> None: ...
    n_columns: int
    n_found: int
    expected_id: int
    def set_columns(
        self,
        n_columns: int,
        kept: IntArray,
        tabs: bool,
        numbered: bool,
        tagged: bool,
        blank: bool,
        plain: bool,
    ) -> None: ...
    def begin(self) -> None: ...
    def take(self) -> tuple[list[list[str]] | list[list[tuple[str, ...]]], list[list[str]]]: ...
