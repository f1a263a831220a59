"""The kernel perceptron: linear in the space of a kernel, and still only a list of mistakes."""

from __future__ import annotations

from typing import Any

from rosenblatt import checks as check
from rosenblatt.estimator import parameters
from rosenblatt.kernel.budgets import POLICIES
from rosenblatt.kernel.saved import KernelSaved
from rosenblatt.machines.functions import KERNELS

__all__ = ["KernelPerceptron"]


class KernelPerceptron(KernelSaved):
    """The perceptron in the space of a kernel; voted, averaged or as it ended.

    ``f(x) = Σ a_s K(x_s, x)``: a mistaken row joins the sum with the sign of its label. Rows are
    scored in blocks by matrix products, and every mistake is carried to the rows after it in the
    block, so that the mistakes are those of the plain algorithm that goes row by row.

    Cost: an epoch multiplies the rows with the support rows that changed since they were last
    scored; memory is the support rows, a score for each row and class (see ``cache_mb``) and a
    few megabytes.

    Parameters
    ----------
    kernel : str or callable, default="poly"
        ``"linear"`` x·z, ``"poly"`` (gamma x·z + coef0)^degree, ``"rbf"`` exp(-gamma ‖x-z‖²),
        ``"laplacian"`` exp(-gamma ‖x-z‖₁), ``"sigmoid"`` tanh(gamma x·z + coef0), ``"cosine"``
        x·z / ‖x‖‖z‖; ``"precomputed"``: ``X`` holds the kernel with the rows of training itself;
        or a function of two tables that returns the kernel of all pairs of their rows.
    degree : int, default=3
        Degree of "poly".
    gamma : float or None, default=None
        Scale of "poly", "rbf", "laplacian" and "sigmoid"; None is 1 / n_features.
    coef0 : float, default=1.0
        Constant in "poly" and "sigmoid"; it stands for the bias.
    combine : {"average", "vote", "last"}, default="average"
        How the functions that training went through answer together: their mean, their votes
        (each counts as long as it survived), or the last one alone. It can be changed after
        ``fit``: the training is the same.
    multiclass : {"ovr", "argmax"}, default="ovr"
        With more than two classes: a function for each class learns to tell it from the rest
        (Freund and Schapire), or the class with the highest score answers and a mistake raises
        the right class and lowers the wrong one.
    budget : int or None, default=None
        Most support rows there may be at any time; None keeps all.
    forget : {"projection", "oldest", "random", "smallest"}, default="projection"
        What happens when the budget is used up. "projection": no row goes, and what the support
        rows can say of a mistaken row is said by them (Projectron++); the best, at a cost of
        budget² numbers. Else a row makes room: the oldest, with shrinking so that little is lost
        at once (Forgetron), a random one, or the one that counts least; these need
        ``combine="last"``.
    projection_tol : float, default=0.1
        With a budget and ``forget="projection"``: rows that the support rows can express up to
        this share of their length do not join them.
    max_iter : int, default=1000
        Most epochs of a ``fit``. Ending there with mistakes left is a `ConvergenceWarning`.
    tol : float or None, default=1e-4
        Give up once the run itself has proven that no function separates the rows by a margin
        above ``tol`` times the length of the longest mistaken row. None never gives up.
    shuffle : bool, default=True
        Visit the rows in a new random order in every epoch.
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the shuffling and of random forgetting.
    ties : {"mistake", "positive"}, default="mistake"
        A score of exactly 0 counts as a mistake, or as the positive class; with
        ``multiclass="argmax"`` as the class listed last among the equals.
    early_stopping : bool, default=False
        Hold out some rows, stop when they are no longer answered better, keep the best state.
    validation_fraction : float, default=0.1
        The share of rows to hold out, of every class alike.
    n_iter_no_change : int, default=5
        Epochs to wait for a better score on the rows held out.
    warm_start : bool, default=False
        Let ``fit`` go on from the state of the last call. Rows that are mistaken again join again.
    cache_mb : float, default=256
        Most memory for scores of all rows between two epochs. Above it they are worked out anew
        in each epoch, which is slower.
    verbose : int, default=0
        1 shows the progress on standard error: a bar on a terminal, lines elsewhere.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in order. With two of them a positive score means the second.
    support_ : ndarray of shape (n_support,)
        The mistaken rows: their numbers in ``X``, or their places in the stream.
    support_vectors_ : array or sparse matrix of shape (n_support, n_features)
        The mistaken rows themselves.
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        What each counts for: of the mean function for ``combine="average"``, else of the last.
    survival_ : list of ndarray
        For each function how many examples each of its states lived, the first one included.
    ledger_ : KernelLedger
        Every update in order. Not kept with a budget.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, when the rows came with names.
    n_iter_ : int
        Epochs of the last ``fit``.
    t_ : int
        Examples seen, over all epochs and calls.
    n_mistakes_ : int
        Examples on which some function was wrong, over all epochs and calls.
    mistakes_per_epoch_ : list of int
        The same for each epoch of the last ``fit``.
    mistakes_per_row_ : ndarray of shape (n_samples,)
        The same for each row of the last ``fit``.
    converged_ : bool
        Whether the last ``fit`` ended with an epoch without a mistake.
    stop_reason_ : str
        Why the last ``fit`` ended: "separated", "cycle", "early_stopping", "tolerance" or
        "max_iter".
    margin_ceiling_ : float
        Proven by the run: no function of norm 1 has a margin above this on the rows; with
        ``multiclass="ovr"`` not for each class against the rest. inf where nothing is proven.
    validation_scores_ : list of float
        Accuracy on the rows held out after each epoch, with early stopping.
    best_iter_ : int
        The epoch whose state was kept, with early stopping.

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
    One pass over the digits with products of two pixels, three ways to answer.

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

    def __init__(
        self,
        *,
        kernel: Any = "poly",
        degree: int = 3,
        gamma: float | None = None,
        coef0: float = 1.0,
        combine: str = "average",
        multiclass: str = "ovr",
        budget: int | None = None,
        forget: str = "projection",
        projection_tol: float = 0.1,
        max_iter: int = 1000,
        tol: float | None = 1e-4,
        shuffle: bool = True,
        random_state: Any = 0,
        ties: str = "mistake",
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        cache_mb: float = 256,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.combine = combine
        self.multiclass = multiclass
        self.budget = budget
        self.forget = forget
        self.projection_tol = projection_tol
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.random_state = random_state
        self.ties = ties
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.cache_mb = cache_mb
        self.verbose = verbose

    def _check_parameters(self) -> None:
        if not callable(self.kernel):
            check.choice("kernel", self.kernel, *KERNELS, "precomputed")
        check.whole("degree", self.degree, at_least=1)
        if self.gamma is not None:
            check.number("gamma", self.gamma, above=0.0, cure="None is 1 / n_features.")
        check.number("coef0", self.coef0)
        check.choice("multiclass", self.multiclass, "ovr", "argmax")
        if self.budget is not None:
            check.whole("budget", self.budget, at_least=1)
        check.choice("forget", self.forget, *POLICIES)
        check.number(
            "projection_tol",
            self.projection_tol,
            at_least=1e-3,
            at_most=1.0,
            cure="A smaller one would be lost in rounding.",
        )
        check.number("cache_mb", self.cache_mb, above=0.0)
        parameters.training(self)
        self._check_combine()
