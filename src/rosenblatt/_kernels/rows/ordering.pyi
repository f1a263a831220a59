import numpy as np
import numpy.typing as npt

def shuffled(order: npt.NDArray[np.int64], state: int) -> int: ...
