"""Rosenblatt's rule."""

from __future__ import annotations

from typing import Any

from rosenblatt.engine.rows.rules import Rule
from rosenblatt.errors import Message, ParameterError, Setting
from rosenblatt.estimators.inputs import TrainingData
from rosenblatt.estimators.linear.data_units import relative_to_data
from rosenblatt.estimators.linear.linear_classifier import learning_rate
from rosenblatt.estimators.linear.linear_learner import LinearLearner
from rosenblatt.estimators.linear.second_order import step_lengths
from rosenblatt.estimators.params import option
from rosenblatt.models.data_units import DataUnits
from rosenblatt.models.linear import LinearModel
from rosenblatt.models.linear_training import LinearTrainer
from rosenblatt.models.result import Pocket


class Perceptron(LinearLearner):
    """Learns from its mistakes, and from nothing else.

    An example with ``y (w·x + b) <= 0`` is misclassified and changes the model by
    ``w += eta0 · y · x`` and ``b += eta0 · y``; all others leave it alone. With more than two
    classes there is one weight vector each, and the class with the highest score is the prediction;
    on a mistake the right class gains ``eta0 · x`` and the predicted class loses it. At a tie the
    right class gains and no other loses. Training ends at the first epoch without a mistake, after
    at most ``R²/γ²`` mistakes if the classes are linearly separable with margin ``γ`` (``R``: the
    length of the longest example; with a bias both are those of the examples with a 1 appended).
    With ``steps="adagrad"`` each weight has its own step, and with ``margin=1`` as well it is the
    hinge loss that falls.

    Cost: an epoch reads each stored value once; memory is one weight per feature and class. With
    ``pocket`` training errors are counted up to 21 times in an epoch, which reads them each time.

    See Also
    --------
    AveragedPerceptron : Predicts with the mean weights; steadier.
    PassiveAggressive : Steps exactly as far as needed.
    SoftPerceptron : Learns from every row, gives probabilities.

    References
    ----------
    F. Rosenblatt (1958), "The perceptron", Psychological Review 65.
    A. Novikoff (1962), "On convergence proofs on perceptrons".
    S. Gallant (1990), "Perceptron-based learning algorithms", IEEE Transactions on Neural
    Networks 1.
    J. Duchi, E. Hazan and Y. Singer (2011), "Adaptive subgradient methods for online learning and
    stochastic optimization", Journal of Machine Learning Research 12.

    Examples
    --------
    Six points of a lecture: mistakes on the first, third and fifth, then none.

    >>> from rosenblatt import Perceptron
    >>> X = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]
    >>> p = Perceptron(ties="positive", fit_intercept=False, shuffle=False)
    >>> p = p.fit(X, [-1, 1, 1, -1, -1, 1])
    >>> p.mistakes_per_epoch_, p.stop_reason_, p.coef_.tolist()
    ([3, 0], 'separated', [[3.0, 1.0]])

    Numbers that are not linearly separable, since one label is wrong; the pocket holds weights that
    misclassify that one alone, and not the last ones:

    >>> X, y = [[-3], [-2], [-1], [1], [2], [3]], [0, 0, 0, 1, 0, 1]
    >>> p = Perceptron(pocket=True, shuffle=False).fit(X, y)
    >>> p.stop_reason_, p.n_training_errors_, (p.predict(X) != y).tolist()
    ('cycle', 1, [False, False, False, False, True, False])

    Columns from 0.001 to 1,000, as they are: AdaGrad suffers less from the large ones.

    >>> from rosenblatt import datasets
    >>> X, y = datasets.breast_cancer()
    >>> for steps in ("constant", "adagrad"):
    ...     p = Perceptron(steps=steps, average=True).partial_fit(X[:400], y[:400])
    ...     print(f"{steps}: {p.score(X[400:], y[400:]):.3f} right")
    constant: 0.237 right
    adagrad: 0.822 right
    """

    eta0: float = learning_rate()
    margin: float = option(
        default=0.0,
        at_least=0.0,
        label="Margin",
        help="Learn also from rows that are right by no more than this (the margin perceptron).",
    )

    steps: str = step_lengths()
    relative_to_data: bool = relative_to_data("eta0")
    pocket: bool = option(
        default=False,
        label="Pocket",
        in_studio=False,
        help="""
        Predict with the weights that had the fewest training errors on the way, each counted by the
        weight of its row, not with the last ones (the pocket algorithm). ``fit`` alone keeps them,
        and training goes on from the last.
        """,
    )

    def rule(self) -> Rule:
        adagrad = self.steps == "adagrad"
        return Rule(
            "perceptron", eta=self.eta0, threshold=self.margin, ties=self.ties, adagrad=adagrad
        )

    def _in_units(self, units: DataUnits) -> dict[str, float]:
        return {"eta0": self.eta0 * units.step_length(adagrad=self.steps == "adagrad")}

    def _trainer(self, model: LinearModel, data: TrainingData, **start: Any) -> LinearTrainer:
        trainer = super()._trainer(model, data, **start)
        if self.pocket:
            if data.validation is not None:
                why = " keeps the weights with the fewest training errors, held-out rows those with"
                why += " the fewest errors on them. Choose one."
                raise ParameterError(Message(Setting("pocket", True), why))
            if self.average:
                why = " keeps the last weights at their best, an average predicts with their mean."
                raise ParameterError(Message(Setting("pocket", True), why + " Choose one."))
            keep = model.noting_when(model.state)
            trainer.pocket = Pocket(trainer.share_predicted, keep, patience=0)
            trainer.pocket.look()  # the first weights may be the best
            data.validation = trainer.pocket
        return trainer
