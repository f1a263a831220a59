"""Merging of several models into one: the weighted mean of their weights, in a fixed order."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from rosenblatt import checks
from rosenblatt.engine.tags.tag_weights import TagWeights
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.models.linear import LinearModel
from rosenblatt.models.sentences import Encoder
from rosenblatt.models.structured_ledger import with_tags
from rosenblatt.models.tags import TagModel
from rosenblatt.models.weights import ARRAYS as ROW_TABLES
from rosenblatt.models.weights import START_RATES, Scaling, Weights

if TYPE_CHECKING:
    from rosenblatt.arrays import AnyArray, IndexArray, Int32Array, IntArray
    from rosenblatt.estimators.learner import Learner as AnyLearner

Learner = TypeVar("Learner")
Tables = dict[str, npt.NDArray[Any]]
# Parameters that decide how long and in which order to train. Merged models may differ in them.
TRAINING_PARAMETERS = frozenset(
    {
        "max_iter",
        "shuffle",
        "random_state",
        "n_iter_no_change",
        "warm_start",
        "verbose",
        "tol",
        "early_stopping",
        "validation_fraction",
        "n_jobs",
    }
)
# The names of the weights of a tagger, and those of their running sums.
RUNNING_SUM_OF = {
    "rows": "row_running_sum",
    "steps": "step_running_sum",
    "pairs": "pair_running_sum",
}


class Part(NamedTuple):
    """The contribution of one model to a mean.

    ``features`` are the features of the rows of a tagger. The average of a linear model began after
    ``average_from`` of its ``t`` examples. ``updates`` and ``examples`` count for scaled weights.
    """

    t: int
    n_mistakes: int
    tables: Tables
    features: npt.NDArray[Any] | None = None
    by_feature: bool = False
    average_from: int = 0
    updates: int = 0
    examples: int = 0

    @property
    def n_averaged(self) -> int:
        return self.t - self.average_from


def merge(models: Sequence[Learner], weights: Sequence[float] | None = None) -> Learner:
    """Merge several models into one: the weighted mean of their weights and of their averages.

    ``w = Σ cᵢ wᵢ / Σ cᵢ`` and, for a learner that averages, ``w̄ = Σ cᵢ w̄ᵢ / Σ cᵢ``. The counters of
    examples and mistakes are added. Rates, such as the variances of AROW and SCW, are averaged as
    well. Products and sums are float64, and the order of the models does not matter. If a model has
    not seen a class, a tag or a named feature, its weights count as zeros. If an earlier state
    predicts, as after early stopping, that state is merged.

    Parameters
    ----------
    models : sequence of learners
        Fitted linear learners or sequence taggers, all of one class with the same parameters.
        Parameters that only control training, such as ``max_iter`` and ``random_state``, may
        differ.
    weights : sequence of float, default=None
        The weight of each model, for example the number of its examples or mistakes. They need not
        sum to 1. None gives all models the same weight.

    Returns
    -------
    model : learner
        A new learner that can predict and continue to learn. For a single model it is the same
        model, to the last bit.

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
    counts = _read_counts(weights, len(learners))
    for number, learner in enumerate(learners):
        _check_can_merge(learner, number, learners[0])
    states = [learner.to_state() for learner in learners]
    if len(learners) == 1:
        only: Learner = type(learners[0]).from_state(states[0])
        return only

    # Sort the models by weight and content, so that their order does not change the rounding.
    keys = []
    for count, state in zip(counts, states, strict=True):
        digest = hashlib.sha256(state.card.to_json().encode())
        for name in sorted(state.arrays):
            digest.update(name.encode() + np.ascontiguousarray(state.arrays[name]).tobytes())
        keys.append((count, digest.digest()))
    order = sorted(range(len(keys)), key=keys.__getitem__)
    merged: Learner = _merged([learners[k] for k in order], [counts[k] for k in order])
    return merged


def _read_counts(weights: Sequence[float] | None, n: int) -> list[Fraction]:
    """Validate the weights of the models; return them as fractions."""
    if weights is None:
        return [Fraction(1)] * n
    if len(weights) != n:
        raise ParameterError(f"there are {n} models but {len(weights)} weights: give one for each.")
    counts = [Fraction(checks.number("weights", c, at_least=0.0)) for c in weights]
    if not any(counts):
        raise ParameterError("all weights are 0, so that nothing would be left of the models.")
    return counts


