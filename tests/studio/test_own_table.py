"""Tables that people paste, drop and open, read in the page: what is taken, said and refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .engine import Engine, EngineError, running_module

# The answer to a question is what is taken of its table.
ANSWER = "const answer = ({body: {text, ...chosen}}) => ownTable(text, chosen);"
RAW = {"scale": False}


@pytest.fixture(scope="module")
def node() -> Iterator[Engine]:
    with running_module("engine/own_table.js", ANSWER) as found:
        yield found


def table(node: Engine, text: str, **chosen: Any) -> Any:
    return node.ask("table", {"text": text, **chosen})


def rows(node: Engine, text: str, **chosen: Any) -> Any:
    return table(node, text, **RAW, **chosen)["data"]["rows"]


def csv(names: list[str], columns: list[Any]) -> str:
    lines = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    return "\n".join([",".join(names), *lines])


def test_the_class_is_the_last_text_and_the_features_are_numbers(node: Engine) -> None:
    found = table(node, "kind,height,width\nfir,3,1.5\noak,2,4\n", **RAW)
    assert (found["x"], found["y"], found["label"]) == ("height", "width", "kind")
    assert found["data"] == {
        "columns": ["height", "width"],
        "rows": [[3, 1.5, "fir"], [2, 4, "oak"]],
    }
    assert found["columns"][0] == {"name": "kind", "kind": "text"}
    assert found["notices"] == []


def test_of_many_columns_the_two_that_tell_most_are_taken_but_none_that_counts_rows(
    node: Engine,
) -> None:
    random = np.random.default_rng(0)
    c = np.repeat([0, 1], 30)
    far, near = 5 * c + random.normal(size=60), 2 * c + random.normal(size=60)
    names = ["id", "noise", "far", "label", "near", "constant"]
    labels = ["ab"[i] for i in c]
    text = csv(names, [range(60), random.normal(size=60), far, labels, near, [1] * 60])
    found = table(node, text)
    assert (found["x"], found["y"], found["label"]) == ("far", "near", "label")
    chosen = table(node, text, x="noise", label="label")
    assert (chosen["x"], chosen["y"]) == ("noise", "far")


@pytest.mark.parametrize("mark", [",", "\t", ";", "|", " ", "  "])
def test_the_mark_between_columns_is_found(node: Engine, mark: str) -> None:
    text = "\n".join(mark.join(line) for line in ("abc", ["1", "2.5", "x"], ["3", "4", "y"]))
    assert rows(node, text) == [[1, 2.5, "x"], [3, 4, "y"]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a\tb\tkind\n1,5\t2\tx\n3\t4,25\ty\n", [[1.5, 2, "x"], [3, 4.25, "y"]]),
        ("a;b;c\n1.234,5;−2,5;x\n3,5;4 000,5;y\n", [[1234.5, -2.5, "x"], [3.5, 4000.5, "y"]]),
        ("a\tb\tc\n1,234\t2.5\tx\n3,500\t4.5\ty\n", [[1234, 2.5, "x"], [3500, 4.5, "y"]]),
        ('a,b,c\n"1,5",2,x\n"2,5",3,y\n', [[1.5, 2, "x"], [2.5, 3, "y"]]),
        ("\ufeffa;b;c\r\n1;2;x\r\n3;4;y\r\n", [[1, 2, "x"], [3, 4, "y"]]),
        ("a,b,c,\n1,2,x,\n3,4,y,\n", [[1, 2, "x"], [3, 4, "y"]]),
        ('a,b,c\n1,2,"<b>, ""y"""\n3,4,"é\nö"\n', [[1, 2, '<b>, "y"'], [3, 4, "é\nö"]]),
        ("a,a,\n1,2,x\n3,1e-3,y\n", [[1, 2, "x"], [3, 0.001, "y"]]),
    ],
)
def test_numbers_and_texts_are_read_as_people_write_them(
    node: Engine, text: str, found: Any
) -> None:
    assert rows(node, text) == found


def test_decimal_commas_are_mentioned(node: Engine) -> None:
    said = table(node, "a;b;c\n1,5;2;x\n3,5;4;y\n")["notices"]
    assert said == ["Decimal commas were read: 1,5 is 1.5."]


def test_points_without_a_header_are_all_rows(node: Engine) -> None:
    found = table(node, "1,2,x\n3,4,y\n5,6,x\n", **RAW)
    assert [row[0] for row in found["data"]["rows"]] == [1, 3, 5]
    assert (found["x"], found["y"], found["label"]) == ("1", "2", "3")
    assert "first line holds values" in found["notices"][0]


def test_a_header_may_hold_a_year(node: Engine) -> None:
    found = table(node, "size,2019,weight,kind\n1,2,8,x\n3,4,9,y\n5,6,1,x\n", x="2019")
    assert found["x"] == "2019"
    assert len(found["data"]["rows"]) == 3


def test_a_column_of_few_numbers_can_be_the_class_and_keeps_its_text(node: Engine) -> None:
    found = table(node, "a,b,group\n1,2,01\n3,4,02\n5,6,01\n7,8,02\n2,1,01\n")
    assert found["label"] == "group"
    assert {row[2] for row in found["data"]["rows"]} == {"01", "02"}


def test_both_columns_are_scaled_to_mean_0_and_deviation_1_and_that_is_told(node: Engine) -> None:
    found = table(node, "a,b,c\n100,5,x\n300,5,y\n200,5,y\n", x="a", y="b")
    points = np.array([row[:2] for row in found["data"]["rows"]])
    np.testing.assert_allclose(points, [[-1.22474, 0], [1.22474, 0], [0, 0]], atol=1e-5)
    assert found["about"] == "a and b are scaled: mean 0, standard deviation 1."


