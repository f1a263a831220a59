"""rosenblatt stream: one pass over files or a pipe, every row predicted before it is learned."""

from __future__ import annotations

import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
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
from rosenblatt.cli.frame.options import MODEL, Whole, new_classes_option, said, slim_option, taken
from rosenblatt.cli.frame.terminal import baseline, print_data, say, say_json
from rosenblatt.plurals import count as counted
from rosenblatt.tables.readers.read_ahead import ReadAhead

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyArray
    from rosenblatt.errors import ModelFileError
    from rosenblatt.estimators.catalogue import Entry
    from rosenblatt.estimators.linear.linear_learner import LinearLearner
    from rosenblatt.inspection.stream_scores import Point, Progress
    from rosenblatt.tables.features.growing_schema import GrowingSchema
    from rosenblatt.tables.readers.block import Block
    from rosenblatt.tables.readers.reader import Reader


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
        raise click.BadParameter(
            f"'{value}': give a number of rows, such as 10000, or seconds, such as 30s."
        )
    return int(found[1]), found[2] or "rows"


@dataclass(frozen=True)
class StreamRequest:
    """Options of a stream, except those for reading the data and those of the learner."""

    data: tuple[str, ...]
    learner: Entry
    out: str | None
    resume: str | None
    slim: bool
    new_classes: str | None
    every: str | int
    window: int
    count: str
    checkpoint: tuple[int, str] | None
    predictions: str | None
    as_json: bool
    quiet: bool

    @property
    def path(self) -> str | None:
        """Return the output path of the model; None if the model is not written."""
        return self.out or self.resume


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
    help="File for the model.  [default: the resumed model, otherwise none]",
)
@click.option("--resume", type=MODEL, metavar="MODEL", help="Resume this model.")
@slim_option
@new_classes_option
@click.option(
    "--every",
    callback=_every,
    default="doubling",
    metavar="N",
    help="Print a line after every N rows.  [default: after 1, 2, 4, 8 …]",
)
@click.option(
    "--window",
    type=Whole(1),
    default=1000,
    show_default=True,
    help="Number of most recent rows for the recent error rate.",
)
@click.option(
    "--count",
    type=click.Choice(["served", "latest"]),
    default="served",
    show_default=True,
    help="Count mistakes of what predict would give (served) or of the latest weights.",
)
@click.option(
    "--checkpoint",
    callback=_checkpoint,
    metavar="N|Ns",
    help="Also write the model during the stream, every N rows or N seconds, such as 10000 or 30s.",
)
@click.option(
    "--predictions",
    metavar="FILE",
    help="Write the predictions, each made before its row was learned from; - prints them.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object at the end.")
@click.option("--quiet", is_flag=True, help="Print only the last line, without table and notices.")
@reading_options
@column_options("exact", "idf")
def command(**options: Any) -> None:
    """Predict every row of DATA, then learn from it, in one pass and in constant memory.

    The table has a line at 1, 2, 4, 8 … rows: mistakes so far, their rate, and the rate over the
    most recent rows. Without DATA, or for -, rows come from standard input.

    A row counts as a mistake unless its class alone has the highest score. Predictions are those
    that predict would give: for an averaged learner, by the average of its weights. If the latest
    weights make fewer mistakes than the average, the data drift: try --learner pa --readout mix.

    In tables, numbers are scaled by the mean and standard deviation of the rows before and clipped
    at ±3; new category levels are added as they come. Ctrl-C, SIGTERM and SIGHUP end the stream,
    and the model so far is written.
    """
    from rosenblatt.inspection.stream_scores import Progress
    from rosenblatt.tables.features.growing_schema import GrowingSchema

    request = taken(StreamRequest, options)
    if not request.data:
        request = replace(request, data=("-",))

    # Names and options are checked before hours of training, not after.
    interrupts = current_interrupts()
    interrupts.outcome = NOTHING_LEARNED
    _claim_files(request)
    known = None if request.resume is None else open_model(request.resume)
    model = _learner(request.learner, known)
    features = feature_options(options)
    reading = Reading(**options)
    schema = reading.schema_of(request.data, None if known is None else known.schema)
    kind = reading.kind_of(request.data, schema)
    refuse_meaningless(features, kind, has_schema=schema is not None)

    growing = GrowingSchema(kind, features, schema)
    reader = _reader(reading, request, growing, known)
    run = StreamRun(request, model, growing, Progress(request.every, request.window))
    with notices(request.quiet), interrupts.held(), NewFiles() as files, reader:
        predictions = PredictionLines(request.predictions, files)
        failure = run.learn(reader, predictions, interrupts)
        if not run.progress.n:
            raise failure or KeyboardInterrupt
        run.write(slim=request.slim)
        interrupts.outcome = run.kept()
        if failure is not None:
            if request.path is not None:
                say([f"stopped{interrupts.outcome}"], err=True)
                # The message above already names the model.
                click.get_current_context().obj.written = ""
            raise failure
        files.keep()
    run.table.end(run.progress)
    _report(run, reader.skipped, is_interrupted=bool(interrupts.heard))
    interrupts.end(interrupts.outcome)


