"""A browser for the tests of the page, and a server for it; both may be missing."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

CHROMIUM = "/usr/bin/chromium"
WAIT = 60_000
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def running_browser() -> Iterator[Any]:
    """Chromium without a window; where it cannot be had the tests are skipped, with the reason."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install playwright"
    )
    path = os.environ.get("ROSENBLATT_CHROMIUM") or shutil.which("chromium") or CHROMIUM
    if not os.path.exists(path):
        pytest.skip(f"there is no browser at {path}: install chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def watched_page(browser: Any, width: int = 1280, height: int = 900) -> Iterator[Any]:
    """A page of its own; an error in the page's code fails the test."""
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.set_default_timeout(WAIT)
    yield page
    context.close()
    # A question that is refused is the browser's to report, and the page's to explain.
    assert [error for error in errors if "status of 400" not in error] == []


@contextmanager
def running_server() -> Iterator[str]:
    """The studio on a free port of this machine; gives its address."""
    uvicorn = pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    pytest.importorskip("starlette", reason="starlette is not installed")
    from rosenblatt.studio.server import application, listen
    from rosenblatt.studio.session import Session

    listener = listen()
    listener.listen(16)
    port = listener.getsockname()[1]
    config = uvicorn.Config(
        application(Session(), port=port), log_level="error", ws="none", lifespan="off"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()
