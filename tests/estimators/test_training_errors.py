"""What a learner says of its training is so of the weights that predict, in every family."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from cli.shell import run
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import LEARNERS, csr, seeds, small

from estimators.structured.problems import Classes
from estimators.structured.taggers import sentences
from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    Perceptron,
    SequenceTagger,
    StructuredPerceptron,
    VotedPerceptron,
    load,
    save,
)
from rosenblatt.estimators.catalogue import entries

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

KERNELS = [
    {"combine": combine, "multiclass": multiclass}
    for combine in ("vote", "average", "last")
    for multiclass in ("ovr", "argmax")
]
KERNELS += [{"budget": 3}, {"budget": 3, "combine": "last", "forget": "oldest"}]
CLASSIFIERS = {
    **LEARNERS,
    **{f"kernel {i}": lambda own=own, **more: KernelPerceptron(**own, **more)
       for i, own in enumerate(KERNELS)},
    "voted, average": lambda **more: VotedPerceptron(combine="average", **more),
    "voted, last": lambda **more: VotedPerceptron(combine="last", **more),
    "pocket": lambda **more: Perceptron(pocket=True, **more),
}  # fmt: skip


def data(seed, n_classes):
    """A few rows of whole numbers, some of them twice, that can be separated or not."""
    random = np.random.default_rng(seed)
    n = int(random.integers(n_classes, 12))
    X = random.integers(-2, 3, (n, int(random.integers(1, 4)))).astype(float)
    y = np.append(np.arange(n_classes), random.integers(0, n_classes, n - n_classes))
    if random.random() < 0.5:
        X = np.column_stack([X, 3.0 * np.eye(n_classes)[y]])
    return X, np.array(["a", "b", "c"])[random.permutation(3)[y]]


def assert_truthful(learner, wrong):
    assert learner.n_training_errors_ == wrong
    assert learner.converged_ is bool(wrong == 0)


@pytest.mark.parametrize("name", CLASSIFIERS)
@settings(max_examples=25)
@given(
    seed=seeds,
    n_classes=st.sampled_from([2, 3]),
    ties=st.sampled_from(["mistake", "positive"]),
    shuffle=st.booleans(),
    epochs=st.sampled_from([1, 2, 30]),
    early=st.booleans(),
    warm=st.booleans(),
    sparse=st.booleans(),
)
def test_training_errors_are_those_of_predict(
    name, seed, n_classes, ties, shuffle, epochs, early, warm, sparse
):
    X, y = data(seed, n_classes)
    X = csr(X) if sparse else X
    learner = CLASSIFIERS[name](ties=ties, shuffle=shuffle, max_iter=epochs, warm_start=warm)
    more = {"validation_set": (X[::2], y[::2])} if early and name != "pocket" else {}
    learner.fit(X, y, **more)
    assert_truthful(learner, (learner.predict(X) != y).sum())
    if warm:
        learner.fit(X[::-1], y[::-1])
        assert_truthful(learner, (learner.predict(X) != y).sum())
        few = y != min(y.tolist())
        if n_classes == 3:
            learner.fit(X[few], y[few])
            assert_truthful(learner, (learner.predict(X[few]) != y[few]).sum())


@given(seed=seeds, n_classes=st.sampled_from([2, 3]), weights=st.lists(small, min_size=12))
def test_rows_of_weight_zero_and_held_out_rows_count_as_well(seed, n_classes, weights):
    X, y = data(seed, n_classes)
    X, y = np.repeat(X, 4, 0), np.repeat(y, 4)
    weight = np.resize(np.maximum(weights, 0), len(y)) + (np.arange(len(y)) == 0)
    for learner in (Perceptron(), AveragedPerceptron(), Perceptron(pocket=True)):
        learner.fit(X, y, sample_weight=weight)
        assert_truthful(learner, (learner.predict(X) != y).sum())
    learner = Perceptron(early_stopping=True, validation_fraction=0.25).fit(X, y)
    assert_truthful(learner, (learner.predict(X) != y).sum())


@given(
    seed=seeds,
    options=st.fixed_dictionaries(
        {
            "averaged": st.booleans(),
            "max_iter": st.sampled_from([1, 3, 20]),
            "rule": st.sampled_from(["perceptron", "mira"]),
            "search": st.sampled_from(["viterbi", "beam", "greedy"]),
            "order": st.sampled_from([1, 2]),
            "tag_dictionary": st.sampled_from([None, 1, 2]),
            "constraints": st.sampled_from([None, {"P": ["P", "Q"]}]),
        }
    ),
    watched=st.booleans(),
)
@pytest.mark.filterwarnings("ignore:.*constraints")
def test_a_tagger_counts_the_sentences_that_are_not_wholly_right(seed, options, watched):
    xs, ys = sentences(seed, n=5)
    more = {"validation_set": (xs[:2], ys[:2])} if watched else {}
    tagger = SequenceTagger(beam=2, **options).fit(xs, ys, **more)
    wrong = sum(a != b for a, b in zip(tagger.predict(xs), ys, strict=True))
    assert_truthful(tagger, wrong)


@given(
    seed=seeds, averaged=st.booleans(), epochs=st.sampled_from([1, 5, 50]), watched=st.booleans()
)
def test_a_structured_learner_counts_outputs_that_are_not_right(seed, averaged, epochs, watched):
    X, labels = data(seed, 3)
    y = np.searchsorted(["a", "b", "c"], labels).tolist()
    learner = StructuredPerceptron(Classes(3), averaged=averaged, max_iter=epochs)
    learner.fit(X, y, **({"validation_set": (X[:2], y[:2])} if watched else {}))
    assert_truthful(learner, sum(a != b for a, b in zip(learner.predict(X), y, strict=True)))


# ---------------------------------------------------------------------- when it is not known


X, Y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])


@pytest.mark.parametrize("make", [Perceptron, VotedPerceptron, KernelPerceptron])
def test_it_is_not_known_once_learning_goes_on_otherwise(make):
    learner = make(max_iter=3).fit(X, Y)
    assert learner.n_training_errors_ == (learner.predict(X) != Y).sum()
    for learn_on in (lambda: learner.partial_fit(X, Y), lambda: learner.learn_one(X[0], 1)):
        learn_on()
        with pytest.raises(AttributeError, match="since then more was learned"):
            _ = learner.converged_
    with pytest.raises(AttributeError, match="not fitted yet"):
        _ = make().n_training_errors_


@pytest.mark.parametrize("make", [VotedPerceptron, KernelPerceptron])
def test_it_follows_a_change_of_what_predicts(make):
    random = np.random.default_rng(3)
    Z, z = random.normal(size=(60, 2)), random.integers(0, 2, 60)
    learner = make(max_iter=3).fit(Z, z)
    found = set()
    for combine in ("vote", "average", "last"):
        learner.set_params(combine=combine)
        assert_truthful(learner, (learner.predict(Z) != z).sum())
        found.add(learner.n_training_errors_)
    assert len(found) > 1


def test_it_is_not_known_after_another_change_of_what_predicts():
    learner = AveragedPerceptron(max_iter=3).fit(X, Y).set_params(ties="positive")
    with pytest.raises(AttributeError, match="ties was changed"):
        _ = learner.n_training_errors_
    learner.set_params(ties="mistake", eta0=5.0)
    assert learner.n_training_errors_ == (learner.predict(X) != Y).sum()
    last = Perceptron(max_iter=3).fit(X, Y).set_params(pocket=True)
    assert last.n_training_errors_ == (last.predict(X) != Y).sum()


@pytest.mark.parametrize("make", [VotedPerceptron, KernelPerceptron])
def test_rows_that_were_changed_since_are_not_counted_as_if_they_were_the_same(make):
    Z, y = np.linspace(-1.0, 1.0, 40)[:, None], np.arange(40) >= 20
    y[0] = True
    before = Z.copy()
    learner = make(max_iter=30).fit(Z, y)
    Z[0] = 7
    with pytest.raises(AttributeError, match="X was changed after fit"):
        _ = learner.converged_
    Z[:] = before
    assert learner.n_training_errors_ == (learner.predict(Z) != y).sum()


@pytest.mark.parametrize("make", [Perceptron, VotedPerceptron, KernelPerceptron])
def test_no_copy_takes_the_rows_along(make, tmp_path):
    big = np.random.default_rng(0).normal(size=(2000, 50))
    y = big[:, 0] > 0
    learner = make(max_iter=1).fit(big, y)
    parts = len(pickle.dumps(learner.support_vectors_)) if make is not Perceptron else 0
    assert len(pickle.dumps(learner)) < parts + big.nbytes // 4
    errors = learner.n_training_errors_
    save(learner, tmp_path / "m.rbt")
    assert pickle.loads(pickle.dumps(learner)).n_training_errors_ == errors
    again = load(tmp_path / "m.rbt")
    if make is Perceptron:
        assert again.n_training_errors_ == errors
    else:  # whether somebody asked before does not show in the file
        with pytest.raises(AttributeError, match="loaded from a file"):
            _ = again.n_training_errors_


# ---------------------------------------------------------------------- what the shell says


@pytest.mark.parametrize("name", [entry.name for entry in entries("linear")])
@pytest.mark.parametrize("seed", range(4))
def test_every_sentence_of_the_shell_agrees_with_the_weights_that_predict(name, seed, tmp_path):
    random = np.random.default_rng(seed)
    Z = random.normal(size=(30, 3))
    labels = np.where(Z @ [1, 2, 0] + (seed % 2) * random.normal(size=30) > 0, "yes", "no")
    lines = [",".join([*map(str, row), label]) for row, label in zip(Z, labels, strict=True)]
    table = tmp_path / "t.csv"
    table.write_text("\n".join(["a,b,c,y", *lines]) + "\n")
    out = str(tmp_path / "m.rbt")
    asked = ("train", str(table), "--learner", name, "--epochs", "40", "--out", out)
    done, said = run(*asked), run(*asked, "--json")
    learner, facts = load(out), json.loads(said.out)
    records = [dict(zip("abc", row, strict=True)) for row in Z.tolist()]
    wrong = sum(learner.predict_one(x) != label for x, label in zip(records, labels, strict=True))
    assert facts["training_errors"] == wrong
    assert facts["converged"] is (wrong == 0)
    assert f"accuracy: {1 - wrong / 30:.4f} on all 30 rows" in done.out
    separated = facts["stop_reason"] == "separated"
    assert ("the last weights separate the training rows" in done.out) == separated
    assert ("(by other weights than the last)" in done.out) == (separated and wrong > 0)
