"""The built site, opened from disk: a chapter is live, search finds, and nothing is fetched."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .accessibility import scrolls_one_way, unfold, violations
from .browser import watched_page
from .test_page import shows

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("material", reason="mkdocs-material is not installed")
    made = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-W", "ignore", "-m", "mkdocs", "build", "--quiet", "--strict"]
    subprocess.run(
        [*command, "--site-dir", str(made)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        check=True,
    )
    return made


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    with watched_page(browser) as made:
        asked: list[str] = []
        made.on("request", lambda request: asked.append(request.url))
        yield made
        assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


def test_every_link_leads_somewhere(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "tools" / "site"), *sys.path])
    assert importlib.import_module("check_links").faults(site) == []


def test_a_chapter_learns_in_the_page_and_follows_its_theme(site: Path, page: Any) -> None:
    page.goto((site / "course" / "02-learning-from-mistakes.html").as_uri())
    figure = page.locator(".course-figure").first
    assert "covered" in figure.get_attribute("class")
    page.locator(".course-predict .course-option[data-right] input").check()
    shows(figure.locator(".update-card h2"), "Start")
    for _ in range(6):
        figure.get_by_role("button", name="Step").click()
    shows(figure.locator(".update-card"), "(3, 1)")
    exercise = page.locator(".course-exercise").first
    for box, number in zip(exercise.locator(".course-row input").all(), (6, 2), strict=True):
        box.fill(str(number))
    exercise.get_by_role("button", name="Check").click()
    shows(exercise.locator(".course-verdict"), "Solved.")
    assert figure.locator(".studio.light").count() == 1
    page.get_by_title("Dark pages").click()
    page.wait_for_selector(".course-figure .studio.dark")
    page.reload()
    shows(page.locator(".course-bar"), "2 of 5 questions and exercises done")
    with page.expect_navigation():
        page.locator(".course-exercise").last.get_by_role("link", name="Open in the studio").click()
    shows(page.locator(".update-card h2"), "Start")


def test_search_finds_what_pages_say_without_a_server(site: Path, page: Any) -> None:
    page.goto((site / "index.html").as_uri())
    page.get_by_role("textbox", name="Search").click()
    shows(page.locator(".md-search-result__meta"), "Type to start searching")
    page.get_by_role("textbox", name="Search").press_sequentially("novikoff")
    shows(page.locator(".md-search-result__meta"), "matching document")
    assert page.locator(".md-search-result__item").count() >= 3


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_to_fix_on_any_page_and_a_small_phone_scrolls_one_way(
    site: Path, page: Any, dark: bool
) -> None:
    page.emulate_media(color_scheme="dark" if dark else "light")
    page.set_viewport_size({"width": 320 if dark else 1280, "height": 900})
    # The page for addresses that are none is served, never opened from disk.
    paths = [path for path in sorted(site.rglob("*.html")) if path.name != "404.html"]
    assert len(paths) > 80
    for path in paths:
        page.goto(path.as_uri())
        unfold(page)
        assert (path.name, violations(page)) == (path.name, [])
        assert scrolls_one_way(page), path
