"""Vowpal Wabbit text: rows as the oracle and vw itself read them, a message for every fault."""

from __future__ import annotations

import gzip
import io
import json
import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import vw_text

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.tables.readers import lines
from rosenblatt.tables.readers.vw import iter_vw, read_vw

DATA = Path(os.environ.get("ROSENBLATT_DATA", Path(__file__).parents[4] / "shared" / "data"))

pieces = st.sampled_from([1, 7, 16, 33, 64, 1 << 20])
names = st.text(
    st.characters(exclude_characters=" \t\r\n:|^\0", exclude_categories=["Cs"]), min_size=1
)
values = st.floats(-1e6, 1e6) | st.integers(-9, 9).map(float)
features = st.lists(st.tuples(names | st.sampled_from(["a", "b", "7"]), values), max_size=30)
spaces = st.tuples(st.just("") | names, st.sampled_from([1.0, 0.5, -3.0]), features)
examples = st.lists(
    st.tuples(
        st.sampled_from(["yes", "no", "1", "-1"]), st.floats(0, 1e9), st.lists(spaces, max_size=3)
    ),
    min_size=1,
    max_size=5,
)
# Bytes that mean something, so that random ones meet in every order.
noise = st.lists(
    st.sampled_from([b"|", b"|", b":", b" ", b" ", b"a", b"12", b".5", b"\n", b"\n1 |", b"\r"])
    | st.sampled_from(
        [b"\t", b"'", b"\xff", b"\0", b"e9", b"-", b"nan", b",", b"1e200", b"\xc3\xa9"]
    ),
    max_size=60,
).map(b"".join)


def read(text: bytes, **options: Any) -> Any:
    return read_vw(io.BytesIO(text), **options)


def read_in_blocks(text: bytes, piece: int, **options: Any) -> tuple[list[Any], int]:
    """Every row as (label, weight, {column: value}), and how many were passed over."""
    rows: list[Any] = []
    with patch.object(lines, "PIECE", piece):
        reader = iter_vw(io.BytesIO(text), labels="text", on_bad="skip", **options)
        try:
            for block in reader:
                X, y = block
                assert all(np.diff(X[[i]].indices).min(initial=1) > 0 for i in range(len(block)))
                for i, (label, weight) in enumerate(zip(y, block.weights, strict=True)):
                    row = slice(X.indptr[i], X.indptr[i + 1])
                    found = dict(zip(X.indices[row].tolist(), X.data[row].tolist(), strict=True))
                    rows.append((str(label), weight, found))
        except DataError as error:
            if not error.message.startswith("0 rows"):
                raise
    return rows, reader.skipped


def written(rows: Any, end: str = "\n") -> bytes:
    text = ""
    for label, weight, parts in rows:
        text += f"{label} {weight!r} "
        for namespace, scale, members in parts or [("", 1.0, [])]:
            text += f"|{namespace}" + (f":{scale!r}" if namespace else "")
            text += "".join(f" {name}:{value!r}" for name, value in members) + " "
        text += end
    return text.encode()


@given(examples, pieces, st.sampled_from(["\n", "\r\n"]))
def test_what_is_written_is_read_again(rows: Any, piece: int, end: str) -> None:
    found, skipped = read_in_blocks(written(rows, end), piece, bits=12)
    assert skipped == 0
    assert len(found) == len(rows)
    for (label, weight, parts), row in zip(rows, found, strict=True):
        flat = [
            (vw_text.column(space.encode(), name.encode(), 12), (scale if space else 1.0) * value)
            for space, scale, members in parts
            for name, value in members
        ]
        assert row == (label, weight, vw_text.summed(flat))


@settings(max_examples=300)
@given(noise, pieces, st.sampled_from([1, 18, 30]))
def test_any_bytes_give_what_the_oracle_gives(text: bytes, piece: int, bits: int) -> None:
    expected, bad = [], 0
    for line in text.removesuffix(b"\n").split(b"\n"):
        try:
            row = vw_text.row(line)
            if row is not None:
                flat = [(vw_text.column(*names, bits), value) for *names, value in row.features]
                expected.append((row.label, row.weight, vw_text.summed(flat)))
        except vw_text.Bad:
            bad += 1
    assert read_in_blocks(text, piece, bits=bits) == (expected, bad)


