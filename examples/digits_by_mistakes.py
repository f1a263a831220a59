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

    why = model.explain(z, winner, against=runner_up, X=X)
    sums = {one.row: one.contribution for one in why.mistakes}
    side_by_side([z], [f"a {digits.y[test[case]]}, taken for {winner}"])
    print(f"score of {winner} minus score of {runner_up}: {why.score:g}")
    print(f"sum over {len(sums)} training pictures: {sum(sums.values()):g}\n")

    ranked = sorted(sums, key=sums.__getitem__)
    for title, rows in ((f"most for {winner}", ranked[:-4:-1]), (f"for {runner_up}", ranked[:3])):
        print(f"the three that spoke {title}")
        side_by_side([X[row] for row in rows], [f"a {y[row]}: {sums[row]:+g}" for row in rows])


if __name__ == "__main__":
    main()
