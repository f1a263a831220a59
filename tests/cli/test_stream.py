"""What stream prints, counts and writes, from files, pipes and models to go on with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from waiting import PATIENCE, ending

import rosenblatt
from cli.shell import PROGRAM, run
from rosenblatt.estimators.catalogue import entries
from rosenblatt.evaluate import progressive

DATA = Path(os.environ.get("ROSENBLATT_DATA", Path(__file__).parents[3] / "shared" / "data"))
MAIL = "ham\tsee you at noon\nspam\twin money now\nham\tlunch at noon\nspam\twin a prize now\n" * 4
# Those that keep the rows of their mistakes are refused.
STREAMING = [entry for entry in entries("linear") if not entry.load().keeps_rows]


def stream(
    *arguments: str | Path, text: str | None = None, code: str = PROGRAM
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, "stream", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        input=text,
        check=False,
    )


def streamed(*arguments: str | Path, text: str | None = None) -> dict[str, Any]:
    done = stream(*arguments, "--json", text=text)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["schema"] == 2
    return found


def written(folder: Path, text: str, name: str) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def table(n: int = 3000, seed: int = 0) -> list[str]:
    """A header, then rows of two numbers and a colour whose levels come one after the other."""
    rng = np.random.default_rng(seed)
    lines = ["size,colour,weight,kind"]
    for i in range(n):
        size, weight = rng.normal(5, 2), rng.normal(100, 30)
        colour = int(rng.integers(0, 2 + i // 300))
        score = (size - 5) / 2 + (weight - 100) / 30 + (1 if colour % 2 else -1)
        kind = "big" if score + rng.normal(0, 0.5) > 0 else "small"
        lines.append(f"{size:.4f},c{colour},{weight:.3f},{kind}")
    return lines


def svmlight(n: int = 600, seed: int = 0) -> list[str]:
    """Rows that reach further columns as they come."""
    rng = np.random.default_rng(seed)
    lines = []
    for i in range(n):
        columns = np.unique(rng.integers(1, 5 + i // 20, 6))
        values = rng.normal(size=len(columns))
        label = "+1" if values.sum() + rng.normal(0, 0.3) > 0 else "-1"
        pairs = zip(columns, values, strict=True)
        lines.append(f"{label} " + " ".join(f"{j}:{v:.5f}" for j, v in pairs))
    return lines


def test_the_table_has_a_line_at_1_2_4_8_and_the_last_row() -> None:
    done = stream("--format", "text", text=MAIL)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["examples", "mistakes", "rate", "recent"]
    assert [line.split()[0] for line in lines[1:6]] == ["1", "2", "4", "8", "16"]
    assert lines[6].startswith("averaged perceptron: ")
    assert "mistakes in 16 examples" in lines[6]
    assert "same label as before: 100.00 %, majority so far: " in lines[6]
    assert "hashed columns" in done.stderr


def test_every_says_where_else_the_lines_are_and_quiet_leaves_the_last() -> None:
    done = stream("--format", "text", "--every", "5", text=MAIL)
    assert [line.split()[0] for line in done.stdout.splitlines()[1:5]] == ["5", "10", "15", "16"]
    quiet = stream("--format", "text", "--quiet", text=MAIL)
    assert quiet.stdout.count("\n") == 1
    assert quiet.stderr == ""


def test_mistakes_equal_those_of_the_estimator_one_by_one(tmp_path: Path) -> None:
    file = written(tmp_path, "\n".join(svmlight()), "rows.svm")
    X, y = rosenblatt.io.read_svmlight(file)
    for name, learner in (
        ("averaged", rosenblatt.AveragedPerceptron()),
        ("perceptron", rosenblatt.Perceptron()),
        ("mira", rosenblatt.MIRA()),
        ("pa", rosenblatt.PassiveAggressive()),
        ("soft", rosenblatt.SoftPerceptron()),
    ):
        expected = progressive(learner, [(X, y)])
        found = streamed(file, "--format", "svmlight", "--learner", name)
        assert found["mistakes"] == expected.mistakes
        assert found["online_mistakes"] == learner.n_mistakes_
        assert found["curve"] == [point._asdict() for point in expected.curve]
        assert found["features"] == X.shape[1]


def test_the_model_that_is_written_is_that_of_partial_fit(tmp_path: Path) -> None:
    file = written(tmp_path, "\n".join(svmlight()), "rows.svm")
    streamed(file, "--format", "svmlight", "--out", tmp_path / "m.rbt")
    X, y = rosenblatt.io.read_svmlight(file)
    expected = rosenblatt.AveragedPerceptron().partial_fit(X, y)
    found = rosenblatt.load(tmp_path / "m.rbt")
    assert np.array_equal(found.coef_, expected.coef_)
    assert found.get_params() == expected.get_params()
    assert (found.t_, found.n_mistakes_) == (expected.t_, expected.n_mistakes_)


@pytest.mark.parametrize("entry", STREAMING, ids=attrgetter("name"))
def test_a_recorded_model_goes_on_in_a_stream_and_its_ledger_with_it(
    tmp_path: Path, entry: Any
) -> None:
    data, model = written(tmp_path, "\n".join(table(600)) + "\n", "rows.csv"), tmp_path / "m.rbt"
    has_steps = "steps" in entry.load().options()
    for steps in ([], ["--steps", "adagrad"]) if has_steps else ([],):
        options = ["--learner", entry.name, "--record", "--epochs", "2", *steps]
        trained = run("train", data, "--target", "kind", *options, "--out", model)
        assert trained.code == 0, trained.err
        done = run("stream", data, "--resume", model)
        assert done.code == 0, done.err
        found = rosenblatt.load(model)
        assert found.t_ == found.ledger_.n_examples == 3 * 600
        assert found.ledger_.survival.sum() == 3 * 600


@pytest.mark.parametrize("kind", ["svmlight", "csv", "text", "vw"])
def test_a_part_and_resume_with_the_rest_equal_one_stream(tmp_path: Path, kind: str) -> None:
    head: list[str] = []
    if kind == "csv":
        head, *lines = table()
        head = [head]
    elif kind == "text":
        lines = MAIL.splitlines()
    else:
        lines = svmlight()
        if kind == "vw":
            lines = [line.replace(" ", " |f ", 1) for line in lines]
    half = 2 * len(lines) // 3
    whole, first, rest = (
        written(tmp_path, "\n".join([*head, *part]) + "\n", name)
        for part, name in ((lines, "whole"), (lines[:half], "first"), (lines[half:], "rest"))
    )
    options = ("--format", kind)
    one, two = tmp_path / "one.rbt", tmp_path / "two.rbt"
    at_once = streamed(whole, *options, "--out", one)
    parts = streamed(first, *options, "--out", two), streamed(rest, *options, "--resume", two)
    assert sum(part["mistakes"] for part in parts) == at_once["mistakes"]
    assert two.read_bytes() == one.read_bytes()


def test_a_pipe_gives_the_model_of_the_file(tmp_path: Path) -> None:
    lines = "\n".join(table()) + "\n"
    file = written(tmp_path, lines, "table.csv")
    streamed(file, "--out", tmp_path / "file.rbt")
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "stream", "-", "--out", tmp_path / "pipe.rbt", "--quiet"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    for start in range(0, len(lines), 9_000):
        process.stdin.write(lines[start : start + 9_000].encode())
        process.stdin.flush()
    process.communicate()
    assert process.returncode == 0
    assert (tmp_path / "pipe.rbt").read_bytes() == (tmp_path / "file.rbt").read_bytes()


def test_levels_that_come_later_have_weights_of_their_own(tmp_path: Path) -> None:
    file = written(tmp_path, "\n".join(table()), "table.csv")
    found = streamed(file, "--out", tmp_path / "m.rbt")
    kept = rosenblatt.model.read(tmp_path / "m.rbt")
    (colour,) = [c for c in kept.card.schema["columns"] if c["name"] == "colour"]
    assert len(colour["levels"]) == 11
    assert found["features"] == kept.n_features == 13
    late = 1 + colour["levels"].index("c10")
    assert kept.arrays["coef"][0, late] != 0


def test_answers_are_those_given_before_the_row_was_learned(tmp_path: Path) -> None:
    file = written(tmp_path, "\n".join(svmlight()), "rows.svm")
    X, y = rosenblatt.io.read_svmlight(file)
    X = X.toarray()
    learner, expected = rosenblatt.AveragedPerceptron(), []
    for x, label in zip(X, y.tolist(), strict=True):
        answer = learner.predict_one(x)
        expected.append("" if answer is None else str(answer))
        learner.learn_one(x, label)
    target = tmp_path / "answers.txt"
    streamed(file, "--format", "svmlight", "--predictions", target)
    assert target.read_text().split("\n") == [*expected, ""]
    assert [path.name for path in tmp_path.iterdir() if ".tmp" in path.name] == []
    piped = stream(file, "--format", "svmlight", "--predictions", "-")
    assert piped.stdout.split("\n") == [*expected, ""]
    assert "examples" in piped.stderr


def test_what_predict_says_is_what_the_stream_learned(tmp_path: Path) -> None:
    mail = written(tmp_path, MAIL, "mail.txt")
    model = tmp_path / "mail.rbt"
    streamed(mail, "--format", "text", "--out", model)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "predict", model, "-", "--format", "text"],
        input="win the money\nlunch?\n",
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stdout.split() == ["spam", "ham"], done.stderr


def test_a_new_class_is_allowed_at_first_and_refused_by_a_model_that_is_resumed(
    tmp_path: Path,
) -> None:
    model = tmp_path / "mail.rbt"
    first = streamed("--format", "text", "--out", model, text=MAIL)
    assert dict(first["labels"]) == {"ham": 8, "spam": 8}
    before = model.read_bytes()
    more = "ham\tat noon\nmaybe\tcall me\n"
    refused = stream("-", "--resume", model, "--format", "text", text=more)
    assert refused.returncode == 3
    assert 'the label "maybe" is not one of the known classes ham, spam' in refused.stderr
    assert model.read_bytes() == before
    allow = ("--new-classes", "allow")
    allowed = streamed("-", "--resume", model, "--format", "text", *allow, text=more)
    assert allowed["mistakes"] == 1
    assert sorted(rosenblatt.model.read(model).card.classes) == ["ham", "maybe", "spam"]


def test_importance_of_vowpal_wabbit_rows_is_heeded(tmp_path: Path) -> None:
    lines = [line.replace(" ", f" {1 + i % 3} |f ", 1) for i, line in enumerate(svmlight(200))]
    file = written(tmp_path, "\n".join(lines), "rows.vw")
    streamed(file, "--bits", "10", "--out", tmp_path / "m.rbt")
    block = rosenblatt.io.read_vw(file, bits=10)
    expected = rosenblatt.AveragedPerceptron().partial_fit(
        block.X, block.y, sample_weight=block.weights
    )
    assert np.array_equal(rosenblatt.load(tmp_path / "m.rbt").coef_, expected.coef_)


def test_ctrl_c_writes_the_model_so_far_and_ends_with_130(tmp_path: Path) -> None:
    model = tmp_path / "m.rbt"
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "stream", "--format", "text", "--out", model],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with ending(process):
        process.stdin.write(MAIL)
        process.stdin.flush()
        shown = [process.stdout.readline() for _ in range(6)]
        assert shown[5].split()[0] == "16"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    kept = f"What was learned is kept in {model}; continue with --resume {model}"
    assert err.endswith(f"\ninterrupted after 16 rows. {kept}\n")
    assert f"wrote {model}" in out
    assert rosenblatt.model.read(model).card.record.t == 16


def test_bad_rows_end_the_stream_with_3_unless_they_are_to_be_skipped(tmp_path: Path) -> None:
    model = tmp_path / "m.rbt"
    text = MAIL + "no tab here\n"
    done = stream("--format", "text", "--out", model, text=text)
    assert done.returncode == 3
    assert "<stdin>:17:1: no tab between label and text" in done.stderr
    assert not model.exists()
    skipping = stream("--format", "text", "--on-bad", "skip", text=text)
    assert skipping.returncode == 0
    assert "1 bad row was skipped" in skipping.stderr


def test_a_wild_index_cannot_fill_the_memory() -> None:
    done = stream("-", "--format", "svmlight", text="1 1:1\n-1 2000000000:1\n")
    assert done.returncode == 3
    assert "2,000,000,000 columns" in done.stderr


def test_so_many_classes_that_memory_would_end_are_refused(tmp_path: Path) -> None:
    text = "".join(f"label{i}\ta word\n" for i in range(600))
    done = stream(written(tmp_path, text, "mail.txt"), "--format", "text")
    assert done.returncode == 3
    assert "600 classes for 262,144 columns" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--learner", "voted"], "would fill the memory"),
        (["--learner", "averagd"], "Did you mean 'averaged'?"),
        (["--every", "0"], "'doubling' or a number"),
        (["--new-classes", "refuse"], "needs --resume"),
        (["--out", "/nowhere/at/all.rbt"], "there is no folder"),
        (["--out", "-"], "give the name of a file"),
        (["--format", "svmlight", "--words", "1-2"], "--words has no meaning for svmlight"),
        (["--format", "text", "--target", "2"], "--target has no meaning for text"),
    ],
)
def test_what_cannot_be_done_is_a_usage_error(arguments: list[str], says: str) -> None:
    done = stream(*arguments, text="1 1:1\n")
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_options_of_a_new_model_mean_nothing_for_one_that_is_resumed(tmp_path: Path) -> None:
    model = tmp_path / "mail.rbt"
    streamed("--format", "text", "--out", model, text=MAIL)
    for option, value in (("--learner", "pa"), ("--bits", "10"), ("--format", "csv")):
        done = stream("--resume", model, option, value, text=MAIL)
        assert done.returncode == 2, done.stderr
    done = stream(model, "--resume", model, "--format", "text")
    assert done.returncode == 2
    assert "holds the data" in done.stderr


def test_neither_scikit_learn_nor_scipy_is_loaded(tmp_path: Path) -> None:
    code = PROGRAM.replace("main()", "") + (
        "import atexit, sys\n"
        "atexit.register(lambda: print(sorted({'sklearn', 'scipy', 'matplotlib'} & "
        "set(sys.modules)), file=sys.stderr))\nmain()"
    )
    file = written(tmp_path, "\n".join(table(200)), "table.csv")
    for arguments, text in (
        (["--format", "text"], MAIL),
        (["-", "--format", "svmlight"], "\n".join(svmlight(50))),
        ([file, "--out", tmp_path / "m.rbt"], None),
    ):
        done = stream(*arguments, text=text, code=code)
        assert done.returncode == 0
        assert done.stderr.endswith("[]\n")


@pytest.mark.skipif(not DATA.exists(), reason="no data folder")
def test_spam_is_learned_in_one_pass_with_few_mistakes() -> None:
    found = streamed(DATA / "sms_spam" / "SMSSpamCollection.gz", "--format", "text")
    assert found["examples"] == 5574
    assert found["rate"] < 0.025


@pytest.mark.skipif(not DATA.exists(), reason="no data folder")
def test_prices_that_drift_are_followed_by_the_latest_weights() -> None:
    file = DATA / "elec2" / "elec.csv.gz"
    averaged, latest = streamed(file), streamed(file, "--learner", "pa", "--average", "no")
    assert averaged["examples"] == latest["examples"] == 45312
    assert latest["rate"] < 0.1 < averaged["rate"] < 1 - averaged["baseline"]["accuracy"]


@pytest.mark.skipif(not DATA.exists(), reason="no data folder")
def test_a_raw_table_with_gaps_is_streamed() -> None:
    file = DATA / "adult" / "adult.data.gz"
    found = streamed(file, "--format", "csv", "--no-header", "--missing", "?")
    assert found["examples"] > 30_000
    assert found["rate"] < 1 - found["baseline"]["accuracy"] - 0.05


def test_weights_of_classes_count_whatever_the_labels_are(tmp_path: Path) -> None:
    rows = [f"{i % 7 - 3},{i % 5 - 2},{int(i % 7 > 3)}" for i in range(60)]
    file = written(tmp_path, "\n".join(["a,b,y", *rows]), "n.csv")
    plain = json.loads(stream(file, "--json").stdout)
    unmoved = json.loads(stream(file, "--json", "--class-weight", "1=0,0=0").stdout)
    assert plain["mistakes"] < unmoved["mistakes"]
    assert unmoved["online_mistakes"] == 0
    done = stream(file, "--class-weight", "nope=3")
    assert done.returncode == 2
    assert "--class-weight nope=…: there is no such class; there are 0, 1" in done.stderr
