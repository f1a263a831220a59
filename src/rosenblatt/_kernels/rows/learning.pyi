from rosenblatt._kernels.array_types import FloatArray, Int32Array, IntArray
from rosenblatt._kernels.rows.readouts import ReadoutArrays
from rosenblatt._kernels.rows.rows import Rows
from rosenblatt._kernels.rows.rules import Rule
from rosenblatt._kernels.rows.weights import WeightArrays

class Log:
    row: IntArray
    right: Int32Array
    wrong: Int32Array
    step: FloatArray
    t: IntArray
    change: FloatArray
    scale: FloatArray
    folds: IntArray
    clock: FloatArray
    size: int
    def __init__(
        self, capacity: int, *, with_rates: bool = False, with_scales: bool = False
    ) -> None: ...

class Tally:
    mistakes: int
    updates: int
    step_sum: float
    raised_sum: float
    loss: float
    refused: int
    mistakes_per_row: Int32Array | None
    dual: FloatArray | None
    def __init__(
        self, mistakes_per_row: Int32Array | None = None, dual: FloatArray | None = None
    ) -> None: ...

class Watch:
    wrong: Int32Array
    scores: FloatArray | None
    latest: bool
    def __init__(
        self, wrong: Int32Array, scores: FloatArray | None = None, *, latest: bool = False
    ) -> None: ...

def learn(
    weights: WeightArrays,
    rule: Rule,
    rows: Rows,
    labels: Int32Array,
    order: IntArray | None,
    start: int,
    stop: int,
    row_weights: FloatArray | None,
    tally: Tally,
    log: Log | None,
    watch: Watch | None = None,
    upcoming: IntArray | None = None,
    readouts: ReadoutArrays | None = None,
) -> int: ...
def replay(
    weights: WeightArrays,
    rows: Rows,
    row: IntArray,
    right: Int32Array,
    wrong: Int32Array,
    step: FloatArray,
    t: IntArray,
    change: FloatArray,
    scale: FloatArray,
    folds: IntArray,
    clock: FloatArray,
    start: int,
    stop: int,
) -> None: ...
