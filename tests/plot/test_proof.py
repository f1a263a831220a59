"""The curves of the proof are closed forms; the run lies between them; they meet at the bound."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from reference.lectures import L1_7_WEIGHTS, L1_7_X, L1_7_Y
from strategies import seeds, separable

from rosenblatt import Perceptron, plot, theory
from rosenblatt.errors import InputError, ParameterError


def lecture(separator, **start):
    p = Perceptron(ties="positive", fit_intercept=False, shuffle=False, record=True)
    return theory.proof(p.fit(L1_7_X, L1_7_Y, **start).ledger_, L1_7_X, separator=separator)


def test_the_worked_example_lies_where_the_lecture_puts_it():
    shown = plot.proof(lecture(([3.0, 1.0], 0.0)))
    u = np.array([3.0, 1.0]) / np.sqrt(10)
    assert shown.k.tolist() == [1, 2, 3]
    assert shown.length == pytest.approx(np.linalg.norm(L1_7_WEIGHTS, axis=1))
    assert shown.progress == pytest.approx(L1_7_WEIGHTS @ u)
    assert shown.meets_at == pytest.approx(50)


def test_L3_13_the_room_for_w_in_the_plane_ends_at_the_bound(tmp_path):
    """L3.13: u = (1, 0), γ = 1, R = √5; the line touches the circle at k = 5."""
    shown = plot.proof(lecture(([1.0, 0.0], 0.0)), axes="plane")
    assert shown.k == (1, 2, 3, 5, 6)
    np.testing.assert_allclose(shown.along[1:], L1_7_WEIGHTS[:, 0])
    np.testing.assert_allclose(shown.across[1:], np.abs(L1_7_WEIGHTS[:, 1]))
    assert (shown.margin, shown.radius) == pytest.approx((1, np.sqrt(5)))
    assert "Beyond k = R²/γ² = 5 there is no room" in shown.caption
    for theme in ("light", "dark"):
        shown.save(tmp_path / "room.svg", theme=theme)
    for trace in (lecture(None), lecture(([1.0, 0.0], 0.0), coef_init=[[0.0, 1.0]])):
        with pytest.raises(InputError, match="needs a separator with a margin, and a start at 0"):
            plot.proof(trace, axes="plane")


@given(seeds, st.sampled_from([0.01, 1.0, 7.0]))
def test_w_never_leaves_the_room_and_no_room_is_left_beyond_the_bound(seed, eta):
    X, y, u = separable(seed, gamma=0.1)
    p = Perceptron(fit_intercept=False, record=True, eta0=eta).fit(X, y)
    shown = plot.proof(theory.proof(p.ledger_, X, separator=(u, 0.0)), axes="plane")
    k = np.arange(len(shown.along))
    assert (shown.along >= k * shown.margin * (1 - 1e-9)).all()
    lengths = np.hypot(shown.along, shown.across)
    np.testing.assert_array_less(lengths, np.sqrt(k) * shown.radius * (1 + 1e-9) + 1e-300)
    last, beyond = shown.k[-2:]
    assert beyond * shown.margin > np.sqrt(beyond) * shown.radius
    assert last * shown.margin <= np.sqrt(last) * shown.radius * (1 + 1e-9)
    assert len(p.ledger_) <= last


@given(seeds, st.sampled_from([0.01, 1.0, 7.0]), st.sampled_from(["linear", "log", "auto"]))
def test_the_curves_are_their_formulas_and_the_run_lies_between(seed, eta, axes):
    X, y, u = separable(seed, gamma=0.1)
    p = Perceptron(fit_intercept=False, record=True, eta0=eta).fit(X, y)
    trace = theory.proof(p.ledger_, X, separator=(u, 0.0))
    shown = plot.proof(trace, axes=axes)
    k, gamma, R = shown.curve_k, trace.margin, trace.radius
    assert shown.lower == pytest.approx(k * eta * gamma)
    assert shown.upper == pytest.approx(np.sqrt(k) * eta * R)
    at = shown.k
    slack = 1 + 1e-9
    assert (at * eta * gamma <= shown.progress * slack).all()
    assert (shown.progress <= shown.length * slack).all()
    assert (shown.length <= np.sqrt(at) * eta * R * slack).all()


def test_the_curves_cross_where_the_bound_is():
    shown = plot.proof(lecture(([3.0, 1.0], 0.0)))
    before, after = shown.curve_k < shown.meets_at, shown.curve_k > shown.meets_at
    inside = before & (shown.curve_k > 0)
    assert (shown.lower[inside] < shown.upper[inside]).all()
    assert after.any()
    assert (shown.lower[after] > shown.upper[after]).all()
    at = shown.curve_k.tolist().index(shown.meets_at)
    assert shown.lower[at] == pytest.approx(shown.upper[at])


def test_other_initial_weights_move_both_curves():
    w0, u = np.array([-6.0, 5.0]), np.array([1.0, 0.0])
    trace = lecture((u, 0.0), coef_init=w0)
    shown = plot.proof(trace)
    assert shown.lower[0] == pytest.approx(w0 @ u)
    assert shown.upper[0] == pytest.approx(np.linalg.norm(w0))
    assert shown.progress == pytest.approx(w0 @ u + trace.progress)
    assert (shown.progress <= shown.length * (1 + 1e-9)).all()
    assert shown.lower_name == "u·w₀ + kγ"


def test_without_a_separator_only_the_length_is_followed():
    shown = plot.proof(lecture(None))
    assert shown.progress is None
    assert shown.lower is None
    assert shown.meets_at is None
    assert shown.upper == pytest.approx(np.sqrt(5 * shown.curve_k))


def test_logarithmic_axes_are_taken_where_the_bound_is_far_away():
    far, near = lecture(([3.0, 1.0], 0.0)), lecture(([1.0, 0.0], 0.0))
    assert plot.proof(far).log_axes
    assert not plot.proof(near).log_axes
    assert not plot.proof(far, axes="linear").log_axes
    assert plot.proof(near, axes="log").log_axes


def test_what_is_no_proof_is_refused():
    with pytest.raises(InputError, match="is no proof"):
        plot.proof(Perceptron())
    with pytest.raises(ParameterError, match="axes="):
        plot.proof(lecture(None), axes="square")
    X = np.array([[1.0], [-1.0]])
    right = Perceptron(fit_intercept=False, record=True).fit(X, [1, -1], coef_init=[5.0])
    with pytest.raises(InputError, match="0 mistakes"):
        plot.proof(theory.proof(right.ledger_, X))


def test_without_a_separator_the_largest_length_so_far_is_drawn():
    """The cycling theorem: exclusive or comes back to 0, and was never longer than on the way."""
    xor = np.array([[-1.0, -1], [-1, 1], [1, -1], [1, 1]])
    ledger = Perceptron(shuffle=False, record=True).fit(xor, [0, 1, 1, 0]).ledger_
    trace = theory.proof(ledger, xor)
    np.testing.assert_allclose(trace.squared_norm, [3, 4, 3, 0])
    np.testing.assert_allclose(trace.largest_norm, np.sqrt([3, 4, 4, 4]))
    shown = plot.proof(trace)
    assert "the largest ‖w‖ so far is 2, after mistake 2; it stays bounded" in shown.caption
    ax = Figure().subplots()
    shown.plot(ax)
    (line,) = [line for line in ax.lines if line.get_label() == "largest ‖w‖ so far"]
    np.testing.assert_allclose(line.get_ydata(), trace.largest_norm)
