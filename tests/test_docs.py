"""Docstrings, README and docs pages are examples, and examples are tests; what they name exists."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import rosenblatt

ROOT = Path(__file__).parent.parent
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(rosenblatt.__path__, "rosenblatt.")
    if ".engine." not in module.name
)
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_give_what_they_show(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    assert outcome.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_give_what_they_show(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    outcome = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS)
    assert outcome.failed == 0


@pytest.mark.parametrize("name", rosenblatt.__all__)
def test_every_public_class_shows_an_example(name: str) -> None:
    thing = getattr(rosenblatt, name)
    if isinstance(thing, type):
        assert ">>>" in (thing.__doc__ or "")


PROJECT = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")]
EVERY_PAGE = [*PROJECT, ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCE = ROOT / "src" / "rosenblatt"
# A file of ours by its looks: a folder, or one of these kinds.
OURS = re.compile(r"(?:[\w.-]+/)+|(?:[\w.-]+/)*\.?\w[\w.-]*\.(?:h|js|md|py|pyi|pxd|pyx|toml)")
# Written by whoever follows the page, and not there before.
TO_BE_WRITTEN = {
    "CONTRIBUTING.md": {
        "src/rosenblatt/estimators/linear/half.py",
        "src/rosenblatt/tables/readers/arff.py",
    },
}


def code_words(page: Path) -> set[str]:
    """Words between backticks; blocks of code are left out."""
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return {word for span in re.findall(r"`([^`\n]+)`", text) for word in span.split()}


def files_called(name: str, page: Path) -> list[Path]:
    """Files that a name on a page may mean; of a bare name, all in the package that have it."""
    for base in (page.parent, ROOT, SOURCE, SOURCE.parent):
        if (base / name).exists():
            return [base / name]
    return [] if "/" in name else sorted(SOURCE.rglob(name))


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: page.name)
def test_every_file_that_a_page_names_is_there(page: Path) -> None:
    to_be_written = TO_BE_WRITTEN.get(page.name, set())
    names = {word for word in code_words(page) if OURS.fullmatch(word)}
    assert to_be_written <= names
    for name in sorted(names):
        found = files_called(name, page)
        if name in to_be_written:
            assert not found, f"{page.name} says that {name} is to be written; it is there"
        else:
            assert len(found) == 1, f"{page.name} names {name}, which may be {found or 'nothing'}"


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_to_a_file(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_name_in_architecture_is_one_of_the_code() -> None:
    kinds = {".h", ".py", ".pyx"}
    files = [path for path in SOURCE.rglob("*") if path.suffix in kinds]
    known = set(re.findall(r"\w+", " ".join(path.read_text("utf-8") for path in files)))
    words = {w for w in code_words(ROOT / "ARCHITECTURE.md") if re.fullmatch(r"[\w.]+", w)}
    names = {part for word in words if not OURS.fullmatch(word) for part in word.split(".")}
    assert names
    assert names - known == set()
