from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows.rules import Rule
from rosenblatt._kernels.rows.weights import WeightArrays

class Span:
    def __init__(self, arrays: Sequence[npt.NDArray[Any]], n_features: int) -> None: ...

def learn_span(
    weights: WeightArrays,
    rule: Rule,
    readouts: Any,
    span: Span,
    slots: npt.NDArray[np.int32],
    start: int,
    stop: int,
    place: int,
    sharpness: float,
    latest: bool,
    wrong: npt.NDArray[np.int32],
    scores: npt.NDArray[np.float64] | None,
) -> tuple[int, int]: ...
