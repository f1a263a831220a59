"""rosenblatt completion: a script with which a shell completes commands and options."""

from __future__ import annotations

import click

from rosenblatt.cli.frame.options import Command

SHELLS = ("bash", "zsh", "fish")


@click.command(
    cls=Command,
    name="completion",
    epilog='\b\nExamples:\n  eval "$(rosenblatt completion bash)"\n'
    "  rosenblatt completion fish > ~/.config/fish/completions/rosenblatt.fish\n\n"
    "The first, with bash or zsh, belongs into ~/.bashrc or ~/.zshrc.",
)
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print a script that lets SHELL complete commands, options and choices with Tab."""
    from click.shell_completion import get_completion_class

    from rosenblatt.cli.main import COMPLETE, PROGRAM, group

    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(group, {}, PROGRAM, COMPLETE).source())
