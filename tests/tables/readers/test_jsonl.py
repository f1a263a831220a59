"""JSON lines: what Python's reader gives, nothing that it refuses, and columns by key."""

from __future__ import annotations

import gzip
import io
import json
import os
import warnings
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import json_lines

from rosenblatt.errors import DataError
from rosenblatt.io import ExtraColumns, SkippedRows, Table, iter_table, read_table
from rosenblatt.tables.readers import lines
from rosenblatt.tables.readers.column_roles import GuessedTarget
from rosenblatt.tables.readers.number_style import GAPS

DATA = Path(os.environ.get("ROSENBLATT_DATA", Path(__file__).parents[4] / "shared" / "data"))
SKIP = "\n      or skip such rows with on_bad='skip'"

often = settings(max_examples=100, deadline=None)
pieces = st.sampled_from([1, 2, 3, 7, 16, 33, 64, 1 << 20])
letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
texts = st.text(letters | st.sampled_from('"\\/\b\f\n\r\té😀\u2028'), max_size=8)
keys = st.text(letters, min_size=1, max_size=5)


def read(text: bytes | str, target: str | int | None = None, **options: Any) -> Table:
    data = text.encode() if isinstance(text, str) else text
    return read_table(io.BytesIO(data), target, format="jsonl", **options)


def fault(text: bytes | str, target: str | int | None = None, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        read(text, target, **options)
    return str(caught.value)


@often
@given(
    st.lists(keys, min_size=1, max_size=4, unique=True).flatmap(
        lambda names: st.lists(
            st.fixed_dictionaries(dict.fromkeys(names, texts)), min_size=1, max_size=5
        )
    ),
    st.booleans(),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
    st.booleans(),
    st.randoms(use_true_random=False),
    pieces,
)
def test_texts_are_read_back(
    rows: list[dict[str, str]], ascii: bool, end: str, closed: bool, random: Any, piece: int
) -> None:
    """Whatever the order of the keys."""
    mixed = [dict(random.sample(sorted(row.items()), len(row))) for row in rows]
    text = end.join(json.dumps(row, ensure_ascii=ascii) for row in mixed) + end * closed
    with patch.object(lines, "PIECE", piece):
        table = read(text, types="text")
    assert table.names == list(mixed[0])
    assert {name: column.tolist() for name, column in table.columns.items()} == {
        name: ["" if row[name] in GAPS else row[name] for row in rows] for name in table.names
    }


@often
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "a": st.floats(-1e150, 1e150),
                "b": st.integers(-(10**30), 10**30),
                "c": st.booleans(),
                "d": texts,
                "y": st.sampled_from(["yes", "no"]),
            }
        ),
        min_size=1,
        max_size=6,
    ),
    pieces,
)
def test_numbers_words_and_texts_are_read_back(rows: list[dict[str, Any]], piece: int) -> None:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    with patch.object(lines, "PIECE", piece):
        table = read(text, "y")
    expected = np.array([[float(row[key]) for key in table.number_names] for row in rows])
    assert sorted(table.number_names) == ["a", "b", "c"]
    assert table.numbers.tobytes() == expected.tobytes()
    assert table.texts["d"].tolist() == ["" if row["d"] in GAPS else row["d"] for row in rows]
    assert table.y.tolist() == [row["y"] for row in rows]


# Pieces that mean something, so that random ones meet in every order.
words = st.sampled_from(
    [
        *["{", "}", '"', '"', ":", ",", " ", "\t", "\\", "\\n", "\\u00e9", "\\ud83d\\ude00"],
        *["\\ud83d", "\\u0000", '"a"', '"b"', '"a": 1', ', "a": 2', '"x": ""', "1", "-", "0", "01"],
        *[".5", "1.", "1e5", "1E+2", "+1", "null", "true", "nan", "NaN", "Infinity", "[", "]"],
        *["[]", "{}", "é", "\x7f", "\x1f", "\ufeff", "\u2028"],
    ]
)


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """An object of the right keys with pieces put in, left out or changed."""
    text = draw(
        st.sampled_from(
            [
                '{"a": 1, "b": "x"}',
                '{"b": "\\u00e9\\\\", "a": -0.5e-3}',
                '{ "a" : "1" ,\t"b":true } ',
            ]
        )
    )
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(words | st.just("")) + text[at + draw(st.integers(0, 3)) :]
    return text


