from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.text.parsing import Parser

class SvmlightParser(Parser):
    def __init__(
        self, float32: bool, zero_based: bool, limit: float, max_features: int, n_features: int
    ) -> None: ...
    @property
    def n_stored(self) -> int: ...
    @property
    def widest(self) -> int: ...
    def take(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32], npt.NDArray[np.int64]]: ...
