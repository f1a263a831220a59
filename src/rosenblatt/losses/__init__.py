"""The losses behind the perceptron family, with their slopes and gradients.

A binary loss is a function of the margin ``m = y (w.x + b)``, with ``y`` in {-1, +1}. A multiclass
loss is a function of the scores ``s = W x + b``, one for each class, and of the index of the right
class. Each loss that has a useful gradient comes with a function ending in ``_slope``: its
derivative with respect to the margin or to the scores.

Ties count as mistakes: a margin of exactly zero is an error. The subgradient at a kink is the one
for which a step of gradient descent is the update of the perceptron.
"""

from rosenblatt import lazy
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
