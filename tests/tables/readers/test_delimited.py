"""CSV and TSV: the fields of RFC 4180, columns by name, and a place for every fault."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import csv_text
from waiting import PATIENCE

from rosenblatt.errors import DataError, InputError, ParameterError
from rosenblatt.io import ExtraColumns, HeaderOfNumbers, SkippedRows, Table, iter_table, read_table
from rosenblatt.tables.readers import lines
from rosenblatt.tables.readers.number_style import GAPS

DATA = Path(os.environ.get("ROSENBLATT_DATA", Path(__file__).parents[4] / "shared" / "data"))
SKIP = "\n      or skip such rows with on_bad='skip'"

often = settings(max_examples=100, deadline=None)
pieces = st.sampled_from([1, 2, 3, 7, 16, 33, 64, 1 << 20])
fields = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0")
    | st.sampled_from('",;\t\n\r é日😀'),
    max_size=6,
)
values = st.floats(-1e150, 1e150)


PLAIN: dict[str, Any] = {"header": True, "encoding": "utf-8"}


def read(text: bytes | str, target: str | int | None = None, **options: Any) -> Table:
    """As written in RFC 4180, which is not to be found out here."""
    told = PLAIN if options.get("format") == "tsv" else {"delimiter": ",", **PLAIN}
    data = io.BytesIO(text.encode() if isinstance(text, str) else text)
    return read_table(data, target, **{**told, **options})


def fault(text: bytes | str, target: str | int | None = None, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        read(text, target, **options)
    return str(caught.value)


def texts_of(table: Table) -> list[list[str]]:
    return [list(row) for row in zip(*(table.texts[name] for name in table.names), strict=True)]


# ---------------------------------------------------------------------- the same as others


@often
@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(st.lists(fields, min_size=n, max_size=n), min_size=1, max_size=6)
    ),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([",", ";", "\t", "|"]),
    st.booleans(),
    pieces,
)
def test_texts_written_by_python_are_read_back(
    rows: list[list[str]], quoting: Any, end: str, delimiter: str, closed: bool, piece: int
) -> None:
    file = io.StringIO(newline="")
    if quoting == csv.QUOTE_MINIMAL and end == "\n":  # older Pythons forget to quote these
        rows = [[field.replace("\r", "") for field in row] for row in rows]
    names = [f"c{i}" for i in range(len(rows[0]))]
    csv.writer(file, delimiter=delimiter, quoting=quoting, lineterminator=end).writerows(
        [names, *rows]
    )
    text = file.getvalue() if closed else file.getvalue().removesuffix(end)
    if len(names) == 1:  # a single empty field is written as "", but a blank line is no row
        rows = [row for row in rows if row != [""] or '""' in text]
    with patch.object(lines, "PIECE", piece):
        table = read(text, delimiter=delimiter, types="text", trim=False)
    assert texts_of(table) == [["" if text in GAPS else text for text in row] for row in rows]
    assert table.names == names


@often
@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(st.lists(values, min_size=n, max_size=n), min_size=1, max_size=6)
    ),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["", " ", "\t "]),
    pieces,
)
def test_numbers_are_read_back_to_the_bit(
    rows: list[list[float]], quoting: Any, blanks: str, piece: int
) -> None:
    file = io.StringIO(newline="")
    writer = csv.writer(file, quoting=quoting)
    writer.writerow(f"c{i}" for i in range(len(rows[0])))
    writer.writerows([f"{blanks}{value!r}{blanks}" for value in row] for row in rows)
    with patch.object(lines, "PIECE", piece):
        table = read(file.getvalue(), types="number")
    assert table.numbers.tobytes() == np.array(rows).tobytes()


# Pieces that mean something, so that random ones meet in every order.
noise = st.lists(
    st.sampled_from(
        ["a", "b,", ",", ",", '"', '"', '""', "\n", "\n", "\r\n", "\r", " ", "é", '","', '"\n']
    ),
    max_size=25,
).map("".join)


@settings(max_examples=300, deadline=None)
@given(noise, pieces)
def test_any_text_is_read_and_refused_as_by_the_oracle(text: str, piece: int) -> None:
    text = "x,y\n" + text
    expected: list[Any] = []
    broken: int | None = None
    try:
        for line, record in csv_text.records(text):
            if len(record) != 2:
                broken = (
                    line + sum(field.count("\n") for field in record) if len(record) == 1 else None
                )
                raise csv_text.Bad(line)
            expected.append((line, record))
    except csv_text.Bad as error:
        broken = broken or error.line
    with patch.object(lines, "PIECE", piece):
        try:
            table = read(text, types="text", trim=False)
        except DataError as error:
            assert "0 rows" in str(error) or broken is not None  # noqa: PT017
            return
    assert broken is None
    assert texts_of(table) == [record for _, record in expected[1:]]
    assert table.lines.tolist() == [line for line, _ in expected[1:]]


@often
@given(
    st.integers(2, 4).flatmap(
        lambda n: st.lists(
            st.lists(
                st.text(
                    st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from(' ,;"'),
                    max_size=5,
                ),
                min_size=n,
                max_size=n,
            ),
            min_size=1,
            max_size=5,
        )
    ),
    pieces,
)
def test_fields_are_those_of_pythons_reader(rows: list[list[str]], piece: int) -> None:
    file = io.StringIO(newline="")
    csv.writer(file).writerows(rows)
    expected = list(csv.reader(io.StringIO(file.getvalue(), newline="")))
    with patch.object(lines, "PIECE", piece):
        table = read(file.getvalue(), header=False, types="text", trim=False)
    assert texts_of(table) == [["" if text in GAPS else text for text in row] for row in expected]


FILES: list[Any] = [
    ("iris/iris.csv.gz", {"header": False}, {"header": None}),
    ("banknote/banknote_authentication.csv.gz", {"header": False}, {"header": None}),
    ("elec2/elec.csv.gz", {}, {}),
    ("phishing/phishing.csv.gz", {}, {}),
    ("segment/segment.csv.gz", {}, {}),
    ("letter/letter.dat.gz", {"header": False}, {"header": None}),
    ("digits/digits.csv.gz", {"header": False}, {"header": None}),
    ("ionosphere/ionosphere.csv.gz", {"header": False}, {"header": None}),
    ("mushrooms/mushrooms.csv.gz", {}, {}),
    (
        "adult/adult.data.gz",
        {"header": False},
        {"header": None, "skipinitialspace": True},
    ),
]


@pytest.mark.parametrize(("name", "ours", "theirs"), FILES, ids=[name for name, *_ in FILES])
def test_real_files_are_read_as_by_pandas(
    name: str, ours: dict[str, Any], theirs: dict[str, Any]
) -> None:
    pandas = pytest.importorskip("pandas")
    if not (DATA / name).exists():
        pytest.skip("the data are not here")
    table = read_table(DATA / name, **ours)
    guessed = pandas.read_csv(DATA / name, keep_default_na=False, **theirs)
    frame = pandas.read_csv(DATA / name, dtype=str, keep_default_na=False, **theirs)
    assert len(table) == len(frame) > 100
    assert len(table.names) == frame.shape[1]
    kinds = [kind.kind in "ifu" for kind in guessed.dtypes]
    assert [name in table.number_names for name in table.names] == kinds
    for found, number, (_, column) in zip(
        table.columns.values(), kinds, frame.items(), strict=True
    ):
        # A question mark is a gap here, which pandas takes for a value.
        texts = ["" if x == "?" else x for x in column]
        assert found.tolist() == [float(x) if number else x for x in texts]


def test_a_header_of_another_width_is_a_fault_of_the_first_row() -> None:
    name = DATA / "wdbc" / "breast_cancer.csv.gz"
    if not name.exists():
        pytest.skip("the data are not here")
    assert str(name) + ":2:" in fault(gzip.decompress(name.read_bytes())).replace(
        "<stream>", str(name)
    )
    rows = gzip.decompress(name.read_bytes()).partition(b"\n")[2]
    X, y = read(rows, -1, header=False)
    expected = np.loadtxt(io.BytesIO(rows), delimiter=",")
    np.testing.assert_array_equal(X, expected[:, :-1])
    np.testing.assert_array_equal(y, expected[:, -1])


# ---------------------------------------------------------------------- header, columns, target


def test_the_first_line_names_the_columns() -> None:
    table = read('\ufeff\r\n\n a ,"b ""x""", ç\n1,2,3\n')
    assert table.names == ["a", 'b "x"', "ç"]
    assert table.lines.tolist() == [4]


