"""What show tells of a model."""

from __future__ import annotations

import hashlib
import shlex
from pathlib import Path

import pytest

import rosenblatt
from cli.shell import MAIL, PETS, run, trained, written

TABLE = "x,c,y\n1,red,a\n2,red,a\n8,blue,b\n9,blue,b\n"


def test_the_card_for_people(tmp_path: Path) -> None:
    model = trained(tmp_path, "--epochs", "7", "--record", data=TABLE)
    done = run("show", model)
    assert (done.code, done.err) == (0, "")
    digest = hashlib.sha256(TABLE.encode()).hexdigest()
    assert done.out.splitlines() == [
        f"model       {model} (rosenblatt {rosenblatt.__version__})",
        "learner     AveragedPerceptron",
        "parameters  max_iter=7, record=True",
        "classes     a, b",
        "features    3",
        "rows        4",
        "epochs      2",
        "mistakes    2; by epoch 2 0",
        "ended       an epoch without a mistake: the last weights separate the training rows",
        "errors      0 on the training rows",
        f"data        SHA-256 {digest}",
        "ledger      every update was kept",
        "holds       numbers and labels of the examples in the ledger",
        "",
        "x  number    median 5, scale 4.818, clipped at ±3",
        "c  category  2 levels: red, blue",
        "",
        "largest weights for b (negative: for a)",
        *done.out.splitlines()[18:],
    ]
    weights = dict(line.split()[::-1] for line in done.out.splitlines()[18:])
    loaded = rosenblatt.load(model)
    assert set(weights) == {"(bias)", "x", "c=red", "c=blue"}
    assert float(weights["x"]) == pytest.approx(loaded.coef_[0, 0], rel=1e-4)
    assert float(weights["(bias)"]) == pytest.approx(loaded.intercept_[0], rel=1e-4)


def test_a_ledger_goes_on_when_a_model_is_resumed_and_says_since_when_it_was_kept(
    tmp_path: Path,
) -> None:
    model, more = trained(tmp_path, "--epochs", "7", "--record", data=TABLE), tmp_path / "more.csv"
    more.write_text(TABLE)
    assert run("train", more, "--resume", model).code == 0
    assert "ledger      every update was kept\n" in run("show", model).out
    learner = rosenblatt.load(trained(tmp_path, "--epochs", "7", data=TABLE))
    seen = learner.t_
    rosenblatt.save(learner.set_params(record=True), model)
    assert run("train", more, "--resume", model).code == 0
    assert f"ledger      every update was kept since example {seen + 1}\n" in run("show", model).out


def test_weights_are_all_those_that_are_not_0_with_all_digits(tmp_path: Path) -> None:
    three = PETS.replace("Mia,3.5", "Bo,0.2").replace("kitchen,cat", "kitchen,bird")
    model = trained(tmp_path, data=three)
    lines = [line.split("\t") for line in run("show", model, "--weights").out.splitlines()]
    loaded = rosenblatt.load(model)
    for place, label in enumerate(loaded.classes_):
        found = {name: float(weight) for voice, name, weight in lines if voice == label}
        assert found.pop("(bias)", 0.0) == loaded.intercept_[place]
        assert sorted(found.values()) == sorted(loaded.coef_[place][loaded.coef_[place] != 0])
        assert "weight" in found
    assert any(name == "note: digs" for _, name, _ in lines)


def test_json_has_the_record_and_as_many_weights_as_asked_for(tmp_path: Path) -> None:
    model = trained(tmp_path, "--dev", "0.4", "--learner", "mira")
    found = run("show", model, "--json", "--top", "3").json
    loaded = rosenblatt.load(model)
    assert found["learner"] == "MIRA"
    assert found["parameters"] == {"early_stopping": True, "validation_fraction": 0.4}
    assert found["classes"] == ["cat", "dog"]
    assert found["mistakes_per_epoch"] == loaded.mistakes_per_epoch_
    assert found["best_epoch"] == loaded.best_iter_
    assert found["dev_accuracy"] == max(loaded.validation_scores_)
    pairs = [pair for pair in found["top_weights"]["dog"] if pair["feature"] != "(bias)"]
    assert len(pairs) == 3
    assert abs(pairs[0]["weight"]) == abs(loaded.coef_).max()


def test_a_stream_is_told_as_one(tmp_path: Path) -> None:
    model = trained(tmp_path, "--one-pass", data=TABLE)
    lines = run("show", model, "--top", "0").out.splitlines()
    assert "learned     4 examples one by one" in lines
    assert not any(line.startswith(("epochs", "largest")) for line in lines)


