"""The geometry of linear classifiers: vectors, hyperplanes, the augmented space, class regions.

A perceptron's weights are a hyperplane ``w.x + b = 0`` with a positive and a negative side; several
rows of weights divide the space into convex regions, one for each class. Points are rows: one row
of shape (d,) or many of shape (n, d), dense or sparse. Numbers that are not
finite are refused, and so are results beyond the largest float; very long and very short weights
are scaled first, so that lengths and distances lose nothing on the way.
"""

from rosenblatt.geometry.augmented import augment, fold, to_unit_sphere, unfold
from rosenblatt.geometry.hyperplane import Hyperplane
from rosenblatt.geometry.regions import Regions, regions
from rosenblatt.geometry.vectors import are_orthogonal, dot, norm, projection

__all__ = [
    "Hyperplane",
    "Regions",
    "are_orthogonal",
    "augment",
    "dot",
    "fold",
    "norm",
    "projection",
    "regions",
    "to_unit_sphere",
    "unfold",
]
