"""Schemas of any kind: their protocol, schemas of texts and sparse rows, and guessing one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

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
from rosenblatt.tables.readers.vw import VWBlock, iter_vw

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyFloatArray

# Number of unseen levels named in one line.
SHOWN = 5
# Most different unseen levels of a column that are stored; beyond, only rows are counted.
MAX_LEVELS = 10_000
TEXT_SETTINGS = ("words", "chars", "value", "idf", "unit", "symbols", "lowercase")
# The options of features that apply to each kind of data.
MEANINGS = {
    "table": ("declared", "scale", "bits", *TEXT_SETTINGS),
    "text": ("bits", *TEXT_SETTINGS),
    "vw": ("bits",),
    "svmlight": (),
}


class AnySchema(Protocol):
    """Protocol of the schemas of tables, texts, sparse and packed rows, which encode features."""

    @property
    def kind(self) -> str:
        """Return the kind of rows: "table", "text", "svmlight" or "vw"."""
        ...

    @property
    def n_features(self) -> int:
        """Return the number of features so far."""
        ...

    @property
    def target(self) -> str | None:
        """Return the column of the labels of a table; None for other rows."""
        ...

    @property
    def columns(self) -> Sequence[Column]:
        """Return the columns of a table; empty for other rows."""
        ...

    def hashed_features(self) -> list[range]:
        """Return the ranges of hashed features, which have no names of their own."""
        ...

    def encode(self, block: Any, /) -> AnyFloatArray | SparseRows:
        """Return the features of a block of rows."""
        ...

    def learn(self, block: Any, /) -> AnyFloatArray | SparseRows:
        """Return the features of a block of training rows, and store the names of new ones."""
        ...

    def grow(self, block: Any, most_levels: int | None = None, /) -> Growth:
        """Add the features of a block that the schema does not have yet."""
        ...

    def read(self, path: Given, *, labelled: bool = False, **options: Any) -> Block:
        """Read a file for `encode`, with the same options as the training file."""
        ...

    def names(self, features: Iterable[int], /) -> list[str]:
        """Return the names of features."""
        ...

    def unknown(self, block: Any, /) -> dict[str, dict[str, int]]:
        """Return the levels not seen in training, with their counts, by column."""
        ...

    def reader_options(self) -> dict[str, Any]:
        """Return arguments for a reader that read a file like the training file."""
        ...

    def describe(self) -> list[str]:
        """Return lines that describe the features."""
        ...

    def to_json(self, weights: npt.NDArray[Any] | None = None, /) -> dict[str, Any]:
        """Return the schema as JSON data; hashes with the largest `weights` keep their names."""
        ...


class RowSchema:
    """Base class of schemas of rows without columns, which have no target and no levels."""

    target: None = None
    columns: Sequence[Column] = ()

    def unknown(self, block: Block) -> dict[str, dict[str, int]]:
        """Return an empty dict, since only tables have levels."""
        return {}


class TextSchema(RowSchema):
    """The schema of labelled texts, ``label<TAB>text``: n-grams of the text."""

    kind = "text"

    def __init__(self, features: TextFeatures) -> None:
        self.features = features

    @property
    def n_features(self) -> int:
        return max(self.features.n_features, 1)

    def hashed_features(self) -> list[range]:
        """Return one range of all features if they are hashed, otherwise an empty list."""
        return [] if self.features.bits is None else [range(self.n_features)]

    def encode(self, block: Block) -> SparseRows:
        """Return the n-grams of each text."""
        return self.features.encode(block.rows)

    def learn(self, block: Block) -> SparseRows:
        """Encode training texts; a new n-gram gets a name or, if exact, a column."""
        return self.features.learn(block.rows)

    def grow(self, block: Block, most_levels: int | None = None) -> Growth:
        """Return no changes: `learn` adds new n-grams after the last one."""
        return Growth([], {})

    def read(self, path: Given, *, labelled: bool = False, **options: Any) -> Block:
        """Read texts for `encode`, one per line; if labelled, each after its label and a tab."""
        return iter_text(path, labelled=labelled, **options).whole()

    def names(self, features: Iterable[int]) -> list[str]:
        """Return the n-gram of each feature; "hash" and the number for a hash without one."""
        columns = list(features)
        grams = self.features.names(columns)
        return [gram or f"hash {column}" for gram, column in zip(grams, columns, strict=True)]

    def reader_options(self) -> dict[str, Any]:
        """Return an empty dict, since all texts are read alike."""
        return {}

    def describe(self) -> list[str]:
        """Describe the features in one line."""
        return [f"text  {self.features.describe()}"]

    def to_json(self, weights: npt.NDArray[Any] | None = None) -> dict[str, Any]:
        """Return the schema as JSON data; hashes with the largest `weights` keep their names."""
        kept = range(self.n_features) if weights is None else columns_to_name(weights)
        return {"kind": "text", "features": self.features.to_json(kept)}


class SparseSchema(RowSchema):
    """The schema of svmlight and Vowpal Wabbit rows, whose columns are the features."""

    def __init__(
        self, kind: str, n_features: int, named: list[str] | None = None, bits: int | None = None
    ) -> None:
        if kind not in ("svmlight", "vw") or n_features < 1:
            raise ParameterError(f"kind={kind!r} and n_features={n_features!r} are no sparse rows.")
        self.kind = kind
        self.n_features = n_features
        self.named = named
        self.bits = bits

    def hashed_features(self) -> list[range]:
        """Return one range of all features if names are hashed, otherwise an empty list."""
        return [] if self.bits is None else [range(self.n_features)]

    def encode(self, block: Block) -> SparseRows:
        """Return the rows, widened to the features of the model."""
        rows: SparseRows = block.rows
        if rows.shape[1] > self.n_features:
            raise ParameterError(
                f"rows of {rows.shape[1]:,} features for a model of {self.n_features:,}."
            )
        return rows.widen(self.n_features)

    def learn(self, block: Block) -> SparseRows:
        """Encode training rows, whose new columns `grow` has added before."""
        return self.encode(block)

    def grow(self, block: Block, most_levels: int | None = None) -> Growth:
        """Add the new columns of a block after the last one.

        If columns have names, the block numbers them in the order of its own file; its rows are
        changed to the numbers that the names have here.
        """
        names = _names_of(block)
        if self.named is not None and names is not None:
            number = {name: i for i, name in enumerate(self.named)}
            places = np.array([number.setdefault(name, len(number)) for name in names], np.int32)
            self.named = list(number)
            self.n_features = len(number)
            rows = block.rows
            block.rows = SparseRows.from_entries(
                rows.data, places[rows.indices], rows.indptr, self.n_features
            )
        elif self.bits is None:
            self.n_features = max(self.n_features, block.rows.shape[1])
        return Growth([], {})

    def read(self, path: Given, *, labelled: bool = False, **options: Any) -> Block:
        """Read rows for `encode`; those of svmlight always have labels, perhaps placeholders."""
        arguments = {**self.reader_options(), **options}
        if self.kind == "svmlight":
            return iter_svmlight(path, **arguments).whole()
        return iter_vw(path, labelled=labelled, **arguments).whole()

    def names(self, features: Iterable[int]) -> list[str]:
        """Return the names of features, or their numbers in the file if they have no names."""
        names = self.named or []
        first = 1 if self.kind == "svmlight" else 0
        found = []
        for feature in features:
            is_named = 0 <= feature < len(names)
            found.append(names[feature] if is_named else str(feature + first))
        return found

    def reader_options(self) -> dict[str, Any]:
        """Return arguments for a reader that read a file like the training file."""
        if self.kind == "svmlight":
            return {"n_features": self.n_features}
        options: dict[str, Any] = {"bits": self.bits}
        if self.named is not None:
            options["names"] = self.named
        return options

    def describe(self) -> list[str]:
        """Describe the features in one line."""
        return [f"{self.kind}  {self.n_features:,} columns"]

    def to_json(self, weights: npt.NDArray[Any] | None = None) -> dict[str, Any]:
        """Return the schema as JSON data."""
        return {
            "kind": self.kind,
            "n_features": self.n_features,
            "named": self.named,
            "bits": self.bits,
        }


def schema_of_columns(kind: str, block: Any, n_features: int) -> AnySchema:
    """Make a schema for a model without one, in which each column of a block is a feature."""
    if kind != "table":
        block.rows = block.rows.narrow(n_features)
        return SparseSchema(kind, n_features)
    if len(block.names) != n_features:
        raise InputError(
            f"a model of {n_features:,} features without names, but the data have "
            f"{len(block.names):,} columns; --target says which one holds the labels."
        )
    return Schema.of_numbers(block.names)


# ---------------------------------------------------------------------- schemas in files


def schema_from_json(fields: Any) -> AnySchema:
    """Make a schema of any kind from JSON data; raise ModelFileError if it is invalid."""
    try:
        kind = fields["kind"]
        if kind == "table":
            return Schema.from_json(fields)
        if kind == "text":
            return TextSchema(TextFeatures.from_json(fields["features"]))
        return _sparse_schema_from_json(fields)
    except ModelFileError:
        raise
    except UNSOUND as error:
        raise ModelFileError(f"the schema of the model is not sound: {error!r}.") from None


def _sparse_schema_from_json(fields: dict[str, Any]) -> SparseSchema:
    kind = fields["kind"]
    n_features = fields["n_features"]
    named = fields["named"]
    bits = fields["bits"]

    sizes = [n_features]
    if bits is not None:
        sizes.append(bits)
    if not all(type(size) is int and 1 <= size < 2**31 for size in sizes):
        raise ValueError("the numbers of columns and bits cannot be")
    are_texts = type(named) is list and all(type(name) is str for name in named)
    if named is not None and not are_texts:
        raise ValueError("the names of the columns are no list of texts")
    return SparseSchema(kind, n_features, named, bits)


# ---------------------------------------------------------------------- unseen values


@dataclass
class UnseenValues:
    """Counts of levels, columns and missing values not seen in training, over blocks of rows.

    Attributes
    ----------
    levels : dict of str to Counter
        For each column of a table the unseen levels.
    rows : Counter
        For each column the number of rows with an unseen level.
    columns : Counter
        Unseen columns of svmlight rows, by their numbers in the file.
    gaps : Counter
        For each column the number of rows without a value, if training had no such row.
    values : dict of str to str
        The values that fill these gaps: the median, or the most frequent level.

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

    def encode(self, schema: AnySchema, block: Any) -> AnyFloatArray | SparseRows:
        """Encode a block; unseen values are counted and left out."""
        if isinstance(schema, Schema):
            self.gaps.update(schema.new_gaps(block))
            for column in schema.columns:
                if column.name in self.gaps:
                    self.values[column.name] = column.filling

        for name, levels in schema.unknown(block).items():
            known = self.levels.setdefault(name, Counter())
            self.rows[name] += sum(levels.values())
            if len(known) < MAX_LEVELS:
                known.update(levels)

        if schema.kind == "svmlight" and block.rows.shape[1] > schema.n_features:
            unseen = block.rows.indices[block.rows.indices >= schema.n_features]
            self.columns.update(str(column + 1) for column in unseen.tolist())
            block.rows = block.rows.narrow(schema.n_features)
        return schema.encode(block)

    def describe(self) -> list[str]:
        """Return a line for each column with unseen values, and one for all unseen columns."""
        lines = []
        for name, n in self.gaps.items():
            gaps = count(n, "gap")
            lines.append(f"{name}: {gaps}, as training had none, filled with {self.values[name]}")
        for name, levels in self.levels.items():
            rows = count(self.rows[name], "row")
            lines.append(f"{name}: {rows} with levels never seen: {_most_frequent(levels)}")
        if self.columns:
            values = count(sum(self.columns.values()), "value")
            lines.append(f"{values} of columns never seen: {_most_frequent(self.columns)}")
        return lines


