"""An error carries its parts, and each surface words them: Python, the shell, JSON."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
from cli.shell import command_of

from rosenblatt import checks, errors
from rosenblatt.cli.frame.shell_messages import ShellWording
from rosenblatt.errors import (
    DataError,
    InputError,
    Item,
    JsonWording,
    Message,
    MissingExtra,
    ModelFileError,
    NotFittedError,
    Notice,
    ParameterError,
    Place,
    RosenblattError,
    Setting,
    Value,
    compact,
)

SHELL = ShellWording(command_of("train").params)
SKIP = Message("skip such rows with ", Setting("on_bad", "skip"))
KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, RosenblattError)
]


def sample(kind: type[RosenblattError]) -> RosenblattError:
    what = Message("more than ", Setting("max_features", 9))
    if kind is DataError:
        return DataError(what, name="a.csv", line=2, column=3, excerpt=("x,y", "^"), cures=SKIP)
    if kind is MissingExtra:
        return MissingExtra("drawing needs Matplotlib", extra="plot")
    return kind(what, where="max_features", found=10, allowed=Value("few"), cures=["stop", SKIP])


SURFACES = {
    "what and allowed": (
        checks.refusal("max_features", 0, "a whole number"),
        "max_features=0 is not allowed: give a whole number.",
        "--max-features 0 is not allowed: give a whole number.",
        "max_features = 0 is not allowed: give a whole number.",
    ),
    "values": (
        ParameterError("x", allowed=checks.one_of(["a b", None, True])),
        "x: give 'a b', None or True.",
        "x: give 'a b', none or yes.",
        'x: give "a b", null or true.',
    ),
    "cures of a sentence": (
        InputError("no rows", cures=["give some", SKIP]),
        "no rows. Give some, or skip such rows with on_bad='skip'.",
        "no rows. Give some, or skip such rows with --on-bad skip.",
        'no rows. Give some, or skip such rows with on_bad = "skip".',
    ),
    "a place in a file": (
        DataError(
            "bad", name="a.csv", line=2, column=1, excerpt=("x", "^"), cures=["fix it", SKIP]
        ),
        "a.csv:2:1: bad\n  x\n  ^\nhelp: fix it\n      or skip such rows with on_bad='skip'",
        "a.csv:2:1: bad\n  x\n  ^\nhelp: fix it\n      or skip such rows with --on-bad skip",
        'a.csv:2:1: bad\n  x\n  ^\nhelp: fix it\n      or skip such rows with on_bad = "skip"',
    ),
    "an item": (
        InputError("too short", where=Item("sentences", 3)),
        "sentences[3]: too short",
        "sentences[3]: too short",
        "sentences[3]: too short",
    ),
    "a cure that the shell has no option for": (
        DataError(
            "no label",
            name="a",
            cures=["add one", Message("read on with ", Setting("labelled", False))],
        ),
        "a: no label\nhelp: add one\n      or read on with labelled=False",
        "a: no label\nhelp: add one",
        "a: no label\nhelp: add one\n      or read on with labelled = false",
    ),
    "a setting that is a flag": (
        InputError("two headers", cures=Message("say ", Setting("header", False))),
        "two headers. Say header=False.",
        "two headers. Say --no-header.",
        "two headers. Say header = false.",
    ),
    "plain words": (InputError("it is so"), "it is so", "it is so", "it is so"),
}


@pytest.mark.parametrize(("error", "python", "shell", "page"), SURFACES.values(), ids=SURFACES)
def test_one_error_in_the_words_of_three_surfaces(
    error: RosenblattError, python: str, shell: str, page: str
) -> None:
    assert str(error) == python
    assert error.worded(SHELL) == shell
    assert error.worded(JsonWording()) == error.to_json()["message"] == page


@pytest.mark.parametrize("kind", KINDS)
def test_parts_survive_pickle_and_copy(kind: type[RosenblattError]) -> None:
    error = sample(kind)
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(twin) is kind
        assert str(twin) == str(error)
        assert twin.worded(SHELL) == error.worded(SHELL)
        assert twin.to_json() == error.to_json()
        assert twin.where == error.where


@pytest.mark.parametrize("kind", KINDS)
def test_parts_are_json(kind: type[RosenblattError]) -> None:
    parts = sample(kind).to_json()
    assert json.loads(json.dumps(parts)) == parts
    assert {"message", "what", "cures"} <= set(parts)
    assert all(set(cure) == {"text", "settings"} for cure in parts["cures"])


def test_the_parts_of_a_place_and_of_a_cure() -> None:
    parts = sample(DataError).to_json()
    assert parts["where"] == {"name": "a.csv", "line": 2, "column": 3}
    assert parts["cures"][0]["settings"] == {"on_bad": "skip"}
    assert str(Place("a.csv", 2)) == "a.csv:2"


def test_a_check_carries_name_value_and_what_is_allowed() -> None:
    with pytest.raises(ParameterError) as caught:
        checks.choice("ties", "no", "mistake", "positive")
    error = caught.value
    assert (error.where, error.found, str(error.allowed)) == (
        "ties",
        "no",
        "'mistake' or 'positive'",
    )
    assert error.to_json()["allowed"] == '"mistake" or "positive"'


@pytest.mark.parametrize(
    "value",
    [
        np.ones(3),
        np.float64(0.5),
        lambda: 0,
        "x" * 99,
        {"a": [1]},
        10**30,
        object(),
        list(range(99)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_error_keeps_no_more_than_how_a_large_or_odd_value_looks(value: object) -> None:
    error = checks.refusal("x", value, "less")
    assert error.found is not value
    assert len(str(error)) < 120
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert json.dumps(error.to_json())


@pytest.mark.parametrize("value", [None, True, 3, 0.5, "word", ["a", 1], {"a": "text"}, ()])
def test_an_error_keeps_a_short_plain_value_as_it_is(value: object) -> None:
    assert compact(value) is value


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("note", ["income", "age", "city"], None),
        ("zebra", ["extra", "weight"], None),
        ("--proba", ["--on-bad", "--scores"], None),
        ("income", ["outcome"], None),
        ("nmae", ["name", "note"], "name"),
        ("color", ["colour", "weight"], "colour"),
        ("Customer ID", ["customer_id", "customer"], "customer_id"),
        ("spec", ["species", "sepal"], "species"),
        ("svmlite", ["svmlight", "csv"], "svmlight"),
        ("cat", ["bat", "rat"], None),
        ("x", ["y", "z"], None),
    ],
)
def test_what_was_meant_is_right_or_not_said(
    name: str, known: list[str], meant: str | None
) -> None:
    assert checks.nearest_name(name, known) == meant


def test_errors_are_those_of_python_too() -> None:
    assert issubclass(NotFittedError, AttributeError)
    assert issubclass(ModelFileError, ValueError)
    error = MissingExtra("drawing needs Matplotlib", extra="plot")
    assert isinstance(error, ImportError)
    assert str(error) == "drawing needs Matplotlib. Install it with pip install 'rosenblatt[plot]'."


def test_words_before_an_error_leave_its_parts() -> None:
    error = checks.refusal("eta0", 0, "more")
    assert str(error.preceded("Learner 2: ")) == "Learner 2: eta0=0 is not allowed: give more."
    assert (error.where, error.found) == ("eta0", 0)


def test_a_warning_is_worded_as_an_error_is() -> None:
    said = Notice(Message("say ", Setting("header", False)), where=Place("a.csv", 1))
    assert str(said) == "a.csv:1: say header=False"
    assert said.worded(SHELL) == "a.csv:1: say --no-header"
    assert str(pickle.loads(pickle.dumps(said))) == str(said)
