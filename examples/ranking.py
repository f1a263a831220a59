"""Which hotel first? An order of preference, learned from the orders that guests chose.

The answer to a list of hotels is a whole order of it. Its features are a sum over all pairs of
what the one ahead has more of than the one behind:

    phi(x, y) = sum over i ahead of j of (x_i - x_j)

Among n! orders the one with the highest score is found by sorting: with the score w·x of each
hotel, the best order is from the highest to the lowest. The guests follow a taste that the learner
never sees, with a bit of chance in it, so that no weights agree with all of them.

    python examples/ranking.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt import StructuredPerceptron

COLUMNS = ("price", "distance", "stars", "rating")
TASTE = np.array([-1.0, -0.6, 0.3, 1.4])
HOTELS = 6

Hotels = np.ndarray
Order = tuple[int, ...]


def features(hotels: Hotels, order: Order) -> dict[str, float]:
    # The hotel in place k is ahead of n - 1 - k others and behind k.
    leads = len(order) - 1 - 2 * np.arange(len(order))
    return dict(zip(COLUMNS, leads @ hotels[list(order)], strict=True))


def sort(hotels: Hotels, score: Any) -> Order:
    return by(hotels @ [score.weights[column] for column in COLUMNS])


def by(scores: np.ndarray) -> Order:
    return tuple(np.argsort(-scores, kind="stable").tolist())


def swapped(right: Order, order: Order) -> int:
    """Pairs that stand the wrong way round."""
    place = {hotel: k for k, hotel in enumerate(right)}
    ranks = [place[hotel] for hotel in order]
    return sum(a > b for k, a in enumerate(ranks) for b in ranks[k + 1 :])


def guests(random: np.random.Generator, n: int) -> tuple[list[Hotels], list[Order]]:
    lists = [random.normal(size=(HOTELS, len(COLUMNS))) for _ in range(n)]
    return lists, [by(hotels @ TASTE + 0.3 * random.normal(size=HOTELS)) for hotels in lists]


def main() -> None:
    random = np.random.default_rng(0)
    train, dev, (lists, orders) = guests(random, 300), guests(random, 100), guests(random, 1000)
    answers = {
        "any order": [tuple(range(HOTELS)) for _ in lists],
        "cheapest first": [by(-hotels[:, 0]) for hotels in lists],
        "best rated first": [by(hotels[:, 3]) for hotels in lists],
        "the hidden taste": [by(hotels @ TASTE) for hotels in lists],
    }
    settings = {"features": features, "argmax": sort, "max_iter": 100}
    models = {
        "perceptron, last": StructuredPerceptron(averaged=False, **settings),
        "perceptron, averaged": StructuredPerceptron(**settings),
        "MIRA, cost = swapped pairs": StructuredPerceptron(
            update="mira", cost=swapped, C=0.01, **settings
        ),
    }
    for name, model in models.items():
        answers[name] = model.fit(*train, validation_set=dev).predict(lists)

    pairs = HOTELS * (HOTELS - 1) // 2
    print(f"{len(lists)} new guests, {HOTELS} hotels each, {len(train[0])} guests learned from\n")
    print(f"{'ranking':28}  {'pairs':>6}  {'first':>6}  {'whole order':>11}")
    for name, given in answers.items():
        both = list(zip(orders, given, strict=True))
        right = 1 - np.mean([swapped(*pair) for pair in both]) / pairs
        first = np.mean([a[0] == b[0] for a, b in both])
        whole = np.mean([a == b for a, b in both])
        print(f"{name:28}  {right:6.1%}  {first:6.1%}  {whole:11.1%}")

    weights = models["perceptron, averaged"].weights_
    length = np.linalg.norm(list(weights.values()))
    print(f"\n{'':10}{'hidden taste':>12}  {'learned':>8}")
    for column, taste in zip(COLUMNS, TASTE / np.linalg.norm(TASTE), strict=True):
        print(f"{column:10}{taste:12.2f}  {weights[column] / length:8.2f}")


if __name__ == "__main__":
    main()
