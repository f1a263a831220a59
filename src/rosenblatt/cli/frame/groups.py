"""Groups of commands: a verb is imported when it is called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import click


@dataclass
class Run:
    """What is to be known of a call when it fails."""

    params: Sequence[click.Parameter] = ()  # of the command, also those that depend on the learner
    traceback: bool = False


def _traceback(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and isinstance(ctx.obj, Run):
        ctx.obj.traceback = True


def traceback_option(**settings: Any) -> click.Option:
    return click.Option(
        ["--traceback"],
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=_traceback,
        help="Show where in the code an error came up; it may also follow a command.",
        **settings,
    )


class Choice(click.Choice):  # type: ignore[type-arg]  # not generic before click 8.2
    """A choice that knows what was meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            from difflib import get_close_matches

            close = get_close_matches(str(value), map(str, self.choices), n=1)
            if not close:
                raise
            meant = f"{error.message.rstrip('.')}. Did you mean '{close[0]}'?"
            raise click.BadParameter(meant, ctx, param) from None


class Verbs(click.Group):
    """Knows its verbs by name and loads the file of the one that is called, if it has one.

    ``verbs`` has a line on each; ``files`` is how the name of its module begins, after
    ``rosenblatt.cli.``.
    """

    def __init__(
        self, *given: Any, verbs: dict[str, str], files: str = "verbs.", **settings: Any
    ) -> None:
        super().__init__(*given, **settings)
        self.verbs, self._files = verbs, files

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

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        try:
            found = super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            close = get_close_matches(args[0], self.verbs, n=1) if args else []
            known = ", ".join(self.verbs)
            hint = f" Did you mean '{close[0]}'?" if close else f" Known: {known}."
            raise click.UsageError(f"there is no command '{args[0]}'.{hint}", ctx) from error
        if isinstance(ctx.obj, Run) and found[1] is not None:
            ctx.obj.params = found[1].params
        return found

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Without loading the verbs, as click would for a line on each."""
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
