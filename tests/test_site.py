"""What the site generates, and the check of its links."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.cli.main import VERBS
from rosenblatt.estimators.catalogue import CATALOGUE

TOOLS = Path(__file__).parents[1] / "tools" / "site"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sys, "path", [str(TOOLS), *sys.path])
    return importlib.import_module


def test_every_learner_has_a_page_with_rule_picture_use_and_cost(tool: Any) -> None:
    pages = dict(tool("learner_pages").pages())
    for entry in CATALOGUE:
        page = pages[f"learners/{entry.name}.md"]
        for title in ("The rule", "When to use it", "Cost", "Parameters", "Methods"):
            assert f"## {title}\n" in page, entry.name
        assert "![" in page or entry.family == "structures"
    assert pages["pictures/learner_mira.svg"].startswith(b"<?xml")


def test_the_reference_has_every_command_and_its_options(tool: Any) -> None:
    pages = dict(tool("reference_pages").pages())
    for verb in VERBS:
        assert f"# rosenblatt {verb}\n" in pages[f"reference/shell/{verb}.md"]
    assert "| `--target COL` | Column of the labels" in pages["reference/shell/train.md"]
    theory = pages["reference/python/theory.md"]
    assert "## max_margin\n" in theory
    assert "feature_map=None" in theory


def test_docstrings_become_markdown(tool: Any) -> None:
    prose = tool("docstrings").prose
    assert prose("``w += x`` and `fit`, a*b\n\n>>> 1\n1\n") == (
        "`w += x` and `fit`, a\\*b\n\n```python\n>>> 1\n1\n```"
    )


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<a href="other.html#there">x</a>', None),
        ('<a href="other.html#nowhere">x</a>', "no such heading"),
        ('<a href="lost.html">x</a>', "is not there"),
        ('<a href="https://example.org">x</a>', None),
        ('<script src="https://example.org/a.js"></script>', "loads"),
    ],
)
def test_a_link_that_leads_nowhere_and_what_is_fetched_are_found(
    tool: Any, tmp_path: Path, body: str, fault: str | None
) -> None:
    (tmp_path / "index.html").write_text(body)
    (tmp_path / "other.html").write_text('<h2 id="there">x</h2>')
    found = tool("check_links").faults(tmp_path)
    assert [fault in line for line in found] == ([True] if fault else [])
