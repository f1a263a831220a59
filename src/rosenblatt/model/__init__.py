"""Model files: a learner as data that is safe to load and resumes bit for bit; never a pickle."""

from rosenblatt.model.card import Card
from rosenblatt.model.file import learner_of, load, read, save, write
from rosenblatt.model.linear import linear_model
from rosenblatt.model.state import State

__all__ = [
    "Card",
    "State",
    "learner_of",
    "linear_model",
    "load",
    "read",
    "save",
    "write",
]
