from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.tags.tag_features import FeatureTable
from rosenblatt._kernels.tags.tag_search import Search
from rosenblatt._kernels.tags.tag_weights import TagWeights

class PlainTagger:
    def __init__(
        self,
        names: tuple[str, ...],
        settings: tuple[Any, ...],
        served: tuple[Any, ...],
        weights: TagWeights,
        table: FeatureTable,
        known: list[dict[str, int]],
        hashes: list[npt.NDArray[np.uint64]],
        asked: Any,
        tags: list[str],
        make_search: Callable[[], Search],
        *,
        is_word: bool,
    ) -> None: ...
    def serves(self, learner: dict[str, Any]) -> bool: ...
    def tag(self, learner: dict[str, Any], sentences: Any) -> list[list[str]] | None: ...
