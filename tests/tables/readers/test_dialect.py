"""How a file is written: what is found out, what overrules it, and what a model remembers."""

from __future__ import annotations

import io
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.engine.text.delimited import DelimitedParser
from rosenblatt.errors import DataError, ModelFileError, ParameterError
from rosenblatt.features import Schema, schema_from_json
from rosenblatt.io import Assumption, Dialect, Table, read_table
from rosenblatt.tables.readers.column_roles import GuessedTarget, can_be_classes


def read(text: str, target: Any = None, **options: Any) -> Table:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Assumption)
        return read_table(io.BytesIO(text.encode()), target, **options)


def in_style(value: float, thousands: str, decimal: str) -> str:
    plain = f"{value:,.2f}"
    return plain.replace(",", "\0").replace(".", decimal).replace("\0", thousands)


@given(
    st.floats(-1e9, 1e9).map(lambda x: round(x, 2)),
    st.sampled_from([(".", ","), (",", "."), ("'", "."), ("\u202f", ","), (" ", ","), ("", ",")]),
    st.sampled_from(["{}", "$ {}", "{} €", "{}%", "£{}", "\u00a0{}"]),
)
def test_a_styled_number_is_the_one_that_was_written(
    value: float, marks: tuple[str, str], frame: str
) -> None:
    parser = DelimitedParser(ord(";"), True, False, 1e150, [])
    parser.set_dialect(ord(";"), 34, ord(marks[1]), marks[0].encode(), True)
    written = frame.format(in_style(value, *marks))
    assert parser.number(written.encode()) == float(f"{value:.2f}")


@pytest.mark.parametrize("text", ["", "-", "€", "1.23", "1.2345,6", "1,2,3", "a1", "1 2"])
def test_what_is_no_number_in_the_style_of_a_file_is_none(text: str) -> None:
    parser = DelimitedParser(ord(";"), True, False, 1e150, [])
    parser.set_dialect(ord(";"), 34, ord(","), b".", True)
    assert parser.number(text.encode()) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a,b\n"1,234",x\n"12,345",y\n', [1234, 12345]),
        ("a;b\n1,234;x\n12,345;y\n", [1.234, 12.345]),
        ("a;b\n0,123;x\n4,5;y\n", [0.123, 4.5]),
        ("a;b\n1.234.567;x\n12;y\n", [1234567, 12]),
        ("a,b\n(5),x\n$7,y\n-$8,z\n", [-5, 7, -8]),
        ("a,b\n1.234,x\n2.345,y\n", [1.234, 2.345]),
    ],
)
def test_marks_that_could_mean_two_things(text: str, expected: list[float]) -> None:
    assert read(text).numbers.ravel().tolist() == expected


def test_decimal_and_thousands_overrule_what_is_found() -> None:
    text = "a;b\n1.234;x\n2.345;y\n"
    assert read(text, decimal=",", thousands=".").numbers.ravel().tolist() == [1234, 2345]
    text = "a;b\n1,234;x\n2,345;y\n"
    assert read(text, decimal=".", thousands=",").numbers.ravel().tolist() == [1234, 2345]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"decimal": ";"}, "decimal=';'"),
        ({"thousands": "x"}, "thousands='x'"),
        ({"decimal": ",", "thousands": ","}, "another mark than the decimal one"),
        ({"quote": "x"}, "quote='x'"),
    ],
)
def test_what_no_file_can_be_written_with_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        read("a,b\n1,2\n", **options)


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("age,name\n1,x\n2,y\n", True),
        ("1,x\n2,y\n", False),
        ("red,small\nblue,small\nred,large\n", False),
        ("colour,size\nblue,small\nred,large\n", True),
        ("country,2019,2020\nPeru,3,4\nChad,5,6\n", True),
        ("2024-01-02,5\n2024-01-03,6\n", False),
        ("label,text\nham,hello you\nspam,buy now\n", True),
        ("0,1,2\n5,6,7\n3,1,9\n", True),
        # A word over numbers says as much as two numbers say against it.
        ("n,0.25,0.75\n10,3.5,4.5\n20,1.5,2.5\n", True),
        ("n,0.25,0.75,0.99\n10,3.5,4.5,9\n20,1.5,2.5,8\n", False),
    ],
)
def test_a_header_is_known_by_what_stands_below_it(text: str, header: bool) -> None:
    assert read(text, types="text").dialect.header is header


