"""Test, then train: every example of a stream is answered before it is learned."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from rosenblatt.errors import InputError, ParameterError
from rosenblatt.evaluate.progress import Progress

__all__ = ["progressive"]

NOTED_AT_ONCE = 512


def progressive(
    model: Any,
    stream: Iterable[Any],
    *,
    delay: int = 0,
    every: str | int = "doubling",
    window: int = 1000,
    classes: Any = None,
) -> Progress:
    """Let a learner answer every example of a stream before it learns from it; count mistakes.

    An answer counts as it was given at the time, so no example is held back and none is asked
    about twice. That there is no answer yet is a mistake, and so is every example that brings a
    new class. The learner goes on from the state it is in, and is changed.

    Parameters
    ----------
    model : estimator
        With ``predict_one`` and ``learn_one``, or else with ``predict`` and ``partial_fit``.
    stream : iterable of (x, y) or of (X, y)
        Single examples, where ``x`` is a mapping of features or a 1-D array, or blocks of rows as
        the readers give them. Blocks are gone through row by row: the mistakes are the same.
    delay : int, default=0
        An example is learned only after so many later ones were answered, as if its label came
        late. What is left at the end is learned then.
    every : "doubling" or int, default="doubling"
        Where the curve has points: at 1, 2, 4, 8 … examples, or after every so many.
    window : int, default=1000
        How many examples the recent rate is taken of.
    classes : list, default=None
        For learners of other packages whose ``partial_fit`` must be told them at the first call.

    Returns
    -------
    progress : Progress

    Notes
    -----
    Answers of an averaged learner come from the average of its weights; the mistakes of its
    latest weights, which is what the learner counts, are ``progress.online_mistakes``.

    See Also
    --------
    report : Answers beside the truth.

    Examples
    --------
    >>> from rosenblatt import AveragedPerceptron, datasets
    >>> from rosenblatt.evaluate import progressive
    >>> digits = datasets.digits()
    >>> progress = progressive(AveragedPerceptron(), [(digits.X, digits.y)])
    >>> print(progress.summary())
    277 mistakes in 1,797 examples: 15.41 %, of the last 1,000 9.90 %; always 3: 89.82 %
    >>> for point in progress.curve[-3:]:
    ...     print(point.line())
              512          118   0.2305   0.2305
            1,024          201   0.1963   0.1800
            1,797          277   0.1541   0.0990
    """
    if type(delay) is not int or delay < 0:
        raise ParameterError(f"delay={delay!r} must be a whole number of at least 0.")
    progress = Progress(every, window)
    learner = _learner(model, classes)
    before = getattr(model, "n_mistakes_", 0)
    waiting: deque[tuple[Any, Any]] = deque()
    wrong: list[bool] = []
    labels: list[Any] = []
    for x, y in _examples(stream, learner):
        wrong.append(not _equal(learner.answer(x), y))
        labels.append(y)
        waiting.append((x, y))
        if len(waiting) > delay:
            learner.learn(*waiting.popleft())
        if len(wrong) == NOTED_AT_ONCE:
            progress.add(np.array(wrong))
            progress.add_labels(labels)
            wrong, labels = [], []
    progress.add(np.array(wrong, bool))
    progress.add_labels(labels)
    for x, y in waiting:
        learner.learn(x, y)
    if hasattr(model, "n_mistakes_"):
        progress.online_mistakes = int(model.n_mistakes_ - before)
    return progress


class _OneByOne:
    """A learner of single examples; rows of a block are handed over as 1-D arrays."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def row(self, X: Any, i: int) -> Any:
        if isinstance(X, np.ndarray):
            return X[i]
        return _Row(X[i : i + 1]) if hasattr(self._model, "partial_fit") else X[[i]].toarray()[0]

    def answer(self, x: Any) -> Any:
        if isinstance(x, _Row):
            return self._model.predict(x.X)[0] if hasattr(self._model, "classes_") else None
        return self._model.predict_one(x)

    def learn(self, x: Any, y: Any) -> None:
        if isinstance(x, _Row):
            self._model.partial_fit(x.X, np.array([y]))
        else:
            self._model.learn_one(x, y)


class _ByTables:
    """A learner of tables, which gets them one row long."""

    def __init__(self, model: Any, classes: Any) -> None:
        self._model, self._classes = model, classes

    def row(self, X: Any, i: int) -> Any:
        return X[i : i + 1]

    def answer(self, x: Any) -> Any:
        # Before anything was learned there is nothing to ask.
        return self._model.predict(x)[0] if hasattr(self._model, "classes_") else None

    def learn(self, x: Any, y: Any) -> None:
        told = {} if self._classes is None else {"classes": self._classes}
        self._classes = None
        self._model.partial_fit(x, np.array([y]), **told)


class _Row:
    """One row of a sparse matrix, still sparse."""

    def __init__(self, X: Any) -> None:
        self.X = X


def _learner(model: Any, classes: Any) -> _OneByOne | _ByTables:
    if hasattr(model, "predict_one") and hasattr(model, "learn_one"):
        return _OneByOne(model)
    if hasattr(model, "predict") and hasattr(model, "partial_fit"):
        return _ByTables(model, classes)
    raise ParameterError(
        f"a {type(model).__name__} does not learn from a stream: it needs predict_one and "
        "learn_one, or predict and partial_fit."
    )


def _examples(stream: Iterable[Any], learner: _OneByOne | _ByTables) -> Iterator[tuple[Any, Any]]:
    """Single examples, whatever the stream is made of."""
    for item in stream:
        try:
            x, y = item
        except (TypeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(
                f"the stream gave a {type(item).__name__}; give pairs (x, y) or blocks (X, y)."
            ) from None
        if isinstance(x, Mapping):
            if isinstance(learner, _ByTables):
                raise InputError("x is a mapping, which only a learner with learn_one can read.")
            yield x, _plain(y)
            continue
        x = x.tocsr() if hasattr(x, "tocsr") else np.asarray(x)
        if x.ndim not in (1, 2) or (isinstance(x, np.ndarray) and x.dtype.kind in "OUS"):
            raise InputError(
                "x is neither a mapping nor an array of numbers; turn texts into features first "
                "(rosenblatt.features.TextFeatures)."
            )
        if x.ndim == 1:
            yield x if isinstance(learner, _OneByOne) else x.reshape(1, -1), _plain(y)
            continue
        labels = np.asarray(y)
        if labels.shape != (x.shape[0],):
            raise InputError(f"a block of {x.shape[0]:,} rows has labels of shape {labels.shape}.")
        for i, label in enumerate(labels.tolist()):
            yield learner.row(x, i), label


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _equal(answer: Any, label: Any) -> bool:
    return answer is not None and bool(answer == label)
