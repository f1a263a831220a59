"""What train reads, learns, tells and writes."""

from __future__ import annotations

import io
import subprocess
import sys
import tracemalloc
import warnings
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import numpy as np
import pytest

import rosenblatt
from cli.shell import DATA, MAIL, PETS, inside, run, trained, written
from rosenblatt.cli.data.reading import Reading, notices
from rosenblatt.cli.data.training_data import read_examples
from rosenblatt.estimators import progress
from rosenblatt.estimators.catalogue import CATALOGUE
from rosenblatt.features import FeatureOptions, Schema, TextFeatures
from rosenblatt.io import read_svmlight, read_table, read_text
from rosenblatt.model import read
from rosenblatt.models.classes import stratified_folds

LEARNERS = {entry.name: entry for entry in CATALOGUE if entry.family == "linear"}

SVMLIGHT = ["1 1:1 2:0.5", "2 2:1 3:-1", "3 1:-1 3:1", "2 2:2", "1 1:2 3:0.5", "3 2:0.25 3:2"]
WIDER = ["1 1:1 5:2", "3 3:1 4:1", "2 2:1 5:-1", "4 6:1"]


def assert_same_model(first: Path, second: Path) -> None:
    """But for the digest of the data, which come in other files."""
    cards, arrays = [], []
    for state in (read(first), read(second)):
        state.card.record.data = None
        state.card.sha256 = ""
        if state.card.model.ledger is not None:
            state.card.model.ledger.by_feature = False  # how zeros would lie in memory
        cards.append(state.card.to_json())
        arrays.append({name: (a.dtype, a.shape, a.tobytes()) for name, a in state.arrays.items()})
    assert cards[0] == cards[1]
    assert arrays[0] == arrays[1]


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("share", [None, "0.3"])
def test_the_model_is_the_one_that_python_gives_bit_for_bit(
    tmp_path: Path, name: str, share: str | None
) -> None:
    rng = np.random.default_rng(5)
    rows = [
        f"{a:.3f},{b:.3f},{'xyz'[int(3 * abs(b)) % 3]},{'pqr'[int(a + 0.4 * b > 0) + int(b > 1)]}"
        for a, b in rng.normal(size=(80, 2))
    ]
    file = written(tmp_path, "data.csv", ["a,b,c,kind", *rows])
    model = tmp_path / "model.rbt"
    options = [] if share is None else ["--dev", share]
    done = run(
        "train", file, "--learner", name, "--epochs", "9", "--seed", "3", "--out", model, *options
    )
    assert done.code == 0, done.err
    table = read_table(file, target="kind")
    X = Schema.guess(table).encode(table)
    settings = {} if share is None else {"early_stopping": True, "validation_fraction": 0.3}
    expected = LEARNERS[name].load()(max_iter=9, random_state=3, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected.fit(X.tocsr(), table.y)
    loaded = rosenblatt.load(model)
    assert loaded.get_params() == expected.get_params()
    assert loaded.coef_.tobytes() == expected.coef_.tobytes()
    assert loaded.intercept_.tobytes() == expected.intercept_.tobytes()
    assert loaded.classes_.tolist() == expected.classes_.tolist()
    assert loaded.classes_.dtype == expected.classes_.dtype
    assert loaded.mistakes_per_epoch_ == expected.mistakes_per_epoch_
    assert loaded.stop_reason_ == expected.stop_reason_
    if not expected.keeps_rows:  # others count their errors when asked
        assert loaded.n_training_errors_ == expected.n_training_errors_
    assert getattr(loaded, "best_iter_", None) == getattr(expected, "best_iter_", None)
    assert loaded.predict(X.tocsr()).tolist() == expected.predict(X.tocsr()).tolist()


def test_a_file_to_watch_stops_training_as_a_validation_set_does(tmp_path: Path) -> None:
    X, y = _noisy()
    lines = [
        ",".join([*(f"{value:.6f}" for value in row), str(label)])
        for row, label in zip(X, y, strict=True)
    ]
    first = written(tmp_path, "first.csv", ["a,b,c,d,y", *lines[:200]])
    dev = written(tmp_path, "dev.csv", ["a,b,c,d,y", *lines[200:]])
    model = tmp_path / "model.rbt"
    told = run("train", "--learner", "averaged", first, "--dev", dev, "--out", model, "--json").json
    table, watched = (read_table(file, target="y") for file in (first, dev))
    schema = Schema.guess(table)
    expected = rosenblatt.AveragedPerceptron().fit(
        schema.encode(table),
        table.y,
        validation_set=(schema.encode(watched), watched.y),
    )
    assert rosenblatt.load(model).coef_.tobytes() == expected.coef_.tobytes()
    assert told["stop_reason"] == expected.stop_reason_
    assert told["best_epoch"] == expected.best_iter_
    assert told["accuracy"]["dev"] == max(expected.validation_scores_)
    assert told["dev_rows"] == 100


def _noisy() -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    y = (X @ [1.0, -2.0, 0.5, 0.0] + rng.normal(size=300) > 0).astype(int)
    return X, y


def test_texts_and_svmlight_rows_give_the_models_that_python_gives(tmp_path: Path) -> None:
    mail = written(tmp_path, "mail.txt", MAIL)
    model = trained(tmp_path, "--format", "text", data="\n".join(MAIL) + "\n", name="mail.txt")
    texts, y = read_text(mail)
    X = TextFeatures().fit_transform(texts).tocsr()
    expected = rosenblatt.AveragedPerceptron().fit(X, y)
    assert rosenblatt.load(model).coef_.tobytes() == expected.coef_.tobytes()

    rows = written(tmp_path, "rows.svmlight", SVMLIGHT)
    model = trained(tmp_path, "--learner", "PA", data=rows.read_text(), name="rows.svmlight")
    expected = rosenblatt.PassiveAggressive().fit(*read_svmlight(rows))
    assert rosenblatt.load(model).coef_.tobytes() == expected.coef_.tobytes()
    assert rosenblatt.load(model).classes_.dtype == np.int64


# ---------------------------------------------------------------------- going on


@pytest.mark.parametrize("learner", ["perceptron", "averaged", "mira", "pa", "soft"])
@pytest.mark.parametrize(
    ("kind", "first", "second", "options"),
    [
        ("svmlight", SVMLIGHT, WIDER, []),
        ("svmlight", SVMLIGHT, WIDER, ["--record"]),
        ("text", MAIL[:3], [*MAIL[3:], "other\tentirely new words"], ["--no-idf"]),
        ("text", MAIL[:3], [*MAIL[3:], "other\tentirely new words"], ["--exact", "--no-idf"]),
        ("vw", ["a |f x y:2", "b |f z"], ["b |f y q:0.5 x", "c |g w"], []),
        ("vw", ["a |f x y:2", "b 0.5 |f z"], ["b |f y q:0.5 x", "c |g w"], ["--bits", "9"]),
    ],
)
def test_one_pass_and_resume_equal_one_pass_over_both(
    tmp_path: Path, learner: str, kind: str, first: list[str], second: list[str], options: list[str]
) -> None:
    a, b = written(tmp_path, "a", first), written(tmp_path, "b", second)
    part, both, whole = (tmp_path / f"{name}.rbt" for name in ("part", "both", "whole"))
    shared = ["--format", kind]
    new = ["--one-pass", "--learner", learner, *options]
    assert run("train", "--learner", "averaged", a, *shared, *new, "--out", part).code == 0
    before = part.read_bytes()
    shared += ["--new-classes", "allow"]
    assert run("train", b, *shared, "--resume", part, "--out", both).code == 0
    assert part.read_bytes() == before
    assert run("train", "--learner", "averaged", a, b, *shared, *new, "--out", whole).code == 0
    assert_same_model(both, whole)
    assert run("diff", both, whole).code == 1  # the digests of the data differ
    assert run("train", b, *shared, "--resume", part, "--quiet").code == 0
    assert part.read_bytes() == both.read_bytes()


def test_resume_equals_partial_fit_after_a_fit(tmp_path: Path) -> None:
    model = trained(tmp_path, data="\n".join(SVMLIGHT) + "\n", name="a.svmlight")
    more = written(tmp_path, "b.svmlight", SVMLIGHT[:3])
    expected = rosenblatt.load(model).partial_fit(*read_svmlight(more))
    assert run("train", more, "--resume", model).code == 0
    found = rosenblatt.load(model)
    assert found.coef_.tobytes() == expected.coef_.tobytes()
    assert (found.t_, found.n_mistakes_) == (expected.t_, expected.n_mistakes_)


def test_tables_resume_with_the_columns_of_the_first_part(tmp_path: Path) -> None:
    lines = PETS.splitlines()
    first = trained(tmp_path, "--one-pass", data="\n".join(lines[:4]) + "\n", name="a.csv")
    rest = written(tmp_path, "b.csv", [lines[0], *lines[4:]])
    both, whole = tmp_path / "both.rbt", tmp_path / "whole.rbt"
    assert run("train", rest, "--resume", first, "--out", both).code == 0
    same = ["--one-pass", "--schema-from", first, "--out", whole]
    assert run("train", "--learner", "averaged", tmp_path / "a.csv", rest, *same).code == 0
    assert_same_model(both, whole)


@pytest.mark.parametrize("learner", ["perceptron", "averaged", "mira", "pa", "kernel"])
def test_epochs_of_a_model_that_is_resumed_go_on_where_it_ended(
    tmp_path: Path, learner: str
) -> None:
    rows = [f"{i % 2} 1:{i % 7 - 3} 2:{i % 5 - 2} 3:1" for i in range(40)]
    file = written(tmp_path, "rows.svmlight", rows)
    parts, whole = tmp_path / "parts.rbt", tmp_path / "whole.rbt"
    new = ["--learner", learner, "--out"]
    assert run("train", "--learner", "averaged", file, "--epochs", "2", *new, parts).code == 0
    done = run("train", file, "--resume", parts, "--epochs", "3")
    assert (done.code, done.out.splitlines()[-1]) == (0, f"wrote {parts}")
    assert run("train", "--learner", "averaged", file, "--epochs", "5", *new, whole).code == 0
    found, expected = rosenblatt.load(parts), rosenblatt.load(whole)
    assert found.decision_function(np.eye(3)).tolist() == pytest.approx(
        expected.decision_function(np.eye(3)).tolist()
    )
    assert (found.t_, found.n_mistakes_) == (expected.t_, expected.n_mistakes_) == (200, ANY)
    assert found.get_params()["warm_start"] is False


@pytest.mark.parametrize("options", ["", "--average yes", "--average tail", "--calibrate"])
@pytest.mark.parametrize("learner", ["perceptron", "pa", "soft"])
def test_resumed_epochs_are_those_of_one_training_or_a_notice_says_what_is_not(
    tmp_path: Path, learner: str, options: str
) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 3))
    labels = np.where(X[:, 0] + rng.normal(size=80) > 0, "p", "q").tolist()
    lines = [",".join(map(str, [*x, label])) for x, label in zip(X.tolist(), labels, strict=True)]
    data = written(tmp_path, "rows.csv", ["a,b,c,y", *lines])
    train = [
        "train",
        data,
        "--target",
        "y",
        "--learner",
        learner,
        *options.split(),
        "--tol",
        "none",
    ]
    whole, parts = tmp_path / "whole.rbt", tmp_path / "parts.rbt"
    assert run(*train, "--epochs", "6", "--out", whole).code == 0
    assert run(*train, "--epochs", "2", "--out", parts).code == 0
    resumed = run("train", data, "--resume", parts, "--epochs", "4")
    assert resumed.code == 0, resumed.err
    one, both = rosenblatt.load(whole), rosenblatt.load(parts)
    np.testing.assert_array_equal(one._model.weights.matrix, both._model.weights.matrix)
    assert ("(average tail) is counted from here" in resumed.err) == (one.average == "tail")
    assert ("(calibrate) are fitted to these epochs" in resumed.err) == one.calibrate
    if "notice: the weights" not in resumed.err:
        np.testing.assert_array_equal(one.coef_, both.coef_)


