"""A tagger that somebody made up and signed is refused by name for the part that lies."""

import numpy as np
import pytest

from model.forging import bytes_of, closed, drop, forged, opened, outline, parsed, put
from model.tagger_samples import STATES, questions, tuples, words
from rosenblatt import Perceptron, SequenceTagger, load
from rosenblatt.errors import ModelFileError


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("taggers")
    return {name: bytes_of(build(), folder) for name, build in STATES.items()}


def fact(name, value):
    return put("tagger", name, value=value)


def parameter(name, value):
    return put("parameters", name, value=value)


def of_fit(name, value):
    return put("record", "fit", name, value=value)


@pytest.mark.parametrize(
    ("state", "change", "message"),
    [
        ("words", put("tagger", value=None), "SequenceTagger needs a tagger."),
        ("words", drop("tagger"), "SequenceTagger needs a tagger."),
        ("words", put("tagger", value={}), "the card of the model is not sound: Object missing"),
        ("words", fact("more", 1), "the card of the model is not sound: Object contains unknown"),
        ("words", put("learner", value="Perceptron"), "Perceptron has no parameter 'C'."),
        ("words", drop("parameters", "beam"), "the parameter beam of SequenceTagger is missing."),
        ("words", parameter("eta0", 1.0), "SequenceTagger has no parameter 'eta0'."),
        # what it was asked to be
        ("words", parameter("search", "os.system"), "SequenceTagger: search='os.system' is not"),
        ("words", parameter("rule", 3), "SequenceTagger: rule=3 is not known"),
        ("words", parameter("order", 3), "SequenceTagger: order=3 is not allowed"),
        ("words", parameter("order", {"list": [1]}), "SequenceTagger: order=[1] is not allowed"),
        ("words", parameter("beam", 0), "beam is 0, but must be a whole number from 1 to 65,536"),
        ("words", parameter("beam", 2**70), "beam is 1180591620717411303424, but must be"),
        ("words", parameter("beam", 2.5), "SequenceTagger: beam=2.5 is not allowed"),
        ("words", parameter("update", "early"), "SequenceTagger: update='early' is for a search"),
        ("words", parameter("C", int("9" * 400)), "SequenceTagger: C=99999"),
        ("words", parameter("C", 0), "SequenceTagger: C=0 is not allowed"),
        ("words", parameter("max_iter", -1), "SequenceTagger: max_iter=-1 is not allowed"),
        ("words", parameter("random_state", -1), "SequenceTagger: random_state=-1 is not"),
        ("words", parameter("random_state", {"list": [1]}), "SequenceTagger: random_state=[1]"),
        ("words", parameter("verbose", "x"), "SequenceTagger: verbose='x' is not allowed"),
        ("words", parameter("tag_dictionary", 0), "SequenceTagger: tag_dictionary=0 is not"),
        ("words", parameter("templates", "w[0]"), "SequenceTagger: templates="),
        ("words", parameter("templates", False), "SequenceTagger: templates=False is not allowed"),
        (
            "words",
            parameter("columns", {"list": [3]}),
            "SequenceTagger: columns=[3] is not allowed",
        ),
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
        # tags
        ("words", put("classes", value=[]), "the model has no classes."),
        ("words", put("classes", value=["P", "Q", "Q"]), "the class 'Q' occurs twice."),
        ("words", put("classes", value=["P", "Q", 3]), "the classes are of types that cannot be"),
        ("words", put("classes", value=[1, 2, 3]), "the tag 1 is not a text."),
        ("words", put("classes", value=["P", "Q"]), "the array 'rows' has shape"),
        ("words", put("classes", value=list("PQRS")), "the array 'rows' has shape"),
        # what belongs to others
        ("words", put("fit_intercept", value=True), "a tagger has no columns, bias, ledger or ker"),
        ("words", put("best", value=True), "a tagger has no columns, bias, ledger or kernel"),
        ("words", put("columns", value=["a"]), "a tagger has no columns, bias, ledger or kernel"),
        ("words", put("feature_names", value=["a"]), "a tagger has no columns, bias, ledger or"),
        ("words", put("label_dtype", value="<U3"), "a tagger has no columns, bias, ledger or"),
        # tokens
        ("words", fact("order", 2), "the array 'pairs' is missing."),
        ("order 2", fact("order", 1), "the array 'pairs' does not belong to this model."),
        ("words", fact("order", 3), "the card of the model is not sound: Invalid enum value 3"),
        ("words", fact("tokens", "pickle"), "the card of the model is not sound: Invalid enum"),
        ("words", fact("tokens", "mapping"), "tokens that are mappings have no columns, templat"),
        ("tuples", fact("tokens", "word"), "the columns or templates are not those of a word."),
        ("mappings", fact("tokens", "word"), "the columns or templates are not those of a word."),
        ("mappings", fact("tokens", "tuple"), "the columns or templates are not those of a tupl"),
        ("mappings", fact("words", [3]), "tokens that are mappings have no columns, templates"),
        ("mappings", fact("dictionary", True), "tokens that are mappings have no columns, templ"),
        ("words", fact("columns", []), "the columns or templates are not those of a word."),
        ("words", fact("columns", ["w", "x"]), "the columns or templates are not those of a word."),
        ("words", fact("columns", ["x"]), "SequenceTagger: templates: 'w[0]' at character 1: the"),
        ("tuples", fact("columns", ["w", "pos"]), "words of 3 columns, but there are 2."),
        ("words", fact("templates", []), "the columns or templates are not those of a word."),
        ("words", fact("templates", None), "the columns or templates are not those of a word."),
        ("words", fact("templates", ["w[0"]), "SequenceTagger: templates: 'w[0' at character 1:"),
        ("words", fact("templates", ["w[0].eval"]), "SequenceTagger: templates: 'w[0].eval' at c"),
        ("words", fact("templates", ["w[9]"]), "SequenceTagger: templates: 'w[9]' at character 3"),
        ("words", fact("templates", ["w[0].suffix(" + "9" * 5000 + ")"]), "SequenceTagger: "),
        ("words", fact("templates", ["w[0]"] * 2000), "the number of templates is 2000, but must"),
        ("words", fact("words", [3]), "the array 'words.start' has shape"),
        ("words", fact("words", [-1]), "the number of words is -1, but must be a whole number"),
        ("words", fact("words", [2**70]), "the number of words is 1180591620717411303424, but"),
        ("words", fact("words", []), "words of 0 columns, but there are 1."),
        ("words", fact("dictionary", True), "the array 'dictionary' is missing."),
        ("dictionary", fact("dictionary", False), "the array 'dictionary' does not belong"),
        ("words", fact("ledger", True), "the array 'ledger.found' is missing."),
        ("stream", fact("ledger", False), "the array 'ledger.found' does not belong"),
        # counters
        ("words", put("record", "t", value=0), "n_mistakes is "),
        (
            "no features",
            put("record", value={"seed": 0, "t": 0, "n_mistakes": 0, "data": None, "fit": None}),
            "t is 0, but must be a whole number from 1 to",
        ),
        ("words", put("record", "n_mistakes", value=0), "n_mistakes is 0, but the last fit made"),
        ("stream", put("record", "n_mistakes", value=1), "the number of mistakes in the ledger is"),
        ("words", put("random", value=2**64), "random is 18446744073709551616, but must be"),
        ("words", of_fit("rows", 10), "the record of the fit is that of another learner."),
        ("words", of_fit("dual", "pairs"), "the record of the fit is that of another learner."),
        ("words", of_fit("margin_ceiling", 1.0), "the record of the fit is that of another lear"),
        ("words", of_fit("n_iter", 4), "mistakes_per_epoch has 3 numbers for 4 epochs."),
        ("words", of_fit("n_iter", 0), "n_iter is 0, but must be a whole number from 1 to 30."),
        ("words", of_fit("mistakes_per_epoch", [11, 1, 1]), "mistakes_per_epoch is 11, but must"),
        ("words", of_fit("mistakes_per_epoch", [1, 0, 1]), "the stop reason is max_iter, but the"),
        ("words", of_fit("mistakes_per_epoch", [1, 1, 0]), "the stop reason is max_iter, but the"),
        ("words", of_fit("stop_reason", "separated"), "the stop reason is separated, but the mis"),
        ("words", of_fit("stop_reason", "tolerance"), "a tagger cannot have ended by tolerance."),
        ("words", of_fit("stop_reason", "early_stopping"), "a tagger cannot have ended by early_"),
        ("words", of_fit("converged", True), "converged, but the stop reason is max_iter."),
        ("words", fact("best", 10), "the weights of the best epoch and the scores do not go tog"),
        ("validation set", fact("best", None), "the weights of the best epoch and the scores do"),
        ("validation set", fact("best", 0), "the sentences of the best epoch is 0, but must be"),
        ("validation set", fact("best", 10**6), "the sentences of the best epoch is 1000000, but"),
        ("validation set", of_fit("best_iter", None), "best_iter and validation_scores go toget"),
        ("validation set", of_fit("best_iter", 99), "best_iter is 99, but must be a whole numbe"),
        (
            "validation set",
            put("record", "fit", "validation_scores", 0, value=2.0),
            "validation_sc",
        ),
        ("validation set", put("record", "fit", "validation_scores", 0, value=-1), "validation_sc"),
        ("validation set", put("record", "fit", "validation_scores", 1, value=1.0), "best_iter is"),
    ],
    ids=lambda value: value[:50] if isinstance(value, str) else "",
)
def test_a_card_that_lies_is_refused_by_name(state, change, message, files, refused):
    assert refused(forged(files[state], change)).startswith(message)