def test_columns_without_a_name_get_one() -> None:
    assert read("a,,\n1,2,3\n").names == ["a", "column 2", "column 3"]


def test_without_a_header_columns_are_numbered_from_one() -> None:
    table = read("1,x\n2,y\n", header=False)
    assert table.names == ["1", "2"]
    assert table.number_names == ["1"]
    assert table.lines.tolist() == [1, 2]


def test_a_column_named_twice_is_refused() -> None:
    assert fault("a,bé,c,bé\n1,2,3,4\n") == (
        '<stream>:1:8: the column "bé" stands twice, as number 2 and as number 4\n'
        "  a,bé,c,bé\n         ^^\n"
        "help: if the first line is a row, say header=False"
    )


def test_a_header_of_numbers_is_worth_a_warning() -> None:
    with pytest.warns(
        HeaderOfNumbers, match="<stream>:1: the header is all numbers; if it is a row"
    ):
        read("1,2\n3,4\n")
    with pytest.warns(HeaderOfNumbers):
        read("1,2,y\n3,4,y\n", "y")


PEOPLE = "39,State-gov,tall,<=50K\n50,Private,{},>50K\n38,State-gov,small,<=50K\n"


@pytest.mark.parametrize("target", [None, -1, "4"])
def test_a_header_of_numbers_and_values_of_its_columns_is_worth_a_warning(target: Any) -> None:
    with pytest.warns(HeaderOfNumbers) as caught:
        read(PEOPLE.format("tall"), target)
    assert [str(warning.message) for warning in caught] == [
        '<stream>:1: the header looks like a row, "39", "State-gov", "tall" …; if it is a row, '
        "say header=False"
    ]


