"""rosenblatt demo: a real data set, learned in front of your eyes."""

from __future__ import annotations

import click

from rosenblatt.cli.destinations import check_destination
from rosenblatt.cli.lines import listed, say
from rosenblatt.cli.options import SEED, Command, Whole
from rosenblatt.cli.plot_demo import FILE, Learned, draw
from rosenblatt.cli.plot_files import ending_of

__all__ = ["command"]

DATA = ("breast_cancer", "digits", "iris", "wine")
EPOCHS_SHOWN = 12


@click.command(
    cls=Command,
    name="demo",
    epilog="\b\nExamples:\n  rosenblatt demo\n  rosenblatt demo --data iris --seed 7 -o iris.png",
)
@click.option(
    "--data",
    type=click.Choice(DATA),
    metavar="NAME",
    default="digits",
    show_default=True,
    help=f"What to learn: {', '.join(DATA[:-1])} or {DATA[-1]}.",
)
@click.option(
    "--epochs",
    type=Whole(1),
    default=1000,
    show_default=True,
    help="The most passes over the rows.",
)
@click.option(
    "--seed",
    type=SEED,
    default=0,
    show_default=True,
    help="For which rows are held out, and the order of the others.",
)
@click.option(
    "--out",
    "-o",
    metavar="FILE",
    help=f"File for the picture: .svg, .pdf or .png.  [default: {FILE}]",
)
def command(data: str, epochs: int, seed: int, out: str | None) -> None:
    """Train an averaged perceptron on real data and show how it went.

    A quarter of the rows is held out; the others are scaled and learned epoch by epoch. In the end
    there is a picture of what was learned, where Matplotlib is installed.
    """
    if out is not None:
        check_destination("--out", out)
        ending_of(out)
    import numpy as np

    from rosenblatt import datasets
    from rosenblatt._kernels import ordering
    from rosenblatt._kernels.rules import Rule
    from rosenblatt.core.model import LinearModel
    from rosenblatt.core.scoring import scores
    from rosenblatt.core.tables import as_rows, inspect
    from rosenblatt.core.training import STOP_REASONS, train
    from rosenblatt.theory.separability import separability

    table = getattr(datasets, data)()
    order = np.empty(len(table.y), np.int64)
    ordering.shuffled(order, seed)
    held_out, kept = np.split(order, [len(order) // 4])
    center, spread = table.X[kept].mean(axis=0), table.X[kept].std(axis=0)
    X = (table.X - center) / np.where(spread > 0, spread, 1.0)
    y = table.y.astype(np.int32)

    click.echo(f"{data}: {len(table.y):,} {table.about}")
    click.echo(listed(f"{len(table.classes)} classes: ", table.classes))
    click.echo(f"learning from {len(kept):,} rows, {len(held_out):,} held out")
    rows = as_rows(X[kept])
    inspect(rows)
    model = LinearModel(table.classes, X.shape[1], averaged=True, random=seed)
    run = train(
        model.weights, Rule("perceptron"), rows, y[kept], max_iter=epochs, random=model.random
    )
    mistakes = _count(sum(run.mistakes_per_epoch), "mistake")
    say(
        [
            *_epochs(run.mistakes_per_epoch),
            f"stopped after {_count(run.n_iter, 'epoch')} and {mistakes}: "
            f"{STOP_REASONS[run.stop_reason]}",
        ]
    )
    found = separability(X[kept], y[kept])
    found.verify()
    strength = "exact" if found.strength == "exact" else "within rounding"
    click.echo(f"verdict on those rows: {found.verdict} ({strength}, certificate checked)")
    for name, weights in (
        ("last weights", (model.weights.matrix, model.weights.bias)),
        ("mean weights", model.served()),
    ):
        found = scores(X[held_out], *weights)
        answers = found > 0 if found.ndim == 1 else found.argmax(axis=1)
        right = int((answers == y[held_out]).sum())
        share = right / len(held_out)
        click.echo(f"held-out accuracy, {name}: {share:.1%} ({right} of {len(held_out)})")
    learned = Learned(
        *model.served(),
        np.array(table.classes),
        run.mistakes_per_epoch,
        run.stop_reason,
        X[held_out],
        [table.classes[number] for number in y[held_out].tolist()],
    )
    draw(data, learned, out)


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _epochs(mistakes: list[int]) -> list[str]:
    """The first epochs, the last ones, and a line for what lies between."""
    widest = len(f"{len(mistakes):,}")
    lines = [
        f"  epoch {epoch:>{widest},}  {_count(count, 'mistake')}"
        for epoch, count in enumerate(mistakes, 1)
    ]
    if len(lines) <= EPOCHS_SHOWN:
        return lines
    half = EPOCHS_SHOWN // 2
    between = mistakes[half:-half]
    gap = f"{_count(len(between), 'more epoch')} with {min(between):,} to {max(between):,} mistakes"
    return [*lines[:half], f"  {'…':>{widest + 6}}  {gap}", *lines[-half:]]
