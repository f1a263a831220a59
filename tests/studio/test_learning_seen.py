"""What learning is for, seen on the page: errors along the run, single examples, the proof."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.studio import Session

from .test_page import opened, shows, step

pytestmark = pytest.mark.slow


def test_the_page_begins_with_a_run_that_plays_to_its_end(lone_page: Any, file: Path) -> None:
    lone_page.goto(file.as_uri())
    title = lone_page.locator(".update-card h2")
    shows(title, re.compile("Update [12] of 3"))
    shows(title, "Update 3 of 3")
    shows(lone_page.get_by_role("button", name="Play"), "Play")


def test_playing_at_once_can_be_turned_off_for_good(lone_page: Any, file: Path) -> None:
    lone_page.goto(file.as_uri())
    lone_page.get_by_label("Play when opened").uncheck()
    lone_page.goto("about:blank")
    lone_page.goto(file.as_uri())
    shows(lone_page.locator(".update-card h2"), "Start")
    assert not lone_page.get_by_label("Play when opened").is_checked()
    lone_page.wait_for_timeout(600)
    shows(lone_page.locator(".update-card h2"), "Start")
    lone_page.get_by_role("button", name="Play", exact=True).click()
    shows(lone_page.locator(".update-card h2"), "Update 3 of 3")


def test_the_six_frames_of_the_lecture(lone_page: Any, file: Path) -> None:
    """L1.7: each example with what is predicted, what is right, and whether w moves."""
    opened(lone_page, f"{file.as_uri()}#preset=six&each=example")
    story = lone_page.locator(".update-card")
    frames = [
        ("ŷ = +1, y = −1: a mistake.", "(1, −2)"),
        ("ŷ = +1, y = +1: no mistake.", "w stays (1, −2)."),
        ("ŷ = −1, y = +1: a mistake.", "(2, −1)"),
        ("ŷ = −1, y = −1: no mistake.", "w stays (2, −1)."),
        ("ŷ = +1, y = −1: a mistake.", "(3, 1)"),
        ("ŷ = +1, y = +1: no mistake.", "w stays (3, 1)."),
    ]
    for t, (said, weights) in enumerate(frames, 1):
        step(lone_page)
        shows(story, f"Example {t} of 12")
        shows(story, said)
        shows(story, weights)
    lone_page.wait_for_url(re.compile("each=example&t=6"))
    lone_page.reload()
    shows(story, "Example 6 of 12")


def errors_said(lone_page: Any) -> tuple[int, ...]:
    said = lone_page.locator(".errors-now").inner_text()
    return tuple(int(number) for number in re.findall(r"(\d+) of (?:\d+)", said))


@pytest.mark.parametrize("kind", ["perceptron", "averaged", "voted"])
def test_errors_are_those_of_the_weights_that_predict(
    lone_page: Any, file: Path, kind: str
) -> None:
    """In numbers at the end of a run, on points learned from and held out, as in the library."""
    state = {"data": {"preset": "noisy"}, "learners": [{"kind": kind}], "held": 4, "epochs": 5}
    answer = Session().ask("run", state)
    (run,) = answer["runs"]
    address = f"#preset=noisy&learner={kind}&held=4&epochs=5&at={run['n_updates']}"
    opened(lone_page, file.as_uri() + address)
    shows(lone_page.locator(".errors-now"), "held out")
    learned, held = errors_said(lone_page)
    assert f" {learned} training error" in run["sentence"]
    assert 0 <= held <= len(answer["data"]["held"]) == 10


def test_wrong_points_and_the_present_errors_change_with_each_step(
    lone_page: Any, file: Path
) -> None:
    opened(lone_page, f"{file.as_uri()}#preset=separable&at=3")
    shows(lone_page.locator(".errors-now"), "Wrong: 9 of 40 (23 %)")
    assert "9 of them predicted wrongly" in lone_page.locator(".surface").get_attribute(
        "aria-label"
    )
    lone_page.get_by_role("button", name="End").click()
    shows(lone_page.locator(".errors-now"), "Wrong: 0 of 40 (0 %)")
    lone_page.get_by_label("u, R and γ of the proof").check()
    lone_page.get_by_label("Score as colour").check()
    lone_page.wait_for_url(re.compile("show=theory"))
