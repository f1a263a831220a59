"""Theory that computes: separability with proof, margins, the mistake bound, the proof itself."""

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
