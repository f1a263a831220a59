"""The lecture mode in a real browser: a fixed layout, a clicker, notes, and a code for phones."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from rosenblatt.studio.presets import PRESETS

from .accessibility import violations
from .browser import watched_page
from .test_page import opened, shows

pytestmark = pytest.mark.slow

PLACES = """() => [...document.querySelectorAll(
    '.surface, .card, .playback, .playback button, .head, .proof, .lecture-bar')].map((node) => {
    const {x, y, width, height} = node.getBoundingClientRect();
    return [x, y, width, height].join();
})"""


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    with watched_page(browser, 1920, 1080) as made:
        yield made


def lecturing(page: Any, address: str) -> Any:
    opened(page, address)
    page.get_by_role("button", name="Lecture").click()
    page.wait_for_selector(".studio.lecture")
    page.wait_for_timeout(300)  # full screen comes with a move of its own
    return page


def test_a_clicker_steps_wherever_the_focus_is(page: Any, server: str) -> None:
    lecturing(page, server)
    title = page.locator(".update-card h2")
    for place in (".surface", ".slider", ".at", ".lecture-bar button", ".tab"):
        page.locator(place).first.focus()
        shows(title, "Start")
        for key, k in (("PageDown", 1), ("ArrowRight", 2), ("ArrowDown", 3), ("PageUp", 2)):
            page.keyboard.press(key)
            shows(title, f"Update {k} of 3")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowUp")
    page.keyboard.press(".")
    assert page.locator(".curtain").is_visible()
    page.keyboard.press(".")
    assert page.locator(".curtain").is_hidden()
    page.keyboard.press("Escape")
    page.wait_for_selector(".studio:not(.lecture)")
    page.keyboard.press("PageDown")
    shows(title, "Start")


def test_a_clicker_shows_the_six_frames_of_the_lecture_and_the_notes_say_what_comes(
    page: Any, server: str
) -> None:
    """L1.7: examples 1, 3 and 5 are mistakes."""
    lecturing(page, server + "#preset=six&each=example")
    with page.expect_popup() as opening:
        page.get_by_role("button", name="Notes").click()
    coming = opening.value.locator("main")
    for t, mistake in enumerate([True, False, True, False, True, False], 1):
        shows(coming, "the weights change" if mistake else "nothing changes")
        page.bring_to_front()
        page.keyboard.press("PageDown")
        shows(page.locator(".update-card h2"), f"Example {t} of 12")
        shows(page.locator(".update-card"), "a mistake" if mistake else "no mistake")
        shows(coming, f"Example {t} of 12")


@pytest.mark.parametrize(
    "state",
    [
        *(f"#preset={name}" for name in PRESETS),
        "#preset=six&each=example",
        "#preset=three&view=weights",
        "#preset=noisy&learner=perceptron&learner=averaged",
    ],
)
def test_nothing_moves_while_a_run_is_stepped_through(page: Any, server: str, state: str) -> None:
    lecturing(page, server + state)
    places = []
    for _ in range(13):
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => done()))")
        places.append(page.evaluate(PLACES))
        page.keyboard.press("PageDown")
    assert all(place == places[0] for place in places)
    width, height = page.evaluate("[document.body.scrollWidth, innerHeight]")
    assert (width, height) == (1920, 1080)
    assert (
        page.evaluate("parseFloat(getComputedStyle(document.querySelector('.studio')).fontSize)")
        > 22
    )
    assert page.locator(".setup").is_hidden()


def test_notes_follow_in_a_window_of_their_own_and_are_kept(page: Any, server: str) -> None:
    lecturing(page, server)
    with page.expect_popup() as opening:
        page.get_by_role("button", name="Notes").click()
    notes = opening.value
    shows(notes.locator("main"), "The worked example of the first lecture")
    shows(notes.locator("main"), "Update 1 of 3: point 1 at (−1, 2)")
    notes.keyboard.press("PageDown")
    shows(page.locator(".update-card h2"), "Update 1 of 3")
    shows(notes.locator("h1"), "Update 1 of 3")
    notes.locator("textarea").fill("Let them vote first.")
    page.get_by_role("button", name="Leave").click()
    page.reload()
    lecturing(page, server)
    with page.expect_popup() as opening:
        page.get_by_role("button", name="Notes").click()
    assert opening.value.locator("textarea").input_value() == "Let them vote first."


def test_the_notes_of_a_chapter_come_by_a_key(page: Any, server: str) -> None:
    lecturing(page, server + "#preset=xor")
    with page.expect_popup() as opening:
        page.keyboard.press("n")
    notes = opening.value
    chosen = notes.get_by_label("From the course")
    shows(notes.locator(".hints"), "Common misunderstanding")
    assert chosen.input_value().startswith("09-")
    chosen.select_option(label="6. The proof, one step at a time")
    shows(notes.locator(".hints"), "one inequality at a time")
    assert violations(notes) == []


def test_the_code_on_the_screen_is_read_as_the_address(page: Any, server: str) -> None:
    zxingcpp = pytest.importorskip("zxingcpp", reason="zxing-cpp is not installed")
    lecturing(page, server + "#preset=six&at=2")
    page.get_by_role("button", name="QR code").click()
    shows(page.locator(".qr"), "known to this machine alone")
    page.get_by_label("Where this page can be found").fill("https://example.org/studio.html")
    address = page.locator(".qr-address").inner_text()
    assert address.startswith("https://example.org/studio.html#preset=six")
    read = zxingcpp.read_barcodes(_picture(page.locator(".qr-code").screenshot()))
    assert [code.text for code in read] == [address]


def _picture(png: bytes) -> Any:
    import io

    from matplotlib.image import imread

    return (imread(io.BytesIO(png))[..., :3].mean(axis=2) * 255).astype(np.uint8)


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_to_fix(page: Any, server: str, dark: bool) -> None:
    page.emulate_media(color_scheme="dark" if dark else "light")
    lecturing(page, server)
    for open_dialog in (False, True):
        if open_dialog:
            page.get_by_role("button", name="QR code").click()
        assert violations(page) == []


def test_codes_of_every_size_are_read(page: Any, server: str) -> None:
    zxingcpp = pytest.importorskip("zxingcpp", reason="zxing-cpp is not installed")
    page.goto(server)
    choose = random.Random(0).choices
    lengths = [*range(1, 300, 23), *range(300, 2954, 211), 17, 18, 230, 231, 2953]
    texts = ["".join(choose(string.ascii_letters + "#&=,;:/%.-", k=n)) for n in lengths]
    made = page.evaluate(
        "async (texts) => { const {qrCode} = await import('./engine/qr_code.js');"
        " return texts.map((text) => qrCode(text)?.map((row) => row.map(Number)) ?? null); }",
        [*texts, "x" * 2954],
    )
    assert made.pop() is None
    for text, rows in zip(texts, made, strict=True):
        dots = np.pad(255 * (1 - np.array(rows, np.uint8)), 4, constant_values=255)
        read = zxingcpp.read_barcodes(dots.repeat(4, 0).repeat(4, 1))
        assert [code.text for code in read] == [text]
