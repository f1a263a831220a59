"""States of all kinds: what is filled in, and the sentence that refuses the others."""

from __future__ import annotations

import json
import math
import re

import pytest

from rosenblatt.errors import InputError, ParameterError
from rosenblatt.studio import Session
from rosenblatt.studio.mapped_rows import in_order
from rosenblatt.studio.states import MAX_ROWS, complete

POINT = [0, 0, "a"]
TWO = {"columns": ["x", "y"], "rows": [[0, 0, "a"], [1, 1, "b"]]}


def data(*rows):
    return {"data": {"rows": list(rows)}}


def learner(**fields):
    return {"data": TWO, "learners": [fields]}


def test_an_empty_state_is_the_lecture():
    state = complete({}).to_json()
    assert state["data"] == {"preset": "six"}
    assert state["learners"][0]["ties"] == "positive"
    assert state["learners"][0]["fit_intercept"] is False
    assert state["order"] == "given"


def test_a_complete_state_completes_to_itself():
    kinds = ("soft", "perceptron", "pa", "kernel")
    state = complete({"data": TWO, "learners": [{"kind": kind} for kind in kinds]}).to_json()
    assert complete(state).to_json() == state
    assert [learner.get("eta0") for learner in state["learners"]] == [0.5, 1, None, None]


def test_the_learners_of_a_preset_give_way_to_those_asked_for():
    state = complete({"data": {"preset": "six"}, "learners": [{"kind": "mira"}]})
    assert state.learners[0]["fit_intercept"] is True


BAD = [
    ([], "the question is a list of 0"),
    ({"colour": 1}, 'state has a field "colour" that is not known'),
    ({"v": 2}, "v is 2: this studio knows version 1"),
    ({"data": None}, "data is nothing: give an object"),
    ({"data": {"preset": "seven"}}, 'data.preset is "seven": give "six", '),
    (data(), "data.rows is empty: add a point"),
    (data(*[POINT] * (MAX_ROWS + 1)), "data.rows has 10,001 rows: give at most 10,000"),
    (data([0, 0]), r"Point 1 has 2 entries \(x, y and a class\): give at least 3"),
    (data(POINT, [math.nan, 0, "a"]), r"Point 2: x is nan: give a finite number"),
    (data([0, math.inf, "a"]), r"Point 1: y is inf: give a finite number"),
    (data([0, 1e200, "a"]), r"Point 1: y is 1e\+200: give a finite number"),
    (data([10**400, 0, "a"]), r"Point 1: x is 1000"),
    (data(["1", 0, "a"]), r'Point 1: x is "1": give a finite number'),
    (data([True, 0, "a"]), r"Point 1: x is true: give a finite number"),
    (data([0, 0, ""]), r'Point 1: the class is "": give some text'),
    (data([0, 0, None]), r"Point 1: the class is nothing: give some text"),
    (data([0, 0, "a" * 300]), r"Point 1: the class has 300 characters"),
    (
        data(*[[0, 0, str(i)] for i in range(101)]),
        "data.rows has 101 classes, the last entries of the rows: give at most 100",
    ),
    ({"data": {**TWO, "columns": ["x"]}}, "data.columns has 1 names: give at least 2"),
    ({"map": "cubic"}, 'map is "cubic": give "none", "product"'),
    ({"learners": []}, "learners has 0 learners: give at least 1"),
    ({"learners": [{}] * 5}, "learners has 5 learners: give at most 4"),
    (learner(kind="svm"), r'Learner 1: kind is "svm": give "perceptron", '),
    (learner(eta0=0), r"Learner 1: eta0 is 0: give a finite number above 0"),
    (learner(eta0="fast"), r'Learner 1: eta0 is "fast"'),
    (learner(ties="maybe"), r'Learner 1: ties is "maybe": give "mistake" or "positive"'),
    (learner(fit_intercept=1), r"Learner 1: fit_intercept is 1: give true or false"),
    (
        learner(kind="mira", aggressive=2),
        r"Learner 1: aggressive is 2: .* at least 0 and at most 1",
    ),
    (
        learner(kind="kernel", degree=2.5),
        r"Learner 1: degree is 2.5: give a whole number from 1 to 20",
    ),
    (learner(kind="kernel", gamma=-1), r"Learner 1: gamma is -1"),
    (learner(rate=1), r'Learner 1 has a field "rate" that is not known'),
    (learner(initial=[1, 2]), r"Learner 1: initial has 2 numbers: give 3, the weights of x, y"),
    (learner(initial=[1, 2, 3], fit_intercept=False), r"Learner 1: initial has a bias"),
    (learner(initial="zero"), r'Learner 1: initial is "zero": give a list of numbers'),
    (learner(kind="kernel", initial=[0, 0, 0]), r"Learner 1: initial has weights, but a kernel"),
    (
        {"learners": [{}, {"kind": "pa", "C": 0}]},
        "^Learner 2: C is 0: give a finite number above 0",
    ),
    (data(POINT, [0, "up", "a"]), '^Point 2: y is "up": give a finite number'),
    ({"order": "random"}, 'order is "random": give "given" or "shuffled"'),
    ({"seed": -1}, "seed is -1: give a whole number from 0"),
    ({"epochs": 0}, "epochs is 0: give a whole number from 1 to 10,000"),
    ({"epochs": 10**30}, "epochs is 1000"),
    ({**data(*[POINT] * 5000), "epochs": 201}, "epochs is 201: for 5,000 points give at most 200"),
    ({"view": "sky"}, 'view is "sky"'),
    ({"at": -1}, "at is -1"),
]


