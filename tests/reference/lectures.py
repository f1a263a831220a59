"""The worked examples of the lectures as data, and two of their algorithms.

L1.7  binary, no intercept, ties positive: w <- w + y x on a mistake
L2.5  two classes, no intercept, eta = 0.01, a tie raises only the true class
L5.3  cycle through the rows, w <- w + y x when y w.x <= 0, stop at a clean epoch
L5.5  one example only: floor(-y w.x / ||x||^2) + 1 updates when y w.x <= 0, else none
L4.3  averaged perceptron with u <- u + c y x (the slide leaves out the factor c)
"""

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

L1_7_X = np.array([[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], dtype=np.float64)
L1_7_Y = np.array([-1, 1, 1, -1, -1, 1])
L1_7_MISTAKES = [1, 3, 5]  # the first example is 1
L1_7_WEIGHTS = np.array([[1, -2], [2, -1], [3, 1]], dtype=np.float64)  # after each mistake
L1_7_PREDICTIONS = np.array([1, 1, -1, -1, 1, 1])

L2_5_ETA = 0.01
L2_5_X = np.array([[0, 2], [-2, 1], [3, 0]], dtype=np.float64)
L2_5_X_FIGURE = np.array([[0, 2], [-2, 1], [3, 1]], dtype=np.float64)  # as drawn in the figure
L2_5_Y = np.array([0, 1, 0])  # classes 1, 2, 1 in the lecture
L2_5_RIVALS = [-1, 0]  # of the two updates; -1: nobody was lowered
L2_5_WEIGHTS = np.array(  # (w_1, w_2) after each example
    [
        [[0, 0.02], [0, 0]],
        [[0.02, 0.01], [-0.02, 0.01]],
        [[0.02, 0.01], [-0.02, 0.01]],
    ]
)

L5_5_W0 = np.array([3, 4], dtype=np.float64)
L5_5_X = np.array([[-3, 1]], dtype=np.float64)
L5_5_Y = np.array([1])
L5_5_MARGIN, L5_5_SQNORM, L5_5_UPDATES = -5.0, 10.0, 1


def updates_for_one_example(w: Array, x: Array, y: int) -> int:
    """L5.5: how many updates until the only example, x with label y, is right."""
    return max(0, math.floor(-y * (w @ x) / (x @ x)) + 1)


def perceptron_train(X: Array, y: NDArray[np.int64], max_iter: int = 20) -> Array:
    """L5.3: the perceptron through the origin, for at most max_iter epochs."""
    w = np.zeros(X.shape[1])
    for _ in range(max_iter):
        clean = True
        for x, label in zip(X, y, strict=True):
            if label * np.dot(w, x) <= 0:
                w = w + label * x
                clean = False
        if clean:
            return w
    return w


def averaged_train(X: Array, y: NDArray[np.int64], max_iter: int) -> tuple[Array, float]:
    """L4.3, with the factor c: returns w - u/c and b - beta/c after max_iter full epochs."""
    w, b = np.zeros(X.shape[1]), 0.0
    u, beta = np.zeros(X.shape[1]), 0.0
    c = 1
    for _ in range(max_iter):
        for x, label in zip(X, y, strict=True):
            if label * (w @ x + b) <= 0:
                w, b = w + label * x, b + label
                u, beta = u + c * label * x, beta + c * label
            c += 1
    return w - u / c, float(b - beta / c)
