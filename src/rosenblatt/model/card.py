"""The card of a model file: everything that is not an array, as one JSON text."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import Any, Literal

import msgspec

from rosenblatt import __version__
from rosenblatt.checks import shown
from rosenblatt.errors import ModelFileError
from rosenblatt.model.parameters import decode_parameters, encode_parameters
from rosenblatt.model.typed_json import decode, encode

__all__ = [
    "FORMAT",
    "Card",
    "Data",
    "Fit",
    "Forgetting",
    "KernelRecord",
    "Record",
    "Snapshot",
    "Start",
    "Tagging",
    "Voting",
    "plain",
    "strict_json",
]

FORMAT = 1
DIGEST = re.compile("[0-9a-f]{64}")
# Sparse rows are "csr", or were those of SciPy's csr_array or csr_matrix.
Sparse = Literal["csr", "csr_array", "csr_matrix"]
Rows = Literal["none", "dense", "numbers"] | Sparse
VERSION = re.compile(r"[0-9A-Za-z.+-]{1,30}")


class _Facts(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Every field must be there, and no other."""


class Start(_Facts):
    """The weights a ledger starts from; ``zero``: all of them are 0 and not kept as arrays."""

    t: int
    dtype: Literal["float32", "float64"]
    by_feature: bool
    zero: bool


class Voting(_Facts):
    """The updates of all calls with the rows they came from.

    ``best`` is the number of updates and of examples after which the best epoch ended.
    """

    start: Start
    rows: Literal["none", "dense"] | Sparse
    best: tuple[int, int] | None


class Fit(_Facts):
    """The outcome of a finished ``fit``; ``dual`` says how the dual form is kept.

    "counts": mistakes a row, times ``eta``, with signs; "steps": one sum a row; "pairs" and
    "shares": sums by row and pair of classes, or by row and class; "none": not kept. A
    ``margin_ceiling`` of null is infinity. A tagger does not say how many ``rows``: it has 0.
    """

    rows: int
    n_iter: int
    mistakes_per_epoch: list[int]
    n_updates: int
    stop_reason: str
    converged: bool
    margin_ceiling: float | None
    cycle_length: int | None
    validation_scores: list[float] | None
    best_iter: int | None
    eta: float
    dual: Literal["counts", "steps", "pairs", "shares", "none"]


class Data(_Facts):
    """SHA-256 of the data a model was said to come from when it had seen ``t`` examples."""

    sha256: str
    of: Literal["files", "arrays", "sentences"]
    t: int


class Record(_Facts):
    """How the model came about; ``fit`` is null while it learns from a stream."""

    seed: int
    t: int
    n_mistakes: int
    data: Data | None
    fit: Fit | None


class Forgetting(_Facts):
    """What a rule of forgetting remembers, apart from its arrays; ``random`` is its generator."""

    random: Any
    mistakes: int
    damage: float


class Snapshot(_Facts):
    """The best state of a machine with a budget, after ``t`` examples."""

    t: int
    rows: Rows


class KernelRecord(_Facts):
    """A kernel machine: what it was begun with, and how its support rows are kept.

    ``best``, after early stopping: the number of updates and of examples that count, or with a
    budget the rows of that time. "numbers": the rows of a precomputed kernel are their numbers.
    """

    settings: dict[str, Any]
    n_features: int
    rows: Rows
    best: tuple[int, int] | Snapshot | None
    forgetting: Forgetting | None

    def to_plain(self) -> Any:
        kept = self.forgetting
        if kept is not None:
            kept = msgspec.structs.replace(kept, **encode_parameters({"random": kept.random}))
        settings = encode_parameters(self.settings)
        return msgspec.to_builtins(
            msgspec.structs.replace(self, settings=settings, forgetting=kept)
        )

    def decode(self) -> None:
        self.settings = decode_parameters(self.settings)
        if self.forgetting is not None:
            self.forgetting.random = decode_parameters({"random": self.forgetting.random})["random"]


class Tagging(_Facts):
    """A tagger, apart from its arrays: what its tokens are and how they become features.

    ``words`` says how many words of each column are known. ``best``, after early stopping: how many
    sentences the weights that answer had seen. Mappings have no columns, templates and words.
    """

    order: Literal[1, 2]
    tokens: Literal["word", "tuple", "mapping"]
    columns: list[str] | None
    templates: list[str] | None
    words: list[int]
    best: int | None
    dictionary: bool
    ledger: bool


class Card(_Facts):
    """What a model is, apart from its arrays.

    ``classes`` stand in the order of the weight vectors; those of a tagger are its tags. ``best``:
    the weights of the best epoch answer instead of the last. ``random`` is the state of the
    generator that shuffles. ``kernel`` and ``tagger`` are left out of the cards of others.
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
    schema: Any
    fit_intercept: bool
    by_feature: bool
    best: bool
    random: int
    record: Record
    ledger: Start | None
    voters: Voting | None
    kernel: KernelRecord | None = None
    tagger: Tagging | None = None

    def to_json(self) -> str:
        """The same model gives the same text, in ASCII."""
        fields = msgspec.structs.asdict(self)
        fields["parameters"] = encode_parameters(self.parameters)
        fields["classes"] = [encode(label, "the label") for label in self.classes]
        if self.columns is not None:
            fields["columns"] = [encode(name, "the feature") for name in self.columns]
        for name in ("record", "ledger", "voters"):
            fields[name] = msgspec.to_builtins(fields[name])
        del fields["kernel"], fields["tagger"]
        if self.kernel is not None:
            fields["kernel"] = self.kernel.to_plain()
        if self.tagger is not None:
            fields["tagger"] = msgspec.to_builtins(self.tagger)
        try:
            return json.dumps(fields, allow_nan=False, separators=(",", ":"))
        except (TypeError, ValueError) as error:
            raise ModelFileError(f"the card cannot be written as JSON: {error}") from None

    @classmethod
    def from_plain(cls, fields: dict[str, Any]) -> Card:
        try:
            card = msgspec.convert(fields, cls)
        except msgspec.ValidationError as error:
            raise ModelFileError(f"the card of the model is not sound: {error}") from None
        card.parameters = decode_parameters(card.parameters)
        card.classes = [decode(label, "classes") for label in card.classes]
        if card.columns is not None:
            card.columns = [decode(name, "columns") for name in card.columns]
        if card.kernel is not None:
            card.kernel.decode()
        return card


def plain(text: str) -> dict[str, Any]:
    """A card as JSON has it, of a format that this version reads; nothing else is checked yet.

    A newer format may have other fields and another digest, so it must be named before those are
    looked at.
    """
    fields = strict_json(text, "card")
    if not isinstance(fields, dict):
        raise ModelFileError(f"the card is {shown(fields)}, not an object.")
    found = fields.get("format")
    if type(found) is not int or found < 1:
        raise ModelFileError(f"the card has the format {shown(found)}; formats count from 1.")
    if found > FORMAT:
        version = fields.get("version")
        writer = version if isinstance(version, str) and VERSION.fullmatch(version) else "?"
        raise ModelFileError(
            f"written by rosenblatt {writer} (format {shown(found)}); this is {__version__}, "
            f"which reads formats up to {FORMAT}. Upgrade with pip install --upgrade rosenblatt."
        )
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
