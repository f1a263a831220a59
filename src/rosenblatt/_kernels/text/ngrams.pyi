from typing import Any

import numpy as np
import numpy.typing as npt

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
        owners: npt.NDArray[np.int32] | None,
    ) -> None: ...
    names: Names
    def count(
        self, texts: list[Any], learning: bool
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32], npt.NDArray[np.int64]]: ...
