"""Boundaries that the page draws exactly: conics and the polygons of votes, without a gap."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from rosenblatt.studio import Session

from .engine import Engine, running_engine

BOX = [-3.5, 3.0, -3.0, 3.2]
Points = npt.NDArray[np.float64]
LEARNERS = {
    "product": {"kind": "perceptron"},
    "quadratic": {"kind": "averaged"},
    "kernel": {"kind": "kernel", "degree": 2},
    "votes": {"kind": "voted"},
}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with running_engine() as found:
        yield found


def state_of(name: str, seed: int) -> dict[str, Any]:
    draw = random.Random(seed)
    if seed % 2:  # on a grid, where lines meet in one point and branches cross
        places = [(draw.randint(-2, 2), draw.randint(-2, 2)) for _ in range(8)]
    else:
        places = [(draw.gauss(0, 1.2), draw.gauss(0, 1.2)) for _ in range(20)]
    rows = [[x, y, "AB"[i % 2]] for i, (x, y) in enumerate(places)]
    learner = {**LEARNERS[name], "ties": draw.choice(["mistake", "positive"])}
    kind = name if name in ("product", "quadratic") else "none"
    return {"data": {"rows": rows}, "map": kind, "learners": [learner], "epochs": 6}


def values(state: dict[str, Any], run: dict[str, Any], at: int, points: Points) -> Points:
    """Oracle: the score or the votes on some points, from the numbers of the run in Python."""
    x, y = points.T
    if run["vectors"] == 0:
        rows = np.array([row[:2] for row in state["data"]["rows"]], float)
        signs = 2 * np.array(run["right"][:at]) - 1
        near = (run["gamma"] * points @ rows[run["row"][:at]].T + 1) ** 2
        return np.asarray(near @ signs, float)
    features = {
        "none": [x, y],
        "product": [x, y, x * y],
        "quadratic": [x, y, x * x, x * y, y * y],
    }[state["map"]]
    X = np.column_stack([*features, np.ones(len(x))])
    weights = np.array(run["answers"] or run["weights"]).reshape(-1, X.shape[1])
    if not run["votes"]:
        return np.asarray(X @ weights[at])
    scores = X @ weights[: at + 1].T
    ties = float(state["learners"][0]["ties"] == "positive")
    votes = np.where(scores == 0, ties, np.sign(scores))
    return np.asarray(votes @ np.array(run["survived"][: at + 1], float))


def inside(ring: Points, points: Points) -> npt.NDArray[np.bool_]:
    found = np.zeros(len(points), bool)
    for (ax, ay), (bx, by) in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        crosses = (ay > points[:, 1]) != (by > points[:, 1])
        with np.errstate(all="ignore"):
            at = ax + (points[:, 1] - ay) / (by - ay) * (bx - ax)
        found ^= crosses & (points[:, 0] < at)
    return found


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("seed", range(12))
def test_every_area_is_that_of_its_class_and_every_line_lies_between_them(
    engine: Engine, name: str, seed: int
) -> None:
    state = state_of(name, seed)
    (run,) = Session().ask("run", state)["runs"]
    rng = np.random.default_rng(seed)
    x0, x1, y0, y1 = BOX
    points = rng.uniform([x0, y0], [x1, y1], (400, 2))
    for at in sorted({1, run["n_updates"] // 2, run["n_updates"]} - {0}):
        found = engine.ask("contour", {"state": state, "run": 0, "at": at, "box": BOX})
        score = values(state, run, at, points)
        clear = np.abs(score) > 1e-6 * max(1.0, np.abs(score).max())
        for region in found["regions"]:
            rings = [np.array(ring, float) for ring in region["rings"]]
            held = np.any([inside(ring, points) for ring in rings], axis=0)
            expected = score > 0 if region["class"] else score < 0
            # A curve is drawn as short chords: next to it a point may be on their other side.
            wrong = np.flatnonzero((held != expected) & clear)
            assert len(wrong) <= (0 if name == "votes" else 1)
        places = [np.array(line, float) for line in found["lines"]]
        for line in places:
            assert (line >= np.array([x0, y0]) - 1e-9).all()
            assert (line <= np.array([x1, y1]) + 1e-9).all()
            if name != "votes":
                on = np.abs(values(state, run, at, line))
                assert on.max() <= 1e-8 * np.abs(score).max()
        check_ends(places)


def check_ends(lines: list[Points]) -> None:
    """A line ends at the side of the box, or where another one, or it itself, goes on."""
    x0, x1, y0, y1 = BOX
    ends = [end for line in lines for end in (line[0], line[-1])]
    every = np.concatenate(lines) if lines else np.zeros((0, 2))
    for end in ends:
        at_side = min(abs(end[0] - x0), abs(end[0] - x1), abs(end[1] - y0), abs(end[1] - y1))
        meeting = np.sum(np.abs(every - end).max(axis=1) < 1e-6)
        assert at_side < 1e-6 or meeting >= 2


def test_exclusive_or_is_divided_by_two_lines_that_cross(engine: Engine) -> None:
    state = {"data": {"preset": "bent"}}
    asked = {"state": state, "run": 0, "at": 4, "box": [-2, 2, -2, 2]}
    found = engine.ask("contour", asked)
    for line in found["lines"]:
        places = np.array(line)
        assert (places[:, 0] == 0).all() or (places[:, 1] == 0).all()
    sizes = {region["class"]: region["rings"] for region in found["regions"]}
    for rings in sizes.values():
        total = sum(abs(np.ptp(np.array(r)[:, 0]) * np.ptp(np.array(r)[:, 1])) for r in rings)
        assert total == pytest.approx(8)


def test_votes_of_too_many_lines_come_from_a_grid(engine: Engine) -> None:
    draw = random.Random(0)
    rows = [[draw.gauss(0, 1), draw.gauss(0, 1), "AB"[i % 2]] for i in range(60)]
    state = {"data": {"rows": rows}, "learners": [{"kind": "voted"}], "epochs": 40}
    (run,) = Session().ask("run", state)["runs"]
    assert run["n_updates"] > 600
    found = engine.ask("contour", {"state": state, "run": 0, "at": 600, "box": BOX})
    assert found["lines"]
