"""How a learner hands itself over to a model file, and is made from one again.

What a family keeps it says in its layout. What is worked out when asked for, such as ``coef_``,
follows from that; what a ``fit`` leaves behind is kept as its record. Nothing is lost in between.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt import __version__
from rosenblatt.errors import ModelFileError
from rosenblatt.model.card import FORMAT, Card, Data, Record
from rosenblatt.model.container import ZEROS
from rosenblatt.model.soundness import dtype_name
from rosenblatt.model.state import State

__all__ = ["learner_from", "state_of"]


def state_of(learner: Any) -> State:
    """All there is to know, as data for a file; what no file can hold is refused."""
    layout = learner.file_layout()
    learner._refuse_unfitted()
    learner.check_parameters()
    model = learner._fitted()
    facts, arrays = layout.put(learner, model)
    if "mistakes_per_row_" in learner.__dict__:
        arrays["mistakes_per_row"] = learner.__dict__["mistakes_per_row_"]
    data, names = model.notes.get("data"), learner.__dict__.get(layout.names_attribute)
    card = Card(
        format=FORMAT,
        version=__version__,
        sha256=ZEROS,
        learner=type(learner).__name__,
        parameters=learner.get_params(deep=False),
        classes=list(model.classes),
        label_dtype=dtype_name(model.label_dtype),
        feature_names=None if names is None else [str(name) for name in names],
        columns=None if model.columns is None else list(model.columns),
        schema=model.notes.get("schema"),
        random=model.random,
        record=Record(
            seed=model.seed,
            t=model.t,
            n_mistakes=model.n_mistakes,
            data=None if data is None else Data(**data),
            fit=learner._fit_record(),
        ),
        model=facts,
    )
    return State(card, arrays)


def learner_from(cls: Any, state: State) -> Any:
    """A learner of a state that was read and is therefore sound."""
    card, layout = state.card, cls.file_layout()
    learner = cls(**card.parameters)
    if card.feature_names is not None:
        names = np.empty(len(card.feature_names), object)
        names[:] = card.feature_names
        learner.__dict__[layout.names_attribute] = names
    if card.record.fit is not None:
        learner._restore_fit(card.record.fit, state.arrays.get("mistakes_per_row"))
    try:
        learner.check_parameters()
        layout.take(learner, state)
    except ModelFileError:
        raise
    # A word that cannot be written as UTF-8 is a ValueError, as is a number without end.
    except (ValueError, OverflowError) as error:
        raise ModelFileError(f"{card.learner}: {error}") from None
    return learner
