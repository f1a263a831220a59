"""A linear model as a state, and back, without the estimators."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from rosenblatt import __version__
from rosenblatt.arrays import Arrays, SparseRows
from rosenblatt.core.duals import Pairs
from rosenblatt.core.ledger import Entries
from rosenblatt.core.model import LinearModel
from rosenblatt.core.result import FitResult
from rosenblatt.model.card import FORMAT, Card, Data, Fit, Record, Start, Voting
from rosenblatt.model.container import ZEROS
from rosenblatt.model.soundness import dtype_name
from rosenblatt.model.state import State

__all__ = ["fit_record", "linear_model", "state_of", "voters_arrays"]


def state_of(
    model: LinearModel,
    *,
    learner: str,
    parameters: Mapping[str, Any],
    feature_names: list[str] | None,
    fit: Fit | None,
    fit_arrays: Arrays,
) -> State:
    """The state of a model, its learner and, if it is the outcome of a ``fit``, of that."""
    facts = model.to_arrays()
    weights, ledger, voters, best = (facts[n] for n in ("weights", "ledger", "voters", "best"))
    arrays: Arrays = {"coef": weights["coef"], "intercept": weights["intercept"]}
    if weights["coef_sum"] is not None:
        arrays["coef_sum"] = weights["coef_sum"]
        arrays["intercept_sum"] = weights["intercept_sum"]
    if best is not None and voters is None:
        arrays["best.coef"], arrays["best.intercept"] = best
    data = model.notes.get("data")
    card = Card(
        format=FORMAT,
        version=__version__,
        sha256=ZEROS,
        learner=learner,
        parameters=dict(parameters),
        classes=facts["classes"],
        label_dtype=dtype_name(facts["label_dtype"]),
        feature_names=feature_names,
        columns=facts["columns"],
        schema=model.notes.get("schema"),
        fit_intercept=weights["fit_intercept"],
        by_feature=weights["by_feature"],
        best=best is not None and voters is None,
        random=facts["random"],
        record=Record(
            seed=facts["seed"],
            t=weights["t"],
            n_mistakes=facts["n_mistakes"],
            data=None if data is None else Data(**data),
            fit=fit,
        ),
        ledger=None if ledger is None else _put_ledger(arrays, "ledger", ledger),
        voters=None if voters is None else _put_voters(arrays, voters, best),
    )
    return State(card, {**arrays, **fit_arrays})


def fit_record(
    training: FitResult,
    *,
    converged: bool,
    validation_scores: list[float] | None = None,
    best_iter: int | None = None,
) -> tuple[Fit, Arrays]:
    """The record of a finished run and the arrays that go with it.

    ``converged``: the weights that answer separate the rows; with rows held out that takes more
    than a run that ended so.
    """
    assert training.mistakes_per_row is not None
    arrays: Arrays = {"mistakes_per_row": training.mistakes_per_row}
    if training.dual is not None:
        dual, arrays["dual"] = "steps", training.dual
    elif training.signs is not None:
        dual, arrays["signs"] = "counts", training.signs
    elif isinstance(training.pairs, Pairs):
        dual = "pairs"
        arrays |= {f"pairs.{part}": a for part, a in training.pairs.to_arrays().items()}
    elif training.pairs is not None:
        dual, arrays["shares"] = "shares", training.pairs.to_arrays()["table"]
    else:
        dual = "none"
    ceiling = training.margin_ceiling
    fit = Fit(
        rows=len(training.mistakes_per_row),
        n_iter=training.n_iter,
        mistakes_per_epoch=training.mistakes_per_epoch,
        n_updates=training.n_updates,
        stop_reason=training.stop_reason,
        converged=converged,
        margin_ceiling=ceiling if math.isfinite(ceiling) else None,
        cycle_length=training.cycle_length,
        validation_scores=validation_scores,
        best_iter=best_iter,
        eta=training.eta,
        dual=dual,  # type: ignore[arg-type]
    )
    return fit, arrays


def linear_model(state: State) -> LinearModel:
    """The model of a state that was read, ready to answer and to learn on.

    The voters of a voted perceptron are not made: see `voters_arrays`.

    Examples
    --------
    >>> import io, os, tempfile
    >>> import rosenblatt
    >>> from rosenblatt.model import linear_model, read
    >>> p = rosenblatt.MIRA(fit_intercept=False).partial_fit([[3.0, 4.0]], [1], classes=[0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.rbt")
    ...     rosenblatt.save(p, path)
    ...     core = linear_model(read(path))
    >>> core.classes, core.weights.matrix.tolist()
    ([0, 1], [[0.12, 0.16]])
    """
    card, arrays = state.card, state.arrays
    state.refuse_without_weights()
    best: Any = None
    if card.best:
        best = (arrays["best.coef"], arrays["best.intercept"])
    elif card.voters is not None:
        best = card.voters.best
    data = card.record.data
    return LinearModel.from_arrays(
        {
            "classes": card.classes,
            "label_dtype": None if card.label_dtype is None else np.dtype(card.label_dtype),
            "columns": card.columns,
            "weights": {
                "coef": arrays["coef"],
                "intercept": arrays["intercept"],
                "coef_sum": arrays.get("coef_sum"),
                "intercept_sum": arrays.get("intercept_sum"),
                "fit_intercept": card.fit_intercept,
                "by_feature": card.by_feature,
                "t": card.record.t,
            },
            "best": best,
            "ledger": None if card.ledger is None else _take_ledger(state, "ledger", card.ledger),
            "n_mistakes": card.record.n_mistakes,
            "seed": card.record.seed,
            "random": card.random,
            "notes": {
                "schema": card.schema,
                "data": None if data is None else msgspec.structs.asdict(data),
            },
        }
    )


def voters_arrays(state: State) -> dict[str, Any]:
    """The ledger of all calls of a voted perceptron and, under "rows", the rows it names."""
    voting, arrays = state.card.voters, state.arrays
    assert voting is not None
    rows: Any = None
    if voting.rows == "dense":
        rows = arrays["voters.rows"]
    elif voting.rows != "none":
        data, indices, indptr = (
            arrays[f"voters.rows.{part}"] for part in ("data", "indices", "indptr")
        )
        rows = SparseRows.from_entries(data, indices, indptr, state.n_features, origin=voting.rows)
    return {**_take_ledger(state, "voters", voting.start), "rows": rows}


def _put_ledger(arrays: Arrays, name: str, ledger: dict[str, Any]) -> Start:
    start = ledger["start"]
    # By their bits, so that a negative zero is kept.
    zero = not any(np.any(start[part].view(np.uint8)) for part in ("coef", "intercept"))
    for column in Entries._fields:
        arrays[f"{name}.{column}"] = ledger[column]
    if not zero:
        arrays[f"{name}.start.coef"] = start["coef"]
        arrays[f"{name}.start.intercept"] = start["intercept"]
    return Start(
        t=start["t"],
        dtype=start["coef"].dtype.name,
        by_feature=start["by_feature"],
        zero=zero,
    )


def _take_ledger(state: State, name: str, start: Start) -> dict[str, Any]:
    arrays, card = state.arrays, state.card
    shape, dtype = arrays["coef"].shape, np.dtype(start.dtype)
    stored = not start.zero
    return {
        "start": {
            "coef": arrays[f"{name}.start.coef"] if stored else np.zeros(shape, dtype),
            "intercept": arrays[f"{name}.start.intercept"] if stored else np.zeros(shape[0], dtype),
            "coef_sum": None,
            "fit_intercept": card.fit_intercept,
            "by_feature": start.by_feature,
            "t": start.t,
        },
        "classes": card.classes,
        **{column: arrays[f"{name}.{column}"] for column in Entries._fields},
        "n_examples": card.record.t,
    }


def _put_voters(arrays: Arrays, voters: dict[str, Any], best: tuple[int, int] | None) -> Voting:
    start, rows = _put_ledger(arrays, "voters", voters), voters["rows"]
    kind = "none" if rows is None else "dense"
    if isinstance(rows, np.ndarray):
        arrays["voters.rows"] = rows
    elif rows is not None:
        kind = rows.origin
        for part in ("data", "indices", "indptr"):
            arrays[f"voters.rows.{part}"] = getattr(rows, part)
    return Voting(start=start, rows=kind, best=best)  # type: ignore[arg-type]