def test_levels_that_were_never_met_join_a_model_that_is_resumed(tmp_path: Path) -> None:
    first = written(tmp_path, "a.csv", ["c,d,y", "red,p,u", "blue,q,v", "red,q,u", "blue,p,v"])
    more = written(tmp_path, "b.csv", ["c,d,y", "green,p,u", "green,q,u", "red,r,v"])
    trained_, streamed = tmp_path / "trained.rbt", tmp_path / "streamed.rbt"
    for model in (trained_, streamed):
        assert run("train", first, "--one-pass", "--learner", "pa", "--out", model).code == 0
    assert run("train", more, "--resume", trained_).code == 0
    assert run("stream", more, "--resume", streamed, "--quiet").code == 0
    one, other = rosenblatt.load(trained_), rosenblatt.load(streamed)
    assert one.schema_.names(range(6)) == ["c=red", "c=blue", "c=green", "d=p", "d=q", "d=r"]
    assert one.schema_.to_json() == other.schema_.to_json()
    assert one.coef_.tobytes() == other.coef_.tobytes()
    assert one.coef_[0, [2, 5]].all()


@pytest.mark.parametrize("verb", ["train", "stream"])
def test_a_new_class_joins_a_model_that_is_resumed_only_if_allowed(
    tmp_path: Path, verb: str
) -> None:
    model = trained(tmp_path, "--one-pass", data="a,y\n1,u\n2,v\n3,u\n", name="a.csv")
    more, before = written(tmp_path, "b.csv", ["a,y", "4,w"]), model.read_bytes()
    refused = run(verb, more, "--resume", model)
    assert refused.code == 3
    assert "or let new classes join with --new-classes allow" in refused.err
    assert model.read_bytes() == before
    assert run(verb, more, "--resume", model, "--new-classes", "allow").code == 0
    assert rosenblatt.load(model).classes_.tolist() == ["u", "v", "w"]
    assert "--new-classes" not in run("evaluate", model, written(tmp_path, "c", ["a,y", "1,z"])).err