def _check_can_merge(learner: Any, number: int, first: AnyLearner) -> None:
    """Raise an error if a model has no mean, or does not match the first model."""
    # Anything may be given here, so the model is looked up by name.
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
    for name in learner.get_params().keys() - TRAINING_PARAMETERS:
        a = getattr(first, name)
        b = getattr(learner, name)
        if repr(a) != repr(b):
            raise ParameterError(
                f"models[0] has {name}={a!r}, but models[{number}] has {name}={b!r}: train all "
                "with the same."
            )
    if isinstance(model, TagModel) and model.dictionary is not None:
        raise ParameterError("tag_dictionary counts the words of one training. Use None.")
    if _features_of(learner) != _features_of(first):
        raise InputError(
            f"models[0] and models[{number}] read other features: their number, names or schema "
            "differ. Only mappings and sentences may bring features that others lack."
        )


def _features_of(learner: AnyLearner) -> tuple[object, ...]:
    """Return a key that must be equal for all models: their features, schema and scaling.

    Columns of mappings and features of sentences are matched by name instead.
    """
    model = learner._model
    shape: tuple[object, ...] | None = None
    if isinstance(model, TagModel):
        encoder = model.encoder
        shape = (encoder.kind, encoder.templates and encoder.templates.texts)
    elif model.columns is None:
        names = learner.__dict__.get("_feature_names")
        shape = (model.weights.n_features, None if names is None else list(names))
    scales = [part.tolist() for part in model.column_scaling or ()]
    return shape, model.schema, scales


def _merged(learners: Sequence[Any], counts: Sequence[Fraction]) -> Any:
    """Merge models that match each other, summed in the order in which they are listed."""
    first = learners[0]
    models = [learner._model for learner in learners]

    # A new learner with the classes of all models.
    joined = models[0].copy()
    for model in models[1:]:
        joined.admit_all(model.classes)
    merged = type(first)(**first.get_params())
    merged._model = joined

    if isinstance(joined, TagModel):
        joined.encoder, places = joined_encoder([model.encoder for model in models])
        joined.weights = TagWeights(len(joined.tags), joined.order)
        joined.weights.know(joined.encoder.n_features)
        pairs = zip(models, places, strict=True)
        set_mean(joined, [_tag_part(own, joined, place) for own, place in pairs], counts)
        return merged

    columns = joined.columns or {}
    for own in models:
        for name in own.columns or ():
            columns.setdefault(name, len(columns))
    set_mean(joined, [_row_part(own, joined, columns) for own in models], counts)
    merged.n_features_in_ = joined.weights.n_features
    if "_feature_names" in first.__dict__:
        merged._feature_names = first._feature_names
    return merged


def set_mean(
    model: LinearModel | TagModel, parts: Sequence[Part], counts: Sequence[Fraction]
) -> None:
    """Set the weights of a model to the weighted mean of the parts, summed in their order.

    If a part of a tagger has no row for a feature, the row of the model counts in its place.
    """
    t = sum(part.t for part in parts)
    if isinstance(model, TagModel):
        _set_tag_mean(model, parts, counts)
    else:
        _set_row_mean(model, parts, counts, t)
    model.t = t
    model.best = None
    model.calibration = None
    model.n_mistakes = sum(part.n_mistakes for part in parts)
    model.next_row = t


def _factor(name: str, part: Part, count: Fraction, n_averaged: int) -> float:
    """Return the factor of a table in the mean.

    The average is ``w - sum / t``. A running sum is scaled to the examples of all parts, so that
    the merged average is the mean of the averages.
    """
    if "sum" in name and part.n_averaged:
        return float(count * Fraction(n_averaged, part.n_averaged))
    return float(count)