@settings(max_examples=500, deadline=None)
@given(damaged() | st.lists(words, max_size=9).map(lambda parts: "{" + "".join(parts) + "}"))
def test_a_line_is_refused_exactly_where_pythons_reader_refuses_it(line: str) -> None:
    if "\n" in line or "\r" in line:
        return
    try:
        expected = json_lines.row(line.encode())
    except json_lines.Bad:
        expected = {"refused": True}
    # Any value may be missing here, and a first row gives the columns.
    first = '{"a": "t", "b": "t"}\n'
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ExtraColumns)
            table = read(first + line + "\n", types="text", missing=["null"], columns=["a", "b"])
    except DataError:
        assert expected == {"refused": True}
        return
    assert expected != {"refused": True}
    if expected is None:
        assert len(table) == 1
        return
    for key in "ab":
        value = expected.get(key)
        found = table.texts[key][1]
        if isinstance(value, str) or value is None:
            assert found == (value or "")
        elif isinstance(value, bool):
            assert found == str(value).lower()
        else:
            assert float(found) == value


@pytest.mark.parametrize("part", ["train", "test"])
def test_newsgroups_are_read_as_by_python(part: str) -> None:
    name = DATA / "newsgroups20" / f"20news-bydate-{part}.jsonl.gz"
    if not name.exists():
        pytest.skip("the data are not here")
    table = read_table(name, "label")
    rows = [json.loads(line) for line in gzip.decompress(name.read_bytes()).splitlines()]
    assert table.names == ["id", "text"]
    assert table.y.tolist() == [row["label"] for row in rows]
    assert table.texts["text"].tolist() == [row["text"] for row in rows]
    assert table.texts["id"].tolist() == [row["id"] for row in rows]


# ---------------------------------------------------------------------- columns and gaps


def test_the_keys_of_the_first_row_are_the_columns() -> None:
    table = read('{"b": 1, "a": "x"}\n{"a": "y", "b": 2}\n')
    assert table.names == ["b", "a"]
    assert table.numbers.ravel().tolist() == [1, 2]


def test_missing_values_are_nan_or_empty() -> None:
    table = read(
        '{"a": 1, "b": "x"}\n{"a": null, "b": null}\n{}\n{"b": "?", "a": "?"}\n',
        types={"a": "number", "b": "text"},
    )
    np.testing.assert_array_equal(table.numbers.ravel(), [1, np.nan, np.nan, np.nan])
    assert table.texts["b"].tolist() == ["x", "", "", ""]


def test_a_later_row_may_bring_a_column() -> None:
    table = read('{"a": 1}\n{"b": 2}\n')
    np.testing.assert_array_equal(table.X, [[1, np.nan], [np.nan, 2]])


def test_keys_that_are_not_used_are_told_of_once() -> None:
    text = '{"a": 1}\n' * 100 + '{"a": 2, "x": 3}\n{"y": "z", "a": 4}\n'
    with pytest.warns(ExtraColumns) as caught:
        table = read(text)
    assert [str(warning.message) for warning in caught] == ['2 keys are not used: "x", "y"']
    assert table.X.ravel().tolist() == [1] * 100 + [2, 4]


def test_keys_that_are_to_be_ignored_are_not_told_of() -> None:
    text = b'{"id": 7, "a": 1, "k": "x", "more": 2}\n'
    with warnings.catch_warnings():
        warnings.simplefilter("error", ExtraColumns)
        assert read(text, "k", ignore=["id"]).names == ["a", "more"]
    with pytest.warns(ExtraColumns, match='^<stream>: 1 column is not used: "more"$'):
        read(text, "k", columns=["a"], ignore=["id"])


def test_columns_can_be_chosen_and_ordered() -> None:
    with pytest.warns(ExtraColumns, match='1 column is not used: "b"'):
        table = read('{"a": 1, "b": 2, "c": 3, "y": 0}\n', "y", columns=["c", "a"])
    np.testing.assert_array_equal(table.X, [[3, 1]])


def test_texts_that_are_numbers_are_numbers_in_a_column_of_numbers() -> None:
    assert read('{"a": "1.5"}\n{"a": 2}\n', types="number").X.ravel().tolist() == [1.5, 2]


