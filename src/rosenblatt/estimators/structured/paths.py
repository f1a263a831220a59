"""Explanations of structured outputs, by feature and by past mistake.

For a sentence, an explanation shows one or two paths of tags with the score of every choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt.engine.tags import tag_search
from rosenblatt.engine.tags.tag_weights import Encoded, TagWeights
from rosenblatt.errors import InputError
from rosenblatt.inspection.explanation import SHOWN, Contribution, Explanation, aligned
from rosenblatt.models.sentences import Encoder, read_pairs, read_sentences
from rosenblatt.models.structured_ledger import difference, path_features
from rosenblatt.models.structured_problem import Judge, read_many

if TYPE_CHECKING:
    from rosenblatt.estimators.structured.perceptron import StructuredPerceptron
    from rosenblatt.estimators.structured.tagger import SequenceTagger


class Choice(NamedTuple):
    """Tag of a token, with its scores by the features of the token and by the previous tags."""

    token: Any
    tag: str
    features: float
    step: float


@dataclass(frozen=True)
class PathExplanation(Explanation):
    """Explanation of tags: the score of every choice, for the predicted and the compared tags.

    ``contributions`` has the features of all tokens, as "token/tag: feature", and the steps from
    tag to tag; they add up to ``score``, the score of the predicted tags. `plot.tag_path` draws it.

    Attributes
    ----------
    predicted : list of Choice
    compared : list of Choice or None
    tag_scores : list of dict
        For each token, the score of every tag by the features of the token.
    """

    predicted: list[Choice] = field(default_factory=list)
    compared: list[Choice] | None = None
    tag_scores: list[dict[str, float]] = field(default_factory=list)

    @property
    def compared_score(self) -> float | None:
        """The score of the tags to compare with; None if there are none."""
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
    """Explain the predicted tags of a sentence, and other tags to compare with if given."""
    unknown = set(compared or ()) - set(tags)
    if unknown:
        raise InputError(f"the tag {unknown.pop()!r} was never seen in training.")
    encoded = encoder.encode([sentence])
    table = tag_search.emission_table(weights, encoded)
    place = {tag: i for i, tag in enumerate(tags)}

    def choices(path: list[str]) -> list[Choice]:
        # The number after the last tag is the beginning of a sentence.
        beginning = len(tags)
        numbers = [beginning, beginning, *(place[tag] for tag in path)]
        found = []
        for i, tag in enumerate(path):
            before, last, here = numbers[i : i + 3]
            step = float(weights.steps[last, here])
            if weights.order == 2:
                pair = last * (beginning + 1) + before
                step += float(weights.pairs[pair, here])
            found.append(Choice(sentence[i], tag, float(table[i, here]), step))
        return found

    chosen = choices(predicted)
    path = [place[tag] for tag in predicted]
    parts = _by_feature(weights, encoder, encoded, sentence, path, tags)
    for last, choice in zip(["start", *predicted], chosen, strict=False):
        name = f"{last} → {choice.tag}"
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
    """Return the contribution of each feature of each token to the tag of the token."""
    # Encoded as if each feature were a token, so that the table has a row for each feature.
    n_features = len(encoded.features)
    single = Encoded(encoded.starts, np.arange(n_features + 1), encoded.features)
    table = tag_search.emission_table(weights, single)
    values = np.ones(n_features) if encoded.values is None else encoded.values

    parts: list[Contribution] = []
    k = 0
    for token, tag in zip(sentence, path, strict=True):
        for name in _feature_names(encoder, token):
            weight = float(table[k, tag])
            value = float(values[k])
            named = f"{_shown(token)}/{tags[tag]}: {name}"
            parts.append(Contribution(named, value, weight, weight * value))
            k += 1
    return parts


def _feature_names(encoder: Encoder, token: Any) -> list[str]:
    """Return the names of the features of a token, in the order in which they are encoded."""
    if encoder.templates is not None:
        return list(encoder.templates.texts)
    return [
        f"{name}={value}" if isinstance(value, str) else name
        for name, value in token.items()
        if isinstance(value, str) or value != 0
    ]


def explain_answer(
    learner: StructuredPerceptron, x: Any, y: Any, against: Any, xs: Any
) -> Explanation:
    """Explain the score of an output, or its lead over another one."""
    problem = learner._problem()
    weights = learner._serving()
    judge = Judge(problem, weights, x, "x")
    prediction = problem.argmax(x, judge, "x")
    label = prediction if y is None else y

    # Only a space that can list its outputs has a runner-up.
    runner_up = None
    runner_up_score = None
    find_second = getattr(learner.space, "runner_up", None)
    if find_second is not None:
        runner_up = find_second(x, judge)
    if runner_up is not None:
        runner_up_score = judge(runner_up)

    change, _ = problem.features_of(x, label, "x")
    score = judge(label)
    if against is not None:
        other, _ = problem.features_of(x, against, "x")
        change = difference(change, other)
        score -= judge(against)

    parts = []
    for name, value in change.items():
        contribution = weights[name] * value
        if contribution:
            parts.append(Contribution(name, value, weights[name], contribution))
    n_nonzero = sum(value != 0 for value in change.values())
    found = Explanation(
        prediction=prediction,
        score=score,
        label=label,
        against=against,
        runner_up=runner_up,
        runner_up_score=runner_up_score,
        contributions=sorted(parts, key=lambda part: -abs(part.contribution)),
        without_weight=n_nonzero - len(parts),
    )
    if xs is None:
        return found
    ledger = learner.ledger_.best
    mistakes = ledger.past_mistakes(read_many("xs", xs), change, mean=learner.averaged)
    return found.with_mistakes(mistakes)


def explain_tags(
    learner: SequenceTagger, sentence: Any, compared: Sequence[str] | None, sentences: Any
) -> PathExplanation:
    """Explain the score of the predicted tags, and of other tags to compare with if given."""
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
    ledger = learner.ledger_.best
    path = model.numbers([predicted]).tolist()
    own = path_features(encoder.encode([listed]), path, model.order, model.tags)
    mistakes = ledger.past_mistakes(read_sentences(sentences), own, mean=learner.averaged)
    return found.with_mistakes(mistakes)
