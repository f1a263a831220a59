"""Frames and labels of pandas, polars and Arrow give the same with scikit-learn and without."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).with_name("frames_and_labels.py")
pytest.importorskip("polars")


def load():
    spec = importlib.util.spec_from_file_location("frames_and_labels", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


script = load()
OUTCOMES = {name: (expected, work) for name, expected, work in script.outcomes()}


@pytest.fixture(scope="module")
def alone():
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "alone"], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


def test_nothing_here_loads_scikit_learn_or_scipy(alone):
    assert alone["loaded"] == []
    assert set(alone) == {*OUTCOMES, "loaded"}


@pytest.mark.parametrize("name", OUTCOMES)
def test_frames_and_labels_are_read_alike_with_scikit_learn_and_without(name, alone):
    expected, work = OUTCOMES[name]
    found = script.result(work)
    assert json.loads(json.dumps(found)) == alone[name]
    if isinstance(expected, str):
        assert isinstance(found, str)
        assert re.search(".*".join(map(re.escape, expected.split(".*"))), found, re.DOTALL), found
    elif name.startswith("labels"):
        assert json.loads(json.dumps(found[0])) == expected
        assert found[2] == (["DataConversionWarning"] if "column" in name else [])
    else:
        expected = np.asarray(expected)
        assert found[1] == ("float32" if expected.dtype == np.float32 else "float64")
        if found[0] == "SparseRows":
            assert name == "frame: pandas sparse"
            assert found[2:5] == [[4.0, 3.0, 5.0], [1, 0, 1], [0, 1, 1, 3]]
        else:
            np.testing.assert_array_equal(found[2], expected)
