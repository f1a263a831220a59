from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.text.names import Names
from rosenblatt._kernels.text.parsing import Parser

class VWParser(Parser):
    def __init__(
        self,
        float32: bool,
        labelled: bool,
        limit: float,
        max_features: int,
        bits: int,
        names: Names,
        closed: bool,
    ) -> None: ...
    @property
    def n_stored(self) -> int: ...
    @property
    def names(self) -> Names: ...
    def take(
        self,
    ) -> tuple[
        npt.NDArray[Any],
        npt.NDArray[np.int32],
        npt.NDArray[np.int64],
        npt.NDArray[np.float64],
    ]: ...
