from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

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
    def parse(self, text: Any, at: int, end: int, last: bool) -> int: ...
    def take_rows(self) -> tuple[npt.NDArray[np.int32], list[bytes], npt.NDArray[np.int64]]: ...

class SparseParser(Parser):
    n_stored: int
    def take(self) -> tuple[npt.NDArray[Any], ...]: ...

class TextParser(Parser):
    def __init__(self, labelled: bool) -> None: ...
    def take(self) -> list[str]: ...
