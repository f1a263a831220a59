"""The simplest space: few enough answers to look at each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rosenblatt.errors import InputError
from rosenblatt.structured.spaces.space import Score

__all__ = ["Candidates"]


class Candidates:
    """Answers that can be listed: the search scores them all and takes the first of the best.

    Parameters
    ----------
    features : callable
        ``features(x, y)``: a mapping to numbers, a 1-D array or a sparse row.
    candidates : callable, default=None
        ``candidates(x)``: the answers there are to ``x``. None: ``x`` is itself the list.
    cost : callable, default=None
        ``cost(gold, y)``: how bad ``y`` is when ``gold`` is right. None: 1 if it is another one.

    Examples
    --------
    Which of the numbers is meant? The largest, as the examples show.

    >>> from rosenblatt import StructuredPerceptron
    >>> from rosenblatt.structured.spaces import Candidates
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
            raise InputError("candidates: there is no answer to choose from.")
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
