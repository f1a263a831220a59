"""Schemas of labelled texts and of rows that are features already, and the guess at any schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import SparseRows
from rosenblatt.errors import InputError, ModelFileError, ParameterError
from rosenblatt.plurals import count, first_few
from rosenblatt.tables.features.column_kinds import Column, Growth
from rosenblatt.tables.features.dates import PARTS
from rosenblatt.tables.features.schema import Schema, columns_to_name
from rosenblatt.tables.features.text import UNSOUND, TextFeatures
from rosenblatt.tables.readers.block import Block
from rosenblatt.tables.readers.labelled_text import iter_text
from rosenblatt.tables.readers.sources import Given
from rosenblatt.tables.readers.svmlight import iter_svmlight
from rosenblatt.tables.readers.vw import iter_vw

SHOWN = 5
# Beyond so many different levels only their number is kept.
MOST_LEVELS = 10_000
TEXT_SETTINGS = ("words", "chars", "value", "idf", "unit", "symbols", "lowercase")
# What of the options has a meaning, by kind of data.
MEANINGS = {
    "table": ("declared", "scale", "bits", *TEXT_SETTINGS),
    "text": ("bits", *TEXT_SETTINGS),
    "vw": ("bits",),
    "svmlight": (),
}


class AnySchema(Protocol):
    """How rows become features: what schemas of tables, texts, sparse and packed rows share."""

    @property
    def kind(self) -> str:
        """What it encodes: "table", "text", "svmlight" or "vw"."""
        ...

    @property
    def n_features(self) -> int:
        """How many features there are so far."""
        ...

    @property
    def target(self) -> str | None:
        """The column of the labels, of a table."""
        ...

    @property
    def columns(self) -> Sequence[Column]:
        """The columns of a table; none of other rows."""
        ...

    def encode(self, block: Any, /) -> Any:
        """Return the features of a block of rows."""
        ...

    def learn(self, block: Any, /) -> Any:
        """Return the features of a block, and give names to those met for the first time."""
        ...

    def grow(self, block: Any, most_levels: int | None = None, /) -> Growth:
        """Make room for what a block has and the schema does not."""
        ...

    def read(self, path: Given, *, labelled: bool = False, **options: Any) -> Block:
        """Read a file to `encode`, as the one behind this schema was read."""
        ...

    def names(self, features: Iterable[int], /) -> list[str]:
        """Return what features are called."""
        ...

    def unknown(self, block: Any, /) -> dict[str, dict[str, int]]:
        """Count the levels that training did not see, by column."""
        ...

    def reader_options(self) -> dict[str, Any]:
        """Return arguments of a reader that read a file as the one behind this schema."""
        ...

    def describe(self) -> list[str]:
        """Return lines that describe the features."""
        ...

    def to_json(self, weights: npt.NDArray[Any] | None = None, /) -> dict[str, Any]:
        """Return the schema as plain data; of hashed names those of the largest `weights`."""
        ...


class TextSchema:
    """``label<TAB>text``: n-grams of the text."""

    kind = "text"
    target: None = None
    columns: Sequence[Column] = ()

    def __init__(self, features: TextFeatures) -> None:
        self.features = features

    @property
    def n_features(self) -> int:
        return max(self.features.n_features, 1)

    def encode(self, block: Any) -> SparseRows:
        return self.features.encode(block.rows)

    def learn(self, block: Any) -> SparseRows:
        """As `encode`; n-grams met for the first time get a name or, if exact, a column."""
        return self.features.learn(block.rows)

    def grow(self, block: Any, most_levels: int | None = None) -> Growth:
        """As `Schema.grow`; n-grams join in `learn`, after the last one."""
        return Growth([], {})

    def read(self, path: Given, *, labelled: bool = False, **options: Any) -> Block:
        """Read texts to `encode`, one a line; if labelled, each after its label and a tab."""
        return iter_text(path, labelled=labelled, **options).whole()

    def names(self, features: Iterable[int]) -> list[str]:
        columns = list(features)
        found = self.features.names(columns)
        return [name or f"hash {column}" for name, column in zip(found, columns, strict=True)]

    def unknown(self, block: Any) -> dict[str, dict[str, int]]:
        return {}

    def reader_options(self) -> dict[str, Any]:
        return {}

    def describe(self) -> list[str]:
        return [f"text  {self.features.describe()}"]

    def to_json(self, weights: npt.NDArray[Any] | None = None) -> dict[str, Any]:
        kept = range(self.n_features) if weights is None else columns_to_name(weights)
        return {"kind": "text", "features": self.features.to_json(kept)}


class SparseSchema:
    """svmlight and Vowpal Wabbit rows: the columns are features as they are."""

    target: None = None
    columns: Sequence[Column] = ()

    def __init__(
        self, kind: str, n_features: int, named: list[str] | None = None, bits: int | None = None
    ) -> None:
        if kind not in ("svmlight", "vw") or n_features < 1:
            raise ParameterError(f"kind={kind!r} and n_features={n_features!r} are no sparse rows.")
        self.kind, self.n_features, self.named, self.bits = kind, n_features, named, bits

    def encode(self, block: Block) -> SparseRows:
        rows: SparseRows = block.rows
        if rows.shape[1] > self.n_features:
            raise ParameterError(
                f"rows of {rows.shape[1]:,} features for a model of {self.n_features:,}."
            )
        return rows.widen(self.n_features)

    learn = encode

    def grow(self, block: Any, most_levels: int | None = None) -> Growth:
        """As `Schema.grow`; new columns stand after the last one.

        Columns with names that a file numbers in its own way get the numbers they have here.
        """
        named = getattr(block, "names", None)
        if self.named is not None and named is not None:
            number = {name: i for i, name in enumerate(self.named)}
            places = np.array([number.setdefault(name, len(number)) for name in named], np.int32)
            self.named, self.n_features, rows = list(number), len(number), block.rows
            block.rows = SparseRows.from_entries(
                rows.data, places[rows.indices], rows.indptr, self.n_features
            )
        elif self.bits is None:
            self.n_features = max(self.n_features, block.rows.shape[1])
        return Growth([], {})

    def read(self, path: Given, *, labelled: bool = False, **options: Any) -> Block:
        """Read rows to `encode`; those of svmlight always have labels, which may be of no use."""
        known = {**self.reader_options(), **options}
        if self.kind == "svmlight":
            return iter_svmlight(path, **known).whole()
        return iter_vw(path, labelled=labelled, **known).whole()

    def names(self, features: Iterable[int]) -> list[str]:
        first = 1 if self.kind == "svmlight" else 0
        named = self.named or []
        return [
            named[feature] if 0 <= feature < len(named) else str(feature + first)
            for feature in features
        ]

    def unknown(self, block: Any) -> dict[str, dict[str, int]]:
        return {}

    def reader_options(self) -> dict[str, Any]:
        if self.kind == "svmlight":
            return {"n_features": self.n_features}
        return {"bits": self.bits, **({} if self.named is None else {"names": self.named})}

    def describe(self) -> list[str]:
        return [f"{self.kind}  {self.n_features:,} columns"]

    def to_json(self, weights: npt.NDArray[Any] | None = None) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "n_features": self.n_features,
            "named": self.named,
            "bits": self.bits,
        }


def schema_of_columns(kind: str, block: Any, n_features: int) -> AnySchema:
    """For a model that was trained without a schema: the columns of a block are its features."""
    if kind != "table":
        block.rows = block.rows.narrow(n_features)
        return SparseSchema(kind, n_features)
    if len(block.names) != n_features:
        raise InputError(
            f"a model of {n_features:,} features without names, but the data have "
            f"{len(block.names):,} columns; --target says which one holds the labels."
        )
    return Schema.of_numbers(block.names)


def schema_from_json(fields: Any) -> AnySchema:
    """The schema that was kept in a model file, whatever kind it is."""
    try:
        kind = fields["kind"]
        if kind == "table":
            return Schema.from_json(fields)
        if kind == "text":
            return TextSchema(TextFeatures.from_json(fields["features"]))
        facts = {key: fields[key] for key in ("kind", "n_features", "named", "bits")}
        sizes = [facts["n_features"], *([] if facts["bits"] is None else [facts["bits"]])]
        named = facts["named"]
        if not all(type(size) is int and 1 <= size < 2**31 for size in sizes):
            raise ValueError("the numbers of columns and bits cannot be")
        if named is not None and not (
            type(named) is list and all(type(name) is str for name in named)
        ):
            raise ValueError("the names of the columns are no list of texts")
        return SparseSchema(**facts)
    except ModelFileError:
        raise
    except UNSOUND as error:
        raise ModelFileError(f"the schema of the model is not sound: {error!r}.") from None


# ---------------------------------------------------------------------- what has no weight


@dataclass
class UnseenValues:
    """Levels of categories and columns of sparse rows that a schema does not have, over blocks.

    Attributes
    ----------
    levels : dict of str to Counter
        By column of a table the levels that were met.
    rows : Counter
        By column how many rows had one.
    columns : Counter
        Numbers of columns of svmlight rows, as written in the file.
    gaps : Counter
        By column how many rows had no value, where training had no such row.
    values : dict of str to str
        What these were filled with: the median, or the most frequent level.

    Examples
    --------
    >>> from rosenblatt.features import Schema, UnseenValues
    >>> from rosenblatt.tables.features.records import table_of_records
    >>> schema = Schema.guess_records([{"colour": "red"}, {"colour": "blue"}])
    >>> unseen = UnseenValues()
    >>> unseen.encode(schema, table_of_records([{"colour": "green"}])).toarray()
    array([[0., 0.]])
    >>> unseen.describe()
    ['colour: 1 row with levels never seen: green (1)']
    """

    levels: dict[str, Counter[str]] = field(default_factory=dict)
    rows: Counter[str] = field(default_factory=Counter)
    columns: Counter[str] = field(default_factory=Counter)
    gaps: Counter[str] = field(default_factory=Counter)
    values: dict[str, str] = field(default_factory=dict)

    def encode(self, schema: AnySchema, block: Any) -> Any:
        """The features of a block; what has no weight is counted and left out."""
        if isinstance(schema, Schema):
            self.gaps.update(schema.new_gaps(block))
            self.values |= {c.name: c.filling for c in schema.columns if c.name in self.gaps}
        for name, levels in schema.unknown(block).items():
            known = self.levels.setdefault(name, Counter())
            self.rows[name] += sum(levels.values())
            if len(known) < MOST_LEVELS:
                known.update(levels)
        if schema.kind == "svmlight" and block.rows.shape[1] > schema.n_features:
            beyond = block.rows.indices[block.rows.indices >= schema.n_features]
            self.columns.update(str(column + 1) for column in beyond.tolist())
            block.rows = block.rows.narrow(schema.n_features)
        return schema.encode(block)

    def describe(self) -> list[str]:
        """A line for each column, and one for the columns that are not there."""
        lines = [
            f"{name}: {count(n, 'gap')}, as training had none, filled with {self.values[name]}"
            for name, n in self.gaps.items()
        ]
        lines += [
            f"{name}: {count(self.rows[name], 'row')} with levels never seen: {_most(levels)}"
            for name, levels in self.levels.items()
        ]
        if self.columns:
            total = count(sum(self.columns.values()), "value")
            lines.append(f"{total} of columns never seen: {_most(self.columns)}")
        return lines


def _most(counts: Counter[str]) -> str:
    return first_few([f"{text or '(empty)'} ({n:,})" for text, n in counts.most_common()], SHOWN)


# ---------------------------------------------------------------------- where nobody says


@dataclass(frozen=True)
class FeatureOptions:
    """What is to be known of columns and texts beyond what is guessed.

    Attributes
    ----------
    declared : dict of str to {"number", "category", "text", "date", "ignored"}
        Columns that are not to be guessed; "dmy" and "mdy" are dates with the day or the month
        first. ``{"sold.hour": "ignored"}`` leaves out a part of a date.
    scale : {"robust", "standard", "running"} or None
        How numbers are scaled, as in `Schema.guess`; in a stream "robust" means "running".
    text : dict
        Arguments of `TextFeatures`; ``bits`` counts for Vowpal Wabbit rows, too.
    """

    declared: Mapping[str, str] = field(default_factory=dict)
    scale: str | None = "robust"
    text: Mapping[str, Any] = field(default_factory=dict)

    def set_names(self) -> list[str]:
        """The options that differ from their defaults."""
        scaled = self.scale == "robust"
        return ["declared"] * bool(self.declared) + ["scale"] * (not scaled) + list(self.text)

    def meaningless(self, kind: str) -> list[str]:
        """The options that were set and say nothing about data of this kind."""
        return [name for name in self.set_names() if name not in MEANINGS[kind]]

    def hashed(self, bits: int) -> FeatureOptions:
        """The same, with so many bits where none were given."""
        return replace(self, text={**self.text, "bits": self.text.get("bits") or bits})

    def reader_options(self, kind: str) -> dict[str, Any]:
        """Arguments for the reader of a file to which these apply."""
        if kind == "vw":
            return {"bits": self.text.get("bits")}
        # As text a column that is not used cannot be at fault.
        types = {
            name: "number" if kind == "number" else "text"
            for name, kind in self.declared.items()
            if kind != "date" and not (kind == "ignored" and name.rpartition(".")[2] in PARTS)
        }
        return {"types": types} if types else {}


def guess_schema(kind: str, block: Any, options: FeatureOptions | None = None) -> AnySchema:
    """How the rows of a file become features, judged by these.

    Parameters
    ----------
    kind : {"table", "text", "svmlight", "vw"}
        What the block holds.
    block : Table or Block
        What a reader gave.
    options : FeatureOptions, default=None
        What is not to be guessed.

    Returns
    -------
    schema : Schema, TextSchema or SparseSchema
        Its ``learn(block)`` gives the features.

    Examples
    --------
    >>> import io
    >>> from rosenblatt.features import guess_schema
    >>> from rosenblatt.io import iter_svmlight
    >>> block = iter_svmlight(io.BytesIO(b"1 2:0.5 7:1\\n")).whole()
    >>> guess_schema("svmlight", block).describe()
    ['svmlight  7 columns']
    """
    options = FeatureOptions() if options is None else options
    if kind == "table":
        return Schema.guess(
            block, declared=options.declared, scale=options.scale, text=options.text
        )
    if kind == "text":
        return TextSchema(TextFeatures(**options.text))
    bits = options.text.get("bits") if kind == "vw" else None
    return SparseSchema(kind, block.rows.shape[1], getattr(block, "names", None), bits)
