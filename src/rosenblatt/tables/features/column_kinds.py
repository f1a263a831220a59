"""The kinds of columns a table can have, each with the way from its values to features."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.models.parallel import slices
from rosenblatt.plurals import count, first_few
from rosenblatt.tables.features.number_scaling import running_moments
from rosenblatt.tables.features.text import TextFeatures
from rosenblatt.tables.readers.table import Table
from rosenblatt.text_tables import ordinary

SHOWN = 4

# Of each row: how many features, then all values and columns one after the other.
Part = tuple[npt.NDArray[Any], npt.NDArray[np.float64], npt.NDArray[np.int32]]
# Rows are scaled so many numbers at a time, so that no second matrix is needed.
NUMBERS_AT_ONCE = 1 << 18


class Growth(NamedTuple):
    """What rows brought to a schema.

    ``places`` are the features, as they were, before which new ones stand now; ``dropped`` counts
    by column the rows with a level for which there was no room.
    """

    places: list[int]
    dropped: dict[str, int]


@dataclass
class Column:
    """A column of a table; ``n_features`` of the model stand for it."""

    kind: ClassVar[str]
    name: str

    @property
    def n_features(self) -> int:
        return 0

    def part(self, table: Table, learning: bool = False) -> Part:
        """Its features of every row; texts may name what they meet while `learning`."""
        raise NotImplementedError

    def feature(self, number: int) -> str:
        """What one of its features is called."""
        raise NotImplementedError

    def describe(self) -> str:
        """What is to be known of it, in a line."""
        raise NotImplementedError

    def unknown(self, table: Table) -> dict[str, int]:
        """Values that were not there in training, with how often they occur."""
        return {}

    def new_gaps(self, table: Table) -> int:
        """How many gaps there are, if training had none; they are filled with `filling`."""
        return 0

    @property
    def filling(self) -> str:
        """What stands for a gap, if training had none."""
        return ""


@dataclass
class Number(Column):
    """(value - center) / scale, cut off at ± clip; where values may be missing, a second feature.

    ``sums`` are those of a stream so far (`running_moments`), of which center and scale follow.
    ``strays`` says that training met texts among the numbers and took them as gaps, so that another
    file may have some, too.
    """

    kind: ClassVar[str] = "number"
    center: float = 0.0
    scale: float = 1.0
    gaps: bool = False
    clip: float | None = None
    sums: list[float] | None = None
    strays: bool = False

    @property
    def n_features(self) -> int:
        return 2 if self.gaps else 1

    def feature(self, number: int) -> str:
        return f"{self.name} is missing" if number else self.name

    def describe(self) -> str:
        gaps = ", may be missing" if self.gaps else ""
        if self.clip is not None:
            names = ("median", "scale") if self.sums is None else ("running mean", "deviation")
            gaps = f", clipped at ±{self.clip:g}{gaps}"
        elif (self.center, self.scale) == (0.0, 1.0):
            return "as it is" + gaps
        else:
            names = "mean", "standard deviation"
        return f"{names[0]} {ordinary(self.center)}, {names[1]} {ordinary(self.scale)}{gaps}"

    def new_gaps(self, table: Table) -> int:
        known = self.gaps or self.name not in table.places
        return 0 if known else int(np.isnan(table.number_column(self.name)).sum())

    @property
    def filling(self) -> str:
        return ordinary(self.center)


@dataclass
class Category(Column):
    """One feature for each level seen in training; other levels have none.

    ``mode`` is the most frequent of them: it stands for a gap, if training had none.
    """

    kind: ClassVar[str] = "category"
    levels: list[str] = field(default_factory=list)
    mode: int = 0

    def __post_init__(self) -> None:
        self._number = {level: i for i, level in enumerate(self.levels)}
        for i, level in enumerate(self.levels):
            if level.lower() in ("true", "false"):  # JSON, pandas and R write them in their own way
                for way in (str.lower, str.capitalize, str.upper):
                    self._number.setdefault(way(level), i)

    @property
    def n_features(self) -> int:
        return len(self.levels)

    @property
    def number_of_text(self) -> Mapping[str, int]:
        """Return the number of the level for each known text, spellings of true included."""
        return self._number

    def part(self, table: Table, learning: bool = False) -> Part:
        codes, texts = table.coded(self.name)
        gap = self.mode if self.levels else -1
        numbers = [self._number.get(text, -1 if text else gap) for text in texts]
        columns = np.array(numbers or [-1], np.int32)[codes]
        known = columns >= 0
        return known, np.broadcast_to(1.0, int(known.sum())), columns[known]

    def admit(self, levels: Iterable[str]) -> None:
        """Give a feature to levels that have none."""
        for level in levels:
            self._number[level] = len(self.levels)
            self.levels.append(level)

    def feature(self, number: int) -> str:
        level = self.levels[number]
        return f"{self.name}={level}" if level else f"{self.name} is missing"

    def describe(self) -> str:
        levels = [level or "(none)" for level in self.levels]
        return f"{count(len(levels), 'level')}: {first_few(levels, SHOWN)}"

    def unknown(self, table: Table) -> dict[str, int]:
        met = table.counts(self.name)
        return {text: n for text, n in met.items() if text and text not in self._number}

    def new_gaps(self, table: Table) -> int:
        return 0 if "" in self._number else table.counts(self.name).get("", 0)

    @property
    def filling(self) -> str:
        return self.levels[self.mode] if self.levels else "nothing"


@dataclass
class Words(Column):
    """Counts of n-grams."""

    kind: ClassVar[str] = "text"
    features: TextFeatures = field(default_factory=TextFeatures)

    @property
    def n_features(self) -> int:
        return self.features.n_features

    def part(self, table: Table, learning: bool = False) -> Part:
        texts = table.texts[self.name].tolist()
        rows = self.features.learn(texts) if learning else self.features.encode(texts)
        return np.diff(rows.indptr).astype(np.int64), rows.data, rows.indices.astype(np.int32)

    def feature(self, number: int) -> str:
        (name,) = self.features.names([number])
        return f"{self.name}: {name}" if name else f"{self.name}: hash {number}"

    def describe(self) -> str:
        return self.features.describe()


@dataclass
class Ignored(Column):
    """Not learned from, and why."""

    kind: ClassVar[str] = "ignored"
    why: str = "as asked for"

    def describe(self) -> str:
        return self.why


def row_blocks(table: npt.NDArray[Any]) -> list[slice]:
    """Rows of `NUMBERS_AT_ONCE` numbers or fewer, one block after the other."""
    return slices(len(table), None, NUMBERS_AT_ONCE // max(1, table.shape[1]))


def scaled(
    columns: Sequence[Number],
    table: Table,
    *,
    clip: bool = True,
    learning: bool = False,
    in_place: bool = False,
) -> npt.NDArray[np.float64]:
    """The numbers of every row, scaled; while `learning`, those of a stream by earlier rows.

    ``in_place`` puts them where the numbers of the table were, which it has no longer.
    """
    found, names = table.numbers, [column.name for column in columns]
    places: Any = slice(None)
    if table.number_names != names:
        places = [table.places[name] for name in names]
    center = np.array([column.center for column in columns])
    scale = np.array([column.scale for column in columns])
    limit = np.array([np.inf if column.clip is None else column.clip for column in columns])
    clip = clip and bool((limit < np.inf).any())
    # A gap that training did not have counts as the median: it has no feature of its own.
    whole = np.array([not column.gaps for column in columns])
    streamed = [place for place, column in enumerate(columns) if column.sums is not None]
    if learning and streamed:
        center, scale = _running(columns, streamed, found[:, places], center, scale)
    shape = len(found), len(names)
    if in_place and found.dtype == np.float64 and found.flags.carray:
        # Where columns are left out, rows become shorter: none is written on before it is read.
        values = found.reshape(-1)[: shape[0] * shape[1]].reshape(shape)
        table.numbers = table.rows = found[:0]
    else:
        values = np.empty(shape)
    for some in row_blocks(values):
        by_row = center.ndim == 2
        part = found[some][:, places] - (center[some] if by_row else center)
        part /= scale[some] if by_row else scale
        if clip:
            np.clip(part, -limit, limit, out=part)
        if np.isnan(part.min(initial=0.0)):
            part[np.isnan(part) & whole] = 0.0
        values[some] = part
    return values


def _running(
    columns: Sequence[Number],
    streamed: list[int],
    found: npt.NDArray[Any],
    center: npt.NDArray[np.float64],
    scale: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Center and scale for each row; the columns of a stream go on to those after the last."""
    sums = np.array([columns[place].sums for place in streamed])
    centers, scales, sums = running_moments(sums, found[:, streamed])
    center, scale = (np.tile(one, (len(found), 1)) for one in (center, scale))
    center[:, streamed], scale[:, streamed] = centers[:-1], scales[:-1]
    after = zip(streamed, centers[-1].tolist(), scales[-1].tolist(), sums.tolist(), strict=True)
    for place, *state in after:
        columns[place].center, columns[place].scale, columns[place].sums = state
    return center, scale


