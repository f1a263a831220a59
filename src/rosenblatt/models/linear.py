"""What is learned, while it learns: classes, counters, ledger if kept; and, of rows, weights."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.engine.rows import engine
from rosenblatt.errors import SlimModelError
from rosenblatt.models.classes import in_order, place_of
from rosenblatt.models.ledger import Ledger
from rosenblatt.models.readouts import Readouts
from rosenblatt.models.recording import Entries, Note, Recorder
from rosenblatt.models.rows import Rows
from rosenblatt.models.weights import Scaling, Weights


class Model:
    """What every family keeps of what it learns.

    ``classes`` stand in the order of their arrival, ``slots`` says where, and ``sorted_slots`` are
    these places in the natural order of the classes. ``random`` is the state of the generator that
    shuffles, which began as ``seed``. ``best`` is the state that predicts instead of the present
    one, after early stopping. ``recorder`` keeps every update, if wanted, and ``start`` is what was
    learned before the first of them.
    ``notes`` is what a model file says beside the numbers, kept for when it is saved again, and
    ``columns`` the places of features that have names because they came with mappings. A ``slim``
    model can predict and no longer learn. ``calibration`` makes probabilities of the scores, as
    long as no class joins.
    """

    # States that no longer change; a copy shares them.
    _finished: ClassVar[tuple[str, ...]] = ("best", "start")
    _recorder: ClassVar[type] = Recorder
    weights: Any
    # Whether also two classes have a part each.
    binary_as_multiclass = False

    def __init__(self, classes: Sequence[Hashable], seed: int) -> None:
        self._name_classes(classes)
        self.label_dtype: np.dtype[Any] | None = None
        self.seed = self.random = seed
        self.n_mistakes = 0
        self.best: Any = None
        self.t_of_best = 0
        self.recorder: Any = None
        self.start: Any = None
        self.row_offset = 0
        self.notes: dict[str, Any] = {}
        self.columns: dict[Any, int] | None = None
        self.slim = False
        self.calibration: Any = None

    def refuse_slim(self) -> None:
        """Refuse to learn, or to tell what learning goes on from, if the file left it out."""
        if self.slim:
            what = (
                "this model was saved slim: it predicts, but what it needs to learn on was left out"
            )
            raise SlimModelError(what, cures="train and save it again without slim")

    def _name_classes(self, classes: Sequence[Hashable]) -> None:
        self.classes: list[Any] = list(classes)
        self.slots: dict[Any, int] = {label: i for i, label in enumerate(self.classes)}
        self.sorted_slots = in_order(self.classes)

    @property
    def t(self) -> int:
        """Examples seen, over all epochs and calls."""
        return int(self.weights.t)

    @t.setter
    def t(self, t: int) -> None:
        self.weights.t = t

    @property
    def best_t(self) -> int | None:
        """Examples that ``best`` had seen, if there is one."""
        return None if self.best is None else self.t_of_best

    def noting_when(self, keep: Callable[[], Any]) -> Callable[[], Any]:
        """The same, which keeps the present state as the best, and notes how much it has seen."""

        def noted() -> Any:
            self.t_of_best = self.t
            return keep()

        return noted

    @property
    def next_row(self) -> int:
        """The number of the next example in a ledger: those of all calls are counted, each once."""
        return self.t + self.row_offset

    @next_row.setter
    def next_row(self, number: int) -> None:
        self.row_offset = number - self.t

    def keep_record(self, wanted: bool) -> None:
        """Keep every update from here on, if wanted; a ledger that was kept so far goes on."""
        if not wanted:
            self.recorder = self.start = None
        elif self.recorder is None:
            self.recorder, self.start = self._recorder(), self.weights.copy()
            self.next_row = 0

    def copy(self) -> Self:
        """A model of its own that learns on without touching this one."""
        self.refuse_slim()
        twin = copy(self)
        for name, value in vars(self).items():
            if name not in self._finished and hasattr(value, "copy"):
                setattr(twin, name, value.copy())
        return twin

    def snapshot(self) -> ModelSnapshot:
        """Return a way back to now, whatever is learned."""
        return ModelSnapshot(self)

    def knows(self, classes: Any) -> bool:
        """Whether all of these are among the classes; False also of what is no list of labels."""
        try:
            return self.slots.keys() >= set(classes)
        except TypeError:
            return False

    def admit(self, label: Hashable) -> int:
        """Make room for a class not seen before; return its number."""
        n, fewest = len(self.classes), 1 if self.binary_as_multiclass else 2
        place = place_of(label, self.classes, self.sorted_slots)
        if n == fewest == 2:
            self._split()
        if n >= fewest:
            self._add_class()
        self.best = self.label_dtype = self.calibration = None
        if n < 2:  # of two, of which nothing is learned yet, the natural order counts
            self._name_classes(sorted([*self.classes, label]))
        else:
            self.sorted_slots.insert(place, n)
            self.classes.append(label)
            self.slots[label] = n
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


class ModelSnapshot:
    """A whole model as it was."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._kept = model.copy()

    def restore(self) -> None:
        """Let the model be again what it was when the snapshot was taken."""
        self._model.__dict__.update(self._kept.__dict__)


