"""The real data sets come with the package: no other package is needed to read them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cli.shell import run

import rosenblatt
from rosenblatt import datasets
from rosenblatt.datasets.bundled import DATA

NAMES = ["breast_cancer", "digits", "iris", "wine"]

BLOCKED = """
import sys
sys.modules.update(sklearn=None, scipy=None)
from rosenblatt import datasets
for name in {names}:
    table = getattr(datasets, name)()
    print(*table.X.shape, table.X.sum().item(), table.y.sum().item())
"""


@pytest.mark.parametrize("name", NAMES)
def test_the_arrays_are_those_of_scikit_learn(name: str) -> None:
    sklearn_datasets = pytest.importorskip("sklearn.datasets")
    table = getattr(datasets, name)()
    theirs = getattr(sklearn_datasets, f"load_{name}")()
    assert table.X.dtype == np.float64
    assert table.X.flags.c_contiguous
    assert table.X.tobytes() == theirs.data.tobytes()
    assert table.y.dtype == np.int64
    assert table.y.tolist() == theirs.target.tolist()
    assert table.classes == tuple(str(label) for label in theirs.target_names)


def test_they_load_where_scikit_learn_and_scipy_are_not() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED.format(names=NAMES)], capture_output=True, text=True
    )
    assert done.stderr == ""
    tables = [getattr(datasets, name)() for name in NAMES]
    expected = [(*t.X.shape, t.X.sum().item(), t.y.sum().item()) for t in tables]
    assert [line.split() for line in done.stdout.splitlines()] == [
        [str(value) for value in told] for told in expected
    ]


@pytest.mark.parametrize("name", NAMES)
def test_the_shell_reads_the_packed_files_too(name: str, tmp_path: Path) -> None:
    model = tmp_path / "model.rbt"
    done = run("train", DATA / f"{name}.csv.gz", "--one-pass", "--no-scale", "--out", model)
    assert done.code == 0, done.err
    table, learner = getattr(datasets, name)(), rosenblatt.load(model)
    expected = rosenblatt.AveragedPerceptron().partial_fit(table.X, table.labels)
    assert [str(label) for label in learner.classes_] == sorted(table.classes)
    assert learner.coef_.tobytes() == expected.coef_.tobytes()


def test_a_note_beside_the_files_names_source_and_licence_of_each() -> None:
    note = (DATA / "README.md").read_text(encoding="utf-8")
    sections = note.split("\n## ")[1:]
    assert sorted(section.split("\n")[0] for section in sections) == sorted(
        file.name for file in DATA.glob("*.csv.gz")
    )
    assert "CC BY 4.0" in note
    for section in sections:
        assert "https://doi.org/10.24432/" in section


def test_a_table_unpacks_to_rows_and_classes_and_names_them() -> None:
    table = datasets.wine()
    X, y = table
    assert X is table.X
    assert y is table.y
    assert table.labels.tolist() == [table.classes[k] for k in y]
    assert repr(table).startswith("LabelledRows(178 × 13, class_0 59, class_1 71, class_2 48:")
    assert len(repr(table)) < 100
    assert table == table
    assert table != datasets.wine()
