from collections.abc import Callable
from typing import Any

from rosenblatt.engine.array_types import AnyArray, Int32Array, IntArray

class Parser:
    line: int
    max_row: int
    admits: Callable[[bytes], Any] | None
    reason: Any
    n_rows: int
    fault: str | None
    fault_at: int
    fault_end: int
    fault_line: int
    row_at: int
    row_end: int
    def expect(self, times: float) -> None: ...
    def parse(self, text: Any, at: int, end: int, last: bool) -> int: ...
    def take_rows(self) -> tuple[Int32Array, list[bytes], IntArray]: ...

class SparseParser(Parser):
    n_stored: int
    def join(self, other: SparseParser) -> bool: ...
    def take(self) -> tuple[AnyArray, ...]: ...

class TextParser(Parser):
    def __init__(self, labelled: bool) -> None: ...
    def take(self) -> list[str]: ...
