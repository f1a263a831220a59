"""rosenblatt stream: one pass over files or a pipe, every row predicted before it is learned."""

from __future__ import annotations

import re
import signal
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, Self

import click

from rosenblatt.cli.data.models import Model, open_model
from rosenblatt.cli.data.prediction_output import bare_label
from rosenblatt.cli.data.reading import DATA, Reading, notices, reading_options
from rosenblatt.cli.data.training_data import (
    column_options,
    feature_options,
    refuse_meaningless,
)
from rosenblatt.cli.frame.destinations import (
    NewFiles,
    check_destination,
    claim_destination,
    write_model,
)
from rosenblatt.cli.frame.interrupts import NOTHING_LEARNED, Interrupts, current_interrupts
from rosenblatt.cli.frame.learner_options import (
    StreamCommand,
    chosen_parameters,
    learner_option,
    weights_by_label,
)
from rosenblatt.cli.frame.options import MODEL, Whole, new_classes_option, said, slim_option
from rosenblatt.cli.frame.terminal import baseline, print_data, say, say_json
from rosenblatt.plurals import count as counted
from rosenblatt.tables.readers.read_ahead import ReadAhead

if TYPE_CHECKING:
    from rosenblatt.estimators.catalogue import Entry
    from rosenblatt.inspection.stream_scores import Progress
    from rosenblatt.tables.features.growing_schema import GrowingSchema


def _every(_ctx: click.Context, _param: click.Parameter, value: str) -> str | int:
    if value == "doubling":
        return value
    if not value.isdecimal() or int(value) < 1:
        raise click.BadParameter(f"'{value}': give 'doubling' or a number of rows of at least 1.")
    return int(value)


def _checkpoint(
    _ctx: click.Context, _param: click.Parameter, value: str | None
) -> tuple[int, str] | None:
    if value is None:
        return None
    found = re.fullmatch(r"([1-9]\d{0,8})(s?)", value)
    if found is None:
        raise click.BadParameter(f"'{value}': give a number of rows, as 10000, or seconds, as 30s.")
    return int(found[1]), found[2] or "rows"


@click.command(
    cls=StreamCommand,
    name="stream",
    epilog="\b\nExamples:\n  rosenblatt stream mail.tsv --format text --out spam.rbt\n"
    "  zcat clicks.svm.gz | rosenblatt stream --format svmlight --resume clicks.rbt",
)
@click.argument("data", nargs=-1, type=DATA)
@learner_option(streams=True)
@click.option(
    "-o",
    "--out",
    metavar="MODEL",
    help="File for the model.  [default: the one resumed, else none]",
)
@click.option("--resume", type=MODEL, metavar="MODEL", help="Go on with this model.")
@slim_option
@new_classes_option
@click.option(
    "--every",
    callback=_every,
    default="doubling",
    metavar="N",
    help="A line after every N rows.  [default: after 1, 2, 4, 8 …]",
)
@click.option(
    "--window",
    type=Whole(1),
    default=1000,
    show_default=True,
    help="How many of the last rows count as recent.",
)
@click.option(
    "--count",
    type=click.Choice(["served", "latest"]),
    default="served",
    show_default=True,
    help="Count mistakes of what predict would say (served) or of the latest weights.",
)
@click.option(
    "--checkpoint",
    callback=_checkpoint,
    metavar="N|Ns",
    help="Also write the model on the way, after every N rows or N seconds, as 10000 or 30s.",
)
@click.option(
    "--predictions",
    metavar="FILE",
    help="Write the predictions, each made before its row was learned; - prints them.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object at the end.")
