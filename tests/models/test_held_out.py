"""Which rows are held out: pinned, the same on every machine, unrelated to the shuffling."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import held_out as reference
from reference.shuffle import splitmix64

from rosenblatt.engine.rows import ordering
from rosenblatt.errors import InputError
from rosenblatt.models.classes import hold_out


def labelled(*labels: int) -> npt.NDArray[np.int32]:
    return np.array(labels, np.int32)


def watched(labels: npt.NDArray[np.int32], share: float, seed: int) -> list[int]:
    return hold_out(labels, share, seed)[1].tolist()


def test_the_oracle_draws_the_numbers_published_for_splitmix64() -> None:
    random = splitmix64(1234567)
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [next(random) for _ in published] == published


@pytest.mark.parametrize(
    ("labels", "share", "seed", "rows"),
    [
        ([0] * 10, 0.3, 0, [1, 3, 8]),
        ([0] * 10, 0.3, 1, [0, 1, 8]),
        ([0, 1] * 5, 0.4, 0, [2, 3, 7, 8]),
        ([0, 1, 0, 2, 0, 1, 0, 2, 0, 1, 0, 0], 0.5, 7, [2, 3, 4, 5, 9, 10, 11]),
        ([0, 0, 0, 1, 1, 1], 0.99, 2**64 - 1, [0, 2, 3, 4]),
    ],
)
def test_the_same_rows_are_held_out_on_every_machine(
    labels: list[int], share: float, seed: int, rows: list[int]
) -> None:
    assert watched(labelled(*labels), share, seed) == rows
    assert reference.hold_out(labels, share, seed)[1] == rows


@given(
    labels=st.lists(st.integers(0, 4), min_size=1, max_size=60),
    share=st.floats(0.01, 0.99),
    seed=st.integers(0, 2**64 - 1),
)
def test_the_rows_are_those_of_the_oracle(labels: list[int], share: float, seed: int) -> None:
    learned, held = reference.hold_out(labels, share, seed)
    if not held:
        with pytest.raises(InputError, match="leaves none to watch"):
            hold_out(labelled(*labels), share, seed)
        return
    found = hold_out(labelled(*labels), share, seed)
    assert [rows.tolist() for rows in found] == [learned, held]
    assert all(rows.dtype == np.int64 for rows in found)


@pytest.mark.parametrize("seed", [0, 1, 12345])
@pytest.mark.parametrize("share", [0.1, 0.25, 0.5])
def test_every_class_gives_the_same_share_and_keeps_the_rest(share: float, seed: int) -> None:
    sizes = [20, 180, 40]
    labels = np.random.default_rng(seed).permutation(np.repeat(range(3), sizes)).astype(np.int32)
    learned, held = hold_out(labels, share, seed)
    assert np.bincount(labels[held]).tolist() == [share * size for size in sizes]
    assert sorted([*learned, *held]) == list(range(len(labels)))
    assert (np.diff(learned) > 0).all()
    assert (np.diff(held) > 0).all()


def test_a_class_keeps_a_row_to_learn_from_however_large_the_share() -> None:
    learned, held = hold_out(labelled(0, 0, 0, 1, 1, 2), 0.99, 5)
    assert np.bincount(labelled(0, 0, 0, 1, 1, 2)[learned]).tolist() == [1, 1, 1]
    assert len(held) == 3


def test_a_number_of_a_class_without_rows_takes_nothing_from_the_others() -> None:
    assert watched(labelled(*[0, 2] * 5), 0.4, 0) == watched(labelled(*[0, 1] * 5), 0.4, 0)


def test_the_split_has_nothing_to_do_with_the_order_of_the_first_epoch() -> None:
    """Drawn from one stream, the rows held out would be those that the epoch puts first."""
    n, count, seeds = 20, 5, 400
    labels, order = np.zeros(n, np.int32), np.empty(n, np.int64)
    shared = 0
    for seed in range(seeds):
        ordering.shuffled(order, seed)
        shared += len(set(order[:count].tolist()) & set(watched(labels, count / n, seed)))
    by_chance = count * count / n
    assert shared / seeds == pytest.approx(by_chance, rel=0.1)


def test_every_row_is_held_out_as_often_as_any_other() -> None:
    labels = labelled(*[0, 0, 1, 0, 1] * 4)
    counts = np.zeros(len(labels))
    for seed in range(2000):
        counts[watched(labels, 0.25, seed)] += 1
    assert abs(counts / (2000 * 0.25) - 1).max() < 0.15


def test_a_share_too_small_for_every_class_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(InputError) as error:
        hold_out(labelled(0, 1, 0, 1, 1), 0.1, 0)
    assert str(error.value) == (
        "validation_fraction=0.1 of 5 rows leaves none to watch. Give more rows, or rows to watch "
        "as validation_set."
    )


def test_classes_of_one_row_each_leave_none_to_watch() -> None:
    with pytest.raises(InputError, match=r"validation_fraction=0\.9 of 3 rows leaves none"):
        hold_out(labelled(0, 1, 2), 0.9, 0)
