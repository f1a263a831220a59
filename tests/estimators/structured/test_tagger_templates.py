"""Templates make the features they say, and words of every kind are read."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import SequenceTagger
from rosenblatt.engine.tags.tag_features import hash_of, hashes_of, mixed
from rosenblatt.errors import ParameterError
from rosenblatt.models import templates
from rosenblatt.models.sentences import Encoder
from rosenblatt.models.templates import FUNCTIONS, SIZED

WORDS = [
    "dog", "Dog", "DOG", "dOG", "dogs", "hot-dog", "Hot-Dog", "-", "--", "a", "A", "", "1", "12",
    "12345", "123456", "1st", "B2B", "x-1", "aaaaaaaa", "AAAAAAAAb", "don't", "É", "é", "Éa",
    "straße", "STRASSE", "ﬁn", "İ", "漢字", "١٢", "🎲", "a b", " ", "\n", "\n\n", "X" * 5000,
    "X" * 5001, "...", ".....",
]  # fmt: skip


def plain_shape(word: str) -> str:
    shape = ""
    for c in word:
        mark = "X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c
        if shape[-4:] != mark * 4:
            shape += mark
    return shape


def plain_short_shape(word: str) -> str:
    shape = ""
    for c in plain_shape(word):
        if shape[-1:] != c:
            shape += c
    return shape


# What each template says of a word, in other words.
ASKED: dict[str, Callable[[str], Any]] = {
    "": lambda w: w,
    ".lower": lambda w: w.lower(),
    ".shape": plain_shape,
    ".short_shape": plain_short_shape,
    ".is_title": lambda w: w.istitle(),
    ".is_upper": lambda w: w.isupper(),
    ".has_digit": lambda w: any(c.isdigit() for c in w),
    ".has_hyphen": lambda w: "-" in w,
    ".has_upper": lambda w: w.lower() != w,
    ".suffix(1)": lambda w: w[max(0, len(w) - 1) :],
    ".suffix(3)": lambda w: w[max(0, len(w) - 3) :],
    ".prefix(2)": lambda w: "".join(list(w)[:2]),
    ".prefix(4000)": lambda w: "".join(list(w)[:4000]),
    ".lower.suffix(2)": lambda w: w.lower()[max(0, len(w.lower()) - 2) :],
}


def features(
    sentences: list[list[Any]], templates: list[str], columns: Any = None
) -> list[list[int]]:
    """The numbers of the features of each token, met for the first time."""
    encoder = Encoder.for_tokens(sentences, templates, columns)
    found = encoder.encode(sentences, learning=True).features
    again = encoder.encode(sentences).features
    np.testing.assert_array_equal(found, again)
    return found.reshape(-1, len(templates)).tolist()  # type: ignore[no-any-return]


def assert_same_partition(found: list[Any], wanted: list[Any]) -> None:
    """Two tokens share a feature if and only if they share the value."""
    assert len(set(zip(found, wanted, strict=True))) == len(set(found)) == len(set(wanted))


@pytest.mark.parametrize("asked", ASKED)
def test_words_share_a_feature_if_and_only_if_the_template_says_so(asked: str) -> None:
    found = features([[word] for word in WORDS], [f"w[0]{asked}"])
    assert_same_partition([f for (f,) in found], [ASKED[asked](word) for word in WORDS])


texts = st.text(max_size=8)


@given(st.lists(st.lists(texts, min_size=1, max_size=5), min_size=1, max_size=5), st.data())
def test_conjunctions_borders_and_offsets(sentences: list[list[str]], data: Any) -> None:
    places = st.tuples(st.integers(-8, 8), st.sampled_from(list(ASKED)))
    templates = data.draw(
        st.lists(st.lists(places, min_size=1, max_size=3), min_size=1, max_size=4)
    )
    written = ["|".join(f"w[{k}]{asked}" for k, asked in parts) for parts in templates]
    found = features(sentences, written)
    wanted = []
    for sentence in sentences:
        for i in range(len(sentence)):
            row = []
            for number, parts in enumerate(templates):
                values: list[Any] = [number]
                for k, asked in parts:
                    at = i + k
                    if at < 0:
                        values.append(("before", at))
                    elif at >= len(sentence):
                        values.append(("behind", at - len(sentence)))
                    else:
                        values.append(ASKED[asked](sentence[at]))
                row.append(repr(values))
            wanted.append(row)
    assert_same_partition(list(chain(*found)), list(chain(*wanted)))


@given(st.lists(texts, min_size=1, max_size=8), st.lists(texts, min_size=1, max_size=8))
def test_features_of_other_sentences_are_known_where_they_were_met(
    seen: list[str], asked: list[str]
) -> None:
    encoder = Encoder.for_tokens([seen], ["w[0]", "w[0].lower|w[1]"], None)
    encoder.encode([seen], learning=True)
    n = encoder.n_features
    for _ in range(2):  # the second time from what is remembered
        found = encoder.encode([asked]).features.reshape(-1, 2)
        assert (found[:, 0] >= 0).tolist() == [word in seen for word in asked]
    assert encoder.n_features == n


QUESTIONS = st.lists(
    st.sampled_from([*FUNCTIONS, *SIZED]).flatmap(
        lambda name: st.tuples(
            st.just(name), st.sampled_from([1, 2, 5, 10**9 - 1]) if name in SIZED else st.just(0)
        )
    ),
    max_size=3,
)


@given(QUESTIONS, st.lists(st.text(st.characters(max_codepoint=127)), max_size=5))
def test_compiled_answers_of_ascii_words_are_those_of_python(asked: Any, words: Any) -> None:
    ask = templates._ask(0, tuple(asked))
    hashes = [mixed(hash_of(repr(tuple(asked))), hash_of(ask.answer(word))) for word in words]
    (found,) = hashes_of([ask], [words])
    assert found.tolist() == hashes


def test_columns_have_names() -> None:
    sentence = [("dog", "N"), ("N", "dog"), ("dog", "V")]
    first, second = ["w[0]", "pos[0]", "w[0]|pos[0]"], ["form[0]", "tag[0]", "form[0]|tag[0]"]
    found = features([sentence], first)
    assert found == features([sentence], second, ("form", "tag"))
    assert [row[0] == found[0][0] for row in found] == [True, False, True]
    assert len({f for row in found for f in row}) == 2 + 3 + 3


@pytest.mark.parametrize(
    ("template", "place", "what"),
    [
        ("w[0].lowr", 6, "'lowr' is not known: lower, shape"),
        ("w[0]|w[1].suffix", 11, "'suffix' is not known"),
        ("w[0].suffix(0)", 6, "'suffix(0)' is not known"),
        ("w[0].lower(2)", 6, "'lower(2)' is not known"),
        ("w[0].lower.prefx(2)", 12, "'prefx(2)' is not known"),
        ("w[0]|v[0]", 6, "there is no column 'v': w"),
        ("w[0]|w[9]", 8, "at most 8 tokens away"),
        ("w[-9]", 3, "at most 8 tokens away"),
        ("w[0]|", 6, "'' is not of the form"),
        ("", 1, "'' is not of the form"),
        ("w0", 1, "'w0' is not of the form"),
        ("w[0] ", 1, "'w[0] ' is not of the form"),
    ],
)
def test_a_wrong_template_is_refused_with_its_place(template: str, place: int, what: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(f"at character {place}: {what}")) as error:
        SequenceTagger(templates=["w[0]", template]).fit([["a"]], [["P"]])
    assert repr(template) in str(error.value)


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"templates": "w[0]"}, "give a list of texts"),
        ({"templates": []}, "templates is empty"),
        ({"templates": [3]}, "give a list of texts"),
        ({"columns": "word"}, "give a list of texts"),
        ({"columns": ("w", "pos")}, "tokens are words, which have one column"),
    ],
)
def test_templates_and_columns_that_make_no_sense(settings: Any, what: str) -> None:
    with pytest.raises(ParameterError, match=what):
        SequenceTagger(**settings).fit([["a"]], [["P"]])


def scores(tagger: SequenceTagger, token: dict[str, Any]) -> dict[str, float]:
    return tagger.explain([token]).tag_scores[0]


def test_mappings_say_what_is_the_case_and_how_much() -> None:
    token = {"word": "run", "cap": True, "length": 2.5, "zero": 0, "no": False}
    tagger = SequenceTagger(averaged=False).fit([[{"word": "x"}], [token]], [["P"], ["Q"]])
    both = scores(tagger, {"word": "run", "cap": True, "length": 2.5})
    assert both["Q"] == 1 + 1 + 2.5**2
    assert scores(tagger, token) == both
    assert scores(tagger, {"word": "run"})["Q"] == 1
    assert scores(tagger, {"word": "RUN"})["Q"] == 0
    assert scores(tagger, {"word": 1.0})["Q"] == 0
    assert scores(tagger, {"cap": np.bool_(True)})["Q"] == scores(tagger, {"cap": 1})["Q"] == 1
    assert scores(tagger, {"length": np.float32(2)})["Q"] == 5
    assert scores(tagger, {"length": -np.int8(2)})["Q"] == -5
    assert scores(tagger, {"zero": 5, "no": 7, "never": 9})["Q"] == 0
    assert scores(tagger, {})["Q"] == 0
    assert tagger.predict([[{}], [token]])[1] == ["Q"]


def test_words_of_every_kind_are_told_apart() -> None:
    xs = [[word] for word in WORDS]
    ys = [[f"tag {i % 7}"] for i in range(len(WORDS))]
    tagger = SequenceTagger(max_iter=100).fit(xs, ys)
    assert tagger.stop_reason_ == "separated"
    assert tagger.set_params(averaged=False).predict(xs) == ys
    assert len(tagger.predict([["never seen", "\x00", "\x00\x00", "🎲🎲"]])[0]) == 4


def test_texts_like_those_of_numpy_are_words_too() -> None:
    xs, ys = [["a", "b"], ["c"]], [["P", "Q"], ["R"]]
    strange = [list(np.array(x)) for x in xs]
    tagger = SequenceTagger(averaged=False, max_iter=20).fit(strange, [np.array(y) for y in ys])
    assert tagger.predict(xs) == tagger.predict(strange) == ys


@pytest.mark.parametrize("search", ["viterbi", "beam"])
def test_a_sentence_of_fifty_thousand_tokens(search: str) -> None:
    long = [f"w{i % 50}" for i in range(50_000)]
    tags = [f"t{i % 5}" for i in range(50_000)]
    tagger = SequenceTagger(templates=["w[0]", "w[1]"], max_iter=4, search=search)
    tagger.fit([long, ["w1"]], [tags, ["t1"]])
    assert tagger.score([long], [tags]) == 1.0


@pytest.mark.parametrize("order", [1, 2])
def test_one_tag_only(order: int) -> None:
    tagger = SequenceTagger(order=order).fit([["a", "b"], ["c"]], [["P", "P"], ["P"]])
    assert (tagger.stop_reason_, tagger.n_mistakes_, tagger.n_iter_) == ("separated", 0, 1)
    assert tagger.predict([["a", "z", "q"]]) == [["P"] * 3]


def test_three_hundred_tags() -> None:
    xs = [[f"w{i}", f"w{(7 * i) % 300}"] for i in range(300)]
    ys = [[f"t{word[1:]}" for word in x] for x in xs]
    tagger = SequenceTagger(templates=["w[0]"], max_iter=20).fit(xs, ys)
    assert len(tagger.tags_) == 300
    assert tagger.score(xs, ys) == 1.0
