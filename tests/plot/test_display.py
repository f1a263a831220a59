"""What all pictures share: late loading, saving, figures, words."""

import dataclasses
import inspect
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from rosenblatt import Hyperplane, Perceptron, numpydoc, plot
from rosenblatt.errors import MissingExtra, ParameterError
from rosenblatt.plot.style import DARK, LIGHT

X = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 1.0], [4.0, 2.0]])
Y = ["no", "no", "yes", "yes"]


@pytest.fixture(scope="module")
def shown():
    return plot.boundary(Perceptron().fit(X, Y), X, Y)


def run_python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")


def test_importing_the_pictures_loads_neither_matplotlib_nor_scikit_learn():
    names = ["boundary", "regions", "kernel_boundary", "updates", "animate", "lift"]
    statement = "; ".join(f"plot.{name}" for name in names)
    told = run_python(f"import sys; from rosenblatt import plot; {statement}; print(*sys.modules)")
    loaded = {name.split(".")[0] for name in told[0].split()}
    assert not loaded & {"matplotlib", "sklearn", "scipy", "PIL"}


def test_without_matplotlib_the_data_are_there_and_drawing_says_what_to_install():
    told = run_python(
        "import sys; sys.modules['matplotlib'] = None\n"
        "from rosenblatt import Hyperplane, plot\n"
        "shown = plot.boundary(Hyperplane([2, 3], 6), box=(-4, 4, -4, 4))\n"
        "print(shown.segment.tolist()[1])\n"
        "for draw in (shown.plot, lambda: shown.save('x.png')):\n"
        "    try: draw()\n"
        "    except ImportError as error: print(type(error).__name__, error)\n"
    )
    sentence = (
        "MissingExtra drawing needs Matplotlib. Install it with pip install 'rosenblatt[plot]'."
    )
    assert told == ["[3.0, -4.0]", sentence, sentence, ""]
    assert issubclass(MissingExtra, ImportError)


@pytest.mark.parametrize("name", ["boundary", "regions", "updates"])
def test_a_function_is_not_hidden_by_the_module_it_lives_in(name):
    told = run_python(
        f"import rosenblatt.plot.{name}; from rosenblatt import plot; print(callable(plot.{name}))"
    )
    assert told[0] == "True"


def test_an_unknown_picture_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'pie'"):
        _ = plot.pie


@pytest.mark.parametrize(
    ("ending", "start"),
    [("svg", b"<?xml"), ("pdf", b"%PDF"), ("PNG", b"\x89PNG")],
)
def test_the_same_picture_gives_the_same_bytes(shown, tmp_path, ending, start):
    one, two = tmp_path / f"one.{ending}", tmp_path / f"two.{ending}"
    shown.save(one)
    shown.save(two)
    assert one.read_bytes() == two.read_bytes()
    assert one.read_bytes().startswith(start)


def test_an_unknown_ending_is_refused_with_those_allowed(shown, tmp_path):
    with pytest.raises(ParameterError, match=r"\.svg, \.pdf, \.png"):
        shown.save(tmp_path / "picture.bmp")
    assert list(tmp_path.iterdir()) == []


def test_a_picture_that_cannot_be_drawn_leaves_the_old_file(tmp_path, monkeypatch):
    shown = plot.boundary(Hyperplane([1, 1]))
    path = tmp_path / "picture.svg"
    path.write_text("old")

    def fail(*_):
        raise RuntimeError("no ink")

    monkeypatch.setattr(shown, "_draw", fail)
    with pytest.raises(RuntimeError, match="no ink"):
        shown.save(path)
    assert [p.name for p in tmp_path.iterdir()] == ["picture.svg"]
    assert path.read_text() == "old"


@pytest.mark.parametrize("size", [(0, 4), (4,), "ab", (4, 1000)])
def test_a_size_that_is_none_is_refused(shown, tmp_path, size):
    with pytest.raises(ParameterError, match="inches"):
        shown.save(tmp_path / "x.png", size=size)


def test_saving_touches_neither_the_settings_nor_pyplot(shown, tmp_path):
    before = dict(mpl.rcParams)
    figures = pyplot.get_fignums()
    shown.save(tmp_path / "x.svg", theme="dark")
    assert shown._repr_png_().startswith(b"\x89PNG")
    assert shown._repr_html_().count("data:image/png;base64,") == 2
    assert dict(mpl.rcParams) == before
    assert pyplot.get_fignums() == figures
    assert not hasattr(shown, "ax_")


def test_plot_makes_a_figure_that_pyplot_can_show_and_keeps_the_settings():
    shown = plot.boundary(Perceptron().fit(X, Y), X, Y)
    before = dict(mpl.rcParams)
    try:
        assert shown.plot() is shown
        assert pyplot.figure(shown.figure_.number) is shown.figure_
        assert dict(mpl.rcParams) == before
        # The notebook shows that figure; a second one beside it would be too much.
        assert shown._repr_png_() is None is shown._repr_html_()
        assert shown.caption.split()[0] in shown.figure_.get_supxlabel()
    finally:
        pyplot.close(shown.figure_)


def test_plot_draws_where_it_is_told_to(shown):
    one = plot.boundary(Perceptron().fit(X, Y), X, Y)
    left, right = Figure().subplots(1, 2)
    one.plot(ax=right)
    assert one.ax_ is right
    assert one.figure_ is right.get_figure()
    assert right.lines
    assert not left.lines


