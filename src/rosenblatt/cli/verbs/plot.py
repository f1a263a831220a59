"""rosenblatt plot: draw pictures of a model, its training and its predictions."""

from __future__ import annotations

from typing import Any

import click

from rosenblatt.cli.data.models import Model, open_model
from rosenblatt.cli.data.reading import DATA, Reading, notices, reading_options
from rosenblatt.cli.frame.options import MODEL, Command, Whole, in_section, said
from rosenblatt.cli.frame.terminal import say, say_json
from rosenblatt.cli.plot.plot_files import INCHES, PIXELS, checked_out, draw, require_drawing
from rosenblatt.cli.plot.plot_kinds import KIND, KINDS, listed_or, refuse_misfit

OPTIONS = ("top", "shape", "max_frames", "orders", "row", "sentence")
MAX_UPDATES = 100

option = in_section("For weights, updates, animate, orders and tag_path")


class _WithKinds(Command):
    """A command whose help lists the kinds of pictures."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Kinds"):
            formatter.write_dl([(name, kind.about) for name, kind in KINDS.items()])
        super().format_options(ctx, formatter)


@click.command(
    cls=_WithKinds,
    name="plot",
    epilog="\b\nExamples:\n  rosenblatt plot weights iris.rbt -o weights.svg\n"
    "  rosenblatt plot confusion iris.rbt test.csv -o confusion.png --theme dark\n"
    "  rosenblatt plot tag_path tagger.rbt test.conllu --row 3 -o path.pdf",
)
@click.argument("picture", type=KIND, metavar="KIND")
@click.argument("model", required=False, type=MODEL)
@click.argument("data", nargs=-1, type=DATA)
@click.option(
    "--out",
    "-o",
    metavar="FILE",
    help="File for the picture: .svg, .pdf or .png; of a film .gif or .mp4.",
)
@click.option(
    "--theme",
    type=click.Choice(["light", "dark"]),
    default="light",
    show_default=True,
    help="Light or dark background.",
)
@click.option("--size", type=INCHES, help="Width and height in inches, such as 6x4.")
@click.option("--dpi", type=Whole(10, 1200), help="Dots an inch of a .png or a film.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--quiet", is_flag=True, help="Print errors only, and what --json prints.")
@option("--top", type=Whole(1, 100), help="Weights of each sign to show.  [default: 6]")
@option("--shape", type=PIXELS, help="Show all weights as an image of this height and width.")
@option(
    "--max-frames",
    type=Whole(2, 5000),
    help="Maximum number of updates to show.  [default: 12; animate 400]",
)
@option("--orders", type=Whole(2, 10_000), help="How many orders to try.  [default: 50]")
@option("--row", type=Whole(1), help="Which sentence of DATA, counted from 1.  [default: 1]")
@option("--sentence", metavar="TEXT", help="Words to tag, instead of DATA.")
@reading_options
def command(
    picture: str,
    model: str | None,
    data: tuple[str, ...],
    out: str | None,
    theme: str,
    size: tuple[float, float] | None,
    dpi: int | None,
    as_json: bool,
    quiet: bool,
    **more: Any,
) -> None:
    """Draw a picture of MODEL, with the rows of DATA where they are part of it.

    DATA has labels and is read as the training data were. The pictures of updates and of the proof
    show a run: they need a model trained with --record, and the DATA that it was trained on.

    A description of the picture is printed on standard error.
    """
    options = {name: more.pop(name) for name in OPTIONS}
    reading = Reading(**more)
    _refuse_options(picture, options)
    _refuse_arguments(picture, model, data, options)
    out = checked_out(picture, out, [*data, *([model] if model else [])], size, dpi)
    found = None if model is None else open_model(model, taggers=True)
    if found is not None:
        refuse_misfit(picture, found)
    require_drawing(out)
    from rosenblatt.cli.plot.plot_pictures import PictureRequest, read_examples

    with notices(quiet):
        if found is not None and options["sentence"] is not None:
            _refuse_parts(found)
        examples = read_examples(found, reading, data, quiet=quiet)
        drawn = PictureRequest(picture, found, examples, options).picture()
        draw(drawn, out, theme, size, dpi)
    if as_json:
        say_json({"kind": picture, "path": out, "caption": drawn.caption})
    elif not quiet:
        say([drawn.caption], err=True)
        say([f"wrote {out}"])


# ---------------------------------------------------------------------- what was asked


def _refuse_options(kind: str, options: dict[str, Any]) -> None:
    for name in OPTIONS:
        if said(name) and name not in KINDS[kind].options:
            owners = [owner for owner, one in KINDS.items() if name in one.options]
            flag = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{flag} is for {listed_or(owners)}, not for {kind}.")
    frames = options["max_frames"] or 0
    if kind == "updates" and frames > MAX_UPDATES:
        raise click.UsageError(
            f"--max-frames {frames}: updates shows {MAX_UPDATES} at most; animate shows more."
        )


def _refuse_arguments(
    kind: str, model: str | None, data: tuple[str, ...], options: dict[str, Any]
) -> None:
    if kind == "losses":
        if model is not None:
            raise click.UsageError(f"losses are the same for every model; leave {model} out.")
        return
    if model is None:
        raise click.UsageError(f"{kind} is a picture of a model; give MODEL after {kind}.")
    wanted = KINDS[kind].data
    if wanted == "no" and data:
        raise click.UsageError(f"{kind} shows the model alone; leave {data[0]} out.")
    if wanted == "must" and not data:
        raise click.UsageError(f"{kind} shows what a model does with rows; give DATA after MODEL.")
    sentence = options["sentence"]
    from_data = bool(data) or options["row"] is not None
    if kind == "tag_path" and sentence is None and not from_data:
        raise click.UsageError("tag_path shows a sentence; give DATA, or words with --sentence.")
    if sentence is not None and from_data:
        raise click.UsageError("--sentence stands instead of DATA and --row; give one of them.")
    if sentence is not None and not sentence.split():
        raise click.UsageError("--sentence has no words.")


def _refuse_parts(tagger: Model) -> None:
    schema = tagger.learner.schema_
    if schema is not None and len(schema.inputs) > 1:
        raise click.UsageError(
            f"--sentence has words alone, but {tagger.path} reads {len(schema.inputs)} columns for "
            "each word; give DATA and --row."
        )