def _set_tag_mean(model: TagModel, parts: Sequence[Part], counts: Sequence[Fraction]) -> None:
    """Set the weights of a tagger to the weighted mean of the parts."""
    old = model.weights
    total = float(sum(counts))
    n_averaged = sum(part.n_averaged for part in parts)
    row_of, changed, places = _rows_by_feature(old, parts)
    tables: Tables = {"row_of": row_of}
    for name, like in parts[0].tables.items():
        by_row = name.startswith("row")
        mean = np.zeros((len(changed) if by_row else len(like), *like.shape[1:]))
        # The rows that the model has already: they come first, and count in every part that has no
        # such row.
        before = mean[:0]
        if name == "rows":
            before = old.rows[changed[changed < old.n_rows]].astype(np.float64)
        product = np.empty_like(before)
        for number, (part, count) in enumerate(zip(parts, counts, strict=True)):
            factor = _factor(name, part, count, n_averaged)
            own = places[number] if by_row else slice(None)
            values = mean[own] + factor * part.tables[name].astype(np.float64)
            mean[: len(before)] += np.multiply(factor, before, out=product)
            mean[own] = values
        mean /= total
        tables[name] = mean

    # Put the changed rows among those that stay.
    n_rows = int(row_of.max(initial=-1)) + 1
    for name, start in (
        ("rows", old.rows[: old.n_rows]),
        ("row_running_sum", old.row_running_sum[:0]),
    ):
        grown = np.zeros((n_rows, old.width), start.dtype)
        grown[: len(start)] = start
        grown[changed] = tables[name]
        tables[name] = grown
    model.weights = tag_weights(model, tables)
    model._average = None


def _set_row_mean(
    model: LinearModel, parts: Sequence[Part], counts: Sequence[Fraction], t: int
) -> None:
    """Set the weights of a linear model to the weighted mean of the parts."""
    old = model.weights
    total = float(sum(counts))
    n_averaged = sum(part.n_averaged for part in parts)
    tables: dict[str, Any] = dict.fromkeys(ROW_TABLES)
    for name, like in parts[0].tables.items():
        mean = np.zeros(like.shape)
        for part, count in zip(parts, counts, strict=True):
            factor = _factor(name, part, count, n_averaged)
            mean += factor * part.tables[name].astype(np.float64)
        mean /= total
        tables[name] = mean

    dtype = np.result_type(*(part.tables["coef"].dtype for part in parts))
    for name in ("coef", "intercept"):
        tables[name] = tables[name].astype(dtype)
    if old.rates:
        # Rounding must not raise a rate above its start.
        for name in ("coef_rate", "intercept_rate"):
            tables[name] = np.minimum(tables[name], START_RATES[old.rates])
    tables["fit_intercept"] = old.fit_intercept
    tables["t"] = 0
    tables["rates"] = old.rates
    tables["average_from"] = t - n_averaged
    tables["by_feature"] = any(part.by_feature for part in parts)
    if old.is_scaled:
        # The parts hold the weights themselves, whose scale is 1.
        tables["scaling"] = Scaling(
            clock=float(n_averaged),
            since=t,
            updates=sum(part.updates for part in parts),
            examples=sum(part.examples for part in parts),
        )
    model.weights = Weights.from_arrays(tables)
    if old.is_scaled:
        model.weights.measure_length()


# ---------------------------------------------------------------------- linear models


def _row_part(own: LinearModel, joined: LinearModel, columns: dict[Hashable, int]) -> Part:
    """Return the part of a model, in the classes and named features of the joined model."""
    twin = own.copy()
    if own.best is not None:
        # An earlier state predicts, and it has no running sums.
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
            places = [columns[feature] for feature in own.columns or ()]
            tables[name] = np.full((len(order), len(columns)), start)
            tables[name][:, places] = values[order]
    scaling = Scaling(*own.weights.scaling)
    return Part(
        own.t,
        own.n_mistakes,
        tables,
        by_feature=own.weights.by_feature,
        average_from=own.weights.average_from,
        updates=scaling.updates,
        examples=scaling.examples,
    )


def row_tables(weights: Weights) -> Tables:
    """Return the tables of the weights of a linear model, by name."""
    arrays = weights.to_arrays()
    return {name: arrays[name] for name in ROW_TABLES if arrays[name] is not None}


# ---------------------------------------------------------------------- taggers


