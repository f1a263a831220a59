"""Of many classes there is a verdict, or an honest word that there is none, after bounded work."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from strategies import sparse_rows

from rosenblatt import Perceptron, datasets
from rosenblatt.errors import InputError
from rosenblatt.theory import (
    CertificateError,
    argmax,
    examination,
    examine,
    margin_interval,
    mistake_bound,
    mistake_bounds,
    separability,
)
from rosenblatt.theory.argmax import decide_argmax
from rosenblatt.theory.certificates import check_best_score
from rosenblatt.theory.nearest import is_closed, nearest_point
from rosenblatt.theory.points import PairHull, Points

KINDS = [np.asarray, sparse_rows]


def clusters(n_classes: int, d: int = 20, seed: int = 0) -> tuple[Any, Any]:
    """Two rows of each class, near each other."""
    random = np.random.default_rng(seed)
    y = np.repeat(np.arange(n_classes), 2)
    X = 10 * random.standard_normal((n_classes, d))[y] + random.standard_normal((len(y), d))
    return X, y


def no_walk(*_: Any) -> Any:
    raise AssertionError("no walk is needed")


def no_pair(*_: Any) -> Any:
    raise AssertionError("no pair is to be decided")


def counted(patch: pytest.MonkeyPatch, kind: type, *names: str) -> Counter[str]:
    """How often methods are called from here on."""
    calls: Counter[str] = Counter()

    def watched(name: str) -> Any:
        method = getattr(kind, name)

        def call(*given: Any) -> Any:
            calls[name] += 1
            return method(*given)

        return call

    for name in names:
        patch.setattr(kind, name, watched(name))
    return calls


# ---------------------------------------------------------------------- verdicts


def test_a_thousand_classes_that_the_perceptron_separates_need_no_walk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(argmax, "nearest_point", no_walk)
    X, y = clusters(1000)
    found = separability(X, y)
    assert found.verdict == "separable"
    assert found.coef.shape == (1000, 20)
    assert found.verify()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_rows_of_several_classes_that_are_fewer_than_dimensions_are_separated_by_equations(
    kind: Any, fit_intercept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(argmax, "nearest_point", no_walk)
    monkeypatch.setattr(argmax, "perceptron_vectors", lambda *_, **__: (None, False))
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 80)) * 10.0 ** random.integers(-5, 6, 80)
    found = separability(kind(X), np.arange(60) % 7, fit_intercept)
    assert found.verdict == "separable"
    assert found.verify()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_two_equal_rows_of_different_classes_are_a_conflict_at_once(
    kind: Any, fit_intercept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(argmax, "nearest_point", no_walk)
    X, y = clusters(50)
    X[71] = X[4]
    found = separability(kind(X), y, fit_intercept)
    assert found.verdict == "not separable"
    assert found.conflict.rows == (4, 71)
    assert found.conflict.wrong == (y[71], y[4])
    assert found.verify()


def test_equal_rows_of_one_class_are_no_conflict() -> None:
    X, y = clusters(50)
    X[5] = X[4]
    assert separability(X, y).verdict == "separable"


def test_of_too_many_classes_a_conflict_of_some_is_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    walks = []

    def watched(hull: PairHull, *given: Any) -> Any:
        walks.append(hull.k)
        return nearest_point(hull, *given)

    random = np.random.default_rng(0)
    X, y = random.standard_normal((300, 2)), np.arange(300) % 60
    monkeypatch.setattr(argmax, "nearest_point", watched)
    assert separability(X, y).verdict == "not separable"
    # Too little for 60 classes, and enough for 40.
    monkeypatch.setattr(argmax, "MAX_WORK", 300_000)
    monkeypatch.setattr(argmax, "FEWER_CLASSES_WORK_SHARE", 1.0)
    names = np.array([f"class {number:02}" for number in range(60)])
    found = separability(X, names[y])
    assert walks == [60, 40]
    assert found.verdict == "not separable"
    assert len(found.classes) == 60
    assert set(found.conflict.wrong) <= set(names.tolist())
    assert sum(found.conflict.weights) == 1
    assert found.verify()


def test_too_many_classes_for_a_proof_are_undecided_and_the_reason_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    iris = datasets.iris()
    monkeypatch.setattr(argmax, "MAX_WORK", 0)
    monkeypatch.setattr(argmax, "nearest_point", no_walk)
    found = separability(iris.X, iris.y)
    assert (found.verdict, found.conflict, found.coef) == ("undecided", None, None)
    assert found.detail == (
        "the perceptron found no separator in a few epochs, and 3 classes are too many for the "
        "search for a proof: 15 weights at once. Ask for fewer classes at once."
    )
    with pytest.raises(CertificateError, match="nothing to check: the perceptron found no"):
        found.verify()


def test_a_walk_that_reaches_its_limit_is_undecided_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    iris = datasets.iris()
    monkeypatch.setattr(argmax, "MAX_WORK", 1000)
    found = separability(iris.X, iris.y)
    assert found.verdict == "undecided"
    assert re.fullmatch(
        r"no separator has a margin above \S+, and none was found before the search reached its "
        r"limit: 3 classes have 15 weights at once\. Ask for fewer classes at once\.",
        found.detail,
    )


def test_the_work_of_a_walk_is_counted_and_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = clusters(30)
    hull = PairHull(Points(X, np.ones(len(X)), fit_intercept=True), y, 30)
    calls = counted(monkeypatch, PairHull, "point")
    whole = nearest_point(hull, 1, is_closed(100.0))
    rounds = calls["point"]
    assert not whole.cut_short
    calls.clear()
    # The corral of the tenth round has ten points at most.
    cut = nearest_point(hull, 1, is_closed(100.0), max_work=10 * 10 * hull.n_dimensions)
    assert cut.cut_short
    assert 5 < calls["point"] < 20 < rounds
    assert cut.lower <= whole.lower <= whole.upper <= cut.upper


# ---------------------------------------------------------------------- all classes at once


def test_all_classes_are_multiplied_with_the_rows_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = clusters(40)
    rows = Points(X, np.ones(len(X)), fit_intercept=True).balanced()
    hull = PairHull(rows, y, 40)
    p = np.random.default_rng(0).standard_normal(hull.n_dimensions)
    one_by_one = np.column_stack([rows.products(v) for v in p.reshape(40, -1)])
    errors = np.column_stack([rows.rounding(v) for v in p.reshape(40, -1)])
    calls = counted(monkeypatch, Points, "products", "term_sizes")
    products, rounding = hull.products_with_errors(p)
    assert calls == {"products": 1, "term_sizes": 1}
    index = np.arange(len(X))
    expected = one_by_one[index, y][:, None] - one_by_one
    expected[index, y] = np.inf
    np.testing.assert_allclose(products, expected.ravel(), rtol=1e-10, atol=1e-10)
    sums = errors + errors[index, y][:, None]
    np.testing.assert_allclose(rounding, 2 * sums.ravel(), rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_margins_of_all_classes_are_found_in_blocks_of_rows(
    kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = clusters(40)
    examples = mistake_bounds.Examples(kind(X), y, True, None)
    V = np.random.default_rng(0).standard_normal((40, 21))
    scores = X @ V[:, :20].T + V[:, 20]
    index = np.arange(len(X))
    own = scores[index, y]
    scores[index, y] = -np.inf
    calls = counted(monkeypatch, Points, "term_sizes")
    for at_once, n_blocks in ((4_000_000, 1), (40 * 30, 3)):
        monkeypatch.setattr(mistake_bounds, "SCORES_PER_BLOCK", at_once)
        calls.clear()
        found = examples.margins(V)
        assert calls["term_sizes"] == n_blocks
        np.testing.assert_allclose(found, own - scores.max(axis=1), rtol=1e-9, atol=1e-9)
        assert (found < own - scores.max(axis=1)).all()


def test_a_row_that_is_ahead_by_less_than_the_largest_rounding_is_looked_at_closely() -> None:
    """The weights of the third class are so large that they hide the lead of the first."""
    X = np.array([[1.0, 0.0], [0.0, -1.0]])
    coef = np.array([[1.0 + 2.0**-40, 0.0], [1.0, 0.0], [0.0, -1e20]])
    check_best_score(X, np.array([0, 2]), coef, np.zeros(3))
    with pytest.raises(CertificateError, match="row 0 does not score highest"):
        check_best_score(X, np.array([1, 2]), coef, np.zeros(3))


# ---------------------------------------------------------------------- pairs


def test_of_separable_classes_no_pair_is_decided_to_count_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(argmax, "decide", no_pair)
    X, y = clusters(60)
    plain = examine(X, y).to_json(range(len(y)))
    assert plain["pairs"] == {"separable": 1770, "all": 1770}


def test_too_many_pairs_are_not_decided_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    iris = datasets.iris()
    found = examine(iris.X, iris.y)
    assert found.to_json(range(150))["pairs"] == {"separable": 2, "all": 3}
    monkeypatch.setattr(argmax, "MAX_PAIRS", 2)
    found = examine(iris.X, iris.y)
    assert found.to_json(range(150))["pairs"] == {"separable": None, "all": 3}
    monkeypatch.setattr(argmax, "decide", no_pair)
    assert found.separability.n_separable_pairs is None
    with pytest.raises(InputError, match=r"3 classes make 3 pairs, and no more than 2 are decided"):
        _ = found.separability.pairs


# ---------------------------------------------------------------------- bounds


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_bound_of_many_classes_holds_without_a_walk_to_the_largest_margin(
    fit_intercept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = clusters(12)
    largest = mistake_bound(X, y, fit_intercept)
    assert largest.closed
    monkeypatch.setattr(mistake_bounds, "MAX_WORK", 0)
    monkeypatch.setattr(margin_interval, "nearest_point", no_walk)
    found = mistake_bound(X, y, fit_intercept)
    assert (found.theorem, found.closed) == ("Novikoff", False)
    # As the perceptron with a threshold of R² promises.
    assert largest.margin / 3 <= found.margin <= largest.margin_upper
    assert np.linalg.norm(found.u) == pytest.approx(1.0)
    for seed in range(5):
        learner = Perceptron(fit_intercept=fit_intercept, ties="positive", random_state=seed)
        assert learner.fit(X, y).n_mistakes_ <= found.bound


def test_a_walk_to_the_largest_margin_that_is_cut_short_gives_a_bound_that_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = clusters(12)
    largest = mistake_bound(X, y)
    monkeypatch.setattr(mistake_bounds, "MAX_WORK", 300_000)
    found = mistake_bound(X, y)
    assert not found.closed
    assert 0 < found.margin <= largest.margin_upper
    assert found.bound >= largest.bound * (1 - 1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_the_bound_of_classes_that_overlap_holds_without_a_score_of_every_row_by_every_class(
    kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    iris = datasets.iris()
    monkeypatch.setattr(mistake_bounds, "MAX_WORK", 0)
    monkeypatch.setattr(mistake_bounds, "MAX_SCORES", 0)
    found = mistake_bound(kind(iris.X), iris.y, epochs=10)
    assert found.theorem == "Freund and Schapire"
    learner = Perceptron(max_iter=10, tol=None, ties="positive")
    with pytest.warns(UserWarning, match="max_iter"):
        learner.fit(iris.X, iris.y)
    assert learner.n_mistakes_ <= found.bound <= found.visits
    sums = np.array([iris.X[iris.y == c].sum(axis=0) for c in range(3)])
    means = (sums.sum(axis=0) - sums) / 2
    direction = (sums - means) / np.linalg.norm(sums - means)
    np.testing.assert_allclose(found.u[:, :4], direction, rtol=1e-9)


def test_a_verdict_that_examine_has_is_not_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def watched(*given: Any) -> Any:
        asked.append(given)
        return decide_argmax(*given)

    monkeypatch.setattr(argmax, "decide_argmax", watched)
    monkeypatch.setattr(mistake_bounds, "decide_argmax", watched)
    monkeypatch.setattr(mistake_bounds, "MAX_WORK", 0)
    X, y = clusters(12)
    found = examine(X, y)
    assert found.limit.theorem == "Novikoff"
    assert len(asked) == 1


def test_the_learner_of_an_examination_takes_fewer_epochs_for_many_classes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    iris = datasets.iris()
    assert examine(iris.X, iris.y).learner.max_iter == 1000
    monkeypatch.setattr(examination, "MAX_PRODUCTS", 50 * iris.X.size * 3)
    found = examine(iris.X, iris.y)
    assert found.learner.n_iter_ <= found.learner.max_iter == 50
    assert found.learner.n_mistakes_ <= found.limit.bound
