"""Bad input gets one clear error: the argument, the value, what is allowed, the usual cure."""

import numpy as np
import pytest
import scipy.sparse as sp
from strategies import LINEAR, floats

from rosenblatt import MIRA, PassiveAggressive, Perceptron, SoftPerceptron, VotedPerceptron
from rosenblatt.errors import InputError, OverflowRefused, ParameterError, RosenblattError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X, Y = floats(1, n=12, d=3)
NAMES = ["height", "width", "depth"]
every_learner = pytest.mark.parametrize("learner", LINEAR)


def spoiled(value, row=7, column=1, dtype=np.float64):
    values = X.astype(dtype)
    values[row, column] = value
    return values


def test_all_errors_share_one_base_and_stay_value_errors():
    for error in (InputError, OverflowRefused, ParameterError):
        assert issubclass(error, RosenblattError)
        assert issubclass(error, ValueError)


# ---------------------------------------------------------------------- the rows


@every_learner
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize("table", [np.asarray, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize(
    ("value", "word"), [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "inf"), (1e200, "1e+200")]
)
def test_a_value_that_cannot_be_learned_from_is_named_by_row_and_column(
    learner, method, table, value, word
):
    with pytest.raises(InputError) as caught:
        getattr(learner(), method)(table(spoiled(value)), Y)
    assert all(part in str(caught.value) for part in ("X", word, "row 7", "column 1"))


def test_float32_rows_have_a_lower_limit():
    with pytest.raises(InputError, match=r"1e\+20 at row 7, column 1.*float32.*float64"):
        Perceptron().fit(spoiled(1e20, dtype=np.float32), Y)
    Perceptron(max_iter=2).fit(spoiled(1e20), Y)


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_frame_adds_the_name_of_the_column(method, kind):
    table = pytest.importorskip(kind).DataFrame(dict(zip(NAMES, spoiled(np.nan).T, strict=True)))
    with pytest.raises(InputError, match=r"NaN at row 7, column 1 \('width'\)"):
        getattr(Perceptron(), method)(table, Y)


def test_names_of_an_earlier_table_do_not_get_in_the_way():
    learner = Perceptron().learn_one({"a": 1.0}, 0).learn_one({"a": -1.0}, 1)
    with pytest.raises(InputError, match=r"NaN at row 7, column 1[;,]"):
        learner.fit(spoiled(np.nan), Y)


@pytest.mark.parametrize("method", ["predict", "decision_function"])
def test_questions_are_checked_like_rows_to_learn_from(method):
    fitted = Perceptron(max_iter=2).fit(X, Y)
    with pytest.raises(InputError, match="NaN at row 7, column 1"):
        getattr(fitted, method)(spoiled(np.nan))
    with pytest.raises(ValueError, match=r"X has 2 features.* expecting 3 features"):
        getattr(fitted, method)(X[:, :2])


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_text_in_a_table_is_named_with_its_column_and_a_cure(kind):
    table = pytest.importorskip(kind).DataFrame({"height": X[:, 0], "colour": ["red"] * 12})
    with pytest.raises(InputError, match=r"'red' at row 0, column 1 \('colour'\).*OneHotEncoder"):
        Perceptron().fit(table, Y)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.zeros((0, 3)), "0 sample"),
        (np.zeros((12, 0)), "0 feature"),
        (np.zeros(12), "Expected 2D array, got 1D array"),
        (np.zeros((12, 3, 2)), "dim 3"),
        (np.zeros((12, 3), complex), "Complex data not supported"),
        (X[:11], "11 rows but y has 12 labels"),
    ],
)
@every_learner
def test_rows_of_the_wrong_shape_are_refused(learner, rows, message):
    with pytest.raises(ValueError, match=message):
        learner().fit(rows, Y)
    with pytest.raises(ValueError, match=message):
        learner().partial_fit(rows, Y)


def test_a_damaged_sparse_matrix_is_refused():
    table = sp.csr_array(X)
    table.indices[2] = 3
    with pytest.raises(ValueError, match=r"column|index"):
        Perceptron().fit(table, Y)


# ---------------------------------------------------------------------- the labels


