"""Sentences in columns: as the oracle reads them, all of one or nothing, faults with messages."""

from __future__ import annotations

import codecs
import gzip
import io
import json
import lzma
import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from reference import conll

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.tables.readers import lines
from rosenblatt.tables.readers.conll import iter_conll, read_conll

DATA = Path(os.environ.get("ROSENBLATT_DATA", Path(__file__).parents[4] / "shared" / "data"))

pieces = st.sampled_from([1, 7, 16, 33, 64, 1 << 20])
words = st.text(
    st.characters(exclude_characters=" \t\r\n\0", exclude_categories=["Cs"]), min_size=1, max_size=6
).filter(lambda word: word.strip() and word != "-DOCSTART-")
noise = st.lists(
    st.sampled_from([b"a", b"b", b" ", b" ", b"\t", b"\n", b"\n\n", b"a b\n", b"a b\n\n", b"\r"])
    | st.sampled_from([b"#", b"\xff", b"\xc3\xa9", b"-DOCSTART-", b"-DOCSTART- b\n", b"\r\n"]),
    max_size=40,
).map(b"".join)


def word_line(number: str, rest: str = "f l NOUN NN _ 0 root _ _") -> bytes:
    return "\t".join([number, *rest.split(" ")]).encode() + b"\n"


noise_u = st.lists(
    st.sampled_from([word_line("1"), word_line("1"), word_line("2"), word_line("3"), b"\n", b"\n"])
    | st.sampled_from([word_line("1-2"), word_line("2.1"), b"# text\n", b"#\n", b"\r\n", b"1\tx\n"])
    | st.sampled_from([word_line("x"), word_line("1", "f l \xff NN _ 0 root _ "), word_line("01")]),
    max_size=20,
).map(b"".join)


def read(text: bytes, **options: Any) -> Any:
    return read_conll(io.BytesIO(text), **options)


def read_in_blocks(text: bytes, piece: int, **options: Any) -> tuple[list[Any], list[Any], int]:
    """Sentences, tags, and how many sentences were passed over."""
    sentences: list[Any] = []
    tags: list[Any] = []
    with patch.object(lines, "PIECE", piece):
        reader = iter_conll(io.BytesIO(text), on_bad="skip", **options)
        try:
            for block in reader:
                sentences += block.sentences
                tags += block.tags or []
        except DataError as error:
            if not error.message.startswith("0 sentences"):
                raise
    return sentences, tags, reader.skipped


@st.composite
def tables(draw: Any) -> list[list[list[str]]]:
    n = draw(st.integers(2, 4))
    row = st.lists(words, min_size=n, max_size=n)
    return draw(st.lists(st.lists(row, min_size=1, max_size=5), min_size=1, max_size=5))  # type: ignore[no-any-return]


@given(tables(), pieces, st.sampled_from(["\n", "\r\n"]), st.sampled_from([" ", "\t", "  \t"]))
def test_what_is_written_is_read_again(table: Any, piece: int, end: str, gap: str) -> None:
    text = end.join("".join(gap.join(row) + end for row in sentence) for sentence in table).encode()
    if gap == "  \t":
        text = text.replace(b"\t", b"")
    assume(not text.startswith(codecs.BOM_UTF8))  # a mark of the file, not of its first word
    sentences, tags, skipped = read_in_blocks(text, piece, format="conll")
    assert skipped == 0
    assert tags == [[row[-1] for row in sentence] for sentence in table]
    n = len(table[0][0])
    expected = [[tuple(row[:-1]) if n > 2 else row[0] for row in s] for s in table]
    assert sentences == expected


@settings(max_examples=300)
@given(noise, pieces)
def test_any_bytes_give_what_the_oracle_gives(text: bytes, piece: int) -> None:
    good, bad = conll.conll(text)
    sentences, _, skipped = read_in_blocks(text, piece, format="conll", labelled=False)
    n = len(good[0][0]) if good else 0
    expected = [[tuple(word) if n > 1 else word[0] for word in sentence] for sentence in good]
    assert (sentences, skipped) == (expected, bad)