class LinearModel(Model):
    """Classes in the order of their weight vectors, and everything needed to learn on.

    Two classes share one vector that points to the second, or have one each; until a second class
    is known there is nothing to tell apart, and examples are only counted. Classes and features
    may be added at any time. A new class starts with scores of 0, and scores among the old ones
    stay as they were.
    """

    weights: Weights

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
        self.weights = Weights(
            1 if len(self.classes) <= (1 if binary_as_multiclass else 2) else len(self.classes),
            n_features,
            dtype=dtype,
            fit_intercept=fit_intercept,
            averaged=averaged,
            rates=rates,
            is_scaled=is_scaled,
        )
        self.recorder: Recorder | None = None
        self.start: Weights | None = None
        # Updates made in float32, if the weights became float64 after them.
        self.n_float32: int | None = None
        self.average_from_of_best = 0
        self.scaling_of_best: Scaling | None = None
        # Epochs of all fits; what the rows measured, if parameters count relative to them.
        self.n_epochs = 0
        self.units: Any = None
        # Means of the weights of a stream, if they are wanted.
        self.readouts: Readouts | None = None
        # The rows that a voted learner keeps beside the ledger.
        self.voters: Any = None

    @property
    def n_vectors(self) -> int:
        return self.weights.n_vectors

    @property
    def average_from(self) -> int:
        """Examples seen before the average began that predicts."""
        return self.weights.average_from if self.best is None else self.average_from_of_best

    def served(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The weights and biases that predict: the best kept, the average, or the last."""
        if self.best is not None:
            coef, bias = self.best
            return coef, bias
        if self.readouts is not None or self.weights.averaged:
            return engine.serve(self.weights, self.readouts)
        return self.weights.matrix, self.weights.bias

    def score(self, rows: Rows) -> npt.NDArray[np.float64]:
        """Score a few rows, which the weights are arranged for, by what predicts but the best."""
        return engine.score(self.weights, rows, self.readouts)

    def noting_when(self, keep: Callable[[], Any]) -> Callable[[], Any]:
        def noted() -> Any:
            self.average_from_of_best = self.weights.average_from
            if self.weights.is_scaled:
                self.scaling_of_best = Scaling(*self.weights.scaling)
            return keep()

        return super().noting_when(noted)

    def state(self) -> Any:
        """What is needed to go back to the present state later."""
        coef, bias = self.served()
        return coef.copy(), bias.copy()

    def _split(self) -> None:
        self.weights.split()
        if self.recorder is not None and self.start is not None:
            self.start, self.recorder = self.start.copy(), self.recorder.halved()
            self.start.split()

    def _add_class(self) -> None:
        self.weights.add_vector()  # the start lacks it until somebody asks for the ledger

    def admit(self, label: Hashable) -> int:
        self.weights.version += 1  # which class a vector is of may change
        return super().admit(label)

    def insert_features(self, places: Sequence[int]) -> None:
        """Add features with weight 0 before these places; the start may lack the last features."""
        self.weights.insert_features(places)
        if self.start is not None:
            self.start = self.start.copy()
            self.start.insert_features([min(at, self.start.n_features) for at in places])

    def keep_record(self, wanted: bool) -> None:
        if self.recorder is None:
            self.n_float32 = None
        super().keep_record(wanted)
        if self.recorder is None or self.start is None or self.n_float32 is not None:
            return
        if self.start.is_float32 and not self.weights.is_float32:
            self.n_float32 = len(self.recorder.entries.row)

    def recording(self, first_row: int, table: Any = None) -> Note | None:
        """What notes updates by rows of a table, whose first has this number; None: nothing."""
        if self.recorder is None:
            return None
        keep_rows = None if self.voters is None else self.voters.taking(table, first_row)

        def note(entries: Entries) -> None:
            assert self.recorder is not None
            self.recorder.add(entries._replace(row=entries.row + first_row))
            if keep_rows is not None:
                keep_rows(entries)

        return note

    def ledger(self) -> Ledger:
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
            self.start = start  # once it is whole: other threads may ask, too
        return Ledger(
            start,
            tuple(self.classes),
            self.recorder.entries,
            self.t,
            n_float32=self.n_float32,
            best_t=self.best_t,
            average_from=self.weights.average_from,
            average_from_of_best=self.average_from_of_best,
            end=Scaling(*self.weights.scaling) if self.weights.is_scaled else None,
            end_of_best=self.scaling_of_best,
        )

    def digest(self) -> str:
        """SHA-256 over everything that decides what the model predicts and how it learns on."""
        from hashlib import sha256  # which loads OpenSSL

        state = sha256(self.weights.digest().encode())
        known = self.classes, self.random, self.n_mistakes, self.columns, self.best_t
        state.update(
            repr(known if self.calibration is None else (*known, self.calibration)).encode()
        )
        past = self.recorder.entries[1:] if self.voters is not None and self.recorder else ()
        read = () if self.readouts is None else self.readouts.to_arrays(self.weights).values()
        for values in (*(self.best or ()), *past, *read):
            state.update(np.asarray(values).tobytes())
        return state.hexdigest()
