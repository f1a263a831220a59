"""Explanations: what `explain` of a learner returns, and how it is shown."""

from rosenblatt.inspection.explanation import Contribution as Contribution
from rosenblatt.inspection.explanation import Explanation as Explanation
from rosenblatt.inspection.explanation import ModelExplanation as ModelExplanation
from rosenblatt.inspection.explanation import PastMistake as PastMistake