def test_others_do_not_have_a_tagger(files, folder, refused):
    data = bytes_of(Perceptron().partial_fit([[1.0], [2.0]], [0, 1]), folder)
    tagger = opened(files["words"])[0]["tagger"]
    found = refused(forged(data, put("tagger", value=tagger)))
    assert found == "Perceptron does not have a tagger."
    assert "tagger" not in opened(data)[0]
    assert "kernel" not in opened(files["words"])[0]


@pytest.mark.parametrize(
    ("state", "array", "place", "value", "message"),
    [
        ("words", "features.hash", 0, 0, "features.hash holds 0, which stands for no feature."),
        ("words", "features.hash", slice(2), 7, "features.hash holds a feature twice."),
        ("words", "rows.feature", 0, -1, "rows.feature[0] is -1; 0 or more is allowed."),
        ("words", "rows.feature", 0, 2**31 - 1, "rows.feature names a feature that is not among"),
        ("words", "rows.feature", slice(2), 3, "rows.feature: a feature has two rows."),
        ("words", "rows", (1, 2), np.nan, "rows[1, 2] is nan; -1e+20 to 1e+20 is allowed."),
        ("words", "rows", (1, 2), 1e30, "rows[1, 2] is 1.0000000150474662e+30; -1e+20 to 1e+20"),
        ("words", "rows_sum", (0, 0), 1e30, "rows_sum[0, 0] is 1e+30; -6e+21 to 6e+21 is allowed."),
        ("words", "steps", (0, 0), -np.inf, "steps[0, 0] is -inf; "),
        ("words", "steps_sum", (3, 2), np.nan, "steps_sum[3, 2] is nan; "),
        ("order 2", "pairs", (15, 2), np.inf, "pairs[15, 2] is inf; "),
        ("order 2", "pairs_sum", (15, 2), np.inf, "pairs_sum[15, 2] is inf; "),
        ("validation set", "best.rows", (0, 0), np.nan, "best.rows[0, 0] is nan; "),
        ("validation set", "best.steps", (0, 0), np.nan, "best.steps[0, 0] is nan; "),
        ("validation set", "best.pairs", (0, 0), np.nan, "best.pairs[0, 0] is nan; "),
        ("dictionary", "dictionary", 0, 3, "dictionary[0] is 3; -1 to 2 is allowed."),
        ("dictionary", "dictionary", 0, -2, "dictionary[0] is -2; -1 to 2 is allowed."),
        ("words", "words", slice(None), -1, "words holds bytes that are not UTF-8 (invalid start"),
        ("words", "words.start", 0, 1, "words.start does not cover the words."),
        ("words", "words.start", 0, -1, "words.start[0] is -1; 0 or more is allowed."),
        ("words", "words.start", -1, 10**6, "words.start does not cover the words."),
        ("words", "words.start", 1, 10**6, "words.start[2] is "),
        ("words", "words.start", slice(1, -1), 0, "the word '' occurs twice."),
        ("stream", "ledger.sentence", 0, -1, "ledger.sentence[0] is -1; 0 or more is allowed."),
        ("stream", "ledger.step", 0, np.nan, "ledger.step[0] is nan; 0 to 1e+20 is allowed."),
        ("stream", "ledger.step", 0, -1.0, "ledger.step[0] is -1.0; 0 to 1e+20 is allowed."),
        ("stream", "ledger.t", 0, 0, "ledger.t[0] is 0; 1 to 20 is allowed."),
        ("stream", "ledger.t", 1, 1, "ledger.t[1] is 1, which is less than allowed there."),
        ("stream", "ledger.t", -1, 21, " is 21; 1 to 20 is allowed."),
        ("stream", "ledger.length", 0, 0, "ledger.length[0] is 0; 1 or more is allowed."),
        ("stream", "ledger.length", 0, 2**62, "ledger.length does not add up to the "),
        ("stream", "ledger.length", slice(None), 2**62, "ledger.length does not add up to the "),
        ("stream", "ledger.length", slice(None), 1, "ledger.length does not add up to the "),
        ("stream", "ledger.right", 0, 3, "ledger.right[0] is 3; 0 to 2 is allowed."),
        ("stream", "ledger.found", 0, -1, "ledger.found[0] is -1; 0 to 2 is allowed."),
    ],
)
def test_an_array_that_lies_is_refused_by_name(state, array, place, value, message, files, refused):
    def spoil(arrays):
        arrays[array][place] = value

    assert message in refused(forged(files[state], None, spoil))