def test_a_header_of_values_of_texts_is_worth_a_warning() -> None:
    with pytest.warns(HeaderOfNumbers, match='looks like a row, "p", "x";'):
        read("p,x\ne,x\np,y\n", -1)


@pytest.mark.parametrize(
    "text",
    [
        "country,2019,2020\nPeru,3,4\nChad,5,6\n",  # years name columns of numbers
        "2019,country,size\n3,country,7\n4,Chad,8\n",  # a number column has a name
        "other,kind\nother,a\nnone,b\n",  # one text of two is a value
    ],
)
@pytest.mark.parametrize("target", [None, 1])
def test_a_header_that_is_no_row_is_not_warned_of(text: str, target: int | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", HeaderOfNumbers)
        assert len(read(text, target)) == 2


def test_adult_read_with_its_first_row_as_header_is_warned_of() -> None:
    file = DATA / "adult/adult.data.gz"
    if not file.exists():
        pytest.skip("the data are not here")
    with pytest.warns(HeaderOfNumbers, match='adult.data.gz:1: the header looks like a row, "39"'):
        read_table(file, -1, format="csv", header=True)


def test_a_header_that_begins_with_a_carriage_return_is_not_passed_over() -> None:
    assert "a carriage return within the line" in fault("\ra,b\n1,2\n3,4\n")


def test_a_fault_in_a_header_of_several_lines_names_its_own_line() -> None:
    assert fault('x,"y\nz",x\n1,2,3\n').startswith("<stream>:2:4: ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('a,"b\n1,2\n', "<stream>:1:1: a quote in the first row is never closed"),
        (b"a,b\xff\n1,2\n", '<stream>:1:4: column "2": the byte 0xff is not UTF-8 text'),
        ('a,"b"c\n1,2\n', "<stream>:1:6: text after a closing quote"),
    ],
)
def test_a_header_that_cannot_be_read_is_refused(text: bytes | str, message: str) -> None:
    assert fault(text).splitlines()[0] == message


def test_more_columns_than_allowed_are_refused() -> None:
    assert "4 columns, more than max_features=3" in fault("a,b,c,d\n1,2,3,4\n", max_features=3)
    with pytest.warns(ExtraColumns):
        table = read("a,b,y\n1,2,3\n", max_features=2, columns=["a", "b"])
    assert table.names == ["a", "b"]


@pytest.mark.parametrize("target", ["c", 1, -2, "2"])
def test_the_target_is_found_by_name_or_place(target: str | int) -> None:
    table = read("a,c,b\n1,x,2\n3,y,4\n", target)
    assert (table.target, table.names) == ("c", ["a", "b"])
    X, y = table
    np.testing.assert_array_equal(X, [[1, 2], [3, 4]])
    np.testing.assert_array_equal(y, ["x", "y"])


