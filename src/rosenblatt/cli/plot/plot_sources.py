"""What a picture is drawn from: the learner of a file, and rows or sentences beside it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.models import Model
from rosenblatt.cli.data.reading import Reading, named
from rosenblatt.cli.frame.options import said
from rosenblatt.cli.frame.terminal import say

if TYPE_CHECKING:
    from rosenblatt.features import AnySchema

__all__ = ["Rows", "Sentences", "read_rows", "read_sentences"]

OF_ROWS = ("no_header", "delimiter", "missing", "max_features")


@dataclass
class Rows:
    """Features and labels of DATA, and what made features of it."""

    X: Any
    y: Any
    schema: AnySchema
    name: str


@dataclass
class Sentences:
    """Sentences of DATA with their tags."""

    sentences: list[Any]
    tags: list[list[str]]
    name: str


def read_rows(found: Model, reading: Reading, paths: Sequence[str], *, quiet: bool) -> Rows:
    """All rows of DATA with their labels, as the model takes them."""
    import numpy as np

    from rosenblatt.arrays import SparseRows
    from rosenblatt.errors import DataError
    from rosenblatt.features import UnseenValues

    unseen, parts, labels = UnseenValues(), list[Any](), list[Any]()
    schema: AnySchema | None = None
    with closing(found.blocks(reading, paths, labelled=True)) as blocks:
        for known, block in blocks:
            schema = schema or known
            parts.append(unseen.encode(schema, block))
            labels += block.labels.tolist()
    if schema is None or not labels:
        raise DataError("there is no row", name=named(paths), cures="give a file with rows in it")
    if not quiet:
        say((f"notice: {line}" for line in unseen.describe()), err=True)
    X = SparseRows.concat(parts) if isinstance(parts[0], SparseRows) else np.vstack(parts)
    return Rows(X, labels, schema, named(paths))


def read_sentences(found: Model, reading: Reading, paths: Sequence[str]) -> Sentences:
    """All sentences of DATA with their tags; --target is their column."""
    from rosenblatt.cli.tag.tag_models import layout_of
    from rosenblatt.cli.tag.tag_reading import FORMATS, SentenceReading

    for name in OF_ROWS:
        if said(name):
            raise click.UsageError(f"--{name.replace('_', '-')} has no meaning for sentences.")
    if reading.kind is not None and reading.kind not in FORMATS:
        raise click.UsageError(f"--format {reading.kind} has no meaning for sentences.")
    sentences = SentenceReading(
        target=reading.target,
        kind=reading.kind,
        encoding=reading.encoding,
        on_bad=reading.on_bad,
        max_line_bytes=reading.max_line_bytes,
    )
    block = sentences.reader(paths, layout_of(found), labelled=True).whole()
    return Sentences(block.sentences, block.tags or [], named(paths[:1]))
