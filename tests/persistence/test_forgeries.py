"""A file that somebody made up and signed is refused by name for the part that lies.

Much of it is made from the tables of the families: each array absent, renamed, of another type or
shape, out of its range, not finite. What the tables do not say stands in lists.
"""

import re

import numpy as np
import pytest

from persistence.families import FAMILIES, SAMPLES, family_of, sample
from persistence.forging import closed, drop, forged, header_of, opened, parsed, put, with_header
from persistence.tagger_samples import tuples, words
from rosenblatt import SequenceTagger, load, save
from rosenblatt.errors import ModelFileError
from rosenblatt.persistence.card import layout_of
from rosenblatt.persistence.layout import check_arrays
from rosenblatt.persistence.soundness import check

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

# The last features and words need not have learned anything, so that there may be fewer of these;
# an array, and along which of its axes.
MAY_BE_SHORTER = {("coef", 1), ("features.hash", 0), ("dictionary", 0), ("best.rows", 0)}
MAY_BE_SHORTER |= {("ledger.start.rows", 0)}
OTHER_TYPES = ("float64", "float32", "int64", "int32", "int8")


def spoiled(name, place, value):
    """A change of an array: another value at a place."""

    def change(arrays):
        arrays[name][place] = value

    return change


# ---------------------------------------------------------------------- made from the tables


def table_of(data):
    """What was read from a file, and the declaration of each of its arrays."""
    state = parsed(data)
    declared = {array.name: array for array in state.layout.arrays}
    return state, {name: declared[name] for name in declared if name in state.arrays}


def assert_refused(state, changed, pattern):
    """What `read` checks last, of arrays that were changed."""
    with pytest.raises(ModelFileError, match=pattern):
        check(state.card, changed)


@pytest.mark.parametrize("name", SAMPLES)
def test_arrays_that_are_absent_renamed_or_too_many_are_refused(name, folder):
    state, rows = table_of(sample(name, folder))
    arrays = state.arrays
    assert_refused(state, {**arrays, "more": np.zeros(3)}, "^the array 'more' does not belong to")
    for array in rows:
        others = {other: values for other, values in arrays.items() if other != array}
        assert_refused(state, others, f"^the array '{array}' is missing")
        renamed = {**others, "renamed": arrays[array]}
        assert_refused(state, renamed, f"^the array '{array}' is missing")


@pytest.mark.parametrize("name", SAMPLES)
def test_arrays_of_another_type_or_shape_are_refused(name, folder):
    state, rows = table_of(sample(name, folder))
    for array, row in rows.items():
        values = state.arrays[array]

        def refused(changed, pattern=".", array=array):
            assert_refused(state, {**state.arrays, array: changed}, pattern)

        for dtype in OTHER_TYPES:
            if np.dtype(dtype) not in row.type.dtypes:
                refused(
                    values.astype(dtype), f"^the array '{array}' is of {dtype}, but must be of "
                )
        refused(values[..., None], f"^the array '{array}' has shape ")
        refused(np.zeros((), values.dtype), f"^the array '{array}' has shape ")
        if values.ndim == 2:
            refused(values.ravel())
        if values.ndim == 2 and values.shape[0] != values.shape[1]:
            refused(values.T)
        for axis, size in enumerate(values.shape):
            if size and (array, axis) not in MAY_BE_SHORTER:
                refused(np.delete(values, -1, axis))


@pytest.mark.parametrize("name", SAMPLES)
def test_values_that_are_not_finite_or_out_of_range_are_refused_with_their_place(name, folder):
    state, rows = table_of(sample(name, folder))
    for array, row in rows.items():
        values = state.arrays[array]
        if not values.size:
            continue
        wrong = []
        if values.dtype.kind == "f":
            wrong = [np.nan, np.inf, -np.inf]
        elif row.bounds.low is not None:
            least = -1 if row.bounds.low == 0 else np.iinfo(values.dtype).min
            most = [np.iinfo(values.dtype).max] if row.bounds.high is not None else []
            wrong = [least, *most]
        for value in wrong:
            changed = values.copy()
            changed.flat[-1] = value
            pattern = rf"^{array}\[.*\] is (nan|-?inf|-?\d+); "
            assert_refused(state, {**state.arrays, array: changed}, pattern)


def test_every_array_of_every_table_is_in_some_sample(folder):
    """Else the tests above would say nothing of it."""
    for family in FAMILIES:
        names = [name for name in SAMPLES if family_of(name) == family]
        kept = set().union(*(parsed(sample(name, folder)).arrays for name in names))
        declared = layout_of(parsed(sample(names[0], folder)).card.learner).arrays
        assert {array.name for array in declared} == kept


def test_arrays_are_checked_alone_before_they_are_checked_together(folder, monkeypatch):
    state = parsed(sample("linear: fit", folder))
    state.arrays["ledger.row"] = state.arrays["ledger.row"] + 100
    with pytest.raises(ModelFileError, match=r"^ledger.row\[.*\] is 1\d\d; 0 to 29 is allowed"):
        check_arrays(state.layout, state.card, state.arrays)


@pytest.mark.parametrize("name", SAMPLES)
def test_an_unchanged_forgery_is_read_so_that_the_others_are_refused_for_their_change(
    name, folder, tmp_path
):
    (tmp_path / "model.rbt").write_bytes(forged(sample(name, folder)))
    assert load(tmp_path / "model.rbt").get_params() is not None


# ---------------------------------------------------------------------- cards that lie


def parameter(name, value):
    return put("parameters", name, value=value)


def of_fit(name, value):
    return put("record", "fit", name, value=value)


def fact(*path, value):
    return put("model", *path, value=value)


def setting(name, value):
    return put("model", "settings", name, value=value)


def better_elsewhere(card):
    scores, best = card["record"]["fit"]["validation_scores"], card["record"]["fit"]["best_iter"]
    scores[:] = [0.5] * len(scores)
    scores[best % len(scores)] = 0.75


