"""What is learned, while it learns: classes, counters, ledger if kept; and, of rows, weights."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.core.classes import with_class
from rosenblatt.core.ledger import Ledger
from rosenblatt.core.recording import Entries, Recorder
from rosenblatt.core.weights import Weights
from rosenblatt.errors import NoLedgerError


class Model:
    """What every family keeps of what it learns.

    ``classes`` stand in the order of their arrival, ``slots`` says where. ``random`` is the state
    of the generator that shuffles, which began as ``seed``. ``best`` is the state that predicts
    instead of the present one, after early stopping. ``recorder`` keeps every update, if wanted.
    ``notes`` is what a model file says beside the numbers, kept for when it is saved again, and
    ``columns`` the places of features that have names because they came with mappings.
    """

    # States that no longer change; a copy shares them.
    _finished: ClassVar[tuple[str, ...]] = ("best",)
    # Whether also two classes have a part each.
    binary_as_multiclass = False

    def __init__(self, classes: Sequence[Hashable], seed: int) -> None:
        self._name_classes(classes)
        self.label_dtype: np.dtype[Any] | None = None
        self.seed = self.random = seed
        self.n_mistakes = 0
        self.best: Any = None
        self.recorder: Any = None
        self.notes: dict[str, Any] = {}
        self.columns: dict[Any, int] | None = None

    def _name_classes(self, classes: Sequence[Hashable]) -> None:
        self.classes: list[Any] = list(classes)
        self.slots: dict[Any, int] = {label: i for i, label in enumerate(self.classes)}

    def copy(self) -> Self:
        """A model of its own that learns on without touching this one."""
        twin = copy(self)
        for name, value in vars(self).items():
            if name not in self._finished and hasattr(value, "copy"):
                setattr(twin, name, value.copy())
        return twin

    def knows(self, classes: Any) -> bool:
        """Whether all of these are among the classes; False also of what is no list of labels."""
        try:
            return self.slots.keys() >= set(classes)
        except TypeError:
            return False

    def admit(self, label: Hashable) -> int:
        """Make room for a class not seen before; return its number."""
        classes = with_class(self.classes, label)
        fewest = 2 if self.binary_as_multiclass else 3
        if len(classes) == fewest == 3:
            self._split()
        if len(classes) >= fewest:
            self._add_class()
        self.best = self.label_dtype = None
        self._name_classes(classes)
        return self.slots[label]

    def admit_all(self, labels: Iterable[Hashable]) -> None:
        """Make room for those of some classes that were not seen before."""
        for label in labels:
            if label not in self.slots:
                self.admit(label)

    def _split(self) -> None:
        """What two classes share becomes a part for each, which say the same."""
        raise NotImplementedError

    def _add_class(self) -> None:
        """A part for one more class, which says 0."""
        raise NotImplementedError


class LinearModel(Model):
    """Classes in the order of their weight vectors, and everything needed to learn on.

    Two classes share one vector that points to the second, or have one each; until a second class
    is known there is nothing to tell apart, and examples are only counted. Classes and features
    may be added at any time. A new class starts with scores of 0, and scores among the old ones
    stay as they were.
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
        binary_as_multiclass: bool = False,
    ) -> None:
        super().__init__(classes, random)
        self.binary_as_multiclass = binary_as_multiclass
        self.weights = Weights(
            1 if len(self.classes) <= (1 if binary_as_multiclass else 2) else len(self.classes),
            n_features,
            dtype=dtype,
            fit_intercept=fit_intercept,
            averaged=averaged,
        )
        self.recorder: Recorder | None = None
        self._recorded_from: Weights | None = None
        # What a voted learner keeps beside the ledger: it must follow when classes are added.
        self.voters: Any = None

    @property
    def n_vectors(self) -> int:
        return self.weights.n_vectors

    def served(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The weights and biases that predict: the best kept, the average, or the last."""
        if self.best is not None:
            coef, bias = self.best
            return coef, bias
        if self.weights.averaged:
            return self.weights.average()
        return self.weights.matrix, self.weights.bias

    def state(self) -> Any:
        """What is needed to go back to the present state later."""
        coef, bias = self.served()
        return coef.copy(), bias.copy()

    def _parts(self) -> list[Any]:
        """All that has a vector for each class."""
        parts = (self.weights, self._recorded_from, self.voters)
        return [part for part in parts if part is not None]

    def _split(self) -> None:
        for part in self._parts():
            part.split()
        if self.recorder is not None:
            self.recorder = self.recorder.halved()

    def _add_class(self) -> None:
        for part in self._parts():
            part.add_vector()

    def insert_features(self, places: Sequence[int]) -> None:
        """Add features with weight 0 before these places."""
        self.weights = _widened(self.weights, places)
        if self._recorded_from is not None:
            self._recorded_from = _widened(self._recorded_from, places)

    def start_recording(self) -> None:
        """Keep every update from here on; rows are counted from here on too."""
        self.recorder = Recorder()
        self._recorded_from = self.weights.copy()

    def record(self, entries: Entries, first_row: int = 0, table: Any = None) -> None:
        """Note updates by rows of a table, which are numbered through the stream."""
        if self.recorder is not None:
            self.recorder.add(entries._replace(row=entries.row + first_row))
        if self.voters is not None:
            self.voters.take(entries, table)
            self.voters.release()

    @property
    def t(self) -> int:
        """Examples seen."""
        return self.weights.t

    @t.setter
    def t(self, t: int) -> None:
        self.weights.t = t

    @property
    def seen_while_recording(self) -> int:
        return self.weights.t - (0 if self._recorded_from is None else self._recorded_from.t)

    def ledger(self) -> Ledger:
        if self.recorder is None or self._recorded_from is None:
            raise NoLedgerError
        start = self._recorded_from
        if start.n_features < self.weights.n_features:
            start.grow(self.weights.n_features)
        return Ledger(start, tuple(self.classes), self.recorder.entries, self.weights.t)

    def digest(self) -> str:
        """SHA-256 over everything that decides what the model predicts and how it learns on."""
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
