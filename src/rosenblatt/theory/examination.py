"""Examination of labelled rows: verdict, conflict, margin, mistake bound and suspects."""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt import checks
from rosenblatt.arrays import is_sparse
from rosenblatt.errors import InputError
from rosenblatt.html_tables import ResultCard
from rosenblatt.inspection.runs import LinearRun, finite_rows
from rosenblatt.models.ledger import Ledger
from rosenblatt.theory.argmax import ArgmaxSeparability, RivalConflict
from rosenblatt.theory.certificates import CertificateError
from rosenblatt.theory.margin import MaxMargin, max_margin
from rosenblatt.theory.mistake_bounds import MistakeBound, overlap_bound, separable_bound
from rosenblatt.theory.points import FeatureMap, apply_feature_map
from rosenblatt.theory.separability import Separability, separability

if TYPE_CHECKING:
    from rosenblatt import Perceptron
    from rosenblatt.arrays import FloatArray

# With more updates than this, the costs of suspects are left out: they take a pass in Python.
MAX_COSTED_UPDATES = 100_000
# Limit on the multiplications of a multiclass perceptron: about five seconds.
MAX_PRODUCTS = 20_000_000_000
MIN_EPOCHS = 20
MAX_EPOCHS = 1000
# Fractions with a denominator of at least this size are written to JSON only as floats.
MAX_DENOMINATOR = 10**100


class Suspect(NamedTuple):
    """A row whose label may be wrong, and the evidence for it.

    Attributes
    ----------
    row : int
        The index of the row in X.
    label : object
        The label of the row in the training data.
    predicted : object
        The most common wrong prediction; None if the row only had ties.
    updates : int
        The number of updates on the row.
    epochs_mistaken : int
        The number of epochs with an update on the row.
    share : float
        The share of the row in all updates.
    cost : float or None
        The amount by which its updates reduced ``‖w‖²``; None without X.
    """

    row: int
    label: Hashable
    predicted: Hashable
    updates: int
    epochs_mistaken: int
    share: float
    cost: float | None


def suspects(
    ledger: Ledger,
    X: Any = None,
    *,
    top: int | None = None,
    n_rows: int | None = None,
    feature_map: FeatureMap = None,
) -> list[Suspect]:
    """Rank the rows by how likely it is that their labels are wrong.

    A row with a wrong label lies among the rows of another class: whatever the other rows teach, it
    is misclassified again in the next epoch, and its updates undo theirs. So the rows are ordered
    by the number of their updates, and then by their cost

        cost = Σ -2 · step · y (w·x + b)     over the updates of the row, w and b before each

    (with several classes, ``y (w·x + b)`` is the score of the right class minus that of the wrong
    class, or the score of the right class if a tie raised only that one). An update changes
    ``‖w‖²`` by ``2 step y (w·x + b) + step² ‖x‖²``, so the cost is exactly the amount by which the
    row reduced the squared norm: ``‖w_0‖² + Σ step² ‖x‖²`` minus the costs of all rows is the final
    ``‖w‖²`` (with a bias, of ``(w, b)`` and ``(x, 1)``; if two vectors moved, ``2 ‖x‖²``). If each
    weight has its own rate (AROW, SCW, AdaGrad), the cost only orders the rows.

    A suspect is not proven to be wrong: a right label on an unusual row looks the same. The order
    is most reliable after several epochs of a rule that learns only from mistakes. Rules that also
    learn from right predictions (margin, passive-aggressive, soft) are ranked by all their updates.

    Cost: one pass over the updates; with X also over the stored values of the row of each.

    Parameters
    ----------
    ledger : Ledger
        The ``ledger_`` of a learner with ``record=True``.
    X : array-like or sparse matrix of shape (n_samples, n_features), default=None
        The rows that were given to ``fit``. Without it there are no costs, and rows with the same
        number of updates are ordered by their mistaken epochs and then by row number.
    top : int, default=None
        How many rows to return; None returns every row that was ever mistaken.
    n_rows : int, default=None
        The number of rows in an epoch. By default it is that of X, or without X the smallest number
        that divides the run into whole epochs. Give it after early stopping, which holds out some
        rows.
    feature_map : callable or transformer, default=None
        Applied to X first, as it was before ``fit``.

    Returns
    -------
    list of Suspect
        The most suspicious row first.

    Examples
    --------
    Points on a line, positive from 0 upwards, with one label wrong:

    >>> import numpy as np
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.theory import suspects
    >>> X = np.array([[-3.0], [-2.0], [-1.0], [1.0], [2.0], [3.0]])
    >>> y = np.array(["no", "no", "no", "yes", "no", "yes"])
    >>> p = Perceptron(max_iter=20, tol=None, shuffle=False, record=True).fit(X, y)
    >>> first = suspects(p.ledger_, X)[0]
    >>> first.row, first.label, first.predicted, f"{first.share:.0%}"
    (4, 'no', 'yes', '50%')
    """
    if top is not None:
        checks.whole("top", top, at_least=1)
    if n_rows is not None:
        checks.whole("n_rows", n_rows, at_least=1)
    if not len(ledger):
        return []
    entries = ledger.entries
    first_t = int(ledger.to_arrays()["start"]["t"])
    table = None if X is None else finite_rows(apply_feature_map(X, feature_map))
    if n_rows is None:
        n_rows = _epoch_length(ledger, first_t) if table is None else int(table.shape[0])
    rows, place = np.unique(entries.row, return_inverse=True)

    # Count the updates of each row. A soft step writes one entry for each wrong class, but they are
    # one update.
    occasions = np.unique(np.column_stack([place, entries.t]), axis=0)
    updates = np.bincount(occasions[:, 0], minlength=len(rows))

    # Count the epochs in which it had one.
    epoch = (occasions[:, 1] - first_t - 1) // n_rows
    mistaken_epochs = np.unique(np.column_stack([occasions[:, 0], epoch]), axis=0)
    epochs_mistaken = np.bincount(mistaken_epochs[:, 0], minlength=len(rows))

    costs: FloatArray = np.zeros(len(rows))
    if table is not None:
        margins = np.array([move.margin for move in LinearRun(ledger, table).moves()])
        np.subtract.at(costs, place, 2.0 * entries.steps * margins)

    # The last update of each row has its label.
    last = np.empty(len(rows), np.int64)
    last[place] = np.arange(len(place))
    predicted = _most_common_wrong(place, entries.y_pred, len(rows), len(ledger.classes))
    order = np.lexsort([rows, -epochs_mistaken, -costs, -updates])[:top]
    return [
        Suspect(
            row=int(rows[i]),
            label=ledger.classes[entries.y_true[last[i]]],
            predicted=None if predicted[i] < 0 else ledger.classes[predicted[i]],
            updates=int(updates[i]),
            epochs_mistaken=int(epochs_mistaken[i]),
            share=float(updates[i] / len(occasions)),
            cost=None if table is None else float(costs[i]),
        )
        for i in order
    ]


