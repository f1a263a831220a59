"""The picture that the demo ends with."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.frame.terminal import say
from rosenblatt.cli.plot.plot_files import require_drawing

if TYPE_CHECKING:
    from rosenblatt.plot.display import Display

__all__ = ["FILE", "draw"]

FILE = "rosenblatt-demo.svg"
CAPTION = "rosenblatt demo, "
PIXELS = {"digits": (8, 8)}


def draw(data: str, learner: Any, X: Any, y: list[str], out: str | None) -> None:
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
    picture = _picture(data, learner, X, y)
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


def _picture(data: str, learner: Any, X: Any, y: list[str]) -> Display:
    from rosenblatt import plot

    if data in PIXELS:
        return plot.weights(learner, shape=PIXELS[data])
    if len(learner.classes_) == 2:
        return plot.boundary(learner, X, y)
    return plot.mistakes({"averaged perceptron": learner})
