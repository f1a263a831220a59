from typing import Any

from rosenblatt._kernels.array_types import AnyArray

FLOAT32_LIMIT: float
FLOAT64_LIMIT: float
FOLD_BITS: int
RATES: tuple[str | None, ...]

class WeightArrays:
    table: AnyArray
    stored_bias: AnyArray
    table_sum: Any
    bias_sum: Any
    rates: str | None
    table_rate: Any
    bias_rate: Any
    by_feature: bool
    fit_intercept: bool
    is_float32: bool
    n_vectors: int
    n_features: int
    t: int
    version: int
    average_from: int
    reach: float
    is_scaled: bool
    scale: float
    clock: float
    scaling: tuple[float, int, float, int, int, int, float, float, int]
    def bind(
        self,
        table: AnyArray,
        stored_bias: AnyArray,
        table_sum: AnyArray | None,
        bias_sum: AnyArray | None,
        *,
        rates: str | None = None,
        table_rate: AnyArray | None = None,
        bias_rate: AnyArray | None = None,
        by_feature: bool,
        n_features: int,
        fit_intercept: bool,
        is_scaled: bool = False,
    ) -> None: ...
    def measure_reach(self) -> None: ...
    def measure_length(self) -> None: ...
    def squared_distance(
        self, origin_table: AnyArray | None = None, origin_bias: AnyArray | None = None
    ) -> float: ...
