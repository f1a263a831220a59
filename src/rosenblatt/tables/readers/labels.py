"""Labels of a file: texts while reading, numbers where all of them are numbers."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.checks import choice, refusal
from rosenblatt.engine.text import numbers
from rosenblatt.errors import Message, ParameterError, Setting
from rosenblatt.models.classes import LabelCodes
from rosenblatt.tables.readers.fault_messages import Explained, quoted

KINDS = ("auto", "number", "text")
# A number has no zeros in front of others; who writes them means a name.
CODE = re.compile(rb"0\d+")
NO_NUMBER = {"nan", "inf", "infinity"}
TRUTH = {b"true": True, b"false": False}
SHOWN = 8
LONGEST = 1000
LONG = 64
# Labels that become objects of Python at a time, to be counted.
LABELS_AT_ONCE = 1 << 16


class Labels:
    """Decides whether labels are numbers or text, and refuses those that cannot be.

    With ``"auto"`` labels are numbers if all of them are; 007 is none but a code, which is not the
    class 7. A stream cannot look at all of them, nor
    take back what it has handed out, so there the first label decides, and one that is not a number
    after one that is, is refused. "nan" and "inf" are taken as lost numbers, unless `any_text` says
    that labels are words. With ``"codes"`` they stay texts, and come as their numbers in a block.
    """

    def __init__(
        self, kind: str = "auto", classes: Iterable[Any] | None = None, *, any_text: bool = False
    ) -> None:
        if kind != "codes":
            choice("labels", kind, *KINDS)
        self._kind, self._any_text, self._by_first = kind, any_text, False
        self._guesses = kind == "auto" and classes is None
        self._classes = None if classes is None else _listed(classes)
        self._known = set(self._classes or ())
        if self._classes is not None and all(isinstance(c, bool) for c in self._classes):
            self._kind = "truth"
        elif kind == "auto" and self._classes is not None:
            self._kind = "text" if any(isinstance(c, str) for c in self._classes) else "number"

    def decide_by_first(self) -> None:
        self._by_first = True

    def fault(self, name: bytes) -> Explained | None:
        """Why a label met for the first time cannot be one, with a remedy; None if it can."""
        if len(name) > LONGEST:
            return (
                f"the label {quoted(name[:100])} is {len(name):,} bytes long",
                "is the right column the target?",
            )
        text = name.decode()
        value = _number(name)
        looks_lost = value is None and text.strip().lower().lstrip("+-") in NO_NUMBER
        if looks_lost and not (self._any_text and self._kind != "number"):
            return f"the label {quoted(text)} is not a class", ["drop the row", "give it a label"]
        is_code = self._guesses and CODE.fullmatch(name) is not None
        if self._by_first and self._kind == "auto":
            self._kind = "text" if value is None or is_code else "number"
        if self._classes is not None:
            if self._value(name) not in self._known:
                return (
                    f"the label {quoted(text)} is not one of the known classes {self._shown()}",
                    [
                        "fix the label, or train with examples of this class first",
                        Message("let new classes join with ", Setting("classes", None)),
                    ],
                )
        elif (value is None or is_code) and self._kind == "number":
            why = "has zeros in front" if is_code else "is not a number"
            return (
                f"the label {quoted(text)} {why}, unlike those before it",
                Message("read all labels as text with ", Setting("labels", "text")),
            )
        return None

    def _value(self, name: bytes) -> Any:
        if self._kind == "truth":
            return TRUTH.get(name.lower())
        if self._kind == "number":
            return _number(name)
        text = name.decode()
        if text not in self._known and name.lower() in TRUTH:  # written in the way of JSON or R
            return next((one for one in self._known if str(one).lower() == text.lower()), text)
        return text

    def _shown(self) -> str:
        classes = self._classes or []
        more = f" and {len(classes) - SHOWN} more" if len(classes) > SHOWN else ""
        return ", ".join(map(str, classes[:SHOWN])) + more

    def values(self, codes: npt.NDArray[np.int32], names: list[bytes]) -> Any:
        """The label of every row."""
        if self._kind == "codes":
            return LabelCodes(codes, names)
        met = np.zeros(len(names), bool)  # a row refused later may leave its label behind
        met[codes] = True
        used = [name for name, is_met in zip(names, met.tolist(), strict=True) if is_met]
        if self._kind == "auto":
            are_numbers = all(_number(name) is not None for name in used)
            are_codes = any(CODE.fullmatch(name) for name in used)
            self._kind = "number" if are_numbers and not are_codes else "text"
        values = [
            self._value(name) if is_met else None for name, is_met in zip(names, met, strict=True)
        ]
        if self._kind == "text":
            # Fixed-width text takes the room of the longest label in every row.
            long = any(len(name) > LONG for name in used)
            return np.array([value or "" for value in values] or [""], object if long else None)[
                codes
            ]
        if self._kind == "truth":
            return np.array([bool(value) for value in values] or [False])[codes]
        whole = all(value == math.floor(value) for value in values if value)
        filled = [0 if value is None else value for value in values]
        return np.array(filled or [0], np.int64 if whole else np.float64)[codes]


def count_labels(labels: LabelCodes | npt.NDArray[Any]) -> dict[Any, int]:
    """Count each label of the rows, in order of codes or else of first occurrence."""
    if isinstance(labels, LabelCodes):
        return labels.counts()
    found = Counter[Any]()
    for start in range(0, len(labels), LABELS_AT_ONCE):
        found.update(labels[start : start + LABELS_AT_ONCE].tolist())
    return found


def _number(name: bytes) -> float | None:
    """A number that a float64 holds to the last digit, or None."""
    value = numbers.parse(name)
    return value if value is not None and abs(value) < 2**53 else None


def _listed(classes: Iterable[Any]) -> list[Any]:
    if isinstance(classes, str | bytes) or not isinstance(classes, Iterable):
        raise refusal("classes", classes, "a list of labels")
    known = [label.item() if isinstance(label, np.generic) else label for label in classes]
    if not known:
        what = Message(Setting("classes"), " is empty")
        raise ParameterError(what, where="classes", cures="leave it out to accept every label")
    return known
