"""The same seed gives the same bytes; what was learned can be kept, copied and gone on from."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import tagging as reference
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from strategies import seeds

import rosenblatt
from rosenblatt import SequenceTagger
from rosenblatt.errors import InputError

from . import taggers

KINDS: list[dict[str, Any]] = [
    {},
    {"order": 2},
    {"search": "beam", "beam": 3},
    {"search": "greedy", "update": "early"},
    {"rule": "mira", "C": 0.3},
    {"averaged": False, "record": True},
    {"constraints": {"P": ["P", "Q", "R"]}},
]
kinds = st.sampled_from(KINDS)

SCRIPT = """
from estimators.structured import taggers
from rosenblatt import SequenceTagger
import hashlib
xs, ys = taggers.sentences(7, n=60)
tagger = SequenceTagger(order=2).fit(xs, ys)
print(hashlib.sha256(b"".join(taggers.bytes_of(tagger))).hexdigest())
print(tagger.predict(xs[:3]))
"""


@given(seeds, kinds)
def test_two_fits_with_one_seed_are_the_same_to_the_bit(seed: int, kind: dict[str, Any]) -> None:
    xs, ys = taggers.sentences(seed, n=12)
    fits = [SequenceTagger(random_state=seed, **kind).fit(xs, ys) for _ in range(2)]
    assert taggers.bytes_of(fits[0]) == taggers.bytes_of(fits[1])
    assert fits[0].predict(xs) == fits[1].predict(xs)


def test_other_seeds_visit_the_sentences_in_another_order() -> None:
    xs, ys = taggers.sentences(1, n=30)
    one, other = (SequenceTagger(random_state=seed).fit(xs, ys) for seed in (1, 2))
    assert taggers.bytes_of(one) != taggers.bytes_of(other)


def test_processes_with_other_hash_seeds_learn_the_same_bytes() -> None:
    paths = [str(Path(__file__).parents[2]), str(Path(rosenblatt.__file__).parents[1])]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            check=True,
            capture_output=True,
            text=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(paths), "PATH": ""},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert len(outputs.pop().splitlines()) == 2


@given(seeds, kinds, st.integers(1, 5))
def test_going_on_after_any_epoch_equals_an_uninterrupted_fit(
    seed: int, kind: dict[str, Any], epochs: int
) -> None:
    xs, ys = taggers.sentences(seed, n=12)
    whole = SequenceTagger(max_iter=epochs, random_state=seed, **kind).fit(xs, ys)
    pieces = SequenceTagger(max_iter=1, warm_start=True, random_state=seed, **kind)
    mistakes = []
    for _ in range(whole.n_iter_):
        pieces = pickle.loads(pickle.dumps(pieces.fit(xs, ys)))
        mistakes += pieces.mistakes_per_epoch_
    assert taggers.bytes_of(pieces) == taggers.bytes_of(whole)
    assert mistakes == whole.mistakes_per_epoch_
    assert pieces.stop_reason_ == whole.stop_reason_
    assert pieces.predict(xs) == whole.predict(xs)
    if kind.get("record"):
        rows = [update._replace(row=update.row % len(xs)) for update in pieces.ledger_]
        assert rows == list(whole.ledger_)  # each fit numbers its sentences after those before


def test_without_warm_start_fit_forgets_what_was_before() -> None:
    xs, ys = taggers.sentences(1)
    once = SequenceTagger().fit(xs, ys)
    twice = SequenceTagger().fit(xs[::-1], [["Z"] * len(y) for y in ys[::-1]]).fit(xs, ys)
    assert taggers.bytes_of(once) == taggers.bytes_of(twice)


@given(seeds, kinds, st.integers(1, 11))
def test_learning_in_pieces_equals_learning_at_once(
    seed: int, kind: dict[str, Any], cut: int
) -> None:
    """All tags are in the first sentence."""
    xs, ys = taggers.sentences(seed, n=12)
    whole = SequenceTagger(**kind).partial_fit(xs, ys)
    pieces = SequenceTagger(**kind).partial_fit(xs[:cut], ys[:cut])
    pieces.predict(xs)
    pieces.partial_fit(xs[cut:], ys[cut:])
    assert taggers.bytes_of(pieces)[1:7] == taggers.bytes_of(whole)[1:7]
    assert pieces.predict(xs) == whole.predict(xs)
    assert (pieces.t_, pieces.n_mistakes_) == (whole.t_, whole.n_mistakes_)
    one, other = pieces.explain(xs[0], ys[0]), whole.explain(xs[0], ys[0])
    assert str(one) == str(other)


@given(seeds, st.sampled_from([1, 2]))
def test_new_tags_may_come_later_and_old_ones_keep_what_was_learned(seed: int, order: int) -> None:
    xs, ys = taggers.sentences(seed, n=12)
    more = taggers.sentences(seed + 1, n=12, tags="PARB")
    tagger = SequenceTagger(templates=["w[0]"], order=order).partial_fit(xs, ys)
    tagger.partial_fit(*more)
    assert tagger.tags_ == ["P", "Q", "R", "A", "B"]
    runs: list[reference.Run] = []
    for n_tags, (some, tags) in ((3, (xs, ys)), (5, more)):
        runs.append(
            reference.train(
                [taggers.plain(x) for x in some],
                [taggers.numbers(tagger.tags_, y) for y in tags],
                reference.Space(n_tags, order),
                [range(len(some))],
                start=runs[-1].snapshots[-1] if runs else None,
            )
        )
    whole = reference.Run(runs[0].snapshots + runs[1].snapshots)
    mean = {key: value for key, value in whole.average().items() if abs(value) > 1e-9}
    found = taggers.weights_of(tagger)
    assert {k: v for k, v in found.items() if abs(v) > 1e-6} == pytest.approx(mean, abs=1e-5)
    last = {key: value for key, value in whole.snapshots[-1].items() if value}
    assert taggers.weights_of(tagger.set_params(averaged=False)) == last


def test_partial_fit_forgets_what_is_true_of_a_finished_fit_alone() -> None:
    xs, ys = taggers.sentences(3)
    tagger = SequenceTagger().fit(xs, ys)
    params = tagger.get_params()
    tagger.partial_fit(xs, ys)
    assert not hasattr(tagger, "stop_reason_")
    assert not hasattr(tagger, "n_iter_")
    assert tagger.get_params() == params


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_pickle_answers_and_learns_on_as_the_original(kind: dict[str, Any]) -> None:
    xs, ys = taggers.sentences(4, n=12)
    tagger = SequenceTagger(**kind).fit(xs[:9], ys[:9])
    twin = pickle.loads(pickle.dumps(tagger))
    assert taggers.bytes_of(twin) == taggers.bytes_of(tagger)
    assert twin.predict(xs) == tagger.predict(xs)
    tagger.partial_fit(xs[9:], ys[9:])
    assert twin.t_ != tagger.t_
    assert taggers.bytes_of(twin.partial_fit(xs[9:], ys[9:])) == taggers.bytes_of(tagger)


def test_parameters_are_kept_as_given_and_a_clone_knows_nothing() -> None:
    templates = ["w[0]"]
    tagger = SequenceTagger(templates=templates, order=2).fit(*taggers.sentences(1))
    assert tagger.templates is templates
    twin = clone(tagger)
    assert twin.get_params() == tagger.get_params()
    with pytest.raises(NotFittedError):
        twin.predict([["a"]])
    for name in ("tags_", "t_", "n_features_", "n_mistakes_", "ledger_"):
        assert not hasattr(twin, name)
    with pytest.raises(AttributeError, match="record=True"):
        _ = tagger.ledger_


@given(seeds, kinds)
def test_the_best_epoch_on_the_validation_set_answers(seed: int, kind: dict[str, Any]) -> None:
    """Words that come up later in training must not disturb the weights that were kept."""
    random = np.random.default_rng(seed)
    xs = [[f"word{k}" for k in random.integers(0, 60, 5)] for _ in range(60)]
    ys = [["PQR"[(int(w[4:]) + random.integers(0, 2)) % 3] for w in x] for x in xs]
    dev = xs[40:], ys[40:]
    tagger = SequenceTagger(max_iter=8, n_iter_no_change=3, random_state=seed, **kind)
    tagger.fit(xs[:40], ys[:40], validation_set=dev)
    scores = tagger.validation_scores_
    assert tagger.score(*dev) == pytest.approx(max(scores), abs=1e-12)
    assert scores[tagger.best_iter_ - 1] == max(scores)
    short = SequenceTagger(max_iter=tagger.best_iter_, random_state=seed, **kind)
    short.fit(xs[:40], ys[:40])
    assert short.predict(xs) == tagger.predict(xs)
    if tagger.stop_reason_ == "early_stopping":
        assert tagger.n_iter_ == tagger.best_iter_ + 3
    # Learning goes on from the last weights, not from the best.
    assert tagger.t_ == 40 * tagger.n_iter_


def test_tags_never_seen_count_as_wrong_when_watching_and_scoring() -> None:
    xs, ys = [["a", "b"]], [["P", "Q"]]
    tagger = SequenceTagger(max_iter=4).fit(xs, ys, validation_set=(xs, [["P", "new"]]))
    assert set(tagger.validation_scores_) <= {0.0, 0.5}
    assert tagger.score(xs, [["P", "new"]]) == 0.5
    assert tagger.tags_ == ["P", "Q"]


def test_a_validation_sentence_that_cannot_be_tagged_counts_as_wrong() -> None:
    tagger = SequenceTagger(constraints={"P": [], "Q": []})
    tagger.fit([["a"], ["b"]], [["P"], ["Q"]], validation_set=([["a", "b"]], [["P", "new"]]))
    assert set(tagger.validation_scores_) == {0.0}
    with pytest.raises(InputError, match="allow no sequence of 2"):
        tagger.predict([["a", "b"]])


def test_threads_share_a_tagger() -> None:
    xs, ys = taggers.sentences(5, n=400)
    tagger = SequenceTagger().fit(xs[:300], ys[:300])
    tests = [[*x, f"new{i}"] for i, x in enumerate(xs)]
    alone = pickle.loads(pickle.dumps(tagger)).predict(tests)
    with ThreadPoolExecutor(8) as pool:
        assert all(found == alone for found in pool.map(lambda _: tagger.predict(tests), range(24)))
        fits = list(pool.map(lambda _: SequenceTagger(max_iter=3).fit(xs, ys), range(8)))
    assert len({b"".join(taggers.bytes_of(fit)) for fit in fits}) == 1


def test_the_ledger_replays_to_the_weights() -> None:
    xs, ys = taggers.sentences(9, n=20)
    tagger = SequenceTagger(record=True, averaged=False, templates=["w[0]"]).fit(xs, ys)
    w: dict[Any, float] = {}
    for mistake in tagger.ledger_:
        assert mistake.y_true == ys[mistake.row]
        for sign, path in ((1, mistake.y_true), (-1, mistake.y_pred)):
            tags = taggers.numbers(tagger.tags_, path)
            for key, value in reference.features(taggers.plain(xs[mistake.row]), tags, 1):
                w[key] = w.get(key, 0.0) + sign * value * mistake.step
    assert taggers.weights_of(tagger) == {key: value for key, value in w.items() if value}
    assert (
        repr(tagger.ledger_)
        == f"<TagLedger: {len(tagger.ledger_)} updates in {tagger.t_} examples>"
    )


@given(seeds, st.sampled_from([kind for kind in KINDS if "constraints" not in kind]))
def test_one_sentence_at_a_time_is_the_batch_to_the_last_bit(
    seed: int, kind: dict[str, Any]
) -> None:
    xs, ys = taggers.sentences(seed, n=8)
    tags = sorted({tag for sentence in ys for tag in sentence})
    batch, one = SequenceTagger(**kind).partial_fit(xs, ys, classes=tags), SequenceTagger(**kind)
    assert one.predict_one(xs[0]) is None
    for x, y in zip(xs, ys, strict=True):
        one.learn_one(x, y, classes=tags)
        assert one.tags_ == tags
    assert taggers.bytes_of(one) == taggers.bytes_of(batch)
    assert [one.predict_one(x) for x in xs] == batch.predict(xs)


def many_sentences(n: int) -> tuple[list[list[str]], list[list[str]]]:
    """Sentences of which each brings some new words."""
    random = np.random.default_rng(3)
    xs = [[f"w{word}" for word in random.integers(0, 8 * n, 10)] for _ in range(n)]
    return xs, [random.choice(list("PQR"), 10).tolist() for _ in range(n)]


@pytest.mark.parametrize("settings", [{}, {"record": True}, {"rule": "mira"}])
@pytest.mark.parametrize("tokens", ["words", "mappings"])
def test_one_more_sentence_does_not_copy_what_was_learned(
    settings: dict[str, Any], tokens: str
) -> None:
    xs, ys = many_sentences(1000)
    if tokens == "mappings":
        xs = [[{"word": word, "end": word[-1]} for word in x] for x in xs]
    tagger = SequenceTagger(**settings).partial_fit(xs, ys)
    size = sum(array.nbytes for array in tagger._model.weights.arrays().values())

    taken = []
    for x, y in zip(*many_sentences(1020), strict=True):
        x = [{"word": word} for word in x] if tokens == "mappings" else x
        tracemalloc.start()
        tagger.learn_one(x, y)
        taken.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # Now and then a buffer doubles.
    assert np.median(taken) < size / 20
    assert np.mean(taken) < size / 10


@pytest.mark.parametrize("averaged", [True, False])
@pytest.mark.parametrize("hand_out", ["copy", "deepcopy", "ledger", "saved"])
def test_what_was_handed_out_does_not_change_when_a_tagger_learns(
    hand_out: str, averaged: bool, tmp_path: Path
) -> None:
    xs, ys = taggers.sentences(5, n=12)
    tagger = SequenceTagger(record=True, averaged=averaged).partial_fit(xs[:6], ys[:6])
    tagger.learn_one(xs[6], ys[6])
    if hand_out == "ledger":
        ledger = tagger.ledger_
        before = len(ledger), ledger.replay(xs).rows.tobytes(), ledger.votes(xs, xs)
        for x, y in zip(xs[7:], ys[7:], strict=True):
            tagger.learn_one(x, y)
        assert (len(ledger), ledger.replay(xs).rows.tobytes(), ledger.votes(xs, xs)) == before
        return

    if hand_out == "saved":
        rosenblatt.save(tagger, tmp_path / "tagger.rbt")
        twin = rosenblatt.load(tmp_path / "tagger.rbt")
    else:
        twin = getattr(copy, hand_out)(tagger)
    before = taggers.bytes_of(twin)
    tagger.learn_one(xs[7], ys[7])
    tagger.learn_one(xs[8], ys[8])
    assert taggers.bytes_of(twin) == before
    twin.learn_one(xs[7], ys[7])
    twin.learn_one(xs[8], ys[8])
    assert taggers.bytes_of(twin)[1:] == taggers.bytes_of(tagger)[1:]


BAD_SENTENCES: list[tuple[Any, Any]] = [
    ([{"a": 1.0}, {"b": object()}], ["P", "Q"]),
    ([{"new": 1.0}, {"b": 1e13}], ["P", "Q"]),
    ([{"new": 1.0}, "word"], ["P", "Q"]),
    ([{"new": 1.0}], ["P", "Q"]),
    ([{"new": 1.0}], [3]),
    ([{"\ud800": 1.0}], ["P"]),
]


@pytest.mark.parametrize(("sentence", "tags"), BAD_SENTENCES)
def test_a_refused_sentence_changes_nothing(sentence: Any, tags: Any) -> None:
    xs, ys = taggers.mappings(2)
    tagger = SequenceTagger(record=True).partial_fit(xs, ys)
    tagger.learn_one(xs[0], ys[0])
    before = taggers.bytes_of(tagger), tagger.n_features_
    with pytest.raises(InputError):
        tagger.learn_one(sentence, tags)
    assert (taggers.bytes_of(tagger), tagger.n_features_) == before


def test_a_prediction_in_another_thread_keeps_the_state_that_it_began_with() -> None:
    xs, ys = taggers.mappings(2, n=12)
    tagger = SequenceTagger(averaged=False).partial_fit(xs[:6], ys[:6])
    tagger.learn_one(xs[6], ys[6])
    expected = tagger.predict([xs[0]])[0]
    reached, go_on = threading.Event(), threading.Event()

    class Token(dict[str, float]):
        """A token that stops whoever reads it."""

        def items(self) -> Any:
            reached.set()
            assert go_on.wait(60)
            return super().items()

    with ThreadPoolExecutor(2) as pool:
        found = pool.submit(tagger.predict, [[Token(xs[0][0]), *xs[0][1:]]])
        assert reached.wait(60)
        learned = pool.submit(tagger.learn_one, xs[7], ys[7])
        assert not wait([learned], timeout=0.1).done  # it waits, as it would change the weights
        go_on.set()
        assert found.result(60) == [expected]
        assert learned.result(60).t_ == 8


@pytest.mark.parametrize("way", ["fit", "partial_fit"])
def test_a_tagger_predicts_by_the_state_before_while_another_thread_trains(way: str) -> None:
    xs, ys = taggers.mappings(2, n=12)
    tagger = SequenceTagger().fit(xs[:6], ys[:6])
    expected = tagger.predict(xs)
    reached, go_on = threading.Event(), threading.Event()

    class Sentences(list[Any]):
        """Sentences that stop whoever reads them."""

        def __iter__(self) -> Any:
            reached.set()
            assert go_on.wait(60)
            return super().__iter__()

    with ThreadPoolExecutor(1) as pool:
        trained = pool.submit(getattr(tagger, way), Sentences(xs), ys)
        assert reached.wait(60)
        assert tagger.predict(xs) == expected
        go_on.set()
        alone = SequenceTagger().fit(xs[:6], ys[:6])
        getattr(alone, way)(xs, ys)
        assert taggers.bytes_of(trained.result(60)) == taggers.bytes_of(alone)


def test_an_engine_that_is_open_is_closed_by_one_more_sentence() -> None:
    xs, ys = taggers.sentences(2, n=12)
    tagger = SequenceTagger(averaged=False).partial_fit(xs[:6], ys[:6])
    for x, y in zip(xs[6:], ys[6:], strict=True):
        tagger.predict(xs)
        engine = tagger._engine
        tagger.learn_one(x, y)
        assert engine.tag(xs) is None
        assert tagger.predict(xs) == copy.deepcopy(tagger).predict(xs)


def test_words_enter_the_tag_dictionary_when_they_were_seen_often_enough() -> None:
    # "b" was seen once and "c" twice with one tag, "d" with two.
    xs, ys = [["b", "c", "d"], ["c", "d"], ["e"]], [["P", "Q", "P"], ["Q", "Q"], ["P"]]
    tagger = SequenceTagger(templates=["w[1]"], tag_dictionary=2, max_iter=1).fit(xs, ys)
    weights = tagger._model.served(averaged=True)
    for table in (weights.rows, weights.steps):
        table[...] = 0.0
    weights.steps[:, 0] = 1.0  # P wins unless the dictionary forbids it
    assert tagger.predict([["b", "c", "d", "c"]]) == [["P", "Q", "P", "Q"]]
