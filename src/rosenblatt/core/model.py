"""A linear model while it learns: its classes, weights, counters and, if kept, its ledger."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.core.classes import with_class
from rosenblatt.core.ledger import Entries, Ledger, Recorder
from rosenblatt.core.weights import Weights

__all__ = ["LinearModel"]


class LinearModel:
    """Classes in the order of their weight vectors, and everything needed to learn on.

    Two classes share one vector that points to the second; until a second class is known there
    is nothing to tell apart, and examples are only counted. Classes and features may be added at
    any time. A new class starts with scores of 0, and scores among the old ones stay as they were.
    """

    def __init__(
        self,
        classes: Sequence[Hashable],
        n_features: int,
        *,
        dtype: npt.DTypeLike = np.float64,
        fit_intercept: bool = True,
        averaged: bool = False,
        random: int = 0,
    ) -> None:
        self.classes: list[Any] = list(classes)
        self.slots: dict[Any, int] = {label: i for i, label in enumerate(self.classes)}
        self.weights = Weights(
            1 if len(self.classes) <= 2 else len(self.classes),
            n_features,
            dtype=dtype,
            fit_intercept=fit_intercept,
            averaged=averaged,
        )
        self.seed = self.random = random
        self.label_dtype: np.dtype[Any] | None = None
        self.n_mistakes = 0
        # What answers instead of the present weights, as the learner keeps it.
        self.best: tuple[Any, Any] | None = None
        self.columns: dict[Any, int] | None = None
        self.recorder: Recorder | None = None
        self._recorded_from: Weights | None = None
        # What a voted learner keeps beside the ledger: it must follow when classes are added.
        self.voters: Any = None
        # What a model file says beside the numbers, kept for when the model is saved again.
        self.notes: dict[str, Any] = {}

    def copy(self) -> LinearModel:
        """A model of its own that learns on without touching this one."""
        twin = copy(self)
        twin.weights = self.weights.copy()
        twin.columns = None if self.columns is None else dict(self.columns)
        if self.recorder is not None and self._recorded_from is not None:
            twin.recorder = self.recorder.copy()
            twin._recorded_from = self._recorded_from.copy()
        if self.voters is not None:
            twin.voters = self.voters.copy()
        return twin

    def served(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The weights and biases that answer: the best kept, the average, or the last."""
        if self.best is not None:
            return self.best
        if self.weights.averaged:
            return self.weights.average()
        return self.weights.matrix, self.weights.bias

    def admit(self, label: Hashable) -> int:
        """Make room for a class not seen before; return its number."""
        classes = with_class(self.classes, label)
        if len(classes) >= 3:
            for part in (self.weights, self._recorded_from, self.voters):
                if part is not None:
                    if len(classes) == 3:
                        part.split()
                    part.add_vector()
            if len(classes) == 3 and self.recorder is not None:
                self.recorder = self.recorder.halved()
        self.best = self.label_dtype = None
        self.classes = classes
        self.slots = {known: i for i, known in enumerate(classes)}
        return self.slots[label]

    def insert_features(self, places: Sequence[int]) -> None:
        """Add features with weight 0 before these places."""
        self.weights = _widened(self.weights, places)
        if self._recorded_from is not None:
            self._recorded_from = _widened(self._recorded_from, places)

    def start_recording(self) -> None:
        """Keep every update from here on; rows are counted from here on too."""
        self.recorder = Recorder()
        self._recorded_from = self.weights.copy()

    def record(self, entries: Entries, first_row: int = 0) -> None:
        if self.recorder is not None:
            self.recorder.add(entries._replace(row=entries.row + first_row))

    @property
    def seen_while_recording(self) -> int:
        return self.weights.t - (0 if self._recorded_from is None else self._recorded_from.t)

    def ledger(self) -> Ledger:
        if self.recorder is None or self._recorded_from is None:
            raise AttributeError("no ledger was kept: set record=True before learning")
        start = self._recorded_from
        if start.n_features < self.weights.n_features:
            start.grow(self.weights.n_features)
        return Ledger(start, tuple(self.classes), self.recorder.entries, self.weights.t)

    def to_arrays(self) -> dict[str, Any]:
        """Everything there is to know, as arrays and plain values."""
        t = self.weights.t
        self.weights.refuse_if_busy()
        arrays = {
            "classes": list(self.classes),
            "label_dtype": self.label_dtype,
            "columns": None if self.columns is None else list(self.columns),
            "weights": self.weights.to_arrays(),
            "best": self.best,
            "ledger": None if self.recorder is None else self.ledger().to_arrays(),
            "voters": None,
            "n_mistakes": self.n_mistakes,
            "seed": self.seed,
            "random": self.random,
            "notes": self.notes,
        }
        if self.voters is not None:
            arrays["voters"] = self.voters.to_arrays(self.classes, self.weights.n_features, t)
        self.weights.refuse_if_busy(t)
        return arrays

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any]) -> LinearModel:
        """The model that `to_arrays` was called on; its learner adds the voters."""
        weights = Weights.from_arrays(arrays["weights"])
        model = cls(arrays["classes"], 0, random=arrays["seed"])
        model.weights = weights
        model.random, model.n_mistakes = arrays["random"], arrays["n_mistakes"]
        model.label_dtype, model.best = arrays["label_dtype"], arrays["best"]
        if arrays["columns"] is not None:
            model.columns = {name: column for column, name in enumerate(arrays["columns"])}
        if arrays["ledger"] is not None:
            ledger = Ledger.from_arrays(arrays["ledger"])
            model.recorder, model._recorded_from = Recorder(), ledger._start
            model.recorder.add(ledger.entries)
        model.notes = dict(arrays["notes"])
        return model

    def digest(self) -> str:
        """SHA-256 over everything that decides what the model answers and how it learns on."""
        state = hashlib.sha256(self.weights.digest().encode())
        state.update(repr((self.classes, self.random, self.n_mistakes, self.columns)).encode())
        for values in self.best or ():
            state.update(np.asarray(values).tobytes())
        if self.voters is not None:
            state.update(self.voters.digest().encode())
        return state.hexdigest()


def _widened(weights: Weights, places: Sequence[int]) -> Weights:
    arrays = weights.to_arrays()
    for name in ("coef", "coef_sum"):
        if arrays[name] is not None:
            arrays[name] = np.insert(arrays[name], places, 0.0, axis=1)
    return Weights.from_arrays(arrays)
