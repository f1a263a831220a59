"""The rows on which a learner is scored after every epoch, and which it does not learn from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.core.held_out import hold_out
from rosenblatt.core.rows import as_rows, inspect
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.learner.inputs import read_table
from rosenblatt.learner.seeds import seed_from
from rosenblatt.learner.targets import read_labels

__all__ = ["read_pair", "validation_rows"]


def read_pair(validation_set: Any, names: str) -> tuple[Any, Any]:
    """Examples and what is right for them; ``names`` says what the two are called."""
    try:
        examples, targets = validation_set
    except (TypeError, ValueError):
        raise ParameterError(f"validation_set must be a pair {names}.") from None
    return examples, targets


def validation_rows(
    learner: Any,
    table: Any,
    labels: npt.NDArray[np.int32],
    slots: Mapping[Any, int],
    validation_set: tuple[Any, Any] | None,
) -> tuple[npt.NDArray[np.int64] | None, Any, npt.NDArray[Any] | None]:
    """Numbers of the rows to learn from (None: all), then rows and labels to score, if any."""
    if validation_set is not None:
        X_dev, y_dev = read_pair(validation_set, "(X_dev, y_dev) of rows and labels")
        try:
            dev = read_table(learner, X_dev, reset=False, ignore_unseen=True)
            y_dev = read_labels(y_dev, dev.shape[0])
        except InputError as error:
            raise error.preceded("validation_set: ") from None
        inspect(as_rows(dev), argument="validation_set")
        unknown = set(y_dev.tolist()) - set(slots)
        if unknown:
            raise InputError(
                f"validation_set holds the label {unknown.pop()!r}, which does not occur in y."
            )
        return None, dev, np.array([slots[label] for label in y_dev.tolist()])
    if learner.early_stopping:
        seed = seed_from(learner.random_state)
        subset, held_out = hold_out(labels, learner.validation_fraction, seed)
        return subset, table[held_out], labels[held_out]
    return None, None, None
