"""What theory says of the examples: separable or not, with proof, and the bound on mistakes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import rosenblatt
from rosenblatt.arrays import FloatArray, IndexArray
from rosenblatt.errors import InputError
from rosenblatt.studio.mapped_rows import MappedRows, numbers_of
from rosenblatt.studio.page_runs import PageRun
from rosenblatt.theory.argmax import ArgmaxSeparability, RivalConflict
from rosenblatt.theory.certificates import CertificateError, Conflict, check_best_score
from rosenblatt.theory.mistake_bounds import mistake_bound
from rosenblatt.theory.proof import meeting, most_mistakes
from rosenblatt.theory.separability import separability

# Numbers of all weight vectors together up to which the best of them are found within a second.
MAX_WEIGHTS = 100
# So many scores a perceptron may take to separate more of them.
MAX_SCORES = 20_000_000
# A margin smaller than the radius by more than this is no more than rounding.
LARGEST_RATIO = 1e100
# A fraction with a larger denominator is easier to read as a decimal.
LARGEST_DENOMINATOR = 100
SHOWN = 6


@dataclass(frozen=True, eq=False)
class Verdict:
    """A verdict on examples; with a bias R, γ and u are those of the rows with a 1 appended.

    ``u`` has a row for each weight vector, the bias last, and length 1 all together.
    """

    separable: bool | None
    sentence: str
    radius: float
    margin: float | None
    u: FloatArray | None
    conflict: dict[str, Any] | None

    @property
    def bound(self) -> float | None:
        if self.margin is None or self.u is None:
            return None
        return most_mistakes(self.radius, self.margin, self.u.size)

    @classmethod
    def on(cls, examples: MappedRows, *, fit_intercept: bool) -> Verdict:
        table = TheoremRows.of(examples, fit_intercept)
        several = len(examples.classes) > 2
        longest = math.sqrt(float(np.square(table.Z).sum(axis=1).max()))
        radius = longest * (math.sqrt(2.0) if several else 1.0)
        quick = not several or len(examples.classes) * table.Z.shape[1] <= MAX_WEIGHTS
        found: Any = table.separability(examples) if quick else table.tried(len(examples.classes))
        margin, u, conflict = None, None, None
        if found.separable and quick:
            margin, u = table.best()
        elif found.conflict is not None:
            describe = _multiclass_conflict if several else _binary_conflict
            conflict = describe(found.conflict, examples, fit_intercept=fit_intercept)
        if margin is not None and not radius / margin < LARGEST_RATIO:
            margin = u = None
        if u is not None and not fit_intercept:
            u = np.column_stack([u, np.zeros(len(u))])
        sentence = _sentence(examples, found, fit_intercept)
        return cls(found.separable, sentence, radius, margin, u, conflict)

    def of(self, run: PageRun, proof: dict[str, Any] | None) -> dict[str, Any]:
        """The verdict, and what follows from it for one run, whose proof is given."""
        return {
            "separable": self.separable,
            "sentence": f"{self.sentence} {self._consequence(run, proof)}".strip(),
            "radius": self.radius,
            "margin": self.margin,
            "bound": self.bound,
            "separator": None if self.u is None else numbers_of(self.u.ravel()),
            "conflict": self.conflict,
        }

    def _consequence(self, run: PageRun, proof: dict[str, Any] | None) -> str:
        if self.separable is None:
            return ""
        if not self.separable:
            return "So a perceptron never stops making mistakes."
        if proof is None or self.bound is None:
            return "Their margin, and so the bound on mistakes, was not measured."
        bound = f"The bound R²/γ² = {_counted(self.bound)} is for"
        if not _has_bounded_rule(run):
            return f"{bound} the plain perceptron; this learner has another rule."
        if not proof["applies"]:
            return (
                f"{bound} a perceptron that lets one class win a tie; this one takes a tie for a "
                "mistake and raises the right class alone, which the proof does not cover."
            )
        if proof["since"]:
            return (
                f"{bound} a perceptron that lets one class win a tie. This one raised the right "
                f"class alone at its last tie, update {proof['since']:,}; from there both "
                f"inequalities hold, and it makes no more than {_counted(proof['bound'])} in all."
            )
        if not run.weights[0].any():
            return (
                "So a perceptron that starts at 0 makes no more than R²/γ² = "
                f"{_counted(self.bound)}, in any order."
            )
        if proof["bound"] is None:
            return f"{bound} a start at 0."
        return (
            f"{bound} a start at 0; from these first weights it is {_counted(proof['bound'])}, "
            "where the two curves meet."
        )

    def proof(self, run: PageRun) -> dict[str, Any] | None:
        """Both sides of the proof along a run: how far it went along u, and how long it became."""
        if self.u is None:
            return None
        flat = run.weights.reshape(len(run.weights), -1)
        along, norm = flat @ self.u.ravel(), np.linalg.norm(flat, axis=1)
        # A class raised alone breaks the inequalities; from the last such update on they hold, if
        # nothing comes after the run.
        alone = np.flatnonzero(run.entries.y_pred < 0)
        since = int(alone[-1]) + 1 if run.vectors > 1 and len(alone) else 0
        ended = run.stop_reason == "separated" and not run.truncated
        applies = _has_bounded_rule(run) and (not since or ended)
        bound = self._bound_of(run, since, along, norm) if applies else self.bound
        return {
            "u_dot_w": numbers_of(along),
            "norm": numbers_of(norm),
            "applies": applies,
            "since": since if applies else 0,
            "radius": self.radius,
            "margin": self.margin,
            "bound": bound,
        }

    def _bound_of(
        self, run: PageRun, since: int, along: FloatArray, norm: FloatArray
    ) -> float | None:
        """The most mistakes of this run, from weights that may be other than 0."""
        if not since and not run.weights[0].any():
            return self.bound
        if not len(run.entries.step) or self.margin is None:
            return None
        rate, squared = float(run.entries.step[0]), float(norm[since]) ** 2
        return since + meeting(rate, self.margin, self.radius, squared, float(along[since]))


@dataclass(frozen=True, eq=False)
class TheoremRows:
    """The rows in the space where the theorem lives.

    One class alone has no other to be separated from: its first row, turned over, stands in for
    one, which asks the same of a vector through the origin.
    """

    Z: FloatArray
    y: IndexArray
    fit_intercept: bool
    turned: bool

    @classmethod
    def of(cls, examples: MappedRows, fit_intercept: bool) -> TheoremRows:
        Z, y = examples.X, examples.y
        if fit_intercept:
            Z = np.column_stack([Z, np.ones(len(Z))])
        if examples.one_class:
            Z, y = np.vstack([Z, -Z[:1]]), np.append(y, 0)
        return cls(np.ascontiguousarray(Z), y, fit_intercept, examples.one_class)

    def separability(self, examples: MappedRows) -> Any:
        X = self.Z if self.turned else examples.X
        try:
            return separability(X, self.y, fit_intercept=self.fit_intercept and not self.turned)
        except InputError:
            classes = tuple(range(len(examples.classes)))
            return ArgmaxSeparability("undecided", classes, "their numbers differ too much in size")

    def tried(self, k: int) -> ArgmaxSeparability:
        """A verdict on many classes: that of a perceptron, checked, if it comes to one."""
        epochs = max(10, MAX_SCORES // (len(self.Z) * k))
        plain: Any = {"ties": "positive", "fit_intercept": False, "tol": None}
        learner, classes = rosenblatt.Perceptron(max_iter=epochs, **plain), tuple(range(k))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            learner.fit(self.Z, self.y)
        try:
            check_best_score(self.Z, self.y, learner.coef_, learner.intercept_)
        except CertificateError:
            why = f"with {k} classes it is not proven, and {epochs:,} epochs did not separate them"
            return ArgmaxSeparability("undecided", classes, why)
        return ArgmaxSeparability("separable", classes, coef=learner.coef_)

    def best(self) -> tuple[float | None, FloatArray | None]:
        """The largest margin and the unit vector that has it."""
        found = mistake_bound(self.Z, self.y, fit_intercept=False)
        if found.deviation:  # separable, but by less than rounding can tell
            return None, None
        return found.margin, np.atleast_2d(found.u)


def _has_bounded_rule(run: PageRun) -> bool:
    """Whether the theorem is about its rule: steps of one length, on mistakes alone."""
    return run.even_steps and run.recipe.entry.family == "linear"


def _counted(bound: float) -> str:
    most = f"{bound:,.4g}" if bound < 1000 else f"{math.floor(bound):,}"
    return f"{most} mistake{'s' * (most != '1')}"


def _sentence(examples: MappedRows, found: Any, fit_intercept: bool) -> str:
    several = len(examples.classes) > 2
    if several:
        by = f"by the largest of {len(examples.classes)} scores"
    else:
        by = "by a line" if len(examples.names) == 2 else "by a plane"
    where = "" if len(examples.names) == 2 else f" in the space of {', '.join(examples.names)}"
    by += where + (
        "" if fit_intercept else ", without a bias" if several else " through the origin"
    )
    if found.separable is None:
        return f"It could not be decided whether the classes are separable {by}: {found.detail}."
    if not found.separable:
        return f"The classes are not separable {by}."
    if examples.one_class:
        side = by.removeprefix("by ")
        return (
            f"There is only one class, {examples.classes[1]}: its points lie on one side of {side}."
        )
    return f"The classes are separable {by}."


def _binary_conflict(
    conflict: Conflict, examples: MappedRows, *, fit_intercept: bool
) -> dict[str, Any]:
    """Weighted points of both classes that meet; without a bias, that add up to nothing."""
    # One class alone had its first row turned over in the place of another class.
    rows = [row if row < len(examples) else 0 for row in conflict.rows]
    numbers = examples.numbers[rows].tolist()
    facts: dict[str, Any] = {"rows": numbers, "weights": [*map(float, conflict.weights)]}
    if not fit_intercept:
        terms = _listed(conflict.weights, numbers)
        said = f"Turned to one side of the origin, {terms} add up to nothing"
        return facts | {
            "point": [0, 0],
            "sentence": f"{said}, so no line through the origin separates the classes.",
        }
    sides = []
    for place in (0, 1):
        chosen = [i for i, row in enumerate(rows) if examples.y[row] == place]
        total = sum(conflict.weights[i] for i in chosen)
        shares = [conflict.weights[i] / total for i in chosen]
        sides.append((shares, [rows[i] for i in chosen]))
    named = [(shares, examples.numbers[of].tolist()) for shares, of in sides]
    shares, of = sides[1]
    meeting = np.array([float(share) for share in shares]) @ examples.X[of]
    at = ", ".join(f"{value:.4g}".replace("-", "−") for value in meeting)
    facts["point"] = numbers_of(meeting[:2])
    facts["sentence"] = _capital(
        f"{_listed(*named[0])} (class {examples.classes[0]}) and {_listed(*named[1])} "
        f"(class {examples.classes[1]}) make the same point ({at}), which cannot lie on both sides."
    )
    return facts


def _multiclass_conflict(
    conflict: RivalConflict, examples: MappedRows, *, fit_intercept: bool
) -> dict[str, Any]:
    """Weighted points, each against a class that is not its own."""
    rows = examples.numbers[list(conflict.rows)].tolist()
    listed = _listed(conflict.weights, rows)
    return {
        "rows": rows,
        "weights": [float(weight) for weight in conflict.weights],
        "wrong": [int(wrong) for wrong in conflict.wrong],
        "point": None,
        "sentence": _capital(
            f"{listed}, each against another class, add up to nothing: no scores "
            f"{'' if fit_intercept else 'without a bias '}can be right for all of them."
        ),
    }


def _listed(weights: Sequence[Any], rows: Sequence[int]) -> str:
    """``1/2 of point 1 and 1/2 of point 4``, cut after a few."""
    terms = [f"{_share(weight)}point {row + 1}" for weight, row in zip(weights, rows, strict=True)]
    if len(terms) > SHOWN:
        terms = [*terms[: SHOWN - 1], f"{len(terms) - SHOWN + 1} more"]
    return terms[0] if len(terms) == 1 else f"{', '.join(terms[:-1])} and {terms[-1]}"


def _share(weight: Any) -> str:
    if isinstance(weight, Fraction) and weight.denominator <= LARGEST_DENOMINATOR:
        return "" if weight == 1 else f"{weight} of "
    return f"{float(weight):.3g} of "


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]
