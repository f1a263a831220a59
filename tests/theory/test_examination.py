"""All that the theory says of rows at once."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.theory import (
    CertificateError,
    Separability,
    examine,
    max_margin,
    mistake_bound,
    separability,
)

APART = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [4.0, 1.0]]), np.array(list("nnyy"))
XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array(list("nyyn"))


def test_separable_rows_have_the_margin_and_the_bound_of_their_own_functions() -> None:
    found = examine(*APART, random_state=3)
    assert (found.verdict, found.verified) == ("separable", True)
    assert found.margin.lower == max_margin(*APART).margin
    bound = mistake_bound(*APART)
    assert (found.limit.bound, found.limit.margin) == (bound.bound, bound.margin)
    assert found.learner.stop_reason_ == "separated"
    assert found.learner.n_mistakes_ <= found.limit.bound


def test_rows_that_are_not_have_a_conflict_and_the_bound_of_their_epochs() -> None:
    found = examine(*XOR)
    assert found.verdict == separability(*XOR).verdict == "not separable"
    assert found.margin is None
    assert found.limit.radius == pytest.approx(np.sqrt(3))
    assert found.limit.epochs == found.learner.n_iter_
    assert found.learner.n_mistakes_ <= found.limit.bound == 4 * found.learner.n_iter_
    plain = found.to_json(lines=[11, 12, 13, 14])
    assert sorted(row["line"] for row in plain["conflict"]["rows"]) == [11, 12, 13, 14]
    assert plain["classes"] == {"n": 2, "y": 2}
    assert len(examine(*XOR, top=1).suspects) == 1


def test_a_suspect_has_the_label_that_was_predicted_for_it() -> None:
    plain = examine(np.ones((3, 1)), np.array([0, 1, 1])).to_json(lines=[2, 3, 4])
    pairs = {(suspect["label"], suspect["predicted"]) for suspect in plain["suspects"]}
    assert pairs == {("0", "1"), ("1", "0")}


def test_without_a_bias_the_origin_is_in_the_way() -> None:
    assert examine(*APART, fit_intercept=False).verdict == "not separable"


def test_a_certificate_that_does_not_hold_is_not_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(verdict: Separability) -> bool:
        raise CertificateError("row 3 is on the wrong side")

    monkeypatch.setattr(Separability, "verify", fail)
    found = examine(np.array([[0.0], [1.0], [3.0]]), np.array([0, 0, 1]))
    assert (found.verdict, found.detail) == ("undecided", "row 3 is on the wrong side")
