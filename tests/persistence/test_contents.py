"""What is in a file beside the numbers: a record, a digest of the data; and what is not saved."""

import hashlib
from types import MappingProxyType

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from strategies import LINEAR, csr, floats

import rosenblatt
from persistence import kernel_samples, tagger_samples
from persistence.forging import opened
from persistence.kernel_samples import BUDGETS, rows
from persistence.samples import fitted, same
from persistence.tagger_samples import weights_of, words
from rosenblatt import (
    KernelPerceptron,
    Perceptron,
    SequenceTagger,
    StructuredPerceptron,
    load,
    save,
)
from rosenblatt.errors import ModelFileError, ParameterError
from rosenblatt.features import Schema
from rosenblatt.io import SentenceLayout
from rosenblatt.model import linear_model, read, write
from rosenblatt.models.kernel_budgets import POLICIES
from rosenblatt.persistence.card import class_of, layout_of, saved_learners
from rosenblatt.persistence.kernel_layout import kernel_model
from rosenblatt.persistence.onnx import to_onnx

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

# Of each family: a learner, its data, and further data to learn from.
FAMILIES = {
    "linear": (lambda: fitted(Perceptron, 2), floats(7), floats(8)),
    "kernel": (kernel_samples.fit, rows(7), rows(8)),
    "tags": (tagger_samples.fit, words(7), words(8)),
}


def file_of(learner, path, **options):
    save(learner, path, **options)
    return path.read_bytes()


@pytest.mark.parametrize("learner", saved_learners())
def test_defaults_are_allowed_so_that_reading_need_not_check_them(learner):
    for option in class_of(learner).options().values():
        option.check(option.default)


# ---------------------------------------------------------------------- the record


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


@pytest.mark.parametrize("family", FAMILIES)
def test_the_digest_of_the_data_is_that_of_the_files(family, tmp_path):
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    a.write_bytes(b"1,2\n")
    b.write_bytes(b"3,4\n")
    learner = FAMILIES[family][0]()
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
    described = (f"{part.dtype.str} {part.shape}".encode() + part.tobytes() for part in (X, y))
    assert digests[0] == hashlib.sha256(b"".join(described)).hexdigest()
    save(learner, tmp_path / "model.rbt", data=(np.asfortranarray(X), y.copy()))
    assert read(tmp_path / "model.rbt").card.record.data.sha256 == digests[0]


def test_the_digest_of_sentences_depends_on_what_is_said_and_not_on_how_it_is_kept(tmp_path):
    def digest(*pair):
        save(tagger_samples.fit(), tmp_path / "model.rbt", data=pair)
        return read(tmp_path / "model.rbt").card.record.data.sha256

    one = digest([["a", "b"], ["c"]], [["P", "Q"], ["P"]])
    assert digest((("a", "b"), ("c",)), (np.array(["P", "Q"]), ["P"])) != ""
    assert digest((("a", "b"), ("c",)), (["P", "Q"], ["P"])) == one
    assert digest([["a"], ["b", "c"]], [["P", "Q"], ["P"]]) != one
    assert digest([["a", "b"], ["c"]], [["P", "P"], ["P"]]) != one
    tokens = [[{"word": "a", "n": 1.5}], [("a", "b")]]
    assert digest(tokens, [["P"], ["Q"]]) != digest(tokens[::-1], [["P"], ["Q"]])


@pytest.mark.parametrize("family", FAMILIES)
def test_the_digest_of_the_data_stays_until_a_new_fit(family, tmp_path):
    build, data, more = FAMILIES[family]
    path, again = tmp_path / "model.rbt", tmp_path / "again.rbt"
    learner = build()
    save(learner, path, data=data)
    digest = read(path).card.record.data
    of = "sentences" if family == "tags" else "arrays"
    assert (digest.of, digest.t, len(digest.sha256)) == (of, learner.t_, 64)
    copy = load(path)
    assert file_of(copy, again) == path.read_bytes()
    # It still says after how many examples it was true.
    save(copy.partial_fit(*more), again)
    assert read(again).card.record.data == digest
    assert read(again).card.record.t > digest.t
    save(load(path).fit(*more), again)
    assert read(again).card.record.data is None


