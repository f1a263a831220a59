"""The option --learner, and the options that the class of the named learner declares."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.frame.options import SHARED, Command, Decorated, Section
from rosenblatt.cli.main import Call
from rosenblatt.estimators.catalogue import Entry, entries, find
from rosenblatt.estimators.params import word_of

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from rosenblatt.estimators.params import Option

# Parameters without an option of the same name, and what to use instead.
REPLACED_BY = {
    "early_stopping": "--dev 0.1 holds rows out and stops early",
    "max_iter": "--epochs",
    "random_state": "--seed",
    "record": "--record",
    "standardize": "columns are scaled by their schema; --no-scale takes them as they are",
    "validation_fraction": "--dev",
    "verbose": "progress is shown on a terminal anyway",
    "warm_start": "--resume",
}
# Parameters without an effect in a single pass.
OF_EPOCHS = ("cache_mb", "calibrate", "n_iter_no_change", "shuffle", "tol")
# Default learners: with all rows in memory, and in one pass or over shards.
DEFAULT = "auto"
DEFAULT_ONLINE = "averaged"
ONLINE = {f"--{option}" for option in ("one-pass", "resume", *SHARED)}
SHORTER = {"tag_dictionary": ["--dictionary"]}
OF_ROWS = ("linear", "kernel", "auto")
PARAMETERS = "rosenblatt.parameters"


class LearnerCommand(Command):
    """A command with the option --learner, and with the options of the named learner.

    Only the class of that learner is imported, and only when its options are needed.
    """

    streams = False
    only: str | None = None  # the learner, if the command has only one
    by_hand: tuple[str, ...] = ()  # parameters that the command sets itself

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[PARAMETERS] = {}
        words = {word.partition("=")[0] for word in args}
        resumed = "--resume" in words
        online = self.streams or not words.isdisjoint(ONLINE)
        usual = ctx.meta["rosenblatt.default_learner"] = DEFAULT_ONLINE if online else DEFAULT
        entry = find(self.only or _named_in(args, usual))
        if entry is not None:
            ctx.meta["rosenblatt.estimators"] = entry
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name.lstrip("-").replace("-", "_")
            if resumed and any(name in found.load().options() for found in entries()):
                refusal = (
                    f"{error.option_name} has no meaning with --resume: the model keeps its own."
                )
                raise click.UsageError(refusal, ctx) from None
            if name not in REPLACED_BY or self.streams:
                raise
            raise click.UsageError(
                f"there is no {error.option_name} here: {REPLACED_BY[name]}.", ctx
            ) from None

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        entry: Entry | None = ctx.meta.get("rosenblatt.estimators")
        listed = super().get_params(ctx)
        if entry is None:
            return listed
        if "rosenblatt.options" not in ctx.meta:
            taken = {name for param in listed for name in (*param.opts, *param.secondary_opts)}
            left_out = {*REPLACED_BY, *self.by_hand, *(OF_EPOCHS if self.streams else ())}
            section = f"Options of {'the ' if self.only else '--learner '}{entry.name}"
            added = [
                _shell_option(option, section)
                for option in entry.load().options().values()
                if option.name not in left_out
            ]
            for option in added:
                _refuse_taken(option, taken, entry, self.name)
            ctx.meta["rosenblatt.options"] = added
        params = [*listed, *ctx.meta["rosenblatt.options"]]
        if isinstance(ctx.obj, Call):
            ctx.obj.params = params
        return params


def _refuse_taken(option: click.Option, taken: set[str], entry: Entry, command: str | None) -> None:
    """Raise if a plug-in learner has a parameter named like an option of the command."""
    for name in (*option.opts, *option.secondary_opts):
        if name in taken:
            # Without the context, since its usage line would need the options.
            raise click.UsageError(
                f"the learner {entry.name} has a parameter for which {name} would stand, but "
                f"rosenblatt {command} has a {name} of its own. Rename the parameter, or train in "
                "Python."
            )


class StreamCommand(LearnerCommand):
    """A `LearnerCommand` that learns from every row once."""

    streams = True


class TaggerCommand(LearnerCommand):
    """A `LearnerCommand` whose only learner is the tagger."""

    only = "tagger"
    by_hand = ("columns", "templates")


def chosen_parameters() -> dict[str, Any]:
    """Return the learner parameters given on the command line, by their Python names."""
    given: dict[str, Any] = click.get_current_context().meta[PARAMETERS]
    return dict(given)


def weights_by_label(
    weights: dict[str, float], labels: Iterable[Any], *, all_known: bool
) -> dict[Hashable, float]:
    """Convert the keys of class weights from the names of classes, as typed, to labels.

    Raise if a name is not among `labels`. In a stream, where not all classes are known, a new name
    is allowed if it is of the same type as the labels.
    """
    known = {str(label): label for label in labels}
    number = next((type(one) for one in known.values() if type(one) in (int, float)), None)
    found: dict[Hashable, float] = {}
    for name, weight in weights.items():
        if name in known:
            found[known[name]] = weight
            continue
        label: Hashable = name
        if number is not None:
            with suppress(ValueError):
                label = number(name)
        if label == name and (all_known or number is not None):
            raise click.UsageError(
                f"--class-weight {name}=…: there is no such class; there are "
                f"{', '.join(sorted(known))}."
            )
        found[label] = weight
    return found


def _named_in(args: Sequence[str], name: str) -> str:
    """Return the value of the last ``--learner`` among the arguments; ``name`` if there is none."""
    for argument, following in pairwise([*args, ""]):
        if argument == "--":
            break
        if argument == "--learner":
            name = following
        elif argument.startswith("--learner="):
            name = argument.partition("=")[2]
    return name


def _shell_option(option: Option, section: str) -> click.Option:
    # A trailing underscore only avoids a Python keyword: lambda_ is --lambda.
    dashed = option.name.rstrip("_").replace("_", "-")
    flag = option.kind == "flag"
    default = option.default if option.default is not None else "none"
    return Section(
        [f"--{dashed}/--no-{dashed}" if flag else f"--{dashed}", *SHORTER.get(option.name, ())],
        section=section,
        expose_value=False,
        callback=_kept(option),
        default=None,
        type=click.BOOL if flag else _Value(option),
        metavar=None if flag else _metavar(option),
        help=f"{_first_sentence(option.help)}  [default: {word_of(default)}]",
    )


def _kept(option: Option) -> Callable[[click.Context, click.Parameter, object], None]:
    def keep(ctx: click.Context, param: click.Parameter, value: object) -> None:
        from click.core import ParameterSource

        if ctx.get_parameter_source(param.name or "") is not ParameterSource.DEFAULT:
            ctx.meta[PARAMETERS][option.name] = value

    return keep


class _Value(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.2
    """Type of a learner option: parses and checks values as declared; "none" may mean None."""

    name = "value"

    def __init__(self, option: Option) -> None:
        self._option = option

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> object:
        from rosenblatt.cli.frame.shell_messages import ValueWording
        from rosenblatt.errors import ParameterError

        option = self._option
        if option.optional and str(value).lower() == "none":
            return None
        try:
            parsed = option.parse(str(value))
            option.check(parsed)
        except ParameterError as error:
            self.fail(error.worded(ValueWording()), param, ctx)
        return parsed

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        words = map(word_of, self._option.choices)
        return [CompletionItem(word) for word in words if word.startswith(incomplete)]


def _metavar(option: Option) -> str:
    if option.choices:
        return "|".join(map(word_of, option.choices))
    return {"whole": "N", "number": "NUMBER"}.get(option.kind, "VALUE")


def _first_sentence(text: str) -> str:
    """Return the first sentence of a description as plain text, without code marks."""
    plain = " ".join(text.replace("``", "").split())
    end = plain.find(". ")
    return plain if end < 0 else plain[: end + 1]


def _named(ctx: click.Context, _param: click.Parameter, value: str | None) -> Entry:
    """Find a learner by its name or class name, ignoring case (callback of ``--learner``)."""
    if value is None:
        return ctx.meta["rosenblatt.estimators"]  # type: ignore[no-any-return]
    entry = find(value)
    streams = isinstance(ctx.command, StreamCommand)
    if entry is None or entry.family not in _families(streams):
        from rosenblatt.checks import nearest_name

        known = [entry.name for entry in _trained_on_rows(streams=streams)]
        meant = nearest_name(value, known)
        hint = "" if meant is None else f"Did you mean '{meant}'? "
        raise click.BadParameter(f"there is no '{value}'. {hint}Known: {', '.join(known)}.")
    return entry


def _families(streams: bool) -> tuple[str, ...]:
    return OF_ROWS[:2] if streams else OF_ROWS


def _trained_on_rows(*, streams: bool) -> list[Entry]:
    return [entry for entry in entries() if entry.family in _families(streams)]


def learner_option(*, streams: bool = False) -> Callable[[Decorated], Decorated]:
    """Return the option ``--learner``.

    Tab completes the names of learners; for streams, only of those that store no rows.
    """

    def offered() -> list[str]:
        listed = _trained_on_rows(streams=streams)
        return [entry.name for entry in listed if not (streams and entry.load().keeps_rows)]

    def begun(_ctx: click.Context, _param: click.Parameter, typed: str) -> list[str]:
        return [name for name in offered() if name.startswith(typed.lower())]

    class Named(click.Option):
        # The list may load learners of other packages, so it is made only when the help is shown.
        def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
            *names, last = offered()
            online = "" if streams else f"; {DEFAULT_ONLINE} with --one-pass and --shards"
            self.help = (
                f"Learner: {', '.join(names)} or {last}. Each has its own options; "
                "--learner NAME --help shows them.  "
                f"[default: {DEFAULT_ONLINE if streams else DEFAULT}{online}]"
            )
            return super().get_help_record(ctx)

    return click.option(
        "--learner",
        cls=Named,
        callback=_named,
        shell_complete=begun,
        metavar="NAME",
        help="The learner to train.",
    )
