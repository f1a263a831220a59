"""Seeded models of every learner, through every way in, are what they were when frozen.

The values stand in ``outcomes.json``; how to write them anew, and when, says `frozen.table`. They
are of public outcomes alone, so that whatever is inside may change.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from frozen.table import CASES, frozen, outcome_of

FROZEN = frozen()


@pytest.mark.parametrize("name", CASES)
def test_the_outcome_is_the_frozen_one(name: str, tmp_path: Path) -> None:
    assert outcome_of(name, tmp_path) == FROZEN[name]


def test_no_frozen_case_is_gone() -> None:
    assert list(FROZEN) == list(CASES)