MISTAKES = ("record", "fit", "mistakes_per_epoch", -1)
SCORES = ("record", "fit", "validation_scores")
UNSOUND = "the card of the model is not sound: "
NOT_TOGETHER = "the weights of the best epoch and the scores do not go together."
ANY = [
    (put("learner", value="os.system"), "the learner 'os.system' is not known; a file may hold"),
    (put("learner", value="LogisticRegression"), "the learner 'LogisticRegression' is not known"),
    (put("learner", value="Ledger"), "the learner 'Ledger' is not known"),
    (put("learner", value="StructuredPerceptron"), "the learner 'StructuredPerceptron' is not kno"),
    (put("learner", value=3), UNSOUND + "Expected `str`, got `int`"),
    (put("extra", value=3), UNSOUND + "Object contains unknown field"),
    (drop("random"), UNSOUND + "Object missing required field `random`"),
    (drop("model"), UNSOUND + "Object missing required field `model`"),
    (put("model", value=None), UNSOUND + "Expected `object`, got `null` - at `$.model`"),
    (put("model", value={}), UNSOUND + "Object missing required field"),
    (fact("more", value=1), UNSOUND + "Object contains unknown field `more` - at `$.model`"),
    (parameter("Eta0", 1), " has no parameter 'Eta0'."),
    (parameter("max_iter", 0), ": max_iter=0 is not allowed"),
    (parameter("random_state", -1), ": random_state=-1 is not allowed"),
    (parameter("random_state", {"RandomState": {}}), "parameter random_state: "),
    (
        parameter("random_state", {"RandomState": {"pos": 625, "has_gauss": 0}}),
        "parameter random_state: pos is 625, but must be a whole number from 0 to 624.",
    ),
    (parameter("random_state", {"call": "f"}), "parameter random_state: {'call': 'f'} is no value"),
    (parameter("random_state", [1]), "parameter random_state: [1] is no value that rosenblatt"),
    (put("version", value="0.1.0\ud800"), "the card has no version of rosenblatt: "),
    (put("random", value="\ud800"), UNSOUND),
    (put("model", value={"\ud800": 1}), UNSOUND),
    (put("schema", value=3), UNSOUND + "Expected `object | null`, got `int`"),
    (put("schema", value=["a"]), UNSOUND + "Expected `object | null`, got `array`"),
    (put("slim", value=1), UNSOUND + "Expected `bool`, got `int`"),
    (put("training_data", value="some"), UNSOUND + "Invalid enum value 'some'"),
    (put("classes", value=[]), "the model has no classes."),
    (put("classes", value=["no", "no"]), "the class 'no' occurs twice."),
    (put("classes", value=[1, True]), "the class 1 occurs twice."),
    (put("classes", value=["no", 3]), "the classes are of types that cannot be ordered."),
    (put("classes", value="no"), UNSOUND + "Expected `array`"),
    (put("classes", value=[{"numpy": ["i1", 300]}, 1]), "classes: {'numpy': ['i1', 300]} is"),
    (put("label_dtype", value="i4,f8"), "label_dtype 'i4,f8' is not known."),
    (put("random", value=-1), "random is -1, but must be a whole number from 0 to 18,446,7"),
    (put("random", value=2**64), "random is 18446744073709551616, but must be a whole number"),
    (put("random", value=1.0), UNSOUND + "Expected `int`, got `float`"),
    (put("record", "t", value=-1), "t is -1, but must be a whole number from 0 to "),
    (put("record", "t", value=2**63), "t is 9223372036854775808, but must be"),
    (put("record", "n_mistakes", value=10**9), "n_mistakes is 1000000000, but must be a whole "),
    (put("record", "data", value={"sha256": "x", "of": "files", "t": 1}), "the digest of the data"),
]
OF_A_FIT = [
    (of_fit("n_iter", 9), " numbers for 9 epochs."),
    (of_fit("n_iter", 0), "n_iter is 0, but must be a whole number from 1 to "),
    (of_fit("rows", 31.5), UNSOUND + "Expected `int | null`, got `float`"),
    (put(*MISTAKES, value=-4), "mistakes_per_epoch is -4, but must be a whole number from 0 to "),
    (put(*MISTAKES, value=41), "mistakes_per_epoch is 41, but must be a whole number from 0 to "),
    (of_fit("stop_reason", "bored"), "the stop reason 'bored' is not known."),
    (of_fit("stop_reason", "early_stopping"), "it cannot have ended by early_stopping without"),
    (of_fit("training_errors", -1), "training_errors is -1, but must be a whole number from 0 to "),
    (of_fit("margin_ceiling", -1.0), "margin_ceiling is -1.0, but must be"),
    (of_fit("best_iter", 1), "best_iter and validation_scores go together."),
    (put("record", "n_mistakes", value=0), "n_mistakes is 0, but the last fit made "),
]
OF_SCORES = [
    (of_fit("best_iter", None), "best_iter and validation_scores go together."),
    (of_fit("best_iter", 99), "best_iter is 99, but must be a whole number from 1 to "),
    (of_fit("validation_scores", [0.5]), "validation_scores has 1 numbers for "),
    (put(*SCORES, 0, value=2.0), "validation_scores is 2.0, but must be a finite number"),
    (put(*SCORES, 0, value=-1), "validation_scores is -1.0, but must be a finite number"),
    (better_elsewhere, "but another epoch did better."),
]
OF_ROWS = [
    (put("classes", value=["yes", "no"]), "two classes must stand in order"),
    (put("classes", value=[0]), "a finished fit has at least two classes."),
    (put("label_dtype", value="|b1"), "is not of the type bool."),
    (put("feature_names", value=["a"]), "there are 1 names for 4 features."),
    (put("feature_names", value=["a", "a", "b", "c"]), "feature_names has a name twice."),
    (of_fit("rows", 0), "rows is 0, but must be a whole number from 1 to "),
    (of_fit("rows", None), "rows is None, but must be a whole number from 1 to "),
    (parameter("ties", "maybe"), ": ties='maybe' is not known: give 'mistake' or 'positive'."),
]
OF_LINEAR = [
    ("calibrated", put("calibration", 0, value=-1.0), "the slope of the calibration is -1.0, but"),
    ("calibrated", put("calibration", 0, value="1"), UNSOUND + "Expected `float`, got `str`"),
    ("calibrated", put("calibration", value=[1.0]), UNSOUND + "Expected `array` of length 3"),
    ("calibrated", put("calibration", 2, value="vote"), "the calibration is for combine='vote'"),
    ("several", put("calibration", value=[1.0, 1.0, None]), "a calibration that a SoftPerceptron"),
    ("small", put("learner", value="MIRA"), "MIRA has no parameter 'eta0'."),
    ("small", put("learner", value="KernelPerceptron"), UNSOUND + "Object contains unknown field"),
    ("small", put("learner", value="VotedPerceptron"), "VotedPerceptron "),
    ("small", parameter("eta0", -1), "Perceptron: eta0=-1 is not allowed: give a finite"),
    ("small", parameter("eta0", "1"), "Perceptron: eta0='1' is not allowed"),
    ("small", parameter("eta0", int("9" * 400)), "Perceptron: eta0=9999999"),
    ("small", parameter("eta0", {"float": "inf"}), "Perceptron: eta0=inf is not allowed"),
    ("small", parameter("class_weight", {"dict": [["a", -1]]}), "Perceptron: class_weight="),
    ("small", parameter("class_weight", {"dict": [["a", 1], ["a", 2]]}), "parameter class_weight:"),
    ("small", parameter("class_weight", {"dict": [["a"]]}), "parameter class_weight: ["),
    ("voted", parameter("combine", "any"), "VotedPerceptron: combine='any' is not known"),
    ("small", put("classes", value=["a", "b", "c"]), "the array 'coef' has shape (1, 2), but clas"),
    ("small", put("label_dtype", value="<i8"), "the class 'no' is not of the type int64."),
    ("small", put("columns", value=[1, True]), "columns has a name twice."),
    ("small", put("columns", value=[1, 2, 3]), "there are 3 names for 2 features."),
    ("averaged", put("columns", value=list("wxyy")), "columns has a name twice."),
    ("averaged", put("columns", value=list("zxyw")), "feature_names and columns do not agree."),
    ("averaged", put("classes", value=[0, 1, 2, 9]), "'coef' has shape (3, 4), but classes, feat"),
    ("small", fact("fit_intercept", value=1), UNSOUND + "Expected `bool`"),
    ("small", fact("fit_intercept", value=False), "intercept is not 0, but the model has no bias."),
    ("small", fact("best", value=2), NOT_TOGETHER),
    ("watched", fact("best", value=None), NOT_TOGETHER),
    ("watched", fact("best", value=0), "the examples of the best epoch is 0, but must be"),
    ("watched", fact("best", value=10**6), "the examples of the best epoch is 1000000, but must"),
    ("small", fact("voters", value={}), UNSOUND + "Expected `str | null`"),
    ("voted", fact("voters", value=None), "VotedPerceptron needs the rows of its mistakes."),
    ("voted", fact("voters", value="pickle"), UNSOUND + "Invalid enum value 'pickle'"),
    ("voted", fact("voters", value="none"), "the array 'voters.rows.data' does not belong"),
    ("voted", fact("best", value=3), NOT_TOGETHER),
    ("fit", put("record", "fit", value=None), "the array 'mistakes_per_row' does not belong to "),
    ("fit", of_fit("rows", 41), "the array 'mistakes_per_row' has shape (30,)"),
    ("fit", put("slim", value=True), "a slim model has no ledger."),
    ("averaged", put("slim", value=True), "a slim model has no running sums."),
    ("watched", put("slim", value=True), NOT_TOGETHER),
    ("fit", put("training_data", value="none"), "training_data is none, but the file holds ledger"),
    (
        "voted",
        put("training_data", value="ledger"),
        "training_data is ledger, but the file holds r",
    ),
    (
        "small",
        put("training_data", value="rows"),
        "training_data is rows, but the file holds none.",
    ),
    ("fit", fact("ledger", value=None), "the array 'ledger."),
    ("fit", fact("ledger", "t", value=1000), "the t of the start of the ledger is 1000, but must"),
    ("fit", fact("ledger", "t", value=5), "ledger.t[0] is "),
    ("fit", fact("ledger", "n_float32", value=-1), "the updates in float32 is -1, but must be"),
    ("fit", fact("ledger", "n_float32", value=3), "updates in float32 of weights that never were"),
    ("fit", fact("ledger", "zero", value=False), "the array 'ledger.start.coef' is missing."),
    ("fit", fact("ledger", "dtype", value="int8"), UNSOUND + "Invalid enum value 'int8'"),
]
OF_KERNEL = [
    ("all", put("calibration", value=[1.0, 0.0, "any"]), "the calibration is for combine='any'"),
    ("all", put("calibration", value=[1.0, 0.0, None]), "the calibration is for combine=None"),
    ("all", put("record", "fit", value=None), "the array 'mistakes_per_row' does not belong to "),
    ("all", put("training_data", value="ledger"), "training_data is ledger, but the file holds r"),
    ("all", put("learner", value="Perceptron"), UNSOUND + "Object contains unknown field `settin"),
    ("all", drop("model", "settings", "gamma"), "kernel settings: 'gamma' is missing."),
    ("all", setting("Gamma", 1), "kernel settings: 'Gamma' is not known."),
    ("all", setting("kernel", "os.system"), "kernel settings: kernel='os.system' is not known"),
    ("all", setting("kernel", 3), "kernel settings: kernel=3 is not known: give 'linear', "),
    ("all", setting("kernel", "precomputed"), "rows that are dense for the kernel precomputed."),
    ("precomputed", setting("kernel", "rbf"), "rows that are numbers for the kernel rbf."),
    ("all", setting("multiclass", "all"), "kernel settings: multiclass='all' is not known"),
    ("all", setting("forget", "none"), "kernel settings: forget='none' is not known"),
    ("all", setting("degree", 0), "kernel settings: degree=0 is not allowed: give a whole number"),
    ("all", setting("degree", 2**70), "kernel settings: degree is 11805916207174113034"),
    ("all", setting("degree", 2.0), "kernel settings: degree=2.0 is not allowed: give a whole"),
    ("all", setting("degree", True), "kernel settings: degree=True is not allowed: give a whole"),
    ("all", setting("gamma", 0), "kernel settings: gamma=0 is not allowed: give a finite num"),
    ("all", setting("gamma", "1"), "kernel settings: gamma='1' is not allowed: give a finite"),
    ("all", setting("gamma", int("9" * 400)), "kernel settings: gamma=9999"),
    ("all", setting("coef0", {"float": "inf"}), "kernel settings: coef0=inf is not allowed"),
    ("all", setting("coef0", None), "kernel settings: coef0=None is not allowed: give a fin"),
    ("all", setting("budget", 5), "a budget and what is remembered for it go together."),
    ("projection", setting("budget", None), "a budget and what is remembered for it go together"),
    ("projection", setting("budget", 3), "the number of rows of support is 7, but must be"),
    ("projection", setting("budget", 0), "kernel settings: budget=0 is not allowed: give a who"),
    ("projection", setting("budget", 2**70), "kernel settings: budget is 11805916207174113034"),
    ("projection", setting("forget", "random"), "combine is average, which needs rows that"),
    ("projection", parameter("combine", "vote"), "combine is vote, which needs rows that"),
    ("random, stream", parameter("combine", "average"), "combine is average, which needs rows"),
    ("all", parameter("combine", "any"), "KernelPerceptron: combine='any' is not known"),
    ("all", parameter("budget", 0), "KernelPerceptron: budget=0 is not allowed"),
    ("all", parameter("cache_mb", int("9" * 400)), "KernelPerceptron: cache_mb"),
    ("all", parameter("kernel", "x"), "KernelPerceptron: kernel='x' is not known"),
    ("all", fact("n_features", value=5), "the array 'support.rows' has shape"),
    ("all", fact("n_features", value=0), "n_features is 0, but must be a whole number"),
    ("one class", fact("n_features", value=2**70), "n_features is 118059162071741"),
    ("precomputed", fact("n_features", value=9), "support.number["),
    ("all", fact("rows", value="none"), "the array 'support.rows' does not belong"),
    ("all", fact("rows", value="csr_array"), "the array 'support.rows.data' is missing."),
    ("all", fact("rows", value="pickle"), UNSOUND + "Invalid enum value 'pickle'"),
    ("one class", fact("rows", value="dense"), "the array 'support.rows' is missing."),
    ("all", put("classes", value=[0, 1]), "updates.right["),
    ("all", put("record", "t", value=9), "n_mistakes is "),
    ("all", put("record", "n_mistakes", value=160), "n_mistakes is 160, but the updates are of "),
    ("all", fact("best", value=[3, 40]), "the best state and the scores do not go together."),
    ("all, early", fact("best", value=None), "the best state and the scores do not go together."),
    ("all, early", fact("best", value=[0, 0]), "the examples of the best state is 0"),
    ("all, early", fact("best", value=[10**6, 9]), "the updates of the best state is 1000000"),
    ("all, early", fact("best", value=[3, 10**6]), "the examples of the best state is 1000000"),
    ("all, early", fact("best", value={"t": 3, "rows": "none"}), "the best state is kept as rows"),
    ("projection, early", fact("best", value=[1, 2]), "the best state is kept as rows with a bud"),
    ("projection, early", fact("best", "t", value=10**6), "the examples of the best state is 100"),
    ("projection, early", fact("best", "rows", value="none"), "the array 'best.rows' does not bel"),
    ("projection, early", fact("best", "rows", value="numbers"), "rows that are numbers for the k"),
    ("projection", fact("forgetting", value=None), "a budget and what is remembered for it go"),
    ("projection", fact("forgetting", "random", value=3), "forgetting: random is not the state"),
    (
        "projection",
        fact("forgetting", "random", "Generator", "inc", value=-1),
        "parameter random: inc is -1, but must be a whole number",
    ),
    ("projection", fact("forgetting", "mistakes", value=-1), "forgetting: mistakes is -1, but"),
    ("projection", fact("forgetting", "damage", value=1.0), "forgetting: the damage is 1.0; "),
    ("projection", fact("forgetting", "damage", value="x"), UNSOUND + "Expected `float`"),
]
NOT_OF_TAGS = "a tagger has no columns and types of labels as others have them."
NO_TOKENS = "the columns or templates are not those of a "
OF_TAGS = [
    ("words", put("calibration", value=[1.0, 0.0, None]), "a calibration that a SequenceTagger of"),
    ("words", put("learner", value="Perceptron"), UNSOUND + "Object contains unknown field `order"),
    ("words", parameter("eta0", 1.0), "SequenceTagger has no parameter 'eta0'."),
    # what it was asked to be
    ("words", parameter("search", "os.system"), "SequenceTagger: search='os.system' is not"),
    ("words", parameter("rule", 3), "SequenceTagger: rule=3 is not known"),
    ("words", parameter("order", 3), "SequenceTagger: order=3 is not allowed"),
    ("words", parameter("order", {"list": [1]}), "SequenceTagger: order=[1] is not allowed"),
    ("words", parameter("beam", 0), "SequenceTagger: beam=0 is not allowed: give a whole number"),
    ("words", parameter("beam", 2**70), "SequenceTagger: beam=1180591620717411303424 is not all"),
    ("words", parameter("beam", 2.5), "SequenceTagger: beam=2.5 is not allowed"),
    ("words", parameter("update", "early"), "SequenceTagger: update='early' is for a search"),
    ("words", parameter("C", int("9" * 400)), "SequenceTagger: C=99999"),
    ("words", parameter("C", 0), "SequenceTagger: C=0 is not allowed"),
    ("words", parameter("random_state", {"list": [1]}), "SequenceTagger: random_state=[1]"),
    ("words", parameter("verbose", "x"), "SequenceTagger: verbose='x' is not allowed"),
    ("words", parameter("tag_dictionary", 0), "SequenceTagger: tag_dictionary=0 is not"),
    ("words", parameter("templates", "w[0]"), "SequenceTagger: templates="),
    ("words", parameter("templates", False), "SequenceTagger: templates=False is not allowed"),
    ("words", parameter("columns", {"list": [3]}), "SequenceTagger: columns=[3] is not allowed"),
    ("words", parameter("constraints", "XYZ"), "SequenceTagger: constraints='XYZ' is not"),
    ("words", parameter("constraints", "BIO"), "SequenceTagger: constraints='BIO': 'P' is no"),
    ("words", parameter("constraints", 3), "SequenceTagger: constraints=3 is not allowed"),
    ("words", parameter("constraints", {"dict": 3}), "parameter constraints: {'dict': 3} is"),
    (
        "words",
        parameter("constraints", {"dict": [["P", {"list": ["Z"]}]]}),
        "SequenceTagger: constraints: 'Z' is no tag of the training data.",
    ),
    (
        "followers",
        parameter("constraints", {"dict": [[None, {"set": ["P", "P"]}]]}),
        "parameter constraints: a value occurs twice in a set.",
    ),
    (
        "words",
        parameter("constraints", {"dict": [["P", {"list": [{"list": []}]}]]}),
        "parameter constraints: {'list': []} is no value that rosenblatt writes.",
    ),
    # tags, and what belongs to others
    ("words", put("classes", value=[1, 2, 3]), "the tag 1 is not a text."),
    ("words", put("classes", value=["P", "Q"]), "the array 'rows' has shape"),
    ("words", put("classes", value=list("PQRS")), "the array 'rows' has shape"),
    ("words", put("columns", value=["a"]), NOT_OF_TAGS),
    ("words", put("feature_names", value=["a"]), NOT_OF_TAGS),
    ("words", put("label_dtype", value="<U3"), NOT_OF_TAGS),
    ("words", of_fit("rows", 10), "a fit of 10 rows, but examples are sentences."),
    ("words", of_fit("margin_ceiling", 1.0), "a tagger cannot have ended by "),
    # tokens
    ("words", fact("order", value=2), "the array 'pairs' is missing."),
    ("order 2", fact("order", value=1), "the array 'pairs' does not belong to this model."),
    ("words", fact("order", value=3), UNSOUND + "Invalid enum value 3"),
    ("words", fact("tokens", value="pickle"), UNSOUND + "Invalid enum value 'pickle'"),
    ("words", fact("tokens", value="mapping"), "tokens that are mappings have no columns, templat"),
    ("tuples", fact("tokens", value="word"), NO_TOKENS + "word."),
    ("mappings", fact("tokens", value="word"), NO_TOKENS + "word."),
    ("mappings", fact("tokens", value="tuple"), NO_TOKENS + "tuple."),
    ("mappings", fact("words", value=[3]), "tokens that are mappings have no columns, templates"),
    ("mappings", fact("dictionary", value=True), "tokens that are mappings have no columns, temp"),
    ("words", fact("columns", value=[]), NO_TOKENS + "word."),
    ("words", fact("columns", value=["w", "x"]), NO_TOKENS + "word."),
    ("words", fact("columns", value=["x"]), "SequenceTagger: templates: 'w[0]' at character 1: t"),
    ("tuples", fact("columns", value=["w", "pos"]), "words of 3 columns, but there are 2."),
    ("words", fact("templates", value=[]), NO_TOKENS + "word."),
    ("words", fact("templates", value=None), NO_TOKENS + "word."),
    ("words", fact("templates", value=["w[0"]), "SequenceTagger: templates: 'w[0' at character 1"),
    ("words", fact("templates", value=["w[0].eval"]), "SequenceTagger: templates: 'w[0].eval' at"),
    ("words", fact("templates", value=["w[9]"]), "SequenceTagger: templates: 'w[9]' at character"),
    ("words", fact("templates", value=["w[0].suffix(" + "9" * 5000 + ")"]), "SequenceTagger: "),
    ("words", fact("templates", value=["w[0]"] * 2000), "the number of templates is 2000, but mus"),
    ("words", fact("words", value=[3]), "the array 'words.start' has shape"),
    ("words", fact("words", value=[-1]), "the number of words is -1, but must be a whole number"),
    ("words", fact("words", value=[2**70]), "the number of words is 1180591620717411303424, but"),
    ("words", fact("words", value=[]), "words of 0 columns, but there are 1."),
    ("words", fact("dictionary", value=True), "the array 'dictionary' is missing."),
    ("dictionary", fact("dictionary", value=False), "the array 'dictionary' does not belong"),
    ("words", fact("ledger", value=0), "the array 'ledger.found' is missing."),
    ("stream", fact("ledger", value=None), "the array 'ledger.found' does not belong"),
    ("stream", fact("ledger", value=1), "the array 'ledger.start.rows' is missing."),
    ("stream", fact("ledger", value=10**6), "the t of the start of the ledger is 1000000, but"),
    ("stream", put("record", "next_row", value=1), "ledger.sentence["),
    ("stream", put("record", "next_row", value=-1), "next_row is -1, but must be"),
    # counters
    ("words", put("record", "t", value=0), "n_mistakes is "),
    (
        "no features",
        lambda card: card["record"].update(t=0, n_mistakes=0, fit=None),
        "t is 0, but must be a whole number from 1 to",
    ),
    ("stream", put("record", "n_mistakes", value=1), "the number of mistakes in the ledger is"),
    ("words", of_fit("mistakes_per_epoch", [1, 0, 1]), "the stop reason is max_iter, but the mis"),
    ("words", of_fit("mistakes_per_epoch", [1, 1, 0]), "the stop reason is max_iter, but the mis"),
    ("words", of_fit("stop_reason", "separated"), "the stop reason is separated, but the mistak"),
    ("words", of_fit("stop_reason", "tolerance"), "a tagger cannot have ended by tolerance."),
    ("words", of_fit("stop_reason", "cycle"), "a tagger cannot have ended by cycle."),
    ("words", fact("best", value=10), NOT_TOGETHER),
    ("validation set", fact("best", value=None), NOT_TOGETHER),
    ("validation set", fact("best", value=0), "the sentences of the best epoch is 0, but must be"),
    ("validation set", fact("best", value=10**6), "the sentences of the best epoch is 1000000, b"),
]
CARDS = [
    *((name, *row) for name in ("linear: small", "kernel: all", "tags: words") for row in ANY),
    *((name, *row) for name in ("linear: fit", "kernel: all", "tags: words") for row in OF_A_FIT),
    *(
        (name, *row)
        for name in ("linear: watched", "kernel: projection, early", "tags: validation set")
        for row in OF_SCORES
    ),
    *((name, *row) for name in ("linear: several", "kernel: all") for row in OF_ROWS),
    *((f"linear: {name}", *row) for name, *row in OF_LINEAR),
    *((f"kernel: {name}", *row) for name, *row in OF_KERNEL),
    *((f"tags: {name}", *row) for name, *row in OF_TAGS),
]


