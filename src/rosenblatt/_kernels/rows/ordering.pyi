import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.array_types import IntArray

def shuffled(order: IntArray, state: int) -> int: ...
def fingerprint(values: npt.NDArray[np.floating], a: int = 0, b: int = 0) -> tuple[int, int]: ...
