"""rosenblatt demo: a real data set, learned in front of your eyes."""

from __future__ import annotations

import warnings

import click

from rosenblatt.cli.frame.destinations import check_destination
from rosenblatt.cli.frame.options import SEED, Command, Whole, use_one_thread
from rosenblatt.cli.frame.terminal import listed, say
from rosenblatt.cli.plot.plot_demo import FILE, draw
from rosenblatt.cli.plot.plot_files import ending_of

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
    use_one_thread()
    import numpy as np

    from rosenblatt import AveragedPerceptron, datasets
    from rosenblatt._kernels.rows import ordering
    from rosenblatt.core.classes import answers
    from rosenblatt.core.result import stop_text
    from rosenblatt.core.scoring import scores
    from rosenblatt.theory.separability import separability

    table = getattr(datasets, data)()
    order = np.empty(len(table.y), np.int64)
    ordering.shuffled(order, seed)
    held_out, kept = np.split(order, [len(order) // 4])
    center, spread = table.X[kept].mean(axis=0), table.X[kept].std(axis=0)
    X = (table.X - center) / np.where(spread > 0, spread, 1.0)
    y = np.array(table.classes)[table.y]

    click.echo(f"{data}: {len(table.y):,} {table.about}")
    click.echo(listed(f"{len(table.classes)} classes: ", table.classes))
    click.echo(f"learning from {len(kept):,} rows, {len(held_out):,} held out")
    learner = AveragedPerceptron(max_iter=epochs, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the reason to stop is told anyway
        learner.fit(X[kept], y[kept])
    mistakes = _count(learner.n_mistakes_, "mistake")
    say(
        [
            *_epochs(learner.mistakes_per_epoch_),
            f"stopped after {_count(learner.n_iter_, 'epoch')} and {mistakes}: "
            f"{stop_text(learner.stop_reason_)}",
        ]
    )
    found = separability(X[kept], y[kept])
    found.verify()
    strength = "exact" if found.strength == "exact" else "within rounding"
    click.echo(f"verdict on those rows: {found.verdict} ({strength}, certificate checked)")
    for name, weights in (
        ("last weights", (learner.raw_coef_, learner.raw_intercept_)),
        ("mean weights", (learner.coef_, learner.intercept_)),
    ):
        predicted = learner.classes_[answers(scores(X[held_out], *weights), learner.ties)]
        right = int((predicted == y[held_out]).sum())
        share = right / len(held_out)
        click.echo(f"held-out accuracy, {name}: {share:.1%} ({right} of {len(held_out)})")
    draw(data, learner, X[held_out], y[held_out].tolist(), out)


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
