"""Binary losses as functions of the margin, with their slopes and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt import checks
from rosenblatt.arrays import AnyArray, FloatArray
from rosenblatt.errors import InputError


def numbers(name: str, values: ArrayLike) -> FloatArray:
    """Validate an array of numbers and return it as float64."""
    return checks.numbers(name, values).astype(np.float64, copy=False)


def matrix(name: str, values: ArrayLike) -> FloatArray:
    """Validate a two-dimensional array of numbers and return it as float64."""
    array = numbers(name, values)
    if array.ndim != 2:
        raise InputError(
            f"{name} has shape {array.shape}; it must have two dimensions "
            "(a single row x is given as [x])"
        )
    return array


def check_shape(name: str, array: AnyArray, shape: tuple[int, ...], meaning: str) -> None:
    """Raise an error if an array does not have the shape that its meaning requires."""
    if array.shape != shape:
        raise InputError(f"{name} has shape {array.shape}, not {shape}: it holds {meaning}")


def zero_one_of_margin(margin: ArrayLike) -> FloatArray:
    """Return the zero-one loss: 1 for a mistake, 0 for a right prediction.

    ``loss(m) = 1 if m <= 0 else 0``

    It has no useful slope: the loss is flat on both sides of its jump at zero, so its derivative is
    zero or does not exist, and gradient descent learns nothing from it. The other losses of this
    module are used instead.

    Parameters
    ----------
    margin : array of any shape
        ``y (w.x + b)``. Zero is a mistake.

    Returns
    -------
    array of the shape of ``margin``, or one number

    See Also
    --------
    zero_one : The same loss for predictions and labels.

    Examples
    --------
    >>> zero_one_of_margin([-2.0, 0.0, 0.5])
    array([1., 1., 0.])
    """
    return np.where(numbers("margin", margin) > 0.0, 0.0, 1.0)[()]


def perceptron(margin: ArrayLike) -> FloatArray:
    """Return the perceptron loss: the distance to the right side for a mistake, otherwise 0.

    ``loss(m) = max(0, -m)``

    Parameters
    ----------
    margin : array of any shape
        ``y (w.x + b)``.

    Returns
    -------
    array of the shape of ``margin``, or one number

    See Also
    --------
    hinge : Also penalises right predictions with a small margin.
    logistic : A smooth loss, above zero for every prediction.

    Examples
    --------
    >>> perceptron([-2.0, 0.0, 0.5])
    array([2., 0., 0.])
    """
    return hinge(margin, at=0.0)


def perceptron_slope(margin: ArrayLike) -> FloatArray:
    """Return the derivative of the perceptron loss: -1 for a mistake, otherwise 0.

    ``loss'(m) = -1 if m <= 0 else 0``

    At the kink ``m = 0`` any number in [-1, 0] is a subgradient. Here it is -1, so that a tie is a
    mistake and the step ``w -= loss'(m) y x`` is the update of the perceptron, ``w += y x``. With 0
    instead, training that starts at ``w = 0`` would never leave it.

    Parameters
    ----------
    margin : array of any shape
        ``y (w.x + b)``.

    Returns
    -------
    array of the shape of ``margin``, or one number

    Examples
    --------
    >>> perceptron_slope([-2.0, 0.0, 0.5])
    array([-1., -1.,  0.])
    """
    return hinge_slope(margin, at=0.0)


def hinge(margin: ArrayLike, at: float = 1.0) -> FloatArray:
    """Return the hinge loss, which is above zero for every margin below a threshold.

    ``loss(m) = max(0, at - m)``

    Parameters
    ----------
    margin : array of any shape
        ``y (w.x + b)``.
    at : float, default=1.0
        The margin from which the loss is zero. 1 is the loss of the support vector machine, 0 is
        the perceptron loss.

    Returns
    -------
    array of the shape of ``margin``, or one number

    See Also
    --------
    perceptron : The same with ``at=0``.

    Examples
    --------
    >>> hinge([-2.0, 0.0, 0.5])
    array([3. , 1. , 0.5])
    """
    return np.maximum(0.0, at - numbers("margin", margin))


def hinge_slope(margin: ArrayLike, at: float = 1.0) -> FloatArray:
    """Return the derivative of the hinge loss: -1 up to the kink, 0 above it.

    ``loss'(m) = -1 if m <= at else 0``

    The slope at the kink ``m = at`` itself is -1, as for a tie in `perceptron_slope`.

    Parameters
    ----------
    margin : array of any shape
        ``y (w.x + b)``.
    at : float, default=1.0
        The position of the kink, as in `hinge`.

    Returns
    -------
    array of the shape of ``margin``, or one number

    Examples
    --------
    >>> hinge_slope([0.5, 1.0, 1.5])
    array([-1., -1.,  0.])
    """
    return np.where(numbers("margin", margin) > at, 0.0, -1.0)[()]


def logistic(margin: ArrayLike) -> FloatArray:
    """Return the logistic loss: the negative log-likelihood of the right label.

    ``loss(m) = log(1 + exp(-m))``

    Large and small margins do not overflow. Divided by ``log 2``, it is an upper bound on
    `zero_one_of_margin`.

    Parameters
    ----------
    margin : array of any shape
        ``y (w.x + b)``, the log-odds of the right label.

    Returns
    -------
    array of the shape of ``margin``, or one number

    See Also
    --------
    perceptron : The limit for large margins.
    cross_entropy : The same for several classes.

    Examples
    --------
    >>> logistic([-1000.0, 0.0, 1000.0]).round(3).tolist()
    [1000.0, 0.693, 0.0]
    """
    return np.logaddexp(0.0, -numbers("margin", margin))


def logistic_slope(margin: ArrayLike) -> FloatArray:
    """Return the derivative of the logistic loss: minus the probability of the wrong label.

    ``loss'(m) = -1 / (1 + exp(m))``

    A step of the perceptron is all or nothing; this step is as long as the model is unsure.

    Parameters
    ----------
    margin : array of any shape
        ``y (w.x + b)``.

    Returns
    -------
    array of the shape of ``margin``, or one number

    Examples
    --------
    >>> logistic_slope([-1000.0, 0.0, 2.0]).round(3)
    array([-1.   , -0.5  , -0.119])
    """
    # 1 / (1 + exp(m)) = exp(-log(1 + exp(m))), which stays finite if exp(m) overflows.
    return -np.exp(-np.logaddexp(0.0, numbers("margin", margin)))


def gradient(
    loss: Literal["perceptron", "hinge", "logistic"],
    X: ArrayLike,
    y: ArrayLike,
    w: ArrayLike,
    b: float = 0.0,
) -> tuple[FloatArray, float]:
    """Return the gradient of a binary loss, summed over the rows, for the weights and the bias.

    ``grad_w = sum_i loss'(m_i) y_i x_i``, ``grad_b = sum_i loss'(m_i) y_i``,
    with ``m_i = y_i (w.x_i + b)``

    Parameters
    ----------
    loss : "perceptron", "hinge" or "logistic"
        The loss; "hinge" has its kink at 1.
    X : array of shape (n, d)
        The rows.
    y : array of n labels, each -1 or +1
        Their labels.
    w : array of d weights
        The weights.
    b : float, default=0.0
        The bias.

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
    rows = matrix("X", X)
    signs = numbers("y", y)
    weights = numbers("w", w)
    check_shape("y", signs, rows.shape[:1], "one label for each row of X")
    check_shape("w", weights, rows.shape[1:], "one weight for each column of X")
    is_invalid = np.abs(signs) != 1.0
    if is_invalid.any():
        i = int(is_invalid.argmax())
        raise InputError(
            f"y[{i}] is {signs[i]:g}; a label here is -1 or +1 "
            "(np.where(y == positive, 1, -1) makes such labels)"
        )

    # The derivative with respect to the score w.x + b of each row.
    margins = signs * (rows @ weights + b)
    score_slopes = slope(margins) * signs
    return score_slopes @ rows, float(score_slopes.sum())


_BINARY_SLOPES: dict[str, Callable[[ArrayLike], FloatArray]] = {
    "perceptron": perceptron_slope,
    "hinge": hinge_slope,
    "logistic": logistic_slope,
}
