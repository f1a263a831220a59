from typing import Any

import numpy as np
import numpy.typing as npt

class TagWeights:
    n_tags: int
    width: int
    order: int
    t: int
    n_rows: int
    n_features: int
    capacity: int
    row_of: npt.NDArray[np.int32]
    rows: npt.NDArray[np.float32]
    row_sums: npt.NDArray[np.float64]
    steps: npt.NDArray[np.float32]
    step_sums: npt.NDArray[np.float64]
    pairs: npt.NDArray[np.float32]
    pair_sums: npt.NDArray[np.float64]
    def __init__(self, n_tags: int, order: int) -> None: ...
    def set(self, **arrays: npt.NDArray[Any]) -> None: ...
    def know(self, n_features: int) -> None: ...
    def reserve(self, n_rows: int) -> None: ...
    def take(self, old: TagWeights) -> None: ...
    def averaged(self) -> TagWeights: ...
    def copy(self) -> TagWeights: ...
