"""Several models into one: the weighted mean of what they learned, in a fixed order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from rosenblatt import checks
from rosenblatt._kernels.tags.tag_features import FeatureTable
from rosenblatt._kernels.tags.tag_weights import TagWeights
from rosenblatt.core.model import LinearModel
from rosenblatt.core.weights import Weights
from rosenblatt.errors import InputError, ParameterError
from rosenblatt.structured.ledger import with_tags
from rosenblatt.structured.sentences import Encoder
from rosenblatt.structured.tagging import TagModel

Learner = TypeVar("Learner")
Tables = dict[str, npt.NDArray[Any]]
# By name: how many rows the sum has, which of them these are, and the values.
Parts = dict[str, tuple[int, Any, npt.NDArray[Any]]]
# Parameters that say how long and in which order to train, and nothing of what is learned.
OF_TRAINING = "max_iter shuffle random_state n_iter_no_change warm_start verbose tol"
OF_TRAINING += " early_stopping validation_fraction"
ROW_TABLES = ("coef", "intercept", "coef_sum", "intercept_sum")
# The weights of a tagger and, under these names, their running sums.
SUMS_OF = {"rows": "row_sums", "steps": "step_sums", "pairs": "pair_sums"}


def merge(models: Sequence[Learner], weights: Sequence[float] | None = None) -> Learner:
    """One model of several: the weighted mean of their weights and of their averages.

    ``w = Σ cᵢ wᵢ / Σ cᵢ`` and, for a learner that averages, ``w̄ = Σ cᵢ w̄ᵢ / Σ cᵢ``; the counters of
    examples and mistakes are added up. Products and sums are float64, and the order in which models
    are listed does not matter. A class, a tag or a feature with a name that a model has not met
    counts as zeros there. Where an earlier state predicts, as after early stopping, that is mixed.

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
    merged: Learner = mix([learners[k] for k in order], [counts[k] for k in order])
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
        encoder = learner._encoder
        shape: Any = encoder.kind, encoder.templates and encoder.templates.texts
    else:
        fixed = model.weights.n_features, None if names is None else list(names)
        shape = fixed if model.columns is None else None
    return shape, model.notes.get("schema")


def mix(learners: Sequence[Any], counts: Sequence[Fraction]) -> Any:
    """As `merge` of models that fit together, summed in the order in which they are listed."""
    first, models = learners[0], [learner._model for learner in learners]
    joined = models[0].copy()
    for model in models[1:]:
        joined.admit_all(model.classes)
    merged = type(first)(**first.get_params())
    if isinstance(joined, TagModel):
        places: list[Any] = [None] * len(models)
        if first._encoder is not None:  # else all number their features alike
            merged._encoder, places = joined_encoder([learner._encoder for learner in learners])
        row_of, rows = _rows_by_feature(models, places)
        arranged = _tag_tables(models, joined, rows, int(row_of.max(initial=-1)) + 1)
        joined._average = None
    else:
        arranged = _row_tables(models, joined)
    t, tables = sum(model.t for model in models), dict[str, Any]()
    for model, count, own in zip(models, counts, arranged, strict=True):
        for name, (n, place, values) in own.items():
            # Of a running sum, so that the mean w - sum / t is the mean of the means.
            of_sum = Fraction(t, model.t) if "sum" in name and model.t else 1
            total = tables.setdefault(name, np.zeros((n, *values.shape[1:])))
            total[place] += float(count * of_sum) * values.astype(np.float64)
    for name in tables:
        tables[name] /= float(sum(counts))
    if isinstance(joined, TagModel):
        joined.weights = _tag_weights(joined, row_of, tables)
    else:
        joined.weights = _row_weights(joined, models, tables)
    joined.t, joined.best = t, None
    joined.n_mistakes, joined.next_row = sum(model.n_mistakes for model in models), t
    merged._model = joined
    if not isinstance(joined, TagModel):
        merged.n_features_in_ = joined.weights.n_features
        if "_feature_names" in first.__dict__:
            merged._feature_names = first._feature_names
    return merged


# ---------------------------------------------------------------------- linear models


def _row_tables(models: list[LinearModel], joined: LinearModel) -> Iterator[Parts]:
    """Weights and sums of each, by class and, if they have names, by feature as the joined has."""
    columns = joined.columns or {}
    for name in (name for own in models for name in own.columns or ()):
        columns.setdefault(name, len(columns))
    for own in models:
        twin = own.copy()
        if own.best is not None:  # what predicts, with no past of its own
            arrays = own.weights.to_arrays()
            for name, best in zip(("coef", "intercept"), own.best, strict=True):
                arrays[name] = best
                arrays[f"{name}_sum"] = np.zeros(best.shape) if own.weights.averaged else None
            twin.weights = Weights.from_arrays(arrays)
        twin.admit_all(joined.classes)
        order = [twin.slots[label] for label in joined.classes] if twin.n_vectors > 1 else [0]
        arrays = twin.weights.to_arrays()
        parts: Parts = {}
        for name in (name for name in ROW_TABLES if arrays[name] is not None):
            values = arrays[name][order]
            if columns and name.startswith("coef"):
                narrow, values = values, np.zeros((len(values), len(columns)))
                values[:, [columns[feature] for feature in own.columns or ()]] = narrow
            parts[name] = len(values), slice(None), values
        yield parts


