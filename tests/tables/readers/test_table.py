"""Tables in parts, and what they remember of how they were read."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from rosenblatt.errors import InputError
from rosenblatt.features import Schema
from rosenblatt.io import Table, read_table

TEXT = "size,colour,y\n1,red,a\n2,blue,b\n3,red,a\n4,green,c\n"


def table_of(text: str = TEXT, target: str | None = "y", **options: Any) -> Table:
    return read_table(io.BytesIO(text.encode()), target, **options)


@pytest.mark.parametrize(
    "rows",
    [
        slice(2),
        slice(1, None),
        slice(None, None, -2),
        slice(9, 12),
        [3, 0],
        [],
        np.array([True, False, False, True]),
    ],
    ids=str,
)
def test_rows_of_a_table_are_a_table(rows: Any) -> None:
    table = table_of()
    part = table[rows]
    chosen = [] if isinstance(rows, list) and not rows else np.arange(4)[rows].tolist()
    assert len(part) == len(chosen)
    assert part.numbers.ravel().tolist() == [i + 1.0 for i in chosen]
    assert part.rows is part.numbers
    assert part.texts["colour"].tolist() == [["red", "blue", "red", "green"][i] for i in chosen]
    assert part.labels.tolist() == ["abac"[i] for i in chosen]
    assert part.lines.tolist() == [i + 2 for i in chosen]
    codes, levels = part.coded("colour")
    assert [levels[code] for code in codes] == part.texts["colour"].tolist()
    assert (part.names, part.number_names, part.target) == (["size", "colour"], ["size"], "y")
    assert len(table) == 4


def test_a_part_of_a_table_has_the_levels_that_occur_in_it() -> None:
    schema = Schema.guess(table_of()[:2])
    assert schema.names(range(schema.n_features)) == ["size", "colour=red", "colour=blue"]
    assert schema.unknown(table_of()[2:]) == {"colour": {"green": 1}}


def test_a_table_without_labels_can_be_cut() -> None:
    assert table_of(target=None)[1:].labels is None


@pytest.mark.parametrize("rows", [0, [[0, 1]]])
def test_one_row_is_no_table(rows: Any) -> None:
    with pytest.raises(InputError, match="by a slice"):
        table_of()[rows]


def test_a_table_knows_what_stood_for_unknown_numbers() -> None:
    table = table_of("size,y\n1,a\n?,b\n", missing=["?", "NA"])
    assert table.missing == ["?", "NA"]
    assert table[:1].missing == ["?", "NA"]
    assert table_of().missing == []


def test_tables_are_joined_and_have_the_levels_of_all() -> None:
    table = table_of()
    joined = Table.concat([table[:1], table[1:1], table[3:], table[1:2]])
    assert joined.numbers.ravel().tolist() == [1.0, 4.0, 2.0]
    assert joined.rows is joined.numbers
    assert joined.texts["colour"].tolist() == ["red", "green", "blue"]
    assert joined.labels.tolist() == ["a", "c", "b"]
    assert joined.lines.tolist() == [2, 5, 3]
    assert joined.coded("colour")[1] == ["red", "green", "blue"]
    assert (joined.names, joined.target) == (table.names, table.target)
    assert Table.concat([table_of(target=None)] * 2).labels is None
