from collections.abc import Sequence

from rosenblatt._kernels.array_types import FloatArray
from rosenblatt._kernels.rows.rules import Rule
from rosenblatt._kernels.rows.weights import WeightArrays

class ReadoutArrays:
    scales: FloatArray
    errors: FloatArray
    rates: FloatArray
    rule: Rule
    t: int
    def bind(
        self,
        lags: Sequence[WeightArrays],
        gentle: WeightArrays | None,
        rule: Rule,
        scales: FloatArray,
        errors: FloatArray,
        rates: FloatArray,
    ) -> None: ...
    def set_up(self, *, fading: float, sharpness: float, smallest_scale: float) -> None: ...
    def serve(self, place: int | None) -> None: ...
