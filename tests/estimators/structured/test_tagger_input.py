"""Bad input is refused with one clear error, and nothing is changed by it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import GridSearchCV, cross_val_score

from rosenblatt import SequenceTagger
from rosenblatt.errors import InputError, ParameterError, RosenblattError

from . import taggers

GOOD = [["a", "b"], ["c"]], [["P", "Q"], ["P"]]
# A whole number of so many digits that Python refuses to print it.
HUGE = 10**5000
HUGE_SHOWN = "a value of type int with too many digits to print"

BAD_PAIRS: dict[str, tuple[Any, Any, str]] = {
    "fewer tags": ([["a", "b"], ["c"]], [["P", "Q"], []], "sentence 1 has 1 tokens but 0 tags"),
    "more tags": ([["a", "b"]], [["P", "Q", "P"]], "sentence 0 has 2 tokens but 3 tags"),
    "fewer sentences": ([["a"]], [["P"], ["P"]], "1 sentences but tags for 2"),
    "no sentences": ([], [], "there are no sentences"),
    "an empty sentence": ([["a"], []], [["P"], []], r"sentences[1] is empty"),
    "a text as a sentence": (["a b"], [["P"]], "sentences[0] is 'a b', not a list of tokens"),
    "one text": ("a b", [["P"]], "sentences must be a list of sentences"),
    "a generator as a sentence": ([(w for w in "ab")], [["P", "P"]], "not a list of tokens"),
    "no list": (3, [["P"]], "sentences must be a list of sentences"),
    "None": (None, None, "sentences must be a list of sentences"),
    "one mapping": ({"a": 1}, [["P"]], "sentences must be a list of sentences"),
    "a set as a sentence": ([{"a"}], [["P"]], "not a list of tokens"),
    "a text as tags": ([["a"]], ["P"], "the tags of sentence 0 are 'P', not a list of str"),
    "one text as all tags": ([["a"]], "P", "tags must be a list of lists of str"),
    "tags that are None": ([["a"]], None, "tags must be a list of lists of str"),
    "tags in a set": ([["a"]], [{"P"}], "not a list of str"),
    "tags from a generator": ([["a"]], [(t for t in "P")], "not a list of str"),
    "tags that are numbers": ([["a"]], [[1]], "sentence 0 has the tag 1; tags are text"),
    "a tag that is None": ([["a", "b"]], [["P", None]], "sentence 0 has the tag None"),
    "a number as a word": ([["a"], ["b", 3]], [["P"], ["P", "P"]], "sentence 1 holds 3"),
    "a list as a word": ([["a", ["b"]]], [["P", "P"]], "sentence 0 holds ['b'] where a word"),
    "bytes as a word": ([[b"a"]], [["P"]], "a token is b'a'"),
    "a tuple among words": ([["a", ("b", "N")]], [["P", "P"]], "('b', 'N') where a word should"),
    "half a character": ([["a\ud800"]], [["P"]], r"'a\ud800' is no text that can be written"),
    "an empty token": ([[()]], [["P"]], "a token is ()"),
    "a huge sentence": ([HUGE], [["P"]], f"sentences[0] is {HUGE_SHOWN}, not a list of tokens"),
    "a huge first token": ([[HUGE]], [["P"]], f"a token is {HUGE_SHOWN}; give words"),
    "a huge word": ([["a", HUGE]], [["P", "P"]], f"sentence 0 holds {HUGE_SHOWN} where a word"),
    "a huge column": ([[("a", HUGE)]], [["P"]], f"sentence 0 holds {HUGE_SHOWN} where a word"),
    "a huge token": ([[{"a": 1}, HUGE]], [["P", "P"]], f"token 1 of sentence 0 is {HUGE_SHOWN}"),
    "a huge value": ([[{"a": HUGE}]], [["P"]], f"holds the feature {{'a': {HUGE_SHOWN}}}. Feat"),
    "a huge name": ([[{HUGE: 1}]], [["P"]], f"holds the feature {HUGE_SHOWN}. Features"),
    "a huge tag": ([["a"]], [[HUGE]], f"sentence 0 has the tag {HUGE_SHOWN}; tags are text"),
    "huge tags": ([["a"]], [HUGE], f"the tags of sentence 0 are {HUGE_SHOWN}, not a list"),
}
MAPPINGS = [[{"a": 1}]], [["P"]]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"templates": ["w[0]"]}, "templates and columns are for words"),
        ({"columns": ["w"]}, "templates and columns are for words"),
        ({"tag_dictionary": 1}, "tag_dictionary is for words"),
    ],
)
def test_what_is_for_words_is_refused_for_mappings(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        SequenceTagger(**settings).fit(*MAPPINGS)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"order": HUGE}, "order="),
        ({"random_state": HUGE}, "random_state="),
        ({"columns": HUGE}, "columns="),
        ({"templates": HUGE}, "templates="),
        ({"constraints": HUGE}, "constraints="),
        ({"constraints": {HUGE: ["P"]}}, "constraints: "),
        ({"constraints": {"P": [HUGE]}}, "constraints: "),
    ],
)
def test_a_parameter_too_long_to_print_is_refused_as_any_other(
    settings: dict[str, Any], told: str
) -> None:
    with pytest.raises(ParameterError, match=told + HUGE_SHOWN):
        SequenceTagger(**settings).fit(*GOOD)


def test_tokens_that_are_lists_are_refused_as_they_could_be_columns_or_features() -> None:
    with pytest.raises(InputError, match=r"give a tuple if it holds the columns.* a mapping if"):
        SequenceTagger().fit([[["dogs", "NNS"]]], [["P"]])
    tagger = SequenceTagger().fit([[("dogs", "NNS")]], [["P"]])
    with pytest.raises(InputError, match="reads tokens that are each a tuple of 2 texts"):
        tagger.predict([[["dogs", "NNS"]]])


def test_parameters_changed_after_the_fit_are_checked_before_answers() -> None:
    tagger = SequenceTagger().fit(*GOOD)
    with pytest.raises(ParameterError, match="search='best' is not known"):
        tagger.set_params(search="best").predict(GOOD[0])
    with pytest.raises(ParameterError, match="Invalid parameter 'beams': SequenceTagger has temp"):
        tagger.set_params(beams=3)


def test_scikit_learn_can_search_and_cross_validate() -> None:
    xs, ys = taggers.sentences(1, n=30)
    scores = cross_val_score(SequenceTagger(), xs, ys, cv=3)
    assert scores.shape == (3,)
    search = GridSearchCV(SequenceTagger(), {"order": [1, 2]}, cv=2).fit(xs, ys)
    assert search.best_estimator_.predict(xs[:1])
    assert repr(SequenceTagger(order=2, templates=["w[0]"])) == (
        "SequenceTagger(templates=['w[0]'], order=2)"
    )


def test_no_scikit_learn_is_loaded_to_learn_and_to_answer() -> None:
    code = (
        "import sys; from rosenblatt import SequenceTagger as T;"
        "t = T(max_iter=3).fit([['a', 'b']], [['A', 'B']]); t.predict([['b', 'a']]);"
        "print(*{'sklearn', 'scipy', 'matplotlib'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == ""


OTHER_KINDS: dict[str, tuple[Any, Any, str]] = {
    "a word among tuples": (
        [[("a", "N"), "b"]],
        [["P", "P"]],
        "token 1 of sentence 0 is 'b', but this tagger reads tokens that are each a tuple of 2",
    ),
    "tuples of two lengths": ([[("a", "N"), ("b",)]], [["P", "P"]], "a tuple of 2 texts"),
    "a number in a tuple": ([[("a", 3)]], [["P"]], "sentence 0 holds 3 where a word should be"),
    "a word among mappings": ([[{"a": 1}, "b"]], [["P", "P"]], "that are each a mapping"),
    "a value that is None": ([[{"a": None}]], [["P"]], "the feature {'a': None}"),
    "a value that is not finite": ([[{"a": float("nan")}]], [["P"]], "the feature {'a': nan}"),
    "a value that is infinite": ([[{"a": -np.inf}]], [["P"]], "the feature {'a': -inf}"),
    "a value beyond all bounds": ([[{"a": 10**400}]], [["P"]], "of less than 1e12 in size"),
    "a value in a list": ([[{"a": [1]}]], [["P"]], "the feature {'a': [1]}"),
    "a number as a name": ([[{3: 1}]], [["P"]], "the feature 3"),
    "half a character in a name": ([[{"\udfff": 1}]], [["P"]], "no text that can be written"),
}


@pytest.mark.parametrize("case", [*BAD_PAIRS, *OTHER_KINDS])
def test_a_first_fit_refuses_and_stays_unfitted(case: str) -> None:
    xs, ys, what = (BAD_PAIRS | OTHER_KINDS)[case]
    tagger = SequenceTagger()
    before = dict(tagger.__dict__)
    with pytest.raises(InputError, match=re.escape(what)):
        tagger.fit(xs, ys)
    assert tagger.__dict__ == before


@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
@pytest.mark.parametrize("case", BAD_PAIRS)
def test_a_refused_call_changes_nothing(case: str, learn: str) -> None:
    xs, ys, _ = BAD_PAIRS[case]
    tagger = SequenceTagger(warm_start=True, record=True, averaged=False).fit(*GOOD)
    before, known = taggers.bytes_of(tagger), dict(tagger.__dict__)
    with pytest.raises(InputError):
        getattr(tagger, learn)(xs, ys)
    assert tagger.__dict__ == known
    assert taggers.bytes_of(tagger) == before
    assert len(tagger.ledger_) == tagger.n_mistakes_
    assert tagger.predict(GOOD[0]) == GOOD[1]


def test_a_sentence_without_words_has_no_tags() -> None:
    tagger = SequenceTagger().fit(*GOOD)
    [alone] = tagger.predict([GOOD[0][0]])
    assert tagger.predict([[], GOOD[0][0], [], []]) == [[], alone, [], []]
    assert tagger.predict([[]]) == [[]]


def test_a_word_is_known_if_training_met_it() -> None:
    tagger = SequenceTagger().fit([[("a", "D"), ("gull", "N")]], [["B", "I"]])
    assert tagger.knows(("gull", "V"))
    assert tagger.knows("a")
    assert not tagger.knows(("D", "a"))


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda t: t.predict("a b"), "sentences must be a list"),
        (lambda t: t.predict(["a b"]), "Cut texts into words first"),
        (lambda t: t.score([["a"], []], [["P"], []]), r"sentences\[1\] is empty"),
        (lambda t: t.predict([["a", 3]]), "sentence 0 holds 3"),
        (lambda t: t.predict([[("a", "N")]]), "where a word should be"),
        (lambda t: t.predict([[{"a": 1}]]), "where a word should be"),
        (lambda t: t.predict([["\ud800"]]), "lone surrogate"),
        (lambda t: t.score([["a"]], [["P", "P"]]), "1 tokens but 2 tags"),
        (lambda t: t.score([], []), "no sentences"),
        (lambda t: t.explain("a"), r"sentence\[0\] is 'a', not a list of tokens"),
        (lambda t: t.explain([]), "is empty"),
        (lambda t: t.explain(["a"], ["Z"]), "the tag 'Z' was never seen in training"),
        (lambda t: t.explain(["a"], ["P", "P"]), "1 tokens but 2 tags"),
        (lambda t: t.fit(*GOOD, validation_set=3), "must be a pair"),
        (lambda t: t.fit(*GOOD, validation_set=([["a"]], [["P", "P"]])), "1 tokens but 2 tags"),
        (lambda t: t.fit(*GOOD, validation_set=([], [])), "validation_set: there are no"),
    ],
)
def test_questions_that_make_no_sense(call: Callable[[Any], Any], what: str) -> None:
    tagger = SequenceTagger().fit(*GOOD)
    before = taggers.bytes_of(tagger)
    with pytest.raises(RosenblattError, match=what):
        call(tagger)
    assert taggers.bytes_of(tagger) == before


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"search": "vitrebi"}, "search"),
        ({"order": 3}, "order=3 is not allowed: give 1 or 2"),
        ({"order": True}, "order=True"),
        ({"beam": 0}, "beam"),
        ({"beam": 2**70}, "give a whole number from 1 to 65,536"),
        ({"templates": 3}, "templates=3 is not allowed: give a list of texts"),
        ({"templates": "w[0]"}, "give a list of texts"),
        ({"columns": [1]}, "give a list of texts"),
        ({"templates": [f"w[0].suffix({'9' * 5000})"]}, "is not of the form"),
        ({"verbose": "x"}, "verbose='x'"),
        ({"update": "late"}, "update"),
        ({"update": "early"}, "search='beam'"),
        ({"rule": "svm"}, "rule"),
        ({"C": 0.0}, "C"),
        ({"C": float("nan")}, "C"),
        ({"max_iter": 0}, "max_iter"),
        ({"tag_dictionary": 0}, "tag_dictionary"),
        ({"averaged": "yes"}, "averaged"),
        ({"n_iter_no_change": 0}, "n_iter_no_change"),
        ({"constraints": "IOB"}, "'IOB' is not known: give 'BIO', 'BIOES'"),
        ({"constraints": 3}, "give the name of a scheme, or a mapping"),
        ({"constraints": "BIO"}, "'P' is no tag of this scheme"),
        ({"constraints": {"P": "PQ"}}, "the list of tags that may follow"),
        ({"constraints": {"P": None}}, "the list of tags that may follow"),
        ({"constraints": {"Z": ["P"]}}, "'Z'"),
        ({"constraints": {"P": ["Z"]}}, "'Z' is no tag of the training data"),
    ],
)
def test_parameters_out_of_range_are_refused(settings: Any, what: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(what)):
        SequenceTagger(**settings).fit(*GOOD)


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"order": 2}, "order=2, but this tagger has learned with 1"),
        ({"templates": ["w[0]"]}, "templates are others"),
    ],
)
def test_order_and_templates_cannot_be_changed_on_the_way(changed: Any, what: str) -> None:
    tagger = SequenceTagger().fit(*GOOD).set_params(**changed)
    with pytest.raises(ParameterError, match=what):
        tagger.partial_fit(*GOOD)
    assert tagger.fit(*GOOD).n_iter_ >= 1


def test_constraints_may_be_given_by_any_iterable() -> None:
    followers = {"P": {"Q"}, None: (tag for tag in "P")}
    tagger = SequenceTagger(constraints=followers).fit(*GOOD)
    assert tagger.stop_reason_ == "separated"


def test_sentences_may_come_from_a_generator_and_be_tuples() -> None:
    plain = SequenceTagger(averaged=False).fit(*GOOD)
    other = SequenceTagger().fit((tuple(x) for x in GOOD[0]), (tuple(y) for y in GOOD[1]))
    assert taggers.bytes_of(plain) == taggers.bytes_of(other)
    assert plain.predict(iter(GOOD[0])) == plain.predict(GOOD[0]) == GOOD[1]
    assert plain.predict([]) == []


class Liar(Sequence[str]):
    """Says it has one token and hands out many."""

    def __init__(self, said: int, real: int) -> None:
        self.said, self.real = said, real

    def __len__(self) -> int:
        return self.said

    def __getitem__(self, k: Any) -> Any:
        return "a"

    def __iter__(self) -> Iterator[str]:
        return iter(["a"] * self.real)


class LyingList(list[str]):
    def __len__(self) -> int:
        return 1


@pytest.mark.parametrize("sentence", [Liar(1, 5000), Liar(5000, 1), LyingList("abcdef")])
def test_sentences_are_as_long_as_what_they_hand_out(sentence: Any) -> None:
    tagger = SequenceTagger().fit(*GOOD)
    assert len(tagger.predict([sentence])[0]) == len(list(iter(sentence)))


values = st.one_of(
    st.text(max_size=3), st.booleans(), st.integers(), st.floats(), st.none(), st.binary(max_size=2)
)
tokens = st.one_of(
    values,
    st.tuples(values),
    st.tuples(values, values),
    st.lists(values, max_size=3),
    st.dictionaries(values, values, max_size=3),
)


@given(
    st.lists(st.lists(tokens, max_size=4), max_size=4),
    st.lists(st.lists(st.sampled_from("PQ"), max_size=4), max_size=4),
    st.sampled_from(["viterbi", "beam"]),
    st.sampled_from([1, 2]),
    st.booleans(),
)
def test_anything_is_learned_from_or_refused(
    xs: Any, ys: Any, search: str, order: int, fits: bool
) -> None:
    if fits:
        ys = [["PQ"[i % 2] for i in range(len(x))] for x in xs]
    settings: dict[str, Any] = {"search": search, "order": order, "max_iter": 2}
    for tagger in (SequenceTagger(**settings), SequenceTagger(**settings).fit(*GOOD)):
        try:
            tagger.partial_fit(xs, ys)
        except RosenblattError:
            continue
        assert [len(tags) for tags in tagger.predict(xs)] == [len(x) for x in xs]


def test_arrays_of_texts_are_sentences_and_tags() -> None:
    sentences, tags = ([np.array(one) for one in part] for part in GOOD)
    tagger = SequenceTagger().fit(sentences, tags)
    expected = SequenceTagger().fit(*GOOD)
    assert tagger.predict(sentences) == expected.predict(GOOD[0])
    assert {type(tag) for tag in tagger.tags_} == {str}
    assert tagger.score(sentences, tags) == expected.score(*GOOD)
    with pytest.raises(InputError, match="not a list of tokens"):
        tagger.predict([np.array([["a"]])])


def test_more_tags_than_the_memory_holds_are_told_with_the_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from rosenblatt.models import tags as tagging

    def full(weights: Any, n_tags: int) -> Any:
        raise MemoryError

    monkeypatch.setattr(tagging, "with_tags", full)
    with pytest.raises(ParameterError, match=r"order=2 needs a score .* 2 tags .* Use order 1"):
        SequenceTagger(order=2).fit(*GOOD)
