"""Why this digit? One answer of a perceptron, traced to the mistakes that decided it.

A perceptron is the sum of its mistakes: each update added `step · x` to the right class and took it
from the wrong one. So the score of the class that won, minus that of the runner-up, for a new
picture z, is a sum over the updates: each puts in `step · (x·z + 1)`, the 1 being the bias, once
for every one of the two classes it moved. Summed by training picture, that says which pictures
spoke for the answer and which against it. Nothing is estimated: the sum is the difference.

The digits come with the package; no other data are needed.

    python examples/digits_by_mistakes.py
"""

from __future__ import annotations

import numpy as np

from rosenblatt import Perceptron, datasets

SHADES = " .:-=+*#%@"


def contributions(
    model: Perceptron, X: np.ndarray, z: np.ndarray, winner: int, runner_up: int
) -> dict[int, float]:
    """What each training row put into score(winner) - score(runner_up) on the picture z."""
    sums: dict[int, float] = {}
    for update in model.ledger_:
        sign = 0
        for answer, change in ((update.right, +1), (update.wrong, -1)):
            sign += change * ((answer == winner) - (answer == runner_up))
        if sign:
            said = sign * update.step * (X[update.row] @ z + 1)
            sums[update.row] = sums.get(update.row, 0.0) + said
    return sums


def picture(pixels: np.ndarray) -> list[str]:
    return ["".join(SHADES[int(v) * 9 // 16] * 2 for v in row) for row in pixels.reshape(8, 8)]


def side_by_side(pictures: list[np.ndarray], captions: list[str]) -> None:
    for lines in zip(*map(picture, pictures), strict=True):
        print("   ".join(lines))
    print("   ".join(f"{caption:16}" for caption in captions) + "\n")


def main() -> None:
    digits = datasets.digits()
    order = np.random.default_rng(0).permutation(len(digits.y))
    train, test = order[:1400], order[1400:]
    X, y = digits.X[train], digits.y[train]
    model = Perceptron(record=True).fit(X, y)
    print(f"{len(X)} digits learned, {model.stop_reason_} after {model.n_mistakes_} mistakes;")
    print(f"{model.score(digits.X[test], digits.y[test]):.1%} of {len(test)} others right\n")

    # The closest call among the test pictures that were got wrong is the one worth explaining.
    scores = model.decision_function(digits.X[test])
    best, second = np.argsort(scores, axis=1)[:, [-1, -2]].T
    lead = scores.max(axis=1) - np.sort(scores, axis=1)[:, -2]
    lead[best == digits.y[test]] = np.inf
    case = int(lead.argmin())
    z, winner, runner_up = digits.X[test[case]], int(best[case]), int(second[case])

    sums = contributions(model, X, z, winner, runner_up)
    side_by_side([z], [f"a {digits.y[test[case]]}, taken for {winner}"])
    difference = scores[case, winner] - scores[case, runner_up]
    print(f"score of {winner} minus score of {runner_up}: {difference:g}")
    print(f"sum over {len(sums)} training pictures: {sum(sums.values()):g}\n")

    ranked = sorted(sums, key=sums.__getitem__)
    for title, rows in ((f"most for {winner}", ranked[:-4:-1]), (f"for {runner_up}", ranked[:3])):
        print(f"the three that spoke {title}")
        side_by_side([X[row] for row in rows], [f"a {y[row]}: {sums[row]:+g}" for row in rows])


if __name__ == "__main__":
    main()
