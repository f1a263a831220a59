"""The search of a tagger beside all sequences, looked at one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import tagging as reference
from strategies import seeds

from rosenblatt import SequenceTagger
from rosenblatt.errors import InputError
from rosenblatt.models.constraints import LeftOutSentences

from . import taggers

orders = st.sampled_from([1, 2])
followers = st.dictionaries(
    st.sampled_from([None, *taggers.TAGS]),
    st.lists(st.sampled_from(taggers.TAGS), max_size=3),
    max_size=4,
)


def fitted(seed: int, order: int, **settings: Any) -> SequenceTagger:
    """A tagger with drawn weights of whole numbers."""
    settings = {"templates": ["w[0]"], "averaged": False, "max_iter": 3, **settings}
    tagger = SequenceTagger(order=order, **settings).fit(*taggers.sentences(seed))
    return taggers.with_whole_numbers(tagger, seed)


def drawn_sentences(seed: int) -> list[list[str]]:
    """Some with a letter that was never seen."""
    random = np.random.default_rng(seed + 1)
    return [random.choice(list("abcde"), n).tolist() for n in (1, 2, 4)]


def space_of(constraints: Any, order: int, only: list[int | None] | None = None) -> Any:
    def follows(before: int, tag: int) -> bool:
        name = None if before == reference.BEGINNING else taggers.TAGS[before]
        return name not in constraints or taggers.TAGS[tag] in constraints[name]

    def can_be(place: int, tag: int) -> bool:
        return only is None or only[place] is None or only[place] == tag

    return reference.Space(len(taggers.TAGS), order, follows=follows, can_be=can_be)


@given(seeds, orders)
def test_viterbi_finds_the_best_of_all_sequences_and_of_equals_the_lower_at_the_end(
    seed: int, order: int
) -> None:
    tagger = fitted(seed, order)
    w, tests = taggers.weights_of(tagger), drawn_sentences(seed)
    for x, found in zip(tests, tagger.predict(tests), strict=True):
        right = reference.best(w, taggers.plain(x), reference.Space(3, order))
        assert taggers.numbers(tagger.tags_, found) == right


@given(seeds, orders, st.integers(1, 12))
def test_a_beam_keeps_what_a_plain_beam_search_keeps(seed: int, order: int, beam: int) -> None:
    tagger = fitted(seed, order, search="beam", beam=beam)
    w, tests = taggers.weights_of(tagger), drawn_sentences(seed)
    answers = tagger.predict(tests)
    for x, found in zip(tests, answers, strict=True):
        kept = reference.beams(w, taggers.plain(x), reference.Space(3, order), beam)
        assert taggers.numbers(tagger.tags_, found) == kept[-1][0][1]
    if beam == 1:
        assert answers == tagger.set_params(search="greedy", beam=7).predict(tests)


@given(seeds, orders)
def test_a_beam_that_holds_everything_is_exact(seed: int, order: int) -> None:
    tagger = fitted(seed, order)
    tests = drawn_sentences(seed)
    exact = [tagger.explain(x).score for x in tests]
    tagger.set_params(search="beam", beam=3**4)
    assert [tagger.explain(x).score for x in tests] == exact


@given(seeds, orders, followers, st.sampled_from(["viterbi", "beam", "greedy"]))
def test_only_sequences_that_the_constraints_allow_are_found(
    seed: int, order: int, constraints: Any, search: str
) -> None:
    tagger = fitted(seed, order)
    w, space = taggers.weights_of(tagger), space_of(constraints, order)
    tagger.set_params(constraints=constraints, search=search, beam=3)
    for x in drawn_sentences(seed):
        if not space.paths(len(x)):
            with pytest.raises(InputError, match=r"sentences\[0\]: the constraints allow no"):
                tagger.predict([x])
            continue
        right = reference.best(w, taggers.plain(x), space)
        if search != "viterbi":
            size = 3 if search == "beam" else 1
            right = reference.beams(w, taggers.plain(x), space, size)[-1][0][1]
        assert taggers.numbers(tagger.tags_, tagger.predict([x])[0]) == right


@given(seeds, orders, followers, st.integers(1, 3), st.sampled_from(["viterbi", "beam"]))
def test_words_of_the_tag_dictionary_have_their_tag_unless_the_constraints_forbid_it(
    seed: int, order: int, constraints: Any, least: int, search: str
) -> None:
    tagger = fitted(seed, order, tag_dictionary=least)
    w, own = taggers.weights_of(tagger), tags_of_words(seed, least)
    tagger.set_params(constraints=constraints, search=search, beam=2)
    for x in drawn_sentences(seed):
        space = space_of(constraints, order, [own.get(word) for word in x])
        if not space.paths(len(x)):
            space = space_of(constraints, order)
        if not space.paths(len(x)):
            continue
        right = reference.best(w, taggers.plain(x), space)
        if search == "beam":
            right = reference.beams(w, taggers.plain(x), space, 2)[-1][0][1]
        assert taggers.numbers(tagger.tags_, tagger.predict([x])[0]) == right


def tags_of_words(seed: int, least: int) -> dict[str, int]:
    pairs: dict[str, list[str]] = {}
    for x, y in zip(*taggers.sentences(seed), strict=True):
        for word, tag in zip(x, y, strict=True):
            pairs.setdefault(word, []).append(tag)
    return {
        word: taggers.TAGS.index(tags[0])
        for word, tags in pairs.items()
        if len(tags) >= least and len(set(tags)) == 1
    }


SCHEMES = {
    "BIO": (["O", "B-x", "I-x", "B-y", "I-y"], "BIO"),
    "BIOES": (["O", "B-x", "I-x", "E-x", "S-x", "B-y", "E-y"], "OES"),
}


def is_legal(scheme: str, path: list[str]) -> bool:
    """By reading from left to right, with the type of the span that is open."""
    inside: str | None = None
    for tag in path:
        kind, _, of = tag.partition("-")
        goes_on = kind in "IE"
        if goes_on and inside != of:
            return False
        if scheme == "BIOES" and inside is not None and not goes_on:
            return False
        inside = of if kind in "BI" else None
    return scheme == "BIO" or inside is None


@given(seeds, orders, st.sampled_from(["viterbi", "beam", "greedy"]))
@pytest.mark.parametrize("scheme", ["BIO", "BIOES"])
def test_spans_are_always_whole(scheme: str, seed: int, order: int, search: str) -> None:
    names, last = SCHEMES[scheme]
    gold = [["O"], ["B-x", "I-x"], ["B-y", "I-y", "O"]]
    if scheme == "BIOES":
        gold = [["O", "S-x"], ["B-x", "I-x", "E-x"], ["B-y", "E-y"]]
    xs = [list("abc")[: len(y)] for y in gold]
    tagger = SequenceTagger(templates=["w[0]"], averaged=False, order=order, constraints=scheme)
    tagger = taggers.with_whole_numbers(tagger.fit(xs, gold), seed).set_params(search=search)
    assert set(tagger.tags_) == set(names)
    tests = drawn_sentences(seed)
    for x, found in zip(tests, tagger.predict(tests), strict=True):
        assert is_legal(scheme, found)
        assert found[-1][0] in last
        if search == "viterbi" and len(x) < 4:
            legal = [
                path
                for path in reference.Space(len(names)).paths(len(x))
                if is_legal(scheme, [tagger.tags_[k] for k in path])
            ]
            w = taggers.weights_of(tagger)
            scores = [reference.score(w, taggers.plain(x), p, order) for p in legal]
            own = taggers.numbers(tagger.tags_, found)
            assert reference.score(w, taggers.plain(x), own, order) == max(scores)


@pytest.mark.parametrize(
    ("scheme", "tags", "what"),
    [
        ("BIO", ["O", "I-x"], "'I-x' after 'O'"),
        ("BIO", ["I-x"], "'I-x' at the beginning"),
        ("BIO", ["B-x", "I-y"], "'I-y' after 'B-x'"),
        ("BIOES", ["B-x", "O"], "'O' after 'B-x'"),
        ("BIOES", ["O", "B-x"], "'B-x' at the end"),
        ({"O": ["O"]}, ["O", "B-x"], "'B-x' after 'O'"),
    ],
)
def test_training_sentences_that_break_the_constraints_are_left_out_with_a_warning(
    scheme: Any, tags: list[str], what: str
) -> None:
    xs = [["a", "b"], ["c"] * len(tags), ["a"], ["b"] * len(tags)]
    ys = [["O"] * 2, tags, ["O"], tags]
    tagger = SequenceTagger(constraints=scheme, record=True, tag_dictionary=9)
    with pytest.warns(LeftOutSentences, match=rf"tags\[1\]: {what}.*: 2 of 4 sentences"):
        tagger.fit(xs, ys)
    assert tagger.t_ == 2 * tagger.n_iter_
    assert {mistake.row for mistake in tagger.ledger_} <= {0, 2}
    with pytest.raises(InputError, match=rf"tags\[0\]: {what}.* no other sentence"):
        SequenceTagger(constraints=scheme).fit(xs[1::2], ys[1::2])


@pytest.mark.parametrize("order", [1, 2])
def test_scores_stay_exact_over_a_very_long_sentence(order: int) -> None:
    """Far beyond 2**24, from where float32 no longer counts one by one."""
    tagger = fitted(3, order)
    tagger._model.served(averaged=tagger.averaged).pairs[...] = 0
    tagger._model.served(averaged=tagger.averaged).rows[...] *= 1000
    sentence = np.random.default_rng(0).choice(list("abcd"), 50_000).tolist()
    w = taggers.weights_of(tagger)
    found = taggers.numbers(tagger.tags_, tagger.predict([sentence])[0])
    best = [w.get(("step", -1, k), 0.0) + w.get((sentence[0], k), 0.0) for k in range(3)]
    for word in sentence[1:]:
        best = [
            max(best[b] + w.get(("step", b, k), 0.0) for b in range(3)) + w.get((word, k), 0.0)
            for k in range(3)
        ]
    assert reference.score(w, taggers.plain(sentence), found, 1) == max(best)
