"""Why a structured learner gives an answer: its score by feature and by past mistake."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rosenblatt.errors import ParameterError
from rosenblatt.explain import Contribution, Explanation
from rosenblatt.structured.ledger import difference, path_features
from rosenblatt.structured.paths import PathExplanation, explained
from rosenblatt.structured.problem import Judge, read_many
from rosenblatt.structured.sentences import read_pairs, read_sentences

__all__ = ["explain_answer", "explain_tags"]


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
    if xs is None:
        return found
    ledger, seen = _ledger_for("xs", learner), learner.t_
    if learner._model.best is not None:  # all epochs are of one length
        seen -= len(learner.mistakes_per_row_) * (learner.n_iter_ - learner.best_iter_)
    past = ledger.past_mistakes(read_many("xs", xs), change, seen, mean=learner.averaged)
    return found.with_mistakes(past)


def explain_tags(
    learner: Any, sentence: Any, compared: Sequence[str] | None, sentences: Any
) -> PathExplanation:
    """The score of the tags predicted, beside that of others."""
    (listed,) = read_sentences([sentence], argument="sentence")
    predicted = learner.predict([listed])[0]
    if compared is not None:
        compared = read_pairs([listed], [compared])[1][0]
    model, encoder = learner._model, learner._encoder
    weights = model.served(averaged=learner.averaged)
    found = explained(weights, encoder, listed, model.tags, predicted, compared)
    if sentences is None:
        return found
    ledger, path = _ledger_for("sentences", learner), model.numbers([predicted]).tolist()
    own = path_features(encoder.encode([listed]), path, model.order, model.tags)
    past, seen = read_sentences(sentences), int(weights.t)
    return found.with_mistakes(ledger.past_mistakes(past, own, seen, mean=learner.averaged))


def _ledger_for(argument: str, learner: Any) -> Any:
    if not hasattr(learner, "ledger_"):
        raise ParameterError(
            f"{argument} is to weigh past mistakes, but no ledger of them was kept: set "
            "record=True before learning."
        )
    return learner.ledger_
