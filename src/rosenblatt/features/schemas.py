"""Schemas for what is not a table: labelled texts, and rows that are features already."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import SparseRows
from rosenblatt.errors import InputError, ModelFileError, ParameterError
from rosenblatt.features.column_kinds import Growth
from rosenblatt.features.schema import MOST_NAMES, Schema
from rosenblatt.features.text import UNSOUND, TextFeatures
from rosenblatt.io.block import Block
from rosenblatt.io.labelled_text import iter_text
from rosenblatt.io.sources import Given
from rosenblatt.io.svmlight import iter_svmlight
from rosenblatt.io.vw import iter_vw

__all__ = ["AnySchema", "SparseSchema", "TextSchema", "schema_from_json", "schema_of_columns"]


class TextSchema:
    """``label<TAB>text``: n-grams of the text."""

    kind = "text"

    def __init__(self, features: TextFeatures) -> None:
        self.features = features

    @property
    def n_features(self) -> int:
        return max(self.features.n_features, 1)

    def encode(self, block: Any) -> SparseRows:
        return self.features.encode(block.rows)

    def learn(self, block: Any) -> SparseRows:
        """As `encode`; n-grams met for the first time get a name or, if exact, a column."""
        return self.features.learn(block.rows)

    def grow(self, block: Any, most_levels: int | None = None) -> Growth:
        """As `Schema.grow`; n-grams join in `learn`, after the last one."""
        return Growth([], {})

    def read(self, path: Given, *, labelled: bool = False, **options: Any) -> Block:
        """Read texts to `encode`, one a line; if labelled, each after its label and a tab."""
        return iter_text(path, labelled=labelled, **options).whole()

    def names(self, features: Iterable[int]) -> list[str]:
        columns = list(features)
        found = self.features.names(columns)
        return [name or f"hash {column}" for name, column in zip(found, columns, strict=True)]

    def unknown(self, block: Any) -> dict[str, dict[str, int]]:
        return {}

    def reader_options(self) -> dict[str, Any]:
        return {}

    def describe(self) -> list[str]:
        return [f"text  {self.features.describe()}"]

    def to_json(self, weights: npt.NDArray[Any] | None = None) -> dict[str, Any]:
        kept: Any = range(self.n_features)
        if weights is not None:
            size = np.abs(weights).max(axis=0)
            largest = np.argsort(-size, kind="stable")[:MOST_NAMES]
            kept = np.sort(largest[size[largest] > 0]).tolist()
        return {"kind": "text", "features": self.features.to_json(kept)}


class SparseSchema:
    """svmlight and Vowpal Wabbit rows: the columns are features as they are."""

    def __init__(
        self, kind: str, n_features: int, named: list[str] | None = None, bits: int | None = None
    ) -> None:
        if kind not in ("svmlight", "vw") or n_features < 1:
            raise ParameterError(f"kind={kind!r} and n_features={n_features!r} are no sparse rows.")
        self.kind, self.n_features, self.named, self.bits = kind, n_features, named, bits

    def encode(self, block: Block) -> SparseRows:
        rows: SparseRows = block.rows
        if rows.shape[1] > self.n_features:
            raise ParameterError(
                f"rows of {rows.shape[1]:,} features for a model of {self.n_features:,}."
            )
        return rows.widen(self.n_features)

    learn = encode

    def grow(self, block: Any, most_levels: int | None = None) -> Growth:
        """As `Schema.grow`; new columns stand after the last one.

        Columns with names that a file numbers in its own way get the numbers they have here.
        """
        named = getattr(block, "names", None)
        if self.named is not None and named is not None:
            number = {name: i for i, name in enumerate(self.named)}
            places = np.array([number.setdefault(name, len(number)) for name in named], np.int32)
            self.named, self.n_features, rows = list(number), len(number), block.rows
            block.rows = SparseRows.from_entries(
                rows.data, places[rows.indices], rows.indptr, self.n_features
            )
        elif self.bits is None:
            self.n_features = max(self.n_features, block.rows.shape[1])
        return Growth([], {})

    def read(self, path: Given, *, labelled: bool = False, **options: Any) -> Block:
        """Read rows to `encode`; those of svmlight always have labels, which may be of no use."""
        known = {**self.reader_options(), **options}
        if self.kind == "svmlight":
            return iter_svmlight(path, **known).whole()
        return iter_vw(path, labelled=labelled, **known).whole()

    def names(self, features: Iterable[int]) -> list[str]:
        first = 1 if self.kind == "svmlight" else 0
        named = self.named or []
        return [
            named[feature] if 0 <= feature < len(named) else str(feature + first)
            for feature in features
        ]

    def unknown(self, block: Any) -> dict[str, dict[str, int]]:
        return {}

    def reader_options(self) -> dict[str, Any]:
        if self.kind == "svmlight":
            return {"n_features": self.n_features}
        return {"bits": self.bits, **({} if self.named is None else {"names": self.named})}

    def describe(self) -> list[str]:
        return [f"{self.kind}  {self.n_features:,} columns"]

    def to_json(self, weights: npt.NDArray[Any] | None = None) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "n_features": self.n_features,
            "named": self.named,
            "bits": self.bits,
        }


AnySchema = Schema | TextSchema | SparseSchema


def schema_of_columns(kind: str, block: Any, n_features: int) -> AnySchema:
    """For a model that was trained without a schema: the columns of a block are its features."""
    if kind != "table":
        block.rows = block.rows.narrow(n_features)
        return SparseSchema(kind, n_features)
    if len(block.names) != n_features:
        raise InputError(
            f"a model of {n_features:,} features without names, but the data have "
            f"{len(block.names):,} columns; --target says which one holds the labels."
        )
    return Schema.of_numbers(block.names)


def schema_from_json(fields: Any) -> AnySchema:
    """The schema that was kept in a model file, whatever kind it is."""
    try:
        kind = fields["kind"]
        if kind == "table":
            return Schema.from_json(fields)
        if kind == "text":
            return TextSchema(TextFeatures.from_json(fields["features"]))
        facts = {key: fields[key] for key in ("kind", "n_features", "named", "bits")}
        sizes = [facts["n_features"], *([] if facts["bits"] is None else [facts["bits"]])]
        named = facts["named"]
        if not all(type(size) is int and 1 <= size < 2**31 for size in sizes):
            raise ValueError("the numbers of columns and bits cannot be")
        if named is not None and not (
            type(named) is list and all(type(name) is str for name in named)
        ):
            raise ValueError("the names of the columns are no list of texts")
        return SparseSchema(**facts)
    except ModelFileError:
        raise
    except UNSOUND as error:
        raise ModelFileError(f"the schema of the model is not sound: {error!r}.") from None
