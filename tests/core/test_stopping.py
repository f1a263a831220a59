"""A cycle is found, soon after it closes, and never where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.core.epochs import Cycle


def epoch_found(tail: int, length: int, *, most: int = 200) -> tuple[int, int]:
    """Epoch and length told of a run that repeats itself every ``length`` epochs after ``tail``.

    The weights change in place, as they do in training.
    """
    weights, bias = np.zeros(2), np.zeros(1)

    def become(epoch: int) -> None:
        place = epoch if epoch < tail else tail + (epoch - tail) % length
        weights[:] = [place // 3, 7.0]
        bias[:] = place % 3

    become(0)
    cycle = Cycle(lambda: (bias, weights))
    for epoch in range(1, most):
        become(epoch)
        if cycle.closed(epoch):
            return epoch, cycle.length
    raise AssertionError("no cycle was found")


def power_of_two_from(number: int) -> int:
    return 1 << max(0, number - 1).bit_length()


@pytest.mark.parametrize("length", range(1, 14))
@pytest.mark.parametrize("tail", range(13))
def test_a_cycle_is_met_by_the_power_of_two_that_reaches_it_and_one_round(
    tail: int, length: int
) -> None:
    epoch, found = epoch_found(tail, length)
    assert found == length
    assert tail + length <= epoch <= power_of_two_from(max(tail, length)) + length


def test_a_run_that_comes_back_in_one_part_only_is_no_cycle() -> None:
    weights, bias = np.zeros(1), np.zeros(1)
    cycle = Cycle(lambda: (bias, weights))
    for epoch in range(1, 100):
        weights[:], bias[:] = epoch, epoch % 2
        assert not cycle.closed(epoch)
    assert cycle.length == 0
