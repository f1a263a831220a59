"""Arguments are checked in one place: the name, the value found, what is allowed, the cure."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import checks
from rosenblatt.errors import InputError, ModelFileError, ParameterError
from rosenblatt.persistence import layout
from rosenblatt.studio import fields


@pytest.mark.parametrize(
    ("value", "limits"),
    [
        (1, {"at_least": 1}),
        (np.int8(3), {"at_least": 1, "at_most": 3}),
        (2**70, {"at_least": 0}),
        (None, {"at_least": 1, "none": "no limit"}),
    ],
)
def test_a_whole_number_is_given_back_as_it_came(value, limits):
    assert checks.whole("n", value, **limits) is value


@pytest.mark.parametrize("value", [0.5, 1, np.float32(0.25), Fraction(1, 3), np.int64(1)])
def test_a_number_is_given_back_as_it_came(value):
    assert checks.number("x", value, above=0, at_most=1) is value


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (
            lambda: checks.whole("n", 0, at_least=1),
            "n=0 is not allowed: give a whole number of at least 1.",
        ),
        (
            lambda: checks.whole("n", 10_000, at_least=2, at_most=9_999),
            "n=10000 is not allowed: give a whole number from 2 to 9,999.",
        ),
        (
            lambda: checks.whole("n", 2.0, at_least=1, none="all of them"),
            "n=2.0 is not allowed: give a whole number of at least 1, or None for all of them.",
        ),
        (lambda: checks.whole("n", True, at_least=0), "n=True is not allowed: give a whole number"),
        (lambda: checks.whole("n", None, at_least=0), "n=None is not allowed: give a whole number"),
        (lambda: checks.number("x", math.nan), "x=nan is not allowed: give a finite number."),
        (lambda: checks.number("x", math.inf), "x=inf is not allowed: give a finite number."),
        (lambda: checks.number("x", "1"), "x='1' is not allowed: give a finite number."),
        (lambda: checks.number("x", True), "x=True is not allowed: give a finite number."),
        (lambda: checks.number("x", np.ones(2)), "x=array([1., 1.]) is not allowed: give a finite"),
        (
            lambda: checks.number("x", 0.0, above=0.0, cure="It is the length of a step."),
            "x=0.0 is not allowed: give a finite number above 0. It is the length of a step.",
        ),
        (
            lambda: checks.number("x", 2, at_least=-1, below=2),
            "x=2 is not allowed: give a finite number at least -1 and below 2.",
        ),
        (
            lambda: checks.number("x", 1.0, above=0.0, below=1.0),
            "x=1.0 is not allowed: give a finite number above 0 and below 1.",
        ),
        (lambda: checks.choice("how", "c", "a"), "how='c' is not known: give 'a'."),
        (lambda: checks.choice("how", 1, "a", "b"), "how=1 is not known: give 'a' or 'b'."),
        (
            lambda: checks.choice("how", "d", "a", "b", "c"),
            "how='d' is not known: give 'a', 'b' or 'c'.",
        ),
        (lambda: checks.flag("on", "yes"), "on='yes' is not allowed: give True or False."),
        (lambda: checks.flag("on", 2), "on=2 is not allowed: give True or False."),
        (lambda: checks.flag("on", np.ones(2)), "on=array([1., 1.]) is not allowed: give True or"),
    ],
)
def test_the_error_names_the_argument_the_value_and_what_is_allowed(check, message):
    with pytest.raises(ParameterError) as caught:
        check()
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("value", [True, False, np.True_, np.False_, 0, 1, np.int8(1)])
def test_a_flag_may_be_of_any_kind_that_is_true_or_false(value):
    assert checks.flag("on", value) is value


@given(
    st.integers() | st.floats(),
    st.floats(-1e9, 1e9),
    st.floats(-1e9, 1e9),
    st.booleans(),
    st.booleans(),
)
def test_a_number_is_allowed_just_when_it_is_within_the_limits(
    value, low, high, open_low, open_high
):
    limits = {"above" if open_low else "at_least": low, "below" if open_high else "at_most": high}
    allowed = (
        abs(value) < math.inf
        and (value > low if open_low else value >= low)
        and (value < high if open_high else value <= high)
    )
    try:
        checks.number("x", value, **limits)
    except ParameterError:
        assert not allowed
    else:
        assert allowed


def test_a_number_too_large_for_a_float_is_refused_and_not_shown_in_full():
    with pytest.raises(ParameterError, match=r"x=9+… is not allowed: give a finite") as caught:
        checks.number("x", int("9" * 400))
    assert len(str(caught.value)) < 120


def test_an_error_carries_what_is_allowed_and_keeps_it_in_a_pickle():
    with pytest.raises(ParameterError) as caught:
        checks.whole("n", 0, at_least=1, cure="Or leave it out.")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy.allowed) == "a whole number of at least 1"
    assert str(copy) == str(caught.value)
    assert ParameterError("of another kind").allowed is None


def test_a_page_and_a_file_say_the_same_in_their_own_words():
    with pytest.raises(ParameterError) as caught:
        fields.choice("ties", "c", "a", "b")
    assert caught.value.to_json()["message"] == 'ties is "c": give "a" or "b".'
    with pytest.raises(ParameterError, match=r"^seed is true: give a whole number from 0 to 1,000"):
        fields.whole("seed", True, at_least=0, at_most=1000)
    assert fields.whole("seed", 3.0, at_least=0, at_most=9) == 3
    with pytest.raises(
        ModelFileError, match=r"^t is -1, but must be a whole number from 0 to 5\.$"
    ):
        layout.whole("t", -1, 0, 5)
    with pytest.raises(
        ModelFileError, match=r"^eta is nan, but must be a finite number at least 0"
    ):
        layout.number("eta", math.nan, at_least=0.0)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([["a"]], "w holds <U1; it must hold real numbers"),
        ([1j], "w holds complex128; it must hold real numbers"),
        ([[1], [2, 3]], "w must be an array of numbers"),
        ([{}], "w must be an array of numbers"),
    ],
)
def test_what_is_no_array_of_numbers_is_refused(values, message):
    with pytest.raises(InputError, match=message):
        checks.numbers("w", values)


def test_an_array_of_numbers_keeps_its_type_and_objects_become_floats():
    given = np.arange(3, dtype=np.int16)
    assert checks.numbers("w", given) is given
    assert checks.numbers("w", np.array([1, Fraction(1, 2)], object)).dtype == np.float64
