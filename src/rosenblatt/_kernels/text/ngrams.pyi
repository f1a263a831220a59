from typing import Any

from rosenblatt._kernels.array_types import FloatArray, Int32Array, IntArray
from rosenblatt._kernels.text.names import Names

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
        weigh: int,
        unit: bool,
        names: Names,
        owners: Int32Array | None,
    ) -> None: ...
    names: Names
    def count(
        self, texts: list[Any], learning: bool
    ) -> tuple[FloatArray, Int32Array, IntArray]: ...
