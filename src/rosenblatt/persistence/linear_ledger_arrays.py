"""The ledger of a linear model as arrays of its file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rosenblatt.arrays import Arrays
from rosenblatt.models.recording import COLUMNS, columns_of
from rosenblatt.models.weights import START_RATES, Scaling
from rosenblatt.persistence.card import Facts

if TYPE_CHECKING:
    from rosenblatt.persistence.card import State

# What is stored of the weights that a ledger starts from.
STORED = ("coef", "intercept", "coef_rate", "intercept_rate")


class Start(Facts, omit_defaults=True):
    """The weights a ledger starts from; ``zero``: all of them are 0 and not kept as arrays.

    ``n_float32``: how many updates were made before float32 weights became float64, if they did.
    ``scaling``, left out where weights are not scaled: the numbers kept beside those weights.
    """

    t: int
    dtype: Literal["float32", "float64"]
    by_feature: bool
    zero: bool
    n_float32: int | None
    scaling: Scaling | None = None


def put_ledger(arrays: Arrays, ledger: dict[str, Any]) -> Start:
    """Add a ledger to the arrays of a file, and return what the card says of its start.

    Weights that are all 0 are not stored, as most ledgers start from these.
    """
    start = ledger["start"]
    rates = start["rates"]
    scaling = start.get("scaling")
    for column in columns_of(with_rates=bool(rates), with_scales=scaling is not None):
        arrays[f"ledger.{column}"] = ledger[column]

    zero = _is_zero(start)
    if not zero:
        for part in STORED:
            if start[part] is not None:
                arrays[f"ledger.start.{part}"] = start[part]

    return Start(
        t=start["t"],
        dtype=start["coef"].dtype.name,
        by_feature=start["by_feature"],
        zero=zero,
        n_float32=ledger["n_float32"],
        scaling=scaling,
    )


def _is_zero(start: dict[str, Any]) -> bool:
    """Return whether a ledger starts from weights of 0 and the rates that these begin with."""
    for part in ("coef", "intercept"):
        # By their bits, so that a negative zero is kept.
        if np.any(start[part].view(np.uint8)):
            return False
    for part in ("coef_rate", "intercept_rate"):
        if start[part] is not None and np.any(start[part] != START_RATES[start["rates"]]):
            return False
    return True


def take_ledger(state: State, start: Start) -> dict[str, Any]:
    """Return the ledger of a file as `Ledger.from_arrays` takes it."""
    arrays = state.arrays
    card = state.card
    stored = {part: arrays.get(f"ledger.start.{part}") for part in STORED}
    if start.zero:
        shape = arrays["coef"].shape
        stored["coef"] = np.zeros(shape, start.dtype)
        stored["intercept"] = np.zeros(shape[0], start.dtype)

    return {
        "start": {
            **stored,
            "coef_sum": None,
            "rates": card.model.rates,
            "fit_intercept": card.model.fit_intercept,
            "by_feature": start.by_feature,
            "t": start.t,
            "scaling": start.scaling,
        },
        "end": card.model.scaling,
        "classes": card.classes,
        **{column: arrays.get(f"ledger.{column}", ()) for column in COLUMNS},
        "n_examples": card.record.t,
        "n_float32": start.n_float32,
    }
