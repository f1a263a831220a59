"""Split numpydoc docstrings into sections and entries, and join them again."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping

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
