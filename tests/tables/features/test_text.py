"""Texts become the rows that a plain program makes of them, and names survive in JSON."""

from __future__ import annotations

import copy
import gzip
import json
import os
import sys
from itertools import pairwise
from pathlib import Path
from threading import get_ident
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reference import ngrams as plain

from rosenblatt.arrays import SparseRows
from rosenblatt.errors import InputError, ModelFileError, ParameterError
from rosenblatt.features import TextFeatures, TextSchema, schema_from_json
from rosenblatt.models import parallel
from rosenblatt.tables.features.ngram_counter import NGramCounter

DATA = Path(os.environ.get("ROSENBLATT_DATA", Path(__file__).parents[4] / "shared" / "data"))
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
values = st.fixed_dictionaries(
    {
        "value": st.sampled_from(["once", "count", "log"]),
        "unit": st.booleans(),
        "idf": st.booleans(),
    }
)
settings_ = st.tuples(cuts, ranges, values).map(
    lambda s: {**s[0], "words": s[1][0], "chars": s[1][1], **s[2]}
)
RAW = {"value": "count", "unit": False, "idf": False}


def as_dicts(rows: SparseRows) -> list[dict[int, float]]:
    cut = rows.indptr.tolist()
    pairs = list(zip(rows.indices.tolist(), rows.data.tolist(), strict=True))
    found = [pairs[a:b] for a, b in pairwise(cut)]
    assert all(row == sorted(row) for row in found)
    return [dict(row) for row in found]


def assert_alike(rows: SparseRows, expected: list[dict[int, float]]) -> None:
    found = as_dicts(rows)
    assert [list(row) for row in found] == [list(row) for row in expected]
    values = [value for row in expected for value in row.values()]
    np.testing.assert_allclose(rows.data, values, rtol=1e-13)


def gram_settings(settings: dict[str, Any]) -> dict[str, Any]:
    return {key: settings[key] for key in settings if key not in ("value", "unit", "idf")}


def plain_rows(
    settings: dict[str, Any], seen: list[list[int]], columns: list[list[int]]
) -> list[dict[int, float]]:
    idf = plain.InverseFrequencies(seen) if settings["idf"] else None
    return [plain.row(text, settings["value"], settings["unit"], idf) for text in columns]


@given(st.lists(texts, max_size=6), settings_, st.integers(1, 20))
@example(["a " * 30], {"words": None, "chars": (1, 1), **RAW}, 6)
def test_hashed_rows_are_those_of_the_oracle(
    given_texts: list[str], settings: dict[str, Any], bits: int
) -> None:
    rows = TextFeatures(bits=bits, **settings).fit_transform(given_texts)
    columns = [
        [plain.hashed(gram, bits) for gram in plain.grams(text, **gram_settings(settings))]
        for text in given_texts
    ]
    assert_alike(rows, plain_rows(settings, columns, columns))
    assert rows.shape == (len(given_texts), 2**bits)


@given(st.lists(texts, max_size=6), st.lists(texts, max_size=3), settings_)
@example(["win"], ["win"], {"words": (1, 1), "chars": (3, 3), **RAW})
def test_exact_rows_are_those_of_the_oracle_and_transform_adds_nothing(
    seen: list[str], unseen: list[str], settings: dict[str, Any]
) -> None:
    features, vocabulary = TextFeatures(bits=None, **settings), plain.Vocabulary()

    def columns(text: str, learning: bool) -> list[int]:
        met = plain.grams(text, **gram_settings(settings))
        return vocabulary.columns(met, learning=learning)

    rows, known = features.fit_transform(seen), [columns(text, True) for text in seen]
    assert_alike(rows, plain_rows(settings, known, known))
    again = features.transform([*seen, *unseen])
    asked = [*known, *(columns(text, False) for text in unseen)]
    assert_alike(again, plain_rows(settings, known, asked))
    assert again.data[: rows.nnz].tobytes() == rows.data.tobytes()
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


