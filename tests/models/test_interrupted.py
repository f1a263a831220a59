"""Learning that is asked to stop ends between two blocks, and keeps what it learned until then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    Perceptron,
    SequenceTagger,
    StructuredPerceptron,
    load,
    save,
)
from rosenblatt.errors import ConvergenceWarning
from rosenblatt.models import kernel_training as kernel_training
from rosenblatt.models import linear_training as training
from rosenblatt.models import tags as tagging
from rosenblatt.models.result import stop_asked, stopping_when

BLOCK, ROWS = 10, 100
# What cannot be separated goes on for ever.
X = np.random.default_rng(0).integers(-3, 4, (ROWS, 3)).astype(float)
Y = np.random.default_rng(1).integers(0, 2, ROWS)
SENTENCES, TAGS = [["fish"], ["fish"]] * 50, [["NOUN"], ["VERB"]] * 50


def after(asked: int) -> Callable[[], bool]:
    """True from the so many-th question on."""
    left = iter(range(asked))
    return lambda: next(left, None) is None


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "ROWS_AT_A_TIME", BLOCK)
    monkeypatch.setattr(kernel_training, "BLOCK", BLOCK)
    monkeypatch.setattr(tagging, "SENTENCES_AT_A_TIME", BLOCK)


def structured() -> StructuredPerceptron:
    return StructuredPerceptron(
        features=lambda x, y: {(x, y): 1.0}, argmax=lambda x, score: max((0, 1), key=score)
    )


FAMILIES: dict[str, tuple[Callable[[], Any], Any, Any]] = {
    "linear": (lambda: Perceptron(tol=None), X, Y),
    "averaged": (lambda: AveragedPerceptron(tol=None), X, Y),
    "pocket": (lambda: Perceptron(tol=None, pocket=True), X, Y),
    "early stopping": (lambda: Perceptron(tol=None, early_stopping=True), X, Y),
    "kernel": (lambda: KernelPerceptron(kernel="linear", tol=None), X, Y),
    "budget": (lambda: KernelPerceptron(kernel="linear", tol=None, budget=20), X, Y),
    "tags": (lambda: SequenceTagger(max_iter=1000), SENTENCES, TAGS),
    "structures": (structured, [1] * 50, [0, 1] * 25),
}


@pytest.mark.parametrize("asked", [0, 1, 4, 60])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_fit_that_is_stopped_is_a_whole_model(family: str, asked: int, tmp_path: Path) -> None:
    new, xs, ys = FAMILIES[family]
    with stopping_when(after(asked)):
        learner = new().fit(xs, ys)
    assert (learner.stop_reason_, learner.converged_) == ("interrupted", False)
    assert len(learner.mistakes_per_epoch_) == learner.n_iter_
    assert learner.n_mistakes_ == sum(learner.mistakes_per_epoch_)
    n = 90 if family == "early stopping" else len(xs)
    assert n * (learner.n_iter_ - 1) < learner.t_ <= n * learner.n_iter_
    if hasattr(learner, "validation_scores_"):
        assert len(learner.validation_scores_) == learner.n_iter_
        assert learner.validation_scores_[learner.best_iter_ - 1] == max(learner.validation_scores_)
    if family != "structures":  # whose functions no file can hold
        save(learner, tmp_path / "m.rbt")
        again = load(tmp_path / "m.rbt")
        assert (again.t_, again.stop_reason_) == (learner.t_, "interrupted")
        assert list(again.predict(xs)) == list(learner.predict(xs))


def test_the_part_of_an_epoch_that_was_learned_is_that_of_the_first_rows() -> None:
    with stopping_when(after(3)):
        cut = Perceptron(tol=None, shuffle=False).fit(X, Y)
    part = Perceptron().partial_fit(X[: cut.t_], Y[: cut.t_], classes=[0, 1])
    assert 0 < cut.t_ < ROWS
    assert (cut.coef_ == part.coef_).all()
    assert cut.mistakes_per_epoch_ == [part.n_mistakes_]


@pytest.mark.parametrize("family", ["linear", "averaged", "kernel", "tags"])
def test_a_single_pass_that_is_stopped_has_learned_the_first_examples(family: str) -> None:
    new, xs, ys = FAMILIES[family]
    with stopping_when(after(2)):
        cut = new().partial_fit(xs, ys)
    assert 0 < cut.t_ < len(xs)
    part = new().partial_fit(xs[: cut.t_], ys[: cut.t_])
    assert cut.n_mistakes_ == part.n_mistakes_
    assert list(cut.predict(xs)) == list(part.predict(xs))


def test_classes_of_rows_that_were_not_reached_do_not_join() -> None:
    labels = np.where(np.arange(ROWS) < ROWS // 2, Y, 2)
    with stopping_when(after(2)):
        assert Perceptron().partial_fit(X, labels).classes_.tolist() == [0, 1]
    with stopping_when(after(2)):
        assert KernelPerceptron().partial_fit(X, labels).classes_.tolist() == [0, 1]


def test_blocks_leave_no_trace_and_a_fit_that_ends_by_itself_is_not_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    labels = (X @ [1.0, 2.0, -1.0] > 0.5).astype(int)
    small = AveragedPerceptron().fit(X, labels)
    monkeypatch.undo()
    with stopping_when(lambda: False):
        whole = AveragedPerceptron().fit(X, labels)
    assert (small.coef_ == whole.coef_).all()
    assert whole.stop_reason_ == "separated"
    with stopping_when(lambda: True), pytest.warns(ConvergenceWarning):
        assert Perceptron(max_iter=1, tol=None).fit(X, Y).stop_reason_ == "max_iter"
    assert not stop_asked()


def test_ctrl_c_in_python_leaves_the_learner_as_it_was() -> None:
    learner = Perceptron().fit(X, (X[:, 0] > 0).astype(int))
    before = dict(learner.__dict__)

    def interrupt() -> bool:
        raise KeyboardInterrupt

    with stopping_when(interrupt), pytest.raises(KeyboardInterrupt):
        learner.fit(X, Y)
    assert learner.__dict__ == before
