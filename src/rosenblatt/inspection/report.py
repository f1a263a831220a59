"""Comparison of predictions with labels: accuracy, figures per class, confusions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import InputError
from rosenblatt.html_tables import escape, html_card, html_table
from rosenblatt.inspection import metrics
from rosenblatt.inspection.metrics import Reliability
from rosenblatt.inspection.score_curves import ScoreCurve
from rosenblatt.text_tables import text_table

# Version of the JSON layout.
SCHEMA = 1
# Maximum widths of the report and of a name in it, in characters.
WIDTH = 80
LONGEST_NAME = 24
# With more classes, text and HTML show the most frequent confusions instead of the matrix.
MATRIX_CLASSES = 8
WORST_PAIRS = 10
# With more classes, the JSON has no matrix of confusions.
DENSE_CLASSES = 1_000
CORNER = "true \\ predicted"


@dataclass(frozen=True)
class ClassReport:
    """Precision, recall and F1 of one class; a share with a denominator of 0 is 0.

    Attributes
    ----------
    label : object
    precision : float
        Share of the predictions of this class that are right.
    recall : float
        Share of the rows of this class that are predicted as such.
    f1 : float
        Harmonic mean of precision and recall.
    support : int
        Number of rows of this class.
    """

    label: Hashable
    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True)
class Report:
    """The result of `report`.

    Attributes
    ----------
    n : int
        Number of rows.
    mistakes : int
        Number of wrong predictions.
    accuracy : float
        Share of right predictions.
    baseline : float
        Share of the most frequent class: the accuracy of always predicting it.
    most_frequent : object
        The most frequent class.
    classes : list
        All classes, in order.
    per_class : list of ClassReport
        In the order of `classes`.
    curves : list of ScoreCurve
        ROC and precision-recall curves: one for the second of two classes, otherwise one for each
        class that occurs, against the rest. Rows are ranked by probability or, without
        probabilities, by the lead of a score over the best other one. Empty without scores.
    roc_area, pr_area : float or None
        Mean area under the ROC curves, and under the precision-recall curves. None without scores.
    log_loss : float or None
        Mean of -log of the probability of the right class. None without probabilities.
    reliability : Reliability or None
        Reliability diagram in ten bins; ``reliability.error`` is the expected calibration error.
        None without probabilities.
    pairs : ndarray of shape (n_pairs, 3)
        The pairs of classes that occur: index of the true class, index of the predicted class,
        number of rows.
    confusion : ndarray of shape (n_classes, n_classes)
        ``confusion[i, j]``: rows of class i that were predicted as class j. It is computed on each
        access, because with many classes it is large and mostly zero.
    """

    n: int
    mistakes: int
    accuracy: float
    baseline: float
    most_frequent: Hashable
    classes: list[Any]
    per_class: list[ClassReport]
    pairs: npt.NDArray[np.int64]
    curves: list[ScoreCurve] = field(default_factory=list, compare=False)
    log_loss: float | None = None
    reliability: Reliability | None = None

    @property
    def roc_area(self) -> float | None:
        if not self.curves:
            return None
        return float(np.mean([c.roc_area for c in self.curves]))

    @property
    def pr_area(self) -> float | None:
        if not self.curves:
            return None
        return float(np.mean([c.pr_area for c in self.curves]))

    @property
    def balanced_accuracy(self) -> float:
        """Mean recall of the classes that occur."""
        return float(np.mean([c.recall for c in self.per_class if c.support]))

    @property
    def macro(self) -> dict[str, float]:
        """Means of precision, recall and F1 over all classes that occur or were predicted."""
        known = [self.per_class[k] for k in np.unique(self.pairs[:, :2])]
        return {
            "precision": float(np.mean([c.precision for c in known])),
            "recall": float(np.mean([c.recall for c in known])),
            "f1": float(np.mean([c.f1 for c in known])),
        }

    @property
    def confusion(self) -> npt.NDArray[np.int64]:
        matrix = np.zeros((len(self.classes), len(self.classes)), np.int64)
        true, predicted, n = self.pairs.T
        matrix[true, predicted] = n
        return matrix

    def worst_pairs(self, most: int = WORST_PAIRS) -> list[tuple[Hashable, Hashable, int]]:
        """Return the most frequent confusions: true class, predicted class, number of rows."""
        wrong = self.pairs[self.pairs[:, 0] != self.pairs[:, 1]]
        order = np.argsort(-wrong[:, 2], kind="stable")[:most]
        return [(self.classes[a], self.classes[b], n) for a, b, n in wrong[order].tolist()]

    def lines(self) -> list[str]:
        """Return the report as lines of at most 80 characters."""
        macro = ", ".join(f"{name} {value:.4f}" for name, value in self.macro.items())
        lines = [
            f"{self.n:,} rows, {self.mistakes:,} wrong",
            f"accuracy  {self.accuracy:.4f}",
            f"baseline  {self.baseline:.4f}  (always {short_label(self.most_frequent)})",
            f"balanced  {self.balanced_accuracy:.4f}; macro {macro}",
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
        """Return a table of the classes; `unit` is the title of the column of counts."""
        rows = [
            (short_label(c.label), *four_digits(c.precision, c.recall, c.f1), f"{c.support:,}")
            for c in self.per_class
        ]
        return text_table(rows, (title, "precision", "recall", "f1", unit))

    def _matrix_lines(self) -> list[str]:
        """Return the matrix of confusions; an empty list if it does not fit."""
        names = [short_label(label) for label in self.classes]
        if len(names) > MATRIX_CLASSES:
            return []
        lines = text_table(self._matrix_rows(names), (CORNER, *names))
        return lines if len(lines[0]) <= WIDTH else []

    def _matrix_rows(self, names: list[str]) -> list[tuple[str, ...]]:
        """Return the name of each class, followed by its counts as text."""
        rows = []
        for name, counts in zip(names, self.confusion.tolist(), strict=True):
            rows.append((name, *(f"{count:,}" for count in counts)))
        return rows

    def pair_lines(self, unit: str = "rows") -> list[str]:
        """Return a table of the most frequent confusions."""
        pairs = self.worst_pairs()
        if not pairs:
            return ["no class was taken for another"]
        rows = [(*map(short_label, pair), f"{count:,}") for *pair, count in pairs]
        return text_table(rows, ("true", "predicted", unit), align="<<>")

    def curve_lines(self) -> list[str]:
        """Return a table of a few thresholds for two classes, otherwise of the areas per class."""
        if len(self.curves) != 1:
            areas = [
                (short_label(c.label), *four_digits(c.roc_area, c.pr_area)) for c in self.curves
            ]
            return text_table(areas, ("class", "ROC area", "precision-recall area"))

        (curve,) = self.curves
        outcomes = [curve.at(threshold) for threshold in curve.thresholds()]
        best = max(outcome["f1"] for outcome in outcomes)
        rows = [
            (
                f"{outcome['threshold']:.6g}",
                *four_digits(outcome["precision"], outcome["recall"], outcome["f1"]),
                f"{outcome['rows']:,}",
                "largest f1" if outcome["f1"] == best else "",
            )
            for outcome in outcomes
        ]
        above = f"rows above, {short_label(curve.label)}"
        head = ("threshold", "precision", "recall", "f1", above, "")
        return text_table(rows, head, align=">>>>><")

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-compatible data; very many classes have no confusion matrix."""
        reliability = None
        calibration_error = None
        if self.reliability is not None:
            reliability = {name: values.tolist() for name, values in vars(self.reliability).items()}
            calibration_error = self.reliability.error
        has_matrix = len(self.classes) <= DENSE_CLASSES

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
            "calibration_error": calibration_error,
            "reliability": reliability,
            "confusion": self.confusion.tolist() if has_matrix else None,
        }

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return (
            f"<Report: {self.n:,} rows, {self.mistakes:,} wrong, accuracy {self.accuracy:.4f}, "
            f"baseline {self.baseline:.4f}>"
        )

    def _repr_html_(self) -> str:
        summary = (
            f"<p><b>{self.accuracy:.4f}</b> accuracy: {self.mistakes:,} of {self.n:,} rows wrong. "
            f"Always predicting {escape(str(self.most_frequent))} gives {self.baseline:.4f}.</p>"
        )
        rows = [
            (c.label, *four_digits(c.precision, c.recall, c.f1), f"{c.support:,}")
            for c in self.per_class
        ]
        each = html_table("Each class", ("class", "precision", "recall", "f1", "rows"), rows)
        if len(self.classes) <= MATRIX_CLASSES:
            head = (CORNER, *self.classes)
            matrix = self._matrix_rows(self.classes)
            confusions = html_table("Which class is taken for which", head, matrix)
        else:
            pairs = [(*pair, f"{count:,}") for *pair, count in self.worst_pairs()]
            head = ("true", "predicted", "rows")
            confusions = html_table("Most frequent confusions", head, pairs)
        return html_card(summary, each, confusions)


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
        The classes in the wanted order; classes that occur but are not listed follow, sorted. None
        takes all that occur, sorted.
    scores : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        The result of ``decision_function``, for the areas under the curves.
    probabilities : array-like of shape (n_samples, n_classes), default=None
        The result of ``predict_proba``, for the log loss and the calibration error.

    Returns
    -------
    report : Report

    See Also
    --------
    progressive : Count the mistakes of a learner on a stream, while it learns.

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
    true = _listed("y_true", y_true)
    given = _listed("y_pred", y_pred)
    if len(true) != len(given):
        raise InputError(
            f"y_true has {len(true):,} labels and y_pred {len(given):,}; give one prediction a row."
        )
    if not true:
        raise InputError("there are 0 rows; give at least one.")

    # The index of each class: the given classes first, then the others that occur.
    index_of: dict[Hashable, int] = {}
    for label in [] if classes is None else _listed("classes", classes):
        index_of.setdefault(label, len(index_of))
    for label in _sorted({*true, *given} - index_of.keys()):
        index_of[label] = len(index_of)
    listed = list(index_of)
    n = len(listed)

    true_index = np.fromiter((index_of[label] for label in true), np.int64, len(true))
    given_index = np.fromiter((index_of[label] for label in given), np.int64, len(given))
    right_index = true_index[true_index == given_index]
    support = np.bincount(true_index, minlength=n)
    predicted = np.bincount(given_index, minlength=n)
    right = np.bincount(right_index, minlength=n)
    counts = zip(listed, right.tolist(), predicted.tolist(), support.tolist(), strict=True)
    n_right = int(right.sum())
    most_frequent = int(support.argmax())
    # One number per pair of classes.
    keys, times = np.unique(true_index * n + given_index, return_counts=True)

    optional: dict[str, Any] = {}
    if probabilities is not None:
        shares = metrics.checked("probabilities", probabilities, len(true), n)
        optional["log_loss"] = metrics.log_loss(true_index, shares)
        optional["reliability"] = metrics.reliability(true_index, shares)
        scores = shares
    if scores is not None:
        ranked = metrics.checked("scores", scores, len(true), n)
        # Scores of different rows are comparable only relative to the other classes of the row.
        if n > 2 and probabilities is None:
            ranked = metrics.leads(ranked)
        optional["curves"] = metrics.curves(listed, true_index, ranked)

    return Report(
        n=len(true),
        mistakes=len(true) - n_right,
        accuracy=n_right / len(true),
        baseline=int(support[most_frequent]) / len(true),
        most_frequent=listed[most_frequent],
        classes=listed,
        per_class=[_class_report(label, r, p, s) for label, r, p, s in counts],
        pairs=np.column_stack([keys // n, keys % n, times]),
        **optional,
    )


def _class_report(label: Hashable, right: int, predicted: int, support: int) -> ClassReport:
    precision = right / predicted if predicted else 0.0
    recall = right / support if support else 0.0
    f1 = 2 * right / (predicted + support or 1)
    return ClassReport(label, precision, recall, f1, support)


def _listed(argument: str, labels: Any) -> list[Any]:
    """Return labels as a list; arrays must have one dimension."""
    if isinstance(labels, str | bytes):
        raise InputError(f"{argument} must be a list of labels, not one text.")
    # np.asarray on a list would turn labels of mixed types into text.
    if not hasattr(labels, "__array__"):
        return list(labels)
    values = np.asarray(labels)
    if values.ndim != 1:
        raise InputError(f"{argument} has shape {values.shape}; give one label a row.")
    listed: list[Any] = values.tolist()
    return listed


def _sorted(labels: set[Any]) -> list[Any]:
    """Sort labels; if their types cannot be compared, by type and text."""
    try:
        return sorted(labels)
    except TypeError:
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))


def four_digits(*shares: float) -> list[str]:
    """Format each share with four digits after the point."""
    return [f"{share:.4f}" for share in shares]


def short_label(label: object) -> str:
    """Return a label as text that fits into a table and holds no control characters."""
    text = "".join(c if c.isprintable() else "?" for c in str(label))
    if len(text) <= LONGEST_NAME:
        return text
    return f"{text[: LONGEST_NAME - 1]}…"


def plain_label(label: object) -> str | int | float | None:
    """Return a label as JSON-compatible data: numbers, text and None unchanged, others as text."""
    if label is None or isinstance(label, str | int | float):
        return label
    return str(label)
