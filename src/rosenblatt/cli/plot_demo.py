"""The picture that the demo ends with."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.lines import say
from rosenblatt.cli.plot_files import require_drawing

if TYPE_CHECKING:
    from rosenblatt.plot.display import Display

__all__ = ["FILE", "Learned", "draw"]

FILE = "rosenblatt-demo.svg"
CAPTION = "rosenblatt demo, "
PIXELS = {"digits": (8, 8)}


@dataclass
class Learned:
    """What the pictures ask of a learner, and the rows held out with their labels."""

    coef_: Any
    intercept_: Any
    classes_: Any
    mistakes_per_epoch_: list[int]
    stop_reason_: str
    X: Any
    y: list[str]


def draw(data: str, learned: Learned, out: str | None) -> None:
    """Draw and say where; a demo goes without a picture rather than fail.

    Unless the user named the file, only a picture of an earlier demo is overwritten.
    """
    path = FILE if out is None else out
    if out is None and os.path.lexists(path) and not _is_ours(path):
        _go_without(f"there is another {path} here; --out FILE draws elsewhere")
        return
    try:
        require_drawing()
    except ImportError as error:
        _go_without(str(error).rstrip("."))
        return
    picture = _picture(data, learned)
    picture.caption = f"{CAPTION}{data}: {picture.caption}"
    try:
        picture.save(path)
    except OSError as error:
        if out is not None:
            raise
        _go_without(f"{error.strerror}: {path}; --out FILE draws elsewhere")
        return
    say([picture.caption, f"wrote {path}"])


def _go_without(reason: str) -> None:
    say([f"notice: no picture: {reason}"], err=True)


def _is_ours(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return f"<title>{CAPTION}".encode() in file.read(2000)
    except OSError:
        return False


def _picture(data: str, learned: Learned) -> Display:
    from rosenblatt import plot

    if data in PIXELS:
        return plot.weights(learned, shape=PIXELS[data])
    if len(learned.classes_) == 2:
        return plot.boundary(learned, learned.X, learned.y)
    return plot.mistakes({"averaged perceptron": learned})