@pytest.mark.parametrize(
    ("name", "change", "message"),
    CARDS,
    ids=lambda value: value[:50] if isinstance(value, str) else "",
)
def test_a_card_that_lies_is_refused_by_name(name, change, message, folder, refused):
    assert message in refused(forged(sample(name, folder), change))


def test_a_parameter_that_is_not_allowed_is_refused_by_reading_before_a_learner_is_made(folder):
    file = forged(sample("linear: small", folder), parameter("max_iter", 0))
    with pytest.raises(ModelFileError, match=r"^Perceptron: max_iter=0 is not allowed"):
        parsed(file)


def test_an_average_must_bring_the_sums_it_needs(folder, refused):
    found = refused(forged(sample("linear: fit", folder), fact("average_from", value=0)))
    assert re.fullmatch(r"the array '\w+_sum' is missing.", found)


# ---------------------------------------------------------------------- arrays that lie

ALL = slice(None)
ARRAYS = [
    ("linear: averaged", "coef", (1, 2), np.nan, "coef[1, 2] is nan; -1e+150 to 1e+150 is allow"),
    ("linear: averaged", "coef", (1, 2), 1e200, "coef[1, 2] is 1e+200; -1e+150 to 1e+150 is all"),
    ("linear: averaged", "coef_sum", (1, 2), -np.inf, "coef_sum[1, 2] is -inf; "),
    ("linear: averaged", "coef_sum", (1, 2), 1e200, "coef_sum[1, 2] is 1e+200; "),
    ("linear: fit", "ledger.row", 0, 30, "ledger.row[0] is 30; 0 to 29 is allowed."),
    ("linear: fit", "ledger.row", 0, -1, "ledger.row[0] is -1; 0 to 29 is allowed."),
    ("linear: fit", "ledger.right", 0, 2, "ledger.right[0] is 2; 0 to 1 is allowed."),
    ("linear: fit", "ledger.wrong", 0, -2, "ledger.wrong[0] is -2; -1 to 1 is allowed."),
    ("linear: fit", "ledger.t", 0, 0, "ledger.t[0] is 0; 1 to 120 is allowed."),
    ("linear: fit", "ledger.t", 0, 100, "ledger.t[1] is "),
    ("linear: fit", "mistakes_per_row", 0, -1, "mistakes_per_row[0] is -1; 0 or more is allowed."),
    ("linear: voted", "voters.number", 0, 10_000, "voters.number[0] is 10000; 0 to 29 is allowed."),
    ("linear: voted", "voters.number", ALL, 0, "voters.number does not name the rows of the"),
    ("linear: voted", "voters.rows.indices", 0, 4, "voters.rows.indices[0] is 4; 0 to 3 is allow"),
    ("linear: voted", "voters.rows.indices", 0, -1, "voters.rows.indices[0] is -1; 0 to 3 is all"),
    ("linear: voted", "voters.rows.indptr", 0, 1, "voters.rows.indptr does not cover"),
    ("linear: voted", "voters.rows.indptr", 1, 10**6, "voters.rows.indptr[2] is "),
    ("linear: voted", "voters.rows.indptr", -1, 10**6, "voters.rows.indptr does not cover"),
    ("kernel: all", "support.number", 0, -1, "support.number[0] is -1; 0 to "),
    ("kernel: all", "support.rows", (1, 2), np.nan, "support.rows[1, 2] is nan; -1e+150 to 1e+15"),
    ("kernel: all", "support.rows", (1, 2), 1e200, "support.rows[1, 2] is 1e+200; "),
    ("kernel: all", "updates.slot", 3, -1, "updates.slot[3] is -1; 0 to "),
    ("kernel: all", "updates.slot", 3, 10**6, "updates.slot[3] is 1000000; 0 to "),
    ("kernel: all", "updates.slot", ALL, 0, " updates of 1 rows, but "),
    ("kernel: all", "updates.right", 0, 3, "updates.right[0] is 3; 0 to 2 is allowed."),
    ("kernel: all", "updates.wrong", 0, -2, "updates.wrong[0] is -2; -1 to 2 is allowed."),
    ("kernel: all", "updates.step", 0, np.nan, "updates.step[0] is nan; 0 to 1e+150 is allowed."),
    ("kernel: all", "updates.step", 0, -1.0, "updates.step[0] is -1.0; 0 to 1e+150 is allowed."),
    ("kernel: all", "updates.step", 0, 0.0, "updates.step holds a step that no rule makes."),
    ("kernel: all", "updates.t", 0, 0, "updates.t[0] is 0; 1 to 160 is allowed."),
    ("kernel: all", "updates.t", 0, 100, "updates.t["),
    ("kernel: all", "updates.t", ALL, 7, "updates.slot names two rows for one example."),
    ("kernel: all, wide", "support.rows.indices", 0, -1, "support.rows.indices[0] is -1; 0 to 109"),
    ("kernel: all, wide", "support.rows.indices", 0, 1100, "support.rows.indices[0] is 1100; 0 to"),
    ("kernel: all, wide", "support.rows.indices", ALL, 3, "columns are out of order."),
    ("kernel: all, wide", "support.rows.indptr", 0, 1, "support.rows.indptr does not cover"),
    ("kernel: all, wide", "support.rows.indptr", 1, 10**6, "support.rows.indptr[2] is "),
    ("kernel: all, wide", "support.rows.indptr", -1, 10**6, "support.rows.indptr does not cover"),
    ("kernel: oldest, wide", "support.coef", (0, 0), 1e200, "support.coef[0, 0] is 1e+200; -1e"),
    ("kernel: projection", "support.age", 0, -1, "support.age[0] is -1; 0 to 159 is allowed."),
    ("kernel: projection", "support.age", 0, 160, "support.age[0] is 160; 0 to 159 is allowed."),
    ("kernel: projection", "support.own", 0, -1e150, "support.own is not the kernel of the supp"),
    ("kernel: projection", "support.age", ALL, 5, "support.age: two rows came with the same exam"),
    ("kernel: projection", "inverse", (0, 1), 9.0, "inverse is not symmetric."),
    ("kernel: projection", "inverse", (0, 0), -9.0, "inverse has a diagonal that is not positive."),
    ("kernel: precomputed", "support.number", 0, 40, "support.number[0] is 40; 0 to 39 is allow"),
    ("kernel: precomputed, early", "best.number", 0, 40, "best.number[0] is 40; 0 to 39 is allow"),
    ("tags: words", "features.hash", 0, 0, "features.hash holds 0, which stands for no feature."),
    ("tags: words", "features.hash", slice(2), 7, "features.hash holds a feature twice."),
    ("tags: words", "rows.feature", 0, -1, "rows.feature[0] is -1; 0 to "),
    ("tags: words", "rows.feature", 0, 2**31 - 1, "rows.feature[0] is 2147483647; 0 to "),
    ("tags: words", "rows.feature", slice(2), 3, "rows.feature: a feature has two rows."),
    ("tags: words", "rows", (1, 2), np.nan, "rows[1, 2] is nan; -1e+20 to 1e+20 is allowed."),
    ("tags: words", "rows", (1, 2), 1e30, "rows[1, 2] is 1.0000000150474662e+30; -1e+20 to 1e+2"),
    ("tags: words", "rows_sum", (0, 0), 1e30, "rows_sum[0, 0] is 1e+30; -6e+21 to 6e+21 is allo"),
    ("tags: dictionary", "dictionary", 0, 3, "dictionary[0] is 3; -1 to 2 is allowed."),
    ("tags: dictionary", "dictionary", 0, -2, "dictionary[0] is -2; -1 to 2 is allowed."),
    ("tags: words", "words", ALL, -1, "words holds bytes that are not UTF-8 (invalid start"),
    ("tags: words", "words.start", 0, 1, "words.start does not cover the words."),
    ("tags: words", "words.start", 0, -1, "words.start[0] is -1; 0 or more is allowed."),
    ("tags: words", "words.start", -1, 10**6, "words.start does not cover the words."),
    ("tags: words", "words.start", 1, 10**6, "words.start[2] is "),
    ("tags: words", "words.start", slice(1, -1), 0, "the word '' occurs twice."),
    ("tags: stream", "ledger.sentence", 0, -1, "ledger.sentence[0] is -1; 0 to 19 is allowed."),
    ("tags: stream", "ledger.step", 0, np.nan, "ledger.step[0] is nan; 0 to 1e+20 is allowed."),
    ("tags: stream", "ledger.step", 0, -1.0, "ledger.step[0] is -1.0; 0 to 1e+20 is allowed."),
    ("tags: stream", "ledger.t", 0, 0, "ledger.t[0] is 0; 1 to 20 is allowed."),
    ("tags: stream", "ledger.t", 1, 1, "ledger.t[1] is 1, which is less than allowed there."),
    ("tags: stream", "ledger.t", -1, 21, " is 21; 1 to 20 is allowed."),
    ("tags: stream", "ledger.length", 0, 0, "ledger.length[0] is 0; 1 or more is allowed."),
    ("tags: stream", "ledger.length", 0, 2**62, "ledger.length does not add up to the "),
    ("tags: stream", "ledger.length", ALL, 2**62, "ledger.length does not add up to the "),
    ("tags: stream", "ledger.length", ALL, 1, "ledger.length does not add up to the "),
    ("tags: stream", "ledger.right", 0, 3, "ledger.right[0] is 3; 0 to 2 is allowed."),
    ("tags: stream", "ledger.found", 0, -1, "ledger.found[0] is -1; 0 to 2 is allowed."),
]