def test_more_keys_than_allowed_are_refused() -> None:
    assert "max_features=2" in fault('{"a": 1, "b": 2, "c": 3}\n', max_features=2)


@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b'{"a": "x\xff"}',
        b'{"a": ' + b"1" * 5000 + b"}",
        b"{" * 5000,
        b'{"a":\r1}',
    ],
    ids=["no keys", "bad byte", "many digits", "deep", "carriage return"],
)
def test_no_row_is_read_without_columns(line: bytes) -> None:
    """Either the columns are found or the row is refused."""
    try:
        table = read(line + b"\n")
    except DataError:
        return
    assert table.names == ["a"]


@pytest.mark.parametrize("piece", [1, 16, 1 << 20])
def test_columns_are_found_after_rows_that_are_passed_over(piece: int) -> None:
    with (
        patch.object(lines, "PIECE", piece),
        pytest.warns(SkippedRows, match="1 row skipped, 2 read"),
    ):
        table = read('oops\n{"a": 1}\n{"a": 2}\n', on_bad="skip")
    assert table.X.ravel().tolist() == [1, 2]


# ---------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("line", "place", "words"),
    [
        ("oops", "2:1", '"oops" is not a JSON object'),
        ("[1]", "2:1", '"[1" is not a JSON object'),
        ("{a: 1}", "2:2", '"a:" where a key in double quotes should be'),
        ('{"a": 1,}', "2:9", '"}" where a key in double quotes should be'),
        ('{"a" 1}', "2:6", '"1" where a colon should be'),
        ('{"a": 1 "b": "x"}', "2:9", """'"b":' where a comma or closing brace should be"""),
        (
            '{"a": 1, "b": "x"',
            "2:18",
            "the end of the line where a comma or closing brace should be",
        ),
        ('{"a": 1, "b": "x"} 7', "2:20", '"7" after the object'),
        ('{"a": 01, "b": "x"}', "2:7", '"01" is not a JSON value'),
        ('{"a": NaN, "b": "x"}', "2:7", '"NaN" is not a JSON value'),
        ('{"a": +1, "b": "x"}', "2:7", '"+1" is not a JSON value'),
        ('{"a": , "b": "x"}', "2:7", '"," is not a JSON value'),
        ('{"a": 1, "b": "x}', "2:15", "the string opened here is never closed"),
        ('{"a": 1, "b": "x\\', "2:15", "the string opened here is never closed"),
        ('{"a": 1, "b": "x\x01"}', "2:17", "a control character within a string"),
        ('{"a": 1, "b": "\\q"}', "2:16", '"\\q" is not an escape for text'),
        ('{"a": 1, "b": "\\ud800"}', "2:16", '"\\ud800" is not an escape for text'),
        ('{"a": 1, "b": "\\u0000"}', "2:16", '"\\u0000" is not an escape for text'),
        ('{"a": 1, "b": "x", "a": 2}', "2:20", 'the key "a" stands twice, first at column 2'),
        (
            '{"a": 1, "b": "x", "z": 1, "z": 2}',
            "2:28",
            'the key "z" stands twice, first at column 20',
        ),
        ('{"a": {"c": 1}, "a": 2, "b": []}', "2:7", "a list or object within the object"),
        ('{"a": "x", "b": "x"}', "2:7", """column "a": '"x"' is not a number"""),
        (
            '{"a": 1e200, "b": "x"}',
            "2:7",
            'column "a": "1e200" is beyond 1e+150, where its square overflows',
        ),
        (b'{"a": 1, "b": "\xc3\xa9\xff"}', "2:17", 'column "b": the byte 0xff is not UTF-8 text'),
        (b'{"a": 1, "b": "\\n\xff"}', "2:18", 'column "b": the byte 0xff is not UTF-8 text'),
        (b'{"a": 1, "b": "x", "\xff": 1}', "2:21", "the byte 0xff is not UTF-8 text"),
        (b'{"a": 1, "b": "x", "z": "\xff"}', "2:26", 'column "z": the byte 0xff is not UTF-8 text'),
    ],
)
def test_a_fault_is_named_with_its_place(line: bytes | str, place: str, words: str) -> None:
    data = line.encode() if isinstance(line, str) else line
    message = fault(b'{"a": 1, "b": "x"}\n' + data + b"\n", types={"a": "number", "b": "text"})
    assert message.splitlines()[0] == f"<stream>:{place}: {words}"
    assert message.endswith(SKIP.strip("\n"))


