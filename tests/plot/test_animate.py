"""Films: GIF, MP4 where ffmpeg is, and a page that plays in a browser without a network."""

import json
import os
import re
import stat
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from reference import lectures
from strategies import integers

import rosenblatt
from rosenblatt import Perceptron, plot
from rosenblatt.errors import InputError, MissingExtra, ParameterError, RosenblattError
from rosenblatt.plot.steps import two_lines
from rosenblatt.plot.style import DARK

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X, Y = lectures.L1_7_X, lectures.L1_7_Y
CHROMIUM = Path("/usr/bin/chromium")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NASTY = "</script><img src=x onerror=alert(1)>"


def recorded(X, y, **more):
    return Perceptron(record=True, shuffle=False, **more).fit(X, y)


@pytest.fixture(scope="module")
def film():
    return plot.animate(recorded(X, Y, ties="positive", fit_intercept=False), X, Y)


@pytest.fixture(scope="module")
def long_run():
    """Noise that no line divides, with many updates."""
    random = np.random.default_rng(0)
    rows = random.normal(size=(300, 2))
    labels = np.where(rows[:, 0] + random.normal(0, 0.4, 300) > 0, "up", "down")
    return recorded(rows, labels, max_iter=6, tol=None), rows, labels


def data_of(page):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(found[1])


def test_a_gif_has_a_picture_for_every_update(film, tmp_path):
    film.save(tmp_path / "run.gif")
    with Image.open(tmp_path / "run.gif") as gif:
        assert gif.format == "GIF"
        assert gif.n_frames == 3
        assert gif.info["loop"] == 0
        pictures = []
        for k in range(3):
            gif.seek(k)
            pictures.append(np.asarray(gif.convert("RGB")).astype(int))
    assert (np.abs(pictures[1] - pictures[0]).max(axis=2) > 60).any()
    assert (np.abs(pictures[2] - pictures[1]).max(axis=2) > 60).any()


def test_the_frames_are_those_of_a_full_drawing(film):
    """The fast way, which keeps what does not change, leaves nothing behind from frame to frame."""
    frames = list(film._frames(DARK, (4.0, 3.4), 80))
    alone = plot.animate(recorded(X, Y, ties="positive", fit_intercept=False).ledger_, X, Y)
    alone.run = alone.run.__class__(**{**alone.run.__dict__, "steps": alone.run.steps[-1:]})
    alone.titles = film.titles[-1:]
    (last,) = alone._frames(DARK, (4.0, 3.4), 80)
    np.testing.assert_array_equal(frames[-1], last)


def test_a_film_in_the_dark_is_dark(film):
    first = next(iter(film._frames(DARK, (4.0, 3.4), 80)))
    assert first[0, 0].tolist() == [int(DARK.paper[i : i + 2], 16) for i in (1, 3, 5)]


def test_the_page_holds_the_lines_of_the_ledger(film):
    data = data_of(film.page())
    left, right, bottom, top = film.run.box
    scale = np.array([data["width"] / (right - left), -data["height"] / (top - bottom)])
    assert [frame["title"] for frame in data["frames"]] == ["start", *map(two_lines, film.titles)]
    assert "line" not in data["frames"][0]  # w = 0 is no line
    for frame, step in zip(data["frames"][1:], film.run.steps, strict=True):
        ends = np.array(frame["line"]).reshape(2, 2) / scale + [left, top]
        np.testing.assert_allclose(ends, step.segment, atol=0.1 / scale[0])
        np.testing.assert_allclose(ends @ step.W[0], 0, atol=0.3 / scale[0])
        tip = np.array(frame["arrows"][0][3:]) / scale + [left, top]
        np.testing.assert_allclose(tip, step.W[0], atol=0.1 / scale[0])


def test_the_scales_of_the_page_stand_at_their_numbers(film):
    data = data_of(film.page())
    left, right, bottom, top = film.run.box
    for ticks, start, end, size in zip(
        data["ticks"], (left, top), (right, bottom), (data["width"], data["height"]), strict=True
    ):
        numbers = [float(text.replace("−", "-")) for _, text in ticks]
        assert 3 <= len(numbers) <= 9
        expected = (np.array(numbers) - start) / (end - start) * size
        np.testing.assert_allclose([place for place, _ in ticks], expected, atol=0.06)
    assert data["names"] == ["x₁", "x₂"]


def test_two_hundred_updates_make_a_small_page_that_needs_nothing_else(long_run, tmp_path):
    model, rows, labels = long_run
    shown = plot.animate(model.ledger_.upto(200), rows, labels, tmp_path / "run.html")
    assert len(shown.titles) == 200
    text = (tmp_path / "run.html").read_text()
    assert len(text.encode()) < 300_000
    assert not re.search(
        r"""(?:src|href)\s*=|url\(|@import|https?://(?!www\.w3\.org/2000/svg)""", text
    )
    assert "default-src 'none'" in text


def test_more_updates_than_pictures_are_counted(long_run):
    model, rows, labels = long_run
    n = len(model.ledger_)
    shown = plot.animate(model, rows, labels, max_frames=50)
    numbers = [step.update for step in shown.run.steps]
    assert (numbers[0], numbers[-1], len(numbers), shown.left_out) == (1, n, 50, n - 50)
    assert numbers == sorted(set(numbers))
    assert f"50 of {n} updates; {n - 50} left out" in shown.caption