def test_sorted_rows_and_uneven_columns_are_noticed(node: Engine) -> None:
    columns: list[Any] = [range(0, 4000, 100), np.arange(40) % 7 / 7, ["x"] * 20 + ["y"] * 20]
    said = table(node, csv(["income", "share", "kind"], columns))["notices"]
    assert said == [
        "The rows are sorted by class, 2 blocks in 40 rows: in this order a class is forgotten "
        "while the next is learned.",
        '"income" ranges over 3900 and "share" over 0.857: unscaled, "income" would decide almost '
        "alone.",
    ]
    columns[2] = ["xy"[i % 2] for i in range(40)]
    columns[1] = [*range(0, 2000, 50)]
    columns[0] = [*range(4000, 0, -100)]
    assert table(node, csv(["income", "share", "kind"], columns))["notices"] == []


def test_rows_without_a_value_are_left_out_and_told(node: Engine) -> None:
    found = table(node, "a,b,c\n1,2,x\n?,4,y\n3,NA,x\n5,,y\n6,7,\n8,9,y\n", **RAW)
    assert found["data"]["rows"] == [[1, 2, "x"], [8, 9, "y"]]
    assert found["notices"] == [
        '1 row was left out for lack of a value in "a" (line 3).',
        '2 rows were left out for lack of a value in "b" (lines 4, 5).',
        '1 row was left out for lack of a value in "c" (line 6).',
    ]


def test_a_fault_in_a_column_that_is_not_chosen_does_no_harm(node: Engine) -> None:
    text = "n,a,b,c\n1,1,2,x\n2,3,4,y\noops,5,6,x\n4,7,8,y\n"
    assert len(rows(node, text)) == 4
    said = '^Line 4, column "n": "oops" is not a number: correct it, leave the cell empty, or'
    with pytest.raises(EngineError, match=said):
        rows(node, text, x="n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (" \n", "^The table is empty: paste rows"),
        ("hello\nworld", "^The table has only one column: separate"),
        ("a,b,c\n", "^The table has no rows below its header: add some.$"),
        ("a,b\n1,x\n2,y\n", 'beside the class "b"; it has 1: add one, or choose another class.$'),
        ("a,b,c\n1,2,x\n3,y\n", "^Line 3 has 2 cells and the header has 3: give every row as"),
        ('a,b,c\n1,2,"x\n3,4,y\n', '^Line 2: a cell begins with " and is never closed: add'),
        ("a,b,c\n?,1,x\n1,?,x\n", "^No row has a value in all of"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_in_one_sentence(
    node: Engine, text: str, words: str
) -> None:
    with pytest.raises(EngineError, match=words) as caught:
        table(node, text)
    assert "\n" not in str(caught.value)


def test_columns_that_cannot_be_chosen_are_refused_by_name(node: Engine) -> None:
    text = "a,b,c\n1,2,x\n3,4,y\n"
    with pytest.raises(EngineError, match='no column "q" for x; there are "a", "b", "c"'):
        table(node, text, x="q")
    with pytest.raises(EngineError, match="three different columns"):
        table(node, text, x="a", y="a")
    many = csv(["a", "b", "name"], [range(150), range(150), [f"p {i}" for i in range(150)]])
    with pytest.raises(EngineError, match='"name" has 150 different values: choose a class'):
        table(node, many, label="name")


def test_more_rows_than_can_be_shown_are_thinned_out_evenly(node: Engine) -> None:
    places = [*range(0, 40_000, 2)]
    columns = [places, places, ["xy"[i % 2] for i in range(20_000)]]
    found = table(node, csv(["a", "b", "c"], columns), **RAW)
    taken = found["data"]["rows"]
    assert (len(taken), taken[0][0], taken[-1][0]) == (10_000, 0, 39_998)
    assert found["notices"] == ["10,000 of 20,000 rows are shown, spread evenly."]


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    d=st.integers(3, 12), n=st.integers(3, 60), seed=st.integers(0, 2**32 - 1), scale=st.booleans()
)
def test_the_two_directions_are_those_of_the_covariance(
    node: Engine, d: int, n: int, seed: int, scale: bool
) -> None:
    """Oracle: numpy.linalg.eigh; the largest part of a direction is positive."""
    random = np.random.default_rng(seed)
    X = (random.normal(size=(n, d)) @ random.normal(size=(d, d))).round(4)
    names = [f"c{j}" for j in range(d)]
    text = csv([*names, "kind"], [*X.T.tolist(), ["xy"[i % 2] for i in range(n)]])
    found = table(node, text, directions=True, scale=scale)
    assert found["data"]["columns"] == ["direction 1", "direction 2"]
    Z = X - X.mean(axis=0)
    Z = Z / Z.std(axis=0) if scale else Z
    values, vectors = np.linalg.eigh(Z.T @ Z / n)
    seen = np.array([row[:2] for row in found["data"]["rows"]])
    gaps = np.diff(values[-3:]) / values[-1]
    for i, gap in enumerate([gaps[1], gaps.min()]):
        vector = vectors[:, -1 - i]
        ranked = np.sort(np.abs(vector))
        if gap < 1e-6 or ranked[-1] - ranked[-2] < 1e-6:
            continue
        vector = vector * np.sign(vector[np.abs(vector).argmax()])
        np.testing.assert_allclose(seen[:, i], Z @ vector, atol=1e-5)
    share = 100 * values[-2:].sum() / values.sum()
    (said,) = [one for one in found["notices"] if "directions hold" in one]
    assert float(said.split()[4]) == pytest.approx(share, rel=0.01)
