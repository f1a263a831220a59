"""Numerical check of the convergence proof: both of its inequalities after every update."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rosenblatt import checks
from rosenblatt.arrays import FloatArray
from rosenblatt.errors import InputError, RosenblattError
from rosenblatt.estimators.catalogue import CATALOGUE
from rosenblatt.html_tables import first_and_last, html_card, html_headline, html_table
from rosenblatt.inspection.runs import LinearRun, Move, finite_rows
from rosenblatt.models.ledger import Ledger
from rosenblatt.models.rows import margins
from rosenblatt.text_tables import ordinary
from rosenblatt.theory.margin_interval import longest
from rosenblatt.theory.points import EPS, FeatureMap, Points, Table, apply_feature_map

# Relative tolerance of the inequalities, for rounding errors.
RELATIVE_SLACK = {np.dtype(np.float32): 1e-4, np.dtype(np.float64): 1e-9}


class ProofViolation(RosenblattError):
    """Raised if a recorded run breaks an inequality that every perceptron run obeys."""


@dataclass(frozen=True, eq=False, repr=False)
class ProofTrace:
    """Both sides of both inequalities of the convergence proof, after every update.

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
        The number of updates.
    eta : float
        The learning rate η; 1 if there was no update.
    margin, radius : float
        γ and R; γ is None if it is unknown.
    mistake_bound : float or None
        ``R²/γ²``, an upper bound on the mistakes of a run that starts at 0.
    meets_at : float or None
        The k at which the two curves meet and the proof ends:
        ``u·w_0 + k η γ = sqrt(‖w_0‖² + k η² R²)``. For a start at 0 it is ``R²/γ²``. For another
        start it is None if there is no separator or no update.
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
        """The running maximum of ``‖w‖`` after each update.

        By the cycling theorem (Block and Levin 1970), ``‖w‖`` stays bounded on any finite set of
        rows, in any order. A run shows only a lower estimate of that bound. If the weights repeat
        (``stop_reason_ == "cycle"``), the last of these numbers is the bound for the run.
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
        columns = {
            "u·(w-w₀)": self.progress,
            "kηγ": self.progress_bound,
            "‖w‖²": self.squared_norm,
            "‖w₀‖² + kη²R²": self.squared_norm_bound,
        }
        known = {name: values for name, values in columns.items() if values is not None}
        shown, left_out = first_and_last(self.n_updates)
        rows = [(k + 1, *(ordinary(float(values[k])) for values in known.values())) for k in shown]
        table = html_table(left_out, ("k", *known), rows)
        return html_card(html_headline(repr(self)[1:-1]), table)


def proof(
    ledger: Ledger,
    X: Any,
    separator: Any = None,
    margin: float | None = None,
    *,
    radius: float | None = None,
    feature_map: FeatureMap = None,
) -> ProofTrace:
    """Check both inequalities of the convergence proof on a recorded run of the perceptron.

    If a unit vector u has ``y (u·x) >= γ`` on every row, then after k mistakes

        u·(w_k - w_0) >= k η γ        each update adds  η y (u·x) >= η γ
        ‖w_k‖² <= ‖w_0‖² + k η² R²    each adds  2 η y (w·x) + η² ‖x‖²,  of which the first is <= 0

    and from a start at 0 both can hold only for ``k <= R²/γ²``. Any violation beyond rounding
    raises an error.

    With a bias, all quantities are those of the augmented space: rows ``(x, 1)``, w followed by b,
    and R and γ of these. With several classes, they are those of Kesler's construction: w is the
    concatenation of all weight vectors, a mistake adds ``η φ`` with ``φ`` = x at the right class
    and -x at the wrong class, γ is the smallest ``(u_right - u_other)·x`` and ``R = √2 max ‖x‖``.

    Cost: a few passes over the stored values of the mistaken row for every update, and one over X.

    Parameters
    ----------
    ledger : Ledger
        The ``ledger_`` of a learner with ``record=True``.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows that were given to ``fit``.
    separator : pair (w, b) or object with attributes w and b, default=None
        A hyperplane that separates the rows, with w of any length. With several classes, w has one
        row and b one entry per class, in the order of ``ledger.classes``. Without a separator only
        the second inequality is checked.
    margin : float, default=None
        γ. If not given, it is the smallest margin over all rows. The ledger holds labels only for
        mistaken rows; all other rows count as right.
    radius : float, default=None
        R. If not given, it is the largest length of a row. With a bias or several classes, it is
        the length in the space described above.
    feature_map : callable or transformer, default=None
        Applied to X first, as it was before ``fit``.

    Raises
    ------
    ProofViolation
        If an inequality does not hold: the ledger or X does not belong to a run of the perceptron,
        or ``margin`` or ``radius`` is wrong.
    InputError
        If the separator does not separate the rows, or if the theorem does not cover the run: the
        steps differ, or an update raised one class without lowering another (ties of several
        classes; ``ties="positive"`` avoids them).

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

    # The separator, γ and R: given or computed.
    u = None if separator is None else unit_separator(separator, w.shape, table.shape[1])
    if margin is not None:
        margin = float(checks.number("margin", margin, above=0.0))
    elif u is not None:
        margin = _smallest_margin(ledger, table, u)
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

    # Both sides of both inequalities, after k = 1, 2, … updates.
    moves = list(run.moves(u))
    k = np.arange(1.0, len(moves) + 1)
    squared_start = float(np.sum(np.square(w, dtype=np.float64)))
    progress = None
    progress_bound = None
    if u is not None:
        progress = np.cumsum([move.forward for move in moves], dtype=float)
        if margin is not None:
            progress_bound = k * (eta * margin)

    # The bounds on the number of updates that follow from them.
    mistake_bound = None
    meets_at = None
    if margin is not None:
        mistake_bound = most_mistakes(radius, margin, w.size)
        if squared_start == 0.0 or (u is not None and len(moves) > 0):
            start_along_u = 0.0 if u is None else float(np.sum(u * w))
            meets_at = meeting(eta, margin, radius, squared_start, start_along_u)

    trace = ProofTrace(
        progress=progress,
        progress_bound=progress_bound,
        squared_norm=squared_start + np.cumsum([move.growth for move in moves], dtype=float),
        squared_norm_bound=squared_start + k * (eta * radius) ** 2,
        n_updates=len(moves),
        eta=eta,
        margin=margin,
        radius=radius,
        mistake_bound=mistake_bound,
        meets_at=meets_at,
    )
    _check(trace, ledger, moves, squared_start, w.dtype)
    return trace


