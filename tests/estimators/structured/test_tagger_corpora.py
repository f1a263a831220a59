"""Real sentences: parts of speech of English web text, and chunks of newspaper text."""

from __future__ import annotations

import pytest

from rosenblatt import SequenceTagger
from rosenblatt.models.constraints import LeftOutSentences

from . import taggers

pytestmark = pytest.mark.slow

EWT, CONLL2000 = taggers.DATA / "ud_english_ewt", taggers.DATA / "conll2000"

Pairs = tuple[list[list[str]], list[list[str]]]


def parts_of_speech(name: str) -> Pairs:
    words, tags = [], []
    for lines in taggers.read_columns(EWT / f"en_ewt-ud-{name}.conllu.gz"):
        tokens = [line for line in lines if line[0].isdigit()]
        words.append([token[1] for token in tokens])
        tags.append([token[3] for token in tokens])
    return words, tags


def spans(tags: list[str]) -> set[tuple[int, int, str]]:
    """First and last token and type of every chunk; an I that opens one counts as B."""
    found, first = set(), 0
    for i, tag in enumerate(tags):
        kind, _, of = tag.partition("-")
        before, _, of_before = tags[i - 1].partition("-") if i else ("O", "", "")
        if kind == "B" or (kind == "I" and (before == "O" or of_before != of)):
            first = i
        after, _, of_after = tags[i + 1].partition("-") if i + 1 < len(tags) else ("O", "", "")
        if kind != "O" and (after != "I" or of_after != of):
            found.add((first, i, of))
    return found


@pytest.mark.skipif(not EWT.exists(), reason="the English Web Treebank is not here")
def test_parts_of_speech_of_web_text() -> None:
    xs, ys = parts_of_speech("train")
    tagger = SequenceTagger().fit(xs, ys)
    assert tagger.score(*parts_of_speech("test")) >= 0.948
    short, again = (SequenceTagger(max_iter=2).fit(xs, ys) for _ in range(2))
    assert taggers.bytes_of(short) == taggers.bytes_of(again)


@pytest.mark.skipif(not CONLL2000.exists(), reason="the CoNLL-2000 chunks are not here")
def test_chunks_of_newspaper_text() -> None:
    read = {
        name: list(taggers.read_columns(CONLL2000 / f"{name}.txt.gz")) for name in ("train", "test")
    }
    xs = {k: [[(w, pos) for w, pos, _ in s] for s in found] for k, found in read.items()}
    ys = {k: [[tag for _, _, tag in s] for s in found] for k, found in read.items()}
    tagger = SequenceTagger(max_iter=10, constraints="BIO")
    with pytest.warns(LeftOutSentences, match=r"tags\[4048\]: 'I-NP' after 'B-PP'.* 16 of 8,936"):
        tagger.fit(xs["train"], ys["train"])
    assert f1(tagger.predict(xs["test"]), ys["test"]) >= 0.936
    tagger = SequenceTagger(max_iter=10).fit(xs["train"], ys["train"])
    assert f1(tagger.predict(xs["test"]), ys["test"]) >= 0.936
    assert f1(tagger.set_params(constraints="BIO").predict(xs["test"]), ys["test"]) >= 0.936


def f1(answers: list[list[str]], gold: list[list[str]]) -> float:
    found = [spans(tags) for tags in answers]
    right = [spans(tags) for tags in gold]
    both = sum(len(a & b) for a, b in zip(found, right, strict=True))
    return 2 * both / (sum(map(len, found)) + sum(map(len, right)))
