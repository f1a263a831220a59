"""The passive-aggressive family."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from rosenblatt import checks as check
from rosenblatt.core import rules
from rosenblatt.linear._classifier import LinearClassifier

__all__ = ["PassiveAggressive"]


class PassiveAggressive(LinearClassifier):
    """Steps exactly as far as a row needs to be right by 1, and no farther.

    With the loss ``l = max(0, 1 - y (w·x + b))`` the step ``w += τ y x`` has the length

    - PA: ``τ = l / ‖x‖²``,
    - PA-I: ``τ = min(C, l / ‖x‖²)``, so that one odd row cannot do much harm,
    - PA-II: ``τ = l / (‖x‖² + 1/2C)``, softer still.

    More than two classes: the right class moves away from the best wrong one, the loss is
    ``1 - (score - best wrong score)`` and ``‖x‖²`` counts twice.

    Cost: as the perceptron.

    Parameters
    ----------
    variant : {"PA", "PA-I", "PA-II"}, default="PA-I"
        How the step is limited.
    C : float, default=1.0
        How far a step may go; smaller is more cautious. PA does not use it.
    fit_intercept : bool, default=True
        Learn a bias as well. It counts as one more feature of value 1, also in ``‖x‖²``.
    max_iter : int, default=1000
        Most epochs of a ``fit``. Ending there with mistakes left is a `ConvergenceWarning`.
    tol : float or None, default=1e-4
        Give up once the run itself has proven that no hyperplane separates the rows by a margin
        above ``tol`` times the length of the longest row. Rows that can be separated by more are
        never given up on. None never gives up.
    shuffle : bool, default=True
        Visit the rows in a new random order in every epoch.
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the shuffling; the same seed gives the same bytes on every machine.
    ties : {"mistake", "positive"}, default="mistake"
        A score of exactly 0 counts as a mistake, or as the positive class; with more than two
        classes as the one listed last among the equals.
    class_weight : dict, "balanced" or None, default=None
        A factor for the steps of each class; "balanced" makes rare classes count as much.
    early_stopping : bool, default=False
        Hold out some rows, stop when they are no longer answered better, keep the best weights.
    validation_fraction : float, default=0.1
        The share of rows to hold out, of every class alike.
    n_iter_no_change : int, default=5
        Epochs to wait for a better score on the rows held out.
    warm_start : bool, default=False
        Let ``fit`` go on from the state of the last call, exactly as if it had not ended.
    record : bool, default=False
        Keep the ledger of all updates in ``ledger_``.
    verbose : int, default=0
        1 shows the progress on standard error: a bar on a terminal, lines elsewhere.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Biases; 0 without ``fit_intercept``.
    classes_ : ndarray of shape (n_classes,)
        The classes in order. With two of them a positive score means the second.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, when the rows came with names.
    schema_ : Schema, TextSchema, SparseSchema or None
        How columns of a file become the features, if a loaded model knows it or it was set.
    n_iter_ : int
        Epochs of the last ``fit``.
    t_ : int
        Examples seen, over all epochs and calls.
    n_mistakes_ : int
        Mistakes made, over all epochs and calls.
    mistakes_per_epoch_ : list of int
        Mistakes in each epoch of the last ``fit``.
    mistakes_per_row_ : ndarray of shape (n_samples,)
        Mistakes on each row in the last ``fit``.
    converged_ : bool
        Whether the last ``fit`` separated the rows.
    stop_reason_ : str
        Why the last ``fit`` ended: "separated", "cycle", "early_stopping", "tolerance" or
        "max_iter".
    margin_ceiling_ : float
        Proven by the run: no unit vector separates the rows (with a bias: the rows with a 1
        appended) by a margin above this.
    support_ : ndarray of shape (n_support,)
        Rows that moved the weights in the last ``fit``.
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        How much each of them did: ``coef_`` is ``dual_coef_ @ X[support_]`` when training
        started at 0 and the last epoch was kept.
    ledger_ : Ledger
        Every update in order, when ``record=True``.
    validation_scores_ : list of float
        Accuracy on the rows held out after each epoch, with early stopping.
    best_iter_ : int
        The epoch whose weights were kept, with early stopping.

    See Also
    --------
    MIRA : Acts on mistakes only.
    Perceptron : Takes steps of equal length.

    References
    ----------
    K. Crammer et al. (2006), "Online passive-aggressive algorithms", Journal of Machine Learning
    Research 7.

    Examples
    --------
    The same row pulls less and less hard the more it is damped.

    >>> from rosenblatt import PassiveAggressive
    >>> for variant in ("PA", "PA-I", "PA-II"):
    ...     pa = PassiveAggressive(variant=variant, C=0.25, fit_intercept=False)
    ...     pa = pa.partial_fit([[1.0, 1.0]], [1], classes=[0, 1])
    ...     print(variant, pa.coef_.tolist())
    PA [[0.5, 0.5]]
    PA-I [[0.25, 0.25]]
    PA-II [[0.25, 0.25]]
    """

    _rule_settings = attrgetter("variant", "C", "ties")

    def __init__(
        self,
        *,
        variant: str = "PA-I",
        C: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-4,
        shuffle: bool = True,
        random_state: Any = 0,
        ties: str = "mistake",
        class_weight: Any = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        record: bool = False,
        verbose: int = 0,
    ) -> None:
        self.variant = variant
        self.C = C
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.random_state = random_state
        self.ties = ties
        self.class_weight = class_weight
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.record = record
        self.verbose = verbose

    def _rule(self) -> rules.Rule:
        check.choice("variant", self.variant, "PA", "PA-I", "PA-II")
        check.number("C", self.C, above=0.0, cure="It limits how far a step may go.")
        return rules.passive_aggressive(variant=self.variant, C=self.C, ties=self.ties)
