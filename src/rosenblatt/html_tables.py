"""What notebooks show, as plain HTML."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

CELL = "text-align:right;padding:2px 12px 2px 0"


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
    return (
        f"<table><caption style='text-align:left'>{escape(caption)}</caption>"
        f"<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
    )
