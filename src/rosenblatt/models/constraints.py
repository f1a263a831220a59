"""Which tag may follow which, so that no illegal sequence is ever predicted."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.checks import refusal
from rosenblatt.errors import (
    InputError,
    Item,
    Message,
    Notice,
    ParameterError,
    Setting,
    Value,
    shown,
)


class LeftOutSentences(Notice):
    """Sentences whose tags break the constraints, which nothing can be learned from."""


# For each kind of tag the kinds that may come before it, of the same type or ("*") of any.
SCHEMES: dict[str, dict[str, tuple[str, str]]] = {
    # kind: (kinds before it of the same type, kinds before it of any type, "^" is the beginning)
    "BIO": {"B": ("", "^OBI"), "I": ("BI", ""), "O": ("", "^OBI")},
    "BIOES": {
        "B": ("", "^OES"),
        "I": ("BI", ""),
        "O": ("", "^OES"),
        "E": ("BI", ""),
        "S": ("", "^OES"),
    },
}
# The kinds that may be the last of a sentence.
LAST = {"BIO": "BIO", "BIOES": "OES"}


def allowed_steps(constraints: Any, tags: list[str]) -> npt.NDArray[np.bool_] | None:
    """(tags + 2, tags): whether the tag of the column may follow that of the row.

    The last row but one is the beginning of a sentence, the last one is whether it may end there.
    """
    if constraints is None:
        return None
    if isinstance(constraints, str):
        if constraints not in SCHEMES:
            known = [part for name in (*SCHEMES, None) for part in (Value(name), ", ")]
            mapping = "or in Python a mapping of each tag to the tags that may follow it"
            raise refusal(
                "constraints", constraints, Message(*known, mapping), verdict="is not known"
            )
        return _by_scheme(constraints, tags)
    if not isinstance(constraints, Mapping):
        raise refusal("constraints", constraints, "the name of a scheme, or a mapping")
    return _by_mapping(constraints, tags)


def _by_scheme(name: str, tags: list[str]) -> npt.NDArray[np.bool_]:
    scheme = SCHEMES[name]
    kinds = []
    for tag in tags:
        kind, dash, kind_of = tag.partition("-")
        if kind not in scheme or (kind == "O") == bool(dash):
            others = ", ".join(f"{k}-TYPE" for k in scheme if k != "O")
            why = f": {tag!r} is no tag of this scheme, which has O and {others}."
            what = Message(Setting("constraints", name), why)
            raise ParameterError(what, where="constraints", found=name)
        kinds.append((kind, kind_of))
    found = np.zeros((len(tags) + 2, len(tags)), bool)
    for column, (kind, kind_of) in enumerate(kinds):
        same, any_type = scheme[kind]
        for row, (before, type_before) in enumerate([*kinds, ("^", "")]):
            found[row, column] = before in any_type or (before in same and type_before == kind_of)
        found[-1, column] = kind in LAST[name]
    return found


def _by_mapping(constraints: Mapping[Any, Iterable[str]], tags: list[str]) -> npt.NDArray[np.bool_]:
    """Tags that are not mentioned may be followed by all; None stands for the beginning."""
    found = np.ones((len(tags) + 2, len(tags)), bool)
    place = {tag: i for i, tag in enumerate(tags)} | {None: len(tags)}
    for tag, followers in constraints.items():
        if tag not in place or isinstance(followers, str) or not isinstance(followers, Iterable):
            raise ParameterError(
                f"constraints: {shown(tag)}: {shown(followers)}; give each tag (None: the "
                f"beginning) the list of tags that may follow. Tags are {', '.join(tags[:20])}."
            )
        names = list(followers)
        unknown = [name for name in names if name not in place or name is None]
        if unknown:
            what = f"constraints: {shown(unknown[0])} is no tag of the training data."
            raise ParameterError(what)
        found[place[tag]] = [name in names for name in tags]
    return found


def legal_sentences(
    allowed: npt.NDArray[np.bool_], gold: npt.NDArray[np.int32], starts: Any, tags: list[str]
) -> npt.NDArray[np.int64]:
    """Numbers of the training sentences that keep to the constraints; a warning tells of others."""
    before = np.concatenate([[len(tags)], gold[:-1]])
    before[starts[:-1]] = len(tags)
    ends = starts[1:] - 1
    bad = ~allowed[before, gold]
    cut_off = np.zeros(len(gold), bool)
    cut_off[ends] = ~allowed[-1, gold[ends]]
    illegal = np.unique(np.searchsorted(starts, np.flatnonzero(bad | cut_off), side="right")) - 1
    if not len(illegal):
        return np.arange(len(starts) - 1)
    first = int(illegal[0])
    place = int(starts[first] + np.argmax((bad | cut_off)[starts[first] :]))
    where = "at the end"
    if bad[place]:
        old = before[place]
        where = "at the beginning" if old == len(tags) else f"after {tags[old]!r}"
    what = f"{tags[gold[place]]!r} {where}, which the constraints do not allow"
    if len(illegal) == len(starts) - 1:
        raise InputError(
            f"{what}, and no other sentence keeps to them",
            where=Item("tags", first),
            cures=["fix the tags", Message("change ", Setting("constraints"))],
        )
    left_out = f"{len(illegal):,} of {len(starts) - 1:,} sentences"
    warnings.warn(
        LeftOutSentences(
            f"{what}. Left out of the training: {left_out}.", where=Item("tags", first)
        ),
        stacklevel=5,
    )
    return np.setdiff1d(np.arange(len(starts) - 1), illegal)