def test_a_name_comes_before_a_number_of_a_column() -> None:
    assert read("a,1,b\n1,2,3\n", "1").names == ["a", "b"]
    with pytest.warns(HeaderOfNumbers):
        assert read("3,1,2\n1,2,3\n", "1").names == ["3", "2"]


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (
            "colour",
            '<stream>: there is no target column "colour": give one of the columns "a", "color". '
            'Did you mean "color"?',
        ),
        (
            "9",
            '<stream>: there is no target column "9": give one of the columns "a", "color".',
        ),
        (2, "<stream>: target=2 is not a column: give a number from -2 to 1."),
        (-3, "<stream>: target=-3 is not a column: give a number from -2 to 1."),
        (1.5, "target=1.5 is not allowed: give the name or the place of a column."),
        (True, "target=True is not allowed: give the name or the place of a column."),
    ],
)
def test_a_target_that_is_not_there_is_refused(target: Any, words: str) -> None:
    with pytest.raises(ParameterError) as caught:
        read("a,color\n1,2\n", target)
    assert str(caught.value) == words


def test_another_delimiter_is_guessed_at_in_the_message() -> None:
    with pytest.raises(ParameterError, match="semicolons separate the columns, say delimiter=';'"):
        read("a;b\n1;2\n", "b")


def test_a_file_of_nothing_but_the_target_is_refused() -> None:
    assert "there are no features" in fault("y\n1\n", "y")


def test_columns_can_be_chosen_and_ordered() -> None:
    with pytest.warns(ExtraColumns, match='<stream>: 1 column is not used: "b"'):
        table = read("a,b,c,y\n1,z,3,0\n4,z,6,1\n", "y", columns=["c", "a"])
    np.testing.assert_array_equal(table.X, [[3, 1], [6, 4]])
    assert table.names == ["c", "a"]


def test_a_column_that_is_not_there_is_refused() -> None:
    message = fault("alpha,b\n1,2\n", columns=["b", "alfa"])
    assert message == (
        '<stream>: 1 column is missing: "alfa"; the file has "alpha", "b"\n'
        'help: did you mean "alpha"?'
    )
    assert 'missing: "z", which types names' in fault("a,b\n1,2\n", types={"z": "text"})


def test_columns_of_several_files_are_matched_by_name(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("a,b,y\n1,x,0\n2,y,1\n")
    (tmp_path / "2.csv").write_text("y,b,a\n1,z,3\n")
    table = read_table([tmp_path / "1.csv", tmp_path / "2.csv"], "y")
    assert table.columns["a"].tolist() == [1, 2, 3]
    assert table.columns["b"].tolist() == ["x", "y", "z"]
    assert table.y.tolist() == [0, 1, 1]
    assert table.lines.tolist() == [2, 3, 2]
    (tmp_path / "3.csv").write_text("a,y\n1,0\n")
    with pytest.raises(DataError, match=r'3\.csv: 1 column is missing: "b"'):
        read_table([tmp_path / "1.csv", tmp_path / "3.csv"], "y")
    (tmp_path / "4.csv").write_text("a,b,more,y\n1,0,7,0\n")
    with pytest.warns(ExtraColumns, match=r'4\.csv: 1 column is not used: "more"'):
        read_table([tmp_path / "1.csv", tmp_path / "4.csv"], "y")


def test_kinds_are_guessed_by_most_of_the_values_or_given() -> None:
    text = "a,b,c,d\n1,x,1,\n2,1,?,\n3,y,3,\n"
    table = read(text, missing=["?"])
    assert table.number_names == ["a", "c"]
    assert list(table.texts) == ["b", "d"]
    assert read(text, types={"a": "text", "c": "text"}).number_names == []
    assert read(text, types="text").number_names == []
    with pytest.raises(ParameterError, match="types='int' is not known"):
        read(text, types={"a": "int"})


def test_missing_numbers_are_nan_where_they_are_announced() -> None:
    table = read('a,b\n1,?\n , 2\nNA,"NA"\n4,5\n', types="number", missing=["?", "", "NA"])
    np.testing.assert_array_equal(table.X, [[1, np.nan], [np.nan, 2], [np.nan, np.nan], [4, 5]])


@pytest.mark.parametrize("mark", ["", " NA", "nan", "?", "-", "null", '"N/A"'])
def test_the_usual_marks_of_gaps_need_no_word(mark: str) -> None:
    table = read(f"a,b,c\n1,2,x\n3,4,y\n5,{mark},x\n", "c")
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4], [5, np.nan]])


