"""Noisy sets say which labels are wrong, and the others are right."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Perceptron, datasets, theory
from rosenblatt.errors import ParameterError

places = st.sampled_from(["anywhere", "boundary"])


@given(st.integers(5, 80), st.integers(2, 5), st.floats(0, 0.5), places, st.integers(0, 999))
def test_exactly_the_share_asked_for_is_wrong_and_known(n, k, flip, where, seed) -> None:
    made = datasets.noisy(n, 4, flip=flip, where=where, n_classes=k, margin=0.05, seed=seed)
    np.testing.assert_array_equal(made.flipped, np.flatnonzero(made.y != made.truth))
    assert len(made.flipped) == round(flip * n)
    assert set(made.y.tolist()) <= set(range(k))
    clean = datasets.separable(n, 4, n_classes=k, margin=0.05, seed=seed)
    np.testing.assert_array_equal(made.X, clean.X)
    np.testing.assert_array_equal(made.truth, clean.y)
    np.testing.assert_array_equal(made.w, clean.w)


def test_at_the_boundary_wrong_labels_are_near_it_and_name_the_nearest_rival() -> None:
    near, anywhere = (
        datasets.noisy(1000, 3, n_classes=4, margin=0.01, where=where)
        for where in ("boundary", "anywhere")
    )
    margins = datasets.separable(1000, 3, n_classes=4, margin=0.01).margins
    assert margins[near.flipped].mean() < margins.mean() / 3
    assert margins[anywhere.flipped].mean() == pytest.approx(margins.mean(), rel=0.2)
    scores = near.X @ near.w.T
    given_to = np.take_along_axis(scores, near.y[:, None], axis=1)[:, 0]
    second = np.sort(scores, axis=1)[:, -2]  # by its score, since two rivals may be level
    np.testing.assert_allclose(given_to[near.flipped], second[near.flipped], atol=1e-12)
    assert set(((anywhere.y - anywhere.truth) % 4)[anywhere.flipped].tolist()) == {1, 2, 3}


@pytest.mark.parametrize("where", ["anywhere", "boundary"])
def test_suspects_are_mostly_the_wrong_labels(where) -> None:
    made = datasets.noisy(400, 5, flip=0.05, where=where, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        p = Perceptron(max_iter=20, tol=None, record=True).fit(made.X, made.y)
    named = [suspect.row for suspect in theory.suspects(p.ledger_, made.X, top=20)]
    assert np.isin(named, made.flipped).sum() >= 16


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"flip": 0.6}, "flip=0.6 is not allowed: give a finite number at least 0 and at most 0.5"),
        ({"flip": -0.1}, "flip=-0.1"),
        ({"where": "here"}, "where='here' is not known: give 'anywhere' or 'boundary'."),
        ({"margin": 2}, "margin=2"),
    ],
)
def test_what_cannot_be_made_is_refused(arguments, says) -> None:
    with pytest.raises(ParameterError, match=says):
        datasets.noisy(**arguments)