@pytest.mark.parametrize("family", FAMILIES)
def test_a_ledger_that_comes_back_replays_to_the_weights_of_training(family, tmp_path):
    build, (X, _), _ = FAMILIES[family]
    options = {} if family == "kernel" else {"record": True}
    learner = fitted(Perceptron, 2, **options) if family == "linear" else build(**options)
    save(learner, tmp_path / "model.rbt")
    ledger, model = load(tmp_path / "model.rbt").ledger_, learner._model
    for upto in (0, 3, None):
        found, expected = ledger.replay(X, upto), learner.ledger_.replay(X, upto)
        if family == "tags":
            found, expected = weights_of(found), weights_of(expected)
        assert same(found, expected)
    trained = {
        "linear": lambda: (model.weights.matrix, model.weights.bias),
        "kernel": lambda: model.coef,
    }
    if family in trained:
        assert same(found, trained[family]())


@pytest.mark.parametrize("family", FAMILIES)
def test_a_schema_put_into_the_card_is_kept_until_a_new_fit(family, tmp_path):
    build, _, more = FAMILIES[family]
    path, schema = tmp_path / "model.rbt", Schema.of_numbers("abcd").to_json()
    if family == "tags":
        schema = SentenceLayout("conll", 2, 1, (0,)).to_json()
    state = build().to_state()
    state.card.schema = schema
    write(state, path)
    copy = load(path)
    save(copy.partial_fit(*more), path)
    assert read(path).card.schema == schema
    save(copy.fit(*more), path)
    assert read(path).card.schema is None


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("schema", [{}, {"kind": "own"}, {"kind": "table"}, {"kind": ["table"]}])
def test_a_schema_that_is_none_is_refused_at_load(family, schema, tmp_path):
    state = FAMILIES[family][0]().to_state()
    state.card.schema = schema
    write(state, tmp_path / "model.rbt")
    with pytest.raises(ModelFileError, match="schema"):
        load(tmp_path / "model.rbt")


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        ("linear", "<State: Perceptron, 2 classes, 4 features, 120 examples>"),
        ("kernel", "<State: KernelPerceptron, 2 classes, 4 features, 160 examples>"),
        ("tags", "<State: SequenceTagger, 3 tags, 356 features, 30 sentences>"),
    ],
)
def test_a_state_says_what_it_is(family, expected, tmp_path):
    learner = FAMILIES[family][0]()
    save(learner, tmp_path / "model.rbt")
    state = read(tmp_path / "model.rbt")
    assert (repr(state), state.family) == (expected, family)
    n_features = learner.n_features_ if family == "tags" else learner.n_features_in_
    assert state.n_features == n_features
    assert state.card.classes == list(learner._model.classes)


@pytest.mark.parametrize(
    ("family", "asks", "message"),
    [
        ("kernel", (linear_model, to_onnx), "a KernelPerceptron has no weights: it predicts"),
        (
            "tags",
            (linear_model, kernel_model, to_onnx),
            "a SequenceTagger tags sentences",
        ),
        ("linear", (kernel_model,), "a Perceptron has weights"),
    ],
)
def test_a_state_of_another_family_says_what_it_is_instead(family, asks, message):
    state = FAMILIES[family][0]().to_state()
    for ask in asks:
        with pytest.raises(ModelFileError, match=message):
            ask(state)


