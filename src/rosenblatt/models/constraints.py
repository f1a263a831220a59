"""Constraints on tags: which tag may follow which, so that no illegal sequence is predicted."""

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
    """Warning about sentences left out of training because their tags break the constraints."""


# For each kind of tag: the kinds that may come before it with the same type, and with any type. "^"
# is the beginning of a sentence.
SCHEMES: dict[str, dict[str, tuple[str, str]]] = {
    "BIO": {"B": ("", "^OBI"), "I": ("BI", ""), "O": ("", "^OBI")},
    "BIOES": {
        "B": ("", "^OES"),
        "I": ("BI", ""),
        "O": ("", "^OES"),
        "E": ("BI", ""),
        "S": ("", "^OES"),
    },
}
# The kinds of tag that may end a sentence.
LAST = {"BIO": "BIO", "BIOES": "OES"}


def allowed_steps(constraints: Any, tags: list[str]) -> npt.NDArray[np.bool_] | None:
    """Return a matrix (tags + 2, tags): whether the column's tag may follow the row's tag.

    The second to last row is for the beginning of a sentence, the last one says whether a sentence
    may end with the tag. The result is None if there are no constraints.
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
    """Return the transitions that a scheme such as BIO allows."""
    scheme = SCHEMES[name]
    kinds = []
    for tag in tags:
        # As in B-PER; only O has no type.
        kind, dash, type_of_tag = tag.partition("-")
        if kind not in scheme or (kind == "O") == bool(dash):
            others = ", ".join(f"{k}-TYPE" for k in scheme if k != "O")
            why = f": {tag!r} is no tag of this scheme, which has O and {others}."
            what = Message(Setting("constraints", name), why)
            raise ParameterError(what, where="constraints", found=name)
        kinds.append((kind, type_of_tag))

    found = np.zeros((len(tags) + 2, len(tags)), bool)
    for column, (kind, type_of_tag) in enumerate(kinds):
        after_same_type, after_any_type = scheme[kind]
        for row, (before, type_before) in enumerate([*kinds, ("^", "")]):
            is_same_type = type_before == type_of_tag
            found[row, column] = before in after_any_type or (
                before in after_same_type and is_same_type
            )
        found[-1, column] = kind in LAST[name]
    return found


def _by_mapping(constraints: Mapping[Any, Iterable[str]], tags: list[str]) -> npt.NDArray[np.bool_]:
    """Return the transitions that a mapping of tags to their followers allows.

    A tag that is not in the mapping may be followed by any tag; None stands for the beginning of a
    sentence.
    """
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
    """Return the indices of the sentences that satisfy the constraints; warn about the others.

    If no sentence satisfies them, InputError is raised.
    """
    before = np.concatenate([[len(tags)], gold[:-1]])
    before[starts[:-1]] = len(tags)
    ends = starts[1:] - 1
    is_bad_step = ~allowed[before, gold]
    is_bad_end = np.zeros(len(gold), bool)
    is_bad_end[ends] = ~allowed[-1, gold[ends]]
    is_bad = is_bad_step | is_bad_end
    illegal = np.unique(np.searchsorted(starts, np.flatnonzero(is_bad), side="right")) - 1
    if not len(illegal):
        return np.arange(len(starts) - 1)

    # The message names the first of them.
    first = int(illegal[0])
    place = int(starts[first] + np.argmax(is_bad[starts[first] :]))
    where = "at the end"
    if is_bad_step[place]:
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
