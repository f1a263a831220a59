"""Whether the parts of a kernel machine agree with each other, also when somebody made them up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt.checks import shown
from rosenblatt.core.rows import largest_allowed
from rosenblatt.errors import ModelFileError
from rosenblatt.kernel.functions import KERNELS
from rosenblatt.kernel.kernel_model import SETTINGS
from rosenblatt.kernel.memory import FORGETRON_SHARE, RULES
from rosenblatt.model.card import Card, Fit, Forgetting, KernelRecord, Snapshot
from rosenblatt.model.contents import MOST, Arrays, Need, check_arrays, rows_needs
from rosenblatt.model.ranges import MOST_EXAMPLES, check_csr, choice, in_order, number, whole

__all__ = ["check_kernel"]


def check_kernel(card: Card, kernel: KernelRecord, arrays: Arrays) -> None:
    """Refuse a kernel machine whose parts do not fit together, naming the part."""
    _check_settings(kernel.settings)
    whole("n_features", kernel.n_features, 1, MOST_EXAMPLES)
    _check_card(card, kernel)
    check_arrays(_needs(card, kernel, arrays), arrays)
    n = _check_rows(kernel.rows, "support", arrays)
    if kernel.settings["budget"] is None:
        _check_updates(card, kernel, arrays, n)
        return
    sizes = {"support": n}
    if isinstance(kernel.best, Snapshot):
        sizes["best"] = _check_rows(kernel.best.rows, "best", arrays)
    for name, size in sizes.items():
        whole(f"the number of rows of {name}", size, 0, int(kernel.settings["budget"]))
        # Only a mistake makes a support row.
        whole(f"the number of rows of {name}", size, 0, card.record.n_mistakes)
    if kernel.forgetting is not None:
        _check_memory(card, kernel.forgetting, arrays)


# ---------------------------------------------------------------------- the card


def _check_settings(settings: dict[str, Any]) -> None:
    for name in sorted(settings.keys() - set(SETTINGS)):
        raise ModelFileError(f"kernel settings: {shown(name)} is not known.")
    for name in SETTINGS:
        if name not in settings:
            raise ModelFileError(f"kernel settings: {name} is missing.")
    choice("kernel settings: kernel", settings["kernel"], *KERNELS, "precomputed")
    choice("kernel settings: multiclass", settings["multiclass"], "ovr", "argmax")
    choice("kernel settings: forget", settings["forget"], *RULES)
    whole("kernel settings: degree", settings["degree"], 1, MOST_EXAMPLES)
    if settings["budget"] is not None:
        whole("kernel settings: budget", settings["budget"], 1, MOST_EXAMPLES)
    if settings["gamma"] is not None:
        number("kernel settings: gamma", settings["gamma"], above=0.0)
    number("kernel settings: coef0", settings["coef0"])


def _check_card(card: Card, kernel: KernelRecord) -> None:
    settings, best, t = kernel.settings, kernel.best, card.record.t
    linear = (card.columns, card.ledger, card.voters, card.fit_intercept, card.by_feature)
    if linear != (None, None, None, False, False) or card.best:
        raise ModelFileError("a kernel machine has no columns, bias, ledger or voters of its own.")
    precomputed = settings["kernel"] == "precomputed"
    if kernel.rows != "none" and precomputed != (kernel.rows == "numbers"):
        raise ModelFileError(f"rows that are {kernel.rows} for the kernel {settings['kernel']}.")
    budget, combine = settings["budget"], card.parameters["combine"]
    if budget is not None and (
        combine == "vote" or (combine == "average" and settings["forget"] != "projection")
    ):
        raise ModelFileError(f"combine is {combine}, which needs rows that the budget forgot.")
    if (kernel.forgetting is not None and budget is None) or (
        kernel.forgetting is None and budget is not None and kernel.rows != "none"
    ):
        raise ModelFileError("a budget and what is remembered for it go together.")
    fit = card.record.fit
    if fit is not None:
        _check_fit(fit)
    if (best is not None) != (fit is not None and fit.best_iter is not None):
        raise ModelFileError("the best state and the scores do not go together.")
    if isinstance(best, Snapshot):
        whole("the examples of the best state", best.t, 1, t)
        if best.rows != "none" and precomputed != (best.rows == "numbers"):
            raise ModelFileError(f"rows that are {best.rows} for the kernel {settings['kernel']}.")
    if best is not None and isinstance(best, Snapshot) == (budget is None):
        raise ModelFileError("the best state is kept as rows with a budget, and only then.")


def _check_fit(fit: Fit) -> None:
    if (fit.n_updates, fit.cycle_length, fit.eta, fit.dual) != (0, None, 1.0, "none"):
        raise ModelFileError("the record of the fit is that of a linear model.")


# ---------------------------------------------------------------------- the arrays


def _needs(card: Card, kernel: KernelRecord, arrays: Arrays) -> Iterator[tuple[str, Need]]:
    k, t, fit = len(card.classes), card.record.t, card.record.fit
    v = k if k > 2 else 1
    forget = kernel.settings["forget"]
    # Each mistake adds 1 at most, but a projection may be a sum of large parts.
    most = None if forget == "projection" else float(t)
    least = None if most is None else -most
    # The mean is coef - late / t.
    late = min(2.0 * largest_allowed(np.float64) * max(t, 1), MOST)
    if fit is not None:
        yield "mistakes_per_row", Need(("int32",), (fit.rows,), 0)
    yield from _rows(kernel, kernel.rows, "support")
    if kernel.settings["budget"] is None:
        support = arrays.get("support.number")
        n = 0 if support is None else support.size
        yield "updates.slot", Need(("int64",), ("updates",), 0, n - 1)
        yield "updates.right", Need(("int32",), ("updates",), 0, k - 1)
        yield "updates.wrong", Need(("int32",), ("updates",), -1, k - 1)
        yield "updates.step", Need(("float64",), ("updates",), 0.5, 1.0)
        yield "updates.t", Need(("int64",), ("updates",), 1, t)
        return
    yield "support.coef", Need(("float64",), (v, "support.rows"), least, most)
    yield "support.late", Need(("float64",), (v, "support.rows"), -late, late)
    if kernel.forgetting is not None:
        yield "support.age", Need(("int64",), ("support.rows",), 0, t - 1)
        yield "support.own", Need(("float64",), ("support.rows",), -MOST, MOST)
        if forget == "projection":
            square = ("support.rows", "support.rows")
            yield "inverse", Need(("float64",), square, -MOST, MOST)
    if isinstance(kernel.best, Snapshot):
        yield from _rows(kernel, kernel.best.rows, "best")
        yield "best.coef", Need(("float64",), (v, "best.rows"), least, most)
        yield "best.late", Need(("float64",), (v, "best.rows"), -late, late)


def _rows(kernel: KernelRecord, kind: str, name: str) -> Iterator[tuple[str, Need]]:
    precomputed = kernel.settings["kernel"] == "precomputed"
    highest = (kernel.n_features if precomputed else MOST_EXAMPLES) - 1
    yield f"{name}.number", Need(("int64",), (f"{name}.rows",), 0, highest)
    if kind != "numbers":
        yield from rows_needs(f"{name}.rows", kind, kernel.n_features)


def _check_rows(kind: str, name: str, arrays: Arrays) -> int:
    """How many rows are kept, if they are sound."""
    n = found = len(arrays[f"{name}.number"])
    if kind.startswith("csr"):
        found = check_csr(f"{name}.rows", arrays)
        _check_columns(f"{name}.rows", arrays)
    if n != found or (n == 0) != (kind == "none"):
        raise ModelFileError(f"{name}: {n} numbers of rows, but the rows are {found} and {kind}.")
    return n


def _check_columns(name: str, arrays: Arrays) -> None:
    """In each sparse row the columns stand in order, none twice."""
    indptr, indices = arrays[f"{name}.indptr"], arrays[f"{name}.indices"]
    follows = np.ones(len(indices) + 1, bool)
    follows[indptr] = False
    wrong = np.flatnonzero(follows[1:-1] & (indices[1:] <= indices[:-1]))
    if len(wrong):
        at = int(wrong[0]) + 1
        raise ModelFileError(f"{name}.indices[{at}] is {indices[at]}: columns are out of order.")


def _check_updates(card: Card, kernel: KernelRecord, arrays: Arrays, n: int) -> None:
    """The updates of a machine that keeps all rows: from them follows what each counts for."""
    slot, right, wrong, step, t = (
        arrays[f"updates.{name}"] for name in ("slot", "right", "wrong", "step", "t")
    )
    k = len(card.classes)
    in_order("updates.t", t)
    if k < 2 and len(slot):
        raise ModelFileError(f"{len(slot)} updates, but there is nothing to tell apart yet.")
    if (right == wrong).any() or (k == 2 and (wrong != 1 - right).any()):
        raise ModelFileError("updates.wrong names a class that cannot have been the wrong one.")
    # Where two classes became three, the steps of one function were halved for two.
    halved = k > 2 and kernel.settings["multiclass"] == "argmax"
    if ((step != 1.0) & ~((step == 0.5) & halved)).any():
        raise ModelFileError("updates.step holds a step that no rule makes.")
    slots, first = np.unique(slot, return_index=True)
    if len(slots) != n:
        raise ModelFileError(f"{len(slot)} updates of {len(slots)} rows, but {n} rows are there.")
    in_order("the first update of each row", first)
    again = t[1:] == t[:-1]
    if (slot[1:] != slot[:-1])[again].any():
        raise ModelFileError("updates.slot names two rows for one example.")
    mistakes = int(len(t) - np.count_nonzero(again))
    if mistakes != card.record.n_mistakes:
        raise ModelFileError(
            f"n_mistakes is {card.record.n_mistakes}, but the updates are of {mistakes} examples."
        )
    if isinstance(kernel.best, tuple):
        updates, examples = kernel.best
        whole("the updates of the best state", updates, 0, len(t))
        low = int(t[updates - 1]) if updates else 0
        high = int(t[updates]) - 1 if updates < len(t) else card.record.t
        whole("the examples of the best state", examples, max(low, 1), high)


def _check_memory(card: Card, kept: Forgetting, arrays: Arrays) -> None:
    """What a rule of forgetting remembers."""
    if not isinstance(kept.random, np.random.Generator):
        raise ModelFileError("forgetting: random is not the state of a Generator.")
    whole("forgetting: mistakes", kept.mistakes, 0, len(card.classes) * card.record.t)
    # Shrinking keeps the damage below; what is above is rounding.
    most = FORGETRON_SHARE * kept.mistakes
    if not -MOST <= kept.damage <= most + 1e-6 * (1.0 + most):
        raise ModelFileError(f"forgetting: the damage is {kept.damage}; {most} is allowed.")
    age, inverse = arrays["support.age"], arrays.get("inverse")
    if len(np.unique(age)) != len(age):
        raise ModelFileError("support.age: two rows came with the same example.")
    if inverse is not None:
        if not np.array_equal(inverse, inverse.T):
            raise ModelFileError("inverse is not symmetric.")
        if not (np.diagonal(inverse) > 0.0).all():
            raise ModelFileError("inverse has a diagonal that is not positive.")