# ---------------------------------------------------------------------- before the first row


def _claim_files(request: StreamRequest) -> None:
    """Claim the output path of the model; raise if it or the predictions cannot be written."""
    if request.path is not None:
        claim_destination(request.path, request.resume, request.data)
    elif request.checkpoint is not None:
        raise click.UsageError("--checkpoint needs --out, or --resume, for the model.")
    if request.predictions is not None and request.predictions != "-":
        check_destination("--predictions", request.predictions, request.data)


def _learner(entry: Entry, known: Model | None) -> Any:
    """Return the learner of the model to resume, or a new one; raise if it stores rows."""
    given = chosen_parameters()
    if known is None:
        model = entry.load()(**given)
    else:
        names = list(given)
        if said("learner"):
            names.insert(0, "learner")
        for name in names:
            raise click.UsageError(f"--{name.replace('_', '-')} has no meaning with --resume.")
        known.refuse_without_weights()
        model = known.learner
    if model.keeps_rows:
        raise click.UsageError(
            f"a {type(model).__name__} keeps the rows of its mistakes, so a stream would fill the "
            "memory."
        )
    return model


def _reader(
    reading: Reading, request: StreamRequest, growing: GrowingSchema, known: Model | None
) -> Reader[Any] | ReadAhead:
    """Open a reader of the files; for a resumed model, new classes are errors unless allowed."""
    labels = {} if known is None else known.label_options(request.new_classes)
    reader = reading.reader(
        request.data, schema=growing.schema, features=growing.options, grows=True, **labels
    )
    # Two threads are faster if both reading and learning release the interpreter's lock. But a file
    # of rejects must not run ahead of learning, and must be closed on Ctrl-C.
    if growing.kind != "svmlight" or reading.on_bad.startswith("rejects="):
        return reader
    return ReadAhead(reader)


# ---------------------------------------------------------------------- the pass


class StreamRun:
    """State of a stream: the learner, its schema, and the progress to report."""

    def __init__(
        self,
        request: StreamRequest,
        model: LinearLearner,
        growing: GrowingSchema,
        progress: Progress,
    ) -> None:
        self.request = request
        self.model = model
        self.growing = growing
        self.progress = progress
        self.table = _Table(request.as_json or request.quiet, err=request.predictions == "-")

    def learn(
        self, reader: Iterator[Block], predictions: PredictionLines, interrupts: Interrupts
    ) -> OSError | ModelFileError | None:
        """Predict and learn block by block; return the error that ended the pass early, or None."""
        from rosenblatt.errors import ModelFileError

        checkpoints = Checkpoints(self.request.checkpoint, self._write_checkpoint, interrupts)
        try:
            with checkpoints:
                for block in self.growing.blocks(interrupts.between(reader)):
                    self._learn_block(block, predictions, checkpoints)
        except (OSError, ModelFileError) as error:
            # A closed output, a full disk or a model that fails its checks ends the pass. As after
            # Ctrl-C, the model is written.
            return error
        return None

    def _learn_block(
        self, block: Block, predictions: PredictionLines, checkpoints: Checkpoints
    ) -> None:
        is_first = not self.progress.n
        if is_first:
            self._weigh_classes(block.labels)
        X = self.growing.encode(block, self.model)
        if is_first and not self.request.quiet and self.growing.schema is not None:
            say(self.growing.schema.describe(), err=True)
        tested = self.model.predict_then_learn(
            X,
            block.labels,
            block.sample_weight,
            predictions=predictions.is_wanted,
            latest=self.request.count == "latest",
        )
        points = self.progress.add_tested(tested)
        checkpoints.learned(len(block.labels))
        predictions.write(tested.predictions)
        self.table.points(points)

    def _weigh_classes(self, labels: AnyArray) -> None:
        """Set the class weights of the learner, with class names converted to labels."""
        weights = chosen_parameters().get("class_weight")
        if isinstance(weights, dict):
            by_label = weights_by_label(weights, set(labels.tolist()), all_known=False)
            self.model.set_params(class_weight=by_label)

    def _write_checkpoint(self) -> None:
        from rosenblatt.persistence.file import save

        if self.request.path is not None:
            self.model.schema_ = self.growing.schema
            save(self.model, self.request.path)

    def write(self, *, slim: bool) -> None:
        """Write the model, if it has an output path."""
        if self.request.path is not None:
            self.model.schema_ = self.growing.schema
            write_model(self.model, self.request.path, slim=slim)

    def kept(self) -> str:
        """Return the message for a stopped stream: the rows learned, and how to resume."""
        n = self.progress.n
        after = f" after {counted(n, 'row')}"
        if self.model.t_ > n:
            after += f" ({self.model.t_:,} in all)"
        path = self.request.path
        if path is None:
            return f"{after}; without --out no model is kept"
        return f"{after}. What was learned is kept in {path}; continue with --resume {path}"


# ---------------------------------------------------------------------- what to report


