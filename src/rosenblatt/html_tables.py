"""What notebooks show, as plain HTML in the colours of the page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from rosenblatt.text_tables import ordinary

# What the body of a page says of its theme: that of JupyterLab and Notebook, that of VS Code.
DARK_PAGE = "[data-jp-theme-light=false],.vscode-dark"
LIGHT_PAGE = "[data-jp-theme-light=true],.vscode-light"
FIELD = "text-align:left;vertical-align:top;padding:2px 12px 2px 0"
CELL = "text-align:right;padding:2px 12px 2px 0"
# Of a long list so many are shown: from a field the first, of a table the first and the last.
MOST_VALUES, MOST_ROWS, LONGEST_TEXT = 8, 10, 200


def escape(text: str) -> str:
    """Text as HTML shows it."""
    from html import escape  # whose table of all entities few ask for

    return escape(text)


def html_card(*parts: str) -> str:
    """Parts one below the other, in the type of the page."""
    style = "font-family:system-ui,sans-serif;font-size:0.9em;margin:0.5em 0"
    return f'<div style="{style}">{"".join(parts)}</div>'


def html_table(caption: str, head: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    """A table without scripts; everything is escaped."""
    titles = "".join(f"<th scope=col style='{CELL}'>{escape(str(t))}</th>" for t in head)
    body = "".join(
        "<tr>" + "".join(f"<td style='{CELL}'>{escape(str(c))}</td>" for c in row) + "</tr>"
        for row in rows
    )
    above = f"<caption style='text-align:left'>{escape(caption)}</caption>" if caption else ""
    return f"<table>{above}<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def html_picture(light: bytes, dark: bytes, words: str) -> str:
    """A PNG in two themes, of which the page's own is seen; the light one where none is known."""
    from base64 import b64encode

    light_url, dark_url = (
        f"data:image/png;base64,{b64encode(png).decode()}" for png in (light, dark)
    )
    alt = f'alt="{escape(words)}"'
    return (
        f"<style>:is({DARK_PAGE}) .rosenblatt-light{{display:none!important}}"
        f":is({DARK_PAGE}) .rosenblatt-dark{{display:inline!important}}</style>"
        f'<img class="rosenblatt-light" {alt} src="{light_url}">'
        f'<img class="rosenblatt-dark" style="display:none" {alt} src="{dark_url}">'
    )


def html_headline(words: str) -> str:
    """What a result comes to, in a line above its table."""
    return f"<p><b>{escape(words)}</b></p>"


def first_and_last(n: int) -> tuple[list[int], str]:
    """The places of a long table that are shown, and what is said of the others."""
    if n <= MOST_ROWS:
        return list(range(n)), ""
    half = MOST_ROWS // 2
    return [*range(half), *range(n - half, n)], f"{n - MOST_ROWS:,} between are not shown."


class ResultCard:
    """A result, a dataclass, as notebooks show it: what it comes to, then the fields of its text.

    Fields that hold nothing are left out.
    """

    def _headline(self) -> str:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        held = [(one.name, getattr(self, one.name)) for one in fields(self) if one.repr]  # type: ignore[arg-type]
        rows = "".join(
            f"<tr><th scope=row style='{FIELD}'>{escape(name)}</th>"
            f"<td style='{FIELD}'>{escape(in_short(value))}</td></tr>"
            for name, value in held
            if value is not None and not (hasattr(value, "__len__") and len(value) == 0)
        )
        return html_card(html_headline(self._headline()), f"<table><tbody>{rows}</tbody></table>")


def in_short(value: Any) -> str:
    """A value with a few digits; of a long list the first values."""
    if isinstance(value, ResultCard):
        return value._headline()
    if hasattr(value, "tolist"):  # of NumPy
        value = value.tolist()
    if isinstance(value, dict):
        value = [f"{key}: {in_short(one)}" for key, one in value.items()]
    if isinstance(value, float):
        return ordinary(value)
    if hasattr(value, "_asdict"):
        named = value._asdict().items()
        return ", ".join(f"{name} {in_short(one)}" for name, one in named if one not in (None, ""))
    if isinstance(value, list | tuple):
        parts = [in_short(one) for one in value[:MOST_VALUES]]
        more = len(value) - len(parts)
        between = "; " if any(", " in part for part in parts) else ", "
        return between.join([*parts, *([f"… {more:,} more"] if more else [])])
    text = str(value)
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"
