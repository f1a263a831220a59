"""Test-then-train evaluation: every example of a stream is predicted before it is learned."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arrays import SparseRows, is_sparse
from rosenblatt.checks import whole
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.inspection.stream_scores import Progress
from rosenblatt.models.classes import has_tie
from rosenblatt.models.rows import as_rows, inspect
from rosenblatt.tables.readers.block import Block

if TYPE_CHECKING:
    from rosenblatt.arrays import FloatArray

# Rows of a block that are learned in one call, and outcomes that are recorded together.
NOTED_AT_ONCE = 512

# For some examples: whether each prediction was wrong, and the labels.
Outcomes = Iterator[tuple[list[bool], list[Any]]]


def progressive(
    model: Any,
    stream: Iterable[Any],
    *,
    delay: int = 0,
    every: str | int = "doubling",
    window: int = 1000,
    classes: Any = None,
) -> Progress:
    """Predict every example of a stream before learning from it, and count the mistakes.

    Each prediction is made once, with the model of that moment, so no data are held out. A missing
    prediction is a mistake: before the first example, for an example of a new class, and if classes
    tie for the highest score, unless a learner of this package has ``ties="positive"``.
    ``rosenblatt stream`` counts in the same way. The learner continues from its current state and
    is modified.

    Parameters
    ----------
    model : learner
        With ``predict_one`` and ``learn_one``, or with ``predict`` and ``partial_fit``.
    stream : iterable of (x, y) or of (X, y), or with weights of (x, y, weight) or (X, y, weights)
        Single examples, with ``x`` a mapping of features or a 1-D array, or blocks of rows as
        returned by the readers. Blocks are processed row by row, with the same mistakes. The weight
        of an example multiplies its step (``sample_weight`` of ``partial_fit``); its prediction
        counts like any other. Blocks of Vowpal Wabbit rows contain their weights.
    delay : int, default=0
        Learn each example only after this many later ones were predicted, as if its label came
        late. The remaining examples are learned at the end.
    every : "doubling" or int, default="doubling"
        Points of the curve: at 1, 2, 4, 8 … examples, or after every given number of examples.
    window : int, default=1000
        Number of examples for the recent rate of mistakes.
    classes : list, default=None
        All classes, for learners of other packages whose ``partial_fit`` needs them in the first
        call.

    Returns
    -------
    progress : Progress

    Notes
    -----
    An averaged learner predicts with the average of its weights. The mistakes of its latest
    weights, which the learner itself counts, are ``progress.online_mistakes``.

    Linear learners of this package process blocks in a compiled loop, except with a delay, with
    ``ties="positive"``, with float32 and for the voted perceptron, which take rows one by one. An
    averaged learner is then scored by its sums, at a cost proportional to the stored values of the
    row. The result equals the score of ``predict`` up to rounding, so if two classes tie exactly,
    either may be predicted.

    See Also
    --------
    report : Compare predictions with labels.

    Examples
    --------
    >>> from rosenblatt import AveragedPerceptron, datasets
    >>> from rosenblatt.evaluate import progressive
    >>> digits = datasets.digits()
    >>> progress = progressive(AveragedPerceptron(), [(digits.X, digits.y)])
    >>> print(progress.summary().replace("; ", "\\n"))
    277 mistakes in 1,797 examples: 15.41 %, of the last 1,000 9.90 %
    same label as before: 90.82 %, majority so far: 92.38 %
    >>> for point in progress.curve[-3:]:
    ...     print(point.line())
              512          118   0.2305   0.2305
            1,024          201   0.1963   0.1800
            1,797          277   0.1541   0.0990
    """
    whole("delay", delay, at_least=0)
    progress = Progress(every, window)
    learner = stream_learner(model, classes)
    mistakes_before = getattr(model, "n_mistakes_", 0)

    # Outcomes are recorded in batches, because recording one at a time would cost more than
    # learning it.
    wrong: list[bool] = []
    labels: list[Hashable] = []
    for found, given in _outcomes(_items(stream, learner), learner, delay):
        wrong += found
        labels += given
        if len(wrong) >= NOTED_AT_ONCE:
            progress.add(np.array(wrong))
            progress.add_labels(labels)
            wrong = []
            labels = []
    progress.add(np.array(wrong, bool))
    progress.add_labels(labels)

    if hasattr(model, "n_mistakes_"):
        progress.online_mistakes = int(model.n_mistakes_ - mistakes_before)
    return progress


def _outcomes(items: Iterator[_Item], learner: StreamLearner, delay: int) -> Outcomes:
    """Predict each example, learn it once its label is available, and yield the outcomes."""
    waiting: deque[tuple[Any, Hashable, float | None]] = deque()
    for item in items:
        first = 0
        n = len(item.labels)
        while first < n:
            # The fast path may open up in the middle of a block, once all classes are known.
            if delay == 0 and item.is_block and learner.takes_blocks():
                stop = min(first + NOTED_AT_ONCE, n)
                X, y, weights = item.part(first, stop)
                wrong = learner.predict_then_learn(X, y, weights, first)
            else:
                stop = first + 1
                x, y, weight = item.example(first, learner)
                wrong = [learner.is_wrong(x, y)]
                waiting.append((x, y, weight))
                if len(waiting) > delay:
                    learner.learn(*waiting.popleft())
            yield wrong, item.labels[first:stop]
            first = stop
    for example in waiting:
        learner.learn(*example)


class _Item:
    """One item of a stream: a single example or a block of them."""

    def __init__(
        self, x: Any, labels: list[Any], weights: FloatArray | None, *, is_block: bool
    ) -> None:
        self._x = x
        self.labels = labels
        self._weights = weights
        self.is_block = is_block

    def example(self, i: int, learner: StreamLearner) -> tuple[Any, Any, float | None]:
        """Return features, label and weight of one example."""
        x = learner.row(self._x, i) if self.is_block else self._x
        weight = None if self._weights is None else float(self._weights[i])
        return x, self.labels[i], weight

    def part(self, start: int, stop: int) -> tuple[Any, list[Any], FloatArray | None]:
        """Return rows, labels and weights of a part of a block."""
        weights = None if self._weights is None else self._weights[start:stop]
        return self._x[start:stop], self.labels[start:stop], weights


def _items(stream: Iterable[Any], learner: StreamLearner) -> Iterator[_Item]:
    """Yield the items of a stream after checking their types and shapes."""
    for given in stream:
        x, y, weights = _unpacked(given)
        if isinstance(x, Mapping):
            if not learner.reads_mappings:
                raise InputError("x is a mapping, which only a learner with learn_one can read.")
            yield _Item(x, [_plain(y)], _weights(weights, 1), is_block=False)
            continue

        if not isinstance(x, SparseRows):
            x = x.tocsr() if is_sparse(x) else np.asarray(x)
        holds_text = isinstance(x, np.ndarray) and x.dtype.kind in "OUS"
        if x.ndim not in (1, 2) or holds_text:
            raise InputError(
                "x is neither a mapping nor an array of numbers; turn texts into features first "
                "(rosenblatt.features.TextFeatures)."
            )

        if x.ndim == 1:
            x = x if learner.reads_mappings else x.reshape(1, -1)
            yield _Item(x, [_plain(y)], _weights(weights, 1), is_block=False)
            continue

        labels = np.asarray(y)
        if labels.shape != (x.shape[0],):
            raise InputError(f"a block of {x.shape[0]:,} rows has labels of shape {labels.shape}.")
        learner.inspect(x)
        yield _Item(x, labels.tolist(), _weights(weights, len(labels)), is_block=True)


def _unpacked(given: Any) -> tuple[Any, Any, Any]:
    """Return features, labels and weights of an item; the weights may be None."""
    if isinstance(given, Block):
        # Only blocks of Vowpal Wabbit rows have weights.
        return (*given, getattr(given, "weights", None))
    try:
        x, y, *rest = given
        (weights,) = rest or [None]
    except (TypeError, ValueError) as error:
        # InputError is a ValueError; one raised by the reader itself has the better message.
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"the stream gave a {type(given).__name__}; give pairs (x, y) or blocks (X, y), or "
            "with weights (x, y, weight)."
        ) from None
    return x, y, weights


def _weights(given: Any, n: int) -> FloatArray | None:
    """Return one weight per example; None if all are 1."""
    if given is None:
        return None
    weights = np.asarray(given, np.float64).reshape(-1)
    if weights.shape != (n,):
        raise InputError(f"{n:,} examples have {len(weights):,} weights; give one for each.")
    return None if (weights == 1.0).all() else weights


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


# ---------------------------------------------------------------------- learners


class StreamLearner:
    """Adapter of a learner with ``learn_one``; rows of a block are passed as 1-D arrays."""

    reads_mappings = True

    def __init__(self, model: Any) -> None:
        self._model = model

    def inspect(self, X: Any) -> None:
        """Raise InputError if a block holds values that cannot be learned from."""

    def row(self, X: Any, i: int) -> Any:
        """Return a row of a block in the form that the learner takes."""
        if isinstance(X, np.ndarray):
            return X[i]
        if self._has_partial_fit:
            return _SparseRow(X[i : i + 1])
        return X[[i]].toarray()[0]

    def predict(self, x: Any) -> Any:
        """Return the prediction; None if the learner has not learned from any example yet."""
        if isinstance(x, _SparseRow):
            is_fitted = hasattr(self._model, "classes_")
            return self._model.predict(x.X)[0] if is_fitted else None
        return self._model.predict_one(x)

    def is_wrong(self, x: Any, y: Hashable) -> bool:
        """Return whether the prediction is not ``y``; ties are wrong if they count as mistakes."""
        found = self.predict(x)
        if found is None or not bool(found == y):
            return True
        return getattr(self._model, "ties", None) == "mistake" and self._is_tie(x)

    def _is_tie(self, x: Any) -> bool:
        """Return whether classes share the highest score of an example."""
        if not hasattr(self._model, "decision_function") or len(self._model.classes_) < 2:
            return False
        rows: Any
        if isinstance(x, _SparseRow):
            rows = x.X
        elif isinstance(x, Mapping):
            rows = [x]
        else:
            rows = x.reshape(1, -1)
        return has_tie(self._model.decision_function(rows)[0])

    def learn(self, x: Any, y: Hashable, weight: float | None) -> None:
        """Learn from one example."""
        if weight is None and not isinstance(x, _SparseRow):
            self._model.learn_one(x, y)
            return

        # learn_one takes neither weights nor sparse rows; partial_fit takes both.
        if not self._has_partial_fit or not isinstance(x, _SparseRow | np.ndarray):
            raise InputError(
                "the stream gives weights, but learn_one takes none: give rows as arrays to a "
                "learner with partial_fit."
            )
        X = x.X if isinstance(x, _SparseRow) else x.reshape(1, -1)
        weights = {} if weight is None else {"sample_weight": np.array([weight])}
        self._model.partial_fit(X, np.array([y]), **weights)

    def takes_blocks(self) -> bool:
        """Return whether the learner can process the next rows of a block in one call."""
        return False

    def predict_then_learn(
        self, X: Any, y: list[Any], weights: FloatArray | None, first_row: int
    ) -> list[bool]:
        """Predict and learn row by row; return which predictions were wrong."""
        tested = self._model.predict_then_learn(
            X, y, weights, predictions=False, first_row=first_row
        )
        return (tested.wrong != 0).tolist()  # type: ignore[no-any-return]

    @property
    def _has_partial_fit(self) -> bool:
        return hasattr(self._model, "partial_fit")


class _LinearLearner(StreamLearner):
    """Adapter of a linear learner of this package, with a fast path for blocks."""

    def inspect(self, X: Any) -> None:
        inspect(as_rows(X))

    def predict(self, x: Any) -> Any:
        return self._model.predict_row(x.X) if isinstance(x, _SparseRow) else super().predict(x)

    def _is_tie(self, x: Any) -> bool:
        return bool(self._model.is_tie(x.X if isinstance(x, _SparseRow) else x))

    def takes_blocks(self) -> bool:
        return bool(self._model.can_predict_then_learn())


class _TableLearner(StreamLearner):
    """Adapter of a learner with ``partial_fit``, which gets tables of one row."""

    reads_mappings = False

    def __init__(self, model: Any, classes: Any) -> None:
        super().__init__(model)
        self._classes = classes

    def row(self, X: Any, i: int) -> Any:
        row = X[i : i + 1]
        # Learners of other packages expect SciPy's sparse matrices, not ours.
        return row.tocsr() if isinstance(row, SparseRows) else row

    def predict(self, x: Any) -> Any:
        is_fitted = hasattr(self._model, "classes_")
        return self._model.predict(x)[0] if is_fitted else None

    def learn(self, x: Any, y: Hashable, weight: float | None) -> None:
        # Only the first call of partial_fit gets the classes.
        arguments = {} if self._classes is None else {"classes": self._classes}
        self._classes = None
        if weight is not None:
            arguments["sample_weight"] = np.array([weight])
        self._model.partial_fit(x, np.array([y]), **arguments)


class _SparseRow:
    """One row of a sparse matrix, as a matrix of one row."""

    def __init__(self, X: Any) -> None:
        self.X = X


def stream_learner(model: Any, classes: Any) -> StreamLearner:
    """Return the stream adapter of a learner of any package; ``classes`` as in `progressive`."""
    if hasattr(model, "predict_one") and hasattr(model, "learn_one"):
        if hasattr(model, "predict_then_learn"):
            return _LinearLearner(model)
        return StreamLearner(model)
    if hasattr(model, "predict") and hasattr(model, "partial_fit"):
        return _TableLearner(model, classes)
    raise ParameterError(
        f"a {type(model).__name__} does not learn from a stream: it needs predict_one and "
        "learn_one, or predict and partial_fit."
    )
