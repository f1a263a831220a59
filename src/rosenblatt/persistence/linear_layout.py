"""The model files of linear learners: arrays, checks, saving and loading."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rosenblatt.arrays import Arrays
from rosenblatt.errors import ModelFileError
from rosenblatt.models.column_scaling import ColumnScaling
from rosenblatt.models.data_units import DataUnits
from rosenblatt.models.ledger import Ledger
from rosenblatt.models.linear import LinearModel
from rosenblatt.models.readouts import NAMES, SMALLEST_SCALE, Readouts
from rosenblatt.models.recording import COLUMNS, Recorder, columns_of
from rosenblatt.models.voters import Voters
from rosenblatt.models.weights import ARRAYS as WEIGHTS
from rosenblatt.models.weights import START_RATES, Scaling, Weights
from rosenblatt.persistence.card import Card, Facts, TrainingData, class_of
from rosenblatt.persistence.layout import (
    ALWAYS,
    BEST,
    FEATURES,
    FINITE,
    FLOAT,
    FLOAT64,
    INT64,
    LARGEST_SUM,
    LEDGER,
    MISTAKES_PER_ROW,
    MOST,
    NEXT_ROW,
    START,
    START_OF_LEDGER,
    TRAINING,
    VECTORS,
    Array,
    Between,
    KeptRows,
    Layout,
    Part,
    Quantities,
    Quantity,
    RowKind,
    Within,
    has_best_epoch,
    in_order,
    largest_sum,
    refuse_slim,
    update_arrays,
    whole,
)

if TYPE_CHECKING:
    from rosenblatt.persistence.card import State

# Names of the arrays of weights that a ledger starts from.
STARTS = ("coef", "intercept", "coef_rate", "intercept_rate")


# ---------------------------------------------------------------------- the card


class LedgerStart(Facts, omit_defaults=True):
    """The weights that a ledger starts from; if ``zero``, all are 0 and not stored as arrays.

    ``n_float32`` is the number of updates before float32 weights became float64, if they did.
    ``scaling``, left out if weights are not scaled, holds the numbers kept with those weights.
    """

    t: int
    dtype: Literal["float32", "float64"]
    by_feature: bool
    zero: bool
    n_float32: int | None
    scaling: Scaling | None = None


class ReadoutFacts(Facts):
    """The read-out that predicts in a stream, and the number of examples that read-outs saw."""

    name: str
    t: int


class LinearFacts(Facts, omit_defaults=True):
    """The fields of a linear model in the card: everything but its arrays.

    ``average_from`` is the number of examples before the average began; null without an average.
    ``best``, after early stopping, is the number of examples that the weights that predict had
    seen, and ``average_from_of_best`` the number before their average began. ``voters`` is the kind
    of the rows of a voted perceptron.

    The rest is left out if it is 0, null or false: ``n_epochs``, the epochs of all fits, which a
    schedule counts; ``units``, the mean of ``‖x‖²`` and of the values in a row, to which parameters
    are relative; ``scaled``, if columns are centred and scaled first; ``rates``, the kind of factor
    that each weight's steps have; ``readout``, the means that a stream keeps with the weights;
    ``scaling``, the numbers of a rule that scales all weights, which are then the first of these
    times ``coef`` and ``intercept``; ``scaling_of_best``, these numbers at the best epoch.
    """

    fit_intercept: bool
    by_feature: bool
    average_from: int | None
    best: int | None
    average_from_of_best: int
    ledger: LedgerStart | None
    voters: RowKind | None
    n_epochs: int = 0
    units: DataUnits | None = None
    scaled: bool = False
    rates: Literal["variance", "gradient"] | None = None
    readout: ReadoutFacts | None = None
    scaling: Scaling | None = None
    scaling_of_best: Scaling | None = None


# ---------------------------------------------------------------------- the arrays

# Must be the same as in weights.h.
SMALLEST_WEIGHT_SCALE = 1e-200
VOTED_ROWS = KeptRows("voters.rows", "the rows a voted perceptron made mistakes on")

AVERAGES = Part("averages")
RATES = Part("rates")
READOUT = Part("readout")
SCALES = Part("scales")
VOTERS = Part("voters")
SCALED = Part("scaled")

LEAST_RATE = Quantity("least rate")
FIRST_RATE = Quantity("first rate")
FOLDS = Quantity("folds")
CLOCK = Quantity("clock")
LARGEST_LAG = Quantity("largest lag")
LAGS = Quantity("lags")
MEANS = Quantity("means")
READOUTS = Quantity("readouts")

MATRIX = (VECTORS, FEATURES)
BIASES = (VECTORS,)
COLUMN = (FEATURES,)
ENTRIES = (Quantity("updates of ledger"),)
SUM = Within(LARGEST_SUM)
LAG = Within(LARGEST_LAG)
RATE = Between(LEAST_RATE, FIRST_RATE)
CHANGE = Between(0.0, 1e150)
SCALE = Between(SMALLEST_WEIGHT_SCALE, 1.0)
READOUT_SCALE = Between(1e-7, 1.0)
ERROR = Between(0.0, 300.0)
VOTED_ROW = Between(0, NEXT_ROW - 1)
DEVIATION = Between(5e-324, 1e150)

WEIGHT_ARRAYS = (
    Array("coef", FLOAT, MATRIX, TRAINING, ALWAYS, "the weights as they are now"),
    Array("intercept", FLOAT, BIASES, TRAINING, ALWAYS, "the biases as they are now"),
    Array("coef_sum", FLOAT64, MATRIX, SUM, (AVERAGES,), "for the mean coef - sum / t"),
    Array("intercept_sum", FLOAT64, BIASES, SUM, (AVERAGES,), "running sums of the biases"),
    Array("coef_rate", FLOAT, MATRIX, RATE, (RATES,), "factors of steps"),
    Array("intercept_rate", FLOAT, BIASES, RATE, (RATES,), "those of the biases"),
    Array("best.coef", FLOAT, MATRIX, TRAINING, (BEST,), "weights of the best epoch"),
    Array("best.intercept", FLOAT, BIASES, TRAINING, (BEST,), "biases of the best epoch"),
)
READOUT_ARRAYS = (
    Array("readout.coef", FLOAT64, (LAGS, FEATURES), LAG, (READOUT,), "lags of means, then gentle"),
    Array("readout.intercept", FLOAT64, (LAGS,), LAG, (READOUT,), "those of the biases"),
    Array("readout.scale", FLOAT64, (MEANS,), READOUT_SCALE, (READOUT,), "average, slow, fast"),
    Array("readout.error", FLOAT64, (READOUTS,), ERROR, (READOUT,), "faded mistakes of each"),
)
BEFORE = "before the first update, unless 0"
LEDGER_ARRAYS = (
    *update_arrays(LEDGER, row="row", n_rows=NEXT_ROW, steps=FINITE, first_t=START_OF_LEDGER),
    Array("ledger.change", FLOAT64, ENTRIES, CHANGE, (LEDGER, RATES), "how far the rates fell"),
    Array("ledger.scale", FLOAT64, ENTRIES, SCALE, (LEDGER, SCALES), "that of the weights"),
    Array("ledger.folds", INT64, ENTRIES, Between(0, FOLDS), (LEDGER, SCALES), "folds after it"),
    Array("ledger.clock", FLOAT64, ENTRIES, Between(0.0, CLOCK), (LEDGER, SCALES), "sum of scales"),
    Array("ledger.start.coef", FLOAT, MATRIX, TRAINING, (START,), f"weights {BEFORE}"),
    Array("ledger.start.intercept", FLOAT, BIASES, TRAINING, (START,), f"biases {BEFORE}"),
    Array("ledger.start.coef_rate", FLOAT, MATRIX, RATE, (START, RATES), "factors of steps then"),
    Array(
        "ledger.start.intercept_rate", FLOAT, BIASES, RATE, (START, RATES), "those of the biases"
    ),
)
VOTER_ARRAYS = (
    Array("voters.number", INT64, (VOTED_ROWS.n_rows,), VOTED_ROW, (VOTERS,), "the row each was"),
    *VOTED_ROWS.arrays,
)
SCALING_ARRAYS = (
    Array("scaling.mean", FLOAT64, COLUMN, TRAINING, (SCALED,), "taken from each column first"),
    Array("scaling.deviation", FLOAT64, COLUMN, DEVIATION, (SCALED,), "what divides it then"),
)


class LinearLayout(Layout):
    """Layout of linear models: weights with running sums, the ledger, and the rows that vote.

    A slim model only has the weights that predict; a voted perceptron always has everything.
    """

    family = "linear"
    facts = LinearFacts
    nature = "has weights: load it in Python (rosenblatt.load)."
    names_attribute = "_feature_names"
    arrays = (
        *WEIGHT_ARRAYS,
        *READOUT_ARRAYS,
        MISTAKES_PER_ROW,
        *LEDGER_ARRAYS,
        *VOTER_ARRAYS,
        *SCALING_ARRAYS,
    )

    def parts(self, card: Card) -> set[Part]:
        facts: LinearFacts = card.model
        found: set[Part] = set()
        if facts.average_from is not None:
            found.add(AVERAGES)
        if facts.best is not None and facts.voters is None:
            found.add(BEST)
        if facts.readout is not None:
            found.add(READOUT)
        if facts.ledger is not None:
            found.add(LEDGER)
            if not facts.ledger.zero:
                found.add(START)
        if facts.scaled:
            found.add(SCALED)
        if facts.rates is not None and not card.slim:
            found.add(RATES)
        if facts.scaling is not None:
            found.add(SCALES)
        if facts.voters is not None:
            found.add(VOTERS)
            found |= VOTED_ROWS.parts(facts.voters)
        return found

    def training_data(self, card: Card) -> TrainingData:
        if card.model.voters is not None:
            return "rows"
        return super().training_data(card)

    def quantities(self, card: Card, arrays: Arrays) -> Quantities:
        facts: LinearFacts = card.model
        coef = arrays["coef"]
        # A forged array can be a single number, which its own check rejects afterwards.
        n_vectors = len(coef) if coef.ndim else 0
        largest_weight = TRAINING.largest.get(coef.dtype, 0.0)
        found: Quantities = {
            LARGEST_SUM: largest_sum(largest_weight, card.record.t),
            LEAST_RATE: 1e-30 if coef.dtype == np.float32 else 1e-300,
            FIRST_RATE: START_RATES.get(facts.rates or "", 1.0),
            START_OF_LEDGER: 1 if facts.ledger is None else facts.ledger.t + 1,
        }
        if facts.scaling is not None:
            found[FOLDS] = facts.scaling.folds
            found[CLOCK] = card.record.t
        if facts.readout is not None:
            n_mixed = int(facts.readout.name == "mix")
            longest = max(card.record.t, 1 / SMALLEST_SCALE)
            found[LARGEST_LAG] = 4.0 * largest_weight * longest
            found[LAGS] = (3 + n_mixed) * n_vectors
            found[MEANS] = 3
            found[READOUTS] = len(NAMES) + n_mixed
        # Two classes that were learned as more are, with a vector each.
        if len(card.classes) == n_vectors == 2:
            found[VECTORS] = 2
        return found

    def n_features(self, card: Card, arrays: Arrays) -> int:
        return int(arrays["coef"].shape[1])

    # ------------------------------------------------------------------ checks

    def check_card(self, card: Card) -> None:
        facts: LinearFacts = card.model
        t = card.record.t
        _check_voting(card, facts)
        _check_average(card, facts)
        whole("those before the average of the best", facts.average_from_of_best, 0, t)
        whole("the epochs", facts.n_epochs, 0, t)
        _check_scalings(card, facts)
        if facts.units is not None and not all(0.0 < unit < math.inf for unit in facts.units):
            raise ModelFileError(f"units of {list(facts.units)}, which rows do not have.")
        if facts.readout is not None:
            _check_readout(card, facts, facts.readout)
        if facts.ledger is not None:
            # A model that votes keeps its ledger when it is slim.
            if facts.voters is None:
                refuse_slim(card)
            whole("the t of the start of the ledger", facts.ledger.t, 0, t)
        _check_best(card, facts)

    def check_together(self, card: Card, arrays: Arrays) -> None:
        facts: LinearFacts = card.model
        for name in ("intercept", "coef_rate", "intercept_rate"):
            _check_same_type(arrays, name, arrays["coef"].dtype)
        if not facts.fit_intercept:
            for name in ("intercept", "intercept_sum"):
                if np.any(arrays.get(name, 0)):
                    raise ModelFileError(f"{name} is not 0, but the model has no bias.")
        if facts.ledger is not None:
            _check_ledger(facts.ledger, arrays)
        if facts.voters is not None:
            _check_voters(facts.voters, arrays)

    # ------------------------------------------------------------------ saving and loading

    def put(self, learner: Any, model: LinearModel, *, slim: bool) -> tuple[LinearFacts, Arrays]:
        # Parameters that are allowed alone may not be so together, or not for this model: then the
        # file could not be loaded.
        rule = learner._rule_for(model)
        if rule.rates != model.weights.rates:
            raise learner._trained_otherwise("steps")

        # A thread that learns meanwhile would change the weights; it is noticed at the end.
        t = model.t
        model.weights.refuse_if_busy()
        # A model that votes needs all it has.
        slim = slim and model.voters is None
        best_t = None if slim else model.best_t

        weights = model.weights.snapshot()
        if slim:
            weights["coef"], weights["intercept"] = model.state()
            for name in (*WEIGHTS[2:], "scaling"):
                weights[name] = None
        arrays: Arrays = {}
        for name in WEIGHTS:
            if weights[name] is not None:
                arrays[name] = weights[name]

        ledger = None
        if model.recorder is not None and not slim:
            ledger = _put_ledger(arrays, model.ledger().to_arrays())

        voters = None
        if model.voters is not None:
            kept = model.voters.joined(model.weights.n_features)
            arrays["voters.number"] = kept.numbers
            voters = VOTED_ROWS.put(arrays, kept.vectors if len(kept.numbers) else None)
        elif best_t is not None and model.best is not None:
            arrays["best.coef"], arrays["best.intercept"] = model.best

        readout = None
        if model.readouts is not None and not slim:
            arrays |= model.readouts.to_arrays(model.weights)
            readout = ReadoutFacts(name=model.readouts.name, t=model.readouts.t)

        scaling = learner._scaling
        if scaling is not None:
            arrays["scaling.mean"], arrays["scaling.deviation"] = scaling
        is_averaged = weights["coef_sum"] is not None
        facts = LinearFacts(
            fit_intercept=weights["fit_intercept"],
            by_feature=weights["by_feature"],
            average_from=weights["average_from"] if is_averaged else None,
            rates=weights["rates"],
            best=best_t,
            average_from_of_best=0 if best_t is None else model.average_from_of_best,
            n_epochs=model.n_epochs,
            units=model.units,
            ledger=ledger,
            voters=voters,
            scaled=scaling is not None,
            readout=readout,
            scaling=weights.get("scaling"),
            scaling_of_best=None if best_t is None else model.scaling_of_best,
        )
        model.weights.refuse_if_busy(t)
        return facts, arrays

    def take(self, learner: Any, state: State) -> None:
        facts: LinearFacts = state.card.model
        arrays = state.arrays
        model = linear_model(state)
        rule = learner._rule_for(model)
        if rule.rates != facts.rates:
            raise ModelFileError(f"rates are {facts.rates}, but of this rule {rule.rates}.")
        if rule.scales != (facts.scaling is not None) and not state.card.slim:
            verb = "scales" if rule.scales else "does not scale"
            raise ModelFileError(
                f"the rule of {state.card.learner} {verb} weights, unlike this model."
            )

        if facts.voters is not None:
            rows = VOTED_ROWS.take(arrays, facts.voters, state.n_features)
            model.voters = Voters(rows, arrays["voters.number"])
        if facts.scaled:
            scaling = ColumnScaling(arrays["scaling.mean"], arrays["scaling.deviation"])
            model.column_scaling = scaling
        learner._model = model
        learner.n_features_in_ = model.weights.n_features
        if state.card.record.fit is None and not model.slim:
            learner._stream = learner._stream_of(model, rule)
            if not learner._agrees_with(model):
                # Parameters were set after learning and before saving: the next example takes them
                # up, or refuses them, as it would have without a file in between.
                learner._stream.settings = None


def linear_model(state: State) -> LinearModel:
    """Return the linear model of a state, ready to predict and to continue learning.

    The voters of a voted perceptron are not restored.

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
    state.refuse_unless("linear")
    card = state.card
    arrays = state.arrays
    facts: LinearFacts = card.model
    as_multiclass = bool(card.parameters["binary_as_multiclass"])
    model = LinearModel(card.classes, 0, binary_as_multiclass=as_multiclass)
    model.weights = Weights.from_arrays(
        {
            **{name: arrays.get(name) for name in WEIGHTS},
            "fit_intercept": facts.fit_intercept,
            "by_feature": facts.by_feature,
            "rates": facts.rates,
            "scaling": facts.scaling,
            "t": card.record.t,
            "average_from": facts.average_from or 0,
        }
    )
    model.average_from_of_best = facts.average_from_of_best
    model.scaling_of_best = facts.scaling_of_best
    model.n_epochs = facts.n_epochs
    model.units = facts.units
    # The parameter may have been set after learning; the weights decide.
    if len(card.classes) == 2:
        model.binary_as_multiclass = model.n_vectors == 2
    state.restore(model)

    if facts.best is not None:
        parts = () if facts.voters is not None else ("coef", "intercept")
        model.best = tuple(arrays[f"best.{part}"] for part in parts)
        model.t_of_best = facts.best
    if facts.readout is not None:
        model.readouts = Readouts.from_arrays(
            model.weights, arrays, name=facts.readout.name, t=facts.readout.t
        )
    if facts.ledger is not None:
        ledger = Ledger.from_arrays(_take_ledger(state, facts.ledger))
        model.start = ledger.start
        model.recorder = Recorder()
        model.recorder.add(ledger.entries)
        model.n_float32 = facts.ledger.n_float32
    return model


