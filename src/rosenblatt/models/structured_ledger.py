"""The ledgers of structured learners: every update in order, from which everything follows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.engine.tags import tag_learning
from rosenblatt.engine.tags.tag_weights import Encoded, TagWeights
from rosenblatt.errors import InputError
from rosenblatt.models.feature_weights import FeatureWeights, LearnedWeights, exact_sum
from rosenblatt.models.ledger import BaseLedger, S, W
from rosenblatt.models.recording import PastMistake, Update, refuse_missing
from rosenblatt.models.sentences import read_sentences
from rosenblatt.models.structured_problem import Problem, answers, same

if TYPE_CHECKING:
    from rosenblatt.models.structured import StructuredModel
    from rosenblatt.models.tags import TagModel

Votes = list[list[tuple[Any, int]]]
# An update of a tagger: the sentence, step and t, and the right and the predicted tags of the
# compared tokens.
TagEntry = tuple[int, float, int, npt.NDArray[np.int32], npt.NDArray[np.int32]]


class SearchLedger(BaseLedger[W, S]):
    """Ledger of a learner that predicts by a search."""

    def votes(self, X: Any, queries: Any) -> Votes:
        """Return the answers to each query, with the survival times of the weights giving them.

        The cost is a search for every query by every weight vector that survived an example.

        Parameters
        ----------
        X : sequence
            The examples of ``fit`` and of the calls after it, in order.
        queries : sequence
            What to predict.

        Returns
        -------
        votes : list of lists of tuples (answer, votes)
            For each query, from the most votes to the fewest; of equals the one found first.
        """
        state = self._begin(X)
        n_played = 0
        votes: Votes = [[] for _ in queries]
        for k, survived in enumerate(self.survival.tolist()):
            if not survived:
                continue
            self._play(state, n_played, k)
            n_played = k
            for found, answer in zip(votes, self._answers(state, queries), strict=True):
                # Answers need not be hashable, so that they are compared one by one.
                places = [i for i, (known, _) in enumerate(found) if same(known, answer)]
                if places:
                    _, votes_so_far = found[places[0]]
                    found[places[0]] = (answer, votes_so_far + survived)
                else:
                    found.append((answer, survived))
        return [sorted(found, key=lambda vote: -vote[1]) for found in votes]

    def past_mistakes(
        self, X: Any, features: Mapping[Any, float], *, mean: bool
    ) -> list[PastMistake]:
        """Return the contribution of each past example to the score of an answer.

        ``features`` are those of the answer. The score is by the last weights or, with ``mean``, by
        the mean of all.
        """
        found: dict[int, PastMistake] = {}
        n_examples = self.n_examples
        for update in self:
            # The mean of n weights has a step in those after it: (n - (t - 1)) / n of it.
            share = (n_examples - update.t + 1) / n_examples if mean else 1.0
            step = update.step * share
            change = self.change_of(update, X)
            similarity = exact_sum(
                value * features.get(name, 0.0) for name, value in change.items()
            )
            contribution = step * similarity
            n_updates = 1

            before = found.get(update.row)
            if before is not None:
                step += before.step or 0.0
                contribution += before.contribution
                n_updates += before.updates
            found[update.row] = PastMistake(
                row=update.row,
                y_true=update.y_true,
                y_pred=update.y_pred,
                updates=n_updates,
                step=step,
                similarity=contribution / step,
                contribution=contribution,
            )
        return list(found.values())

    @abstractmethod
    def change_of(self, update: Update, X: Any) -> dict[Any, float]:
        """Return the change of the weights by an update with a step of 1, by feature."""

    @abstractmethod
    def _answers(self, state: S, queries: Any) -> list[Any]:
        """Return the answer of the weights in ``state`` to each query."""


class StructuredLedger(SearchLedger[FeatureWeights, tuple[LearnedWeights, Any]]):
    """Every update of a structured perceptron, in order.

    Iterating gives `Update` records; ``len`` is the number of updates. ``y_true`` and ``y_pred``
    are the two answers whose features were compared: ``w = Σ step·(φ(x, y_true) - φ(x, y_pred))``.
    ``row`` is the number of the example among those of ``fit`` and of the calls after it.

    Attributes
    ----------
    updates : tuple of Update
    n_examples : int
        Examples seen when learning ended.

    Examples
    --------
    >>> from rosenblatt import StructuredPerceptron
    >>> from rosenblatt.estimators.structured.spaces import Candidates
    >>> space = Candidates(lambda x, y: {"size": y})
    >>> xs = [[2, 5, 3], [9, 7, 8]]
    >>> model = StructuredPerceptron(space, record=True, shuffle=False).fit(xs, [5, 9])
    >>> list(model.ledger_)
    [Update(row=0, y_true=5, y_pred=2, step=1.0, t=1)]
    >>> model.ledger_.replay(xs)
    {'size': 3.0}
    >>> model.ledger_.votes(xs, [[1, 6]])
    [[(6, 4)]]
    """

    def __init__(self, problem: Problem, model: StructuredModel) -> None:
        assert model.start is not None
        assert model.recorder is not None
        super().__init__(model.t, model.start.t, model.best_t)
        self._problem = problem
        self._start = model.start
        self.updates: tuple[Update, ...] = tuple(model.recorder)

    def __len__(self) -> int:
        return len(self.updates)

    @property
    def _times(self) -> npt.NDArray[np.int64]:
        return np.array([update.t for update in self.updates], np.int64)

    def _update(self, k: int) -> Update:
        return self.updates[k]

    def _cut(self, k: int) -> None:
        self.updates = self.updates[:k]

    def _begin(self, X: Any, *, averaged: bool = False) -> tuple[LearnedWeights, Any]:
        return self._start.copy(with_running_sum=not averaged), X

    def _play(self, state: tuple[LearnedWeights, Any], start: int, stop: int, t0: int = 0) -> None:
        weights, xs = state
        for update in self.updates[start:stop]:
            change, weights.raw.length = self._change(update, xs)
            weights.add(change, update.step, update.t - t0)

    def change_of(self, update: Update, X: Any) -> dict[Any, float]:
        """Return the change of the weights for a step of 1, Δ = φ(x, y_true) - φ(x, y_pred)."""
        change, _ = self._change(update, X)
        return change

    def _change(self, update: Update, xs: Sequence[Any]) -> tuple[dict[Any, float], int]:
        """Return Δ, and the length of the feature vectors (0 for mappings)."""
        row = update.row
        refuse_missing(row, len(xs), "example")
        good, length = self._problem.features_of(xs[row], update.y_true, f"xs[{row}]")
        bad, _ = self._problem.features_of(xs[row], update.y_pred, f"xs[{row}]")
        return difference(good, bad), length

    def _weights(self, state: tuple[LearnedWeights, Any]) -> FeatureWeights:
        return state[0].nonzero()

    def _average(self, state: tuple[LearnedWeights, Any]) -> FeatureWeights:
        state[0].t = self.n_examples - self._start_t
        return state[0].average()

    def _answers(self, state: tuple[LearnedWeights, Any], queries: Any) -> list[Any]:
        return answers(self._problem, state[0].nonzero(), queries)


class TagLedger(SearchLedger[TagWeights, tuple[TagWeights, Encoded]]):
    """Every mistake of a tagger, in order.

    Iterating gives `Update` records; ``len`` is the number of mistakes. ``row`` is the number of
    the sentence among those of ``fit`` and of the calls after it. ``y_true`` and ``y_pred`` are
    lists of tags; with a beam they are those of the prefix that was compared.

    To replay, give all these sentences in order. Weights are `TagWeights`: ``steps`` from tag to
    tag, ``rows`` of features (``row_of`` has the place of each) by tag.

    Attributes
    ----------
    tags : list of str
    n_examples : int
        Sentences seen when learning ended.

    Examples
    --------
    >>> from rosenblatt import SequenceTagger
    >>> sentences, tags = [["a", "dog"], ["dogs", "bark"]], [["D", "N"], ["N", "V"]]
    >>> tagger = SequenceTagger(record=True, shuffle=False).fit(sentences, tags)
    >>> len(tagger.ledger_), tagger.ledger_[0].y_pred, tagger.ledger_.survival.tolist()
    (4, ['D', 'D'], [0, 1, 1, 1, 3])
    >>> tagger.ledger_.replay(sentences, upto=1).steps[:3, :3].tolist()
    [[-1.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    >>> tagger.ledger_.votes(sentences, [["a", "dog"]])
    [[(['D', 'N'], 4), (['N', 'N'], 1), (['V', 'N'], 1)]]
    """

    def __init__(
        self,
        model: TagModel,
        predict: Callable[[TagModel, TagWeights, Any], list[list[str]]],
    ) -> None:
        assert model.start is not None
        super().__init__(model.t, model.start.t, model.best_t)
        self.tags = model.tags
        self._start = model.start
        self._entries = tuple(model.recorder or ())
        self._model = model
        self._encoder = model.encoder
        self._predict = predict

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def _times(self) -> npt.NDArray[np.int64]:
        return np.array([t for _, _, t, _, _ in self._entries], np.int64)

    def _update(self, k: int) -> Update:
        row, step, t, right, wrong = self._entries[k]
        y_true = [self.tags[tag] for tag in right.tolist()]
        y_pred = [self.tags[tag] for tag in wrong.tolist()]
        return Update(row, y_true, y_pred, step, t)

    def _cut(self, k: int) -> None:
        self._entries = self._entries[:k]

    def _begin(self, X: Any, *, averaged: bool = False) -> tuple[TagWeights, Encoded]:
        encoded = self._encoder.encode(read_sentences(X))
        weights = with_tags(self._start, len(self.tags), with_running_sum=not averaged)
        weights.know(self._encoder.n_features)
        return weights, encoded

    def _play(self, state: tuple[TagWeights, Encoded], start: int, stop: int, t0: int = 0) -> None:
        weights, encoded = state
        for row, step, t, y_true, y_pred in self._entries[start:stop]:
            refuse_missing(row, len(encoded), "sentence")
            first, last = encoded.starts[row : row + 2].tolist()
            _check_length(row, last - first, len(y_pred))
            tag_learning.replay(weights, encoded, first, y_true, y_pred, step, t - t0)

    def change_of(self, update: Update, X: Any) -> dict[Any, float]:
        """Return the change Δ of the weights, by feature and tag and by transition between tags."""
        row = update.row
        order = self._start.order
        refuse_missing(row, len(X), "sentence")
        _check_length(row, len(X[row]), len(update.y_pred))
        encoded = self._encoder.encode([X[row]])
        right = [self.tags.index(tag) for tag in update.y_true]
        wrong = [self.tags.index(tag) for tag in update.y_pred]
        good = path_features(encoded, right, order, self.tags)
        bad = path_features(encoded, wrong, order, self.tags)
        return difference(good, bad)

    def _weights(self, state: tuple[TagWeights, Encoded]) -> TagWeights:
        return state[0].copy()

    def _average(self, state: tuple[TagWeights, Encoded]) -> TagWeights:
        state[0].t = self.n_examples - self._start_t
        return state[0].averaged()

    def _answers(self, state: tuple[TagWeights, Encoded], queries: Any) -> list[Any]:
        return self._predict(self._model, state[0], queries)


def with_tags(weights: TagWeights, n_tags: int, *, with_running_sum: bool = True) -> TagWeights:
    """Return a copy of the weights for more tags; without running sums, a new average begins."""
    twin = TagWeights(n_tags, weights.order)
    twin.take(weights)
    if not with_running_sum:
        for sums in (twin.row_running_sum, twin.step_running_sum, twin.pair_running_sum):
            sums[:] = 0.0
    return twin


def path_features(
    encoded: Encoded, path: Sequence[int], order: int, tags: Sequence[str]
) -> dict[Any, float]:
    """Return φ(x, y) of a sentence: counts of (feature, tag) pairs and of transitions."""
    found: dict[Any, float] = {}
    starts = encoded.feature_starts.tolist()
    # The number after the last tag is the beginning of a sentence.
    beginning = len(tags)
    before = [beginning, beginning, *path]
    for i, tag in enumerate(path):
        for k in range(starts[i], starts[i + 1]):
            feature = int(encoded.features[k])
            if feature < 0:  # never learned
                continue
            value = 1.0 if encoded.values is None else float(encoded.values[k])
            found[feature, tag] = found.get((feature, tag), 0.0) + value
        for n in range(1, order + 1):
            # The n tags before this one.
            step = ("step", *before[2 - n + i : 2 + i], tag)
            found[step] = found.get(step, 0.0) + 1.0
    return found


def difference(good: dict[Any, float], bad: dict[Any, float]) -> dict[Any, float]:
    """Return Δ = φ(good) - φ(bad), without zeros."""
    found = {}
    for name in {**good, **bad}:
        value = good.get(name, 0.0) - bad.get(name, 0.0)
        if value:
            found[name] = value
    return found


def _check_length(sentence: int, n_tokens: int, n_tags: int) -> None:
    if n_tags > n_tokens:
        raise InputError(
            f"sentence {sentence} has {n_tokens} tokens, but the ledger names {n_tags} tags for "
            "it. Give the same sentences as in training."
        )
