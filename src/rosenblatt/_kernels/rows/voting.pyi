import numpy as np
import numpy.typing as npt

def vote_binary(
    products: npt.NDArray[np.float64],
    support: npt.NDArray[np.int64],
    signed_step: npt.NDArray[np.float64],
    survival: npt.NDArray[np.float64],
    start: npt.NDArray[np.float64],
    bias_step: float,
    tie_is_positive: bool,
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