def joined_encoder(encoders: list[Encoder]) -> tuple[Encoder, list[Int32Array]]:
    """Join encoders; return the joint one, and the joint feature indices of each encoder."""
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
    """Return the features that have a row of weights, in the order of the rows."""
    known = np.flatnonzero(weights.row_of >= 0)
    features = np.empty(weights.n_rows, np.int64)
    features[weights.row_of[known]] = known
    return features


def _rows_by_feature(
    old: TagWeights, parts: Sequence[Part]
) -> tuple[Int32Array, IndexArray, list[IndexArray]]:
    """Return the row of every feature, the rows that are new or changed, and those of each part.

    The rows of a part are positions among the changed rows.
    """
    row_of = old.row_of.copy()
    n_rows = old.n_rows
    for part in parts:
        # Every part of a tagger has features.
        assert part.features is not None
        new = part.features[row_of[part.features] < 0]
        row_of[new] = np.arange(n_rows, n_rows + len(new))
        n_rows += len(new)
    rows = [row_of[part.features] for part in parts]
    is_changed = np.zeros(n_rows, bool)
    for own in rows:
        is_changed[own] = True
    position = np.cumsum(is_changed) - 1
    return row_of, np.flatnonzero(is_changed), [position[own] for own in rows]


def _tag_part(own: TagModel, joined: TagModel, place: AnyArray) -> Part:
    """Return the part of a tagger, in the features and tags of the joined model."""
    grown = own.weights if own.tags == joined.tags else with_tags(own.weights, len(joined.tags))
    tables = grown.arrays()
    del tables["row_of"]
    if own.best is not None:
        # An earlier state predicts, and it has no running sums.
        for name, sums in RUNNING_SUM_OF.items():
            kept = getattr(own.best, name)
            tables[sums] = np.zeros(tables[name].shape)
            tables[name] = np.zeros_like(tables[name])
            tables[name][: len(kept), : kept.shape[1]] = kept

    # Reorder the tags. The rows of steps are the previous tag, those of pairs the two previous
    # tags; tag number n stands for the start of a sentence.
    names = [*own.tags, *(tag for tag in joined.tags if tag not in own.slots)]
    if names != joined.tags:
        n = len(names)
        to = np.array([joined.slots[tag] for tag in names])
        before = np.append(to, n)
        after = {"step": before, "pair": (before[:, None] * (n + 1) + before).ravel()}
        for name, values in tables.items():
            rows = after.get(name[:4], np.arange(len(values)))[: len(values)]
            tables[name] = np.zeros(values.shape)
            tables[name][np.ix_(rows, to)] = values[:, :n]
    return Part(own.t, own.n_mistakes, tables, place[features_by_row(own.weights)])


def cut(weights: TagWeights, places: AnyArray) -> Tables:
    """Return the weights of some features, renumbered in this order, without running sums."""
    rows = weights.row_of[places]
    has_row = rows >= 0
    return {
        "row_of": np.where(has_row, np.cumsum(has_row) - 1, -1).astype(np.int32),
        "rows": weights.rows.take(rows[has_row], axis=0),
        "steps": weights.steps,
        "pairs": weights.pairs,
    }


def tag_weights(model: TagModel, tables: Tables) -> TagWeights:
    """Return the weights of a tagger with these tables; missing running sums start at 0."""
    weights = TagWeights(len(model.tags), model.order)
    tables = dict(tables)
    for name, sums in RUNNING_SUM_OF.items():
        tables[name] = tables[name].astype(np.float32, copy=False)
        tables.setdefault(sums, np.zeros(tables[name].shape))
    weights.set(**tables)
    return weights


def changed_part(model: TagModel, start: Tables) -> Part:
    """Return the contribution of a tagger since ``start``, with only the rows that changed."""
    weights = model.weights
    n = len(start["rows"])
    # All rows after the first n are new.
    is_changed = np.ones(weights.n_rows, bool)
    is_changed[:n] = False
    for differs in (weights.rows[:n] != start["rows"], weights.row_running_sum[:n] != 0.0):
        is_changed[np.flatnonzero(differs) // weights.width] = True
    rows = np.flatnonzero(is_changed)
    tables = weights.arrays()
    del tables["row_of"]
    for name in ("rows", "row_running_sum"):
        tables[name] = tables[name].take(rows, axis=0)
    return Part(model.t, model.n_mistakes, tables, features_by_row(weights)[rows])