def test_large_counts_weigh_by_their_logarithm_too() -> None:
    features = TextFeatures(words=(1, 1), bits=None, idf=False, unit=False)
    rows = features.fit_transform(["a " * n for n in (999, 1000, 1001, 5000)])
    assert_alike(rows, [{0: plain.weight(n, "log")} for n in (999, 1000, 1001, 5000)])


@given(st.lists(texts, min_size=1, max_size=8), st.integers(0, 8))
def test_blocks_that_are_tallied_one_after_the_other_are_as_one(seen: list[str], n: int) -> None:
    whole, blocks = TextFeatures(bits=None).fit(seen), TextFeatures(bits=None)
    for block in (seen[:n], seen[n:]):
        blocks.learn(block, tallying=True)
    assert as_dicts(blocks.transform(seen)) == as_dicts(whole.transform(seen))


def test_texts_that_are_learned_later_do_not_change_the_idf() -> None:
    features = TextFeatures(bits=None, words=(1, 1), unit=False).fit(["a b", "a"])
    before = features.transform(["a b"]).data.tolist()
    later = features.learn(["b c c"] * 5)
    assert features.transform(["a b"]).data.tolist() == before
    expected = plain.InverseFrequencies([[0, 1], [0]])  # c counts as if one had had it, like b
    assert_alike(later, [{1: expected[1], 2: (1 + np.log(2)) * expected[1]}] * 5)
    assert_alike(features.transform(["c b"]), [{1: expected[1], 2: expected[1]}])


@given(st.lists(texts, min_size=1, max_size=4), st.lists(texts, max_size=4), st.integers(1, 20))
def test_hashed_or_exact_what_no_text_of_training_had_counts_for_nothing(
    seen: list[str], unseen: list[str], bits: int
) -> None:
    hashed, exact = TextFeatures(bits=bits).fit(seen), TextFeatures(bits=None).fit(seen)
    met = np.unique(hashed.transform(seen).indices)
    assert np.isin(hashed.transform(unseen).indices, met).all()
    if len(met) == exact.n_features:  # else some share a column
        for new in (*seen, *unseen):
            one, other = (np.sort(found.transform([new]).data) for found in (hashed, exact))
            if len(one) == len(other):  # else one fell into the column of another
                np.testing.assert_allclose(one, other, rtol=1e-13)


@pytest.mark.parametrize("bits", [None, 12])
@given(st.lists(texts, min_size=1, max_size=3), st.lists(texts, max_size=5))
def test_texts_learned_later_are_the_same_one_by_one_and_at_once(
    bits: int | None, seen: list[str], later: list[str]
) -> None:
    at_once, one_by_one = (TextFeatures(bits=bits).fit(seen) for _ in range(2))
    rows = as_dicts(at_once.learn(later))
    assert [row for text in later for row in as_dicts(one_by_one.learn([text]))] == rows
    assert one_by_one.to_json([]) == at_once.to_json([])


@pytest.mark.parametrize("bits", [None, 10])
def test_threads_count_the_same_bytes(bits: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "FEWEST", 4)
    seen = [f"word{n % 7} and {n} of {n * n} words" for n in range(100)]
    features, found, counters = TextFeatures(bits=bits).fit(seen), [], []
    new = NGramCounter._new_grams
    monkeypatch.setattr(
        NGramCounter, "_new_grams", lambda self: counters.append(get_ident()) or new(self)
    )
    for jobs in (None, 2, 4):
        counters.clear()
        rows = features.set_params(n_jobs=jobs).transform([*seen, "unseen"])
        found.append([part.tobytes() for part in (rows.data, rows.indices, rows.indptr)])
        assert (len(counters) > 1, get_ident() in counters) == (jobs is not None, jobs is None)
    assert found[0] == found[1] == found[2]
    with pytest.raises(InputError, match="text 77 is int"):
        features.transform([*seen[:77], 7, *seen])


@pytest.mark.parametrize("use", ["encode", "transform"])
def test_idf_is_not_known_before_texts_are(use: str) -> None:
    with pytest.raises(Exception, match="not fitted"):
        getattr(TextFeatures(), use)(["a text"])
    assert getattr(TextFeatures(idf=False), use)(["a text"]).nnz == 3


