"""A tagger that was saved answers and learns on as before, to the last bit."""

import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model import tagger_samples
from model.forging import opened
from model.samples import same
from model.tagger_samples import (
    EPOCHS,
    FEW,
    FORMS,
    OPTIONS,
    STATES,
    begun,
    finished,
    fit,
    questions,
    runs,
    told,
    words,
)
from rosenblatt import SequenceTagger, StructuredPerceptron, load, model, save
from rosenblatt.errors import ModelFileError, ParameterError
from rosenblatt.kernel.file_layout import kernel_machine
from rosenblatt.model import linear_model, read
from rosenblatt.model.onnx import to_onnx
from rosenblatt.model.parameters import decode_parameters, encode_parameters
from rosenblatt.structured.word_lists import pack_words, unpack_words


def file_of(tagger, path, **options):
    save(tagger, path, **options)
    return path.read_bytes()


def assert_same(one, other):
    one, other = told(one), told(other)
    assert one.keys() == other.keys()
    for name in one:
        assert same(one[name], other[name]), (name, one[name], other[name])


def assert_answers_are_the_same(tagger, copy):
    asked = questions(tagger)
    assert copy.predict(asked) == tagger.predict(asked)
    for sentence in asked:
        assert str(copy.explain(sentence)) == str(tagger.explain(sentence))


