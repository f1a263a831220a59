"""The paths of a sentence: the tags of the tagger, scores that add up, differences marked."""

import pytest

from rosenblatt import Perceptron, SequenceTagger, load, plot, save
from rosenblatt.errors import InputError

SENTENCES = [
    ["the", "dog", "barks"],
    ["a", "cat", "sleeps"],
    ["time", "flies", "like", "an", "arrow"],
]
TAGS = [
    ["DET", "NOUN", "VERB"],
    ["DET", "NOUN", "VERB"],
    ["NOUN", "VERB", "ADP", "DET", "NOUN"],
]
FRUIT = ["fruit", "flies", "like", "a", "banana"]
RIGHT = ["NOUN", "NOUN", "VERB", "DET", "NOUN"]


@pytest.fixture(scope="module")
def tagger():
    return SequenceTagger().fit(SENTENCES, TAGS)


def test_the_paths_are_those_of_the_tagger(tagger):
    shown = plot.tag_path(tagger, FRUIT, RIGHT)
    assert shown.tokens == FRUIT
    assert shown.tags == tagger.tags_
    assert shown.predicted == tagger.predict([FRUIT])[0]
    assert shown.gold == RIGHT
    assert shown.differ == [i for i in range(5) if shown.predicted[i] != RIGHT[i]] != []


def test_the_choices_add_up_to_the_score_and_the_best_path_has_the_most(tagger):
    shown = plot.tag_path(tagger, FRUIT, RIGHT)
    assert sum(map(sum, shown.predicted_scores)) == pytest.approx(shown.score)
    assert sum(map(sum, shown.gold_scores)) == pytest.approx(shown.gold_score)
    assert shown.score > shown.gold_score


def test_an_explanation_shows_the_same_as_its_tagger(tagger):
    explained = plot.tag_path(tagger.explain(FRUIT, RIGHT))
    shown = plot.tag_path(tagger, FRUIT, RIGHT)
    for name in ("tokens", "tags", "predicted", "gold", "gold_scores", "differ", "caption"):
        assert getattr(explained, name) == getattr(shown, name)


def test_without_gold_there_is_one_path(tagger):
    shown = plot.tag_path(tagger, FRUIT)
    assert shown.gold is None
    assert shown.gold_score is None
    assert shown.differ == []


def test_of_many_tags_those_on_the_paths_are_shown():
    many = [f"T{i:02}" for i in range(20)]
    tagger = SequenceTagger().fit([[f"w{i}"] for i in range(20)], [[tag] for tag in many])
    shown = plot.tag_path(tagger, ["w3", "w5"], ["T03", "T11"])
    assert shown.tags == sorted({*shown.predicted, "T03", "T11"})
    assert shown.left_out == 20 - len(shown.tags)


def test_tokens_of_several_parts_show_their_word_and_long_ones_are_cut():
    sentence = [("dog", "NN"), ("antidisestablishmentarianism", "NN")]
    tagger = SequenceTagger().fit([sentence], [["A", "B"]])
    assert plot.tag_path(tagger, sentence).tokens == ["dog", "antidises…nism"]


def test_a_saved_tagger_shows_the_same(tagger, tmp_path):
    save(tagger, tmp_path / "tagger.rbt")
    twin = plot.tag_path(load(tmp_path / "tagger.rbt"), FRUIT, RIGHT)
    shown = plot.tag_path(tagger, FRUIT, RIGHT)
    assert twin.predicted == shown.predicted
    assert twin.predicted_scores == shown.predicted_scores
    assert twin.caption == shown.caption


def test_what_has_no_path_is_refused(tagger):
    with pytest.raises(InputError, match="no paths of tags"):
        plot.tag_path(Perceptron(), FRUIT)
    with pytest.raises(InputError, match="needs a sentence"):
        plot.tag_path(tagger)
    with pytest.raises(InputError, match="leave the others out"):
        plot.tag_path(tagger.explain(FRUIT), FRUIT)
    with pytest.raises(InputError):
        plot.tag_path(tagger, FRUIT, ["DET"])
    with pytest.raises(InputError):
        plot.tag_path(tagger, [])
