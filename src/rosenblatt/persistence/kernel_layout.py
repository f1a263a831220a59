"""The model files of kernel perceptrons: arrays, checks, saving and loading."""

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
    BEST,
    EXAMPLES,
    FEATURES,
    FINITE,
    FLOAT64,
    INT64,
    LARGEST_SUM,
    MAX_EXAMPLES,
    MISTAKES_PER_ROW,
    MOST,
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
    has_best_epoch,
    in_order,
    largest_sum,
    update_arrays,
    whole,
)
from rosenblatt.persistence.parameters import decode_parameters, encode_parameters

if TYPE_CHECKING:
    from rosenblatt.estimators.params import Option
    from rosenblatt.persistence.card import State

# The columns of updates, in the order of the first fields of `Entries`.
COLUMNS = ("slot", "right", "wrong", "step", "t")
# Kinds of support rows; "numbers": rows of a precomputed kernel, stored by their numbers.
Rows = RowKind | Literal["numbers"]


class Forgetting(Facts):
    """State of a rule of forgetting, apart from its arrays; ``random`` is its random generator."""

    random: Any
    mistakes: int
    damage: float


class Snapshot(Facts):
    """The best state of a model with a budget, reached after ``t`` examples."""

    t: int
    rows: Rows


class KernelFacts(Facts):
    """The fields of a kernel model in the card: its settings, and the kind of its support rows.

    ``best``, after early stopping, is the number of updates and of examples that count, or with a
    budget a snapshot of the support rows of that time.
    """

    settings: dict[str, Any]
    n_features: int
    rows: Rows
    best: tuple[int, int] | Snapshot | None
    forgetting: Forgetting | None

    def to_plain(self) -> Any:
        forgetting = self.forgetting
        if forgetting is not None:
            encoded = encode_parameters({"random": forgetting.random})
            forgetting = msgspec.structs.replace(forgetting, **encoded)
        settings = encode_parameters(self.settings)
        return msgspec.to_builtins(
            msgspec.structs.replace(self, settings=settings, forgetting=forgetting)
        )

    def decode(self) -> None:
        self.settings = decode_parameters(self.settings)
        if self.forgetting is not None:
            decoded = decode_parameters({"random": self.forgetting.random})
            self.forgetting.random = decoded["random"]

    @property
    def budget(self) -> int | None:
        """Return the largest number of support rows; None without a limit."""
        budget: int | None = self.settings["budget"]
        return budget

    @property
    def is_precomputed(self) -> bool:
        """Return whether the kernel is precomputed, so that rows are stored by number."""
        return bool(self.settings["kernel"] == "precomputed")


# ---------------------------------------------------------------------- the arrays

SUPPORT_ROWS = KeptRows("support.rows", "the support rows")
BEST_ROWS = KeptRows("best.rows", "the support rows of the best epoch")

BUDGET = Part("budget")
FORGETTING = Part("forgetting")
PROJECTION = Part("projection")

# Limit of row numbers, which count examples or the columns of a precomputed kernel.
NUMBERS = Quantity("numbers")
LARGEST_COEFFICIENT = Quantity("largest coefficient")
START_OF_UPDATES = Quantity("start of updates")


