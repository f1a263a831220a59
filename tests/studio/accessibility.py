"""What axe-core finds to fix in an open page."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import pytest

OPEN_ALL = "all => all.forEach((one) => { one.open = true; })"


@cache
def axe_source() -> str:
    pytest.importorskip(
        "axe_playwright_python", reason="axe-core is missing: pip install axe-playwright-python"
    )
    found = [
        entry for entry in files("axe_playwright_python").iterdir() if entry.name.endswith(".js")
    ]
    return found[0].read_text("utf-8")


def violations(page: Any) -> list[tuple[str, list[str]]]:
    """The rules that the whole page breaks, each with the elements that break it."""
    page.evaluate(axe_source())
    # Style sheets of other files cannot be read from disk, and are not needed.
    found = page.evaluate("() => axe.run({resultTypes: ['violations'], preload: false})")
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in found["violations"]]


def unfold(page: Any) -> None:
    """Show what is folded but the menus, and every figure of a chapter."""
    page.locator("details:not(.menu)").evaluate_all(OPEN_ALL)
    for question in page.locator(".course-question").all():
        question.locator("input").first.check()
    for figure in page.locator(".course-figure, .course-exercise").all():
        figure.scroll_into_view_if_needed()
    page.wait_for_timeout(200)


def scrolls_one_way(page: Any) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
