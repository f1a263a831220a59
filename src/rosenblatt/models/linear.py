"""The model of every linear learner: weight vectors, counters and the record of updates."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import AnyArray, AnyFloatArray, FloatArray, Table
from rosenblatt.engine.rows import engine
from rosenblatt.models.data_units import DataUnits
from rosenblatt.models.ledger import Ledger
from rosenblatt.models.model import WeightModel
from rosenblatt.models.readouts import Readouts
from rosenblatt.models.recording import Entries, Note, Recorder
from rosenblatt.models.rows import Rows
from rosenblatt.models.voters import Voters
from rosenblatt.models.weights import Scaling, Weights


class LinearModel(WeightModel[tuple[AnyFloatArray, ...]]):
    """State of a linear classifier: classes, weights, and all that is needed to resume learning.

    The classes are in the order of their weight vectors. Two classes share one vector that points
    to the second, or have one each. Until a second class is known there is nothing to tell apart,
    and examples are only counted. Classes and features may be added at any time. A new class starts
    with scores of 0, and the scores of the old ones stay the same.

    ``best`` holds the weights and biases of the best epoch. A voted learner predicts by its ledger
    instead, so that of its best state only ``t_of_best`` counts, and ``best`` is ``()``.
    """

    weights: Weights
    start: Weights | None
    recorder: Recorder | None

    def __init__(
        self,
        classes: Sequence[Hashable],
        n_features: int,
        *,
        dtype: npt.DTypeLike = np.float64,
        fit_intercept: bool = True,
        averaged: bool = False,
        rates: str | None = None,
        is_scaled: bool = False,
        random: int = 0,
        binary_as_multiclass: bool = False,
    ) -> None:
        super().__init__(classes, random)
        self.binary_as_multiclass = binary_as_multiclass
        most_with_one_vector = 1 if binary_as_multiclass else 2
        n_classes = len(self.classes)
        self.weights = Weights(
            1 if n_classes <= most_with_one_vector else n_classes,
            n_features,
            dtype=dtype,
            fit_intercept=fit_intercept,
            averaged=averaged,
            rates=rates,
            is_scaled=is_scaled,
        )
        self.recorder = None
        self.start = None
        # Updates made in float32, if the weights became float64 after them.
        self.n_float32: int | None = None
        self.average_from_of_best = 0
        self.scaling_of_best: Scaling | None = None
        # Epochs of all fits.
        self.n_epochs = 0
        # Measurements of the rows, if there are parameters in units of the data.
        self.units: DataUnits | None = None
        # Means of the weights of a stream, if they are wanted.
        self.readouts: Readouts | None = None
        # The rows that a voted learner keeps with the ledger.
        self.voters: Voters | None = None

    def copy(self) -> Self:
        """Return an independent copy that can learn."""
        twin = super().copy()
        if self.readouts is not None:
            twin.readouts = self.readouts.copy()
        if self.voters is not None:
            twin.voters = self.voters.copy()
        return twin

    # ------------------------------------------------------------------ predicting

    @property
    def n_vectors(self) -> int:
        """Return the number of weight vectors: one for two classes, or one for each class."""
        return self.weights.n_vectors

    @property
    def average_from(self) -> int:
        """Return the number of examples seen before the average that predicts began."""
        return self.weights.average_from if self.best is None else self.average_from_of_best

    def served(self) -> tuple[AnyFloatArray, AnyFloatArray]:
        """Return the weights and biases that predict.

        They are those of the best epoch if these were kept, otherwise the average or the last.
        """
        if self.best is not None:
            coef, bias = self.best
            return coef, bias
        if self.readouts is not None or self.weights.averaged:
            return engine.serve(self.weights, self.readouts)
        return self.weights.matrix, self.weights.bias

    def score(self, rows: Rows) -> FloatArray:
        """Return the scores of a few rows by the average or the last weights.

        The weights of the best epoch are never used. The weights must be arranged for such rows.
        """
        return engine.score(self.weights, rows, self.readouts)

    def state(self) -> tuple[AnyFloatArray, AnyFloatArray]:
        """Return copies of the weights and biases that predict now, to be kept as the best."""
        coef, bias = self.served()
        return coef.copy(), bias.copy()

    def noting_when(
        self, keep: Callable[[], tuple[AnyFloatArray, ...]]
    ) -> Callable[[], tuple[AnyFloatArray, ...]]:
        """Wrap ``keep`` to also record ``t`` and the start of the average."""

        def keep_and_note() -> tuple[AnyFloatArray, ...]:
            self.average_from_of_best = self.weights.average_from
            if self.weights.is_scaled:
                self.scaling_of_best = Scaling(*self.weights.scaling)
            return keep()

        return super().noting_when(keep_and_note)

    # ------------------------------------------------------------------ classes and features

    def admit(self, label: Hashable) -> int:
        """Add a new class; return its index."""
        # The class that a vector belongs to may change.
        self.weights.version += 1
        return super().admit(label)

    def _split(self) -> None:
        self.weights.split()
        if self.recorder is not None and self.start is not None:
            self.start = self.start.copy()
            self.start.split()
            self.recorder = self.recorder.halved()

    def _add_class(self) -> None:
        # The start gets its vector when somebody asks for the ledger.
        self.weights.add_vector()

    def insert_features(self, places: Sequence[int]) -> None:
        """Insert features with weight 0 before the given column indices."""
        self.weights.insert_features(places)
        if self.start is not None:
            # The start may lack the last features.
            self.start = self.start.copy()
            self.start.insert_features([min(at, self.start.n_features) for at in places])

    # ------------------------------------------------------------------ the record

    def _new_recorder(self) -> Recorder:
        return Recorder()

    def keep_record(self, wanted: bool) -> None:
        """Start or continue recording updates if ``wanted``, otherwise discard the record."""
        if self.recorder is None:
            self.n_float32 = None
        super().keep_record(wanted)
        if self.recorder is None or self.start is None or self.n_float32 is not None:
            return
        if self.start.is_float32 and not self.weights.is_float32:
            self.n_float32 = len(self.recorder.entries.row)

    def recording(self, first_row: int, table: Table | None = None) -> Note | None:
        """Return the callback that records the updates by a table; None if nothing is recorded.

        ``first_row`` is the number of the first row of the table in the ledger.
        """
        recorder = self.recorder
        if recorder is None:
            return None
        keep_rows = None
        if self.voters is not None:
            assert table is not None
            keep_rows = self.voters.taking(table, first_row)

        def note(entries: Entries) -> None:
            # Looked up again: when a third class joins, the recorder is replaced by a halved one.
            assert self.recorder is not None
            self.recorder.add(entries._replace(row=entries.row + first_row))
            if keep_rows is not None:
                keep_rows(entries)

        return note

    def ledger(self) -> Ledger:
        """Return the ledger of all recorded updates."""
        assert self.recorder is not None
        assert self.start is not None
        start = self.start
        lacking = self.weights.n_vectors - start.n_vectors
        if lacking or start.n_features < self.weights.n_features:
            start = start.copy()
            for _ in range(lacking):
                start.add_vector()
            if start.n_features < self.weights.n_features:
                start.grow(self.weights.n_features)
            # Set when it is complete, since other threads may read it.
            self.start = start

        end = None
        if self.weights.is_scaled:
            end = Scaling(*self.weights.scaling)
        return Ledger(
            start,
            tuple(self.classes),
            self.recorder.entries,
            self.t,
            n_float32=self.n_float32,
            best_t=self.best_t,
            average_from=self.weights.average_from,
            average_from_of_best=self.average_from_of_best,
            end=end,
            end_of_best=self.scaling_of_best,
        )

    def digest(self) -> str:
        """Return the SHA-256 of the state that determines predictions and further learning."""
        from hashlib import sha256  # which loads OpenSSL

        state = sha256(self.weights.digest().encode())
        known: tuple[Any, ...] = (
            self.classes,
            self.random,
            self.n_mistakes,
            self.columns,
            self.best_t,
        )
        if self.calibration is not None:
            known = (*known, self.calibration)
        state.update(repr(known).encode())

        arrays: list[AnyArray] = []
        if self.best is not None:
            arrays += self.best
        if self.voters is not None and self.recorder is not None:
            arrays += self.recorder.entries[1:]
        if self.readouts is not None:
            arrays += self.readouts.to_arrays(self.weights).values()
        for values in arrays:
            state.update(np.asarray(values).tobytes())
        return state.hexdigest()
