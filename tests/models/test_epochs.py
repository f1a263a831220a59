"""The one loop over epochs: which order it asks for, what it counts, and why it stops."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from rosenblatt import MIRA, KernelPerceptron, Perceptron, SequenceTagger, StructuredPerceptron
from rosenblatt.engine.rows import ordering
from rosenblatt.models import epochs
from rosenblatt.models.result import STOP_REASONS, FitResult, Pocket, Validation, stop_text


class Script(epochs.Trainer):
    """A family that does as it is told: mistakes and updates of each epoch, and what it claims."""

    def __init__(
        self,
        mistakes: Sequence[int],
        *,
        updates: Sequence[int] | None = None,
        states: Sequence[int] = (),
        ceilings: Sequence[float] = (),
        right: Sequence[bool] = (),
        last_predicts: bool = True,
        contradicted: bool = False,
        subset: Sequence[int] | None = None,
    ) -> None:
        super().__init__(4, None if subset is None else np.array(subset))
        self._mistakes, self._updates = mistakes, mistakes if updates is None else updates
        self._states, self._ceilings, self._right = states, ceilings, right
        self.last_predicts, self._contradicted, self.n_comparisons = last_predicts, contradicted, 0
        self.orders: list[list[int] | None] = []
        self.asked: list[bool] = []

    @property
    def epoch(self) -> int:
        return len(self.orders)

    def learn(self, order: npt.NDArray[np.int64] | None) -> int:
        self.n_updates += self._updates[self.epoch]
        self.orders.append(None if order is None else order.tolist())
        return self._mistakes[self.epoch - 1]

    def is_right(self, *, changed: bool) -> bool:
        self.asked.append(changed)
        return self._right[self.epoch - 1] if self._right else True

    @cached_property
    def contradicted(self) -> bool:
        self.n_comparisons += 1
        return self._contradicted

    def margin_ceiling(self) -> float:
        return self._ceilings[self.epoch - 1] if self._ceilings else float("inf")

    @property
    def longest(self) -> float:
        return 2.0

    def state(self) -> Sequence[npt.NDArray[Any]]:
        return (np.array([self._states[self.epoch]]),) if self._states else ()


def fit(trainer: Script, *, shuffle: bool = False, max_iter: int = 3, **rest: Any) -> FitResult:
    return epochs.run(trainer, max_iter=max_iter, shuffle=shuffle, random=7, **rest)


def scores(*values: float, patience: int) -> Validation:
    given = iter(values)
    counter = iter(range(1, 100))
    return Validation(lambda: next(given), lambda: next(counter), patience)


def test_an_epoch_without_a_mistake_ends_it() -> None:
    result = fit(Script([3, 1, 0, 9], updates=[3, 1, 0, 9]))
    assert (result.stop_reason, result.mistakes_per_epoch) == ("separated", [3, 1, 0])
    assert (result.converged, result.n_iter, result.n_updates) == (True, 3, 4)


def test_updates_without_a_mistake_go_on_while_patience_lasts_and_are_then_checked() -> None:
    updates, right = [2, 1, 1, 1, 1, 1], [True, True, True, False, True, True]
    trainer = Script([2, 0, 0, 0, 0, 0], updates=updates, right=right)
    result = fit(trainer, max_iter=6, patience=2)
    assert (result.stop_reason, result.n_iter, trainer.asked) == ("separated", 5, [True, True])
    trainer = Script([2, 0, 1, 0, 0, 0], updates=updates)
    assert fit(trainer, max_iter=6, patience=3).n_iter == 5, "mistakes in between are no end"


def test_an_epoch_that_changes_nothing_or_is_the_last_ends_it_at_once() -> None:
    quiet = fit(Script([2, 0, 0, 9], updates=[2, 1, 0, 9]), max_iter=4)
    assert (quiet.stop_reason, quiet.n_iter) == ("separated", 3)
    assert fit(Script([2, 0, 0], updates=[2, 1, 1])).stop_reason == "separated"
    still_wrong = Script([2, 0, 0], updates=[2, 1, 1], right=[False] * 3)
    assert (fit(still_wrong).stop_reason, still_wrong.asked) == ("max_iter", [True])


def test_a_proof_that_no_margin_is_left_ends_no_run_without_mistakes() -> None:
    trainer = Script([2, 0, 0, 0], updates=[2, 1, 1, 0], ceilings=[9, 0, 0, 0])
    result = fit(trainer, max_iter=4, tol=1.0)
    assert (result.stop_reason, result.n_iter) == ("separated", 4)


def test_the_limit_is_a_reason_too() -> None:
    result = fit(Script([3, 2, 1, 0]))
    assert (result.stop_reason, result.n_iter, result.converged) == ("max_iter", 3, False)


@pytest.mark.parametrize("shuffle", [False, True])
def test_mistakes_that_change_nothing_are_a_cycle_in_any_order(shuffle: bool) -> None:
    result = fit(Script([2, 1], updates=[2, 0]), shuffle=shuffle)
    assert (result.stop_reason, result.cycle_length, result.n_iter) == ("cycle", 1, 2)


def test_a_state_that_comes_back_is_a_cycle_unless_shuffled() -> None:
    states = [0, 5, 6, 5, 6, 5, 6]
    result = fit(Script([1] * 6, states=states), max_iter=6)
    assert (result.stop_reason, result.cycle_length) == ("cycle", 2)
    assert fit(Script([1] * 6, states=states), max_iter=6, shuffle=True).stop_reason == "max_iter"


def test_the_smallest_ceiling_counts_and_equality_is_enough() -> None:
    def run(tol: float | None) -> FitResult:
        trainer = Script([4, 3, 2, 1], ceilings=[0.5, 0.2, 0.3, 0.1], last_predicts=False)
        return fit(trainer, max_iter=4, tol=tol)

    result = run(0.05)
    assert (result.stop_reason, result.n_iter, result.margin_ceiling) == ("tolerance", 4, 0.1)
    assert (run(0.1).stop_reason, run(0.1).n_iter) == ("tolerance", 2)
    assert run(None).stop_reason == "max_iter"


def test_a_proof_ends_no_run_of_last_weights_whose_mistakes_become_fewer() -> None:
    mistakes = [9, 8, 8, 7, 7, 8, 7, 6]
    result = fit(Script(mistakes, ceilings=[0.0] * 8), max_iter=8, tol=1.0, patience=3)
    assert (result.stop_reason, result.mistakes_per_epoch) == ("tolerance", mistakes[:7])
    result = fit(Script(mistakes, ceilings=[0.0] * 8), max_iter=8, tol=1.0, patience=2)
    assert (result.stop_reason, result.n_iter) == ("tolerance", 6)
    falling = fit(Script([9, 8, 7, 6], ceilings=[0.0] * 4), max_iter=4, tol=1.0, patience=1)
    assert falling.stop_reason == "max_iter"


def test_epochs_without_gain_end_what_equal_examples_contradict_and_these_are_sought_once() -> None:
    mistakes = [5, 3, 3, 4, 2, 2, 3, 4]
    contradicted = Script(mistakes, contradicted=True)
    result = fit(contradicted, max_iter=8, tol=0.0, patience=2)
    assert (result.stop_reason, result.n_iter) == ("no_gain", 4)
    other = Script(mistakes)
    assert fit(other, max_iter=8, tol=0.0, patience=2).stop_reason == "max_iter"
    falling = Script([5, 4, 3])
    fit(falling, tol=0.0, patience=1)
    assert (contradicted.n_comparisons, other.n_comparisons, falling.n_comparisons) == (1, 1, 0)


def test_patience_ends_after_so_many_epochs_without_a_gain() -> None:
    validation = scores(0.5, 0.7, 0.7, 0.6, 0.9, patience=2)
    result = fit(Script([5] * 9), max_iter=9, validation=validation)
    assert (result.stop_reason, result.n_iter) == ("early_stopping", 4)
    assert (validation.best, validation.best_epoch) == (2, 2)
    assert validation.scores == [0.5, 0.7, 0.7, 0.6]


class Forgetful(Script):
    """One of which no theorem says that its mistakes end."""

    converges = False


def test_epochs_without_gain_end_what_need_not_converge() -> None:
    mistakes = [5, 3, 3, 4, 2, 2, 3, 1, 1, 1]
    result = fit(Forgetful(mistakes), max_iter=10, tol=0.0, patience=2)
    assert (result.stop_reason, result.mistakes_per_epoch) == ("no_gain", [5, 3, 3, 4])
    result = fit(Forgetful(mistakes), max_iter=10, tol=0.0, patience=3)
    assert (result.stop_reason, result.n_iter, result.epochs_without_gain()) == ("max_iter", 10, 2)
    assert fit(Script(mistakes), max_iter=10, tol=0.0, patience=2).stop_reason == "max_iter"
    assert fit(Forgetful(mistakes), max_iter=10, tol=None, patience=2).stop_reason == "max_iter"


def test_held_out_examples_decide_before_epochs_without_gain_do() -> None:
    validation = scores(0.1, 0.2, 0.3, 0.4, 0.4, 0.4, 0.5, patience=2)
    result = fit(Forgetful([3] * 7), max_iter=7, tol=0.0, patience=2, validation=validation)
    assert (result.stop_reason, result.n_iter) == ("early_stopping", 6)


def test_held_out_examples_decide_before_a_proof_does() -> None:
    """Without a margin they may gain all the same; a pocket is none of them."""
    validation = scores(0.1, 0.2, 0.3, 0.3, 0.3, patience=2)
    trainer = Script([3] * 5, ceilings=[0.0] * 5)
    result = fit(trainer, max_iter=5, tol=1.0, validation=validation)
    assert (result.stop_reason, result.n_iter) == ("early_stopping", 5)
    pocket = Pocket(lambda: 0.5, lambda: None, patience=0)
    trainer = Script([3] * 5, ceilings=[0.0] * 5)
    result = fit(trainer, max_iter=5, tol=1.0, validation=pocket, patience=3)
    assert (result.stop_reason, result.n_iter) == ("tolerance", 4)


def test_of_equals_on_held_out_examples_what_separates_is_kept() -> None:
    validation = scores(0.7, 0.7, patience=5)
    assert fit(Script([1, 0]), validation=validation).stop_reason == "separated"
    assert validation.best_epoch == 2
    better_before = scores(0.7, 0.6, patience=5)
    fit(Script([1, 0]), validation=better_before)
    assert better_before.best_epoch == 1


@pytest.mark.parametrize(
    ("trainer", "expected"),
    [
        (Script([0], ceilings=[0.0], states=[1, 1]), "separated"),
        (Script([1], ceilings=[0.0], states=[1, 1]), "cycle"),
        (Script([1], ceilings=[0.0], states=[1, 2]), "early_stopping"),
    ],
)
def test_the_strongest_of_several_reasons_is_told(trainer: Script, expected: str) -> None:
    validation = scores(0.5, patience=0)
    assert fit(trainer, tol=1.0, validation=validation).stop_reason == expected


def test_orders_are_those_of_the_generator_over_the_subset() -> None:
    trainer = Script([1, 1, 1], subset=[2, 5, 9])
    result = fit(trainer, shuffle=True)
    places, state, expected = np.empty(3, np.int64), 7, []
    for _ in range(3):
        state = ordering.shuffled(places, state)
        expected.append([[2, 5, 9][place] for place in places])
    assert (trainer.orders, result.random) == (expected, state)


def test_without_shuffling_examples_are_visited_as_they_stand() -> None:
    everything, some = Script([1, 1, 1]), Script([1, 1, 1], subset=[2, 5])
    assert (fit(everything).random, fit(some).random) == (7, 7)
    assert everything.orders == [None] * 3
    assert some.orders == [[2, 5]] * 3


def test_the_callback_hears_of_every_epoch() -> None:
    heard: list[tuple[int, int, float | None]] = []
    fit(Script([3, 0]), after_epoch=lambda *epoch: heard.append(epoch))
    assert heard == [(1, 3, None), (2, 0, None)]
    heard.clear()
    validation = scores(0.25, 0.5, patience=9)
    fit(Script([3, 0]), validation=validation, after_epoch=lambda *epoch: heard.append(epoch))
    assert heard == [(1, 3, 0.25), (2, 0, 0.5)]


def test_reasons_are_told_in_the_words_of_the_learner() -> None:
    assert stop_text("early_stopping", "sentences") == "no gain on the held-out sentences"
    assert all(stop_text(reason) == text for reason, text in STOP_REASONS.items())
    assert set(STOP_REASONS) == {
        "separated", "cycle", "early_stopping", "tolerance", "no_gain", "max_iter", "interrupted"
    }  # fmt: skip


def zero_rows(learner: type, **parameters: Any) -> Any:
    return learner(**parameters).fit(np.zeros((4, 2)), [0, 1, 0, 1])


def test_every_family_calls_an_epoch_that_changes_nothing_a_cycle() -> None:
    """For rows of zeros MIRA takes no step; two answers with the same features move none either."""
    assert zero_rows(MIRA, fit_intercept=False, tol=None).stop_reason_ == "cycle"
    structured = StructuredPerceptron(
        features=lambda x, y: {"same": 1.0}, argmax=lambda x, score: 0
    ).fit([1, 2], [1, 1])
    assert (structured.stop_reason_, structured.n_iter_) == ("cycle", 1)


def test_rows_of_zeros_have_no_margin_worth_having() -> None:
    assert zero_rows(Perceptron, fit_intercept=False).stop_reason_ == "tolerance"
    assert zero_rows(KernelPerceptron, kernel="linear").stop_reason_ == "tolerance"


def test_every_family_goes_through_the_same_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    original = epochs.run

    def traced(trainer: epochs.Trainer, **rest: Any) -> FitResult:
        seen.append(type(trainer).__name__)
        return original(trainer, **rest)

    monkeypatch.setattr(epochs, "run", traced)
    X, y = np.array([[0.0, 1.0], [1.0, 0.0]]), [0, 1]
    Perceptron().fit(X, y)
    KernelPerceptron().fit(X, y)
    KernelPerceptron(budget=2).fit(X, y)
    SequenceTagger().fit([["a", "b"]], [["A", "B"]])
    StructuredPerceptron(
        features=lambda x, y: {y: 1.0}, argmax=lambda x, score: max(x, key=score)
    ).fit([["a", "b"]], ["a"])
    assert seen == [
        "LinearTrainer", "KernelTrainer", "BudgetedTrainer", "TagTrainer", "StructuredTrainer"
    ]  # fmt: skip
