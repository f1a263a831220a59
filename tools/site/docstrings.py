"""Docstrings of the library as Markdown."""

from __future__ import annotations

import inspect
import re
from typing import Any

from rosenblatt.numpydoc import entries, sections

EXAMPLE = re.compile(r"^>>> .*?(?=\n\n(?!>>>)|\Z)", re.MULTILINE | re.DOTALL)


def prose(text: str) -> str:
    """Double backticks and examples as Markdown writes them; of a star the star is meant."""
    fenced = EXAMPLE.sub(lambda found: f"```python\n{found[0]}\n```", text.strip())
    parts = re.split(r"(```.*?```)", fenced, flags=re.DOTALL)
    # What stands between backticks, of which there may be two, is code already.
    return "".join(p if p.startswith("```") else _plain(p) for p in parts)


def _plain(text: str) -> str:
    words = re.split(r"(``.+?``|`[^`]+`)", text, flags=re.DOTALL)
    words[::2] = [re.sub(r"([*_<])", r"\\\1", word) for word in words[::2]]
    return "".join(words).replace("``", "`")


def of(text: str | None, *, level: int | None = None) -> str:
    """A docstring, its sections under headings of a level, or under words in bold."""
    opening, parts = sections(text or "")
    lines = [prose(opening)]
    for title, body in parts.items():
        lines += [f"{'#' * level} {title}" if level else f"**{title}**", _listed(body, title)]
    return "\n\n".join(lines) + "\n"


def _listed(body: str, title: str) -> str:
    if title in ("Examples", "Notes"):
        return prose(body)
    if title == "References":
        return prose(body).replace("\n", "  \n")
    items = []
    for name, entry in entries(body).items():
        head, _, rest = entry.partition("\n")
        kind = head.partition(" : ")[2]
        said = prose(inspect.cleandoc(rest)).replace("\n", "\n    ") if rest.strip() else ""
        # In "See Also" what follows the name is the whole entry.
        if title == "See Also":
            items.append(f"- `{name}`: {prose(kind)}")
        else:
            items.append(
                f"- **`{name}`**" + (f" {_plain(kind)}" if kind else "") + f"\n\n    {said}"
            )
    return "\n\n".join(items)


def signature(name: str, thing: Any) -> str:
    """How it is called, an argument a line where one line is too long."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    arguments = [
        str(one.replace(annotation=one.empty))
        for one in found.parameters.values()
        if one.name not in ("self", "cls") and not one.name.startswith("_")
    ]
    keyword = next((n for n, one in found.parameters.items() if one.kind is one.KEYWORD_ONLY), None)
    if keyword is not None:
        names = [argument.partition("=")[0] for argument in arguments]
        if keyword in names and not any(n.startswith("*") for n in names):
            arguments.insert(names.index(keyword), "*")
    short = f"{name}({', '.join(arguments)})"
    return short if len(short) < 88 else f"{name}(\n    " + ",\n    ".join(arguments) + ",\n)"
