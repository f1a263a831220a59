"""The tags of sentences: usual ones in one compiled call, all others step by step."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt._kernels.tags.tag_search import Search
from rosenblatt._kernels.tags.tag_sentences import PlainTagger
from rosenblatt._kernels.tags.tag_weights import Encoded, TagWeights
from rosenblatt.core.parallel import each_part, slices
from rosenblatt.errors import InputError, Item
from rosenblatt.structured.constraints import allowed_steps
from rosenblatt.structured.tagging import NO_TAG, TagModel


def predicted_tags(learner: Any, sentences: Any) -> list[list[str]]:
    """The tags of sentences, whose number, kind and length may be any, by a tagger as it is now."""
    known = learner.__dict__
    plain, found = known.get("_plain_tagger"), None
    if plain is not None:
        found = _tag_usual(plain, known, sentences)
    if found is None:
        learner._refuse_unfitted()
        learner.check_parameters()
        model: TagModel = learner._model  # of one state, also while another thread learns
        weights = model.served(averaged=learner.averaged)
        if plain is None or not plain.serves(known):
            plain = learner._plain_tagger = _plain_tagger(learner, model, weights)
            found = None if plain is None else _tag_usual(plain, known, sentences)
        if found is None:
            return learner._predict(model, weights, sentences)  # type: ignore[no-any-return]
    return found


def _tag_usual(
    plain: PlainTagger, learner: dict[str, Any], sentences: Any
) -> list[list[str]] | None:
    """The tags of sentences if all is usual, else None."""
    n_jobs = learner.get("n_jobs")
    if n_jobs is None:
        return plain.tag(learner, sentences)
    if type(sentences) is not list or not plain.serves(learner):
        return None
    places, found = slices(len(sentences), n_jobs), []
    for tags in each_part(lambda some: plain.tag(learner, sentences[some]), places, n_jobs):
        if tags is None:
            return None
        found += tags
    return found


def _plain_tagger(learner: Any, model: TagModel, weights: TagWeights) -> PlainTagger | None:
    """What tags usual sentences by the same sums in one call; None if the learner is unusual."""
    encoder = model.encoder
    constraints = learner.constraints
    is_fixed = constraints is None or type(constraints) is str  # a mapping may be changed
    if encoder.templates is None or model.dictionary is not None or not is_fixed:
        return None
    allowed, names = allowed_steps(constraints, model.tags), tuple(learner._options)
    return PlainTagger(
        names,
        tuple(getattr(learner, name) for name in names),
        (model, model.weights, model.best),
        weights,
        encoder.table,
        encoder.known,
        encoder.hashes,
        encoder.templates,
        model.tags,
        partial(Search, weights, beam=learner._beam, allowed=allowed),
        is_word=encoder.kind == "word",
    )


def tag_sentences(
    model: TagModel,
    weights: TagWeights,
    listed: list[Any],
    *,
    beam: int,
    allowed: npt.NDArray[np.bool_] | None,
    n_jobs: int | None,
) -> list[list[str]]:
    """The tags of sentences, of which some may be empty."""
    names, full = model.tags, [number for number, own in enumerate(listed) if own]

    def tag(some: slice) -> list[list[str]]:
        numbers = full[some]
        encoded = model.encoder.encode([listed[n] for n in numbers], numbers=numbers)
        tags = model.find_tags(weights, encoded, beam, allowed)
        if allowed is not None:
            refuse_no_path(tags, encoded, numbers)
        found, starts = tags.tolist(), encoded.starts.tolist()
        return [[names[tag] for tag in found[first:last]] for first, last in pairwise(starts)]

    parts = each_part(tag, slices(len(full), n_jobs), n_jobs)
    tagged = iter([tags for part in parts for tags in part])
    return [next(tagged) if sentence else [] for sentence in listed]


def refuse_no_path(tags: npt.NDArray[np.int32], encoded: Encoded, numbers: Sequence[int]) -> None:
    """Refuse the first sentence that has no tags because the constraints allow none.

    `numbers` are those that the sentences have for who gave them.
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
