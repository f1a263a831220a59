"""A cycle is found at its first repeat, and never where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.engine.rows.ordering import fingerprint
from rosenblatt.models.epochs import Cycle


def epoch_found(tail: int, length: int, width: int = 2, most: int = 200) -> tuple[int, int]:
    """Epoch and length of a run that repeats itself every ``length`` epochs after ``tail``.

    The weights change in place, as they do in training. Wide states are known by fingerprints.
    """
    weights, bias = np.zeros(width), np.zeros(1)

    def become(epoch: int) -> None:
        place = epoch if epoch < tail else tail + (epoch - tail) % length
        weights[-2:] = [place // 3, 7.0]
        weights[:-2] = -0.0 if epoch % 2 else 0.0
        bias[:] = place % 3

    become(0)
    cycle = Cycle(lambda: (bias, weights))
    for epoch in range(1, most):
        become(epoch)
        if cycle.closes(epoch):
            return epoch, cycle.length
    raise AssertionError("no cycle was found")


@pytest.mark.parametrize("width", [3, 40])
@pytest.mark.parametrize("length", range(1, 14))
@pytest.mark.parametrize("tail", range(13))
def test_a_cycle_is_found_at_its_first_repeat(tail: int, length: int, width: int) -> None:
    """L3.8. The initial state counts: without a tail it is the one that comes back."""
    assert epoch_found(tail, length, width) == (tail + length, length)


@pytest.mark.parametrize("length", [1, 3, 40])
@pytest.mark.parametrize("tail", [0, 5, 30, 100])
def test_a_cycle_is_met_also_when_no_longer_every_epoch_is_kept(
    monkeypatch: pytest.MonkeyPatch, tail: int, length: int
) -> None:
    monkeypatch.setattr(Cycle, "EVERY", 8)
    epoch, found = epoch_found(tail, length, most=400)
    assert found == length
    power = 1 << max(0, max(tail, length) - 1).bit_length()
    assert tail + length <= epoch <= power + length


@pytest.mark.parametrize("width", [1, 40])
def test_a_run_that_comes_back_in_one_part_only_is_no_cycle(width: int) -> None:
    weights, bias = np.zeros(width), np.zeros(1)
    cycle = Cycle(lambda: (bias, weights))
    for epoch in range(1, 100):
        weights[:], bias[:] = epoch, epoch % 2
        assert not cycle.closes(epoch)
    assert cycle.length == 0


small = st.integers(-3, 3).map(float)
vectors = st.lists(small, max_size=6).map(np.array)


@given(vectors, vectors, st.sampled_from([np.float32, np.float64]))
def test_states_have_the_same_fingerprint_if_and_only_if_they_are_equal(one, other, dtype):
    found = [fingerprint(values.astype(dtype)) for values in (one, other)]
    assert (found[0] == found[1]) == np.array_equal(one, other)
    shifted = [fingerprint(np.append(0.0, values)) for values in (one, other)]
    assert (shifted[0] == shifted[1]) == np.array_equal(one, other)
    assert fingerprint(one, *fingerprint(other)) != fingerprint(other, *fingerprint(one)) or (
        np.array_equal(one, other)
    )


def test_the_sign_of_a_zero_and_the_last_bit_of_a_number():
    values = np.random.default_rng(0).normal(size=50)
    values[7] = 0.0
    twin = values.copy()
    twin[7] = -0.0
    assert fingerprint(twin) == fingerprint(values)
    twin[8] = np.nextafter(twin[8], 9.0)
    assert fingerprint(twin) != fingerprint(values)
    assert all(a != b for a, b in zip(fingerprint(twin), fingerprint(values), strict=True))
