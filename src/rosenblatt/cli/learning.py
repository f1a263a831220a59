"""Learning from the rows of files with the core alone: epochs over all of them, or one pass."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.learners import Learner

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from rosenblatt.core.model import LinearModel
    from rosenblatt.core.training import Told, Watch
    from rosenblatt.model import State

__all__ = ["Examples", "Held", "fit", "go_on", "pass_over", "read_on"]


@dataclass
class Examples:
    """Rows as features, the label of each and, if they do not all count the same, their weight."""

    X: Any
    labels: npt.NDArray[Any]
    weights: npt.NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.labels)


@dataclass
class Held:
    """Rows to watch: those of another file, or a share of the rows at hand."""

    examples: Examples | None = None
    share: float | None = None


def fit(
    learner: Learner,
    parameters: dict[str, Any],
    examples: Examples,
    held: Held | None = None,
    after_epoch: Told | None = None,
) -> State:
    """Epochs over all rows until there is a reason to stop, as ``fit`` of the estimator has it."""
    if learner.votes:
        return _fit_voted(learner, parameters, examples, held)
    import numpy as np

    from rosenblatt.core.model import LinearModel
    from rosenblatt.core.tables import as_rows, inspect
    from rosenblatt.core.training import train
    from rosenblatt.model.linear import fit_record, state_of

    rows = as_rows(examples.X)
    inspect(rows)
    classes, numbers = np.unique(examples.labels, return_inverse=True)
    labels = numbers.astype(np.int32)
    model = LinearModel(
        classes.tolist(),
        rows.n_features,
        dtype=rows.dtype,
        fit_intercept=parameters["fit_intercept"],
        averaged=learner.averaged,
        random=parameters["random_state"],
    )
    model.label_dtype = classes.dtype
    if parameters["record"]:
        model.start_recording()
    subset, watch = _watch(model, parameters, examples.X, labels, held)
    training = train(
        model.weights,
        learner.rule(parameters),
        rows,
        labels,
        max_iter=parameters["max_iter"],
        tol=parameters["tol"],
        shuffle=parameters["shuffle"],
        random=model.random,
        subset=subset,
        row_weights=examples.weights,
        recorder=model.recorder,
        watch=watch,
        after_epoch=after_epoch,
    )
    model.random = training.random
    model.n_mistakes = sum(training.mistakes_per_epoch)
    record, arrays = fit_record(training, converged=training.converged)
    if watch is not None:
        model.best = watch.best
        record.converged = training.converged and watch.best_epoch == training.n_iter
        record.validation_scores, record.best_iter = watch.scores, watch.best_epoch
    return state_of(
        model,
        learner=learner.estimator,
        parameters=parameters,
        feature_names=None,
        fit=record,
        fit_arrays=arrays,
    )


def _watch(
    model: LinearModel,
    parameters: dict[str, Any],
    X: Any,
    labels: npt.NDArray[np.int32],
    held: Held | None,
) -> tuple[npt.NDArray[np.int64] | None, Watch | None]:
    if held is None:
        return None, None
    import numpy as np

    from rosenblatt.core.held_out import hold_out
    from rosenblatt.core.scoring import scores
    from rosenblatt.core.tables import as_rows, inspect
    from rosenblatt.core.training import Watch
    from rosenblatt.errors import InputError

    subset = None
    if held.examples is None:
        share = parameters["validation_fraction"]
        try:
            subset, watched = hold_out(labels, share, parameters["random_state"])
        except InputError:
            raise InputError(
                f"--dev {share:g} of {len(labels):,} rows leaves none to watch; give more rows, a "
                "larger share or a file."
            ) from None
        dev, dev_labels = X[watched], labels[watched]
        held.examples = Examples(dev, np.array(model.classes)[dev_labels])
    else:
        dev = held.examples.X
        inspect(as_rows(dev), argument="the rows of --dev")
        dev_labels = np.array(
            [model.slots[label] for label in held.examples.labels.tolist()], np.int32
        )

    def score() -> float:
        found = scores(dev, *model.served())
        answers = (found > 0).astype(int) if found.ndim == 1 else found.argmax(axis=1)
        return float(np.mean(answers == dev_labels))

    def keep() -> Any:
        coef, bias = model.served()
        return coef.copy(), bias.copy()

    return subset, Watch(score, keep, parameters["n_iter_no_change"])


# ---------------------------------------------------------------------- one pass


def pass_over(learner: Learner, parameters: dict[str, Any], examples: Examples) -> State:
    """Learn from each row once, in their order, as ``partial_fit`` of a new estimator has it."""
    if learner.votes:
        return _voted_pass(_estimator(learner, parameters), examples)
    from rosenblatt.core.model import LinearModel
    from rosenblatt.core.tables import as_rows

    rows = as_rows(examples.X)
    model = LinearModel(
        [],
        rows.n_features,
        dtype=rows.dtype,
        fit_intercept=parameters["fit_intercept"],
        averaged=learner.averaged,
        random=parameters["random_state"],
    )
    return _passed(model, learner, parameters, examples, anew=True)


def go_on(state: State, learner: Learner, examples: Examples) -> State:
    """Learn from each row once, starting from a model that was read."""
    from rosenblatt.model import linear_model

    if learner.votes:
        import rosenblatt

        return _voted_pass(getattr(rosenblatt, learner.estimator)._from_state(state), examples)
    model = linear_model(state)
    n_features = examples.X.shape[1]
    if n_features > model.weights.n_features:
        model.weights.grow(n_features)
    # What is kept of a finished fit is no longer true once learning goes on.
    model.best = None
    anew = state.card.record.fit is not None
    return _passed(model, learner, state.card.parameters, examples, anew=anew)


def _passed(
    model: LinearModel,
    learner: Learner,
    parameters: dict[str, Any],
    examples: Examples,
    *,
    anew: bool,
) -> State:
    from rosenblatt.core.tables import as_rows, inspect
    from rosenblatt.model.linear import state_of

    rows = as_rows(examples.X)
    inspect(rows)
    if anew:
        model.recorder = None
        if parameters["record"]:
            model.weights.promote()
            model.start_recording()
    rows = model.weights.agree(examples.X, rows)
    read_on(model, learner.rule(parameters), rows, examples.labels, examples.weights)
    return state_of(
        model,
        learner=learner.estimator,
        parameters=parameters,
        feature_names=None,
        fit=None,
        fit_arrays={},
    )


def read_on(
    model: LinearModel,
    rule: Any,
    rows: Any,
    labels: npt.NDArray[Any],
    weights: npt.NDArray[np.float64] | None = None,
) -> None:
    """Learn from each row once, in place; a class joins at the row where it first appears."""
    import numpy as np

    classes, first, numbers = np.unique(labels, return_index=True, return_inverse=True)
    names = classes.tolist()
    places = sorted(
        (place, name)
        for place, name in zip(first.tolist(), names, strict=True)
        if name not in model.slots
    )
    start = 0
    for stop, joining in [*places, (rows.n_rows, None)]:
        if start < stop:
            _read_part(model, rule, rows, names, numbers, weights, start, stop)
        if joining is not None:
            model.admit(joining)
        start = stop


def _read_part(
    model: LinearModel,
    rule: Any,
    rows: Any,
    names: list[Any],
    numbers: npt.NDArray[Any],
    weights: npt.NDArray[np.float64] | None,
    start: int,
    stop: int,
) -> None:
    import numpy as np

    from rosenblatt.core.ledger import Recorder
    from rosenblatt.core.training import one_pass

    if len(model.classes) < 2:  # nothing to tell apart yet
        model.weights.t += stop - start
        return
    slots = np.array([model.slots.get(name, 0) for name in names], np.int32)
    recorder = None if model.recorder is None else Recorder()
    seen = model.seen_while_recording - start
    tally = one_pass(
        model.weights,
        rule,
        rows,
        slots[numbers],
        start=start,
        stop=stop,
        row_weights=weights,
        recorder=recorder,
    )
    model.n_mistakes += tally.mistakes
    if recorder is not None:
        model.record(recorder.entries, seen)


# ---------------------------------------------------------------------- with the estimator


def _estimator(learner: Learner, parameters: dict[str, Any]) -> Any:
    import rosenblatt

    return getattr(rosenblatt, learner.estimator)(**parameters)


def _fit_voted(
    learner: Learner, parameters: dict[str, Any], examples: Examples, held: Held | None
) -> State:
    estimator = _estimator(learner, parameters)
    dev = None
    if held is not None and held.examples is not None:
        dev = (held.examples.X, held.examples.labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the reason to stop is told anyway
        estimator.fit(
            examples.X,
            examples.labels,
            sample_weight=examples.weights,
            validation_set=dev,
        )
    state: State = estimator._to_state()
    return state


def _voted_pass(estimator: Any, examples: Examples) -> State:
    estimator.partial_fit(examples.X, examples.labels, sample_weight=examples.weights)
    state: State = estimator._to_state()
    return state
