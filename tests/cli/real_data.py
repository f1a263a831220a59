"""Files of real data, parts of them, and models of the shell beside those of Python."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path
from typing import Any

import pytest
from sklearn.exceptions import ConvergenceWarning

import rosenblatt
from cli.shell import DATA, Done, run


def data_file(name: str) -> Path:
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not at hand")
    return DATA / name


def lines_of(file: Path) -> list[str]:
    """The lines of a packed file that hold something."""
    text = gzip.decompress(file.read_bytes()).decode("utf-8")
    return [line for line in text.split("\n") if line]


def done(*arguments: str | Path, text: str = "") -> Done:
    """Run a command that has to succeed."""
    found = run(*arguments, text=text)
    assert found.code == 0, found.err
    return found


def as_matrix(rows: Any) -> Any:
    """What a schema gives, as estimators take it."""
    return rows.tocsr() if hasattr(rows, "tocsr") else rows


def fitted(learner: Any, X: Any, y: Any, **arguments: Any) -> Any:
    """Fit; that rows are not separated is told by `stop_reason_`, which is compared."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return learner.fit(as_matrix(X), y, **arguments)


def assert_same_learner(model: Path, expected: Any) -> None:
    """The model in a file and an estimator are the same to the last bit."""
    found = rosenblatt.load(model)
    assert type(found) is type(expected)
    assert found.get_params() == expected.get_params()
    assert found.classes_.tolist() == expected.classes_.tolist()
    for name in ("coef_", "intercept_"):
        ours, theirs = getattr(found, name), getattr(expected, name)
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), name
        assert ours.tobytes() == theirs.tobytes(), name
    for name in ("t_", "n_mistakes_", "n_iter_", "mistakes_per_epoch_", "stop_reason_"):
        assert getattr(found, name, None) == getattr(expected, name, None), name