def test_marks_of_gaps_are_nothing_in_a_column_of_text() -> None:
    table = read("a,b\n?,1\nx,2\nNA,?\n-9,3\n", missing=["-9"], types={"a": "text"})
    assert table.texts["a"].tolist() == ["", "x", "", ""]


def test_a_label_may_look_like_a_gap() -> None:
    assert read("a,b\n1,?\n2,NA\n", "b").y.tolist() == ["?", "NA"]


def test_blanks_around_texts_are_dropped_unless_they_are_wanted() -> None:
    text = 'a,b\n x y ,"  z "\n\tu, v\n'
    assert texts_of(read(text, types="text")) == [["x y", "z"], ["u", "v"]]
    kept = read(text, types="text", trim=False)
    assert texts_of(kept) == [[" x y ", "  z "], ["\tu", " v"]]


def test_blanks_before_a_label_are_no_part_of_it() -> None:
    text = "age, pay\n39, <=50K\n50, >50K\n"
    assert read(text, "pay").labels.tolist() == ["<=50K", ">50K"]
    assert read(text, "pay", trim=False).labels.tolist() == [" <=50K", " >50K"]


def test_tabs_divide_in_a_file_of_tabs() -> None:
    table = read("a\tb\n1\tx, y\n2\t \n", format="tsv")
    assert table.numbers.ravel().tolist() == [1, 2]
    assert table.texts["b"].tolist() == ["x, y", ""]


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "é", 5])
def test_a_delimiter_is_one_plain_character(delimiter: Any) -> None:
    with pytest.raises(ParameterError, match="delimiter="):
        read("a\n1\n", delimiter=delimiter)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x y\n 5  6\n7 8 \n", [[5, 6], [7, 8]]),
        ("  x   y\n5 6  \r\n", [[5, 6]]),
        ('x y\n"5" ""\n', [[5, np.nan]]),
        ("x y z\n1  2\n", "2 fields, expected 3"),
        ("x y\n1 2 3 \n", "3 fields, expected 2"),
    ],
)
def test_of_blanks_that_divide_many_are_one(text: str, expected: Any) -> None:
    options: dict[str, Any] = {"delimiter": " ", "types": "number"}
    if isinstance(expected, str):
        assert expected in fault(text, **options)
    else:
        np.testing.assert_array_equal(read(text, **options).X, expected)


@pytest.mark.parametrize("delimiter", ["-", "+", ".", "e", "E", "5"])
def test_a_delimiter_that_can_be_part_of_a_number_is_refused_or_divides(delimiter: str) -> None:
    row = delimiter.join(["", "1"])
    try:
        table = read(f"{row}\n", header=False, delimiter=delimiter, types="number", missing=[""])
    except ParameterError:
        return
    np.testing.assert_array_equal(table.X, [[np.nan, 1]])


def test_features_of_text_are_no_matrix() -> None:
    table = read("a,b\n1,x\n")
    with pytest.raises(InputError, match=r'1 of 2 features are text \("b"\)'):
        _ = table.X
    assert repr(table) == "Table(1 rows, 1 number columns, 1 text columns)"


def test_numbers_can_be_float32() -> None:
    table = read("a\n0.1\n", dtype=np.float32)
    assert table.X.dtype == np.float32
    assert table.X[0, 0] == np.float32(0.1)
    assert "is beyond 1e+15" in fault("a\n1e16\n", dtype=np.float32)


