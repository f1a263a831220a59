"""Which columns hold numbers, by all of their values and not only by the first."""

from __future__ import annotations

import io
import json
import os
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.errors import DataError
from rosenblatt.features import Schema
from rosenblatt.io import Assumption, Table, iter_table, read_table
from rosenblatt.tables.readers.column_roles import are_numbers

ROWS = 3000


def table_of(cells: list[str]) -> bytes:
    """Rows of a number, a cell and a class."""
    rows = (f"{i * 7 % 100},{cell},{'no' if i % 3 else 'yes'}" for i, cell in enumerate(cells))
    return ("\n".join(["n,x,y", *rows]) + "\n").encode()


def numbers(n: int = ROWS) -> list[str]:
    return [f"{i % 977}.25" for i in range(n)]


def quietly(data: bytes, **options: Any) -> Table:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_table(io.BytesIO(data), "y", **options)


@pytest.mark.parametrize(
    ("n_values", "strays", "verdict"),
    [
        (2000, {"n/a*": 1, "<0.1": 1, "error": 1}, True),
        (891, {"A/5 21171": 120, "PC 17599": 110}, False),
        (100, {"V57": 2}, True),
        (100, {"V57": 2, "E11": 1}, False),
        (10, {"oops": 1}, True),
        (9, {"oops": 1}, False),
        (1, {"oops": 1}, False),
        (100, {"unknown": 40}, True),
        (100, {"unknown": 60}, False),
        (100, {}, True),
    ],
)
def test_one_text_in_fifty_is_a_stray_and_more_make_a_column_of_text(
    n_values: int, strays: dict[str, int], verdict: bool
) -> None:
    assert are_numbers(n_values, strays) is verdict


@pytest.mark.parametrize("place", [3, 150, 2990])
def test_a_few_texts_among_numbers_are_gaps_which_are_counted_and_told(place: int) -> None:
    cells = numbers()
    cells[place], cells[place + 1] = "error", "<0.1"
    said = (
        r'column "x": 2 of 3,000 values are not numbers, read as gaps: "error" \(1\), "<0.1" \(1\)'
    )
    with pytest.warns(Assumption, match=said):
        table = read_table(io.BytesIO(table_of(cells)), "y")
    assert table.number_names == ["n", "x"]
    assert table.strays == {"x": {"error": 1, "<0.1": 1}}
    assert np.flatnonzero(np.isnan(table.number_column("x"))).tolist() == [place, place + 1]


@pytest.mark.parametrize("first", [0, 90, 150, 2500])
def test_a_column_with_many_texts_is_text_wherever_they_begin(first: int) -> None:
    cells = [f"A/5 {i}" if i >= first and i % 4 == 0 else f"{i}.50" for i in range(ROWS)]
    table = quietly(table_of(cells))
    assert (table.number_names, table.strays) == (["n"], {})
    assert table.texts["x"].tolist() == cells  # as they were written, the numbers too


@pytest.mark.parametrize("n_blank", [100, 150, 2900])
def test_a_column_whose_first_rows_are_blank_is_what_its_values_are(n_blank: int) -> None:
    blank = [""] * n_blank
    table = quietly(table_of(blank + numbers()[n_blank:]))
    assert table.number_names == ["n", "x"]
    table = quietly(table_of(blank + [f"word {i % 5}" for i in range(ROWS - n_blank)]))
    assert table.number_names == ["n"]
    assert table.texts["x"].tolist()[n_blank] == "word 0"


def test_a_column_without_any_value_is_text_however_long_it_is() -> None:
    for n in (10, ROWS):
        table = quietly(table_of([""] * n))
        assert table.number_names == ["n"]
        assert set(table.texts["x"]) == {""}


def test_texts_before_the_numbers_of_a_column_are_strays_as_well() -> None:
    table = quietly(table_of(["pending"] * 40 + numbers()[40:]))
    assert table.number_names == ["n", "x"]
    assert table.strays == {"x": {"pending": 40}}
    assert np.isnan(table.number_column("x")[:40]).all()


def test_codes_stay_texts_even_if_all_of_them_are_written_in_digits() -> None:
    cells = ["", *(f"{i:05}" for i in range(ROWS - 1))]
    assert quietly(table_of(cells)).number_names == ["n"]


def test_a_kind_that_was_declared_is_kept_and_a_text_violates_it() -> None:
    cells = numbers()
    cells[2000] = "error"
    with pytest.raises(DataError, match=r'2002:\d+: column "x": "error" is not a number'):
        quietly(table_of(cells), types={"x": "number"})
    table = quietly(table_of(cells), types={"x": "number or gap"})
    assert table.strays == {"x": {"error": 1}}
    mixed = [f"A/5 {i}" if i % 4 == 0 else str(i) for i in range(ROWS)]
    table = quietly(table_of(mixed), types={"x": "number or gap"})
    assert np.isnan(table.number_column("x")).sum() == ROWS // 4


