"""Picture files: checks of the name, the size and the options, and drawing."""

from __future__ import annotations

import logging
import os
import re
import warnings
from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.frame.destinations import check_destination
from rosenblatt.cli.plot.plot_kinds import FILMS, KINDS, PICTURES, listed_or

if TYPE_CHECKING:
    from rosenblatt.plot.display import Display

MAX_DOTS = 100_000_000
DRAWN_IN_DOTS = ("png", "gif", "mp4")


class Sides(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.2
    """Type of a size such as 6x4: two numbers, each from ``least`` to ``most``."""

    def __init__(self, name: str, kind: type[float], least: float, most: float, what: str) -> None:
        self.name = name
        self.kind = kind
        self.least = least
        self.most = most
        self.what = what

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        number = r"(\d+)" if self.kind is int else r"(\d+(?:\.\d+)?)"
        found = re.fullmatch(f"{number}[x×*]{number}", str(value))
        sides = [self.kind(side) for side in found.groups()] if found else [self.least - 1]
        if not all(self.least <= side <= self.most for side in sides):
            self.fail(f"'{value}': give {self.what}.", param, ctx)
        return tuple(sides)


INCHES = Sides("WxH", float, 0.5, 100.0, "width and height in inches, 0.5 to 100 each, as 6x4")
PIXELS = Sides("HxW", int, 1, 999_999, "height and width in pixels, as 28x28")


def ending_of(
    path: str,
    allowed: tuple[str, ...] = PICTURES,
    what: str = "a picture",
    *,
    option: str = "--out",
) -> str:
    """Return the extension of a file name; raise if it is not allowed."""
    ending = os.path.splitext(path)[1].lower().lstrip(".")
    if ending not in allowed:
        endings = listed_or([f".{one}" for one in allowed])
        hint = ""
        if ending == "html" and allowed == FILMS:
            hint = (
                " To play a run in a browser, use rosenblatt studio FILE; with --out it writes a "
                "page."
            )
        raise click.UsageError(f"{option} {path}: {what} ends in {endings}.{hint}")
    return ending


def check_picture(option: str, path: str, inputs: Iterable[str]) -> None:
    """Raise if the picture of an option cannot be written to its path, or drawn at all."""
    check_destination(option, path, inputs, "data or the model")
    ending_of(path, option=option)
    require_drawing(path)


def require_drawing(out: str = "") -> None:
    """Raise before any work is done if Matplotlib, or ffmpeg for an MP4, is not installed."""
    # Its messages about its caches do not concern the user.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    import_module("rosenblatt.plot.pen").load_matplotlib()
    if out.lower().endswith(".mp4"):
        import_module("rosenblatt.plot.animate").find_ffmpeg()


def checked_out(
    kind: str,
    out: str | None,
    inputs: Iterable[str],
    size: tuple[float, float] | None,
    dpi: int | None,
) -> str:
    """Return the path of the picture; raise if it is unusable or an option does not apply to it."""
    allowed = KINDS[kind].endings
    if out is None:
        raise click.UsageError(f"say where to write with -o, as -o {kind}.{allowed[0]}")
    check_destination("--out", out, inputs, "data or the model")
    ending = ending_of(out, allowed, "a film" if kind == "animate" else "a picture")
    if dpi is not None and ending not in DRAWN_IN_DOTS:
        raise click.UsageError(f"--dpi has no meaning for .{ending}, which has no dots.")
    dots = 0.0 if size is None else size[0] * size[1] * (dpi or 150) ** 2
    if ending in DRAWN_IN_DOTS and dots > MAX_DOTS:
        raise click.UsageError(
            f"--size and --dpi make {dots / 1e6:,.0f} million dots; "
            f"{MAX_DOTS / 1e6:.0f} million are the most."
        )
    return out


def draw(
    picture: Display, out: str, theme: str, size: tuple[float, float] | None, dpi: int | None
) -> None:
    given: dict[str, Any] = {} if dpi is None else {"dpi": dpi}
    with warnings.catch_warnings():
        # Raised before the file is written, which therefore stays unchanged.
        warnings.filterwarnings("error", message="constrained_layout not applied")
        try:
            picture.save(out, theme=theme, size=size, **given)
        except UserWarning:
            if size is None:
                raise
            raise click.UsageError(
                f"--size {size[0]:g}x{size[1]:g} is too small for this picture."
            ) from None
