"""Weights of a linear model by class and feature, listed and compared with those of another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.tables.features.schemas import AnySchema, schema_from_json

BIAS = "(bias)"


@dataclass(frozen=True)
class WeightChanges:
    """How one model's weights differ from another's; ``changes`` is None without weights.

    A change is class, feature, weight before and weight after, the largest first.
    """

    added: list[str]
    removed: list[str]
    changes: list[tuple[str, str, float, float]] | None


@dataclass(frozen=True)
class NamedWeights:
    """What predicts, with names.

    ``coef`` has a row for two classes, else one for each; it is None of a model that predicts by
    support rows and has features alone. ``names`` gives the names of features by their numbers.
    """

    coef: npt.NDArray[Any] | None
    intercept: npt.NDArray[Any] | None
    classes: Sequence[Any]
    n_features: int
    names: Callable[[Sequence[int]], list[str]]
    schema: AnySchema | None = field(default=None)

    @property
    def voices(self) -> list[str]:
        """The class that each weight vector speaks for."""
        named = [str(label) for label in self.classes]
        shared = self.coef is None or len(self.coef) == 1
        return named[-1:] if len(named) <= 2 and shared else named

    def _vectors(self) -> Iterator[tuple[str, npt.NDArray[Any], float]]:
        if self.coef is not None and self.intercept is not None:
            yield from zip(self.voices, self.coef, self.intercept.tolist(), strict=True)

    def largest(self, top: int) -> dict[str, list[tuple[str, float]]]:
        """By class the features with the largest weights, with a sign; 0 is no weight."""
        found = {}
        for voice, row, bias in self._vectors():
            order = np.argsort(-np.abs(row), kind="stable")[:top]
            places = [place for place in order.tolist() if row[place]]
            pairs = list(zip(self.names(places), row[places].tolist(), strict=True))
            found[voice] = [(BIAS, bias), *pairs] if bias else pairs
        return found

    def nonzero(self) -> Iterator[tuple[str, str, float]]:
        """Class, feature and weight, unless it is 0."""
        for voice, row, bias in self._vectors():
            if bias:
                yield voice, BIAS, bias
            places = np.flatnonzero(row).tolist()
            for name, weight in zip(self.names(places), row[places].tolist(), strict=True):
                yield voice, name, weight

    # ------------------------------------------------------------------ comparing

    def changes(self, after: NamedWeights) -> WeightChanges:
        """What is different afterwards; features are compared by name.

        Where both hash texts alike, hashed columns are compared by number: their name is only that
        of the n-gram which was met first. Both have all of these columns, so none is new.
        """
        hashing = self._hashing()
        by_number = bool(hashing) and hashing == after._hashing()
        old, new = self._by_key(by_number), after._by_key(by_number)
        called = {BIAS: BIAS, **old.names, **new.names}
        changes = None
        if self.coef is not None and after.coef is not None:
            changes = [
                (key[0], called[key[1]], old.weights.get(key, 0.0), new.weights.get(key, 0.0))
                for key in {**old.weights, **new.weights}
                if old.weights.get(key, 0.0) != new.weights.get(key, 0.0)
            ]
            changes.sort(key=lambda change: -abs(change[3] - change[2]))
        return WeightChanges(new.beyond(old), old.beyond(new), changes)

    def _by_key(self, by_number: bool) -> _ByKey:
        if self.coef is None:
            listed = self.names(range(self.n_features))
            return _ByKey(dict(zip(listed, listed, strict=True)), listed, {})
        keys_of = self.names
        if by_number and self.schema is not None:
            keys_of = schema_from_json(_without_hashed_names(self.schema.to_json())).names
        used = np.flatnonzero(np.any(self.coef, axis=0)).tolist()
        own = self._not_hashed()
        places = sorted({*used, *own})
        names = dict(zip(keys_of(places), self.names(places), strict=True))
        keys, weights = keys_of(used), {}
        for voice, row, bias in self._vectors():
            if bias:
                weights[voice, BIAS] = bias
            for key, weight in zip(keys, row[used].tolist(), strict=True):
                if weight:
                    weights[voice, key] = weight
        return _ByKey(names, keys_of(own) if by_number else list(names), weights)

    def _not_hashed(self) -> list[int]:
        """The features that have a name of their own."""
        found: list[int] = []
        start = 0
        # What is no table is one part.
        parts: Sequence[Any] = (self.schema,)
        if self.schema is not None and self.schema.columns:
            parts = self.schema.columns
        for part in parts:
            size = self.n_features if part is self.schema else part.n_features
            texts = getattr(part, "features", part)
            bits = getattr(texts, "settings", {}).get("bits", getattr(texts, "bits", None))
            if bits is None:
                found += range(start, start + size)
            start += size
        return found

    def _hashing(self) -> list[Any]:
        """How texts are hashed: the same number means the same column where this is the same."""
        fields = {} if self.schema is None else _without_hashed_names(self.schema.to_json())
        parts = (fields, *fields.get("columns", ()))
        return [(part.get("name"), part["features"]) for part in parts if "features" in part]


@dataclass(frozen=True)
class _ByKey:
    """Names of features by what identifies them, the features that are listed, and the weights."""

    names: dict[str, str]
    features: list[str]
    weights: dict[tuple[str, str], float]

    def beyond(self, other: _ByKey) -> list[str]:
        known = set(other.features)
        return [self.names[key] for key in self.features if key not in known]


def _without_hashed_names(fields: dict[str, Any]) -> dict[str, Any]:
    """A schema as plain data, whose hashed columns have no names."""
    for part in (fields, *fields.get("columns", ())):
        features = part.get("features")
        if isinstance(features, dict) and features["bits"] is not None:
            features["names"] = {}
    return fields