@pytest.mark.parametrize(("name", "array", "place", "value", "message"), ARRAYS)
def test_an_array_that_lies_is_refused_by_name(name, array, place, value, message, folder, refused):
    assert message in refused(forged(sample(name, folder), None, spoiled(array, place, value)))


@pytest.mark.parametrize("rows", [7, 1 << 40, 1 << 62, (1 << 64) - 1])
def test_a_shape_without_numbers_does_not_stand_for_many_rows(rows, folder, refused):
    card, arrays = opened(sample("linear: small", folder))
    arrays["coef"] = np.zeros((1, 0))
    header, payload = header_of(closed(card, arrays))
    text = header.replace('"shape":[1,0]', f'"shape":[{rows},0]')
    assert re.search("shape|too big|not sound|Maximum allowed", refused(with_header(text, payload)))


def test_weights_of_different_types_are_refused(folder, refused):
    def narrow(arrays):
        arrays["intercept"] = arrays["intercept"].astype("f4")

    found = refused(forged(sample("linear: small", folder), None, narrow))
    assert found == "the array 'intercept' is of float32, but must be of float64."
    start = fact("ledger", "dtype", value="float32")
    found = refused(forged(sample("linear: perceptron, coef_init, 3", folder), start))
    assert found == "the array 'ledger.start.coef' is of float64, but must be of float32."


