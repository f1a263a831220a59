"""What is saved is what is loaded: answers, attributes, parameters, to the last bit."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from strategies import LEARNERS, LINEAR, csr, floats

import rosenblatt
from model.forging import opened
from model.samples import STATES, as_mapping, assert_same, fitted, same
from rosenblatt import AveragedPerceptron, KernelPerceptron, Perceptron, VotedPerceptron, load, save
from rosenblatt.errors import ModelFileError, ParameterError
from rosenblatt.model import linear_model, read
from rosenblatt.model.learners import class_of, layout_of, saved_learners
from rosenblatt.model.typed_json import decode, encode

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

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


def there_and_back(learner, path):
    save(learner, path)
    return load(path)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_comes_back_with_all_it_knows(name, state, tmp_path):
    for n_classes in (2, 3):
        learner = STATES[state](LEARNERS[name], n_classes)
        first, again = tmp_path / "first.rbt", tmp_path / "again.rbt"
        copy = there_and_back(learner, first)
        assert type(copy) is type(learner)
        assert copy._model.digest() == learner._model.digest()
        assert_same(copy, learner)
        save(copy, again)
        assert again.read_bytes() == first.read_bytes()
        save(learner, again)  # asking all those questions did not change the bytes either
        assert again.read_bytes() == first.read_bytes()


@pytest.mark.parametrize("state", [s for s in STATES if "mapping" not in s])
@pytest.mark.parametrize("name", LEARNERS)
def test_predictions_are_the_same_after_loading(name, state, tmp_path):
    path = tmp_path / "model.rbt"
    learner = STATES[state](LEARNERS[name], 3)
    queries = floats(9, d=learner.n_features_in_)[0]
    if hasattr(learner, "feature_names_in_"):
        learner.__dict__.pop("_feature_names", None)
    copy = there_and_back(learner, path)
    for X in (queries, queries.astype(np.float32), csr(queries)):
        expected = learner.decision_function(X)
        assert same(copy.decision_function(X), expected)
        assert same(copy.predict(X), learner.predict(X))


@pytest.mark.parametrize("state", [s for s in STATES if "mapping" in s])
@pytest.mark.parametrize("name", LEARNERS)
def test_mappings_are_answered_as_before(name, state, tmp_path):
    for n_classes in (2, 3):
        learner = STATES[state](LEARNERS[name], n_classes)
        copy = there_and_back(learner, tmp_path / "model.rbt")
        for x in floats(9, n=10, d=8)[0]:
            for query in (as_mapping(x), {"w": x[0], "z": x[1], "new": x[2]}):
                assert same(copy.predict_one(query), learner.predict_one(query))


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
    "label", [np.int32(3), np.float32(0.1), np.str_("x"), np.bool_(True), float("inf")]
)
def test_labels_of_a_stream_are_kept_as_they_were_given(label, tmp_path):
    learner = Perceptron().learn_one({"a": 1}, label)
    copy = there_and_back(learner, tmp_path / "model.rbt")
    assert same(copy._model.classes, [label])
    assert same(copy.classes_, learner.classes_)


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


def test_counters_beyond_the_digits_of_a_float_are_kept(tmp_path):
    learner = Perceptron(random_state=2**64 - 1).partial_fit(*floats(3))
    learner._model.random = 2**63 + 1
    learner._model.weights.t = 2**60 + 1
    copy = there_and_back(learner, tmp_path / "model.rbt")
    assert (copy._model.random, copy._model.seed) == (2**63 + 1, 2**64 - 1)
    assert copy.t_ == 2**60 + 1


def test_names_of_features_come_back_in_order(tmp_path):
    learner = Perceptron()
    for x, label in zip(*floats(3, d=8), strict=True):
        learner.learn_one(as_mapping(x), label)
    copy = there_and_back(learner, tmp_path / "model.rbt")
    assert same(copy._model.columns, learner._model.columns)
    assert same(copy.feature_names_in_, learner.feature_names_in_)


def test_the_record_says_how_the_model_came_about(tmp_path):
    learner = fitted(Perceptron, 2, random_state=5)
    save(learner, tmp_path / "model.rbt")
    record = opened((tmp_path / "model.rbt").read_bytes())[0]["record"]
    assert (record["seed"], record["t"], record["data"]) == (5, learner.t_, None)
    assert record["fit"]["mistakes_per_epoch"] == learner.mistakes_per_epoch_
    assert record["fit"]["stop_reason"] == learner.stop_reason_


def test_the_seed_is_in_the_record_also_when_nobody_chose_it(tmp_path):
    one = Perceptron(random_state=None, max_iter=3).fit(*floats(3))
    save(one, tmp_path / "model.rbt")
    seed = read(tmp_path / "model.rbt").card.record.seed
    two = Perceptron(random_state=seed, max_iter=3).fit(*floats(3))
    assert same(one.coef_, two.coef_)


def test_the_digest_of_the_data_is_that_of_the_files(tmp_path):
    import hashlib

    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    a.write_bytes(b"1,2\n")
    b.write_bytes(b"3,4\n")
    learner = fitted(Perceptron, 2)
    digests = []
    for data in (a, str(a), [a, b], (str(a), b)):
        save(learner, tmp_path / "model.rbt", data=data)
        found = read(tmp_path / "model.rbt").card.record.data
        assert (found.of, found.t) == ("files", learner.t_)
        digests.append(found.sha256)
    one, both = (hashlib.sha256(text).hexdigest() for text in (b"1,2\n", b"1,2\n3,4\n"))
    assert digests == [one, one, both, both]


def test_the_digest_of_arrays_tells_apart_type_shape_and_values(tmp_path):
    X, y = floats(3)
    tables = [
        (X, y),
        (X.astype(np.float32), y),
        (X.reshape(15, 8), y),
        (np.flip(X), y),
        (X, y.astype(str)),
        (X, y.astype(object)),
        (X, [("a", int(label)) for label in y]),
        (csr(X), y),
    ]
    learner, digests = fitted(Perceptron, 2), []
    for data in tables:
        save(learner, tmp_path / "model.rbt", data=data)
        digests.append(read(tmp_path / "model.rbt").card.record.data.sha256)
    assert len(set(digests)) == len(tables)
    save(learner, tmp_path / "model.rbt", data=(np.asfortranarray(X), y.copy()))
    assert read(tmp_path / "model.rbt").card.record.data.sha256 == digests[0]


def test_a_loaded_model_keeps_its_record_until_it_is_trained_anew(tmp_path):
    X, y = floats(3)
    path = tmp_path / "model.rbt"
    save(Perceptron().partial_fit(X, y), path, data=(X, y))
    first = path.read_bytes()
    copy = load(path)
    save(copy, path)
    assert path.read_bytes() == first
    save(copy.partial_fit(X, y), path)  # the digest still says after how many examples it was true
    assert read(path).card.record.data.t == 30
    assert read(path).card.record.t == 60
    copy = load(path)
    copy.set_params(max_iter=2).fit(X, y)
    save(copy, path)
    assert read(path).card.record.data is None


def test_a_schema_put_into_the_card_is_kept_when_the_model_learns_on(tmp_path):
    path = tmp_path / "model.rbt"
    save(Perceptron().partial_fit(*floats(3)), path)
    state = read(path)
    state.card.schema = {"columns": ["a", {"b": [1, 2.5, None, True]}]}
    rosenblatt.model.write(state, path)
    save(load(path).partial_fit(*floats(4)), path)
    assert read(path).card.schema == {"columns": ["a", {"b": [1, 2.5, None, True]}]}


@pytest.mark.parametrize(
    "data", [3, [], (1, 2, 3), np.zeros(3), ["a.csv", 3]], ids=lambda data: type(data).__name__
)
def test_data_that_cannot_be_hashed_are_refused(data, tmp_path):
    with pytest.raises(ParameterError, match="give a path, a list of paths, or a tuple"):
        save(fitted(Perceptron, 2), tmp_path / "model.rbt", data=data)
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------------- what cannot be saved


def test_a_learner_that_is_not_fitted_is_refused(tmp_path):
    with pytest.raises(ValueError, match="not fitted yet"):
        save(Perceptron(), tmp_path / "model.rbt")
    assert list(tmp_path.iterdir()) == []


class Derived(Perceptron):
    pass


@pytest.mark.parametrize(
    "model", [LogisticRegression(), make_pipeline(Perceptron()), None, Perceptron, "p", Derived()]
)
def test_what_is_not_a_learner_of_ours_is_refused_by_name(model, tmp_path):
    with pytest.raises(
        ParameterError, match=r"cannot be saved: model files hold Averaged"
    ) as error:
        save(model, tmp_path / "model.rbt")
    assert type(model).__name__ in str(error.value)
    assert ("pipeline[-1]" in str(error.value)) == hasattr(model, "steps")
    assert list(tmp_path.iterdir()) == []


class Odd(str):
    __slots__ = ()


@pytest.mark.parametrize("label", [Odd("x"), frozenset([1]), np.datetime64("2020"), 1 << 5000])
def test_a_label_that_a_file_cannot_keep_is_refused_before_anything_is_written(label, tmp_path):
    learner = Perceptron().learn_one({"a": 1}, label)
    with pytest.raises(ModelFileError, match=r"cannot be kept in a model file\. Text, whole"):
        save(learner, tmp_path / "model.rbt")
    assert list(tmp_path.iterdir()) == []


def test_a_feature_or_generator_that_a_file_cannot_keep_is_refused(tmp_path):
    learner = Perceptron().learn_one({frozenset("ab"): 1}, 1)
    with pytest.raises(ModelFileError, match="the feature frozenset"):
        save(learner, tmp_path / "model.rbt")
    generator = np.random.Generator(np.random.Philox(1))
    learner = Perceptron(random_state=generator).partial_fit(*floats(3))
    with pytest.raises(ModelFileError, match="random_state draws from Philox"):
        save(learner, tmp_path / "model.rbt")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("parameters", [{"eta0": -1}, {"class_weight": {1: -2}}, {"ties": 3}])
def test_parameters_that_could_not_be_loaded_are_refused(parameters, tmp_path):
    learner = fitted(Perceptron, 2).set_params(**parameters)
    with pytest.raises(ParameterError):
        save(learner, tmp_path / "model.rbt")
    assert list(tmp_path.iterdir()) == []


def test_names_nested_without_end_are_refused(tmp_path):
    name = ()
    for _ in range(100_000):
        name = (name,)
    learner = Perceptron().partial_fit(*floats(3))
    learner.random_state = name
    learner._model.columns = {name: 0, 1: 1, 2: 2, 3: 3}
    learner.random_state = 0
    with pytest.raises(ModelFileError, match="nested too deeply"):
        save(learner, tmp_path / "model.rbt")


# ---------------------------------------------------------------------- the list of learners


def test_the_learners_in_files_are_the_public_ones_with_their_parameters():
    of_rows = {learner.__name__ for learner in (*LINEAR, KernelPerceptron)}
    assert set(saved_learners()) == of_rows | {"SequenceTagger"}
    for learner in (*LINEAR, KernelPerceptron):
        assert class_of(learner.__name__) is learner
        assert (layout_of(learner.__name__).family == "kernel") == (learner is KernelPerceptron)


def test_a_core_model_comes_straight_from_the_file(tmp_path):
    learner = fitted(AveragedPerceptron, 3)
    save(learner, tmp_path / "model.rbt")
    model = linear_model(read(tmp_path / "model.rbt"))
    assert model.digest() == learner._model.digest()
    assert same(list(model.served()), list(learner._model.served()))
