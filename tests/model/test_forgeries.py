"""A file that somebody made up and signed is refused by name for the part that lies."""

import re

import numpy as np
import pytest
from strategies import LEARNERS

from model.forging import (
    bytes_of,
    closed,
    drop,
    forged,
    header_of,
    opened,
    outline,
    parsed,
    put,
    with_header,
)
from model.samples import STATES, fitted
from rosenblatt import Perceptron, SoftPerceptron, load
from rosenblatt.errors import ModelFileError
from rosenblatt.model import read

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


# ---------------------------------------------------------------------- cards that lie, signed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("learner", value="os.system"), "the learner 'os.system' is not known; a file may ho"),
        (put("learner", value="LogisticRegression"), "the learner 'LogisticRegression' is not kn"),
        (put("learner", value="Ledger"), "the learner 'Ledger' is not known"),
        (put("learner", value=3), "the card of the model is not sound: Expected `str`, got `int`"),
        (put("learner", value="MIRA"), "MIRA has no parameter 'eta0'."),
        (put("extra", value=3), "the card of the model is not sound: Object contains unknown fie"),
        (drop("random"), "the card of the model is not sound: Object missing required field `ra"),
        (put("parameters", "Eta0", value=1), "Perceptron has no parameter 'Eta0'."),
        (drop("parameters", "eta0"), "the parameter eta0 of Perceptron is missing."),
        (put("parameters", "eta0", value=-1), "Perceptron: eta0=-1 is not allowed: give a finite"),
        (put("parameters", "eta0", value="1"), "Perceptron: eta0='1' is not allowed"),
        (put("parameters", "eta0", value=int("9" * 400)), "Perceptron: eta0=9999999"),
        (put("parameters", "eta0", value={"float": "inf"}), "Perceptron: eta0=inf is not allowed"),
        (put("parameters", "eta0", value={"call": "f"}), "parameter eta0: {'call': 'f'} is no v"),
        (put("parameters", "eta0", value=[1]), "parameter eta0: [1] is no value that rosenblatt"),
        (put("parameters", "ties", value="maybe"), "ties is 'maybe'; mistake or positive is all"),
        (put("parameters", "max_iter", value=0), "Perceptron: max_iter=0 is not allowed"),
        (put("parameters", "class_weight", value={"dict": [["a", -1]]}), "Perceptron: class_weig"),
        (put("parameters", "class_weight", value={"dict": [["a", 1], ["a", 2]]}), "parameter cla"),
        (put("parameters", "class_weight", value={"dict": [["a"]]}), "parameter class_weight: ["),
        (put("parameters", "random_state", value=-1), "Perceptron: random_state=-1 is not allow"),
        (put("parameters", "random_state", value={"RandomState": {}}), "parameter random_state: "),
        (
            put("parameters", "random_state", value={"RandomState": {"pos": 625, "has_gauss": 0}}),
            "parameter random_state: pos is 625, but must be a whole number from 0 to 624.",
        ),
        (put("classes", value=[]), "the model has no classes."),
        (put("classes", value=["no", "no"]), "the class 'no' occurs twice."),
        (put("classes", value=[1, True]), "the class 1 occurs twice."),
        (put("classes", value=["no", 3]), "the classes are of types that cannot be ordered."),
        (put("classes", value=["yes", "no"]), "two classes must stand in order"),
        (put("classes", value=["a", "b", "c"]), "the array 'coef' has shape (1, 2), but classes,"),
        (put("classes", value="no"), "the card of the model is not sound: Expected `array`"),
        (put("classes", value=[{"numpy": ["i1", 300]}, 1]), "classes: {'numpy': ['i1', 300]} is"),
        (put("label_dtype", value="i4,f8"), "label_dtype 'i4,f8' is not known."),
        (put("label_dtype", value="<i8"), "the class 'no' is not of the type int64."),
        (put("random", value=-1), "random is -1, but must be a whole number from 0 to 18,446,7"),
        (put("random", value=2**64), "random is 18446744073709551616, but must be a whole numbe"),
        (put("random", value=1.0), "the card of the model is not sound: Expected `int`, got `fl"),
        (put("record", "t", value=-1), "t is -1, but must be a whole number from 0 to "),
        (put("record", "t", value=2**63), "t is 9223372036854775808, but must be"),
        (put("record", "n_mistakes", value=9), "n_mistakes is 9, but must be a whole number fro"),
        (put("record", "data", value={"sha256": "x", "of": "files", "t": 1}), "the digest of th"),
        (put("feature_names", value=["a"]), "there are 1 names for 2 features."),
        (put("feature_names", value=["a", "a"]), "feature_names has a name twice."),
        (put("columns", value=[1, True]), "columns has a name twice."),
        (put("columns", value=[1, 2, 3]), "there are 3 names for 2 features."),
        (put("fit_intercept", value=1), "the card of the model is not sound: Expected `bool`"),
        (put("best", value=True), "the weights of the best epoch and the scores do not go toget"),
        (put("voters", value={}), "the card of the model is not sound: Object missing required"),
    ],
    ids=lambda value: value[:50] if isinstance(value, str) else "",
)
def test_a_card_that_lies_is_refused_by_name(change, message, small, refused):
    assert refused(forged(small, change)).startswith(message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("record", "fit", "rows", value=31), "the array 'mistakes_per_row' has shape (30,), b"),
        (put("record", "fit", "rows", value=0), "rows is 0, but must be a whole number from 1 to "),
        (put("record", "fit", "n_iter", value=9), "mistakes_per_epoch has 4 numbers for 9 epochs."),
        (put("record", "fit", "mistakes_per_epoch", value=[1, 2, 3, -4]), "mistakes_per_epoch is"),
        (put("record", "fit", "mistakes_per_epoch", value=[1, 2, 3, 31]), "mistakes_per_epoch is"),
        (put("record", "fit", "stop_reason", value="bored"), "the stop reason 'bored' is not kno"),
        (put("record", "fit", "converged", value=True), "converged, but the stop reason is max_i"),
        (put("record", "fit", "margin_ceiling", value=-1.0), "margin_ceiling is -1.0, but must be"),
        (put("record", "fit", "cycle_length", value=0), "cycle_length is 0, but must be a whole"),
        (put("record", "fit", "best_iter", value=1), "best_iter and validation_scores go togethe"),
        (put("record", "fit", "dual", value="pairs"), "a dual form of pairs for 2 classes."),
        (put("record", "fit", "dual", value="steps"), "the array 'dual' is missing."),
        (put("record", "fit", value=None), "the array 'mistakes_per_row' does not belong to this"),
        (put("ledger", value=None), "the array 'ledger."),
        (put("ledger", "t", value=1000), "the t of the start of the ledger is 1000, but must be"),
        (put("ledger", "t", value=5), "ledger.t[0] is "),
        (put("ledger", "zero", value=False), "the array 'ledger.start.coef' is missing."),
    ],
    ids=lambda value: value[:50] if isinstance(value, str) else "",
)
def test_a_record_that_lies_is_refused_by_name(change, message, fit, refused):
    assert refused(forged(fit, change)).startswith(message)


