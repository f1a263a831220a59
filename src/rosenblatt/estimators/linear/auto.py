"""A linear learner that chooses its rule and number of epochs on held-out rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.arrays import is_sparse
from rosenblatt.errors import ConvergenceWarning, Notice
from rosenblatt.estimators.base import Estimator, unchanged_on_error
from rosenblatt.estimators.calibration import calibrate
from rosenblatt.estimators.inputs import TrainingData, read_rows
from rosenblatt.estimators.linear.linear_learner import LinearLearner
from rosenblatt.estimators.linear.portfolio import (
    DEFAULT_EPOCHS,
    PORTFOLIO,
    SHARED,
    Arm,
    Plan,
    arms_to_try,
    judged_rules,
)
from rosenblatt.estimators.params import n_jobs_option, option, option_of, seed_from
from rosenblatt.estimators.progress import progress
from rosenblatt.estimators.routing import available_if
from rosenblatt.estimators.selection import (
    Candidate,
    Mask,
    Split,
    leaderboard,
    never_held_out,
    sample_of,
    splits,
)
from rosenblatt.estimators.targets import encode_labels, read_labels, read_weights, validation_rows
from rosenblatt.models.classes import decision_scores
from rosenblatt.models.column_scaling import ColumnScaling
from rosenblatt.models.rows import as_rows
from rosenblatt.plurals import count, first_few

if TYPE_CHECKING:
    import numpy.typing as npt

    from rosenblatt.arrays import AnyArray, AnyFloatArray, Labels, Table
    from rosenblatt.models.linear import LinearModel

ARMS = {arm.name: arm for arm in PORTFOLIO}
# Maximum number of classes that a warning names.
SHOWN = 5
# Parameters that AutoLinear passes on to the learners of the portfolio.
PASSED_ON = ("fit_intercept", "class_weight", "record", "n_jobs", "verbose")


def _delegated(name: str, *, begins: bool = False) -> Any:
    """Return a method that delegates to the chosen learner.

    With ``begins`` it delegates to a new default learner if none was chosen yet.
    """

    @wraps(getattr(LinearLearner, name))
    def do(self: AutoLinear, *args: Any, **kwargs: Any) -> Any:
        if not begins:
            self._refuse_unfitted()
            return getattr(self.best_learner_, name)(*args, **kwargs)
        # While another thread chooses again, nothing is learned on the learner that is left.
        with unchanged_on_error(self):
            if self.__sklearn_is_fitted__():
                getattr(self.best_learner_, name)(*args, **kwargs)
                return self
            self.check_parameters()
            own = {name: getattr(self, name) for name in (*PASSED_ON, "random_state")}
            learner = PORTFOLIO[0].learner(**own)
            self.leaderboard_ = []
            self.best_learner_ = getattr(learner, name)(*args, **kwargs)
        return self

    return do


def _what_is_not_held_out(
    parts: list[Split], labels: Labels, classes: list[Hashable]
) -> Notice | None:
    """Return a warning about classes that were never held out; None if there are none."""
    if not parts:
        return Notice(
            "nothing was held out, because no two classes have two rows: AutoLinear took its "
            "default, and its probabilities follow from the scores of training, which are too "
            "sure. Give more rows of each class."
        )
    sizes = np.bincount(labels)
    missing = never_held_out(parts, labels).tolist()
    if not missing:
        return None
    named = [f"{classes[k]!r} ({count(int(sizes[k]), 'row')})" for k in missing]
    what = "one class is" if len(missing) == 1 else f"{len(missing):,} classes are"
    return Notice(
        f"{what} too small to be held out: {first_few(named, SHOWN)}. Learners were trained with "
        "these rows, but chosen and calibrated by the other classes alone."
    )


def _of_training(
    learner: LinearLearner,
    model: LinearModel,
    table: Table,
    labels: Labels,
    sample_weight: Any,
    seed: int,
) -> tuple[AnyFloatArray, AnyArray, npt.ArrayLike | None]:
    """Return the scores, labels and weights of the training rows, or of a sample of many rows."""
    sample = sample_of(len(labels), len(model.classes), seed)
    if sample is not None:
        table = table[sample]
        labels = labels[sample]
        sample_weight = None if sample_weight is None else np.asarray(sample_weight)[sample]
    return learner._scores(model, table), labels, sample_weight


def _has_probabilities(learner: AutoLinear) -> bool:
    """Return whether the chosen learner has probabilities, or would have after a fit."""
    if learner.__sklearn_is_fitted__():
        return hasattr(learner.best_learner_, "predict_proba")
    return learner.search


class AutoLinear(Estimator):
    """Automatic choice among linear learners and numbers of epochs, by held-out rows.

    Seven rules are tried: PA-I with two values of C, the soft perceptron, SCW, AROW, and AdaGrad's
    steps by hinge and by log loss. All predict with the mean over the later epochs, and measure
    their parameters relative to the data. Each is trained once, on five folds in turn, and judged
    after 3, 12, 50 and 150 epochs. With 3,000 rows or more, or if rows times classes are 30,000 or
    more, a fifth of the rows is held out once, and rules are judged after 3, 12 and 30 epochs. The
    default, PA-I with ``C=1`` and 12 epochs, is kept unless another candidate misclassifies fewer
    of the held-out rows by two standard errors of the difference.

    Sparse rows of unit length, such as texts, are judged after 3 and 12 epochs, and one standard
    error is enough. A rule that is worse than the default by three standard errors after 3 epochs
    is not trained further. With more than two classes there is no bias, which would move as far as
    all words of such a row together. From 1,000 classes on, the soft perceptrons are left out,
    because they move every class at every row.

    The chosen learner is trained on all rows, and its probabilities are calibrated on the held-out
    scores. Two classes get only a slope, so that the class that is predicted is the more probable
    one (with ``class_weight`` also an offset). If held-out rows times classes are more than eight
    million, a random sample of these rows is used.

    A class that is too small for the folds is learned from and never held out. If no two classes
    have two rows, there is no search, and probabilities follow from the scores of training, which
    are too sure. A warning reports both cases.

    Cost: seven fits of 150 epochs on five folds; of many rows or classes seven of 30 epochs.

    Parameters
    ----------
    search : bool, default=True
        Try several rules on held-out rows; otherwise the default is trained, and nothing is
        calibrated.
    max_iter : int, default=150
        Maximum number of epochs to try.
    standardize : bool, default=True
        Subtract the mean of each column of an array and divide by its standard deviation. The
        chosen learner keeps both and applies them to all rows; ``coef_`` and ``intercept_`` are for
        the columns as they were given. Sparse rows and records of a schema are never changed.
    validation_fraction : float or None, default=None
        Share of the rows to hold out once; None chooses by the number of rows.
    fit_intercept : bool, default=True
        Learn an intercept (bias); texts of more than two classes have none.
    class_weight : dict, "balanced" or None, default=None
        Factor for the steps of each class, by label; "balanced" makes rare classes count as much as
        frequent ones.
    record : bool, default=False
        Record every update in ``ledger_``.
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the shuffling; equal seeds give equal models.
    n_jobs : int or None, default=None
        Number of threads that try rules on folds, and predict: None is 1, -1 all processors.
        Results are the same.
    verbose : int, default=0
        1 shows progress on standard error: a bar on a terminal, lines elsewhere.

    Attributes
    ----------
    best_learner_ : learner
        The chosen learner, fitted on all rows: an ordinary learner, whose attributes are also
        available here. Model files hold it, and `load` returns it.
    leaderboard_ : list of Candidate
        Everything that was tried, best first: ``name``, ``epochs``, ``error_rate`` on the held-out
        rows, ``difference`` to the default with its paired ``standard_error``, and whether it was
        ``chosen``. Empty without ``search``, and if no two classes have two rows.

    See Also
    --------
    PassiveAggressive : The default among the rules.
    AveragedPerceptron : Nothing to choose, nothing to tune.

    Examples
    --------
    >>> from rosenblatt import AutoLinear, datasets
    >>> X, y = datasets.digits()
    >>> auto = AutoLinear(max_iter=12).fit(X[::2], y[::2])
    >>> auto.best_learner_.average, round(1 - auto.score(X[1::2], y[1::2]), 3)
    ('tail', 0.057)
    """

    search: bool = option(
        default=True,
        help="""
        Try several rules on held-out rows; otherwise the default is trained, and nothing is
        calibrated.""",
    )
    max_iter: int = option(default=150, at_least=1, help="Maximum number of epochs to try.")
    standardize: bool = option(
        default=True,
        help="""
        Subtract the mean of each column of an array and divide by its standard deviation. The
        chosen learner keeps both and applies them to all rows; ``coef_`` and ``intercept_`` are for
        the columns as they were given. Sparse rows and records of a schema are never changed.""",
    )
    validation_fraction: float | None = option(
        default=None,
        above=0.0,
        below=1.0,
        help="Share of the rows to hold out once; None chooses by the number of rows.",
    )
    fit_intercept: bool = option(
        default=True, help="Learn an intercept (bias); texts of more than two classes have none."
    )
    class_weight: Any = option_of(LinearLearner, "class_weight")
    record: bool = option_of(LinearLearner, "record")
    random_state: Any = option_of(LinearLearner, "random_state")
    n_jobs: int | None = n_jobs_option("try rules on folds, and predict")
    verbose: int = option_of(LinearLearner, "verbose")

    # ------------------------------------------------------------------ learning

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        validation_set: tuple[Any, Any] | None = None,
    ) -> Self:
        """Try rules on held-out rows, choose the best one, and train it on all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows of numbers, or records.
        y : array-like of shape (n_samples,)
            A label for each row; two classes at least.
        sample_weight : array-like of shape (n_samples,), default=None
            A factor for the step of each row, and for its error if it is held out.
        validation_set : tuple (X_dev, y_dev), default=None
            Rows to choose by instead of a part of ``X``.

        Returns
        -------
        self : learner
        """
        with unchanged_on_error(self), warnings.catch_warnings():
            # The epochs are those that the held-out rows choose.
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.check_parameters()
            seed = seed_from(self.random_state)

            # The default learner reads the rows; what it found out about them is handed on.
            reader = self._learner(PORTFOLIO[0], self._default_epochs, random_state=seed)
            table, rows = read_rows(reader, X, reset=True, all_rows=True)
            names = vars(reader).get("_feature_names")
            schema = vars(reader).get("_guessed_schema")
            y = read_labels(y, rows.n_rows)
            classes, labels = encode_labels(y)
            slots = {label: number for number, label in enumerate(classes.tolist())}
            _, dev, dev_labels = validation_rows(reader, table, labels, slots, validation_set)

            column_scaling: ColumnScaling | None = None
            if self.standardize and schema is None and not is_sparse(table):
                column_scaling = ColumnScaling.of(table, center=bool(self.fit_intercept))
                table = column_scaling(table)
                dev = None if dev is None else column_scaling(dev)

            if dev_labels is not None:
                sample = sample_of(len(dev_labels), len(slots), seed)
                parts = [Split(None, None, dev, dev_labels, sample)]
            else:
                parts = splits(table, labels, self.validation_fraction, seed)

            plan = Plan.of(table, len(slots), int(self.max_iter))
            has_bias = bool(self.fit_intercept) and plan.has_bias
            make = partial(self._learner, random_state=seed, fit_intercept=has_bias)
            learner = make(PORTFOLIO[0], self._default_epochs)
            board: list[Candidate] = []
            held_out = None
            if self.search and parts:
                data = TrainingData(table, as_rows(table), labels)
                board, held_out = self._try_all(plan, data, list(slots), parts, sample_weight, make)
            for tried in board:
                if tried.chosen:
                    learner = make(ARMS[tried.name], tried.epochs)

            model = learner.fit(table, y, sample_weight=sample_weight)._fitted()
            if self.search and len(slots) > 1:
                if held_out is None:
                    # Nothing could be held out, so the scores of training have to do.
                    held_out = _of_training(learner, model, table, labels, sample_weight, seed)
                self._calibrate(learner, *held_out)
            model.column_scaling = column_scaling
            model.search = [(*tried,) for tried in board]
            if names is not None:
                learner._feature_names = names
            if schema is not None:
                learner.schema_ = schema
            self.best_learner_ = learner
            self.leaderboard_ = board

            left_out = None
            if self.search and dev_labels is None:
                left_out = _what_is_not_held_out(parts, labels, list(slots))
        if left_out is not None:
            warnings.warn(left_out, stacklevel=2)
        learner._warn_of_majority()
        return self

    def _calibrate(
        self,
        learner: LinearLearner,
        scores: AnyFloatArray,
        labels: AnyArray,
        weights: npt.ArrayLike | None,
    ) -> None:
        """Calibrate the chosen learner by scores of rows; these were held out if possible."""
        if self.class_weight is None and scores.ndim == 1:
            # A slope and no offset, so that the class that is predicted is the more probable one.
            scores = np.column_stack([np.zeros(len(scores)), scores])
        learner.calibrate = True
        found = calibrate(scores, labels, weights)
        learner._fitted().calibration = (found.slope, found.offset, found.combine)

    @property
    def _default_epochs(self) -> int:
        return min(DEFAULT_EPOCHS, int(self.max_iter))

    def _learner(self, arm: Arm, epochs: int, **more: Any) -> LinearLearner:
        """Return a new learner with a rule of the portfolio."""
        own = {name: getattr(self, name) for name in PASSED_ON}
        return arm.learner(**{"max_iter": epochs, **SHARED, **own, **arm.parameters, **more})

    def _try_all(
        self,
        plan: Plan,
        data: TrainingData,
        classes: list[Hashable],
        parts: list[Split],
        sample_weight: Any,
        make: Callable[..., LinearLearner],
    ) -> tuple[list[Candidate], tuple[AnyFloatArray, AnyArray, npt.ArrayLike | None] | None]:
        """Try all rules; return the leaderboard, and scores, labels and weights of held-out rows.

        The scores are those of the chosen candidate. If training is interrupted before the first
        rule was tried, the leaderboard is empty, and None is returned beside it.
        """
        quiet = {"record": False, "verbose": 0, "n_jobs": None}
        most = plan.looks[-1]
        arms = arms_to_try(PORTFOLIO, len(classes))
        learners = {arm.name: make(arm, min(most, arm.most), **quiet) for arm in arms}
        labels = np.concatenate([part.labels for part in parts])
        if parts[0].held is None:
            # Rows of a validation set have no weights of their own.
            factors = None
            judging = read_weights(None, self.class_weight, classes, labels)
        else:
            held = np.concatenate([part.held for part in parts])
            factors = read_weights(sample_weight, None, classes, data.labels)
            weights = read_weights(sample_weight, self.class_weight, classes, data.labels)
            judging = None if weights is None else weights[held]

        default = PORTFOLIO[0].name, self._default_epochs
        wrong: dict[tuple[str, int], Mask] = {}
        board: list[Candidate] = []
        scores = None
        trials = len(learners) * len(parts)
        with progress(self.verbose, trials, type(self).__name__, "trial") as show:
            judged_by_rule = judged_rules(
                learners,
                classes,
                data,
                parts,
                plan,
                sample_weight=sample_weight,
                n_jobs=self.n_jobs,
                show=show,
            )
            for looks in judged_by_rule:
                wrong |= {key: judged.wrong for key, judged in looks.items()}
                board = leaderboard(wrong, judging, default, plan.caution)
                chosen = next(tried[:2] for tried in board if tried.chosen)
                # What is not the best by now will not be: of scores, which are large, only those of
                # one candidate are kept.
                if chosen in looks:
                    scores = looks[chosen].scores
                del looks
        if scores is None:
            return [], None  # interrupted

        calibrating, calibrating_labels = zip(*(part.calibrating for part in parts), strict=True)
        if factors is not None:
            factors = np.concatenate([factors[some] for some in calibrating])
        return board, (decision_scores(scores), np.concatenate(calibrating_labels), factors)

    # ------------------------------------------------------------------ the chosen learner

    partial_fit = _delegated("partial_fit", begins=True)
    learn_one = _delegated("learn_one", begins=True)
    decision_function = _delegated("decision_function")
    predict = _delegated("predict")
    score = _delegated("score")
    explain = _delegated("explain")
    to_state = _delegated("to_state")
    _hold = _delegated("_hold")
    predict_proba = available_if(_has_probabilities)(_delegated("predict_proba"))
    predict_log_proba = available_if(_has_probabilities)(_delegated("predict_log_proba"))
    predict_proba_one = available_if(_has_probabilities)(_delegated("predict_proba_one"))

    def predict_one(self, x: Any) -> Any:
        """Predict the class of one example, a mapping or a 1-D array; None if no class is known."""
        return self.best_learner_.predict_one(x) if self.__sklearn_is_fitted__() else None

    def __getattr__(self, name: str) -> Any:
        learner = self.__dict__.get("best_learner_")
        if learner is None or name.startswith("__"):
            raise AttributeError(f"this {type(self).__name__} has no attribute {name!r}")
        return getattr(learner, name)

    schema_ = property(
        lambda self: self.__getattr__("schema_"),
        lambda self, schema: setattr(self.best_learner_, "schema_", schema),
    )

    # ------------------------------------------------------------------ scikit-learn's protocol

    def __sklearn_is_fitted__(self) -> bool:
        learner = self.__dict__.get("best_learner_")
        return learner is not None and learner.__sklearn_is_fitted__()

    def __sklearn_tags__(self) -> Any:
        return PORTFOLIO[0].learner().__sklearn_tags__()
