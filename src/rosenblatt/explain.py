"""Explanations: the results of the ``explain`` method of learners, which notebooks can show."""

from rosenblatt.inspection.explanation import Contribution as Contribution
from rosenblatt.inspection.explanation import Explanation as Explanation
from rosenblatt.inspection.explanation import ModelExplanation as ModelExplanation
from rosenblatt.inspection.explanation import PastMistake as PastMistake
