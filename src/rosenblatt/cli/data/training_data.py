"""Options for columns and texts, and the training rows with their features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import click

from rosenblatt.cli.data.reading import Reading, read_whole
from rosenblatt.cli.frame.options import Decorated, Whole, in_section

if TYPE_CHECKING:
    import numpy.typing as npt

    from rosenblatt.arrays import AnyArray
    from rosenblatt.tables.features.schemas import AnySchema, FeatureOptions
    from rosenblatt.tables.readers.block import Block

RIGHT_TARGET = "is the right column the target? (--target)"
KINDS = ("number", "category", "text", "date", "dmy", "mdy", "ignored")


option = in_section("Columns and texts")
OPTIONS = {
    "column": option(
        "--column",
        "columns",
        multiple=True,
        metavar="NAME=KIND",
        help="The kind of a column, if the guess is wrong: number, category, text, date (dmy or "
        "mdy if the day or month comes first) or ignored; date.hour=ignored leaves out a part. Can "
        "be repeated.",
    ),
    "no_scale": option(
        "--no-scale",
        is_flag=True,
        help="Leave numbers unchanged, neither scaled nor clipped.",
    ),
    "exact": option(
        "--exact", is_flag=True, help="Give every word its own feature instead of hashing."
    ),
    "bits": option("--bits", type=Whole(1, 28), help="Hash words to 2^N features.  [default: 18]"),
    "words": option(
        "--words",
        metavar="FROM-TO",
        help="Lengths of word n-grams, such as 1-2; or none.  [default: 1-2]",
    ),
    "chars": option(
        "--chars",
        metavar="FROM-TO",
        help="Lengths of character n-grams, such as 3-5; or none.  [default: none]",
    ),
    "value": option(
        "--value",
        type=click.Choice(["log", "count", "once"]),
        help="Value of a word that occurs n times: 1 + ln n, n, or 1.  [default: log]",
    ),
    "idf": option(
        "--idf/--no-idf",
        default=None,
        help="Give words more weight the fewer texts have them.  [default: yes]",
    ),
    "unit": option(
        "--unit/--no-unit",
        default=None,
        help="Scale texts to length 1.  [default: yes; in a stream no]",
    ),
    "symbols": option(
        "--symbols/--no-symbols",
        default=None,
        help="Count symbols such as ! and £ as words.  [default: yes]",
    ),
    "lowercase": option(
        "--lowercase/--no-lowercase",
        default=None,
        help="Convert texts to lower case.  [default: yes]",
    ),
}
# Options that are not named after the setting they control.
SET_BY = {"declared": "--column", "scale": "--no-scale"}


def column_options(*but: str) -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds the options for columns and texts, except those of ``but``."""

    def decorate(command: Decorated) -> Decorated:
        for name in reversed(OPTIONS):
            if name not in but:
                command = OPTIONS[name](command)
        return command

    return decorate


def feature_options(options: dict[str, Any]) -> FeatureOptions:
    """Pop the options for columns and texts, and return them as `FeatureOptions`."""
    from rosenblatt.tables.features.schemas import FeatureOptions

    columns = options.pop("columns")
    no_scale = options.pop("no_scale")
    exact = options.pop("exact", False)
    bits = options.pop("bits")
    if exact and bits is not None:
        raise click.UsageError("--exact keeps a vocabulary and --bits hashes; give one of them.")

    text: dict[str, Any] = {}
    if exact or bits is not None:
        text["bits"] = bits
    for name in ("words", "chars"):
        written = options.pop(name)
        if written is not None:
            text[name] = _span(name, written)
    for name in ("value", "idf", "unit", "symbols", "lowercase"):
        chosen = options.pop(name, None)
        if chosen is not None:
            text[name] = chosen
    return FeatureOptions(_declared(columns), None if no_scale else "robust", text)


def _declared(columns: Sequence[str]) -> dict[str, str]:
    """Parse the values of --column: NAME=KIND."""
    declared = {}
    for column in columns:
        name, equals, kind = column.rpartition("=")
        if not equals or kind not in KINDS:
            raise click.UsageError(f"--column {column}: write NAME={'|'.join(KINDS)}.")
        declared[name] = kind
    return declared


