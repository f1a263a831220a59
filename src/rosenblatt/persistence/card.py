"""The card of a model file: everything that is not an array, as one JSON text.

With its arrays it is the state that a learner hands over to be saved, and is made from again. A
name in a file is looked up in the catalogue and never imported as it stands: what is neither ours
nor registered by a package that is installed is refused.
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
from rosenblatt.persistence.parameters import decode, decode_parameters, encode, encode_parameters

if TYPE_CHECKING:
    from rosenblatt.persistence.layout import Layout

# The format that is written. A file of any format from the oldest on is read; a change of format
# takes a new number here, a function that upgrades the card and the arrays of the format before
# (`read_from` in file.py is where it is called) and kept files of its own beside those of the
# formats before (tests/persistence/format_5). docs/model_file.md states the policy.
FORMAT = 5
OLDEST_FORMAT = 5  # those before it were never released
TrainingData = Literal["none", "ledger", "rows"]
DIGEST = re.compile("[0-9a-f]{64}")
VERSION = re.compile(r"[0-9A-Za-z.+-]{1,30}")


class Facts(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A part of a card: every field must be there, and no other."""

    def to_plain(self) -> Any:
        """As JSON has it."""
        return msgspec.to_builtins(self)

    def decode(self) -> None:
        """Turn into what they were the values that JSON has no word for."""


class Fit(Facts):
    """The outcome of a finished ``fit``; a ``margin_ceiling`` of null is infinity.

    ``rows`` is null where examples are sentences, which are counted by ``t`` alone;
    ``training_errors`` is null where they were not counted.
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
    """SHA-256 of the data a model was said to come from when it had seen ``t`` examples.

    ``command``, of the shell, made the model of them, by the ``package`` whose sources have this
    SHA-256; both are left out of what was trained otherwise.
    """

    sha256: str
    of: Literal["files", "arrays", "sentences"]
    t: int
    command: list[str] | None = None
    package: str | None = None


class Record(Facts, omit_defaults=True):
    """How the model came about; ``fit`` is null while it learns from a stream.

    ``next_row`` is the number that the next example has in a ledger. ``search``, left out where
    nobody chose, is what `AutoLinear` tried, as a `Candidate` has it.
    """

    seed: int
    t: int
    next_row: int
    n_mistakes: int
    data: Data | None
    fit: Fit | None
    search: list[tuple[str, int, float, float, float, bool, bool]] | None = None


class Card(Facts):
    """What a model is, apart from its arrays.

    ``classes`` stand in the order of the weight vectors; those of a tagger are its tags. ``random``
    is the state of the generator that shuffles. ``training_data`` says what the file holds of the
    rows learned from: nothing, the numbers and labels of those in the ledger, or rows themselves.
    ``slim``: what nothing but learning on needs was left out. ``model`` is what the family of the
    learner keeps beside its arrays. ``calibration``, left out where there is none, is the slope and
    the offset that make probabilities of scores, and ``combine`` as it was when they were fitted.
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
        """The same model gives the same text, in ASCII."""
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
        """The card that JSON holds; what the model is made of is read as its learner has it."""
        card: Card = _converted(fields, cls, "")
        card.parameters = decode_parameters(card.parameters)
        card.classes = [decode(label, "classes") for label in card.classes]
        if card.columns is not None:
            card.columns = [decode(name, "columns") for name in card.columns]
        card.model = _converted(card.model, layout_of(card.learner).facts, ".model")
        card.model.decode()
        return card


def _converted(fields: Any, kind: type[Any], place: str) -> Any:
    try:
        return msgspec.convert(fields, kind)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        text, at, where = str(error).partition(" - at `$")
        found = f"{text} - at `${place}{where}" if at else f"{text} - at `${place}`"
        raise ModelFileError(f"the card of the model is not sound: {found}") from None


def plain(text: str) -> dict[str, Any]:
    """Parse a card of a format that this version reads; nothing else is checked yet.

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
    """JSON as the standard has it, and no key twice in one object."""

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
    """The classes that files may name."""
    return sorted(entry.class_name for entry in entries() if entry.is_saved)


@cache
def entry_named(class_name: str) -> Entry:
    """The learner that a file names; what no file may name is refused."""
    named = (entry for entry in entries() if entry.class_name == class_name and entry.is_saved)
    entry = next(named, None)
    if entry is None:
        raise ModelFileError(
            f"the learner {shown(class_name)} is not known; a file may hold "
            f"{', '.join(saved_learners())}. A learner of another package needs that package."
        )
    return entry


@cache
def class_of(class_name: str) -> Any:
    """Return the class of a learner that a file names."""
    return entry_named(class_name).load()


@cache
def layout_of(class_name: str) -> Layout:
    """Return how the file of this learner is laid out."""
    layout: Layout = class_of(class_name).file_layout()
    return layout


# ---------------------------------------------------------------------- card and arrays


@dataclass
class State:
    """A model as a card and named arrays: all of it, and nothing but data.

    Attributes
    ----------
    card : Card
        Learner, parameters, classes, names, counters and how the model came about.
    arrays : dict of str to ndarray
        Weights, running sums, the ledger and whatever else the card speaks of.

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
        """How the family of the learner lays its file out."""
        return layout_of(self.card.learner)

    @property
    def family(self) -> str:
        """The family of the learner, as the catalogue has it."""
        return self.layout.family

    @property
    def n_features(self) -> int:
        return self.layout.n_features(self.card, self.arrays)

    @property
    def has_ledger(self) -> bool:
        """Whether updates are in the file that `Ledger` and `TagLedger` tell of."""
        return getattr(self.card.model, "ledger", None) is not None

    def restore(self, model: Model[Any]) -> None:
        """Give a model what files say of all models alike."""
        card, data = self.card, self.card.record.data
        model.seed, model.random = card.record.seed, card.random
        model.n_mistakes, model.slim = card.record.n_mistakes, card.slim
        model.calibration = card.calibration
        model.row_offset = card.record.next_row - card.record.t
        model.label_dtype = None if card.label_dtype is None else np.dtype(card.label_dtype)
        if card.columns is not None:
            model.columns = {name: column for column, name in enumerate(card.columns)}
        model.schema = card.schema
        model.search = card.record.search
        if data is not None:
            model.origin = DataOrigin(**msgspec.structs.asdict(data))

    def refuse_unless(self, family: str) -> None:
        """For those who can do with the models of one family alone."""
        if self.family != family:
            raise ModelFileError(f"a {self.card.learner} {self.layout.nature}")

    def __repr__(self) -> str:
        of_sentences = self.layout.of_sentences
        return (
            f"<State: {self.card.learner}, {len(self.card.classes)} "
            f"{'tags' if of_sentences else 'classes'}, {self.n_features} features, "
            f"{self.card.record.t} {'sentences' if of_sentences else 'examples'}>"
        )
