import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.tags.tag_weights import Encoded, TagWeights

class Search:
    beam: int
    allowed: npt.NDArray[np.bool_] | None
    def __init__(
        self, weights: TagWeights, *, beam: int = 0, allowed: npt.NDArray[np.bool_] | None = None
    ) -> None: ...

def best_tags(
    weights: TagWeights,
    search: Search,
    encoded: Encoded,
    only: npt.NDArray[np.int32] | None = None,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]: ...
def emission_table(weights: TagWeights, encoded: Encoded) -> npt.NDArray[np.float32]: ...
