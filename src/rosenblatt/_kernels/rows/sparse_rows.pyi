from typing import Any

import numpy as np
import numpy.typing as npt

Parts = tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]

LANES: int

def gather(
    values: npt.NDArray[Any],
    starts: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    out: npt.NDArray[Any],
) -> bool: ...
def write(table: Parts, out: npt.NDArray[Any]) -> bool: ...
def times(table: Parts, dense: npt.NDArray[Any], out: npt.NDArray[Any]) -> bool: ...
def from_left(table: Parts, dense: npt.NDArray[Any], out: npt.NDArray[Any]) -> bool: ...
def pairs(A: Parts, B: Parts, n_columns: int, in_common: bool, out: npt.NDArray[Any]) -> bool: ...
def distances(
    A: npt.NDArray[np.float64], panels: npt.NDArray[np.float64], out: npt.NDArray[np.float64]
) -> None: ...
