"""What a learner hands over to be saved, and is made from again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from rosenblatt.errors import ModelFileError
from rosenblatt.model.card import Card
from rosenblatt.model.layout import Layout
from rosenblatt.model.learners import layout_of

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
    def layout(self) -> Layout:
        """How the family of the learner lays its file out."""
        return layout_of(self.card.learner)

    @property
    def family(self) -> str:
        """The family of the learner, as the catalogue has it."""
        return self.layout.family

    @property
    def n_features(self) -> int:
        return self.layout.n_features(self.card, self.arrays)

    @property
    def has_ledger(self) -> bool:
        """Whether updates are in the file that `Ledger` and `TagLedger` tell of."""
        return bool(getattr(self.card.model, "ledger", None))

    def restore(self, model: Any) -> None:
        """Give a model what files say of all models alike."""
        card, data = self.card, self.card.record.data
        model.seed, model.random = card.record.seed, card.random
        model.n_mistakes = card.record.n_mistakes
        model.label_dtype = None if card.label_dtype is None else np.dtype(card.label_dtype)
        if card.columns is not None:
            model.columns = {name: column for column, name in enumerate(card.columns)}
        model.notes = {
            "schema": card.schema,
            "data": None if data is None else msgspec.structs.asdict(data),
        }

    def refuse_unless(self, family: str) -> None:
        """For those who can do with the models of one family alone."""
        if self.family != family:
            raise ModelFileError(f"a {self.card.learner} {self.layout.nature}")

    def __repr__(self) -> str:
        of_sentences = self.layout.of_sentences
        return (
            f"<State: {self.card.learner}, {len(self.card.classes)} "
            f"{'tags' if of_sentences else 'classes'}, {self.n_features} features, "
            f"{self.card.record.t} {'sentences' if of_sentences else 'examples'}>"
        )
