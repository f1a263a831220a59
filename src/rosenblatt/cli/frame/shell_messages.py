"""Error messages in the shell: Python arguments are shown as command-line options."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Any

import click

from rosenblatt.errors import Notice, RosenblattError, Setting, Wording

# Names of options that differ from those of the arguments.
OTHER_NAMES = {
    "classes": "new-classes",
    "max_iter": "epochs",
    "random_state": "seed",
    "types": "column",
    "validation_fraction": "dev",
    "validation_set": "dev",
}
# Values that are spelled differently in the shell.
OTHER_VALUES = {("classes", None): "allow"}
# Commands that have an option which the current command may lack.
ELSEWHERE = {
    "record": "rosenblatt train ",
    "types": "rosenblatt train ",
    "zero_based": "rosenblatt convert ",
}


class ShellWording(Wording):
    """Wording of settings as options of a command; cures without an option are left out."""

    def __init__(self, params: Iterable[click.Parameter]) -> None:
        self._options = {name for param in params for name in (*param.opts, *param.secondary_opts)}

    def offers(self, setting: Setting) -> bool:
        return _option(setting) in self._options or setting.name in ELSEWHERE

    def setting(self, setting: Setting) -> str:
        option = _option(setting)
        value = setting.value
        if value is not ... and not isinstance(value, dict | list):
            value = OTHER_VALUES.get((setting.name, value), value)
        if option not in self._options:
            option = ELSEWHERE.get(setting.name, "") + option
            if not self.offers(setting):
                option = setting.name.replace("_", " ")
        if value is ... or isinstance(value, bool):
            return option
        if isinstance(value, dict):
            # In Python type "text" only means strings, which is kind "category" in the shell.
            kinds = {"text": "category"}
            value = [f"{name}={kinds.get(kind, kind)}" for name, kind in value.items()]
        several = value if isinstance(value, list | tuple) else [value]
        return " ".join(f"{option} {self.value(one)}" for one in several)

    def value(self, value: object) -> str:
        """Return a value as typed in a shell, quoted if needed."""
        if value is None or isinstance(value, bool):
            return {None: "none", True: "yes", False: "no"}[value]
        text = str(value)
        if not text.isprintable():
            escaped = text.encode("unicode_escape").decode("ascii").replace("'", "\\'")
            return f"$'{escaped}'"
        return shlex.quote(text) if any(map(str.isalnum, text)) else f"'{text}'"


class ValueWording(ShellWording):
    """Wording of settings by their values alone, for messages in which click names the option."""

    def __init__(self) -> None:
        super().__init__(())

    def offers(self, setting: Setting) -> bool:
        return True

    def setting(self, setting: Setting) -> str:
        return setting.name if setting.value is ... else self.value(setting.value)


def _option(setting: Setting) -> str:
    name = OTHER_NAMES.get(setting.name, setting.name).rstrip("_").replace("_", "-")
    return f"--no-{name}" if setting.value is False else f"--{name}"


def in_shell_words(said: Exception, params: Iterable[click.Parameter]) -> str:
    """Return the text of an error or warning, worded for a command with these parameters."""
    if isinstance(said, RosenblattError | Notice):
        return said.worded(ShellWording(params))
    return str(said)
