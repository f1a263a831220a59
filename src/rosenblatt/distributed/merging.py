"""Several models into one: the weighted mean of what they learned, in a fixed order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
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
Array = npt.NDArray[Any]
# Parameters that say how long and in which order to train, and nothing of what is learned.
OF_TRAINING = "max_iter shuffle random_state n_iter_no_change warm_start verbose tol"
OF_TRAINING += " early_stopping validation_fraction"
KINDS = ("rows", "steps", "pairs")


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
    names = []
    for state in states:
        digest = hashlib.sha256(state.card.to_json().encode())
        for name in sorted(state.arrays):
            digest.update(name.encode() + np.ascontiguousarray(state.arrays[name]).tobytes())
        names.append(digest.hexdigest())
    order = sorted(range(len(learners)), key=lambda k: (counts[k], names[k]))
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
    """Refuse what has no sum: no weights, rows that vote, a ledger, other settings."""
    kind, model = type(learner).__name__, getattr(learner, "_model", None)
    if not isinstance(model, LinearModel | TagModel):
        learner._refuse_unfitted()
        raise ParameterError(f"a {kind} cannot be merged: it has no weight vectors to add up.")
    if learner.keeps_rows or model.recorder is not None:
        what = "votes with the rows of its mistakes" if learner.keeps_rows else "keeps a ledger"
        raise ParameterError(f"models[{number}] {what}, which have no mean. Train without.")
    model.refuse_slim()
    if type(learner) is not type(first):
        kinds = f"a {type(first).__name__} and a {kind}"
        raise ParameterError(f"{kinds} cannot be merged: give models of one class.")
    for name in learner.get_params().keys() - set(OF_TRAINING.split()):
        a, b = getattr(first, name), getattr(learner, name)
        if repr(a) != repr(b):
            raise ParameterError(
                f"models[0] has {name}={a!r}, but models[{number}] has {name}={b!r}: train all "
                "with the same."
            )
    if isinstance(model, TagModel):
        own, other = first._encoder, learner._encoder
        same = (own.kind, own.templates and own.templates.texts) == (
            (other.kind, other.templates and other.templates.texts)
        )
        if model.dictionary is not None:
            raise ParameterError("tag_dictionary counts the words of one training. Use None.")
    else:
        same = _features_of(learner) == _features_of(first)
    if not same or model.notes.get("schema") != first._model.notes.get("schema"):
        raise InputError(
            f"models[0] and models[{number}] read other features: their number, names or schema "
            "differ. Only mappings and sentences may bring features that others lack."
        )


def _features_of(learner: Any) -> Any:
    """What must agree between models; columns that came by name are matched instead."""
    if learner._model.columns is not None:
        return None
    names = learner.__dict__.get("_feature_names")
    return learner._model.weights.n_features, None if names is None else list(names)


def mix(learners: Sequence[Any], counts: Sequence[Fraction | int]) -> Any:
    """As `merge` of models that fit together, summed in the order in which they are listed."""
    first = learners[0]
    model = first._model.copy()
    for learner in learners[1:]:
        model.admit_all(learner._model.classes)
    ts = [learner._model.t for learner in learners]
    t, total = sum(ts), sum(counts)
    # Of the running sums: w̄ = w - sum / t is to be the mean of the means.
    factors = [
        Fraction(c) * t / (total * own) if own else 0 for c, own in zip(counts, ts, strict=True)
    ]
    shares = Mean([float(c) for c in counts], float(total)), Mean([float(f) for f in factors], 1.0)
    merged = type(first)(**first.get_params())
    models = [learner._model for learner in learners]
    if isinstance(model, TagModel):
        merged._encoder, places = _joined_encoder([learner._encoder for learner in learners])
        model.weights = _mixed_tags(models, model, places, *shares)
        model._average = None
    else:
        model.weights = _mixed_rows(models, model, *shares)
        merged.n_features_in_ = model.weights.n_features
        if "_feature_names" in first.__dict__:
            merged._feature_names = first._feature_names
    model.t, model.best = t, None
    model.n_mistakes = sum(own.n_mistakes for own in models)
    model.next_row = t
    merged._model = model
    return merged


class Mean:
    """Σ factor · array / divisor in float64, one array after the other."""

    def __init__(self, factors: Sequence[float], divisor: float) -> None:
        self.factors, self.divisor = factors, divisor

    def of(self, arrays: Iterable[Array]) -> Array:
        total: Any = 0.0
        for factor, values in zip(self.factors, arrays, strict=True):
            if factor:
                total = total + factor * values.astype(np.float64)
        return np.asarray(total / self.divisor)


# ---------------------------------------------------------------------- linear models


def _mixed_rows(models: list[LinearModel], joined: LinearModel, mean: Mean, sums: Mean) -> Weights:
    """The mean of the weights, by class and, if they have names, by feature."""
    columns, n_features = joined.columns, joined.weights.n_features
    if columns is not None:
        for name in (name for own in models for name in own.columns or ()):
            columns.setdefault(name, len(columns))
        n_features = len(columns)

    def aligned(own: LinearModel) -> Weights:
        twin = own.copy()
        if own.best is not None:  # what predicts, with no past of its own
            twin.weights = _without_sums(own.weights, *own.best)
        twin.admit_all(joined.classes)
        arrays = twin.weights.to_arrays()
        order = [twin.slots[label] for label in joined.classes]
        for name in ("coef", "coef_sum", "intercept", "intercept_sum"):
            values = arrays[name]
            if values is not None and name.startswith("coef") and columns is not None:
                wide = np.zeros((len(values), n_features), values.dtype)
                wide[:, [columns[feature] for feature in own.columns or ()]] = values
                values = wide
            if values is not None and twin.n_vectors > 1:
                values = values[order]
            arrays[name] = values
        return Weights.from_arrays(arrays)

    twins = list(map(aligned, models))
    averaged = joined.weights.averaged
    dtype = np.result_type(*(twin.table.dtype for twin in twins))
    return Weights.from_arrays(
        {
            "coef": mean.of(twin.matrix for twin in twins).astype(dtype),
            "intercept": mean.of(twin.bias for twin in twins).astype(dtype),
            "coef_sum": sums.of(twin.matrix_sum for twin in twins) if averaged else None,
            "intercept_sum": sums.of(twin.bias_sum for twin in twins) if averaged else None,
            "fit_intercept": joined.weights.fit_intercept,
            "by_feature": any(twin.by_feature for twin in twins),
            "t": 0,
        }
    )


def _without_sums(weights: Weights, coef: Array, bias: Array) -> Weights:
    arrays = weights.to_arrays() | {"coef": coef, "intercept": bias}
    del arrays["reach"]
    if weights.averaged:
        arrays |= {"coef_sum": np.zeros(coef.shape), "intercept_sum": np.zeros(bias.shape)}
    return Weights.from_arrays(arrays)


# ---------------------------------------------------------------------- taggers


def _joined_encoder(encoders: list[Encoder]) -> tuple[Encoder, list[Array]]:
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
    places = [
        order[np.searchsorted(hashes, encoder.table.hashes, sorter=order)] for encoder in encoders
    ]
    return joined, places


def _mixed_tags(
    models: list[TagModel], joined: TagModel, places: list[Array], mean: Mean, sums: Mean
) -> TagWeights:
    """The mean of the rows of all features that have one; those of the first model come first."""
    n_tags, order = len(joined.tags), joined.order
    n_features = 1 + max((int(own.max()) for own in places if len(own)), default=-1)
    row_of = np.full(n_features, -1, np.int32)
    n_rows, tables = 0, []
    for own, place in zip(models, places, strict=True):
        weights = own.weights if own.best is None else own.best
        known = np.flatnonzero(weights.row_of >= 0)
        feature = place[known][np.argsort(weights.row_of[known])]
        new = feature[row_of[feature] < 0]
        row_of[new] = np.arange(n_rows, n_rows + len(new))
        n_rows += len(new)
        tables.append(_with_tags_of(weights, own, joined))
        tables[-1]["feature"] = feature

    def arranged(part: str) -> Iterable[Array]:
        for own in tables:
            values = own[part]
            if part.startswith("row"):
                wide = np.zeros((n_rows, values.shape[1]), values.dtype)
                wide[row_of[own["feature"][: len(values)]]] = values
                values = wide
            yield values

    found = {"row_of": row_of}
    for kind in KINDS:
        found[kind] = mean.of(arranged(kind)).astype(np.float32)
        found[f"{kind[:-1]}_sums"] = sums.of(arranged(f"{kind[:-1]}_sums"))
    weights = TagWeights(n_tags, order)
    weights.set(**{name: np.ascontiguousarray(values) for name, values in found.items()})
    return weights


def _with_tags_of(weights: TagWeights, own: TagModel, joined: TagModel) -> dict[str, Array]:
    """All tables, with the tags where the joined model has them."""
    if own.best is not None:  # a mean, which has no sums
        arrays = weights.arrays()
        for kind in KINDS:
            arrays[f"{kind[:-1]}_sums"] = np.zeros(arrays[kind].shape)
        past = TagWeights(weights.n_tags, weights.order)
        past.set(**arrays)
        weights = past
    arrays = dict(with_tags(weights, len(joined.tags)).arrays())
    names = [*own.tags, *(tag for tag in joined.tags if tag not in own.slots)]
    n, to = len(names), np.array([joined.slots[tag] for tag in names])
    before = np.append(to, n)
    rows = {"step": before, "pair": (before[:, None] * (n + 1) + before).ravel()}
    for name in arrays.keys() - {"row_of"} if names != joined.tags else ():
        values = arrays[name]
        place = rows.get(name.removesuffix("s").removesuffix("_sum"), np.arange(len(values)))
        arrays[name] = np.zeros_like(values)
        arrays[name][place[: len(values), None], to] = values[:, :n]
    return arrays
