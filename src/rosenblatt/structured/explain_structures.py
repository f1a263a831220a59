"""Why a structured perceptron gives an answer: its score by feature and by past mistake."""

from __future__ import annotations

from typing import Any

from rosenblatt.errors import ParameterError
from rosenblatt.explain import Contribution, Explanation, PastMistake
from rosenblatt.structured.feature_weights import exact_sum
from rosenblatt.structured.ledger import difference
from rosenblatt.structured.problem import Judge, read_many

__all__ = ["explain_answer"]


def explain_answer(learner: Any, x: Any, y: Any, against: Any, xs: Any) -> Explanation:
    """The score of an answer, or its lead over another one, taken apart."""
    problem, weights = learner._problem(), learner._serving()
    judge = Judge(problem, weights, x, "x")
    prediction = problem.argmax(x, judge, "x")
    second = getattr(learner.space, "runner_up", None)
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
        found = found.with_mistakes(_past_mistakes(learner, change, read_many("xs", xs)))
    return found


def _past_mistakes(learner: Any, change: dict[Any, float], xs: list[Any]) -> list[PastMistake]:
    """What each past example puts into the score of these features."""
    if not hasattr(learner, "ledger_"):
        raise ParameterError(
            "xs is to weigh past mistakes, but no ledger of them was kept: set record=True "
            "before learning."
        )
    ledger, seen = learner.ledger_, learner.t_
    if learner._model.best is not None:  # all epochs are of one length
        seen -= len(learner.mistakes_per_row_) * (learner.n_iter_ - learner.best_iter_)
    found: dict[int, PastMistake] = {}
    for update in ledger:
        if update.t > seen:
            continue
        step = update.step * ((seen - update.t + 1) / seen if learner.averaged else 1.0)
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
