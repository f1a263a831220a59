from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows.rows import Rows

class NotANumber(Exception): ...

class MappingRow:
    columns: dict[Any, int]
    pending: list[Any]
    rows: Rows
    def __init__(self, columns: dict[Any, int]) -> None: ...
    def read(self, mapping: Mapping[Any, Any], limit: float, unseen_allowed: bool) -> None: ...
    def stored(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]: ...
    def commit(self) -> None: ...
