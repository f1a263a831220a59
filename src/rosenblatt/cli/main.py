"""The command group; a verb is imported when it is called."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, NoReturn

import click

from rosenblatt.errors import InputError, ModelFileError, ParameterError

__all__ = ["main"]

VERBS = {
    "train": "Learn from rows with labels and write a model.",
    "predict": "Print the class of every row of a file.",
    "stream": "Answer every row, then learn from it, in one pass.",
    "evaluate": "Compare the answers of a model with labels.",
    "show": "Tell what a model is: its record and its largest weights.",
    "diff": "Tell two models apart.",
    "check": "Look at data before training: columns, classes, and what gets in the way.",
    "explain": "Say why a model gave this answer, feature by feature.",
    "convert": "Write data as svmlight text.",
    "certify": "Say whether classes can be separated, with a proof either way.",
    "demo": "Train on real data that is at hand and show how it went.",
}
EXIT_INTERRUPTED, EXIT_CLOSED_PIPE = 130, 141
# What the command was asked, what it was given, and where it runs.
EXIT_CODES: dict[type[Exception], int] = {
    ParameterError: 2,
    InputError: 3,
    ModelFileError: 4,
    ImportError: 5,
    OSError: 5,
}


class Verbs(click.Group):
    """Knows its verbs by name and loads the file of the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in VERBS:
            return None
        command: click.Command = import_module(f"rosenblatt.cli.{name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            close = get_close_matches(args[0], VERBS, n=1) if args else []
            hint = f" Did you mean '{close[0]}'?" if close else f" Known: {', '.join(VERBS)}."
            raise click.UsageError(f"there is no command '{args[0]}'.{hint}", ctx) from error


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from rosenblatt import __version__

        click.echo(f"rosenblatt {__version__}")
        ctx.exit()


@click.command(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Examples:  rosenblatt demo    rosenblatt demo --data iris",
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Version."
)
def group() -> None:
    """The perceptron family: learners that are their mistakes."""


def main() -> NoReturn:
    """Run a command; errors of ours are one sentence, never a traceback."""
    try:
        code = group.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(EXIT_INTERRUPTED)
    except SystemExit as closed_pipe:  # click leaves this way only when the reader is gone
        raise SystemExit(EXIT_CLOSED_PIPE) from closed_pipe
    except tuple(EXIT_CODES) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(next(code for kind, code in EXIT_CODES.items() if isinstance(error, kind)))
    sys.exit(code if isinstance(code, int) else 0)
