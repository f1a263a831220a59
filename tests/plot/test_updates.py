"""A picture of every update, compared with the worked examples of the lectures."""

import numpy as np
import pytest
from hypothesis import given
from matplotlib.figure import Figure
from reference import lectures
from strategies import integers, seeds, separable

import rosenblatt
from rosenblatt import (
    MIRA,
    AveragedPerceptron,
    Hyperplane,
    KernelPerceptron,
    Perceptron,
    VotedPerceptron,
    plot,
)
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.plot.steps import two_lines

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

ORIGIN = {"fit_intercept": False, "shuffle": False, "record": True}


@pytest.fixture(scope="module")
def first_lecture():
    X, y = lectures.L1_7_X, lectures.L1_7_Y
    return Perceptron(ties="positive", **ORIGIN).fit(X, y), X, y


def test_L1_7_as_six_frames(first_lecture):
    """L1.7: six examples, mistakes on the first, third and fifth."""
    model, X, y = first_lecture
    shown = plot.updates(model, X, y, each="example", max_frames=6)
    steps = shown.run.steps
    assert [step.row for step in steps] == [0, 1, 2, 3, 4, 5]
    assert [step.update for step in steps] == [1, 0, 2, 0, 3, 0]
    expected = lectures.L1_7_WEIGHTS.repeat(2, axis=0)
    np.testing.assert_array_equal([step.W[0] for step in steps], expected)
    assert steps[0].segment_before is None  # w = 0 is no line
    box = shown.run.box
    for step, w in zip(steps, expected, strict=True):
        np.testing.assert_array_equal(step.segment, Hyperplane(w).segment_in_box(box))
        np.testing.assert_array_equal(step.arrows[0], [[0, 0], w])  # true to scale
        np.testing.assert_array_equal(step.at, X[step.row])
    assert (shown.left_out, shown._grid()) == (6, (2, 3))
    assert "The first 6 of 12 examples; 6 left out." in shown.caption


def test_L5_4_old_and_new_line_of_every_update(first_lecture):
    """L5.4: a picture of every update with the example, the boundary and w."""
    model, X, y = first_lecture
    shown = plot.updates(model, X, y)
    assert shown.titles == (
        "update 1, row 0: y = −1, ŷ = +1, mistake: w ← w − x = (1, −2)",
        "update 2, row 2: y = +1, ŷ = −1, mistake: w ← w + x = (2, −1)",
        "update 3, row 4: y = −1, ŷ = +1, mistake: w ← w − x = (3, 1)",
    )
    before, after = shown.run.steps[1:], shown.run.steps[:-1]
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one.segment_before, other.segment)
        np.testing.assert_array_equal(one.W_before, other.W)
    assert shown.left_out == 0
    assert shown.caption.startswith("All 3 updates.")


def test_L5_5_one_example_needs_one_update():
    """L5.5: w = (3, 4), x = (-3, 1), y = +1 gives w = (0, 5)."""
    X = lectures.L5_5_X.repeat(2, axis=0)
    model = Perceptron(**ORIGIN)
    model.fit(X, [1, -1], coef_init=lectures.L5_5_W0, sample_weight=[1, 0])
    (step,) = plot.updates(model, X[:1], [1]).run.steps
    np.testing.assert_array_equal(step.W_before, [[3, 4]])
    np.testing.assert_array_equal(step.W, [[0, 5]])
    np.testing.assert_array_equal(step.arrows_before[0], [[0, 0], [3, 4]])
    np.testing.assert_array_equal(step.arrows[0], [[0, 0], [0, 5]])
    np.testing.assert_array_equal(step.segment[:, 1], [0, 0])


def test_L2_5_several_classes():
    """L2.5: η = 0.01; a third class, which the lecture has not, comes last."""
    X, y = np.vstack([lectures.L2_5_X, [[-3, -3]]]), [1, 2, 1, 3]
    model = Perceptron(eta0=lectures.L2_5_ETA, max_iter=1, tol=None, **ORIGIN).fit(X, y)
    shown = plot.updates(model, X, y, each="example")
    steps = shown.run.steps
    for step, expected in zip(steps, lectures.L2_5_WEIGHTS, strict=False):
        np.testing.assert_allclose(step.W[:2], expected, rtol=1e-12)
    assert [step.update for step in steps] == [1, 2, 0, 3]
    left, right, bottom, top = shown.run.box
    for step in steps:
        total = sum(
            (c[:, 0] @ np.roll(c[:, 1], -1) - c[:, 1] @ np.roll(c[:, 0], -1)) / 2
            for c in step.areas.values()
        )
        assert total == pytest.approx((right - left) * (top - bottom))
    scale = shown.run.scale
    np.testing.assert_allclose(steps[1].arrows[1], [[0, 0], [-0.02 * scale, 0.01 * scale]])
    assert f"{scale:g} times their length" in shown.caption
    assert [title.split(": ", 1)[1] for title in shown.titles] == [
        "y = 1, ŷ = tie, mistake: w₁ ← w₁ + 0.01x",
        "y = 2, ŷ = 1, mistake: w₂ ← w₂ + 0.01x, w₁ ← w₁ − 0.01x",
        "y = 1, ŷ = 1, right: no weights change",
        "y = 3, ŷ = 2, mistake: w₃ ← w₃ + 0.01x, w₂ ← w₂ − 0.01x",
    ]


