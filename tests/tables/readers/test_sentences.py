"""Sentences of any layout: what a file is, where words and tags stand, and how they come out."""

from __future__ import annotations

import io
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from cli.tagging import CHUNKS, HARBOUR, HARBOUR_NEW, row
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt
from rosenblatt import SequenceTagger
from rosenblatt.errors import DataError, InputError, ModelFileError, ParameterError
from rosenblatt.io import (
    SentenceLayout,
    SentenceWriter,
    SkippedRows,
    iter_sentences,
    read_conll,
    read_sentences,
)
from rosenblatt.tables.readers import lines

CONLLU = row("1", "a", "DET") + row("2", "gull", "NOUN") + "\n" + row("1", "rain", "NOUN")
COLUMNS = "a D B\ngull N I\n\nrain N B\n"
TEXT = "a/DET gull/NOUN\nrain/NOUN\n"
WORDS = [["a", "gull"], ["rain"]]


def layout_of(text: str, like: SentenceLayout | None = None, **options: Any) -> SentenceLayout:
    return iter_sentences(io.BytesIO(text.encode()), like, **options).layout


# ---------------------------------------------------------------------- what a file is


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        (CONLLU, SentenceLayout("conllu", 10, 3, (1,))),
        ("# text = a gull\n" + CONLLU, SentenceLayout("conllu", 10, 3, (1,))),
        (COLUMNS, SentenceLayout("conll", 3, 2, (0, 1))),
        (COLUMNS.replace(" ", "\t"), SentenceLayout("conll", 3, 2, (0, 1))),
        ("-DOCSTART- O\n\na X\n", SentenceLayout("conll", 2, 1, (0,))),
        ("# X\na X\n", SentenceLayout("conll", 2, 1, (0,))),
        (TEXT, SentenceLayout("text", 2, 1, (0,), "/")),
        ("\n\n" + TEXT, SentenceLayout("text", 2, 1, (0,), "/")),
        ("1/2/NUM and\n", SentenceLayout("conll", 2, 1, (0,))),
    ],
)
def test_the_first_lines_tell_the_layout_however_they_arrive(
    text: str, layout: SentenceLayout, monkeypatch: pytest.MonkeyPatch
) -> None:
    for size in (1, 5, 1 << 20):
        monkeypatch.setattr(lines, "PIECE", size)
        assert layout_of(text) == layout


@pytest.mark.parametrize(
    ("options", "target", "inputs"),
    [
        ({"target": "2"}, 1, (0,)),
        ({"target": 0}, 0, (1, 2)),
        ({"target": -2}, 1, (0,)),
        ({"inputs": "1"}, 2, (0,)),
        ({"inputs": [1, 0]}, 2, (1, 0)),
        ({"target": "last", "inputs": ("2",)}, 2, (1,)),
    ],
)
def test_columns_are_named_or_numbered(
    options: dict[str, Any], target: int, inputs: tuple[int, ...]
) -> None:
    assert layout_of(COLUMNS, **options) == SentenceLayout("conll", 3, target, inputs)


def test_all_layouts_give_the_same_sentences(tmp_path: Path) -> None:
    expected = WORDS, [["DET", "NOUN"], ["NOUN"]]
    columns = "a DET\ngull NOUN\n\nrain NOUN\n"
    for text in (CONLLU, TEXT, columns):
        assert read_sentences(io.BytesIO(text.encode())) == expected
    assert read_sentences(io.BytesIO(b"a gull\nrain\n"), labelled=False) == (WORDS, None)
    file = tmp_path / "d.conllu"
    file.write_text("1\ta\n")  # its name says what it should be
    with pytest.raises(DataError, match="2 columns, but CoNLL-U has 10"):
        read_sentences(file)
    assert read_sentences(file, format="conll") == ([["1"]], [["a"]])


def test_every_sentence_of_several_files_knows_its_place(tmp_path: Path) -> None:
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text("\na/X\n")
    second.write_text("b/X\nb\nc/Y\n")
    reader = iter_sentences([first, second], on_bad="skip")
    with pytest.warns(SkippedRows, match=r"1 sentence skipped, 3 read; the first: .*b\.txt:2:1"):
        block = reader.whole()
    assert [block.place(i) for i in range(3)] == [
        (str(first), 2),
        (str(second), 1),
        (str(second), 3),
    ]
    part = block[[2, 0]]
    assert (part.sentences, part.tags, part.n_tokens) == ([["c"], ["a"]], [["Y"], ["X"]], 2)
    assert part.place(0) == (str(second), 3)
    assert block[:2].sentences == [["a"], ["b"]]


