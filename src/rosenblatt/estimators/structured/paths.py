"""Why a structured learner gives an output, by feature and by past mistake.

Of a sentence: two paths of tags side by side, with the score of every choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.tags import tag_search
from rosenblatt.engine.tags.tag_weights import Encoded, TagWeights
from rosenblatt.errors import InputError
from rosenblatt.inspection.explanation import SHOWN, Contribution, Explanation, aligned
from rosenblatt.models.sentences import Encoder, read_pairs, read_sentences
from rosenblatt.models.structured_ledger import difference, path_features
from rosenblatt.models.structured_problem import Judge, read_many


class Choice(NamedTuple):
    """A tag of a token: what the features of the token and the tags before it say for it."""

    token: Any
    tag: str
    features: float
    step: float


@dataclass(frozen=True)
class PathExplanation(Explanation):
    """The tags predicted and, if given, others, with the score of every choice.

    ``contributions`` has the features of all tokens, as "token/tag: feature", and the steps from
    tag to tag; they add up to ``score``, that of the tags predicted. `plot.tag_path` draws it.

    Attributes
    ----------
    predicted : list of Choice
    compared : list of Choice or None
    tag_scores : list of dict
        For each token a mapping of every tag to what the features of the token say for it.
    """

    predicted: list[Choice] = field(default_factory=list)
    compared: list[Choice] | None = None
    tag_scores: list[dict[str, float]] = field(default_factory=list)

    @property
    def compared_score(self) -> float | None:
        if self.compared is None:
            return None
        return sum(choice.features + choice.step for choice in self.compared)

    def __str__(self) -> str:
        width = max(5, *(len(_shown(choice.token)) for choice in self.predicted))
        lines = [f"{'token':{width}}  {'tag':10} {'features':>10} {'step':>8}"]
        if self.compared is not None:
            lines[0] += f"  {'compared':10} {'features':>10} {'step':>8}"
        for i, choice in enumerate(self.predicted):
            line = f"{_shown(choice.token):{width}}  {_columns(choice)}"
            if self.compared is not None:
                other = self.compared[i]
                line += f"{'  ' if other.tag == choice.tag else ' *'}{_columns(other)}"
            lines.append(line)
        total = f"{'sum':{width}}  {'':10} {self.score:>19.5g}"
        if self.compared_score is not None:
            total += f"  {'':10} {self.compared_score:>19.5g}"
        lines.append(total)
        if self.mistakes is not None:
            shown = self.cut(SHOWN)
            lines += [*shown.titles()[1], *aligned(shown.mistake_cells())]
        return "\n".join(lines)


def _shown(token: Any) -> str:
    return str(token if isinstance(token, str) else next(iter(token), ""))[:20]


def _columns(choice: Choice) -> str:
    return f"{choice.tag:10} {choice.features:>10.5g} {choice.step:>8.4g}"


def explained(
    weights: TagWeights,
    encoder: Encoder,
    sentence: list[Any],
    tags: list[str],
    predicted: list[str],
    compared: list[str] | None,
) -> PathExplanation:
    """The choices along one or two paths of one sentence."""
    unknown = set(compared or ()) - set(tags)
    if unknown:
        raise InputError(f"the tag {unknown.pop()!r} was never seen in training.")
    encoded = encoder.encode([sentence])
    table = tag_search.emission_table(weights, encoded)
    place = {tag: i for i, tag in enumerate(tags)}

    def choices(path: list[str]) -> list[Choice]:
        numbers = [len(tags), len(tags), *(place[tag] for tag in path)]
        found = []
        for i, tag in enumerate(path):
            before, last, here = numbers[i : i + 3]
            step = float(weights.steps[last, here])
            if weights.order == 2:
                step += float(weights.pairs[last * (len(tags) + 1) + before, here])
            found.append(Choice(sentence[i], tag, float(table[i, here]), step))
        return found

    chosen = choices(predicted)
    path = [place[tag] for tag in predicted]
    parts = _by_feature(weights, encoder, encoded, sentence, path, tags)
    for last, choice in zip((None, *predicted), chosen, strict=False):
        name = f"{'start' if last is None else last} → {choice.tag}"
        parts.append(Contribution(name, 1.0, choice.step, choice.step, "step"))
    used = [part for part in parts if part.contribution]
    return PathExplanation(
        prediction=predicted,
        score=sum(choice.features + choice.step for choice in chosen),
        label=" ".join(predicted),
        contributions=sorted(used, key=lambda part: -abs(part.contribution)),
        without_weight=len(parts) - len(used),
        predicted=chosen,
        compared=None if compared is None else choices(compared),
        tag_scores=[dict(zip(tags, np.asarray(row, float).tolist(), strict=True)) for row in table],
    )


def _by_feature(
    weights: TagWeights,
    encoder: Encoder,
    encoded: Encoded,
    sentence: list[Any],
    path: list[int],
    tags: list[str],
) -> list[Contribution]:
    """What each feature of each token says for the tag of the token."""
    # Each feature as if it were a token.
    alone = Encoded(encoded.starts, np.arange(len(encoded.features) + 1), encoded.features)
    table = tag_search.emission_table(weights, alone)
    values = np.ones(len(encoded.features)) if encoded.values is None else encoded.values
    parts, k = list[Contribution](), 0
    for token, tag in zip(sentence, path, strict=True):
        for name in _feature_names(encoder, token):
            weight, value = float(table[k, tag]), float(values[k])
            named = f"{_shown(token)}/{tags[tag]}: {name}"
            parts.append(Contribution(named, value, weight, weight * value))
            k += 1
    return parts


def _feature_names(encoder: Encoder, token: Any) -> list[str]:
    """In the order in which the features of a token are encoded."""
    if encoder.templates is not None:
        return list(encoder.templates.texts)
    return [
        f"{name}={value}" if isinstance(value, str) else name
        for name, value in token.items()
        if isinstance(value, str) or value != 0
    ]


def explain_answer(learner: Any, x: Any, y: Any, against: Any, xs: Any) -> Explanation:
    """The score of an output, or its lead over another one, taken apart."""
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
    past, listed = learner.ledger_.best, read_many("xs", xs)
    return found.with_mistakes(past.past_mistakes(listed, change, mean=learner.averaged))


def explain_tags(
    learner: Any, sentence: Any, compared: Sequence[str] | None, sentences: Any
) -> PathExplanation:
    """The score of the tags predicted, beside that of others."""
    (listed,) = read_sentences([sentence], argument="sentence")
    predicted = learner.predict([listed])[0]
    if compared is not None:
        compared = read_pairs([listed], [compared])[1][0]
    model = learner._model
    encoder = model.encoder
    weights = model.served(averaged=learner.averaged)
    found = explained(weights, encoder, listed, model.tags, predicted, compared)
    if sentences is None:
        return found
    ledger, path = learner.ledger_.best, model.numbers([predicted]).tolist()
    own = path_features(encoder.encode([listed]), path, model.order, model.tags)
    past = ledger.past_mistakes(read_sentences(sentences), own, mean=learner.averaged)
    return found.with_mistakes(past)