def _support_arrays(
    rows: KeptRows, always: tuple[Part, ...], counts: Part, help: str
) -> tuple[Array, ...]:
    """Declare the arrays of support rows, their numbers and their coefficients.

    Rows belong to the parts ``always``, coefficients to the part ``counts``: without a budget they
    follow from the updates.
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
    """Layout of kernel models: support rows, and the updates that determine their coefficients.

    With a budget rows are forgotten, so the coefficients are stored instead of the updates, with
    the state of the rule of forgetting.
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
        if facts.budget is None:
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
        facts: KernelFacts = card.model
        return "ledger" if facts.is_precomputed else "rows"

    def quantities(self, card: Card, arrays: Arrays) -> Quantities:
        facts: KernelFacts = card.model
        largest = TRAINING.largest[np.dtype(np.float64)]
        return {
            FEATURES: facts.n_features,
            START_OF_UPDATES: 1,
            NUMBERS: facts.n_features if facts.is_precomputed else card.record.next_row,
            LARGEST_COEFFICIENT: largest,
            # In files the running sum is called late.
            LARGEST_SUM: largest_sum(largest, card.record.t),
        }

    def n_features(self, card: Card, arrays: Arrays) -> int:
        return int(card.model.n_features)

    # ------------------------------------------------------------------ checks

    def check_card(self, card: Card) -> None:
        facts: KernelFacts = card.model
        _check_settings(facts.settings, class_of(card.learner).options())
        whole("n_features", facts.n_features, 1, MAX_EXAMPLES)
        _check_budget(card, facts)
        _check_best(card, facts)
        row_kinds = [facts.rows]
        if isinstance(facts.best, Snapshot):
            row_kinds.append(facts.best.rows)
        for kind in row_kinds:
            if kind != "none" and facts.is_precomputed != (kind == "numbers"):
                kernel = facts.settings["kernel"]
                raise ModelFileError(f"rows that are {kind} for the kernel {kernel}.")

    def check_together(self, card: Card, arrays: Arrays) -> None:
        facts: KernelFacts = card.model
        n_support = _check_support(facts.rows, SUPPORT_ROWS, arrays)
        if facts.budget is None:
            _check_updates(card, arrays, n_support)
            return
        sizes = {"support": n_support}
        if isinstance(facts.best, Snapshot):
            sizes["best"] = _check_support(facts.best.rows, BEST_ROWS, arrays)
        for name, size in sizes.items():
            whole(f"the number of rows of {name}", size, 0, int(facts.budget))
            # Only a mistake makes a support row.
            whole(f"the number of rows of {name}", size, 0, card.record.n_mistakes)
        if facts.forgetting is not None:
            _check_memory(card, facts.forgetting, arrays)

    # ------------------------------------------------------------------ saving and loading

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
            columns = model.recorder.entries[: len(COLUMNS)]
            for name, values in zip(COLUMNS, columns, strict=True):
                arrays[f"updates.{name}"] = np.asarray(values)
        facts = KernelFacts(
            settings=dict(model.settings),
            n_features=model.n_features,
            rows=rows,
            best=best,
            forgetting=None if slim else _put_memory(arrays, model),
        )
        return facts, arrays

    def take(self, learner: Any, state: State) -> None:
        learner._model = kernel_model(state)
        learner.n_features_in_ = state.n_features
        columns = state.card.columns
        if columns is not None:
            # Element by element, since NumPy would make a second dimension of tuples.
            names = np.empty(len(columns), object)
            names[:] = columns
            learner.feature_names_in_ = names


