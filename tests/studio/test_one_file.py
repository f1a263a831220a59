"""The studio as one file: opened from disk, without a server, it learns and is kept."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.studio import Session

from .test_page import assert_its_end_survives_a_reload, opened, shows, step

pytestmark = pytest.mark.slow


def test_it_learns_from_points_of_ones_own_and_is_the_same_after_a_reload(
    lone_page: Any, file: Path
) -> None:
    opened(lone_page, file.as_uri())
    assert file.stat().st_size < 250_000
    story = lone_page.locator(".update-card")
    lone_page.locator(".surface").click(position={"x": 300, "y": 200})
    shows(lone_page.locator(".points summary"), "7")
    lone_page.get_by_role("button", name="End").click()
    shows(story, re.compile(r"Update \d+ of \d+"))
    lone_page.wait_for_url(re.compile("rows=.*&at="))
    told, address = story.inner_text(), lone_page.url
    lone_page.reload()
    shows(story, re.compile(r"Update \d+ of \d+"))
    assert (lone_page.url, story.inner_text()) == (address, told)


def test_addresses_of_the_served_page_are_its_own(lone_page: Any, file: Path) -> None:
    opened(lone_page, f"{file.as_uri()}#preset=xor&map=product&at=2")
    shows(lone_page.locator(".update-card h2"), "Update 2 of")
    shows(lone_page.locator(".theory"), "separable by a plane in the space of x, y, x·y")
    step(lone_page)
    shows(lone_page.locator(".update-card h2"), "Update 3 of")
    lone_page.evaluate("location.hash = '#preset=six&at=3'")
    shows(lone_page.locator(".update-card"), "(2, −1) + 1·(−1)·(−1, −2) = (3, 1)")


def test_a_kernel_separates_exclusive_or_without_python(lone_page: Any, file: Path) -> None:
    opened(lone_page, f"{file.as_uri()}#preset=xor")
    badge, wrong = lone_page.locator(".badge"), lone_page.locator(".errors-now")
    shows(badge, "not separable")
    lone_page.get_by_label("Learner", exact=True).select_option("kernel")
    lone_page.locator(".learner summary").first.click()
    for kernel in ("rbf", "poly"):
        lone_page.get_by_label("Kernel", exact=True).select_option(kernel)
        lone_page.wait_for_url(re.compile("kernel:rbf" if kernel == "rbf" else "learner=kernel"))
        shows(badge, re.compile("^separable with this kernel$"))
        lone_page.locator(".at").fill("4")
        lone_page.locator(".at").press("Enter")
        shows(wrong, "Wrong: 0 of 4 (0 %)")
    lone_page.get_by_label("Learner", exact=True).select_option("averaged")
    shows(badge, re.compile("^not separable$"))


def test_the_preset_with_a_kernel_is_solved_and_the_same_after_a_reload(
    lone_page: Any, file: Path
) -> None:
    opened(lone_page, f"{file.as_uri()}#preset=bent&at=2")
    shows(lone_page.locator(".update-card h2"), "Update 2 of")
    lone_page.get_by_role("button", name="End").click()
    shows(lone_page.locator(".errors-now"), "Wrong: 0 of 4 (0 %)")
    shows(lone_page.locator(".theory"), "separable with this kernel")
    assert_its_end_survives_a_reload(lone_page)


def test_it_saves_itself_with_the_state_it_has(lone_page: Any, file: Path, tmp_path: Path) -> None:
    opened(lone_page, f"{file.as_uri()}#preset=three&at=3")
    lone_page.locator(".menu summary").click()
    with lone_page.expect_download() as saved:
        lone_page.get_by_role("button", name="The studio in one file").click()
    saved.value.save_as(tmp_path / "again.html")
    lone_page.goto((tmp_path / "again.html").as_uri())
    shows(lone_page.locator(".update-card h2"), "Update 3 of")
    assert lone_page.get_by_label("Points", exact=True).input_value() == "three"


def test_a_pasted_table_is_read_in_the_page(lone_page: Any, file: Path) -> None:
    opened(lone_page, file.as_uri())
    lone_page.get_by_role("button", name="Your own data…").click()
    lone_page.locator("dialog textarea").fill("a\tb\tkind\n1,5\t2\tx\n3\t4,25\ty\n2\t1\tx\n")
    lone_page.locator("dialog").get_by_role("button", name=re.compile("Use|Show|Learn")).click()
    shows(lone_page.locator(".points summary"), "3")


def test_a_file_that_was_saved_with_a_kernel_carries_its_run(
    lone_page: Any, tmp_path: Path
) -> None:
    state = {"data": {"preset": "xor"}, "learners": [{"kind": "kernel"}], "at": 2}
    path = tmp_path / "kernel.html"
    path.write_text(Session().ask("page", state)["text"], "utf-8")
    lone_page.goto(path.as_uri())
    shows(lone_page.locator(".update-card h2"), "Update 2 of")
    shows(lone_page.locator(".theory"), "separable with this kernel")
    step(lone_page)
    shows(lone_page.locator(".update-card h2"), "Update 3 of")
    lone_page.get_by_label("Learner", exact=True).select_option("perceptron")
    shows(lone_page.locator(".update-card"), "w is made of: point 1")
