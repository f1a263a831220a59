"""rosenblatt stream: one pass over files or a pipe, every row answered before it is learned."""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Any

import click

from rosenblatt.cli.examples import Wanted
from rosenblatt.cli.interrupts import Interrupts
from rosenblatt.cli.learners import LEARNERS, Learner, learner_named, learner_of
from rosenblatt.cli.models import MODEL, Model, notices, opened
from rosenblatt.cli.reading import Reading, reading_options

if TYPE_CHECKING:
    from rosenblatt.cli.growing import Growing
    from rosenblatt.core.model import LinearModel
    from rosenblatt.evaluate import Progress

__all__ = ["command"]

EXIT_INTERRUPTED = 130
DATA = click.Path(exists=True, dir_okay=False, allow_dash=True)


def _every(_ctx: click.Context, _param: click.Parameter, value: str) -> str | int:
    if value == "doubling":
        return value
    if not value.isdecimal() or int(value) < 1:
        raise click.BadParameter(f"'{value}': give 'doubling' or a number of rows of at least 1.")
    return int(value)


@click.command(
    name="stream",
    epilog="Examples:  rosenblatt stream mail.tsv --format text --out spam.rbt    "
    "zcat clicks.svm.gz | rosenblatt stream - --format svmlight --resume clicks.rbt",
)
@click.argument("data", nargs=-1, type=DATA)
@reading_options
@click.option(
    "--learner",
    callback=learner_named,
    default="averaged",
    show_default=True,
    metavar="NAME",
    help=f"{', '.join(name for name in LEARNERS if not LEARNERS[name].votes)}.",
)
@click.option("--out", metavar="MODEL", help="Where to.  [the model resumed, else nowhere]")
@click.option("--resume", type=MODEL, metavar="MODEL", help="Go on with a model.")
@click.option(
    "--new-classes",
    type=click.Choice(["allow", "refuse"]),
    help="Labels never met before.  [allow; with --resume: refuse]",
)
@click.option(
    "--every", callback=_every, default="doubling", metavar="N", help="A line at 1, 2, 4, 8 … or N."
)
@click.option("--window", type=click.IntRange(1), default=1000, show_default=True, help="Recent.")
@click.option(
    "--count",
    type=click.Choice(["served", "latest"]),
    default="served",
    show_default=True,
    help="Mistakes of what predict would answer, or of the latest weights (faster if averaged).",
)
@click.option("--predictions", metavar="FILE", help="Answers, each given before it was learned.")
@click.option("--column", "columns", multiple=True, metavar="NAME=number|category|text|ignored")
@click.option("--no-scale", is_flag=True, help="Take numbers as they are.")
@click.option("--bits", type=click.IntRange(1, 28), help="Hash to 2^BITS columns.  [18]")
@click.option("--words", metavar="1-2", help="Runs of words in texts, or none.  [1-2]")
@click.option("--chars", metavar="3-5", help="Pieces of words in texts.  [none]")
@click.option("--json", "as_json", is_flag=True, help="One JSON object at the end.")
@click.option("--quiet", is_flag=True, help="No table and no notices, only the last line.")
def command(
    data: tuple[str, ...],
    learner: Learner,
    out: str | None,
    resume: str | None,
    new_classes: str | None,
    every: str | int,
    window: int,
    count: str,
    predictions: str | None,
    columns: tuple[str, ...],
    no_scale: bool,
    bits: int | None,
    words: str | None,
    chars: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> int:
    """Answer every row of DATA, then learn from it, in one pass and in constant memory.

    The table has a line at 1, 2, 4, 8 … rows: mistakes so far, their rate, and the rate of the last
    rows. Without DATA, or for -, rows come from standard input.

    A row is a mistake unless its class has the highest score alone. Answers are those that predict
    would give: of an averaged learner, by the average of its weights so far. Where the latest
    weights make fewer mistakes than the average, the data drift: try --learner pa.

    In tables, numbers are scaled by the first 1,000 rows; levels of a category join as they come.
    Ctrl-C ends the stream, and the model so far is written.
    """
    from rosenblatt.cli.growing import growing
    from rosenblatt.evaluate import Progress
    from rosenblatt.evaluate.online import OnlinePass

    data = data or ("-",)
    wanted = Wanted(columns, bits=bits, words=words, chars=chars, no_scale=no_scale)
    known = None if resume is None else opened(resume)
    learner = _learner(learner, known)
    if known is None and new_classes == "refuse":
        raise click.UsageError("--new-classes refuse needs --resume: a new model has no classes.")
    path = out or resume
    _check_destination(path, data)
    rows = growing(Reading(**options), data, wanted, known, new_classes or "refuse")
    progress = Progress(every, window)
    with ExitStack() as stack:
        stack.enter_context(notices(quiet))
        answers = stack.enter_context(Answers(predictions))
        show = _Table(as_json or quiet, err=predictions == "-")
        stopped = stack.enter_context(Interrupts())
        model: LinearModel | None = None
        online: OnlinePass | None = None
        for X, labels, weights in rows.blocks(stopped.between):
            if online is None or model is None:
                model = rows.begin(learner)
                rule = learner.rule(rows.parameters)
                online = OnlinePass(model, rule, progress, latest=count == "latest")
                if not quiet:
                    for line in rows.schema.told():
                        click.echo(line, err=True)
            points, given = online.learn(X, labels, weights, answers=answers.wanted)
            answers.write(given)
            show.points(points)
        if model is None:
            return EXIT_INTERRUPTED
        if path is not None:
            _write(model, learner, rows, path)
        answers.keep()
    show.end(progress)
    facts = progress.to_json() | {
        "counted": count,
        "learner": learner.estimator,
        "features": rows.schema.n_features,
        "skipped": rows.skipped,
        "model": path,
        "interrupted": stopped.heard,
    }
    if not quiet:
        for line in rows.told():
            click.echo(line, err=True)
    if as_json:
        click.echo(json.dumps(facts, ensure_ascii=False, allow_nan=False), err=show.err)
    else:
        for line in _summary(progress, learner, count)[: 1 if quiet else None]:
            click.echo(line, err=show.err)
        if path is not None and not quiet:
            click.echo(f"wrote {path}", err=show.err)
    if stopped.heard:
        click.echo("interrupted", err=True)
    return EXIT_INTERRUPTED if stopped.heard else 0


def _learner(learner: Learner, known: Model | None) -> Learner:
    if known is not None:
        from click.core import ParameterSource

        source = click.get_current_context().get_parameter_source("learner")
        if source not in (None, ParameterSource.DEFAULT):
            raise click.UsageError("--learner has no meaning with --resume.")
        learner = learner_of(known.state.card.learner)
        if known.state.card.parameters["class_weight"] is not None:
            raise click.UsageError(f"{known.path} weighs its classes; use partial_fit in Python.")
    if learner.votes:
        raise click.UsageError(
            "a voted perceptron keeps the rows of its mistakes, so a stream would fill the memory."
        )
    return learner


def _check_destination(path: str | None, data: tuple[str, ...]) -> None:
    """Before hours of learning, not after."""
    if path is None:
        return
    folder = os.path.dirname(path) or "."
    if path == "-" or os.path.isdir(path):
        raise click.UsageError(f"--out {path}: give the name of a file.")
    if not os.path.isdir(folder):
        raise click.UsageError(f"--out {path}: there is no folder {folder}.")
    for file in data:
        if file != "-" and os.path.exists(path) and os.path.samefile(file, path):
            raise click.UsageError(f"{path} holds the data; give the model another name (--out).")


def _write(model: LinearModel, learner: Learner, rows: Growing, path: str) -> None:
    from rosenblatt.model import write
    from rosenblatt.model.linear import state_of

    state = state_of(
        model,
        learner=learner.estimator,
        parameters=rows.parameters,
        feature_names=None,
        fit=None,
        fit_arrays={},
    )
    state.card.schema = rows.schema.to_json(model.served()[0])
    write(state, path)


def _summary(progress: Progress, learner: Learner, count: str) -> list[str]:
    told = [f"{learner.words}: {progress.summary()}"]
    latest = progress.online_mistakes or 0
    if learner.averaged and count == "served":
        told.append(
            f"its latest weights: {latest:,} mistakes, {100 * latest / max(progress.n, 1):.2f} %"
        )
    return told


class _Table:
    """The progress, a line at a time."""

    def __init__(self, silent: bool, err: bool) -> None:
        self._silent, self.err = silent, err
        self._last = 0

    def points(self, points: Any) -> None:
        from rosenblatt.evaluate.progress import HEADER

        for point in [] if self._silent else points:
            if not self._last:
                click.echo(HEADER, err=self.err)
            click.echo(point.line(), err=self.err)
            self._last = point.n

    def end(self, progress: Progress) -> None:
        self.points([point for point in progress.curve[-1:] if point.n > self._last])


class Answers:
    """A file of answers, one a line; it has its name only when it is whole."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._file: IO[str] | None = None
        self.wanted = path is not None

    def __enter__(self) -> Answers:
        if self._path is not None and self._path != "-":
            self._temporary = f"{self._path}.{os.getpid()}.tmp"
            self._file = open(self._temporary, "w", encoding="utf-8")
        return self

    def write(self, answers: list[Any]) -> None:
        if not answers:
            return
        # A label with a line break in it would count as two.
        lines = [" ".join(str("" if a is None else a).splitlines()) for a in answers]
        text = "\n".join(lines) + "\n"
        if self._file is None:
            click.echo(text, nl=False)
        else:
            self._file.write(text)

    def keep(self) -> None:
        if self._file is not None and self._path is not None:
            self._file.close()
            os.replace(self._temporary, self._path)
            self._file = None

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
            os.unlink(self._temporary)
