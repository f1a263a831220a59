"""Tables that people paste: what is chosen, left out and refused."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.errors import InputError, ParameterError
from rosenblatt.studio import Session
from rosenblatt.studio.pasted_tables import choose
from rosenblatt.studio.states import MOST_ROWS


def table(text, **chosen):
    return Session().ask("table", {"text": text, **chosen})


def test_the_class_is_the_text_and_the_features_are_the_numbers():
    found = table("kind,height,width\nfir,3,1.5\noak,2,4\n")
    assert (found["x"], found["y"], found["label"]) == ("height", "width", "kind")
    assert found["data"] == {
        "columns": ["height", "width"],
        "rows": [[3, 1.5, "fir"], [2, 4, "oak"]],
    }
    assert found["columns"][0] == {"name": "kind", "kind": "text"}
    assert found["notices"] == []
    assert Session().ask("run", {"data": found["data"]})["data"]["classes"] == ["fir", "oak"]


def test_of_many_columns_the_two_that_tell_most_are_taken():
    random = np.random.default_rng(0)
    lines = ["noise,far,label,near,constant"]
    for i in range(60):
        c = i % 2
        far, near = 5 * c + random.normal(), 2 * c + random.normal()
        lines.append(f"{random.normal():.3f},{far:.3f},{'ab'[c]},{near:.3f},1")
    found = table("\n".join(lines))
    assert (found["x"], found["y"], found["label"]) == ("far", "near", "label")
    chosen = table("\n".join(lines), x="noise", label="label")
    assert (chosen["x"], chosen["y"]) == ("noise", "far")


@pytest.mark.parametrize("mark", [",", "\t", ";", "|"])
def test_the_mark_between_columns_is_found(mark):
    text = mark.join("abc") + "\n" + mark.join(["1", "2", "x"]) + "\n" + mark.join(["3", "4", "y"])
    assert table(text)["data"]["rows"] == [[1, 2, "x"], [3, 4, "y"]]


def test_points_without_a_header_are_all_rows():
    found = table("1,2,x\n3,4,y\n5,6,x\n")
    assert [row[0] for row in found["data"]["rows"]] == [1, 3, 5]
    assert (found["x"], found["y"], found["label"]) == ("1", "2", "3")
    assert "first line holds values" in found["notices"][0]


def test_a_column_of_few_numbers_can_be_the_class_and_keeps_its_text():
    found = table("a,b,group\n1,2,01\n3,4,02\n5,6,01\n7,8,02\n2,1,01\n")
    assert found["label"] == "group"
    assert {row[2] for row in found["data"]["rows"]} == {"01", "02"}


def test_rows_without_a_value_are_left_out_and_told():
    found = table("a,b,c\n1,2,x\n?,4,y\n3,NA,x\n5,,y\n6,7,\n8,9,y\n")
    assert found["data"]["rows"] == [[1, 2, "x"], [8, 9, "y"]]
    assert found["notices"] == [
        '1 row was left out for lack of a value in "a" (line 3).',
        '2 rows were left out for lack of a value in "b" (lines 4, 5).',
        '1 row was left out for lack of a value in "c" (line 6).',
    ]


def test_a_fault_in_a_column_that_is_not_chosen_does_no_harm():
    text = "id,a,b,c\n1,1,2,x\n2,3,4,y\noops,5,6,x\n"
    assert len(table(text, x="a", y="b")["data"]["rows"]) == 3
    with pytest.raises(InputError, match=r'^Line 4: column "id": "oops" is not a number\.$'):
        table(text, x="id")


def test_decimal_commas_are_read():
    found = table("a;b;c\n1,5;2,5;x\n3,5;4,5;y\n")["data"]
    assert found["rows"] == [[1.5, 2.5, "x"], [3.5, 4.5, "y"]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "^The table is empty: paste rows"),
        ("hello\nworld", "^The table has only one column"),
        ("a,b,c\n", "^The table has no rows below its header.$"),
        ("a,b\n1,x\n2,y\n", 'needs two columns of numbers beside the class "b"; it has 1.$'),
        ("a,b,c\n1,2,x\n3,y\n", "^Line 3: 2 fields, expected 3.$"),
        ("a,a,c\n1,2,x\n", '^Line 1: the column "a" stands twice'),
        ("a,b,c\n1,2,x\n3,oops,y\n5,6,x\n7,8,x\n", '^Line 3: column "b": "oops" is not a number.$'),
        ('a,b,c\n1,2,"x\n', "never closed"),
        ("a,b,c\n?,1,x\n1,?,x\n", "^No row has a value in all of"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_in_one_sentence(text, words):
    with pytest.raises(InputError, match=words) as caught:
        table(text)
    assert "\n" not in str(caught.value)


def test_columns_that_are_not_there_are_refused_by_name():
    text = "a,b,c\n1,2,x\n3,4,y\n"
    with pytest.raises(ParameterError, match='no column "q" for x; there are "a", "b", "c"'):
        table(text, x="q")
    with pytest.raises(ParameterError, match="three different columns"):
        table(text, x="a", y="a")
    with pytest.raises(ParameterError, match="text is nothing: give the table as text"):
        table(None)


def test_more_rows_than_can_be_shown_are_thinned_out_evenly():
    text = "a,b,c\n" + "".join(f"{i},{i},{'xy'[i % 2]}\n" for i in range(2 * MOST_ROWS))
    found = table(text)
    rows = found["data"]["rows"]
    assert len(rows) == MOST_ROWS
    assert (rows[0][0], rows[-1][0]) == (0, 2 * MOST_ROWS - 1)
    assert found["notices"] == ["5,000 of 10,000 rows are shown, spread evenly."]


def test_a_column_of_too_many_classes_is_refused_by_name():
    text = "a,b,name\n" + "".join(f"{i},{i},person {i}\n" for i in range(150))
    with pytest.raises(InputError, match='"name" has 150 different values'):
        table(text, label="name")


def test_labels_of_any_text_come_through():
    found = table('a,b,c\n1,2,"<b>x</b>, ""y"""\n3,4,é\n')
    assert [row[2] for row in found["data"]["rows"]] == ['<b>x</b>, "y"', "é"]


def test_a_file_is_read_in_the_format_of_its_name(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1, "b": 2, "c": "x"}\n{"a": 3, "b": 4.5, "c": "y"}\n')
    found = choose(lambda: path)
    assert found.data == {"columns": ["a", "b"], "rows": [[1, 2, "x"], [3, 4.5, "y"]]}
    assert choose(lambda: path, x="2", label="c").x == "b"
