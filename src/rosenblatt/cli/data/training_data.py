"""All rows of files as features, and the options that say what columns and texts become."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import click

from rosenblatt.cli.data.reading import Reading
from rosenblatt.cli.frame.options import Decorated, Whole, in_section

if TYPE_CHECKING:
    import numpy.typing as npt

    from rosenblatt.tables.features.schemas import AnySchema, FeatureOptions

RIGHT_TARGET = "is the right column the target? (--target)"
# Labels become objects of Python so many at a time.
LABELS_AT_ONCE = 1 << 16
KINDS = ("number", "category", "text", "date", "dmy", "mdy", "ignored")


option = in_section("Columns and texts")
OPTIONS = {
    "column": option(
        "--column",
        "columns",
        multiple=True,
        metavar="NAME=KIND",
        help="What a column is, where the guess is wrong: number, category, text, date (dmy or mdy "
        "if the day or month comes first) or ignored; date.hour=ignored leaves out a part. Can be "
        "given several times.",
    ),
    "no_scale": option(
        "--no-scale",
        is_flag=True,
        help="Take numbers as they are, neither scaled nor clipped.",
    ),
    "exact": option(
        "--exact", is_flag=True, help="Give every word its own feature instead of hashing."
    ),
    "bits": option("--bits", type=Whole(1, 28), help="Hash words to 2^N features.  [default: 18]"),
    "words": option(
        "--words",
        metavar="FROM-TO",
        help="Runs of words that become features, as 1-2; or none.  [default: 1-2]",
    ),
    "chars": option(
        "--chars",
        metavar="FROM-TO",
        help="Pieces of words that become features, as 3-5; or none.  [default: none]",
    ),
    "value": option(
        "--value",
        type=click.Choice(["log", "count", "once"]),
        help="What a word that occurs n times counts: 1 + ln n, n, or 1.  [default: log]",
    ),
    "idf": option(
        "--idf/--no-idf",
        default=None,
        help="Let words count more the fewer texts have them.  [default: yes, in a stream no]",
    ),
    "unit": option(
        "--unit/--no-unit",
        default=None,
        help="Scale texts to length 1.  [default: yes, in a stream no]",
    ),
    "symbols": option(
        "--symbols/--no-symbols", default=None, help="Take ! and £ as words, too.  [default: yes]"
    ),
    "lowercase": option(
        "--lowercase/--no-lowercase",
        default=None,
        help="Take capital letters as small ones.  [default: yes]",
    ),
}
# The options of the shell by what they set.
SET_BY = {"declared": "--column", "scale": "--no-scale"}


def column_options(*but: str) -> Callable[[Decorated], Decorated]:
    """The options that say what columns and texts become, all but some."""

    def decorate(command: Decorated) -> Decorated:
        for name in reversed(OPTIONS):
            if name not in but:
                command = OPTIONS[name](command)
        return command

    return decorate


def feature_options(options: dict[str, Any]) -> FeatureOptions:
    """What was said of columns and texts, taken out of the options of a command."""
    from rosenblatt.tables.features.schemas import FeatureOptions

    columns, no_scale = options.pop("columns"), options.pop("no_scale")
    exact, bits = options.pop("exact", False), options.pop("bits")
    if exact and bits is not None:
        raise click.UsageError("--exact keeps a vocabulary and --bits hashes; give one of them.")
    text: dict[str, Any] = {"bits": bits} if exact or bits is not None else {}
    for name in ("words", "chars"):
        written = options.pop(name)
        if written is not None:
            text[name] = _span(name, written)
    for name in ("value", "idf", "unit", "symbols", "lowercase"):
        if (chosen := options.pop(name)) is not None:
            text[name] = chosen
    return FeatureOptions(_declared(columns), None if no_scale else "robust", text)


def _declared(columns: Sequence[str]) -> dict[str, str]:
    declared = {}
    for column in columns:
        name, equals, kind = column.rpartition("=")
        if not equals or kind not in KINDS:
            raise click.UsageError(f"--column {column}: write NAME={'|'.join(KINDS)}.")
        declared[name] = kind
    return declared


def _span(name: str, written: str) -> tuple[int, int] | None:
    if written == "none":
        return None
    least, _, most = written.partition("-")
    try:
        return int(least), int(most or least)
    except ValueError:
        raise click.UsageError(
            f"--{name} {written}: write the shortest and longest run, as 1-2, or none."
        ) from None


def refuse_meaningless(options: FeatureOptions, kind: str, *, has_schema: bool) -> None:
    """Options that say nothing about the data are an error, not skipped."""
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
    """The rows of a block with their labels, and how they become features.

    ``weights`` is None if all rows count the same; ``inserted`` are the places of features that
    joined a schema, ``notices`` what had no place in one; ``X`` are the features, after `encode`.
    """

    schema: AnySchema
    block: Any
    labels: Any
    weights: npt.NDArray[Any] | None = None
    inserted: list[int] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    X: Any = None

    def __len__(self) -> int:
        return len(self.labels)

    def encode(self) -> Self:
        """Make features of the rows; a table has no numbers afterwards, as their memory is used."""
        from rosenblatt.tables.features.schema import Schema

        own: Any = {"in_place": True} if isinstance(self.schema, Schema) else {}
        self.X = self.schema.learn(self.block, **own)
        return self

    @cached_property
    def counts(self) -> dict[Any, int]:
        """How often each label occurs."""
        return label_counts(self.labels)

    @property
    def weighted(self) -> dict[str, Any]:
        """What fit and partial_fit are given beside rows and labels."""
        return {} if self.weights is None else {"sample_weight": self.weights}


def read_examples(
    reading: Reading,
    paths: Sequence[str],
    options: FeatureOptions,
    schema: AnySchema | None = None,
    *,
    grows: bool = True,
    **labels: Any,
) -> Examples:
    """Read all rows; without a schema one is guessed, with one it grows if it may.

    The rows are encoded if the schema does not grow, else that is left to who looks at them first.
    """
    from rosenblatt.tables.features.schemas import UnseenValues, guess_schema

    kind, schema = reading.kind_of(paths, schema), reading.schema_of(paths, schema)
    block = reading.reader(paths, schema=schema, features=options, grows=grows, **labels).whole()
    if schema is not None and not grows:
        unseen = UnseenValues()
        X = unseen.encode(schema, block)
        weights, notices = row_weights(block), unseen.describe()
        return Examples(schema, block, block.labels, weights, notices=notices, X=X)
    inserted = list[int]()
    if schema is None:
        schema = guess_schema(kind, block, options)
    else:
        inserted = schema.grow(block).places
    return Examples(schema, block, block.labels, row_weights(block), inserted)


def label_counts(labels: Any) -> dict[Any, int]:
    """How often each label occurs, in the order in which they are first met."""
    if hasattr(labels, "counts"):
        return dict(labels.counts())
    found = Counter[Any]()
    for start in range(0, len(labels), LABELS_AT_ONCE):
        found.update(labels[start : start + LABELS_AT_ONCE].tolist())
    return found


def row_weights(block: Any) -> npt.NDArray[Any] | None:
    """The importance of each row; None if all count the same."""
    weights: npt.NDArray[Any] | None = getattr(block, "weights", None)
    return None if weights is None or (weights == 1.0).all() else weights


def used_columns(X: Any) -> npt.NDArray[Any]:
    """The features that some row has; hashing makes room for many more."""
    import numpy as np

    if not hasattr(X, "indices"):
        return np.arange(X.shape[1])
    return np.unique(X.indices) if X.nnz else np.zeros(1, np.int64)


def dense_columns(X: Any, most_cells: int) -> npt.NDArray[Any] | None:
    """The features that some row has, as a plain array; None if it were larger than this."""
    used = used_columns(X)
    if X.shape[0] * len(used) > most_cells:
        return None
    dense: npt.NDArray[Any] = X.toarray(used) if hasattr(X, "indices") else X
    return dense


def refuse_one_class(counts: Mapping[Any, int], name: str, *, of_table: bool) -> None:
    """Two classes are the least that can be separated."""
    from rosenblatt.errors import DataError

    for label, rows in counts.items() if len(counts) == 1 else ():
        raise DataError(
            f"only class {label!r} seen, in all {rows:,} rows; two are needed",
            name=name,
            cures=RIGHT_TARGET if of_table else (),
        )