def _most_frequent(counts: Counter[str]) -> str:
    """Return the most frequent texts with their counts, as one text."""
    named = [f"{text or '(empty)'} ({n:,})" for text, n in counts.most_common()]
    return first_few(named, SHOWN)


# ---------------------------------------------------------------------- guessing a schema


@dataclass(frozen=True)
class FeatureOptions:
    """Options of features: declared columns, scaling of numbers, and arguments of text features.

    Attributes
    ----------
    declared : dict of str to {"number", "category", "text", "date", "ignored"}
        Columns that are not to be guessed; "dmy" and "mdy" are dates with the day or the month
        first. ``{"sold.hour": "ignored"}`` leaves out a part of a date.
    scale : {"robust", "standard", "running"} or None
        How numbers are scaled, as in `Schema.guess`; in a stream "robust" means "running".
    text : dict
        Arguments of `TextFeatures`; ``bits`` is used for Vowpal Wabbit rows as well.
    """

    declared: Mapping[str, str] = field(default_factory=dict)
    scale: str | None = "robust"
    text: Mapping[str, Any] = field(default_factory=dict)

    def set_names(self) -> list[str]:
        """Return the names of the options that differ from their defaults."""
        names = []
        if self.declared:
            names.append("declared")
        if self.scale != "robust":
            names.append("scale")
        return [*names, *self.text]

    def meaningless(self, kind: str) -> list[str]:
        """Return the names of the options that were set and do not apply to data of ``kind``."""
        return [name for name in self.set_names() if name not in MEANINGS[kind]]

    def hashed(self, bits: int) -> FeatureOptions:
        """Return a copy that hashes to ``bits`` bits, unless the options set bits already."""
        return replace(self, text={**self.text, "bits": self.text.get("bits") or bits})

    def reader_options(self, kind: str) -> dict[str, Any]:
        """Return the arguments for the reader of a file that follow from these options."""
        if kind == "vw":
            return {"bits": self.text.get("bits")}
        types = {}
        for name, declared in self.declared.items():
            is_part_of_date = declared == "ignored" and name.rpartition(".")[2] in PARTS
            if declared == "date" or is_part_of_date:
                continue
            # Ignored columns are read as text, which cannot be at fault.
            types[name] = "number" if declared == "number" else "text"
        return {"types": types} if types else {}


def guess_schema(kind: str, block: Any, options: FeatureOptions | None = None) -> AnySchema:
    """Guess the schema of rows.

    Parameters
    ----------
    kind : {"table", "text", "svmlight", "vw"}
        The kind of rows.
    block : Table or Block
        Rows of a reader, by which columns are judged.
    options : FeatureOptions, default=None
        Options that are not guessed.

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
    return SparseSchema(kind, block.rows.shape[1], _names_of(block), bits)


def _names_of(block: Block) -> list[str] | None:
    """Return the names of the columns of Vowpal Wabbit rows; None if hashed, or for other rows."""
    return block.names if isinstance(block, VWBlock) else None
