"""The example of the forest shows what it says."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "forest_recorders.py"


def test_shared_and_own_columns_together_end_best(capsys: pytest.CaptureFixture[str]) -> None:
    """L1.12."""
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    shown = capsys.readouterr().out
    assert "simulated" in shown
    errors = {
        match[1]: [float(share) for share in re.findall(r"([\d.]+)%", match[2])]
        for match in re.finditer(r"^ *(\w[\w ]+?)  +(\d+\.\d.*)\|", shown, re.M)
    }
    assert len(errors) == 4
    silent, shared, own, both = errors.values()
    assert own[0] > silent[0] > shared[0], "at first a recorder alone does more harm than good"
    assert own[-1] < own[0] / 1.5
    assert both[-1] < shared[-1] < own[-1] < silent[-1]
    missed = re.findall(r"\| +([\d.]+)% +([\d.]+)%", shown)
    (_, poachers_shared), (_, poachers_both) = missed[1], missed[3]
    assert float(poachers_both) > float(poachers_shared), "and not on poachers, as it admits"
