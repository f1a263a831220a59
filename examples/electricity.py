"""The price of electricity: a stream that drifts, learned in batches as time goes on.

Half-hour by half-hour, will the price in New South Wales be above its mean of the last day? Each
batch is first answered, then learned with `partial_fit` (test-then-train), so every error counted
was made on rows not seen before.

The data are elec2 (Harries 1999), with columns already between 0 and 1, if the folder named by the
environment variable ROSENBLATT_DATA holds them. Otherwise the stream is simulated. No column is
scaled with numbers from the future: values in 0..1 are only moved to -0.5..0.5.

    python examples/electricity.py
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from rosenblatt import (
    MIRA,
    AveragedPerceptron,
    PassiveAggressive,
    Perceptron,
    SoftPerceptron,
)
from rosenblatt.io import read_table

BESIDE = Path(__file__).resolve().parents[1].parent / "shared" / "data"
FILE = Path(os.environ.get("ROSENBLATT_DATA", BESIDE)) / "elec2" / "elec.csv.gz"
BATCH = 48  # half-hours: a day at a time
PERIODS = 8


def real_stream() -> tuple[np.ndarray, np.ndarray]:
    X, y = read_table(FILE, target=-1)
    return X, np.where(y == 1, "up", "down")


def simulated_stream(n: int = 45_312, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Six columns in 0..1; the line between up and down turns around, one label in ten lies."""
    dice = np.random.default_rng(seed)
    X = dice.random((n, 6))
    angle = np.linspace(0, 2 * np.pi, n)
    score = np.cos(angle) * (X[:, 0] - 0.5) + np.sin(angle) * (X[:, 1] - 0.5)
    return X, np.where((score > 0) ^ (dice.random(n) < 0.1), "up", "down")


def main() -> None:
    real = FILE.exists()
    X, y = real_stream() if real else simulated_stream()
    X = np.ascontiguousarray(X - 0.5)
    if real:
        print(f"elec2: {len(y):,} half-hours of the price of electricity, in order of time")
    else:
        print(f"{len(y):,} simulated half-hours (no real ones: ROSENBLATT_DATA is not set or holds")
        print("no elec2): a boundary that turns once around, and one label in ten is a lie")
    learners = {
        "Perceptron": Perceptron(),
        "with margin 1": Perceptron(margin=1.0),
        "Averaged": AveragedPerceptron(),
        "MIRA": MIRA(),
        "PA-I, C=0.1": PassiveAggressive(C=0.1, average=False),
        "Soft, eta0=0.3": SoftPerceptron(eta0=0.3, average=False),
    }
    wrong = {name: np.zeros(len(y), bool) for name in ("as yesterday", *learners)}
    for start in range(BATCH, len(y), BATCH):
        past, now = slice(start - BATCH, start), slice(start, start + BATCH)
        wrong["as yesterday"][now] = y[now] != y[past][: len(y[now])]
        for name, learner in learners.items():
            learner.partial_fit(X[past], y[past])
            wrong[name][now] = learner.predict(X[now]) != y[now]

    # The first batch was learned from without being asked about.
    parts = np.array_split(np.arange(BATCH, len(y)), PERIODS)
    print(f"\nerrors in each of {PERIODS} periods, and in all")
    for name, errors in wrong.items():
        row = "  ".join(f"{errors[part].mean():4.0%}" for part in parts)
        print(f"{name:>14}  {row}  | {errors[BATCH:].mean():6.1%}")
    print(
        "\nThe average remembers all of the past, so it lags where the past is no guide; short and"
    )
    print("soft steps follow the drift and shrug off single rows.")


if __name__ == "__main__":
    main()
