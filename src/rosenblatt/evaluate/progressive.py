"""Test, then train: every example of a stream is predicted before it is learned."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from rosenblatt.arrays import SparseRows, is_sparse
from rosenblatt.checks import whole
from rosenblatt.core.classes import has_tie
from rosenblatt.core.rows import as_rows, inspect
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.evaluate.stream_scores import Progress
from rosenblatt.io.block import Block

NOTED_AT_ONCE = 512

# Whether each prediction was wrong, and the label.
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
    """Let a learner predict every example of a stream before it learns from it; count mistakes.

    A prediction counts as it was made at the time, so no example is held back and none is asked
    about twice. That there is no prediction is a mistake: before the first example, for one that
    brings a new class, and where classes share the highest score, unless the learner of this
    package has ``ties="positive"``. So ``rosenblatt stream`` counts. The learner goes on from the
    state it is in, and is changed.

    Parameters
    ----------
    model : learner
        With ``predict_one`` and ``learn_one``, or else with ``predict`` and ``partial_fit``.
    stream : iterable of (x, y) or of (X, y), or with weights of (x, y, weight) or (X, y, weights)
        Single examples, where ``x`` is a mapping of features or a 1-D array, or blocks of rows as
        the readers give them. Blocks are gone through row by row: the mistakes are the same. The
        weight of an example is a factor for its step (``sample_weight`` of ``partial_fit``); its
        prediction counts as any other. Blocks of Vowpal Wabbit rows bring theirs along.
    delay : int, default=0
        An example is learned only after so many later ones were predicted, as if its label came
        late. What is left at the end is learned then.
    every : "doubling" or int, default="doubling"
        Where the curve has points: at 1, 2, 4, 8 … examples, or after every so many.
    window : int, default=1000
        How many examples the recent rate is taken of.
    classes : list, default=None
        For learners of other packages whose ``partial_fit`` needs them at the first call.

    Returns
    -------
    progress : Progress

    Notes
    -----
    Predictions of an averaged learner come from the average of its weights; the mistakes of its
    latest weights, which is what the learner counts, are ``progress.online_mistakes``.

    Blocks go through the linear learners of this package in a compiled loop, but for a delay, for
    ``ties="positive"``, float32 and the voted perceptron: these take rows one by one. An averaged
    learner is then asked by its sums, at the cost of what the row stores. That is the score of
    ``predict`` to rounding, so of two classes that tie exactly either may be predicted.

    See Also
    --------
    report : Predictions beside the labels.

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
    before = getattr(model, "n_mistakes_", 0)
    wrong: list[bool] = []
    labels: list[Any] = []
    for found, given in _outcomes(_items(stream, learner), learner, delay):
        wrong += found
        labels += given
        if len(wrong) >= NOTED_AT_ONCE:
            progress.add(np.array(wrong))
            progress.add_labels(labels)
            wrong, labels = [], []
    progress.add(np.array(wrong, bool))
    progress.add_labels(labels)
    if hasattr(model, "n_mistakes_"):
        progress.online_mistakes = int(model.n_mistakes_ - before)
    return progress


def _outcomes(items: Iterator[_Item], learner: StreamLearner, delay: int) -> Outcomes:
    """Predict everything, and learn it when its label is there."""
    waiting: deque[tuple[Any, Any, float | None]] = deque()
    for item in items:
        first, n = 0, len(item.labels)
        while first < n:
            if delay == 0 and item.is_block and learner.takes_blocks():
                stop = min(first + NOTED_AT_ONCE, n)
                wrong = learner.predict_then_learn(*item.part(first, stop), first)
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
    """What a stream gave: one example, or a block of them."""

    def __init__(self, x: Any, labels: list[Any], weights: Any, *, is_block: bool) -> None:
        self._x, self.labels, self._weights, self.is_block = x, labels, weights, is_block

    def example(self, i: int, learner: StreamLearner) -> tuple[Any, Any, float | None]:
        x = learner.row(self._x, i) if self.is_block else self._x
        return x, self.labels[i], None if self._weights is None else float(self._weights[i])

    def part(self, start: int, stop: int) -> tuple[Any, Any, Any]:
        weights = None if self._weights is None else self._weights[start:stop]
        return self._x[start:stop], self.labels[start:stop], weights


def _items(stream: Iterable[Any], learner: StreamLearner) -> Iterator[_Item]:
    for given in stream:
        x, y, weights = _unpacked(given)
        if isinstance(x, Mapping):
            if not learner.reads_mappings:
                raise InputError("x is a mapping, which only a learner with learn_one can read.")
            yield _Item(x, [_plain(y)], _weights(weights, 1), is_block=False)
            continue
        if not isinstance(x, SparseRows):
            x = x.tocsr() if is_sparse(x) else np.asarray(x)
        if x.ndim not in (1, 2) or (isinstance(x, np.ndarray) and x.dtype.kind in "OUS"):
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
    if isinstance(given, Block):
        return (*given, getattr(given, "weights", None))
    try:
        x, y, *rest = given
        (weights,) = rest or [None]
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"the stream gave a {type(given).__name__}; give pairs (x, y) or blocks (X, y), or "
            "with weights (x, y, weight)."
        ) from None
    return x, y, weights


