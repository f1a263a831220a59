"""The moving picture of the studio: ``PYTHONPATH=tests python -m studio.gif`` makes it anew."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .browser import running_browser, running_server

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "studio.gif"
SIZE = {"width": 920, "height": 736}
# How long a frame is seen, in milliseconds: one to be read, the pointer on its
# way, a click, the last.
READ, MOVE, CLICK, LAST = 2600, 450, 350, 6000
POINTER = """
([x, y, pressed]) => {
    let pointer = document.getElementById("pointer");
    if (!pointer) {
        pointer = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        pointer.id = "pointer";
        pointer.setAttribute("viewBox", "-12 -12 36 36");
        pointer.style = "position:fixed;width:54px;height:54px;z-index:99;pointer-events:none";
        pointer.innerHTML = '<circle r="10" fill="none" stroke="#d55e00" stroke-width="3"/>' +
            '<path d="M0,0V17L4,13.5L6.8,19.5L9.6,18.2L6.8,12.4H12Z" fill="#111" stroke="#fff"/>';
        document.body.append(pointer);
    }
    pointer.style.left = `${x - 18}px`;
    pointer.style.top = `${y - 18}px`;
    pointer.firstChild.style.display = pressed ? "" : "none";
}
"""


def film(page: Any, address: str) -> Iterator[tuple[bytes, int, str]]:
    """Each frame of stepping through the six points (L1.7): the picture, its time, its words."""
    page.set_viewport_size(SIZE)
    page.goto(f"{address}#preset=six")
    page.get_by_text("0 of at most 5 mistakes").wait_for()
    step = page.get_by_role("button", name="Step")
    box = step.bounding_box()
    button = box["x"] + 0.7 * box["width"], box["y"] + 0.6 * box["height"]

    def frame(time: int, pointer: tuple[float, float] = button, pressed: bool = False) -> Any:
        page.evaluate(POINTER, [*pointer, pressed])
        shown = [page.locator(part).inner_text() for part in (".stage .status", ".update-card h2")]
        return page.screenshot(animations="disabled"), time, ": ".join(shown)

    yield frame(READ, (button[0] + 150, button[1] - 170))
    yield frame(MOVE, (button[0] + 60, button[1] - 60))
    for k in (1, 2, 3):
        yield frame(CLICK, pressed=True)
        step.click()
        page.get_by_text(f"{k} of at most 5 mistakes").wait_for()
        page.mouse.move(1, 1)
        yield frame(READ)
    yield frame(LAST, (-100, -100))


def main() -> None:
    from PIL import Image

    with running_server() as address, running_browser() as browser:
        frames = list(film(browser.new_page(), address))
    pictures = [Image.open(io.BytesIO(dots)).convert("RGB") for dots, _, _ in frames]
    # One palette for all, with rare colours kept: those that change would flicker.
    sheet = Image.new("RGB", (SIZE["width"], SIZE["height"] * len(pictures)))
    for place, one in enumerate(pictures):
        sheet.paste(one, (0, SIZE["height"] * place))
    palette = sheet.quantize(method=Image.Quantize.MAXCOVERAGE, kmeans=1)
    few = [one.quantize(palette=palette, dither=Image.Dither.NONE) for one in pictures]
    few[0].save(
        PICTURE,
        save_all=True,
        append_images=few[1:],
        duration=[time for _, time, _ in frames],
        loop=0,
        comment="\n".join(words for *_, words in frames).encode(),
    )


if __name__ == "__main__":
    main()
