"""What check says of data before anything is learned from them."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.shell import DATA, PROGRAM

APART = "a,b,y\n0,0,no\n1,0,no\n3,0,yes\n4,1,yes\n"


def check(*arguments: str | Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, "check", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        input=text,
        check=False,
    )


def checked(text: str, *arguments: str, code: int = 0) -> dict[str, Any]:
    done = check("-", "--json", *arguments, text=text)
    assert (done.returncode, done.stderr) == (code, "")
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["schema"] == 2
    return found


def test_the_report_has_columns_classes_baseline_and_verdict(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text("size,colour,kind\n1,red,a\n2,red,a\n9,blue,b\n8,red,a\n7,blue,b\n")
    done = check(file)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"{file} (csv): 5 rows, 2 columns, 3 features",
        "  size    number    median 7, scale 4.448, clipped at ±3",
        "  colour  category  2 levels: red, blue",
        "2 classes of kind: a (3), b (2)",
        "baseline: always a is right in 60.0%",
        "a hyperplane between the classes: there is one; training ends without a mistake",
    ]


def test_constant_and_repeated_columns_are_named() -> None:
    found = checked("a,b,c,d,e,f,y\n1,2,x,7,p,x,u\n2,3,z,7,q,z,v\n5,4,x,7,p,p,u\n2,3,z,7,q,z,v\n")
    assert found["constant"] == ["d"]
    assert found["repeated_columns"] == [["c", "e"]]  # other names for the same levels
    found = checked("a,b,y\n1,1,u\n-0,0,v\n4,4,u\n")
    assert found["repeated_columns"] == [["a", "b"]]


def test_columns_that_differ_in_every_row_do_not_say_the_same_for_that() -> None:
    few = [f"n{i},see {i} of them all,t{i},{'uv'[i % 2]}" for i in range(4)]
    assert checked("\n".join(["id,text,tag,y", *few]))["repeated_columns"] == []
    many = [f"n{i},see {i} of them all,n{i},{'uv'[i % 2]}" for i in range(40)]
    found = checked("\n".join(["id,text,again,y", *many]))
    assert found["repeated_columns"] == [["id", "again"]]


def test_rows_that_repeat_and_rows_that_contradict_are_counted_with_their_lines() -> None:
    text = "a,c,y\n1,x,u\n2,x,u\n1,x,v\n2,x,u\n1,z,v\n1,x,u\n"
    found = checked(text)
    assert found["repeated_rows"] == {"rows": 3, "first": [[2, 4, 7], [3, 5]]}
    assert found["conflicts"] == {
        "groups": 1,
        "rows": 3,
        "never_right": 1,
        "first": [[{"line": 2, "label": "u"}, {"line": 4, "label": "v"}]],
    }
    assert found["separability"]["verdict"] == "not separable"
    said = check("-", text=text).stdout
    assert "warning: 3 rows repeat an earlier one: lines 2, 4, 7; 3, 5\n" in said
    assert "3 rows are equal to one with another label; 1 of them no model gets right:\n" in said
    assert "\n  line 2: u, line 4: v\n" in said


def test_gaps_are_counted_and_marks_that_look_like_gaps_are_shown() -> None:
    found = checked("a,c,y\n1,x,u\n?,NA,v\n4,x,u\n?,z,v\n", "--missing", "?")
    assert found["missing"] == {"a": 2, "c": 1}
    assert found["look_missing"] == {}
    assert found["levels_met_once"] == {"c": 2}
    assert found["repeated_rows"]["rows"] == 0


def test_zero_is_zero_with_either_sign() -> None:
    assert checked("a,b,y\n0,1,u\n-0,1,v\n2,3,v\n")["conflicts"]["rows"] == 2


def test_two_gaps_make_rows_equal() -> None:
    found = checked("a,b,y\n?,1,u\n?,1,v\n2,3,v\n", "--missing", "?")
    assert found["conflicts"]["rows"] == 2


def test_sizes_a_millionfold_apart_and_numbers_of_rows_are_noticed() -> None:
    rows = [f"{i},{i % 3 * 1e-4},{i % 5 * 1e4},{'uv'[i % 2]}" for i in range(1, 30)]
    found = checked("n,small,large,y\n" + "\n".join(rows))
    assert found["scales"]["smallest"]["name"] == "small"
    assert found["scales"]["largest"]["name"] == "large"
    assert found["row_numbers"] == ["n"]
    assert checked(APART)["scales"] is None
    sparse = checked("1 1:1e-5 2:3\n2 1:1e-5 3:1e4\n", "--format", "svmlight")
    assert sparse["scales"]["largest"] == {"name": "3", "size": 1e4}


def test_one_class_is_bad_data_and_named() -> None:
    done = check("-", text="a,y\n1,u\n2,u\n")
    assert (done.returncode, done.stdout) == (3, "")
    assert "only class 'u' seen, in all 2 rows; two are needed" in done.stderr
    assert "--target" in done.stderr


def test_nothing_to_learn_from_ends_with_1() -> None:
    found = checked("a,y\n1,u\n1,v\n1,u\n", code=1)
    assert "nothing to learn from" in found["errors"][0]
    text = "a,y\n" + "\n".join(f"{i % 3},{i * 1.5}" for i in range(12))
    done = check("-", "--target", "y", text=text)
    assert done.returncode == 1
    assert "wrong: 12 classes in 12 rows: most labels occur once" in done.stdout


def test_svmlight_rows_have_columns_by_number_and_conflicts() -> None:
    found = checked("1 1:2 2:1 4:1\n0 1:2 3:1\n1 1:2 3:1\n0 1:2 2:1 4:1\n", "--format", "svmlight")
    assert (found["rows"], found["features"], found["columns"]) == (4, 4, [])
    assert found["constant"] == ["1"]
    assert found["repeated_columns"] == [["2", "4"]]
    assert found["conflicts"]["groups"] == 2


def test_texts_are_compared_as_they_stand() -> None:
    found = checked("ham\tsee you\nspam\twin\nham\tsee you\nham\twin\n", "--format", "text")
    assert found["classes"] == {"ham": 3, "spam": 1}
    assert found["baseline"] == {"label": "ham", "accuracy": 0.75}
    assert found["repeated_rows"]["first"] == [[1, 3], [2, 4]]
    assert found["conflicts"]["groups"] == 1
    assert found["description"] == ["text  words 1-2, idf, 262,144 hashed columns"]


def test_large_data_are_not_asked_for_a_hyperplane_and_the_way_to_is_told() -> None:
    text = "a,y\n" + "\n".join(f"{i},{'uv'[i % 2]}" for i in range(2001))
    done = check("-", text=text)
    assert "between the classes: not asked; rosenblatt certify does\n" in done.stdout


def test_files_are_taken_together_and_packed_ones_unpacked(tmp_path: Path) -> None:
    first, second = tmp_path / "a.csv", tmp_path / "b.csv.gz"
    first.write_text(APART)
    second.write_bytes(gzip.compress(b"b,a,y\n5,5,maybe\n"))
    done = check(first, second, "--json")
    assert json.loads(done.stdout)["classes"] == {"maybe": 1, "no": 2, "yes": 2}


@pytest.mark.parametrize(
    ("arguments", "text", "code", "said"),
    [
        (["no.csv"], None, 2, "does not exist"),
        (["-"], "a,y\n", 3, "0 rows"),
        (["-"], "a,b,y\n1,2,u\n3,v\n", 3, "<stdin>:3:4: 2 fields, expected 3"),
        (["-", "--target", "z"], APART, 2, "there is no target column"),
        (["--help"], None, 0, "Examples:"),
    ],
)
def test_what_is_wrong_ends_with_its_code(
    arguments: list[str], text: str | None, code: int, said: str
) -> None:
    done = check(*arguments, text=text)
    assert done.returncode == code
    assert said in (done.stderr if code else done.stdout)
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not (DATA / "mushrooms").exists(), reason="the data are not here")
def test_mushrooms_have_one_constant_column_and_gaps_in_another() -> None:
    done = check(DATA / "mushrooms" / "mushrooms.csv.gz", "--target", "class", "--json")
    found = json.loads(done.stdout)
    assert (found["rows"], found["constant"]) == (8124, ["veil-type"])
    assert found["missing"] == {"stalk-root": 2480}
    assert found["conflicts"]["rows"] == 0
