"""The proof of the convergence theorem as numbers: both of its inequalities at every update."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt import checks
from rosenblatt.arrays import FloatArray
from rosenblatt.core.ledger import Ledger
from rosenblatt.core.rows import margins
from rosenblatt.errors import InputError, RosenblattError
from rosenblatt.html_tables import first_and_last, html_card, html_headline, html_table
from rosenblatt.learner.catalogue import CATALOGUE
from rosenblatt.runs import LinearRun, Move, finite_rows
from rosenblatt.text_tables import ordinary
from rosenblatt.theory.margin_interval import longest
from rosenblatt.theory.points import EPS, FeatureMap, Points, apply_feature_map

# How far a number may be off its bound, relative to the bound, before rounding is no excuse.
RELATIVE_SLACK = {np.dtype(np.float32): 1e-4, np.dtype(np.float64): 1e-9}


class ProofViolation(RosenblattError):
    """A recorded run breaks an inequality that every run of the perceptron obeys."""


@dataclass(frozen=True, eq=False, repr=False)
class ProofTrace:
    """Both sides of both inequalities, after the first, second, ... update.

    Attributes
    ----------
    progress : ndarray of shape (n_updates,) or None
        ``u·(w_k - w_0)``; None without a separator.
    progress_bound : ndarray of shape (n_updates,) or None
        ``k η γ``, never above ``progress``.
    squared_norm : ndarray of shape (n_updates,)
        ``‖w_k‖²``, with a bias ``‖w_k‖² + b_k²``.
    squared_norm_bound : ndarray of shape (n_updates,)
        ``‖w_0‖² + k η² R²``, never below ``squared_norm``.
    n_updates : int
        How many updates there were.
    eta : float
        The learning rate, η; 1 when there was no update to tell it.
    margin, radius : float
        γ and R; γ is None if it is not known.
    mistake_bound : float or None
        ``R²/γ²``: a run that starts at 0 makes no more mistakes.
    meets_at : float or None
        Where the two curves meet and the proof ends: the k with
        ``u·w_0 + k η γ = sqrt(‖w_0‖² + k η² R²)``. For a start at 0 it is ``R²/γ²``; for
        another one it is None when there is no separator or no update.
    """

    progress: FloatArray | None
    progress_bound: FloatArray | None
    squared_norm: FloatArray
    squared_norm_bound: FloatArray
    n_updates: int
    eta: float
    margin: float | None
    radius: float
    mistake_bound: float | None
    meets_at: float | None

    @property
    def largest_norm(self) -> FloatArray:
        """The largest ``‖w‖`` so far, after each update.

        The only thing a run can say of the bound that it has by the cycling theorem (Block and
        Levin 1970): on any finite set of rows ``‖w‖`` stays bounded, whatever the order. If the
        weights repeat (``stop_reason_ == "cycle"``), the last of these numbers is that bound.
        """
        return np.sqrt(np.maximum.accumulate(self.squared_norm))

    def __repr__(self) -> str:
        most = "" if self.meets_at is None else f" of at most {self.meets_at:.4g}"
        first = "" if self.progress is None else "u·(w-w₀) ≥ kηγ and "
        margin = "" if self.margin is None else f"γ={self.margin:.4g}, "
        return (
            f"<ProofTrace: {self.n_updates} updates{most}; {first}‖w‖² ≤ ‖w₀‖² + kη²R² after "
            f"each ({margin}R={self.radius:.4g})>"
        )

    def _repr_html_(self) -> str:
        sides = {"u·(w-w₀)": self.progress, "kηγ": self.progress_bound, "‖w‖²": self.squared_norm}
        sides |= {"‖w₀‖² + kη²R²": self.squared_norm_bound}
        known = {name: values for name, values in sides.items() if values is not None}
        places, left_out = first_and_last(self.n_updates)
        rows = [(k + 1, *(ordinary(float(one[k])) for one in known.values())) for k in places]
        return html_card(html_headline(repr(self)[1:-1]), html_table(left_out, ("k", *known), rows))


def proof(
    ledger: Ledger,
    X: Any,
    separator: Any = None,
    margin: float | None = None,
    *,
    radius: float | None = None,
    feature_map: FeatureMap = None,
) -> ProofTrace:
    """Follow a recorded run of the perceptron through the proof of its convergence.

    If a unit vector u has ``y (u·x) >= γ`` on every row, then after k mistakes

        u·(w_k - w_0) >= k η γ        each update adds  η y (u·x) >= η γ
        ‖w_k‖² <= ‖w_0‖² + k η² R²    each adds  2 η y (w·x) + η² ‖x‖²,  of which the first is <= 0

    and from 0 both can hold for ``k <= R²/γ²`` only. Any violation beyond rounding is an error.

    With a bias all of it is meant in the augmented space: rows ``(x, 1)``, w with b at its end, R
    and γ of those. With several classes it is meant in Kesler's construction: w is all weight
    vectors in one, a mistake adds ``η φ`` with ``φ`` = x at the right class and -x at the wrong
    one, γ is the smallest ``(u_right - u_other)·x`` and ``R = √2 max ‖x‖``.

    Cost: a few passes over the stored values of the mistaken row for every update, and one over X.

    Parameters
    ----------
    ledger : Ledger
        The ``ledger_`` of a learner with ``record=True``.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows that were given to ``fit``.
    separator : pair (w, b) or object with attributes w and b, default=None
        A hyperplane that separates the rows, of any length. With several classes one row of w and
        one entry of b each, in the order of ``ledger.classes``. Without it the second inequality
        alone is followed.
    margin : float, default=None
        γ. Computed if not given: the smallest over all rows. The ledger knows the labels of the
        mistaken rows alone; the other rows count by their distance.
    radius : float, default=None
        R. Computed if not given: the largest over all rows. With a bias or several classes it is
        that of the space described above.

    Raises
    ------
    ProofViolation
        If an inequality does not hold: the ledger or X is not that of a perceptron's run, or
        ``margin`` or ``radius`` is not true.
    InputError
        If the separator does not separate the rows; if the steps differ or raised a class without
        lowering another (ties of several classes; ``ties="positive"`` avoids them), since the
        theorem is not about those.

    See Also
    --------
    rosenblatt.theory.mistake_bound : R and the best γ, without a run.

    Examples
    --------
    Three mistakes where fifty were possible:

    >>> import numpy as np
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.theory.proof import proof
    >>> X = np.array([[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], float)
    >>> p = Perceptron(ties="positive", fit_intercept=False, shuffle=False, record=True)
    >>> ledger = p.fit(X, [-1, 1, 1, -1, -1, 1]).ledger_
    >>> trace = proof(ledger, X, separator=([3.0, 1.0], 0.0))
    >>> trace
    <ProofTrace: 3 updates of at most 50; u·(w-w₀) ≥ kηγ and ‖w‖² ≤ ‖w₀‖² + kη²R² after each
    (γ=0.3162, R=2.236)>
    >>> trace.squared_norm.tolist(), trace.squared_norm_bound.round(9).tolist()
    ([5.0, 5.0, 10.0], [5.0, 10.0, 15.0])
    >>> trace.progress.round(2).tolist(), trace.progress_bound.round(2).tolist()
    ([0.32, 1.58, 3.16], [0.32, 0.63, 0.95])
    """
    table = finite_rows(apply_feature_map(X, feature_map))
    run = LinearRun(ledger, table)
    w = run.start
    eta = _learning_rate(ledger, n_vectors=len(w))
    u = None if separator is None else unit_separator(separator, w.shape, table.shape[1])
    if margin is not None:
        margin = float(checks.number("margin", margin, above=0.0))
    elif u is not None:
        margin = _margin(ledger, table, u)
    if radius is not None:
        radius = float(checks.number("radius", radius, above=0.0))
    else:
        rows = Points(table, np.ones(table.shape[0]), w.shape[1] > table.shape[1])
        radius = longest(rows, in_two_places=len(w) > 1)
    if not eta * radius < 1e150 or 0 < eta * radius < 1e-150:
        raise InputError(
            f"the squares of steps of {eta:g} times {radius:g} leave the range of floats: learn "
            "with another eta0, or scale the rows."
        )

    walked = list(run.moves(u))
    k = np.arange(1.0, len(walked) + 1)
    start = float(np.sum(np.square(w, dtype=np.float64)))
    along = 0.0 if u is None else float(np.sum(u * w))
    bounded = margin is not None and (start == 0.0 or (u is not None and len(walked) > 0))
    trace = ProofTrace(
        progress=None if u is None else np.cumsum([move.forward for move in walked], dtype=float),
        progress_bound=None if u is None or margin is None else k * (eta * margin),
        squared_norm=start + np.cumsum([move.growth for move in walked], dtype=float),
        squared_norm_bound=start + k * (eta * radius) ** 2,
        n_updates=len(walked),
        eta=eta,
        margin=margin,
        radius=radius,
        mistake_bound=None if margin is None else most_mistakes(radius, margin, w.size),
        meets_at=meeting(eta, margin or 0.0, radius, start, along) if bounded else None,
    )
    _check(trace, ledger, walked, start, w.dtype)
    return trace


def most_mistakes(length: float, margin: float, size: int) -> float:
    """``(length / γ)²`` from above, with a u of so many weights whose length is 1 but for rounding.

    Of mistakes there is a whole number, so that rounding down to one loses nothing.
    """
    ratio = length / margin * (1 + 4 * (size + 16) * EPS)
    found = ratio * ratio * (1 + 16 * EPS)
    return round(found, 0) if math.isfinite(found) and abs(found - round(found)) < 1e-6 else found


def _which_learners() -> str:
    """The learners that the theorem is about: as they come they move on mistakes alone, evenly."""
    listed = (entry for entry in CATALOGUE if entry.family == "linear")
    plain = [entry.class_name for entry in listed if entry.load()().rule().counts_tell_all]
    return (
        f"The theorem is about the plain perceptron: {', '.join(plain[:-1])} and {plain[-1]}, "
        "without a margin, with one learning rate and without class_weight or sample_weight."
    )


def _learning_rate(ledger: Ledger, n_vectors: int) -> float:
    """The step all updates share; other runs are refused."""
    steps, wrong = ledger.entries.step, ledger.entries.y_pred
    if ledger.start.rates:
        raise InputError(f"each weight moved by a rate of its own. {_which_learners()}")
    if ledger.start.is_scaled:
        raise InputError(f"the rule scaled the weights as well. {_which_learners()}")
    for k in np.flatnonzero(wrong < 0) if n_vectors > 1 else ():
        raise InputError(
            f"update {k + 1}, on row {ledger.entries.row[k]}, met a tie and raised the right class "
            f"without lowering another, so neither inequality need hold. {_which_learners()} With "
            "several classes fit with ties='positive', which never raises a class alone."
        )
    for k in np.flatnonzero(steps != steps[:1]):
        raise InputError(
            f"the steps differ: {steps[0]:g} at the first update, {steps[k]:g} at update {k + 1}. "
            f"{_which_learners()}"
        )
    return float(steps[0]) if len(steps) else 1.0


def unit_separator(separator: Any, shape: tuple[int, ...], n_features: int) -> FloatArray:
    """The separator in the shape of the weights, biases at the end, of length 1."""
    if hasattr(separator, "w") and hasattr(separator, "b"):
        separator = separator.w, separator.b
    try:
        given, offset = separator
        w, b = np.array(given, np.float64), np.array(offset, np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "separator must be a pair (w, b) of numbers or have attributes w and b."
        ) from None
    expected = (shape[0], n_features)
    fits = w.size == math.prod(expected) and w.shape in (expected, (w.size,))
    if not fits or b.size not in (1, shape[0]):
        raise InputError(
            f"separator has w of shape {w.shape} and b of shape {b.shape}, but this ledger was "
            f"recorded with weights of shape {expected} and {shape[0]} biases."
        )
    u = np.column_stack([w.reshape(expected), np.broadcast_to(b.ravel(), shape[0])])
    if not np.isfinite(u).all() or not u.any():
        raise InputError("separator must hold finite numbers, not all of them 0.")
    if shape[1] == n_features and b.any():
        raise InputError(
            f"separator has the bias {b.tolist()}, but this run had none (fit_intercept=False): "
            "give b = 0."
        )
    u = u[:, : shape[1]] / np.abs(u).max()
    return np.asarray(u / np.linalg.norm(u))


def _margin(ledger: Ledger, table: Any, u: FloatArray) -> float:
    """The smallest u·φ over the rows; a row that was never mistaken is taken to be right."""
    if not table.shape[0]:
        raise InputError("X has no rows: there is nothing to separate.")
    rows = Points(table, np.ones(table.shape[0]), u.shape[1] > table.shape[1])
    scores = np.column_stack([rows.products(v) for v in u])
    rounding = 2 * np.max([rows.rounding(v) for v in u], axis=0)
    known = np.unique(np.column_stack([ledger.entries.row, ledger.entries.y_true]), axis=0)
    mistaken, right = known[:, 0], known[:, 1]
    if len(u) == 1:
        scores = scores[:, 0]
        products = np.abs(scores)
    else:
        ranked = np.partition(scores, -2, axis=1)
        products = ranked[:, -1] - ranked[:, -2]
    np.minimum.at(products, mistaken, margins(scores[mistaken], right))
    products -= rounding
    worst = int(np.argmin(products))
    if not products[worst] > 0.0:
        raise InputError(
            f"separator does not separate the rows: row {worst} has the margin "
            f"{products[worst]:g}, less what rounding can add, and every row needs one above 0."
        )
    return float(products[worst])


def meeting(rate: float, margin: float, radius: float, squared: float, along: float) -> float:
    """The k at which ``along + k·rate·margin = sqrt(squared + k·rate²·radius²)``."""
    # In units of one step along u: a quadratic equation in k whose other root is not positive.
    a, n, r = along / (rate * margin), math.sqrt(squared) / (rate * margin), radius / margin
    half = r * r / 2 - a
    return half + math.sqrt(half * half + max(n * n - a * a, 0.0))


def _check(trace: ProofTrace, ledger: Ledger, walked: list[Move], start: float, dtype: Any) -> None:
    """Raise at the first update that breaks an inequality by more than rounding can."""
    k = np.arange(1.0, len(walked) + 1)
    relative = RELATIVE_SLACK[np.dtype(dtype)]
    largest = np.sqrt(np.maximum(np.maximum.accumulate(trace.squared_norm), start))
    # Each update rounds every weight once; so much of w may have been lost or gained by it.
    hidden = 2.0 * k * float(np.finfo(dtype).eps) * largest
    sides = [("‖w‖²", trace.squared_norm, "above ‖w₀‖² + k η² R²", trace.squared_norm_bound)]
    slack = 2.0 * hidden * (largest + trace.eta * trace.radius)
    beyond = [trace.squared_norm - trace.squared_norm_bound * (1 + relative) - slack]
    if trace.progress is not None and trace.progress_bound is not None:
        sides.append(("u·(w - w₀)", trace.progress, "below k η γ", trace.progress_bound))
        beyond.append(trace.progress_bound * (1 - relative) - hidden - trace.progress)
    elif trace.meets_at is not None:
        sides.append(("k", k, "above R²/γ²", np.full(len(k), trace.meets_at)))
        beyond.append(k - trace.meets_at * (1 + relative))
    broken = np.array(beyond) > 0
    if not broken.any():
        return
    at = int(np.argmax(broken.any(axis=0)))
    name, values, relation, bound = sides[int(np.argmax(broken[:, at]))]
    reason = _reason(ledger, walked[: at + 1], relative * largest * trace.radius)
    raise ProofViolation(
        f"update {at + 1}, on row {ledger.entries.row[at]}: {name} is {values[at]:.10g}, "
        f"{relation} = {bound[at]:.10g}. {reason}"
    )


def _reason(ledger: Ledger, walked: list[Move], negligible: FloatArray) -> str:
    """Which update was not one of a perceptron, if any."""
    for k, move in enumerate(walked):
        if move.margin > negligible[k]:
            return (
                f"Update {k + 1} was made on row {ledger.entries.row[k]} although it was right by "
                f"{move.margin:.4g}: the run had a margin or another rule, or this is another "
                f"ledger or X. {_which_learners()}"
            )
    return "The margin or radius given is not true of these rows, or this is another ledger or X."
