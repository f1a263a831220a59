"""Model files: a learner as data that is safe to load and resumes bit for bit; never a pickle."""

from typing import TYPE_CHECKING

from rosenblatt import lazy

if TYPE_CHECKING:
    from rosenblatt.linear.file_layout import linear_model as linear_model
    from rosenblatt.model.card import Card as Card
    from rosenblatt.model.card import State as State
    from rosenblatt.model.file import learner_of as learner_of
    from rosenblatt.model.file import load as load
    from rosenblatt.model.file import read as read
    from rosenblatt.model.file import save as save
    from rosenblatt.model.file import write as write

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    {
        ".card": "Card State",
        ".file": "learner_of load read save write",
        "rosenblatt.linear.file_layout": "linear_model",
    },
)
