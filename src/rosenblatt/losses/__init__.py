"""The losses behind the perceptron family, with their slopes and gradients.

A binary loss is a function of the margin ``m = y (w.x + b)``, with ``y`` in {-1, +1}; a multiclass
loss is a function of the scores ``s = W x + b``, one for each class, and of the index of the right
class. Each loss that can be descended has a companion ending in ``_slope``: its derivative with
respect to the margin or to the scores.

Ties count as mistakes throughout: a margin of exactly zero is an error, and the subgradient chosen
at a kink is the one with which a step of gradient descent is the perceptron's update.
"""

from rosenblatt import numpydoc
from rosenblatt.losses.binary import (
    gradient,
    hinge,
    hinge_slope,
    logistic,
    logistic_slope,
    perceptron,
    perceptron_slope,
    zero_one_of_margin,
)
from rosenblatt.losses.multiclass import (
    cross_entropy,
    cross_entropy_slope,
    hamming,
    multiclass_gradient,
    multiclass_perceptron,
    multiclass_perceptron_slope,
    zero_one,
)
from rosenblatt.losses.one_hot import from_one_hot, one_hot

__all__ = [
    "cross_entropy",
    "cross_entropy_slope",
    "from_one_hot",
    "gradient",
    "hamming",
    "hinge",
    "hinge_slope",
    "logistic",
    "logistic_slope",
    "multiclass_gradient",
    "multiclass_perceptron",
    "multiclass_perceptron_slope",
    "one_hot",
    "perceptron",
    "perceptron_slope",
    "zero_one",
    "zero_one_of_margin",
]

SHARED = numpydoc.entries("""\
margin : array of any shape
    ``y (w.x + b)``.
scores : array of shape (n, k), or (k,) for a single example
    ``W x + b``, one score for each class.
y : array of n integers, or one integer
    Index of the right class, from 0 to k - 1. ``one_hot(labels, classes).argmax(axis=1)``
    gives it for labels of any kind.
""")
for _name in __all__:
    numpydoc.share(globals()[_name], SHARED)
