"""Labels of a file: texts during parsing, then converted to numbers if all are numeric."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.checks import choice, refusal
from rosenblatt.engine.text import numbers
from rosenblatt.errors import Message, ParameterError, Setting
from rosenblatt.models.classes import LabelCodes
from rosenblatt.tables.readers.fault_messages import NOT_FINITE, ProblemAndCures, quoted

KINDS = ("auto", "number", "text")
# Digits after a leading zero, as in 007, are a code and not a number.
CODE = re.compile(rb"0\d+")
TRUTH = {b"true": True, b"false": False}
SHOWN_CLASSES = 8  # classes listed in a message, at most
LONGEST_LABEL = 1000  # bytes
# Bytes. An array of fixed-width text reserves the length of the longest label in every row, so
# that longer labels are stored as Python objects instead.
LONGEST_FIXED_WIDTH = 64
# From this magnitude on, a float64 cannot represent every whole number.
LARGEST_EXACT = 2**53
# Labels converted to Python objects at once, for counting.
LABELS_AT_ONCE = 1 << 16


class Labels:
    """Converter of labels: decides whether they are numbers or text, and rejects invalid ones.

    With ``"auto"`` labels are numbers if all of them are; a code such as 007 is not the class 7. A
    stream cannot look at all labels, nor change those that it has handed out: there the first label
    decides, and a label that is not a number is rejected if the first is one. "nan" and "inf"
    are rejected as missing values, unless `any_text` says that labels are words. With ``"codes"``
    labels stay texts, and a block has their codes.
    """

    def __init__(
        self,
        kind: str = "auto",
        classes: Iterable[Hashable] | None = None,
        *,
        any_text: bool = False,
    ) -> None:
        if kind != "codes":
            choice("labels", kind, *KINDS)
        self._kind = kind
        self._any_text = any_text
        self._by_first = False
        self._guesses = kind == "auto" and classes is None
        self._classes = None if classes is None else _listed(classes)
        self._known = set(self._classes or ())

        # Given classes determine the type of the labels.
        if self._classes is None:
            return
        if all(isinstance(one, bool) for one in self._classes):
            self._kind = "truth"
        elif kind == "auto":
            has_text = any(isinstance(one, str) for one in self._classes)
            self._kind = "text" if has_text else "number"

    def decide_by_first(self) -> None:
        """Let the first label decide whether labels are numbers, as a stream must."""
        self._by_first = True

    def fault(self, name: bytes) -> ProblemAndCures | None:
        """Return why a new label is rejected, with the cures; None if it is accepted.

        Parsers call this once for each distinct label. The first label of a stream determines the
        type of all.
        """
        if len(name) > LONGEST_LABEL:
            problem = f"the label {quoted(name[:100])} is {len(name):,} bytes long"
            return problem, "is the right column the target?"

        text = name.decode()
        value = _number(name)
        looks_lost = value is None and text.strip().lower().lstrip("+-") in NOT_FINITE
        may_be_any_text = self._any_text and self._kind != "number"
        if looks_lost and not may_be_any_text:
            return f"the label {quoted(text)} is not a class", ["drop the row", "give it a label"]

        is_code = self._guesses and CODE.fullmatch(name) is not None
        is_number = value is not None and not is_code
        if self._by_first and self._kind == "auto":
            self._kind = "number" if is_number else "text"
        if self._classes is not None:
            if self._value(name) in self._known:
                return None
            return (
                f"the label {quoted(text)} is not one of the known classes {self._shown_classes()}",
                [
                    "fix the label, or train with examples of this class first",
                    Message("let new classes join with ", Setting("classes", None)),
                ],
            )
        if self._kind == "number" and not is_number:
            why = "has zeros in front" if is_code else "is not a number"
            return (
                f"the label {quoted(text)} {why}, unlike those before it",
                Message("read all labels as text with ", Setting("labels", "text")),
            )
        return None

    def _value(self, name: bytes) -> Any:
        """Return the label for a text in the file, converted to its type."""
        if self._kind == "truth":
            return TRUTH.get(name.lower())
        if self._kind == "number":
            return _number(name)
        text = name.decode()
        if text not in self._known and name.lower() in TRUTH:
            # Written as in JSON or R: true, TRUE.
            for one in self._known:
                if str(one).lower() == text.lower():
                    return one
        return text

    def _shown_classes(self) -> str:
        classes = self._classes or []
        shown = ", ".join(map(str, classes[:SHOWN_CLASSES]))
        n_more = len(classes) - SHOWN_CLASSES
        return f"{shown} and {n_more} more" if n_more > 0 else shown

    def values(self, codes: npt.NDArray[np.int32], names: list[bytes]) -> Any:
        """Return the label of every row, given its code, which is an index into `names`."""
        if self._kind == "codes":
            return LabelCodes(codes, names)

        # A row that was rejected after its label was read leaves a name that no row has.
        is_used = np.zeros(len(names), bool)
        is_used[codes] = True
        used = [name for name, is_one in zip(names, is_used.tolist(), strict=True) if is_one]
        if self._kind == "auto":
            are_numbers = all(_number(name) is not None for name in used)
            have_codes = any(CODE.fullmatch(name) for name in used)
            self._kind = "number" if are_numbers and not have_codes else "text"

        values: list[Any] = [None] * len(names)
        for place in np.flatnonzero(is_used).tolist():
            values[place] = self._value(names[place])
        return self._array(values, used)[codes]

    def _array(self, values: list[Any], used: list[bytes]) -> npt.NDArray[Any]:
        """Return the values of all names as an array of the narrowest type; it is never empty."""
        if self._kind == "text":
            has_long = any(len(name) > LONGEST_FIXED_WIDTH for name in used)
            texts = [value or "" for value in values] or [""]
            return np.array(texts, object if has_long else None)
        if self._kind == "truth":
            return np.array([bool(value) for value in values] or [False])
        are_whole = all(value == math.floor(value) for value in values if value)
        filled = [0 if value is None else value for value in values]
        return np.array(filled or [0], np.int64 if are_whole else np.float64)


def count_labels(labels: LabelCodes | npt.NDArray[Any]) -> dict[Any, int]:
    """Return the count of each label, in order of codes or else of first occurrence."""
    if isinstance(labels, LabelCodes):
        return labels.counts()
    found = Counter[Any]()
    for start in range(0, len(labels), LABELS_AT_ONCE):
        found.update(labels[start : start + LABELS_AT_ONCE].tolist())
    return found


def _number(name: bytes) -> float | None:
    """Parse a label as a number; return None if it is not numeric or too large to be exact."""
    value = numbers.parse(name)
    if value is None or abs(value) >= LARGEST_EXACT:
        return None
    return value


def _listed(classes: Iterable[Any]) -> list[Any]:
    """Return the classes as a list of built-in types; raise ParameterError if it is empty."""
    if isinstance(classes, str | bytes) or not isinstance(classes, Iterable):
        raise refusal("classes", classes, "a list of labels")
    known = [label.item() if isinstance(label, np.generic) else label for label in classes]
    if not known:
        problem = Message(Setting("classes"), " is empty")
        raise ParameterError(problem, where="classes", cures="leave it out to accept every label")
    return known
