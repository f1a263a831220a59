"""The reasons of a tagger add up to what its search found."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import tagging as reference
from strategies import seeds

from rosenblatt import SequenceTagger

from . import taggers


@given(seeds, st.sampled_from([1, 2]), st.booleans())
def test_choices_add_up_to_the_best_score(seed: int, order: int, of_words: bool) -> None:
    xs, ys = taggers.sentences(seed) if of_words else taggers.mappings(seed)
    templates = ["w[0]"] if of_words else None
    tagger = SequenceTagger(max_iter=3, templates=templates, order=order, averaged=False)
    tagger.fit(xs, ys)
    w, space = taggers.weights_of(tagger, of_words=of_words), reference.Space(3, order)
    for x, y in zip(xs, ys, strict=True):
        why, sentence = tagger.explain(x, y), taggers.plain(x)
        best = reference.best(w, sentence, space)
        assert why.score == reference.score(w, sentence, best, order)
        right = taggers.numbers(tagger.tags_, y)
        assert why.compared_score == reference.score(w, sentence, right, order)
        assert [choice.tag for choice in why.predicted] == tagger.predict([x])[0]
        assert [choice.token for choice in why.predicted] == x
        assert why.compared is not None
        for i, choices in enumerate(zip(why.predicted, why.compared, strict=True)):
            for choice in choices:
                assert choice.features == why.tag_scores[i][choice.tag]


def test_the_table_marks_where_the_two_differ() -> None:
    tagger = SequenceTagger().fit([["the", "dog", "barks"]], [["D", "N", "V"]])
    text = str(tagger.explain(["the", "dog", "barks"], ["D", "V", "V"]))
    first, *rows, total = text.splitlines()
    assert first.split() == ["token", "tag", "features", "step", "compared", "features", "step"]
    assert [" *" in row for row in rows] == [False, True, False]
    assert [row.split()[0] for row in rows] == ["the", "dog", "barks"]
    assert total.startswith("sum")
    alone = tagger.explain(["the"])
    assert alone.compared is None
    assert alone.compared_score is None
    assert "*" not in str(alone)


@pytest.mark.parametrize("token", [("dog", "N"), {"word": "dog", "n": 2.0}])
def test_tokens_of_every_kind_can_be_explained(token: Any) -> None:
    tagger = SequenceTagger().fit([[token], [token, token]], [["P"], ["Q", "P"]])
    why = tagger.explain([token, token], ["P", "P"])
    assert why.predicted[0].token == token
    assert len(str(why).splitlines()) == 4


def test_an_empty_mapping_can_be_explained() -> None:
    tagger = SequenceTagger().fit([[{"a": 1}], [{}]], [["P"], ["Q"]])
    assert "sum" in str(tagger.explain([{}]))