def test_a_voted_model_goes_on_without_the_levels_it_never_met(tmp_path: Path) -> None:
    data = "c,y\nred,u\nblue,v\nred,u\n"
    model = trained(tmp_path, "--learner", "voted", data=data, name="a.csv")
    done = run("train", written(tmp_path, "b.csv", ["c,y", "green,u"]), "--resume", model)
    assert (done.code, rosenblatt.load(model).n_features_in_) == (0, 2)
    assert "levels never seen: green (1)" in done.err


def test_balanced_classes_cannot_be_balanced_anew(tmp_path: Path) -> None:
    model = trained(tmp_path, "--class-weight", "balanced")
    before = model.read_bytes()
    done = run("train", tmp_path / "pets.csv", "--resume", model)
    assert done.code == 2
    assert "--class-weight balanced needs all labels at once" in done.err
    assert model.read_bytes() == before


def test_a_pass_may_meet_the_second_class_late_and_a_new_one_later(tmp_path: Path) -> None:
    file = written(tmp_path, "a.svmlight", ["1 1:1", "1 2:1", "1 1:2", "2 3:1", "2 1:-1", "0 2:3"])
    model = tmp_path / "m.rbt"
    assert run("train", file, "--one-pass", "--out", model).code == 0
    expected = rosenblatt.AveragedPerceptron().partial_fit(*read_svmlight(file))
    assert rosenblatt.load(model).coef_.tobytes() == expected.coef_.tobytes()
    assert rosenblatt.load(model).t_ == 6


