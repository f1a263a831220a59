"""The losses behind the perceptron family, with their slopes and gradients.

A binary loss is a function of the margin ``m = y (w.x + b)``, with ``y`` in {-1, +1}; a multiclass
loss is a function of the scores ``s = W x + b``, one for each class, and of the index of the right
class. Each loss that can be descended has a companion ending in ``_slope``: its derivative with
respect to the margin or to the scores.

Ties count as mistakes throughout: a margin of exactly zero is an error, and the subgradient chosen
at a kink is the one with which a step of gradient descent is the perceptron's update.
"""

from rosenblatt import lazy, numpydoc
from rosenblatt.losses.binary import gradient as gradient
from rosenblatt.losses.binary import hinge as hinge
from rosenblatt.losses.binary import hinge_slope as hinge_slope
from rosenblatt.losses.binary import logistic as logistic
from rosenblatt.losses.binary import logistic_slope as logistic_slope
from rosenblatt.losses.binary import perceptron as perceptron
from rosenblatt.losses.binary import perceptron_slope as perceptron_slope
from rosenblatt.losses.binary import zero_one_of_margin as zero_one_of_margin
from rosenblatt.losses.multiclass import cross_entropy as cross_entropy
from rosenblatt.losses.multiclass import cross_entropy_slope as cross_entropy_slope
from rosenblatt.losses.multiclass import hamming as hamming
from rosenblatt.losses.multiclass import multiclass_gradient as multiclass_gradient
from rosenblatt.losses.multiclass import multiclass_perceptron as multiclass_perceptron
from rosenblatt.losses.multiclass import multiclass_perceptron_slope as multiclass_perceptron_slope
from rosenblatt.losses.multiclass import zero_one as zero_one
from rosenblatt.losses.one_hot import from_one_hot as from_one_hot
from rosenblatt.losses.one_hot import one_hot as one_hot

__all__ = lazy.offered(__name__)

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