def test_sizes_must_agree_with_each_other(files, refused):
    def more_rows_of_best(arrays):
        rows = arrays["best.rows"]
        arrays["best.rows"] = np.vstack([rows, np.zeros((10**4, rows.shape[1]), np.float32)])

    def longer_dictionary(arrays):
        arrays["dictionary"] = np.full(500, -1, np.int32)

    def no_dictionary(arrays):
        arrays["dictionary"] = np.zeros(0, np.int32)

    message = refused(forged(files["validation set"], None, more_rows_of_best))
    assert message.startswith("the number of rows of best is 1")
    for change in (longer_dictionary, no_dictionary):
        message = refused(forged(files["dictionary"], None, change))
        assert message.startswith("the size of the dictionary is ")


def test_lengths_that_add_up_only_because_they_overflow_are_refused(files, refused):
    def overflow(arrays):
        lengths = arrays["ledger.length"]
        lengths[4] += lengths[:4].sum()
        lengths[:4] = 2**62
        assert lengths.sum() == len(arrays["ledger.right"])

    message = refused(forged(files["stream"], None, overflow))
    assert message.startswith("ledger.length does not add up to the ")


def test_a_word_cut_inside_of_a_character_is_refused(files, refused):
    text = opened(files["words"])[1]["words"].tobytes()
    inside = text.index("ß".encode()) + 1

    def cut(arrays):
        starts = arrays["words.start"]
        starts[np.searchsorted(starts, inside)] = inside

    assert refused(forged(files["words"], None, cut)).startswith("words holds bytes that are not U")