def most_mistakes(length: float, margin: float, n_weights: int) -> float:
    """Return an upper bound on ``(length / γ)²``, rounding errors included.

    The margin is that of a u with this many weights, whose length is 1 except for rounding. The
    number of mistakes is an integer, so rounding down to one that is very close loses nothing.
    """
    ratio = length / margin * (1 + 4 * (n_weights + 16) * EPS)
    bound = ratio * ratio * (1 + 16 * EPS)
    if math.isfinite(bound) and abs(bound - round(bound)) < 1e-6:
        return round(bound, 0)
    return bound


def _which_learners() -> str:
    """Return a sentence that names the learners covered by the theorem.

    With default parameters they update only on mistakes, with one step size.
    """
    plain = []
    for entry in CATALOGUE:
        if entry.family == "linear" and entry.load()().rule().counts_tell_all:
            plain.append(entry.class_name)
    return (
        f"The theorem is about the plain perceptron: {', '.join(plain[:-1])} and {plain[-1]}, "
        "without a margin, with one learning rate and without class_weight or sample_weight."
    )


def _learning_rate(ledger: Ledger, n_vectors: int) -> float:
    """Return the common step size; raise an error if the theorem does not cover the run."""
    steps = ledger.entries.step
    wrong = ledger.entries.y_pred
    if ledger.start.rates:
        raise InputError(f"each weight moved by a rate of its own. {_which_learners()}")
    if ledger.start.is_scaled:
        raise InputError(f"the rule scaled the weights as well. {_which_learners()}")
    ties = np.flatnonzero(wrong < 0)
    if n_vectors > 1 and len(ties):
        k = ties[0]
        raise InputError(
            f"update {k + 1}, on row {ledger.entries.row[k]}, met a tie and raised the right class "
            f"without lowering another, so neither inequality need hold. {_which_learners()} With "
            "several classes fit with ties='positive', which never raises a class alone."
        )
    different = np.flatnonzero(steps != steps[:1])
    if len(different):
        k = different[0]
        raise InputError(
            f"the steps differ: {steps[0]:g} at the first update, {steps[k]:g} at update {k + 1}. "
            f"{_which_learners()}"
        )
    return float(steps[0]) if len(steps) else 1.0


def unit_separator(separator: Any, shape: tuple[int, ...], n_features: int) -> FloatArray:
    """Validate a separator; return it normalized, in the shape of the weights with biases last."""
    # Callers may give a hyperplane, a fitted object with w and b, or a pair.
    if hasattr(separator, "w") and hasattr(separator, "b"):
        separator = separator.w, separator.b
    try:
        given_w, given_b = separator
        w = np.array(given_w, np.float64)
        b = np.array(given_b, np.float64)
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
    # Divided by the largest entry first, so that no square overflows.
    u = u[:, : shape[1]] / np.abs(u).max()
    return np.asarray(u / np.linalg.norm(u))


