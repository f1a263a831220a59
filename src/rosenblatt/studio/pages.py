"""The page as files, as one script, and as one HTML file that learns anywhere, without a server.

Its modules import by ``import {a, b} from "../views/x.js";`` and export with the word ``export``
before a function, class or constant; no more of the language is needed to join them. Each keeps its
own names: it becomes a function that returns what it exports.
"""

from __future__ import annotations

import base64
import hashlib
import posixpath
import re
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from rosenblatt.errors import RosenblattError
from rosenblatt.estimators.catalogue import CATALOGUE
from rosenblatt.studio.contours import box_around, contour
from rosenblatt.studio.page_runs import PageRun
from rosenblatt.studio.states import PageState

if TYPE_CHECKING:
    from rosenblatt.studio.session import Study

WEB = Path(__file__).parent / "web"
# The one module that acts by itself: it makes the page of the server or of a file.
BOOT = "boot.js"
COURSE_BOOT = "course_boot.js"
# It runs the code of a page that is one file, which is deflated: half as large then, as text.
UNPACK = "unpack.js"
IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[\w./-]+\.js)";?\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const|let) (\w+))", re.MULTILINE)
# What a browser does not need: lines that are comments, and the room before a line. No text of the
# page goes over several lines.
IDLE = re.compile(r"^[\t ]*//.*\n|^[\t ]+|^\n", re.MULTILINE)
LEFT_OVER = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


class BundleError(RosenblattError):
    """A module of the page that cannot be joined with the others."""


def files() -> dict[str, Path]:
    """The files of the page by the names that a browser asks for."""
    return {
        path.relative_to(WEB).as_posix(): path for path in sorted(WEB.rglob("*")) if path.is_file()
    }


def joined(of: str = BOOT) -> str:
    """A module after all that it imports, as one script; the names it exports are known at the end.

    What acts by itself is a block at the end, not a function: it may wait for an answer.
    """
    sources = {
        name: path.read_text("utf-8") for name, path in files().items() if path.suffix == ".js"
    }
    parts: list[str] = []
    _add(of, sources, parts, set(), ())
    body, exported = _rewritten(of, sources[of])
    if not exported:
        return "".join([*parts[:-1], f"{{\n{body}}}\n"])
    return "".join([*parts, f"const {{{', '.join(exported)}}} = {_variable(of)};\n"])


def _add(
    name: str, sources: dict[str, str], parts: list[str], done: set[str], waiting: tuple[str, ...]
) -> None:
    if name in done:
        return
    if name not in sources or name in waiting:
        way = " imports ".join([*waiting, name])
        fault = "which is not there" if name not in sources else "so none can come first"
        raise BundleError(f"{way}, {fault}.")
    for _, other in IMPORT.findall(sources[name]):
        _add(_resolved(name, other), sources, parts, done, (*waiting, name))
    body, exported = _rewritten(name, sources[name])
    returned = ",".join(exported)
    parts.append(f"const {_variable(name)}=(()=>{{\n{body}\nreturn{{{returned}}}}})();\n")
    done.add(name)


def _rewritten(name: str, source: str) -> tuple[str, list[str]]:
    """A module as the body of a function, and the names it exports."""
    exported = EXPORT.findall(source)
    body = EXPORT.sub("", IMPORT.sub(lambda line: _taken(name, line), source))
    left = LEFT_OVER.search(body)
    if left is not None:
        raise BundleError(f"{name} has a line that cannot be joined: {left[0]}")
    return IDLE.sub("", body), exported


def _taken(name: str, line: re.Match[str]) -> str:
    names = line[1].replace(" as ", ": ")
    return f"const {{{names}}} = {_variable(_resolved(name, line[2]))};\n"


def _resolved(name: str, other: str) -> str:
    """The module that ``name`` means by ``other``, as seen from the folder of the page."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), other))


def _variable(name: str) -> str:
    # Of two modules with one name a browser would refuse the second.
    return "of_" + re.sub(r"\W", "_", posixpath.basename(name).removesuffix(".js"))


# Pictures that need a contour are embedded for so many positions of all runs together.
MAX_CONTOURS = 200
WORK = 1_000_000
STYLE = re.compile(r'<link rel="stylesheet" href="style\.css">\n?')
SCRIPT = re.compile(rf'<script type="module" src="{re.escape(BOOT)}"></script>\n?')
CSS_BLANKS = re.compile(r'/\*.*?\*/|("[^"]*")|\s*([{};,])\s*|(?<=:)\s+', re.DOTALL)
HEAD = re.compile(r"<head>\n?")


def page(study: Study, state: PageState, kit: dict[str, Any], chapters: str = "") -> str:
    """index.html with its style, its modules and what its engine needs to know.

    What that cannot learn by itself comes along, with the pictures of it; and the chapters of the
    course, as elements, with what makes them live.
    """
    carried = kit | {"state": state.to_json()}
    if not all(_is_learned_in_page(run) for run in study.runs):
        box = box_around(study.examples.points)
        contours = _contours(study, state, box)
        carried |= {"run": study.to_json(state), "contours": contours, "box": box}
    sheets = ["style.css", "course.css"] if chapters else ["style.css"]
    styles = [CSS_BLANKS.sub(r"\1\2", (WEB / sheet).read_text("utf-8")) for sheet in sheets]
    style = _closed("".join(styles), "style")
    code = joined(COURSE_BOOT if chapters else BOOT)
    packed = base64.b64encode(zlib.compress(code.encode(), 9)).decode()
    unpack = _closed(IDLE.sub("", (WEB / UNPACK).read_text("utf-8")), "script")
    # In JSON "<" may be written so, and then no label can end the element it stands in.
    data = msgspec.json.encode(carried).decode().replace("<", "\\u003c")
    policy = (
        f"default-src 'none'; script-src '{_digest(unpack)}' '{_digest(code)}'; "
        f"style-src '{_digest(style)}'; img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    head = f'<head>\n<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    html = (WEB / "index.html").read_text("utf-8")
    html = _put(HEAD, head, html)
    html = _put(STYLE, f"<style>{style}</style>\n", html)
    scripts = [
        f'<script type="application/json" id="studio-kit">{data}</script>\n',
        f'<script type="application/zlib" id="studio-code">{packed}</script>\n',
        f'<script type="module">{unpack}</script>\n',
    ]
    return _put(SCRIPT, "".join([chapters, *scripts]), html)


def _is_learned_in_page(run: PageRun) -> bool:
    """Whether the page has an engine for it, with the same numbers."""
    return run.has_weights and run.recipe.entry in CATALOGUE


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
        for at in _positions(run.n_updates, MAX_CONTOURS // len(drawn), state.at):
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
