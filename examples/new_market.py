"""Ad placement in a new market: change nothing, begin anew, or go on learning?

A page is opened, one of eight ads is placed on it, and only of that one is it ever known whether it
was clicked. `SoftPerceptron` gives each ad a probability from a mapping that names the ad, also
together with the topic of the page and with the device, and learns from one ad at a time
(`learn_one`). One ad in ten is placed at random, so that what is not tried yet can be found out.

The markets are simulated: it is drawn at random which topics an ad suits, and for the new market
drawn anew for three of the eight ads. So it is known what the best possible ads would bring. The
old market is learned first; then three learners meet the same pages of the new one: one is kept as
it is, one begins with nothing, one goes on learning. What was learned elsewhere helps at first, and
later no more; the clicks are added up over four such pairs of markets.

    python examples/new_market.py
"""

from __future__ import annotations

import random
from copy import deepcopy
from typing import NamedTuple

from rosenblatt import SoftPerceptron

ADS = [f"ad {k}" for k in range(8)]
TOPICS = ["cars", "cooking", "health", "money", "music", "news", "sport", "travel"]
DEVICES = {"computer": 1.0, "phone": 0.7, "tablet": 0.5}
EXPLORING, WINDOW = 0.1, 1000
NAMES = ["at random", "as it was", "from nothing", "goes on", "best possible"]

# The topics that each ad suits: clicked 4 times in 10, else 1 time in 20; nobody knows them.
Market = dict[str, set[str]]


class Page(NamedTuple):
    topic: str
    device: str
    mood: float  # an ad is clicked if its chance is above this

    def chance(self, ad: str, market: Market) -> float:
        return (0.4 if self.topic in market[ad] else 0.05) * DEVICES[self.device]

    def features(self, ad: str) -> dict[str, float]:
        return {ad: 1.0, f"{ad}, {self.topic}": 1.0, f"{ad}, {self.device}": 1.0}


def pages(n: int, dice: random.Random) -> list[Page]:
    return [Page(dice.choice(TOPICS), dice.choice(list(DEVICES)), dice.random()) for _ in range(n)]


def placed(learner: SoftPerceptron, page: Page, dice: random.Random) -> str:
    """The ad with the best chance as far as is known, now and then any."""
    if dice.random() < EXPLORING or not hasattr(learner, "classes_"):
        return dice.choice(ADS)
    chances = learner.predict_proba([page.features(ad) for ad in ADS])[:, 1]
    return ADS[int(chances.argmax())]


def learn(learner: SoftPerceptron, page: Page, ad: str, market: Market) -> None:
    clicked = page.mood < page.chance(ad, market)
    learner.learn_one(page.features(ad), clicked, classes=[False, True])


def enter(dice: random.Random) -> list[dict[str, int]]:
    """Learn an old market, then count the clicks in each thousand pages of a new one."""
    old = {ad: set(dice.sample(TOPICS, 2)) for ad in ADS}
    new = old | {ad: set(dice.sample(TOPICS, 2)) for ad in ADS[:3]}
    known, fresh = SoftPerceptron(eta0=0.2), SoftPerceptron(eta0=0.2)
    for page in pages(4 * WINDOW, dice):
        learn(known, page, placed(known, page, dice), old)
    learners = {"as it was": known, "from nothing": fresh, "goes on": deepcopy(known)}
    clicks = []
    for t, page in enumerate(pages(4 * WINDOW, dice)):
        if t % WINDOW == 0:
            clicks.append(dict.fromkeys(NAMES, 0))
        ads = {name: placed(learner, page, dice) for name, learner in learners.items()}
        ads["at random"] = dice.choice(ADS)
        ads["best possible"] = max(ADS, key=lambda ad: page.chance(ad, new))
        for name, ad in ads.items():
            clicks[-1][name] += page.mood < page.chance(ad, new)
        for name in ("from nothing", "goes on"):
            learn(learners[name], page, ads[name], new)
    return clicks


def main() -> None:
    runs = [enter(random.Random(seed)) for seed in range(4)]
    print("clicks in four simulated markets, in which 3 of 8 ads suit other topics than before")
    print("\npages up to  " + "  ".join(NAMES))
    for place, parts in enumerate(zip(*runs, strict=True), start=1):
        sums = (f"{sum(part[name] for part in parts):>{len(name)}}" for name in NAMES)
        print(f"{place * WINDOW:>11}  " + "  ".join(sums))


if __name__ == "__main__":
    main()
