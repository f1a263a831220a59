"""Packing of rows of any format into a file of features and labels that is memory-mapped."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import LARGEST_INT32, AnyArray, Int32Array, is_sparse
from rosenblatt.errors import DataError, ParameterError, RosenblattError
from rosenblatt.estimators.conversion import as_frame, as_table, column_names, feature_names
from rosenblatt.estimators.targets import encode_labels, read_labels, read_weights
from rosenblatt.models.classes import LabelCodes
from rosenblatt.models.rows import as_rows, inspect
from rosenblatt.tables.features.column_kinds import Column, Growth
from rosenblatt.tables.features.guessing import TableGuess
from rosenblatt.tables.features.schema import Schema
from rosenblatt.tables.features.schemas import (
    AnySchema,
    FeatureOptions,
    SparseSchema,
    TextSchema,
    UnseenValues,
    guess_schema,
    schema_from_json,
)
from rosenblatt.tables.features.text import TextFeatures
from rosenblatt.tables.readers.block import Block
from rosenblatt.tables.readers.column_roles import GuessedTarget
from rosenblatt.tables.readers.formats import default_of, format_of
from rosenblatt.tables.readers.labels import Labels
from rosenblatt.tables.readers.packed_rows import AGAIN, PackedRows, RowsWriter, map_rows
from rosenblatt.tables.readers.read_ahead import ReadAhead
from rosenblatt.tables.readers.reader import Reader
from rosenblatt.tables.readers.sources import Given, Source, opened, sources_of

if TYPE_CHECKING:
    from rosenblatt.tables.readers.sources import RawFile
    from rosenblatt.tables.readers.table import Table

# Maximum number of sources that an error names.
SHOWN = 3
# Rows of these kinds are read twice, because their features depend on all rows.
GUESSED = ("table", "text")


def pack(
    source: Given,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    target: str | int | None = None,
    features: FeatureOptions | None = None,
    schema: AnySchema | None = None,
    **options: Any,
) -> PackedRows:
    """Pack rows with labels into one file that learners memory-map.

    The input is read once, tables and texts twice (their features depend on all rows), in memory
    that does not grow with the input. Training on the file gives the same model as training on the
    input.

    Parameters
    ----------
    source : path, "-", binary file, list of these, or tuple (X, y) or (X, y, sample_weight)
        Rows to pack: files of any supported format, compressed or not; or arrays.
    path : str or path-like
        The file to write; by custom it ends in ``.rows``.
    format : str, default=None
        The name of a format of rows, such as ``"svmlight"`` or ``"csv"``. By default the suffix of
        the path decides; a path without a known suffix is CSV.
    target : str or int, default=None
        For a table, the column of the labels, as in `read_table`; by default one that is called
        label, target, class or y, otherwise the last.
    features : FeatureOptions, default=None
        Options of columns and texts that are not guessed.
    schema : Schema, TextSchema or SparseSchema, default=None
        The schema that encodes the rows, such as that of a model (``model.schema_``); by default it
        is guessed.
    **options
        Further arguments of the reader of the format, such as ``on_bad="skip"``.

    Returns
    -------
    packed : PackedRows
        The file, as `read_packed` returns it.

    See Also
    --------
    read_packed : Opens such a file.

    Examples
    --------
    >>> import os, tempfile
    >>> from rosenblatt import Perceptron, datasets, io
    >>> digits = datasets.digits()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     packed = io.pack((digits.X, digits.y), os.path.join(folder, "digits.rows"))
    ...     model = Perceptron(random_state=0).fit(packed.X, packed.y)
    >>> packed
    PackedRows(1,797 rows, 64 features)
    >>> bool((model.coef_ == Perceptron(random_state=0).fit(digits.X, digits.y).coef_).all())
    True
    """
    if isinstance(source, tuple) and not isinstance(source[0], str | os.PathLike):
        return _pack_arrays(path, *source)
    found = format_of(source, format, otherwise=default_of("table"))
    used = features or FeatureOptions()

    given = used.reader_options(found.kind)
    if schema is not None and found.kind != "svmlight":
        given |= schema.reader_options()
    if found.kind == "table":
        given["target"] = GuessedTarget() if target is None else target
    given |= {"labels": "codes", **options}

    names = [one.name for one in sources_of(source)]
    with repeatable(source) if found.kind in GUESSED else nullcontext(source) as sources:

        def open_reader(revised: Mapping[str, str] | None = None) -> Reader[Any]:
            arguments = dict(given)
            if revised:
                arguments["types"] = {**given.get("types", {}), **revised}
            return found.open(sources, **arguments)

        return pack_blocks(found.kind, open_reader, path, used, schema, sources=names)


def pack_blocks(
    kind: str,
    open_reader: Callable[..., Reader[Any]],
    path: str | os.PathLike[str],
    options: FeatureOptions,
    schema: AnySchema | None = None,
    *,
    sources: Sequence[str] = (),
    ahead: bool = True,
    unseen: UnseenValues | None = None,
) -> PackedRows:
    """Pack the blocks of a reader whose labels are codes; `GUESSED` kinds are read twice.

    ``open_reader`` accepts the types of columns that were guessed wrong by the first rows. With
    ``ahead`` a second thread may read; ``unseen`` counts values that a given schema has no feature
    for.
    """
    unseen = unseen or UnseenValues()
    guessed: AnySchema | None = None
    if schema is None and kind == "table":
        guessed, revised = _guess_table(open_reader, options)
        open_reader = partial(open_reader, revised)
    elif schema is None and kind == "text":
        guessed = _tally_texts(open_reader, TextSchema(TextFeatures(**options.text)))

    labels = LabelTexts()
    block: Any = None
    with RowsWriter(os.fsdecode(path)) as writer, open_reader() as reader:
        with ReadAhead(reader) if ahead else reader as blocks:
            for block in blocks:
                if schema is not None:
                    X = unseen.encode(schema, block)
                elif guessed is not None:
                    X = guessed.learn(block)
                else:
                    X = block.rows
                writer.add(X, labels.numbered(block.labels), block.weights)
        # Sparse rows: the last block knows all columns and names.
        used = schema or guessed or guess_schema(kind, block, options)
        classes, numbers = labels.classes(", ".join(sources[:SHOWN]))
        writer.finish(classes, numbers, _card(used, sources))
    return read_packed(path, verify=False)


def _guess_table(
    open_reader: Callable[..., Reader[Table]], options: FeatureOptions
) -> tuple[Schema, dict[str, str]]:
    """Guess the schema of a table block by block; return it with the revised types of columns.

    The reader guesses the types of columns by the first rows. If later rows show that a type is
    wrong, the file is read once more with the `revised` types, as if it had been read at once.
    """
    revised: dict[str, str] = {}
    while True:
        guess = TableGuess(options.declared, options.scale, options.text)
        table: Any = None
        with warnings.catch_warnings(), open_reader(revised) as reader:
            # The same warnings are given when the rows are encoded.
            warnings.simplefilter("ignore")
            for table in reader:
                guess.add(table)
            wrong = reader.revised
        if not wrong:
            break
        for name, kind in wrong.items():
            revised[name] = "number or gap" if kind == "number" else kind
    marks = list(table.missing)
    schema = Schema(guess.columns(bool(marks)), table.target, marks, table.dialect)
    return schema, revised


def _tally_texts(open_reader: Callable[..., Reader[Block]], schema: TextSchema) -> TextSchema:
    """Return the schema of texts; with idf, first count the document frequencies of n-grams."""
    if schema.features.idf:
        with warnings.catch_warnings(), open_reader() as reader:
            warnings.simplefilter("ignore")
            for block in reader:
                schema.features.learn(block.rows, tallying=True)
    return schema


def _card(schema: AnySchema, sources: Sequence[str]) -> dict[str, Any]:
    """Return the metadata of a packed file: number of features, schema and sources."""
    return {"n_features": schema.n_features, "schema": schema.to_json(), "sources": list(sources)}


def _pack_arrays(
    path: str | os.PathLike[str], X: Any, y: Any, sample_weight: Any = None
) -> PackedRows:
    """Pack an array, sparse rows or a data frame, with labels."""
    X = as_frame(X)
    columns = column_names(X)
    table = as_table(X, columns)
    names = feature_names(columns)
    if 0 in table.shape or table.shape[1] > LARGEST_INT32:
        what = f"X has shape {table.shape}; rows with 1 to {LARGEST_INT32:,} features can be packed"
        raise ParameterError(what, where="source")
    inspect(as_rows(table), names=None if names is None else lambda: names)
    classes, codes = encode_labels(read_labels(y, table.shape[0]))
    weights = read_weights(sample_weight, None, classes.tolist(), codes)

    schema: AnySchema
    if names is not None:
        schema = Schema.of_numbers(str(name) for name in names)
    elif is_sparse(table):
        schema = SparseSchema("svmlight", table.shape[1])
    else:
        # Columns without names are counted from 1, as in svmlight files.
        schema = Schema.of_numbers(str(column + 1) for column in range(table.shape[1]))

    with RowsWriter(os.fsdecode(path)) as writer:
        writer.add(table, codes, weights)
        # NumPy's texts of any length become objects of Python, which are written as JSON.
        if classes.dtype.kind == "T":
            classes = classes.astype(object)
        writer.finish(classes, np.arange(len(classes)), _card(schema, []))
    return read_packed(path, verify=False)


class LabelTexts:
    """Encoder of label texts, block by block; all texts together decide the type of labels."""

    def __init__(self) -> None:
        self._number: dict[bytes, int] = {}
        # The codes of texts that occur as a label.
        self._used: set[int] = set()

    def numbered(self, labels: LabelCodes) -> Int32Array:
        """Return the code of each label of a block."""
        numbers = [self._number.setdefault(text, len(self._number)) for text in labels.classes]
        codes = np.array(numbers, np.int32)[labels.codes]
        self._used.update(np.flatnonzero(np.bincount(codes)).tolist())
        return codes

    def classes(self, name: str) -> tuple[AnyArray, Int32Array]:
        """Return the sorted classes, and the class index of each label text."""
        used = np.array(sorted(self._used), np.int32)
        values = Labels().values(used, list(self._number))
        if values.dtype.kind == "f":
            measure = values[values % 1 != 0][0]
            raise DataError(
                f"the label {measure:g} is a measure, not a class",
                name=name,
                cures="is the right column the target?",
            )
        classes, codes = encode_labels(values)
        numbers = np.zeros(len(self._number), np.int32)
        numbers[used] = codes
        return classes, numbers


@contextmanager
def repeatable(given: Given) -> Iterator[list[Source]]:
    """Yield sources that can be read repeatedly: pipes and open files are copied temporarily."""
    with ExitStack() as stack:
        sources = []
        for source in sources_of(given):
            if source.is_read_once():
                source = stack.enter_context(_copied(source))
            sources.append(source)
        yield sources


@contextmanager
def _copied(source: Source) -> Iterator[Source]:
    def from_start() -> RawFile:
        copy.seek(0)
        return copy

    with opened(source) as stream, stream.copied() as copy:
        yield Source(source.name, from_start, False)


def read_packed(path: str | os.PathLike[str], *, verify: bool = True) -> PackedRows:
    """Open the rows, labels and schema of a packed file, which is memory-mapped.

    The file must not be changed while it is in use. Learners read it as they read arrays, even if
    it is larger than memory.

    Parameters
    ----------
    path : str or path-like
    verify : bool, default=True
        Compare every block with its digest, which reads the whole file once. Indices that a loop
        relies on are checked in any case.

    Returns
    -------
    packed : PackedRows
        ``X, y = packed``, and its ``schema``, ``classes`` and ``weights``.

    See Also
    --------
    pack : Writes such a file.

    Examples
    --------
    >>> import io as bytes_io, os, tempfile
    >>> from rosenblatt import Perceptron, io
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "small.rows")
    ...     _ = io.pack(bytes_io.BytesIO(b"no 1:3\\nyes 2:1 5:2\\n"), path, format="svmlight")
    ...     packed = io.read_packed(path)
    >>> packed.X, packed.y[:].tolist()
    (<SparseRows of shape (2, 5), float64, 3 stored>, ['no', 'yes'])
    >>> Perceptron().fit(packed.X, packed.y).n_training_errors_
    0
    """
    packed = map_rows(path, verify=verify)
    try:
        packed.schema = schema_from_json(packed.card["schema"])
        sound = packed.schema.n_features == packed.rows.shape[1]
    except RosenblattError:
        sound = False
    if not sound:
        what = "packed rows with a schema that is not sound"
        raise DataError(what, name=os.fsdecode(path), cures=AGAIN)
    return packed


class PackedSchema:
    """Schema of packed rows, which are encoded already; it encodes other rows as usual."""

    def __init__(self, schema: AnySchema) -> None:
        self._schema = schema

    @staticmethod
    def of(packed: PackedRows, schema: AnySchema | None, path: str) -> AnySchema:
        """Return the schema of a packed file, or a given one, which must make the same features."""
        own: AnySchema = packed.schema
        if schema is not None and _features_of(own) != _features_of(schema):
            raise DataError(
                "these rows were packed with other columns or texts than the model has",
                name=path,
                cures="pack them as the model reads them (--schema-from, in Python schema=)",
            )
        if schema is None:
            schema = own
        # Sparse rows are their own features, packed or not.
        if isinstance(schema, SparseSchema | PackedSchema):
            return schema
        return PackedSchema(schema)

    @property
    def kind(self) -> str:
        return self._schema.kind

    @property
    def n_features(self) -> int:
        return self._schema.n_features

    @property
    def target(self) -> str | None:
        return self._schema.target

    @property
    def columns(self) -> Sequence[Column]:
        return self._schema.columns

    def hashed_features(self) -> list[range]:
        return self._schema.hashed_features()

    def encode(self, block: Block) -> Any:
        """Return packed rows unchanged, and encode others."""
        if isinstance(block, PackedRows):
            return block.rows
        return self._schema.encode(block)

    def learn(self, block: Block) -> Any:
        """Return packed rows unchanged, and encode others; the schema learns nothing new."""
        return self.encode(block)

    def grow(self, block: Block, most_levels: int | None = None) -> Growth:
        """Return an empty growth: the schema covers all packed rows already."""
        return Growth([], {})

    def read(self, path: Given, *, labelled: bool = False, **options: Any) -> Block:
        return self._schema.read(path, labelled=labelled, **options)

    def names(self, features: Iterable[int]) -> list[str]:
        return self._schema.names(features)

    def unknown(self, block: Block) -> dict[str, dict[str, int]]:
        return {} if isinstance(block, PackedRows) else self._schema.unknown(block)

    def reader_options(self) -> dict[str, Any]:
        return self._schema.reader_options()

    def describe(self) -> list[str]:
        return self._schema.describe()

    def to_json(self, weights: AnyArray | None = None) -> dict[str, Any]:
        return self._schema.to_json(weights)


def _features_of(schema: AnySchema) -> object:
    """Return a key that is equal for schemas that make the same features."""
    if schema.kind == "svmlight":
        return schema.kind
    # Weights of 0, so that no hashed names are kept, which make no difference.
    return schema.to_json(np.zeros((1, schema.n_features)))