@settings(max_examples=300)
@given(noise_u, pieces)
def test_any_lines_of_conllu_give_what_the_oracle_gives(text: bytes, piece: int) -> None:
    good, bad = conll.conllu(text)
    options: Any = {"format": "conllu", "inputs": ["id", "form", -2], "target": "misc"}
    sentences, tags, skipped = read_in_blocks(text, piece, **options)
    assert sentences == [[(word[0], word[1], word[8]) for word in s] for s in good]
    assert tags == [[word[9] for word in s] for s in good]
    assert skipped == bad


@given(st.binary(max_size=200), pieces, st.sampled_from(["auto", "conll", "conllu"]))
def test_any_bytes_at_all_are_read_or_refused(text: bytes, piece: int, format: str) -> None:
    try:
        sentences, tags, _ = read_in_blocks(text, piece, format=format)
    except DataError:
        return
    assert [len(s) for s in sentences] == [len(t) for t in tags]


CONLLU = b"""# sent_id = 1
# text = vamonos al mar
1-2\tvamonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tvamos\tir\tVERB\tV\t_\t0\troot\t_\t_
2\tnos\tnosotros\tPRON\tP\t_\t1\tobj\t_\t_
2.1\tgone\t_\t_\t_\t_\t_\t_\t_\t_

# a comment alone

1\tNew York\tmar\tNOUN\tN\t_\t0\troot\t_\t_
# in between
2\t#\t#\tSYM\tS\t_\t1\tdep\t_\t_
"""


def test_conllu_is_known_by_its_first_row() -> None:
    for text in (CONLLU, CONLLU[CONLLU.index(b"1-2") :], CONLLU.replace(b"\n", b"\r\n")):
        for piece in (1, 40, 1 << 20):
            with patch.object(lines, "PIECE", piece):
                sentences, tags = read(text)
            assert sentences == [["vamos", "nos"], ["New York", "#"]]
            assert tags == [["VERB", "PRON"], ["NOUN", "SYM"]]


@pytest.mark.parametrize("name", ["a.conllu", "A.CoNLLU"])
def test_a_file_named_conllu_is_read_as_such_or_refused(tmp_path: Path, name: str) -> None:
    nine = "1\ta\t_\tNOUN\t_\t_\t0\troot\t_\n\n"
    for text in (nine, "a\tB\n\n"):
        (tmp_path / name).write_text(text)
        with pytest.raises(DataError, match=r"columns, but CoNLL-U has 10"):
            read_conll(tmp_path / name)
    (tmp_path / name).write_text("# text = a\n# more\n")
    with pytest.raises(DataError, match="0 sentences"):
        read_conll(tmp_path / name)
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(nine.encode()))
    with pytest.raises(DataError, match=r"columns, but CoNLL-U has 10"):
        read_conll(packed)


def test_columns_are_chosen_by_number_or_name() -> None:
    sentences, tags = read(CONLLU, target="xpos", inputs=["form", 2])
    assert sentences[1] == [("New York", "mar"), ("#", "#")]
    assert tags == [["V", "P"], ["N", "S"]]
    assert read(CONLLU, labelled=False) == ([["vamos", "nos"], ["New York", "#"]], None)
    text = b"a b c\n"
    assert read(text) == ([[("a", "b")]], [["c"]])
    assert read(text, target=0) == ([[("b", "c")]], [["a"]])
    assert read(text, target=-2, inputs=-1) == ([["c"]], [["b"]])
    assert read(text, inputs=[0]) == ([[("a",)]], [["c"]])
    assert read(text, labelled=False) == ([[("a", "b", "c")]], None)
    assert read(b"a\nb\n\nc\n", labelled=False) == ([["a", "b"], ["c"]], None)


def test_a_hash_is_a_word_of_conll_and_document_marks_are_none() -> None:
    text = b"-DOCSTART- -X- O O\n\n# # B\nc d I\n\n-DOCSTART- -X- O O\ne f O\n"
    assert read(text) == ([[("#", "#"), ("c", "d")], [("e", "f")]], [["B", "I"], ["O"]])


def test_tabs_keep_blanks_within_a_column() -> None:
    assert read(b"New York\tB-LOC\nis\tO\n") == ([["New York", "is"]], [["B-LOC", "O"]])


