"""Texts become the rows that a plain program makes of them, and names survive in JSON."""

from __future__ import annotations

import copy
import gzip
import json
import os
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reference import ngrams as plain

from rosenblatt.arrays import SparseRows
from rosenblatt.errors import InputError, ModelFileError, ParameterError
from rosenblatt.features import TextFeatures, TextSchema, schema_from_json

DATA = Path(os.environ.get("ROSENBLATT_DATA", Path(__file__).parents[3] / "shared" / "data"))
SPAM = DATA / "sms_spam" / "SMSSpamCollection.gz"

# Letters of all widths, marks, blanks, controls, half a pair of UTF-16, and the odd lower cases.
LETTERS = "abAB19_ .!,£€é ÄßΣςİǅ你好न\u0301\u200b\u00a0\u0085\t\n\r\x00\x01\x1f\x7f\ud800😀𝐀"
texts = st.text(st.sampled_from(LETTERS), max_size=30) | st.text(max_size=12)
spans = st.tuples(st.integers(1, 4), st.integers(0, 3)).map(lambda s: (s[0], s[0] + s[1]))
cuts = st.fixed_dictionaries(
    {"shortest": st.integers(1, 3), "symbols": st.booleans(), "lowercase": st.booleans()}
)
ranges = st.one_of(
    st.tuples(spans, st.none()), st.tuples(st.none(), spans), st.tuples(spans, spans)
)
settings_ = st.tuples(cuts, ranges, st.sampled_from(["once", "count", "log"]), st.booleans()).map(
    lambda s: {**s[0], "words": s[1][0], "chars": s[1][1], "value": s[2], "unit": s[3]}
)


def as_dicts(rows: SparseRows) -> list[dict[int, float]]:
    cut = rows.indptr.tolist()
    pairs = list(zip(rows.indices.tolist(), rows.data.tolist(), strict=True))
    found = [pairs[a:b] for a, b in pairwise(cut)]
    assert all(row == sorted(row) for row in found)
    return [dict(row) for row in found]


def gram_settings(settings: dict[str, Any]) -> dict[str, Any]:
    return {key: settings[key] for key in settings if key not in ("value", "unit", "bits")}


@given(st.lists(texts, max_size=6), settings_, st.integers(1, 20))
@example(["a " * 30], {"words": None, "chars": (1, 1), "value": "count", "unit": False}, 6)
def test_hashed_rows_are_those_of_the_oracle(
    given_texts: list[str], settings: dict[str, Any], bits: int
) -> None:
    rows = TextFeatures(bits=bits, **settings).fit_transform(given_texts)
    expected = [
        plain.row(
            [plain.hashed(gram, bits) for gram in plain.grams(text, **gram_settings(settings))],
            settings["value"],
            settings["unit"],
        )
        for text in given_texts
    ]
    assert as_dicts(rows) == expected
    assert rows.shape == (len(given_texts), 2**bits)


@given(st.lists(texts, max_size=6), st.lists(texts, max_size=3), settings_)
@example(["win"], ["win"], {"words": (1, 1), "chars": (3, 3), "value": "count", "unit": False})
def test_exact_rows_are_those_of_the_oracle_and_transform_adds_nothing(
    seen: list[str], unseen: list[str], settings: dict[str, Any]
) -> None:
    features, vocabulary = TextFeatures(bits=None, **settings), plain.Vocabulary()

    def expected(text: str, learning: bool) -> dict[int, float]:
        met = plain.grams(text, **gram_settings(settings))
        found = vocabulary.columns(met, learning=learning)
        return plain.row(found, settings["value"], settings["unit"])

    assert as_dicts(features.fit_transform(seen)) == [expected(text, True) for text in seen]
    assert as_dicts(features.transform(unseen)) == [expected(text, False) for text in unseen]
    assert features.n_features == len(vocabulary.places)
    assert features.names(range(features.n_features)) == [gram for _, gram in vocabulary.places]


