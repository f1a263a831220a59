from rosenblatt.engine.array_types import BoolArray, FloatArray, Int32Array, IntArray

ONE: int
EACH: int
AGAINST: int

class Updates:
    row: IntArray
    right: Int32Array
    wrong: Int32Array
    step: FloatArray
    size: int
    mistakes: int
    def __init__(self, capacity: int) -> None: ...
    def clear(self) -> None: ...

def mistaken(
    scores: FloatArray, labels: Int32Array, weights: FloatArray, shape: int, tie_is_mistake: bool
) -> BoolArray: ...
def seek(
    scores: FloatArray,
    labels: Int32Array,
    weights: FloatArray,
    start: int,
    shape: int,
    tie_is_mistake: bool,
    step: FloatArray,
) -> int: ...
def walk(
    scores: FloatArray,
    labels: Int32Array,
    weights: FloatArray,
    start: int,
    kernel: FloatArray,
    place: Int32Array,
    shape: int,
    tie_is_mistake: bool,
    squared_norms: FloatArray,
    magnitudes: FloatArray,
    updates: Updates,
) -> int: ...
