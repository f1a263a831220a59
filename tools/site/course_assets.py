"""What the chapters of the course need in the site: engine and page in one script."""

from __future__ import annotations

import msgspec

from rosenblatt.studio.course import with_blocks as with_blocks
from rosenblatt.studio.pages import WEB, joined
from rosenblatt.studio.session import Session

SCRIPT, STYLE, STUDIO = "assets/course.js", "assets/course.css", "assets/studio.html"


def files() -> dict[str, str | bytes]:
    session = Session()
    kit = msgspec.json.encode(session.ask("start", {})).decode()
    styles = [(WEB / name).read_text("utf-8") for name in ("style.css", "course.css")]
    return {
        # Not a module: browsers load none for a page that was opened from disk.
        SCRIPT: f"(() => {{\nglobalThis.rosenblattKit = {kit};\n{joined('course.js')}}})();\n",
        STYLE: "\n".join(styles),
        STUDIO: session.one_file(),
    }


def head(up: str) -> str:
    style = f'<link rel="stylesheet" href="{up}{STYLE}">\n'
    return f'{style}<script src="{up}{SCRIPT}" defer></script>\n'