def _weights(given: Any, n: int) -> Any:
    """A weight for each example; None if all are 1."""
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
    """A learner of single examples; rows of a block are handed over as 1-D arrays."""

    reads_mappings = True

    def __init__(self, model: Any) -> None:
        self._model = model

    def inspect(self, X: Any) -> None:
        """Refuse a block that holds what cannot be learned from, before any of it is learned."""

    def row(self, X: Any, i: int) -> Any:
        """A row of a block, as the learner takes one."""
        if isinstance(X, np.ndarray):
            return X[i]
        return _SparseRow(X[i : i + 1]) if self._has_batches else X[[i]].toarray()[0]

    def predict(self, x: Any) -> Any:
        """What it predicts, None if that is nothing yet."""
        if isinstance(x, _SparseRow):
            return self._model.predict(x.X)[0] if hasattr(self._model, "classes_") else None
        return self._model.predict_one(x)

    def is_wrong(self, x: Any, y: Any) -> bool:
        """Whether it does not predict this label. A tie predicts nothing, unless it may."""
        found = self.predict(x)
        if found is None or not bool(found == y):
            return True
        return getattr(self._model, "ties", None) == "mistake" and self._is_tie(x)

    def _is_tie(self, x: Any) -> bool:
        """Whether classes share the highest score of an example that was predicted."""
        if not hasattr(self._model, "decision_function") or len(self._model.classes_) < 2:
            return False
        if isinstance(x, _SparseRow):
            rows: Any = x.X
        else:
            rows = [x] if isinstance(x, Mapping) else x.reshape(1, -1)
        return has_tie(self._model.decision_function(rows)[0])

    def learn(self, x: Any, y: Any, weight: float | None) -> None:
        """Learn from one example."""
        if weight is None and not isinstance(x, _SparseRow):
            self._model.learn_one(x, y)
            return
        if not self._has_batches or not isinstance(x, _SparseRow | np.ndarray):
            raise InputError(
                "the stream gives weights, but learn_one takes none: give rows as arrays to a "
                "learner with partial_fit."
            )
        X = x.X if isinstance(x, _SparseRow) else x.reshape(1, -1)
        weights = {} if weight is None else {"sample_weight": np.array([weight])}
        self._model.partial_fit(X, np.array([y]), **weights)

    def takes_blocks(self) -> bool:
        """Whether it can predict and learn the rows of a block by itself from here on."""
        return False

    def predict_then_learn(self, X: Any, y: list[Any], weights: Any, first_row: int) -> list[bool]:
        """Whether some rows of a block were predicted wrong, each before it was learned."""
        tested = self._model.predict_then_learn(
            X, y, weights, predictions=False, first_row=first_row
        )
        return (tested.wrong != 0).tolist()  # type: ignore[no-any-return]

    @property
    def _has_batches(self) -> bool:
        return hasattr(self._model, "partial_fit")


class _LinearLearner(StreamLearner):
    """A linear learner of this package, which has a loop of its own for blocks."""

    def inspect(self, X: Any) -> None:
        inspect(as_rows(X))

    def predict(self, x: Any) -> Any:
        return self._model.predict_row(x.X) if isinstance(x, _SparseRow) else super().predict(x)

    def _is_tie(self, x: Any) -> bool:
        return bool(self._model.is_tie(x.X if isinstance(x, _SparseRow) else x))

    def takes_blocks(self) -> bool:
        return bool(self._model.can_predict_then_learn())


class _TableLearner(StreamLearner):
    """A learner of tables, which gets them one row long."""

    reads_mappings = False

    def __init__(self, model: Any, classes: Any) -> None:
        super().__init__(model)
        self._classes = classes

    def row(self, X: Any, i: int) -> Any:
        # Learners of others know SciPy's sparse rows, not ours.
        return X[i : i + 1].tocsr() if isinstance(X, SparseRows) else X[i : i + 1]

    def predict(self, x: Any) -> Any:
        # Before anything was learned there is nothing to ask.
        return self._model.predict(x)[0] if hasattr(self._model, "classes_") else None

    def learn(self, x: Any, y: Any, weight: float | None) -> None:
        arguments = {} if self._classes is None else {"classes": self._classes}
        if weight is not None:
            arguments["sample_weight"] = np.array([weight])
        self._classes = None
        self._model.partial_fit(x, np.array([y]), **arguments)


class _SparseRow:
    """One row of a sparse matrix, still sparse."""

    def __init__(self, X: Any) -> None:
        self.X = X


def stream_learner(model: Any, classes: Any) -> StreamLearner:
    """A learner, ours or another, for a stream; ``classes`` for the first batch of others."""
    if hasattr(model, "predict_one") and hasattr(model, "learn_one"):
        return (_LinearLearner if hasattr(model, "predict_then_learn") else StreamLearner)(model)
    if hasattr(model, "predict") and hasattr(model, "partial_fit"):
        return _TableLearner(model, classes)
    raise ParameterError(
        f"a {type(model).__name__} does not learn from a stream: it needs predict_one and "
        "learn_one, or predict and partial_fit."
    )
