"""The pictures of a model: for each kind the call that makes it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.data.models import Model
from rosenblatt.cli.plot.plot_kinds import KINDS
from rosenblatt.cli.plot.plot_sources import Rows, Sentences
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.plot.display import Display

__all__ = ["Asked", "picture_of"]


@dataclass
class Asked:
    """A fitted learner, what is beside it, and the options of its picture."""

    learner: Any
    found: Model | None
    rows: Rows | None
    sentences: Sentences | None
    options: dict[str, Any]

    def given(self, *names: str) -> dict[str, Any]:
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


def picture_of(kind: str, asked: Asked) -> Display:
    made: Display = PICTURES[kind](asked)
    return made


# ---------------------------------------------------------------------- in the plane


def _in_plane(kind: str) -> Callable[[Asked], Any]:
    def picture(asked: Asked) -> Any:
        from rosenblatt import plot

        if kind in ("updates", "animate"):
            _ = asked.ledger  # to say in good time that these are other rows
        note = _name_features(asked)
        options = asked.given(*KINDS[kind].options)
        made: Any = getattr(plot, kind)(asked.learner, asked.X, asked.y, **options)
        made.caption += note
        if kind in ("updates", "animate"):
            made.titles = tuple(map(_counted_from_one, made.titles))
        return made

    return picture


def _counted_from_one(title: str) -> str:
    """Rows as the shell counts them; Python counts from 0."""
    return re.sub(r"\brow (\d+)", lambda found: f"row {int(found[1]) + 1}", title, count=1)


def _name_features(asked: Asked) -> str:
    """Give the learner the names of its features; say how numbers were scaled."""
    import numpy as np

    found = asked.found
    assert found is not None
    n = found.state.n_features
    schema = found.schema if found.has_schema else None if asked.rows is None else asked.rows.schema
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
    asked.learner.feature_names_in_ = np.array(names, dtype=object)
    if not scaled:
        return ""
    if n > 2:
        return " Numbers are scaled as in training."
    told = ", ".join(
        f"{column.center:.4g} and {column.center + column.scale:.4g} of {name}"
        for name, column in scaled.items()
    )
    return f" Scaled as in training: 0 and 1 stand for {told}."


def _lift(asked: Asked) -> Display:
    import numpy as np

    from rosenblatt import plot

    X = asked.X.toarray() if hasattr(asked.X, "toarray") else asked.X
    if not np.allclose(X[:, 2], X[:, 0] * X[:, 1], rtol=1e-9, atol=1e-12):
        raise InputError(
            "a lift shows rows of which the third column is the product of the first two; here "
            "it is not. Train with --no-scale, as scaled columns have another product."
        )
    return plot.lift(asked.learner, X[:, :2], asked.y)


# ---------------------------------------------------------------------- curves and tables


def _proof(asked: Asked) -> Display:
    from rosenblatt import plot
    from rosenblatt.theory.proof import ProofViolation, proof

    try:
        trace = proof(asked.ledger, asked.X, separator=_separator(asked))
    except ProofViolation as error:
        raise InputError(
            f"the run does not fit these rows ({error}); give the data the model was trained on."
        ) from None
    return plot.proof(trace)


def _separator(asked: Asked) -> Any:
    """The best separator of two classes; None if the rows have none, or there are more classes."""
    from rosenblatt.geometry import augment
    from rosenblatt.theory.margin import max_margin
    from rosenblatt.theory.separability import separability

    assert asked.found is not None
    classes, has_bias = asked.ledger.classes, asked.found.state.card.model.fit_intercept
    if len(classes) != 2:
        return None
    # The theorem is about the rows with a 1 at their end.
    X = augment(asked.X) if has_bias else asked.X
    signs = [1 if label == classes[1] else -1 for label in asked.y]
    if len(set(signs)) < 2 or not separability(X, signs, fit_intercept=False).separable:
        return None
    u = max_margin(X, signs, fit_intercept=False).hyperplane.w
    return (u[:-1], u[-1]) if has_bias else (u, 0.0)


def _mistakes(asked: Asked) -> Display:
    from rosenblatt import plot

    return plot.mistakes(asked.learner)


def _weights(asked: Asked) -> Display:
    from rosenblatt import plot

    assert asked.found is not None
    n = asked.found.state.n_features
    shape = asked.options["shape"]
    if shape is not None and shape[0] * shape[1] != n:
        raise click.UsageError(
            f"--shape {shape[0]}x{shape[1]} has {shape[0] * shape[1]:,} pixels, but the model has "
            f"{n:,} features."
        )
    return plot.weights(asked.learner, **asked.given("top", "shape"))


def _vote(asked: Asked) -> Display:
    from rosenblatt import plot

    return plot.vote(asked.learner)


def _confusion(asked: Asked) -> Display:
    from rosenblatt import plot
    from rosenblatt.evaluate import report

    assert asked.found is not None
    if asked.sentences is not None:
        return plot.confusion(asked.learner, asked.sentences.sentences, asked.sentences.tags)
    predicted = asked.found.predict(asked.X)
    return plot.confusion(report(asked.y, predicted, classes=asked.found.classes))


def _orders(asked: Asked) -> Display:
    import rosenblatt

    settings = {**asked.learner.get_params(), "record": False, "verbose": 0}
    make = type(asked.learner)
    study = rosenblatt.theory.order_study(
        make(**settings), asked.X, asked.y, n_orders=asked.options["orders"] or 50
    )
    with warnings.catch_warnings():  # how each run ended is no news here
        warnings.simplefilter("ignore")
        in_file_order = make(**{**settings, "shuffle": False}).fit(asked.X, asked.y)
    return rosenblatt.plot.orders(study, file_order=in_file_order)


def _tag_path(asked: Asked) -> Display:
    from rosenblatt import plot

    if asked.sentences is None:
        return plot.tag_path(asked.learner, asked.options["sentence"].split())
    row, n = asked.options["row"] or 1, len(asked.sentences.sentences)
    if row > n:
        raise InputError(f"there is no sentence {row:,}: {asked.sentences.name} has {n:,}.")
    return plot.tag_path(
        asked.learner, asked.sentences.sentences[row - 1], asked.sentences.tags[row - 1]
    )


def _losses(_: Asked) -> Display:
    from rosenblatt import plot

    return plot.losses()


PICTURES: dict[str, Callable[[Asked], Any]] = {
    **{
        kind: _in_plane(kind)
        for kind in ("boundary", "regions", "kernel_boundary", "updates", "animate")
    },
    "lift": _lift,
    "mistakes": _mistakes,
    "proof": _proof,
    "weights": _weights,
    "vote": _vote,
    "confusion": _confusion,
    "orders": _orders,
    "tag_path": _tag_path,
    "losses": _losses,
}
