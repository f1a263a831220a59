"""What certify says of a file, and how it ends."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from cli.shell import PETS, PROGRAM, run
from rosenblatt import theory
from rosenblatt.cli.verbs import certify as command
from rosenblatt.cli.verbs.certify import read_rows

XOR = "a,b,c\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n"
APART = "a,b,c\n0,0,no\n1,0,no\n3,0,yes\n4,1,yes\n"
THREE = "x,y,k\n0,0,a\n1,0,a\n9,0,b\n8,1,b\n0,9,c\n1,8,c\n"


def certify(*arguments: str | Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, "certify", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        input=text,
        check=False,
    )


def written(folder: Path, text: str, name: str = "data.csv") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def certified(*arguments: str | Path, text: str | None = None) -> dict[str, Any]:
    done = certify(*arguments, "--json", text=text)
    assert done.stderr == ""
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["schema"] == 2
    assert done.returncode == (0 if found["verdict"] == "separable" else 1)
    return found


def test_separable_rows_get_margin_bound_and_a_run_within_it(tmp_path: Path) -> None:
    found = certified(written(tmp_path, APART))
    assert (found["rows"], found["features"]) == (4, 2)
    assert found["classes"] == {"no": 2, "yes": 2}
    assert (found["verdict"], found["verified"]) == ("separable", True)
    assert found["margin"] == pytest.approx(1.0)
    assert found["radius"] == pytest.approx(np.sqrt(18))
    assert found["bound"] == pytest.approx((found["radius"] / found["gamma"]) ** 2)
    assert found["perceptron"]["stop_reason"] == "separated"
    assert 0 < found["perceptron"]["mistakes"] <= found["bound"]
    assert found["conflict"] is None


def test_the_report_for_people_says_it_all_and_ends_with_0(tmp_path: Path) -> None:
    done = certify(written(tmp_path, APART))
    assert done.returncode == 0
    assert done.stderr == ""
    for said in (
        "4 rows, 2 features; 2 classes: no (2), yes (2)",
        "verdict: separable (proof exact, checked in exact arithmetic)",
        "margin: 1, the largest there is",
        "mistakes in any order",
        "an epoch without a mistake",
        "most often misclassified:",
    ):
        assert said in done.stdout


def test_the_margin_of_columns_of_very_different_size_is_the_largest(tmp_path: Path) -> None:
    file = written(tmp_path, "a,b,y\n3e-5,0,p\n-2e-5,0,q\n-1e-5,-2000,p\n")
    done = certify(file)
    assert "margin: 2.5e-05, the largest there is" in done.stdout
    found = certified(file)
    assert found["margin"] <= found["margin_upper"] == pytest.approx(2.5e-05)
    assert found["margin_closed"]
    assert found["gamma_closed"]


def test_a_margin_that_is_not_known_is_not_called_the_largest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(theory.margin_interval, "max_effort", lambda: 0.0)
    done = run("certify", written(tmp_path, "a,b,y\n3e-5,0,p\n-2e-5,0,q\n-1e-5,-2000,p\n"))
    assert "largest margin: between " in done.out
    assert "the largest there is" not in done.out


def test_exclusive_or_ends_with_1_and_four_lines_in_conflict(tmp_path: Path) -> None:
    file = written(tmp_path, XOR)
    done = certify(file)
    assert done.returncode == 1
    assert "verdict: not separable (proof exact" in done.stdout
    assert "line 2: no, 1/4" in done.stdout
    assert "bound: none" in done.stdout
    found = certified(file)
    members = found["conflict"]["rows"]
    assert sorted(one["line"] for one in members) == [2, 3, 4, 5]
    assert sum(Fraction(one["fraction"]) for one in members) == 1
    assert found["margin"] is None
    assert found["bound"] == found["bound_visits"] == 4 * found["perceptron"]["epochs"]


def test_overlapping_classes_get_the_bound_of_the_epochs_of_the_run(tmp_path: Path) -> None:
    text = "x,c\n" + "".join(f"{x},{'ab'[x > 9]}\n" for x in range(20)) + "3,b\n"
    found = certified(written(tmp_path, text))
    run = found["perceptron"]
    assert run["mistakes"] <= found["bound"] < found["bound_visits"] == 21 * run["epochs"]
    assert found["bound_epochs"] == run["epochs"]
    said = f"mistakes in {run['epochs']:,} epochs in any order, ((R + D)/γ)² with R = "
    assert said in certify("-", text=text).stdout


def test_lines_are_those_of_the_file_in_spite_of_blank_and_long_records(tmp_path: Path) -> None:
    text = 'a,c\n\n0,"x\ny"\n\n1,z\n1,"x\ny"\n'
    found = certified(written(tmp_path, text))
    assert sorted(one["line"] for one in found["conflict"]["rows"]) == [6, 7]
    assert found["classes"] == {"x\ny": 2, "z": 1}


def test_a_wrong_label_is_the_first_suspect(tmp_path: Path) -> None:
    rows = [f"{x},{'no' if x < 0 else 'yes'}" for x in range(-9, 10) if x]
    rows[15] = rows[15].replace("yes", "no")
    found = certified(written(tmp_path, "x,y\n" + "\n".join(rows)))
    assert found["verdict"] == "not separable"
    assert found["suspects"][0]["line"] == 17
    assert len(found["suspects"]) <= 5


def test_several_classes_get_one_verdict_and_a_count_of_pairs(tmp_path: Path) -> None:
    file = written(tmp_path, THREE)
    found = certified(file)
    assert (found["verdict"], found["pairs"]) == ("separable", {"separable": 3, "all": 3})
    assert found["perceptron"]["mistakes"] <= found["bound"]
    assert "pairs of classes separable: 3 of 3" in certify(file).stdout
    mixed = certified(written(tmp_path, THREE + "9,0,a\n"))
    assert (mixed["verdict"], mixed["pairs"]) == ("not separable", {"separable": 2, "all": 3})
    assert {one["line"] for one in mixed["conflict"]["rows"]} == {4, 8}
    assert {one["against"] for one in mixed["conflict"]["rows"]} == {"a", "b"}


def test_too_many_pairs_of_classes_are_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(theory.argmax, "MAX_PAIRS", 2)
    mixed = written(tmp_path, THREE + "9,0,a\n")
    said = run("certify", mixed).out
    assert "pairs of classes separable: not counted, since there are 3\n" in said
    assert json.loads(run("certify", mixed, "--json").out)["pairs"] == {"separable": None, "all": 3}
    assert "pairs of classes separable: 3 of 3\n" in run("certify", written(tmp_path, THREE)).out


def test_target_by_name_by_number_and_last_by_default(tmp_path: Path) -> None:
    first = written(tmp_path, "c,a,b\nno,0,0\nno,1,0\nyes,3,0\nyes,4,1\n")
    expected = certified(written(tmp_path, APART, "last.csv"))
    for target in ("c", "1"):
        found = certified(first, "--target", target)
        assert {**found, "file": ""} == {**expected, "file": ""}
    bare = written(tmp_path, APART.partition("\n")[2], "bare.csv")
    found = certified(bare, "--no-header", "--target", "3")
    assert (found["rows"], found["margin"]) == (4, expected["margin"])


def test_formats_packing_and_standard_input_agree(tmp_path: Path) -> None:
    svm = "-1 # a row of zeros\n-1.0 1:1\n\n+1 1:3 # far\n1 qid:7 1:4 2:1\n"
    tabs = APART.replace(",", "\t")
    packed = tmp_path / "data.csv.gz"
    packed.write_bytes(gzip.compress(APART.encode("utf-8-sig")))
    all_found = [
        certified(written(tmp_path, APART)),
        certified(written(tmp_path, tabs, "data.tsv")),
        certified(written(tmp_path, svm, "data.svmlight")),
        certified(packed),
        certified("-", text=APART),
        certified("-", "--format", "tsv", text=tabs),
        certified("-", "--format", "svmlight", text=svm),
    ]
    for found in all_found:
        for name in ("rows", "features", "verdict", "margin", "radius", "gamma", "perceptron"):
            assert found[name] == all_found[0][name]
    assert all_found[2]["classes"] == {"-1": 2, "1": 2}
    assert {one["line"] for one in all_found[2]["suspects"]} <= {1, 2, 4, 5}


def test_a_large_svmlight_file_stays_sparse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, "1 1:5 3:2\n0\n0 2:-1\n", "data.svm")
    seen: list[Any] = []
    for most in (9, 8):
        monkeypatch.setattr(command, "DENSE_CELLS", most)
        looked = patch.object(theory, "examine", side_effect=lambda X, *_, **__: seen.append(X))
        with looked, pytest.raises(AttributeError):
            command.certificate(read_rows(str(file)), fit_intercept=True, seed=0)
    dense, sparse = seen
    assert dense.tolist() == [[5, 0, 2], [0, 0, 0], [0, -1, 0]]
    assert sparse.nnz == 3
    np.testing.assert_array_equal(sparse.toarray(), dense)


def test_categories_and_texts_become_features_as_in_training(tmp_path: Path) -> None:
    text = "size,colour,note,y\n" + "".join(
        f"{i},{'red' if i % 2 else 'blue'},a note of {i % 3} more words,{'uv'[i % 2]}\n"
        for i in range(9)
    )
    found = certified(written(tmp_path, text))
    assert (found["verdict"], found["verified"]) == ("separable", True)
    # The size, two colours, and a, note, of, 0, 1, 2, more, words; and nine pairs of these.
    assert (found["features"], found["features_used"]) == (1 + 2 + 2**18, 1 + 2 + 8 + 9)
    assert found["description"] == [
        "size    number    as it is",
        "colour  category  2 levels: blue, red",
        "note    text      words 1-2, idf, 262,144 hashed columns",
    ]
    without_colours = text.replace("red", "blue")
    assert certified(written(tmp_path, without_colours))["verdict"] == "not separable"
    mail = "ham\tsee you\nspam\twin\nham\twin you\n"
    assert certified("-", "--format", "text", text=mail)["verdict"] == "separable"


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (APART, []),
        (PETS, []),
        ("a,b,y\n1,?,u\n2,5,v\n?,7,u\n", ["--missing", "?"]),
        ("ham\tsee you\nspam\twin\nham\twin you\n", ["--format", "text"]),
        ("1 1:5 300:2\n0 2:1\n0 7:-1\n", ["--format", "svmlight"]),
        ("1 |f x y:2\n-1 |f z\n1 |g x\n", ["--format", "vw"]),
    ],
)
def test_check_and_certify_agree_on_what_the_features_of_a_file_are(
    text: str, options: list[str]
) -> None:
    proved = certified("-", *options, text=text)
    found = run("check", "-", "--json", *options, text=text).json
    for fact in ("rows", "features", "features_used", "classes"):
        assert found[fact] == proved[fact], fact
    assert found["separability"]["verdict"] == proved["verdict"]
    columns = [line.split()[:2] for line in proved["description"]]
    assert columns in ([], [line.split()[:2] for line in found["description"]])


def test_without_a_bias_the_origin_is_in_the_way(tmp_path: Path) -> None:
    file = written(tmp_path, APART)
    assert certified(file)["verdict"] == "separable"
    found = certified(file, "--no-bias")
    assert (found["verdict"], found["fit_intercept"]) == ("not separable", False)


def test_the_same_seed_prints_the_same(tmp_path: Path) -> None:
    file = written(tmp_path, XOR)
    assert certify(file, "--seed", "3").stdout == certify(file, "--seed", "3").stdout


def test_a_missing_header_is_noticed_on_stderr(tmp_path: Path) -> None:
    done = certify(written(tmp_path, "0,1,no\n1,0,no\n3,0,yes\n4,1,yes\n"), "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["rows"] == 4
    assert "data.csv: read with no header, so the columns are called 1, 2, …" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b,c\n1,1e200,x\n1,2,y\n", 'data.csv:2:3: column "b": "1e200" is beyond 1e+150'),
        ("a,b,c\n1,2,x\n1,y\n", "data.csv:3:4: 2 fields, expected 3"),
        ("a,b,c\n1,2,x\n1,2,3,y\n", "data.csv:3:7: 4 fields, expected 3"),
        ("a,b,c\n1,2,x\n1,2, \n", 'data.csv:3:6: column "c": the label is missing'),
        ("", "data.csv: 0 rows"),
        ("a,b,c\n", "data.csv: 0 rows"),
        ("c\nx\ny\n", "data.csv: the only column is the target"),
        ("a,b,c\n1,2,x\n3,4,x\n", "data.csv: only class 'x' seen, in all 2 rows"),
        ('a,b,c\n1,2,x\n1,"2,y\n', "data.csv:3:3: the quote opened here is never closed"),
    ],
)
def test_bad_tables_end_with_3_and_name_the_place(tmp_path: Path, text: str, said: str) -> None:
    done = certify(written(tmp_path, text))
    assert done.returncode == 3
    assert done.stdout == ""
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 1:2\n0 0:3\n", "data.svm:2:3: index 0, but indices begin at 1"),
        ("1 1:2\n0 x:3\n", 'data.svm:2:3: the index "x" is not a whole number'),
        ("1 1:2\n0 2:x\n", 'data.svm:2:5: "x" is not a number'),
        ("1 1:2\n0 2\n", 'data.svm:2:3: "2" is not index:value'),
        ("1 1:2\n0 2:1 2:1\n", "data.svm:2:7: index 2 stands twice"),
        ("1 1:2\n1:2\n", 'data.svm:2:1: the row begins with "1:2", not with a label'),
        ("# nothing\n", "data.svm: 0 rows"),
        ("1 1:2\n+1 1:3\n", "data.svm: only class '1' seen, in all 2 rows"),
    ],
)
def test_bad_svmlight_ends_with_3_and_names_the_place(tmp_path: Path, text: str, said: str) -> None:
    done = certify(written(tmp_path, text, "data.svm"))
    assert done.returncode == 3
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("data.csv", "a,b\n1,äöü\n2,".encode() + b"\xff\n", "the byte 0xff is not UTF-8 text"),
        (
            "data.csv.gz",
            gzip.compress(APART.encode())[:-6],
            "the gzip data are damaged or cut off",
        ),
    ],
    ids=["latin", "cut off"],
)
def test_damaged_files_end_with_3(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    done = certify(tmp_path / name)
    assert done.returncode == 3
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.csv"], "File 'missing.csv' does not exist."),
        (["."], "is a directory"),
        ([], "Missing argument 'FILE'"),
        (
            ["-", "--target", "z"],
            'there is no target column "z": give one of the columns "a", "b", "c"',
        ),
        (["-", "--target", "4"], "there is no target column"),
        (["-", "--no-header", "--target", "a"], 'give one of the columns "1", "2", "3"'),
        (["-", "--format", "xml"], "'xml' is not one of"),
        (["-", "--format", "svmlight", "--target", "1"], "--target has no meaning"),
        (["-", "--seed", "-1"], "'-1': give a whole number from 0 to"),
    ],
)
def test_wrong_usage_ends_with_2(arguments: list[str], said: str) -> None:
    done = certify(*arguments, text=XOR)
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_small_table_is_certified_without_scikit_learn_or_scipy(tmp_path: Path) -> None:
    code = (
        "import sys; from rosenblatt.cli.main import group;"
        "group.main(['certify', sys.argv[1], '--json'], standalone_mode=False);"
        "print(*[m for m in ('sklearn', 'scipy', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(written(tmp_path, XOR))],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[1:] == [""]


def test_classes_that_touch_are_told_from_classes_that_overlap(tmp_path: Path) -> None:
    touching = written(tmp_path, "x,c\n0,a\n1,a\n1,b\n2,b\n")
    assert certified(touching)["separation"] == "quasi-complete"
    assert "separation: quasi-complete: some boundary" in certify(touching).stdout
    assert certified("-", text=XOR)["separation"] == "none"
    assert certified("-", text=APART)["separation"] == "complete"


def test_numbers_that_were_clipped_when_they_were_packed_are_told(tmp_path: Path) -> None:
    """Of the data themselves numbers are taken as they are."""
    rows = [f"{1e6 if i == 3 else i % 7},{i % 5},{'uv'[i % 7 > 3]}" for i in range(40)]
    data, packed = tmp_path / "rows.csv", tmp_path / "rows.rows"
    data.write_text("\n".join(["a,b,y", *rows]))
    assert run("pack", data, "--target", "y", "--out", packed).code == 0
    plain = run("certify", data)
    assert "numbers clipped" not in plain.out + plain.err
    assert (
        "was packed with its numbers clipped; the verdict is about those"
        in run("certify", packed).err
    )