def test_rows_that_are_too_many_are_counted(tmp_path):
    random = np.random.default_rng(0)
    rows = random.uniform(-1, 1, (6000, 2))
    labels = np.where(rows @ [1, 2] > 0, 1, -1)
    shown = plot.animate(recorded(rows, labels), rows, labels, tmp_path / "run.html")
    assert len(shown.run.points) == 4000
    assert "2,000 of 6,000 rows are not drawn" in shown.caption
    assert (tmp_path / "run.html").stat().st_size < 300_000
    points = set(map(tuple, shown.run.points.tolist()))
    for step in shown.run.steps:
        assert tuple(step.at.tolist()) in points
        np.testing.assert_array_equal(step.at, rows[step.row])


def test_labels_reach_the_page_as_text():
    y = np.where(np.arange(6) % 2, NASTY, "@DATA@")
    shown = plot.animate(recorded(X, y, max_iter=3, tol=None), X, y)
    page = shown.page()
    assert "<img" not in page
    assert page.count("</script>") == 2
    data = data_of(page)
    assert [mark["name"] for mark in data["marks"]] == [f"{NASTY[:16]}…{NASTY[-7:]}", "@DATA@"]
    assert "<img" not in shown._repr_html_().replace("&lt;", "")


def test_a_saved_model_gives_the_same_film(tmp_path):
    rows, labels = integers(3, n=20, d=2, n_classes=3)
    model = recorded(rows, labels, max_iter=3, tol=None)
    rosenblatt.save(model, tmp_path / "model.rbt")
    loaded = rosenblatt.load(tmp_path / "model.rbt")
    assert plot.animate(model, rows, labels).page() == plot.animate(loaded, rows, labels).page()


def test_an_mp4_without_ffmpeg_says_what_to_do(film, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingExtra, match=r"ffmpeg.*\.gif or \.html"):
        film.save(tmp_path / "run.mp4")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for ffmpeg is a shell script")
def test_ffmpeg_is_given_every_picture(film, tmp_path, monkeypatch):
    """A stand-in that keeps what it is told: the film itself is ffmpeg's work."""
    program = tmp_path / "ffmpeg"
    program.write_text('#!/bin/sh\nfor last; do :; done\necho "$@" > "$last"\nwc -c >> "$last"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    film.save(tmp_path / "run.mp4", size=(4, 3), dpi=50)
    told, count = (tmp_path / "run.mp4").read_text().splitlines()
    assert "-s 200x150" in told
    assert int(count) == 3 * 200 * 150 * 3
    program.write_text("#!/bin/sh\necho out of film >&2\nexit 3\n")
    with pytest.raises(RosenblattError, match="out of film"):
        film.save(tmp_path / "other.mp4")
    assert not (tmp_path / "other.mp4").exists()


def test_what_is_no_film_is_refused(film, tmp_path):
    with pytest.raises(ParameterError, match=r"\.gif, \.mp4, \.html"):
        film.save(tmp_path / "run.avi")
    for most in (1, True, 2.0):
        with pytest.raises(ParameterError, match="max_frames="):
            plot.animate(recorded(X, Y), X, Y, max_frames=most)
    done = Perceptron(fit_intercept=False, record=True).fit(X, Y, coef_init=[[3.0, 1.0]])
    with pytest.raises(InputError, match="no update"):
        plot.animate(done, X, Y)


def test_plot_draws_the_last_picture(film):
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    film.plot(ax)
    assert ax.get_title("left") == two_lines(film.titles[-1])
    assert film._repr_png_() is None
    assert '<iframe class="rosenblatt-film" srcdoc=' in film._repr_html_()


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM.exists(), reason="needs the browser chromium")
def test_the_page_plays_steps_and_goes_back_in_a_browser(film, tmp_path):
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    film.save(tmp_path / "run.html")
    y = np.where(Y > 0, NASTY, "other")
    plot.animate(recorded(X, y), X, y, tmp_path / "nasty.html")
    faults, asked = [], []
    with playwright.sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=str(CHROMIUM), args=QUIET)
        context = browser.new_context(reduced_motion="reduce", color_scheme="dark")
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text))
        page.on("request", lambda request: asked.append(request.url))
        page.goto((tmp_path / "run.html").as_uri())
        title = page.locator("#title")
        # Less motion is wanted: it waits.
        assert title.inner_text() == "start"
        assert page.locator("#play").inner_text() == "Play"
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == "rgb(22, 24, 29)"
        page.click("#step")
        assert title.inner_text() == two_lines(film.titles[0])
        assert page.locator("[data-line=now]").count() == 1
        assert page.locator("[data-line=before]").count() == 0
        page.keyboard.press("End")
        assert title.inner_text() == two_lines(film.titles[-1])
        page.keyboard.press("ArrowLeft")
        assert title.inner_text() == two_lines(film.titles[1])
        assert page.locator("#count").inner_text() == "2 of 3"
        assert page.locator("[data-line=before]").count() == 1
        page.click("#back")
        assert page.locator("#place").input_value() == "1"
        page.locator("#place").fill("0")
        assert title.inner_text() == "start"
        page.select_option("#speed", "4")
        page.click("#play")
        assert page.locator("#play").inner_text() == "Pause"
        playwright.expect(page.locator("#count")).to_have_text("3 of 3")
        playwright.expect(page.locator("#play")).to_have_text("Play")
        page.goto((tmp_path / "nasty.html").as_uri())
        assert page.locator("#legend").inner_text().startswith(NASTY[:16])
        assert page.locator("img").count() == 0
        assert faults == []
        assert all(url.startswith("file:") for url in asked)
        context.close()
        moving = browser.new_context(reduced_motion="no-preference").new_page()
        moving.goto((tmp_path / "run.html").as_uri())
        playwright.expect(moving.locator("#count")).not_to_have_text("0 of 3")
        browser.close()
