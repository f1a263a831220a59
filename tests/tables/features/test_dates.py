"""Dates and times: how they are read, and the features they become."""

from __future__ import annotations

import datetime
import io
import json
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.errors import ModelFileError, ParameterError
from rosenblatt.features import Schema, UnseenValues, schema_from_json
from rosenblatt.io import Assumption, Table, read_table
from rosenblatt.tables.features.dates import Date, guess_order, seconds_of
from rosenblatt.tables.features.guessing import TableGuess

FORMATS = {
    "ymd": ["%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", "%Y/%m/%d %H:%M:%S+02:00"],
    "dmy": ["%d.%m.%Y %H:%M:%S", "%d/%m/%Y %I:%M:%S %p"],
    "mdy": ["%m/%d/%Y %H:%M:%S", "%m-%d-%Y %I:%M:%S %p"],
    "named": ["%d %b %Y %H:%M:%S", "%d-%b-%Y %H:%M:%S", "%B %d, %Y %H:%M:%S"],
}
moments = st.datetimes(datetime.datetime(1969, 1, 1), datetime.datetime(2068, 12, 31)).map(
    lambda t: t.replace(microsecond=0)
)


@given(moments, st.sampled_from([(o, f) for o, formats in FORMATS.items() for f in formats]))
def test_a_time_is_the_one_that_was_written(time: datetime.datetime, way: tuple[str, str]) -> None:
    found = seconds_of([time.strftime(way[1])], way[0])[0]
    assert found == time.replace(tzinfo=datetime.UTC).timestamp()


@pytest.mark.parametrize("text", ["", "31.02.2024", "2024-13-01", "x", "99:99", "2024-01-01 25:00"])
def test_what_is_no_time_is_a_gap(text: str) -> None:
    assert all(np.isnan(seconds_of([text], order)[0]) for order in ("ymd", "dmy", "clock"))


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["13/02/2024", "01/02/2024"], ("dmy", False)),
        (["02/13/2024", "01/02/2024"], ("mdy", False)),
        (["01/02/2024", "03/04/2024"], ("mdy", True)),
        (["01.02.2024", "03.04.2024"], ("dmy", True)),
        (["13/13/2024", "01/02/2024"], None),
        (["10:40", "23:05:11"], ("clock", False)),
        (["12", "13"], None),
        ([], None),
    ],
)
def test_the_order_of_day_and_month_is_seen_or_assumed(
    texts: list[str], expected: tuple[str, bool] | None
) -> None:
    assert guess_order(texts) == expected


def table_of(days: list[str], **options: Any) -> Table:
    rows = "".join(f"{day},{'uv'[i % 2]}\n" for i, day in enumerate(days))
    return read_table(io.BytesIO(f"when,y\n{rows}".encode()), "y", **options)


def features_of(schema: Schema, table: Table) -> list[dict[str, float]]:
    X: Any = schema.encode(table)
    names = schema.names(range(schema.n_features))
    return [{n: v for n, v in zip(names, row, strict=True) if v} for row in X.toarray().tolist()]


DAYS = ["2024-02-28 10:00", "2024-02-29 11:30", "2024-03-01 23:59", "", "2024-03-02 00:00"]


def test_a_date_becomes_days_weekday_month_and_hour_by_name() -> None:
    table = table_of(DAYS)
    schema = Schema.guess(table)
    assert schema.describe()[0].endswith(
        "days, weekday, month, hour, may be missing (year-month-day)"
    )
    found = features_of(schema, table)
    assert set(found[1]) - {"when.days"} == {
        "when.weekday=Thursday",
        "when.month=February",
        "when.hour=11",
    }
    assert found[3] == {"when is missing": 1.0}
    assert found[0]["when.days"] < found[1].get("when.days", 0.0) < found[2]["when.days"]


def test_parts_can_be_ignored_and_those_that_do_not_differ_are() -> None:
    schema = Schema.guess(table_of(DAYS), declared={"when.hour": "ignored"})
    assert schema.describe()[0].split("date      ")[1].startswith("days, weekday, month, may")
    same_hour = Schema.guess(table_of(["2024-02-28", "2024-02-29"]))
    assert same_hour.describe()[0].endswith("days, weekday (year-month-day)")


def test_a_gap_that_training_did_not_have_is_filled_with_the_median_and_counted() -> None:
    schema = Schema.guess(table_of(["2024-02-28", "2024-03-01", "2024-03-29"]))
    late = table_of(["", "soon", "2024-03-01"], types={"when": "text"})
    gap, lost, middle = features_of(schema, late)
    assert gap == lost == middle
    assert schema.unknown(late) == {"when": {"soon": 1}}
    unseen = UnseenValues()
    unseen.encode(schema, late)
    assert unseen.describe()[0] == "when: 1 gap, as training had none, filled with 2024-03-01"