def test_updates_of_a_kernel_model_must_agree_with_each_other(folder, refused):
    def same_class(arrays):
        arrays["updates.wrong"][:] = arrays["updates.right"]

    def other_order(arrays):
        slots = arrays["updates.slot"]
        slots[:] = slots.max() - slots

    def one_less(arrays):
        for name in ("slot", "right", "wrong", "step", "t"):
            arrays[f"updates.{name}"] = arrays[f"updates.{name}"][:-1]

    data = sample("kernel: all, argmax", folder)
    assert refused(forged(data, None, same_class)).startswith("updates.wrong names a class")
    assert refused(forged(data, None, other_order)).startswith("the first update of each row[1]")
    message = refused(forged(data, None, one_less))
    assert re.match(r"(n_mistakes is \d+, but the updates|\d+ updates of \d+ rows, but)", message)


def test_sizes_of_a_tagger_must_agree_with_each_other(folder, refused):
    def more_rows_of_best(arrays):
        rows = arrays["best.rows"]
        arrays["best.rows"] = np.vstack([rows, np.zeros((10**4, rows.shape[1]), np.float32)])

    def longer_dictionary(arrays):
        arrays["dictionary"] = np.full(500, -1, np.int32)

    def no_dictionary(arrays):
        arrays["dictionary"] = np.zeros(0, np.int32)

    message = refused(forged(sample("tags: validation set", folder), None, more_rows_of_best))
    assert message.startswith("the number of best.rows is 1")
    for change in (longer_dictionary, no_dictionary):
        message = refused(forged(sample("tags: dictionary", folder), None, change))
        assert message.startswith("the size of the dictionary is ")


