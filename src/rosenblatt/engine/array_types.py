"""Types of the arrays that loops take and give."""

from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Float32Array = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]
Int32Array = npt.NDArray[np.int32]
AnyArray = npt.NDArray[Any]
BoolArray = npt.NDArray[np.bool_]
