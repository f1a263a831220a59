"""The kinds of pictures: what each shows, what it needs, and which models it fits."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.errors import ParameterError

if TYPE_CHECKING:
    from rosenblatt.cli.data.models import Model

PICTURES = ("svg", "pdf", "png")
FILMS = ("gif", "mp4")
SUGGESTED = 4


# ---------------------------------------------------------------------- what does not fit


def _predicts_linearly(model: Model) -> bool:
    """Return whether the model predicts by one weight vector per class, not by votes."""
    return model.has_weights and model.state.card.parameters.get("combine") != "vote"


def _boundary(model: Model) -> str | None:
    if not _predicts_linearly(model):
        return "its classes are not divided by one line"
    if len(model.classes) != 2:
        return f"it has {len(model.classes)} classes, and a line divides two"
    return None


def _regions(model: Model) -> str | None:
    if not _predicts_linearly(model):
        return "its classes are not divided by lines"
    return _plane(model, "regions are seen")


def _plane(model: Model, what: str) -> str | None:
    n_features = model.state.n_features
    if n_features > 2:
        return f"it has {n_features:,} features, and {what} in the plane of two"
    return None


def _kernel_boundary(model: Model) -> str | None:
    if model.tags_sentences:
        return "it tags sentences"
    return _plane(model, "where predictions change is seen")


def _updates(model: Model) -> str | None:
    if not model.has_weights:
        return "its updates move no line"
    return _plane(model, "updates are seen") or _why_no_record(model)


def _why_no_record(model: Model) -> str | None:
    kept = model.state.has_ledger
    return None if kept else "it kept no record of its updates; train --record keeps one"


def _lift(model: Model) -> str | None:
    sizes = len(model.classes), model.state.n_features
    if not _predicts_linearly(model) or sizes != (2, 3):
        return "a lift shows two classes learned from three columns: x, y and their product"
    return None


def _mistakes(model: Model) -> str | None:
    return None if model.state.card.record.fit is not None else "it was not trained in epochs"


def _proof(model: Model) -> str | None:
    # The theorem is about a perceptron: updates on mistakes only, all of the same length.
    if not (model.has_weights and model.learner.rule().counts_tell_all):
        return "the proof is about the perceptron, which moves on mistakes alone and always as far"
    n = len(model.classes)
    ties = model.state.card.parameters.get("ties")
    if n > 2 and ties != "positive":
        return f"of its {n} classes a tie raised one and lowered none, unlike the proof"
    return _why_no_record(model)


def _weights(model: Model) -> str | None:
    if model.state.family == "kernel":
        return "it predicts by its support rows"
    return "its weights have no names" if model.tags_sentences else None


def _vote(model: Model) -> str | None:
    if model.tags_sentences:
        return "it does not vote"
    if not model.has_weights:
        budget = model.state.card.parameters["budget"]
        return "a budget forgets how long its vectors lived" if budget is not None else None
    if model.state.has_ledger or model.learner.keeps_rows:
        return None
    return "it does not know how long its weights lived; train --learner voted or --record does"


def _reliability(model: Model) -> str | None:
    known = hasattr(model.learner, "calibration_")
    return None if known else "it has scores and no probabilities; train --calibrate fits them"


def _score_curves(model: Model) -> str | None:
    return "it tags sentences" if model.tags_sentences else None


def _orders(model: Model) -> str | None:
    return "orders are tried with linear learners" if not model.has_weights else None


def _tag_path(model: Model) -> str | None:
    return None if model.tags_sentences else "it predicts rows, not sentences"


def _any(model: Model) -> str | None:
    return None


# ---------------------------------------------------------------------- the kinds


@dataclass(frozen=True)
class Kind:
    """A kind of picture: its description, the data and the models it needs, and its options.

    ``data`` is "no", "may" or "must", depending on whether DATA are not used, optional or required.
    ``misfit`` returns the reason why a model has no such picture, or None; ``options`` are the
    options specific to some kinds; ``endings`` are the allowed file extensions.
    """

    about: str
    data: str
    misfit: Callable[[Model], str | None]
    options: tuple[str, ...] = ()
    endings: tuple[str, ...] = PICTURES


KINDS = {
    "boundary": Kind("the line between two classes, with w and the margin", "may", _boundary),
    "regions": Kind("where each of several classes is predicted", "must", _regions),
    "kernel_boundary": Kind(
        "where the predictions change, sampled; for kernels and votes", "must", _kernel_boundary
    ),
    "updates": Kind("the line before and after every update", "must", _updates, ("max_frames",)),
    "animate": Kind(
        "the same as an animation: .gif or .mp4", "must", _updates, ("max_frames",), endings=FILMS
    ),
    "lift": Kind("two features lifted by their product, in 3-D", "must", _lift),
    "mistakes": Kind("mistakes by epoch, and how training ended", "no", _mistakes),
    "proof": Kind("the proof of convergence along a recorded run", "must", _proof),
    "weights": Kind(
        "the largest weights by name, or all as an image", "no", _weights, ("top", "shape")
    ),
    "vote": Kind("how long each weight vector lived", "no", _vote),
    "confusion": Kind("the confusion matrix", "must", _any),
    "reliability": Kind("the calibration curve of probabilities", "must", _reliability),
    "score_curves": Kind("ROC and precision-recall curves", "must", _score_curves),
    "orders": Kind("mistakes over many orders of the same rows", "must", _orders, ("orders",)),
    "tag_path": Kind(
        "the tags of a sentence beside the right ones", "may", _tag_path, ("row", "sentence")
    ),
    "losses": Kind("what a margin costs, by four losses; no MODEL", "no", _any),
}


class _KindName(click.Choice):  # type: ignore[type-arg]  # not generic before click 8.2
    """Type of the argument KIND, which ignores case and accepts - for _."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        name = str(value).lower().replace("-", "_")
        if name in KINDS:
            return name
        from rosenblatt.checks import nearest_name

        if os.path.isfile(value):
            said = f"'{value}' is a file; what to draw comes first, as rosenblatt plot weights."
        elif meant := nearest_name(name, KINDS):
            said = f"there is no '{value}'. Did you mean '{meant}'?"
        else:
            said = f"there is no '{value}'; rosenblatt plot --help lists all."
        raise click.BadParameter(said, ctx, param)


KIND = _KindName(list(KINDS))


def refuse_misfit(name: str, model: Model) -> None:
    """Raise if a model has no such picture; the error says why and suggests others."""
    why = KINDS[name].misfit(model)
    if why is None:
        return
    fitting = [
        other for other, kind in KINDS.items() if other != "losses" and kind.misfit(model) is None
    ]
    # A sampled boundary is not worth suggesting where an exact one is possible.
    if {"boundary", "regions"} & set(fitting) and "kernel_boundary" in fitting:
        fitting.remove("kernel_boundary")
    raise ParameterError(
        f"{model.path} has no {name}: {why}. Try {listed_or(_first(name, fitting))}."
    )


def _first(name: str, fitting: Sequence[str]) -> list[str]:
    """Return a few of the fitting kinds, with those most like the requested one first."""
    divided = ("boundary", "regions", "kernel_boundary")
    order = [*(divided if name in divided else ()), "confusion", "weights", "mistakes", *fitting]
    return [one for one in dict.fromkeys(order) if one in fitting][:SUGGESTED]


def listed_or(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
