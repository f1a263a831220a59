"""A kernel machine that somebody made up and signed is refused by name for the part that lies."""

import re

import numpy as np
import pytest

from model.forging import bytes_of, closed, drop, forged, opened, outline, parsed, put
from model.kernel_samples import STATES
from rosenblatt import Perceptron, load
from rosenblatt.errors import ModelFileError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("machines")
    return {name: bytes_of(build(3), folder) for name, build in STATES.items()}


def setting(name, value):
    return put("kernel", "settings", name, value=value)


@pytest.mark.parametrize(
    ("state", "change", "message"),
    [
        ("all", put("kernel", value=None), "KernelPerceptron needs a kernel."),
        ("all", drop("kernel"), "KernelPerceptron needs a kernel."),
        ("all", put("kernel", value={}), "the card of the model is not sound: Object missing"),
        ("all", put("kernel", "more", value=1), "the card of the model is not sound: Object con"),
        ("all", put("learner", value="Perceptron"), "Perceptron has no parameter 'budget'."),
        ("all", drop("kernel", "settings", "gamma"), "kernel settings: gamma is missing."),
        ("all", setting("Gamma", 1), "kernel settings: 'Gamma' is not known."),
        ("all", setting("kernel", "os.system"), "kernel settings: kernel is 'os.system', but"),
        ("all", setting("kernel", 3), "kernel settings: kernel is 3, but must be 'linear', "),
        ("all", setting("kernel", "precomputed"), "rows that are dense for the kernel precompu"),
        ("precomputed", setting("kernel", "rbf"), "rows that are numbers for the kernel rbf."),
        (
            "all",
            setting("multiclass", "all"),
            "kernel settings: multiclass is 'all', but must be",
        ),
        ("all", setting("forget", "none"), "kernel settings: forget is 'none', but must be 'p"),
        ("all", setting("degree", 0), "kernel settings: degree is 0, but must be a whole number"),
        ("all", setting("degree", 2**70), "kernel settings: degree is 11805916207174113034"),
        ("all", setting("degree", 2.0), "kernel settings: degree is 2.0, but must be a whole"),
        ("all", setting("degree", True), "kernel settings: degree is True, but must be a wh"),
        ("all", setting("gamma", 0), "kernel settings: gamma is 0, but must be a finite num"),
        ("all", setting("gamma", "1"), "kernel settings: gamma is '1', but must be a finite"),
        ("all", setting("gamma", int("9" * 400)), "kernel settings: gamma is 9999"),
        ("all", setting("coef0", {"float": "inf"}), "kernel settings: coef0 is inf, but must be"),
        ("all", setting("coef0", None), "kernel settings: coef0 is None, but must be a fin"),
        ("all", setting("budget", 5), "a budget and what is remembered for it go together."),
        ("projection", setting("budget", None), "a budget and what is remembered for it go tog"),
        ("projection", setting("budget", 3), "the number of rows of support is 7, but must be"),
        ("projection", setting("budget", 0), "kernel settings: budget is 0, but must be a who"),
        ("projection", setting("forget", "random"), "combine is average, which needs rows that"),
        ("projection", put("parameters", "combine", value="vote"), "combine is vote, which needs"),
        ("random, stream", put("parameters", "combine", value="average"), "combine is average"),
        ("all", put("parameters", "combine", value="any"), "combine is 'any'; vote or average o"),
        ("all", put("parameters", "budget", value=0), "KernelPerceptron: budget=0 is not allow"),
        ("all", put("parameters", "random_state", value=-1), "KernelPerceptron: random_state=-1"),
        ("all", put("parameters", "cache_mb", value=int("9" * 400)), "KernelPerceptron: cache_mb"),
        ("all", put("parameters", "kernel", value="x"), "KernelPerceptron: kernel='x' is not kno"),
        ("all", put("kernel", "n_features", value=5), "the array 'support.rows' has shape"),
        ("all", put("kernel", "n_features", value=0), "n_features is 0, but must be a whole numb"),
        ("one class", put("kernel", "n_features", value=2**70), "n_features is 118059162071741"),
        ("precomputed", put("kernel", "n_features", value=9), "support.number["),
        ("all", put("kernel", "rows", value="none"), "the array 'support.rows' does not belong"),
        ("all", put("kernel", "rows", value="csr_array"), "the array 'support.rows.data' is mis"),
        ("all", put("kernel", "rows", value="pickle"), "the card of the model is not sound: Inva"),
        ("one class", put("kernel", "rows", value="dense"), "the array 'support.rows' is missing"),
        ("all", put("fit_intercept", value=True), "a kernel machine has no columns, bias, ledger"),
        ("all", put("best", value=True), "a kernel machine has no columns, bias, ledger or voter"),
        ("all", put("columns", value=["a", "b", "c", "d"]), "a kernel machine has no columns, bi"),
        ("all", put("feature_names", value=["a"]), "there are 1 names for 4 features."),
        ("all", put("classes", value=[0, 1]), "updates.right["),
        ("all", put("classes", value=[0]), "a finished fit has at least two classes."),
        ("all", put("record", "n_mistakes", value=0), "n_mistakes is 0, but the updates are of "),
        ("all", put("record", "t", value=9), "n_mistakes is "),
        ("all", put("record", "fit", "dual", value="pairs"), "the record of the fit is that of a"),
        ("all", put("record", "fit", "eta", value=2.0), "the record of the fit is that of a line"),
        ("all", put("record", "fit", "rows", value=41), "the array 'mistakes_per_row' has shape"),
        ("all", put("kernel", "best", value=[3, 40]), "the best state and the scores do not go"),
        ("all, early", put("kernel", "best", value=None), "the best state and the scores do not"),
        ("all, early", put("kernel", "best", value=[0, 0]), "the examples of the best state is 0"),
        ("all, early", put("kernel", "best", value=[10**6, 9]), "the updates of the best state i"),
        ("all, early", put("kernel", "best", value=[3, 10**6]), "the examples of the best state"),
        (
            "all, early",
            put("kernel", "best", value={"t": 3, "rows": "none"}),
            "the best state is kept as rows with a budget, and only then.",
        ),
        ("projection, early", put("kernel", "best", value=[1, 2]), "the best state is kept as"),
        ("projection, early", put("kernel", "best", "t", value=10**6), "the examples of the best"),
        ("projection, early", put("kernel", "best", "rows", value="none"), "the array 'best.row"),
        ("projection", put("kernel", "forgetting", value=None), "a budget and what is remembered"),
        ("projection", put("kernel", "forgetting", "random", value=3), "forgetting: random is n"),
        (
            "projection",
            put("kernel", "forgetting", "random", "Generator", "inc", value=-1),
            "parameter random: inc is -1, but must be a whole number",
        ),
        ("projection", put("kernel", "forgetting", "mistakes", value=-1), "forgetting: mistakes"),
        ("projection", put("kernel", "forgetting", "damage", value=1.0), "forgetting: the damage"),
        ("projection", put("kernel", "forgetting", "damage", value="x"), "the card of the model"),
    ],
    ids=lambda value: value[:50] if isinstance(value, str) else "",
)
def test_a_card_that_lies_is_refused_by_name(state, change, message, files, refused):
    assert refused(forged(files[state], change)).startswith(message)


