"""The pictures of a model: for each kind the call that makes it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.models import Model
from rosenblatt.cli.data.reading import Reading, named
from rosenblatt.cli.frame.options import said
from rosenblatt.cli.frame.terminal import say_notices
from rosenblatt.cli.plot.plot_kinds import KINDS
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.features import AnySchema
    from rosenblatt.plot.display import Display

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
        say_notices(unseen.describe())
    X = SparseRows.concat(parts) if isinstance(parts[0], SparseRows) else np.vstack(parts)
    return Rows(X, labels, schema, named(paths))


def read_sentences(found: Model, reading: Reading, paths: Sequence[str]) -> Sentences:
    """All sentences of DATA with their tags; --target is their column."""
    from rosenblatt.cli.tag.tag_reading import FORMATS, SentenceReading, layout_of

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


@dataclass
class PictureRequest:
    """A fitted learner, what is beside it, and the options of its picture."""

    learner: Any
    found: Model | None
    rows: Rows | None
    sentences: Sentences | None
    options: dict[str, Any]

    def options_set(self, *names: str) -> dict[str, Any]:
        """The options that were said; the pictures know what they do without."""
        return {name: self.options[name] for name in names if self.options[name] is not None}

    @property
    def X(self) -> Any:
        return None if self.rows is None else self.rows.X

    @property
    def y(self) -> Any:
        return None if self.rows is None else self.rows.y

    @cached_property
    def ledger(self) -> Any:
        """The record of the run, if DATA are the rows that it was about."""
        assert self.found is not None
        assert self.rows is not None
        ledger, labels, name = self.learner.ledger_, self.rows.y, self.rows.name
        rows = ledger.entries.row
        advice = "give the data the model was trained on, in order."
        if rows.max(initial=-1) >= len(labels):
            raise InputError(
                f"{name} has {len(labels):,} rows, but an update of {self.found.path} was on row "
                f"{int(rows.max()) + 1:,}; {advice}"
            )
        for row, right in zip(rows.tolist(), ledger.entries.y_true.tolist(), strict=True):
            if labels[row] != ledger.classes[right]:
                raise InputError(
                    f"row {row + 1:,} of {name} is labelled {labels[row]}, but {self.found.path} "
                    f"learned it as {ledger.classes[right]}; {advice}"
                )
        return ledger


def picture_of(kind: str, request: PictureRequest) -> Display:
    made: Display = PICTURES[kind](request)
    return made


# ---------------------------------------------------------------------- in the plane


def _in_plane(kind: str) -> Callable[[PictureRequest], Any]:
    def picture(request: PictureRequest) -> Any:
        from rosenblatt import plot

        if kind in ("updates", "animate"):
            _ = request.ledger  # to say in good time that these are other rows
        note = _name_features(request)
        options = request.options_set(*KINDS[kind].options)
        made: Any = getattr(plot, kind)(request.learner, request.X, request.y, **options)
        made.caption += note
        if kind in ("updates", "animate"):
            made.titles = tuple(map(_counted_from_one, made.titles))
        return made

    return picture


def _counted_from_one(title: str) -> str:
    """Rows as the shell counts them; Python counts from 0."""
    return re.sub(r"\brow (\d+)", lambda found: f"row {int(found[1]) + 1}", title, count=1)


def _name_features(request: PictureRequest) -> str:
    """Give the learner the names of its features; say how numbers were scaled."""
    import numpy as np

    found = request.found
    assert found is not None
    n = found.state.n_features
    schema = (
        found.schema if found.has_schema else None if request.rows is None else request.rows.schema
    )
    if schema is None:
        return ""
    columns = getattr(schema, "columns", ())
    scaled = {
        column.name: column
        for column in columns
        if column.kind == "number" and (column.center, column.scale) != (0.0, 1.0)
    }
    names = schema.names(range(n))
    if n <= 2:
        names = [f"{name}, scaled" if name in scaled else name for name in names]
    # A bare number would be read as one more factor.
    names = [f"column {name}" if name.isdecimal() else name for name in names]
    request.learner.feature_names_in_ = np.array(names, dtype=object)
    if not scaled:
        return ""
    if n > 2:
        return " Numbers are scaled as in training."
    scales = ", ".join(
        f"{column.center:.4g} and {column.center + column.scale:.4g} of {name}"
        for name, column in scaled.items()
    )
    return f" Scaled as in training: 0 and 1 stand for {scales}."


def _lift(request: PictureRequest) -> Display:
    import numpy as np

    from rosenblatt import plot

    X = request.X.toarray() if hasattr(request.X, "toarray") else request.X
    if not np.allclose(X[:, 2], X[:, 0] * X[:, 1], rtol=1e-9, atol=1e-12):
        raise InputError(
            "a lift shows rows of which the third column is the product of the first two; here "
            "it is not. Train with --no-scale, as scaled columns have another product."
        )
    return plot.lift(request.learner, X[:, :2], request.y)


# ---------------------------------------------------------------------- curves and tables


def _proof(request: PictureRequest) -> Display:
    from rosenblatt import plot
    from rosenblatt.theory.proof import ProofViolation, proof

    try:
        trace = proof(request.ledger, request.X, separator=_separator(request))
    except ProofViolation as error:
        raise InputError(
            f"the run does not fit these rows ({error}); give the data the model was trained on."
        ) from None
    return plot.proof(trace)


def _separator(request: PictureRequest) -> Any:
    """The best separator of two classes; None if the rows have none, or there are more classes."""
    from rosenblatt.geometry import augment
    from rosenblatt.theory.margin import max_margin
    from rosenblatt.theory.separability import separability

    assert request.found is not None
    classes, has_bias = request.ledger.classes, request.found.state.card.model.fit_intercept
    if len(classes) != 2:
        return None
    # The theorem is about the rows with a 1 at their end.
    X = augment(request.X) if has_bias else request.X
    signs = [1 if label == classes[1] else -1 for label in request.y]
    if len(set(signs)) < 2 or not separability(X, signs, fit_intercept=False).separable:
        return None
    u = max_margin(X, signs, fit_intercept=False).hyperplane.w
    return (u[:-1], u[-1]) if has_bias else (u, 0.0)


def _weights(request: PictureRequest) -> Display:
    from rosenblatt import plot

    assert request.found is not None
    n = request.found.state.n_features
    shape = request.options["shape"]
    if shape is not None and shape[0] * shape[1] != n:
        raise click.UsageError(
            f"--shape {shape[0]}x{shape[1]} has {shape[0] * shape[1]:,} pixels, but the model has "
            f"{n:,} features."
        )
    return plot.weights(request.learner, **request.options_set("top", "shape"))


def _confusion(request: PictureRequest) -> Display:
    from rosenblatt import plot
    from rosenblatt.evaluate import report

    assert request.found is not None
    if request.sentences is not None:
        return plot.confusion(request.learner, request.sentences.sentences, request.sentences.tags)
    predicted = request.found.predict(request.X)
    return plot.confusion(report(request.y, predicted, classes=request.found.classes))


def _orders(request: PictureRequest) -> Display:
    import rosenblatt

    settings = {**request.learner.get_params(), "record": False, "verbose": 0}
    make = type(request.learner)
    study = rosenblatt.theory.order_study(
        make(**settings), request.X, request.y, n_orders=request.options["orders"] or 50
    )
    with warnings.catch_warnings():  # how each run ended is no news here
        warnings.simplefilter("ignore")
        in_file_order = make(**{**settings, "shuffle": False}).fit(request.X, request.y)
    return rosenblatt.plot.orders(study, file_order=in_file_order)


def _tag_path(request: PictureRequest) -> Display:
    from rosenblatt import plot

    if request.sentences is None:
        return plot.tag_path(request.learner, request.options["sentence"].split())
    row, n = request.options["row"] or 1, len(request.sentences.sentences)
    if row > n:
        raise InputError(f"there is no sentence {row:,}: {request.sentences.name} has {n:,}.")
    return plot.tag_path(
        request.learner, request.sentences.sentences[row - 1], request.sentences.tags[row - 1]
    )


def _of_learner(kind: str) -> Callable[[PictureRequest], Any]:
    def picture(request: PictureRequest) -> Any:
        from rosenblatt import plot

        of = () if request.learner is None else (request.learner,)
        return getattr(plot, kind)(*of)

    return picture


PICTURES: dict[str, Callable[[PictureRequest], Any]] = {
    **{
        kind: _in_plane(kind)
        for kind in ("boundary", "regions", "kernel_boundary", "updates", "animate")
    },
    **{kind: _of_learner(kind) for kind in ("mistakes", "vote", "losses")},
    "lift": _lift,
    "proof": _proof,
    "weights": _weights,
    "confusion": _confusion,
    "orders": _orders,
    "tag_path": _tag_path,
}
