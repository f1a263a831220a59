"""Lines and areas against the answers of the learner at the points between them."""

from __future__ import annotations

import numpy as np
import pytest

import rosenblatt
from rosenblatt import KernelPerceptron, Perceptron, VotedPerceptron
from rosenblatt.errors import ParameterError
from rosenblatt.studio import Session
from rosenblatt.studio.contours import areas_and_lines

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

BOX = [-4, 4, -3, 3]


def contour(state, at, run=0, box=BOX):
    return Session().ask("contour", {"state": state, "run": run, "at": at, "box": box})


def inside(rings, points):
    """Which points the even-odd rule fills."""
    found = np.zeros(len(points), bool)
    x, y = points.T
    for ring in rings:
        for (x0, y0), (x1, y1) in zip(ring, ring[1:] + ring[:1], strict=True):
            crosses = (y0 > y) != (y1 > y)
            with np.errstate(divide="ignore", invalid="ignore"):
                found ^= crosses & (x < (x1 - x0) * (y - y0) / (y1 - y0) + x0)
    return found


def somewhere(n=500):
    return np.random.default_rng(1).uniform([-4, -3], [4, 3], size=(n, 2))


CASES = {
    "line": ("separable", "none", {"kind": "perceptron"}),
    "curve": ("xor", "quadratic", {"kind": "perceptron"}),
    "polynomial": ("xor", "none", {"kind": "kernel"}),
    "islands": ("noisy", "none", {"kind": "kernel", "kernel": "rbf", "gamma": 4}),
    "polygons": ("three", "none", {"kind": "mira"}),
    "ten": ("many", "none", {"kind": "averaged"}),
    "bent": ("three", "product", {"kind": "perceptron"}),
    "several": ("three", "none", {"kind": "kernel", "kernel": "rbf", "gamma": 1}),
    "vote": ("noisy", "none", {"kind": "voted"}),
    "votes": ("three", "none", {"kind": "voted"}),
}


@pytest.mark.parametrize("name", CASES)
def test_every_area_holds_what_is_answered_by_its_class(name):
    preset, feature_map, learner = CASES[name]
    state = {"data": {"preset": preset}, "map": feature_map, "learners": [learner], "epochs": 20}
    answer = Session().ask("run", state)
    found = contour(state, answer["runs"][0]["n_updates"])
    points = somewhere()
    areas = np.array([inside(area["rings"], points) for area in found["regions"]])
    assert (areas.sum(axis=0) <= 1).mean() > 0.99  # no point lies in two, but for rounding
    X, y = np.array(answer["data"]["rows"], float), np.array(answer["data"]["labels"])
    model = model_of(learner, feature_map, X, y)
    expected = model.predict(features(feature_map, points))
    drawn = np.array([area["class"] for area in found["regions"]])[areas.argmax(axis=0)]
    assert (drawn == expected)[areas.any(axis=0)].mean() > 0.985
    assert areas.any(axis=0).mean() > 0.985


def features(feature_map, points):
    x, y = points.T
    maps = {"none": [x, y], "product": [x, y, x * y], "quadratic": [x, y, x * x, x * y, y * y]}
    return np.column_stack(maps[feature_map])


def model_of(learner, feature_map, X, y):
    kinds = {"mira": "MIRA", "averaged": "AveragedPerceptron"}
    settings = {"max_iter": 20, "shuffle": False}
    if learner["kind"] == "kernel":
        model = KernelPerceptron(
            kernel=learner.get("kernel", "poly"), gamma=learner.get("gamma", 1), degree=2,
            combine="last", multiclass="argmax", **settings,
        )  # fmt: skip
    elif learner["kind"] == "voted":
        model = VotedPerceptron(**settings)
    else:
        model = getattr(rosenblatt, kinds.get(learner["kind"], "Perceptron"))(**settings)
    return model.fit(features(feature_map, X), y)


def test_a_line_in_the_middle_of_a_run_is_that_of_its_weights():
    state = {"data": {"preset": "six"}}
    (line,) = contour(state, 2)["lines"]  # w = (2, -1)
    np.testing.assert_allclose([2 * x - y for x, y in line], 0.0, atol=1e-4)
    assert len(line) == 2


def test_before_the_first_update_nothing_is_divided():
    for preset in ("six", "three"):
        assert contour({"data": {"preset": preset}}, 0) == {"lines": [], "regions": []}
    kernel = {"data": {"preset": "xor"}, "learners": [{"kind": "kernel"}]}
    assert contour(kernel, 0) == {"lines": [], "regions": []}


def test_exact_polygons_share_their_corners_and_fill_the_box():
    state = {"data": {"preset": "three"}, "learners": [{"kind": "perceptron"}]}
    found = contour(state, 12)
    areas = []
    for region in found["regions"]:
        (ring,) = region["rings"]
        x, y = np.array([*ring, ring[0]]).T
        areas.append(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]) / 2)
    assert sum(areas) == pytest.approx(48.0)
    rows = np.array(Session().ask("run", state)["data"]["rows"], float)
    labels = Session().ask("run", state)["data"]["labels"]
    model = Perceptron(shuffle=False).fit(rows, labels)
    for (ax, ay), (bx, by) in found["lines"]:
        scores = np.sort(model.decision_function([[(ax + bx) / 2, (ay + by) / 2]])[0])
        assert scores[-1] == pytest.approx(scores[-2], abs=1e-3)


def test_a_hole_is_a_ring_of_its_own_and_lines_stay_off_the_edge():
    across = up = np.linspace(-2, 2, 41)
    x, y = np.meshgrid(across, up)
    ring_shaped = (1.5 - np.hypot(x, y)) * (np.hypot(x, y) - 0.7)
    rings, lines = areas_and_lines(ring_shaped, across, up)
    assert len(rings) == len(lines) == 2
    points = np.array([[0.0, 0.0], [1.0, 0.1], [1.9, 1.9]])
    outlines = [ring.tolist() for ring in rings]
    assert inside(outlines, points).tolist() == [False, True, False]
    (ring,), (line,) = areas_and_lines(x + 0.05, across, up)
    assert len(line) == 41  # one point a row of the grid, and none along its edge
    assert inside([ring.tolist()], np.array([[1.9, 1.9], [-1.9, 0.0]])).tolist() == [True, False]


def test_nothing_is_above_zero_where_all_is_zero():
    grid = np.linspace(0, 1, 3)
    assert areas_and_lines(np.zeros((3, 3)), grid, grid) == ([], [])


def test_positions_beyond_the_run_are_its_end():
    state = {"data": {"preset": "six"}}
    assert contour(state, 1000) == contour(state, 3)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"box": [0, 1]}, "box has 2 numbers: give at least 4"),
        ({"box": [1, 1, 0, 1]}, r"box\[1\] - box\[0\] is 0.0: give a finite number above 0"),
        ({"box": [0, float("nan"), 0, 1]}, r"box\[1\] is nan"),
        ({"box": None}, "box is nothing"),
        ({"box": BOX, "run": 1}, "run is 1: give a whole number from 0 to 0"),
        ({"box": BOX, "at": -3}, "at is -3"),
        ({"box": BOX, "colour": "red"}, 'a field "colour" that is not known'),
    ],
)
def test_a_bad_question_is_refused_by_its_field(body, words):
    with pytest.raises(ParameterError, match=words):
        Session().ask("contour", body)