@every_learner
def test_one_class_is_nothing_to_tell_apart(learner):
    with pytest.raises(InputError, match=r"one class, 'a'.*at least two classes"):
        learner().fit(X, ["a"] * 12)
    with pytest.raises(InputError, match=r"one class, 1:.*at least two classes"):
        learner().fit(X, [1] * 12)  # of several rows the second class is missing by a slip
    for label in ("a", 0, 2, True, np.uint8(1)):  # what the other class is called is not known
        with pytest.raises(InputError, match=r"one class.*at least two classes"):
            learner().fit(X[:1], np.array([label]))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", 1] * 6, "mixed types.*int and str.*one type"),
        (["a", None] * 6, "no label at row 1 .None"),
        (np.array([1, "a"] * 6, object), "mixed types"),
        ([0.5, 1.0] * 6, "continuous.* 0.5 at row 0"),
        ([0.0, np.nan] * 6, "nan at row 1"),
        (np.zeros((12, 2)), r"1d array.*\(12, 2\)"),
        (None, "requires y to be passed"),
        (np.array(["2020-01-01"] * 12, "datetime64[D]"), "datetime64.*whole numbers"),
        ([frozenset([1]), frozenset([2])] * 6, "no order, such as sets"),
    ],
    ids=["mixed", "none", "object", "continuous", "nan", "table", "missing", "dates", "sets"],
)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_labels_that_are_no_classes_are_refused(method, labels, message):
    with pytest.raises(ValueError, match=message):
        getattr(Perceptron(), method)(X, labels)


def test_a_label_of_another_type_is_refused_later_too():
    learner = Perceptron().partial_fit(X, Y)
    with pytest.raises(InputError, match=r"label 'a' \(str\) cannot be compared.*\(int\)"):
        learner.partial_fit(X[:1], ["a"])
    with pytest.raises(InputError, match="label is NaN"):
        Perceptron().learn_one({"a": 1}, 1.0).learn_one({"a": 1}, float("nan"))
    with pytest.raises(InputError, match=r"frozenset\(\{2\}\).*has an order"):
        Perceptron().learn_one({"a": 1}, frozenset([1])).learn_one({"a": 1}, frozenset([2]))


def test_a_tuple_beside_numbers_of_numpy_is_refused_as_a_label():
    learner = Perceptron().learn_one({"a": 1.0}, np.int64(1))
    with pytest.raises(InputError, match=r"label \(1, 2\) \(tuple\) cannot be compared"):
        learner.learn_one({"a": 1.0}, (1, 2))


@pytest.mark.parametrize("x", [{"a": 1}, [1.0, 2.0]])
def test_a_list_is_no_label_of_one_example(x):
    learner = Perceptron()
    with pytest.raises(InputError, match=r"the label \[1\] cannot be one: labels must be hashable"):
        learner.learn_one(x, [1])
    assert not hasattr(learner, "classes_")


def test_labels_of_any_type_with_an_order_are_classes():
    labels = [(1, 2), (0, 5), (1, 2), (3,)] * 3
    p = Perceptron().fit(X, labels)
    assert p.classes_.tolist() == [(0, 5), (1, 2), (3,)]
    assert set(p.predict(X)) <= set(labels)


def test_a_gap_in_a_masked_example_is_refused():
    learner, gap = Perceptron().fit(X, Y), np.ma.array(X[0], mask=[True] + [False] * 2)
    for act in (learner.predict_one, lambda x: learner.learn_one(x, Y[0])):
        with pytest.raises(InputError, match="NaN at row 0, column 0"):
            act(gap)


