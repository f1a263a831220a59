"""The base class of all models: classes, counters, the best state and snapshots.

A model is what a learner has learned so far. Linear models, kernel models, taggers and structured
models add their weights to it, and `served`, which returns the state that predicts.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from copy import copy
from typing import Any, Generic, Literal, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from rosenblatt.errors import SlimModelError
from rosenblatt.models.classes import in_order, place_of
from rosenblatt.models.column_scaling import ColumnScaling

# The state that a family keeps of its best epoch.
BestState = TypeVar("BestState")
# A candidate of a search with its scores: the fields of `estimators.selection.Candidate`.
SearchCandidate = tuple[str, int, float, float, float, bool, bool]


class Snapshot(Protocol):
    """Snapshot of a model, from which it can be restored."""

    def restore(self) -> None:
        """Restore the model to its state at the time of the snapshot."""


class Copyable(Protocol):
    """A part of a model that can be copied, such as a recorder."""

    def copy(self) -> Self:
        """Return an independent copy."""


class CountedWeights(Copyable, Protocol):
    """The weights of a model, with the number of examples seen."""

    t: int


class DataOrigin(NamedTuple):
    """Origin of the training data, as a model file records it; ``t`` examples were seen by then.

    ``sha256`` is that of the data. ``command`` is the command line that trained the model, and
    ``package`` the SHA-256 of the sources of the package that ran it.
    """

    sha256: str
    of: Literal["files", "arrays", "sentences"]
    t: int
    command: list[str] | None = None
    package: str | None = None


class Model(Generic[BestState]):
    """Base class of the models of all families.

    Attributes
    ----------
    classes : list
        The labels in the order of their arrival.
    slots : dict
        The index of each label in ``classes``.
    sorted_slots : list of int
        These indices in the natural order of the labels.
    t : int
        Examples seen, over all epochs and calls.
    n_mistakes : int
    seed, random : int
        The seed of the shuffling, and the state that its generator has reached.
    best : BestState or None
        The state that predicts instead of the present one, after early stopping; it had seen
        ``t_of_best`` examples.
    recorder : Copyable or None
        Collects every update for the ledger, if wanted.
    columns : dict or None
        The indices of named features, if the examples were mappings.
    slim : bool
        A slim model can predict and no longer learn.
    calibration : tuple or None
        Slope and offset that turn scores into probabilities, as long as no class joins.
    schema : dict or None
        The JSON description of how the columns of a file become features. It is replaced and never
        changed, since copies of the model share it.
    column_scaling : ColumnScaling or None
        All rows go through it, if the columns were scaled in training.
    origin : DataOrigin or None
    search : list of tuples or None
        The candidates that were tried before this model was chosen.
    """

    t: int
    recorder: Copyable | None
    # Whether two classes also have a part each.
    binary_as_multiclass = False

    def __init__(self, classes: Sequence[Hashable], seed: int) -> None:
        self._name_classes(classes)
        self.label_dtype: np.dtype[Any] | None = None
        self.seed = seed
        self.random = seed
        self.n_mistakes = 0
        self.best: BestState | None = None
        self.t_of_best = 0
        self.row_offset = 0
        self.columns: dict[Any, int] | None = None
        self.slim = False
        self.calibration: tuple[float, float, str | None] | None = None
        self.schema: dict[str, Any] | None = None
        self.column_scaling: ColumnScaling | None = None
        self.origin: DataOrigin | None = None
        self.search: list[SearchCandidate] | None = None

    def refuse_slim(self) -> None:
        """Raise SlimModelError if the model was saved slim, without the state needed to learn."""
        if self.slim:
            what = (
                "this model was saved slim: it predicts, but what it needs to learn on was left out"
            )
            raise SlimModelError(what, cures="train and save it again without slim")

    # ------------------------------------------------------------------ counters

    @property
    def best_t(self) -> int | None:
        """Return the number of examples that ``best`` had seen; None if ``best`` is None."""
        return None if self.best is None else self.t_of_best

    def noting_when(self, keep: Callable[[], BestState]) -> Callable[[], BestState]:
        """Wrap ``keep``, which returns the present state as the best, to also record its ``t``."""

        def keep_and_note() -> BestState:
            self.t_of_best = self.t
            return keep()

        return keep_and_note

    @property
    def next_row(self) -> int:
        """Return the ledger's index of the next example, counted over all calls."""
        return self.t + self.row_offset

    @next_row.setter
    def next_row(self, number: int) -> None:
        self.row_offset = number - self.t

    # ------------------------------------------------------------------ copies

    def copy(self) -> Self:
        """Return a copy that can learn without changing this model.

        States that never change, such as ``best``, are shared.
        """
        self.refuse_slim()
        twin = copy(self)
        twin.classes = self.classes.copy()
        twin.slots = self.slots.copy()
        twin.sorted_slots = self.sorted_slots.copy()
        if self.columns is not None:
            twin.columns = self.columns.copy()
        if self.recorder is not None:
            twin.recorder = self.recorder.copy()
        return twin

    def snapshot(self) -> Snapshot:
        """Return a snapshot of the present state; raise SlimModelError for a slim model."""
        return ModelSnapshot(self, self.copy())

    # ------------------------------------------------------------------ classes

    def _name_classes(self, classes: Sequence[Hashable]) -> None:
        self.classes: list[Any] = list(classes)
        self.slots: dict[Any, int] = {label: place for place, label in enumerate(self.classes)}
        self.sorted_slots = in_order(self.classes)

    def knows(self, classes: Any) -> bool:
        """Return whether all given classes are known; False if it is not a list of labels."""
        try:
            return self.slots.keys() >= set(classes)
        except TypeError:
            return False

    def admit(self, label: Hashable) -> int:
        """Add a new class; return its index."""
        n = len(self.classes)
        fewest = 1 if self.binary_as_multiclass else 2
        # Refuses a label that has no place in the order of the others, before anything changes.
        place = place_of(label, self.classes, self.sorted_slots)
        if n == fewest == 2:
            self._split()
        if n >= fewest:
            self._add_class()

        # These were made for the classes so far.
        self.best = None
        self.label_dtype = None
        self.calibration = None

        if n < 2:
            # Nothing is learned before there are two classes, so that these stand in order.
            self._name_classes(sorted([*self.classes, label]))
        else:
            self.sorted_slots.insert(place, n)
            self.classes.append(label)
            self.slots[label] = n
        return self.slots[label]

    def admit_all(self, labels: Iterable[Hashable]) -> None:
        """Add the classes in ``labels`` that are new."""
        for label in labels:
            if label not in self.slots:
                self.admit(label)

    def _split(self) -> None:
        """Split the parameters of two classes into one part each, with the same predictions."""
        raise NotImplementedError

    def _add_class(self) -> None:
        """Add the parameters of one more class, which scores 0."""
        raise NotImplementedError


