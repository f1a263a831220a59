"""Fifty recorders in a forest: one learner for all of them, one for each, or both in one?

Recorders high in the trees hear elephants, poachers, and much else. Each hears in its own way, so
one boundary for all of them fits none quite; but one recorder alone hears too little to learn from
soon. The third way is to give every example twice to one learner: once in columns that all
recorders share, once in columns of its own recorder. What is true everywhere is learned in the
former, and what is odd about a recorder in the latter.

Every four hours' recordings are first answered, then their labels arrive and are learned
(test-then-train). The stream is simulated; `rosenblatt.datasets.recorders` says what it is made of.

    python examples/forest_recorders.py
"""

from __future__ import annotations

import numpy as np

from rosenblatt import AveragedPerceptron, datasets

RECORDERS, PER_HOUR, DAYS = 50, 100, 16
SHIFT = 4  # hours until someone has listened and labelled
CREATURES = ("elephant", "poacher")


def with_own_columns(X: np.ndarray, recorder: np.ndarray) -> np.ndarray:
    """Each row once for all, and once, with a 1 for a bias, in the columns of its recorder."""
    n, bands = X.shape
    own = np.zeros((n, RECORDERS, bands + 1))
    own[np.arange(n), recorder] = np.column_stack([X, np.ones(n)])
    return np.hstack([X, own.reshape(n, -1)])


def answers(learner: AveragedPerceptron, X: np.ndarray) -> np.ndarray:
    """Before a learner has seen anything, it hears background."""
    return (
        learner.predict(X) if hasattr(learner, "n_features_in_") else np.full(len(X), "background")
    )


def main() -> None:
    n = DAYS * 24 * PER_HOUR
    stream = datasets.recorders(RECORDERS, n, per_hour=PER_HOUR)
    shared, both = AveragedPerceptron(), AveragedPerceptron()
    own = [AveragedPerceptron() for _ in range(RECORDERS)]
    names = ("always background", "one for all", "one for each", "both in one")
    answered: dict[str, list[np.ndarray]] = {name: [] for name in names}
    truth = []
    for recorder, _, X, y in stream.blocks(SHIFT * PER_HOUR):
        wide = with_own_columns(X, recorder)
        alone = np.empty_like(y)
        for k in np.unique(recorder):
            alone[recorder == k] = answers(own[k], X[recorder == k])
            own[k].partial_fit(X[recorder == k], y[recorder == k])
        said = np.full_like(y, "background"), answers(shared, X), alone, answers(both, wide)
        shared.partial_fit(X, y)
        both.partial_fit(wide, y)
        truth.append(y)
        for name, labels in zip(names, said, strict=True):
            answered[name].append(labels)

    y = np.concatenate(truth)
    print(f"{n:,} simulated recordings of {RECORDERS} recorders in {DAYS} days, of which")
    counts = " and ".join(f"{(y == c).sum():,} of {c}s" for c in CREATURES)
    print(f"{counts}; learned every {SHIFT} hours")
    days = np.arange(n) // (24 * PER_HOUR) + 1
    periods = [(1, 1), (2, 2), (3, 4), (5, 8), (9, 16)]
    header = "  ".join(f"{f'{a}-{b}' if a < b else a:>5}" for a, b in periods)
    print(f"\nwrong answers\n{'on days':>17}  {header}  | elephants, poachers missed")
    for name in names:
        wrong = np.concatenate(answered[name]) != y
        row = "  ".join(f"{wrong[(days >= a) & (days <= b)].mean():5.1%}" for a, b in periods)
        missed = "  ".join(f"{wrong[(days > 8) & (y == c)].mean():9.1%}" for c in CREATURES)
        print(f"{name:>17}  {row}  | {missed}")
    print(
        "\nMissed: on days 9-16. One for each begins worst, since each hears a fiftieth of all. One"
    )
    print(
        "for all learns soon, and then stays where it is. Both in one ends best by a little, though"
    )
    print("not on poachers, whose shots sound like falling trees to all of them.")


if __name__ == "__main__":
    main()
