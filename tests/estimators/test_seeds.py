"""Seeds are drawn as scikit-learn draws them, without it."""

import random

import numpy as np
import pytest
from sklearn.utils import check_random_state

from rosenblatt.errors import ParameterError
from rosenblatt.estimators.params import seed_from


@pytest.mark.parametrize("seed", [0, 7, 2**64 - 1, np.int32(5), np.uint64(2**63)])
def test_a_whole_number_is_the_seed(seed):
    assert seed_from(seed) == int(seed)


def test_a_random_state_gives_its_next_number():
    ours, theirs = np.random.RandomState(3), check_random_state(np.random.RandomState(3))
    assert [seed_from(ours) for _ in range(5)] == [theirs.randint(2**31 - 1) for _ in range(5)]


def test_the_module_stands_for_its_global_state():
    kept = np.random.get_state()
    try:
        np.random.seed(11)
        ours = [seed_from(np.random) for _ in range(3)]
        np.random.seed(11)
        assert ours == [check_random_state(np.random).randint(2**31 - 1) for _ in range(3)]
    finally:
        np.random.set_state(kept)


def test_a_generator_gives_its_next_number():
    ours, same = np.random.default_rng(3), np.random.default_rng(3)
    assert [seed_from(ours) for _ in range(5)] == [int(same.integers(2**63)) for _ in range(5)]


def test_without_a_seed_every_call_gives_another():
    assert len({seed_from(None) for _ in range(20)}) == 20


@pytest.mark.parametrize("seed", [-1, 2**64, "seed", 1.0, random.Random(0), [1]])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(ParameterError, match=r"random_state=.* is not allowed: give a whole numbe"):
        seed_from(seed)
