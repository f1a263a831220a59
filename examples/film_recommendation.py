"""Films as a stream: recommend one of five, see whether it is watched, learn from that alone.

A viewer comes, five films are at hand, one is recommended, and only of that one is it ever known
whether it was watched. `SoftPerceptron` gives each film a probability from a mapping that names the
film, its genre and the viewer with that genre, and learns from one film at a time (`learn_one`).
New viewers and films turn up at any time, as new features. One recommendation in ten is made at
random, so that tastes not tried yet can be found out.

The viewers are simulated: each loves two of six genres (watched 7 times in 10; other genres 1 time
in 10), and some films are better than others. So it is known what the best possible recommendations
would bring. All ways to recommend meet the same viewers, films and moods.

    python examples/film_recommendation.py
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rosenblatt import SoftPerceptron

GENRES = ["comedy", "crime", "drama", "horror", "romance", "western"]
AT_HAND, EXPLORING = 5, 0.1

Features = dict[str, float]


class Film(NamedTuple):
    name: str
    genre: str
    chance: float  # to be watched, which nobody knows but the simulation
    watched: bool  # if it is recommended now


Visit = tuple[str, list[Film]]


def visits(n: int = 8_000, seed: int = 0) -> Iterator[Visit]:
    """Viewers join as time goes by, and so do films."""
    dice = random.Random(seed)
    loves = [set(dice.sample(GENRES, 2)) for _ in range(60)]
    films = [(f"film {k}", dice.choice(GENRES), dice.uniform(0.7, 1.3)) for k in range(300)]
    for t in range(n):
        viewer = dice.randrange(20 + 40 * t // n)
        found = []
        for name, genre, quality in dice.sample(films[: 100 + 200 * t // n], AT_HAND):
            chance = min(1.0, quality * (0.7 if genre in loves[viewer] else 0.1))
            found.append(Film(name, genre, chance, dice.random() < chance))
        yield f"viewer {viewer}", found


def features(viewer: str, film: Film) -> Features:
    return {film.name: 1.0, film.genre: 1.0, f"{viewer}, {film.genre}": 1.0}


def main() -> None:
    dice, stream = random.Random(1), list(visits())
    shown: defaultdict[str, int] = defaultdict(int)
    liked: defaultdict[str, int] = defaultdict(int)
    learner = SoftPerceptron(eta0=0.2, average=False)

    def learned(viewer: str, films: list[Film]) -> Film:
        best = films[0]
        if dice.random() >= EXPLORING and hasattr(learner, "classes_"):
            chances = learner.predict_proba([features(viewer, film) for film in films])[:, 1]
            best = films[int(chances.argmax())]
        learner.learn_one(features(viewer, best), best.watched, classes=[False, True])
        return best

    def popular(_: str, films: list[Film]) -> Film:
        best = films[0]
        if dice.random() >= EXPLORING:
            best = max(films, key=lambda film: (liked[film.name] + 1) / (shown[film.name] + 2))
        shown[best.name] += 1
        liked[best.name] += best.watched
        return best

    ways: dict[str, Callable[[str, list[Film]], Film]] = {
        "at random": lambda _, films: films[0],
        "most popular": popular,
        "learned": learned,
        "best possible": lambda _, films: max(films, key=lambda film: film.chance),
    }
    print(f"{len(stream):,} simulated visits; share of recommended films that were watched")
    print("\nvisits up to  " + "  ".join(ways))
    watched = dict.fromkeys(ways, 0)
    for t, (viewer, films) in enumerate(stream, start=1):
        for name, way in ways.items():
            watched[name] += way(viewer, films).watched
        if t % 2000 == 0:
            print(f"{t:>12}  " + "  ".join(f"{watched[w] / 2000:>{len(w)}.1%}" for w in ways))
            watched = dict.fromkeys(ways, 0)


if __name__ == "__main__":
    main()