def test_an_empty_text_is_an_empty_row_among_others() -> None:
    rows = TextFeatures(unit=True).fit_transform(["", "one two", " \t"])
    assert np.diff(rows.indptr).tolist() == [0, 3, 0]
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
        {"idf": "yes"},
        {"n_jobs": 0},
        {"output": "csc_array"},
    ],
)
def test_settings_that_cannot_be_are_named(wrong: dict[str, Any]) -> None:
    for use in (TextFeatures.fit, TextFeatures.learn):
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
    ("n_jobs", 2),
    ("tally", None),
    ("tally", {}),
    ("tally", {"texts": 1, "gaps": [1], "counts": []}),
    ("tally", {"texts": 1, "gaps": [1], "counts": [2]}),
    ("tally", {"texts": 1, "gaps": [1], "counts": [0]}),
    ("tally", {"texts": 1, "gaps": [0], "counts": [1]}),
    ("tally", {"texts": 1, "gaps": [5, 4], "counts": [1, 1]}),
    ("tally", {"texts": 1, "gaps": [1.0], "counts": [1]}),
    ("tally", {"texts": 1, "gaps": [True], "counts": [1]}),
    ("tally", {"texts": 2**60, "gaps": [], "counts": []}),
    ("tally", {"texts": -1, "gaps": [], "counts": []}),
    ("tally", {"texts": "1", "gaps": [], "counts": []}),
    ("tally", [1]),
    ("idf", False),
    ("idf", "yes"),
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
    features = TextFeatures(words=(1, 1), bits=None, shortest=2, symbols=False, **RAW)
    rows = features.fit_transform(messages)
    names = features.names(range(features.n_features))
    place = {name: column for column, name in enumerate(names)}
    theirs = [analyse(message) for message in messages]
    assert place.keys() == {word for words in theirs for word in words}
    assert as_dicts(rows) == [
        plain.row([place[w] for w in words], "count", False) for words in theirs
    ]


SETTINGS_OF_PEER = {"sublinear_tf": True, "ngram_range": (1, 2)}


def assert_rows_of_scikit_learn(seen: list[str], unseen: list[str]) -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    peer = TfidfVectorizer(token_pattern=r"\w+|[^\w\s]", **SETTINGS_OF_PEER)
    theirs = peer.fit_transform(seen)
    features = TextFeatures(bits=None, output="csr_matrix")
    ours = features.fit_transform(seen)
    names = features.names(range(features.n_features))
    assert peer.vocabulary_.keys() == set(names)
    order = [peer.vocabulary_[name] for name in names]
    for mine, other in ((ours, theirs), (features.transform(unseen), peer.transform(unseen))):
        assert abs(mine - other[:, order]).max() < 1e-12


@given(
    st.lists(st.text(st.sampled_from("abAB19_ .!,£é ÄßǅXx你न\u0301\t😀"), max_size=30), max_size=6),
    st.lists(st.text(st.sampled_from("abAB1 .!Ä"), max_size=20), min_size=1, max_size=3),
)
def test_the_default_rows_are_those_of_scikit_learn(seen: list[str], unseen: list[str]) -> None:
    assert_rows_of_scikit_learn(["Win money, win!", *seen], unseen)


@pytest.mark.skipif(not SPAM.exists(), reason="the messages are not here")
def test_the_default_rows_of_real_messages_are_those_of_scikit_learn() -> None:
    lines = gzip.decompress(SPAM.read_bytes()).decode().split("\n")
    messages = [line.partition("\t")[2] for line in lines]
    assert_rows_of_scikit_learn(messages[:4000], messages[4000:])


def test_where_scikit_learn_reads_other_words_is_as_the_docstring_says() -> None:
    features = TextFeatures(words=(1, 1), bits=None).fit(["\x01 ΟΔΟΣ İ"])
    assert features.names(range(features.n_features)) == ["οδοσ", "i"]
