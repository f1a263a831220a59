"""A tagger as a state, and back, without the estimator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from rosenblatt import __version__
from rosenblatt._kernels.tags.tag_weights import TagWeights
from rosenblatt.arrays import Arrays
from rosenblatt.model.card import FORMAT, Card, Data, Fit, Record, Tagging
from rosenblatt.model.container import ZEROS
from rosenblatt.model.state import State
from rosenblatt.model.word_lists import pack_words, unpack_words

__all__ = ["Tagger", "tagger_of", "tagger_state"]

Tags = npt.NDArray[np.int32]
# Sentence, step, counter, the right tags and those found.
Mistake = tuple[int, float, int, Tags, Tags]


@dataclass
class Tagger:
    """All that a tagger has learned, as plain data and arrays.

    ``words`` are those known in each column, ``hashes`` those of the features in the order of their
    numbers, ``dictionary`` the one tag of each known word, or -1.
    """

    tags: list[str]
    tokens: Any
    columns: list[str] | None
    templates: list[str] | None
    words: list[list[str]]
    hashes: npt.NDArray[np.uint64]
    weights: TagWeights
    best: TagWeights | None
    dictionary: Tags | None
    ledger: list[Mistake] | None
    n_mistakes: int
    seed: int
    random: int
    notes: dict[str, Any] = field(default_factory=dict)


def tagger_state(
    tagger: Tagger, *, learner: str, parameters: Mapping[str, Any], fit: Fit | None
) -> State:
    """The state of a tagger, its learner and, if it is the outcome of a ``fit``, of that."""
    weights, best = tagger.weights, tagger.best
    arrays: Arrays = {"features.hash": tagger.hashes.view(np.int64)}
    _put_weights(arrays, weights)
    if best is not None:
        _put_best(arrays, best)
    if tagger.columns is not None:
        arrays |= pack_words(tagger.words)
    if tagger.dictionary is not None:
        arrays["dictionary"] = tagger.dictionary
    if tagger.ledger is not None:
        _put_ledger(arrays, tagger.ledger)
    data = tagger.notes.get("data")
    card = Card(
        format=FORMAT,
        version=__version__,
        sha256=ZEROS,
        learner=learner,
        parameters=dict(parameters),
        classes=list(tagger.tags),
        label_dtype=None,
        feature_names=None,
        columns=None,
        schema=tagger.notes.get("schema"),
        fit_intercept=False,
        by_feature=False,
        best=False,
        random=tagger.random,
        record=Record(
            seed=tagger.seed,
            t=int(weights.t),
            n_mistakes=tagger.n_mistakes,
            data=None if data is None else Data(**data),
            fit=fit,
        ),
        ledger=None,
        voters=None,
        tagger=Tagging(
            order=int(weights.order),  # type: ignore[arg-type]
            tokens=tagger.tokens,
            columns=tagger.columns,
            templates=tagger.templates,
            words=[len(words) for words in tagger.words],
            best=None if best is None else int(best.t),
            dictionary=tagger.dictionary is not None,
            ledger=tagger.ledger is not None,
        ),
    )
    return State(card, arrays)


def tagger_of(state: State) -> Tagger:
    """The tagger of a state that was read, ready to answer and to learn on."""
    card, arrays, facts = state.card, state.arrays, state.card.tagger
    assert facts is not None
    weights = _taken_weights(state, facts.order)
    data = card.record.data
    return Tagger(
        tags=card.classes,
        tokens=facts.tokens,
        columns=facts.columns,
        templates=facts.templates,
        words=[] if facts.columns is None else unpack_words(arrays, facts.words),
        hashes=arrays["features.hash"].view(np.uint64),
        weights=weights,
        best=None if facts.best is None else _taken_best(arrays, weights, facts.best),
        dictionary=np.array(arrays["dictionary"]) if facts.dictionary else None,
        ledger=_taken_ledger(arrays) if facts.ledger else None,
        n_mistakes=card.record.n_mistakes,
        seed=card.record.seed,
        random=card.random,
        notes={
            "schema": card.schema,
            "data": None if data is None else msgspec.structs.asdict(data),
        },
    )


# ---------------------------------------------------------------------- weights


def _put_weights(arrays: Arrays, weights: TagWeights) -> None:
    """Rows in the order in which they came to be, and the feature that each belongs to."""
    n, k = weights.n_rows, weights.n_tags
    feature = np.empty(n, np.int32)
    known = np.flatnonzero(weights.row_of >= 0)
    feature[weights.row_of[known]] = known
    arrays |= {
        "rows.feature": feature,
        # What stands behind the tags is room for the loops alone.
        "rows": weights.rows[:n, :k],
        "rows_sum": weights.row_sums[:n, :k],
        "steps": weights.steps[:, :k],
        "steps_sum": weights.step_sums[:, :k],
    }
    if weights.order == 2:
        arrays |= {"pairs": weights.pairs[:, :k], "pairs_sum": weights.pair_sums[:, :k]}


def _put_best(arrays: Arrays, best: TagWeights) -> None:
    """Weights of an earlier epoch: their rows are the first of those that there are now."""
    n, k = best.n_rows, best.n_tags
    arrays |= {"best.rows": best.rows[:n, :k], "best.steps": best.steps[:, :k]}
    if best.order == 2:
        arrays["best.pairs"] = best.pairs[:, :k]


def _taken_weights(state: State, order: int) -> TagWeights:
    arrays = state.arrays
    weights = TagWeights(len(state.card.classes), order)
    row_of = np.full(state.n_features, -1, np.int32)
    feature = arrays["rows.feature"]
    row_of[feature] = np.arange(len(feature), dtype=np.int32)
    width, none = weights.width, np.zeros((0, weights.n_tags))
    weights.set(
        row_of=row_of,
        rows=_widened(arrays["rows"], width),
        row_sums=_widened(arrays["rows_sum"], width),
        steps=_widened(arrays["steps"], width),
        step_sums=_widened(arrays["steps_sum"], width),
        pairs=_widened(arrays.get("pairs", none.astype(np.float32)), width),
        pair_sums=_widened(arrays.get("pairs_sum", none), width),
    )
    weights.t = state.card.record.t
    return weights


def _taken_best(arrays: Arrays, weights: TagWeights, t: int) -> TagWeights:
    best = TagWeights(weights.n_tags, weights.order)
    n, width = len(arrays["best.rows"]), weights.width
    none = np.zeros((0, weights.n_tags), np.float32)
    no_sums = np.zeros((0, width))  # it does not learn on
    best.set(
        row_of=np.where(weights.row_of < n, weights.row_of, np.int32(-1)),
        rows=_widened(arrays["best.rows"], width),
        row_sums=no_sums,
        steps=_widened(arrays["best.steps"], width),
        step_sums=no_sums,
        pairs=_widened(arrays.get("best.pairs", none), width),
        pair_sums=no_sums,
    )
    best.t = t
    return best


def _widened(array: npt.NDArray[Any], width: int) -> npt.NDArray[Any]:
    wide = np.zeros((len(array), width), array.dtype)
    wide[:, : array.shape[1]] = array
    return wide


# ---------------------------------------------------------------------- the ledger


def _put_ledger(arrays: Arrays, ledger: list[Mistake]) -> None:
    none = np.empty(0, np.int32)
    arrays |= {
        "ledger.sentence": np.array([sentence for sentence, *_ in ledger], np.int64),
        "ledger.step": np.array([step for _, step, *_ in ledger], np.float64),
        "ledger.t": np.array([t for _, _, t, *_ in ledger], np.int64),
        "ledger.length": np.array([len(right) for *_, right, _ in ledger], np.int64),
        "ledger.right": np.concatenate([none, *(right for *_, right, _ in ledger)]),
        "ledger.found": np.concatenate([none, *(found for *_, found in ledger)]),
    }


def _taken_ledger(arrays: Arrays) -> list[Mistake]:
    right, found = (np.array(arrays[f"ledger.{name}"]) for name in ("right", "found"))
    places = pairwise([0, *np.cumsum(arrays["ledger.length"]).tolist()])
    columns = (arrays[f"ledger.{name}"].tolist() for name in ("sentence", "step", "t"))
    return [
        (sentence, step, t, right[start:end], found[start:end])
        for sentence, step, t, (start, end) in zip(*columns, places, strict=True)
    ]
