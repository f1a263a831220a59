"""Labels of a file: texts while reading, numbers where all of them are numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels import numbers
from rosenblatt.errors import ParameterError
from rosenblatt.io.excerpt import quoted

__all__ = ["Labels"]

KINDS = ("auto", "number", "text")
NO_NUMBER = {"nan", "inf", "infinity"}
SHOWN = 8


class Labels:
    """Decides whether labels are numbers or text, and refuses those that cannot be.

    With ``"auto"`` they are numbers if every label of the first block is one; from then on a label
    that is not a number is refused, because a stream cannot take back what it has handed out.
    "nan" and "inf" are taken as lost numbers, unless `any_text` says that labels are words.
    """

    def __init__(
        self, kind: str = "auto", classes: Iterable[Any] | None = None, *, any_text: bool = False
    ) -> None:
        if kind not in KINDS:
            raise ParameterError(f"labels={kind!r} is not known. Use 'auto', 'number' or 'text'.")
        self._kind, self._any_text = kind, any_text
        self._classes = None if classes is None else _listed(classes)
        if kind == "auto" and self._classes is not None:
            self._kind = "text" if any(isinstance(c, str) for c in self._classes) else "number"

    def fault(self, name: bytes) -> tuple[str, str] | None:
        """Why a label met for the first time cannot be one, with a remedy; None if it can."""
        text = name.decode()
        value = _number(name)
        looks_lost = value is None and text.strip().lower().lstrip("+-") in NO_NUMBER
        if looks_lost and not (self._any_text and self._kind != "number"):
            return f"the label {quoted(text)} is not a class", "drop the row or give it a label"
        if self._classes is not None:
            if (text if self._kind == "text" else value) not in self._classes:
                return (
                    f"the label {quoted(text)} is not one of the known classes {self._known()}",
                    "mend the label, or train with rows of this class first",
                )
        elif value is None and self._kind == "number":
            return (
                f"the label {quoted(text)} is not a number, unlike those before it",
                'read all labels as text with labels="text"',
            )
        return None

    def _known(self) -> str:
        classes = self._classes or []
        more = f" and {len(classes) - SHOWN} more" if len(classes) > SHOWN else ""
        return ", ".join(map(str, classes[:SHOWN])) + more

    def values(self, codes: npt.NDArray[np.int32], names: list[bytes]) -> npt.NDArray[Any]:
        """The label of every row."""
        met = np.zeros(len(names), bool)  # a row refused later may leave its label behind
        met[codes] = True
        names = [name if used else b"0" for name, used in zip(names, met.tolist(), strict=True)]
        values = [_number(name) for name in names]
        if self._kind == "auto":
            self._kind = "text" if any(value is None for value in values) else "number"
        if self._kind == "text":
            return np.array([name.decode() for name in names] or [""])[codes]
        whole = all(value == math.floor(value) for value in values if value)
        return np.array(values or [0], np.int64 if whole else np.float64)[codes]


def _number(name: bytes) -> float | None:
    """A number that a float64 holds to the last digit, or None."""
    value = numbers.parse(name)
    return value if value is not None and abs(value) < 2**53 else None


def _listed(classes: Iterable[Any]) -> list[Any]:
    if isinstance(classes, str | bytes) or not isinstance(classes, Iterable):
        raise ParameterError(f"classes={classes!r} must be a list of labels.")
    known = np.asarray(classes).tolist() if not isinstance(classes, list | tuple) else list(classes)
    if not known:
        raise ParameterError("classes is empty; leave it out to accept every label.")
    return known
