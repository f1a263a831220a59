"""Usual sentences are tagged in one compiled call, with the answers of the longer way."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import seeds

from rosenblatt import SequenceTagger
from rosenblatt.errors import InputError, ParameterError

from . import taggers

WORDS = ["dog", "Dog", "dogs", "DOG-9", "a", "cafés", "Žák", "ß", "", "x" * 40, "日本", "new"]
KNOWN = WORDS[:7]
TAGS = ["O", "B-x", "I-x", "B-y"]
ALONE = ("w[0]", "w[-2].lower", "w[1].suffix(2)", "w[0].shape", "w[8]", "w[-8]", "w[0].has_digit")
JOINT = ("w[-1]|w[0]", "w[0].lower|w[1].prefix(1)|w[2]", "w[-8]|w[8].short_shape", "w[0]|w[0]")
OF_TUPLES = ("c[0]", "c[-1]|w[0]", "w[1].lower|c[1]", "c[2].suffix(1)|c[2]")
searches = st.sampled_from(
    [
        {},
        {"averaged": False},
        {"order": 2},
        {"search": "greedy"},
        {"search": "beam", "beam": 2, "order": 2},
        {"constraints": "BIO"},
        {"constraints": "BIO", "search": "beam", "beam": 1},
    ]
)


def drawn_tags(length: int, random: np.random.Generator) -> list[str]:
    """Tags that keep to BIO."""
    found: list[str] = []
    for _ in range(length):
        can_go_on = bool(found) and found[-1] in ("B-x", "I-x")
        found.append(str(random.choice(TAGS if can_go_on else ["O", "B-x", "B-y"])))
    return found


@st.composite
def taggers_and_sentences(draw: Any) -> tuple[SequenceTagger, list[Any]]:
    """Templates and a search of any kind, and sentences with words that were never seen."""
    of_tuples, random = draw(st.booleans()), np.random.default_rng(draw(seeds))
    templates = [*ALONE, *JOINT, *(OF_TUPLES if of_tuples else ())]
    settings = {**draw(searches), "max_iter": 2, "columns": ["w", "c"] if of_tuples else None}
    settings["templates"] = draw(st.lists(st.sampled_from(templates), min_size=1, max_size=8))

    def sentence(words: list[str], length: int) -> Any:
        if of_tuples:
            pairs = zip(random.choice(words, length), random.choice(words, length), strict=True)
            return [(str(a), str(b)) for a, b in pairs]
        return [str(word) for word in random.choice(words, length)]

    xs = [sentence(KNOWN, n) for n in random.integers(1, 6, 12)]
    ys = [drawn_tags(len(x), random) for x in xs]
    xs, ys = [*xs, sentence(KNOWN, 4)], [*ys, ["O", "B-x", "I-x", "B-y"]]
    queries = [sentence(WORDS, int(n)) for n in (*random.integers(0, 9, 6), 40)]
    queries[0] = tuple(queries[0])
    return SequenceTagger(**settings).fit(xs, ys), queries


def step_by_step(tagger: SequenceTagger, queries: list[Any]) -> list[list[str]]:
    model = tagger._model
    return tagger._predict(model, model.served(averaged=tagger.averaged), queries)


def in_one_call(tagger: SequenceTagger, queries: Any) -> Any:
    """None if something is unusual."""
    engine = vars(tagger).get("_engine")
    return None if engine is None else engine.tag(queries)


@given(taggers_and_sentences())
def test_one_call_finds_the_tags_of_the_longer_way(drawn: Any) -> None:
    tagger, queries = drawn
    right = step_by_step(tagger, queries)
    assert tagger.predict(queries) == right
    assert in_one_call(tagger, queries) == right
    assert [tagger.predict_one(query) for query in queries] == right


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_many_blocks_of_sentences_and_threads_change_nothing(n_jobs: int) -> None:
    xs, ys = taggers.sentences(3, n=300)
    tagger = SequenceTagger(max_iter=1, n_jobs=n_jobs).fit(xs, ys)
    queries = [[*x, f"new{i % 7}"] for i, x in enumerate(xs)] * 12
    right = step_by_step(tagger, queries)
    for _ in range(3):
        pickled = pickle.loads(pickle.dumps(tagger))  # which has looked up no word yet
        assert pickled.predict(queries) == right
        assert pickled._engine.is_open


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    "unusual",
    [
        tuple,
        iter,
        lambda xs: [np.array(x, object) for x in xs],
        lambda xs: [np.array(x) for x in xs],
        lambda xs: [[Text(word) for word in x] for x in xs],
        lambda xs: [[np.str_(word) for word in x] for x in xs],
    ],
)
def test_unusual_sentences_are_left_to_the_longer_way(unusual: Any) -> None:
    xs, ys = taggers.sentences(1)
    tagger = SequenceTagger().fit(xs, ys)
    right = tagger.predict(xs)
    assert in_one_call(tagger, unusual(xs)) is None
    assert tagger.predict(unusual(xs)) == right


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ([["a"], ["b", 3]], "sentence 1 holds 3"),
        ([["a"], "ab"], r"sentences\[1\] is 'ab'"),
        ([["a"], [], ["\ud800"]], "half a character"),
        ("ab", "must be a list of sentences"),
        ([[("a", "b")]], r"holds \('a', 'b'\)"),
    ],
)
def test_what_is_refused_is_refused_as_before(queries: Any, message: str) -> None:
    tagger = SequenceTagger().fit(*taggers.sentences(1))
    for _ in range(2):
        with pytest.raises(InputError, match=message):
            tagger.predict(queries)
        assert len(tagger.predict([["a"], []])) == 2


def test_a_sentence_without_allowed_tags_is_named() -> None:
    tagger = SequenceTagger(constraints="BIO").fit([["a", "b"], ["a"]], [["B-x", "I-x"], ["B-x"]])
    assert tagger.predict([["a", "b"]]) == [["B-x", "I-x"]]
    tagger = SequenceTagger(constraints="BIOES")
    tagger.fit([["a", "b"]], [["B-x", "E-x"]])
    assert tagger.predict([["a", "b"]]) == [["B-x", "E-x"]]
    with pytest.raises(InputError, match=r"sentences\[1\].*allow no sequence of 1"):
        tagger.predict([["a", "b"], ["a"]])


def test_a_very_long_sentence_takes_the_longer_way() -> None:
    xs, ys = taggers.sentences(1)
    tagger = SequenceTagger(templates=["w[0]"]).fit(xs, ys)
    long = list("abcde") * 27_000
    found = tagger.predict([long])
    assert in_one_call(tagger, [long]) is None
    assert in_one_call(tagger, [long[:100_000]])[0][:90_000] == found[0][:90_000]


def test_a_tagger_that_learns_or_is_set_anew_answers_as_it_is_now() -> None:
    xs, ys = taggers.sentences(2, n=30)
    others = [["R"] * len(y) for y in ys]
    tagger = SequenceTagger(max_iter=2).fit(xs, ys)

    def check() -> list[list[str]]:
        found = tagger.predict(xs)
        assert found == step_by_step(tagger, xs)
        assert in_one_call(tagger, xs) == found
        return found

    first = check()
    for settings in ({"averaged": False}, {"search": "greedy"}, {"search": "viterbi"}):
        tagger.set_params(**settings)
        assert in_one_call(tagger, xs) is None
        check()
    tagger.partial_fit(xs, others)
    assert check() != first
    tagger.fit(xs, others, validation_set=(xs, others))
    assert check() == others
    tagger.beam = 0
    with pytest.raises(ParameterError, match="beam"):
        tagger.predict(xs)


@pytest.mark.parametrize("settings", [{"tag_dictionary": 1}, {"constraints": {"P": ["Q"]}}])
def test_a_dictionary_and_a_mapping_of_constraints_take_the_longer_way(settings: Any) -> None:
    tagger = SequenceTagger(**settings).fit([["a", "b"]], [["P", "Q"]])
    assert tagger.predict([["a", "b"]]) == [["P", "Q"]]
    assert "_engine" not in vars(tagger)


def test_copies_and_pickles_leave_it_out() -> None:
    xs, ys = taggers.sentences(2)
    tagger = SequenceTagger().fit(xs, ys)
    right = tagger.predict(xs)
    for twin in (deepcopy(tagger), pickle.loads(pickle.dumps(tagger))):
        assert "_engine" not in vars(twin)
        assert twin.predict(xs) == right