def test_a_bad_line_takes_its_sentence_with_it(tmp_path: Path) -> None:
    text = b"a X\nb Y\n\nc X\nbad\nd X\n\n\ne X\n\nbad too much\nf X"
    for piece in (1, 8, 1 << 20):
        rejects = tmp_path / f"{piece}.jsonl"
        with (
            patch.object(lines, "PIECE", piece),
            pytest.warns(UserWarning, match="2 sentences skipped"),
        ):
            found = read(text, on_bad=f"rejects={rejects}")
        assert found == ([["a", "b"], ["e"]], [["X", "Y"], ["X"]])
        first, second = map(json.loads, rejects.read_text().splitlines())
        assert (first["line"], first["text"]) == (5, "c X\nbad\nd X")
        assert (second["line"], second["text"]) == (11, "bad too much\nf X")


@pytest.mark.parametrize("place", range(4))
def test_what_is_left_of_a_sentence_with_an_endless_line_is_not_learned(place: int) -> None:
    rows = [b"a X\n", b"b X\n", b"c X\n"]
    rows.insert(place, b"d" * 200 + b" X\n")
    text = b"e Y\n\n" + b"".join(rows) + b"\nf Y\n"
    with patch.object(lines, "PIECE", 16):
        reader = iter_conll(io.BytesIO(text), on_bad="skip", max_line_bytes=64)
        sentences = [sentence for block in reader for sentence in block.sentences]
    assert sentences == [["e"], ["f"]]
    assert "longer than 64 bytes" in reader.first_faults[0].message


def test_a_sentence_without_end_is_given_up() -> None:
    text = b"a X\n\n" + b"b X\n" * 1000 + b"\nc X\n"
    for limits in ({"max_tokens": 100}, {"max_line_bytes": 100}):
        with patch.object(lines, "PIECE", 64):
            reader = iter_conll(io.BytesIO(text), on_bad="skip", **limits)
            sentences = [sentence for block in reader for sentence in block.sentences]
        assert sentences == [["a"], ["c"]]
        assert reader.skipped == 1


def test_several_files_and_lines_of_sentences(tmp_path: Path) -> None:
    first, second = tmp_path / "1.conll", tmp_path / "2.conll.xz"
    first.write_bytes(b"\xef\xbb\xbfa X\nb X\n\n\nc X")
    second.write_bytes(lzma.compress(b"\nd X\n"))
    blocks = list(iter_conll([first, second]))
    assert [s for block in blocks for s in block.sentences] == [["a", "b"], ["c"], ["d"]]
    assert [line for block in blocks for line in block.lines] == [1, 5, 2]
    assert next(iter(blocks[0])) == blocks[0].sentences


def test_equal_strings_are_one_object() -> None:
    sentences, tags = read(b"".join(b"word%d N T\n\n" % (i % 3) for i in range(30)))
    assert len({id(word) for s in sentences for word in s}) == 3
    assert len({id(tag) for t in tags for tag in t}) == 1


BLANK_LINES = "give every row the same columns, and put a blank line between sentences"
GOOD = word_line("1").decode()
FAULTS = [
    ("a b c\nd e\n", "2:1: 2 columns, but the first row has 3", "^^^", BLANK_LINES),
    ("a b\nc\n", "2:1: 1 column, but the first row has 2", "^", BLANK_LINES),
    ("a b\nd  e f\n", "2:1: 3 columns, but the first row has 2", "^^^^^^", BLANK_LINES),
    (
        "a\tb\nc\t\n",
        "2:2: an empty column",
        " ^",
        'write "_" for nothing; columns are divided by one tab',
    ),
    (
        "a b\nc\rd\n",
        "2:2: a carriage return within the line",
        " ^",
        "convert the line ends to line feeds",
    ),
    (
        "a b\nc \0\n",
        "2:3: a NUL byte is not text",
        "  ^",
        "remove it, if this is a text file at all",
    ),
    (
        GOOD + "2 f l\n",
        "2:1: 1 column, but CoNLL-U has 10",
        "^^^^^",
        "divide columns by one tab",
    ),
    (
        GOOD + GOOD,
        '2:1: word "1" where word 2 is due',
        "^",
        "put a blank line between sentences and number words from 1",
    ),
    (
        GOOD + GOOD.replace("1", "x-1"),
        '2:1: "x-1" is not the number of a word',
        "^^^",
        "write 1, or 1-2, or 1.1",
    ),
    (
        GOOD + GOOD.replace("1", "2").replace("NOUN", "_"),
        '2:7: "_" in the column to learn: no tag',
        "      ^",
        "choose another column\nor add the tag",
    ),
    (
        "a b\n" * 7,
        "7:1: more than 6 words in one sentence",
        "^^^",
        "put blank lines between sentences\nor raise max_tokens",
    ),
]


