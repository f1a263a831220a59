"""A target that is a measure, or that one column tells already, is named with the figure."""

from __future__ import annotations

import io

import numpy as np
import pytest

from rosenblatt.evaluate import TargetWarning, check_target
from rosenblatt.io import Table, read_table

N = 400


def table(**columns: object) -> Table:
    """A table of columns; the last is the target."""
    rows = zip(*columns.values(), strict=True)  # type: ignore[call-overload]
    text = "\n".join(",".join(map(str, row)) for row in [tuple(columns), *rows])
    return read_table(io.BytesIO(text.encode()), target=list(columns)[-1])


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_numbers_with_many_values_are_no_classes(rng: np.random.Generator) -> None:
    ages, noise = rng.integers(18, 90, N), rng.normal(size=N)
    [odd] = check_target(table(noise=noise, age=ages))
    assert odd == TargetWarning("many values", "age", None, float(len(np.unique(ages))))
    assert str(odd).startswith("the target age has 72 different numbers, as a measure")
    assert check_target(table(noise=noise, digit=ages % 10)) == []
    assert check_target(table(noise=noise, name=[f"n{age}" for age in ages])) == []


def test_a_column_that_says_the_same_or_determines_the_target(rng: np.random.Generator) -> None:
    y = rng.integers(0, 2, N)
    town = 2 * rng.integers(0, 6, N) + y
    same = np.where(y, "left", "stayed")
    found = check_target(table(same=same, town=town, noise=rng.normal(size=N), churn=y))
    assert [(odd.kind, odd.column, odd.figure) for odd in found] == [
        ("equals", "same", 2.0),
        ("determines", "town", 12.0),
    ]
    assert "town determines churn: each of its 12 values has one label" in str(found[1])
    assert "--column town=ignored" in str(found[1])


def test_a_column_that_alone_predicts_the_target_is_a_leak(rng: np.random.Generator) -> None:
    y = rng.integers(0, 2, 4000)
    refund = y * 100 + rng.normal(size=len(y))
    nearly = np.where(rng.random(len(y)) < 0.005, 1 - y, y)
    weak = np.where(rng.random(len(y)) < 0.05, 1 - y, y)
    found = check_target(table(refund=refund, nearly=nearly, weak=weak, y=y))
    assert [(odd.kind, odd.column) for odd in found] == [
        ("predicts", "refund"),
        ("predicts", "nearly"),
    ]
    assert found[0].figure > 0.99
    assert found[1].figure == np.mean(nearly == y)
    assert f"nearly alone predicts y for {found[1].figure:.1%} of the rows" in str(found[1])


def test_names_of_rows_and_few_rows_say_nothing(rng: np.random.Generator) -> None:
    y = rng.integers(0, 2, N)
    ids = [f"id{i}" for i in range(N)]
    assert check_target(table(id=ids, number=np.arange(N), measure=rng.normal(size=N), y=y)) == []
    few = table(same=y[:20], y=y[:20])
    assert check_target(few) == []
    assert [odd.column for odd in check_target(table(same=y, other=y, y=y), ["other"])] == ["other"]


def test_figures_are_those_of_all_rows(rng: np.random.Generator) -> None:
    y = np.tile([0, 1], 30_000)
    leak = y.copy()
    leak[1:100:3] = 1 - leak[1:100:3]
    [odd] = check_target(table(leak=leak, y=y))
    assert (odd.kind, odd.figure) == ("predicts", np.mean(leak == y))
