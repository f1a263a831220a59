"""The pictures of the lectures as a class sees them: what is drawn, and words that stay apart."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from rosenblatt import Hyperplane, KernelPerceptron, Perceptron, datasets, plot, theory
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.plot.pen import CROWD
from rosenblatt.plot.style import THEMES

SIX = np.array([[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], float)
SIGNS = [-1, 1, 1, -1, -1, 1]
LECTURE = Perceptron(ties="positive", fit_intercept=False, shuffle=False, record=True)
LECTURE.fit(SIX, SIGNS)
FEW = datasets.separable(12, 2, margin=0.2, intercept=0.5, seed=3)
MANY = datasets.separable(3000, 2, margin=0.01, seed=2)


def margin_picture(gamma, seed=6):
    rows = datasets.separable(40, 2, margin=gamma, seed=seed)
    widest = theory.max_margin(rows.X, rows.y, fit_intercept=False)
    return plot.boundary(widest, rows.X, rows.y, bound=True)


PICTURES = {
    "exercise": lambda: plot.boundary(Hyperplane([2, 3], 6), details=True),
    "distances": lambda: plot.boundary(
        Hyperplane([2, 3], 6), [[0, 0], [-3, 3], [-3.5, -2]], distances=True
    ),
    "six frames": lambda: plot.updates(LECTURE, SIX, SIGNS, each="example", max_frames=6),
    "augmented": lambda: plot.lift(theory.max_margin(FEW.X, FEW.y), FEW.X, FEW.y, by="constant"),
    "projection": lambda: plot.projection([1, 3], onto=[4, 2]),
    "projection below 0": lambda: plot.projection([-3, 1], onto=[4, 2], names=("a", "b")),
    "margins": lambda: plot.side_by_side(
        [margin_picture(0.02), margin_picture(0.3)], titles=["narrow", "wide"]
    ),
    "proof": lambda: plot.proof(
        theory.proof(LECTURE.ledger_, SIX, separator=([1, 0], 0)), axes="plane"
    ),
    "one-hot": lambda: plot.one_hot([1, 3, -2], "rain", ["rain", "snow", "sun"]),
    "crowd": lambda: plot.boundary(Hyperplane([1, 0.2]), MANY.X, MANY.y),
}


def drawn(display, theme="light"):
    """The figure of a display, laid out."""
    with display._settings(THEMES[theme]):
        figure = Figure(figsize=display._size(), layout="constrained")
        FigureCanvasAgg(figure)
        display._fill(figure, THEMES[theme])
        figure.canvas.draw()
    return figure


def texts_of(figure):
    """All words that are seen; those of ticks outside the axes are not drawn."""
    found = [figure._supxlabel, *(text for one in figure.legends for text in one.get_texts())]
    for ax in figure.axes:
        if ax.axison:
            ticks = [t.label1 for axis in (ax.xaxis, ax.yaxis) for t in axis._update_ticks()]
            found += ticks if ax.name != "3d" else []
            found += [ax.xaxis.label, ax.yaxis.label, ax.title, ax._left_title]
        found += ax.texts
    return [text for text in found if text is not None and text.get_text().strip()]


def words_of(figure):
    """Words and their boxes; those of slanted ones do not say where they are."""
    level = [text for text in texts_of(figure) if text.get_rotation() % 90 == 0]
    return [(text.get_text(), text.get_window_extent()) for text in level]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", PICTURES)
def test_words_do_not_overlap_and_are_not_cut_off(name, theme):
    figure = drawn(PICTURES[name](), theme)
    words = words_of(figure)
    assert len(words) >= 4
    high, wide = figure.bbox.height, figure.bbox.width
    for text, box in words:
        assert min(box.x0, box.y0, wide - box.x1, high - box.y1) >= -1, text
    for (one, a), (other, b) in combinations(words, 2):
        common = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        assert min(common) <= 1.5, (one, other)


@pytest.mark.parametrize("name", PICTURES)
def test_no_words_are_tiny(name):
    sizes = {t.get_text(): t.get_fontsize() for t in texts_of(drawn(PICTURES[name]()))}
    assert [text for text, size in sizes.items() if text.strip() and size < 6.9] == []


def test_the_exercise_has_its_equation_half_spaces_and_intercepts():
    seen = {text for text, _ in words_of(drawn(PICTURES["exercise"]()))}
    slanted = {t.get_text() for t in texts_of(drawn(PICTURES["exercise"]()))}
    assert {"S₊", "S₋", "(−3, 0)", "(0, −2)", "w = (2, 3)"} <= seen
    assert "2 x₁ + 3 x₂ + 6 = 0" in slanted


def test_six_frames_have_axes_and_the_numbers_of_each_example():
    figure = drawn(PICTURES["six frames"]())
    assert [ax.get_xlabel() for ax in figure.axes] == ["", "", "", "x₁", "x₁", "x₁"]
    assert [ax.get_ylabel() for ax in figure.axes] == ["x₂", "", "", "x₂", "", ""]
    wanted = ["(−1, 2)", "(1, 0)", "(1, 1)", "(−1, 0)", "(−1, −2)", "(1, −1)"]
    for ax, example in zip(figure.axes, wanted, strict=True):
        assert example in {text.get_text() for text in ax.texts}
        assert {len(set(line.get_xdata())) for line in ax.lines} >= {1, 2}  # an axis up


def test_a_projection_says_how_far_and_on_which_side():
    shown = plot.projection([-3, 1], onto=[4, 2])
    assert shown.foot.tolist() == [-2, -1]
    assert shown.distance == pytest.approx(-np.sqrt(5))
    assert (shown.x - shown.foot) @ shown.w == pytest.approx(0)
    texts = {t.get_text() for t in texts_of(drawn(shown))}
    assert "x·w / ‖w‖ = −2.24" in texts
    with pytest.raises(InputError, match="two numbers each"):
        plot.projection([1, 2, 3], onto=[1, 2, 3])
    drawn(plot.projection([0, 0], onto=[1, 1]))
    drawn(plot.projection([2, 2], onto=[1, 1]))


@pytest.mark.parametrize("gamma", [0.02, 0.3])
def test_radius_and_margin_are_drawn_as_long_as_they_are(gamma):
    shown = margin_picture(gamma)
    assert shown.margin == pytest.approx(gamma, rel=0.01)
    ax = drawn(shown).axes[0]
    far = [np.hypot(*line.get_data()) for line in ax.lines if len(line.get_xdata()) > 100]
    np.testing.assert_allclose(far[0], shown.radius)
    starts = [note for note in ax.texts if getattr(note, "arrow_patch", None) is not None]
    lengths = [np.hypot(*np.subtract(one.xy, one.xyann)) for one in starts]
    assert min(abs(length - shown.margin) for length in lengths) < 1e-9
    assert f"R²/γ² = {(shown.radius / shown.margin) ** 2:,.0f}"[:12] in shown.caption


def test_a_bound_is_of_lines_through_the_origin_that_separate():
    with pytest.raises(ParameterError, match="a line through the origin"):
        plot.boundary(Hyperplane([1, 0], 0.5), SIX, SIGNS, bound=True)
    with pytest.raises(ParameterError, match="a line through the origin"):
        plot.boundary(Hyperplane([0, 1]), SIX, SIGNS, bound=True)


def test_the_angle_between_w_and_u_shrinks_to_nothing():
    figure = drawn(PICTURES["proof"]())
    assert [ax.get_title("left") for ax in figure.axes[:5]] == [
        "k = 1: angle 63°, at most 63°",
        "k = 2: angle 27°, at most 51°",
        "k = 3: angle 18°, at most 39°",
        "k = 5: angle at most 0°",
        "k = 6: no room left",
    ]


def test_one_hot_vectors_have_one_cell_in_the_colour_of_their_class():
    shown = PICTURES["one-hot"]()
    assert shown.loss == 2
    ax = drawn(shown).axes[0]
    colours = [THEMES["light"].colour(place) for place in range(3)]
    set_cells = {
        tuple(patch.get_xy().min(axis=0)): colours.index(colour)
        for patch in ax.patches
        for colour in colours
        if patch.get_facecolor() == to_rgba(colour)
    }
    assert set_cells == {(1.25, 1): 1, (2.25, 0): 0, (3.25, 0): 0, (3.25, 1): 1}
    assert "nothing changes" in plot.one_hot([1, 0], "a", "ab").caption
    with pytest.raises(ParameterError, match="2 to 20 can be shown"):
        plot.one_hot([1], "a", "a")
    with pytest.raises(InputError, match="a number for each class"):
        plot.one_hot([1, 2, 3], "a", "ab")


def test_a_crowd_is_small_faint_dots_without_rings_or_crosses():
    shown = plot.boundary(Hyperplane([1, 0.2]), MANY.X, MANY.y)
    assert len(shown.points) > CROWD
    assert len(shown.wrong) > 100
    ax = drawn(shown).axes[0]
    full = [some for some in ax.collections if len(some.get_offsets())]
    assert sum(len(some.get_offsets()) for some in full) == len(MANY.X) + len(shown.wrong)
    assert all(some.get_sizes().max() < 10 for some in full)
    faint, strong = full[::2], full[1::2]
    assert max(some.get_alpha() for some in faint) < min(some.get_alpha() for some in strong)
    assert "in full colour; the others are faint" in shown.caption
    # The legend has the marks of the classes at their usual size.
    sizes = [handle.get_sizes()[0] for handle in ax.get_figure().legends[0].legend_handles]
    assert min(sizes) > 40


def test_support_rows_have_rings_only_where_these_hide_no_others():
    X = np.random.default_rng(0).normal(size=(150, 2))
    y = np.random.default_rng(1).integers(0, 2, 150)
    model = KernelPerceptron(kernel="rbf", gamma=100.0).fit(X, y)
    shown = plot.kernel_boundary(model, X, y, cells=20)
    assert len(shown.support) > 50
    assert "Rings" not in shown.caption
    hollow = [some for some in drawn(shown).axes[0].collections if not len(some.get_facecolors())]
    assert [some for some in hollow if len(some.get_offsets()) == len(shown.support)] == []
