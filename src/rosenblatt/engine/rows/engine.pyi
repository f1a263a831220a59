from typing import Any

from rosenblatt.engine.array_types import FloatArray, Int32Array, IntArray
from rosenblatt.engine.rows.records import RecordPlan
from rosenblatt.engine.rows.rows import Rows
from rosenblatt.engine.rows.rules import Rule
from rosenblatt.engine.rows.weights import WeightArrays
from rosenblatt.engine.turns import Turns

LAG_PLANES: tuple[str, ...]
GENTLE_PLANE: str

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

class ReadoutArrays:
    scales: FloatArray
    errors: FloatArray
    rates: FloatArray
    rule: Rule
    t: int
    gentle_reach: float
    place: int
    shares: list[float]
    def bind(
        self,
        rule: Rule,
        scales: FloatArray,
        errors: FloatArray,
        rates: FloatArray,
        *,
        is_mix: bool,
        fading: float,
        sharpness: float,
        smallest_scale: float,
    ) -> None: ...
    def choose(self, place: int | None) -> None: ...

class Engine:
    weights: WeightArrays
    rule: Rule | None
    readouts: ReadoutArrays | None
    model: Any
    plan: RecordPlan | None
    def __init__(
        self,
        weights: WeightArrays,
        rule: Rule | None = None,
        readouts: ReadoutArrays | None = None,
    ) -> None: ...
    def learn(
        self,
        rows: Rows,
        labels: Int32Array,
        start: int,
        stop: int,
        tally: Tally,
        *,
        order: IntArray | None = None,
        row_weights: FloatArray | None = None,
        log: Log | None = None,
        watch: Watch | None = None,
        upcoming: IntArray | None = None,
    ) -> int: ...
    def open(
        self,
        model: Any,
        *,
        learns: bool,
        log: Log | None = None,
        columns: dict[Any, int] | None = None,
        plan: RecordPlan | None = None,
        takes_arrays: bool = False,
        last_wins: bool = False,
    ) -> None: ...
    def close(self) -> None: ...
    def learn_one(self, x: Any, y: Any, turns: Turns | None = None) -> bool: ...
    def learn_table(self, X: Any, y: Any, turns: Turns | None = None) -> bool: ...
    def predict_one(self, x: Any, turns: Turns | None = None) -> Any: ...

def serve(
    weights: WeightArrays, readouts: ReadoutArrays | None = None
) -> tuple[FloatArray, FloatArray]: ...
def score(
    weights: WeightArrays, rows: Rows, readouts: ReadoutArrays | None = None
) -> FloatArray: ...
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
