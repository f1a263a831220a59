"""What diff tells of two models, and how it ends."""

from __future__ import annotations

from pathlib import Path

import rosenblatt
from cli.shell import MAIL, PETS, run, trained


def test_equal_models_end_with_0(tmp_path: Path) -> None:
    first, second = trained(tmp_path), trained(tmp_path / ".." / tmp_path.name, name="pets.csv")
    done = run("diff", first, second)
    assert (done.code, done.out, done.err) == (0, "equal\n", "")
    assert run("diff", first, second, "--json").json["equal"] is True


def test_a_new_level_is_a_feature_more_and_weights_go_by_name(tmp_path: Path) -> None:
    first = trained(tmp_path)
    second = trained(tmp_path, data=PETS.replace("white", "pink"), name="pink.csv")
    done = run("diff", first, second)
    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[0].startswith("data_sha256: ")
    assert lines[1:4] == [
        "features added (1): colour=pink",
        "features removed (1): colour=white",
        "weights changed: 2",
    ]
    assert {line.split()[-1] for line in lines[4:]} == {"colour=pink", "colour=white"}


def test_the_largest_changes_come_first_with_both_weights(tmp_path: Path) -> None:
    first, second = trained(tmp_path), tmp_path / "mira.rbt"
    assert run("train", tmp_path / "pets.csv", "--learner", "mira", "--out", second).code == 0
    done = run("diff", first, second, "--json", "--top", "2")
    assert done.code == 1
    import json

    found = json.loads(done.out)
    assert found["facts"]["learner"] == ["AveragedPerceptron", "MIRA"]
    old, new = (rosenblatt.load(model) for model in (first, second))
    assert len(found["largest_changes"]) == 2
    change = found["largest_changes"][0]
    sizes = [*abs(new.coef_ - old.coef_)[0], *abs(new.intercept_ - old.intercept_)]
    assert abs(change["to"] - change["from"]) == max(sizes)
    assert found["weights_changed"] == sum(size > 0 for size in sizes)


def test_hashed_columns_go_by_number_if_they_are_hashed_alike(tmp_path: Path) -> None:
    shared = ["--format", "text", "--bits", "3", "--one-pass"]
    first = trained(tmp_path, *shared, data="\n".join(MAIL) + "\n", name="a")
    second = trained(tmp_path, *shared, data="\n".join(MAIL[::-1]) + "\n", name="b")
    names = [
        [line.split("\t")[1] for line in run("show", model, "--weights").out.splitlines()]
        for model in (first, second)
    ]
    assert set(names[0]) != set(names[1])  # other n-grams came first
    done = run("diff", first, second)
    assert "features added" not in done.out
    assert "weights changed" in done.out


def test_other_classes_and_other_kinds_of_data_can_be_compared(tmp_path: Path) -> None:
    first = trained(tmp_path)
    second = trained(tmp_path, data="1 1:1\n2 2:1\n3 1:-1\n", name="a.svmlight")
    done = run("diff", first, second)
    assert done.code == 1
    assert "classes: cat, dog -> 1, 2, 3" in done.out
    assert "features added (2): 1, 2" in done.out


def test_models_that_differ_in_state_alone_are_not_equal(tmp_path: Path) -> None:
    paths = []
    for kept in (False, True):
        learner = rosenblatt.Perceptron().fit([[1.0], [-1.0]], [0, 1])
        if kept:
            learner._model.random ^= 1
        paths.append(tmp_path / f"{kept}.rbt")
        rosenblatt.save(learner, paths[-1])
    done = run("diff", *paths)
    assert (done.code, done.out) == (1, "the same weights, but not the same record or state\n")


def test_what_is_no_model_ends_with_4(tmp_path: Path) -> None:
    model = trained(tmp_path)
    assert run("diff", model, tmp_path / "pets.csv").code == 4