def test_a_state_that_was_changed_is_checked_before_it_is_written(tmp_path):
    path = tmp_path / "model.rbt"
    save(fitted(rosenblatt.AveragedPerceptron, 2), path)
    before = path.read_bytes()
    state = read(path)
    state.arrays["coef"][0, 1] = np.nan
    with pytest.raises(ModelFileError, match=r"^coef\[0, 1\] is nan; "):
        write(state, path)
    assert path.read_bytes() == before
    state = read(path)
    state.card.random = 1.5
    with pytest.raises(ModelFileError, match=r"random is 1\.5, but must be a whole number"):
        write(state, path)
    assert path.read_bytes() == before
    state = read(path)
    state.card.schema = {"not": {"JSON"}}
    with pytest.raises(ModelFileError, match="cannot be written as JSON"):
        write(state, path)
    assert path.read_bytes() == before
    assert load(path).t_ == state.card.record.t


# ---------------------------------------------------------------------- the size of a file


def test_support_rows_are_kept_once_and_little_else(tmp_path):
    X, y = floats(3, n=400, d=200, n_classes=10)
    learner = KernelPerceptron(kernel="rbf", max_iter=3, tol=None).fit(X, y)
    size = len(file_of(learner, tmp_path / "model.rbt"))
    rows_alone = len(learner.support_) * 200 * 8
    assert rows_alone < size < rows_alone + 32 * len(learner.ledger_) + 12 * 400 + 4096


@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_a_budget_bounds_the_file(policy, tmp_path):
    learner = KernelPerceptron(kernel="rbf", **BUDGETS[policy])
    sizes = []
    for seed in range(6):
        learner.partial_fit(*rows(seed))
        sizes.append(len(file_of(learner, tmp_path / "model.rbt")))
    assert max(sizes) < 4096
    assert sizes[-1] - sizes[2] < 64  # digits of counters, not rows


def test_words_are_not_in_the_card(tmp_path):
    xs = [[f"word{k}-{i}" for i in range(5)] for k in range(200)]
    tagger = SequenceTagger(templates=["w[0]"], max_iter=3).fit(xs, [list("PQRPQ")] * 200)
    card, arrays = opened(file_of(tagger, tmp_path / "model.rbt"))
    assert len(str(card)) < 2500
    assert card["model"]["words"] == [1000]
    assert arrays["words"].tobytes().decode().startswith("word0-0word0-1")


def test_the_file_grows_with_what_was_learned_not_with_what_was_seen(tmp_path):
    """A row for every feature that was ever on a wrong path, without what the loops fill up."""
    tagger = tagger_samples.fit(averaged=False)
    weights = tagger._model.weights
    size = len(file_of(tagger, tmp_path / "model.rbt"))
    rows = weights.n_rows * (3 * (4 + 8) + 4) + 8 * tagger.n_features_
    assert rows < size < rows + 4096
    assert weights.n_rows < tagger.n_features_


# ---------------------------------------------------------------------- what cannot be saved


@pytest.mark.parametrize(
    "data", [3, [], (1, 2, 3), np.zeros(3), ["a.csv", 3]], ids=lambda data: type(data).__name__
)
@pytest.mark.parametrize(("family", "pair"), [("linear", "(X, y)"), ("tags", "(sentences, tags)")])
def test_data_that_cannot_be_hashed_are_refused(data, family, pair, tmp_path):
    with pytest.raises(ParameterError, match="give a path, a list of paths, or a tuple") as error:
        save(FAMILIES[family][0](), tmp_path / "model.rbt", data=data)
    assert pair in str(error.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("family", "parameters"),
    [
        ("linear", {"eta0": -1}),
        ("linear", {"class_weight": {1: -2}}),
        ("linear", {"ties": 3}),
        ("kernel", {"random_state": -1}),
        ("kernel", {"max_iter": 0}),
        ("tags", {"random_state": -1}),
        ("tags", {"max_iter": 0}),
        ("tags", {"constraints": "BILOU"}),
        ("tags", {"constraints": {"P": ["Z"]}}),
        ("tags", {"verbose": "loud"}),
        ("tags", {"search": "all"}),
        ("tags", {"beam": 10**6}),
    ],
    ids=str,
)
def test_parameters_that_could_not_be_loaded_are_refused(family, parameters, tmp_path):
    learner = FAMILIES[family][0]().set_params(**parameters)
    with pytest.raises(ParameterError, match=next(iter(parameters))):
        save(learner, tmp_path / "model.rbt")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("learner", [Perceptron(), KernelPerceptron(), SequenceTagger()], ids=str)
