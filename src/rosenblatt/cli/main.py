"""The command groups, and the conversion of errors to messages and exit codes."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import click

from rosenblatt.cli.frame.interrupts import Interrupts, prepare_streams
from rosenblatt.errors import InputError, ModelFileError, ParameterError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Call:  # not a dataclass, whose import would slow down every command
    """State of one run of the program, needed when it fails or is interrupted."""

    def __init__(self) -> None:
        self.params: Sequence[click.Parameter] = ()  # including the options of the learner
        self.traceback = False
        self.interrupts = Interrupts()
        self.written = ""  # path of the model, once it is written


def _traceback(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and isinstance(ctx.obj, Call):
        ctx.obj.traceback = True


def traceback_option(**settings: Any) -> click.Option:
    return click.Option(
        ["--traceback"],
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=_traceback,
        help="Show where in the code an error occurred; also allowed after a command.",
        **settings,
    )


class Choice(click.Choice):  # type: ignore[type-arg]  # not generic before click 8.2
    """A choice whose error suggests the closest value."""

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            from rosenblatt.checks import nearest_name

            meant = nearest_name(str(value), map(str, self.choices))
            if meant is None:
                raise
            said = f"{error.message.rstrip('.')}. Did you mean '{meant}'?"
            raise click.BadParameter(said, ctx, param) from None


class Verbs(click.Group):
    """A command group that imports the module of a command only when the command is called.

    ``verbs`` maps the name of each command to its line of help; ``files`` is the prefix of the
    module names, after ``rosenblatt.cli.``. A command registered on the group needs no module.
    """

    def __init__(
        self, *given: Any, verbs: dict[str, str], files: str = "verbs.", **settings: Any
    ) -> None:
        super().__init__(*given, **settings)
        self.verbs = verbs
        self._files = files

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.verbs)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.verbs:
            return None
        command = self.commands.get(name)
        if command is None:
            command = import_module(f"rosenblatt.cli.{self._files}{name}").command
        _complete_with_what_all_have(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.verbs.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            found = super().resolve_command(ctx, args)
        except click.UsageError as error:
            from rosenblatt.checks import nearest_name

            meant = nearest_name(args[0], self.verbs) if args else None
            hint = f"Did you mean '{meant}'?" if meant else f"Known: {', '.join(self.verbs)}."
            raise click.UsageError(f"there is no command '{args[0]}'. {hint}", ctx) from error
        if isinstance(ctx.obj, Call) and found[1] is not None:
            ctx.obj.params = found[1].params
        return found

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete command names without importing the commands, as click would for their help."""
        from click.shell_completion import CompletionItem

        verbs = [
            CompletionItem(name, help=about)
            for name, about in self.verbs.items()
            if name.startswith(incomplete)
        ]
        return verbs + click.Command.shell_complete(self, ctx, incomplete)


def _complete_with_what_all_have(command: click.Command) -> None:
    for param in command.params:
        if type(param.type) is click.Choice:
            param.type = Choice(param.type.choices, param.type.case_sensitive)
    if not any("--traceback" in param.opts for param in command.params):
        command.params.append(traceback_option(hidden=True))


PROGRAM = "rosenblatt"
COMPLETE = "_ROSENBLATT_COMPLETE"  # the variable that click derives from the program name
VERBS = {
    "demo": "Train on a bundled data set and show how it went.",
    "check": "Check data for problems before training.",
    "train": "Learn from rows with labels and write a model.",
    "predict": "Print the class of every row of a file.",
    "evaluate": "Compare the predictions of a model with labels.",
    "stream": "Predict every row, then learn from it, in one pass.",
    "explain": "Explain a prediction, feature by feature.",
    "show": "Describe a model: its training and its largest weights.",
    "diff": "Compare two models.",
    "convert": "Write a model as ONNX, or data as svmlight text.",
    "pack": "Convert data into one file that training memory-maps.",
    "certify": "Decide whether classes are linearly separable, with a proof either way.",
    "plot": "Draw what a model learned, and how, into a file.",
    "tag": "Learn to tag the words of sentences, and tag them.",
    "studio": "Show every update of a perceptron in the browser.",
    "docs": "Open the guide, the course and the reference in the browser.",
    "completion": "Print a script that completes commands and options with Tab.",
}
EXIT_FAILED = 1
EXIT_CLOSED_PIPE = 141
# Errors in the usage, the data, the model file and the environment.
EXIT_CODES: dict[type[Exception], int] = {
    ParameterError: 2,
    InputError: 3,
    ModelFileError: 4,
    ImportError: 5,
    OSError: 5,
}


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from rosenblatt import __version__

        click.echo(f"rosenblatt {__version__}")
        ctx.exit()


@click.command(
    cls=Verbs,
    verbs=VERBS,
    context_settings={"help_option_names": ["-h", "--help"]},
    params=[traceback_option(envvar="ROSENBLATT_TRACEBACK", show_envvar=True)],
    epilog="\b\nExamples:\n  rosenblatt demo\n  rosenblatt train iris.csv --target species\n"
    "  rosenblatt predict iris.rbt new.csv\n\n"
    "rosenblatt help COMMAND describes a command in full.",
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_version,
    help="Show the version and exit.",
)
def group() -> None:
    """Train, apply and inspect linear classifiers of the perceptron family.

    A model is trained on a file of rows with labels (CSV, JSON lines, text, svmlight and others).
    It predicts the rows of other files, explains its predictions, and can be trained further.
    rosenblatt tag tags the words of sentences.
    """