def test_lengths_that_add_up_only_because_they_overflow_are_refused(folder, refused):
    def overflow(arrays):
        lengths = arrays["ledger.length"]
        lengths[4] += lengths[:4].sum()
        lengths[:4] = 2**62
        assert lengths.sum() == len(arrays["ledger.right"])

    message = refused(forged(sample("tags: stream", folder), None, overflow))
    assert message.startswith("ledger.length does not add up to the ")


def test_a_word_cut_inside_of_a_character_is_refused(folder, refused):
    data = sample("tags: words", folder)
    inside = opened(data)[1]["words"].tobytes().index("ß".encode()) + 1

    def cut(arrays):
        starts = arrays["words.start"]
        starts[np.searchsorted(starts, inside)] = inside

    assert refused(forged(data, None, cut)).startswith("words holds bytes that are not UTF-8")


def test_half_of_a_character_is_no_word_where_words_are_hashed(folder, refused):
    def halve(arrays):
        text = arrays["words"].tobytes().replace("名".encode(), b"\xed\xa0\x80")
        arrays["words"] = np.frombuffer(text, np.int8)

    found = refused(forged(sample("tags: words", folder), None, halve))
    assert found.startswith("SequenceTagger: 'utf-8' codec ")


@pytest.mark.parametrize("path", [("\ud800",), ("record", "\ud800"), ("model", "\ud800")])
def test_half_of_a_character_in_a_card_is_refused(path, folder, refused):
    data = forged(sample("linear: fit", folder), put(*path, value=1))
    assert refused(data).startswith("the card of the model is not sound: 'utf-8' codec ")


