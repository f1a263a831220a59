"""Scores, and by how much the right class is ahead."""

from __future__ import annotations

import numpy as np

from rosenblatt.models.rows import margins


def test_margins_of_two_classes_are_signed_scores():
    found = margins(np.array([2.0, -3.0, 0.5]), np.array([1, 0, 0]))
    assert found.tolist() == [2.0, 3.0, -0.5]


def test_margins_of_several_classes_are_over_the_best_other_one():
    scores = np.array([[3.0, 1.0, 2.0], [3.0, 1.0, 2.0], [1.0, 1.0, 0.0]])
    before = scores.copy()
    assert margins(scores, np.array([0, 2, 1])).tolist() == [1.0, -1.0, 0.0]
    assert np.array_equal(scores, before)
