"""Why classes cannot be separated, in words and as a point to draw."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.studio.mapped_rows import MappedRows, numbers_of
from rosenblatt.theory.argmax import RivalConflict
from rosenblatt.theory.certificates import Conflict

__all__ = ["of_several", "of_two"]

# A fraction with a larger denominator is easier to read as a decimal.
LARGEST_DENOMINATOR = 100
SHOWN = 6


def of_two(conflict: Conflict, examples: MappedRows, *, fit_intercept: bool) -> dict[str, Any]:
    """Weighted points of both classes that meet; without a bias, that add up to nothing."""
    # One class alone had its first row turned over in the place of another class.
    rows = [row if row < len(examples) else 0 for row in conflict.rows]
    told: dict[str, Any] = {"rows": rows, "weights": [float(weight) for weight in conflict.weights]}
    if not fit_intercept:
        terms = _listed(conflict.weights, rows)
        said = f"Turned to one side of the origin, {terms} add up to nothing"
        return told | {
            "point": [0, 0],
            "sentence": f"{said}, so no line through the origin separates the classes.",
        }
    sides = []
    for place in (0, 1):
        chosen = [i for i, row in enumerate(rows) if examples.y[row] == place]
        total = sum(conflict.weights[i] for i in chosen)
        shares = [conflict.weights[i] / total for i in chosen]
        sides.append((shares, [rows[i] for i in chosen]))
    shares, of = sides[1]
    meeting = np.array([float(share) for share in shares]) @ examples.X[of]
    at = ", ".join(f"{value:.4g}".replace("-", "−") for value in meeting)
    told["point"] = numbers_of(meeting[:2])
    told["sentence"] = _capital(
        f"{_listed(*sides[0])} (class {examples.classes[0]}) and {_listed(*sides[1])} "
        f"(class {examples.classes[1]}) make the same point ({at}), which cannot lie on both sides."
    )
    return told


def of_several(
    conflict: RivalConflict, examples: MappedRows, *, fit_intercept: bool
) -> dict[str, Any]:
    """Weighted points, each against a class that is not its own."""
    rows = list(conflict.rows)
    listed = _listed(conflict.weights, rows)
    return {
        "rows": rows,
        "weights": list(conflict.weights),
        "wrong": [int(wrong) for wrong in conflict.wrong],
        "point": None,
        "sentence": _capital(
            f"{listed}, each against another class, add up to nothing: no scores "
            f"{'' if fit_intercept else 'without a bias '}can be right for all of them."
        ),
    }


def _listed(weights: Sequence[Any], rows: Sequence[int]) -> str:
    """``1/2 of point 1 and 1/2 of point 4``, cut after a few."""
    terms = [f"{_share(weight)}point {row + 1}" for weight, row in zip(weights, rows, strict=True)]
    if len(terms) > SHOWN:
        terms = [*terms[: SHOWN - 1], f"{len(terms) - SHOWN + 1} more"]
    return terms[0] if len(terms) == 1 else f"{', '.join(terms[:-1])} and {terms[-1]}"


def _share(weight: Any) -> str:
    if isinstance(weight, Fraction) and weight.denominator <= LARGEST_DENOMINATOR:
        return "" if weight == 1 else f"{weight} of "
    return f"{float(weight):.3g} of "


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]
