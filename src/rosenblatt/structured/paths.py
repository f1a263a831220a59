"""Why a sentence got its tags: two paths side by side, with the score of every choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rosenblatt._kernels.tags import tag_search
from rosenblatt._kernels.tags.tag_weights import TagWeights
from rosenblatt.structured.sentences import Encoded

__all__ = ["Choice", "PathExplanation", "explained"]


class Choice(NamedTuple):
    """A tag of a token: what the features of the token and the tags before it say for it."""

    token: Any
    tag: str
    features: float
    step: float


@dataclass(frozen=True)
class PathExplanation:
    """The tags found and, if given, others, with the score of every choice.

    Attributes
    ----------
    predicted : list of Choice
    compared : list of Choice or None
    scores : list of dict
        For each token a mapping of every tag to what the features of the token say for it.
    """

    predicted: list[Choice]
    compared: list[Choice] | None
    scores: list[dict[str, float]]

    @property
    def score(self) -> float:
        """Of the tags found: the sum of all choices."""
        return sum(choice.features + choice.step for choice in self.predicted)

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
        return "\n".join([*lines, total])


def _shown(token: Any) -> str:
    return str(token if isinstance(token, str) else next(iter(token), ""))[:20]


def _columns(choice: Choice) -> str:
    return f"{choice.tag:10} {choice.features:>10.5g} {choice.step:>8.4g}"


def explained(
    weights: TagWeights,
    encoded: Encoded,
    sentence: list[Any],
    tags: list[str],
    predicted: list[str],
    compared: list[str] | None,
) -> PathExplanation:
    """The choices along one or two paths of one sentence."""
    table = tag_search.emission_table(
        weights, encoded.feature_starts, encoded.features, encoded.values
    )
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

    return PathExplanation(
        choices(predicted),
        None if compared is None else choices(compared),
        [dict(zip(tags, np.asarray(row, float).tolist(), strict=True)) for row in table],
    )