@pytest.mark.parametrize("state", STATES)
def test_every_state_comes_back_with_all_it_knows(state, tmp_path):
    tagger = STATES[state]()
    before = file_of(tagger, tmp_path / "first.rbt")
    copy = load(tmp_path / "first.rbt")
    assert_same(copy, tagger)
    assert_answers_are_the_same(tagger, copy)
    assert file_of(copy, tmp_path / "again.rbt") == before
    assert file_of(tagger, tmp_path / "again.rbt") == before  # nor did the questions change it


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
    tagger = SequenceTagger(record=record, random_state=seed, warm_start=True, **FEW, **options)
    if how != "partial_fit":
        tagger.fit(*FORMS[form](seed), FORMS[form](seed + 1) if watched else None)
    if how != "fit":
        tagger.partial_fit(*FORMS[form](seed + 2))
    path, again = folder / "tagger.rbt", folder / "again.rbt"
    before = file_of(tagger, path)
    copy = load(path)
    assert_same(copy, tagger)
    assert file_of(copy, again) == before
    assert_answers_are_the_same(tagger, copy)
    for one in (tagger, copy):
        one.partial_fit(*FORMS[form](seed + 3, 6, more))
        one.fit(*FORMS[form](seed + 4))
    assert_same(copy, tagger)
    assert file_of(copy, again) == file_of(tagger, path)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A folder in which another process has finished all runs that were begun here."""
    folder = tmp_path_factory.mktemp("runs")
    for number, run in enumerate(runs()):
        save(begun(*run), folder / f"{number}.rbt")
    subprocess.run([sys.executable, Path(tagger_samples.__file__), folder], check=True)
    return folder


def test_a_run_finished_in_another_process_is_the_same_run(done, tmp_path):
    for number, (form, option, cut) in enumerate(runs()):
        if cut:
            whole = SequenceTagger(warm_start=True, max_iter=EPOCHS, **OPTIONS[option])
            whole.fit(*FORMS[form](1, 40))
            assert whole.n_iter_ == EPOCHS, "it ended before it could be interrupted"
            # The last call tells of its own epochs; what was learned is that of all of them.
            here = finished(begun(form, option, cut), form, cut)
            assert same(told(whole)["weights"], told(here)["weights"])
        else:
            here = finished(begun(form, option, cut), form, cut)
        found = (done / f"{number}.done").read_bytes()
        assert found == file_of(here, tmp_path / "here.rbt"), (form, option, cut)


def test_an_interrupted_run_ends_in_the_bytes_of_one_that_was_not(tmp_path):
    """A stream has no last call to tell of, so that the whole file is the same."""
    xs, ys = words(3, 20)
    path = tmp_path / "pieces.rbt"
    whole = SequenceTagger(record=True, order=2).partial_fit(xs, ys)
    save(SequenceTagger(record=True, order=2).partial_fit(xs[:1], ys[:1]), path)
    for k in range(1, 20):
        save(load(path).partial_fit(xs[k : k + 1], ys[k : k + 1]), path)
    pieces, expected = opened(path.read_bytes()), opened(file_of(whole, tmp_path / "whole.rbt"))
    for name in ("record", "random", "classes", "parameters"):
        assert pieces[0][name] == expected[0][name]
    for name in (
        "rows",
        "rows_sum",
        "steps",
        "steps_sum",
        "pairs",
        "pairs_sum",
        "words",
        "ledger.t",
    ):
        assert same(pieces[1][name], expected[1][name]), name


# ---------------------------------------------------------------------- parameters


def test_lists_tuples_sets_and_mappings_come_back_as_what_they_were(tmp_path):
    tagger = fit(constraints=tagger_samples.FOLLOWERS, templates=["w[0]", "w[-1]"], columns=("w",))
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


def test_numbers_of_numpy_and_generators_among_the_parameters_come_back(tmp_path):
    for state in (np.random.default_rng(3), np.random.RandomState(3), np.int64(3)):
        tagger = fit(max_iter=np.int32(2), C=np.float32(0.5), random_state=state)
        save(tagger, tmp_path / "model.rbt")
        copy = load(tmp_path / "model.rbt")
        assert same(copy.get_params(), tagger.get_params())
        assert_same(copy.fit(*words(8)), tagger.fit(*words(8)))


def test_parameters_that_were_changed_after_learning_are_kept_beside_what_was_learned(tmp_path):
    tagger = fit(templates=["w[0]"]).set_params(order=2, templates=["w[1]"], averaged=False)
    save(tagger, tmp_path / "model.rbt")
    copy = load(tmp_path / "model.rbt")
    assert_same(copy, tagger)
    assert_answers_are_the_same(tagger, copy)
    with pytest.raises(ParameterError, match="order=2, but this tagger has learned with 1"):
        copy.set_params(warm_start=True).fit(*words(8))


def test_tags_of_numpy_come_back_as_what_they_were(tmp_path):
    xs, ys = words(7)
    tagger = SequenceTagger(**FEW).fit(xs, [np.array(y) for y in ys])
    save(tagger, tmp_path / "model.rbt")
    copy = load(tmp_path / "model.rbt")
    assert same(copy.tags_, tagger.tags_)
    assert same(copy.predict(xs), tagger.predict(xs))


# ---------------------------------------------------------------------- words

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


def test_words_are_not_in_the_card(tmp_path):
    xs = [[f"word{k}-{i}" for i in range(5)] for k in range(200)]
    tagger = SequenceTagger(templates=["w[0]"], **FEW).fit(xs, [["P", "Q", "R", "P", "Q"]] * 200)
    card, arrays = opened(file_of(tagger, tmp_path / "model.rbt"))
    assert len(str(card)) < 2500
    assert card["model"]["words"] == [1000]
    assert arrays["words"].tobytes().decode().startswith("word0-0word0-1")


# ---------------------------------------------------------------------- the data


def test_the_digest_of_the_data_stays_until_a_new_fit(tmp_path):
    path, again = tmp_path / "model.rbt", tmp_path / "again.rbt"
    xs, ys = words(7)
    save(fit(), path, data=(xs, ys))
    digest = read(path).card.record.data
    assert (digest.of, digest.t, len(digest.sha256)) == ("sentences", 30, 64)
    copy = load(path)
    assert file_of(copy, again) == path.read_bytes()
    save(copy.partial_fit(*words(8)), again)
    assert read(again).card.record.data == digest
    save(copy.fit(*words(8)), again)
    assert read(again).card.record.data is None


def test_how_files_are_read_stays_with_the_tagger_until_a_new_fit(tmp_path):
    path = tmp_path / "model.rbt"
    state = fit().to_state()
    state.card.schema = {"kind": "sentences", "inputs": [0]}
    model.write(state, path)
    copy = load(path)
    save(copy.partial_fit(*words(8)), path)
    assert read(path).card.schema == {"kind": "sentences", "inputs": [0]}
    save(copy.fit(*words(8)), path)
    assert read(path).card.schema is None


def test_the_digest_depends_on_what_is_said_and_not_on_how_it_is_kept(tmp_path):
    def digest(*pair):
        save(fit(), tmp_path / "model.rbt", data=pair)
        return read(tmp_path / "model.rbt").card.record.data.sha256

    one = digest([["a", "b"], ["c"]], [["P", "Q"], ["P"]])
    assert digest((("a", "b"), ("c",)), (np.array(["P", "Q"]), ["P"])) != ""
    assert digest((("a", "b"), ("c",)), (["P", "Q"], ["P"])) == one
    assert digest([["a"], ["b", "c"]], [["P", "Q"], ["P"]]) != one
    assert digest([["a", "b"], ["c"]], [["P", "P"], ["P"]]) != one
    tokens = [[{"word": "a", "n": 1.5}], [("a", "b")]]
    assert digest(tokens, [["P"], ["Q"]]) != digest(tokens[::-1], [["P"], ["Q"]])


def test_files_can_be_named_as_the_data(tmp_path):
    (tmp_path / "data.conll").write_text("a P\n\n")
    save(fit(), tmp_path / "model.rbt", data=tmp_path / "data.conll")
    assert read(tmp_path / "model.rbt").card.record.data.of == "files"
    with pytest.raises(ParameterError, match=r"a list of paths, or a tuple \(sentences, tags\)"):
        save(fit(), tmp_path / "model.rbt", data=3)


# ---------------------------------------------------------------------- what is in the file


def test_a_state_of_a_tagger_says_what_it_is(tmp_path):
    tagger = fit()
    save(tagger, tmp_path / "model.rbt")
    state = read(tmp_path / "model.rbt")
    assert (
        repr(state)
        == f"<State: SequenceTagger, 3 tags, {tagger.n_features_} features, 30 sentences>"
    )
    assert state.n_features == tagger.n_features_
    assert state.card.classes == tagger.tags_


def test_the_file_grows_with_what_was_learned_not_with_what_was_seen(tmp_path):
    """A row for every feature that was ever on a wrong path, without what the loops fill up."""
    tagger = fit(averaged=False)
    weights = tagger._model.weights
    size = len(file_of(tagger, tmp_path / "model.rbt"))
    rows = weights.n_rows * (3 * (4 + 8) + 4) + 8 * tagger.n_features_
    assert rows < size < rows + 4096
    assert weights.n_rows < tagger.n_features_


CHILD = """
    import sys
    import numpy as np
    from rosenblatt import load, model
    for path in sys.argv[1:]:
        model.write(model.read(path), path)
    for path in sys.argv[1:]:
        tagger = load(path)
        print(tagger.predict([["the", "Dog"], ["unheard"]]))
    assert not {"sklearn", "scipy", "pandas", "matplotlib"} & set(sys.modules)
