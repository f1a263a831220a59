"""Small real data sets, and made ones about which everything is known.

The real ones come with the package, and reading one costs milliseconds; ``data/README.md`` beside
this file names their sources and licences. The made ones are drawn with a seed: tables that can be
separated with a chosen margin or have wrong labels, and streams that drift or come from recorders
in a forest.
"""

from rosenblatt.datasets.bundled import LabelledRows, breast_cancer, digits, iris, wine
from rosenblatt.datasets.drift import Drift, drifting
from rosenblatt.datasets.forest import Forest, Recording, recorders
from rosenblatt.datasets.noise import Noisy, noisy
from rosenblatt.datasets.separable_sets import Separable, separable

__all__ = [
    "Drift",
    "Forest",
    "LabelledRows",
    "Noisy",
    "Recording",
    "Separable",
    "breast_cancer",
    "digits",
    "drifting",
    "iris",
    "noisy",
    "recorders",
    "separable",
    "wine",
]
