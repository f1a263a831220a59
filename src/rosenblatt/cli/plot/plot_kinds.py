"""The kinds of pictures: what each shows, what it needs, and which models it fits."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.errors import ParameterError

if TYPE_CHECKING:
    from rosenblatt.cli.data.models import Model

PICTURES = ("svg", "pdf", "png")
FILMS = ("html", "gif", "mp4")
SUGGESTED = 4


@dataclass(frozen=True)
class Facts:
    """What of a model decides on its pictures.

    ``votes``: all its weight vectors answer. ``plain``: a perceptron in the sense of the theorem,
    which moves on mistakes alone and always as far. ``survival``: it knows how long each of
    its weight vectors lived.
    """

    classes: int
    features: int
    tags: bool
    kernel: bool
    votes: bool
    plain: bool
    survival: bool
    recorded: bool
    fitted: bool
    ties: str
    budget: bool

    @classmethod
    def of(cls, model: Model) -> Facts:
        card = model.state.card
        tags, kernel = model.state.family == "tags", model.state.family == "kernel"
        recorded = model.state.has_ledger and not tags
        return cls(
            classes=len(card.classes),
            features=0 if tags else model.state.n_features,
            tags=tags,
            kernel=kernel,
            votes=card.parameters.get("combine") == "vote" and not tags,
            plain=model.has_weights and model.learner.rule().counts_tell_all,
            survival=recorded or model.learner.keeps_rows,
            recorded=recorded,
            fitted=card.record.fit is not None,
            ties=str(card.parameters.get("ties")),
            budget=card.parameters.get("budget") is not None,
        )

    @property
    def linear(self) -> bool:
        """Whether one weight vector, or one for each class, gives the answers."""
        return not (self.tags or self.kernel or self.votes)


# ---------------------------------------------------------------------- what does not fit


def _boundary(model: Facts) -> str | None:
    if not model.linear:
        return "its classes are not divided by one line"
    if model.classes != 2:
        return f"it has {model.classes} classes, and a line divides two"
    return None


def _regions(model: Facts) -> str | None:
    if not model.linear:
        return "its classes are not divided by lines"
    return _plane(model, "regions are seen")


def _plane(model: Facts, what: str) -> str | None:
    if model.features > 2:
        return f"it has {model.features:,} features, and {what} in the plane of two"
    return None


def _kernel_boundary(model: Facts) -> str | None:
    if model.tags:
        return "it tags sentences"
    return _plane(model, "where predictions change is seen")


def _updates(model: Facts) -> str | None:
    if model.tags or model.kernel:
        return "its updates move no line"
    return _plane(model, "updates are seen") or _record(model)


def _record(model: Facts) -> str | None:
    return None if model.recorded else "it kept no record of its updates; train --record keeps one"


def _lift(model: Facts) -> str | None:
    if not model.linear or (model.classes, model.features) != (2, 3):
        return "a lift shows two classes learned from three columns: x, y and their product"
    return None


def _mistakes(model: Facts) -> str | None:
    return None if model.fitted else "it was not trained in epochs"


def _proof(model: Facts) -> str | None:
    if not model.plain:
        return "the proof is about the perceptron, which moves on mistakes alone and always as far"
    if model.classes > 2 and model.ties != "positive":
        return f"of its {model.classes} classes a tie raised one and lowered none, unlike the proof"
    return _record(model)


def _weights(model: Facts) -> str | None:
    if model.kernel:
        return "it predicts by its support rows"
    return "its weights have no names" if model.tags else None


def _vote(model: Facts) -> str | None:
    if model.tags:
        return "it does not vote"
    if model.kernel:
        return "a budget forgets how long its vectors lived" if model.budget else None
    if model.survival:
        return None
    return "it does not know how long its weights lived; train --learner voted or --record does"


def _orders(model: Facts) -> str | None:
    return "orders are tried with linear learners" if model.tags or model.kernel else None


def _tag_path(model: Facts) -> str | None:
    return None if model.tags else "it predicts rows, not sentences"


def _any(model: Facts) -> str | None:
    return None


# ---------------------------------------------------------------------- the kinds


@dataclass(frozen=True)
class Kind:
    """A picture. ``data`` is what it asks of DATA: no, may or must be there.

    ``misfit`` says why a model has no such picture; ``options`` are those that not all have.
    """

    about: str
    data: str
    misfit: Callable[[Facts], str | None]
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
        "the same as a film: .html, .gif or .mp4", "must", _updates, ("max_frames",), endings=FILMS
    ),
    "lift": Kind("two features lifted by their product, in 3-D", "must", _lift),
    "mistakes": Kind("mistakes by epoch, and how training ended", "no", _mistakes),
    "proof": Kind("the proof of convergence along a recorded run", "must", _proof),
    "weights": Kind(
        "the largest weights by name, or all as an image", "no", _weights, ("top", "shape")
    ),
    "vote": Kind("how long each weight vector lived", "no", _vote),
    "confusion": Kind("which class is taken for which", "must", _any),
    "orders": Kind("mistakes over many orders of the same rows", "must", _orders, ("orders",)),
    "tag_path": Kind(
        "the tags of a sentence beside the right ones", "may", _tag_path, ("row", "sentence")
    ),
    "losses": Kind("what a margin costs, by four losses; no MODEL", "no", _any),
}


class _KindName(click.Choice):  # type: ignore[type-arg]  # not generic before click 8.2
    """The name of a kind; - and _ are the same."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        name = str(value).lower().replace("-", "_")
        if name in KINDS:
            return name
        if os.path.isfile(value):
            said = f"'{value}' is a file; what to draw comes first, as rosenblatt plot weights."
        elif close := get_close_matches(name, KINDS, n=1):
            said = f"there is no '{value}'. Did you mean '{close[0]}'?"
        else:
            said = f"there is no '{value}'; rosenblatt plot --help lists all."
        raise click.BadParameter(said, ctx, param)


KIND = _KindName(list(KINDS))


def refuse_misfit(name: str, model: Model) -> None:
    """Say why a model has no such picture, and which it has."""
    facts = Facts.of(model)
    why = KINDS[name].misfit(facts)
    if why is None:
        return
    fitting = [
        other for other, kind in KINDS.items() if other != "losses" and kind.misfit(facts) is None
    ]
    # Sampled where an exact one is to be had is second best.
    if {"boundary", "regions"} & set(fitting) and "kernel_boundary" in fitting:
        fitting.remove("kernel_boundary")
    raise ParameterError(
        f"{model.path} has no {name}: {why}. Try {listed_or(_first(name, fitting))}."
    )


def _first(name: str, fitting: Sequence[str]) -> list[str]:
    """A few of those that fit, what is near to the one that was asked for in front."""
    near = (
        ("boundary", "regions", "kernel_boundary")
        if "boundary" in name or name == "regions"
        else ()
    )
    order = [*(one for one in near if one in fitting), "confusion", "weights", "mistakes"]
    chosen = [one for one in order if one in fitting]
    return [*chosen, *(one for one in fitting if one not in chosen)][:SUGGESTED]


def listed_or(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
