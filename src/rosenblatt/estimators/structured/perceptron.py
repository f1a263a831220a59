"""The structured perceptron: any outputs, any features, any search."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NoReturn, Self

from rosenblatt.errors import InputError, ParameterError
from rosenblatt.estimators.base import of_whole_state, unchanged_on_error
from rosenblatt.estimators.learner import Learner
from rosenblatt.estimators.params import option, seed_from
from rosenblatt.estimators.targets import read_pair
from rosenblatt.models.feature_weights import FeatureWeights
from rosenblatt.models.result import FitResult, Validation
from rosenblatt.models.structured import StructuredModel, StructuredTrainer
from rosenblatt.models.structured_ledger import StructuredLedger
from rosenblatt.models.structured_problem import (
    Judge,
    Problem,
    answers,
    read_examples,
    read_many,
    same,
    share_right,
)

if TYPE_CHECKING:
    from rosenblatt.inspection.explanation import Explanation


class StructuredPerceptron(Learner):
    """Structured perceptron for outputs of any kind, found by a search that you provide.

    The output for ``x`` is ``argmax_y w·φ(x, y)``. Where it is wrong, the features of the right
    output gain and those of the output found lose: ``w ← w + step·(φ(x, gold) - φ(x, found))``.
    The number of mistakes is at most ``(R/γ)²``, R the longest difference of the features of two
    outputs and γ the margin, however many outputs there are.

    An output found that scores less than the right one is an error of the search, not of the
    weights. To learn from it could do harm, so it changes nothing; it is counted in
    ``n_invalid_`` and there is one warning. With an exact search it shows an error in ``argmax``.

    Cost: an epoch is a search for each example, and for a mistake its features in plain Python.

    Parameters
    ----------
    space : object with methods ``features`` and ``argmax``, default=None
        Object that defines outputs, their features and the search for the best one: see
        `rosenblatt.estimators.structured.spaces.Space`. Without it, give these functions
        themselves:
    features : callable, default=None
        ``features(x, y)``: the features of an output, a mapping of anything hashable to numbers,
        a 1-D array or a sparse row.
    argmax : callable, default=None
        ``argmax(x, score)``: the output with the highest score. ``score(y)`` scores an output,
        ``score.of(features)`` a part of one, ``score.weights`` is the mapping of feature to weight,
        ``score.vector`` the same as an array if features are vectors. If it also takes
        ``gold=None``, "mira" searches for the highest ``score(y) + score.cost(y)``.
    cost : callable, default=None
        ``cost(gold, y)``, at least 0; only "mira" uses it. None is the cost of the space, or 1 for
        every wrong output.
    averaged : bool, default=True
        Predict with the mean of the weights after every example, not with the last weights.
    update : {"perceptron", "mira"}, default="perceptron"
        Length of the steps: "perceptron" takes steps of 1; "mira" takes the smallest step after
        which the right output is ahead by the cost of the one found, at most ``C``. If ``argmax``
        takes ``gold``, "mira" also learns from right outputs that are ahead by less than the cost
        of another; otherwise only from wrong ones.
    C : float, default=1.0
        Maximum length of a step of "mira".
    max_iter : int, default=10
        Maximum number of epochs of ``fit``. Reaching it with mistakes left is a
        `ConvergenceWarning`.
    record : bool, default=False
        Record every update in ``ledger_``.
    shuffle : bool, default=True
        Visit the rows in a new random order in every epoch.
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the shuffling; equal seeds give equal models.
    n_iter_no_change : int, default=5
        Epochs to wait for an improvement before stopping: of the score on held-out rows, if there
        are any; otherwise of the number of mistakes, unless it is known to reach 0. Rules that aim
        at a margin also train so many epochs after the first one without a mistake.
    warm_start : bool, default=False
        Continue ``fit`` from the state of the last call, exactly as if it had not ended. If a
        learner has ``average="tail"`` or ``calibrate``, they count only the epochs of this
        call.
    verbose : int, default=0
        1 shows progress on standard error: a bar on a terminal, lines elsewhere.

    Attributes
    ----------
    n_iter_ : int
        Epochs of the last ``fit``.
    t_ : int
        Examples seen, over all epochs and calls.
    n_mistakes_ : int
        Wrong outputs while learning, over all epochs and calls.
    mistakes_per_epoch_ : list of int
        Mistakes in each epoch of the last ``fit``.
    converged_ : bool
        Whether all examples of the last ``fit`` are predicted right: ``n_training_errors_`` is 0.
    n_training_errors_ : int
        Examples of the last ``fit``, including those held out, that the weights that predict
        misclassify. Not known after other calls that learn.
    stop_reason_ : str
        Why the last ``fit`` ended: "separated", "early_stopping", "max_iter" or
        "cycle": an epoch with mistakes that changed nothing, so that no other would.
    validation_scores_ : list of float
        Share of right outputs on the ``validation_set`` after each epoch.
    best_iter_ : int
        The epoch whose state was kept, with early stopping or ``pocket``.
    weights_ : mapping of feature to weight
        The weights that predict: averaged or last, or those that did best on the
        ``validation_set``. A feature that is not there weighs 0.
    raw_weights_ : mapping of feature to weight
        The last weights, from which training continues.
    n_invalid_ : int
        Wrong outputs that were skipped because they scored less than the right output.
    mistakes_per_row_ : ndarray of shape (n_samples,)
        Mistakes on each example in the last ``fit``.
    margin_ceiling_ : float
        Upper bound that the run has proved: no weights of norm 1 put the right outputs ahead of all
        others by more than this, on all examples so far. inf if nothing is proved.
    ledger_ : StructuredLedger
        Every update in order, with ``record=True``.

    See Also
    --------
    Perceptron : A few classes, rows of numbers, compiled.
    rosenblatt.structured.SequenceTagger : Tags of a sentence, compiled.

    References
    ----------
    M. Collins (2002), "Discriminative training methods for hidden Markov models", EMNLP.
    L. Huang, S. Fayong and Y. Guo (2012), "Structured perceptron with inexact search", NAACL.
    R. McDonald, K. Crammer and F. Pereira (2005), "Online large-margin training of dependency
    parsers", ACL.

    Examples
    --------
    Learn to sort by examples of sorted lists. The best order by a sum over neighbours that weighs
    their difference is found by sorting up or down, whichever scores higher.

    >>> from rosenblatt import StructuredPerceptron
    >>> def features(x, y):
    ...     return {"rise": sum(b - a for a, b in zip(y, y[1:]))}
    >>> def argmax(x, score):
    ...     return max(sorted(x), sorted(x, reverse=True), key=score)
    >>> model = StructuredPerceptron(features=features, argmax=argmax)
    >>> _ = model.fit([[3, 1, 2], [5, 9, 7]], [[3, 2, 1], [9, 7, 5]])
    >>> model.predict([[4, 8, 6]]), model.stop_reason_, model.n_mistakes_
    ([[8, 6, 4]], 'separated', 1)
    """

    space: Any = option(
        default=None,
        kw_only=False,
        type="object with methods ``features`` and ``argmax``",
        help="""
        Object that defines outputs, their features and the search for the best one: see
        `rosenblatt.estimators.structured.spaces.Space`. Without it, give these functions
        themselves:""",
    )
    features: Any = option(
        default=None,
        type="callable",
        help="""
        ``features(x, y)``: the features of an output, a mapping of anything hashable to numbers,
        a 1-D array or a sparse row.""",
    )
    argmax: Any = option(
        default=None,
        type="callable",
        help="""
        ``argmax(x, score)``: the output with the highest score. ``score(y)`` scores an output,
        ``score.of(features)`` a part of one, ``score.weights`` is the mapping of feature to weight,
        ``score.vector`` the same as an array if features are vectors. If it also takes
        ``gold=None``, "mira" searches for the highest ``score(y) + score.cost(y)``.""",
    )
    cost: Any = option(
        default=None,
        type="callable",
        help="""
        ``cost(gold, y)``, at least 0; only "mira" uses it. None is the cost of the space, or 1 for
        every wrong output.""",
    )
    averaged: bool = option(
        default=True,
        help="Predict with the mean of the weights after every example, not with the last weights.",
    )
    update: str = option(
        default="perceptron",
        choices=("perceptron", "mira"),
        help="""
        Length of the steps: "perceptron" takes steps of 1; "mira" takes the smallest step after
        which the right output is ahead by the cost of the one found, at most ``C``. If ``argmax``
        takes ``gold``, "mira" also learns from right outputs that are ahead by less than the cost
        of another; otherwise only from wrong ones.""",
    )
    C: float = option(default=1.0, above=0.0, help='Maximum length of a step of "mira".')
    max_iter: int = option(
        default=10,
        at_least=1,
        help="""
        Maximum number of epochs of ``fit``. Reaching it with mistakes left is a
        `ConvergenceWarning`.""",
    )
    record: bool = option(default=False, help="Record every update in ``ledger_``.")

    predicts_by = ("averaged", "space", "features", "argmax")

    def _problem(self) -> Problem:
        return Problem(self.space, self.features, self.argmax, self.cost)

    def _trainer(
        self, problem: Problem, learned: StructuredModel, xs: Any, ys: Any
    ) -> StructuredTrainer:
        is_mira = self.update == "mira"
        return StructuredTrainer(problem, learned, xs, ys, mira=is_mira, C=float(self.C))

    def _fresh(self) -> StructuredModel:
        return StructuredModel(seed_from(self.random_state))

    # ------------------------------------------------------------------ learning

    def fit(self, xs: Any, ys: Any, validation_set: tuple[Any, Any] | None = None) -> Self:
        """Train on all examples, epoch by epoch, until a stopping criterion is met.

        Parameters
        ----------
        xs : sequence
            The inputs, of any kind that ``features`` and ``argmax`` understand.
        ys : sequence
            The right output for each of them.
        validation_set : tuple (xs_dev, ys_dev), default=None
            Examples to watch: training stops when no more of them are predicted right, and the
            weights that did best on them are kept.

        Returns
        -------
        self : learner
            Fitted; ``stop_reason_`` says why training ended.
        """
        with unchanged_on_error(self):
            self.check_parameters()
            problem = self._problem()
            xs, ys = read_examples(xs, ys)
            goes_on = self.warm_start and self.__sklearn_is_fitted__()
            learned = self._model.copy() if goes_on else self._fresh()
            learned.best = None
            learned.keep_record(bool(self.record))
            invalid_before = learned.n_invalid
            validation = self._validation(problem, learned, validation_set)
            trainer = self._trainer(problem, learned, xs, ys)
            self.__dict__.pop("_served", None)

            def count_errors() -> int:
                return len(ys) - sum(map(same, self.predict(xs), ys))

            result = self._run(learned, trainer, validation, count_errors)
        self._warn_of_search(trainer, learned.n_invalid - invalid_before)
        self._warn_of_mistakes(result)
        return self

    def partial_fit(self, xs: Any, ys: Any) -> Self:
        """Learn from each example once, in the given order, continuing from the current model.

        One at a time or all at once give the same weights to the last bit. If an example is
        rejected, the whole call is, and nothing changes.

        Parameters
        ----------
        xs, ys : sequence
            Examples and their right outputs.
        """
        with unchanged_on_error(self) as turn:
            self.check_parameters()
            problem = self._problem()
            xs, ys = read_examples(xs, ys)
            turn.change_in_place()
            learned: StructuredModel = (
                self._model if self.__sklearn_is_fitted__() else self._fresh()
            )
            invalid_before = learned.n_invalid
            snapshot = learned.snapshot()
            try:
                learned.keep_record(bool(self.record))
                trainer = self._trainer(problem, learned, xs, ys)
                for place in range(len(xs)):
                    trainer.learn_example(place)
            except BaseException:
                snapshot.restore()
                raise
            finally:
                snapshot.release()
            learned.best = None
            self._forget_fit()
            self._model = learned
            self.__dict__.pop("_served", None)
        self._warn_of_search(trainer, learned.n_invalid - invalid_before)
        return self

    def _validation(
        self, problem: Problem, learned: StructuredModel, validation_set: tuple[Any, Any] | None
    ) -> Validation | None:
        if validation_set is None:
            return None
        xs_dev, ys_dev = read_pair(validation_set, "(xs_dev, ys_dev) of examples and outputs")
        try:
            xs, ys = read_examples(xs_dev, ys_dev)
        except InputError as error:
            raise InputError(f"validation_set: {error}") from None

        def score() -> float:
            return share_right(answers(problem, learned.served(averaged=self.averaged), xs), ys)

        return Validation(
            score, lambda: learned.served(averaged=self.averaged), self.n_iter_no_change
        )

    def _what_to_try(self, result: FitResult) -> str:
        cure = "a larger max_iter, richer features, or a validation_set"
        return f": no epoch separated the examples. Try {cure}."

    def _warn_of_search(self, trainer: StructuredTrainer, count: int) -> None:
        if count:
            warnings.warn(
                f"argmax found {count} wrong outputs that score less than the right one (first: "
                f"{trainer.first_invalid}); nothing was learned from them. If the search is meant "
                "to be exact, there is an error in it, or its scores are not those of features; "
                "if not, give the space a method violation.",
                stacklevel=3,
            )

    # ------------------------------------------------------------------ predicting

    @of_whole_state
    def predict(self, xs: Any) -> list[Any]:
        """Predict for each of ``xs`` the best output that the search finds.

        Parameters
        ----------
        xs : sequence
        """
        return answers(self._problem(), self._serving(), read_many("xs", xs))

    @of_whole_state
    def score(self, xs: Any, ys: Any) -> float:
        """Accuracy: the share of outputs that are right as a whole.

        Parameters
        ----------
        xs, ys : sequence
        """
        xs, ys = read_examples(xs, ys)
        return share_right(self.predict(xs), ys)

    @of_whole_state
    def decision(self, x: Any, y: Any) -> float:
        """Return the score of one output, ``w·φ(x, y)``.

        Parameters
        ----------
        x, y : object
        """
        return Judge(self._problem(), self._serving(), x, "x")(y)

    @of_whole_state
    def explain(
        self, x: Any, y: Any = None, against: Any = None, *, top: int | None = None, xs: Any = None
    ) -> Explanation:
        """Explain the score of an output, by feature and by past mistake.

        Parameters
        ----------
        x : object
        y : object, default=None
            The output whose score ``w·φ(x, y)`` is explained; None: the prediction.
        against : object, default=None
            Explain the lead of ``y`` over this output, ``w·(φ(x, y) - φ(x, against))``, instead.
        top : int, default=None
            Keep so many of the largest parts and join the others into one. None keeps all.
        xs : sequence, default=None
            What was learned from, to weigh past mistakes when ``record=True``.

        Returns
        -------
        explanation : Explanation
            Contributions that add up to the score. The runner-up is known where the space has a
            method ``runner_up(x, score)``.
        """
        from rosenblatt.estimators.structured.paths import explain_answer

        return explain_answer(self, x, y, against, xs).cut(top)

    def _serving(self) -> FeatureWeights:
        """Return the weights that predict; they are computed once and cached."""
        self._refuse_unfitted()
        kept = self.__dict__.get("_served")
        if kept is None or kept[0] != self.averaged:
            kept = (self.averaged, self._model.served(averaged=self.averaged))
            self._served = kept
        weights: FeatureWeights = kept[1]
        return weights

    # ------------------------------------------------------------------ what was learned

    @property
    @of_whole_state
    def weights_(self) -> FeatureWeights:
        self._fitted()
        served = self._serving()
        return served.like(served.items())

    @property
    @of_whole_state
    def raw_weights_(self) -> FeatureWeights:
        learned: StructuredModel = self._fitted()
        return learned.weights.nonzero()

    @property
    @of_whole_state
    def n_invalid_(self) -> int:
        return int(self._fitted().n_invalid)

    @property
    @of_whole_state
    def ledger_(self) -> StructuredLedger:
        return StructuredLedger(self._problem(), self._recorded())

    @of_whole_state
    def _summary_html(self) -> str:
        if not self.__sklearn_is_fitted__():
            return ""
        from rosenblatt.estimators.notebook_card import largest_weights_html, summary_html

        return summary_html(self, largest_weights_html(self._serving()))

    @classmethod
    def file_layout(cls) -> NoReturn:
        raise ParameterError(
            "a StructuredPerceptron cannot be saved: its features and its search are functions of "
            "yours, and a model file holds no code. Keep its weights_, a mapping, beside your "
            "code; a SequenceTagger can be saved."
        )
