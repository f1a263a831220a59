from typing import Any

from rosenblatt.engine.array_types import FloatArray, Int32Array, IntArray
from rosenblatt.engine.text.names import Names

COUNT: int
LOG: int
ONCE: int

class NGrams:
    def __init__(
        self,
        bits: int,
        words: tuple[int, int],
        chars: tuple[int, int],
        shortest: int,
        symbols: bool,
        lower: bool,
        how: int,
        names: Names,
        owners: Int32Array | None,
    ) -> None: ...
    names: Names
    def count(
        self, texts: list[Any], learning: bool, start: int, stop: int
    ) -> tuple[FloatArray, Int32Array, IntArray]: ...

def count_columns(columns: Int32Array, counts: IntArray) -> None: ...
def log_of(counts: IntArray) -> FloatArray: ...
def scale(
    values: FloatArray,
    columns: Int32Array,
    starts: IntArray,
    base: float,
    logs: FloatArray | None,
    unit: bool,
) -> int: ...
