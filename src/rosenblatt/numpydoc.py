"""Split numpydoc docstrings into sections and entries, and join them again."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

ENTRY = re.compile(r"^(?=\S)", re.MULTILINE)
HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
FIRST = ("Parameters", "Attributes")


def sections(text: str) -> tuple[str, dict[str, str]]:
    """Return the text before the first heading, and the text under each heading."""
    parts = HEADING.split(inspect.cleandoc(text) + "\n")
    opening = parts[0]
    titles = parts[1::2]
    bodies = parts[2::2]
    return opening, dict(zip(titles, bodies, strict=True))


def entries(text: str) -> dict[str, str]:
    """Return the entries of a section by name; "a, b : int" has the name "a, b"."""
    parts = [entry.rstrip() + "\n" for entry in ENTRY.split(text) if entry.strip()]
    return {entry.split(" :", 1)[0].strip(): entry for entry in parts}


def join(opening: str, parts: Mapping[str, str]) -> str:
    """Join an opening and sections into a docstring, parameters and attributes first."""
    order = [title for title in FIRST if title in parts]
    order += [title for title in parts if title not in FIRST]
    texts = [f"{title}\n{'-' * len(title)}\n{parts[title].strip()}\n" for title in order]
    return "\n".join([f"{opening.strip()}\n", *texts])


def share(function: Callable[..., Any], shared: Mapping[str, str]) -> None:
    """Add shared entries to a docstring, for the parameters that it does not document.

    ``shared`` maps the names of parameters to entries, as `entries` returns them.
    """
    if function.__doc__ is None:  # python -OO removes docstrings
        return
    opening, parts = sections(function.__doc__)
    known = entries(parts.get("Parameters", ""))

    # One entry may document several parameters: "a, b : int".
    documented = {name.strip() for entry in known for name in entry.split(",")}
    names = list(inspect.signature(function).parameters)
    for name in names:
        if name in shared and name not in documented:
            known[name] = shared[name]

    if known:
        order = sorted(known, key=lambda entry: names.index(entry.split(",")[0]))
        parts["Parameters"] = "".join(known[entry] for entry in order)
    function.__doc__ = join(opening, parts)
