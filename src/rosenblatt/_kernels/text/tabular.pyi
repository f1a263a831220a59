from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.text.parsing import Parser

IGNORED: int
NUMBER: int
TEXT: int
LABEL: int

class TabularParser(Parser):
    def __init__(self, float32: bool, limit: float, missing: list[bytes]) -> None: ...
    fault_column: int
    def set_columns(self, roles: npt.NDArray[np.int8], places: npt.NDArray[np.int32]) -> None: ...
    def take(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32], list[bytes]]: ...