def test_a_learner_that_is_not_fitted_is_refused(learner, tmp_path):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        save(learner, tmp_path / "model.rbt")
    assert list(tmp_path.iterdir()) == []


class Derived(Perceptron):
    pass


@pytest.mark.parametrize(
    "model", [LogisticRegression(), make_pipeline(Perceptron()), None, Perceptron, "p", Derived()]
)
def test_what_is_not_a_learner_of_ours_is_refused_by_name(model, tmp_path):
    with pytest.raises(
        ParameterError, match=r"cannot be saved: model files hold ALMA, AROW, Averaged"
    ) as error:
        save(model, tmp_path / "model.rbt")
    assert type(model).__name__ in str(error.value)
    hint = " Of a pipeline save the last step: save(pipeline[-1], path)."
    ending = hint if hasattr(model, "steps") else ""
    assert str(error.value).endswith(f"(see CONTRIBUTING).{ending}")
    assert list(tmp_path.iterdir()) == []


def test_classes_derived_from_a_tagger_are_refused(tmp_path):
    class Own(SequenceTagger):
        pass

    with pytest.raises(ParameterError, match="a Own cannot be saved: model files hold"):
        save(Own().fit(*words(7)), tmp_path / "model.rbt")


def test_a_structured_perceptron_is_refused_with_the_cure(tmp_path):
    learner = StructuredPerceptron(features=lambda x, y: {y: 1.0}, argmax=lambda x, score: 0)
    message = "functions of yours, and a model file holds no code. Keep its weights_"
    with pytest.raises(ParameterError, match=message):
        save(learner.fit([1, 2], [0, 0]), tmp_path / "model.rbt")
    assert not list(tmp_path.iterdir())


def test_a_kernel_that_is_a_function_is_refused_with_the_cure(tmp_path):
    learner = kernel_samples.fit(kernel=lambda A, B: A @ B.T)
    sentence = "cannot be saved, because a model file holds no code: use a kernel by its name, or "
    with pytest.raises(ParameterError, match=sentence + "kernel='precomputed'"):
        save(learner, tmp_path / "model.rbt")
    with pytest.raises(ParameterError, match=sentence):  # still that of the machine
        save(learner.set_params(kernel="linear"), tmp_path / "model.rbt")
    with pytest.raises(ParameterError, match=sentence):
        save(kernel_samples.fit().set_params(kernel=np.dot), tmp_path / "model.rbt")
    assert not list(tmp_path.iterdir())


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


def test_constraints_of_a_kind_that_a_file_does_not_keep_are_refused(tmp_path):
    tagger = tagger_samples.fit(constraints=MappingProxyType({"P": ["P", "Q", "R"]}))
    with pytest.raises(ModelFileError, match=r"constraints is mappingproxy.* cannot be kept"):
        save(tagger, tmp_path / "model.rbt")
    tagger = tagger_samples.fit(constraints={"P": {"P": 1, "Q": 2, "R": 3}.keys()})
    with pytest.raises(ModelFileError, match=r"dict_keys.* cannot be kept in a model file"):
        save(tagger, tmp_path / "model.rbt")
    assert not list(tmp_path.iterdir())


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


def test_the_learners_in_files_are_the_public_ones():
    of_rows = {learner.__name__ for learner in (*LINEAR, KernelPerceptron)}
    assert set(saved_learners()) == of_rows | {"SequenceTagger"}
    for learner in (*LINEAR, KernelPerceptron, SequenceTagger):
        family = {KernelPerceptron: "kernel", SequenceTagger: "tags"}.get(learner, "linear")
        assert class_of(learner.__name__) is learner
        assert layout_of(learner.__name__).family == family
