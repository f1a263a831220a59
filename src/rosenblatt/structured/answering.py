"""What a structured perceptron answers and tells once it has learned."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from rosenblatt.errors import InputError, ParameterError
from rosenblatt.explain import Contribution, Explanation, PastMistake
from rosenblatt.learner.display import TOP_WEIGHTS, ModelDisplay
from rosenblatt.structured.feature_weights import FeatureWeights, exact_sum
from rosenblatt.structured.learner import StructuredModel
from rosenblatt.structured.ledger import StructuredLedger, difference
from rosenblatt.structured.problem import Judge, Problem, answers, same

__all__ = ["StructuredAnswering", "read_examples", "share_right"]


class StructuredAnswering(ModelDisplay):
    """Answers by what is learned, without learning."""

    space: Any
    features: Any
    argmax: Any
    cost: Any
    averaged: bool
    _model: StructuredModel
    _served: FeatureWeights | None
    _served_average: bool
    _fitted: Any
    _refuse_unfitted: Any
    best_iter_: int
    mistakes_per_row_: Any
    n_iter_: int
    t_: Any

    def _problem(self) -> Problem:
        return Problem(self.space, self.features, self.argmax, self.cost)

    def predict(self, xs: Any) -> list[Any]:
        """The best answer to each of ``xs`` that the search finds.

        Parameters
        ----------
        xs : sequence

        Returns
        -------
        answers : list
        """
        return answers(self._problem(), self._serving(), read_many("xs", xs))

    def score(self, xs: Any, ys: Any) -> float:
        """Share of the answers that are right as a whole.

        Parameters
        ----------
        xs, ys : sequence

        Returns
        -------
        share : float
        """
        xs, ys = read_examples(xs, ys)
        return share_right(self.predict(xs), ys)

    def decision(self, x: Any, y: Any) -> float:
        """The score of one answer, ``w·φ(x, y)``.

        Parameters
        ----------
        x, y : object

        Returns
        -------
        score : float
        """
        return Judge(self._problem(), self._serving(), x, "x")(y)

    def explain(
        self, x: Any, y: Any = None, against: Any = None, *, top: int | None = None, xs: Any = None
    ) -> Explanation:
        """Why this answer: its score by feature and by past mistake.

        Parameters
        ----------
        x : object
        y : object, default=None
            The answer whose score ``w·φ(x, y)`` is explained; None: the prediction.
        against : object, default=None
            Explain the lead of ``y`` over this answer, ``w·(φ(x, y) - φ(x, against))``, instead.
        top : int, default=None
            Keep so many of the largest parts and join the others into one. None keeps all.
        xs : sequence, default=None
            What was learned from, to weigh past mistakes when ``record=True``.

        Returns
        -------
        explanation : Explanation
            Contributions that add up to the score. The runner-up is known where the space has a
            method ``runner_up(x, score)``.
        """
        problem, weights = self._problem(), self._serving()
        judge = Judge(problem, weights, x, "x")
        prediction = problem.argmax(x, judge, "x")
        second = getattr(self.space, "runner_up", None)
        runner_up = None if second is None else second(x, judge)
        label = prediction if y is None else y
        change, _ = problem.features_of(x, label, "x")
        if against is not None:
            change = difference(change, problem.features_of(x, against, "x")[0])
        parts = [
            Contribution(name, value, weights[name], weights[name] * value)
            for name, value in change.items()
            if weights[name] * value
        ]
        found = Explanation(
            prediction=prediction,
            score=judge(label) - (0.0 if against is None else judge(against)),
            label=label,
            against=against,
            runner_up=runner_up,
            runner_up_score=None if runner_up is None else judge(runner_up),
            contributions=sorted(parts, key=lambda part: -abs(part.contribution)),
            without_weight=sum(value != 0 for value in change.values()) - len(parts),
        )
        if xs is not None:
            found = found.with_mistakes(self._past(change, read_many("xs", xs)))
        return found.cut(top)

    def _past(self, change: dict[Any, float], xs: list[Any]) -> list[PastMistake]:
        """What each past example puts into the score of these features."""
        if not hasattr(self, "ledger_"):
            raise ParameterError(
                "xs is to weigh past mistakes, but no ledger of them was kept: set record=True "
                "before learning."
            )
        ledger, seen = self.ledger_, self.t_
        if self._model.best is not None:  # all epochs are of one length
            seen -= len(self.mistakes_per_row_) * (self.n_iter_ - self.best_iter_)
        found: dict[int, PastMistake] = {}
        for update in ledger:
            if update.t > seen:
                continue
            step = update.step * ((seen - update.t + 1) / seen if self.averaged else 1.0)
            moved, _ = ledger.change_of(update, xs)
            part = step * exact_sum(value * change.get(name, 0.0) for name, value in moved.items())
            before = found.get(update.row, PastMistake(None, None, None, 0, 0.0, 0.0, 0.0))
            step, part = step + (before.step or 0.0), part + before.contribution
            found[update.row] = PastMistake(
                row=update.row,
                y_true=update.y_true,
                y_pred=update.y_pred,
                updates=before.updates + 1,
                step=step,
                similarity=part / step,
                contribution=part,
            )
        return list(found.values())

    def _serving(self) -> FeatureWeights:
        self._refuse_unfitted()
        if self._served is None or self._served_average != self.averaged:
            self._served = self._model.served(averaged=self.averaged)
            self._served_average = self.averaged
        return self._served

    @property
    def weights_(self) -> FeatureWeights:
        self._fitted()
        served = self._serving()
        return served.like(served.items())

    @property
    def raw_weights_(self) -> FeatureWeights:
        learned: StructuredModel = self._fitted()
        return learned.weights.nonzero()

    @property
    def n_invalid_(self) -> int:
        return int(self._fitted().n_invalid)

    @property
    def ledger_(self) -> StructuredLedger:
        updates = self._fitted().recorder
        if updates is None:
            raise AttributeError("ledger_ is there when record=True.")
        return StructuredLedger(self._problem(), updates, self.t_)

    def _weights_html(self) -> str:
        weights = self._serving()
        top = sorted(weights, key=lambda name: -abs(weights[name]))[:TOP_WEIGHTS]
        parts = [f"{escape(str(name))}&nbsp;{weights[name]:+.3g}" for name in top]
        more = len(weights) - len(parts)
        told = ", ".join(parts) + (f" and {more:,} more" if more else "")
        return f"<p>Largest weights: {told or 'none yet'}.</p>"


def read_many(argument: str, given: Any) -> list[Any]:
    if isinstance(given, str | bytes | Mapping) or not hasattr(given, "__iter__"):
        raise InputError(
            f"{argument} is a {type(given).__name__}; give a sequence with one entry for each "
            "example."
        )
    return list(given)


def read_examples(xs: Any, ys: Any) -> tuple[list[Any], list[Any]]:
    xs, ys = read_many("xs", xs), read_many("ys", ys)
    if len(xs) != len(ys):
        raise InputError(
            f"xs has {len(xs)} examples but ys has {len(ys)} answers. Give one answer for each."
        )
    if not xs:
        raise InputError("there are 0 examples; give at least one.")
    for number, answer in enumerate(ys):
        if answer is None:
            raise InputError(f"ys[{number}] is None; give every example its right answer.")
    return xs, ys


def share_right(found: list[Any], ys: list[Any]) -> float:
    return sum(map(same, found, ys)) / len(ys)