@pytest.mark.parametrize(("state", "words"), BAD)
def test_a_bad_field_is_refused_by_a_sentence_that_names_it(state, words):
    with pytest.raises(ParameterError) as caught:
        Session().ask("run", state)
    message = caught.value.to_json()["message"]
    assert re.search(words, message)
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 300


def test_an_unknown_question_is_answered_by_those_that_are_known():
    with pytest.raises(ParameterError, match='"steal" is no question: ask start, run, contour'):
        Session().ask("steal", {})
    with pytest.raises(ParameterError, match="the question is nothing: give an object"):
        Session().ask("run", None)


def test_labels_are_text_whatever_they_look_like():
    labels = ["<script>alert(1)</script>", 'a,b\n"c"', "__proto__"]
    rows = [[i, -i, label] for i, label in enumerate(labels)]
    answer = Session().ask("run", data(*rows))
    assert sorted(answer["data"]["classes"]) == sorted(labels)
    assert [answer["data"]["classes"][c] for c in answer["data"]["labels"]] == labels


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        ({"+1", "-1"}, ["-1", "+1"]),
        ({"+", "-"}, ["-", "+"]),
        ({"+", "−"}, ["−", "+"]),
        ({"10", "9", "-2.5"}, ["-2.5", "9", "10"]),
        ({"yes", "no"}, ["no", "yes"]),
        ({"1", "a", "nan"}, ["1", "a", "nan"]),
        ({"inf", "2"}, ["2", "inf"]),
    ],
)
def test_classes_stand_in_their_natural_order(classes, expected):
    assert in_order(classes) == expected


def test_hundred_classes_and_equal_points_of_two_classes_are_learned():
    rows = [[i, i * i, f"class {i}"] for i in range(100)]
    answer = Session().ask("run", {**data(*rows), "epochs": 3})
    assert len(answer["data"]["classes"]) == 100
    twins = Session().ask("run", data([1, 2, "a"], [1, 2, "b"], [3, 4, "a"]))
    assert twins["theory"]["separable"] is False
    assert twins["theory"]["conflict"]["rows"] == [0, 1]
    assert twins["theory"]["conflict"]["point"] == [1, 2]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("feature_map", ["none", "quadratic"])
def test_numbers_at_the_ends_of_the_range_give_finite_answers(bias, feature_map):
    rows = [[0, -0.6, "b"], [5e-324, -1e15, "a"], [0, 0, "b"], [1e-300, 1e15, "b"]]
    state = {
        **data(*rows),
        "map": feature_map,
        "learners": [{"fit_intercept": bias}, {"kind": "soft"}],
    }
    answer = Session().ask("run", state)
    # JSON has no words for what is not finite.
    assert json.loads(json.dumps(answer, allow_nan=False))["runs"]


def test_a_kernel_that_overflows_is_refused_by_its_learner():
    learners = [{"kind": "perceptron"}, {"kind": "kernel", "degree": 20, "gamma": 1.0}]
    state = {**data([1e15, 0, "a"], [0, 1e15, "b"]), "learners": learners}
    with pytest.raises(InputError, match=r"^Learner 2: the kernel of row 0"):
        Session().ask("run", state)


def test_a_session_starts_with_the_data_it_was_given():
    session = Session({"data": TWO}, "mine.csv")
    answer = session.ask("start", {})
    assert answer["name"] == "mine.csv"
    assert answer["state"]["data"] == TWO
    assert {preset["id"] for preset in answer["presets"]} >= {"six", "xor", "three", "one"}
    assert session.ask("run", answer["state"])["data"]["rows"] == [[0, 0], [1, 1]]
