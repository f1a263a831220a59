"""All that the theory says about rows with labels: verdict, conflict, margin, bound, suspects."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.core.rows import as_rows
from rosenblatt.errors import InputError
from rosenblatt.theory.certificates import CertificateError
from rosenblatt.theory.margin import max_margin, mistake_bound
from rosenblatt.theory.separability import separability
from rosenblatt.theory.suspects import Suspect, suspects

if TYPE_CHECKING:
    from rosenblatt import Perceptron

__all__ = ["Examination", "examine"]

# The cost of a suspect takes a pass over all updates in Python.
MOST_COSTED = 100_000


@dataclass(frozen=True, eq=False)
class Examination:
    """What `examine` found.

    Attributes
    ----------
    verdict, strength : str
        As of `separability`; "undecided" and "none" if the certificate could not be checked.
    detail : str
        Why it is undecided.
    verified : bool
        Whether the certificate was checked in exact arithmetic.
    separability : Separability or ArgmaxSeparability
        The verdict with its certificate.
    radius, gamma, bound : float or None
        R, γ and the mistake bound R²/γ²; only R where the rows are not separable.
    margin : float or None
        The largest margin between two classes.
    learner : Perceptron
        One that was trained on the rows, with its ledger.
    suspects : list of Suspect
        The rows that it was wrong about most often.
    """

    y: Any
    fit_intercept: bool
    verdict: str
    strength: str
    detail: str | None
    verified: bool
    separability: Any
    radius: float
    gamma: float | None
    bound: float | None
    margin: float | None
    learner: Perceptron
    suspects: list[Suspect]

    def to_json(self, lines: Sequence[int]) -> dict[str, Any]:
        """All of it as plain data; rows are named by these lines of their file."""
        classes, counts = np.unique(self.y, return_counts=True)
        pairs = getattr(self.separability, "pairs", None)
        if pairs is not None:
            separable = sum(pair.separable is True for pair in pairs.values())
            pairs = {"separable": separable, "all": len(pairs)}
        return {
            "classes": dict(zip(map(str, classes), counts.tolist(), strict=True)),
            "fit_intercept": self.fit_intercept,
            "verdict": self.verdict,
            "strength": self.strength,
            "verified": self.verified,
            "detail": self.detail,
            "conflict": self._conflict(lines) if self.verified else None,
            "pairs": pairs,
            "margin": self.margin,
            "radius": self.radius,
            "gamma": self.gamma,
            "bound": self.bound,
            "perceptron": {
                "mistakes": self.learner.n_mistakes_,
                "epochs": self.learner.n_iter_,
                "stop_reason": self.learner.stop_reason_,
            },
            "suspects": [
                {
                    "line": lines[one.row],
                    "label": str(one.label),
                    "answered": None if one.answered is None else str(one.answered),
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
            if isinstance(weight, Fraction):
                member["fraction"] = str(weight)
            members.append(member)
        return {"residual": float(conflict.residual), "rows": members}


def examine(
    X: Any, y: Any, *, fit_intercept: bool = True, random_state: int = 0, top: int = 5
) -> Examination:
    """Say whether classes can be separated, with a proof either way, and what follows from it.

    Parameters
    ----------
    X : array or sparse rows of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    fit_intercept : bool, default=True
        Whether hyperplanes need not go through the origin.
    random_state : int, default=0
        For the order in which the perceptron sees the rows.
    top : int, default=5
        How many suspects.

    Returns
    -------
    examination : Examination

    See Also
    --------
    separability : The verdict alone.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.theory import examine
    >>> found = examine(np.array([[0.0], [1.0], [3.0]]), np.array(["no", "no", "yes"]))
    >>> found.verdict, found.margin, found.learner.n_mistakes_ <= found.bound
    ('separable', 1.0, True)
    """
    from rosenblatt import Perceptron

    y = np.asarray(y)
    found = separability(X, y, fit_intercept)
    verdict, strength, detail = found.verdict, found.strength, found.detail
    try:
        verified = found.separable is not None and found.verify()
    except CertificateError as error:  # what cannot be checked is not claimed
        verdict, strength, detail, verified = "undecided", "none", str(error), False
    n_classes = len(set(y.tolist()))
    longest = float(as_rows(X).squared_norms().max()) + float(fit_intercept)
    radius = math.sqrt(longest * (2.0 if n_classes > 2 else 1.0))
    gamma = bound = margin = None
    if verdict == "separable":
        limit = mistake_bound(X, y, fit_intercept)
        if limit.margin > 0 and math.isfinite(limit.bound):
            radius, gamma, bound = limit.radius, limit.margin, limit.bound
        if n_classes == 2:
            try:
                margin = max_margin(X, y, fit_intercept).margin
            except InputError:  # separable, but by less than floats can measure
                margin = None
    # With several classes the bound holds where a tie lowers a rival too.
    ties = "mistake" if n_classes == 2 else "positive"
    learner = Perceptron(
        fit_intercept=fit_intercept, random_state=random_state, ties=ties, record=True
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the reason to stop is in the result
        learner.fit(X, y)
    costed = X if len(learner.ledger_) <= MOST_COSTED else None
    return Examination(
        y=y,
        fit_intercept=fit_intercept,
        verdict=verdict,
        strength=strength,
        detail=detail,
        verified=verified,
        separability=found,
        radius=radius,
        gamma=gamma,
        bound=bound,
        margin=margin,
        learner=learner,
        suspects=suspects(learner.ledger_, costed, top=top, n_rows=len(y)),
    )
