"""Every rule makes the same updates as its plain NumPy oracle."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from reference import averaged, binary, multiclass, scaled, scaled_runs, second_order, steps
from strategies import LEARNERS, csr, tables, weights_of

from rosenblatt.estimators.catalogue import CATALOGUE

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


CASES = steps.ORACLES
# A weighted step may miss a margin of 1 by a rounding error and be repaired in the next epoch.
TINY = 1e-9
MAX_EPOCHS = 5

every_rule = pytest.mark.parametrize("rule", CASES)
both_ties = st.sampled_from(["mistake", "positive"])
averages = st.sampled_from([False, True, "tail"])
factors = st.none() | st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0]), min_size=8, max_size=8)


def test_every_learner_has_an_oracle():
    ours = {entry.name for entry in CATALOGUE if entry.family == "linear"}
    assert {case.learner for case in CASES.values()} == ours


def trained(rule, X, y, sparse, weights, **options):
    learner = LEARNERS[rule](shuffle=False, tol=None, max_iter=MAX_EPOCHS, record=True, **options)
    return learner.fit(csr(X) if sparse else X, y, sample_weight=weights)


def row_weights(factors, n):
    """Weights for n rows, None for no weights; not all of them 0."""
    weights = None if factors is None else np.array(factors[:n])
    assume(weights is None or weights.any())
    return weights


def assert_same_updates(found, expected, case):
    found = [u for u in found if case.exact or u[-2] > TINY]
    expected = [u for u in expected if case.exact or u[-2] > TINY]
    assert [u[:-2] + u[-1:] for u in found] == [u[:-2] + u[-1:] for u in expected]
    tolerance = 0 if case.exact else TINY
    np.testing.assert_allclose(
        [u[-2] for u in found], [u[-2] for u in expected], rtol=tolerance, atol=tolerance
    )


def on_the_edge(margin, jumps):
    """Whether another order of summation could fall on the other side of a jump."""
    return any(abs(margin - jump) < TINY for jump in jumps)


def averaging(learner, average):
    """What to give a learner that can do without an average, or with that of the tail."""
    given = {"voted": {}, "averaged": {"average": average or True}}
    return given.get(learner, {"average": average})


def assert_served(learner, run, X, average_of):
    """What predicts is the mean of the weights after each example, of its tail, or the last."""
    kind = learner.average
    if kind and not learner.keeps_rows:
        expected = average_of(
            averaged.tail(run.snapshots, len(X)) if kind == "tail" else run.snapshots
        )
        ledger = learner.ledger_.average(X)
        for found, *others in zip(
            (learner.coef_, learner.intercept_), expected, ledger, strict=True
        ):
            for other in others:
                same = np.reshape(other, found.shape)
                np.testing.assert_allclose(found, same, rtol=TINY, atol=TINY)


def has_rates(case):
    """Whether each weight moves by a rate of its own."""
    return isinstance(case.step, second_order.Variances | second_order.AdaGrad)


@every_rule
@given(tables(2), st.booleans(), both_ties, st.booleans(), factors, averages)
def test_binary_rules_equal_their_oracles(
    rule, table, fit_intercept, ties, sparse, factors, average
):
    case, (X, y) = CASES[rule], table
    weights = row_weights(factors, len(X))
    options = {"fit_intercept": fit_intercept, "ties": ties, **averaging(case.learner, average)}
    learner = trained(rule, X, y, sparse, weights, **options)
    signs = 2 * y - 1
    common: dict[str, Any] = {
        "epochs": learner.n_iter_,
        "fit_intercept": fit_intercept,
        "ties": ties,
        "weights": weights,
    }
    if has_rates(case):
        run = second_order.train_binary(X, signs, case.step, **common)
    elif isinstance(case.step, scaled.Scaled):
        run = scaled_runs.train_binary(X, signs, case.step, **common)
        assume(run.plain.nearest_edge > TINY)
    else:
        run = binary.train(X, signs, case.step, aims_at_one=case.aims_at_one, stop=False, **common)
    moved = False
    for i, (w, b) in enumerate([run.start, *run.snapshots[:-1]]):
        row = i % len(X)
        # Weights that are scaled and come back to 0 do so up to rounding.
        moved = bool(w.any() or b) or (moved and isinstance(case.step, scaled.Scaled))
        assume(not moved or not on_the_edge(signs[row] * (w @ X[row] + b), case.jumps))
    assert_same_updates(
        [tuple(u) for u in learner.ledger_],
        [(u.row, (u.y + 1) // 2, (1 - u.y) // 2, u.step, u.t) for u in run.updates],
        case,
    )
    assert learner.mistakes_per_epoch_ == run.mistakes
    assert learner.t_ == run.seen
    matrix, bias = weights_of(learner)
    tolerance = 0 if case.exact else TINY
    np.testing.assert_allclose(matrix[0], run.w, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(bias[0], run.b, rtol=tolerance, atol=tolerance)
    assert_served(learner, run, X, averaged.average_binary)


def delicate(W, b, x, label, jumps, moved):
    """Whether rounding could change the margin's side of a jump, or who the rival is.

    Vectors that never moved score exactly 0 in any order of summation.
    """
    scores = W @ x + b
    wrong = [c for c in range(len(b)) if c != label]
    rival = max(wrong, key=lambda c: scores[c])
    if (moved[label] or moved[rival]) and on_the_edge(scores[label] - scores[rival], jumps):
        return True
    return any(
        (moved[c] or moved[rival]) and abs(scores[c] - scores[rival]) < TINY
        for c in wrong
        if c != rival
    )


@every_rule
@pytest.mark.parametrize("n_classes", [2, 3])
@given(st.data(), st.booleans(), both_ties, st.booleans(), factors, averages)
def test_multiclass_rules_equal_their_oracles(
    rule, n_classes, data, fit_intercept, ties, sparse, factors, average
):
    """L2.3, L2.4, L2.7: two classes too, if they are to be learned as more are."""
    case, (X, y) = CASES[rule], data.draw(tables(n_classes))
    weights = row_weights(factors, len(X))
    # The oracle of the soft rule counts a tie as a mistake.
    ties = "mistake" if case.learner == "soft" else ties
    options: dict[str, Any] = {"fit_intercept": fit_intercept, "binary_as_multiclass": True}
    options |= averaging(case.learner, average)
    learner = trained(rule, X, y, sparse, weights, ties=ties, **options)
    common: dict[str, Any] = {
        "n_classes": n_classes,
        "epochs": learner.n_iter_,
        "fit_intercept": fit_intercept,
        "weights": weights,
    }
    if has_rates(case):
        run = second_order.train_classes(X, y, case.step, ties=ties, **common)
    elif isinstance(case.step, scaled.Scaled):
        run = scaled_runs.train_classes(X, y, case.step, ties=ties, **common)
        assume(run.plain.nearest_edge > TINY)
    elif rule == "soft":
        run = multiclass.train_soft(X, y, eta=0.3, limit=0.7, stop=False, **common)
    else:
        run = multiclass.train(
            X,
            y,
            case.step,
            ties=ties,
            raise_only_on_tie=case.raise_only_on_tie,
            aims_at_one=case.aims_at_one,
            stop=False,
            **common,
        )
    if not case.exact:
        moved = np.zeros(n_classes, bool)
        for i, (W, b) in enumerate([run.start, *run.snapshots[:-1]]):
            row = i % len(X)
            # Those that are scaled and come back to 0 do so up to rounding.
            kept = moved if isinstance(case.step, scaled.Scaled) else False
            moved = W.any(axis=1) | (b != 0) | kept
            assume(not delicate(W, b, X[row], y[row], case.jumps, moved))
    assert_same_updates(
        [u._replace(y_pred=-1 if u.y_pred is None else u.y_pred) for u in learner.ledger_],
        run.updates,
        case,
    )
    assert learner.mistakes_per_epoch_ == run.mistakes
    matrix, bias = weights_of(learner)
    tolerance = 0 if case.exact else TINY
    np.testing.assert_allclose(matrix, run.W, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(bias, run.b, rtol=tolerance, atol=tolerance)
    assert_served(learner, run, X, averaged.average_multiclass)


@pytest.mark.parametrize("weight", [2.0, 1e6])
@pytest.mark.parametrize("rule", ["mira", "aggressive", "pa", "pa1", "pa2"])
def test_a_heavy_row_is_never_pushed_past_a_margin_of_one(rule, weight):
    """L3.4: what the rule aims at is a margin of 1, however much the row counts."""
    X, y = np.array([[2.0, -1.0], [0.0, 1.0]]), np.array([1, 0])
    learner = trained(rule, X[:1].repeat(2, axis=0), y, False, [weight, 0.0])
    assert 0 < learner.decision_function(X[:1])[0] <= 1 + 1e-12
