"""Tagging sequences by the structured perceptron (Collins, 2002), with dicts and no shortcuts.

    score(x, y) = sum of w[feature, tag] * value  +  w[tag before, tag]  (+ w[two before, tag])

A sentence is a sequence of tokens, each a mapping of features to values; tags are numbers, and -1
stands before the first token. Inexact search: Huang, Fayong and Guo (2012).
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

Token = Mapping[Any, float]
Path = tuple[int, ...]
Weights = Mapping[Any, float]
BEGINNING = -1


def anything(*_: int) -> bool:
    return True


@dataclass(frozen=True)
class Space:
    """Which sequences there are: a tag may follow another, be the last, stand at a place."""

    n_tags: int
    order: int = 1
    follows: Callable[[int, int], bool] = anything
    ends: Callable[[int], bool] = anything
    can_be: Callable[[int, int], bool] = anything

    def holds(self, path: Path) -> bool:
        before = (BEGINNING, *path)
        return (
            all(self.follows(a, b) for a, b in zip(before, path, strict=False))
            and all(self.can_be(i, tag) for i, tag in enumerate(path))
            and self.ends(path[-1])
        )

    def paths(self, length: int) -> list[Path]:
        return [p for p in product(range(self.n_tags), repeat=length) if self.holds(p)]


def features(sentence: Sequence[Token], path: Path, order: int) -> Iterator[tuple[Any, float]]:
    """Of the tokens that the path reaches; a feature may come several times."""
    before = (BEGINNING, BEGINNING, *path)
    for i, tag in enumerate(path):
        for name, value in sentence[i].items():
            yield (name, tag), value
        yield ("step", before[i + 1], tag), 1.0
        if order == 2:
            yield ("pair", before[i], before[i + 1], tag), 1.0


def score(w: Weights, sentence: Sequence[Token], path: Path, order: int) -> float:
    return sum(w.get(key, 0.0) * value for key, value in features(sentence, path, order))


def cost(gold: Path, path: Path) -> int:
    return sum(a != b for a, b in zip(gold, path, strict=False))


def best(w: Weights, sentence: Sequence[Token], space: Space, gold: Path | None = None) -> Path:
    """The best of all sequences; with ``gold`` every wrong tag counts one more.

    Of equals the one with the lower tag at the last difference.
    """

    def worth(path: Path) -> float:
        extra = 0 if gold is None else cost(gold, path)
        return score(w, sentence, path, space.order) + extra

    return max(sorted(space.paths(len(sentence)), key=lambda path: path[::-1]), key=worth)


def beams(
    w: Weights, sentence: Sequence[Token], space: Space, size: int, gold: Path | None = None
) -> list[list[tuple[float, Path]]]:
    """The beginnings kept at every token, best first; of equals the one that was found first.

    If all beginnings end blind, the search begins again without those that do.
    """
    n = len(sentence)
    for is_careful in (False, True):
        found: list[list[tuple[float, Path]]] = []
        beam: list[tuple[float, Path]] = [(0.0, ())]
        for i in range(n):
            longer = []
            for _, path in beam:
                for tag in range(space.n_tags):
                    more = (*path, tag)
                    before = path[-1] if path else BEGINNING
                    if not (space.follows(before, tag) and space.can_be(i, tag)):
                        continue
                    if i == n - 1 and not space.ends(tag):
                        continue
                    if is_careful and not _can_end(space, more, n):
                        continue
                    extra = 0 if gold is None else cost(gold, more)
                    longer.append((score(w, sentence, more, space.order) + extra, more))
            beam = sorted(longer, key=lambda entry: -entry[0])[:size]
            found.append(beam)
            if not beam:
                break
        if beam:
            break
    return found


def _can_end(space: Space, path: Path, length: int) -> bool:
    rest = product(range(space.n_tags), repeat=length - len(path))
    return any(space.holds((*path, *tail)) for tail in rest)


@dataclass
class Run:
    """Weights after every sentence, mistakes of every epoch, and (sentence, found, step, t)."""

    snapshots: list[dict[Any, float]] = field(default_factory=list)
    mistakes: list[int] = field(default_factory=list)
    log: list[tuple[int, Path, float, int]] = field(default_factory=list)

    def average(self) -> dict[Any, float]:
        total: defaultdict[Any, float] = defaultdict(float)
        for snapshot in self.snapshots:
            for key, value in snapshot.items():
                total[key] += value
        return {key: value / len(self.snapshots) for key, value in total.items()}


def train(
    sentences: Sequence[Sequence[Token]],
    golds: Sequence[Path],
    space: Space,
    visits: Sequence[Sequence[int]],
    *,
    beam: int = 0,
    update: str = "whole",
    C: float = 0.0,
    start: Weights | None = None,
) -> Run:
    """``visits`` has the order of every epoch; ``C`` above 0 is MIRA with cost-augmented search."""
    w: dict[Any, float] = dict(start or {})
    run = Run()
    for epoch in visits:
        run.mistakes.append(0)
        for s in epoch:
            sentence, gold = sentences[s], golds[s]
            found = _found(w, sentence, gold, space, beam, update, C > 0)
            if found is not None:
                delta: defaultdict[Any, float] = defaultdict(float)
                for key, value in features(sentence, gold[: len(found)], space.order):
                    delta[key] += value
                for key, value in features(sentence, found, space.order):
                    delta[key] -= value
                step = 1.0
                if C:
                    loss = cost(gold, found) - sum(w.get(k, 0.0) * v for k, v in delta.items())
                    step = max(0.0, min(C, loss / sum(v * v for v in delta.values())))
                if step:
                    for key, value in delta.items():
                        w[key] = w.get(key, 0.0) + step * value
                    run.mistakes[-1] += 1
                    run.log.append((s, found, step, len(run.snapshots) + 1))
            run.snapshots.append(dict(w))
        if run.mistakes[-1] == 0:
            break
    return run


def _found(
    w: Weights,
    sentence: Sequence[Token],
    gold: Path,
    space: Space,
    beam: int,
    update: str,
    with_cost: bool,
) -> Path | None:
    """The wrong beginning to learn from; None if all is right."""
    costly = gold if with_cost else None
    if not beam:
        found = best(w, sentence, space, costly)
        return None if found == gold else found
    kept = beams(w, sentence, space, beam, costly)
    last = kept[-1][0][1]
    if last == gold:
        return None
    if update == "whole":
        return last
    if update == "early":
        for i, entries in enumerate(kept):
            if gold[: i + 1] not in [path for _, path in entries]:
                return entries[0][1]
        return last
    violations = []
    for i, entries in enumerate(kept):
        top, path = entries[0]
        if path != gold[: i + 1]:
            behind = top - score(w, sentence, gold[: i + 1], space.order)
            violations.append((behind, len(path), path))
    return max(violations)[2]
