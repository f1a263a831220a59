"""Any data as packed rows: what a learner reads, made once and kept in a file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from typing import Any

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

# The features of these kinds depend on all rows, so they are read twice.
GUESSED = ("table", "text")


def pack(
    source: Given,
    path: Any,
    *,
    format: str | None = None,
    target: str | int | None = None,
    features: FeatureOptions | None = None,
    schema: AnySchema | None = None,
    **options: Any,
) -> PackedRows:
    """Put rows with labels into one file that learners read where it lies.

    The input is read once, a table twice (what its columns are is judged by all rows), in memory
    that does not grow with it. Training on the file gives the same model as training on the input.

    Parameters
    ----------
    source : path, "-", binary file, list of these, or tuple (X, y) or (X, y, sample_weight)
        What to pack: files of any format that is read here, also compressed; or arrays.
    path : str or path-like
        The file to write; by custom it ends in ``.rows``.
    format : str, default=None
        The name of a format of rows, as ``"svmlight"`` or ``"csv"``. By default the suffix of the
        path decides, and a path without a known one is CSV.
    target : str or int, default=None
        Of a table, the column of the labels, as in `read_table`; by default one that is called
        label, target, class or y, else the last.
    features : FeatureOptions, default=None
        What is not to be guessed of columns and texts.
    schema : Schema, TextSchema or SparseSchema, default=None
        How the rows become features, as of a model (``model.schema_``), if it is known already.
    **options
        Further arguments of the reader of the format, such as ``on_bad="skip"``.

    Returns
    -------
    packed : PackedRows
        As `read_packed` gives it.

    See Also
    --------
    read_packed : The rows of such a file.

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
            types = {"types": {**given.get("types", {}), **revised}} if revised else {}
            return found.open(sources, **{**given, **types})

        return pack_blocks(found.kind, open_reader, path, used, schema, sources=names)


def pack_blocks(
    kind: str,
    open_reader: Callable[..., Any],
    path: Any,
    options: FeatureOptions,
    schema: AnySchema | None = None,
    *,
    sources: Sequence[str] = (),
    ahead: bool = True,
    unseen: UnseenValues | None = None,
) -> PackedRows:
    """As `pack`, of the blocks of a reader whose labels are codes; `GUESSED` kinds are read twice.

    ``open_reader`` may be given the kinds of columns that were guessed wrong by the first rows.
    ``ahead``: a second thread may read; ``unseen`` counts what a given schema has no feature for.
    """
    given, labels = schema, LabelTexts()
    if schema is None and kind == "table":
        schema, revised = _guessed(open_reader, options)
        open_reader = partial(open_reader, revised)
    elif schema is None and kind == "text":
        schema = _tallied(open_reader, TextSchema(TextFeatures(**options.text)))
    block: Any = None
    with RowsWriter(os.fsdecode(path)) as writer, open_reader() as reader:
        with ReadAhead(reader) if ahead else reader as blocks:
            for block in blocks:
                if given is not None:
                    X = (unseen or UnseenValues()).encode(given, block)
                else:
                    X = block.rows if schema is None else schema.learn(block)
                writer.add(X, labels.numbered(block.labels), getattr(block, "weights", None))
        # Indices and exact names are all known at the end, and stand after each other.
        schema = schema or guess_schema(kind, block, options)
        classes, numbers = labels.classes(", ".join(sources[:3]))
        writer.finish(classes, numbers, _card(schema, sources))
    return read_packed(path, verify=False)


def _guessed(
    open_reader: Callable[..., Any], options: FeatureOptions
) -> tuple[Schema, dict[str, str]]:
    """The schema of a table, of which one block is in memory at a time.

    The reader guesses by the first rows what is a number. If all rows show that it is wrong about a
    column, the file is read once more with the kinds `revised`, as reading it at once does.
    """
    revised: dict[str, str] = {}
    while True:
        guess = TableGuess(options.declared, options.scale, options.text)
        table: Any = None
        with warnings.catch_warnings(), open_reader(revised) as reader:
            warnings.simplefilter("ignore")  # they come again when the rows are encoded
            for table in reader:
                guess.add(table)
            wrong = reader.revised
        if not wrong:
            break
        revised |= {n: "number or gap" if kind == "number" else kind for n, kind in wrong.items()}
    marks = list(table.missing)
    schema = Schema(guess.columns(bool(marks)), table.target, marks, table.dialect)
    return schema, revised


def _tallied(open_reader: Callable[[], Any], schema: TextSchema) -> TextSchema:
    """The schema of texts, which were read once if it depends on how many have an n-gram."""
    if schema.features.idf:
        with warnings.catch_warnings(), open_reader() as reader:
            warnings.simplefilter("ignore")
            for block in reader:
                schema.features.learn(block.rows, tallying=True)
    return schema


def _card(schema: AnySchema, sources: Sequence[str]) -> dict[str, Any]:
    return {"n_features": schema.n_features, "schema": schema.to_json(), "sources": list(sources)}


