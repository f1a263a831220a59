import numpy as np
import numpy.typing as npt

ONE: int
EACH: int
AGAINST: int

class Updates:
    row: npt.NDArray[np.int64]
    right: npt.NDArray[np.int32]
    wrong: npt.NDArray[np.int32]
    size: int
    mistakes: int
    def __init__(self, capacity: int) -> None: ...
    def clear(self) -> None: ...

def mistaken(
    scores: npt.NDArray[np.float64], labels: npt.NDArray[np.int32], shape: int, tie_is_mistake: bool
) -> npt.NDArray[np.bool_]: ...
def seek(
    scores: npt.NDArray[np.float64],
    labels: npt.NDArray[np.int32],
    start: int,
    shape: int,
    tie_is_mistake: bool,
    step: npt.NDArray[np.float64],
) -> int: ...
def walk(
    scores: npt.NDArray[np.float64],
    labels: npt.NDArray[np.int32],
    start: int,
    kernel: npt.NDArray[np.float64],
    place: npt.NDArray[np.int32],
    shape: int,
    tie_is_mistake: bool,
    squared_norms: npt.NDArray[np.float64],
    magnitudes: npt.NDArray[np.float64],
    updates: Updates,
) -> int: ...
