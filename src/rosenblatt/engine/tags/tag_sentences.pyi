from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.engine.array_types import IntArray
from rosenblatt.engine.tags.tag_features import Ask, FeatureTable
from rosenblatt.engine.tags.tag_search import Search
from rosenblatt.engine.tags.tag_weights import TagWeights
from rosenblatt.engine.turns import Turns

class TagEngine:
    is_open: bool
    def __init__(
        self,
        weights: TagWeights,
        table: FeatureTable,
        known: list[dict[str, int]],
        hashes: list[npt.NDArray[np.uint64]],
        tags: list[str],
        make_search: Callable[[], Search],
        *,
        starts: IntArray,
        part_asks: list[int],
        part_offsets: IntArray,
        asks: list[Ask],
        outside: npt.NDArray[np.uint64],
        is_word: bool,
    ) -> None: ...
    def close(self) -> None: ...
    def tag(self, sentences: Any, turns: Turns | None = None) -> list[list[str]] | None: ...
