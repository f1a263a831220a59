"""Answers for rows of files: by name, in blocks, and without learning."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pandas
import pytest

import rosenblatt
from cli.processes import on_terminal
from cli.shell import MAIL, PETS, run, trained, written
from rosenblatt.cli.data.prediction_output import bare_label
from rosenblatt.estimators.catalogue import CATALOGUE
from rosenblatt.features import Schema
from rosenblatt.io import read_table
from rosenblatt.tables.readers.lines import Lines

NEW = """note,colour,weight,name,extra
purrs,mauve,4,Zoe,1
barks,teal,40,Bo,2
barks,mauve,40,Bo,3
"""


def test_labels_come_one_a_line_and_the_rest_goes_to_stderr(tmp_path: Path) -> None:
    model = trained(tmp_path)
    before = model.read_bytes()
    done = run("predict", model, written(tmp_path, "new.csv", NEW))
    assert (done.code, done.out) == (0, "cat\ndog\ndog\n")
    assert done.err.splitlines() == [
        f'warning: {tmp_path / "new.csv"}: 1 column is not used: "extra"',
        "notice: name: 3 rows with levels never seen: Bo (2), Zoe (1)",
        "notice: colour: 3 rows with levels never seen: mauve (2), teal (1)",
    ]
    assert model.read_bytes() == before
    quiet = run("predict", model, tmp_path / "new.csv", "--quiet")
    assert (quiet.out, quiet.err) == (done.out, "")


def test_probabilities_are_those_of_the_loaded_learner(tmp_path: Path) -> None:
    model = trained(tmp_path, "--calibrate", "--learner", "perceptron")
    table = read_table(tmp_path / "pets.csv", target="kind")
    X = Schema.guess(table).encode(table).tocsr()
    expected = rosenblatt.load(model).predict_proba(X).tolist()
    [head, *rows] = csv.reader(
        io.StringIO(run("predict", model, tmp_path / "pets.csv", "--proba").out)
    )
    assert head == ["label", "cat", "dog"]
    assert [[float(share) for share in row[1:]] for row in rows] == expected
    lines = run("predict", model, tmp_path / "pets.csv", "--proba", "--json").out.splitlines()
    facts = [json.loads(line) for line in lines]
    assert [list(row["probabilities"].values()) for row in facts] == expected
    assert all(set(row["scores"]) == {"cat", "dog"} for row in facts)


def test_a_model_without_probabilities_says_how_to_train_one(tmp_path: Path) -> None:
    model = trained(tmp_path)
    done = run("predict", model, tmp_path / "pets.csv", "--proba")
    assert (done.code, done.out) == (2, "")
    assert f"{model} has scores and no probabilities; rosenblatt train --learner NAME" in done.err
    both = run("predict", model, tmp_path / "pets.csv", "--proba", "--scores")
    assert "--proba prints probabilities; leave --scores out." in both.err


@pytest.mark.parametrize("learner", [e.name for e in CATALOGUE if e.family == "linear"])
def test_answers_and_scores_are_those_of_the_loaded_estimator(tmp_path: Path, learner: str) -> None:
    three = PETS.replace("Mia,3.5", "Bo,0.2").replace("kitchen,cat", "kitchen,bird")
    model = trained(tmp_path, "--learner", learner, data=three)
    table = read_table(tmp_path / "pets.csv", target="kind")
    X = Schema.guess(table).encode(table).tocsr()
    loaded = rosenblatt.load(model)
    done = run("predict", model, tmp_path / "pets.csv", "--scores")
    rows = list(csv.reader(io.StringIO(done.out)))
    assert rows[0] == ["label", "bird", "cat", "dog"]
    assert [row[0] for row in rows[1:]] == loaded.predict(X).tolist()
    scores = np.array([[float(number) for number in row[1:]] for row in rows[1:]])
    assert (scores == loaded.decision_function(X)).all()


def test_two_classes_have_scores_of_opposite_sign(tmp_path: Path) -> None:
    model = trained(tmp_path)
    table = read_table(tmp_path / "pets.csv", target="kind")
    X = Schema.guess(table).encode(table).tocsr()
    lines = run("predict", model, tmp_path / "pets.csv", "--json").out.splitlines()
    found = [json.loads(line) for line in lines]
    expected = rosenblatt.load(model).decision_function(X).tolist()
    assert [answer["scores"]["dog"] for answer in found] == expected
    assert [answer["scores"]["cat"] for answer in found] == [-score for score in expected]
    assert [answer["line"] for answer in found] == [2, 3, 4, 5, 6, 7]
    assert {answer["schema"] for answer in found} == {2}


def test_the_order_of_columns_does_not_matter_and_a_target_is_passed_over(tmp_path: Path) -> None:
    model = trained(tmp_path)
    turned = [",".join(line.split(",")[::-1]) for line in PETS.splitlines()]
    done = run("predict", model, written(tmp_path, "turned.csv", turned))
    assert done.err == ""
    assert done.out == run("predict", model, tmp_path / "pets.csv").out


def test_missing_columns_are_listed(tmp_path: Path) -> None:
    model = trained(tmp_path)
    file = written(tmp_path, "few.csv", "note,color\nbarks,red\n")
    done = run("predict", model, file)
    assert (done.code, done.out) == (3, "")
    assert '3 columns are missing: "name", "weight", "colour"' in done.err


def test_files_are_read_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = trained(tmp_path)
    rows = PETS.splitlines()
    answers = run("predict", model, tmp_path / "pets.csv").out
    many = written(tmp_path, "many.csv", [rows[0], *rows[1:] * 20_000])
    pieces = 0
    plain = Lines.pieces

    def counted(self: Lines) -> object:
        nonlocal pieces
        for piece in plain(self):
            pieces += 1
            yield piece

    monkeypatch.setattr(Lines, "pieces", counted)
    done = run("predict", model, many)
    assert pieces > 3
    assert len(set(answers.split())) == 2
    assert done.out == answers * 20_000


def test_labels_before_texts_are_passed_over_with_a_notice(tmp_path: Path) -> None:
    model = trained(tmp_path, "--format", "text", data="\n".join(MAIL) + "\n", name="mail")
    bare = "\n".join(line.partition("\t")[2] for line in MAIL) + "\n"
    without = run("predict", model, "-", "--scores", text=bare)
    assert without.err == ""
    done = run("predict", model, tmp_path / "mail", "--scores")
    assert done.out == without.out
    assert done.err == "notice: labels before the tab are skipped\n"


def test_columns_beyond_those_of_training_have_no_weight(tmp_path: Path) -> None:
    model = trained(tmp_path, data="1 1:1\n2 2:1\n", name="a.svmlight")
    done = run("predict", model, "-", text="1 1:1 7:3\n2 2:1 9:1\n1 1:2 7:1\n")
    assert done.out == "1\n2\n1\n"
    assert done.err == "notice: 3 values of columns never seen: 7 (2), 9 (1)\n"


def test_rows_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    model = trained(tmp_path)
    file = written(tmp_path, "bad.csv", NEW.replace("teal,40", "teal,heavy"))
    done = run("predict", model, file)
    assert (done.code, done.out) == (3, "cat\n\ndog\n")
    assert '"heavy" is not a number' in done.err
    assert "on-bad" not in done.err
    done = run("predict", model, file, "--on-bad", "skip")
    assert (done.code, done.out) == (0, "cat\n\ndog\n")
    assert "warning: 1 bad row has an empty prediction" in done.err
    rejects = tmp_path / "rejects.jsonl"
    done = run("predict", model, file, "--on-bad", f"rejects={rejects}", "--quiet")
    assert (done.code, done.out, done.err) == (0, "cat\n\ndog\n", "")
    assert json.loads(rejects.read_text())["line"] == 3
    done = run("predict", model, file, "--on-bad", "fail")
    assert (done.code, done.out) == (3, "")


def test_there_is_a_line_for_every_row_wherever_the_bad_ones_stand(tmp_path: Path) -> None:
    model = trained(tmp_path)
    head, good, *_ = NEW.splitlines()
    bad, long = "barks,red,heavy,Bo,2", "purrs,red,4,Zoe,3,and one more"
    for rows in ([bad, good, long, bad, good, bad], [bad], [long, bad], [good, bad]):
        file = written(tmp_path, "mixed.csv", [head, *rows])
        done = run("predict", model, file, file)
        lines = ["" if row in (bad, long) else "cat" for row in rows]
        assert done.out.splitlines() == lines * 2
        assert done.code == 3
        assert done.err.count("error:") == min(6, 2 * lines.count(""))
    lines = run("predict", model, file, "--json").out.splitlines()
    [_, error] = map(json.loads, lines)
    assert error["label"] is None
    assert error["error"].endswith('"heavy" is not a number')


def test_other_commands_go_on_without_bad_rows_and_end_with_3(tmp_path: Path) -> None:
    model, out = trained(tmp_path), tmp_path / "again.rbt"
    file = written(tmp_path, "bad.csv", PETS + "Bo,1e200,red,sings,dog\n")
    for call in (["evaluate", model, file], ["train", file, "-o", out], ["check", file]):
        done = run(*call, "--on-bad", "blank")
        assert (done.code, done.err.count("error:")) == (3, 1), call
        assert f'error: {file}:8:4: column "weight": "1e200" is beyond 1e+150' in done.err
        assert done.out
    assert out.exists()


def test_predictions_stand_beside_the_rows_as_they_were(tmp_path: Path) -> None:
    model = trained(tmp_path)
    rows = 'name,weight,colour,note,id,label\nZoe, 4.0,"mauve","says ""hi"",\ntwice",007,x\n'
    file = written(tmp_path, "new.csv", rows + "Bo,heavy,red,barks,008,\n")
    out = tmp_path / "out.csv"
    done = run("predict", model, file, "--with-input", "-o", out, "--quiet")
    assert (done.code, done.out) == (3, "")
    [head, first, second] = csv.reader(io.StringIO(out.read_text()))
    assert head == ["name", "weight", "colour", "note", "id", "label", "predicted_label"]
    assert first == ["Zoe", " 4.0", "mauve", 'says "hi",\ntwice', "007", "x", "cat"]
    assert second == ["Bo", "heavy", "red", "barks", "008", "", ""]
    done = run("predict", model, file, "--id", "id", "--format-out", "tsv")
    assert done.out == "id\tlabel\n007\tcat\n008\t\n"
    done = run("predict", model, file, "--id", "id", "--scores")
    assert done.out.splitlines()[0] == "id,label,cat,dog"
    lines = run("predict", model, file, "--with-input", "--json").out.splitlines()
    assert json.loads(lines[0])["input"]["id"] == "007"


def test_rows_of_other_formats_are_kept_as_well(tmp_path: Path) -> None:
    model = trained(tmp_path)
    row = {"name": "Zoe", "weight": 4, "colour": "red", "note": "purrs", "id": 7}
    file = written(tmp_path, "new.jsonl", [json.dumps(row), '{"name": 3', json.dumps(row)])
    done = run("predict", model, file, "--with-input", "--format-out", "csv")
    assert done.out == "name,weight,colour,note,id,label\n" + (
        "Zoe,4,red,purrs,7,cat\n,,,,,\nZoe,4,red,purrs,7,cat\n"
    )
    texts = trained(tmp_path, "--format", "text", data="\n".join(MAIL), name="mail.txt")
    done = run("predict", texts, "-", "--with-input", text="win money, now\nsee you at noon\n")
    assert done.out == 'text,label\n"win money, now",spam\nsee you at noon,ham\n'
    pytest.importorskip("pyarrow")
    from pyarrow import Table, parquet

    table = Table.from_pylist([row | {"weight": 1e200}, row])
    parquet.write_table(table, tmp_path / "new.parquet")
    done = run("predict", model, tmp_path / "new.parquet", "--id", "id")
    assert (done.code, done.out) == (3, "id,label\n7,\n7,cat\n")


def test_a_file_of_predictions_is_whole_or_not_there(tmp_path: Path) -> None:
    model, out = trained(tmp_path), tmp_path / "out.txt"
    file = written(tmp_path, "bad.csv", NEW.replace("teal,40", "teal,heavy"))
    assert run("predict", model, file, "-o", out, "--on-bad", "fail").code == 3
    assert not out.exists()
    assert run("predict", model, file, "-o", out).code == 3
    assert out.read_text() == "cat\n\ndog\n"
    for place in (file, model):
        assert run("predict", model, file, "-o", place).code == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--id", "nmae"], 'no such column; did you mean "name"?'),
        (["--id", "zebra"], "no such column; they have note, colour, weight, name, extra."),
        (["--id", "name", "--with-input"], "give one of them"),
        (["--scores", "--format-out", "labels"], "take csv, tsv or jsonl"),
        (["--json", "--format-out", "csv"], "leave it or --format-out csv out"),
    ],
)
def test_columns_that_cannot_be_written_are_refused(
    options: list[str], said: str, tmp_path: Path
) -> None:
    done = run("predict", trained(tmp_path), written(tmp_path, "new.csv", NEW), *options)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_a_model_of_a_data_frame_answers_a_file_with_its_columns(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2.0, 5.0, 6.0], "b": [0.5, 1.0, -1.0, -2.0]})
    model = tmp_path / "m.rbt"
    rosenblatt.save(rosenblatt.Perceptron().fit(frame, ["no", "no", "yes", "yes"]), model)
    assert run("predict", model, "-", text="b,a\n-1,5\n1,2\n").out == "yes\nno\n"


def test_a_model_without_a_schema_is_a_bad_model_for_files(tmp_path: Path) -> None:
    model = tmp_path / "m.rbt"
    rosenblatt.save(rosenblatt.Perceptron().fit([[1.0], [-1.0]], ["no", "yes"]), model)
    done = run("predict", model, "-", text="a\n1\n")
    assert (done.code, done.out) == (4, "")
    assert "saved without a schema" in done.err


def test_data_for_a_model_and_other_formats_are_refused(tmp_path: Path) -> None:
    model = trained(tmp_path)
    done = run("predict", tmp_path / "pets.csv", tmp_path / "pets.csv")
    assert (done.code, done.out) == (4, "")
    assert "not a rosenblatt model" in done.err
    done = run("predict", model, tmp_path / "pets.csv", "--format", "svmlight")
    assert done.code == 2
    assert "the model was trained on a table" in done.err
    done = run("predict", model, tmp_path / "pets.csv", "--scores", "--json")
    assert done.code == 2


@pytest.mark.parametrize("verb", ["predict", "evaluate"])
def test_rejects_never_go_into_the_model_or_the_data(verb: str, tmp_path: Path) -> None:
    model, data = trained(tmp_path), written(tmp_path, "more.csv", PETS)
    before = model.read_bytes(), data.read_bytes()
    for path in (model, data):
        done = run(verb, model, data, "--on-bad", f"rejects={path}")
        assert done.code == 2
        assert "give another name" in " ".join(done.err.split())
    new = tmp_path / "new.rbt"
    assert run("train", data, "--out", new, "--on-bad", f"rejects={new}").code == 2
    assert (model.read_bytes(), data.read_bytes()) == before
    assert not new.exists()


# ---------------------------------------------------------------------- labels of odd characters

ODD = [
    "two\nlines",
    "re\rturn",
    "\x1b[31mred",
    '"quoted"',
    "a,b",
    "C1 \x9b2J",
    "turned \u202egnp",
    "v\x0bt",
    "s\u2028p",
]
STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202e]")


def odd_model(folder: Path) -> Path:
    """A model that predicts a label of its own for each row of rows.csv."""
    rows = pandas.DataFrame(np.eye(len(ODD)), columns=list("abcdefghi"))
    learner = rosenblatt.Perceptron(max_iter=200).fit(rows, ODD)
    assert learner.predict(rows).tolist() == ODD
    rosenblatt.save(learner, folder / "odd.rbt")
    rows.to_csv(folder / "rows.csv", index=False)
    return folder / "odd.rbt"


def test_a_bare_label_is_one_line_which_gives_the_label_again(tmp_path: Path) -> None:
    model = odd_model(tmp_path)
    done = run("predict", model, tmp_path / "rows.csv")
    lines = done.out.splitlines()
    assert len(lines) == len(ODD)
    assert [json.loads(line) if line.startswith('"') else line for line in lines] == ODD
    # What needs no quotes stands in a pipe as it is.
    assert [line for line in lines if not line.startswith('"')] == [ODD[2], *ODD[4:7]]


def test_a_stream_writes_its_predictions_as_predict_does(tmp_path: Path) -> None:
    assert [bare_label(label, on_terminal=False) for label in ODD] == run(
        "predict", odd_model(tmp_path), tmp_path / "rows.csv"
    ).out.splitlines()
    rows = "".join(f"{json.dumps({'x': 1, 'y': 'two lines'})}\n" for _ in range(3))
    written(tmp_path, "s.jsonl", rows.replace("two lines", "two\\nlines"))
    done = run("stream", tmp_path / "s.jsonl", "--target", "y", "--predictions", "-", "--quiet")
    assert done.out.splitlines() == ["", '"two\\nlines"', '"two\\nlines"']


@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_labels_in_columns_read_back_as_they_were(tmp_path: Path, kind: str) -> None:
    model = odd_model(tmp_path)
    out = tmp_path / f"out.{kind}"
    assert run("predict", model, tmp_path / "rows.csv", "--with-input", "-o", out).code == 0
    table = read_table(out, target="label")
    assert table.labels.tolist() == ODD
    with open(out, newline="", encoding="utf-8") as file:
        records = list(csv.reader(file, delimiter="," if kind == "csv" else "\t"))
    assert [record[-1] for record in records[1:]] == ODD


def test_json_lines_are_one_line_each_and_safe_for_a_terminal(tmp_path: Path) -> None:
    done = run("predict", odd_model(tmp_path), tmp_path / "rows.csv", "--json")
    assert not STEERING.search(done.out)
    assert [json.loads(line)["label"] for line in done.out.splitlines()] == ODD


@pytest.mark.parametrize(
    "options", [[], ["--with-input"], ["--json"], ["--format-out", "tsv"], ["--scores"]]
)
def test_predictions_cannot_steer_a_terminal_and_have_a_line_each(
    tmp_path: Path, options: list[str]
) -> None:
    odd_model(tmp_path)
    shown = on_terminal("predict", "odd.rbt", "rows.csv", *options, folder=tmp_path).terminal
    assert not STEERING.search(shown.replace("\t", ""))
    has_head = bool(options) and options != ["--json"]
    assert len(shown.splitlines()) == len(ODD) + has_head
    assert "two\\nlines" in shown


@pytest.mark.parametrize(
    ("top", "end"),
    [("# exported\ncolour,size,y\n", ""), ("colour|size|y\n", "(90 rows)\n")],
)
def test_there_is_a_line_for_every_row_whatever_it_begins_with(
    tmp_path: Path, top: str, end: str
) -> None:
    """A comment or a count of rows in the training file takes no row from another."""
    mark = "|" if "|" in top else ","
    rows = "".join(
        mark.join([["red", "#ff00", "(none)"][i % 3], str(i % 7), "uv"[i % 2]]) + "\n"
        for i in range(90)
    )
    train = written(tmp_path, "train.csv", top + rows + end)
    out = run("train", train, "--out", tmp_path / "m.rbt", "--learner", "perceptron").out
    assert "90 rows" in out
    for text in (top + rows + end, top.split("\n", top.startswith("#"))[-1] + rows):
        done = run("predict", tmp_path / "m.rbt", written(tmp_path, "new.csv", text))
        assert (done.code, done.out.count("\n")) == (0, 90)
        done = run("predict", tmp_path / "m.rbt", tmp_path / "new.csv", "--with-input")
        inputs = [line.rsplit(",", 1)[0] for line in done.out.splitlines()[1:]]
        assert inputs == rows.replace("|", ",").splitlines()


def test_the_input_of_a_file_with_apostrophes_as_quotes_is_kept_field_by_field(
    tmp_path: Path,
) -> None:
    rows = "".join(f"'a, ''{i % 3}''','{i}','{'uv'[i % 2]}'\n" for i in range(30))
    train = written(tmp_path, "train.csv", "note,size,y\n" + rows)
    run("train", train, "--out", tmp_path / "m.rbt", "--learner", "perceptron")
    done = run("predict", tmp_path / "m.rbt", train, "--with-input")
    found = [row[:3] for row in csv.reader(io.StringIO(done.out))][1:]
    assert found == [[f"a, '{i % 3}'", str(i), "uv"[i % 2]] for i in range(30)]
