"""Decimal text: the float64 nearest to it, to the bit as Python's `float`."""

from __future__ import annotations

import math
import re
import struct
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rosenblatt.engine.text.numbers import parse

GRAMMAR = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
often = settings(max_examples=400, deadline=None)

digits = st.text("0123456789", max_size=12) | st.text("0123456789", max_size=45)
zeros = st.integers(0, 30).map("0".__mul__)
signs = st.sampled_from(["", "+", "-"])
powers = st.none() | st.tuples(st.sampled_from("eE"), signs, zeros, st.integers(0, 400))
patterns = st.integers(0, 2**64 - 1).map(
    lambda bits: struct.unpack("<d", bits.to_bytes(8, "little"))[0]
)
finite = patterns.filter(math.isfinite)


@st.composite
def decimals(draw: st.DrawFn) -> str:
    """A number of any shape of the grammar."""
    whole, fraction = draw(zeros) * draw(st.booleans()) + draw(digits), draw(st.none() | digits)
    if not whole and not fraction:
        whole = draw(st.sampled_from("0123456789"))
    power = draw(powers)
    tail = "" if power is None else "".join(map(str, power))
    return draw(signs) + whole + ("" if fraction is None else "." + fraction) + tail


def bits(value: float) -> bytes:
    return struct.pack("<d", value)


def assert_as_float(text: str) -> None:
    found = parse(text.encode())
    assert found is not None, text
    assert bits(found) == bits(float(text)), (text, found, float(text))


def exactly(value: Fraction) -> str:
    """All digits of a fraction whose denominator is a power of two."""
    power = value.denominator.bit_length() - 1
    return f"{value.numerator * 5**power}e-{power}"


@often
@given(decimals())
@example("-0")
@example("0e999999999999999999999")
@example("1e-999999999999999999999")
@example("9" * 400)
@example("." + "0" * 400 + "1e401")
@example("0" * 30 + "9007199254740993")
@example("2.2250738585072012e-308")  # Java and PHP once hung here
@example("2.2250738585072011e-308")
@example("1.7976931348623158e308")
@example("1.7976931348623159e308")
@example("4.9406564584124654e-324")
@example("2.4703282292062327e-324")
@example("2.4703282292062328e-324")
@example("9007199254740992e22")
@example("18446744073709551615")
@example("9999999999999999999")
@example("8.5e-22")
def test_a_number_is_what_float_says_to_the_bit(text: str) -> None:
    assert_as_float(text)


@often
@given(finite)
def test_the_shortest_digits_of_any_float_give_it_back(value: float) -> None:
    assert parse(repr(value).encode()) == value
    assert_as_float(repr(value))


@often
@given(st.floats(-1e3, 1e3), st.integers(0, 24))
@example(0.30000000000000004, 17)
@example(9.999999999999999, 16)
@example(0.0009999999999999998, 19)
@example(999.9999999999999, 16)
def test_numbers_without_a_power_are_what_float_says(value: float, n: int) -> None:
    """Up to nineteen digits are read in a few looks, and more of them in another way."""
    assert_as_float(f"{value:.{n}f}")
    assert_as_float(repr(value))


@often
@given(finite, st.integers(15, 25))
def test_many_digits_of_any_float_round_as_python_rounds(value: float, n: int) -> None:
    assert_as_float(f"{value:.{n}e}")


@often
@given(finite, st.sampled_from(["", "1", "0001", "9"]), st.booleans())
@example(5e-324, "", False)
@example(0.0, "", False)
@example(2.2250738585072014e-308, "", True)
@example(1.7976931348623157e308, "", False)
@example(9007199254740992.0, "", False)
def test_halfway_between_two_floats_goes_to_the_even_one(
    value: float, more: str, below: bool
) -> None:
    """Exactly halfway, and a hair's breadth above or below it."""
    value = abs(value)
    after = math.nextafter(value, math.inf)
    upper = Fraction(2) ** 1024 if math.isinf(after) else Fraction(after)
    mantissa, _, power = exactly((Fraction(value) + upper) / 2).partition("e")
    if below:
        mantissa = str(int(mantissa) * 10 - 1)
        power = str(int(power or 0) - 1)
    assert_as_float(f"{mantissa}{'.' + more if more else ''}e{power or 0}")


@often
@given(st.integers(2**53, 2**64), st.integers(-30, 30))
def test_whole_numbers_beyond_the_mantissa_are_rounded_right(w: int, power: int) -> None:
    assert_as_float(f"{w}e{power}")


@often
@given(
    st.binary(max_size=8)
    | st.text("+-.eE01 9x_nai", max_size=10).map(str.encode)
    | st.tuples(decimals(), st.text(" \n\t,:xe+-._\0é1", max_size=3)).map(
        lambda t: "".join(t).encode()
    )
)
def test_none_is_the_answer_exactly_where_the_grammar_does_not_fit(text: bytes) -> None:
    assert (parse(text) is None) == (GRAMMAR.fullmatch(text) is None)


@pytest.mark.parametrize(
    "text",
    [
        *["", ".", "+", "-.", "e5", "1e", "1e+", "1.e", "0x1p3", "1_000", " 1", "1 ", "nan", "inf"],
        *["Infinity", "--1", "+-1", "1..2", "1e5.5", "1,5", "１", "1\0"],
    ],
)
def test_what_only_python_takes_for_a_number_is_none(text: str) -> None:
    assert parse(text.encode()) is None


def test_the_sign_of_zero_is_kept() -> None:
    for text in (b"-0", b"-0.000e5", b"-1e-400", b"-" + b"0" * 40):
        found = parse(text)
        assert found is not None
        assert math.copysign(1, found) == -1, text
