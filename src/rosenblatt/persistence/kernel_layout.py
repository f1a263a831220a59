"""The model file of kernel perceptrons: its arrays, what holds between them, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from rosenblatt.arrays import Arrays, FloatArray
from rosenblatt.errors import ModelFileError, ParameterError, shown
from rosenblatt.models.kernel import FORGETRON_SHARE, SETTINGS, KernelModel, Memory
from rosenblatt.models.recording import Entries
from rosenblatt.persistence.card import Card, Facts, TrainingData, class_of
from rosenblatt.persistence.layout import (
    ALWAYS,
    EXAMPLES,
    FEATURES,
    FINITE,
    FLOAT64,
    INT64,
    MISTAKES_PER_ROW,
    MOST,
    MOST_EXAMPLES,
    TRAINING,
    UPDATES,
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
    in_order,
    update_arrays,
    whole,
)
from rosenblatt.persistence.parameters import decode_parameters, encode_parameters

if TYPE_CHECKING:
    from rosenblatt.persistence.card import State

COLUMNS = ("slot", "right", "wrong", "step", "t")
# "numbers": the rows of a precomputed kernel are their numbers.
Rows = RowKind | Literal["numbers"]


class Forgetting(Facts):
    """What a rule of forgetting remembers, apart from its arrays; ``random`` is its generator."""

    random: Any
    mistakes: int
    damage: float


class Snapshot(Facts):
    """The best state of a model with a budget, after ``t`` examples."""

    t: int
    rows: Rows


class KernelFacts(Facts):
    """A kernel model: what it was begun with, and how its support rows are kept.

    ``best``, after early stopping: the number of updates and of examples that count, or with a
    budget the rows of that time.
    """

    settings: dict[str, Any]
    n_features: int
    rows: Rows
    best: tuple[int, int] | Snapshot | None
    forgetting: Forgetting | None

    def to_plain(self) -> Any:
        kept = self.forgetting
        if kept is not None:
            kept = msgspec.structs.replace(kept, **encode_parameters({"random": kept.random}))
        settings = encode_parameters(self.settings)
        return msgspec.to_builtins(
            msgspec.structs.replace(self, settings=settings, forgetting=kept)
        )

    def decode(self) -> None:
        self.settings = decode_parameters(self.settings)
        if self.forgetting is not None:
            self.forgetting.random = decode_parameters({"random": self.forgetting.random})["random"]


# ---------------------------------------------------------------------- the arrays

SUPPORT_ROWS = KeptRows("support.rows", "the support rows")
BEST_ROWS = KeptRows("best.rows", "the support rows of the best epoch")

BUDGET = Part("budget")
FORGETTING = Part("forgetting")
PROJECTION = Part("projection")
BEST = Part("best")

# The numbers that rows can have: those of examples, or of the columns of a precomputed kernel.
NUMBERS = Quantity("numbers")
LARGEST_COEFFICIENT = Quantity("largest coefficient")
LARGEST_SUM = Quantity("largest sum")
START_OF_UPDATES = Quantity("start of updates")


def _support_arrays(
    rows: KeptRows, always: tuple[Part, ...], counts: Part, help: str
) -> tuple[Array, ...]:
    """Declare support rows, their numbers and, where updates do not give it, what each counts for.

    ``always`` is when they are there, ``counts`` when what they count for is.
    """
    name = rows.name.removesuffix(".rows")
    each = (rows.n_rows,)
    matrix = (VECTORS, rows.n_rows)
    number = Between(0, NUMBERS - 1)
    coef = Within(LARGEST_COEFFICIENT)
    late = Within(LARGEST_SUM)
    return (
        Array(f"{name}.number", INT64, each, number, always, help),
        Array(f"{name}.coef", FLOAT64, matrix, coef, (counts,), "what each row counts for"),
        Array(f"{name}.late", FLOAT64, matrix, late, (counts,), "Σ step · (t - 1), for means"),
        *rows.arrays,
    )


EACH = (SUPPORT_ROWS.n_rows,)
KERNELS = (SUPPORT_ROWS.n_rows, SUPPORT_ROWS.n_rows)
SUPPORT_ARRAYS = _support_arrays(
    SUPPORT_ROWS, ALWAYS, BUDGET, "which rows or examples the support rows were"
)
UPDATE_ARRAYS = update_arrays(
    UPDATES,
    row="slot",
    n_rows=SUPPORT_ROWS.n_rows,
    steps=Between(0, LARGEST_COEFFICIENT),
    first_t=START_OF_UPDATES,
)
MEMORY_ARRAYS = (
    Array("support.age", INT64, EACH, Between(0, EXAMPLES - 1), (FORGETTING,), "when it came"),
    Array("support.own", FLOAT64, EACH, FINITE, (FORGETTING,), "K(x, x)"),
    Array("inverse", FLOAT64, KERNELS, FINITE, (PROJECTION,), "inverse of K"),
)
BEST_ARRAYS = _support_arrays(
    BEST_ROWS, (BEST,), BEST, "which rows the best epoch had, which predict"
)


class KernelLayout(Layout):
    """Support rows and the updates from which follows what each counts for.

    With a budget rows are forgotten, so that what they count for is kept, and what the rule of
    forgetting has to know.
    """

    family = "kernel"
    facts = KernelFacts
    nature = (
        "has no weights: it predicts by the kernel of a row with its support rows. Load it in "
        "Python (rosenblatt.load), or train a linear learner."
    )
    arrays = (MISTAKES_PER_ROW, *SUPPORT_ARRAYS, *UPDATE_ARRAYS, *MEMORY_ARRAYS, *BEST_ARRAYS)

    def parts(self, card: Card) -> set[Part]:
        facts: KernelFacts = card.model
        found = SUPPORT_ROWS.parts(facts.rows)
        if facts.settings["budget"] is None:
            found.add(UPDATES)
        else:
            found.add(BUDGET)
        if facts.forgetting is not None:
            found.add(FORGETTING)
            if facts.settings["forget"] == "projection":
                found.add(PROJECTION)
        if isinstance(facts.best, Snapshot):
            found.add(BEST)
            found |= BEST_ROWS.parts(facts.best.rows)
        return found

    def training_data(self, card: Card) -> TrainingData:
        return "ledger" if card.model.settings["kernel"] == "precomputed" else "rows"

    def quantities(self, card: Card, arrays: Arrays) -> Quantities:
        facts: KernelFacts = card.model
        largest = TRAINING.largest[np.dtype(np.float64)]
        precomputed = facts.settings["kernel"] == "precomputed"
        return {
            FEATURES: facts.n_features,
            START_OF_UPDATES: 1,
            NUMBERS: facts.n_features if precomputed else card.record.next_row,
            LARGEST_COEFFICIENT: largest,
            # The mean is coef - running_sum / t; in files the sum is called late.
            LARGEST_SUM: min(2.0 * largest * max(card.record.t, 1), MOST),
        }

    def n_features(self, card: Card, arrays: Arrays) -> int:
        return int(card.model.n_features)

    # ------------------------------------------------------------------ checks

    def check_card(self, card: Card) -> None:
        facts: KernelFacts = card.model
        _check_settings(facts.settings, class_of(card.learner).options())
        whole("n_features", facts.n_features, 1, MOST_EXAMPLES)
        settings, best, fit = facts.settings, facts.best, card.record.fit
        budget, combine = settings["budget"], card.parameters["combine"]
        if budget is not None and (
            combine == "vote" or (combine == "average" and settings["forget"] != "projection")
        ):
            raise ModelFileError(f"combine is {combine}, which needs rows that the budget forgot.")
        if (facts.forgetting is not None and budget is None) or (
            facts.forgetting is None
            and budget is not None
            and facts.rows != "none"
            and not card.slim
        ):
            raise ModelFileError("a budget and what is remembered for it go together.")
        if (best is not None) != (fit is not None and fit.best_iter is not None):
            raise ModelFileError("the best state and the scores do not go together.")
        if best is not None and isinstance(best, Snapshot) == (budget is None):
            raise ModelFileError("the best state is kept as rows with a budget, and only then.")
        kinds = [facts.rows]
        if isinstance(best, Snapshot):
            whole("the examples of the best state", best.t, 1, card.record.t)
            kinds.append(best.rows)
        for kind in kinds:
            if kind != "none" and (settings["kernel"] == "precomputed") != (kind == "numbers"):
                raise ModelFileError(f"rows that are {kind} for the kernel {settings['kernel']}.")

    def check_together(self, card: Card, arrays: Arrays) -> None:
        facts: KernelFacts = card.model
        n = _check_support(facts.rows, SUPPORT_ROWS, arrays)
        if facts.settings["budget"] is None:
            _check_updates(card, arrays, n)
            return
        sizes = {"support": n}
        if isinstance(facts.best, Snapshot):
            sizes["best"] = _check_support(facts.best.rows, BEST_ROWS, arrays)
        for name, size in sizes.items():
            whole(f"the number of rows of {name}", size, 0, int(facts.settings["budget"]))
            # Only a mistake makes a support row.
            whole(f"the number of rows of {name}", size, 0, card.record.n_mistakes)
        if facts.forgetting is not None:
            _check_memory(card, facts.forgetting, arrays)

    # ------------------------------------------------------------------ there and back

    def put(self, learner: Any, model: KernelModel, *, slim: bool) -> tuple[KernelFacts, Arrays]:
        for kernel in (learner.kernel, model.settings["kernel"]):
            if callable(kernel):
                raise ParameterError(
                    "a kernel that is a function cannot be saved, because a model file holds no "
                    "code: use a kernel by its name, or kernel='precomputed' and work the kernel "
                    "of the rows out yourself."
                )
        arrays: Arrays = {}
        rows = _put_support(arrays, SUPPORT_ROWS, model)
        best: Any = model.best
        if isinstance(best, KernelModel):
            best = Snapshot(t=best.t, rows=_put_support(arrays, BEST_ROWS, best))
        if model.recorder is not None:
            for column, values in zip(COLUMNS, model.recorder.entries[:5], strict=True):
                arrays[f"updates.{column}"] = np.asarray(values)
        facts = KernelFacts(
            settings=dict(model.settings),
            n_features=model.n_features,
            rows=rows,
            best=best,
            forgetting=None if slim else _put_memory(arrays, model),
        )
        return facts, arrays

    def take(self, learner: Any, state: State) -> None:
        learner._model, learner.n_features_in_ = kernel_model(state), state.n_features
        if (columns := state.card.columns) is not None:
            learner.feature_names_in_ = np.array([*columns, None], object)[:-1]


def kernel_model(state: State) -> KernelModel:
    """The model of a state that was read, ready to predict and to learn on.

    Examples
    --------
    >>> import os, tempfile
    >>> import rosenblatt
    >>> from rosenblatt.persistence.kernel_layout import kernel_model
    >>> from rosenblatt.model import read
    >>> X, y = [[1, 1], [1, -1], [-1, 1], [-1, -1]], [1, -1, -1, 1]
    >>> p = rosenblatt.KernelPerceptron(degree=2, gamma=1.0, shuffle=False).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.rbt")
    ...     rosenblatt.save(p, path)
    ...     model = kernel_model(read(path))
    >>> model.classes, model.coef.tolist()
    ([-1, 1], [[1.0, -1.0, -1.0, 1.0]])
    """
    state.refuse_unless("kernel")
    card, arrays = state.card, state.arrays
    facts: KernelFacts = card.model
    model = _take_support(state, facts.rows, SUPPORT_ROWS)
    model.t = card.record.t
    if model.recorder is not None:
        model.add(Entries(*(np.array(arrays[f"updates.{name}"]) for name in COLUMNS)))
    if isinstance(facts.best, Snapshot):
        model.best = _take_support(state, facts.best.rows, BEST_ROWS)
        model.best.t = model.t_of_best = facts.best.t
    elif facts.best is not None:
        model.best, model.t_of_best = facts.best, facts.best[1]
    kept = facts.forgetting
    if kept is not None:
        memory = model.forgetting = Memory(0)
        memory.mistakes, memory.damage = kept.mistakes, kept.damage
        memory.random.bit_generator.state = kept.random.bit_generator.state
        memory.age, memory.own = np.array(arrays["support.age"]), np.array(arrays["support.own"])
        if "inverse" in arrays:
            memory.inverse = np.array(arrays["inverse"])
        _check_own(model, memory.own)
    return model


def _put_support(arrays: Arrays, rows: KeptRows, model: KernelModel) -> Any:
    """Keep the support rows; how they are kept."""
    name = rows.name.removesuffix(".rows")
    arrays[f"{name}.number"] = model.numbers
    if model.recorder is None:  # it does not follow from the updates
        arrays |= {f"{name}.coef": model.coef, f"{name}.late": model.running_sum}
    if not model.n_support or model.support is None:
        return "none"
    if model.kernel.is_precomputed:
        return "numbers"
    return rows.put(arrays, model.support.vectors())


def _take_support(state: State, kind: str, rows: KeptRows) -> KernelModel:
    card, arrays, name = state.card, state.arrays, rows.name.removesuffix(".rows")
    settings = {setting: card.model.settings[setting] for setting in SETTINGS}
    model = KernelModel(settings, state.n_features, card.classes, card.record.seed)
    state.restore(model)
    numbers = np.array(arrays[f"{name}.number"])
    if model.kernel.has_gamma and settings["gamma"] is None and len(numbers):
        # Before gamma was measured it was this.
        model.settings["gamma"] = model.kernel.gamma = 1.0 / state.n_features
    if kind == "numbers":
        model.append(numbers[:, None], numbers)
    elif len(numbers):
        model.append(rows.take(arrays, kind, state.n_features), numbers)
    if f"{name}.coef" in arrays:
        model.coef = np.array(arrays[f"{name}.coef"])
        model.running_sum = np.array(arrays[f"{name}.late"])
    return model


def _put_memory(arrays: Arrays, model: KernelModel) -> Forgetting | None:
    memory = model.forgetting
    if memory is None:
        return None
    arrays |= {"support.age": memory.age, "support.own": memory.own}
    if model.settings["forget"] == "projection":
        arrays["inverse"] = memory.inverse
    return Forgetting(
        random=memory.copy().random, mistakes=memory.mistakes, damage=float(memory.damage)
    )


# ---------------------------------------------------------------------- checks


def _check_settings(settings: dict[str, Any], options: dict[str, Any]) -> None:
    for name in sorted(settings.keys() ^ set(SETTINGS)):
        wrong = "not known" if name in settings else "missing"
        raise ModelFileError(f"kernel settings: {shown(name)} is {wrong}.")
    for name in SETTINGS:
        try:
            options[name].check(settings[name])
        except ParameterError as error:
            raise ModelFileError(f"kernel settings: {error}") from None
    for name in ("degree", "budget"):
        if settings[name] is not None:
            whole(f"kernel settings: {name}", settings[name], 1, MOST_EXAMPLES)


def _check_support(kind: str, rows: KeptRows, arrays: Arrays) -> int:
    """How many rows are kept, if they are sound."""
    name = rows.name.removesuffix(".rows")
    n = found = len(arrays[f"{name}.number"])
    if kind.startswith("csr"):
        found = rows.check(arrays, kind)
        rows.check_columns(arrays)
    if n != found or (n == 0) != (kind == "none"):
        raise ModelFileError(f"{name}: {n} numbers of rows, but the rows are {found} and {kind}.")
    return n


def _check_updates(card: Card, arrays: Arrays, n: int) -> None:
    """The updates of a model that keeps all rows: from them follows what each counts for."""
    slot, right, wrong, step, t = (arrays[f"updates.{name}"] for name in COLUMNS)
    k, facts = len(card.classes), card.model
    in_order("updates.t", t)
    if k < 2 and len(slot):
        raise ModelFileError(f"{len(slot)} updates, but there is nothing to tell apart yet.")
    if (right == wrong).any() or (k == 2 and (wrong != 1 - right).any()):
        raise ModelFileError("updates.wrong names a class that cannot have been the wrong one.")
    if (step == 0.0).any():
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
    if isinstance(facts.best, tuple):
        updates, examples = facts.best
        whole("the updates of the best state", updates, 0, len(t))
        low = int(t[updates - 1]) if updates else 0
        high = int(t[updates]) - 1 if updates < len(t) else card.record.t
        whole("the examples of the best state", examples, max(low, 1), high)


def _check_own(model: KernelModel, own: FloatArray) -> None:
    """Whether these are the kernels of the support rows with themselves, to rounding."""
    if model.support is None or model.kernel.is_precomputed:
        return
    rows = (model.support.take(slice(slot, slot + 1)) for slot in range(model.n_support))
    found = [float(model.kernel.between(row, row)[0, 0]) for row in rows]
    if not np.allclose(own, found, 1e-3, 1e-3 * np.nan_to_num(np.abs(found)).max(initial=0.0)):
        raise ModelFileError("support.own is not the kernel of the support rows with themselves.")


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
