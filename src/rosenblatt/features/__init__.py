"""Rows of a file as features: numbers scaled, categories one-hot, texts as hashed n-grams.

`AssociationLayer`, random units before a learner, is loaded when it is first used: it is a
scikit-learn transformer, and the rest does without scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
    "AssociationLayer",
    "Schema",
    "SparseSchema",
    "TextFeatures",
    "TextSchema",
    "schema_from_json",
]

if TYPE_CHECKING:
    from rosenblatt.features.association import AssociationLayer


def __getattr__(name: str) -> Any:
    if name != "AssociationLayer":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = import_module("rosenblatt.features.association").AssociationLayer
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
