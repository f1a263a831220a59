from typing import Any

import numpy as np
import numpy.typing as npt

class Rows:
    is_sparse: bool
    is_float32: bool
    largest_squared_norm: float
    n_rows: int
    n_features: int
    dtype: np.dtype[Any]
    def inspect(self, limit: float) -> tuple[int, int, float] | None: ...
    def squared_norms(self) -> npt.NDArray[np.float64]: ...

def dense(X: npt.NDArray[Any]) -> Rows: ...
def sparse(
    data: npt.NDArray[Any], indices: npt.NDArray[Any], indptr: npt.NDArray[Any], n_features: int
) -> Rows: ...
def score(
    rows: Rows, table: npt.NDArray[Any], bias: npt.NDArray[Any]
) -> npt.NDArray[np.float64]: ...