# ---------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a,b,c\n1,2,x\n3,4,y\n5,oops,x\n",
            '<stream>:4:3: column "b": "oops" is not a number\n  5,oops,x\n    ^^^^\n'
            "help: fix it" + SKIP,
        ),
        (
            "a,b,c\n1,2,x\n3,4,y\n5,-1e200,x\n",
            '<stream>:4:3: column "b": "-1e200" is beyond 1e+150, where its square overflows\n'
            "  5,-1e200,x\n    ^^^^^^\nhelp: scale the feature" + SKIP,
        ),
        (
            "a,b,c\n1,2,x\n3,4\n",
            "<stream>:3:4: 2 fields, expected 3\n  3,4\n     ^\nhelp: fill in what is missing"
            + SKIP,
        ),
        (
            "a,b,c\n1,2,x\r\n3\r\n",
            "<stream>:3:2: 1 field, expected 3\n  3\n   ^\nhelp: fill in what is missing" + SKIP,
        ),
        (
            "a,b,c\n1,2,x\n3,4,x,5,6\n",
            "<stream>:3:7: 5 fields, expected 3\n  3,4,x,5,6\n        ^^^\n"
            "help: put fields that hold the delimiter in quotes" + SKIP,
        ),
        (
            "a,b,c\n1,2,x\nx,3,4,y\n",
            "<stream>:3:7: 4 fields, expected 3\n  x,3,4,y\n        ^\n"
            "help: put fields that hold the delimiter in quotes" + SKIP,
        ),
        (
            'a,b,c\n1,2,"x\n',
            '<stream>:2:5: the quote opened here is never closed\n  1,2,"x\n      ^\nhelp: close it'
            + SKIP,
        ),
        (
            'a,b,c\n1,2,"x"y\n',
            '<stream>:2:8: text after a closing quote\n  1,2,"x"y\n         ^\n'
            'help: write a quote within quotes twice: ""' + SKIP,
        ),
        (
            "a,b,c\n1,2,x\rz\n",
            "<stream>:2:6: a carriage return within the line\n  1,2,x␀z\n       ^\n"
            "help: put the field in quotes" + SKIP,
        ),
        (
            b"a,b,c\n1,2,\xc3\xa9\xe9t\n",
            '<stream>:2:6: column "c": the byte 0xe9 is not UTF-8 text\n  1,2,é�t\n       ^\n'
            "help: name the encoding, as in encoding='latin-1'" + SKIP,
        ),
        (
            b"a,b,c\n1,2,x\0\n",
            '<stream>:2:6: column "c": a NUL byte is not text\n  1,2,x␀\n       ^\n'
            "help: remove it, if this is a text file at all" + SKIP,
        ),
        # Records of several lines: the line of the fault is counted, not that of the record.
        (
            'a,b,c\n1,2,"x\ny"\n3,4,"z\n\n"\n5,6,"p\nq",7\n',
            "<stream>:8:4: 4 fields, expected 3\n" + '  q",7\n     ^\n'
            "help: put fields that hold the delimiter in quotes" + SKIP,
        ),
        (
            'c,b\n"x\ny\nz",1\np,2\n"u\nv",w\n',
            '<stream>:7:4: column "b": "w" is not a number\n' + '  v",w\n     ^\n'
            "help: fix it" + SKIP,
        ),
        (
            'c,b\r\n"x\r\ny\r\nz",1\r\np,2\r\n"u\r\nv",w\r\n',
            '<stream>:7:4: column "b": "w" is not a number\n' + '  v",w\n     ^\n'
            "help: fix it" + SKIP,
        ),
        (
            'c,b\n"x\ny",1\n"u\nv"',
            '<stream>:5:3: 1 field, expected 2\n  v"\n    ^\nhelp: fill in what is missing' + SKIP,
        ),
    ],
)
@pytest.mark.parametrize("piece", [1, 7, 1 << 20])
def test_a_fault_is_named_with_place_reason_and_remedy(
    text: bytes | str, message: str, piece: int
) -> None:
    names = str(text).partition("\n")[0].split(",") if isinstance(text, str) else []
    kinds = {"a": "number", "b": "number", "c": "text"}
    options: dict[str, Any] = {
        "types": {name.strip(): kinds[name.strip()] for name in names or kinds}
    }
    with patch.object(lines, "PIECE", piece):
        assert fault(text, **options) == message


def test_an_open_quote_late_in_a_record_names_its_own_line() -> None:
    assert fault('x,y\n"a\nb\nc","d\n', types="text").splitlines()[:2] == [
        "<stream>:4:4: the quote opened here is never closed",
        '  c","d',
    ]


def test_a_bad_byte_after_a_doubled_quote_is_the_one_named() -> None:
    assert fault(b'a,b\nx,"a""\xff"\n', types="text").splitlines()[0] == (
        '<stream>:2:7: column "b": the byte 0xff is not UTF-8 text'
    )