def test_a_long_key_is_cut_in_the_message() -> None:
    key = "k" * 5000
    message = fault(f'{{"{key}": 1, "{key}": 2}}\n')
    assert len(message) < 600


def test_labels_may_be_words_numbers_or_texts() -> None:
    assert read('{"a": 1, "y": true}\n{"a": 2, "y": false}\n', "y").y.tolist() == ["true", "false"]
    assert read('{"a": 1, "y": 1}\n{"a": 2, "y": -1.0}\n', "y").y.tolist() == [1, -1]
    assert "the label is missing" in fault('{"a": 1, "y": 1}\n{"a": 2, "y": null}\n', "y")
    assert "the label is missing" in fault('{"a": 1, "y": 1}\n{"a": 2}\n', "y", missing=["null"])


def test_blocks_have_the_same_columns() -> None:
    n = 2000
    text = "".join(f'{{"a": {i}, "b": "x{i}"}}\n' for i in range(n)).encode()
    with patch.object(lines, "PIECE", 4096):
        blocks = list(iter_table(io.BytesIO(text), format="jsonl"))
    assert len(blocks) > 3
    assert np.concatenate([block.numbers for block in blocks]).ravel().tolist() == list(range(n))
    assert [x for block in blocks for x in block.texts["b"]] == [f"x{i}" for i in range(n)]


def test_a_row_that_is_refused_brings_no_column() -> None:
    data = io.BytesIO(b'{"a":1}\n{"b":1,"b":2}\n{"c":}\n')
    with pytest.warns(SkippedRows):
        table = read_table(data, format="jsonl", missing=["null"], on_bad="skip")
    assert table.names == ["a"]


def test_objects_within_objects_are_columns_with_a_point_and_lists_are_words() -> None:
    rows = [
        {"id": {"n": 1, "where": {"city": "Köln"}}, "tags": ["a", "b"], "y": "u"},
        {"id": {"n": 2.5, "where": {"city": "Ulm"}}, "tags": [], "y": "v"},
        {"id": {"n": None, "where": {}}, "tags": ["b", {"deep": 1}, 3], "y": "u"},
    ]
    text = "\n".join(map(json.dumps, rows))
    table = read_table(io.BytesIO(text.encode()), "y", format="jsonl")
    assert table.names == ["id.n", "id.where.city", "tags"]
    np.testing.assert_array_equal(table.numbers[:, 0], [1.0, 2.5, np.nan])
    assert table.texts["id.where.city"].tolist() == ["Köln", "Ulm", ""]
    assert table.texts["tags"].tolist()[:2] == ["a b", ""]
    assert (table.lines.tolist(), table.y.tolist()) == ([1, 2, 3], ["u", "v", "u"])
    late = text + '\n{"id": {"n": "oops"}, "y": "u"}'
    with pytest.raises(DataError, match=r'<stream>:4:14: column "id.n": .* is not a number'):
        read_table(io.BytesIO(late.encode()), "y", format="jsonl", types={"id.n": "number"})


