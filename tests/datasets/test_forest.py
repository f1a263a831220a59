"""The recorders in the forest: a simulation that is what it says, and worth learning from."""

from __future__ import annotations

import hashlib
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import AveragedPerceptron, datasets
from rosenblatt.datasets.forest import Recordings
from rosenblatt.datasets.portable_random import bell_shaped, doublings, generator, log2, orthonormal
from rosenblatt.errors import ParameterError


@pytest.fixture(scope="module")
def heard() -> Recordings:
    return next(datasets.recorders().blocks(24_000))


def test_recordings_come_in_order_of_time_from_all_recorders_mixed(heard) -> None:
    np.testing.assert_array_equal(heard.hour, np.arange(24_000) // 100)
    assert set(heard.recorder.tolist()) == set(range(50))
    assert len(set(heard.recorder[:100].tolist())) > 30
    assert heard.X.shape == (24_000, 24)
    assert np.isfinite(heard.X).all()


def test_elephants_call_at_night_and_both_creatures_are_fewer_than_the_rest(heard) -> None:
    labels, counts = np.unique(heard.y, return_counts=True)
    assert labels.tolist() == ["background", "elephant", "poacher"]
    assert counts[0] > counts[1] > counts[2] > 1000
    night = (heard.hour % 24 < 4) | (heard.hour % 24 >= 20)
    assert (heard.y[night] == "elephant").mean() > 2 * (heard.y[~night] == "elephant").mean()


def test_insects_are_heard_high_up_and_at_dusk(heard) -> None:
    background = heard.y == "background"
    dusk = heard.hour % 24 // 4 == 4
    louder = heard.X[background & dusk].mean(axis=0) - heard.X[background & ~dusk].mean(axis=0)
    assert louder[21] > 0.7
    assert abs(louder[:8]).max() < 0.4


def test_rain_falls_in_some_hours_on_all_recorders_at_once() -> None:
    _, hour, X, y = next(datasets.recorders(variety=0.0, per_hour=100).blocks(20_000))
    quiet = y == "background"
    high = np.array([np.median(X[quiet & (hour == h), 17]) for h in range(200)])
    low = np.array([np.median(X[quiet & (hour == h), 8]) for h in range(200)])
    wet = high > high.min() + 2.0
    assert 0.03 < wet.mean() < 0.4
    assert low[wet].mean() > low[~wet].mean()


def test_recorders_differ_as_much_as_they_are_told_to() -> None:
    spread = []
    for variety in (0.0, 1.0, 2.0):
        recorder, _, X, _ = next(datasets.recorders(10, variety=variety).blocks(20_000))
        means = np.array([X[recorder == k].mean(axis=0) for k in range(10)])
        spread.append(means.std(axis=0).mean())
    assert spread[0] < 0.15
    assert spread[1] > 5 * spread[0]
    assert spread[2] > 1.5 * spread[1]


def test_energies_vary_like_those_of_noise_over_four_windows() -> None:
    """The mean of four exponential numbers has a variance of a quarter of its squared mean."""
    forest = datasets.recorders(1, per_hour=10**6)  # one hour without end: no change of insects
    recorder, _, X, y = next(forest.blocks(20_000))
    assert not recorder.any()
    # Where the middle is quiet no tree fell, and the highest bands hold insects alone.
    quiet = (y == "background") & (X[:, 10] < np.quantile(X[:, 10], 0.3))
    energy = 2.0 ** X[quiet, 21]
    assert energy.var() / energy.mean() ** 2 == pytest.approx(0.25, abs=0.04)


@given(st.integers(1, 3000), st.integers(1, 2500))
def test_single_recordings_are_those_of_the_blocks(n, size) -> None:
    forest = datasets.recorders(4, n, n_bands=4, seed=1)
    blocks = list(forest.blocks(size))
    singles = list(forest)
    assert len(singles) == n
    recorder, hour, rows, labels = zip(*singles, strict=True)
    np.testing.assert_array_equal(np.concatenate([block.recorder for block in blocks]), recorder)
    np.testing.assert_array_equal(np.concatenate([block.hour for block in blocks]), hour)
    np.testing.assert_array_equal(np.concatenate([block.X for block in blocks]), np.array(rows))
    np.testing.assert_array_equal(np.concatenate([block.y for block in blocks]), labels)


def test_the_same_seed_gives_the_same_bytes_as_ever() -> None:
    first, again = (next(datasets.recorders(seed=7).blocks(2000)) for _ in range(2))
    assert first.X.tobytes() == again.X.tobytes()
    assert next(datasets.recorders(seed=8).blocks(10)).X.tobytes() != first.X[:10].tobytes()
    assert hashlib.sha256(first.X.tobytes()).hexdigest()[:16] == "df7dc8981e3a8c7b"


def test_one_learner_for_all_recorders_learns_sooner_than_one_for_each() -> None:
    """L1.12."""
    shared, own = AveragedPerceptron(), [AveragedPerceptron() for _ in range(50)]
    wrong = np.zeros((2, 3000), bool)
    stream = islice(datasets.recorders(), 3000)
    for t, (recorder, _, x, y) in enumerate(stream):
        for k, learner in enumerate((shared, own[recorder])):
            wrong[k, t] = learner.predict_one(x) != y
            learner.learn_one(x, y)
    together, alone = wrong[:, 500:].mean(axis=1)
    assert together < 0.8 * alone
    assert together < 0.25


def test_a_recorder_is_learned_better_alone_once_it_has_heard_enough() -> None:
    """What is odd about each recorder is real: given as much to learn from, one for each wins."""
    scores = []
    for forest in (datasets.recorders(1, seed=2), datasets.recorders(50, seed=2)):
        _, _, X, y = next(forest.blocks(16_000))
        learner = AveragedPerceptron()
        for start in range(0, 12_000, 1000):
            learner.partial_fit(X[start : start + 1000], y[start : start + 1000])
        scores.append(learner.score(X[12_000:], y[12_000:]))
    assert scores[0] > scores[1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"n_recorders": 0}, "n_recorders=0"),
        ({"n_rows": -5}, "n_rows=-5 .* or None for an endless stream"),
        ({"n_bands": 3}, "n_bands=3 is not allowed: give a whole number of at least 4"),
        ({"per_hour": 0.5}, "per_hour=0.5"),
        ({"variety": 3}, "variety=3 is not allowed: give a finite number at least 0 and at most 2"),
        ({"seed": None}, "seed=None"),
    ],
)
def test_what_cannot_be_simulated_is_refused(arguments, says) -> None:
    with pytest.raises(ParameterError, match=says):
        datasets.recorders(**arguments)


@given(st.floats(1e-300, 1e300))
def test_the_logarithm_is_right_to_rounding(x) -> None:
    np.testing.assert_allclose(log2(np.array([x])), np.log2(x), rtol=1e-14, atol=1e-15)


def test_doublings_meet_the_powers_of_two() -> None:
    exponents = np.arange(-5.0, 6.0)
    np.testing.assert_array_equal(doublings(exponents), 2.0**exponents)
    between = np.linspace(-3, 3, 601)
    np.testing.assert_allclose(doublings(between), 2.0**between, rtol=0.09)


def test_bells_have_mean_zero_and_variance_one() -> None:
    drawn = bell_shaped(generator(0), 100_000)
    assert drawn.mean() == pytest.approx(0, abs=0.02)
    assert drawn.var() == pytest.approx(1, abs=0.02)


def test_vectors_made_orthonormal_are_so_even_if_nearly_parallel() -> None:
    basis = orthonormal(np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0 + 1e-9], [1.0, -2.0, 0.5]]))
    np.testing.assert_allclose(basis @ basis.T, np.eye(3), atol=1e-14)