# ---------------------------------------------------------------------- the ledger


def _put_ledger(arrays: Arrays, ledger: dict[str, Any]) -> LedgerStart:
    """Add a ledger to the arrays of a file, and return its start as stored in the card.

    Weights that are all 0 are not stored, as most ledgers start from these.
    """
    start = ledger["start"]
    rates = start["rates"]
    scaling = start.get("scaling")
    for column in columns_of(with_rates=bool(rates), with_scales=scaling is not None):
        arrays[f"ledger.{column}"] = ledger[column]

    is_zero = _is_zero(start)
    if not is_zero:
        for part in STARTS:
            if start[part] is not None:
                arrays[f"ledger.start.{part}"] = start[part]

    return LedgerStart(
        t=start["t"],
        dtype=start["coef"].dtype.name,
        by_feature=start["by_feature"],
        zero=is_zero,
        n_float32=ledger["n_float32"],
        scaling=scaling,
    )


def _is_zero(start: dict[str, Any]) -> bool:
    """Return whether a ledger starts from weights of 0 and the initial rates."""
    for part in ("coef", "intercept"):
        # By their bits, so that a negative zero is kept.
        if np.any(start[part].view(np.uint8)):
            return False
    for part in ("coef_rate", "intercept_rate"):
        if start[part] is not None and np.any(start[part] != START_RATES[start["rates"]]):
            return False
    return True