@given(st.lists(texts, max_size=5), settings_, st.none() | st.integers(1, 12))
def test_json_keeps_columns_names_and_settings(
    seen: list[str], settings: dict[str, Any], bits: int | None
) -> None:
    features = TextFeatures(bits=bits, **settings)
    rows = features.fit_transform(seen)
    kept = json.loads(json.dumps(features.to_json(range(features.n_features))))
    again = TextFeatures.from_json(kept)
    assert again.settings == features.settings
    assert as_dicts(again.transform(seen)) == as_dicts(rows)
    columns = range(features.n_features)
    assert again.names(columns) == features.names(columns)
    assert again.to_json(columns) == features.to_json(columns)


@given(st.lists(texts, max_size=5), st.integers(1, 12))
def test_a_hashed_column_is_called_by_what_was_first_met_there(seen: list[str], bits: int) -> None:
    features = TextFeatures(words=(1, 2), chars=(2, 3), bits=bits)
    features.fit_transform(seen)
    first: dict[int, str] = {}
    for text in seen:
        for gram in plain.grams(text, chars=(2, 3)):
            first.setdefault(plain.hashed(gram, bits), gram[1])
    assert features.names(range(2**bits)) == [first.get(column, "") for column in range(2**bits)]


def test_a_count_over_a_thousand_weighs_as_a_thousand_by_logarithm() -> None:
    features = TextFeatures(words=(1, 1), bits=None, value="log")
    rows = features.fit_transform(["a " * 999, "a " * 1000, "a " * 5000])
    assert rows.data.tolist() == [plain.weight(n, "log") for n in (999, 1000, 5000)]
    assert rows.data[1] == rows.data[2] > rows.data[0]


def test_an_empty_text_is_an_empty_row_among_others() -> None:
    rows = TextFeatures(unit=True).fit_transform(["", "one two", " \t"])
    assert np.diff(rows.indptr).tolist() == [0, 2, 0]
    assert float((rows.data**2).sum()) == pytest.approx(1.0)
    assert TextFeatures(bits=None).fit_transform([]).shape == (0, 1)


def test_what_is_no_list_of_texts_is_refused_and_arrays_are_one() -> None:
    features = TextFeatures(bits=None)
    with pytest.raises(InputError, match="not one text"):
        features.fit_transform("one text")
    with pytest.raises(InputError, match="text 1 is float, not str"):
        features.fit_transform(["a", float("nan")])  # type: ignore[list-item]
    array = features.fit_transform(np.array(["b c", "d"]))
    assert as_dicts(array) == as_dicts(features.transform(["b c", "d"]))


@pytest.mark.parametrize(
    "wrong",
    [
        {"words": None},
        {"words": (2, 1)},
        {"words": (0, 1)},
        {"words": 2},
        {"words": (1, 21)},
        {"chars": (1.0, 2)},
        {"bits": 0},
        {"bits": 29},
        {"bits": True},
        {"value": "tfidf"},
        {"shortest": 0},
        {"shortest": 10**30},
        {"shortest": "2"},
        {"unit": "yes"},
        {"output": "csc_array"},
    ],
)
def test_settings_that_cannot_be_are_named(wrong: dict[str, Any]) -> None:
    for use in (TextFeatures.fit, TextFeatures.transform, TextFeatures.learn):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            use(TextFeatures(**wrong), ["a text"])


HOSTILE: list[tuple[str, Any]] = [
    ("bits", 40),
    ("bits", "3"),
    ("bits", -1),
    ("words", [1, 10**30]),
    ("words", "12"),
    ("words", None),
    ("value", ["once"]),
    ("shortest", 10**30),
    ("shortest", None),
    ("names", None),
    ("names", ["a"]),
    ("names", {"8": "a"}),
    ("names", {"-1": "a"}),
    ("names", {"0x1": "a"}),
    ("names", {"٣": "a"}),
    ("names", {"9" * 5000: "a"}),
    ("names", {"1": 7}),
    ("more", 1),
    ("output", "csr_array"),
]


