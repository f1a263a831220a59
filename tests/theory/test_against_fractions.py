"""Verdicts, margins and bounds beside exact ones, on rows that make trouble for floats."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import floor

import pytest
from reference import largest_margin as exact
from reference.awkward_problems import extreme_problem, problem

from rosenblatt.errors import InputError
from rosenblatt.theory import max_margin, mistake_bound, separability


@pytest.mark.parametrize(
    "n_problems", [pytest.param(200, id="200"), pytest.param(5000, marks=pytest.mark.long)]
)
def test_no_verdict_is_wrong_and_no_margin_is_called_the_largest_that_is_not(n_problems, capsys):
    seen, wrong = Counter(), []
    for seed in range(n_problems):
        X, y, fit_intercept, kind = problem(seed)
        for fault in faults(X, y, fit_intercept, seen):
            wrong.append(f"problem {seed} ({kind}): {fault}")
    with capsys.disabled():
        print(
            f"\n{n_problems} problems, {seen['separable']} of them separable; undecided: "
            f"{seen['undecided'] / n_problems:.2%} of the verdicts, {seen['open']} of "
            f"{seen['margins']} margins, {seen['no bound']} of {seen['separable']} bounds"
        )
    assert not wrong, "\n".join(wrong)
    assert seen["undecided"] + seen["open"] + seen["no bound"] <= n_problems / 100


@pytest.mark.parametrize(
    "seeds",
    [pytest.param([*range(12), 79, 245]), pytest.param(range(400), marks=pytest.mark.long)],
    ids=["14", "400"],
)
def test_numbers_of_every_size_get_verdicts_that_are_right(seeds):
    """79 and 245 are problems in which shares of points are too small for floats."""
    wrong = []
    for seed in seeds:
        X, y, fit_intercept = extreme_problem(seed)
        truth = exact.separable(exact.points(X.tolist(), y.tolist(), fit_intercept))
        found = separability(X, y, fit_intercept)
        if found.separable is not truth or not found.verify():
            wrong.append(f"problem {seed}: called {found.verdict}")
        bound = mistake_bound(X, y, fit_intercept, epochs=3)
        if bound.theorem == "Novikoff" and not truth:
            wrong.append(f"problem {seed}: a bound for any number of epochs without a separator")
    assert not wrong, "\n".join(wrong)


def faults(X, y, fit_intercept, seen):
    """What is said of these rows and is not so."""
    labels, rows = y.tolist(), X.tolist()
    Z = exact.points(rows, labels, fit_intercept)
    truth = exact.separable(Z)
    seen["separable"] += truth
    found = separability(X, y, fit_intercept)
    seen["undecided"] += found.separable is None
    if found.separable not in (None, truth):
        yield f"called {found.verdict}"
    elif found.separable is not None and not found.verify():
        yield "certificate does not hold"
    squared = exact.squared_margin(Z)
    if len(set(labels)) == 2:
        D = exact.squared_margin(exact.differences(rows, labels)) / 4 if fit_intercept else squared
        yield from margin_faults(X, y, fit_intercept, truth, D, seen)
    bound = mistake_bound(X, y, fit_intercept, epochs=10)
    seen["no bound"] += truth and bound.theorem != "Novikoff"
    if not truth:
        if bound.theorem == "Novikoff":
            yield "a bound for any number of epochs without a separator"
        return
    if Fraction(bound.margin_upper) ** 2 < squared:
        yield f"margin_upper {bound.margin_upper} below {float(squared) ** 0.5}"
    if bound.theorem == "Novikoff":
        if Fraction(bound.margin) ** 2 > squared:
            yield f"γ = {bound.margin} above {float(squared) ** 0.5}"
        longest = max(sum(v * v for v in z) for z in Z)
        if bound.bound < floor(longest / squared):
            yield f"bound {bound.bound} below {float(longest / squared)}"


def margin_faults(X, y, fit_intercept, truth, squared, seen):
    try:
        found = max_margin(X, y, fit_intercept)
    except InputError as error:
        if truth or "conflict" not in str(error):
            yield f"refused: {error}"
        return
    seen["margins"] += 1
    seen["open"] += truth and not found.closed
    if found.closed and not truth:
        yield "called the largest where there is none"
    if not max(Fraction(found.lower), 0) ** 2 <= squared <= Fraction(found.upper) ** 2:
        yield f"[{found.lower}, {found.upper}] does not hold {float(squared) ** 0.5}"
