"""Rows of a file as features: numbers scaled, categories one-hot, texts as hashed n-grams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt import lazy

if TYPE_CHECKING:
    from rosenblatt.features.association import AssociationLayer as AssociationLayer
    from rosenblatt.features.growing_schema import GrowingSchema as GrowingSchema
    from rosenblatt.features.schema import Schema as Schema
    from rosenblatt.features.schemas import AnySchema as AnySchema
    from rosenblatt.features.schemas import FeatureOptions as FeatureOptions
    from rosenblatt.features.schemas import SparseSchema as SparseSchema
    from rosenblatt.features.schemas import TextSchema as TextSchema
    from rosenblatt.features.schemas import UnseenValues as UnseenValues
    from rosenblatt.features.schemas import guess_schema as guess_schema
    from rosenblatt.features.schemas import schema_from_json as schema_from_json
    from rosenblatt.features.table_features import TableFeatures as TableFeatures
    from rosenblatt.features.text import TextFeatures as TextFeatures

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    {
        ".association": "AssociationLayer",
        ".growing_schema": "GrowingSchema",
        ".schema": "Schema",
        ".schemas": "AnySchema FeatureOptions SparseSchema TextSchema UnseenValues guess_schema "
        "schema_from_json",
        ".table_features": "TableFeatures",
        ".text": "TextFeatures",
    },
)