# ---------------------------------------------------------------------- what it tells


def test_the_schema_goes_to_stderr_and_the_summary_to_stdout(tmp_path: Path) -> None:
    with inside(tmp_path):
        written(tmp_path, "pets.csv", PETS)
        done = run("train", "--learner", "averaged", "pets.csv", "--words", "1", "--bits", "10")
    assert done.code == 0
    assert done.err.splitlines() == [
        "name    category  6 levels: Rex, Tom, Bella, Minka and 2 more",
        "weight  number    median 6.6, scale 12.62, clipped at ±3",
        "colour  category  4 levels: brown, grey, black, white",
        "note    text      words 1, idf, 1,024 hashed columns",
    ]
    assert done.out.splitlines() == [
        "pets.csv: 6 rows, 1,035 features, target kind",
        "2 classes: cat (3), dog (3)",
        "averaged perceptron, 2 epochs, mistakes 4 0",
        "ended: an epoch without a mistake: the last weights separate the training rows",
        "accuracy: 1.0000 on all 6 rows",
        "wrote pets.rbt",
    ]
    assert (tmp_path / "pets.rbt").exists()


def test_many_classes_and_epochs_fit_into_lines_of_80_columns(tmp_path: Path) -> None:
    rows = [f"{i * 37 % 61},{i % 3},a_rather_long_class_{i % 30}" for i in range(60)]
    file = written(tmp_path, "d.csv", ["a,b,c", *rows])
    done = run(
        "train", "--learner", "averaged", file, "--epochs", "20", "--out", tmp_path / "m.rbt"
    )
    lines = done.out.splitlines()
    assert lines[1].startswith("30 classes: a_rather_long_class_0 (2)")
    assert lines[1].endswith(" more")
    assert " … " in lines[2]
    assert all(len(line) <= 80 for line in lines[1:4])


