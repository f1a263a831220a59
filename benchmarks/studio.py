"""The studio in a browser: how soon its first run is drawn, and how long a step takes.

python benchmarks/studio.py

Needs playwright and Chromium (ROSENBLATT_CHROMIUM names another one). The page is opened as one
file from disk and from its server on this machine; times are those of the page itself, from the
start of the navigation until a run is drawn. A step is a click on "Step" until the next
frame is drawn, with 3,000 points and 10,000 updates, which the page learns itself; also with 10,000
points and with a kernel, for which nothing is promised.
"""

from __future__ import annotations

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from report import Skipped

from rosenblatt.studio import Session

OPENINGS, STEPS = 7, 40
STEPPED = [("perceptron", 3000), ("averaged", 3000), ("voted", 3000), ("kernel", 3000)]
STEPPED += [("perceptron", 10_000), ("voted", 10_000)]
FIRST_RUN, STEP = 500, 50  # milliseconds that are allowed
# Asks before every frame whether a run is there to be seen.
WATCH = """
const look = () => {
  const title = document.querySelector(".update-card h2");
  if (title && title.textContent.startsWith("Update")) window.drawnAfter = performance.now();
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
CLICK = """async (times) => {
  const step = [...document.querySelectorAll("button")].find((b) => b.textContent === "Step ›");
  const found = [];
  for (let i = 0; i < times; i += 1) {
    const start = performance.now();
    step.click();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    found.push(performance.now() - start);
  }
  return found;
}"""


def many_points(n: int) -> list[list[Any]]:
    """Two classes that overlap, so that mistakes do not end."""
    draw = random.Random(0)
    points = [(draw.gauss(i % 2, 1.2), draw.gauss(0, 1.2)) for i in range(n)]
    return [[x, y, "AB"[i % 2]] for i, (x, y) in enumerate(points)]


@contextmanager
def browser() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise Skipped("playwright is not installed") from None
    path = os.environ.get("ROSENBLATT_CHROMIUM") or shutil.which("chromium")
    if path is None:
        raise Skipped("there is no chromium")
    with sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield found
        finally:
            found.close()


@contextmanager
def server() -> Iterator[str]:
    command = [sys.executable, "-m", "rosenblatt", "studio", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            yield running.stdout.readline().strip()
        finally:
            running.terminate()


def first_run(chromium: Any, address: str) -> float:
    """Milliseconds until a run is drawn; each time in a new profile, the median of some."""
    times = []
    for _ in range(OPENINGS):
        context = chromium.new_context(viewport={"width": 1280, "height": 900})
        page = context.new_page()
        page.add_init_script(WATCH)
        page.goto(address)
        page.locator(".update-card h2", has_text="Update").wait_for()
        times.append(page.evaluate("() => window.drawnAfter"))
        context.close()
    return statistics.median(times)


def steps(chromium: Any, folder: Path, kind: str, n: int) -> tuple[int, float, float]:
    """How many updates there are, the median of some steps in their middle, and the slowest."""
    state = {"data": {"rows": many_points(n)}, "learners": [{"kind": kind}], "at": 2000}
    state |= {"epochs": min(300, 1_000_000 // n)}
    path = folder / f"{kind}.html"
    path.write_text(Session().ask("page", state)["text"], "utf-8")
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.as_uri())
    title = page.locator(".update-card h2", has_text="Update 2000 of")
    title.wait_for()
    page.wait_for_timeout(3000)  # the curve of errors is counted meanwhile
    n_updates = int(title.inner_text().split()[3])
    times = page.evaluate(CLICK, STEPS)
    page.close()
    return n_updates, statistics.median(times), max(times)


def main() -> None:
    with browser() as chromium, tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "studio.html")
        session = Session()
        path.write_text(session.ask("page", session.ask("start", {})["state"])["text"], "utf-8")
        print(f"one file: {path.stat().st_size:,} bytes")
        print(f"first run, from disk: {first_run(chromium, path.as_uri()):.0f} ms (≤ {FIRST_RUN})")
        with server() as address:
            print(f"first run, served: {first_run(chromium, address):.0f} ms (≤ {FIRST_RUN})")
        for kind, n in STEPPED:
            made, median, slowest = steps(chromium, Path(folder), kind, n)
            said = f"{median:.0f} ms, the slowest {slowest:.0f} ms (≤ {STEP})"
            print(f"step, {kind}, {n:,} points, {made:,} updates: {said}", flush=True)


if __name__ == "__main__":
    try:
        main()
    except Skipped as reason:
        print(f"skipped: {reason}")