@click.option("--quiet", is_flag=True, help="Print only the last line, without table and notices.")
@reading_options
@column_options("exact", "idf")
def command(
    data: tuple[str, ...],
    learner: Entry,
    out: str | None,
    resume: str | None,
    slim: bool,
    new_classes: str | None,
    every: str | int,
    window: int,
    count: str,
    checkpoint: tuple[int, str] | None,
    predictions: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Predict every row of DATA, then learn from it, in one pass and in constant memory.

    The table has a line at 1, 2, 4, 8 … rows: mistakes so far, their rate, and the rate of the last
    rows. Without DATA, or for -, rows come from standard input.

    A row is a mistake unless its class has the highest score alone. Predictions are those that
    predict would give: of an averaged learner, by the average of its weights. Where the latest
    weights make fewer mistakes than that, the data drift: try --learner pa --readout mix.

    In tables, numbers are scaled by mean and standard deviation of the rows before and clipped at
    ±3; levels of a category join as they come.
    Ctrl-C, SIGTERM and SIGHUP end the stream, and the model so far is written.
    """
    from rosenblatt.errors import ModelFileError
    from rosenblatt.inspection.stream_scores import Progress
    from rosenblatt.persistence.file import save
    from rosenblatt.tables.features.growing_schema import GrowingSchema

    data = data or ("-",)
    interrupts, path = current_interrupts(), out or resume
    interrupts.outcome = NOTHING_LEARNED
    # Before hours of learning, not after.
    if path is not None:
        claim_destination(path, resume, data)
    elif checkpoint is not None:
        raise click.UsageError("--checkpoint needs --out, or --resume, for the model.")
    known = None if resume is None else open_model(resume)
    model = _learner(learner, known)
    if predictions is not None and predictions != "-":
        check_destination("--predictions", predictions, data)
    features, reading = feature_options(options), Reading(**options)
    schema = reading.schema_of(data, None if known is None else known.schema)
    kind = reading.kind_of(data, schema)
    refuse_meaningless(features, kind, has_schema=schema is not None)
    growing = GrowingSchema(kind, features, schema)
    reader = _reader(reading, data, growing, known, new_classes)
    progress = Progress(every, window)
    failure: OSError | ModelFileError | None = None

    def write(by: Callable[..., object] = write_model, **how: bool) -> None:
        if path is not None:
            model.schema_ = growing.schema
            by(model, path, **how)

    with ExitStack() as stack:
        stack.enter_context(notices(quiet))
        stack.enter_context(interrupts.held())
        files = stack.enter_context(NewFiles())
        written = PredictionLines(predictions, files)
        show = _Table(as_json or quiet, err=predictions == "-")
        stack.enter_context(reader)
        checkpoints = Checkpoints(checkpoint, lambda: write(save), interrupts)
        stack.enter_context(checkpoints)
        try:
            for block in growing.blocks(interrupts.between(reader)):
                if not progress.n:
                    _weigh_classes(model, block.labels)
                X = growing.encode(block, model)
                if not progress.n and not quiet and growing.schema is not None:
                    say(growing.schema.describe(), err=True)
                tested = model.predict_then_learn(
                    X,
                    block.labels,
                    block.sample_weight,
                    predictions=written.wanted,
                    latest=count == "latest",
                )
                points = progress.add_tested(tested)
                checkpoints.learned(len(block.labels))
                written.write(tested.predictions)
                show.points(points)
        except (OSError, ModelFileError) as error:
            # Nobody reads on, a full disk, a checkpoint that is not sound: as good a reason to stop
            # as Ctrl-C, and what was learned is kept.
            failure = error
        if not progress.n:
            raise failure or KeyboardInterrupt
        write(slim=slim)
        interrupts.outcome = _kept(progress.n, model.t_, path)
        if failure is not None:
            if path is not None:
                say([f"stopped{interrupts.outcome}"], err=True)
                click.get_current_context().obj.written = ""  # it is said already
            raise failure
        files.keep()
    show.end(progress)
    # What counts for more by the weights of the classes may err more often.
    beats_majority = progress.beats_majority if model.class_weight is None else None
    facts = progress.to_json()
    facts |= {
        "baseline": baseline(dict(facts["labels"])),
        "beats_majority": beats_majority,
        "counted": count,
        "learner": type(model).__name__,
        "features": 0 if growing.schema is None else growing.schema.n_features,
        "skipped": reader.skipped,
        "model": path,
        "interrupted": bool(interrupts.heard),
    }
    if not quiet:
        say(_notices(growing, reader.skipped), err=True)
    if as_json:
        say_json(facts, err=show.err)
    else:
        lines = _summary(progress, model, count, beats_majority)
        say(lines[: 1 if quiet else None], err=show.err)
        if path is not None and not quiet:
            click.echo(f"wrote {path}", err=show.err)
    interrupts.end(interrupts.outcome)


def _kept(rows: int, t: int, path: str | None) -> str:
    """How far a stream came that was stopped, and how to go on."""
    after = f" after {counted(rows, 'row')}" + (f" ({t:,} in all)" if t > rows else "")
    if path is None:
        return f"{after}; without --out no model is kept"
    return f"{after}. What was learned is kept in {path}; go on with --resume {path}"


def _reader(
    reading: Reading,
    paths: tuple[str, ...],
    growing: GrowingSchema,
    known: Model | None,
    new_classes: str | None,
) -> Any:
    """Blocks of the files; a model that is resumed may refuse classes that it does not know."""
    labels = {} if known is None else known.label_options(new_classes)
    reader = reading.reader(
        paths, schema=growing.schema, features=growing.options, grows=True, **labels
    )
    # Where reading and learning both leave Python, two threads are a gain; but a file of rejects
    # must not be ahead of what is learned, and must be closed at Ctrl-C.
    if growing.kind != "svmlight" or reading.on_bad.startswith("rejects="):
        return reader
    return ReadAhead(reader)


def _notices(growing: GrowingSchema, skipped: int) -> list[str]:
    many = counted(skipped, "bad row was", "bad rows were")
    said = [f"warning: {many} skipped"] if skipped else []
    for name, rows in growing.dropped_levels.items():
        said.append(
            f"notice: {name}: more levels than there is room for; later ones counted for nothing "
            f"in {counted(rows, 'row')} (--column {name}=text hashes it)"
        )
    return said


def _learner(entry: Entry, known: Model | None) -> Any:
    """The learner to go on with, or a new one."""
    given = chosen_parameters()
    if known is not None:
        for name in ["learner"] * said("learner") + list(given):
            raise click.UsageError(f"--{name.replace('_', '-')} has no meaning with --resume.")
        known.refuse_without_weights()
        model = known.learner
    else:
        model = entry.load()(**given)
    if model.keeps_rows:
        raise click.UsageError(
            f"a {type(model).__name__} keeps the rows of its mistakes, so a stream would fill the "
            "memory."
        )
    return model


def _weigh_classes(model: Any, labels: Any) -> None:
    """Weights of classes are written as text; now the labels are known, and what they are."""
    weights = chosen_parameters().get("class_weight")
    if isinstance(weights, dict):
        model.set_params(class_weight=weights_by_label(weights, labels, all_known=False))


def _summary(progress: Progress, model: Any, count: str, beats_majority: Any) -> list[str]:
    from rosenblatt.estimators.catalogue import entry_of

    entry, latest = entry_of(type(model)), progress.online_mistakes or 0
    assert entry is not None
    lines = [f"{entry.title_in_sentence}: {progress.summary()}"]
    if hasattr(model, "readout_"):
        does = "counts most in the mix" if model.readout == "mix" else "predicts"
        lines.append(f"read-out that {does} now: {model.readout_}")
    if (model.averages or model.readout) and count == "served":
        rate = 100 * latest / max(progress.n, 1)
        lines.append(f"its latest weights: {counted(latest, 'mistake')}, {rate:.2f} %")
    if beats_majority is False:
        lines.append("no better than always predicting the most frequent label so far")
    return lines


class _Table:
    """The progress, a line at a time."""

    def __init__(self, silent: bool, err: bool) -> None:
        self._silent, self.err, self._last = silent, err, 0

    def points(self, points: Any) -> None:
        from rosenblatt.inspection.stream_scores import HEADER

        for point in [] if self._silent else points:
            if not self._last:
                say([HEADER], err=self.err)
            say([point.line()], err=self.err)
            self._last = point.n

    def end(self, progress: Progress) -> None:
        self.points([point for point in progress.curve[-1:] if point.n > self._last])


class PredictionLines:
    """Predictions, one a line, to a file or standard output, if they are wanted at all."""

    def __init__(self, path: str | None, files: NewFiles) -> None:
        self.wanted = path is not None
        self._file = None if path is None or path == "-" else files.open(path)

    def write(self, predictions: list[Any]) -> None:
        if not predictions:
            return
        on_terminal = self._file is None and sys.stdout.isatty()
        lines = ("" if p is None else bare_label(p, on_terminal=on_terminal) for p in predictions)
        text = "".join(f"{line}\n" for line in lines)
        if self._file is None:
            print_data(text)
        else:
            self._file.write(text.encode())


class Checkpoints:
    """Keeps a whole model on the way, after so many rows or seconds, also while none come."""

    def __init__(
        self, every: tuple[int, str] | None, write: Callable[[], None], interrupts: Interrupts
    ) -> None:
        self._every, self._unit = every or (0, "")
        self._write, self._interrupts = write, interrupts
        self._rows, self._last, self._failed = 0, time.monotonic(), False

    def __enter__(self) -> Self:
        if self._unit == "s":
            self._ring_every(self._every)
        return self

    def __exit__(self, *_: object) -> None:
        if self._unit == "s":
            self._ring_every(0)

    def _ring_every(self, seconds: int) -> None:
        with suppress(AttributeError, ValueError):  # no such clock, or not in the main thread
            signal.signal(signal.SIGALRM, self._ring)
            signal.setitimer(signal.ITIMER_REAL, seconds, seconds)

    def _ring(self, *_: object) -> None:
        if self._interrupts.waiting and self._rows:
            self._keep()

    def learned(self, rows: int) -> None:
        self._rows += rows
        seconds = time.monotonic() - self._last
        if self._unit and (seconds if self._unit == "s" else self._rows) >= self._every:
            self._keep()

    def _keep(self) -> None:
        try:
            self._write()
        except OSError as error:
            if not self._failed:
                say([f"warning: no checkpoint: {error}; learning goes on"], err=True)
            self._failed = True
        self._rows, self._last = 0, time.monotonic()
