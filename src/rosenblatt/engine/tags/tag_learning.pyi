from rosenblatt.engine.array_types import Int32Array, IntArray
from rosenblatt.engine.tags.tag_search import Search
from rosenblatt.engine.tags.tag_weights import Encoded, TagWeights

WHOLE: int
EARLY: int
VIOLATION: int

class TagTally:
    sentences: int
    log: list[tuple[int, float, int, Int32Array]]
    is_full: bool
    def __init__(self, logged: bool = False) -> None: ...

def learn(
    weights: TagWeights,
    search: Search,
    encoded: Encoded,
    only: Int32Array | None,
    gold: Int32Array,
    order: IntArray,
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
    right: Int32Array,
    found: Int32Array,
    step: float,
    t: int,
) -> None: ...
