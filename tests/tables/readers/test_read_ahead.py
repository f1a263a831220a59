"""Blocks that are read ahead: their order, how many, what ends them, and who is waited for."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from unittest.mock import patch

import pytest
from waiting import PATIENCE, wait_until

import rosenblatt
from rosenblatt.tables.readers.read_ahead import AHEAD, ReadAhead


class Source:
    """A reader that counts how often it was asked; before some blocks it waits to be allowed."""

    def __init__(self, n: int, end: BaseException | None = None, waits: int | None = None) -> None:
        self.n, self.end, self.waits = n, end, waits
        self.asked = self.skipped = 0
        self.closed = False
        self.allowed = threading.Event()

    def __next__(self) -> int:
        self.asked += 1
        if self.asked - 1 == self.waits:
            assert self.allowed.wait(PATIENCE)
        if self.asked > self.n:
            raise self.end or StopIteration
        self.skipped += 10
        return self.asked

    def __exit__(self, *_: object) -> None:
        self.closed = True


def ahead(source: Source) -> ReadAhead:
    return ReadAhead(source)


def reading_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "reading ahead"]


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    yield
    wait_until(lambda: not reading_threads())


def test_blocks_come_in_order_and_the_reader_is_closed_at_the_end() -> None:
    source = Source(50)
    with ahead(source) as reader:
        assert list(reader) == list(range(1, 51))
        assert next(reader, None) is None
        assert not source.closed
    assert source.closed
    assert source.asked == 51


def test_an_error_comes_as_it_is_after_the_blocks_before_it() -> None:
    fault = rosenblatt.errors.DataError("no number", name="rows.svm", line=7, column=3)
    source = Source(3, end=fault)
    with ahead(source) as reader:
        assert [next(reader) for _ in range(3)] == [1, 2, 3]
        with pytest.raises(rosenblatt.errors.DataError) as met:
            next(reader)
    assert met.value is fault
    assert source.closed


def test_no_more_than_a_few_blocks_are_read_ahead() -> None:
    source = Source(1000)
    with ahead(source) as reader:
        for taken in (1, 2, 3):
            next(reader)
            wait_until(lambda n=taken + AHEAD: source.asked >= n)
            time.sleep(0.02)
            assert source.asked == taken + AHEAD
    assert source.asked <= 3 + AHEAD


def test_nothing_is_read_before_it_is_asked_for() -> None:
    source = Source(5)
    with ahead(source):
        assert reading_threads() == []
    assert source.asked == 0
    assert source.closed


def test_a_block_is_there_before_the_next_one_is() -> None:
    source = Source(3, waits=1)
    with ahead(source) as reader:
        assert next(reader) == 1
        source.allowed.set()
        assert list(reader) == [2, 3]


def test_rows_passed_over_are_counted_up_to_the_block_that_was_taken() -> None:
    source = Source(5)
    with ahead(source) as reader:
        for block in reader:
            wait_until(lambda n=block: source.asked >= min(n + AHEAD, 6))
            assert reader.skipped == 10 * block
        assert reader.skipped == 50


def test_a_reader_that_waits_for_ever_is_left_alone() -> None:
    source = Source(3, waits=1)
    with ahead(source) as reader:
        assert next(reader) == 1
        wait_until(lambda: source.asked == 2)
    assert not source.closed
    assert [thread.daemon for thread in reading_threads()] == [True]
    source.allowed.set()
    wait_until(lambda: not reading_threads())
    assert source.asked == 2


def test_a_failure_of_the_learner_ends_the_thread() -> None:
    source = Source(1000)

    def learned() -> list[float]:
        with ahead(source) as reader:
            return [1 / (block - 2) for block in reader]

    with pytest.raises(ZeroDivisionError):
        learned()
    assert reading_threads() == []
    assert source.closed


def test_where_no_thread_can_be_had_the_blocks_come_one_by_one() -> None:
    source = Source(3)
    none_left = patch.object(threading.Thread, "start", side_effect=RuntimeError("no more"))
    with none_left, ahead(source) as reader:
        found = [(block, source.asked, reader.skipped) for block in reader]
    assert found == [(1, 1, 10), (2, 2, 20), (3, 3, 30)]
    assert source.closed
