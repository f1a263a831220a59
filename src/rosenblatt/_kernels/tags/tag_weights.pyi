from typing import Any

import numpy as np
import numpy.typing as npt

class Encoded:
    starts: npt.NDArray[np.int64]
    feature_starts: npt.NDArray[np.int64]
    features: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32] | None
    words: npt.NDArray[np.int32] | None
    def __init__(
        self,
        starts: npt.NDArray[np.int64],
        feature_starts: npt.NDArray[np.int64],
        features: npt.NDArray[np.int32],
        values: npt.NDArray[np.float32] | None = None,
        words: npt.NDArray[np.int32] | None = None,
    ) -> None: ...
    def __len__(self) -> int: ...

class TagWeights:
    n_tags: int
    width: int
    order: int
    t: int
    n_rows: int
    n_features: int
    row_of: npt.NDArray[np.int32]
    rows: npt.NDArray[np.float32]
    row_sums: npt.NDArray[np.float64]
    steps: npt.NDArray[np.float32]
    step_sums: npt.NDArray[np.float64]
    pairs: npt.NDArray[np.float32]
    pair_sums: npt.NDArray[np.float64]
    def __init__(self, n_tags: int, order: int) -> None: ...
    def arrays(self) -> dict[str, npt.NDArray[Any]]: ...
    def set(self, **arrays: npt.NDArray[Any]) -> None: ...
    def know(self, n_features: int) -> None: ...
    def reserve(self, n_rows: int) -> None: ...
    def take(self, old: TagWeights) -> None: ...
    def averaged(self) -> TagWeights: ...
    def copy(self) -> TagWeights: ...
