"""Data as svmlight text: the same numbers, to the last bit."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli.shell import PROGRAM
from rosenblatt import AveragedPerceptron
from rosenblatt.features import Schema
from rosenblatt.io import read_svmlight, read_table
from rosenblatt.model import write


def convert(*arguments: str | Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, "convert", *map(str, arguments), "--to", "svmlight"],
        capture_output=True,
        encoding="utf-8",
        input=text,
        check=False,
    )


def converted(text: str, *arguments: str | Path) -> str:
    done = convert("-", *arguments, text=text)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def model_of(folder: Path, text: str, **fit: Any) -> Path:
    table = read_table(io.BytesIO(text.encode()), "y")
    schema = Schema.guess(table)
    X: Any = schema.encode(table)
    learner = AveragedPerceptron(max_iter=5, tol=None, **fit)
    learner.fit(X.tocsr() if hasattr(X, "tocsr") else X, table.y)
    state = learner.to_state()
    state.card.schema = schema.to_json(state.arrays["coef"])
    write(state, str(folder / "model.rbt"))
    return folder / "model.rbt"


def test_a_table_becomes_numbers_as_they_are_and_levels_of_one() -> None:
    text = "size,colour,y\n1.5,red,a\n0,blue,b\n-2,red,a\n"
    assert converted(text) == "a 1:1.5 2:1.0\nb 3:1.0\na 1:-2.0 2:1.0\n"
    scaled = converted("size,z,y\n1,0,a\n3,0,b\n", "--scale")
    assert scaled == "a 1:-1.349\nb 1:1.349\n"


def test_numbers_come_back_with_the_same_bits() -> None:
    random = np.random.default_rng(5)
    bits = random.integers(0, 2**64, 4000, dtype=np.uint64)
    values = [v for v in struct.unpack("<4000d", bits.tobytes()) if v == v and abs(v) < 1e150]
    values = [*values[:1001], 5e-324, 0.1, 1 / 3, 1e149, 2.0**-1074]
    text = "a,b,y\n" + "".join(f"{v!r},1,k{i % 2}\n" for i, v in enumerate(values))
    X, y = read_svmlight(io.BytesIO(converted(text).encode()))
    assert X.toarray()[:, 0].tobytes() == np.array(values).tobytes()
    assert y.tolist() == [f"k{i % 2}" for i in range(len(values))]


def test_svmlight_passes_through_unchanged_and_packed_vowpal_text_is_numbered() -> None:
    text = "+1 2:0.25 7:1e-300\n-1\n+1 1:3.0\n"
    assert converted(text, "--format", "svmlight") == text
    found = converted("1 |f a:2 b\n-1 |f c b:0.5\n", "--format", "vw")
    assert found == "1 1:2.0 2:1.0\n-1 2:0.5 3:1.0\n"


def test_texts_become_the_columns_of_training(tmp_path: Path) -> None:
    from rosenblatt.features import TextFeatures

    names = tmp_path / "names.tsv"
    found = converted("ham\tsee you\nspam\twin\n", "--format", "text", "--names", names)
    rows = TextFeatures().fit_transform(["see you", "win"])
    X, _ = read_svmlight(io.BytesIO(found.encode()), n_features=2**18)
    assert (rows.tocsr() != X).nnz == 0
    told = [line.split("\t") for line in names.read_text().splitlines()]
    assert told[0] == ["index", "name"]
    assert {name for _, name in told[1:]} == {"see", "you", "see you", "win"}
    assert [int(i) - 1 for i, _ in told[1:]] == sorted(rows.indices.tolist())


def test_names_with_tabs_stay_one_a_line(tmp_path: Path) -> None:
    names = tmp_path / "names.tsv"
    converted('c,y\n"a\tb",u\n"c\nd",v\n', "--names", names)
    assert names.read_text().splitlines()[1:] == ["1\tc=a\\tb", "2\tc=c\\nd"]


def test_a_model_decides_on_the_features_and_strangers_are_told(tmp_path: Path) -> None:
    text = "size,colour,y\n1,red,a\n3,blue,b\n"
    model = model_of(tmp_path, text)
    done = convert("-", "--model", model, text="colour,size,y\nblue,5,b\ngreen,1,a\n")
    assert done.stdout == "b 1:3.0 3:1.0\na 1:-1.349\n"
    assert done.stderr == "notice: colour: 1 row with levels never seen: green (1)\n"
    quiet = convert("-", "--model", model, "--quiet", text="colour,size,y\ngreen,1,a\n")
    assert quiet.stderr == ""


def test_labels_that_would_break_a_line_are_refused_or_numbered() -> None:
    text = "a,y\n1,not spam\n2,spam\n3,not spam\n"
    done = convert("-", text=text)
    assert done.returncode == 3
    assert "the label 'not spam' cannot stand in svmlight text" in done.stderr
    done = convert("-", "--number-labels", text=text)
    assert done.stdout == "0 1:1.0\n1 1:2.0\n0 1:3.0\n"
    assert done.stderr == "notice: labels: 0 is not spam, 1 is spam\n"


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    out = tmp_path / "out.svm"
    assert convert("-", "--out", out, text="a,y\n1,u\n2,v\n").returncode == 0
    assert out.read_text() == "u 1:1.0\nv 1:2.0\n"
    bad = convert("-", "--out", out, "--format", "svmlight", text="u 1:1\nv 1:oops\n")
    assert bad.returncode == 3
    assert out.read_text() == "u 1:1.0\nv 1:2.0\n"
    assert [file.name for file in tmp_path.iterdir()] == ["out.svm"]


def test_data_are_never_written_over(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text("a,y\n1,u\n2,v\n")
    for option in ("--out", "--names"):
        done = convert(data, option, data)
        assert done.returncode == 2
        assert "holds the data" in done.stderr
    assert data.read_text() == "a,y\n1,u\n2,v\n"
    assert convert(data, "--out", tmp_path).returncode == 2
    assert convert(data, "--out", tmp_path / "no" / "x.svm").returncode == 2
    assert convert(data, "--scale", "--model", data).returncode == 2


def test_a_closed_pipe_is_no_error_of_ours() -> None:
    text = "a,y\n" + "".join(f"{i},u{i % 2}\n" for i in range(1, 200_000))
    command = f'{sys.executable} -c "{PROGRAM}" convert - --to svmlight'
    with subprocess.Popen(
        ["bash", "-o", "pipefail", "-c", f"{command} | head -1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        out, err = process.communicate(text)
    assert (out, err, process.returncode) == ("u1 1:1.0\n", "", 141)


def test_importance_has_no_place_and_that_is_said() -> None:
    done = convert("-", "--format", "vw", text="1 2.0 |f a\n-1 |f b\n")
    assert done.stdout == "1 1:1.0\n-1 2:1.0\n"
    assert "1 row has an importance" in done.stderr


@pytest.mark.parametrize("arguments", [["-"], ["--help"]])
def test_help_and_nothing_to_read(arguments: list[str]) -> None:
    done = convert(*arguments, text="")
    if arguments == ["--help"]:
        assert "Examples:" in done.stdout
    else:
        assert done.returncode == 3


def test_indices_from_0_become_indices_from_1(tmp_path: Path) -> None:
    (tmp_path / "zero.svm").write_text("1 0:1 2:2\n0 1:1\n")
    done = convert(tmp_path / "zero.svm", "--to", "svmlight", "--zero-based")
    assert done.stdout == "1 1:1.0 3:2.0\n0 2:1.0\n"
