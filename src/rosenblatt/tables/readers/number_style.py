"""What a field of a text holds: a number and how it is written, a time, a gap."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

# Whatever column they stand in, these are gaps; `missing` of a reader adds others.
GAPS = (
    *("", "NA", "N/A", "n/a", "na", "N.A.", "n.a.", "NaN", "nan", "NAN", "null", "NULL", "Null"),
    *("-", "--", "?", "#N/A", "<NA>", "\\N", "None", "NaT", "nil", ".", "–", "—", "#NA", "-NaN"),
    *("-nan", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "1.#QNAN", "-1.#IND"),
)
# What also looks like one, and may be a value: told of, and left as it is.
_MAYBE_GAPS = {*map(str.lower, GAPS), "unknown", "missing"}
_SIGNS = r"[$€£¥₹¢\s%()+\-−\u00a0\u202f]*"
_BARE = re.compile(rf"{_SIGNS}(\d[\d.,'\u2019 \u00a0\u202f\u2009]*?(?:[eE][+-]?\d+)?){_SIGNS}")
_GROUPED = re.compile(r"\d{1,3}([.,'\u2019 \u00a0\u202f\u2009])(?:\d{2,3}\1)*\d{3}(?:([.,])\d+)?")
_POINTED = re.compile(r"(\d+)([.,])(\d+)(?:[eE][+-]?\d+)?")
_THREES = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_STRANGE = re.compile(r"[$€£¥₹¢%()−]")
_OTHER = {".": ",", ",": "."}
_TIME = re.compile(r"\d{1,4}[-./]\d\d?[-./]\d{1,4}\b.*|\d\d?:\d\d.*")


def looks_missing(text: str) -> bool:
    """Whether people may have written this where a value is not known."""
    return text.strip().lower() in _MAYBE_GAPS


def kind_of(cell: str) -> str:
    """What a field looks like: "number", "time" or "text"."""
    if _TIME.fullmatch(cell):
        return "time"
    match = _BARE.fullmatch(cell)
    return "number" if match is not None else "text"


def number_style(
    columns: Iterable[Sequence[str]], delimiter: str, given: Mapping[str, Any]
) -> tuple[str, str | None, bool]:
    """Decimal and thousands marks of the columns that look like numbers; whether they have signs.

    Marks that are `given` are taken as they are.
    """
    points = Counter[str]()
    groups = Counter[str]()
    signs = False
    unsure = list[list[str]]()
    for column in columns:
        bare = bare_numbers(column)
        if not bare:
            continue
        signs = signs or any(_STRANGE.search(cell) for cell in column)
        for number in bare:
            _weigh(number, points, groups)
        unsure.append(bare)

    decimal = "," if points[","] > points["."] or (groups["."] and not points["."]) else "."
    decimal = given.get("decimal") or decimal
    groups.pop(decimal, None)
    thousands = groups.most_common(1)[0][0] if groups else None
    named = given.get("decimal") or given.get("thousands")
    if thousands is None and not points and not named:
        decimal, thousands = _of_threes(unsure, delimiter)
    if thousands is None and not points[_OTHER[decimal]]:
        # In this file the other mark is no decimal mark anywhere, and stands between thousands.
        mark = _OTHER[decimal]
        marked = (number for column in unsure for number in column if mark in number)
        if any(_GROUPED.fullmatch(number) for number in marked):
            thousands = mark
    thousands = given.get("thousands") or (None if thousands == decimal else thousands)
    return decimal, thousands, signs


def bare_numbers(column: Sequence[str]) -> list[str]:
    """The numbers of a column without signs; none if most of its cells look like something else."""
    cells = [cell.strip() for cell in column if cell.strip() not in GAPS]
    found = [_BARE.fullmatch(cell) for cell in cells]
    bare = [match[1].strip() for match in found if match is not None]
    times = sum(_TIME.fullmatch(cell) is not None for cell in cells)
    return bare if 2 * (len(bare) - times) > len(cells) else []


def decimal_marks(column: Sequence[str]) -> dict[str, str]:
    """By each decimal mark that a column of numbers has beyond doubt, the first such number."""
    found = dict[str, str]()
    for number in bare_numbers(column):
        # Most numbers of a column have the mark that was found first: they need no closer look.
        if not any(mark in number and mark not in found for mark in _OTHER):
            continue
        points = Counter[str]()
        _weigh(number, points, Counter())
        for mark in points:
            found.setdefault(mark, number)
    return found


def may_be_thousands(column: Sequence[str]) -> str | None:
    """A number such as 5.600 whose point may be a decimal mark or stand between thousands.

    The first of a column, if all its points are followed by three digits and others are whole.
    """
    numbers = bare_numbers(column)
    pointed = [number for number in numbers if "." in number]
    if not pointed or not any(number.isdecimal() for number in numbers):
        return None
    return pointed[0] if all(_THREES.fullmatch(number) for number in pointed) else None


def _weigh(number: str, points: Counter[str], groups: Counter[str]) -> None:
    """What one number says of its marks; 1,234 alone says nothing."""
    grouped, pointed = _GROUPED.fullmatch(number), _POINTED.fullmatch(number)
    if grouped and grouped[2] and grouped[2] != grouped[1]:
        points[grouped[2]] += 1
        groups[grouped[1]] += 1
    elif grouped and (number.count(grouped[1]) > 1 or grouped[1] not in ".,"):
        groups[grouped[1]] += 1
    elif pointed and (len(pointed[3]) != 3 or len(pointed[1]) > 3 or pointed[1][0] == "0"):
        points[pointed[2]] += 1


def _of_threes(columns: list[list[str]], delimiter: str) -> tuple[str, str | None]:
    """Marks where every number with one has three digits behind it: 1,234 or 12.345."""
    for numbers in columns:
        marked = [number for number in numbers if "," in number]
        plain = [number for number in numbers if number.isdecimal()]
        if marked:
            large = any(len(number) > 3 for number in plain)
            return (",", None) if large or delimiter == ";" else (".", ",")
    return ".", None