@pytest.mark.parametrize(("text", "message", "carets", "remedy"), FAULTS)
def test_every_fault_has_its_message(text: str, message: str, carets: str, remedy: str) -> None:
    with pytest.raises(DataError) as caught:
        read(text.encode(), max_tokens=6)
    first, _, place, remedies = str(caught.value).split("\n", 3)
    assert first == f"<stream>:{message}"
    assert place == f"  {carets}"
    assert remedies.replace("\n      ", "\n").startswith(f"help: {remedy}\nor skip such rows")


def test_a_bad_byte_is_located() -> None:
    with pytest.raises(DataError, match="2:4: the byte 0xe9 is not UTF-8 text"):
        read(b"a b\ncaf\xe9 b\n")


def test_one_column_has_no_tags() -> None:
    with pytest.raises(DataError, match="only one column: words or tags are missing"):
        read(b"a\nb\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "xml"}, "format='xml' is not known: give 'auto', 'conll' or 'conllu'"),
        ({"target": 3}, "target=3 is not a column here: give a number from -3 to 2"),
        ({"target": "upos"}, "target='upos' is not a column here"),
        ({"inputs": [0, -4]}, "inputs=-4 is not a column here"),
        ({"inputs": [True]}, "inputs=True is not a column here"),
        ({"format": "conllu", "target": "tag"}, "or one of id, form, lemma, upos"),
    ],
)
def test_arguments_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        read(b"a b c\n", **options)


def test_a_file_without_words_is_refused() -> None:
    for text in (b"", b"\n\n", b"-DOCSTART- O\n\n"):
        with pytest.raises(DataError, match="0 sentences"):
            read(text)


def test_real_chunks() -> None:
    path = DATA / "conll2000" / "train.txt.gz"
    if not path.exists():
        pytest.skip("the data are not here")
    sentences, tags = read_conll(path)
    assert tags is not None
    assert (len(sentences), sum(map(len, sentences))) == (8936, 211727)
    assert len({tag for sentence in tags for tag in sentence}) == 22
    assert len({word[1] for sentence in sentences for word in sentence}) == 44
    assert sentences[0][0] == ("Confidence", "NN")


@pytest.mark.parametrize(("target", "n_tags"), [("upos", 17), ("xpos", 49)])
def test_real_words(target: str, n_tags: int) -> None:
    path = DATA / "ud_english_ewt" / "en_ewt-ud-train.conllu.gz"
    if not path.exists():
        pytest.skip("the data are not here")
    sentences, tags = read_conll(path, target=target)
    assert tags is not None
    assert (len(sentences), sum(map(len, sentences))) == (12544, 204577)
    assert len({tag for sentence in tags for tag in sentence}) == n_tags


def test_columns_are_also_named_by_texts_that_count_from_1() -> None:
    text = b"He PRP B-NP\nruns VBZ B-VP\n"
    for target, inputs, number in (("3", ["1", "2"], 2), ("last", ["1", "2"], -1), ("2", "1", 1)):
        found = read_conll(io.BytesIO(text), target=target, inputs=inputs)
        numbers = [0, 1] if isinstance(inputs, list) else 0
        assert found == read_conll(io.BytesIO(text), target=number, inputs=numbers)
    with pytest.raises(
        ParameterError, match=r"target='4' is not a column here: .* from 1 to 3, last"
    ):
        read_conll(io.BytesIO(text), target="4")
    with pytest.raises(ParameterError, match="target='upos' is not a column here"):
        read_conll(io.BytesIO(text), target="upos")


def test_a_reader_knows_its_columns_and_the_file_of_a_block(tmp_path: Path) -> None:
    files = [tmp_path / "a.conll", tmp_path / "b.conll"]
    for file in files:
        file.write_text("go VB\n")
    reader = iter_conll(files)
    assert reader.columns is None
    assert [reader.source for _ in reader] == [str(file) for file in files]
    assert reader.columns is not None
    assert reader.columns._asdict() == {
        "format": "conll",
        "n_columns": 2,
        "target": 1,
        "inputs": (0,),
        "tabs": False,
    }
