"""The learners and their settings that the page offers, as the catalogue and their classes say."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any

from rosenblatt.errors import ParameterError
from rosenblatt.estimators.catalogue import CATALOGUE, Entry, entries
from rosenblatt.estimators.params import LIMITS, Option, word_of
from rosenblatt.studio import fields

FAMILIES = ("linear", "kernel")
# Beyond these neither a picture nor a product of two values means much.
LARGEST = 1e6
LARGEST_WHOLE = 20
# The page's own engine does not scale weights.
NOT_LEARNED_BY_THE_PAGE = ("alma", "pegasos")
# A kernel of the rows among themselves cannot be worked out on a page.
NOT_ON_A_PAGE = ("precomputed",)


@cache
def kinds() -> dict[str, Entry]:
    """The learners by their short names; one of another package that does not load is left out."""
    return {
        entry.name: entry
        for entry in entries()
        if entry.family in FAMILIES
        and entry.name not in NOT_LEARNED_BY_THE_PAGE
        and (entry in CATALOGUE or _loads(entry))
    }


def _loads(entry: Entry) -> bool:
    try:
        entry.load()
    except Exception as error:  # whatever a package of somebody else may raise
        warnings.warn(f"{entry.import_path} does not load and is left out: {error}", stacklevel=2)
        return False
    return True


@cache
def controls_of(kind: str) -> Mapping[str, Option]:
    """The parameters of a learner that the page has controls for."""
    declared: dict[str, Option] = kinds()[kind].load().options()
    return {n: one for n, one in declared.items() if one.in_studio and one.kind != "other"}


def controls() -> list[dict[str, Any]]:
    """What the page needs to know of the learners to offer them."""
    return [
        {
            "kind": kind,
            "title": entry.title,
            "class_name": entry.class_name,
            "has_weights": entry.family == "linear",
            "fields": [_control(option) for option in controls_of(kind).values()],
        }
        for kind, entry in kinds().items()
    ]


def _control(option: Option) -> dict[str, Any]:
    """What is not said of a setting does not hold of it, and of its help the first sentence."""
    as_declared = ("name", "label", "kind", "default")
    limits = {limit: getattr(option, limit) for limit in LIMITS}
    choices = {"default": word_of(option.default), "choices": _words(option)}
    return {
        **{field: getattr(option, field) for field in as_declared},
        **{limit: value for limit, value in limits.items() if value is not None},
        **(choices if option.choices else {}),
        **({"optional": True} if option.optional else {}),
        "help": re.split(r"(?<=\.)\s", option.help)[0].replace("``", ""),
    }


def _words(option: Option) -> list[str]:
    return [word_of(choice) for choice in option.choices if choice not in NOT_ON_A_PAGE]


def complete_learner(name: str, given: Any) -> dict[str, Any]:
    """The settings of one learner with their gaps filled; an error names the first wrong one."""
    asked = fields.mapping(name, given)
    kind = fields.choice(f"{name}: kind", asked.get("kind", "perceptron"), *kinds())
    options = controls_of(kind)
    fields.refuse_unknown(name, asked, "kind", *options, "initial")
    learner: dict[str, Any] = {"kind": kind}
    for field, option in options.items():
        value = option.default if asked.get(field) is None else asked[field]
        learner[field] = _checked(f"{name}: {field}", value, option)
    initial = asked.get("initial")
    if initial is not None and kinds()[kind].family == "kernel":
        raise ParameterError(
            f"{name}: initial has weights, but a kernel learner has none to start from."
        )
    if initial is not None:
        most = fields.MOST_CLASSES * 6
        initial = fields.coordinates(f"{name}: initial", initial, least=1, most=most)
    return learner | {"initial": initial}


def _checked(name: str, value: Any, option: Option) -> Any:
    if value is None and option.optional:
        return None
    if option.kind == "flag":
        return fields.switch(name, value)
    if option.kind == "choice":
        return fields.choice(name, word_of(value), *_words(option))
    if option.kind == "whole":
        least = int(option.at_least or 0)
        return fields.whole(name, value, at_least=least, at_most=LARGEST_WHOLE)
    if option.kind == "number":
        lowest = -LARGEST if option.above is None and option.at_least is None else option.at_least
        most = LARGEST if option.at_most is None else option.at_most
        limits = {"above": option.above, "below": option.below}
        return fields.number(name, value, at_least=lowest, at_most=most, **limits)
    raise ParameterError(f"{name} has no control on the page.")
