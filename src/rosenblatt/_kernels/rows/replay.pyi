import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows.rows import Rows
from rosenblatt._kernels.rows.weights import WeightArrays

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