@settings(max_examples=200)
@given(noise.map(lambda text: text.replace(b"\xff", b"").replace(b"\0", b"")), pieces)
def test_any_text_gives_the_exact_names_of_the_oracle(text: bytes, piece: int) -> None:
    expected, numbers = [], dict[bytes, int]()
    for line in text.removesuffix(b"\n").split(b"\n"):
        try:
            row = vw_text.row(line)
        except vw_text.Bad:
            continue
        if row is not None:
            flat = []
            for space, name, value in row.features:
                full = space + b"^" + name if space else name
                flat.append((numbers.setdefault(full, len(numbers)), value))
            expected.append((row.label, row.weight, vw_text.summed(flat)))
    assert read_in_blocks(text, piece, bits=None)[0] == expected


@given(examples, pieces)
def test_exact_names_are_one_column_each(rows: Any, piece: int) -> None:
    text = written(rows)
    found, _ = read_in_blocks(text, piece, bits=None)
    numbers: dict[str, int] = {}
    for (_, _, parts), (_, _, row) in zip(rows, found, strict=True):
        flat = []
        for space, scale, members in parts:
            for name, value in members:
                full = f"{space}^{name}" if space else name
                flat.append(
                    (numbers.setdefault(full, len(numbers)), (scale if space else 1) * value)
                )
        assert row == vw_text.summed(flat)
    whole = read(text, bits=None)
    assert whole.names == list(numbers)
    assert whole.X.shape == (len(rows), max(1, len(numbers)))


def test_columns_are_those_of_vw() -> None:
    # As printed by vw 9.11 with --audit.
    known = {
        b"1 |f 123:0.5 abc:2 00012 9 12345678901234567890123": {
            34998: 0.5,
            1403: 2.0,
            34887: 1.0,
            34884: 1.0,
            183558: 1.0,
        },
        b"1 | 7 x": {7: 1.0, 170779: 1.0},
        b"1 |9:2 a:3": {100110: 6.0},
        b"1 'tag|a b|c d": {144016: 1.0, 68370: 1.0},
        b"1 |a\tx:+5 y:5. z:.5": {55432: 5.0, 42847: 5.0, 202246: 0.5},
    }
    for text, row in known.items():
        X = read(text).X
        assert dict(zip(X.indices.tolist(), X.data.tolist(), strict=True)) == row


def test_long_rows_are_sorted_and_repeated_words_counted() -> None:
    words = [f"w{i * i % 997}" for i in range(5000)]
    X, _, _, found = read(b"1 |t " + " ".join(words).encode(), bits=None)
    assert found == [f"t^{word}" for word in dict.fromkeys(words)]
    assert X.data.tolist() == [words.count(name[2:]) for name in found]
    X = read(b"1 |t " + " ".join(words).encode(), bits=30).X
    assert X.sum() == 5000
    assert np.all(np.diff(X.indices) > 0)


def test_labels_importance_and_tags() -> None:
    text = b"1 |a x\n-1 0.25 |a x\n1 2 'tag |a x\n1 'tag|a x\n1 3 t|a x\n\n  \n1   4   |\n"
    X, y, weights, found = read(text)
    assert y.tolist() == [1, -1, 1, 1, 1, 1]
    assert weights.tolist() == [1, 0.25, 2, 1, 3, 4]
    assert found is None
    assert X.shape == (6, 2**18)
    assert X.nnz == 5


def test_names_of_another_file_give_the_same_columns() -> None:
    text = b"1 |a x y |b z\n"
    known = read(text, bits=None).names
    assert known == ["a^x", "a^y", "b^z"]
    X, _, _, found = read(b"1 |b z:3 new |a q y:2\n", names=known)
    assert found == known
    assert X.toarray().tolist() == [[0, 2, 3]]
    assert read(b"1 | x ^y z^w\n", bits=None).names == ["x", "^^y", "^z^w"]


def test_a_bad_row_leaves_no_name_behind() -> None:
    text = b"1 |a x y\n1 |a new another:oops\n1 |a z\n"
    with pytest.warns(UserWarning, match="1 row skipped, 2 read"):
        rows = read(text, bits=None, on_bad="skip")
    assert rows.names == ["a^x", "a^y", "a^z"]
    assert rows.X.toarray().tolist() == [[1, 1, 0], [0, 0, 1]]


