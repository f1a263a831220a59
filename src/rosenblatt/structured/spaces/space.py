"""What a learner asks of a space, and what a search may ask of a learner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Score", "Space"]


class Score(Protocol):
    """The weights as they are now, seen from one ``x``; handed to every search.

    ``score(y)`` is the score of a whole answer. A search that builds answers from parts asks for
    the score of a part's features, ``score.of({"word=cat": 1.0})``, or looks weights up itself.
    """

    @property
    def weights(self) -> Mapping[Any, float]:
        """The weight of each feature, not to be changed; a feature not there weighs 0."""

    @property
    def vector(self) -> npt.NDArray[np.float64]:
        """The same as an array, when features are vectors."""

    def __call__(self, y: Any) -> float:
        """The score of an answer, ``w·φ(x, y)``."""

    def of(self, features: Any) -> float:
        """The score of some features, a mapping or a vector."""

    def cost(self, y: Any) -> float:
        """What ``y`` would cost in place of the right answer; 0 when no right answer is given."""


class Space(Protocol):
    """Answers of one kind: their features and the search among them.

    Two more methods are used where a space has them:

    ``cost(gold, y)``
        How bad the answer ``y`` is when ``gold`` is right: 0 for ``gold``, else above. Without it
        every wrong answer costs 1.
    ``violation(x, gold, score)``
        For a search that may miss the best answer: None if it finds ``gold``, else two answers or
        parts of answers ``(good, bad)``, ``good`` a part of ``gold`` and ``score(bad) >=
        score(good)``. Early update and max-violation (Huang et al., 2012) are such choices.
        ``features`` must then know such parts.
    """

    def features(self, x: Any, y: Any) -> Any:
        """The features of the answer ``y`` to ``x``: a mapping to numbers, a 1-D array or a
        sparse row."""

    def argmax(self, x: Any, score: Score) -> Any:
        """The answer to ``x`` with the highest score.

        With a further argument ``gold=None`` the search can be *cost-augmented*: when ``gold`` is
        given it must return the answer with the highest ``score(y) + score.cost(y)``.
        """
