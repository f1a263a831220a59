"""rosenblatt tag evaluate: counted again by hand, and with what conlleval would say."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import rosenblatt
from cli.shell import run, written
from cli.tagging import CHUNKS, CHUNKS_NEW, HARBOUR, HARBOUR_NEW, row, trained_tagger
from rosenblatt.evaluate import span_scores
from rosenblatt.io import read_conll


@pytest.fixture(scope="module")
def tagger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained_tagger(tmp_path_factory.mktemp("tagger"))


@pytest.fixture(scope="module")
def chunker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained_tagger(tmp_path_factory.mktemp("chunker"), data=CHUNKS)


def test_all_figures_are_those_of_a_plain_count(tagger: Path) -> None:
    told = run("tag", "evaluate", tagger, HARBOUR_NEW, "--json").json
    sentences, right = read_conll(HARBOUR_NEW)
    found = rosenblatt.load(tagger).predict(sentences)
    pairs = [(a, b) for x, y in zip(right, found, strict=True) for a, b in zip(x, y, strict=True)]
    assert told["sentences"] == len(sentences)
    assert told["words"] == len(pairs)
    assert told["mistakes"] == sum(a != b for a, b in pairs) > 0
    assert told["accuracy"] == sum(a == b for a, b in pairs) / len(pairs)
    assert told["sentences_right"] == sum(x == y for x, y in zip(right, found, strict=True))
    assert told["sentence_accuracy"] == told["sentences_right"] / len(sentences)
    tag, count = Counter(a for a, _ in pairs).most_common(1)[0]
    assert told["baseline"] == {"label": tag, "accuracy": count / len(pairs)}
    known = {word for words in read_conll(HARBOUR)[0] for word in words}
    flat = [word for words in sentences for word in words]
    new = [a == b for word, (a, b) in zip(flat, pairs, strict=True) if word not in known]
    assert (told["new_words"], told["new_word_accuracy"]) == (len(new), sum(new) / len(new))
    for each in told["per_tag"]:
        hits = sum(a == b == each["tag"] for a, b in pairs)
        answered = sum(b == each["tag"] for _, b in pairs)
        assert each["support"] == sum(a == each["tag"] for a, _ in pairs)
        assert each["precision"] == (hits / answered if answered else 0)
    confusions = Counter((a, b) for a, b in pairs if a != b)
    assert {(c["tag"], c["predicted"]): c["words"] for c in told["confusions"]} == dict(confusions)
    assert told["spans"] is None
    assert told["files"] == [str(HARBOUR_NEW)]


def test_spans_are_counted_for_tags_of_spans(chunker: Path) -> None:
    told = run("tag", "evaluate", chunker, CHUNKS_NEW, "--json").json
    sentences, right = read_conll(CHUNKS_NEW)
    expected = span_scores(right, rosenblatt.load(chunker).predict(sentences))
    assert told["spans"]["f1"] == expected.f1
    assert told["spans"]["support"] == expected.overall.support
    assert [kind["type"] for kind in told["spans"]["per_type"]] == [
        kind.type for kind in expected.per_type
    ]


def test_a_tag_never_seen_is_refused_with_its_place_or_counted_as_wrong(
    chunker: Path, tagger: Path, tmp_path: Path
) -> None:
    data = written(tmp_path, "d.conll", "the DET B-NP\n\nof ADP B-PP\nhm INTJ B-XX\n")
    done = run("tag", "evaluate", chunker, data)
    assert (done.code, done.out) == (3, "")
    assert f'error: {data}:4: the tag "B-XX" of "hm" was never seen in training' in done.err
    told = run("tag", "evaluate", chunker, data, "--new-tags", "wrong", "--json").json
    assert told["words"] == 3
    assert {"tag": "B-XX", "support": 1, "precision": 0.0, "recall": 0.0, "f1": 0.0} in told[
        "per_tag"
    ]
    done = run("tag", "evaluate", tagger, "-", text=row("1", "a", "DET") + row("2", "b", "ZZ"))
    assert done.code == 3
    assert '<stdin>:1: the tag "ZZ" of word 2 of this sentence, "b" was never seen' in done.err


def test_files_of_other_layouts_are_read_when_the_columns_are_said(
    tagger: Path, tmp_path: Path
) -> None:
    expected = run("tag", "evaluate", tagger, HARBOUR_NEW, "--json").json
    told = run("tag", "evaluate", tagger, CHUNKS_NEW, "--column", "2", "--json").json
    assert told["accuracy"] == expected["accuracy"]
    done = run("tag", "evaluate", tagger, CHUNKS_NEW)
    assert done.code == 2
    assert "say which one has tags with --target." in done.err
    text = "a/DET gull/NOUN\nhm/VERB\n"
    told = run("tag", "evaluate", tagger, "-", "--json", text=text).json
    assert (told["sentences"], told["words"]) == (2, 3)
    words = written(tmp_path, "d.tsv", "a\tDET\ngull\tNOUN\n")
    assert run("tag", "evaluate", tagger, words, "--json").json["accuracy"] == 1.0


def test_missing_tags_and_bad_sentences_are_told(chunker: Path) -> None:
    done = run("tag", "evaluate", chunker, "-", text="the DET\n")
    assert done.code == 3
    assert "2 columns, but the tagger reads columns 1, 2, 3" in done.err
    text = "the DET B-NP\n\nof ADP\n\ngull NOUN B-NP\n"
    done = run("tag", "evaluate", chunker, "-", "--on-bad", "skip", text=text)
    assert done.code == 0
    assert "1 bad sentence was not counted; the first: <stdin>:3:1" in done.err
    assert done.out.startswith("2 sentences, 2 words")
