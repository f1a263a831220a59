"""Threads share work, and nothing else can be told from the results."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import random_array
from waiting import PATIENCE

from rosenblatt import SequenceTagger, distributed, load, save
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.estimators.catalogue import entries
from rosenblatt.models import parallel
from rosenblatt.models.parallel import each_part, n_processors, n_threads, slices

LINEAR = [entry.name for entry in entries() if entry.family == "linear"]


class Meeting:
    """Waits until so many threads are at work at once, and counts them."""

    def __init__(self, n: int) -> None:
        self._barrier, self.threads = threading.Barrier(n), set[int]()

    def __call__(self, some: Any) -> Any:
        self.threads.add(threading.get_ident())
        self._barrier.wait(timeout=PATIENCE)
        return some


def classes_of(name: str) -> Any:
    return next(entry for entry in entries() if entry.name == name).load()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also small tables are cut for threads."""
    monkeypatch.setattr(parallel, "FEWEST", 8)


def test_none_is_one_thread_and_negative_numbers_count_from_all_processors() -> None:
    assert [n_threads(n) for n in (None, 1, 5)] == [1, 1, 5]
    assert n_threads(-1) == n_processors()
    assert n_threads(-1 - n_processors()) == 1


@pytest.mark.parametrize("value", [0, 1.5, "2", True])
def test_other_numbers_of_threads_are_refused(value: Any) -> None:
    with pytest.raises(ParameterError, match="n_jobs"):
        n_threads(value)
    with pytest.raises(ParameterError, match="n_jobs"):
        classes_of("perceptron")(n_jobs=value).fit([[0.0], [1.0]], [0, 1])


@given(st.integers(0, 100_000), st.integers(1, 9), st.none() | st.integers(1, 5000))
def test_slices_hold_every_number_once_and_in_order(n: int, jobs: int, most: int | None) -> None:
    found = slices(n, jobs, most)
    assert [i for some in found for i in range(some.start, some.stop)] == list(range(n))
    assert most is None or max(some.stop - some.start for some in found) <= most
    assert jobs > 1 or most is not None or len(found) == 1


def test_parts_are_worked_on_side_by_side_and_come_in_order() -> None:
    meeting = Meeting(3)
    assert list(each_part(meeting, [10, 20, 30], 3)) == [10, 20, 30]
    assert len(meeting.threads) == 3


def test_one_job_stays_in_the_thread_of_the_caller() -> None:
    meeting = Meeting(1)
    assert list(each_part(meeting, [1, 2], None)) == [1, 2]
    assert meeting.threads == {threading.get_ident()}


def test_the_error_of_the_first_part_is_raised_and_later_parts_do_not_begin() -> None:
    begun = []

    def work(part: int) -> None:
        begun.append(part)
        raise InputError(f"part {part}")

    with pytest.raises(InputError, match="part 0"):
        list(each_part(work, range(1000), 2))
    assert len(begun) < 1000


@pytest.mark.parametrize("error", [KeyboardInterrupt, InputError])
def test_nobody_works_on_after_the_caller_has_stopped(error: type[BaseException]) -> None:
    before, results = threading.active_count(), each_part(abs, range(1000), 4)
    assert next(results) == 0
    with pytest.raises(error):
        results.throw(error)  # type: ignore[attr-defined]
    assert threading.active_count() == before


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("kind", ["float64", "float32", "sparse"])
@pytest.mark.parametrize("name", LINEAR)
def test_learners_predict_the_same_bytes_by_any_number_of_threads(
    name: str, kind: str, k: int
) -> None:
    X = random_array((300, 20), density=0.5, random_state=np.random.default_rng(k), format="csr")
    table = X if kind == "sparse" else X.toarray().astype(kind)
    y = np.argmax(X.toarray()[:, :k], axis=1)
    learner = classes_of(name)().partial_fit(table[:100], y[:100])
    seen = []
    for jobs in (None, 1, 2, 4):
        learner.set_params(n_jobs=jobs)
        seen.append((learner.decision_function(table).tobytes(), learner.predict(table).tobytes()))
    assert len(set(seen)) == 1


@pytest.mark.usefixtures("few")
def test_rows_are_scored_by_as_many_threads_as_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.linspace(-1.0, 1.0, 128)[:, None]
    learner = classes_of("perceptron")(n_jobs=4).fit(X, X[:, 0] > 0)
    scorer, meeting = type(learner)._scorer, Meeting(4)
    monkeypatch.setattr(
        type(learner), "_scorer", lambda *given: lambda some: scorer(*given)(meeting(some))
    )
    for ask in (learner.predict, learner.decision_function):
        meeting.threads.clear()
        ask(X)
        assert len(meeting.threads) == 4


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("jobs", [1, 4])
def test_a_bad_row_is_named_by_its_number_in_the_whole_table(jobs: int) -> None:
    X = np.ones((100, 2))
    learner = classes_of("perceptron")(n_jobs=jobs).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    X[77, 1] = np.nan
    with pytest.raises(InputError, match="row 77, column 1"):
        learner.predict(X)


def test_a_model_keeps_its_number_of_threads_and_merges_with_others(tmp_path: Any) -> None:
    models = [classes_of("pa")(n_jobs=n).fit([[0.0], [1.0]], [0, 1]) for n in (2, None)]
    save(models[0], tmp_path / "model.rbt")
    assert load(tmp_path / "model.rbt").n_jobs == 2
    assert distributed.merge(models).coef_.tobytes() == models[0].coef_.tobytes()


SENTENCES = [["the", "dog", "barks"], ["a", "cat", "sleeps"], [], ["the", "cat", "barks"]] * 20
TAGS = [["D", "N", "V"] for sentence in SENTENCES if sentence]


@pytest.mark.usefixtures("few")
def test_taggers_find_the_same_tags_by_any_number_of_threads() -> None:
    tagger = SequenceTagger(max_iter=2).fit([s for s in SENTENCES if s], TAGS)
    queries = [["the", f"w{n}", "barks"][: n % 4] for n in range(100)]
    found = [tagger.set_params(n_jobs=n).predict(queries) for n in (None, 2, 4)]
    assert found[0] == found[1] == found[2]
    assert [len(tags) for tags in found[0]] == [n % 4 for n in range(100)]


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("jobs", [1, 4])
def test_a_bad_sentence_is_named_by_its_number_among_all(jobs: int) -> None:
    tagger = SequenceTagger(max_iter=1, n_jobs=jobs).fit([s for s in SENTENCES if s], TAGS)
    with pytest.raises(InputError, match="sentence 62 holds 7"):
        tagger.predict([*SENTENCES[:60], [], [], ["the", 7], *SENTENCES])
