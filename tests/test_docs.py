"""Docstrings, README and docs pages are examples, and examples are tests."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import rosenblatt

ROOT = Path(__file__).parent.parent
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(rosenblatt.__path__, "rosenblatt.")
    if "._kernels." not in module.name
)
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


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