AnyModel = TypeVar("AnyModel", bound=Model[Any])


class ModelSnapshot(Generic[AnyModel]):
    """A snapshot of a whole model: ``kept`` has the attributes that are restored."""

    def __init__(self, model: AnyModel, kept: AnyModel) -> None:
        self._model = model
        self._kept = kept

    def restore(self) -> None:
        """Restore the model to its state at the time of the snapshot."""
        # The object itself must stay: streams and engines hold it.
        vars(self._model).update(vars(self._kept))


class WeightModel(Model[BestState]):
    """Base class of models with a weight object, whose record starts from a copy of the weights.

    ``start`` are the weights before the first update of the record. They never change, so copies of
    the model share them.
    """

    weights: CountedWeights
    start: CountedWeights | None

    @property
    def t(self) -> int:
        """Return the number of examples seen, over all epochs and calls."""
        return int(self.weights.t)

    @t.setter
    def t(self, t: int) -> None:
        self.weights.t = t

    def copy(self) -> Self:
        """Return an independent copy that can learn."""
        twin = super().copy()
        twin.weights = self.weights.copy()
        return twin

    def keep_record(self, wanted: bool) -> None:
        """Start or continue recording updates if ``wanted``, otherwise discard the record."""
        if not wanted:
            self.recorder = None
            self.start = None
        elif self.recorder is None:
            self.recorder = self._new_recorder()
            self.start = self.weights.copy()
            self.next_row = 0

    @abstractmethod
    def _new_recorder(self) -> Copyable:
        """Return a new recorder of updates."""
