"""Logistic regression, online."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rosenblatt.engine.rows.rules import Rule
from rosenblatt.estimators.inputs import TrainingData
from rosenblatt.estimators.linear.data_units import relative_to_data
from rosenblatt.estimators.linear.linear_classifier import averaging
from rosenblatt.estimators.linear.linear_learner import LinearLearner
from rosenblatt.estimators.linear.second_order import step_lengths
from rosenblatt.estimators.params import option
from rosenblatt.models.data_units import DataUnits
from rosenblatt.models.linear import LinearModel
from rosenblatt.models.linear_training import LinearTrainer
from rosenblatt.models.result import FitResult


class SoftPerceptron(LinearLearner):
    """Learns from every row, by the probability it gave to the wrong label.

    The perceptron with a soft step: ``w += η · σ(-y (w·x + b)) · y · x``, which is online logistic
    regression. ``η`` is ``eta0 / √(1 + epoch)``, and on long rows no more than ``max_move / ‖x‖²``.
    More than two classes: each wrong class loses ``η · p · x`` with ``p`` its probability (softmax
    of the scores), and the right class gains all of it. With ``steps="adagrad"`` they do so one
    after the other, and each weight has its own step, which no schedule shortens. Training ends by
    the log loss: rows that are all right still teach how sure to be.

    Cost: every row changes the weights and takes an exponential, so an epoch costs two (784 dense
    columns) to seven times (20) that of the perceptron; with many classes all of them move.

    See Also
    --------
    Perceptron : The hard step: mistakes only.
    sklearn.linear_model.LogisticRegression : Batch solver with a penalty.

    Examples
    --------
    Its probabilities mean something: where it is sure of a digit, it is nearly always right.

    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import train_test_split
    >>> from rosenblatt import SoftPerceptron
    >>> X, y = load_digits(return_X_y=True)
    >>> A, B, a, b = train_test_split(X / 16, y, random_state=0)
    >>> soft = SoftPerceptron().fit(A, a)
    >>> sure, right = soft.predict_proba(B).max(axis=1) > 0.9, soft.predict(B) == b
    >>> print(f"sure of {sure.mean():.0%}: {right[sure].mean():.1%} right; "
    ...       f"the others: {right[~sure].mean():.1%}")
    sure of 88%: 99.5% right; the others: 72.2%
    """

    eta0: float = option(
        default=0.5,
        above=0.0,
        cure="It is the length of the longest step.",
        label="Learning rate η",
        help="Length of a step for a row that was surely wrong.",
    )

    steps: str = step_lengths()
    schedule: str = option(
        default="inverse_sqrt",
        choices=("inverse_sqrt", "constant"),
        label="Steps",
        help="""
        How steps shorten from epoch to epoch of ``fit``: "inverse_sqrt" is ``eta0 / √(1 + epoch)``,
        the first being 0. What is learned later goes on with the length of the next epoch.""",
    )
    max_move: float | None = option(
        default=1.0,
        above=0.0,
        label="Own score moves by at most",
        help="""
        The most by which a row may move its own score: steps on longer rows are cut to
        ``max_move / ‖x‖²``. None has no limit.""",
    )
    tol: float | None = option(
        default=1e-3,
        at_least=0.0,
        in_studio=False,
        help="""
        End ``fit`` once ``n_iter_no_change`` epochs have not lowered the mean log loss by more than
        this. It is that of each row before it is learned. None never gives up.""",
    )
    average: bool | str = averaging(default="tail")
    relative_to_data: bool = relative_to_data("eta0")
    scores_are_log_odds = True

    def rule(self) -> Rule:
        adagrad = self.steps == "adagrad"
        most = math.inf if self.max_move is None or adagrad else self.max_move
        return Rule("soft", eta=self.eta0, C=most, ties=self.ties, adagrad=adagrad)

    def _in_units(self, units: DataUnits) -> dict[str, float]:
        return {"eta0": self.eta0 * units.step_length(adagrad=self.steps == "adagrad")}

    def _eta_after(self, model: LinearModel, eta: float) -> Callable[[int], float] | None:
        """The length of a step after so many more epochs, if it changes; the first had ``eta``."""
        before = 1 + model.n_epochs
        if self.schedule == "constant" or self.steps == "adagrad":
            return None
        return lambda n: eta / math.sqrt(before + n)

    def _rule_for(self, model: LinearModel) -> Rule:
        rule = super()._rule_for(model)
        if (eta_after := self._eta_after(model, rule.eta)) is not None:
            rule.set_eta(eta_after(0))
        return rule

    def _trainer(self, model: LinearModel, data: TrainingData, **start: Any) -> LinearTrainer:
        trainer = super()._trainer(model, data, **start)
        trainer.eta_after = self._eta_after(model, super()._rule_for(model).eta)
        return trainer

    def _what_to_try(self, result: FitResult) -> str:
        return (
            ". Its log loss was still falling: a larger max_iter, a larger eta0 or scaled features "
            "may help; a larger tol or early_stopping=True ends in time."
        )