def _row_weights(joined: LinearModel, models: list[LinearModel], tables: Tables) -> Weights:
    dtype = np.result_type(*(own.weights.table.dtype for own in models))
    arrays: dict[str, Any] = dict.fromkeys(ROW_TABLES) | tables
    for name in ("coef", "intercept"):
        arrays[name] = tables[name].astype(dtype)
    arrays |= {"fit_intercept": joined.weights.fit_intercept, "t": 0}
    arrays["by_feature"] = any(own.weights.by_feature for own in models)
    return Weights.from_arrays(arrays)


# ---------------------------------------------------------------------- taggers


def joined_encoder(encoders: list[Encoder]) -> tuple[Encoder, list[npt.NDArray[Any]]]:
    """An encoder that knows the words and features of all, and where those of each are in it."""
    joined, hashes = encoders[0].copy(), encoders[0].table.hashes
    for encoder in encoders[1:]:
        own = encoder.table.hashes
        if not np.array_equal(own, hashes[: len(own)]):
            hashes = np.concatenate([hashes, own[~np.isin(own, hashes)]])
        if joined.templates is not None:
            new: list[dict[str, int]] = []
            for known, words in zip(joined.known, encoder.known, strict=True):
                more = [word for word in words if word not in known]
                new.append({word: len(known) + k for k, word in enumerate(more)})
            if any(new):
                joined._remember(new, joined.templates.hashes([list(words) for words in new]))
    if len(hashes) > joined.n_features:
        joined.table = FeatureTable(hashes)
    order = np.argsort(hashes)
    tables = [encoder.table.hashes for encoder in encoders]
    return joined, [order[np.searchsorted(hashes, own, sorter=order)] for own in tables]


def _rows_by_feature(models: list[TagModel], places: list[Any]) -> tuple[Any, list[Any]]:
    """The row of every feature that has one in any model, and those of the rows of each.

    Features of the first model come first, in their order.
    """
    numbered = [np.arange(len(own.weights.row_of)) for own in models]
    places = [own if place is None else place for place, own in zip(places, numbered, strict=True)]
    row_of = np.full(1 + max(int(own.max(initial=-1)) for own in places), -1, np.int32)
    n_rows, rows = 0, []
    for own, place in zip(models, places, strict=True):
        known = np.flatnonzero(own.weights.row_of >= 0)
        feature = place[known][np.argsort(own.weights.row_of[known])]
        new = feature[row_of[feature] < 0]
        row_of[new] = np.arange(n_rows, n_rows + len(new))
        n_rows += len(new)
        rows.append(row_of[feature])
    return row_of, rows


def _tag_tables(
    models: list[TagModel], joined: TagModel, rows: list[Any], n_rows: int
) -> Iterator[Parts]:
    """Weights and sums of each, and where the joined model has these features and tags."""
    for own, row in zip(models, rows, strict=True):
        grown = own.weights if own.tags == joined.tags else with_tags(own.weights, len(joined.tags))
        tables = grown.arrays()
        if own.best is not None:  # what predicts, with no past of its own
            for name, sums in SUMS_OF.items():
                kept, tables[sums] = getattr(own.best, name), np.zeros(tables[name].shape)
                tables[name] = np.zeros_like(tables[name])
                tables[name][: len(kept), : kept.shape[1]] = kept
        names = [*own.tags, *(tag for tag in joined.tags if tag not in own.slots)]
        n, to = len(names), np.array([joined.slots[tag] for tag in names])
        before = np.append(to, n)
        at = {"step": before, "pair": (before[:, None] * (n + 1) + before).ravel(), "row": row}
        parts: Parts = {}
        for name in (*SUMS_OF, *SUMS_OF.values()):
            values, kind = tables[name], name.removesuffix("s").removesuffix("_sum")
            place: Any = at[kind][: len(values)]
            if names != joined.tags:
                turned, values = values, np.zeros(values.shape)
                values[:, to] = turned[:, :n]
            parts[name] = n_rows if kind == "row" else len(values), place, values
        yield parts


def _tag_weights(joined: TagModel, row_of: Any, tables: Tables) -> TagWeights:
    weights = TagWeights(len(joined.tags), joined.order)
    for name in SUMS_OF:
        tables[name] = tables[name].astype(np.float32)
    weights.set(row_of=row_of, **tables)
    return weights
