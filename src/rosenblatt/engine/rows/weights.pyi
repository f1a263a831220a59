from collections.abc import Mapping

from rosenblatt.engine.array_types import AnyArray

FLOAT32_LIMIT: float
FLOAT64_LIMIT: float
FOLD_BITS: int
RATES: tuple[str | None, ...]

class WeightArrays:
    table: AnyArray
    stored_bias: AnyArray
    planes: dict[str, tuple[AnyArray, AnyArray]]
    rates: str | None
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
        planes: Mapping[str, tuple[AnyArray, AnyArray]],
        *,
        rates: str | None = None,
        by_feature: bool,
        n_features: int,
        fit_intercept: bool,
        is_scaled: bool = False,
    ) -> None: ...
    def refuse_busy(self) -> None: ...
    def measure_reach(self) -> None: ...
    def measure_length(self) -> None: ...
    def squared_distance(
        self, origin_table: AnyArray | None = None, origin_bias: AnyArray | None = None
    ) -> float: ...
