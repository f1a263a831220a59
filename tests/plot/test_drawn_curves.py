"""What is drawn is what the display holds, on any axes, in both themes, for any labels."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

mpl = pytest.importorskip("matplotlib")
mpl.use("agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

from rosenblatt import (  # noqa: E402
    KernelPerceptron,
    Perceptron,
    SequenceTagger,
    SoftPerceptron,
    VotedPerceptron,
    datasets,
    evaluate,
    load,
    plot,
    save,
    theory,
)

X = np.array([[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], float)
Y = [-1, 1, 1, -1, -1, 1]
ODD = ["$x^2$", "two\nlines", "", "a_{b} \\frac", "ß→漢字", "long " * 20, b"bytes".decode()]


def lecture(**options):
    options = {"ties": "positive", "fit_intercept": False, "shuffle": False, **options}
    return Perceptron(**options).fit(X, Y)


def tagger():
    sentences = [["a", "dog"], ["time", "flies"], ["the", "cat"]]
    return SequenceTagger().fit(sentences, [["D", "N"], ["N", "V"], ["D", "N"]])


def odd_rows():
    n = len(ODD)
    return np.vstack([np.eye(n), -np.eye(n)]), [*ODD, *ODD[::-1]]


def proven():
    return theory.proof(lecture(record=True).ledger_, X, separator=([3.0, 1.0], 0.0))


def study():
    return theory.order_study(lecture(), X, Y, n_orders=4)


def odd():
    return Perceptron().partial_fit(*odd_rows())


def soft(odd=False):
    return SoftPerceptron().partial_fit(*(odd_rows() if odd else (X, Y)))


def each_class():
    iris = datasets.iris()
    return KernelPerceptron(kernel="rbf").partial_fit(iris.X[::3], iris.labels[::3])


def stream():
    return evaluate.progressive(Perceptron(), zip(X, Y, strict=True), window=2)


PICTURES = {
    "mistakes": lambda: plot.mistakes(lecture()),
    "mistakes, bound near": lambda: plot.mistakes(lecture(), bound=10),
    "mistakes, bound far": lambda: plot.mistakes(lecture(), bound=10**6),
    "mistakes of several": lambda: plot.mistakes({"$a$": lecture(), "b": lecture()}, bound=5),
    "mistakes of a stream": lambda: plot.mistakes(stream()),
    "proof": lambda: plot.proof(proven()),
    "proof, linear": lambda: plot.proof(proven(), axes="linear"),
    "losses": plot.losses,
    "losses of right answers": lambda: plot.losses(["zero_one"], low=1, high=2),
    "weights": lambda: plot.weights(lecture(), names=["$x_1$", "x\n2"]),
    "weights of odd classes": lambda: plot.weights(odd()),
    "image": lambda: plot.weights(lecture(), shape=(1, 2)),
    "images of odd classes": lambda: plot.weights(odd(), shape=(1, 7)),
    "orders": lambda: plot.orders(study(), bound=50, file_order=3),
    "orders, bound near": lambda: plot.orders(study(), bound=6, file_order=1),
    "vote": lambda: plot.vote(VotedPerceptron().fit(X, Y)),
    "vote of each class": lambda: plot.vote(each_class()),
    "confusion of odd classes": lambda: plot.confusion(odd(), *odd_rows()),
    "confusion of many": lambda: plot.confusion(evaluate.report(range(40), range(40))),
    "reliability": lambda: plot.reliability(soft(), X, Y),
    "score curves": lambda: plot.score_curves(lecture(), X, Y),
    "score curves of odd classes": lambda: plot.score_curves(odd(), *odd_rows()),
    "reliability of odd classes": lambda: plot.reliability(soft(odd=True), *odd_rows()),
    "path": lambda: plot.tag_path(tagger(), ["a", "flies"], ["D", "V"]),
    "path, alone": lambda: plot.tag_path(tagger(), ["$", "\n", "漢" * 30]),
}
every = pytest.mark.parametrize("name", PICTURES)


@cache
def picture(name):
    return PICTURES[name]()


@every
def test_every_picture_is_saved_and_leaves_no_trace(name, tmp_path):
    before = mpl.rcParams.copy()
    path = tmp_path / "picture.svg"
    picture(name).save(path)
    assert path.read_bytes().lstrip().startswith(b"<?xml")
    assert mpl.rcParams == before
    assert pyplot.get_fignums() == []


@every
def test_every_picture_can_be_drawn_on_given_axes(name):
    figure = Figure()
    ax = figure.subplots(subplot_kw={"facecolor": "black"})
    drawn = picture(name).plot(ax)
    assert drawn.figure_ is figure
    figure.canvas.draw()
    assert pyplot.get_fignums() == []


def axes_of(display):
    """The axes on which a display was drawn."""
    ax = display.plot(Figure(layout="constrained").subplots()).ax_
    return ax if isinstance(ax, np.ndarray) else np.array([[ax]])


def line(ax, label):
    """The points of the line with this label."""
    (found,) = [one for one in ax.lines if one.get_label() == label]
    return found.get_xydata()


def test_bars_are_as_high_as_the_mistakes():
    shown = picture("mistakes, bound near")
    ax = axes_of(shown)[0, 0]
    assert [bar.get_height() for bar in ax.patches] == shown.runs[0].mistakes.tolist()
    assert line(ax, "so far")[:, 1].tolist() == shown.runs[0].total.tolist()


def test_a_long_run_is_drawn_with_its_counts():
    digits = datasets.digits()
    shown = plot.mistakes(Perceptron().fit(digits.X, digits.y))
    (area,) = axes_of(shown)[0, 0].collections
    assert area.get_paths()[0].vertices[:, 1].max() == shown.runs[0].mistakes.max()


def test_several_runs_below_a_bound_are_drawn_with_their_totals():
    one, two = lecture(), Perceptron(random_state=3).fit(X, Y)
    for bound, values in ((None, "mistakes"), (40, "total")):
        shown = plot.mistakes([one, two], bound=bound)
        lines = axes_of(shown)[0, 0].lines
        for run, drawn in zip(shown.runs, lines, strict=False):
            assert drawn.get_ydata().tolist() == getattr(run, values).tolist()


def test_the_window_of_a_stream_is_drawn_from_where_it_differs():
    shown = picture("mistakes of a stream")
    ax = axes_of(shown)[0, 0]
    points = np.column_stack([shown.examples, shown.rate])
    assert np.array_equal(line(ax, "of all so far"), points)
    recent = np.column_stack([shown.examples, shown.recent])[1:]
    assert recent[0, 0] == shown.window
    assert np.array_equal(line(ax, "of the last 2"), recent)
    assert not np.array_equal(recent, points[1:])


def test_curves_of_the_proof_pass_through_their_values():
    shown = picture("proof, linear")
    ax = axes_of(shown)[0, 0]
    assert np.array_equal(line(ax, "kγ"), np.column_stack([shown.curve_k, shown.lower]))
    assert np.array_equal(line(ax, "√k R"), np.column_stack([shown.curve_k, shown.upper]))
    assert np.array_equal(line(ax, "u·w"), np.column_stack([shown.k, shown.progress]))
    assert np.array_equal(line(ax, "‖w‖"), np.column_stack([shown.k, shown.length]))


def test_curves_of_the_losses_pass_through_their_values():
    shown = picture("losses")
    ax = axes_of(shown)[0, 0]
    hinge = line(ax, "hinge: max(0, 1 − m)")
    assert np.array_equal(hinge, np.column_stack([shown.margin, shown.values["hinge"]]))
    assert line(ax, "zero-one: 1 if m ≤ 0").max(axis=0).tolist() == [0.0, 1.0]


def test_bars_are_as_long_as_the_weights():
    shown = picture("weights")
    ax = axes_of(shown)[0, 0]
    assert sorted(bar.get_width() for bar in ax.patches) == sorted(shown.voices[0].values)


def test_pixels_have_the_colour_of_their_weight_on_a_scale_around_zero():
    shown = picture("images of odd classes")
    axes = axes_of(shown)
    for ax, image in zip(axes.flat, shown.images, strict=False):
        mesh = ax.collections[0]
        assert np.array_equal(mesh.get_array(), image)
        assert mesh.get_clim() == (-shown.limit, shown.limit)


def test_bars_are_as_high_as_the_number_of_orders():
    shown = picture("orders")
    ax = axes_of(shown)[0, 0]
    assert [bar.get_height() for bar in ax.patches] == shown.counts.tolist()
    assert [bar.get_x() for bar in ax.patches] == shown.edges[:-1].tolist()


def test_bars_are_as_high_as_the_lives():
    shown = picture("vote of each class")
    for ax, lives in zip(axes_of(shown).flat, shown.lives, strict=False):
        assert [bar.get_height() for bar in ax.patches] == lives.survival.tolist()


@pytest.mark.parametrize(("n", "stretch"), [(61, 1), (600, 1), (601, 2), (5000, 9)])
def test_of_many_lives_the_longest_of_each_stretch_is_drawn(n, stretch):
    survival = np.random.default_rng(n).geometric(0.1, n)
    shown = plot.vote(SimpleNamespace(survival=survival, entries=()))
    lines = axes_of(shown)[0, 0].collections[0].get_segments()
    assert [int(x) for (x, _), _ in lines] == list(range(0, n, stretch))
    assert [top for _, (_, top) in lines] == [
        survival[first : first + stretch].max() for first in range(0, n, stretch)
    ]
    assert (f"every {stretch}" in shown.caption) == (stretch > 1)


def test_every_confusion_has_its_number_in_its_cell():
    shown = plot.confusion(evaluate.report(list("aabbbc"), list("abbbcc")))
    ax = axes_of(shown)[0, 0]
    written = {(text.get_position()[::-1], text.get_text()) for text in ax.texts}
    counts = np.ndenumerate(shown.counts)
    assert written == {((i, j), str(count)) for (i, j), count in counts if count}


def test_paths_pass_through_their_tags_and_scores_stand_where_they_differ():
    shown = plot.tag_path(tagger(), ["a", "flies"], ["D", "N"])
    assert shown.differ == [1]
    ax = axes_of(shown)[0, 0]
    for label, path in (("predicted", shown.predicted), ("gold", shown.gold)):
        assert line(ax, label)[:, 1].tolist() == [shown.tags.index(tag) for tag in path]
    assert [text.xy[0] for text in ax.texts] == [1, 1]
    bottom, top = ax.get_ylim()
    assert top < 0 < len(shown.tags) - 1 < bottom


def test_a_saved_model_draws_the_same_bytes(tmp_path):
    for model, drawn in (
        (VotedPerceptron().fit(X, Y), plot.vote),
        (VotedPerceptron().fit(X, Y), plot.mistakes),
        (lecture(), plot.weights),
        (lecture(), lambda m: plot.confusion(m, X, Y)),
        (tagger(), lambda m: plot.tag_path(m, ["a", "flies"], ["D", "N"])),
    ):
        save(model, tmp_path / "model.rbt")
        files = [tmp_path / "live.svg", tmp_path / "twin.svg"]
        for one, path in zip((model, load(tmp_path / "model.rbt")), files, strict=True):
            drawn(one).save(path)
        assert files[0].read_bytes() == files[1].read_bytes()