def test_a_share_is_held_out_and_the_rest_is_learned_from() -> None:
    block = iter_sentences(io.BytesIO(b"".join(b"%d/X\n" % i for i in range(10)))).whole()
    learned, held = block.hold_out(0.3, seed=4)
    assert (len(learned), len(held)) == (7, 3)
    assert sorted(learned.sentences + held.sentences) == block.sentences
    assert block.hold_out(0.3, seed=4)[1].sentences == held.sentences
    for share, lost in ((0.01, "watch"), (0.99, "learn from")):
        with pytest.raises(InputError, match=f"of 10 sentences leaves none to {lost}"):
            block.hold_out(share, seed=0)


def test_a_pipe_is_looked_at_and_read_from_its_beginning(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(CONLLU,))
    writer.start()
    assert read_sentences(pipe) == (WORDS, [["DET", "NOUN"], ["NOUN"]])
    writer.join()


@pytest.mark.parametrize("text", ["", "\n\n", " \t\n"])
def test_a_file_without_sentences_is_refused(text: str) -> None:
    for options in ({}, {"format": "conll"}, {"labelled": False}):
        with pytest.raises(DataError, match="0 sentences") as caught:
            read_sentences(io.BytesIO(text.encode()), **options)
        assert "give a file with sentences in it" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "options", "what"),
    [
        (TEXT, {"target": 1}, "target has no meaning for text"),
        (TEXT, {"inputs": 1}, "inputs has no meaning for text"),
        (COLUMNS, {"target": 0, "inputs": 0}, "inputs has column 1, which is that of tags"),
        (COLUMNS, {"target": "upos"}, "target='upos' is not a column here"),
        (CONLLU, {"target": "upso"}, 'Did you mean "upos"'),
        (COLUMNS, {"format": "csv"}, "format='csv' is not known"),
        (TEXT, {"mark": " "}, "mark=' ' is not allowed"),
    ],
)
def test_what_cannot_be_a_layout_is_refused(text: str, options: dict[str, Any], what: str) -> None:
    with pytest.raises(ParameterError) as caught:
        layout_of(text, **options)
    assert what in str(caught.value)


def test_names_that_tell_several_formats_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="do not tell one format for all"):
        iter_sentences([HARBOUR, CHUNKS])


# ---------------------------------------------------------------------- as a tagger knows it

OF_CHUNKS = SentenceLayout("conll", 3, 2, (0, 1))
OF_CONLLU = SentenceLayout("conllu", 10, 4, (1,))


@pytest.mark.parametrize(
    ("like", "text", "options", "layout"),
    [
        (OF_CHUNKS, COLUMNS, {}, OF_CHUNKS),
        (OF_CHUNKS, "a D\n", {"labelled": False}, SentenceLayout("conll", 2, 2, (0, 1))),
        (OF_CONLLU, CONLLU, {}, OF_CONLLU),
        (OF_CONLLU, "a X\n", {}, SentenceLayout("conll", 2, 1, (0,))),
        (OF_CONLLU, "a gull\n", {"labelled": False}, SentenceLayout("text", 2, 1, (0,), "/")),
        (
            OF_CHUNKS,
            CONLLU,
            {"inputs": ["form", "upos"], "target": "misc"},
            SentenceLayout("conllu", 10, 9, (1, 3)),
        ),
    ],
)
def test_a_file_is_laid_out_as_those_of_training(
    like: SentenceLayout, text: str, options: dict[str, Any], layout: SentenceLayout
) -> None:
    assert layout_of(text, like, **options) == layout


def test_a_mark_is_taken_from_training_unless_it_is_given() -> None:
    like = SentenceLayout("text", 2, 1, (0,), "_")
    assert read_sentences(io.BytesIO(b"a/b_X c_Y\n"), like) == ([["a/b", "c"]], [["X", "Y"]])
    assert read_sentences(io.BytesIO(b"a_b|X\n"), like, mark="|") == ([["a_b"]], [["X"]])


@given(
    st.sampled_from(["conll", "conllu", "text"]),
    st.lists(st.integers(0, 9), min_size=2, max_size=4, unique=True),
    st.sampled_from([None, "/", "||"]),
)
def test_a_layout_is_kept_as_json(format: str, columns: list[int], mark: str | None) -> None:
    layout = SentenceLayout(format, 10, columns[0], tuple(columns[1:]), mark)
    assert SentenceLayout.from_json(layout.to_json()) == layout
    with pytest.raises(ModelFileError):
        SentenceLayout.from_json({**layout.to_json(), "columns": max(columns)})


# ---------------------------------------------------------------------- what a tagger gives


