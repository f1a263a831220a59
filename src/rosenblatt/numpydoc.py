"""Docstrings taken apart into sections and entries, so that what is shared is written once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

ENTRY = re.compile(r"^(?=\S)", re.MULTILINE)
HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
FIRST = ("Parameters", "Attributes")


def sections(text: str) -> tuple[str, dict[str, str]]:
    """What stands before the first heading, and the text under each."""
    parts = HEADING.split(inspect.cleandoc(text) + "\n")
    return parts[0], dict(zip(parts[1::2], parts[2::2], strict=True))


def entries(text: str) -> dict[str, str]:
    """Entries of a section by their names."""
    parts = [entry.rstrip() + "\n" for entry in ENTRY.split(text) if entry.strip()]
    return {entry.split(" :", 1)[0].strip(): entry for entry in parts}


def join(opening: str, parts: Mapping[str, str]) -> str:
    """The docstring of an opening and its sections, parameters and attributes first."""
    order = [title for title in FIRST if title in parts]
    order += [title for title in parts if title not in FIRST]
    texts = [f"{title}\n{'-' * len(title)}\n{parts[title].strip()}\n" for title in order]
    return "\n".join([f"{opening.strip()}\n", *texts])


def share(function: Callable[..., Any], shared: Mapping[str, str]) -> None:
    """Explain the parameters of a function that it does not explain itself as others of its room.

    ``shared`` has the entries by name, as `entries` gives them.
    """
    if function.__doc__ is None:  # python -OO
        return
    opening, parts = sections(function.__doc__)
    known = entries(parts.get("Parameters", ""))
    own = {name.strip() for entry in known for name in entry.split(",")}
    names = [*inspect.signature(function).parameters]
    known |= {name: shared[name] for name in names if name in shared and name not in own}
    order = sorted(known, key=lambda entry: names.index(entry.split(",")[0]))
    parts |= {"Parameters": "".join(known[entry] for entry in order)} if known else {}
    function.__doc__ = join(opening, parts)


def with_attributes(text: str | None, base: str | None) -> str | None:
    """A docstring with the attributes of another before its own, which say more where both do."""
    if text is None or base is None:  # python -OO, or nothing to say
        return text
    opening, parts = sections(text)
    known = [sections(base)[1].get("Attributes", ""), parts.get("Attributes", "")]
    both = entries(known[0]) | entries(known[1])
    return join(opening, parts | {"Attributes": "".join(both.values())})