"""


def test_neither_scikit_learn_nor_scipy_is_loaded_to_read_and_to_answer(tmp_path):
    expected, paths = [], []
    for state in ("words", "order 2", "beam", "scheme", "dictionary", "validation set"):
        tagger = STATES[state]()
        paths.append(tmp_path / f"{state}.rbt")
        save(tagger, paths[-1])
        expected.append(str(tagger.predict([["the", "Dog"], ["unheard"]])))
    before = [path.read_bytes() for path in paths]
    command = [sys.executable, "-c", textwrap.dedent(CHILD), *paths]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == expected
    assert [path.read_bytes() for path in paths] == before


def test_a_tagger_says_that_it_has_no_answer_for_rows(tmp_path):
    save(fit(), tmp_path / "model.rbt")
    state = read(tmp_path / "model.rbt")
    for ask in (linear_model, kernel_machine, to_onnx):
        with pytest.raises(ModelFileError, match="a SequenceTagger tags sentences and has no weig"):
            ask(state)


# ---------------------------------------------------------------------- what is not saved


def test_a_tagger_that_is_not_fitted_or_has_impossible_parameters_is_refused(tmp_path):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        save(SequenceTagger(), tmp_path / "model.rbt")
    for name, value in {
        "random_state": -1,
        "max_iter": 0,
        "constraints": "BILOU",
        "verbose": "loud",
        "search": "all",
    }.items():
        with pytest.raises(ParameterError, match=f"{name}="):
            save(fit().set_params(**{name: value}), tmp_path / "model.rbt")
    with pytest.raises(ParameterError, match="'Z' is no tag of the training data"):
        save(fit().set_params(constraints={"P": ["Z"]}), tmp_path / "model.rbt")
    with pytest.raises(ParameterError, match=r"beam=1000000 is not allowed: .* from 1 to 65,536"):
        save(fit().set_params(beam=10**6), tmp_path / "model.rbt")
    assert not list(tmp_path.iterdir())


def test_constraints_of_a_kind_that_a_file_does_not_keep_are_refused(tmp_path):
    from types import MappingProxyType

    tagger = fit(constraints=MappingProxyType({"P": ["P", "Q", "R"]}))
    with pytest.raises(ModelFileError, match=r"constraints is mappingproxy.* cannot be kept"):
        save(tagger, tmp_path / "model.rbt")
    tagger = fit(constraints={"P": {"P": 1, "Q": 2, "R": 3}.keys()})
    with pytest.raises(ModelFileError, match=r"dict_keys.* cannot be kept in a model file"):
        save(tagger, tmp_path / "model.rbt")
    assert not list(tmp_path.iterdir())


def test_a_tag_that_is_more_than_a_text_is_kept_as_text(tmp_path):
    class Tag(str):
        pass

    tagger = SequenceTagger().partial_fit([["a"]], [[Tag("P")]])
    save(tagger, tmp_path / "model.rbt")
    assert [type(tag) for tag in load(tmp_path / "model.rbt").tags_] == [str]


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
