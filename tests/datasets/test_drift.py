"""Drifting streams are functions of time, in bounded memory, with the truth known."""

from __future__ import annotations

import tracemalloc
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import AveragedPerceptron, Perceptron, datasets
from rosenblatt.errors import ParameterError

KINDS = ["sudden", "gradual", "rotating"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_concept_at_every_time_gives_the_label_of_the_row(kind) -> None:
    stream = datasets.drifting(2500, 3, kind=kind, period=300, seed=5)
    for t, (x, y) in enumerate(stream):
        w = stream.concept(t)
        assert y == (w @ x > 0)
        if t % 100 == 0:
            assert np.linalg.norm(w) == pytest.approx(1.0)
    assert t == 2499


@given(st.sampled_from(KINDS), st.integers(1, 3000), st.integers(1, 2500), st.integers(0, 99))
def test_blocks_of_any_size_hold_the_same_examples(kind, n, size, seed) -> None:
    stream = datasets.drifting(n, 2, kind=kind, period=70, flip=0.1, seed=seed)
    blocks = list(stream.blocks(size))
    assert [len(block.y) for block in blocks[:-1]] == [size] * (len(blocks) - 1)
    rows, labels = zip(*stream, strict=True)
    np.testing.assert_array_equal(np.concatenate([block.X for block in blocks]), np.array(rows))
    np.testing.assert_array_equal(np.concatenate([block.y for block in blocks]), labels)
    assert len(rows) == n


def test_sudden_drift_is_a_quarter_turn_after_each_period() -> None:
    stream = datasets.drifting(kind="sudden", period=10)
    concepts = np.array([stream.concept(t) for t in range(50)])
    changes = np.flatnonzero((concepts[1:] != concepts[:-1]).any(axis=1)) + 1
    assert changes.tolist() == [10, 20, 30, 40]
    assert concepts[0] @ concepts[10] == pytest.approx(0, abs=1e-12)
    np.testing.assert_array_equal(concepts[20], -concepts[0])
    np.testing.assert_array_equal(concepts[40], concepts[0])


def test_gradual_drift_hands_over_more_and_more_rows() -> None:
    stream = datasets.drifting(kind="gradual", period=1000)
    start = stream.concept(0)
    old = np.array([stream.concept(t) @ start > 0.5 for t in range(1000)])
    shares = old.reshape(5, 200).mean(axis=1)
    np.testing.assert_allclose(shares, [0.9, 0.7, 0.5, 0.3, 0.1], atol=0.1)


def test_rotating_drift_goes_around_once_in_a_period() -> None:
    stream = datasets.drifting(kind="rotating", period=360)
    cosines = [stream.concept(0) @ stream.concept(t) for t in range(361)]
    np.testing.assert_allclose(cosines, np.cos(np.radians(np.arange(361))), atol=1e-12)


def test_the_share_of_flipped_labels_is_that_asked_for() -> None:
    stream = datasets.drifting(20_000, kind="sudden", flip=0.2)
    wrong = np.mean([y != (stream.concept(0) @ x > 0) for x, y in islice(stream, 1000)])
    assert wrong == pytest.approx(0.2, abs=0.04)
    labels = np.concatenate([y for _, y in stream.blocks(5000)])
    assert labels.mean() == pytest.approx(0.5, abs=0.02)


def test_a_stream_begins_anew_and_an_endless_one_is_the_same_for_longer() -> None:
    endless, short = datasets.drifting(seed=9), datasets.drifting(1500, seed=9)
    for a, b in zip(islice(endless, 1500), short, strict=True):
        assert a.x.tobytes() == b.x.tobytes()
        assert a.y == b.y
    assert next(iter(endless)).x.tobytes() == next(iter(endless)).x.tobytes()
    assert next(iter(endless)).x.tobytes() != next(iter(datasets.drifting(seed=8))).x.tobytes()


def test_memory_does_not_grow_with_the_stream() -> None:
    tracemalloc.start()
    for _ in islice(datasets.drifting(n_features=20), 50_000):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3_000_000, "all rows together are 8 MB"


def test_learners_take_examples_and_blocks_alike() -> None:
    stream = datasets.drifting(600, kind="rotating", period=600)
    single, batch = Perceptron(), Perceptron()
    for x, y in stream:
        single.learn_one(x, y)
    for X, y in stream.blocks(64):
        batch.partial_fit(X, y)
    np.testing.assert_array_equal(single.coef_, batch.coef_)


def test_a_learner_errs_most_just_after_a_sudden_change() -> None:
    learner, wrong = AveragedPerceptron(), []
    for x, y in datasets.drifting(2000, kind="sudden", period=1000):
        wrong.append(learner.predict_one(x) != y)
        learner.learn_one(x, y)
    before, after, later = sum(wrong[900:1000]), sum(wrong[1000:1100]), sum(wrong[1900:])
    assert after > 30, "half of what it knew is wrong"
    assert before < 10
    assert later < after


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"n_rows": 0}, "n_rows=0 .* at least 1, or None for an endless stream"),
        ({"n_features": 1}, "n_features=1"),
        ({"kind": "slow"}, "kind='slow' is not known: give 'sudden', 'gradual' or 'rotating'"),
        ({"period": 0}, "period=0"),
        ({"flip": 0.7}, "flip=0.7"),
        ({"seed": "a"}, "seed='a'"),
    ],
)
def test_what_cannot_be_made_is_refused(arguments, says) -> None:
    with pytest.raises(ParameterError, match=says):
        datasets.drifting(**arguments)


def test_a_block_has_at_least_one_row_and_time_is_not_negative() -> None:
    with pytest.raises(ParameterError, match="size=0"):
        datasets.drifting().blocks(0)
    with pytest.raises(ParameterError, match="t=-1"):
        datasets.drifting().concept(-1)
