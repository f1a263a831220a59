"""Spaces: what an output is, which features it has, and how the best one is found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError


class Score(Protocol):
    """The weights as they are now, seen from one ``x``; handed to every search.

    ``score(y)`` is the score of a whole output. A search that builds outputs from parts asks for
    the score of a part's features, ``score.of({"word=cat": 1.0})``, or looks weights up itself.
    """

    @property
    def weights(self) -> Mapping[Any, float]:
        """The weight of each feature, not to be changed; a feature not there weighs 0."""

    @property
    def vector(self) -> npt.NDArray[np.float64]:
        """The same as an array, when features are vectors."""

    def __call__(self, y: Any) -> float:
        """The score of an output, ``w·φ(x, y)``."""

    def of(self, features: Any) -> float:
        """The score of some features, a mapping or a vector."""

    def cost(self, y: Any) -> float:
        """What ``y`` would cost in place of the right output; 0 when no right output is given."""


class Space(Protocol):
    """Outputs of one kind: their features and the search among them.

    Two more methods are used where a space has them:

    ``cost(gold, y)``
        How bad the output ``y`` is when ``gold`` is right: 0 for ``gold``, else above. Without it
        every wrong output costs 1.
    ``violation(x, gold, score)``
        For a search that may miss the best output: None if it finds ``gold``, else two outputs or
        parts of outputs ``(good, bad)``, ``good`` a part of ``gold`` and ``score(bad) >=
        score(good)``. Early update and max-violation (Huang et al., 2012) are such choices.
        ``features`` must then know such parts.
    """

    def features(self, x: Any, y: Any) -> Any:
        """The features of the output ``y`` for ``x``: a mapping to numbers, a 1-D array or a
        sparse row."""

    def argmax(self, x: Any, score: Score) -> Any:
        """The output for ``x`` with the highest score.

        With a further argument ``gold=None`` the search can be *cost-augmented*: when ``gold`` is
        given it must return the output with the highest ``score(y) + score.cost(y)``.
        """


class Candidates:
    """Outputs that can be listed: the search scores them all and takes the first of the best.

    Parameters
    ----------
    features : callable
        ``features(x, y)``: a mapping to numbers, a 1-D array or a sparse row.
    candidates : callable, default=None
        ``candidates(x)``: the outputs there are for ``x``. None: ``x`` is itself the list.
    cost : callable, default=None
        ``cost(gold, y)``: how bad ``y`` is when ``gold`` is right. None: 1 if it is another one.

    Examples
    --------
    Which of the numbers is meant? The largest, as the examples show.

    >>> from rosenblatt import StructuredPerceptron
    >>> from rosenblatt.estimators.structured.spaces import Candidates
    >>> space = Candidates(lambda x, y: {"size": y})
    >>> model = StructuredPerceptron(space, averaged=False).fit([[2, 5, 3], [9, 7, 8]], [5, 9])
    >>> model.predict([[1, 4, 6]]), model.weights_
    ([6], {'size': 3.0})
    """

    def __init__(
        self,
        features: Callable[[Any, Any], Any],
        candidates: Callable[[Any], Iterable[Any]] | None = None,
        cost: Callable[[Any, Any], float] | None = None,
    ) -> None:
        self.features = features
        self.candidates = candidates
        if cost is not None:
            self.cost = cost

    def _listed(self, x: Any) -> list[Any]:
        listed = list(x if self.candidates is None else self.candidates(x))
        if not listed:
            raise InputError("candidates: there is no output to choose from.")
        return listed

    def runner_up(self, x: Any, score: Score) -> Any:
        """The candidate with the second highest score; None if there is one alone."""
        return (*sorted(self._listed(x), key=score, reverse=True), None)[1]

    def argmax(self, x: Any, score: Score, gold: Any = None) -> Any:
        """The candidate with the highest score, or score and cost when ``gold`` is given."""
        listed = self._listed(x)
        if gold is None:
            return max(listed, key=score)
        return max(listed, key=lambda y: score(y) + score.cost(y))