def test_json_is_one_object_with_the_digest_of_the_data(tmp_path: Path) -> None:
    import hashlib

    file, model = written(tmp_path, "pets.csv", PETS), tmp_path / "m.rbt"
    told = run("train", "--learner", "averaged", file, "--json", "--quiet", "--out", model).json
    assert told["model"] == str(model)
    assert told["learner"] == "AveragedPerceptron"
    assert told["classes"] == {"cat": 3, "dog": 3}
    assert told["mistakes_per_epoch"][-1] == 0
    assert told["data_sha256"] == hashlib.sha256(PETS.encode()).hexdigest()
    assert read(model).card.record.data.sha256 == told["data_sha256"]


def test_columns_can_be_declared_and_numbers_left_as_they_are(tmp_path: Path) -> None:
    model = trained(
        tmp_path, "--column", "weight=category", "--column", "name=ignored", "--target", "kind"
    )
    kinds = {column["name"]: column["kind"] for column in read(model).card.schema["columns"]}
    assert kinds == {"name": "ignored", "weight": "category", "colour": "category", "note": "text"}
    plain = trained(tmp_path, "--no-scale")
    weight = read(plain).card.schema["columns"][1]
    assert (weight["center"], weight["scale"]) == (0.0, 1.0)


def test_rows_from_a_pipe_go_to_model_rbt(tmp_path: Path) -> None:
    with inside(tmp_path):
        done = run("train", "--learner", "averaged", "-", text=PETS)
    assert done.out.endswith("wrote model.rbt\n")
    assert read(tmp_path / "model.rbt").card.record.data is None


# ---------------------------------------------------------------------- what it refuses


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,x\n2,x\n", "only class 'x' seen, in all 2 rows; two are needed"),
        ("a,b\n", "0 rows"),
        ("a,b\n1,2.5\n2,1.5\n", 'which column is the target? The last, "b", holds too many'),
        ("a,b\n1,x\n1e200,y\n2,x\n", '"1e200" is beyond 1e+150'),
    ],
)
def test_data_that_cannot_be_learned_from_end_with_3_and_no_model(
    tmp_path: Path, text: str, said: str
) -> None:
    for options in ([], ["--one-pass"]):
        with inside(tmp_path):
            done = run(
                "train", "--learner", "averaged", written(tmp_path, "data.csv", text), *options
            )
        assert (done.code, done.out) == (3, "")
        assert said in done.err
    assert [file.name for file in tmp_path.iterdir()] == ["data.csv"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--learner", "averged"], "Did you mean 'averaged'?"),
        (["--column", "weight"], "write NAME=number|category|text|date|dmy|mdy|ignored"),
        (["--column", "nope=ignored"], "nope"),
        (["--dev", "nope.csv"], "there is no such file"),
        (["--dev", "1.5"], "a share between 0 and 1"),
        (["--exact", "--bits", "3"], "give one of them"),
        (["--words", "two"], "--words two"),
        (["--one-pass", "--epochs", "2"], "--epochs has no meaning with --one-pass"),
        (["--out", "-"], "give the name of a file"),
        (["--out", "no/such/folder.rbt"], "there is no folder no/such"),
        (["--out", "pets.csv"], "pets.csv holds the data"),
        (["--format", "text", "--column", "a=number"], "--column has no meaning"),
        (["--format", "svmlight", "--bits", "3"], "--bits has no meaning for svmlight"),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_is_written(
    tmp_path: Path, options: list[str], said: str
) -> None:
    with inside(tmp_path):
        done = run(
            "train", "--learner", "averaged", written(tmp_path, "pets.csv", PETS).name, *options
        )
    assert done.code in (2, 3)
    assert done.code == 2 or "nope=ignored" in options
    assert said in done.err
    assert done.out == ""
    assert [file.name for file in tmp_path.iterdir()] == ["pets.csv"]
    assert (tmp_path / "pets.csv").read_text() == PETS


def test_a_share_that_holds_out_no_row_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path, "pets.csv", PETS)
    done = run(
        "train",
        "--learner",
        "averaged",
        file,
        "--dev",
        "0.1",
        "--out",
        tmp_path / "m.rbt",
        "--quiet",
    )
    assert (done.code, done.out) == (3, "")
    assert "error: --dev 0.1 of 6 rows leaves none to watch. Give more rows, or " in done.err
    assert not (tmp_path / "m.rbt").exists()