def kernel_model(state: State) -> KernelModel:
    """Return the kernel model of a state, ready to predict and to continue learning.

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
    card = state.card
    arrays = state.arrays
    facts: KernelFacts = card.model
    model = _take_support(state, facts.rows, SUPPORT_ROWS)
    model.t = card.record.t
    if model.recorder is not None:
        columns = [np.array(arrays[f"updates.{name}"]) for name in COLUMNS]
        model.add(Entries(*columns))

    if isinstance(facts.best, Snapshot):
        model.best = _take_support(state, facts.best.rows, BEST_ROWS)
        model.best.t = facts.best.t
        model.t_of_best = facts.best.t
    elif facts.best is not None:
        model.best = facts.best
        _, model.t_of_best = facts.best

    if facts.forgetting is not None:
        memory = _take_memory(arrays, facts.forgetting)
        model.forgetting = memory
        _check_own(model, memory.own)
    return model


# ---------------------------------------------------------------------- support rows


def _put_support(arrays: Arrays, rows: KeptRows, model: KernelModel) -> Rows:
    """Add the support rows to the arrays of a file, and return their kind."""
    name = rows.name.removesuffix(".rows")
    arrays[f"{name}.number"] = model.numbers
    # Without a recorder there are no updates from which these follow.
    if model.recorder is None:
        arrays[f"{name}.coef"] = model.coef
        arrays[f"{name}.late"] = model.running_sum
    if not model.n_support or model.support is None:
        return "none"
    if model.kernel.is_precomputed:
        return "numbers"
    kind: Rows = rows.put(arrays, model.support.vectors())
    return kind


def _take_support(state: State, kind: str, rows: KeptRows) -> KernelModel:
    """Return a model with the support rows of a file, whose counter of examples is 0."""
    card = state.card
    arrays = state.arrays
    name = rows.name.removesuffix(".rows")
    settings = {setting: card.model.settings[setting] for setting in SETTINGS}
    model = KernelModel(settings, state.n_features, card.classes, card.record.seed)
    state.restore(model)

    numbers = np.array(arrays[f"{name}.number"])
    if model.kernel.has_gamma and settings["gamma"] is None and len(numbers):
        # The first files left out a gamma that was not given, and this was its value.
        gamma = 1.0 / state.n_features
        model.settings["gamma"] = gamma
        model.kernel.gamma = gamma
    if kind == "numbers":
        model.append(numbers[:, None], numbers)
    elif len(numbers):
        model.append(rows.take(arrays, kind, state.n_features), numbers)
    if f"{name}.coef" in arrays:
        model.coef = np.array(arrays[f"{name}.coef"])
        model.running_sum = np.array(arrays[f"{name}.late"])
    return model


# ---------------------------------------------------------------------- forgetting


def _put_memory(arrays: Arrays, model: KernelModel) -> Forgetting | None:
    """Add the state of the rule of forgetting to a file; return its card fields, None if unused."""
    memory = model.forgetting
    if memory is None:
        return None
    arrays["support.age"] = memory.age
    arrays["support.own"] = memory.own
    if model.settings["forget"] == "projection":
        arrays["inverse"] = memory.inverse
    # The generator of a copy, since the model may go on drawing from its own.
    random = memory.copy().random
    return Forgetting(random=random, mistakes=memory.mistakes, damage=float(memory.damage))


def _take_memory(arrays: Arrays, kept: Forgetting) -> Memory:
    memory = Memory(0)
    memory.mistakes = kept.mistakes
    memory.damage = kept.damage
    memory.random.bit_generator.state = kept.random.bit_generator.state
    memory.age = np.array(arrays["support.age"])
    memory.own = np.array(arrays["support.own"])
    if "inverse" in arrays:
        memory.inverse = np.array(arrays["inverse"])
    return memory


# ---------------------------------------------------------------------- checks

# Tolerance of the stored kernels K(x, x): relative, and absolute in units of the largest one.
OWN_TOLERANCE = 1e-3


def _check_settings(settings: dict[str, Any], options: dict[str, Option]) -> None:
    """Raise ModelFileError if a setting is missing, unknown or not allowed."""
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
            whole(f"kernel settings: {name}", settings[name], 1, MAX_EXAMPLES)


def _check_budget(card: Card, facts: KernelFacts) -> None:
    """Raise ModelFileError if votes or means need forgotten rows, or a budget lacks its state."""
    has_budget = facts.budget is not None
    if has_budget:
        combine = card.parameters["combine"]
        # Projection keeps the mean of what is forgotten.
        needs_rows = combine == "vote" or (
            combine == "average" and facts.settings["forget"] != "projection"
        )
        if needs_rows:
            raise ModelFileError(f"combine is {combine}, which needs rows that the budget forgot.")

    has_memory = facts.forgetting is not None
    # Without rows nothing is forgotten yet; a slim model forgets no more.
    needs_memory = has_budget and facts.rows != "none" and not card.slim
    if (has_memory and not has_budget) or (needs_memory and not has_memory):
        raise ModelFileError("a budget and what is remembered for it go together.")


def _check_best(card: Card, facts: KernelFacts) -> None:
    """Raise ModelFileError unless a best state and scores on held-out rows come together."""
    best = facts.best
    if (best is not None) != has_best_epoch(card):
        raise ModelFileError("the best state and the scores do not go together.")
    if best is None:
        return
    if isinstance(best, Snapshot) == (facts.budget is None):
        raise ModelFileError("the best state is kept as rows with a budget, and only then.")
    if isinstance(best, Snapshot):
        whole("the examples of the best state", best.t, 1, card.record.t)


def _check_support(kind: str, rows: KeptRows, arrays: Arrays) -> int:
    """Return the number of support rows; raise ModelFileError if they are invalid."""
    name = rows.name.removesuffix(".rows")
    n = len(arrays[f"{name}.number"])
    found = n
    if kind.startswith("csr"):
        found = rows.check(arrays, kind)
        rows.check_columns(arrays)
    if n != found or (n == 0) != (kind == "none"):
        raise ModelFileError(f"{name}: {n} numbers of rows, but the rows are {found} and {kind}.")
    return n


def _check_updates(card: Card, arrays: Arrays, n_support: int) -> None:
    """Raise ModelFileError if updates cannot be those of a model without a budget."""
    slot, right, wrong, step, t = (arrays[f"updates.{name}"] for name in COLUMNS)
    n_classes = len(card.classes)
    in_order("updates.t", t)
    if n_classes < 2 and len(slot):
        raise ModelFileError(f"{len(slot)} updates, but there is nothing to tell apart yet.")
    if (right == wrong).any() or (n_classes == 2 and (wrong != 1 - right).any()):
        raise ModelFileError("updates.wrong names a class that cannot have been the wrong one.")
    if (step == 0.0).any():
        raise ModelFileError("updates.step holds a step that no rule makes.")

    # Rows are kept in the order of their first update.
    slots, first = np.unique(slot, return_index=True)
    if len(slots) != n_support:
        raise ModelFileError(
            f"{len(slot)} updates of {len(slots)} rows, but {n_support} rows are there."
        )
    in_order("the first update of each row", first)

    # All updates of one example have the same t and the same row.
    is_same_example = t[1:] == t[:-1]
    if (slot[1:] != slot[:-1])[is_same_example].any():
        raise ModelFileError("updates.slot names two rows for one example.")
    n_mistakes = int(len(t) - np.count_nonzero(is_same_example))
    if n_mistakes != card.record.n_mistakes:
        raise ModelFileError(
            f"n_mistakes is {card.record.n_mistakes}, but the updates are of {n_mistakes} examples."
        )

    facts: KernelFacts = card.model
    if isinstance(facts.best, tuple):
        n_updates, n_examples = facts.best
        whole("the updates of the best state", n_updates, 0, len(t))
        # It had seen the example of its last update, and not yet that of the next one.
        least = int(t[n_updates - 1]) if n_updates else 0
        most = int(t[n_updates]) - 1 if n_updates < len(t) else card.record.t
        whole("the examples of the best state", n_examples, max(least, 1), most)


def _check_own(model: KernelModel, own: FloatArray) -> None:
    """Raise ModelFileError if stored kernels K(x, x) of support rows differ beyond rounding."""
    if model.support is None or model.kernel.is_precomputed:
        return
    found = []
    for slot in range(model.n_support):
        row = model.support.take(slice(slot, slot + 1))
        found.append(float(model.kernel.between(row, row)[0, 0]))
    largest = np.nan_to_num(np.abs(found)).max(initial=0.0)
    if not np.allclose(own, found, OWN_TOLERANCE, OWN_TOLERANCE * largest):
        raise ModelFileError("support.own is not the kernel of the support rows with themselves.")


def _check_memory(card: Card, kept: Forgetting, arrays: Arrays) -> None:
    """Raise ModelFileError if the state of the rule of forgetting is impossible."""
    if not isinstance(kept.random, np.random.Generator):
        raise ModelFileError("forgetting: random is not the state of a Generator.")
    whole("forgetting: mistakes", kept.mistakes, 0, len(card.classes) * card.record.t)
    # Shrinking keeps the damage below this, to rounding; NaN is rejected.
    most = FORGETRON_SHARE * kept.mistakes
    if not -MOST <= kept.damage <= most + 1e-6 * (1.0 + most):
        raise ModelFileError(f"forgetting: the damage is {kept.damage}; {most} is allowed.")
    age = arrays["support.age"]
    if len(np.unique(age)) != len(age):
        raise ModelFileError("support.age: two rows came with the same example.")
    inverse = arrays.get("inverse")
    if inverse is not None:
        if not np.array_equal(inverse, inverse.T):
            raise ModelFileError("inverse is not symmetric.")
        if not (np.diagonal(inverse) > 0.0).all():
            raise ModelFileError("inverse has a diagonal that is not positive.")