def as_json(column: Column, kept: Any) -> dict[str, Any]:
    """A column as plain data; of a hashed text the names of the columns `kept`."""
    fields: dict[str, Any] = {"kind": column.kind, "name": column.name}
    if isinstance(column, Number):
        fields |= {"center": column.center, "scale": column.scale, "gaps": column.gaps}
        fields |= {} if column.clip is None else {"clip": column.clip}
        fields |= {} if column.sums is None else {"sums": column.sums}
        fields |= {"strays": True} if column.strays else {}
    elif isinstance(column, Category):
        fields["levels"] = column.levels
        fields |= {"mode": column.mode} if column.mode else {}
    elif isinstance(column, Words):
        fields["features"] = column.features.to_json(kept)
    elif isinstance(column, Ignored):
        fields["why"] = column.why
    elif column.kind == "date":
        fields |= vars(column)
    return fields


def from_json(fields: dict[str, Any]) -> Column:
    """A column from plain data; KeyError, TypeError or ValueError if it is not one."""
    facts = {key: value for key, value in fields.items() if key != "kind"}
    name = facts["name"]
    _require(type(name) is str, "a column has no name")
    if fields["kind"] == "number":
        number = Number(**facts)
        clip = 1.0 if number.clip is None else number.clip
        n, *_, squares = sums = [0, 0.0, 0.0] if number.sums is None else list(number.sums)
        sizes = (number.center, number.scale, clip, *sums)
        _require(
            all(type(size) in (int, float) and math.isfinite(size) for size in sizes)
            and number.scale > 0
            and clip > 0
            and type(number.gaps) is bool
            and type(number.strays) is bool
            and (number.sums is None or len(sums) == 4)
            and n >= 0
            and squares >= 0,
            f"the column {name!r} has no center and scale",
        )
        return number
    if fields["kind"] == "category":
        levels, mode = facts["levels"], facts.get("mode", 0)
        _require(
            type(levels) is list
            and all(type(level) is str for level in levels)
            and len(set(levels)) == len(levels),
            f"the levels of the column {name!r} are no list of different texts",
        )
        sound = type(mode) is int and 0 <= mode < max(1, len(levels))
        _require(sound, f"the mode of the column {name!r} is none of its levels")
        return Category(**facts)
    if fields["kind"] == "text":
        facts["features"] = TextFeatures.from_json(facts["features"])
        return Words(**facts)
    if fields["kind"] == "date":
        return _date_from_json(facts)
    _require(fields["kind"] == "ignored", f"the column {name!r} is of no known kind")
    _require(type(facts["why"]) is str, f"the column {name!r} is ignored without a reason")
    return Ignored(**facts)


def _date_from_json(facts: dict[str, Any]) -> Column:
    from rosenblatt.tables.features.dates import ORDERS, PARTS, Date

    date = Date(**facts)
    sizes = (date.center, date.scale, 1.0 if date.clip is None else date.clip)
    _require(
        date.order in ORDERS
        and type(date.parts) is list
        and [part for part in PARTS if part in date.parts] == date.parts
        and all(type(size) in (int, float) and math.isfinite(size) for size in sizes)
        and min(sizes[1:]) > 0
        and type(date.gaps) is bool,
        f"the column {date.name!r} is no column of dates",
    )
    return date


def _require(sound: bool, otherwise: str) -> None:
    if not sound:
        raise ValueError(otherwise)
