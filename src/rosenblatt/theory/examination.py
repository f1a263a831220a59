"""All that the theory says about rows with labels: verdict, conflict, margin, bound, suspects."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt import checks
from rosenblatt.arrays import is_sparse
from rosenblatt.core.ledger import Ledger
from rosenblatt.errors import InputError
from rosenblatt.html_tables import ResultCard
from rosenblatt.runs import LinearRun, finite_rows
from rosenblatt.theory.argmax import ArgmaxSeparability
from rosenblatt.theory.certificates import CertificateError
from rosenblatt.theory.margin import MaxMargin, max_margin
from rosenblatt.theory.mistake_bounds import MistakeBound, overlap_bound, separable_bound
from rosenblatt.theory.points import FeatureMap, apply_feature_map
from rosenblatt.theory.separability import separability

if TYPE_CHECKING:
    from rosenblatt import Perceptron

# The cost of a suspect takes a pass over all updates in Python.
MOST_COSTED = 100_000
# So many values the perceptron may multiply with weights of several classes, about five seconds.
MAX_PRODUCTS = 20_000_000_000
# It sees every row so often at least, and at most.
FEWEST_EPOCHS, MOST_EPOCHS = 20, 1000
# Longer fractions are given as floats alone.
LONGEST_DENOMINATOR = 10**100


class Suspect(NamedTuple):
    """A row and why it is suspected.

    Attributes
    ----------
    row : int
        Its number in X.
    label : object
        The label it was given.
    predicted : object
        The most common wrong prediction; None when the row only ever met ties.
    updates : int
        How often it moved the weights.
    epochs_mistaken : int
        In how many epochs it did.
    share : float
        Its share of all updates.
    cost : float or None
        How much of ``‖w‖²`` its updates took away; None without X.
    """

    row: int
    label: Any
    predicted: Any
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

    A row with a wrong label lies among the rows of another class: whatever the others teach, it is
    misclassified again in the next epoch, and its updates tear down what they built up. So the
    rows are ordered by the number of their updates, then by their cost

        cost = Σ -2 · step · y (w·x + b)     over the updates of the row, w and b before each

    (with several classes ``y (w·x + b)`` is the score of the right class minus that of the wrong
    one, or its own score where a tie raised it alone). An update changes ``‖w‖²`` by
    ``2 step y (w·x + b) + step² ‖x‖²``, so the cost is what the row took away from the squared
    norm, exactly: ``‖w_0‖² + Σ step² ‖x‖²`` minus the costs of all rows is ``‖w‖²`` of the end
    (with a bias: of ``(w, b)`` and ``(x, 1)``; where two vectors moved, ``2 ‖x‖²``). Where weights
    have rates of their own (AROW, SCW, AdaGrad) it orders the rows and says no more.

    A suspicion is no proof: a right label on an odd row looks the same. The order tells most after
    several epochs of a rule that learns from mistakes alone; rules that also learn from right
    predictions (a margin, passive-aggressive, soft) are ranked by all their updates.

    Cost: one pass over the updates; with X also over the stored values of the row of each.

    Parameters
    ----------
    ledger : Ledger
        The ``ledger_`` of a learner with ``record=True``.
    X : array-like or sparse matrix of shape (n_samples, n_features), default=None
        The rows that were given to ``fit``. Without it there are no costs, and rows with equally
        many updates are ordered by the epochs they were mistaken in and their number.
    top : int, default=None
        How many rows to return; None returns every row that was mistaken at all.
    n_rows : int, default=None
        How many rows an epoch had. By default those of X; without X the smallest number with which
        the run makes whole epochs. Give it after early stopping, where some rows were held out.

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
    entries = ledger.entries
    started = int(ledger.to_arrays()["start"]["t"])
    if not len(ledger):
        return []
    table = None if X is None else finite_rows(apply_feature_map(X, feature_map))
    if n_rows is None:
        n_rows = _epoch_length(ledger, started) if table is None else int(table.shape[0])
    rows, place = np.unique(entries.row, return_inverse=True)
    # A soft step writes one entry for each wrong class; they are one update of the row.
    occasions = np.unique(np.column_stack([place, entries.t]), axis=0)
    epochs = np.unique(
        np.column_stack([occasions[:, 0], (occasions[:, 1] - started - 1) // n_rows]), axis=0
    )
    updates = np.bincount(occasions[:, 0], minlength=len(rows))
    epochs_mistaken = np.bincount(epochs[:, 0], minlength=len(rows))
    last = np.empty(len(rows), np.int64)
    last[place] = np.arange(len(place))
    predicted = _most_common_wrong(place, entries.y_pred, len(rows), len(ledger.classes))
    costs: npt.NDArray[Any] = np.zeros(len(rows))
    if table is not None:
        margins = np.array([move.margin for move in LinearRun(ledger, table).moves()])
        np.subtract.at(costs, place, 2.0 * entries.steps * margins)
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


def _epoch_length(ledger: Ledger, started: int) -> int:
    """The fewest rows that hold all mistaken ones and go into the examples without remainder."""
    examples, fewest = ledger.n_examples - started, int(ledger.entries.row.max()) + 1
    for epochs in range(examples // fewest, 0, -1):
        if examples % epochs == 0:
            return examples // epochs
    raise InputError(
        f"the ledger names row {fewest - 1}, but the run saw {examples} examples only. Give n_rows."
    )


def _most_common_wrong(
    place: npt.NDArray[np.intp], wrong: npt.NDArray[np.int32], n_rows: int, n_classes: int
) -> npt.NDArray[np.int64]:
    """The wrong class each row was predicted as most often, -1 where there was none."""
    named = wrong >= 0
    pairs, counts = np.unique(place[named] * n_classes + wrong[named], return_counts=True)
    best = np.full(n_rows, -1, np.int64)
    ascending = np.argsort(counts, kind="stable")
    best[pairs[ascending] // n_classes] = pairs[ascending] % n_classes
    return best


# ---------------------------------------------------------------------- all of it


@dataclass(frozen=True, eq=False)
class Examination(ResultCard):
    """What `examine` found.

    Attributes
    ----------
    verdict : str
        As of `separability`; "undecided" if the certificate could not be checked.
    detail : str
        Why it is undecided.
    verified : bool
        Whether the certificate was checked in exact arithmetic.
    separability : Separability or ArgmaxSeparability
        The verdict with its certificate.
    limit : MistakeBound
        The most mistakes: in any number of epochs if the rows are separable, else in those of
        ``learner``.
    margin : MaxMargin or None
        The largest margin between two classes.
    learner : Perceptron
        One that was trained on the rows, with its ledger.
    suspects : list of Suspect
        The rows that it was wrong about most often.
    """

    y: Any
    fit_intercept: bool
    verdict: str
    detail: str | None
    verified: bool
    separability: Any
    limit: MistakeBound
    margin: MaxMargin | None
    learner: Perceptron
    suspects: list[Suspect]

    @property
    def separation(self) -> str:
        """As of `separability`; "undecided" if its certificate could not be checked."""
        return str(self.separability.separation) if self.verified else "undecided"

    def _headline(self) -> str:
        return self.verdict + ", checked in exact arithmetic" * self.verified

    def to_json(self, lines: Sequence[int]) -> dict[str, Any]:
        """All of it as plain data; rows are named by these lines of their file."""
        classes, counts = np.unique(self.y, return_counts=True)
        pairs = None
        if isinstance(self.separability, ArgmaxSeparability):
            found = self.separability
            pairs = {"separable": found.n_separable_pairs, "all": found.n_pairs}
        return {
            "classes": dict(zip(map(str, classes), counts.tolist(), strict=True)),
            "fit_intercept": self.fit_intercept,
            "verdict": self.verdict,
            "separation": self.separation,
            "verified": self.verified,
            "detail": self.detail,
            "conflict": self._conflict(lines) if self.verified else None,
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

    def _conflict(self, lines: Sequence[int]) -> dict[str, Any] | None:
        conflict = self.separability.conflict
        if conflict is None:
            return None
        members = []
        wrong = getattr(conflict, "wrong", (None,) * len(conflict.rows))
        for row, weight, rival in zip(conflict.rows, conflict.weights, wrong, strict=True):
            member = {"line": lines[row], "label": str(self.y[row]), "weight": float(weight)}
            if rival is not None:
                member["against"] = str(rival)
            if weight.denominator < LONGEST_DENOMINATOR:
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
    """Say whether classes can be separated, with a proof either way, and what follows from it.

    Parameters
    ----------
    random_state : int, default=0
        For the order in which the perceptron sees the rows.
    top : int, default=5
        How many suspects.

    See Also
    --------
    separability : The verdict alone.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.theory import examine
    >>> found = examine(np.array([[0.0], [1.0], [3.0]]), np.array(["no", "no", "yes"]))
    >>> found.verdict, found.margin.lower, found.learner.n_mistakes_ <= found.limit.bound
    ('separable', 1.0, True)
    """
    from rosenblatt import Perceptron

    X, y = apply_feature_map(X, feature_map), np.asarray(y)
    found = separability(X, y, fit_intercept)
    verdict, detail = found.verdict, found.detail
    try:
        verified = found.separable is not None and found.verify()
    except CertificateError as error:  # what cannot be checked is not claimed
        verdict, detail, verified = "undecided", str(error), False
    n_classes = len(set(y.tolist()))
    # With several classes the bound holds where a tie lowers a rival too.
    ties = "mistake" if n_classes == 2 else "positive"
    n_products = n_classes * (X.nnz if is_sparse(X) else np.size(X))
    most = MOST_EPOCHS
    if n_classes > 2:
        most = int(np.clip(MAX_PRODUCTS // max(1, n_products), FEWEST_EPOCHS, MOST_EPOCHS))
    learner = Perceptron(
        fit_intercept=fit_intercept,
        random_state=random_state,
        ties=ties,
        max_iter=most,
        record=True,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the reason to stop is in the result
        learner.fit(X, y)
    margin, epochs = None, learner.n_iter_
    if verdict == "separable":
        limit = separable_bound(X, y, fit_intercept, epochs, found)
        if n_classes == 2:
            margin = max_margin(X, y, fit_intercept)
    else:
        limit = overlap_bound(X, y, fit_intercept, epochs)
    costed = X if len(learner.ledger_) <= MOST_COSTED else None
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