def test_a_time_of_day_or_an_epoch_that_is_not_known_is_filled_too() -> None:
    clock = Schema.guess(table_of(["10:30", "14:00", "09:15", "10:45"]))
    gap, ten = features_of(clock, table_of(["", "10:05"], types={"when": "text"}))
    assert gap == ten == {"when.hour=10": 1.0}
    rows = "".join(f"{1709071200 + 86400 * i},{'uv'[i % 2]}\n" for i in range(5))
    epoch = Schema.guess(read_table(io.BytesIO(f"timestamp,y\n{rows}".encode()), "y"))
    late = epoch.read(io.BytesIO(b"timestamp\nNA\n1709244000\n"))
    assert epoch.new_gaps(late) == {"timestamp": 1}
    gap, middle = features_of(epoch, late)
    assert gap.keys() - {"timestamp.days"} == middle.keys() - {"timestamp.days"}


def test_seconds_since_1970_under_a_name_of_time_are_a_date_and_else_numbers() -> None:
    rows = "".join(f"{1709071200 + 86400 * i},{'uv'[i % 2]}\n" for i in range(5))
    for name, kind in (("timestamp", "date"), ("phone", "number")):
        table = read_table(io.BytesIO(f"{name},y\n{rows}".encode()), "y")
        schema = Schema.guess(table)
        assert schema.columns[0].kind == kind
        again = schema.read(io.BytesIO(f"{name}\n1709071200\n".encode()))
        assert schema.encode(again).shape == (1, schema.n_features)


def test_an_order_that_is_assumed_is_told_and_can_be_declared() -> None:
    days = ["01/02/2024", "03/04/2024"]
    with pytest.warns(Assumption, match="dates like 01/02/2024 read as month, day, year"):
        assert Schema.guess(table_of(days)).to_json()["columns"][0]["order"] == "mdy"
    declared = Schema.guess(table_of(days), declared={"when": "dmy"})
    assert declared.to_json()["columns"][0]["order"] == "dmy"
    with pytest.raises(ParameterError, match="does not hold dates"):
        Schema.guess(table_of(["a", "b"]), declared={"when": "date"})


@given(st.lists(moments, min_size=2, max_size=30), st.integers(1, 29))
def test_rows_in_blocks_give_the_same_column_to_the_last_bit(
    times: list[datetime.datetime], cut: int
) -> None:
    table = table_of([str(time) for time in times])
    whole, parts = TableGuess(), TableGuess()
    whole.add(table)
    parts.add(table[:cut])
    parts.add(table[cut:])
    assert whole.columns(False) == parts.columns(False)


FORGED: list[dict[str, Any]] = [
    {"order": "dym"},
    {"parts": ["hour", "days"]},
    {"parts": "days"},
    {"parts": ["days", "days"]},
    {"scale": 0.0},
    {"center": float("nan")},
    {"clip": -1.0},
    {"gaps": 1},
    {"more": 1},
]


@pytest.mark.parametrize("forged", FORGED)
def test_a_forged_column_of_dates_is_refused(forged: dict[str, Any]) -> None:
    fields = json.loads(json.dumps(Schema.guess(table_of(DAYS)).to_json()))
    assert isinstance(schema_from_json(fields), Schema)
    fields["columns"][0].update(forged)
    with pytest.raises(ModelFileError):
        schema_from_json(fields)


def test_a_schema_of_dates_survives_its_file() -> None:
    table = table_of(DAYS)
    schema = Schema.guess(table)
    twin = schema_from_json(json.loads(json.dumps(schema.to_json())))
    assert isinstance(twin, Schema)
    assert isinstance(twin.columns[0], Date)
    assert features_of(twin, table) == features_of(schema, table)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(twin.read(io.BytesIO(b"when\n2024-02-28 10:00\n"))) == 1


@pytest.mark.parametrize(("n_others", "expected"), [(9, "ymd"), (10, None), (40, None)])
def test_nine_in_ten_must_be_dates(n_others: int, expected: str | None) -> None:
    dates = [f"2024-05-{1 + i % 28:02}" for i in range(100 - n_others)]
    found = guess_order([*dates, *["soon"] * n_others])
    assert (found and found[0]) == expected


@pytest.mark.parametrize(("year", "century"), [("00", 20), ("68", 20), ("69", 19), ("99", 19)])
def test_a_year_of_two_digits_lies_between_1969_and_2068(year: str, century: int) -> None:
    (found,) = seconds_of([f"01.02.{year}"], "dmy").tolist()
    time = datetime.datetime(100 * century + int(year), 2, 1, tzinfo=datetime.UTC)
    assert found == time.timestamp()
