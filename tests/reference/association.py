"""Rosenblatt's association units, as plainly as can be.

sensor      = feature j at level k, number j * n_levels + k; on if x_j > level
unit        = a few sensors, excitatory (+1) and inhibitory (-1), drawn one by one
fires       = (excitatory on) - (inhibitory on) >= threshold
on an image = each unit has a point; the chance of a connection falls by spread / (1 + spread)
              with every row and every column from there
"""

from math import comb

import numpy as np


def draws(seed: int, purpose: int, *shape: int) -> np.ndarray:
    return np.random.Generator(np.random.PCG64([purpose + 1, 0, seed])).random(shape)


def near(u: float, point: int, size: int, spread: float) -> int:
    """The place on a line of `size` points at which the chances reach u."""
    chances = [(spread / (1 + spread)) ** abs(place - point) for place in range(size)]
    reached = 0.0
    for place, chance in enumerate(chances):
        reached += chance / sum(chances)
        if u < reached:
            return place
    return size - 1


def wired(seed, n_units, signs, d, n_levels, image_shape=None, spread=3.0) -> list[dict[int, int]]:
    """For each unit its sensors, and by how much each moves it."""
    m = len(signs)
    levels, places = draws(seed, 0, n_units, m), draws(seed, 1, n_units, m)
    rows, columns = draws(seed, 2, n_units, 1 + m), draws(seed, 3, n_units, 1 + m)
    units: list[dict[int, int]] = []
    for i in range(n_units):
        unit: dict[int, int] = {}
        for k, sign in enumerate(signs):
            feature = int(places[i, k] * d)
            if image_shape is not None:
                height, width = image_shape
                row = near(rows[i, 1 + k], int(rows[i, 0] * height), height, spread)
                column = near(columns[i, 1 + k], int(columns[i, 0] * width), width, spread)
                feature = row * width + column
            sensor = feature * n_levels + int(levels[i, k] * n_levels)
            unit[sensor] = unit.get(sensor, 0) + sign
        units.append({sensor: force for sensor, force in unit.items() if force})
    return units


def even_levels(X, n_levels: int) -> list[list[float]]:
    return [
        [min(x) + (max(x) - min(x)) * ((k + 0.5) / n_levels) for k in range(n_levels)]
        for x in np.asarray(X, float).T.tolist()
    ]


def fires(x, units, levels, threshold: int) -> list[int]:
    """1 or 0 for each unit on the row x."""
    on = [value > level for value, its in zip(x, levels, strict=True) for level in its]
    return [int(sum(f for s, f in unit.items() if on[s]) >= threshold) for unit in units]


def expected_activity(excitatory: int, inhibitory: int, threshold: int, share_on: float) -> float:
    """Rosenblatt's P_a (1958): the chance that a unit fires when this share of sensors is on."""

    def exactly(k: int, n: int) -> float:
        return comb(n, k) * share_on**k * (1 - share_on) ** (n - k)

    return sum(
        exactly(e, excitatory) * exactly(i, inhibitory)
        for e in range(excitatory + 1)
        for i in range(inhibitory + 1)
        if e - i >= threshold
    )