def test_missing_numbers_are_a_feature_of_their_own(tmp_path: Path) -> None:
    gaps = PETS.replace("Tom,4.2", "Tom,?").replace("Mia,3.5", "Mia,?")
    model = trained(tmp_path, "--missing", "?", data=gaps)
    weights = run("show", model, "--weights").out
    assert "dog\tweight is missing\t-" in weights
    again = written(tmp_path, "new.csv", "weight,colour,note,name\n?,red,nothing,Nobody\n")
    assert run("predict", model, again, "--quiet").out == "cat\n"


def test_options_of_a_new_model_are_refused_when_going_on(tmp_path: Path) -> None:
    model = trained(tmp_path)
    before = model.read_bytes()
    options = [["--dev", "0.5"], ["--learner", "mira"], ["--bits", "4"], ["--seed", "1"]]
    for option in (*options, ["--pocket"], ["--margin", "1"]):
        done = run("train", tmp_path / "pets.csv", "--resume", model, *option)
        assert done.code == 2
        assert f"{option[0]} has no meaning" in done.err
    assert model.read_bytes() == before


def test_training_loads_neither_scikit_learn_nor_scipy(tmp_path: Path) -> None:
    model = tmp_path / "m.rbt"
    file, mail = written(tmp_path, "pets.csv", PETS), written(tmp_path, "mail", MAIL)
    for arguments in (
        ["train", str(file), "--learner", "perceptron", "--out", str(model)],
        ["train", str(file), "--dev", "0.4", "--out", str(model)],
        ["train", str(file), "--resume", str(model)],
        ["predict", str(model), str(file), "--scores"],
        ["evaluate", str(model), str(file)],
        ["show", str(model)],
        ["diff", str(model), str(model)],
        ["train", str(mail), "--format", "text", "--one-pass", "--out", str(model)],
    ):
        code = (
            f"import sys; sys.argv = ['rosenblatt', *{arguments!r}]\n"
            "from rosenblatt.cli import main\n"
            "try: main()\n"
            "except SystemExit as ended: assert not ended.code, ended\n"
            "heavy = {'sklearn', 'scipy', 'matplotlib', 'rich', 'pandas'} & set(sys.modules)\n"
            "heavy |= {'concurrent.futures', 'html', 'importlib.metadata'} & set(sys.modules)\n"
            "assert not heavy, heavy\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 0, (arguments, done.stderr)


@pytest.mark.parametrize(
    ("path", "options", "least"),
    [
        ("iris/iris.csv.gz", ["--no-header"], 0.97),
        ("banknote/banknote_authentication.csv.gz", ["--no-header"], 0.97),
        ("mushrooms/mushrooms.csv.gz", ["--target", "1"], 1.0),
        ("adult/adult.data.gz", ["--no-header", "--format", "csv"], 0.85),
        ("a9a/a9a.gz", ["--format", "svmlight"], 0.845),
        ("letter/letter.dat.gz", ["--format", "csv", "--no-header", "--epochs", "30"], 0.7),
        ("sms_spam/SMSSpamCollection.gz", ["--format", "text", "--dev", "0.2"], 0.99),
    ],
)
def test_real_files_are_learned_as_they_come(
    tmp_path: Path, path: str, options: list[str], least: float
) -> None:
    if not (DATA / path).exists():
        pytest.skip("the data are not at hand")
    told = run(
        "train",
        "--learner",
        "averaged",
        DATA / path,
        *options,
        "--out",
        tmp_path / "m.rbt",
        "--json",
    ).json
    assert told["accuracy"]["train"] >= least


@pytest.mark.parametrize(
    ("option", "word"), [("--max-iter", "--epochs"), ("--random-state", "--seed")]
)
def test_words_of_python_are_told_by_their_name_in_the_shell(
    tmp_path: Path, option: str, word: str
) -> None:
    file = written(tmp_path, "pets.csv", PETS)
    done = run("train", "--learner", "averaged", file, option, "3")
    assert done.code == 2
    assert f"there is no {option} here: {word}." in done.err


def test_one_pass_is_not_calibrated(tmp_path: Path) -> None:
    file = written(tmp_path, "pets.csv", PETS)
    done = run("train", file, "--learner", "perceptron", "--one-pass", "--calibrate")
    assert done.code == 2
    assert "--calibrate trains on folds of the rows; leave --one-pass out." in done.err


def test_a_calibrated_model_that_goes_on_in_epochs_is_calibrated_anew(tmp_path: Path) -> None:
    model = trained(tmp_path, "--learner", "pa", "--calibrate", "--epochs", "3")
    before = rosenblatt.load(model)
    again = tmp_path / "again.rbt"
    file = tmp_path / "pets.csv"
    assert run("train", file, "--resume", model, "--epochs", "3", "--out", again).code == 0
    assert rosenblatt.load(again).calibration_.slope > 0
    once = tmp_path / "once.rbt"
    assert run("train", file, "--resume", model, "--out", once).code == 0
    assert rosenblatt.load(once).calibration_ == before.calibration_


@pytest.mark.parametrize("kind", ["text", "svmlight", "vw"])
def test_folds_are_taken_of_rows_of_every_format(tmp_path: Path, kind: str) -> None:
    lines = {
        "text": ["good\tfine day", "bad\tdull day", "good\tfine night", "bad\tdull night"],
        "svmlight": ["1 1:2 3:1", "0 2:2 3:1", "1 1:3", "0 2:3"],
        "vw": ["1 | a:2 c", "-1 | b:2 c", "1 | a:3", "-1 | b:3"],
    }[kind]
    data = written(tmp_path, "rows.data", lines * 5)
    call = ["train", data, "--format", kind, "--learner", "averaged", "-o", tmp_path / "m.rbt"]
    assert run(*call, "--cv", "5", "--json").json["cross_validation"] == [1.0] * 5


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_rows_are_counted_on_a_terminal_while_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, "rows.csv", ["a,y", *["1,u", "2,v"] * 700])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(progress, "SECONDS_BEFORE_READING", 0.0)
    shown = []
    for quiet, screen in ((False, Terminal()), (True, Terminal()), (False, io.StringIO())):
        monkeypatch.setattr(sys, "stderr", screen)
        with notices(quiet):
            read_examples(Reading(), ["rows.csv"], FeatureOptions())
        shown.append(screen.getvalue())
    line = "reading rows.csv: 1,400 rows"
    assert shown == [f"\r{line}\r{'':{len(line)}}\r", "", ""]


