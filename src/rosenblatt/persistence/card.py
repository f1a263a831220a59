"""The card of a model file: everything that is not an array, as one JSON text.

Card and arrays are the state that a learner hands over to be saved, and from which it is restored.
The name of a learner in a file is looked up in the catalogue and never imported: only our learners,
and those that an installed package registers, are accepted.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from rosenblatt import __version__
from rosenblatt.errors import ModelFileError, shown
from rosenblatt.estimators.catalogue import Entry, entries
from rosenblatt.models.model import DataOrigin, Model
from rosenblatt.persistence.layout import LEDGER
from rosenblatt.persistence.parameters import decode, decode_parameters, encode, encode_parameters

if TYPE_CHECKING:
    from rosenblatt.persistence.layout import Layout

# The format of the files that are written. A file of any format from the oldest on is read; a
# change of format takes a new number here, a function that upgrades the card and the arrays of the
# format before (`read_from` in file.py is where it is called) and kept files of its own beside
# those of the formats before (tests/persistence/format_5). docs/model_file.md states the policy.
FORMAT = 5
# The formats before it were never released.
OLDEST_FORMAT = 5
TrainingData = Literal["none", "ledger", "rows"]
DIGEST = re.compile("[0-9a-f]{64}")
VERSION = re.compile(r"[0-9A-Za-z.+-]{1,30}")


class Facts(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Base class of the parts of a card: required fields must be present, and no unknown ones."""

    def to_plain(self) -> Any:
        """Return the fields as JSON data."""
        return msgspec.to_builtins(self)

    def decode(self) -> None:
        """Decode, in place, the values that JSON has no type for."""


class Fit(Facts):
    """The outcome of a finished ``fit``; a ``margin_ceiling`` of null is infinity.

    ``rows`` is null if examples are sentences, which only ``t`` counts; ``training_errors`` is null
    if they were not counted.
    """

    rows: int | None
    n_iter: int
    mistakes_per_epoch: list[int]
    stop_reason: str
    training_errors: int | None
    margin_ceiling: float | None
    validation_scores: list[float] | None
    best_iter: int | None


class Data(Facts, omit_defaults=True):
    """SHA-256 of the training data of a model, given when it had seen ``t`` examples.

    ``command`` is the command line that trained the model, by the ``package`` whose sources have
    this SHA-256; both are left out if it was not trained by the command line.
    """

    sha256: str
    of: Literal["files", "arrays", "sentences"]
    t: int
    command: list[str] | None = None
    package: str | None = None


class Record(Facts, omit_defaults=True):
    """The history of the training of a model; ``fit`` is null while it learns from a stream.

    ``next_row`` is the number that the next example gets in a ledger. ``search``, left out if there
    was none, lists the candidates that `AutoLinear` tried, with the fields of a `Candidate`.
    """

    seed: int
    t: int
    next_row: int
    n_mistakes: int
    data: Data | None
    fit: Fit | None
    search: list[tuple[str, int, float, float, float, bool, bool]] | None = None


class Card(Facts):
    """The card of a model: everything but its arrays.

    ``classes`` are in the order of the weight vectors; those of a tagger are its tags. ``random``
    is the state of the generator that shuffles. ``training_data`` is the part of the training rows
    in the file: nothing, the numbers and labels of those in the ledger, or the rows themselves.
    ``slim``: everything that is only needed to continue learning was left out. ``model`` holds the
    fields of the family of the learner. ``calibration``, left out if there is none, is the slope
    and the offset that turn scores into probabilities, and the ``combine`` they were fitted for.
    """

    format: int
    version: str
    sha256: str
    learner: str
    parameters: dict[str, Any]
    classes: list[Any]
    label_dtype: str | None
    feature_names: list[str] | None
    columns: list[Any] | None
    schema: dict[str, Any] | None
    random: int
    training_data: TrainingData
    slim: bool
    record: Record
    model: Any
    calibration: tuple[float, float, str | None] | None = None

    def to_json(self) -> str:
        """Serialize to ASCII JSON; the same model gives the same text."""
        fields = msgspec.structs.asdict(self)
        fields["parameters"] = encode_parameters(self.parameters)
        fields["classes"] = [encode(label, "the label") for label in self.classes]
        if self.columns is not None:
            fields["columns"] = [encode(name, "the feature") for name in self.columns]
        fields["record"] = self.record.to_plain()
        fields["model"] = self.model.to_plain()
        if self.calibration is None:
            del fields["calibration"]
        try:
            return json.dumps(fields, allow_nan=False, separators=(",", ":"))
        except (TypeError, ValueError) as error:
            raise ModelFileError(f"the card cannot be written as JSON: {error}") from None

    @classmethod
    def from_plain(cls, fields: dict[str, Any]) -> Card:
        """Make a card from JSON data; ``model`` has the fields of the family of the learner."""
        card: Card = _converted(fields, cls, "")
        card.parameters = decode_parameters(card.parameters)
        card.classes = [decode(label, "classes") for label in card.classes]
        if card.columns is not None:
            card.columns = [decode(name, "columns") for name in card.columns]
        card.model = _converted(card.model, layout_of(card.learner).facts, ".model")
        card.model.decode()
        return card


def _converted(fields: Any, kind: type[Any], place: str) -> Any:
    """Convert plain fields to a struct; an error names the field below ``place``."""
    try:
        return msgspec.convert(fields, kind)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        text, at, where = str(error).partition(" - at `$")
        if not at:
            where = "`"
        found = f"{text} - at `${place}{where}"
        raise ModelFileError(f"the card of the model is not sound: {found}") from None


