"""Films: GIF, and MP4 where ffmpeg is."""

import os
import stat

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


def test_more_updates_than_pictures_are_counted(long_run):
    model, rows, labels = long_run
    n = len(model.ledger_)
    shown = plot.animate(model, rows, labels, max_frames=50)
    numbers = [step.update for step in shown.run.steps]
    assert (numbers[0], numbers[-1], len(numbers), shown.left_out) == (1, n, 50, n - 50)
    assert numbers == sorted(set(numbers))
    assert f"50 of {n} updates; {n - 50} left out" in shown.caption


def test_rows_that_are_too_many_are_counted():
    random = np.random.default_rng(0)
    rows = random.uniform(-1, 1, (6000, 2))
    labels = np.where(rows @ [1, 2] > 0, 1, -1)
    shown = plot.animate(recorded(rows, labels), rows, labels)
    assert len(shown.run.points) == 4000
    assert "2,000 of 6,000 rows are not drawn" in shown.caption
    points = set(map(tuple, shown.run.points.tolist()))
    for step in shown.run.steps:
        assert tuple(step.at.tolist()) in points
        np.testing.assert_array_equal(step.at, rows[step.row])


def test_a_saved_model_gives_the_same_film(tmp_path):
    rows, labels = integers(3, n=20, d=2, n_classes=3)
    model = recorded(rows, labels, max_iter=3, tol=None)
    rosenblatt.save(model, tmp_path / "model.rbt")
    loaded = rosenblatt.load(tmp_path / "model.rbt")
    films = [plot.animate(one, rows, labels)._rendered("gif", dpi=50) for one in (model, loaded)]
    assert films[0] == films[1]


def test_an_mp4_without_ffmpeg_says_what_to_do(film, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingExtra, match=r"ffmpeg.*save as \.gif"):
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
    with pytest.raises(ParameterError, match=r"saved as \.gif, \.mp4; end the name in one\.$"):
        film.save(tmp_path / "run.avi")
    with pytest.raises(ParameterError, match=r"saved as \.gif, \.mp4; .*rosenblatt studio FILE"):
        film.save(tmp_path / "run.html")
    assert list(tmp_path.iterdir()) == []
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


def test_a_notebook_plays_the_film_in_its_theme(film):
    assert film._repr_png_() is None
    shown = film._repr_html_()
    assert shown.count('src="data:image/gif;base64,') == 2
    assert "rosenblatt-light" in shown
    assert "rosenblatt-dark" in shown


def test_labels_reach_a_notebook_as_text():
    y = np.where(np.arange(6) % 2, NASTY, "other")
    shown = plot.animate(recorded(X, y, max_iter=3, tol=None), X, y)
    assert "<img src=x" not in shown._repr_html_()
