"""Theory that computes: separability with proof, margins, the mistake bound, the proof itself."""

from inspect import isfunction

from rosenblatt import numpydoc
from rosenblatt.theory.argmax import ArgmaxSeparability, RivalConflict
from rosenblatt.theory.certificates import CertificateError, Conflict
from rosenblatt.theory.examination import Examination, Suspect, examine, suspects
from rosenblatt.theory.feature_maps import SeparatingMap, simplest_separating_map
from rosenblatt.theory.fewest_errors import FewestErrors, fewest_errors
from rosenblatt.theory.margin import MaxMargin, margin, max_margin
from rosenblatt.theory.mistake_bounds import MistakeBound, mistake_bound
from rosenblatt.theory.order_study import OrderStudy, order_study
from rosenblatt.theory.proof import ProofTrace, ProofViolation, proof
from rosenblatt.theory.separability import Separability, separability

__all__ = [
    "ArgmaxSeparability",
    "CertificateError",
    "Conflict",
    "Examination",
    "FewestErrors",
    "MaxMargin",
    "MistakeBound",
    "OrderStudy",
    "ProofTrace",
    "ProofViolation",
    "RivalConflict",
    "Separability",
    "SeparatingMap",
    "Suspect",
    "examine",
    "fewest_errors",
    "margin",
    "max_margin",
    "mistake_bound",
    "order_study",
    "proof",
    "separability",
    "simplest_separating_map",
    "suspects",
]

# What several of the functions take; their docstrings get it where they do not say it themselves.
SHARED = numpydoc.entries("""\
X : array-like or sparse matrix of shape (n_samples, n_features)
y : array-like of shape (n_samples,)
    Labels of two or more classes.
fit_intercept : bool, default=True
    Whether there is a bias, so that the hyperplane may lie off the origin.
feature_map : callable or transformer, default=None
    Applied to X first; all is then said of the mapped rows.
""")
for _name in __all__:
    if isfunction(globals()[_name]):
        numpydoc.share(globals()[_name], SHARED)
