"""Columns of dates and times: days, day of the week, month and hour as features."""

from __future__ import annotations

import calendar
import datetime
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rosenblatt.tables.features.column_kinds import Column, Part
from rosenblatt.tables.features.number_scaling import CLIP, IQR
from rosenblatt.tables.readers.number_style import GAPS
from rosenblatt.tables.readers.table import Table

PARTS = ("days", "weekday", "month", "hour")
SIZES = {"days": 1, "weekday": 7, "month": 12, "hour": 24}
# How dates are written; epochs are numbers, seconds or milliseconds since 1970.
ORDERS = ("ymd", "dmy", "mdy", "named", "clock", "epoch", "epoch_ms")
HOUR, DAY = 3600, 86400
_CLOCK = (
    r"(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*([AaPp])?\.?[Mm]?\.?\s*(?:Z|UTC|[+-]\d\d:?\d\d)?"
)
_AFTER = rf"(?:[T ,]\s*{_CLOCK})?"
_TWO = r"(\d\d?)[-/.](\d\d?)[-/.](\d{4}|\d\d)"
_DATES = {
    "ymd": re.compile(r"(\d{4})[-/.](\d\d?)[-/.](\d\d?)" + _AFTER),
    "dmy": re.compile(_TWO + _AFTER),
    "mdy": re.compile(_TWO + _AFTER),
    "named": re.compile(
        r"(?:(\d\d?)\.?[- ]([A-Za-z]{3})[a-z]*\.?[-, ]+|([A-Za-z]{3})[a-z]*\.? (\d\d?),? )(\d{4})"
        + _AFTER
    ),
    "clock": re.compile(_CLOCK),
}
_MONTHS = {name.lower(): i for i, name in enumerate(calendar.month_abbr) if name}
# Names of columns of numbers that are times, if they lie in this century.
_EPOCH_NAME = re.compile(r"time|date|epoch|stamp|unix|(^|_)(ts|at|created|updated)$", re.I)
_EPOCHS = {"epoch": (946_684_800, 4_102_444_800), "epoch_ms": (946_684_800_000, 4_102_444_800_000)}


def guess_order(texts: Iterable[str], *, european: bool = False) -> tuple[str, bool] | None:
    """How most of these texts are dates, and whether day and month could be confused; or None."""
    known = [text for text in texts if text not in GAPS]
    for order in ("ymd", "dmy", "named", "clock"):
        found = [match for text in known if (match := _DATES[order].fullmatch(text.strip()))]
        if not known or len(found) <= 0.9 * len(known):
            continue
        if order != "dmy":
            return order, False
        first, second = (max(int(match[i]) for match in found) for i in (1, 2))
        if max(first, second) > 12:
            return None if min(first, second) > 12 else ("dmy" if first > 12 else "mdy", False)
        american = "/" in found[0][0] and not european
        return ("mdy" if american else "dmy"), True
    return None


def guess_epoch(name: str, least: float, most: float) -> str | None:
    """Whether numbers from `least` to `most` in a column of this name are times."""
    if _EPOCH_NAME.search(name):
        for order, (begin, end) in _EPOCHS.items():
            if begin <= least <= most <= end:
                return order
    return None


def seconds_of(texts: Sequence[str], order: str) -> npt.NDArray[np.float64]:
    """Seconds since 1970, as the clock shows them; NaN where a text is no such time."""
    days: dict[tuple[int, int, int], float] = {}
    return np.array([_seconds(text.strip(), order, days) for text in texts] or [np.nan])


def _seconds(text: str, order: str, days: dict[tuple[int, int, int], float]) -> float:
    match = _DATES[order].fullmatch(text)
    if match is None:
        return np.nan
    groups = match.groups()
    hour, minute, second, half = groups[-4:]
    clock = 0.0
    if hour is not None:
        h = int(hour) % 12 + 12 * (half in "pP") if half else int(hour)
        if h > 24 or int(minute) > 59:
            return np.nan
        clock = h * 3600.0 + int(minute) * 60 + int(second or 0)
    if order == "clock":
        return clock
    date = _date(groups, order)
    if date not in days:
        try:
            days[date] = (datetime.date(*date).toordinal() - 719_163) * 86400.0
        except ValueError:
            days[date] = np.nan
    return days[date] + clock


def _date(groups: tuple[Any, ...], order: str) -> tuple[int, int, int]:
    if order == "named":
        day, month = (groups[0], groups[1]) if groups[0] else (groups[3], groups[2])
        return int(groups[4]), _MONTHS.get(month.lower(), 0), int(day)
    a, b, c = groups[:3]
    if order == "ymd":
        return int(a), int(b), int(c)
    day, month = (a, b) if order == "dmy" else (b, a)
    year = int(c) + (0 if len(c) == 4 else 1900 if int(c) > 68 else 2000)
    return year, int(month), int(day)