def test_scores_and_best_epoch_must_agree(watched, refused):
    assert parsed(watched).card.best
    assert "do not go together" in refused(forged(watched, put("best", value=False)))
    scores = put("record", "fit", "validation_scores", value=[0.5])
    assert refused(forged(watched, scores)).startswith("validation_scores has 1 numbers for ")
    assert refused(forged(watched, put("record", "fit", "best_iter", value=99))).startswith(
        "best_i"
    )


# ---------------------------------------------------------------------- arrays that lie, signed


def test_a_weight_that_is_not_finite_is_refused_with_its_place(averaged, refused):
    for value, shown in ((np.nan, "nan"), (np.inf, "inf"), (-np.inf, "-inf"), (1e200, "1e+200")):
        for name in ("coef", "coef_sum"):

            def spoil(arrays, name=name, value=value):
                arrays[name][1, 2] = value

            assert refused(forged(averaged, None, spoil)).startswith(f"{name}[1, 2] is {shown}; ")


@pytest.mark.parametrize("state", ["recorded", "early stopping", "coef_init", "sparse"])
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_nothing_but_finite_numbers_is_taken_from_any_array(name, state, n_classes, folder):
    data = bytes_of(STATES[state](LEARNERS[name], n_classes), folder)
    for array, values in opened(data)[1].items():
        if values.dtype.kind != "f" or not values.size:
            continue
        for value in (np.nan, np.inf):

            def spoil(arrays, array=array, value=value):
                arrays[array].flat[-1] = value

            with pytest.raises(ModelFileError, match=rf"^{array}\[.*\] is (nan|inf); "):
                parsed(forged(data, None, spoil))


