"""train(A + B) is train(A), save, load, train(B), in another process, to the last bit."""

import re
import subprocess
import sys
import textwrap
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from strategies import LEARNERS

from persistence import kernel_samples, resuming
from persistence.families import EVERY, assert_same, told
from persistence.forging import opened
from persistence.kernel_samples import BUDGETS, EARLY
from persistence.resuming import EPOCHS, LINEAR, TAGS, end_of, learned, linear_learner, runs
from persistence.samples import same
from persistence.tagger_samples import FORMS, words
from rosenblatt import SequenceTagger, VotedPerceptron, load, save
from rosenblatt.models.kernel_functions import KERNELS
from rosenblatt.persistence import disk

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RUNS = runs()
# Runs that differ in where they are cut are one test.
KIND_OF = {name: re.sub(r", \d+$", "", name) for name in RUNS}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder in which another process has finished all runs that were begun here."""
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk.os, "fsync", lambda file: None)
        for number, (begin, _) in enumerate(RUNS.values()):
            save(begin(), folder / f"{number}.rbt")
    subprocess.run([sys.executable, Path(resuming.__file__), folder], check=True)
    return folder


@pytest.mark.parametrize("kind", sorted(set(KIND_OF.values())))
def test_a_run_finished_in_another_process_is_the_same_run(kind, finished, tmp_path):
    for number in [number for number, name in enumerate(RUNS) if KIND_OF[name] == kind]:
        begin, finish = list(RUNS.values())[number]
        there, here, learner = finished / f"{number}.done", tmp_path / "here.rbt", finish(begin())
        save(learner, here)
        # The bytes of the file are the whole state; the first line says what differs, if it does.
        assert_same(load(there), learner)
        assert there.read_bytes() == here.read_bytes()


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("kind", [kind for kind in LINEAR if "early" not in kind])
def test_a_linear_run_in_two_parts_is_the_run_in_one(name, kind):
    whole = learned(linear_learner(name, kind), kind, 0, end_of(kind))
    for cut in LINEAR[kind]:
        learner = learned(linear_learner(name, kind), kind, 0, cut)
        if getattr(learner, "stop_reason_", None) != "separated":
            learned(learner, kind, cut, end_of(kind))
            assert learner._model.digest() == whole._model.digest()


@pytest.mark.parametrize(
    ("form", "option"),
    [pair for pair in product(FORMS, TAGS) if pair != ("mappings", "dictionary")],
)
def test_the_epochs_of_a_tagger_in_two_parts_are_those_in_one(form, option):
    whole = SequenceTagger(warm_start=True, max_iter=EPOCHS, **TAGS[option])
    whole.fit(*FORMS[form](1, 40))
    assert whole.n_iter_ == EPOCHS, "it ended before it could be interrupted"
    for cut in range(1, EPOCHS):
        begin, finish = RUNS[f"tags: {form}, {option}, {cut}"]
        # The last call tells of its own epochs; what was learned is that of all of them.
        assert same(told(whole)["weights"], told(finish(begin()))["weights"])


def test_an_interrupted_stream_of_sentences_ends_in_the_bytes_of_one_that_was_not(tmp_path):
    """A stream has no last call to tell of, so that the whole file is the same."""
    xs, ys = words(3, 20)
    path, whole_path = tmp_path / "pieces.rbt", tmp_path / "whole.rbt"
    save(SequenceTagger(record=True, order=2).partial_fit(xs, ys), whole_path)
    save(SequenceTagger(record=True, order=2).partial_fit(xs[:1], ys[:1]), path)
    for k in range(1, 20):
        save(load(path).partial_fit(xs[k : k + 1], ys[k : k + 1]), path)
    pieces, expected = opened(path.read_bytes()), opened(whole_path.read_bytes())
    for name in ("record", "random", "classes", "parameters"):
        assert pieces[0][name] == expected[0][name]
    weights = ("rows", "rows_sum", "steps", "steps_sum", "pairs", "pairs_sum", "words", "ledger.t")
    for name in weights:
        assert same(pieces[1][name], expected[1][name]), name


# ---------------------------------------------------------------------- without scikit-learn

CHILD = """
    import sys
    import numpy as np
    from rosenblatt import model
    queries = np.load(sys.argv[1])
    for path in sys.argv[2:]:
        state = model.read(path)
        learner = model.learner_of(state)
        if state.family == "tags":
            print(learner.predict([["the", "Dog"], ["unheard"]]))
        else:
            found = learner.decision_function(queries)
            print(learner.predict(queries).tolist(), found.tobytes().hex())
        model.write(state, path)
    assert not {"sklearn", "scipy", "torch", "pandas", "matplotlib"} & set(sys.modules)
"""
OF_WORDS = ("words", "order 2", "beam", "scheme", "dictionary", "validation set")
ASKED = [
    *(EVERY[f"linear: {name}, early stopping, 3"] for name in LEARNERS),
    *(
        partial(kernel_samples.fit, kernel=kernel, n_classes=3, **EARLY, **BUDGETS[policy])
        for kernel in sorted(KERNELS)
        for policy in BUDGETS
    ),
    *(EVERY[f"tags: {state}"] for state in OF_WORDS),
]


def test_neither_scikit_learn_nor_scipy_is_loaded_to_predict(tmp_path):
    queries = np.random.default_rng(5).normal(size=(30, 4))
    np.save(tmp_path / "queries.npy", queries)
    expected, paths = [], []
    for build in ASKED:
        learner = build()
        paths.append(tmp_path / f"{len(paths)}.rbt")
        save(learner, paths[-1])
        if hasattr(learner, "tags_"):
            expected.append(str(learner.predict([["the", "Dog"], ["unheard"]])))
        else:
            scores = learner.decision_function(queries).tobytes().hex()
            expected.append(f"{learner.predict(queries).tolist()} {scores}")
    before = [path.read_bytes() for path in paths]
    command = [sys.executable, "-c", textwrap.dedent(CHILD), tmp_path / "queries.npy", *paths]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == expected
    assert [path.read_bytes() for path in paths] == before


def test_loading_finds_a_learner_by_its_name_alone(tmp_path):
    save(VotedPerceptron().partial_fit([[1.0], [2.0]], [0, 1]), tmp_path / "model.rbt")
    code = f"import rosenblatt; print(type(rosenblatt.load({str(tmp_path / 'model.rbt')!r})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "<class 'rosenblatt.estimators.linear.voted.VotedPerceptron'>"
