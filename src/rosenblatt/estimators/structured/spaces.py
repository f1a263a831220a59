"""Spaces of outputs: their features, and the search for the best one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError


class Score(Protocol):
    """Scorer of outputs for one ``x`` by the current weights; it is passed to every search.

    ``score(y)`` is the score of a whole output. A search that builds outputs from parts asks for
    the score of a part's features, ``score.of({"word=cat": 1.0})``, or looks weights up itself.
    """

    @property
    def weights(self) -> Mapping[Any, float]:
        """Return the weight of each feature, read-only; a missing feature weighs 0."""

    @property
    def vector(self) -> npt.NDArray[np.float64]:
        """Return the weights as a read-only array, if features are vectors."""

    def __call__(self, y: Any) -> float:
        """Return the score of an output, ``w·φ(x, y)``."""

    def of(self, features: Any) -> float:
        """Return the score of some features, a mapping or a vector."""

    def cost(self, y: Any) -> float:
        """Return the cost of ``y`` instead of the right output; 0 if no right output is given."""


class Space(Protocol):
    """Outputs of one kind: their features and the search among them.

    A space may have two more methods:

    ``cost(gold, y)``
        How bad the output ``y`` is if ``gold`` is right: 0 for ``gold``, positive for others.
        Without it every wrong output costs 1.
    ``violation(x, gold, score)``
        For a search that may miss the best output: None if it finds ``gold``, else two outputs or
        parts of outputs ``(good, bad)``, ``good`` a part of ``gold`` and ``score(bad) >=
        score(good)``. Early update and max-violation (Huang et al., 2012) are such choices.
        ``features`` must then accept such parts.
    """

    def features(self, x: Any, y: Any) -> Any:
        """Return the features of the output ``y`` for ``x``.

        They are a mapping to numbers, a 1-D array or a sparse row.
        """

    def argmax(self, x: Any, score: Score) -> Any:
        """Return the output for ``x`` with the highest score.

        With another argument ``gold=None`` the search can be *cost-augmented*: if ``gold`` is
        given, it must return the output with the highest ``score(y) + score.cost(y)``.
        """


class Candidates:
    """Space of outputs that can be listed: the search scores all and takes the first of the best.

    Parameters
    ----------
    features : callable
        ``features(x, y)``: a mapping to numbers, a 1-D array or a sparse row.
    candidates : callable, default=None
        ``candidates(x)``: the possible outputs for ``x``. None: ``x`` is itself the list.
    cost : callable, default=None
        ``cost(gold, y)``: how bad ``y`` is if ``gold`` is right. None: 1 for every wrong output.

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
        """Return the candidate with the second highest score; None if there is only one."""
        best_first = sorted(self._listed(x), key=score, reverse=True)
        return best_first[1] if len(best_first) > 1 else None

    def argmax(self, x: Any, score: Score, gold: Any = None) -> Any:
        """Return the candidate with the highest score, or score and cost if ``gold`` is given."""
        listed = self._listed(x)
        if gold is None:
            return max(listed, key=score)
        return max(listed, key=lambda y: score(y) + score.cost(y))
