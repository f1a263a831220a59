"""rosenblatt pack, and what all other commands make of the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from cli.shell import MAIL, PETS, run, written
from rosenblatt import io, model

RNG = np.random.default_rng(11)
PAIRS = [f"{i % 7 + RNG.normal():.3f},{i % 5},{'uvw'[i % 3]}" for i in range(90)]
INDICES = [f"{1 - 2 * (i % 2)} {1 + i % 4}:1.5 {6 + i % 3}:{i}" for i in range(90)]
NAMES = [f"{1 + i % 3} {1 + i % 2} |f a{i % 9} b:{i}" for i in range(90)]
LINES = {
    "pairs.csv": ["a,b,y", *PAIRS],
    "pairs.tsv": ["a\tb\ty", *(line.replace(",", "\t") for line in PAIRS)],
    "pets.csv": PETS.splitlines(),
    "rows.jsonl": [f'{{"a": {i % 7}, "c": "{"xyz"[i % 3]}", "y": {i % 2}}}' for i in range(90)],
    "rows.svm": INDICES,
    "rows.vw": NAMES,
    "mail.txt": MAIL * 5,
}
TRAIN = ("--learner", "averaged", "--epochs", "4", "--quiet")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def packed(here: Path, name: str, *options: str) -> str:
    written(here, name, LINES[name])
    out = f"{name.split('.')[0]}.rows"
    done = run("pack", name, "--out", out, *options)
    assert done.code == 0, done.err
    return out


def learned(path: str) -> tuple[Any, dict[str, bytes]]:
    """All that a model file holds but the digest of the file it was trained on."""
    state = model.read(path)
    state.card.record.data = None
    card = msgspec.structs.replace(state.card, sha256="")
    return card.to_json(), {name: values.tobytes() for name, values in state.arrays.items()}


@pytest.mark.parametrize("learner", ["averaged", "pa", "voted"])
@pytest.mark.parametrize("name", LINES)
def test_training_on_the_packed_file_gives_the_same_model(
    here: Path, name: str, learner: str
) -> None:
    rows = packed(here, name)
    if learner == "voted" and name == "rows.vw":
        pytest.skip("a vote takes no weights of rows")
    for source, out in ((name, "one.rbt"), (rows, "two.rbt")):
        done = run("train", source, "--learner", learner, *TRAIN, "--out", out)
        assert done.code == 0, done.err
    assert learned("one.rbt") == learned("two.rbt")


@pytest.mark.parametrize("name", LINES)
def test_commands_say_of_the_packed_file_what_they_say_of_the_data(here: Path, name: str) -> None:
    rows = packed(here, name)
    run("train", name, *TRAIN, "--out", "m.rbt")
    for verb in (("evaluate", "m.rbt"), ("predict", "m.rbt"), ("predict", "m.rbt", "--scores")):
        one, two = run(*verb, name), run(*verb, rows)
        assert two.code == 0, two.err
        assert one.out == two.out
    assert run("train", name, "--dev", rows, *TRAIN, "--out", "n.rbt").code == 0
    assert run("train", rows, "--dev", name, *TRAIN, "--out", "n.rbt").code == 0
    explained = run("explain", "m.rbt", rows, "--row", "2")
    assert explained.code == 0, explained.err


@pytest.mark.parametrize("name", ["rows.svm", "mail.txt"])
def test_a_stream_of_the_packed_file_learns_the_same(here: Path, name: str) -> None:
    of_streams = [] if name == "rows.svm" else ["--no-idf", "--no-unit"]
    rows = packed(here, name, *of_streams)
    for source, out in ((name, "one.rbt"), (rows, "two.rbt")):
        assert run("stream", source, "--out", out, "--quiet").code == 0
    assert learned("one.rbt") == learned("two.rbt")
    assert run("stream", rows, "--resume", "two.rbt", "--quiet").code == 0
    assert run("train", rows, "--resume", "two.rbt", "--quiet").code == 0


def test_check_and_certify_look_at_packed_features(here: Path) -> None:
    for name in ("pairs.csv", "rows.svm"):
        rows = packed(here, name)
        found = json.loads(run("check", rows, "--json").out)
        assert found["rows"] == 90
        assert found["format"] == "packed rows"
    assert "verdict:" in run("certify", packed(here, "pairs.csv")).out
    one, two = (json.loads(run("check", f, "--json").out) for f in ("rows.svm", "rows.rows"))
    different = {name for name in one if one[name] != two[name]}
    assert different == {"files", "format"}


def test_the_summary_is_what_is_in_the_file(here: Path) -> None:
    written(here, "pairs.csv", LINES["pairs.csv"])
    done = run("pack", "pairs.csv")
    assert done.out.splitlines() == [
        "pairs.csv: 90 rows, 2 features, 180 values",
        "3 classes: u (30), v (30), w (30)",
        f"wrote pairs.rows ({(here / 'pairs.rows').stat().st_size:,} bytes)",
    ]
    facts = json.loads(run("pack", "pairs.csv", "--json", "-o", "other.rows").out)
    assert facts["classes"] == {"u": 30, "v": 30, "w": 30}
    assert (facts["rows"], facts["features"], facts["values"]) == (90, 2, 180)
    assert run("pack", "pairs.csv", "--quiet").out == ""


@pytest.mark.parametrize("name", ["pairs.csv", "rows.svm"])
def test_rows_from_standard_input_are_packed_as_those_of_a_file(here: Path, name: str) -> None:
    rows = packed(here, name)
    kind = "svmlight" if name.endswith("svm") else "csv"
    done = run("pack", "-", "--format", kind, "--out", "pipe.rows", text="\n".join(LINES[name]))
    assert done.code == 0, done.err
    one, two = io.read_packed(rows), io.read_packed("pipe.rows")
    assert one.y.tolist() == two.y.tolist()
    assert one.schema.to_json() == two.schema.to_json()
    assert one.n_values == two.n_values


def test_data_of_other_columns_than_the_model_has_are_refused(here: Path) -> None:
    rows = packed(here, "pairs.csv")
    written(here, "other.csv", ["a,b,y", *(f"{i},{i * i},{'uv'[i % 2]}" for i in range(20))])
    run("train", rows, *TRAIN, "--out", "m.rbt")
    run("pack", "other.csv", "--out", "other.rows")
    done = run("evaluate", "m.rbt", "other.rows")
    assert done.code == 3
    assert (
        "other.rows: these rows were packed with other columns or texts than the model" in done.err
    )
    run("pack", "other.csv", "--schema-from", "m.rbt", "--out", "same.rows")
    assert run("evaluate", "m.rbt", "same.rows").out == run("evaluate", "m.rbt", "other.csv").out


def test_what_a_model_has_no_feature_for_is_said(here: Path) -> None:
    packed(here, "pets.csv")
    run("train", "pets.rows", *TRAIN, "--out", "m.rbt")
    written(here, "more.csv", [PETS.splitlines()[0], "Ede,3,green,sings all day,cat"])
    done = run("pack", "more.csv", "--schema-from", "m.rbt")
    assert "colour: 1 row with levels never seen: green (1)" in done.err


def test_labels_that_the_model_does_not_know_are_refused(here: Path) -> None:
    rows = packed(here, "rows.svm")
    written(here, "more.svm", ["3 1:1", "1 2:1"])
    run("train", rows, *TRAIN, "--out", "m.rbt")
    run("pack", "more.svm")
    done = run("evaluate", "m.rbt", "more.rows")
    assert done.code == 3
    assert "more.rows: the label 3 is not one of the known classes" in done.err
    assert run("predict", "m.rbt", "more.rows").code == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("train pairs.rows --target y", "--target has no meaning for packed rows"),
        ("train pairs.rows --no-scale", "--no-scale has no meaning for a schema that is there"),
        ("train pairs.rows pairs.csv", "packed rows are read one file at a time"),
        ("studio pairs.rows --out x.html", "pairs.rows holds a model or packed rows: give"),
        ("pack pairs.rows -o x.rows", "pairs.rows is packed already"),
        ("pack pairs.csv -o pairs.csv", "--out pairs.csv holds the data"),
        ("pack pairs.csv -o none/x.rows", "there is no folder none"),
        ("pack pairs.csv --bits 4 --exact", "give one of them"),
    ],
)
def test_what_has_no_meaning_is_refused(here: Path, line: str, said: str) -> None:
    packed(here, "pairs.csv")
    done = run(*line.split())
    assert done.code == 2
    assert said in done.err


def test_models_and_packed_rows_in_each_others_place_are_named(here: Path) -> None:
    rows = packed(here, "pairs.csv")
    run("train", rows, *TRAIN, "--out", "m.rbt")
    assert "m.rbt: this is a model, not data" in run("evaluate", "m.rbt", "m.rbt").err
    assert "pairs.rows: packed rows, not a model" in run("show", rows).err
    (here / "text.rows").write_text("a,b\n1,2\n")
    assert "text.rows: this is not a file of packed rows" in run("train", "text.rows").err


def test_a_damaged_file_is_an_error_of_the_data(here: Path) -> None:
    rows = here / packed(here, "pairs.csv")
    data = bytearray(rows.read_bytes())
    data[5000] ^= 4
    rows.write_bytes(data)
    done = run("train", "pairs.rows")
    assert done.code == 3
    assert "block 1 of X is damaged" in done.err
    assert "help: pack the data again" in done.err


def test_a_packed_file_is_known_by_what_is_in_it(here: Path) -> None:
    (here / packed(here, "pairs.csv")).rename(here / "data")
    assert run("train", "data", *TRAIN, "--out", "m.rbt").code == 0


def test_one_class_can_be_packed_but_not_learned(here: Path) -> None:
    written(here, "one.svm", ["1 1:1", "1 2:1"])
    assert run("pack", "one.svm").code == 0
    done = run("train", "one.rows")
    assert done.code == 3
    assert "only class 1 seen, in all 2 rows" in done.err


def test_bad_rows_are_put_aside(here: Path) -> None:
    written(here, "rows.svm", [*INDICES, "1 x"])
    done = run("pack", "rows.svm", "--on-bad", "rejects=bad.jsonl")
    assert done.code == 0
    assert len((here / "bad.jsonl").read_text().splitlines()) == 1
    assert len(io.read_packed("rows.rows")) == 90