def test_blocks_share_one_vocabulary() -> None:
    with patch.object(lines, "PIECE", 7):
        blocks = list(iter_vw(io.BytesIO(b"1 |a x\n2 |a y\n3 |a x z\n"), bits=None))
    assert [block.names for block in blocks] == [["a^x"], ["a^x", "a^y"], ["a^x", "a^y", "a^z"]]
    assert [line for block in blocks for line in block.lines] == [1, 2, 3]
    assert blocks[-1].X.toarray().tolist() == [[1, 0, 1]]


def test_without_labels_what_stands_before_the_bar_is_passed_over() -> None:
    X, y, weights, _ = read(b"|a x\n1 |a x\n1:2:3 4:5 |a x y\n", labelled=False, bits=None)
    assert y is None
    assert weights.tolist() == [1, 1, 1]
    assert X.toarray().tolist() == [[1, 0], [1, 0], [1, 1]]


def test_byte_order_mark_packing_and_float32(tmp_path: Path) -> None:
    path = tmp_path / "rows.vw.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf1 |a x:0.1\r\n2 |a x:0.2"))
    X, y, _, _ = read_vw(path, bits=None, dtype=np.float32)
    assert y.tolist() == [1, 2]
    np.testing.assert_array_equal(X.toarray(), np.float32([[0.1], [0.2]]))


def test_rejects_are_kept_as_they_stood(tmp_path: Path) -> None:
    rejects = tmp_path / "bad.jsonl"
    with pytest.warns(UserWarning, match="skipped"):
        read(b"1 |a x\n1|a x\n", on_bad=f"rejects={rejects}")
    reject = json.loads(rejects.read_text())
    assert (reject["line"], reject["text"]) == (2, "1|a x")


COSTS = "this reader takes one class a row; write label |namespace name:value"
FORM = "write label |namespace name:value, as in 1 |f height:1.5"
UNLABELLED = "or read rows without labels with labelled=False"
TAG = 'no label: "{}" is a tag, as it touches the bar or begins with a quote'
FIRST = f"put a label first, and a blank between it and the bar\n{UNLABELLED}"
NUMBER = "write a number after the colon, or name=word for a word"
FAULTS = [
    ("1 abc", "1:1", "no bar | in this row", FORM),
    ("|a x", "1:1", "no label before the bar", f"put a label first\n{UNLABELLED}"),
    ("1|a x", "1:1", TAG.format("1"), FIRST),
    ("'t |a x", "1:1", TAG.format("'t"), FIRST),
    ("1\t|a x", "1:2", "a tab before the first bar", "put a blank there"),
    (
        "1 x|a y:2 z:b",
        "1:13",
        '"b" is not a number',
        NUMBER,
    ),
    ("1 |a x: y", "1:8", "the number is missing", NUMBER),
    ("1 |a x:nan", "1:8", '"nan" is not a finite number', NUMBER),
    ("1 |a:w x", "1:6", '"w" is not a number', NUMBER),
    (
        "1 |a x:1e200",
        "1:8",
        '"1e200" is beyond 1e+150, where its square overflows',
        "scale the feature",
    ),
    (
        "1 |a x:1e150 x:1e150",
        "1:3",
        "features of this row add up beyond 1e+150, where the square overflows",
        "scale the features",
    ),
    (
        "1 |a:1e90 x y:1e90",
        "1:15",
        '"1e90" times the weight of its namespace is beyond 1e+150, where its square overflows',
        "scale the feature",
    ),
    (
        "1 inf |a x",
        "1:3",
        'the importance "inf" is not a finite number',
        "write label importance |..., or a quote before a tag, as in 'tag",
    ),
    ("1 -2 |a x", "1:3", 'the importance "-2" is negative', "write 0 or more"),
    (
        "1 2 3 |a x",
        "1:5",
        '"3" would be an initial prediction, which no learner here takes',
        "leave it out; a tag needs a quote before it, as in 'tag",
    ),
    (
        "the cat sat on |a x",
        "1:9",
        "more than label, importance and tag before the first bar",
        f"is a bar missing? W{FORM[1:]}",
    ),
    (
        "1:2:0.5 |a x",
        "1:1",
        '"1:2:0.5" has a colon: costs and probabilities of actions are not labels',
        COSTS,
    ),
    ("shared |a x", "1:1", '"shared" begins an example of several lines', COSTS),
    ("1,2 |a x", "1:1", '"1,2" is a list of labels', COSTS),
    (
        "'t 1 |a x",
        "1:1",
        'the tag "\'t" stands where the label belongs',
        "put the label first",
    ),
    ("1 |:2 x", "1:4", '":2" is not a namespace: it has no name', "write |name:weight"),
    ("1 |a :2", "1:6", '":2" is not a feature: it has no name', "write name:value"),
    (
        "1 |a x\ry",
        "1:7",
        "a carriage return within the line",
        "convert the line ends to line feeds",
    ),
    (
        "1 |a 1 2 3 4 5 6",
        "1:16",
        "more than 5 features in one row",
        "raise max_features if the row is right",
    ),
]


