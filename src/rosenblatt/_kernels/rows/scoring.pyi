from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.rows.rows import Rows

def score(
    rows: Rows, table: npt.NDArray[Any], bias: npt.NDArray[Any]
) -> npt.NDArray[np.float64]: ...
