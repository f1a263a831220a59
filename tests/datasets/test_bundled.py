"""The bundled data are those scikit-learn loads, without loading scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.datasets

from rosenblatt import datasets
from rosenblatt.datasets import bundled
from rosenblatt.errors import MissingExtra


@pytest.mark.parametrize("name", ["breast_cancer", "digits", "iris", "wine"])
def test_bundled_data_equal_those_of_scikit_learn(name: str) -> None:
    table = getattr(datasets, name)()
    theirs = getattr(sklearn.datasets, f"load_{name}")()
    np.testing.assert_array_equal(table.X, theirs.data)
    np.testing.assert_array_equal(table.y, theirs.target)
    assert table.classes == tuple(str(label) for label in theirs.target_names)


def test_without_scikit_learn_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bundled, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="pip install scikit-learn"):
        datasets.iris()


def test_a_table_unpacks_to_rows_and_classes_and_names_them() -> None:
    table = datasets.wine()
    X, y = table
    assert X is table.X
    assert y is table.y
    assert table.labels.tolist() == [table.classes[k] for k in y]
    assert repr(table).startswith("Table(178 × 13, class_0 59, class_1 71, class_2 48:")
    assert len(repr(table)) < 100
    assert table == table
    assert table != datasets.wine()
