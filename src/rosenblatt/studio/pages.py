"""A run as one HTML file that replays it anywhere, without a server or a network."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Any

import msgspec
import numpy as np

from rosenblatt.studio.bundle import BOOT, WEB, BundleError, joined
from rosenblatt.studio.contours import box_around, contour
from rosenblatt.studio.controls import controls
from rosenblatt.studio.page_runs import PageRun
from rosenblatt.studio.states import PageState
from rosenblatt.studio.studies import Study

# Pictures that need a contour are embedded for so many positions of all runs together.
MOST_CONTOURS = 200
WORK = 1_000_000
STYLE = re.compile(r'<link rel="stylesheet" href="style\.css">\n?')
SCRIPT = re.compile(rf'<script type="module" src="{re.escape(BOOT)}"></script>\n?')
HEAD = re.compile(r"<head>\n?")


def page(study: Study, state: PageState) -> str:
    """index.html with its style, its modules and the answers they will ask for."""
    box = box_around(study.examples.points)
    answers = {
        "state": state.to_json(),
        "learners": controls(),
        "run": study.to_json(state),
        "contours": _contours(study, state, box),
        "box": box,
    }
    style = _closed((WEB / "style.css").read_text("utf-8"), "style")
    code = _closed(joined(boot=True), "script")
    # In JSON "<" may be written so, and then no label can end the element it stands in.
    data = msgspec.json.encode(answers).decode().replace("<", "\\u003c")
    policy = (
        f"default-src 'none'; script-src '{_digest(code)}'; style-src '{_digest(style)}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    head = f'<head>\n<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    html = (WEB / "index.html").read_text("utf-8")
    html = _put(HEAD, head, html)
    html = _put(STYLE, f"<style>{style}</style>\n", html)
    return _put(
        SCRIPT,
        f'<script type="application/json" id="studio-run">{data}</script>\n'
        f'<script type="module">{code}</script>\n',
        html,
    )


def _put(place: re.Pattern[str], text: str, html: str) -> str:
    made, n = place.subn(lambda _: text, html)
    if n != 1:
        raise BundleError(f"index.html has {n} places for {place.pattern!r}; it needs one.")
    return made


def _closed(text: str, element: str) -> str:
    if f"</{element}" in text.lower():
        raise BundleError(f"the page's own {element} holds </{element}, which would end it.")
    return text


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _contours(study: Study, state: PageState, box: tuple[float, ...]) -> dict[str, Any]:
    drawn = [i for i, run in enumerate(study.runs) if _needs_contours(run, state)]
    found = {}
    for i in drawn:
        run = study.runs[i]
        for at in _positions(run.n_updates, MOST_CONTOURS // len(drawn), state.at):
            found[f"{i}:{at}"] = contour(run, state.map, at, box, WORK)  # type: ignore[arg-type]
    return found


def _needs_contours(run: PageRun, state: PageState) -> bool:
    """A line of two classes is drawn from its weights; nothing else is."""
    if not run.has_weights or run.is_voted:
        return True
    return state.map != "none" or run.vectors > 1


def _positions(n_updates: int, most: int, at: int) -> list[int]:
    """All, or as many as allowed: the first, the last, the present one and an even choice."""
    if n_updates < most:
        return list(range(n_updates + 1))
    even = np.linspace(0, n_updates, most - 1).round().astype(int).tolist()
    return sorted({*even, min(at, n_updates)})