@pytest.mark.parametrize(("ground", "theme"), [("black", DARK), ("white", LIGHT), ("0.2", DARK)])
def test_the_theme_follows_the_ground_that_is_there(ground, theme):
    one = plot.boundary(Hyperplane([2, 3], 6), box=(-4, 4, -4, 4))
    ax = Figure().subplots()
    ax.set_facecolor(ground)
    one.plot(ax)
    assert next(line.get_color() for line in ax.lines) == theme.ink


def test_a_theme_that_is_asked_for_brings_its_ground():
    ax = Figure().subplots()
    plot.boundary(Hyperplane([2, 3], 6), box=(-4, 4, -4, 4)).plot(ax, theme="dark")
    assert mpl.colors.to_hex(ax.get_facecolor()) == DARK.paper


def test_a_theme_that_is_none_is_refused(shown, tmp_path):
    with pytest.raises(ParameterError, match="'light' or 'dark'"):
        shown.save(tmp_path / "x.svg", theme="sepia")


@pytest.mark.parametrize(
    ("label", "drawn"),
    [
        ("$x$", r"\$x\$"),
        (r"a\$b$", r"a\\$b\$"),
        ("猫", r"\u732b"),
        ("<b>&amp;", "<b>&amp;"),
        ("new\nline", "new line"),
    ],
)
def test_labels_are_drawn_letter_for_letter(label, drawn, tmp_path):
    shown = plot.boundary(
        Perceptron().fit(X, ["#", "#", label, label]), X, ["#", "#", label, label]
    )
    shown.save(tmp_path / "x.png")
    ax = Figure().subplots()
    shown.plot(ax)
    assert drawn in [text.get_text().split("  ")[-1] for text in ax.get_legend().get_texts()]
    ax.get_figure().canvas.draw()


def test_repr_says_what_is_seen(shown):
    assert repr(shown) == f"<BoundaryDisplay: {shown.caption}>"


@pytest.mark.parametrize(("below", "theme"), [("white", LIGHT), ("black", DARK), ("none", LIGHT)])
def test_the_theme_of_axes_one_sees_through_is_that_of_the_figure(below, theme):
    one = plot.boundary(Hyperplane([2, 3], 6), box=(-4, 4, -4, 4))
    ax = Figure(facecolor=below).subplots()
    ax.set_facecolor("none")
    one.plot(ax)
    assert next(line.get_color() for line in ax.lines) == theme.ink


@pytest.mark.parametrize("ax", ["dark", 5, Figure().subplots(1, 2)], ids=["str", "int", "array"])
def test_what_is_no_axes_is_refused(shown, ax):
    with pytest.raises(ParameterError, match="give one Axes"):
        shown.plot(ax)


@pytest.mark.parametrize("dpi", [0, -3, "a", np.nan, 1e6])
def test_dots_that_cannot_be_drawn_are_refused(shown, tmp_path, dpi):
    with pytest.raises(ParameterError, match="dots"):
        shown.save(tmp_path / "x.png", dpi=dpi)
    assert list(tmp_path.iterdir()) == []


def test_a_picture_that_cannot_be_drawn_leaves_no_open_figure(monkeypatch):
    one = plot.boundary(Hyperplane([1, 1]))
    monkeypatch.setattr(one, "_draw", lambda *_: 1 / 0)
    before = pyplot.get_fignums()
    with pytest.raises(ZeroDivisionError):
        one.plot()
    assert pyplot.get_fignums() == before


def test_panels_in_given_axes_stand_apart_on_its_ground():
    model = Perceptron(record=True, shuffle=False).fit(X, Y)
    one = plot.updates(model, X, Y, each="example", max_frames=8)
    figure = Figure(figsize=(6, 6))
    ax = figure.subplots()
    one.plot(ax, theme="dark")
    figure.canvas.draw()
    ground = ax.get_window_extent()
    assert ax.patch.get_visible()
    assert mpl.colors.to_hex(ax.get_facecolor()) == DARK.paper
    panels = one.ax_
    assert panels.shape == (2, 4)
    for panel in panels.flat:
        title = panel.title.get_window_extent()
        assert ground.y0 <= title.y0
        assert title.y1 <= ground.y1
    for above, below in zip(panels[:-1, 0], panels[1:, 0], strict=True):
        gap = above.get_position().y0 - below.get_position().y1
        assert gap >= 0.1


@pytest.mark.parametrize("name", plot.__all__)
def test_every_parameter_and_the_result_of_a_picture_are_documented(name):
    function = getattr(plot, name)
    sections = numpydoc.sections(function.__doc__)[1]
    entries = numpydoc.entries(sections["Parameters"])
    assert ", ".join(entries).split(", ") == list(inspect.signature(function).parameters)
    assert function.__annotations__["return"].split(" |")[0] in sections["Returns"]


def test_a_display_documents_its_own_fields_and_those_of_its_bases(shown):
    sections = numpydoc.sections(type(shown).__doc__)[1]
    entries = numpydoc.entries(sections["Attributes"])
    fields = {field.name for field in dataclasses.fields(shown)}
    assert set(entries) == fields | {"ax_, figure_"}
