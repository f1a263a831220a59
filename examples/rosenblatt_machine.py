"""Rosenblatt's machine reads digits: how many association units does it take?

The perceptron of 1958 did not learn from the points of its retina. Between them and what learns
stood association units, each wired at random to a few points, and the wiring never changed. Here
the retina has 8 × 8 points. The same learner is shown the points themselves, and then 30 to 3,000
units: of a retina that tells dark from bright, as Rosenblatt's did; of one that also sees greys,
at eight levels; and of that with every unit wired around a point of its own. The figures are
errors on digits not learned from, on average over three ways to divide the digits.

The digits come with the package; no other data are needed.

    python examples/rosenblatt_machine.py
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer, MaxAbsScaler

from rosenblatt import AveragedPerceptron, datasets
from rosenblatt.features import AssociationLayer

SPLITS = ShuffleSplit(3, test_size=0.25, random_state=0)
HALF_BRIGHT = 8.0


def error(before: Any) -> float:
    """The share of new digits answered wrong by a learner behind the given step."""
    digits = datasets.digits()
    X, y = digits.X.astype(np.float32), digits.y
    errors = []
    for train, test in SPLITS.split(X):
        model = make_pipeline(before, AveragedPerceptron(max_iter=10, tol=None))
        errors.append(1 - model.fit(X[train], y[train]).score(X[test], y[test]))
    return float(np.mean(errors))


def main() -> None:
    print("                  dark or bright       greys   greys, around a point")
    dots, greys = error(Binarizer(threshold=HALF_BRIGHT)), error(MaxAbsScaler())
    print(f"   the 64 points {dots:15.1%} {greys:11.1%}")
    for n_units in (30, 100, 300, 1000, 3000):
        layers = (
            AssociationLayer(n_units, levels=[HALF_BRIGHT]),
            AssociationLayer(n_units, levels=8),
            AssociationLayer(n_units, levels=8, image_shape=(8, 8)),
        )
        one, eight, local = map(error, layers)
        print(f"{n_units:10,} units {one:15.1%} {eight:11.1%} {local:23.1%}")


if __name__ == "__main__":
    with warnings.catch_warnings():
        # Ten epochs for everyone, though they do not separate what has few features.
        warnings.simplefilter("ignore", ConvergenceWarning)
        main()
