"""Does the order of the rows matter? The same learner on many orders."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import AnyArray, FloatArray, IntArray
from rosenblatt.core.rows import margins, scores
from rosenblatt.errors import ConvergenceWarning, ParameterError
from rosenblatt.html_tables import escape, html_card, html_headline, html_table
from rosenblatt.runs import finite_rows
from rosenblatt.theory.points import FeatureMap, apply_feature_map


class Spread(NamedTuple):
    """Where the values over all orders lie."""

    median: float
    min: float
    max: float


@dataclass(frozen=True, eq=False, repr=False)
class OrderStudy:
    """What each order of the rows led to.

    Attributes
    ----------
    learner : str
        Name of the learner.
    mistakes : ndarray of shape (n_orders,)
        Mistakes made in training.
    epochs : ndarray of shape (n_orders,)
        Epochs of training.
    stop_reasons : tuple of str
        Why training ended.
    margin : ndarray of shape (n_orders,)
        Smallest ``y (w·x + b) / ‖w‖`` over the training rows, -inf where they are not separated.
        With several classes the smallest difference between the score of the right class and
        another one, divided by the length of all weights.
    train_accuracy : ndarray of shape (n_orders,)
        Share of the training rows predicted right.
    test_accuracy : ndarray of shape (n_orders,) or None
        Share of the test rows predicted right.
    unstable_rows : ndarray
        Numbers of the rows whose prediction depends on the order: test rows if there are any, else
        training rows.
    unstable : float
        Their share.
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
        """Median, smallest and largest value of each measure."""
        names = ("mistakes", "epochs", "margin", "train_accuracy", "test_accuracy")
        measures = {name: getattr(self, name) for name in names}
        return {
            name: Spread(float(np.median(values)), float(values.min()), float(values.max()))
            for name, values in measures.items()
            if values is not None
        }

    def __repr__(self) -> str:
        rows = (
            f"{name:16}" + "".join(f"{value:>10}" for value in values)
            for name, *values in self._cells()
        )
        head = f"{'':16}" + "".join(f"{name:>10}" for name in Spread._fields)
        return "\n".join([self._headline(), head, *rows, *self._endings()])

    def _repr_html_(self) -> str:
        table = html_table("", ("", *Spread._fields), self._cells())
        below = "".join(f"<p>{escape(line)}</p>" for line in self._endings())
        return html_card(html_headline(self._headline()), table, below)

    def _headline(self) -> str:
        return f"{self.learner} on {self.n_orders} orders"

    def _cells(self) -> list[list[str]]:
        return [
            [name.replace("_", " "), *(f"{value:.4g}" for value in spread)]
            for name, spread in self.summary.items()
        ]

    def _endings(self) -> list[str]:
        reasons = Counter(self.stop_reasons).most_common()
        which = "training" if self.test_accuracy is None else "test"
        return [
            f"stopped: {', '.join(f'{reason} {count}' for reason, count in reasons)}",
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

    The mistake bound ``R²/γ²`` is the same for every order, so on separable rows every order ends
    with all of them right; but how many mistakes it takes, which separator is found, and what it
    predictions of new rows do depend on the order.

    A learner with ``shuffle=True`` draws a new order in every epoch, so each of its clones is given
    a seed of its own. With ``shuffle=False`` the rows themselves are shuffled once for each clone,
    which then goes through them in that order in every epoch. All other parameters stay as they
    are; progress bars of the clones are turned off. The estimator itself is neither fitted nor
    changed, and warnings that a fit ended early are silenced: see ``stop_reasons``.

    Cost: ``n_orders`` fits and predictions, one after the other.

    Parameters
    ----------
    estimator : estimator
        A linear learner of this package.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows to train on.
    y : array-like of shape (n_samples,)
        Their labels.
    n_orders : int, default=50
        How many orders to try.
    random_state : int, Generator or None, default=0
        Decides the orders; the same number gives the same study.
    X_test, y_test : array-like, default=None
        Rows to test on; they also decide ``unstable`` if given.
    feature_map : callable or transformer, default=None
        Applied to X and X_test first; the learner is given the mapped rows.
    verbose : int, default=0
        1 shows the progress on standard error; one step is one order.

    Returns
    -------
    OrderStudy
        One value of each measure for each order, and a summary when shown.

    Examples
    --------
    Setosa against the other irises: always separated, never twice the same way.

    >>> from rosenblatt import Perceptron, datasets
    >>> from rosenblatt.theory.order_study import order_study
    >>> iris = datasets.iris()
    >>> study = order_study(Perceptron(), iris.X, iris.y == 0, n_orders=20)
    >>> sorted(set(study.stop_reasons)), study.unstable
    (['separated'], 0.0)
    >>> study.summary["mistakes"]
    Spread(median=7.0, min=2.0, max=10.0)
    """
    from rosenblatt import checks as check
    from rosenblatt.learner.progress import progress
    from rosenblatt.linear import LinearLearner

    if not isinstance(estimator, LinearLearner):
        raise ParameterError(
            f"estimator={estimator!r} is not a linear learner of this package: give an instance, "
            "for example Perceptron()."
        )
    check.whole("n_orders", n_orders, at_least=1)
    if (X_test is None) != (y_test is None):
        raise ParameterError("X_test and y_test go together: give both or neither.")
    X, X_test = (
        apply_feature_map(X, feature_map),
        None if X_test is None else apply_feature_map(X_test, feature_map),
    )
    table, labels = finite_rows(X), np.asarray(y)
    seeds = _generator(random_state).integers(2**31 - 1, size=n_orders).tolist()
    asked = X if X_test is None else X_test
    outcomes, test = [], []
    first: Any = None
    differs: Any = False
    with (
        warnings.catch_warnings(),
        progress(verbose, n_orders, type(estimator).__name__, "order") as report,
    ):
        warnings.simplefilter("ignore", ConvergenceWarning)
        for number, seed in enumerate(seeds, start=1):
            learner = type(estimator)(**{**estimator.get_params(), "verbose": 0})
            if learner.shuffle:
                learner.set_params(random_state=seed).fit(X, y)
            else:
                order = np.random.RandomState(seed).permutation(len(labels))
                learner.fit(_taken(X, order), labels[order])
            counts = learner.n_mistakes_, learner.n_iter_, learner.stop_reason_
            outcomes.append((*counts, _margin(learner, table, labels), learner.score(X, y)))
            answers = learner.predict(asked)
            if y_test is not None:
                test.append(np.mean(answers == np.asarray(y_test)))
            first = answers if first is None else first
            differs = differs | (answers != first)
            if report is not None:
                report(number, learner.n_mistakes_, None)
    mistakes, epochs, reasons, found, train = zip(*outcomes, strict=True)
    return OrderStudy(
        learner=type(estimator).__name__,
        mistakes=np.array(mistakes, np.int64),
        epochs=np.array(epochs, np.int64),
        stop_reasons=reasons,
        margin=np.array(found, np.float64),
        train_accuracy=np.array(train, np.float64),
        test_accuracy=None if y_test is None else np.array(test, np.float64),
        unstable_rows=np.flatnonzero(differs),
        unstable=float(np.mean(differs)),
    )


def _generator(random_state: Any) -> np.random.Generator:
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ParameterError(
            f"random_state={random_state!r} is not allowed: give a whole number of at least 0, "
            "None, or a numpy random generator."
        ) from None


def _taken(X: Any, order: IntArray) -> Any:
    """The rows in another order; a frame keeps the names of its columns."""
    if hasattr(X, "iloc"):
        return X.iloc[order]
    return [X[i] for i in order.tolist()] if isinstance(X, list | tuple) else X[order]


def _margin(learner: Any, table: Any, labels: AnyArray) -> float:
    """The margin of the weights on the training rows, for weights of length 1."""
    coef, bias = learner.coef_, learner.intercept_
    length = float(np.linalg.norm(coef))
    if not length:
        return -np.inf
    right = np.searchsorted(learner.classes_, labels)
    smallest = margins(scores(table, coef, bias), right).min()
    return float(smallest) / length if smallest > 0 else -np.inf
