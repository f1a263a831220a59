"""A default is left only for what is surely better on held-out rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.arrays import SparseRows
from rosenblatt.estimators import selection
from rosenblatt.estimators.selection import (
    MANY_ROWS,
    MANY_SCORES,
    MAX_CALIBRATED,
    Split,
    leaderboard,
    never_held_out,
    sample_of,
    splits,
)

DEFAULT = ("usual", 12)


def board(wrong, caution=2.0, weights=None):
    return leaderboard(
        {key: np.array(mask, bool) for key, mask in wrong.items()}, weights, DEFAULT, caution
    )


def chosen(found):
    [best] = [candidate for candidate in found if candidate.chosen]
    return best.name, best.epochs


def test_what_is_better_by_less_than_two_standard_errors_is_not_chosen():
    worse, better = [1] * 3 + [0] * 97, [0] * 100
    assert chosen(board({DEFAULT: worse, ("other", 3): better})) == DEFAULT
    assert chosen(board({DEFAULT: worse, ("other", 3): better}, caution=1.0)) == ("other", 3)
    assert chosen(board({DEFAULT: [1] * 6 + [0] * 94, ("other", 3): better})) == ("other", 3)


def test_of_those_that_are_surely_better_the_one_with_fewest_errors_is_chosen():
    wrong = {
        DEFAULT: [1] * 20 + [0] * 80,
        ("good", 3): [1] * 10 + [0] * 90,
        ("best", 3): [1] * 5 + [0] * 95,
        ("best", 12): [1] * 6 + [0] * 94,
    }
    found = board(wrong)
    assert chosen(found) == ("best", 3)
    assert [candidate[:2] for candidate in found] == [
        ("best", 3),
        ("best", 12),
        ("good", 3),
        DEFAULT,
    ]
    assert [candidate.is_default for candidate in found] == [False, False, False, True]


def test_fewest_errors_alone_do_not_make_a_choice_if_they_are_elsewhere():
    # Nine errors fewer in all, but it gains on 50 rows and loses on 41: that may be chance.
    default = [1] * 50 + [0] * 50
    noisy = [0] * 50 + [1] * 41 + [0] * 9
    surely = [1] * 42 + [0] * 58
    assert chosen(board({DEFAULT: default, ("noisy", 3): noisy})) == DEFAULT
    both = {DEFAULT: default, ("noisy", 3): noisy, ("surely", 3): surely}
    assert chosen(board(both)) == ("surely", 3)


def test_equals_of_the_default_leave_it():
    assert chosen(board({("other", 3): [1, 0], DEFAULT: [1, 0]}, caution=0.0)) == DEFAULT


def test_rows_count_by_their_weights():
    wrong = {DEFAULT: [1] * 8 + [0] * 92, ("other", 3): [0] * 8 + [1] * 8 + [0] * 84}
    heavy = np.array([10.0] * 8 + [1.0] * 92)
    assert chosen(board(wrong)) == DEFAULT
    found = board(wrong, weights=heavy)
    assert chosen(found) == ("other", 3)
    assert found[0].error_rate == pytest.approx(8 / heavy.sum())


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40))
def test_differences_and_standard_errors_are_those_of_paired_rows(pairs):
    default, other = (np.array(column, float) for column in zip(*pairs, strict=True))
    found = {c.name: c for c in board({DEFAULT: default, ("other", 3): other})}["other"]
    more = other - default
    assert found.error_rate == pytest.approx(other.mean())
    assert found.difference == pytest.approx(more.mean())
    assert found.standard_error == pytest.approx(more.std(ddof=1) / len(more) ** 0.5)


# ---------------------------------------------------------------------- splits


@given(st.lists(st.integers(1, 12), min_size=2, max_size=6), st.integers(0, 9))
def test_of_few_rows_each_is_held_out_once_by_folds_but_those_of_classes_too_small(sizes, seed):
    labels = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    table = np.arange(len(labels), dtype=float)[:, None]
    parts = splits(table, labels, None, seed)
    if sorted(sizes)[-2] < 2:
        assert parts == []
        return
    n = len(parts)
    assert 2 <= n <= min(5, sorted(sizes)[-2])
    left_out = [label for label, size in enumerate(sizes) if size < n]
    assert n == 2 or sum(sizes[label] for label in left_out) <= 0.1 * len(labels)
    assert never_held_out(parts, labels).tolist() == left_out
    held = np.concatenate([part.held for part in parts])
    assert sorted(held) == np.flatnonzero(~np.isin(labels, left_out)).tolist()
    for part in parts:
        assert not set(part.learned) & set(part.held)
        assert len(part.learned) + len(part.held) == len(labels)
        assert set(labels[part.learned]) == set(labels)
        np.testing.assert_array_equal(part.judge(lambda rows: rows[:, 0], 2).scores, part.held)
        np.testing.assert_array_equal(part.labels, labels[part.held])


@pytest.mark.parametrize(
    ("sizes", "n", "left_out"),
    [
        ([50, 50], 5, []),
        ([50, 50, 1], 5, [2]),
        ([50, 50, 2], 5, [2]),
        ([50, 50, 4, 3, 2], 5, [2, 3, 4]),
        ([50, 3], 3, []),
        ([50, 50, 4, 4, 4, 4], 4, []),  # too many rows to leave out
        ([4, 4, 4, 1], 4, [3]),
        ([3, 3, 2], 2, []),
        ([2, 2, 1, 1, 1], 2, [2, 3, 4]),
    ],
)
def test_there_are_as_many_folds_as_all_but_a_tenth_of_the_rows_have(sizes, n, left_out):
    labels = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    parts = splits(np.zeros((len(labels), 1)), labels, None, 0)
    assert len(parts) == n
    assert never_held_out(parts, labels).tolist() == left_out


def test_of_many_rows_a_class_of_one_row_is_learned_from_and_the_others_are_held_out():
    labels = np.append(np.arange(MANY_ROWS, dtype=np.int32) % 2, np.int32(2))
    [part] = splits(np.zeros((len(labels), 1)), labels, None, 0)
    assert np.bincount(part.labels).tolist() == [300, 300]
    assert len(labels) - 1 in part.learned
    assert never_held_out([part], labels).tolist() == [2]


def test_of_many_rows_a_fifth_is_held_out_once():
    labels = np.arange(MANY_ROWS, dtype=np.int32) % 3
    [part] = splits(np.zeros((MANY_ROWS, 1)), labels, None, 0)
    assert np.bincount(part.labels).tolist() == [200, 200, 200]


def test_of_many_classes_a_share_is_held_out_once_as_of_many_rows():
    rows = 300
    labels = np.arange(rows, dtype=np.int32) % 150
    assert rows * 150 >= MANY_SCORES > rows * 50
    [part] = splits(np.zeros((rows, 1)), labels, None, 0)
    assert len(part.held) == 150  # a fifth of two would be none
    labels %= 149
    [part] = splits(np.zeros((rows, 1)), labels, None, 0)
    assert 0 < len(part.held) < 149
    assert len(splits(np.zeros((rows, 1)), labels % 50, None, 0)) > 1


def test_rows_held_out_are_copied_some_at_a_time(monkeypatch):
    monkeypatch.setattr(selection, "VALUES_COPIED", 64)
    labels = np.arange(MANY_ROWS, dtype=np.int32) % 3
    table = np.arange(2.0 * MANY_ROWS).reshape(-1, 2)
    for rows in (table, SparseRows.from_dense(table + 1)):
        [part] = splits(rows, labels, None, 0)
        sizes = list[int]()

        def score(some, sizes=sizes):
            sizes.append(some.shape[0])
            return some @ np.ones(2)

        np.testing.assert_array_equal(part.judge(score, 3).scores, rows[part.held] @ np.ones(2))
        assert set(sizes) == {32, len(part.held) % 32}


@pytest.mark.parametrize("held_out", ["rows of the table", "another table"])
def test_rows_of_many_classes_are_scored_some_at_a_time_and_only_a_sample_of_scores_is_kept(
    monkeypatch, held_out
):
    monkeypatch.setattr(selection, "SCORES_AT_ONCE", 64 * 100)
    monkeypatch.setattr(selection, "MAX_CALIBRATED", 90 * 100)
    labels = np.arange(1000, dtype=np.int32) % 100
    table = np.random.default_rng(0).normal(size=(1000, 100))
    if held_out == "rows of the table":
        [part] = splits(table, labels, 0.5, 0)
    else:
        part = Split(None, None, table, labels, sample_of(1000, 100, 0))
    sizes = list[int]()

    def score(some):
        sizes.append(len(some))
        return some

    judged = part.judge(score, 100)
    held = table if part.held is None else table[part.held]
    assert max(sizes) == 64
    assert sum(sizes) == len(held)
    np.testing.assert_array_equal(judged.wrong, held.argmax(axis=1) != part.labels)
    assert len(part.sample) == len(set(part.sample)) == 90
    np.testing.assert_array_equal(judged.scores, held[part.sample])
    rows, of_rows = part.calibrating
    np.testing.assert_array_equal(judged.scores, table[rows])
    np.testing.assert_array_equal(of_rows, labels[rows])


def test_a_sample_is_that_of_its_seed_and_of_few_scores_everything():
    assert sample_of(MAX_CALIBRATED // 100, 100, 0) is None
    first, second, other = (sample_of(MAX_CALIBRATED // 50, 100, seed) for seed in (0, 0, 1))
    assert len(first) == MAX_CALIBRATED // 100
    np.testing.assert_array_equal(first, second)
    assert (first != other).any()


def test_a_share_is_held_out_once_of_few_rows_too():
    labels = np.arange(40, dtype=np.int32) % 2
    [part] = splits(np.zeros((40, 1)), labels, 0.25, 0)
    assert len(part.held) == 10


@pytest.mark.parametrize("labels", [[0, 0, 0, 1], [0], [0, 0, 0], list(range(10)), [0, 0, 1, 2]])
def test_nothing_is_held_out_where_no_two_classes_have_two_rows(labels):
    labels = np.array(labels, np.int32)
    assert splits(np.zeros((len(labels), 1)), labels, None, 0) == []
