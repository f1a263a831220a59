"""Small real data sets, read from the files that come with scikit-learn.

scikit-learn itself is not imported for it, so reading one costs milliseconds.
"""

from rosenblatt.datasets.bundled import Table, breast_cancer, digits, iris, wine

__all__ = ["Table", "breast_cancer", "digits", "iris", "wine"]