def test_features_of_a_table_of_numbers_take_no_second_matrix(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [",".join(map(str, row)) + f",{row[0] % 2}" for row in rng.integers(0, 99, (500, 50))]
    header = ",".join([*(f"c{i}" for i in range(50)), "y"])
    data = written(tmp_path, "rows.csv", [header, *rows * 200])
    tracemalloc.start()  # of which the matrix that the parser makes is no part
    examples = read_examples(Reading(), [str(data)], FeatureOptions()).encode()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert examples.X.shape == (100_000, 50)
    assert most < examples.X.nbytes / 2


def test_folds_are_predicted_by_learners_of_the_other_folds(tmp_path: Path) -> None:
    rows = [f"{i % 7},{i % 3},{'u' if i % 7 + i % 3 > 4 else 'v'}" for i in range(60)]
    data = written(tmp_path, "rows.csv", ["a,b,y", *rows])
    call = ["train", data, "--learner", "averaged", "--seed", "3", "-o", tmp_path / "m.rbt"]
    found = run(*call, "--cv", "4", "--json").json["cross_validation"]
    table = read_table(data, target="y")
    folds = stratified_folds(np.unique(table.labels, return_inverse=True)[1], 4, 3)
    for k, share in enumerate(found):
        part, rest = table[folds != k], table[folds == k]
        schema = Schema.guess(part)  # medians and scales are those of the rows learned from
        learner = rosenblatt.AveragedPerceptron(random_state=3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            learner.fit(schema.encode(part), part.labels)
        assert share == learner.score(schema.encode(rest), rest.labels)
    said = run(*call, "--cv", "4").out
    assert f"4 folds: accuracy {np.mean(found):.4f} ± {np.std(found, ddof=1):.4f} (" in said
    model = (tmp_path / "m.rbt").read_bytes()
    assert run(*call, "--quiet").code == 0
    assert (tmp_path / "m.rbt").read_bytes() == model  # folds change nothing
    few = run(*call, "--cv", "50")
    assert (few.code, "Take fewer folds" in few.err) == (3, True)
    assert run(*call, "--cv", "4", "--one-pass").code == 2
