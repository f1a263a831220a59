"""The effect of the order of the rows: the same learner trained on many orders."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt import checks
from rosenblatt.arrays import AnyArray, FloatArray, IntArray
from rosenblatt.errors import ConvergenceWarning, ParameterError
from rosenblatt.html_tables import escape, html_card, html_headline, html_table
from rosenblatt.inspection.runs import finite_rows
from rosenblatt.models.rows import margins, scores
from rosenblatt.theory.points import FeatureMap, apply_feature_map

if TYPE_CHECKING:
    from rosenblatt.arrays import Table
    from rosenblatt.estimators.linear.linear_learner import LinearLearner


class Spread(NamedTuple):
    """The median and the range of a measure over all orders."""

    median: float
    min: float
    max: float


@dataclass(frozen=True, eq=False, repr=False)
class OrderStudy:
    """Results of training a learner on many orders of the rows.

    Attributes
    ----------
    learner : str
        Name of the learner.
    mistakes : ndarray of shape (n_orders,)
        Mistakes made in training.
    epochs : ndarray of shape (n_orders,)
        Epochs of training.
    stop_reasons : tuple of str
        Why training stopped.
    margin : ndarray of shape (n_orders,)
        Smallest ``y (w·x + b) / ‖w‖`` over the training rows, or -inf if they are not separated.
        With several classes, the smallest difference between the score of the right class and
        another one, divided by the length of all weights.
    train_accuracy : ndarray of shape (n_orders,)
        Share of the training rows that are predicted correctly.
    test_accuracy : ndarray of shape (n_orders,) or None
        Share of the test rows that are predicted correctly.
    unstable_rows : ndarray
        Indices of the rows whose prediction depends on the order: test rows if there are any,
        otherwise training rows.
    unstable : float
        The share of these rows.
    """

    learner: str
    mistakes: IntArray
    epochs: IntArray
    stop_reasons: tuple[str, ...]
    margin: FloatArray
    train_accuracy: FloatArray
    test_accuracy: FloatArray | None
    unstable_rows: IntArray
    unstable: float

    @property
    def n_orders(self) -> int:
        return len(self.mistakes)

    @property
    def summary(self) -> dict[str, Spread]:
        """The median, smallest and largest value of each measure."""
        measures: dict[str, IntArray | FloatArray] = {
            "mistakes": self.mistakes,
            "epochs": self.epochs,
            "margin": self.margin,
            "train_accuracy": self.train_accuracy,
        }
        if self.test_accuracy is not None:
            measures["test_accuracy"] = self.test_accuracy
        return {
            name: Spread(float(np.median(values)), float(values.min()), float(values.max()))
            for name, values in measures.items()
        }

    def __repr__(self) -> str:
        lines = [self._headline()]
        for name, *values in [["", *Spread._fields], *self._cells()]:
            lines.append(f"{name:16}" + "".join(f"{value:>10}" for value in values))
        return "\n".join([*lines, *self._closing_lines()])

    def _repr_html_(self) -> str:
        table = html_table("", ("", *Spread._fields), self._cells())
        below = "".join(f"<p>{escape(line)}</p>" for line in self._closing_lines())
        return html_card(html_headline(self._headline()), table, below)

    def _headline(self) -> str:
        return f"{self.learner} on {self.n_orders} orders"

    def _cells(self) -> list[list[str]]:
        """Return the cells of the summary table, one row per measure."""
        return [
            [name.replace("_", " "), *(f"{value:.4g}" for value in spread)]
            for name, spread in self.summary.items()
        ]

    def _closing_lines(self) -> list[str]:
        """Return the lines below the summary table."""
        reasons = Counter(self.stop_reasons).most_common()
        counts = ", ".join(f"{reason} {count}" for reason, count in reasons)
        which = "training" if self.test_accuracy is None else "test"
        return [
            f"stopped: {counts}",
            f"prediction depends on the order: {self.unstable:.1%} of {which} rows",
        ]


def order_study(
    estimator: Any,
    X: Any,
    y: Any,
    n_orders: int = 50,
    random_state: int | np.random.Generator | None = 0,
    *,
    X_test: Any = None,
    y_test: Any = None,
    feature_map: FeatureMap = None,
    verbose: int = 0,
) -> OrderStudy:
    """Train the same learner on many orders of the same rows and compare the outcomes.

    The mistake bound ``R²/γ²`` is the same for every order, so on separable rows training ends with
    all rows right in any order. But the number of mistakes, the separator that is found and its
    predictions for new rows depend on the order.

    A learner with ``shuffle=True`` draws a new order in every epoch, so each clone of it gets its
    own seed. With ``shuffle=False`` the rows themselves are shuffled once for each clone, which
    uses that order in every epoch. All other parameters are unchanged, except that progress bars
    are off. The estimator itself is neither fitted nor changed. Warnings that a fit stopped early
    are silenced; see ``stop_reasons``.

    Cost: ``n_orders`` fits and predictions, in sequence.

    Parameters
    ----------
    estimator : estimator
        A linear learner of this package.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows to train on.
    y : array-like of shape (n_samples,)
        Their labels.
    n_orders : int, default=50
        The number of orders.
    random_state : int, Generator or None, default=0
        Seed for the orders; the same seed gives the same study.
    X_test, y_test : array-like, default=None
        Rows to test on; if given, ``unstable`` refers to them.
    feature_map : callable or transformer, default=None
        Applied to X and X_test first; the learner is given the mapped rows.
    verbose : int, default=0
        1 shows a progress bar on standard error, with one step per order.

    Returns
    -------
    OrderStudy
        The value of each measure for each order; it prints as a summary.

    Examples
    --------
    Setosa against the other irises is separated in every order, with 2 to 10 mistakes.

    >>> from rosenblatt import Perceptron, datasets
    >>> from rosenblatt.theory.order_study import order_study
    >>> iris = datasets.iris()
    >>> study = order_study(Perceptron(), iris.X, iris.y == 0, n_orders=20)
    >>> sorted(set(study.stop_reasons)), study.unstable
    (['separated'], 0.0)
    >>> study.summary["mistakes"]
    Spread(median=7.0, min=2.0, max=10.0)
    """
    # The learners are imported here, so that the theory loads without them.
    from rosenblatt.estimators.linear.linear_learner import LinearLearner
    from rosenblatt.estimators.progress import progress

    if not isinstance(estimator, LinearLearner):
        raise ParameterError(
            f"estimator={estimator!r} is not a linear learner of this package: give an instance, "
            "for example Perceptron()."
        )
    checks.whole("n_orders", n_orders, at_least=1)
    if (X_test is None) != (y_test is None):
        raise ParameterError("X_test and y_test go together: give both or neither.")
    X = apply_feature_map(X, feature_map)
    if X_test is not None:
        X_test = apply_feature_map(X_test, feature_map)
    table = finite_rows(X)
    labels = np.asarray(y)
    seeds = _generator(random_state).integers(2**31 - 1, size=n_orders).tolist()

    outcomes: list[_Outcome] = []
    test_accuracies: list[float] = []
    first_predictions: AnyArray | None = None
    is_unstable: AnyArray = np.zeros((), np.bool_)
    with (
        warnings.catch_warnings(),
        progress(verbose, n_orders, type(estimator).__name__, "order") as report,
    ):
        warnings.simplefilter("ignore", ConvergenceWarning)
        for number, seed in enumerate(seeds, start=1):
            # Train a clone on another order.
            learner = type(estimator)(**{**estimator.get_params(), "verbose": 0})
            if learner.shuffle:
                learner.set_params(random_state=seed).fit(X, y)
            else:
                order = np.random.RandomState(seed).permutation(len(labels))
                learner.fit(_take_rows(X, order), labels[order])
            outcomes.append(
                _Outcome(
                    mistakes=learner.n_mistakes_,
                    epochs=learner.n_iter_,
                    stop_reason=learner.stop_reason_,
                    margin=_training_margin(learner, table, labels),
                    train_accuracy=learner.score(X, y),
                )
            )

            # Compare its predictions with those of the first order.
            predictions = learner.predict(X if X_test is None else X_test)
            if y_test is not None:
                test_accuracies.append(np.mean(predictions == np.asarray(y_test)))
            if first_predictions is None:
                first_predictions = predictions
            is_unstable = is_unstable | (predictions != first_predictions)
            if report is not None:
                report(number, learner.n_mistakes_, None)

    return OrderStudy(
        learner=type(estimator).__name__,
        mistakes=np.array([one.mistakes for one in outcomes], np.int64),
        epochs=np.array([one.epochs for one in outcomes], np.int64),
        stop_reasons=tuple(one.stop_reason for one in outcomes),
        margin=np.array([one.margin for one in outcomes], np.float64),
        train_accuracy=np.array([one.train_accuracy for one in outcomes], np.float64),
        test_accuracy=None if y_test is None else np.array(test_accuracies, np.float64),
        unstable_rows=np.flatnonzero(is_unstable),
        unstable=float(np.mean(is_unstable)),
    )


class _Outcome(NamedTuple):
    """The outcome of training on one order."""

    mistakes: int
    epochs: int
    stop_reason: str
    margin: float
    train_accuracy: float


def _generator(random_state: int | np.random.Generator | None) -> np.random.Generator:
    """Return a random generator; raise `ParameterError` if ``random_state`` is not valid."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ParameterError(
            f"random_state={random_state!r} is not allowed: give a whole number of at least 0, "
            "None, or a numpy random generator."
        ) from None


def _take_rows(X: Any, order: IntArray) -> Any:
    """Return the rows of a frame, list or array in the given order."""
    # A frame of any library that has positional rows.
    if hasattr(X, "iloc"):
        return X.iloc[order]
    if isinstance(X, list | tuple):
        return [X[i] for i in order.tolist()]
    return X[order]


def _training_margin(learner: LinearLearner, table: Table, labels: AnyArray) -> float:
    """Return the geometric margin on the training rows; -inf if they are not separated."""
    coef = learner.coef_
    length = float(np.linalg.norm(coef))
    if not length:
        return -np.inf
    right = np.searchsorted(learner.classes_, labels)
    smallest = margins(scores(table, coef, learner.intercept_), right).min()
    return float(smallest) / length if smallest > 0 else -np.inf