def test_titles_say_what_was_predicted_by_each_learner_and_how_far_it_went():
    X, y = [[2.0, 0.0], [0.0, 1.0]], ["a label that is long", "b"]
    model = MIRA(shuffle=False, record=True, max_iter=1, tol=None, aggressive=1.0).fit(X, y)
    first, second = plot.updates(model, X, y).titles
    assert first.endswith("y = a, ŷ = tie, mistake: w ← w − 0.2x = (−0.4, 0), b = −0.2")
    assert second.endswith("y = b, ŷ = a, mistake: w ← w + 0.6x = (−0.4, 0.6), b = 0.4")
    again = MIRA(shuffle=False, record=True, max_iter=1, tol=None, aggressive=1.0)
    again.fit([[1.0], [1.0]], [1, -1], coef_init=[[0.5]], intercept_init=[0.25])
    (one, _) = plot.updates(again, [[1.0], [1.0]], [1, -1]).titles
    assert "ŷ = +1, right by too little: w ← w + 0.125x = 0.625, b = 0.375" in one


@given(seeds)
def test_every_line_is_that_of_the_replayed_ledger(seed):
    X, y = integers(seed, n=12, d=2)
    model = Perceptron(record=True, max_iter=3, tol=None, random_state=seed % 100).fit(X, y)
    shown = plot.updates(model, X, y, max_frames=100)
    assert len(shown.run.steps) == len(model.ledger_)
    for k, step in enumerate(shown.run.steps, 1):
        W, b = model.ledger_.replay(X, upto=k)
        np.testing.assert_array_equal(step.W, W)
        np.testing.assert_array_equal(step.b, b)
        assert step.row == model.ledger_[k - 1].row
        if step.segment is not None:
            np.testing.assert_allclose(step.segment @ W[0] + b[0], 0, atol=1e-9)


def test_more_updates_than_pictures_are_counted():
    X, y, _ = separable(4, n=60, d=2, gamma=0.02, bias=True)
    model = Perceptron(record=True, shuffle=False).fit(X, y)
    n = len(model.ledger_)
    assert n > 12
    shown = plot.updates(model, X, y, max_frames=7)
    assert [step.update for step in shown.run.steps] == [1, 2, 3, 4, n - 2, n - 1, n]
    assert shown.left_out == n - 7
    words = f"The first 4 and the last 3 of {n} updates; {n - 7} between are left out."
    assert words in shown.caption
    assert "the last" not in plot.updates(model, X, y, max_frames=1).caption


def test_a_ledger_and_a_saved_model_draw_the_same_picture(first_lecture, tmp_path):
    model, X, y = first_lecture
    rosenblatt.save(model, tmp_path / "model.rbt")
    loaded = rosenblatt.load(tmp_path / "model.rbt")
    made = []
    for one in (model, loaded, model.ledger_, loaded.ledger_):
        plot.updates(one, X, y).save(tmp_path / "x.svg")
        made.append((tmp_path / "x.svg").read_bytes())
    assert made[0] == made[1]
    # What a tie counts as is known to the model alone.
    assert made[2] == made[3]
    assert "ŷ = tie, mistake" in plot.updates(model.ledger_, X, y).titles[0]


def test_weights_that_do_not_answer_are_called_so(first_lecture):
    model, X, y = first_lecture
    assert "while it learned" not in plot.updates(model, X, y).caption
    for learner in (AveragedPerceptron, VotedPerceptron):
        fitted = learner(**ORIGIN).fit(X, y)
        assert "while it learned" in plot.updates(fitted, X, y).caption
        assert "while it learned" in plot.animate(fitted, X, y).caption
    several = Perceptron(**ORIGIN).partial_fit(X[:3], ["c", "a", "b"])
    assert "while it learned" not in plot.updates(several, X[:3], ["c", "a", "b"]).caption


def test_panels_go_into_the_axes_that_are_given(first_lecture):
    model, X, y = first_lecture
    figure = Figure()
    shown = plot.updates(model, X, y).plot(figure.subplots())
    assert shown.ax_.shape == (1, 3)
    assert [ax.get_title("left") for ax in shown.ax_.flat] == [*map(two_lines, shown.titles)]
    dashed = [[line.get_linestyle() for line in ax.lines] for ax in shown.ax_.flat]
    assert [styles.count("--") for styles in dashed] == [0, 1, 1]
    figure.canvas.draw()


def test_one_feature_is_shown_too(tmp_path):
    X, y = [[1.0], [2.0], [4.0]], [0, 0, 1]
    model = Perceptron(record=True).fit(X, y)
    shown = plot.updates(model, X, y)
    assert all(step.W.shape == (1, 2) and step.W[0, 1] == 0 for step in shown.run.steps)
    shown.save(tmp_path / "x.png")


def test_what_cannot_be_shown_is_refused_with_a_way_out(first_lecture):
    model, X, y = first_lecture
    with pytest.raises(ParameterError, match="record=True"):
        plot.updates(Perceptron().fit(X, y), X, y)
    with pytest.raises(InputError, match=r"plot\.kernel_boundary"):
        plot.updates(KernelPerceptron().fit(X, y), X, y)
    with pytest.raises(InputError, match="for a ledger that names row"):
        plot.updates(model, X[:3], y[:3])
    wide = np.column_stack([X, X])
    with pytest.raises(InputError, match=r"plot\.boundary"):
        plot.updates(Perceptron(record=True).fit(wide, y), wide, y)
    shuffled = Perceptron(record=True, random_state=1).fit(X, y)
    with pytest.raises(InputError, match="shuffle=False"):
        plot.updates(shuffled, X, y, each="example")
    with pytest.raises(ParameterError, match="'update' or 'example'"):
        plot.updates(model, X, y, each="epoch")
    for most in (0, 101, 2.5, True):
        with pytest.raises(ParameterError, match="max_frames="):
            plot.updates(model, X, y, max_frames=most)
    done = Perceptron(**ORIGIN).fit(X, y, coef_init=[[3.0, 1.0]])
    with pytest.raises(InputError, match="no update"):
        plot.updates(done, X, y)
