"""The average row, by what a schema keeps of the rows it was made for: none of them is needed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import FloatArray
from rosenblatt.tables.features.column_kinds import Category, Words
from rosenblatt.tables.features.schema import Schema
from rosenblatt.tables.features.schemas import AnySchema, TextSchema
from rosenblatt.tables.features.text import TextFeatures


class AverageRow(NamedTuple):
    """What is usual of each feature, and by how much rows differ in it.

    Numbers are scaled around their median, which is 0 and has a deviation of about 1. Of the
    levels of a category (``groups``: first feature and the one after the last) each counts the
    same. Of an n-gram the schema knows which share of the texts has it. Where nothing is known,
    the average is 0 and the deviation 1.
    """

    shares: FloatArray
    deviations: FloatArray
    groups: list[tuple[int, int]]

    @classmethod
    def of(cls, schema: AnySchema | None, n_features: int) -> AverageRow | None:
        """None if the schema says nothing that makes a row other than 0 the average."""
        found = cls(np.zeros(n_features), np.ones(n_features), [])
        if isinstance(schema, Schema):
            for start, column in schema.placed_columns():
                if isinstance(column, Category):
                    found._add_levels(start, column.n_features)
                elif isinstance(column, Words):
                    found._add_texts(start, column.features)
        elif isinstance(schema, TextSchema):
            found._add_texts(0, schema.features)
        return found if found.groups or found.shares.any() else None

    def _add_levels(self, start: int, n_levels: int) -> None:
        self.groups.append((start, start + n_levels))
        self.deviations[start : start + n_levels] = np.sqrt(n_levels - 1 or 1) / n_levels

    def _add_texts(self, start: int, features: TextFeatures) -> None:
        shares = features.shares()
        if shares is None:
            return
        stop = min(start + len(shares), len(self.shares))
        shares = shares[: stop - start]
        self.shares[start:stop] = shares
        # What an n-gram counts where it occurs: its idf, in texts of the usual length.
        values = 1.0 - np.log(np.maximum(shares, 1e-300))
        length = np.sqrt((shares * values**2).sum()) if features.unit else 1.0
        self.deviations[start:stop] = np.sqrt(shares * (1 - shares)) * values / max(length, 1e-300)

    def centred(self, weights: FloatArray) -> FloatArray:
        """The same weights but for a constant: those of the levels of a category average 0."""
        weights = weights.copy()
        for start, stop in self.groups:
            weights[..., start:stop] -= weights[..., start:stop].mean(axis=-1, keepdims=True)
        return weights