def test_a_header_is_known_by_the_names_that_targets_have_or_that_are_asked_for() -> None:
    rows = "1,2,3,0\n4,5,6,1\n7,8,9,0\n"
    assert not read(f"7,8,9,kind\n{rows}", types="text").dialect.header
    assert read(f"7,8,9,class\n{rows}", types="text").dialect.header
    assert read(f"7,8,9,kind\n{rows}", "kind", types="text").dialect.header


@pytest.mark.parametrize(
    ("first", "row", "header"),
    [
        # The name of a target tells, also where the others are numbers like those below.
        ("class,400,410,430", "{word},{n},{n},{n}", True),
        ("400,410,430,Target", "{n},{n},{n},{word}", True),
        ("Y,400,410,430", "{n},{n},{n},{n}", True),
        # But not where it is a value: the answer yes, over others or over no.
        ("980124,Lewis,Y,9,1936", "{n},{word},{answer},{n},{n}", False),
        ("980124,Lewis,Y,9,1936", "{n},{word},N,{n},{n}", False),
        ("7,8,class,9", "{n},{n},class,{n}", False),
        # A word over numbers counts for two numbers over numbers.
        ("size,2019,2021", "{n},{n},{n}", True),
        ("size,2019,2021,2023", "{n},{n},{n},{n}", False),
        # Numbers that count on are names, if there are more than two and they are no row.
        ("0,1", "{n},{n}", True),
        ("1,2,3", "{n},{n},{n}", True),
        ("1,2", "{n},{n}", False),
        ("1,2,3,4", "1,2,3,4", False),
        # Names that were left out stand over something all the same.
        (",,", "{n},{word},{word}", True),
    ],
)
def test_a_header_is_told_from_a_row(first: str, row: str, header: bool) -> None:
    rows = (
        row.format(n=3 * i + 5, word=("red", "blue", "green")[i % 3], answer="YN"[i % 2])
        for i in range(9)
    )
    table = read("\n".join([first, *rows]) + "\n")
    assert (table.dialect.header, len(table)) == (header, 9 + (not header))


def test_a_quote_may_stand_behind_a_blank() -> None:
    text = 'a, "b, c", d\n1, "x, ""y""", u\n2, "z" or w, v\n3, "z, \n'
    table = read(text + "4,5,6\n", on_bad="skip")
    assert table.names == ["a", "b, c", "d"]
    assert table.texts["b, c"].tolist() == ['x, "y"', '"z" or w', '"z', "5"]
    assert read('a, "b, c"\n1, "x, y"\n', trim=False, header=True, delimiter=",").names == [
        "a",
        '"b',
        'c"',
    ]


def test_a_few_fields_between_apostrophes_are_quoted_if_all_of_them_are_closed() -> None:
    table = read("1\tone\ttext\n2\ttwo\t'te\txt'\n'3'\ttwo\ttext\n")
    assert (table.dialect.quote, table.names) == ("'", ["1", "2", "3"])
    assert table.texts["3"].tolist() == ["text", "te\txt", "text"]
    table = read("a,b\n1,'tis\n2,it is\n3,'twas\n")
    assert table.dialect.quote == '"'
    assert table.texts["b"].tolist() == ["'tis", "it is", "'twas"]


def test_what_was_found_is_told_in_one_line() -> None:
    with pytest.warns(Assumption) as caught:
        read_table(io.BytesIO(b"a;b\n1,5;x\n2,5;y\n"))
    assert [str(warning.message) for warning in caught] == [
        "<stream>: read with semicolons between fields, a decimal comma"
    ]