def test_rows_go_on_after_a_record_that_cannot_be_read() -> None:
    text = 'a,b\n1,x\n2\n"3\n4",y\n5,"z"z\n6,"u\nv"\n7,w,8\n9,"t'
    with pytest.warns(SkippedRows, match="5 rows skipped, 2 read"):
        table = read(text, types={"a": "number", "b": "text"}, on_bad="skip")
    assert table.columns["a"].tolist() == [1, 6]
    assert table.columns["b"].tolist() == ["x", "u\nv"]
    assert table.lines.tolist() == [2, 7]


@pytest.mark.parametrize("bad", [b"a\xff,1", b'"a"x,1'])
def test_a_bad_first_row_without_header_can_be_passed_over(bad: bytes) -> None:
    with pytest.warns(SkippedRows, match="1 row skipped, 2 read"):
        table = read(bad + b"\nb,2\nc,3\n", header=False, on_bad="skip")
    assert table.columns["2"].tolist() == [2, 3]


def test_rejects_hold_the_place_the_reason_and_the_row_as_it_stood(tmp_path: Path) -> None:
    rejects = tmp_path / "rejects.jsonl"
    bad = [b"2", b'"3\n4",y', b"5,\xff\xc3\xa9"]
    text = b"a,b\n1,x\n" + bad[0] + b"\n" + bad[1] + b"\r\n6,u\n" + bad[2] + b"\n"
    with pytest.warns(SkippedRows):
        read(text, types={"a": "number", "b": "text"}, on_bad=f"rejects={rejects}")
    found = [json.loads(line) for line in rejects.read_text().splitlines()]
    assert [row["text"].encode("utf-8", "surrogateescape").rstrip(b"\r") for row in found] == bad
    assert [(row["file"], row["line"], row["column"]) for row in found] == [
        ("<stream>", 3, 2),
        ("<stream>", 4, 2),
        ("<stream>", 7, 3),
    ]
    assert found[0]["reason"] == "1 field, expected 2"
    assert found[2]["reason"] == 'column "b": the byte 0xff is not UTF-8 text'


def test_rejects_read_again_after_mending_give_the_rows(tmp_path: Path) -> None:
    rejects = tmp_path / "rejects.jsonl"
    with pytest.warns(SkippedRows):
        read("a,b\n1,2\n3,x4\n5,x6\n", types="number", on_bad=f"rejects={rejects}")
    mended = "a,b\n" + "".join(
        json.loads(line)["text"].replace("x", "") + "\n"
        for line in rejects.read_text().splitlines()
    )
    np.testing.assert_array_equal(read(mended).X, [[3, 4], [5, 6]])


# ---------------------------------------------------------------------- limits


class Endless(io.RawIOBase):
    """Text that never ends: a header, then the same bytes for ever, or so many times."""

    def __init__(
        self, head: bytes, again: bytes, times: int | None = None, tail: bytes = b""
    ) -> None:
        self.left, self.again, self.times, self.tail = head, again, times, tail
        self.given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, view: Any) -> int:
        if not self.left:
            if self.times == 0:
                self.left, self.tail = self.tail, b""
            else:
                self.left = self.again
                self.times = None if self.times is None else self.times - 1
        n = min(len(view), len(self.left))
        view[:n] = self.left[:n]
        self.left = self.left[n:]
        self.given += n
        return n


@pytest.mark.parametrize(
    ("head", "again", "words"),
    [
        (b"a,b\n1,", b"x" * 65536, "2:1: this row is longer than 1,000,000 bytes"),
        (b'a,b\n1,2\n3,"', b"x\n" * 32768, "3:1: this row is longer than 1,000,000 bytes"),
        (b"", b"x" * 65536, "1:1: this row is longer than 1,000,000 bytes"),
        (b'"', b"x\n" * 32768, "1:1: this row is longer than 1,000,000 bytes"),
        (b"a,b\n1,2\r", b"3,4\r" * 16384, "the line ends are carriage returns alone"),
        (b"a,b\n1,", b'""' * 32768, "2:1: this row is longer than 1,000,000 bytes"),
    ],
)
def test_a_row_without_end_stops(head: bytes, again: bytes, words: str) -> None:
    stream = Endless(head, again)
    with pytest.raises(DataError) as caught:
        read_table(stream, max_line_bytes=1_000_000)
    assert words in str(caught.value)
    assert stream.given < 8_000_000