def _pack_arrays(path: Any, X: Any, y: Any, sample_weight: Any = None) -> PackedRows:
    X = as_frame(X)
    columns = column_names(X)
    table, names = as_table(X, columns), feature_names(columns)
    if 0 in table.shape or table.shape[1] > LARGEST_INT32:
        what = f"X has shape {table.shape}; rows with 1 to {LARGEST_INT32:,} features can be packed"
        raise ParameterError(what, where="source")
    inspect(as_rows(table), names=None if names is None else lambda: names)
    classes, codes = encode_labels(read_labels(y, table.shape[0]))
    weights = read_weights(sample_weight, None, classes.tolist(), codes)
    schema: AnySchema = SparseSchema("svmlight", table.shape[1])
    if names is not None or not is_sparse(table):
        listed = range(1, table.shape[1] + 1) if names is None else names
        schema = Schema.of_numbers(str(name) for name in listed)
    with RowsWriter(os.fsdecode(path)) as writer:
        writer.add(table, codes, weights)
        if classes.dtype.kind == "T":
            classes = classes.astype(object)
        writer.finish(classes, np.arange(len(classes)), _card(schema, []))
    return read_packed(path, verify=False)


class LabelTexts:
    """The labels of blocks, as numbers of their texts; which kind they are, all of them decide."""

    def __init__(self) -> None:
        self._number: dict[bytes, int] = {}
        self._met: set[int] = set()

    def numbered(self, labels: LabelCodes) -> Int32Array:
        number = [self._number.setdefault(name, len(self._number)) for name in labels.classes]
        codes = np.array(number, np.int32)[labels.codes]
        self._met.update(np.flatnonzero(np.bincount(codes)).tolist())
        return codes

    def classes(self, name: str) -> tuple[AnyArray, Int32Array]:
        """The classes in order, and for each text the number of its class."""
        met = np.array(sorted(self._met), np.int32)
        values = Labels().values(met, list(self._number))
        if values.dtype.kind == "f":
            measure = values[values % 1 != 0][0]
            raise DataError(
                f"the label {measure:g} is a measure, not a class",
                name=name,
                cures="is the right column the target?",
            )
        classes, place = encode_labels(values)
        numbers = np.zeros(len(self._number), np.int32)
        numbers[met] = place
        return classes, numbers


@contextmanager
def repeatable(given: Given) -> Iterator[list[Source]]:
    """The same to read as often as wanted: of pipes and open files there are copies meanwhile."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(_copied(source)) if source.is_read_once() else source
            for source in sources_of(given)
        ]


@contextmanager
def _copied(source: Source) -> Iterator[Source]:
    def from_start() -> Any:
        copy.seek(0)
        return copy

    with opened(source) as stream, stream.copied() as copy:
        yield Source(source.name, from_start, False)


def read_packed(path: Any, *, verify: bool = True) -> PackedRows:
    """The rows, labels and schema of a packed file; nothing but the pages in use is in memory.

    The file must not be changed while it is in use. Learners read it as they read arrays, also if
    it is larger than memory.

    Parameters
    ----------
    path : str or path-like
    verify : bool, default=True
        Compare every block with its digest, which reads the whole file once. What a loop relies on
        is checked in any case.

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
    """The schema of packed rows, which are features already; other rows it encodes as ever."""

    def __init__(self, schema: AnySchema) -> None:
        self._schema = schema

    @staticmethod
    def of(packed: PackedRows, schema: AnySchema | None, path: str) -> AnySchema:
        """Return the schema of a packed file, or another one if it makes the same features."""
        own: AnySchema = packed.schema
        if schema is not None and _features_of(own) != _features_of(schema):
            raise DataError(
                "these rows were packed with other columns or texts than the model has",
                name=path,
                cures="pack them as the model reads them (--schema-from, in Python schema=)",
            )
        schema = own if schema is None else schema
        return schema if isinstance(schema, SparseSchema | PackedSchema) else PackedSchema(schema)

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

    def encode(self, block: Any) -> Any:
        return block.rows if isinstance(block, PackedRows) else self._schema.encode(block)

    learn = encode

    def grow(self, block: Any, most_levels: int | None = None) -> Growth:
        """Add nothing: packed rows have no values that were not met before."""
        return Growth([], {})

    def read(self, path: Given, *, labelled: bool = False, **options: Any) -> Block:
        return self._schema.read(path, labelled=labelled, **options)

    def names(self, features: Iterable[int]) -> list[str]:
        return self._schema.names(features)

    def unknown(self, block: Any) -> dict[str, dict[str, int]]:
        return {} if isinstance(block, PackedRows) else self._schema.unknown(block)

    def reader_options(self) -> dict[str, Any]:
        return self._schema.reader_options()

    def describe(self) -> list[str]:
        return self._schema.describe()

    def to_json(self, weights: AnyArray | None = None) -> dict[str, Any]:
        return self._schema.to_json(weights)


def _features_of(schema: AnySchema) -> Any:
    """Return what schemas have in common that make the same features of a row."""
    if schema.kind == "svmlight":
        return schema.kind
    # Which hashed names were kept does not matter.
    return schema.to_json(np.zeros((1, schema.n_features)))