@group.command(
    cls=Verbs,
    verbs={
        "train": "Learn from sentences with tags and write a tagger.",
        "predict": "Tag the words of sentences, from a file or a pipe.",
        "evaluate": "Compare the predictions of a tagger with tags.",
    },
    files="tag.tag_",
    epilog="\b\nExamples:\n  rosenblatt tag train train.conllu --column upos -o tagger.rbt\n"
    '  echo "the dog barks" | rosenblatt tag predict tagger.rbt\n'
    "  rosenblatt tag evaluate tagger.rbt test.conllu\n\n"
    "rosenblatt tag COMMAND --help describes a command in full.",
)
def tag() -> None:
    """Tag the words of sentences: parts of speech, chunks, names.

    Sentences come in CoNLL-U, in other columns (one word and its tags per line, a blank line after
    each sentence), or as text, one sentence per line. The tagger is an averaged structured
    perceptron: it searches for the best sequence of tags and learns from those it gets wrong.
    """


@group.command(
    epilog='\b\nExamples:\n  eval "$(rosenblatt completion bash)"\n'
    "  rosenblatt completion fish > ~/.config/fish/completions/rosenblatt.fish\n\n"
    "The first, with bash or zsh, goes in ~/.bashrc or ~/.zshrc."
)
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def completion(shell: str) -> None:
    """Print a script that lets SHELL complete commands, options and choices with Tab."""
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(group, {}, PROGRAM, COMPLETE).source())


def main() -> NoReturn:
    """Run the command line and exit; errors are printed without a traceback unless requested."""
    if os.environ.get(COMPLETE):
        group.main(prog_name=PROGRAM)  # prints the completions for the shell and exits
    run = Call()
    prepare_streams()
    run.interrupts.listen()
    code = _run(run)
    run.interrupts.stop_listening()
    sys.exit(code)


def _run(run: Call) -> int:
    try:
        code = group.main(prog_name=PROGRAM, standalone_mode=False, obj=run)
    except click.NoSuchOption as error:
        _show(_no_option(error, run.params))
        return error.exit_code
    except click.ClickException as error:
        _show(error)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _interrupted(run.interrupts)
    except SystemExit:  # click raises it only if the output is a closed pipe
        return EXIT_CLOSED_PIPE
    except Exception as error:
        # Some libraries convert KeyboardInterrupt to another error.
        return _interrupted(run.interrupts) if run.interrupts.raised else _failed(error, run)
    return code if isinstance(code, int) else 0


def _show(error: click.ClickException) -> None:
    """Print the usage of the command and the error message."""
    from rosenblatt.cli.frame.terminal import say

    ctx = getattr(error, "ctx", None)
    if ctx is not None:
        click.echo(f"{ctx.get_usage()}\nTry '{ctx.command_path} --help' for help.\n", err=True)
    say(f"error: {error.format_message()}".splitlines(), err=True)


def _no_option(error: click.NoSuchOption, params: Sequence[click.Parameter]) -> click.UsageError:
    """Return the error for an unknown option, suggesting a similar one or learners that have it."""
    from rosenblatt.checks import nearest_name

    if error.ctx is not None:
        params = error.ctx.command.get_params(error.ctx)
    known = (name for param in params for name in (*param.opts, *param.secondary_opts))
    meant = nearest_name(error.option_name, (name for name in known if name.startswith("--")))
    hint = "" if meant is None else f" Did you mean '{meant}'?"
    if meant is None and any("--learner" in param.opts for param in params):
        from rosenblatt.estimators.catalogue import entries

        name = error.option_name.lstrip("-").replace("-", "_")
        rows = [one for one in entries() if one.family in ("linear", "kernel", "auto")]
        owners = [one.name for one in rows if name in one.load().options()]
        hint = f" It is one of --learner {', '.join(owners)}." if owners else ""
    return click.UsageError(f"there is no option {error.option_name}.{hint}", error.ctx)


def _interrupted(interrupts: Interrupts) -> int:
    interrupts.stop_listening()
    from rosenblatt.cli.frame.terminal import say

    say([f"interrupted{interrupts.outcome}"], err=True)
    return 128 + (interrupts.heard or signal.SIGINT)


def _failed(error: Exception, run: Call) -> int:
    """Print the error, with a traceback if requested, and return the exit code."""
    if run.traceback:
        import traceback

        traceback.print_exception(error)
    from rosenblatt.cli.frame.terminal import say

    written = f" (the model is whole: wrote {run.written})" if run.written else ""
    for kind, code in EXIT_CODES.items():
        if isinstance(error, kind):
            from rosenblatt.cli.frame.shell_messages import in_shell_words

            said = in_shell_words(error, run.params) + written
            say(f"error: {said}".splitlines(), err=True)
            return code
    say([f"error: {_unexpected(error)}{written}"], err=True)
    return EXIT_FAILED


def _unexpected(error: Exception) -> str:
    if isinstance(error, MemoryError):
        about = f" ({error})" if str(error) else ""
        return (
            f"out of memory{about}. rosenblatt stream takes data of any length; --traceback shows "
            "where it happened."
        )
    from traceback import extract_tb

    from rosenblatt import __version__

    place = extract_tb(error.__traceback__)[-1]
    said = " ".join(str(error).split())
    return (
        f"a fault of rosenblatt {__version__}, not of yours: {type(error).__name__}"
        f"{': ' if said else ''}{said} ({os.path.basename(place.filename)}, line {place.lineno}). "
        "Please report it to its makers, with what the same command prints with --traceback."
    )