@dataclass
class Date(Column):
    """Days since 1970, scaled, and a feature for each weekday, month and hour; or that it lacks."""

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
    def n_features(self) -> int:
        return sum(SIZES[part] for part in self.parts) + self.gaps

    def _times(self, table: Table) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Of every row a number, and the seconds that these stand for."""
        if self.is_epoch:
            unit = 1000.0 if self.order == "epoch_ms" else 1.0
            found = np.asarray(table.number_column(self.name), np.float64)
            return np.arange(len(found), dtype=np.int32), np.floor(found / unit)
        codes, texts = table.coded(self.name)
        return codes, seconds_of(texts, self.order)

    def part(self, table: Table, learning: bool = False) -> Part:
        codes, seconds = self._times(table)
        if not self.gaps:
            seconds = np.where(np.isnan(seconds), self._middle, seconds)
        lacks = np.isnan(seconds)
        whole = np.where(lacks, 0.0, seconds).astype(np.int64)
        values, columns = np.ones((len(whole), len(self.parts) or 1)), list[Any]()
        start = 0
        for place, part in enumerate(self.parts):
            if part == "days":
                scaled = (whole / DAY - self.center) / self.scale
                values[:, place] = (
                    scaled if self.clip is None else scaled.clip(-self.clip, self.clip)
                )
            columns.append(start + _numbers(part, whole))
            start += SIZES[part]
        table_of = np.column_stack(columns) if columns else np.zeros((len(whole), 0), np.int64)
        counts = np.where(lacks, int(self.gaps), len(self.parts))[codes]
        rows = np.repeat(codes, counts)
        ends = np.cumsum(counts)
        at = np.arange(len(rows)) - np.repeat(ends - counts, counts)
        missing = lacks[rows]
        data, found = np.ones(len(rows)), np.full(len(rows), start, np.int64)
        data[~missing] = values[rows[~missing], at[~missing]]
        found[~missing] = table_of[rows[~missing], at[~missing]]
        return counts.astype(np.int64), data, found.astype(np.int32)

    def feature(self, number: int) -> str:
        for part in self.parts:
            if number < SIZES[part]:
                levels: dict[str, Any] = {
                    "weekday": calendar.day_name,
                    "month": calendar.month_name[1:],
                }
                level = levels.get(part, range(24))[number]
                return f"{self.name}.{part}" + ("" if part == "days" else f"={level}")
            number -= SIZES[part]
        return f"{self.name} is missing"

    def describe(self) -> str:
        gaps = ", may be missing" if self.gaps else ""
        return f"{', '.join(self.parts)}{gaps} ({WRITTEN[self.order]})"

    def unknown(self, table: Table) -> dict[str, int]:
        if self.is_epoch:
            return {}
        met = table.counts(self.name)
        lost = np.isnan(seconds_of(list(met), self.order)).tolist()
        return {
            text: n
            for (text, n), is_lost in zip(met.items(), lost, strict=False)
            if is_lost and text
        }

    def new_gaps(self, table: Table) -> int:
        if self.gaps:
            return 0
        if self.is_epoch:
            return int(np.isnan(table.number_column(self.name)).sum())
        return table.counts(self.name).get("", 0)

    @property
    def _middle(self) -> float:
        """The time that stands for one that is not known, in seconds."""
        return float(np.floor(self.center * DAY))

    @property
    def filling(self) -> str:
        time = np.datetime64(int(self._middle), "s").item()
        return f"{time:%H:%M}" if self.order == "clock" else f"{time:%Y-%m-%d}"


WRITTEN = {
    "ymd": "year-month-day",
    "dmy": "day.month.year",
    "mdy": "month/day/year",
    "named": "months by name",
    "clock": "times of day",
    "epoch": "seconds since 1970",
    "epoch_ms": "milliseconds since 1970",
}


def _numbers(part: str, seconds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Which feature of a part each time has."""
    days = seconds // DAY
    if part == "weekday":
        return np.asarray((days + 3) % 7)
    if part == "month":
        return np.asarray(
            days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) % 12
        )
    return np.asarray(seconds % DAY // HOUR % 24 if part == "hour" else np.zeros_like(days))


class DateGuess:
    """Which parts of a column of dates differ, and where its days lie, over blocks of rows."""

    def __init__(self, name: str, order: str, scale: str | None, but: Iterable[str] = ()) -> None:
        self._column, self._scale, self._but = Date(name, order), scale, set(but)
        self._hours: Counter[int] = Counter()
        self._gaps = False

    def add(self, table: Table) -> None:
        codes, seconds = self._column._times(table)
        self.tally(seconds, np.bincount(codes, minlength=len(seconds)).tolist())

    def tally(self, seconds: npt.NDArray[np.float64], counts: list[int]) -> None:
        """Take note of times that occur so often."""
        for second, n in zip(seconds.tolist(), counts, strict=False):
            if second == second:
                self._hours[int(second // HOUR)] += n
            else:
                self._gaps = self._gaps or n > 0

    def column(self) -> Date:
        column = self._column
        hours = np.array(sorted(self._hours), np.int64)
        column.parts = [
            part
            for part in PARTS
            if part not in self._but
            and not (column.order == "clock" and part != "hour")
            and len(set((hours // 24 if part == "days" else _numbers(part, hours * HOUR)).tolist()))
            > 1
        ]
        column.gaps = self._gaps
        counts = np.array([self._hours[hour] for hour in hours.tolist()], np.int64)
        if len(hours):
            column.center, column.scale, column.clip = _spread(hours / 24, counts, self._scale)
        return column


def _spread(
    days: npt.NDArray[np.float64], counts: npt.NDArray[np.int64], scale: str | None
) -> tuple[float, float, float | None]:
    """Center, scale and clip of days that occur so often."""
    if scale is None:
        return float(np.floor(days[0])), 1.0, None
    total = float(counts.sum())
    mean = float((days * counts).sum() / total)
    deviation = float(np.sqrt(((days - mean) ** 2 * counts).sum() / total)) or 1.0
    if scale == "standard":
        return mean, deviation, None
    low, middle, high = days[
        np.searchsorted(np.cumsum(counts), np.array([0.25, 0.5, 0.75]) * total)
    ]
    return float(middle), float((high - low) / IQR) or deviation, CLIP