def test_models_saved_by_python_are_shown_too(tmp_path: Path) -> None:
    model = tmp_path / "m.rbt"
    spam = rosenblatt.Perceptron().learn_one({"win": 1, "\x1b[31mmoney": 1}, "spam")
    rosenblatt.save(spam.learn_one({"noon": 1}, "ham"), model)
    done = run("show", model)
    assert "data        SHA-256 not kept" in done.out
    assert "noon" in done.out
    assert "\x1b" not in done.out


def test_a_file_that_is_no_model_ends_with_4(tmp_path: Path) -> None:
    model = trained(tmp_path)
    model.write_bytes(model.read_bytes()[:-1])
    done = run("show", model)
    assert (done.code, done.out) == (4, "")
    assert "truncated" in done.err
    assert run("show", tmp_path / "nothing.rbt").code == 2


# ---------------------------------------------------------------------- the command


WORDS = "a DET\nbird NOUN\n\nthe DET\ndog NOUN\nbarks VERB\n"
CALLS = [
    (
        "pets.csv",
        PETS,
        ["--cv", "2", "--target", "kind", "--column", "weight=number", "--missing", "nix"],
    ),
    (
        "pets.csv",
        PETS,
        ["--learner", "PA", "--C", "0.5", "--average", "no", "--seed=7", "--quiet"],
    ),
    ("pets.csv", PETS, ["--one-pass", "--record", "--class-weight", "cat=2,dog=1", "--slim"]),
    ("pets.csv", PETS, ["--dev", "0.3", "--on-bad", "rejects=bad.csv", "--json"]),
    ("my mail.txt", "\n".join(MAIL), ["--format", "text", "--words", "1-2", "--no-idf"]),
    ("words.conll", WORDS, ["--epochs", "3", "--dictionary", "2"]),
]


@pytest.mark.parametrize(("name", "text", "options"), CALLS, ids=lambda one: str(one)[:40])
def test_the_printed_command_makes_the_same_file_where_the_data_are(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    text: str,
    options: list[str],
) -> None:
    verb = ["tag", "train"] if name.endswith("conll") else ["train"]
    here, empty = tmp_path / "here", tmp_path / "empty"
    here.mkdir()
    empty.mkdir()
    monkeypatch.chdir(tmp_path)
    data, model = written(here, name, text), here / "made.rbt"
    assert run(*verb, data, *options, "--out", model).code == 0
    shown = run("show", model, "--command").out.splitlines()
    assert str(tmp_path) not in "".join(shown)
    assert max(map(len, shown[1:])) <= 80
    assert all(line.startswith("# ") for line in shown[1:])
    program, *words = shlex.split(shown[0])
    assert program == "rosenblatt"
    monkeypatch.chdir(empty)
    written(empty, name, text)
    assert run(*words, "--out", "again.rbt").code == 0
    assert (empty / "again.rbt").read_bytes() == model.read_bytes()
    told = run("show", "again.rbt", "--command", "--json").json
    assert told["command"] == [program, *words]
    assert told["data_sha256"] == hashlib.sha256(data.read_bytes()).hexdigest()
    assert told["sha256"] == rosenblatt.model.read(model).card.sha256
    assert [line.split()[-1] for line in shown[2:]] == [
        told[key] for key in ("data_sha256", "package_sha256", "sha256")
    ]


def test_the_same_training_is_recorded_alike_however_it_was_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "pets.csv", PETS)
    for name, words in {
        "a": "pets.csv --seed 0 --learner averaged --no-scale",
        "b": "--learner=Averaged ./pets.csv --no-scale --json",
        "c": "--no-scale --learner mira --learner AveragedPerceptron pets.csv --quiet",
    }.items():
        assert run("train", *words.split(), "-o", f"{name}.rbt").code == 0
    files = {(tmp_path / f"{name}.rbt").read_bytes() for name in "abc"}
    assert len(files) == 1
    assert run("show", "a.rbt", "--command").out.startswith(
        "rosenblatt train pets.csv --learner averaged --no-scale\n"
    )


def test_a_model_that_learned_on_says_so_beside_its_command(tmp_path: Path) -> None:
    model = trained(tmp_path)
    assert run("train", tmp_path / "pets.csv", "--resume", model, "--quiet").code == 0
    last = run("show", model, "--command").out.splitlines()[-1]
    assert last == "# it has learned from 6 examples since, by --resume or otherwise"


def test_what_no_file_was_trained_on_has_no_command(tmp_path: Path) -> None:
    model = tmp_path / "piped.rbt"
    assert run("train", "-", "--out", model, text=PETS).code == 0
    done = run("show", model, "--command")
    assert (done.code, done.out) == (4, "")
    assert f"{model} keeps no command: it was made in Python, by a stream, of a pipe" in done.err
    learner = rosenblatt.load(trained(tmp_path))
    rosenblatt.save(learner.fit([[1.0], [2.0]], [0, 1]), model)
    assert run("show", model, "--command").code == 4