def test_half_of_a_character_is_no_word_where_words_are_hashed(files, refused):
    def halve(arrays):
        text = arrays["words"].tobytes().replace("名".encode(), b"\xed\xa0\x80")
        arrays["words"] = np.frombuffer(text, np.int8)

    assert refused(forged(files["words"], None, halve)).startswith("SequenceTagger: 'utf-8' codec ")


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
def test_hashes_that_would_crowd_the_table_are_refused(own, files, refused):
    """They would take hours to look up: each would be looked for along all others."""

    def crowd(arrays):
        arrays["features.hash"] = own + (1 + np.arange(len(own))) * TABLE

    message = refused(forged(files["words"], None, crowd))
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
    hashes = tagger._encoder.table.hashes
    size = 1 << (2 * len(hashes) - 1).bit_length()
    taken = len(np.unique(hashes & np.uint64(size - 1)))
    assert len(hashes) > 20_000
    # So many differ if they are spread by chance.
    assert taken == pytest.approx(size * -np.expm1(-len(hashes) / size), rel=0.02)
    assert bytes_of(tagger, tmp_path)


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
            lambda arrays, array=array: arrays.update({array: arrays[array].astype("f8")[::2]}),
            lambda arrays, array=array: arrays.update({array: arrays[array].T.copy()}),
        ]
        # The last features and words need not have learned anything.
        if array not in ("features.hash", "dictionary", "best.rows"):
            changes += [
                lambda arrays, array=array: arrays.update({array: arrays[array][:-1]}),
                lambda arrays, array=array: arrays.update({array: arrays[array].ravel()[:-1]}),
            ]
    for change in changes:
        card, arrays = opened(data)
        before = outline(arrays)
        change(arrays)
        if outline(arrays) != before:
            with pytest.raises(ModelFileError):
                parsed(closed(card, arrays))


def test_a_file_cut_off_at_any_byte_is_refused(files):
    data = files["separated"]
    for size in range(0, len(data), 7):
        with pytest.raises(ModelFileError):
            parsed(data[:size])


def test_any_byte_that_changes_is_noticed(files):
    data = files["separated"]
    for place in range(0, len(data), 5):
        with pytest.raises(ModelFileError):
            parsed(data[:place] + bytes([data[place] ^ (1 << place % 8)]) + data[place + 1 :])


def test_an_unchanged_forgery_is_read_so_that_the_others_are_refused_for_their_change(
    files, tmp_path
):
    for data in files.values():
        (tmp_path / "model.rbt").write_bytes(forged(data))
        tagger = load(tmp_path / "model.rbt")
        assert len(tagger.predict(questions(tagger))) == len(questions(tagger))
