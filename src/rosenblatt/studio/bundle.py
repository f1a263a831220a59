"""The page's modules as one text, for where there is no server to load them from.

They import by ``import {a, b} from "../views/x.js";`` and export with the word ``export`` before a
function, class or constant; no more of the language is needed to join them. Each keeps its own
names: it becomes a function that returns what it exports.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from rosenblatt.errors import RosenblattError

WEB = Path(__file__).parent / "web"
# The one module that acts by itself: it makes the page of the server or of a file.
BOOT = "boot.js"
IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[\w./-]+\.js)";?\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const|let) (\w+))", re.MULTILINE)
LEFT_OVER = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


class BundleError(RosenblattError):
    """A module of the page that cannot be joined with the others."""


def files() -> dict[str, Path]:
    """The files of the page by the names that a browser asks for."""
    return {
        path.relative_to(WEB).as_posix(): path for path in sorted(WEB.rglob("*")) if path.is_file()
    }


def joined(*, boot: bool) -> str:
    """All modules, each after those it imports; with what starts the page, or without.

    Without it, ``const {mount} = …`` at the end makes the page's function known.
    """
    sources = {
        name: path.read_text("utf-8") for name, path in files().items() if path.suffix == ".js"
    }
    names = [name for name in sources if name != BOOT]
    parts: list[str] = []
    done: set[str] = set()
    for name in names:
        _add(name, sources, parts, done, ())
    if boot:
        body, _ = _rewritten(BOOT, sources[BOOT])
        # A block rather than a function: it may wait for an answer.
        parts.append(f"{{\n{body}}}\n")
    else:
        parts.append(f"const {{mount}} = {_variable('main.js')};\n")
    return "".join(parts)


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
    returned = ", ".join(exported)
    parts.append(f"const {_variable(name)} = (() => {{\n{body}return {{{returned}}};\n}})();\n")
    done.add(name)


def _rewritten(name: str, source: str) -> tuple[str, list[str]]:
    """A module as the body of a function, and the names it exports."""
    exported = EXPORT.findall(source)
    body = EXPORT.sub("", IMPORT.sub(lambda line: _taken(name, line), source))
    left = LEFT_OVER.search(body)
    if left is not None:
        raise BundleError(f"{name} has a line that cannot be joined: {left[0]}")
    return body if body.endswith("\n") else body + "\n", exported


def _taken(name: str, line: re.Match[str]) -> str:
    names = line[1].replace(" as ", ": ")
    return f"const {{{names}}} = {_variable(_resolved(name, line[2]))};\n"


def _resolved(name: str, other: str) -> str:
    """The module that ``name`` means by ``other``, as seen from the folder of the page."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), other))


def _variable(name: str) -> str:
    return "of_" + re.sub(r"\W", "_", name.removesuffix(".js"))
