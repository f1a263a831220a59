"""The geometry of linear classifiers: vectors, hyperplanes, the augmented space, class regions.

The weights of a perceptron define a hyperplane ``w.x + b = 0`` with a positive and a negative side.
Several rows of weights divide the space into convex regions, one for each class.

Points are rows: one row of shape (d,) or many of shape (n, d), dense or sparse. Numbers that are
not finite raise an error, and so do results beyond the largest float. Very long and very short
weights are scaled first, so that lengths and distances lose no digits.
"""

from rosenblatt import lazy
from rosenblatt.geometry.augmented import augment as augment
from rosenblatt.geometry.augmented import fold as fold
from rosenblatt.geometry.augmented import to_unit_sphere as to_unit_sphere
from rosenblatt.geometry.augmented import unfold as unfold
from rosenblatt.geometry.hyperplane import Hyperplane as Hyperplane
from rosenblatt.geometry.regions import Regions as Regions
from rosenblatt.geometry.regions import regions as regions
from rosenblatt.geometry.vectors import are_orthogonal as are_orthogonal
from rosenblatt.geometry.vectors import dot as dot
from rosenblatt.geometry.vectors import norm as norm
from rosenblatt.geometry.vectors import projection as projection

__all__ = lazy.offered(__name__)
