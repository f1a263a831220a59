"""Taggers from the shell on UD English-EWT and CoNLL-2000, parts of them and a few epochs."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import rosenblatt
from cli.real_data import data_file, done
from rosenblatt.evaluate import span_scores
from rosenblatt.io import read_conll

pytestmark = pytest.mark.slow


def beginning(name: str, folder: Path, sentences: int) -> Path:
    """The first sentences of a packed file."""
    text = gzip.decompress(data_file(name).read_bytes()).decode("utf-8")
    file = folder / Path(name).name.removesuffix(".gz")
    file.write_text("\n\n".join(text.split("\n\n")[:sentences]) + "\n\n", encoding="utf-8")
    return file


def test_parts_of_speech_of_ewt_from_file_to_file(tmp_path: Path) -> None:
    train = beginning("ud_english_ewt/en_ewt-ud-train.conllu.gz", tmp_path, 3000)
    dev = beginning("ud_english_ewt/en_ewt-ud-dev.conllu.gz", tmp_path, 300)
    test = data_file("ud_english_ewt/en_ewt-ud-test.conllu.gz")
    model, answers = tmp_path / "ewt.rbt", tmp_path / "answers.conllu"
    line = ("tag", "train", train, "--column", "upos", "--dev", dev, "--epochs", "3")
    told = done(*line, "--out", model, "--json").json
    assert told["sentences"] == 3000
    assert told["accuracy"]["dev"] > 0.9

    sentences, right = read_conll(test)
    tagger = rosenblatt.load(model)
    judged = done("tag", "evaluate", model, test, "--json").json
    assert judged["accuracy"] == tagger.score(sentences, right) > 0.9
    assert 0.5 < judged["new_word_accuracy"] < judged["accuracy"]

    done("tag", "predict", model, test, "--out", answers)
    assert read_conll(answers)[1] == tagger.predict(sentences)
    before = gzip.decompress(test.read_bytes()).decode("utf-8").splitlines()
    after = answers.read_text(encoding="utf-8").splitlines()
    assert without_upos(after) == without_upos(before)


def without_upos(lines: list[str]) -> list[list[str]]:
    rows = [line.split("\t") for line in lines]
    return [[*row[:3], *row[4:]] if len(row) == 10 and row[0].isdigit() else row for row in rows]


def test_chunks_of_conll_2000_from_file_to_file(tmp_path: Path) -> None:
    train = beginning("conll2000/train.txt.gz", tmp_path, 2500)
    test = data_file("conll2000/test.txt.gz")
    model = tmp_path / "chunker.rbt"
    line = ("tag", "train", train, "--constraints", "BIO", "--dev", "0.1", "--epochs", "3")
    done(*line, "--out", model, "--quiet")
    judged = done("tag", "evaluate", model, test, "--new-tags", "wrong", "--json").json
    assert judged["spans"]["f1"] > 0.9

    answers = tmp_path / "answers.txt"
    done("tag", "predict", model, test, "--append", "--out", answers)
    sentences, found = read_conll(answers)
    right = [[gold for _, _, gold in sentence] for sentence in sentences]
    assert right == read_conll(test)[1]
    assert span_scores(right, found).f1 == judged["spans"]["f1"]