@pytest.mark.parametrize("orient", ["records", "split", "table", "columns", "index"])
def test_an_object_around_the_rows_is_taken_off(orient: str) -> None:
    rows = [{"a": 1.5, "b": "x", "y": "u"}, {"a": 2.5, "b": "z", "y": "v"}]
    by_name = {name: {str(i): row[name] for i, row in enumerate(rows)} for name in rows[0]}
    whole: Any = {
        "records": {"data": rows, "n": 2},
        "split": {
            "columns": ["a", "b", "y"],
            "index": [0, 1],
            "data": [[1.5, "x", "u"], [2.5, "z", "v"]],
        },
        "table": {"schema": {"fields": [{"name": "a"}]}, "data": rows},
        "columns": by_name,
        "index": rows,
    }[orient]
    table = read_table(io.BytesIO(json.dumps(whole, indent=1).encode()), "y", format="json")
    assert table.names == ["a", "b"]
    assert table.numbers.tolist() == [[1.5], [2.5]]
    assert table.y.tolist() == ["u", "v"]


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ('{"data": [{"id": %d, "y": "u"}, {"id": %d, "y": "v"}, {"id": 1, "y": "v"}]}', "json"),
        ('[{"id": %d, "y": "u"}, {"id": %d, "y": "v"}, {"id": 1, "y": "v"}]', "json"),
        ('{"id": [%d], "y": "u"}\n{"id": [%d], "y": "v"}\n{"id": [1], "y": "v"}', "jsonl"),
        (
            '{"id": %d, "y": "u", "z": {}}\n{"id": %d, "y": "v", "z": {}}\n{"id": 1, "y": "v"}',
            "jsonl",
        ),
    ],
)
def test_whole_numbers_keep_all_their_digits_as_texts_and_as_labels(text: str, format: str) -> None:
    ids = [2**53 + 1, 2**53, 1]
    data = (text % tuple(ids[:2])).encode()
    table = read_table(io.BytesIO(data), "y", format=format, types={"id": "text"})
    assert table.texts["id"].tolist() == list(map(str, ids))
    labelled = read_table(io.BytesIO(data), "id", format=format, types={"y": "text"})
    assert labelled.y.tolist() == list(map(str, ids))
    small = read_table(io.BytesIO((text % (2, 3)).encode()), "id", format=format)
    assert small.y.tolist() == [2, 3, 1]


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ('{"a": %s, "y": "u"}\n{"a": 2, "y": "v"}\n', "jsonl"),
        ('{"b": {"a": %s}, "y": "u"}\n{"b": {"a": 2}, "y": "v"}\n', "jsonl"),
        ('[{"a": %s, "y": "u"}, {"a": 2, "y": "v"}]', "json"),
        ('{"data": [{"a": %s, "y": "u"}, {"a": 2, "y": "v"}]}', "json"),
        ("a,y\n%s,u\n2,v\n", "csv"),
    ],
)
@pytest.mark.parametrize("digits", [400, 5000])
def test_a_number_that_nothing_can_hold_is_named(text: str, format: str, digits: int) -> None:
    data = (text % ("1" + "0" * digits)).encode()
    with pytest.raises(DataError, match=r'column "(b\.)?a": .* is beyond 1e\+150|not a JSON value'):
        read_table(io.BytesIO(data), GuessedTarget(), format=format)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ('{"a": 2, "b": %s}\n{"a": 2, "b": 3}\n', "jsonl"),
        ("a,b\n2,%s\n2,3\n", "csv"),
        ("x,y,b\n1,%s,u\n2,3,v\n", "csv"),
    ],
)
def test_a_target_may_hold_a_number_that_nothing_can_hold(text: str, format: str) -> None:
    digits = "1" + "0" * 400
    data = (text % digits).encode()
    guessed = GuessedTarget()
    table = read_table(io.BytesIO(data), guessed, format=format, types="text")  # type: ignore[arg-type]
    assert [*table.y.tolist(), *table.texts.get("y", ())] in (
        [digits, "3"],
        ["u", "v", digits, "3"],
    )


@pytest.mark.parametrize(
    ("row", "place", "found"),
    [
        ('{"é": 1, "in": {"é": {"n": "oops"}}, "y": "u"}', "2:28", '"oops"'),
        ('{"é": 1, "y": "u", "in": {"m": [1, 2], "é": {"n": 1e200}}}', "2:51", "1e200"),
        ('{"é": 1, "in": {"é": {"n": 2}}, "y": null}', "2:38", "null"),
        ('{"é": 1, "in": {"é": {"n": 2}}}', "2:1", "{"),
    ],
)
def test_a_fault_within_objects_is_shown_as_the_line_stands_in_the_file(
    row: str, place: str, found: str
) -> None:
    text = '{"é": 1, "in": {"é": {"n": 1}}, "y": "u"}\n' + row + "\n"
    with pytest.raises(DataError) as caught:
        read_table(io.BytesIO(text.encode()), "y", format="jsonl", types={"in.é.n": "number"})
    error = caught.value
    assert f"{error.line}:{error.column}" == place
    assert error.found == found
    assert row.endswith(str(error.text).removeprefix("…"))


def test_half_a_character_within_objects_is_a_fault() -> None:
    text = b'{"in": {"n": "\\ud800"}, "y": "u"}\n'
    with pytest.raises(DataError, match="a list or object within the object"):
        read_table(io.BytesIO(text), "y", format="jsonl")
