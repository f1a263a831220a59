"""svmlight files: the same rows as the oracle and scikit-learn, and a message for every fault."""

from __future__ import annotations

import gzip
import io
import os
import warnings
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import svmlight_text
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from rosenblatt import AveragedPerceptron, Perceptron
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.io import SkippedRows, iter_svmlight, read_svmlight
from rosenblatt.tables.readers import lines

DATA = Path(os.environ.get("ROSENBLATT_DATA", Path(__file__).parents[4] / "shared" / "data"))

often = settings(max_examples=100, deadline=None)
pieces = st.sampled_from([1, 2, 3, 7, 16, 33, 64, 1 << 20])
values = st.floats(-1e150, 1e150) | st.integers(-9, 9).map(float)
tables = st.lists(
    st.tuples(
        st.sampled_from(["1", "-1", "+2", "0.5", "yes", "né"]),
        st.dictionaries(st.integers(1, 40) | st.integers(1, 2**31 - 1), values, max_size=8),
    ),
    min_size=1,
    max_size=8,
)
# Bytes that mean something, so that random ones meet in every order.
noise = st.lists(
    st.sampled_from([b" ", b"\t", b"\n", b"\n", b"\r\n", b"\n1 ", b"\n-1 ", b" #", b" 1:", b" 7:2"])
    | st.sampled_from([b"1", b"2.5", b":", b"e3", b"-", b".", b"x", b" qid:3 ", b"nan", b" 0:1"])
    | st.sampled_from(
        [b"\r", b"\0", b"\xff", b"\xc3\xa9", b" 2147483647:1", b" 2147483648:1", b"1e151"]
    ),
    max_size=50,
).map(b"".join)


def read(text: bytes, **options: Any) -> tuple[Any, Any]:
    return read_svmlight(io.BytesIO(text), **options)


def rows_of(X: Any, y: Any) -> list[Any]:
    return [
        (label, X.indices[first:stop].tolist(), X.data[first:stop].tolist())
        for label, first, stop in zip(y.tolist(), X.indptr[:-1], X.indptr[1:], strict=True)
    ]


def in_pieces(text: bytes, piece: int, **options: Any) -> tuple[list[Any], list[int], int]:
    """The rows, their lines, and how many were passed over."""
    rows: list[Any] = []
    at: list[int] = []
    with patch.object(lines, "PIECE", piece), warnings.catch_warnings():
        warnings.simplefilter("ignore", SkippedRows)
        reader = iter_svmlight(io.BytesIO(text), on_bad="skip", **options)
        try:
            for block in reader:
                rows += rows_of(*block)
                at += block.lines.tolist()
        except DataError as error:
            assert "0 rows" in str(error)  # noqa: PT017
    return rows, at, reader.skipped


