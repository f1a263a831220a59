"""Schemas that grow while a stream is read, and learners that grow with them."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt
from rosenblatt.errors import DataError
from rosenblatt.features import FeatureOptions, GrowingSchema, guess_schema
from rosenblatt.io import iter_svmlight, iter_table, iter_text, iter_vw
from rosenblatt.tables.features import growing_schema as module
from rosenblatt.tables.readers import lines


def table(text: str) -> Any:
    return iter_table(io.BytesIO(text.encode()), target=-1)


def learned(growing: GrowingSchema, blocks: Any, learner: Any) -> list[int]:
    """Learn from blocks; give the width after each."""
    widths = []
    for block in growing.blocks(blocks):
        learner.partial_fit(growing.encode(block, learner), block.labels)
        assert learner.n_features_in_ == growing.schema.n_features
        widths.append(learner.n_features_in_)
    return widths


def test_a_level_that_joins_leaves_the_weights_of_the_others_as_they_are() -> None:
    growing, learner = GrowingSchema("table"), rosenblatt.Perceptron()
    learned(growing, table("c,d,y\nred,p,u\nblue,q,v\nred,q,u\n"), learner)
    before = dict(zip(growing.schema.names(range(4)), learner.coef_[0].tolist(), strict=True))
    learned(growing, table("c,d,y\ngreen,p,u\n"), learner)
    assert growing.schema.names(range(5)) == ["c=red", "c=blue", "c=green", "d=p", "d=q"]
    whole = rosenblatt.Perceptron()
    rows = next(table("c,d,y\nred,p,u\nblue,q,v\nred,q,u\ngreen,p,u\n"))
    schema = guess_schema("table", rows)
    whole.partial_fit(schema.learn(rows), rows.labels)
    assert learner.coef_.tobytes() == whole.coef_.tobytes()
    assert set(before) < set(schema.names(range(5)))


def test_levels_for_which_there_is_no_room_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LEVELS", 3)
    growing, learner = GrowingSchema("table"), rosenblatt.Perceptron()
    learned(growing, table("c,y\na,u\nb,v\n"), learner)
    assert learned(growing, table("c,y\nc,u\nd,v\nd,u\ne,u\n"), learner) == [3]
    assert growing.schema.columns[0].levels == ["a", "b", "c"]
    assert growing.dropped_levels == {"c": 3}
    learned(growing, table("c,y\nf,u\na,v\n"), learner)
    assert growing.dropped_levels == {"c": 4}


@pytest.mark.parametrize(
    ("kind", "first", "second", "widths"),
    [
        ("svmlight", "1 1:1\n2 3:1\n", "1 2:1 9:1\n", [3, 9]),
        ("text", "a\tone two\nb\tthree\n", "a\tfour\n", [16, 16]),
        ("vw", "1 |f x y\n-1 |f z\n", "1 |f w\n", [16, 16]),
    ],
)
def test_rows_of_every_kind_fit_the_learner(
    kind: str, first: str, second: str, widths: list[int]
) -> None:
    options = FeatureOptions(text={} if kind == "svmlight" else {"bits": 4})
    growing, learner = GrowingSchema(kind, options), rosenblatt.Perceptron()
    read: Any = {"svmlight": iter_svmlight, "text": iter_text, "vw": iter_vw}[kind]
    settings = growing.options.reader_options(kind)
    found = []
    for text in (first, second):
        found += learned(growing, read(io.BytesIO(text.encode()), **settings), learner)
    assert [found[-2], found[-1]] == widths


def test_the_first_rows_of_a_table_are_judged_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "PIECE", 64)
    text = "a,y\n" + "".join(f"{i // 2 * 2},{'uv'[i % 2]}\n" for i in range(1500))
    sizes = []
    growing, learner = GrowingSchema("table"), rosenblatt.Perceptron()
    for block in growing.blocks(table(text)):
        growing.encode(block, learner)
        sizes.append(len(block))
    assert sizes[0] >= module.FIRST_ROWS > max(sizes[1:])
    assert growing.schema.columns[0].center == pytest.approx(np.arange(0, 1500, 2).mean())


def rows_of_growing_width(n: int) -> Iterator[str]:
    for i in range(n):
        yield f"{i % 2} {1 + i // 50}:1"


@pytest.mark.parametrize("most", [0, 1, 2])
@pytest.mark.parametrize("kind", ["table", "svmlight"])
def test_what_stops_the_reading_never_parts_the_schema_from_the_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, most: int
) -> None:
    """Ctrl-C at any block leaves a model that can be read again."""
    monkeypatch.setattr(lines, "PIECE", 1 << 14)
    file = tmp_path / "rows"
    if kind == "table":
        body = "".join(f"level{i // 50},{i % 2}\n" for i in range(60_000))
        file.write_text("c,y\n" + body)
        reader: Any = iter_table(file, target="y")
    else:
        file.write_text("\n".join(rows_of_growing_width(40_000)) + "\n")
        reader = iter_svmlight(file)
    growing, learner = GrowingSchema(kind), rosenblatt.AveragedPerceptron()
    widths = learned(growing, itertools.islice(reader, most), learner)
    # The first blocks of a table, which are judged together, may be one.
    assert min(most, 1) <= len(widths) <= most


def test_more_weights_than_memory_are_refused_with_the_lines() -> None:
    growing, learner = GrowingSchema("svmlight"), rosenblatt.Perceptron()
    block = iter_svmlight(io.BytesIO(b"1 1:1\n2 999999999:1\n")).whole()
    with pytest.raises(DataError, match="2 classes for 999,999,999 columns would not fit"):
        growing.encode(block, learner)
    assert not hasattr(learner, "n_features_in_")
