"""Docstrings of learners, put together from what is declared: each thing is written once."""

from __future__ import annotations

import inspect
import re

from rosenblatt.learner.options import Declared

__all__ = ["complete"]

ENTRY = re.compile(r"^(?=\S)", re.MULTILINE)
HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def complete(cls: type[Declared]) -> None:
    """Add the parameters to the docstring of a class, and the attributes that it inherits."""
    if cls.__doc__ is None or "__doc__" not in cls.__dict__:  # python -OO, or nothing to say
        return
    opening, sections = _sections(cls.__doc__)
    sections["Parameters"] = "".join(option.documented() for option in cls._options.values())
    attributes: dict[str, str] = {}
    for kind in reversed(cls.__mro__[1:]):
        if issubclass(kind, Declared) and "_attributes" in kind.__dict__:
            attributes |= _entries(kind.__dict__["_attributes"])
    own = _entries(sections.get("Attributes", ""))
    cls._attributes = sections.get("Attributes", "")
    if attributes or own:
        sections["Attributes"] = "".join((attributes | own).values())
    first = ["Parameters", "Attributes"]
    order = [*first, *(title for title in sections if title not in first)]
    parts = [f"{t}\n{'-' * len(t)}\n{sections[t].strip()}\n" for t in order if t in sections]
    cls.__doc__ = "\n".join([f"{opening.strip()}\n", *parts])


def _sections(text: str) -> tuple[str, dict[str, str]]:
    """What stands before the first heading, and the text under each."""
    parts = HEADING.split(inspect.cleandoc(text) + "\n")
    return parts[0], dict(zip(parts[1::2], parts[2::2], strict=True))


def _entries(text: str) -> dict[str, str]:
    """Entries of a section by their names."""
    found = [entry.rstrip() + "\n" for entry in ENTRY.split(text) if entry.strip()]
    return {entry.split(" :", 1)[0]: entry for entry in found}