def test_a_linear_model_does_not_have_a_kernel(files, folder, refused):
    data = bytes_of(Perceptron().partial_fit([[1.0], [2.0]], [0, 1]), folder)
    kernel = opened(files["all"])[0]["kernel"]
    assert (
        refused(forged(data, put("kernel", value=kernel))) == "Perceptron does not have a kernel."
    )
    assert "kernel" not in opened(data)[0]


@pytest.mark.parametrize(
    ("state", "array", "place", "value", "message"),
    [
        ("all", "support.number", 0, -1, "support.number[0] is -1; 0 to "),
        ("all", "support.rows", (1, 2), np.nan, "support.rows[1, 2] is nan; -1e+150 to 1e+150 is"),
        ("all", "support.rows", (1, 2), 1e200, "support.rows[1, 2] is 1e+200; "),
        ("all, vote", "support.rows", (0, 0), np.inf, "support.rows[0, 0] is inf; "),
        ("all", "updates.slot", 3, -1, "updates.slot[3] is -1; 0 to "),
        ("all", "updates.slot", 3, 10**6, "updates.slot[3] is 1000000; 0 to "),
        ("all", "updates.slot", slice(None), 0, " updates of 1 rows, but "),
        ("all", "updates.right", 0, 3, "updates.right[0] is 3; 0 to 2 is allowed."),
        ("all", "updates.wrong", 0, -2, "updates.wrong[0] is -2; -1 to 2 is allowed."),
        ("all", "updates.step", 0, np.nan, "updates.step[0] is nan; 0.5 to 1 is allowed."),
        ("all", "updates.step", 0, 0.75, "updates.step holds a step that no rule makes."),
        ("all", "updates.step", 0, 0.5, "updates.step holds a step that no rule makes."),
        ("all", "updates.t", 0, 0, "updates.t[0] is 0; 1 to 160 is allowed."),
        ("all", "updates.t", 0, 100, "updates.t["),
        ("all", "updates.t", slice(None), 7, "updates.slot names two rows for one example."),
        ("all", "mistakes_per_row", 0, -1, "mistakes_per_row[0] is -1; 0 or more is allowed."),
        ("all, wide", "support.rows.indices", 0, -1, "support.rows.indices[0] is -1; 0 to 1099"),
        ("all, wide", "support.rows.indices", 0, 1100, "support.rows.indices[0] is 1100; 0 to "),
        ("all, wide", "support.rows.indices", slice(None), 3, "columns are out of order."),
        ("all, wide", "support.rows.indptr", 0, 1, "support.rows.indptr does not cover"),
        ("all, wide", "support.rows.indptr", 1, 10**6, "support.rows.indptr[2] is "),
        ("all, wide", "support.rows.indptr", -1, 10**6, "support.rows.indptr does not cover"),
        ("oldest, wide", "support.rows.data", 0, np.nan, "support.rows.data[0] is nan; "),
        ("oldest, wide", "support.coef", (0, 0), 1e6, "support.coef[0, 0] is 1000000.0; -160 to"),
        ("projection", "support.coef", (0, 0), np.inf, "support.coef[0, 0] is inf; "),
        ("projection", "support.late", (0, 0), np.nan, "support.late[0, 0] is nan; "),
        ("projection", "support.own", 0, np.inf, "support.own[0] is inf; "),
        ("projection", "support.age", 0, -1, "support.age[0] is -1; 0 to 159 is allowed."),
        ("projection", "support.age", 0, 160, "support.age[0] is 160; 0 to 159 is allowed."),
        ("projection", "support.age", slice(None), 5, "support.age: two rows came with the same"),
        ("projection", "inverse", (0, 1), 9.0, "inverse is not symmetric."),
        ("projection", "inverse", (0, 0), -9.0, "inverse has a diagonal that is not positive."),
        ("projection", "inverse", (0, 0), np.nan, "inverse[0, 0] is nan; "),
        ("projection, early", "best.coef", (0, 0), np.nan, "best.coef[0, 0] is nan; "),
        ("projection, early", "best.rows", (0, 0), np.inf, "best.rows[0, 0] is inf; "),
        ("precomputed", "support.number", 0, 40, "support.number[0] is 40; 0 to 39 is allowed."),
        ("precomputed, early", "best.number", 0, 40, "best.number[0] is 40; 0 to 39 is allowed."),
    ],
)
def test_an_array_that_lies_is_refused_by_name(state, array, place, value, message, files, refused):
    def spoil(arrays):
        arrays[array][place] = value

    assert message in refused(forged(files[state], None, spoil))