def tagged(tagger: SequenceTagger, data: bytes, to: str | None = None, **options: Any) -> bytes:
    reader = iter_sentences(
        io.BytesIO(data), tagger.schema_, labelled=False, keep_lines=True, tags=tagger.tags_
    )
    writer = SentenceWriter(reader, to, **options)
    texts = [writer.write(block, tagger.predict(block.sentences)) for block in reader]
    return b"".join([*texts, writer.rest()])


@pytest.fixture(scope="module")
def tagger() -> SequenceTagger:
    reader = iter_sentences(HARBOUR)
    made = SequenceTagger().fit(*reader.whole())
    made.schema_ = reader.layout
    return made


def test_python_writes_what_the_shell_writes(tagger: SequenceTagger, tmp_path: Path) -> None:
    from cli.shell import run

    model = tmp_path / "m.rbt"
    rosenblatt.save(tagger, model)
    again = rosenblatt.load(model)
    assert again.schema_ == tagger.schema_ == SentenceLayout("conllu", 10, 3, (1,))
    data = HARBOUR_NEW.read_bytes()
    for to in (None, "conll", "text", "tags"):
        done = run("tag", "predict", model, HARBOUR_NEW, *(() if to is None else ("--to", to)))
        assert tagged(again, data, to).decode() == done.out
    assert tagged(tagger, b"a gull\n\nrain\n") == b"a/DET gull/NOUN\n\nrain/NOUN\n"


def test_columns_that_came_without_tags_get_them_behind_the_others() -> None:
    made = SequenceTagger().fit(*read_conll(CHUNKS))
    assert made.schema_ == OF_CHUNKS
    text = b"-DOCSTART- X\n\nthe DET\r\ngull NOUN\n\n"
    assert tagged(made, text) == b"-DOCSTART- X\n\nthe DET B-NP\r\ngull NOUN I-NP\n\n"
    judged = tagged(made, b"the DET O\n", append=True)
    assert judged == b"the DET O B-NP\n"


def test_mappings_have_no_layout() -> None:
    made = SequenceTagger().fit([[{"w": 1}, {"v": 1}]], [["A", "B"]])
    assert made.schema_ is None


def test_what_cannot_be_written_is_refused(tagger: SequenceTagger) -> None:
    data = io.BytesIO(CONLLU.encode())
    with pytest.raises(ParameterError, match="keep_lines=True"):
        SentenceWriter(iter_sentences(data, tagger.schema_))
    text = iter_sentences(io.BytesIO(b"a gull\n"), labelled=False)
    with pytest.raises(ParameterError, match="to='conllu' needs a tagger that was trained on"):
        SentenceWriter(text, "conllu")
    with pytest.raises(ParameterError, match="append is for columns"):
        SentenceWriter(text, append=True)
    with pytest.raises(ParameterError, match="to='xml' is not known"):
        SentenceWriter(text, "xml")


# ---------------------------------------------------------------------- a sentence a line


def all_of(blocks: list[Any], name: str) -> list[Any]:
    return [one for block in blocks for one in getattr(block, name)]


def test_tagged_text_is_cut_at_the_last_mark() -> None:
    text = b"1/2/NUM of/ADP\n\n  and\\/or/CCONJ\n"
    blocks = list(iter_sentences(io.BytesIO(text), format="text"))
    assert all_of(blocks, "sentences") == [["1/2", "of"], ["and\\/or"]]
    assert all_of(blocks, "tags") == [["NUM", "ADP"], ["CCONJ"]]
    assert all_of(blocks, "lines") == [1, 3]


def test_text_without_tags_keeps_empty_lines() -> None:
    blocks = list(iter_sentences(io.BytesIO("a\u00a0b c\n\n\td".encode()), labelled=False))
    assert all_of(blocks, "sentences") == [["a\u00a0b", "c"], [], ["d"]]
    assert {block.tags for block in blocks} == {None}


@pytest.mark.parametrize("word", ["b", "/X", "b/"])
def test_a_word_without_its_tag_is_named(word: str) -> None:
    text = f"a/X\né/X {word} c/X\n"
    with pytest.raises(DataError, match="is not a word with its tag") as caught:
        list(iter_sentences(io.BytesIO(text.encode()), format="text"))
    assert (caught.value.line, caught.value.column) == (2, 5)
    reader = iter_sentences(io.BytesIO(text.encode()), format="text", on_bad="skip")
    assert all_of(list(reader), "sentences") == [["a"]]
    assert reader.skipped == 1


@pytest.mark.parametrize("mark", ["", " ", "a b"])
def test_a_mark_must_be_seen(mark: str) -> None:
    with pytest.raises(ParameterError, match="mark="):
        iter_sentences(io.BytesIO(b"a/X\n"), mark=mark)
