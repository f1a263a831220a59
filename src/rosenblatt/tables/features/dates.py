"""Columns of dates and times: days, day of the week, month and hour as features."""

from __future__ import annotations

import calendar
import datetime
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray, IntArray
from rosenblatt.tables.features.column_kinds import Column, Part, are_finite
from rosenblatt.tables.features.number_scaling import CLIP, IQR
from rosenblatt.tables.readers.number_style import GAPS
from rosenblatt.tables.readers.table import Table

PARTS = ("days", "weekday", "month", "hour")
# Number of features of each part.
SIZES = {"days": 1, "weekday": 7, "month": 12, "hour": 24}
# The formats of dates, with their names in `Date.describe`. An epoch is a number: seconds or
# milliseconds since 1970.
ORDERS = {
    "ymd": "year-month-day",
    "dmy": "day.month.year",
    "mdy": "month/day/year",
    "named": "months by name",
    "clock": "times of day",
    "epoch": "seconds since 1970",
    "epoch_ms": "milliseconds since 1970",
}
SECONDS_OF_HOUR = 3600
SECONDS_OF_DAY = 86400
# `datetime.date.toordinal` of 1 January 1970.
ORDINAL_OF_1970 = 719_163


# ---------------------------------------------------------------------- parsing dates

_CLOCK = (
    r"(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*([AaPp])?\.?[Mm]?\.?\s*(?:Z|UTC|[+-]\d\d:?\d\d)?"
)
_CLOCK_AFTER_DATE = rf"(?:[T ,]\s*{_CLOCK})?"
_TWO_AND_YEAR = r"(\d\d?)[-/.](\d\d?)[-/.](\d{4}|\d\d)"
_DAY_AND_NAME = r"(\d\d?)\.?[- ]([A-Za-z]{3})[a-z]*\.?[-, ]+"
_NAME_AND_DAY = r"([A-Za-z]{3})[a-z]*\.? (\d\d?),? "
_PATTERNS = {
    "ymd": re.compile(r"(\d{4})[-/.](\d\d?)[-/.](\d\d?)" + _CLOCK_AFTER_DATE),
    "dmy": re.compile(_TWO_AND_YEAR + _CLOCK_AFTER_DATE),
    "mdy": re.compile(_TWO_AND_YEAR + _CLOCK_AFTER_DATE),
    "named": re.compile(rf"(?:{_DAY_AND_NAME}|{_NAME_AND_DAY})(\d{{4}})" + _CLOCK_AFTER_DATE),
    "clock": re.compile(_CLOCK),
}
_MONTHS = {name.lower(): i for i, name in enumerate(calendar.month_abbr) if name}
# Years of two digits above this belong to the 20th century, others to the 21st.
_LAST_SHORT_YEAR = 68
# A column of numbers with such a name holds times if all of them lie in this century.
_EPOCH_NAME = re.compile(r"time|date|epoch|stamp|unix|(^|_)(ts|at|created|updated)$", re.I)
_CENTURY = {"epoch": (946_684_800, 4_102_444_800), "epoch_ms": (946_684_800_000, 4_102_444_800_000)}
# A column holds dates if more than this share of its nonmissing texts have one format.
_MOST = 0.9


def guess_order(texts: Iterable[str], *, european: bool = False) -> tuple[str, bool] | None:
    """Guess the format of the dates in most of the texts; None if they are not dates.

    Returns
    -------
    order : str
        One of `ORDERS`.
    is_ambiguous : bool
        Whether day and month could be the other way round.
    """
    known = [text.strip() for text in texts if text not in GAPS]
    if not known:
        return None
    for order in ("ymd", "dmy", "named", "clock"):
        matches = []
        for text in known:
            match = _PATTERNS[order].fullmatch(text)
            if match is not None:
                matches.append(match)
        if len(matches) <= _MOST * len(known):
            continue
        if order == "dmy":
            return _day_or_month_first(matches, european=european)
        return order, False
    return None


