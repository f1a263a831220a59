"""Sentences with the text they came from: nothing is lost, and bad ones are in no part."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.io import iter_sentences, read_conll
from rosenblatt.tables.readers import lines
from rosenblatt.tables.readers.sentence_writer import ConllLinesReader, TextPart


def parts_of(text: bytes, **options: Any) -> tuple[list[Any], list[TextPart]]:
    reader = iter_sentences(io.BytesIO(text), keep_lines=True, **options)
    assert isinstance(reader, ConllLinesReader)
    sentences, parts = [], []
    for block in reader:
        sentences += block.sentences
        parts += reader.parts(block)
    return sentences, parts + reader.rest()


WORD = st.sampled_from(["a", "gull", "#", "é", "-DOCSTART-x"])
SENTENCE = st.lists(WORD, min_size=1, max_size=4)
BETWEEN = st.sampled_from(["\n", "\n\n", " \n", "\n-DOCSTART- -X-\n\n", "\n-DOCSTART- O\n"])


@given(st.lists(st.tuples(SENTENCE, BETWEEN), min_size=1, max_size=6), st.integers(1, 40))
def test_all_text_is_in_the_parts_however_it_arrives(
    found: list[tuple[list[str], str]], size: int
) -> None:
    text = "".join("".join(f"{w} X\n" for w in words) + between for words, between in found)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "PIECE", size)
        sentences, parts = parts_of(text.encode(), format="conll")
    assert b"".join(line for part in parts for line in part.lines) == text.encode()
    assert sentences == read_conll(io.BytesIO(text.encode()), format="conll")[0]
    words = [
        [part.lines[i].decode().split()[0] for i in part.words] for part in parts if part.words
    ]
    assert words == sentences


def line(number: str, word: str) -> str:
    return "\t".join([number, word, *["_"] * 8]) + "\n"


def test_words_of_conllu_are_the_lines_with_a_whole_number() -> None:
    text = "# x\n" + line("1-2", "ab") + line("1", "a") + "# y\n" + line("2", "b")
    text += line("2.1", "c") + "\n"
    sentences, parts = parts_of(text.encode(), labelled=False)
    assert sentences == [["a", "b"]]
    [part] = parts
    assert [part.lines[i].decode() for i in part.words] == [line("1", "a"), line("2", "b")]
    assert part.line == 1


def test_bad_sentences_are_in_no_part() -> None:
    good, bad = "# g\n" + line("1", "a") + "\n", "# b\n" + line("1", "a") + "2\tb\n\n"
    for text in (good + bad, bad + good + good, bad + good + bad):
        _, parts = parts_of(text.encode(), labelled=False, on_bad="skip")
        assert (
            b"".join(row for part in parts for row in part.lines) == text.replace(bad, "").encode()
        )


@pytest.mark.parametrize("size", [16, 1 << 20])
def test_a_line_without_end_takes_its_sentence_with_it(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "PIECE", size)
    text = "a X\n\n" + "b" * 300 + " X\nc X\n\nd X\n"
    sentences, parts = parts_of(text.encode(), on_bad="skip", max_line_bytes=100)
    assert [word for words in sentences for word in words] == ["a", "d"]
    kept = b"".join(row for part in parts for row in part.lines)
    assert kept.split() == [b"a", b"X", b"d", b"X"]


def test_a_blank_line_comes_between_files() -> None:
    reader = iter_sentences([io.BytesIO(b"a X"), io.BytesIO(b"b X\n")], keep_lines=True)
    assert isinstance(reader, ConllLinesReader)
    kept = [row for block in reader for part in reader.parts(block) for row in part.lines]
    assert kept == [b"a X\n", b"\n", b"b X\n"]
