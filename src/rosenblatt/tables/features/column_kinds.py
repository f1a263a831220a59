"""The kinds of columns of a table, each of which encodes its values as features."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import FloatArray
from rosenblatt.plurals import count, first_few
from rosenblatt.tables.features.text import TextFeatures
from rosenblatt.tables.readers.table import Table
from rosenblatt.text_tables import ordinary

# Number of levels shown in a description.
SHOWN = 4
# The spellings of booleans in JSON, Python and pandas, and R.
SPELLINGS = (str.lower, str.capitalize, str.upper)


class Growth(NamedTuple):
    """The changes that new rows made to a schema.

    ``places`` are the indices, before the change, of the features before which new ones were
    inserted; ``dropped`` is the number of rows, by column, with a level beyond the limit.
    """

    places: list[int]
    dropped: dict[str, int]


class Part(NamedTuple):
    """The features of one column, as sparse rows.

    ``counts`` is the number of values in each row; values and features are listed row by row.
    Features are numbered from 0 within the column.
    """

    counts: npt.NDArray[Any]
    values: FloatArray
    features: npt.NDArray[np.int32]


@dataclass
class Column:
    """A column of a table, which becomes ``n_features`` features of the model."""

    kind: ClassVar[str]
    name: str

    @property
    def n_features(self) -> int:
        return 0

    @property
    def is_read_as_numbers(self) -> bool:
        """Return whether a reader parses the values of this column as numbers."""
        return False

    @property
    def is_hashed(self) -> bool:
        """Return whether the features are hashed, so that they have no names of their own."""
        return False

    def part(self, table: Table, learning: bool = False) -> Part:
        """Encode the column of each row; with ``learning``, the names of new n-grams are stored."""
        raise NotImplementedError

    def feature(self, number: int) -> str:
        """Return the name of a feature, given its index within the column."""
        raise NotImplementedError

    def describe(self) -> str:
        """Describe the column in one line."""
        raise NotImplementedError

    def unknown(self, table: Table) -> dict[str, int]:
        """Return the values not seen in training, with their counts."""
        return {}

    def new_gaps(self, table: Table) -> int:
        """Return the number of missing values to fill with `filling`; 0 if training had some."""
        return 0

    @property
    def filling(self) -> str:
        """Return, as text, the value that replaces missing ones if training had none."""
        return ""

    def to_json(self, kept: Iterable[int]) -> dict[str, Any]:
        """Return the column as JSON data; hashed texts include the names of ``kept`` features."""
        return {"kind": self.kind, "name": self.name}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Make the column from JSON data; raise KeyError, TypeError or ValueError if invalid."""
        column = cls(**fields)
        column.validate()
        return column

    def validate(self) -> None:
        """Raise ValueError if a field, which may come from a file, is invalid."""