def test_the_help_for_a_quote_that_swallows_the_file_speaks_of_it() -> None:
    with pytest.raises(DataError, match="close the quote, if one is open"):
        read_table(Endless(b'a,b\n1,2\n3,"', b"x\n" * 32768), max_line_bytes=1_000_000)


@pytest.mark.parametrize("head", [b"a,b\n1,", b'a,b\n1,"'], ids=["line", "quote"])
def test_a_row_without_end_stops_in_bounded_memory(head: bytes) -> None:
    code = f"""
import io, resource
from rosenblatt.errors import DataError
from rosenblatt.io import read_table

class Endless(io.RawIOBase):
    head = {head!r}
    def readinto(self, view):
        data, self.head = self.head or b"x" * len(view), b""
        view[:len(data)] = data
        return len(data)

used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    read_table(Endless())
except DataError as error:
    assert "longer than 16,777,216 bytes" in str(error)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - used)
"""
    paths = os.pathsep.join(sys.path)
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    assert int(run.stdout) < 120_000  # kilobytes


@pytest.mark.parametrize("quote", [b"", b'"'], ids=["line", "quote"])
def test_a_row_that_is_too_long_is_passed_over_and_reading_goes_on(quote: bytes) -> None:
    stream = Endless(b"a,b\n1,x\n2," + quote, b"y" * 65536, 40, b"\n3,z\n4,u\n")
    with pytest.warns(SkippedRows, match="1 row skipped, 3 read"):
        table = read_table(
            stream, types={"a": "number", "b": "text"}, max_line_bytes=1 << 20, on_bad="skip"
        )
    assert table.columns["a"].tolist() == [1, 3, 4]
    assert table.lines.tolist() == [2, 4, 5]


def test_a_header_that_is_too_long_is_never_passed_over() -> None:
    text = b"a," + b"b" * 100 + b"\n1,2\n3,4\n"
    with patch.object(lines, "PIECE", 16), pytest.raises(DataError, match="longer than 50 bytes"):
        read(text, on_bad="skip", max_line_bytes=50)


@pytest.mark.parametrize("piece", [1, 8, 1 << 20])
def test_kinds_do_not_depend_on_how_the_bytes_arrive(piece: int) -> None:
    text = b"a,b\nx,1\n2,2\n3,3\n4,4\n"
    with patch.object(lines, "PIECE", piece):
        blocks = list(iter_table(io.BytesIO(text)))
    # By the first row alone the column "a" would be text, by the first two rows numbers.
    assert [block.number_names for block in blocks] == [["b"]] * len(blocks)
    assert [text for block in blocks for text in block.texts["a"]] == ["x", "2", "3", "4"]


@pytest.mark.parametrize("piece", [1, 8, 1 << 20])
def test_rows_passed_over_do_not_depend_on_how_the_bytes_arrive(piece: int) -> None:
    """A field too many may open a quote, and with it the record goes on."""
    text = b'a\n1,"x\n2\n3"\n4\n'
    with patch.object(lines, "PIECE", piece), pytest.warns(SkippedRows, match="1 row skipped"):
        table = read(text, types="number", on_bad="skip")
    assert table.X.ravel().tolist() == [4]


@pytest.mark.parametrize("piece", [16, 1 << 20])
def test_the_limit_of_a_row_does_not_depend_on_how_the_bytes_arrive(piece: int) -> None:
    text = b"a,b\n1," + b"x" * 100 + b"\n2,y\n"
    with patch.object(lines, "PIECE", piece), pytest.raises(DataError, match="longer than 50 byt"):
        read(text, max_line_bytes=50)


def test_blocks_are_tables_with_the_same_columns() -> None:
    text = b"a,b\n" + b"".join(b"%d,x%d\n" % (i, i) for i in range(50))
    with patch.object(lines, "PIECE", 64):
        types = {"a": "number", "b": "text"}
        told: Any = {"columns": ["a", "b"], "types": types, "delimiter": ",", "header": True}
        blocks = list(iter_table(io.BytesIO(text), **told))
    assert len(blocks) > 3
    assert all(block.names == ["a", "b"] for block in blocks)
    assert np.concatenate([block.numbers for block in blocks]).ravel().tolist() == list(range(50))
    assert [x for block in blocks for x in block.texts["b"]] == [f"x{i}" for i in range(50)]
    assert [line for block in blocks for line in block.lines] == list(range(2, 52))