# ---------------------------------------------------------------------- the parameters


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (Perceptron(ties="maybe"), ["ties='maybe'", "'mistake' or 'positive'"]),
        (Perceptron(eta0=0.0), ["eta0=0.0", "above 0"]),
        (Perceptron(eta0=-1), ["eta0=-1", "above 0"]),
        (SoftPerceptron(eta0=np.nan), ["eta0=nan", "finite"]),
        (Perceptron(eta0="1"), ["eta0='1'", "number"]),
        (Perceptron(margin=-1), ["margin=-1", "at least 0"]),
        (Perceptron(max_iter=0), ["max_iter=0", "at least 1"]),
        (Perceptron(max_iter=2.5), ["max_iter=2.5", "whole number"]),
        (Perceptron(tol=-1e-3), ["tol=-0.001", "at least 0", "None"]),
        (Perceptron(shuffle="yes"), ["shuffle='yes'", "True or False"]),
        (Perceptron(validation_fraction=1.0), ["validation_fraction=1.0", "below 1"]),
        (Perceptron(n_iter_no_change=0), ["n_iter_no_change=0", "at least 1"]),
        (Perceptron(random_state=-1), ["random_state=-1", "from 0 to"]),
        (Perceptron(random_state="seed"), ["random_state", "seed"]),
        (Perceptron(class_weight="fair"), ["class_weight='fair'", "'balanced'"]),
        (Perceptron(class_weight={0: -1.0}), ["class_weight", "negative"]),
        (Perceptron(verbose="loud"), ["verbose='loud'"]),
        (Perceptron(verbose=None), ["verbose=None"]),
        (VotedPerceptron(combine="all"), ["combine='all'", "'vote', 'average' or 'last'"]),
        (MIRA(aggressive=1.5), ["aggressive=1.5", "at most 1"]),
        (PassiveAggressive(variant="PA-3"), ["variant='PA-3'", "'PA', 'PA-I' or 'PA-II'"]),
        (PassiveAggressive(C=0), ["C=0", "above 0"]),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else None,
)
def test_a_parameter_that_is_not_allowed_is_named_with_what_is(learner, words):
    with pytest.raises(ParameterError) as caught:
        learner.fit(X, Y)
    assert all(word in str(caught.value) for word in words)
    assert not hasattr(learner, "coef_")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"coef_init": np.zeros((2, 3))}, ["coef_init", "(2, 3)", "(1, 3)"]),
        ({"coef_init": np.zeros(4)}, ["coef_init", "(4,)", "(1, 3)"]),
        ({"coef_init": [[np.nan, 0, 0]]}, ["coef_init", "finite"]),
        ({"intercept_init": [1.0, 2.0]}, ["intercept_init", "(2,)", "(1,)"]),
        ({"sample_weight": np.arange(12) - 3.0}, ["sample_weight", "-3", "row 0", "negative"]),
        ({"sample_weight": np.zeros(12)}, ["ample", "weight", "zero"]),
        ({"sample_weight": np.ones(11)}, ["sample_weight", "(11,)"]),
        ({"sample_weight": np.full(12, np.nan)}, ["NaN"]),
        ({"validation_set": X}, ["validation_set", "(X_dev, y_dev)"]),
        ({"validation_set": 3}, ["validation_set", "(X_dev, y_dev)"]),
        ({"validation_set": (X, Y + 5)}, ["validation_set", "label"]),
        ({"validation_set": (spoiled(np.nan), Y)}, ["validation_set holds NaN at row 7"]),
        ({"validation_set": (X, Y[:5])}, ["12 rows", "5 labels"]),
        ({"validation_set": (X[:, :2], Y)}, ["2 features", "3 features"]),
    ],
    ids=lambda value: "-".join(value)[:40] if isinstance(value, list) else None,
)
@every_learner
def test_an_argument_of_fit_that_does_not_fit_is_named(learner, arguments, words):
    fitted = learner(max_iter=3, warm_start=True).fit(X, Y)
    state = fitted._model.digest()
    for one in (learner(), fitted):
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            one.fit(X, Y, **arguments)
        assert all(word in str(caught.value) for word in words)
    assert fitted._model.digest() == state


def test_an_intercept_to_start_from_needs_an_intercept():
    with pytest.raises(ParameterError, match=r"intercept_init.*fit_intercept=True"):
        Perceptron(fit_intercept=False).fit(X, Y, intercept_init=[1.0])


def test_too_few_rows_to_hold_some_out():
    with pytest.raises(InputError, match=r"validation_fraction=0.01 of 12 rows"):
        Perceptron(early_stopping=True, validation_fraction=0.01).fit(X, Y)


def test_balanced_class_weights_need_all_labels_at_once():
    with pytest.raises(ParameterError, match="class_weight='balanced' needs all labels"):
        Perceptron(class_weight="balanced").partial_fit(X, Y)


@pytest.mark.parametrize("value", ["heavy", b"balanced", 2.0, {0: -1.0}, {0: np.inf}])
def test_a_class_weight_that_is_none_is_refused_by_name(value):
    with pytest.raises(ParameterError, match=r"class_weight=.* is not known: give 'balanced'"):
        Perceptron(class_weight=value).fit([[0.0], [1.0]], [0, 1])


def test_parameters_are_checked_when_learning_goes_on_after_a_fit():
    learner = Perceptron().fit([[0.0], [1.0]], [0, 1]).set_params(max_iter=-1)
    with pytest.raises(ParameterError, match="max_iter"):
        learner.learn_one([2.0], 1)


def test_the_digest_of_a_model_follows_from_what_it_learned():
    one, other = (Perceptron().fit([[0.0], [1.0]], y)._model.digest() for y in ([0, 1], [1, 0]))
    assert one != other
    assert len(bytes.fromhex(one)) == 32
