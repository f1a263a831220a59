"""The pictures of a model: for each kind the function that draws it.

This module is imported only when a picture is drawn, since it imports all that pictures need.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click
import numpy as np

import rosenblatt
from rosenblatt import plot
from rosenblatt.arrays import SparseRows
from rosenblatt.cli.data.models import Model
from rosenblatt.cli.data.reading import Reading, named
from rosenblatt.cli.frame.options import said
from rosenblatt.cli.frame.terminal import say_notices
from rosenblatt.cli.plot.plot_kinds import KINDS
from rosenblatt.cli.tag.tag_reading import SentenceReading, layout_of
from rosenblatt.errors import DataError, InputError
from rosenblatt.geometry import augment
from rosenblatt.inspection.report import report
from rosenblatt.tables.features.column_kinds import Number
from rosenblatt.tables.features.schemas import UnseenValues
from rosenblatt.tables.readers.formats import SENTENCES, names_of

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyFloatArray
    from rosenblatt.plot.display import Display
    from rosenblatt.tables.features.schemas import AnySchema

OF_ROWS = ("no_header", "delimiter", "decimal", "thousands", "missing", "max_features")


@dataclass
class Examples:
    """The examples of DATA: encoded rows with labels or, for a tagger, sentences with tags."""

    X: Any = None
    y: Any = None
    name: str = ""
    schema: AnySchema | None = None


def read_examples(
    found: Model | None, reading: Reading, paths: Sequence[str], *, quiet: bool
) -> Examples:
    """Read all examples of DATA; return empty `Examples` if there is no model or no file."""
    if found is None or not paths:
        return Examples()
    if found.tags_sentences:
        return _sentences(found, reading, paths)
    return _rows(found, reading, paths, quiet=quiet)


def _rows(found: Model, reading: Reading, paths: Sequence[str], *, quiet: bool) -> Examples:
    unseen = UnseenValues()
    parts = list[Any]()
    labels = list[Any]()
    schema: AnySchema | None = None
    with closing(found.blocks(reading, paths, labelled=True)) as blocks:
        for known, block in blocks:
            schema = schema or known
            parts.append(unseen.encode(schema, block))
            labels += block.labels.tolist()
    if not labels:
        raise DataError("there is no row", name=named(paths), cures="give a file with rows in it")
    if not quiet:
        say_notices(unseen.describe())
    X = SparseRows.concat(parts) if isinstance(parts[0], SparseRows) else np.vstack(parts)
    return Examples(X, labels, named(paths), schema)


def _sentences(found: Model, reading: Reading, paths: Sequence[str]) -> Examples:
    """Read tagged sentences; ``--target`` is the column of the tags."""
    for name in OF_ROWS:
        if said(name):
            raise click.UsageError(f"--{name.replace('_', '-')} has no meaning for sentences.")
    if reading.kind is not None and reading.kind not in names_of(SENTENCES):
        raise click.UsageError(f"--format {reading.kind} has no meaning for sentences.")
    shared = ("target", "kind", "encoding", "on_bad", "max_line_bytes")
    sentences = SentenceReading(**{name: getattr(reading, name) for name in shared})
    block = sentences.reader(paths, layout_of(found), labelled=True).whole()
    return Examples(block.sentences, block.tags or [], named(paths[:1]))


@dataclass
class PictureRequest:
    """A requested picture: its kind, the model, the examples and the options."""

    kind: str
    model: Model | None
    examples: Examples
    options: dict[str, Any]

    @property
    def found(self) -> Model:
        """Return the model; only the picture of losses has none."""
        assert self.model is not None
        return self.model

    @property
    def learner(self) -> Any:
        return self.found.learner

    def picture(self) -> Display:
        made: Display = PICTURES[self.kind](self)
        return made

    def options_set(self) -> dict[str, Any]:
        """Return the options of the picture that are set; the others have their own defaults."""
        names = KINDS[self.kind].options
        return {name: self.options[name] for name in names if self.options[name] is not None}

    @property
    def X(self) -> Any:
        return self.examples.X

    @property
    def y(self) -> Any:
        return self.examples.y

    @cached_property
    def ledger(self) -> Any:
        """Return the ledger; raise if DATA are not the rows that it was recorded on."""
        ledger = self.learner.ledger_
        labels = self.y
        name = self.examples.name
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


# ---------------------------------------------------------------------- in the plane


def _in_plane(request: PictureRequest) -> Any:
    note = _name_features(request)
    draw: Callable[..., Any] = getattr(plot, request.kind)
    made = draw(request.learner, request.X, request.y, **request.options_set())
    made.caption += note
    return made


def _run(request: PictureRequest) -> Any:
    _ = request.ledger  # raises early if DATA are other rows
    made = _in_plane(request)
    made.titles = tuple(map(_counted_from_one, made.titles))
    return made


def _counted_from_one(title: str) -> str:
    """Return a title with its row counted from 1, as in the shell; Python counts from 0."""
    return re.sub(r"\brow (\d+)", lambda found: f"row {int(found[1]) + 1}", title, count=1)


def _name_features(request: PictureRequest) -> str:
    """Set the feature names of the learner, and return a note on the scaling of numbers."""
    n = request.found.state.n_features
    schema = request.found.schema if request.found.has_schema else request.examples.schema
    if schema is None:
        return ""
    scaled = {
        column.name: column
        for column in schema.columns
        if isinstance(column, Number) and (column.center, column.scale) != (0.0, 1.0)
    }
    names = schema.names(range(n))
    if n <= 2:
        names = [f"{name}, scaled" if name in scaled else name for name in names]
    # A bare number as a name would look like a factor.
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
    X = request.X.toarray() if hasattr(request.X, "toarray") else request.X
    if not np.allclose(X[:, 2], X[:, 0] * X[:, 1], rtol=1e-9, atol=1e-12):
        raise InputError(
            "a lift shows rows of which the third column is the product of the first two; here "
            "it is not. Train with --no-scale, as scaled columns have another product."
        )
    return plot.lift(request.learner, X[:, :2], request.y)


# ---------------------------------------------------------------------- curves and tables


def _proof(request: PictureRequest) -> Display:
    try:
        trace = rosenblatt.theory.proof(request.ledger, request.X, separator=_separator(request))
    except rosenblatt.theory.ProofViolation as error:
        raise InputError(
            f"the run does not fit these rows ({error}); give the data the model was trained on."
        ) from None
    return plot.proof(trace)


def _separator(request: PictureRequest) -> tuple[AnyFloatArray, float] | None:
    """Return the max-margin separator of two classes; None if there is none, or more classes."""
    theory = rosenblatt.theory
    classes = request.ledger.classes
    has_bias = request.found.state.card.model.fit_intercept
    if len(classes) != 2:
        return None
    # The theorem is about rows with a 1 appended for the bias.
    X = augment(request.X) if has_bias else request.X
    signs = [1 if label == classes[1] else -1 for label in request.y]
    if len(set(signs)) < 2 or not theory.separability(X, signs, fit_intercept=False).separable:
        return None
    u = theory.max_margin(X, signs, fit_intercept=False).hyperplane.w
    return (u[:-1], u[-1]) if has_bias else (u, 0.0)


def _weights(request: PictureRequest) -> Display:
    n = request.found.state.n_features
    shape = request.options["shape"]
    if shape is not None and shape[0] * shape[1] != n:
        raise click.UsageError(
            f"--shape {shape[0]}x{shape[1]} has {shape[0] * shape[1]:,} pixels, but the model has "
            f"{n:,} features."
        )
    return plot.weights(request.learner, **request.options_set())


def _confusion(request: PictureRequest) -> Display:
    if request.found.tags_sentences:
        return plot.confusion(request.learner, request.X, request.y)
    predicted = request.found.predict(request.X)
    return plot.confusion(report(request.y, predicted, classes=request.found.classes))


def _reliability(request: PictureRequest) -> Display:
    found = request.found
    shares = request.found.probabilities(request.X)
    predicted = found.predict(request.X)
    return plot.reliability(report(request.y, predicted, found.classes, probabilities=shares))


def _score_curves(request: PictureRequest) -> Display:
    found = request.found
    predicted, scores, shares = found.outputs(request.X, None)
    judged = report(request.y, predicted, found.classes, scores=scores, probabilities=shares)
    return plot.score_curves(judged)


def _orders(request: PictureRequest) -> Display:
    settings = {**request.learner.get_params(), "record": False, "verbose": 0}
    make = type(request.learner)
    n_orders = request.options["orders"] or 50
    study = rosenblatt.theory.order_study(make(**settings), request.X, request.y, n_orders=n_orders)
    with warnings.catch_warnings():  # the stop reason of each run is not of interest here
        warnings.simplefilter("ignore")
        in_file_order = make(**{**settings, "shuffle": False}).fit(request.X, request.y)
    return plot.orders(study, file_order=in_file_order)


def _tag_path(request: PictureRequest) -> Display:
    if request.X is None:
        return plot.tag_path(request.learner, request.options["sentence"].split())
    row = request.options["row"] or 1
    n = len(request.X)
    if row > n:
        raise InputError(f"there is no sentence {row:,}: {request.examples.name} has {n:,}.")
    return plot.tag_path(request.learner, request.X[row - 1], request.y[row - 1])


PICTURES: dict[str, Callable[[PictureRequest], Display]] = {
    **dict.fromkeys(("boundary", "regions", "kernel_boundary"), _in_plane),
    **dict.fromkeys(("updates", "animate"), _run),
    "mistakes": lambda request: plot.mistakes(request.learner),
    "vote": lambda request: plot.vote(request.learner),
    "losses": lambda _: plot.losses(),
    "lift": _lift,
    "proof": _proof,
    "weights": _weights,
    "confusion": _confusion,
    "reliability": _reliability,
    "score_curves": _score_curves,
    "orders": _orders,
    "tag_path": _tag_path,
}
