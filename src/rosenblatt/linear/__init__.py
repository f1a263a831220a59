"""The linear learners as scikit-learn estimators, one a file."""

from rosenblatt.linear.averaged import AveragedPerceptron
from rosenblatt.linear.mira import MIRA
from rosenblatt.linear.passive_aggressive import PassiveAggressive
from rosenblatt.linear.perceptron import Perceptron
from rosenblatt.linear.soft import SoftPerceptron
from rosenblatt.linear.voted import VotedPerceptron

__all__ = [
    "MIRA",
    "AveragedPerceptron",
    "PassiveAggressive",
    "Perceptron",
    "SoftPerceptron",
    "VotedPerceptron",
]
