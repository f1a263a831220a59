import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows.rows import Rows
from rosenblatt._kernels.rows.rules import Rule
from rosenblatt._kernels.rows.weights import WeightArrays

class Log:
    row: npt.NDArray[np.int64]
    right: npt.NDArray[np.int32]
    wrong: npt.NDArray[np.int32]
    step: npt.NDArray[np.float64]
    t: npt.NDArray[np.int64]
    size: int
    def __init__(self, capacity: int) -> None: ...

class Tally:
    mistakes: int
    updates: int
    step_sum: float
    raised_sum: float
    refused: int
    mistakes_per_row: npt.NDArray[np.int32] | None
    dual: npt.NDArray[np.float64] | None
    def __init__(
        self,
        mistakes_per_row: npt.NDArray[np.int32] | None = None,
        dual: npt.NDArray[np.float64] | None = None,
    ) -> None: ...

class Watch:
    wrong: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64] | None
    latest: bool
    def __init__(
        self,
        wrong: npt.NDArray[np.int32],
        scores: npt.NDArray[np.float64] | None = None,
        *,
        latest: bool = False,
    ) -> None: ...

def learn(
    weights: WeightArrays,
    rule: Rule,
    rows: Rows,
    labels: npt.NDArray[np.int32],
    order: npt.NDArray[np.int64] | None,
    start: int,
    stop: int,
    row_weights: npt.NDArray[np.float64] | None,
    tally: Tally,
    log: Log | None,
    watch: Watch | None = None,
) -> int: ...
def replay(
    weights: WeightArrays,
    rows: Rows,
    row: npt.NDArray[np.int64],
    right: npt.NDArray[np.int32],
    wrong: npt.NDArray[np.int32],
    step: npt.NDArray[np.float64],
    t: npt.NDArray[np.int64],
    start: int,
    stop: int,
) -> None: ...
