"""Model files: safe to load, exact to the last bit when learning resumes, and never a pickle."""

from typing import TYPE_CHECKING

from rosenblatt import lazy

if TYPE_CHECKING:
    from rosenblatt.persistence.card import Card as Card
    from rosenblatt.persistence.card import State as State
    from rosenblatt.persistence.file import learner_of as learner_of
    from rosenblatt.persistence.file import load as load
    from rosenblatt.persistence.file import read as read
    from rosenblatt.persistence.file import save as save
    from rosenblatt.persistence.file import write as write
    from rosenblatt.persistence.linear_layout import linear_model as linear_model

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    {
        "rosenblatt.persistence.card": "Card State",
        "rosenblatt.persistence.file": "learner_of load read save write",
        "rosenblatt.persistence.linear_layout": "linear_model",
    },
)