def test_a_plain_file_is_read_without_a_word() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = read_table(io.BytesIO(b"a,b\n1.5,x\n2.5,y\n"))
    assert table.dialect == Dialect()


# ---------------------------------------------------------------------- what a model remembers

GERMAN = "a;b;y\n1.234,5;x;u\n2.000,5;z;v\n12,5;x;u\n"


def test_a_single_row_is_read_as_the_training_data_were() -> None:
    schema = schema_from_json(json.loads(json.dumps(Schema.guess(read(GERMAN, "y")).to_json())))
    assert isinstance(schema, Schema)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = schema.read(io.BytesIO(b"b;a\nx;1.234\n"))
    assert table.numbers.tolist() == [[1234.0]]


def test_a_file_with_another_delimiter_is_found_out_by_its_columns() -> None:
    schema = Schema.guess(read("a,b,y\n1,x,u\n2,z,v\n", "y"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Assumption)
        table = schema.read(io.BytesIO(b"b;a\nx;7\n"))
    assert table.numbers.tolist() == [[7.0]]


def test_the_schema_of_a_plain_file_is_as_it_was() -> None:
    assert "dialect" not in Schema.guess(read("a,b,y\n1,x,u\n2,z,v\n", "y")).to_json()
    assert Schema.guess(read(GERMAN, "y")).to_json()["dialect"] == {
        "delimiter": ";",
        "decimal": ",",
        "thousands": ".",
    }


@pytest.mark.parametrize(
    "forged",
    [
        {"delimiter": ",,"},
        {"delimiter": 5},
        {"quote": "x"},
        {"decimal": ";"},
        {"thousands": "1"},
        {"header": 1},
        {"unnamed": "middle"},
        {"comment": "a"},
        {"encoding": "utf-99"},
        {"encoding": None},
        {"more": 1},
        [],
        "x",
    ],
)
def test_a_forged_dialect_is_refused(forged: Any) -> None:
    fields = Schema.guess(read(GERMAN, "y")).to_json()
    with pytest.raises(ModelFileError, match="the schema of the model is not sound"):
        schema_from_json({**fields, "dialect": forged})


# ---------------------------------------------------------------------- the target


@pytest.mark.parametrize(
    ("header", "target"),
    [("Label,a,b", "Label"), ("a,CLASS,b", "CLASS"), ("y,a,target", "target"), ("a,c,b", "b")],
)
def test_a_target_is_found_by_its_name_or_is_the_last(header: str, target: str) -> None:
    assert read(f"{header}\n1,2,u\n3,4,v\n", GuessedTarget()).target == target


@pytest.mark.parametrize(
    ("header", "row", "target"),
    [
        ("x,y", "{i},{c}", "y"),
        ("y,x", "{c},{i}", "y"),
        ("x,y,z", "{i},{c},{i}", "y"),
        ("x,y,z", "{f},{c},{w}", "y"),  # not places alike
        ("a,y,x", "{f},{c},{w}", "y"),
        ("x,y,kind", "{c},{c},{w}", "kind"),  # places alike, and words to learn
        ("x,y,kind", "{f},{f},{w}", "kind"),
        ("x,y,kind", "{f},{f},{c}", "kind"),
        ("X,Y,label", "{c},{c},{c}", "label"),
    ],
)
def test_y_is_the_target_beside_an_x_unless_both_are_places(
    header: str, row: str, target: str
) -> None:
    rows = [row.format(i=i, c=i % 2, f=f"{i / 7:.3f}", w="uv"[i % 2]) for i in range(40)]
    assert read("\n".join([header, *rows]), GuessedTarget()).target == target


def test_where_no_column_can_be_meant_those_that_can_are_named() -> None:
    rows = "".join(f"{'uv'[i % 2]},{i * 0.37:.2f}\n" for i in range(30))
    with pytest.raises(DataError) as caught:
        read("kind,price\n" + rows, GuessedTarget())
    assert str(caught.value).startswith(
        '<stream>: which column is the target? The last, "price", holds too many different values'
    )
    assert 'one of the columns "kind"' in str(caught.value)
    assert "target='kind'" in str(caught.value)


def test_json_with_a_label_in_the_middle_takes_it() -> None:
    text = '{"a": 1, "label": "u", "z": 2}\n{"a": 2, "label": "v", "z": 3}\n'
    assert read(text, GuessedTarget(), format="jsonl").target == "label"


@pytest.mark.parametrize(
    ("values", "able"),
    [
        (["yes", "no"], True),
        ([str(i) for i in range(200)], False),
        (["0.5", "1.5"] * 20, True),
        ([f"{i}.5" for i in range(40)], False),
        ([1, 2, 3] * 9, True),
    ],
)
def test_classes_are_words_or_whole_numbers_that_come_again(values: list[Any], able: bool) -> None:
    assert can_be_classes(values) is able


# ---------------------------------------------------------------------- files read as a whole


def test_a_json_array_is_read_as_its_objects() -> None:
    text = '[\n {"a": 1,\n  "b": "x, [y]"},\n {"a": null, "b": "z"}\n]\n'
    table = read(text, format="json")
    np.testing.assert_array_equal(table.numbers, [[1], [np.nan]])
    assert table.texts["b"].tolist() == ["x, [y]", "z"]


def test_json_lines_may_be_called_json() -> None:
    assert read('{"a": 1}\n{"a": 2}\n', format="json").numbers.ravel().tolist() == [1, 2]


@pytest.mark.parametrize("text", ['[{"a": 1}', '[{"a": 1} {"a": 2}]', '[{"a": 1,}]', "[" * 100_000])
def test_an_array_that_is_not_whole_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(DataError, match="not a whole JSON array"):
        read(text, format="json")


def test_an_excel_file_that_is_none_is_refused() -> None:
    pytest.importorskip("python_calamine")
    with pytest.raises(DataError, match="not a whole Excel file"):
        read("a,b\n1,2\n", format="xlsx")


def test_a_pattern_names_several_files(tmp_path: Path) -> None:
    for name, row in (("b", "2,v"), ("a", "1,u")):
        (tmp_path / f"{name}.csv").write_text(f"n,y\n{row}\n")
    table = read_table(str(tmp_path / "*.csv"), "y")
    assert (table.numbers.ravel().tolist(), table.y.tolist()) == ([1, 2], ["u", "v"])


@pytest.mark.filterwarnings("ignore:.*skipped before the header")
def test_lines_before_the_header_may_hold_bytes_that_are_no_text() -> None:
    """Found by the fuzzer: such a byte is three bytes long when it is shown."""
    data = b"\xaf\x93!t\x00I\x85\xcf\xc7\n\xf5a\xf7\xadX\xb7\n\x8b\x84\t\xfd\xfd\xdcx\xa5\x9b\x06"
    with pytest.raises(DataError, match=r"<stream>:3:1: .* not UTF-8"):
        read_table(io.BytesIO(data), format="tsv")


# ---------------------------------------------------------------------- what stands around the rows

SIZES = "".join(
    f"{i * i}.5,{i % 7},{'red' if i % 3 else 'blue'},{'uv'[i % 2]}\n" for i in range(30)
)
PLAIN = "size,age,colour,late\n" + SIZES


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"Sales of 2024,,,\n{PLAIN}", "'Sales of 2024,,,' skipped before the header"),
        (f"what,,how,\n{PLAIN}", "'what,,how,' skipped before the header"),
        (f"n,n,t,t\n{PLAIN}", "'n,n,t,t' skipped before the header"),
        (PLAIN.replace("late\n", "late\nm²,years,,-\n", 1), "'m², years, , -' below the header"),
        (f"{PLAIN}Total,90,,\n", "'Total,90,,' skipped, below the last row"),
        (f"{PLAIN}\n\nSource: our shop\n", "'Source: our shop' skipped, below the last row"),
        (f"{PLAIN}Summe;90;;\n".replace(",", ";"), "'Summe;90;;' skipped, below the last row"),
    ],
)
def test_titles_groups_units_and_sums_are_no_rows(text: str, said: str) -> None:
    expected = read(PLAIN, "late")
    with pytest.warns(Assumption) as caught:
        found = read_table(io.BytesIO(text.encode()), GuessedTarget())  # type: ignore[arg-type]
    assert said in " ".join(str(one.message) for one in caught)
    assert (found.names, found.target) == (expected.names, "late")
    np.testing.assert_array_equal(found.numbers, expected.numbers)
    assert found.texts["colour"].tolist() == expected.texts["colour"].tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = Schema.guess(found).read(io.BytesIO(text.encode()), labelled=True)
    np.testing.assert_array_equal(again.numbers, expected.numbers)
    plain = Schema.guess(found).read(io.BytesIO(PLAIN.encode()))  # what is not there is not missed
    np.testing.assert_array_equal(plain.numbers, expected.numbers)


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace("4.5,2,red,u", "Total,2,red,u"),
        f"{PLAIN}12.5,3\n",
        f"{PLAIN}Par",
    ],
)
def test_a_bad_row_among_others_or_cut_off_is_still_a_fault(text: str) -> None:
    with pytest.raises(DataError):
        read(text, "late")