def test_updates_must_agree_with_each_other(files, refused):
    def same_class(arrays):
        arrays["updates.wrong"][:] = arrays["updates.right"]

    def other_order(arrays):
        slots = arrays["updates.slot"]
        slots[:] = slots.max() - slots

    def one_less(arrays):
        for name in ("slot", "right", "wrong", "step", "t"):
            arrays[f"updates.{name}"] = arrays[f"updates.{name}"][:-1]

    data = files["all, argmax"]
    assert refused(forged(data, None, same_class)).startswith("updates.wrong names a class")
    assert refused(forged(data, None, other_order)).startswith("the first update of each row[1]")
    message = refused(forged(data, None, one_less))
    assert re.match(r"(n_mistakes is \d+, but the updates|\d+ updates of \d+ rows, but)", message)


def test_a_row_without_its_number_is_refused(files, refused):
    def shorter(arrays):
        arrays["support.number"] = arrays["support.number"][:-1]

    assert refused(forged(files["all"], None, shorter)).startswith("the array 'support.rows' has")
    wide = refused(forged(files["oldest, wide"], None, shorter))
    assert wide.startswith("the array 'support.coef' has shape")


@pytest.mark.parametrize("state", STATES)
def test_nothing_but_finite_numbers_is_taken_from_any_array(state, files):
    for array, values in opened(files[state])[1].items():
        if values.dtype.kind != "f" or not values.size:
            continue
        for value in (np.nan, np.inf, -np.inf):

            def spoil(arrays, array=array, value=value):
                arrays[array].flat[-1] = value

            with pytest.raises(ModelFileError, match=rf"^{array}\[.*\] is (nan|-?inf); "):
                parsed(forged(files[state], None, spoil))


@pytest.mark.parametrize("state", STATES)
def test_arrays_that_are_missing_too_many_renamed_or_reshaped_are_refused(state, files):
    data = files[state]
    changes = [lambda arrays: arrays.update(more=np.zeros(3))]
    for array in opened(data)[1]:
        changes += [
            lambda arrays, array=array: arrays.pop(array),
            lambda arrays, array=array: arrays.update(renamed=arrays.pop(array)),
            lambda arrays, array=array: arrays.update({array: arrays[array][..., None]}),
            lambda arrays, array=array: arrays.update({array: arrays[array].ravel()[:-1]}),
            lambda arrays, array=array: arrays.update({array: arrays[array][:-1]}),
            lambda arrays, array=array: arrays.update({array: arrays[array].astype("i1")}),
            lambda arrays, array=array: (
                arrays.update({array: arrays[array][:, ::-1][:, 1:]})
                if arrays[array].ndim == 2
                else None
            ),
        ]
    for change in changes:
        card, arrays = opened(data)
        before = outline(arrays)
        change(arrays)
        if outline(arrays) != before:
            with pytest.raises(ModelFileError):
                parsed(closed(card, arrays))


def test_an_unchanged_forgery_is_read_so_that_the_others_are_refused_for_their_change(
    files, tmp_path
):
    for data in files.values():
        (tmp_path / "model.rbt").write_bytes(forged(data))
        assert load(tmp_path / "model.rbt").get_params() is not None
