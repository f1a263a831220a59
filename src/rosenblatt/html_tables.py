"""HTML for notebooks: cards, tables and pictures in the colours of the page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from rosenblatt.text_tables import ordinary

# CSS selectors of pages with a dark or light theme: JupyterLab and Notebook, then VS Code.
DARK_PAGE = "[data-jp-theme-light=false],.vscode-dark"
LIGHT_PAGE = "[data-jp-theme-light=true],.vscode-light"
FIELD_STYLE = "text-align:left;vertical-align:top;padding:2px 12px 2px 0"
CELL = "text-align:right;padding:2px 12px 2px 0"
# A field shows its first values; a table shows its first and last rows, half of them each.
MOST_VALUES = 8
MAX_ROWS = 10
# Longest text of a value, in characters.
LONGEST_TEXT = 200


def escape(text: str) -> str:
    """Escape text for HTML."""
    # Loaded on first use: its table of all HTML entities would slow every import down.
    from html import escape

    return escape(text)


def html_card(*parts: str) -> str:
    """Return a block with HTML parts stacked vertically, in the system font."""
    style = "font-family:system-ui,sans-serif;font-size:0.9em;margin:0.5em 0"
    return f'<div style="{style}">{"".join(parts)}</div>'


def html_table(caption: str, head: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    """Return an HTML table without scripts; all texts are escaped."""
    titles = "".join(f"<th scope=col style='{CELL}'>{escape(str(t))}</th>" for t in head)

    lines = []
    for row in rows:
        cells = "".join(f"<td style='{CELL}'>{escape(str(c))}</td>" for c in row)
        lines.append(f"<tr>{cells}</tr>")
    body = "".join(lines)

    above = ""
    if caption:
        above = f"<caption style='text-align:left'>{escape(caption)}</caption>"
    return f"<table>{above}<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def html_picture(light: bytes, dark: bytes, words: str, media_type: str = "image/png") -> str:
    """Return a picture in a light and a dark version; the page shows the one of its theme."""
    light_url = _data_url(light, media_type)
    dark_url = _data_url(dark, media_type)
    alt = f'alt="{escape(words)}"'
    return (
        f"<style>:is({DARK_PAGE}) .rosenblatt-light{{display:none!important}}"
        f":is({DARK_PAGE}) .rosenblatt-dark{{display:inline!important}}</style>"
        f'<img class="rosenblatt-light" {alt} src="{light_url}">'
        f'<img class="rosenblatt-dark" style="display:none" {alt} src="{dark_url}">'
    )


def _data_url(picture: bytes, media_type: str) -> str:
    # Loaded on first use, which few sessions need.
    from base64 import b64encode

    return f"data:{media_type};base64,{b64encode(picture).decode()}"


def html_headline(words: str) -> str:
    """Return a headline in bold, which sums up a result above its table."""
    return f"<p><b>{escape(words)}</b></p>"


def first_and_last(n: int) -> tuple[list[int], str]:
    """Return the indices of the rows to show of n rows, and a note on the rows left out."""
    if n <= MAX_ROWS:
        return list(range(n)), ""
    half = MAX_ROWS // 2
    shown = [*range(half), *range(n - half, n)]
    return shown, f"{n - MAX_ROWS:,} between are not shown."


class ResultCard:
    """Base class of results that notebooks show as a headline and a table of fields.

    Subclasses are dataclasses. Fields without repr and empty fields are left out.
    """

    def _headline(self) -> str:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        rows = []
        for field in fields(self):  # type: ignore[arg-type]
            if not field.repr:
                continue
            value = getattr(self, field.name)
            if _is_empty(value):
                continue
            rows.append(
                f"<tr><th scope=row style='{FIELD_STYLE}'>{escape(field.name)}</th>"
                f"<td style='{FIELD_STYLE}'>{escape(in_short(value))}</td></tr>"
            )
        table = f"<table><tbody>{''.join(rows)}</tbody></table>"
        return html_card(html_headline(self._headline()), table)


def _is_empty(value: Any) -> bool:
    if value is None:
        return True
    return hasattr(value, "__len__") and len(value) == 0


def in_short(value: Any) -> str:
    """Format a value briefly: numbers with a few digits, and the first items of a long list."""
    if isinstance(value, ResultCard):
        return value._headline()
    if hasattr(value, "tolist"):  # an array or a number of NumPy
        value = value.tolist()
    if isinstance(value, dict):
        value = [f"{key}: {in_short(one)}" for key, one in value.items()]
    if isinstance(value, float):
        return ordinary(value)
    if hasattr(value, "_asdict"):  # a named tuple
        named = value._asdict().items()
        return ", ".join(f"{name} {in_short(one)}" for name, one in named if one not in (None, ""))

    if isinstance(value, list | tuple):
        parts = [in_short(one) for one in value[:MOST_VALUES]]
        # Items that contain commas themselves are separated by semicolons.
        between = "; " if any(", " in part for part in parts) else ", "
        n_hidden = len(value) - len(parts)
        if n_hidden:
            parts.append(f"… {n_hidden:,} more")
        return between.join(parts)

    text = str(value)
    if len(text) <= LONGEST_TEXT:
        return text
    return f"{text[: LONGEST_TEXT - 1]}…"
