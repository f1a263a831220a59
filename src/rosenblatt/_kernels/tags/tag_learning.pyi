import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.tags.tag_search import Search
from rosenblatt._kernels.tags.tag_weights import Encoded, TagWeights

WHOLE: int
EARLY: int
VIOLATION: int

class TagTally:
    sentences: int
    log: list[tuple[int, float, int, npt.NDArray[np.int32]]]
    is_full: bool
    def __init__(self, logged: bool = False) -> None: ...

def learn(
    weights: TagWeights,
    search: Search,
    encoded: Encoded,
    only: npt.NDArray[np.int32] | None,
    gold: npt.NDArray[np.int32],
    order: npt.NDArray[np.int64],
    first: int,
    last: int,
    update: int,
    C: float,
    tally: TagTally,
) -> int: ...
def replay(
    weights: TagWeights,
    encoded: Encoded,
    first: int,
    right: npt.NDArray[np.int32],
    found: npt.NDArray[np.int32],
    step: float,
    t: int,
) -> None: ...
