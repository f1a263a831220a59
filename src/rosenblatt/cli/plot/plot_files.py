"""The file a picture goes to: its ending, its size, and how it is drawn."""

from __future__ import annotations

import logging
import os
import re
import shutil
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.frame.destinations import check_destination
from rosenblatt.cli.frame.options import said
from rosenblatt.cli.plot.plot_kinds import KINDS, PICTURES, listed_or

if TYPE_CHECKING:
    from rosenblatt.plot.display import Display

INCH_SIDES = (0.5, 100.0)
MOST_DOTS = 100_000_000
DRAWN_IN_DOTS = ("png", "gif", "mp4")


class Inches(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.2
    """Width and height, as 6x4 or 5.5x4.5."""

    name = "WxH"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = re.fullmatch(r"(\d+(?:\.\d+)?)[x×*](\d+(?:\.\d+)?)", str(value))
        least, most = INCH_SIDES
        if found is None or not all(least <= float(side) <= most for side in found.groups()):
            self.fail(
                f"'{value}': give width and height in inches, {least:g} to {most:g} each, as 6x4.",
                param,
                ctx,
            )
        return float(found[1]), float(found[2])


class Pixels(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.2
    """Height and width of an image, as 28x28."""

    name = "HxW"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = re.fullmatch(r"([1-9]\d{0,5})[x×*]([1-9]\d{0,5})", str(value))
        if found is None:
            self.fail(f"'{value}': give height and width in pixels, as 28x28.", param, ctx)
        return int(found[1]), int(found[2])


def ending_of(path: str, allowed: tuple[str, ...] = PICTURES, what: str = "a picture") -> str:
    """What a file is to become by its name."""
    ending = os.path.splitext(path)[1].lower().lstrip(".")
    if ending not in allowed:
        endings = listed_or([f".{one}" for one in allowed])
        raise click.UsageError(f"--out {path}: {what} ends in {endings}.")
    return ending


def require_drawing(ending: str = "svg") -> None:
    """Say what is missing before any work is done; a page is written without Matplotlib."""
    # It tells of its own caches, which is nothing to the user.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    if ending == "html":
        return
    import_module("rosenblatt.plot.pen").load_matplotlib()
    if ending == "mp4" and shutil.which("ffmpeg") is None:
        from rosenblatt.errors import MissingExtra

        raise MissingExtra(
            "an .mp4 is made by the program ffmpeg, which was not found",
            cures=["install it", "take .gif or .html"],
        )


@dataclass(frozen=True)
class Paper:
    """Where to draw, and how large."""

    out: str
    ending: str
    theme: str
    size: tuple[float, float] | None
    dpi: int | None

    @classmethod
    def checked(
        cls,
        kind: str,
        out: str | None,
        inputs: Iterable[str],
        *,
        theme: str,
        size: tuple[float, float] | None,
        dpi: int | None,
    ) -> Paper:
        """Refuse what cannot be written, or options that it would ignore."""
        allowed = KINDS[kind].endings
        if out is None:
            raise click.UsageError(f"say where to write with -o, as -o {kind}.{allowed[0]}")
        check_destination("--out", out, inputs, "data or the model")
        ending = ending_of(out, allowed, "a film" if kind == "animate" else "a picture")
        if dpi is not None and ending not in DRAWN_IN_DOTS:
            raise click.UsageError(f"--dpi has no meaning for .{ending}, which has no dots.")
        for name in ("size", "theme"):
            if ending == "html" and said(name):
                raise click.UsageError(f"--{name} has no meaning for .html: the reader decides.")
        if ending in DRAWN_IN_DOTS and size is not None:
            dots = size[0] * size[1] * (dpi or 150) ** 2
            if dots > MOST_DOTS:
                raise click.UsageError(
                    f"--size and --dpi make {dots / 1e6:,.0f} million dots; "
                    f"{MOST_DOTS / 1e6:.0f} million are the most."
                )
        return cls(out, ending, theme, size, dpi)

    def draw(self, picture: Display) -> None:
        given: dict[str, Any] = {} if self.dpi is None else {"dpi": self.dpi}
        with warnings.catch_warnings():
            # Said before the file is written, which is then left as it was.
            warnings.filterwarnings("error", message="constrained_layout not applied")
            try:
                picture.save(self.out, theme=self.theme, size=self.size, **given)
            except UserWarning:
                if self.size is None:
                    raise
                width, height = self.size
                raise click.UsageError(
                    f"--size {width:g}x{height:g} is too small for this picture."
                ) from None
