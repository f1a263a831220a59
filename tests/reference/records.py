"""Records of a number and a category as rows, written plainly.

The number becomes (value - mean) / deviation by the values of the records before it, cut off at
±3; the first one is its own mean. A gap is 0. The category has a column for each level; a gap
counts as the most frequent level of the first records, an unseen level as none.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class PlainRecords:
    """Knows the numbers of all records so far."""

    def __init__(self, number: str, category: str, levels: list[str], mode: str) -> None:
        self.number = number
        self.category = category
        self.levels = levels
        self.mode = mode
        self.values: list[float] = []

    def learn(self, record: dict[str, Any]) -> dict[int, float]:
        """Return the row of a record by its columns; its number counts from the next one on."""
        row = {}
        value = record.get(self.number)
        if value is not None:
            before = self.values or [value]
            deviation = np.std(before)
            scaled = (value - np.mean(before)) / (deviation if deviation > 1e-9 else 1.0)
            row[0] = float(np.clip(scaled, -3.0, 3.0))
            self.values.append(value)
        level = record.get(self.category) or self.mode
        if level in self.levels:
            row[1 + self.levels.index(level)] = 1.0
        return row
