"""Options shared by several commands, and help that lists options in sections."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from rosenblatt.cli.frame.destinations import ARGUMENTS, check_name, keep_rejects_apart
from rosenblatt.errors import DataError, Setting, Words

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
Request = TypeVar("Request", bound="DataclassInstance")


class Whole(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.2
    """An integer type with limits, shown in errors but not in the help."""

    name = "n"

    def __init__(self, least: int, most: int | None = None) -> None:
        self.least = least
        self.most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number = int(value)
        except ValueError:
            number = None
        if number is None or number < self.least or not (self.most is None or number <= self.most):
            range_ = f"from {self.least} " + ("on" if self.most is None else f"to {self.most}")
            self.fail(f"'{value}': give a whole number {range_}.", param, ctx)
        return number


SEED = Whole(0, 2**64 - 1)
MODEL = click.Path(exists=True, dir_okay=False)


class Section(click.Option):
    """An option that is listed in a section of the help."""

    def __init__(self, *given: Any, section: str, **settings: Any) -> None:
        super().__init__(*given, **settings)
        self.section = section


def in_section(title: str) -> Callable[..., Callable[[Decorated], Decorated]]:
    """Return a variant of `click.option` that lists its options in the help section ``title``."""

    def option(*names: str, **settings: Any) -> Callable[[Decorated], Decorated]:
        return click.option(*names, cls=Section, section=title, **settings)

    return option


def all_of(options: Sequence[Callable[..., Any]]) -> Callable[[Decorated], Decorated]:
    """Combine options into one decorator; the help lists them in this order."""

    def add(command: Decorated) -> Decorated:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def on_bad_option(unit: str, default: str = "fail") -> Callable[[Decorated], Decorated]:
    """Return the option ``--on-bad``: how to handle units (rows, sentences) that cannot be read."""
    return in_section("Reading the data")(
        "--on-bad",
        callback=_on_bad,
        metavar="HOW",
        default=default,
        show_default=True,
        help=f"What to do with a {unit} that cannot be read: fail; skip it; blank, which skips it, "
        "reports it and ends with 3; or rejects=FILE to put it there.",
    )


def text_options(unit: str) -> tuple[Callable[[Decorated], Decorated], ...]:
    """Return the options of all commands that read text; `unit` is "row" or "sentence"."""
    option = in_section("Reading the data")
    return (
        option(
            "--encoding",
            metavar="NAME",
            help="Encoding of the file, such as latin-1.  [default: UTF-8 or auto-detected]",
        ),
        on_bad_option(unit),
        option(
            "--max-line-bytes",
            type=Whole(1),
            help=f"Maximum length of a {unit}, in bytes.  [default: 16,777,216]",
        ),
    )


def _on_bad(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
    if value.startswith("rejects="):
        check_name("--on-bad", value.removeprefix("rejects="))
    return value


def _jobs(_ctx: click.Context, _param: click.Parameter, value: int | None) -> int | None:
    if value == 0:
        raise click.BadParameter("give 1 thread or more, or -1 for one on each processor.")
    return value


n_jobs_option = click.option(
    "--n-jobs",
    type=Whole(-(2**31)),
    callback=_jobs,
    help="Threads for prediction; -1 uses one per processor.  [default: 1]",
)
threshold_option = click.option(
    "--threshold",
    type=click.FLOAT,
    metavar="NUMBER",
    help="Predict the second of two classes where its probability is above this; its score, if "
    "the model has no probabilities.",
)


READERS = "rosenblatt.readers"  # key in `ctx.meta` of readers whose bad rows may be reported
MAX_REPORTED = 5
EXIT_BAD_DATA = 3


class SkipsRows(Protocol):
    """A reader that counts the rows it skips."""

    @property
    def skipped(self) -> int: ...

    @property
    def first_faults(self) -> list[DataError]: ...


def watch_bad_rows(reader: SkipsRows) -> None:
    """Register a reader; with --on-bad blank, the rows it skips are reported, with exit code 3."""
    ctx = click.get_current_context(silent=True)
    if ctx is not None:
        ctx.meta.setdefault(READERS, []).append(reader)


def cures_but_skipping(error: DataError) -> list[Words]:
    """Return the cures of an error, except the advice to skip the row."""
    return [cure for cure in error.cures if Setting("on_bad", "skip") not in cure.settings]


def _report_bad(readers: Sequence[SkipsRows], params: Sequence[click.Parameter]) -> None:
    from rosenblatt.cli.frame.shell_messages import in_shell_words
    from rosenblatt.cli.frame.terminal import say

    faults = [fault for reader in readers for fault in reader.first_faults]
    shown = faults[:MAX_REPORTED]
    for fault in shown:
        without_advice = fault.reworded(cures=cures_but_skipping(fault))
        say(f"error: {in_shell_words(without_advice, params)}".splitlines(), err=True)
    more = sum(reader.skipped for reader in readers) - len(shown)
    if more:
        say([f"error: and {more:,} more like these"], err=True)


# Options that name files, in addition to parameters of type `click.Path`.
FILES = ("dev", "names", "out", "resume")


class Command(click.Command):
    """A command whose help lists options in sections and that reports bad rows at its end."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[ARGUMENTS] = tuple(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        files: list[str] = []
        for param in self.params:
            value = ctx.params.get(param.name or "")
            if isinstance(param.type, click.Path) or param.name in FILES:
                files += [value] if isinstance(value, str) else value or ()
        keep_rejects_apart(ctx.params.get("on_bad") or "", files)
        code = super().invoke(ctx)
        if ctx.params.get("on_bad") == "blank" and any(
            r.skipped for r in ctx.meta.get(READERS, ())
        ):
            _report_bad(ctx.meta[READERS], self.params)
            return code or EXIT_BAD_DATA
        return code

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and isinstance(param, click.Option):
                sections.setdefault(getattr(param, "section", "Options"), []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


def taken(request: type[Request], options: dict[str, Any]) -> Request:
    """Pop the fields of a dataclass from the options of a command, and return an instance."""
    return request(**{field.name: options.pop(field.name) for field in fields(request)})


def use_one_thread() -> None:
    """Limit the linear algebra of NumPy to one thread, unless the user has set a number.

    The systems that decide separability are small: several threads only wait for each other, on a
    busy machine for seconds. Call it before NumPy is imported; later it has no effect.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def said(name: str) -> bool:
    """Return whether the user set the option whose parameter has this name."""
    from click.core import ParameterSource

    source = click.get_current_context().get_parameter_source(name)
    return source not in (None, ParameterSource.DEFAULT)


def refuse_together(against: Mapping[str, Sequence[str]]) -> None:
    """Raise if an option is combined with another one that makes it meaningless."""
    for mode, others in against.items():
        for other in others:
            if said(mode) and said(other):
                names = [f"--{name.replace('_', '-')}" for name in (other, mode)]
                raise click.UsageError(f"{names[0]} has no meaning with {names[1]}.")


# ---------------------------------------------------------------------- of commands that train


def _only_resumed(context: click.Context, _: click.Parameter, value: str | None) -> str | None:
    if value == "refuse" and context.params.get("resume") is None:
        raise click.UsageError("--new-classes refuse needs --resume: a new model has no classes.")
    return value


new_classes_option = click.option(
    "--new-classes",
    type=click.Choice(["allow", "refuse"]),
    callback=_only_resumed,
    help="What to do with an unseen label.  [default: allow; with --resume: refuse]",
)


slim_option = click.option(
    "--slim", is_flag=True, help="Write a small model that predicts but cannot be trained further."
)


def train_options(
    units: str, model: str, *, epochs: int | str, dev: str, record: str
) -> Callable[[Decorated], Decorated]:
    """Return the training options of all learners; `units` names the examples in their help."""
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
            help=f"Maximum number of passes over the {units}.  [default: {epochs}]",
        ),
        click.option("--dev", metavar="FILE|SHARE", help=dev),
        click.option(
            "--seed",
            type=SEED,
            default=0,
            show_default=True,
            help=f"Seed for the random order of the {units}; equal seeds give equal {model}s.",
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
            help=f"Resume this {model}: one pass over the {units}, or --epochs N.",
        ),
        click.option(
            "--record",
            is_flag=True,
            help=record,
        ),
        slim_option,
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
        click.option("--quiet", is_flag=True, help="Print errors only, and what --json prints."),
    )

    return all_of(options)


def share_of(dev: str | None) -> float | None:
    """Parse --dev as a share of the data; return None if it is not given or names a file."""
    if dev is None or os.path.exists(dev):
        return None
    try:
        share = float(dev)
    except ValueError:
        raise click.UsageError(f"--dev {dev}: there is no such file.") from None
    if not 0 < share < 1:
        raise click.UsageError(f"--dev {dev}: give a file or a share between 0 and 1, such as 0.1.")
    return share


def refuse_parameters(parameters: Mapping[str, object]) -> None:
    """Raise if learner parameters are given for a resumed model, which keeps its own."""
    for name in parameters:
        raise click.UsageError(
            f"--{name.replace('_', '-')} has no meaning with --resume: the model keeps its own."
        )


# ---------------------------------------------------------------------- shards


_of_shards = in_section("Shards and clusters")
SHARED = ("shards", "engine", "cluster", "workers", "mix", "checkpoint")
sharding_options = all_of(
    (
        _of_shards(
            "--shards",
            type=Whole(1),
            help="Cut DATA into N pieces that learn in parallel, and mix their models; DATA "
            "may be patterns in quotes, such as 'part-*.svm.gz'.",
        ),
        _of_shards(
            "--engine",
            type=click.Choice(["threads", "processes", "dask"]),
            help="What works on the shards.  [default: threads; with --cluster: dask]",
        ),
        _of_shards(
            "--cluster",
            metavar="ADDRESS",
            help="Address of a Dask scheduler, such as tcp://10.0.0.7:8786.",
        ),
        _of_shards(
            "--workers",
            type=Whole(1),
            help="Number of threads or processes.  [default: one per processor]",
        ),
        _of_shards(
            "--mix",
            type=click.Choice(["uniform", "mistakes"]),
            help="Weight shards equally or by their mistakes.  [default: uniform]",
        ),
        _of_shards(
            "--checkpoint",
            metavar="FILE",
            help="Write the model to FILE after every epoch; if it exists, resume from it.",
        ),
    )
)
NOT_OF_SHARDS = dict.fromkeys(
    SHARED, ("resume", "one_pass", "record", "schema_from", "new_classes", "cv")
)


class DataPath(click.Path):
    """Path type of training data: a file or, for shards, a pattern or an address (URL)."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if any(mark in value for mark in "*?[") or "://" in value:
            return value
        return super().convert(value, param, ctx)


TRAINING_DATA = DataPath(exists=True, dir_okay=False, allow_dash=True)


def taken_shards(options: dict[str, Any], data: Sequence[str]) -> dict[str, Any] | None:
    """Pop the options about shards and return the arguments of `distribute`.

    If none is set, check that the data are files, and return None.
    """
    given = {name: options.pop(name) for name in SHARED}
    if not any(given.values()):
        for path in data:
            super(DataPath, TRAINING_DATA).convert(path, None, click.get_current_context())
        return None
    refuse_together(NOT_OF_SHARDS)
    chosen = {"client": given["cluster"], "n_workers": given["workers"]}
    chosen |= {name: given[name] for name in ("shards", "engine", "checkpoint")}
    return chosen | {"mix": given["mix"] or "uniform"}
