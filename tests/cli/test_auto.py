"""train without --learner chooses one on held-out rows, and says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt
from cli.shell import inside, run, trained, written
from rosenblatt.cli.data.training_report import leaderboard_lines
from rosenblatt.estimators.linear.portfolio import PORTFOLIO
from rosenblatt.features import Schema
from rosenblatt.io import read_table


def rows(n: int = 120) -> list[str]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 3)) * [1.0, 50.0, 0.01]
    y = X @ [1.0, 0.03, -90.0] + 0.5 * rng.normal(size=n) > 0
    lines = [f"{a:.6f},{b:.6f},{c:.6f},{'uv'[int(k)]}" for (a, b, c), k in zip(X, y, strict=True)]
    return ["a,b,c,y", *lines]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("auto")
    written(folder, "rows.csv", rows())
    return folder


def test_what_the_shell_chooses_is_what_python_chooses(folder: Path) -> None:
    told = run("train", folder / "rows.csv", "--out", folder / "m.rbt", "--json").json
    table = read_table(folder / "rows.csv", target="y")
    X = Schema.guess(table).encode(table)
    found = rosenblatt.AutoLinear(standardize=False).fit(X, table.y)
    loaded = rosenblatt.load(folder / "m.rbt")
    assert told["learner"] == type(loaded).__name__ == type(found.best_learner_).__name__
    assert loaded.coef_.tobytes() == found.coef_.tobytes()
    assert loaded.predict_proba(X).tobytes() == found.predict_proba(X).tobytes()
    assert told["leaderboard"] == [candidate._asdict() for candidate in found.leaderboard_]
    shown = run("show", folder / "m.rbt", "--json").json
    assert shown["leaderboard"] == told["leaderboard"]
    assert "the default" in run("show", folder / "m.rbt").out


def test_the_first_line_says_so_and_at_most_eight_lines_tell_what_was_tried(folder: Path) -> None:
    done = run("train", folder / "rows.csv", "--out", folder / "m.rbt")
    lines = done.out.splitlines()
    assert lines[0].endswith("rows.csv: 120 rows, 3 features, target y, learner auto")
    tried = [line for line in lines if "epoch" in line and "%" in line]
    assert len(tried) == min(7, len(PORTFOLIO) + 1)
    assert sum("chosen" in line for line in tried) == 1
    assert "chosen" in tried[0]
    assert any("the default" in line for line in tried[:2])
    assert "the limit of epochs" not in done.out
    named = run("train", folder / "rows.csv", "--learner", "auto", "--out", folder / "n.rbt")
    assert named.out.replace("n.rbt", "m.rbt") == done.out
    assert (folder / "n.rbt").read_bytes() == (folder / "m.rbt").read_bytes()


def row(name: str, epochs: int, rate: float, **more: Any) -> dict[str, Any]:
    facts = {"name": name, "epochs": epochs, "error_rate": rate, "difference": rate - 0.1}
    return facts | {"standard_error": 0.01, "is_default": False, "chosen": False, **more}


def test_what_was_chosen_comes_first_then_the_default_then_the_best_of_each_other_rule() -> None:
    tried = [
        row("B", 3, 0.05),
        row("A", 50, 0.06, chosen=True),
        row("C", 12, 0.07),
        row("B", 12, 0.08),
        row("A", 12, 0.1, is_default=True),
        *(row(name, 3, 0.2) for name in "DEFGH"),
    ]
    lines = leaderboard_lines(tried)
    assert len(lines) == 8
    assert lines[:4] == [
        "held-out error  to the default  learner",
        "         6.00%    -4.00 ± 1.00  A, 50 epochs, chosen",
        "        10.00%                  A, 12 epochs, the default",
        "         5.00%    -5.00 ± 1.00  B, 3 epochs",
    ]
    assert leaderboard_lines([]) == []


def test_a_class_too_small_to_be_held_out_is_named_on_standard_error(folder: Path) -> None:
    written(folder, "rare.csv", [*rows(), "0.1,3.0,0.01,w"])
    command = ("train", folder / "rare.csv", "--out", folder / "rare.rbt")
    said = "warning: one class is too small to be held out: 'w' (1 row). Learners were trained"
    assert said in run(*command).err
    told = run(*command, "--json")
    assert said in told.err
    assert len(told.json["leaderboard"]) > 5
    assert run(*command, "--quiet").err == ""


def test_a_share_or_a_file_to_watch_is_what_it_chooses_by(folder: Path) -> None:
    written(folder, "dev.csv", rows(40))
    told = {
        dev: run("train", folder / "rows.csv", "--dev", value, "--out", folder / "d.rbt", "--json")
        for dev, value in (("share", "0.25"), ("file", str(folder / "dev.csv")))
    }
    for dev, n in (("share", 30), ("file", 40)):
        rates = [n * found["error_rate"] for found in told[dev].json["leaderboard"]]
        np.testing.assert_allclose(rates, np.round(rates), atol=1e-9)


def test_without_a_search_it_is_the_default_of_twelve_epochs(folder: Path) -> None:
    out = folder / "plain.rbt"
    told = run("train", folder / "rows.csv", "--no-search", "--out", out, "--json").json
    assert (told["learner"], told["epochs"]) == ("PassiveAggressive", 12)
    assert told["leaderboard"] == []


def test_a_command_that_is_repeated_replaces_its_model_and_another_learner_does_not(
    folder: Path,
) -> None:
    with inside(folder):
        assert run("train", "rows.csv").code == 0
        assert run("train", "rows.csv").code == 0
        done = run("train", "rows.csv", "--learner", "pa")
        assert (done.code, "trained by AutoLinear" in done.err) == (2, True)


def test_where_each_row_is_seen_once_the_averaged_perceptron_stays_the_default(
    folder: Path,
) -> None:
    out = folder / "once.rbt"
    told = run("train", folder / "rows.csv", "--one-pass", "--out", out, "--json").json
    assert told["learner"] == "AveragedPerceptron"
    assert run("train", folder / "rows.csv", "--one-pass", "--eta0", "2", "--out", out).code == 0
    done = run("stream", folder / "rows.csv", "--learner", "auto")
    assert (done.code, "there is no 'auto'" in done.err) == (2, True)


def test_a_model_that_was_chosen_goes_on(folder: Path) -> None:
    model = trained(folder, "--learner", "auto", data="\n".join(rows()) + "\n", name="rows.csv")
    before = rosenblatt.load(model).t_
    assert run("train", folder / "rows.csv", "--resume", model).code == 0
    assert rosenblatt.load(model).t_ == before + 120
