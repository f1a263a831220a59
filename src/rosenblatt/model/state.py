"""What a learner hands over to be saved, and is made from again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from rosenblatt.errors import ModelFileError
from rosenblatt.model.card import Card

__all__ = ["State"]


@dataclass
class State:
    """A model as a card and named arrays: all of it, and nothing but data.

    Attributes
    ----------
    card : Card
        Learner, parameters, classes, names, counters and how the model came about.
    arrays : dict of str to ndarray
        Weights, running sums, the ledger and whatever else the card speaks of.

    Examples
    --------
    >>> import tempfile, os
    >>> import rosenblatt
    >>> p = rosenblatt.Perceptron().fit([[1.0, 2.0], [3.0, -1.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.rbt")
    ...     rosenblatt.save(p, path)
    ...     state = rosenblatt.model.read(path)
    >>> state
    <State: Perceptron, 2 classes, 2 features, 4 examples>
    >>> state.card.classes, state.arrays["coef"].tolist()
    (['no', 'yes'], [[2.0, -3.0]])
    """

    card: Card
    arrays: dict[str, npt.NDArray[Any]]

    @property
    def n_features(self) -> int:
        if self.card.tagger is not None:
            return len(self.arrays["features.hash"])
        kernel = self.card.kernel
        return int(self.arrays["coef"].shape[1]) if kernel is None else kernel.n_features

    def refuse_sentences(self) -> None:
        """For those who ask a model about rows."""
        if self.card.tagger is not None:
            raise ModelFileError(
                f"a {self.card.learner} tags sentences and has no weights for rows of numbers. "
                "Use rosenblatt tag, or load it in Python (rosenblatt.load)."
            )

    def refuse_without_weights(self) -> None:
        """For those who need one weight a feature."""
        self.refuse_sentences()
        if self.card.kernel is not None:
            raise ModelFileError(
                f"a {self.card.learner} has no weights: it answers by the kernel of a row with its "
                "support rows. Load it in Python (rosenblatt.load), or train a linear learner."
            )

    def __repr__(self) -> str:
        of_rows = self.card.tagger is None
        return (
            f"<State: {self.card.learner}, {len(self.card.classes)} "
            f"{'classes' if of_rows else 'tags'}, {self.n_features} features, "
            f"{self.card.record.t} {'examples' if of_rows else 'sentences'}>"
        )
