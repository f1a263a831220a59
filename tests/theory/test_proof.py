"""The proof of convergence holds as numbers, and a run that breaks it is an error."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import csr, floats, seeds, separable

from rosenblatt import (
    MIRA,
    AveragedPerceptron,
    Ledger,
    PassiveAggressive,
    Perceptron,
    SoftPerceptron,
    VotedPerceptron,
)
from rosenblatt.errors import InputError, ParameterError, RosenblattError
from rosenblatt.theory.proof import ProofViolation, proof

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
PLAIN = [Perceptron, AveragedPerceptron, VotedPerceptron]
rates = st.sampled_from([0.01, 0.3, 1.0, 7.0])
LECTURE = np.array([[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], float)


def split(u, n_features):
    """A vector of the augmented space as a pair (w, b)."""
    return u[:n_features], float(u[n_features]) if len(u) > n_features else 0.0


def recorded(seed=0, *, gamma=0.1, bias=False, **options):
    X, y, u = separable(seed, gamma=gamma, bias=bias)
    learner = Perceptron(fit_intercept=bias, record=True, random_state=seed, **options).fit(X, y)
    return X, y, split(u, X.shape[1]), learner


def several_classes(seed, *, bias, n_classes=3, d=4, gamma=0.05):
    """Rows told apart by U, of length 1 with its biases, the right score leading by gamma."""
    random = np.random.default_rng(seed)
    U = random.normal(size=(n_classes, d + bias)) * ([1.0] * d + [0.2] * bias)
    U /= np.linalg.norm(U)
    X = random.uniform(-1, 1, (3000, d))
    scores = (np.column_stack([X, np.ones(len(X))]) if bias else X) @ U.T
    ranked = np.sort(scores, axis=1)
    clear = np.flatnonzero(ranked[:, -1] - ranked[:, -2] >= gamma)[:80]
    b = U[:, d] if bias else np.zeros(n_classes)
    return X[clear], scores[clear].argmax(axis=1), (U[:, :d], b)


def changed(ledger, **columns):
    """A ledger with some of its columns tampered with."""
    return Ledger.from_arrays({**ledger.to_arrays(), **columns})


def test_the_worked_example_of_the_lecture_gives_these_numbers():
    """L1.7 through L3.13: w = (1,-2), (2,-1), (3,1), R² = 5, u = (3,1)/√10, γ = 1/√10."""
    learner = Perceptron(ties="positive", fit_intercept=False, shuffle=False, record=True)
    ledger = learner.fit(LECTURE, [-1, 1, 1, -1, -1, 1]).ledger_
    trace = proof(ledger, LECTURE, ([3, 1], 0))
    root = np.sqrt(10)
    np.testing.assert_allclose(trace.squared_norm, [5, 5, 10])
    np.testing.assert_allclose(trace.squared_norm_bound, [5, 10, 15])
    np.testing.assert_allclose(trace.progress, [1 / root, 5 / root, 10 / root])
    np.testing.assert_allclose(trace.progress_bound, [1 / root, 2 / root, 3 / root])
    assert trace.n_updates == 3
    assert trace.eta == 1.0
    assert trace.mistake_bound == pytest.approx(50)
    assert trace.meets_at == pytest.approx(50)
    assert repr(trace) == (
        "<ProofTrace: 3 updates of at most 50; u·(w-w₀) ≥ kηγ and ‖w‖² ≤ ‖w₀‖² + kη²R² after each "
        "(γ=0.3162, R=2.236)>"
    )


@quiet
@pytest.mark.parametrize("learner", PLAIN)
@given(
    seed=seeds,
    bias=st.booleans(),
    d=st.integers(2, 12),
    eta0=rates,
    scale=st.sampled_from([1e-3, 1.0, 1e4]),
    sparse=st.booleans(),
    dtype=st.sampled_from([np.float32, np.float64]),
    shuffle=st.booleans(),
    order=st.randoms(use_true_random=False),
)
def test_both_inequalities_hold_for_every_order_dimension_scale_and_rate(
    learner, seed, bias, d, eta0, scale, sparse, dtype, shuffle, order
):
    """L3.13, L4.6, L5.8, L3.14."""
    X, y, u = separable(seed, d=d, gamma=0.05, bias=bias)
    rows = list(range(len(X)))
    order.shuffle(rows)
    X, y = (X[rows] * scale).astype(dtype), y[rows]
    w, b = split(u, d)
    separator = w, b * scale
    table = csr(X) if sparse else X
    fitted = learner(fit_intercept=bias, eta0=eta0, shuffle=shuffle, record=True, max_iter=60)
    fitted.fit(table, y)
    trace = proof(fitted.ledger_, table, separator)
    assert trace.n_updates == fitted.n_mistakes_ <= trace.mistake_bound
    assert trace.meets_at == pytest.approx(trace.mistake_bound)
    assert trace.eta == pytest.approx(eta0)
    slack = 1e-9 if dtype == np.float64 else 1e-3
    assert (trace.progress >= trace.progress_bound * (1 - slack)).all()
    assert (trace.squared_norm <= trace.squared_norm_bound * (1 + slack)).all()
    assert (trace.progress**2 <= trace.squared_norm * (1 + slack)).all()  # Cauchy-Schwarz


@given(seed=seeds, bias=st.booleans(), eta0=rates, length=st.sampled_from([0.1, 3.0, 100.0]))
def test_the_inequalities_count_from_the_weights_the_run_started_with(seed, bias, eta0, length):
    """L3.14: the bound depends on the initial weights, and on these alone beside γ and R."""
    X, y, u = separable(seed, gamma=0.1, bias=bias)
    random = np.random.default_rng([seed, 1])
    start = {"coef_init": length * random.normal(size=(1, 4))}
    if bias:
        start["intercept_init"] = length * random.normal(size=1)
    learner = Perceptron(fit_intercept=bias, eta0=eta0, record=True, max_iter=100_000, tol=None)
    trace = proof(learner.fit(X, y, **start).ledger_, X, split(u, 4))
    assert learner.converged_
    if not trace.n_updates:
        assert trace.meets_at is None
        return
    assert trace.n_updates <= trace.meets_at * (1 + 1e-9)
    w0 = np.append(start["coef_init"], start.get("intercept_init", []))
    k = trace.meets_at
    assert u @ w0 + k * eta0 * trace.margin == pytest.approx(
        np.sqrt(w0 @ w0 + k * (eta0 * trace.radius) ** 2), rel=1e-6
    )


@given(seed=seeds, bias=st.booleans(), sparse=st.booleans())
def test_the_numbers_equal_those_of_a_replay_from_the_start(seed, bias, sparse):
    X, _, (w, b), learner = recorded(seed, bias=bias, eta0=0.3)
    trace = proof(learner.ledger_, csr(X) if sparse else X, (w, b))
    walked = list(learner.ledger_.trace(X))[1:]
    squared = [float(np.sum(W**2) + np.sum(B**2)) for W, B in walked]
    along = [float(W[0] @ w + B[0] * b) for W, B in walked]
    np.testing.assert_allclose(trace.squared_norm, squared, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(trace.progress, along, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("sparse", [False, True])
@given(seed=seeds, bias=st.booleans(), eta0=rates)
def test_several_classes_obey_the_proof_in_the_construction_of_kesler(sparse, seed, bias, eta0):
    """L3.13 for argmax training: stacked weights, x at the right class, -x at the wrong one."""
    X, y, separator = several_classes(seed, bias=bias)
    if len(np.unique(y)) < 3:
        return
    table = csr(X) if sparse else X
    learner = Perceptron(
        ties="positive", fit_intercept=bias, eta0=eta0, record=True, tol=None, max_iter=10_000
    ).fit(table, y)
    trace = proof(learner.ledger_, table, separator)
    assert trace.radius**2 == pytest.approx(2 * ((X**2).sum(axis=1).max() + bias))
    assert trace.margin >= 0.05 * (1 - 1e-9)
    assert trace.n_updates == learner.n_mistakes_ <= trace.mistake_bound
    W, B = learner.ledger_.replay(table)
    assert trace.squared_norm[-1] == pytest.approx(np.sum(W**2) + np.sum(B**2))
    assert trace.progress[-1] == pytest.approx(np.sum(W * separator[0]) + B @ separator[1])


def test_a_separator_may_be_a_hyperplane_of_any_length():
    X, _, (w, b), learner = recorded(3, bias=True)
    one = proof(learner.ledger_, X, (w, b))
    other = proof(learner.ledger_, X, SimpleNamespace(w=1e6 * w, b=1e6 * b))
    np.testing.assert_allclose(one.progress, other.progress)
    assert one.margin == pytest.approx(other.margin)


def test_margin_and_radius_are_those_of_the_rows_with_a_one_appended():
    X, y, (w, b), learner = recorded(4, bias=True)
    trace = proof(learner.ledger_, X, (w, b))
    augmented, u = np.column_stack([X, np.ones(len(X))]), np.append(w, b)
    assert trace.radius == pytest.approx(np.linalg.norm(augmented, axis=1).max())
    assert trace.margin == pytest.approx((y * (augmented @ u)).min())


@quiet
@given(seed=seeds, n_classes=st.sampled_from([2, 3]), max_iter=st.integers(1, 30))
def test_the_norm_is_bounded_also_where_nothing_separates(seed, n_classes, max_iter):
    """L3.8: the second inequality needs no separator."""
    X, y = floats(seed, n_classes=n_classes)
    learner = Perceptron(ties="positive", record=True, tol=None, max_iter=max_iter).fit(X, y)
    trace = proof(learner.ledger_, X)
    assert trace.progress is trace.progress_bound is None
    assert trace.margin is trace.mistake_bound is trace.meets_at is None
    assert (trace.squared_norm <= trace.squared_norm_bound * (1 + 1e-9)).all()
    assert "u·" not in repr(trace)


def test_a_run_without_a_mistake_has_an_empty_proof():
    X, y, u = separable(0, gamma=0.1)
    learner = Perceptron(fit_intercept=False, record=True).fit(X, y, coef_init=u[None, :])
    trace = proof(learner.ledger_, X, (u, 0.0))
    assert trace.n_updates == len(trace.progress) == len(trace.squared_norm) == 0
    assert "0 updates" in repr(trace)


@given(seed=seeds, bias=st.booleans())
def test_an_update_with_its_answers_exchanged_violates_the_first_inequality(seed, bias):
    X, _, separator, learner = recorded(seed, bias=bias)
    gamma = proof(learner.ledger_, X, separator).margin
    right, wrong = learner.ledger_.entries.y_true.copy(), learner.ledger_.entries.y_pred.copy()
    right[0], wrong[0] = wrong[0], right[0]
    tampered = changed(learner.ledger_, right=right, wrong=wrong)
    row = learner.ledger_.entries.row[0]
    told = rf"update 1, on row {row}: u·\(w - w₀\) is -\S+, below k η γ = \S+\. "
    with pytest.raises(ProofViolation, match=told) as caught:
        proof(tampered, X, separator, margin=gamma)
    assert isinstance(caught.value, RosenblattError)
    with pytest.raises(InputError, match=rf"does not separate the rows: row {row} "):
        proof(tampered, X, separator)


def test_one_row_learned_over_and_over_is_a_violation_of_the_second_inequality():
    X, _, _, learner = recorded(1)
    longest = np.full(len(learner.ledger_), int((X**2).sum(axis=1).argmax()))
    tampered = changed(learner.ledger_, row=longest, right=np.ones(len(longest), np.int32))
    with pytest.raises(ProofViolation, match=rf"update 2, on row {longest[0]}: ‖w‖² is .* above"):
        proof(tampered, X)
    with pytest.raises(
        ProofViolation, match=r"although it was right by .*VotedPerceptron, without a margin"
    ):
        proof(tampered, X)


def test_constants_that_are_not_true_are_violations():
    X, _, separator, learner = recorded(2)
    honest = proof(learner.ledger_, X, separator)
    with pytest.raises(ProofViolation, match=r"u·\(w - w₀\) is \S+, below k η γ .*not true"):
        proof(learner.ledger_, X, separator, margin=10 * honest.margin)
    with pytest.raises(ProofViolation, match=r"update 1, .* above ‖w₀‖² \+ k η² R²"):
        proof(learner.ledger_, X, separator, radius=0.01)
    with pytest.raises(ProofViolation, match=r"k is \d+, above R²/γ²"):
        proof(learner.ledger_, X, margin=honest.radius)


def test_a_margin_perceptron_is_told_what_the_theorem_is_about():
    X, y, u = separable(0, gamma=0.1)
    learner = Perceptron(margin=100.0, fit_intercept=False, record=True).fit(X, y)
    with pytest.raises(ProofViolation, match=r"was made on row .* although it was right"):
        proof(learner.ledger_, X, (u, 0.0))


@quiet
@pytest.mark.parametrize(
    "learner",
    [
        MIRA,
        PassiveAggressive,
        SoftPerceptron,
        lambda **options: Perceptron(class_weight={0: 2.0, 1: 1.0}, **options),
    ],
)
def test_rules_with_steps_of_their_own_are_refused(learner):
    X, y = floats(0)
    ledger = learner(record=True, max_iter=5, tol=None).fit(X, y).ledger_
    with pytest.raises(InputError, match=r"steps differ.*about the plain perceptron"):
        proof(ledger, X)


def test_ties_that_raised_one_class_alone_are_refused_with_the_cure():
    X, y, separator = several_classes(0, bias=False)
    ledger = Perceptron(fit_intercept=False, record=True).fit(X, y).ledger_
    with pytest.raises(InputError, match=r"update 1, .* met a tie.*ties='positive'"):
        proof(ledger, X, separator)


def test_a_hyperplane_on_the_wrong_side_of_a_row_is_refused_with_the_row():
    X, _, (w, b), learner = recorded(5)
    with pytest.raises(InputError, match=r"does not separate the rows: row \d+ has the margin -"):
        proof(learner.ledger_, X, (-w, b))


@pytest.mark.parametrize(
    ("separator", "told"),
    [
        (3.0, "pair"),
        (([1.0, 2.0], 0.0), "shape"),
        (([0.0] * 4, 0.0), "not all of them 0"),
        (([np.nan] * 4, 0.0), "finite"),
        (([1.0] * 4, 2.0), "fit_intercept=False"),
        (("abcd", 0.0), "pair"),
        (SimpleNamespace(w=[1.0] * 4), "pair"),
    ],
)
def test_separators_that_make_no_sense_are_refused(separator, told):
    X, _, _, learner = recorded(0)
    with pytest.raises(InputError, match=told):
        proof(learner.ledger_, X, separator)


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf, "wide"])
@pytest.mark.parametrize("name", ["margin", "radius"])
def test_margin_and_radius_must_be_positive_numbers(name, value):
    X, _, separator, learner = recorded(0)
    with pytest.raises(ParameterError, match=f"{name}="):
        proof(learner.ledger_, X, separator, **{name: value})


def test_rows_of_another_run_are_refused():
    X, _, separator, learner = recorded(0)
    with pytest.raises(InputError, match="was recorded on rows of 4 features"):
        proof(learner.ledger_, X[:, :3], separator)
    with pytest.raises(InputError, match="dimensions"):
        proof(learner.ledger_, X[0], separator)
    with pytest.raises(InputError, match="table of numbers"):
        proof(learner.ledger_, [["a"]], separator)