@dataclass
class Number(Column):
    """A numeric column, encoded as (value - center) / scale, clipped at ± clip.

    With ``gaps`` a second feature is 1 if the value is missing. ``sums`` are the running sums of a
    stream (`running_moments`), which determine center and scale. ``strays`` is set if training had
    texts among the numbers and treated them as missing, so that other files may have some as well.
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

    @property
    def is_read_as_numbers(self) -> bool:
        return True

    def feature(self, number: int) -> str:
        return f"{self.name} is missing" if number else self.name

    def describe(self) -> str:
        gaps = ", may be missing" if self.gaps else ""
        if self.clip is None:
            if (self.center, self.scale) == (0.0, 1.0):
                return f"as it is{gaps}"
            center_name = "mean"
            scale_name = "standard deviation"
            clipped = ""
        else:
            is_running = self.sums is not None
            center_name = "running mean" if is_running else "median"
            scale_name = "deviation" if is_running else "scale"
            clipped = f", clipped at ±{self.clip:g}"
        center = ordinary(self.center)
        scale = ordinary(self.scale)
        return f"{center_name} {center}, {scale_name} {scale}{clipped}{gaps}"

    def new_gaps(self, table: Table) -> int:
        if self.gaps or self.name not in table.places:
            return 0
        return int(np.isnan(table.number_column(self.name)).sum())

    @property
    def filling(self) -> str:
        return ordinary(self.center)

    def to_json(self, kept: Iterable[int]) -> dict[str, Any]:
        fields = super().to_json(kept)
        fields |= {"center": self.center, "scale": self.scale, "gaps": self.gaps}
        # Fields with their default are left out.
        if self.clip is not None:
            fields["clip"] = self.clip
        if self.sums is not None:
            fields["sums"] = self.sums
        if self.strays:
            fields["strays"] = True
        return fields

    def validate(self) -> None:
        sums = [0, 0.0, 0.0, 0.0] if self.sums is None else list(self.sums)
        clip = 1.0 if self.clip is None else self.clip
        is_sound = (
            len(sums) == 4
            and are_finite(self.center, self.scale, clip, *sums)
            and self.scale > 0
            and clip > 0
            and type(self.gaps) is bool
            and type(self.strays) is bool
            # How many there are, and the sum of their squares.
            and sums[0] >= 0
            and sums[3] >= 0
        )
        if not is_sound:
            raise ValueError(f"the column {self.name!r} has no center and scale")


@dataclass
class Category(Column):
    """A categorical column, one-hot encoded; levels not seen in training have no feature.

    ``mode`` is the index of the most frequent level, which replaces a missing value if training
    had none.
    """

    kind: ClassVar[str] = "category"
    levels: list[str] = field(default_factory=list)
    mode: int = 0

    def __post_init__(self) -> None:
        self._number = {level: i for i, level in enumerate(self.levels)}
        for i, level in enumerate(self.levels):
            if level.lower() in ("true", "false"):
                for spelling in SPELLINGS:
                    self._number.setdefault(spelling(level), i)

    @property
    def n_features(self) -> int:
        return len(self.levels)

    @property
    def number_of_text(self) -> Mapping[str, int]:
        """Return the level index of each known text, including other spellings of booleans."""
        return self._number

    def part(self, table: Table, learning: bool = False) -> Part:
        codes, texts = table.coded(self.name)
        # -1 stands for no feature.
        level_of_gap = self.mode if self.levels else -1
        levels = [self._number.get(text, -1 if text else level_of_gap) for text in texts]
        features = np.array(levels or [-1], np.int32)[codes]
        is_known = features >= 0
        ones = np.broadcast_to(1.0, int(is_known.sum()))
        return Part(is_known, ones, features[is_known])

    def admit(self, levels: Iterable[str]) -> None:
        """Add new levels, each with a feature of its own."""
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
        counts = table.counts(self.name)
        return {text: n for text, n in counts.items() if text and text not in self._number}

    def new_gaps(self, table: Table) -> int:
        if "" in self._number:
            return 0
        return table.counts(self.name).get("", 0)

    @property
    def filling(self) -> str:
        return self.levels[self.mode] if self.levels else "nothing"

    def to_json(self, kept: Iterable[int]) -> dict[str, Any]:
        fields = super().to_json(kept)
        fields["levels"] = self.levels
        if self.mode:
            fields["mode"] = self.mode
        return fields

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        # Validated before the object is made, because that walks through the levels.
        name = fields["name"]
        levels = fields["levels"]
        are_texts = type(levels) is list and all(type(level) is str for level in levels)
        if not are_texts or len(set(levels)) != len(levels):
            raise ValueError(f"the levels of the column {name!r} are no list of different texts")
        mode = fields.get("mode", 0)
        if type(mode) is not int or not 0 <= mode < max(1, len(levels)):
            raise ValueError(f"the mode of the column {name!r} is none of its levels")
        return cls(**fields)


@dataclass
class Words(Column):
    """A text column, encoded as weighted counts of n-grams."""

    kind: ClassVar[str] = "text"
    features: TextFeatures = field(default_factory=TextFeatures)

    @property
    def n_features(self) -> int:
        return self.features.n_features

    @property
    def is_hashed(self) -> bool:
        return self.features.bits is not None

    def part(self, table: Table, learning: bool = False) -> Part:
        texts = table.texts[self.name].tolist()
        rows = self.features.learn(texts) if learning else self.features.encode(texts)
        counts = np.diff(rows.indptr).astype(np.int64)
        return Part(counts, rows.data, rows.indices.astype(np.int32))

    def feature(self, number: int) -> str:
        (name,) = self.features.names([number])
        return f"{self.name}: {name}" if name else f"{self.name}: hash {number}"

    def describe(self) -> str:
        return self.features.describe()

    def to_json(self, kept: Iterable[int]) -> dict[str, Any]:
        return super().to_json(kept) | {"features": self.features.to_json(kept)}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        return cls(**{**fields, "features": TextFeatures.from_json(fields["features"])})


@dataclass
class Ignored(Column):
    """A column that is not used, with the reason."""

    kind: ClassVar[str] = "ignored"
    why: str = "as asked for"

    def describe(self) -> str:
        return self.why

    def to_json(self, kept: Iterable[int]) -> dict[str, Any]:
        return super().to_json(kept) | {"why": self.why}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        # A file must give the reason.
        if type(fields["why"]) is not str:
            raise ValueError(f"the column {fields['name']!r} is ignored without a reason")
        return cls(**fields)


def are_finite(*values: object) -> bool:
    """Return whether all values, which may come from a file, are finite numbers."""
    return all(type(value) in (int, float) and math.isfinite(value) for value in values)  # type: ignore[arg-type]