def _take_ledger(state: State, start: LedgerStart) -> dict[str, Any]:
    """Return the ledger of a file in the form that `Ledger.from_arrays` expects."""
    arrays = state.arrays
    card = state.card
    stored = {part: arrays.get(f"ledger.start.{part}") for part in STARTS}
    if start.zero:
        shape = arrays["coef"].shape
        stored["coef"] = np.zeros(shape, start.dtype)
        stored["intercept"] = np.zeros(shape[0], start.dtype)

    return {
        "start": {
            **stored,
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


# ---------------------------------------------------------------------- checks


def _check_voting(card: Card, facts: LinearFacts) -> None:
    """Raise ModelFileError if a voting learner lacks voters or a ledger, or another has voters."""
    votes = class_of(card.learner).keeps_rows
    if votes != (facts.voters is not None) or (votes and facts.ledger is None):
        verb = "needs" if votes else "does not have"
        raise ModelFileError(f"{card.learner} {verb} the rows of its mistakes.")


def _check_average(card: Card, facts: LinearFacts) -> None:
    """Raise ModelFileError if a slim model has an average, or it began after the last example."""
    votes = facts.voters is not None
    if facts.average_from is None and not votes:
        return
    if card.slim and not votes:
        raise ModelFileError("a slim model has no running sums.")
    whole("the examples before the average", facts.average_from, 0, max(card.record.t - 1, 0))


def _check_scalings(card: Card, facts: LinearFacts) -> None:
    """Raise ModelFileError if a scaling of weights is impossible, or belongs to no weights."""
    ledger = facts.ledger
    if ledger is not None and (ledger.scaling is None) != (facts.scaling is None):
        raise ModelFileError("weights are scaled, or those at the start of the ledger, not both.")
    at_start = None if ledger is None else ledger.scaling
    for numbers in (facts.scaling, facts.scaling_of_best, at_start):
        if numbers is not None:
            _check_scaling(numbers, card.record.t)
    if facts.scaling_of_best is not None and (facts.scaling is None or facts.best is None):
        raise ModelFileError("a scale of the best weights, which are not there.")


def _check_scaling(numbers: Scaling, t: int) -> None:
    """Raise ModelFileError if a number of a scaling is out of range."""
    for name, value, least, most in (
        ("scale", numbers.scale, SMALLEST_WEIGHT_SCALE, 1.0),
        ("clock", numbers.clock, 0.0, float(t)),
        ("clock of the average", numbers.clock_from, 0.0, float(t)),
        ("squared length", numbers.length2, 0.0, MOST),
    ):
        # NaN is in no range.
        if not least <= value <= most:
            raise ModelFileError(f"the {name} of the weights is {value}, not {least} to {most}.")
    whole("the folds", numbers.folds, 0, t)
    whole("the folds before the average", numbers.folds_from, 0, numbers.folds)
    whole("the examples before the scale changed", numbers.since, 0, t)
    whole("the examples asked about", numbers.examples, 0, t)
    whole("the updates", numbers.updates, 0, numbers.examples)


def _check_readout(card: Card, facts: LinearFacts, readout: ReadoutFacts) -> None:
    refuse_slim(card)
    whole("the examples of the read-outs", readout.t, 0, card.record.t)
    if readout.name not in ("auto", "mix", *NAMES) or facts.voters is not None:
        raise ModelFileError(f"there is no read-out {readout.name!r} here.")


def _check_best(card: Card, facts: LinearFacts) -> None:
    """Raise ModelFileError unless weights of the best epoch and held-out scores come together."""
    has_only_weights = card.slim and facts.voters is None
    must_be_there = has_best_epoch(card) and not has_only_weights
    if (facts.best is not None) != must_be_there:
        raise ModelFileError("the weights of the best epoch and the scores do not go together.")
    if facts.best is None:
        return
    start = 0 if facts.ledger is None else facts.ledger.t
    # The pocket may hold the weights of the start; the best epoch has seen an example at least.
    least = start if card.parameters.get("pocket") else start + 1
    whole("the examples of the best epoch", facts.best, least, card.record.t)


def _check_same_type(arrays: Arrays, name: str, dtype: np.dtype[Any]) -> None:
    """Raise ModelFileError if an array is present with another type."""
    if name in arrays and arrays[name].dtype != dtype:
        raise ModelFileError(
            f"the array {name!r} is of {arrays[name].dtype.name}, but must be of {dtype.name}."
        )


def _check_ledger(start: LedgerStart, arrays: Arrays) -> None:
    in_order("ledger.t", arrays["ledger.t"])
    for part in ("coef", "intercept", "coef_rate", "intercept_rate"):
        _check_same_type(arrays, f"ledger.start.{part}", np.dtype(start.dtype))
    if start.scaling is not None:
        folds = arrays["ledger.folds"]
        in_order("ledger.folds", folds)
        if len(folds):
            whole("the folds at the start", start.scaling.folds, 0, int(folds[0]))
    if start.n_float32 is not None:
        whole("the updates in float32", start.n_float32, 0, len(arrays["ledger.t"]))
        if (start.dtype, arrays["coef"].dtype.name) != ("float32", "float64"):
            raise ModelFileError("updates in float32 of weights that never were of that type.")


def _check_voters(kind: RowKind, arrays: Arrays) -> None:
    """Raise ModelFileError unless the voters are the rows of the ledger, each once."""
    named = np.unique(arrays["ledger.row"])
    numbers = np.sort(arrays["voters.number"])
    n_rows = VOTED_ROWS.check(arrays, kind)
    if n_rows != len(numbers) or (n_rows == 0) != (kind == "none"):
        raise ModelFileError(f"{len(numbers)} numbers of rows, but {n_rows} rows are there.")
    if not np.array_equal(named, numbers):
        raise ModelFileError("voters.number does not name the rows of the ledger, each once.")
