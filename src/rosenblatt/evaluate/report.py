"""Predictions beside the labels: accuracy, each class, and which class is taken for which."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError
from rosenblatt.evaluate import metrics
from rosenblatt.evaluate.metrics import Reliability
from rosenblatt.evaluate.score_curves import ScoreCurve
from rosenblatt.html_tables import escape, html_card, html_table
from rosenblatt.text_tables import text_table

SCHEMA = 1
WIDTH = 80
MATRIX_CLASSES = 8
DENSE_CLASSES = 1_000
WORST_PAIRS = 10
LONGEST_NAME = 24
CORNER = "true \\ predicted"


@dataclass(frozen=True)
class ClassReport:
    """One class; a share of nothing (no such prediction, no such row) is 0.

    Attributes
    ----------
    label : object
    precision : float
        Share of the predictions of this class that are right.
    recall : float
        Share of the rows of this class that are found.
    f1 : float
        Harmonic mean of the two.
    support : int
        Rows of this class.
    """

    label: Any
    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True)
class Report:
    """What `report` found.

    Attributes
    ----------
    n : int
        Number of rows.
    mistakes : int
        Predictions that are wrong.
    accuracy : float
        Share of right predictions.
    baseline : float
        Share of the most frequent class: the accuracy of always predicting it.
    most_frequent : object
        That class.
    classes : list
    per_class : list of ClassReport
        In the order of `classes`.
    curves : list of ScoreCurve
        What every threshold comes to, of two classes for the second one; of more for each that
        occurs, against the rest: by their probabilities, or by how far a score is ahead of the best
        other. Empty without scores.
    roc_area, pr_area : float or None
        Means of the areas under the ROC and the precision-recall curves. None without scores.
    log_loss : float or None
        Mean of -log of the probability of the right class. None without probabilities.
    reliability : Reliability or None
        Probabilities in ten bins beside how often they came true; ``reliability.error`` is the
        expected calibration error. None without probabilities.
    pairs : ndarray of shape (n_pairs, 3)
        The pairs of classes that occur: number of the true class, of the predicted one, how often.
    confusion : ndarray of shape (n_classes, n_classes)
        ``confusion[i, j]``: rows of class i that were predicted as class j. Made when asked for,
        since of many classes most pairs do not occur.
    """

    n: int
    mistakes: int
    accuracy: float
    baseline: float
    most_frequent: Any
    classes: list[Any]
    per_class: list[ClassReport]
    pairs: npt.NDArray[np.int64]
    curves: list[ScoreCurve] = field(default_factory=list, compare=False)
    log_loss: float | None = None
    reliability: Reliability | None = None

    @property
    def roc_area(self) -> float | None:
        return float(np.mean([c.roc_area for c in self.curves])) if self.curves else None

    @property
    def pr_area(self) -> float | None:
        return float(np.mean([c.pr_area for c in self.curves])) if self.curves else None

    @property
    def balanced_accuracy(self) -> float:
        """The mean recall of the classes that occur."""
        return float(np.mean([c.recall for c in self.per_class if c.support]))

    @property
    def macro(self) -> dict[str, float]:
        """The means of ``precision``, ``recall`` and ``f1`` over all classes of the confusions."""
        known = np.unique(self.pairs[:, :2])
        names = ("precision", "recall", "f1")
        return {n: float(np.mean([getattr(self.per_class[k], n) for k in known])) for n in names}

    @property
    def confusion(self) -> npt.NDArray[np.int64]:
        found = np.zeros((len(self.classes), len(self.classes)), np.int64)
        true, predicted, n = self.pairs.T
        found[true, predicted] = n
        return found

    def worst_pairs(self, most: int = WORST_PAIRS) -> list[tuple[Any, Any, int]]:
        """The most frequent confusions: true class, prediction, how often."""
        wrong = self.pairs[self.pairs[:, 0] != self.pairs[:, 1]]
        order = np.argsort(-wrong[:, 2], kind="stable")[:most]
        return [(self.classes[a], self.classes[b], n) for a, b, n in wrong[order].tolist()]

    def lines(self) -> list[str]:
        """The report as text of at most 80 columns."""
        lines = [
            f"{self.n:,} rows, {self.mistakes:,} wrong",
            f"accuracy  {self.accuracy:.4f}",
            f"baseline  {self.baseline:.4f}  (always {short_label(self.most_frequent)})",
            f"balanced  {self.balanced_accuracy:.4f}; macro "
            + ", ".join(f"{name} {value:.4f}" for name, value in self.macro.items()),
        ]
        if self.roc_area is not None and self.pr_area is not None:
            lines.append(f"ROC area  {self.roc_area:.4f}, precision-recall area {self.pr_area:.4f}")
        if self.log_loss is not None and self.reliability is not None:
            error = f"calibration error {self.reliability.error:.4f}"
            lines.append(f"log loss  {self.log_loss:.4f}, {error}")
        lines.append("")
        lines += [*self.class_lines(), ""]
        return lines + (self._matrix_lines() or self.pair_lines())

    def class_lines(self, title: str = "class", unit: str = "rows") -> list[str]:
        """A table of the classes; `unit` is what there are many of in a class."""
        rows = [
            (short_label(c.label), *four_digits(c.precision, c.recall, c.f1), f"{c.support:,}")
            for c in self.per_class
        ]
        return text_table(rows, (title, "precision", "recall", "f1", unit))

    def _matrix_lines(self) -> list[str]:
        """The matrix of confusions; none if it does not fit."""
        names = [short_label(label) for label in self.classes]
        if len(names) > MATRIX_CLASSES:
            return []
        counts = zip(names, self.confusion.tolist(), strict=True)
        rows = [(name, *(f"{count:,}" for count in row)) for name, row in counts]
        lines = text_table(rows, (CORNER, *names))
        return lines if len(lines[0]) <= WIDTH else []

    def pair_lines(self, unit: str = "rows") -> list[str]:
        """A table of the most frequent confusions."""
        pairs = self.worst_pairs()
        if not pairs:
            return ["no class was taken for another"]
        rows = [(*map(short_label, pair), f"{count:,}") for *pair, count in pairs]
        return text_table(rows, ("true", "predicted", unit), align="<<>")

    def curve_lines(self) -> list[str]:
        """Of two classes what a few thresholds come to; of more the areas of each class."""
        if len(self.curves) != 1:
            areas = [
                (short_label(c.label), *four_digits(c.roc_area, c.pr_area)) for c in self.curves
            ]
            return text_table(areas, ("class", "ROC area", "precision-recall area"))
        (curve,) = self.curves
        found = [curve.at(threshold) for threshold in curve.thresholds()]
        best = max(one["f1"] for one in found)
        rows = [
            (
                f"{one['threshold']:.6g}",
                *four_digits(one["precision"], one["recall"], one["f1"]),
                f"{one['rows']:,}",
                "largest f1" if one["f1"] == best else "",
            )
            for one in found
        ]
        above = f"rows above, {short_label(curve.label)}"
        head = ("threshold", "precision", "recall", "f1", above, "")
        return text_table(rows, head, align=">>>>><")

    def to_json(self) -> dict[str, Any]:
        """The report as plain data; the matrix of confusions is null of very many classes."""
        return {
            "schema": SCHEMA,
            "rows": self.n,
            "mistakes": self.mistakes,
            "accuracy": self.accuracy,
            "baseline": self.baseline,
            "most_frequent": plain_label(self.most_frequent),
            "classes": [plain_label(label) for label in self.classes],
            "per_class": [{**asdict(c), "label": plain_label(c.label)} for c in self.per_class],
            "balanced_accuracy": self.balanced_accuracy,
            "macro": self.macro,
            "roc_area": self.roc_area,
            "pr_area": self.pr_area,
            "log_loss": self.log_loss,
            "calibration_error": None if self.reliability is None else self.reliability.error,
            "reliability": None
            if self.reliability is None
            else {name: values.tolist() for name, values in vars(self.reliability).items()},
            "confusion": self.confusion.tolist() if len(self.classes) <= DENSE_CLASSES else None,
        }

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return (
            f"<Report: {self.n:,} rows, {self.mistakes:,} wrong, accuracy {self.accuracy:.4f}, "
            f"baseline {self.baseline:.4f}>"
        )

    def _repr_html_(self) -> str:
        rows = [
            (c.label, f"{c.precision:.4f}", f"{c.recall:.4f}", f"{c.f1:.4f}", f"{c.support:,}")
            for c in self.per_class
        ]
        each = html_table("Each class", ("class", "precision", "recall", "f1", "rows"), rows)
        if len(self.classes) <= MATRIX_CLASSES:
            head = (CORNER, *self.classes)
            taken = [
                (label, *(f"{count:,}" for count in row))
                for label, row in zip(self.classes, self.confusion.tolist(), strict=True)
            ]
            which = html_table("Which class is taken for which", head, taken)
        else:
            pairs = [(*pair, f"{count:,}") for *pair, count in self.worst_pairs()]
            which = html_table("Most frequent confusions", ("true", "predicted", "rows"), pairs)
        words = (
            f"<p><b>{self.accuracy:.4f}</b> accuracy: {self.mistakes:,} of {self.n:,} rows wrong. "
            f"Always predicting {escape(str(self.most_frequent))} gives {self.baseline:.4f}.</p>"
        )
        return html_card(words, each, which)


def report(
    y_true: Iterable[Any],
    y_pred: Iterable[Any],
    classes: Any = None,
    *,
    scores: Any = None,
    probabilities: Any = None,
) -> Report:
    """Compare predictions with the labels.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of any kind: numbers or texts.
    classes : list, default=None
        The classes in the order wanted; classes that occur and are not listed follow, sorted.
        None: all that occur, sorted.
    scores : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        What ``decision_function`` gives, for the areas under the curves.
    probabilities : array-like of shape (n_samples, n_classes), default=None
        What ``predict_proba`` gives, for the log loss and the calibration error.

    Returns
    -------
    report : Report

    See Also
    --------
    progressive : Mistakes of a learner on a stream, while it learns.

    Examples
    --------
    >>> from rosenblatt.evaluate import report
    >>> found = report(["ham", "ham", "ham", "spam"], ["ham", "ham", "spam", "spam"])
    >>> found.accuracy, found.baseline
    (0.75, 0.75)
    >>> print(found)
    4 rows, 1 wrong
    accuracy  0.7500
    baseline  0.7500  (always ham)
    balanced  0.8333; macro precision 0.7500, recall 0.8333, f1 0.7333
    <BLANKLINE>
    class  precision  recall      f1  rows
    ham       1.0000  0.6667  0.8000     3
    spam      0.5000  1.0000  0.6667     1
    <BLANKLINE>
    true \\ predicted  ham  spam
    ham                 2     1
    spam                0     1
    """
    true, given = _listed("y_true", y_true), _listed("y_pred", y_pred)
    if len(true) != len(given):
        raise InputError(
            f"y_true has {len(true):,} labels and y_pred {len(given):,}; give one prediction a row."
        )
    if not true:
        raise InputError("there are 0 rows; give at least one.")
    named = dict.fromkeys(_listed("classes", classes) if classes is not None else [])
    named.update(dict.fromkeys(_sorted({*true, *given} - named.keys())))
    places = {label: i for i, label in enumerate(named)}
    n = len(places)
    rows = np.fromiter((places[label] for label in true), np.int64, len(true))
    columns = np.fromiter((places[label] for label in given), np.int64, len(given))
    support, predicted, right = (
        np.bincount(found, minlength=n) for found in (rows, columns, rows[rows == columns])
    )
    counts = zip(places, right.tolist(), predicted.tolist(), support.tolist(), strict=True)
    most, correct, listed = int(support.argmax()), int(right.sum()), list(places)
    keys, times = np.unique(rows * n + columns, return_counts=True)
    known: dict[str, Any] = {}
    if probabilities is not None:
        shares = metrics.checked("probabilities", probabilities, len(true), n)
        known["log_loss"] = metrics.log_loss(rows, shares)
        known["reliability"] = metrics.reliability(rows, shares)
        scores = shares
    if scores is not None:
        ranked = metrics.checked("scores", scores, len(true), n)
        ranked = metrics.leads(ranked) if n > 2 and probabilities is None else ranked
        known["curves"] = metrics.curves(listed, rows, ranked)
    return Report(
        n=len(true),
        mistakes=len(true) - correct,
        accuracy=correct / len(true),
        baseline=int(support[most]) / len(true),
        most_frequent=listed[most],
        classes=listed,
        per_class=[
            ClassReport(label, r / p if p else 0.0, r / s if s else 0.0, 2 * r / (p + s or 1), s)
            for label, r, p, s in counts
        ],
        pairs=np.column_stack([keys // n, keys % n, times]),
        **known,
    )


def _listed(argument: str, labels: Any) -> list[Any]:
    if isinstance(labels, str | bytes):
        raise InputError(f"{argument} must be a list of labels, not one text.")
    values = np.asarray(labels) if hasattr(labels, "__array__") else None
    if values is None:
        return list(labels)
    if values.ndim != 1:
        raise InputError(f"{argument} has shape {values.shape}; give one label a row.")
    listed: list[Any] = values.tolist()
    return listed


def _sorted(labels: set[Any]) -> list[Any]:
    try:
        return sorted(labels)
    except TypeError:  # labels of several kinds: any order will do that is always the same
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))


def four_digits(*shares: float) -> list[str]:
    return [f"{share:.4f}" for share in shares]


def short_label(label: Any) -> str:
    """A label that keeps its place in a table and cannot steer a terminal."""
    text = "".join(c if c.isprintable() else "?" for c in str(label))
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def plain_label(label: Any) -> Any:
    return label if label is None or isinstance(label, str | int | float) else str(label)
