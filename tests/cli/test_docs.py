"""rosenblatt docs: the built pages, or how to get them."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import pytest

from cli.shell import run, written


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for name in ("index.html", "learners/mira.html"):
        written(tmp_path, name, ["<!doctype html>"])
    return tmp_path


def test_the_first_page_is_opened_and_its_address_printed(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    done = run("docs", "--site", site)
    assert opened == [(site / "index.html").as_uri()]
    assert done.out == f"{opened[0]}\n"


def test_a_page_can_be_named_and_a_wrong_name_says_which_was_meant(site: Path) -> None:
    assert run("docs", "learners/mira", "--site", site, "--no-open").out.endswith("mira.html\n")
    done = run("docs", "learners/mria", "--site", site, "--no-open")
    assert done.code == 2
    assert "Did you mean 'learners/mira'?" in done.err


def test_without_pages_the_command_that_builds_them_is_named(tmp_path: Path) -> None:
    done = run("docs", "--site", tmp_path, "--no-open")
    assert done.code == 5
    assert f"mkdocs build --site-dir {tmp_path}" in " ".join(done.err.split())
