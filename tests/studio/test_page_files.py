"""The studio's page as files: small, on its own, in the library's colours, and never markup."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import rosenblatt
from rosenblatt.plot import style
from rosenblatt.studio import Session

WEB = Path(rosenblatt.__file__).parent / "studio" / "web"
ROOT = Path(__file__).parents[2]
FILES = sorted(path for path in WEB.rglob("*") if path.is_file())
MODULES = [path for path in FILES if path.suffix == ".js"]


def test_the_whole_studio_in_one_file_is_smaller_than_250_kilobytes() -> None:
    session = Session()
    state = session.ask("start", {})["state"]
    assert len(session.ask("page", state)["text"].encode()) < 250_000


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_texts_of_a_module_end_with_their_line(path: Path) -> None:
    """So that the room before a line can be left out."""
    for line in path.read_text("utf-8").splitlines():
        assert line.count("`") % 2 == 0, line


def test_one_version_of_the_linter_is_meant_everywhere() -> None:
    named = {
        path: re.findall(r"biome(?:js\.dev/schemas/|@)([\d.]+\d)", (ROOT / path).read_text("utf-8"))
        for path in ("biome.json", ".ci/run", "CONTRIBUTING.md")
    }
    assert all(named.values())
    assert len({version for versions in named.values() for version in versions}) == 1, named


def test_nothing_is_loaded_from_elsewhere() -> None:
    names = {"http://www.w3.org/2000/svg"}  # of a language, not of a place
    for path in FILES:
        found = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+[\w./-]*", path.read_text("utf-8")))
        assert {name for name in found if name.startswith(("http", "//www"))} <= names, path.name


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_a_module_makes_no_markup_from_text_and_runs_no_text(path: Path) -> None:
    source = path.read_text("utf-8")
    dangers = "innerHTML", r"outerHTML\s*=", "insertAdjacentHTML", r"document\.write", r"eval\("
    for danger in dangers:
        assert not re.search(danger, source)


@pytest.mark.parametrize(
    "path", [path for path in MODULES if path.parent != WEB], ids=lambda path: path.name
)
def test_the_maths_and_the_state_know_nothing_of_the_page(path: Path) -> None:
    source = path.read_text("utf-8")
    room = path.parent.name
    taken = {
        "engine": {"engine"},
        "state": {"engine", "state"},
        "views": {"engine", "state", "views"},
        "course": {"engine", "state", "views", "course"},
    }[room]
    for name in re.findall(r'^import .* from "([^"]+)";', source, re.MULTILINE):
        target = (path.parent / name).resolve()
        assert target.is_file(), name
        assert target.parent.name in taken, name
    if room in ("engine", "state"):
        assert not re.search(r"\b(document|window|navigator)\b", source)


def test_the_page_itself_has_no_script_or_style_inside() -> None:
    page = (WEB / "index.html").read_text("utf-8")
    assert re.findall(r"<script[^>]*>([^<]*)</script>", page) == [""]
    assert "<style" not in page
    assert " style=" not in page


@pytest.mark.parametrize("theme", [style.LIGHT, style.DARK], ids=lambda theme: theme.name)
def test_colours_are_those_of_the_library(theme: style.Theme) -> None:
    source = (WEB / "views" / "appearance.js").read_text("utf-8")
    found = re.search(rf"\t{theme.name}: \{{(.*?)\n\t\}}", source, re.DOTALL)
    assert found is not None
    words = re.sub(r"(\w+):", r'"\1":', found[1]).rstrip().rstrip(",")
    colours = json.loads(f"{{{words}}}")
    assert tuple(colours.pop("palette")) == theme.palette
    assert colours == {name: getattr(theme, name) for name in colours}