def _epoch_length(ledger: Ledger, first_t: int) -> int:
    """Return the smallest epoch length that covers all mistaken rows and divides the run."""
    n_examples = ledger.n_examples - first_t
    at_least = int(ledger.entries.row.max()) + 1
    for n_epochs in range(n_examples // at_least, 0, -1):
        if n_examples % n_epochs == 0:
            return n_examples // n_epochs
    raise InputError(
        f"the ledger names row {at_least - 1}, but the run saw {n_examples} examples only. Give "
        "n_rows."
    )


def _most_common_wrong(
    place: npt.NDArray[np.intp], wrong: npt.NDArray[np.int32], n_rows: int, n_classes: int
) -> npt.NDArray[np.int64]:
    """Return the most frequent wrong class of each row as an index, or -1 if there was none."""
    has_rival = wrong >= 0
    pairs, counts = np.unique(place[has_rival] * n_classes + wrong[has_rival], return_counts=True)
    # Pairs in ascending order of their counts: later, more frequent ones overwrite the others.
    ascending = pairs[np.argsort(counts, kind="stable")]
    best = np.full(n_rows, -1, np.int64)
    best[ascending // n_classes] = ascending % n_classes
    return best


# ---------------------------------------------------------------------- the whole examination


@dataclass(frozen=True, eq=False)
class Examination(ResultCard):
    """The results of `examine`.

    Attributes
    ----------
    verdict : str
        The verdict of `separability`; "undecided" if its certificate failed the check.
    detail : str
        The reason for an undecided verdict.
    verified : bool
        Whether the certificate was checked in exact arithmetic.
    separability : Separability or ArgmaxSeparability
        The verdict with its certificate.
    limit : MistakeBound
        An upper bound on the mistakes: in any number of epochs if the rows are separable, otherwise
        in the epochs of ``learner``.
    margin : MaxMargin or None
        The largest margin, for two separable classes.
    learner : Perceptron
        A perceptron trained on the rows, with its ledger.
    suspects : list of Suspect
        The rows that it misclassified most often.
    """

    y: Any
    fit_intercept: bool
    verdict: str
    detail: str | None
    verified: bool
    separability: Separability | ArgmaxSeparability
    limit: MistakeBound
    margin: MaxMargin | None
    learner: Perceptron
    suspects: list[Suspect]

    @property
    def separation(self) -> str:
        """The kind of separation; "undecided" if the certificate failed the check."""
        return self.separability.separation if self.verified else "undecided"

    def _headline(self) -> str:
        return f"{self.verdict}, checked in exact arithmetic" if self.verified else self.verdict

    def to_json(self, lines: Sequence[int]) -> dict[str, Any]:
        """Return all results as JSON data; ``lines`` holds the line of each row in its file."""
        classes, counts = np.unique(self.y, return_counts=True)
        pairs = None
        if isinstance(self.separability, ArgmaxSeparability):
            pairs = {
                "separable": self.separability.n_separable_pairs,
                "all": self.separability.n_pairs,
            }
        return {
            "classes": dict(zip(map(str, classes), counts.tolist(), strict=True)),
            "fit_intercept": self.fit_intercept,
            "verdict": self.verdict,
            "separation": self.separation,
            "verified": self.verified,
            "detail": self.detail,
            "conflict": self._conflict_to_json(lines) if self.verified else None,
            "pairs": pairs,
            "margin": None if self.margin is None else self.margin.lower,
            "margin_upper": None if self.margin is None else self.margin.upper,
            "margin_closed": self.margin is not None and self.margin.closed,
            "radius": self.limit.radius,
            "gamma": self.limit.margin,
            "gamma_closed": self.limit.closed,
            "deviation": self.limit.deviation,
            "bound": self.limit.bound if math.isfinite(self.limit.bound) else None,
            "bound_epochs": self.limit.epochs,
            "bound_visits": self.limit.visits,
            "perceptron": {
                "mistakes": self.learner.n_mistakes_,
                "epochs": self.learner.n_iter_,
                "stop_reason": self.learner.stop_reason_,
            },
            "suspects": [
                {
                    "line": lines[one.row],
                    "label": str(one.label),
                    "predicted": None if one.predicted is None else str(one.predicted),
                    "mistakes": one.updates,
                    "epochs_mistaken": one.epochs_mistaken,
                }
                for one in self.suspects
            ],
        }

    def _conflict_to_json(self, lines: Sequence[int]) -> dict[str, Any] | None:
        conflict = self.separability.conflict
        if conflict is None:
            return None
        members = []
        for place, (row, weight) in enumerate(zip(conflict.rows, conflict.weights, strict=True)):
            member = {"line": lines[row], "label": str(self.y[row]), "weight": float(weight)}
            if isinstance(conflict, RivalConflict):
                member["against"] = str(conflict.wrong[place])
            if weight.denominator < MAX_DENOMINATOR:
                member["fraction"] = str(weight)
            members.append(member)
        return {"rows": members}


def examine(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    random_state: int = 0,
    top: int = 5,
    feature_map: FeatureMap = None,
) -> Examination:
    """Decide whether classes are separable, with a proof; report margin, bound and suspects.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Labels of two or more classes.
    fit_intercept : bool, default=True
        Whether there is a bias, so that the hyperplane need not pass through the origin.
    random_state : int, default=0
        Seed for the order in which the perceptron sees the rows.
    top : int, default=5
        The number of suspects to list.
    feature_map : callable or transformer, default=None
        Applied to X first; all results are about the mapped rows.

    Returns
    -------
    Examination

    See Also
    --------
    separability : Only the verdict.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.theory import examine
    >>> found = examine(np.array([[0.0], [1.0], [3.0]]), np.array(["no", "no", "yes"]))
    >>> found.verdict, found.margin.lower, found.learner.n_mistakes_ <= found.limit.bound
    ('separable', 1.0, True)
    """
    from rosenblatt import Perceptron

    X = apply_feature_map(X, feature_map)
    y = np.asarray(y)

    # The verdict. A certificate that fails the check proves nothing.
    found = separability(X, y, fit_intercept)
    verdict = found.verdict
    detail = found.detail
    try:
        verified = found.separable is not None and found.verify()
    except CertificateError as error:
        verdict = "undecided"
        detail = str(error)
        verified = False

    # The perceptron. With several classes the bound holds only if every update lowers a rival,
    # which ties="positive" ensures.
    n_classes = len(set(y.tolist()))
    epochs = MAX_EPOCHS
    if n_classes > 2:
        n_products = n_classes * (X.nnz if is_sparse(X) else np.size(X))
        epochs = int(np.clip(MAX_PRODUCTS // max(1, n_products), MIN_EPOCHS, MAX_EPOCHS))
    learner = Perceptron(
        fit_intercept=fit_intercept,
        random_state=random_state,
        ties="mistake" if n_classes == 2 else "positive",
        max_iter=epochs,
        record=True,
    )
    with warnings.catch_warnings():
        # The result has the reason why training stopped.
        warnings.simplefilter("ignore")
        learner.fit(X, y)

    # The bound and the margin.
    margin = None
    if verdict == "separable":
        limit = separable_bound(X, y, fit_intercept, learner.n_iter_, found)
        if n_classes == 2:
            margin = max_margin(X, y, fit_intercept)
    else:
        limit = overlap_bound(X, y, fit_intercept, learner.n_iter_)

    costed = X if len(learner.ledger_) <= MAX_COSTED_UPDATES else None
    return Examination(
        y=y,
        fit_intercept=fit_intercept,
        verdict=verdict,
        detail=detail,
        verified=verified,
        separability=found,
        limit=limit,
        margin=margin,
        learner=learner,
        suspects=suspects(learner.ledger_, costed, top=top, n_rows=len(y)),
    )
