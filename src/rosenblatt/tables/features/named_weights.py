"""Weights of a linear model by class and feature, listed and compared between two models."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.tables.features.schemas import AnySchema, schema_from_json

BIAS = "(bias)"


@dataclass(frozen=True)
class WeightChanges:
    """Differences between the features and the weights of two models.

    Each of the ``changes`` is a class, a feature, the weight before and the weight after, the
    largest change first. ``changes`` is None if one of the models has no weights.
    """

    added: list[str]
    removed: list[str]
    changes: list[tuple[str, str, float, float]] | None


@dataclass(frozen=True)
class NamedWeights:
    """The weights that a model predicts with, and the names of its classes and features.

    ``coef`` has one row for two classes, otherwise one for each; it is None for a model that
    predicts by support rows and only has features. ``names`` returns the names of features by their
    numbers.
    """

    coef: npt.NDArray[Any] | None
    intercept: npt.NDArray[Any] | None
    classes: Sequence[Hashable]
    n_features: int
    names: Callable[[Sequence[int]], list[str]]
    schema: AnySchema | None = field(default=None)

    @property
    def voices(self) -> list[str]:
        """Return the class of each weight vector; a single one has that of the last class."""
        named = [str(label) for label in self.classes]
        has_one_vector = self.coef is None or len(self.coef) == 1
        return named[-1:] if len(named) <= 2 and has_one_vector else named

    def _vectors(self) -> Iterator[tuple[str, npt.NDArray[Any], float]]:
        """Yield class, weights and bias of each weight vector."""
        if self.coef is not None and self.intercept is not None:
            yield from zip(self.voices, self.coef, self.intercept.tolist(), strict=True)

    def largest(self, top: int) -> dict[str, list[tuple[str, float]]]:
        """Return for each class the bias and the ``top`` largest weights that are not 0."""
        found = {}
        for voice, row, bias in self._vectors():
            order = np.argsort(-np.abs(row), kind="stable")[:top]
            places = [place for place in order.tolist() if row[place]]
            pairs = list(zip(self.names(places), row[places].tolist(), strict=True))
            if bias:
                pairs.insert(0, (BIAS, bias))
            found[voice] = pairs
        return found

    def nonzero(self) -> Iterator[tuple[str, str, float]]:
        """Yield class, feature and weight of each weight that is not 0."""
        for voice, row, bias in self._vectors():
            if bias:
                yield voice, BIAS, bias
            places = np.flatnonzero(row).tolist()
            for name, weight in zip(self.names(places), row[places].tolist(), strict=True):
                yield voice, name, weight

    # ------------------------------------------------------------------ comparing

    def changes(self, after: NamedWeights) -> WeightChanges:
        """Return the differences between these and later weights, matched by names of features.

        If both models hash texts alike, hashed columns are compared by number, because their name
        is only that of the first n-gram in them. Both models have all hashed columns, so none of
        these is new.
        """
        hashing = self._hashing()
        by_number = bool(hashing) and hashing == after._hashing()
        old = self._by_key(by_number)
        new = after._by_key(by_number)

        changes = None
        if self.coef is not None and after.coef is not None:
            called = {BIAS: BIAS, **old.names, **new.names}
            changes = []
            for voice, key in {**old.weights, **new.weights}:
                weight_before = old.weights.get((voice, key), 0.0)
                weight_after = new.weights.get((voice, key), 0.0)
                if weight_before != weight_after:
                    changes.append((voice, called[key], weight_before, weight_after))
            changes.sort(key=lambda change: -abs(change[3] - change[2]))
        return WeightChanges(new.beyond(old), old.beyond(new), changes)

    def _by_key(self, by_number: bool) -> _ByKey:
        """Return names and weights by keys that identify a feature in both models."""
        if self.coef is None:
            listed = self.names(range(self.n_features))
            return _ByKey(dict(zip(listed, listed, strict=True)), listed, {})

        # A key is the name of a feature; without its n-gram, a hashed column is called by number.
        keys_of = self.names
        if by_number and self.schema is not None:
            keys_of = schema_from_json(_without_hashed_names(self.schema.to_json())).names

        used = np.flatnonzero(np.any(self.coef, axis=0)).tolist()
        not_hashed = self._not_hashed()
        features = sorted({*used, *not_hashed})
        names = dict(zip(keys_of(features), self.names(features), strict=True))

        keys = keys_of(used)
        weights: dict[tuple[str, str], float] = {}
        for voice, row, bias in self._vectors():
            if bias:
                weights[voice, BIAS] = bias
            for key, weight in zip(keys, row[used].tolist(), strict=True):
                if weight:
                    weights[voice, key] = weight
        return _ByKey(names, keys_of(not_hashed) if by_number else list(names), weights)

    def _not_hashed(self) -> list[int]:
        """Return the indices of the features that are not hashed."""
        features = set(range(self.n_features))
        if self.schema is not None:
            for hashed in self.schema.hashed_features():
                features.difference_update(hashed)
        return sorted(features)

    def _hashing(self) -> list[tuple[object, object]]:
        """Return the settings of hashing; if they are equal, so are the hashed columns."""
        fields = {} if self.schema is None else _without_hashed_names(self.schema.to_json())
        parts = (fields, *fields.get("columns", ()))
        return [(part.get("name"), part["features"]) for part in parts if "features" in part]


@dataclass(frozen=True)
class _ByKey:
    """Names and weights by the keys of features, and the features compared between models."""

    names: dict[str, str]
    features: list[str]
    weights: dict[tuple[str, str], float]

    def beyond(self, other: _ByKey) -> list[str]:
        """Return the names of the features that the other model does not have."""
        known = set(other.features)
        return [self.names[key] for key in self.features if key not in known]


def _without_hashed_names(fields: dict[str, Any]) -> dict[str, Any]:
    """Remove the names of hashed columns from a schema as JSON data, in place, and return it."""
    for part in (fields, *fields.get("columns", ())):
        features = part.get("features")
        if isinstance(features, dict) and features["bits"] is not None:
            features["names"] = {}
    return fields
