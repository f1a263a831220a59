"""Losses of several classes as functions of the scores, and losses of labels and sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt import checks
from rosenblatt.arrays import AnyArray, FloatArray, IndexArray
from rosenblatt.errors import InputError
from rosenblatt.losses.binary import check_shape, matrix, numbers


def multiclass_perceptron(scores: ArrayLike, y: ArrayLike) -> FloatArray:
    """Return the multiclass perceptron loss: the highest score minus that of the right class.

    ``loss(s, y) = max_k s_k - s_y = sum_k (f_k - y_k) s_k``, where ``f`` is the one-hot vector of
    the predicted class and ``y_k`` that of the right class

    It is never negative, and it is zero if and only if no class scores higher than the right one.

    Parameters
    ----------
    scores : array of shape (n, k), or (k,) for a single example
        ``W x + b``, one score for each class.
    y : array of n integers, or one integer
        Index of the right class, from 0 to k - 1. ``one_hot(labels, classes).argmax(axis=1)``
        returns it for labels of any kind.

    Returns
    -------
    array of n losses, or one loss

    See Also
    --------
    cross_entropy : A smooth loss, above zero for every prediction.

    Examples
    --------
    >>> multiclass_perceptron([[3.0, 1.0, 2.0], [3.0, 1.0, 2.0]], [0, 1])
    array([0., 2.])
    """
    s, right = _read_scores(scores, y)
    loss: FloatArray = s.max(axis=-1) - np.take_along_axis(s, right, axis=-1)[..., 0]
    return loss


def multiclass_perceptron_slope(scores: ArrayLike, y: ArrayLike) -> FloatArray:
    """Return the derivative of the multiclass perceptron loss with respect to each score.

    It is +1 for the predicted class and -1 for the right class, or 0 if they are the same:

    ``dloss/ds_k = f_k - y_k``, the difference of the two one-hot vectors of
    `multiclass_perceptron`

    If the right class shares the highest score with another class, the argmax is undefined, so no
    class counts as predicted: ``f = 0``, and a step raises the right class without lowering a
    rival. (That is the rule of the perceptron for a tie. It is not a subgradient, since the loss is
    zero there.) If all tied classes are wrong, the first one is the prediction.

    Parameters
    ----------
    scores : array of shape (n, k), or (k,) for a single example
        ``W x + b``, one score for each class.
    y : array of n integers, or one integer
        Index of the right class, from 0 to k - 1. ``one_hot(labels, classes).argmax(axis=1)``
        returns it for labels of any kind.

    Returns
    -------
    array of the shape of ``scores``

    Examples
    --------
    >>> multiclass_perceptron_slope([[3.0, 1.0, 2.0], [3.0, 1.0, 2.0], [0.0, 0.0, 0.0]], [0, 1, 1])
    array([[ 0.,  0.,  0.],
           [ 1., -1.,  0.],
           [ 0., -1.,  0.]])
    """
    s, right = _read_scores(scores, y)
    best = s.max(axis=-1, keepdims=True)
    predicted = s.argmax(axis=-1)[..., None]
    is_wrong = np.take_along_axis(s, right, axis=-1) < best
    is_tied = ~is_wrong & ((s == best).sum(axis=-1, keepdims=True) > 1)

    slope = np.zeros_like(s)
    np.put_along_axis(slope, predicted, np.where(is_wrong, 1.0, 0.0), axis=-1)
    np.put_along_axis(slope, right, np.where(is_wrong | is_tied, -1.0, 0.0), axis=-1)
    return slope


def cross_entropy(scores: ArrayLike, y: ArrayLike) -> FloatArray:
    """Return the cross-entropy: the negative log-likelihood of the right class under a softmax.

    ``loss(s, y) = log(sum_k exp(s_k)) - s_y = -log p_y``, with ``p = softmax(s)``

    Large scores do not overflow, and small losses keep their precision.

    Parameters
    ----------
    scores : array of shape (n, k), or (k,) for a single example
        ``W x + b``, one score for each class.
    y : array of n integers, or one integer
        Index of the right class, from 0 to k - 1. ``one_hot(labels, classes).argmax(axis=1)``
        returns it for labels of any kind.

    Returns
    -------
    array of n losses, or one loss

    See Also
    --------
    multiclass_perceptron : The limit for large scores.
    logistic : The same for two classes.

    Examples
    --------
    >>> cross_entropy([[0.0, 0.0], [1000.0, 0.0]], [0, 1]).round(3).tolist()
    [0.693, 1000.0]
    """
    s, right = _read_scores(scores, y)
    ahead = s - np.take_along_axis(s, right, axis=-1)
    loss: FloatArray = np.logaddexp.reduce(ahead, axis=-1)
    return loss


def cross_entropy_slope(scores: ArrayLike, y: ArrayLike) -> FloatArray:
    """Return the derivative of the cross-entropy: the probabilities minus the one-hot label.

    ``dloss/ds_k = p_k - y_k``, with ``p = softmax(s)``

    It is `multiclass_perceptron_slope` with probabilities instead of the prediction.

    Parameters
    ----------
    scores : array of shape (n, k), or (k,) for a single example
        ``W x + b``, one score for each class.
    y : array of n integers, or one integer
        Index of the right class, from 0 to k - 1. ``one_hot(labels, classes).argmax(axis=1)``
        returns it for labels of any kind.

    Returns
    -------
    array of the shape of ``scores``

    Examples
    --------
    >>> cross_entropy_slope([[3.0, 1.0, 2.0]], [1]).round(2)
    array([[ 0.67, -0.91,  0.24]])
    """
    s, right = _read_scores(scores, y)
    ahead = s - np.take_along_axis(s, right, axis=-1)
    loss = np.logaddexp.reduce(ahead, axis=-1, keepdims=True)
    slope = np.exp(ahead - loss)
    # p_y - 1 = expm1(-loss); the subtraction itself would lose all digits if p_y is near 1.
    np.put_along_axis(slope, right, np.expm1(-loss), axis=-1)
    return slope


def multiclass_gradient(
    loss: Literal["perceptron", "cross_entropy"],
    X: ArrayLike,
    y: ArrayLike,
    W: ArrayLike,
    b: ArrayLike = 0.0,
) -> tuple[FloatArray, FloatArray]:
    """Return the gradient of a multiclass loss, summed over the rows, for weights and biases.

    ``grad_W[k] = sum_i dloss_i/ds_k x_i``, ``grad_b[k] = sum_i dloss_i/ds_k``,
    with ``s = W x + b``

    For the perceptron, a misclassified row adds x to the predicted class and -x to the right class,
    and a row that is right adds nothing. Ties count as in `multiclass_perceptron_slope`.

    Parameters
    ----------
    loss : "perceptron" or "cross_entropy"
        The loss.
    X : array of shape (n, d)
        The rows.
    y : array of n integers
        Index of the right class, from 0 to k - 1.
    W : array of shape (k, d)
        One row of weights for each class.
    b : array of k biases, or one number for all, default=0.0
        The biases.

    Returns
    -------
    grad_W : array of shape (k, d)
    grad_b : array of shape (k,)

    Examples
    --------
    Class 0 is predicted, class 1 is right:

    >>> W = [[0.0, 0.02], [0.0, 0.0]]
    >>> grad_W, grad_b = multiclass_gradient("perceptron", [[-2.0, 1.0]], [1], W)
    >>> grad_W
    array([[-2.,  1.],
           [ 2., -1.]])
    """
    slope = _MULTICLASS_SLOPES[checks.choice("loss", loss, *_MULTICLASS_SLOPES)]
    rows = matrix("X", X)
    weights = matrix("W", W)
    biases = numbers("b", b)
    check_shape("W", weights, (len(weights), rows.shape[1]), "one column for each column of X")
    if biases.ndim:
        check_shape("b", biases, (len(weights),), "one bias for each row of W")

    score_slopes = slope(rows @ weights.T + biases, y)
    return score_slopes.T @ rows, score_slopes.sum(axis=0)


_MULTICLASS_SLOPES: dict[str, Callable[[ArrayLike, ArrayLike], FloatArray]] = {
    "perceptron": multiclass_perceptron_slope,
    "cross_entropy": cross_entropy_slope,
}


def _read_scores(scores: ArrayLike, y: ArrayLike) -> tuple[FloatArray, IndexArray]:
    """Validate scores and class indices; the indices get a last axis of length one."""
    s = numbers("scores", scores)
    index = np.asarray(y)
    if s.ndim == 0 or s.shape[-1] == 0:
        raise InputError(f"scores has shape {s.shape}; its last axis holds a score for each class")
    if index.size and index.dtype.kind not in "iu":
        raise InputError(
            f"y holds {index.dtype}, not integers; it holds the index of the right class "
            "(one_hot(labels, classes).argmax(axis=1) gives it)"
        )
    check_shape("y", index, s.shape[:-1], "one class index for each row of scores")
    is_outside = (index < 0) | (index >= s.shape[-1])
    if is_outside.any():
        i = int(is_outside.argmax())
        place = f"y[{i}]" if index.ndim else "y"
        raise InputError(
            f"{place} is {index.flat[i]}; with {s.shape[-1]} classes the index of a class is from "
            f"0 to {s.shape[-1] - 1}"
        )
    return s, index.astype(np.intp)[..., None]


def zero_one(prediction: Any, label: Any) -> FloatArray:
    """Return the zero-one loss: 1 for a prediction that differs from the label, otherwise 0.

    ``loss(ŷ, y) = 1 if ŷ ≠ y else 0``; its mean over examples is the training error.

    It changes only if the weights change a prediction, so it has no useful slope; `perceptron`,
    `hinge` and `logistic` are used instead.

    Parameters
    ----------
    prediction, label : a label of any type, or array-like of labels
        Both of the same shape. A string is one label.

    Returns
    -------
    One loss for a pair, otherwise an array of losses.

    See Also
    --------
    zero_one_of_margin : The same for two classes, as a function of the margin.
    hamming : The sum over the parts of an output.

    Examples
    --------
    >>> zero_one([1, 2], [1, 0])
    array([0., 1.])
    >>> float(zero_one("spam", "ham"))
    1.0
    """
    found = _to_objects("prediction", prediction)
    right = _to_objects("label", label)
    if found.shape != right.shape:
        raise InputError(
            f"prediction has shape {found.shape} and label has shape {right.shape}: give one "
            "prediction for each label"
        )
    return np.asarray(np.not_equal(found, right, dtype=object), np.float64)[()]


def hamming(a: Any, b: Any) -> IndexArray:
    """Return the Hamming distance: the number of positions at which two sequences differ.

    ``d(a, b) = Σ_i [a_i ≠ b_i]``

    It is the zero-one loss summed over the parts of an output. It is also a distance between rows
    of categories, which cannot be subtracted. A missing value (NaN) differs from every value.

    Parameters
    ----------
    a, b : array-like of labels of any type, or text
        The last axes must have the same length and are compared; the other axes broadcast, so one
        row can be compared with many. A string is a sequence of characters.

    Returns
    -------
    One count for two sequences, otherwise an array of counts.

    See Also
    --------
    zero_one : The loss of one prediction.

    Examples
    --------
    >>> int(hamming("karolin", "kathrin"))
    3
    >>> hamming([["red", "round", "big"], ["blue", "round", "small"]], ["red", "round", "small"])
    array([1, 1])
    """
    left = _to_sequences("a", a)
    right = _to_sequences("b", b)
    if left.shape[-1] != right.shape[-1]:
        raise InputError(
            f"a has {left.shape[-1]} positions and b has {right.shape[-1]}; only sequences of the "
            "same length can be compared position by position"
        )
    try:
        differ = np.not_equal(*np.broadcast_arrays(left, right), dtype=object).astype(bool)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"a of shape {left.shape} and b of shape {right.shape} do not go together ({error})"
        ) from error
    return np.asarray(differ.sum(axis=-1, dtype=np.intp))[()]


def _to_sequences(name: str, values: Any) -> AnyArray:
    """Return sequences of labels as an array of objects; a string counts as its characters."""
    array = _to_objects(name, list(values) if isinstance(values, str) else values)
    if array.ndim == 0:
        raise InputError(f"{name} is {values!r}, a single value; a sequence of labels is needed")
    return array


def _to_objects(name: str, values: Any) -> AnyArray:
    """Return labels as an array of objects."""
    # With another type, NumPy would convert [1, "a"] to two strings.
    try:
        array = np.asarray(values, dtype=object)
    except ValueError as error:
        raise InputError(f"the rows of {name} are not equally long ({error})") from error
    if any(isinstance(value, list | np.ndarray) for value in array.flat):
        raise InputError(f"the rows of {name} are not equally long")
    return array
