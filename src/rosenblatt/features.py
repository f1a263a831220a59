"""Rows of a file as features: numbers scaled, categories one-hot, texts as hashed n-grams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt import lazy

if TYPE_CHECKING:
    from rosenblatt.tables.features.association import AssociationLayer as AssociationLayer
    from rosenblatt.tables.features.growing_schema import GrowingSchema as GrowingSchema
    from rosenblatt.tables.features.schema import Schema as Schema
    from rosenblatt.tables.features.schemas import AnySchema as AnySchema
    from rosenblatt.tables.features.schemas import FeatureOptions as FeatureOptions
    from rosenblatt.tables.features.schemas import SparseSchema as SparseSchema
    from rosenblatt.tables.features.schemas import TextSchema as TextSchema
    from rosenblatt.tables.features.schemas import UnseenValues as UnseenValues
    from rosenblatt.tables.features.schemas import guess_schema as guess_schema
    from rosenblatt.tables.features.schemas import schema_from_json as schema_from_json
    from rosenblatt.tables.features.table_features import TableFeatures as TableFeatures
    from rosenblatt.tables.features.text import TextFeatures as TextFeatures

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    {
        "rosenblatt.tables.features.association": "AssociationLayer",
        "rosenblatt.tables.features.growing_schema": "GrowingSchema",
        "rosenblatt.tables.features.schema": "Schema",
        "rosenblatt.tables.features.schemas": "AnySchema FeatureOptions SparseSchema TextSchema "
        "UnseenValues guess_schema schema_from_json",
        "rosenblatt.tables.features.table_features": "TableFeatures",
        "rosenblatt.tables.features.text": "TextFeatures",
    },
)
