"""Labelled text: every line as it stands, and a message for every fault."""

from __future__ import annotations

import bz2
import io
import json
import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import labelled_text

from rosenblatt.errors import DataError
from rosenblatt.tables.readers import lines
from rosenblatt.tables.readers.labelled_text import iter_text, read_text

DATA = Path(os.environ.get("ROSENBLATT_DATA", Path(__file__).parents[4] / "shared" / "data"))

pieces = st.sampled_from([1, 5, 16, 64, 1 << 20])
letters = st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"])
texts = st.text(letters, max_size=40)
labels = st.text(
    st.characters(exclude_characters="\t\r\n\0", exclude_categories=["Cs"]), min_size=1
).filter(lambda label: label.strip(" ") == label and label.strip() not in ("nan", "inf"))
noise = st.lists(
    st.sampled_from([b"\t", b"\t", b"\n", b"\n", b"\r", b" ", b"a", b"spam", b"\xc3\xa9", b'"'])
    | st.sampled_from([b"\xff", b"\0", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", b"\xe2\x82"]),
    max_size=50,
).map(b"".join)


def read_in_blocks(text: bytes, piece: int, **options: Any) -> tuple[list[Any], list[int], int]:
    """Every row as (label, text), the lines they stand on, and how many were passed over."""
    rows: list[Any] = []
    places: list[int] = []
    with patch.object(lines, "PIECE", piece):
        reader = iter_text(io.BytesIO(text), labels="text", on_bad="skip", **options)
        try:
            for block in reader:
                found, y = block
                assert found == block.texts
                rows += zip([None] * len(block) if y is None else y.tolist(), found, strict=True)
                places += block.lines.tolist()
        except DataError as error:
            if not error.message.startswith("0 rows"):
                raise
    return rows, places, reader.skipped


@given(
    st.lists(st.tuples(labels, texts), min_size=1, max_size=8),
    pieces,
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_is_written_is_read_again(rows: Any, piece: int, end: str) -> None:
    text = "".join(f"{label}\t{words}{end}" for label, words in rows).encode()
    found, places, skipped = read_in_blocks(text, piece)
    assert (found, skipped) == (rows, 0)
    assert places == list(range(1, len(rows) + 1))


@settings(max_examples=300)
@given(noise, pieces)
def test_any_bytes_give_what_the_oracle_gives(text: bytes, piece: int) -> None:
    expected, places, bad = [], [], 0
    for number, line in enumerate(text.removesuffix(b"\n").split(b"\n"), 1):
        try:
            row = labelled_text.row(line)
            if row is not None:
                expected.append(row)
                places.append(number)
        except labelled_text.Bad:
            bad += 1
    assert read_in_blocks(text, piece, encoding="utf-8") == (expected, places, bad)


@given(st.lists(texts, min_size=1, max_size=8), pieces)
def test_without_labels_every_line_is_a_text(rows: list[str], piece: int) -> None:
    text = "".join(words + "\n" for words in rows).encode()
    found, _, _ = read_in_blocks(text, piece, labelled=False)
    assert found == [(None, words) for words in rows]
    assert read_text(io.BytesIO(text), labelled=False) == (rows, None)


def test_text_is_verbatim_and_labels_are_bare() -> None:
    text = b'\xef\xbb\xbf spam \t "a"\tb \r\n\n   \n1\t\n2\tno line feed\rbut a return'
    found, y = read_text(io.BytesIO(text))
    assert found == [' "a"\tb ', "", "no line feed\rbut a return"]
    assert y is not None
    assert y.tolist() == ["spam", "1", "2"]


def test_labels_that_are_numbers_are_numbers() -> None:
    _, y = read_text(io.BytesIO(bz2.compress(b"1\ta\n0\tb\n")))
    assert y is not None
    assert y.tolist() == [1, 0]


def test_rejects_are_kept_as_they_stood(tmp_path: Path) -> None:
    rejects = tmp_path / "bad.jsonl"
    with pytest.warns(UserWarning, match="1 row skipped, 1 read"):
        read_text(io.BytesIO(b"ham\tgood\nbad line\n"), on_bad=f"rejects={rejects}")
    reject = json.loads(rejects.read_text())
    assert (reject["line"], reject["text"]) == (2, "bad line")


def test_other_encodings_are_read_when_named() -> None:
    found, _ = read_text(io.BytesIO("a\tcafé\n".encode("latin-1")), encoding="latin-1")
    assert found == ["café"]


FAULTS = [
    (
        b"spam You won",
        "1:1: no tab between label and text",
        "spam You won",
        "^^^^^^^^^^^^",
        "write label<TAB>text\nor read lines without labels with labelled=False",
    ),
    (b" \ttext", "1:2: no label before the tab", "  text", " ^", "write label<TAB>text"),
    (
        b"spam\tcaf\xe9 au lait",
        "1:9: the byte 0xe9 is not UTF-8 text",
        "spam caf␀ au lait",
        "        ^",
        "name the encoding, as in encoding='latin-1'",
    ),
    (
        b"caf\xe9\ttext",
        "1:4: the byte 0xe9 is not UTF-8 text",
        "caf␀ text",
        "   ^",
        "name the encoding, as in encoding='latin-1'",
    ),
    (
        b"a\tb\0c",
        "1:4: a NUL byte is not text",
        "a b␀c",
        "   ^",
        "remove it, if this is a text file at all",
    ),
]


@pytest.mark.parametrize(("row", "message", "shown", "carets", "remedy"), FAULTS)
def test_every_fault_has_its_message(
    row: bytes, message: str, shown: str, carets: str, remedy: str
) -> None:
    with pytest.raises(DataError) as caught:
        read_text(io.BytesIO(row), encoding="utf-8")
    first, excerpt, place, remedies = str(caught.value).split("\n", 3)
    assert first == f"<stream>:{message}"
    assert (excerpt.replace("\ufffd", "␀"), place) == (f"  {shown}", f"  {carets}")
    assert remedies.replace("\n      ", "\n").startswith(f"help: {remedy}\nor skip such rows")


@pytest.mark.skipif(not (DATA / "sms_spam").exists(), reason="the data are not here")
def test_real_messages() -> None:
    found, y = read_text(DATA / "sms_spam" / "SMSSpamCollection.gz", classes=["ham", "spam"])
    assert y is not None
    assert len(found) == 5574
    assert (y == "spam").sum() == 747
    assert found[0].startswith("Go until jurong point, crazy..")
