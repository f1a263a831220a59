from typing import Any

import numpy as np
import numpy.typing as npt

def vote_binary(
    products: npt.NDArray[Any],
    support: npt.NDArray[np.int64],
    step: npt.NDArray[np.float64],
    survival: npt.NDArray[np.float64],
    tie_is_positive: bool,
    start: npt.NDArray[np.float64] | None = None,
) -> npt.NDArray[np.float64]: ...
def vote_classes(
    products: npt.NDArray[np.float64],
    support: npt.NDArray[np.int64],
    right: npt.NDArray[np.int32],
    wrong: npt.NDArray[np.int32],
    step: npt.NDArray[np.float64],
    survival: npt.NDArray[np.float64],
    start: npt.NDArray[np.float64],
    bias_step: float,
) -> npt.NDArray[np.float64]: ...
