"""Errors in the words of the shell: arguments of Python become options."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Any

import click

from rosenblatt.errors import Notice, RosenblattError, Setting, Wording

# Options with a name of their own; all others have that of the argument.
OTHER_NAMES = {
    "classes": "new-classes",
    "max_iter": "epochs",
    "random_state": "seed",
    "types": "column",
    "validation_fraction": "dev",
    "validation_set": "dev",
}
# Values that are typed as another word.
OTHER_VALUES = {("classes", None): "allow"}
# Who has the option, where the command at hand has not.
ELSEWHERE = {
    "record": "rosenblatt train ",
    "types": "rosenblatt train ",
    "zero_based": "rosenblatt convert ",
}


class ShellWording(Wording):
    """Settings as the options of a command; cures that it has no option for are left out."""

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
            # What is read as text and not declared as such would be guessed to be this.
            kinds = {"text": "category"}
            value = [f"{name}={kinds.get(kind, kind)}" for name, kind in value.items()]
        several = value if isinstance(value, list | tuple) else [value]
        return " ".join(f"{option} {self.value(one)}" for one in several)

    def value(self, value: Any) -> str:
        """Return a value as it is typed in a shell."""
        if value is None or isinstance(value, bool):
            return {None: "none", True: "yes", False: "no"}[value]
        text = str(value)
        if not text.isprintable():
            escaped = text.encode("unicode_escape").decode("ascii").replace("'", "\\'")
            return f"$'{escaped}'"
        return shlex.quote(text) if any(map(str.isalnum, text)) else f"'{text}'"


class ValueWording(ShellWording):
    """Settings by their values alone, where click has named the option already."""

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
    """Return the text of an error or warning for a command that has these parameters."""
    if isinstance(said, RosenblattError | Notice):
        return said.worded(ShellWording(params))
    return str(said)
