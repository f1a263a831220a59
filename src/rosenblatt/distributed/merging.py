"""Several models into one: the weighted mean of what they learned, in a fixed order."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from rosenblatt import checks
from rosenblatt._kernels.tags.tag_weights import TagWeights
from rosenblatt.core.model import LinearModel
from rosenblatt.core.weights import ARRAYS as ROW_TABLES
from rosenblatt.core.weights import START_RATES, Scaling, Weights
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.structured.ledger import with_tags
from rosenblatt.structured.sentences import Encoder
from rosenblatt.structured.tagging import TagModel

Learner = TypeVar("Learner")
Tables = dict[str, npt.NDArray[Any]]
# Parameters that say how long and in which order to train, and nothing of what is learned.
OF_TRAINING = "max_iter shuffle random_state n_iter_no_change warm_start verbose tol"
OF_TRAINING += " early_stopping validation_fraction n_jobs"
# The weights of a tagger and, under these names, their running sums.
RUNNING_SUM_OF = {
    "rows": "row_running_sum",
    "steps": "step_running_sum",
    "pairs": "pair_running_sum",
}


class Part(NamedTuple):
    """What one model adds to a mean; ``features`` are those of the rows of a tagger.

    The average of a linear model began after ``average_from`` of its ``t`` examples; ``updates``
    and ``examples`` are those of weights that are scaled.
    """

    t: int
    n_mistakes: int
    tables: Tables
    features: Any = None
    by_feature: bool = False
    average_from: int = 0
    updates: int = 0
    examples: int = 0

    @property
    def n_averaged(self) -> int:
        return self.t - self.average_from


def merge(models: Sequence[Learner], weights: Sequence[float] | None = None) -> Learner:
    """One model of several: the weighted mean of their weights and of their averages.

    ``w = Σ cᵢ wᵢ / Σ cᵢ`` and, for a learner that averages, ``w̄ = Σ cᵢ w̄ᵢ / Σ cᵢ``; the counters of
    examples and mistakes are added up. Of rates, as the variances of AROW and SCW, the mean is
    taken as well. Products and sums are float64, and the order in which models are listed does not
    matter. A class, a tag or a feature with a name that a model has not met counts as zeros there.
    Where an earlier state predicts, as after early stopping, that is mixed.

    Parameters
    ----------
    models : sequence of learners
        Fitted linear learners, or sequence taggers, all of one class with the same parameters;
        those that only say how to train, as ``max_iter`` and ``random_state``, may differ.
    weights : sequence of float, default=None
        How much each model counts, as the number of its examples or mistakes; they need not add up
        to 1. None: all the same.

    Returns
    -------
    model : learner
        A new one that predicts and learns on. Of a single model it is that model, to the last bit.

    Examples
    --------
    >>> import rosenblatt
    >>> X, y = rosenblatt.datasets.digits()
    >>> halves = [rosenblatt.AveragedPerceptron().partial_fit(X[k::2], y[k::2]) for k in (0, 1)]
    >>> both = rosenblatt.distributed.merge(halves)
    >>> both.t_, bool(abs(both.coef_ - (halves[0].coef_ + halves[1].coef_) / 2).max() < 1e-12)
    (1797, True)
    """
    learners: list[Any] = list(models)
    if not learners:
        raise ParameterError("there are no models to merge: give at least one.")
    counts = [Fraction(1)] * len(learners) if weights is None else _counts(weights, len(learners))
    for number, learner in enumerate(learners):
        _refuse(learner, number, learners[0])
    states = [learner.to_state() for learner in learners]
    if len(learners) == 1:
        only: Learner = type(learners[0]).from_state(states[0])
        return only
    keys = []
    for count, state in zip(counts, states, strict=True):
        digest = hashlib.sha256(state.card.to_json().encode())
        for name in sorted(state.arrays):
            digest.update(name.encode() + np.ascontiguousarray(state.arrays[name]).tobytes())
        keys.append((count, digest.digest()))
    order = sorted(range(len(keys)), key=keys.__getitem__)
    merged: Learner = _merged([learners[k] for k in order], [counts[k] for k in order])
    return merged


def _counts(weights: Sequence[float], n: int) -> list[Fraction]:
    if len(weights) != n:
        raise ParameterError(f"there are {n} models but {len(weights)} weights: give one for each.")
    counts = [Fraction(checks.number("weights", c, at_least=0.0)) for c in weights]
    if not any(counts):
        raise ParameterError("all weights are 0, so that nothing would be left of the models.")
    return counts


def _refuse(learner: Any, number: int, first: Any) -> None:
    """Refuse what has no mean, or not one with the first."""
    model = getattr(learner, "_model", None)
    if not isinstance(model, LinearModel | TagModel):
        learner._refuse_unfitted()
        kind = type(learner).__name__
        raise ParameterError(f"a {kind} cannot be merged: it has no weight vectors to add up.")
    if learner.keeps_rows or model.recorder is not None:
        what = "votes with the rows of its mistakes" if learner.keeps_rows else "keeps a ledger"
        raise ParameterError(f"models[{number}] {what}, which have no mean. Train without.")
    model.refuse_slim()
    if type(learner) is not type(first):
        kinds = f"a {type(first).__name__} and a {type(learner).__name__}"
        raise ParameterError(f"{kinds} cannot be merged: give models of one class.")
    for name in learner.get_params().keys() - set(OF_TRAINING.split()):
        a, b = getattr(first, name), getattr(learner, name)
        if repr(a) != repr(b):
            raise ParameterError(
                f"models[0] has {name}={a!r}, but models[{number}] has {name}={b!r}: train all "
                "with the same."
            )
    if getattr(model, "dictionary", None) is not None:
        raise ParameterError("tag_dictionary counts the words of one training. Use None.")
    if _features_of(learner) != _features_of(first):
        raise InputError(
            f"models[0] and models[{number}] read other features: their number, names or schema "
            "differ. Only mappings and sentences may bring features that others lack."
        )


def _features_of(learner: Any) -> Any:
    """What must agree between models; columns and features that have names are matched instead."""
    model, names = learner._model, learner.__dict__.get("_feature_names")
    if isinstance(model, TagModel):
        encoder = model.encoder
        shape: Any = encoder.kind, encoder.templates and encoder.templates.texts
    else:
        fixed = model.weights.n_features, None if names is None else list(names)
        shape = fixed if model.columns is None else None
    scales = [part.tolist() for part in model.notes.get("scaling") or ()]
    return shape, model.notes.get("schema"), scales


def _merged(learners: Sequence[Any], counts: Sequence[Fraction]) -> Any:
    """As `merge` of models that fit together, summed in the order in which they are listed."""
    first, models = learners[0], [learner._model for learner in learners]
    joined, merged = models[0].copy(), type(first)(**first.get_params())
    for model in models[1:]:
        joined.admit_all(model.classes)
    merged._model = joined
    if isinstance(joined, TagModel):
        joined.encoder, places = joined_encoder([model.encoder for model in models])
        joined.weights = TagWeights(len(joined.tags), joined.order)
        joined.weights.know(joined.encoder.n_features)
        pairs = zip(models, places, strict=True)
        set_mean(joined, [_tag_part(own, joined, place) for own, place in pairs], counts)
        return merged
    columns = joined.columns or {}
    for name in (name for own in models for name in own.columns or ()):
        columns.setdefault(name, len(columns))
    set_mean(joined, [_row_part(own, joined, columns) for own in models], counts)
    merged.n_features_in_ = joined.weights.n_features
    if "_feature_names" in first.__dict__:
        merged._feature_names = first._feature_names
    return merged


def set_mean(model: Any, parts: Sequence[Part], counts: Sequence[Fraction]) -> None:
    """Give a model the mean of the parts, each counted so often, summed in their order.

    A feature of which a tagger's part has no row counts there as it is in the model.
    """
    t, total, old = sum(part.t for part in parts), float(sum(counts)), model.weights
    averaged = sum(part.n_averaged for part in parts)
    tables: dict[str, Any] = {}
    if isinstance(model, TagModel):
        tables["row_of"], changed, places = _rows_by_feature(old, parts)
    for name, like in parts[0].tables.items():
        by_row = name.startswith("row")
        mean = np.zeros((len(changed) if by_row else len(like), *like.shape[1:]))
        before = mean[:0]
        if name == "rows":
            before = old.rows[changed[changed < old.n_rows]].astype(np.float64)
        product = np.empty_like(before)
        for number, (part, count) in enumerate(zip(parts, counts, strict=True)):
            # Of a running sum, so that the mean w - sum / t is the mean of the means.
            of_sum = "sum" in name and part.n_averaged
            factor = float(count * (Fraction(averaged, part.n_averaged) if of_sum else 1))
            own = places[number] if by_row else slice(None)
            values = mean[own] + factor * part.tables[name].astype(np.float64)
            mean[: len(before)] += np.multiply(factor, before, out=product)
            mean[own] = values
        mean /= total
        tables[name] = mean
    if isinstance(model, TagModel):
        n_rows = int(tables["row_of"].max(initial=-1)) + 1
        for name, start in (
            ("rows", old.rows[: old.n_rows]),
            ("row_running_sum", old.row_running_sum[:0]),
        ):
            grown = np.zeros((n_rows, old.width), start.dtype)
            grown[: len(start)], grown[changed] = start, tables[name]
            tables[name] = grown
        model.weights, model._average = tag_weights(model, tables), None
    else:
        dtype = np.result_type(*(part.tables["coef"].dtype for part in parts))
        tables = dict.fromkeys(ROW_TABLES) | tables
        for name in ("coef", "intercept"):
            tables[name] = tables[name].astype(dtype)
        tables |= {"fit_intercept": old.fit_intercept, "t": 0, "rates": old.rates}
        if old.is_scaled:  # the parts are plain weights, whose scale is 1
            tables["scaling"] = Scaling(
                clock=float(averaged),
                since=t,
                updates=sum(part.updates for part in parts),
                examples=sum(part.examples for part in parts),
            )
        tables["average_from"] = t - averaged
        for name in ("coef_rate", "intercept_rate") if old.rates else ():
            tables[name] = np.minimum(tables[name], START_RATES[old.rates])  # but for rounding
        tables["by_feature"] = any(part.by_feature for part in parts)
        model.weights = Weights.from_arrays(tables)
        if old.is_scaled:
            model.weights.measure_length()
    model.t, model.best, model.calibration = t, None, None
    model.n_mistakes, model.next_row = sum(part.n_mistakes for part in parts), t


# ---------------------------------------------------------------------- linear models


def _row_part(own: LinearModel, joined: LinearModel, columns: dict[Any, int]) -> Part:
    """Weights and sums by class and, if they have names, by feature as the joined model has."""
    twin = own.copy()
    if own.best is not None:  # what predicts, with no past of its own
        arrays = own.weights.to_arrays()
        for name, best in zip(("coef", "intercept"), own.best, strict=True):
            arrays[name] = best
            arrays[f"{name}_sum"] = np.zeros(best.shape) if own.weights.averaged else None
        twin.weights = Weights.from_arrays(arrays)
    twin.admit_all(joined.classes)
    order = [twin.slots[label] for label in joined.classes] if twin.n_vectors > 1 else [0]
    tables = row_tables(twin.weights)
    for name, values in tables.items():
        tables[name] = values[order]
        if columns and name.startswith("coef"):
            start = START_RATES[twin.weights.rates or ""] if name == "coef_rate" else 0.0
            tables[name] = np.full((len(order), len(columns)), start)
            tables[name][:, [columns[feature] for feature in own.columns or ()]] = values[order]
    weights = own.weights
    numbers = Scaling(*weights.scaling)
    return Part(
        own.t,
        own.n_mistakes,
        tables,
        None,
        weights.by_feature,
        weights.average_from,
        numbers.updates,
        numbers.examples,
    )


def row_tables(weights: Weights) -> Tables:
    arrays = weights.to_arrays()
    return {name: arrays[name] for name in ROW_TABLES if arrays[name] is not None}


# ---------------------------------------------------------------------- taggers


def joined_encoder(encoders: list[Encoder]) -> tuple[Encoder, list[npt.NDArray[Any]]]:
    """An encoder that knows the words and features of all, and where those of each are in it."""
    joined = encoders[0].copy()
    if joined.templates is not None:
        new: list[dict[str, int]] = [{} for _ in joined.known]
        for encoder in encoders[1:]:
            for known, more, words in zip(joined.known, new, encoder.known, strict=True):
                for word in words:
                    if word not in known:
                        more.setdefault(word, len(known) + len(more))
        if any(new):
            joined._remember(new, joined.templates.hashes([list(words) for words in new]))
    return joined, [joined.table.numbers_of(encoder.table.hashes) for encoder in encoders]


def features_by_row(weights: TagWeights) -> npt.NDArray[np.int64]:
    """The features that have a row of weights, in the order of the rows."""
    known, found = np.flatnonzero(weights.row_of >= 0), np.empty(weights.n_rows, np.int64)
    found[weights.row_of[known]] = known
    return found


def _rows_by_feature(old: TagWeights, parts: Sequence[Part]) -> tuple[Any, Any, list[Any]]:
    """The row of every feature; those that are new or changed, and which of these each part has."""
    row_of, n_rows = old.row_of.copy(), old.n_rows
    for part in parts:
        new = part.features[row_of[part.features] < 0]
        row_of[new] = np.arange(n_rows, n_rows + len(new))
        n_rows += len(new)
    changed, rows = np.zeros(n_rows, bool), [row_of[part.features] for part in parts]
    for own in rows:
        changed[own] = True
    place = np.cumsum(changed) - 1
    return row_of, np.flatnonzero(changed), [place[own] for own in rows]


def _tag_part(own: TagModel, joined: TagModel, place: npt.NDArray[Any]) -> Part:
    """Weights and sums by feature and tag as the joined model has them."""
    grown = own.weights if own.tags == joined.tags else with_tags(own.weights, len(joined.tags))
    tables = grown.arrays()
    del tables["row_of"]
    if own.best is not None:  # what predicts, with no past of its own
        for name, sums in RUNNING_SUM_OF.items():
            kept, tables[sums] = getattr(own.best, name), np.zeros(tables[name].shape)
            tables[name] = np.zeros_like(tables[name])
            tables[name][: len(kept), : kept.shape[1]] = kept
    names = [*own.tags, *(tag for tag in joined.tags if tag not in own.slots)]
    if names != joined.tags:
        n, to = len(names), np.array([joined.slots[tag] for tag in names])
        before = np.append(to, n)
        after = {"step": before, "pair": (before[:, None] * (n + 1) + before).ravel()}
        for name, values in tables.items():
            rows = after.get(name[:4], np.arange(len(values)))[: len(values)]
            tables[name] = np.zeros(values.shape)
            tables[name][np.ix_(rows, to)] = values[:, :n]
    return Part(own.t, own.n_mistakes, tables, place[features_by_row(own.weights)])


def cut(weights: TagWeights, places: npt.NDArray[Any]) -> Tables:
    """The weights of some features, numbered anew in this order, without sums."""
    rows = weights.row_of[places]
    known = rows >= 0
    row_of = np.where(known, np.cumsum(known) - 1, -1).astype(np.int32)
    tables = {"row_of": row_of, "rows": weights.rows.take(rows[known], axis=0)}
    return tables | {"steps": weights.steps, "pairs": weights.pairs}


def tag_weights(model: TagModel, tables: Tables) -> TagWeights:
    """Weights of these tables; sums that are not there begin at 0."""
    weights, tables = TagWeights(len(model.tags), model.order), dict(tables)
    for name, sums in RUNNING_SUM_OF.items():
        tables[name] = tables[name].astype(np.float32, copy=False)
        tables.setdefault(sums, np.zeros(tables[name].shape))
    weights.set(**tables)
    return weights


def changed_part(model: TagModel, start: Tables) -> Part:
    """What was learned since the start; of the rows by feature only those that it changed."""
    weights, n, changed = model.weights, len(start["rows"]), np.ones(model.weights.n_rows, bool)
    changed[:n] = False
    for differs in (weights.rows[:n] != start["rows"], weights.row_running_sum[:n] != 0.0):
        changed[np.flatnonzero(differs) // weights.width] = True
    tables, rows = weights.arrays(), np.flatnonzero(changed)
    del tables["row_of"]
    tables |= {name: tables[name].take(rows, axis=0) for name in ("rows", "row_running_sum")}
    return Part(model.t, model.n_mistakes, tables, features_by_row(weights)[rows])