def _report(run: StreamRun, n_skipped: int, *, is_interrupted: bool) -> None:
    """Print the result of the stream, as text or as a JSON object."""
    request = run.request
    # With class weights the learner does not minimize the number of mistakes.
    beats_majority = run.progress.beats_majority if run.model.class_weight is None else None
    if not request.quiet:
        say(_notices(run.growing, n_skipped), err=True)
    if request.as_json:
        facts = run.progress.to_json()
        facts |= {
            "baseline": baseline(dict(facts["labels"])),
            "beats_majority": beats_majority,
            "counted": request.count,
            "learner": type(run.model).__name__,
            "features": 0 if run.growing.schema is None else run.growing.schema.n_features,
            "skipped": n_skipped,
            "model": request.path,
            "interrupted": is_interrupted,
        }
        say_json(facts, err=run.table.err)
        return
    lines = _summary(run, beats_majority)
    if request.quiet:
        lines = lines[:1]
    elif request.path is not None:
        lines.append(f"wrote {request.path}")
    say(lines, err=run.table.err)


def _notices(growing: GrowingSchema, n_skipped: int) -> list[str]:
    """Return messages about skipped rows, and about category levels beyond the limit."""
    lines = []
    if n_skipped:
        many = counted(n_skipped, "bad row was", "bad rows were")
        lines.append(f"warning: {many} skipped")
    for name, rows in growing.dropped_levels.items():
        lines.append(
            f"notice: {name}: more levels than there is room for; later ones were ignored in "
            f"{counted(rows, 'row')} (--column {name}=text hashes it)"
        )
    return lines


def _summary(run: StreamRun, beats_majority: bool | None) -> list[str]:
    from rosenblatt.estimators.catalogue import entry_of

    model = run.model
    entry = entry_of(type(model))
    assert entry is not None
    lines = [f"{entry.title_in_sentence}: {run.progress.summary()}"]
    if hasattr(model, "readout_"):
        verb = "counts most in the mix" if model.readout == "mix" else "predicts"
        lines.append(f"read-out that {verb} now: {model.readout_}")
    if (model.averages or model.readout) and run.request.count == "served":
        latest = run.progress.online_mistakes or 0
        rate = 100 * latest / max(run.progress.n, 1)
        lines.append(f"its latest weights: {counted(latest, 'mistake')}, {rate:.2f} %")
    if beats_majority is False:
        lines.append("no better than always predicting the most frequent label so far")
    return lines


class _Table:
    """Table of the progress, printed line by line."""

    def __init__(self, is_silent: bool, err: bool) -> None:
        self.err = err
        self._is_silent = is_silent
        # Number of rows at the last printed line.
        self._last = 0

    def points(self, points: Iterable[Point]) -> None:
        """Print a line for each point of the progress."""
        from rosenblatt.inspection.stream_scores import HEADER

        if self._is_silent:
            return
        for point in points:
            if not self._last:
                say([HEADER], err=self.err)
            say([point.line()], err=self.err)
            self._last = point.n

    def end(self, progress: Progress) -> None:
        """Print the line of the last point, unless it has been printed."""
        self.points([point for point in progress.curve[-1:] if point.n > self._last])


class PredictionLines:
    """Writer of predictions, one per line, to a file or standard output, if requested."""

    def __init__(self, path: str | None, files: NewFiles) -> None:
        self.is_wanted = path is not None
        self._file = None if path is None or path == "-" else files.open(path)

    def write(self, predictions: Sequence[object]) -> None:
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
    """Writer of the model every N rows or N seconds, the latter also while waiting for rows."""

    def __init__(
        self, every: tuple[int, str] | None, write: Callable[[], None], interrupts: Interrupts
    ) -> None:
        self._every, self._unit = every or (0, "")
        self._write = write
        self._interrupts = interrupts
        # Rows learned since the last checkpoint, and its time.
        self._rows = 0
        self._last = time.monotonic()
        self._has_failed = False

    def __enter__(self) -> Self:
        if self._unit == "s":
            self._ring_every(self._every)
        return self

    def __exit__(self, *_: object) -> None:
        if self._unit == "s":
            self._ring_every(0)

    def _ring_every(self, seconds: int) -> None:
        with suppress(AttributeError, ValueError):  # no timer, or not in the main thread
            signal.signal(signal.SIGALRM, self._ring)
            signal.setitimer(signal.ITIMER_REAL, seconds, seconds)

    def _ring(self, *_: object) -> None:
        """Write a checkpoint if the stream is waiting for rows; otherwise `learned` does it."""
        if self._interrupts.waiting and self._rows:
            self._keep()

    def learned(self, rows: int) -> None:
        """Count the rows learned, and write a checkpoint if one is due."""
        self._rows += rows
        if self._unit == "s":
            is_due = time.monotonic() - self._last >= self._every
        else:
            is_due = self._unit == "rows" and self._rows >= self._every
        if is_due:
            self._keep()

    def _keep(self) -> None:
        try:
            self._write()
        except OSError as error:
            if not self._has_failed:
                say([f"warning: no checkpoint: {error}; learning continues"], err=True)
            self._has_failed = True
        self._rows = 0
        self._last = time.monotonic()