@pytest.mark.parametrize(("row", "place", "message", "remedy"), FAULTS, ids=lambda v: v[:20])
def test_every_fault_has_its_message(row: str, place: str, message: str, remedy: str) -> None:
    with pytest.raises(DataError) as caught:
        read(row.encode(), max_features=5)
    first, *_, remedies = str(caught.value).split("\n", 3)
    assert first == f"<stream>:{place}: {message}"
    assert remedies.replace("\n      ", "\n").startswith(f"help: {remedy}\nor skip such rows")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (b"1 |a x\xff", "1:7: the byte 0xff is not UTF-8 text"),
        (b"1 |a\xff x", "1:5: the byte 0xff is not UTF-8 text"),
        (b"1\xff |a x", "1:2: the byte 0xff is not UTF-8 text"),
        (b"1 |a x\0", "1:7: a NUL byte is not text"),
        (b"1 |a^b x", '1:4: the namespace "a^b" has a "^", which divides namespace and feature'),
    ],
)
def test_exact_names_are_text(row: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message.replace("^", r"\^")):
        read(row, bits=None)


def test_hashed_names_are_bytes() -> None:
    assert read(b"1 |a\xff x\xff\0 a^b\n").X.nnz == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"bits": 0},
            "bits=0 is not allowed: give a whole number from 1 to 30, or None for exact names",
        ),
        ({"bits": 31}, "bits=31"),
        ({"dtype": np.int32}, "give float32 or float64"),
        ({"names": "abc"}, "names='abc' is not allowed: give a list of names"),
        ({"names": ["a", "a"]}, "names has 'a' twice"),
        ({"names": []}, "names is empty"),
    ],
)
def test_arguments_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        read(b"1 |a x\n", **options)


@pytest.mark.skipif(not (DATA / "rcv1_small").exists(), reason="the data are not here")
def test_real_rows() -> None:
    rows = read_vw(DATA / "rcv1_small" / "rcv1_small.dat.gz", bits=None)
    assert rows.X.shape == (1000, 9738)
    assert set(rows.y.tolist()) == {-1, 1}
    hashed = read_vw(DATA / "rcv1_small" / "rcv1_small.dat.gz")
    assert hashed.X.nnz == rows.X.nnz
    assert np.isclose(hashed.X.sum(), rows.X.sum())
    # Numbered features keep their distance.
    first = sorted(
        int(name.partition("^")[2]) for name in np.array(rows.names)[rows.X[[0]].indices]
    )
    shift = vw_text.hashed(b"f", 0)
    assert hashed.X[[0]].indices.tolist() == sorted((n + shift) % 2**18 for n in first)


def test_some_rows_of_a_block_are_a_block() -> None:
    block = iter_vw(io.BytesIO(b"1 2.0 | a b\n-1 | c\n1 3.0 | a\n"), bits=None).whole()
    part = block[1:3]
    assert (len(part), part.labels.tolist(), part.lines.tolist()) == (2, [-1, 1], [2, 3])
    assert part.weights.tolist() == [1.0, 3.0]
    assert part.names == block.names
    np.testing.assert_array_equal(part.X.toarray(), block.X.toarray()[1:3])
    assert len(block) == 3
