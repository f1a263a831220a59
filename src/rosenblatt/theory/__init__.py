"""The theory of the perceptron as functions: separability with proofs, margins, mistake bounds."""

from rosenblatt import lazy
from rosenblatt.theory.argmax import ArgmaxSeparability as ArgmaxSeparability
from rosenblatt.theory.argmax import RivalConflict as RivalConflict
from rosenblatt.theory.certificates import CertificateError as CertificateError
from rosenblatt.theory.certificates import Conflict as Conflict
from rosenblatt.theory.examination import Examination as Examination
from rosenblatt.theory.examination import Suspect as Suspect
from rosenblatt.theory.examination import examine as examine
from rosenblatt.theory.examination import suspects as suspects
from rosenblatt.theory.feature_maps import SeparatingMap as SeparatingMap
from rosenblatt.theory.feature_maps import simplest_separating_map as simplest_separating_map
from rosenblatt.theory.fewest_errors import FewestErrors as FewestErrors
from rosenblatt.theory.fewest_errors import fewest_errors as fewest_errors
from rosenblatt.theory.margin import MaxMargin as MaxMargin
from rosenblatt.theory.margin import margin as margin
from rosenblatt.theory.margin import max_margin as max_margin
from rosenblatt.theory.mistake_bounds import MistakeBound as MistakeBound
from rosenblatt.theory.mistake_bounds import alma_bound as alma_bound
from rosenblatt.theory.mistake_bounds import mistake_bound as mistake_bound
from rosenblatt.theory.order_study import OrderStudy as OrderStudy
from rosenblatt.theory.order_study import order_study as order_study
from rosenblatt.theory.proof import ProofTrace as ProofTrace
from rosenblatt.theory.proof import ProofViolation as ProofViolation
from rosenblatt.theory.proof import proof as proof
from rosenblatt.theory.separability import Separability as Separability
from rosenblatt.theory.separability import separability as separability

__all__ = lazy.offered(__name__)
