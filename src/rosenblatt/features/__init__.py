"""Rows of a file as features: numbers scaled, categories one-hot, texts as hashed n-grams."""

from __future__ import annotations

from rosenblatt.features.formats import (
    AnySchema,
    SparseSchema,
    TextSchema,
    schema_from_json,
)
from rosenblatt.features.schema import Schema
from rosenblatt.features.text import TextFeatures

__all__ = [
    "AnySchema",
    "Schema",
    "SparseSchema",
    "TextFeatures",
    "TextSchema",
    "schema_from_json",
]
