"""What a tagger learns beside its oracle: Collins (2002), Huang et al. (2012), MIRA."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reference import tagging as reference
from strategies import seeds

from rosenblatt import AveragedPerceptron, Perceptron, SequenceTagger

from . import taggers

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

orders = st.sampled_from([1, 2])
EPOCHS = 3


def both(
    seed: int, order: int, *, of_words: bool = True, **settings: Any
) -> tuple[SequenceTagger, reference.Run, list[Any]]:
    """A tagger and its oracle after the same epochs over the same sentences."""
    xs, ys = taggers.sentences(seed) if of_words else taggers.mappings(seed)
    tagger = SequenceTagger(
        templates=["w[0]"] if of_words else None,
        order=order,
        max_iter=EPOCHS,
        random_state=seed,
        averaged=False,
        record=True,
        **settings,
    ).fit(xs, ys)
    size = {"beam": settings.get("beam", 0), "greedy": 1}.get(settings.get("search", ""), 0)
    run = reference.train(
        [taggers.plain(x) for x in xs],
        [taggers.numbers(tagger.tags_, y) for y in ys],
        reference.Space(len(tagger.tags_), order),
        taggers.visits(len(xs), EPOCHS, seed),
        beam=size,
        update=settings.get("update", "whole"),
        C=settings.get("C", 0.0) if settings.get("rule") == "mira" else 0.0,
    )
    return tagger, run, ys


def assert_same(tagger: SequenceTagger, run: reference.Run, ys: list[Any], of_words: bool) -> None:
    assert tagger.mistakes_per_epoch_ == run.mistakes
    assert tagger.n_mistakes_ == len(run.log) == len(tagger.ledger_)
    for mistake, (sentence, found, step, t) in zip(tagger.ledger_, run.log, strict=True):
        assert (mistake.row, mistake.step, mistake.t) == (sentence, step, t)
        assert taggers.numbers(tagger.tags_, mistake.y_pred) == found
        assert mistake.y_true == ys[sentence][: len(found)]
    last = {key: value for key, value in run.snapshots[-1].items() if value}
    assert taggers.weights_of(tagger, of_words=of_words) == last
    mean = {key: value for key, value in run.average().items() if abs(value) > 1e-9}
    tagger.set_params(averaged=True)
    found = taggers.weights_of(tagger, of_words=of_words)
    assert {k: v for k, v in found.items() if abs(v) > 1e-6} == pytest.approx(mean, abs=1e-5)


@given(seeds, orders, st.booleans())
def test_mistakes_and_weights_are_those_of_the_plain_structured_perceptron(
    seed: int, order: int, of_words: bool
) -> None:
    tagger, run, ys = both(seed, order, of_words=of_words)
    assert_same(tagger, run, ys, of_words)


@given(seeds, orders, st.booleans(), st.sampled_from([1, 2, 5]))
@pytest.mark.parametrize("update", ["whole", "early", "violation"])
def test_learning_with_a_beam_is_that_of_the_plain_update(
    update: str, seed: int, order: int, of_words: bool, beam: int
) -> None:
    settings = {"search": "beam", "beam": beam, "update": update}
    tagger, run, ys = both(seed, order, of_words=of_words, **settings)
    assert_same(tagger, run, ys, of_words)


@pytest.mark.parametrize("search", ["beam", "greedy"])
def test_a_beam_learns_from_the_greatest_violation_unless_told_otherwise(search: str) -> None:
    xs, ys = taggers.sentences(5, n=20)
    own = SequenceTagger(search=search, beam=3).fit(xs, ys)
    told = SequenceTagger(search=search, beam=3, update="violation").fit(xs, ys)
    other = SequenceTagger(search=search, beam=3, update="whole").fit(xs, ys)
    assert taggers.bytes_of(own) == taggers.bytes_of(told) != taggers.bytes_of(other)


@pytest.mark.parametrize("update", ["early", "violation"])
def test_beams_of_long_sentences_learn_as_the_plain_ones_do(update: str) -> None:
    random = np.random.default_rng(2)
    xs = [random.choice(list(taggers.LETTERS), 70).tolist() for _ in range(2)]
    ys = [random.choice(list(taggers.TAGS), 70).tolist() for _ in range(2)]
    tagger = SequenceTagger(
        templates=["w[0]"], search="beam", beam=4, update=update, record=True, max_iter=4
    ).fit(xs, ys)
    run = reference.train(
        [taggers.plain(x) for x in xs],
        [taggers.numbers(tagger.tags_, y) for y in ys],
        reference.Space(3),
        taggers.visits(2, 4, 0),
        beam=4,
        update=update,
    )
    assert_same(tagger.set_params(averaged=False), run, ys, of_words=True)


@given(seeds, orders, st.booleans(), st.sampled_from([0.01, 0.1, 1.0, 100.0]))
@example(seed=1749, order=1, of_words=True, C=1.0)  # a permuted path has the same features
def test_every_step_of_mira_is_the_one_of_its_formula(
    seed: int, order: int, of_words: bool, C: float
) -> None:
    """Followed sentence by sentence from the ledger; of near ties any may be found."""
    xs, ys = taggers.sentences(seed) if of_words else taggers.mappings(seed)
    tagger = SequenceTagger(
        templates=["w[0]"] if of_words else None,
        order=order,
        rule="mira",
        C=C,
        max_iter=EPOCHS,
        random_state=seed,
        averaged=False,
        record=True,
    ).fit(xs, ys)
    updates = {mistake.t: mistake for mistake in tagger.ledger_}
    w: dict[Any, float] = {}
    space = reference.Space(3, order)
    visited = [i for epoch in taggers.visits(len(xs), tagger.n_iter_, seed) for i in epoch]
    for t, s in enumerate(visited, 1):
        x, gold = taggers.plain(xs[s]), taggers.numbers(tagger.tags_, ys[s])

        def worth(path: Any, x: Any = x, gold: Any = gold) -> float:
            return reference.score(w, x, path, order) + reference.cost(gold, path)

        most = max(map(worth, space.paths(len(x))))
        if t not in updates:
            # No step, as the right path is the best, or one that has the same features is.
            counts = Counter(reference.features(x, gold, order))
            best = [path for path in space.paths(len(x)) if worth(path) >= most - 1e-4]
            assert any(Counter(reference.features(x, path, order)) == counts for path in best)
            continue
        assert updates[t].row == s
        found = taggers.numbers(tagger.tags_, updates[t].y_pred)
        assert worth(found) >= most - 1e-4
        delta: dict[Any, float] = {}
        for sign, path in ((1, gold), (-1, found)):
            for key, value in reference.features(x, path, order):
                delta[key] = delta.get(key, 0.0) + sign * value
        length = sum(value * value for value in delta.values())
        step = min(C, (worth(found) - worth(gold)) / length)
        assert updates[t].step == pytest.approx(step, abs=2e-5)
        for key, value in delta.items():
            w[key] = w.get(key, 0.0) + updates[t].step * value
    assert tagger.t_ == len(visited)
    for key, value in taggers.weights_of(tagger, of_words=of_words).items():
        assert value == pytest.approx(w[key], abs=1e-4)


def test_mira_with_room_wins_by_as_many_points_as_there_are_wrong_tags() -> None:
    xs, ys = [["a", "b", "c"]], [["P", "Q", "R"]]
    tagger = SequenceTagger(rule="mira", C=1e6, averaged=False, record=True).partial_fit(xs, ys)
    (mistake,) = tagger.ledger_
    why = tagger.explain(xs[0], mistake.y_pred)
    wrong = sum(a != b for a, b in zip(mistake.y_pred, ys[0], strict=True))
    assert tagger.predict(xs) == ys
    assert why.compared_score is not None
    assert why.score - why.compared_score == pytest.approx(wrong, abs=1e-5)


def test_mira_stops_when_no_step_is_left_to_take() -> None:
    xs, ys = [["a"], ["b"]], [["P"], ["Q"]]
    tagger = SequenceTagger(rule="mira", C=1.0, templates=["w[0]"], max_iter=50).fit(xs, ys)
    assert tagger.stop_reason_ == "separated"
    assert tagger.mistakes_per_epoch_[-1] == 0
    # Here steps only shrink; what is left is rounding.
    xs, ys = [["a", "b"], ["c", "b"], ["a"]], [["P", "Q"], ["Q", "R"], ["S"]]
    tagger = SequenceTagger(rule="mira", C=10.0, max_iter=200, record=True).fit(xs, ys)
    assert tagger.stop_reason_ == "separated"
    assert all(mistake.step > 0 for mistake in tagger.ledger_)


# ------------------------------------------------------------------ one token


@given(seeds, orders, st.integers(1, 5), st.booleans())
def test_with_one_token_a_sentence_it_is_the_multiclass_perceptron(
    seed: int, order: int, epochs: int, averaged: bool
) -> None:
    """The step from the beginning is a feature that is always there.

    While all weights are 0 the perceptron takes the last class, the tagger the first: names run
    backwards. After that the values leave no ties.
    """
    random = np.random.default_rng(seed)
    n, n_classes = 12, 3
    X = random.normal(size=(n, 3)).astype(np.float32).astype(float)
    y = random.permutation(np.arange(n) % n_classes)
    names = [f"tag {n_classes - k}" for k in range(n_classes)]
    xs = [[{f"x{j}": value for j, value in enumerate(row)}] for row in X.tolist()]
    settings = {"max_iter": epochs, "random_state": seed}
    kind = AveragedPerceptron if averaged else Perceptron
    augmented = np.column_stack([X, *[np.ones(n)] * order])
    plain = kind(fit_intercept=False, ties="positive", tol=None, **settings).fit(augmented, y)
    tagger = SequenceTagger(order=order, averaged=averaged, **settings)
    tagger.fit(xs, [[names[k]] for k in y])
    assert tagger.mistakes_per_epoch_ == plain.mistakes_per_epoch_
    assert tagger.stop_reason_ == plain.stop_reason_
    scores = [tagger.explain(x) for x in xs]
    steps = tagger._model.served(averaged=tagger.averaged)
    own = np.array([[s.tag_scores[0][name] for name in names] for s in scores])
    column = [tagger.tags_.index(name) for name in names]
    own += steps.steps[n_classes, column]
    if order == 2:
        own += steps.pairs[-1, column]
    np.testing.assert_allclose(own, plain.decision_function(augmented), atol=1e-4)


# ------------------------------------------------------------------ the theorem


@given(seeds, orders)
def test_mistakes_never_exceed_the_bound_on_separable_sentences(seed: int, order: int) -> None:
    """k <= (R/γ)², R the longest difference of two answers to one sentence."""
    random = np.random.default_rng(seed)
    space, u = reference.Space(2, order), {}
    for key in all_keys(2, order):
        u[key] = float(random.normal())
    norm = np.sqrt(sum(value**2 for value in u.values()))
    u = {key: value / norm for key, value in u.items()}
    xs, ys, margins, lengths = [], [], [], []
    for _ in range(40):
        x = random.choice(list("ab"), random.integers(1, 5)).tolist()
        gold = reference.best(u, taggers.plain(x), space)
        rivals = [path for path in space.paths(len(x)) if path != gold]
        right = reference.score(u, taggers.plain(x), gold, order)
        ahead = [right - reference.score(u, taggers.plain(x), path, order) for path in rivals]
        if min(ahead) < 0.05:
            continue
        xs.append(x)
        ys.append(["PQ"[k] for k in gold])
        margins.append(min(ahead))
        lengths += [squared_distance(taggers.plain(x), gold, path, order) for path in rivals]
    if len({tag for y in ys for tag in y}) < 2:
        return
    tagger = SequenceTagger(templates=["w[0]"], order=order, max_iter=5000, averaged=False)
    tagger.fit(xs, ys)
    assert tagger.stop_reason_ == "separated"
    assert tagger.converged_
    assert tagger.score(xs, ys) == 1.0
    assert tagger.n_mistakes_ <= max(lengths) / min(margins) ** 2


def all_keys(n_tags: int, order: int) -> list[Any]:
    places = [reference.BEGINNING, *range(n_tags)]
    keys: list[Any] = [(letter, k) for letter in "ab" for k in range(n_tags)]
    keys += [("step", b, k) for b in places for k in range(n_tags)]
    if order == 2:
        keys += [("pair", a, b, k) for a in places for b in places for k in range(n_tags)]
    return keys


def squared_distance(x: Any, one: Any, other: Any, order: int) -> float:
    delta: dict[Any, float] = {}
    for sign, path in ((1, one), (-1, other)):
        for key, value in reference.features(x, path, order):
            delta[key] = delta.get(key, 0.0) + sign * value
    return sum(value * value for value in delta.values())
