"""Losses of the scores of several classes, their slopes and gradients; and of sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt import checks
from rosenblatt.arrays import AnyArray, FloatArray, IndexArray
from rosenblatt.errors import InputError
from rosenblatt.losses.binary import matrix, numbers, same_shape


def multiclass_perceptron(scores: ArrayLike, y: ArrayLike) -> FloatArray:
    """Charge by how far the best score lies above the score of the right class.

    ``loss(s, y) = max_k s_k - s_y = sum_k (f_k - y_k) s_k``, where ``f`` is the one-hot vector of
    the predicted class and ``y_k`` that of the right one

    It is never negative, and zero exactly when no class scores higher than the right one.

    Returns
    -------
    array of n losses, or one loss

    See Also
    --------
    cross_entropy : soft, charges every prediction something.

    Examples
    --------
    >>> multiclass_perceptron([[3.0, 1.0, 2.0], [3.0, 1.0, 2.0]], [0, 1])
    array([0., 2.])
    """
    s, right = _scores_and_index(scores, y)
    loss: FloatArray = s.max(axis=-1) - np.take_along_axis(s, right, axis=-1)[..., 0]
    return loss


def multiclass_perceptron_slope(scores: ArrayLike, y: ArrayLike) -> FloatArray:
    """Differentiate the multiclass perceptron loss: +1 predicted, -1 right, 0 when they agree.

    ``dloss/ds_k = f_k - y_k``, the difference of the two one-hot vectors of
    `multiclass_perceptron`

    When the right class shares the best score with another, the argmax is undefined, so no class
    counts as predicted: ``f = 0``, and a step raises the right class without lowering a rival.
    (That is the perceptron's rule for a tie, not a subgradient: the loss is zero there.) Among
    tied classes that are all wrong the first is the predicted one.

    Returns
    -------
    array of the shape of `scores`

    Examples
    --------
    >>> multiclass_perceptron_slope([[3.0, 1.0, 2.0], [3.0, 1.0, 2.0], [0.0, 0.0, 0.0]], [0, 1, 1])
    array([[ 0.,  0.,  0.],
           [ 1., -1.,  0.],
           [ 0., -1.,  0.]])
    """
    s, right = _scores_and_index(scores, y)
    best = s.max(axis=-1, keepdims=True)
    wrong = np.take_along_axis(s, right, axis=-1) < best
    tied = ~wrong & ((s == best).sum(axis=-1, keepdims=True) > 1)
    slope = np.zeros_like(s)
    np.put_along_axis(slope, s.argmax(axis=-1)[..., None], np.where(wrong, 1.0, 0.0), axis=-1)
    np.put_along_axis(slope, right, np.where(wrong | tied, -1.0, 0.0), axis=-1)
    return slope


def cross_entropy(scores: ArrayLike, y: ArrayLike) -> FloatArray:
    """Charge by the surprise of a softmax model at the right class.

    ``loss(s, y) = log(sum_k exp(s_k)) - s_y = -log p_y``, with ``p = softmax(s)``

    Large scores do not overflow, and small losses keep their digits.

    Returns
    -------
    array of n losses, or one loss

    See Also
    --------
    multiclass_perceptron : hard, the limit of large scores.
    logistic : the same for two classes.

    Examples
    --------
    >>> cross_entropy([[0.0, 0.0], [1000.0, 0.0]], [0, 1]).round(3).tolist()
    [0.693, 1000.0]
    """
    s, right = _scores_and_index(scores, y)
    ahead = s - np.take_along_axis(s, right, axis=-1)
    loss: FloatArray = np.logaddexp.reduce(ahead, axis=-1)
    return loss


def cross_entropy_slope(scores: ArrayLike, y: ArrayLike) -> FloatArray:
    """Differentiate the cross-entropy: the probabilities minus the one-hot truth.

    ``dloss/ds_k = p_k - y_k``, with ``p = softmax(s)``

    It is `multiclass_perceptron_slope` with the probabilities in place of the hard prediction.

    Returns
    -------
    array of the shape of `scores`

    Examples
    --------
    >>> cross_entropy_slope([[3.0, 1.0, 2.0]], [1]).round(2)
    array([[ 0.67, -0.91,  0.24]])
    """
    s, right = _scores_and_index(scores, y)
    ahead = s - np.take_along_axis(s, right, axis=-1)
    loss = np.logaddexp.reduce(ahead, axis=-1, keepdims=True)
    slope = np.exp(ahead - loss)
    # p_y - 1 as such loses all its digits when p_y is near 1.
    np.put_along_axis(slope, right, np.expm1(-loss), axis=-1)
    return slope


def multiclass_gradient(
    loss: Literal["perceptron", "cross_entropy"],
    X: ArrayLike,
    y: ArrayLike,
    W: ArrayLike,
    b: ArrayLike = 0.0,
) -> tuple[FloatArray, FloatArray]:
    """Sum the gradient of a multiclass loss in the weights and the biases over the rows.

    ``grad_W[k] = sum_i dloss_i/ds_k x_i``, ``grad_b[k] = sum_i dloss_i/ds_k``,
    with ``s = W x + b``

    For the perceptron, a row that is a mistake adds x to the predicted class and -x to the right
    one; a row that is right adds nothing. Ties are as in `multiclass_perceptron_slope`.

    Parameters
    ----------
    loss : "perceptron" or "cross_entropy"
    X : array of shape (n, d)
    y : array of n integers
        Index of the right class, from 0 to k - 1.
    W : array of shape (k, d)
        One row of weights for each class.
    b : array of k biases, or one number for all

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
    rows, weights, biases = matrix("X", X), matrix("W", W), numbers("b", b)
    same_shape("W", weights, (len(weights), rows.shape[1]), "one column for each column of X")
    if biases.ndim:
        same_shape("b", biases, (len(weights),), "one bias for each row of W")
    step = slope(rows @ weights.T + biases, y)
    return step.T @ rows, step.sum(axis=0)


_MULTICLASS_SLOPES: dict[str, Callable[[ArrayLike, ArrayLike], FloatArray]] = {
    "perceptron": multiclass_perceptron_slope,
    "cross_entropy": cross_entropy_slope,
}


def _scores_and_index(scores: ArrayLike, y: ArrayLike) -> tuple[FloatArray, IndexArray]:
    """Check scores and right classes; the index comes back with a last axis of length one."""
    s, index = numbers("scores", scores), np.asarray(y)
    if s.ndim == 0 or s.shape[-1] == 0:
        raise InputError(f"scores has shape {s.shape}; its last axis holds a score for each class")
    if index.size and index.dtype.kind not in "iu":
        raise InputError(
            f"y holds {index.dtype}, not integers; it holds the index of the right class "
            "(one_hot(labels, classes).argmax(axis=1) gives it)"
        )
    same_shape("y", index, s.shape[:-1], "one class index for each row of scores")
    outside = (index < 0) | (index >= s.shape[-1])
    if outside.any():
        i = int(outside.argmax())
        place = f"y[{i}]" if index.ndim else "y"
        raise InputError(
            f"{place} is {index.flat[i]}; with {s.shape[-1]} classes the index of a class is from "
            f"0 to {s.shape[-1] - 1}"
        )
    return s, index.astype(np.intp)[..., None]


def zero_one(prediction: Any, label: Any) -> FloatArray:
    """Charge 1 for a prediction that is not the label, and 0 for one that is.

    ``loss(ŷ, y) = 1 if ŷ ≠ y else 0``; its mean over examples is the training error.

    It does not change while the weights move without changing a prediction, so it has no slope to
    descend; `perceptron`, `hinge` and `logistic` are descended in its place.

    Parameters
    ----------
    prediction, label : a label of any type, or array-like of labels
        Of the same shape. Text is one label.

    Returns
    -------
    One loss for a pair, else an array of losses.

    See Also
    --------
    zero_one_of_margin : The same of two classes, by the margin.
    hamming : Sums it over the parts of an output.

    Examples
    --------
    >>> zero_one([1, 2], [1, 0])
    array([0., 1.])
    >>> float(zero_one("spam", "ham"))
    1.0
    """
    found, right = _objects("prediction", prediction), _objects("label", label)
    if found.shape != right.shape:
        raise InputError(
            f"prediction has shape {found.shape} and label has shape {right.shape}: give one "
            "prediction for each label"
        )
    return np.asarray(np.not_equal(found, right, dtype=object), np.float64)[()]


def hamming(a: Any, b: Any) -> IndexArray:
    """Count the positions at which two sequences differ.

    ``d(a, b) = Σ_i [a_i ≠ b_i]``

    It is the zero-one loss summed over the parts of an output, and a distance between rows of
    categories, where subtracting makes no sense. A missing value (NaN) differs from everything.

    Parameters
    ----------
    a, b : array-like of labels of any type, or text
        Counted along the last axis, which must be equally long; the other axes broadcast, so
        that one row can be compared with many. Text is a sequence of characters.

    Returns
    -------
    One count for two sequences, else an array of counts.

    See Also
    --------
    zero_one : One prediction, right or wrong.

    Examples
    --------
    >>> int(hamming("karolin", "kathrin"))
    3
    >>> hamming([["red", "round", "big"], ["blue", "round", "small"]], ["red", "round", "small"])
    array([1, 1])
    """
    left, right = _sequences("a", a), _sequences("b", b)
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


def _sequences(name: str, values: Any) -> AnyArray:
    array = _objects(name, list(values) if isinstance(values, str) else values)
    if array.ndim == 0:
        raise InputError(f"{name} is {values!r}, a single value; a sequence of labels is needed")
    return array


def _objects(name: str, values: Any) -> AnyArray:
    """As objects: a plain array of [1, "a"] would hold two texts."""
    try:
        array = np.asarray(values, dtype=object)
    except ValueError as error:
        raise InputError(f"the rows of {name} are not equally long ({error})") from error
    if any(isinstance(value, list | np.ndarray) for value in array.flat):
        raise InputError(f"the rows of {name} are not equally long")
    return array