def _smallest_margin(ledger: Ledger, table: Table, u: FloatArray) -> float:
    """Return the margin of u: the smallest u·φ over the rows, less rounding errors.

    The ledger holds labels only for mistaken rows; all other rows count as right.
    """
    if not table.shape[0]:
        raise InputError("X has no rows: there is nothing to separate.")
    rows = Points(table, np.ones(table.shape[0]), u.shape[1] > table.shape[1])
    scores = np.column_stack([rows.products(v) for v in u])
    rounding = 2 * np.max([rows.rounding(v) for v in u], axis=0)
    if len(u) == 1:
        scores = scores[:, 0]
        products = np.abs(scores)
    else:
        ranked = np.partition(scores, -2, axis=1)
        products = ranked[:, -1] - ranked[:, -2]

    # The mistaken rows by their true labels.
    known = np.unique(np.column_stack([ledger.entries.row, ledger.entries.y_true]), axis=0)
    mistaken = known[:, 0]
    right = known[:, 1]
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
    """Return the number of updates k at which both curves of the proof meet.

    It solves ``along + k·rate·margin = sqrt(squared + k·rate²·radius²)``.
    """
    # In units of one step along u it is (a + k)² = n² + k r², a quadratic equation in k whose other
    # root is not positive.
    step = rate * margin
    a = along / step
    n = math.sqrt(squared) / step
    r = radius / margin
    half = r * r / 2 - a
    return half + math.sqrt(half * half + max(n * n - a * a, 0.0))


class _Inequality(NamedTuple):
    """One inequality of the proof, evaluated after every update.

    It is violated where ``excess`` is above 0.
    """

    name: str
    values: FloatArray
    relation: str
    bound: FloatArray
    excess: FloatArray


def _check(
    trace: ProofTrace,
    ledger: Ledger,
    moves: list[Move],
    squared_start: float,
    dtype: np.dtype[Any],
) -> None:
    """Raise `ProofViolation` if an update violates an inequality by more than rounding errors."""
    k = np.arange(1.0, len(moves) + 1)
    relative = RELATIVE_SLACK[np.dtype(dtype)]
    largest = np.sqrt(np.maximum(np.maximum.accumulate(trace.squared_norm), squared_start))
    # Each update rounds every weight once; w may be off by this much in total.
    rounding = 2.0 * k * float(np.finfo(dtype).eps) * largest

    slack = 2.0 * rounding * (largest + trace.eta * trace.radius)
    inequalities = [
        _Inequality(
            "‖w‖²",
            trace.squared_norm,
            "above ‖w₀‖² + k η² R²",
            trace.squared_norm_bound,
            excess=trace.squared_norm - trace.squared_norm_bound * (1 + relative) - slack,
        )
    ]
    if trace.progress is not None and trace.progress_bound is not None:
        inequalities.append(
            _Inequality(
                "u·(w - w₀)",
                trace.progress,
                "below k η γ",
                trace.progress_bound,
                excess=trace.progress_bound * (1 - relative) - rounding - trace.progress,
            )
        )
    elif trace.meets_at is not None:
        inequalities.append(
            _Inequality(
                "k",
                k,
                "above R²/γ²",
                np.full(len(k), trace.meets_at),
                excess=k - trace.meets_at * (1 + relative),
            )
        )

    is_broken = np.array([one.excess for one in inequalities]) > 0
    if not is_broken.any():
        return
    at = int(np.argmax(is_broken.any(axis=0)))
    broken = inequalities[int(np.argmax(is_broken[:, at]))]
    reason = _violation_reason(ledger, moves[: at + 1], relative * largest * trace.radius)
    raise ProofViolation(
        f"update {at + 1}, on row {ledger.entries.row[at]}: {broken.name} is "
        f"{broken.values[at]:.10g}, {broken.relation} = {broken.bound[at]:.10g}. {reason}"
    )


def _violation_reason(ledger: Ledger, moves: list[Move], negligible: FloatArray) -> str:
    """Explain a violation: an update on a row that was right, or else a wrong argument."""
    for k, move in enumerate(moves):
        if move.margin > negligible[k]:
            return (
                f"Update {k + 1} was made on row {ledger.entries.row[k]} although it was right by "
                f"{move.margin:.4g}: the run had a margin or another rule, or this is another "
                f"ledger or X. {_which_learners()}"
            )
    return "The margin or radius given is not true of these rows, or this is another ledger or X."
