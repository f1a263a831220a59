"""The kernel perceptron: linear in the space of a kernel, and still only a list of mistakes."""

from __future__ import annotations

from typing import Any

from rosenblatt.kernel.budgets import POLICIES
from rosenblatt.kernel.functions import KERNELS
from rosenblatt.kernel.saved import KernelSaved
from rosenblatt.learner.options import option
from rosenblatt.learner.rows import RowLearner

__all__ = ["KernelPerceptron"]


class KernelPerceptron(KernelSaved, RowLearner):
    """The perceptron in the space of a kernel; voted, averaged or as it ended.

    ``f(x) = Σ a_s K(x_s, x)``: a mistaken row joins the sum with the sign of its label. Rows are
    scored in blocks by matrix products, and every mistake is carried to the rows after it in the
    block, so that the mistakes are those of the plain algorithm that goes row by row.

    Cost: an epoch multiplies the rows with the support rows that changed since they were last
    scored; memory is the support rows, a score for each row and class (see ``cache_mb``) and a
    few megabytes.

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
    schema_ : Schema, TextSchema, SparseSchema or None
        How columns of a file become the features, if a loaded model knows it or it was set.
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
        Why the last ``fit`` ended: "separated", "cycle", "early_stopping", "tolerance",
        "max_iter" or "interrupted".
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
    algorithm", KernelModel Learning 37.
    O. Dekel, S. Shalev-Shwartz and Y. Singer (2008), "The Forgetron", SIAM Journal on Computing 37.
    G. Cavallanti, N. Cesa-Bianchi and C. Gentile (2007), "Tracking the best hyperplane with a
    simple budget perceptron", KernelModel Learning 69.
    F. Orabona, J. Keshet and B. Caputo (2009), "Bounded kernel-based online learning", Journal of
    KernelModel Learning Research 10.

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

    kernel: Any = option(
        default="poly",
        type="str or callable",
        choices=(*KERNELS, "precomputed"),
        also=callable,
        label="Kernel",
        help="""
        ``"linear"`` x·z, ``"poly"`` (gamma x·z + coef0)^degree, ``"rbf"`` exp(-gamma ‖x-z‖²),
        ``"laplacian"`` exp(-gamma ‖x-z‖₁), ``"sigmoid"`` tanh(gamma x·z + coef0), ``"cosine"``
        x·z / ‖x‖‖z‖; ``"precomputed"``: ``X`` holds the kernel with the rows of training itself;
        or a function of two tables that returns the kernel of all pairs of their rows.""",
    )
    degree: int = option(default=3, at_least=1, label="Degree d", help='Degree of "poly".')
    gamma: float | None = option(
        default=None,
        above=0.0,
        cure="None is 1 / n_features.",
        label="γ",
        help='Scale of "poly", "rbf", "laplacian" and "sigmoid"; None is 1 / n_features.',
    )
    coef0: float = option(
        default=1.0,
        label="Constant c",
        help='Constant in "poly" and "sigmoid"; it stands for the bias.',
    )
    combine: str = option(
        default="average",
        choices=("average", "vote", "last"),
        on_page=False,
        help="""
        How the functions that training went through predict together: their mean, their votes
        (each counts as long as it survived), or the last one alone. It can be changed after
        ``fit``: the training is the same.""",
    )
    multiclass: str = option(
        default="ovr",
        choices=("ovr", "argmax"),
        on_page=False,
        help="""
        With more than two classes: a function for each class learns to tell it from the rest
        (Freund and Schapire), or the class with the highest score is predicted and a mistake
        raises the right class and lowers the wrong one.""",
    )
    budget: int | None = option(
        default=None,
        at_least=1,
        on_page=False,
        help="Most support rows there may be at any time; None keeps all.",
    )
    forget: str = option(
        default="projection",
        choices=tuple(POLICIES),
        on_page=False,
        help="""
        What happens when the budget is used up. "projection": no row goes, and what the support
        rows can say of a mistaken row is said by them (Projectron++); the best, at a cost of
        budget² numbers. Else a row makes room: the oldest, with shrinking so that little is lost
        at once (Forgetron), a random one, or the one that counts least; these need
        ``combine="last"``.""",
    )
    projection_tol: float = option(
        default=0.1,
        at_least=1e-3,
        at_most=1.0,
        cure="A smaller one would be lost in rounding.",
        on_page=False,
        help="""
        With a budget and ``forget="projection"``: rows that the support rows can express up to
        this share of their length do not join them.""",
    )
    cache_mb: float = option(
        default=256,
        above=0.0,
        on_page=False,
        help="""
        Most memory for scores of all rows between two epochs. Above it they are worked out anew
        in each epoch, which is slower.""",
    )

    keeps_rows = True

    def check_parameters(self) -> None:
        """Refuse parameters whose values are not allowed, alone or together."""
        super().check_parameters()
        self._check_combine()
