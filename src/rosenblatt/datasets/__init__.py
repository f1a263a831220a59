"""Small real data sets, and simulated ones with a known ground truth.

The real ones come with the package and load in milliseconds; ``data/README.md`` next to this file
names their sources and licences. The simulated ones are drawn with a seed: tables that are
separable with a chosen margin or have wrong labels, and streams that drift or come from recorders
in a forest.
"""

from rosenblatt import lazy
from rosenblatt.datasets.bundled import LabelledRows as LabelledRows
from rosenblatt.datasets.bundled import breast_cancer as breast_cancer
from rosenblatt.datasets.bundled import digits as digits
from rosenblatt.datasets.bundled import iris as iris
from rosenblatt.datasets.bundled import wine as wine
from rosenblatt.datasets.drift import Drift as Drift
from rosenblatt.datasets.drift import drifting as drifting
from rosenblatt.datasets.forest import Forest as Forest
from rosenblatt.datasets.forest import Recording as Recording
from rosenblatt.datasets.forest import recorders as recorders
from rosenblatt.datasets.separable_sets import Noisy as Noisy
from rosenblatt.datasets.separable_sets import Separable as Separable
from rosenblatt.datasets.separable_sets import noisy as noisy
from rosenblatt.datasets.separable_sets import separable as separable

__all__ = lazy.offered(__name__)