def test_blocks_of_a_stream_take_strays_as_gaps_and_tell_at_the_end() -> None:
    cells = numbers(40_000)
    cells[20_000] = "error"
    with pytest.warns(Assumption, match="1 of 40,000 values is not a number, read as a gap"):
        blocks = list(iter_table(io.BytesIO(table_of(cells)), "y"))
    assert [block.number_names for block in blocks] == [["n", "x"]] * len(blocks)
    assert [block.strays for block in blocks if block.strays] == [{"x": {"error": 1}}]


def test_the_first_rows_of_a_file_on_a_disk_are_looked_at_in_a_stream(tmp_path: Path) -> None:
    (tmp_path / "late.csv").write_bytes(table_of([""] * 150 + [f"w{i % 3}" for i in range(ROWS)]))
    blocks = list(iter_table(tmp_path / "late.csv", "y"))
    assert [block.number_names for block in blocks] == [["n"]] * len(blocks)


def test_a_bad_row_leaves_no_stray_behind() -> None:
    cells = numbers()
    cells[500] = "error,no,more"
    table = quietly(table_of(cells), on_bad="skip")
    assert (len(table), table.strays) == (ROWS - 1, {})


def test_what_comes_out_of_a_pipe_is_read_again_too() -> None:
    cells = [f"A/5 {i}" if i >= 200 and i % 4 == 0 else str(i) for i in range(ROWS)]
    read_end, write_end = os.pipe()

    def write() -> None:
        with os.fdopen(write_end, "wb") as pipe:
            pipe.write(table_of(cells))

    writer = threading.Thread(target=write)
    writer.start()
    with os.fdopen(read_end, "rb") as pipe:
        table = read_table(pipe, "y")
    writer.join()
    assert table.texts["x"].tolist() == cells


def test_rejects_of_a_file_that_is_read_twice_are_written_once(tmp_path: Path) -> None:
    cells = [f"A/5 {i}" if i >= 200 and i % 4 == 0 else str(i) for i in range(ROWS)]
    cells[7] = "1,2,3"
    rejects = tmp_path / "rejects.jsonl"
    table = quietly(table_of(cells), on_bad=f"rejects={rejects}")
    assert len(table) == ROWS - 1
    assert [json.loads(line)["line"] for line in rejects.read_text().splitlines()] == [9]


def test_json_lines_have_strays_and_texts_as_well() -> None:
    def lines(values: list[Any]) -> bytes:
        return "\n".join(json.dumps({"x": value, "y": "u"}) for value in values).encode()

    values: list[Any] = [i + 0.5 for i in range(ROWS)]
    values[1500] = "error"
    table = quietly(lines(values), format="jsonl")
    assert table.strays == {"x": {"error": 1}}
    values = [f"A/5 {i}" if i >= 200 and i % 4 == 0 else i for i in range(ROWS)]
    table = quietly(lines(values), format="jsonl")
    assert table.texts["x"].tolist() == [str(value) for value in values]
    values = [None] * 150 + [i + 0.5 for i in range(ROWS)]
    assert quietly(lines(values), format="jsonl").number_names == ["x"]


def test_a_sum_below_the_last_row_is_no_stray() -> None:
    rows = "".join(f"{i},{i % 7},{i % 2}\n" for i in range(60))
    with pytest.warns(Assumption, match="'Total,178,30' skipped, below the last row"):
        table = read_table(io.BytesIO(f"a,b,y\n{rows}Total,178,30\n".encode()), "y")
    assert (len(table), table.strays) == (60, {})


def test_a_schema_reads_strays_as_gaps_where_training_had_some_and_else_refuses_them() -> None:
    cells = numbers()
    cells[2000] = "error"
    schema = Schema.guess(quietly(table_of(cells)))
    again = Schema.from_json(json.loads(json.dumps(schema.to_json())))
    with pytest.warns(Assumption, match='1 of 2 values is not a number, read as a gap: "oops"'):
        other = again.read(io.BytesIO(b"n,x,y\n1,oops,no\n2,3,yes\n"))
    assert np.isnan(other.number_column("x")).tolist() == [True, False]
    with pytest.raises(DataError, match='column "n": "oops" is not a number'):
        again.read(io.BytesIO(b"n,x,y\noops,1,no\n2,3,yes\n"))
