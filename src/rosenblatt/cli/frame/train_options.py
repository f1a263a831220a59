"""What all commands that train have in common: options, shares held out, progress on a terminal."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.frame.options import SEED, Decorated, Whole, all_of
from rosenblatt.cli.frame.terminal import OverwrittenLine
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from rosenblatt.core.result import EpochCallback

EVERY = 0.1  # seconds
MODEL = click.Path(exists=True, dir_okay=False)


def _only_resumed(context: click.Context, _: click.Parameter, value: str | None) -> str | None:
    if value == "refuse" and context.params.get("resume") is None:
        raise click.UsageError("--new-classes refuse needs --resume: a new model has no classes.")
    return value


new_classes_option = click.option(
    "--new-classes",
    type=click.Choice(["allow", "refuse"]),
    callback=_only_resumed,
    help="What to do with a label never met before.  [default: allow; with --resume: refuse]",
)


def train_options(
    units: str, model: str, *, epochs: int, dev: str, record: str
) -> Callable[[Decorated], Decorated]:
    """Options that mean the same for every learner; `units` are what it learns from."""
    unit = units.removesuffix("s")
    options = (
        click.option(
            "-o",
            "--out",
            metavar="MODEL",
            help=f"File for the {model}.  [default: the name of DATA, .rbt]",
        ),
        click.option(
            "--epochs",
            type=Whole(1),
            help=f"The most passes over the {units}.  [default: {epochs}]",
        ),
        click.option("--dev", metavar="FILE|SHARE", help=dev),
        click.option(
            "--seed",
            type=SEED,
            default=0,
            show_default=True,
            help=f"For the random order of the {units}; equal seeds give equal {model}s.",
        ),
        click.option(
            "--one-pass",
            is_flag=True,
            help=f"Learn from each {unit} once, in the order of the file.",
        ),
        click.option(
            "--resume",
            type=MODEL,
            metavar="MODEL",
            help=f"Go on with this {model}: one pass over the {units}, or --epochs N.",
        ),
        click.option(
            "--record",
            is_flag=True,
            help=record,
        ),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
        click.option("--quiet", is_flag=True, help="Print errors only, and what --json prints."),
    )

    return all_of(options)


def share_of(dev: str | None) -> float | None:
    """--dev as a share of the data; None if it names a file."""
    if dev is None or os.path.exists(dev):
        return None
    try:
        share = float(dev)
    except ValueError:
        raise click.UsageError(f"--dev {dev}: there is no such file.") from None
    if not 0 < share < 1:
        raise click.UsageError(f"--dev {dev}: give a file or a share between 0 and 1, as 0.1.")
    return share


def refuse_parameters(parameters: dict[str, Any]) -> None:
    """Parameters of a learner that was made already, and keeps its own."""
    for name in parameters:
        raise click.UsageError(
            f"--{name.replace('_', '-')} has no meaning with --resume: the model keeps its own."
        )


@contextmanager
def progress_shown(quiet: bool) -> Iterator[None]:
    """Show who looks at a terminal how far a fit within this has come, now and then."""
    from rosenblatt.learner.progress import listening

    line = OverwrittenLine()
    with listening(None if quiet or not sys.stderr.isatty() else _shown_on(line)):
        try:
            yield
        finally:
            line.wipe()


def _shown_on(line: OverwrittenLine) -> EpochCallback:
    last = -math.inf

    def show(epoch: int, mistakes: int, score: float | None) -> None:
        nonlocal last
        if time.monotonic() - last > EVERY:
            last = time.monotonic()
            held_out = "" if score is None else f", {score:.2%} right on those held out"
            line.show(f"epoch {epoch:,}: {count(mistakes, 'mistake')}{held_out}")

    return show
