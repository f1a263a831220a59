"""What people see in a real JupyterLab: the widget, pictures, films and results, light and dark."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jupyterlab", reason="JupyterLab is not installed: pip install jupyterlab")
pytest.importorskip("anywidget", reason="the studio in a notebook needs its extra")

from .browser import WAIT, running_browser

pytestmark = pytest.mark.long

SET_UP = """\
from rosenblatt import Perceptron, plot, theory
from rosenblatt.studio import Playground
X, y = [[-1, 2], [1, 0], [1, 1], [-1, 0]], ["<b>no</b>", "yes", "yes", "<b>no</b>"]
p = Perceptron(record=True, shuffle=False).fit(X, y)"""
WIDGET, PICTURE, FILM, LEDGER, VERDICT = CELLS = [
    "Playground(X, y)",
    "plot.boundary(p, X, y)",
    "plot.animate(p, X, y)",
    "p.ledger_",
    "theory.separability(X, y)",
]


def write_notebook(path: Path) -> None:
    code = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    cells = [{**code, "id": f"c{i}", "source": source} for i, source in enumerate([SET_UP, *CELLS])]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}}
    path.write_text(json.dumps({**notebook, "nbformat": 4, "nbformat_minor": 5}))


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """JupyterLab on a free port of this machine, with a token, at a notebook of ours."""
    folder = tmp_path_factory.mktemp("lab")
    (folder / "notebooks").mkdir()
    write_notebook(folder / "notebooks" / "try.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    own = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    # A kernel looks for `rosenblatt` where these tests found it.
    found = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    env = {**os.environ, **{name: str(folder / name.lower()) for name in own}, **found}
    options = {
        "--ServerApp.ip": "127.0.0.1",
        "--ServerApp.port": str(port),
        "--ServerApp.root_dir": str(folder / "notebooks"),
        "--IdentityProvider.token": token,
        "--LabApp.news_url": "None",
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += [f"{name}={value}" for name, value in options.items()]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(command, env=env, stdout=log, stderr=log)
    try:
        for _ in range(600):
            with socket.socket() as knock:
                if knock.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert server.poll() is None, (folder / "log").read_text()
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/lab/tree/try.ipynb?token={token}"
    finally:
        server.terminate()
        server.wait(30)


@pytest.fixture(scope="module")
def lab(address: str) -> Iterator[Any]:
    """The notebook with all its cells run."""
    with running_browser() as browser:
        # Playwright would tell frames another scheme than that of their elements.
        size = {"width": 1280, "height": 2400}
        page = browser.new_context(viewport=size, color_scheme="null").new_page()
        page.set_default_timeout(WAIT)
        page.goto(address)
        page.locator(".jp-Notebook .jp-Cell").nth(len(CELLS)).wait_for()
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_text("Run All Cells", exact=True).click()
        for source in CELLS:
            output(page, source).wait_for()
        page.locator(".studio .surface").first.wait_for()
        yield page


def output(page: Any, source: str) -> Any:
    cells = page.locator(".jp-Cell", has=page.get_by_text(source, exact=True))
    return cells.locator(".jp-OutputArea-output").first


def choose_theme(page: Any, name: str) -> None:
    page.get_by_role("menuitem", name="Settings", exact=True).click()
    page.get_by_text("Theme", exact=True).hover()
    page.get_by_text(name, exact=True).click()
    page.wait_for_function("name => document.body.dataset.jpThemeName === name", arg=name)


def ground(locator: Any) -> int:
    """How bright the ground of an element is, from 0 to 255."""
    colour = locator.evaluate("node => getComputedStyle(node).backgroundColor")
    return sum(int(part) for part in colour.strip("rgb()").split(",")) // 3


def n_cells(page: Any) -> int:
    return int(page.locator(".jp-Notebook .jp-Cell").count())


@pytest.mark.parametrize("name", ["Dark", "Light"])
def test_widget_picture_and_film_follow_the_theme(lab: Any, name: str) -> None:
    choose_theme(lab, f"JupyterLab {name}")
    is_dark = name == "Dark"
    lab.locator(".studio.dark" if is_dark else ".studio.light").wait_for()
    for picture in (PICTURE, FILM):
        for shade in ("dark", "light"):
            seen = output(lab, picture).locator(f".rosenblatt-{shade}").is_visible()
            assert seen == (shade == name.lower())
    for place in (lab.locator(".studio"), lab.locator(".jp-Notebook")):
        assert (ground(place) < 128) == is_dark


@pytest.mark.parametrize("name", ["Dark", "Light"])
def test_results_are_read_in_either_theme(lab: Any, name: str) -> None:
    choose_theme(lab, f"JupyterLab {name}")
    for source, words in ((LEDGER, "y_pred"), (VERDICT, "hyperplane")):
        cell = output(lab, source).get_by_text(words, exact=True)
        colour = cell.evaluate("node => getComputedStyle(node).color")
        bright = sum(int(float(part)) for part in colour.strip("rgba()").split(",")[:3]) // 3
        assert (bright > 128) == (name == "Dark")
    assert "<b>no</b>" in output(lab, VERDICT).inner_text()


def test_keys_in_the_widget_stay_there(lab: Any) -> None:
    before = n_cells(lab)
    surface = lab.locator(".studio .surface").first
    for focused in (surface, lab.get_by_role("button", name="Larger type")):
        focused.focus()
        for key in ("a", "b", "d", "d", "x", "y", "m", "ArrowUp", "Shift+M"):
            lab.keyboard.press(key)
        lab.wait_for_timeout(500)
        assert n_cells(lab) == before
        assert focused.evaluate("node => node === document.activeElement")
    assert lab.locator(".jp-MarkdownCell").count() == 0


def test_keys_outside_the_widget_are_those_of_the_notebook(lab: Any) -> None:
    before = n_cells(lab)
    lab.locator(".jp-Cell .jp-InputPrompt").first.click()
    lab.keyboard.press("b")
    lab.wait_for_function("n => document.querySelectorAll('.jp-Cell').length === n", arg=before + 1)
    lab.keyboard.press("d")
    lab.keyboard.press("d")
    lab.wait_for_function("n => document.querySelectorAll('.jp-Cell').length === n", arg=before)


def test_the_studio_hears_its_own_keys(lab: Any) -> None:
    lab.locator(".studio .surface").first.focus()
    at = lab.locator(".studio input[type=number]").first
    before = at.input_value()
    lab.keyboard.press("Space")
    lab.wait_for_function(
        "before => document.querySelector('.studio input[type=number]').value !== before",
        arg=before,
    )
