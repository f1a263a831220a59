"""The kernel perceptron: a linear classifier in the feature space of a kernel."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.arrays import FloatArray, Int32Array, IntArray, Scorer, for_caller
from rosenblatt.engine.rows import kernel_blocks as blocks
from rosenblatt.errors import InputError, Message, NoLedgerError, ParameterError, Setting, Value
from rosenblatt.estimators.base import of_whole_state
from rosenblatt.estimators.inputs import Batch, FitArguments, TrainingData
from rosenblatt.estimators.params import combine_option, option, seed_from
from rosenblatt.estimators.routing import available_if
from rosenblatt.estimators.row_classifier import RowClassifier
from rosenblatt.estimators.targets import read_weights
from rosenblatt.models import epochs
from rosenblatt.models.classes import class_segments, tie_is_positive
from rosenblatt.models.kernel import SETTINGS, KernelModel
from rosenblatt.models.kernel_budgets import POLICIES, BudgetedTrainer
from rosenblatt.models.kernel_functions import KERNELS, narrow_as_dense
from rosenblatt.models.kernel_ledger import KernelLedger
from rosenblatt.models.kernel_training import KernelTrainer, ScoreCache
from rosenblatt.models.recording import PastMistake
from rosenblatt.models.result import FitResult

if TYPE_CHECKING:
    from rosenblatt.arrays import Table
    from rosenblatt.estimators.explain_rows import Question
    from rosenblatt.models.kernel_functions import KernelTable


def _knows_new_rows(model: KernelPerceptron) -> bool:
    """Return True; raise AttributeError if the kernel is precomputed, which excludes new rows."""
    if model.kernel == "precomputed":
        raise AttributeError(
            "kernel='precomputed' cannot learn as rows come: their kernel with the rows before is "
            "not known. Use fit, or a kernel by name."
        )
    return True


class KernelPerceptron(RowClassifier):
    """Kernel perceptron, which predicts by a vote, by the average or by the last hypothesis.

    ``f(x) = Σ a_s K(x_s, x)``: a mistaken row joins the sum with the sign of its label. Rows are
    scored in blocks by matrix products, and every mistake is carried to the rows after it in the
    block, so that the mistakes are those of the plain algorithm that goes row by row.

    Cost: an epoch multiplies the rows with the support rows that changed since they were last
    scored; memory is the support rows, a score for each row and class (see ``cache_mb``) and a
    few megabytes.

    Parameters
    ----------
    kernel : str or callable, default="poly"
        Kernel: ``"linear"`` x·z, ``"poly"`` (gamma x·z + coef0)^degree, ``"rbf"`` exp(-gamma
        ‖x-z‖²), ``"laplacian"`` exp(-gamma ‖x-z‖₁), ``"sigmoid"`` tanh(gamma x·z + coef0),
        ``"cosine"`` x·z / ‖x‖‖z‖; ``"precomputed"``: ``X`` holds the kernel values with the
        rows of training; or a function of two tables that returns the kernel of all pairs of
        their rows.
    degree : int, default=3
        Degree of "poly".
    gamma : float or None, default=None
        Scale of "poly", "rbf", "laplacian" and "sigmoid". None measures it on the rows of the first
        call (``gamma_``): 1 / the mean of ‖x - x̄‖², which is 1 / n_features for standardized
        features and about 1 for texts of length 1. In a stream the first example decides.
    coef0 : float, default=1.0
        Constant in "poly" and "sigmoid", which takes the place of an intercept.
    combine : {"vote", "average", "last"}, default="average"
        How all functions of training predict: by "vote" (each counts as many votes as examples it
        survived), by their "average", or only the "last" one. It can be changed after ``fit``: the
        training is the same.
    multiclass : {"ovr", "argmax"}, default="ovr"
        How more than two classes are learned: "ovr" learns one function for each class against the
        rest (Freund and Schapire); "argmax" predicts the class with the highest score, and a
        mistake raises the right class and lowers the predicted one.
    budget : int or None, default=None
        Maximum number of support rows; None keeps all.
    forget : {"oldest", "random", "smallest", "projection"}, default="projection"
        How to stay within the budget. "projection" drops no row: it expresses a mistaken row by the
        support rows (Projectron++); this is the most accurate, and stores budget² numbers. The
        others drop a row: "oldest", with shrinking so that little is lost at once (Forgetron),
        "random", or "smallest", the one that counts least; these need ``combine="last"``.
    projection_tol : float, default=0.1
        With a budget and ``forget="projection"``: a row that the support rows can express up to
        this share of its length does not join them.
    cache_mb : float, default=256
        Maximum memory in MB for scores of all rows between two epochs. Above it they are computed
        again in each epoch, which is slower.
    tol : float or None, default=1e-4
        Stop once the run itself has proved that no margin above ``tol`` times the length of the
        longest row separates the rows. Rows that can be separated by a larger margin are never
        given up on. None never stops for this reason.
    ties : {"mistake", "positive"}, default="mistake"
        How a score of exactly 0 counts: as a mistake or as the positive class. If several of more
        than two classes share the highest score, "positive" predicts the last of them in
        ``classes_`` (while learning, the one that joined last).
    class_weight : dict, "balanced" or None, default=None
        Factor for the steps of each class, by label; "balanced" makes rare classes count as much as
        frequent ones.
    early_stopping : bool, default=False
        Hold out some rows, stop when accuracy on them no longer improves, and keep the best
        weights.
    validation_fraction : float, default=0.1
        Share of the rows to hold out, the same of every class.
    calibrate : bool, default=False
        Also fit probabilities, for ``predict_proba``. ``fit`` then trains five more models, each
        without a fifth of the rows, and fits Platt's sigmoid (with more than two classes a
        temperature) to their scores of the rows they have not seen. Weights and predictions stay
        the same; ``sample_weight`` counts and ``class_weight`` does not. ``partial_fit`` and
        ``learn_one`` keep what was fitted until a new class joins.
    max_iter : int, default=1000
        Maximum number of epochs of ``fit``. Reaching it with mistakes left is a
        `ConvergenceWarning`.
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
        Examples on which some function was wrong, over all epochs and calls.
    mistakes_per_epoch_ : list of int
        Mistakes in each epoch of the last ``fit``.
    converged_ : bool
        Whether all examples of the last ``fit`` are predicted right: ``n_training_errors_`` is 0.
    n_training_errors_ : int
        Examples of the last ``fit``, including those held out, that the weights that predict
        misclassify. Not known after other calls that learn.
    stop_reason_ : str
        Why the last ``fit`` ended: "separated" (the last weights separate what they learned from),
        "cycle", "early_stopping", "tolerance", "no_gain", "max_iter" or, if a signal ended training
        on the command line, "interrupted".
    validation_scores_ : list of float
        Accuracy on the held-out examples after each epoch, with early stopping; with ``pocket`` the
        best accuracy on the training rows in each epoch.
    best_iter_ : int
        The epoch whose state was kept, with early stopping or ``pocket``.
    calibration_ : Calibration
        Parameters that turn scores into probabilities, with ``calibrate=True``: ``slope`` and
        ``offset``.
    classes_ : ndarray of shape (n_classes,)
        The classes in order. With two classes, a positive score means the second.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the rows had names.
    schema_ : Schema, TextSchema, SparseSchema or None
        How the columns of a file become features, if a loaded model has a schema or one was set.
    mistakes_per_row_ : ndarray of shape (n_samples,)
        Mistakes on each row in the last ``fit``.
    support_ : ndarray of shape (n_support,)
        The mistaken rows: their numbers in ``X``, or among the rows of all calls.
    support_vectors_ : array or sparse matrix of shape (n_support, n_features)
        The mistaken rows themselves.
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        Coefficient of each support row: in the mean function for ``combine="average"``, otherwise
        in the last one.
    gamma_ : float or None
        The gamma in use; None for kernels without one.
    survival_ : list of ndarray
        For each function, the number of examples that each of its states survived, including the
        first.
    ledger_ : KernelLedger
        Every update in order. Not kept with a budget.
    margin_ceiling_ : float
        Upper bound that the run has proved: no function of norm 1 has a larger margin on the rows;
        with ``multiclass="ovr"`` not for each class against the rest. inf if nothing is proved.

    See Also
    --------
    VotedPerceptron : The same without a kernel.
    sklearn.svm.SVC : Largest margin, much slower to train.

    References
    ----------
    Y. Freund and R. Schapire (1999), "Large margin classification using the perceptron
    algorithm", Machine Learning 37.
    O. Dekel, S. Shalev-Shwartz and Y. Singer (2008), "The Forgetron", SIAM Journal on Computing 37.
    G. Cavallanti, N. Cesa-Bianchi and C. Gentile (2007), "Tracking the best hyperplane with a
    simple budget perceptron", Machine Learning 69.
    F. Orabona, J. Keshet and B. Caputo (2009), "Bounded kernel-based online learning", Journal of
    Machine Learning Research 10.

    Examples
    --------
    One pass over the digits with products of two pixels, three ways to predict.

    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import train_test_split
    >>> from rosenblatt import KernelPerceptron
    >>> X, y = load_digits(return_X_y=True)
    >>> A, B, a, b = train_test_split(X / 16, y, random_state=0)
    >>> model = KernelPerceptron(degree=2, gamma=1.0).partial_fit(A, a)
    >>> for combine in ("vote", "average", "last"):
    ...     print(combine, f"{1 - model.set_params(combine=combine).score(B, b):.3f}")
    vote 0.044
    average 0.051
    last 0.078
    """

    kernel: Any = option(
        default="poly",
        type="str or callable",
        choices=(*KERNELS, "precomputed"),
        accepts=callable,
        label="Kernel",
        help="""
        Kernel: ``"linear"`` x·z, ``"poly"`` (gamma x·z + coef0)^degree, ``"rbf"`` exp(-gamma
        ‖x-z‖²), ``"laplacian"`` exp(-gamma ‖x-z‖₁), ``"sigmoid"`` tanh(gamma x·z + coef0),
        ``"cosine"`` x·z / ‖x‖‖z‖; ``"precomputed"``: ``X`` holds the kernel values with the
        rows of training; or a function of two tables that returns the kernel of all pairs of
        their rows.""",
    )
    degree: int = option(default=3, at_least=1, label="Degree d", help='Degree of "poly".')
    gamma: float | None = option(
        default=None,
        above=0.0,
        cure=Message("to measure it by the rows give ", Value(None)),
        label="γ",
        help="""
        Scale of "poly", "rbf", "laplacian" and "sigmoid". None measures it on the rows of the first
        call (``gamma_``): 1 / the mean of ‖x - x̄‖², which is 1 / n_features for standardized
        features and about 1 for texts of length 1. In a stream the first example decides.""",
    )
    coef0: float = option(
        default=1.0,
        label="Constant c",
        help='Constant in "poly" and "sigmoid", which takes the place of an intercept.',
    )
    combine: str = combine_option("average", "functions")
    multiclass: str = option(
        default="ovr",
        choices=("ovr", "argmax"),
        in_studio=False,
        help="""
        How more than two classes are learned: "ovr" learns one function for each class against the
        rest (Freund and Schapire); "argmax" predicts the class with the highest score, and a
        mistake raises the right class and lowers the predicted one.""",
    )
    budget: int | None = option(
        default=None,
        at_least=1,
        in_studio=False,
        help="Maximum number of support rows; None keeps all.",
    )
    forget: str = option(
        default="projection",
        choices=tuple(POLICIES),
        in_studio=False,
        help="""
        How to stay within the budget. "projection" drops no row: it expresses a mistaken row by the
        support rows (Projectron++); this is the most accurate, and stores budget² numbers. The
        others drop a row: "oldest", with shrinking so that little is lost at once (Forgetron),
        "random", or "smallest", the one that counts least; these need ``combine="last"``.""",
    )
    projection_tol: float = option(
        default=0.1,
        at_least=1e-3,
        at_most=1.0,
        cure="A smaller one would be lost in rounding.",
        in_studio=False,
        help="""
        With a budget and ``forget="projection"``: a row that the support rows can express up to
        this share of its length does not join them.""",
    )
    cache_mb: float = option(
        default=256,
        above=0.0,
        in_studio=False,
        help="""
        Maximum memory in MB for scores of all rows between two epochs. Above it they are computed
        again in each epoch, which is slower.""",
    )

    keeps_rows = True
    takes_new_features = True
    predicts_by = ("combine", "ties")
    layout = "rosenblatt.persistence.kernel_layout:KernelLayout"

    @property
    def _how_combined(self) -> str:
        return self.combine

    @property
    def last_predicts(self) -> bool:
        return self.combine == "last"

    def check_parameters(self) -> None:
        """Raise a ParameterError if a parameter, or a combination of parameters, is not allowed."""
        super().check_parameters()
        self._check_combine()

    def _check_combine(self) -> None:
        self._options["combine"].check(self.combine)
        fitted = self.__dict__.get("_model")
        keeps_all = self.budget is None if fitted is None else fitted.recorder is not None
        if keeps_all or self.combine == "last":
            return
        if self.combine == "vote":
            raise ParameterError(
                "combine='vote' needs every mistaken row, and a budget does not keep them all. Use "
                "'last', or 'average' with forget='projection', or budget=None."
            )
        forget = self.forget if fitted is None else fitted.settings["forget"]
        if forget != "projection":
            raise ParameterError(
                f"combine='average' needs all rows that ever counted, and forget={forget!r} "
                "drops some. Use combine='last', or forget='projection', which drops none."
            )

    # ------------------------------------------------------------------ learning

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        validation_set: tuple[Any, Any] | None = None,
    ) -> Self:
        """Train on all rows, epoch by epoch, until a stopping criterion is met.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows of numbers; float32 rows are multiplied in float32. With
            ``kernel="precomputed"`` the kernel of all pairs of rows.
        y : array-like of shape (n_samples,)
            A label for each row.
        sample_weight : array-like of shape (n_samples,), default=None
            A factor for the step of each row; 0 leaves it out. With ``forget="oldest"`` 0 or 1.
        validation_set : tuple (X_dev, y_dev), default=None
            Rows to watch instead of a held-out part of ``X``; turns early stopping on.

        Returns
        -------
        self : learner
            Fitted; ``stop_reason_`` says why training ended.
        """
        given = FitArguments(sample_weight=sample_weight)
        return self._fit(X, y, validation_set, given)

    @available_if(_knows_new_rows)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from each row once, in the given order, continuing from the current model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Or a list of mappings, which may bring new features.
        y : array-like of shape (n_samples,)
            A label for each row. Labels not seen before become new classes.
        classes : array-like, default=None
            Classes to know of from the start. Unlike in scikit-learn this is optional, and the
            list may grow in later calls.
        sample_weight : array-like of shape (n_samples,), default=None
            A factor for the step of each row; 0 leaves the row out.
        """
        return self._partial_fit(X, y, classes, sample_weight)

    learn_one = available_if(_knows_new_rows)(RowClassifier.learn_one)

    def _new_model(self, classes: list[Hashable], table: Table) -> KernelModel:
        if self.kernel == "precomputed" and table.shape[0] != table.shape[1]:
            raise InputError(
                f"kernel='precomputed': X must be square, the kernel of all pairs of rows "
                f"(a square matrix), but has shape {table.shape}."
            )
        settings = {name: getattr(self, name) for name in SETTINGS}
        return KernelModel(settings, table.shape[1], classes, seed_from(self.random_state))

    def _refuse_other_settings(self) -> None:
        if self.kernel == "precomputed":
            raise ParameterError(
                "kernel='precomputed' cannot go on with other rows (warm_start=True): the kernel "
                "of the old rows with the new ones is not known."
            )
        for name, begun in self._model.settings.items():
            now = getattr(self, name)
            if now is not begun and now != begun and not (name == "gamma" and now is None):
                raise ParameterError(
                    f"{name}={now!r}, but what was learned so far was learned with {begun!r}. Set "
                    "it back, or fit anew."
                )

    def _trainer(
        self, model: KernelModel, data: TrainingData, given: FitArguments
    ) -> KernelTrainer:
        table = narrow_as_dense(data.table)
        data.weights = read_weights(
            given.sample_weight, self.class_weight, model.classes, data.labels
        )
        model.settle_gamma(data.table, data.weights, data.subset)
        trainer = self._trainer_of(
            model,
            table,
            data.labels,
            weights=data.weights,
            first_number=model.next_row,
            subset=data.subset,
        )
        trainer.table = data.table
        n_scores = model.n_vectors * len(data.labels)
        if self.budget is None and self.max_iter > 1 and 8e-6 * n_scores <= self.cache_mb:
            trainer.scored = ScoreCache(model, table)
        return trainer

    def _trainer_of(
        self, model: KernelModel, table: KernelTable, labels: Int32Array, **given: Any
    ) -> KernelTrainer:
        given["ties"] = self.ties
        if self.budget is None:
            return KernelTrainer(model, table, labels, **given)
        tol = float(self.projection_tol)
        return BudgetedTrainer(model, table, labels, projection_tol=tol, **given)

    def _learn(self, model: KernelModel, batch: Batch) -> None:
        model.widen(batch.table.shape[1])
        model.settle_gamma(batch.table, batch.weights, streamed=True)
        table = narrow_as_dense(batch.table)
        segments = class_segments(model, batch.names, batch.numbers, batch.declared)
        for start, stop, labels in segments:
            if labels is not None:
                trainer = self._trainer_of(
                    model,
                    table,
                    labels,
                    weights=batch.weights,
                    first_number=model.next_row - start,
                )
                epochs.one_pass(trainer, np.arange(start, stop))
                if trainer.cut_short:
                    break

    def _what_to_try(self, result: FitResult) -> str:
        return (
            ": no epoch separated the rows. Try a larger max_iter, another kernel or gamma, scaled "
            "features (sklearn.preprocessing.StandardScaler), or early_stopping=True."
        )

    # ------------------------------------------------------------------ predicting

    def _scorer(self, model: KernelModel, table: Any) -> Scorer:
        self._check_combine()
        table = narrow_as_dense(table)
        positive = tie_is_positive(self.ties)
        return model.served.scorer(table, self.combine, tie_is_positive=positive)

    def _explain(self, question: Question, X: Any) -> Question:
        return explain_by_support_rows(question, self._model.served, self.combine)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    # ------------------------------------------------------------------ what was learned

    @property
    @of_whole_state
    def support_(self) -> IntArray:
        """Indices of the misclassified rows in ``X``, or among the rows of all calls."""
        model: KernelModel = self._fitted().served
        return model.numbers.copy()

    @property
    @of_whole_state
    def support_vectors_(self) -> Any:
        """The support vectors: the rows that were misclassified in training."""
        support = self._fitted().served.support
        if support is None:
            return np.zeros((0, self._fitted().n_features))
        if self._fitted().kernel.is_precomputed:
            raise AttributeError("a precomputed kernel does not show the rows themselves")
        return for_caller(support.vectors())

    @property
    @of_whole_state
    def dual_coef_(self) -> FloatArray:
        """The coefficient of each support row in each function."""
        model: KernelModel = self._fitted().served
        coef = model.coefficients(self.combine)
        return coef.copy() if len(coef) == 1 else coef[model.sorted_slots]

    @property
    @of_whole_state
    def gamma_(self) -> float | None:
        """The gamma in use; None for kernels without one."""
        model: KernelModel = self._fitted()
        return model.kernel.gamma if model.kernel.has_gamma else None

    @property
    @of_whole_state
    def survival_(self) -> list[IntArray]:
        """The survival times of the hypotheses of each function, in examples."""
        model = self._recorded()
        order = model.sorted_slots if model.n_vectors > 1 else [0]
        return [model.survival(vector)[2].astype(np.int64) for vector in order]

    @property
    @of_whole_state
    def ledger_(self) -> KernelLedger:
        """The ledger of every update, in order."""
        return KernelLedger(self._recorded())

    def _recorded(self) -> KernelModel:
        try:
            model: KernelModel = super()._recorded()
        except NoLedgerError:
            raise NoLedgerError(
                "no ledger is kept with a budget, which forgets some of the mistaken rows",
                cures=Message("keep one with ", Setting("budget", None)),
            ) from None
        return model

    @of_whole_state
    def _summary_html(self) -> str:
        if not self.__sklearn_is_fitted__():
            return ""
        from rosenblatt.estimators.notebook_card import class_table_html, summary_html

        coef = self.dual_coef_
        caption = f"{coef.shape[1]:,} support rows"
        used = [[f"{np.count_nonzero(values):,}"] for values in coef]
        classes = self.classes_.tolist()
        table = class_table_html(caption, ["support rows used"], classes, used)
        return summary_html(self, table)


def explain_by_support_rows(question: Question, model: KernelModel, combine: str) -> Question:
    """Return the question with its answer: the contribution of each support row to the score."""
    from rosenblatt.estimators.explain_rows import UpdateHistory

    found = np.zeros(0)
    if model.support is not None:
        row = narrow_as_dense(question.row)[:1]
        found = np.asarray(model.kernel.between(model.support.rows, row)[:, 0], np.float64)
    if model.recorder is None:
        coef = (question.direction @ model.coefficients(combine)).tolist()
        known = zip(model.numbers.tolist(), coef, found.tolist(), strict=True)
        return question.with_mistakes(
            [PastMistake(row, None, None, 0, a, k, a * k) for row, a, k in known if a]
        )
    past = UpdateHistory(model.entries(), model.classes, found, model.n_examples, model.numbers)
    alone = model.shape == blocks.EACH
    if combine == "vote":
        return question.by_vote(past, np.zeros(model.n_vectors), 1, alone=alone)
    return question.by_mistake(past, mean=combine == "average", alone=alone)
