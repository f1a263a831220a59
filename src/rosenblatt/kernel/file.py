"""A kernel machine as a state, and back, without the estimator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from rosenblatt import __version__
from rosenblatt.arrays import Arrays, SparseRows
from rosenblatt.core.ledger import Entries
from rosenblatt.kernel.kernel_model import SETTINGS, KernelModel
from rosenblatt.kernel.memory import Memory
from rosenblatt.model.card import (
    FORMAT,
    Card,
    Data,
    Fit,
    Forgetting,
    KernelRecord,
    Record,
    Snapshot,
)
from rosenblatt.model.container import ZEROS
from rosenblatt.model.soundness import dtype_name
from rosenblatt.model.state import State

__all__ = ["kernel_machine", "kernel_state"]

COLUMNS = ("slot", "right", "wrong", "step", "t")
PARTS = ("data", "indices", "indptr")


def kernel_state(
    machine: KernelModel,
    *,
    learner: str,
    parameters: Mapping[str, Any],
    feature_names: list[str] | None,
    fit: Fit | None,
    fit_arrays: Arrays,
) -> State:
    """The state of a machine, its learner and, if it is the outcome of a ``fit``, of that."""
    arrays: Arrays = {}
    rows = _put_rows(arrays, "support", machine)
    best: Any = machine.best
    if machine.recorder is not None:
        entries = machine.recorder.entries
        for column, values in zip(COLUMNS, entries, strict=True):
            arrays[f"updates.{column}"] = np.asarray(values)
    else:
        arrays |= {"support.coef": machine.coef, "support.late": machine.late}
    if isinstance(best, KernelModel):
        snapshot = Snapshot(t=best.t, rows=_put_rows(arrays, "best", best))
        arrays |= {"best.coef": best.coef, "best.late": best.late}
        best = snapshot
    data = machine.notes.get("data")
    card = Card(
        format=FORMAT,
        version=__version__,
        sha256=ZEROS,
        learner=learner,
        parameters=dict(parameters),
        classes=list(machine.classes),
        label_dtype=dtype_name(machine.label_dtype),
        feature_names=feature_names,
        columns=None,
        schema=machine.notes.get("schema"),
        fit_intercept=False,
        by_feature=False,
        best=False,
        random=machine.random,
        record=Record(
            seed=machine.seed,
            t=machine.t,
            n_mistakes=machine.n_mistakes,
            data=None if data is None else Data(**data),
            fit=fit,
        ),
        ledger=None,
        voters=None,
        kernel=KernelRecord(
            settings=dict(machine.settings),
            n_features=machine.n_features,
            rows=rows,
            best=best,
            forgetting=_put_memory(arrays, machine),
        ),
    )
    return State(card, {**arrays, **fit_arrays})


def kernel_machine(state: State) -> KernelModel:
    """The machine of a state that was read, ready to answer and to learn on.

    Examples
    --------
    >>> import os, tempfile
    >>> import rosenblatt
    >>> from rosenblatt.kernel.file import kernel_machine
    >>> from rosenblatt.model import read
    >>> X, y = [[1, 1], [1, -1], [-1, 1], [-1, -1]], [1, -1, -1, 1]
    >>> p = rosenblatt.KernelPerceptron(degree=2, gamma=1.0, shuffle=False).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.rbt")
    ...     rosenblatt.save(p, path)
    ...     machine = kernel_machine(read(path))
    >>> machine.classes, machine.coef.tolist()
    ([-1, 1], [[1.0, -1.0, -1.0, 1.0]])
    """
    state.refuse_sentences()
    card, arrays, kernel = state.card, state.arrays, state.card.kernel
    assert kernel is not None
    machine = _machine(state, kernel.rows, "support")
    machine.t, machine.n_mistakes = card.record.t, card.record.n_mistakes
    machine.random = card.random
    if machine.recorder is not None:
        machine.add(Entries(*(np.array(arrays[f"updates.{name}"]) for name in COLUMNS)))
    if isinstance(kernel.best, Snapshot):
        machine.best = _machine(state, kernel.best.rows, "best")
        machine.best.t = kernel.best.t
    else:
        machine.best = kernel.best
    kept = kernel.forgetting
    if kept is not None:
        memory = machine.forgetting = Memory(0)
        memory.mistakes, memory.damage = kept.mistakes, kept.damage
        memory.random.bit_generator.state = kept.random.bit_generator.state
        memory.age, memory.own = np.array(arrays["support.age"]), np.array(arrays["support.own"])
        if "inverse" in arrays:
            memory.inverse = np.array(arrays["inverse"])
    data = card.record.data
    machine.notes = {
        "schema": card.schema,
        "data": None if data is None else msgspec.structs.asdict(data),
    }
    return machine


def _machine(state: State, kind: str, name: str) -> KernelModel:
    """Support rows and, if these do not follow from the updates, what each counts for."""
    card, arrays = state.card, state.arrays
    assert card.kernel is not None
    settings = {setting: card.kernel.settings[setting] for setting in SETTINGS}
    machine = KernelModel(settings, state.n_features, card.classes, card.record.seed)
    machine.label_dtype = None if card.label_dtype is None else np.dtype(card.label_dtype)
    numbers = np.array(arrays[f"{name}.number"])
    if len(numbers):
        machine.append(_take_rows(state, kind, name, numbers), numbers)
    if f"{name}.coef" in arrays:
        machine.coef = np.array(arrays[f"{name}.coef"])
        machine.late = np.array(arrays[f"{name}.late"])
    return machine


def _put_rows(arrays: Arrays, name: str, machine: KernelModel) -> Any:
    """Keep the support rows; how they are kept."""
    arrays[f"{name}.number"] = machine.numbers
    if not machine.n_support or machine.support is None:
        return "none"
    if machine.kernel.is_precomputed:
        return "numbers"
    rows = machine.support.vectors()
    if not isinstance(rows, SparseRows):
        arrays[f"{name}.rows"] = rows
        return "dense"
    # Indices as small as can be, whatever the caller's were.
    large = max(rows.nnz, rows.shape[1]) > np.iinfo(np.int32).max
    for part in PARTS:
        values = getattr(rows, part)
        if part != "data":
            values = values.astype(np.int64 if large else np.int32)
        arrays[f"{name}.rows.{part}"] = values
    return rows.origin


def _take_rows(state: State, kind: str, name: str, numbers: npt.NDArray[np.int64]) -> Any:
    if kind == "numbers":
        return numbers[:, None]
    if kind == "dense":
        return state.arrays[f"{name}.rows"]
    data, indices, indptr = (np.array(state.arrays[f"{name}.rows.{part}"]) for part in PARTS)
    return SparseRows(data, indices, indptr, state.n_features, origin=kind)  # type: ignore[arg-type]


def _put_memory(arrays: Arrays, machine: KernelModel) -> Forgetting | None:
    memory = machine.forgetting
    if memory is None:
        return None
    arrays |= {"support.age": memory.age, "support.own": memory.own}
    if machine.settings["forget"] == "projection":
        arrays["inverse"] = memory.inverse
    return Forgetting(
        random=memory.copy().random, mistakes=memory.mistakes, damage=float(memory.damage)
    )
