"""Losses of the margin, their slopes and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt import checks
from rosenblatt.arrays import AnyArray, FloatArray
from rosenblatt.errors import InputError


def numbers(name: str, values: ArrayLike) -> FloatArray:
    return checks.numbers(name, values).astype(np.float64, copy=False)


def matrix(name: str, values: ArrayLike) -> FloatArray:
    matrix = numbers(name, values)
    if matrix.ndim != 2:
        raise InputError(
            f"{name} has shape {matrix.shape}; it must have two dimensions "
            "(a single row x is given as [x])"
        )
    return matrix


def same_shape(name: str, array: AnyArray, shape: tuple[int, ...], meaning: str) -> None:
    if array.shape != shape:
        raise InputError(f"{name} has shape {array.shape}, not {shape}: it holds {meaning}")


def zero_one_of_margin(margin: ArrayLike) -> FloatArray:
    """Charge a mistake 1 and a right prediction nothing.

    ``loss(m) = 1 if m <= 0 else 0``

    There is no slope of it: the loss is flat on both sides of its jump at zero, so its derivative
    is zero or does not exist and gradient descent learns nothing from it. The other losses of this
    module are what is descended in its place.

    Parameters
    ----------
    margin : array of any shape
        ``y (w.x + b)``. Zero is a mistake.

    See Also
    --------
    zero_one : Of predictions and labels.

    Examples
    --------
    >>> zero_one_of_margin([-2.0, 0.0, 0.5])
    array([1., 1., 0.])
    """
    return np.where(numbers("margin", margin) > 0.0, 0.0, 1.0)[()]


def perceptron(margin: ArrayLike) -> FloatArray:
    """Charge a mistake by how far it lies on the wrong side, and a right prediction nothing.

    ``loss(m) = max(0, -m)``

    See Also
    --------
    hinge : also charges right predictions too close.
    logistic : soft, charges every prediction something.

    Examples
    --------
    >>> perceptron([-2.0, 0.0, 0.5])
    array([2., 0., 0.])
    """
    return hinge(margin, at=0.0)


def perceptron_slope(margin: ArrayLike) -> FloatArray:
    """Differentiate the perceptron loss: -1 on a mistake, 0 otherwise.

    ``loss'(m) = -1 if m <= 0 else 0``

    At the kink ``m = 0`` any number in [-1, 0] is a subgradient. Here it is -1, so that a tie is a
    mistake and the step ``w -= loss'(m) y x`` is the perceptron's update ``w += y x``; with 0
    instead, training that starts at ``w = 0`` would never leave it.

    Examples
    --------
    >>> perceptron_slope([-2.0, 0.0, 0.5])
    array([-1., -1.,  0.])
    """
    return hinge_slope(margin, at=0.0)


def hinge(margin: ArrayLike, at: float = 1.0) -> FloatArray:
    """Charge every prediction that is not right by at least a given margin.

    ``loss(m) = max(0, at - m)``

    Parameters
    ----------
    at : float
        The margin from which on nothing is charged. 1 is the loss of the support vector machine,
        0 is the perceptron loss.

    See Also
    --------
    perceptron : the same with ``at=0``.

    Examples
    --------
    >>> hinge([-2.0, 0.0, 0.5])
    array([3. , 1. , 0.5])
    """
    return np.maximum(0.0, at - numbers("margin", margin))


def hinge_slope(margin: ArrayLike, at: float = 1.0) -> FloatArray:
    """Differentiate the hinge loss: -1 up to the kink, 0 beyond it.

    ``loss'(m) = -1 if m <= at else 0``

    The kink ``m = at`` itself belongs to the charged side, as a tie does in `perceptron_slope`.

    Parameters
    ----------
    at : float
        Where the kink is, as in `hinge`.

    Examples
    --------
    >>> hinge_slope([0.5, 1.0, 1.5])
    array([-1., -1.,  0.])
    """
    return np.where(numbers("margin", margin) > at, 0.0, -1.0)[()]


def logistic(margin: ArrayLike) -> FloatArray:
    """Charge every prediction by the surprise of a logistic model at the right label.

    ``loss(m) = log(1 + exp(-m))``

    Neither large nor small margins overflow. Divided by ``log 2`` it lies above
    `zero_one_of_margin`.

    Parameters
    ----------
    margin : array of any shape
        ``y (w.x + b)``, the log-odds of the right label.

    See Also
    --------
    perceptron : hard, the limit of large margins.
    cross_entropy : the same for many classes.

    Examples
    --------
    >>> logistic([-1000.0, 0.0, 1000.0]).round(3).tolist()
    [1000.0, 0.693, 0.0]
    """
    return np.logaddexp(0.0, -numbers("margin", margin))


def logistic_slope(margin: ArrayLike) -> FloatArray:
    """Differentiate the logistic loss: minus the probability of the wrong label.

    ``loss'(m) = -1 / (1 + exp(m))``

    Where the perceptron steps by all or nothing, this steps by how wrong the model believes
    itself to be.

    Examples
    --------
    >>> logistic_slope([-1000.0, 0.0, 2.0]).round(3)
    array([-1.   , -0.5  , -0.119])
    """
    # exp(-log(1 + exp(m))) stays finite where exp(m) does not.
    return -np.exp(-np.logaddexp(0.0, numbers("margin", margin)))


def gradient(
    loss: Literal["perceptron", "hinge", "logistic"],
    X: ArrayLike,
    y: ArrayLike,
    w: ArrayLike,
    b: float = 0.0,
) -> tuple[FloatArray, float]:
    """Sum the gradient of a binary loss in the weights and the bias over the rows.

    ``grad_w = sum_i loss'(m_i) y_i x_i``, ``grad_b = sum_i loss'(m_i) y_i``,
    with ``m_i = y_i (w.x_i + b)``

    Parameters
    ----------
    loss : "perceptron", "hinge" or "logistic"
        "hinge" has its kink at 1.
    X : array of shape (n, d)
    y : array of n labels, each -1 or +1
    w : array of d weights
    b : float

    Returns
    -------
    grad_w : array of shape (d,)
    grad_b : float

    Examples
    --------
    One step of gradient descent from zero is one update of the perceptron, ``w = y x``:

    >>> grad_w, grad_b = gradient("perceptron", [[1.0, -2.0]], [-1], w=[0.0, 0.0])
    >>> [0.0, 0.0] - grad_w, 0.0 - grad_b
    (array([-1.,  2.]), -1.0)
    """
    slope = _BINARY_SLOPES[checks.choice("loss", loss, *_BINARY_SLOPES)]
    rows, signs, weights = matrix("X", X), numbers("y", y), numbers("w", w)
    same_shape("y", signs, rows.shape[:1], "one label for each row of X")
    same_shape("w", weights, rows.shape[1:], "one weight for each column of X")
    foreign = np.abs(signs) != 1.0
    if foreign.any():
        i = int(foreign.argmax())
        raise InputError(
            f"y[{i}] is {signs[i]:g}; a label here is -1 or +1 "
            "(np.where(y == positive, 1, -1) makes such labels)"
        )
    step = slope(signs * (rows @ weights + b)) * signs
    return step @ rows, float(step.sum())


_BINARY_SLOPES: dict[str, Callable[[ArrayLike], FloatArray]] = {
    "perceptron": perceptron_slope,
    "hinge": hinge_slope,
    "logistic": logistic_slope,
}