@pytest.mark.parametrize("state", ["recorded", "early stopping", "sparse", "recorded batches"])
@pytest.mark.parametrize("name", ["perceptron", "averaged", "voted", "pa", "soft"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_arrays_that_are_missing_too_many_renamed_or_reshaped_are_refused(
    name, state, n_classes, folder
):
    data = bytes_of(STATES[state](LEARNERS[name], n_classes), folder)
    changes = [lambda arrays: arrays.update(more=np.zeros(3))]
    for array in opened(data)[1]:
        changes += [
            lambda arrays, array=array: arrays.pop(array),
            lambda arrays, array=array: arrays.update(renamed=arrays.pop(array)),
            lambda arrays, array=array: arrays.update({array: arrays[array][..., None]}),
            lambda arrays, array=array: arrays.update({array: arrays[array].ravel()[:-1]}),
            lambda arrays, array=array: arrays.update({array: arrays[array].astype("i1")}),
        ]
    for change in changes:
        card, arrays = opened(data)
        before = outline(arrays)
        change(arrays)
        if outline(arrays) != before:  # signs are of one byte, and what is empty has no last
            with pytest.raises(ModelFileError):
                parsed(closed(card, arrays))


@pytest.mark.parametrize("rows", [7, 1 << 40, 1 << 62, (1 << 64) - 1])
def test_a_shape_without_numbers_does_not_stand_for_many_rows(rows, small, refused):
    card, arrays = opened(small)
    arrays["coef"] = np.zeros((1, 0))
    header, payload = header_of(closed(card, arrays))
    text = header.replace('"shape":[1,0]', f'"shape":[{rows},0]')
    assert re.search("shape|too big|not sound|Maximum allowed", refused(with_header(text, payload)))


def test_classes_and_weights_that_disagree_are_refused(averaged, refused):
    assert refused(forged(averaged, lambda card: card["classes"].append(9))) == (
        "the array 'coef' has shape (3, 4), but classes, features and rows of this model ask for "
        "(4, 4)."
    )
    assert refused(forged(averaged, lambda card: card["feature_names"].pop())) == (
        "there are 3 names for 4 features."
    )


@pytest.mark.parametrize(
    ("array", "value", "message"),
    [
        ("ledger.row", 30, "ledger.row[0] is 30; 0 to 29 is allowed."),
        ("ledger.row", -1, "ledger.row[0] is -1; 0 to 29 is allowed."),
        ("ledger.right", 2, "ledger.right[0] is 2; 0 to 1 is allowed."),
        ("ledger.wrong", -2, "ledger.wrong[0] is -2; -1 to 1 is allowed."),
        ("ledger.t", 0, "ledger.t[0] is 0; 1 to 120 is allowed."),
        ("ledger.t", 100, "ledger.t[1] is "),
        ("mistakes_per_row", -1, "mistakes_per_row[0] is -1; 0 or more is allowed."),
        ("signs", 2, "signs[0] is 2; -1 to 1 is allowed."),
    ],
)
def test_a_ledger_that_names_what_is_not_there_is_refused(array, value, message, fit, refused):
    def spoil(arrays):
        arrays[array][0] = value

    assert refused(forged(fit, None, spoil)).startswith(message)


@pytest.mark.parametrize(
    ("array", "place", "value", "message"),
    [
        ("voters.row", 0, 10_000, "voters.row[0] is 10000; 0 to "),
        ("voters.row", slice(None), 0, " updates of 1 rows, but "),
        ("voters.rows.indices", 0, 4, "voters.rows.indices[0] is 4; 0 to 3 is allowed."),
        ("voters.rows.indices", 0, -1, "voters.rows.indices[0] is -1; 0 to 3 is allowed."),
        ("voters.rows.indptr", 0, 1, "voters.rows.indptr does not cover"),
        ("voters.rows.indptr", 1, 10**6, "voters.rows.indptr[2] is "),
        ("voters.rows.indptr", -1, 10**6, "voters.rows.indptr does not cover"),
    ],
)
def test_rows_of_a_voted_perceptron_must_be_a_sparse_matrix(
    array, place, value, message, voted, refused
):
    def spoil(arrays):
        arrays[array][place] = value

    assert message in refused(forged(voted, None, spoil))


def test_pairs_of_a_dual_form_must_stand_in_order(folder, refused):
    data = bytes_of(fitted(Perceptron, 3), folder)

    def reverse(arrays):
        arrays["pairs.key"] = arrays["pairs.key"][::-1]

    def beyond(arrays):
        arrays["pairs.key"][-1] = 30 * 3 * 4

    assert refused(forged(data, None, reverse)).startswith("pairs.key[1] is ")
    assert refused(forged(data, None, beyond)).startswith("pairs.key[")


def test_a_learner_must_bring_the_sums_and_rows_it_needs(fit, voted, averaged, refused):
    assert "is missing" in refused(forged(averaged, None, lambda arrays: arrays.pop("coef_sum")))
    needs = "VotedPerceptron needs the rows of its mistakes."
    assert refused(forged(voted, put("voters", value=None))) == needs

    def as_averaged(card):
        card["learner"] = "AveragedPerceptron"
        del card["parameters"]["margin"]

    assert re.fullmatch(r"the array '\w+_sum' is missing.", refused(forged(fit, as_averaged)))


def test_a_bias_that_should_not_be_there_is_refused(small, refused):
    message = refused(forged(small, put("fit_intercept", value=False)))
    assert message == "intercept is not 0, but the model has no bias."


def test_an_unchanged_forgery_is_read_so_that_the_others_are_refused_for_their_change(
    small, fit, averaged, voted, watched, tmp_path
):
    for data in (small, fit, averaged, voted, watched):
        (tmp_path / "model.rbt").write_bytes(forged(data))
        assert load(tmp_path / "model.rbt").get_params() is not None
        assert read(tmp_path / "model.rbt").card.format == 1


def test_a_soft_perceptron_of_many_classes_keeps_its_shares(folder, refused):
    data = bytes_of(fitted(SoftPerceptron, 3), folder)
    other = put("record", "fit", "dual", value="none")
    assert refused(forged(data, other)) == "the array 'shares' does not belong to this model."
