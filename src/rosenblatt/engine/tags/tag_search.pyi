from rosenblatt.engine.array_types import BoolArray, Float32Array, Int32Array
from rosenblatt.engine.tags.tag_weights import Encoded, TagWeights

class Search:
    beam: int
    allowed: BoolArray | None
    def __init__(
        self, weights: TagWeights, *, beam: int = 0, allowed: BoolArray | None = None
    ) -> None: ...

def best_tags(
    weights: TagWeights, search: Search, encoded: Encoded, only: Int32Array | None = None
) -> tuple[Int32Array, Float32Array]: ...
def emission_table(weights: TagWeights, encoded: Encoded) -> Float32Array: ...