def plain(text: str) -> dict[str, Any]:
    """Parse the JSON of a card, and check only its format, version and digest fields.

    A newer format may have other fields and another digest, so it must be named before those are
    looked at.
    """
    fields = strict_json(text, "card")
    if not isinstance(fields, dict):
        raise ModelFileError(f"the card is {shown(fields)}, not an object.")
    found = fields.get("format")
    if type(found) is not int or found < 1:
        raise ModelFileError(f"the card has the format {shown(found)}; formats count from 1.")
    version = fields.get("version")
    writer = version if isinstance(version, str) and VERSION.fullmatch(version) else "?"
    if found > FORMAT:
        raise ModelFileError(
            f"written by rosenblatt {writer} (format {shown(found)}); this is {__version__}, "
            f"which reads up to format {FORMAT}. Upgrade with pip install --upgrade rosenblatt."
        )
    if found < OLDEST_FORMAT:
        raise ModelFileError(
            f"a model file of format {found}, which was never released: files are read from "
            f"format {OLDEST_FORMAT} on. Train the model again and save it."
        )
    if version != writer:
        raise ModelFileError(f"the card has no version of rosenblatt: {shown(version)}.")
    digest = fields.get("sha256")
    if not isinstance(digest, str) or not DIGEST.fullmatch(digest):
        raise ModelFileError(f"the card has no SHA-256 of 64 hexadecimal digits: {shown(digest)}.")
    return fields


def strict_json(text: str, what: str) -> Any:
    """Parse JSON by the standard: no NaN, no infinity, and no key twice in one object."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
            raise ModelFileError(f"the {what} has the key {shown(twice)} twice.")
        return found

    def finite(digits: str) -> float:
        number = float(digits)
        if not math.isfinite(number):
            raise ValueError(f"{shown(digits)} is beyond all floats")
        return number

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    try:
        return json.loads(text, object_pairs_hook=unique, parse_float=finite, parse_constant=refuse)
    except ModelFileError:
        raise
    except RecursionError:
        raise ModelFileError(f"the {what} is nested too deeply.") from None
    except ValueError as error:
        raise ModelFileError(f"the {what} is not JSON: {error}.") from None


# ---------------------------------------------------------------------- learners in files


def saved_learners() -> list[str]:
    """Return the names of the learners that can be saved."""
    return sorted(entry.class_name for entry in entries() if entry.is_saved)


@cache
def entry_named(class_name: str) -> Entry:
    """Return the catalogue entry of a learner by name; raise ModelFileError if it is unknown."""
    for entry in entries():
        if entry.class_name == class_name and entry.is_saved:
            return entry
    raise ModelFileError(
        f"the learner {shown(class_name)} is not known; a file may hold "
        f"{', '.join(saved_learners())}. A learner of another package needs that package."
    )


@cache
def class_of(class_name: str) -> Any:
    """Return the class of a learner that a file names."""
    return entry_named(class_name).load()


@cache
def layout_of(class_name: str) -> Layout:
    """Return the layout of the model files of a learner."""
    layout: Layout = class_of(class_name).file_layout()
    return layout


# ---------------------------------------------------------------------- card and arrays


@dataclass
class State:
    """The complete state of a model as plain data: a card and named arrays.

    Attributes
    ----------
    card : Card
        Learner, parameters, classes, names, counters and how the model came about.
    arrays : dict of str to ndarray
        Weights, running sums, the ledger and the other arrays of the card.

    Examples
    --------
    >>> import tempfile, os
    >>> import rosenblatt
    >>> p = rosenblatt.Perceptron().fit([[1.0, 2.0], [3.0, -1.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.rbt")
    ...     rosenblatt.save(p, path)
    ...     state = rosenblatt.model.read(path)
    >>> state
    <State: Perceptron, 2 classes, 2 features, 4 examples>
    >>> state.card.classes, state.arrays["coef"].tolist()
    (['no', 'yes'], [[2.0, -3.0]])
    """

    card: Card
    arrays: dict[str, npt.NDArray[Any]]

    @property
    def layout(self) -> Layout:
        """Return the layout of the family of the learner."""
        return layout_of(self.card.learner)

    @property
    def family(self) -> str:
        """Return the family of the learner, as the catalogue names it."""
        return self.layout.family

    @property
    def n_features(self) -> int:
        return self.layout.n_features(self.card, self.arrays)

    @property
    def has_ledger(self) -> bool:
        """Return whether the file has the updates of a `Ledger` or a `TagLedger`."""
        return LEDGER in self.layout.parts(self.card)

    def restore(self, model: Model[Any]) -> None:
        """Set the fields of ``model`` that models of all families have."""
        card = self.card
        record = card.record
        model.seed = record.seed
        model.random = card.random
        model.n_mistakes = record.n_mistakes
        model.slim = card.slim
        model.calibration = card.calibration
        model.row_offset = record.next_row - record.t
        model.label_dtype = None if card.label_dtype is None else np.dtype(card.label_dtype)
        if card.columns is not None:
            model.columns = {name: column for column, name in enumerate(card.columns)}
        model.schema = card.schema
        model.search = record.search
        if record.data is not None:
            model.origin = DataOrigin(**msgspec.structs.asdict(record.data))

    def refuse_unless(self, family: str) -> None:
        """Raise ModelFileError if the model is of another family."""
        if self.family != family:
            raise ModelFileError(f"a {self.card.learner} {self.layout.nature}")

    def __repr__(self) -> str:
        classes = "classes"
        examples = "examples"
        if self.layout.of_sentences:
            classes = "tags"
            examples = "sentences"
        return (
            f"<State: {self.card.learner}, {len(self.card.classes)} {classes}, "
            f"{self.n_features} features, {self.card.record.t} {examples}>"
        )
