from rosenblatt.engine.array_types import AnyArray, FloatArray, Int32Array, IntArray

def vote_binary(
    products: FloatArray,
    support: IntArray,
    signed_step: FloatArray,
    survival: FloatArray,
    start: FloatArray,
    bias_step: float,
    tie_is_positive: bool,
) -> FloatArray: ...
def votes_of_one(
    kernel: AnyArray, place: IntArray, step: FloatArray, survival: FloatArray, tie_is_positive: bool
) -> FloatArray: ...
def vote_classes(
    products: FloatArray,
    support: IntArray,
    right: Int32Array,
    wrong: Int32Array,
    step: FloatArray,
    survival: FloatArray,
    start: FloatArray,
    bias_step: float,
) -> FloatArray: ...