def _day_or_month_first(matches: list[re.Match[str]], *, european: bool) -> tuple[str, bool] | None:
    """Decide between "dmy" and "mdy": a number above 12 is a day; None if neither fits."""
    largest_first = max(int(match[1]) for match in matches)
    largest_second = max(int(match[2]) for match in matches)
    if largest_first > 12 and largest_second > 12:
        return None
    if largest_first > 12:
        return "dmy", False
    if largest_second > 12:
        return "mdy", False
    # Slashes are American, unless decimal commas or semicolons say otherwise.
    if "/" in matches[0][0] and not european:
        return "mdy", True
    return "dmy", True


def guess_epoch(name: str, least: float, most: float) -> str | None:
    """Guess the epoch format of a column from its name and range; None if it holds no times."""
    if not _EPOCH_NAME.search(name):
        return None
    for order, (begin, end) in _CENTURY.items():
        if begin <= least <= most <= end:
            return order
    return None


def seconds_of(texts: Sequence[str], order: str) -> FloatArray:
    """Parse texts as seconds since 1970, ignoring time zones; NaN if one is not in the format."""
    # The seconds of each date that occurs; most dates occur more than once.
    days: dict[tuple[int, int, int], float] = {}
    seconds = [_seconds(text.strip(), order, days) for text in texts]
    return np.array(seconds or [np.nan])


def _seconds(text: str, order: str, days: dict[tuple[int, int, int], float]) -> float:
    match = _PATTERNS[order].fullmatch(text)
    if match is None:
        return np.nan
    groups = match.groups()

    clock = _seconds_of_clock(*groups[-4:])
    if order == "clock" or math.isnan(clock):
        return clock

    date = _date(groups, order)
    if date not in days:
        try:
            ordinal = datetime.date(*date).toordinal()
            days[date] = float((ordinal - ORDINAL_OF_1970) * SECONDS_OF_DAY)
        except ValueError:
            days[date] = np.nan
    return days[date] + clock


def _seconds_of_clock(
    hour: str | None, minute: str | None, second: str | None, half: str | None
) -> float:
    """Return seconds since midnight; 0 without a time of day, NaN for an invalid one."""
    if hour is None or minute is None:
        return 0.0
    hours = int(hour)
    if half:
        # 12 am is midnight, 12 pm is noon.
        hours %= 12
        if half in "pP":
            hours += 12
    if hours > 24 or int(minute) > 59:
        return np.nan
    return hours * 3600.0 + int(minute) * 60 + int(second or 0)


def _date(groups: tuple[Any, ...], order: str) -> tuple[int, int, int]:
    """Return year, month and day; the month is 0 if its name is unknown."""
    if order == "named":
        if groups[0]:
            day, name = groups[0], groups[1]
        else:
            name, day = groups[2], groups[3]
        return int(groups[4]), _MONTHS.get(name.lower(), 0), int(day)
    first, second, third = groups[:3]
    if order == "ymd":
        return int(first), int(second), int(third)

    year = int(third)
    if len(third) == 2:
        year += 1900 if year > _LAST_SHORT_YEAR else 2000
    if order == "dmy":
        return year, int(second), int(first)
    return year, int(first), int(second)


# ---------------------------------------------------------------------- the column


