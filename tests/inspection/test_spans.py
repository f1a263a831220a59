"""Spans of tagged sentences, beside conlleval's rules and seqeval."""

from __future__ import annotations

import gzip
import json
import os
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import conlleval

from rosenblatt.errors import InputError, ParameterError
from rosenblatt.evaluate import span_scores, spans

DATA = Path(
    os.environ.get("ROSENBLATT_DATA", Path(__file__).resolve().parents[2].parent / "shared/data")
)
TYPES = ("NP", "VP", "A-B")


def sentences(letters):
    tag = st.one_of(
        st.just("O"), st.builds("{}-{}".format, st.sampled_from(letters), st.sampled_from(TYPES))
    )
    sentence = st.integers(0, 7).flatmap(
        lambda n: st.tuples(*[st.lists(tag, min_size=n, max_size=n)] * 2)
    )
    # Half of the answers are nearly right, else hardly a span would be found.
    nearly = st.tuples(st.lists(tag, min_size=1, max_size=7), st.integers(0, 6), tag).map(
        lambda s: (s[0], [s[2] if i == s[1] else t for i, t in enumerate(s[0])])
    )
    some = st.lists(st.one_of(sentence, nearly), min_size=1, max_size=6)
    return some.filter(lambda pairs: any(gold for gold, _ in pairs))


@pytest.mark.parametrize("scheme", ["BIO", "BIOES"])
@given(data=st.data())
def test_counts_are_those_of_conlleval(scheme, data):
    pairs = data.draw(sentences(scheme.replace("O", "")))
    gold, guessed = (list(column) for column in zip(*pairs, strict=True))
    true, found, correct, equal = conlleval.count(gold, guessed)
    told = span_scores(gold, guessed, scheme)
    assert {c.type: c.support for c in told.per_type if c.support} == true
    assert {c.type: c.predicted for c in told.per_type if c.predicted} == found
    assert {c.type: c.right for c in told.per_type if c.right} == correct
    assert told.accuracy == equal / sum(map(len, gold))
    assert told.overall.support == sum(true.values())
    precision = sum(correct.values()) / sum(found.values()) if found else 0.0
    recall = sum(correct.values()) / sum(true.values()) if true else 0.0
    assert (told.precision, told.recall) == (precision, recall)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    assert told.f1 == pytest.approx(f1)


@pytest.mark.parametrize("scheme", ["BIO", "BIOES"])
@given(data=st.data())
def test_numbers_are_those_of_seqeval(scheme, data):
    metrics = pytest.importorskip("seqeval.metrics")
    entities = pytest.importorskip("seqeval.metrics.sequence_labeling").get_entities
    pairs = data.draw(sentences(scheme.replace("O", "")))
    gold, guessed = (list(column) for column in zip(*pairs, strict=True))
    told = span_scores(gold, guessed, scheme)
    for sentence in gold:
        ours = [(span.type, span.start, span.stop - 1) for span in spans(sentence, scheme)]
        assert ours == entities(sentence)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert told.precision == pytest.approx(metrics.precision_score(gold, guessed))
        assert told.recall == pytest.approx(metrics.recall_score(gold, guessed))
        assert told.f1 == pytest.approx(metrics.f1_score(gold, guessed))
        assert told.accuracy == pytest.approx(metrics.accuracy_score(gold, guessed))


@pytest.mark.parametrize(
    ("tags", "scheme", "expected"),
    [
        ("B-N I-N O", "BIO", [("N", 0, 2)]),
        ("O I-N I-N", "BIO", [("N", 1, 3)]),
        ("B-N I-V", "BIO", [("N", 0, 1), ("V", 1, 2)]),
        ("B-N B-N I-N", "BIO", [("N", 0, 1), ("N", 1, 3)]),
        ("B I O I", "BIO", [("", 0, 2), ("", 3, 4)]),
        ("S-N S-N B-N E-N", "BIOES", [("N", 0, 1), ("N", 1, 2), ("N", 2, 4)]),
        ("B-N E-N I-N O E-N", "BIOES", [("N", 0, 2), ("N", 2, 3), ("N", 4, 5)]),
        ("", "BIO", []),
    ],
)
def test_spans_start_and_end_where_they_should(tags, scheme, expected):
    assert spans(tags.split(), scheme) == expected


@pytest.mark.skipif(not (DATA / "conll2000").exists(), reason="conll2000 is not there")
def test_the_test_set_of_conll_2000_has_the_phrases_that_conlleval_counts():
    """47377 tokens with 23852 phrases, as every published result on it says."""
    (file,) = (f for f in (DATA / "conll2000").iterdir() if f.name.startswith("test"))
    opened = gzip.open if file.suffix == ".gz" else open
    with opened(file, "rt", encoding="utf-8") as lines:
        text = lines.read()
    gold = [[line.split()[-1] for line in part.splitlines()] for part in text.split("\n\n") if part]
    told = span_scores(gold, [["O"] * len(tags) for tags in gold])
    assert (told.tokens, told.overall.support) == (47377, 23852)
    assert (told.precision, told.recall, told.f1) == (0.0, 0.0, 0.0)
    assert span_scores(gold, gold).f1 == 1.0


def test_no_line_is_longer_than_80_columns_and_none_steers_a_terminal():
    gold = [["B-a type with a name of many letters\x1b[2J", "B-x"]]
    told = span_scores(gold, gold)
    assert max(map(len, told.lines())) <= 80
    assert "\x1b" not in str(told)


def test_json_is_plain_and_has_a_version():
    found = span_scores([["B-N", "O"]], [["B-N", "B-N"]])
    told = json.loads(json.dumps(found.to_json()))
    assert told["schema"] == 1
    assert (told["sentences"], told["tokens"], told["accuracy"]) == (1, 2, 0.5)
    assert told["per_type"] == [{**told["overall"], "type": "N"}]
    assert (told["overall"]["right"], told["overall"]["predicted"]) == (1, 2)
    assert "f1 0.6667" in repr(found)


def test_html_is_escaped_and_without_scripts():
    gold = [["B-<script>x</script>"]]
    html = span_scores(gold, gold)._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html


@pytest.mark.parametrize(
    ("gold", "predicted", "says"),
    [
        ([["O"]], [], "gold has 1 sentences and predicted 0"),
        ([["O", "O"]], [["O"]], "sentence 0: gold has 2 tags and predicted 1"),
        ([[]], [[]], "there are 0 tokens"),
        ([], [], "there are 0 tokens"),
        (["B-N", "O"], ["B-N", "O"], "entry 0 is the text 'B-N'"),
        ("B-N", "B-N", "not one text"),
        ([["O"]], [["X-N"]], "predicted, sentence 0: the tag 'X-N' of token 0"),
        ([["O"]], [["S-N"]], "scheme='BIOES'"),
        ([["O-N"]], [["O"]], "the tag 'O-N'"),
        ([["BI-N"]], [["O"]], "the tag 'BI-N'"),
        ([[None]], [["O"]], "the tag None"),
    ],
)
def test_what_cannot_be_compared_is_refused(gold, predicted, says):
    with pytest.raises(InputError, match=says):
        span_scores(gold, predicted)


def test_an_unknown_scheme_and_one_text_are_refused():
    with pytest.raises(ParameterError, match="scheme='IOB1' is not known"):
        spans(["O"], "IOB1")
    with pytest.raises(InputError, match="not one text"):
        spans("B-NP")