def fault(text: bytes, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        read(text, **options)
    return str(caught.value)


# ---------------------------------------------------------------------- the same as others


@often
@given(tables, st.booleans(), st.sampled_from(["\n", "\r\n"]), st.booleans(), pieces)
def test_what_is_written_is_read_back_to_the_bit(
    table: list[Any], zero_based: bool, end: str, closed: bool, piece: int
) -> None:
    text = (
        end.join(
            " ".join([label, *(f"{i - zero_based}:{row[i]!r}" for i in sorted(row))])
            for label, row in table
        )
        + end * closed
    )
    expected = [
        (label, [i - 1 for i in sorted(row)], [row[i] for i in sorted(row)]) for label, row in table
    ]
    options: dict[str, Any] = {"zero_based": zero_based, "labels": "text"}
    X, y = read(text.encode(), **options)
    assert repr(rows_of(X, y)) == repr(expected)
    assert X.shape == (len(table), max([1, *(i for _, row in table for i in row)]))
    assert X.has_canonical_format
    assert in_pieces(text.encode(), piece, **options) == (
        rows_of(X, y),
        list(range(1, len(table) + 1)),
        0,
    )


@often
@given(noise, st.booleans(), pieces)
def test_any_lines_are_read_and_refused_as_by_the_oracle(
    text: bytes, zero_based: bool, piece: int
) -> None:
    expected = svmlight_text.rows(text, zero_based)
    rows, at, skipped = in_pieces(text, piece, zero_based=zero_based, labels="text")
    good = [row for row in expected if not isinstance(row, int)]
    assert repr(rows) == repr([(row.label, row.columns, row.values) for row in good])
    assert at == [row.line for row in good]
    assert skipped == len(expected) - len(good)


@often
@given(noise)
def test_the_first_bad_line_is_the_one_named(text: bytes) -> None:
    bad = [row for row in svmlight_text.rows(text) if isinstance(row, int)]
    if bad:
        with pytest.raises(DataError) as caught:
            read(text, labels="text")
        assert caught.value.line == bad[0]


@often
@given(tables)
def test_a_file_of_scikit_learn_is_read_as_scikit_learn_reads_it(table: list[Any]) -> None:
    X = np.zeros((len(table), 40))
    for i, (_, row) in enumerate(table):
        for column, value in row.items():
            X[i, column % 40] = value
    file = io.BytesIO()
    dump_svmlight_file(X, np.arange(len(table)), file, zero_based=False)
    ours, y = read(file.getvalue(), n_features=40)
    file.seek(0)
    theirs, labels = load_svmlight_file(file, n_features=40, zero_based=False)
    assert (ours != theirs).nnz == 0
    np.testing.assert_array_equal(y, labels)


@pytest.mark.parametrize(
    ("name", "n_rows"),
    [
        ("a9a/a9a.gz", 32561),
        ("a9a/a9a.t.gz", 16281),
        ("mushrooms/agaricus.txt.train.gz", 6513),
        ("mushrooms/agaricus.txt.test.gz", 1611),
        ("bananas/banana.all.txt.gz", 5300),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_real_files_are_read_as_by_scikit_learn(name: str, n_rows: int, dtype: Any) -> None:
    if not (DATA / name).exists():
        pytest.skip("the data are not here")
    X, y = read_svmlight(DATA / name, dtype=dtype)
    theirs, labels = load_svmlight_file(
        io.BytesIO(gzip.decompress((DATA / name).read_bytes())), zero_based=False, dtype=dtype
    )
    assert X.shape == theirs.shape
    assert len(y) == n_rows
    for ours, other in [
        (X.data, theirs.data),
        (X.indices, theirs.indices),
        (X.indptr, theirs.indptr),
    ]:
        np.testing.assert_array_equal(ours, other)
    assert X.data.dtype == dtype
    np.testing.assert_array_equal(y, labels)
    if dtype is np.float64 and n_rows < 10_000:
        with patch.object(lines, "PIECE", 1000):
            blocks = list(iter_svmlight(DATA / name, n_features=X.shape[1]))
        assert len(blocks) > 10
        np.testing.assert_array_equal(np.concatenate([b.rows.data for b in blocks]), X.data)
        np.testing.assert_array_equal(np.concatenate([b.y for b in blocks]), y)


# ---------------------------------------------------------------------- what the format allows


@pytest.mark.parametrize(
    "text",
    [
        b"1 1:2 3:4\n-1 2:5\n",
        b"1 1:2 3:4\n-1 2:5",
        b"1 1:2 3:4\r\n-1 2:5\r\n",
        b"\xef\xbb\xbf1 1:2 3:4\n-1 2:5\n",
        b"\n\n1 1:2 3:4\n  \n\t\n-1 2:5\n\r\n",
        b"# a comment\n1 1:2 3:4 # 7:8\n  # nan:\xff\n-1 2:5 #\n",
        b"1 1:2 3:4#9:9\n-1 2:5#\n",
        b"1 qid:7 1:2 3:4\n-1 qid:8 2:5\n",
        b"  1\t1:2 \t 3:4 \n-1 2:5 \r\n",
        b"+1 01:2.0 003:+4\n-1.0 2:.5e1\n",
        b"1 1:2.0  3:4. \t\n-1  2:5.0\t\n",
    ],
)
@pytest.mark.parametrize("piece", [1, 5, 1 << 20])
@pytest.mark.parametrize("behind", [b"", b"\n#" + b"-" * 64], ids=["at the end", "before more"])
def test_blanks_comments_queries_and_line_ends_do_not_matter(
    text: bytes, piece: int, behind: bytes
) -> None:
    with patch.object(lines, "PIECE", piece):
        X, y = read(text + behind)
    np.testing.assert_array_equal(X.toarray(), [[2, 0, 4], [0, 5, 0]])
    np.testing.assert_array_equal(y, [1, -1])


NUMBERS = st.one_of(
    st.floats(-9, 9).map(lambda value: f"{value:.6g}"),
    st.decimals(-10, 10, places=7).map(str),
    st.decimals(-10, 10, places=8).map(str),
    st.floats(-1e9, 1e9).map(repr),
    st.integers(-20, 20).map(str),
    st.sampled_from(["-0", "0.", "-0.0", "9.99999999", "1.0000001e2", "00.5", "+1.5"]),
)


@given(st.lists(st.tuples(st.integers(1, 1 << 30), NUMBERS), min_size=1, max_size=30))
def test_pairs_in_the_midst_of_a_text_are_what_float_reads(pairs: list[tuple[int, str]]) -> None:
    pairs = sorted(dict(pairs).items())
    row = " ".join(f"{index}:{text}" for index, text in pairs).encode()
    X, _ = read(b"1 " + row + b"\n#" + b"-" * 64)
    assert (X.indices + 1).tolist() == [index for index, _ in pairs]
    expected = np.array([float(text) for _, text in pairs])
    assert X.data.tobytes() == expected.tobytes()


# Pairs that stop a run of plain ones, some of them for good.
ODD = ["17:1", "9:0.123456789", "40:.5", "41:1e-3", "42:10.5", "43:0.5\t", "44:0.5 ", "45:-.5"]
ODD += ["0:0.5", "1:0.5:2", "2:--0.5", "3:0.-5", "4:-", "5:0..5", "6: 0.5", ":0.5", "7:0.5x", "8"]
ODD += ["123456789:0.5", "2147483648:0.5", "12345678901:0.5", "7:0.5#", "7:0.5\r", "7:0.5\n", "7:"]
plain_pairs = st.lists(
    st.tuples(st.integers(1, 300) | st.integers(1, 10**8), st.integers(1, 8), st.floats(-9.9, 9.9)),
    max_size=14,
    unique_by=lambda pair: pair[0],
)


@often
@given(
    st.lists(
        st.tuples(plain_pairs, st.integers(0, 14), st.sampled_from(ODD) | st.just("")), max_size=6
    ),
    st.booleans(),
    st.sampled_from([np.float64, np.float32]),
)
def test_runs_of_plain_pairs_end_where_the_oracle_finds_another(
    rows: list[Any], in_order: bool, dtype: Any
) -> None:
    """These are read two at a time, which must not be seen."""
    text = b""
    for pairs, place, odd in rows:
        pairs = sorted(pairs) if in_order else pairs
        words = [f"{index}:{value:.{places}f}" for index, places, value in pairs]
        text += " ".join(["1", *words[:place], odd, *words[place:]]).encode() + b"\n"
    text += b"#" + b"-" * 80 + b"\n"
    found, at, skipped = in_pieces(text, 1 << 20, labels="text", dtype=dtype)
    expected = svmlight_text.rows(text, False)
    good = [row for row in expected if not isinstance(row, int)]
    values = [np.array(row.values, dtype).tolist() for row in good]
    assert repr(found) == repr(
        [(row.label, row.columns, part) for row, part in zip(good, values, strict=True)]
    )
    assert at == [row.line for row in good]
    assert skipped == len(expected) - len(good)


@pytest.mark.parametrize(
    "text", [b"1#a row\n", b"1 qid:3#x 5:1\n"], ids=["after the label", "after the query"]
)
def test_a_comment_may_touch_the_word_before_it(text: bytes) -> None:
    X, y = read(text)
    assert (X.nnz, y.tolist()) == (0, [1])


def test_stored_zeros_stay_stored() -> None:
    X, _ = read(b"1 1:0 2:-0 3:1\n")
    assert X.nnz == 3
    assert np.signbit(X.data).tolist() == [False, True, False]


def test_a_row_without_features_is_a_row_of_zeros() -> None:
    X, y = read(b"1\n-1\n")
    assert X.shape == (2, 1)
    assert X.nnz == 0
    np.testing.assert_array_equal(y, [1, -1])


def test_the_width_can_be_given() -> None:
    assert read(b"1 1:1\n", n_features=5)[0].shape == (1, 5)
    assert read(b"1 0:1\n", n_features=5, zero_based=True)[0].shape == (1, 5)
    assert read(b"1 4:1\n", n_features=5, zero_based=True)[0].shape == (1, 5)


def test_blocks_are_as_wide_as_the_largest_index_so_far() -> None:
    with patch.object(lines, "PIECE", 6):
        widths = [block.X.shape for block in iter_svmlight(io.BytesIO(b"1 2:1\n1 5:1\n1 3:1\n"))]
    assert widths == [(1, 2), (1, 5), (1, 5)]


def test_the_largest_index_is_that_of_int32() -> None:
    X, _ = read(b"1 2147483647:3\n")
    assert X.shape == (1, 2**31 - 1)
    assert X.indices.tolist() == [2**31 - 2]


def test_values_are_float32_when_asked_for() -> None:
    X, _ = read(b"1 1:0.1 2:16777217\n", dtype=np.float32)
    assert X.dtype == np.float32
    assert X.data.tolist() == [float(np.float32(0.1)), 16777216.0]


# ---------------------------------------------------------------------- faults

SKIP = "\n      or skip such rows with on_bad='skip'"
PAIR = "help: write index:value, as in 3:0.5" + SKIP


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (b"1 1:x\n", {}, '<stream>:1:5: "x" is not a number\n  1 1:x\n      ^\n' + PAIR),
        (
            b"1 1:1\n-1 2:5 3:1.5x 4:1 # c\n",
            {},
            '<stream>:2:10: "1.5x" is not a number\n  -1 2:5 3:1.5x 4:1 # c\n           ^^^^\n'
            + PAIR,
        ),
        (
            b"1 1: 2:1\n",
            {},
            "<stream>:1:5: the number is missing\n  1 1: 2:1\n      ^\n"
            "help: write a number after the colon" + SKIP,
        ),
        (
            b"1 1:nan\n",
            {},
            '<stream>:1:5: "nan" is not a finite number\n  1 1:nan\n      ^^^\n' + PAIR,
        ),
        (
            b"1 1:-Inf\n",
            {},
            '<stream>:1:5: "-Inf" is not a finite number\n  1 1:-Inf\n      ^^^^\n' + PAIR,
        ),
        (
            b"1 1:1e151\n",
            {},
            '<stream>:1:5: "1e151" is beyond 1e+150, where its square overflows\n'
            "  1 1:1e151\n      ^^^^^\n"
            "help: scale the feature" + SKIP,
        ),
        (
            b"1 1:-1e400\n",
            {},
            '<stream>:1:5: "-1e400" is beyond 1e+150, where its square overflows\n'
            "  1 1:-1e400\n      ^^^^^^\n"
            "help: scale the feature" + SKIP,
        ),
        (
            b"1 1:1e16\n",
            {"dtype": np.float32},
            '<stream>:1:5: "1e16" is beyond 1e+15, where its square overflows\n'
            "  1 1:1e16\n      ^^^^\n"
            "help: scale the feature" + SKIP,
        ),
        (
            b"1:2 3:4\n",
            {},
            '<stream>:1:1: the row begins with "1:2", not with a label\n  1:2 3:4\n  ^^^\n'
            "help: put a label first" + SKIP,
        ),
        (b"1 12\n", {}, '<stream>:1:3: "12" is not index:value\n  1 12\n    ^^\n' + PAIR),
        (
            b"1 1:2 x # 5\n",
            {},
            '<stream>:1:7: "x" is not index:value\n  1 1:2 x # 5\n        ^\n' + PAIR,
        ),
        (
            b"1 a:2\n",
            {},
            '<stream>:1:3: the index "a" is not a whole number\n  1 a:2\n    ^\n' + PAIR,
        ),
        (
            b"1 -1:2\n",
            {},
            '<stream>:1:3: the index "-1" is not a whole number\n  1 -1:2\n    ^^\n' + PAIR,
        ),
        (
            b"1 1.5:2\n",
            {},
            '<stream>:1:3: the index "1.5" is not a whole number\n  1 1.5:2\n    ^^^\n' + PAIR,
        ),
        (
            b"1 0:2\n",
            {},
            "<stream>:1:3: index 0, but indices begin at 1\n  1 0:2\n    ^\n"
            "help: if this file counts from 0, say zero_based=True" + SKIP,
        ),
        (
            b"1 4:2\n",
            {"n_features": 3},
            "<stream>:1:3: index 4, but with 3 features indices go from 1 to 3\n  1 4:2\n    ^\n"
            "help: raise n_features" + SKIP,
        ),
        (
            b"1 3:2\n",
            {"n_features": 3, "zero_based": True},
            "<stream>:1:3: index 3, but with 3 features indices go from 0 to 2\n  1 3:2\n    ^\n"
            "help: raise n_features" + SKIP,
        ),
        (
            b"1 2147483648:2\n",
            {},
            "<stream>:1:3: index 2147483648 is beyond 2,147,483,647\n"
            "  1 2147483648:2\n    ^^^^^^^^^^\n"
            "help: hash the features first" + SKIP,
        ),
        (
            b"1 99999999999999999999:2\n",
            {},
            "<stream>:1:3: index 99999999999999999999 is beyond 2,147,483,647\n"
            "  1 99999999999999999999:2\n    ^^^^^^^^^^^^^^^^^^^^\nhelp: hash the features first"
            + SKIP,
        ),
        (
            b"1 2:1 2:1\n",
            {},
            "<stream>:1:7: index 2 stands twice in this row\n  1 2:1 2:1\n        ^\n"
            "help: keep one of them" + SKIP,
        ),
        (
            b"1 0:1 0:1\n",
            {"zero_based": True},
            "<stream>:1:7: index 0 stands twice in this row\n  1 0:1 0:1\n        ^\n"
            "help: keep one of them" + SKIP,
        ),
        (
            b"1 5:1 2:1\n",
            {},
            "<stream>:1:7: index 2 comes after a larger one\n  1 5:1 2:1\n        ^\n"
            "help: sort the row by index" + SKIP,
        ),
        (
            b"1 1:1 2:1 3:1\n",
            {"max_features": 2},
            "<stream>:1:11: more than 2 features in one row\n  1 1:1 2:1 3:1\n            ^^^\n"
            "help: raise max_features if the row is right" + SKIP,
        ),
        (
            b"1 1:2\r2 1:3\n",
            {},
            "<stream>:1:6: a carriage return within the line\n  1 1:2␀2 1:3\n       ^\n"
            "help: convert the line ends to line feeds" + SKIP,
        ),
        (
            b"\xc3\xa9\xff 1:2\n",
            {},
            "<stream>:1:2: the byte 0xff is not UTF-8 text\n  é� 1:2\n   ^\n"
            "help: name the encoding, as in encoding='latin-1'" + SKIP,
        ),
        (
            b"a\0 1:2\n",
            {},
            "<stream>:1:2: a NUL byte is not text\n  a␀ 1:2\n   ^\n"
            "help: remove it, if this is a text file at all" + SKIP,
        ),
        (
            b"nan 1:2\n",
            {},
            '<stream>:1:1: the label "nan" is not a class\n  nan 1:2\n  ^^^\n'
            "help: drop the row\n      or give it a label" + SKIP,
        ),
        (
            b"3 1:2\n",
            {"classes": [1, 2]},
            '<stream>:1:1: the label "3" is not one of the known classes 1, 2\n  3 1:2\n  ^\n'
            "help: fix the label, or train with examples of this class first"
            "\n      or let new classes join with classes=None" + SKIP,
        ),
        (
            b"1 1:2\nyes 1:2\n",
            {"labels": "number"},
            '<stream>:2:1: the label "yes" is not a number, unlike those before it\n'
            "  yes 1:2\n  ^^^\n"
            "help: read all labels as text with labels='text'" + SKIP,
        ),
    ],
)
@pytest.mark.parametrize("piece", [1, 1 << 20])
def test_a_fault_is_named_with_place_reason_and_remedy(
    text: bytes, options: dict[str, Any], message: str, piece: int
) -> None:
    with patch.object(lines, "PIECE", piece):
        assert fault(text, **options) == message


def test_zeros_before_an_index_do_not_make_it_large() -> None:
    X, _ = read(b"1 000000000003:1\n")
    assert X.shape == (1, 3)


def test_a_long_row_is_shown_around_the_fault() -> None:
    row = b"1 " + b" ".join(b"%d:0.25" % i for i in range(1, 1000)) + b" 1000:oops 1001:1\n"
    message = fault(b"\n" * 9 + row)
    place, shown, carets = message.splitlines()[:3]
    assert place == f'<stream>:10:{row.index(b"oops") + 1}: "oops" is not a number'
    assert shown.startswith("  …")
    assert len(shown) <= 75
    assert shown[carets.index("^") : carets.rindex("^") + 1] == "oops"


def test_bad_rows_can_be_passed_over() -> None:
    text = b"1 1:1\n1 1:x\n2 2:1\n3 3:nan\n"
    with pytest.warns(SkippedRows) as caught:
        X, y = read(text, on_bad="skip")
    assert str(caught[0].message) == (
        '2 rows skipped, 2 read; the first: <stream>:2:5: "x" is not a number'
    )
    np.testing.assert_array_equal(X.toarray(), [[1, 0], [0, 1]])
    np.testing.assert_array_equal(y, [1, 2])


def test_nothing_of_a_bad_row_stays_behind() -> None:
    with pytest.warns(SkippedRows):
        X, y = read(b"1 1:1\nyes 9:1 10:x\nno 9:1 9:1\n0.5 8:\n2 2:1\n", on_bad="skip")
    assert X.shape == (2, 2)
    assert y.dtype == np.int64


@pytest.mark.parametrize("text", [b"", b"\n\n", b"# only a comment\n", b"\xef\xbb\xbf"])
def test_a_file_without_rows_is_refused(text: bytes) -> None:
    assert fault(text) == "<stream>: 0 rows\nhelp: give a file with rows in it"


@pytest.mark.parametrize(
    "options",
    [
        {"n_features": 0},
        {"n_features": 2**31},
        {"dtype": np.int32},
        {"labels": "number?"},
        {"classes": []},
        {"classes": "ab"},
        {"on_bad": "ignore"},
        {"on_bad": "rejects="},
        {"encoding": "utf-99"},
    ],
)
def test_an_argument_that_makes_no_sense_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(options))):
        read(b"1 1:1\n", **options)


# ---------------------------------------------------------------------- learning from blocks


@pytest.mark.parametrize("learner", [Perceptron, AveragedPerceptron])
@pytest.mark.parametrize("piece", [64, 1000])
def test_learning_from_blocks_gives_the_model_of_one_pass(learner: Any, piece: int) -> None:
    random = np.random.default_rng(5)
    X, y = random.normal(size=(60, 7)) * (random.random((60, 7)) < 0.5), random.integers(0, 3, 60)
    file = io.BytesIO()
    dump_svmlight_file(X, y, file, zero_based=False)
    whole = learner().partial_fit(*read(file.getvalue(), n_features=7), classes=[0, 1, 2])
    stream = learner()
    n_blocks = 0
    file.seek(0)
    with patch.object(lines, "PIECE", piece):
        for block, labels in iter_svmlight(file, n_features=7):
            stream.partial_fit(block, labels, classes=[0, 1, 2])
            n_blocks += 1
    assert n_blocks > 3
    assert stream.t_ == whole.t_ == 60
    np.testing.assert_array_equal(stream.coef_, whole.coef_)
    np.testing.assert_array_equal(stream.intercept_, whole.intercept_)
