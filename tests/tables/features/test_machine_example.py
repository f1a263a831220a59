"""The example of Rosenblatt's machine shows what it says."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "rosenblatt_machine.py"


def test_more_association_units_make_fewer_errors_than_the_points(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """L3.11."""
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    shown = capsys.readouterr().out
    lines = [
        [float(share) for share in re.findall(r"([\d.]+)%", line)]
        for line in shown.splitlines()[1:]
    ]
    points, *layers = lines
    assert len(points) == 2
    assert [len(line) for line in layers] == [3] * 5
    few, many = layers[0], layers[-1]
    assert few[0] > points[0], "thirty units say less than the points"
    assert few[1] > points[1]
    assert many[0] < points[0]
    assert many[1] < points[1]
    assert many[2] < points[1]
    assert max(many[1:]) < many[0], "greys tell more than dark and bright"
