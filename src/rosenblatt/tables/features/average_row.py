"""The average row, estimated from the statistics of the training rows in a schema."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.tables.features.column_kinds import Category, Words
from rosenblatt.tables.features.schema import Schema
from rosenblatt.tables.features.schemas import AnySchema, TextSchema
from rosenblatt.tables.features.text import TextFeatures

# Least divisor and least argument of a logarithm, so that neither is 0.
SMALLEST = 1e-300


class AverageRow(NamedTuple):
    """The average and the standard deviation of each feature.

    Numbers are scaled around their median, which becomes 0, with a deviation of about 1. The levels
    of a category (``groups``: the first feature and the one after the last) are taken to be equally
    frequent. For n-grams the schema knows the share of texts that have each. The average of all
    other features is 0 and their deviation 1.
    """

    shares: FloatArray
    deviations: FloatArray
    groups: list[tuple[int, int]]

    @classmethod
    def of(cls, schema: AnySchema | None, n_features: int) -> AverageRow | None:
        """Return the average row of a schema; None without categories and n-gram frequencies."""
        found = cls(np.zeros(n_features), np.ones(n_features), [])
        if isinstance(schema, Schema):
            for start, column in schema.placed_columns():
                if isinstance(column, Category):
                    found._add_levels(start, column.n_features)
                elif isinstance(column, Words):
                    found._add_texts(start, column.features)
        elif isinstance(schema, TextSchema):
            found._add_texts(0, schema.features)

        if found.groups or found.shares.any():
            return found
        return None

    def _add_levels(self, start: int, n_levels: int) -> None:
        """Add a category of n levels, each with the standard deviation √(n - 1) / n."""
        stop = start + n_levels
        self.groups.append((start, stop))
        # A single level has a deviation of 1, as numbers have.
        self.deviations[start:stop] = np.sqrt(n_levels - 1 or 1) / n_levels

    def _add_texts(self, start: int, features: TextFeatures) -> None:
        """Add the n-grams of a text column, with their shares and standard deviations.

        An n-gram that a share s of the texts has deviates by √(s · (1 - s)) · idf / length.
        """
        shares = features.shares()
        if shares is None:
            return
        stop = min(start + len(shares), len(self.shares))
        shares = shares[: stop - start]
        self.shares[start:stop] = shares

        # The value of an n-gram where it occurs is its idf, in texts of the usual length.
        idf = 1.0 - np.log(np.maximum(shares, SMALLEST))
        length = 1.0
        if features.unit:
            length = np.sqrt((shares * idf**2).sum())
        spread = np.sqrt(shares * (1 - shares))
        self.deviations[start:stop] = spread * idf / max(length, SMALLEST)

    def centred(self, weights: FloatArray) -> FloatArray:
        """Return weights shifted so that the weights of the levels of each category average 0."""
        weights = weights.copy()
        for start, stop in self.groups:
            levels = weights[..., start:stop]
            levels -= levels.mean(axis=-1, keepdims=True)
        return weights
