"""Values that a table reader cannot keep as they stand, or that may mean two things: it says so."""

from __future__ import annotations

import io
import warnings

import numpy as np
import pytest

from rosenblatt.io import Assumption, iter_table, read_table


@pytest.mark.parametrize(
    ("digits", "read_as"), [("01067", "1067"), ("9007199254740993", "9007199254740992")]
)
@pytest.mark.parametrize("form", ["{}", " {} ", '"{}"'])
def test_digits_that_a_number_does_not_hold_are_told_of_wherever_they_stand(
    digits: str, read_as: str, form: str
) -> None:
    text = "code,y\n" + "12345,u\n54321,v\n" * 100 + f"{form.format(digits)},u\n"
    words = f'column "code": "{digits}" is read as {read_as}; to keep all digits, say types='
    with pytest.warns(Assumption, match=words):
        table = read_table(io.BytesIO(text.encode()), "y")
    assert table.numbers[-1, 0] == float(read_as)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nobody guessed
        read_table(io.BytesIO(text.encode()), "y", types="number")
        kept = read_table(io.BytesIO(text.encode()), "y", types={"code": "text"})
    assert kept.texts["code"][-1] == digits


@pytest.mark.parametrize("number", ["9007199254740992", "1e30", "0", "0.5", "00.5", "12.0", "-0"])
def test_numbers_that_hold_all_their_digits_are_read_without_a_word(number: str) -> None:
    text = "a,b,y\n" + f"{number},{number},u\n1.5,2,v\n" * 60
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_table(io.BytesIO(text.encode()), "y").numbers[0, 0] == float(number)


def test_digits_that_are_lost_in_one_block_are_told_of_once() -> None:
    text = b"a,y\n" + b"1,u\n2,v\n" * 100 + b"007,u\n08,v\n" * 300_000
    with pytest.warns(Assumption) as heard:
        assert sum(map(len, iter_table(io.BytesIO(text), "y"))) == 600_200
    assert len(heard) == 1


def test_a_minus_is_told_of_as_a_gap_among_signs_and_nowhere_else() -> None:
    text = "strand,a,y\n+,-,u\n-,5,v\n+,6,u\n.,7,v\n"
    with pytest.warns(Assumption, match='column "strand": "-" is read as a gap; if it is a value'):
        table = read_table(io.BytesIO(text.encode()), "y")
    assert table.texts["strand"].tolist() == ["+", "", "+", ""]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_table(io.BytesIO(text.replace("+", "plus").encode()), "y")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("size\n12,5\n3,25\n", [12.5, 3.25]),
        ("size\n12,5\nNA\n7\n", [12.5, np.nan, 7]),
        ("size\n1.234,5\n-3,25\n", [1234.5, -3.25]),
        ("size\n1,234.5\nNA\n5,678.25\n", [1234.5, np.nan, 5678.25]),
    ],
)
def test_a_single_column_of_decimal_commas_is_not_cut_in_two(
    text: str, expected: list[float]
) -> None:
    with pytest.warns(Assumption, match="a decimal comma|between thousands"):
        table = read_table(io.BytesIO(text.encode()))
    assert table.names == ["size"]
    np.testing.assert_array_equal(table.numbers[:, 0], expected)


def test_numbers_of_rows_without_a_name_are_still_a_column_of_their_own() -> None:
    text = b"a,b\n1,2,5\n2,3,6\n3,4,7\n"
    assert read_table(io.BytesIO(text)).names == ["column 1", "a", "b"]
