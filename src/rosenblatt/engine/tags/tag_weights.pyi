from rosenblatt.engine.array_types import AnyArray, Float32Array, FloatArray, Int32Array, IntArray

class Encoded:
    starts: IntArray
    feature_starts: IntArray
    features: Int32Array
    values: Float32Array | None
    words: Int32Array | None
    def __init__(
        self,
        starts: IntArray,
        feature_starts: IntArray,
        features: Int32Array,
        values: Float32Array | None = None,
        words: Int32Array | None = None,
    ) -> None: ...
    def __len__(self) -> int: ...

class TagWeights:
    n_tags: int
    width: int
    order: int
    t: int
    n_rows: int
    n_features: int
    row_of: Int32Array
    rows: Float32Array
    row_running_sum: FloatArray
    steps: Float32Array
    step_running_sum: FloatArray
    pairs: Float32Array
    pair_running_sum: FloatArray
    def __init__(self, n_tags: int, order: int) -> None: ...
    def arrays(self) -> dict[str, AnyArray]: ...
    def set(self, **arrays: AnyArray) -> None: ...
    def know(self, n_features: int) -> None: ...
    def reserve(self, n_rows: int) -> None: ...
    def take(self, old: TagWeights) -> None: ...
    def averaged(self) -> TagWeights: ...
    def copy(self) -> TagWeights: ...
