"""All rows of files as features, with a schema that is guessed, given or grown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.reading import TABLES, Reading
from rosenblatt.cli.frame.options import Decorated, Whole, in_section

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from rosenblatt.features import AnySchema, SparseSchema

__all__ = [
    "Examples",
    "Wanted",
    "column_options",
    "guessed",
    "read_examples",
    "refuse_one_class",
    "text_settings",
]

KINDS = ("number", "category", "text", "ignored")


option = in_section("Columns and texts")
OPTIONS = {
    "column": option(
        "--column",
        "columns",
        multiple=True,
        metavar="NAME=KIND",
        help="What a column is, where the guess is wrong: number, category, text or ignored. Can "
        "be given several times.",
    ),
    "no_scale": option(
        "--no-scale", is_flag=True, help="Take numbers as they are, not by their mean and spread."
    ),
    "exact": option(
        "--exact", is_flag=True, help="Give every word its own feature instead of hashing."
    ),
    "bits": option("--bits", type=Whole(1, 28), help="Hash words to 2^N features.  [default: 18]"),
    "words": option(
        "--words",
        metavar="FROM-TO",
        help="Runs of words that become features, as 1-2; or none.  [default: 1]",
    ),
    "chars": option(
        "--chars",
        metavar="FROM-TO",
        help="Pieces of words that become features, as 3-5; or none.  [default: none]",
    ),
}


@dataclass
class Examples:
    """Rows as features, the label of each and, if they do not all count the same, their weight."""

    X: Any
    labels: npt.NDArray[Any]
    weights: npt.NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def weighted(self) -> dict[str, Any]:
        """What fit and partial_fit are given beside rows and labels."""
        return {} if self.weights is None else {"sample_weight": self.weights}


def column_options(*but: str) -> Callable[[Decorated], Decorated]:
    """The options that say what columns and texts become, all but some."""

    def decorate(command: Decorated) -> Decorated:
        for name in reversed(OPTIONS):
            if name not in but:
                command = OPTIONS[name](command)
        return command

    return decorate


class Wanted:
    """What is to be known of the columns beyond what is guessed: --column, --words and so on."""

    def __init__(
        self,
        columns: Sequence[str] = (),
        *,
        exact: bool = False,
        bits: int | None = None,
        words: str | None = None,
        chars: str | None = None,
        no_scale: bool = False,
    ) -> None:
        self.declared = _declared(columns)
        self.text = text_settings(exact=exact, bits=bits, words=words, chars=chars)
        self.bits, self.exact = bits, exact
        self.no_scale = no_scale
        self.said = [
            option
            for option, given in (
                ("--column", columns),
                ("--no-scale", no_scale),
                ("--exact", exact),
                ("--bits", bits),
                ("--words", words),
                ("--chars", chars),
            )
            if given
        ]

    def refuse(self, kind: str, *meant: str) -> None:
        """Options that mean nothing for a format are an error, not passed over."""
        for option in self.said:
            if option not in meant:
                raise click.UsageError(f"{option} has no meaning for {kind}.")


def _declared(columns: Sequence[str]) -> dict[str, str]:
    declared = {}
    for column in columns:
        name, equals, kind = column.rpartition("=")
        if not equals or kind not in KINDS:
            raise click.UsageError(f"--column {column}: write NAME={'|'.join(KINDS)}.")
        declared[name] = kind
    return declared


def text_settings(
    *, exact: bool, bits: int | None, words: str | None, chars: str | None
) -> dict[str, Any]:
    """Arguments of `TextFeatures`, only those that were said."""
    if exact and bits is not None:
        raise click.UsageError("--exact keeps a vocabulary and --bits hashes; give one of them.")
    settings: dict[str, Any] = {}
    if exact or bits is not None:
        settings["bits"] = bits
    for name, given in (("words", words), ("chars", chars)):
        if given is not None:
            settings[name] = _span(name, given)
    return settings


def _span(name: str, given: str) -> tuple[int, int] | None:
    if given == "none":
        return None
    least, _, most = given.partition("-")
    try:
        return int(least), int(most or least)
    except ValueError:
        raise click.UsageError(
            f"--{name} {given}: write the shortest and longest run, as 1-2, or none."
        ) from None


def read_examples(
    reading: Reading,
    paths: Sequence[str],
    wanted: Wanted,
    schema: AnySchema | None = None,
    *,
    labels: str = "auto",
) -> tuple[AnySchema, Examples]:
    """Read all rows; without a schema one is guessed, with one it grows where it can."""
    kind = reading.format_of(paths, schema)
    if schema is not None:
        wanted.refuse("a schema that is there already")
    if kind in ("svmlight", "vw"):
        return _sparse(replace(reading, kind=kind), paths, wanted, schema, labels)
    from rosenblatt.features import Schema, TextFeatures, TextSchema

    found: AnySchema
    if kind == "text":
        wanted.refuse("labelled text", "--exact", "--bits", "--words", "--chars")
        block = reading.reader(paths, schema=schema, labels=labels).whole()
        found = TextSchema(TextFeatures(**wanted.text)) if schema is None else schema
        return found, Examples(found.learn(block), block.labels)
    assert kind in TABLES
    # As text a column that is not used cannot be at fault.
    types = {n: "number" if k == "number" else "text" for n, k in wanted.declared.items()}
    block = reading.reader(paths, schema=schema, types=types or None, labels=labels).whole()
    if schema is not None:
        return schema, Examples(schema.learn(block), block.labels)
    found = Schema.guess(
        block,
        declared=wanted.declared,
        missing=reading.missing,
        scale=not wanted.no_scale,
        text=wanted.text,
    )
    return found, Examples(found.encode(block), block.labels)


def refuse_one_class(labels: Sequence[Any], name: str, *, of_table: bool) -> None:
    """Two classes are the least that can be told apart."""
    from rosenblatt.errors import DataError

    if len(set(labels)) == 1:
        raise DataError(
            f"only class {labels[0]!r} seen, in all {len(labels):,} rows; two are needed",
            name=name,
            help="is the right column the target? (--target)" if of_table else None,
        )


def guessed(reading: Reading, kind: str, block: Any, *, scale: bool = True) -> AnySchema:
    """How train would make features of a block, if nothing else is said."""
    from rosenblatt.features import Schema, SparseSchema, TextFeatures, TextSchema

    if kind in TABLES:
        return Schema.guess(block, missing=reading.missing, scale=scale)
    if kind == "text":
        schema = TextSchema(TextFeatures())
        schema.learn(block)
        return schema
    return SparseSchema(kind, block.rows.shape[1], getattr(block, "names", None))


def _sparse(
    reading: Reading,
    paths: Sequence[str],
    wanted: Wanted,
    known: Any,
    labels: str,
) -> tuple[AnySchema, Examples]:
    import numpy as np

    from rosenblatt.features import SparseSchema

    kind = str(reading.kind)
    wanted.refuse(kind, *(("--exact", "--bits") if kind == "vw" else ()))
    bits = wanted.bits if known is None else known.bits
    hashing = None if bits is None else SparseSchema(kind, 1 << bits, None, bits)
    block = reading.reader(paths, schema=hashing, labels=labels).whole()
    weights = getattr(block, "weights", None)
    if weights is not None and np.all(weights == 1.0):
        weights = None
    schema = SparseSchema(kind, block.rows.shape[1], getattr(block, "names", None), bits)
    if known is not None and bits is None:
        schema, block.rows = _grown(known, schema, block.rows)
    return schema, Examples(schema.encode(block), block.labels, weights)


def _grown(known: SparseSchema, met: SparseSchema, rows: Any) -> tuple[SparseSchema, Any]:
    """The columns of a model and after them those that are new; names decide if there are any."""
    import numpy as np

    from rosenblatt.arrays import SparseRows
    from rosenblatt.features import SparseSchema

    if known.named is None or met.named is None:
        return SparseSchema(known.kind, max(known.n_features, met.n_features)), rows
    number = {name: i for i, name in enumerate(known.named)}
    places = np.array([number.setdefault(name, len(number)) for name in met.named], np.int32)
    moved = SparseRows.from_entries(rows.data, places[rows.indices], rows.indptr, len(number))
    return SparseSchema(known.kind, len(number), list(number)), moved