@dataclass
class Date(Column):
    """A column of dates or times: scaled days since 1970, and one-hot weekday, month and hour.

    With ``gaps`` a last feature is 1 if the date is missing.
    """

    kind: ClassVar[str] = "date"
    order: str = "ymd"
    parts: list[str] = field(default_factory=list)
    center: float = 0.0
    scale: float = 1.0
    clip: float | None = None
    gaps: bool = False

    @property
    def is_epoch(self) -> bool:
        return self.order.startswith("epoch")

    @property
    def is_read_as_numbers(self) -> bool:
        return self.is_epoch

    @property
    def n_features(self) -> int:
        return sum(SIZES[part] for part in self.parts) + self.gaps

    def times(self, table: Table) -> tuple[npt.NDArray[np.int32], FloatArray]:
        """Return a code for each row, and the seconds since 1970 of each code."""
        if self.is_epoch:
            unit = 1000.0 if self.order == "epoch_ms" else 1.0
            values = np.asarray(table.number_column(self.name), np.float64)
            return np.arange(len(values), dtype=np.int32), np.floor(values / unit)
        codes, texts = table.coded(self.name)
        return codes, seconds_of(texts, self.order)

    def part(self, table: Table, learning: bool = False) -> Part:
        codes, seconds = self.times(table)
        if not self.gaps:
            seconds = np.where(np.isnan(seconds), self._seconds_of_gap, seconds)
        is_missing = np.isnan(seconds)
        whole_seconds = np.where(is_missing, 0.0, seconds).astype(np.int64)

        # A row for each code and a column for each part of a date.
        shape = len(whole_seconds), len(self.parts)
        values = np.ones(shape)
        features = np.zeros(shape, np.int64)
        start = 0
        for place, part in enumerate(self.parts):
            if part == "days":
                days = (whole_seconds / SECONDS_OF_DAY - self.center) / self.scale
                if self.clip is not None:
                    days = days.clip(-self.clip, self.clip)
                values[:, place] = days
            features[:, place] = start + _numbers_in_part(part, whole_seconds)
            start += SIZES[part]

        # A missing date has one feature, after all others, or none if training had no missing ones.
        counts = np.where(is_missing, int(self.gaps), len(self.parts))[codes]
        code_of_value = np.repeat(codes, counts)
        ends = np.cumsum(counts)
        place_of_value = np.arange(len(code_of_value)) - np.repeat(ends - counts, counts)
        is_known = ~is_missing[code_of_value]
        known = code_of_value[is_known], place_of_value[is_known]

        data = np.ones(len(code_of_value))
        data[is_known] = values[known]
        found = np.full(len(code_of_value), start, np.int64)
        found[is_known] = features[known]
        return Part(counts.astype(np.int64), data, found.astype(np.int32))

    def feature(self, number: int) -> str:
        for part in self.parts:
            if number >= SIZES[part]:
                number -= SIZES[part]
            elif part == "days":
                return f"{self.name}.days"
            else:
                return f"{self.name}.{part}={_level(part, number)}"
        return f"{self.name} is missing"

    def describe(self) -> str:
        gaps = ", may be missing" if self.gaps else ""
        return f"{', '.join(self.parts)}{gaps} ({ORDERS[self.order]})"

    def unknown(self, table: Table) -> dict[str, int]:
        if self.is_epoch:
            return {}
        counts = table.counts(self.name)
        seconds = seconds_of(list(counts), self.order)
        # Without texts there is one NaN, which belongs to none.
        pairs = zip(counts.items(), np.isnan(seconds).tolist(), strict=False)
        return {text: n for (text, n), is_no_date in pairs if text and is_no_date}

    def new_gaps(self, table: Table) -> int:
        if self.gaps:
            return 0
        if self.is_epoch:
            return int(np.isnan(table.number_column(self.name)).sum())
        return table.counts(self.name).get("", 0)

    @property
    def _seconds_of_gap(self) -> float:
        """Return the time that replaces a missing date, in seconds since 1970."""
        return float(np.floor(self.center * SECONDS_OF_DAY))

    @property
    def filling(self) -> str:
        time = np.datetime64(int(self._seconds_of_gap), "s").item()
        return f"{time:%H:%M}" if self.order == "clock" else f"{time:%Y-%m-%d}"

    def to_json(self, kept: Iterable[int]) -> dict[str, Any]:
        return super().to_json(kept) | {
            "order": self.order,
            "parts": self.parts,
            "center": self.center,
            "scale": self.scale,
            "clip": self.clip,
            "gaps": self.gaps,
        }

    def validate(self) -> None:
        clip = 1.0 if self.clip is None else self.clip
        is_sound = (
            self.order in ORDERS
            and type(self.parts) is list
            # Each part once, and in the order in which features stand.
            and [part for part in PARTS if part in self.parts] == self.parts
            and are_finite(self.center, self.scale, clip)
            and self.scale > 0
            and clip > 0
            and type(self.gaps) is bool
        )
        if not is_sound:
            raise ValueError(f"the column {self.name!r} is no column of dates")


