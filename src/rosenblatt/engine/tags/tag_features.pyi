from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.engine.array_types import Float32Array, Int32Array, IntArray

QUESTIONS: dict[str, int]

class FeatureTable:
    count: int
    def copy(self) -> FeatureTable: ...
    def __init__(self, keys: npt.NDArray[np.uint64] | None = None) -> None: ...
    hashes: npt.NDArray[np.uint64]
    def reserve(self, more: int) -> None: ...
    def numbers_of(self, keys: npt.NDArray[np.uint64]) -> Int32Array: ...

class Ask:
    column: int
    answer: Callable[[str], str]
    def __init__(
        self, column: int, kind: int, questions: IntArray, answer: Callable[[str], str]
    ) -> None: ...

def hash_of(text: str) -> int: ...
def hashes_of(asks: list[Ask], words: list[list[str]]) -> list[npt.NDArray[np.uint64]]: ...
def mixed(a: int, b: int) -> int: ...
def words_of(
    sentences: list[Any], column: int, known: dict[str, int], new: dict[str, int]
) -> Int32Array: ...
def starts_of(sentences: list[Any]) -> IntArray: ...
def features_of(
    table: FeatureTable,
    starts: IntArray,
    words: list[Int32Array],
    template_starts: IntArray,
    part_columns: IntArray,
    part_offsets: IntArray,
    known: list[npt.NDArray[np.uint64]],
    new: list[npt.NDArray[np.uint64]],
    caches: list[Int32Array | None],
    outside: npt.NDArray[np.uint64],
    learning: bool,
) -> Int32Array: ...
def named_features(
    table: FeatureTable, sentences: list[Any], learning: bool
) -> tuple[IntArray, Int32Array, Float32Array]: ...