def _span(name: str, written: str) -> tuple[int, int] | None:
    """Parse a range of lengths: FROM-TO, one number, or "none"."""
    if written == "none":
        return None
    shortest, _, longest = written.partition("-")
    try:
        return int(shortest), int(longest or shortest)
    except ValueError:
        raise click.UsageError(
            f"--{name} {written}: give the shortest and longest run, such as 1-2, or none."
        ) from None


def refuse_meaningless(options: FeatureOptions, kind: str, *, has_schema: bool) -> None:
    """Raise if an option was given that does not apply to the data."""
    names = options.set_names() if has_schema else options.meaningless(kind)
    about = "a schema that is there already" if has_schema else kind
    for name in names:
        option = SET_BY.get(name, f"--{name}")
        if name == "bits" and options.text["bits"] is None:
            option = "--exact"
        raise click.UsageError(
            f"{option} has no meaning for {'labelled text' if about == 'text' else about}."
        )


# ---------------------------------------------------------------------- the rows


@dataclass
class Examples:
    """All rows of the files with their labels, and the schema that encodes them as features.

    Attributes
    ----------
    schema : AnySchema
        How the rows become features.
    block : Block
        The rows as they were read.
    inserted : list of int
        Features, by their old indices, before which others were inserted in a known schema.
    notices : list of str
        Descriptions of values that a known schema lacks.
    X : array or None
        The features, after `encode`.
    """

    schema: AnySchema
    block: Block
    inserted: list[int] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    X: Any = None

    def __len__(self) -> int:
        return len(self.block.labels)

    @property
    def labels(self) -> Any:
        return self.block.labels

    def encode(self) -> Self:
        """Encode the rows as `X`; the numbers of a table are lost, since their memory is reused."""
        from rosenblatt.tables.features.schema import Schema
        from rosenblatt.tables.readers.table import Table

        if isinstance(self.schema, Schema) and isinstance(self.block, Table):
            self.X = self.schema.learn(self.block, in_place=True)
        else:
            self.X = self.schema.learn(self.block)
        return self

    @cached_property
    def weights(self) -> AnyArray | None:
        """Return the sample weights; None if all rows have the same weight."""
        return self.block.sample_weight

    @cached_property
    def counts(self) -> dict[Any, int]:
        """Return the number of rows with each label, in order of first occurrence."""
        from rosenblatt.tables.readers.labels import count_labels

        return count_labels(self.labels)


def read_examples(
    reading: Reading,
    paths: Sequence[str],
    options: FeatureOptions,
    schema: AnySchema | None = None,
    *,
    grows: bool = True,
    **labels: Any,
) -> Examples:
    """Read all rows; guess their schema if it is None, and otherwise extend it if ``grows``.

    With a schema that does not grow, the rows are encoded as well; otherwise the caller does it,
    who may inspect them first. `labels` are arguments of the reader.
    """
    from rosenblatt.tables.features.schemas import UnseenValues, guess_schema

    kind = reading.kind_of(paths, schema)
    schema = reading.schema_of(paths, schema)
    reader = reading.reader(paths, schema=schema, features=options, grows=grows, **labels)
    block = read_whole(reader, paths)

    if schema is None:
        return Examples(guess_schema(kind, block, options), block)
    if grows:
        inserted = schema.grow(block).places
        return Examples(schema, block, inserted)
    unseen = UnseenValues()
    X = unseen.encode(schema, block)
    return Examples(schema, block, notices=unseen.describe(), X=X)


def refuse_one_class(counts: Mapping[Any, int], name: str, *, of_table: bool) -> None:
    """Raise if all rows have the same label."""
    from rosenblatt.errors import DataError

    if len(counts) != 1:
        return
    [(label, rows)] = counts.items()
    raise DataError(
        f"only class {label!r} seen, in all {rows:,} rows; two are needed",
        name=name,
        cures=RIGHT_TARGET if of_table else (),
    )
