"""rosenblatt demo: train on a bundled data set and show how it went."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.frame.destinations import check_destination
from rosenblatt.cli.frame.options import SEED, Command, Whole, use_one_thread
from rosenblatt.cli.frame.terminal import listed, say
from rosenblatt.cli.plot.plot_files import ending_of, require_drawing
from rosenblatt.plurals import count

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyFloatArray
    from rosenblatt.estimators.linear.linear_learner import LinearLearner
    from rosenblatt.plot.display import Display

FILE = "rosenblatt-demo.svg"
CAPTION = "rosenblatt demo, "
PIXELS = {"digits": (8, 8)}
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
    help="Maximum number of passes over the rows.",
)
@click.option(
    "--seed",
    type=SEED,
    default=0,
    show_default=True,
    help="For the choice of held-out rows, and the order of the others.",
)
@click.option(
    "--out",
    "-o",
    metavar="FILE",
    help=f"File for the picture: .svg, .pdf or .png.  [default: {FILE}]",
)
def command(data: str, epochs: int, seed: int, out: str | None) -> None:
    """Train an averaged perceptron on real data and show how it went.

    A quarter of the rows is held out; the others are scaled and learned epoch by epoch. If
    Matplotlib is installed, a picture of the result is drawn.
    """
    if out is not None:
        check_destination("--out", out)
        ending_of(out)
    use_one_thread()
    from rosenblatt import AveragedPerceptron, Perceptron, datasets
    from rosenblatt.models.result import stop_text
    from rosenblatt.theory.separability import separability

    train, test = getattr(datasets, data)().split(seed=seed)
    X, X_test = _scaled(train.X, test.X)
    n_rows = len(train.y) + len(test.y)
    click.echo(f"{data}: {n_rows:,} {train.about}")
    click.echo(listed(f"{len(train.classes)} classes: ", train.classes))
    click.echo(f"learning from {len(train.y):,} rows, {len(test.y):,} held out")
    # Both make the same updates in the same order; one keeps the last weights, one their mean.
    last = Perceptron(max_iter=epochs, random_state=seed)
    mean = AveragedPerceptron(max_iter=epochs, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the reason to stop is shown anyway
        for learner in (last, mean):
            learner.fit(X, train.labels)
    stopped = f"{count(mean.n_iter_, 'epoch')} and {count(mean.n_mistakes_, 'mistake')}"
    say(
        [
            *_epochs(mean.mistakes_per_epoch_),
            f"stopped after {stopped}: {stop_text(mean.stop_reason_)}",
        ]
    )
    found = separability(X, train.labels)
    proven = found.separable is not None and found.verify()
    proof = "exact, certificate checked" if proven else found.detail
    click.echo(f"verdict on those rows: {found.verdict} ({proof})")
    for name, learner in (("last weights", last), ("mean weights", mean)):
        right = int((learner.predict(X_test) == test.labels).sum())
        share = right / len(test.y)
        click.echo(f"held-out accuracy, {name}: {share:.1%} ({right} of {len(test.y)})")
    draw(data, mean, X_test, test.labels.tolist(), out)


def _scaled(train: AnyFloatArray, test: AnyFloatArray) -> tuple[AnyFloatArray, AnyFloatArray]:
    """Standardize both matrices by the mean and standard deviation of the training rows."""
    center = train.mean(axis=0)
    scale = train.std(axis=0)
    scale[scale == 0] = 1.0
    return (train - center) / scale, (test - center) / scale


def _epochs(mistakes: list[int]) -> list[str]:
    """Return a line for each of the first and last epochs, and one for those in between."""
    widest = len(f"{len(mistakes):,}")
    lines = [
        f"  epoch {epoch:>{widest},}  {count(n, 'mistake')}" for epoch, n in enumerate(mistakes, 1)
    ]
    if len(lines) <= EPOCHS_SHOWN:
        return lines
    half = EPOCHS_SHOWN // 2
    between = mistakes[half:-half]
    gap = f"{count(len(between), 'more epoch')} with {min(between):,} to {max(between):,} mistakes"
    return [*lines[:half], f"  {'…':>{widest + 6}}  {gap}", *lines[-half:]]


def draw(
    data: str, learner: LinearLearner, X: AnyFloatArray, y: list[str], out: str | None
) -> None:
    """Draw the picture and print its path; if that is impossible, print a notice.

    If ``out`` is None, only a picture of an earlier demo is overwritten; otherwise, an error of
    writing the file is raised.
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


def _picture(data: str, learner: LinearLearner, X: AnyFloatArray, y: list[str]) -> Display:
    from rosenblatt import plot

    if data in PIXELS:
        return plot.weights(learner, shape=PIXELS[data])
    if len(learner.classes_) == 2:
        return plot.boundary(learner, X, y)
    return plot.mistakes({"averaged perceptron": learner})