def test_a_name_that_stands_twice_is_numbered_with_a_word_of_it() -> None:
    text = "a,a 2,a,a,y\n1,2,3,4,u\n5,6,7,8,v\n"
    with pytest.warns(Assumption, match='the column "a" stands twice; the second is "a 3"'):
        table = read_table(io.BytesIO(text.encode()), "y")
    assert table.names == ["a", "a 2", "a 3", "a 4"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = Schema.guess(table).read(io.BytesIO(text.encode()))
    np.testing.assert_array_equal(again.numbers, table.numbers)
    with pytest.raises(DataError, match='"a" stands twice'):
        read(text, "y", header=True)


def test_bars_at_both_ends_of_a_row_are_no_columns() -> None:
    rows = "".join(f"| {i}.5 | {'xz'[i % 2]} | {'uv'[i % 2]} |\n" for i in range(9))
    text = f"| a | b | y |\n|---:|---|---|\n{rows}"
    table = read(text, GuessedTarget())
    assert (table.names, table.target, len(table)) == (["a", "b"], "y", 9)
    again = Schema.guess(table).read(io.BytesIO(text.encode()))
    assert again.names == ["a", "b"]  # and nothing is said of columns that are not used


def test_an_unnamed_first_column_with_values_is_one_also_where_it_is_known() -> None:
    rows = "".join(f"{'pqr'[i % 3]},{i % 4}.5,{'uv'[i % 2]}\n" for i in range(30))
    table = read(f",a,y\n{rows}", "y")
    assert table.names == ["column 1", "a"]
    again = Schema.guess(table).read(io.BytesIO(f",a,y\n{rows}".encode()))
    assert again.texts["column 1"].tolist() == table.texts["column 1"].tolist()


def test_a_last_column_of_gaps_is_not_the_target() -> None:
    assert read("a,b,c\n1,u,\n2,v,\n3,u,NA\n", GuessedTarget()).target == "b"


def test_the_first_sheet_with_a_table_is_read(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine")
    book = openpyxl.Workbook()
    book.active["A1"] = "Read me"
    sheet = book.create_sheet("numbers")
    for row in [["a", "y"], [1, "u"], [2, "v"]]:
        sheet.append(row)
    book.save(tmp_path / "two.xlsx")
    with pytest.warns(Assumption, match='the sheet "numbers" is read'):
        assert read_table(tmp_path / "two.xlsx", "y").numbers.tolist() == [[1.0], [2.0]]


# ---------------------------------------------------------------------- comments and counts of rows


def told(text: str, target: Any = None, **options: Any) -> tuple[Table, str]:
    """What is read, and what is said of it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = read_table(io.BytesIO(text.encode()), target, **options)
    return table, "; ".join(str(one.message) for one in caught)


def columns_of(table: Table) -> dict[str, list[Any]]:
    return {name: column.tolist() for name, column in table.columns.items()}


COLOURS = "".join(
    f"{'#ff00' if i % 2 else 'red'}{i % 5},{i % 7},{'uv'[i % 2]}\n" for i in range(40)
)


@pytest.mark.parametrize("mark", ["#", "%"])
def test_rows_that_begin_with_the_mark_of_comments_are_rows(mark: str) -> None:
    rows = COLOURS.replace("#", mark)
    table, said = told(f"{mark} exported 2024-05-01\n{mark}\ncolour,size,y\n{rows}", "y")
    assert columns_of(table) == columns_of(read(f"colour,size,y\n{rows}", "y"))
    assert len(table) == 40
    assert said == "<stream>: read with 2 comment lines skipped before the header"


@pytest.mark.parametrize("preamble", ["", "# exported\n", "# a, b\n# and more, of it\n"])
def test_a_model_of_a_file_with_comments_reads_every_row_of_another(preamble: str) -> None:
    schema = Schema.guess(read(f"# exported\ncolour,size,y\n{COLOURS}", "y"))
    assert "comment" not in schema.to_json().get("dialect", {})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        again = schema.read(io.BytesIO(f"{preamble}colour,size,y\n{COLOURS}".encode()))
    assert len(again) == 40
    n = preamble.count("\n")
    assert [str(one.message) for one in caught] == [
        f"<stream>: read with {n} comment line{'s' * (n > 1)} skipped before the header"
    ] * bool(n)


@pytest.mark.parametrize(
    ("text", "names", "n_rows"),
    [
        ("#chrom\tstart\ty\nchr1\t1\tu\nchr2\t2\tv\n", ["#chrom", "start", "y"], 2),
        ("##made\n##by us\n#chrom\tstart\nchr1\t1\nchr2\t2\n", ["#chrom", "start"], 2),
        ("#id,a,b\nx,red,yes\nz,blue,no\n", ["#id", "a", "b"], 2),
        ("# id,a,b\nx,red,yes\nz,blue,no\n", ["# id", "a", "b"], 2),
        ("# made by us, 2024\n#n,m\n1,2\n3,4\n", ["#n", "m"], 2),
        ("# made by us, 2024\n\nname,y\nann,u\nbob,v\n", ["name", "y"], 2),
        ("# made by us, 2024\nname,size\nann,1\nbob,2\n", ["name", "size"], 2),
        ("#ff0000,7,u\nred,0,v\n#00ff00,9,u\n", ["1", "2", "3"], 3),
        ("#ff0000,7,u\n#00ff00,9,u\nred,0,v\n", ["1", "2", "3"], 3),
        ("# made\n#ff0000,7,u\n#00ff00,9,u\nred,0,v\n", ["1", "2", "3"], 3),
    ],
)
def test_a_marked_line_as_wide_as_the_rows_is_the_header_or_a_row(
    text: str, names: list[str], n_rows: int
) -> None:
    table = read(text)
    assert (table.names, len(table)) == (names, n_rows)


def test_comments_among_the_rows_are_counted_and_told_with_the_line_of_the_first() -> None:
    text = "# ours\na,b,y\n1,2,u\n# moved\n\n#again\n3,4,v\n## by us, twice\n"
    table, said = told(text, "y")
    assert table.numbers.tolist() == [[1, 2], [3, 4]]
    assert table.lines.tolist() == [3, 7]
    assert said.endswith("<stream>:4: a comment line skipped, and 2 below")


@pytest.mark.parametrize(
    "text",
    [
        "a,b,y\n1,2,u\n# moved\n3,4,v\n",  # nothing says that there are comments
        "# ours\na,b,y\nx,2,u\n#ff0000,3\nz,4,v\n",  # a row that lacks a field
        "# ours\na,b,y\n1,2,u\n#3,4,v\n5,6,u\n",  # as wide as a row, and no number
    ],
)
def test_a_marked_line_that_may_be_a_damaged_row_is_a_fault(text: str) -> None:
    with pytest.raises(DataError):
        read(text, "y", types={"a": "number" if "1,2,u" in text else "text"})


def test_more_comments_than_are_looked_at_stand_above_a_header() -> None:
    comments = "".join(f"# {i:03} {'-' * 500}\n" for i in range(200))
    table, said = told(f"{comments}a,b,y\n1,2,u\n3,4,v\n", "y")
    assert (table.names, len(table)) == (["a", "b"], 2)
    assert said == "<stream>: read with 200 comment lines skipped before the header"


def test_rows_that_begin_with_a_parenthesis_stay_where_psql_counts_them() -> None:
    rows = "".join(f"{['(none)', 'x', '(2 rows'][i % 3]}|{i}|{'uv'[i % 2]}\n" for i in range(90))
    text = f"kind|size|y\n{rows}(90 rows)\n"
    table, said = told(text, "y")
    assert len(table) == 90
    assert said.endswith("<stream>:92: a count of rows as of psql skipped")
    assert len(Schema.guess(table).read(io.BytesIO(f"kind|size|y\n{rows}".encode()))) == 90


def test_a_line_below_a_header_of_bars_is_drawn_unless_it_may_be_a_row_of_gaps() -> None:
    assert len(read("a|b\n---|---\n1|2\n3|4\n")) == 2
    schema = Schema.guess(read("a|b|y\n1|2|u\n3|4|v\n", "y"))
    assert len(schema.read(io.BytesIO(b"a|b\n-|-\n1|2\n"))) == 2


def test_a_first_row_of_gaps_is_not_taken_for_units() -> None:
    with_units = PLAIN.replace("late\n", "late\nm²,years,,-\n", 1)
    schema = Schema.guess(read(with_units, "late"))
    assert schema.dialect.units
    gaps = b"size,age,colour\n,NA,red\n1,2,blue\n"
    assert len(schema.read(io.BytesIO(gaps))) == 2
    with pytest.warns(Assumption, match="'m², years, ' below the header taken as units"):
        again = schema.read(io.BytesIO("size,age,colour\nm²,years,\n1,2,blue\n".encode()))
    assert len(again) == 1


def test_a_first_row_with_one_value_is_a_title_only_above_a_header() -> None:
    rows = "".join(f"{i * 3}.5,{i % 7},{'uv'[i % 2]}\n" for i in range(9))
    assert len(read(f"7.5,,\n{rows}")) == 10
    assert len(read(f"Sales,,\na,b,y\n{rows}")) == 9


def test_how_many_lines_were_skipped_above_a_header_is_told() -> None:
    _, said = told(f"Sales\nby us\n\n{PLAIN}", "late")
    assert said == "<stream>: read with 'Sales' and 1 more line skipped before the header"


# ---------------------------------------------------------------------- points and decimal commas


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n;m;y\n345;0,0;u\n5.600;1,1;v\n345.678;2,2;u\n", [345, 5600, 345678]),
        ("n;m;y\n12,5;0,0;u\n1.234;1,1;v\n1.234.567,5;2,2;u\n", [12.5, 1234, 1234567.5]),
        ('n,m,y\n"1,234",0.5,u\n"12,345",0.75,v\n7,1.5,u\n', [1234, 12345, 7]),
        ("n;m;y\n1,234;0.5;u\n12,345;0.75;v\n7;1.5;u\n", [1234, 12345, 7]),
    ],
)
def test_the_rest_of_a_file_tells_decimal_marks_from_marks_of_thousands(
    text: str, expected: list[float]
) -> None:
    table, said = told(text, "y")
    assert table.numbers[:, 0].tolist() == expected
    assert "between thousands" in said


def test_a_point_far_below_in_a_file_with_decimal_commas_is_one_of_thousands_or_a_fault() -> None:
    rows = "".join(f"{i},5;{'uv'[i % 2]}\n" for i in range(300))
    assert read(f"n;y\n{rows}1.234;u\n-7.654.321;v\n", "y").numbers[-2:].tolist() == [
        [1234],
        [-7654321],
    ]
    for wrong in ("7.25", "0.500", "12.3456", "1.234.56", "1.5e3", "1234.567", "1..234"):
        with pytest.raises(DataError) as caught:
            read(f"n;y\n{rows}{wrong};u\n", "y")
        told_so = str(caught.value)
        assert f'<stream>:302:1: column "n": "{wrong}" is not a number' in told_so
        assert "with decimal commas a point stands between thousands" in told_so
        assert "say decimal='.'" in told_so


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "n;m;y\n12,5;0,5;u\n13.5;1,1;v\n45,25;2,2;u\n",
            '"13.5" has a decimal point, "12,5" a decimal comma',
        ),
        (
            "n;m;y\n12,5;0.5;u\n13.5;1.1;v\n45.25;2.2;u\n",
            '"12,5" has a decimal comma, "13.5" a decimal point',
        ),
        (
            "n;m;k;y\n12.5;0,5;1,5;u\n7.75;1,1;2,5;v\n",
            '"12.5" has a decimal point, other columns of the file have a decimal comma',
        ),
    ],
)
def test_a_column_with_both_decimal_marks_is_refused_by_name(text: str, words: str) -> None:
    with pytest.raises(DataError) as caught:
        read(text, "y")
    message = str(caught.value)
    assert f'column "n": {words}' in message
    assert "write all numbers alike" in message
    assert "types={'n': 'text'}" in message
    assert read(text, "y", types={"n": "text"}).texts["n"][0] == text.split("\n")[1].split(";")[0]


def test_a_column_with_decimal_commas_among_others_with_points_is_text_and_told() -> None:
    table, said = told("n;m;k;y\n12,5;0.5;1.5;u\n7,75;1.1;2.5;v\n", "y")
    assert table.texts["n"].tolist() == ["12,5", "7,75"]
    assert 'column "n": "12,5" has a decimal comma, other columns have a decimal point' in said


@pytest.mark.parametrize("mark", [";", "\t"])
def test_points_that_may_stand_between_thousands_are_told(mark: str) -> None:
    text = "n;y\n345;u\n5.600;v\n345.678;u\n".replace(";", mark)
    table, said = told(text, "y")
    assert table.numbers.ravel().tolist() == [345, 5.6, 345.678]
    assert (
        "column \"n\": 5.600 is read as 5.6; if points stand between thousands, say decimal=','"
        in said
    )
    table, said = told(text, "y", decimal=",")
    assert table.numbers.ravel().tolist() == [345, 5600, 345678]
    assert "is read as" not in said


@pytest.mark.parametrize(
    "text",
    [
        "n;y\n345;u\n5.600;v\n0.678;u\n",
        "n;y\n345;u\n5.60;v\n1.678;u\n",
        "n;y\n3.450;u\n5.600;v\n1.678;u\n",
        "n,y\n345,u\n5.600,v\n345.678,u\n",
    ],
)
def test_points_that_are_decimal_marks_beyond_doubt_are_not_told(text: str) -> None:
    assert "is read as" not in told(text, "y")[1]


@pytest.mark.parametrize("text", ["0,123", "00,123", "-0,123", "012,345"])
def test_no_number_with_marks_of_thousands_begins_with_zero(text: str) -> None:
    parser = DelimitedParser(ord(";"), True, False, 1e150, [])
    parser.set_dialect(ord(";"), 34, ord("."), b",", True)
    assert parser.number(text.encode()) is None
    assert parser.number(text.encode().replace(b"0", b"9")) is not None
