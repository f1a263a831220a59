"""Tagging of sentences: by a fast path, which is one compiled call, or step by step."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rosenblatt.engine.tags.tag_search import Search
from rosenblatt.engine.tags.tag_sentences import TagEngine
from rosenblatt.engine.tags.tag_weights import Encoded, TagWeights
from rosenblatt.errors import InputError, Item
from rosenblatt.models.constraints import allowed_steps
from rosenblatt.models.parallel import each_part, slices
from rosenblatt.models.tags import NO_TAG, TagModel

if TYPE_CHECKING:
    from rosenblatt.estimators.structured.tagger import SequenceTagger


def predicted_tags(learner: SequenceTagger, sentences: Any) -> list[list[str]]:
    """Return the tags of sentences by a tagger, by the fast path if it supports them."""
    learner._refuse_unfitted()
    learner.check_parameters()
    model: TagModel = learner._model
    weights = model.served(averaged=learner.averaged)
    engine: TagEngine | None = learner.__dict__.get("_engine")
    if engine is None or not engine.is_open:
        engine = open_engine(learner, model, weights)

    found = None
    if engine is not None:
        found = tag_usual(engine, sentences, learner.n_jobs)
    if found is None:
        found = learner._predict(model, weights, sentences)
    return found


def tag_usual(engine: TagEngine, sentences: Any, n_jobs: int | None) -> list[list[str]] | None:
    """Return the tags of sentences by the fast path; None if it cannot read one of them."""
    if n_jobs is None:
        return engine.tag(sentences)
    if type(sentences) is not list:
        return None
    places = slices(len(sentences), n_jobs)
    found: list[list[str]] = []
    for tags in each_part(lambda some: engine.tag(sentences[some]), places, n_jobs):
        if tags is None:
            return None
        found += tags
    return found


def open_engine(learner: Any, model: TagModel, weights: TagWeights) -> TagEngine | None:
    """Open the fast path of a tagger; return None if it does not support the parameters.

    The engine is used until a parameter is set or the model changes.
    """
    encoder = model.encoder
    constraints = learner.constraints
    # A mapping may be changed by its owner.
    is_fixed = constraints is None or type(constraints) is str
    if encoder.templates is None or model.dictionary is not None or not is_fixed:
        return None

    parameters = [getattr(learner, name) for name in learner._options]
    allowed = allowed_steps(constraints, model.tags)
    asked = encoder.templates
    engine = TagEngine(
        weights,
        encoder.table,
        encoder.known,
        encoder.hashes,
        model.tags,
        partial(Search, weights, beam=learner._beam, allowed=allowed),
        starts=asked.starts,
        part_asks=asked.part_asks,
        part_offsets=asked.part_offsets,
        asks=asked.asks,
        outside=asked.outside,
        is_word=encoder.kind == "word",
    )
    learner._engine = engine
    # If another thread has set a parameter meanwhile, it found no engine to close.
    now = [getattr(learner, name) for name in learner._options]
    if any(a is not b for a, b in zip(now, parameters, strict=True)):
        engine.close()
    return engine


def tag_sentences(
    model: TagModel,
    weights: TagWeights,
    listed: list[Any],
    *,
    beam: int,
    allowed: npt.NDArray[np.bool_] | None,
    n_jobs: int | None,
) -> list[list[str]]:
    """Return the tags of sentences without the fast path; sentences may be empty."""
    names = model.tags
    full = [number for number, sentence in enumerate(listed) if sentence]

    def tag(some: slice) -> list[list[str]]:
        numbers = full[some]
        encoded = model.encoder.encode([listed[n] for n in numbers], numbers=numbers)
        tags = model.find_tags(weights, encoded, beam, allowed)
        if allowed is not None:
            refuse_no_path(tags, encoded, numbers)
        found = tags.tolist()
        starts = encoded.starts.tolist()
        return [[names[tag] for tag in found[first:last]] for first, last in pairwise(starts)]

    parts = each_part(tag, slices(len(full), n_jobs), n_jobs)
    tagged = iter([tags for part in parts for tags in part])
    return [next(tagged) if sentence else [] for sentence in listed]


def refuse_no_path(tags: npt.NDArray[np.int32], encoded: Encoded, numbers: Sequence[int]) -> None:
    """Raise InputError for the first sentence for which the constraints allow no tags.

    ``numbers`` are the numbers by which the error names the sentences.
    """
    missing = np.flatnonzero(tags == NO_TAG)
    if len(missing):
        number = int(np.searchsorted(encoded.starts, missing[0], side="right")) - 1
        length = int(encoded.starts[number + 1] - encoded.starts[number])
        raise InputError(
            f"the constraints allow no sequence of {length} of the tags that were seen in "
            "training.",
            where=Item("sentences", numbers[number]),
        )
