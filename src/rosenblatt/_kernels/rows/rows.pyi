from typing import Any

import numpy as np

from rosenblatt._kernels.array_types import AnyArray, FloatArray

class Rows:
    is_sparse: bool
    is_float32: bool
    largest_squared_norm: float
    n_rows: int
    n_features: int
    n_values: int
    dtype: np.dtype[Any]
    def inspect(self, limit: float) -> tuple[int, int, float] | None: ...
    def squared_norms(self) -> FloatArray: ...

def clones() -> list[str]: ...
def use_clone(name: str) -> None: ...
def dense(X: AnyArray) -> Rows: ...
def sparse(data: AnyArray, indices: AnyArray, indptr: AnyArray, n_features: int) -> Rows: ...
def score(
    rows: Rows, table: AnyArray, bias: AnyArray, start: int = 0, stop: int | None = None
) -> FloatArray: ...
