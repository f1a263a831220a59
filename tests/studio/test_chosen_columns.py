"""Files that the studio begins with: what is chosen, left out and refused."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from rosenblatt.errors import DataError, InputError, ParameterError
from rosenblatt.studio import Session
from rosenblatt.studio.chosen_columns import ChosenColumns, choose
from rosenblatt.studio.states import MAX_ROWS


def table(text: str, **chosen: Any) -> ChosenColumns:
    return choose(lambda: io.BytesIO(text.encode()), format="csv", **chosen)


def test_the_class_is_the_text_and_the_features_are_the_numbers() -> None:
    found = table("kind,height,width\nfir,3,1.5\noak,2,4\n")
    assert (found.x, found.y, found.label) == ("height", "width", "kind")
    assert found.data == {
        "columns": ["height", "width"],
        "rows": [[3, 1.5, "fir"], [2, 4, "oak"]],
    }
    assert found.notices == []
    assert Session().ask("run", {"data": found.data})["data"]["classes"] == ["fir", "oak"]


def test_of_many_columns_the_two_that_tell_most_are_taken() -> None:
    random = np.random.default_rng(0)
    lines = ["noise,far,label,near,constant"]
    for i in range(60):
        c = i % 2
        far, near = 5 * c + random.normal(), 2 * c + random.normal()
        lines.append(f"{random.normal():.3f},{far:.3f},{'ab'[c]},{near:.3f},1")
    found = table("\n".join(lines))
    assert (found.x, found.y, found.label) == ("far", "near", "label")
    chosen = table("\n".join(lines), x="noise", label="label")
    assert (chosen.x, chosen.y) == ("noise", "far")


def test_scaled_columns_have_mean_0_and_deviation_1_and_a_constant_one_is_0() -> None:
    found = table("a,b,c\n100,5,x\n300,5,y\n200,5,y\n", x="a", y="b").scaled()
    assert [row[2] for row in found.rows] == ["x", "y", "y"]
    points = np.array([row[:2] for row in found.rows])
    np.testing.assert_allclose(points[:, 0], [-1.22474, 1.22474, 0], atol=1e-5)
    assert not points[:, 1].any()


def test_points_without_a_header_are_all_rows() -> None:
    found = table("1,2,x\n3,4,y\n5,6,x\n")
    assert [row[0] for row in found.rows] == [1, 3, 5]
    assert (found.x, found.y, found.label) == ("1", "2", "3")
    assert "first line holds values" in found.notices[0]


def test_a_column_of_few_numbers_can_be_the_class_and_keeps_its_text() -> None:
    found = table("a,b,group\n1,2,01\n3,4,02\n5,6,01\n7,8,02\n2,1,01\n")
    assert found.label == "group"
    assert {row[2] for row in found.rows} == {"01", "02"}


def test_rows_without_a_value_are_left_out_and_told() -> None:
    found = table("a,b,c\n1,2,x\n?,4,y\n3,NA,x\n5,,y\n6,7,\n8,9,y\n")
    assert found.rows == [[1, 2, "x"], [8, 9, "y"]]
    assert found.notices == [
        '1 row was left out for lack of a value in "a" (line 3).',
        '2 rows were left out for lack of a value in "b" (lines 4, 5).',
        '1 row was left out for lack of a value in "c" (line 6).',
    ]


def test_a_fault_in_a_column_that_is_not_chosen_does_no_harm() -> None:
    text = "id,a,b,c\n1,1,2,x\n2,3,4,y\noops,5,6,x\n"
    assert len(table(text, x="a", y="b").rows) == 3
    with pytest.raises(DataError, match='"oops" is not a number') as caught:
        table(text, x="id")
    assert caught.value.line == 4


def test_what_cannot_be_a_plane_is_refused() -> None:
    with pytest.raises(InputError, match=r'beside the class "b"; it has 1\.$'):
        table("a,b\n1,x\n2,y\n")
    with pytest.raises(InputError, match=r"^No row has a value in all of"):
        table("a,b,c\n?,1,x\n1,?,x\n")
    with pytest.raises(InputError, match='"name" has 150 different values'):
        table("a,b,name\n" + "".join(f"{i},{i},p {i}\n" for i in range(150)), label="name")


def test_columns_that_are_not_there_are_refused_by_name() -> None:
    text = "a,b,c\n1,2,x\n3,4,y\n"
    with pytest.raises(ParameterError, match='no column "q" for x; there are "a", "b", "c"'):
        table(text, x="q")
    with pytest.raises(ParameterError, match="three different columns"):
        table(text, x="a", y="a")


def test_more_rows_than_can_be_shown_are_thinned_out_evenly() -> None:
    text = "a,b,c\n" + "".join(f"{i},{i},{'xy'[i % 2]}\n" for i in range(2 * MAX_ROWS))
    found = table(text)
    assert len(found.rows) == MAX_ROWS
    assert (found.rows[0][0], found.rows[-1][0]) == (0, 2 * MAX_ROWS - 1)
    assert found.notices == ["10,000 of 20,000 rows are shown, spread evenly."]


def test_a_file_is_read_in_the_format_of_its_name(tmp_path: Any) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1, "b": 2, "c": "x"}\n{"a": 3, "b": 4.5, "c": "y"}\n')
    found = choose(lambda: path)
    assert found.data == {"columns": ["a", "b"], "rows": [[1, 2, "x"], [3, 4.5, "y"]]}
    assert choose(lambda: path, x="2", label="c").x == "b"
