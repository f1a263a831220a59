"""What a learner tells after training, as short values that can be written down.

Only public names are read. Small values stay readable; arrays and long lists become the beginning
of their SHA-256, with type and shape before it. A name that the learner does not know is left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

READABLE = 80  # characters
TOLD = (
    "classes_",
    "tags_",
    "coef_",
    "intercept_",
    "raw_coef_",
    "raw_intercept_",
    "n_features_",
    "feature_names_in_",
    "t_",
    "n_mistakes_",
    "n_invalid_",
    "n_iter_",
    "mistakes_per_epoch_",
    "mistakes_per_row_",
    "converged_",
    "stop_reason_",
    "validation_scores_",
    "best_iter_",
    "support_",
    "dual_coef_",
    "survival_",
    "weights_",
    "raw_weights_",
)


def outcome(learner: Any, predictions: Any) -> dict[str, Any]:
    """All that a learner tells, by name, and its answers to fixed questions."""
    found = {name: shown(getattr(learner, name)) for name in TOLD if hasattr(learner, name)}
    if hasattr(learner, "margin_ceiling_"):  # it is proven, but its last digits are not promised
        found["margin_ceiling_"] = f"{learner.margin_ceiling_:.9g}"
    if hasattr(learner, "ledger_"):
        found["ledger_"] = _ledger(learner.ledger_)
    return {**found, "predictions": shown(predictions)}


def kernel_outcome(learner: Any, predictions: Any) -> dict[str, Any]:
    """As `outcome`: kernels go through BLAS and promise the same mistakes, not the same bytes.

    Coefficients are left out where projecting or shrinking makes them inexact.
    """
    found = outcome(learner, predictions)
    exact = learner.budget is None or learner.forget in ("random", "smallest")
    found["dual_coef_"] = shown(np.round(learner.dual_coef_, 9) + 0.0) if exact else None
    found["margin_ceiling_"] = None
    return {name: value for name, value in found.items() if value is not None}


def settings(learner: Any) -> str:
    """The parameters that are not as by default."""
    usual = type(learner)().get_params()
    given = learner.get_params()
    return json.dumps({name: given[name] for name in sorted(given) if given[name] != usual[name]})


def shown(value: Any) -> Any:
    """A value as JSON holds it, or a digest where that is long."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        if value.dtype.kind == "f" or value.size > 12:
            return f"{value.dtype.str}{list(value.shape)} {digest(value.tobytes())}"
        return f"{value.dtype.str} {plain(value)}"
    value = plain(value)
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= READABLE:
        return value
    return f"{type(value).__name__}[{len(value)}] {digest(text.encode())}"


def plain(value: Any) -> Any:
    """Lists, texts and numbers; floats keep every bit, for their text has all digits."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        pairs = [[repr(plain(key)), plain(each)] for key, each in value.items()]
        return sorted(pairs)
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def _ledger(ledger: Any) -> str:
    updates = json.dumps([plain(tuple(update)) for update in ledger])
    return f"{len(ledger)} updates {digest(updates.encode())}"
