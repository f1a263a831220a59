import numpy as np
import numpy.typing as npt

from rosenblatt.engine.array_types import AnyArray, Int32Array
from rosenblatt.engine.text.parsing import Parser

IGNORED: int
NUMBER: int
TEXT: int
LABEL: int

class TabularParser(Parser):
    def __init__(self, float32: bool, limit: float, missing: list[bytes]) -> None: ...
    fault_column: int
    def set_columns(
        self,
        roles: npt.NDArray[np.int8],
        places: Int32Array,
        lenient: npt.NDArray[np.int8] | None = None,
    ) -> None: ...
    def set_footer_words(self, words: list[bytes]) -> None: ...
    def take(self) -> tuple[AnyArray, Int32Array, list[bytes]]: ...
    def take_strays(self) -> tuple[Int32Array, Int32Array, list[bytes]]: ...
