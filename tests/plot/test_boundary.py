"""The line between two classes: its ends, w, the margin, both sides, many features."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from strategies import separable, sparse_rows

import rosenblatt
from rosenblatt import Hyperplane, KernelPerceptron, Perceptron, VotedPerceptron, plot, theory
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.plot.pen import has_rings
from rosenblatt.plot.plane import arrow_of, box_around, scale_of

BOX = (-4.0, 4.0, -3.0, 3.0)
weight = st.integers(-9, 9)


def area(corners):
    x, y = np.asarray(corners).T
    return abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def test_L1_2_the_exercise():
    """L1.2: w = (2, 3), b = 6 crosses the axes at -3 and -2, w stands on it at a right angle."""
    shown = plot.boundary(Hyperplane([2, 3], 6), box=(-4, 4, -4, 4))
    np.testing.assert_allclose(shown.segment, [[-4, 2 / 3], [3, -4]])
    foot, tip = shown.arrow
    np.testing.assert_allclose(foot, [-12 / 13, -18 / 13])
    np.testing.assert_allclose(tip - foot, shown.arrow_scale * np.array([2, 3]))
    assert (tip - foot) @ (shown.segment[1] - shown.segment[0]) == pytest.approx(0)
    assert f"{shown.arrow_scale:g} times its length" in shown.caption


def test_L1_2_the_exercise_with_all_that_it_asks_for():
    shown = plot.boundary(Hyperplane([2, 3], 6), details=True)
    assert shown.equation == "2 x₁ + 3 x₂ + 6 = 0"
    np.testing.assert_array_equal(shown.intercepts, [[-3, 0], [0, -2]])
    np.testing.assert_allclose(shown.arrow, [[-12 / 13, -18 / 13], [14 / 13, 21 / 13]])
    ax = Figure().subplots()
    shown.plot(ax)
    words = {text.get_text() for text in ax.texts}
    assert words >= {"S₊", "S₋", "w = (2, 3)", "(−3, 0)", "(0, −2)", shown.equation}
    # Without it nothing of that is drawn.
    plain = plot.boundary(Hyperplane([2, 3], 6))
    assert (plain.equation, len(plain.intercepts)) == ("", 0)


@pytest.mark.parametrize(
    ("w", "b", "equation", "intercepts"),
    [
        ([1, -1], 0, "x₁ − x₂ = 0", [[0, 0]]),
        ([-1, 0], 2.5, "−x₁ + 2.5 = 0", [[2.5, 0]]),
        ([0, -0.5], -1, "−0.5 x₂ − 1 = 0", [[0, -2]]),
        ([4], 2, "4 x₁ + 2 = 0", [[-0.5, 0]]),
    ],
)
def test_equations_are_written_as_people_write_them(w, b, equation, intercepts, tmp_path):
    shown = plot.boundary(Hyperplane(w, b), details=True)
    assert shown.equation == equation
    np.testing.assert_array_equal(shown.intercepts, intercepts)
    shown.save(tmp_path / "line.png")
    with pytest.raises(ParameterError, match="details=True with 3 features"):
        plot.boundary(Hyperplane([1, 2, 3], b), details=True)


def test_L3_1_distances_end_on_the_line():
    """L3.1: |w·x + b| / ‖w‖."""
    X = np.array([[0.0, 0.0], [1.0, -3.0], [-3.0, 3.0]])
    shown = plot.boundary(Hyperplane([2, 3], 6), X, distances=True)
    np.testing.assert_allclose(shown.feet @ [2, 3] + 6, 0, atol=1e-12)
    measured = np.linalg.norm(shown.feet - X, axis=1)
    np.testing.assert_allclose(measured, np.abs(X @ [2, 3] + 6) / np.sqrt(13))
    ax = Figure().subplots()
    shown.plot(ax)
    words = [text.get_text() for text in ax.texts]
    assert {"1.66", "0.277", "2.5"} <= set(words)
    with pytest.raises(ParameterError, match="between 1 and 12"):
        plot.boundary(Hyperplane([2, 3], 6), distances=True)


@given(weight, weight, weight)
def test_the_sides_tile_the_box_and_meet_in_the_line(w1, w2, b):
    if not (w1 or w2):
        return
    shown = plot.boundary(Hyperplane([w1, w2], b), box=BOX)
    assert sum(area(corners) for corners in shown.sides.values()) == pytest.approx(48)
    for place, corners in shown.sides.items():
        signed = (2 * place - 1) * (corners @ [w1, w2] + b)
        assert (signed >= -1e-9).all()
    if shown.segment is not None:
        np.testing.assert_allclose(shown.segment @ [w1, w2] + b, 0, atol=1e-9)
        assert (np.abs(shown.segment) <= [4, 3]).all()
    else:
        assert len(shown.sides) == 1
        assert "outside" in shown.caption


def test_the_band_is_as_wide_as_the_margin_on_both_sides():
    X, y, _ = separable(4, n=60, d=2, gamma=0.1, bias=True)
    model = Perceptron().fit(X, y)
    shown = plot.boundary(model, X, y)
    w, b = model.coef_[0], model.intercept_[0]
    assert shown.margin == pytest.approx(theory.margin(X, y, w, b) / np.linalg.norm(w))
    distance = (shown.band @ w + b) / np.linalg.norm(w)
    assert np.abs(distance).max() == pytest.approx(shown.margin)
    assert distance.min() == pytest.approx(-shown.margin)
    inside = np.abs(shown.line.signed_distance(X))
    assert inside.min() == pytest.approx(shown.margin)
    assert f"{shown.margin:.3g} away" in shown.caption


def test_the_largest_margin_is_drawn_from_its_result():
    X, y = [[0, 0], [1, 0], [3, 0], [4, 1]], [-1, -1, 1, 1]
    shown = plot.boundary(theory.max_margin(X, y), X, y)
    assert shown.margin == pytest.approx(1.0)
    np.testing.assert_allclose(shown.segment[:, 0], 2.0)
    shown = plot.boundary(theory.separability(X, ["a", "a", "b", "b"]), X, ["a", "a", "b", "b"])
    assert [mark.name for mark in shown.marks] == ["a", "b"]
    with pytest.raises(InputError, match="cannot be separated"):
        plot.boundary(theory.separability([[0], [1], [2]], [0, 1, 0]))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_mistakes_of_training_and_of_now_are_told_apart():
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 2))
    y = np.where(X[:, 0] + random.normal(0, 0.7, 40) > 0, "up", "down")
    model = Perceptron(max_iter=5).fit(X, y)
    shown = plot.boundary(model, X, y)
    np.testing.assert_array_equal(shown.mistaken, np.flatnonzero(model.mistakes_per_row_))
    np.testing.assert_array_equal(shown.wrong, np.flatnonzero(model.predict(X) != y))
    assert 0 < len(shown.wrong) < len(shown.mistaken)
    assert shown.margin is None
    assert shown.band is None
    assert f"{len(shown.wrong)} of 40 rows on the wrong side" in shown.caption
    # Rings are drawn where they are few.
    assert len(shown.mistaken) > 40 / 3
    assert f"{len(shown.mistaken)} rows were mistaken in training." in shown.caption
    assert has_rings(13, 40)
    assert not has_rings(14, 40)
    # Other rows than those of training were never mistaken in it.
    assert len(plot.boundary(model, X[:10], y[:10]).mistaken) == 0


@pytest.mark.parametrize("d", [3, 8])
def test_many_features_are_seen_along_w_at_their_true_distance(d):
    X, y, _ = separable(1, n=80, d=d, gamma=0.05, bias=True)
    model = Perceptron().fit(X, y)
    shown = plot.boundary(model, X, y)
    along, across = shown.plane.directions
    w, b = model.coef_[0], model.intercept_[0]
    np.testing.assert_allclose(along, w / np.linalg.norm(w))
    assert along @ across == pytest.approx(0, abs=1e-12)
    assert np.linalg.norm(across) == pytest.approx(1)
    truth = Hyperplane(w, b).signed_distance(X)
    np.testing.assert_allclose(shown.line.signed_distance(shown.points), truth, atol=1e-12)
    # No other direction at a right angle to w has the rows more spread out.
    centred = X - X.mean(axis=0)
    centred -= np.outer(centred @ along, along)
    largest = np.linalg.svd(centred)[1][0]
    assert np.linalg.norm(centred @ across) == pytest.approx(largest, rel=1e-6)
    assert f"Of {d} features two directions are shown" in shown.caption
    ax = Figure().subplots()
    shown.plot(ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("along w", "at a right angle to w")
    # Both axes lie along the sides, so each has a scale of its own and the rows fill the picture.
    assert ax.get_aspect() == "auto"
    left, right, bottom, top = shown.box
    filled = np.ptp(shown.points, axis=0) / [right - left, top - bottom]
    assert (filled > 0.75).all()


def test_directions_are_named_by_the_features():
    pandas = pytest.importorskip("pandas")
    X, y, _ = separable(1, n=30, d=3, gamma=0.05)
    table = pandas.DataFrame(X, columns=["mass", "speed", "heat"])
    shown = plot.boundary(Perceptron().fit(table, y), table, y)
    assert all(name in shown.caption for name in ("mass", "speed", "heat"))
    table = table[["mass", "speed"]]
    with np.errstate(all="raise"):
        model = Perceptron(max_iter=2, tol=None).partial_fit(table, y)
    assert plot.boundary(model, table, y).plane.names == ("mass", "speed")
    plot.boundary(model, table.to_numpy(), y)  # rows without names: no warning


def test_sparse_rows_give_the_picture_of_dense_ones():
    X, y, _ = separable(2, n=60, d=6, gamma=0.05)
    X = np.where(np.abs(X) < 0.3, 0.0, X)
    model = Perceptron(max_iter=3, tol=None).partial_fit(X, y)
    one = plot.boundary(model, X, y)
    for kind in (sp.csr_array, sparse_rows):
        other = plot.boundary(model, kind(X), y)
        np.testing.assert_allclose(one.points, other.points, atol=1e-9)
        assert one.caption == other.caption


def test_many_sparse_features_are_looked_at_without_writing_their_zeros_out():
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 700)) * (random.random((40, 700)) < 0.05)
    y = X @ random.normal(size=700) > 0
    model = Perceptron(max_iter=3, tol=None).partial_fit(X, y)
    one, *others = (
        plot.boundary(model, kind(X), y) for kind in (np.asarray, sp.csr_array, sparse_rows)
    )
    for other in others:
        np.testing.assert_allclose(np.abs(other.points), np.abs(one.points), atol=1e-6)


def test_without_rows_two_directions_of_the_weights_are_shown():
    shown = plot.boundary(Hyperplane([3.0, 0.0, 0.0, 4.0], -5.0))
    np.testing.assert_allclose(shown.plane.directions, [[0.6, 0, 0, 0.8], [0.8, 0, 0, -0.6]])
    np.testing.assert_allclose(shown.segment[:, 0], 1.0)


def test_one_feature_is_a_point_on_a_line():
    X, y = [[1.0], [2.0], [4.0], [7.0]], [0, 0, 1, 1]
    shown = plot.boundary(Perceptron().fit(X, y), X, y)
    (x1, _), (x2, _) = shown.segment
    assert x1 == x2
    assert 2 < x1 < 4
    np.testing.assert_array_equal(shown.points[:, 1], 0)


def test_a_saved_model_draws_the_same_picture(tmp_path):
    X, y, _ = separable(3, n=50, d=5, gamma=0.05, bias=True)
    model = Perceptron(record=True).fit(X, y)
    rosenblatt.save(model, tmp_path / "model.rbt")
    loaded = rosenblatt.load(tmp_path / "model.rbt")
    for name, one in (("live", model), ("saved", loaded)):
        plot.boundary(one, X, y).save(tmp_path / f"{name}.svg")
    assert (tmp_path / "live.svg").read_bytes() == (tmp_path / "saved.svg").read_bytes()


@pytest.mark.parametrize(
    "labels", [(-1, 1), ("no", "yes"), (False, True), (b"a", b"b"), (("a", 1), ("a", 2)), (3, 12)]
)
def test_labels_of_any_type(labels, tmp_path):
    X = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 1.0], [4.0, 2.0]])
    y = np.empty(4, dtype=object)
    y[:] = [labels[0], labels[0], labels[1], labels[1]]
    model = Perceptron().fit(X, y)
    shown = plot.boundary(model, X, y)
    assert len(shown.wrong) == 0
    assert [mark.label for mark in shown.marks] == list(labels)
    shown.save(tmp_path / "x.svg")


def test_what_has_no_line_is_refused_with_a_way_out():
    X, y = [[0, 2], [-2, -1], [2, -1]], [0, 1, 2]
    with pytest.raises(InputError, match=r"plot\.regions"):
        plot.boundary(Perceptron().fit(X, y), X, y)
    with pytest.raises(InputError, match=r"plot\.kernel_boundary"):
        plot.boundary(KernelPerceptron().fit(X[:2], y[:2]))
    with pytest.raises(InputError, match=r"plot\.kernel_boundary"):
        plot.boundary(VotedPerceptron().fit(X[:2], y[:2]))
    plot.boundary(VotedPerceptron(combine="average").fit(X[:2], y[:2]))
    with pytest.raises(InputError, match="no weights"):
        plot.boundary(Perceptron())
    with pytest.raises(InputError, match="weights are 0"):
        plot.boundary(Perceptron().partial_fit([[0.0, 0.0]], [1], classes=[0, 1]))
    model = Perceptron().fit(X[:2], y[:2])
    with pytest.raises(InputError, match="3 columns"):
        plot.boundary(model, [[1, 2, 3]])
    with pytest.raises(InputError, match="no class of the model"):
        plot.boundary(model, X[:1], ["cat"])
    with pytest.raises(InputError, match="not finite"):
        plot.boundary(model, [[1, np.nan]])
    with pytest.raises(ParameterError, match="without X"):
        plot.boundary(model, y=y)


@given(
    st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=1, max_size=8),
    st.booleans(),
)
def test_the_box_holds_every_point_inside(points, is_line):
    at = np.array(points)
    if is_line:
        at[:, 1] = 0
    left, right, bottom, top = box_around(at, is_line=is_line)
    assert left < right
    assert bottom < top
    assert (at[:, 0] > left).all()
    assert (at[:, 0] < right).all()
    assert (at[:, 1] > bottom).all()
    assert (at[:, 1] < top).all()


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=5))
def test_arrows_fit_into_the_box_at_a_round_scale(lengths):
    scale = scale_of(np.array(lengths), BOX)
    assert scale * max(lengths) <= 0.45 * 6 * (1 + 1e-9)
    assert f"{scale:e}"[0] in "125"


@given(st.floats(0, 6.28), st.floats(-4, 4), st.floats(0.05, 0.4))
def test_w_stands_on_its_line_and_stays_in_the_picture_where_it_can(angle, b, length):
    w = 6 * length * np.array([np.cos(angle), np.sin(angle)])
    arrow = arrow_of(w, b * np.linalg.norm(w), BOX)
    ends = Hyperplane(w, b * np.linalg.norm(w)).segment_in_box(BOX)
    assert (arrow is None) == (ends is None)
    if arrow is None:
        return
    assert Hyperplane(w, b * np.linalg.norm(w)).distance(arrow[0]) == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(arrow[1] - arrow[0], w, atol=1e-12)
    # If it fits anywhere along what is seen of the line, it is where it fits.
    tips = ends[0] + np.linspace(0.1, 0.9, 33)[:, None] * (ends[1] - ends[0]) + w
    if (np.abs(tips) <= [3.5, 2.6]).all(axis=1).any() and np.ptp(ends, axis=0).max() > 3:
        assert (np.abs(arrow[1]) <= [4, 3]).all()


def test_an_arrow_that_would_leave_the_picture_is_drawn_shorter():
    box = (-10.0, 4.0, -7.0, 7.0)
    shown = plot.boundary(Hyperplane([6.0, 0.0], 0.0), box=box)
    assert shown.arrow[1, 0] < 4
    assert shown.arrow_scale == 0.5
    np.testing.assert_allclose(shown.arrow[1] - shown.arrow[0], [3.0, 0.0])
    assert "w is drawn at 0.5 times its length." in shown.caption


def test_features_of_very_different_size_do_not_share_a_scale():
    X = np.array([[0.0, 0.0], [1e4, 0.1], [2e4, 0.2], [5e4, 1.0]])
    shown = plot.boundary(Hyperplane([0.0001, 1.0], -1.0), X, [-1, -1, 1, 1])
    assert shown.arrow is None
    assert "differ in scale" in shown.caption
    ax = Figure().subplots()
    shown.plot(ax)
    assert ax.get_aspect() == "auto"


def test_several_boundaries_are_lines_with_their_errors():
    random = np.random.default_rng(3)
    X = random.standard_normal((40, 2))
    y = (X[:, 0] + 0.6 * random.standard_normal(40) > 0).astype(int)
    fewest = theory.fewest_errors(X, y)
    with pytest.warns(UserWarning, match="max_iter"):
        models = {
            "fewest errors": fewest,
            "pocket": Perceptron(pocket=True, max_iter=100, tol=None).fit(X, y),
            "last": Perceptron(max_iter=100, tol=None).fit(X, y),
        }
    shown = plot.boundary(models, X, y)
    counts = {one.name: one.n_wrong for one in shown.named}
    assert counts["fewest errors"] == fewest.upper == len(shown.wrong)
    assert counts["fewest errors"] <= counts["pocket"] <= counts["last"]
    assert counts["last"] == (models["last"].predict(X) != y).sum()
    assert shown.caption.startswith(f"Lines: fewest errors: {fewest.upper} misclassified, pocket: ")
    np.testing.assert_array_equal(shown.named[0].segment, shown.segment)
    ax = Figure().subplots()
    shown.plot(ax)
    assert [line.get_label() for line in ax.lines if ":" in line.get_label()] == [
        one.legend for one in shown.named
    ]
    assert plot.boundary({"last": models["last"]}, X).named[0].legend == "last"
    wide = Perceptron().fit(np.eye(3), [0, 1, 1])
    with pytest.raises(ParameterError, match="several boundaries of 3 features"):
        plot.boundary({"one": wide}, np.eye(3), [0, 1, 1])
