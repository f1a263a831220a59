"""The report of answers beside the truth."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from rosenblatt.errors import InputError
from rosenblatt.evaluate import report

LABELS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=60)


@given(LABELS)
def test_numbers_equal_those_of_scikit_learn(pairs):
    truth, answers = (np.array(labels) for labels in zip(*pairs, strict=True))
    found = report(truth, answers, classes=range(5))
    assert np.array_equal(found.confusion, confusion_matrix(truth, answers, labels=range(5)))
    expected = precision_recall_fscore_support(truth, answers, labels=range(5), zero_division=0)
    measured = [(c.precision, c.recall, c.f1, c.support) for c in found.per_class]
    assert np.allclose(np.array(measured).T, np.array(expected))
    assert found.accuracy == np.mean(truth == answers)
    assert found.baseline == np.bincount(truth).max() / len(truth)
    assert found.mistakes == int(np.sum(truth != answers))


def test_classes_keep_their_order_and_others_follow_sorted():
    found = report(["b", "d"], ["a", "c"], classes=["d", "b"])
    assert found.classes == ["d", "b", "a", "c"]
    assert found.confusion[1, 2] == found.confusion[0, 3] == 1


def test_no_line_is_longer_than_80_columns_with_many_classes_or_long_names():
    truth = [f"a class with quite a long name, number {i}" for i in range(30)]
    answers = truth[1:] + truth[:1]
    for n in (5, 30):
        lines = report(truth[:n], answers[:n]).lines()
        assert max(map(len, lines)) <= 80
        # One line a pair instead of a matrix, and no more than ten.
        pairs = lines[lines.index("", 5) + 2 :]
        assert len(pairs) == min(n, 10)
        assert all(line.endswith("  1") for line in pairs)


def test_worst_pairs_come_first_and_right_answers_are_none():
    truth, answers = list("aaabbbcc"), list("abbcbbca")
    assert report(truth, answers).worst_pairs() == [("a", "b", 2), ("b", "c", 1), ("c", "a", 1)]
    assert report(truth, truth).worst_pairs() == []


def test_json_is_plain_and_has_a_version():
    told = json.loads(json.dumps(report(np.array([1, 2]), np.array([1, 1])).to_json()))
    assert told["schema"] == 1
    assert told["classes"] == [1, 2]
    assert told["confusion"] == [[1, 0], [1, 0]]
    assert told["per_class"][1] == {
        "label": 2,
        "precision": 0.0,
        "recall": 0.0,
        "f1": 0.0,
        "support": 1,
    }


def test_html_is_escaped_and_without_scripts():
    html = report(["<script>x</script>", "b"], ["b", "b"])._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html


def test_labels_cannot_steer_a_terminal():
    assert "\x1b" not in str(report(["\x1b[2J"], ["\x1b[2J"]))


@pytest.mark.parametrize(
    ("truth", "answers", "says"),
    [
        ([1, 2], [1], "y_true has 2 labels and y_pred 1"),
        ([], [], "there are 0 rows"),
        ("ab", ["a", "b"], "not one text"),
        (np.zeros((2, 2)), [1, 2], "has shape"),
    ],
)
def test_what_cannot_be_compared_is_refused(truth, answers, says):
    with pytest.raises(InputError, match=says):
        report(truth, answers)
