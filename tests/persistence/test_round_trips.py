"""What is saved is what is loaded: predictions, attributes, parameters, to the last bit."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import floats

from persistence import kernel_samples, tagger_samples
from persistence.families import EVERY, assert_predicts_the_same, assert_same
from persistence.forging import opened
from persistence.kernel_samples import BUDGETS, EARLY, gram, rows
from persistence.samples import as_mapping, fitted, same
from persistence.tagger_samples import FORMS, words
from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    Perceptron,
    SequenceTagger,
    VotedPerceptron,
    load,
    save,
)
from rosenblatt.errors import ModelFileError, ParameterError
from rosenblatt.model import linear_model, read
from rosenblatt.models.kernel_functions import KERNELS
from rosenblatt.persistence.parameters import decode, decode_parameters, encode, encode_parameters
from rosenblatt.persistence.tag_layout import pack_words, unpack_words

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

FEW = kernel_samples.FEW

numpy_scalars = st.one_of(
    st.integers(-128, 127).map(np.int8),
    st.integers(0, 2**64 - 1).map(np.uint64),
    st.floats(allow_nan=False, width=32).map(np.float32),
    st.floats(allow_nan=False, width=16).map(np.float16),
    st.booleans().map(np.bool_),
    st.text(max_size=5).map(np.str_),
)
plain_values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(),
    st.characters(categories=["Cs"]),
    st.binary(max_size=5),
    numpy_scalars,
)
values = st.recursive(plain_values, lambda inner: st.lists(inner, max_size=3).map(tuple))


def file_of(learner, path):
    save(learner, path)
    return path.read_bytes()


def there_and_back(learner, path):
    save(learner, path)
    return load(path)


# ---------------------------------------------------------------------- every learner


@pytest.mark.parametrize("name", EVERY)
def test_every_learner_comes_back_with_all_it_knows(name, tmp_path):
    learner = EVERY[name]()
    first, again = tmp_path / "first.rbt", tmp_path / "again.rbt"
    before = file_of(learner, first)
    copy = load(first)
    assert type(copy) is type(learner)
    assert_same(copy, learner)
    if hasattr(learner._model, "digest"):
        assert copy._model.digest() == learner._model.digest()
    assert file_of(copy, again) == before
    if "mapping" in name and not hasattr(learner, "tags_"):
        for x in floats(9, n=10, d=8)[0]:
            for query in (as_mapping(x), {"w": x[0], "z": x[1], "new": x[2]}):
                assert same(copy.predict_one(query), learner.predict_one(query))
    elif "frame" not in name:
        assert_predicts_the_same(copy, learner)
    assert file_of(learner, again) == before  # asking all those questions did not change it
    if "frame" in name and "mapping" not in name:
        for one in (copy, learner):  # arrays have no names
            one.__dict__.pop("_feature_names", one.__dict__.pop("feature_names_in_", None))
        assert_predicts_the_same(copy, learner)


@pytest.mark.parametrize("combine", ["vote", "average", "last"])
@pytest.mark.parametrize("ties", ["mistake", "positive"])
@pytest.mark.parametrize("early_stopping", [False, True])
def test_a_voted_perceptron_answers_as_it_combines(combine, ties, early_stopping, tmp_path):
    options = {"combine": combine, "ties": ties, "early_stopping": early_stopping}
    learner = fitted(VotedPerceptron, 3, validation_fraction=0.3, **options)
    copy = there_and_back(learner, tmp_path / "model.rbt")
    X = np.vstack([floats(9)[0], np.zeros((1, 4))])
    assert same(copy.decision_function(X), learner.decision_function(X))
    assert same(copy.predict(X), learner.predict(X))


def combinations(learner):
    """The ways to answer that this machine allows."""
    if learner.budget is None:
        return "average", "vote", "last"
    return ("average", "last") if learner.forget == "projection" else ("last",)


def assert_answers_are_the_same(learner, copy, path, X):
    for combine in combinations(learner):
        for one in (learner, copy):
            one.set_params(combine=combine)
        expected = learner.decision_function(X)
        assert same(copy.decision_function(X), expected)
        assert same(copy.predict(X), learner.predict(X))
        one = X[:1].toarray()[0] if hasattr(X, "toarray") else X[0]
        assert copy.explain(one) == learner.explain(one)


@given(
    kernel=st.sampled_from(sorted(KERNELS)),
    policy=st.sampled_from(sorted(BUDGETS)),
    form=st.sampled_from(kernel_samples.FORMS),
    more=st.sampled_from(kernel_samples.FORMS),
    multiclass=st.sampled_from(["ovr", "argmax"]),
    ties=st.sampled_from(["mistake", "positive"]),
    n_classes=st.integers(2, 4),
    early=st.booleans(),
    how=st.sampled_from(["fit", "partial_fit", "both", "twice"]),
    seed=st.integers(0, 99),
)
def test_whatever_the_machine_it_comes_back_and_goes_on(
    kernel, policy, form, more, multiclass, ties, n_classes, early, how, seed, folder
):
    options = {**FEW, **BUDGETS[policy], **(EARLY if early else {}), "warm_start": how == "twice"}
    learner = KernelPerceptron(kernel=kernel, multiclass=multiclass, ties=ties, **options)
    if how != "partial_fit":
        learner.fit(*rows(seed, form, n_classes))
    if how == "twice":
        learner.fit(*rows(seed + 1, form, n_classes))
    elif how != "fit":
        learner.partial_fit(*rows(seed + 1, form, n_classes))
    path, again = folder / "machine.rbt", folder / "again.rbt"
    before = file_of(learner, path)
    copy = load(path)
    assert_same(copy, learner)
    assert file_of(copy, again) == before
    combine = learner.combine
    for asked in ("csr_array", "csr_matrix") if form.startswith("csr") else ("dense", "float32"):
        assert_answers_are_the_same(learner, copy, again, rows(seed + 2, asked)[0])
    for one in (learner, copy):
        one.set_params(combine=combine)
        more = more if form.startswith("csr") == more.startswith("csr") else form
        one.partial_fit(*rows(seed + 3, more, 4))
        one.set_params(warm_start=True).fit(*rows(seed + 4, form, 4))
    assert_same(copy, learner)
    assert file_of(copy, again) == file_of(learner, path)


@given(
    policy=st.sampled_from(sorted(BUDGETS)),
    n_classes=st.integers(2, 4),
    early=st.booleans(),
    seed=st.integers(0, 99),
)
def test_a_machine_of_a_precomputed_kernel_comes_back(policy, n_classes, early, seed, folder):
    options = {**FEW, **BUDGETS[policy], **(EARLY if early else {})}
    K, y = gram(seed, n_classes)
    learner = KernelPerceptron(kernel="precomputed", **options).fit(K, y)
    path = folder / "machine.rbt"
    before = file_of(learner, path)
    assert not [name for name in opened(before)[1] if name.startswith("support.rows")]
    copy = load(path)
    assert_same(copy, learner)
    assert_answers_are_the_same(learner, copy, path, K[::-1])


@given(
    form=st.sampled_from(sorted(FORMS)),
    order=st.sampled_from([1, 2]),
    search=st.sampled_from(["viterbi", "beam", "greedy"]),
    rule=st.sampled_from(["perceptron", "mira"]),
    averaged=st.booleans(),
    record=st.booleans(),
    watched=st.booleans(),
    how=st.sampled_from(["fit", "partial_fit", "both"]),
    more=st.sampled_from([["P", "Q", "R"], ["P", "A"], list("ABCDEFGH")]),
    seed=st.integers(0, 99),
)
def test_whatever_the_tagger_it_comes_back_and_goes_on(
    form, order, search, rule, averaged, record, watched, how, more, seed, folder
):
    options = {"order": order, "search": search, "rule": rule, "averaged": averaged}
    tagger = SequenceTagger(
        record=record, random_state=seed, warm_start=True, max_iter=3, **options
    )
    if how != "partial_fit":
        tagger.fit(*FORMS[form](seed), FORMS[form](seed + 1) if watched else None)
    if how != "fit":
        tagger.partial_fit(*FORMS[form](seed + 2))
    path, again = folder / "tagger.rbt", folder / "again.rbt"
    before = file_of(tagger, path)
    copy = load(path)
    assert_same(copy, tagger)
    assert file_of(copy, again) == before
    assert_predicts_the_same(tagger, copy)
    for one in (tagger, copy):
        one.partial_fit(*FORMS[form](seed + 3, 6, more))
        one.fit(*FORMS[form](seed + 4))
    assert_same(copy, tagger)
    assert file_of(copy, again) == file_of(tagger, path)


def test_the_random_numbers_of_forgetting_go_on_where_they_were(tmp_path):
    """Otherwise other rows would be forgotten; that this is so is seen by setting them back."""
    learner = kernel_samples.fit(kernel="rbf", **BUDGETS["random"])
    save(learner, tmp_path / "model.rbt")
    copy, other = (load(tmp_path / "model.rbt") for _ in range(2))
    other._model.forgetting.random = np.random.default_rng(0)
    for one in (learner, copy, other):
        one.partial_fit(*rows(8))
    np.testing.assert_array_equal(copy.support_, learner.support_)
    assert other.support_.tolist() != learner.support_.tolist()


def test_sparse_rows_with_columns_twice_and_out_of_order_are_kept_in_order(tmp_path):
    X, y = rows(7, "csr_array")
    halves = np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr
    for start, stop in zip(halves[2][:-1], halves[2][1:], strict=True):
        halves[1][start:stop] = halves[1][start:stop][::-1]
        halves[0][start:stop] = halves[0][start:stop][::-1]
    untidy = type(X)(halves, shape=X.shape)
    assert not untidy.has_canonical_format
    learner = KernelPerceptron(**FEW).fit(untidy, y)
    assert same(learner.dual_coef_, KernelPerceptron(**FEW).fit(X, y).dual_coef_)
    save(learner, tmp_path / "model.rbt")
    copy = load(tmp_path / "model.rbt")
    assert same(copy.decision_function(untidy), learner.decision_function(X))


def test_a_core_model_comes_straight_from_the_file(tmp_path):
    learner = fitted(AveragedPerceptron, 3)
    save(learner, tmp_path / "model.rbt")
    model = linear_model(read(tmp_path / "model.rbt"))
    assert model.digest() == learner._model.digest()
    assert same(list(model.served()), list(learner._model.served()))


# ---------------------------------------------------------------------- labels, names, words


@pytest.mark.parametrize(
    "labels",
    [
        ["ham", "spam"],
        ['ß\n"\\', "\ud800", "日本"],
        [-3, 2**62],
        [2**70, 1],
        np.array([3, 7], np.uint8),
        np.array([3, 7], ">i4"),
        [1.0, 2.0],
        [True, False],
        [("a", 1), ("b", 2), ("c", (3, None))],
        np.array([b"x", b"yy"]),
        np.array(["p", "q"], object),
        np.array(["p", "q"], np.dtypes.StringDType()),
    ],
    ids=repr,
)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_labels_keep_their_type(labels, method, tmp_path):
    X = floats(3)[0]
    names = list(labels)
    y = [names[i % len(names)] for i in range(30)]
    if isinstance(labels, np.ndarray):
        y = labels[np.arange(30) % len(labels)]
    learner = getattr(Perceptron(max_iter=50), method)(X, y)
    copy = there_and_back(learner, tmp_path / "model.rbt")
    assert same(copy.classes_, learner.classes_)
    assert same(copy._model.classes, learner._model.classes)
    assert same(copy.predict(X), learner.predict(X))


@given(values)
def test_every_value_that_is_kept_keeps_its_type(value):
    assert same(decode(encode(value, "value"), "place"), value)


@pytest.mark.parametrize(
    "label", [np.int32(3), np.float32(2.0), np.str_("x"), np.bool_(True), 2.0**60]
)
def test_labels_of_a_stream_are_kept_as_they_were_given(label, tmp_path):
    learner = Perceptron().learn_one({"a": 1}, label)
    copy = there_and_back(learner, tmp_path / "model.rbt")
    assert same(copy._model.classes, [label])
    assert same(copy.classes_, learner.classes_)


def test_tags_of_numpy_come_back_as_what_they_were(tmp_path):
    xs, ys = words(7)
    tagger = SequenceTagger(max_iter=3).fit(xs, [np.array(y) for y in ys])
    save(tagger, tmp_path / "model.rbt")
    copy = load(tmp_path / "model.rbt")
    assert same(copy.tags_, tagger.tags_)
    assert same(copy.predict(xs), tagger.predict(xs))


def test_a_tag_that_is_more_than_a_text_is_kept_as_text(tmp_path):
    class Tag(str):
        pass

    tagger = SequenceTagger().partial_fit([["a"]], [[Tag("P")]])
    save(tagger, tmp_path / "model.rbt")
    assert [type(tag) for tag in load(tmp_path / "model.rbt").tags_] == [str]


def test_names_of_features_come_back_in_order(tmp_path):
    learner = Perceptron()
    for x, label in zip(*floats(3, d=8), strict=True):
        learner.learn_one(as_mapping(x), label)
    copy = there_and_back(learner, tmp_path / "model.rbt")
    assert same(copy._model.columns, learner._model.columns)
    assert same(copy.feature_names_in_, learner.feature_names_in_)


def test_counters_beyond_the_digits_of_a_float_are_kept(tmp_path):
    learner = Perceptron(random_state=2**64 - 1).partial_fit(*floats(3))
    learner._model.random = 2**63 + 1
    learner._model.weights.t = 2**60 + 1
    copy = there_and_back(learner, tmp_path / "model.rbt")
    assert (copy._model.random, copy._model.seed) == (2**63 + 1, 2**64 - 1)
    assert copy.t_ == 2**60 + 1


any_words = st.lists(st.text(st.characters(), max_size=6), unique=True, max_size=8)


@given(st.lists(any_words, max_size=3))
def test_any_words_come_back(columns):
    arrays = pack_words(columns)
    assert arrays["words"].dtype == np.int8
    assert unpack_words(arrays, [len(words) for words in columns]) == columns


@given(st.lists(st.characters(categories=["Cs"]), unique=True, max_size=3))
def test_halves_of_characters_come_back(halves):
    columns = [[*halves, "\ud83d\ude00", "😀"]]
    assert unpack_words(pack_words(columns), [len(columns[0])]) == columns


# ---------------------------------------------------------------------- parameters


@pytest.mark.parametrize(
    "parameters",
    [
        {"class_weight": {"a": 2.0, "b": 1}},
        {"class_weight": "balanced"},
        {"random_state": np.random.RandomState(3)},
        {"random_state": np.random.default_rng(3)},
        {"random_state": 2**64 - 1},
        {"random_state": None},
        {"random_state": np.int64(7)},
        {"eta0": np.float32(0.3), "tol": None, "verbose": False},
    ],
    ids=lambda parameters: re.sub(r" at 0x\w+", "", repr(parameters)),
)
def test_parameters_come_back_as_they_were(parameters, tmp_path):
    X, y = floats(3)
    learner = AveragedPerceptron(max_iter=3, early_stopping=True, **parameters)
    learner.fit(X, np.array(["a", "b"])[y])
    copy = there_and_back(learner, tmp_path / "model.rbt")
    assert same(copy.get_params(), learner.get_params())
    if parameters.get("random_state", 0) is not None:  # the next numbers drawn are the same, too
        for one in (copy, learner):
            one.set_params(warm_start=True).fit(X, np.array(["a", "b"])[y])
        assert_same(copy.set_params(random_state=0), learner.set_params(random_state=0))


def test_a_generator_that_was_used_goes_on_from_where_it_was(tmp_path):
    for generator in (np.random.RandomState(3), np.random.default_rng(3)):
        generator.normal(size=3)
        generator.integers(5) if hasattr(generator, "integers") else generator.randint(5)
        learner = Perceptron(random_state=generator).partial_fit(*floats(3))
        copy = there_and_back(learner, tmp_path / "model.rbt")
        assert same(copy.random_state.normal(size=5), generator.normal(size=5))


def test_numbers_of_numpy_among_the_parameters_of_a_machine_come_back(tmp_path):
    learner = kernel_samples.fit(
        gamma=np.float32(0.3), degree=np.int64(2), random_state=np.random.default_rng(3)
    )
    save(learner, tmp_path / "model.rbt")
    copy = load(tmp_path / "model.rbt")
    assert same(copy.get_params(), learner.get_params())
    assert copy._model.kernel.gamma == learner._model.kernel.gamma
    assert same(copy.fit(*rows(8)).dual_coef_, learner.fit(*rows(8)).dual_coef_)


def test_numbers_of_numpy_and_generators_among_tagger_parameters_come_back(tmp_path):
    for state in (np.random.default_rng(3), np.random.RandomState(3), np.int64(3)):
        tagger = tagger_samples.fit(max_iter=np.int32(2), C=np.float32(0.5), random_state=state)
        save(tagger, tmp_path / "model.rbt")
        copy = load(tmp_path / "model.rbt")
        assert same(copy.get_params(), tagger.get_params())
        assert_same(copy.fit(*words(8)), tagger.fit(*words(8)))


def test_lists_tuples_sets_and_mappings_come_back_as_what_they_were(tmp_path):
    tagger = tagger_samples.fit(
        constraints=tagger_samples.FOLLOWERS, templates=["w[0]", "w[-1]"], columns=("w",)
    )
    save(tagger, tmp_path / "model.rbt")
    found = load(tmp_path / "model.rbt").get_params()
    assert found == tagger.get_params()
    assert type(found["templates"]) is list
    assert type(found["columns"]) is tuple
    kinds = {key: type(value) for key, value in found["constraints"].items()}
    assert kinds == {None: list, "P": tuple, "Q": set, "R": frozenset}
    assert list(found["constraints"]) == [None, "P", "Q", "R"]


@given(st.dictionaries(st.none() | st.text(max_size=3), st.sets(st.text(max_size=3)), max_size=4))
def test_sets_are_written_in_an_order_of_their_own(followers):
    turned = {
        key: set(dict.fromkeys(sorted(names, reverse=True))) for key, names in followers.items()
    }
    one, other = (encode_parameters({"constraints": c}) for c in (followers, turned))
    assert one == other
    assert decode_parameters(one) == {"constraints": followers}


def test_parameters_that_were_changed_after_learning_are_kept_beside_the_machine(tmp_path):
    learner = kernel_samples.fit(kernel="rbf", gamma=0.3).set_params(
        kernel="poly", gamma=None, combine="last"
    )
    save(learner, tmp_path / "model.rbt")
    copy = load(tmp_path / "model.rbt")
    assert copy.get_params() == learner.get_params()
    assert same(copy.decision_function(rows(9)[0]), learner.decision_function(rows(9)[0]))
    for one in (copy, learner):
        with pytest.raises(ParameterError, match="learned with 'rbf'"):
            one.partial_fit(*rows(8))


def test_parameters_that_were_changed_after_learning_are_kept_beside_the_weights(tmp_path):
    tagger = tagger_samples.fit(templates=["w[0]"]).set_params(
        order=2, templates=["w[1]"], averaged=False
    )
    save(tagger, tmp_path / "model.rbt")
    copy = load(tmp_path / "model.rbt")
    assert_same(copy, tagger)
    assert_predicts_the_same(tagger, copy)
    with pytest.raises(ParameterError, match="order=2, but this tagger has learned with 1"):
        copy.set_params(warm_start=True).fit(*words(8))


@pytest.mark.parametrize(
    "value", [{"hex": "00"}, {"float": "00"}, {"bytes": ["00"]}, {"tuple": "00"}]
)
def test_an_object_of_one_key_stands_for_a_value_only_as_it_was_written(value):
    with pytest.raises(ModelFileError, match="no value that rosenblatt writes"):
        decode(value, "place")