@pytest.mark.parametrize(("key", "value"), HOSTILE)
def test_hostile_json_of_hashed_features_is_refused(key: str, value: Any) -> None:
    kept = {**TextFeatures(bits=3).to_json([]), key: value}
    with pytest.raises(ModelFileError, match="not sound"):
        TextFeatures.from_json(kept)
    with pytest.raises(ModelFileError, match="not sound"):
        schema_from_json({"kind": "text", "features": kept})


@pytest.mark.parametrize("names", [{"0": "a"}, ["a", "a"], [1], "ab", None])
def test_hostile_json_of_an_exact_vocabulary_is_refused(names: Any) -> None:
    kept = {**TextFeatures(bits=None).to_json([]), "names": names}
    with pytest.raises(ModelFileError, match="not sound"):
        TextFeatures.from_json(kept)


@pytest.mark.parametrize("key", TextFeatures(bits=3).to_json([]))
@given(
    value=st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False)
        | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
        max_leaves=5,
    )
)
def test_any_json_is_refused_or_gives_features_that_work(key: str, value: Any) -> None:
    if key == "bits" and type(value) is int and value > 20:
        value = 20  # more is allowed, and slow
    try:
        features = TextFeatures.from_json({**TextFeatures(bits=3).to_json([]), key: value})
    except ModelFileError:
        return
    rows = features.transform(["some text", "a!", ""])
    assert rows.indices.max(initial=0) < rows.shape[1]
    features.names(range(min(features.n_features, 10)))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory has other units")
def test_a_model_of_many_bits_costs_no_memory_before_it_is_used() -> None:
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    kept = {**TextFeatures(bits=3).to_json([]), "bits": 28}
    features = TextFeatures.from_json(kept)
    assert features.transform(["a"]).shape == (1, 2**28)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


def test_names_asked_for_one_by_one_cost_no_pass_over_the_vocabulary() -> None:
    features = TextFeatures(words=(1, 1), bits=None)
    features.fit_transform([" ".join(f"w{i}" for i in range(20_000))])
    assert [features.names([i])[0] for i in range(20_000)] == [f"w{i}" for i in range(20_000)]
    features.learn(["later"])
    assert features.names([20_000]) == ["later"]


def test_a_copy_learns_apart() -> None:
    schema = TextSchema(TextFeatures(bits=None))
    again = schema_from_json(copy.deepcopy(schema.to_json()))
    assert isinstance(again, TextSchema)
    again.features.learn(["new words"])
    assert schema.features.n_features == 0


def test_only_names_with_weight_are_kept_the_largest_first() -> None:
    schema = TextSchema(TextFeatures(words=(1, 1), bits=10))
    schema.features.fit_transform(["heavy light none"])
    heavy, light = (plain.hashed(("word", word), 10) for word in ("heavy", "light"))
    weights = np.zeros((1, 1024))
    weights[0, heavy], weights[0, light] = -3.0, 0.5
    kept = schema.to_json(weights)["features"]["names"]
    assert kept == {str(column): name for column, name in ((heavy, "heavy"), (light, "light"))}


@pytest.mark.skipif(not SPAM.exists(), reason="the messages are not here")
def test_words_are_those_of_scikit_learn_on_real_messages() -> None:
    from sklearn.feature_extraction.text import HashingVectorizer

    lines = gzip.decompress(SPAM.read_bytes()).decode().split("\n")
    messages = [line.partition("\t")[2] for line in lines]
    assert len(messages) > 5_000
    analyse = HashingVectorizer().build_analyzer()
    features = TextFeatures(words=(1, 1), bits=None, shortest=2, symbols=False, value="count")
    rows = features.fit_transform(messages)
    names = features.names(range(features.n_features))
    place = {name: column for column, name in enumerate(names)}
    theirs = [analyse(message) for message in messages]
    assert place.keys() == {word for words in theirs for word in words}
    assert as_dicts(rows) == [
        plain.row([place[w] for w in words], "count", False) for words in theirs
    ]
