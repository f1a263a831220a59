"""What is odd about data, as Python gets it; what the shell prints of it is tested there."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.evaluate import DataReport, check_data
from rosenblatt.features import FeatureOptions, guess_schema
from rosenblatt.inspection import data_checks
from rosenblatt.io import iter_svmlight, iter_text, iter_vw, read_table


def table(text: str, **options: Any) -> Any:
    return read_table(io.BytesIO(text.encode()), target="y", **options)


def test_findings_have_their_parts_and_their_words() -> None:
    report = check_data("table", table("n,a,b,c,y\n1,7,p,x,u\n2,7,q,?,v\n3,7,p,x,u\n4,7,p,z,u\n"))
    assert isinstance(report, DataReport)
    assert (report.rows, report.features, report.features_used) == (4, 7, 7)
    assert (report.constant, report.row_numbers) == (["a"], ["n"])
    assert report.missing == {"c": 1}
    assert report.levels_met_once == {"b": 1, "c": 2}
    assert report.errors() == []
    assert report.warnings() == [
        "the same value in all rows: a",
        "only numbers the rows, of no use to predict: n",
        "values missing: c (1); an extra feature marks them",
        "b has 1 level that occurs once",
        "c has 2 levels that occur once",
    ]


def test_a_report_is_plain_data_too() -> None:
    report = check_data("table", table("a,y\n1,1\n1,0\n1,1\n"))
    found = json.loads(json.dumps(report.to_json()))
    assert found["classes"] == {"0": 1, "1": 2}
    assert found["errors"] == report.errors()
    assert report.errors()[0].startswith("every column has the same value")
    assert found["conflicts"]["never_right"] == 1
    assert report.warnings()[-2:] == [
        "3 rows are equal to one with another label; 1 of them no model gets right:",
        "  line 2: 1, line 3: 0",
    ]


@pytest.mark.parametrize(
    ("kind", "read", "text", "features", "used"),
    [
        ("svmlight", iter_svmlight, "1 1:5 9:2\n0 2:1\n", 9, 3),
        ("text", iter_text, "a\tone two\nb\ttwo\n", 2**18, 3),
        ("vw", iter_vw, "1 |f x y\n-1 |f z\n", 2**18, 3),
    ],
)
def test_features_that_occur_are_told_from_those_there_is_room_for(
    kind: str, read: Any, text: str, features: int, used: int
) -> None:
    report = check_data(kind, read(io.BytesIO(text.encode())).whole())
    assert (report.features, report.features_used) == (features, used)


def test_a_schema_of_ones_own_decides_what_the_columns_are() -> None:
    data = table("a,y\n1,u\n2,v\n3,u\n", types={"a": "text"})
    schema = guess_schema("table", data, FeatureOptions(declared={"a": "category"}))
    report = check_data("table", data, schema)
    assert [column["kind"] for column in report.columns] == ["category"]
    assert report.levels_met_once == {"a": 3}


CELL = st.sampled_from(["1", "2", "-0", "0", "", "3.5"])


@given(
    st.integers(1, 4).flatmap(lambda k: st.lists(st.tuples(*[CELL] * k), min_size=3, max_size=12))
)
def test_columns_and_rows_are_repeated_where_all_their_values_are(
    rows: list[tuple[str, ...]],
) -> None:
    names = [f"c{i}" for i in range(len(rows[0]))]
    lines = [",".join([*names, "y"]), *(",".join([*row, str(i % 2)]) for i, row in enumerate(rows))]
    table = read_table(io.BytesIO("\n".join(lines).encode()), "y", types="number")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data_checks, "ROWS_HASHED", 2)
        patch.setattr(data_checks, "SKETCHED", 2)
        found = check_data("table", table)
    values = [tuple(float(cell or "nan") for cell in row) for row in rows]
    plain = [tuple(map(repr, (v + 0.0 for v in row))) for row in values]
    assert found.repeated_rows["rows"] == len(plain) - len(set(plain))
    columns: dict[tuple[str, ...], list[str]] = {}
    for name, column in zip(names, zip(*plain, strict=True), strict=True):
        if len(set(column)) > 1:
            columns.setdefault(column, []).append(name)
    assert found.repeated_columns == [group for group in columns.values() if len(group) > 1]