TABLE = 1 << 17  # of 40,000 features


@pytest.mark.parametrize(
    "own",
    [
        np.arange(40_000) // 1000,
        np.arange(40_000) // 1000 * 7,
        # Those at the end do not fit there and push all that stand at the beginning.
        np.append(np.full(1500, TABLE - 1), np.arange(38_500)),
    ],
    ids=["one corner", "along a line", "around the end"],
)
def test_hashes_that_would_crowd_the_table_are_refused(own, folder, refused):
    """They would take hours to look up: each would be looked for along all others."""

    def crowd(arrays):
        arrays["features.hash"] = own + (1 + np.arange(len(own))) * TABLE

    message = refused(forged(sample("tags: words", folder), None, crowd))
    assert message == "features.hash holds too many that begin alike to be those of texts."


@pytest.mark.parametrize("form", [words, tuples])
def test_hashes_of_texts_are_far_from_that(form, tmp_path):
    xs, ys = form(0, 3000)
    tagger = SequenceTagger(max_iter=1).fit(
        [
            [tuple(f"{p}{i % 997}" for p in w) if form is tuples else f"{w}{i % 997}" for w in x]
            for i, x in enumerate(xs)
        ],
        ys,
    )
    hashes = tagger._model.encoder.table.hashes
    size = 1 << (2 * len(hashes) - 1).bit_length()
    taken = len(np.unique(hashes & np.uint64(size - 1)))
    assert len(hashes) > 20_000
    # So many differ if they are spread by chance.
    assert taken == pytest.approx(size * -np.expm1(-len(hashes) / size), rel=0.02)
    save(tagger, tmp_path / "model.rbt")
