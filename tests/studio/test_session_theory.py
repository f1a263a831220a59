"""The verdict on the points: bound, separator, conflict, and the proof along a run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import largest_margin

from rosenblatt.studio import Session
from rosenblatt.theory import mistake_bound, separability

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def theory_of(**state):
    answer = Session().ask("run", state)
    return answer["theory"], answer


def test_exclusive_or_is_not_separable_until_the_product_is_a_feature():
    """L3.9: the four points meet in their middle; with x·y a plane lies between them."""
    theory, _ = theory_of(data={"preset": "xor"})
    assert theory["separable"] is False
    assert "not separable by a line" in theory["sentence"]
    assert theory["conflict"]["rows"] == [0, 1, 2, 3]
    assert theory["conflict"]["weights"] == [0.25] * 4
    assert theory["conflict"]["point"] == [0, 0]
    assert "1/2 of point 1 and 1/2 of point 4 (class no)" in theory["conflict"]["sentence"]
    assert theory["margin"] is None
    assert theory["bound"] is None
    lifted, _ = theory_of(data={"preset": "xor"}, map="product")
    assert lifted["separable"] is True
    assert "separable by a plane in the space of x, y, x·y" in lifted["sentence"]
    assert lifted["conflict"] is None


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("preset", ["six", "separable", "three", "many", "narrow"])
def test_the_bound_is_that_of_theory_and_the_separator_has_its_margin(preset, bias):
    learners = [{"kind": "perceptron", "fit_intercept": bias, "ties": "positive"}]
    theory, answer = theory_of(data={"preset": preset}, learners=learners)
    X, y = np.array(answer["data"]["rows"], float), np.array(answer["data"]["labels"])
    assert theory["separable"] is separability(X, y, fit_intercept=bias).separable
    if not theory["separable"]:
        return
    expected = mistake_bound(X, y, fit_intercept=bias)
    assert theory["radius"] == pytest.approx(expected.radius)
    assert theory["margin"] == pytest.approx(expected.margin, rel=1e-5)
    assert theory["bound"] == pytest.approx(expected.bound, rel=1e-5)
    u = np.array(theory["separator"]).reshape(-1, 3)
    assert np.linalg.norm(u) == pytest.approx(1.0)
    assert bias or not u[:, -1].any()
    scores = np.column_stack([X, np.ones(len(X))]) @ u.T
    if len(u) == 1:
        margins = (2 * y - 1) * scores[:, 0]
    else:
        own = scores[np.arange(len(y)), y].copy()
        scores[np.arange(len(y)), y] = -np.inf
        margins = own - scores.max(axis=1)
    assert margins.min() == pytest.approx(theory["margin"], rel=1e-4)
    (run,) = answer["runs"]
    assert run["n_updates"] <= theory["bound"]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.sampled_from("ab")),
        min_size=2,
        max_size=9,
    ),
    st.booleans(),
)
def test_conflicting_points_meet_where_they_are_said_to(rows, bias):
    """The drawn point is one mean of the first class and another one of the second."""
    theory, answer = theory_of(
        data={"rows": [list(row) for row in rows]}, learners=[{"fit_intercept": bias}], epochs=2
    )
    conflict = theory["conflict"]
    assert (conflict is None) == bool(theory["separable"])
    if conflict is None:
        return
    X, y = np.array(answer["data"]["rows"], float), np.array(answer["data"]["labels"])
    weights, points = np.array(conflict["weights"]), X[conflict["rows"]]
    of = y[conflict["rows"]]
    assert (weights > 0).all()
    if bias:
        for place in (0, 1):
            mine = weights[of == place]
            np.testing.assert_allclose(mine.sum(), 0.5)
            np.testing.assert_allclose(
                mine @ points[of == place] / mine.sum(), conflict["point"], atol=1e-9
            )
    elif len(set(y.tolist())) == 2:
        np.testing.assert_allclose((weights * (2 * of - 1)) @ points, 0.0, atol=1e-9)


@pytest.mark.parametrize("preset", ["six", "separable", "narrow", "one", "three", "many"])
@pytest.mark.parametrize("kind", ["perceptron", "averaged", "voted"])
def test_both_inequalities_of_the_proof_hold_at_every_update(preset, kind):
    """L3.13, L4.6: u·w >= u·w0 + k·eta·gamma and |w|² <= |w0|² + k·eta²·R²."""
    learners = [{"kind": kind, "eta0": 0.5, "ties": "positive"}]
    _, answer = theory_of(data={"preset": preset}, learners=learners)
    (run,) = answer["runs"]
    proof = run["proof"]
    assert proof["applies"]
    k = np.arange(run["n_updates"] + 1)
    along, norm = np.array(proof["u_dot_w"]), np.array(proof["norm"])
    assert len(along) == len(norm) == len(k)
    assert (along >= along[0] + k * 0.5 * proof["margin"] - 1e-9).all()
    assert (norm**2 <= norm[0] ** 2 + k * (0.5 * proof["radius"]) ** 2 + 1e-9).all()
    assert run["n_updates"] <= proof["bound"]


@pytest.mark.parametrize("start", [[3, 4, 0], [30, -10, 0], [-300, 20, 0]])
def test_a_run_that_starts_elsewhere_has_a_bound_of_its_own(start):
    """L3.14: the bound depends on the initial weights."""
    learners = [{"fit_intercept": False, "initial": start}, {"fit_intercept": False}]
    theory, answer = theory_of(data={"preset": "six"}, learners=learners, epochs=5000)
    run, from_zero = answer["runs"]
    assert from_zero["proof"]["bound"] == theory["bound"]
    assert run["stop_reason"] == "separated"
    bound = run["proof"]["bound"]
    if bound is not None:
        assert run["n_updates"] <= bound
        # There, and not before, the two curves of the proof have met.
        w0 = np.array(start[:2], float)
        u, margin, radius = np.array(theory["separator"])[:2], theory["margin"], theory["radius"]
        along, norm = u @ w0 + bound * margin, np.sqrt(w0 @ w0 + bound * radius**2)
        assert along == pytest.approx(norm)
    else:
        assert run["n_updates"] == 0


@pytest.mark.parametrize(
    "learner", [{"kind": "mira"}, {"kind": "perceptron", "margin": 1}, {"kind": "soft"}]
)
def test_the_proof_does_not_claim_other_rules(learner):
    _, answer = theory_of(data={"preset": "separable"}, learners=[learner])
    assert answer["runs"][0]["proof"]["applies"] is False


@pytest.mark.parametrize("preset", ["three", "many"])
@pytest.mark.parametrize("eta0", [1.0, 0.5])
def test_after_the_last_tie_of_several_classes_both_inequalities_hold(preset, eta0):
    """L2.4: at a tie only the right class is raised, so the theorem is about what comes after."""
    _, answer = theory_of(data={"preset": preset}, learners=[{"eta0": eta0}])
    (run,) = answer["runs"]
    proof, since = run["proof"], 1 + max(k for k, wrong in enumerate(run["wrong"]) if wrong < 0)
    assert (proof["applies"], proof["since"]) == (True, since)
    more = np.arange(run["n_updates"] + 1 - since)
    along, norm = np.array(proof["u_dot_w"])[since:], np.array(proof["norm"])[since:]
    forward, radius = eta0 * proof["margin"], eta0 * proof["radius"]
    assert (along >= along[0] + more * forward - 1e-9).all()
    assert (norm**2 <= norm[0] ** 2 + more * radius**2 + 1e-9).all()
    assert run["n_updates"] <= proof["bound"]
    left = proof["bound"] - since
    assert along[0] + left * forward == pytest.approx(np.hypot(norm[0], np.sqrt(left) * radius))


def test_a_run_of_several_classes_that_was_not_ended_may_meet_another_tie():
    _, answer = theory_of(data={"preset": "many"}, epochs=2)
    proof = answer["runs"][0]["proof"]
    assert (proof["applies"], proof["since"]) == (False, 0)
    assert "which the proof does not cover" in answer["runs"][0]["theory"]["sentence"]


PROMISE = "makes no more than R²/γ² ="


@pytest.mark.parametrize(
    ("state", "promised", "words"),
    [
        ({"data": {"preset": "six"}}, True, "starts at 0 makes no more than R²/γ² = 5 mistakes"),
        ({"data": {"preset": "many"}}, False, "its last tie, update 2; from there both"),
        (
            {"data": {"preset": "many"}, "learners": [{"ties": "positive"}]},
            True,
            "R²/γ² = 20,691 mistakes, in any order.",
        ),
        (
            {"data": {"preset": "one"}},
            False,
            "R²/γ² = 1 mistake is for a start at 0; from these first weights it is 2.803 mistakes",
        ),
        (
            {"data": {"preset": "six"}, "learners": [{"initial": [0, 0, 0]}]},
            True,
            "R²/γ² = 6 mistakes",
        ),
        (
            {"data": {"preset": "six"}, "learners": [{"initial": [30, 10, 0]}]},
            False,
            "R²/γ² = 6 mistakes is for a start at 0.",
        ),
        (
            {"data": {"preset": "separable"}, "learners": [{"kind": "mira"}]},
            False,
            "is for the plain perceptron; this learner has another rule.",
        ),
        (
            {"data": {"preset": "separable"}, "learners": [{"kind": "voted", "eta0": 1}]},
            True,
            "starts at 0",
        ),
        (
            {"data": {"preset": "xor"}, "learners": [{"kind": "kernel"}]},
            False,
            "separable with this kernel: the run ends with a function that is right for all",
        ),
        ({"data": {"preset": "xor"}}, False, "So a perceptron never stops making mistakes."),
    ],
)
def test_the_sentence_promises_the_bound_where_the_theorem_does(state, promised, words):
    theory, answer = theory_of(**state)
    assert words in theory["sentence"]
    assert (PROMISE in theory["sentence"]) is promised
    (run,) = answer["runs"]
    if promised:
        assert run["proof"]["applies"]
        assert run["n_updates"] <= run["proof"]["bound"]


def test_every_run_has_the_verdict_on_its_own_space():
    rows = [[1, 1, "a"], [2, 2, "b"], [3, 3, "b"]]
    learners = [{"fit_intercept": False}, {"fit_intercept": True}]
    theory, answer = theory_of(data={"rows": rows}, learners=learners)
    through_origin, with_bias = (run["theory"] for run in answer["runs"])
    assert theory == through_origin
    assert (through_origin["separable"], with_bias["separable"]) == (False, True)
    assert "through the origin" in through_origin["sentence"]
    assert "through the origin" not in with_bias["sentence"]


def test_a_conflict_is_a_sentence_with_signs_as_they_are_printed():
    theory, _ = theory_of(data={"rows": [[-1, -2, "a"], [-1, -2, "b"]]})
    assert theory["conflict"]["sentence"] == (
        "Point 1 (class a) and point 2 (class b) make the same point (−1, −2), which cannot lie on "
        "both sides."
    )


def test_runs_with_and_without_a_bias_have_bounds_of_their_own():
    learners = [{"fit_intercept": True}, {"fit_intercept": False}]
    theory, answer = theory_of(data={"preset": "six"}, learners=learners)
    first, second = (run["proof"] for run in answer["runs"])
    assert first["bound"] == theory["bound"]
    assert second["radius"] ** 2 == pytest.approx(first["radius"] ** 2 - 1)


def test_one_class_alone_lies_on_one_side_or_around_the_origin():
    around = [[1, 0, "a"], [-1, 1, "a"], [-1, -1, "a"]]
    theory, _ = theory_of(data={"rows": around})
    assert theory["separable"] is True
    assert "There is only one class, a" in theory["sentence"]
    theory, answer = theory_of(data={"rows": around}, learners=[{"fit_intercept": False}])
    assert theory["separable"] is False
    conflict = theory["conflict"]
    points = np.array(answer["data"]["rows"])[conflict["rows"]]
    np.testing.assert_allclose(np.array(conflict["weights"]) @ points, 0.0, atol=1e-9)
    assert answer["runs"][0]["stop_reason"] != "separated"


def test_three_classes_in_conflict_name_the_class_each_point_is_against():
    rows = [[0, 0, "a"], [0, 0, "b"], [1, 0, "c"], [2, 0, "a"], [3, 0, "c"]]
    theory, _ = theory_of(data={"rows": rows}, epochs=3)
    conflict = theory["conflict"]
    assert theory["separable"] is False
    assert len(conflict["rows"]) == len(conflict["wrong"]) == len(conflict["weights"])
    assert conflict["point"] is None


def test_six_points_of_every_size_are_answered_and_the_session_goes_on():
    """Their shares in a conflict are smaller than the smallest float."""
    rows = [
        [8.425958825608881e-228, -9.614344086510605e-92, "c0"],
        [2.6296673079914885e-244, 0.0, "c1"],
        [0.0, 0.0, "c2"],
        [4.619124739678574e-276, 0.0, "c0"],
        [-59.31783321536787, 3.346244402717715e-235, "c0"],
        [0.0, 4.370405001917508e-286, "c2"],
    ]
    session = Session()
    answer = session.ask("run", {"data": {"rows": rows}, "epochs": 2})
    X, y = [row[:2] for row in rows], [row[2] for row in rows]
    expected = largest_margin.separable(largest_margin.points(X, y, True))
    assert answer["theory"]["separable"] is expected
    assert session.ask("run", {"data": {"preset": "six"}})["theory"]["separable"] is True
