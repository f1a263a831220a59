"""Columns of numbers with texts among them: what every command makes of them."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

import numpy as np
import pytest

import rosenblatt
from cli.shell import run, written

HEADER = "PassengerId,Survived,Pclass,Name,Sex,Age,SibSp,Parch,Ticket,Fare,Cabin,Embarked\n"
OUT = ("--learner", "averaged", "--epochs", "3")
SAID = 'column "dose": 3 of 2,000 values are not numbers, read as gaps: "n/a*" (1), "<0.1" (1)'


def passengers(n: int = 891) -> str:
    """A list of passengers as one knows it: a quarter of the tickets have letters, ages lack."""
    chance = random.Random(1912)
    text = io.StringIO()
    text.write(HEADER)
    writer = csv.writer(text, lineterminator="\n")
    for number in range(1, n + 1):
        sex = chance.choice(["male", "male", "female"])
        survived = int(chance.random() < (0.75 if sex == "female" else 0.2))
        family_name = chance.choice(["Berg", "O'Hara", "van Dam"])
        name = f'{family_name}, Mr. J. "Jack" {number}'
        age = "" if chance.random() < 0.2 else chance.choice(["22", "38.5", "4", "61"])
        ticket = str(2000 + 577 * chance.randrange(680))  # some share one
        if chance.random() < 0.26:
            ticket = f"{chance.choice(['A/5', 'PC', 'STON/O2.', 'C.A.'])} {ticket}"
        fare = f"{80 * chance.random():.4f}"
        cabin = f"C{chance.randrange(130)}" if chance.random() < 0.23 else ""
        family = chance.randrange(4), chance.randrange(3)
        row = [number, survived, chance.choice([1, 2, 3, 3]), name, sex, age, *family]
        writer.writerow([*row, ticket, fare, cabin, chance.choice("SSCQ")])
    return text.getvalue()


def measured(n: int = 2000) -> str:
    """Doses, three of which are no numbers, beyond the rows that a reader guesses by."""
    chance = random.Random(3)
    doses = [chance.gauss(0, 1) for _ in range(n)]
    cells = [f"{dose:.3f}" for dose in doses]
    cells[700], cells[1100], cells[1500] = "n/a*", "<0.1", "error"
    pairs = zip(cells, doses, strict=True)
    return "dose,y\n" + "".join(f"{cell},{'hi' if dose > 0 else 'lo'}\n" for cell, dose in pairs)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "passengers.csv", passengers())
    written(tmp_path, "measured.csv", measured())
    return tmp_path


def test_tickets_with_letters_are_a_category_for_every_command(here: Path) -> None:
    target = ("passengers.csv", "--target", "Survived")
    done = run("check", *target)
    assert done.code == 0
    assert "Ticket       category" in done.out
    assert "Fare         number" in done.out
    assert run("train", *target, *OUT, "--out", "whole.rbt").code == 0
    assert run("stream", *target, "--out", "stream.rbt").code == 0
    assert run("pack", *target, "--out", "packed.rows").code == 0
    assert run("train", "packed.rows", *OUT, "--out", "packed.rbt").code == 0
    assert run("train", *target, *OUT, "--shards", "2", "--out", "shards.rbt").code == 0
    for model in ("whole.rbt", "stream.rbt", "packed.rbt", "shards.rbt"):
        schema = rosenblatt.load(model).schema_
        kinds = {column.name: column.kind for column in schema.columns}
        assert (kinds["Ticket"], kinds["Fare"]) == ("category", "number")
        done = run("predict", model, "passengers.csv")
        assert (done.code, len(done.out.splitlines())) == (0, 891)
        assert run("evaluate", model, "passengers.csv").code == 0


def test_a_few_stray_cells_are_gaps_for_every_command_and_told(here: Path) -> None:
    done = run("check", "measured.csv")
    assert done.code == 0
    assert SAID in done.err
    done = run("train", "measured.csv", *OUT, "--out", "whole.rbt")
    assert (done.code, SAID in done.err) == (0, True)
    done = run("stream", "measured.csv", "--out", "stream.rbt")
    assert (done.code, SAID in done.err) == (0, True)
    done = run("pack", "measured.csv", "--out", "packed.rows")
    assert (done.code, SAID in done.err) == (0, True)
    assert SAID in run("certify", "measured.csv").err
    assert run("train", "packed.rows", *OUT, "--out", "packed.rbt").code == 0
    done = run("train", "measured.csv", *OUT, "--shards", "3", "--out", "shards.rbt")
    assert (done.code, SAID in done.out) == (0, True)
    for model in ("whole.rbt", "stream.rbt", "packed.rbt", "shards.rbt"):
        done = run("predict", model, "measured.csv")
        assert (done.code, len(done.out.splitlines())) == (0, 2000)
        assert SAID in done.err
        assert run("evaluate", model, "measured.csv").code == 0


def test_packed_rows_are_those_of_a_file_whose_first_rows_mislead(here: Path) -> None:
    """Texts begin after a megabyte, or numbers do: two passes see what one does."""
    late = [f"{i}" if i < 90_000 else f"T {i % 40}" for i in range(110_000)]
    blank = [""] * 90_000 + [f"{i % 9}.5" for i in range(20_000)]
    rows = zip(late, blank, strict=True)
    text = "ticket,pay,y\n" + "".join(f"{a},{b},{'uv'[i % 2]}\n" for i, (a, b) in enumerate(rows))
    written(here, "late.csv", text)
    assert run("pack", "late.csv", "--out", "late.rows").code == 0
    assert run("train", "late.rows", *OUT, "--out", "packed.rbt").code == 0
    assert run("train", "late.csv", *OUT, "--out", "whole.rbt").code == 0
    packed, whole = rosenblatt.load("packed.rbt"), rosenblatt.load("whole.rbt")
    assert [column.kind for column in whole.schema_.columns] == ["category", "number"]
    np.testing.assert_array_equal(packed.coef_, whole.coef_)


def test_a_number_that_was_declared_is_not_taken_back(here: Path) -> None:
    done = run("train", "measured.csv", "--column", "dose=number", *OUT)
    assert done.code == 3
    assert 'measured.csv:702:1: column "dose": "n/a*" is not a number' in done.err


def test_a_text_where_training_had_numbers_only_is_a_bad_row(here: Path) -> None:
    clean = measured().replace("n/a*", "1.5").replace("<0.1", "1.5").replace("error", "1.5")
    written(here, "clean.csv", clean)
    assert run("train", "clean.csv", *OUT, "--out", "clean.rbt").code == 0
    done = run("predict", "clean.rbt", "measured.csv")
    assert done.code == 3
    lines = done.out.split("\n")
    assert [number for number, line in enumerate(lines[:2000]) if not line] == [700, 1100, 1500]
