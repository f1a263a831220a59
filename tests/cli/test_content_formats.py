"""Files whose names do not say what they are: their rows do."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.shell import MAIL, PETS, run, written

ROWS = ["1 1:1 2:0.5", "-1 2:1 3:-1", "1 1:2", "-1 2:2 3:1"]
FILES = {
    "text": [*MAIL, "ham\tOk", "spam\tFree entry, text 80086; it's on us"],
    "svmlight": ROWS,
    "vw": [line.replace(" ", " |f ", 1) for line in ROWS],
    "jsonl": ['{"a": 1, "label": "x"}', '{"a": 2, "label": "y"}', '{"a": 3, "label": "y"}'],
}


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("verb", ["train", "check"])
def test_a_file_without_an_ending_is_read_by_what_its_rows_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, verb: str
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "data", FILES[kind])
    options = ["--learner", "averaged", "--out", "m.rbt"] if verb == "train" else []
    found = run(verb, "data", *options)
    assert found.code == 0
    notice = f"(--format {kind})\n"
    assert found.err.count("notice: data: read as ") == found.err.count(notice) == 1
    said = run(verb, "data", *options, "--format", kind)
    assert said.out == found.out
    assert notice not in said.err
    assert notice not in run(verb, "data", *options, "--quiet").err


def test_labels_and_texts_with_a_tab_are_no_table_whatever_the_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "mail.tsv", FILES["text"])
    assert run("train", "mail.tsv", "--quiet").code == 0
    assert run("evaluate", "mail.rbt", "mail.tsv").err == ""
    written(tmp_path, "new.tsv", ["win money", "noon"])
    assert run("predict", "mail.rbt", "new.tsv").out.split() == ["spam", "ham"]


@pytest.mark.parametrize(
    "lines",
    [
        ["label\tnote", *FILES["text"]],
        [f"{i}\tsome words {i}" for i in range(9)],
        [*FILES["text"], "ham\tone\ttab more"],
        PETS.replace(",", "\t").splitlines(),
    ],
    ids=["header", "ids", "three columns", "a table"],
)
def test_what_may_be_a_table_stays_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "data.tsv", lines)
    assert "--format text)" not in run("check", "data.tsv").err


def test_options_of_tables_make_it_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "data", FILES["text"])
    done = run("train", "data", "--target", "1", "--no-header", "--delimiter", "\t", "--quiet")
    assert done.code == 0
    assert "2  text" in run("show", "data.rbt").out
