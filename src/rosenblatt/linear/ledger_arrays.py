"""The ledger of a linear model as arrays of its file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rosenblatt.arrays import Arrays
from rosenblatt.core.recording import COLUMNS, columns_of
from rosenblatt.core.weights import START_RATES, Scaling
from rosenblatt.model.card import Facts

if TYPE_CHECKING:
    from rosenblatt.model.card import State


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
    start = ledger["start"]
    # By their bits, so that a negative zero is kept.
    zero = not any(np.any(start[part].view(np.uint8)) for part in ("coef", "intercept"))
    parts = [
        part
        for part in ("coef", "intercept", "coef_rate", "intercept_rate")
        if start[part] is not None
    ]
    first = START_RATES.get(start["rates"] or "")
    zero = zero and all(np.all(start[part] == first) for part in parts[2:])
    scaling = start.get("scaling")
    for column in columns_of(with_rates=bool(start["rates"]), with_scales=scaling is not None):
        arrays[f"ledger.{column}"] = ledger[column]
    if not zero:
        arrays |= {f"ledger.start.{part}": start[part] for part in parts}
    return Start(
        t=start["t"],
        dtype=start["coef"].dtype.name,
        by_feature=start["by_feature"],
        zero=zero,
        n_float32=ledger["n_float32"],
        scaling=scaling,
    )


def take_ledger(state: State, start: Start) -> dict[str, Any]:
    arrays, card = state.arrays, state.card
    shape, dtype = arrays["coef"].shape, np.dtype(start.dtype)
    stored = not start.zero
    return {
        "start": {
            "coef": arrays["ledger.start.coef"] if stored else np.zeros(shape, dtype),
            "intercept": arrays["ledger.start.intercept"] if stored else np.zeros(shape[0], dtype),
            **{
                part: arrays.get(f"ledger.start.{part}") for part in ("coef_rate", "intercept_rate")
            },
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
