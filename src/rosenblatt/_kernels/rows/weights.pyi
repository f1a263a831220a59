from typing import Any

import numpy.typing as npt

FLOAT32_LIMIT: float
FLOAT64_LIMIT: float

class WeightArrays:
    table: npt.NDArray[Any]
    bias: npt.NDArray[Any]
    table_sum: Any
    bias_sum: Any
    by_feature: bool
    fit_intercept: bool
    is_float32: bool
    n_vectors: int
    n_features: int
    t: int
    reach: float
    def bind(
        self,
        table: npt.NDArray[Any],
        bias: npt.NDArray[Any],
        table_sum: npt.NDArray[Any] | None,
        bias_sum: npt.NDArray[Any] | None,
        *,
        by_feature: bool,
        n_features: int,
        fit_intercept: bool,
    ) -> None: ...
    def measure_reach(self) -> None: ...
    def squared_distance(
        self,
        origin_table: npt.NDArray[Any] | None = None,
        origin_bias: npt.NDArray[Any] | None = None,
    ) -> float: ...
