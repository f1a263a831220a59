"""Classification of text fields: numbers and their style, times, and missing values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

# Texts that are missing values in every column; the option `missing` adds others.
GAPS = (
    *("", "NA", "N/A", "n/a", "na", "N.A.", "n.a.", "NaN", "nan", "NAN", "null", "NULL", "Null"),
    *("-", "--", "?", "#N/A", "<NA>", "\\N", "None", "NaT", "nil", ".", "–", "—", "#NA", "-NaN"),
    *("-nan", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "1.#QNAN", "-1.#IND"),
)
# Texts, in lower case, that may mark a missing value but may also be a value.
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
    """Return whether a text may stand for a missing value, such as "unknown"."""
    return text.strip().lower() in _MAYBE_GAPS


def kind_of(cell: str) -> str:
    """Return what a field looks like: "number", "time" or "text"."""
    if _TIME.fullmatch(cell):
        return "time"
    if _BARE.fullmatch(cell):
        return "number"
    return "text"


def number_style(
    columns: Iterable[Sequence[str]], delimiter: str, given: Mapping[str, Any]
) -> tuple[str, str | None, bool]:
    """Return the decimal mark, the thousands mark, and whether numbers have signs such as $ or %.

    Marks that are `given` are taken as they are.
    """
    points = Counter[str]()  # how many numbers have each mark as the decimal mark
    groups = Counter[str]()  # how many have it between thousands
    has_signs = False
    number_columns: list[list[str]] = []
    for column in columns:
        bare = bare_numbers(column)
        if not bare:
            continue
        number_columns.append(bare)
        has_signs = has_signs or any(_STRANGE.search(cell) for cell in column)
        for number in bare:
            _count_marks(number, points, groups)

    decimal: str = given.get("decimal") or _likely_decimal(points, groups)
    groups.pop(decimal, None)
    thousands = groups.most_common(1)[0][0] if groups else None
    are_named = given.get("decimal") or given.get("thousands")
    if thousands is None and not points and not are_named:
        decimal, thousands = _marks_before_three_digits(number_columns, delimiter)
    other = _OTHER[decimal]
    if thousands is None and not points[other] and _is_between_thousands(other, number_columns):
        thousands = other

    if given.get("thousands"):
        thousands = given["thousands"]
    elif thousands == decimal:
        thousands = None
    return decimal, thousands, has_signs


def _likely_decimal(points: Counter[str], groups: Counter[str]) -> str:
    """Return the most frequent decimal mark; a comma if points occur only between thousands."""
    if points[","] > points["."]:
        return ","
    if groups["."] and not points["."]:
        return ","
    return "."


def _is_between_thousands(mark: str, columns: list[list[str]]) -> bool:
    """Return whether `mark`, which is never a decimal mark, separates thousands in some number."""
    for numbers in columns:
        for number in numbers:
            if mark in number and _GROUPED.fullmatch(number):
                return True
    return False


def bare_numbers(column: Sequence[str]) -> list[str]:
    """Return the numbers of a column without signs; an empty list unless most cells are numbers."""
    cells = [cell.strip() for cell in column if cell.strip() not in GAPS]
    bare: list[str] = []
    for cell in cells:
        match = _BARE.fullmatch(cell)
        if match is not None:
            bare.append(match[1].strip())
    # A time such as 2020-01-31 looks like a number with signs.
    n_times = sum(_TIME.fullmatch(cell) is not None for cell in cells)
    are_most = 2 * (len(bare) - n_times) > len(cells)
    return bare if are_most else []


def decimal_marks(column: Sequence[str]) -> dict[str, str]:
    """Return the unambiguous decimal marks of a column, each with the first number that has it."""
    found: dict[str, str] = {}
    for number in bare_numbers(column):
        # Most numbers of a column have the mark that was found first: they need no closer look.
        if not any(mark in number and mark not in found for mark in _OTHER):
            continue
        points = Counter[str]()
        _count_marks(number, points, Counter())
        for mark in points:
            found.setdefault(mark, number)
    return found


def may_be_thousands(column: Sequence[str]) -> str | None:
    """Return a number such as 5.600, whose point may be a decimal mark or separate thousands.

    It is the first of a column in which each point is followed by three digits, and other numbers
    are whole; None if there is none.
    """
    numbers = bare_numbers(column)
    pointed = [number for number in numbers if "." in number]
    if not pointed or not any(number.isdecimal() for number in numbers):
        return None
    return pointed[0] if all(_THREES.fullmatch(number) for number in pointed) else None


def _count_marks(number: str, points: Counter[str], groups: Counter[str]) -> None:
    """Count the unambiguous marks of one number; the mark of 1,234 is ambiguous."""
    grouped = _GROUPED.fullmatch(number)
    if grouped and grouped[2] and grouped[2] != grouped[1]:  # 1.234,5
        points[grouped[2]] += 1
        groups[grouped[1]] += 1
        return
    if grouped and (number.count(grouped[1]) > 1 or grouped[1] not in ".,"):  # 1,234,567 or 1'234
        groups[grouped[1]] += 1
        return
    pointed = _POINTED.fullmatch(number)
    if pointed is None:
        return
    before, mark, after = pointed.groups()
    if len(after) != 3 or len(before) > 3 or before[0] == "0":  # 1,23 or 1234,567 or 0,123
        points[mark] += 1


def _marks_before_three_digits(columns: list[list[str]], delimiter: str) -> tuple[str, str | None]:
    """Return decimal and thousands marks if every mark precedes three digits, as in 1,234."""
    for numbers in columns:
        has_comma = any("," in number for number in numbers)
        if not has_comma:
            continue
        # If 1234 is written without a mark, that of 1,234 is a decimal mark.
        has_plain_thousands = any(number.isdecimal() and len(number) > 3 for number in numbers)
        if has_plain_thousands or delimiter == ";":
            return ",", None
        return ".", ","
    return ".", None
