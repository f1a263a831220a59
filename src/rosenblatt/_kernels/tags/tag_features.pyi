from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

QUESTIONS: dict[str, int]

class FeatureTable:
    count: int
    def copy(self) -> FeatureTable: ...
    def __init__(self, keys: npt.NDArray[np.uint64] | None = None) -> None: ...
    hashes: npt.NDArray[np.uint64]
    def reserve(self, more: int) -> None: ...

def hash_of(text: str) -> int: ...
def hashes_of(
    kind: int, words: list[str], questions: npt.NDArray[np.int64], answer: Callable[[str], str]
) -> npt.NDArray[np.uint64]: ...
def mixed(a: int, b: int) -> int: ...
def words_of(
    sentences: list[Any], column: int, known: dict[str, int], new: dict[str, int]
) -> npt.NDArray[np.int32]: ...
def starts_of(sentences: list[Any]) -> npt.NDArray[np.int64]: ...
def features_of(
    table: FeatureTable,
    starts: npt.NDArray[np.int64],
    words: list[npt.NDArray[np.int32]],
    template_starts: npt.NDArray[np.int64],
    part_columns: npt.NDArray[np.int64],
    part_offsets: npt.NDArray[np.int64],
    known: list[npt.NDArray[np.uint64]],
    new: list[npt.NDArray[np.uint64]],
    caches: list[npt.NDArray[np.int32] | None],
    outside: npt.NDArray[np.uint64],
    learning: bool,
) -> npt.NDArray[np.int32]: ...
def named_features(
    table: FeatureTable, sentences: list[Any], learning: bool
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float32]]: ...