def _level(part: str, number: int) -> str:
    """Return the name of a weekday, a month or an hour."""
    if part == "weekday":
        return calendar.day_name[number]
    if part == "month":
        return calendar.month_name[number + 1]
    return str(number)


def _numbers_in_part(part: str, seconds: npt.NDArray[np.int64]) -> IntArray:
    """Return the weekday, month or hour of each time as an index from 0; 0 for "days"."""
    days = seconds // SECONDS_OF_DAY
    if part == "weekday":
        # 1 January 1970 was a Thursday.
        return np.asarray((days + 3) % 7)
    if part == "month":
        months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
        return np.asarray(months % 12)
    if part == "hour":
        return np.asarray(seconds % SECONDS_OF_DAY // SECONDS_OF_HOUR % 24)
    return np.zeros_like(days)


# ---------------------------------------------------------------------- guessing its parts


class DateGuess:
    """Guess at the parts of a date column that vary and at the scale of days, block by block."""

    def __init__(
        self, name: str, order: str, scale: str | None, ignored: Iterable[str] = ()
    ) -> None:
        self._column = Date(name, order)
        self._scale = scale
        self._ignored = set(ignored)
        # How often each hour occurs, counted from 1970: no part is finer.
        self._hours: Counter[int] = Counter()
        self._has_gaps = False

    def add(self, table: Table) -> None:
        """Update the statistics with a block of rows."""
        codes, seconds = self._column.times(table)
        self.tally(seconds, np.bincount(codes, minlength=len(seconds)).tolist())

    def tally(self, seconds: FloatArray, counts: list[int]) -> None:
        """Update the statistics with distinct times and their counts."""
        for second, n in zip(seconds.tolist(), counts, strict=False):
            if not math.isnan(second):
                self._hours[int(second // SECONDS_OF_HOUR)] += n
            elif n > 0:
                self._has_gaps = True

    def column(self) -> Date:
        """Return the column, with the parts that vary between rows and the scale of days."""
        column = self._column
        hours = np.array(sorted(self._hours), np.int64)
        column.parts = [part for part in PARTS if self._is_useful(part, hours)]
        column.gaps = self._has_gaps
        if len(hours):
            counts = np.array([self._hours[hour] for hour in hours.tolist()], np.int64)
            column.center, column.scale, column.clip = _spread(hours / 24, counts, self._scale)
        return column

    def _is_useful(self, part: str, hours: IntArray) -> bool:
        """Return whether a part is enabled and varies between rows."""
        if part in self._ignored:
            return False
        if self._column.order == "clock" and part != "hour":
            return False
        seconds = hours * SECONDS_OF_HOUR
        numbers = hours // 24 if part == "days" else _numbers_in_part(part, seconds)
        return len(np.unique(numbers)) > 1


def _spread(
    days: FloatArray, counts: IntArray, scale: str | None
) -> tuple[float, float, float | None]:
    """Return center, scale and clip of distinct days in ascending order, given their counts."""
    if scale is None:
        return float(np.floor(days[0])), 1.0, None
    total = float(counts.sum())
    mean = float((days * counts).sum() / total)
    deviation = float(np.sqrt(((days - mean) ** 2 * counts).sum() / total)) or 1.0
    if scale == "standard":
        return mean, deviation, None

    shares = np.array([0.25, 0.5, 0.75])
    quartiles = days[np.searchsorted(np.cumsum(counts), shares * total)]
    low, median, high = quartiles.tolist()
    return median, (high - low) / IQR or deviation, CLIP
