"""A state as the address of the page writes it after the #, read.

``#preset=xor&map=product&learner=perceptron,fit_intercept:no&at=2``; the page reads and writes the
same in ``web/state/address.js``.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from rosenblatt.studio.controls import controls_of
from rosenblatt.studio.states import COLUMNS, PageState, complete

NUMBERS = ("seed", "epochs", "held", "at")


def read_address(address: str) -> PageState:
    """The state of an address without what only the page sees, such as the steps it takes."""
    parts = [part.partition("=")[::2] for part in address.removeprefix("#").split("&")]
    named = dict(parts)
    state: dict[str, Any] = {
        name: int(named[name]) if name in NUMBERS else unquote(named[name])
        for name in ("map", "order", "view", *NUMBERS)
        if name in named
    }
    learners = [_learner(value) for name, value in parts if name == "learner"]
    if learners:
        state["learners"] = learners
    if "preset" in named:
        state["data"] = {"preset": unquote(named["preset"])}
    elif "rows" in named:
        state["data"] = _data(named)
    return complete(state)


def _data(named: dict[str, str]) -> dict[str, Any]:
    classes = [unquote(name) for name in named.get("classes", "").split(",")]
    columns = [unquote(name) for name in named.get("columns", ",".join(COLUMNS)).split(",")]
    cells = [row.split(",") for row in named["rows"].split(";")]
    rows = [[float(x), float(y), classes[int(place)]] for x, y, place in cells]
    return {"columns": columns, "rows": rows}


def _learner(text: str) -> dict[str, Any]:
    kind, *settings = text.split(",")
    learner: dict[str, Any] = {"kind": kind}
    for name, value in (setting.split(":") for setting in settings):
        if name == "initial":
            learner[name] = [float(number) for number in value.split("/")]
            continue
        option = controls_of(kind)[name]
        if option.kind == "flag":
            learner[name] = value != "no"
        elif option.optional and value == "none":
            learner[name] = None
        elif option.kind == "choice":
            learner[name] = unquote(value)
        else:
            learner[name] = int(value) if option.kind == "whole" else float(value)
    return learner
